/*
 * The model with one seeded bug, as a subject of the run harness: proves that the
 * comparison finds that bug. Not thread-safe: the bug is chosen for the whole process.
 */
#ifndef SUPPORT_MUTANT_H
#define SUPPORT_MUTANT_H

#include "support/mutations.h"
#include "support/subject.h"

/* Only for scripts that are drained every tick: it never coalesces. */
const subject_type *subject_mutant(void);
void mutant_choose(mutation number);
const char *mutant_text(mutation number);

#endif

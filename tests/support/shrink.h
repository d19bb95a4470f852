/*
 * Cuts a failing script down to few steps (delta debugging), each try in a process of its
 * own, so that crashes, assertions and hangs shrink as well.
 */
#ifndef SUPPORT_SHRINK_H
#define SUPPORT_SHRINK_H

#include "support/run.h"

/* Runs it in a child; a crash, a hang or a failed comparison is a failure. */
bool run_fails_apart(const script *s, const run_options *options, unsigned seconds);
/* A smaller script that still fails; after at most `tries` tries. The caller frees it. */
script *script_shrink(const script *s, const run_options *options, unsigned tries);
/* Shrinks, replays the rest in this process's child and prints both script and report. */
void run_explain(const script *s, const run_options *options);

#endif

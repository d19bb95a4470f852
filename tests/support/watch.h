/*
 * The engine with a monitor open: after each tick its frame is compared with the answers of readers about the same
 * state, entity by entity, by brute force. Views, foci, questions and held frames come from a seed.
 */
#ifndef SUPPORT_WATCH_H
#define SUPPORT_WATCH_H

#include "support/script.h"
#include "support/subject.h"

typedef struct watch_sums {
    uint64_t frames, points, samples, targets, events, answers, skipped;
} watch_sums;

/* The subject for runs of this script; one run at a time. Failures are counted by CHECK. */
const subject_type *watch_engine(const script *s, uint64_t seed);
/* Of all runs so far. */
watch_sums watch_done(void);

#endif

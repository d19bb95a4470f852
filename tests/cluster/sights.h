/*
 * What decides beside positions which walkers (walks.h) are in a list, over several nodes: reach, global and visible
 * targets, layers, stealth, veils, instances, caps with priorities, adds_max, relations between any two, and whether
 * the observer is ready. A walker has some of them by its id; its owner changes them now and then. Own entities count
 * as they are now, entities of other nodes as they were at one moment of the last ticks, with their place of that
 * moment:
 *
 *  - a target is in a list surely if it passes at all moments, and perhaps if it does at any one; below a cap, if so
 * few others may come before it, or so few surely do;
 *  - a relation holds once its observer's node has had the time to hear of the other entity, which it has pinned;
 *  - at an adds_max a target may wait while as many enter in the same tick, and it surely comes before none of these.
 *    So the best ones enter in each tick, until none waits.
 */
#ifndef CLUSTER_SIGHTS_H
#define CLUSTER_SIGHTS_H

#include <pharos/pharos.h>

#include "cluster/walks.h"

typedef struct sight {
    float reach, visible;
    uint64_t layers, sees;
    uint32_t instance, cap;
    uint8_t stealth, detect, priority;
    bool global, veiled, ready;
} sight;

typedef enum sights_tie { TIE_NONE, TIE_LINK, TIE_HIDE, TIE_PAIR, TIE_REVEAL } sights_tie;

/* What an observer's client is told in one tick. */
typedef struct sights_enters {
    uint32_t count;
    bool more, of[TRAIL_IDS];
} sights_enters;

typedef struct sights {
    float view, margin;
    sight at[TRAIL_TICKS][TRAIL_IDS]; /* beside the trail's places */
    sights_enters enters[TRAIL_IDS];  /* by observer, in this tick */
    uint64_t changes, waits;          /* waits: observers and ticks in which targets waited */
} sights;

/* One that does not walk: a target with a reach that stands. */
bool sights_stands(uint64_t id);
/* One that is never in another instance. */
bool sights_stays(uint64_t id);
/* As a walker enters: in all ticks of the trail. */
void sights_begin(sights *all, uint64_t id);
sight *sights_of(sights *all, uint64_t tick, uint64_t id);
/* All of it, as attributes that are given. */
ph_attrs sights_attrs(const sight *of);
/* A tick of its owner: the walker's may change. @return whether to set it anew */
bool sights_change(sights *all, uint64_t *rng, uint64_t tick, uint64_t id);
/* What clients are told, of the owner's world. */
void sights_hear(sights *all, uint64_t tick, const ph_batch *batch);
/* The next tick: all are as they were, and no client was told. */
void sights_step(sights *all, uint64_t tick);

/* What an observer has to one other walker. */
sights_tie sights_tie_of(uint64_t observer, uint64_t *other);
/* Submits it, where both are in the producer's world; again changes nothing. */
void sights_tie_up(ph_producer producer, uint64_t observer);

/* A target for an observer: in its list by all but the cap, and how it ranks there, at best and at worst. */
typedef struct sights_rank {
    int level; /* 0: global or linked; then by falling priority */
    float square;
} sights_rank;

typedef struct sights_verdict {
    bool surely, perhaps;
    sights_rank best, worst;
} sights_verdict;

/* lag: ticks that the target may be old, 0: own. settled: the observer's node knows of its relations. */
sights_verdict sights_judge(sights *all, walker_trail *trail, uint64_t observer, uint64_t target, uint64_t lag,
                            bool settled);
/* Then the observer's cap over all of its verdicts, by id. */
void sights_cut(const sights *all, const walker_trail *trail, uint64_t observer, sights_verdict verdicts[TRAIL_IDS]);
/* Then its adds_max: targets that may wait are in its list no more surely. */
void sights_hold(sights *all, uint64_t observer, const bool listed[TRAIL_IDS], sights_verdict verdicts[TRAIL_IDS]);

#endif

/*
 * A world of oom_script.h in which an allocation fails: the nth one that is asked for in a stage of a tick. A first
 * run without a failure counts the allocations; then each of them is a site, or, in a smaller amount of tests, some.
 */
#ifndef SUPPORT_OOM_TRIAL_H
#define SUPPORT_OOM_TRIAL_H

#include <stdatomic.h>

#include <pharos/pharos.h>

#include "api/handles.h"
#include "support/fail_alloc.h"
#include "support/oom_script.h"

enum { OOM_STAGES = PHX_STAGE_END + 1 };
enum { OOM_PERCENT_FOR_ALL = 12 }; /* less, as under sanitizers, leaves out some stages of some ticks */

/* An allocation; nth counts from 1, 0 = none. */
typedef struct oom_site {
    uint32_t tick, stage, nth;
} oom_site;

/* The first member of a test's own struct. */
typedef struct oom_trial {
    const oom_profile *profile;
    const oom_script *script;
    oom_site site;
    fail_alloc memory;
    phx_world *inner;
    ph_world world;
    ph_producer producer;
    ph_consumer consumers[OOM_CONSUMERS];
    uint32_t tick;
    bool ticking; /* only then allocations are counted */
    /* written by workers; relaxed: counts order nothing */
    _Atomic uint32_t asked[OOM_TICKS][OOM_STAGES]; /* allocations */
    _Atomic bool short_of;                         /* all allocations fail */
} oom_trial;

/* --tick N --stage N --nth N */
oom_site oom_site_option(int argc, char **argv);

/* The definition, with the trial's memory. */
ph_world_def oom_trial_def(oom_trial *t, bool later);
/* Makes the world, its producer and its consumers. fails() is asked of each allocation, with the trial. */
void oom_trial_open(oom_trial *t, bool (*fails)(void *trial));
/* Destroys the world; no memory is left. */
void oom_trial_close(oom_trial *t);

/* Counts an allocation of a tick; true: it is the site's. The stage does not change while workers are in it. */
bool oom_trial_asked(oom_trial *t);

/* Visits the sites of a run without a failure: `only`, or if that is none all, or some by the seed. */
void oom_each_site(const oom_trial *whole, oom_site only, uint64_t seed, void (*visit)(void *user, oom_site at),
                   void *user);

#endif

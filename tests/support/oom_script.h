/*
 * The worlds in which oom_stages lets memory end, and their commands: a few ticks with everything that a stage of
 * a tick may want memory for, near the borders of shards above all. The same seed makes the same script.
 */
#ifndef SUPPORT_OOM_SCRIPT_H
#define SUPPORT_OOM_SCRIPT_H

#include "support/check.h"
#include "support/command.h"

enum { OOM_TICKS = 12, OOM_RECONFIGURED = 6, OOM_CONSUMERS = 2, OOM_SLOW = 1, OOM_CLASSES = 3 };

typedef struct oom_profile {
    const char *name;
    ph_range range;
    ph_index index;
    uint32_t shards, workers; /* shards along either axis */
    uint32_t entities;        /* ids 1 .. entities */
    uint32_t commands;        /* in a tick, about */
    uint32_t moves;           /* and as many moves in one tick that all workers share; 0 = none */
    uint32_t crowd;           /* ph_world_def.crowd_entities */
    bool plain;               /* observers have views, and nothing else; some entities are remote */
    bool holds;               /* then: views of two sizes, an adds_max that bites, and all walk in each tick */
} oom_profile;

typedef struct oom_script {
    VEC(command) ticks[OOM_TICKS];
} oom_script;

/* All there are. */
const oom_profile *oom_profiles(uint32_t *count);
/* Without the allocator. The classes are static; `later`: the classes of OOM_RECONFIGURED. */
ph_world_def oom_def(const oom_profile *profile, bool later);
void oom_script_make(oom_script *script, const oom_profile *profile, uint64_t seed);
void oom_script_free(oom_script *script);

#endif

/*
 * The side of a tower where the definition leaves it open (tower_size = 0), and where it may not, as events depend on
 * towers. Asked by the check of a definition, by the world, and by the rules of a cluster. Pure.
 */
#ifndef PHX_BASE_TOWER_CHOICE_H
#define PHX_BASE_TOWER_CHOICE_H

#include <float.h>
#include <math.h>

#include <pharos/types.h>

#include "base/lengths.h"

/* An open side where events depend on towers, or where no class and no entity observes. */
#define PHX_TOWER_SIDE 100.0f
/* Times the middle of the radii: from two to ten times the price of a tick is the same. docs/performance.md has it. */
#define PHX_TOWER_VIEWS 3.0
/* A little more than the least side: float32 may round the number of towers up. */
#define PHX_TOWER_ROOM (1.0 + 0x1p-20)

/* The radii of some classes, or entities, of the ones above 0; both 0: there is none. */
typedef struct phx_views {
    float shortest, longest;
} phx_views;

static inline void phx_views_add(phx_views *views, float view)
{
    if (!(view > 0.0f)) return;
    if (!(views->shortest > 0.0f) || view < views->shortest) views->shortest = view;
    if (view > views->longest) views->longest = view;
}

static inline phx_views phx_views_of_classes(const ph_world_def *def)
{
    phx_views views = {0.0f, 0.0f};
    for (uint32_t kind = 0; kind < def->class_count; kind++) phx_views_add(&views, def->classes[kind].view);
    return views;
}

/* Do events depend on towers? */
static inline bool phx_towers_decide(const ph_world_def *def)
{
    bool wakes = false;
    for (uint32_t kind = 0; kind < def->class_count; kind++) wakes |= def->classes[kind].wakes;
    return def->range == PH_RANGE_TOWERS || def->crowd_entities > 0 || wakes;
}

/* Does the library choose the side? */
static inline bool phx_towers_open(const ph_world_def *def)
{
    return !phx_is_long(def->tower_size) && !phx_towers_decide(def);
}

/* The side of towers that decide. */
static inline float phx_tower_side_given(const ph_world_def *def)
{
    return phx_is_long(def->tower_size) ? def->tower_size : PHX_TOWER_SIDE;
}

/*
 * The side of a world's towers, by the radii of its classes, or of the entities that come first. An open one is
 * PHX_TOWER_VIEWS times the geometric middle of the shortest and the longest, or PHX_TOWER_SIDE without any, then
 * small enough for a tower in the narrowest shards, and large enough for PH_TOWERS_AXIS_MAX towers an axis. Products,
 * quotients and a root alone, which all machines round alike.
 */
static inline float phx_tower_side(const ph_world_def *def, phx_views views)
{
    double side = PHX_TOWER_VIEWS * sqrt((double)views.shortest * (double)views.longest), least = FLT_MIN;
    if (!phx_towers_open(def)) return phx_tower_side_given(def);
    if (!(side > 0)) side = PHX_TOWER_SIDE;
    for (int axis = 0; axis < 2; axis++) {
        const double extent = def->world_size[axis], shard = extent / def->shards[axis];
        if (def->shards[axis] > 1 && shard < side) side = shard;
        if (extent / PH_TOWERS_AXIS_MAX * PHX_TOWER_ROOM > least) least = extent / PH_TOWERS_AXIS_MAX * PHX_TOWER_ROOM;
    }
    if (side < least) side = least;
    return side < (double)PH_LENGTH_MAX ? (float)side : PH_LENGTH_MAX;
}

#endif

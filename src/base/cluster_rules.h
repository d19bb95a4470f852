/*
 * Rules of the name of a common world, and between the fields of a phc_def. Asked when one is opened (src/cluster), by
 * the loader of config files (src/config), a library apart, and by pharos-cluster. Pure.
 */
#ifndef PHX_BASE_CLUSTER_RULES_H
#define PHX_BASE_CLUSTER_RULES_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pharos/cluster.h>

#include "base/lengths.h"
#include "base/tower_choice.h"

/* The name is a token of keys and subjects. */
static inline bool phx_cluster_name_is_good(const char *name)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    const size_t length = strnlen(name, PHC_NAME_MAX + 1);
    return length > 0 && length <= PHC_NAME_MAX && strspn(name, good) == length;
}

/* How far a waker may be from an NPC that it wakes, along an axis; 0: no class has NPCs, or none wakes. */
static inline float phx_cluster_woken_from(const ph_world_def *world)
{
    bool wakes = false, sleeps = false;
    for (uint32_t i = 0; i < world->class_count; i++) {
        wakes |= world->classes[i].wakes;
        sleeps |= world->classes[i].sleeps && !world->classes[i].wakes;
    }
    return wakes && sleeps ? phx_tower_side_given(world) * (float)(world->activation_span + 1) : 0.0f;
}

/*
 * The part of a halo's width beside the range that an observer sees: it and a target are each up to hand_over_margin
 * beyond their node's border, and each moves on while a copy is lag_max ticks old.
 */
static inline float phx_cluster_halo_slack(const phc_def *def)
{
    return 2.0f * def->hand_over_margin + 2.0f * def->speed_max * (float)def->lag_max;
}

/* The longest range of an observer by its class, or that of towers, which all have. */
static inline float phx_cluster_longest_range(const ph_world_def *world)
{
    float seen = 0.0f;
    if (world->range == PH_RANGE_TOWERS) return phx_tower_side_given(world) * (float)(world->span + 1);
    for (uint32_t i = 0; i < world->class_count; i++) {
        const float one = world->classes[i].view + world->classes[i].margin;
        if (one > seen) seen = one;
    }
    return seen;
}

/* The least halo: room for the longest range that an observer sees, or an NPC is woken from. */
static inline float phx_cluster_least_halo(const phc_def *def)
{
    const ph_world_def *world = def->world_def;
    float seen = phx_cluster_longest_range(world);
    if (phx_cluster_woken_from(world) > seen) seen = phx_cluster_woken_from(world);
    return seen + phx_cluster_halo_slack(def);
}

/* The longest range of an observer that a halo of this width has room for; where towers decide all have the same. */
static inline float phx_cluster_view_within(const phc_def *def, float width)
{
    if (def->world_def->range == PH_RANGE_TOWERS) return INFINITY;
    /* a width has room for the classes' ranges, though a sum less one of its parts may be below the other one */
    return fmaxf(width - phx_cluster_halo_slack(def), phx_cluster_longest_range(def->world_def));
}

/* The longest reach of a target that it has room for: it stays in a list for a margin beyond. */
static inline float phx_cluster_reach_within(const phc_def *def, float width)
{
    const ph_world_def *world = def->world_def;
    float margin = 0.0f;
    for (uint32_t i = 0; i < world->class_count; i++)
        if (world->classes[i].margin > margin) margin = world->classes[i].margin;
    const float reach = phx_cluster_view_within(def, width) - margin;
    return reach > 0.0f ? reach : 0.0f;
}

/*
 * Looks at the control store in a lease. One that has heard no list for half a lease puts nothing out
 * (src/cluster/membership/lease.c), and the other quarter is for an answer that is late.
 */
enum { PHX_LISTS_A_LEASE_MIN = 4 };

/* Of the time in which a link is silent, heartbeats, one in each list_ms: two of them may be lost. */
enum { PHX_BEATS_A_LINK_MIN = 3 };

/* Each field is in its own range, and the world's definition is good. false: `reason` has the line. */
static inline bool phx_cluster_rules_hold(const phc_def *def, char *reason, size_t size)
{
    const float least = phx_cluster_least_halo(def);
    if (def->silent_ticks < def->lag_max)
        (void)snprintf(reason, size, "silent_ticks = %u is below lag_max = %u", def->silent_ticks, def->lag_max);
    else if (def->list_ms > def->lease_ms / PHX_LISTS_A_LEASE_MIN)
        (void)snprintf(reason, size, "list_ms = %u is above a quarter of lease_ms = %u", def->list_ms, def->lease_ms);
    else if (def->link_timeout_ms > 0 && def->link_timeout_ms / PHX_BEATS_A_LINK_MIN < def->list_ms)
        (void)snprintf(reason, size, "link_timeout_ms = %u is below three times list_ms = %u", def->link_timeout_ms,
                       def->list_ms);
    else if (!phx_is_length(least)) (void)snprintf(reason, size, "halo: the longest view needs one beyond 1e18");
    else if (def->halo > 0.0f && def->halo < least)
        (void)snprintf(reason, size,
                       "halo = %g is below %g, which views, margins, hand_over_margin, speed_max and lag_max need",
                       (double)def->halo, (double)least);
    else return true;
    return false;
}

#endif

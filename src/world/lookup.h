/*
 * Ids to homes, many at once: directory lines, then bodies, come from memory side by side.
 * In the ingest phase, by the ticking thread (ingest.c) or by all workers (route.c); reads
 * the directory, which nobody writes meanwhile.
 */
#ifndef PHX_WORLD_LOOKUP_H
#define PHX_WORLD_LOOKUP_H

#include "world/world.h"

/* Enough that the first line has come when the last was asked for; not more than a near cache holds. */
enum { PHX_LOOKUP_MAX = 128 };

typedef struct phx_lookup {
    uint32_t slot[PHX_LOOKUP_MAX];
    uint32_t place[PHX_LOOKUP_MAX]; /* the shard; of an attached child with the bit of PHX_HOME_ATTACHED; or unknown */
    bool mixed;                     /* not all have the same place */
} phx_lookup;

static const uint32_t PHX_PLACE_UNKNOWN = UINT32_MAX;

/* Why an entity of this place, which is no shard, can not be moved. */
static inline ph_status phx_place_status(uint32_t place)
{
    return place == PHX_PLACE_UNKNOWN ? PH_UNKNOWN_ID : PH_ATTACHED;
}

/* count: 1 .. PHX_LOOKUP_MAX. bodies: they are wanted next. */
static inline void phx_look_up(const phx_world *world, const uint64_t *ids, uint32_t count, bool bodies,
                               phx_lookup *out)
{
    const phx_idmap *directory = &world->directory;
    const phx_body *body = world->shards[0].store.body;
    uint64_t at[PHX_LOOKUP_MAX];
    uint32_t before = 0, changes = 0;
    for (uint32_t i = 0; i < count; i++) at[i] = phx_idmap_prefetch(directory, ids[i]);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *home = phx_idmap_find_from(directory, at[i], ids[i]);
        uint32_t place = home ? (uint32_t)(*home >> 32) : PHX_PLACE_UNKNOWN, slot = home ? phx_home_slot(*home) : 0;
        out->place[i] = place;
        out->slot[i] = slot;
        if (PHX_UNLIKELY(place != before)) {
            changes |= i; /* 0 at the first: it has none before it */
            before = place;
            body = world->shards[home ? phx_home_shard(*home) : 0].store.body;
        }
        if (bodies) __builtin_prefetch(&body[slot], 1);
    }
    out->mixed = changes != 0;
}

#endif

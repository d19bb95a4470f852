/*
 * Broadcasts with a radius: the observers that one reaches, by their distance from a place and not by their lists. Read
 * by any worker in phase publish, once the lists of the tick stand. An observer is found by the shard that owns it, and
 * the source needs no copy there, unless only observers that have it in their list count. Pure functions.
 */
#ifndef PHX_SHARDS_PUBLISH_BROADCAST_RANGE_H
#define PHX_SHARDS_PUBLISH_BROADCAST_RANGE_H

#include "shards/state/shard.h"

typedef struct phx_broadcast_range {
    float x, y, radius;
    uint32_t instance;
    bool seen;       /* only observers that have the source in their list */
    uint64_t source; /* its id; 0: it comes from a place */
    uint64_t layers;
} phx_broadcast_range;

/*
 * Does the message reach this own observer, whatever `seen` says (the caller asks the list)? source: its slot here, or
 * PHX_SLOT_NONE; then it is no own entity, and not `seen`. An observer whose list was set aside in this tick gets no
 * message.
 */
bool phx_broadcast_range_reaches(const phx_shard *shard, const phx_broadcast_range *range, uint32_t source, bool self,
                                 uint32_t observer);
/* The same of the observers among these rows: theirs go to out[], which has room for all. Returns how many. */
uint32_t phx_broadcast_range_rows(const phx_shard *shard, const phx_broadcast_range *range, uint32_t source, bool self,
                                  phx_span rows, uint32_t *out);

#endif

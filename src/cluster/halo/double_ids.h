/*
 * Own entities of which another node tells as its own: two hosts have entered one id, or a restore went wrong. A copy
 * of an own entity alone says nothing: it may have been written before a hand-over, and come late. But a node that has
 * handed an entity over tells of it no more, so the ticks of that node from which such copies are, and the own ticks in
 * which they come, span no more than a message can be late. Copies that go on for longer are of a second entity.
 *
 * Heard by the halo for each such copy, reported by the member in each round. Of so many ids as are double at a time
 * only the first PHX_DOUBLE_IDS_MAX are watched. No memory of its own, pure.
 */
#ifndef PHX_CLUSTER_HALO_DOUBLE_IDS_H
#define PHX_CLUSTER_HALO_DOUBLE_IDS_H

#include "base/core.h"

enum { PHX_DOUBLE_IDS_MAX = 64 };

typedef struct phx_double_id {
    uint64_t id, source;             /* the registration of the other node */
    uint64_t ownership;              /* of the own entity: one that went away and came back is watched anew */
    uint64_t first_tick;             /* of the source, in the first copy */
    uint64_t tick;                   /* ... in the last one */
    uint64_t found_tick, heard_tick; /* own ones, then */
    bool reported;
} phx_double_id;

typedef struct phx_double_ids {
    phx_double_id items[PHX_DOUBLE_IDS_MAX];
    uint32_t count;
} phx_double_ids;

/* A copy of an own entity has come: `copy` has its id, source and ownership, and in `tick` the tick of the source. */
void phx_double_ids_hear(phx_double_ids *ids, const phx_double_id *copy, uint64_t now);
/* Forgets the ones that were not heard for more than `grace_ticks` own ticks. */
void phx_double_ids_forget(phx_double_ids *ids, uint64_t now, uint32_t grace_ticks);
/* Have there been copies for more than `quiet_ticks`, and was it not reported? */
bool phx_double_id_is_due(const phx_double_id *id, uint32_t quiet_ticks);

#endif

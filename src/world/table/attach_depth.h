/*
 * How deep each attached entity hangs (edges up to its root), at the last tick's end and
 * now, and the order that follows for what a change tells: parents enter before their
 * children and leave after them. Kept in the ingest phase by the ticking thread, beside
 * attachments.h; read by all workers in phase "publish". Empty while nobody is attached.
 */
#ifndef PHX_WORLD_TABLE_ATTACH_DEPTH_H
#define PHX_WORLD_TABLE_ATTACH_DEPTH_H

#include <pharos/types.h>

#include "base/idmap.h"
#include "shards/entity/event_columns.h"

typedef struct phx_depths {
    phx_idmap of; /* id -> depth before << 4 | depth now; those with neither are not in it */
    bool changed; /* in this tick: some before and now may differ */
} phx_depths;

void phx_depths_init(phx_depths *depths, phx_mem *mem);
void phx_depths_free(phx_depths *depths);

/* Room for one more to be attached. false = no memory, unchanged. */
bool phx_depths_reserve(phx_depths *depths);
/* An id that is not there yet and a depth above 0 need reserved room. */
void phx_depths_set(phx_depths *depths, uint64_t id, uint32_t depth);
/* A new tick: now becomes before. */
void phx_attach_depth_end_tick(phx_depths *depths);

static inline bool phx_depths_any(const phx_depths *depths)
{
    return phx_idmap_count(&depths->of) > 0;
}

/* At the end of the tick before. */
static inline uint32_t phx_depths_before(const phx_depths *depths, uint64_t id)
{
    const uint64_t *of = phx_idmap_find(&depths->of, id);
    return of ? (uint32_t)(*of >> 4) : 0;
}

static inline uint32_t phx_depths_now(const phx_depths *depths, uint64_t id)
{
    const uint64_t *of = phx_idmap_find(&depths->of, id);
    return of ? (uint32_t)(*of & 15) : 0;
}

/*
 * `count` enters, in the order (kind, id), become ordered by depth first, the least first; or leaves, the greatest
 * first. Any worker.
 */
void phx_depths_arrange(const phx_depths *depths, phx_event_columns told, uint32_t count, bool enters);

#endif

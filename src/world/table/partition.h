/*
 * The split of the world into shards: nx * ny rectangles of whole towers, as equal as towers allow. Made with the
 * world, read-only afterwards, by any thread, in any phase.
 */
#ifndef PHX_WORLD_TABLE_PARTITION_H
#define PHX_WORLD_TABLE_PARTITION_H

#include "base/mem.h"
#include "shards/entity/bounds.h"

typedef struct phx_partition {
    uint32_t columns, rows; /* shards along x and y */
    uint32_t towers[2];
    uint16_t *column_of; /* per tower x: the shard's column */
    uint16_t *row_of;
} phx_partition;

/* false = no memory. columns <= towers[0], rows <= towers[1]. */
bool phx_partition_init(phx_partition *partition, phx_mem *mem, const uint32_t towers[2], const uint32_t shards[2]);
void phx_partition_free(phx_partition *partition, phx_mem *mem);
/* The towers of a shard. */
phx_rect phx_partition_rect(const phx_partition *partition, uint32_t shard);

static inline uint32_t phx_partition_shard(const phx_partition *partition, uint16_t tx, uint16_t ty)
{
    return (uint32_t)partition->row_of[ty] * partition->columns + partition->column_of[tx];
}

#endif

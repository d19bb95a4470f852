/*
 * Tower -> shard tables; see partition.h.
 */
#include "world/table/partition.h"

#include "shards/entity/bounds.h"

/* The first tower of part i of n. */
static uint32_t part_first(uint32_t towers, uint32_t n, uint32_t i)
{
    return (uint32_t)((uint64_t)towers * i / n);
}

static uint16_t *make_axis_table(phx_mem *mem, uint32_t towers, uint32_t n)
{
    uint16_t *of = phx_alloc(mem, towers * sizeof *of, PHX_CACHE_LINE);
    for (uint32_t part = 0; of && part < n; part++)
        for (uint32_t t = part_first(towers, n, part); t < part_first(towers, n, part + 1); t++) of[t] = (uint16_t)part;
    return of;
}

bool phx_partition_init(phx_partition *partition, phx_mem *mem, const uint32_t towers[2], const uint32_t shards[2])
{
    PHX_ASSERT(shards[0] <= towers[0] && shards[1] <= towers[1]);
    *partition = (phx_partition){.columns = shards[0], .rows = shards[1], .towers = {towers[0], towers[1]}};
    partition->column_of = make_axis_table(mem, towers[0], shards[0]);
    partition->row_of = make_axis_table(mem, towers[1], shards[1]);
    if (partition->column_of && partition->row_of) return true;
    phx_partition_free(partition, mem);
    return false;
}

void phx_partition_free(phx_partition *partition, phx_mem *mem)
{
    phx_free(mem, partition->column_of, partition->towers[0] * sizeof(uint16_t), PHX_CACHE_LINE);
    phx_free(mem, partition->row_of, partition->towers[1] * sizeof(uint16_t), PHX_CACHE_LINE);
    *partition = (phx_partition){0};
}

phx_rect phx_partition_rect(const phx_partition *partition, uint32_t shard)
{
    uint32_t column = shard % partition->columns, row = shard / partition->columns;
    return (phx_rect){(uint16_t)part_first(partition->towers[0], partition->columns, column),
                      (uint16_t)part_first(partition->towers[1], partition->rows, row),
                      (uint16_t)(part_first(partition->towers[0], partition->columns, column + 1) - 1),
                      (uint16_t)(part_first(partition->towers[1], partition->rows, row + 1) - 1)};
}

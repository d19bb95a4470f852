/*
 * Sets of regions; see region_set.h.
 */
#include "cluster/halo/region_set.h"

uint32_t phx_region_set_next(const phx_region_set *set, uint32_t from)
{
    for (uint32_t word = from / 64; word < PHX_REGION_SET_WORDS; word++) {
        const uint64_t bits = set->words[word] & (word == from / 64 ? ~0ull << from % 64 : ~0ull);
        if (bits != 0) return word * 64 + (uint32_t)__builtin_ctzll(bits);
    }
    return PHX_CLUSTER_REGIONS_MAX;
}

uint32_t phx_region_set_count(const phx_region_set *set)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < PHX_REGION_SET_WORDS; i++) count += (uint32_t)__builtin_popcountll(set->words[i]);
    return count;
}

phx_region_set phx_region_set_of(const phx_cluster_map *map, uint16_t number)
{
    phx_region_set set = {0};
    for (uint32_t i = 0; i < map->region_count; i++)
        if (map->regions[i].number == number) phx_region_set_add(&set, i);
    return set;
}

void phx_region_set_add_around(phx_region_set *set, const phx_region_grid *grid, uint32_t region, float width)
{
    const phx_region_rect rect = phx_halo_rect_around(grid, region, width);
    for (uint32_t row = rect.row; row < rect.row + rect.rows; row++)
        for (uint32_t column = rect.column; column < rect.column + rect.columns; column++)
            phx_region_set_add(set, row * grid->columns + column);
}

/* Does that row go on from and to the same columns? */
static bool is_same_row(const phx_region_set *set, const phx_region_grid *grid, const phx_region_rect *rect,
                        uint32_t row)
{
    const uint32_t first = row * grid->columns + rect->column, end = rect->column + rect->columns;
    if (rect->column > 0 && phx_region_set_has(set, first - 1)) return false;
    if (end < grid->columns && phx_region_set_has(set, first + rect->columns)) return false;
    for (uint32_t i = 0; i < rect->columns; i++)
        if (!phx_region_set_has(set, first + i)) return false;
    return true;
}

bool phx_region_set_take(phx_region_set *set, const phx_region_grid *grid, phx_region_rect *rect)
{
    const uint32_t first = phx_region_set_next(set, 0);
    if (first == PHX_CLUSTER_REGIONS_MAX) return false;
    *rect = (phx_region_rect){.column = first % grid->columns, .row = first / grid->columns, .columns = 1, .rows = 1};
    while (rect->column + rect->columns < grid->columns && phx_region_set_has(set, first + rect->columns))
        rect->columns++;
    while (rect->row + rect->rows < grid->rows && is_same_row(set, grid, rect, rect->row + rect->rows)) rect->rows++;
    for (uint32_t row = rect->row; row < rect->row + rect->rows; row++)
        for (uint32_t i = 0, at = row * grid->columns + rect->column; i < rect->columns; i++, at++)
            set->words[at / 64] &= ~(1ull << at % 64);
    return true;
}

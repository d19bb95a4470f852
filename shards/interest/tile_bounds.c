/*
 * The bounds of a tile's targets; see tile_bounds.h. Interest phase, any worker.
 */
#include "shards/interest/tile_bounds.h"

void phx_tile_bounds_free(phx_tile_bounds *bounds, phx_mem *mem)
{
    phx_release(mem, (void **)&bounds->words, &bounds->words_capacity, sizeof(uint32_t));
}

bool phx_tile_bounds_reserve(phx_tile_bounds *bounds, phx_mem *mem, size_t rows, size_t cells)
{
    enum { COLUMNS = 7 };
    const size_t column = rows + PHX_KERNEL_PAD;
    if (!phx_grow(mem, (void **)&bounds->words, &bounds->words_capacity, 0, COLUMNS * column + 2 * cells + 1,
                  sizeof(uint32_t)))
        return false;
    uint32_t *words = bounds->words;
    bounds->by_place = (float *)words;
    bounds->picked = (float *)(words + column);
    bounds->rows = (phx_tile_candidates){words + 2 * column, words + 3 * column, words + 4 * column,
                                         (float *)(words + 5 * column), words + 6 * column};
    bounds->start = words + COLUMNS * column;
    return true;
}

void phx_tile_bounds_count(phx_tile_bounds *bounds, uint32_t rows)
{
    const float *bound = bounds->by_place;
    uint32_t count = 0;
    for (uint32_t i = 0; i < rows; i++) count += bound[i] < PHX_TILE_REACH;
    bounds->count = count;
}

void phx_tile_bounds_part(phx_tile_bounds *bounds, const phx_tile_candidates *from, const uint32_t *start,
                          uint32_t cells)
{
    const phx_tile_candidates to = bounds->rows;
    uint32_t *part = bounds->start, free_at = 0, bounded_at = start[cells] - bounds->count;
    float most = 0.0f;
    for (uint32_t c = 0; c < cells; c++) {
        part[c] = free_at;
        part[cells + c] = bounded_at;
        for (uint32_t i = start[c]; i < start[c + 1]; i++) { /* no branch: bounds are in no order */
            const uint32_t bounded = from->bound[i] < PHX_TILE_REACH, at = bounded ? bounded_at : free_at;
            to.now[at] = from->now[i];
            to.old[at] = from->old[i];
            to.target[at] = from->target[i];
            to.bound[at] = from->bound[i];
            if (from->height) to.height[at] = from->height[i];
            most = bounded && from->bound[i] > most ? from->bound[i] : most;
            bounded_at += bounded;
            free_at += !bounded;
        }
    }
    part[2 * (size_t)cells] = bounded_at;
    bounds->most = most;
    PHX_ASSERT(bounded_at == start[cells] && free_at == start[cells] - bounds->count);
}

/*
 * Costs by cell; see costs.h.
 */
#include "world/monitor/costs.h"

#include <string.h>

#include "world/monitor/shown.h"

enum {
    COST_PLACES = 8, /* of a chunk: a chunk is of a few towers that lie together */
    AHEAD = 4        /* chunks: first their rows, then their bodies are fetched, each far from the ones before */
};

static uint32_t cost_places(const phx_chunk *chunk)
{
    return chunk->count < COST_PLACES ? chunk->count : COST_PLACES;
}

static uint32_t row_of(const phx_chunk *chunk, uint32_t place)
{
    return chunk->first + (uint32_t)((uint64_t)chunk->count * place / cost_places(chunk));
}

static bool has_cost(const phx_world *world, const phx_chunk *chunk)
{
    return chunk->counts.pairs_tested > 0 && world->shards[chunk->shard].storage->has_deltas;
}

static void fetch_rows(const phx_world *world, const phx_chunk *chunk)
{
    const phx_grid_rows *rows = &world->shards[chunk->shard].grid.rows;
    for (uint32_t i = 0; has_cost(world, chunk) && i < cost_places(chunk); i++)
        __builtin_prefetch(&rows->slot[row_of(chunk, i)]);
}

static void fetch_bodies(const phx_world *world, const phx_chunk *chunk)
{
    const phx_shard *shard = &world->shards[chunk->shard];
    for (uint32_t i = 0; has_cost(world, chunk) && i < cost_places(chunk); i++) {
        const phx_row_word word = phx_row_word_at(shard->grid.rows.slot, row_of(chunk, i));
        if (!phx_row_word_is_gap(word)) __builtin_prefetch(&shard->store.body[phx_row_word_slot(word)]);
    }
}

/* Spreads the compared distances of a chunk over some of its rows. */
static void add_cost(const phx_world *world, const phx_shown *shown, const phx_chunk *chunk, uint32_t *costs)
{
    const phx_shard *shard = &world->shards[chunk->shard];
    const phx_store *store = &shard->store;
    const uint32_t places = cost_places(chunk);
    for (uint32_t i = 0; i < places; i++) {
        const phx_row_word word = phx_row_word_at(shard->grid.rows.slot, row_of(chunk, i));
        const uint32_t slot = phx_row_word_slot(word);
        if (phx_row_word_is_gap(word) || !phx_shown_has(shown, store, slot)) continue;
        const phx_body *body = &store->body[slot];
        costs[phx_shown_cell(phx_shown_x(shown, body->x), phx_shown_y(shown, body->y))] +=
            (uint32_t)(chunk->counts.pairs_tested / places);
    }
}

void phx_costs_fill(const phx_world *world, phx_monitor *monitor)
{
    const phx_shown shown = phx_shown_of(&monitor->frame.view);
    uint32_t *costs = monitor->grid_costs;
    if (!(monitor->frame.view.flags & PH_MONITOR_GRID)) return;
    memset(costs, 0, (size_t)PH_MONITOR_CELLS * PH_MONITOR_CELLS * sizeof *costs);
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        const phx_chunk *chunk = &world->chunks[i];
        if (i + 2 * AHEAD < world->chunk_count) fetch_rows(world, chunk + 2 * AHEAD);
        if (i + AHEAD < world->chunk_count) fetch_bodies(world, chunk + AHEAD);
        if (has_cost(world, chunk)) add_cost(world, &shown, chunk, costs);
    }
}

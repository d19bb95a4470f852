/*
 * Costs by cell; see costs.h.
 */
#include "world/monitor/costs.h"

#include <string.h>

#include "world/monitor/shown.h"

enum {
    AHEAD = 4, /* chunks: first their rows, then their bodies are fetched, each far from the ones before */
    TRIES = 4  /* entries that are looked at for one observer */
};

static uint32_t cost_places(const phx_chunk *chunk)
{
    return chunk->count < PHX_COST_PLACES ? chunk->count : PHX_COST_PLACES;
}

static uint32_t row_of(const phx_chunk *chunk, uint32_t place)
{
    return chunk->first + (uint32_t)((uint64_t)chunk->count * place / cost_places(chunk));
}

static bool has_row_cost(const phx_world *world, const phx_chunk *chunk)
{
    return chunk->counts.pairs_tested > 0 && world->shards[chunk->shard].storage->has_deltas;
}

static void fetch_rows(const phx_world *world, const phx_chunk *chunk)
{
    const phx_grid_rows *rows = &world->shards[chunk->shard].grid.rows;
    for (uint32_t i = 0; has_row_cost(world, chunk) && i < cost_places(chunk); i++)
        __builtin_prefetch(&rows->slot[row_of(chunk, i)]);
}

static void fetch_bodies(const phx_world *world, const phx_chunk *chunk)
{
    const phx_shard *shard = &world->shards[chunk->shard];
    for (uint32_t i = 0; has_row_cost(world, chunk) && i < cost_places(chunk); i++) {
        const phx_row_word word = phx_row_word_at(shard->grid.rows.slot, row_of(chunk, i));
        if (!phx_row_word_is_gap(word)) __builtin_prefetch(&shard->store.body[phx_row_word_slot(word)]);
    }
}

/* Adds a part of the chunk's compared distances where the entity is, if it is shown. */
static void add_at(const phx_shown *shown, const phx_store *store, uint32_t slot, uint64_t pairs, uint32_t *costs)
{
    const phx_body *body = &store->body[slot];
    if (phx_shown_has(shown, store, slot))
        costs[phx_shown_cell(phx_shown_x(shown, body->x), phx_shown_y(shown, body->y))] += (uint32_t)pairs;
}

/* ---- entries of tasks ---- */

static void keep_observer(void *user, uint32_t slot, bool block)
{
    phx_chunk *chunk = user;
    (void)block;
    PHX_ASSERT(chunk->observer_count < PHX_COST_PLACES);
    chunk->observers[chunk->observer_count++] = slot;
}

void phx_costs_note(const phx_world *world, phx_chunk *chunk)
{
    phx_shard *shard = &world->shards[chunk->shard];
    if (shard->storage->has_deltas || shard->storage->items_are_slots || chunk->counts.pairs_tested == 0) return;
    const uint32_t places = chunk->done < PHX_COST_PLACES ? chunk->done : PHX_COST_PLACES;
    chunk->observer_count = 0;
    for (uint32_t i = 0; i < places; i++) {
        uint32_t item = chunk->first + (uint32_t)((uint64_t)chunk->done * i / places);
        const uint32_t end = chunk->first + (uint32_t)((uint64_t)chunk->done * (i + 1) / places);
        const uint32_t before = chunk->observer_count;
        for (uint32_t t = 0; t < TRIES && item < end && chunk->observer_count == before; t++, item++)
            shard->storage->visit_undone(NULL, shard, item, 1, keep_observer, chunk);
    }
}

static void add_noted(const phx_world *world, const phx_shown *shown, const phx_chunk *chunk, uint32_t *costs)
{
    const uint32_t count = world->notes_costs ? chunk->observer_count : 0; /* else they are of an earlier tick */
    for (uint32_t i = 0; i < count; i++)
        add_at(shown, &world->shards[chunk->shard].store, chunk->observers[i],
               chunk->counts.pairs_tested / chunk->observer_count, costs);
}

/* ---- slots ---- */

/* The likely part of an observer's evaluation in a sum. 0: it is no observer. */
static uint64_t weight_of(const phx_store *store, uint32_t slot)
{
    const bool observes = (store->body[slot].state & PHX_SLOT_OWN) && phx_store_attr(store, slot)->view != 0.0f;
    return observes ? 1u + store->tail[slot].list.count : 0;
}

static void add_slots(const phx_world *world, const phx_shown *shown, const phx_chunk *chunk, uint32_t *costs)
{
    const phx_store *store = &world->shards[chunk->shard].store;
    uint64_t sum = 0;
    for (uint32_t slot = chunk->first; slot < chunk->first + chunk->done; slot++) sum += weight_of(store, slot);
    for (uint32_t slot = chunk->first; sum > 0 && slot < chunk->first + chunk->done; slot++) {
        const uint64_t weight = weight_of(store, slot);
        if (weight > 0) add_at(shown, store, slot, chunk->counts.pairs_tested * weight / sum, costs);
    }
}

/* ---- rows ---- */

/* Spreads the compared distances of a chunk over some of its rows. */
static void add_rows(const phx_world *world, const phx_shown *shown, const phx_chunk *chunk, uint32_t *costs)
{
    const phx_shard *shard = &world->shards[chunk->shard];
    const phx_store *store = &shard->store;
    const uint32_t places = cost_places(chunk);
    for (uint32_t i = 0; i < places; i++) {
        const phx_row_word word = phx_row_word_at(shard->grid.rows.slot, row_of(chunk, i));
        const uint32_t slot = phx_row_word_slot(word);
        if (!phx_row_word_is_gap(word)) add_at(shown, store, slot, chunk->counts.pairs_tested / places, costs);
    }
}

static void add_cost(const phx_world *world, const phx_shown *shown, const phx_chunk *chunk, uint32_t *costs)
{
    const phx_shard *shard = &world->shards[chunk->shard];
    if (chunk->counts.pairs_tested == 0) return;
    if (shard->storage->has_deltas) add_rows(world, shown, chunk, costs);
    else if (shard->storage->items_are_slots) add_slots(world, shown, chunk, costs);
    else add_noted(world, shown, chunk, costs);
}

void phx_costs_fill(const phx_world *world, phx_monitor *monitor)
{
    const phx_shown shown = phx_shown_of(&monitor->frame.view);
    uint32_t *costs = monitor->grid_costs;
    if (!(monitor->frame.view.flags & PH_MONITOR_GRID)) return;
    if (monitor->renewed != PHX_PARTS_ALL && monitor->renewed != 0) return; /* the ones of an earlier frame */
    memset(costs, 0, (size_t)PH_MONITOR_CELLS * PH_MONITOR_CELLS * sizeof *costs);
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        const phx_chunk *chunk = &world->chunks[i];
        if (i + 2 * AHEAD < world->chunk_count) fetch_rows(world, chunk + 2 * AHEAD);
        if (i + AHEAD < world->chunk_count) fetch_bodies(world, chunk + AHEAD);
        add_cost(world, &shown, chunk, costs);
    }
}

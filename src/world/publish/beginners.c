/*
 * Finds beginners without a change; see beginners.h.
 */
#include "world/publish/beginners.h"

#include <string.h>

#include "shards/state/beginners.h"
#include "shards/state/storage.h"
#include "world/publish/change_counts.h"

enum {
    WORD_BITS = 64,
    STRIP_ROWS = 64 /* rows that share a bit: fewer than a chunk has */
};

static uint64_t bit_in_word(uint32_t number)
{
    return UINT64_C(1) << number % WORD_BITS;
}

/* Bits behind those of slots: for strips of rows. */
static uint64_t *strip_bits(const phx_world *world, const phx_shard *shard)
{
    return world->begin_bits + shard->store.slots / WORD_BITS + 1;
}

/* Sets bits for the strips of the block that has the row: its observers may be run in any order. */
static void mark_block(phx_world *world, const phx_shard *shard, uint32_t row)
{
    const phx_block *block = &shard->grid.blocks[phx_grid_block_at(&shard->grid, row)];
    const uint32_t last = (block->start[PHX_BLOCK_TOWERS] - 1) / STRIP_ROWS;
    uint64_t *bits = strip_bits(world, shard);
    for (uint32_t strip = block->start[0] / STRIP_ROWS; strip <= last; strip++)
        bits[strip / WORD_BITS] |= bit_in_word(strip);
}

/* Sets a bit for each beginner's slot of the shard, and for strips where its change may be. false = no memory. */
static bool mark_beginners(phx_world *world, const phx_shard *shard)
{
    const bool has_rows = shard->storage->has_deltas;
    const uint32_t strips = has_rows ? shard->grid.row_end / STRIP_ROWS + 1 : 0;
    const size_t words = (size_t)shard->store.slots / WORD_BITS + 1 + strips / WORD_BITS + 1;
    if (!phx_grow(&world->mem, (void **)&world->begin_bits, &world->begin_bits_capacity, 0, words,
                  sizeof *world->begin_bits))
        return false;
    memset(world->begin_bits, 0, words * sizeof *world->begin_bits);
    for (uint32_t i = 0; i < shard->beginners.count; i++) {
        const uint32_t slot = shard->beginners.at[i];
        if (!phx_shard_begins(shard, slot)) continue;
        world->begin_bits[slot / WORD_BITS] |= bit_in_word(slot);
        if (has_rows) mark_block(world, shard, shard->store.body[slot].row);
    }
    return true;
}

/* May a beginner have its change in the chunk? */
static bool has_beginner(const phx_world *world, const phx_shard *shard, const phx_chunk *chunk)
{
    if (chunk->shard != shard->number || chunk->change_count == 0) return false;
    if (!shard->storage->has_deltas || chunk->count == 0) return true; /* no rows: or of beginners, by a first call */
    const uint64_t *bits = strip_bits(world, shard);
    const uint32_t last = (chunk->first + chunk->count - 1) / STRIP_ROWS;
    for (uint32_t strip = chunk->first / STRIP_ROWS; strip <= last; strip++)
        if (bits[strip / WORD_BITS] & bit_in_word(strip)) return true;
    return false;
}

/* Clears the bits of observers with a change: the fill adds PH_CHANGE_FRESH there. */
static void unmark_changed(phx_world *world, const phx_shard *shard)
{
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        const phx_chunk *chunk = &world->chunks[i];
        if (!has_beginner(world, shard, chunk)) continue;
        const phx_change *changes = world->scratch[chunk->worker].changes + chunk->change_first;
        for (uint32_t c = 0; c < chunk->change_count; c++) { /* few begin */
            uint64_t *bits = &world->begin_bits[changes[c].slot / WORD_BITS];
            const uint64_t bit = bit_in_word(changes[c].slot);
            if (PHX_UNLIKELY(*bits & bit) && phx_change_is_delivered(&changes[c])) *bits &= ~bit;
        }
    }
}

/* Adds changes for the remaining bits, and clears them. There is room. Returns how many. */
static uint32_t add_changes(phx_world *world, const phx_shard *shard)
{
    phx_scratch *scratch = &world->scratch[0];
    uint32_t count = 0;
    for (uint32_t i = 0; i < shard->beginners.count; i++) {
        const uint32_t slot = shard->beginners.at[i];
        if (!(world->begin_bits[slot / WORD_BITS] & bit_in_word(slot))) continue;
        world->begin_bits[slot / WORD_BITS] &= ~bit_in_word(slot);
        phx_interest_add_change(scratch, slot, scratch->target_count, 0, 0)->flags = PH_CHANGE_FRESH;
        count++;
    }
    return count;
}

/* Makes a chunk of the shard's beginners, behind all others. A second call finds no beginner of the first one. */
static bool begin_shard(phx_world *world, const phx_shard *shard)
{
    phx_scratch *scratch = &world->scratch[0];
    phx_chunk chunk = {.shard = shard->number, .change_first = scratch->change_count};
    if (!mark_beginners(world, shard)) return false;
    unmark_changed(world, shard);
    if (!phx_interest_reserve_changes(scratch, shard->beginners.count, 0) || !phx_add_chunk(world, chunk)) return false;
    if (!phx_publish_room(world)) {
        world->chunk_count--;
        return false;
    }
    const uint32_t number = world->chunk_count - 1;
    world->chunks[number].change_count = add_changes(world, shard);
    phx_publish_count(world, number);
    return true;
}

bool phx_publish_beginners(phx_world *world)
{
    if (world->def.consumers == 0) return true;
    for (uint32_t i = 0; i < world->shard_count; i++)
        if (world->shards[i].beginners.count > 0 && !begin_shard(world, &world->shards[i])) return false;
    return true;
}

/*
 * Finds beginners without a change; see beginners.h.
 */
#include "world/publish/beginners.h"

#include <string.h>

#include "shards/state/beginners.h"
#include "world/publish/change_counts.h"

enum { WORD_BITS = 64 };

static uint64_t slot_bit(uint32_t slot)
{
    return UINT64_C(1) << slot % WORD_BITS;
}

/* Sets a bit for each beginner's slot of the shard. false = no memory. */
static bool mark_beginners(phx_world *world, const phx_shard *shard)
{
    const size_t words = shard->store.slots / WORD_BITS + 1;
    if (!phx_grow(&world->mem, (void **)&world->begin_bits, &world->begin_bits_capacity, 0, words,
                  sizeof *world->begin_bits))
        return false;
    memset(world->begin_bits, 0, words * sizeof *world->begin_bits);
    for (uint32_t i = 0; i < shard->beginners.count; i++) {
        const uint32_t slot = shard->beginners.at[i];
        if (phx_shard_begins(shard, slot)) world->begin_bits[slot / WORD_BITS] |= slot_bit(slot);
    }
    return true;
}

/* Clears the bits of observers with a change: the fill adds PH_CHANGE_FRESH there. */
static void unmark_changed(phx_world *world, const phx_shard *shard)
{
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        const phx_chunk *chunk = &world->chunks[i];
        if (chunk->shard != shard->number || chunk->change_count == 0) continue;
        const phx_change *changes = world->scratch[chunk->worker].changes + chunk->change_first;
        for (uint32_t c = 0; c < chunk->change_count; c++) { /* few begin */
            uint64_t *bits = &world->begin_bits[changes[c].slot / WORD_BITS];
            const uint64_t bit = slot_bit(changes[c].slot);
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
        if (!(world->begin_bits[slot / WORD_BITS] & slot_bit(slot))) continue;
        world->begin_bits[slot / WORD_BITS] &= ~slot_bit(slot);
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

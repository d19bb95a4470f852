/*
 * A shard is made and freed, with all its parts; see shard.h. By the world's owner, when no tick is open.
 */
#include "shards/state/shard.h"

#include <string.h>

#include "shards/simd/dispatch.h"
#include "shards/state/immigrant_lists.h"
#include "shards/state/storage.h"
#include "shards/state/update_bands.h"

void phx_shard_set_rect(phx_shard *shard, phx_rect rect)
{
    const float side = shard->rules->tower_size;
    shard->rect = rect;
    shard->drift_limit = side / 4;
    shard->step_limit = side / 4; /* with longer steps every row query would reach a tower farther */
    shard->step_usual = shard->step_limit;
    shard->move_constants = phx_move_constants_of(shard);
}

bool phx_shard_init(phx_shard *shard, phx_mem *mem, const phx_rules *rules, const phx_storage *storage, uint32_t number,
                    uint32_t shard_count, phx_rect rect)
{
    *shard = (phx_shard){.mem = mem, .rules = rules, .storage = storage, .rules_storage = storage, .number = number};
    phx_shard_set_rect(shard, rect);
    shard->kernels = phx_kernels_of(rules->simd);
    shard->flat = shard->flat_before = rules->shape == PH_SHAPE_CIRCLE || rules->shape == PH_SHAPE_SQUARE;
    phx_store_init(&shard->store, mem);
    phx_list_pool_init(&shard->lists);
    phx_relations_init(&shard->relations);
    phx_prev_rows_init(&shard->previous, mem);
    phx_zones_init(&shard->zones, mem);
    phx_bands_init(&shard->bands);
    shard->previous.shape = rules->shape;
    shard->previous.height = rules->height;
    shard->old_heights.known = true;
    phx_outbox_init(&shard->outbox, mem, shard_count);
    if (phx_grid_init(&shard->grid, mem, rules->towers) && storage->make(shard)) return true;
    phx_shard_free(shard, shard_count);
    return false;
}

void phx_shard_free(phx_shard *shard, uint32_t shard_count)
{
    phx_mem *mem = shard->mem;
    phx_store_free(&shard->store, mem);
    phx_grid_free(&shard->grid, mem);
    shard->rules_storage->free(shard);
    phx_prev_rows_free(&shard->previous, mem);
    phx_release(mem, (void **)&shard->old_heights.at, &shard->old_heights.capacity, sizeof(float));
    phx_zones_free(&shard->zones, mem);
    phx_list_pool_free(&shard->lists, mem);
    phx_release(mem, (void **)&shard->list_cuts.at, &shard->list_cuts.capacity, sizeof *shard->list_cuts.at);
    phx_release(mem, (void **)&shard->annuli, &shard->annuli_capacity, sizeof *shard->annuli);
    phx_deferred_free(&shard->deferred, mem);
    phx_applied_free(&shard->applied, mem);
    phx_relations_free(&shard->relations, mem);
    phx_far_free(&shard->far, mem);
    phx_bands_free(&shard->bands, mem);
    phx_outbox_free(&shard->outbox);
    phx_release(mem, (void **)&shard->emigrant_candidates.at, &shard->emigrant_candidates.capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&shard->beginners.at, &shard->beginners.capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&shard->partial_observers.at, &shard->partial_observers.capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&shard->emigrant_list_first.at, &shard->emigrant_list_first.capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&shard->list_scratch.at, &shard->list_scratch.capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&shard->immigrants.at, &shard->immigrants.capacity, sizeof(uint32_t));
    phx_immigrant_lists_free(&shard->immigrant_lists, mem);
    phx_release(mem, (void **)&shard->pins, &shard->pins_capacity, sizeof(phx_pin));
    phx_release(mem, (void **)&shard->pins_before, &shard->pins_before_capacity, sizeof(phx_pin));
    phx_release(mem, (void **)&shard->silenced, &shard->silenced_capacity, sizeof(phx_silenced));
    phx_free(mem, shard->begun, shard_count, PHX_CACHE_LINE);
    phx_free(mem, shard->sent, shard_count, PHX_CACHE_LINE);
    phx_free(mem, shard->refreshed, shard_count, PHX_CACHE_LINE);
    phx_release(mem, (void **)&shard->neighbour_halos, &shard->neighbour_capacity, sizeof *shard->neighbour_halos);
    shard->begun = shard->sent = shard->refreshed = NULL;
}

phx_move_constants phx_move_constants_of(const phx_shard *shard)
{
    const phx_rules *rules = shard->rules;
    const bool lighthouse = rules->index == PH_INDEX_LIGHTHOUSE && shard->storage == shard->rules_storage;
    const bool ninegrid = lighthouse && rules->range == PH_RANGE_TOWERS, rows = lighthouse && !ninegrid;
    phx_rect rect = shard->rect;
    return (phx_move_constants){.origin = {rules->origin[0], rules->origin[1], 0.0f, 0.0f},
                                .tower_size = {rules->tower_size, rules->tower_size, 1.0f, 1.0f},
                                .low = {rect.x0, rect.y0, -INFINITY, -INFINITY},
                                .high = {(float)rect.x1 + 1.0f, (float)rect.y1 + 1.0f, INFINITY, INFINITY},
                                .last = {nextafterf((float)rules->towers[0], 0.0f),
                                         nextafterf((float)rules->towers[1], 0.0f), INFINITY, INFINITY},
                                .block_bits = ninegrid ? ~0u
                                              : rows   ? PHX_OFF_BLOCK_BITS
                                                       : 0,
                                .ninegrid = ninegrid,
                                .rows = rows};
}

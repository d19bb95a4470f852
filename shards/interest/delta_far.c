/*
 * Targets with a reach in a delta; see delta_far.h.
 */
#include "shards/interest/delta_far.h"

static bool is_square(const phx_shard *shard)
{
    return shard->rules->shape == PH_SHAPE_SQUARE;
}

bool phx_delta_far_due(const phx_tile *tile, uint32_t row, float view, float margin)
{
    const phx_grid_rows *rows = &tile->shard->grid.rows;
    const uint32_t slot = phx_row_slot(rows, row);
    const bool square = is_square(tile->shard);
    for (uint32_t i = 0; i < tile->far.crossing; i++) {
        const phx_far_item *item = &tile->far.items[i];
        if (item->reach > view && item->slot != slot && phx_far_item_crosses(item, rows, row, square, margin))
            return true;
    }
    return false;
}

void phx_delta_far_derive(const phx_tile *tile, uint32_t row, const phx_relation_set *related, phx_delta_hits *hits)
{
    const phx_shard *shard = tile->shard;
    const phx_store *store = &shard->store;
    const uint32_t slot = phx_row_slot(&shard->grid.rows, row);
    const phx_attr *attr = phx_store_attr(store, slot);
    const bool square = is_square(shard);
    for (uint32_t i = 0; i < tile->far.crossing; i++) {
        const phx_far_item *item = &tile->far.items[i];
        const phx_attr *target = phx_store_attr(store, item->slot);
        if (!(item->reach > attr->view) || item->slot == slot || phx_related_to(shard, related, item->slot)) continue;
        if (!phx_far_item_crosses(item, &shard->grid.rows, row, square, 0.0f) || !phx_layers_match(attr, target))
            continue;
        const bool enters =
            phx_rule_sees(shard->rules, &store->body[slot], attr, &store->body[item->slot], target, NULL, false);
        if (enters) hits->enter[hits->enter_count++] = item->slot;
        else hits->leave[hits->leave_count++] = item->slot;
    }
}

void phx_delta_far_decide(const phx_scratch *scratch, const phx_shard *shard, uint32_t row,
                          const phx_relation_set *related, phx_delta_hits *hits)
{
    const phx_store *store = &shard->store;
    const phx_grid_rows *rows = &shard->grid.rows;
    const uint32_t slot = phx_row_slot(rows, row);
    const phx_attr *attr = phx_store_attr(store, slot);
    const phx_list *list = &store->tail[slot].list;
    const uint32_t *entries = phx_list_entries(&shard->lists, list);
    const phx_far_items *far = &scratch->tile.far;
    const bool square = is_square(shard);
    for (uint32_t i = 0; i < far->crossing; i++) {
        const phx_far_item *item = &far->items[i];
        const uint32_t target = item->slot;
        if (!(item->reach > attr->view) || target == slot) continue;
        if (!phx_far_item_crosses(item, rows, row, square, attr->margin)) continue;
        const uint32_t at = related ? shard->kernels->find_u32(scratch->related, related->count, target) : 0;
        const phx_relation *relation = related && at < related->count ? &related->items[at] : NULL;
        if (relation && (relation->bits & PHX_RELATION_FAR)) continue;
        const bool listed = shard->kernels->find_u32(entries, list->count, target) < list->count;
        const bool sees = phx_rule_sees(shard->rules, &store->body[slot], attr, &store->body[target],
                                        phx_store_attr(store, target), relation, listed);
        if (sees && !listed) hits->enter[hits->enter_count++] = target;
        if (listed && !sees) hits->leave[hits->leave_count++] = target;
    }
}

/*
 * Targets with a reach in a delta; see delta_far.h.
 */
#include "shards/interest/delta_far.h"

/*
 * Adds a discontinuous target that the observer of a row sees from beyond its view now, and one that it saw so before;
 * a target may be both.
 */
static void derive_changed(const phx_shard *shard, const phx_far_item *item, uint32_t row, phx_delta_hits *hits)
{
    const phx_store *store = &shard->store;
    const phx_grid_rows *rows = &shard->grid.rows;
    const uint32_t slot = phx_row_slot(rows, row), target = item->slot;
    const phx_attr *attr = phx_store_attr(store, slot), *now = phx_store_attr(store, target);
    const float old_z = shard->uneven ? shard->old_heights.at[slot] : 0.0f; /* else heights are not compared */
    const phx_far_offset off = {item->old_x - rows->ox[row], item->old_y - rows->oy[row], item->old_z - old_z};
    if (item->reach > attr->view &&
        phx_rule_sees(shard->rules, &store->body[slot], attr, &store->body[target], now, NULL, false))
        hits->enter[hits->enter_count++] = target;
    if (item->old_reach > attr->view &&
        phx_far_within(off, item->old_reach, phx_shard_delta_shape(shard), shard->rules->height) &&
        phx_layers_match(attr, phx_prev_rows_attr_of(&shard->previous, store, target)))
        hits->leave[hits->leave_count++] = target;
}

void phx_delta_far_derive(const phx_tile *tile, uint32_t row, const phx_relation_set *related, phx_delta_hits *hits)
{
    const phx_far_items *far = &tile->far;
    const phx_shard *shard = tile->shard;
    const phx_store *store = &shard->store;
    const uint32_t slot = phx_row_slot(&shard->grid.rows, row);
    const phx_attr *attr = phx_store_attr(store, slot);
    for (uint32_t i = 0; i < far->due_count; i++) {
        const phx_far_item *item = &far->items[far->due[i]];
        const phx_attr *target = phx_store_attr(store, item->slot);
        if (phx_related_to(shard, related, item->slot)) continue;
        if (item->changed) {
            derive_changed(shard, item, row, hits);
            continue;
        }
        if (!phx_layers_match(attr, target)) continue;
        const bool enters =
            phx_rule_sees(shard->rules, &store->body[slot], attr, &store->body[item->slot], target, NULL, false);
        if (enters) hits->enter[hits->enter_count++] = item->slot;
        else hits->leave[hits->leave_count++] = item->slot;
    }
}

/* Is the target, which is discontinuous, among the leaving words already, as its previous row was in view? */
static bool leaves_near(const phx_delta_hits *hits, uint32_t target)
{
    for (uint32_t i = 0; i < hits->leave_count; i++)
        if (phx_target_word_slot(phx_target_word_at(hits->leave, i)) == target) return true;
    return false;
}

void phx_delta_far_decide(phx_scratch *scratch, const phx_shard *shard, uint32_t row, const phx_relation_set *related,
                          phx_delta_hits *hits)
{
    const phx_store *store = &shard->store;
    const phx_grid_rows *rows = &shard->grid.rows;
    const uint32_t slot = phx_row_slot(rows, row);
    const phx_attr *attr = phx_store_attr(store, slot);
    const phx_list *list = &store->tail[slot].list;
    const uint32_t *entries = phx_list_entries(&shard->lists, list);
    phx_far_items *far = &scratch->tile.far;
    phx_far_items_find(far, shard, row, attr->view, attr->margin);
    for (uint32_t i = 0; i < far->due_count; i++) {
        const phx_far_item *item = &far->items[far->due[i]];
        const uint32_t target = item->slot;
        const uint32_t at = related ? shard->kernels->find_u32(scratch->related, related->count, target) : 0;
        const phx_relation *relation = related && at < related->count ? &related->items[at] : NULL;
        if (relation && phx_related_decides(shard, related, relation)) continue;
        const bool listed = shard->kernels->find_u32(entries, list->count, target) < list->count;
        const bool sees = (store->body[target].state & PHX_SLOT_LIVE) &&
                          phx_rule_sees(shard->rules, &store->body[slot], attr, &store->body[target],
                                        phx_store_attr(store, target), relation, listed);
        if (sees && !listed && item->reach > attr->view) hits->enter[hits->enter_count++] = target;
        if (listed && !sees && !(item->changed && leaves_near(hits, target))) hits->leave[hits->leave_count++] = target;
    }
}

/* Widens the box by these observers. */
static void add_observers(phx_far_box *box, const phx_tile *tile, phx_tile_observers of)
{
    for (uint32_t w = 0; w < of.count; w++) phx_far_box_add(box, tile->shard, tile->row[of.place[w]]);
}

/* Widens the box by the rows of all these places. */
static void add_places(phx_far_box *box, const phx_tile *tile, phx_span places)
{
    for (uint32_t place = places.first; place < places.end; place++) {
        const phx_tile_row_word row = phx_tile_row_word_at(tile->row, place);
        if (phx_tile_row_word_is_previous(row)) continue;
        phx_far_box_add(box, tile->shard, phx_tile_row_word_number(row));
    }
}

/*
 * Some observers, up to PHX_FAR_LANES, side by side; behind them the first one again. Discontinuous ones, which are not
 * asked about, have an old place, too. *stored: bits of observers with a stored list or a margin.
 */
static phx_far_observers lay_observers(const phx_tile *tile, const uint32_t *place, uint32_t count, uint32_t *stored)
{
    const phx_shard *shard = tile->shard;
    const phx_grid_rows *rows = &shard->grid.rows;
    phx_far_observers at;
    *stored = 0;
    for (uint32_t i = 0; i < PHX_FAR_LANES; i++) {
        const uint32_t row = tile->row[place[i < count ? i : 0]], slot = phx_row_slot(rows, row);
        const bool came = phx_row_discontinuous(rows, row);
        at.x[i] = rows->x[row], at.y[i] = rows->y[row];
        at.old_x[i] = came ? rows->x[row] : rows->ox[row], at.old_y[i] = came ? rows->y[row] : rows->oy[row];
        at.z[i] = shard->uneven ? shard->store.body[slot].z : 0.0f;
        at.old_z[i] = shard->uneven ? shard->old_heights.at[slot] : 0.0f;
        at.view[i] = rows->view[row];
        *stored |= (uint32_t)(rows->view[row] < 0.0f) << i;
    }
    return at;
}

/* Finds the observers that may have an event with a crossing item: sets due_row. Are there any? */
static bool find_far_observers(phx_tile *tile, phx_tile_observers of)
{
    phx_far_items *far = &tile->far;
    const phx_shard *shard = tile->shard;
    bool any = false;
    for (uint32_t i = 0, n; i < of.count; i += n) {
        uint32_t stored;
        n = of.count - i < PHX_FAR_LANES ? of.count - i : PHX_FAR_LANES;
        const phx_far_observers at = lay_observers(tile, of.place + i, n, &stored);
        const uint32_t due =
            stored | shard->kernels->find_far_observers(far->lanes, far->crossing, &at, phx_shard_delta_shape(shard),
                                                        shard->rules->height);
        for (uint32_t o = 0; o < n; o++) {
            const uint8_t bit = due >> o & 1;
            far->due_row[tile->row[of.place[i + o]] - far->first_row] = bit;
            any |= bit;
        }
    }
    return any;
}

bool phx_delta_far_any(phx_tile *tile, phx_tile_observers of)
{
    enum { TOGETHER = 32 }; /* places: they mostly stand in one cell or two */
    phx_far_items *far = &tile->far;
    phx_far_box box = phx_far_box_empty();
    if (far->count == 0) return false;
    if (!tile->annular || of.count == 0) {
        far->picked = (phx_span){0, 0};
        add_observers(&box, tile, of);
    } else {
        const uint32_t first = of.place[0], last = of.place[of.count - 1];
        if (first >= far->picked.first && last < far->picked.end) return far->crossing > 0;
        const uint32_t end = last - first < TOGETHER ? first + TOGETHER : last + 1;
        far->picked = (phx_span){first, end < tile->count ? end : tile->count};
        add_places(&box, tile, far->picked);
    }
    phx_far_items_pick(far, tile->shard, &box);
    if (far->crossing > 0 && !tile->annular && !find_far_observers(tile, of)) far->crossing = 0;
    return far->crossing > 0;
}

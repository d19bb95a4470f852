/*
 * Events of higher ranks; see cut_ranks.h.
 */
#include "shards/interest/cut_ranks.h"

#include "base/simd.h"

/*
 * Notes the event, if there is one, of a target that enters within the radius, and leaves beyond radius and margin:
 * between the two the list tells whether it was listed.
 */
static void note_crossing(phx_cut_list *at, uint32_t slot, phx_cut_squares square, float radius)
{
    const float in = radius * radius, keep = (radius + at->attr->margin) * (radius + at->attr->margin);
    const bool is = square.now <= in, stays = square.now <= keep, between = square.old > in && square.old <= keep;
    bool was = square.old <= in;
    if (was ? stays : !between && !is) return;
    if (between) {
        const uint32_t *entries = phx_list_entries(&at->shard->lists, at->list);
        was = at->shard->kernels->find_u32(entries, at->list->count, slot) < at->list->count;
    }
    at->scratch->enter[at->enters] = at->scratch->leave[at->leaves] = slot;
    at->enters += is && !was;
    at->leaves += was && !stays;
}

/* Finds the events of targets of higher ranks that are seen from beyond the view. */
static void find_far_events(phx_cut_list *at)
{
    const phx_far_items *far = &at->scratch->tile.far;
    const phx_grid_rows *rows = &at->shard->grid.rows;
    for (uint32_t i = 0; i < far->count; i++) {
        const phx_far_item *item = &far->items[i];
        const uint16_t rank = at->ranks->rank[at->shard->store.set[item->slot]];
        if (item->slot == at->slot || !phx_cut_rank_is_higher(at, rank) || !phx_cut_seen_beyond(at, item->slot))
            continue;
        if (at->related && phx_related_to(at->shard, at->related, item->slot)) continue;
        const float dx = item->x - rows->x[at->row], dy = item->y - rows->y[at->row];
        const float old_dx = item->old_x - rows->ox[at->row], old_dy = item->old_y - rows->oy[at->row];
        phx_cut_squares square = {dx * dx + dy * dy, old_dx * old_dx + old_dy * old_dy};
        if (at->shard->uneven) square = phx_cut_squares_level(at, square, item->z - at->z, item->old_z - at->old_z);
        note_crossing(at, item->slot, square, item->reach);
    }
}

bool phx_cut_find_higher(phx_cut_list *at)
{
    phx_scratch *scratch = at->scratch;
    const phx_grid_rows *rows = &at->shard->grid.rows;
    const double view = (double)at->attr->view;
    const phx_tile *tile = &scratch->tile;
    const uint16_t plain = phx_cut_rank_of_plain(at);
    const double keep = (double)(at->attr->view + at->attr->margin);
    const phx_cut_borders by = {.listed = phx_cut_square_below(view, tile),
                                .unlisted = phx_cut_square_above(keep, tile),
                                .stays = phx_cut_square_below(keep, tile),
                                .joins = phx_cut_square_above(view, tile)};
    if (at->shard->rules->shape == PH_SHAPE_SQUARE) return false;
    const uint32_t count = phx_cut_pick(at, view, keep, &by, scratch->hits);
    for (uint32_t i = 0; i < count; i++) {
        const phx_tile_row_word row = phx_tile_row_word_at(scratch->hits, i);
        if (PHX_UNLIKELY(phx_tile_row_word_is_previous(row))) continue; /* cut_discontinuous.c */
        const uint32_t target = phx_tile_row_word_number(row);
        const phx_row_word word = phx_row_word_at(rows->slot, target);
        const uint32_t slot = phx_row_word_slot(word);
        if (!phx_cut_rank_is_higher(at, phx_cut_rank_of_word(at, word, plain)) || phx_cut_seen_beyond(at, slot))
            continue;
        const phx_cut_squares square = phx_cut_squares_at(at, target, word);
        if (PHX_UNLIKELY(!(square.old >= 0.0f))) continue;
        if (at->related && phx_related_to(at->shard, at->related, slot)) continue;
        note_crossing(at, slot, square, at->attr->view);
    }
    find_far_events(at);
    return true;
}

/*
 * Discontinuous targets of a list that a cap cut; see cut_discontinuous.h.
 */
#include "shards/interest/cut_discontinuous.h"

#include "base/simd.h"

bool phx_cut_discontinuous_few(const phx_tile *tile)
{
    /* At some 5 ns each, 10 if a list of 100 is searched, as dear as an evaluation, which grows with the list, too. */
    enum { MANY = 512 };
    return tile->discontinuous_count <= MANY;
}

/* The square in the ground plane: with heights it is not less. */
static float square_between(float dx, float dy)
{
    return dx * dx + dy * dy;
}

static bool in_cut_list(const phx_cut_list *at, uint32_t slot)
{
    const uint32_t *entries = phx_list_entries(&at->shard->lists, at->list);
    return at->shard->kernels->find_u32(entries, at->list->count, slot) < at->list->count;
}

/* Its rank now; 0: it is not there, or out of sight whatever its place is. */
static uint16_t rank_now(const phx_cut_list *at, uint32_t slot)
{
    const phx_store *store = &at->shard->store;
    if (!(store->body[slot].state & PHX_SLOT_LIVE)) return 0;
    if (phx_store_attr(store, slot)->instance != at->attr->instance) return 0; /* tables may serve all instances */
    return at->ranks->rank[store->set[slot]];
}

/* The square of its distance now. */
static float square_now(const phx_cut_list *at, uint32_t slot)
{
    const phx_shard *shard = at->shard;
    const phx_body *body = &shard->store.body[slot];
    const float plane = square_between(body->x - shard->grid.rows.x[at->row], body->y - shard->grid.rows.y[at->row]);
    const phx_cut_squares square = {.now = plane, .old = -1.0f};
    return shard->uneven ? phx_cut_squares_level(at, square, body->z - at->z, 0.0f).now : plane;
}

static void add_undecided(phx_cut_list *at, uint32_t slot, float square, bool listed)
{
    phx_scratch *scratch = at->scratch;
    scratch->hits[at->count] = slot;
    scratch->squares[at->count] = square;
    scratch->was[at->count++] = listed;
}

/*
 * What becomes of a target that is listed or not. A listed one stays within view and margin, another one joins within
 * the view; of a lower rank than the limit's it is not kept. false: a view from beyond decides, or between shards a
 * relation.
 */
static bool decide_target(phx_cut_list *at, uint32_t slot, bool listed, uint16_t rank_before)
{
    const uint16_t rank = rank_now(at, slot);
    /* its relation decides, in cut_related.c; but slots of targets are noted in a world of one shard alone */
    if (at->related && phx_related_to(at->shard, at->related, slot)) return phx_related_slots_noted(at->shard);
    if (rank > 0 && phx_cut_seen_beyond(at, slot)) return false;
    const float square = rank >= at->cut.rank && rank > 0 ? square_now(at, slot) : INFINITY;
    const bool candidate = square <= (listed ? at->keep : at->in) && square < INFINITY;
    const bool higher = candidate && phx_cut_rank_is_higher(at, rank);
    at->kept += listed && rank_before > at->cut.rank; /* one of a higher rank less, */
    at->kept -= higher && at->kept > 0;               /* or more; a guess may be too low */
    if (candidate && !higher) {
        add_undecided(at, slot, square, listed);
    } else if (listed && !higher) {
        at->scratch->leave[at->leaves++] = slot;
    } else if (higher && !listed) {
        at->scratch->enter[at->enters++] = slot;
    }
    return true;
}

/* A target that was elsewhere or another one, and may be in the list. */
static bool decide_previous(phx_cut_list *at, const phx_prev_rows_row *previous)
{
    const phx_shard *shard = at->shard;
    const phx_grid_rows *rows = &shard->grid.rows;
    if (square_between(previous->x - rows->ox[at->row], previous->y - rows->oy[at->row]) > at->keep) return true;
    if (!in_cut_list(at, previous->slot)) return true;
    const phx_attr *before = phx_prev_rows_row_attr(&shard->previous, &shard->store, previous);
    return decide_target(at, previous->slot, true, phx_rank_of(at->attr, before));
}

/* A target that is new here. One that is listed has a previous row. */
static bool decide_comer(phx_cut_list *at, uint32_t row)
{
    const phx_grid_rows *rows = &at->shard->grid.rows;
    const uint32_t slot = phx_row_slot(rows, row);
    if (square_between(rows->x[row] - rows->x[at->row], rows->y[row] - rows->y[at->row]) > at->in) return true;
    if (slot == at->slot || in_cut_list(at, slot)) return true;
    return decide_target(at, slot, false, 0);
}

bool phx_cut_add_discontinuous(phx_cut_list *at)
{
    const phx_tile *tile = &at->scratch->tile;
    for (uint32_t i = 0; i < tile->discontinuous_count; i++) {
        const phx_tile_row_word row = phx_tile_row_word_at(tile->row, tile->discontinuous_places[i]);
        const uint32_t number = phx_tile_row_word_number(row);
        const bool decided = phx_tile_row_word_is_previous(row) ? decide_previous(at, &at->shard->previous.rows[number])
                                                                : decide_comer(at, number);
        if (!decided) return false;
    }
    return true;
}

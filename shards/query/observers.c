/*
 * Observers of a target; see observers.h. An observer that has a target in its list by view and margin is within the
 * shard's longest radius of it, or within the span. The rule of the pair mostly decides whether it has.
 */
#include "shards/query/observers.h"

#include <float.h>
#include <math.h>

#include "shards/query/seen.h"
#include "shards/query/slots_in_range.h"
#include "shards/state/related.h"
#include "shards/state/view_reach.h"

/* A search for the observers of a target. */
typedef struct observer_search {
    const phx_shard *shard;
    uint32_t target;
    float x, y;   /* the target's position */
    float radius; /* no observer sees it farther off along an axis */
    bool plain;   /* the view of a plain row decides: see phx_row_views() */
    phx_observer_fn visit;
    void *user;
} observer_search;

/* Visits rows; the position decides for most. */
static void visit_rows(const observer_search *at, uint32_t first, uint32_t end)
{
    const phx_grid_rows *rows = &at->shard->grid.rows;
    for (uint32_t row = first; row < end; row++) {
        uint32_t observer = phx_row_slot(rows, row);
        if (rows->view[row] == 0.0f) continue;
        if (fabsf(rows->x[row] - at->x) > at->radius || fabsf(rows->y[row] - at->y) > at->radius) continue;
        bool plain = at->plain && phx_row_plain(at->shard, row) && observer != at->target &&
                     !phx_related_of(at->shard, observer);
        if (plain ? phx_row_views(rows, row, at->x, at->y, at->shard->rules->shape == PH_SHAPE_SQUARE)
                  : phx_shard_is_in_list(at->shard, observer, at->target))
            at->visit(at->user, observer);
    }
}

static void visit_block(const observer_search *at, const phx_block *block, phx_rect rect)
{
    for (uint64_t left = phx_block_mask(rect, block->bx, block->by); left; left &= left - 1) {
        uint32_t tower = (uint32_t)__builtin_ctzll(left);
        visit_rows(at, block->start[tower], block->start[tower + 1]);
    }
}

void phx_ninegrid_visit_observers(const phx_shard *shard, uint32_t slot, bool everywhere, phx_observer_fn visit,
                                  void *user)
{
    const phx_rules *rules = shard->rules;
    const phx_rect all = {0, 0, (uint16_t)(rules->towers[0] - 1), (uint16_t)(rules->towers[1] - 1)};
    const phx_rect rect = everywhere ? all : phx_interest_towers(rules, &shard->store.body[slot], 0.0f);
    phx_cell_block_walk walk = phx_ninegrid_walk(&shard->ninegrid, phx_store_instance(&shard->store, slot), rect);
    for (const phx_cell_block *cell_block; (cell_block = phx_ninegrid_next(&walk)) != NULL;) {
        for (uint64_t left = phx_cell_block_mask(cell_block, rect) & cell_block->observed; left; left &= left - 1) {
            const phx_tower *tower = &cell_block->tower[__builtin_ctzll(left)];
            for (uint32_t i = tower->first; i < tower->first + tower->count; i++) {
                const phx_cell_entry *entry = &shard->ninegrid.entries[i];
                bool sees =
                    entry->observer_kind != PHX_OBSERVER_KIND_NONE && phx_shard_is_in_list(shard, entry->slot, slot);
                if (sees) visit(user, entry->slot);
            }
        }
    }
}

/* A search among candidates of a classical index. */
typedef struct observer_sink {
    phx_sink sink;
    const phx_shard *shard;
    uint32_t target;
    phx_observer_fn visit;
    void *user;
} observer_sink;

static void visit_slots(phx_sink *sink, const uint32_t *slots, uint32_t count)
{
    const observer_sink *at = (const observer_sink *)sink;
    for (uint32_t i = 0; i < count; i++) {
        bool own = at->shard->store.body[slots[i]].state & PHX_SLOT_OWN;
        if (own && phx_shard_is_in_list(at->shard, slots[i], at->target)) at->visit(at->user, slots[i]);
    }
}

void phx_classical_visit_observers(const phx_shard *shard, uint32_t slot, bool everywhere, phx_observer_fn visit,
                                   void *user)
{
    observer_sink search = {.sink.take = visit_slots, .shard = shard, .target = slot, .visit = visit, .user = user};
    const phx_box box = phx_shard_box(shard, &shard->store.body[slot], shard->radius_max);
    phx_slots_in_range(shard, NULL, everywhere ? phx_box_all() : box, &search.sink);
}

void phx_rows_visit_observers(const phx_shard *shard, uint32_t slot, bool everywhere, phx_observer_fn visit, void *user)
{
    const phx_grid *grid = &shard->grid;
    const phx_body *body = &shard->store.body[slot];
    const float radius = shard->radius_max;
    observer_search at = {shard, slot, body->x, body->y, INFINITY, phx_row_decides(shard, body), visit, user};
    if (everywhere && phx_idmap_count(&grid->map.apart) > 0) at.plain = false; /* rows are of all instances */
    if (everywhere) {
        visit_rows(&at, 0, grid->row_end); /* gaps have no view */
        return;
    }
    /* three roundings of the rule, and underflow in a square; see phx_box_around() */
    if (radius * radius <= FLT_MAX) at.radius = radius + radius * 1e-6f + 1e-18f;
    phx_rect rect = phx_interest_rows_rect(shard, body, radius);
    phx_block_walk walk = phx_grid_walk(grid, phx_store_instance(&shard->store, slot), rect);
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) visit_block(&at, block, rect);
}

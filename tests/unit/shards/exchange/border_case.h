/*
 * Ghosts beside a border of two shards, for the tests of the halo: x = 500, steps up to 2.5.
 */
#ifndef UNIT_SHARDS_BORDER_CASE_H
#define UNIT_SHARDS_BORDER_CASE_H

#include "unit/shards/exchange/two_shards.h"

enum { FILLERS = 48, FILLER = 200 }; /* rows in the first shard, so that one released ghost is few; ids from there on */

static inline void fill_first(fleet *f)
{
    for (uint64_t i = 0; i < FILLERS; i++) fleet_enter(f, FILLER + i, plain_attr(0, 0), 100 + (float)i, 700);
}

/* A ghost in the first shard, or NULL. */
static inline const phx_ghost_source *ghost_of(const fleet *f, uint64_t id, bool *row)
{
    const phx_store *store = &f->shard[0].store;
    uint32_t slot = phx_store_ghost(store, id);
    if (slot == PHX_SLOT_NONE) return NULL;
    *row = store->body[slot].state & PHX_SLOT_ROW;
    return &store->tail[slot].origin;
}

static inline void check_ghost(const fleet *f, uint64_t id, bool there, bool row, bool gone)
{
    bool has_row = false;
    const phx_ghost_source *origin = ghost_of(f, id, &has_row);
    cr_assert_eq(origin != NULL, there, "tick %lu", (unsigned long)f->tick);
    if (!origin) return;
    cr_assert_eq(has_row, row, "tick %lu", (unsigned long)f->tick);
    cr_assert_eq(origin->gone, gone, "tick %lu", (unsigned long)f->tick);
}

/* In the next tick that changes anything. */
static inline void sort_anew(fleet *f)
{
    f->shard[0].grid.needs_rebuild = true;
}

static inline void move_to(fleet *f, uint64_t id, float x)
{
    fleet_begin(f);
    fleet_move(f, id, x, 105);
    fleet_end(f);
}

/*
 * Two shards side by side, towers of 20, the border at x = 500. A view of 20 from there: copies of entities nearer than
 * 25 to the border; no observer sees the ones beyond 20. Rows drift by 5 until they are sorted anew.
 */
static inline fleet *one_looks(void)
{
    fleet *f = fleet_open(plain_rules(20, 50), 2, 1, 64);
    fleet_begin(f);
    fill_first(f);
    fleet_enter(f, 1, plain_attr(20, 0), 499.5f, 105);
    fleet_end(f);
    return f;
}

static inline void enter_at(fleet *f, uint64_t id, float x)
{
    fleet_begin(f);
    fleet_enter(f, id, plain_attr(0, 0), x, 105);
    fleet_end(f);
}

/*
 * Two shards side by side; 3 looks over the border from the second one, a little, 1 from the first one, which has 2
 * near. Rows are many in the second one.
 */
static inline fleet *side_by_side(float view, float margin, float x, float y)
{
    fleet *f = two(64);
    fleet_begin(f);
    for (uint64_t i = 0; i < FILLERS; i++) fleet_enter(f, FILLER + i, plain_attr(0, 0), 800 + (float)i, 700);
    fleet_enter(f, 1, plain_attr(view, margin), 499, 105);
    fleet_enter(f, 2, plain_attr(0, 0), x, y);
    fleet_enter(f, 3, plain_attr(5, 0), 510, 105);
    return f;
}

static inline bool gone_in_second(const fleet *f, uint64_t id)
{
    const phx_store *store = &f->shard[1].store;
    uint32_t slot = phx_store_ghost(store, id);
    return slot != PHX_SLOT_NONE && store->tail[slot].origin.gone;
}

#endif

/*
 * Dirty marks; see dirty_marks.h.
 */
#include "shards/state/dirty_marks.h"

#include <math.h>

#include "shards/grid/blocks.h"
#include "shards/grid/row_edit.h"

/* A global target is seen wherever it moves; a far target may come into any observer's view. */
static void mark_far_dirty(phx_shard *shard, uint32_t slot)
{
    if (phx_store_attr(&shard->store, slot)->global) shard->global_moved = true;
    else shard->far_moved = shard->far.moved = true;
}

void phx_shard_mark_far_stale(phx_shard *shard)
{
    shard->far.stale = true;
    if (!phx_shard_rows(shard)) shard->far_dirty = true; /* else the observers near phx_far.changes are concerned */
}

void phx_shard_mark_dirty(phx_shard *shard, phx_body *body)
{
    if (phx_shard_dirty(shard, body)) return;
    body->changed = shard->dirty_stamp;
    body->state = (uint16_t)(body->state & ~PHX_SLOT_DISCONTINUOUS);
    const uint32_t slot = (uint32_t)(body - shard->store.body);
    if ((body->state & PHX_SLOT_ROW) && !shard->dense_tick) {
        phx_shard_mark_tower(shard, phx_store_instance(&shard->store, slot), body->tx, body->ty);
        if (phx_shard_rows(shard)) phx_grid_mark_moved(&shard->grid, body->row);
    }
    if (body->state & PHX_SLOT_FAR) mark_far_dirty(shard, slot);
    if (!shard->dense_tick) phx_zones_mark_dirty(&shard->zones, shard->mem, slot);
    shard->dirty_count++;
    shard->changed = true;
    if (body->state & PHX_SLOT_OWN) shard->copies_due = true;
}

void phx_shard_mark_discontinuous(phx_shard *shard, phx_body *body)
{
    phx_shard_mark_dirty(shard, body);
    if (body->state & PHX_SLOT_DISCONTINUOUS) return;
    body->state |= PHX_SLOT_DISCONTINUOUS;
    shard->any_discontinuous = true;
    if (body->state & PHX_SLOT_FAR) phx_shard_mark_far_stale(shard);
    if (!(body->state & PHX_SLOT_ROW) || !phx_shard_rows(shard)) return;
    const uint32_t slot = (uint32_t)(body - shard->store.body);
    if (shard->derives_lists) phx_prev_rows_discontinuous(&shard->previous, slot);
    /* the row stands where the entity was at the last tick's end, wherever the entity moved since */
    const phx_grid_rows *rows = &shard->grid.rows;
    phx_grid_mark_dirty(&shard->grid, phx_store_instance(&shard->store, slot),
                        phx_tower_index(shard->rules, 0, rows->ox[body->row]),
                        phx_tower_index(shard->rules, 1, rows->oy[body->row]), shard->tick, true);
}

void phx_shard_mark_renewed(phx_shard *shard, phx_body *body)
{
    if (!shard->derives_lists || !(body->state & PHX_SLOT_ROW)) {
        phx_shard_mark_discontinuous(shard, body);
        return;
    }
    PHX_ASSERT(body->state & PHX_SLOT_OWN);
    phx_shard_mark_dirty(shard, body);
    phx_prev_rows_renew(&shard->previous, (uint32_t)(body - shard->store.body));
}

/*
 * From where is a move to be measured? From the position at the last tick's end, which the row has if the entity moved
 * in this tick before. false: unknown, as the entity is discontinuous, or has no row.
 */
static bool find_step_start(const phx_shard *shard, const phx_body *body, float *x, float *y)
{
    *x = body->x;
    *y = body->y;
    if (!phx_shard_dirty(shard, body)) return true;
    if (!phx_shard_rows(shard) || (body->state & (PHX_SLOT_ROW | PHX_SLOT_DISCONTINUOUS)) != PHX_SLOT_ROW) return false;
    *x = shard->grid.rows.ox[body->row];
    *y = shard->grid.rows.oy[body->row];
    return true;
}

/*
 * Is a step of so many units so much longer than the others that it is a jump? When too many are, all are steps again,
 * for some ticks: faster ones are usual then, as where all mount. Ghosts only step, as there is no room for more.
 */
static bool is_dash(phx_shard *shard, const phx_body *body, float step)
{
    enum { PAUSE = 64 };
    if (PHX_LIKELY(step <= shard->step_usual) || !(body->state & PHX_SLOT_OWN)) return false;
    if (shard->jumps_room > 0) {
        shard->jumps_room--;
        return true;
    }
    shard->step_usual = shard->step_limit;
    shard->step_pause = PAUSE;
    return false;
}

void phx_shard_mark_step(phx_shard *shard, phx_body *body, float x, float y)
{
    float from_x, from_y;
    const bool known = find_step_start(shard, body, &from_x, &from_y);
    float dx = fabsf(x - from_x), dy = fabsf(y - from_y);
    float step = dx > dy ? dx : dy, step2 = dx * dx + dy * dy;
    if (!known || !(step <= shard->step_limit) || is_dash(shard, body, step)) {
        phx_shard_mark_discontinuous(shard, body);
        return;
    }
    phx_shard_mark_dirty(shard, body);
    if (step > shard->step_max) shard->step_max = step;
    if (step2 > shard->step2_max) shard->step2_max = step2;
}

/* Marks the tower that a step led to, and makes its block if there is none. false = no memory. */
static bool mark_entered_tower(phx_shard *shard, const phx_body *body)
{
    const uint32_t instance = phx_store_instance(&shard->store, (uint32_t)(body - shard->store.body));
    if (!phx_grid_block_visit(&shard->grid, shard->mem, instance, body->tx, body->ty)) return false;
    if (!shard->dense_tick) phx_shard_mark_tower(shard, instance, body->tx, body->ty);
    return true;
}

void phx_shard_place(phx_shard *shard, phx_body *body, float x, float y, float z)
{
    uint16_t tx = phx_tower_index(shard->rules, 0, x), ty = phx_tower_index(shard->rules, 1, y);
    bool crossed = tx != body->tx || ty != body->ty;
    if (crossed && phx_shard_ninegrid(shard))
        phx_ninegrid_note_tower(&shard->ninegrid, &shard->store, (uint32_t)(body - shard->store.body), tx, ty);
    body->x = x;
    body->y = y;
    body->z = z;
    shard->heights = phx_height_span_with(shard->heights, z);
    body->tx = tx;
    body->ty = ty;
    phx_store_set_outside(&shard->store, body, phx_outside_towers(shard->rules, x, y));
    if (!(body->state & PHX_SLOT_ROW) || !phx_shard_rows(shard)) return;
    /* a row may only drift from its tower, step by step; see grid/grid.h */
    if (body->state & PHX_SLOT_DISCONTINUOUS)
        phx_grid_misplace(&shard->grid, body, (uint32_t)(body - shard->store.body));
    else if (crossed && !mark_entered_tower(shard, body)) shard->grid.needs_rebuild = true;
    if (shard->grid.needs_rebuild || shard->grid.positions_stale)
        return;                                       /* all rows are written from the bodies later */
    if (body->state & PHX_SLOT_ROW_MISPLACED) return; /* such a row is put in its place in the index phase */
    shard->grid.rows.x[body->row] = x;
    shard->grid.rows.y[body->row] = y;
}

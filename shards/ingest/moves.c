/*
 * Moving own entities, and marking what changed, on which later phases decide where they
 * have to look; see state/shard.h. Called by the shard's owner in the ingest phase (the marks:
 * in the exchange and index phases too); only phx_shards_move() by several workers at once,
 * for disjoint slots.
 */
#include "shards/state/shard.h"

#include <string.h>

/* ---- marks ---- */

/* Wherever it goes, a global target is seen; one with a reach may come into anybody's view. */
static void mark_far_dirty(phx_shard *shard, uint32_t slot)
{
    if (phx_store_attr(&shard->store, slot)->global) shard->global_moved = true;
    else shard->far_dirty = shard->far.stale = true;
}

/* Marks a tower, if it has a block. */
static void mark_tower_dirty(phx_shard *shard, uint16_t tx, uint16_t ty)
{
    if (phx_shard_ninegrid(shard)) phx_ninegrid_mark_dirty(&shard->nine, tx, ty, shard->tick);
    else if (phx_shard_rows(shard)) phx_grid_mark_dirty(&shard->grid, tx, ty, shard->tick, false);
}

void phx_shard_mark_dirty(phx_shard *shard, phx_body *body)
{
    if (phx_shard_dirty(shard, body)) return;
    body->changed = shard->dirty_stamp;
    body->state = (uint16_t)(body->state & ~PHX_SLOT_DISCONTINUOUS);
    if ((body->state & PHX_SLOT_ROW) && !shard->dense_tick) {
        mark_tower_dirty(shard, body->tx, body->ty);
        if (phx_shard_rows(shard)) phx_grid_mark_moved(&shard->grid, body->row);
    }
    if (body->state & PHX_SLOT_FAR) mark_far_dirty(shard, (uint32_t)(body - shard->store.body));
    if (!shard->dense_tick) phx_zones_touch(&shard->zones, shard->mem, (uint32_t)(body - shard->store.body));
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
    if (body->state & PHX_SLOT_FAR) shard->far_dirty = shard->far.stale = true;
    if (!(body->state & PHX_SLOT_ROW) || !phx_shard_rows(shard)) return;
    if (shard->derives_lists) phx_prev_rows_discontinuous(&shard->past, (uint32_t)(body - shard->store.body));
    /* the row stands where the entity was at the last tick's end, wherever it has gone since */
    const phx_grid_rows *rows = &shard->grid.rows;
    phx_grid_mark_dirty(&shard->grid, phx_tower_index(shard->rules, 0, rows->ox[body->row]),
                        phx_tower_index(shard->rules, 1, rows->oy[body->row]), shard->tick, true);
}

void phx_shard_mark_step(phx_shard *shard, phx_body *body, float x, float y)
{
    float dx = fabsf(x - body->x), dy = fabsf(y - body->y);
    float step = dx > dy ? dx : dy, step2 = dx * dx + dy * dy;
    if (phx_shard_dirty(shard, body) || !(step <= shard->step_limit)) {
        phx_shard_mark_discontinuous(shard, body);
        return;
    }
    phx_shard_mark_dirty(shard, body);
    if (step > shard->step_max) shard->step_max = step;
    if (step2 > shard->step2_max) shard->step2_max = step2;
}

static bool outside_shard(const phx_shard *shard, uint16_t tx, uint16_t ty)
{
    return tx < shard->rect.x0 || tx > shard->rect.x1 || ty < shard->rect.y0 || ty > shard->rect.y1;
}

/* Marks the tower that a step led to: its block is made where none is. false = no memory. */
static bool mark_arrival_tower(phx_shard *shard, const phx_body *body)
{
    if (!phx_grid_block_visit(&shard->grid, shard->mem, body->tx, body->ty)) return false;
    if (!shard->dense_tick) mark_tower_dirty(shard, body->tx, body->ty);
    return true;
}

void phx_shard_place(phx_shard *shard, phx_body *body, float x, float y, float z)
{
    uint16_t tx = phx_tower_index(shard->rules, 0, x), ty = phx_tower_index(shard->rules, 1, y);
    bool crossed = tx != body->tx || ty != body->ty;
    if (crossed && phx_shard_ninegrid(shard))
        phx_ninegrid_note_tower(&shard->nine, &shard->store, (uint32_t)(body - shard->store.body), tx, ty);
    body->x = x;
    body->y = y;
    body->z = z;
    body->tx = tx;
    body->ty = ty;
    if (!(body->state & PHX_SLOT_ROW) || !phx_shard_rows(shard)) return;
    /* a row may only drift from its tower, step by step; see grid/grid.h */
    if (body->state & PHX_SLOT_DISCONTINUOUS)
        phx_grid_misplace(&shard->grid, body, (uint32_t)(body - shard->store.body));
    else if (crossed && !mark_arrival_tower(shard, body)) shard->grid.needs_rebuild = true;
    if (shard->grid.needs_rebuild || shard->grid.positions_stale)
        return;                                       /* all rows are written from the bodies later */
    if (body->state & PHX_SLOT_ROW_MISPLACED) return; /* this one, too */
    shard->grid.rows.x[body->row] = x;
    shard->grid.rows.y[body->row] = y;
}

/* ---- moves ---- */

void phx_shard_move(phx_shard *shard, uint32_t slot, float x, float y, float z)
{
    phx_body *body = &shard->store.body[slot];
    PHX_ASSERT(body->state & PHX_SLOT_OWN);
    if (body->x == x && body->y == y && body->z == z) return;
    phx_shard_mark_step(shard, body, x, y);
    phx_shard_place(shard, body, x, y, z);
    if (!outside_shard(shard, body->tx, body->ty) || (body->state & PHX_SLOT_LEAVING)) return;
    PHX_ASSERT(shard->emigrant_candidates.count < shard->emigrant_candidates.capacity);
    shard->emigrant_candidates.at[shard->emigrant_candidates.count++] = slot;
    body->state |= PHX_SLOT_LEAVING;
}

/* What of two towers, ty << 16 | tx, differs if they are of different blocks. */
static const uint32_t OFF_BLOCK = ~((PHX_BLOCK_SIDE - 1u) << 16 | (PHX_BLOCK_SIDE - 1u));

phx_move_constants phx_move_constants_of(const phx_shard *shard)
{
    const phx_rules *rules = shard->rules;
    const bool nine = phx_shard_ninegrid(shard), rows = phx_shard_rows(shard);
    phx_rect rect = shard->rect;
    return (phx_move_constants){.origin = {rules->origin[0], rules->origin[1], 0.0f, 0.0f},
                                .tower_size = {rules->tower_size, rules->tower_size, 1.0f, 1.0f},
                                .low = {rect.x0, rect.y0, -INFINITY, -INFINITY},
                                .high = {(float)rect.x1 + 1.0f, (float)rect.y1 + 1.0f, INFINITY, INFINITY},
                                .block_bits = nine   ? ~0u
                                              : rows ? OFF_BLOCK
                                                     : 0,
                                .nine = nine,
                                .rows = rows};
}

/* Is there a block for a tower, ty << 16 | tx? To make one is the owner's, later. */
static bool there_is_block(const phx_shard *shard, uint32_t tower)
{
    const uint32_t tx = (uint16_t)tower, ty = tower >> 16;
    return phx_grid_block(&shard->grid, tx >> PHX_BLOCK_BITS, ty >> PHX_BLOCK_BITS) != NULL;
}

static __attribute__((noinline)) void mark_both_towers(phx_shard *shard, uint32_t slot, uint32_t from, uint32_t to)
{
    phx_zones_touch(&shard->zones, shard->mem, slot);
    mark_tower_dirty(shard, (uint16_t)from, (uint16_t)(from >> 16));
    if (to != from) mark_tower_dirty(shard, (uint16_t)to, (uint16_t)(to >> 16));
}

/* How far, along the longer axis; *square: as it is, squared. */
static inline float step_of(phx_vec2 from, phx_vec2 to, float *square)
{
    phx_vec2 d = to - from, d2 = d * d;
    float dx = fabsf(d[0]), dy = fabsf(d[1]);
    *square = d2[0] + d2[1];
    return dx > dy ? dx : dy;
}

/*
 * A move of the common kind: the first of the entity in this tick, one short step inside the rectangle, seen
 * by the usual rules. false: it is another, nothing was done.
 */
static inline bool move_plain(phx_shard *shard, const phx_move_constants *frame, phx_body *body, phx_place to, float z,
                              bool alone, phx_move_stats *sum)
{
    PHX_ASSERT(body->state & PHX_SLOT_OWN);
    if ((body->state & PHX_MOVE_PLAIN_BITS) != PHX_MOVE_PLAIN || body->changed == shard->dirty_stamp) return false;
    phx_vec2 p = {to.x, to.y}, old = phx_pair_at(&body->x);
    phx_vec2 q = (p - frame->origin) / frame->tower_size; /* as in phx_tower_index(), which clamps what is outside */
    float step2, step = step_of(old, p, &step2);
    if (!phx_pair_both((q >= frame->low) & (q < frame->high)) || !(step <= shard->step_limit)) return false;
    if (phx_pair_both(p == old) && z == body->z) return true;
    phx_pair_bits at = __builtin_convertvector(q, phx_pair_bits);
    uint32_t tower = (uint32_t)at[0] | (uint32_t)at[1] << 16, before = body->tx | (uint32_t)body->ty << 16;
    uint32_t slot = (uint32_t)(body - shard->store.body);
    if (tower != before && frame->nine) {
        if (!alone) return false; /* notes are the owner's */
        phx_ninegrid_note_tower(&shard->nine, &shard->store, slot, (uint16_t)tower, (uint16_t)(tower >> 16));
    }
    if (PHX_UNLIKELY(((tower ^ before) & OFF_BLOCK) != 0) && frame->rows && !there_is_block(shard, tower)) return false;
    if (!shard->dense_tick) mark_both_towers(shard, slot, before, tower);
    memcpy(&body->x, &p, 2 * sizeof(float));
    body->z = z;
    body->tx = (uint16_t)tower;
    body->ty = (uint16_t)(tower >> 16);
    if (!shard->dense_tick && frame->rows &&
        !shard->grid.needs_rebuild) { /* else rows are mended or sorted anew later */
        shard->grid.rows.x[body->row] = to.x;
        shard->grid.rows.y[body->row] = to.y;
        phx_grid_mark_moved(&shard->grid, body->row);
    }
    body->state = (uint16_t)(body->state & ~PHX_SLOT_DISCONTINUOUS);
    body->changed = shard->dirty_stamp;
    sum->moved++;
    sum->step_max[0] = step > sum->step_max[0] ? step : sum->step_max[0];
    sum->step2_max = step2 > sum->step2_max ? step2 : sum->step2_max;
    return true;
}

/* May this worker's moves be applied to it? Else they are left. */
static inline bool may_move(const phx_shard *shard, bool alone)
{
    return alone || shard->dense_tick;
}

static void add_sum(phx_move_stats *sum, const phx_move_stats *more)
{
    sum->moved += more->moved;
    for (int axis = 0; axis < 2; axis++)
        if (more->step_max[axis] > sum->step_max[axis]) sum->step_max[axis] = more->step_max[axis];
    if (more->step2_max > sum->step2_max) sum->step2_max = more->step2_max;
}

/* mixed, which is known where it is inlined: else the frame and the sum are no memory that a body might be. */
static inline __attribute__((always_inline)) uint32_t move_each(phx_shard *shards, uint32_t shard_count,
                                                                const phx_move_batch *batch, bool mixed, bool alone,
                                                                phx_move_stats *sums, uint32_t *left)
{
    const phx_move_batch of = *batch; /* what is written might be anywhere */
    const uint32_t first = of.places[0];
    const phx_move_constants frame = shards[mixed || first >= shard_count ? 0 : first].move_frame;
    phx_move_stats own = {.moved = 0};
    uint32_t left_count = 0;
    for (uint32_t i = 0; i < of.count; i++) {
        const uint32_t next = mixed ? of.places[i] : first;
        if (next < shard_count && shards[next].dense_tick) {
            i += shards->kernels->move_batch(shards, shard_count, &of, i, sums);
            if (i == of.count) break;
        }
        const uint32_t place = mixed ? of.places[i] : first;
        left[left_count] = i;
        if (PHX_UNLIKELY(place >= shard_count || !may_move(&shards[place], alone))) {
            left_count++;
            continue;
        }
        phx_shard *shard = &shards[place];
        phx_body *body = &shard->store.body[of.slots[i]];
        const phx_move_constants *by = mixed ? &shard->move_frame : &frame;
        const float z = of.z ? of.z[i] : 0.0f;
        if (PHX_LIKELY(move_plain(shard, by, body, of.to[i], z, alone, mixed ? &sums[place] : &own))) continue;
        body->state |= PHX_SLOT_MOVES_GENERAL;
        left_count++;
    }
    if (own.moved > 0) add_sum(&sums[first], &own);
    return left_count;
}

uint32_t phx_shards_move(phx_shard *shards, uint32_t shard_count, const phx_move_batch *batch, bool alone,
                         phx_move_stats *sums, uint32_t *left)
{
    if (batch->count == 0) return 0;
    if (batch->mixed) return move_each(shards, shard_count, batch, true, alone, sums, left);
    return move_each(shards, shard_count, batch, false, alone, sums, left);
}

void phx_shard_moved(phx_shard *shard, const phx_move_stats *sum)
{
    if (sum->moved == 0) return;
    shard->dirty_count += sum->moved;
    shard->changed = shard->copies_due = true;
    shard->grid.positions_stale |= shard->dense_tick && shard->move_frame.rows;
    for (int axis = 0; axis < 2; axis++)
        if (sum->step_max[axis] > shard->step_max) shard->step_max = sum->step_max[axis];
    if (sum->step2_max > shard->step2_max) shard->step2_max = sum->step2_max;
}

void phx_rows_copy_positions(phx_shard *shard, uint32_t part, uint32_t parts)
{
    enum { AHEAD = 32, LINE_ROWS = PHX_CACHE_LINE / sizeof(float) };
    phx_grid *grid = &shard->grid;
    PHX_ASSERT(grid->positions_stale && !grid->needs_rebuild);
    uint64_t lines = (grid->row_end + LINE_ROWS - 1) / LINE_ROWS;
    uint32_t first = (uint32_t)(lines * part / parts * LINE_ROWS);
    uint32_t end = (uint32_t)(lines * (part + 1) / parts * LINE_ROWS);
    if (end > grid->row_end) end = grid->row_end;
    for (uint32_t row = first; row < end; row++) { /* gaps, too: that is less work than to ask */
        if (row + AHEAD < end) __builtin_prefetch(&shard->store.body[grid->rows.slot[row + AHEAD] & PHX_ROW_SLOT]);
        const phx_body *body = &shard->store.body[grid->rows.slot[row] & PHX_ROW_SLOT];
        grid->rows.x[row] = body->x;
        grid->rows.y[row] = body->y;
    }
}

void phx_rows_copied(phx_shard *shard)
{
    shard->grid.positions_stale = false;
}

bool phx_shard_move_general(phx_shard *shard, uint32_t slot, ph_position position)
{
    phx_body *body = &shard->store.body[slot];
    body->state = (uint16_t)(body->state & ~PHX_SLOT_MOVES_GENERAL);
    if (PHX_UNLIKELY(!phx_shard_ready(shard, 1))) return false;
    phx_shard_move(shard, slot, position.x, position.y, position.z);
    return true;
}

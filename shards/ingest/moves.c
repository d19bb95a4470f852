/*
 * Applies moves to own entities; see moves.h. state/dirty_marks.h marks the changes, from which later phases find their
 * work. Called by the shard's owner in the ingest phase; phx_shards_move() also by several workers at once, for
 * disjoint slots.
 */
#include "shards/ingest/moves.h"

#include <string.h>

#include "shards/ingest/commands.h"
#include "shards/ingest/moves_avx2.h"
#include "shards/state/dirty_marks.h"
#include "shards/state/shard.h"

static bool outside_shard(const phx_shard *shard, uint16_t tx, uint16_t ty)
{
    return tx < shard->rect.x0 || tx > shard->rect.x1 || ty < shard->rect.y0 || ty > shard->rect.y1;
}

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

/* Is there a block for a tower, ty << 16 | tx? The owner makes blocks, later. */
static bool there_is_block(const phx_shard *shard, uint32_t slot, uint32_t tower)
{
    const uint32_t tx = (uint16_t)tower, ty = tower >> 16;
    const uint32_t instance = phx_store_instance(&shard->store, slot);
    return phx_grid_block(&shard->grid, instance, tx >> PHX_BLOCK_BITS, ty >> PHX_BLOCK_BITS) != NULL;
}

static __attribute__((noinline)) void mark_both_towers(phx_shard *shard, uint32_t slot, uint32_t from, uint32_t to)
{
    const uint32_t instance = phx_store_instance(&shard->store, slot);
    phx_zones_mark_dirty(&shard->zones, shard->mem, slot);
    phx_shard_mark_tower(shard, instance, (uint16_t)from, (uint16_t)(from >> 16));
    if (to != from) phx_shard_mark_tower(shard, instance, (uint16_t)to, (uint16_t)(to >> 16));
}

/* The length of a step along the longer axis; *square: of its length, squared. */
static inline float step_of(phx_vec2 from, phx_vec2 to, float *square)
{
    phx_vec2 d = to - from, d2 = d * d;
    float dx = fabsf(d[0]), dy = fabsf(d[1]);
    *square = d2[0] + d2[1];
    return dx > dy ? dx : dy;
}

/* Are towers of a position none of the world? Then *q becomes its nearest tower's, as phx_tower_index() clamps. */
static inline bool clamp_outside(const phx_move_constants *constants, phx_vec2 *q)
{
    bool outside = false;
    for (int axis = 0; axis < 2; axis++) {
        const float at = (*q)[axis], last = constants->last[axis], below = at < last ? at : last;
        (*q)[axis] = below > 0.0f ? below : 0.0f;
        outside |= (*q)[axis] != at;
    }
    return outside;
}

/*
 * Applies a common move: the entity's first in this tick, one short step inside the rectangle, or outside of the world
 * beside it, seen by the common rule. false: it is of another kind, nothing was done.
 */
static inline bool move_common(phx_shard *shard, const phx_move_constants *constants, phx_body *body, phx_place to,
                               float z, bool alone, phx_move_stats *sum)
{
    PHX_ASSERT(body->state & PHX_SLOT_OWN);
    if ((body->state & PHX_MOVE_COMMON_BITS) != PHX_MOVE_COMMON || body->changed == shard->dirty_stamp) return false;
    phx_vec2 p = {to.x, to.y}, old = phx_pair_at(&body->x);
    phx_vec2 q =
        (p - constants->origin) / constants->tower_size; /* as in phx_tower_index(), which clamps positions outside */
    float step2, step = step_of(old, p, &step2);
    if (PHX_UNLIKELY((body->state & PHX_SLOT_OUTSIDE) != 0) && !clamp_outside(constants, &q)) return false;
    if (!phx_pair_both((q >= constants->low) & (q < constants->high)) || !(step <= shard->step_usual)) return false;
    if (phx_pair_both(p == old) && z == body->z) return true;
    phx_pair_bits at = __builtin_convertvector(q, phx_pair_bits);
    uint32_t tower = (uint32_t)at[0] | (uint32_t)at[1] << 16, before = body->tx | (uint32_t)body->ty << 16;
    uint32_t slot = (uint32_t)(body - shard->store.body);
    if (tower != before && constants->ninegrid) {
        if (!alone) return false; /* only the owner writes notes */
        phx_ninegrid_note_tower(&shard->ninegrid, &shard->store, slot, (uint16_t)tower, (uint16_t)(tower >> 16));
    }
    if (PHX_UNLIKELY(((tower ^ before) & PHX_OFF_BLOCK_BITS) != 0) && constants->rows &&
        !there_is_block(shard, slot, tower))
        return false;
    if (!shard->dense_tick) mark_both_towers(shard, slot, before, tower);
    const float rise = fabsf(z - body->z);
    memcpy(&body->x, &p, 2 * sizeof(float));
    body->z = z;
    body->tx = (uint16_t)tower;
    body->ty = (uint16_t)(tower >> 16);
    if (!shard->dense_tick && constants->rows &&
        !shard->grid.needs_rebuild) { /* else rows are edited or sorted anew later */
        shard->grid.rows.x[body->row] = to.x;
        shard->grid.rows.y[body->row] = to.y;
        phx_grid_mark_moved(&shard->grid, body->row);
    }
    body->state = (uint16_t)(body->state & ~PHX_SLOT_DISCONTINUOUS);
    body->changed = shard->dirty_stamp;
    sum->moved++;
    sum->step_max[0] = step > sum->step_max[0] ? step : sum->step_max[0];
    sum->step2_max = step2 > sum->step2_max ? step2 : sum->step2_max;
    sum->step2_sum += step2;
    sum->rise_max = rise > sum->rise_max ? rise : sum->rise_max;
    return true;
}

/* May this worker apply moves to the shard? Else they are left. */
static inline bool may_move(const phx_shard *shard, bool alone)
{
    return alone || shard->dense_tick;
}

static void add_sum(phx_move_stats *sum, const phx_move_stats *more)
{
    sum->moved += more->moved;
    sum->step2_sum += more->step2_sum;
    for (int axis = 0; axis < 2; axis++)
        if (more->step_max[axis] > sum->step_max[axis]) sum->step_max[axis] = more->step_max[axis];
    if (more->step2_max > sum->step2_max) sum->step2_max = more->step2_max;
    if (more->rise_max > sum->rise_max) sum->rise_max = more->rise_max;
}

/* mixed is a constant where this is inlined: then constants and sum are in registers, as bodies may alias memory. */
static inline __attribute__((always_inline)) uint32_t move_each(phx_shard *shards, uint32_t shard_count,
                                                                const phx_move_batch *batch, phx_move_kernel *kernel,
                                                                bool mixed, bool alone, phx_move_stats *sums,
                                                                uint32_t *left)
{
    const phx_move_batch of = *batch; /* the stores may alias the fields */
    const uint32_t first = of.places[0];
    const phx_move_constants constants = shards[mixed || first >= shard_count ? 0 : first].move_constants;
    phx_move_stats own = {.moved = 0};
    uint32_t left_count = 0;
    for (uint32_t i = 0; i < of.count; i++) {
        const uint32_t next = mixed ? of.places[i] : first;
        if (kernel && next < shard_count && shards[next].dense_tick) {
            i += kernel(shards, shard_count, &of, i, sums);
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
        const phx_move_constants *by = mixed ? &shard->move_constants : &constants;
        const float z = of.z ? of.z[i] : 0.0f;
        if (PHX_LIKELY(move_common(shard, by, body, of.to[i], z, alone, mixed ? &sums[place] : &own))) continue;
        body->state |= PHX_SLOT_MOVES_GENERAL;
        left_count++;
    }
    if (own.moved > 0) add_sum(&sums[first], &own);
    return left_count;
}

uint32_t phx_shards_move_by(phx_move_kernel *kernel, phx_shard *shards, uint32_t shard_count,
                            const phx_move_batch *batch, bool alone, phx_move_stats *sums, uint32_t *left)
{
    if (batch->count == 0) return 0;
    if (batch->mixed) return move_each(shards, shard_count, batch, kernel, true, alone, sums, left);
    return move_each(shards, shard_count, batch, kernel, false, alone, sums, left);
}

uint32_t phx_shards_move(phx_shard *shards, uint32_t shard_count, const phx_move_batch *batch, bool alone,
                         phx_move_stats *sums, uint32_t *left)
{
    return phx_shards_move_by(phx_move_kernel_of(shards->rules->simd), shards, shard_count, batch, alone, sums, left);
}

void phx_shard_moved(phx_shard *shard, const phx_move_stats *sum)
{
    if (sum->moved == 0) return;
    shard->dirty_count += sum->moved;
    shard->stepped += sum->moved;
    shard->step2_sum += sum->step2_sum;
    shard->changed = shard->copies_due = true;
    shard->grid.positions_stale |= shard->dense_tick && shard->move_constants.rows;
    for (int axis = 0; axis < 2; axis++)
        if (sum->step_max[axis] > shard->step_max) shard->step_max = sum->step_max[axis];
    if (sum->step2_max > shard->step2_max) shard->step2_max = sum->step2_max;
    shard->heights = phx_height_span_wider(shard->heights, sum->rise_max);
}

bool phx_shard_move_general(phx_shard *shard, uint32_t slot, ph_position position)
{
    phx_body *body = &shard->store.body[slot];
    body->state = (uint16_t)(body->state & ~PHX_SLOT_MOVES_GENERAL);
    if (PHX_UNLIKELY(!phx_shard_ready(shard, 1))) return false;
    phx_shard_move(shard, slot, position.x, position.y, position.z);
    return true;
}

/*
 * Far targets near a block; see far_near.h.
 */
#include "shards/query/far_near.h"

#include <math.h>

#include "shards/query/far_list.h"
#include "shards/state/related.h"
#include "shards/state/shard.h"

/*
 * The towers that targets of a level may stand in: a cell is as wide as their reach, and margin, drift of the
 * observers' rows and the last step come on top.
 */
static phx_rect level_towers(const phx_shard *shard, const phx_block *block, uint32_t level)
{
    const phx_rules *rules = shard->rules;
    const float more = block->reach + shard->grid.drift_bound + shard->step_max;
    const uint32_t off = (1u << level) + phx_length_towers(rules, more) + 1;
    const uint32_t x = (uint32_t)block->bx << PHX_BLOCK_BITS, y = (uint32_t)block->by << PHX_BLOCK_BITS;
    const uint32_t x1 = x + PHX_BLOCK_SIDE - 1 + off, y1 = y + PHX_BLOCK_SIDE - 1 + off;
    return (phx_rect){(uint16_t)(x > off ? x - off : 0), (uint16_t)(y > off ? y - off : 0),
                      (uint16_t)(x1 < rules->towers[0] ? x1 : rules->towers[0] - 1),
                      (uint16_t)(y1 < rules->towers[1] ? y1 : rules->towers[1] - 1)};
}

bool phx_far_visit_near(const phx_shard *shard, const phx_block *block, phx_far_cells_fn visit, void *user)
{
    const phx_far *far = &shard->far;
    for (uint32_t level = 0; far->levels >> level; level++) {
        if (!(far->levels >> level & 1)) continue;
        const phx_rect towers = level_towers(shard, block, level);
        for (uint32_t y = towers.y0 >> level; y <= (uint32_t)towers.y1 >> level; y++) {
            uint32_t first, end;
            phx_far_cells(far, block->instance, level, (uint32_t)towers.x0 >> level, (uint32_t)towers.x1 >> level, y,
                          &first, &end);
            if (first < end && !visit(user, first, end)) return false;
        }
    }
    return true;
}

/* ---- the ones of a block ---- */

/* May a place of the box be within the reach of a target? In doubles, with more than the rule's rounding. */
static bool reaches_box(const phx_far_near_target *target, const phx_box *box)
{
    const double more = 1.00001, least = 1e-18; /* and than distances with squares that underflow in float32 */
    const double x = target->x, y = target->y, reach = target->reach * more + least;
    return x + reach >= box->x0 && x - reach <= box->x1 && y + reach >= box->y0 && y - reach <= box->y1;
}

static bool note_near(void *user, uint32_t first, uint32_t end)
{
    phx_far_near *near = user;
    const phx_shard *shard = near->shard;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t slot = shard->far.entries[i].slot;
        const phx_attr *attr = phx_store_attr(&shard->store, slot);
        const phx_body *body = &shard->store.body[slot];
        const phx_far_near_target target = {body->x, body->y, attr->global ? INFINITY : attr->reach, slot};
        if (!reaches_box(&target, &near->box)) continue;
        if (near->count == PHX_FAR_NEAR_MAX) return false;
        near->targets[near->count++] = target;
    }
    return true;
}

static phx_box find_box_of_rows(const phx_grid_rows *rows, phx_span span)
{
    phx_box box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = span.first; i < span.end; i++) {
        const float x = rows->x[i], y = rows->y[i];
        box = (phx_box){x < box.x0 ? x : box.x0, y < box.y0 ? y : box.y0, x > box.x1 ? x : box.x1,
                        y > box.y1 ? y : box.y1};
    }
    return box;
}

void phx_far_near_open(phx_far_near *near, const phx_shard *shard, const phx_block *block)
{
    uint32_t first, end;
    near->shard = shard;
    near->tick = shard->tick;
    near->rows = (phx_span){block->start[0], block->start[PHX_BLOCK_TOWERS]};
    near->count = 0;
    if (shard->far.entry_count == 0) return;
    near->box = find_box_of_rows(&shard->grid.rows, near->rows);
    phx_far_globals(&shard->far, block->instance, &first, &end);
    if (!note_near(near, first, end) || !phx_far_visit_near(shard, block, note_near, near)) near->shard = NULL;
}

bool phx_far_near_covers(const phx_far_near *near, const phx_shard *shard, uint32_t row)
{
    return near->shard == shard && near->tick == shard->tick && row >= near->rows.first && row < near->rows.end;
}

uint32_t phx_far_near_list(const phx_far_near *near, uint32_t slot, const phx_relation_set *related,
                           uint32_t targets[PHX_FAR_NEAR_MAX])
{
    const phx_shard *shard = near->shard;
    const phx_store *store = &shard->store;
    const phx_body *body = &store->body[slot];
    const bool square = shard->rules->shape == PH_SHAPE_SQUARE;
    uint32_t within = 0, n = 0;
    for (uint32_t i = 0; i < near->count; i++) { /* no branch: which of them are within reach is hard to predict */
        const phx_far_near_target *target = &near->targets[i];
        const float dx = target->x - body->x, dy = target->y - body->y, r = target->reach;
        const bool in_square = (fabsf(dx) <= r) & (fabsf(dy) <= r), in_circle = dx * dx + dy * dy <= r * r;
        targets[within] = target->slot;
        within += square ? in_square : in_circle;
    }
    const phx_attr *own = phx_store_attr(store, slot);
    for (uint32_t i = 0; i < within; i++) {
        const uint32_t target = targets[i];
        const phx_attr *attr = phx_store_attr(store, target);
        if (target == slot || !phx_far_seen(own, attr) || phx_related_to(shard, related, target)) continue;
        targets[n] = target;
        n += phx_rule_sees(shard->rules, body, own, &store->body[target], attr, NULL, false);
    }
    return n;
}

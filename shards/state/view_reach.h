/*
 * Reach of an observer's view: the towers and positions that decide about its list, and whether the position alone
 * decides. Read in every phase by any worker, and by queries; nothing is written.
 */
#ifndef PHX_SHARDS_STATE_VIEW_REACH_H
#define PHX_SHARDS_STATE_VIEW_REACH_H

#include <math.h>

#include "shards/state/shard.h"
#include "shards/state/storage.h"

/* The towers within a radius of a position, in range = radius. */
static inline phx_rect phx_interest_rect(const phx_rules *rules, float x, float y, float radius)
{
    return phx_box_towers(rules, phx_box_around(x, y, radius));
}

/* The towers that decide about an observer's list: within the radius, or in the span. */
static inline phx_rect phx_interest_towers(const phx_rules *rules, const phx_body *body, float radius)
{
    if (rules->range == PH_RANGE_RADIUS) return phx_interest_rect(rules, body->x, body->y, radius);
    return phx_ninegrid_rect(rules, rules->span, body->tx, body->ty);
}

/* The towers where the rows of all entities within the radius stand; range = towers: the span. */
static inline phx_rect phx_interest_rows_rect(const phx_shard *shard, const phx_body *body, float radius)
{
    return phx_interest_towers(shard->rules, body, radius + shard->grid.drift_bound);
}

/*
 * Does the observer see each target near it that is not special (PHX_SLOT_SPECIAL)? Rows and cell entries that it finds
 * are in its own instance; slots of a classical index are in any, and special in each but 0.
 */
static inline bool phx_sees_common(const phx_shard *shard, const phx_attr *observer)
{
    return (observer->sees & 1) && (observer->instance == 0 || !shard->rules_storage->mixes_instances);
}

/* The same by its row, mostly without a look at its attributes: the row of one that does not is special, too. */
static inline bool phx_row_sees_common(const phx_shard *shard, uint32_t row)
{
    const phx_row_word word = phx_row_word_at(shard->grid.rows.slot, row);
    if (PHX_LIKELY(!phx_row_word_special(word))) return true;
    return phx_sees_common(shard, phx_store_attr(&shard->store, phx_row_word_slot(word)));
}

/* May an own observer's list be derived from now on? */
static inline bool phx_ninegrid_plain(const phx_shard *shard, uint32_t slot)
{
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    return phx_attr_observes(attr) && phx_list_unlimited(attr) && phx_sees_common(shard, attr) &&
           shard->far.global_count == 0 && !(shard->store.body[slot].state & (PHX_SLOT_RELATED | PHX_SLOT_PARTIAL));
}

/* Does a row's observer have its list by view and position alone, but for special targets? */
static inline bool phx_row_plain(const phx_shard *shard, uint32_t row)
{
    return shard->grid.rows.view[row] > 0.0f && phx_row_sees_common(shard, row);
}

/* Does the position of a plain row decide whether it sees this target? Else phx_shard_is_in_list() decides. */
static inline bool phx_row_decides(const phx_shard *shard, const phx_body *target)
{
    ph_shape shape = shard->rules->shape;
    return !(target->state & PHX_SLOT_SPECIAL) && (shape == PH_SHAPE_CIRCLE || shape == PH_SHAPE_SQUARE);
}

/* Is a target at (x, y) in the view of the plain row? For targets that phx_row_decides() answers true for. */
static inline bool phx_row_views(const phx_grid_rows *rows, uint32_t row, float x, float y, bool square)
{
    float view = rows->view[row], dx = x - rows->x[row], dy = y - rows->y[row];
    return square ? (fabsf(dx) <= view) & (fabsf(dy) <= view) : dx * dx + dy * dy <= view * view;
}

/*
 * The box of all targets that an observer may see, or of all observers that may see a target, within the radius; range
 * = towers: the span.
 */
phx_box phx_shard_box(const phx_shard *shard, const phx_body *body, float radius);

/* Is the list of an own observer derived from the interest phase on? */
bool phx_shard_derives(const phx_shard *shard, uint32_t slot);

#endif

/*
 * Previous lists; see prev_list.h.
 */
#include "shards/query/prev_list.h"

#include "base/simd.h"
#include "shards/query/far_list.h"
#include "shards/state/annulus.h"
#include "shards/state/related.h"
#include "shards/state/view_reach.h"

/* One observer at the last tick's end, and the output. */
typedef struct prev_list_search {
    const phx_shard *shard;
    uint32_t slot;
    const phx_attr *attr;
    bool common;                     /* it saw each target that was not special */
    const phx_relation_set *related; /* NULL: none */
    float x, y, z;
    bool indexed; /* rows are as in the index phase; else of the last tick, dead slots included */
    bool noted;   /* the flags of rows may be newer than the last tick's end */
    bool plain;   /* it saw each target in view that was not special */
    uint32_t *out;
    uint32_t count;
    phx_list_fn visit; /* NULL: out[] has room for all; else it is told piece by piece */
    void *user;
    bool stopped;
} prev_list_search;

static void tell_prev_piece(prev_list_search *at)
{
    if (at->count > 0 && !at->stopped) at->stopped = !at->visit(at->user, at->out, at->count);
    at->count = 0;
}

static void add_prev_target(prev_list_search *at, uint32_t target)
{
    if (at->out) at->out[at->count] = target;
    at->count++;
    if (PHX_UNLIKELY(at->visit && at->count == PHX_LIST_PIECE_MAX)) tell_prev_piece(at);
}

/* The distance of a target as heights count, from that in the ground plane, as phx_in_range() compares it. */
static inline float level_distance(const prev_list_search *at, uint32_t target, float distance)
{
    const phx_prev_rows *previous = &at->shard->previous;
    if (PHX_LIKELY(!phx_shape_is_tall(previous->shape))) return distance;
    const float dz = at->shard->old_heights.at[target] - at->z;
    if (previous->shape == PH_SHAPE_CYLINDER) return fabsf(dz) <= previous->height ? distance : INFINITY;
    return distance + dz * dz;
}

/* Is a distance of heights, too, within a radius of the observer? */
static inline bool was_within(const prev_list_search *at, float distance, float radius)
{
    return distance <= (at->shard->previous.shape == PH_SHAPE_SQUARE ? radius : radius * radius);
}

/* The towers of all rows within its old view; since the index phase rows stand where entities are now. */
static phx_rect add_prev_rect(const prev_list_search *at)
{
    float off = at->shard->grid.drift_bound + (at->indexed ? at->shard->step_max : 0.0f);
    return phx_interest_rect(at->shard->rules, at->x, at->y, at->attr->view + off);
}

/* Was a target in view, with these attributes and at this distance, in the near part of the list? By its bound, too. */
static bool was_near(const prev_list_search *at, const phx_attr *target, float distance)
{
    const float bound = phx_bound_of(target);
    return phx_near_admits(at->attr, target) && (bound >= at->attr->view || was_within(at, distance, bound));
}

/* Was a target listed that stood at x and y? special: its attributes, as they count; else NULL. */
static bool was_listed(const prev_list_search *at, uint32_t target, const phx_attr *special, float x, float y)
{
    if (phx_related_to(at->shard, at->related, target)) return false;
    const bool square = at->shard->previous.shape == PH_SHAPE_SQUARE;
    const float distance = level_distance(at, target, phx_range_measure(x - at->x, y - at->y, square));
    return (special ? was_near(at, special, distance) : at->common) && was_within(at, distance, at->attr->view);
}

/* Adds the targets of rows, which are few enough for one scan. */
static void add_prev_rows(prev_list_search *at, phx_span span)
{
    const phx_shard *shard = at->shard;
    const phx_store *store = &shard->store;
    const phx_grid_rows *now = &shard->grid.rows, rows = {.x = now->ox, .y = now->oy, .slot = now->slot};
    const phx_range area = {at->x, at->y, at->attr->view, shard->previous.shape == PH_SHAPE_SQUARE};
    uint32_t hits[PHX_QUERY_ROWS + PHX_KERNEL_PAD];
    float squares[PHX_QUERY_ROWS + PHX_KERNEL_PAD];
    const uint32_t count = shard->kernels->range_scan(&rows, span, &area, hits, squares);
    for (uint32_t i = 0; i < count; i++) {
        const phx_row_word word = phx_row_word_at(hits, i);
        const uint32_t target = phx_row_word_slot(word);
        if (target == at->slot) continue;
        if (PHX_UNLIKELY(!at->plain || phx_row_word_special(word))) {
            const uint32_t row = store->body[target].row;
            const bool changed = at->noted && (store->body[target].state & PHX_SLOT_NOTED);
            const bool special = changed || phx_row_word_special(word);
            const phx_attr *attr = special ? phx_prev_rows_attr_of(&shard->previous, store, target) : NULL;
            if (!was_listed(at, target, attr, now->ox[row], now->oy[row])) continue;
        }
        add_prev_target(at, target);
    }
}

/* Adds the targets of previous rows, which are few enough for one scan. */
static void add_prev_discontinuous(prev_list_search *at, phx_span span)
{
    const phx_prev_rows *previous = &at->shard->previous;
    const phx_grid_rows rows = {.x = previous->x, .y = previous->y, .slot = previous->place};
    const phx_range area = {at->x, at->y, at->attr->view, previous->shape == PH_SHAPE_SQUARE};
    uint32_t hits[PHX_QUERY_ROWS + PHX_KERNEL_PAD];
    float squares[PHX_QUERY_ROWS + PHX_KERNEL_PAD];
    const uint32_t count = at->shard->kernels->range_scan(&rows, span, &area, hits, squares);
    for (uint32_t i = 0; i < count; i++) {
        const phx_row_word word = phx_row_word_at(previous->word, hits[i]);
        const uint32_t target = phx_row_word_slot(word);
        if (target == at->slot) continue;
        if (PHX_UNLIKELY(!at->plain || phx_row_word_special(word))) {
            const phx_prev_rows_row *row = &previous->rows[hits[i]];
            const bool special = phx_row_word_special(word);
            const phx_attr *attr = special ? phx_prev_rows_row_attr(previous, &at->shard->store, row) : NULL;
            if (!was_listed(at, target, attr, row->x, row->y)) continue;
        }
        add_prev_target(at, target);
    }
}

/* Tells a span in pieces that are few enough for one scan. */
static void add_prev_span(prev_list_search *at, phx_span span, uint64_t *pairs,
                          void (*add)(prev_list_search *at, phx_span piece))
{
    *pairs += span.end - span.first;
    for (; span.end - span.first > PHX_QUERY_ROWS; span.first += PHX_QUERY_ROWS)
        add(at, (phx_span){span.first, span.first + PHX_QUERY_ROWS});
    if (span.first < span.end) add(at, span);
}

/* Adds the near part of the list: from the rows, and from the previous ones of entities that are discontinuous. */
static void add_prev_near(prev_list_search *at, uint64_t *pairs)
{
    const phx_shard *shard = at->shard;
    const bool previous = at->indexed && shard->previous.row_count > 0;
    phx_block_walk walk = phx_grid_walk(&shard->grid, at->attr->instance, add_prev_rect(at));
    for (const phx_block *block; (block = phx_grid_next(&walk)) != NULL;) {
        phx_span spans[PHX_BLOCK_SIDE];
        const uint32_t count = phx_block_spans(block, walk.rect, spans);
        for (uint32_t i = 0; i < count; i++) add_prev_span(at, spans[i], pairs, add_prev_rows);
        if (previous) add_prev_span(at, block->previous, pairs, add_prev_discontinuous);
    }
}

static phx_far_observer far_observer_of(const prev_list_search *at)
{
    return (phx_far_observer){at->slot, at->attr, at->x, at->y, at->z};
}

/* Adds what is in the list beside its near part. */
static void add_prev_beside(prev_list_search *at)
{
    const phx_far_observer observer = far_observer_of(at);
    const phx_annulus annulus = phx_annulus_of(at->shard, at->slot);
    for (uint32_t i = 0, target; phx_far_list_before(at->shard, &observer, &i, &target);)
        if (!phx_related_to(at->shard, at->related, target)) add_prev_target(at, target);
    for (uint32_t i = 0, target; phx_related_listed(at->related, &i, &target);) add_prev_target(at, target);
    for (uint32_t i = 0; i < annulus.count; i++) add_prev_target(at, annulus.at[i]);
}

static prev_list_search open_prev_list(const phx_shard *shard, uint32_t slot)
{
    const phx_store *store = &shard->store;
    const phx_body *body = &store->body[slot];
    const phx_grid_rows *rows = &shard->grid.rows;
    PHX_ASSERT(body->state & PHX_SLOT_ROW);
    prev_list_search at = {.shard = shard,
                           .slot = slot,
                           .attr = phx_prev_rows_attr_of(&shard->previous, store, slot),
                           .related = phx_related_of(shard, slot),
                           .x = rows->ox[body->row],
                           .y = rows->oy[body->row],
                           .indexed = shard->deferred.depth == 0};
    at.common = phx_sees_common(shard, at.attr);
    at.noted = !at.indexed && shard->previous.attr_count > 0;
    at.plain = at.common && !at.noted && !at.related && !phx_shape_is_tall(shard->previous.shape);
    if (phx_shape_is_tall(shard->previous.shape)) at.z = shard->old_heights.at[slot];
    if (at.x != at.x) { /* it is discontinuous itself */
        const phx_prev_rows_row *row = &shard->previous.rows[store->tail[slot].list.block];
        PHX_ASSERT(row->slot == slot);
        at.x = row->x;
        at.y = row->y;
    }
    return at;
}

uint32_t phx_prev_list(const phx_shard *shard, uint32_t slot, uint32_t *out, uint64_t *pairs)
{
    PHX_ASSERT(shard->store.tail[slot].list.derived == 1);
    prev_list_search at = open_prev_list(shard, slot);
    at.out = out;
    add_prev_near(&at, pairs);
    add_prev_beside(&at);
    return at.count;
}

void phx_prev_list_visit(const phx_shard *shard, uint32_t slot, phx_list_fn visit, void *user)
{
    uint32_t targets[PHX_LIST_PIECE_MAX];
    uint64_t pairs = 0;
    PHX_ASSERT(shard->deferred.depth > 0);
    prev_list_search at = open_prev_list(shard, slot);
    at.out = targets;
    at.visit = visit;
    at.user = user;
    add_prev_near(&at, &pairs);
    add_prev_beside(&at);
    tell_prev_piece(&at);
}

bool phx_prev_list_has(const phx_shard *shard, uint32_t slot, uint32_t target)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    const phx_body *body = &shard->store.body[target];
    PHX_ASSERT(shard->deferred.depth > 0);
    if (target == slot || !(body->state & PHX_SLOT_ROW)) return false;
    const prev_list_search at = open_prev_list(shard, slot);
    const phx_relation *relation = phx_related_to(shard, at.related, target);
    if (relation) return relation->listed;
    if (phx_annulus_has(shard, slot, target)) return true;
    const phx_attr *attr = phx_prev_rows_attr_of(&shard->previous, &shard->store, target);
    if (phx_far_seen(at.attr, attr)) {
        const phx_far_observer observer = far_observer_of(&at);
        for (uint32_t i = 0, seen; phx_far_list_before(shard, &observer, &i, &seen);)
            if (seen == target) return true;
        return false;
    }
    const bool square = shard->previous.shape == PH_SHAPE_SQUARE;
    const float distance =
        level_distance(&at, target, phx_range_measure(rows->ox[body->row] - at.x, rows->oy[body->row] - at.y, square));
    return was_within(&at, distance, at.attr->view) && was_near(&at, attr, distance);
}

uint32_t phx_prev_list_max(const phx_shard *shard, uint32_t slot)
{
    prev_list_search at = open_prev_list(shard, slot);
    return phx_grid_most(&shard->grid, at.attr->instance, add_prev_rect(&at)) + shard->previous.row_count +
           phx_far_list_max(shard) + (at.related ? at.related->count : 0) + phx_annulus_of(shard, slot).count;
}

void phx_row_query_view(phx_row_query *query, const phx_shard *shard, uint32_t slot)
{
    const phx_body *body = &shard->store.body[slot];
    float view = phx_store_attr(&shard->store, slot)->view;
    phx_rect rect = phx_interest_rows_rect(shard, body, view);
    phx_row_query_open(query, shard->kernels,
                       phx_grid_walk(&shard->grid, phx_store_instance(&shard->store, slot), rect),
                       (phx_range){body->x, body->y, view, shard->rules->shape == PH_SHAPE_SQUARE}, false);
}

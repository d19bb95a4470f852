/*
 * Far items of a block; see far_items.h.
 */
#include "shards/interest/far_items.h"

#include <string.h>

#include "shards/query/far_near.h"

void phx_far_items_free(phx_far_items *items, phx_mem *mem)
{
    phx_release(mem, (void **)&items->items, &items->capacity, sizeof *items->items);
    phx_release(mem, (void **)&items->lanes, &items->lanes_capacity, sizeof *items->lanes);
    phx_release(mem, (void **)&items->due_row, &items->due_row_capacity, sizeof *items->due_row);
    phx_release(mem, (void **)&items->due, &items->due_capacity, sizeof *items->due);
    *items = (phx_far_items){0};
}

static phx_far_item make_item(const phx_shard *shard, uint32_t slot)
{
    const phx_body *body = &shard->store.body[slot];
    const float reach = phx_store_attr(&shard->store, slot)->reach;
    phx_far_item item = {.x = body->x,
                         .y = body->y,
                         .z = body->z,
                         .old_x = body->x,
                         .old_y = body->y,
                         .old_z = shard->uneven ? shard->old_heights.at[slot] : body->z,
                         .reach = reach,
                         .old_reach = reach,
                         .slot = slot};
    if (body->state & PHX_SLOT_ROW) { /* a ghost without a row stands still: else it is discontinuous */
        item.old_x = shard->grid.rows.ox[body->row];
        item.old_y = shard->grid.rows.oy[body->row];
    }
    return item;
}

static phx_far_item make_changed_item(const phx_far_change *change)
{
    return (phx_far_item){.x = change->x,
                          .y = change->y,
                          .z = change->z,
                          .old_x = change->old_x,
                          .old_y = change->old_y,
                          .old_z = change->old_z,
                          .reach = change->reach,
                          .old_reach = change->old_reach,
                          .slot = change->slot,
                          .changed = true};
}

/* Room for more items. false = no memory. */
static bool reserve_items(phx_far_items *items, phx_mem *mem, uint32_t more)
{
    const size_t needed = (size_t)items->count + more;
    return phx_grow(mem, (void **)&items->items, &items->capacity, items->count, needed, sizeof *items->items) &&
           phx_grow(mem, (void **)&items->lanes, &items->lanes_capacity, 0,
                    (needed + PHX_FAR_LANES - 1) / PHX_FAR_LANES, sizeof *items->lanes) &&
           phx_grow(mem, (void **)&items->due, &items->due_capacity, 0, needed, sizeof *items->due);
}

/* Adds the targets of entries first .. end, but for discontinuous ones. false = no memory. */
static bool add_items(phx_far_items *items, phx_mem *mem, const phx_shard *shard, uint32_t first, uint32_t end)
{
    if (!reserve_items(items, mem, end - first)) return false;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t slot = shard->far.entries[i].slot;
        const phx_body *body = &shard->store.body[slot];
        if (phx_shard_dirty(shard, body) && (body->state & PHX_SLOT_DISCONTINUOUS)) continue;
        items->items[items->count++] = make_item(shard, slot);
    }
    return true;
}

static bool stop_at_cells(void *user, uint32_t first, uint32_t end)
{
    (void)user, (void)first, (void)end;
    return false;
}

typedef struct collection {
    phx_far_items *items;
    phx_mem *mem;
    const phx_shard *shard;
} collection;

static bool collect_cells(void *user, uint32_t first, uint32_t end)
{
    const collection *to = user;
    return add_items(to->items, to->mem, to->shard, first, end);
}

static phx_far_box find_rows_box(const phx_shard *shard, const phx_block *block)
{
    phx_far_box box = phx_far_box_empty();
    for (uint32_t row = block->start[0]; row < block->start[PHX_BLOCK_TOWERS]; row++) phx_far_box_add(&box, shard, row);
    return box;
}

/* A border, from a distance to another one from a place; in doubles, sums of positions are as good as exact. */
typedef struct far_border {
    double x, y, z, in, out;
    double level_in, level_out; /* of a cylinder: the same in height */
    ph_shape shape;
} far_border;

/* A difference of two places. */
typedef struct far_step {
    double x, y, z;
} far_step;

/* Not of libm: these are no calls. */
static inline double larger_of(double a, double b)
{
    return a > b ? a : b;
}

/* The least and the largest distance along an axis of a place from places between two limits. */
static inline void axis_distances(double low, double high, double at, double *least, double *most)
{
    const double below = low - at, above = at - high;
    *least = larger_of(larger_of(below, above), 0.0);
    *most = larger_of(-below, -above);
}

/* The least and the largest distance of heights, where the box moves along by dz; 0 of shapes without. */
static void far_level_distances(const far_border *border, const phx_far_box *box, double dz, double *least,
                                double *most)
{
    *least = *most = 0.0;
    if (border->shape != PH_SHAPE_SPHERE && border->shape != PH_SHAPE_CYLINDER) return;
    axis_distances(box->heights.low - larger_of(-dz, 0.0), box->heights.high + larger_of(dz, 0.0), border->z, least,
                   most);
}

/* May the border lie between two places of the box, which moves along by a step? */
static bool border_in_box(const far_border *border, const phx_far_box *box, far_step step)
{
    double x, y, z, most_x, most_y, most_z;
    axis_distances(box->x0 - larger_of(-step.x, 0.0), box->x1 + larger_of(step.x, 0.0), border->x, &x, &most_x);
    axis_distances(box->y0 - larger_of(-step.y, 0.0), box->y1 + larger_of(step.y, 0.0), border->y, &y, &most_y);
    if (border->shape == PH_SHAPE_SQUARE)
        return larger_of(x, y) <= border->out && larger_of(most_x, most_y) >= border->in;
    far_level_distances(border, box, step.z, &z, &most_z);
    const double out = border->out * border->out, in = border->in * border->in;
    const double square = x * x + y * y, most = most_x * most_x + most_y * most_y;
    if (border->shape == PH_SHAPE_CYLINDER)
        return square <= out && z <= border->level_out && (most >= in || most_z >= border->level_in);
    return square + z * z <= out && most + most_z * most_z >= in;
}

/* More than the rule's rounding, and than distances with squares that underflow in float32. */
#define MORE 1.00001
#define LEAST 1e-18

/* May a place of the box be within the distance of a place, in the ground plane? */
static bool disc_in_box(float x, float y, double distance, const phx_far_box *box, bool square)
{
    if (!(distance >= 0.0)) return false;
    const far_border disc = {
        .x = x, .y = y, .out = distance * MORE + LEAST, .shape = square ? PH_SHAPE_SQUARE : PH_SHAPE_CIRCLE};
    return border_in_box(&disc, box, (far_step){0.0, 0.0, 0.0});
}

/* May an item have an event with an observer in the box? */
static bool item_in_box(const phx_far_item *item, const phx_shard *shard, const phx_far_box *box)
{
    const bool square = shard->rules->shape == PH_SHAPE_SQUARE;
    const double margin = shard->margin_max;
    if (item->changed)
        return disc_in_box(item->x, item->y, item->reach, box, square) ||
               (item->old_reach >= 0.0f &&
                disc_in_box(item->old_x, item->old_y, item->old_reach + margin, box, square));
    const far_border border = {.x = item->x,
                               .y = item->y,
                               .z = item->z,
                               .in = larger_of(item->reach / MORE - LEAST, 0.0),
                               .out = (item->reach + margin) * MORE + LEAST,
                               .level_in = larger_of(shard->rules->height / MORE - LEAST, 0.0),
                               .level_out = shard->rules->height * MORE + LEAST,
                               .shape = phx_shard_delta_shape(shard)};
    /* seen from the item, the places of the last tick lie where its own step takes them */
    const far_step step = {(double)item->x - item->old_x, (double)item->y - item->old_y, (double)item->z - item->old_z};
    return border_in_box(&border, box, step);
}

/* Adds the changes of the tick that may have an event with an observer in the box. false = no memory. */
static bool add_changes(phx_far_items *items, phx_mem *mem, const phx_shard *shard, const phx_far_box *box)
{
    for (uint32_t i = 0; i < shard->far.change_count; i++) {
        const phx_far_item item = make_changed_item(&shard->far.changes[i]);
        if (!item_in_box(&item, shard, box)) continue;
        if (!reserve_items(items, mem, 1)) return false;
        items->items[items->count++] = item;
    }
    return true;
}

bool phx_far_items_collect(phx_far_items *items, phx_mem *mem, const phx_shard *shard, const phx_block *block)
{
    collection to = {items, mem, shard};
    items->count = items->crossing = 0;
    items->picked = (phx_span){0, 0};
    items->moved = false;
    PHX_ASSERT(!shard->far_dirty);
    if (!phx_far_visit_near(shard, block, collect_cells, &to)) return false;
    if (items->count == 0 && shard->far.change_count == 0) return true;
    const phx_far_box box = find_rows_box(shard, block);
    if (!add_changes(items, mem, shard, &box)) return false;
    if (items->count == 0) return true;
    const uint32_t rows = block->start[PHX_BLOCK_TOWERS] - block->start[0];
    if (!phx_grow(mem, (void **)&items->due_row, &items->due_row_capacity, 0, rows, sizeof *items->due_row))
        return false;
    memset(items->due_row, true, rows);
    items->first_row = block->start[0];
    phx_far_items_pick(items, shard, &box);
    items->count = items->crossing;
    for (uint32_t i = 0; i < items->count; i++) {
        const phx_far_item *item = &items->items[i];
        items->moved |= item->changed || item->x != item->old_x || item->y != item->old_y || item->z != item->old_z;
    }
    return true;
}

bool phx_far_items_near(const phx_shard *shard, const phx_block *block)
{
    const phx_far *far = &shard->far;
    if (!phx_far_visit_near(shard, block, stop_at_cells, NULL)) return true;
    if (far->change_count == 0) return false;
    const phx_far_box box = find_rows_box(shard, block);
    for (uint32_t i = 0; i < far->change_count; i++) {
        const phx_far_item item = make_changed_item(&far->changes[i]);
        if (item_in_box(&item, shard, &box)) return true;
    }
    return false;
}

static void set_lane(phx_far_items *items, uint32_t i, const phx_far_item *item)
{
    phx_far_lanes *lanes = &items->lanes[i / PHX_FAR_LANES];
    const uint32_t lane = i % PHX_FAR_LANES;
    lanes->x[lane] = item->x, lanes->y[lane] = item->y, lanes->z[lane] = item->z;
    lanes->old_x[lane] = item->old_x, lanes->old_y[lane] = item->old_y, lanes->old_z[lane] = item->old_z;
    lanes->reach[lane] = item->reach, lanes->old_reach[lane] = item->old_reach, lanes->changed[lane] = item->changed;
}

void phx_far_items_pick(phx_far_items *items, const phx_shard *shard, const phx_far_box *box)
{
    static const phx_far_item none = {.reach = -1.0f, .old_reach = -1.0f};
    items->crossing = 0;
    for (uint32_t i = 0; i < items->count; i++) {
        const phx_far_item item = items->items[i];
        if (!item_in_box(&item, shard, box)) continue;
        items->items[i] = items->items[items->crossing];
        items->items[items->crossing] = item;
        set_lane(items, items->crossing++, &item);
    }
    for (uint32_t i = items->crossing; i % PHX_FAR_LANES != 0; i++) set_lane(items, i, &none);
}

/* ---- the items of one observer ---- */

/* Is a changed item within its reach of the observer, or was it within reach and margin? */
static bool changed_near(const phx_far_item *item, const phx_far_query *at)
{
    const phx_far_offset now = {item->x - at->x, item->y - at->y, item->z - at->z};
    const phx_far_offset old = {item->old_x - at->old_x, item->old_y - at->old_y, item->old_z - at->old_z};
    return phx_far_within(now, item->reach, at->shape, at->height) ||
           phx_far_within(old, item->old_reach + at->margin, at->shape, at->height);
}

uint32_t phx_far_items_find(phx_far_items *items, const phx_shard *shard, uint32_t row, float view, float margin)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    const uint32_t slot = phx_row_slot(rows, row);
    const bool uneven = shard->uneven; /* else bodies are not read */
    const phx_far_query at = {.x = rows->x[row],
                              .y = rows->y[row],
                              .z = uneven ? shard->store.body[slot].z : 0.0f,
                              .old_x = rows->ox[row],
                              .old_y = rows->oy[row],
                              .old_z = uneven ? shard->old_heights.at[slot] : 0.0f,
                              .view = view,
                              .margin = margin,
                              .shape = phx_shard_delta_shape(shard),
                              .height = shard->rules->height};
    const uint32_t found = shard->kernels->find_far(items->lanes, items->crossing, &at, items->due);
    items->due_count = 0;
    for (uint32_t i = 0; i < found; i++) {
        const phx_far_item *item = &items->items[items->due[i]];
        if (item->slot == slot) continue;
        if (item->changed && !changed_near(item, &at)) continue;
        items->due[items->due_count++] = items->due[i];
    }
    return items->due_count;
}

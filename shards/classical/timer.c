/*
 * index = timer: pairs, each compared when it could have met; see README.md. Changes are noted, and applied at the end
 * of the tick's changes: time advances, then ranges, then pairs of entities that entered, left or jumped, then the plan
 * of every observer with a due pair. Written by the shard's owner in the index phase.
 */
#include "shards/classical/timer.h"

#include <string.h>

#include "shards/classical/timer_plans.h"
#include "shards/classical/timer_ranges.h"
#include "shards/classical/timer_state.h"
#include "shards/entity/entity_store.h"

static bool timer_index_init(phx_index *index)
{
    phx_timer *own = (phx_timer *)index;
    phx_list_pool_init(&own->pool);
    own->cell = (double)index->env.rules->tower_size; /* until there are observers */
    own->per_cell = 1.0 / own->cell;
    own->moved_on = true;
    return true;
}

static void timer_index_release(phx_index *index)
{
    phx_timer *own = (phx_timer *)index;
    phx_mem *mem = index->env.mem;
    phx_release(mem, (void **)&own->movers, &own->movers_capacity, sizeof(phx_timer_mover));
    phx_release(mem, (void **)&own->plans, &own->plans_capacity, sizeof(phx_timer_plan));
    phx_release(mem, (void **)&own->flags, &own->flags_capacity, sizeof(uint8_t));
    phx_release(mem, (void **)&own->buckets, &own->buckets_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&own->changes, &own->changes_capacity, sizeof(phx_timer_change));
    phx_list_pool_free(&own->pool, mem);
}

/* At least a bucket for each slot; with more slots all are hashed anew. */
static bool reserve_mover_buckets(phx_timer *own, phx_mem *mem, uint32_t slots)
{
    uint32_t wanted = 64;
    while (wanted < slots && wanted < 1u << 31) wanted *= 2;
    if (own->bucket_mask + 1 >= wanted) return true;
    if (!phx_grow(mem, (void **)&own->buckets, &own->buckets_capacity, 0, wanted, sizeof(uint32_t))) return false;
    own->bucket_mask = wanted - 1;
    phx_timer_rehash(own);
    return true;
}

static bool timer_index_reserve(phx_index *index, uint32_t slots)
{
    phx_timer *own = (phx_timer *)index;
    phx_mem *mem = index->env.mem;
    if (!phx_grow(mem, (void **)&own->movers, &own->movers_capacity, own->slots, slots, sizeof(phx_timer_mover)) ||
        !phx_grow(mem, (void **)&own->plans, &own->plans_capacity, own->slots, slots, sizeof(phx_timer_plan)) ||
        !phx_grow(mem, (void **)&own->flags, &own->flags_capacity, own->slots, slots, sizeof(uint8_t)) ||
        !phx_grow(mem, (void **)&own->changes, &own->changes_capacity, own->change_count, slots,
                  sizeof(phx_timer_change)) ||
        !reserve_mover_buckets(own, mem, slots))
        return false;
    for (; own->slots < slots; own->slots++) {
        own->flags[own->slots] = 0;
        own->movers[own->slots] = (phx_timer_mover){.radius = -1.0f, .next = PHX_SLOT_NONE};
        own->plans[own->slots] =
            (phx_timer_plan){.block = phx_list_empty(), .next = PHX_TIMER_NEVER, .horizon = PHX_TIMER_NEVER};
    }
    return true;
}

/* ---- noting a tick's changes ---- */

static void timer_index_begin_tick(phx_index *index, uint64_t tick)
{
    phx_timer *own = (phx_timer *)index;
    (void)tick;
    own->change_count = 0;
    own->moved_on = false;
    for (uint32_t slot = 0; slot < own->slots; slot++)
        own->flags[slot] &= (uint8_t) ~(PHX_TIMER_CHANGED | PHX_TIMER_TURNED | PHX_TIMER_AFRESH | PHX_TIMER_MADE);
}

static void note_mover_change(phx_timer *own, uint32_t slot, double step, uint32_t what)
{
    const phx_timer_mover *mover = &own->movers[slot];
    float rounded = step < (double)FLT_MAX ? nextafterf((float)step, INFINITY) : INFINITY;
    PHX_ASSERT(own->change_count < own->changes_capacity);
    own->changes[own->change_count++] = (phx_timer_change){
        .slot = slot, .step = step > 0.0 ? rounded : 0.0f, .cx = mover->cx, .cy = mover->cy, .what = what};
}

static void read_mover(phx_timer *own, uint32_t slot)
{
    const phx_store *store = own->index.env.store;
    const phx_body *body = &store->body[slot];
    const phx_attr *attr = phx_store_attr(store, slot);
    phx_timer_mover *mover = &own->movers[slot];
    mover->x = body->x;
    mover->y = body->y;
    mover->z = body->z;
    mover->radius = phx_index_radius(store, slot);
    mover->view = attr->view;
    mover->bound = phx_bound_of(attr);
    mover->layers = attr->layers;
    mover->stealth = attr->stealth;
    mover->instance = attr->instance;
    mover->veiled = attr->veiled;
}

static void timer_index_insert(phx_index *index, uint32_t slot)
{
    phx_timer *own = (phx_timer *)index;
    read_mover(own, slot);
    own->flags[slot] |= PHX_TIMER_IN | PHX_TIMER_CHANGED;
    own->in_count++;
    own->observer_count += own->movers[slot].radius >= 0.0f;
    note_mover_change(own, slot, 0.0, PHX_TIMER_ENTERED);
}

static void timer_index_remove(phx_index *index, uint32_t slot)
{
    phx_timer *own = (phx_timer *)index;
    note_mover_change(own, slot, 0.0, PHX_TIMER_LEFT);
    phx_timer_unrange(own, slot);
    phx_timer_drop(own, slot);
    own->flags[slot] &= (uint8_t)~PHX_TIMER_IN;
    own->in_count--;
    own->observer_count -= own->movers[slot].radius >= 0.0f;
    own->movers[slot].radius = -1.0f;
}

static double step_between(ph_shape shape, const phx_timer_mover *from, const phx_timer_mover *to)
{
    double dx = (double)to->x - (double)from->x, dy = (double)to->y - (double)from->y;
    double dz = (double)to->z - (double)from->z;
    bool flat = shape == PH_SHAPE_CIRCLE || shape == PH_SHAPE_SQUARE;
    return sqrt(dx * dx + dy * dy + (flat ? 0.0 : dz * dz));
}

static void timer_index_move(phx_index *index, uint32_t slot)
{
    phx_timer *own = (phx_timer *)index;
    phx_timer_mover *mover = &own->movers[slot], before = *mover;
    read_mover(own, slot);
    own->flags[slot] |= PHX_TIMER_CHANGED;
    bool view_changed = mover->radius != before.radius || (mover->radius >= 0.0f && mover->view != before.view);
    bool other = mover->layers != before.layers || mover->stealth != before.stealth || mover->veiled != before.veiled ||
                 mover->instance != before.instance || mover->bound != before.bound;
    own->observer_count -= before.radius >= 0.0f;
    own->observer_count += mover->radius >= 0.0f;
    if (view_changed) phx_timer_refresh(own, slot);
    double step = step_between(index->env.rules->shape, &before, mover);
    if (step > 0.0 || other) note_mover_change(own, slot, step, other ? PHX_TIMER_OTHER : 0);
}

/* ---- time ---- */

enum { STEP_SHIFT = 23, STEP_CLASSES = 256 }; /* steps by their exponents */

/* The length from which steps are jumps: outliers, left out so that time does not advance fast for all. */
static float jump_from(const phx_timer *own)
{
    uint32_t count[STEP_CLASSES] = {0}, jumps = 0;
    uint32_t most = own->change_count / PHX_TIMER_JUMP_PART, class = STEP_CLASSES - 1;
    uint32_t least = phx_timer_bits((float)(own->cell / PHX_TIMER_REACH_MAX)) >> STEP_SHIFT; /* shorter ones: never */
    if (most < PHX_TIMER_JUMP_LEAST) most = PHX_TIMER_JUMP_LEAST;
    for (uint32_t i = 0; i < own->change_count; i++) count[phx_timer_bits(own->changes[i].step) >> STEP_SHIFT]++;
    while (class > least && jumps + count[class] <= most) jumps += count[class --];
    union {
        uint32_t bits;
        float f;
    } u = {.bits = (class + 1) << STEP_SHIFT};
    return class + 1 < STEP_CLASSES ? u.f : INFINITY;
}

/* Advances time by the longest step that is no jump. */
static void advance_time(phx_timer *own)
{
    enum { SIDES = 4096 }; /* by then float32 distinguishes times by a two-thousandth of a cell */
    float limit = jump_from(own), longest = 0.0f;
    for (uint32_t i = 0; i < own->change_count; i++) {
        phx_timer_change *change = &own->changes[i];
        if (change->step >= limit) change->what |= PHX_TIMER_JUMPED;
        else if (change->step > longest) longest = change->step;
    }
    if (own->way > SIDES * own->cell) phx_timer_set_back(own);
    own->way += (double)longest * (1.0 + 1e-9);
    phx_timer_time down = phx_timer_down(own->way);
    own->now = own->way > 0.0 && down < PHX_TIMER_NEVER - 1 ? down + 1 : down;
}

/* ---- end of a tick's changes ---- */

/* Gives new ranges to slots that need one; old ranges stay noted in the changes. */
static void range_changed(phx_timer *own)
{
    for (uint32_t i = 0; i < own->change_count; i++) {
        phx_timer_change *change = &own->changes[i];
        uint32_t slot = change->slot;
        if (change->what != 0) own->flags[slot] |= PHX_TIMER_TURNED;
        if (change->what & PHX_TIMER_LEFT) continue;
        bool leaves = !(change->what & PHX_TIMER_ENTERED) && !phx_timer_in_range(own, slot);
        if (leaves) {
            change->what |= PHX_TIMER_RANGED;
            own->flags[slot] |= PHX_TIMER_TURNED;
            phx_timer_unrange(own, slot);
        }
        if (leaves || (change->what & PHX_TIMER_ENTERED)) phx_timer_range(own, slot);
        if (leaves || (change->what & (PHX_TIMER_ENTERED | PHX_TIMER_JUMPED))) phx_timer_refresh(own, slot);
    }
}

/* Announces slots that left or came into ranges: their pairs are made, or due. */
static void announce_changed(phx_timer *own)
{
    for (uint32_t i = 0; i < own->change_count; i++) {
        const phx_timer_change *change = &own->changes[i];
        uint32_t what = change->what;
        if (what & (PHX_TIMER_LEFT | PHX_TIMER_OTHER | PHX_TIMER_JUMPED)) phx_timer_report_left(own, change);
        if (what & (PHX_TIMER_ENTERED | PHX_TIMER_JUMPED | PHX_TIMER_RANGED)) phx_timer_announce_entered(own, change);
    }
}

/* Did the world's rules change, so that no plan is valid? */
static bool follow_rules(phx_timer *own)
{
    const phx_rules *rules = own->index.env.rules;
    bool same = own->shape == rules->shape && own->height == rules->height;
    own->shape = rules->shape;
    own->height = rules->height;
    return !same;
}

static void move_on(phx_timer *own)
{
    bool other_rules = follow_rules(own), other_cells = phx_timer_choose_cell(own);
    advance_time(own);
    range_changed(own);
    if (other_cells) phx_timer_range_all(own);
    if (other_cells || other_rules) {
        for (uint32_t slot = 0; slot < own->slots; slot++)
            if (own->flags[slot] & PHX_TIMER_IN) phx_timer_refresh(own, slot);
    } else {
        announce_changed(own);
    }
    own->at = 0;
    own->moved_on = true;
}

static bool timer_index_end_changes(phx_index *index)
{
    phx_timer *own = (phx_timer *)index;
    if (!own->moved_on) move_on(own);
    for (; own->at < own->slots; own->at++)
        if (own->movers[own->at].radius >= 0.0f && !phx_timer_run(own, own->at)) return false;
    return true;
}

/* ---- reading ---- */

static void timer_index_around(const phx_index *index, phx_box box, phx_sink *sink)
{
    const phx_timer *own = (const phx_timer *)index;
    phx_pieces pieces;
    if (own->in_count == 0) return;
    phx_pieces_open(&pieces, sink);
    phx_timer_walk walk =
        phx_timer_walk_of(own, phx_timer_cell(own, box.x0, -1.5) - 1, phx_timer_cell(own, box.y0, -1.5) - 1,
                          phx_timer_cell(own, box.x1, 0.5) + 1, phx_timer_cell(own, box.y1, 0.5) + 1);
    for (uint32_t slot; (slot = phx_timer_next(&walk)) != PHX_SLOT_NONE;)
        phx_pieces_add_if(&pieces, slot, phx_box_has(box, own->movers[slot].x, own->movers[slot].y));
    phx_pieces_flush(&pieces);
    sink->visited += walk.visited;
}

/* The plan has all near candidates, and some that were near. */
static bool timer_index_within(const phx_index *index, uint32_t observer, phx_sink *sink)
{
    const phx_timer *own = (const phx_timer *)index;
    const phx_timer_plan *plan = &own->plans[observer];
    const phx_timer_pair *pairs = (const phx_timer_pair *)phx_list_entries(&own->pool, &plan->block);
    phx_pieces pieces;
    if (own->movers[observer].radius < 0.0f || (own->flags[observer] & PHX_TIMER_NO_PLAN)) return false;
    phx_pieces_open(&pieces, sink);
    for (uint32_t i = 0; i < plan->count; i++)
        phx_pieces_add_if(&pieces, pairs[i].target, own->flags[pairs[i].target] & PHX_TIMER_IN);
    phx_pieces_flush(&pieces);
    sink->take(sink, &observer, 1); /* the observer itself is a candidate, too */
    sink->visited++;
    return true;
}

static bool timer_index_dirty(const phx_index *index, uint32_t observer, phx_box box)
{
    const phx_timer *own = (const phx_timer *)index;
    const phx_timer_plan *plan = &own->plans[observer];
    const phx_timer_pair *pairs = (const phx_timer_pair *)phx_list_entries(&own->pool, &plan->block);
    (void)box;
    if ((own->flags[observer] & (PHX_TIMER_AFRESH | PHX_TIMER_NO_PLAN)) || plan->fresh > 0) return true;
    if (phx_store_attr(index->env.store, observer)->cap == 0) return false;
    for (uint32_t i = 0; i < plan->count; i++) /* at a cap distance counts, not only range */
        if (own->flags[pairs[i].target] & PHX_TIMER_CHANGED) return true;
    return false;
}

static bool timer_index_differ(const phx_index *index, uint32_t observer, phx_sink *sink)
{
    const phx_timer *own = (const phx_timer *)index;
    const phx_timer_plan *plan = &own->plans[observer];
    const phx_timer_pair *pairs = (const phx_timer_pair *)phx_list_entries(&own->pool, &plan->block);
    phx_pieces pieces;
    if (own->flags[observer] & (PHX_TIMER_AFRESH | PHX_TIMER_NO_PLAN)) return false;
    phx_pieces_open(&pieces, sink);
    for (uint32_t i = 0; i < plan->fresh; i++) phx_pieces_add(&pieces, pairs[i].target);
    phx_pieces_flush(&pieces);
    return true;
}

/* ---- validation ---- */

static bool timer_index_valid(const phx_index *index)
{
    const phx_timer *own = (const phx_timer *)index;
    const phx_store *store = index->env.store;
    if (!phx_index_has_all(index, own->in_count)) return false;
    for (uint32_t slot = 0; slot < own->slots; slot++) {
        bool live = slot < store->slots && (store->body[slot].state & PHX_SLOT_LIVE);
        const phx_timer_mover *mover = &own->movers[slot];
        if (live != !!(own->flags[slot] & PHX_TIMER_IN)) return false;
        if (!live) continue;
        if (mover->x != store->body[slot].x || mover->y != store->body[slot].y) return false;
        if (mover->radius != phx_index_radius(store, slot)) return false;
    }
    return phx_timer_ranges_valid(own) && phx_timer_plans_valid(own);
}

const phx_index_ops phx_index_timer = {
    .bytes = sizeof(phx_timer),
    .init = timer_index_init,
    .release = timer_index_release,
    .reserve = timer_index_reserve,
    .begin = timer_index_begin_tick,
    .insert = timer_index_insert,
    .remove = timer_index_remove,
    .move = timer_index_move,
    .turn = timer_index_end_changes,
    .around = timer_index_around,
    .within = timer_index_within,
    .any_dirty_near = timer_index_dirty,
    .differ = timer_index_differ,
    .valid = timer_index_valid,
};

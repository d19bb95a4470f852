/*
 * The plans of index = timer: an observer's pairs and the time when each is due; see timer_plans.h. Written in the
 * index phase by the shard's owner; due pairs are read in the interest phase.
 */
#include "shards/classical/timer_plans.h"

#include <string.h>

#include "shards/classical/timer_ranges.h"
#include "shards/classical/timer_state.h"
#include "shards/entity/entity_store.h"

static phx_timer_pair *plan_pairs(const phx_timer *own, const phx_timer_plan *plan)
{
    return (phx_timer_pair *)phx_list_entries(&own->pool, &plan->block);
}

static uint32_t capacity_of(const phx_timer *own, const phx_timer_plan *plan)
{
    return phx_list_capacity(&own->pool, &plan->block) / 2;
}

/* Room for so many pairs; existing pairs are kept. false = no memory, nothing changed. */
static bool grow_plan(phx_timer *own, phx_timer_plan *plan, uint32_t count)
{
    if (count <= capacity_of(own, plan)) return true;
    phx_list larger = phx_list_empty();
    if (!phx_list_reserve(&own->pool, own->index.env.mem, &larger, 2 * count)) return false;
    if (plan->count > 0)
        memcpy(phx_list_entries(&own->pool, &larger), plan_pairs(own, plan), plan->count * sizeof(phx_timer_pair));
    phx_list_release(&own->pool, &plan->block);
    plan->block = larger;
    return true;
}

void phx_timer_drop(phx_timer *own, uint32_t slot)
{
    phx_timer_plan *plan = &own->plans[slot];
    phx_list_release(&own->pool, &plan->block);
    plan->count = plan->soon = plan->fresh = 0;
    plan->next = plan->horizon = PHX_TIMER_NEVER;
    own->flags[slot] &= (uint8_t)~PHX_TIMER_NO_PLAN;
}

void phx_timer_refresh(phx_timer *own, uint32_t observer)
{
    phx_timer_drop(own, observer);
    if (own->movers[observer].radius < 0.0f) return;
    own->flags[observer] |= PHX_TIMER_AFRESH;
    own->flags[observer] &= (uint8_t)~PHX_TIMER_MADE;
}

/* ---- times ---- */

/* May the two meet while both stay in their ranges, the target's at this cell? */
static inline bool may_meet_observer(const phx_timer *own, uint32_t observer, int32_t cx, int32_t cy)
{
    const phx_timer_mover *o = &own->movers[observer];
    int64_t dx = (int64_t)cx - o->cx, dy = (int64_t)cy - o->cy, reach = phx_timer_reach(own, observer);
    dx = dx < 0 ? -dx : dx;
    dy = dy < 0 ? -dy : dy;
    if (dx > reach || dy > reach) return false;
    if (own->shape == PH_SHAPE_SQUARE) return true;
    double gx = dx > 2 ? (double)(dx - 2) : 0.0, gy = dy > 2 ? (double)(dy - 2) : 0.0;
    double r = (double)o->radius * own->per_cell * (1.0 + 1e-5) + 1e-5;
    return gx * gx + gy * gy <= r * r;
}

/* The distance from the nearer of the two borders. */
static inline double off_borders(const phx_timer_mover *o, double distance)
{
    double enter = fabs(distance - (double)o->view), leave = fabs(distance - (double)o->radius);
    return enter < leave ? enter : leave;
}

/* How much the distance of the two may change before a difference is possible; less the roundings of float32. */
static double free_way(const phx_timer *own, const phx_timer_mover *o, const phx_timer_mover *t)
{
    double dx = (double)t->x - (double)o->x, dy = (double)t->y - (double)o->y, dz = (double)t->z - (double)o->z;
    double d;
    if (own->shape == PH_SHAPE_SQUARE) d = fabs(dx) > fabs(dy) ? fabs(dx) : fabs(dy);
    else if (own->shape == PH_SHAPE_SPHERE) d = sqrt(dx * dx + dy * dy + dz * dz);
    else d = sqrt(dx * dx + dy * dy);
    double way = off_borders(o, d) - (d + (double)o->radius) * 1e-6 - 1e-17;
    if (own->shape != PH_SHAPE_CYLINDER) return way;
    double z = fabs(fabs(dz) - (double)own->height) - (fabs(dz) + (double)own->height) * 1e-6 - 1e-17;
    if (fabs(dz) > (double)own->height) return z; /* out of view, until it is at that height again */
    return d > (double)o->radius || way < z ? way : z;
}

static phx_timer_time due_of(phx_timer *own, uint32_t observer, uint32_t target)
{
    own->index.counts.steps++;
    double way = free_way(own, &own->movers[observer], &own->movers[target]);
    return phx_timer_down(way > 0.0 ? own->way + way / 2 : own->way);
}

/* ---- one plan ---- */

/* Moves pairs due before the horizon in front of the others; the first `fresh` stay in place. */
static void partition_due_pairs(phx_timer *own, phx_timer_plan *plan)
{
    enum { HORIZONS = 4 }; /* cell sides: with more, each visit has more pairs, and visits to all pairs are rarer */
    phx_timer_pair *pairs = plan_pairs(own, plan);
    plan->horizon = phx_timer_down(own->way + own->cell / HORIZONS);
    if (plan->horizon <= own->now) plan->horizon = own->now + 1; /* a cell is below the resolution of the time */
    plan->soon = plan->fresh;
    plan->next = PHX_TIMER_NEVER;
    for (uint32_t i = 0; i < plan->count; i++) {
        phx_timer_pair pair = pairs[i];
        if (i >= plan->fresh) {
            if (pair.due >= plan->horizon) continue;
            pairs[i] = pairs[plan->soon];
            pairs[plan->soon++] = pair;
        }
        if (pair.due < plan->next) plan->next = pair.due;
    }
}

/* Ends the plan: the observer is evaluated from now on; it is tried again when time has advanced by a cell. */
static void stop_planning(phx_timer *own, uint32_t observer)
{
    phx_timer_drop(own, observer);
    own->flags[observer] |= PHX_TIMER_NO_PLAN;
    own->plans[observer].horizon = phx_timer_down(own->way + own->cell);
}

static bool make_plan(phx_timer *own, uint32_t observer)
{
    phx_timer_plan *plan = &own->plans[observer];
    const phx_timer_mover *o = &own->movers[observer];
    int32_t reach = phx_timer_reach(own, observer);
    phx_timer_drop(own, observer);
    own->flags[observer] |= PHX_TIMER_AFRESH | PHX_TIMER_MADE;
    if (reach > PHX_TIMER_REACH_MAX) {
        own->flags[observer] |= PHX_TIMER_NO_PLAN; /* and as long as its radius is so long */
        return true;
    }
    if (reach > own->reach_max) own->reach_max = reach;
    phx_timer_walk walk = phx_timer_walk_of(own, (int64_t)o->cx - reach, (int64_t)o->cy - reach, (int64_t)o->cx + reach,
                                            (int64_t)o->cy + reach);
    for (uint32_t slot; (slot = phx_timer_next(&walk)) != PHX_SLOT_NONE;) {
        if (slot == observer || !may_meet_observer(own, observer, own->movers[slot].cx, own->movers[slot].cy)) continue;
        if (plan->count == PHX_TIMER_PAIRS_MAX) {
            stop_planning(own, observer);
            return true;
        }
        if (!grow_plan(own, plan, plan->count + 1)) {
            phx_timer_refresh(own, observer);
            return false;
        }
        plan_pairs(own, plan)[plan->count++] = (phx_timer_pair){slot, due_of(own, observer, slot)};
    }
    partition_due_pairs(own, plan);
    return true;
}

/* Renews a due pair; false = it ends. A slot that turned in this tick is compared in the next tick, too. */
static bool renew_due_pair(phx_timer *own, uint32_t observer, phx_timer_pair *pair)
{
    uint32_t target = pair->target;
    const phx_timer_mover *t = &own->movers[target];
    if (own->flags[target] & PHX_TIMER_TURNED) {
        pair->due = 0;
        return true;
    }
    if (!(own->flags[target] & PHX_TIMER_IN) || !may_meet_observer(own, observer, t->cx, t->cy)) return false;
    pair->due = due_of(own, observer, target);
    return true;
}

/* Compares all due pairs, and puts them first. */
static void advance_plan(phx_timer *own, uint32_t observer)
{
    phx_timer_plan *plan = &own->plans[observer];
    phx_timer_pair *pairs = plan_pairs(own, plan);
    bool parts = plan->horizon <= own->now;
    if (parts) plan->soon = plan->count;
    plan->fresh = 0;
    plan->next = PHX_TIMER_NEVER;
    for (uint32_t i = 0; i < plan->soon;) {
        phx_timer_pair pair = pairs[i];
        if (pair.due <= own->now) {
            if (!renew_due_pair(own, observer, &pair)) {
                pairs[i] = pairs[--plan->soon];
                pairs[plan->soon] = pairs[--plan->count];
                continue;
            }
            pairs[i] = pairs[plan->fresh];
            pairs[plan->fresh++] = pair;
        }
        if (pair.due < plan->next) plan->next = pair.due;
        i++;
    }
    if (parts) partition_due_pairs(own, plan);
}

bool phx_timer_run(phx_timer *own, uint32_t observer)
{
    phx_timer_plan *plan = &own->plans[observer];
    uint8_t flags = own->flags[observer];
    bool due = plan->next <= own->now || plan->horizon <= own->now;
    if ((flags & PHX_TIMER_AFRESH) && (flags & PHX_TIMER_MADE)) return true;
    if ((flags & PHX_TIMER_AFRESH) || (due && (flags & PHX_TIMER_NO_PLAN))) return make_plan(own, observer);
    if (due) advance_plan(own, observer);
    else if (plan->fresh > 0) plan->fresh = 0;
    return true;
}

/* ---- a target that came, left, jumped, or changed ---- */

static phx_timer_pair *find_plan_pair(const phx_timer *own, const phx_timer_plan *plan, uint32_t target)
{
    phx_timer_pair *pairs = plan_pairs(own, plan);
    for (uint32_t i = 0; i < plan->count; i++)
        if (pairs[i].target == target) return &pairs[i];
    return NULL;
}

/* Moves a due pair to the pairs before the horizon. */
static void make_due(phx_timer *own, phx_timer_plan *plan, phx_timer_pair *pair)
{
    phx_timer_pair *pairs = plan_pairs(own, plan), due = {pair->target, 0};
    plan->next = 0;
    if (pair < pairs + plan->soon) {
        *pair = due;
        return;
    }
    *pair = pairs[plan->soon];
    pairs[plan->soon++] = due;
}

static void add_plan_pair(phx_timer *own, uint32_t observer, uint32_t target)
{
    phx_timer_plan *plan = &own->plans[observer];
    if (plan->count == PHX_TIMER_PAIRS_MAX || !grow_plan(own, plan, plan->count + 1)) {
        phx_timer_refresh(own, observer);
        return;
    }
    phx_timer_pair *pairs = plan_pairs(own, plan);
    pairs[plan->count] = (phx_timer_pair){target, 0};
    make_due(own, plan, &pairs[plan->count++]);
}

/* A walk over the observers with plans around a cell. */
static phx_timer_walk walk_around(const phx_timer *own, int32_t cx, int32_t cy)
{
    int64_t reach = own->reach_max;
    return phx_timer_walk_of(own, cx - reach, cy - reach, cx + reach, cy + reach);
}

static bool observer_has_plan(const phx_timer *own, uint32_t slot)
{
    return own->movers[slot].radius >= 0.0f && !(own->flags[slot] & (PHX_TIMER_AFRESH | PHX_TIMER_NO_PLAN));
}

void phx_timer_report_left(phx_timer *own, const phx_timer_change *change)
{
    phx_timer_walk walk = walk_around(own, change->cx, change->cy);
    for (uint32_t slot; (slot = phx_timer_next(&walk)) != PHX_SLOT_NONE;) {
        if (slot == change->slot || !observer_has_plan(own, slot) ||
            !may_meet_observer(own, slot, change->cx, change->cy))
            continue;
        phx_timer_pair *pair = find_plan_pair(own, &own->plans[slot], change->slot);
        PHX_ASSERT(pair);
        make_due(own, &own->plans[slot], pair);
        own->index.counts.steps++;
    }
}

void phx_timer_announce_entered(phx_timer *own, const phx_timer_change *change)
{
    const phx_timer_mover *t = &own->movers[change->slot];
    bool anew = change->what & (PHX_TIMER_ENTERED | PHX_TIMER_JUMPED);
    phx_timer_walk walk = walk_around(own, t->cx, t->cy);
    for (uint32_t slot; (slot = phx_timer_next(&walk)) != PHX_SLOT_NONE;) {
        if (slot == change->slot || !observer_has_plan(own, slot) || !may_meet_observer(own, slot, t->cx, t->cy))
            continue;
        if (!anew && may_meet_observer(own, slot, change->cx, change->cy)) continue; /* its time is still valid */
        phx_timer_pair *pair = find_plan_pair(own, &own->plans[slot], change->slot);
        if (pair) make_due(own, &own->plans[slot], pair);
        else add_plan_pair(own, slot, change->slot);
        own->index.counts.steps++;
    }
}

/* ---- time ---- */

static phx_timer_time shift_time_back(phx_timer_time when, double by)
{
    union {
        uint32_t bits;
        float f;
    } u = {.bits = when};
    return when == PHX_TIMER_NEVER ? when : phx_timer_down((double)u.f - by);
}

void phx_timer_set_back(phx_timer *own)
{
    for (uint32_t slot = 0; slot < own->slots; slot++) {
        phx_timer_plan *plan = &own->plans[slot];
        phx_timer_pair *pairs = plan_pairs(own, plan);
        for (uint32_t i = 0; i < plan->count; i++) pairs[i].due = shift_time_back(pairs[i].due, own->way);
        plan->next = shift_time_back(plan->next, own->way);
        plan->horizon = shift_time_back(plan->horizon, own->way);
    }
    own->way = 0.0;
    own->now = 0;
}

/* ---- validation ---- */

static bool plan_whole(const phx_timer *own, uint32_t observer)
{
    const phx_timer_plan *plan = &own->plans[observer];
    const phx_timer_pair *pairs = plan_pairs(own, plan);
    if (plan->fresh > plan->soon || plan->soon > plan->count) return false;
    for (uint32_t i = 0; i < plan->count; i++) {
        if (i < plan->soon && pairs[i].due < plan->next) return false;
        if (i >= plan->soon && pairs[i].due < plan->horizon) return false;
    }
    for (uint32_t slot = 0; slot < own->slots; slot++) {
        const phx_timer_mover *t = &own->movers[slot];
        if (slot == observer || !(own->flags[slot] & PHX_TIMER_IN) || !may_meet_observer(own, observer, t->cx, t->cy))
            continue;
        if (!find_plan_pair(own, plan, slot)) return false;
    }
    return true;
}

bool phx_timer_plans_valid(const phx_timer *own)
{
    enum { PARTS_EACH_TICK = 8 };
    uint32_t step = own->slots / PARTS_EACH_TICK + 1;
    for (uint32_t slot = (uint32_t)own->index.tick % step; slot < own->slots; slot += step) {
        bool has = (own->flags[slot] & PHX_TIMER_IN) && own->movers[slot].radius >= 0.0f;
        if (has && !(own->flags[slot] & PHX_TIMER_NO_PLAN) && !plan_whole(own, slot)) return false;
    }
    return true;
}

/*
 * The ranges of index = timer: a cell, and half a cell around it, in which an entity may move without a comparison; and
 * the slots of each range, by a hash of chained slots. See timer_ranges.h. Written in the index phase by the shard's
 * owner.
 */
#include "shards/classical/timer_ranges.h"

#include <string.h>

#include "shards/classical/timer_state.h"
#include "shards/entity/entity_store.h"

/* ---- cells ---- */

int64_t phx_timer_cell(const phx_timer *own, float p, double off)
{
    double u = floor((double)p * own->per_cell + off);
    if (u >= (double)PHX_TIMER_CELL_MAX) return PHX_TIMER_CELL_MAX;
    return u <= -(double)PHX_TIMER_CELL_MAX ? -(int64_t)PHX_TIMER_CELL_MAX : (int64_t)u;
}

static bool stands_in(const phx_timer *own, float p, int32_t cell)
{
    double u = (double)p * own->per_cell;
    return (cell == -PHX_TIMER_CELL_MAX || u >= (double)cell - 0.5) &&
           (cell == PHX_TIMER_CELL_MAX || u <= (double)cell + 1.5);
}

bool phx_timer_in_range(const phx_timer *own, uint32_t slot)
{
    const phx_timer_mover *mover = &own->movers[slot];
    return stands_in(own, mover->x, mover->cx) && stands_in(own, mover->y, mover->cy);
}

/* Two entities in ranges this many cells apart are at least two cells less apart; the slack is for roundings. */
int32_t phx_timer_reach(const phx_timer *own, uint32_t slot)
{
    float radius = own->movers[slot].radius;
    double cells = ((double)radius * (1.0 + 1e-5) + 1e-17) * own->per_cell + 1e-5;
    if (!(cells < (double)PHX_TIMER_REACH_MAX) || !(radius * radius <= FLT_MAX)) return PHX_TIMER_REACH_MAX + 1;
    return (int32_t)cells + 2;
}

static uint32_t *mover_bucket(const phx_timer *own, int32_t cx, int32_t cy)
{
    return &own->buckets[phx_index_cell_hash(&own->index.env, cx, cy) & own->bucket_mask];
}

static void chain_mover(phx_timer *own, uint32_t slot)
{
    phx_timer_mover *mover = &own->movers[slot];
    uint32_t *first = mover_bucket(own, mover->cx, mover->cy);
    mover->next = *first;
    *first = slot;
}

void phx_timer_range(phx_timer *own, uint32_t slot)
{
    phx_timer_mover *mover = &own->movers[slot];
    mover->cx = (int32_t)phx_timer_cell(own, mover->x, 0.0);
    mover->cy = (int32_t)phx_timer_cell(own, mover->y, 0.0);
    chain_mover(own, slot);
}

void phx_timer_unrange(phx_timer *own, uint32_t slot)
{
    const phx_timer_mover *mover = &own->movers[slot];
    uint32_t *at = mover_bucket(own, mover->cx, mover->cy);
    while (*at != slot) at = &own->movers[*at].next;
    *at = mover->next;
}

static void empty_buckets(phx_timer *own)
{
    memset(own->buckets, 0xff, ((size_t)own->bucket_mask + 1) * sizeof(uint32_t)); /* PHX_SLOT_NONE */
}

void phx_timer_range_all(phx_timer *own)
{
    empty_buckets(own);
    for (uint32_t slot = 0; slot < own->slots; slot++)
        if (own->flags[slot] & PHX_TIMER_IN) phx_timer_range(own, slot);
}

void phx_timer_rehash(phx_timer *own)
{
    empty_buckets(own);
    for (uint32_t slot = 0; slot < own->slots; slot++)
        if (own->flags[slot] & PHX_TIMER_IN) chain_mover(own, slot);
}

/* ---- the side ---- */

enum { CLASS_SHIFT = 20, CLASSES = 1 << (31 - CLASS_SHIFT) }; /* of radii: by exponent and three bits of the fraction */

/* The median of the radii, to a part in eight. */
static double median_radius(const phx_timer *own)
{
    uint32_t count[CLASSES] = {0}, sum = 0, class = 0;
    for (uint32_t slot = 0; slot < own->slots; slot++)
        if ((own->flags[slot] & PHX_TIMER_IN) && own->movers[slot].radius >= 0.0f)
            count[phx_timer_bits(own->movers[slot].radius) >> CLASS_SHIFT]++;
    while ((sum += count[class]) <= own->observer_count / 2 && class + 1 < CLASSES) class ++;
    union {
        uint32_t bits;
        float f;
    } u = {.bits = class << CLASS_SHIFT};
    double median = (double)u.f;
    return median < 1e-30 ? 1e-30 : median > 1e30 ? 1e30 : median;
}

bool phx_timer_choose_cell(phx_timer *own)
{
    uint32_t now = own->observer_count, then = own->chosen_for;
    if (now == 0 || (now / 2 < then && then / 2 <= now)) return false;
    own->chosen_for = now;
    double side = median_radius(own) / PHX_TIMER_CELLS_PER_RADIUS;
    if (side < own->cell * 1.5 && own->cell < side * 1.5) return false;
    own->cell = side;
    own->per_cell = 1.0 / side;
    own->reach_max = 0;
    return true;
}

/* ---- walks ---- */

static int32_t clamp_cell(int64_t cell)
{
    if (cell > PHX_TIMER_CELL_MAX) return PHX_TIMER_CELL_MAX;
    return cell < -PHX_TIMER_CELL_MAX ? -PHX_TIMER_CELL_MAX : (int32_t)cell;
}

phx_timer_walk phx_timer_walk_of(const phx_timer *own, int64_t x0, int64_t y0, int64_t x1, int64_t y1)
{
    phx_timer_walk walk = {
        .own = own, .x0 = clamp_cell(x0), .y0 = clamp_cell(y0), .x1 = clamp_cell(x1), .y1 = clamp_cell(y1)};
    double width = (double)walk.x1 - walk.x0 + 1.0, height = (double)walk.y1 - walk.y0 + 1.0;
    walk.all = width * height > (double)own->in_count;
    walk.x = walk.x0;
    walk.y = walk.y0;
    walk.slot = walk.all ? 0 : *mover_bucket(own, walk.x, walk.y);
    return walk;
}

/* The next one of all slots. */
static uint32_t next_of_all(phx_timer_walk *walk)
{
    const phx_timer *own = walk->own;
    while (walk->slot < own->slots) {
        uint32_t slot = walk->slot++;
        const phx_timer_mover *mover = &own->movers[slot];
        walk->visited++;
        if ((own->flags[slot] & PHX_TIMER_IN) && mover->cx >= walk->x0 && mover->cx <= walk->x1 &&
            mover->cy >= walk->y0 && mover->cy <= walk->y1)
            return slot;
    }
    return PHX_SLOT_NONE;
}

uint32_t phx_timer_next(phx_timer_walk *walk)
{
    const phx_timer *own = walk->own;
    if (walk->all) return next_of_all(walk);
    for (;;) {
        while (walk->slot != PHX_SLOT_NONE) {
            uint32_t slot = walk->slot;
            const phx_timer_mover *mover = &own->movers[slot];
            walk->slot = mover->next;
            if (mover->cx == walk->x && mover->cy == walk->y) return slot;
        }
        if (walk->x == walk->x1 && walk->y == walk->y1) return PHX_SLOT_NONE;
        walk->visited++;
        if (walk->x < walk->x1) {
            walk->x++;
        } else {
            walk->x = walk->x0;
            walk->y++;
        }
        walk->slot = *mover_bucket(own, walk->x, walk->y);
    }
}

bool phx_timer_ranges_valid(const phx_timer *own)
{
    uint32_t found = 0;
    for (uint32_t b = 0; own->in_count > 0 && b <= own->bucket_mask; b++)
        for (uint32_t slot = own->buckets[b]; slot != PHX_SLOT_NONE; slot = own->movers[slot].next, found++)
            if (!(own->flags[slot] & PHX_TIMER_IN) || !phx_timer_in_range(own, slot) || found >= own->in_count)
                return false;
    return found == own->in_count;
}

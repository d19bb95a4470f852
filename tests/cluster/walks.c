/*
 * Walkers of clusters; see walks.h.
 */
#include "cluster/walks.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

float spot_distance(spot a, spot b)
{
    return sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

spot spot_random(uint64_t *rng, float side)
{
    const float x = phx_rng_unit(rng) * side;
    return (spot){x, phx_rng_unit(rng) * side};
}

spot spot_step(uint64_t *rng, spot now, spot *goal, float side)
{
    const float far = spot_distance(now, *goal), part = WALKS_SPEED / far;
    if (far > WALKS_SPEED) return (spot){now.x + (goal->x - now.x) * part, now.y + (goal->y - now.y) * part};
    *goal = spot_random(rng, side);
    return now;
}

uint32_t spot_region(spot at, float side, uint32_t columns)
{
    const uint32_t column = (uint32_t)(at.x / side * (float)columns), row = (uint32_t)(at.y / side * (float)columns);
    return (row < columns ? row : columns - 1) * columns + (column < columns ? column : columns - 1);
}

spot walks_spot(uint64_t *rng)
{
    return spot_random(rng, WALKS_SIZE);
}

spot walks_goal(uint64_t *rng, uint64_t id)
{
    const spot goal = walks_spot(rng);
    if (id % 2 != 0) return goal;
    return (spot){WALKS_SIZE / 2 + (goal.x - WALKS_SIZE / 2) / 6, WALKS_SIZE / 2 + (goal.y - WALKS_SIZE / 2) / 6};
}

spot walks_step(uint64_t *rng, uint64_t id, spot now, spot *goal)
{
    const float far = spot_distance(now, *goal);
    if (far <= WALKS_SPEED) {
        *goal = walks_goal(rng, id);
        return now;
    }
    const float part = WALKS_SPEED * (0.3f + 0.7f * (float)(id % 7) / 6) / far; /* some are slower than others */
    return (spot){now.x + (goal->x - now.x) * part, now.y + (goal->y - now.y) * part};
}

/* ---- trails ---- */

void trail_begin(walker_trail *trail, uint64_t id, spot at)
{
    for (uint32_t tick = 0; tick < TRAIL_TICKS; tick++) {
        trail->at[tick][id] = at;
        trail->owner[tick][id] = 0;
    }
    trail->kept_since[id] = trail->tick;
}

spot *trail_spot(walker_trail *trail, uint64_t tick, uint64_t id)
{
    return &trail->at[tick % TRAIL_TICKS][id];
}

void trail_note_owner(walker_trail *trail, uint64_t id, uint32_t owner)
{
    if (owner == 0 || owner != trail->owner[(trail->tick - 1) % TRAIL_TICKS][id]) trail->kept_since[id] = trail->tick;
    trail->owner[trail->tick % TRAIL_TICKS][id] = owner;
}

bool trail_is_kept(const walker_trail *trail, uint64_t id, uint64_t ticks)
{
    return trail->owner[trail->tick % TRAIL_TICKS][id] != 0 && trail->tick - trail->kept_since[id] > ticks;
}

void trail_distances(walker_trail *trail, spot from, uint64_t id, uint64_t ticks, float *least, float *most)
{
    *least = INFINITY;
    *most = 0;
    for (uint64_t back = 0; back <= ticks; back++) {
        const float d = spot_distance(from, *trail_spot(trail, trail->tick - back, id));
        if (d < *least) *least = d;
        if (d > *most) *most = d;
    }
}

void trail_step(walker_trail *trail)
{
    const uint64_t now = trail->tick % TRAIL_TICKS, next = ++trail->tick % TRAIL_TICKS;
    memcpy(trail->at[next], trail->at[now], sizeof trail->at[now]);
    memset(trail->owner[next], 0, sizeof trail->owner[next]);
}

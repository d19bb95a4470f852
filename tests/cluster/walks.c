/*
 * Walkers of clusters; see walks.h.
 */
#include "cluster/walks.h"

#include <math.h>

#include "base/rng.h"

float spot_distance(spot a, spot b)
{
    return sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

spot walks_spot(uint64_t *rng)
{
    const float x = phx_rng_unit(rng) * WALKS_SIZE;
    return (spot){x, phx_rng_unit(rng) * WALKS_SIZE};
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

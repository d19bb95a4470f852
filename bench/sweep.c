/*
 * The points of the sweeps; see sweep.h.
 */
#include "bench/sweep.h"

#include <math.h>

#include "bench/scenarios/scenarios.h"

/* Steps of about three: even on a logarithmic axis. */
static const uint32_t entity_steps[] = {1000, 3000, 10000, 30000, 100000, 300000};
static const struct {
    const char *name;
    float in_view;
} view_steps[] = {{"in-view-3", 3}, {"in-view-10", 10}, {"in-view-30", 30}, {"in-view-100", 100}, {"in-view-300", 300}};

/* Of the density sweep: few enough that 300 in view are quickly done. */
enum { DENSITY_ENTITIES = 10000 };

/* As many entity-ticks a point, so that each takes about as long; and not so few or many that it says nothing. */
enum { ENTITY_TICKS = 4 * 1000 * 1000, TICKS_MIN = 20, TICKS_MAX = 200 };

/* The views of both scenarios. */
#define VIEW 100.0

static uint32_t ticks_for(uint32_t entities)
{
    uint32_t ticks = ENTITY_TICKS / entities;
    return ticks < TICKS_MIN ? TICKS_MIN : ticks > TICKS_MAX ? TICKS_MAX : ticks;
}

uint32_t bench_sweep_make(bench_sweep sweeps[BENCH_SWEEP_MAX], uint32_t entities_max)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sizeof entity_steps / sizeof entity_steps[0]; i++) {
        uint32_t entities = entity_steps[i];
        if (entities_max > 0 && entities > entities_max) {
            if (i > 0) {
                break;
            }
            entities = entities_max; /* fewer than the first step: that one point, and no other */
        }
        sweeps[count++] =
            (bench_sweep){"entities", &bench_walk_10k, entities, ticks_for(entities), 0, BENCH_PLOT_ENTITIES};
        if (entities == entities_max) {
            break;
        }
    }
    uint32_t crowd = entities_max > 0 && entities_max < DENSITY_ENTITIES ? entities_max : DENSITY_ENTITIES;
    for (uint32_t i = 0; i < sizeof view_steps / sizeof view_steps[0]; i++) {
        if (view_steps[i].in_view >= (float)crowd) {
            break;
        }
        double side = sqrt((double)crowd * 3.14159265 * VIEW * VIEW / (double)view_steps[i].in_view);
        sweeps[count++] = (bench_sweep){view_steps[i].name,   &bench_dense_100k, crowd,
                                        ticks_for(crowd) / 4, (float)ceil(side), BENCH_PLOT_DENSITY};
    }
    PHX_ASSERT(count <= BENCH_SWEEP_MAX);
    return count;
}

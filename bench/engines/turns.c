/*
 * Timing moves and queries in turn; see queries.h. A turn moves one entity, makes the world see it, by ph_apply() or by
 * ph_tick(), and asks for the entities around it. The fastest pass counts.
 */
#include <string.h>

#include "base/rng.h"
#include "bench/engines/queries.h"
#include "tools/cli.h"

enum { TURNS = 1000, TICK_TURNS = 20, PASSES = 3, ROOM = 256 };

static const float AROUND = 30; /* as far as a server looks for a collision */

typedef struct turning {
    ph_world world;
    ph_producer producer;
    const ph_world_def *def;
    uint64_t ids, rng;
} turning;

static ph_status turn(turning *t, bool apply)
{
    ph_hit hits[ROOM];
    uint32_t count;
    const uint64_t id = 1 + phx_rng_below(&t->rng, (uint32_t)t->ids);
    const float x = t->def->world_origin[0] + t->def->world_size[0] * phx_rng_unit(&t->rng);
    const float y = t->def->world_origin[1] + t->def->world_size[1] * phx_rng_unit(&t->rng);
    const ph_query near = {.shape = PH_QUERY_CIRCLE, .x = x, .y = y, .radius = AROUND, .without = id};
    ph_status status = ph_move(t->producer, id, x, y, 0);
    if (status == PH_OK) status = apply ? ph_apply(t->world) : ph_tick(t->world, NULL);
    return status == PH_OK ? ph_find(t->world, &near, hits, ROOM, &count) : status;
}

static bool time_turns(turning *t, bool apply, double *ns, bench_error *error)
{
    const uint32_t turns = apply ? TURNS : TICK_TURNS;
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        const uint64_t begin = phx_clock_ns();
        for (uint32_t i = 0; i < turns; i++) {
            const ph_status status = turn(t, apply);
            if (status != PH_OK) return bench_fail(error, "a turn: %s", ph_status_text(status));
        }
        const double each = (double)(phx_clock_ns() - begin) / turns;
        *ns = pass == 0 || each < *ns ? each : *ns;
        const ph_status status = ph_tick(t->world, NULL); /* as behind a server's step */
        if (status != PH_OK) return bench_fail(error, "the tick behind turns: %s", ph_status_text(status));
    }
    return true;
}

bool bench_turns_measure(ph_world world, ph_producer producer, const ph_world_def *def, bench_turns *times,
                         bench_error *error)
{
    ph_stats stats;
    turning t = {.world = world, .producer = producer, .def = def, .rng = 1};
    memset(times, 0, sizeof *times);
    if (ph_world_stats(world, &stats) != PH_OK || stats.entities == 0) return bench_fail(error, "no entity for turns");
    t.ids = stats.entities;
    return time_turns(&t, true, &times->apply_ns, error) && time_turns(&t, false, &times->tick_ns, error);
}

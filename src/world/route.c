/*
 * Routing and applying moves; see route.h. Routing reads the directory, which nobody
 * writes meanwhile, and has no effect but its lists, so it can be begun again.
 */
#include "world/route.h"

#include "world/commands.h"
#include "world/ingest.h"
#include "world/steps.h"

bool phx_routers_init(phx_world *world)
{
    uint32_t workers = world->def.workers;
    if (workers == 1) return true;
    world->routers = phx_alloc_zero(&world->mem, workers * sizeof *world->routers, PHX_CACHE_LINE);
    if (!world->routers) return false;
    for (uint32_t i = 0; i < workers; i++) {
        phx_router *router = &world->routers[i];
        router->lists = phx_alloc_zero(&world->mem, world->shard_count * sizeof *router->lists, PHX_CACHE_LINE);
        if (!router->lists) return false;
    }
    return true;
}

void phx_routers_free(phx_world *world)
{
    phx_mem *mem = &world->mem;
    for (uint32_t i = 0; world->routers && i < world->def.workers; i++) {
        phx_router *router = &world->routers[i];
        for (uint32_t s = 0; router->lists && s < world->shard_count; s++)
            phx_release(mem, (void **)&router->lists[s].items, &router->lists[s].capacity, sizeof(phx_routed));
        phx_free(mem, router->lists, world->shard_count * sizeof *router->lists, PHX_CACHE_LINE);
        phx_release(mem, (void **)&router->refusals, &router->refusals_capacity, sizeof(phx_route_refusal));
    }
    phx_free(mem, world->routers, world->def.workers * sizeof *world->routers, PHX_CACHE_LINE);
}

/* ---- routing ---- */

static bool refuse(phx_mem *mem, phx_router *router, phx_route_refusal refusal)
{
    if (!phx_grow(mem, (void **)&router->refusals, &router->refusals_capacity, router->refusal_count,
                  (size_t)router->refusal_count + 1, sizeof refusal))
        return false;
    router->refusals[router->refusal_count++] = refusal;
    return true;
}

/* Moves [from, to) of one run. */
static bool route_run(phx_world *world, phx_router *router, const phx_run *run, uint32_t from, uint32_t to)
{
    enum { AHEAD = 16 };
    phx_moves moves = phx_moves_at(run->commands.records, run->commands.count);
    for (uint32_t i = from; i < to; i++) {
        if (i + AHEAD < to) phx_idmap_prefetch(&world->directory, moves.ids[i + AHEAD]);
        const uint64_t *home = phx_idmap_find(&world->directory, moves.ids[i]);
        if (PHX_UNLIKELY(!home || (*home & PHX_HOME_ATTACHED))) {
            phx_route_refusal refusal = {.sequence = run->commands.sequence_first + i,
                                         .id = moves.ids[i],
                                         .producer = run->producer,
                                         .status = home ? PH_ATTACHED : PH_UNKNOWN_ID};
            if (!refuse(&world->mem, router, refusal)) return false;
            continue;
        }
        phx_route_list *list = &router->lists[phx_home_shard(*home)];
        if (PHX_UNLIKELY(list->count == list->capacity) &&
            !phx_grow(&world->mem, (void **)&list->items, &list->capacity, list->count, (size_t)list->count + 1,
                      sizeof *list->items))
            return false;
        list->items[list->count++] = (phx_routed){.slot = phx_home_slot(*home),
                                                  .x = moves.positions[i].x,
                                                  .y = moves.positions[i].y,
                                                  .z = moves.positions[i].z};
    }
    return true;
}

/* The worker's slice of the stretch: by commands, not by runs. */
static void route_body(void *context, uint32_t worker)
{
    phx_world *world = context;
    phx_router *router = &world->routers[worker];
    uint64_t total = world->stretch_commands, workers = world->def.workers;
    uint64_t from = total * worker / workers, to = total * (worker + 1) / workers, at = 0;
    PHX_STALL_POINT();
    for (uint32_t s = 0; s < world->shard_count; s++) router->lists[s].count = 0;
    router->refusal_count = 0;
    for (uint32_t r = world->stretch_first; r < world->stretch_end && at < to; r++) {
        const phx_run *run = &world->runs[r];
        uint64_t count = run->commands.count, lo = from > at ? from - at : 0, hi = to - at < count ? to - at : count;
        if (lo < hi && !route_run(world, router, run, (uint32_t)lo, (uint32_t)hi)) {
            atomic_store_explicit(&world->failed, 1, memory_order_relaxed);
            return;
        }
        at += count;
    }
}

/* ---- applying ---- */

static bool apply_to_shard(phx_world *world, uint32_t index)
{
    enum { AHEAD = 8 };
    phx_shard *shard = &world->shards[index];
    uint32_t moves = 0;
    for (uint32_t w = 0; w < world->def.workers; w++) moves += world->routers[w].lists[index].count;
    if (!phx_shard_ready(shard, moves)) return false;
    for (uint32_t w = 0; w < world->def.workers; w++) {
        const phx_route_list *list = &world->routers[w].lists[index];
        for (uint32_t i = 0; i < list->count; i++) {
            if (i + AHEAD < list->count) __builtin_prefetch(&shard->store.body[list->items[i + AHEAD].slot], 1);
            const phx_routed *move = &list->items[i];
            phx_shard_move(shard, move->slot, move->x, move->y, move->z);
        }
    }
    return true;
}

/* Counts what was applied and tells what was not, in command order. */
static void account(phx_world *world)
{
    uint64_t refused = 0;
    for (uint32_t w = 0; w < world->def.workers; w++) {
        const phx_router *router = &world->routers[w];
        refused += router->refusal_count;
        for (uint32_t i = 0; i < router->refusal_count; i++) {
            const phx_route_refusal *r = &router->refusals[i];
            phx_ingest_refuse(world, &world->producers[r->producer], r->sequence, r->id, r->status);
        }
    }
    world->totals.applied += world->stretch_commands - refused;
}

bool phx_route_moves(phx_world *world, uint32_t first, uint32_t end)
{
    if (!world->stretch_routed) {
        world->stretch_first = first;
        world->stretch_end = end;
        world->stretch_commands = 0;
        for (uint32_t i = first; i < end; i++) world->stretch_commands += world->runs[i].commands.count;
        atomic_store_explicit(&world->failed, 0, memory_order_relaxed);
        phx_workers_run(world->workers, route_body, world);
        if (atomic_load_explicit(&world->failed, memory_order_relaxed)) return false;
        world->stretch_routed = true;
    }
    bool through = phx_run_shards(world, apply_to_shard, !world->resumed);
    world->resumed = !through;
    if (!through) return false;
    world->stretch_routed = false;
    account(world);
    return true;
}

/*
 * Ticks shared by workers, or done by one; see share.h. By the ticking thread, between two stages.
 */
#include "world/tick/share.h"

#include <string.h>

#include "world/ingest/moves.h"
#include "world/queue/commands.h"

/* The work of the tick or apply that begins, in moves. */
static uint64_t tick_work(const phx_world *world)
{
    uint64_t work = 0;
    for (uint32_t i = 0; i < world->run_count; i++) work += phx_command_run_work(&world->runs[i].commands);
    const bool walks_all = world->rules.banded || world->def.crowd_entities > 0 || world->reclass;
    return walks_all && !world->apply.running ? work + phx_directory_count(&world->directory) : work;
}

void phx_share_decide(phx_world *world)
{
    world->shared = world->crew && world->crew->count > 1 && tick_work(world) >= world->def.share_min;
}

/* ---- memory of workers ---- */

/* The arrays by worker: as they are, and as they will be. */
enum { ARRAYS = 4 };

typedef struct worker_array {
    void *had, *made;
    size_t had_bytes, made_bytes;
} worker_array;

static bool make_worker_arrays(phx_mem *mem, worker_array arrays[ARRAYS])
{
    bool made = true;
    for (uint32_t i = 0; i < ARRAYS; i++) {
        arrays[i].made = phx_alloc_zero(mem, arrays[i].made_bytes, PHX_CACHE_LINE);
        made = made && arrays[i].made;
    }
    for (uint32_t i = 0; i < ARRAYS && !made; i++) phx_free(mem, arrays[i].made, arrays[i].made_bytes, PHX_CACHE_LINE);
    return made;
}

/* Makes the memory of all workers of the crew. The first worker's stays; no scratch has a result yet. */
static bool reserve_workers(phx_world *world)
{
    phx_mem *mem = &world->mem;
    const uint32_t had = world->worker_count, count = world->crew->count;
    if (had == count) return true;
    const size_t sums = phx_moves_sums_bytes(world), of_broadcasts = sizeof *world->broadcasts.scratches;
    worker_array arrays[ARRAYS] = {
        {world->scratch, NULL, had * sizeof *world->scratch, count * sizeof *world->scratch},
        {world->broadcasts.scratches, NULL, had * of_broadcasts, count * of_broadcasts},
        {world->updates.workers, NULL, had * sizeof *world->updates.workers, count * sizeof *world->updates.workers},
        {world->move_sums, NULL, had * sums, count * sums}};
    if (!make_worker_arrays(mem, arrays)) return false;
    for (uint32_t i = 0; i < ARRAYS; i++) {
        memcpy(arrays[i].made, arrays[i].had, arrays[i].had_bytes);
        phx_free(mem, arrays[i].had, arrays[i].had_bytes, PHX_CACHE_LINE);
    }
    world->scratch = arrays[0].made;
    world->broadcasts.scratches = arrays[1].made;
    world->updates.workers = arrays[2].made;
    world->move_sums = arrays[3].made;
    for (uint32_t i = had; i < count; i++) {
        phx_scratch_init(&world->scratch[i], mem);
        phx_scratch_reset(&world->scratch[i], phx_directory_count(&world->directory));
        world->updates.workers[i].update_scratch.mem = mem;
    }
    world->worker_count = count;
    return true;
}

/* ---- the workers of a call ---- */

bool phx_share_begin(phx_world *world, phx_crew_use use)
{
    PHX_ASSERT(world->workers == NULL);
    if (!world->shared) return false;
    const bool took = use == PHX_CREW_TRY && phx_crew_acquire(world->crew);
    if (!took && use != PHX_CREW_TAKEN) return false;
    /* a tick that went on alone after want of memory may have results already: then it has memory, or none to make */
    if (world->worker_count == world->crew->count || (world->stage == PHX_STAGE_INGEST && reserve_workers(world)))
        world->workers = world->crew->workers;
    return took;
}

void phx_share_end(phx_world *world, bool took)
{
    world->workers = NULL;
    if (took) phx_crew_release(world->crew);
}

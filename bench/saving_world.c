/*
 * Worlds of --saving; see saving_world.h.
 */
#include "bench/saving_world.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/rng.h"
#include "bench/base/memory.h"

enum { ENTER_AT_ONCE = 200000, TARGETS = 20 };

static const float VIEW = 100.0f, STEP = 2.0f;

/* ---- memory of the world, counted ---- */

static void *counted_allocate(void *user, size_t size, size_t align)
{
    bench_saving_world *world = user;
    atomic_fetch_add_explicit(&world->allocations, 1, memory_order_relaxed);
    void *block = NULL;
    return posix_memalign(&block, align < sizeof block ? sizeof block : align, size) == 0 ? block : NULL;
}

static void counted_release(void *user, void *block, size_t size, size_t align)
{
    (void)user, (void)size, (void)align;
    free(block);
}

/* ---- making ---- */

static ph_world_def definition(bench_saving_world *world, const bench_saving_crowd *crowd, ph_class *class)
{
    ph_world_def def = ph_world_def_default();
    *class = ph_class_default("default");
    class->view = VIEW;
    class->margin = crowd->margin;
    def.classes = class;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = world->side;
    def.tower_size = VIEW;
    def.workers = crowd->workers;
    if (crowd->counted)
        def.allocator = (ph_allocator){.allocate = counted_allocate, .release = counted_release, .user = world};
    return def;
}

static void place_crowd(bench_saving_world *world, uint32_t entities)
{
    world->count = entities;
    world->ids = bench_alloc(world->mem, entities * sizeof *world->ids);
    world->positions = bench_alloc(world->mem, entities * sizeof *world->positions);
    for (uint32_t i = 0; i < entities; i++) {
        world->ids[i] = i + 1;
        world->positions[i].x = phx_rng_unit(&world->rng) * world->side;
        world->positions[i].y = phx_rng_unit(&world->rng) * world->side;
    }
}

/* Enters the crowd in some ticks; no consumer is open. */
static ph_status enter_crowd(bench_saving_world *world)
{
    ph_attrs *attrs = bench_alloc(world->mem, ENTER_AT_ONCE * sizeof *attrs);
    ph_status status = PH_OK;
    for (uint32_t at = 0; at < world->count && status == PH_OK;) {
        const uint32_t some = world->count - at < ENTER_AT_ONCE ? world->count - at : ENTER_AT_ONCE;
        uint32_t done;
        for (uint32_t i = 0; i < some; i++)
            attrs[i] =
                (ph_attrs){.given = PH_X | PH_Y, .x = world->positions[at + i].x, .y = world->positions[at + i].y};
        status = ph_enter_many(world->producer, some, world->ids + at, attrs, &done);
        if (status == PH_OK) status = ph_tick(world->world, NULL);
        at += some;
    }
    phx_free(world->mem, attrs, ENTER_AT_ONCE * sizeof *attrs, PHX_CACHE_LINE);
    return status;
}

ph_status bench_saving_make(bench_saving_world *world, phx_mem *mem, bench_saving_crowd crowd)
{
    const float density = (float)TARGETS / (3.14159265f * VIEW * VIEW);
    ph_class class;
    *world = (bench_saving_world){.mem = mem, .rng = crowd.seed};
    world->side = sqrtf((float)crowd.entities / density);
    place_crowd(world, crowd.entities);
    const ph_world_def def = definition(world, &crowd, &class);
    ph_status status = ph_world_create(&def, &world->world);
    if (status == PH_OK) status = ph_producer_open(world->world, &world->producer);
    return status == PH_OK ? enter_crowd(world) : status;
}

void bench_saving_free(bench_saving_world *world)
{
    if (!world->mem) return; /* freed before */
    if (world->world.index1 != 0) (void)ph_world_destroy(world->world);
    phx_free(world->mem, world->ids, world->count * sizeof *world->ids, PHX_CACHE_LINE);
    phx_free(world->mem, world->positions, world->count * sizeof *world->positions, PHX_CACHE_LINE);
    world->mem = NULL;
}

uint64_t bench_saving_allocations(const bench_saving_world *world)
{
    return atomic_load_explicit(&world->allocations, memory_order_relaxed);
}

/* ---- ticks ---- */

uint64_t bench_saving_cpu_ns(void)
{
    struct timespec now;
    const int failed = clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    PHX_ASSERT(failed == 0);
    (void)failed;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void bench_saving_walk(bench_saving_world *world)
{
    for (uint32_t i = 0; i < world->count; i++) {
        ph_position *at = &world->positions[i];
        at->x += (phx_rng_unit(&world->rng) - 0.5f) * 2.0f * STEP;
        at->y += (phx_rng_unit(&world->rng) - 0.5f) * 2.0f * STEP;
    }
}

ph_status bench_saving_tick(bench_saving_world *world, ph_consumer consumer, uint64_t *ns)
{
    const ph_batch *batch;
    uint32_t done;
    const uint64_t start_ns = bench_saving_cpu_ns();
    ph_status status = ph_move_many(world->producer, world->count, world->ids, world->positions, &done);
    if (status == PH_OK) status = ph_tick(world->world, NULL);
    while (status == PH_OK && ph_batch_take(consumer, &batch) == PH_OK) status = ph_batch_return(consumer, batch);
    *ns = bench_saving_cpu_ns() - start_ns;
    return status;
}

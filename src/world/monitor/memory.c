/*
 * The memory of a monitor; see memory.h.
 */
#include "world/monitor/memory.h"

#include "world/monitor/points_pass.h"

enum { CELLS = PH_MONITOR_CELLS * PH_MONITOR_CELLS };

/* An array of a monitor: where its pointer is, and its bytes. */
typedef struct monitor_array {
    void **at;
    size_t bytes;
} monitor_array;

enum { ARRAYS = 23 };

/* All arrays but the workers' cells. Returns how many. */
static uint32_t list_arrays(phx_monitor *m, monitor_array arrays[ARRAYS])
{
    const ph_monitor_def *def = &m->def;
    const size_t targets = def->targets_max, shards = m->shard_count;
    const monitor_array all[] = {{(void **)&m->questions, def->questions * sizeof *m->questions},
                                 {(void **)&m->found.slots, (size_t)def->points_max * PHX_POINT_BYTES},
                                 {(void **)&m->points.slots, (size_t)def->points_max * PHX_POINT_BYTES},
                                 {(void **)&m->runs, m->runs_max * sizeof *m->runs},
                                 {(void **)&m->slot_first, shards * sizeof *m->slot_first},
                                 {(void **)&m->slot_room, shards * sizeof *m->slot_room},
                                 {(void **)&m->piece_first, shards * sizeof *m->piece_first},
                                 {(void **)&m->grid_counts, CELLS * sizeof *m->grid_counts},
                                 {(void **)&m->grid_costs, CELLS * sizeof *m->grid_costs},
                                 {(void **)&m->part_counts, PH_MONITOR_SPREAD_MAX * CELLS * sizeof *m->part_counts},
                                 {(void **)&m->sums, m->worker_count * sizeof *m->sums},
                                 {(void **)&m->shards, shards * sizeof *m->shards},
                                 {(void **)&m->areas, PH_MONITOR_AREAS_MAX * sizeof *m->areas},
                                 {(void **)&m->events, def->events_max * sizeof *m->events},
                                 {(void **)&m->answers, def->questions * sizeof *m->answers},
                                 {(void **)&m->hits, def->hits_max * sizeof *m->hits},
                                 {(void **)&m->stats, sizeof *m->stats},
                                 {(void **)&m->classes, m->class_room * sizeof *m->classes},
                                 {(void **)&m->focus.items, targets * sizeof *m->focus.items},
                                 {(void **)&m->focus.targets, targets * sizeof *m->focus.targets},
                                 {(void **)&m->focus.now, targets * sizeof *m->focus.now},
                                 {(void **)&m->focus.before, targets * sizeof *m->focus.before}};
    const uint32_t count = sizeof all / sizeof *all;
    _Static_assert(sizeof all / sizeof *all <= ARRAYS, "room for all");
    for (uint32_t i = 0; i < count; i++) arrays[i] = all[i];
    return count;
}

static void set_columns(phx_monitor *monitor)
{
    const uint32_t room = monitor->def.points_max;
    phx_found_columns *found = &monitor->found;
    phx_point_columns *points = &monitor->points;
    found->places = found->slots + room;
    found->looks = found->places + room;
    points->x = (uint16_t *)(points->slots + room);
    points->y = points->x + room;
    points->kinds = points->y + room;
    points->bits = (uint8_t *)(points->kinds + room);
    points->steps = points->bits + room;
}

void phx_monitor_free(phx_mem *whole, phx_monitor *monitor)
{
    monitor_array arrays[ARRAYS];
    for (uint32_t i = 0; monitor->sums && i < monitor->worker_count; i++)
        phx_free(&monitor->mem, monitor->sums[i].counts, CELLS * sizeof *monitor->sums[i].counts, PHX_CACHE_LINE);
    const uint32_t count = list_arrays(monitor, arrays);
    for (uint32_t i = 0; i < count; i++) phx_free(&monitor->mem, *arrays[i].at, arrays[i].bytes, PHX_CACHE_LINE);
    PHX_ASSERT(atomic_load_explicit(&monitor->mem.bytes, memory_order_relaxed) == 0);
    phx_free(whole, monitor, sizeof *monitor, PHX_CACHE_LINE);
}

static bool make_arrays(phx_monitor *monitor)
{
    monitor_array arrays[ARRAYS];
    const uint32_t count = list_arrays(monitor, arrays);
    for (uint32_t i = 0; i < count; i++)
        if (!(*arrays[i].at = phx_alloc_zero(&monitor->mem, arrays[i].bytes, PHX_CACHE_LINE))) return false;
    for (uint32_t i = 0; i < monitor->worker_count; i++) {
        phx_monitor_sums *sums = &monitor->sums[i];
        if (!(sums->counts = phx_alloc_zero(&monitor->mem, CELLS * sizeof *sums->counts, PHX_CACHE_LINE))) return false;
    }
    set_columns(monitor);
    return true;
}

/* A side of a view; all there is, if float32 has no number between its ends. */
static void set_side(float from, float size, float *low, float *high)
{
    const bool wide = from + size > from;
    *low = wide ? from : -PH_COORDINATE_MAX;
    *high = wide ? from + size : PH_COORDINATE_MAX;
}

/* The whole world, all parts. */
static ph_monitor_view first_view(const phx_world *world)
{
    const ph_world_def *def = &world->def;
    ph_monitor_view view = {.flags = PH_MONITOR_FLAGS_ALL & ~(uint32_t)PH_MONITOR_ANY_INSTANCE};
    set_side(def->world_origin[0], def->world_size[0], &view.x0, &view.x1);
    set_side(def->world_origin[1], def->world_size[1], &view.y0, &view.y1);
    return view;
}

phx_monitor *phx_monitor_make(phx_world *world, const ph_monitor_def *def)
{
    phx_monitor *monitor = phx_alloc_zero(&world->mem, sizeof *monitor, PHX_CACHE_LINE);
    if (!monitor) return NULL;
    phx_mem_init_part(&monitor->mem, &world->mem);
    monitor->def = *def;
    monitor->worker_count = world->crew ? world->crew->count : 1;
    monitor->shard_count = world->shard_count;
    /* a tick may add some at this moment: then the first frame makes room */
    monitor->class_room = atomic_load_explicit(&world->kind_count, memory_order_relaxed);
    monitor->runs_max = phx_points_runs_max(world->shard_count, def->points_max);
    monitor->stride = 1;
    monitor->view_written = 1;
    monitor->view_shown = 0;
    atomic_store_explicit(&monitor->mailbox, 2, memory_order_relaxed);
    monitor->views[0] = first_view(world);
    monitor->keys_before = atomic_load_explicit(&world->definitions, memory_order_relaxed);
    if (make_arrays(monitor)) return monitor;
    phx_monitor_free(&world->mem, monitor);
    return NULL;
}

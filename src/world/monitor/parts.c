/*
 * Shards, statistics and keys of a frame; see parts.h.
 */
#include "world/monitor/parts.h"

#include <string.h>

#include "world/read/stats.h"

static ph_monitor_shard numbers_of(const phx_world *world, uint32_t index)
{
    const phx_rect rect = world->shards[index].rect;
    ph_shard_stats stats;
    phx_query_shard_stats(world, index, &stats);
    return (ph_monitor_shard){.x0 = rect.x0,
                              .y0 = rect.y0,
                              .x1 = rect.x1,
                              .y1 = rect.y1,
                              .entities = (uint32_t)stats.entities,
                              .observers = (uint32_t)stats.observers,
                              .ghosts = (uint32_t)stats.ghosts,
                              .touched = (uint32_t)stats.touched,
                              .list_entries = stats.list_entries,
                              .bytes = stats.bytes,
                              .migrations = stats.migrations,
                              .halo_records = stats.halo_records,
                              .ingest_ns = stats.ingest_ns,
                              .exchange_ns = stats.exchange_ns,
                              .index_ns = stats.index_ns,
                              .interest_ns = stats.interest_ns,
                              .publish_ns = stats.publish_ns,
                              .halo_towers = world->shard_count > 1 ? world->halo_requests[index].halo_towers : 0};
}

static ph_monitor_keys keys_of(const phx_world *world, uint64_t generation)
{
    const ph_world_def *def = &world->def;
    return (ph_monitor_keys){.generation = generation,
                             .sticky = def->sticky,
                             .height = def->height,
                             .shape = def->shape,
                             .span = def->span,
                             .broadcast_bytes = def->broadcast_bytes,
                             .events_max = def->events_max,
                             .share_min = def->share_min,
                             .activation_span = def->activation_span,
                             .activation_linger = def->activation_linger,
                             .crowd_entities = def->crowd_entities,
                             .crowd_floor = def->crowd_floor,
                             .class_count = def->class_count,
                             .tower_size = world->rules.tower_size};
}

/* Room for classes that a definition has added since the monitor was opened. false: no memory. */
static bool fit_classes(phx_monitor *monitor, uint32_t count)
{
    if (count <= monitor->class_room) return true;
    ph_class *more = phx_alloc(&monitor->mem, count * sizeof *more, PHX_CACHE_LINE);
    if (!more) return false;
    phx_free(&monitor->mem, monitor->classes, monitor->class_room * sizeof *more, PHX_CACHE_LINE);
    monitor->classes = more;
    monitor->class_room = count;
    return true;
}

/* A copy, as the tick may take another definition while the frame is read. NULL: no memory, and the next frame tries
   it again. */
static const ph_class *keep_classes(const phx_world *world, phx_monitor *monitor)
{
    const ph_world_def *def = &world->def;
    const uint64_t definitions = atomic_load_explicit(&world->definitions, memory_order_relaxed);
    if (monitor->classes_of == definitions + 1) return monitor->classes;
    if (!fit_classes(monitor, def->class_count)) return NULL;
    memcpy(monitor->classes, def->classes, def->class_count * sizeof *monitor->classes);
    monitor->classes_of = definitions + 1;
    return monitor->classes;
}

/* Arrays stay where they are; a part that is not wanted has none. */
static void set_pointers(phx_monitor *monitor)
{
    ph_monitor_frame *frame = &monitor->frame;
    const uint32_t flags = frame->view.flags;
    ph_monitor_points *points = &frame->points;
    points->slots = monitor->points.slots;
    points->x = monitor->points.x;
    points->y = monitor->points.y;
    points->kinds = monitor->points.kinds;
    points->bits = monitor->points.bits;
    points->steps = monitor->points.steps;
    frame->grid.cells = flags & PH_MONITOR_GRID ? PH_MONITOR_CELLS : 0;
    frame->grid.counts = monitor->grid_counts;
    frame->grid.costs = monitor->grid_costs;
    frame->shards = monitor->shards;
    frame->areas = monitor->areas;
    frame->events = monitor->events;
    frame->answers = monitor->answers;
    frame->hits = monitor->hits;
    frame->stats = flags & PH_MONITOR_STATS ? monitor->stats : NULL;
    frame->keys = flags & PH_MONITOR_KEYS ? &monitor->keys : NULL;
    frame->classes = NULL;
}

void phx_parts_fill(const phx_world *world, phx_monitor *monitor)
{
    ph_monitor_frame *frame = &monitor->frame;
    const uint32_t flags = frame->view.flags;
    set_pointers(monitor);
    frame->tick_ns = 0;
    for (uint32_t p = 0; p < PHX_PHASES; p++) frame->tick_ns += world->phase_ns.of[p];
    frame->fill_ns = monitor->last_fill_ns;
    frame->shard_count = flags & PH_MONITOR_SHARDS ? world->shard_count : 0;
    for (uint32_t i = 0; i < frame->shard_count; i++) monitor->shards[i] = numbers_of(world, i);
    if (frame->stats) phx_query_stats(world, monitor->stats);
    if (!frame->keys) return;
    const uint64_t definitions = atomic_load_explicit(&world->definitions, memory_order_relaxed);
    monitor->keys = keys_of(world, definitions - monitor->keys_before);
    frame->classes = keep_classes(world, monitor);
}

/*
 * Points and grid; see points.h. By the ticking thread, at the end of a tick.
 */
#include "world/monitor/points.h"

#include <string.h>

#include "world/monitor/places_avx2.h"
#include "world/monitor/points_pass.h"

enum {
    REFILLS_MAX = 3, /* then no point is given: ids whose samples do not shrink were made for that */
    CELLS = PH_MONITOR_CELLS * PH_MONITOR_CELLS
};

/* Numbers for slots of all shards: the same as in the last fill, while each shard's slots are within its room. */
static void number_slots(const phx_world *world, phx_monitor *monitor)
{
    enum { LEAST_ROOM = 64, SPARE_PART = 4 }; /* a shard that grows seldom changes the numbers */
    uint32_t first = 0;
    bool fits = true;
    for (uint32_t i = 0; i < world->shard_count && fits; i++)
        fits = world->shards[i].store.slots <= monitor->slot_room[i];
    if (fits) return;
    monitor->frame.points.slot_epoch++;
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const uint32_t slots = world->shards[i].store.slots;
        monitor->slot_first[i] = first;
        monitor->slot_room[i] = slots + slots / SPARE_PART + LEAST_ROOM;
        first += monitor->slot_room[i];
    }
    monitor->frame.points.slot_count = first;
}

/* The least stride from this one on with which the points are likely to have room. */
static uint32_t likely_stride(uint32_t stride, uint32_t matched, uint32_t points_max)
{
    enum { LEAVES = 16 }; /* a sixteenth of the room is left: the sample of random ids is not exactly a part */
    while ((matched / stride) > points_max - points_max / LEAVES && stride < 1u << 31) stride *= 2;
    return stride;
}

/* The stride of the next fill: half of this one, if that leaves a quarter of the room. */
static uint32_t next_stride(uint32_t stride, uint32_t matched, uint32_t points_max)
{
    while (stride > 1 && matched / (stride / 2) <= points_max / 4 * 3) stride /= 2;
    return stride;
}

static uint32_t sum_of_parts(const uint32_t *numbers, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += numbers[i];
    return sum;
}

/*
 * Points of the part that is due, or of all, with this stride. Returns how many points the frame has. If it has a point
 * for each entity, the thread that takes it counts cells from its points (order.h).
 */
static uint32_t run_fill(phx_points_pass *fill, bool all)
{
    phx_monitor *monitor = fill->monitor;
    phx_point_parts *parts = &monitor->parts;
    fill->counts_cells = fill->wants_grid && !(fill->wants_points && fill->stride == 1);
    atomic_store_explicit(&monitor->run_count, 0, memory_order_relaxed);
    atomic_store_explicit(&monitor->point_count, 0, memory_order_relaxed);
    monitor->renewed = all ? PHX_PARTS_ALL : parts->next;
    if (all) {
        memset(monitor->grid_counts, 0, CELLS * sizeof *monitor->grid_counts);
        memset(monitor->part_counts, 0, (size_t)fill->parts * CELLS * sizeof *monitor->part_counts);
        for (uint32_t part = 0; part < fill->parts; part++) phx_points_pass_run(fill, part);
    } else {
        phx_points_pass_run(fill, parts->next);
    }
    monitor->frame.points.matched = sum_of_parts(parts->matched, fill->parts);
    return sum_of_parts(parts->points, fill->parts);
}

static phx_places_of places_of(const ph_monitor_view *view)
{
    const phx_shown shown = phx_shown_of(view);
    const bool common = shown.instance == 0 && !shown.any_instance;
    return (phx_places_of){shown, PHX_SLOT_OWN | (common ? PHX_SLOT_APART : 0u), PHX_SLOT_OWN};
}

/* May the other parts stay as they are, but for their age? */
static bool keeps_parts(const phx_points_pass *fill)
{
    const phx_monitor *monitor = fill->monitor;
    const phx_point_parts *parts = &monitor->parts;
    return parts->valid && fill->parts > 1 && monitor->views_seen == parts->views_seen &&
           fill->stride == parts->stride && fill->stretch_slots == parts->stretch_slots &&
           fill->world->any_outside == parts->any_outside && fill->detect == parts->detect &&
           monitor->frame.points.slot_epoch == parts->slot_epoch;
}

/* Notes the next part, and all that the parts depend on. */
static void note_parts(const phx_points_pass *fill, bool valid)
{
    phx_monitor *monitor = fill->monitor;
    phx_point_parts *parts = &monitor->parts;
    ph_monitor_points *points = &monitor->frame.points;
    const uint64_t tick = fill->world->tick;
    parts->next = monitor->renewed == PHX_PARTS_ALL ? 0 : (parts->next + 1) % fill->parts;
    parts->count = fill->parts;
    parts->stretch_slots = fill->stretch_slots;
    parts->stride = fill->stride;
    parts->slot_epoch = points->slot_epoch;
    parts->views_seen = monitor->views_seen;
    parts->any_outside = fill->world->any_outside;
    parts->detect = fill->detect;
    parts->valid = valid;
    points->oldest = 0;
    for (uint32_t i = 0; i < fill->parts; i++)
        if (tick - parts->ticks[i] > points->oldest) points->oldest = (uint32_t)(tick - parts->ticks[i]);
}

static uint32_t default_parts(uint32_t slot_count)
{
    uint32_t parts = 1;
    while (parts < PH_MONITOR_SPREAD_MAX && slot_count / (2 * parts) >= PH_MONITOR_PART_SLOTS) parts *= 2;
    return parts;
}

static uint8_t detect_of(const phx_world *world, uint64_t focus)
{
    phx_shard *shard;
    uint32_t slot;
    const bool found = focus != 0 && phx_world_find(world, focus, &shard, &slot);
    return found ? phx_store_attr(&shard->store, slot)->detect : 0;
}

void phx_points_fill(phx_world *world, phx_monitor *monitor)
{
    ph_monitor_view *view = &monitor->frame.view;
    ph_monitor_points *points = &monitor->frame.points;
    number_slots(world, monitor);
    if (view->spread == 0) view->spread = default_parts(points->slot_count);
    phx_points_pass fill = {.world = world,
                            .monitor = monitor,
                            .places_of = places_of(view),
                            .kernel = phx_places_kernel_of(world->rules.simd),
                            .points_max = view->points_max,
                            .stride = monitor->stride,
                            .parts = view->spread,
                            .wants_points = view->flags & PH_MONITOR_POINTS,
                            .wants_grid = view->flags & PH_MONITOR_GRID,
                            .detect = detect_of(world, view->focus)};
    fill.stretch_slots = phx_points_stretch_slots(&fill);
    uint32_t count = run_fill(&fill, !keeps_parts(&fill));
    for (uint32_t i = 0; i < REFILLS_MAX && count > fill.points_max; i++) {
        fill.stride = likely_stride(fill.stride * 2, points->matched, fill.points_max);
        atomic_fetch_add_explicit(&monitor->refilled, 1, memory_order_relaxed);
        count = run_fill(&fill, true);
    }
    const bool fits = count <= fill.points_max;
    if (!fits) {
        count = 0;
        atomic_store_explicit(&monitor->run_count, 0, memory_order_relaxed);
        monitor->renewed = PHX_PARTS_ALL;
        monitor->frame.flags |= PH_FRAME_NO_POINTS;
    }
    note_parts(&fill, fits);
    points->count = count;
    points->stride = fill.stride;
    monitor->cells_due = fill.wants_grid && !fill.counts_cells;
    if (fill.stride > 1) monitor->frame.flags |= PH_FRAME_DECIMATED;
    monitor->stride = next_stride(fill.stride, points->matched, fill.points_max);
}

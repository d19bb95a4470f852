/*
 * Runs of points in the order of their keys; see order.h.
 */
#include "world/monitor/order.h"

#include <string.h>

#include "shards/entity/heap.h"
#include "world/monitor/shown.h"
#include "world/monitor/stretches.h"

static bool run_is_behind(const phx_point_run *a, const phx_point_run *b)
{
    return a->slot > b->slot;
}

/* ---- points of earlier frames ---- */

/* Some points of the last frame become a run of this one. */
static void keep_run(phx_monitor *monitor, uint32_t from, uint32_t count, uint32_t *room_first)
{
    const phx_point_columns *old = &monitor->points;
    const phx_found_columns *to = &monitor->found;
    const uint32_t run = atomic_load_explicit(&monitor->run_count, memory_order_relaxed), first = *room_first;
    PHX_ASSERT(run < monitor->runs_max && first + count <= monitor->def.points_max);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t step = old->steps[from + i] | PH_POINT_STEP_KEPT;
        to->slots[first + i] = old->slots[from + i];
        to->places[first + i] = old->x[from + i] | (uint32_t)old->y[from + i] << 16;
        to->looks[first + i] =
            old->kinds[from + i] | (uint32_t)old->bits[from + i] << PHX_LOOK_BITS | step << PHX_LOOK_STEP;
    }
    monitor->runs[run] = (phx_point_run){first, count, old->slots[from], false};
    atomic_store_explicit(&monitor->run_count, run + 1, memory_order_relaxed);
    *room_first += count;
}

/* The points of stretches that the frame does not renew. They have room behind the found ones. */
static void keep_points(phx_monitor *monitor)
{
    const phx_point_parts *parts = &monitor->parts;
    const uint32_t *slots = monitor->points.slots;
    uint32_t room_first = atomic_load_explicit(&monitor->point_count, memory_order_relaxed);
    for (uint32_t s = 0, at = 0; s < monitor->shard_count; s++) {
        const uint32_t shard_end = monitor->slot_first[s] + monitor->slot_room[s];
        for (uint32_t stretch = 0, first = monitor->slot_first[s]; first < shard_end; stretch++) {
            const uint32_t left = shard_end - first, from = at;
            const uint32_t end = first + (left < parts->stretch_slots ? left : parts->stretch_slots);
            while (at < monitor->ordered_count && slots[at] < end) at++;
            if (at > from && phx_stretch_part(parts->count, s, stretch) != monitor->renewed)
                keep_run(monitor, from, at - from, &room_first);
            first = end;
        }
    }
}

/* ---- order ---- */

static void split_places(const uint32_t *places, uint32_t count, uint16_t *x, uint16_t *y)
{
    for (uint32_t i = 0; i < count; i++) {
        x[i] = (uint16_t)places[i];
        y[i] = (uint16_t)(places[i] >> 16);
    }
}

static void split_looks(const uint32_t *looks, uint32_t count, const phx_point_columns *to, uint32_t at)
{
    for (uint32_t i = 0; i < count; i++) {
        to->kinds[at + i] = (uint16_t)looks[i];
        to->bits[at + i] = (uint8_t)(looks[i] >> PHX_LOOK_BITS);
        to->steps[at + i] = (uint8_t)(looks[i] >> PHX_LOOK_STEP);
    }
}

static void set_slots(const phx_point_run *run, const uint32_t *found, uint32_t *slots)
{
    if (!run->successive) memcpy(slots, found + run->first, run->count * sizeof *slots);
    for (uint32_t i = 0; run->successive && i < run->count; i++) slots[i] = run->slot + i;
}

/* The frame has a point for each entity of the view. */
static void count_cells(const phx_monitor *monitor)
{
    const phx_point_columns *points = &monitor->points;
    uint32_t *counts = monitor->grid_counts;
    memset(counts, 0, (size_t)PH_MONITOR_CELLS * PH_MONITOR_CELLS * sizeof *counts);
    for (uint32_t i = 0; i < monitor->frame.points.count; i++) counts[phx_shown_cell(points->x[i], points->y[i])]++;
}

void phx_points_order(phx_monitor *monitor)
{
    const phx_found_columns *from = &monitor->found;
    const phx_point_columns *to = &monitor->points;
    if (monitor->renewed != PHX_PARTS_ALL) keep_points(monitor);
    const uint32_t count = atomic_load_explicit(&monitor->run_count, memory_order_relaxed);
    uint32_t at = 0;
    PHX_HEAP_SORT(phx_point_run, monitor->runs, count, run_is_behind);
    for (uint32_t i = 0; i < count; i++) {
        const phx_point_run run = monitor->runs[i];
        set_slots(&run, from->slots, to->slots + at);
        split_places(from->places + run.first, run.count, to->x + at, to->y + at);
        split_looks(from->looks + run.first, run.count, to, at);
        at += run.count;
    }
    PHX_ASSERT(at == monitor->frame.points.count);
    monitor->ordered_count = at;
    if (monitor->cells_due) count_cells(monitor);
}

/*
 * Runs of points in the order of their keys; see order.h.
 */
#include "world/monitor/order.h"

#include <string.h>

#include "shards/entity/heap.h"
#include "world/monitor/shown.h"

static bool run_is_behind(const phx_point_run *a, const phx_point_run *b)
{
    return a->key > b->key;
}

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
    uint32_t *counts = monitor->sums[0].counts;
    memset(counts, 0, (size_t)PH_MONITOR_CELLS * PH_MONITOR_CELLS * sizeof *counts);
    for (uint32_t i = 0; i < monitor->frame.points.count; i++) counts[phx_shown_cell(points->x[i], points->y[i])]++;
}

void phx_points_order(phx_monitor *monitor)
{
    const phx_found_columns *from = &monitor->found;
    const phx_point_columns *to = &monitor->points;
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
    if (monitor->cells_due) count_cells(monitor);
}

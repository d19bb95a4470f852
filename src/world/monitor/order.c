/*
 * Runs of points in the order of their keys; see order.h.
 */
#include "world/monitor/order.h"

#include <string.h>

#include "shards/entity/heap.h"

static bool run_is_behind(const phx_point_run *a, const phx_point_run *b)
{
    return a->key > b->key;
}

void phx_points_order(phx_monitor *monitor)
{
    const phx_point_columns *from = &monitor->found, *to = &monitor->points;
    const uint32_t count = atomic_load_explicit(&monitor->run_count, memory_order_relaxed);
    uint32_t at = 0;
    PHX_HEAP_SORT(phx_point_run, monitor->runs, count, run_is_behind);
    for (uint32_t i = 0; i < count; i++) {
        const phx_point_run run = monitor->runs[i];
        memcpy(to->slots + at, from->slots + run.first, run.count * sizeof *to->slots);
        memcpy(to->x + at, from->x + run.first, run.count * sizeof *to->x);
        memcpy(to->y + at, from->y + run.first, run.count * sizeof *to->y);
        memcpy(to->kinds + at, from->kinds + run.first, run.count * sizeof *to->kinds);
        memcpy(to->bits + at, from->bits + run.first, run.count);
        memcpy(to->steps + at, from->steps + run.first, run.count);
        at += run.count;
    }
    PHX_ASSERT(at == monitor->frame.points.count);
}

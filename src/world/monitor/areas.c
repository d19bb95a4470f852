/*
 * Areas of a frame; see areas.h.
 */
#include "world/monitor/areas.h"

#include <string.h>

static bool area_meets(const phx_area_entry *entry, const ph_monitor_view *view)
{
    if (!entry->live) return false;
    if (entry->in_instance && !(view->flags & PH_MONITOR_ANY_INSTANCE) && entry->instance != view->instance)
        return false;
    return entry->box.x0 <= view->x1 && entry->box.x1 >= view->x0 && entry->box.y0 <= view->y1 &&
           entry->box.y1 >= view->y0;
}

static ph_monitor_area area_of(const phx_areas *areas, const phx_area_entry *entry)
{
    const bool polygon = entry->shape == PH_AREA_POLYGON;
    ph_monitor_area area = {.id = entry->id,
                            .layers = entry->layers,
                            .z_low = entry->z_low,
                            .z_high = entry->z_high,
                            .margin = polygon ? 0.0f : entry->margin,
                            .instance = entry->instance,
                            .shape = entry->shape,
                            .corner_count = polygon ? entry->corner_count : 0,
                            .in_instance = entry->in_instance};
    if (entry->follow != PHX_FOLLOW_NONE) area.follow = areas->follows.at[entry->follow].anchor;
    if (entry->shape == PH_AREA_CIRCLE) {
        area.x = entry->center[0];
        area.y = entry->center[1];
        area.radius = entry->radius;
    } else if (polygon) {
        memcpy(area.corners, entry->corners, sizeof area.corners);
    } else {
        area.x = entry->box.x0;
        area.y = entry->box.y0;
        area.to_x = entry->box.x1;
        area.to_y = entry->box.y1;
    }
    return area;
}

void phx_areas_fill(const phx_world *world, phx_monitor *monitor)
{
    ph_monitor_frame *frame = &monitor->frame;
    const phx_areas *areas = &world->areas;
    frame->area_count = frame->areas_matched = 0;
    if (!(frame->view.flags & PH_MONITOR_AREAS) || areas->live_count == 0) return;
    for (uint32_t i = 0; i < areas->count; i++) {
        const phx_area_entry *entry = &areas->at[i];
        if (!area_meets(entry, &frame->view)) continue;
        if (frame->areas_matched++ < PH_MONITOR_AREAS_MAX) monitor->areas[frame->area_count++] = area_of(areas, entry);
    }
}

/*
 * Entities of a view, and their places in it. Pure; by the ticking thread and all workers, at the end of a tick.
 */
#ifndef PHX_WORLD_MONITOR_SHOWN_H
#define PHX_WORLD_MONITOR_SHOWN_H

#include <pharos/monitor.h>

#include "shards/entity/bounds.h"
#include "shards/entity/entity_store.h"

enum { PHX_SHOWN_CELL_BITS = 10 }; /* of a coordinate of 16 bits: 64 cells */
_Static_assert(PH_MONITOR_CELLS << PHX_SHOWN_CELL_BITS == 65536, "coordinates of points are 16 bits");

typedef struct phx_shown {
    phx_box box;
    float scale_x, scale_y;
    uint32_t instance;
    bool any_instance;
} phx_shown;

static inline phx_shown phx_shown_of(const ph_monitor_view *view)
{
    return (phx_shown){.box = {view->x0, view->y0, view->x1, view->y1},
                       .scale_x = 65536.0f / (view->x1 - view->x0),
                       .scale_y = 65536.0f / (view->y1 - view->y0),
                       .instance = view->instance,
                       .any_instance = view->flags & PH_MONITOR_ANY_INSTANCE};
}

static inline bool phx_shown_instance(const phx_shown *shown, const phx_store *store, uint32_t slot)
{
    return shown->any_instance || phx_store_instance(store, slot) == shown->instance;
}

/* Is an own entity with this slot in the view? */
static inline bool phx_shown_has(const phx_shown *shown, const phx_store *store, uint32_t slot)
{
    const phx_body *body = &store->body[slot];
    if (!(body->state & PHX_SLOT_OWN) || !phx_box_has(shown->box, body->x, body->y)) return false;
    return shown->any_instance || phx_store_instance(store, slot) == shown->instance;
}

/* Of any p; outside of the view the answer means nothing. */
static inline int32_t phx_shown_place(float p, float from, float scale)
{
    const float at = (p - from) * scale, below = at < 65535.0f ? at : 65535.0f;
    return (int32_t)(below > 0.0f ? below : 0.0f);
}

static inline uint16_t phx_shown_x(const phx_shown *shown, float x)
{
    return (uint16_t)phx_shown_place(x, shown->box.x0, shown->scale_x);
}

static inline uint16_t phx_shown_y(const phx_shown *shown, float y)
{
    return (uint16_t)phx_shown_place(y, shown->box.y0, shown->scale_y);
}

static inline uint32_t phx_shown_cell(uint16_t x, uint16_t y)
{
    return (uint32_t)(y >> PHX_SHOWN_CELL_BITS) * PH_MONITOR_CELLS + (x >> PHX_SHOWN_CELL_BITS);
}

#endif

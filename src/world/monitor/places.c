/*
 * Places in a view, in plain C; see places.h. By all workers, at the end of a tick.
 */
#include "world/monitor/places.h"

uint32_t phx_places_portable(const phx_places_of *of, const phx_body *bodies, phx_span slots, phx_places to)
{
    const phx_shown shown = of->shown;
    uint32_t n = 0;
    for (uint32_t slot = slots.first; slot < slots.end; slot++) {
        const phx_body *body = &bodies[slot];
        const uint32_t in = (uint32_t)(body->x >= shown.box.x0) & (uint32_t)(body->x <= shown.box.x1) &
                            (uint32_t)(body->y >= shown.box.y0) & (uint32_t)(body->y <= shown.box.y1);
        /* written without a branch: one that is not shown is overwritten by the next one */
        to.slots[n] = slot;
        to.places[n] = (uint32_t)phx_shown_x(&shown, body->x) | (uint32_t)phx_shown_y(&shown, body->y) << 16;
        n += in & (uint32_t)((body->state & of->among) == of->state);
    }
    return n;
}

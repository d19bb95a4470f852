/*
 * Seeks; see view_seek.h. From the nearest world before the tick on, its ticks are run: the present world, a key image
 * in memory (view_images.h), or a recorded world of the source, which has no changed key.
 */
#include "tools/view_seek.h"

#include "tools/view_images.h"

static uint64_t within(const phx_view_source *source, uint64_t tick)
{
    if (tick < source->first) return source->first;
    return tick > source->last ? source->last : tick;
}

/* Another world where one is nearer than the present one. */
static bool jump(phx_view_source *source, uint64_t tick)
{
    const phx_key_image *best = phx_key_images_before(source->images, tick);
    const bool ahead = tick >= source->at && best->tick <= source->at; /* no key image is nearer than the present */
    const bool recorded = source->load_recorded && !(ahead ? source->diverged : best->diverged);
    const ph_status status = recorded ? source->load_recorded(source, ahead ? source->at : best->tick, tick) : PH_EMPTY;
    if (status == PH_EMPTY && ahead) return true;
    if (status == PH_EMPTY) return phx_key_images_load(source->images, best, source) && source->reopen(source);
    if (status != PH_OK) return false;
    source->diverged = false;
    phx_key_images_undo(source->images);
    return source->reopen(source);
}

bool phx_view_seek(phx_view_source *source, uint64_t tick)
{
    const uint64_t to = within(source, tick);
    if (!jump(source, to)) return false;
    while (source->at < to && !source->over)
        if (!source->step(source)) return false;
    return true;
}

/* Later images are of a world in which the key was not changed: they go, so that no seek comes back to it. */
void phx_view_note_change(phx_view_source *source)
{
    if (!source->images) return;
    source->diverged = true;
    phx_key_images_drop_after(source->images, source->at);
}

/*
 * The common part of the sources of pharos-view; see view_source.h.
 */
#include "tools/view_source.h"

#include <stdio.h>

bool phx_source_fail(phx_view_source *source, const char *what, ph_status status)
{
    snprintf(source->reason, sizeof source->reason, "%s: %s", what, ph_status_text(status));
    return false;
}

bool phx_source_make_world(phx_view_source *source)
{
    ph_world_def def = *ph_config_def(source->config);
    def.allocator = source->mem->allocator;
    def.consumers = 1;
    ph_status status = ph_world_create(&def, &source->world);
    if (status == PH_BAD_DEF && ph_world_def_check(&def, source->reason, sizeof source->reason) == PH_BAD_DEF)
        return false;
    if (status == PH_OK) status = ph_consumer_open(source->world, 0, &source->consumer);
    return status == PH_OK || phx_source_fail(source, "making the world", status);
}

bool phx_source_tick(phx_view_source *source)
{
    const ph_batch *batch;
    const ph_status status = ph_tick(source->world, NULL);
    if (status != PH_OK) return phx_source_fail(source, "the tick", status);
    while (ph_batch_take(source->consumer, &batch) == PH_OK) ph_batch_return(source->consumer, batch);
    source->at++;
    return true;
}

void phx_source_end_world(phx_view_source *source)
{
    if (source->world.index1 != 0) ph_world_destroy(source->world);
    source->world = (ph_world){0};
    source->consumer = (ph_consumer){0};
}

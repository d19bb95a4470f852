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
    ph_status status = ph_world_create(&def, &source->world);
    if (status == PH_BAD_DEF && ph_world_def_check(&def, source->reason, sizeof source->reason) == PH_BAD_DEF)
        return false;
    if (status == PH_OK) status = phx_source_open_consumers(source);
    return status == PH_OK || phx_source_fail(source, "making the world", status);
}

ph_status phx_source_open_consumers(phx_view_source *source)
{
    const uint32_t count = ph_config_def(source->config)->consumers;
    ph_status status = PH_OK;
    PHX_ASSERT(count <= PH_CONSUMERS_MAX);
    for (source->consumer_count = 0; source->consumer_count < count && status == PH_OK; source->consumer_count++)
        status = ph_consumer_open(source->world, source->consumer_count, &source->consumers[source->consumer_count]);
    return status;
}

void phx_source_return_batches(phx_view_source *source)
{
    const ph_batch *batch;
    for (uint32_t i = 0; i < source->consumer_count; i++)
        while (ph_batch_take(source->consumers[i], &batch) == PH_OK) ph_batch_return(source->consumers[i], batch);
}

bool phx_source_tick(phx_view_source *source)
{
    const ph_status status = ph_tick(source->world, NULL);
    if (status != PH_OK) return phx_source_fail(source, "the tick", status);
    phx_source_return_batches(source);
    source->at++;
    return true;
}

void phx_source_end_world(phx_view_source *source)
{
    if (source->world.index1 != 0 && source->leave) source->leave(source);
    if (source->world.index1 != 0) ph_world_destroy(source->world);
    source->world = (ph_world){0};
    source->consumer_count = 0;
}

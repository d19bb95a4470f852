/*
 * Watches ids that are owned twice; see double_ids.h.
 */
#include "cluster/halo/double_ids.h"

static phx_double_id *find_watched(phx_double_ids *ids, uint64_t id, uint64_t source)
{
    for (uint32_t i = 0; i < ids->count; i++)
        if (ids->items[i].id == id && ids->items[i].source == source) return &ids->items[i];
    return NULL;
}

void phx_double_ids_hear(phx_double_ids *ids, const phx_double_id *copy, uint64_t now)
{
    phx_double_id *known = find_watched(ids, copy->id, copy->source);
    if (!known && ids->count == PHX_DOUBLE_IDS_MAX) return;
    if (!known) known = &ids->items[ids->count++];
    else if (known->ownership == copy->ownership && copy->tick >= known->first_tick) {
        known->tick = copy->tick;
        known->heard_tick = now;
        return;
    }
    *known = *copy;
    known->first_tick = copy->tick;
    known->found_tick = known->heard_tick = now;
    known->reported = false;
}

void phx_double_ids_forget(phx_double_ids *ids, uint64_t now, uint32_t grace_ticks)
{
    for (uint32_t i = ids->count; i-- > 0;)
        if (now - ids->items[i].heard_tick > grace_ticks) ids->items[i] = ids->items[--ids->count];
}

bool phx_double_id_is_due(const phx_double_id *id, uint32_t quiet_ticks)
{
    return !id->reported && id->heard_tick - id->found_tick > quiet_ticks && id->tick - id->first_tick > quiet_ticks;
}

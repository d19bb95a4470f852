/*
 * ph_world_*, ph_tick: the table of worlds and the ticker's calls. See pharos.h.
 */
#include <stdio.h>
#include <string.h>

#include "api/def.h"
#include "api/handles.h"
#include "api/world_slots.h"
#include "base/float_env.h"
#include "base/lengths.h"
#include "world/read/query.h"
#include "world/read/stats.h"
#include "world/read/world_hash.h"
#include "world/table/gate.h"
#include "world/tick/lifecycle.h"
#include "world/tick/tick.h"

enum { REASON_SIZE = 512 }; /* a line with a key, its value and its range */

/* The reason of a refusal goes to the definition's own log, if ph_world_def_default() made it: else any word is there.
 */
static ph_status check_for_world(const ph_world_def *def)
{
    char reason[REASON_SIZE];
    ph_status status = ph_world_def_check(def, reason, sizeof reason);
    if (status != PH_OK && phx_def_is_ours(def) && def->log) def->log(def->log_user, PH_LOG_ERROR, reason);
    return status;
}

ph_status ph_world_create(const ph_world_def *def, ph_world *world)
{
    PHX_FLOAT_DEFAULT;
    if (!world) return PH_BAD_ARGUMENT;
    *world = (ph_world){0};
    if (!def) return PH_BAD_ARGUMENT;
    ph_status status = check_for_world(def);
    if (status != PH_OK) return status;
    phx_world_slot *slot = phx_world_slot_acquire();
    if (!slot) return PH_TAKEN;
    phx_world *made;
    status = phx_world_create(def, phx_resolve_crew(def->crew), &made);
    if (status == PH_OK) *world = phx_world_slot_fill(slot, made);
    else phx_world_slot_drop(slot);
    return status;
}

ph_status ph_world_destroy(ph_world handle)
{
    phx_world *world = phx_resolve_world(handle);
    if (!world) return PH_BAD_HANDLE;
    if (!phx_gate_tick_begin(&world->gate)) return PH_BUSY;
    phx_world_slot *slot = &phx_world_slots[handle.index1 - 1];
    atomic_store_explicit(&slot->world, NULL, memory_order_relaxed);
    phx_world_destroy(world);
    phx_world_slot_drop(slot);
    return PH_OK;
}

ph_status ph_tick(ph_world handle, uint64_t *tick)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world = phx_resolve_world(handle);
    if (tick) *tick = 0;
    return world ? phx_world_tick(world, tick) : PH_BAD_HANDLE;
}

ph_status ph_tick_finish(ph_world handle, uint64_t *tick)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world = phx_resolve_world(handle);
    if (tick) *tick = 0;
    return world ? phx_world_tick_finish(world, tick) : PH_BAD_HANDLE;
}

ph_status ph_apply(ph_world handle)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world = phx_resolve_world(handle);
    return world ? phx_world_apply(world) : PH_BAD_HANDLE;
}

ph_status ph_world_reconfigure(ph_world handle, const ph_world_def *def, char *reason, size_t reason_size)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world = phx_resolve_world(handle);
    if (reason && reason_size > 0) reason[0] = '\0';
    if (!world) return PH_BAD_HANDLE;
    if (!def) return PH_BAD_ARGUMENT;
    ph_status status = ph_world_def_check(def, reason, reason_size);
    if (status != PH_OK) return status;
    const char *name;
    const ph_world_def *now = world->next_classes ? &world->next_def : &world->def;
    if (phx_def_live_difference(now, def, &name)) {
        const bool open = strcmp(name, "tower_size") == 0 && !phx_is_long(def->tower_size);
        const char *why = open ? "was chosen by the views, so events can not begin to depend on towers: range, wakes, "
                                 "crowd_entities"
                               : "can not change while the world lives";
        if (reason && reason_size > 0) snprintf(reason, reason_size, "%s: %s", name, why);
        return PH_NOT_LIVE;
    }
    return phx_world_reconfigure(world, def);
}

ph_status ph_world_stats(ph_world handle, ph_stats *stats)
{
    phx_world *world = phx_resolve_world(handle);
    if (!world) return PH_BAD_HANDLE;
    if (!stats) return PH_BAD_ARGUMENT;
    if (!phx_gate_read_begin(&world->gate)) return PH_BUSY;
    phx_query_stats(world, stats);
    phx_gate_read_end(&world->gate);
    return PH_OK;
}

ph_status ph_world_shard_stats(ph_world handle, ph_shard_stats *stats, uint32_t capacity, uint32_t *count)
{
    phx_world *world = phx_resolve_world(handle);
    if (!world) return PH_BAD_HANDLE;
    if (!count || (!stats && capacity > 0)) return PH_BAD_ARGUMENT;
    if (!phx_gate_read_begin(&world->gate)) return PH_BUSY;
    *count = world->shard_count;
    for (uint32_t i = 0; i < world->shard_count && i < capacity; i++) phx_query_shard_stats(world, i, &stats[i]);
    phx_gate_read_end(&world->gate);
    return PH_OK;
}

ph_status ph_world_hash(ph_world handle, uint64_t *hash)
{
    PHX_FLOAT_DEFAULT;
    phx_world *world = phx_resolve_world(handle);
    if (!world) return PH_BAD_HANDLE;
    if (!hash) return PH_BAD_ARGUMENT;
    if (!phx_gate_read_begin(&world->gate)) return PH_BUSY;
    *hash = phx_query_hash(world);
    phx_gate_read_end(&world->gate);
    return PH_OK;
}

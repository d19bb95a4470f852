/*
 * ph_crew_*, ph_tick_many: the table of crews, and the tick of many worlds by one crew. See pharos.h.
 */
#include "api/handles.h"
#include "base/float_env.h"
#include "world/table/gate.h"
#include "world/tick/tick.h"

phx_crew_slot phx_crew_slots[PH_CREWS_MAX];

/* ---- crews ---- */

static bool crew_def_is_good(const ph_crew_def *def)
{
    return def->workers >= 1 && def->workers <= PH_WORKERS_MAX && phx_allocator_is_good(&def->allocator) &&
           phx_is_zero(def->tasks.reserved, sizeof def->tasks.reserved) && def->reserved == 0 &&
           phx_is_zero(def->reserved2, sizeof def->reserved2);
}

ph_status ph_crew_create(const ph_crew_def *def, ph_crew *crew)
{
    PHX_FLOAT_DEFAULT;
    if (!crew) return PH_BAD_ARGUMENT;
    *crew = (ph_crew){0};
    if (!def || !crew_def_is_good(def)) return PH_BAD_ARGUMENT;
    for (uint32_t i = 0; i < PH_CREWS_MAX; i++) {
        phx_crew_slot *slot = &phx_crew_slots[i];
        uint32_t expected = 0;
        if (!atomic_compare_exchange_strong_explicit(&slot->taken, &expected, 1, memory_order_acquire,
                                                     memory_order_relaxed))
            continue;
        phx_crew *made = phx_crew_create(def->allocator, def->workers, def->tasks);
        if (!made) {
            atomic_store_explicit(&slot->taken, 0, memory_order_release);
            return PH_NO_MEMORY;
        }
        uint32_t generation = atomic_fetch_add_explicit(&slot->generation, 1, memory_order_relaxed) + 1;
        atomic_store_explicit(&slot->crew, made, memory_order_release);
        *crew = (ph_crew){.index1 = (uint16_t)(i + 1), .generation = (uint16_t)generation};
        return PH_OK;
    }
    return PH_TAKEN;
}

ph_status ph_crew_destroy(ph_crew handle)
{
    phx_crew *crew = phx_resolve_crew(handle);
    if (!crew) return PH_BAD_HANDLE;
    /* pairs with the release of the last world's end */
    if (atomic_load_explicit(&crew->users, memory_order_acquire) != 0) return PH_BUSY;
    phx_crew_slot *slot = &phx_crew_slots[handle.index1 - 1];
    atomic_store_explicit(&slot->crew, NULL, memory_order_relaxed);
    phx_crew_destroy(crew);
    atomic_store_explicit(&slot->taken, 0, memory_order_release);
    return PH_OK;
}

/* ---- many worlds ---- */

typedef struct many_ticks {
    const ph_world *worlds;
    ph_status *statuses; /* PH_OK: the world's gate is closed, and its tick is to run */
    phx_crew_use use;
} many_ticks;

static void tick_piece(void *context, uint32_t worker, uint32_t piece)
{
    const many_ticks *many = context;
    (void)worker;
    if (many->statuses[piece] != PH_OK) return;
    many->statuses[piece] = phx_world_tick_inside(phx_resolve_world(many->worlds[piece]), many->use);
}

/*
 * Closes the gates of all worlds, so that a world that is named twice ticks once. Returns the crew of the first world
 * that has one.
 */
static phx_crew *close_gates(const ph_world *worlds, uint32_t count, ph_status *statuses)
{
    phx_crew *crew = NULL;
    for (uint32_t i = 0; i < count; i++) {
        phx_world *world = phx_resolve_world(worlds[i]);
        statuses[i] = !world ? PH_BAD_HANDLE : phx_gate_tick_begin(&world->gate) ? PH_OK : PH_BUSY;
        if (statuses[i] == PH_OK && !crew) crew = world->crew;
    }
    return crew;
}

/* The ticks that were left for all workers. */
static void tick_large(const ph_world *worlds, uint32_t count, ph_status *statuses, const phx_crew *crew)
{
    for (uint32_t i = 0; i < count; i++) {
        if (statuses[i] != PH_PENDING) continue;
        phx_world *world = phx_resolve_world(worlds[i]);
        statuses[i] = phx_world_tick_inside(world, world->crew == crew ? PHX_CREW_TAKEN : PHX_CREW_TRY);
    }
}

ph_status ph_tick_many(const ph_world *worlds, uint32_t count, ph_status *statuses)
{
    PHX_FLOAT_DEFAULT;
    if (count > 0 && (!worlds || !statuses)) return PH_BAD_ARGUMENT;
    phx_crew *crew = close_gates(worlds, count, statuses);
    if (crew && phx_crew_acquire(crew)) {
        many_ticks many = {worlds, statuses, PHX_CREW_LATER};
        phx_parallel_for(crew->workers, count, tick_piece, &many);
        tick_large(worlds, count, statuses, crew);
        phx_crew_release(crew);
    } else {
        many_ticks many = {worlds, statuses, PHX_CREW_TRY};
        phx_parallel_for(NULL, count, tick_piece, &many);
    }
    for (uint32_t i = 0; i < count; i++)
        if (statuses[i] != PH_OK) return statuses[i];
    return PH_OK;
}

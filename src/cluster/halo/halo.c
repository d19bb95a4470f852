/*
 * Entities that come and go, and copies that are not repeated; see halo.h. Messages are in halo_in.c and halo_out.c.
 */
#include "cluster/halo/halo.h"

#include "cluster/halo/halo_pins.h"
#include "cluster/halo/halo_table.h"

void phx_halo_init(phx_halo *halo, const phx_halo_def *def)
{
    memset(halo, 0, sizeof *halo);
    halo->def = *def;
    phx_mem_init(&halo->mem, def->allocator);
    phx_idmap_init(&halo->places, &halo->mem);
    phx_idmap_init(&halo->pinned, &halo->mem);
    phx_ended_stays_init(&halo->ended, &halo->mem);
    halo->waits_version = UINT32_MAX;
}

void phx_halo_free(phx_halo *halo)
{
    for (uint32_t i = 0; i < halo->peer_count; i++) phx_halo_forget_pins(halo, &halo->peers[i]);
    phx_release(&halo->mem, (void **)&halo->peers, &halo->peer_capacity, sizeof *halo->peers);
    phx_release(&halo->mem, (void **)&halo->entities, &halo->entity_capacity, sizeof *halo->entities);
    phx_release(&halo->mem, (void **)&halo->remotes, &halo->remote_capacity, sizeof *halo->remotes);
    phx_release(&halo->mem, (void **)&halo->hits, &halo->hit_capacity, sizeof *halo->hits);
    phx_release(&halo->mem, (void **)&halo->passed, &halo->passed_capacity, sizeof *halo->passed);
    phx_release(&halo->mem, (void **)&halo->newcomers.items, &halo->newcomers.capacity, sizeof(uint64_t));
    phx_release(&halo->mem, (void **)&halo->missed.items, &halo->missed.capacity, sizeof(uint64_t));
    phx_release(&halo->mem, (void **)&halo->far.items, &halo->far.capacity, sizeof(uint64_t));
    phx_release(&halo->mem, (void **)&halo->left, &halo->left_capacity, sizeof *halo->left);
    phx_release(&halo->mem, (void **)&halo->pins, &halo->pin_capacity, sizeof *halo->pins);
    phx_idmap_free(&halo->places);
    phx_idmap_free(&halo->pinned);
    phx_ended_stays_free(&halo->ended);
}

/* ---- own entities ---- */

/*
 * Stays of a registration are numbers from one on. Multiples of the golden ratio lie as far from each other as they
 * can: of a thousand registrations, one after the other, each has more than a million stays before another one
 * begins.
 */
static uint32_t next_stay(phx_halo *halo)
{
    enum { STAY_SHIFT = 32 };
    const uint64_t first = halo->def.node->def.member.registration * 0x9e3779b97f4a7c15u;
    return (uint32_t)(first >> STAY_SHIFT) + ++halo->stays;
}

ph_status phx_halo_enter(phx_halo *halo, uint64_t id, const ph_attrs *attrs)
{
    const phx_halo_entity *entity = phx_halo_find(halo, id);
    if (entity && entity->own) return PH_EXISTS;
    if (!phx_halo_reserve_own(halo, 1)) return PH_NO_MEMORY;
    entity = phx_halo_find(halo, id); /* it may have moved */
    if (entity && !phx_halo_note_taken(halo, ph_leave(halo->def.producer, id))) return PH_FULL;
    if (entity) phx_halo_remove(halo, entity);
    const ph_status status = ph_enter(halo->def.producer, id, attrs);
    if (status != PH_OK) return status;
    (void)phx_halo_add_entered(
        halo,
        (phx_halo_entity){.id = id, .stay = next_stay(halo), .own = true, .enters = true, .heard_tick = halo->now});
    return PH_OK;
}

ph_status phx_halo_leave(phx_halo *halo, uint64_t id)
{
    phx_halo_entity *entity = phx_halo_find(halo, id);
    if (!entity || !entity->own) return PH_UNKNOWN_ID;
    const bool is_told = halo->left_count < PHX_HALO_LEFT_MAX; /* else its copies leave as they are not repeated */
    if (is_told && !phx_grow(&halo->mem, (void **)&halo->left, &halo->left_capacity, halo->left_count,
                             (size_t)halo->left_count + 1, sizeof *halo->left))
        return PH_NO_MEMORY;
    const ph_status status = ph_leave(halo->def.producer, id);
    if (status != PH_OK) return status;
    phx_halo_note_ended(halo, id, entity->stay);
    halo->freed++;
    if (is_told) halo->left[halo->left_count++] = (phx_halo_left){{id, entity->stay}, PHX_HALO_REPEATS};
    phx_halo_remove(halo, entity);
    return PH_OK;
}

/* ---- copies ---- */

/* Is the copy not repeated any more? One that is on its way from here is its receiver's, which may not know it yet. */
static bool is_stale(const phx_halo *halo, phx_halo_entity *entity)
{
    phx_halo_remote *remote = phx_halo_remote_of(halo, entity);
    const phx_halo_peer *peer = phx_halo_peer_find(halo, remote->source);
    if (phx_holdings_find(&halo->def.node->holdings, entity->id)) {
        if (!remote->heard) remote->tick = peer ? peer->newest : 0;
        entity->heard_tick = halo->now;
        return false;
    }
    return halo->now - entity->heard_tick > halo->def.quiet_ticks ||
           (peer && peer->newest > remote->tick && peer->newest - remote->tick > halo->def.grace_ticks);
}

static void mend_copies(phx_halo *halo)
{
    halo->is_behind = false;
    halo->counts.looks += halo->copy_count;
    for (uint32_t i = halo->copy_count; i-- > 0;) {
        phx_halo_entity *entity = &halo->entities[i];
        if (entity->resigns) phx_halo_resign(halo, entity);
        if (!is_stale(halo, entity)) continue;
        const bool is_dropped = phx_halo_drop_copy(halo, entity);
        halo->counts.expired += is_dropped;
        halo->freed += is_dropped;
        halo->is_behind |= !is_dropped;
    }
}

void phx_halo_try_again(phx_halo *halo)
{
    if (halo->is_behind) mend_copies(halo);
}

void phx_halo_begin_tick(phx_halo *halo)
{
    halo->now++;
    phx_halo_forget_peers(halo);
    phx_double_ids_forget(&halo->double_ids, halo->now, halo->def.grace_ticks);
    phx_ended_stays_forget(&halo->ended, halo->now, halo->def.grace_ticks);
    mend_copies(halo);
}

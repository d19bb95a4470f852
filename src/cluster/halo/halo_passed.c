/*
 * Entities that were given away and are copied still; see halo_passed.h.
 */
#include "cluster/halo/halo_passed.h"

#include "cluster/halo/halo_table.h"

void phx_halo_note_passed(phx_halo *halo, const phx_halo_entity *entity)
{
    PHX_ASSERT(halo->passed_count < halo->passed_capacity);
    halo->passed[halo->passed_count++] =
        (phx_halo_passed){.id = entity->id, .given_version = halo->def.node->map.version};
    phx_halo_remote_of(halo, entity)->passed = halo->now + halo->def.passed_ticks;
}

bool phx_halo_is_sending(const phx_halo *halo, uint64_t id)
{
    const phx_holding *holding = phx_holdings_find(&halo->def.node->holdings, id);
    return holding && holding->sending;
}

bool phx_halo_passes(const phx_halo *halo, const phx_halo_entity *entity)
{
    return phx_halo_remote_of(halo, entity)->passed >= halo->now;
}

bool phx_halo_passes_any(const phx_halo *halo)
{
    for (uint32_t i = 0; i < halo->passed_count; i++) {
        const phx_halo_entity *entity = phx_halo_find(halo, halo->passed[i].id);
        if (phx_halo_is_sending(halo, halo->passed[i].id)) return true;
        if (entity && !entity->own && phx_halo_passes(halo, entity)) return true;
    }
    return false;
}

/* Adds its region; where the own world had no room for it any more it is in none. false: it is copied no more. */
static bool mend_one(phx_halo *halo, uint64_t id, phx_region_set *stood)
{
    ph_attrs attrs;
    const phx_halo_entity *entity = phx_halo_find(halo, id);
    const bool is_sending = phx_halo_is_sending(halo, id);
    if (!entity || entity->own) return !entity && is_sending;
    if (is_sending) phx_halo_remote_of(halo, entity)->passed = halo->now + halo->def.passed_ticks;
    if (!phx_halo_passes(halo, entity)) return false;
    if (ph_entity_get(halo->def.world, id, &attrs) == PH_OK)
        phx_region_set_add(stood, phx_halo_region(&halo->def.grid, attrs.x, attrs.y));
    return true;
}

void phx_halo_mend_passed(phx_halo *halo, phx_region_set *stood)
{
    uint32_t kept = 0, settled = halo->def.node->map.version;
    if (halo->waits_version < settled) settled = halo->waits_version;
    for (uint32_t i = 0; i < halo->passed_count; i++) {
        const phx_halo_passed passed = halo->passed[i];
        if (!mend_one(halo, passed.id, stood)) continue;
        if (passed.given_version < settled) settled = passed.given_version;
        halo->passed[kept++] = passed;
    }
    halo->passed_count = kept;
    halo->settled_version = settled;
}

/*
 * Entities that are seen from far; see halo_far.h.
 */
#include "cluster/halo/halo_far.h"

#include "cluster/halo/halo_passed.h"
#include "cluster/halo/halo_search.h"
#include "cluster/halo/halo_table.h"

/* false: it can not be known yet. */
static bool look_at(phx_halo *halo, phx_halo_entity *entity)
{
    ph_attrs attrs;
    halo->counts.looks++;
    if (ph_entity_get(halo->def.world, entity->id, &attrs) != PH_OK) return false;
    const bool is_far = phx_halo_is_far(halo, &attrs);
    halo->counts.exceeded += attrs.view + attrs.margin > halo->def.view;
    if ((is_far || entity->far) && entity->far_ticks == 0) {
        phx_halo_ids *far = &halo->far;
        if (!phx_grow(&halo->mem, (void **)&far->items, &far->capacity, far->count, (size_t)far->count + 1,
                      sizeof *far->items)) {
            halo->is_short = true;
            return false;
        }
        far->items[far->count++] = entity->id;
        entity->far_ticks = PHX_HALO_REPEATS;
    }
    if (is_far) entity->far_ticks = PHX_HALO_REPEATS;
    entity->far = is_far;
    return true;
}

/*
 * Own ones that came or entered: each once it is in the world. One that has left and entered anew stands there more
 * than once, and is kept once.
 */
static void look_at_newcomers(phx_halo *halo)
{
    phx_halo_ids *newcomers = &halo->newcomers;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < newcomers->count; i++) {
        phx_halo_entity *entity = phx_halo_find(halo, newcomers->items[i]);
        if (!entity || !entity->looks) continue;
        const bool waits = entity->own && !look_at(halo, entity);
        entity->looks = false;
        entity->enters &= waits;
        if (waits) newcomers->items[kept++] = entity->id;
    }
    newcomers->count = kept;
    for (uint32_t i = 0; i < kept; i++) phx_halo_find(halo, newcomers->items[i])->looks = true;
}

/* It waits for the world, or the host has let it leave by itself. Without memory it is noted by a later look. */
static void note_missed(phx_halo *halo, uint64_t id)
{
    phx_halo_ids *missed = &halo->missed;
    if (phx_grow(&halo->mem, (void **)&missed->items, &missed->capacity, missed->count, (size_t)missed->count + 1,
                 sizeof *missed->items))
        missed->items[missed->count++] = id;
}

/* The host may set an entity so and not say it: each of its own is looked at now and then. */
static void look_at_some(phx_halo *halo)
{
    const uint32_t own = halo->entity_count - halo->copy_count;
    halo->missed.count = 0; /* of looks before, where no tick has been since that took all commands */
    for (uint32_t i = 0; own > 0 && i <= own / PHX_HALO_LOOK_TICKS; i++) {
        halo->far_at = halo->far_at + 1 < own ? halo->far_at + 1 : 0;
        phx_halo_entity *entity = &halo->entities[halo->copy_count + halo->far_at];
        if (!look_at(halo, entity)) note_missed(halo, entity->id);
    }
}

/*
 * Leaves out entities that are neither own nor copied still, and ones that are not far any more: these some messages
 * later, as copies at peers that have not heard of it are seen from far still.
 */
static void mend_far(phx_halo *halo)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < halo->far.count; i++) {
        phx_halo_entity *entity = phx_halo_find(halo, halo->far.items[i]);
        if (!entity || entity->far_ticks == 0) continue;
        if (!entity->own && !phx_halo_passes(halo, entity)) entity->far_ticks = 0;
        else if (!entity->far) entity->far_ticks--;
        if (entity->far_ticks > 0) halo->far.items[kept++] = entity->id;
    }
    halo->far.count = kept;
}

void phx_halo_find_far(phx_halo *halo)
{
    mend_far(halo);
    look_at_newcomers(halo);
    look_at_some(halo);
}

ph_status phx_halo_look(phx_halo *halo, uint64_t id)
{
    phx_halo_ids *newcomers = &halo->newcomers;
    phx_halo_entity *entity = phx_halo_find(halo, id);
    if (!entity || !entity->own) return PH_UNKNOWN_ID;
    if (entity->looks) return PH_OK;
    if (!phx_grow(&halo->mem, (void **)&newcomers->items, &newcomers->capacity, newcomers->count,
                  (size_t)newcomers->count + 1, sizeof *newcomers->items))
        return PH_NO_MEMORY;
    newcomers->items[newcomers->count++] = id;
    entity->looks = true;
    return PH_OK;
}

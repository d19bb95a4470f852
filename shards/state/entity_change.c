/*
 * Consequences of a change of one entity; see entity_change.h.
 */
#include "shards/state/entity_change.h"

#include "shards/state/dirty_marks.h"
#include "shards/state/storage.h"

void phx_shard_refresh_row(phx_shard *shard, uint32_t slot)
{
    if (shard->store.body[slot].state & PHX_SLOT_ROW) shard->storage->refresh_entry(shard, slot);
}

void phx_shard_flag(phx_shard *shard, uint32_t slot)
{
    phx_body *body = &shard->store.body[slot];
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    uint32_t old = body->state;
    uint32_t state = old & ~(uint32_t)(PHX_SLOT_FAR | PHX_SLOT_SPECIAL | PHX_SLOT_BOUNDED | PHX_SLOT_APART);
    bool reaches = attr->reach > 0.0f && shard->rules->range == PH_RANGE_RADIUS;
    if (attr->global || reaches) state |= PHX_SLOT_FAR;
    if (phx_has_bound(attr) && shard->rules->range == PH_RANGE_RADIUS) state |= PHX_SLOT_BOUNDED;
    if (attr->instance != 0) state |= PHX_SLOT_APART;
    const bool mixed = attr->instance != 0 && shard->rules_storage->mixes_instances;
    bool seen_by_all = attr->layers == 1 && attr->stealth == 0 && !attr->veiled && !mixed;
    const bool looks_apart = phx_attr_observes(attr) && !(attr->sees & 1);
    if (!seen_by_all || looks_apart || attr->priority > 0 || (state & (PHX_SLOT_FAR | PHX_SLOT_BOUNDED)))
        state |= PHX_SLOT_SPECIAL;
    if ((old | state) & PHX_SLOT_FAR) phx_shard_mark_far_stale(shard);
    if (state & PHX_SLOT_BOUNDED) {
        shard->bounded = true;
        shard->bounded_slot = slot;
    }
    body->state = (uint16_t)state;
    shard->limited |= (state & PHX_SLOT_OWN) && !phx_list_unlimited(attr);
    phx_store_rename(&shard->store, slot);
    phx_shard_refresh_row(shard, slot);
}

void phx_shard_kill(phx_shard *shard, uint32_t slot)
{
    phx_body *body = &shard->store.body[slot];
    phx_shard_mark_discontinuous(shard, body);
    if (body->state & PHX_SLOT_ROW) shard->storage->remove_entry(shard, slot);
    phx_store_kill(&shard->store, slot);
}

uint32_t phx_shard_same_ghost(phx_shard *shard, uint32_t slot, uint32_t incarnation)
{
    if (slot == PHX_SLOT_NONE || shard->store.name[slot].incarnation == incarnation) return slot;
    phx_shard_kill(shard, slot);
    return PHX_SLOT_NONE;
}

void phx_shard_partial(phx_shard *shard, uint32_t slot, bool partial)
{
    phx_body *body = &shard->store.body[slot];
    PHX_ASSERT(body->state & PHX_SLOT_OWN);
    if (partial) body->state |= PHX_SLOT_PARTIAL;
    else body->state = (uint16_t)(body->state & ~PHX_SLOT_PARTIAL);
    if (partial) shard->storage->mark_partial(shard, slot);
    else phx_shard_refresh_row(shard, slot);
}

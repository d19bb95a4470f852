/*
 * Tables of a halo; see halo_table.h.
 */
#include "cluster/halo/halo_table.h"

phx_halo_entity *phx_halo_find(const phx_halo *halo, uint64_t id)
{
    const uint64_t *place = phx_idmap_find(&halo->places, id);
    return place ? &halo->entities[*place] : NULL;
}

bool phx_halo_reserve(phx_halo *halo, uint32_t more)
{
    return phx_idmap_reserve(&halo->places, halo->entity_count + more) &&
           phx_grow(&halo->mem, (void **)&halo->entities, &halo->entity_capacity, halo->entity_count,
                    (size_t)halo->entity_count + more, sizeof *halo->entities);
}

phx_halo_entity *phx_halo_add(phx_halo *halo, phx_halo_entity entity)
{
    PHX_ASSERT(halo->entity_count < halo->entity_capacity);
    phx_idmap_insert(&halo->places, entity.id, halo->entity_count);
    halo->entities[halo->entity_count] = entity;
    return &halo->entities[halo->entity_count++];
}

void phx_halo_remove(phx_halo *halo, const phx_halo_entity *entity)
{
    const uint32_t place = (uint32_t)(entity - halo->entities), last = --halo->entity_count;
    (void)phx_idmap_remove(&halo->places, entity->id);
    if (place == last) return;
    halo->entities[place] = halo->entities[last];
    *phx_idmap_find(&halo->places, halo->entities[place].id) = place;
}

phx_halo_peer *phx_halo_peer_find(const phx_halo *halo, uint64_t registration)
{
    for (uint32_t i = 0; i < halo->peer_count; i++)
        if (halo->peers[i].registration == registration) return &halo->peers[i];
    return NULL;
}

phx_halo_peer *phx_halo_peer_of(phx_halo *halo, uint64_t registration)
{
    phx_halo_peer *known = phx_halo_peer_find(halo, registration);
    if (known) return known;
    if (!phx_grow(&halo->mem, (void **)&halo->peers, &halo->peer_capacity, halo->peer_count,
                  (size_t)halo->peer_count + 1, sizeof *halo->peers))
        return NULL;
    halo->peers[halo->peer_count] = (phx_halo_peer){.registration = registration, .heard = halo->now};
    return &halo->peers[halo->peer_count++];
}

void phx_halo_forget_peers(phx_halo *halo)
{
    for (uint32_t i = halo->peer_count; i-- > 0;) {
        phx_halo_peer *peer = &halo->peers[i];
        if (phx_node_peer(halo->def.node, peer->registration)) continue;
        phx_release(&halo->mem, (void **)&peer->pins, &peer->pin_capacity, sizeof *peer->pins);
        *peer = halo->peers[--halo->peer_count];
    }
}

void phx_halo_resign(phx_halo *halo, phx_halo_entity *entity)
{
    const ph_attrs remote = {.given = PH_REMOTE, .remote = true};
    entity->resigns = ph_set(halo->def.producer, entity->id, &remote) != PH_OK;
    halo->counts.refused += entity->resigns;
}

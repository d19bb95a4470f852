/*
 * Broadcasts of a host: observers of this node hear them by its world, others by the worlds of their nodes; see
 * cluster.h.
 */
#include "cluster/halo/halo_passed.h"
#include "cluster/halo/halo_say.h"
#include "cluster/halo/halo_table.h"
#include "cluster/member/owners.h"
#include "cluster/node/says.h"

/* Each peer that needs it gets it with the next messages, behind this tick. */
static void say_to_peers(phc *member, phx_say *say, const uint32_t *kinds)
{
    phx_node *node = &member->node;
    for (uint32_t i = 0; i < node->peer_count; i++) {
        phx_peer *peer = &node->peers[i];
        if (!phx_halo_says_to(&member->halo, peer, say)) continue;
        if (say->number == 0) say->number = phx_says_next(node);
        (void)phx_says_send(node, peer, say, kinds); /* one that was dropped is counted */
    }
}

/*
 * It came, and the world does not have it yet: neither is it known where it is, nor that the world takes it. Where its
 * copy was here, that is heard, and other nodes have theirs.
 */
static bool is_to_come(const phc *member, uint64_t id, bool is_in_world)
{
    const phx_halo_entity *entity = phx_halo_find(&member->halo, id);
    return entity && entity->arrives && !(entity->copied && is_in_world);
}

/* The host has entered it in this round: a copy of its id, which leaves with it, is of another entity. */
static bool enters_now(const phc *member, uint64_t id)
{
    const phx_halo_entity *entity = phx_halo_find(&member->halo, id);
    return entity && entity->enters;
}

ph_status phc_broadcast(phc *member, ph_producer producer, uint64_t source, const void *payload, uint32_t bytes,
                        const ph_broadcast_options *options)
{
    const ph_broadcast_options plain = {0}, *of = options ? options : &plain;
    ph_attrs attrs;
    ph_status status = phx_phc_check_node(member);
    if (status != PH_OK) return status;
    const ph_status known = ph_entity_get(member->world, source, &attrs);
    if (!phx_node_may_act(&member->node) || known == PH_BUSY) return PH_BUSY;
    const phx_holding *holding = phx_owners_find(member, source);
    if (!holding) return phx_halo_is_sending(&member->halo, source) ? PH_PENDING : PH_UNKNOWN_ID;
    if (is_to_come(member, source, known == PH_OK)) return PH_PENDING;
    status = ph_broadcast(producer, source, payload, bytes, options);
    if (status != PH_OK) return status;
    if (enters_now(member, source) || known != PH_OK) return PH_OK; /* no peer has it */
    phx_say say = {.source = source,
                   .ownership = holding->ownership,
                   .layers = attrs.layers,
                   .x = attrs.x,
                   .y = attrs.y,
                   .radius = of->radius,
                   .instance = attrs.instance,
                   .flags = of->flags & PH_BROADCAST_SEEN,
                   .kind_count = of->kind_count,
                   .payload = payload,
                   .bytes = bytes};
    say_to_peers(member, &say, of->kinds);
    return PH_OK;
}

ph_status phc_broadcast_at(phc *member, ph_producer producer, const ph_broadcast_place *place, const void *payload,
                           uint32_t bytes)
{
    ph_status status = phx_phc_check_node(member);
    if (status != PH_OK) return status;
    if (!phx_node_may_act(&member->node)) return PH_BUSY;
    status = ph_broadcast_at(producer, place, payload, bytes);
    if (status != PH_OK) return status;
    phx_say say = {.layers = place->layers,
                   .x = place->x,
                   .y = place->y,
                   .radius = place->radius,
                   .instance = place->instance,
                   .kind_count = place->kind_count,
                   .payload = payload,
                   .bytes = bytes};
    say_to_peers(member, &say, place->kinds);
    return PH_OK;
}

/*
 * The rules that keep an entity from having two owners, and its state from going back unheard. Each is a pure question
 * of its own, so that tests can put a wrong answer in its place (tests/canary/cluster_rules.c) and see the simulation
 * find it. Asked by the node.
 */
#ifndef PHX_CLUSTER_MAP_RULES_H
#define PHX_CLUSTER_MAP_RULES_H

#include "cluster/map/cluster_map.h"
#include "cluster/wire/wire.h"

/* Fence: messages of a registration that is not in the own map are dropped. */
bool phx_rule_hears(const phx_cluster_map *map, uint64_t registration);

/* Sequence: an item is taken only behind the one before it. */
bool phx_rule_is_next(uint64_t taken, uint64_t sequence);

/*
 * Retention: an entity that came as an item of a sender stays until that sender has seen the ack, or is put out.
 * Otherwise the sender takes it back, once the receiver is dead, from a third node that had got it meanwhile.
 */
bool phx_rule_is_retained(const phx_cluster_map *map, uint64_t sender, uint64_t confirmed, uint64_t sequence);

/*
 * Map barrier: behind it every member has a map in which the dead member is not, so no member takes anything from it
 * any more. shown: the lowest version that the other members have shown. The fence is that of the own map: a member
 * that was put out later may have taken entities from the dead one, and others from it.
 */
bool phx_rule_restores(uint32_t fence, uint32_t shown);   /* entities of the dead member are restored */
bool phx_rule_takes_back(uint32_t fence, uint32_t shown); /* offers to the dead member are void */
/* A question which node has an entity may have its answer: an earlier loss counts no more once a member is put out
 * later, which may have had the entity, and may still give it to a member with the old map. */
bool phx_rule_answers(uint32_t fence, uint32_t shown);

/*
 * Doubles: one of an id that comes is dropped where another one of it, on its way from here, has a higher ownership, or
 * the same one and a sender of a higher registration. All that are on their way are in one order, so there is no circle
 * of them, each dropped for the next one: the highest is there at the end.
 */
bool phx_rule_drops(uint64_t ownership, uint64_t sender, uint64_t other_ownership, uint64_t other_sender);

/* Feeds: the messages to the client of an entity go on behind the last one of its sender. */
phx_feed phx_rule_goes_on(phx_feed offered);

/* Adoption: into a control store that has lost the map no member writes one, where another one has read a newer one. */
bool phx_rule_adopts(uint32_t version, uint32_t other);
/* ... and none before all leases of the lost store have ended, of which each lived so long. */
bool phx_rule_outwaits(uint64_t waited_ns, uint64_t lease_ns);
/* Its version: of a later era, by the losses of the store since the map that the member has. 0: there is none left. */
uint32_t phx_rule_era_begins(uint32_t version, uint32_t losses);

#endif

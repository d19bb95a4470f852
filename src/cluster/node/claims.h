/*
 * Ids that a node asks all others for, as it may enter them anew: until its question has ended, no other node takes
 * such an entity in. So no entity is on its way from a node that is asked later to one that was asked before. The
 * asking node takes it: it enters no id that it holds, and its host is told that it has it. Owned by the node, used by
 * one thread at a time.
 *
 * A node sends no such entity either, but to the asking node: the entity stays own and simulated, for as long as a node
 * that stands still has not answered, and holds up no item behind it. One that is on its way as its receiver hears the
 * question waits, and so does all behind it: items are taken in order, and the ack of one is that of all before it. An
 * ack would make the sender forget the entity, which may not have been asked yet.
 */
#ifndef PHX_CLUSTER_NODE_CLAIMS_H
#define PHX_CLUSTER_NODE_CLAIMS_H

#include "base/idmap.h"

/* The question of one node; the own one, too. */
typedef struct phx_claim {
    uint64_t registration; /* of the asking node */
    uint32_t number, version;
    uint32_t place; /* of its bit in values of phx_claims.claimed */
    uint64_t *ids;
    uint32_t count, capacity;
} phx_claim;

typedef struct phx_claims {
    phx_mem *mem;
    uint64_t own; /* registration of this node; 0 = none yet */
    phx_claim *items;
    uint32_t count, capacity;
    phx_idmap claimed; /* id to the claims that it stands in, a bit for each */
    uint64_t reads;    /* of claimed, to say where an id stands */
} phx_claims;

/* Where an id stands: in the own claim, in one of others. */
typedef struct phx_claimed {
    bool own, others;
} phx_claimed;

void phx_claims_init(phx_claims *claims, phx_mem *mem);
void phx_claims_free(phx_claims *claims);
/* NULL: the node has none. */
const phx_claim *phx_claims_of(const phx_claims *claims, uint64_t registration);
/*
 * Replaces the claim of a node. Ids may stand twice. false, unchanged: no memory, or claims of as many nodes stand as a
 * map has.
 */
bool phx_claims_set(phx_claims *claims, uint64_t registration, uint32_t number, uint32_t version, const uint64_t *ids,
                    uint32_t count);
/* The node has none any more. */
void phx_claims_drop(phx_claims *claims, uint64_t registration);
/* One look-up, however many ids are claimed. */
phx_claimed phx_claims_find(phx_claims *claims, uint64_t id);
/* Does another node than that one ask for it, so that the entity may not go there? One look-up. */
bool phx_claims_keep(const phx_claims *claims, uint64_t id, uint64_t to);

#endif

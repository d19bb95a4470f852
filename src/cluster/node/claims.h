/*
 * Ids that a node asks all others for, as it may enter them anew: until its question has ended, no node takes such an
 * entity in. So no entity is on its way from a node that is asked later to one that was asked before. Owned by the
 * node, used by one thread at a time.
 */
#ifndef PHX_CLUSTER_NODE_CLAIMS_H
#define PHX_CLUSTER_NODE_CLAIMS_H

#include "base/idmap.h"

/* The question of one node; the own one, too. */
typedef struct phx_claim {
    uint64_t registration; /* of the asking node */
    uint32_t number, version;
    uint64_t *ids;
    uint32_t count, capacity;
} phx_claim;

typedef struct phx_claims {
    phx_mem *mem;
    uint64_t own; /* registration of this node; 0 = none yet */
    phx_claim *items;
    uint32_t count, capacity;
    phx_idmap claimed; /* id to how often it stands in the own claim, and in the ones of others: see claims.c */
    uint64_t reads;    /* of claimed, to say where an id stands */
} phx_claims;

/* Where an id stands. */
typedef struct phx_claimed {
    uint32_t own, others; /* how often in the own claim, and in the ones of others */
} phx_claimed;

void phx_claims_init(phx_claims *claims, phx_mem *mem);
void phx_claims_free(phx_claims *claims);
/* NULL: the node has none. */
const phx_claim *phx_claims_of(const phx_claims *claims, uint64_t registration);
/* Replaces the claim of a node. Ids may stand twice. false: no memory, unchanged. */
bool phx_claims_set(phx_claims *claims, uint64_t registration, uint32_t number, uint32_t version, const uint64_t *ids,
                    uint32_t count);
/* The node has none any more. */
void phx_claims_drop(phx_claims *claims, uint64_t registration);
/* One look-up, however many ids are claimed. */
phx_claimed phx_claims_find(phx_claims *claims, uint64_t id);

#endif

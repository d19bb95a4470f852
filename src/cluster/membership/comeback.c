/*
 * The way back of a member; see comeback.h.
 */
#include "cluster/membership/comeback.h"

#include "cluster/map/map_changes.h"
#include "cluster/membership/lease.h"
#include "cluster/membership/listed.h"

void phx_comeback_wake(phx_membership *membership, uint64_t now)
{
    if (membership->phase < PHX_MEMBERSHIP_JOIN || now < membership->node->proven_until ||
        !phx_lease_is_break(membership, now - membership->now))
        return;
    membership->woken_at = now;
    phx_node_doubt(membership->node, true);
}

/* A list that was under way in the sleep may be from before another member put this one out. */
static void end_doubt(phx_membership *membership, uint64_t map_revision)
{
    if (map_revision == 0 || membership->list_asked < membership->woken_at) return;
    if (membership->node->map.version == membership->map.version) phx_node_doubt(membership->node, false);
}

/*
 * One that is proven was ended by hand; or the store has lost all it had, which the next list says to one that may
 * adopt: nothing is proven from now on. One that is in no map yet ends, and its process starts anew.
 */
bool phx_comeback_begin(phx_membership *membership)
{
    phx_node *node = membership->node;
    const bool is_proven = membership->now < node->proven_until;
    if (membership->phase != PHX_MEMBERSHIP_MEMBER || (is_proven && !membership->def.adopts)) return false;
    if (is_proven) node->proven_until = membership->now;
    membership->returns = true;
    membership->lease = 0;
    membership->renew_at = membership->now;
    return true;
}

void phx_comeback_miss_key(phx_membership *membership)
{
    if (membership->phase != PHX_MEMBERSHIP_MEMBER || membership->returns || phx_listed_own(membership)) return;
    membership->renew_at = membership->now;
}

bool phx_comeback_hear_list(phx_membership *membership, uint64_t map_revision)
{
    const phx_listed *own = phx_listed_own(membership);
    if (membership->phase == PHX_MEMBERSHIP_JOIN) return !own && !membership->asks;
    if (membership->phase != PHX_MEMBERSHIP_MEMBER) return false;
    end_doubt(membership, map_revision);
    if (!membership->returns || membership->lease == 0) return false;
    if (!own || map_revision < own->revision) return !own;
    membership->returns = false;
    membership->renew_at = membership->now; /* the next renewal proves the lease */
    membership->counts.returned++;
    return false;
}

bool phx_comeback_propose(const phx_membership *membership, phx_cluster_map *proposed)
{
    if (!membership->returns || !phx_listed_own(membership)) return false;
    return phx_cluster_map_confirm(proposed, membership->node->def.member.registration);
}

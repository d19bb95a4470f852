/*
 * The lease; see lease.h.
 */
#include "cluster/membership/lease.h"

enum {
    NS_IN_MS = 1000000,
    RENEWALS_A_LEASE = 3,
    /* Of a lease, without a list: a member that renewed its own a third before has a sixth left. */
    BREAK = 2,
    LEASE_MARGIN = 10 /* a tenth of the lease is not counted: clocks run at different speeds */
};

/* ---- answers ---- */

static void prove_lease(phx_membership *membership, uint64_t asked, uint32_t ms)
{
    membership->proven_asked = asked;
    phx_node_lease(membership->node, asked + (uint64_t)(ms - ms / LEASE_MARGIN) * NS_IN_MS);
}

void phx_lease_hear(phx_membership *membership, const phc_answer *answer)
{
    membership->writes = false;
    if (answer->outcome != PHC_DONE || membership->phase == PHX_MEMBERSHIP_ENDED) return;
    membership->lease = answer->lease;
    if (answer->lease_ms > membership->granted_ms_max) membership->granted_ms_max = answer->lease_ms;
    if (membership->phase != PHX_MEMBERSHIP_LEASE) return; /* it comes back, and the lease proves nothing yet */
    membership->phase = PHX_MEMBERSHIP_REGISTER;
    prove_lease(membership, membership->lease_asked, answer->lease_ms);
}

/* One that failed is asked again with the next list: three tries in a lease are few where each tenth one is lost. */
static void renew_soon(phx_membership *membership)
{
    const uint64_t soon = membership->now + membership->def.list_ns;
    if (soon < membership->renew_at) membership->renew_at = soon;
}

void phx_lease_hear_renewal(phx_membership *membership, const phc_answer *answer)
{
    membership->renews = false;
    if (answer->outcome == PHC_FAILED) renew_soon(membership);
    if (membership->returns || membership->renewed != membership->lease) return;
    if (answer->outcome == PHC_DONE) prove_lease(membership, membership->renew_asked, answer->lease_ms);
}

/* ---- breaks ---- */

static uint64_t lease_ns(const phx_membership *membership)
{
    return (uint64_t)membership->def.lease_ms * NS_IN_MS;
}

bool phx_lease_is_break(const phx_membership *membership, uint64_t ns)
{
    return ns > lease_ns(membership) / BREAK;
}

void phx_lease_watch(phx_membership *membership)
{
    const uint64_t now = membership->now;
    const bool is_proven = now < membership->node->proven_until;
    if (!is_proven || phx_lease_is_break(membership, now - membership->last_list)) membership->steady_since = now;
}

uint64_t phx_lease_ns_max(const phx_membership *membership)
{
    const uint64_t granted = (uint64_t)membership->granted_ms_max * NS_IN_MS, own = lease_ns(membership);
    return granted > own ? granted : own;
}

bool phx_lease_has_passed(const phx_membership *membership, uint64_t since)
{
    return membership->now - since >= lease_ns(membership);
}

bool phx_lease_is_steady(const phx_membership *membership)
{
    return phx_lease_has_passed(membership, membership->steady_since);
}

/* ---- requests ---- */

static uint64_t renewal_ns(const phx_membership *membership)
{
    return lease_ns(membership) / RENEWALS_A_LEASE;
}

/* A failed request may have opened one, which lives for its time: so not more often than one is renewed. */
static void ask_new(phx_membership *membership)
{
    const phc_store *store = &membership->def.store;
    if (membership->lease != 0 || membership->writes || membership->now < membership->renew_at) return;
    membership->writes = store->lease_open(store->user, PHX_TAG_LEASE, membership->def.lease_ms) == PH_OK;
    membership->lease_asked = membership->now;
    membership->renew_at = membership->now + renewal_ns(membership);
}

static void ask_renewal(phx_membership *membership)
{
    const phc_store *store = &membership->def.store;
    if (membership->renews || membership->lease == 0 || membership->now < membership->renew_at) return;
    membership->renews = store->lease_renew(store->user, PHX_TAG_RENEW, membership->lease) == PH_OK;
    membership->renewed = membership->lease;
    membership->renew_asked = membership->now;
    membership->renew_at = membership->now + renewal_ns(membership);
}

void phx_lease_ask(phx_membership *membership)
{
    ask_new(membership);
    ask_renewal(membership);
}

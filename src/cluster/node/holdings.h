/*
 * The entities that a node holds: its own ones, and ones on their way to another node. Used by the node, by one
 * thread at a time.
 */
#ifndef PHX_CLUSTER_NODE_HOLDINGS_H
#define PHX_CLUSTER_NODE_HOLDINGS_H

#include "base/idmap.h"
#include "cluster/wire/wire.h"

/*
 * Ownership is a number that rises with every owner of an entity: the version of the map in which it entered, or was
 * restored or taken back, in the upper half, and the hand-overs since in the lower one. Of two states of an entity the
 * one with the higher ownership counts.
 */
typedef struct phx_holding {
    uint64_t id, ownership; /* on its way: of the offer */
    uint64_t peer;          /* own: the registration that it came from, 0 = none; else the one that it goes to */
    uint64_t sequence;      /* of the item that it came, or goes, in; 0: it was entered, or taken back */
    uint64_t taking;        /* the number of the event that it came with, of all of the node; 0: it was entered */
    phx_feed feed;          /* to its client */
    bool sending;           /* not acked: simulated by no node, or by the peer */
    bool is_double;   /* it came while another one of its id was own, which the host is to be told: held until then */
    uint32_t sent_ms; /* ... since then, by the node's time in ms, which begins anew after 49 days */
} phx_holding;

/*
 * Another feed, and not its beginning, from which a client goes on with an empty list: that has number 1. Begun where
 * its messages so far are not all known to one client.
 */
static inline phx_feed phx_feed_begin_again(uint64_t ownership, phx_feed feed)
{
    return (phx_feed){.begun = ownership, .number = feed.number + 1};
}

typedef struct phx_holdings {
    phx_holding *items; /* dense, in no order */
    uint32_t count, capacity;
    phx_idmap places;
    phx_mem *mem;
} phx_holdings;

void phx_holdings_init(phx_holdings *holdings, phx_mem *mem);
void phx_holdings_free(phx_holdings *holdings);
/* Room for so many more; false: no memory, unchanged. */
bool phx_holdings_reserve(phx_holdings *holdings, uint32_t more);
/* The id is not held; room was reserved. */
void phx_holdings_add(phx_holdings *holdings, phx_holding holding);
/* NULL: not held. Good until the next add or remove. */
phx_holding *phx_holdings_find(const phx_holdings *holdings, uint64_t id);
void phx_holdings_remove(phx_holdings *holdings, uint64_t id);
void phx_holdings_clear(phx_holdings *holdings);

#endif

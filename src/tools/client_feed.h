/*
 * The list that a gateway has shown to the client of one observer: by changes in the order of their numbers, whichever
 * nodes they come from. One that comes too early is held; where the one before it stays away, or is heard of alone, the
 * owner is asked for a whole list, of which the client is shown the difference. So no change is shown twice, and none
 * is missing. Without clock and network; called by node_gateway.c and by the simulation, one thread.
 */
#ifndef PHX_TOOLS_CLIENT_FEED_H
#define PHX_TOOLS_CLIENT_FEED_H

#include "base/mem.h"
#include "tools/client_wire.h"

enum {
    PHX_CLIENT_HELD_MAX = 8, /* changes; more than that are as lost ones */
    PHX_CLIENT_WAIT_MS = 250 /* that the change before a held one may take */
};

/* Numbers of all clients of a gateway. */
typedef struct phx_client_counts {
    uint64_t shown;    /* changes, and whole lists */
    uint64_t repeated; /* changes that were shown before, or are of an earlier feed */
    uint64_t held;     /* ... that came before the one that they follow */
    uint64_t whole;    /* whole lists that were shown */
    uint64_t asked;    /* times that the owner was asked for one */
    uint64_t wrong;    /* enters of listed ones, and leaves of others: never, if each node tells right */
} phx_client_counts;

/* Numbers of a gateway, since its start. */
typedef struct phx_gateway_counts {
    uint64_t seen;    /* walkers that were heard of so far */
    uint64_t stale;   /* states that were dropped */
    uint64_t damaged; /* messages that could not be read */
    uint64_t full;    /* rounds that left messages for the next one, as too many had come */
    uint64_t gap_ms;  /* longest time for which a walker was not heard, within the last second */
    uint64_t fenced;  /* messages of a node that is in no map */
    uint64_t foreign; /* messages in a format that this version does not read */
    phx_client_counts clients;
    uint64_t listed, list_sum; /* of all clients, at the last status: targets, and phx_client_list_sum() added up */
} phx_gateway_counts;

typedef struct phx_client_held {
    phx_client_change change;
    unsigned char *ids; /* its own copy */
    size_t bytes;
} phx_client_held;

/* All zero but mem and counts: nothing was shown. */
typedef struct phx_client_feed {
    phx_mem *mem;
    phx_client_counts *counts;
    phc_feed shown; /* the last change; begun 0 = none yet */
    phc_feed told;  /* the last one that was heard of */
    uint64_t *ids;  /* the list, ascending */
    uint32_t count, capacity;
    phx_client_held *held; /* at most PHX_CLIENT_HELD_MAX, in no order */
    uint32_t held_count, held_capacity;
    bool waits;
    uint64_t waits_since_ms;
} phx_client_feed;

/* A change of that observer came. */
void phx_client_take(phx_client_feed *client, const phx_client_change *change, uint64_t now_ms);
/* Its owner has said that this is the last one. */
void phx_client_hear_last(phx_client_feed *client, const phc_feed *last, uint64_t now_ms);
/*
 * The map is of another era: a feed of before may be above the ones of now, as its node is gone with a map that no
 * other one has read. The next change of the observer counts, whichever it is; the list stays until a whole one comes.
 */
void phx_client_forget(phx_client_feed *client);
/* Is the owner to be asked for a whole list, now? Asked anew for as long as none comes. */
bool phx_client_asks(phx_client_feed *client, uint64_t now_ms);
void phx_client_free(phx_client_feed *client);

/* A number of a list. Added up, the lists of nodes are compared with the ones of a gateway. */
uint64_t phx_client_list_sum(uint64_t observer, const uint64_t *ids, uint32_t count);

#endif

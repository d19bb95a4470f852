/*
 * A member of a cluster: the protocol without sockets, clocks and threads. Messages, maps and the time are arguments;
 * messages and events are results. So the simulation (tests/cluster) runs the code that a cluster runs.
 *
 * Order of a round: phx_node_map() and phx_node_lease() as the control store is read, phx_exchange_receive() for each
 * message, phx_map_barrier_begin(), the events (node.events), hand-overs, phx_exchange_write() for
 * each peer, phx_exchange_heartbeat() now and then. One thread at a time.
 *
 * A gateway is a member that owns nothing: it has clients, hears states of entities (phx_node_hears()), and shows the
 * version of its map, so that a map barrier waits for it too.
 */
#ifndef PHX_CLUSTER_NODE_NODE_H
#define PHX_CLUSTER_NODE_NODE_H

#include "cluster/map/cluster_map.h"
#include "cluster/node/channel.h"
#include "cluster/node/claims.h"
#include "cluster/node/events.h"
#include "cluster/node/holdings.h"

enum {
    PHX_OWNERSHIP_VERSION_SHIFT = 32, /* of the map, in an ownership */
    PHX_NODE_EVENTS_MAX = 4096,       /* waiting for the host: behind so many nothing is taken from a peer. The loss of
                                         each region passes them, and what is taken back of a dead one's channel */
    PHX_NODE_EVENTS_BYTES_MAX = 16 << 20, /* of these: a whole message of each of 64 nodes */
    PHX_NODE_NS_IN_MS = 1000000
};

typedef struct phx_node_def {
    phx_member member;    /* its format is phx_node_init()'s */
    phx_formats formats;  /* that it reads; none: the library's. Others are for tests of two versions */
    bool freezes;         /* without a proven lease it simulates nothing; else it goes on until a map puts it out */
    uint32_t unacked_max; /* entities on their way to one peer */
    uint64_t link_ns;     /* of two members that do not hear each other one is put out, a lease later; 0 = none is */
    ph_allocator allocator;
} phx_node_def;

/* A member that a peer does not hear. */
typedef struct phx_silence {
    uint64_t registration;
    uint64_t since; /* phx_node.links_ns as the peer said so first, and has since */
} phx_silence;

typedef struct phx_peer {
    phx_member member;
    bool out;           /* it is not in the map any more; its offers wait for the map barrier */
    uint32_t shown;     /* highest version of the map that it has shown, and this node has had */
    uint64_t silent_ns; /* that it was not heard, while this node could hear */
    phx_silence silent[PHX_CLUSTER_MEMBERS_MAX]; /* that it has said it does not hear */
    uint32_t silent_count;
    uint64_t heard_says;         /* its broadcasts up to this number were heard here, or are void; see says.h */
    uint64_t heard_changes_told; /* phx_node.heard_changes, as this peer was told of it last */
    uint32_t offers;             /* unacked items that are offers */
    uint32_t say_bytes;          /* of unacked items that are broadcasts */
    phx_channel channel;
} phx_peer;

typedef struct phx_node_counts {
    uint64_t flawed[PHX_WIRE_BAD_ITEM + 1]; /* bytes that are no message, by flaw */
    uint64_t fenced;                        /* messages of a registration that is not in the map */
    uint64_t misdirected;                   /* to another node, or from or to a gateway */
    uint64_t early;                         /* of a newer map than ours: they come again */
    uint64_t impossible;                    /* with numbers that can not be */
    uint64_t waiting;                       /* items behind as many events as there may be: they come again */
    uint64_t handed, acked, gained, taken_back, duplicates;
    uint64_t no_memory;             /* items that come again for want of memory */
    uint64_t said;                  /* broadcasts to a peer */
    uint64_t unsaid;                /* ... that were dropped, as too many waited */
    uint64_t overtaken;             /* broadcasts of a peer that an observer may have heard already; see says.h */
    uint64_t joined, left;          /* other members, by the maps that were read */
    uint64_t barriers, barriers_ns; /* map barriers that were waited for, and the time of these waits */
} phx_node_counts;

typedef struct phx_node {
    phx_node_def def;
    phx_mem mem;
    phx_cluster_map map; /* version 0: none yet */
    uint64_t now, proven_until;
    uint64_t links_at, links_ns;            /* the last call of phx_links_tick(); time in which it could hear */
    uint64_t said;                          /* own broadcasts */
    uint64_t heard_changes;                 /* rises with phx_peer.heard_says of any peer, and with `said` */
    bool joined;                            /* it was in a map */
    bool doubts;                            /* it slept, and has not read a map since: it simulates nothing */
    bool leaves;                            /* it takes no offer any more; see phx_map_barrier_leave() */
    bool fenced;                            /* it is in the map no more */
    bool at_barrier;                        /* it waits for the map barrier, */
    uint64_t barrier_since;                 /* from that time on */
    uint32_t told[PHX_CLUSTER_REGIONS_MAX]; /* phx_region.lost of the last event of a region */
    uint32_t told_version;                  /* of the last map of which all were */
    phx_peer *peers;
    uint32_t peer_count, peer_capacity;
    phx_holdings holdings;
    uint32_t transit;     /* of these, so many are on their way */
    uint32_t own_regions; /* of the map, as a member of it */
    uint64_t takings;     /* events with entities so far */
    uint32_t replaced;    /* on their way from here, and no holdings: another one of their id came meanwhile */
    phx_claims claims;    /* ids that are neither taken nor sent meanwhile, but by the node that asks for them */
    phx_item_queue events;
    bool host_is_full; /* the host takes no events: so nothing is taken from a peer */
    bool may_drop;     /* some of them may have dropped one from a family */
    phx_node_counts counts;
} phx_node;

/* def->member.registration may be 0: then it is in no map before phx_node_register(). */
void phx_node_init(phx_node *node, const phx_node_def *def);
void phx_node_register(phx_node *node, uint64_t registration, uint16_t number);
void phx_node_free(phx_node *node);

/*
 * A map that was read from the control store; one that is not newer changes nothing. PH_BAD_VALUE: it has another
 * number of regions. PH_NO_MEMORY: unchanged, to be tried again.
 */
ph_status phx_node_map(phx_node *node, const phx_cluster_map *map);
/* The process slept, and may have been put out; false: a map that was read since has it. */
void phx_node_doubt(phx_node *node, bool doubts);
/* The lease is proven until then, counted from the sending of its last good renewal. */
void phx_node_lease(phx_node *node, uint64_t proven_until);

/* It holds nothing from now on, as if a map without it had come: its lease ran out. */
void phx_node_fence(phx_node *node);

/* Does this node simulate its entities? */
bool phx_node_may_act(const phx_node *node);
/* Is it in the map no more, and had nothing in it as it was taken out? */
bool phx_node_has_left(const phx_node *node);
/* May the host save states, or do anything else that can not be taken back? Before that time; 0 = not at all. One that
 * has left may, too, for its last lease: no entity is restored from it, and rows of ones that left it may be due. */
uint64_t phx_node_saves_until(const phx_node *node);

/* Is a message of that registration to be heard? A node that is in no map, or was put out, hears none. */
bool phx_node_hears(const phx_node *node, uint64_t registration);
/* NULL: no such peer. */
phx_peer *phx_node_peer(const phx_node *node, uint64_t registration);
/* Of all bytes for that peer alone: the highest that both read, for as long as both live; see format.h. */
uint8_t phx_node_format(const phx_node *node, const phx_peer *peer);

#endif

/*
 * A cluster in one process, by seed: nodes and gateways that run the library's protocol, a network that loses, doubles,
 * delays and cuts, a control store with leases, processes that are killed, paused and started again, hosts that move
 * entities, save them and restore them. It knows everything at once, so it can say in each step whether an entity has
 * two owners. Used by cluster_sim and its canaries; one thread.
 */
#ifndef CLUSTER_SIM_H
#define CLUSTER_SIM_H

#include "cluster/halo/double_ids.h"
#include "cluster/node/exchange.h"
#include "cluster/node/hand_over.h"
#include "cluster/node/links.h"
#include "cluster/node/map_barrier.h"
#include "cluster/node/node.h"
#include "support/check.h"
#include "support/fail_alloc.h"
#include "tools/client_feed.h"

enum {
    SIM_PROCESSES_MAX = 8,
    SIM_REGIONS_MAX = 12,
    SIM_ENTITIES_MAX = 24,
    SIM_SAYS_MAX = 2048, /* broadcasts of a schedule */
    SIM_TICKS = 300,     /* with faults */
    SIM_TICK_NS = 50000000,
    SIM_FOUND_TICKS = 44 /* in which an entity with two owners is found: 40 are waited for the last late copy */
};

typedef struct sim_state {
    uint64_t steps; /* of the entity; what players would see */
    uint32_t region;
    uint32_t list; /* a bit for each entity that it has in its list */
} sim_state;

/* What a gateway knows of an entity. */
typedef struct sim_view {
    uint64_t ownership, steps, source;
} sim_view;

typedef struct sim_process {
    bool used, alive; /* a slot that has a process; it runs, or is paused */
    bool gateway;
    phx_node node;
    fail_alloc memory;
    uint64_t registration, paused_until, store_cut_until, start_at;
    uint64_t clock_offset;
    sim_state states[SIM_ENTITIES_MAX]; /* of own entities */
    sim_view views[SIM_ENTITIES_MAX];   /* of a gateway, as the next four */
    phx_client_feed clients[SIM_ENTITIES_MAX];
    phx_mem client_memory;
    phx_client_counts client_counts;
    uint64_t gained[SIM_ENTITIES_MAX];   /* of a node: ownership with which it took the entity last */
    uint32_t era;                        /* of the gateway's map, above 0 */
    bool whole[SIM_ENTITIES_MAX];        /* the client of an own entity is to get the whole list; see sim_clients.c */
    bool here[SIM_ENTITIES_MAX];         /* entities that the host has by the events so far; see sim_says.c */
    uint32_t restoring[SIM_REGIONS_MAX]; /* phx_region.lost of an event that the host has not done */
    uint64_t rounds;
    phx_double_ids doubles;                                                      /* see sim_copies.c */
    uint64_t copies_source[SIM_PROCESSES_MAX], copies_newest[SIM_PROCESSES_MAX]; /* by the sender's slot */
} sim_process;

typedef struct sim_message {
    uint64_t at;                   /* tick of arrival */
    uint32_t to;                   /* slot */
    bool is_view, is_change, asks; /* asks: for the whole list of view.id */
    uint64_t source;
    phx_offer view; /* id, ownership */
    uint64_t steps;
    phc_feed feed; /* of a view: the last one */
    unsigned char *bytes;
    size_t size;
} sim_message;

/* What a node owns, as it tells another one in a tick of its own. */
typedef struct sim_copies {
    uint64_t at; /* tick of arrival */
    uint32_t from, to;
    uint64_t source, target, tick;
    uint32_t own; /* a bit for each entity */
} sim_copies;

/* The control store: a register with compare-and-set, and leases. */
typedef struct sim_store {
    phx_cluster_map map;
    struct {
        phx_member member;
        uint64_t lease_until;
    } registered[SIM_PROCESSES_MAX]; /* by slot; member.registration 0 = none */
    uint64_t revision;
} sim_store;

typedef struct sim_schedule {
    uint64_t seed, rng, tick;
    bool is_calm;
    bool is_over;       /* another cluster begins, as nothing is left of this one: no more is checked */
    bool restores_late; /* hosts take their time to restore, so a second member dies meanwhile; in every other seed */
    uint64_t deaths;    /* numbers of such deaths, in some seeds; 0 = of none more */
    bool is_lost;       /* the control store has lost all it had; see sim_members.c */
    bool is_wiped;      /* the same, and no member may adopt its map: another cluster begins */
    bool only_hangs; /* a schedule with no other fault than a store that hangs, or a sleep of all: no member may be put
                        out */
    uint64_t calm_ticks; /* without faults, at the end: as long as all waits together */
    uint32_t process_count, region_count, entity_count;
    sim_process processes[SIM_PROCESSES_MAX];
    uint64_t cut_until[SIM_PROCESSES_MAX][SIM_PROCESSES_MAX]; /* from, to */
    sim_store store;
    VEC(sim_message) network;
    uint64_t copies_rng;
    VEC(sim_copies) copies;
    uint64_t doubled;      /* at its end a second node enters this entity; 0 = none yet, or there is no second node */
    uint32_t found_double; /* nodes that have found it */
    bool entered[SIM_ENTITIES_MAX];
    sim_state saved[SIM_ENTITIES_MAX];                        /* the host's database, */
    uint64_t highest[SIM_ENTITIES_MAX];                       /* ownership that a host has acted under */
    uint64_t met[SIM_ENTITIES_MAX];                           /* and the ownership of each row; 0 = there is none */
    uint64_t restored[SIM_ENTITIES_MAX];                      /* highest ownership that was restored or taken back */
    uint32_t say_count;                                       /* broadcasts of all processes so far */
    uint64_t heard[SIM_ENTITIES_MAX][SIM_SAYS_MAX / 64];      /* a bit each */
    uint32_t heard_last[SIM_ENTITIES_MAX][SIM_PROCESSES_MAX]; /* by the speaker's slot, and one more; 0 = none */
    uint32_t void_until[SIM_ENTITIES_MAX];                    /* it was restored: what was said before counts no more */
    unsigned char buffer[PHX_WIRE_BYTES_MAX];
    const char *violation; /* NULL: none so far */
    phx_cluster_map seen;  /* the store's, as the last step has checked it */
    struct {
        uint64_t messages, handed, taken_back, restored, put_out, left, returned, adopted, joined_others, fenced, views,
            said, heard, overtaken, balanced, shown, held, whole, asked, died, wiped, exceeded, behind, late_copies,
            doubled, raised, drained, moved;
    } counts;
} sim_schedule;

/* One schedule. false: a rule was violated, sim->violation says which one at sim->tick. */
bool sim_run(sim_schedule *sim, uint64_t seed);

/* ---- parts ---- */

bool sim_chance(sim_schedule *sim, uint32_t one_in);
uint32_t sim_below(sim_schedule *sim, uint32_t bound);
uint64_t sim_now(const sim_schedule *sim, const sim_process *process);
void sim_violate(sim_schedule *sim, const char *violation);

void sim_net_send(sim_schedule *sim, uint32_t from, uint32_t to, sim_message message);
/* Delivers to a process that runs all messages that are due, in some order. */
void sim_net_deliver(sim_schedule *sim, uint32_t to);
void sim_net_free(sim_schedule *sim);

/*
 * The control store, as a model (sim_store.c), or as the library has it within a process, with the library's membership
 * before it (sim_members.c).
 */
void sim_store_begin(sim_schedule *sim);
void sim_store_end(sim_schedule *sim);
/* Before its node begins, and behind it; before its node ends. */
void sim_store_register(sim_schedule *sim, uint32_t slot);
void sim_store_attach(sim_schedule *sim, uint32_t slot);
void sim_store_leave(sim_schedule *sim, uint32_t slot);
/* May a process of the slot start again? */
bool sim_store_is_free(const sim_schedule *sim, uint32_t slot);
/* The process reads the map and renews its lease, if it reaches the store. */
void sim_store_poll(sim_schedule *sim, uint32_t slot);
/* The process has restored a region of its own. false: to be told again. */
bool sim_store_restored(sim_schedule *sim, uint32_t slot, uint32_t region, uint32_t lost);
/* The process has met an ownership that its map is older than. */
void sim_store_exceed(sim_schedule *sim, uint32_t slot, uint64_t ownership);
/* Leases run out, members join, regions move. */
void sim_store_step(sim_schedule *sim);

/* The host of a process: one game tick. */
void sim_host_step(sim_schedule *sim, uint32_t slot);
/* Broadcasts: a process speaks now and then; the host has an entity from now on, or no more; it hears a peer. */
void sim_says_step(sim_schedule *sim, uint32_t slot);
void sim_says_enter(sim_schedule *sim, sim_process *process, uint64_t id, bool restored);
void sim_says_give(sim_process *process, uint64_t id);
void sim_says_hear(sim_schedule *sim, sim_process *process, const phx_node_event *event);
/* Copies: a node tells the others what it owns; it hears the others; a second node enters an entity. */
void sim_copies_send(sim_schedule *sim, uint32_t slot);
void sim_copies_hear(sim_schedule *sim, uint32_t slot);
void sim_copies_double(sim_schedule *sim);
/*
 * Clients: the list of an own entity changes, and gateways are told; the host has one that came, or was restored.
 */
void sim_clients_step(sim_schedule *sim, uint32_t slot, uint64_t id);
void sim_clients_enter(sim_process *process, uint64_t id, phx_node_event_kind kind);
/* A gateway hears a change, or a view's number of the last one; a node is asked for a whole list. */
void sim_clients_hear(sim_schedule *sim, uint32_t slot, const sim_message *message);
void sim_clients_hear_last(sim_schedule *sim, uint32_t slot, const sim_message *message);
/* A gateway asks for whole lists where changes stay away. */
void sim_clients_follow_era(sim_process *process);
void sim_clients_ask(sim_schedule *sim, uint32_t slot);
void sim_clients_begin(sim_process *process);
void sim_clients_end(sim_schedule *sim, sim_process *process);
/* Once all is calm: each client was shown the list of its entity. */
void sim_clients_check(sim_schedule *sim);
/* A gateway hears of an entity. */
void sim_gateway_hear(sim_schedule *sim, uint32_t slot, const sim_message *message);

/* Is that process a member of the store's map, and not fenced? */
bool sim_is_member(const sim_schedule *sim, const sim_process *process);
void sim_check_step(sim_schedule *sim);
void sim_check_end(sim_schedule *sim);

#endif

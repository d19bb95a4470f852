/*
 * The host within pharos-node: walkers with ids from 1 upwards, each owned by one node of the cluster. It shows all
 * that a host has to do: it packs a walker's state for the next node, reads the state of a walker that comes, stops
 * with one that goes, and enters walkers that no node has, at the start and behind the death of a node. One thread,
 * between ticks.
 *
 * A walker that is entered begins anew: this host has no database. Which ones have to be entered is node_census.h's.
 */
#ifndef PHX_TOOLS_NODE_HOST_H
#define PHX_TOOLS_NODE_HOST_H

#include "base/mem.h"
#include "tools/node_job.h"

enum { PHX_NODE_WALKERS_MAX = 1 << 20 };

/* The state of a walker. Goes to the next node as it is: nodes of one cluster have one byte order. */
typedef struct phx_walker {
    uint64_t id, steps; /* steps: since it was entered, on whichever node */
    float x, y, goal_x, goal_y;
    uint64_t random;
    uint64_t sum; /* of all above; set as it is packed */
} phx_walker;

/* Numbers since the start. */
typedef struct phx_host_counts {
    uint64_t entered, gained, lost, restored, duplicates;
    uint64_t damaged; /* states that could not be read: such a walker leaves, and is entered anew */
    uint64_t refused; /* commands that the world refused, and moves and enters that were not taken */
    /* Questions of gateways for whole lists; node_feed.c. */
    uint64_t resent;  /* lists that were told anew */
    uint64_t doubled; /* questions for a list that is told anew in this tick already */
    uint64_t unheard; /* messages of a process that is in no map, and such as can not be read */
    uint64_t foreign; /* messages in a format that this version does not read */
} phx_host_counts;

typedef struct phx_node_host {
    phx_mem *mem;
    const phx_node_job *job;
    phc *member;
    ph_producer producer;
    phx_walker *walkers;     /* by id - 1; of a walker that is not here as it was last */
    bool *here;              /* by id - 1 */
    uint32_t *answered_in;   /* by id - 1: the last round in which a question for its list was answered */
    uint32_t question_round; /* one a tick, from 1 on */
    /* The census; written by node_census.c, but for is_wanted and duties. */
    uint64_t *asked_ids;
    uint64_t *listed;                /* room for ids of all walkers; node_lines.c */
    uint32_t *duties, *asked_duties; /* losses by region, 0 = none; of the census under way */
    uint32_t region_count;
    uint64_t next;                       /* id that the next question begins with; 0 = no census */
    bool is_wanted, is_asking;           /* a census; a question is under way */
    bool is_incomplete;                  /* some walker could not be entered: another census follows */
    bool is_joined, is_drained, commits; /* commits: phc_may_commit(), as it was told last */
    const char *fenced;                  /* NULL, or why */
    ph_status fenced_for;                /* PH_OK: started again it joins */
    phx_host_counts counts;
} phx_node_host;

/* Before the member is opened; a gateway's has no walkers, and is for events alone. PH_NO_MEMORY: phx_node_host_close()
 * is still called. */
PH_NODISCARD ph_status phx_node_host_open(phx_node_host *host, phx_mem *mem, const phx_node_job *job);
void phx_node_host_close(phx_node_host *host);

/* For phc_def; user is the host. */
size_t phx_node_host_pack(void *user, uint64_t id, void *bytes, size_t size);
/* A number of all that nodes have to agree on. */
uint64_t phx_node_host_definition(const phx_node_job *job);

/*
 * The state of a walker that came, from the bytes of an event. false: it is damaged, nothing has changed: it came over
 * a network.
 */
bool phx_node_host_unpack(phx_node_host *host, const phc_event *event);
/* NULL: there is none with this id. */
phx_walker *phx_walker_of(phx_node_host *host, uint64_t id);
/* At its home, which all nodes agree on. */
phx_walker phx_walker_new(const phx_node_job *job, uint64_t id);
/* Walkers that this node owns make a step. */
void phx_node_host_walk(phx_node_host *host);
/* Refusals of the tick; behind ph_tick(). */
void phx_node_host_count_refusals(phx_node_host *host);

#endif

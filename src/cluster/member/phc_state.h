/*
 * State of a member as the host has it: one local world, the protocol's node, membership, halo, and the ways out of the
 * process. Changed by the calls of cluster.h, on the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_MEMBER_PHC_STATE_H
#define PHX_CLUSTER_MEMBER_PHC_STATE_H

#include <stdatomic.h>

#include "cluster/halo/halo_state.h"
#include "cluster/membership/membership_state.h"

/* Another member, as the host was told of it. */
typedef struct phx_known_member {
    phx_member member;
    bool lags;
    uint64_t late_at; /* tick of the halo in which its copies may have been older than lag_max, the last time */
} phx_known_member;

typedef struct phx_known_region {
    uint64_t registration; /* of its node's process; 0 = none */
    uint16_t number;       /* of its node */
    uint32_t since;        /* version of the map in which it became that process's, as far as is known */
} phx_known_region;

typedef struct phx_phc_counts {
    uint64_t restored, duplicates, doubled, damaged, kept[PH_STATUS_COUNT]; /* kept: not handed over, by status */
    uint64_t flawed_questions; /* and answers: damaged, of no node, for another one, with numbers that can not be */
    uint64_t says_taken;       /* broadcasts of other nodes that the world has taken */
    uint64_t says_submitted;   /* ... that went to it in this tick */
    uint64_t unsent;           /* messages that the transport did not take */
    uint64_t events_full;      /* times that an event waited for the host to take others */
} phx_phc_counts;

/* The own question: see questions.h. */
typedef enum phx_question_phase {
    PHX_QUESTION_NONE = 0, /* none, or the last one has ended, which the others are told */
    PHX_QUESTION_ASKED = 1,
    PHX_QUESTION_ANSWERED = 2, /* the event waits for the host */
    PHX_QUESTION_TAKEN = 3     /* the host has it: it enters what is missing before the next round */
} phx_question_phase;

typedef struct phx_question {
    phx_question_phase phase;
    bool is_contested; /* a node that comes first asks for one of them, too: asked again once all have answered */
    bool is_new;       /* sent to no node yet */
    uint32_t number;   /* rises; 0 = none so far */
    uint32_t count, answered_count;
    uint64_t takings; /* of the node, when own ones were looked for */
    phc_holder holders[PHC_ASKED_MAX];
    uint64_t answered[PHX_CLUSTER_MEMBERS_MAX]; /* registrations */
} phx_question;

/* Beside the event of an arrival: how the world has answered. */
typedef struct phx_arrival {
    uint64_t root;
    uint64_t sequence; /* of its last import, of the member's producer; 0: none yet */
    uint32_t place;    /* of its event: see phx_item_queue_at() */
    uint32_t needs;    /* so many of it were not in the world, not even as copies, when that refused it */
    ph_status why;     /* the world has refused it, the last time; PH_OK: it never has */
    bool waits;        /* it was not imported since */
    bool is_told;      /* the host knows that its place is cleared */
} phx_arrival;

/* Which arrivals are imported again, and when: see arrival_room.h. */
typedef struct phx_arrival_room {
    uint64_t most, fewer; /* entities that the world has had behind a tick, and so many fewer it has now */
    uint64_t given;       /* places that imports of this round have */
    bool is_short;        /* of memory, as far as is known */
    bool has_turn;        /* in this round one may be tried of which no room is known, */
    uint32_t turn;        /* ... the first one from this place on */
    bool keeps;           /* in this round places that come free are kept for the first one that needs some */
    bool has_kept;        /* ... and there is one that they do not suffice for */
    bool is_open;         /* others have their turn, until nothing is owed */
    uint64_t owed;        /* rounds: others may have places in as many as places were kept in */
    uint64_t kept_most;   /* rounds in a row, for the one that they were kept for last, */
    uint64_t first;       /* ... by its root */
} phx_arrival_room;

enum { PHX_LOAD_ROUNDS = 256 };

/* How busy the node is: see load.h. */
typedef struct phx_load {
    uint64_t begin_ns, end_ns; /* of the round under way, or the last one */
    bool is_measured;          /* it has its end */
    uint32_t rounds;           /* that were measured; the last ones are in the rings */
    uint32_t busy_us[PHX_LOAD_ROUNDS], period_us[PHX_LOAD_ROUNDS];
    uint32_t reported;                          /* rounds, at the last report */
    uint32_t region;                            /* that is counted, or was last */
    uint32_t turn;                              /* regions that are counted until the next report */
    uint32_t entities[PHX_CLUSTER_REGIONS_MAX]; /* own ones, of own regions */
    uint64_t report_at;
    uint32_t sequence;
} phx_load;

struct phc {
    phc_def def;
    char name[PHC_NAME_MAX + 1];
    phx_mem mem;
    ph_world world;
    uint32_t entities_max; /* of the world */
    ph_producer producer;
    phc_transport transport;
    phx_region_grid grid;
    phx_node node;
    phx_membership membership;
    phx_halo halo;
    uint64_t now, beat_at;
    _Atomic uint64_t commit_until; /* phc_may_commit() until then, for all threads; relaxed: nothing goes with it */
    bool listens;
    /* the host's side: events with their bytes, and the map that it was told of */
    phx_item_queue events;
    bool joined_told, fence_told, drain_told;
    uint32_t map_told; /* version that the two below are of */
    phx_known_region regions[PHX_CLUSTER_REGIONS_MAX];
    phx_known_member members[PHX_CLUSTER_MEMBERS_MAX];
    uint32_t member_count;
    phx_item_queue arrivals; /* events of imports, until the world has taken them */
    phx_arrival *kept;       /* beside them, in their order */
    uint32_t kept_capacity;
    uint32_t refused_count; /* of them are to be imported again; */
    uint32_t open_count;    /* of the others no answer is known */
    bool asks;              /* ... since a tick that may have left some in the queue: see phx_arrivals_ask() */
    uint64_t known;         /* the world has taken the commands of the member's producer as far as this one */
    bool any_left;          /* the host has let an entity of them leave */
    phx_arrival_room room;
    uint32_t events_waiting;  /* so many events of the node wait for arrivals, none of which is over since */
    uint32_t gone_count;      /* at least so many ids of arrivals have left, while others of their families wait */
    uint64_t world_tick;      /* the last tick of the world that phc_told() has seen */
    uint64_t refusals_untold; /* ph_stats.refusals_untold, then */
    uint64_t ticks_short;     /* ph_stats.ticks_short, then */
    bool is_half_way;         /* a tick was, as the round began */
    uint32_t audits;          /* comparisons of all entities with the world that are due */
    uint32_t untold_count;    /* entities whose refusal the host was not told yet, for want of memory */
    uint64_t *leavers;        /* own entities that are beyond the own regions */
    uint32_t leaver_count, leaver_capacity;
    uint32_t leavers_seen, leavers_passed; /* so many of them were looked at in earlier rounds, and did not go */
    phx_phc_counts counts;
    phx_load load;
    phx_question question;
    uint64_t asked[PHC_ASKED_MAX]; /* ids of a question that is being taken */
    unsigned char message[PHX_WIRE_BYTES_MAX];
    char definition[PHC_VALUE_MAX]; /* as text */
};

/* Fenced for good, or about to be told so. */
static inline bool phx_phc_is_over(const phc *member)
{
    return member->membership.phase == PHX_MEMBERSHIP_ENDED || member->node.fenced;
}

/* A call of nodes alone: not of a gateway, nor of a member that is none any more. */
static inline ph_status phx_phc_check_node(const phc *member)
{
    if (!member || member->def.gateway) return PH_BAD_ARGUMENT;
    return phx_phc_is_over(member) ? PH_FENCED : PH_OK;
}

#endif

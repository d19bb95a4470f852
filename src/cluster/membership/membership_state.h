/*
 * State of a process's membership: its phase, its requests under way, the last list and its wishes. Owned by
 * membership, read by proposal; on the member's thread.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_MEMBERSHIP_STATE_H
#define PHX_CLUSTER_MEMBERSHIP_MEMBERSHIP_STATE_H

#include <pharos/cluster.h>

#include "cluster/map/balance_watch.h"
#include "cluster/membership/load_report.h"
#include "cluster/node/node.h"

enum { PHX_WORLD_NAME_MAX = 31, PHX_LISTED_MAX = PHX_CLUSTER_MEMBERS_MAX + 1 /* all members, and this process */ };

typedef enum phx_membership_phase {
    PHX_MEMBERSHIP_LEASE = 0,    /* it has no lease yet */
    PHX_MEMBERSHIP_REGISTER = 1, /* it has no registration yet */
    PHX_MEMBERSHIP_JOIN = 2,     /* it is in no map yet */
    PHX_MEMBERSHIP_MEMBER = 3,
    PHX_MEMBERSHIP_ENDED = 4 /* for ever; see phx_membership.reason */
} phx_membership_phase;

/* What is in the way of a process that joins; see hindrance.h. */
typedef enum phx_hindrance_kind {
    PHX_HINDRANCE_NONE = 0,
    PHX_HINDRANCE_HELD = 1,    /* its number is another process's */
    PHX_HINDRANCE_UNREAD = 2,  /* the key of its number can not be read, and is not its own */
    PHX_HINDRANCE_FULL = 3,    /* the map has as many of its kind as it can */
    PHX_HINDRANCE_KEYLESS = 4, /* its key is gone, and it must not write it again */
} phx_hindrance_kind;

typedef struct phx_hindrance {
    phx_hindrance_kind kind;
    uint64_t by; /* the registration of PHX_HINDRANCE_HELD; else 0 */
} phx_hindrance;

/* Tags of requests. */
enum { PHX_TAG_LIST = 1, PHX_TAG_RENEW, PHX_TAG_MAP, PHX_TAG_REGISTER, PHX_TAG_LEASE, PHX_TAG_END };

typedef struct phx_membership_def {
    phc_store store;             /* closed by its owner, behind the end */
    const char *world;           /* 1 .. PHX_WORLD_NAME_MAX characters of a key's token */
    uint16_t number;             /* the wished one; 0 = the lowest that is free */
    bool gateway;                /* it owns nothing */
    uint32_t region_count;       /* of the map, the same for all members; */
    uint32_t columns;            /* and so many of them in a row: reports of loads say so, too */
    uint32_t lease_ms;           /* 1000 .. */
    uint64_t definition;         /* a hash of all that has to be the same for all members, */
    const char *definition_text; /* and the same as text; see refusal.h */
    size_t definition_size;      /* 0 = there is none */
    uint64_t list_ns;            /* between two lists */
    bool adopts;                 /* into a control store that has lost the map it writes its own one; see adoption.h */
    uint64_t balance_ns; /* a node is so long busy before the balancer takes a region from it; 0 = not by this one */
    ph_allocator allocator;
} phx_membership_def;

/* A registered process of the last list, or a key in the place of one that can not be read. */
typedef struct phx_listed {
    uint64_t registration; /* 0 = the key can not be read */
    uint64_t lease;
    uint64_t revision; /* of its key; not the registration of a member that came back */
    uint32_t version;  /* of the newest map that it had read when it wrote the key; of one that asks see joining.h */
    uint16_t number;
    phx_formats formats; /* that it reads */
    bool gateway, asks;
    bool is_same; /* it has this process's definition */
} phx_listed;

/* Numbers of processes. */
typedef struct phx_number_set {
    uint64_t words[(UINT16_MAX + 1) / 64];
} phx_number_set;

static inline void phx_number_set_add(phx_number_set *set, uint16_t number)
{
    set->words[number / 64] |= (uint64_t)1 << number % 64;
}

static inline bool phx_number_set_has(const phx_number_set *set, uint16_t number)
{
    return set->words[number / 64] >> number % 64 & 1;
}

/* See balancer.h. */
typedef struct phx_balancer {
    bool has_key, is_held;  /* by the last list: this member's, any member's */
    bool takes, reads;      /* a request is under way */
    uint64_t registration;  /* of the holder; 0 = none */
    uint32_t lists_without; /* a key, in a row */
    uint32_t due_version;   /* of the map that the move of the last look is due in; 0 = none is */
    uint64_t read_at;
    phx_balance_watch watch;
    phx_load_report report; /* that is being read */
} phx_balancer;

/* Answers of the store to one kind of request. */
typedef struct phx_store_time {
    uint64_t count, failed, total_ns, last_ns; /* failed: not PHC_DONE */
} phx_store_time;

typedef struct phx_membership {
    phx_membership_def def;
    phx_node *node;
    phx_mem mem;
    phx_membership_phase phase;
    const char *reason;                  /* of PHX_MEMBERSHIP_ENDED; */
    ph_status why;                       /* ... as phc_event.status */
    char prefix[PHX_WORLD_NAME_MAX + 8]; /* of keys: "ph/WORLD/" */
    uint64_t now, lease, list_at, renew_at, renew_asked, lease_asked;
    uint32_t granted_ms_max;    /* of leases that the store gave: it may give longer ones than it was asked for */
    uint64_t renewed;           /* the lease that a renewal under way is of */
    uint64_t list_asked;        /* time when the list under way, or the last one, was asked for */
    uint64_t last_list;         /* time of the last list */
    uint64_t list_lease;        /* the own lease when the list under way, or the last one, was asked for; 0 = none */
    uint64_t proven_asked;      /* time of the request that proved the lease last; 0 = none has */
    uint64_t woken_at;          /* the last end of a sleep; see comeback.h */
    uint64_t whole_since;       /* since then all of the map are registered, and none has to go; see proposal.c */
    uint64_t expelled_since;    /* since then the map has one that is expelled */
    uint32_t whole_fence;       /* phx_cluster_map.fence at the last look; */
    uint32_t whole_links;       /* and silent links */
    uint64_t held_since;        /* since then nothing holds the map in its format; the same */
    uint64_t steady_since;      /* since then its lease is proven, and lists come; see lease.h */
    bool is_bare;               /* the last list has no map; see adoption.h */
    uint64_t bare_lease;        /* under which the last lists in a row that have none were asked for; 0 = none */
    uint64_t bare_since;        /* time when the first of these was heard, */
    uint64_t bare_until;        /* and when the last one was asked for */
    uint32_t bare_version;      /* of the newest map, as they were heard */
    uint32_t losses;            /* stores without a map that were seen since that map */
    uint32_t version_asked;     /* of the map, as the last list was asked for */
    bool lists, renews, writes; /* a request is under way */
    bool returns;               /* its lease has ended, and it is in the map; see comeback.h */
    bool reports;               /* the same; see reporting.h */
    bool is_refused;            /* the process ends, once it has read the other one's text; see refusal.h */
    phx_listed other;           /* a process of another definition, that it was refused for or has heard of last */
    uint64_t told_lease;        /* the lease that the own text is in the store under, or is being written; 0 = none */
    char refusal[PHC_REASON_SIZE];
    char failed_reason[PHC_REASON_SIZE]; /* of the last request that failed */
    phx_hindrance hindrance;
    uint64_t hindered_since;  /* by this one in all lists, while the store answers */
    uint64_t report_revision; /* of the report's key; 0 = it is not there */
    uint64_t report_asked;    /* time when it was written last */
    uint16_t number;          /* that it registers, or has registered, with */
    phx_listed *listed;
    uint32_t listed_count, listed_capacity;
    phx_number_set numbers;   /* of all keys of the last list, listed or not */
    uint32_t numbers_lost;    /* that others were faster to take */
    uint32_t lists_with_dead; /* in a row */
    phx_cluster_map map;      /* the newest one that was read or written */
    phx_cluster_map proposed; /* under way; */
    bool is_copied;           /* ... begun as a copy of the list's map, which something is changed in */
    phx_cluster_map read;     /* of the last list, and as bytes: */
    size_t read_size;         /* 0 = it had none */
    unsigned char read_bytes[PHX_CLUSTER_MAP_BYTES_MAX];
    uint32_t puts_out;      /* members that it puts out; counted once it stands */
    bool balances;          /* it has a move of the balancer; the same */
    bool adopts;            /* it is this member's map, for a store that has none; the same */
    bool asks;              /* a map may have it that it has not read; see joining.h */
    uint32_t asked_version; /* none up to this version has; 0 = it has read none */
    uint32_t lists_waited;  /* for another one to write the map with it */
    uint32_t joins_others;  /* that the proposed map has; counted once it stands */
    bool drains;
    uint32_t exceeded; /* a version that the map has to be above, in a later era; see wishes.h */
    uint32_t give_region;
    uint16_t give_number;                               /* 0 = no wish */
    uint32_t restored[PHX_CLUSTER_REGIONS_MAX];         /* phx_region.lost that the host has done; 0 = none */
    uint16_t restored_regions[PHX_CLUSTER_REGIONS_MAX]; /* the ones with such a wish, in no order */
    uint32_t restored_count;
    phx_balancer balancer;
    phx_store_time times[PHC_REQUESTS];
    struct {
        uint64_t lists, failed, writes, put_out, skipped, returned, adopted, balanced, joined_others, flawed_reports,
            maps_read, maps_copied, restored_looks;
        /* put_out, adopted, balanced, joined_others: by maps that stand; skipped: keys, unread or too many; maps_read,
         * maps_copied: of lists, the ones that were decoded, and that a change was begun of; restored_looks: at wishes
         * of regions */
    } counts;
} phx_membership;

#endif

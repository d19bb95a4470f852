/*
 * All that the control store has of a common world, of one moment: the cluster map and the registered processes. Read
 * by pharos-cluster, as members read it (src/cluster/membership). The main thread.
 */
#ifndef PHX_TOOLS_CLUSTER_LISTING_H
#define PHX_TOOLS_CLUSTER_LISTING_H

#include "cluster/map/cluster_map.h"
#include "tools/cluster_store.h"

enum {
    PHX_CLUSTER_LISTED_MAX = 2 * PHX_CLUSTER_MEMBERS_MAX,
    PHX_CLUSTER_PREFIX_SIZE = PHC_NAME_MAX + 16, /* "ph-load/WORLD/" */
    PHX_CLUSTER_WORLDS_MAX = 64
};

/* Of a node's last report (src/cluster/membership/load_report.h). */
typedef struct phx_cluster_load {
    uint32_t busy_us, busy_p99_us, period_us; /* period_us 0: there is no report */
    uint32_t own, transit;
    bool fits; /* of the regions that the map has */
} phx_cluster_load;

/* The nodes that see a region as their own. */
typedef struct phx_cluster_view {
    uint32_t count;
    uint16_t number; /* of the last one */
} phx_cluster_view;

/* A process with a key. */
typedef struct phx_cluster_listed {
    uint64_t registration, lease, definition;
    uint16_t number;
    phx_formats formats; /* of messages, that it reads */
    bool gateway;
    phx_cluster_load load;
} phx_cluster_listed;

typedef enum phx_cluster_map_state {
    PHX_CLUSTER_NO_MAP = 0, /* no member has joined yet */
    PHX_CLUSTER_MAP = 1,
    PHX_CLUSTER_DAMAGED_MAP = 2 /* of another program, or in a format that this one does not read */
} phx_cluster_map_state;

typedef struct phx_cluster_listing {
    char name[PHC_NAME_MAX + 1];
    uint64_t store_revision, map_revision;
    phx_cluster_map_state map_state;
    uint32_t map_format; /* 0 = it has none, as it is damaged or not there */
    phx_cluster_map map; /* version 0 without one */
    phx_cluster_listed listed[PHX_CLUSTER_LISTED_MAX];
    uint32_t listed_count;
    uint64_t balancer;        /* registration of the node that balances; 0 = none */
    bool balancer_is_damaged; /* its key is there, and can not be read */
    uint32_t skipped;         /* keys that can not be read, or are none of a process, or too many */
    phx_cluster_view views[PHX_CLUSTER_REGIONS_MAX];
    uint32_t entities[PHX_CLUSTER_REGIONS_MAX]; /* of each region, as its node has reported */
} phx_cluster_listing;

/* Reads all of that world, map and processes of one moment and reports of a later one, of 1 to PHC_NAME_MAX characters.
 * false: the store fails, for store->reason. */
bool phx_cluster_listing_read(phx_cluster_listing *listing, phx_cluster_store *store, const char *name);

/* The memory of one that lists again and again; zero at first. */
typedef struct phx_cluster_newest {
    uint64_t revision; /* of the store, of the newest listing */
    uint32_t behind;   /* listings in a row that were older */
} phx_cluster_newest;

/*
 * Is the listing older than one before? Lists are of one server's own state, and one that is cut off from the others
 * lists for ever as it was then. But a store that was restored from a backup has begun anew: of many older ones in a
 * row the last is none.
 */
bool phx_cluster_is_behind(phx_cluster_newest *newest, const phx_cluster_listing *listing);

/* NULL: it has no key. */
const phx_cluster_listed *phx_cluster_listing_of(const phx_cluster_listing *listing, uint64_t registration);

/* The worlds of a store, by name. */
typedef struct phx_cluster_worlds {
    char names[PHX_CLUSTER_WORLDS_MAX][PHC_NAME_MAX + 1];
    uint32_t count;
} phx_cluster_worlds;

/* false: the store fails. More than there is room for are left out. */
bool phx_cluster_worlds_read(phx_cluster_worlds *worlds, phx_cluster_store *store);

#endif

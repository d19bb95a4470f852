/*
 * Changes of the cluster map that an operator asks for, each written by compare-and-set as members write theirs. The
 * main thread.
 */
#ifndef PHX_TOOLS_CLUSTER_CHANGE_H
#define PHX_TOOLS_CLUSTER_CHANGE_H

#include "tools/cluster_listing.h"

typedef enum phx_change_kind {
    PHX_CHANGE_MOVE,  /* the regions shall be that node's */
    PHX_CHANGE_DRAIN, /* that node shall have no region; it stays a member */
    PHX_CHANGE_OUT    /* that member is no member any more */
} phx_change_kind;

typedef struct phx_cluster_change {
    phx_change_kind kind;
    uint16_t number;
    bool is_forced;        /* OUT: a member that holds its lease is told to leave */
    bool is_dry;           /* nothing is written */
    uint32_t version;      /* MOVE: of the map that it was chosen by, and of no other one; 0 = of whichever */
    uint32_t region_count; /* MOVE */
    uint32_t regions[PHX_CLUSTER_REGIONS_MAX];
} phx_cluster_change;

typedef enum phx_change_result {
    PHX_CHANGE_MADE,    /* or it would be, where it is dry */
    PHX_CHANGE_STANDS,  /* it is so already */
    PHX_CHANGE_REFUSED, /* nothing is written, for `reason` */
    PHX_CHANGE_FAILED   /* the store fails, for `reason`; it may have been written */
} phx_change_result;

/* Of a change, once it is made: the maps before and after it. */
typedef struct phx_change_report {
    phx_cluster_listing before;
    phx_cluster_map after;
    char reason[PHC_REASON_SIZE];
} phx_change_report;

/* The map behind a change, without a store: before is read, all else of the report is written. */
phx_change_result phx_cluster_change_apply(const phx_cluster_change *change, phx_change_report *report);

/* Reads, changes and writes, again where another writer was first. */
phx_change_result phx_cluster_change_write(const phx_cluster_change *change, phx_cluster_store *store, const char *name,
                                           phx_change_report *report);

#endif

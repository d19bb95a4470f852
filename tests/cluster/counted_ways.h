/*
 * Ways of a member that are counted: between it and its transport and control store stand tables that pass all calls
 * on, and count messages, bytes, writes of the map, and writes that another writer came before. One thread.
 */
#ifndef CLUSTER_COUNTED_WAYS_H
#define CLUSTER_COUNTED_WAYS_H

#include <pharos/cluster.h>

typedef struct counted_ways {
    phc_transport transport; /* the ones that calls are passed on to */
    phc_store store;
    uint64_t sent[PHC_TRAFFICS], bytes[PHC_TRAFFICS]; /* messages that were given to send(), by traffic */
    uint64_t taken;                                   /* messages that poll() gave */
    uint64_t send_ns;                                 /* that all of send() took */
    uint64_t map_writes;                              /* compare-and-sets of the map */
    uint64_t map_conflicts, number_conflicts; /* compare-and-sets that changed nothing, of the map, and of keys of
                                                 members */
} counted_ways;

/* Puts itself in the place of both, which are good until their close(). Stays where it is. */
void counted_ways_begin(counted_ways *ways, phc_transport *transport, phc_store *store);

#endif

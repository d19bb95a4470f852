/*
 * A few processes with the library's membership over one control store without faults, by ticks. Used by the tests of
 * membership and of adoption; one thread.
 */
#ifndef MEMBERSHIP_BED_H
#define MEMBERSHIP_BED_H

#include <criterion/criterion.h>

#include "cluster/membership/membership.h"
#include "cluster/servers/memory_store.h"
#include "support/fail_alloc.h"

enum {
    PROCESSES = 4, /* that tests of "all" begin */
    PLACES = 8,    /* of processes */
    REGIONS = 8,
    TICK_NS = 50000000,
    LEASE_MS = 1000,
    LEASE_TICKS = LEASE_MS * 1000000u / TICK_NS
};

typedef struct process {
    bool runs;
    phc_store store;
    phx_node node;
    phx_membership membership;
} process;

typedef struct membership_bed {
    fail_alloc allocator;
    phc_memory *memory;
    process processes[PLACES];
    uint64_t now;
    uint32_t lease_ms;        /* of processes that begin; */
    uint32_t list_ticks;      /* between two of their lists; 0 = 1 */
    uint32_t balance_ticks;   /* 0 = they do not balance */
    uint32_t link_ticks;      /* until a link is silent, with a heartbeat in each tick; 0 = there are none */
    bool cut[PLACES][PLACES]; /* heartbeats from, to */
    bool adopts;
    phx_formats formats; /* that processes which begin read; none: the library's */
} membership_bed;

extern membership_bed bed;

void bed_begin(void);
/* What a process had is released, so that another one can have its place. */
void bed_close(uint32_t at);
void bed_end(void);
void bed_start(uint32_t at, uint16_t number, uint32_t regions, uint64_t definition, bool gateway);
void bed_run(uint32_t ticks);
/* The store stands still: no request is done, and once it goes on all leases have ended. */
void bed_hang(uint32_t ticks);
/* Keys of the store that begin so. */
uint32_t bed_keys(const char *prefix);
/* Is that lease there? */
bool bed_has_lease(uint64_t lease);

#endif

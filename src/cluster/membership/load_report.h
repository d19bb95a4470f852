/*
 * A node's report of its load, the value of the key ph-load/WORLD/N, as bytes: magic u32, format u32, registration u64,
 * sequence u32, rounds u32, busy_us u32, busy_p99_us u32, period_us u32, own u32, transit u32, columns u16, rows u16,
 * region_count u32, then for each region its number u16 and entities u32; sum u64. Decoding is total. Pure; written by
 * members, read by the operator's program. Members do not read it: its keys are apart, so that their lists stay small.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_LOAD_REPORT_H
#define PHX_CLUSTER_MEMBERSHIP_LOAD_REPORT_H

#include "cluster/map/cluster_map.h"

enum { PHX_LOAD_REPORT_BYTES_MAX = 56 + 6 * PHX_CLUSTER_REGIONS_MAX + 8 };

typedef struct phx_load_region {
    uint16_t region;
    uint32_t entities; /* of this node */
} phx_load_region;

typedef struct phx_load_report {
    uint64_t registration;
    uint32_t sequence;             /* rises with each report */
    uint32_t rounds;               /* that the means are of: since the last report, 256 at most */
    uint32_t busy_us, busy_p99_us; /* from phc_tick() to the end of phc_told(): mean; all but the longest of 256 */
    uint32_t period_us;            /* from one phc_tick() to the next, mean */
    uint32_t own, transit;         /* entities */
    uint16_t columns, rows;        /* of all regions */
    uint32_t region_count;         /* the node's own ones */
    phx_load_region regions[PHX_CLUSTER_REGIONS_MAX];
} phx_load_report;

/* Returns the bytes written; size: at least PHX_LOAD_REPORT_BYTES_MAX. */
size_t phx_load_report_encode(const phx_load_report *report, void *bytes, size_t size);
/* false: the bytes are no report; *report is not to be read. */
bool phx_load_report_decode(phx_load_report *report, const void *bytes, size_t size);

#endif

/*
 * A node's report of its load, the value of the key ph-load/WORLD/N, as bytes: magic u32, format u32, registration u64,
 * sequence u32, rounds u32, busy_us u32, busy_p99_us u32, period_us u32, own u32, transit u32, columns u16, rows u16,
 * region_count u32, then for each region its number u16 and entities u32; sum u64. Decoding is total. Pure; written by
 * members, read by the one that balances and by the operator's program: its keys are apart, so that lists stay small.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_LOAD_REPORT_H
#define PHX_CLUSTER_MEMBERSHIP_LOAD_REPORT_H

#include "cluster/map/cluster_map.h"

enum { PHX_LOAD_REPORT_BYTES_MAX = 52 + 6 * PHX_CLUSTER_REGIONS_MAX + 8 };

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

/* The share of its time that a node works, in 1/1000. */
uint32_t phx_load_report_share(uint32_t busy_us, uint32_t period_us);
/* Is it of the regions of that map? */
bool phx_load_report_fits(const phx_load_report *report, const phx_cluster_map *map);
/*
 * The entities of that node's regions, in *entities by region; of a report that fits. A region that has another node by
 * now is that one's to report.
 */
void phx_load_report_entities(const phx_load_report *report, const phx_cluster_map *map, uint16_t number,
                              uint32_t entities[PHX_CLUSTER_REGIONS_MAX]);

#endif

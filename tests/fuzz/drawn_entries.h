/*
 * Entries of a control store, drawn from a fuzzer's bytes: maps, registrations, keys of a balancer and reports of
 * loads. They are sound ones, of other members, of other worlds, and damaged ones with a right sum. Revisions, leases
 * and registrations are few numbers, so two entries often have the same ones. Used by the fuzzers of code that takes
 * lists.
 */
#ifndef FUZZ_DRAWN_ENTRIES_H
#define FUZZ_DRAWN_ENTRIES_H

#include <pharos/cluster.h>

#include "cluster/map/cluster_map.h"

/* Holds in every build, unlike PHX_ASSERT. */
#define HOLDS(x) ((x) ? (void)0 : phx_panic(__FILE__, __LINE__, #x))

enum {
    DRAWN_REGIONS = 4, /* of the map; seldom a row more */
    DRAWN_COLUMNS = 2,
    DRAWN_DEFINITION = 1, /* seldom one more */
    DRAWN_NUMBERS = 8,    /* of revisions, leases and registrations */
    DRAWN_ENTRIES_MAX = 5
};

/* Bytes that are left. */
typedef struct drawn_source {
    const uint8_t *at, *end;
} drawn_source;

/* The bytes of an entry. */
typedef struct drawn_entry {
    char key[PHC_KEY_MAX + 1];
    unsigned char value[PHX_CLUSTER_MAP_BYTES_MAX];
    size_t size;
} drawn_entry;

/* 0 behind the end. */
static inline uint8_t draw(drawn_source *from)
{
    return from->at < from->end ? *from->at++ : 0;
}

/* Of a prefix ph/WORLD/, or of ph-load/WORLD/. The entry's key and value are in *to. */
phc_entry draw_entry(drawn_source *from, const char *prefix, drawn_entry *to);
/* As many as a list has, by key, each key once. Returns how many. */
uint32_t draw_entries(drawn_source *from, const char *prefix, drawn_entry to[DRAWN_ENTRIES_MAX],
                      phc_entry entries[DRAWN_ENTRIES_MAX]);

#endif

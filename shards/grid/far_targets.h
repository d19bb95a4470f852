/*
 * Far targets: targets that are seen beyond their observers' views, the global ones and targets with a reach. A target
 * of reach R stands in a coarse grid whose cells are 2^level towers wide, on the lowest level where R spans at most one
 * cell. So an observer finds all targets that may reach it in 3 x 3 cells of each level in use. Entries are sorted by
 * (level, cell y, cell x): three binary searches a level. Rebuilt by the shard's owner in the index phase when such a
 * target came, left or changed; read in the interest phase.
 */
#ifndef PHX_SHARDS_GRID_FAR_TARGETS_H
#define PHX_SHARDS_GRID_FAR_TARGETS_H

#include "shards/entity/entity_store.h"

enum { PHX_FAR_LEVELS = 17 }; /* 2^16 towers span any world */

typedef struct phx_far_entry {
    uint64_t key; /* level << 32 | cell y << 16 | cell x */
    uint32_t slot;
    uint32_t reserved;
} phx_far_entry;

typedef struct phx_far {
    uint32_t *globals;
    uint32_t global_count, globals_capacity;
    phx_far_entry *entries, *spare; /* sorted; spare is used by the sort */
    uint32_t entry_count, entries_capacity, spare_capacity;
    uint32_t levels; /* bit l: level l is in use */
    bool stale;
} phx_far;

void phx_far_free(phx_far *far, phx_mem *mem);

/* The number of towers that a length spans at most, 1..65535; a length whose square overflows spans all. */
uint32_t phx_length_towers(const phx_rules *rules, float length);

/* Collects all live slots with PHX_SLOT_FAR anew. false = no memory: call again. */
bool phx_far_rebuild(phx_far *far, phx_mem *mem, const phx_rules *rules, const phx_store *store);

/* The entries of row `dy` (-1, 0, 1) of the 3 x 3 cells around a tower at a level: [*first, *end). */
void phx_far_row(const phx_far *far, uint32_t level, uint16_t tx, uint16_t ty, int dy, uint32_t *first, uint32_t *end);

#endif

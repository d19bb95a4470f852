/*
 * Far targets: targets that are seen beyond their observers' views, the global ones and targets with a reach. A target
 * of reach R stands in a coarse grid whose cells are 2^level towers wide, on the lowest level where R spans at most one
 * cell. So an observer finds all targets that may reach it in 3 x 3 cells of each level in use. Entries are sorted by
 * (level, cell y, cell x) within their instance: three binary searches a level. Rebuilt by the shard's owner in the
 * index phase when such a target came, left or changed, and sorted anew when one moved; read in the interest phase, and
 * between ticks. The discontinuous ones of a tick stand in changes[] too, with what they were before.
 */
#ifndef PHX_SHARDS_GRID_FAR_TARGETS_H
#define PHX_SHARDS_GRID_FAR_TARGETS_H

#include "shards/entity/entity_store.h"

enum { PHX_FAR_LEVELS = 17 };             /* 2^16 towers span any world */
enum { PHX_FAR_GLOBAL = PHX_FAR_LEVELS }; /* the level of global targets, which has but one cell */

typedef struct phx_far_entry {
    uint64_t key; /* level << 32 | cell y << 16 | cell x */
    uint32_t slot;
    uint32_t instance; /* before the key, in the order of entries */
} phx_far_entry;

/* A far target at the last tick's end. */
typedef struct phx_far_before {
    float x, y, z;
    float reach; /* infinite: it was global */
    uint32_t slot;
} phx_far_before;

/* A discontinuous entity that is a far target now, or was one at the last tick's end. */
typedef struct phx_far_change {
    float x, y, z, reach;                 /* reach infinite: it is global; -1: it is no far target now, or gone */
    float old_x, old_y, old_z, old_reach; /* the same at the last tick's end; NaN and -1: it was none */
    uint32_t slot;
} phx_far_change;

/*
 * Each block looks at all of them: at some 10 ns that is 40 microseconds, so in a world of 256 entities a block 0.2
 * microseconds for each. An evaluation costs several times that.
 */
enum { PHX_FAR_CHANGES_MAX = 4096 };

typedef struct phx_far {
    phx_far_entry *entries, *spare; /* sorted; spare is used by the sort */
    uint32_t entry_count, entries_capacity, spare_capacity;
    phx_far_before *before; /* the far targets of the last tick's end: derived lists had them (query/far_list.h) */
    uint32_t before_count, before_capacity;
    phx_far_change *changes; /* of this tick, from the index phase on */
    uint32_t change_count, changes_capacity;
    uint32_t global_count; /* entries of level PHX_FAR_GLOBAL */
    uint32_t levels;       /* bit l: level l is in use */
    bool stale;            /* a far target came, left, jumped or changed */
    bool moved;            /* one moved by a step: the entries are right but for their cells */
} phx_far;

void phx_far_free(phx_far *far, phx_mem *mem);

/* The number of towers that a length spans at most, 1..65535; a length whose square overflows spans all. */
uint32_t phx_length_towers(const phx_rules *rules, float length);

/* Collects all live slots with PHX_SLOT_FAR anew; room for the changes, too. false = no memory: call again. */
bool phx_far_rebuild(phx_far *far, phx_mem *mem, const phx_rules *rules, const phx_store *store);

/*
 * After the rebuild: finds the changes of the tick with this stamp (phx_body.changed). false = there are too many, and
 * none is noted.
 */
bool phx_far_note_changes(phx_far *far, const phx_store *store, uint16_t dirty_stamp);

/* Brings the entries into the cells where their targets are now. */
void phx_far_follow(phx_far *far, const phx_rules *rules, const phx_store *store);

/*
 * At the end of a tick in which something changed: notes all far targets; none if the index phase did not collect them.
 * The changes are over.
 */
void phx_far_end_tick(phx_far *far, const phx_store *store);

/* The entries of cells x0..x1 of a row of cells of an instance at a level: [*first, *end). */
void phx_far_cells(const phx_far *far, uint32_t instance, uint32_t level, uint32_t x0, uint32_t x1, uint32_t y,
                   uint32_t *first, uint32_t *end);

/* The entries of row `dy` (-1, 0, 1) of the 3 x 3 cells around a tower of an instance at a level: [*first, *end). */
void phx_far_row(const phx_far *far, uint32_t instance, uint32_t level, uint16_t tx, uint16_t ty, int dy,
                 uint32_t *first, uint32_t *end);

/* The entries of the global targets of an instance: [*first, *end). */
void phx_far_globals(const phx_far *far, uint32_t instance, uint32_t *first, uint32_t *end);

#endif

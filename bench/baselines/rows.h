/*
 * Interest lists as rows side by side (CSR), the previous ones and the ones of this
 * tick, and the difference between the two. Used by the baselines that work tick by tick:
 * they write the new rows, in the order of the sorted places.
 */
#ifndef PHX_BENCH_ROWS_H
#define PHX_BENCH_ROWS_H

#include "bench/baselines/sent_lists.h"
#include "bench/baselines/sorted.h"

typedef struct row_set {
    uint32_t *starts; /* by row, and one more */
    uint32_t *items;  /* slots of targets, in no order */
    uint32_t *row_of; /* by slot; POPULATION_NONE = none */
    uint32_t slot_count;
    uint32_t starts_room, items_room, row_room;
} row_set;

/* Some items of a row. */
typedef struct row_items {
    const uint32_t *items;
    uint32_t count;
} row_items;

/* A candidate at a cap: the least keys are kept. */
typedef struct row_rank {
    double key;
    uint32_t slot;
} row_rank;

/* Of candidates: not in view, only within view and margin. */
#define ROW_RING (1u << 31)

typedef struct row_limits {
    uint32_t cap; /* 0 = none */
    double sticky;
} row_limits;

typedef struct rows {
    phx_mem *mem;
    row_set now, before;
    uint32_t *stamps; /* by slot */
    uint32_t stamps_room;
    uint32_t stamp;  /* of the row at hand, the first of its own */
    row_rank *ranks; /* of a row that is cut */
    uint32_t ranks_room;
} rows;

void rows_free(rows *of);
/* The rows of the tick before become `before`; now has room for the rows of so many places. */
void rows_begin(rows *of, uint32_t places);
/* Reports the difference, when now.starts and now.items are complete. */
void rows_emit(rows *of, const sorted *places, const population *people, sent *out);

/*
 * The same with a margin and a cap: the items are candidates, with ROW_RING. now becomes the lists, side by side as
 * before; returns how long they are together.
 */
uint32_t rows_tell_limited(rows *of, const sorted *places, const population *people, const row_limits *limits,
                           sent *out);

/* ---- the part that both share ---- */

/* Room for stamps, so many a row, and the rows of `now` by slot. */
void rows_prepare(rows *of, const sorted *places, const population *people, uint32_t stamps);
/* The slot's row of the tick before. */
row_items rows_old(const rows *of, uint32_t slot);

/* Room for `more` items behind the first `count`. */
void rows_grow_items(rows *of, uint32_t count, size_t more);

#endif

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

typedef struct rows {
    phx_mem *mem;
    row_set now, before;
    uint32_t *stamps; /* by slot */
    uint32_t stamps_room;
    uint32_t stamp; /* the last one used */
} rows;

void rows_free(rows *of);
/* The rows of the tick before become `before`; now has room for the rows of so many places. */
void rows_begin(rows *of, uint32_t places);
/* Reports the difference, when now.starts and now.items are complete. */
void rows_emit(rows *of, const sorted *places, const population *people, sent *out);

/* Room for `more` items behind the first `count`. */
void rows_grow_items(rows *of, uint32_t count, size_t more);

#endif

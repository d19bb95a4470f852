/*
 * The heard file: the deliveries of a tick, out of the engine's batches, by observer
 * and then in the order of the broadcasts, one CSV line each. Owned by a replay; used between ticks.
 */
#ifndef PHX_TOOLS_REPLAY_HEARD_H
#define PHX_TOOLS_REPLAY_HEARD_H

#include <pharos/types.h>

#include "base/mem.h"
#include "tools/out_file.h"

/* A broadcast, once for all its deliveries. */
typedef struct phx_heard_saying {
    uint64_t source;
    uint64_t first; /* in texts */
    uint32_t bytes;
} phx_heard_saying;

typedef struct phx_heard_row {
    uint64_t observer;
    uint32_t saying; /* they stand in the order of the broadcasts */
} phx_heard_row;

/* The deliveries of one tick. All zero but mem = empty. */
typedef struct phx_heard_sheet {
    phx_mem *mem;
    phx_heard_saying *sayings;
    phx_heard_row *rows;
    char *texts;
    uint32_t saying_count, saying_capacity;
    uint32_t row_count, row_capacity;
    uint32_t text_bytes, text_capacity;
} phx_heard_sheet;

void phx_heard_header(phx_out *out);

/* Copies the batch's deliveries. false = no memory. */
PH_NODISCARD bool phx_heard_sheet_add(phx_heard_sheet *sheet, const ph_batch *batch);

/* Writes the added deliveries, sorted, as deliveries of `tick`, and drops them. */
void phx_heard_sheet_write(phx_heard_sheet *sheet, uint64_t tick, phx_out *out);

void phx_heard_sheet_release(phx_heard_sheet *sheet);

#endif

/*
 * The updates file: the positions of targets that observers got in a tick, out of the engine's batches,
 * sorted by observer and target, one CSV line each. Owned by a replay; used between ticks.
 */
#ifndef PHX_TOOLS_REPLAY_UPDATES_H
#define PHX_TOOLS_REPLAY_UPDATES_H

#include <pharos/types.h>

#include "base/mem.h"
#include "tools/out_file.h"

typedef struct phx_update_row {
    uint64_t observer, target;
    ph_position at;
    uint32_t band;
} phx_update_row;

/* The updates of one tick. All zero but mem = empty. */
typedef struct phx_update_sheet {
    phx_mem *mem;
    phx_update_row *rows;
    uint32_t count, capacity;
} phx_update_sheet;

void phx_update_header(phx_out *out);

/* Copies the batch's updates. false = no memory. */
PH_NODISCARD bool phx_update_sheet_add(phx_update_sheet *sheet, const ph_batch *batch);

/* Writes the added updates, sorted, as updates of `tick`, and drops them. */
void phx_update_sheet_write(phx_update_sheet *sheet, uint64_t tick, phx_out *out);

void phx_update_sheet_release(phx_update_sheet *sheet);

#endif

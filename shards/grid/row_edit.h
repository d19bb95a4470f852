/*
 * Single rows inserted, removed and relocated, where these are few. Called by the shard's owner; see
 * the .c for the phases.
 */
#ifndef PHX_SHARDS_GRID_ROW_EDIT_H
#define PHX_SHARDS_GRID_ROW_EDIT_H

#include "shards/grid/grid.h"

/*
 * The row of a body does not stand where that is, by a jump, or nobody needs it any more: it is put where it belongs,
 * or taken out, in the index phase. Where many are, all rows are sorted anew then. Ingest, exchange, index: the owner.
 */
void phx_grid_misplace(phx_grid *grid, phx_body *body, uint32_t slot);

typedef enum phx_rows_edited {
    PHX_EDIT_DONE,
    PHX_EDIT_SORT,     /* it is more work than to sort all anew: rebuild, which does what is left */
    PHX_EDIT_NO_MEMORY /* call again */
} phx_rows_edited;

/*
 * Would it be more work than a rebuild, if so many rows more than those astray are to be put in? Or is a rebuild due in
 * any case: too many blocks were made, and the idle ones go only then; or to put rows in was in vain lately.
 */
bool phx_grid_sort_due(const phx_grid *grid, uint32_t more);

/* Rows that may be moved for all who are put in or taken out in a tick: a small part of what a rebuild moves. */
uint32_t phx_rows_edit_limit(const phx_grid *grid);

/*
 * Rows of whom phx_grid_misplace() took go where they belong, and what is new there is marked. *work is what is left of
 * the limit: at 0 the rest is left to the rebuild.
 */
phx_rows_edited phx_rows_edit(phx_grid *grid, phx_mem *mem, phx_store *store, uint64_t tick, uint32_t *work);

/* A slot that has no row, touched in this tick, gets one. */
phx_rows_edited phx_grid_put(phx_grid *grid, phx_mem *mem, phx_store *store, uint32_t slot, uint64_t tick,
                             uint32_t *work);

#endif

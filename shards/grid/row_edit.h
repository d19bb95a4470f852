/*
 * Row edits: single rows are inserted, removed and moved, if they are few. In the index phase, by the shard's owner;
 * phx_grid_misplace() in ingest and exchange too.
 */
#ifndef PHX_SHARDS_GRID_ROW_EDIT_H
#define PHX_SHARDS_GRID_ROW_EDIT_H

#include "shards/grid/grid.h"

/*
 * Notes a misplaced row: its body jumped, or the row is not needed any more. The row is moved or removed in the index
 * phase; if there are many, all rows are sorted anew instead. Ingest, exchange, index: the owner.
 */
void phx_grid_misplace(phx_grid *grid, phx_body *body, uint32_t slot);

typedef enum phx_rows_edited {
    PHX_EDIT_DONE,
    PHX_EDIT_SORT,     /* it costs more than a rebuild: rebuild, which does the rest */
    PHX_EDIT_NO_MEMORY /* call again */
} phx_rows_edited;

/*
 * Is a rebuild due? So if edits of the misplaced rows and `more` new ones cost more than a rebuild; if too many blocks
 * were made, as only a rebuild drops idle ones; or if row edits were in vain lately.
 */
bool phx_grid_sort_due(const phx_grid *grid, uint32_t more);

/* Rows that the edits of a tick may move: a small part of the rows that a rebuild moves. */
uint32_t phx_rows_edit_limit(const phx_grid *grid);

/*
 * Puts misplaced rows in their place, and marks changes there. *work: what is left of the limit; at 0 the rest is left
 * to the rebuild.
 */
phx_rows_edited phx_rows_edit(phx_grid *grid, phx_mem *mem, phx_store *store, uint64_t tick, uint32_t *work);

/* Inserts a row for a slot without one that changed in this tick. */
phx_rows_edited phx_grid_put(phx_grid *grid, phx_mem *mem, phx_store *store, uint32_t slot, uint64_t tick,
                             uint32_t *work);

#endif

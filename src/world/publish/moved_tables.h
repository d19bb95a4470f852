/*
 * The moved targets of the updates of a tick: for each consumer and shard a table of the targets that an observer is
 * told of. Each stands once in the consumer's batch, in the order of rows, however many observers see it, and in
 * however many bands; so a place follows from the targets alone, not from workers and pieces.
 *
 * A table has a byte for each row; or slot, where no lists are derived. While targets are marked, 1 says that the one
 * of the row is due for an observer; where a world has more workers than tables, each marks a part of its own. Once
 * they are counted, the byte of the first part says how many before it in its stretch are due.
 *
 * Publish phase. Tables begin by the ticking thread; then each part is marked by one worker, behind that each table is
 * counted by one, and then all workers read.
 */
#ifndef PHX_WORLD_PUBLISH_MOVED_TABLES_H
#define PHX_WORLD_PUBLISH_MOVED_TABLES_H

#include "base/mem.h"
#include "shards/simd/due_search.h"
#include "world/state/update_types.h"

void phx_moved_table_free(phx_moved_table *table, phx_mem *mem);

/* Begins a table for so many rows or slots; nothing is said of its marks yet. false = no memory. */
bool phx_moved_table_begin(phx_moved_table *table, phx_mem *mem, uint32_t items, uint32_t parts);

/* The marks of a part. */
static inline uint8_t *phx_moved_table_marks(const phx_moved_table *table, uint32_t part)
{
    return table->marks + (size_t)part * (table->items + (size_t)PHX_KERNEL_PAD);
}

/* Takes all marks of a part back; before they are set. */
void phx_moved_table_clear(const phx_moved_table *table, uint32_t part);

/* Gives each marked target its place. */
void phx_moved_table_count(phx_moved_table *table);

/* The number of stretches; once counted. */
static inline uint32_t phx_moved_table_stretches(const phx_moved_table *table)
{
    return (table->items + PHX_STRETCH - 1) / PHX_STRETCH;
}

/* Writes the targets of a stretch, in order; the first one has the place table->first[stretch]. Returns how many. */
uint32_t phx_moved_table_list(const phx_moved_table *table, uint32_t stretch, uint32_t targets[PHX_STRETCH + 1]);

#endif

/*
 * A record: the commands of one apply or tick. Written at the end of a tick, or of an apply, where they are all known
 * and their memory is still there, by the ticking thread, with its workers for the runs; see save.h. All numbers are
 * little-endian, all parts multiples of 8 bytes.
 *
 *   head          phx_record_head
 *   definition    if the tick took one: its keys and classes, each a u64 count and rows as in an image; zeros
 *   runs          pack.h
 *   sum           u64 of all bytes before it; unless the journal writes it itself
 */
#ifndef PHX_WORLD_JOURNAL_RECORD_H
#define PHX_WORLD_JOURNAL_RECORD_H

#include "world/journal/head.h"
#include "world/state/world.h"

/* Has the world a journal? */
static inline bool phx_journal_is_attached(const phx_world *world)
{
    return world->journal.write != NULL;
}

/* Attaches a journal to a world without one; NULL ends it. The world rests. */
void phx_journal_attach(phx_world *world, const ph_journal *journal);

/* Can a record have so many bytes? */
bool phx_record_may_have(size_t bytes);
/* Writes the sum, at the record's end; all bytes before it are written. Any thread. */
void phx_record_put_sum(void *record, size_t bytes);

/* All events of the world so far. */
phx_record_events phx_record_count_events(const phx_world *world);

/* The numbers of the head as they are now, and marks them for the next record. */
phx_record_head phx_record_counts(phx_world *world);

#endif

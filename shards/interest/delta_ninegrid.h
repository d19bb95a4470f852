/*
 * A glance at one observer in range = towers: its events from the crossings (ninegrid/ninegrid.h) alone. With span(T)
 * the towers that an observer in tower T sees, and somebody c crossing from a to b, for plain observers only this can
 * happen:
 *
 *   an observer that stayed in T loses c if a is in span(T) and b is not, and gains c the other way round. The same
 *   for all who stayed in T: it is found once, from c's side, and is the tower's job.
 *
 *   an observer that went from A to B gains who stayed in span(B) \\ span(A), and every c with b in span(B) and a not
 *   in span(A): either b is in span(B) \\ span(A), where c's card is, or in span(A), then c enters for those who
 *   stayed in A too, and is in A's job. It loses who stayed in span(A) \\ span(B), and every c with a in span(A) and
 *   b not in span(B): its old card is in span(A) \\ span(B), or it leaves for those who stayed in B and is in B's job.
 *
 * Observers with a cap, relations, or that do not see layer 1, and all while a target is global, are evaluated
 * (evaluate.h); so are those in whose sight, old or new, somebody's layers, stealth or the like changed.
 */
#ifndef PHX_SHARDS_INTEREST_DELTA_NINEGRID_H
#define PHX_SHARDS_INTEREST_DELTA_NINEGRID_H

#include "shards/interest/scratch.h"

/* phx_interest_run() of the observers on the cards of a shard's jobs. */
uint32_t phx_ninegrid_run(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t first,
                          uint32_t count);

/* The observer of an item of the shard's jobs; PHX_SLOT_NONE = it is none. */
uint32_t phx_cell_task_entry_slot(const phx_ninegrid *nine, uint32_t item);

#endif

/*
 * The nine-grid delta: events of one observer in range = towers from the crossings (ninegrid/ninegrid.h) alone. In the
 * interest phase, by the worker of the chunk; storage/ninegrid_storage.c has it as `run`.
 *
 * Let span(T) be the towers that an observer in tower T sees, and let entity c cross from tower a to tower b. For plain
 * observers only these events are possible:
 *
 *   an observer that stayed in T loses c if a is in span(T) and b is not, and gains c the other way round. The same
 *   for all observers that stayed in T: it is found once, from c's side, and stands in the tower's task.
 *
 *   an observer that crossed from A to B gains each entity that stayed in span(B) \\ span(A), and each c with b in
 *   span(B) and a not in span(A). Either b is in span(B) \\ span(A), where c's cell entry is; or b is in span(A), then
 *   c enters for observers that stayed in A too, and is in A's task. It loses each entity that stayed in
 *   span(A) \\ span(B), and each c with a in span(A) and b not in span(B). Either a is in span(A) \\ span(B), where c's
 *   old cell entry is; or c leaves for observers that stayed in B, and is in B's task.
 *
 * Evaluated instead (evaluate.h): an observer with a cap or relations, or one that does not see layer 0; every observer
 * while a target is global; an observer with a target, in its old or new span, that changed its layers, stealth or the
 * like.
 */
#ifndef PHX_SHARDS_INTEREST_DELTA_NINEGRID_H
#define PHX_SHARDS_INTEREST_DELTA_NINEGRID_H

#include "shards/interest/scratch.h"
#include "shards/state/storage.h"

/* phx_interest_run() for the observers on the cell entries of a shard's tasks. */
uint32_t phx_ninegrid_run(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t first,
                          uint32_t count);

/* phx_interest_undone() for the same items. */
void phx_ninegrid_visit_undone(phx_scratch *scratch, phx_shard *shard, uint32_t first, uint32_t count,
                               phx_undone_fn visit, void *user);

#endif

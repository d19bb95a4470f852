/*
 * The interest phase of a range of slots, with a classical index: each observer is evaluated. The operations of
 * state/storage.h; any worker, with a scratch of its own.
 */
#ifndef PHX_SHARDS_INTEREST_RUN_SLOTS_H
#define PHX_SHARDS_INTEREST_RUN_SLOTS_H

#include "shards/interest/run.h"

uint32_t phx_slots_run(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t first,
                       uint32_t count);

void phx_slots_visit_undone(phx_scratch *scratch, phx_shard *shard, uint32_t first, uint32_t count, phx_undone_fn visit,
                            void *user);

#endif

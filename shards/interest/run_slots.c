/*
 * The interest phase of a range of slots; see run_slots.h.
 */
#include "shards/interest/run_slots.h"

#include "shards/interest/evaluate.h"

uint32_t phx_slots_run(phx_scratch *scratch, const phx_directory *directory, phx_shard *shard, uint32_t first,
                       uint32_t count)
{
    const phx_store *store = &shard->store;
    if (!phx_scratch_room(scratch, store->slots)) return 0;
    for (uint32_t slot = first; slot < first + count; slot++) {
        if (!(store->body[slot].state & PHX_SLOT_OWN)) continue;
        if (!phx_attr_lists(phx_store_attr(store, slot), &store->tail[slot].list)) continue;
        if (!phx_evaluate_observer(scratch, directory, shard, slot, false)) return slot - first;
    }
    return count;
}

void phx_slots_visit_undone(phx_scratch *scratch, phx_shard *shard, uint32_t first, uint32_t count, phx_undone_fn visit,
                            void *user)
{
    (void)scratch;
    (void)shard;
    for (uint32_t slot = first; slot < first + count; slot++) visit(user, slot, false);
}

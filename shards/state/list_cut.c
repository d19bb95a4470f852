/*
 * Room for the notes of cut lists; see list_cut.h.
 */
#include "shards/state/list_cut.h"

#include <string.h>

#include "shards/state/storage.h"

void phx_list_cuts_room(phx_shard *shard)
{
    phx_list_cuts *cuts = &shard->list_cuts;
    const uint32_t slots = shard->store.slots;
    if (slots <= cuts->count || !shard->limited || !shard->storage->has_deltas) return;
    if (!phx_grow(shard->mem, (void **)&cuts->at, &cuts->capacity, cuts->count, slots, sizeof *cuts->at)) return;
    memset(cuts->at + cuts->count, 0, (slots - cuts->count) * sizeof *cuts->at);
    cuts->count = slots;
}

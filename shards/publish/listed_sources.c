/*
 * Stored lists turned round; see listed_sources.h.
 */
#include "shards/publish/listed_sources.h"

#include <string.h>

void phx_listed_sources_free(phx_listed_sources *listed, phx_mem *mem)
{
    phx_release(mem, (void **)&listed->marked, &listed->marked_capacity, sizeof *listed->marked);
    phx_release(mem, (void **)&listed->number, &listed->number_capacity, sizeof *listed->number);
    phx_release(mem, (void **)&listed->sources, &listed->sources_capacity, sizeof *listed->sources);
}

static bool is_marked(const phx_listed_sources *listed, uint32_t slot)
{
    return listed->marked[slot / 64] >> (slot % 64) & 1;
}

bool phx_listed_sources_open(phx_listed_sources *listed, phx_mem *mem, const phx_shard *shard)
{
    const uint32_t words = shard->store.slots / 64 + 1, cleared = listed->marked_capacity;
    for (uint32_t i = 0; i < listed->count; i++) listed->marked[listed->sources[i].slot / 64] = 0;
    listed->count = 0;
    if (!phx_grow(mem, (void **)&listed->marked, &listed->marked_capacity, cleared, words, sizeof *listed->marked))
        return false;
    memset(listed->marked + cleared, 0, (listed->marked_capacity - cleared) * sizeof *listed->marked);
    return phx_grow(mem, (void **)&listed->number, &listed->number_capacity, 0, shard->store.slots,
                    sizeof *listed->number);
}

bool phx_listed_sources_add(phx_listed_sources *listed, phx_mem *mem, uint32_t slot)
{
    if (is_marked(listed, slot)) return true;
    if (!phx_grow(mem, (void **)&listed->sources, &listed->sources_capacity, listed->count, (size_t)listed->count + 1,
                  sizeof *listed->sources))
        return false;
    listed->marked[slot / 64] |= 1ull << (slot % 64);
    listed->number[slot] = listed->count;
    listed->sources[listed->count++] = (phx_listed_source){.slot = slot, .own_place = PHX_BATCH_PLACES_MAX};
    return true;
}

void phx_listed_sources_read(phx_listed_sources *listed, const phx_shard *shard, uint32_t observer, uint32_t place)
{
    const phx_list *list = &shard->store.tail[observer].list;
    const uint32_t *entries = phx_list_entries(&shard->lists, list);
    PHX_ASSERT(!list->derived);
    if (is_marked(listed, observer)) listed->sources[listed->number[observer]].own_place = place;
    for (uint32_t i = 0; i < list->count; i++)
        if (is_marked(listed, entries[i]))
            phx_place_set_add(&listed->sources[listed->number[entries[i]]].places, place);
    listed->entries_read += list->count;
}

/*
 * The stored lists of an observer batch, turned round: for each source of a block's messages the places of the
 * observers with the source in their list. Each list is read once, and a message then costs a look at its source's set,
 * at any length of lists. Without it each message searches each list. Publish phase, by the worker of the batch.
 *
 * One worker's memory, kept from batch to batch: phx_listed_sources_open() forgets the last batch.
 */
#ifndef PHX_SHARDS_PUBLISH_LISTED_SOURCES_H
#define PHX_SHARDS_PUBLISH_LISTED_SOURCES_H

#include "shards/publish/place_set.h"
#include "shards/state/shard.h"

typedef struct phx_listed_source {
    phx_place_set places; /* of observers with the source in their stored list */
    uint32_t slot;
    uint32_t own_place; /* the source's own place in the batch, or PHX_BATCH_PLACES_MAX */
} phx_listed_source;

typedef struct phx_listed_sources {
    uint64_t *marked; /* a bit a slot: a source. All slots that lists name are looked up here, so it is small */
    uint32_t *number; /* by slot, of sources: the place in sources[] */
    phx_listed_source *sources;
    uint32_t count, marked_capacity, number_capacity, sources_capacity;
    uint64_t entries_read; /* of lists, since the memory was zero */
} phx_listed_sources;

void phx_listed_sources_free(phx_listed_sources *listed, phx_mem *mem);

/* Empty, with room for the slots of the shard. false = no memory. */
bool phx_listed_sources_open(phx_listed_sources *listed, phx_mem *mem, const phx_shard *shard);
/* Adds a live slot as a source, once. false = no memory. */
bool phx_listed_sources_add(phx_listed_sources *listed, phx_mem *mem, uint32_t slot);
/* Reads the stored list of the observer at this place; all sources are added. */
void phx_listed_sources_read(phx_listed_sources *listed, const phx_shard *shard, uint32_t observer, uint32_t place);

/* The source in this slot; it was added. */
static inline const phx_listed_source *phx_listed_sources_of(const phx_listed_sources *listed, uint32_t slot)
{
    const phx_listed_source *source = &listed->sources[listed->number[slot]];
    PHX_ASSERT((listed->marked[slot / 64] >> (slot % 64) & 1) && source->slot == slot);
    return source;
}

#endif

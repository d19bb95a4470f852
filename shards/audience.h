/*
 * Who hears whom: the sources of a tick's broadcasts as one shard has them, own or as
 * ghosts, and the own observers that may have one of them in the list. The lists decide;
 * being in the audience only says whose is worth a walk: those who stand in a tower within
 * the shard's greatest view and margin of a source. So one shout in a large world costs its
 * surroundings, and a storm one walk over all lists at most, whoever shouts.
 *
 * Made by the shard's owner once the lists of the tick stand (publish), before the tick's
 * end; then read by any worker. The world keeps one per shard.
 */
#ifndef PHX_SHARDS_AUDIENCE_H
#define PHX_SHARDS_AUDIENCE_H

#include "shards/shard.h"

typedef struct phx_audience {
    uint8_t *loud;     /* by slot: 1 = a source */
    uint32_t *source;  /* by slot, of those that are: which one, by the caller's count */
    phx_slots sources; /* slots that are loud */
    uint64_t *towers;  /* by block (range = towers: crowd): its towers that are in reach of a source */
    phx_slots members; /* own observers that may hear something, as they stand in the towers */
    uint32_t loud_capacity, source_capacity, towers_capacity;
} phx_audience;

void phx_audience_free(phx_audience *audience, phx_mem *mem);

/* Nobody is loud; room for `sources` of them. false = no memory: call again. */
bool phx_audience_begin(phx_audience *audience, const phx_shard *shard, uint32_t sources);
/* The live entity in `slot` is source number `source`; its towers are those of who may see it, but for relations. */
void phx_audience_add(phx_audience *audience, const phx_shard *shard, uint32_t slot, uint32_t source);
/* An own observer whom a relation may show a source at any distance: its tower too. */
void phx_audience_add_observer(phx_audience *audience, const phx_shard *shard, uint32_t slot);
/* Finds the members in the towers. */
void phx_audience_gather(phx_audience *audience, const phx_shard *shard);

/*
 * Some members ahead of phx_audience_heard(): first where the list is, then the list. Kept
 * as small as this: gcc 12 takes a function of nothing but prefetches for one without
 * effect, and drops the call unless it was inlined before.
 */
static inline void phx_audience_prefetch(const phx_shard *shard, uint32_t slot)
{
    __builtin_prefetch(&shard->store.tail[slot]);
    __builtin_prefetch(&shard->store.attr[slot].consumer);
}

static inline void phx_audience_prefetch_list(const phx_shard *shard, uint32_t slot)
{
    const phx_list *list = &shard->store.tail[slot].list;
    const uint32_t *entries = phx_list_entries(&shard->lists, list);
    for (uint32_t i = 0; i < list->count; i += PHX_CACHE_LINE / sizeof *entries) __builtin_prefetch(entries + i);
}

/* How many slots phx_audience_heard() may need room for. */
uint32_t phx_audience_room(const phx_shard *shard, uint32_t slot);
/* The slots of the sources in the list of the own observer in `slot`, to hits[]. Returns how many. */
uint32_t phx_audience_heard(const phx_audience *audience, const phx_shard *shard, uint32_t slot, uint32_t *hits);

#endif

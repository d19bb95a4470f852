/*
 * The annulus (state/annulus.h) in a delta. The tile finds targets that crossed the border of the view, as of an
 * observer without a margin. A target that went out of view, and is within the margin, falls into the annulus, without
 * an event. A target that came from the annulus was listed: no event either. The tile has no pairs of the border behind
 * the margin. So each target in the annulus is looked at in each tick in which something may have changed around: it
 * stays, or comes into view, or leaves the list. Few targets are in it, and most need one distance. Interest phase, by
 * the worker of the observer.
 */
#ifndef PHX_SHARDS_INTEREST_DELTA_ANNULUS_H
#define PHX_SHARDS_INTEREST_DELTA_ANNULUS_H

#include "shards/interest/delta_related.h"
#include "shards/interest/scratch.h"
#include "shards/state/annulus.h"
#include "shards/state/related.h"

/* The new annulus of an observer, until it is written. */
typedef struct phx_annulus_change {
    uint32_t ended_count;  /* entries that end, by their places in scratch->old, ascending */
    uint32_t fallen_count; /* slots that fell into it, in scratch->hits */
    bool any;              /* it changes */
} phx_annulus_change;

/* Room for so many slots that came and left, and for the observer's annulus. false = no memory. */
bool phx_delta_annulus_room(phx_scratch *scratch, const phx_shard *shard, uint32_t slot, size_t count);

/* Do distances alone keep all targets of the annulus in it? row: the observer's. */
bool phx_delta_annulus_rests(phx_scratch *scratch, const phx_shard *shard, uint32_t row, uint32_t slot);

/*
 * Turns slots that crossed the border of the observer's view into its enters and leaves, and finds how its annulus
 * changes. Nothing is written but the scratch.
 */
phx_annulus_change phx_delta_annulus_look(phx_scratch *scratch, const phx_shard *shard, uint32_t row, uint32_t slot,
                                          phx_delta_hits *hits);

/*
 * A listed target of which the relation ended falls into the annulus, if it stays listed beyond the view: it is as any
 * target from now on. phx_related_derive() was called.
 */
void phx_delta_annulus_take_ended(const phx_scratch *scratch, const phx_shard *shard, uint32_t row, uint32_t slot,
                                  const phx_relation_set *related, phx_annulus_change *change);

/* The number of entries of the new annulus. */
uint32_t phx_delta_annulus_count(const phx_shard *shard, uint32_t slot, const phx_annulus_change *change);

/* Writes the new annulus; change: of the observer, or NULL if the annulus fits in place. */
void phx_delta_annulus_write(phx_scratch *scratch, phx_shard *shard, uint32_t slot, const phx_annulus_change *annulus,
                             phx_change *change);

/* Prefetches the annulus of an observer ahead, so many hops from it, each of which needs the one before. */
PHX_PREFETCH_INLINE void phx_delta_annulus_await(const phx_shard *shard, uint32_t slot, uint32_t hop)
{
    enum { LINES = 2, TARGETS = 8 };
    const phx_annulus annulus = phx_annulus_of(shard, slot);
    const uint32_t line = PHX_CACHE_LINE / sizeof *annulus.at;
    for (uint32_t i = 0; hop == 0 && i < LINES && i * line < annulus.count; i++)
        __builtin_prefetch(annulus.at + i * line, 1);
    for (uint32_t i = 0; hop == 1 && i < TARGETS && i < annulus.count; i++)
        __builtin_prefetch(&shard->store.body[annulus.at[i]]);
}

#endif

/*
 * Updates by distance band, for the observers of one shard: for which observers an update is due (ph_update has the
 * rule). Nothing is kept for a pair except deferred updates, for want of budget (updates_max; deferred_updates.h). The
 * rule needs nothing but the motion history of each target (motion_history.h).
 *
 * publish, after the interest phase: the owner writes motion samples; any worker emits the updates of observers
 * (phx_band_emit()); then the owner writes deferred updates.
 */
#ifndef PHX_SHARDS_PUBLISH_BAND_UPDATES_H
#define PHX_SHARDS_PUBLISH_BAND_UPDATES_H

#include "shards/publish/update_scratch.h"

struct phx_shard;

/*
 * Finds what the observers of a block have in common, before their updates are emitted: the motion tile, and the far
 * targets near. Without memory for a tile the rows are compared as they stand.
 */
void phx_band_open_block(phx_update_scratch *scratch, const struct phx_shard *shard, uint32_t block);

/* An own observer: its slot, and its item (phx_motion_sample). */
typedef struct phx_band_observer {
    uint32_t slot, item;
} phx_band_observer;

/*
 * Emits the updates of an observer: targets that entered its list, and other targets with a due update. Appends due
 * keys to the scratch, and a row to observers[] if there is any. false = no memory, nothing appended.
 */
bool phx_band_emit(phx_update_scratch *scratch, const struct phx_shard *shard, phx_band_observer observer,
                   const uint32_t *entered, uint32_t entered_count);

/*
 * Tries the same by positions, beside the targets of relations: another target that came into view has entered. So
 * neither the observer's change is read, nor such a target by its slot. It has so many enters in this tick. false =
 * positions do not decide, and nothing is appended: call phx_band_emit(); or *failed is set.
 */
bool phx_band_emit_in_view(phx_update_scratch *scratch, const struct phx_shard *shard, phx_band_observer observer,
                           uint32_t enters, bool *failed);

/*
 * The memory of an observer that phx_band_emit() is called for soon, hop by hop, some observers earlier each: its tail;
 * the way to its relations, and its stored list or annulus; the way to these targets; their samples. Of an observer
 * that has neither, nothing.
 */
void phx_band_prefetch_tail(const struct phx_shard *shard, phx_band_observer observer);
void phx_band_prefetch_way(const struct phx_shard *shard, phx_band_observer observer);
void phx_band_prefetch(const struct phx_shard *shard, phx_band_observer observer);
void phx_band_prefetch_targets(const struct phx_shard *shard, phx_band_observer observer);

#endif

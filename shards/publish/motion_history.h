/*
 * Motion histories: of each slot the position at the last tick's end and the tick of its last move. They exist only
 * while a class has bands (rules->banded): their memory from the index phase of the first such tick on, their content
 * from its end on. They travel with migrants, and with copies that moved lately.
 *
 * By the shard's owner. exchange, index: histories come in and go out. publish: motion samples are written from them
 * (motion_samples.h). end: histories become the ones of this tick.
 */
#ifndef PHX_SHARDS_PUBLISH_MOTION_HISTORY_H
#define PHX_SHARDS_PUBLISH_MOTION_HISTORY_H

#include "base/rng.h"
#include "shards/simd/kernels.h"
#include "shards/state/records.h"
#include "shards/state/update_bands.h"

struct phx_shard;

/* The hash of an id: two of them, combined, give the phase of a pair. */
static inline uint32_t phx_band_hash(uint64_t id)
{
    return (uint32_t)(phx_mix64(id) >> 32);
}

/* Has the body moved in this tick? */
static inline bool phx_bands_moved(const phx_motion_history *history, const phx_body *body)
{
    return history->known && (history->x != body->x || history->y != body->y || history->z != body->z);
}

/* Ticks since its last move, 0 for a move in this tick; UINT32_MAX = long ago. */
static inline uint32_t phx_bands_age(const phx_motion_history *history, const phx_body *body, uint64_t tick)
{
    if (phx_bands_moved(history, body)) return 0;
    return history->moved != 0 ? (uint32_t)tick - history->moved : UINT32_MAX;
}

/* Room for the history of every slot, if any class has bands. false = no memory, unchanged. */
bool phx_bands_ready(struct phx_shard *shard);

/* Does the slot's history travel with it? */
bool phx_bands_has_history(const struct phx_shard *shard, uint32_t slot);
/* Does a copy of the slot need a MOTION_HISTORY record? */
bool phx_bands_history_due(const struct phx_shard *shard, uint32_t slot);
void phx_bands_fill_history(const struct phx_shard *shard, uint32_t slot, phx_record *record);
/* Takes a history from a MOTION_HISTORY record. false = no memory, unchanged. */
bool phx_bands_read_history(struct phx_shard *shard, uint32_t slot, const phx_record *record);
/* In this tick all of the list of an observer with a history is due. */
void phx_bands_make_all_due(struct phx_shard *shard, uint32_t slot);
/* May an update be due here in this tick? */
bool phx_bands_busy(const struct phx_shard *shard);
void phx_bands_end_tick(struct phx_shard *shard);

#endif

/*
 * Updates by distance band, for the observers of one shard: which targets moved, and are due for whom (the rule is at
 * ph_update). Nothing is kept per observer and target but what waits for want of budget (updates_max). Per slot there
 * is a trail: where the entity was at the last tick's end and when it last moved, which is all that the rule asks for.
 *
 * Trails are there only while a class has bands (rules->banded): their memory from the index phase of the first such
 * tick, what is in them from its end. They travel with migrants, and with copies that moved lately.
 *
 * exchange, index: the shard's owner. publish, once the lists of the tick stand: the owner puts what trails and bodies
 * say side by side (strides); any worker tells observers, each its own ones (phx_band_emit()), then the owner puts down
 * who waits. end: trails become those of this tick.
 */
#ifndef PHX_SHARDS_PUBLISH_BAND_UPDATES_H
#define PHX_SHARDS_PUBLISH_BAND_UPDATES_H

#include "base/directory.h"
#include "base/rng.h"
#include "shards/simd/top_k.h"
#include "shards/state/records.h"

struct phx_shard;

/* An observer that is told something, or of whose targets some wait. */
typedef struct phx_update_notice {
    uint32_t slot;
    uint32_t due_first, due_count;   /* in the lookout's due[] */
    uint32_t wait_first, wait_count; /* words in its waits[]: they become the observer's */
    bool rewaits;                    /* some wait, or did */
} phx_update_notice;

typedef struct phx_slot_mark {
    uint32_t epoch, value;
} phx_slot_mark;

/* One worker's: memory that is kept, and the results of what it told in this tick. */
typedef struct phx_update_scratch {
    phx_mem *mem;
    phx_slot_mark *marks;   /* by slot, of the observer being told: what entered, what waits (and since when) */
    phx_slot_mark *places;  /* by slot, since phx_update_scratch_group(): its place in targets, from there */
    phx_ranked *candidates; /* due, where there is a budget */
    phx_update_notice *notices;
    uint32_t *due;     /* places in targets, from the group's first one on */
    uint32_t *targets; /* slots */
    uint32_t *waits;
    uint32_t marks_capacity, places_capacity, candidates_capacity, notices_capacity;
    uint32_t due_capacity, targets_capacity, waits_capacity;
    uint32_t notice_count, due_count, target_count, wait_count;
    uint32_t mark_epoch, place_epoch;
    uint32_t group_first;                                      /* in targets */
} __attribute__((aligned(PHX_CACHE_LINE))) phx_update_scratch; /* side by side with other workers' */

/* Of an id: two of them, combined, tell when a pair is due. */
static inline uint32_t phx_band_hash(uint64_t id)
{
    return (uint32_t)(phx_mix64(id) >> 32);
}

/* Of a period what tells its multiples: 2^32 / every, rounded up; 0 for 1. */
static inline uint32_t phx_band_share(uint32_t every)
{
    return UINT32_MAX / every + 1;
}

/*
 * Is n, below 2^17, a multiple of the period (up to 255)? n times the share is n / every in units of 2^-32, too large
 * by less than n of them: what is left of a multiple is less than the share, and of others at least that.
 */
static inline bool phx_band_multiple(uint32_t n, uint32_t share)
{
    return n * share <= share - 1;
}

/* ---- the owner ---- */

/* Trails for every slot, if any class has bands. false = no memory, unchanged. */
bool phx_bands_ready(struct phx_shard *shard);

/* Has the slot a trail to travel with it? */
bool phx_bands_has_history(const struct phx_shard *shard, uint32_t slot);
/* Is there anything about its trail that another shard has to be told with a copy of it? */
bool phx_bands_history_due(const struct phx_shard *shard, uint32_t slot);
void phx_bands_fill_history(const struct phx_shard *shard, uint32_t slot, phx_record *record);
/* false = no memory, unchanged. */
bool phx_bands_take_history(struct phx_shard *shard, uint32_t slot, const phx_record *record);
/* Words of an observer's waits: two for each target. */
uint32_t phx_bands_deferred_words(const struct phx_shard *shard, uint32_t slot);
/* Up to PHX_RECORD_ITEMS of them from word *at on. */
void phx_bands_fill_deferred(const struct phx_shard *shard, uint32_t slot, uint32_t *at, phx_record *record);
bool phx_bands_take_deferred(struct phx_shard *shard, uint32_t slot, const phx_record *record);

/* The targets of phx_arrival_wait, from ids to slots. false = no memory: call again. */
bool phx_bands_resolve(struct phx_shard *shard, const phx_directory *directory);

/* May anything be due here in this tick? */
bool phx_bands_busy(const struct phx_shard *shard);
/* Writes the strides, if so: before anybody is told. */
void phx_bands_sample(struct phx_shard *shard);
/* What waits for the observers of notices[] becomes so. false = no memory: call again. */
bool phx_bands_commit(struct phx_shard *shard, const phx_update_scratch *lookout, const phx_update_notice *told,
                      uint32_t count);
void phx_bands_end_tick(struct phx_shard *shard);

/* ---- any worker ---- */

void phx_update_scratch_free(phx_update_scratch *lookout);
/* A new tick: results of the last one go. */
void phx_update_scratch_reset(phx_update_scratch *lookout);
/* From here on targets are counted from 0 again, each once. */
void phx_update_scratch_group(phx_update_scratch *lookout);
/*
 * What an own observer is told: what entered its list, and of the rest of it what is due. Appends to the lookout, a row
 * to notices[] if there is anything. false = no memory, nothing appended.
 */
bool phx_band_emit(phx_update_scratch *lookout, const struct phx_shard *shard, uint32_t slot, const uint32_t *entered,
                   uint32_t entered_count);

#endif

/*
 * Recipients of broadcasts, in one shard: the broadcasts of a tick are brought to the towers from which their sources
 * may be seen (block messages, by block); the own observers in these towers (an observer batch) are filtered by whether
 * they have the source in the list.
 *
 * For most observers no list is read: at the tick's end an observer without cap and relations has exactly the targets
 * in its list that the rule of one pair gives, except in its margin. So a broadcast costs the entities around its
 * source, at any length of lists. Where many messages meet stored lists, each list is read once a batch
 * (listed_sources.h).
 *
 * Block messages are made by the shard's owner after the interest phase, before the tick's end; then any worker
 * filters, one batch at a time. The world keeps one per shard.
 */
#ifndef PHX_SHARDS_PUBLISH_RECIPIENTS_H
#define PHX_SHARDS_PUBLISH_RECIPIENTS_H

#include "shards/publish/broadcast_range.h"
#include "shards/publish/listed_sources.h"
#include "shards/state/storage.h"

/*
 * A block message: one broadcast in one block. With a classical index blocks are ranges of slots, and each block
 * message is for one observer.
 */
typedef struct phx_block_message {
    uint64_t towers;   /* of the block: towers of rows, which may have drifted out of them; of slots: all */
    uint32_t block;    /* of the grid; range = towers: cell block; classical index: PHX_BATCH_PLACES_MAX slots */
    uint32_t message;  /* the caller's number of the broadcast */
    uint32_t slot;     /* the source, or PHX_SLOT_NONE: the message has a range, its source no slot here */
    uint32_t observer; /* the only observer that may receive it in this block, or PHX_SLOT_NONE: all may */
} phx_block_message;

/* The block messages that one worker adds, of any shards, in the order of adding. */
typedef struct phx_addressed {
    phx_mem *mem;
    phx_block_message *messages;
    uint32_t count, capacity;
    phx_high_water use;
    bool failed; /* a block message had no memory */
} phx_addressed;

/* A run of one shard's block messages, side by side. */
typedef struct phx_addressed_run {
    const phx_block_message *messages;
    uint32_t count;
} phx_addressed_run;

typedef struct phx_recipients {
    phx_block_message *block_messages; /* by block, and inside a block in the order of adding */
    uint32_t *first;                   /* by block: its first block message; one more entry is the end */
    uint32_t block_message_count, block_messages_capacity, first_capacity;
    phx_high_water use; /* of block_messages */
} phx_recipients;

/* Entities of one block, in the order of its towers. */
typedef struct phx_observer_batch {
    uint32_t block;
    uint32_t first, count;               /* of the block's places */
    uint64_t towers;                     /* their towers: a block message to none of these is not for them */
    uint32_t slot[PHX_BATCH_PLACES_MAX]; /* PHX_SLOT_NONE: no observer */
    uint32_t place[PHX_BATCH_PLACES_MAX + PHX_KERNEL_PAD]; /* of rows: each place's own number, a kernel's column */
    phx_place_set observers;
    phx_place_set plain;   /* observers with plain rows */
    phx_place_set decided; /* with `listed`: observers of which the stored list decides about every source */
    phx_place_set ruled;   /* by rows: others of which attributes were read: */
    const phx_attr *attr[PHX_BATCH_PLACES_MAX];
    phx_place_set apart; /* of the message at hand: observers with a block message of their own, which decides */
    const phx_listed_sources *listed; /* their stored lists turned round, or NULL: few messages, lists are searched */
} phx_observer_batch;

void phx_recipients_free(phx_recipients *recipients, phx_mem *mem);
void phx_addressed_free(phx_addressed *addressed);

/* Once a tick: the block messages of the one before go, and memory that a storm of them left. */
static inline void phx_recipients_trim(phx_recipients *recipients, phx_mem *mem)
{
    phx_trim(mem, (void **)&recipients->block_messages, &recipients->block_messages_capacity,
             sizeof *recipients->block_messages, recipients->block_message_count, &recipients->use);
    recipients->block_message_count = 0;
}

/* The same; `all`: the ones of all workers, as any of them may take more of the work in the next tick. */
static inline void phx_addressed_trim(phx_addressed *addressed, uint64_t all)
{
    const uint32_t used = all < addressed->capacity ? (uint32_t)all : addressed->capacity;
    phx_trim(addressed->mem, (void **)&addressed->messages, &addressed->capacity, sizeof *addressed->messages, used,
             &addressed->use);
    addressed->count = 0;
}

/* ---- any worker, with its own block messages ---- */

/*
 * Addresses a broadcast of the live entity in `slot` to all towers from which it may be seen without a relation. false
 * = no memory.
 */
bool phx_recipients_address(phx_addressed *addressed, const phx_shard *shard, uint32_t slot, uint32_t message);
/*
 * Addresses the same broadcast to an own observer with a relation to the source, which decides then, unless the message
 * to all is for it whatever its distance. Directly behind phx_recipients_address(). false = no memory.
 */
bool phx_recipients_address_one(phx_addressed *addressed, const phx_shard *shard, uint32_t slot, uint32_t message,
                                uint32_t observer);
/* A message with a range; slot: its source, own or ghost, or PHX_SLOT_NONE. */
bool phx_recipients_address_range(phx_addressed *addressed, const phx_shard *shard, const phx_broadcast_range *range,
                                  uint32_t slot, uint32_t message);

/* ---- the owner ---- */

/* There are none in this tick. */
static inline void phx_recipients_clear(phx_recipients *recipients)
{
    recipients->block_message_count = 0;
}

/* Sorts the block messages of runs, which are in the order of their broadcasts, by block. false = no memory. */
bool phx_recipients_sort(phx_recipients *recipients, const phx_shard *shard, const phx_addressed_run *runs,
                         uint32_t run_count);

/* ---- any worker ---- */

static inline uint32_t phx_recipients_blocks(const phx_shard *shard)
{
    return shard->storage->blocks(shard);
}

/* The number of places of the block. */
static inline uint32_t phx_recipients_places(const phx_shard *shard, uint32_t block)
{
    return shard->storage->block_places(shard, block);
}

/* Fills the batch from its block, first and count (up to PHX_BATCH_PLACES_MAX). */
void phx_recipients_fill_batch(const phx_shard *shard, phx_observer_batch *batch);
/*
 * Turns the stored lists of the batch round, for all block messages of its block, if it pays. `listed` stays as it is
 * while the batch is filtered. false = no memory.
 */
bool phx_recipients_read_lists(const phx_recipients *recipients, const phx_shard *shard, phx_observer_batch *batch,
                               phx_listed_sources *listed, phx_mem *mem);
/*
 * Notes the block messages to towers of the batch: of the ones to single observers, which may be most of a block's, a
 * batch has few. near[] has room for all of the block. Returns how many.
 */
uint32_t phx_recipients_near(const phx_recipients *recipients, const phx_observer_batch *batch, uint32_t *near);
/*
 * For a block message of these, before the batch is filtered for it: notes the observers that have their own ones of
 * the broadcast, which stand behind the one to all.
 */
void phx_recipients_note_apart(const phx_recipients *recipients, const phx_shard *shard, phx_observer_batch *batch,
                               const uint32_t *near, uint32_t count);
/*
 * Prefetches what decides about a message's only observer, its list or its relations: the way to it, and some messages
 * later, before it is filtered for, itself.
 */
void phx_recipients_prefetch_way(const phx_shard *shard, const phx_block_message *block_message);
void phx_recipients_prefetch(const phx_shard *shard, const phx_block_message *block_message);
/*
 * Filters a batch for a block message: observers with the block message's source in their list, or, with a range,
 * within it; and the source itself if `self` is set and it observes. Their numbers in the batch go to out[], which has
 * room for batch->count. Returns how many.
 */
uint32_t phx_recipients_filter(const phx_shard *shard, const phx_observer_batch *batch,
                               const phx_block_message *block_message, const phx_broadcast_range *range, bool self,
                               uint32_t *out);

/* ---- for the storages (recipients_rows.h, recipients_ninegrid.h, recipients_slots.h) ---- */

/* Adds a block message. false = no memory. */
bool phx_recipients_add(phx_addressed *addressed, phx_block_message block_message);

/* Towers of an instance that a block message is for: in `rect`, without the towers in `done`. */
typedef struct phx_address_towers {
    uint32_t instance;
    phx_rect rect;
    phx_rect done;
    bool any_done;
} phx_address_towers;

/* Adds a block message for the towers in block (bx, by), if any. false = no memory. */
bool phx_recipients_add_block(phx_addressed *addressed, const phx_address_towers *to, uint32_t bx, uint32_t by,
                              phx_block_message block_message);
/* The towers of all rows that may see the entity without a relation: within max(view, reach) + margin at most. */
phx_rect phx_recipients_rect(const phx_shard *shard, uint32_t slot);

/*
 * Filters places with observers by whether these have the block message's source in their list; for the source itself
 * `self` says it. Theirs go to out[]. Returns how many.
 */
uint32_t phx_recipients_filter_places(const phx_shard *shard, const phx_observer_batch *batch,
                                      const phx_block_message *block_message, const phx_place_set *places, bool self,
                                      uint32_t *out);

/* The place of an observer in a batch, from this place on; batch->count = none. */
static inline uint32_t phx_recipients_find(const phx_observer_batch *batch, uint32_t observer, uint32_t place)
{
    while (place < batch->count && batch->slot[place] != observer) place++;
    return place;
}

#endif

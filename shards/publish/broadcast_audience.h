/*
 * Who hears whom, in one shard: the broadcasts of a tick, brought to the towers from which
 * their sources may be seen (calls, by block), and the own observers who stand there
 * (seats), each of whom has the source in the list or has not.
 *
 * Most need no look at a list: at the tick's end an observer without cap and relations has
 * exactly those in it whom the rule of one pair lets it see, but for those in its margin.
 * So a broadcast costs what stands around its source, however long the lists are.
 *
 * Calls are made by the shard's owner once the lists of the tick stand (publish), before
 * the tick's end; then any worker listens, some seats at a time. The world keeps one per
 * shard.
 */
#ifndef PHX_SHARDS_PUBLISH_BROADCAST_AUDIENCE_H
#define PHX_SHARDS_PUBLISH_BROADCAST_AUDIENCE_H

#include "shards/publish/broadcast_range.h"

enum { PHX_SEATS_MAX = 256 };

/* One broadcast in one block. With another index than the lighthouse blocks are of slots, and each call is for one. */
typedef struct phx_broadcast_target {
    uint64_t towers;   /* of the block: of rows, which may have drifted out of them; of slots: all */
    uint32_t block;    /* of the grid; range = towers: crowd; another index: PHX_SEATS_MAX slots */
    uint32_t message;  /* the caller's number */
    uint32_t slot;     /* the source, or PHX_SLOT_NONE: the message has a range, its source no slot here */
    uint32_t observer; /* the only one who may hear it there, or PHX_SLOT_NONE: all may */
} phx_broadcast_target;

typedef struct phx_recipients {
    phx_broadcast_target *calls; /* by block, and in it in the order in which they were added */
    phx_broadcast_target *spare; /* as they were added */
    uint32_t *first;             /* by block: its first call; the last one is behind all */
    uint32_t call_count, calls_capacity, spare_capacity, first_capacity;
    bool failed; /* a call had no memory */
} phx_recipients;

/* Some of those who stand in one block, as they stand in its towers. */
typedef struct phx_observer_batch {
    uint32_t block;
    uint32_t first, count;        /* of the block's places */
    uint64_t towers;              /* in which they stand: a call to none of these is not for them */
    bool look;                    /* not all observers among them are plain rows */
    uint32_t slot[PHX_SEATS_MAX]; /* PHX_SLOT_NONE: no observer */
} phx_observer_batch;

void phx_recipients_free(phx_recipients *audience, phx_mem *mem);

/* ---- the owner ---- */

void phx_recipients_clear(phx_recipients *audience);
/* A message of the live entity in `slot`: to all near enough to see it, but for relations. false = no memory. */
bool phx_recipients_call(phx_recipients *audience, const phx_shard *shard, uint32_t slot, uint32_t message);
/* The same message to an own observer with a relation to the source, unless it is near enough anyway. */
bool phx_recipients_call_one(phx_recipients *audience, const phx_shard *shard, uint32_t slot, uint32_t message,
                             uint32_t observer);
/* A message with a range; slot: its source, own or ghost, or PHX_SLOT_NONE. */
bool phx_recipients_call_range(phx_recipients *audience, const phx_shard *shard, const phx_broadcast_range *range,
                               uint32_t slot, uint32_t message);
/* Puts the calls in order. false = no memory. */
bool phx_recipients_sort(phx_recipients *audience, const phx_shard *shard);

/* ---- any worker ---- */

uint32_t phx_recipients_blocks(const phx_shard *shard);
/* How many places the block has. */
uint32_t phx_recipients_places(const phx_shard *shard, uint32_t block);
/* Fills seats from its block, first and count (up to PHX_SEATS_MAX). */
void phx_recipients_seat(const phx_shard *shard, phx_observer_batch *seats);
/*
 * The seats whose observers have the call's source in the list, or, with a range, that it reaches; and the source's own
 * if `self` and it observes: their numbers go to out[], which has room for seats->count. Returns how many.
 */
uint32_t phx_recipients_filter(const phx_shard *shard, const phx_observer_batch *seats,
                               const phx_broadcast_target *call, const phx_broadcast_range *range, bool self,
                               uint32_t *out);

#endif

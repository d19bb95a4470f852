/*
 * The packets of a batch: its changes, deliveries and updates joined by observer. On the consumer's thread, on a batch
 * that it has taken, in any phase of the next tick.
 *
 * The join has no memory of its own. Deliveries and updates are records of the library with two spare words: `head`,
 * the first record of the bucket of this record's place (there are as many buckets as records), and `next`, the next
 * record of the same bucket. Both are places + 1, 0 = none; the top bit of `next` marks a record that is in a packet
 * already. So a walk costs O(records), with the secret hash key of the world.
 */
#ifndef PHX_WORLD_BATCH_PACKETS_H
#define PHX_WORLD_BATCH_PACKETS_H

#include "base/hash.h"
#include "world/batch/batch.h"

/* Links the batch's deliveries and updates anew, and sets *packets before the first packet. */
void phx_packets_begin(const ph_batch *batch, phx_hash_key key, ph_packets *packets);
/* false = there are no more. */
bool phx_packets_next(ph_packets *packets, ph_packet *packet);

#endif

/*
 * Halo copies and pins: each refresh sends every entity that another shard may need. In the exchange phase, by the
 * shard's owner.
 */
#ifndef PHX_SHARDS_EXCHANGE_HALO_H
#define PHX_SHARDS_EXCHANGE_HALO_H

#include "shards/state/shard.h"

/* Measures the halo that this shard needs from other shards. */
phx_halo_request phx_shard_measure(phx_shard *shard);

/*
 * Sends pins: asks for copies of targets that own observers have pairs or links with and that live elsewhere. *done as
 * in phx_shard_send_migrants().
 */
void phx_shard_send_pins(phx_shard *shard, const phx_directory *directory, bool *done);

/* Did an entity change in a way that its copies may have to show? Once the pins of this tick are there. */
bool phx_shard_copies_due(phx_shard *shard);

/* The next refresh begins at every shard, as copies may be lost, or out of date. */
void phx_shard_repeat_copies(phx_shard *shard);

/* The refresh ends where it stands, for want of memory. */
void phx_shard_stop_sending(phx_shard *shard);

/*
 * Sends a copy to every shard that may need it, if due. *done as in phx_shard_send_migrants(). false = no memory: call
 * again.
 */
bool phx_shard_send_copies(phx_shard *shard, const phx_halo_request *requests, uint32_t shard_count, bool *done);

#endif

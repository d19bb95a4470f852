/*
 * Halo copies and pins out: each entity that another shard may show is sent to it in every refresh. In the exchange
 * phase, by the shard's owner.
 */
#ifndef PHX_SHARDS_EXCHANGE_HALO_H
#define PHX_SHARDS_EXCHANGE_HALO_H

#include "shards/state/shard.h"

/* The needs of this shard in others. */
phx_halo_request phx_shard_measure(phx_shard *shard);

/*
 * Asks for copies of targets that own observers have relations to and that live
 * elsewhere; *done as above.
 */
void phx_shard_send_pins(phx_shard *shard, const phx_directory *directory, bool *done);

/* Has anything changed that a copy elsewhere may have to show? Once the pins of this tick are there. */
bool phx_shard_copies_due(phx_shard *shard);

/* A copy to every shard that may need it, if due; *done as above. false = no memory: call again. */
bool phx_shard_send_copies(phx_shard *shard, const phx_halo_request *zones, uint32_t shard_count, bool *done);

#endif

/*
 * Deferred updates: targets of an observer whose update waits for budget (updates_max), each with the tick since which
 * it waits. They travel with the observer. By the shard's owner: in the exchange and index phases, and in the publish
 * phase once all updates are emitted.
 */
#ifndef PHX_SHARDS_PUBLISH_DEFERRED_UPDATES_H
#define PHX_SHARDS_PUBLISH_DEFERRED_UPDATES_H

#include "base/directory.h"
#include "shards/publish/update_scratch.h"

struct phx_shard;

/* The number of words of an observer's deferred updates: two for each target. */
uint32_t phx_bands_deferred_words(const struct phx_shard *shard, uint32_t slot);
/* Writes up to PHX_RECORD_ITEMS deferred updates from word *at on. */
void phx_bands_fill_deferred(const struct phx_shard *shard, uint32_t slot, uint32_t *at, phx_record *record);
bool phx_bands_read_deferred(struct phx_shard *shard, uint32_t slot, const phx_record *record);

/* Resolves the targets of phx_immigrant_deferred_update from ids to slots. false = no memory: call again. */
bool phx_bands_resolve(struct phx_shard *shard, const phx_directory *directory);

/* By the owner. Stores the deferred updates of the observers in observers[]. false = no memory: call again. */
bool phx_bands_commit(struct phx_shard *shard, const phx_update_scratch *scratch, const phx_observer_updates *updates,
                      uint32_t count);

#endif

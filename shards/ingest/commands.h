/*
 * Commands on own entities other than moves: enter, leave, set, relate. Called by the shard's owner in the ingest
 * phase.
 */
#ifndef PHX_SHARDS_INGEST_COMMANDS_H
#define PHX_SHARDS_INGEST_COMMANDS_H

#include "shards/state/shard.h"

/* Adds a new own entity; its position is a parameter, not an attribute. PHX_SLOT_NONE = no memory, nothing changed. */
uint32_t phx_shard_enter(phx_shard *shard, uint64_t id, uint32_t incarnation, uint64_t user_data, const phx_attr *attr,
                         float x, float y, float z);

/* Room for `commands` more moves, each of which may be a set: they can not fail then. false = no memory. */
bool phx_shard_ready(phx_shard *shard, uint32_t commands);

/* Room for `sets` more sets of entities that are set before: as if all were undone. false = no memory. */
bool phx_shard_ready_again(phx_shard *shard, uint32_t sets);

/* Needs no memory. The caller silences the observer. */
void phx_shard_leave(phx_shard *shard, uint32_t slot);

/* Sets the attributes; the same ones are no change. */
void phx_shard_set(phx_shard *shard, uint32_t slot, const phx_attr *attr);

/*
 * So that relations of an own observer can end without memory: stores its list, if it is derived and relations can not
 * change beside it. Then the observer is evaluated in this tick. false = no memory, nothing changed.
 */
bool phx_shard_ready_to_relate(phx_shard *shard, uint32_t slot);

/*
 * Sets the observer's relation to item.target (in a world of one shard in item.slot); bits 0 ends it. false =
 * no memory, nothing visible changed; a relation ends without memory after phx_shard_ready_to_relate().
 */
bool phx_shard_relate(phx_shard *shard, uint32_t slot, phx_relation item);

/* The rules changed: every observer is evaluated. */
void phx_shard_rules_changed(phx_shard *shard);

/* The own observer's whole list is sent in this tick, as PH_CHANGE_FRESH; room as for a set. */
void phx_shard_resend(phx_shard *shard, uint32_t slot);

#endif

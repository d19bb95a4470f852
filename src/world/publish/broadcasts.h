/*
 * The broadcasts of a tick, from the commands to who hears them. Gathered in the ingest
 * phase by the ticking thread; once the lists of the tick stand, the shards bring them to
 * the towers around their sources (shards/publish/broadcast_audience.h), then all workers find who hears them, up
 * to 256 observers of one block at a time, and each one's messages in the order of the
 * tick's commands. fill_broadcasts.h makes mail of it.
 */
#ifndef PHX_WORLD_PUBLISH_BROADCASTS_H
#define PHX_WORLD_PUBLISH_BROADCASTS_H

#include "world/state/world.h"

/* false = no memory; to be freed in any case. */
bool phx_broadcasts_init(phx_world *world);
void phx_broadcasts_free(phx_world *world);

/* ---- ingest ---- */

void phx_broadcasts_clear(phx_broadcasts *broadcasts);
/* PH_OK, PH_UNKNOWN_ID, PH_TICK_FULL, PH_NO_MEMORY. */
ph_status phx_broadcasts_add(phx_world *world, const phx_cmd_broadcast *command);

/* ---- publish; false = no memory: call again ---- */

/* Where the sources are now. */
void phx_broadcasts_locate(phx_world *world);
/* One shard's calls. */
bool phx_step_target(phx_world *world, uint32_t shard);
/* Cuts the blocks that are called into pieces. */
bool phx_plan_pieces(phx_world *world);
/* Finds who hears what in the pieces that are undone. */
bool phx_run_pieces(phx_world *world);

/* Words of one consumer's part of an ear's used[]. */
static inline uint32_t phx_broadcasts_words(const phx_broadcasts *broadcasts)
{
    return (broadcasts->message_count + 63) / 64;
}

#endif

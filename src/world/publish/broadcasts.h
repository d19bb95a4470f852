/*
 * The broadcasts of a tick, from commands to recipients. Gathered in the ingest phase by the ticking thread. After the
 * interest phase the shards bring them to the towers around their sources (shards/publish/recipients.h). Then
 * all workers find the recipients, up to 256 observers of one block at a time, and each observer's messages in the
 * order of the tick's commands. fill_broadcasts.h fills the batches.
 */
#ifndef PHX_WORLD_PUBLISH_BROADCASTS_H
#define PHX_WORLD_PUBLISH_BROADCASTS_H

#include "world/state/world.h"

/* Makes the arrays. false = no memory; they have to be freed in any case. */
bool phx_broadcasts_init(phx_world *world);
void phx_broadcasts_free(phx_world *world);

/* ---- ingest ---- */

void phx_broadcasts_clear(phx_broadcasts *broadcasts, phx_mem *mem);
/* Adds a broadcast, the i-th command of a run. PH_OK, PH_UNKNOWN_ID, PH_TICK_FULL, PH_NO_MEMORY. */
ph_status phx_broadcasts_add(phx_world *world, const phx_producer_run *run, uint32_t i,
                             const phx_command_broadcast *command);

/* ---- publish; false = no memory: call again ---- */

/* Finds the homes of the sources. */
void phx_broadcasts_locate(phx_world *world);
/* Makes one shard's calls. */
bool phx_step_target(phx_world *world, uint32_t shard);
/* Cuts the called blocks into pieces. */
bool phx_plan_pieces(phx_world *world);
/* Finds the recipients in the undone pieces. */
bool phx_run_pieces(phx_world *world);

/* Words of one consumer's part of a scratch's used[]. */
static inline uint32_t phx_broadcasts_words(const phx_broadcasts *broadcasts)
{
    return (broadcasts->message_count + 63) / 64;
}

#endif

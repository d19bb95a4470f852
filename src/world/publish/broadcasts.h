/*
 * The broadcasts of a tick: messages and their sources, gathered in the ingest phase by the ticking thread.
 * address_broadcasts.h brings them to the blocks around their sources, find_recipients.h finds their recipients there,
 * fill_broadcasts.h fills the batches.
 */
#ifndef PHX_WORLD_PUBLISH_BROADCASTS_H
#define PHX_WORLD_PUBLISH_BROADCASTS_H

#include "world/state/world.h"

/* Makes the arrays. false = no memory; they have to be freed in any case. */
bool phx_broadcasts_init(phx_world *world);
void phx_broadcasts_free(phx_world *world);

/* The tick before is over: its broadcasts go, and memory that a storm of them left. */
void phx_broadcasts_clear(phx_world *world);
/* Adds a broadcast, the i-th command of a run. PH_OK, PH_UNKNOWN_ID, PH_TICK_FULL, PH_NO_MEMORY. */
ph_status phx_broadcasts_add(phx_world *world, const phx_producer_run *run, uint32_t i,
                             const phx_command_broadcast *command);

/* Words of one consumer's part of a scratch's used[]. */
static inline uint32_t phx_broadcasts_words(const phx_broadcasts *broadcasts)
{
    return (broadcasts->message_count + 63) / 64;
}

#endif

/*
 * An apply or a tick with the commands of a record: the slot behind all producers submits them, and for this once no
 * other producer's are taken. By the ticking thread, between ticks, in three steps around the tick, as the definition
 * is checked by the layer above.
 */
#ifndef PHX_WORLD_JOURNAL_REPLAY_H
#define PHX_WORLD_JOURNAL_REPLAY_H

#include "world/journal/record.h"
#include "world/journal/unpack.h"

/*
 * Checks the record and submits its commands; the tables of `def` get its definition, if it has one. Behind PH_OK comes
 * run or drop. PH_BAD_RECORD, PH_BUSY, PH_NO_MEMORY: nothing was changed.
 */
ph_status phx_replay_submit(phx_world *world, const void *record, size_t size, phx_image *def, phx_record_head *head,
                            phx_image_reason reason);
/* Forgets the submitted commands. */
void phx_replay_drop(phx_world *world);
/* Runs the apply or tick, and compares the counts. PH_OK, PH_BAD_RECORD, PH_NO_MEMORY, PH_BUSY (as dropped). */
ph_status phx_replay_run(phx_world *world, const phx_record_head *head, phx_image_reason reason);

#endif

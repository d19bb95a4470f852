/*
 * Restores stored lists, by the thread that loads: places become slots behind the exchange, once ghosts are here.
 * Behind the interest phase the events that it found are checked: of lists in the image there may be none.
 */
#ifndef PHX_WORLD_IMAGE_RESTORE_LISTS_H
#define PHX_WORLD_IMAGE_RESTORE_LISTS_H

#include "world/image/restore_parts.h"

/* Behind the exchange, before the index phase. */
ph_status phx_restore_lists(phx_restore *restore);
/* Behind the interest phase, before the commit. Adds the entries of lists to the shards' counts. */
ph_status phx_restore_check_changes(phx_restore *restore);
/* Behind the commit: observers with partial lists are the ones of the image. */
ph_status phx_restore_check_partial(phx_restore *restore);

/*
 * Before the targets of an observer are noted one by one: room for stamps of the shard's slots; `stamp` is new in each
 * list of the shard. false = no memory.
 */
bool phx_restore_stamps(phx_restore *restore, const phx_shard *shard);
/* Stamps a slot. false: it has the stamp already. */
static inline bool phx_restore_stamp(phx_restore *restore, uint32_t slot, uint32_t stamp)
{
    const bool first = restore->stamps[slot] != stamp;
    restore->stamps[slot] = stamp;
    return first;
}

#endif

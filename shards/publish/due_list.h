/*
 * Finds the due targets of one observer's list: where it is derived among the rows in view, the targets of relations,
 * the far ones and the annulus, else in the stored list. Called by band_updates.c.
 *
 * Publish phase, by any worker.
 */
#ifndef PHX_SHARDS_PUBLISH_DUE_LIST_H
#define PHX_SHARDS_PUBLISH_DUE_LIST_H

#include "shards/publish/due_targets.h"

/* Adds the due targets of the observer's list. at->failed = no memory. */
void phx_due_list_add(phx_update_emission *at);

#endif

/*
 * Lists of immigrants: observers that migrated in, with their lists of the last tick's end as the senders know them.
 * The targets are ids, stored beside the blocks of records. Noted in the exchange phase, resolved in the index phase
 * (exchange/list_handover.h), by the shard's owner.
 */
#ifndef PHX_SHARDS_STATE_IMMIGRANT_LISTS_H
#define PHX_SHARDS_STATE_IMMIGRANT_LISTS_H

#include "base/mem.h"
#include "shards/state/records.h"

typedef struct phx_immigrant_list {
    uint32_t observer;           /* slot */
    uint32_t count;              /* of its list */
    const phx_list_record *list; /* the sender's, until the tick ends; NULL = empty */
} phx_immigrant_list;

/*
 * A target of one list, and the number of the target before it in the same bucket; that number may be of an older list.
 */
typedef struct phx_migrant_target {
    uint32_t incarnation, before;
} phx_migrant_target;

typedef struct phx_immigrant_lists {
    phx_immigrant_list *at;
    uint32_t count, capacity;
    /* scratch: the targets of one list, in order; the last target of each bucket, by hash of the incarnation */
    phx_migrant_target *noted;
    uint32_t *places;
    uint32_t noted_capacity, places_capacity, shift;
} phx_immigrant_lists;

void phx_immigrant_lists_free(phx_immigrant_lists *immigrant_lists, phx_mem *mem);

/* Room for one more list. false = no memory, nothing changed. */
bool phx_immigrant_lists_ready(phx_immigrant_lists *immigrant_lists, phx_mem *mem);

/* Adds a list; room was reserved. A discontinuous observer is evaluated in any case. */
void phx_immigrant_lists_add(phx_immigrant_lists *immigrant_lists, phx_immigrant_list immigrant_list);

#endif

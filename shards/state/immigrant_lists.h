/*
 * Observers that migrated in, and the lists that they had at the last tick's end, as their senders know them: targets
 * by id, beside the blocks of records. Noted in the exchange phase, resolved in the index phase
 * (exchange/list_handover.h); the shard's owner's.
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

/* One of a list, and who has the same place, but perhaps in another list. */
typedef struct phx_migrant_target {
    uint32_t incarnation, before;
} phx_migrant_target;

typedef struct phx_immigrant_lists {
    phx_immigrant_list *at;
    uint32_t count, capacity;
    /* scratch: one list, in its order; and of each place, by hashes of incarnations, who of it came last */
    phx_migrant_target *noted;
    uint32_t *places;
    uint32_t noted_capacity, places_capacity, shift;
} phx_immigrant_lists;

void phx_immigrant_lists_free(phx_immigrant_lists *arrivals, phx_mem *mem);

/* Room for one more. false = no memory, nothing changed. */
bool phx_immigrant_lists_ready(phx_immigrant_lists *arrivals, phx_mem *mem);

/* There is room. An observer that is odd takes the long way in any case. */
void phx_immigrant_lists_add(phx_immigrant_lists *arrivals, phx_immigrant_list arrival);

#endif

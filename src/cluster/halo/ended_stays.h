/*
 * Stays that have ended: entities that left, here or as a peer told. A node that has handed one over may write of it
 * for some ticks more, and its words of before may be late: neither must bring it back. Of an id that enters again and
 * leaves again, maybe on other nodes, each stay is known: the words of their nodes come in any order. A part of the
 * halo, on its thread.
 */
#ifndef PHX_CLUSTER_HALO_ENDED_STAYS_H
#define PHX_CLUSTER_HALO_ENDED_STAYS_H

#include "base/idmap.h"

typedef struct phx_ended_stay {
    uint64_t id, since, tick; /* own ones, in which it was told first, and last */
    uint32_t stay;
} phx_ended_stay;

typedef struct phx_ended_stays {
    phx_ended_stay *items; /* in no order */
    uint32_t count, capacity;
    uint32_t next;    /* the item that is looked at next, whether it is old */
    phx_idmap places; /* by a hash of id and stay; of two with one hash the later one is known */
    phx_mem *mem;
} phx_ended_stays;

void phx_ended_stays_init(phx_ended_stays *stays, phx_mem *mem);
void phx_ended_stays_free(phx_ended_stays *stays);
/* false: no memory, unchanged. */
bool phx_ended_stays_note(phx_ended_stays *stays, uint64_t id, uint32_t stay, uint64_t now);
/* NULL: it has not, or is forgotten. Good until the next call. */
const phx_ended_stay *phx_ended_stays_find(const phx_ended_stays *stays, uint64_t id, uint32_t stay);
/* Forgets ones that were told more than `ticks` own ticks ago. Looks at an eighth of them in each tick. */
void phx_ended_stays_forget(phx_ended_stays *stays, uint64_t now, uint32_t ticks);

#endif

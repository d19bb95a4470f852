/*
 * The reverse of pairs, links, hides and reveals: the observers with a relation to each target, so that all these
 * relations end when the target leaves. One table for the world, by id. Written in the ingest phase by the ticking
 * thread; read by readers between ticks.
 */
#ifndef PHX_WORLD_TABLE_RELATION_INDEX_H
#define PHX_WORLD_TABLE_RELATION_INDEX_H

#include "base/idmap.h"

typedef struct phx_tie {
    uint64_t *observers;
    uint32_t count, capacity;
    uint32_t next_free;
} phx_tie;

typedef struct phx_ties {
    phx_idmap index; /* target -> place in ties */
    phx_tie *ties;
    uint32_t tie_count, ties_capacity, free_first;
    uint64_t relations; /* number of relations, over all targets */
    phx_mem *mem;
} phx_ties;

void phx_ties_init(phx_ties *ties, phx_mem *mem);
void phx_ties_free(phx_ties *ties);
/* The observers with a relation to the target, or NULL. Valid until the next change. */
const phx_tie *phx_ties_of(const phx_ties *ties, uint64_t target);
/* Adds a relation that is not there. false = no memory, unchanged. */
bool phx_ties_add(phx_ties *ties, uint64_t target, uint64_t observer);
/* Removes a relation that is there. */
void phx_ties_remove(phx_ties *ties, uint64_t target, uint64_t observer);

#endif

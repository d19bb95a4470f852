/*
 * Attachments: child -> parent, and each parent's children in the order of attaching. By id, one table for the world,
 * so a chain may cross shards. Written in the ingest phase by the ticking thread; read by readers between ticks.
 */
#ifndef PHX_WORLD_TABLE_ATTACHMENTS_H
#define PHX_WORLD_TABLE_ATTACHMENTS_H

#include "base/idmap.h"

typedef struct phx_attach_links {
    uint64_t parent;
    uint64_t *children; /* none: the family is free */
    uint32_t count, capacity;
    uint32_t next_free;
} phx_attach_links;

typedef struct phx_attach {
    phx_idmap parent_of; /* child -> parent */
    phx_idmap family_of; /* parent -> place in families */
    phx_attach_links *families;
    uint32_t family_count, families_capacity, free_first;
    phx_mem *mem;
} phx_attach;

void phx_attach_init(phx_attach *attach, phx_mem *mem);
void phx_attach_free(phx_attach *attach);

/* The child's parent, or 0. */
uint64_t phx_attach_parent(const phx_attach *attach, uint64_t child);
/* The root of the chain: id itself if it is not attached. */
uint64_t phx_attach_root(const phx_attach *attach, uint64_t id);
/* The parent's children, or NULL. Valid until the next change. */
const phx_attach_links *phx_attach_children(const phx_attach *attach, uint64_t parent);

/* May the child be attached to the parent? PH_OK, PH_CYCLE, PH_TOO_DEEP. */
ph_status phx_attach_check(const phx_attach *attach, uint64_t child, uint64_t parent);
/* Attaches an unattached child to a parent; checked. false = no memory, unchanged. */
bool phx_attach_put(phx_attach *attach, uint64_t child, uint64_t parent);
/* Detaches an attached child. */
void phx_attach_remove(phx_attach *attach, uint64_t child);

#endif

/*
 * Types of ph_apply() (ingest/apply.h): the state of an apply that runs, or that stopped for want of memory. Written in
 * the ingest phase, by the ticking thread.
 */
#ifndef PHX_WORLD_STATE_APPLY_TYPES_H
#define PHX_WORLD_STATE_APPLY_TYPES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct phx_apply_state {
    bool running; /* from the begin of an apply to its end, also while it waits for memory */
    bool wide;    /* so many entities changed that shards search their slots for them */
    /* ids of entities that moved to a root, or got another root, in this apply */
    uint64_t *followers;
    uint32_t follower_count, followers_capacity;
} phx_apply_state;

#endif

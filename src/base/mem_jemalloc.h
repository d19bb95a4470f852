/*
 * jemalloc as a ph_allocator, when it is built in; see mem_jemalloc.c. Any worker may call, in any phase.
 */
#ifndef PHX_BASE_MEM_JEMALLOC_H
#define PHX_BASE_MEM_JEMALLOC_H

#include "base/core.h"

/* A zero one when jemalloc is not built in. */
ph_allocator phx_allocator_jemalloc(void);

/* Gives released memory back to the system, so that resident memory is held memory; for measuring. */
void phx_jemalloc_purge(void);

#endif

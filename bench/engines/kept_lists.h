/*
 * Whole lists as a host keeps them from events, if it needs them at hand. Used by an engine of the library, in the
 * tick.
 */
#ifndef PHX_BENCH_KEPT_LISTS_H
#define PHX_BENCH_KEPT_LISTS_H

#include <pharos/pharos.h>

#include "base/idmap.h"
#include "bench/base/engine.h"

/* The targets in view of one observer, in no order: ids of the bench have 32 bits, as a host's own numbers. */
typedef struct bench_kept_list {
    uint32_t *ids; /* behind the last one zeros */
    uint32_t count;
    uint32_t capacity;
} bench_kept_list;

/* Writes the places of ids in a list, each plus 1. */
typedef void (*bench_search_fn)(const bench_kept_list *list, const ph_target *targets, uint32_t count, uint32_t *at);

typedef struct bench_kept_lists {
    phx_mem *mem;
    bench_search_fn search; /* for this machine */
    phx_idmap places;       /* an observer's place in lists[]; a list stays when its observer goes */
    bench_kept_list *lists;
    uint32_t count;
    uint32_t capacity;
    uint32_t *at; /* places of one change's leaves */
    uint32_t at_capacity;
    uint64_t entries; /* of all lists */
} bench_kept_lists;

void bench_kept_lists_init(bench_kept_lists *kept, phx_mem *mem);
void bench_kept_lists_free(bench_kept_lists *kept);

/* Applies all changes of a batch. false = a target leaves that its observer does not have in view. */
bool bench_kept_lists_apply(bench_kept_lists *kept, const ph_batch *batch, bench_error *error);
/* An entity has left the world: its list ends without events. */
void bench_kept_lists_end(bench_kept_lists *kept, uint64_t observer);

#endif

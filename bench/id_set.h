/*
 * A set of ids in a sorted array: an interest list as the check on the side keeps it.
 * Owned by bench/verify.c. All zero = empty.
 */
#ifndef PHX_BENCH_ID_SET_H
#define PHX_BENCH_ID_SET_H

#include "base/mem.h"

typedef struct bench_id_set {
    uint64_t *ids; /* rising */
    uint32_t count;
    uint32_t room;
} bench_id_set;

bool bench_id_set_has(const bench_id_set *set, uint64_t id);
/* false = it was there. */
bool bench_id_set_add(phx_mem *mem, bench_id_set *set, uint64_t id);
/* false = it was not there. */
bool bench_id_set_remove(bench_id_set *set, uint64_t id);
void bench_id_set_copy(phx_mem *mem, bench_id_set *to, const bench_id_set *from);
void bench_id_set_free(phx_mem *mem, bench_id_set *set);

#endif

/*
 * Sets of ids as sorted arrays; see id_set.h.
 */
#include "bench/id_set.h"

#include <string.h>

#include "bench/base/memory.h"

static uint32_t place_of(const bench_id_set *set, uint64_t id)
{
    uint32_t low = 0, high = set->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set->ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool bench_id_set_has(const bench_id_set *set, uint64_t id)
{
    uint32_t place = place_of(set, id);
    return place < set->count && set->ids[place] == id;
}

bool bench_id_set_add(phx_mem *mem, bench_id_set *set, uint64_t id)
{
    uint32_t place = place_of(set, id);
    if (place < set->count && set->ids[place] == id) {
        return false;
    }
    bench_grow(mem, (void **)&set->ids, &set->room, set->count, (size_t)set->count + 1, sizeof *set->ids);
    memmove(&set->ids[place + 1], &set->ids[place], (set->count - place) * sizeof *set->ids);
    set->ids[place] = id;
    set->count++;
    PHX_ASSERT(place == 0 || set->ids[place - 1] < id);
    PHX_ASSERT(place + 1 == set->count || set->ids[place + 1] > id);
    return true;
}

bool bench_id_set_remove(bench_id_set *set, uint64_t id)
{
    uint32_t place = place_of(set, id);
    if (place == set->count || set->ids[place] != id) {
        return false;
    }
    set->count--;
    memmove(&set->ids[place], &set->ids[place + 1], (set->count - place) * sizeof *set->ids);
    return true;
}

void bench_id_set_copy(phx_mem *mem, bench_id_set *to, const bench_id_set *from)
{
    PHX_ASSERT(to != from);
    if (from->count > 0) {
        bench_grow(mem, (void **)&to->ids, &to->room, 0, from->count, sizeof *to->ids);
        memcpy(to->ids, from->ids, from->count * sizeof *to->ids);
    }
    to->count = from->count;
}

void bench_id_set_free(phx_mem *mem, bench_id_set *set)
{
    phx_release(mem, (void **)&set->ids, &set->room, sizeof *set->ids);
    set->count = 0;
}

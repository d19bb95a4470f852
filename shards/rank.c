/*
 * A bounded heap for the cap, a merge sort for events; see rank.h. Neither allocates, and
 * neither has a bad case: n log K and n log n.
 */
#include "shards/rank.h"

#include <string.h>

/* a is dropped before b. */
static bool worse(const phx_ranked *a, const phx_ranked *b)
{
    if (a->first != b->first) return a->first < b->first;
    if (a->key != b->key) return a->key > b->key;
    return a->id > b->id;
}

/* Restores "no child is worse than its parent" below i: the worst is at the root. */
static void sift(phx_ranked *heap, uint32_t count, uint32_t i)
{
    phx_ranked item = heap[i];
    for (uint32_t child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && worse(&heap[child + 1], &heap[child])) child++;
        if (!worse(&heap[child], &item)) break;
        heap[i] = heap[child];
    }
    heap[i] = item;
}

void phx_rank_best(phx_ranked *ranked, uint32_t count, uint32_t keep)
{
    PHX_ASSERT(keep > 0 && keep < count);
    for (uint32_t i = keep / 2; i-- > 0;) sift(ranked, keep, i);
    for (uint32_t i = keep; i < count; i++) {
        if (!worse(&ranked[0], &ranked[i])) continue;
        phx_ranked out = ranked[0];
        ranked[0] = ranked[i];
        ranked[i] = out;
        sift(ranked, keep, 0);
    }
}

static bool before(const phx_sorted *a, const phx_sorted *b)
{
    return a->kind != b->kind ? a->kind < b->kind : a->id < b->id;
}

static void insertion_sort(phx_sorted *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        phx_sorted item = items[i];
        uint32_t j = i;
        for (; j > 0 && before(&item, &items[j - 1]); j--) items[j] = items[j - 1];
        items[j] = item;
    }
}

void phx_sort_targets(phx_sorted *items, phx_sorted *spare, uint32_t count)
{
    enum { RUN = 16 }; /* insertion sort is the faster one up to about here */
    for (uint32_t lo = 0; lo < count; lo += RUN) insertion_sort(items + lo, count - lo < RUN ? count - lo : RUN);
    for (uint32_t width = RUN; width < count; width *= 2) {
        for (uint32_t lo = 0; lo + width < count; lo += 2 * width) {
            uint32_t hi = count - lo > 2 * width ? lo + 2 * width : count;
            uint32_t a = 0, b = lo + width, n = lo;
            memcpy(spare, items + lo, width * sizeof *items);
            while (a < width) items[n++] = b < hi && before(&items[b], &spare[a]) ? items[b++] : spare[a++];
        }
    }
}

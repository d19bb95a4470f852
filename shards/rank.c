/*
 * A bounded heap for the cap; see rank.h. It does not allocate and has no bad case: n log K.
 */
#include "shards/rank.h"

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

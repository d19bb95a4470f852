/*
 * Top-k by a bounded heap, and limits of keys; see top_k.h. Nothing allocates, and nothing has a bad case: n log k.
 */
#include "shards/simd/top_k.h"

#include "shards/entity/heap.h"

/* Is a dropped before b? */
static bool ranked_worse(const phx_ranked *a, const phx_ranked *b)
{
    if (a->first != b->first) return a->first < b->first;
    if (a->key != b->key) return a->key > b->key;
    return a->id > b->id;
}

/*
 * Is a nearer to the root than b? The worst kept candidate is at the root of the kept ones, the best dropped one at the
 * root of the dropped ones.
 */
static bool nearer_root(const phx_ranked *a, const phx_ranked *b, bool dropped)
{
    return dropped ? ranked_worse(b, a) : ranked_worse(a, b);
}

/* Restores the heap below i. */
static void sift_ranked(phx_ranked *heap, uint32_t count, uint32_t i, bool dropped)
{
#define ABOVE(a, b) nearer_root(a, b, dropped)
    PHX_HEAP_SIFT(phx_ranked, heap, count, i, ABOVE);
#undef ABOVE
}

/* The smaller part becomes a heap, and the other candidates pass its root. */
void phx_rank_best(phx_ranked *ranked, uint32_t count, uint32_t keep)
{
    PHX_ASSERT(keep > 0 && keep < count);
    bool dropped = count - keep < keep;
    phx_ranked *heap = dropped ? ranked + keep : ranked, *others = dropped ? ranked : ranked + keep;
    uint32_t size = dropped ? count - keep : keep;
    for (uint32_t i = size / 2; i-- > 0;) sift_ranked(heap, size, i, dropped);
    for (uint32_t i = 0; i < count - size; i++) {
        if (!nearer_root(&heap[0], &others[i], dropped)) continue;
        phx_ranked out = heap[0];
        heap[0] = others[i];
        others[i] = out;
        sift_ranked(heap, size, 0, dropped);
    }
}

bool phx_rank_split(const phx_kernels *kernels, const double *keys, uint32_t count, uint32_t sure, uint32_t keep,
                    double most, double *limit)
{
    /* guesses suppose an even spread; if they fail, halving does not: so many are finer than squares of floats */
    enum { GUESSES = 12, STEPS = 40 };
    double low = 0.0, high = most;
    uint32_t low_count = sure, high_count = count;
    PHX_ASSERT(sure < keep && keep < count);
    for (uint32_t step = 0; step < STEPS; step++) {
        double share = ((double)keep - low_count + 0.5) / (double)(high_count - low_count + 1);
        double at = low + (high - low) * (step < GUESSES ? share : 0.5);
        if (!(at > low && at < high)) return false;
        uint32_t within = kernels->count_within(keys, count, at);
        *limit = at;
        if (within == keep) return true;
        if (within > keep) {
            high = at;
            high_count = within;
        } else {
            low = at;
            low_count = within;
        }
    }
    return false;
}

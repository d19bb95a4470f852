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

/*
 * A search between two limits. Guesses suppose an even spread of the keys between them. Where only one of the limits
 * moves, the other one's distance in keys counts half as much: so both move soon, wherever the keys are.
 */
typedef struct limit_search {
    double low, high;
    uint32_t low_within, high_within; /* so many keys do not exceed them */
    uint32_t idle;                    /* steps in a row that left as many keys between the limits as before */
    double below, above;              /* by so many keys there are too few at the one limit, too many at the other */
    double *resting;                  /* of these, that of the limit that did not move last; NULL = none moved */
} limit_search;

static const double HALF_KEY = 0.5; /* a limit lies in the middle between two keys */

/* Moves a limit to `at`, with so many keys within. */
static void narrow_search(limit_search *search, double at, uint32_t within, uint32_t keep)
{
    double *resting = within < keep ? &search->above : &search->below;
    const bool alike = within == (within < keep ? search->low_within : search->high_within);
    search->idle = alike ? search->idle + 1 : 0;
    if (within < keep) {
        search->low = at;
        search->low_within = within;
        search->below = (double)keep - within + HALF_KEY;
    } else {
        search->high = at;
        search->high_within = within;
        search->above = (double)within - keep + HALF_KEY;
    }
    if (search->resting == resting) *resting *= 0.5;
    search->resting = resting;
}

/* The place of the next limit, between the two. */
static double next_limit(const limit_search *search, uint32_t step, double guess)
{
    enum { GUESSES = 12 }; /* if they fail, halving does not */
    const double share = step < GUESSES ? search->below / (search->below + search->above) : 0.5;
    if (guess > search->low && guess < search->high) return guess;
    return search->low + (search->high - search->low) * share;
}

phx_split phx_rank_split(const phx_kernels *kernels, const double *keys, uint32_t count, phx_split_bounds of)
{
    /* Idle steps are a sign of equal keys, which are cheaper to rank. So many steps are finer than squares of floats.
     */
    enum { IDLE = 6, STEPS = 40 };
    limit_search search = {.high = of.most,
                           .low_within = of.sure,
                           .high_within = count,
                           .below = of.keep - of.sure + HALF_KEY,
                           .above = count - of.keep + HALF_KEY};
    phx_split split = {.limit = of.most};
    double guess = of.guess;
    PHX_ASSERT(of.sure < of.keep && of.keep < count);
    for (uint32_t step = 0; step < STEPS && search.idle < IDLE && !split.found; step++) {
        const double at = next_limit(&search, step, guess);
        if (!(at > search.low && at < search.high)) break;
        const uint32_t within = kernels->count_within(keys, count, at);
        split.limit = at;
        split.found = within == of.keep;
        narrow_search(&search, at, within, of.keep);
        guess = 0.0;
        /* a guess was near: the keys beyond it tell how close they are to each other there */
        if (step == 0 && of.guess > 0.0 && within < count)
            guess = at + ((double)of.keep + HALF_KEY - within) * (of.most - at) / (double)(count - within);
    }
    split.low = search.low > 0.0 ? search.low : PHX_KEY_SURE;
    split.high = search.high < of.most ? search.high : INFINITY;
    split.within = search.low_within;
    return split;
}

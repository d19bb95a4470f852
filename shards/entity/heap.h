/*
 * The heap of all code that keeps the first records of an order: caps, budgets, queries. A macro, as each user has its
 * own records and order, and the comparison must be inlined into the loop.
 */
#ifndef PHX_SHARDS_ENTITY_HEAP_H
#define PHX_SHARDS_ENTITY_HEAP_H

/* Restores a heap of `count` records below `from`; above(a, b): the record at a belongs nearer to the root than b's. */
#define PHX_HEAP_SIFT(type, heap, count, from, above) \
    do { \
        type *const sift_heap = (heap); \
        const uint32_t sift_count = (count); \
        uint32_t sift_at = (from); \
        type sift_item = sift_heap[sift_at]; \
        for (uint32_t child; (child = 2 * sift_at + 1) < sift_count; sift_at = child) { \
            if (child + 1 < sift_count && above(&sift_heap[child + 1], &sift_heap[child])) child++; \
            if (!above(&sift_heap[child], &sift_item)) break; \
            sift_heap[sift_at] = sift_heap[child]; \
        } \
        sift_heap[sift_at] = sift_item; \
    } while (0)

#endif

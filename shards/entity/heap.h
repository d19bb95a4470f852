/*
 * The heap of all code that keeps the first records of an order: caps, budgets, queries. A macro, as each user has its
 * own records and order, and the comparison must be inlined into the loop. Its functions are pure, and called in any
 * phase.
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

/* Sorts `count` records in place, without memory; behind(a, b): the record at a comes behind b's. n log n at worst. */
#define PHX_HEAP_SORT(type, items, count, behind) \
    do { \
        type *const sort_items = (items); \
        uint32_t sort_left = (count); \
        for (uint32_t i = sort_left / 2; i-- > 0;) PHX_HEAP_SIFT(type, sort_items, sort_left, i, behind); \
        while (sort_left > 1) { \
            const type sort_last = sort_items[0]; \
            sort_items[0] = sort_items[--sort_left]; \
            sort_items[sort_left] = sort_last; \
            PHX_HEAP_SIFT(type, sort_items, sort_left, 0, behind); \
        } \
    } while (0)

#endif

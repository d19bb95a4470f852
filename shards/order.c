/*
 * A merge sort for events; see order.h. It has no bad case, and does not allocate. What is in order already, as the
 * towers of the nine-grid are, is merged as it is.
 */
#include "shards/order.h"

#include <string.h>

static inline bool before(const phx_sorted *a, const phx_sorted *b)
{
    return phx_order_before(a->kind, a->id, b->kind, b->id);
}

/* The first `sorted` are in order. */
static void insertion_sort(phx_sorted *items, uint32_t sorted, uint32_t count)
{
    for (uint32_t i = sorted; i < count; i++) {
        phx_sorted item = items[i];
        uint32_t j = i;
        for (; j > 0 && before(&item, &items[j - 1]); j--) items[j] = items[j - 1];
        items[j] = item;
    }
}

/* The length of what is in order at the beginning; of a short one, when it was made longer. */
static uint32_t next_run(phx_sorted *items, uint32_t count)
{
    enum { SHORT = 16 }; /* insertion sort is the faster one up to about here */
    uint32_t n = 1, most = count < SHORT ? count : SHORT;
    while (n < count && !before(&items[n], &items[n - 1])) n++;
    if (n >= most) return n;
    insertion_sort(items, n, most);
    return most;
}

/* The second one, or the first; by a mask, where compilers would rather branch. */
static inline const phx_sorted *either(const phx_sorted *a, const phx_sorted *b, size_t second)
{
    return (const phx_sorted *)((uintptr_t)a ^ (((uintptr_t)a ^ (uintptr_t)b) & -(uintptr_t)second));
}

/*
 * Two runs become one. Nothing branches on a comparison: that would be guessed wrong every other time. As many as
 * the shorter one has come from both ends at once, which do not wait for each other; neither can run out meanwhile.
 */
static void merge(const phx_sorted *a, uint32_t a_count, const phx_sorted *b, uint32_t b_count, phx_sorted *out)
{
    const phx_sorted *a_end = a + a_count, *b_end = b + b_count;
    phx_sorted *out_end = out + a_count + b_count;
    while (a < a_end && b < b_end) {
        size_t steps = (size_t)(a_end - a < b_end - b ? a_end - a : b_end - b);
        for (; steps > 0; steps--) {
            size_t second = before(b, a), last = !before(b_end - 1, a_end - 1);
            *out++ = *either(a, b, second);
            *--out_end = *either(a_end - 1, b_end - 1, last);
            a += 1 - second;
            b += second;
            a_end -= 1 - last;
            b_end -= last;
        }
    }
    memcpy(out, a, (size_t)(a_end - a) * sizeof *out);
    memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof *out);
}

/* Two runs side by side. */
static void merge_at(phx_sorted *items, phx_sorted *spare, uint32_t a_count, uint32_t b_count)
{
    memcpy(spare, items, (a_count + b_count) * sizeof *items);
    merge(spare, a_count, spare + a_count, b_count, items);
}

void phx_order_many(phx_sorted *items, phx_sorted *spare, uint32_t count)
{
    enum { DEPTH = 34 }; /* each waiting run is more than twice as long as the next, but for the last two */
    uint32_t length[DEPTH], waiting = 0, end = 0;
    while (end < count || waiting > 1) {
        if (waiting > 1 && (end == count || length[waiting - 2] < 2 * (uint64_t)length[waiting - 1])) {
            uint32_t last = length[--waiting], *before = &length[waiting - 1];
            merge_at(items + end - last - *before, spare, *before, last);
            *before += last;
            continue;
        }
        PHX_ASSERT(waiting < DEPTH);
        length[waiting] = next_run(items + end, count - end);
        end += length[waiting++];
    }
}

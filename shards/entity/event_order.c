/*
 * Merge sort for events; see event_order.h. It has no bad case, and does not allocate. Runs that are in order already,
 * as of the nine-grid's towers, are merged as they are. One code for words and for wider records: sizes and comparisons
 * are constants where it is inlined.
 */
#include "shards/entity/event_order.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* Kind of the records. */
typedef struct form {
    size_t bytes;
    bool (*before)(const void *a, const void *b);
    /*
     * Merges two runs. No branch depends on a comparison: it would be mispredicted every other time. Both ends are
     * merged at once, as many records as the shorter run has: the two do not wait for each other, and neither run can
     * end meanwhile.
     */
    phx_merge merge;
} form;

/* Inserts records; the first `sorted` are in order. */
INLINE void insertion_sort(form of, char *items, uint32_t sorted, uint32_t count)
{
    phx_sort_record room; /* for the larger form */
    char *item = (char *)&room;
    for (uint32_t i = sorted; i < count; i++) {
        memcpy(item, items + i * of.bytes, of.bytes);
        char *at = items + i * of.bytes;
        for (; at > items && of.before(item, at - of.bytes); at -= of.bytes) memcpy(at, at - of.bytes, of.bytes);
        memcpy(at, item, of.bytes);
    }
}

/* The length of the ordered run at the beginning; a short one is made longer first. */
INLINE uint32_t next_run(form of, char *items, uint32_t count)
{
    enum { SHORT = 16 }; /* insertion sort is the faster one up to about here */
    uint32_t n = 1, most = count < SHORT ? count : SHORT;
    while (n < count && !of.before(items + n * of.bytes, items + (n - 1) * of.bytes)) n++;
    if (n >= most) return n;
    insertion_sort(of, items, n, most);
    return most;
}

/* Merges two runs side by side. */
INLINE void merge_at(form of, char *items, char *spare, uint32_t a_count, uint32_t b_count)
{
    memcpy(spare, items, (a_count + b_count) * of.bytes);
    of.merge(spare, a_count, spare + a_count * of.bytes, b_count, items);
}

INLINE void sort_records(form of, char *items, char *spare, uint32_t count)
{
    enum { DEPTH = 34 }; /* each run on the stack is more than twice as long as the next, but for the last two */
    uint32_t length[DEPTH], waiting = 0, end = 0;
    while (end < count || waiting > 1) {
        if (waiting > 1 && (end == count || length[waiting - 2] < 2 * (uint64_t)length[waiting - 1])) {
            uint32_t last = length[--waiting], *before = &length[waiting - 1];
            merge_at(of, items + (end - last - *before) * of.bytes, spare, *before, last);
            *before += last;
            continue;
        }
        PHX_ASSERT(waiting < DEPTH);
        length[waiting] = next_run(of, items + end * of.bytes, count - end);
        end += length[waiting++];
    }
}

INLINE size_t steps_of(ptrdiff_t a_left, ptrdiff_t b_left)
{
    return (size_t)(a_left < b_left ? a_left : b_left);
}

/* ---- words ---- */

INLINE bool word_before(const void *a, const void *b)
{
    return *(const uint64_t *)a < *(const uint64_t *)b;
}

void phx_merge_words(const void *first, uint32_t a_count, const void *second, uint32_t b_count, void *to)
{
    const uint64_t *a = first, *b = second, *a_end = a + a_count, *b_end = b + b_count;
    uint64_t *out = to, *out_end = out + a_count + b_count;
    while (a < a_end && b < b_end) {
        for (size_t steps = steps_of(a_end - a, b_end - b); steps > 0; steps--) {
            uint64_t x = *a, y = *b, u = a_end[-1], v = b_end[-1];
            size_t from_b = y < x, last_a = v < u;
            *out++ = from_b ? y : x;
            *--out_end = last_a ? u : v;
            a += 1 - from_b;
            b += from_b;
            a_end -= last_a;
            b_end -= 1 - last_a;
        }
    }
    memcpy(out, a, (size_t)(a_end - a) * sizeof *out);
    memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof *out);
}

void phx_order_words(uint64_t *items, uint64_t *spare, uint32_t count, phx_merge merge)
{
    sort_records((form){sizeof *items, word_before, merge}, (char *)items, (char *)spare, count);
}

/* ---- wider records ---- */

INLINE bool sorted_before(const void *a, const void *b)
{
    const phx_sort_record *one = a, *other = b;
    return phx_order_before(one->kind, one->id, other->kind, other->id);
}

/* The second record, or the first; by a mask, as compilers would branch. */
INLINE const phx_sort_record *select_record(const phx_sort_record *a, const phx_sort_record *b, size_t second)
{
    return (const phx_sort_record *)((uintptr_t)a ^ (((uintptr_t)a ^ (uintptr_t)b) & -(uintptr_t)second));
}

INLINE void merge_sorted(const void *first, uint32_t a_count, const void *second, uint32_t b_count, void *to)
{
    const phx_sort_record *a = first, *b = second, *a_end = a + a_count, *b_end = b + b_count;
    phx_sort_record *out = to, *out_end = out + a_count + b_count;
    while (a < a_end && b < b_end) {
        for (size_t steps = steps_of(a_end - a, b_end - b); steps > 0; steps--) {
            size_t from_b = sorted_before(b, a), last_b = !sorted_before(b_end - 1, a_end - 1);
            *out++ = *select_record(a, b, from_b);
            *--out_end = *select_record(a_end - 1, b_end - 1, last_b);
            a += 1 - from_b;
            b += from_b;
            a_end -= 1 - last_b;
            b_end -= last_b;
        }
    }
    memcpy(out, a, (size_t)(a_end - a) * sizeof *out);
    memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof *out);
}

void phx_order_many(phx_sort_record *items, phx_sort_record *spare, uint32_t count)
{
    sort_records((form){sizeof *items, sorted_before, merge_sorted}, (char *)items, (char *)spare, count);
}

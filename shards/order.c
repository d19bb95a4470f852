/*
 * A merge sort for events; see order.h. It has no bad case, and does not allocate. Few long
 * runs, as the towers of the nine-grid give them, are merged as they are.
 */
#include "shards/order.h"

#include <string.h>

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

enum { RUNS_MAX = 32 };

/* Where the runs begin that are in order as they are, and the end behind them. Returns how many; 0: too many. */
static uint32_t find_runs(const phx_sorted *items, uint32_t count, uint32_t start[RUNS_MAX + 1])
{
    uint32_t runs = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && !before(&items[i], &items[i - 1])) continue;
        if (runs == RUNS_MAX) return 0;
        start[runs++] = i;
    }
    start[runs] = count;
    return runs;
}

/* Two runs become one. Which comes next is taken by a mask: a branch would be guessed wrong every other time. */
static void merge(const phx_sorted *a, const phx_sorted *a_end, const phx_sorted *b, const phx_sorted *b_end,
                  phx_sorted *out)
{
    while ((a < a_end) & (b < b_end)) {
        bool same = a->kind == b->kind;
        bool second = (b->kind < a->kind) | (same & (b->id < a->id));
        uintptr_t from = (uintptr_t)a ^ (((uintptr_t)a ^ (uintptr_t)b) & -(uintptr_t)second);
        *out++ = *(const phx_sorted *)from;
        a += !second;
        b += second;
    }
    memcpy(out, a, (size_t)(a_end - a) * sizeof *out);
    memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof *out);
}

static void merge_runs(phx_sorted *items, phx_sorted *spare, uint32_t runs, uint32_t *start)
{
    phx_sorted *from = items, *to = spare;
    uint32_t count = start[runs];
    while (runs > 1) {
        uint32_t n = 0;
        for (uint32_t r = 0; r < runs; r += 2) {
            uint32_t lo = start[r], mid = start[r + 1], hi = r + 1 < runs ? start[r + 2] : mid;
            merge(from + lo, from + mid, from + mid, from + hi, to + lo);
            start[n++] = lo;
        }
        start[n] = count;
        runs = n;
        phx_sorted *other = from;
        from = to;
        to = other;
    }
    if (from != items) memcpy(items, from, count * sizeof *items);
}

void phx_order_many(phx_sorted *items, phx_sorted *spare, uint32_t count)
{
    enum { RUN = 16 }; /* insertion sort is the faster one up to about here */
    uint32_t start[RUNS_MAX + 1], runs = find_runs(items, count, start);
    if (runs > 0 && runs <= count / 8) { /* on average they are long enough */
        merge_runs(items, spare, runs, start);
        return;
    }
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

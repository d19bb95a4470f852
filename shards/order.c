/*
 * A merge sort for events; see order.h. It has no bad case, and does not allocate.
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

void phx_order_many(phx_sorted *items, phx_sorted *spare, uint32_t count)
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

/*
 * Small arrays; see few.h. The pointer is read and written as bytes, as in mem.c.
 */
#include "base/few.h"

#include <stddef.h>
#include <string.h>

enum { STEP = 4 }; /* a quarter */

bool phx_few_grow(phx_mem *mem, void **array, uint32_t *capacity, uint32_t keep, uint32_t needed, size_t item)
{
    PHX_ASSERT(item > 0 && keep <= *capacity);
    if (PHX_LIKELY(needed <= *capacity)) return true;
    uint64_t wanted = (uint64_t)*capacity + *capacity / STEP;
    wanted = wanted < needed ? needed : wanted;
    if (wanted > UINT32_MAX) return false;
    void *more = phx_alloc(mem, wanted * item, _Alignof(max_align_t));
    if (!more) return false;
    void *less;
    memcpy(&less, array, sizeof less);
    if (keep > 0) memcpy(more, less, keep * item);
    phx_free(mem, less, *capacity * item, _Alignof(max_align_t));
    memcpy(array, &more, sizeof more);
    *capacity = (uint32_t)wanted;
    return true;
}

void phx_few_release(phx_mem *mem, void **array, uint32_t *capacity, size_t item)
{
    void *items;
    memcpy(&items, array, sizeof items);
    PHX_ASSERT((items == NULL) == (*capacity == 0));
    phx_free(mem, items, *capacity * item, _Alignof(max_align_t));
    memset(array, 0, sizeof items);
    *capacity = 0;
}

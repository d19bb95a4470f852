/*
 * Lists of immigrants; see immigrant_lists.h.
 */
#include "shards/state/immigrant_lists.h"

void phx_immigrant_lists_free(phx_immigrant_lists *immigrant_lists, phx_mem *mem)
{
    phx_release(mem, (void **)&immigrant_lists->at, &immigrant_lists->capacity, sizeof *immigrant_lists->at);
    phx_release(mem, (void **)&immigrant_lists->noted, &immigrant_lists->noted_capacity,
                sizeof *immigrant_lists->noted);
    phx_release(mem, (void **)&immigrant_lists->places, &immigrant_lists->places_capacity, sizeof(uint32_t));
    immigrant_lists->count = 0;
}

bool phx_immigrant_lists_ready(phx_immigrant_lists *immigrant_lists, phx_mem *mem)
{
    return phx_grow(mem, (void **)&immigrant_lists->at, &immigrant_lists->capacity, immigrant_lists->count,
                    (size_t)immigrant_lists->count + 1, sizeof *immigrant_lists->at);
}

void phx_immigrant_lists_add(phx_immigrant_lists *immigrant_lists, phx_immigrant_list immigrant_list)
{
    PHX_ASSERT(immigrant_lists->count < immigrant_lists->capacity);
    PHX_ASSERT((immigrant_list.list != NULL) == (immigrant_list.count > 0));
    immigrant_lists->at[immigrant_lists->count++] = immigrant_list;
}

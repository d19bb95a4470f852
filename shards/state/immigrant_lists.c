/*
 * Lists of immigrants; see immigrant_lists.h.
 */
#include "shards/state/immigrant_lists.h"

void phx_immigrant_lists_free(phx_immigrant_lists *arrivals, phx_mem *mem)
{
    phx_release(mem, (void **)&arrivals->at, &arrivals->capacity, sizeof *arrivals->at);
    phx_release(mem, (void **)&arrivals->noted, &arrivals->noted_capacity, sizeof *arrivals->noted);
    phx_release(mem, (void **)&arrivals->places, &arrivals->places_capacity, sizeof(uint32_t));
    arrivals->count = 0;
}

bool phx_immigrant_lists_ready(phx_immigrant_lists *arrivals, phx_mem *mem)
{
    return phx_grow(mem, (void **)&arrivals->at, &arrivals->capacity, arrivals->count, (size_t)arrivals->count + 1,
                    sizeof *arrivals->at);
}

void phx_immigrant_lists_add(phx_immigrant_lists *arrivals, phx_immigrant_list arrival)
{
    PHX_ASSERT(arrivals->count < arrivals->capacity);
    PHX_ASSERT((arrival.list != NULL) == (arrival.count > 0));
    arrivals->at[arrivals->count++] = arrival;
}

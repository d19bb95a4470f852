/*
 * The updates of a batch; see batch_updates.h.
 */
#include "world/batch/batch_updates.h"

bool phx_batch_updates_reserve(phx_batch_updates *news, phx_mem *mem, phx_batch_updates_size size)
{
    if (!phx_grow(mem, (void **)&news->updates, &news->updates_capacity, 0, size.updates, sizeof *news->updates) ||
        !phx_grow(mem, (void **)&news->due, &news->due_capacity, 0, size.due, sizeof *news->due) ||
        !phx_grow(mem, (void **)&news->moved, &news->moved_capacity, 0, size.moved, sizeof *news->moved))
        return false;
    news->size = size;
    return true;
}

void phx_batch_updates_free(phx_batch_updates *news, phx_mem *mem)
{
    phx_release(mem, (void **)&news->updates, &news->updates_capacity, sizeof *news->updates);
    phx_release(mem, (void **)&news->due, &news->due_capacity, sizeof *news->due);
    phx_release(mem, (void **)&news->moved, &news->moved_capacity, sizeof *news->moved);
}

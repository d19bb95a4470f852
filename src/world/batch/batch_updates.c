/*
 * The updates of a batch; see batch_updates.h.
 */
#include "world/batch/batch_updates.h"

bool phx_batch_updates_reserve(phx_batch_updates *updates, phx_mem *mem, phx_batch_updates_size size)
{
    if (!phx_grow(mem, (void **)&updates->updates, &updates->updates_capacity, 0, size.updates,
                  sizeof *updates->updates) ||
        !phx_grow(mem, (void **)&updates->due, &updates->due_capacity, 0, size.due, sizeof *updates->due) ||
        !phx_grow(mem, (void **)&updates->bands, &updates->bands_capacity, 0, size.due, sizeof *updates->bands) ||
        !phx_grow(mem, (void **)&updates->moved, &updates->moved_capacity, 0, size.moved, sizeof *updates->moved))
        return false;
    updates->size = size;
    return true;
}

void phx_batch_updates_trim(phx_batch_updates *updates, phx_mem *mem)
{
    const phx_batch_updates_size *size = &updates->size;
    phx_trim(mem, (void **)&updates->updates, &updates->updates_capacity, sizeof *updates->updates, size->updates,
             &updates->updates_use);
    phx_trim(mem, (void **)&updates->due, &updates->due_capacity, sizeof *updates->due, size->due, &updates->due_use);
    phx_trim(mem, (void **)&updates->bands, &updates->bands_capacity, sizeof *updates->bands, size->due,
             &updates->bands_use);
    phx_trim(mem, (void **)&updates->moved, &updates->moved_capacity, sizeof *updates->moved, size->moved,
             &updates->moved_use);
    updates->size = (phx_batch_updates_size){0};
}

void phx_batch_updates_free(phx_batch_updates *updates, phx_mem *mem)
{
    phx_release(mem, (void **)&updates->updates, &updates->updates_capacity, sizeof *updates->updates);
    phx_release(mem, (void **)&updates->due, &updates->due_capacity, sizeof *updates->due);
    phx_release(mem, (void **)&updates->bands, &updates->bands_capacity, sizeof *updates->bands);
    phx_release(mem, (void **)&updates->moved, &updates->moved_capacity, sizeof *updates->moved);
}

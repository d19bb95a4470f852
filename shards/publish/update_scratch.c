/*
 * A worker's scratch of updates; see update_scratch.h.
 */
#include "shards/publish/update_scratch.h"

#include "base/simd.h"

void phx_update_scratch_free(phx_update_scratch *scratch)
{
    phx_mem *mem = scratch->mem;
    phx_release(mem, (void **)&scratch->marks, &scratch->marks_capacity, sizeof *scratch->marks);
    phx_release(mem, (void **)&scratch->left_out, &scratch->left_out_capacity, sizeof *scratch->left_out);
    phx_release(mem, (void **)&scratch->candidates, &scratch->candidates_capacity, sizeof *scratch->candidates);
    phx_release(mem, (void **)&scratch->observers, &scratch->observers_capacity, sizeof *scratch->observers);
    phx_release(mem, (void **)&scratch->due, &scratch->due_capacity, sizeof *scratch->due);
    phx_release(mem, (void **)&scratch->deferred, &scratch->deferred_capacity, sizeof *scratch->deferred);
    phx_motion_tile_free(&scratch->tile, mem);
}

void phx_update_scratch_reset(phx_update_scratch *scratch)
{
    phx_mem *mem = scratch->mem;
    phx_trim(mem, (void **)&scratch->observers, &scratch->observers_capacity, sizeof *scratch->observers,
             scratch->observer_count, &scratch->observers_use);
    phx_trim(mem, (void **)&scratch->due, &scratch->due_capacity, sizeof *scratch->due, scratch->due_count,
             &scratch->due_use);
    phx_trim(mem, (void **)&scratch->deferred, &scratch->deferred_capacity, sizeof *scratch->deferred,
             scratch->deferred_count, &scratch->deferred_use);
    scratch->observer_count = scratch->due_count = scratch->deferred_count = 0;
    scratch->listed_count = scratch->searched_count = scratch->sifted_count = 0;
    scratch->compared_count = 0;
}

void phx_update_scratch_group(phx_update_scratch *scratch, uint32_t bands_most)
{
    uint32_t band_bits = 0;
    while (1u << band_bits < bands_most) band_bits++;
    scratch->band_bits = band_bits;
    scratch->by_change = 0;
}

/* Room for `count` items, of which new ones are 0. */
static bool ready_zeroed(phx_update_scratch *scratch, void **array, uint32_t *capacity, size_t count, size_t item)
{
    const uint32_t had = *capacity;
    if (!phx_grow(scratch->mem, array, capacity, had, count, item)) return false;
    if (*capacity > had) memset((char *)*array + had * item, 0, (*capacity - had) * item);
    return true;
}

bool phx_update_scratch_ready(phx_update_scratch *scratch, uint32_t slots, uint32_t items)
{
    if ((uint64_t)items << scratch->band_bits > INT32_MAX ||
        !ready_zeroed(scratch, (void **)&scratch->marks, &scratch->marks_capacity, slots, sizeof *scratch->marks) ||
        !ready_zeroed(scratch, (void **)&scratch->left_out, &scratch->left_out_capacity,
                      items / PHX_LEFT_OUT_BITS + (size_t)PHX_KERNEL_PAD, sizeof *scratch->left_out) ||
        !phx_grow(scratch->mem, (void **)&scratch->observers, &scratch->observers_capacity, scratch->observer_count,
                  (size_t)scratch->observer_count + 1, sizeof *scratch->observers))
        return false;
    if (++scratch->mark_epoch == 0) { /* they wrapped around */
        memset(scratch->marks, 0, scratch->marks_capacity * sizeof *scratch->marks);
        scratch->mark_epoch = 1;
    }
    return true;
}

uint32_t *phx_update_scratch_room(phx_update_scratch *scratch, uint32_t count)
{
    const size_t room = (size_t)scratch->due_count + count + PHX_KERNEL_PAD;
    if (!phx_grow(scratch->mem, (void **)&scratch->due, &scratch->due_capacity, scratch->due_count, room,
                  sizeof *scratch->due))
        return NULL;
    return scratch->due + scratch->due_count;
}

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
    phx_release(mem, (void **)&scratch->places, &scratch->places_capacity, sizeof *scratch->places);
    phx_release(mem, (void **)&scratch->candidates, &scratch->candidates_capacity, sizeof *scratch->candidates);
    phx_release(mem, (void **)&scratch->observers, &scratch->observers_capacity, sizeof *scratch->observers);
    phx_release(mem, (void **)&scratch->due, &scratch->due_capacity, sizeof *scratch->due);
    phx_release(mem, (void **)&scratch->targets, &scratch->targets_capacity, sizeof *scratch->targets);
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
    phx_trim(mem, (void **)&scratch->targets, &scratch->targets_capacity, sizeof *scratch->targets,
             scratch->target_count, &scratch->targets_use);
    phx_trim(mem, (void **)&scratch->deferred, &scratch->deferred_capacity, sizeof *scratch->deferred,
             scratch->deferred_count, &scratch->deferred_use);
    scratch->observer_count = scratch->due_count = scratch->target_count = scratch->deferred_count = 0;
    scratch->listed_count = scratch->searched_count = scratch->sifted_count = 0;
    scratch->compared_count = 0;
}

void phx_update_scratch_group(phx_update_scratch *scratch, uint32_t bands_most)
{
    uint32_t band_bits = 0;
    while (1u << band_bits < bands_most) band_bits++;
    scratch->band_bits = band_bits;
    scratch->group_first = scratch->target_count;
    scratch->by_change = 0;
    if (scratch->place_last > UINT32_MAX / 2) {
        memset(scratch->places, 0, scratch->places_capacity * sizeof *scratch->places);
        scratch->place_last = 0;
    }
    scratch->place_base = scratch->place_last + 1;
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
    const size_t places = (size_t)items << scratch->band_bits;
    if (places > INT32_MAX ||
        !ready_zeroed(scratch, (void **)&scratch->marks, &scratch->marks_capacity, slots, sizeof *scratch->marks) ||
        !ready_zeroed(scratch, (void **)&scratch->left_out, &scratch->left_out_capacity,
                      items / PHX_LEFT_OUT_BITS + (size_t)PHX_KERNEL_PAD, sizeof *scratch->left_out) ||
        !ready_zeroed(scratch, (void **)&scratch->places, &scratch->places_capacity, places, sizeof *scratch->places) ||
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

enum { SPARE = 8 }; /* an eighth more targets: behind one with very many others find room without memory */

static bool grow_targets(phx_update_scratch *scratch, size_t room)
{
    return phx_grow(scratch->mem, (void **)&scratch->targets, &scratch->targets_capacity, scratch->target_count, room,
                    sizeof *scratch->targets);
}

/* No two due keys of one observer are alike. false = no memory, unchanged. */
static bool place_observer(phx_update_scratch *scratch, const phx_kernels *kernels, const phx_observer_updates *of)
{
    const uint32_t count = of->due_count;
    const size_t room = (size_t)scratch->target_count + count + PHX_KERNEL_PAD;
    if (count == 0) return true;
    if (!grow_targets(scratch, room + room / SPARE) && !grow_targets(scratch, room)) return false;
    phx_group_targets group = {.place = scratch->places,
                               .targets = scratch->targets + scratch->group_first,
                               .base = scratch->place_base,
                               .count = scratch->target_count - scratch->group_first};
    kernels->give_places(&group, scratch->due + of->due_first, count);
    scratch->target_count = scratch->group_first + group.count;
    scratch->place_last = group.base + group.count;
    return true;
}

bool phx_update_scratch_place(phx_update_scratch *scratch, const phx_kernels *kernels, uint32_t first)
{
    for (uint32_t i = first; i < scratch->observer_count; i++)
        if (!place_observer(scratch, kernels, &scratch->observers[i])) return false;
    return true;
}

/* Renames the dues of the observers from places in targets[] to the values of their places. */
static void rename_dues(const phx_update_scratch *scratch, const phx_observer_updates *observers, uint32_t count,
                        const uint32_t *targets)
{
    for (uint32_t n = 0; n < count; n++) {
        uint32_t *due = scratch->due + observers[n].due_first;
        for (uint32_t i = 0; i < observers[n].due_count; i++) due[i] = scratch->places[targets[due[i]]];
    }
}

uint32_t phx_update_scratch_keep(phx_update_scratch *scratch, const phx_observer_updates *observers, uint32_t count,
                                 uint32_t target_first, uint32_t target_count)
{
    const uint32_t left_out = UINT32_MAX;
    uint32_t *targets = scratch->targets + target_first;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < target_count; i++) scratch->places[targets[i]] = left_out;
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t i = 0; i < observers[n].due_count; i++)
            scratch->places[targets[scratch->due[observers[n].due_first + i]]] = 0;
    for (uint32_t i = 0; i < target_count; i++) {
        uint32_t *place = &scratch->places[targets[i]];
        if (*place != left_out) *place = kept++;
    }
    rename_dues(scratch, observers, count, targets);
    for (uint32_t i = 0; i < target_count; i++) {
        const uint32_t target = targets[i];
        uint32_t *place = &scratch->places[target];
        if (*place != left_out) targets[*place] = target;
        *place = 0; /* of no group */
    }
    return kept;
}

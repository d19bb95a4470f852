/*
 * A worker's scratch of updates; see update_scratch.h.
 */
#include "shards/publish/update_scratch.h"

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
}

void phx_update_scratch_reset(phx_update_scratch *scratch)
{
    scratch->observer_count = scratch->due_count = scratch->target_count = scratch->deferred_count = 0;
}

void phx_update_scratch_group(phx_update_scratch *scratch, uint32_t bands_most)
{
    scratch->bands_most = bands_most;
    scratch->group_first = scratch->target_count;
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

bool phx_update_scratch_ready(phx_update_scratch *scratch, uint32_t slots)
{
    const size_t places = (size_t)slots * scratch->bands_most;
    if (!ready_zeroed(scratch, (void **)&scratch->marks, &scratch->marks_capacity, slots, sizeof *scratch->marks) ||
        !ready_zeroed(scratch, (void **)&scratch->left_out, &scratch->left_out_capacity, (size_t)slots / 64 + 1,
                      sizeof *scratch->left_out) ||
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

static uint32_t *place_of(const phx_update_scratch *scratch, phx_update_target target)
{
    return &scratch->places[(size_t)target.slot * scratch->bands_most + target.band];
}

bool phx_update_scratch_add(phx_update_scratch *scratch, const uint32_t *words, const uint32_t *bands, uint32_t count)
{
    if (!phx_grow(scratch->mem, (void **)&scratch->due, &scratch->due_capacity, scratch->due_count,
                  (size_t)scratch->due_count + count + 1, sizeof *scratch->due) ||
        !phx_grow(scratch->mem, (void **)&scratch->targets, &scratch->targets_capacity, scratch->target_count,
                  (size_t)scratch->target_count + count + 1, sizeof *scratch->targets)) /* one is written in vain */
        return false;
    uint32_t *due = scratch->due + scratch->due_count, *places = scratch->places;
    const uint64_t *left_out = scratch->left_out;
    phx_update_target *targets = scratch->targets + scratch->group_first;
    uint32_t next = scratch->target_count - scratch->group_first, n = 0;
    const uint32_t base = scratch->place_base, bands_most = scratch->bands_most;
    for (uint32_t i = 0; i < count; i++) { /* no branch: in a crowd it is open which observer has a target first */
        const phx_update_target target = {phx_row_word_slot(phx_row_word_at(words, i)), bands[i]};
        const uint32_t kept = phx_update_scratch_has_bit(left_out, target.slot) ^ 1;
        uint32_t *place = &places[(size_t)target.slot * bands_most + target.band];
        const uint32_t is_new = *place < base, at = is_new ? next : *place - base;
        *place = kept ? base + at : *place;
        targets[next] = target;
        next += is_new & kept;
        due[n] = at;
        n += kept;
    }
    scratch->due_count += n;
    scratch->target_count = scratch->group_first + next;
    scratch->place_last = base + next;
    return true;
}

/* Renames the dues of the observers from places in targets[] to the values of their places. */
static void rename_dues(const phx_update_scratch *scratch, const phx_observer_updates *observers, uint32_t count,
                        const phx_update_target *targets)
{
    for (uint32_t n = 0; n < count; n++) {
        uint32_t *due = scratch->due + observers[n].due_first;
        for (uint32_t i = 0; i < observers[n].due_count; i++) due[i] = *place_of(scratch, targets[due[i]]);
    }
}

uint32_t phx_update_scratch_keep(phx_update_scratch *scratch, const phx_observer_updates *observers, uint32_t count,
                                 uint32_t target_first, uint32_t target_count)
{
    const uint32_t left_out = UINT32_MAX;
    phx_update_target *targets = scratch->targets + target_first;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < target_count; i++) *place_of(scratch, targets[i]) = left_out;
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t i = 0; i < observers[n].due_count; i++)
            *place_of(scratch, targets[scratch->due[observers[n].due_first + i]]) = 0;
    for (uint32_t i = 0; i < target_count; i++) {
        uint32_t *place = place_of(scratch, targets[i]);
        if (*place != left_out) *place = kept++;
    }
    rename_dues(scratch, observers, count, targets);
    for (uint32_t i = 0; i < target_count; i++) {
        const phx_update_target target = targets[i];
        uint32_t *place = place_of(scratch, target);
        if (*place != left_out) targets[*place] = target;
        *place = 0; /* of no group */
    }
    return kept;
}

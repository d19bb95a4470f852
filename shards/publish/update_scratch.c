/*
 * A worker's scratch of updates; see update_scratch.h.
 */
#include "shards/publish/update_scratch.h"

void phx_update_scratch_free(phx_update_scratch *scratch)
{
    phx_mem *mem = scratch->mem;
    phx_release(mem, (void **)&scratch->marks, &scratch->marks_capacity, sizeof *scratch->marks);
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

/* The next epoch; when epochs wrap around after 2^32, all marks are cleared. */
static uint32_t advance_mark_epoch(uint32_t epoch, phx_slot_mark *marks, uint32_t capacity)
{
    if (epoch < UINT32_MAX - 3) return epoch + 2;
    if (capacity > 0) memset(marks, 0, capacity * sizeof *marks);
    return 2;
}

void phx_update_scratch_group(phx_update_scratch *scratch, uint32_t bands_most)
{
    scratch->bands_most = bands_most;
    scratch->place_epoch = advance_mark_epoch(scratch->place_epoch, scratch->places, scratch->places_capacity);
    scratch->group_first = scratch->target_count;
}

/* Room for marks of every slot. */
static bool ready_marks(phx_update_scratch *scratch, phx_slot_mark **marks, uint32_t *capacity, size_t slots)
{
    uint32_t had = *capacity;
    if (!phx_grow(scratch->mem, (void **)marks, capacity, had, slots, sizeof **marks)) return false;
    if (*capacity > had) memset(*marks + had, 0, (*capacity - had) * sizeof **marks);
    return true;
}

bool phx_update_scratch_ready(phx_update_scratch *scratch, uint32_t slots)
{
    const size_t places = (size_t)slots * scratch->bands_most;
    if (!ready_marks(scratch, &scratch->marks, &scratch->marks_capacity, slots) ||
        !ready_marks(scratch, &scratch->places, &scratch->places_capacity, places) ||
        !phx_grow(scratch->mem, (void **)&scratch->observers, &scratch->observers_capacity, scratch->observer_count,
                  (size_t)scratch->observer_count + 1, sizeof *scratch->observers))
        return false;
    scratch->mark_epoch = advance_mark_epoch(scratch->mark_epoch, scratch->marks, scratch->marks_capacity);
    return true;
}

static phx_slot_mark *place_of(const phx_update_scratch *scratch, phx_update_target target)
{
    return &scratch->places[(size_t)target.slot * scratch->bands_most + target.band];
}

bool phx_update_scratch_add(phx_update_scratch *scratch, const phx_update_target *targets, uint32_t count)
{
    if (!phx_grow(scratch->mem, (void **)&scratch->due, &scratch->due_capacity, scratch->due_count,
                  (size_t)scratch->due_count + count, sizeof *scratch->due) ||
        !phx_grow(scratch->mem, (void **)&scratch->targets, &scratch->targets_capacity, scratch->target_count,
                  (size_t)scratch->target_count + count, sizeof *scratch->targets))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        phx_slot_mark *place = place_of(scratch, targets[i]);
        if (place->epoch != scratch->place_epoch) {
            *place = (phx_slot_mark){scratch->place_epoch, scratch->target_count - scratch->group_first};
            scratch->targets[scratch->target_count++] = targets[i];
        }
        scratch->due[scratch->due_count++] = place->value;
    }
    return true;
}

/* Renames the dues of the observers from places in targets[] to the values of their places. */
static void rename_dues(const phx_update_scratch *scratch, const phx_observer_updates *observers, uint32_t count,
                        const phx_update_target *targets)
{
    for (uint32_t n = 0; n < count; n++) {
        uint32_t *due = scratch->due + observers[n].due_first;
        for (uint32_t i = 0; i < observers[n].due_count; i++) due[i] = place_of(scratch, targets[due[i]])->value;
    }
}

uint32_t phx_update_scratch_keep(phx_update_scratch *scratch, const phx_observer_updates *observers, uint32_t count,
                                 uint32_t target_first, uint32_t target_count)
{
    const uint32_t left_out = UINT32_MAX;
    phx_update_target *targets = scratch->targets + target_first;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < target_count; i++) place_of(scratch, targets[i])->value = left_out;
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t i = 0; i < observers[n].due_count; i++)
            place_of(scratch, targets[scratch->due[observers[n].due_first + i]])->value = 0;
    for (uint32_t i = 0; i < target_count; i++) {
        phx_slot_mark *place = place_of(scratch, targets[i]);
        if (place->value != left_out) place->value = kept++;
    }
    rename_dues(scratch, observers, count, targets);
    for (uint32_t i = 0; i < target_count; i++) {
        const uint32_t to = place_of(scratch, targets[i])->value;
        if (to != left_out) targets[to] = targets[i];
    }
    return kept;
}

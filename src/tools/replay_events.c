/*
 * Sorting and writing the events of a tick; see replay_events.h.
 *
 * Only the groups (few) are sorted as records; their targets are gathered behind each
 * other in that order and sorted as plain numbers, where they are not in order already.
 */
#include "tools/replay_events.h"

#include <stdlib.h>
#include <string.h>

#include "tools/event_hash.h"

/* Behind the events of lists, in the order in which they are written. */
enum { EVENT_OUT = PHX_EVENT_ENTER + 1, EVENT_IN, EVENT_ASLEEP, EVENT_AWAKE };

static const char *const event_words[] = {
    [PHX_EVENT_LEAVE] = "leave", [PHX_EVENT_ENTER] = "enter", [EVENT_OUT] = "out",
    [EVENT_IN] = "in",           [EVENT_ASLEEP] = "asleep",   [EVENT_AWAKE] = "awake"};

void phx_event_header(phx_out *out)
{
    static const char header[] = "tick,observer,event,target\n";
    memcpy(phx_out_reserve(out), header, sizeof header - 1);
    phx_out_advance(out, sizeof header - 1);
}

static bool grow_u64(phx_mem *mem, uint64_t **array, uint32_t *capacity, uint32_t keep, size_t needed)
{
    return phx_grow(mem, (void **)array, capacity, keep, needed, sizeof **array);
}

/* ---- collecting ---- */

static void add_group(phx_event_sheet *sheet, const ph_change *change, uint32_t event, const ph_target *targets,
                      uint32_t count)
{
    if (count == 0) return;
    PHX_ASSERT(sheet->group_count < sheet->group_capacity);
    PHX_ASSERT(count <= sheet->id_capacity - sheet->id_count);
    sheet->groups[sheet->group_count++] = (phx_event_group){change->observer, event, sheet->id_count, count};
    for (uint32_t i = 0; i < count; i++) sheet->ids[sheet->id_count + i] = targets[i].id;
    sheet->id_count += count;
}

/* There is room for it. */
static void add_edge(phx_event_sheet *sheet, const ph_edge *edge)
{
    uint32_t event = (edge->area != 0 ? EVENT_OUT : EVENT_ASLEEP) + edge->on;
    sheet->groups[sheet->group_count++] = (phx_event_group){edge->id, event, sheet->id_count, 1};
    sheet->ids[sheet->id_count++] = edge->area;
}

bool phx_event_sheet_add(phx_event_sheet *sheet, const ph_batch *batch)
{
    size_t groups_needed =
        (size_t)sheet->group_count + 2 * (size_t)batch->change_count + batch->activation_count + batch->crossing_count;
    size_t ids_needed = (size_t)sheet->id_count + batch->target_count + batch->activation_count + batch->crossing_count;
    if (!phx_grow(sheet->mem, (void **)&sheet->groups, &sheet->group_capacity, sheet->group_count, groups_needed,
                  sizeof *sheet->groups))
        return false;
    if (!grow_u64(sheet->mem, &sheet->ids, &sheet->id_capacity, sheet->id_count, ids_needed)) return false;
    for (uint32_t i = 0; i < batch->change_count; i++) {
        const ph_change *change = &batch->changes[i];
        const ph_target *targets = batch->targets + change->first;
        PHX_ASSERT((uint64_t)change->first + change->leave_count + change->enter_count <= batch->target_count);
        add_group(sheet, change, PHX_EVENT_LEAVE, targets, change->leave_count);
        add_group(sheet, change, PHX_EVENT_ENTER, targets + change->leave_count, change->enter_count);
    }
    for (uint32_t i = 0; i < batch->activation_count; i++) add_edge(sheet, &batch->activations[i]);
    for (uint32_t i = 0; i < batch->crossing_count; i++) add_edge(sheet, &batch->crossings[i]);
    return true;
}

/* ---- sorting ---- */

static int compare_groups(const void *a, const void *b)
{
    const phx_event_group *left = a, *right = b;
    if (left->observer != right->observer) return left->observer < right->observer ? -1 : 1;
    return (left->event > right->event) - (left->event < right->event);
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static void sort_ids(uint64_t *ids, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (ids[i - 1] > ids[i]) {
            qsort(ids, count, sizeof *ids, compare_ids);
            return;
        }
    }
}

/* Gathers the targets of the groups from `place` on that are of one observer and event; returns the place behind. */
static uint32_t gather(const phx_event_sheet *sheet, uint32_t place, uint32_t *count)
{
    const phx_event_group *first = &sheet->groups[place];
    *count = 0;
    for (; place < sheet->group_count; place++) {
        const phx_event_group *group = &sheet->groups[place];
        if (compare_groups(first, group) != 0) break;
        memcpy(sheet->sorted + *count, sheet->ids + group->first, group->count * sizeof *sheet->ids);
        *count += group->count;
    }
    sort_ids(sheet->sorted, *count);
    return place;
}

/* ---- writing ---- */

static void write_events(phx_out *out, uint64_t tick, const phx_event_group *group, const uint64_t *ids, uint32_t count)
{
    PHX_ASSERT(group->event <= EVENT_AWAKE);
    char front[64]; /* two numbers of up to 20 digits, a word and three commas */
    char *end = phx_put_u64(front, tick);
    *end++ = ',';
    end = phx_put_u64(end, group->observer);
    *end++ = ',';
    size_t word_length = strlen(event_words[group->event]);
    memcpy(end, event_words[group->event], word_length);
    end += word_length;
    *end++ = ',';
    size_t front_length = (size_t)(end - front);
    for (uint32_t i = 0; i < count; i++) {
        char *to = phx_out_reserve(out);
        memcpy(to, front, front_length);
        char *behind = phx_put_u64(to + front_length, ids[i]);
        *behind++ = '\n';
        phx_out_advance(out, (size_t)(behind - to));
    }
}

bool phx_event_sheet_write(phx_event_sheet *sheet, uint64_t tick, phx_out *out)
{
    if (!grow_u64(sheet->mem, &sheet->sorted, &sheet->sorted_capacity, 0, sheet->id_count)) return false;
    if (sheet->group_count > 0) qsort(sheet->groups, sheet->group_count, sizeof *sheet->groups, compare_groups);
    for (uint32_t place = 0; place < sheet->group_count;) {
        const phx_event_group *group = &sheet->groups[place];
        uint32_t count;
        place = gather(sheet, place, &count);
        write_events(out, tick, group, sheet->sorted, count);
    }
    sheet->group_count = 0;
    sheet->id_count = 0;
    return true;
}

void phx_event_sheet_release(phx_event_sheet *sheet)
{
    phx_release(sheet->mem, (void **)&sheet->groups, &sheet->group_capacity, sizeof *sheet->groups);
    phx_release(sheet->mem, (void **)&sheet->ids, &sheet->id_capacity, sizeof *sheet->ids);
    phx_release(sheet->mem, (void **)&sheet->sorted, &sheet->sorted_capacity, sizeof *sheet->sorted);
    sheet->group_count = 0;
    sheet->id_count = 0;
}

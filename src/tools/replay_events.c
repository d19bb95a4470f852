/*
 * Sorting and writing the events of a tick; see replay_events.h.
 *
 * Only the groups (few) are sorted as records; their targets are gathered behind each
 * other in that order and sorted by id, where they are not in order already.
 */
#include "tools/replay_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "tools/event_hash.h"

/* Behind the events of lists, in the order in which they are written. */
enum { EVENT_OUT = PHX_EVENT_ENTER + 1, EVENT_IN, EVENT_ASLEEP, EVENT_AWAKE };

static const char *const event_words[] = {
    [PHX_EVENT_LEAVE] = "leave", [PHX_EVENT_ENTER] = "enter", [EVENT_OUT] = "out",
    [EVENT_IN] = "in",           [EVENT_ASLEEP] = "asleep",   [EVENT_AWAKE] = "awake"};

static void put_text(phx_out *out, const char *text)
{
    const size_t length = strlen(text);
    memcpy(phx_out_reserve(out), text, length);
    phx_out_advance(out, length);
}

void phx_event_header(phx_event_shows shows, phx_out *out)
{
    put_text(out, "tick,observer,event,target");
    if (shows.causes) put_text(out, ",cause");
    if (shows.positions) put_text(out, ",x,y,z");
    put_text(out, "\n");
}

static bool grow_rows(phx_mem *mem, phx_event_row **array, uint32_t *capacity, uint32_t keep, size_t needed)
{
    return phx_grow(mem, (void **)array, capacity, keep, needed, sizeof **array);
}

/* ---- collecting ---- */

static void add_group(phx_event_sheet *sheet, const ph_batch *batch, const ph_change *change, uint32_t event,
                      uint32_t first, uint32_t count)
{
    if (count == 0) return;
    PHX_ASSERT(sheet->group_count < sheet->group_capacity);
    PHX_ASSERT(count <= sheet->row_capacity - sheet->row_count);
    sheet->groups[sheet->group_count++] = (phx_event_group){change->observer, event, sheet->row_count, count};
    for (uint32_t i = 0; i < count; i++)
        sheet->rows[sheet->row_count + i] =
            (phx_event_row){.id = batch->targets[first + i].id,
                            .at = sheet->shows.positions ? batch->positions[first + i] : (ph_position){0},
                            .cause = sheet->shows.causes ? batch->causes[first + i] : 0};
    sheet->row_count += count;
}

/* There is room for it. */
static void add_edge(phx_event_sheet *sheet, const ph_edge *edge)
{
    uint32_t event = (edge->area != 0 ? EVENT_OUT : EVENT_ASLEEP) + edge->on;
    sheet->groups[sheet->group_count++] = (phx_event_group){edge->id, event, sheet->row_count, 1};
    sheet->rows[sheet->row_count++] = (phx_event_row){.id = edge->area};
}

bool phx_event_sheet_add(phx_event_sheet *sheet, const ph_batch *batch)
{
    size_t groups_needed =
        (size_t)sheet->group_count + 2 * (size_t)batch->change_count + batch->activation_count + batch->crossing_count;
    size_t rows_needed =
        (size_t)sheet->row_count + batch->target_count + batch->activation_count + batch->crossing_count;
    if (!phx_grow(sheet->mem, (void **)&sheet->groups, &sheet->group_capacity, sheet->group_count, groups_needed,
                  sizeof *sheet->groups))
        return false;
    if (!grow_rows(sheet->mem, &sheet->rows, &sheet->row_capacity, sheet->row_count, rows_needed)) return false;
    for (uint32_t i = 0; i < batch->change_count; i++) {
        const ph_change *change = &batch->changes[i];
        PHX_ASSERT((uint64_t)change->first + change->leave_count + change->enter_count <= batch->target_count);
        add_group(sheet, batch, change, PHX_EVENT_LEAVE, change->first, change->leave_count);
        add_group(sheet, batch, change, PHX_EVENT_ENTER, change->first + change->leave_count, change->enter_count);
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

static int compare_rows(const void *a, const void *b)
{
    const phx_event_row *left = a, *right = b;
    return (left->id > right->id) - (left->id < right->id);
}

static void sort_rows(phx_event_row *rows, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (rows[i - 1].id > rows[i].id) {
            qsort(rows, count, sizeof *rows, compare_rows);
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
        memcpy(sheet->sorted + *count, sheet->rows + group->first, group->count * sizeof *sheet->rows);
        *count += group->count;
    }
    sort_rows(sheet->sorted, *count);
    return place;
}

/* ---- writing ---- */

/* Appends the columns behind the first four; edges have none of it, and leaves no position. */
static char *put_shown(char *to, phx_event_shows shows, uint32_t event, const phx_event_row *row)
{
    enum { SHOWN_MAX = 128 }; /* a word, and three numbers of 9 digits with sign, point and exponent */
    if (shows.causes)
        to += snprintf(to, SHOWN_MAX, ",%s", event <= PHX_EVENT_ENTER ? ph_cause_name((ph_cause)row->cause) : "");
    if (shows.positions && event == PHX_EVENT_ENTER)
        to += snprintf(to, SHOWN_MAX, ",%.9g,%.9g,%.9g", (double)row->at.x, (double)row->at.y, (double)row->at.z);
    else if (shows.positions) to += snprintf(to, SHOWN_MAX, ",,,");
    return to;
}

static void write_events(const phx_event_sheet *sheet, uint64_t tick, const phx_event_group *group, uint32_t count,
                         phx_out *out)
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
        const phx_event_row *row = &sheet->sorted[i];
        char *behind = put_shown(phx_put_u64(to + front_length, row->id), sheet->shows, group->event, row);
        *behind++ = '\n';
        phx_out_advance(out, (size_t)(behind - to));
    }
}

bool phx_event_sheet_write(phx_event_sheet *sheet, uint64_t tick, phx_out *out)
{
    if (!grow_rows(sheet->mem, &sheet->sorted, &sheet->sorted_capacity, 0, sheet->row_count)) return false;
    if (sheet->group_count > 0) qsort(sheet->groups, sheet->group_count, sizeof *sheet->groups, compare_groups);
    for (uint32_t place = 0; place < sheet->group_count;) {
        const phx_event_group *group = &sheet->groups[place];
        uint32_t count;
        place = gather(sheet, place, &count);
        write_events(sheet, tick, group, count, out);
    }
    sheet->group_count = 0;
    sheet->row_count = 0;
    return true;
}

void phx_event_sheet_release(phx_event_sheet *sheet)
{
    phx_release(sheet->mem, (void **)&sheet->groups, &sheet->group_capacity, sizeof *sheet->groups);
    phx_release(sheet->mem, (void **)&sheet->rows, &sheet->row_capacity, sizeof *sheet->rows);
    phx_release(sheet->mem, (void **)&sheet->sorted, &sheet->sorted_capacity, sizeof *sheet->sorted);
    sheet->group_count = 0;
    sheet->row_count = 0;
}

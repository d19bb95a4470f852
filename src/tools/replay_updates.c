/*
 * Sorting and writing the updates of a tick; see replay_updates.h. Numbers have the digits
 * that give the same float32 back.
 */
#include "tools/replay_updates.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void phx_update_header(phx_out *out)
{
    static const char header[] = "tick,observer,target,x,y,z,band\n";
    memcpy(phx_out_reserve(out), header, sizeof header - 1);
    phx_out_advance(out, sizeof header - 1);
}

bool phx_update_sheet_add(phx_update_sheet *sheet, const ph_batch *batch)
{
    if (!phx_grow(sheet->mem, (void **)&sheet->rows, &sheet->capacity, sheet->count,
                  (size_t)sheet->count + batch->due_count, sizeof *sheet->rows))
        return false;
    for (uint32_t i = 0; i < batch->update_count; i++) {
        const ph_update *update = &batch->updates[i];
        for (uint32_t j = 0; j < update->count; j++) {
            const ph_moved *moved = &batch->moved[batch->due[update->first + j]];
            sheet->rows[sheet->count++] = (phx_update_row){
                update->observer, moved->id, {moved->x, moved->y, moved->z}, batch->bands[update->first + j]};
        }
    }
    return true;
}

static int compare_rows(const void *a, const void *b)
{
    const phx_update_row *left = a, *right = b;
    if (left->observer != right->observer) return left->observer < right->observer ? -1 : 1;
    return (left->target > right->target) - (left->target < right->target);
}

void phx_update_sheet_write(phx_update_sheet *sheet, uint64_t tick, phx_out *out)
{
    if (sheet->count > 0) qsort(sheet->rows, sheet->count, sizeof *sheet->rows, compare_rows);
    for (uint32_t i = 0; i < sheet->count; i++) {
        const phx_update_row *row = &sheet->rows[i];
        int length = snprintf(phx_out_reserve(out), PHX_OUT_RESERVE_MAX,
                              "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.9g,%.9g,%.9g,%" PRIu32 "\n", tick, row->observer,
                              row->target, (double)row->at.x, (double)row->at.y, (double)row->at.z, row->band);
        PHX_ASSERT(length > 0 && length < PHX_OUT_RESERVE_MAX);
        phx_out_advance(out, (size_t)length);
    }
    sheet->count = 0;
}

void phx_update_sheet_release(phx_update_sheet *sheet)
{
    phx_release(sheet->mem, (void **)&sheet->rows, &sheet->capacity, sizeof *sheet->rows);
    sheet->count = 0;
}

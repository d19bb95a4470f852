/*
 * Sorting and writing the deliveries of a tick; see replay_heard.h. A text has neither
 * commas nor line ends: it came out of a field of the trace.
 */
#include "tools/replay_heard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void phx_heard_header(phx_out *out)
{
    static const char header[] = "tick,observer,source,text\n";
    memcpy(phx_out_reserve(out), header, sizeof header - 1);
    phx_out_advance(out, sizeof header - 1);
}

static bool reserve(phx_heard_sheet *sheet, const ph_batch *batch)
{
    phx_mem *mem = sheet->mem;
    return phx_grow(mem, (void **)&sheet->sayings, &sheet->saying_capacity, sheet->saying_count,
                    (size_t)sheet->saying_count + batch->message_count, sizeof *sheet->sayings) &&
           phx_grow(mem, (void **)&sheet->rows, &sheet->row_capacity, sheet->row_count,
                    (size_t)sheet->row_count + batch->heard_count, sizeof *sheet->rows) &&
           phx_grow(mem, (void **)&sheet->texts, &sheet->text_capacity, sheet->text_bytes,
                    sheet->text_bytes + batch->payload_bytes, 1);
}

bool phx_heard_sheet_add(phx_heard_sheet *sheet, const ph_batch *batch)
{
    uint32_t sayings = sheet->saying_count;
    if (!reserve(sheet, batch)) return false;
    for (uint32_t i = 0; i < batch->message_count; i++) {
        const ph_message *message = &batch->messages[i];
        sheet->sayings[sheet->saying_count++] = (phx_heard_saying){message->source, sheet->text_bytes, message->bytes};
        if (message->bytes > 0)
            memcpy(sheet->texts + sheet->text_bytes, batch->payload + message->first, message->bytes);
        sheet->text_bytes += message->bytes;
    }
    for (uint32_t i = 0; i < batch->delivery_count; i++) {
        const ph_delivery *delivery = &batch->deliveries[i];
        for (uint32_t j = 0; j < delivery->count; j++)
            sheet->rows[sheet->row_count++] =
                (phx_heard_row){delivery->observer, sayings + batch->heard[delivery->first + j]};
    }
    return true;
}

static int compare_rows(const void *a, const void *b)
{
    const phx_heard_row *left = a, *right = b;
    if (left->observer != right->observer) return left->observer < right->observer ? -1 : 1;
    return (left->saying > right->saying) - (left->saying < right->saying);
}

/* A payload that is no field of a line: 0x and digits, as the column `bytes` of a trace has them. */
static void write_text(phx_out *out, const char *text, uint32_t bytes)
{
    if (phx_is_field(text, bytes)) {
        phx_out_put(out, text, bytes);
        return;
    }
    phx_out_put(out, "0x", 2);
    phx_out_put_hex(out, text, bytes);
}

void phx_heard_sheet_write(phx_heard_sheet *sheet, uint64_t tick, phx_out *out)
{
    if (sheet->row_count > 0) qsort(sheet->rows, sheet->row_count, sizeof *sheet->rows, compare_rows);
    for (uint32_t i = 0; i < sheet->row_count; i++) {
        const phx_heard_saying *saying = &sheet->sayings[sheet->rows[i].saying];
        int length = snprintf(phx_out_reserve(out), PHX_OUT_RESERVE_MAX, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", tick,
                              sheet->rows[i].observer, saying->source);
        PHX_ASSERT(length > 0 && length < PHX_OUT_RESERVE_MAX);
        phx_out_advance(out, (size_t)length);
        write_text(out, sheet->texts + saying->first, saying->bytes);
        *phx_out_reserve(out) = '\n';
        phx_out_advance(out, 1);
    }
    sheet->saying_count = sheet->row_count = sheet->text_bytes = 0;
}

void phx_heard_sheet_release(phx_heard_sheet *sheet)
{
    phx_release(sheet->mem, (void **)&sheet->sayings, &sheet->saying_capacity, sizeof *sheet->sayings);
    phx_release(sheet->mem, (void **)&sheet->rows, &sheet->row_capacity, sizeof *sheet->rows);
    phx_release(sheet->mem, (void **)&sheet->texts, &sheet->text_capacity, 1);
    sheet->saying_count = sheet->row_count = sheet->text_bytes = 0;
}

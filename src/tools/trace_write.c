/*
 * From rows to lines; see trace_write.h. Fields stand in the order of `columns`; empty ones at the end of a line are
 * left out.
 */
#include "tools/trace_write.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The order of the columns: the ones of many lines come first, so that most lines are short. */
/* clang-format off */
#define WRITTEN_COLUMNS(X) \
    X(tick) X(op) X(id) X(x) X(y) X(z) X(other) X(kind) X(view) X(margin) X(reach) X(visible) X(instance) X(layers) \
    X(sees) X(veiled) X(stealth) X(detect) X(global) X(ready) X(remote) X(cap) X(priority) X(user_data) X(consumer) \
    X(radius) X(x2) X(y2) X(z2) X(corners) X(follow) X(self) X(seen) X(text) X(bytes)
/* clang-format on */

enum {
#define COLUMN_PLACE(name) AT_##name,
    WRITTEN_COLUMNS(COLUMN_PLACE) AT_END
#undef COLUMN_PLACE
};

static const char *const op_words[PHX_TRACE_OP_COUNT] = {
#define OP_WORD(name, word) word,
    PHX_TRACE_OP_LIST(OP_WORD)
#undef OP_WORD
};

/* A line that is being written. */
typedef struct written_line {
    const phx_trace_writer *writer;
    uint32_t at; /* the column that it has come to */
} written_line;

/* Goes on to a column, behind the last one. */
static void go_to(written_line *line, uint32_t column)
{
    PHX_ASSERT(column >= line->at);
    for (; line->at < column; line->at++) phx_out_put(line->writer->out, ",", 1);
}

__attribute__((format(printf, 3, 4))) static void put(written_line *line, uint32_t column, const char *format, ...)
{
    char text[PHX_OUT_RESERVE_MAX];
    va_list arguments;
    go_to(line, column);
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    PHX_ASSERT(length >= 0 && (size_t)length < sizeof text);
    phx_out_put(line->writer->out, text, (size_t)length);
}

/* All digits that a float has; `%g` under the C locale, which no program of ours leaves. */
static void put_float(written_line *line, uint32_t column, float value)
{
    put(line, column, "%.9g", (double)value);
}

static void put_kinds(written_line *line, uint32_t count, const uint32_t *kinds)
{
    const phx_trace_writer *writer = line->writer;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = writer->name(writer->user, kinds[i]);
        if (i > 0) phx_out_put(writer->out, ";", 1);
        if (name) put(line, AT_kind, "%s", name);
        else put(line, AT_kind, "#%u", kinds[i]);
    }
}

/* ---- groups of fields ---- */

static void put_body(written_line *line, const ph_attrs *attrs)
{
    if (attrs->given & PH_X) put_float(line, AT_x, attrs->x);
    if (attrs->given & PH_Y) put_float(line, AT_y, attrs->y);
    if (attrs->given & PH_Z) put_float(line, AT_z, attrs->z);
}

static void put_attrs(written_line *line, const ph_attrs *attrs)
{
    const uint32_t given = attrs->given;
    put_body(line, attrs);
    if (given & PH_KIND) go_to(line, AT_kind), put_kinds(line, 1, &attrs->kind);
    if (given & PH_VIEW) put_float(line, AT_view, attrs->view);
    if (given & PH_MARGIN) put_float(line, AT_margin, attrs->margin);
    if (given & PH_REACH) put_float(line, AT_reach, attrs->reach);
    if (given & PH_VISIBLE) put_float(line, AT_visible, attrs->visible);
    if (given & PH_INSTANCE) put(line, AT_instance, "%u", attrs->instance);
    if (given & PH_LAYERS) put(line, AT_layers, "0x%llx", (unsigned long long)attrs->layers);
    if (given & PH_SEES) put(line, AT_sees, "0x%llx", (unsigned long long)attrs->sees);
    if (given & PH_VEILED) put(line, AT_veiled, "%d", attrs->veiled);
    if (given & PH_STEALTH) put(line, AT_stealth, "%u", attrs->stealth);
    if (given & PH_DETECT) put(line, AT_detect, "%u", attrs->detect);
    if (given & PH_GLOBAL) put(line, AT_global, "%d", attrs->global);
    if (given & PH_READY) put(line, AT_ready, "%d", attrs->ready);
    if (given & PH_REMOTE) put(line, AT_remote, "%d", attrs->remote);
    if (given & PH_CAP) put(line, AT_cap, "%u", attrs->cap);
    if (given & PH_PRIORITY) put(line, AT_priority, "%u", attrs->priority);
    if (given & PH_USER_DATA) put(line, AT_user_data, "%llu", (unsigned long long)attrs->user_data);
    if (given & PH_CONSUMER) put(line, AT_consumer, "%u", attrs->consumer);
}

/* A payload that is no field of a line has two digits a byte. */
static void put_payload(written_line *line, const phx_trace_row *row)
{
    const bool plain = row->op != PHX_TRACE_OP_IMPORT && phx_is_field(row->text, row->text_bytes);
    if (row->text_bytes == 0) return;
    go_to(line, plain ? AT_text : AT_bytes);
    if (plain) phx_out_put(line->writer->out, row->text, row->text_bytes);
    else phx_out_put_hex(line->writer->out, row->text, row->text_bytes);
}

static void put_broadcast(written_line *line, const phx_trace_row *row)
{
    const ph_area *area = &row->area;
    const bool placed = row->op == PHX_TRACE_OP_BROADCAST_AT;
    if (placed) put_body(line, &row->attrs);
    if (area->kind_count > 0) go_to(line, AT_kind), put_kinds(line, area->kind_count, area->kinds);
    if (placed) put(line, AT_instance, "%u", row->attrs.instance);
    if (placed) put(line, AT_layers, "0x%llx", (unsigned long long)row->attrs.layers);
    if (placed || area->radius != 0) put_float(line, AT_radius, area->radius);
    if (row->self) put(line, AT_self, "1");
    if (row->seen) put(line, AT_seen, "1");
    put_payload(line, row);
}

static void put_corners(written_line *line, const ph_area *area)
{
    for (uint32_t i = 0; i < area->corner_count; i++)
        put(line, AT_corners, "%s%.9g:%.9g", i > 0 ? ";" : "", (double)area->corners[i][0],
            (double)area->corners[i][1]);
}

static void put_area(written_line *line, const ph_area *area)
{
    const bool box = area->shape == PH_AREA_BOX, polygon = area->shape == PH_AREA_POLYGON;
    const float *at = box ? area->low : area->center;
    if (!polygon) put_float(line, AT_x, at[0]);
    if (!polygon) put_float(line, AT_y, at[1]);
    if (area->flags & PH_AREA_HEIGHT) put_float(line, AT_z, area->z_low);
    if (area->kind_count > 0) go_to(line, AT_kind), put_kinds(line, area->kind_count, area->kinds);
    if (area->margin != 0) put_float(line, AT_margin, area->margin);
    if (area->flags & PH_AREA_IN_INSTANCE) put(line, AT_instance, "%u", area->instance);
    if (area->layers != 0) put(line, AT_layers, "0x%llx", (unsigned long long)area->layers);
    if (!polygon && !box) put_float(line, AT_radius, area->radius);
    if (box) put_float(line, AT_x2, area->high[0]);
    if (box) put_float(line, AT_y2, area->high[1]);
    if (area->flags & PH_AREA_HEIGHT) put_float(line, AT_z2, area->z_high);
    if (polygon) put_corners(line, area);
    if (area->flags & PH_AREA_FOLLOW) put(line, AT_follow, "%llu", (unsigned long long)area->follow);
}

/* ---- lines ---- */

void phx_trace_write_header(const phx_trace_writer *writer)
{
    written_line line = {.writer = writer, .at = 0};
#define COLUMN_NAME(name) put(&line, AT_##name, "%s", #name);
    WRITTEN_COLUMNS(COLUMN_NAME)
#undef COLUMN_NAME
    phx_out_put(writer->out, "\n", 1);
}

void phx_trace_write_row(const phx_trace_writer *writer, const phx_trace_row *row)
{
    written_line line = {.writer = writer, .at = 0};
    put(&line, AT_tick, "%llu", (unsigned long long)row->tick);
    put(&line, AT_op, "%s", op_words[row->op]);
    put(&line, AT_id, "%llu", (unsigned long long)row->id);
    switch (row->op) {
    case PHX_TRACE_OP_ENTER:
    case PHX_TRACE_OP_SET:
        put_attrs(&line, &row->attrs);
        break;
    case PHX_TRACE_OP_MOVE:
        put_body(&line, &row->attrs);
        break;
    case PHX_TRACE_OP_PAIR:
        put(&line, AT_other, "%llu", (unsigned long long)row->other);
        put_float(&line, AT_view, row->attrs.view);
        put_float(&line, AT_margin, row->attrs.margin);
        break;
    case PHX_TRACE_OP_BROADCAST:
    case PHX_TRACE_OP_BROADCAST_AT:
        put_broadcast(&line, row);
        break;
    case PHX_TRACE_OP_AREA:
        put_area(&line, &row->area);
        break;
    case PHX_TRACE_OP_IMPORT:
    case PHX_TRACE_OP_CONFIG:
        put_payload(&line, row);
        break;
    default:
        if (row->other != 0) put(&line, AT_other, "%llu", (unsigned long long)row->other);
        break;
    }
    phx_out_put(writer->out, "\n", 1);
}

/*
 * The trace reader's outer half: the file, its header, comments, line numbers and the
 * order of ticks; see trace.h. The inner half, a line's text, is trace_row.c.
 */
#include "tools/trace.h"

#include <string.h>

#include "tools/cli.h"
#include "tools/text_input.h"
#include "tools/trace_row.h"

struct phx_trace {
    phx_mem *mem;
    phx_text *text;
    phx_trace_reading reading;
    bool started; /* a good row has been read: `tick` is its tick */
    uint64_t tick;
};

const char *phx_trace_bad_text(phx_trace_bad bad)
{
    static const char *const texts[PHX_TRACE_BAD_COUNT] = {
#define BAD_TEXT(name, text) text,
        PHX_TRACE_BAD_LIST(BAD_TEXT)
#undef BAD_TEXT
    };
    PHX_ASSERT(bad < PHX_TRACE_BAD_COUNT);
    return texts[bad];
}

/* ---- lines that say something ---- */

static bool says_nothing(const char *line, size_t length)
{
    return length == 0 || line[0] == '#';
}

/* The next line that is neither blank nor a comment. Sets error->line; for TOO_LONG and BROKEN all of *error. */
static phx_text_result next_line(phx_trace *trace, char **line, size_t *length, phx_trace_error *error)
{
    phx_text_result result;
    do {
        result = phx_text_next(trace->text, line, length);
        if (result == PHX_TEXT_LINE && phx_text_line_number(trace->text) == 1) phx_text_skip_mark(line, length);
    } while (result == PHX_TEXT_LINE && says_nothing(*line, *length));
    error->line = phx_text_line_number(trace->text);
    if (result == PHX_TEXT_TOO_LONG)
        phx_trace_refuse(error, PHX_TRACE_BAD_TOO_LONG, "the line has more than %d bytes", PHX_TEXT_LINE_MAX);
    if (result == PHX_TEXT_BROKEN) phx_trace_refuse(error, PHX_TRACE_BAD_VALUE, "%s", phx_text_trouble(trace->text));
    return result;
}

/* ---- opening ---- */

static bool read_header(phx_trace *trace, phx_trace_error *error)
{
    char *line;
    size_t length;
    phx_text_result result = next_line(trace, &line, &length, error);
    if (result == PHX_TEXT_END)
        return phx_trace_refuse(error, PHX_TRACE_BAD_VALUE,
                                "the file ends without a header line, which names the columns: tick,op,id,...");
    if (result != PHX_TEXT_LINE) return false;
    phx_text_skip_mark(&line, &length); /* behind comments that a person put in front */
    return phx_trace_read_header(&trace->reading.columns, line, length, error);
}

ph_status phx_trace_open(phx_trace **trace, phx_mem *mem, const phx_trace_source *source, phx_trace_error *error)
{
    *trace = NULL;
    phx_trace *made = phx_alloc_zero(mem, sizeof *made, _Alignof(phx_trace));
    if (!made) return PH_NO_MEMORY;
    made->mem = mem;
    made->reading.kind = source->kind;
    made->reading.kind_user = source->kind_user;
    made->reading.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!made->reading.locale) {
        phx_trace_close(made);
        return PH_NO_MEMORY;
    }
    const char *trouble = NULL;
    ph_status status = phx_text_open(&made->text, mem, source->path, source->unpack_max_bytes, &trouble);
    error->line = 0;
    if (status == PH_BAD_ARGUMENT) phx_trace_refuse(error, PHX_TRACE_BAD_VALUE, "%s", trouble);
    if (status == PH_OK && !read_header(made, error)) status = PH_BAD_ARGUMENT;
    if (status == PH_OK) *trace = made;
    else phx_trace_close(made);
    return status;
}

void phx_trace_close(phx_trace *trace)
{
    if (!trace) return;
    phx_text_close(trace->text);
    if (trace->reading.locale) freelocale(trace->reading.locale);
    phx_free(trace->mem, trace, sizeof *trace, _Alignof(phx_trace));
}

/* ---- rows ---- */

static bool check_tick(const phx_trace *trace, uint64_t tick, phx_trace_error *error)
{
    if (!trace->started) return true;
    if (tick < trace->tick)
        return phx_trace_refuse(error, PHX_TRACE_BAD_ORDER, "tick goes down, from %llu to %llu",
                                (unsigned long long)trace->tick, (unsigned long long)tick);
    if (tick - trace->tick > PHX_TRACE_GAP_MAX)
        return phx_trace_refuse(error, PHX_TRACE_BAD_GAP, "tick jumps from %llu to %llu, by more than %llu",
                                (unsigned long long)trace->tick, (unsigned long long)tick,
                                (unsigned long long)PHX_TRACE_GAP_MAX);
    return true;
}

phx_trace_result phx_trace_next(phx_trace *trace, phx_trace_row *row, phx_trace_error *error)
{
    char *line = NULL;
    size_t length = 0;
    switch (next_line(trace, &line, &length, error)) {
    case PHX_TEXT_END:
        return PHX_TRACE_END;
    case PHX_TEXT_BROKEN:
        return PHX_TRACE_BROKEN;
    case PHX_TEXT_TOO_LONG:
        return PHX_TRACE_BAD;
    case PHX_TEXT_LINE:
        break;
    }
    if (!phx_trace_read_row(&trace->reading, line, length, row, error) || !check_tick(trace, row->tick, error))
        return PHX_TRACE_BAD;
    row->line = error->line;
    PHX_ASSERT(row->line > 0);
    trace->started = true;
    trace->tick = row->tick;
    return PHX_TRACE_ROW;
}

double phx_trace_share(const phx_trace *trace)
{
    return phx_text_share(trace->text);
}

bool phx_trace_is_file(const phx_trace *trace, const char *path)
{
    return phx_text_is_file(trace->text, path);
}

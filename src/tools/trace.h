/*
 * The trace reader: recorded commands out of a CSV file, plain or gzip, checked line by
 * line. Used by pharos-replay, pharos-bench and the tests, by one thread; knows nothing
 * of worlds.
 *
 * The first line that is neither blank nor a comment (#) names the columns, in any order:
 * tick, op and id are required; the comments before it may have a definition (trace_head.h). An empty field is one not
 * given; empty fields at the end of a line may be missing. The columns that a line may and must give depend on its op.
 */
#ifndef PHX_TOOLS_TRACE_H
#define PHX_TOOLS_TRACE_H

#include <pharos/types.h>

#include "base/mem.h"
#include "tools/trace_types.h"

typedef enum phx_trace_result {
    PHX_TRACE_ROW,
    PHX_TRACE_BAD, /* this line is bad; the next call goes on behind it */
    PHX_TRACE_END,
    PHX_TRACE_BROKEN /* the file can not be read on */
} phx_trace_result;

/* The most that gzip data may unpack to by default: minutes of a large game, at worst a few seconds of reading.
 */
static const uint64_t PHX_TRACE_UNPACK_MAX_BYTES = (uint64_t)256 << 20;

typedef struct phx_trace_source {
    const char *path;
    uint64_t unpack_max_bytes; /* of gzip data */
    phx_trace_kind_fn kind;    /* NULL: all are kind 0 */
    void *kind_user;
} phx_trace_source;

typedef struct phx_trace phx_trace;

/* Opens a file and reads its header. PH_NO_MEMORY; PH_BAD_ARGUMENT: *error says why. */
PH_NODISCARD ph_status phx_trace_open(phx_trace **trace, phx_mem *mem, const phx_trace_source *source,
                                      phx_trace_error *error);
/* trace may be NULL. */
void phx_trace_close(phx_trace *trace);

/* The next line: fills *row, or *error (BAD and BROKEN). */
phx_trace_result phx_trace_next(phx_trace *trace, phx_trace_row *row, phx_trace_error *error);

/* As phx_text_share() and phx_text_is_file(). */
double phx_trace_share(const phx_trace *trace);
bool phx_trace_is_file(const phx_trace *trace, const char *path);

/* The class' sentence. */
const char *phx_trace_bad_text(phx_trace_bad bad);

#endif

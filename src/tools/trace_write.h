/*
 * Writes rows as lines of a trace: trace.h reads the same rows from it, to the bit. Used by pharos-replay for
 * journals, by one thread.
 */
#ifndef PHX_TOOLS_TRACE_WRITE_H
#define PHX_TOOLS_TRACE_WRITE_H

#include "tools/out_file.h"
#include "tools/trace_types.h"

/* The name of a kind's class. NULL: it has none of its own. */
typedef const char *(*phx_trace_name_fn)(void *user, uint32_t kind);

typedef struct phx_trace_writer {
    phx_out *out;
    phx_trace_name_fn name;
    void *user;
} phx_trace_writer;

/* The header line; all columns that there are. */
void phx_trace_write_header(const phx_trace_writer *writer);

/* A row, of which no field is asked for that its op does not take. */
void phx_trace_write_row(const phx_trace_writer *writer, const phx_trace_row *row);

#endif

/*
 * One line of a trace: which columns there are, and from a line's text to a checked row.
 * The inner half of the trace reader (trace.c), which owns the file and calls this.
 */
#ifndef PHX_TOOLS_TRACE_ROW_H
#define PHX_TOOLS_TRACE_ROW_H

#include <locale.h>

#include "tools/trace_types.h"

enum { PHX_TRACE_COLUMNS_MAX = 64 }; /* more than there are; a header can not repeat one */

/* The header: the column of each field of a line. */
typedef struct phx_trace_columns {
    uint32_t count;
    uint64_t present; /* bit per column */
    uint8_t order[PHX_TRACE_COLUMNS_MAX];
} phx_trace_columns;

/* The context for reading a line. */
typedef struct phx_trace_reading {
    phx_trace_columns columns;
    locale_t locale; /* the C locale, whatever the program's is: decimal points are points */
    phx_trace_kind_fn kind;
    void *kind_user;
} phx_trace_reading;

/* Reads the header line (changed on the way). false: error->reason. */
bool phx_trace_read_header(phx_trace_columns *columns, char *line, size_t length, phx_trace_error *error);

/* Reads a line (changed on the way) into *row, all but row->line. false: error->bad and reason, *row is undefined. */
bool phx_trace_read_row(const phx_trace_reading *reading, char *line, size_t length, phx_trace_row *row,
                        phx_trace_error *error);

/* Sets error->bad and reason; returns false. */
__attribute__((format(printf, 3, 4))) bool phx_trace_refuse(phx_trace_error *error, phx_trace_bad bad,
                                                            const char *format, ...);

#endif

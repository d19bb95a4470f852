/*
 * The rows of a trace that is made of a journal: commands as a world has them. Used by replay_csv.c, and by
 * replay_csv_image.c for the entities of an image.
 */
#ifndef PHX_TOOLS_REPLAY_CSV_ROWS_H
#define PHX_TOOLS_REPLAY_CSV_ROWS_H

#include "tools/trace_write.h"
#include "world/state/world.h"

typedef struct phx_csv_rows {
    phx_trace_writer writer;
    const phx_world *world; /* names its classes */
    uint64_t tick;          /* of the rows that follow */
    uint64_t row_tick;      /* of the last row */
    uint64_t first_tick;    /* the trace begins with it */
    uint64_t shift;         /* from the world's ticks, as all of these are, to the trace's */
    bool begun;             /* there is a row */
} phx_csv_rows;

/* Writes the header. The first row is of this tick. */
void phx_csv_begin(phx_csv_rows *rows, phx_out *out, const phx_world *world, uint64_t tick, uint64_t shift);
/* The tick that the trace ends with, also if it has no command. */
void phx_csv_end(phx_csv_rows *rows, uint64_t tick);

/* Commands of one kind; an apply; an assignment to a live key. */
void phx_csv_run(phx_csv_rows *rows, const phx_command_run *run);
void phx_csv_apply(phx_csv_rows *rows);
void phx_csv_config(phx_csv_rows *rows, const char *assignment);

/* Rows of the present tick. */
void phx_csv_attrs(phx_csv_rows *rows, phx_trace_op op, uint64_t id, const ph_attrs *attrs);
void phx_csv_two(phx_csv_rows *rows, phx_trace_op op, uint64_t id, uint64_t other);
void phx_csv_pair(phx_csv_rows *rows, uint64_t id, uint64_t other, float view, float margin);
void phx_csv_area(phx_csv_rows *rows, uint64_t id, const ph_area *area);
void phx_csv_import(phx_csv_rows *rows, uint64_t id, const void *capsule, size_t bytes);

#endif

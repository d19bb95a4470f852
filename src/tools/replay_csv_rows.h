/*
 * The rows of a trace that is made of a journal: of an image's entities, and of commands as a world has them. Used by
 * replay_csv.c.
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
} phx_csv_rows;

/* Writes the header, and a row that begins the trace in this tick. */
void phx_csv_begin(phx_csv_rows *rows, phx_out *out, const phx_world *world, uint64_t tick);
/* The tick that the trace ends with, also if it has no command. */
void phx_csv_end(phx_csv_rows *rows, uint64_t tick);

/* All that the world has, in its tick and the next one. false = no memory. */
bool phx_csv_image(phx_csv_rows *rows, ph_world world, phx_mem *mem);

/* Commands of one kind; an apply; an assignment to a live key. */
void phx_csv_run(phx_csv_rows *rows, const phx_command_run *run);
void phx_csv_apply(phx_csv_rows *rows);
void phx_csv_config(phx_csv_rows *rows, const char *assignment);

#endif

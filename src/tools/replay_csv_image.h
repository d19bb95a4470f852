/*
 * The state of a world as rows of a trace, from which on the trace has its events. Used by replay_csv.c, between ticks.
 */
#ifndef PHX_TOOLS_REPLAY_CSV_IMAGE_H
#define PHX_TOOLS_REPLAY_CSV_IMAGE_H

#include "tools/replay_csv_rows.h"

/* All that the world has, in its tick and the one before. false = no memory. */
bool phx_csv_image(phx_csv_rows *rows, ph_world world, phx_mem *mem);

#endif

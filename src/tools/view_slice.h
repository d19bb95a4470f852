/*
 * A slice of a recorded world from any tick on, as a trace: it begins with the world's state, as pharos-replay --csv
 * writes that of an image, and has the same events from there on. Called by view_run.c, between ticks.
 */
#ifndef PHX_TOOLS_VIEW_SLICE_H
#define PHX_TOOLS_VIEW_SLICE_H

#include <stdio.h>

#include "tools/view_source.h"

enum { PHX_SLICE_BYTES_MAX = 32 << 20 }; /* program and page have it in memory, some of the time four times */
extern const char phx_slice_too_long[];

/* A trace of a world that is replayed, on its way into a slice through a file of its own. */
typedef struct phx_slice_file {
    char path[PHX_SOURCE_REASON_SIZE];
    FILE *reasons; /* for the replay, into the slice's reason; NULL with `path` empty: neither is to be had */
} phx_slice_file;

/* false: the slice's reason says why. */
bool phx_slice_file_open(phx_slice_file *file, phx_view_slice *slice);
/* written: its text becomes the slice's. Ends it. false: the slice's reason says why. */
bool phx_slice_file_close(phx_slice_file *file, bool written, phx_view_slice *slice);

/* Ticks from `first` to `last`; a slice from the source's first tick, or one before, is source->slice(). false: its
   reason says why. */
bool phx_view_slice_make(const phx_view_source *source, uint64_t first, uint64_t last, phx_view_slice *slice);

#endif

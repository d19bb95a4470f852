/*
 * A slice of a recorded world from any tick on, as a trace: it begins with the world's state, as pharos-replay --csv
 * writes that of an image, and has the same events from there on. Called by view_run.c, between ticks.
 */
#ifndef PHX_TOOLS_VIEW_SLICE_H
#define PHX_TOOLS_VIEW_SLICE_H

#include "tools/view_source.h"

/* A file of its own that goes with the slice; false: none is to be had. All of a file, from malloc(); NULL: no memory,
   or it can not be read. */
bool phx_open_scratch(char *path, size_t size);
char *phx_read_file(const char *path, size_t *bytes);

/*
 * Ticks from `first` to `last`; a slice from the source's first tick, or one before, is source->slice(). From malloc().
 * NULL: it can not be made; the reason is on stderr.
 */
char *phx_view_slice(const phx_view_source *source, uint64_t first, uint64_t last, size_t *bytes);

#endif

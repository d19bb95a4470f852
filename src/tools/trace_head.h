/*
 * The definition in the head of a trace: lines "#config ..." before the line that names the columns, each with a line
 * of a config file behind the word. For readers that know nothing of it they are comments. So a trace that is cut out
 * of a recording (pharos-replay --csv, the page of pharos-view) says of which world it is. Called by the main threads
 * of programs, before there is a world.
 */
#ifndef PHX_TOOLS_TRACE_HEAD_H
#define PHX_TOOLS_TRACE_HEAD_H

#include <pharos/config.h>

#include "base/mem.h"

/* A longer definition is refused; one that begins behind so many lines is not looked for. */
enum { PHX_TRACE_HEAD_MAX_BYTES = 1 << 20 };

/*
 * Loads the definition of a trace's head, as ph_config_load() does that of a file; *error names the trace and its line.
 * A trace without one, one that can not be opened, and one that is no regular file (its bytes come once) change
 * nothing.
 */
PH_NODISCARD ph_status phx_trace_head_load(ph_config *config, phx_mem *mem, const char *path, uint64_t unpack_max_bytes,
                                           ph_config_error *error);

/* Is it a line of the definition? */
bool phx_trace_head_has(const char *line);

/* A definition as lines of a head, from malloc(). NULL: no memory. */
char *phx_trace_head_make(const ph_world_def *def, size_t *bytes);

#endif

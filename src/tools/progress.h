/*
 * One line of progress on stderr: rewritten in place ten times a second on a terminal,
 * else a line of its own every ten seconds, so that a log stays short. Owned by a
 * program's main function; used between ticks only, but phx_progress_clear().
 */
#ifndef PHX_TOOLS_PROGRESS_H
#define PHX_TOOLS_PROGRESS_H

#include <stdatomic.h>

#include "base/core.h"

typedef struct phx_progress {
    uint64_t next_ns; /* when the next line is due */
    bool terminal;
    /* a line stands on the terminal and must be wiped before other output; relaxed: it guards nothing else */
    _Atomic bool shown;
} phx_progress;

void phx_progress_start(phx_progress *progress);

/* Is it time? Costs one read of the clock. */
bool phx_progress_due(const phx_progress *progress);

/* Shows the line (without a newline in it), whether it is due or not. */
__attribute__((format(printf, 2, 3))) void phx_progress_show(phx_progress *progress, const char *format, ...);

/* Wipes the line: call before anything else is printed, and at the end. Any thread, as a store's one logs. */
void phx_progress_clear(phx_progress *progress);

#endif

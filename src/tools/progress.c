/*
 * The progress line; see progress.h. Writes to stderr only.
 */
#include "tools/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cli.h"

static const uint64_t TERMINAL_PERIOD_NS = 100u * 1000 * 1000;
static const uint64_t LOG_PERIOD_NS = 10ull * 1000 * 1000 * 1000;
enum { LINE_SIZE = 80 }; /* longer lines would wrap on a narrow terminal and could not be wiped */

static uint64_t period_ns(const phx_progress *progress)
{
    return progress->terminal ? TERMINAL_PERIOD_NS : LOG_PERIOD_NS;
}

void phx_progress_start(phx_progress *progress)
{
    const char *term = getenv("TERM");
    progress->terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    atomic_store_explicit(&progress->shown, false, memory_order_relaxed);
    progress->next_ns = phx_clock_ns() + period_ns(progress);
}

bool phx_progress_due(const phx_progress *progress)
{
    return phx_clock_ns() >= progress->next_ns;
}

void phx_progress_show(phx_progress *progress, const char *format, ...)
{
    char line[LINE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    PHX_ASSERT(length >= 0);
    (void)length;
    if (progress->terminal) fprintf(stderr, "\r\033[K%s", line);
    else fprintf(stderr, "%s\n", line);
    fflush(stderr);
    atomic_store_explicit(&progress->shown, progress->terminal, memory_order_relaxed);
    progress->next_ns = phx_clock_ns() + period_ns(progress);
}

void phx_progress_clear(phx_progress *progress)
{
    if (atomic_exchange_explicit(&progress->shown, false, memory_order_relaxed)) fputs("\r\033[K", stderr);
}

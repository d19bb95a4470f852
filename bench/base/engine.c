/*
 * The message of a failed engine or stream; see engine.h.
 */
#include "bench/base/engine.h"

#include <stdarg.h>
#include <stdio.h>

bool bench_fail(bench_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return false;
}

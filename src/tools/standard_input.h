/*
 * "-" as the standard input, where a program reads a file. Called by the programs' main threads while the command line
 * is read, before anything is opened. The only state is the standard input itself.
 */
#ifndef PHX_TOOLS_STANDARD_INPUT_H
#define PHX_TOOLS_STANDARD_INPUT_H

#include <stdint.h>

#include "base/core.h"

/* The most that phx_stdin_keep() takes. */
static const uint64_t PHX_STDIN_KEPT_MAX_BYTES = (uint64_t)1 << 30;

/* The path to open: for "-" the name that the system has for the standard input, which messages show too. */
const char *phx_input_path(const char *path);

/* Did phx_input_path() give it for "-"? path may be NULL. */
bool phx_is_stdin(const char *path);

/*
 * Reads a standard input that is a pipe or a terminal to its end and keeps it in memory, so that each opening of
 * phx_input_path("-") begins at its first byte. A regular file is left as it is. NULL, or why it can not be kept.
 */
const char *phx_stdin_keep(void);

#endif

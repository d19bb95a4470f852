/*
 * Small things that every program needs: exit statuses, strict parsing of numbers from
 * the command line and from files, quoting of foreign text in messages, JSON strings,
 * the clock. Stateless; called from the main threads of the programs, outside of ticks.
 */
#ifndef PHX_TOOLS_CLI_H
#define PHX_TOOLS_CLI_H

#include <stdio.h>

#include "base/core.h"

/* Exit statuses of all programs. */
enum {
    PHX_EXIT_OK = 0,
    PHX_EXIT_TROUBLE = 1, /* out of memory, can not write, no thread to be had */
    PHX_EXIT_USAGE = 2    /* bad command line, config or input file */
};

/* Room for any phx_quote() result with its terminator. */
enum { PHX_QUOTE_SIZE = 176 };

/* Decimal digits and nothing else (no sign, no blank), value in [min, max]. false: *value is as before. */
bool phx_parse_u64(const char *text, size_t length, uint64_t min, uint64_t max, uint64_t *value);

/* A number of bytes: decimal digits, and K, M or G behind them for 2^10, 2^20 or 2^30; at least 1. As above. */
bool phx_parse_bytes(const char *text, uint64_t *value);

/* "4x2", both in [1, UINT32_MAX]. false: *a and *b are as before. */
bool phx_parse_nxm(const char *text, uint32_t *a, uint32_t *b);

/*
 * Takes the next item of a comma separated list: copies it to `item` (cut to `size`, which
 * no accepted word reaches) and moves *list behind it. false = the list is at its end.
 * "a,,b" yields an empty item in the middle; the empty text yields none.
 */
bool phx_next_item(const char **list, char *item, size_t size);

/* The text in double quotes, unprintable bytes as \xNN, cut after 40 bytes with "...". Returns quoted. */
const char *phx_quote(char quoted[PHX_QUOTE_SIZE], const char *text, size_t length);

/* Writes text as a JSON string, quotes included; bytes that are not ASCII go out as they are. */
void phx_json_string(FILE *out, const char *text);

/*
 * Call it before a file is opened. Where the path is a named pipe, opening it waits for its other end; then this says
 * so, "PROGRAM: waiting for a writer of PATH", if standard error is a terminal. other_end: "writer" or "reader".
 */
void phx_say_waiting(const char *path, const char *other_end);

/* Monotonic time. */
uint64_t phx_clock_ns(void);

#endif

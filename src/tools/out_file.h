/*
 * An output file that is there whole or not at all: written as PATH.tmp-PID and renamed
 * when it is complete; removed on failure and on SIGINT, SIGTERM and SIGHUP, unless its owner
 * says that what it has so far is of use alone. PATH "-" is
 * stdout; a path that is no regular file (/dev/null, a pipe) is written in place.
 * Every short write is an error that sticks. Owned by a program's main thread; four such
 * files at a time are removed on signals.
 */
#ifndef PHX_TOOLS_OUT_FILE_H
#define PHX_TOOLS_OUT_FILE_H

#include "base/mem.h"

enum { PHX_OUT_RESERVE_MAX = 256 };

typedef struct phx_out phx_out;

/* PH_NO_MEMORY; PH_BAD_ARGUMENT: can not be written, *trouble says why, until the next call of strerror(). */
PH_NODISCARD ph_status phx_out_open(phx_out **out, phx_mem *mem, const char *path, const char **trouble);

/* A file of more bytes than this is trouble. The text lives as long as the file. */
void phx_out_limit(phx_out *out, uint64_t bytes, const char *trouble);

/* Room for up to PHX_OUT_RESERVE_MAX bytes; phx_out_advance() says how many were put there. */
char *phx_out_reserve(phx_out *out);
void phx_out_advance(phx_out *out, size_t bytes);

/* Bytes of any number. */
void phx_out_put(phx_out *out, const void *bytes, size_t count);
/* The same, two hexadecimal digits each. */
void phx_out_put_hex(phx_out *out, const void *bytes, size_t count);
/* Are they a field of CSV as they are: ASCII without a comma and without control characters? */
bool phx_is_field(const void *bytes, size_t count);

/*
 * Bytes so far are of use without the ones to come: they go to the file now, and a signal gives it its name instead of
 * removing it.
 */
void phx_out_keep(phx_out *out);

/* NULL = no error so far; else the reason why it can not be written. Later bytes are dropped then. */
const char *phx_out_trouble(const phx_out *out);

/*
 * Ends the file. commit: it gets its name; else, and on any failure, it is gone. Returns
 * NULL, or why it could not be written. out may be NULL.
 */
const char *phx_out_close(phx_out *out, bool commit);

/* Writes value in decimal at `to` and returns the place behind it; at most 20 bytes. */
char *phx_put_u64(char *to, uint64_t value);

#endif

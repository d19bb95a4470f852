/*
 * Lines out of a file that is plain text or gzip (by its first two bytes), of any
 * size, in bounded memory. A line has a longest length, and gzip data unpacks to a most
 * bytes, so that a small or endless file can not keep a program busy for ever. Damage of
 * the compressed data is distinguished from the end of the file. Used by the trace reader,
 * by one thread.
 */
#ifndef PHX_TOOLS_TEXT_INPUT_H
#define PHX_TOOLS_TEXT_INPUT_H

#include "base/mem.h"

/*
 * Longest line in bytes, without its line end: a payload or capsule of 64 KiB has two digits a byte, the other fields
 * are less than 4 KiB.
 */
enum { PHX_TEXT_LINE_MAX = (2 * 64 + 4) * 1024 };

/* A longer line is passed over if it ends within so many bytes. Beyond them the file is not a text of lines. */
enum { PHX_TEXT_SKIP_MAX = 1024 * 1024 };

typedef struct phx_text phx_text;

typedef enum phx_text_result {
    PHX_TEXT_LINE,     /* a line */
    PHX_TEXT_TOO_LONG, /* a line of more than PHX_TEXT_LINE_MAX bytes; the next call passes over it */
    PHX_TEXT_END,      /* the file ended as it should */
    PHX_TEXT_BROKEN    /* it can not be read on: see phx_text_trouble() */
} phx_text_result;

/*
 * Opens a file; gzip data that unpacks to more than unpack_max_bytes is BROKEN there. PH_NO_MEMORY;
 * PH_BAD_ARGUMENT: *trouble says why, until the next call of strerror(). Opening a named pipe waits for a writer.
 */
PH_NODISCARD ph_status phx_text_open(phx_text **text, phx_mem *mem, const char *path, uint64_t unpack_max_bytes,
                                     const char **trouble);
/* text may be NULL. */
void phx_text_close(phx_text *text);

/*
 * The next line: *line is writable, ends with a zero byte (in place of LF or CR LF) and
 * lives until the next call; *length counts all bytes before it, zero bytes too. A last
 * line need not end with LF. After END or BROKEN every call returns the same again.
 */
phx_text_result phx_text_next(phx_text *text, char **line, size_t *length);

/* Takes a byte order mark off the line's beginning: spreadsheets like to begin a file with it. */
void phx_text_skip_mark(char **line, size_t *length);

/* Number of the line that phx_text_next() met last, from 1; for BROKEN the one it could not finish. */
uint64_t phx_text_line_number(const phx_text *text);

/* After BROKEN: the reason. */
const char *phx_text_trouble(const phx_text *text);

/* Share of the file that has been read, in [0, 1]; negative when its size is not known (a pipe). */
double phx_text_share(const phx_text *text);

/* Device and inode: is it the same file as `path`? */
bool phx_text_is_file(const phx_text *text, const char *path);

#endif

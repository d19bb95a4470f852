/*
 * Parsing, quoting, the clock and the message for pipes, for the programs; see cli.h. No state.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* the program's name */
#endif
#include "tools/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { QUOTED_BYTES_MAX = 40 }; /* enough to find the place in a file, short enough for one line of a terminal */

_Static_assert(PHX_QUOTE_SIZE >= 4 * QUOTED_BYTES_MAX + sizeof "\"\"...", "every byte may become \\xNN");

bool phx_parse_u64(const char *text, size_t length, uint64_t min, uint64_t max, uint64_t *value)
{
    PHX_ASSERT(min <= max);
    if (length == 0) return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        if (__builtin_mul_overflow(sum, 10u, &sum)) return false;
        if (__builtin_add_overflow(sum, (uint64_t)(text[i] - '0'), &sum)) return false;
    }
    if (sum < min || sum > max) return false;
    *value = sum;
    return true;
}

bool phx_parse_bytes(const char *text, uint64_t *value)
{
    static const char suffixes[] = "KMG"; /* each 2^10 times the one before */
    size_t length = strlen(text);
    const char *suffix = length > 0 ? strchr(suffixes, text[length - 1]) : NULL;
    uint32_t shift = suffix ? 10 * (uint32_t)(suffix - suffixes + 1) : 0;
    if (!phx_parse_u64(text, length - (suffix != NULL), 1, UINT64_MAX >> shift, value)) return false;
    *value <<= shift;
    return true;
}

bool phx_parse_nxm(const char *text, uint32_t *a, uint32_t *b)
{
    const char *x = strchr(text, 'x');
    uint64_t first, second;
    if (!x || !phx_parse_u64(text, (size_t)(x - text), 1, UINT32_MAX, &first)) return false;
    if (!phx_parse_u64(x + 1, strlen(x + 1), 1, UINT32_MAX, &second)) return false;
    *a = (uint32_t)first;
    *b = (uint32_t)second;
    return true;
}

bool phx_next_item(const char **list, char *item, size_t size)
{
    PHX_ASSERT(size > 0);
    const char *from = *list;
    if (!from || from[0] == '\0') return false;
    size_t length = strcspn(from, ",");
    *list = from[length] == ',' ? from + length + 1 : from + length;
    size_t kept = length < size ? length : size - 1;
    memcpy(item, from, kept);
    item[kept] = '\0';
    return true;
}

const char *phx_quote(char quoted[PHX_QUOTE_SIZE], const char *text, size_t length)
{
    static const char hex[] = "0123456789abcdef";
    size_t shown = length < QUOTED_BYTES_MAX ? length : QUOTED_BYTES_MAX;
    char *to = quoted;
    *to++ = '"';
    for (size_t i = 0; i < shown; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\') {
            *to++ = (char)byte;
        } else {
            *to++ = '\\';
            *to++ = 'x';
            *to++ = hex[byte >> 4];
            *to++ = hex[byte & 15];
        }
    }
    *to++ = '"';
    *to = '\0';
    if (shown < length) memcpy(to, "...", sizeof "...");
    PHX_ASSERT(strlen(quoted) < PHX_QUOTE_SIZE);
    return quoted;
}

void phx_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *at = text; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte == '"' || byte == '\\') fprintf(out, "\\%c", byte);
        else if (byte < 0x20) fprintf(out, "\\u%04x", byte);
        else fputc(byte, out);
    }
    fputc('"', out);
}

/* A pipe without a name (a shell's <(...), or standard input) has its other end already. */
static bool is_named_pipe(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISFIFO(status.st_mode)) return false;
    char *name = realpath(path, NULL); /* /dev/fd/N leads to no name */
    bool named = name != NULL;
    free(name);
    return named;
}

void phx_say_waiting(const char *path, const char *other_end)
{
    if (isatty(STDERR_FILENO) && is_named_pipe(path))
        fprintf(stderr, "%s: waiting for a %s of %s\n", program_invocation_short_name, other_end, path);
}

uint64_t phx_clock_ns(void)
{
    struct timespec now;
    int failed = clock_gettime(CLOCK_MONOTONIC, &now);
    PHX_ASSERT(failed == 0);
    (void)failed;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

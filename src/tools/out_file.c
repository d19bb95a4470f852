/*
 * Output files that are whole or not there; see out_file.h. The only state outside of a
 * phx_out is the name that the signal handler removes.
 */
#include "tools/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/cli.h"

enum {
    BUFFER_SIZE = 256 * 1024,
    TEMPORARY_SIZE = PATH_MAX + 32 /* ".tmp-" and a pid */
};

struct phx_out {
    phx_mem *mem;
    const char *trouble;
    size_t used;
    uint64_t left;        /* bytes that the file may still get */
    const char *too_long; /* the trouble of more */
    int fd;
    bool named; /* written under `temporary`, to be renamed */
    char path[PATH_MAX];
    char temporary[TEMPORARY_SIZE];
    char buffer[BUFFER_SIZE];
};

/* ---- removal on signals ---- */

enum { DOOMED_MAX = 4 };
/* The handler removes them, or renames the ones with a name in kept; both are set and cleared by the main thread. */
static const char *_Atomic doomed[DOOMED_MAX], *_Atomic kept[DOOMED_MAX];
static const int deadly[] = {SIGINT, SIGTERM, SIGHUP};

static void remove_and_die(int number)
{
    for (size_t i = 0; i < DOOMED_MAX; i++) {
        const char *path = doomed[i];
        const char *name = kept[i];
        if (path && name) rename(path, name);
        else if (path) unlink(path);
    }
    raise(number); /* the disposition is the default again (SA_RESETHAND) */
}

static void guard(const char *path)
{
    size_t place = 0;
    while (place + 1 < DOOMED_MAX && doomed[place]) place++;
    doomed[place] = path;
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
        struct sigaction old, action = {.sa_handler = remove_and_die, .sa_flags = (int)SA_RESETHAND};
        sigemptyset(&action.sa_mask);
        if (sigaction(deadly[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL) /* nohup ignores SIGHUP: keep that */
            sigaction(deadly[i], &action, NULL);
    }
}

/* ---- opening ---- */

enum { PERMISSIONS = 0777 };

static int open_in_place(const char *path)
{
    phx_say_waiting(path, "reader");
    return open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

/* Opens PATH.tmp-PID; one left over by a dead process of this pid is replaced. */
static int open_temporary(phx_out *out)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    snprintf(out->temporary, sizeof out->temporary, "%s.tmp-%ld", out->path, (long)getpid());
    int fd = open(out->temporary, flags, 0666);
    if (fd < 0 && errno == EEXIST && unlink(out->temporary) == 0) fd = open(out->temporary, flags, 0666);
    return fd;
}

/* Sets fd and named. A link is followed, so that the file behind it is replaced and not the link. */
static bool open_path(phx_out *out, const char *path)
{
    struct stat status;
    bool there = stat(path, &status) == 0;
    if (!there && errno != ENOENT) return false;
    if (there && !S_ISREG(status.st_mode)) {
        out->fd = open_in_place(path);
        return out->fd >= 0;
    }
    if (there && !realpath(path, out->path)) return false;
    if (!there && strlen(path) >= sizeof out->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!there) memcpy(out->path, path, strlen(path) + 1);
    out->fd = open_temporary(out);
    out->named = out->fd >= 0;
    if (out->named) guard(out->temporary);
    if (out->named && there) (void)fchmod(out->fd, status.st_mode & PERMISSIONS); /* a private file stays one */
    return out->named;
}

ph_status phx_out_open(phx_out **out, phx_mem *mem, const char *path, const char **trouble)
{
    *out = NULL;
    phx_out *made = phx_alloc_zero(mem, sizeof *made, PHX_CACHE_LINE);
    if (!made) return PH_NO_MEMORY;
    made->mem = mem;
    made->left = UINT64_MAX;
    made->fd = STDOUT_FILENO;
    if (strcmp(path, "-") != 0 && !open_path(made, path)) {
        *trouble = strerror(errno);
        phx_free(mem, made, sizeof *made, PHX_CACHE_LINE);
        return PH_BAD_ARGUMENT;
    }
    *out = made;
    return PH_OK;
}

/* ---- writing ---- */

static void flush(phx_out *out)
{
    size_t written = 0;
    if (out->used > out->left && !out->trouble) out->trouble = out->too_long;
    out->left -= out->used < out->left ? out->used : out->left;
    while (written < out->used && !out->trouble) {
        ssize_t put = write(out->fd, out->buffer + written, out->used - written);
        if (put >= 0) written += (size_t)put;
        else if (errno != EINTR) out->trouble = strerror(errno);
    }
    out->used = 0;
}

void phx_out_limit(phx_out *out, uint64_t bytes, const char *trouble)
{
    out->left = bytes;
    out->too_long = trouble;
}

char *phx_out_reserve(phx_out *out)
{
    if (out->used > BUFFER_SIZE - PHX_OUT_RESERVE_MAX) flush(out);
    return out->buffer + out->used;
}

void phx_out_advance(phx_out *out, size_t bytes)
{
    PHX_ASSERT(bytes <= PHX_OUT_RESERVE_MAX);
    PHX_ASSERT(out->used + bytes <= BUFFER_SIZE);
    out->used += bytes;
}

void phx_out_put(phx_out *out, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count > 0) {
        const size_t part = count < PHX_OUT_RESERVE_MAX ? count : PHX_OUT_RESERVE_MAX;
        memcpy(phx_out_reserve(out), from, part);
        phx_out_advance(out, part);
        from += part;
        count -= part;
    }
}

void phx_out_put_hex(phx_out *out, const void *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = bytes;
    for (size_t i = 0; i < count; i++) phx_out_put(out, (const char[2]){digits[from[i] >> 4], digits[from[i] & 15]}, 2);
}

bool phx_is_field(const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    bool is = true;
    for (size_t i = 0; is && i < count; i++) is = from[i] != ',' && from[i] >= ' ' && from[i] < 0x7f;
    return is;
}

void phx_out_keep(phx_out *out)
{
    flush(out);
    if (!out->named || out->trouble) return;
    for (size_t i = 0; i < DOOMED_MAX; i++)
        if (doomed[i] == out->temporary) kept[i] = out->path;
}

const char *phx_out_trouble(const phx_out *out)
{
    return out->trouble;
}

/* ---- ending ---- */

const char *phx_out_close(phx_out *out, bool commit)
{
    if (!out) return NULL;
    if (commit) flush(out);
    if (out->fd != STDOUT_FILENO && close(out->fd) != 0 && !out->trouble) out->trouble = strerror(errno);
    bool whole = commit && !out->trouble;
    if (out->named && whole && rename(out->temporary, out->path) != 0) {
        out->trouble = strerror(errno);
        whole = false;
    }
    if (out->named && !whole) unlink(out->temporary);
    if (out->named)
        for (size_t i = 0; i < DOOMED_MAX; i++)
            if (doomed[i] == out->temporary) doomed[i] = kept[i] = NULL;
    const char *trouble = out->trouble;
    phx_free(out->mem, out, sizeof *out, PHX_CACHE_LINE);
    return trouble;
}

char *phx_put_u64(char *to, uint64_t value)
{
    char digits[20]; /* of 2^64 - 1 */
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (count > 0) *to++ = digits[--count];
    return to;
}

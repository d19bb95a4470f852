/*
 * The standard input as a file that can be opened often; see standard_input.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* memfd_create */
#endif
#include "tools/standard_input.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char stdin_path[] = "/dev/stdin";

const char *phx_input_path(const char *path)
{
    return strcmp(path, "-") == 0 ? stdin_path : path;
}

bool phx_is_stdin(const char *path)
{
    return path == stdin_path;
}

static bool write_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t put = write(fd, bytes, count);
        if (put < 0 && errno != EINTR) return false;
        if (put > 0) {
            bytes += put;
            count -= (size_t)put;
        }
    }
    return true;
}

/* false: errno says why; EFBIG = it has more bytes than are kept. */
static bool copy_stdin(int fd)
{
    char piece[64 * 1024];
    uint64_t left = PHX_STDIN_KEPT_MAX_BYTES;
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, piece, sizeof piece);
        if (got == 0) return true;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        if ((uint64_t)got > left) {
            errno = EFBIG;
            return false;
        }
        left -= (uint64_t)got;
        if (!write_all(fd, piece, (size_t)got)) return false;
    }
}

const char *phx_stdin_keep(void)
{
    struct stat status;
    if (fstat(STDIN_FILENO, &status) != 0) return strerror(errno);
    if (S_ISREG(status.st_mode)) return NULL;
    const int fd = memfd_create("stdin", MFD_CLOEXEC);
    bool kept = fd >= 0 && copy_stdin(fd);
    kept = kept && dup2(fd, STDIN_FILENO) == STDIN_FILENO;
    const char *trouble = kept ? NULL : strerror(errno);
    if (fd >= 0) close(fd);
    return trouble;
}

/*
 * The real disk; see disk.h.
 */
#include "store/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { MODE = 0644 }; /* without the bits of the umask */

static int create_file(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, MODE);
}

static int sync_folder(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return -1;
    const int result = fsync(folder), error = errno;
    (void)close(folder);
    errno = error;
    return result;
}

const phx_disk phx_disk_posix = {.create = create_file,
                                 .write = write,
                                 .sync = fdatasync,
                                 .close = close,
                                 .rename = rename,
                                 .remove = unlink,
                                 .sync_folder = sync_folder};

int phx_disk_write_all(const phx_disk *disk, int file, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0) {
        const ssize_t some = disk->write(file, from, size);
        if (some < 0 && errno == EINTR) continue;
        if (some < 0) return errno;
        if (some == 0) return EIO; /* of a file that is no device: it would go on for ever */
        from += some;
        size -= (size_t)some;
    }
    return 0;
}

/*
 * Opens files for reading; see plain_file.h.
 */
#include "store/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *phx_plain_file_open(const char *path, uint64_t *bytes)
{
    struct stat status = {.st_mode = 0};
    /* O_NONBLOCK: a pipe is opened without a wait for its writer; of a regular file it changes nothing */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int error = file < 0 || fstat(file, &status) != 0 ? errno : 0;
    if (error == 0 && !S_ISREG(status.st_mode)) error = EINVAL;
    FILE *stream = error == 0 ? fdopen(file, "rb") : NULL;
    if (stream) {
        *bytes = (uint64_t)status.st_size;
        return stream;
    }
    if (error == 0) error = errno;
    if (file >= 0) (void)close(file);
    errno = error;
    return NULL;
}

/*
 * Opens a file of a store for reading. By recovery and the programs.
 */
#ifndef PHX_STORE_PLAIN_FILE_H
#define PHX_STORE_PLAIN_FILE_H

#include <stdint.h>
#include <stdio.h>

/*
 * Opens a regular file and looks how large it is. Any other kind under its name, such as a pipe, which would be waited
 * for, is refused. NULL: errno; EINVAL: it is another kind.
 */
FILE *phx_plain_file_open(const char *path, uint64_t *bytes);

#endif

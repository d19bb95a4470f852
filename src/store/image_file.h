/*
 * Writes an image as a compressed file (image_frame.h). By the store's thread.
 */
#ifndef PHX_STORE_IMAGE_FILE_H
#define PHX_STORE_IMAGE_FILE_H

#include <pharos/store.h>

#include "store/folder.h"

typedef struct phx_image_sizes {
    uint64_t plain, stored;
} phx_image_sizes;

/*
 * Writes an image under its final name, durable: part, sync, rename, sync of the folder. Returns 0, or errno; then no
 * part is left, as far as the disk allows.
 */
int phx_image_file_write(const phx_folder *folder, const phx_disk *disk, const ph_image *image, uint64_t tick,
                         uint32_t level, phx_image_sizes *sizes);

#endif

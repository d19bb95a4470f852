/*
 * An image as a compressed file: written by the store's thread, read by ph_store_recover().
 *
 *   a frame of zstd     the image, as ph_image_write() gives it
 *   a skippable frame   u32 magic, u32 8, u64 XXH3 of all bytes before: `zstd -d` passes over it
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

/* Loads a file. As ph_load(); PH_BAD_IMAGE and PH_IO have a reason, which has room. */
ph_status phx_image_file_load(const char *path, const ph_load_options *options, ph_world *world, char *reason,
                              size_t reason_size);

#endif

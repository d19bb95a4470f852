/*
 * The bytes of an image's file, FOLDER/NAME.TICK.phs. `zstd -d` gives the image: it passes over what is behind it.
 *
 *   a frame of zstd     the image, as ph_image_write() gives it
 *   skippable frames    zeros, up to a 64th of an image above 64 MiB: so a reader knows how much may come of the file
 *   a skippable frame   u32 magic, u32 8, u64 XXH3 of all bytes before
 */
#ifndef PHX_STORE_IMAGE_FRAME_H
#define PHX_STORE_IMAGE_FRAME_H

#include <stdint.h>

/* The last bytes of a file. */
typedef struct phx_image_trailer {
    uint32_t magic, bytes;
    uint64_t sum;
} phx_image_trailer;

/* Before each run of zeros. */
typedef struct phx_image_padding {
    uint32_t magic, bytes;
} phx_image_padding;

enum {
    PHX_TRAILER_MAGIC = 0x184d2a50, /* ZSTD_MAGIC_SKIPPABLE_START */
    PHX_TRAILER_SUM_BYTES = sizeof(uint64_t),
    PHX_PADDING_MAGIC = PHX_TRAILER_MAGIC + 1,

    PHX_IMAGE_WINDOW_BITS = 23, /* that of level 19: a file that asks for more memory is refused */
    PHX_IMAGE_PIECE_BYTES = 128 << 10,
    PHX_IMAGE_PLAIN_MIN = 64 << 20, /* so much may come of any file, */
    PHX_IMAGE_PLAIN_PER_BYTE = 64   /* and so much of each of its bytes: most worlds come down to a third */
};

#endif

/*
 * An image in the memory of a test: the functions that write and read it.
 */
#ifndef SUPPORT_IMAGE_BYTES_H
#define SUPPORT_IMAGE_BYTES_H

#include <stdint.h>

#include "support/check.h"

typedef struct image_bytes {
    uint8_t *items;
    size_t count, capacity;
    size_t at; /* read so far */
} image_bytes;

/* ph_write_fn and ph_read_fn; user: an image_bytes. */
bool image_bytes_write(void *user, const void *bytes, size_t size);
bool image_bytes_read(void *user, void *bytes, size_t size);

#endif

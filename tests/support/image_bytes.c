/*
 * An image in memory; see image_bytes.h.
 */
#include "support/image_bytes.h"

#include <string.h>

bool image_bytes_write(void *user, const void *bytes, size_t size)
{
    image_bytes *to = user;
    if (to->count + size > to->capacity) {
        to->capacity = (to->count + size) * 2;
        to->items = check_realloc(to->items, to->capacity);
    }
    memcpy(to->items + to->count, bytes, size);
    to->count += size;
    return true;
}

bool image_bytes_read(void *user, void *bytes, size_t size)
{
    image_bytes *from = user;
    if (size > from->count - from->at) return false;
    memcpy(bytes, from->items + from->at, size);
    from->at += size;
    return true;
}

/*
 * Shared by the tests of src/world/image: bytes that an image is written to and read from, cut or damaged on demand.
 * One thread; every file has its own copy.
 */
#ifndef UNIT_WORLD_IMAGE_CASE_H
#define UNIT_WORLD_IMAGE_CASE_H

#include "unit/shards/shard_case.h"

#include "world/image/sections.h"

enum { FILE_BYTES_MAX = 1 << 20 };

static struct {
    unsigned char bytes[FILE_BYTES_MAX];
    size_t size, at; /* written; read so far */
    size_t room;     /* a write beyond it fails */
    uint32_t failed; /* writes that failed */
} file;

static char reason_text[200];
static const phx_image_reason reason = {reason_text, sizeof reason_text};

static inline void file_begin(size_t room)
{
    cr_assert_leq(room, FILE_BYTES_MAX);
    file.size = file.at = 0;
    file.room = room;
    file.failed = 0;
}

static inline bool file_write(void *user, const void *bytes, size_t size)
{
    cr_assert_null(user);
    cr_assert_eq(file.failed, 0, "a write behind the one that failed");
    if (size > file.room - file.size) {
        file.failed++;
        return false;
    }
    memcpy(file.bytes + file.size, bytes, size);
    file.size += size;
    return true;
}

static inline bool file_read(void *user, void *bytes, size_t size)
{
    cr_assert_null(user);
    if (size > file.size - file.at) return false;
    memcpy(bytes, file.bytes + file.at, size);
    file.at += size;
    return true;
}

#endif

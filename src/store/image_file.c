/*
 * Writes image files; see image_file.h.
 */
#include "store/image_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include "store/image_frame.h"

_Static_assert(PHX_TRAILER_MAGIC == ZSTD_MAGIC_SKIPPABLE_START, "as zstd has it");

enum { SYNC_BYTES = 8 << 20 }; /* so that the last sync has little left, and syncs of others on the disk wait little */

typedef struct image_writer {
    const phx_disk *disk;
    int file, error; /* errno of the first failure */
    ZSTD_CCtx *zstd;
    XXH3_state_t *sum;
    uint64_t plain, stored, synced;
    char *piece;
} image_writer;

/* false: error is set. */
static bool put_stored(image_writer *to, const void *bytes, size_t size)
{
    to->error = phx_disk_write_all(to->disk, to->file, bytes, size);
    to->stored += size;
    if (to->error != 0) return false;
    (void)XXH3_64bits_update(to->sum, bytes, size);
    if (to->stored - to->synced < SYNC_BYTES) return true;
    to->synced = to->stored;
    if (to->disk->sync(to->file) != 0) to->error = errno;
    return to->error == 0;
}

/* Compresses and writes. false: error is set. */
static bool put_bytes(image_writer *to, const void *bytes, size_t size, ZSTD_EndDirective how)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    to->plain += size;
    for (bool more = true; more;) {
        ZSTD_outBuffer out = {to->piece, PHX_IMAGE_PIECE_BYTES, 0};
        const size_t left = ZSTD_compressStream2(to->zstd, &out, &in, how);
        if (ZSTD_isError(left)) to->error = ENOMEM;
        else if (out.pos > 0) (void)put_stored(to, to->piece, out.pos);
        more = to->error == 0 && (how == ZSTD_e_end ? left != 0 : in.pos < in.size);
    }
    return to->error == 0;
}

/* Zeros, so that the file is as large as an image of this size has to be. false: error is set. */
static bool put_padding(image_writer *to)
{
    const uint64_t least = to->plain > PHX_IMAGE_PLAIN_MIN ? to->plain / PHX_IMAGE_PLAIN_PER_BYTE : 0;
    memset(to->piece, 0, PHX_IMAGE_PIECE_BYTES);
    const phx_image_padding head = {PHX_PADDING_MAGIC, PHX_IMAGE_PIECE_BYTES - sizeof head};
    memcpy(to->piece, &head, sizeof head);
    while (to->stored < least)
        if (!put_stored(to, to->piece, PHX_IMAGE_PIECE_BYTES)) return false;
    return true;
}

static bool put_trailer(image_writer *to)
{
    const phx_image_trailer trailer = {PHX_TRAILER_MAGIC, PHX_TRAILER_SUM_BYTES, XXH3_64bits_digest(to->sum)};
    return put_stored(to, &trailer, sizeof trailer);
}

static bool write_image(void *user, const void *bytes, size_t size)
{
    return put_bytes(user, bytes, size, ZSTD_e_continue);
}

/* The bytes of the image into the open file. Returns 0, or errno. */
static int fill_file(image_writer *to, const ph_image *image, uint32_t level)
{
    to->zstd = ZSTD_createCCtx();
    to->sum = XXH3_createState();
    to->piece = malloc(PHX_IMAGE_PIECE_BYTES);
    if (!to->zstd || !to->sum || !to->piece) return ENOMEM;
    (void)XXH3_64bits_reset(to->sum);
    if (ZSTD_isError(ZSTD_CCtx_setParameter(to->zstd, ZSTD_c_compressionLevel, (int)level))) return EINVAL;
    if (ph_image_write(image, write_image, to) != PH_OK) return to->error;
    if (!put_bytes(to, NULL, 0, ZSTD_e_end) || !put_padding(to) || !put_trailer(to)) return to->error;
    return to->disk->sync(to->file) == 0 ? 0 : errno;
}

/* Writes and syncs the part. Returns 0, or errno. */
static int write_part(const phx_disk *disk, const char *path, const ph_image *image, uint32_t level,
                      phx_image_sizes *sizes)
{
    image_writer to = {.disk = disk, .file = disk->create(path)};
    if (to.file < 0) return errno;
    int error = fill_file(&to, image, level);
    ZSTD_freeCCtx(to.zstd);
    (void)XXH3_freeState(to.sum);
    free(to.piece);
    if (disk->close(to.file) != 0 && error == 0) error = errno;
    *sizes = (phx_image_sizes){to.plain, to.stored};
    return error;
}

int phx_image_file_write(const phx_folder *folder, const phx_disk *disk, const ph_image *image, uint64_t tick,
                         uint32_t level, phx_image_sizes *sizes)
{
    char *part = phx_folder_file(folder, tick, PHX_STORE_PART), *path = phx_folder_file(folder, tick, PHX_STORE_IMAGE);
    int error = part && path ? write_part(disk, part, image, level, sizes) : ENOMEM;
    if (error == 0 && disk->rename(part, path) != 0) error = errno;
    if (error != 0 && part) (void)disk->remove(part);
    if (error == 0 && disk->sync_folder(folder->path) != 0) error = errno;
    free(part);
    free(path);
    return error;
}

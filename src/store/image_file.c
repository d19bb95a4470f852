/*
 * Image files; see image_file.h.
 */
#include "store/image_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <pharos/pharos.h>

/* The last bytes of a file. */
typedef struct image_trailer {
    uint32_t magic, bytes;
    uint64_t sum;
} image_trailer;
enum { TRAILER_MAGIC = ZSTD_MAGIC_SKIPPABLE_START, TRAILER_SUM_BYTES = sizeof(uint64_t) };

/* ---- writing ---- */

enum {
    SYNC_BYTES = 8 << 20, /* so that the last sync has little left, and syncs of others on the disk wait little */
    PIECE_BYTES = 128 << 10
};

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
        ZSTD_outBuffer out = {to->piece, PIECE_BYTES, 0};
        const size_t left = ZSTD_compressStream2(to->zstd, &out, &in, how);
        if (ZSTD_isError(left)) to->error = ENOMEM;
        else if (out.pos > 0) (void)put_stored(to, to->piece, out.pos);
        more = to->error == 0 && (how == ZSTD_e_end ? left != 0 : in.pos < in.size);
    }
    return to->error == 0;
}

static bool put_trailer(image_writer *to)
{
    const image_trailer trailer = {TRAILER_MAGIC, TRAILER_SUM_BYTES, XXH3_64bits_digest(to->sum)};
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
    to->piece = malloc(PIECE_BYTES);
    if (!to->zstd || !to->sum || !to->piece) return ENOMEM;
    (void)XXH3_64bits_reset(to->sum);
    if (ZSTD_isError(ZSTD_CCtx_setParameter(to->zstd, ZSTD_c_compressionLevel, (int)level))) return EINVAL;
    if (ph_image_write(image, write_image, to) != PH_OK) return to->error;
    if (!put_bytes(to, NULL, 0, ZSTD_e_end) || !put_trailer(to)) return to->error;
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

/* ---- reading ---- */

enum {
    WINDOW_BITS = 23,     /* that of level 19: a file that asks for more memory is refused */
    PLAIN_MIN = 64 << 20, /* so much may come of any file, */
    PLAIN_PER_BYTE = 64   /* and so much of each of its bytes: worlds come down to a third */
};

typedef struct image_reader {
    FILE *file;
    ZSTD_DCtx *zstd;
    char *piece;
    ZSTD_inBuffer in;
    uint64_t bytes;     /* of the frame */
    uint64_t at, plain; /* read of it, and made of it so far */
    bool ended;         /* the frame */
    char *reason;
    size_t reason_size;
} image_reader;

__attribute__((format(printf, 2, 3))) static bool refuse_file(const image_reader *from, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (from->reason_size > 0) (void)vsnprintf(from->reason, from->reason_size, format, list);
    va_end(list);
    return false;
}

/* The next piece of the frame. false: it has ended, or can not be read. */
static bool read_piece(image_reader *from)
{
    const uint64_t left = from->bytes - from->at;
    const size_t wanted = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
    const size_t count = wanted > 0 ? fread(from->piece, 1, wanted, from->file) : 0;
    from->in = (ZSTD_inBuffer){from->piece, count, 0};
    from->at += count;
    return count > 0;
}

/* Compares the sum of the file; then goes back to its begin. false: refused. */
static bool check_sum(image_reader *from)
{
    image_trailer trailer;
    XXH3_state_t *sum = XXH3_createState();
    if (!sum) return refuse_file(from, "no memory");
    (void)XXH3_64bits_reset(sum);
    while (read_piece(from)) (void)XXH3_64bits_update(sum, from->piece, from->in.size);
    const uint64_t found = XXH3_64bits_digest(sum);
    (void)XXH3_freeState(sum);
    if (from->at < from->bytes || fread(&trailer, 1, sizeof trailer, from->file) != sizeof trailer)
        return refuse_file(from, "byte %" PRIu64 ": it can not be read", from->at);
    if (trailer.magic != TRAILER_MAGIC || trailer.bytes != TRAILER_SUM_BYTES)
        return refuse_file(from, "byte %" PRIu64 ": it does not end with its sum: it was cut off, or is another file",
                           from->bytes);
    if (trailer.sum != found)
        return refuse_file(from, "byte %" PRIu64 ": its sum is not that of its bytes: it is damaged", from->bytes);
    from->at = 0;
    from->in = (ZSTD_inBuffer){from->piece, 0, 0};
    return fseek(from->file, 0, SEEK_SET) == 0 || refuse_file(from, "it can not be read");
}

/* Decompresses until `out` is full, or the frame ends. false: refused. */
static bool fill_out(image_reader *from, ZSTD_outBuffer *out)
{
    while (out->pos < out->size && !from->ended) {
        if (from->in.pos == from->in.size && !read_piece(from))
            return refuse_file(from, "byte %" PRIu64 ": it ends in the middle", from->at);
        const size_t left = ZSTD_decompressStream(from->zstd, out, &from->in);
        if (ZSTD_isError(left)) return refuse_file(from, "byte %" PRIu64 ": %s", from->at, ZSTD_getErrorName(left));
        from->ended = left == 0;
        if (from->plain + out->pos > PLAIN_MIN && (from->plain + out->pos) / PLAIN_PER_BYTE > from->at)
            return refuse_file(from, "byte %" PRIu64 ": it becomes more than %d times as large: it is no image",
                               from->at, PLAIN_PER_BYTE);
    }
    from->plain += out->pos;
    return true;
}

static bool read_image(void *user, void *bytes, size_t size)
{
    ZSTD_outBuffer out = {bytes, size, 0};
    return fill_out(user, &out) && out.pos == size;
}

/* Behind a whole image: its frame ends there, and the file too. */
static bool ended_whole(image_reader *from)
{
    char more;
    ZSTD_outBuffer out = {&more, sizeof more, 0};
    if (!fill_out(from, &out)) return false;
    if (out.pos > 0 || from->in.pos < from->in.size || from->at < from->bytes)
        return refuse_file(from, "byte %" PRIu64 ": something is behind the image", from->at);
    return true;
}

static ph_status load_frame(image_reader *from, const ph_load_options *options, ph_world *world)
{
    if (ZSTD_isError(ZSTD_DCtx_setParameter(from->zstd, ZSTD_d_windowLogMax, WINDOW_BITS))) return PH_NO_MEMORY;
    char line[PH_STORE_REASON_SIZE] = "";
    ph_status status = ph_load(options, read_image, from, world, line, sizeof line);
    if (status != PH_OK && from->reason[0] == '\0') (void)refuse_file(from, "%s", line);
    if (status == PH_OK && !ended_whole(from)) {
        (void)ph_world_destroy(*world);
        *world = (ph_world){0};
        status = PH_BAD_IMAGE;
    }
    return status == PH_IO ? PH_BAD_IMAGE : status;
}

static ph_status load_file(image_reader *from, const ph_load_options *options, ph_world *world)
{
    struct stat file;
    from->zstd = ZSTD_createDCtx();
    from->piece = malloc(PIECE_BYTES);
    if (!from->zstd || !from->piece) return PH_NO_MEMORY;
    if (fstat(fileno(from->file), &file) != 0) {
        (void)refuse_file(from, "it can not be read: errno %d", errno);
        return PH_IO;
    }
    if ((uint64_t)file.st_size < sizeof(image_trailer)) {
        (void)refuse_file(from, "it has %" PRIu64 " bytes: it was cut off", (uint64_t)file.st_size);
        return PH_BAD_IMAGE;
    }
    from->bytes = (uint64_t)file.st_size - sizeof(image_trailer);
    if (!check_sum(from)) return ferror(from->file) ? PH_IO : PH_BAD_IMAGE;
    return load_frame(from, options, world);
}

ph_status phx_image_file_load(const char *path, const ph_load_options *options, ph_world *world, char *reason,
                              size_t reason_size)
{
    PHX_ASSERT(reason && reason_size > 0);
    image_reader from = {.file = fopen(path, "rbe"), .reason = reason, .reason_size = reason_size};
    reason[0] = '\0';
    if (!from.file) {
        (void)refuse_file(&from, "it can not be opened: errno %d", errno);
        return PH_IO;
    }
    const ph_status status = load_file(&from, options, world);
    ZSTD_freeDCtx(from.zstd);
    free(from.piece);
    (void)fclose(from.file);
    return status;
}

/*
 * Reads image files; see image_load.h. No byte is trusted: the sum is compared first.
 */
#include "store/image_load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <pharos/pharos.h>

#include "base/core.h"
#include "store/image_frame.h"
#include "store/plain_file.h"

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
    const size_t wanted = left < PHX_IMAGE_PIECE_BYTES ? (size_t)left : PHX_IMAGE_PIECE_BYTES;
    const size_t count = wanted > 0 ? fread(from->piece, 1, wanted, from->file) : 0;
    from->in = (ZSTD_inBuffer){from->piece, count, 0};
    from->at += count;
    return count > 0;
}

/* Compares the sum of the file; then goes back to its begin. false: refused. */
static bool check_sum(image_reader *from)
{
    phx_image_trailer trailer;
    XXH3_state_t *sum = XXH3_createState();
    if (!sum) return refuse_file(from, "no memory");
    (void)XXH3_64bits_reset(sum);
    while (read_piece(from)) (void)XXH3_64bits_update(sum, from->piece, from->in.size);
    const uint64_t found = XXH3_64bits_digest(sum);
    (void)XXH3_freeState(sum);
    if (from->at < from->bytes || fread(&trailer, 1, sizeof trailer, from->file) != sizeof trailer)
        return refuse_file(from, "byte %" PRIu64 ": it can not be read", from->at);
    if (trailer.magic != PHX_TRAILER_MAGIC || trailer.bytes != PHX_TRAILER_SUM_BYTES)
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
        if (from->plain + out->pos > PHX_IMAGE_PLAIN_MIN &&
            (from->plain + out->pos) / PHX_IMAGE_PLAIN_PER_BYTE > from->bytes)
            return refuse_file(from, "byte %" PRIu64 ": it becomes more than %d times as large: it is no image",
                               from->at, PHX_IMAGE_PLAIN_PER_BYTE);
    }
    from->plain += out->pos;
    return true;
}

static bool read_image(void *user, void *bytes, size_t size)
{
    ZSTD_outBuffer out = {bytes, size, 0};
    return fill_out(user, &out) && out.pos == size;
}

/* Goes back to the byte behind the frame, then over runs of zeros. false: something else is behind the frame. */
static bool passed_padding(image_reader *from)
{
    phx_image_padding head = {PHX_PADDING_MAGIC, 0};
    from->at -= from->in.size - from->in.pos;
    while (from->at < from->bytes && head.magic == PHX_PADDING_MAGIC) {
        if (from->bytes - from->at < sizeof head || fseeko(from->file, (off_t)from->at, SEEK_SET) != 0 ||
            fread(&head, 1, sizeof head, from->file) != sizeof head)
            return false;
        from->at += sizeof head + head.bytes;
    }
    return from->at == from->bytes && head.magic == PHX_PADDING_MAGIC;
}

/* Behind a whole image: its frame ends there, and the file too. */
static bool ended_whole(image_reader *from)
{
    char more;
    ZSTD_outBuffer out = {&more, sizeof more, 0};
    if (!fill_out(from, &out)) return false;
    if (out.pos > 0 || !passed_padding(from))
        return refuse_file(from, "byte %" PRIu64 ": something is behind the image", from->at);
    return true;
}

/* Is it of the tick that its name says? The records behind that tick go on from it. */
static bool has_tick(const image_reader *from, ph_world world, uint64_t tick)
{
    ph_stats stats;
    if (ph_world_stats(world, &stats) != PH_OK) return refuse_file(from, "its tick can not be read");
    if (stats.ticks == tick) return true;
    return refuse_file(from, "it is an image of tick %" PRIu64 ", and its name says another one",
                       (uint64_t)stats.ticks);
}

static ph_status load_frame(image_reader *from, uint64_t tick, const ph_load_options *options, ph_world *world)
{
    char line[PH_STORE_REASON_SIZE] = "";
    ph_status status = ph_load(options, read_image, from, world, line, sizeof line);
    if (status != PH_OK && from->reason[0] == '\0') (void)refuse_file(from, "%s", line);
    if (status == PH_OK && (!ended_whole(from) || !has_tick(from, *world, tick))) {
        (void)ph_world_destroy(*world);
        *world = (ph_world){0};
        status = PH_BAD_IMAGE;
    }
    return status == PH_IO ? PH_BAD_IMAGE : status;
}

/* ---- files ---- */

/* PH_OK: the frame's bytes are known, and the decoder stands before them. */
static ph_status open_frame(image_reader *from, const char *path)
{
    uint64_t bytes = 0;
    from->file = phx_plain_file_open(path, &bytes);
    const int error = errno; /* if it is none */
    from->zstd = ZSTD_createDCtx();
    from->piece = malloc(PHX_IMAGE_PIECE_BYTES);
    if (!from->zstd || !from->piece) return PH_NO_MEMORY;
    from->in = (ZSTD_inBuffer){from->piece, 0, 0};
    if (!from->file) {
        (void)refuse_file(from, "it can not be opened: errno %d", error);
        return PH_IO;
    }
    if (bytes < sizeof(phx_image_trailer)) {
        (void)refuse_file(from, "it has %" PRIu64 " bytes: it was cut off", bytes);
        return PH_BAD_IMAGE;
    }
    from->bytes = bytes - sizeof(phx_image_trailer);
    const size_t set = ZSTD_DCtx_setParameter(from->zstd, ZSTD_d_windowLogMax, PHX_IMAGE_WINDOW_BITS);
    return ZSTD_isError(set) ? PH_NO_MEMORY : PH_OK;
}

static void close_frame(image_reader *from)
{
    ZSTD_freeDCtx(from->zstd);
    free(from->piece);
    if (from->file) (void)fclose(from->file);
}

ph_status phx_image_file_load(const char *path, uint64_t tick, const ph_load_options *options, ph_world *world,
                              char *reason, size_t reason_size)
{
    PHX_ASSERT(reason && reason_size > 0);
    image_reader from = {.reason = reason, .reason_size = reason_size};
    reason[0] = '\0';
    ph_status status = open_frame(&from, path);
    if (status == PH_OK && !check_sum(&from)) status = ferror(from.file) ? PH_IO : PH_BAD_IMAGE;
    if (status == PH_OK) status = load_frame(&from, tick, options, world);
    close_frame(&from);
    return status;
}

ph_status phx_image_file_begin(const char *path, void *bytes, size_t size, char *reason, size_t reason_size)
{
    PHX_ASSERT(reason && reason_size > 0);
    image_reader from = {.reason = reason, .reason_size = reason_size};
    reason[0] = '\0';
    ph_status status = open_frame(&from, path);
    if (status == PH_OK && !read_image(&from, bytes, size)) {
        if (reason[0] == '\0') (void)refuse_file(&from, "it is shorter than the head of an image");
        status = ferror(from.file) ? PH_IO : PH_BAD_IMAGE;
    }
    close_frame(&from);
    return status;
}

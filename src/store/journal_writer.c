/*
 * Writes one file of a journal; see journal_writer.h.
 */
#include "store/journal_writer.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <pharos/base.h>

int phx_journal_writer_open(phx_journal_writer *to, const char *path, uint64_t tick)
{
    phx_journal_file_head head = {
        .magic = PHX_JOURNAL_MAGIC, .tick = tick, .format = PHX_JOURNAL_FORMAT, .library = PHAROS_VERSION_NUMBER};
    to->file = to->disk->create(path);
    if (to->file < 0) return errno;
    head.sum = XXH3_64bits(&head, offsetof(phx_journal_file_head, sum));
    to->bytes = sizeof head;
    return phx_disk_write_all(to->disk, to->file, &head, sizeof head);
}

int phx_journal_writer_put(phx_journal_writer *to, phx_journal_frame_head *frame)
{
    const uint64_t bytes = phx_journal_frame_bytes(frame->bytes), summed = bytes - PHX_JOURNAL_FRAME_SUM_BYTES;
    const uint64_t sum = XXH3_64bits(frame, summed);
    memcpy((char *)frame + summed, &sum, sizeof sum);
    to->bytes += bytes;
    return phx_disk_write_all(to->disk, to->file, frame, bytes);
}

int phx_journal_writer_end(phx_journal_writer *to, uint64_t last_tick)
{
    struct {
        phx_journal_frame_head head;
        uint64_t sum;
    } end = {{PHX_JOURNAL_FRAME_MAGIC, PHX_JOURNAL_FRAME_END, 0, last_tick, 0}, 0};
    return phx_journal_writer_put(to, &end.head);
}

int phx_journal_writer_sync(phx_journal_writer *to)
{
    return to->disk->sync(to->file) == 0 ? 0 : errno;
}

int phx_journal_writer_close(phx_journal_writer *to)
{
    const int file = to->file;
    to->file = -1;
    return file < 0 || to->disk->close(file) == 0 ? 0 : errno;
}

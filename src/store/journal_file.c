/*
 * Reads a file of a journal; see journal_file.h.
 */
#include "store/journal_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/core.h"
#include "store/plain_file.h"

__attribute__((format(printf, 3, 4))) static ph_status refuse_journal(phx_journal_file *from, ph_status status,
                                                                      const char *format, ...)
{
    va_list list;
    va_start(list, format);
    (void)vsnprintf(from->reason, sizeof from->reason, format, list);
    va_end(list);
    return status;
}

/* Reads bytes that the file has. false: it can not be read. */
static bool read_part(phx_journal_file *from, void *to, uint64_t bytes)
{
    const bool read = bytes == 0 || fread(to, 1, bytes, from->file) == bytes;
    from->at += read ? bytes : 0;
    return read;
}

ph_status phx_journal_file_open(phx_journal_file *from, const char *path)
{
    *from = (phx_journal_file){.file = NULL};
    from->file = phx_plain_file_open(path, &from->bytes);
    if (!from->file) return refuse_journal(from, PH_IO, "it can not be opened: errno %d", errno);
    if (from->bytes < sizeof from->head)
        return refuse_journal(from, PH_BAD_RECORD, "head: %" PRIu64 " bytes are none: it was cut off", from->bytes);
    if (!read_part(from, &from->head, sizeof from->head)) return refuse_journal(from, PH_IO, "it can not be read");
    if (memcmp(from->head.magic, PHX_JOURNAL_MAGIC, sizeof from->head.magic) != 0)
        return refuse_journal(from, PH_BAD_RECORD, "head: this is no journal");
    if (from->head.sum != XXH3_64bits(&from->head, offsetof(phx_journal_file_head, sum)))
        return refuse_journal(from, PH_BAD_RECORD, "head: its sum is not that of its bytes: it is damaged");
    if (from->head.format != PHX_JOURNAL_FORMAT)
        return refuse_journal(from, PH_BAD_RECORD, "head: format %" PRIu32 ", known is %d (library %" PRIu32 ")",
                              from->head.format, PHX_JOURNAL_FORMAT, from->head.library);
    return PH_OK;
}

ph_status phx_journal_file_again(phx_journal_file *from, uint64_t at)
{
    struct stat file;
    if (fstat(fileno(from->file), &file) != 0 || fseeko(from->file, (off_t)at, SEEK_SET) != 0)
        return refuse_journal(from, PH_IO, "it can not be read");
    from->bytes = (uint64_t)file.st_size;
    from->at = at;
    return PH_OK;
}

/* Memory for a record and its sum; the file has so many bytes, and no ring more. */
static bool reserve_words(phx_journal_file *from, uint64_t words)
{
    if (words <= from->record_words) return true;
    uint64_t *record = realloc(from->record, words * sizeof *record);
    if (!record) return false;
    from->record = record;
    from->record_words = words;
    return true;
}

static ph_status check_frame(phx_journal_file *from, uint64_t first)
{
    const uint64_t words = from->frame.bytes / sizeof(uint64_t);
    XXH3_state_t *state = XXH3_createState();
    if (!state) return PH_NO_MEMORY;
    (void)XXH3_64bits_reset(state);
    (void)XXH3_64bits_update(state, &from->frame, sizeof from->frame);
    (void)XXH3_64bits_update(state, from->record, from->frame.bytes);
    const uint64_t sum = XXH3_64bits_digest(state);
    (void)XXH3_freeState(state);
    if (sum != from->record[words])
        return refuse_journal(from, PH_BAD_RECORD, "byte %" PRIu64 ": its sum is not that of its bytes: it is damaged",
                              first);
    const bool ends = from->frame.kind == PHX_JOURNAL_FRAME_END;
    const bool record = from->frame.kind == PHX_JOURNAL_FRAME_RECORD || from->frame.kind == PHX_JOURNAL_FRAME_FIRST;
    if (!ends && !record)
        return refuse_journal(from, PH_BAD_RECORD, "byte %" PRIu64 ": kind %d is not known", first, from->frame.kind);
    if (ends && (from->frame.bytes != 0 || from->at != from->bytes))
        return refuse_journal(from, PH_BAD_RECORD, "byte %" PRIu64 ": something is behind its end", first);
    return ends ? PH_EMPTY : PH_OK;
}

ph_status phx_journal_file_next(phx_journal_file *from)
{
    const uint64_t first = from->at, left = from->bytes - first;
    if (left == 0) return refuse_journal(from, PH_PENDING, "byte %" PRIu64 ": it has no end: it was not closed", first);
    if (left < phx_journal_frame_bytes(0))
        return refuse_journal(from, PH_BAD_RECORD, "byte %" PRIu64 ": it ends in the middle: it was cut off", first);
    if (!read_part(from, &from->frame, sizeof from->frame)) return refuse_journal(from, PH_IO, "it can not be read");
    if (from->frame.magic != PHX_JOURNAL_FRAME_MAGIC)
        return refuse_journal(from, PH_BAD_RECORD, "byte %" PRIu64 ": no frame begins there: it is damaged", first);
    if (from->frame.bytes > left - phx_journal_frame_bytes(0) || from->frame.bytes % sizeof(uint64_t) != 0)
        return refuse_journal(from, PH_BAD_RECORD,
                              "byte %" PRIu64 ": a record of %" PRIu64 " bytes, and %" PRIu64 " are left: it was cut "
                              "off, or is damaged",
                              first, from->frame.bytes, left);
    if (from->frame.bytes > PH_STORE_RING_MAX) /* of a file with holes its size says nothing */
        return refuse_journal(from, PH_BAD_RECORD, "byte %" PRIu64 ": a record of %" PRIu64 " bytes can not be", first,
                              from->frame.bytes);
    if (!reserve_words(from, from->frame.bytes / sizeof(uint64_t) + 1)) return PH_NO_MEMORY;
    if (!read_part(from, from->record, from->frame.bytes + PHX_JOURNAL_FRAME_SUM_BYTES))
        return refuse_journal(from, PH_IO, "it can not be read");
    return check_frame(from, first);
}

void phx_journal_file_close(phx_journal_file *from)
{
    if (from->file) (void)fclose(from->file);
    free(from->record);
    from->file = NULL;
    from->record = NULL;
}

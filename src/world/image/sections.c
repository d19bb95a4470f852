/*
 * The bytes of an image; see sections.h.
 */
#include "world/image/sections.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WORD = sizeof(uint64_t) };

static const char END_TAG[] = "END ";

typedef struct section_head {
    char tag[4];
    uint32_t reserved;
    uint64_t bytes;
} section_head;

static uint64_t sum_of(const void *bytes, size_t size)
{
    phx_sum sum = phx_sum_begin();
    phx_sum_add(&sum, bytes, size);
    return phx_sum_end(&sum);
}

/* ---- writing ---- */

void phx_writer_begin(phx_section_writer *writer, ph_write_fn write, void *user)
{
    *writer = (phx_section_writer){.write = write, .user = user, .all = phx_sum_begin()};
}

static void flush_buffer(phx_section_writer *writer)
{
    PHX_ASSERT(writer->used % WORD == 0);
    phx_sum_add(&writer->sum, writer->buffer, writer->used);
    if (writer->used > 0 && !writer->failed && !writer->write(writer->user, writer->buffer, writer->used))
        writer->failed = true;
    writer->used = 0;
}

void phx_writer_put(phx_section_writer *writer, const void *bytes, size_t size)
{
    const unsigned char *from = bytes;
    while (size > 0) {
        const size_t room = sizeof writer->buffer - writer->used, part = size < room ? size : room;
        memcpy(writer->buffer + writer->used, from, part);
        writer->used += part;
        from += part;
        size -= part;
        if (writer->used == sizeof writer->buffer) flush_buffer(writer);
    }
}

void phx_writer_header(phx_section_writer *writer, phx_image_header header)
{
    memcpy(header.magic, PHX_IMAGE_MAGIC, sizeof header.magic);
    header.format = PH_IMAGE_FORMAT;
    header.rules = PHX_IMAGE_RULES;
    header.library = PHAROS_VERSION_NUMBER;
    header.sum = sum_of(&header, offsetof(phx_image_header, sum));
    phx_writer_put(writer, &header, sizeof header);
    flush_buffer(writer);
}

void phx_writer_section(phx_section_writer *writer, const char *tag, uint64_t bytes)
{
    section_head head = {.bytes = bytes};
    memcpy(head.tag, tag, sizeof head.tag);
    writer->sum = phx_sum_begin();
    phx_writer_put(writer, &head, sizeof head);
}

void phx_writer_section_end(phx_section_writer *writer)
{
    static const unsigned char zeros[WORD];
    phx_writer_put(writer, zeros, (WORD - writer->used % WORD) % WORD);
    flush_buffer(writer);
    const uint64_t sum = phx_sum_end(&writer->sum);
    phx_sum_add(&writer->all, &sum, sizeof sum);
    phx_writer_put(writer, &sum, sizeof sum);
    flush_buffer(writer);
}

bool phx_writer_end(phx_section_writer *writer)
{
    const uint64_t all = phx_sum_end(&writer->all);
    phx_writer_section(writer, END_TAG, sizeof all);
    phx_writer_put(writer, &all, sizeof all);
    phx_writer_section_end(writer);
    return !writer->failed;
}

/* ---- reading ---- */

ph_status phx_image_refuse(phx_image_reason reason, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (reason.text && reason.size > 0) (void)vsnprintf(reason.text, reason.size, format, list);
    va_end(list);
    return PH_BAD_IMAGE;
}

void phx_reader_begin(phx_section_reader *reader, phx_mem *mem, ph_read_fn read, void *user, phx_image_reason reason)
{
    *reader = (phx_section_reader){
        .read = read, .user = user, .mem = mem, .reason = reason, .all = phx_sum_begin(), .tag = "head"};
}

void phx_reader_free(phx_section_reader *reader)
{
    phx_release(reader->mem, (void **)&reader->words, &reader->words_capacity, WORD);
}

static ph_status read_bytes(phx_section_reader *reader, void *bytes, size_t size)
{
    if (size > 0 && !reader->read(reader->user, bytes, size)) {
        (void)phx_image_refuse(reader->reason, "section %s: byte %" PRIu64 ": %zu bytes more are wanted, and not read",
                               reader->tag, reader->at, size);
        return PH_IO;
    }
    reader->at += size;
    return PH_OK;
}

ph_status phx_reader_header(phx_section_reader *reader, phx_image_header *header)
{
    const ph_status status = read_bytes(reader, header, sizeof *header);
    if (status != PH_OK) return status;
    if (memcmp(header->magic, PHX_IMAGE_MAGIC, sizeof header->magic) != 0)
        return phx_image_refuse(reader->reason, "header: it does not begin with %s: this is no image of a world",
                                PHX_IMAGE_MAGIC);
    if (sum_of(header, offsetof(phx_image_header, sum)) != header->sum)
        return phx_image_refuse(reader->reason, "header: its sum is not that of its bytes: it is damaged");
    if (header->format < PH_IMAGE_FORMAT_OLDEST || header->format > PH_IMAGE_FORMAT)
        return phx_image_refuse(reader->reason, "header: format %" PRIu32 " is outside [%d, %d] (library %" PRIu32 ")",
                                header->format, PH_IMAGE_FORMAT_OLDEST, PH_IMAGE_FORMAT, header->library);
    if (header->rules != PHX_IMAGE_RULES)
        return phx_image_refuse(reader->reason,
                                "header: its rules are %" PRIu32 ", here they are %d (library %" PRIu32 ")",
                                header->rules, PHX_IMAGE_RULES, header->library);
    if (header->reserved[0] != 0 || header->reserved[1] != 0)
        return phx_image_refuse(reader->reason, "header: reserved is not 0");
    return PH_OK;
}

/* Reads the bytes of a section, with the zeros behind them, in pieces that double: no memory for bytes that do not
 * come. */
static ph_status read_words(phx_section_reader *reader, uint64_t words)
{
    enum { FIRST_WORDS = 8 << 10 };
    for (uint64_t had = 0; had < words;) {
        const uint64_t step = had < FIRST_WORDS ? FIRST_WORDS : had, more = words - had < step ? words - had : step;
        if (had + more > UINT32_MAX) return PH_NO_MEMORY;
        if (!phx_grow(reader->mem, (void **)&reader->words, &reader->words_capacity, (uint32_t)had,
                      (size_t)(had + more), WORD))
            return PH_NO_MEMORY;
        const ph_status status = read_bytes(reader, reader->words + had, (size_t)more * WORD);
        if (status != PH_OK) return status;
        had += more;
    }
    return PH_OK;
}

/* Are the bytes behind the section's own zeros? */
static bool padded_by_zeros(const phx_section_reader *reader, uint64_t words)
{
    const unsigned char *bytes = (const unsigned char *)reader->words;
    for (uint64_t i = reader->bytes; i < words * WORD; i++)
        if (bytes[i] != 0) return false;
    return true;
}

ph_status phx_reader_section(phx_section_reader *reader, bool *end)
{
    section_head head;
    const uint64_t first = reader->at;
    uint64_t sum;
    ph_status status = read_bytes(reader, &head, sizeof head);
    if (status != PH_OK) return status;
    for (uint32_t i = 0; i < sizeof head.tag; i++) /* only text is printed */
        reader->tag[i] = head.tag[i] == ' ' || (head.tag[i] >= 'A' && head.tag[i] <= 'Z') ? head.tag[i] : '?';
    reader->bytes = head.bytes;
    const uint64_t words = head.bytes / WORD + (head.bytes % WORD != 0);
    status = read_words(reader, words);
    if (status == PH_OK) status = read_bytes(reader, &sum, sizeof sum);
    if (status != PH_OK) return status;
    phx_sum own = phx_sum_begin();
    phx_sum_add(&own, &head, sizeof head);
    if (words > 0) phx_sum_add(&own, reader->words, (size_t)words * WORD);
    if (phx_sum_end(&own) != sum || head.reserved != 0 || !padded_by_zeros(reader, words))
        return phx_image_refuse(reader->reason,
                                "section %s at byte %" PRIu64 ": its sum is not that of its bytes: it is damaged",
                                reader->tag, first);
    *end = memcmp(head.tag, END_TAG, sizeof head.tag) == 0;
    if (!*end) phx_sum_add(&reader->all, &sum, sizeof sum);
    else if (head.bytes != WORD || reader->words[0] != phx_sum_end(&reader->all))
        return phx_image_refuse(reader->reason,
                                "section %s at byte %" PRIu64 ": a section before it is missing or moved", reader->tag,
                                first);
    return PH_OK;
}

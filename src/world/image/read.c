/*
 * Reads the tables of an image; see read.h. A section's bytes are in memory before a record of it is made.
 */
#include "world/image/read.h"

#include <inttypes.h>
#include <string.h>

/* The table of a section; the sections come in the order of tables. PHX_TABLES: none is left of this name. */
static phx_image_table table_of_tag(const char *tag, phx_image_table from)
{
    while (from < PHX_TABLES && memcmp(phx_image_kinds[from].tag, tag, strlen(phx_image_kinds[from].tag)) != 0) from++;
    return from;
}

static const char *read_column(const char *from, const phx_image_rows *rows, uint32_t record_bytes,
                               const phx_image_field *field)
{
    const size_t bytes = (size_t)field->bytes * field->count;
    char *to = (char *)rows->at + field->offset;
    for (uint32_t i = 0; i < rows->count; i++, from += bytes) memcpy(to + (size_t)i * record_bytes, from, bytes);
    return from;
}

static ph_status read_table(phx_image *image, phx_image_table table, const phx_section_reader *reader)
{
    const phx_image_kind *kind = &phx_image_kinds[table];
    phx_image_rows *rows = &image->tables[table];
    const uint64_t count = reader->bytes >= sizeof count ? reader->words[0] : 0;
    if (reader->bytes < sizeof count || count != (reader->bytes - sizeof count) / kind->packed_bytes ||
        (reader->bytes - sizeof count) % kind->packed_bytes != 0)
        return phx_image_refuse(reader->reason,
                                "section %s: %" PRIu64 " bytes are not a number and %" PRIu64 " records of %" PRIu32
                                " bytes",
                                reader->tag, reader->bytes, count, kind->packed_bytes);
    if (count == 0)
        return phx_image_refuse(reader->reason, "section %s: it has no record: then there is no section", reader->tag);
    if (!phx_image_reserve(image, table, count)) return PH_NO_MEMORY;
    memset(rows->at, 0, (size_t)count * kind->record_bytes);
    rows->count = (uint32_t)count;
    const char *from = (const char *)(reader->words + 1);
    for (uint32_t i = 0; i < kind->field_count; i++)
        from = read_column(from, rows, kind->record_bytes, &kind->fields[i]);
    return PH_OK;
}

static ph_status read_tables(phx_image *image, phx_section_reader *reader)
{
    phx_image_table next = 0;
    for (;;) {
        bool end;
        ph_status status = phx_reader_section(reader, &end);
        if (status != PH_OK || end) return status;
        const phx_image_table table = table_of_tag(reader->tag, next);
        if (table == PHX_TABLES)
            return phx_image_refuse(reader->reason,
                                    "section %s before byte %" PRIu64 ": it is not known, or is not in its place",
                                    reader->tag, reader->at);
        status = read_table(image, table, reader);
        if (status != PH_OK) return status;
        next = table + 1;
    }
}

ph_status phx_image_read(phx_image *image, ph_read_fn read, void *user, phx_image_reason reason)
{
    phx_section_reader reader;
    phx_image_header header;
    phx_reader_begin(&reader, &image->mem, read, user, reason);
    ph_status status = phx_reader_header(&reader, &header);
    if (status == PH_OK) status = read_tables(image, &reader);
    phx_reader_free(&reader);
    if (status != PH_OK) return status;
    image->tick = header.tick;
    image->incarnations = header.incarnations;
    if (header.entities != PHX_IMAGE_COUNT(image, entities))
        return phx_image_refuse(reason, "header: %" PRIu64 " entities, and %" PRIu32 " in section ENTY",
                                header.entities, PHX_IMAGE_COUNT(image, entities));
    return PH_OK;
}

/*
 * Writes an image; see write.h. Each table is a section: the number of records, then one column after the other.
 */
#include "world/image/write.h"

/* Places of captured targets: a run of slots at a time becomes places. */
static void put_targets(phx_section_writer *writer, const phx_image *image)
{
    const phx_saved_list *lists = PHX_IMAGE_ROWS(image, lists, list);
    const phx_saved_target *targets = PHX_IMAGE_ROWS(image, targets, target);
    uint64_t at = 0;
    for (uint32_t shard = 0, list = 0; shard < image->shard_count; shard++) {
        const uint32_t *places = image->places + image->place_first[shard];
        for (; list < image->list_end[shard]; list++)
            for (uint32_t i = 0; i < lists[list].count; i++, at++)
                phx_writer_put(writer, &places[targets[at].target], sizeof *places);
    }
    PHX_ASSERT(at == PHX_IMAGE_COUNT(image, targets));
}

static void put_column(phx_section_writer *writer, const phx_image_rows *rows, uint32_t record_bytes,
                       const phx_image_field *field)
{
    const char *from = (const char *)rows->at + field->offset;
    const size_t bytes = (size_t)field->bytes * field->count;
    for (uint32_t i = 0; i < rows->count; i++) phx_writer_put(writer, from + (size_t)i * record_bytes, bytes);
}

static void put_table(phx_section_writer *writer, const phx_image *image, phx_image_table table)
{
    const phx_image_kind *kind = &phx_image_kinds[table];
    const phx_image_rows *rows = &image->tables[table];
    const uint64_t count = rows->count;
    if (count == 0) return;
    phx_writer_section(writer, kind->tag, sizeof count + count * kind->packed_bytes);
    phx_writer_put(writer, &count, sizeof count);
    if (table == PHX_TABLE_targets && image->places) put_targets(writer, image);
    else
        for (uint32_t i = 0; i < kind->field_count; i++) put_column(writer, rows, kind->record_bytes, &kind->fields[i]);
    phx_writer_section_end(writer);
}

bool phx_image_write(const phx_image *image, ph_write_fn write, void *user)
{
    phx_section_writer writer;
    phx_writer_begin(&writer, write, user);
    phx_writer_header(&writer, (phx_image_header){.tick = image->tick,
                                                  .entities = PHX_IMAGE_COUNT(image, entities),
                                                  .incarnations = image->incarnations});
    for (phx_image_table table = 0; table < PHX_TABLES; table++) put_table(&writer, image, table);
    return phx_writer_end(&writer);
}

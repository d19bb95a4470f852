/*
 * src/world/image: tables in memory (image.c), to bytes (write.c) and back (read.c). Every number of every table comes
 * back in its field; memory that ends leaves nothing behind.
 */
#include "unit/world/image/image_case.h"

#include "world/image/read.h"
#include "world/image/write.h"

enum { ROWS_MAX = 9 };

TestSuite(image, .init = memory_set_up, .fini = memory_tear_down);

/* Bytes of a field in a record. */
static unsigned char *field_at(const phx_image *image, phx_image_table table, uint32_t row,
                               const phx_image_field *field)
{
    const phx_image_kind *kind = &phx_image_kinds[table];
    return (unsigned char *)image->tables[table].at + (size_t)row * kind->record_bytes + field->offset;
}

/* false = no memory. Tables of 1 to ROWS_MAX records of random bytes; every third one is empty if so wanted. */
static bool fill_image(phx_image *image, bool some_empty)
{
    uint64_t rng = 11;
    image->tick = 1ull << 40;
    image->incarnations = 77;
    for (phx_image_table table = 0; table < PHX_TABLES; table++) {
        const uint32_t rows = some_empty && table % 3 == 1 ? 0 : 1 + phx_rng_below(&rng, ROWS_MAX);
        if (!phx_image_reserve(image, table, rows)) return false;
        for (uint32_t row = 0; row < rows; row++) {
            cr_assert_not_null(phx_image_add(image, table));
            for (uint32_t f = 0; f < phx_image_kinds[table].field_count; f++) {
                const phx_image_field *field = &phx_image_kinds[table].fields[f];
                unsigned char *at = field_at(image, table, row, field);
                for (uint32_t b = 0; b < (uint32_t)field->bytes * field->count; b++)
                    at[b] = (unsigned char)phx_rng_below(&rng, 256);
            }
        }
    }
    return true;
}

static void expect_same(const phx_image *image, const phx_image *other)
{
    cr_assert_eq(image->tick, other->tick);
    cr_assert_eq(image->incarnations, other->incarnations);
    for (phx_image_table table = 0; table < PHX_TABLES; table++) {
        const phx_image_kind *kind = &phx_image_kinds[table];
        cr_assert_eq(image->tables[table].count, other->tables[table].count, "rows of %s", kind->tag);
        for (uint32_t row = 0; row < image->tables[table].count; row++)
            for (uint32_t f = 0; f < kind->field_count; f++) {
                const phx_image_field *field = &kind->fields[f];
                cr_assert_eq(memcmp(field_at(image, table, row, field), field_at(other, table, row, field),
                                    (size_t)field->bytes * field->count),
                             0, "%s, row %u, %s", kind->tag, row, field->name);
            }
    }
}

static void write_and_read(bool some_empty)
{
    phx_image image, back;
    phx_image_init(&image, watched_memory_allocator(&watched));
    phx_image_init(&back, watched_memory_allocator(&watched));
    cr_assert(fill_image(&image, some_empty));
    file_begin(FILE_BYTES_MAX);
    cr_assert(phx_image_write(&image, file_write, NULL));
    cr_assert_eq(phx_image_read(&back, file_read, NULL, reason), PH_OK, "%s", reason_text);
    cr_assert_eq(file.at, file.size);
    expect_same(&image, &back);
    phx_image_release(&image);
    phx_image_release(&back);
}

Test(image, every_number_of_every_table_comes_back)
{
    write_and_read(false);
}

Test(image, a_table_without_records_has_no_section)
{
    write_and_read(true);
}

Test(image, fields_of_a_table_are_packed_side_by_side)
{
    for (phx_image_table table = 0; table < PHX_TABLES; table++) {
        const phx_image_kind *kind = &phx_image_kinds[table];
        uint32_t packed = 0, behind = 0;
        for (uint32_t f = 0; f < kind->field_count; f++) {
            cr_assert_geq(kind->fields[f].offset, behind, "%s.%s lies in the field before", kind->tag,
                          kind->fields[f].name);
            behind = kind->fields[f].offset + (uint32_t)kind->fields[f].bytes * kind->fields[f].count;
            packed += (uint32_t)kind->fields[f].bytes * kind->fields[f].count;
        }
        cr_assert_eq(packed, kind->packed_bytes, "%s", kind->tag);
        cr_assert_leq(behind, kind->record_bytes, "%s", kind->tag);
        for (phx_image_table other = 0; other < table; other++)
            cr_assert_str_neq(kind->tag, phx_image_kinds[other].tag, "a tag of two tables");
    }
}

Test(image, captured_targets_are_written_as_places)
{
    enum { SHARDS = 2 };
    const uint32_t slots[] = {2, 0, 1, 0},
                   expected[] = {12, 10, 21, 20}; /* lists: shard 0: {2, 0}, shard 1: {1}, {0} */
    const uint32_t places[] = {10, 11, 12, 20, 21}, counts[] = {2, 1, 1};
    phx_image image, back;
    phx_image_init(&image, watched_memory_allocator(&watched));
    phx_image_init(&back, watched_memory_allocator(&watched));
    cr_assert(phx_image_reserve(&image, PHX_TABLE_lists, 3) && phx_image_reserve(&image, PHX_TABLE_targets, 4));
    for (int i = 0; i < 3; i++) ((phx_saved_list *)phx_image_add(&image, PHX_TABLE_lists))->count = counts[i];
    for (int i = 0; i < 4; i++) ((phx_saved_target *)phx_image_add(&image, PHX_TABLE_targets))->target = slots[i];
    cr_assert(phx_grow(&image.mem, (void **)&image.places, &image.places_capacity, 0, 5, sizeof *image.places));
    cr_assert(
        phx_grow(&image.mem, (void **)&image.place_first, &image.shard_capacity, 0, 3, sizeof *image.place_first));
    cr_assert(phx_grow(&image.mem, (void **)&image.list_end, &image.list_end_capacity, 0, 2, sizeof *image.list_end));
    memcpy(image.places, places, sizeof places);
    memcpy(image.place_first, (uint32_t[]){0, 3, 5}, 3 * sizeof(uint32_t));
    memcpy(image.list_end, (uint32_t[]){1, 3}, 2 * sizeof(uint32_t));
    image.shard_count = SHARDS;
    file_begin(FILE_BYTES_MAX);
    cr_assert(phx_image_write(&image, file_write, NULL));
    cr_assert_eq(phx_image_read(&back, file_read, NULL, reason), PH_OK, "%s", reason_text);
    for (int i = 0; i < 4; i++) cr_assert_eq(PHX_IMAGE_ROWS(&back, targets, target)[i].target, expected[i]);
    phx_image_release(&image);
    phx_image_release(&back);
}

Test(image, memory_that_ends_is_named_and_all_of_it_comes_back)
{
    uint64_t calls = 0;
    phx_image image;
    phx_image_init(&image, watched_memory_allocator(&watched));
    cr_assert(fill_image(&image, false));
    file_begin(FILE_BYTES_MAX);
    cr_assert(phx_image_write(&image, file_write, NULL));
    phx_image_release(&image);
    for (ph_status status = PH_NO_MEMORY; status == PH_NO_MEMORY; calls++) {
        memory_for(calls);
        file.at = 0;
        phx_image_init(&image, watched_memory_allocator(&watched));
        status = phx_image_read(&image, file_read, NULL, reason);
        cr_assert(status == PH_OK || status == PH_NO_MEMORY, "%s", ph_status_name(status));
        phx_image_release(&image);
        cr_assert_eq(atomic_load(&watched.blocks), 0);
    }
    cr_assert_geq(calls, PHX_TABLES, "a table each");
    memory_for(0);
    phx_image_init(&image, watched_memory_allocator(&watched));
    cr_assert_not(phx_image_reserve(&image, PHX_TABLE_entities, 1));
    cr_assert_not(phx_image_reserve(&image, PHX_TABLE_entities, 1ull << 32), "more than a table can count");
    phx_image_release(&image);
}

Test(image, a_section_that_is_unknown_or_out_of_its_place_is_refused)
{
    static phx_section_writer writer;
    const char *const wrong[][2] = {{"LIST", "ENTY"}, {"WHAT", NULL}, {"LIST", "LIST"}};
    const uint64_t none[2] = {1, 0}; /* one record of 8 bytes */
    for (int i = 0; i < 3; i++) {
        file_begin(FILE_BYTES_MAX);
        phx_writer_begin(&writer, file_write, NULL);
        phx_writer_header(&writer, (phx_image_header){0});
        for (int s = 0; s < 2 && wrong[i][s]; s++) {
            phx_writer_section(&writer, wrong[i][s], sizeof none);
            phx_writer_put(&writer, none, sizeof none);
            phx_writer_section_end(&writer);
        }
        cr_assert(phx_writer_end(&writer));
        phx_image image;
        phx_image_init(&image, watched_memory_allocator(&watched));
        cr_assert_eq(phx_image_read(&image, file_read, NULL, reason), PH_BAD_IMAGE);
        cr_assert_not_null(strstr(reason_text, "not in its place"), "%s", reason_text);
        phx_image_release(&image);
    }
}

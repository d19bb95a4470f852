/*
 * src/world/image/sections.c: sections come back as they were written, and no damaged, cut or moved byte passes.
 */
#include "unit/world/image/image_case.h"

enum { WORD = 8, SECTIONS = 7, LARGEST = 3 * PHX_WRITER_BYTES + 5 };

/* Around the sizes of a word and of the writer's buffer. */
static const uint32_t sizes[SECTIONS] = {0, 1, 8, 13, PHX_WRITER_BYTES - 16, PHX_WRITER_BYTES, LARGEST};
static const char *const tags[SECTIONS] = {"AAAA", "B B ", "CCCC", "DD  ", "EEEE", "FFFF", "GGGG"};
static unsigned char content[SECTIONS][LARGEST];
static phx_section_writer writer;

TestSuite(sections, .init = memory_set_up, .fini = memory_tear_down);

static bool write_file(uint32_t sections, size_t room)
{
    uint64_t rng = 7;
    file_begin(room);
    phx_writer_begin(&writer, file_write, NULL);
    phx_writer_header(&writer, (phx_image_header){.tick = 5, .entities = 6, .incarnations = 7});
    for (uint32_t i = 0; i < sections; i++) {
        for (uint32_t b = 0; b < sizes[i]; b++) content[i][b] = (unsigned char)phx_rng_below(&rng, 256);
        phx_writer_section(&writer, tags[i], sizes[i]);
        for (uint32_t b = 0, part; b < sizes[i]; b += part) { /* in parts of any size */
            part = 1 + phx_rng_below(&rng, 3000);
            if (part > sizes[i] - b) part = sizes[i] - b;
            phx_writer_put(&writer, content[i] + b, part);
        }
        phx_writer_section_end(&writer);
    }
    return phx_writer_end(&writer);
}

/* The status of a whole file: PH_OK if all sections came, and were as they were written. */
static ph_status read_file(uint32_t sections)
{
    phx_section_reader reader;
    phx_image_header header;
    bool end = false;
    uint32_t count = 0;
    file.at = 0;
    reason_text[0] = '\0';
    phx_reader_begin(&reader, &memory, file_read, NULL, reason);
    ph_status status = phx_reader_header(&reader, &header);
    while (status == PH_OK && !end) {
        status = phx_reader_section(&reader, &end);
        if (status != PH_OK || end) continue;
        cr_assert_lt(count, sections, "a section more");
        cr_assert_str_eq(reader.tag, tags[count]);
        cr_assert_eq(reader.bytes, sizes[count]);
        if (sizes[count] > 0) cr_assert_eq(memcmp(reader.words, content[count], sizes[count]), 0);
        count++;
    }
    if (status == PH_OK) cr_assert_eq(count, sections, "a section is missing");
    phx_reader_free(&reader);
    return status;
}

Test(sections, every_size_comes_back_as_it_was_written)
{
    cr_assert(write_file(SECTIONS, FILE_BYTES_MAX));
    cr_assert_eq(file.size % WORD, 0);
    cr_assert_eq(read_file(SECTIONS), PH_OK, "%s", reason_text);
    cr_assert_eq(file.at, file.size);
}

Test(sections, a_changed_bit_of_any_byte_is_refused)
{
    cr_assert(write_file(4, FILE_BYTES_MAX));
    const size_t size = file.size;
    for (size_t at = 0; at < size; at++)
        for (uint32_t bit = 0; bit < 8; bit++) {
            file.bytes[at] ^= (unsigned char)(1u << bit);
            const ph_status status = read_file(4);
            cr_assert(status == PH_BAD_IMAGE || status == PH_IO || status == PH_NO_MEMORY, "byte %zu bit %u: %s", at,
                      bit, ph_status_name(status));
            if (status != PH_NO_MEMORY) cr_assert_gt(strlen(reason_text), 10, "no reason");
            file.bytes[at] ^= (unsigned char)(1u << bit);
        }
    cr_assert_eq(read_file(4), PH_OK);
}

Test(sections, a_file_that_ends_early_is_an_error_of_reading)
{
    cr_assert(write_file(4, FILE_BYTES_MAX));
    const size_t size = file.size;
    for (file.size = 0; file.size < size; file.size++) cr_assert_eq(read_file(4), PH_IO, "%zu bytes", file.size);
    cr_assert_eq(read_file(4), PH_OK);
}

Test(sections, sections_that_changed_places_are_refused_at_the_end)
{
    enum { A = 64, WITH_A = 16 + WORD, B = A + WITH_A, WITH_B = 16 + WORD + WORD };
    unsigned char first[WITH_A];
    cr_assert(write_file(2, FILE_BYTES_MAX));
    memcpy(first, file.bytes + A, sizeof first);
    memmove(file.bytes + A, file.bytes + B, WITH_B);
    memcpy(file.bytes + A + WITH_B, first, sizeof first);
    phx_section_reader reader;
    phx_image_header header;
    bool end = false;
    phx_reader_begin(&reader, &memory, file_read, NULL, reason);
    cr_assert_eq(phx_reader_header(&reader, &header), PH_OK);
    cr_assert(header.tick == 5 && header.entities == 6 && header.incarnations == 7);
    for (int i = 0; i < 2; i++) cr_assert_eq(phx_reader_section(&reader, &end), PH_OK, "each alone is whole");
    cr_assert_eq(phx_reader_section(&reader, &end), PH_BAD_IMAGE);
    cr_assert_not_null(strstr(reason_text, "missing or moved"), "%s", reason_text);
    phx_reader_free(&reader);
}

Test(sections, nothing_is_written_behind_a_write_that_failed)
{
    cr_assert(write_file(SECTIONS, FILE_BYTES_MAX));
    const size_t size = file.size;
    for (size_t room = 0; room < size; room += 509) {
        cr_assert_not(write_file(SECTIONS, room), "room for %zu of %zu", room, size);
        cr_assert_eq(file.failed, 1);
    }
    cr_assert(write_file(SECTIONS, size));
}

Test(sections, a_section_without_memory_says_so)
{
    cr_assert(write_file(SECTIONS, FILE_BYTES_MAX));
    for (uint64_t calls = 0; calls < 2; calls++) {
        memory_for(calls);
        cr_assert_eq(read_file(SECTIONS), PH_NO_MEMORY);
    }
    memory_enough();
    cr_assert_eq(read_file(SECTIONS), PH_OK);
}

Test(sections, the_sum_of_bytes_does_not_depend_on_how_they_came)
{
    enum { WORDS = 41 };
    uint64_t words[WORDS], rng = 3;
    for (uint32_t i = 0; i < WORDS; i++) words[i] = phx_rng_next(&rng);
    phx_sum whole = phx_sum_begin();
    phx_sum_add(&whole, words, sizeof words);
    for (uint32_t cut = 0; cut <= WORDS; cut++) {
        phx_sum parts = phx_sum_begin();
        phx_sum_add(&parts, words, cut * sizeof *words);
        phx_sum_add(&parts, words + cut, (WORDS - cut) * sizeof *words);
        cr_assert_eq(phx_sum_end(&parts), phx_sum_end(&whole), "cut behind %u words", cut);
    }
    for (uint32_t i = 0; i + 1 < WORDS; i++) { /* the order counts */
        uint64_t other[WORDS];
        memcpy(other, words, sizeof other);
        other[i] = words[i + 1];
        other[i + 1] = words[i];
        phx_sum swapped = phx_sum_begin();
        phx_sum_add(&swapped, other, sizeof other);
        cr_assert_neq(phx_sum_end(&swapped), phx_sum_end(&whole), "words %u and %u", i, i + 1);
    }
}

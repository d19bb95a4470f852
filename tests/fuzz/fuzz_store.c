/*
 * Any bytes as a file of a store, beside a good image where they are a journal. The first byte chooses: bit 1, a
 * journal (.phj), else an image (.phs); bit 0, the sums of the file are made right first; bit 2, the sums of the
 * records in it, too. A file is recovered, or refused with a reason, and leaves no memory; a recovered world ticks and
 * verifies.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <pharos/pharos.h>
#include <pharos/store.h>

#include "base/core.h"
#include "store/folder.h"
#include "store/image_frame.h"
#include "store/journal_frame.h"
#include "support/fail_alloc.h"
#include "support/temp_path.h"
#include "world/image/sections.h"
#include "world/journal/head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Holds in every build, unlike PHX_ASSERT. */
#define HOLDS(x) ((x) ? (void)0 : phx_panic(__FILE__, __LINE__, #x))

enum { SEALS_FILE = 1, IS_JOURNAL = 2, SEALS_RECORDS = 4, PAIRS = 2000, MEMORY = 64 << 20 };

static char folder[TEMP_PATH_SIZE];
static ph_store_def def;

/* ---- sums ---- */

/* The sum of a record behind its bytes, and the head's fields that are always the same. */
static void seal_record(uint8_t *record, size_t size)
{
    phx_record_head head = {0};
    const size_t least = phx_record_head_bytes(PH_RECORD_FORMAT_OLDEST);
    if (size < least + sizeof(uint64_t) || size % sizeof(uint64_t) != 0) return;
    memcpy(&head, record, least);
    head.magic = PHX_RECORD_MAGIC;
    head.rules = PHX_IMAGE_RULES;
    head.bytes = size;
    memcpy(record, &head, least);
    phx_sum sum = phx_sum_begin();
    phx_sum_add(&sum, record, size - sizeof(uint64_t));
    const uint64_t end = phx_sum_end(&sum);
    memcpy(record + size - sizeof end, &end, sizeof end);
}

static void seal_frames(uint8_t *bytes, size_t size, bool records)
{
    phx_journal_frame_head frame;
    for (size_t at = sizeof(phx_journal_file_head); size - at >= phx_journal_frame_bytes(0);) {
        memcpy(&frame, bytes + at, sizeof frame);
        if (frame.bytes > size - at - phx_journal_frame_bytes(0)) return;
        frame.magic = PHX_JOURNAL_FRAME_MAGIC;
        memcpy(bytes + at, &frame, sizeof frame);
        if (records) seal_record(bytes + at + sizeof frame, (size_t)frame.bytes);
        const uint64_t sum = XXH3_64bits(bytes + at, sizeof frame + (size_t)frame.bytes);
        memcpy(bytes + at + sizeof frame + frame.bytes, &sum, sizeof sum);
        at += (size_t)phx_journal_frame_bytes(frame.bytes);
    }
}

static void seal_journal(uint8_t *bytes, size_t size, bool records)
{
    phx_journal_file_head head;
    if (size < sizeof head) return;
    memcpy(&head, bytes, sizeof head);
    memcpy(head.magic, PHX_JOURNAL_MAGIC, sizeof head.magic);
    head.format = PHX_JOURNAL_FORMAT;
    head.sum = XXH3_64bits(&head, offsetof(phx_journal_file_head, sum));
    memcpy(bytes, &head, sizeof head);
    seal_frames(bytes, size, records);
}

/* The last bytes of the file become its sum. */
static void seal_image(uint8_t *bytes, size_t size)
{
    phx_image_trailer trailer = {PHX_TRAILER_MAGIC, PHX_TRAILER_SUM_BYTES, 0};
    if (size < sizeof trailer) return;
    trailer.sum = XXH3_64bits(bytes, size - sizeof trailer);
    memcpy(bytes + size - sizeof trailer, &trailer, sizeof trailer);
}

/* ---- files ---- */

/* Two stores in one folder: "i" gets images; "j" has the image of an empty world, and gets journals. */
static void path_of(char path[2 * TEMP_PATH_SIZE], bool is_journal)
{
    (void)snprintf(path, 2 * TEMP_PATH_SIZE, is_journal ? "%s/j.%020d.phj" : "%s/i.%020d.phs", folder, is_journal);
}

static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    HOLDS(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void remove_at_exit(void)
{
    temp_remove(folder);
}

/* The image of an empty world at tick 0. */
static void write_image(void)
{
    char reason[PH_STORE_REASON_SIZE];
    const ph_world_def empty = ph_world_def_default();
    ph_world world;
    ph_store *store;
    HOLDS(ph_world_create(&empty, &world) == PH_OK);
    HOLDS(ph_store_open(&def, world, &store, reason, sizeof reason) == PH_OK);
    HOLDS(ph_store_save(store) == PH_OK && ph_store_close(store) == PH_OK);
    HOLDS(ph_world_destroy(world) == PH_OK);
}

/* The folder, which is removed at the end. */
static void make_folder(void)
{
    if (folder[0] != '\0') return;
    temp_folder(folder, "pharos_fuzz");
    (void)atexit(remove_at_exit);
    def = ph_store_def_default();
    def.folder = folder;
    def.name = "j";
    write_image();
}

/* ---- the target ---- */

/* No file of a few bytes needs more; what its definition asks for beyond is no memory. */
static bool beyond_memory(void *asked)
{
    return ((const fail_alloc *)asked)->bytes > MEMORY;
}

static void recover(bool is_journal)
{
    fail_alloc memory = {.fails = beyond_memory};
    const ph_load_options options = {.given = PH_LOAD_SHARDS | PH_LOAD_WORKERS,
                                     .shards = {1, 1},
                                     .workers = 1,
                                     .allocator = fail_alloc_hooks(&memory)};
    char reason[PH_STORE_REASON_SIZE] = "";
    ph_verification progress = {0};
    ph_difference difference;
    uint64_t tick = 0;
    ph_world world;
    memory.asked = &memory;
    const ph_status status = ph_store_recover(&def, &options, &world, &tick, reason, sizeof reason);
    const bool refused = status == PH_BAD_IMAGE || status == PH_BAD_DEF || status == PH_IO;
    HOLDS(status == PH_OK || status == PH_NO_MEMORY || (refused && !is_journal && reason[0] != '\0'));
    if (status == PH_OK) {
        const ph_status ticked = ph_tick(world, NULL);
        HOLDS(ticked == PH_OK || ticked == PH_NO_MEMORY);
        if (ph_verify(world, PAIRS, &progress, &difference) == PH_OK) HOLDS(difference.kind == PH_DIFFERENCE_NONE);
        HOLDS(ph_world_destroy(world) == PH_OK);
    }
    HOLDS(fail_alloc_clean(&memory));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[2 * TEMP_PATH_SIZE];
    if (size == 0) return 0;
    const bool is_journal = data[0] & IS_JOURNAL;
    uint8_t *bytes = malloc(size);
    HOLDS(bytes);
    memcpy(bytes, data + 1, size - 1);
    if (data[0] & SEALS_FILE) {
        if (is_journal) seal_journal(bytes, size - 1, data[0] & SEALS_RECORDS);
        else seal_image(bytes, size - 1);
    }
    make_folder();
    path_of(path, is_journal);
    write_file(path, bytes, size - 1);
    def.name = is_journal ? "j" : "i";
    recover(is_journal);
    HOLDS(remove(path) == 0);
    free(bytes);
    return 0;
}

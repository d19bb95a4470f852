/*
 * Damaged images: every single bit flip and every truncation of small images, and each allocation of saving and loading
 * that fails. A load is refused with a reason or makes a right world; no memory is left behind.
 *
 * options: --seed S
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "support/check.h"
#include "support/fail_alloc.h"
#include "support/image_bytes.h"
#include "support/script_gen.h"
#include "support/subject.h"

enum { SCRIPTS = 6, REASON = 256 };

static void submit_steps(const script *s, ph_world world, ph_producer producer)
{
    for (size_t i = 0; i < s->steps.count; i++) {
        const step *at = &s->steps.items[i];
        if (at->type == STEP_COMMAND) (void)engine_submit(producer, &at->as.command);
        if (at->type == STEP_TICK) CHECK_OK(ph_tick(world, NULL));
    }
    CHECK_OK(ph_tick(world, NULL));
}

/* A world of a script, with the test's memory. */
static ph_world make_world(const script *s, fail_alloc *memory)
{
    ph_world_def def = s->def;
    ph_world world;
    ph_producer producer;
    def.simd = PH_SIMD_AUTO; /* not each machine has what the script chose */
    def.allocator = fail_alloc_hooks(memory);
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    submit_steps(s, world, producer);
    return world;
}

static ph_status load_bytes(image_bytes *bytes, size_t count, fail_alloc *memory, ph_world *world, char *reason)
{
    image_bytes part = {.items = bytes->items, .count = count};
    const ph_load_options options = {.given = PH_LOAD_SHARDS | PH_LOAD_WORKERS,
                                     .shards = {1, 1},
                                     .workers = 1,
                                     .allocator = fail_alloc_hooks(memory)};
    return ph_load(&options, image_bytes_read, &part, world, reason, REASON);
}

/* A load that is not the whole image: refused, with a reason, and nothing is left. */
static void expect_refusal(image_bytes *bytes, size_t count, const char *what, size_t at)
{
    fail_alloc memory = {0};
    ph_world world;
    char reason[REASON] = "";
    const ph_status status = load_bytes(bytes, count, &memory, &world, reason);
    CHECK((status == PH_BAD_IMAGE || status == PH_IO) && reason[0] != '\0' && world.index1 == 0, "%s %zu: %s '%s'",
          what, at, ph_status_name(status), reason);
    CHECK(fail_alloc_clean(&memory), "%s %zu: memory is left", what, at);
    CHECK(memory.peak <= (1u << 20) + 64 * bytes->count, "%s %zu: %" PRIu64 " bytes for an image of %zu", what, at,
          (uint64_t)memory.peak, bytes->count);
    if (status == PH_OK) CHECK_OK(ph_world_destroy(world));
}

static void damage_each(image_bytes *bytes)
{
    for (size_t at = 0; at < bytes->count; at++) expect_refusal(bytes, at, "cut at byte", at);
    for (size_t bit = 0; bit < bytes->count * 8; bit++) {
        bytes->items[bit / 8] ^= (uint8_t)(1u << bit % 8);
        expect_refusal(bytes, bytes->count, "flipped bit", bit);
        bytes->items[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

/* Each allocation of a save fails, once and from there on; the world is as before. */
static void save_without_memory(ph_world world, fail_alloc *memory, const image_bytes *whole)
{
    for (uint64_t nth = 1; nth < 1000; nth++) {
        image_bytes bytes = {0};
        const uint64_t blocks = memory->blocks;
        fail_alloc_order(memory, nth, nth % 2 == 0);
        const ph_status status = ph_save(world, image_bytes_write, &bytes);
        fail_alloc_order(memory, 0, false);
        CHECK(status == PH_NO_MEMORY || status == PH_OK, "save, allocation %" PRIu64 ": %s", nth,
              ph_status_name(status));
        CHECK(memory->blocks == blocks, "save, allocation %" PRIu64 ": memory is left", nth);
        const bool same = bytes.count == whole->count && memcmp(bytes.items, whole->items, whole->count) == 0;
        CHECK(status == PH_OK ? same : bytes.count == 0, "save, allocation %" PRIu64 ": other bytes", nth);
        free(bytes.items);
        if (status == PH_OK) return;
    }
    (void)CHECK(false, "more than 1,000 allocations");
}

/* Each allocation of a load fails. */
static void load_without_memory(image_bytes *bytes, uint64_t hash)
{
    for (uint64_t nth = 1; nth < 100000; nth++) {
        fail_alloc memory = {0};
        ph_world world;
        char reason[REASON] = "";
        fail_alloc_order(&memory, nth, nth % 2 == 0);
        const ph_status status = load_bytes(bytes, bytes->count, &memory, &world, reason);
        fail_alloc_order(&memory, 0, false);
        CHECK(status == PH_NO_MEMORY || status == PH_OK, "load, allocation %" PRIu64 ": %s %s", nth,
              ph_status_name(status), reason);
        if (status == PH_OK) {
            uint64_t now = 0;
            CHECK_OK(ph_world_hash(world, &now));
            CHECK(now == hash, "load, allocation %" PRIu64 ": another world", nth);
            CHECK_OK(ph_world_destroy(world));
        }
        CHECK(fail_alloc_clean(&memory), "load, allocation %" PRIu64 ": memory is left", nth);
        if (memory.failed == 0) return;
    }
    (void)CHECK(false, "more than 100,000 allocations");
}

static void test_script(uint64_t seed, uint32_t profile)
{
    script *s = ops_script(seed, profile);
    fail_alloc memory = {0};
    image_bytes bytes = {0};
    uint64_t hash = 0;
    ph_world world = make_world(s, &memory);
    CHECK_OK(ph_world_hash(world, &hash));
    CHECK_OK(ph_save(world, image_bytes_write, &bytes));
    save_without_memory(world, &memory, &bytes);
    CHECK_OK(ph_world_destroy(world));
    CHECK(fail_alloc_clean(&memory), "seed %" PRIu64 ": memory is left", seed);
    load_without_memory(&bytes, hash);
    damage_each(&bytes);
    (void)printf("seed %" PRIu64 " profile %s: %zu bytes\n", seed, s->profile, bytes.count);
    free(bytes.items);
    script_free(s);
}

/* A function of the host that fails at each piece. */
static bool refuse_write(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    return (*(uint32_t *)user)-- > 1;
}

static void test_arguments(void)
{
    ph_world_def def = ph_world_def_default();
    ph_world world, other;
    ph_image *image = NULL;
    image_bytes bytes = {0};
    char reason[REASON] = "";
    REQUIRE(ph_world_create(&def, &world) == PH_OK);
    CHECK_STATUS(ph_save(world, NULL, NULL), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_save((ph_world){0}, image_bytes_write, &bytes), PH_BAD_HANDLE);
    CHECK_STATUS(ph_image_capture(world, NULL), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_image_write(NULL, image_bytes_write, &bytes), PH_BAD_ARGUMENT);
    ph_image_free(NULL);
    for (uint32_t pieces = 1, left = 1; left == 0 || pieces < 40; pieces++) {
        left = pieces;
        const ph_status status = ph_save(world, refuse_write, &left);
        CHECK(status == PH_IO || status == PH_OK, "write: %s", ph_status_name(status));
        if (status == PH_OK) break;
    }
    CHECK_OK(ph_image_capture(world, &image));
    CHECK_OK(ph_world_destroy(world)); /* the image stays */
    CHECK_OK(ph_image_write(image, image_bytes_write, &bytes));
    ph_image_free(image);
    CHECK_STATUS(ph_load(NULL, NULL, NULL, &other, NULL, 0), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_load(NULL, image_bytes_read, &bytes, NULL, NULL, 0), PH_BAD_ARGUMENT);
    ph_load_options options = {.given = 1u << 31};
    CHECK_STATUS(ph_load(&options, image_bytes_read, &bytes, &other, NULL, 0), PH_BAD_ARGUMENT);
    options = (ph_load_options){.reserved = {[7] = 1}};
    CHECK_STATUS(ph_load(&options, image_bytes_read, &bytes, &other, NULL, 0), PH_BAD_ARGUMENT);
    options = (ph_load_options){.allocator = {.reserved = {1}}};
    CHECK_STATUS(ph_load(&options, image_bytes_read, &bytes, &other, NULL, 0), PH_BAD_ARGUMENT);
    options = (ph_load_options){.tasks = {.reserved = {0, 1}}};
    CHECK_STATUS(ph_load(&options, image_bytes_read, &bytes, &other, reason, sizeof reason), PH_BAD_DEF);
    CHECK(strstr(reason, "tasks: reserved") != NULL, "the reason is: %s", reason);
    bytes.at = 0;
    options = (ph_load_options){.given = PH_LOAD_WORKERS, .workers = 0};
    CHECK_STATUS(ph_load(&options, image_bytes_read, &bytes, &other, reason, sizeof reason), PH_BAD_DEF);
    CHECK(strncmp(reason, "workers", strlen("workers")) == 0, "'%s'", reason);
    bytes.at = 0;
    CHECK_OK(ph_load(NULL, image_bytes_read, &bytes, &other, reason, sizeof reason));
    CHECK_STATUS(ph_apply(other), PH_OK);
    CHECK_STATUS(ph_save(other, image_bytes_write, &bytes), PH_BUSY);
    CHECK_OK(ph_tick(other, NULL));
    CHECK_OK(ph_world_destroy(other));
    free(bytes.items);
}

int main(int argc, char **argv)
{
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    test_arguments();
    for (uint32_t i = 0; i < SCRIPTS && check_failures() == 0; i++)
        test_script(seed + i, (uint32_t)((seed + 7 * i) % ops_profile_count()));
    return check_done("save_damage");
}

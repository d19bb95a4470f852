/*
 * Any bytes as an image. The first byte chooses: odd, the sums are made right first, so that the checks behind them are
 * reached. A refused image has a reason and leaves no memory; a loaded world ticks, verifies, and is saved and loaded
 * again. Memory follows the bytes.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/core.h"
#include "support/fail_alloc.h"
#include "support/image_bytes.h"
#include "world/image/sections.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Holds in every build, unlike PHX_ASSERT. */
#define HOLDS(x) ((x) ? (void)0 : phx_panic(__FILE__, __LINE__, #x))

enum { REASON = 256, PAIRS = 2000, MEMORY = 64 << 20, TICKS = 2 };

static uint64_t sum_of(const uint8_t *bytes, size_t size)
{
    phx_sum sum = phx_sum_begin();
    phx_sum_add(&sum, bytes, size);
    return phx_sum_end(&sum);
}

/* Makes all sums right, as far as the sections go. */
static void seal(uint8_t *bytes, size_t size)
{
    const size_t before = offsetof(phx_image_header, sum);
    phx_sum all = phx_sum_begin();
    uint64_t sum;
    if (size < sizeof(phx_image_header)) return;
    sum = sum_of(bytes, before);
    memcpy(bytes + before, &sum, sizeof sum);
    for (size_t at = sizeof(phx_image_header); size - at >= 3 * sizeof sum;) {
        uint64_t length;
        memcpy(&length, bytes + at + 8, sizeof length);
        const size_t left = size - at - 3 * sizeof sum;
        if (length > left) return;
        const size_t whole = 16 + (size_t)(length + 7) / 8 * 8;
        if (whole + sizeof sum > size - at) return;
        if (memcmp(bytes + at, "END ", 4) == 0 && length == sizeof sum) {
            sum = phx_sum_end(&all);
            memcpy(bytes + at + 16, &sum, sizeof sum);
        }
        sum = sum_of(bytes + at, whole);
        memcpy(bytes + at + whole, &sum, sizeof sum);
        phx_sum_add(&all, &sum, sizeof sum);
        at += whole + sizeof sum;
    }
}

/* No image of a few bytes needs more; what its definition asks for beyond is no memory. */
static bool beyond_memory(void *asked)
{
    return ((const fail_alloc *)asked)->bytes > MEMORY;
}

static ph_load_options options_with(fail_alloc *memory)
{
    return (ph_load_options){.given = PH_LOAD_SHARDS | PH_LOAD_WORKERS,
                             .shards = {1, 1},
                             .workers = 1,
                             .allocator = fail_alloc_hooks(memory)};
}

/* Goes on with a loaded world, and saves it once more. */
static void play_on(ph_world world, fail_alloc *memory)
{
    const ph_load_options options = options_with(memory);
    image_bytes bytes = {0};
    ph_world again;
    ph_verification progress = {0};
    ph_difference difference;
    char reason[REASON] = "";
    uint64_t first = 0, second = 0;
    ph_status status = ph_save(world, image_bytes_write, &bytes);
    HOLDS(status == PH_OK || status == PH_NO_MEMORY);
    if (status == PH_OK) status = ph_load(&options, image_bytes_read, &bytes, &again, reason, sizeof reason);
    HOLDS(status == PH_OK || status == PH_NO_MEMORY || status == PH_BAD_DEF);
    if (status == PH_OK) {
        HOLDS(ph_world_hash(world, &first) == PH_OK && ph_world_hash(again, &second) == PH_OK && first == second);
        HOLDS(ph_world_destroy(again) == PH_OK);
    }
    free(bytes.items);
    if (ph_verify(world, PAIRS, &progress, &difference) == PH_OK) HOLDS(difference.kind == PH_DIFFERENCE_NONE);
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        status = ph_tick(world, NULL);
        HOLDS(status == PH_OK || status == PH_NO_MEMORY);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fail_alloc memory = {.fails = beyond_memory};
    memory.asked = &memory;
    if (size == 0) return 0;
    image_bytes bytes = {0};
    (void)image_bytes_write(&bytes, data, size);
    bytes.at = 1;
    /* sums are of words: behind the first byte they would stand at odd addresses, which memcpy() does not mind */
    if (data[0] & 1) seal(bytes.items + 1, size - 1);
    const ph_load_options options = options_with(&memory);
    ph_world world;
    char reason[REASON] = "";
    const ph_status status = ph_load(&options, image_bytes_read, &bytes, &world, reason, sizeof reason);
    const bool refused = status == PH_BAD_IMAGE || status == PH_BAD_DEF || status == PH_IO;
    HOLDS(status == PH_OK || status == PH_NO_MEMORY || (refused && reason[0] != '\0'));
    if (status == PH_OK) {
        play_on(world, &memory);
        HOLDS(ph_world_destroy(world) == PH_OK);
    }
    HOLDS(fail_alloc_clean(&memory));
    free(bytes.items);
    return 0;
}

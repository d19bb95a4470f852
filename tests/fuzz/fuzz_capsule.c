/*
 * Any bytes as a capsule. The first byte chooses: odd, the head and the sum are made right first, so that the checks
 * behind them are reached. A refused capsule changes nothing, and is counted; a world that took one verifies, and its
 * own export of that family is taken by a second world.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/core.h"
#include "world/queue/capsule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Holds in every build, unlike PHX_ASSERT. */
#define HOLDS(x) ((x) ? (void)0 : phx_panic(__FILE__, __LINE__, #x))

enum { PAIRS = 2000, ENTITIES = 6, SUM_BYTES = 8 };

static ph_world make_world(ph_producer *producer, bool entities)
{
    ph_world world;
    ph_world_def def = ph_world_def_default();
    def.entities_max = 1000;
    HOLDS(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, producer) == PH_OK);
    for (uint64_t id = 1; entities && id <= ENTITIES; id++) {
        const ph_attrs attrs = {
            .given = PH_POSITION | PH_VIEW | PH_REMOTE, .x = (float)id, .view = 10.0f, .remote = id % 2 == 0};
        HOLDS(ph_enter(*producer, id, &attrs) == PH_OK);
    }
    HOLDS(ph_tick(world, NULL) == PH_OK);
    return world;
}

static uint64_t hash_of(ph_world world)
{
    uint64_t hash = 0;
    HOLDS(ph_world_hash(world, &hash) == PH_OK);
    return hash;
}

/* Makes the fixed parts of the head right, and the sum. */
static void seal(uint8_t *bytes, size_t size)
{
    phx_capsule_head head;
    if (size < sizeof head + SUM_BYTES) return;
    memcpy(&head, bytes, sizeof head);
    head.magic = PHX_CAPSULE_MAGIC;
    head.format = PHX_CAPSULE_FORMAT;
    head.bytes = (uint32_t)size;
    head.zero = 0;
    memcpy(bytes, &head, sizeof head);
    phx_capsule_seal(bytes, size - SUM_BYTES);
}

/* What came is exported as it is. */
static void check_taken(ph_world world, uint64_t root)
{
    static uint8_t own[PH_CAPSULE_MAX];
    ph_verification progress = {0};
    ph_difference difference;
    size_t bytes = 0;
    ph_producer producer;
    if (ph_verify(world, PAIRS, &progress, &difference) == PH_OK) HOLDS(difference.kind == PH_DIFFERENCE_NONE);
    if (ph_export(world, root, NULL, NULL, own, sizeof own, &bytes) != PH_OK) return; /* it was refused in the tick */
    const ph_world second = make_world(&producer, false);
    HOLDS(ph_import(producer, own, bytes, NULL, NULL) == PH_OK && ph_tick(second, NULL) == PH_OK);
    HOLDS(ph_world_destroy(second) == PH_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ph_producer producer;
    uint64_t root = 0;
    uint32_t count = 0;
    if (size == 0) return 0;
    const size_t bytes = data[0] & 1 ? (size - 1) / SUM_BYTES * SUM_BYTES : size - 1;
    uint8_t *capsule = malloc(bytes + 1);
    HOLDS(capsule);
    memcpy(capsule, data + 1, bytes);
    if (data[0] & 1) seal(capsule, bytes);
    const ph_world world = make_world(&producer, true);
    const uint64_t before = hash_of(world);
    const ph_status status = ph_import(producer, capsule, bytes, NULL, NULL);
    HOLDS(ph_tick(world, NULL) == PH_OK);
    if (status == PH_OK) {
        HOLDS(ph_capsule_ids(capsule, bytes, &root, 1, &count) == PH_OK && count > 0);
        check_taken(world, root);
    } else {
        ph_stats stats;
        HOLDS(ph_world_stats(world, &stats) == PH_OK && stats.refused[status] == 1 && hash_of(world) == before);
    }
    HOLDS(ph_world_destroy(world) == PH_OK);
    free(capsule);
    return 0;
}

/*
 * Any bytes as the record of a journal. The first byte chooses: odd, the head and the sum are made right first, so that
 * the checks behind them are reached; bit 1, as the newest format, else as the oldest. A refused record has a reason,
 * and the world is as before; behind a replayed one the world verifies, and its own record of that tick is replayed by
 * a second world to the same hash.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>
#include <pharos/save.h>

#include "base/core.h"
#include "world/image/sections.h"
#include "world/journal/head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Holds in every build, unlike PHX_ASSERT. */
#define HOLDS(x) ((x) ? (void)0 : phx_panic(__FILE__, __LINE__, #x))

enum { REASON = 256, PAIRS = 2000, ENTITIES = 6 };

static ph_world make_world(void)
{
    ph_world world;
    ph_producer producer;
    ph_world_def def = ph_world_def_default();
    def.entities_max = 1000;
    def.areas_max = 100;
    HOLDS(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    for (uint64_t id = 1; id <= ENTITIES; id++)
        HOLDS(ph_enter(producer, id,
                       &(ph_attrs){.given = PH_POSITION | PH_VIEW, .x = (float)id, .y = 0.0f, .view = 10.0f}) == PH_OK);
    HOLDS(ph_producer_close(producer) == PH_OK && ph_tick(world, NULL) == PH_OK);
    return world;
}

static uint64_t hash_of(ph_world world)
{
    uint64_t hash = 0;
    HOLDS(ph_world_hash(world, &hash) == PH_OK);
    return hash;
}

/* Makes the fixed parts of the head right, and the sum. */
static void seal(uint64_t *record, size_t size, uint16_t format)
{
    phx_record_head head = {0};
    const size_t bytes = phx_record_head_bytes(format);
    if (size < bytes + sizeof(uint64_t)) return;
    memcpy(&head, record, bytes);
    head.magic = PHX_RECORD_MAGIC;
    head.format = format;
    head.rules = PHX_IMAGE_RULES;
    head.bytes = size;
    head.tick = 2;
    head.flags &= PHX_RECORD_APPLY | PHX_RECORD_DEF;
    memcpy(record, &head, bytes);
    phx_sum sum = phx_sum_begin();
    phx_sum_add(&sum, record, size - sizeof(uint64_t));
    record[size / sizeof(uint64_t) - 1] = phx_sum_end(&sum);
}

/* A journal of one record. */
typedef struct copy {
    void *bytes;
    size_t size;
    bool done;
} copy;

static void *copy_room(void *user, uint64_t tick, size_t bytes)
{
    copy *to = user;
    (void)tick;
    free(to->bytes);
    *to = (copy){.bytes = malloc(bytes), .size = bytes};
    return to->bytes;
}

static void copy_done(void *user, uint64_t tick, uint32_t flags)
{
    (void)tick;
    ((copy *)user)->done = flags & PH_RECORD_WHOLE;
}

/* Behind a replay: also such a one that diverged, which the head's counts decide. */
static void check_replayed(ph_world world, const copy *own)
{
    ph_verification progress = {0};
    ph_difference difference;
    char reason[REASON] = "";
    HOLDS(own->done);
    const uint64_t hash = hash_of(world);
    const ph_world second = make_world();
    HOLDS(ph_journal_replay(second, own->bytes, own->size, reason, sizeof reason) == PH_OK && hash_of(second) == hash);
    HOLDS(ph_world_destroy(second) == PH_OK);
    if (ph_verify(world, PAIRS, &progress, &difference) == PH_OK) HOLDS(difference.kind == PH_DIFFERENCE_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char reason[REASON] = "";
    copy own = {0};
    const ph_journal journal = {.room = copy_room, .done = copy_done, .user = &own};
    if (size == 0) return 0;
    const size_t bytes = size - 1;
    uint64_t *record = calloc(bytes / sizeof *record + 1, sizeof *record);
    HOLDS(record);
    memcpy(record, data + 1, bytes);
    if (data[0] & 1)
        seal(record, bytes / sizeof *record * sizeof *record, data[0] & 2 ? PH_RECORD_FORMAT : PH_RECORD_FORMAT_OLDEST);
    const ph_world world = make_world();
    const uint64_t before = hash_of(world);
    HOLDS(ph_journal_set(world, &journal) == PH_OK);
    const ph_status status = ph_journal_replay(
        world, record, data[0] & 1 ? bytes / sizeof *record * sizeof *record : bytes, reason, sizeof reason);
    HOLDS(status == PH_OK || status == PH_BAD_RECORD || status == PH_NO_MEMORY);
    if (status == PH_OK || strncmp(reason, "diverged", 8) == 0) check_replayed(world, &own);
    else HOLDS(status == PH_NO_MEMORY || (reason[0] != '\0' && hash_of(world) == before && !own.done));
    HOLDS(ph_world_destroy(world) == PH_OK);
    free(own.bytes);
    free(record);
    return 0;
}

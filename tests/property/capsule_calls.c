/*
 * ph_export(), ph_import() and ph_capsule_ids() call by call: refusals, damage, targets and areas that the other world
 * does not have, other stays, families that are refused half way, lists that are too long, and want of memory.
 */
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>
#include <pharos/save.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/fail_alloc.h"
#include "world/queue/capsule.h"

typedef struct place {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    const ph_batch *batch;
} place;

static unsigned char capsule[PH_CAPSULE_MAX];

static place open_place_with(const ph_class *classes, uint16_t count, const ph_allocator *allocator, uint32_t shards)
{
    place at = {0};
    ph_world_def def = ph_world_def_default();
    def.classes = classes;
    def.class_count = count;
    def.shards[0] = shards;
    if (allocator) def.allocator = *allocator;
    REQUIRE(ph_world_create(&def, &at.world) == PH_OK && ph_producer_open(at.world, &at.producer) == PH_OK &&
            ph_consumer_open(at.world, 0, &at.consumer) == PH_OK);
    return at;
}

static place open_place_of(ph_class class, const ph_allocator *allocator, uint32_t shards)
{
    return open_place_with(&class, 1, allocator, shards);
}

static place open_place(const ph_allocator *allocator, uint32_t shards)
{
    ph_class class = ph_class_default("default");
    class.wakes = class.sleeps = false;
    return open_place_of(class, allocator, shards);
}

static void tick(place *at)
{
    if (at->batch) CHECK_OK(ph_batch_return(at->consumer, at->batch));
    at->batch = NULL;
    CHECK_OK(ph_tick(at->world, NULL));
    if (ph_batch_take(at->consumer, &at->batch) != PH_OK) at->batch = NULL;
}

static void close_place(place *at)
{
    CHECK_OK(ph_world_destroy(at->world));
}

static void enter(place *at, uint64_t id, float x, float view, bool remote)
{
    const ph_attrs attrs = {.given = PH_POSITION | PH_VIEW | PH_USER_DATA | PH_REMOTE,
                            .x = x,
                            .view = view,
                            .user_data = id * 7,
                            .remote = remote};
    CHECK_OK(ph_enter(at->producer, id, &attrs));
}

static size_t export_of(const place *at, uint64_t id)
{
    size_t bytes = 0;
    CHECK_OK(ph_export(at->world, id, NULL, NULL, capsule, sizeof capsule, &bytes));
    return bytes;
}

/* Memory that is not aligned for words, or too small for them, gets the same bytes or none behind its end. */
static void check_places(const place *at, uint64_t id)
{
    static _Alignas(8) unsigned char other[PH_CAPSULE_MAX];
    const size_t whole = export_of(at, id);
    size_t bytes = 0;
    memset(other, 0xA5, sizeof other);
    CHECK_OK(ph_export(at->world, id, NULL, NULL, other + 1, whole, &bytes));
    CHECK(bytes == whole && memcmp(other + 1, capsule, whole) == 0, "it has other bytes at an odd address");
    CHECK(other[0] == 0xA5 && other[whole + 1] == 0xA5, "bytes beside an odd address");
    for (size_t size = 0; size < whole; size++) {
        memset(other, 0xA5, whole);
        CHECK_STATUS(ph_export(at->world, id, NULL, NULL, other, size, &bytes), PH_TOO_LARGE);
        CHECK(bytes == whole, "%zu bytes in place of %zu", bytes, whole);
        for (size_t i = size; i < whole; i++) CHECK(other[i] == 0xA5, "byte %zu behind %zu", i, size);
    }
}

static ph_refusal only_refusal(const place *at)
{
    ph_refusal refusals[2] = {0};
    uint32_t count = 0;
    CHECK_OK(ph_producer_refusals(at->producer, refusals, 2, &count));
    CHECK(count == 1, "%u refusals", count);
    return refusals[0];
}

static uint64_t hash_of(const place *at)
{
    uint64_t hash = 0;
    CHECK_OK(ph_world_hash(at->world, &hash));
    return hash;
}

/* An observer 1 with targets 2 and 3, a child 4 of it, a link to 9 far away, in an area. */
static place rich_place(uint32_t shards)
{
    place at = open_place(NULL, shards);
    const ph_area area = {.shape = PH_AREA_CIRCLE, .radius = 50, .margin = 1};
    enter(&at, 1, 10, 30, false);
    enter(&at, 2, 20, 0, false);
    enter(&at, 3, 30, 0, false);
    enter(&at, 4, 10, 5, false);
    enter(&at, 9, 5000, 0, false);
    CHECK_OK(ph_attach(at.producer, 4, 1));
    CHECK_OK(ph_link(at.producer, 1, 9));
    CHECK_OK(ph_area_set(at.producer, 77, &area));
    tick(&at);
    return at;
}

/* ---- the calls ---- */

static void check_arguments(void)
{
    place at = rich_place(1);
    size_t bytes = 1;
    uint64_t ids[4];
    uint32_t count = 0;
    const ph_attrs remote = {.given = PH_REMOTE, .remote = true};
    CHECK_STATUS(ph_export((ph_world){0}, 1, NULL, NULL, capsule, sizeof capsule, &bytes), PH_BAD_HANDLE);
    CHECK_STATUS(ph_export(at.world, 1, NULL, NULL, NULL, 1, &bytes), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_export(at.world, 1, NULL, NULL, capsule, sizeof capsule, NULL), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_export(at.world, 5, NULL, NULL, capsule, sizeof capsule, &bytes), PH_UNKNOWN_ID);
    CHECK(bytes == 0, "%zu bytes", bytes);
    CHECK_STATUS(ph_export(at.world, 4, NULL, NULL, capsule, sizeof capsule, &bytes), PH_ATTACHED);
    CHECK_STATUS(ph_export(at.world, 1, NULL, NULL, NULL, 0, &bytes), PH_TOO_LARGE);
    CHECK(bytes == export_of(&at, 1), "%zu bytes", bytes);
    check_places(&at, 1);
    CHECK_OK(ph_export(at.world, 1, NULL, NULL, capsule, bytes, &bytes));
    CHECK_OK(ph_capsule_ids(capsule, bytes, ids, 4, &count));
    CHECK(count == 2 && ids[0] == 1 && ids[1] == 4, "%u ids", count);
    CHECK_OK(ph_capsule_ids(capsule, bytes, NULL, 0, &count));
    CHECK_STATUS(ph_capsule_ids(capsule, bytes - 8, ids, 4, &count), PH_BAD_VALUE);
    CHECK_STATUS(ph_capsule_ids(NULL, bytes, ids, 4, &count), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_import((ph_producer){0}, capsule, bytes, NULL, NULL), PH_BAD_HANDLE);
    CHECK_STATUS(ph_import(at.producer, NULL, 0, NULL, NULL), PH_BAD_ARGUMENT);
    CHECK_OK(ph_import(at.producer, capsule, bytes, NULL, NULL)); /* it is here */
    tick(&at);
    const ph_refusal refusal = only_refusal(&at);
    CHECK(refusal.status == PH_EXISTS && refusal.id == 1 && refusal.command == PH_COMMAND_IMPORT, "refused: %s",
          ph_status_name(refusal.status));
    CHECK_OK(ph_apply(at.world));
    CHECK_STATUS(ph_export(at.world, 1, NULL, NULL, capsule, sizeof capsule, &bytes), PH_BUSY);
    CHECK_OK(ph_set(at.producer, 1, &remote));
    tick(&at);
    CHECK_STATUS(ph_export(at.world, 1, NULL, NULL, capsule, sizeof capsule, &bytes), PH_BAD_VALUE);
    CHECK_OK(ph_export(at.world, 4, NULL, NULL, capsule, sizeof capsule, &bytes)); /* it is no child any more */
    close_place(&at);
}

/* ---- lists ---- */

static const ph_change *change_of(const place *at, uint64_t observer)
{
    for (uint32_t i = 0; at->batch && i < at->batch->change_count; i++)
        if (at->batch->changes[i].observer == observer) return &at->batch->changes[i];
    return NULL;
}

/* 2 is in the other world, 3 is not; and the area is not. */
static void check_unknown_targets(void)
{
    place from = rich_place(2), to = open_place(NULL, 1);
    enter(&to, 2, 20, 0, true);
    tick(&to);
    CHECK_OK(ph_import(to.producer, capsule, export_of(&from, 1), NULL, NULL));
    tick(&to);
    const ph_change *change = change_of(&to, 1);
    /* 2 and 4 stay, 3 and the linked 9 are gone */
    CHECK(change && change->leave_count == 2 && change->enter_count == 0 && !(change->flags & PH_CHANGE_FRESH),
          "%u leaves", change ? change->leave_count : 0);
    if (to.batch && change) {
        const ph_target *first = &to.batch->targets[change->first];
        CHECK(first[0].id + first[1].id == 12 && first[0].user_data == first[0].id * 7, "not by their names");
        CHECK(to.batch->causes[change->first] == PH_CAUSE_GONE, "another cause");
    }
    CHECK(to.batch && to.batch->crossing_count == 2 && to.batch->crossings[0].area == 77 &&
              to.batch->crossings[0].on == 0,
          "%u crossings", to.batch ? to.batch->crossing_count : 0);
    bool sees = false;
    CHECK_OK(ph_sees(to.world, 1, 2, &sees));
    CHECK(sees, "2 is not in the list");
    close_place(&from);
    close_place(&to);
}

static uint32_t stay_here(void *user, uint64_t id)
{
    return id == 3 ? *(const uint32_t *)user : 1;
}

/* Another stay of 3 is here. */
static void check_stays(void)
{
    place from = rich_place(1), to = open_place(NULL, 2);
    uint32_t stay = 4;
    size_t bytes = 0;
    for (uint64_t id = 1; id <= 9; id++)
        if (id < 5 || id == 9) enter(&to, id, id == 9 ? 5000 : id == 4 ? 10 : (float)id * 10, id == 1 ? 30 : 0, true);
    tick(&to);
    CHECK_OK(ph_export(from.world, 1, stay_here, &stay, capsule, sizeof capsule, &bytes));
    stay = 5;
    CHECK_OK(ph_import(to.producer, capsule, bytes, stay_here, &stay));
    tick(&to);
    const ph_change *change = change_of(&to, 1);
    CHECK(change && change->leave_count == 1 && change->enter_count == 1 && to.batch->targets[change->first].id == 3 &&
              to.batch->targets[change->first + 1].id == 3,
          "the other stay is not told");
    close_place(&from);
    close_place(&to);
}

static ph_class banded_class(void)
{
    ph_class class = ph_class_default("default");
    class.band_count = 1;
    class.bands[0] = (ph_band){.radius = 100, .every = PH_BAND_EVERY_MAX};
    return class;
}

static uint32_t updates_of(const place *at, uint64_t observer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; at->batch && i < at->batch->update_count; i++)
        if (at->batch->updates[i].observer == observer) count += at->batch->updates[i].count;
    return count;
}

/*
 * From a world that ticks apart: its targets stand still in both, so no update would be due by their moves, but where
 * they stood there is not known here. Of worlds in step it is: nothing is due. here: it is remote there before.
 */
static void check_due(bool here, bool apart, uint32_t shards)
{
    const ph_stay_fn stays = apart ? stay_here : NULL;
    place from = open_place_of(banded_class(), NULL, 1), to = open_place_of(banded_class(), NULL, shards);
    uint32_t stay = 1;
    size_t bytes = 0;
    for (uint64_t id = 1; id <= 3; id++) {
        enter(&from, id, (float)id, id == 1 ? 30 : 0, false);
        if (id > 1 || here) enter(&to, id, (float)id, id == 1 ? 30 : 0, true);
    }
    for (uint32_t i = 0; i < 3; i++) tick(&from);
    for (uint32_t i = 0; i < 3; i++) tick(&to);
    CHECK_OK(ph_export(from.world, 1, stays, &stay, capsule, sizeof capsule, &bytes));
    CHECK_OK(ph_import(to.producer, capsule, bytes, stays, &stay));
    tick(&to);
    CHECK(updates_of(&to, 1) == (apart ? 2 : 0), "%u updates, apart %d", updates_of(&to, 1), apart);
    tick(&to);
    CHECK(updates_of(&to, 1) == 0, "%u updates in the next tick", updates_of(&to, 1));
    close_place(&from);
    close_place(&to);
}

/* So many targets that the list does not fit: the observer gets the whole list. */
static void check_long_list(void)
{
    enum { TARGETS = 3000 };
    place from = open_place(NULL, 1), to = open_place(NULL, 1);
    for (uint64_t id = 1; id <= TARGETS; id++) {
        enter(&from, id, 10, id == 1 ? 30 : 0, false);
        enter(&to, id, 10, id == 1 ? 30 : 0, true);
    }
    tick(&from);
    tick(&to);
    const size_t bytes = export_of(&from, 1);
    CHECK(bytes < TARGETS, "%zu bytes", bytes);
    CHECK_OK(ph_import(to.producer, capsule, bytes, NULL, NULL));
    tick(&to);
    const ph_change *change = change_of(&to, 1);
    CHECK(change && (change->flags & PH_CHANGE_FRESH) && change->enter_count == TARGETS - 1, "not the whole list");
    close_place(&from);
    close_place(&to);
}

/* ---- refusals ---- */

/* The child is here, and not remote: nothing of the family comes, and the remote root is as before. */
static void check_half(uint32_t shards)
{
    place from = rich_place(1), to = open_place(NULL, shards);
    enter(&to, 1, 400, 12, true);
    enter(&to, 4, 50, 0, false);
    enter(&to, 9, 60, 0, false);
    CHECK_OK(ph_hide(to.producer, 1, 9));
    tick(&to);
    const uint64_t before = hash_of(&to);
    CHECK_OK(ph_import(to.producer, capsule, export_of(&from, 1), NULL, NULL));
    tick(&to);
    const ph_refusal refusal = only_refusal(&to);
    CHECK(refusal.status == PH_EXISTS && refusal.id == 1, "refused: %s", ph_status_name(refusal.status));
    CHECK(hash_of(&to) == before && !to.batch, "a refused family left something");
    CHECK_OK(ph_leave(to.producer, 1));
    tick(&to);
    const uint64_t without = hash_of(&to);
    CHECK_OK(ph_import(to.producer, capsule, export_of(&from, 1), NULL, NULL));
    tick(&to);
    CHECK(only_refusal(&to).status == PH_EXISTS && hash_of(&to) == without, "a refused family entered");
    close_place(&from);
    close_place(&to);
}

/* Many remote observers become own, until the last of the family is refused: all are remote again. */
static void check_large_half(uint32_t shards)
{
    enum { MEMBERS = 40 };
    place from = open_place(NULL, 1), to = open_place(NULL, shards);
    for (uint64_t id = 1; id <= MEMBERS; id++) {
        enter(&from, id, 10, (float)id, false);
        enter(&to, id, 3000 + (float)id, (float)id / 3, id < MEMBERS);
        if (id > 1) CHECK_OK(ph_attach(from.producer, id, 1));
    }
    tick(&from);
    tick(&to);
    const uint64_t before = hash_of(&to);
    CHECK_OK(ph_import(to.producer, capsule, export_of(&from, 1), NULL, NULL));
    tick(&to);
    CHECK(only_refusal(&to).status == PH_EXISTS && hash_of(&to) == before, "a large family left something");
    close_place(&from);
    close_place(&to);
}

/* Every bit and every length of a capsule: refused, counted, and the world is as before. */
static void check_damage(void)
{
    place from = rich_place(1), to = open_place(NULL, 1);
    static unsigned char damaged[PH_CAPSULE_MAX];
    const size_t bytes = export_of(&from, 1);
    ph_stats stats;
    tick(&to);
    const uint64_t before = hash_of(&to);
    for (size_t bit = 0; bit < bytes * 8; bit++) {
        memcpy(damaged, capsule, bytes);
        damaged[bit / 8] ^= (unsigned char)(1u << bit % 8);
        CHECK_STATUS(ph_import(to.producer, damaged, bytes, NULL, NULL), PH_BAD_VALUE);
    }
    for (size_t size = 0; size < bytes; size++)
        CHECK_STATUS(ph_import(to.producer, capsule, size, NULL, NULL), PH_BAD_VALUE);
    tick(&to);
    CHECK_OK(ph_world_stats(to.world, &stats));
    CHECK(stats.refused[PH_BAD_VALUE] == bytes * 8 + bytes && hash_of(&to) == before, "not all were refused");
    close_place(&from);
    close_place(&to);
}

/* Changed numbers under a right sum: refused at once, or a world that verifies. */
static void check_lies(void)
{
    enum { TRIES = 3000, PAIRS = 1000 };
    place from = rich_place(1);
    static unsigned char lies[PH_CAPSULE_MAX];
    const size_t bytes = export_of(&from, 1);
    uint64_t rng = 5;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < TRIES; i++) {
        place to = open_place(NULL, 1 + i % 2);
        ph_verification progress = {0};
        ph_difference difference = {0};
        enter(&to, 2, 20, 0, true);
        memcpy(lies, capsule, bytes);
        for (uint32_t n = 0; n <= i % 3; n++) {
            const size_t at = sizeof(phx_capsule_head) + phx_rng_below(&rng, (uint32_t)(bytes - 24));
            lies[at] = i % 2 ? (unsigned char)phx_rng_next(&rng) : (unsigned char)(lies[at] ^ (1u << i % 8));
        }
        phx_capsule_seal(lies, bytes - 8);
        const bool good = ph_import(to.producer, lies, bytes, NULL, NULL) == PH_OK;
        taken += good;
        tick(&to);
        tick(&to);
        if (ph_verify(to.world, PAIRS, &progress, &difference) == PH_OK)
            CHECK(difference.kind == PH_DIFFERENCE_NONE, "try %u: the world does not verify", i);
        close_place(&to);
    }
    CHECK(taken > 0 && taken < TRIES, "%u of %d were taken", taken, TRIES);
    close_place(&from);
}

/* ---- memory ---- */

/* A world where 1 is remote, or unknown, and its link's target too. */
static place scarce_place(fail_alloc *memory, bool remote, uint32_t shards)
{
    const ph_allocator hooks = fail_alloc_hooks(memory);
    place to = open_place(&hooks, shards);
    enter(&to, 2, 20, 0, true);
    enter(&to, 9, 5000, 0, true);
    if (remote) enter(&to, 1, 90, 3, true);
    if (remote) CHECK_OK(ph_hide(to.producer, 1, 9));
    tick(&to);
    return to;
}

/* A tick that is called again, or finished without memory; then one with memory. */
static void tick_anyway(place *to, fail_alloc *memory, bool sticky)
{
    ph_status status = ph_tick(to->world, NULL);
    if (status == PH_NO_MEMORY && sticky) CHECK_OK(ph_tick_finish(to->world, NULL));
    fail_alloc_order(memory, 0, false);
    if (status == PH_NO_MEMORY && !sticky) CHECK_OK(ph_tick(to->world, NULL));
    tick(to);
}

/* With the n-th allocation refused, once or from there on: all of the family is there, or nothing. */
static bool try_scarce(size_t bytes, uint64_t n, uint32_t variant, const uint64_t expected[2])
{
    fail_alloc memory = {0};
    const bool sticky = variant & 1;
    place to = scarce_place(&memory, variant & 2, variant & 4 ? 2 : 1);
    if (n > 0) fail_alloc_order(&memory, n, sticky);
    const ph_status status = ph_import(to.producer, capsule, bytes, NULL, NULL);
    CHECK(status == PH_OK || status == PH_NO_MEMORY, "import: %s", ph_status_name(status));
    tick_anyway(&to, &memory, sticky);
    const uint64_t hash = hash_of(&to);
    ph_refusal refusal = {0};
    uint32_t count = 0;
    CHECK_OK(ph_producer_refusals(to.producer, &refusal, 1, &count));
    const bool refused = status != PH_OK || count > 0;
    CHECK(count == 0 || refusal.status == PH_NO_MEMORY, "refused: %s", ph_status_name(refusal.status));
    CHECK(hash == expected[!refused], "allocation %llu, variant %u: neither all nor nothing", (unsigned long long)n,
          variant);
    const bool failed = atomic_load(&memory.failed) > 0;
    close_place(&to);
    CHECK(fail_alloc_clean(&memory), "allocation %llu", (unsigned long long)n);
    return failed;
}

/* Relations go to members of the family, too: when it is undone, the one that came last is gone before they end. */
static void check_memory(void)
{
    place from = rich_place(1);
    CHECK_OK(ph_link(from.producer, 1, 4));
    CHECK_OK(ph_link(from.producer, 4, 1));
    CHECK_OK(ph_hide(from.producer, 4, 9));
    tick(&from);
    const size_t bytes = export_of(&from, 1);
    for (uint32_t variant = 0; variant < 8; variant++) {
        uint64_t expected[2], n = 1;
        for (uint32_t with = 0; with < 2; with++) {
            fail_alloc memory = {0};
            place to = scarce_place(&memory, variant & 2, variant & 4 ? 2 : 1);
            if (with) CHECK_OK(ph_import(to.producer, capsule, bytes, NULL, NULL));
            tick(&to);
            tick(&to);
            expected[with] = hash_of(&to);
            close_place(&to);
        }
        while (try_scarce(bytes, n, variant, expected)) n++;
        CHECK(n > 3, "variant %u: %llu allocations", variant, (unsigned long long)n);
    }
    close_place(&from);
}

/* The crossings of an entity in the batch at hand. */
static uint32_t crossings_of(const place *at, uint64_t id)
{
    uint32_t count = 0;
    for (uint32_t i = 0; at->batch && i < at->batch->crossing_count; i++) count += at->batch->crossings[i].id == id;
    return count;
}

/*
 * An entity is given away in a tick without memory, so that its edges may wait, and comes back in the next one: the
 * consumer is told of the area that is gone, once, and of no other. One that leaves in that tick is told of each.
 */
static bool try_scarce_return(uint64_t n, bool area_ends, bool leaves, uint32_t shards)
{
    fail_alloc memory = {0};
    const ph_allocator hooks = fail_alloc_hooks(&memory);
    const ph_attrs remote = {.given = PH_REMOTE, .remote = true};
    const ph_area area = {.shape = PH_AREA_CIRCLE, .radius = 50, .margin = 1};
    place at = open_place(&hooks, shards);
    enter(&at, 1, 10, 0, false);
    CHECK_OK(ph_area_set(at.producer, 77, &area));
    tick(&at);
    const size_t bytes = export_of(&at, 1);
    CHECK_OK(ph_set(at.producer, 1, &remote));
    fail_alloc_order(&memory, n, true);
    if (ph_tick(at.world, NULL) == PH_NO_MEMORY) CHECK_OK(ph_tick_finish(at.world, NULL));
    const bool failed = atomic_load(&memory.failed) > 0;
    fail_alloc_order(&memory, 0, false);
    CHECK_OK(ph_batch_return(at.consumer, at.batch));
    while (ph_batch_take(at.consumer, &at.batch) == PH_OK) CHECK_OK(ph_batch_return(at.consumer, at.batch));
    at.batch = NULL;
    const bool given = ph_export(at.world, 1, NULL, NULL, NULL, 0, &(size_t){0}) == PH_BAD_VALUE;
    if (area_ends) CHECK_OK(ph_area_remove(at.producer, 77));
    CHECK_OK(ph_import(at.producer, capsule, bytes, NULL, NULL));
    if (leaves) CHECK_OK(ph_leave(at.producer, 1));
    tick(&at);
    const uint32_t told = crossings_of(&at, 1);
    CHECK(!given || told == (area_ends || leaves), "allocation %llu: %u crossings", (unsigned long long)n, told);
    close_place(&at);
    return failed;
}

/*
 * The room of two entities that were in the area is free, so a tick that is finished without memory brings the family
 * there, whichever member it could bring no further.
 */
static bool try_finished_arrival(size_t bytes, uint64_t n, uint32_t shards)
{
    fail_alloc memory = {0};
    const ph_area area = {.shape = PH_AREA_CIRCLE, .radius = 50, .margin = 1};
    place to = scarce_place(&memory, true, shards);
    CHECK_OK(ph_area_set(to.producer, 77, &area));
    for (uint64_t id = 50; id <= 51; id++) enter(&to, id, 10, 0, false);
    tick(&to);
    for (uint64_t id = 50; id <= 51; id++) CHECK_OK(ph_leave(to.producer, id));
    tick(&to);
    CHECK_OK(ph_import(to.producer, capsule, bytes, NULL, NULL));
    fail_alloc_order(&memory, n, true);
    if (ph_tick(to.world, NULL) == PH_NO_MEMORY) CHECK_OK(ph_tick_finish(to.world, NULL));
    const bool failed = atomic_load(&memory.failed) > 0;
    fail_alloc_order(&memory, 0, false);
    if (to.batch) CHECK_OK(ph_batch_return(to.consumer, to.batch));
    if (ph_batch_take(to.consumer, &to.batch) != PH_OK) to.batch = NULL;
    ph_attrs now;
    CHECK_OK(ph_entity_get(to.world, 1, &now));
    uint32_t told = crossings_of(&to, 1) + crossings_of(&to, 4);
    tick(&to);
    told += crossings_of(&to, 1) + crossings_of(&to, 4);
    CHECK(now.remote || told == 0, "allocation %llu: told of its area again", (unsigned long long)n);
    close_place(&to);
    return failed;
}

static void check_finished_arrival(void)
{
    place from = rich_place(1);
    const size_t bytes = export_of(&from, 1);
    for (uint32_t shards = 1; shards <= 2; shards++) {
        uint64_t n = 1;
        while (try_finished_arrival(bytes, n, shards)) n++;
        CHECK(n > 3, "%llu allocations", (unsigned long long)n);
    }
    close_place(&from);
}

static void check_scarce_return(void)
{
    for (uint32_t variant = 0; variant < 8; variant++) {
        uint64_t n = 1;
        while (try_scarce_return(n, variant & 1, variant & 4, variant & 2 ? 2 : 1)) n++;
    }
}

/* While the edge into an area waits for a consumer that takes nothing, an export waits, too: both edges are here. */
static void check_edges_behind(void)
{
    enum { TICKS_MAX = 1 << 17 }; /* above the most batches that wait */
    const ph_area area = {.shape = PH_AREA_CIRCLE, .radius = 50, .margin = 1};
    const ph_batch *batch;
    ph_status status = PH_OK;
    size_t bytes;
    uint32_t told = 0;
    place at = open_place(NULL, 1);
    CHECK_OK(ph_area_set(at.producer, 77, &area));
    enter(&at, 1, 500, 0, false);
    CHECK_OK(ph_tick(at.world, NULL));
    CHECK_OK(ph_export(at.world, 1, NULL, NULL, capsule, sizeof capsule, &bytes));
    for (uint32_t i = 0; status == PH_OK && i < TICKS_MAX; i++) { /* to and fro, until an edge waits */
        CHECK_OK(ph_move(at.producer, 1, i % 2 == 0 ? 10 : 500, 0, 0));
        CHECK_OK(ph_tick(at.world, NULL));
        status = ph_export(at.world, 1, NULL, NULL, capsule, sizeof capsule, &bytes);
    }
    CHECK_STATUS(status, PH_BUSY);
    CHECK(bytes == 0, "%zu bytes", bytes);
    for (uint32_t round = 0; round < 2; round++) { /* the first one makes room for the edge */
        while (ph_batch_take(at.consumer, &batch) == PH_OK) {
            told += batch->crossing_count;
            CHECK_OK(ph_batch_return(at.consumer, batch));
        }
        CHECK_OK(ph_tick(at.world, NULL));
    }
    CHECK(told > 0, "no crossing was told");
    CHECK_OK(ph_export(at.world, 1, NULL, NULL, capsule, sizeof capsule, &bytes));
    close_place(&at);
}

/* The next batches of a consumer; edges of entity 1 in them. `last` gets the last one. */
static uint32_t edges_told(const place *at, ph_edge *last)
{
    const ph_batch *batch;
    uint32_t told = 0;
    while (ph_batch_take(at->consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->crossing_count + batch->activation_count; i++) {
            const bool crossing = i < batch->crossing_count;
            const ph_edge *edge = crossing ? &batch->crossings[i] : &batch->activations[i - batch->crossing_count];
            if (edge->id != 1) continue;
            *last = *edge;
            told++;
        }
        CHECK_OK(ph_batch_return(at->consumer, batch));
    }
    return told;
}

/*
 * An entity in an area is given away and comes back, while its consumer takes nothing: the edge out of the area, which
 * waits, is void. Its next edge out is told once: it moves out in the next tick, or leaves in the one of its import.
 */
static void check_edges_void(uint32_t ticks_away, bool leaves)
{
    enum { TICKS = 200 }; /* more than the batches that may wait */
    const ph_area area = {.shape = PH_AREA_CIRCLE, .radius = 50, .margin = 1};
    const ph_attrs remote = {.given = PH_REMOTE, .remote = true};
    ph_edge last = {0};
    ph_stats stats;
    place at = open_place(NULL, 1);
    CHECK_OK(ph_area_set(at.producer, 77, &area));
    enter(&at, 1, 10, 0, false);
    enter(&at, 2, 500, 30, false);
    enter(&at, 3, 510, 0, false);
    CHECK_OK(ph_tick(at.world, NULL));
    CHECK(edges_told(&at, &last) == 1 && last.on, "it is not in the area");
    for (uint32_t i = 0; i < TICKS; i++) {
        CHECK_OK(ph_move(at.producer, 3, i % 2 == 0 ? 600 : 510, 0, 0));
        CHECK_OK(ph_tick(at.world, NULL));
    }
    const size_t bytes = export_of(&at, 1);
    CHECK_OK(ph_set(at.producer, 1, &remote));
    for (uint32_t i = 0; i < ticks_away; i++) CHECK_OK(ph_tick(at.world, NULL));
    CHECK_OK(ph_world_stats(at.world, &stats));
    CHECK(stats.consumers_pending == 1, "nothing waits");
    CHECK_OK(ph_import(at.producer, capsule, bytes, NULL, NULL));
    if (leaves) CHECK_OK(ph_leave(at.producer, 1));
    CHECK_OK(ph_tick(at.world, NULL));
    if (!leaves) CHECK_OK(ph_move(at.producer, 1, 500, 0, 0));
    CHECK_OK(ph_tick(at.world, NULL));
    uint32_t told = edges_told(&at, &last);
    CHECK_OK(ph_tick(at.world, NULL)); /* there is room for what waits */
    told += edges_told(&at, &last);
    CHECK(told == 1 && last.area == 77 && !last.on, "%u edges are told, the last is %s", told, last.on ? "on" : "off");
    close_place(&at);
}

/* A world with NPCs of kind 0, and a waker 2 of kind 1 at their place. */
static place open_wakeful(uint32_t shards)
{
    ph_class classes[2] = {ph_class_default("default"), ph_class_default("waker")};
    classes[0].wakes = classes[1].sleeps = false;
    classes[0].sleeps = classes[1].wakes = true;
    place at = open_place_with(classes, 2, NULL, shards);
    const ph_attrs waker = {.given = PH_POSITION | PH_VIEW | PH_KIND, .x = 10, .view = 5, .kind = 1};
    CHECK_OK(ph_enter(at.producer, 2, &waker));
    return at;
}

/*
 * An NPC that is awake in an area comes and leaves in one tick: it leaves the area and falls asleep, as its consumer
 * heard the opposite elsewhere; one that enters instead tells nothing. Bits of the variant: it was remote here; the
 * area is here; an apply stands between; it becomes remote in between; it enters again, which is another stay.
 */
static void check_short_stay(uint32_t variant)
{
    const bool here = variant & 1, known = variant & 2, applied = variant & 4, remote = variant & 8,
               again = variant & 16;
    const ph_area area = {.shape = PH_AREA_CIRCLE, .radius = 50};
    const ph_attrs as_remote = {.given = PH_REMOTE, .remote = true};
    place from = open_wakeful(1), to = open_wakeful(1 + variant % 3);
    ph_edge last = {0};
    enter(&from, 1, 10, 0, false);
    CHECK_OK(ph_area_set(from.producer, 77, &area));
    CHECK_OK(ph_tick(from.world, NULL));
    CHECK(edges_told(&from, &last) == 2 && last.on, "it is not awake in the area");
    if (here) enter(&to, 1, 10, 0, true);
    if (known) CHECK_OK(ph_area_set(to.producer, 77, &area));
    CHECK_OK(ph_tick(to.world, NULL));
    CHECK(edges_told(&to, &last) == 0, "a remote entity has edges");
    CHECK_OK(ph_import(to.producer, capsule, export_of(&from, 1), NULL, NULL));
    if (applied) CHECK_OK(ph_apply(to.world));
    if (remote) CHECK_OK(ph_set(to.producer, 1, &as_remote));
    CHECK_OK(ph_leave(to.producer, 1));
    if (again) enter(&to, 1, 10, 0, false);
    CHECK_OK(ph_tick(to.world, NULL));
    const uint32_t told = edges_told(&to, &last), expected = again ? 3u + known : 2;
    CHECK(told == expected && last.on == again, "variant %u: %u edges are told, not %u", variant, told, expected);
    CHECK_OK(ph_tick(to.world, NULL));
    CHECK(edges_told(&to, &last) == 0, "variant %u: edges in the next tick", variant);
    if (!again) enter(&to, 1, 10, 0, false);
    if (again) CHECK_OK(ph_leave(to.producer, 1));
    CHECK_OK(ph_leave(to.producer, again ? 2 : 1));
    CHECK_OK(ph_tick(to.world, NULL));
    CHECK(edges_told(&to, &last) == (again ? 1u + known : 0), "variant %u: a stay that was entered", variant);
    close_place(&from);
    close_place(&to);
}

/* The sum of all edges by stay and area: an enter and a leave of one stay cancel each other. */
static uint64_t sum_of_edges(const place *at)
{
    const ph_batch *batch;
    uint64_t sum = 0;
    while (ph_batch_take(at->consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->crossing_count + batch->activation_count; i++) {
            const bool crossing = i < batch->crossing_count;
            const ph_edge *edge = crossing ? &batch->crossings[i] : &batch->activations[i - batch->crossing_count];
            const uint64_t hash = phx_mix64(phx_mix64(edge->id ^ edge->area << 32) ^ edge->incarnation);
            sum += edge->on ? hash : 0 - hash;
        }
        CHECK_OK(ph_batch_return(at->consumer, batch));
    }
    return sum;
}

/*
 * Stays that came in areas and go, one after the other, in all orders with other moves; the world has the area, or not.
 * Returns the sum of the edges, which a consumer takes in each tick, or far behind the bounds.
 */
static uint64_t play_stays(size_t bytes, uint64_t seed, bool known, bool slow)
{
    enum { TICKS = 120, FULL = 100 }; /* more ticks before than batches that may wait */
    const ph_area area = {.shape = PH_AREA_CIRCLE, .radius = 50};
    place at = open_place(NULL, 1 + seed % 2);
    uint64_t rng = seed, sum = 0;
    bool here = false;
    enter(&at, 2, 500, 30, false);
    enter(&at, 3, 510, 0, false);
    if (known) CHECK_OK(ph_area_set(at.producer, 77, &area));
    for (uint32_t i = 0; i < FULL + TICKS; i++) {
        const uint32_t choice = i < FULL ? 0 : phx_rng_below(&rng, 4);
        CHECK_OK(ph_move(at.producer, 3, i % 2 == 0 ? 600 : 510, 0, 0));
        if (choice == 1 && !here) CHECK_OK(ph_import(at.producer, capsule, bytes, NULL, NULL));
        if (choice == 1 && here) CHECK_OK(ph_leave(at.producer, 1));
        if (choice == 1) here = !here;
        if (choice > 1 && here) CHECK_OK(ph_move(at.producer, 1, choice == 2 ? 300 : 10, 0, 0));
        CHECK_OK(ph_tick(at.world, NULL));
        if (!slow) sum += sum_of_edges(&at);
    }
    for (uint32_t i = 0; i < 2 && slow; i++) { /* the first one makes room for what waits */
        sum += sum_of_edges(&at);
        CHECK_OK(ph_tick(at.world, NULL));
    }
    sum += sum_of_edges(&at);
    close_place(&at);
    return sum;
}

static void check_stays_behind(void)
{
    enum { SEEDS = 40 };
    const ph_area area = {.shape = PH_AREA_CIRCLE, .radius = 50};
    place from = open_place(NULL, 1);
    enter(&from, 1, 10, 0, false);
    CHECK_OK(ph_area_set(from.producer, 77, &area));
    tick(&from);
    const size_t bytes = export_of(&from, 1);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const bool known = seed % 3 > 0;
        const uint64_t each = play_stays(bytes, seed, known, false), behind = play_stays(bytes, seed, known, true);
        CHECK(each == behind && (each != 0 || known), "seed %llu: other edges behind", (unsigned long long)seed);
    }
    close_place(&from);
}

/* ---- broadcasts ---- */

/* Each of the three kinds once: to lists that have 2, to all around it, and around a place. */
static void say_all(const place *at, const char *text)
{
    const ph_broadcast_options around = {.radius = 100};
    const ph_broadcast_place here = {.x = 20, .radius = 100, .layers = UINT64_MAX};
    CHECK_OK(ph_broadcast(at->producer, 2, text, 2, NULL));
    CHECK_OK(ph_broadcast(at->producer, 2, text, 2, &around));
    CHECK_OK(ph_broadcast_at(at->producer, &here, text, 2));
}

static uint32_t heard_by(const place *at, uint64_t observer, char with)
{
    uint32_t heard = 0;
    for (uint32_t i = 0; at->batch && i < at->batch->delivery_count; i++) {
        const ph_delivery *delivery = &at->batch->deliveries[i];
        for (uint32_t k = 0; delivery->observer == observer && k < delivery->count; k++) {
            const ph_message *message = &at->batch->messages[at->batch->heard[delivery->first + k]];
            heard += *((const char *)at->batch->payload + message->first) == with;
        }
    }
    return heard;
}

/*
 * 1 hears what is said behind its import, not what was said before; 5, which was here, hears all. Also where 1 leaves
 * and enters again behind it: that is another stay.
 */
static void check_broadcasts(uint32_t shards, bool applied)
{
    place from = rich_place(2), to = open_place(NULL, shards);
    enter(&to, 2, 20, 0, true);
    enter(&to, 5, 30, 60, false);
    enter(&to, 6, 40, 60, false);
    tick(&to);
    say_all(&to, "a");
    CHECK_OK(ph_leave(to.producer, 6));
    if (applied) CHECK_OK(ph_apply(to.world));
    CHECK_OK(ph_import(to.producer, capsule, export_of(&from, 1), NULL, NULL));
    enter(&to, 6, 40, 60, false);
    if (applied) CHECK_OK(ph_apply(to.world));
    say_all(&to, "b");
    tick(&to);
    CHECK(heard_by(&to, 1, 'a') == 0 && heard_by(&to, 1, 'b') == 3, "%u and %u", heard_by(&to, 1, 'a'),
          heard_by(&to, 1, 'b'));
    CHECK(heard_by(&to, 5, 'a') == 3 && heard_by(&to, 5, 'b') == 3, "the other one heard %u and %u",
          heard_by(&to, 5, 'a'), heard_by(&to, 5, 'b'));
    CHECK(heard_by(&to, 6, 'b') == 3, "the entered one heard %u", heard_by(&to, 6, 'b'));
    say_all(&to, "c");
    tick(&to);
    CHECK(heard_by(&to, 1, 'c') == 3, "%u in the next tick", heard_by(&to, 1, 'c'));
    close_place(&from);
    close_place(&to);
}

/* An import that is refused leaves an earlier one of the id as it was: what was said before that is not heard. */
static void check_refused_second(uint32_t shards)
{
    const ph_attrs remote = {.given = PH_REMOTE, .remote = true}, own = {.given = PH_REMOTE};
    place from = rich_place(2), to = open_place(NULL, shards);
    const size_t bytes = export_of(&from, 1);
    enter(&to, 2, 20, 0, true);
    enter(&to, 1, 10, 30, true);
    tick(&to);
    say_all(&to, "a");
    CHECK_OK(ph_import(to.producer, capsule, bytes, NULL, NULL));
    CHECK_OK(ph_set(to.producer, 1, &remote));
    CHECK_OK(ph_import(to.producer, capsule, bytes, NULL, NULL)); /* 4 is own already */
    CHECK_OK(ph_set(to.producer, 1, &own));
    say_all(&to, "b");
    tick(&to);
    CHECK(only_refusal(&to).status == PH_EXISTS, "refused: %s", ph_status_name(only_refusal(&to).status));
    CHECK(heard_by(&to, 1, 'a') == 0 && heard_by(&to, 1, 'b') == 3, "%u and %u", heard_by(&to, 1, 'a'),
          heard_by(&to, 1, 'b'));
    close_place(&from);
    close_place(&to);
}

/* An observer that its class makes ready comes where that class is not: it has no list, and none is owed for ever. */
static void check_unready_class(bool again)
{
    ph_class ready = ph_class_default("default"), unready = ready;
    unready.ready = false;
    place from = open_place_of(ready, NULL, 1), to = open_place_of(unready, NULL, 1);
    for (uint64_t id = 1; id <= 2; id++) enter(&from, id, (float)id, 10, false);
    tick(&from);
    const size_t bytes = export_of(&from, 1);
    CHECK_OK(ph_import(to.producer, capsule, bytes, NULL, NULL));
    if (again) CHECK_OK(ph_set(to.producer, 1, &(ph_attrs){.given = PH_READY, .ready = true}));
    tick(&to);
    ph_image *image = NULL;
    CHECK_OK(ph_image_capture(to.world, &image));
    ph_image_free(image);
    uint32_t count = 1;
    CHECK_OK(ph_list(to.world, 1, NULL, 0, &count));
    CHECK(count == 0, "%u in its list", count);
    close_place(&from);
    close_place(&to);
}

int main(void)
{
    check_unready_class(false);
    check_unready_class(true);
    for (uint32_t shards = 1; shards <= 3; shards++) check_refused_second(shards);
    check_finished_arrival();
    for (uint32_t i = 0; i < 6; i++) check_broadcasts(1 + i % 3, i / 3 > 0);
    check_stays_behind();
    for (uint32_t i = 0; i < 4; i++) check_edges_void(i / 2 > 0 ? 3 : 1, i % 2 > 0);
    for (uint32_t i = 0; i < 32; i++) check_short_stay(i);
    check_edges_behind();
    check_memory();
    check_scarce_return();
    check_arguments();
    check_unknown_targets();
    check_stays();
    for (uint32_t i = 0; i < 8; i++) check_due(i % 2 > 0, i / 2 % 2 > 0, 1 + i / 4);
    check_long_list();
    check_half(1);
    check_half(2);
    check_large_half(1);
    check_large_half(3);
    check_damage();
    check_lies();
    return check_done("capsule_calls");
}

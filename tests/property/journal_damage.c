/*
 * Damaged records: every single bit flip and every truncation of records with all commands, records of another tick,
 * of ticks that lacked memory, with other counts of events, and allocations of a replay that fail: refused with a
 * reason, and the world is as before.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fail_alloc.h"
#include "support/script_gen.h"
#include "support/tape.h"
#include "world/image/sections.h"
#include "world/journal/head.h"

enum { SCRIPTS = 4, REASON = 256 };

/* A world of the script in which no tick has run. */
static ph_world fresh_world(const script *s, fail_alloc *memory)
{
    ph_world world = {0};
    ph_world_def def = s->def;
    def.simd = PH_SIMD_AUTO;
    def.workers = 1;
    if (memory) def.allocator = fail_alloc_hooks(memory);
    REQUIRE(ph_world_create(&def, &world) == PH_OK);
    return world;
}

static uint64_t hash_of(ph_world world)
{
    uint64_t hash = 0;
    CHECK_OK(ph_world_hash(world, &hash));
    return hash;
}

static void expect_refusal(ph_world world, const void *record, size_t size, const char *what, size_t at)
{
    char reason[REASON] = "";
    const uint64_t hash = hash_of(world);
    const ph_status status = ph_journal_replay(world, record, size, reason, sizeof reason);
    CHECK(status == PH_BAD_RECORD && reason[0] != '\0' && strncmp(reason, "diverged", 8) != 0, "%s %zu: %s '%s'", what,
          at, ph_status_name(status), reason);
    CHECK(hash_of(world) == hash, "%s %zu: the world changed", what, at);
}

static void damage_record(ph_world world, const tape_record *record)
{
    uint64_t *bytes = check_zalloc(record->size + sizeof *bytes);
    memcpy(bytes, record->bytes, record->size);
    for (size_t cut = 0; cut < record->size && check_failures() == 0; cut++)
        expect_refusal(world, bytes, cut, "cut at byte", cut);
    expect_refusal(world, bytes, record->size + sizeof *bytes, "longer by", sizeof *bytes);
    for (size_t bit = 0; bit < record->size * 8 && check_failures() == 0; bit++) {
        unsigned char *byte = (unsigned char *)bytes + bit / 8;
        *byte ^= (unsigned char)(1u << bit % 8);
        expect_refusal(world, bytes, record->size, "flipped bit", bit);
        *byte ^= (unsigned char)(1u << bit % 8);
    }
    free(bytes);
}

static void test_script(uint64_t seed, uint32_t profile)
{
    enum { DAMAGED = 6, SIZE_MAX_BYTES = 4000 };
    script *s = ops_script(seed, profile);
    tape records = {0};
    tape_player player;
    size_t damaged = 0;
    tape_begin(&player, s, &records);
    for (size_t i = 0; i < s->steps.count; i++) tape_play(&player, s, i, &records);
    tape_end(&player);
    const ph_world world = fresh_world(s, NULL);
    for (size_t i = 0; i < records.records.count && check_failures() == 0; i++) {
        const tape_record *record = &records.records.items[i];
        char reason[REASON] = "";
        if (record->size > 150 && record->size < SIZE_MAX_BYTES && damaged < DAMAGED) {
            damage_record(world, record);
            damaged++;
        }
        const ph_status status = ph_journal_replay(world, record->bytes, record->size, reason, sizeof reason);
        CHECK(status == PH_OK, "tick %" PRIu64 ": %s %s", record->tick, ph_status_name(status), reason);
        if (record->hash == 0) continue;
        CHECK(hash_of(world) == record->hash, "tick %" PRIu64 ": another world", record->tick);
        expect_refusal(world, record->bytes, record->size, "the last tick again", i);
        if (i + 2 < records.records.count && records.records.items[i + 2].tick > record->tick + 1)
            expect_refusal(world, records.records.items[i + 2].bytes, records.records.items[i + 2].size,
                           "a tick too early", i);
    }
    CHECK(damaged > 0 || records.records.count == 0, "seed %" PRIu64 " %s: nothing to damage", seed, s->profile);
    CHECK_OK(ph_world_destroy(world));
    tape_free(&records);
    script_free(s);
}

/* Each third allocation of a replay fails: ph_tick() goes on with the tick, or nothing was changed. */
static void test_memory(uint64_t seed, uint32_t profile)
{
    script *s = ops_script(seed, profile);
    tape records = {0};
    tape_player player;
    fail_alloc memory = {0};
    bool lacked = false;
    tape_begin(&player, s, &records);
    for (size_t i = 0; i < s->steps.count; i++) tape_play(&player, s, i, &records);
    tape_end(&player);
    const ph_world world = fresh_world(s, &memory);
    for (size_t i = 0; i < records.records.count && !lacked && check_failures() == 0; i++) {
        const tape_record *record = &records.records.items[i];
        fail_alloc_order(&memory, 1 + 3 * i, false);
        const ph_status status = ph_journal_replay(world, record->bytes, record->size, NULL, 0);
        fail_alloc_order(&memory, 0, false);
        /* a command that lacked memory was refused: diverged */
        lacked = status == PH_NO_MEMORY || status == PH_BAD_RECORD;
        CHECK(lacked || status == PH_OK, "tick %" PRIu64 ": %s", record->tick, ph_status_name(status));
    }
    CHECK_OK(ph_tick(world, NULL));
    CHECK_OK(ph_world_destroy(world));
    CHECK(fail_alloc_clean(&memory), "seed %" PRIu64 ": memory is left", seed);
    tape_free(&records);
    script_free(s);
}

/* A tick that lacks memory makes a record that says so. */
static void test_short_tick(void)
{
    fail_alloc memory = {0};
    tape records = {0};
    const ph_journal journal = tape_journal(&records);
    ph_world_def def = ph_world_def_default();
    def.allocator = fail_alloc_hooks(&memory);
    ph_world world, other;
    ph_producer producer;
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    CHECK_OK(ph_journal_set(world, &journal));
    for (uint64_t id = 1; id < 3000; id++)
        CHECK_OK(ph_enter(producer, id,
                          &(ph_attrs){.given = PH_POSITION | PH_VIEW, .x = (float)id, .y = 1.0f, .view = 50.0f}));
    fail_alloc_order(&memory, 1, true);
    ph_status status = ph_tick(world, NULL);
    for (uint32_t i = 0; status == PH_NO_MEMORY && i < 100; i++) status = ph_tick_finish(world, NULL);
    fail_alloc_order(&memory, 0, false);
    CHECK(status == PH_OK, "%s", ph_status_name(status));
    REQUIRE(records.records.count == 1);
    const tape_record *first = &records.records.items[0];
    CHECK(first->done && !first->whole, "a tick that lacked memory has a record that can be replayed");
    def = ph_world_def_default();
    REQUIRE(ph_world_create(&def, &other) == PH_OK);
    char reason[REASON] = "";
    CHECK_STATUS(ph_journal_replay(other, first->bytes, first->size, reason, sizeof reason), PH_BAD_RECORD);
    CHECK(strstr(reason, "lacked memory") != NULL, "'%s'", reason);
    CHECK_OK(ph_world_destroy(other));
    CHECK_OK(ph_journal_set(world, NULL));
    CHECK_OK(ph_tick(world, NULL));
    CHECK(records.records.count == 1, "a journal that was taken off got a record");
    CHECK_OK(ph_world_destroy(world));
    CHECK(fail_alloc_clean(&memory), "memory is left");
    tape_free(&records);
}

/* Events that are not the recorded ones are told at their tick, also if entities and commands are. */
static void test_events(void)
{
    static const size_t counts[] = {offsetof(phx_record_head, enters), offsetof(phx_record_head, leaves),
                                    offsetof(phx_record_head, edges)};
    tape records = {0};
    const ph_journal journal = tape_journal(&records);
    const ph_world_def def = ph_world_def_default();
    ph_producer producer;
    ph_world world;
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    CHECK_OK(ph_journal_set(world, &journal));
    for (uint64_t id = 1; id <= 3; id++)
        CHECK_OK(ph_enter(producer, id,
                          &(ph_attrs){.given = PH_POSITION | PH_VIEW, .x = (float)id, .y = 1.0f, .view = 50.0f}));
    CHECK_OK(ph_tick(world, NULL));
    CHECK_OK(ph_world_destroy(world));
    REQUIRE(records.records.count == 1);
    const tape_record *first = &records.records.items[0];
    phx_record_head head;
    memcpy(&head, first->bytes, sizeof head);
    CHECK(head.enters == 6 && head.leaves == 0 && head.edges == 0, "%" PRIu64 " enters of 3 observers", head.enters);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint64_t *other = check_zalloc(first->size), *count = other + counts[i] / sizeof *other;
        char reason[REASON] = "", wanted[REASON];
        memcpy(other, first->bytes, first->size);
        ++*count;
        CHECK_OK(ph_journal_sum(other, first->size));
        REQUIRE(ph_world_create(&def, &world) == PH_OK);
        CHECK_STATUS(ph_journal_replay(world, other, first->size, reason, sizeof reason), PH_BAD_RECORD);
        (void)snprintf(wanted, sizeof wanted,
                       "diverged in tick 1: 6 enters, 0 leaves, 0 edges; recorded were %d, %d, %d", i == 0 ? 7 : 6,
                       i == 1, i == 2);
        CHECK(strcmp(reason, wanted) == 0, "'%s', wanted '%s'", reason, wanted);
        CHECK_OK(ph_world_destroy(world));
        free(other);
    }
    tape_free(&records);
}

/* The sum that a journal writes is the world's, and a record without it is refused. */
static void test_unsummed(void)
{
    enum { ENTITIES = 3000 }; /* runs of some blocks: copies past the caches, by two workers */
    tape records[2] = {{.unsummed = false}, {.unsummed = true}};
    ph_world world;
    ph_world_def def = ph_world_def_default();
    def.workers = 2;
    def.share_min = 0;
    for (uint32_t i = 0; i < 2; i++) {
        const ph_journal journal = tape_journal(&records[i]);
        ph_producer producer;
        REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
        CHECK_OK(ph_journal_set(world, &journal));
        for (uint64_t id = 1; id <= ENTITIES; id++)
            CHECK_OK(ph_enter(producer, id, &(ph_attrs){.given = PH_POSITION, .x = (float)id, .y = 1.0f}));
        CHECK_OK(ph_tick(world, NULL));
        for (uint64_t id = 1; id <= ENTITIES; id++) CHECK_OK(ph_move(producer, id, (float)id, (float)id, 0));
        CHECK_OK(ph_tick(world, NULL));
        CHECK_OK(ph_world_destroy(world));
        REQUIRE(records[i].records.count == 2);
    }
    REQUIRE(ph_world_create(&def, &world) == PH_OK);
    for (uint32_t i = 0; i < 2; i++) {
        const tape_record *one = &records[0].records.items[i], *other = &records[1].records.items[i];
        CHECK(one->size == other->size && memcmp(one->bytes, other->bytes, one->size) == 0,
              "tick %" PRIu32 ": two equal worlds have other records", i + 1);
        uint64_t *bytes = check_zalloc(one->size);
        memcpy(bytes, one->bytes, one->size);
        bytes[one->size / sizeof *bytes - 1] = 0;
        expect_refusal(world, bytes, one->size, "without its sum: tick", i + 1);
        CHECK_OK(ph_journal_sum(bytes, one->size));
        CHECK_OK(ph_journal_replay(world, bytes, one->size, NULL, 0));
        free(bytes);
    }
    CHECK_OK(ph_world_destroy(world));
    for (uint32_t i = 0; i < 2; i++) tape_free(&records[i]);
}

static void *no_room(void *user, uint64_t tick, size_t bytes)
{
    (void)tick;
    CHECK(bytes % 8 == 0, "%zu bytes", bytes);
    ++*(uint32_t *)user;
    return NULL;
}

static void no_done(void *user, uint64_t tick, uint32_t flags)
{
    (void)user;
    (void)flags;
    (void)CHECK(false, "tick %" PRIu64 ": there was no room", tick);
}

static void test_arguments(void)
{
    uint32_t asked = 0;
    ph_journal journal = {.room = no_room, .done = no_done, .user = &asked};
    const ph_world_def def = ph_world_def_default();
    ph_world world;
    uint64_t record[16] = {0};
    REQUIRE(ph_world_create(&def, &world) == PH_OK);
    CHECK_STATUS(ph_journal_set((ph_world){0}, &journal), PH_BAD_HANDLE);
    CHECK_STATUS(ph_journal_set(world, &(ph_journal){.room = no_room}), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_journal_set(world, &(ph_journal){.done = no_done}), PH_BAD_ARGUMENT);
    journal.reserved[2] = 1;
    CHECK_STATUS(ph_journal_set(world, &journal), PH_BAD_ARGUMENT);
    journal.reserved[2] = 0;
    journal.flags = PH_JOURNAL_UNSUMMED << 1;
    CHECK_STATUS(ph_journal_set(world, &journal), PH_BAD_ARGUMENT);
    journal.flags = 0;
    CHECK_STATUS(ph_journal_sum(NULL, sizeof record), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_journal_sum(record, sizeof(phx_record_head)), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_journal_sum(record, sizeof record - 1), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_journal_sum((char *)record + 4, sizeof record - 8), PH_BAD_ARGUMENT);
    CHECK_OK(ph_journal_sum(record, sizeof record));
    CHECK_STATUS(ph_journal_replay((ph_world){0}, record, sizeof record, NULL, 0), PH_BAD_HANDLE);
    CHECK_STATUS(ph_journal_replay(world, NULL, 0, NULL, 0), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_journal_replay(world, record, sizeof record, NULL, 0), PH_BAD_RECORD);
    CHECK_OK(ph_journal_set(world, &journal));
    CHECK_STATUS(ph_journal_set(world, &journal), PH_TAKEN);
    CHECK_OK(ph_tick(world, NULL)); /* a record without room is lost, and nothing else */
    CHECK_OK(ph_apply(world));
    CHECK_OK(ph_tick(world, NULL));
    CHECK(asked == 3, "%" PRIu32 " records", asked);
    CHECK_OK(ph_world_destroy(world));
}

int main(int argc, char **argv)
{
    const uint64_t seed = option_number(argc, argv, "--seed", 1);
    test_arguments();
    test_short_tick();
    test_events();
    test_unsummed();
    for (uint32_t i = 0; i < SCRIPTS && check_failures() == 0; i++)
        test_script(seed + i, (uint32_t)((seed + 5 * i) % ops_profile_count()));
    for (uint32_t i = 0; i < ops_profile_count() && check_failures() == 0; i++) test_memory(seed, i);
    return check_done("journal_damage");
}

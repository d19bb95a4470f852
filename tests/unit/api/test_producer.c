/*
 * The submitting calls one by one: the status of each, sequence numbers, bulk forms, full
 * queues, the result of a tick. (Every refusal by table: property/refusals.c.)
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "support/watched_memory.h"

static ph_world world;
static ph_producer producer;

static void setup(void)
{
    static ph_class kinds[2];
    ph_world_def def = ph_world_def_default();
    kinds[0] = ph_class_default("default");
    kinds[0].view = 10;
    kinds[1] = ph_class_default("npc");
    def.classes = kinds;
    def.class_count = 2;
    def.producer_bytes = 128u << 10;
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
}

static void teardown(void)
{
    if (ph_world_destroy(world) != PH_OK) abort(); /* an assertion that fails in a .fini fails no test */
}

TestSuite(commands, .init = setup, .fini = teardown);

static ph_attrs at(float x, float y)
{
    ph_attrs a = {.given = PH_X | PH_Y, .x = x, .y = y};
    return a;
}

static void enter(uint64_t id, float x, float y)
{
    ph_attrs a = at(x, y);
    cr_assert_eq(ph_enter(producer, id, &a), PH_OK);
}

static void tick(void)
{
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
}

static ph_attrs get(uint64_t id)
{
    ph_attrs a;
    cr_assert_eq(ph_entity_get(world, id, &a), PH_OK);
    return a;
}

static uint64_t sequence(void)
{
    uint64_t number = 0;
    cr_assert_eq(ph_producer_sequence(producer, &number), PH_OK);
    return number;
}

Test(commands, nothing_happens_before_the_tick)
{
    ph_attrs a;
    enter(1, 3, 4);
    cr_assert_eq(ph_entity_get(world, 1, &a), PH_UNKNOWN_ID);
    tick();
    a = get(1);
    cr_assert(a.x == 3 && a.y == 4 && a.z == 0 && a.view == 10 && a.kind == 0 && a.ready && !a.global);
    cr_assert(a.given == PH_GIVEN_ALL && a.layers == 1 && a.sees == UINT64_MAX && a.user_data == 0);
    cr_assert_eq(ph_move(producer, 1, 5, 6, 7), PH_OK);
    cr_assert(get(1).x == 3);
    tick();
    a = get(1);
    cr_assert(a.x == 5 && a.y == 6 && a.z == 7);
    cr_assert_eq(ph_leave(producer, 1), PH_OK);
    cr_assert(get(1).x == 5);
    tick();
    cr_assert_eq(ph_entity_get(world, 1, &a), PH_UNKNOWN_ID);
}

Test(commands, every_command_takes_a_sequence_number)
{
    ph_attrs bad = at(NAN, 0);
    cr_assert_eq(sequence(), 0);
    enter(1, 0, 0);
    cr_assert_eq(sequence(), 1);
    cr_assert_eq(ph_enter(producer, 2, &bad), PH_BAD_POSITION);
    cr_assert_eq(sequence(), 2);
    cr_assert_eq(ph_leave(producer, 0), PH_BAD_ID);
    cr_assert_eq(sequence(), 3);
    tick();
    cr_assert_eq(sequence(), 3);
}

Test(commands, set_changes_the_given_attributes)
{
    ph_attrs a = {.given = PH_Y | PH_VIEW | PH_USER_DATA, .x = 100, .y = 2, .view = 30, .margin = 5, .user_data = 9};
    enter(1, 1, 1);
    cr_assert_eq(ph_set(producer, 1, &a), PH_OK);
    tick();
    a = get(1);
    cr_assert(a.x == 1 && a.y == 2 && a.view == 30 && a.margin == 0 && a.user_data == 9);
    a = (ph_attrs){.given = 0, .view = NAN};
    cr_assert_eq(ph_set(producer, 1, &a), PH_OK, "fields that are not given are ignored");
    tick();
    cr_assert(get(1).view == 30);
    a = (ph_attrs){.given = PH_KIND, .kind = 1};
    cr_assert_eq(ph_set(producer, 1, &a), PH_OK);
    tick();
    cr_assert(get(1).view == 30 && get(1).kind == 1, "given once, given for good");
}

Test(commands, commands_of_one_tick_apply_in_order)
{
    ph_attrs a = at(50, 50);
    enter(1, 0, 0);
    cr_assert_eq(ph_move(producer, 1, 1, 1, 1), PH_OK);
    cr_assert_eq(ph_leave(producer, 1), PH_OK);
    cr_assert_eq(ph_move(producer, 1, 2, 2, 2), PH_OK); /* 4: unknown by then */
    cr_assert_eq(ph_enter(producer, 1, &a), PH_OK);
    cr_assert_eq(ph_enter(producer, 1, &a), PH_OK); /* 6: there already */
    tick();
    cr_assert(get(1).x == 50);
    ph_refusal told[4];
    uint32_t count = 0;
    cr_assert_eq(ph_producer_refusals(producer, told, 4, &count), PH_OK);
    cr_assert_eq(count, 2);
    cr_assert(told[0].sequence == 4 && told[0].status == PH_UNKNOWN_ID && told[0].tick == 1);
    cr_assert(told[1].sequence == 6 && told[1].status == PH_EXISTS && told[1].id == 1);
    cr_assert_eq(ph_producer_refusals(producer, told, 4, &count), PH_OK);
    cr_assert_eq(count, 0, "told once");
}

Test(commands, producers_apply_in_order_of_their_places)
{
    ph_producer second;
    ph_attrs early = at(1, 0);
    ph_attrs late = at(2, 0);
    ph_refusal told[1];
    uint32_t count = 0;
    cr_assert_eq(ph_producer_open(world, &second), PH_OK);
    cr_assert_eq(ph_enter(second, 1, &late), PH_OK);
    cr_assert_eq(ph_enter(producer, 1, &early), PH_OK);
    tick();
    cr_assert(get(1).x == 1);
    cr_assert_eq(ph_producer_refusals(second, told, 1, &count), PH_OK);
    cr_assert(count == 1 && told[0].status == PH_EXISTS);
}

/* ---- bulk ---- */

Test(commands, bulk_goes_on_behind_a_refused_item)
{
    const uint64_t ids[5] = {1, 0, 2, 3, 4};
    ph_attrs attrs[5] = {at(1, 0), at(2, 0), at(3, 0), at(NAN, 0), at(5, 0)};
    uint32_t done = 99;
    cr_assert_eq(ph_enter_many(producer, 5, ids, attrs, &done), PH_BAD_ID, "the first refused");
    cr_assert_eq(done, 5);
    cr_assert_eq(sequence(), 5);
    ph_refusal told[4];
    uint32_t count = 0;
    cr_assert_eq(ph_producer_refusals(producer, told, 4, &count), PH_OK, "told without a tick");
    cr_assert_eq(count, 2);
    cr_assert(told[0].sequence == 2 && told[0].status == PH_BAD_ID && told[0].id == 0);
    cr_assert(told[1].sequence == 4 && told[1].status == PH_BAD_POSITION && told[1].id == 3);
    tick();
    cr_assert(get(1).x == 1 && get(2).x == 3 && get(4).x == 5);
    ph_stats stats;
    cr_assert_eq(ph_world_stats(world, &stats), PH_OK);
    cr_assert(stats.commands == 3 && stats.applied == 3 && stats.refused[PH_BAD_ID] == 1);
    cr_assert(stats.refused[PH_BAD_POSITION] == 1 && stats.refused_in_tick == 0);
}

Test(commands, bulk_of_nothing)
{
    uint32_t done = 99;
    cr_assert_eq(ph_move_many(producer, 0, NULL, NULL, &done), PH_OK);
    cr_assert_eq(done, 0);
    cr_assert_eq(sequence(), 0);
    cr_assert_eq(ph_leave_many(producer, 0, NULL, NULL), PH_OK);
    cr_assert_eq(ph_enter_many(producer, 0, NULL, NULL, NULL), PH_OK);
}

Test(commands, bulk_is_as_one_by_one)
{
    const uint64_t ids[4] = {3, 1, 2, 1};
    const ph_attrs attrs[4] = {at(3, 3), at(1, 1), at(2, 2), at(9, 9)};
    const ph_position to[4] = {{30, 0, 0}, {10, 0, 0}, {20, 0, 5}, {11, 0, 0}};
    cr_assert_eq(ph_enter_many(producer, 4, ids, attrs, NULL), PH_OK);
    tick();
    cr_assert(get(1).x == 1, "the second enter of 1 is refused by the tick");
    cr_assert_eq(ph_move_many(producer, 4, ids, to, NULL), PH_OK);
    tick();
    cr_assert(get(1).x == 11 && get(2).z == 5 && get(3).x == 30);
    cr_assert_eq(ph_leave_many(producer, 4, ids, NULL), PH_OK);
    tick();
    ph_refusal told[4];
    uint32_t count = 0;
    cr_assert_eq(ph_producer_refusals(producer, told, 4, &count), PH_OK);
    cr_assert_eq(count, 2);
    cr_assert(told[0].sequence == 4 && told[0].status == PH_EXISTS);
    cr_assert(told[1].sequence == 12 && told[1].status == PH_UNKNOWN_ID);
}

enum { SORTS = 4, MOVED = 41 };

/* One move with an id past 2^32 or a height, by the bits of the sort: each once. */
static bool is_other(uint32_t round, uint32_t i)
{
    return i == (round / SORTS * 7 + 1) % MOVED;
}

static uint64_t moved_id(uint32_t round, uint32_t i)
{
    return (round & 1) && is_other(round, i) ? (i + UINT64_C(1)) << 32 : i + 1;
}

static ph_position moved_to(uint32_t round, uint32_t i)
{
    float z = (round & 2) && is_other(round, i) ? i % 2 ? -0.0f : (float)round : 0.0f;
    return (ph_position){(float)(round + i), (float)i / 7, z};
}

static void expect_moved(uint32_t round, uint32_t i)
{
    ph_attrs is = get(moved_id(round, i));
    ph_position has = {is.x, is.y, is.z}, expected = moved_to(round, i);
    cr_assert_arr_eq(&has, &expected, sizeof has, "round %u, move %u", round, i);
}

/* Whatever the ids and heights, whatever is wrong with one of them, and wherever it stands. */
Test(commands, moves_of_all_sorts)
{
    const ph_position wrong[] = {{NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, -INFINITY}};
    for (uint64_t i = 1; i <= MOVED; i++) enter(i, 0, 0);
    for (uint64_t i = 1; i <= MOVED; i++) enter(i << 32, 0, 0);
    tick();
    for (uint32_t round = 0; round < SORTS * MOVED; round++) {
        uint32_t bad = round / SORTS, count = MOVED - round % 11, done;
        uint64_t ids[MOVED];
        ph_position to[MOVED];
        ph_refusal told[2];
        for (uint32_t i = 0; i < count; i++) {
            ids[i] = moved_id(round, i);
            to[i] = moved_to(round, i);
        }
        if (bad < count && round % 7 == 0) ids[bad] = 0;
        else if (bad < count) to[bad] = wrong[round % 3];
        cr_assert_eq(ph_move_many(producer, count, ids, to, &done), bad >= count    ? PH_OK
                                                                    : ids[bad] == 0 ? PH_BAD_ID
                                                                                    : PH_BAD_POSITION);
        cr_assert_eq(done, count);
        tick();
        for (uint32_t i = 0; i < count; i++)
            if (i != bad) expect_moved(round, i);
        cr_assert_eq(ph_producer_refusals(producer, told, 2, &done), PH_OK);
        cr_assert_eq(done, bad < count);
        cr_assert(bad >= count || told[0].sequence + (count - bad) == sequence() + 1);
    }
}

Test(commands, bulk_stops_at_a_full_queue_and_can_be_taken_up_again)
{
    enum { MANY = 5000 };
    uint64_t *ids = calloc(MANY, sizeof *ids);
    ph_attrs *attrs = calloc(MANY, sizeof *attrs);
    cr_assert(ids != NULL && attrs != NULL);
    for (uint32_t i = 0; i < MANY; i++) {
        ids[i] = i + 1;
        attrs[i] = at((float)i, 7);
    }
    uint32_t from = 0;
    uint32_t calls = 0;
    ph_status status = PH_FULL;
    while (status == PH_FULL) {
        uint32_t done = 0;
        status = ph_enter_many(producer, MANY - from, ids + from, attrs + from, &done);
        cr_assert(done != 0 || status == PH_OK, "no room after a tick");
        from += done;
        cr_assert_eq(sequence(), from, "an item that did not fit takes no number");
        tick();
        calls++;
        cr_assert_lt(calls, 1000);
    }
    cr_assert_eq(status, PH_OK);
    cr_assert(from == MANY && calls > 1);
    ph_stats stats;
    cr_assert_eq(ph_world_stats(world, &stats), PH_OK);
    cr_assert(stats.entities == MANY && stats.applied == MANY && stats.refused[PH_FULL] == calls - 1);
    cr_assert(get(MANY).x == (float)(MANY - 1));
    free(attrs);
    free(ids);
}

enum { CROWD = 100, PAIRS = CROWD * CROWD };

typedef ph_status (*pairs_call)(ph_producer, uint32_t, const uint64_t *, const uint64_t *, uint32_t *);

/* All ordered pairs, and each entity with itself, which is refused; taken up again behind each full queue. */
static void submit_all_pairs(pairs_call call, ph_status of_itself)
{
    static uint64_t ids[PAIRS], others[PAIRS];
    const uint64_t begin = sequence();
    ph_stats before, after;
    ph_status status = PH_FULL;
    uint32_t from = 0, calls = 0;
    for (uint32_t i = 0; i < PAIRS; i++) {
        ids[i] = i / CROWD + 1;
        others[i] = i % CROWD + 1;
    }
    cr_assert_eq(ph_world_stats(world, &before), PH_OK);
    for (; status == PH_FULL; calls++) {
        uint32_t done = 0;
        status = call(producer, PAIRS - from, ids + from, others + from, &done);
        cr_assert(done != 0, "no room after a tick");
        from += done;
        cr_assert_eq(sequence() - begin, from, "an item that did not fit takes no number");
        tick();
    }
    cr_assert(status == PH_OK || status == of_itself);
    cr_assert(from == PAIRS && calls > 1);
    cr_assert_eq(ph_world_stats(world, &after), PH_OK);
    cr_assert_eq(after.refused[of_itself] - before.refused[of_itself], CROWD);
    cr_assert_eq(after.applied - before.applied, PAIRS - CROWD);
}

static void expect_all_lists(uint32_t length)
{
    for (uint64_t id = 1; id <= CROWD; id++) {
        uint32_t count = UINT32_MAX;
        cr_assert_eq(ph_list(world, id, NULL, 0, &count), PH_OK);
        cr_assert_eq(count, length, "the list of %" PRIu64 " has %u targets, not %u", id, count, length);
    }
}

Test(commands, pairs_by_the_thousand)
{
    const ph_attrs veil = {.given = PH_VEILED, .veiled = true};
    for (uint64_t id = 1; id <= CROWD; id++) enter(id, (float)id / CROWD, 0);
    tick();
    expect_all_lists(CROWD - 1);
    submit_all_pairs(ph_hide_many, PH_SAME_ID);
    expect_all_lists(0);
    submit_all_pairs(ph_unhide_many, PH_ABSENT);
    expect_all_lists(CROWD - 1);
    for (uint64_t id = 1; id <= CROWD; id++) cr_assert_eq(ph_set(producer, id, &veil), PH_OK);
    tick();
    expect_all_lists(0);
    submit_all_pairs(ph_reveal_many, PH_SAME_ID);
    expect_all_lists(CROWD - 1);
    submit_all_pairs(ph_unreveal_many, PH_ABSENT);
    expect_all_lists(0);
}

/* Submits pairs while so many allocations succeed, and the rest with memory. Returns whether the call met its want. */
static bool submit_without_memory(pairs_call call, watched_memory *memory, uint64_t allocations)
{
    static uint64_t ids[PAIRS], others[PAIRS];
    const uint64_t begin = sequence();
    uint32_t count = 0, done = 0, rest = 0;
    for (uint64_t i = 0; i < PAIRS; i++) {
        ids[count] = i / CROWD + 1;
        others[count] = i % CROWD + 1;
        count += ids[count] != others[count];
    }
    watched_memory_fail_after(memory, allocations);
    const ph_status status = call(producer, count, ids, others, &done);
    watched_memory_fail_after(memory, UINT64_MAX);
    cr_assert(status == PH_NO_MEMORY || status == PH_OK, "%s", ph_status_text(status));
    cr_assert((status == PH_OK) == (done == count));
    cr_assert_eq(sequence() - begin, done, "an item that was not queued takes no number");
    if (done < count) {
        cr_assert_eq(call(producer, count - done, ids + done, others + done, &rest), PH_OK);
        cr_assert_eq(rest, count - done);
    }
    tick();
    return status == PH_NO_MEMORY;
}

Test(commands, pairs_that_a_queue_can_not_grow_for_are_taken_up_again)
{
    const ph_world suites = world;
    ph_class kind = ph_class_default("default");
    watched_memory memory;
    kind.view = 10;
    watched_memory_init(&memory);
    const ph_allocator allocator = watched_memory_allocator(&memory);
    uint32_t stopped = 0;
    for (uint64_t allocations = 0; allocations <= stopped; allocations++) {
        ph_world_def def = ph_world_def_default();
        def.allocator = allocator;
        def.classes = &kind;
        def.class_count = 1;
        cr_assert_eq(ph_world_create(&def, &world), PH_OK);
        cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
        for (uint64_t id = 1; id <= CROWD; id++) enter(id, (float)id / CROWD, 0);
        tick();
        stopped += submit_without_memory(ph_hide_many, &memory, allocations);
        expect_all_lists(0);
        cr_assert_eq(ph_world_destroy(world), PH_OK);
        watched_memory_all_back(&memory);
    }
    cr_assert(stopped > 0, "no call met the want of memory");
    world = suites;
}

Test(commands, null_arguments)
{
    cr_assert_eq(ph_enter(producer, 1, NULL), PH_BAD_ARGUMENT);
    cr_assert_eq(ph_set(producer, 1, NULL), PH_BAD_ARGUMENT);
    cr_assert_eq(ph_enter_many(producer, 1, NULL, NULL, NULL), PH_BAD_ARGUMENT);
    cr_assert_eq(ph_move_many(producer, 1, NULL, NULL, NULL), PH_BAD_ARGUMENT);
    cr_assert_eq(ph_leave_many(producer, 1, NULL, NULL), PH_BAD_ARGUMENT);
    const pairs_call pairs[] = {ph_hide_many, ph_unhide_many, ph_reveal_many, ph_unreveal_many};
    const uint64_t ids[] = {1};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        cr_assert_eq(pairs[i](producer, 1, NULL, ids, NULL), PH_BAD_ARGUMENT);
        cr_assert_eq(pairs[i](producer, 1, ids, NULL, NULL), PH_BAD_ARGUMENT);
        cr_assert_eq(pairs[i](producer, 0, NULL, NULL, NULL), PH_OK);
    }
    const ph_broadcast_options to_kinds = {.kind_count = 1};
    const ph_broadcast_place place = {.radius = 1, .layers = 1}, place_to_kinds = {.radius = 1, .kind_count = 1};
    cr_assert_eq(ph_broadcast(producer, 1, NULL, 1, NULL), PH_BAD_ARGUMENT);
    cr_assert_eq(ph_broadcast(producer, 1, "a", 1, &to_kinds), PH_BAD_ARGUMENT);
    cr_assert_eq(ph_broadcast_at(producer, NULL, "a", 1), PH_BAD_ARGUMENT);
    cr_assert_eq(ph_broadcast_at(producer, &place, NULL, 1), PH_BAD_ARGUMENT);
    cr_assert_eq(ph_broadcast_at(producer, &place_to_kinds, "a", 1), PH_BAD_ARGUMENT);
    cr_assert_eq(ph_area_set(producer, 1, NULL), PH_BAD_ARGUMENT);
    cr_assert_eq(ph_producer_sequence(producer, NULL), PH_BAD_ARGUMENT);
    cr_assert_eq(ph_producer_refusals(producer, NULL, 1, NULL), PH_BAD_ARGUMENT);
    tick();
    ph_stats stats;
    cr_assert_eq(ph_world_stats(world, &stats), PH_OK);
    cr_assert_eq(stats.commands, 0);
}

/* ---- relations ---- */

Test(commands, a_list_has_room_or_says_how_much_it_needs)
{
    uint64_t ids[3] = {77, 77, 77};
    uint32_t count = 0;
    for (uint64_t id = 1; id <= 4; id++) {
        enter(id, (float)id, 0);
    }
    tick();
    cr_assert_eq(ph_list(world, 2, ids, 2, &count), PH_OK);
    cr_assert(count == 3 && ids[0] == 1 && ids[1] == 3 && ids[2] == 77);
    cr_assert_eq(ph_list(world, 2, NULL, 0, &count), PH_OK);
    cr_assert_eq(count, 3);
    cr_assert_eq(ph_observers(world, 4, ids, 3, &count), PH_OK);
    cr_assert(count == 3 && ids[0] == 1 && ids[2] == 3);
    bool sees = false;
    cr_assert_eq(ph_sees(world, 1, 4, &sees), PH_OK);
    cr_assert(sees);
    cr_assert_eq(ph_sees(world, 1, 1, &sees), PH_OK);
    cr_assert(!sees, "an entity does not see itself");
    cr_assert_eq(ph_sees(world, 1, 9, &sees), PH_UNKNOWN_ID);
}

Test(commands, reconfigure_takes_effect_at_the_next_tick)
{
    ph_class kinds[3] = {ph_class_default("default"), ph_class_default("npc"), ph_class_default("boss")};
    ph_world_def def = ph_world_def_default();
    char reason[128] = "";
    uint32_t count = 0;
    enter(1, 0, 0);
    enter(2, 20, 0);
    tick();
    kinds[0].view = 25;
    def.classes = kinds;
    def.class_count = 3;
    def.producer_bytes = 128u << 10;
    cr_assert_eq(ph_world_reconfigure(world, &def, reason, sizeof reason), PH_OK, "%s", reason);
    cr_assert_eq(ph_list(world, 1, NULL, 0, &count), PH_OK);
    cr_assert_eq(count, 0);
    tick();
    cr_assert_eq(ph_list(world, 1, NULL, 0, &count), PH_OK);
    cr_assert_eq(count, 1);
    def.tower_size = 50;
    def.height = 1;
    cr_assert_eq(ph_world_reconfigure(world, &def, reason, sizeof reason), PH_NOT_LIVE);
    cr_assert(strstr(reason, "tower_size") != NULL, "%s", reason);
    def.tower_size = ph_world_def_default().tower_size;
    def.height = -1;
    cr_assert_eq(ph_world_reconfigure(world, &def, reason, sizeof reason), PH_BAD_DEF);
    def.height = 1;
    def.class_count = 1; /* classes that are in use can not go */
    cr_assert_neq(ph_world_reconfigure(world, &def, reason, sizeof reason), PH_OK);
    ph_attrs boss = {.given = PH_KIND, .kind = 2};
    cr_assert_eq(ph_set(producer, 1, &boss), PH_OK, "the new class is there");
    tick();
    cr_assert_eq(get(1).kind, 2);
}

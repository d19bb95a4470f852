/*
 * Every refusal of a command, by table: the status, at once, in the tick, or in an apply; counted by
 * reason; reported with its sequence number; and the world is as it was. And 40 special
 * floats at every float argument. Capsules are in refusals_capsules.c.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "property/refusals.h"
#include "support/check.h"
#include "support/fail_alloc.h"
#include "support/subject.h"

enum { TOLD_MAX = 8192 };

static const ph_class *classes(void)
{
    static ph_class made[CLASSES];
    made[0] = ph_class_default("default");
    made[0].view = 50;
    made[1] = ph_class_default("npc");
    return made;
}

static bench bench_with(uint32_t refusals_max, ph_allocator allocator)
{
    bench b = {0};
    ph_world_def def = ph_world_def_default();
    def.classes = classes();
    def.class_count = CLASSES;
    def.entities_max = CAPACITY;
    def.refusals_max = refusals_max;
    def.consumers = CONSUMERS;
    def.shards[0] = 2;
    def.allocator = allocator;
    REQUIRE(ph_world_create(&def, &b.world) == PH_OK && ph_producer_open(b.world, &b.producer) == PH_OK);
    return b;
}

bench bench_make(uint32_t refusals_max)
{
    return bench_with(refusals_max, (ph_allocator){0});
}

static command make(command_type type, uint64_t id, uint64_t other)
{
    command c = {.type = type, .id = id, .other = other};
    c.attrs.given = type == COMMAND_ENTER ? PH_X | PH_Y : 0;
    return c;
}

void bench_fill(bench *b)
{
    for (uint64_t id = 1; id <= 10; id++) {
        ph_attrs a = {.given = PH_X | PH_Y, .x = (float)id, .y = 5};
        CHECK_OK(ph_enter(b->producer, id, &a));
    }
    CHECK_OK(ph_attach(b->producer, 2, 1));
    for (uint64_t id = 4; id <= 10; id++) {
        CHECK_OK(ph_attach(b->producer, id, id - 1));
    }
    CHECK_OK(ph_pair(b->producer, 1, 3, 1, 1));
    CHECK_OK(ph_link(b->producer, 1, 3));
    CHECK_OK(ph_tick(b->world, NULL));
    ph_refusal told[1];
    uint32_t count = 0;
    CHECK_OK(ph_producer_refusals(b->producer, told, 1, &count));
    CHECK(count == 0, "the world could not be filled: %s", ph_status_name(told[0].status));
}

/* ---- the table ---- */

typedef struct row {
    const char *what;
    ph_status status;
    bool in_tick;
    command command;
} row;

#define XY PH_X | PH_Y

static const row rows[] = {
    /* refused at once */
    {"enter of id 0", PH_BAD_ID, false, {COMMAND_ENTER, 0, 0, {.given = XY}, {0}, {0}}},
    {"leave of id 0", PH_BAD_ID, false, {COMMAND_LEAVE, 0, 0, {0}, {0}, {0}}},
    {"move of id 0", PH_BAD_ID, false, {COMMAND_MOVE, 0, 0, {0}, {0}, {0}}},
    {"set of id 0", PH_BAD_ID, false, {COMMAND_SET, 0, 0, {0}, {0}, {0}}},
    {"pair of id 0", PH_BAD_ID, false, {COMMAND_PAIR, 0, 1, {0}, {0}, {0}}},
    {"pair with id 0", PH_BAD_ID, false, {COMMAND_PAIR, 1, 0, {0}, {0}, {0}}},
    {"unpair of id 0", PH_BAD_ID, false, {COMMAND_UNPAIR, 0, 1, {0}, {0}, {0}}},
    {"unpair with id 0", PH_BAD_ID, false, {COMMAND_UNPAIR, 1, 0, {0}, {0}, {0}}},
    {"link of id 0", PH_BAD_ID, false, {COMMAND_LINK, 0, 1, {0}, {0}, {0}}},
    {"link with id 0", PH_BAD_ID, false, {COMMAND_LINK, 1, 0, {0}, {0}, {0}}},
    {"unlink of id 0", PH_BAD_ID, false, {COMMAND_UNLINK, 0, 1, {0}, {0}, {0}}},
    {"unlink with id 0", PH_BAD_ID, false, {COMMAND_UNLINK, 1, 0, {0}, {0}, {0}}},
    {"hide of id 0", PH_BAD_ID, false, {COMMAND_HIDE, 0, 1, {0}, {0}, {0}}},
    {"hide with id 0", PH_BAD_ID, false, {COMMAND_HIDE, 1, 0, {0}, {0}, {0}}},
    {"unhide of id 0", PH_BAD_ID, false, {COMMAND_UNHIDE, 0, 1, {0}, {0}, {0}}},
    {"unhide with id 0", PH_BAD_ID, false, {COMMAND_UNHIDE, 1, 0, {0}, {0}, {0}}},
    {"reveal of id 0", PH_BAD_ID, false, {COMMAND_REVEAL, 0, 1, {0}, {0}, {0}}},
    {"reveal with id 0", PH_BAD_ID, false, {COMMAND_REVEAL, 1, 0, {0}, {0}, {0}}},
    {"unreveal of id 0", PH_BAD_ID, false, {COMMAND_UNREVEAL, 0, 1, {0}, {0}, {0}}},
    {"unreveal with id 0", PH_BAD_ID, false, {COMMAND_UNREVEAL, 1, 0, {0}, {0}, {0}}},
    {"hide to itself", PH_SAME_ID, false, {COMMAND_HIDE, 1, 1, {0}, {0}, {0}}},
    {"reveal to itself", PH_SAME_ID, false, {COMMAND_REVEAL, 1, 1, {0}, {0}, {0}}},
    {"attach of id 0", PH_BAD_ID, false, {COMMAND_ATTACH, 0, 1, {0}, {0}, {0}}},
    {"attach to id 0", PH_BAD_ID, false, {COMMAND_ATTACH, 1, 0, {0}, {0}, {0}}},
    {"detach of id 0", PH_BAD_ID, false, {COMMAND_DETACH, 0, 0, {0}, {0}, {0}}},
    {"resend of id 0", PH_BAD_ID, false, {COMMAND_RESEND, 0, 0, {0}, {0}, {0}}},
    {"enter without x", PH_NOT_GIVEN, false, {COMMAND_ENTER, 11, 0, {.given = PH_Y}, {0}, {0}}},
    {"enter without y", PH_NOT_GIVEN, false, {COMMAND_ENTER, 11, 0, {.given = PH_X | PH_Z}, {0}, {0}}},
    {"enter, nothing given", PH_NOT_GIVEN, false, {COMMAND_ENTER, 11, 0, {0}, {0}, {0}}},
    {"enter of a kind too many",
     PH_BAD_KIND,
     false,
     {COMMAND_ENTER, 11, 0, {.given = XY | PH_KIND, .kind = CLASSES}, {0}, {0}}},
    {"set to no kind", PH_BAD_KIND, false, {COMMAND_SET, 1, 0, {.given = PH_KIND, .kind = UINT32_MAX}, {0}, {0}}},
    {"enter with a cap too large",
     PH_BAD_VALUE,
     false,
     {COMMAND_ENTER, 11, 0, {.given = XY | PH_CAP, .cap = (uint32_t)INT32_MAX + 1u}, {0}, {0}}},
    {"set of a cap too large",
     PH_BAD_VALUE,
     false,
     {COMMAND_SET, 1, 0, {.given = PH_CAP, .cap = UINT32_MAX}, {0}, {0}}},
    {"enter with an unknown bit", PH_BAD_VALUE, false, {COMMAND_ENTER, 11, 0, {.given = XY | 1u << 21}, {0}, {0}}},
    {"set with an unknown bit", PH_BAD_VALUE, false, {COMMAND_SET, 1, 0, {.given = 1u << 31}, {0}, {0}}},
    {"enter for a consumer too many",
     PH_BAD_VALUE,
     false,
     {COMMAND_ENTER, 11, 0, {.given = XY | PH_CONSUMER, .consumer = 2}, {0}, {0}}},
    {"set of a consumer too many",
     PH_BAD_VALUE,
     false,
     {COMMAND_SET, 1, 0, {.given = PH_CONSUMER, .consumer = 2}, {0}, {0}}},
    {"enter of a remote entity of a kind too many",
     PH_BAD_KIND,
     false,
     {COMMAND_ENTER, 11, 0, {.given = XY | PH_REMOTE | PH_KIND, .remote = true, .kind = CLASSES}, {0}, {0}}},
    {"enter, remote alone given",
     PH_NOT_GIVEN,
     false,
     {COMMAND_ENTER, 11, 0, {.given = PH_REMOTE, .remote = true}, {0}, {0}}},
    {"set to remote, of id 0", PH_BAD_ID, false, {COMMAND_SET, 0, 0, {.given = PH_REMOTE, .remote = true}, {0}, {0}}},
    {"set to remote, with a view that is no number",
     PH_BAD_RADIUS,
     false,
     {COMMAND_SET, 1, 0, {.given = PH_REMOTE | PH_VIEW, .remote = true, .view = NAN}, {0}, {0}}},
    {"set to remote, with an unknown bit",
     PH_BAD_VALUE,
     false,
     {COMMAND_SET, 1, 0, {.given = PH_REMOTE | PH_REMOTE << 1, .remote = true}, {0}, {0}}},
    {"pair with itself", PH_SAME_ID, false, {COMMAND_PAIR, 1, 1, {0}, {0}, {0}}},
    {"link with itself", PH_SAME_ID, false, {COMMAND_LINK, 1, 1, {0}, {0}, {0}}},
    {"link of a stranger with itself", PH_SAME_ID, false, {COMMAND_LINK, 99, 99, {0}, {0}, {0}}},
    /* refused by the tick */
    {"broadcast of id 0", PH_BAD_ID, false, {COMMAND_BROADCAST, 0, 0, {0}, {0}, {0}}},
    {"broadcast of too much", PH_TOO_LARGE, false, {COMMAND_BROADCAST, 1, 0, {0}, {.bytes = PH_PAYLOAD_MAX + 1}, {0}}},
    {"broadcast with an unknown flag", PH_BAD_VALUE, false, {COMMAND_BROADCAST, 1, 0, {0}, {.flags = 4}, {0}}},
    {"broadcast to observers, without a radius",
     PH_BAD_VALUE,
     false,
     {COMMAND_BROADCAST, 1, 0, {0}, {.flags = PH_BROADCAST_SEEN}, {0}}},
    {"broadcast with a radius of 1.1e18",
     PH_BAD_RADIUS,
     false,
     {COMMAND_BROADCAST, 1, 0, {0}, {.radius = 1.1e18f}, {0}}},
    {"broadcast with a radius that is no number",
     PH_BAD_RADIUS,
     false,
     {COMMAND_BROADCAST, 1, 0, {0}, {.radius = NAN}, {0}}},
    {"broadcast with a radius, of a stranger",
     PH_UNKNOWN_ID,
     true,
     {COMMAND_BROADCAST, 99, 0, {0}, {.radius = 5}, {0}}},
    {"broadcast at infinity", PH_BAD_POSITION, false, {COMMAND_BROADCAST_AT, 0, 0, {0}, {.y = INFINITY}, {0}}},
    {"broadcast from too far off", PH_BAD_POSITION, false, {COMMAND_BROADCAST_AT, 0, 0, {0}, {.x = -1.1e18f}, {0}}},
    {"broadcast at a place, radius -1", PH_BAD_RADIUS, false, {COMMAND_BROADCAST_AT, 0, 0, {0}, {.radius = -1}, {0}}},
    {"broadcast of too much at a place",
     PH_TOO_LARGE,
     false,
     {COMMAND_BROADCAST_AT, 0, 0, {0}, {.bytes = PH_PAYLOAD_MAX + 1}, {0}}},
    {"broadcast at a place to too many kinds",
     PH_BAD_VALUE,
     false,
     {COMMAND_BROADCAST_AT, 0, 0, {0}, {.kind_count = PH_BROADCAST_KINDS_MAX + 1}, {0}}},
    {"broadcast at a place to a kind too many",
     PH_BAD_KIND,
     false,
     {COMMAND_BROADCAST_AT, 0, 0, {0}, {.kind_count = 1, .kinds = {CLASSES}}, {0}}},
    {"broadcast to too many kinds",
     PH_BAD_VALUE,
     false,
     {COMMAND_BROADCAST, 1, 0, {0}, {.kind_count = PH_BROADCAST_KINDS_MAX + 1}, {0}}},
    {"broadcast to a kind too many",
     PH_BAD_KIND,
     false,
     {COMMAND_BROADCAST, 1, 0, {0}, {.kind_count = 1, .kinds = {CLASSES}}, {0}}},
    {"area 0", PH_BAD_ID, false, {COMMAND_AREA_SET, 0, 0, {0}, {0}, {0}}},
    {"area of no shape", PH_BAD_VALUE, false, {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.shape = (ph_area_shape)3}}},
    {"area with too many kinds", PH_BAD_VALUE, false, {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.kind_count = 17}}},
    {"area for a kind too many",
     PH_BAD_KIND,
     false,
     {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.kind_count = 1, .kinds = {9999}}}},
    {"circle at infinity", PH_BAD_POSITION, false, {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.center = {0, INFINITY}}}},
    {"circle too far off", PH_BAD_POSITION, false, {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.center = {-1.1e18f, 0}}}},
    {"circle of radius 1.1e18", PH_BAD_RADIUS, false, {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.radius = 1.1e18f}}},
    {"circle of radius -1", PH_BAD_RADIUS, false, {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.radius = -1}}},
    {"box the wrong way round",
     PH_BAD_VALUE,
     false,
     {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.shape = PH_AREA_BOX, .low = {1, 0}, .high = {0, 1}}}},
    {"box without an end",
     PH_BAD_POSITION,
     false,
     {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.shape = PH_AREA_BOX, .high = {0, NAN}}}},
    {"box that ends too far off",
     PH_BAD_POSITION,
     false,
     {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.shape = PH_AREA_BOX, .high = {0, 1.1e18f}}}},
    {"polygon with a corner too far off",
     PH_BAD_POSITION,
     false,
     {COMMAND_AREA_SET,
      1,
      0,
      {0},
      {0},
      {.shape = PH_AREA_POLYGON, .corner_count = 3, .corners = {{0, 0}, {1.1e18f, 0}, {0, 1}}}}},
    {"circle with a margin of -1", PH_BAD_RADIUS, false, {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.margin = -1}}},
    {"area with an unknown flag", PH_BAD_VALUE, false, {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.flags = 1u << 3}}},
    {"area that follows the entity 0", PH_BAD_ID, false, {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.flags = PH_AREA_FOLLOW}}},
    {"area that follows, of one instance",
     PH_BAD_VALUE,
     false,
     {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.flags = PH_AREA_FOLLOW | PH_AREA_IN_INSTANCE, .follow = 1}}},
    {"area with heights the wrong way round",
     PH_BAD_VALUE,
     false,
     {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.flags = PH_AREA_HEIGHT, .z_low = 1}}},
    {"area from no height",
     PH_BAD_POSITION,
     false,
     {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.flags = PH_AREA_HEIGHT, .z_low = -INFINITY}}},
    {"area up to no height",
     PH_BAD_POSITION,
     false,
     {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.flags = PH_AREA_HEIGHT, .z_high = NAN}}},
    {"polygon with a margin",
     PH_BAD_VALUE,
     false,
     {COMMAND_AREA_SET,
      1,
      0,
      {0},
      {0},
      {.shape = PH_AREA_POLYGON, .corner_count = 3, .corners = {{0, 0}, {4, 0}, {0, 4}}, .margin = 1}}},
    {"polygon of two corners",
     PH_BAD_VALUE,
     false,
     {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.shape = PH_AREA_POLYGON, .corner_count = 2}}},
    {"polygon that is a point",
     PH_BAD_VALUE,
     false,
     {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.shape = PH_AREA_POLYGON, .corner_count = 3}}},
    {"polygon with a dent",
     PH_BAD_VALUE,
     false,
     {COMMAND_AREA_SET,
      1,
      0,
      {0},
      {0},
      {.shape = PH_AREA_POLYGON, .corner_count = 4, .corners = {{0, 0}, {4, 0}, {1, 1}, {0, 4}}}}},
    {"area that follows an unknown entity",
     PH_UNKNOWN_ID,
     true,
     {COMMAND_AREA_SET, 1, 0, {0}, {0}, {.flags = PH_AREA_FOLLOW, .follow = 7777}}},
    {"removing an area that is not there", PH_ABSENT, true, {COMMAND_AREA_REMOVE, 7, 0, {0}, {0}, {0}}},
    {"broadcast of a stranger", PH_UNKNOWN_ID, true, {COMMAND_BROADCAST, 99, 0, {0}, {.bytes = 3}, {0}}},
    {"enter twice", PH_EXISTS, true, {COMMAND_ENTER, 1, 0, {.given = XY, .x = 500}, {0}, {0}}},
    {"enter of a remote entity that is here",
     PH_EXISTS,
     true,
     {COMMAND_ENTER, 1, 0, {.given = XY | PH_REMOTE, .remote = true}, {0}, {0}}},
    {"set to remote of a stranger",
     PH_UNKNOWN_ID,
     true,
     {COMMAND_SET, 99, 0, {.given = PH_REMOTE, .remote = true}, {0}, {0}}},
    {"set of a child to remote, and x",
     PH_ATTACHED,
     true,
     {COMMAND_SET, 2, 0, {.given = PH_REMOTE | PH_X, .remote = true, .x = 9}, {0}, {0}}},
    {"leave of a stranger", PH_UNKNOWN_ID, true, {COMMAND_LEAVE, 99, 0, {0}, {0}, {0}}},
    {"move of a stranger", PH_UNKNOWN_ID, true, {COMMAND_MOVE, 99, 0, {0}, {0}, {0}}},
    {"set of a stranger", PH_UNKNOWN_ID, true, {COMMAND_SET, 99, 0, {.given = PH_VIEW, .view = 1}, {0}, {0}}},
    {"pair of a stranger", PH_UNKNOWN_ID, true, {COMMAND_PAIR, 99, 1, {0}, {0}, {0}}},
    {"pair with a stranger", PH_UNKNOWN_ID, true, {COMMAND_PAIR, 1, 99, {0}, {0}, {0}}},
    {"unpair with a stranger", PH_UNKNOWN_ID, true, {COMMAND_UNPAIR, 1, 99, {0}, {0}, {0}}},
    {"link of a stranger", PH_UNKNOWN_ID, true, {COMMAND_LINK, 99, 1, {0}, {0}, {0}}},
    {"link with a stranger", PH_UNKNOWN_ID, true, {COMMAND_LINK, 1, 99, {0}, {0}, {0}}},
    {"unlink of a stranger", PH_UNKNOWN_ID, true, {COMMAND_UNLINK, 99, 1, {0}, {0}, {0}}},
    {"hide of a stranger", PH_UNKNOWN_ID, true, {COMMAND_HIDE, 99, 1, {0}, {0}, {0}}},
    {"hide with a stranger", PH_UNKNOWN_ID, true, {COMMAND_HIDE, 1, 99, {0}, {0}, {0}}},
    {"unhide of a stranger", PH_UNKNOWN_ID, true, {COMMAND_UNHIDE, 99, 1, {0}, {0}, {0}}},
    {"unhide with a stranger", PH_UNKNOWN_ID, true, {COMMAND_UNHIDE, 1, 99, {0}, {0}, {0}}},
    {"reveal of a stranger", PH_UNKNOWN_ID, true, {COMMAND_REVEAL, 99, 1, {0}, {0}, {0}}},
    {"reveal with a stranger", PH_UNKNOWN_ID, true, {COMMAND_REVEAL, 1, 99, {0}, {0}, {0}}},
    {"unreveal of a stranger", PH_UNKNOWN_ID, true, {COMMAND_UNREVEAL, 99, 1, {0}, {0}, {0}}},
    {"unreveal with a stranger", PH_UNKNOWN_ID, true, {COMMAND_UNREVEAL, 1, 99, {0}, {0}, {0}}},
    {"attach of a stranger", PH_UNKNOWN_ID, true, {COMMAND_ATTACH, 99, 1, {0}, {0}, {0}}},
    {"attach to a stranger", PH_UNKNOWN_ID, true, {COMMAND_ATTACH, 1, 99, {0}, {0}, {0}}},
    {"attach of a stranger to itself", PH_UNKNOWN_ID, true, {COMMAND_ATTACH, 99, 99, {0}, {0}, {0}}},
    {"detach of a stranger", PH_UNKNOWN_ID, true, {COMMAND_DETACH, 99, 0, {0}, {0}, {0}}},
    {"resend of a stranger", PH_UNKNOWN_ID, true, {COMMAND_RESEND, 99, 0, {0}, {0}, {0}}},
    {"move of a child", PH_ATTACHED, true, {COMMAND_MOVE, 2, 0, {.x = 9}, {0}, {0}}},
    {"set the instance of a child",
     PH_ATTACHED,
     true,
     {COMMAND_SET, 2, 0, {.given = PH_INSTANCE | PH_VIEW, .instance = 1, .view = 9}, {0}, {0}}},
    {"set x of a child",
     PH_ATTACHED,
     true,
     {COMMAND_SET, 2, 0, {.given = PH_X | PH_VIEW, .x = 9, .view = 9}, {0}, {0}}},
    {"set z of a child", PH_ATTACHED, true, {COMMAND_SET, 10, 0, {.given = PH_Z, .z = 9}, {0}, {0}}},
    {"attach to itself", PH_CYCLE, true, {COMMAND_ATTACH, 1, 1, {0}, {0}, {0}}},
    {"attach to its child", PH_CYCLE, true, {COMMAND_ATTACH, 1, 2, {0}, {0}, {0}}},
    {"attach to its lowest descendant", PH_CYCLE, true, {COMMAND_ATTACH, 3, 10, {0}, {0}, {0}}},
    {"attach below a long chain", PH_TOO_DEEP, true, {COMMAND_ATTACH, 1, 10, {0}, {0}, {0}}},
    {"attach of a long chain", PH_TOO_DEEP, true, {COMMAND_ATTACH, 3, 2, {0}, {0}, {0}}},
    {"attach of an own entity to a remote one", PH_BAD_VALUE, true, {COMMAND_ATTACH, 1, 11, {0}, {0}, {0}}},
    {"attach of a remote entity to an own one", PH_BAD_VALUE, true, {COMMAND_ATTACH, 11, 1, {0}, {0}, {0}}},
    {"attach of a remote child to an own entity", PH_BAD_VALUE, true, {COMMAND_ATTACH, 12, 2, {0}, {0}, {0}}},
    {"attach of an own child to a remote one", PH_BAD_VALUE, true, {COMMAND_ATTACH, 2, 12, {0}, {0}, {0}}},
    {"detach of an entity without a parent", PH_ABSENT, true, {COMMAND_DETACH, 1, 0, {0}, {0}, {0}}},
    {"unpair of no pair", PH_ABSENT, true, {COMMAND_UNPAIR, 3, 1, {0}, {0}, {0}}},
    {"unlink of no link", PH_ABSENT, true, {COMMAND_UNLINK, 3, 1, {0}, {0}, {0}}},
    {"unhide of no hide", PH_ABSENT, true, {COMMAND_UNHIDE, 3, 1, {0}, {0}, {0}}},
    {"unreveal of no reveal", PH_ABSENT, true, {COMMAND_UNREVEAL, 3, 1, {0}, {0}, {0}}},
};

static uint64_t hash_of(const bench *b)
{
    uint64_t hash = 0;
    CHECK_OK(ph_world_hash(b->world, &hash));
    return hash;
}

static ph_stats stats_of(const bench *b)
{
    ph_stats stats;
    memset(&stats, 0, sizeof stats);
    CHECK_OK(ph_world_stats(b->world, &stats));
    return stats;
}

/* Applies the command, by a tick or by ph_apply(). Returns the tick that a refusal names. */
static uint64_t apply_command(const bench *b, bool by_tick)
{
    uint64_t tick = 0;
    if (by_tick) CHECK_OK(ph_tick(b->world, &tick));
    else CHECK_OK(ph_apply(b->world));
    return by_tick ? tick : stats_of(b).ticks + 1;
}

static ph_status submit_command(ph_producer producer, const void *of)
{
    return engine_submit(producer, of);
}

/* One attempt, at once or when it is applied; it leaves no trace but the count. */
static void refuse_once(bench *b, const attempt *a, bool by_tick)
{
    uint64_t sequence = 0;
    uint64_t hash = hash_of(b);
    ph_stats before = stats_of(b);
    ph_status status = a->submit(b->producer, a->of);
    CHECK(status == (a->in_tick ? PH_OK : a->status), "%s: submit: %s, expected %s", a->what, ph_status_name(status),
          ph_status_name(a->in_tick ? PH_OK : a->status));
    CHECK_OK(ph_producer_sequence(b->producer, &sequence));
    const uint64_t tick = apply_command(b, by_tick);
    ph_refusal told[2];
    uint32_t count = 0;
    CHECK_OK(ph_producer_refusals(b->producer, told, 2, &count));
    CHECK(count == (a->in_tick ? 1u : 0u), "%s: %" PRIu32 " refusals told", a->what, count);
    if (a->in_tick && count == 1) {
        CHECK(told[0].status == a->status && told[0].sequence == sequence && told[0].id == a->id &&
                  told[0].tick == tick,
              "%s: told %s, sequence %" PRIu64 " (%" PRIu64 "), id %" PRIu64 ", tick %" PRIu64, a->what,
              ph_status_name(told[0].status), told[0].sequence, sequence, told[0].id, told[0].tick);
        CHECK(told[0].command == a->command && told[0].field == PH_FIELD_NONE, "%s: told of %s(%s)", a->what,
              ph_command_name((ph_command)told[0].command), ph_field_name((ph_field)told[0].field));
    }
    ph_stats after = stats_of(b);
    CHECK(after.refused[a->status] == before.refused[a->status] + 1, "%s: not counted as %s", a->what,
          ph_status_name(a->status));
    CHECK(after.refused_in_tick == before.refused_in_tick + a->in_tick && after.applied == before.applied &&
              after.commands == before.commands + a->in_tick,
          "%s: counted wrongly", a->what);
    CHECK(hash_of(b) == hash && after.remote == before.remote, "%s: the world changed", a->what);
}

void refusals_expect(bench *b, const attempt *a)
{
    refuse_once(b, a, false);
    refuse_once(b, a, true);
}

static void expect_refusal(bench *b, const char *what, const command *c, ph_status expected, bool in_tick)
{
    const attempt a = {what, expected, in_tick, c->id, command_number(c->type), submit_command, c};
    refusals_expect(b, &a);
}

/* Words for later versions have to be 0, but for attributes, which have bits. */
static void reserved_words(void)
{
    bench b = bench_make(64);
    bench_fill(&b);
    ph_broadcast_options options = {.reserved = {0, 0, 0, 0, 1}};
    ph_broadcast_place place = {.radius = 5, .reserved = {1}};
    ph_area area = {.radius = 5, .reserved = {0, 0, 7}};
    ph_query query = {.shape = PH_QUERY_CIRCLE, .radius = 5, .reserved = {0, 0, 0, 2}};
    ph_attrs attrs = {.given = PH_VIEW, .view = 9, .reserved_bytes = {1}, .reserved = {3, 4}};
    ph_hit hit;
    uint32_t count;
    ph_verification progress = {.reserved = {0, 1}};
    ph_difference difference;
    CHECK_STATUS(ph_verify(b.world, 1, &progress, &difference), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_broadcast(b.producer, 1, "a", 1, &options), PH_BAD_VALUE);
    CHECK_STATUS(ph_broadcast_at(b.producer, &place, "a", 1), PH_BAD_VALUE);
    CHECK_STATUS(ph_area_set(b.producer, 1, &area), PH_BAD_VALUE);
    CHECK_STATUS(ph_find(b.world, &query, &hit, 1, &count), PH_BAD_VALUE);
    CHECK_OK(ph_set(b.producer, 1, &attrs));
    CHECK(stats_of(&b).refused[PH_BAD_VALUE] == 3, "each command is counted");
    CHECK_OK(ph_world_destroy(b.world));
}

/* 11 and 12 are remote, 12 hangs on 11. The world is full. */
static void enter_remotes(bench *b)
{
    for (uint64_t id = 11; id <= CAPACITY; id++) {
        const ph_attrs a = {.given = PH_X | PH_Y | PH_REMOTE, .x = (float)id, .y = 5, .remote = true};
        CHECK_OK(ph_enter(b->producer, id, &a));
    }
    CHECK_OK(ph_attach(b->producer, 12, 11));
    CHECK_OK(ph_tick(b->world, NULL));
    CHECK(stats_of(b).attached == 9, "%" PRIu64 " are attached", stats_of(b).attached);
}

static void all_rows(void)
{
    bench b = bench_make(64);
    bench_fill(&b);
    enter_remotes(&b);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect_refusal(&b, rows[i].what, &rows[i].command, rows[i].status, rows[i].in_tick);
    }
    command more = make(COMMAND_ENTER, 50, 0);
    expect_refusal(&b, "enter of one too many", &more, PH_CAPACITY, true);
    command again = make(COMMAND_ENTER, 1, 0);
    expect_refusal(&b, "enter twice, in a full world", &again, PH_EXISTS, true);
    CHECK_OK(ph_world_destroy(b.world));
}

/* ---- floats ---- */

const special_float floats[SPECIAL_FLOATS] = {
    {0.0f, FINE},
    {-0.0f, FINE},
    {1e-45f, FINE},
    {-1e-45f, NEGATIVE},
    {1e-40f, FINE},
    {-1e-40f, NEGATIVE},
    {FLT_MIN, FINE},
    {-FLT_MIN, NEGATIVE},
    {FLT_EPSILON, FINE},
    {-FLT_EPSILON, NEGATIVE},
    {0.5f, FINE},
    {-0.5f, NEGATIVE},
    {1.0f, FINE},
    {-1.0f, NEGATIVE},
    {0x1.fffffep-1f, FINE},
    {0x1.000002p+0f, FINE},
    {99.99999f, FINE},
    {100.0f, FINE},
    {100.00001f, FINE},
    {9999.999f, FINE},
    {10000.0f, FINE},
    {10000.001f, FINE},
    {65535.0f, FINE},
    {65536.0f, FINE},
    {16777216.0f, FINE},
    {-16777216.0f, NEGATIVE},
    {2147483648.0f, FINE},
    {-2147483648.0f, NEGATIVE},
    {4294967296.0f, FINE},
    {1e10f, FINE},
    {5e17f, FINE},
    {-5e17f, NEGATIVE},
    {0x1.bc16d4p+59f, FINE},
    {PH_LENGTH_MAX, FINE},
    {-PH_LENGTH_MAX, NEGATIVE},
    {0x1.bc16d8p+59f, BEYOND},
    {-0x1.bc16d8p+59f, BEYOND},
    {1.9e19f, BEYOND},
    {1e30f, BEYOND},
    {-1e30f, BEYOND},
    {FLT_MAX, BEYOND},
    {-FLT_MAX, BEYOND},
    {INFINITY, BEYOND},
    {-INFINITY, BEYOND},
    {NAN, BEYOND},
    {-NAN, BEYOND},
};

typedef struct float_argument {
    const char *name;
    command_type type;
    uint32_t bit; /* of attrs, for enter and set */
    size_t offset;
    bool radius;
} float_argument;

#define FIELD(field) offsetof(ph_attrs, field)

static const float_argument arguments[] = {
    {"enter x", COMMAND_ENTER, PH_X, FIELD(x), false},
    {"enter y", COMMAND_ENTER, PH_Y, FIELD(y), false},
    {"enter z", COMMAND_ENTER, PH_Z, FIELD(z), false},
    {"enter view", COMMAND_ENTER, PH_VIEW, FIELD(view), true},
    {"enter margin", COMMAND_ENTER, PH_MARGIN, FIELD(margin), true},
    {"enter reach", COMMAND_ENTER, PH_REACH, FIELD(reach), true},
    {"enter visible", COMMAND_ENTER, PH_VISIBLE, FIELD(visible), true},
    {"move x", COMMAND_MOVE, 0, FIELD(x), false},
    {"move y", COMMAND_MOVE, 0, FIELD(y), false},
    {"move z", COMMAND_MOVE, 0, FIELD(z), false},
    {"set x", COMMAND_SET, PH_X, FIELD(x), false},
    {"set y", COMMAND_SET, PH_Y, FIELD(y), false},
    {"set z", COMMAND_SET, PH_Z, FIELD(z), false},
    {"set view", COMMAND_SET, PH_VIEW, FIELD(view), true},
    {"set margin", COMMAND_SET, PH_MARGIN, FIELD(margin), true},
    {"set reach", COMMAND_SET, PH_REACH, FIELD(reach), true},
    {"set visible", COMMAND_SET, PH_VISIBLE, FIELD(visible), true},
    {"pair view", COMMAND_PAIR, 0, FIELD(view), true},
    {"pair margin", COMMAND_PAIR, 0, FIELD(margin), true},
};

/* A valid float is applied, and the world with it stays usable; another one is refused. */
static void one_float(bench *b, const float_argument *argument, float value, float_class is)
{
    command c = make(argument->type, argument->type == COMMAND_ENTER ? 11 : 1, 3);
    c.attrs.given |= argument->bit;
    memcpy((char *)&c.attrs + argument->offset, &value, sizeof value);
    bool bad = is == BEYOND || (argument->radius && is == NEGATIVE);
    if (bad) {
        expect_refusal(b, argument->name, &c, argument->radius ? PH_BAD_RADIUS : PH_BAD_POSITION, false);
        return;
    }
    CHECK(engine_submit(b->producer, &c) == PH_OK, "%s = %g", argument->name, (double)value);
    CHECK_OK(ph_tick(b->world, NULL));
    if (argument->type == COMMAND_ENTER) {
        CHECK_OK(ph_leave(b->producer, 11));
    } else {
        ph_attrs back = {.given = PH_VIEW | PH_MARGIN | PH_REACH | PH_POSITION, .x = 1, .y = 5, .view = 50};
        CHECK_OK(ph_set(b->producer, 1, &back));
    }
    CHECK_OK(ph_tick(b->world, NULL));
    ph_refusal told[1];
    uint32_t count = 0;
    CHECK_OK(ph_producer_refusals(b->producer, told, 1, &count));
    CHECK(count == 0, "%s = %g: refused in a tick", argument->name, (double)value);
}

static void all_floats(void)
{
    bench b = bench_make(64);
    bench_fill(&b);
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
        for (size_t j = 0; j < SPECIAL_FLOATS; j++) {
            one_float(&b, &arguments[i], floats[j].value, floats[j].is);
        }
    }
    CHECK_OK(ph_world_destroy(b.world));
}

/* ---- how refusals are reported ---- */

/* Past refusals_max they are only counted; the reported ones are the oldest, in order. */
static void refusals_overflow(void)
{
    enum { MOST = 10, SENT = 50 };
    bench b = bench_make(MOST);
    for (uint64_t i = 1; i <= SENT; i++) {
        CHECK_OK(ph_leave(b.producer, 1000 + i));
    }
    CHECK_OK(ph_tick(b.world, NULL));
    ph_refusal told[SENT];
    uint32_t first = 0;
    uint32_t rest = 0;
    CHECK_OK(ph_producer_refusals(b.producer, told, 3, &first));
    CHECK_OK(ph_producer_refusals(b.producer, told + first, SENT, &rest));
    uint32_t count = first + rest;
    CHECK(first == 3 && count == MOST, "%" PRIu32 " refusals told of %d, bound %d", count, SENT, MOST);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(told[i].sequence == i + 1 && told[i].id == 1001 + i, "refusal %" PRIu32 " has sequence %" PRIu64, i,
              told[i].sequence);
    }
    ph_stats stats = stats_of(&b);
    CHECK(stats.refused[PH_UNKNOWN_ID] == SENT && stats.refusals_untold == SENT - count,
          "counted %" PRIu64 ", untold %" PRIu64, stats.refused[PH_UNKNOWN_ID], stats.refusals_untold);
    CHECK_OK(ph_world_destroy(b.world));
}

/* The same of items refused inside bulk calls, which have as much room of their own. */
static void bulk_overflow(void)
{
    enum { MOST = 10, SENT = 50 };
    bench b = bench_make(MOST);
    uint64_t ids[SENT];
    for (uint32_t i = 0; i < SENT; i++) {
        ids[i] = i % 2 == 0 ? 0 : 1000 + i; /* every other one is refused at once, the others by the tick */
    }
    CHECK_STATUS(ph_leave_many(b.producer, SENT, ids, NULL), PH_BAD_ID);
    CHECK_OK(ph_tick(b.world, NULL));
    ph_refusal told[SENT];
    uint32_t count = 0;
    CHECK_OK(ph_producer_refusals(b.producer, told, SENT, &count));
    CHECK(count == 2 * MOST, "%" PRIu32 " refusals told, bound %d of either sort", count, MOST);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(told[i].sequence == i + 1 && told[i].status == (i % 2 == 0 ? PH_BAD_ID : PH_UNKNOWN_ID) &&
                  told[i].tick == i % 2,
              "refusal %" PRIu32 " has sequence %" PRIu64, i, told[i].sequence);
    }
    CHECK(stats_of(&b).refusals_untold == SENT - count, "untold");
    CHECK_OK(ph_world_destroy(b.world));
}

/*
 * The smallest waiting number comes first. One that is smaller than an earlier one comes from a tick that
 * ended since, behind one of a bulk call.
 */
static void order(void)
{
    const uint64_t ids[] = {1001, 0, 1003, 0, 1005};
    const uint64_t alone[] = {2, 4}, rest[] = {1, 3, 5}, all[] = {6, 7, 8, 9, 10, 11};
    bench b = bench_make(TOLD_MAX);
    ph_refusal told[8];
    uint32_t count = 0;
    CHECK_STATUS(ph_leave_many(b.producer, 5, ids, NULL), PH_BAD_ID);
    CHECK_OK(ph_producer_refusals(b.producer, told, 8, &count));
    CHECK(count == 2 && told[0].sequence == alone[0] && told[1].sequence == alone[1], "%" PRIu32 " at once", count);
    CHECK_OK(ph_tick(b.world, NULL));
    CHECK_OK(ph_producer_refusals(b.producer, told, 8, &count));
    CHECK(count == 3, "%" PRIu32 " of the tick", count);
    for (uint32_t i = 0; i < 3; i++) CHECK(told[i].sequence == rest[i], "%" PRIu64, told[i].sequence);
    CHECK_STATUS(ph_leave_many(b.producer, 5, ids, NULL), PH_BAD_ID);
    CHECK_OK(ph_leave(b.producer, 1006));
    CHECK_OK(ph_tick(b.world, NULL));
    for (uint32_t i = 0; i < 6; i++) { /* one by one, as well */
        CHECK_OK(ph_producer_refusals(b.producer, told, 1, &count));
        CHECK(count == 1 && told[0].sequence == all[i], "%" PRIu64 " comes as number %" PRIu32, told[0].sequence, i);
    }
    CHECK_OK(ph_world_destroy(b.world));
}

/* Refusals of bulk calls, read between the calls: far more in all than are kept at a time, and each comes, in order. */
static void refusals_of_bulks(void)
{
    enum { MOST = 10, BULK = 3, ROUNDS = 20 };
    static const uint64_t bad_ids[BULK] = {0};
    bench b = bench_make(MOST);
    uint64_t sequence = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        ph_refusal told[MOST];
        uint32_t count = 0;
        CHECK_STATUS(ph_leave_many(b.producer, BULK, bad_ids, NULL), PH_BAD_ID);
        CHECK_OK(ph_producer_refusals(b.producer, told, MOST, &count));
        CHECK(count == BULK, "round %" PRIu32 ": told of %" PRIu32 " of %d", round, count, BULK);
        for (uint32_t i = 0; i < count; i++) {
            sequence++;
            CHECK(told[i].sequence == sequence && told[i].id == 0 && told[i].status == PH_BAD_ID,
                  "round %" PRIu32 ": sequence %" PRIu64 ", expected %" PRIu64, round, told[i].sequence, sequence);
        }
    }
    CHECK(stats_of(&b).refusals_untold == 0, "untold");
    CHECK_OK(ph_world_destroy(b.world));
}

/* Each producer gets its own refusals, by its own numbers. */
static void refusals_by_producer(void)
{
    bench b = bench_make(TOLD_MAX);
    ph_producer second;
    REQUIRE(ph_producer_open(b.world, &second) == PH_OK);
    CHECK_OK(ph_leave(second, 7));
    CHECK_OK(ph_leave(b.producer, 8));
    CHECK_OK(ph_leave(second, 9));
    CHECK_OK(ph_tick(b.world, NULL));
    ph_refusal told[4];
    uint32_t count = 0;
    CHECK_OK(ph_producer_refusals(b.producer, told, 4, &count));
    CHECK(count == 1 && told[0].id == 8 && told[0].sequence == 1, "the first producer's");
    CHECK_OK(ph_producer_refusals(second, told, 4, &count));
    CHECK(count == 2 && told[0].id == 7 && told[1].id == 9 && told[1].sequence == 2, "the second producer's");
    CHECK_OK(ph_world_destroy(b.world));
}

/*
 * A tick whose first allocation fails, the one for all its refusals, takes them run by run; a tick without any memory
 * is refused itself. Neither loses a refusal.
 */
static void refusals_without_memory(bool sticky)
{
    enum { MANY = 500 };
    fail_alloc memory = {0};
    bench b = bench_with(TOLD_MAX, fail_alloc_hooks(&memory));
    bench_fill(&b);
    for (uint32_t i = 0; i < MANY; i++) CHECK_OK(ph_leave(b.producer, 1000 + i));
    fail_alloc_order(&memory, 1, sticky);
    CHECK_STATUS(ph_tick(b.world, NULL), sticky ? PH_NO_MEMORY : PH_OK);
    fail_alloc_order(&memory, 0, false);
    CHECK_OK(ph_tick(b.world, NULL));
    static ph_refusal told[MANY + 1];
    uint32_t count = 0;
    CHECK_OK(ph_producer_refusals(b.producer, told, MANY + 1, &count));
    CHECK(count == MANY && stats_of(&b).refusals_untold == 0, "%" PRIu32 " refusals came, of %d", count, MANY);
    CHECK(atomic_load(&memory.failed) > 0, "no allocation failed");
    CHECK_OK(ph_world_destroy(b.world));
    CHECK(fail_alloc_clean(&memory), "memory is left");
}

int main(void)
{
    all_rows();
    reserved_words();
    all_floats();
    capsule_refusals();
    refusals_overflow();
    bulk_overflow();
    order();
    refusals_of_bulks();
    refusals_by_producer();
    refusals_without_memory(false);
    refusals_without_memory(true);
    return check_done("refusals");
}

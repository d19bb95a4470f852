/*
 * ph_world_hash() covers all state that decides future events and updates: two worlds that answer all queries
 * alike, but differ in the last moves or in deferred updates, have different hashes for as long as updates may differ,
 * and equal ones from then on. Each case is two lives of the same five entities.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "support/check.h"

enum { OBSERVER = 1, TARGETS = 4, FIRST = 2, LAST = FIRST + TARGETS - 1, TOLD_MAX = 64 };

typedef struct life {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
} life;

static life life_make(uint32_t every, uint32_t updates_max)
{
    life l = {{0}, {0}, {0}};
    ph_class class = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    class.band_count = 1;
    class.bands[0] = (ph_band){.radius = 50, .every = every};
    class.updates_max = updates_max;
    def.classes = &class;
    def.class_count = 1;
    def.entities_max = 64;
    REQUIRE(ph_world_create(&def, &l.world) == PH_OK && ph_producer_open(l.world, &l.producer) == PH_OK);
    REQUIRE(ph_consumer_open(l.world, 0, &l.consumer) == PH_OK);
    return l;
}

/* Where a target stands once all is done: further off the higher its id. */
static float place_of(uint64_t id)
{
    return 100 + (float)id;
}

static void enter_all(life *l)
{
    for (uint64_t id = OBSERVER; id <= LAST; id++) {
        ph_attrs attrs = {.given = PH_X | PH_Y | PH_PRIORITY, .x = id == OBSERVER ? 100 : place_of(id), .y = 100};
        if (id == OBSERVER) {
            attrs.given |= PH_VIEW;
            attrs.view = 50;
        }
        CHECK_OK(ph_enter(l->producer, id, &attrs));
    }
}

/* So far beside its place. */
static void move(life *l, uint64_t id, float aside)
{
    CHECK_OK(ph_move(l->producer, id, place_of(id), 100 + aside, 0));
}

static void set_priority(life *l, uint64_t id, uint8_t priority)
{
    const ph_attrs attrs = {.given = PH_PRIORITY, .priority = priority};
    CHECK_OK(ph_set(l->producer, id, &attrs));
}

static uint64_t hash_of(const life *l)
{
    uint64_t hash = 0;
    CHECK_OK(ph_world_hash(l->world, &hash));
    return hash;
}

/* One tick; its updates as bits of their targets. */
static uint64_t tick(life *l)
{
    const ph_batch *batch;
    uint64_t told = 0;
    CHECK_OK(ph_tick(l->world, NULL));
    while (ph_batch_take(l->consumer, &batch) == PH_OK) {
        for (uint32_t u = 0; u < batch->update_count; u++) {
            for (uint32_t i = 0; i < batch->updates[u].count; i++) {
                uint64_t id = batch->moved[batch->due[batch->updates[u].first + i]].id;
                REQUIRE(id < TOLD_MAX);
                told |= UINT64_C(1) << id;
            }
        }
        CHECK_OK(ph_batch_return(l->consumer, batch));
    }
    return told;
}

static void tick_both(life *a, life *b)
{
    tick(a);
    tick(b);
}

/* Both live on without a command: hashes are equal from the given tick on, and updates may differ until then. */
static void live_on(const char *what, life *a, life *b, uint32_t differ_ticks)
{
    bool told_differ = false;
    for (uint32_t t = 0; t <= PH_BAND_EVERY_MAX + 2; t++) {
        bool equal = hash_of(a) == hash_of(b);
        CHECK(equal == (t >= differ_ticks), "%s: %" PRIu32 " ticks later the hashes are %s", what, t,
              equal ? "equal" : "different");
        bool told = tick(a) != tick(b);
        CHECK(!equal || !told, "%s: %" PRIu32 " ticks later equal hashes, and different updates", what, t);
        told_differ |= told;
    }
    CHECK(told_differ, "%s: the same updates: a test of nothing", what);
    CHECK_OK(ph_world_destroy(a->world));
    CHECK_OK(ph_world_destroy(b->world));
}

/* In one of them a target has just moved to where the other's entered. */
static void a_move(void)
{
    life a = life_make(PH_BAND_EVERY_MAX, 0);
    life b = life_make(PH_BAND_EVERY_MAX, 0);
    enter_all(&a);
    move(&a, FIRST, 1);
    enter_all(&b);
    tick_both(&a, &b);
    move(&a, FIRST, 0);
    tick_both(&a, &b);
    live_on("a move", &a, &b, PH_BAND_EVERY_MAX);
}

/* The same target moved in both, in one of them a tick later. */
static void a_later_move(void)
{
    life a = life_make(PH_BAND_EVERY_MAX, 0);
    life b = life_make(PH_BAND_EVERY_MAX, 0);
    for (uint32_t t = 0; t < 3; t++) {
        if (t == 0) {
            enter_all(&a);
            move(&a, FIRST, 1);
            enter_all(&b);
            move(&b, FIRST, 1);
        }
        if (t == 1) move(&a, FIRST, 0);
        if (t == 2) move(&b, FIRST, 0);
        tick_both(&a, &b);
    }
    for (uint32_t t = 0; t <= PH_BAND_EVERY_MAX; t++) {
        bool equal = hash_of(&a) == hash_of(&b);
        CHECK(equal == (t >= PH_BAND_EVERY_MAX), "moved a tick later: %" PRIu32 " ticks later the hashes are %s", t,
              equal ? "equal" : "different");
        tick_both(&a, &b);
    }
    CHECK_OK(ph_world_destroy(a.world));
    CHECK_OK(ph_world_destroy(b.world));
}

/*
 * All targets move in one tick, and one of them is sent, by its priority: another one in each world. In the next tick
 * all have the same priority again, and the nearest is sent: then the same number waits, and not the same ones.
 */
static void who_waits(void)
{
    const uint64_t favoured[] = {LAST - 1, LAST};
    life lives[] = {life_make(1, 1), life_make(1, 1)};
    for (size_t i = 0; i < 2; i++) {
        life *l = &lives[i];
        enter_all(l);
        tick(l);
        for (uint64_t id = FIRST; id <= LAST; id++) move(l, id, 1);
        set_priority(l, favoured[i], 9);
        uint64_t told = tick(l);
        CHECK(told == UINT64_C(1) << favoured[i], "told %" PRIx64, told);
        set_priority(l, favoured[i], 0);
        told = tick(l);
        CHECK(told == UINT64_C(1) << FIRST, "told %" PRIx64, told);
    }
    live_on("deferred updates", &lives[0], &lives[1], 2);
}

/*
 * The last target waits in both worlds, in one of them for a tick longer: all others move in two ticks, and come first
 * both times; the last one moves in both ticks in one world, and in the second only in the other.
 */
static void since_when(void)
{
    life lives[] = {life_make(1, TARGETS - 1), life_make(1, TARGETS - 1)};
    uint64_t later[2][2];
    for (size_t i = 0; i < 2; i++) {
        life *l = &lives[i];
        enter_all(l);
        for (uint64_t id = FIRST; id < LAST; id++) set_priority(l, id, 9);
        tick(l);
        for (uint32_t t = 0; t < 2; t++) {
            for (uint64_t id = FIRST; id < LAST; id++) move(l, id, t == 0 ? 2 : 1);
            if (t == 1 || i == 0) move(l, LAST, t == 0 ? 2 : 1);
            CHECK((tick(l) & UINT64_C(1) << LAST) == 0, "the last one is told too early");
        }
    }
    CHECK(hash_of(&lives[0]) != hash_of(&lives[1]), "since when it waits: equal hashes");
    for (size_t i = 0; i < 2; i++) {
        later[i][0] = tick(&lives[i]);
        later[i][1] = tick(&lives[i]);
        CHECK(later[i][0] == UINT64_C(1) << LAST && later[i][1] == 0, "told %" PRIx64 ", %" PRIx64, later[i][0],
              later[i][1]);
    }
    CHECK_OK(ph_world_destroy(lives[0].world));
    CHECK_OK(ph_world_destroy(lives[1].world));
}

int main(void)
{
    a_move();
    a_later_move();
    who_waits();
    since_when();
    return check_done("world_hash");
}

/*
 * Iterating while the world is commanded: from the callbacks of a for-each every command
 * may be submitted and every query asked, iterations nest, and none of it is seen by the
 * iteration or by any other query before the next tick. A tick, or the world's end, inside
 * ends the iteration. A callback may be left by longjmp() (by C++ exceptions: throws.cpp),
 * and the world goes on as if nothing had been.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "support/check.h"
#include "support/subject.h"

enum { ENTITIES = 40, NEW_FIRST = 1000, DEEP = 12 };

typedef struct place {
    ph_world world;
    ph_producer producer;
    uint64_t list[ENTITIES + 1]; /* of entity 1, before the iteration */
    uint32_t count;
    uint32_t visited;
    uint64_t hash;
    uint32_t depth;
    uint64_t next_id;
} place;

static place place_make(uint32_t shards)
{
    static ph_class kind;
    place p = {.next_id = NEW_FIRST};
    ph_world_def def = ph_world_def_default();
    kind = ph_class_default("default");
    kind.view = 500;
    def.classes = &kind;
    def.class_count = 1;
    def.world_size[0] = 200;
    def.world_size[1] = 200;
    def.tower_size = 20;
    def.shards[0] = shards;
    def.shards[1] = shards;
    REQUIRE(ph_world_create(&def, &p.world) == PH_OK && ph_producer_open(p.world, &p.producer) == PH_OK);
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        ph_attrs a = {.given = PH_X | PH_Y | PH_USER_DATA, .x = (float)(id * 5), .y = (float)(id * 3 % 200)};
        a.user_data = id * 11;
        CHECK_OK(ph_enter(p.producer, id, &a));
    }
    CHECK_OK(ph_tick(p.world, NULL));
    CHECK_OK(ph_list(p.world, 1, p.list, ENTITIES + 1, &p.count));
    CHECK(p.count == ENTITIES - 1, "entity 1 sees %" PRIu32, p.count);
    CHECK_OK(ph_world_hash(p.world, &p.hash));
    return p;
}

/* The answers of all queries are as they were before the iteration. */
static void check_unchanged(place *p)
{
    uint64_t ids[ENTITIES + 1];
    uint32_t count = 0;
    uint64_t hash = 0;
    ph_stats stats;
    CHECK_OK(ph_list(p->world, 1, ids, ENTITIES + 1, &count));
    CHECK(count == p->count && memcmp(ids, p->list, count * sizeof ids[0]) == 0, "the list changed while iterated");
    CHECK_OK(ph_world_hash(p->world, &hash));
    CHECK(hash == p->hash, "the world changed while iterated");
    CHECK_OK(ph_world_stats(p->world, &stats));
    CHECK(stats.entities == ENTITIES, "%" PRIu64 " entities while iterated", stats.entities);
    ph_attrs attrs;
    CHECK_STATUS(ph_entity_get(p->world, p->next_id - 1, &attrs), PH_UNKNOWN_ID);
}

/* One command of every type, some about the visited entity itself. */
static void submit_all(place *p, uint64_t id)
{
    uint64_t fresh = p->next_id++;
    uint64_t other = id % ENTITIES + 1;
    ph_attrs at = {.given = PH_X | PH_Y, .x = 10, .y = 10};
    ph_attrs view = {.given = PH_VIEW, .view = 1};
    ph_position to = {7, 7, 7};
    CHECK_OK(ph_enter(p->producer, fresh, &at));
    CHECK_OK(ph_move(p->producer, id, 190, 190, 0));
    CHECK_OK(ph_set(p->producer, id, &view));
    CHECK_OK(ph_pair(p->producer, id, other, 5, 5));
    CHECK_OK(ph_unpair(p->producer, id, other));
    CHECK_OK(ph_link(p->producer, id, other));
    CHECK_OK(ph_unlink(p->producer, id, other));
    CHECK_OK(ph_attach(p->producer, fresh, id));
    CHECK_OK(ph_detach(p->producer, fresh));
    CHECK_OK(ph_leave(p->producer, id));
    CHECK_OK(ph_enter_many(p->producer, 1, &id, &at, NULL));
    CHECK_OK(ph_move_many(p->producer, 1, &id, &to, NULL));
    CHECK_OK(ph_leave_many(p->producer, 1, &fresh, NULL));
}

static bool visit_and_command(void *user, uint64_t id, uint64_t user_data)
{
    place *p = user;
    CHECK(p->visited < p->count && p->list[p->visited] == id, "visit %" PRIu32 " is of %" PRIu64, p->visited, id);
    CHECK(user_data == id * 11, "user data of %" PRIu64 " is %" PRIu64, id, user_data);
    p->visited++;
    submit_all(p, id);
    check_unchanged(p);
    return true;
}

static bool count_visit(void *user, uint64_t id, uint64_t user_data)
{
    uint32_t *count = user;
    (void)id;
    (void)user_data;
    (*count)++;
    return true;
}

/* Lists inside of observers inside of lists, the same one and others, down to DEEP. */
static bool visit_nested(void *user, uint64_t id, uint64_t user_data)
{
    place *p = user;
    (void)user_data;
    uint32_t inner = 0;
    if (p->depth == DEEP) {
        submit_all(p, id);
        check_unchanged(p);
        return false;
    }
    CHECK_OK(ph_list_visit(p->world, id, count_visit, &inner));
    CHECK(inner == ENTITIES - 1, "a nested iteration sees %" PRIu32, inner);
    p->depth++;
    CHECK_OK(p->depth % 2 == 0 ? ph_list_visit(p->world, 1, visit_nested, p)
                               : ph_observers_visit(p->world, id, visit_nested, p));
    p->depth--;
    p->visited++;
    return p->depth == 0 && p->visited < 3 * DEEP; /* three chains of iterations, one inside the other */
}

static bool stop_at_third(void *user, uint64_t id, uint64_t user_data)
{
    uint32_t *count = user;
    (void)id;
    (void)user_data;
    return ++*count < 3;
}

/* The next tick applies all commands submitted inside, in order. */
static void check_after(place *p, uint64_t submitted_per_visit)
{
    ph_stats before;
    ph_stats after;
    CHECK_OK(ph_world_stats(p->world, &before));
    CHECK_OK(ph_tick(p->world, NULL));
    CHECK_OK(ph_world_stats(p->world, &after));
    uint64_t done = after.applied + after.refused_in_tick - before.applied - before.refused_in_tick;
    CHECK(done == submitted_per_visit * p->visited, "%" PRIu64 " commands came in, %" PRIu64 " were submitted", done,
          submitted_per_visit * p->visited);
    ph_refusal refusals[1];
    uint32_t count = 0;
    CHECK_OK(ph_producer_refusals(p->producer, refusals, 1, &count));
    CHECK(count == 0, "refused: %s of %" PRIu64, ph_status_name(refusals[0].status), refusals[0].id);
    ph_attrs attrs;
    CHECK_OK(ph_entity_get(p->world, p->list[0], &attrs));
    CHECK(attrs.x == 7 && attrs.view == 500, "a visited entity entered anew and moved: x %g view %g", (double)attrs.x,
          (double)attrs.view);
    CHECK_STATUS(ph_entity_get(p->world, NEW_FIRST, &attrs), PH_UNKNOWN_ID);
}

static void commands_from_callbacks(uint32_t shards, bool observers)
{
    enum { COMMANDS = 13 };
    place p = place_make(shards);
    if (observers) { /* all have one view: observers of 1 are targets of 1; ordered by id alike */
        CHECK_OK(ph_observers_visit(p.world, 1, visit_and_command, &p));
    } else {
        CHECK_OK(ph_list_visit(p.world, 1, visit_and_command, &p));
    }
    CHECK(p.visited == p.count, "%" PRIu32 " of %" PRIu32 " visited", p.visited, p.count);
    check_unchanged(&p);
    check_after(&p, COMMANDS);
    CHECK_OK(ph_world_destroy(p.world));
}

static void nested(uint32_t shards)
{
    place p = place_make(shards);
    CHECK_OK(ph_list_visit(p.world, 1, visit_nested, &p));
    CHECK(p.depth == 0 && p.visited > 0, "depth %" PRIu32 " at the end", p.depth);
    check_unchanged(&p);
    CHECK_OK(ph_tick(p.world, NULL));
    CHECK_OK(ph_world_destroy(p.world));
}

static void edges(void)
{
    place p = place_make(1);
    uint32_t count = 0;
    CHECK_OK(ph_list_visit(p.world, 1, stop_at_third, &count));
    CHECK(count == 3, "stopped after %" PRIu32, count);
    count = 0;
    CHECK_OK(ph_observers_visit(p.world, 1, stop_at_third, &count));
    CHECK(count == 3, "stopped after %" PRIu32, count);
    CHECK_STATUS(ph_list_visit(p.world, 777, count_visit, &count), PH_UNKNOWN_ID);
    CHECK_STATUS(ph_observers_visit(p.world, 777, count_visit, &count), PH_UNKNOWN_ID);
    CHECK(count == 3, "an unknown entity was visited");
    ph_attrs blind = {.given = PH_VIEW};
    CHECK_OK(ph_set(p.producer, 1, &blind));
    CHECK_OK(ph_tick(p.world, NULL));
    count = 0;
    CHECK_OK(ph_list_visit(p.world, 1, count_visit, &count));
    CHECK(count == 0, "an empty list was visited");
    CHECK_OK(ph_tick(p.world, NULL));
    CHECK_OK(ph_world_destroy(p.world));
}

/* ---- visits of queries ---- */

static bool hit_and_command(void *user, const ph_hit *hit)
{
    return visit_and_command(user, hit->id, hit->user_data);
}

static bool hit_and_nest(void *user, const ph_hit *hit)
{
    place *p = user;
    uint32_t inner = 0;
    CHECK_OK(ph_list_visit(p->world, hit->id, count_visit, &inner));
    CHECK(inner == ENTITIES - 1, "a list inside of a query has %" PRIu32, inner);
    return visit_nested(user, hit->id, hit->user_data);
}

static bool hit_and_end(void *user, const ph_hit *hit)
{
    place *p = user;
    (void)hit;
    p->visited++;
    CHECK_OK(ph_world_destroy(p->world));
    return true;
}

/* The callback of ph_find_visit() may do all that one of ph_list_visit() may. The query finds the list of entity 1. */
static void queries(uint32_t shards)
{
    enum { COMMANDS = 13, FAR = 1000 };
    const ph_query all = {.shape = PH_QUERY_CIRCLE, .radius = FAR, .without = 1};
    place p = place_make(shards);
    CHECK_OK(ph_find_visit(p.world, &all, hit_and_command, &p));
    CHECK(p.visited == p.count, "%" PRIu32 " of %" PRIu32 " visited", p.visited, p.count);
    check_unchanged(&p);
    check_after(&p, COMMANDS);
    CHECK_OK(ph_world_destroy(p.world));
    p = place_make(shards);
    CHECK_OK(ph_find_visit(p.world, &all, hit_and_nest, &p));
    check_unchanged(&p);
    p.visited = 0;
    CHECK_STATUS(ph_find_visit(p.world, &all, hit_and_end, &p), PH_BAD_HANDLE);
    CHECK(p.visited == 1, "the visit went on behind the world's end");
}

/* ---- ticks inside ---- */

static bool visit_and_tick(void *user, uint64_t id, uint64_t user_data)
{
    place *p = user;
    (void)user_data;
    p->visited++;
    CHECK_OK(ph_leave(p->producer, id));
    if (p->visited == 3) {
        CHECK_OK(ph_tick(p->world, NULL));
    }
    return true;
}

static bool visit_outside(void *user, uint64_t id, uint64_t user_data)
{
    place *p = user;
    (void)user_data;
    p->depth++;
    CHECK_STATUS(ph_list_visit(p->world, id, visit_and_tick, p), PH_BUSY);
    return true;
}

static bool visit_and_end(void *user, uint64_t id, uint64_t user_data)
{
    place *p = user;
    (void)id;
    (void)user_data;
    p->visited++;
    CHECK_OK(ph_world_destroy(p->world));
    return true;
}

/* A tick ends all iterations behind the callback that is running: none goes on over another list than it began with. */
static void ticks_inside(uint32_t shards)
{
    place p = place_make(shards);
    CHECK_STATUS(ph_observers_visit(p.world, 1, visit_and_tick, &p), PH_BUSY);
    CHECK(p.visited == 3, "the iteration went on to %" PRIu32 " behind a tick", p.visited);
    CHECK_OK(ph_list(p.world, 1, p.list, ENTITIES + 1, &p.count));
    CHECK(p.count == ENTITIES - 4, "%" PRIu32 " are left", p.count);
    p.visited = 0;
    CHECK_STATUS(ph_list_visit(p.world, 1, visit_outside, &p), PH_BUSY);
    CHECK(p.visited == 3 && p.depth == 1, "nested iterations went on: %" PRIu32 ", %" PRIu32, p.visited, p.depth);
    p.visited = 0;
    CHECK_STATUS(ph_observers_visit(p.world, ENTITIES, visit_and_end, &p), PH_BAD_HANDLE);
    CHECK(p.visited == 1, "the iteration went on behind the world's end");
}

/* ---- callbacks that do not return ---- */

typedef struct escape {
    place *p;
    jmp_buf to;
    uint32_t visited, depth;
} escape;

static bool visit_and_jump(void *user, uint64_t id, uint64_t user_data)
{
    escape *e = user;
    (void)user_data;
    e->visited++;
    if (e->visited % 3 != 0) {
        return true;
    }
    if (e->depth++ < 2) {
        CHECK_OK(ph_list_visit(e->p->world, id, visit_and_jump, e));
    }
    longjmp(e->to, 1);
}

static bool hit_and_jump(void *user, const ph_hit *hit)
{
    return visit_and_jump(user, hit->id, hit->user_data);
}

/* longjmp() out of iterations, nested ones too, more often than there could be places for them; then all goes on. */
static void jumps_out(uint32_t shards)
{
    enum { TIMES = 300 };
    const ph_query all = {.shape = PH_QUERY_SPHERE, .radius = INFINITY};
    place p = place_make(shards);
    escape e = {.p = &p};
    ph_stats before, after;
    CHECK_OK(ph_world_stats(p.world, &before));
    for (volatile uint32_t i = 0; i < TIMES; i++) {
        e.visited = 0;
        e.depth = 0;
        if (setjmp(e.to) == 0) {
            CHECK_OK(i % 3 == 0   ? ph_list_visit(p.world, 1, visit_and_jump, &e)
                     : i % 3 == 1 ? ph_observers_visit(p.world, 1, visit_and_jump, &e)
                                  : ph_find_visit(p.world, &all, hit_and_jump, &e));
            check_fail(__FILE__, __LINE__, "a callback that jumped away returned");
        }
        CHECK(e.visited == 9, "jumped at %" PRIu32, e.visited);
    }
    check_unchanged(&p);
    CHECK_OK(ph_world_stats(p.world, &after));
    CHECK(after.bytes == before.bytes, "%" PRIu64 " bytes are held, %" PRIu64 " before", after.bytes, before.bytes);
    CHECK_OK(ph_tick(p.world, NULL));
    CHECK_OK(ph_world_destroy(p.world));
}

/* ---- long lists ---- */

enum { MANY = 1000, KINDS = 3 }; /* more than a visit copies at a time, and not a multiple of it */

typedef struct longer {
    uint64_t expected[MANY];
    uint32_t count, visited, stop;
} longer;

static bool visit_next(void *user, uint64_t id, uint64_t user_data)
{
    longer *l = user;
    CHECK(l->visited < l->count && l->expected[l->visited] == id && user_data == ~id,
          "visit %" PRIu32 " is of %" PRIu64 ", user data %" PRIu64, l->visited, id, user_data);
    l->visited++;
    return l->visited != l->stop;
}

/* The same entities in the same order as in ph_list() and ph_observers(). */
static void long_lists(uint32_t shards)
{
    static const uint32_t stops[] = {0, 255, 256, 257, 512, 999};
    ph_class kinds[KINDS] = {ph_class_default("default"), ph_class_default("b"), ph_class_default("c")};
    ph_world world;
    ph_producer producer;
    ph_world_def def = ph_world_def_default();
    for (int i = 0; i < KINDS; i++) {
        kinds[i].view = 100000;
    }
    def.classes = kinds;
    def.class_count = KINDS;
    def.shards[0] = def.shards[1] = shards;
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    for (uint64_t i = 1; i <= MANY; i++) {
        uint64_t id = i * 7919 % 10007; /* in no order */
        ph_attrs a = {.given = PH_X | PH_Y | PH_USER_DATA | PH_KIND, .x = (float)(i * 9), .y = (float)(i * 77 % 10000)};
        a.user_data = ~id;
        a.kind = (uint32_t)(id * 5 % 7 % KINDS);
        CHECK_OK(ph_enter(producer, id, &a));
    }
    CHECK_OK(ph_tick(world, NULL));
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        static longer l;
        l = (longer){.stop = stops[i]};
        CHECK_OK(ph_list(world, 7919, l.expected, MANY, &l.count));
        CHECK_OK(ph_list_visit(world, 7919, visit_next, &l));
        CHECK(l.count == MANY - 1 && l.visited == (l.stop != 0 ? l.stop : l.count), "%" PRIu32 " visited", l.visited);
        l = (longer){.stop = stops[i]};
        CHECK_OK(ph_observers(world, 7919, l.expected, MANY, &l.count));
        CHECK_OK(ph_observers_visit(world, 7919, visit_next, &l));
        CHECK(l.count == MANY - 1 && l.visited == (l.stop != 0 ? l.stop : l.count), "%" PRIu32 " visited", l.visited);
    }
    CHECK_OK(ph_world_destroy(world));
}

int main(void)
{
    for (uint32_t shards = 1; shards <= 3; shards += 2) {
        commands_from_callbacks(shards, false);
        commands_from_callbacks(shards, true);
        nested(shards);
        queries(shards);
        ticks_inside(shards);
        jumps_out(shards);
        long_lists(shards);
    }
    edges();
    return check_done("list_visitors");
}

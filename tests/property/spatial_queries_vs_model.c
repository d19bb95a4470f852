/*
 * Queries of places beyond the model's small worlds: thousands of hits, arrays that are too small, layouts
 * and workers, several threads asking at once between ticks, nothing allocated; and every refused query.
 *
 * options: --seed S
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/fail_alloc.h"

enum { ENTITIES = 3000, ASKED = 200, THREADS = 3, KINDS = 3 };
enum { SEES_ALL = 19 }; /* of so many entities one sees the whole world */
static const float SIZE = 1000;

static fail_alloc memory; /* of the world at hand */

typedef struct place {
    ph_world world;
    ph_producer producer;
    ph_position at[ENTITIES + 1]; /* by id */
} place;

static void world_make(place *p, ph_range range, uint32_t shards, uint32_t workers)
{
    static ph_class kinds[KINDS];
    ph_world_def def = ph_world_def_default();
    for (int i = 0; i < KINDS; i++) {
        static const char *const names[KINDS] = {"default", "npc", "item"};
        kinds[i] = ph_class_default(names[i]);
        kinds[i].view = 40;
    }
    def.classes = kinds;
    def.class_count = KINDS;
    def.world_size[0] = def.world_size[1] = SIZE;
    def.tower_size = 25;
    def.range = range;
    def.shards[0] = def.shards[1] = shards;
    def.workers = workers;
    def.share_min = 0;
    def.consumers = 0;
    def.entities_max = ENTITIES;
    def.allocator = fail_alloc_hooks(&memory);
    REQUIRE(ph_world_create(&def, &p->world) == PH_OK && ph_producer_open(p->world, &p->producer) == PH_OK);
}

/* Whole coordinates, so that many are as far off as others; half of all in a corner. */
static float somewhere(uint64_t *rng, uint64_t id)
{
    return roundf((id % 2 != 0 ? SIZE : SIZE / 8) * phx_rng_unit(rng));
}

static void world_fill(place *p, uint64_t *rng)
{
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        p->at[id] = (ph_position){somewhere(rng, id), somewhere(rng, id), 0};
        ph_attrs a = {.given = PH_X | PH_Y | PH_KIND | PH_USER_DATA, .x = p->at[id].x, .y = p->at[id].y};
        if (id % SEES_ALL == 0) {
            a.given |= PH_VIEW;
            a.view = 2 * SIZE;
        }
        a.kind = (uint32_t)(id % KINDS);
        a.user_data = id * 7;
        CHECK_OK(ph_enter(p->producer, id, &a));
    }
    CHECK_OK(ph_tick(p->world, NULL));
}

/* A step each, so that rows drift. */
static void world_walk(place *p, uint64_t *rng)
{
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        p->at[id].x += (float)phx_rng_below(rng, 3) - 1;
        p->at[id].y += (float)phx_rng_below(rng, 3) - 1;
        CHECK_OK(ph_move(p->producer, id, p->at[id].x, p->at[id].y, 0));
    }
    CHECK_OK(ph_tick(p->world, NULL));
}

/* Some leave, and some go where other shards are, without a tick: lists stay, but for the ones that left. */
static void world_apply(place *p)
{
    for (uint64_t id = 1; id <= ENTITIES; id += 7) {
        if (id % 2 == 0) {
            p->at[id].x = SIZE - p->at[id].x;
            CHECK_OK(ph_move(p->producer, id, p->at[id].x, p->at[id].y, 0));
        } else {
            p->at[id] = (ph_position){NAN, NAN, 0}; /* nowhere */
            CHECK_OK(ph_leave(p->producer, id));
        }
    }
    CHECK_OK(ph_apply(p->world));
}

/* ---- expected hits ---- */

static int by_square(const void *a, const void *b)
{
    const ph_hit *l = a;
    const ph_hit *r = b;
    if (l->square < r->square || l->square > r->square) {
        return l->square < r->square ? -1 : 1;
    }
    return l->id < r->id ? -1 : l->id > r->id;
}

/* Circles, boxes and nearest ones; the model does all shapes. */
static uint32_t expect(const place *p, const ph_query *q, ph_hit *hits)
{
    uint32_t count = 0;
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        float dx = p->at[id].x - q->x, dy = p->at[id].y - q->y, d2 = dx * dx + dy * dy;
        bool in = d2 <= q->radius * q->radius;
        if (q->shape == PH_QUERY_BOX) {
            in = p->at[id].x >= q->x && p->at[id].x <= q->to_x && p->at[id].y >= q->y && p->at[id].y <= q->to_y;
            d2 = 0;
        }
        if (in && (q->kind_count == 0 || q->kinds[0] == id % KINDS)) {
            hits[count++] = (ph_hit){id, id * 7, d2, (uint32_t)(id % KINDS)};
        }
    }
    if (q->shape == PH_QUERY_NEAREST) {
        qsort(hits, count, sizeof *hits, by_square);
        count = count < q->nearest ? count : q->nearest;
    }
    return count;
}

static ph_query some_query(uint64_t *rng)
{
    static const uint32_t kind[KINDS] = {0, 1, 2};
    static const ph_query_shape shapes[] = {PH_QUERY_CIRCLE, PH_QUERY_BOX, PH_QUERY_NEAREST};
    ph_query q = {.shape = shapes[phx_rng_below(rng, 3)]};
    q.x = roundf(SIZE * 1.2f * phx_rng_unit(rng)) - 100;
    q.y = roundf(SIZE * 1.2f * phx_rng_unit(rng)) - 100;
    q.radius = phx_rng_below(rng, 8) == 0 ? INFINITY : roundf(400 * phx_rng_unit(rng));
    q.to_x = q.x + roundf(600 * phx_rng_unit(rng));
    q.to_y = q.y + roundf(100 * phx_rng_unit(rng));
    q.nearest = 1 + phx_rng_below(rng, phx_rng_below(rng, 2) != 0 ? 10 : ENTITIES * 2);
    q.kind_count = phx_rng_below(rng, 3) == 0 ? 1 : 0;
    q.kinds = &kind[phx_rng_below(rng, KINDS)];
    return q;
}

typedef struct visited {
    ph_hit *hits; /* expected */
    uint32_t count, seen, stop;
    ph_world world;
} visited;

static bool visit_hit(void *user, const ph_hit *hit)
{
    visited *v = user;
    bool same = v->seen < v->count && hit->id == v->hits[v->seen].id && hit->user_data == v->hits[v->seen].user_data;
    CHECK(same, "visit %" PRIu32 " of %" PRIu32 " is of %" PRIu64, v->seen, v->count, hit->id);
    return ++v->seen < v->stop && same;
}

static bool tick_at_third(void *user, const ph_hit *hit)
{
    visited *v = user;
    (void)hit;
    if (++v->seen == 3) {
        CHECK_OK(ph_tick(v->world, NULL));
    }
    return true;
}

/* A tick from a callback ends the visit; a visit inside of a visit does not. */
static bool visit_inside(void *user, const ph_hit *hit)
{
    visited *v = user;
    const ph_query all = {.shape = PH_QUERY_CIRCLE, .radius = INFINITY, .without = hit->id};
    visited inner = {.world = v->world};
    CHECK_STATUS(ph_find_visit(v->world, &all, tick_at_third, &inner), PH_BUSY);
    CHECK(inner.seen == 3, "%" PRIu32 " visited before the tick", inner.seen);
    v->seen++;
    return true;
}

static void ticks_inside(uint64_t seed)
{
    place *p = check_zalloc(sizeof *p);
    world_make(p, PH_RANGE_RADIUS, 2, 2);
    world_fill(p, &seed);
    const ph_query all = {.shape = PH_QUERY_CIRCLE, .radius = INFINITY};
    visited outer = {.world = p->world};
    CHECK_STATUS(ph_find_visit(p->world, &all, visit_inside, &outer), PH_BUSY);
    CHECK(outer.seen == 1, "%" PRIu32 " visited after a tick", outer.seen);
    CHECK_OK(ph_world_destroy(p->world));
    free(p);
}

/* All of them, in pieces; and as many as are wanted. */
static void check_visit(const place *p, const ph_query *q)
{
    static _Thread_local ph_hit expected[ENTITIES];
    visited all = {.hits = expected, .count = expect(p, q, expected), .stop = UINT32_MAX};
    CHECK_OK(ph_find_visit(p->world, q, visit_hit, &all));
    CHECK(all.seen == all.count, "%" PRIu32 " of %" PRIu32 " visited", all.seen, all.count);
    visited some = {.hits = expected, .count = all.count, .stop = all.count / 2 + 1};
    CHECK_OK(ph_find_visit(p->world, q, visit_hit, &some));
    CHECK(some.seen == (all.count > 0 ? some.stop : 0), "stopped after %" PRIu32, some.seen);
}

static void check_answer(const place *p, const ph_query *q, const ph_answer *got)
{
    static _Thread_local ph_hit expected[ENTITIES];
    uint32_t count = expect(p, q, expected);
    uint32_t written = count < got->capacity ? count : got->capacity;
    if (!CHECK(got->status == PH_OK && got->count == count, "shape %d: %s, %" PRIu32 " found, expected %" PRIu32,
               (int)q->shape, ph_status_name(got->status), got->count, count)) {
        return;
    }
    for (uint32_t i = 0; i < written; i++) {
        bool same = got->hits[i].id == expected[i].id && got->hits[i].user_data == expected[i].user_data &&
                    got->hits[i].kind == expected[i].kind && !(got->hits[i].square < expected[i].square) &&
                    !(got->hits[i].square > expected[i].square);
        if (!CHECK(same, "shape %d at %g %g: place %" PRIu32 " of %" PRIu32 " is %" PRIu64 ", expected %" PRIu64,
                   (int)q->shape, (double)q->x, (double)q->y, i, count, got->hits[i].id, expected[i].id)) {
            return;
        }
    }
}

/* One batch, and each tenth alone too. */
static void ask(const place *p, uint64_t *rng, uint32_t asked)
{
    ph_query *queries = check_zalloc(asked * sizeof *queries);
    ph_answer *answers = check_zalloc(asked * sizeof *answers);
    ph_hit *hits = check_zalloc((size_t)asked * ENTITIES * sizeof *hits);
    for (uint32_t i = 0; i < asked; i++) {
        queries[i] = some_query(rng);
        answers[i].hits = hits + (size_t)i * ENTITIES;
        answers[i].capacity = phx_rng_below(rng, 2) != 0 ? ENTITIES : phx_rng_below(rng, 40);
    }
    uint64_t calls = atomic_load(&memory.calls);
    CHECK_OK(ph_find_many(p->world, asked, queries, answers));
    for (uint32_t i = 0; i < asked && check_failures() == 0; i++) {
        check_answer(p, &queries[i], &answers[i]);
        if (i % 10 == 0) {
            ph_answer *one = &answers[i];
            one->status = ph_find(p->world, &queries[i], one->hits, one->capacity, &one->count);
            check_answer(p, &queries[i], one);
            check_visit(p, &queries[i]);
        }
    }
    CHECK(atomic_load(&memory.calls) == calls, "queries allocated");
    free(hits);
    free(answers);
    free(queries);
}

/* ---- lists ---- */

static int by_id(const void *a, const void *b)
{
    const uint64_t *l = a;
    const uint64_t *r = b;
    return *l < *r ? -1 : *l > *r;
}

/* The ids of a list that pass the filters, in order. */
static ph_status expect_list(const place *p, const ph_query *q, uint64_t *ids, uint32_t *count)
{
    uint32_t all = 0;
    *count = 0;
    ph_status status = ph_list(p->world, q->of, ids, ENTITIES, &all);
    for (uint32_t i = 0; status == PH_OK && i < all; i++) {
        if (ids[i] != q->without && (q->kind_count == 0 || q->kinds[0] == ids[i] % KINDS)) {
            ids[(*count)++] = ids[i];
        }
    }
    qsort(ids, *count, sizeof *ids, by_id);
    return status;
}

/* The filter of one entity is mostly for one that is in the list. */
static ph_query some_list(const place *p, uint64_t *rng)
{
    static _Thread_local uint64_t ids[ENTITIES];
    uint32_t count = 0;
    ph_query q = some_query(rng);
    q.shape = PH_QUERY_LIST;
    q.of = 1 + phx_rng_below(rng, ENTITIES + ENTITIES / 50); /* some are of no entity */
    q.flags = phx_rng_below(rng, 2) != 0 ? PH_QUERY_UNORDERED : 0;
    q.kind_count = phx_rng_below(rng, 6) == 0 ? 1 : 0;
    if (phx_rng_below(rng, 3) == 0 && ph_list(p->world, q.of, ids, ENTITIES, &count) == PH_OK && count > 0) {
        q.without = ids[phx_rng_below(rng, count)];
    }
    return q;
}

static void check_list(const place *p, const ph_query *q, const ph_answer *got)
{
    static _Thread_local uint64_t expected[ENTITIES];
    static _Thread_local bool seen[ENTITIES + 1];
    uint32_t count;
    ph_status status = expect_list(p, q, expected, &count);
    uint32_t written = count < got->capacity ? count : got->capacity;
    if (!CHECK(got->status == status && got->count == count,
               "list of %" PRIu64 ": %s, %" PRIu32 " found, expected %s and %" PRIu32, q->of,
               ph_status_name(got->status), got->count, ph_status_name(status), count)) {
        return;
    }
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < written; i++) {
        const ph_hit *hit = &got->hits[i];
        bool in = bsearch(&hit->id, expected, count, sizeof *expected, by_id) != NULL && !seen[hit->id];
        bool ordered = (q->flags & PH_QUERY_UNORDERED) != 0 || hit->id == expected[i];
        bool whole = hit->user_data == hit->id * 7 && hit->kind == hit->id % KINDS && !(hit->square != 0);
        if (!CHECK(in && ordered && whole, "list of %" PRIu64 ": place %" PRIu32 " of %" PRIu32 " is %" PRIu64, q->of,
                   i, count, hit->id)) {
            return;
        }
        seen[hit->id] = true;
    }
}

/* One batch, circles among the lists; each tenth alone too. */
static void ask_lists(const place *p, uint64_t *rng, uint32_t asked)
{
    ph_query *queries = check_zalloc(asked * sizeof *queries);
    ph_answer *answers = check_zalloc(asked * sizeof *answers);
    ph_hit *hits = check_zalloc((size_t)asked * ENTITIES * sizeof *hits);
    ph_status first = PH_OK;
    for (uint32_t i = 0; i < asked; i++) {
        queries[i] = phx_rng_below(rng, 8) != 0 ? some_list(p, rng) : some_query(rng);
        answers[i].hits = hits + (size_t)i * ENTITIES;
        answers[i].capacity = phx_rng_below(rng, 2) != 0 ? ENTITIES : phx_rng_below(rng, 40);
    }
    uint64_t calls = atomic_load(&memory.calls);
    ph_status status = ph_find_many(p->world, asked, queries, answers);
    CHECK(atomic_load(&memory.calls) == calls, "queries of lists allocated");
    for (uint32_t i = 0; i < asked && check_failures() == 0; i++) {
        ph_answer *one = &answers[i];
        first = first == PH_OK ? one->status : first;
        if (queries[i].shape != PH_QUERY_LIST) {
            check_answer(p, &queries[i], one);
            continue;
        }
        check_list(p, &queries[i], one);
        if (i % 10 == 0) {
            one->status = ph_find(p->world, &queries[i], one->hits, one->capacity, &one->count);
            check_list(p, &queries[i], one);
        }
    }
    CHECK(status == first, "%s, expected %s", ph_status_name(status), ph_status_name(first));
    free(hits);
    free(answers);
    free(queries);
}

/* ---- layouts ---- */

static void layouts(uint64_t seed)
{
    static const struct {
        ph_range range;
        uint32_t shards, workers;
    } rows[] = {{PH_RANGE_RADIUS, 1, 1}, {PH_RANGE_RADIUS, 4, 3}, {PH_RANGE_TOWERS, 1, 2}, {PH_RANGE_TOWERS, 3, 2}};
    place *p = check_zalloc(sizeof *p);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t rng = seed;
        world_make(p, rows[i].range, rows[i].shards, rows[i].workers);
        world_fill(p, &rng);
        for (int ticks = 0; ticks < 3 && check_failures() == 0; ticks++) {
            world_walk(p, &rng);
            ask(p, &rng, ASKED);
            ask_lists(p, &rng, ASKED);
        }
        world_apply(p);
        ask_lists(p, &rng, ASKED);
        CHECK_OK(ph_world_destroy(p->world));
    }
    free(p);
}

/* ---- threads ---- */

typedef struct asker {
    const place *p;
    uint64_t rng;
} asker;

static void *asker_run(void *context)
{
    asker *a = context;
    for (int i = 0; i < 6; i++) {
        ask(a->p, &a->rng, 24);
    }
    return NULL;
}

/* All ask at once: one has the workers, the others do without. */
static void threads(uint64_t seed)
{
    place *p = check_zalloc(sizeof *p);
    uint64_t rng = seed;
    world_make(p, PH_RANGE_RADIUS, 2, 3);
    world_fill(p, &rng);
    for (int rounds = 0; rounds < 3; rounds++) {
        pthread_t thread[THREADS];
        asker askers[THREADS];
        for (uint64_t i = 0; i < THREADS; i++) {
            askers[i] = (asker){p, phx_mix64(seed + i)};
            REQUIRE(pthread_create(&thread[i], NULL, asker_run, &askers[i]) == 0);
        }
        for (int i = 0; i < THREADS; i++) {
            REQUIRE(pthread_join(thread[i], NULL) == 0);
        }
        world_walk(p, &rng); /* the workers are the tick's again */
    }
    CHECK_OK(ph_world_destroy(p->world));
    free(p);
}

/* ---- refusals ---- */

static void refused(ph_world world, ph_query q, ph_status expected, const char *what)
{
    ph_hit hit = {.id = 77};
    uint32_t count = 5;
    ph_status got = ph_find(world, &q, &hit, 1, &count);
    CHECK(got == expected && count == 0 && hit.id == 77, "%s: %s, expected %s; count %" PRIu32, what,
          ph_status_name(got), ph_status_name(expected), count);
    const ph_query queries[2] = {q, {.shape = PH_QUERY_CIRCLE, .radius = INFINITY}};
    ph_answer answers[2] = {{.hits = &hit, .capacity = 1}, {.count = 9}};
    got = ph_find_many(world, 2, queries, answers);
    CHECK(got == expected && answers[0].status == expected && answers[1].status == PH_OK && answers[1].count == 1,
          "%s, one of two: %s, second %" PRIu32, what, ph_status_name(got), answers[1].count);
}

static void refusals(void)
{
    static const uint32_t kinds[] = {0, KINDS};
    place *p = check_zalloc(sizeof *p);
    uint32_t count = 0;
    world_make(p, PH_RANGE_RADIUS, 2, 2);
    const ph_attrs at = {.given = PH_X | PH_Y, .x = 5, .y = 5};
    CHECK_OK(ph_enter(p->producer, 1, &at));
    CHECK_OK(ph_tick(p->world, NULL));
    const ph_query circle = {.shape = PH_QUERY_CIRCLE, .radius = 10};
    const ph_query sector = {.shape = PH_QUERY_SECTOR, .radius = 10, .to_x = 1};
    ph_query q;
#define REFUSED(base, field, value, status) \
    do { \
        q = (base); \
        q.field = (value); \
        refused(p->world, q, status, #field " = " #value); \
    } while (0)
    REFUSED(circle, shape, (ph_query_shape)(PH_QUERY_SPHERE + 1), PH_BAD_VALUE);
    REFUSED(circle, shape, (ph_query_shape)-1, PH_BAD_VALUE);
    REFUSED(circle, x, NAN, PH_BAD_POSITION);
    REFUSED(circle, y, INFINITY, PH_BAD_POSITION);
    REFUSED(circle, radius, -1, PH_BAD_RADIUS);
    REFUSED(circle, radius, NAN, PH_BAD_RADIUS);
    REFUSED(circle, kind_count, 1, PH_BAD_ARGUMENT);
    REFUSED(circle, kind_count, PH_QUERY_KINDS_MAX + 1, PH_BAD_VALUE);
    REFUSED(circle, shape, PH_QUERY_NEAREST, PH_BAD_VALUE); /* none of them */
    REFUSED(circle, shape, PH_QUERY_LIST, PH_UNKNOWN_ID);   /* of no entity */
    REFUSED(circle, shape, PH_QUERY_OBSERVERS, PH_UNKNOWN_ID);
    const ph_query sphere = {.shape = PH_QUERY_SPHERE, .radius = 10};
    REFUSED(sphere, z, NAN, PH_BAD_POSITION);
    REFUSED(sphere, radius, -1, PH_BAD_RADIUS);
    const ph_query storey = {.shape = PH_QUERY_CIRCLE, .radius = 10, .flags = PH_QUERY_HEIGHT, .z_high = 1};
    REFUSED(storey, z_low, NAN, PH_BAD_POSITION);
    REFUSED(storey, z_high, INFINITY, PH_BAD_POSITION);
    REFUSED(storey, z_low, 2, PH_BAD_VALUE);
    REFUSED(circle, flags, 8, PH_BAD_VALUE);
    REFUSED(sector, to_x, 0, PH_BAD_VALUE);
    REFUSED(sector, to_x, 1e-30f, PH_BAD_VALUE);
    REFUSED(sector, to_y, INFINITY, PH_BAD_VALUE);
    REFUSED(sector, to_y, NAN, PH_BAD_VALUE);
    REFUSED(sector, cosine, 1.001f, PH_BAD_VALUE);
    REFUSED(sector, cosine, NAN, PH_BAD_VALUE);
    q = (ph_query){.shape = PH_QUERY_BOX, .to_x = NAN};
    refused(p->world, q, PH_BAD_POSITION, "a box to nowhere");
    q = circle;
    q.kinds = kinds;
    q.kind_count = 2;
    refused(p->world, q, PH_BAD_KIND, "an unknown kind");
    const ph_query crossed = {.shape = PH_QUERY_QUAD, .corners = {{0, 0}, {10, 10}, {10, 0}, {0, 10}}};
    refused(p->world, crossed, PH_BAD_VALUE, "a quad that crosses itself");
    const ph_query dented = {.shape = PH_QUERY_QUAD, .corners = {{0, 0}, {10, 0}, {1, 1}, {0, 10}}};
    refused(p->world, dented, PH_BAD_VALUE, "a dented quad");
    const ph_query endless = {.shape = PH_QUERY_QUAD, .corners = {{0, 0}, {10, 0}, {10, INFINITY}, {0, 10}}};
    refused(p->world, endless, PH_BAD_POSITION, "an endless quad");
    CHECK_STATUS(ph_find(p->world, NULL, NULL, 0, &count), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_find(p->world, &circle, NULL, 0, NULL), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_find(p->world, &circle, NULL, 1, &count), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_find_many(p->world, 1, NULL, NULL), PH_BAD_ARGUMENT);
    visited none = {.stop = 1};
    CHECK_STATUS(ph_find_visit(p->world, NULL, visit_hit, &none), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_find_visit(p->world, &circle, NULL, &none), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_find_visit(p->world, &dented, visit_hit, &none), PH_BAD_VALUE);
    CHECK_OK(ph_find_many(p->world, 0, NULL, NULL));
    CHECK_OK(ph_find(p->world, &circle, NULL, 0, &count));
    CHECK(count == 1, "%" PRIu32 " found without an array", count);
    CHECK_OK(ph_world_destroy(p->world));
    free(p);
#undef REFUSED
}

int main(int argc, char **argv)
{
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    layouts(seed);
    threads(seed);
    ticks_inside(seed);
    refusals();
    return check_done("spatial_queries_vs_model");
}

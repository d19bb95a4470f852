/*
 * Timing ph_find() and ph_find_many(), shape by shape, and ph_verify(); see queries.h. The same queries are asked
 * several times over, one by one and in one call, and the fastest pass counts. Both have to find as many.
 */
#include <string.h>

#include "base/rng.h"
#include "bench/base/memory.h"
#include "bench/engines/queries.h"
#include "tools/cli.h"

enum { ASKED = 1000, PASSES = 5, ROOM = 256, NEAREST = 10 };

/* As wide as a view is in the scenarios. */
static const float VIEW = 100;

typedef struct asking {
    ph_world world;
    ph_query *queries;
    ph_answer *answers;
    ph_hit *hits;
} asking;

static void set_quad(ph_query *q, const float ahead[2])
{
    static const float along[] = {0.2f, 0.2f, 2, 2};
    static const float aside[] = {0.3f, -0.3f, -1, 1};
    for (int i = 0; i < 4; i++) {
        q->corners[i][0] = q->x + VIEW * (ahead[0] * along[i] - ahead[1] * aside[i]);
        q->corners[i][1] = q->y + VIEW * (ahead[1] * along[i] + ahead[0] * aside[i]);
    }
}

/*
 * Circles of a view, squares about one, sectors of 120 degrees and a camera's view both twice as deep, ten nearest;
 * and a list, of an entity that has to be found first.
 */
static ph_query some_query(const ph_world_def *def, bench_asked what, uint64_t *rng)
{
    static const ph_query_shape shapes[BENCH_ASKED] = {PH_QUERY_CIRCLE,    PH_QUERY_BOX,     PH_QUERY_SECTOR,
                                                       PH_QUERY_QUAD,      PH_QUERY_NEAREST, PH_QUERY_LIST,
                                                       PH_QUERY_OBSERVERS, PH_QUERY_LIST};
    static const float directions[4][2] = {{1, 0}, {0.8f, 0.6f}, {-0.6f, 0.8f}, {0, -1}};
    const float *ahead = directions[phx_rng_below(rng, 4)];
    ph_query q = {.shape = shapes[what], .nearest = NEAREST, .radius = VIEW, .cosine = 0.5f};
    q.x = def->world_origin[0] + def->world_size[0] * phx_rng_unit(rng);
    q.y = def->world_origin[1] + def->world_size[1] * phx_rng_unit(rng);
    if (what == BENCH_ASK_BOX) {
        q.to_x = q.x + 2 * VIEW;
        q.to_y = q.y + 2 * VIEW;
    } else if (what == BENCH_ASK_SECTOR) {
        q.radius = 2 * VIEW;
        q.to_x = ahead[0];
        q.to_y = ahead[1];
    } else if (what == BENCH_ASK_QUAD) {
        set_quad(&q, ahead);
    } else if (what == BENCH_ASK_NEAREST) {
        q.radius = 1e9f; /* no bound */
    } else if (what == BENCH_ASK_UNORDERED) {
        q.flags = PH_QUERY_UNORDERED;
    }
    return q;
}

/* The entity nearest to the query's place. */
static ph_status choose_whose(ph_world world, ph_query *q)
{
    const ph_query nearest = {.shape = PH_QUERY_NEAREST, .nearest = 1, .x = q->x, .y = q->y, .radius = 1e9f};
    ph_hit hit = {0};
    uint32_t count;
    ph_status status = ph_find(world, &nearest, &hit, 1, &count);
    q->of = hit.id;
    return status;
}

static ph_status ask_singly(asking *a)
{
    ph_status status = PH_OK;
    for (uint32_t i = 0; i < ASKED && status == PH_OK; i++) {
        status = ph_find(a->world, &a->queries[i], a->answers[i].hits, ROOM, &a->answers[i].count);
    }
    return status;
}

static ph_status ask_at_once(asking *a)
{
    return ph_find_many(a->world, ASKED, a->queries, a->answers);
}

/* The fastest pass; *found gets how many each query found on average. */
static ph_status measure(asking *a, ph_status (*ask)(asking *a), double *ns_each, double *found)
{
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        uint64_t begin = phx_clock_ns();
        uint64_t sum = 0;
        ph_status status = ask(a);
        double ns = (double)(phx_clock_ns() - begin) / ASKED;
        if (status != PH_OK) {
            return status;
        }
        for (uint32_t i = 0; i < ASKED; i++) {
            sum += a->answers[i].count;
        }
        *found = (double)sum / ASKED;
        *ns_each = pass == 0 || ns < *ns_each ? ns : *ns_each;
    }
    return PH_OK;
}

static bool measure_shapes(asking *a, const ph_world_def *def, bench_places *times, bench_error *error)
{
    uint64_t rng = 1;
    for (bench_asked what = 0; what < BENCH_ASKED; what++) {
        double singly = 0;
        double at_once = 0;
        for (uint32_t i = 0; i < ASKED; i++) {
            a->queries[i] = some_query(def, what, &rng);
            ph_status chosen = choose_whose(a->world, &a->queries[i]);
            if (chosen != PH_OK) {
                return bench_fail(error, "no entity for list queries: %s", ph_status_text(chosen));
            }
            a->answers[i] = (ph_answer){.hits = a->hits + (size_t)i * ROOM, .capacity = ROOM};
        }
        ph_status status = measure(a, ask_singly, &times->single_ns[what], &singly);
        if (status == PH_OK) {
            status = measure(a, ask_at_once, &times->batched_ns[what], &at_once);
        }
        if (status != PH_OK) {
            return bench_fail(error, "a query: %s", ph_status_text(status));
        }
        if (singly < at_once || singly > at_once) {
            return bench_fail(error, "queries find %g each one by one, %g in one call", singly, at_once);
        }
        times->found[what] = at_once;
    }
    return true;
}

/* A few observers' lists. */
static bool measure_verify(ph_world world, bench_places *times, bench_error *error)
{
    enum { OBSERVERS = 20 };
    ph_verification progress = {0};
    ph_difference difference;
    uint64_t begin = phx_clock_ns();
    while (progress.observers < OBSERVERS && progress.rounds == 0) {
        ph_status status = ph_verify(world, 1, &progress, &difference);
        if (status != PH_OK) {
            return bench_fail(error, "verifying: %s", ph_status_text(status));
        }
        if (difference.kind != PH_DIFFERENCE_NONE) {
            return bench_fail(error, "the list of %llu is wrong about %llu: difference %d",
                              (unsigned long long)difference.observer, (unsigned long long)difference.target,
                              (int)difference.kind);
        }
    }
    times->verify_ns_per_pair = progress.pairs > 0 ? (double)(phx_clock_ns() - begin) / (double)progress.pairs : 0;
    return true;
}

bool bench_places_measure(ph_world world, const ph_world_def *def, phx_mem *mem, bench_places *times,
                          bench_error *error)
{
    asking a = {.world = world};
    memset(times, 0, sizeof *times);
    a.queries = bench_alloc(mem, ASKED * sizeof *a.queries);
    a.answers = bench_alloc(mem, ASKED * sizeof *a.answers);
    a.hits = bench_alloc(mem, (size_t)ASKED * ROOM * sizeof *a.hits);
    bool good = measure_shapes(&a, def, times, error) && measure_verify(world, times, error);
    phx_free(mem, a.hits, (size_t)ASKED * ROOM * sizeof *a.hits, PHX_CACHE_LINE);
    phx_free(mem, a.answers, ASKED * sizeof *a.answers, PHX_CACHE_LINE);
    phx_free(mem, a.queries, ASKED * sizeof *a.queries, PHX_CACHE_LINE);
    return good;
}

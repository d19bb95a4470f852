/*
 * Queries of places of the subject against the model's. Where they ask follows from the script's seed, the tick and
 * where entities stand, so that borders go through entities, or a rounding beside them.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "support/run_parts.h"

enum { ASKED = 12, KINDS = 2 };

typedef struct asking {
    uint64_t rng;
    const run *r;
    model_entity *const *entities;
    size_t count; /* of them, > 0 */
} asking;

/* One query and the arrays of its pointers. */
typedef struct asked {
    ph_query query;
    uint32_t kinds[KINDS];
} asked;

static uint32_t below(asking *a, uint32_t bound)
{
    return phx_rng_below(&a->rng, bound);
}

static const ph_attrs *any_attrs(asking *a)
{
    return &a->entities[below(a, (uint32_t)a->count)]->now;
}

/* The same, or a rounding beside it. */
static float about(asking *a, float v)
{
    if (below(a, 3) != 0) {
        return v;
    }
    v = nextafterf(v, below(a, 2) != 0 ? INFINITY : -INFINITY);
    return fabsf(v) <= PH_COORDINATE_MAX ? v : copysignf(PH_COORDINATE_MAX, v);
}

static float distance_to(const ph_query *q, const ph_attrs *other)
{
    float dx = other->x - q->x;
    float dy = other->y - q->y;
    return sqrtf(dx * dx + dy * dy);
}

static void choose_circle(asking *a, ph_query *q)
{
    q->radius = distance_to(q, any_attrs(a));
    switch (below(a, 8)) {
    default:
        q->radius = fabsf(about(a, q->radius));
        break;
    case 0:
        q->radius = INFINITY;
        break;
    case 1:
        q->radius = 0;
        break;
    case 2:
        q->radius *= 0.5f;
        break;
    }
    q->radius = q->radius <= PH_LENGTH_MAX ? q->radius : INFINITY; /* a larger radius than the bound */
}

/* Towards one, and as wide that another is on its edge, or as wide as they mostly are. */
static void choose_sector(asking *a, ph_query *q)
{
    static const float cosines[] = {1, 0.70710678f, 0.5f, 0, -0.5f, -1};
    const ph_attrs *ahead = any_attrs(a);
    const ph_attrs *aside = any_attrs(a);
    choose_circle(a, q);
    q->to_x = ahead->x - q->x;
    q->to_y = ahead->y - q->y;
    float square = q->to_x * q->to_x + q->to_y * q->to_y;
    if (!(square > 1e-36f && square < 1e36f)) {
        q->to_x = 1;
        q->to_y = 0;
        square = 1;
    }
    float dx = aside->x - q->x;
    float dy = aside->y - q->y;
    float edge = (dx * q->to_x + dy * q->to_y) / (sqrtf(dx * dx + dy * dy) * sqrtf(square));
    q->cosine = edge >= -1 && edge <= 1 && below(a, 2) != 0 ? edge : cosines[below(a, 6)];
}

static void set_corner(ph_query *q, int corner, float x, float y)
{
    q->corners[corner][0] = x;
    q->corners[corner][1] = y;
}

/* A box as a quad: its edges go through entities. */
static void choose_upright(asking *a, ph_query *q)
{
    float x = about(a, any_attrs(a)->x);
    float y = about(a, any_attrs(a)->y);
    set_corner(q, 0, q->x, q->y);
    set_corner(q, 1, x, q->y);
    set_corner(q, 2, x, y);
    set_corner(q, 3, q->x, y);
}

static bool plainly_convex(const ph_query *q)
{
    int left = 0;
    for (int i = 0; i < 4; i++) {
        const float *a = q->corners[i];
        const float *b = q->corners[(i + 1) % 4];
        const float *c = q->corners[(i + 2) % 4];
        double ux = (double)b[0] - (double)a[0], uy = (double)b[1] - (double)a[1];
        double vx = (double)c[0] - (double)b[0], vy = (double)c[1] - (double)b[1];
        double turn = ux * vy - uy * vx;
        if (!(fabs(turn) > 1e-3 * hypot(ux, uy) * hypot(vx, vy))) {
            return false;
        }
        left += turn > 0;
    }
    return left == 0 || left == 4;
}

/* The field of a camera at one entity that looks at another, turned one way or the other; or a triangle. */
static void choose_quad(asking *a, ph_query *q)
{
    const ph_attrs *at = any_attrs(a);
    float ax = at->x - q->x, ay = at->y - q->y;
    float near = 0.25f * (float)below(a, 3), far = near + 0.5f + 0.25f * (float)below(a, 8);
    float narrow = 0.125f * (float)(1 + below(a, 4)), wide = narrow * (float)(1 + below(a, 4));
    int turn = below(a, 2) != 0 ? 1 : 3;
    set_corner(q, 0, q->x + ax * near - ay * narrow, q->y + ay * near + ax * narrow);
    set_corner(q, turn, q->x + ax * near + ay * narrow, q->y + ay * near - ax * narrow);
    set_corner(q, 2, q->x + ax * far + ay * wide, q->y + ay * far - ax * wide);
    set_corner(q, 4 - turn, q->x + ax * far - ay * wide, q->y + ay * far + ax * wide);
    if (!plainly_convex(q)) {
        choose_upright(a, q);
    }
    if (below(a, 4) == 0) {
        set_corner(q, 3, q->corners[2][0], q->corners[2][1]);
    }
    for (int i = 0; i < 4; i++) {
        if (!(fabsf(q->corners[i][0]) <= PH_COORDINATE_MAX && fabsf(q->corners[i][1]) <= PH_COORDINATE_MAX)) {
            choose_upright(a, q);
        }
    }
}

static void choose_filters(asking *a, asked *to)
{
    ph_query *q = &to->query;
    const script *s = a->r->s;
    if (below(a, 3) == 0) {
        float one = about(a, any_attrs(a)->z);
        float other = about(a, any_attrs(a)->z);
        q->flags |= PH_QUERY_HEIGHT;
        q->z_low = one < other ? one : other;
        q->z_high = one < other ? other : one;
    }
    q->flags |= below(a, 4) == 0 ? PH_QUERY_UNORDERED : 0;
    q->flags |= below(a, 4) == 0 ? PH_QUERY_IN_INSTANCE : 0;
    q->instance = below(a, 3);
    q->layers = below(a, 3) == 0 ? 1 + below(a, 3) : 0;
    q->without = below(a, 3) == 0 ? s->ids[below(a, s->id_count)] : 0;
    q->kind_count = below(a, 3) == 0 ? 1 + below(a, KINDS) : 0;
    for (uint32_t i = 0; i < q->kind_count; i++) {
        to->kinds[i] = below(a, a->r->def.class_count);
    }
    q->kinds = q->kind_count != 0 ? to->kinds : NULL;
}

static void choose_query(asking *a, asked *to)
{
    ph_query *q = &to->query;
    *q = (ph_query){.shape = (ph_query_shape)below(a, PH_QUERY_SPHERE + 1)};
    q->of = a->entities[below(a, (uint32_t)a->count)]->id;
    q->x = about(a, any_attrs(a)->x);
    q->y = about(a, any_attrs(a)->y);
    q->z = about(a, any_attrs(a)->z);
    switch (q->shape) {
    case PH_QUERY_BOX:
        q->to_x = about(a, any_attrs(a)->x);
        q->to_y = about(a, any_attrs(a)->y);
        break;
    case PH_QUERY_SECTOR:
        choose_sector(a, q);
        break;
    case PH_QUERY_QUAD:
        choose_quad(a, q);
        break;
    default:
        choose_circle(a, q);
        q->nearest = 1 + below(a, (uint32_t)a->count + 2);
        break;
    }
    choose_filters(a, to);
}

static void note_query(run *r, const ph_query *q)
{
    static const char *const names[] = {"circle", "box", "sector", "quad", "nearest", "list", "observers", "sphere"};
    run_note(r,
             "  %s at %.9g,%.9g to %.9g,%.9g radius %.9g cosine %.9g nearest %" PRIu32 " layers %" PRIu64
             " without %" PRIu64 " of %" PRIu64 " kinds %" PRIu32 " z %.9g flags %" PRIu32 " height %.9g..%.9g\n",
             names[q->shape], (double)q->x, (double)q->y, (double)q->to_x, (double)q->to_y, (double)q->radius,
             (double)q->cosine, q->nearest, q->layers, q->without, q->of, q->kind_count, (double)q->z, q->flags,
             (double)q->z_low, (double)q->z_high);
    for (int i = 0; q->shape == PH_QUERY_QUAD && i < 4; i++) {
        run_note(r, "  corner %.9g,%.9g\n", (double)q->corners[i][0], (double)q->corners[i][1]);
    }
}

static bool same_hits(const ph_hit *got, const ph_hit *expected, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool same = got[i].id == expected[i].id && got[i].user_data == expected[i].user_data &&
                    got[i].kind == expected[i].kind && !(got[i].square < expected[i].square) &&
                    !(got[i].square > expected[i].square);
        if (!same) {
            return false;
        }
    }
    return true;
}

static void note_hits(run *r, const char *what, const ph_hit *hits, uint32_t count)
{
    run_note(r, "  %s:", what);
    for (uint32_t i = 0; i < count; i++) {
        run_note(r, " %" PRIu64 " (%.9g)", hits[i].id, (double)hits[i].square);
    }
    run_note(r, "\n");
}

static int by_id(const void *a, const void *b)
{
    const ph_hit *l = a;
    const ph_hit *r = b;
    return l->id < r->id ? -1 : l->id > r->id;
}

/* Only expected hits, each once; `expected` is ordered by id. */
static bool some_of(ph_hit *got, uint32_t got_count, const ph_hit *expected, uint32_t count)
{
    if (got_count > 1) {
        qsort(got, got_count, sizeof *got, by_id);
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < got_count; i++, next++) {
        while (next < count && expected[next].id < got[i].id) {
            next++;
        }
        if (next == count || !same_hits(&got[i], &expected[next], 1)) {
            return false;
        }
    }
    return true;
}

static bool right_hits(const ph_query *q, const ph_answer *got, uint32_t written, ph_hit *expected, uint32_t count)
{
    if (!(q->flags & PH_QUERY_UNORDERED)) {
        return same_hits(got->hits, expected, written);
    }
    uint32_t from = q->shape == PH_QUERY_NEAREST ? written : count;
    if (from > 1) {
        qsort(expected, from, sizeof *expected, by_id);
    }
    return some_of(got->hits, written, expected, from);
}

static void compare_answer(run *r, const ph_query *q, const ph_answer *got, ph_hit *expected)
{
    uint32_t count = model_ask(r->m, q, expected);
    uint32_t written = count < got->capacity ? count : got->capacity;
    bool counted = got->status == PH_OK && got->count == count;
    if (r->result->failed || (counted && right_hits(q, got, written, expected, count))) {
        return;
    }
    run_fail(r, "a query of a place: %s, %" PRIu32 " found, expected %" PRIu32, ph_status_name(got->status), got->count,
             count);
    note_query(r, q);
    note_hits(r, "expected", expected, written);
    note_hits(r, "got     ", got->hits, counted ? written : 0);
}

static bool take_hit(void *user, const ph_hit *hit)
{
    ph_answer *to = user;
    REQUIRE(to->count < to->capacity);
    to->hits[to->count++] = *hit;
    return true;
}

void run_places(run *r)
{
    asking a = {.rng = phx_mix64(r->s->seed + phx_mix64(r->tick) + r->begun), .r = r};
    a.count = model_entities(r->m, &a.entities);
    if (a.count == 0 || r->type->find == NULL) {
        return;
    }
    asked many[ASKED];
    ph_query queries[ASKED];
    ph_answer answers[ASKED];
    size_t room = a.count + 1;
    ph_hit *hits = check_zalloc((ASKED + 1) * room * sizeof *hits);
    for (uint32_t i = 0; i < ASKED; i++) {
        choose_query(&a, &many[i]);
        queries[i] = many[i].query;
        answers[i] = (ph_answer){.hits = hits + i * room, .capacity = (uint32_t)room};
        if (below(&a, 4) == 0) {
            answers[i].capacity = below(&a, 4);
        }
    }
    (void)run_expect(r, "find_many", r->type->find_many(r->self, ASKED, queries, answers), PH_OK);
    for (uint32_t i = 0; i < ASKED && !r->result->failed; i++) {
        ph_answer *answer = &answers[i];
        compare_answer(r, &queries[i], answer, hits + ASKED * room);
        if (i % 4 == 0) {
            answer->status = r->type->find(r->self, &queries[i], answer->hits, answer->capacity, &answer->count);
            compare_answer(r, &queries[i], answer, hits + ASKED * room);
            *answer = (ph_answer){.hits = hits + i * room, .capacity = (uint32_t)room};
            answer->status = r->type->find_visit(r->self, &queries[i], take_hit, answer);
            compare_answer(r, &queries[i], answer, hits + ASKED * room);
        }
    }
    free(hits);
}

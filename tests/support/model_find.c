/*
 * Queries of places: every entity is tested by the rules of pharos/query.h, word for word.
 */
#include <math.h>
#include <stdlib.h>

#include "support/model_parts.h"

static float smaller(float a, float b)
{
    return a < b ? a : b;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

static bool in_box(float x, float y, float x0, float y0, float x1, float y1)
{
    bool above = MUTATE(MUTANT_FIND_BOX, smaller(x0, x1) <= x, smaller(x0, x1) < x);
    return above && x <= larger(x0, x1) && smaller(y0, y1) <= y && y <= larger(y0, y1);
}

static bool in_quad(const ph_query *q, float x, float y)
{
    float x0 = q->corners[0][0], x1 = x0, y0 = q->corners[0][1], y1 = y0;
    int left = 0;
    int right = 0;
    for (int i = 0; i < 4; i++) {
        const float *a = q->corners[i];
        const float *b = q->corners[(i + 1) % 4];
        float across = (b[0] - a[0]) * (y - a[1]);
        float along = (b[1] - a[1]) * (x - a[0]);
        float side = across - along;
        left += side >= 0;
        right += MUTATE(MUTANT_FIND_QUAD, side <= 0, side < 0);
        x0 = smaller(x0, a[0]);
        x1 = larger(x1, a[0]);
        y0 = smaller(y0, a[1]);
        y1 = larger(y1, a[1]);
    }
    bool bounded = x0 <= x && x <= x1 && y0 <= y && y <= y1;
    return bounded && (left == 4 || right == 4);
}

static bool in_sector(const ph_query *q, float dx, float dy, float d2)
{
    float forward = dx * q->to_x;
    float aside = dy * q->to_y;
    float dot = forward + aside;
    float ax2 = q->to_x * q->to_x;
    float ay2 = q->to_y * q->to_y;
    float lengths = sqrtf(d2) * sqrtf(ax2 + ay2);
    float edge = MUTATE(MUTANT_FIND_SECTOR, q->cosine, 0.0f) * lengths;
    return MUTATE(MUTANT_FIND_APEX, dot >= edge, dot > edge);
}

static bool in_place(const ph_query *q, float x, float y, float z, float *square)
{
    *square = 0;
    if (q->shape == PH_QUERY_BOX) {
        return in_box(x, y, q->x, q->y, q->to_x, q->to_y);
    }
    if (q->shape == PH_QUERY_QUAD) {
        return in_quad(q, x, y);
    }
    float dx = x - q->x;
    float dy = y - q->y;
    float dx2 = dx * dx;
    float dy2 = dy * dy;
    float d2 = dx2 + dy2;
    if (q->shape == PH_QUERY_SPHERE) {
        float dz = z - q->z;
        float dz2 = dz * dz;
        d2 = MUTATE(MUTANT_FIND_SPHERE, d2 + dz2, d2);
    }
    float rr = q->radius * q->radius;
    *square = d2;
    if (!MUTATE(MUTANT_FIND_CIRCLE, d2 <= rr, d2 < rr)) {
        return false;
    }
    return q->shape != PH_QUERY_SECTOR || in_sector(q, dx, dy, d2);
}

static bool passes(const ph_query *q, const model_entity *e)
{
    bool layer = MUTATE(MUTANT_FIND_LAYERS, (q->layers & e->now.layers) != 0, (q->layers & e->now.layers) == q->layers);
    bool elsewhere = (q->flags & PH_QUERY_IN_INSTANCE) != 0 && q->instance != e->now.instance;
    if (MUTATE(MUTANT_FIND_INSTANCE, elsewhere, false)) {
        return false;
    }
    if ((q->layers != 0 && !layer) || (e->id == q->without && MUTATE(MUTANT_FIND_WITHOUT, true, false))) {
        return false;
    }
    bool low = MUTATE(MUTANT_FIND_HEIGHT, q->z_low <= e->now.z, q->z_low < e->now.z);
    if ((q->flags & PH_QUERY_HEIGHT) && !(low && e->now.z <= q->z_high)) {
        return false;
    }
    for (uint32_t i = 0; i < q->kind_count; i++) {
        if (q->kinds[i] == e->now.kind) {
            return true;
        }
    }
    return q->kind_count == 0 || MUTATE(MUTANT_FIND_KINDS, false, true);
}

static int by_distance(const void *a, const void *b)
{
    const ph_hit *l = a;
    const ph_hit *r = b;
    if (l->square < r->square || l->square > r->square) {
        return l->square < r->square ? -1 : 1;
    }
    bool smaller_id = l->id < r->id;
    return MUTATE(MUTANT_FIND_TIE, smaller_id, !smaller_id) ? -1 : 1;
}

/* By the kind of query: it is in the entity's list, has the entity in its own, or stands in the shape. */
static bool is_wanted(const model *m, const ph_query *q, const model_entity *e, float *square)
{
    bool sees = false;
    *square = 0;
    if (q->shape == PH_QUERY_LIST) {
        return model_sees(m, q->of, e->id, &sees) == PH_OK && sees;
    }
    if (q->shape == PH_QUERY_OBSERVERS) {
        uint64_t observer = MUTATE(MUTANT_FIND_OBSERVERS, e->id, q->of);
        uint64_t target = MUTATE(MUTANT_FIND_OBSERVERS, q->of, e->id);
        return model_sees(m, observer, target, &sees) == PH_OK && sees;
    }
    return in_place(q, e->now.x, e->now.y, e->now.z, square);
}

uint32_t model_ask(const model *m, const ph_query *q, ph_hit *hits)
{
    uint32_t count = 0;
    for (size_t i = 0; i < m->entities.count; i++) { /* they stand by id */
        const model_entity *e = m->entities.items[i];
        float square = 0;
        if (passes(q, e) && is_wanted(m, q, e, &square)) {
            hits[count++] = (ph_hit){e->id, e->now.user_data, square, e->now.kind};
        }
    }
    if (q->shape != PH_QUERY_NEAREST) {
        return count;
    }
    if (count > 1) {
        qsort(hits, count, sizeof *hits, by_distance);
    }
    uint32_t most = MUTATE(MUTANT_FIND_COUNT, q->nearest, q->nearest + 1);
    return count < most ? count : most;
}

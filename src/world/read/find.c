/*
 * Queries of places and lists; see find.h. The towers of a query's box give the shards to search; each has its own
 * entities, so no entity is found twice.
 */
#include "world/read/find.h"

#include "base/lengths.h"
#include "shards/query/find.h"
#include "shards/query/shapes.h"
#include "world/read/lists_ahead.h"
#include "world/read/query.h"
#include "world/table/gate.h"

/* ---- checks of queries ---- */

static bool good_points(const float *coordinates, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!phx_is_coordinate(coordinates[i])) return false;
    return true;
}

/*
 * Do the corners turn one way only? A turn of less than a hundred thousandth of a right angle counts as none: corners
 * on one line, rounded.
 */
static bool quad_is_convex(const float (*corners)[2])
{
    bool left = false, right = false;
    for (uint32_t i = 0; i < 4; i++) {
        const float *p = corners[i], *q = corners[(i + 1) & 3], *r = corners[(i + 2) & 3];
        double ux = (double)q[0] - (double)p[0], uy = (double)q[1] - (double)p[1];
        double vx = (double)r[0] - (double)q[0], vy = (double)r[1] - (double)q[1];
        double turn = ux * vy - uy * vx;
        if (fabs(turn) <= 1e-5 * (fabs(ux) + fabs(uy)) * (fabs(vx) + fabs(vy))) continue;
        left |= turn > 0.0;
        right |= turn < 0.0;
    }
    return !(left && right);
}

static ph_status check_filters(const phx_world *world, const ph_query *query)
{
    if (query->kind_count > PH_QUERY_KINDS_MAX) return PH_BAD_VALUE;
    const uint32_t known = PH_QUERY_HEIGHT | PH_QUERY_UNORDERED | PH_QUERY_IN_INSTANCE;
    if (query->flags & ~known) return PH_BAD_VALUE;
    if (!phx_is_zero(query->reserved, sizeof query->reserved)) return PH_BAD_VALUE;
    if (query->flags & PH_QUERY_HEIGHT) {
        if (!good_points(&query->z_low, 1) || !good_points(&query->z_high, 1)) return PH_BAD_POSITION;
        if (query->z_low > query->z_high) return PH_BAD_VALUE;
    }
    if (query->kind_count > 0 && !query->kinds) return PH_BAD_ARGUMENT;
    for (uint32_t i = 0; i < query->kind_count; i++)
        if (query->kinds[i] >= world->def.class_count) return PH_BAD_KIND;
    return PH_OK;
}

/* A direction has a length from 1 / PH_LENGTH_MAX to PH_LENGTH_MAX, so its square neither vanishes nor overflows. */
static bool sector_ok(const ph_query *query)
{
    float square = query->to_x * query->to_x + query->to_y * query->to_y;
    const float shortest = 1e-18f;
    bool long_enough = square >= shortest * shortest && square <= PH_LENGTH_MAX * PH_LENGTH_MAX;
    return long_enough && query->cosine >= -1.0f && query->cosine <= 1.0f;
}

/* Does the query ask for a list, not for places? */
static bool of_lists(const ph_query *query)
{
    return query->shape == PH_QUERY_LIST || query->shape == PH_QUERY_OBSERVERS;
}

static ph_status check_query_shape(const ph_query *query)
{
    ph_query_shape shape = query->shape;
    if (shape > PH_QUERY_SPHERE) return PH_BAD_VALUE;
    if (of_lists(query)) return PH_OK;
    if (shape == PH_QUERY_QUAD) {
        if (!good_points(query->corners[0], 8)) return PH_BAD_POSITION;
        return quad_is_convex(query->corners) ? PH_OK : PH_BAD_VALUE;
    }
    if (!good_points(&query->x, 1) || !good_points(&query->y, 1)) return PH_BAD_POSITION;
    if (shape == PH_QUERY_BOX)
        return good_points(&query->to_x, 1) && good_points(&query->to_y, 1) ? PH_OK : PH_BAD_POSITION;
    if (shape == PH_QUERY_SPHERE && !good_points(&query->z, 1)) return PH_BAD_POSITION;
    bool endless = phx_float_bits(query->radius) == phx_float_bits(INFINITY);
    if (!endless && !phx_is_length(query->radius)) return PH_BAD_RADIUS;
    if (shape == PH_QUERY_SECTOR && !sector_ok(query)) return PH_BAD_VALUE;
    return shape == PH_QUERY_NEAREST && query->nearest == 0 ? PH_BAD_VALUE : PH_OK;
}

/* ---- over shards ---- */

/* Searches the shards; true: the box has all towers of the world. */
static bool find_in_shards(const phx_world *world, const ph_query *query, phx_hits *hits)
{
    const phx_partition *partition = &world->partition;
    const phx_box box = world->any_outside ? phx_box_all() : phx_query_box(query);
    const phx_rect rect = phx_box_towers(&world->rules, box);
    for (uint32_t row = partition->row_of[rect.y0]; row <= partition->row_of[rect.y1]; row++)
        for (uint32_t column = partition->column_of[rect.x0]; column <= partition->column_of[rect.x1]; column++)
            phx_find_in_shard(&world->shards[row * partition->columns + column], query, hits);
    for (uint32_t i = 0; world->begun && i < world->shard_count; i++)
        if (world->shards[i].applied.count > 0) phx_find_applied(&world->shards[i], query, hits);
    return rect.x0 == 0 && rect.y0 == 0 && rect.x1 + 1u == world->rules.towers[0] &&
           rect.y1 + 1u == world->rules.towers[1];
}

/* The radius of a circle with about so many entities, if they were spread evenly over the world. */
static float likely_radius(const phx_world *world, uint32_t wanted)
{
    static const double PI = 3.14159265358979, A_BIT_MORE = 1.25; /* too small a circle costs another search */
    double area = (double)world->def.world_size[0] * (double)world->def.world_size[1];
    double each = area / ((double)phx_directory_count(&world->directory) + 1.0);
    return (float)(sqrt((double)wanted * each / PI) * A_BIT_MORE);
}

/*
 * Searches circles, each twice as wide as the last, until one has enough hits: an entity outside is farther than all
 * hits. The work of repeated hits is little beside the last circle's.
 */
static void find_nearest(const phx_world *world, const ph_query *query, phx_hits *hits)
{
    ph_query circle = *query;
    const phx_hits empty = *hits;
    circle.radius = likely_radius(world, query->nearest);
    for (;;) {
        if (!(circle.radius < query->radius)) circle.radius = query->radius;
        *hits = empty;
        bool all = find_in_shards(world, &circle, hits);
        if (hits->count >= query->nearest || !(circle.radius < query->radius)) return;
        circle.radius = all ? query->radius : circle.radius * 2.0f;
    }
}

/* ---- lists ---- */

typedef struct related {
    const ph_query *query;
    phx_hits *hits;
} related;

static bool add_related(void *user, const phx_shard *shard, uint32_t slot)
{
    const related *at = user;
    phx_find_add(shard, at->query, slot, 0.0f, at->hits);
    return true;
}

static ph_status find_in_lists(const phx_world *world, const ph_query *query, const phx_list_ahead *ahead,
                               phx_hits *hits)
{
    related at = {query, hits};
    if (ahead && ahead->shard) {
        phx_find_add_all(ahead->shard, query, ahead->targets, ahead->count, hits);
        return PH_OK;
    }
    if (query->shape == PH_QUERY_LIST) return phx_query_each_listed(world, query->of, add_related, &at);
    return phx_query_each_observer(world, query->of, add_related, &at);
}

/* Fills hits, in order; hits->count is the number of all hits of the query. ahead: its list, or NULL. */
static ph_status find_checked(const phx_world *world, const ph_query *query, const phx_list_ahead *ahead,
                              phx_hits *hits)
{
    bool nearest = query->shape == PH_QUERY_NEAREST;
    ph_status status = check_query_shape(query);
    if (status == PH_OK) status = check_filters(world, query);
    if (status != PH_OK) return status;
    hits->by_square = nearest;
    if (nearest && hits->room > query->nearest) hits->room = query->nearest;
    if (nearest) find_nearest(world, query, hits);
    else if (of_lists(query)) status = find_in_lists(world, query, ahead, hits);
    else find_in_shards(world, query, hits);
    if (status != PH_OK) return status;
    phx_hits_sort(world->shards->kernels, hits);
    if (nearest && hits->count > query->nearest) hits->count = query->nearest;
    return PH_OK;
}

static ph_status find_answer(const phx_world *world, const ph_query *query, const phx_list_ahead *ahead,
                             ph_answer *answer)
{
    phx_hits found = {.at = answer->hits, .room = answer->capacity};
    answer->count = 0;
    if (!answer->hits && answer->capacity > 0) return PH_BAD_ARGUMENT;
    found.unordered = (query->flags & PH_QUERY_UNORDERED) && query->shape != PH_QUERY_NEAREST;
    ph_status status = find_checked(world, query, ahead, &found);
    if (status == PH_OK) answer->count = found.count;
    return status;
}

/* Up to PHX_LISTS_AHEAD queries. */
static void find_some(const phx_world *world, const ph_query *queries, ph_answer *answers, uint32_t count)
{
    phx_lists_ahead lists;
    phx_lists_look_up(&lists, world, queries, answers, count);
    for (uint32_t i = 0, end; i < count; i = end) {
        end = phx_lists_find(&lists, i);
        for (uint32_t j = i; j < end; j++)
            answers[j].status = find_answer(world, &queries[j], &lists.list[j], &answers[j]);
    }
}

ph_status phx_find(const phx_world *world, const ph_query *query, ph_hit *hits, uint32_t capacity, uint32_t *count)
{
    ph_answer answer = {.hits = hits, .capacity = capacity};
    find_some(world, query, &answer, 1);
    *count = answer.count;
    return answer.status;
}

ph_status phx_find_piece(const phx_world *world, const ph_query *query, phx_list_piece *piece)
{
    phx_hits *hits = &piece->hits;
    piece->behind = hits->kept > 0;
    ph_hit last = piece->behind ? hits->at[hits->kept - 1] : (ph_hit){0};
    *hits = (phx_hits){.at = hits->at, .room = hits->room, .behind = piece->behind, .last = last};
    ph_status status = find_checked(world, query, NULL, hits);
    if (status != PH_OK) return status;
    uint32_t left = hits->count - hits->before; /* not visited yet */
    if (hits->kept > left) hits->kept = left;   /* of `nearest`: more than were asked for */
    piece->left = left > hits->kept;
    return PH_OK;
}

/* ---- many ---- */

enum { GRAIN = PHX_LISTS_AHEAD }; /* queries of a piece: microseconds, so that taking a piece costs little */

typedef struct find_run {
    const phx_world *world;
    const ph_query *queries;
    ph_answer *answers;
    uint32_t count;
} find_run;

static void find_piece(void *context, uint32_t worker, uint32_t piece)
{
    const find_run *at = context;
    const uint32_t first = piece * GRAIN, left = at->count - first;
    (void)worker;
    find_some(at->world, at->queries + first, at->answers + first, left < GRAIN ? left : GRAIN);
}

ph_status phx_find_many(phx_world *world, uint32_t count, const ph_query *queries, ph_answer *answers)
{
    find_run at = {.world = world, .queries = queries, .answers = answers, .count = count};
    const uint32_t pieces = count > 0 ? (count - 1) / GRAIN + 1 : 0;
    if (pieces > 1 && world->crew && phx_crew_acquire(world->crew)) {
        phx_parallel_for(world->crew->workers, pieces, find_piece, &at);
        phx_crew_release(world->crew);
    } else {
        for (uint32_t piece = 0; piece < pieces; piece++) find_piece(&at, 0, piece);
    }
    for (uint32_t i = 0; i < count; i++)
        if (answers[i].status != PH_OK) return answers[i].status;
    return PH_OK;
}

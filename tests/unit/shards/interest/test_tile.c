/*
 * shards/interest/tile.c: a pair that a tile leaves out can not be an event, whatever the block, against
 * all rows one by one in float32; and a pair that it does not leave out is near a border.
 */
#include "unit/shards/shards_fixture.h"

#include "base/simd.h"
#include "shards/interest/tile_marks.h"
#include "shards/state/view_reach.h"
#include "shards/tick/reindex.h"

enum { IDS = 360, DISCONTINUOUS_ONE_IN = 300, TOWERS = 24, PAIRS_MAX = FLEET_IDS + PHX_KERNEL_PAD };

/* A random shard. */
typedef struct tile_case {
    const char *what;
    float tower, origin;
    float view, margin; /* at most */
    float box;          /* entities stand in so much of the world, around a corner of blocks */
    float step;
    uint32_t like;
} tile_case;

enum {
    WHOLE = 1,    /* whole numbers: on borders of towers, blocks, the world and views */
    DIAGONAL = 2, /* steps are as long as they may be, along both axes */
    ALIKE = 4,    /* all observe, with the same view */
    OUTSIDE = 8,  /* some stand outside of the world */
    LEAVING = 16, /* all begin inside, and some step out */
    AWAY = 32,    /* many stand many views outside of the world */
    MIXED = 64    /* three views, mixed, and no margin */
};

static const tile_case cases[] = {{"thin", 10, 0, 20, 0, 240, 2.5f, 0},
                                  {"thin, alike", 10, 0, 12, 0, 240, 2.5f, ALIKE},
                                  {"margins", 10, 0, 20, 9, 240, 2.5f, 0},
                                  {"whole", 10, 0, 20, 5, 240, 2, WHOLE},
                                  {"whole, crowded", 10, 0, 14, 0, 60, 2, WHOLE | ALIKE},
                                  {"crowd, short steps", 10, 0, 24, 0, 60, 0.02f, ALIKE},
                                  {"crowd, shorter steps", 10, 0, 40, 0, 90, 0.004f, ALIKE},
                                  {"crowd, diagonal", 10, 0, 8, 0, 36, 2.5f, DIAGONAL | ALIKE},
                                  {"crowd, diagonal, wider", 10, 0, 17, 0, 50, 2.5f, DIAGONAL | ALIKE},
                                  {"crowd, diagonal, views longer than steps", 10, 0, 14, 0, 44, 1, DIAGONAL | ALIKE},
                                  {"crowd, cells that just touch the ring", 10, 0, 10, 0, 19, 0.424f, DIAGONAL | ALIKE},
                                  {"all sorts of views", 10, 0, 30, 10, 50, 1, 0},
                                  {"wide views", 10, 0, 74, 0, 240, 1.5f, 0},
                                  {"wide views, alike", 10, 0, 72.9f, 0, 200, 2.5f, ALIKE | DIAGONAL},
                                  {"too wide", 10, 0, 74, 8, 240, 2.5f, ALIKE},
                                  {"tiny views", 10, 0, 1, 0.5f, 60, 0.5f, 0},
                                  {"tiny views, alike", 10, 0, 0.9f, 0, 16, 0.3f, ALIKE},
                                  {"outside", 10, 0, 20, 0, 256, 2.5f, OUTSIDE},
                                  {"far outside", 10, 0, 20, 4, 256, 2.5f, OUTSIDE | AWAY},
                                  {"far outside, alike", 10, 0, 30, 0, 256, 2.5f, OUTSIDE | AWAY | ALIKE | DIAGONAL},
                                  {"far outside, whole", 10, 0, 20, 0, 256, 2, OUTSIDE | AWAY | WHOLE},
                                  {"too far apart", 10, 0, 3, 0, 60, 0.5f, OUTSIDE | AWAY | ALIKE},
                                  {"very far off, and outside", 64, -3e7f, 100, 20, 256, 16, OUTSIDE | AWAY},
                                  {"stepping out", 10, 0, 20, 0, 240, 2.4f, LEAVING | DIAGONAL},
                                  {"stepping out, alike", 10, 0, 12, 0, 240, 2.4f, LEAVING | DIAGONAL | ALIKE},
                                  {"far off", 10, 1e6f, 20, 5, 100, 1, 0},
                                  {"far off, crowd", 10, 1e6f, 20, 0, 50, 0.5f, ALIKE},
                                  {"very far off", 64, -3e7f, 100, 20, 700, 16, DIAGONAL},
                                  {"very far off, crowd", 64, -3e7f, 90, 0, 300, 8, ALIKE}};

static fleet *f;
static uint64_t rng;
static const tile_case *c;

static float whole_or_not(float v)
{
    return c->like & WHOLE ? roundf(v) : v;
}

static float world_end(void)
{
    return c->origin + c->tower * TOWERS;
}

/* Around the corner of the first four blocks, as far as the world goes. */
static float anywhere(void)
{
    float corner = c->origin + c->tower * PHX_BLOCK_SIDE, out = c->like & OUTSIDE ? c->box : 0;
    float p = whole_or_not(corner + c->box * float_between(&rng, -0.5f, 0.5f));
    if (c->box >= c->tower * TOWERS / 2)
        p = whole_or_not(float_between(&rng, c->origin - out / 20, world_end() + out / 20));
    if (c->like & AWAY) p += (float)((int32_t)phx_rng_below(&rng, 3) - 1) * 2 * c->tower * TOWERS;
    if (c->like & OUTSIDE) return p;
    return fminf(fmaxf(p, c->origin), world_end());
}

static float step_from(float p)
{
    float step = c->like & DIAGONAL ? (phx_rng_below(&rng, 2) ? c->step : -c->step)
                                    : whole_or_not(c->step * float_between(&rng, -1, 1));
    if (c->like & (OUTSIDE | LEAVING)) return p + step;
    return fminf(fmaxf(p + step, c->origin), world_end());
}

static phx_attr some_attr(void)
{
    if (c->like & ALIKE) return plain_attr(c->view, 0);
    if (phx_rng_below(&rng, 4) == 0) return plain_attr(0, 0);
    if (c->like & MIXED) return plain_attr(c->view * (float)(1 + phx_rng_below(&rng, 3)) / 3, 0);
    float view = whole_or_not(c->view * float_between(&rng, 0.1f, 1)) + (c->like & WHOLE ? 1 : 0);
    return plain_attr(view, phx_rng_below(&rng, 2) ? whole_or_not(c->margin * phx_rng_unit(&rng)) : 0);
}

static void all_step(void)
{
    for (uint64_t id = 1; id <= IDS; id++) fleet_move(f, id, step_from(f->entity[id].x), step_from(f->entity[id].y));
}

/* A shard with all entities in it, some steps after rows were sorted. */
static void open_world(const tile_case *like, uint64_t seed, uint32_t steps)
{
    static const ph_simd simds[] = {PH_SIMD_PORTABLE, PH_SIMD_AVX2, PH_SIMD_AVX512};
    c = like;
    rng = seed;
    phx_rules rules = plain_rules(c->tower, TOWERS);
    rules.origin[0] = rules.origin[1] = c->origin;
    rules.shape = seed % 2 ? PH_SHAPE_CIRCLE : PH_SHAPE_SQUARE;
    rules.simd = phx_simd_supported(simds[seed / 2 % 3]) ? simds[seed / 2 % 3] : PH_SIMD_PORTABLE;
    f = fleet_open(rules, 1, 1, 64);
    fleet_begin(f);
    for (uint64_t id = 1; id <= IDS; id++) fleet_enter(f, id, some_attr(), anywhere(), anywhere());
    fleet_end(f);
    for (uint32_t t = 0; t < steps; t++) {
        fleet_begin(f);
        all_step();
        fleet_end(f);
    }
}

/* Ready for the interest phase. */
static const phx_shard *indexed(void)
{
    cr_assert(phx_shard_index(&f->shard[0], &f->directory, &f->renames));
    return &f->shard[0];
}

static const phx_shard *open_case(const tile_case *like, uint64_t seed)
{
    open_world(like, seed, (uint32_t)(seed % 3));
    fleet_begin(f);
    all_step();
    return indexed();
}

/* ---- one observer ---- */

static float apart(const phx_rules *rules, float dx, float dy)
{
    if (rules->shape != PH_SHAPE_SQUARE) return dx * dx + dy * dy;
    return fmaxf(fabsf(dx), fabsf(dy));
}

typedef struct seen {
    float now, old;
} seen;

/* t: a row, or the previous row of a discontinuous entity, at its old place. */
static seen distances(const phx_shard *shard, uint32_t o, uint32_t t)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    const phx_tile_row_word word = {t};
    if (phx_tile_row_word_is_previous(word)) {
        const phx_prev_rows_row *previous = &shard->previous.rows[phx_tile_row_word_number(word)];
        return (seen){INFINITY, apart(shard->rules, previous->x - rows->ox[o], previous->y - rows->oy[o])};
    }
    return (seen){apart(shard->rules, rows->x[t] - rows->x[o], rows->y[t] - rows->y[o]),
                  apart(shard->rules, rows->ox[t] - rows->ox[o], rows->oy[t] - rows->oy[o])};
}

static float comparable(const phx_shard *shard, float r)
{
    if (r < 0) return -1;
    return shard->rules->shape == PH_SHAPE_SQUARE ? r : r * r;
}

static bool is_leave(const phx_shard *shard, seen d, float far, float slack)
{
    return d.old <= comparable(shard, far + slack) && !(d.now <= comparable(shard, far - slack));
}

static bool is_event(const phx_shard *shard, seen d, float r, float far, float slack)
{
    bool enter = d.now <= comparable(shard, r + slack) && !(d.old <= comparable(shard, r - slack));
    return enter || is_leave(shard, d, far, slack);
}

static uint32_t observer_words[PAIRS_MAX], target_words[PAIRS_MAX];

/* The target of a pair, as a row or a previous one. */
static uint32_t row_of(const phx_tile *tile, uint32_t target)
{
    if (!tile->named) return tile->row[target];
    for (uint32_t i = 0; i < tile->count; i++)
        if (phx_tile_word(tile, i).bits == target) return tile->row[i];
    cr_assert_fail("%s: a target that is in no place", c->what);
    return UINT32_MAX;
}

typedef struct paired {
    bool row[FLEET_IDS], previous[FLEET_IDS];
} paired;

static bool *of_row(paired *in, uint32_t row)
{
    const phx_tile_row_word word = {row};
    return &(phx_tile_row_word_is_previous(word) ? in->previous : in->row)[phx_tile_row_word_number(word)];
}

/* All rows against the pairs of one observer. Returns the events. */
static uint32_t check_pairs(const phx_tile *tile, uint32_t place, float r, float far, const phx_pairs *pairs)
{
    static paired in;
    const phx_shard *shard = tile->shard;
    const uint32_t rows = shard->grid.row_end;
    uint32_t o = tile->row[place], events = 0;
    in = (paired){0};
    for (uint32_t i = 0; i < pairs->count; i++) {
        uint32_t row = row_of(tile, pairs->target[i]), flags = pairs->observer[i] & ~PHX_PAIR_PLACE;
        cr_assert_eq(pairs->observer[i] & PHX_PAIR_PLACE, place);
        cr_assert_not(*of_row(&in, row), "%s: a pair twice", c->what);
        *of_row(&in, row) = true;
        if (flags & PHX_PAIR_UNSURE) continue;
        seen d = distances(shard, o, row);
        cr_assert(is_event(shard, d, r, far, 0), "%s: %a, %a is surely none", c->what, (double)d.now, (double)d.old);
        cr_assert_eq(is_leave(shard, d, far, 0), flags == PHX_PAIR_LEAVE, "%s: the other way round", c->what);
    }
    float unit = 1 / tile->frame.scale, rounding = (fabsf(c->origin) + c->tower * TOWERS) * 1e-6f;
    for (uint32_t i = 0; i < rows + shard->previous.row_count; i++) {
        const uint32_t t = i < rows ? i : phx_tile_row_word_of_previous(i - rows).bits;
        if (i < rows && phx_row_word_is_gap(phx_row_word_at(shard->grid.rows.slot, i))) continue;
        const bool pair = *of_row(&in, t);
        seen d = distances(shard, o, t);
        bool event = is_event(shard, d, r, far, 0);
        events += event;
        cr_assert(!event || pair, "%s: %a, %a left out at %a, %a", c->what, (double)d.now, (double)d.old, (double)r,
                  (double)far);
        cr_assert(!pair || is_event(shard, d, r, far, (2 * PHX_TILE_SLACK + 1) * unit + rounding),
                  "%s: %a, %a not left out at %a, %a", c->what, (double)d.now, (double)d.old, (double)r, (double)far);
    }
    return events;
}

/* The candidates around its cell, or, in a sparse tile, the ones of the nine cells. */
static uint32_t check_observer(phx_tile *tile, uint32_t place)
{
    const phx_shard *shard = tile->shard;
    const phx_attr *attr = phx_store_attr(&shard->store, shard->grid.rows.slot[tile->row[place]] & PHX_ROW_SLOT);
    phx_pairs pairs = {.observer = observer_words, .target = target_words, .capacity = FLEET_IDS};
    phx_tile_observers tile_observer = {&place, 1, tile->now, tile->old};
    float r = attr->view, far = attr->view + attr->margin;
    uint32_t spans;
    phx_tile_limit(tile, r, far);
    if (tile->sparse) {
        phx_tile_cells of = {tile->now, tile->old, tile->cell, NULL, tile->start, tile->stencil, tile->frame.columns};
        cr_assert_eq(shard->kernels->match_stencil(&of, &tile_observer, &tile->limits, &pairs), 1);
    } else {
        uint32_t count = phx_tile_pick(tile, tile->cell[place], false, &spans);
        cr_assert_leq(spans, PHX_TILE_SPANS_MAX);
        cr_assert_eq(shard->kernels->match(&tile->candidates, count, &tile_observer, &tile->limits, &pairs), 1);
    }
    return check_pairs(tile, place, r, far, &pairs);
}

/* ---- one block ---- */

/* Rows are sorted by cell and each is there once, the block's own are all there. */
static void check_places(const phx_tile *tile)
{
    static paired in;
    const phx_block *block = &tile->shard->grid.blocks[tile->block];
    const bool mixed = block->reach > block->reach_min;
    bool owned[PAIRS_MAX] = {0};
    uint32_t own = 0, previous = 0;
    in = (paired){0};
    cr_assert_leq(tile->count, tile->shard->grid.row_count + tile->shard->previous.row_count);
    for (uint32_t i = 0; i < tile->count; i++) {
        uint32_t row = tile->row[i], cell = tile->cell[i];
        cr_assert_not(*of_row(&in, row), "%s: a row twice", c->what);
        *of_row(&in, row) = true;
        previous += phx_tile_row_word_is_previous((phx_tile_row_word){row});
        cr_assert(i == 0 || tile->cell[i - 1] <= cell);
        cr_assert(tile->start[cell] <= i && i < tile->start[cell + 1]);
        if (row < tile->rows.first || row >= tile->rows.end) continue;
        cr_assert(mixed || tile->own[own] == i, "%s: own rows in the order of places", c->what);
        own++;
    }
    for (uint32_t i = 0; i < own; i++) {
        cr_assert_not(owned[tile->own[i]], "%s: an own place twice", c->what);
        cr_assert(phx_tile_own(tile, tile->row[tile->own[i]]), "%s: a place of another block", c->what);
        owned[tile->own[i]] = true;
    }
    cr_assert_eq(own, tile->rows.end - tile->rows.first, "%s: an own row is not in its tile", c->what);
    cr_assert_eq(previous, tile->previous_count);
}

/* Where the rows of a block are, and were half way. */
static phx_box place_of_rows(const phx_shard *shard, const phx_block *block)
{
    const phx_grid_rows *rows = &shard->grid.rows; /* NaN: it was nowhere */
    phx_box box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = block->start[0]; i < block->start[PHX_BLOCK_TOWERS]; i++) {
        const float px = isnan(rows->ox[i]) ? rows->x[i] : (rows->x[i] + rows->ox[i]) / 2;
        const float py = isnan(rows->oy[i]) ? rows->y[i] : (rows->y[i] + rows->oy[i]) / 2;
        box.x0 = fminf(box.x0, fminf(px, rows->x[i]));
        box.x1 = fmaxf(box.x1, fmaxf(px, rows->x[i]));
        box.y0 = fminf(box.y0, fminf(py, rows->y[i]));
        box.y1 = fmaxf(box.y1, fmaxf(py, rows->y[i]));
    }
    return box;
}

/* A block with rows far outside of the world has a tile too, up to 100 reaches from row to row. */
static void check_usable(const phx_tile *tile, const phx_block *block)
{
    const phx_shard *shard = tile->shard;
    const float side = c->tower * PHX_BLOCK_SIDE, reach = block->reach + sqrtf(shard->step2_max);
    const phx_box box = place_of_rows(shard, block);
    const float apart_most = fmaxf(box.x1 - box.x0, box.y1 - box.y0), most = fmaxf(side * 1.1f, reach * 100);
    if (reach > side * 1.001f || reach < side * 0.00999f || apart_most > most * 1.001f)
        cr_assert_not(tile->usable, "%s: reach %g, %g apart", c->what, (double)reach, (double)apart_most);
    if (reach < side * 0.999f && reach > side * 0.01001f && apart_most < most * (side / reach > 90 ? 0.9f : 0.999f))
        cr_assert(tile->usable, "%s: reach %g, %g apart", c->what, (double)reach, (double)apart_most);
}

typedef struct found {
    uint32_t usable, unusable, sparse, fine[PHX_TILE_FINE_MAX + 1], events;
    uint32_t stepped_out; /* since rows were sorted, when no entity was outside of the world */
} found;

static uint32_t count_stepped_out(const phx_shard *shard)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    uint32_t count = 0;
    for (uint32_t row = 0; !shard->grid.outside && row < shard->grid.row_end; row++) {
        if (phx_row_word_is_gap(phx_row_word_at(rows->slot, row))) continue;
        count += fminf(rows->x[row], rows->y[row]) < c->origin || fmaxf(rows->x[row], rows->y[row]) >= world_end();
    }
    return count;
}

static void check_block(const phx_shard *shard, uint32_t number, phx_tile *tile, found *sum)
{
    const phx_block *block = &shard->grid.blocks[number];
    if (block->reach == 0) return;
    cr_assert(phx_tile_open(tile, shard->mem, shard, number));
    check_usable(tile, block);
    sum->usable += tile->usable;
    sum->unusable += !tile->usable;
    if (!tile->usable) return;
    cr_assert_not(tile->quiet);
    check_places(tile);
    sum->sparse += tile->sparse;
    sum->fine[tile->fine]++;
    for (uint32_t i = tile->rows.first; i < tile->rows.end; i++) {
        uint32_t place = tile->own[i - tile->rows.first];
        uint32_t row = tile->row[place];
        if (isnan(shard->grid.rows.ox[row])) continue; /* it jumped, and is evaluated */
        if (shard->grid.rows.view[row] != 0) sum->events += check_observer(tile, place);
    }
}

Test(tiles, nothing_left_out_is_an_event)
{
    enum { SEEDS = 12 };
    found all = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        found sum = {0};
        for (uint64_t seed = 700; seed < 700 + SEEDS; seed++) {
            const phx_shard *shard = open_case(&cases[i], seed);
            phx_tile tile = {0};
            sum.stepped_out += count_stepped_out(shard);
            for (uint32_t b = 0; b < shard->grid.block_count; b++) check_block(shard, b, &tile, &sum);
            phx_tile_free(&tile, shard->mem);
            fleet_close(f);
        }
        all.usable += sum.usable;
        all.unusable += sum.unusable;
        all.sparse += sum.sparse;
        for (int n = 1; n <= PHX_TILE_FINE_MAX; n++) all.fine[n] += sum.fine[n];
        if (c->like & LEAVING) cr_assert_gt(sum.stepped_out, 20, "%s: %u", c->what, sum.stepped_out);
        if (sum.usable > 0) cr_assert_gt(sum.events, 50, "%s: %u events", c->what, sum.events);
    }
    cr_assert(all.unusable > 20 && all.sparse > 20 && all.fine[1] > 20 && all.fine[2] > 20 && all.fine[4] > 20);
}

/* ---- the surroundings of cells ---- */

/* The changes of a tick, except steps. */
static void odd_command(uint64_t id)
{
    switch (phx_rng_below(&rng, 3)) {
    case 0:
        fleet_move(f, id, anywhere(), anywhere());
        break;
    case 1:
        fleet_leave(f, id);
        break;
    default:
        fleet_set(f, id, some_attr(), id);
        break;
    }
}

/* As open_case(), with some discontinuities; few: hardly any other entity moves. */
static const phx_shard *open_discontinuous(const tile_case *like, uint64_t seed, bool few)
{
    open_world(like, seed, 1);
    if (few) fleet_tick(f); /* none did */
    fleet_begin(f);
    if (!few) all_step();
    for (uint64_t id = 1; id <= IDS; id++)
        if (phx_rng_below(&rng, DISCONTINUOUS_ONE_IN) == 0) odd_command(id);
    cr_assert_eq(f->shard[0].dense_tick, !few);
    return indexed();
}

typedef struct marked {
    uint32_t discontinuous, even; /* cells of observers, discontinuous and not, in tiles with a discontinuity */
    uint32_t not_discontinuous;   /* tiles that are not, after all */
} marked;

static bool keep(float x, float y, float px, float py, float reach)
{
    return fabsf(px - x) <= reach && fabsf(py - y) <= reach;
}

/* Is a discontinuous entity within reach of a row, or was one within reach of its old place? */
static bool discontinuous_in_view(const phx_shard *shard, uint32_t at, float reach)
{
    const phx_grid_rows *rows = &shard->grid.rows;
    bool some = false;
    for (uint32_t row = 0; row < shard->grid.row_end; row++)
        some |= !phx_row_word_is_gap(phx_row_word_at(rows->slot, row)) && isnan(rows->ox[row]) &&
                keep(rows->x[at], rows->y[at], rows->x[row], rows->y[row], reach);
    for (uint32_t i = 0; i < shard->previous.row_count; i++)
        some |= keep(rows->ox[at], rows->oy[at], shard->previous.rows[i].x, shard->previous.rows[i].y, reach);
    return some;
}

/* Did anything change in the towers within reach of a place? */
static bool changed_near(const phx_shard *shard, float x, float y, float reach)
{
    return !isnan(x) &&
           phx_grid_marks(&shard->grid, 0, phx_interest_rect(shard->rules, x, y, reach), shard->tick).dirty;
}

static void check_marks(const phx_shard *shard, uint32_t number, phx_tile *tile, marked *sum)
{
    cr_assert(phx_tile_open(tile, shard->mem, shard, number));
    if (!tile->usable || tile->quiet) return;
    const bool discontinuous = tile->discontinuous;
    bool in_sight = false;
    phx_tile_mark(tile);
    for (uint32_t i = 0; i < tile->rows.end - tile->rows.first; i++) {
        uint32_t row = tile->row[tile->own[i]];
        uint8_t marks = tile->marks[tile->cell[tile->own[i]]];
        const phx_grid_rows *rows = &shard->grid.rows;
        float x = rows->x[row], y = rows->y[row], reach = shard->grid.blocks[number].reach;
        bool is_kept = discontinuous_in_view(shard, row, reach);
        bool changed = changed_near(shard, x, y, reach) || changed_near(shard, rows->ox[row], rows->oy[row], reach);
        in_sight |= is_kept;
        cr_assert(!is_kept || (marks & PHX_TILE_DISCONTINUOUS), "%s: something odd is in sight of %g, %g", c->what,
                  (double)x, (double)y);
        cr_assert(!changed || (marks & PHX_TILE_DIRTY), "%s: something changed around %g, %g", c->what, (double)x,
                  (double)y);
        if (!discontinuous) continue;
        sum->discontinuous += (marks & PHX_TILE_DISCONTINUOUS) != 0;
        sum->even += !(marks & PHX_TILE_DISCONTINUOUS);
    }
    cr_assert(!in_sight || tile->discontinuous, "%s", c->what);
    sum->not_discontinuous += discontinuous && !tile->discontinuous;
}

Test(tiles, a_discontinuity_marks_the_cells_around_it)
{
    enum { SEEDS = 8 };
    marked sum = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (uint64_t seed = 900; seed < 900 + SEEDS; seed++) {
            const phx_shard *shard = open_discontinuous(&cases[i], seed, seed % 4 == 3);
            phx_tile tile = {0};
            for (uint32_t b = 0; b < shard->grid.block_count; b++)
                if (shard->grid.blocks[b].reach > 0) check_marks(shard, b, &tile, &sum);
            phx_tile_free(&tile, shard->mem);
            fleet_close(f);
        }
    }
    cr_assert(sum.discontinuous > 1000 && sum.even > 1000 && sum.not_discontinuous > 20,
              "%u odd, %u even, %u tiles not odd", sum.discontinuous, sum.even, sum.not_discontinuous);
}

/* How many runs of alike observers there are, in the order in which a block runs them. */
static uint32_t count_companies(const phx_tile *tile)
{
    const float *view = tile->shard->grid.rows.view;
    float last = 0;
    uint32_t companies = 0, observers = 0, before = 0;
    for (uint32_t i = 0; i < tile->rows.end - tile->rows.first; i++) {
        const uint32_t place = tile->own[i];
        const float own = view[tile->row[place]];
        if (own <= 0) continue;
        companies += observers == 0 || own < last || own > last;
        cr_assert(observers == 0 || own < last || own > last || place > before, "alike ones in the order of places");
        observers++;
        last = own, before = place;
    }
    return observers > 0 ? companies : 0;
}

Test(tiles, observers_with_equal_views_are_side_by_side)
{
    enum { SEEDS = 8, VIEWS = 3 };
    static const tile_case mixed = {"three views, mixed", 10, 0, 24, 0, 60, 0.5f, MIXED};
    uint32_t most = 0;
    for (uint64_t seed = 40; seed < 40 + SEEDS; seed++) {
        const phx_shard *shard = open_case(&mixed, seed);
        phx_tile tile = {0};
        for (uint32_t b = 0; b < shard->grid.block_count; b++) {
            if (!(shard->grid.blocks[b].reach > 0)) continue;
            cr_assert(phx_tile_open(&tile, shard->mem, shard, b));
            if (!tile.usable || tile.quiet) continue;
            const uint32_t companies = count_companies(&tile);
            cr_assert_leq(companies, VIEWS, "%u companies of three views", companies);
            if (companies > most) most = companies;
        }
        phx_tile_free(&tile, shard->mem);
        fleet_close(f);
    }
    cr_assert_eq(most, VIEWS);
}

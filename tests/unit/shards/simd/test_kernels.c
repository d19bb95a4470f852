/*
 * shards/kernels*.c: every instruction set that this machine has, against one pair at a time; and no store beyond the
 * promised range. Kernels that read rows are in test_tile_cull.c, kernels
 * of caps and orders in test_order_kernels.c.
 */
#include "support/check.h"
#include "unit/shards/simd/kernels_case.h"

enum { MANY = 9000 /* more than a kernel takes at once */ };

static uint32_t now[MANY + 2 * PHX_KERNEL_PAD], old[MANY + 2 * PHX_KERNEL_PAD], row[MANY + 2 * PHX_KERNEL_PAD],
    cell[ROWS + 2 * PHX_KERNEL_PAD];
static uint32_t slots[ROWS + PHX_KERNEL_PAD];

/* ---- matching ---- */

/* As limits compare distances in units: squares, or the longer of two axes. */
static int64_t units_apart(uint32_t a, uint32_t b, bool square)
{
    int64_t dx = (int16_t)(uint16_t)(a - b), dy = (int16_t)(uint16_t)((a >> 16) - (b >> 16));
    if (!square) return dx * dx + dy * dy;
    dx = dx < 0 ? -dx : dx, dy = dy < 0 ? -dy : dy;
    return dx > dy ? dx : dy;
}

static float bound[MANY + 2 * PHX_KERNEL_PAD];

/* With bounds: limits around the lesser one of r and the candidate's bound, and around it and the margin. */
static phx_tile_limits own_limits(uint32_t i, const phx_tile_limits *limits)
{
    const float r = fminf(limits->r, bound[i]), far = r + limits->margin;
    const float in = truncf(limits->square ? r : r * r), keep = truncf(limits->square ? far : far * far);
    phx_tile_limits own = *limits;
    if (limits->unsure == 0) return own;
    own.in_low = (int32_t)in - limits->unsure - 1, own.in_high = (int32_t)in + limits->unsure;
    own.keep_low = (int32_t)keep - limits->unsure - 1, own.keep_high = (int32_t)keep + limits->unsure;
    return own;
}

static uint32_t height[MANY + 2 * PHX_KERNEL_PAD]; /* now, and before in the upper half */

/* A distance now or before, as heights count. */
static int64_t apart(uint32_t i, uint32_t at, const phx_tile_limits *limits, bool before)
{
    const uint32_t *place = before ? old : now, shift = before ? 16 : 0;
    const phx_tile_levels *levels = limits->levels;
    const int64_t flat = units_apart(place[i], place[at], limits->square);
    const int64_t dz = (int64_t)(height[i] >> shift & 0xffff) - (int64_t)(height[at] >> shift & 0xffff);
    if (!levels) return flat;
    if (levels->sphere) return flat + dz * dz;
    const int64_t middle = limits->in_high - (limits->in_high - limits->in_low) / 2;
    const int64_t level = middle + levels->steep * (dz < 0 ? -dz : dz) + levels->level;
    return flat > level ? flat : level;
}

static bool may_cross(uint32_t i, uint32_t at, const phx_tile_limits *limits)
{
    int64_t d = apart(i, at, limits, false), e = apart(i, at, limits, true);
    return (d <= limits->in_high && e > limits->in_low) || (d > limits->keep_low && e <= limits->keep_high);
}

static bool must_cross(uint32_t i, uint32_t at, const phx_tile_limits *limits, bool *leaves)
{
    int64_t d = apart(i, at, limits, false), e = apart(i, at, limits, true);
    *leaves = e <= limits->keep_low && d > limits->keep_high;
    return *leaves || (d <= limits->in_low && e > limits->in_high);
}

/* So coarse that distances often equal limits. */
static phx_tile_limits coarse(uint64_t *rng, uint32_t count)
{
    phx_tile_limits limits = {.square = phx_rng_below(rng, 2)};
    int32_t low = (int32_t)phx_rng_below(rng, 8) - 1, more = (int32_t)phx_rng_below(rng, 3);
    for (uint32_t i = 0; i < count; i++) {
        now[i] = phx_rng_below(rng, 9) | phx_rng_below(rng, 9) << 16;
        old[i] = phx_rng_below(rng, 9) | (65532 + phx_rng_below(rng, 9)) << 16; /* wrapped */
        row[i] = 1000 + i;
    }
    limits.in_low = limits.square || low < 0 ? low : low * low;
    limits.in_high = limits.in_low + 1 + 2 * (int32_t)phx_rng_below(rng, limits.square ? 2 : 8);
    limits.keep_low = limits.in_low + more;
    limits.keep_high = limits.in_high + more + 2 * (int32_t)phx_rng_below(rng, 2);
    return limits;
}

/* So coarse, too, and with bounds: unsure is not 0. */
static phx_tile_limits coarse_bounds(uint64_t *rng, uint32_t count)
{
    phx_tile_limits limits = coarse(rng, count);
    for (uint32_t i = 0; i < count; i++)
        bound[i] = phx_rng_below(rng, 4) ? 0.5f * (float)phx_rng_below(rng, 20) : INFINITY;
    limits.r = 0.5f * (float)phx_rng_below(rng, 20);
    limits.margin = phx_rng_below(rng, 2) ? 0 : 0.5f * (float)phx_rng_below(rng, 5);
    limits.unsure = 1 + (int32_t)phx_rng_below(rng, limits.square ? 2 : 8);
    return limits;
}

enum { PAIRS = 700 };
static uint32_t observers[PAIRS + 2 * PHX_KERNEL_PAD], targets[PAIRS + 2 * PHX_KERNEL_PAD];

static phx_pairs no_pairs(uint32_t capacity)
{
    guard(observers, PAIRS + 2 * PHX_KERNEL_PAD), guard(targets, PAIRS + 2 * PHX_KERNEL_PAD);
    return (phx_pairs){.observer = observers, .target = targets, .capacity = capacity};
}

/* A pair to be compared, by its target, of which each is different. */
static uint64_t whole_pair(uint32_t target, uint32_t observer)
{
    return (uint64_t)target << 32 | observer;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The pairs of one watcher among candidates first .. end, from the n-th on, in any order. Returns where they end. */
static uint32_t check_matches(uint32_t at, phx_span span, const uint32_t *places, const phx_tile_limits *limits,
                              const phx_pairs *pairs, uint32_t n, const char *name)
{
    static uint64_t expected[MANY], found[MANY];
    uint32_t count = 0;
    for (uint32_t i = span.first; i < span.end; i++) {
        const phx_tile_limits own = own_limits(i, limits);
        if (!may_cross(i, at, &own)) continue;
        bool leaves, sure = must_cross(i, at, &own, &leaves);
        uint32_t observer = at | (leaves ? PHX_PAIR_LEAVE : 0) | (sure ? 0 : PHX_PAIR_UNSURE);
        expected[count++] = whole_pair(places ? places[i] : i, observer);
    }
    cr_assert_leq(n + count, pairs->count, "%s: %u of %u", name, count, span.end - span.first);
    for (uint32_t i = 0; i < count; i++) found[i] = whole_pair(pairs->target[n + i], pairs->observer[n + i]);
    qsort(expected, count, sizeof *expected, by_value);
    qsort(found, count, sizeof *found, by_value);
    for (uint32_t i = 0; i < count; i++) cr_assert_eq(found[i], expected[i], "%s: %u of %u", name, i, count);
    return n + count;
}

static void match_some(const phx_kernels *kernels, const char *name)
{
    uint64_t rng = 33;
    for (uint32_t round = 0; round < 3000; round++) {
        uint32_t count = round % (ROWS + 1), place[5], capacity = count + phx_rng_below(&rng, PAIRS - ROWS + 1), n = 0;
        const bool bounds = round / (ROWS + 1) % 2;
        phx_tile_limits limits =
            bounds ? coarse_bounds(&rng, ROWS) : coarse(&rng, ROWS); /* pairs behind the end match too */
        for (uint32_t i = 0; i < 5; i++) place[i] = phx_rng_below(&rng, ROWS);
        phx_pairs pairs = no_pairs(capacity);
        uint32_t done = kernels->match(&(phx_tile_candidates){now, old, row, bounds ? bound : NULL, NULL}, count,
                                       &(phx_tile_observers){place, 5, now, old}, &limits, &pairs);
        cr_assert_geq(done, 1, "%s: there was room for all of one", name);
        for (uint32_t w = 0; w < done; w++)
            n = check_matches(place[w], (phx_span){0, count}, row, &limits, &pairs, n, name);
        cr_assert_eq(n, pairs.count, "%s: more than there are", name);
        cr_assert(done == 5 || capacity - n < count, "%s: stopped with room for one more", name);
        check_guard(observers, capacity, PAIRS + 2 * PHX_KERNEL_PAD, name);
        check_guard(targets, capacity, PAIRS + 2 * PHX_KERNEL_PAD, name);
    }
}

Test(kernels, matching_candidates_of_any_number)
{
    with_each(match_some);
}

/* A position in units about so far from the middle. */
static uint32_t some_way_off(uint64_t *rng, double r)
{
    double angle = phx_rng_below(rng, 1000) * 0.00628;
    double far = phx_rng_below(rng, 3) ? r + phx_rng_below(rng, 9) - 4 : phx_rng_below(rng, 2 * PHX_TILE_REACH);
    uint32_t x = (uint32_t)(int32_t)(cos(angle) * far), y = (uint32_t)(int32_t)(sin(angle) * far);
    return (x & 0xffff) | y << 16;
}

/* Matches three observers, of which two have room for their pairs at least, with all candidates. Returns the pairs. */
static uint32_t match_three(const phx_kernels *kernels, const uint32_t place[3], uint32_t count, float *bounds,
                            const phx_tile_limits *limits, const char *name)
{
    enum { CAPACITY = 2 * MANY };
    static uint32_t found[2][CAPACITY + PHX_KERNEL_PAD];
    uint32_t n = 0;
    for (uint32_t w = 0; w < 3; w++) now[place[w]] = old[place[w]] = w;
    phx_pairs pairs = {.observer = found[0], .target = found[1], .capacity = CAPACITY};
    const phx_tile_candidates candidates = {now, old, row, bounds, limits->levels ? height : NULL};
    const uint32_t done = kernels->match(&candidates, count, &(phx_tile_observers){place, 3, now, old}, limits, &pairs);
    cr_assert_geq(done, 2, "%s: there was room for two", name);
    for (uint32_t w = 0; w < done; w++) n = check_matches(place[w], (phx_span){0, count}, row, limits, &pairs, n, name);
    cr_assert_eq(n, pairs.count, "%s: more than there are", name);
    return n;
}

/* Limits as tiles have them, distances that do not fit 16 bits, and up to more candidates than are taken at once. */
static void match_many(const phx_kernels *kernels, const char *name)
{
    uint64_t rng = 39;
    for (uint32_t round = 0; round < 100; round++) {
        const uint32_t count = round % 4 ? 1 + phx_rng_below(&rng, MANY) : MANY, place[3] = {0, count / 2, count - 1};
        const int32_t stencil = PHX_TILE_REACH - (int32_t)phx_rng_below(&rng, 2000),
                      r = round % 3 ? stencil : stencil * 3 / 4;
        const bool square = round % 2;
        const int32_t slack = square ? 2 : INT16_MAX - 1 - (int32_t)phx_rng_below(&rng, 9000);
        const int32_t in = square ? r : r * r, out = square ? stencil : stencil * stencil;
        const bool bounds = phx_rng_below(&rng, 2);
        const phx_tile_limits limits = {.in_low = in - slack - 1,
                                        .in_high = in + slack,
                                        .keep_low = out - slack - 1,
                                        .keep_high = out + slack,
                                        .square = square,
                                        .r = (float)r,
                                        .margin = (float)(stencil - r),
                                        .unsure = bounds ? slack : 0};
        for (uint32_t i = 0; i < count; i++) {
            now[i] = some_way_off(&rng, r);
            old[i] = some_way_off(&rng, stencil);
            row[i] = i * 3;
            bound[i] =
                phx_rng_below(&rng, 3) ? phx_rng_unit(&rng) * (float)r : (float)r + (float)phx_rng_below(&rng, 3);
        }
        const uint32_t n = match_three(kernels, place, count, bounds ? bound : NULL, &limits, name);
        cr_assert_gt(n, count / 16, "%s: a test of nothing", name);
    }
}

Test(kernels, matching_more_than_a_piece)
{
    with_each(match_many);
}

/* Heights of a sphere or a cylinder, often at its border, and up to as far apart as they may be; half with bounds. */
static void match_tall(const phx_kernels *kernels, const char *name)
{
    enum { HIGHEST = 24000, NEAR = 9 };
    uint64_t rng = 40, pairs_all = 0;
    for (uint32_t round = 0; round < 100; round++) {
        const uint32_t count = round % 4 ? 1 + phx_rng_below(&rng, MANY) : MANY, place[3] = {0, count / 2, count - 1};
        const int32_t r = 7600 - (int32_t)phx_rng_below(&rng, 3000), slack = 30000,
                      h = 300 + 100 * (int32_t)(round % 40);
        const bool bounds = round / 2 % 2;
        const phx_tile_levels levels = {
            .by_place = height, .sphere = round % 2, .steep = slack / 2, .level = -slack / 2 * h};
        const phx_tile_limits limits = {.in_low = r * r - slack - 1,
                                        .in_high = r * r + slack,
                                        .keep_low = r * r - slack - 1,
                                        .keep_high = r * r + slack,
                                        .r = (float)r,
                                        .unsure = bounds ? slack : 0,
                                        .levels = &levels};
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t high = phx_rng_below(&rng, 4) ? 0 : phx_rng_below(&rng, HIGHEST - 2 * NEAR - 4300);
            const uint32_t up = high + (phx_rng_below(&rng, 3) ? 0 : (uint32_t)h - 3);
            const uint32_t near = (uint32_t)r - phx_rng_below(&rng, 3) * 1000;
            bound[i] = phx_rng_below(&rng, 3) ? (float)near : INFINITY;
            now[i] = some_way_off(&rng, bounds ? near : (uint32_t)r);
            old[i] = some_way_off(&rng, bounds ? near : (uint32_t)r);
            row[i] = i * 3;
            height[i] = (up + phx_rng_below(&rng, NEAR)) | (high + phx_rng_below(&rng, NEAR)) << 16;
        }
        pairs_all += match_three(kernels, place, count, bounds ? bound : NULL, &limits, name);
    }
    cr_assert_gt(pairs_all, MANY, "%s: a test of nothing", name);
}

Test(kernels, matching_where_heights_count)
{
    with_each(match_tall);
}

/* ---- the fate of pairs ---- */

/* Pairs of some observers, a few each, some of them unsure; targets are places, or words of which some are special. */
static phx_pairs some_pairs(uint64_t *rng, uint32_t count, bool places)
{
    uint32_t place = phx_rng_below(rng, ROWS), more = 1 + phx_rng_below(rng, 12), none = phx_rng_below(rng, 12);
    phx_pairs pairs = no_pairs(PAIRS);
    pairs.count = count;
    for (uint32_t i = 0; i < count; i++) {
        if (phx_rng_below(rng, more) == 0) place += 1 + phx_rng_below(rng, 3);
        uint32_t flags = phx_rng_below(rng, 12) < none ? PHX_PAIR_UNSURE : phx_rng_below(rng, 2) ? PHX_PAIR_LEAVE : 0;
        observers[i] = place | flags;
        targets[i] = places ? phx_rng_below(rng, ROWS) : slots[phx_rng_below(rng, ROWS)];
    }
    return pairs;
}

static void list_unsure(const phx_kernels *kernels, const char *name)
{
    static uint32_t which[PAIRS + 2 * PHX_KERNEL_PAD];
    uint64_t rng = 43, listed = 0;
    for (uint32_t round = 0; round < 1000; round++) {
        const phx_pairs pairs = some_pairs(&rng, round % PAIRS, round % 2 == 0);
        uint32_t n = 0;
        guard(which, PAIRS + 2 * PHX_KERNEL_PAD);
        const bool special = round % 2; /* targets that are, too: the flag is another bit, of another column */
        const uint32_t *words = special ? targets : observers, flag = special ? PHX_ROW_SPECIAL : PHX_PAIR_UNSURE;
        uint32_t found = kernels->collect_flagged(words, pairs.count, flag, which);
        for (uint32_t i = 0; i < pairs.count; i++) {
            if (!(words[i] & flag)) continue;
            cr_assert(n < found && which[n++] == i, "%s: %u of %u", name, i, pairs.count);
        }
        cr_assert_eq(n, found, "%s: more than there are", name);
        check_guard(which, pairs.count, PAIRS + 2 * PHX_KERNEL_PAD, name);
        listed += n;
    }
    cr_assert_gt(listed, 10000, "%s: a test of nothing", name);
}

Test(kernels, which_pairs_are_unsure)
{
    with_each(list_unsure);
}

/* Against one pair at a time: words, runs and special words of the sure pairs. */
static void check_runs(const uint32_t *observer, const uint32_t *word, uint32_t count, const uint32_t *words,
                       const phx_observer_runs *runs, const char *name)
{
    uint32_t n = 0, r = 0, s = 0, leaves = 0, last = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = observer[i] & PHX_PAIR_PLACE;
        bool leave = observer[i] & PHX_PAIR_LEAVE;
        if (observer[i] & PHX_PAIR_UNSURE) continue;
        cr_assert_eq(words[n], word[i] | (leave ? PHX_TARGET_LEAVE : 0), "%s: %u of %u", name, i, count);
        if (place != last) {
            cr_assert_lt(r, runs->count, "%s", name);
            cr_assert(runs->place[r] == place && runs->first[r] == n && runs->leaves[r] == leaves,
                      "%s: run %u of %u pairs", name, r, count);
            r++;
        }
        if (word[i] & PHX_ROW_SPECIAL) cr_assert_eq(runs->special[s++], n, "%s: special", name);
        leaves += leave;
        last = place;
        n++;
    }
    cr_assert_eq(runs->count, r, "%s: more runs than there are", name);
    cr_assert(runs->first[r] == n && runs->leaves[r] == leaves && runs->special[s] == n, "%s: the end of %u", name, n);
}

static void resolve_some(const phx_kernels *kernels, const char *name)
{
    enum { LENGTH = PAIRS + 2 * PHX_KERNEL_PAD };
    static uint32_t words[LENGTH], array[4][LENGTH], observer[PAIRS], word[PAIRS];
    uint64_t rng = 44;
    for (uint32_t round = 0; round < 4000; round++) {
        const bool places = phx_rng_below(&rng, 2);
        for (uint32_t i = 0; i < ROWS; i++) {
            row[i] = (i * 7 + round) % ROWS;
            slots[i] = phx_rng_below(&rng, PHX_ROW_SLOT) | (phx_rng_below(&rng, 5) ? 0 : PHX_ROW_SPECIAL);
        }
        const phx_pairs pairs = some_pairs(&rng, round % PAIRS, places);
        memcpy(observer, observers, sizeof observer); /* the pairs may be used up */
        for (uint32_t i = 0; i < pairs.count; i++) word[i] = places ? slots[row[targets[i]]] : targets[i];
        guard(words, LENGTH);
        for (uint32_t a = 0; a < 4; a++) guard(array[a], LENGTH);
        phx_observer_runs runs = {.place = array[0], .first = array[1], .leaves = array[2], .special = array[3]};
        kernels->pairs_to_runs(&pairs, places ? row : NULL, slots, words, &runs);
        check_runs(observer, word, pairs.count, words, &runs, name);
        check_guard(words, pairs.count, LENGTH, name);
        for (uint32_t a = 0; a < 4; a++) check_guard(array[a], pairs.count + 1, LENGTH, name);
    }
}

Test(kernels, pairs_become_words_and_runs)
{
    with_each(resolve_some);
}

static void starts_some(const phx_kernels *kernels, const char *name)
{
    enum { CELLS = 60 };
    uint64_t rng = 35;
    for (uint32_t cells = 1; cells <= CELLS; cells++) {
        uint32_t at[CELLS + 1 + PHX_KERNEL_PAD] = {0}, stencil[CELLS + PHX_KERNEL_PAD], count[CELLS + 1], sum = 0;
        for (uint32_t i = 1; i <= cells; i++) at[i] = count[i] = phx_rng_below(&rng, 1u << phx_rng_below(&rng, 20));
        kernels->cell_offsets(at, cells, stencil);
        cr_assert_eq(at[0], 0, "%s", name);
        for (uint32_t i = 1; i <= cells; i++) cr_assert_eq(at[i], sum += count[i], "%s: %u of %u", name, i, cells);
    }
}

Test(kernels, where_cells_begin)
{
    with_each(starts_some);
}

static void indices_some(const phx_kernels *kernels, const char *name)
{
    uint64_t rng = 36;
    for (uint32_t round = 0; round < 500; round++) {
        uint32_t count = phx_rng_below(&rng, ROWS + 1), n = 0;
        uint32_t base = phx_rng_below(&rng, 2) ? 1u << 30 : ROWS / 3; /* as many rows as there may be, and few */
        phx_span range = {base, base + 1 + phx_rng_below(&rng, ROWS)};
        for (uint32_t i = 0; i < count; i++) row[i] = base + phx_rng_below(&rng, 2 * ROWS) - ROWS / 3;
        guard(observers, PAIRS + 2 * PHX_KERNEL_PAD);
        uint32_t found = kernels->indices_in_range(row, count, range, observers);
        for (uint32_t i = 0; i < count; i++)
            if (row[i] >= range.first && row[i] < range.end)
                cr_assert(n < found && observers[n++] == i, "%s: place %u of %u", name, i, count);
        cr_assert_eq(n, found, "%s: more than there are", name);
        check_guard(observers, count, PAIRS + 2 * PHX_KERNEL_PAD, name);
    }
}

Test(kernels, places_of_a_range_of_rows)
{
    with_each(indices_some);
}

/* The three rows of three cells around a watcher's. */
static void stencil_around(const phx_tile_cells *cells, uint32_t place, phx_span line[3])
{
    const uint32_t *first = cells->start + cells->cell[place] - 1 - cells->columns;
    for (uint32_t i = 0; i < 3; i++, first += cells->columns) line[i] = (phx_span){first[0], first[3]};
}

static uint32_t count_around(const phx_tile_cells *cells, uint32_t place)
{
    phx_span line[3];
    stencil_around(cells, place, line);
    return line[0].end - line[0].first + (line[1].end - line[1].first) + (line[2].end - line[2].first);
}

/* The pairs, and the number of tested candidates, of watchers that are done. */
static void check_stencil(const phx_tile_cells *cells, const uint32_t *place, uint32_t done,
                          const phx_tile_limits *limits, const phx_pairs *pairs, const char *name)
{
    uint32_t n = 0, tested = 0;
    for (uint32_t w = 0; w < done; w++) {
        phx_span line[3];
        stencil_around(cells, place[w], line);
        for (uint32_t i = 0; i < 3; i++) n = check_matches(place[w], line[i], NULL, limits, pairs, n, name);
        tested += count_around(cells, place[w]);
    }
    cr_assert_eq(n, pairs->count, "%s: more than there are", name);
    cr_assert_eq(pairs->tested, tested, "%s", name);
}

/* More watchers than are taken together, and sometimes room for hardly more than one. */
static void match_sparse_some(const phx_kernels *kernels, const char *name)
{
    enum { COLUMNS = 4, CELLS = 12, EMPTY = 52 /* so many that it does not count as a crowd */, OBSERVERS = 300 };
    const uint32_t rounds = 60 /* each choice with each other one */ + (uint32_t)test_amount(2940);
    uint64_t rng = 34;
    for (uint32_t round = 0; round < rounds; round++) {
        const uint32_t cells = round % 2 ? CELLS : CELLS + EMPTY, each = round % 5 ? 4 : 17;
        uint32_t start[CELLS + EMPTY + 1 + PHX_KERNEL_PAD] = {0}, stencil[CELLS + EMPTY + PHX_KERNEL_PAD];
        uint32_t place[OBSERVERS], most = 0;
        const bool bounds = round / 2 % 2;
        phx_tile_limits limits = bounds ? coarse_bounds(&rng, ROWS) : coarse(&rng, ROWS);
        for (uint32_t i = 1; i <= CELLS; i++) /* a cell in the middle has candidates */
            start[i] = phx_rng_below(&rng, each) + (i == COLUMNS + 2);
        kernels->cell_offsets(start, cells, stencil);
        for (uint32_t c = 0; c < CELLS; c++)
            for (uint32_t i = start[c]; i < start[c + 1]; i++) cell[i] = c;
        const uint32_t first = start[COLUMNS + 1], count = start[COLUMNS + 3] - first; /* the two in the middle */
        const phx_tile_cells all = {now, old, cell, bounds ? bound : NULL, start, stencil, COLUMNS};
        for (uint32_t i = 0; i < OBSERVERS; i++) {
            place[i] = first + phx_rng_below(&rng, count);
            uint32_t around = count_around(&all, place[i]);
            most = around > most ? around : most;
        }
        const uint32_t capacity = round % 3 ? most + phx_rng_below(&rng, 2 * most) : PAIRS;
        for (uint32_t w = 0, done; w < OBSERVERS; w += done) {
            phx_pairs pairs = no_pairs(capacity);
            done = kernels->match_stencil(&all, &(phx_tile_observers){place + w, OBSERVERS - w, now, old}, &limits,
                                          &pairs);
            cr_assert_geq(done, 1, "%s: there was room for all of one", name);
            check_stencil(&all, place + w, done, &limits, &pairs, name);
            bool room = w + done < OBSERVERS && capacity - pairs.count >= count_around(&all, place[w + done]);
            cr_assert_not(room, "%s: stopped with room for one more", name);
            check_guard(observers, capacity, PAIRS + 2 * PHX_KERNEL_PAD, name);
            check_guard(targets, capacity, PAIRS + 2 * PHX_KERNEL_PAD, name);
        }
    }
}

Test(kernels, matching_the_nine_cells_around)
{
    with_each(match_sparse_some);
}

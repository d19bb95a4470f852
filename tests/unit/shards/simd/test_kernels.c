/*
 * shards/kernels*.c: every instruction set that this machine has, against one pair at a time; and no store beyond the
 * promised range. Kernels that read rows are in test_tile_cull.c.
 */
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

static bool may_cross(uint32_t i, uint32_t at, const phx_tile_limits *limits)
{
    int64_t d = units_apart(now[i], now[at], limits->square), e = units_apart(old[i], old[at], limits->square);
    return (d <= limits->in_high && e > limits->in_low) || (d > limits->near_low && e <= limits->near_high);
}

static bool must_cross(uint32_t i, uint32_t at, const phx_tile_limits *limits, bool *leaves)
{
    int64_t d = units_apart(now[i], now[at], limits->square), e = units_apart(old[i], old[at], limits->square);
    *leaves = e <= limits->near_low && d > limits->near_high;
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
    limits.near_low = limits.in_low + more;
    limits.near_high = limits.in_high + more + 2 * (int32_t)phx_rng_below(rng, 2);
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
        if (!may_cross(i, at, limits)) continue;
        bool leaves, sure = must_cross(i, at, limits, &leaves);
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
        phx_tile_limits limits = coarse(&rng, ROWS); /* pairs behind the end match too */
        for (uint32_t i = 0; i < 5; i++) place[i] = phx_rng_below(&rng, ROWS);
        phx_pairs pairs = no_pairs(capacity);
        uint32_t done = kernels->match(&(phx_tile_candidates){now, old, row}, count,
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

/* Limits as tiles have them, distances that do not fit 16 bits, and up to more candidates than are taken at once. */
static void match_many(const phx_kernels *kernels, const char *name)
{
    enum { CAPACITY = 2 * MANY };
    static uint32_t found[2][CAPACITY + PHX_KERNEL_PAD];
    uint64_t rng = 39;
    for (uint32_t round = 0; round < 100; round++) {
        const uint32_t count = round % 4 ? 1 + phx_rng_below(&rng, MANY) : MANY, place[3] = {0, count / 2, count - 1};
        const int32_t near = PHX_TILE_REACH - (int32_t)phx_rng_below(&rng, 2000), r = round % 3 ? near : near * 3 / 4;
        const bool square = round % 2;
        const int32_t slack = square ? 2 : INT16_MAX - 1 - (int32_t)phx_rng_below(&rng, 9000);
        const int32_t in = square ? r : r * r, out = square ? near : near * near;
        const phx_tile_limits limits = {in - slack - 1, in + slack, out - slack - 1, out + slack, square};
        for (uint32_t i = 0; i < count; i++) {
            now[i] = some_way_off(&rng, r);
            old[i] = some_way_off(&rng, near);
            row[i] = i * 3;
        }
        for (uint32_t w = 0; w < 3; w++) now[place[w]] = old[place[w]] = w;
        phx_pairs pairs = {.observer = found[0], .target = found[1], .capacity = CAPACITY};
        uint32_t done = kernels->match(&(phx_tile_candidates){now, old, row}, count,
                                       &(phx_tile_observers){place, 3, now, old}, &limits, &pairs),
                 n = 0;
        cr_assert_geq(done, 2, "%s: there was room for two", name);
        for (uint32_t w = 0; w < done; w++)
            n = check_matches(place[w], (phx_span){0, count}, row, &limits, &pairs, n, name);
        cr_assert_eq(n, pairs.count, "%s: more than there are", name);
        cr_assert_gt(n, count / 16, "%s: a test of nothing", name);
    }
}

Test(kernels, matching_more_than_a_piece)
{
    with_each(match_many);
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
        const phx_pairs pairs = some_pairs(&rng, round % PAIRS, true);
        uint32_t n = 0;
        guard(which, PAIRS + 2 * PHX_KERNEL_PAD);
        uint32_t found = kernels->collect_unsure(&pairs, which);
        for (uint32_t i = 0; i < pairs.count; i++) {
            if (!(observers[i] & PHX_PAIR_UNSURE)) continue;
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
        uint32_t at[CELLS + 1 + PHX_KERNEL_PAD] = {0}, near[CELLS + PHX_KERNEL_PAD], count[CELLS + 1], sum = 0;
        for (uint32_t i = 1; i <= cells; i++) at[i] = count[i] = phx_rng_below(&rng, 1u << phx_rng_below(&rng, 20));
        kernels->cell_offsets(at, cells, near);
        cr_assert_eq(at[0], 0, "%s", name);
        for (uint32_t i = 1; i <= cells; i++) cr_assert_eq(at[i], sum += count[i], "%s: %u of %u", name, i, cells);
    }
}

Test(kernels, where_cells_begin)
{
    with_each(starts_some);
}

static void within_rows_some(const phx_kernels *kernels, const char *name)
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
    with_each(within_rows_some);
}

/* The three rows of three cells around a watcher's. */
static void nine_around(const phx_tile_cells *cells, uint32_t place, phx_span line[3])
{
    const uint32_t *first = cells->start + cells->cell[place] - 1 - cells->columns;
    for (uint32_t i = 0; i < 3; i++, first += cells->columns) line[i] = (phx_span){first[0], first[3]};
}

static uint32_t count_around(const phx_tile_cells *cells, uint32_t place)
{
    phx_span line[3];
    nine_around(cells, place, line);
    return line[0].end - line[0].first + (line[1].end - line[1].first) + (line[2].end - line[2].first);
}

/* The pairs, and the number of tested candidates, of watchers that are done. */
static void check_nine(const phx_tile_cells *cells, const uint32_t *place, uint32_t done, const phx_tile_limits *limits,
                       const phx_pairs *pairs, const char *name)
{
    uint32_t n = 0, tested = 0;
    for (uint32_t w = 0; w < done; w++) {
        phx_span line[3];
        nine_around(cells, place[w], line);
        for (uint32_t i = 0; i < 3; i++) n = check_matches(place[w], line[i], NULL, limits, pairs, n, name);
        tested += count_around(cells, place[w]);
    }
    cr_assert_eq(n, pairs->count, "%s: more than there are", name);
    cr_assert_eq(pairs->tested, tested, "%s", name);
}

/* More watchers than are taken together, and sometimes room for hardly more than one. */
static void match_sparse_some(const phx_kernels *kernels, const char *name)
{
    enum { COLUMNS = 4, CELLS = 12, EMPTY = 52 /* so many that it does not count as a crowd */, WATCHERS = 300 };
    uint64_t rng = 34;
    for (uint32_t round = 0; round < 3000; round++) {
        const uint32_t cells = round % 2 ? CELLS : CELLS + EMPTY, each = round % 5 ? 4 : 17;
        uint32_t start[CELLS + EMPTY + 1 + PHX_KERNEL_PAD] = {0}, near[CELLS + EMPTY + PHX_KERNEL_PAD];
        uint32_t place[WATCHERS], most = 0;
        phx_tile_limits limits = coarse(&rng, ROWS);
        for (uint32_t i = 1; i <= CELLS; i++) /* a cell in the middle has candidates */
            start[i] = phx_rng_below(&rng, each) + (i == COLUMNS + 2);
        kernels->cell_offsets(start, cells, near);
        for (uint32_t c = 0; c < CELLS; c++)
            for (uint32_t i = start[c]; i < start[c + 1]; i++) cell[i] = c;
        const uint32_t first = start[COLUMNS + 1], count = start[COLUMNS + 3] - first; /* the two in the middle */
        const phx_tile_cells all = {now, old, cell, start, near, COLUMNS};
        for (uint32_t i = 0; i < WATCHERS; i++) {
            place[i] = first + phx_rng_below(&rng, count);
            uint32_t around = count_around(&all, place[i]);
            most = around > most ? around : most;
        }
        const uint32_t capacity = round % 3 ? most + phx_rng_below(&rng, 2 * most) : PAIRS;
        for (uint32_t w = 0, done; w < WATCHERS; w += done) {
            phx_pairs pairs = no_pairs(capacity);
            done =
                kernels->match_stencil(&all, &(phx_tile_observers){place + w, WATCHERS - w, now, old}, &limits, &pairs);
            cr_assert_geq(done, 1, "%s: there was room for all of one", name);
            check_nine(&all, place + w, done, &limits, &pairs, name);
            bool room = w + done < WATCHERS && capacity - pairs.count >= count_around(&all, place[w + done]);
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

/* ---- the cap ---- */

static void cut_some(const phx_kernels *kernels, const char *name)
{
    enum { LENGTH = ROWS + 2 * PHX_KERNEL_PAD, LISTED = 0x50, SLOTS = 300 };
    static uint32_t mark[SLOTS], listed[LENGTH], enter[LENGTH], leave[LENGTH];
    static float squares[LENGTH];
    static double keys[LENGTH];
    static uint8_t was[LENGTH];
    uint64_t rng = 36;
    for (uint32_t round = 0; round < 2000; round++) {
        uint32_t count = round % (ROWS + 1), held = 0, within = 0, stay = 0, enters = 0, leaves = 0;
        double sticky = 1.0 + phx_rng_unit(&rng), limit = 40.0 * phx_rng_unit(&rng);
        guard(listed, LENGTH), guard(enter, LENGTH), guard(leave, LENGTH);
        for (uint32_t i = 0; i < SLOTS; i++) mark[i] = LISTED + phx_rng_below(&rng, 2) * phx_rng_below(&rng, 3);
        for (uint32_t i = 0; i < count; i++) {
            slots[i] = listed[i] = phx_rng_below(&rng, SLOTS);
            squares[i] = (float)phx_rng_below(&rng, 40);
        }
        uint32_t found = kernels->cap_keys(mark, LISTED, listed, squares, count, sticky, keys, was);
        for (uint32_t i = 0; i < count; i++) {
            bool in = mark[slots[i]] == LISTED;
            volatile double key = (double)squares[i] * (in ? 1.0 : sticky);
            cr_assert(was[i] == in && keys[i] == key, "%s: %u of %u", name, i, count);
            if (phx_rng_below(&rng, 20) == 0) limit = keys[i];
            held += in;
        }
        cr_assert_eq(found, held, "%s", name);
        for (uint32_t i = 0; i < count; i++) within += keys[i] <= limit;
        cr_assert_eq(kernels->count_within(keys, count, limit), within, "%s", name);
        phx_cap_split n = kernels->split_at_limit(listed, keys, was, count, limit, enter, leave);
        for (uint32_t i = 0; i < count; i++) {
            bool stays = keys[i] <= limit;
            if (stays) cr_assert_eq(listed[stay++], slots[i], "%s", name);
            if (stays && !was[i]) cr_assert_eq(enter[enters++], slots[i], "%s", name);
            if (!stays && was[i]) cr_assert_eq(leave[leaves++], slots[i], "%s", name);
        }
        cr_assert(n.stay == stay && n.enter == enters && n.leave == leaves, "%s", name);
        check_guard(listed, count, LENGTH, name), check_guard(enter, enters, LENGTH, name);
        check_guard(leave, leaves, LENGTH, name);
    }
}

Test(kernels, weighing_and_dividing_at_a_cap)
{
    with_each(cut_some);
}

/* ---- orders and places ---- */

static void order_some(const phx_kernels *kernels, const char *name)
{
    uint64_t rng = 29, id[PHX_ORDER_FEW];
    uint16_t kind[PHX_ORDER_FEW];
    uint32_t place[PHX_ORDER_FEW + 1];
    for (uint32_t round = 0; round < 12000; round++) {
        uint32_t count = 1 + round % PHX_ORDER_FEW, kinds = round % 3 ? 1 : 3;
        bool alike = round / PHX_ORDER_FEW % 2; /* one kind, and ids that a host counted up */
        uint64_t first = (phx_rng_below(&rng, 2) ? 0 : phx_rng_next(&rng) << 32) - 20;
        first += (uint64_t)phx_rng_below(&rng, 3) << 31;
        for (uint32_t i = 0; i < count; i++) {
            id[i] = phx_rng_below(&rng, 2) ? i + 1 : UINT64_MAX - i;
            kind[i] = (uint16_t)(phx_rng_below(&rng, 2) ? phx_rng_below(&rng, kinds) : UINT16_MAX - kinds);
            if (!alike) continue;
            id[i] = first + (i * 37 + round) % PHX_ORDER_FEW;
            kind[i] = 7;
        }
        place[PHX_ORDER_FEW] = GUARD;
        kernels->order(id, kind, count, place);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t before = 0;
            for (uint32_t j = 0; j < count; j++) before += kind[j] < kind[i] || (kind[j] == kind[i] && id[j] < id[i]);
            cr_assert_eq(place[i], before, "%s: %u of %u", name, i, count);
        }
        cr_assert_eq(place[PHX_ORDER_FEW], GUARD, "%s: stored too far", name);
    }
}

/* All of one kind but one, wherever that stands: by ids alone it would be somewhere else. */
static void order_but_one(const phx_kernels *kernels, const char *name)
{
    for (uint32_t count = 2; count <= PHX_ORDER_FEW; count++) {
        for (uint32_t odd = 0; odd < count; odd++) {
            uint64_t id[PHX_ORDER_FEW];
            uint16_t kind[PHX_ORDER_FEW];
            uint32_t place[PHX_ORDER_FEW];
            for (uint32_t i = 0; i < count; i++) {
                id[i] = i + 1;
                kind[i] = i == odd ? odd < count / 2 ? 9 : 3 : 7;
            }
            kernels->order(id, kind, count, place);
            cr_assert_eq(place[odd], kind[odd] == 9 ? count - 1 : 0, "%s: %u of %u", name, odd, count);
        }
    }
}

static void rank_some(const phx_kernels *kernels, const char *name)
{
    uint64_t rng = 31, word[PHX_ORDER_FEW];
    uint32_t place[PHX_ORDER_FEW + 1];
    cr_assert_leq(kernels->rank_most, PHX_ORDER_FEW);
    for (uint32_t round = 0; round < 3000; round++) {
        uint32_t count = round % (kernels->rank_most + 1);
        uint64_t high = phx_rng_below(&rng, 2) ? 0 : UINT64_C(1) << 63; /* words have no sign */
        for (uint32_t i = 0; i < count; i++)
            word[i] = (i * 37 + round) % PHX_ORDER_FEW * 0x100000001u ^ (phx_rng_below(&rng, 2) ? high : 0);
        place[PHX_ORDER_FEW] = GUARD;
        kernels->rank_words(word, count, place);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t before = 0;
            for (uint32_t j = 0; j < count; j++) before += word[j] < word[i];
            cr_assert_eq(place[i], before, "%s: %u of %u", name, i, count);
        }
        cr_assert_eq(place[PHX_ORDER_FEW], GUARD, "%s: stored too far", name);
    }
}

/* Changes side by side, of some of these slots each, as leaves or enters at random. How many. */
static uint32_t some_changes(uint64_t *rng, const uint32_t *slot, uint32_t count, uint32_t *of, uint32_t *end,
                             uint32_t *first)
{
    uint32_t changes = 0, total = 0, most = 1 + phx_rng_below(rng, count);
    while (changes < PHX_ORDER_MOST && total + most <= PHX_ORDER_MOST) {
        uint32_t n = phx_rng_below(rng, 8) ? 1 + phx_rng_below(rng, most) : most, from = phx_rng_below(rng, count);
        for (uint32_t i = 0; i < n; i++)
            of[total++] = slot[(from + i) % count] | (phx_rng_below(rng, 2) ? PHX_TARGET_LEAVE : 0) |
                          (phx_rng_below(rng, 4) ? 0 : PHX_ROW_SPECIAL); /* which means nothing here */
        first[changes] = (uint32_t)phx_rng_below(rng, 1u << 20);
        end[changes++] = total;
    }
    return changes;
}

/* The places of one change's targets. */
static void check_places(const phx_name *names, const uint32_t *of, uint32_t count, uint32_t first,
                         const uint32_t *place, const char *name, uint32_t round)
{
    for (uint32_t i = 0; i < count; i++) {
        const phx_name *own = &names[of[i] & PHX_ROW_SLOT];
        uint32_t before = first, leaves = of[i] & PHX_TARGET_LEAVE;
        for (uint32_t j = 0; j < count; j++) {
            const phx_name *other = &names[of[j] & PHX_ROW_SLOT];
            bool sooner = other->kind < own->kind || (other->kind == own->kind && other->id < own->id);
            before += (of[j] & PHX_TARGET_LEAVE) != leaves ? leaves == 0 : sooner;
        }
        cr_assert_eq(place[i], before, "%s: round %u: %u of %u", name, round, i, count);
    }
}

/* Keys as phx_order_bits() has them, where the bits that ids and kinds differ in just fit, or just do not. */
static void order_some_keys(const phx_kernels *kernels, const char *name)
{
    enum { NAMES = 300, PLACES = PHX_ORDER_MOST + PHX_KERNEL_PAD };
    static phx_name names[NAMES];
    uint64_t rng = 31, keyed = 0;
    for (uint32_t round = 0; round < 12000; round++) {
        uint32_t count = 1 + round % PHX_ORDER_FEW, id_bits = phx_rng_below(&rng, 34);
        uint32_t kind_bits = phx_rng_below(&rng, 2) ? phx_rng_below(&rng, 17) : (32 - id_bits) & 15;
        uint64_t first = phx_rng_next(&rng), other = phx_rng_next(&rng), ids = 0, low = (UINT64_C(1) << id_bits) - 1;
        uint32_t slot[PHX_ORDER_FEW], kinds = 0, step = 1 + phx_rng_below(&rng, 4);
        for (uint32_t i = 0; i < count; i++) { /* all differ: the lowest bits of ids count up, where there are some */
            slot[i] = i * step + phx_rng_below(&rng, step);
            bool last = i == 63 || (count > 1 && i == count - 1 && id_bits > 6); /* its key may be all ones */
            uint64_t own = (last ? UINT64_MAX : (phx_rng_next(&rng) & ~UINT64_C(63)) | i) & low;
            uint16_t kind = (uint16_t)((other & ~((UINT64_C(1) << kind_bits) - 1)) |
                                       ((last ? UINT64_MAX : phx_rng_next(&rng)) & ((UINT64_C(1) << kind_bits) - 1)));
            names[slot[i]] = (phx_name){.id = (first & ~low) | own,
                                        .kind = kind,
                                        .incarnation = (uint32_t)phx_rng_next(&rng),
                                        .consumer = (uint8_t)i,
                                        .fresh = i % 2 == 0};
            ids |= names[slot[i]].id ^ names[slot[0]].id;
            kinds |= (uint32_t)(kind ^ names[slot[0]].kind);
        }
        uint32_t bits = phx_order_bits(ids, kinds), targets_of[PHX_ORDER_MOST], place[PLACES + 1];
        if (bits == PHX_ORDER_NO_KEY || (id_bits < 6 && count > 1u << id_bits)) continue;
        keyed++;
        uint32_t end[PHX_ORDER_MOST], from[PHX_ORDER_MOST];
        uint32_t changes = some_changes(&rng, slot, count, targets_of, end, from);
        place[end[changes - 1] + PHX_KERNEL_PAD] = GUARD;
        kernels->order_keys(&(phx_sort_key_format){names, bits, kinds},
                            &(phx_unsorted_events){targets_of, end, from, changes}, place);
        for (uint32_t c = 0, at = 0; c < changes; at = end[c++])
            check_places(names, targets_of + at, end[c] - at, from[c], place + at, name, round);
        cr_assert_eq(place[end[changes - 1] + PHX_KERNEL_PAD], GUARD, "%s: stored too far", name);
    }
    cr_assert_gt(keyed, 3000, "%s", name);
}

/* Runs of all lengths about a vector's, ends of any value, from words that are near each other or not. */
static void merge_two_runs(const phx_kernels *kernels, const char *name)
{
    enum { LONGEST = 40 };
    uint64_t rng = 33, run[2][LONGEST], out[2 * LONGEST + 1], expected[2 * LONGEST];
    for (uint32_t a = 1; a <= LONGEST; a++) {
        for (uint32_t b = 1; b <= LONGEST; b++) {
            uint32_t length[2] = {a, b}, bits = phx_rng_below(&rng, 64);
            for (uint32_t r = 0; r < 2; r++) {
                uint64_t word = phx_rng_next(&rng) >> bits;
                for (uint32_t i = length[r]; i-- > 0; word -= word >> (1 + phx_rng_below(&rng, 8))) run[r][i] = word;
            }
            if (phx_rng_below(&rng, 8) == 0) run[phx_rng_below(&rng, 2)][0] = 0;
            if (phx_rng_below(&rng, 8) == 0) run[0][a - 1] = UINT64_MAX;
            for (uint32_t i = 0, j = 0; i + j < a + b;) {
                bool first = j == b || (i < a && run[0][i] <= run[1][j]);
                expected[i + j] = first ? run[0][i] : run[1][j];
                if (first) i++;
                else j++;
            }
            out[a + b] = GUARD;
            kernels->merge(run[0], a, run[1], b, out);
            cr_assert_arr_eq(out, expected, (a + b) * sizeof *out, "%s: %u and %u", name, a, b);
            cr_assert_eq(out[a + b], GUARD, "%s: stored too far", name);
        }
    }
}

Test(kernels, merges_of_words)
{
    with_each(merge_two_runs);
}

Test(kernels, keys_of_few)
{
    with_each(order_some_keys);
    cr_assert_eq(phx_order_bits(0, 0), 0);
    cr_assert_eq(phx_order_bits(INT32_MAX, 0), 31);
    cr_assert_eq(phx_order_bits(INT32_MAX, 1), PHX_ORDER_NO_KEY);
    cr_assert_eq(phx_order_bits(UINT64_C(1) << 31, 0), PHX_ORDER_NO_KEY);
    cr_assert_eq(phx_order_bits(1, UINT16_MAX), 1);
}

Test(kernels, order_of_few)
{
    with_each(order_some);
    with_each(order_but_one);
}

Test(kernels, ranks_of_words)
{
    with_each(rank_some);
}

static void find_all(const phx_kernels *kernels, const char *name)
{
    enum { LONGEST = 1200 }; /* more than a kernel reads without a branch */
    static uint32_t array[LONGEST];
    uint64_t rng = 28;
    for (uint32_t count = 0; count <= LONGEST; count += count < ROWS ? 1 : 37) { /* not the values behind the end */
        for (uint32_t i = 0; i < LONGEST; i++) array[i] = i < count ? 1000 + i : i == count ? 78 : 77;
        cr_assert_eq(kernels->find_u32(array, count, 77), count, "%s: absent of %u", name, count);
        for (uint32_t at = 0; at < count; at++)
            cr_assert_eq(kernels->find_u32(array, count, 1000 + at), at, "%s: %u of %u", name, at, count);
        if (count < 2) continue;
        uint32_t first = phx_rng_below(&rng, count), second = phx_rng_below(&rng, count);
        array[first] = array[second] = UINT32_MAX;
        cr_assert_eq(kernels->find_u32(array, count, UINT32_MAX), first < second ? first : second, "the first of two");
    }
    cr_assert_eq(kernels->find_u32(NULL, 0, 5), 0);
}

Test(kernels, finding_in_lists_of_any_length)
{
    with_each(find_all);
}

/* Values of which any may be in the array, or behind its end. */
static void leave_out_some(const phx_kernels *kernels, const char *name)
{
    enum { VALUES = 40, END = VALUES + 1 };
    uint64_t rng = 41;
    uint32_t array[ROWS], values[END + 1], missing = 0, there = 0;
    for (uint32_t round = 0; round < 4000; round++) {
        const uint32_t count = round % ROWS, wanted = phx_rng_below(&rng, VALUES + 1);
        uint32_t expected[VALUES], n = 0;
        for (uint32_t i = 0; i < ROWS; i++) array[i] = i;
        for (uint32_t i = 0; i < ROWS; i++) { /* in any order, slot 0 too */
            uint32_t other = phx_rng_below(&rng, ROWS), value = array[i];
            array[i] = array[other];
            array[other] = value;
        }
        guard(values, END + 1);
        for (uint32_t i = 0; i < wanted; i++) {
            const uint32_t at = phx_rng_below(&rng, ROWS);
            values[i] = phx_rng_below(&rng, 4) ? array[at] : 1u << (10 + phx_rng_below(&rng, 18));
            bool is_there = false;
            for (uint32_t j = 0; j < count; j++) is_there |= array[j] == values[i];
            expected[n] = values[i];
            n += !is_there;
            there += is_there;
        }
        cr_assert_eq(kernels->set_difference(array, count, values, wanted), n, "%s: %u among %u", name, wanted, count);
        for (uint32_t i = 0; i < n; i++) cr_assert_eq(values[i], expected[i], "%s: %u of %u", name, i, n);
        for (uint32_t i = wanted + 1; i <= END; i++) cr_assert_eq(values[i], GUARD, "%s: stored too far", name);
        missing += n;
    }
    cr_assert(missing > 10000 && there > 10000, "%s: a test of nothing", name);
    cr_assert_eq(kernels->set_difference(NULL, 0, values, 0), 0);
}

Test(kernels, leaving_out_what_is_in_a_list)
{
    with_each(leave_out_some);
}

Test(kernels, what_is_chosen_is_supported)
{
    cr_assert(phx_simd_supported(PH_SIMD_PORTABLE));
    cr_assert_neq(phx_simd_choose(PH_SIMD_AUTO), PH_SIMD_AUTO);
    cr_assert(phx_simd_supported(phx_simd_choose(PH_SIMD_AUTO)));
    cr_assert_eq(phx_simd_choose(PH_SIMD_PORTABLE), PH_SIMD_PORTABLE);
}

/*
 * shards/simd/: the kernels of caps, orders and lists, of every instruction set that this machine has, against one word
 * at a time; and no store beyond the promised range.
 */
#include "shards/simd/scalar.h"
#include "unit/shards/simd/kernels_case.h"

static uint32_t slots[ROWS + PHX_KERNEL_PAD];

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
        double limit = 40.0 * phx_rng_unit(&rng);
        const phx_key_rule by = {mark, LISTED, phx_rng_below(&rng, 2) ? -1.0 : INFINITY, 1.0 + phx_rng_unit(&rng)};
        guard(listed, LENGTH), guard(enter, LENGTH), guard(leave, LENGTH);
        for (uint32_t i = 0; i < SLOTS; i++) mark[i] = LISTED + phx_rng_below(&rng, 2) * phx_rng_below(&rng, 3);
        for (uint32_t i = 0; i < count; i++) {
            slots[i] = listed[i] = phx_rng_below(&rng, SLOTS);
            squares[i] = (float)phx_rng_below(&rng, 40);
        }
        uint32_t found = kernels->cap_keys(&by, listed, squares, count, keys, was);
        for (uint32_t i = 0; i < count; i++) {
            bool in = mark[slots[i]] == LISTED;
            volatile double key = in ? fmin((double)squares[i], by.listed_most) : (double)squares[i] * by.sticky;
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

/* Targets of a cut list that borders decide or not, some of them as far off as a border. */
static void find_undecided_of_one(const phx_kernels *kernels, const char *name)
{
    enum { LENGTH = ROWS + 2 * PHX_KERNEL_PAD, SIDE = 60 };
    static uint32_t now[LENGTH], old[LENGTH], target[LENGTH], found[LENGTH], height[LENGTH];
    uint64_t rng = 38;
    for (uint32_t round = 0; round < 2000; round++) {
        const uint32_t count = round % (ROWS + 1), here = 0xfff0fff0u, there = here + phx_rng_below(&rng, 9);
        const bool tall = phx_rng_below(&rng, 3) > 0;
        const phx_tile_candidates all = {.now = now, .old = old, .target = target, .height = tall ? height : NULL};
        int32_t border[4], is_up = (int32_t)phx_rng_below(&rng, SIDE);
        uint32_t n = 0;
        guard(found, LENGTH);
        for (uint32_t i = 0; i < count; i++) {
            now[i] = phx_rng_below(&rng, SIDE) << 16 | phx_rng_below(&rng, SIDE);
            old[i] = now[i] + phx_rng_below(&rng, 9);
            target[i] = phx_rng_below(&rng, INT32_MAX);
            height[i] = phx_rng_below(&rng, SIDE) << 16 | phx_rng_below(&rng, SIDE);
        }
        for (uint32_t b = 0; b < 4; b++)
            border[b] = count > 0 && phx_rng_below(&rng, 2)
                            ? phx_units_apart(b < 2 ? old[0] : now[0], b < 2 ? there : here, false)
                            : (int32_t)phx_rng_below(&rng, 2 * SIDE * SIDE);
        const phx_cut_borders by = {.listed = border[0],
                                    .unlisted = border[1],
                                    .stays = border[2],
                                    .joins = border[3],
                                    .height = phx_rng_below(&rng, SIDE) << 16 | phx_rng_below(&rng, SIDE),
                                    .sphere = phx_rng_below(&rng, 2),
                                    .level = is_up - 2,
                                    .beyond = is_up + 2};
        const uint32_t some = kernels->find_undecided(&all, count, here, there, &by, found);
        for (uint32_t i = 0; i < count; i++) {
            const int32_t dz = abs((int)(height[i] & UINT16_MAX) - (int)(by.height & UINT16_MAX));
            const int32_t old_dz = abs((int)(height[i] >> 16) - (int)(by.height >> 16));
            const bool cylinder = tall && !by.sphere;
            int32_t is = phx_units_apart(now[i], here, false), was = phx_units_apart(old[i], there, false);
            if (tall && by.sphere) is += dz * dz, was += old_dz * old_dz;
            if (cylinder && dz >= by.beyond) is = INT32_MAX;
            if (cylinder && old_dz >= by.beyond) was = INT32_MAX;
            const bool comes = was >= by.listed && is <= by.joins, goes = was <= by.unlisted && is >= by.stays;
            const bool unsure =
                cylinder && ((dz > by.level && dz < by.beyond) || (old_dz > by.level && old_dz < by.beyond));
            if (comes || goes || unsure) cr_assert(n < some && found[n++] == target[i], "%s: %u of %u", name, i, count);
        }
        cr_assert_eq(n, some, "%s", name);
        check_guard(found, some, LENGTH, name);
    }
}

Test(kernels, undecided_targets_of_a_cut_list)
{
    with_each(find_undecided_of_one);
}

/* Ranks by attribute set: none, one or several vectors without a special word, and bounds that some squares equal. */
static void rank_hits_of_rows(const phx_kernels *kernels, const char *name)
{
    enum { LENGTH = ROWS + 2 * PHX_KERNEL_PAD, SLOTS = 300, SETS = 40 };
    static uint32_t set[SLOTS], words[LENGTH], kept[LENGTH];
    static uint16_t rank[SETS + 1], ranks[LENGTH];
    static float bound[SETS], squares[LENGTH], near[LENGTH];
    uint64_t rng = 37;
    for (uint32_t i = 0; i < SLOTS; i++) set[i] = phx_rng_below(&rng, SETS);
    for (uint32_t round = 0; round < 2000; round++) {
        const uint32_t count = round % (ROWS + 1), specials = 1u << phx_rng_below(&rng, 8);
        const phx_rank_source by = {set, rank, phx_rng_below(&rng, 2) ? bound : NULL, (uint16_t)phx_rng_below(&rng, 3)};
        uint32_t n = 0;
        for (uint32_t i = 0; i < SETS; i++) {
            rank[i] = (uint16_t)(phx_rng_below(&rng, 3) * phx_rng_below(&rng, 512));
            bound[i] = (float)phx_rng_below(&rng, 60);
        }
        guard(kept, LENGTH);
        for (uint32_t i = 0; i < count; i++) {
            words[i] = kept[i] = phx_row_word_of(phx_rng_below(&rng, SLOTS), phx_rng_below(&rng, specials) == 0).bits;
            squares[i] = near[i] = (float)phx_rng_below(&rng, 40);
        }
        const uint32_t found = kernels->rank_hits(&by, kept, near, count, ranks);
        for (uint32_t i = 0; i < count; i++) {
            const phx_row_word word = phx_row_word_at(words, i);
            const uint32_t of = set[phx_row_word_slot(word)];
            const bool special = phx_row_word_special(word);
            const uint16_t expected = special ? rank[of] : by.plain;
            if (expected == 0 || (special && by.bound && squares[i] > bound[of])) continue;
            cr_assert(kept[n] == phx_row_word_slot(word) && near[n] == squares[i] && ranks[n] == expected,
                      "%s, round %u: hit %u of %u", name, round, i, count);
            n++;
        }
        cr_assert_eq(found, n, "%s, round %u", name, round);
        check_guard(kept, count, LENGTH, name);
    }
}

Test(kernels, hits_are_ranked_by_their_attribute_sets)
{
    with_each(rank_hits_of_rows);
}

/* Candidates are parted at a rank, any of all that there are. */
static void part_some(const phx_kernels *kernels, const char *name)
{
    enum { LENGTH = ROWS + 2 * PHX_KERNEL_PAD };
    static uint32_t kept[LENGTH];
    static uint16_t ranks[LENGTH];
    static double keys[LENGTH], parted[LENGTH];
    static uint8_t was[LENGTH], marks[LENGTH];
    uint64_t rng = 38;
    for (uint32_t round = 0; round < 2000; round++) {
        const uint32_t count = round % (ROWS + 1), values = 1u << phx_rng_below(&rng, 17);
        const uint32_t first = phx_rng_below(&rng, UINT16_MAX + 2 - values);
        const uint16_t rank = (uint16_t)(first + phx_rng_below(&rng, values));
        uint32_t n = 0, sure = 0;
        guard(kept, LENGTH);
        for (uint32_t i = 0; i < LENGTH; i++) ranks[i] = (uint16_t)(first + phx_rng_below(&rng, values));
        for (uint32_t i = 0; i < count; i++) {
            slots[i] = kept[i] = (uint32_t)phx_rng_next(&rng);
            keys[i] = parted[i] = phx_rng_unit(&rng);
            was[i] = marks[i] = phx_rng_below(&rng, 2) == 1;
        }
        const phx_rank_part part = kernels->part_at_rank(kept, parted, marks, ranks, count, rank);
        for (uint32_t i = 0; i < count; i++) {
            if (ranks[i] < rank) continue;
            const double key = ranks[i] > rank ? PHX_KEY_SURE : keys[i];
            cr_assert(kept[n] == slots[i] && parted[n] == key && marks[n] == was[i], "%s, round %u: %u of %u", name,
                      round, i, count);
            sure += ranks[i] > rank;
            n++;
        }
        cr_assert(part.kept == n && part.sure == sure, "%s, round %u", name, round);
        check_guard(kept, count, LENGTH, name);
    }
}

Test(kernels, parting_at_a_rank)
{
    with_each(part_some);
}

/* ---- orders and places ---- */

static void order_some(const phx_kernels *kernels, const char *name)
{
    uint64_t rng = 29, id[PHX_ORDER_SHORT_MAX];
    uint16_t kind[PHX_ORDER_SHORT_MAX];
    uint32_t place[PHX_ORDER_SHORT_MAX + 1];
    for (uint32_t round = 0; round < 12000; round++) {
        uint32_t count = 1 + round % PHX_ORDER_SHORT_MAX, kinds = round % 3 ? 1 : 3;
        bool alike = round / PHX_ORDER_SHORT_MAX % 2; /* one kind, and ids that a host counted up */
        uint64_t first = (phx_rng_below(&rng, 2) ? 0 : phx_rng_next(&rng) << 32) - 20;
        first += (uint64_t)phx_rng_below(&rng, 3) << 31;
        for (uint32_t i = 0; i < count; i++) {
            id[i] = phx_rng_below(&rng, 2) ? i + 1 : UINT64_MAX - i;
            kind[i] = (uint16_t)(phx_rng_below(&rng, 2) ? phx_rng_below(&rng, kinds) : UINT16_MAX - kinds);
            if (!alike) continue;
            id[i] = first + (i * 37 + round) % PHX_ORDER_SHORT_MAX;
            kind[i] = 7;
        }
        place[PHX_ORDER_SHORT_MAX] = GUARD;
        kernels->order(id, kind, count, place);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t before = 0;
            for (uint32_t j = 0; j < count; j++) before += kind[j] < kind[i] || (kind[j] == kind[i] && id[j] < id[i]);
            cr_assert_eq(place[i], before, "%s: %u of %u", name, i, count);
        }
        cr_assert_eq(place[PHX_ORDER_SHORT_MAX], GUARD, "%s: stored too far", name);
    }
}

/* All of one kind but one, wherever that stands: by ids alone it would be somewhere else. */
static void order_but_one(const phx_kernels *kernels, const char *name)
{
    for (uint32_t count = 2; count <= PHX_ORDER_SHORT_MAX; count++) {
        for (uint32_t discontinuous = 0; discontinuous < count; discontinuous++) {
            uint64_t id[PHX_ORDER_SHORT_MAX];
            uint16_t kind[PHX_ORDER_SHORT_MAX];
            uint32_t place[PHX_ORDER_SHORT_MAX];
            for (uint32_t i = 0; i < count; i++) {
                id[i] = i + 1;
                kind[i] = i == discontinuous ? discontinuous < count / 2 ? 9 : 3 : 7;
            }
            kernels->order(id, kind, count, place);
            cr_assert_eq(place[discontinuous], kind[discontinuous] == 9 ? count - 1 : 0, "%s: %u of %u", name,
                         discontinuous, count);
        }
    }
}

static void rank_some(const phx_kernels *kernels, const char *name)
{
    uint64_t rng = 31, word[PHX_ORDER_SHORT_MAX];
    uint32_t place[PHX_ORDER_SHORT_MAX + 1];
    cr_assert_leq(kernels->rank_most, PHX_ORDER_SHORT_MAX);
    for (uint32_t round = 0; round < 3000; round++) {
        uint32_t count = round % (kernels->rank_most + 1);
        uint64_t high = phx_rng_below(&rng, 2) ? 0 : UINT64_C(1) << 63; /* words have no sign */
        for (uint32_t i = 0; i < count; i++)
            word[i] = (i * 37 + round) % PHX_ORDER_SHORT_MAX * 0x100000001u ^ (phx_rng_below(&rng, 2) ? high : 0);
        place[PHX_ORDER_SHORT_MAX] = GUARD;
        kernels->rank_words(word, count, place);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t before = 0;
            for (uint32_t j = 0; j < count; j++) before += word[j] < word[i];
            cr_assert_eq(place[i], before, "%s: %u of %u", name, i, count);
        }
        cr_assert_eq(place[PHX_ORDER_SHORT_MAX], GUARD, "%s: stored too far", name);
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
static void check_places(const phx_name *names, const uint32_t *of, const uint32_t *depths, uint32_t count,
                         uint32_t first, const uint32_t *place, const char *name, uint32_t round)
{
    for (uint32_t i = 0; i < count; i++) {
        const phx_name *own = &names[of[i] & PHX_ROW_SLOT];
        uint32_t before = first, leaves = of[i] & PHX_TARGET_LEAVE;
        for (uint32_t j = 0; j < count; j++) {
            const phx_name *other = &names[of[j] & PHX_ROW_SLOT];
            bool sooner = other->kind < own->kind || (other->kind == own->kind && other->id < own->id);
            if (depths[i] != depths[j]) sooner = depths[j] < depths[i];
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
    uint64_t rng = 31, keyed = 0, deep = 0;
    for (uint32_t round = 0; round < 12000; round++) {
        uint32_t count = 1 + round % PHX_ORDER_SHORT_MAX, id_bits = phx_rng_below(&rng, 34);
        uint32_t kind_bits = phx_rng_below(&rng, 2) ? phx_rng_below(&rng, 17) : (32 - id_bits) & 15;
        uint64_t first = phx_rng_next(&rng), other = phx_rng_next(&rng), ids = 0, low = (UINT64_C(1) << id_bits) - 1;
        uint32_t slot[PHX_ORDER_SHORT_MAX], kinds = 0, step = 1 + phx_rng_below(&rng, 4);
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
        uint32_t depth_of[PHX_ORDER_MOST], deepest = phx_rng_below(&rng, PH_ATTACH_DEPTH_MAX + 1);
        const bool fits = bits + phx_order_width(kinds) + phx_order_width(deepest) <= PHX_ORDER_KEY_BITS;
        if (!fits) deepest = 0;
        deep += deepest > 0;
        for (uint32_t i = 0; i < end[changes - 1]; i++) depth_of[i] = phx_rng_below(&rng, deepest + 1);
        const uint32_t *depths = deepest > 0 ? depth_of : NULL;
        kernels->order_keys(&(phx_sort_key_format){names, bits, kinds, deepest},
                            &(phx_unsorted_events){targets_of, end, from, changes, depths}, place);
        for (uint32_t c = 0, at = 0; c < changes; at = end[c++])
            check_places(names, targets_of + at, depth_of + at, end[c] - at, from[c], place + at, name, round);
        cr_assert_eq(place[end[changes - 1] + PHX_KERNEL_PAD], GUARD, "%s: stored too far", name);
    }
    cr_assert_gt(keyed, 3000, "%s", name);
    cr_assert_gt(deep, 1000, "%s", name);
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

Test(kernels, keys_of_short_changes)
{
    with_each(order_some_keys);
    cr_assert_eq(phx_order_bits(0, 0), 0);
    cr_assert_eq(phx_order_bits(INT32_MAX, 0), 31);
    cr_assert_eq(phx_order_bits(INT32_MAX, 1), PHX_ORDER_NO_KEY);
    cr_assert_eq(phx_order_bits(UINT64_C(1) << 31, 0), PHX_ORDER_NO_KEY);
    cr_assert_eq(phx_order_bits(1, UINT16_MAX), 1);
}

Test(kernels, order_of_short_changes)
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

Test(kernels, set_difference_with_a_list)
{
    with_each(leave_out_some);
}

Test(kernels, a_chosen_instruction_set_is_supported)
{
    cr_assert(phx_simd_supported(PH_SIMD_PORTABLE));
    cr_assert_neq(phx_simd_choose(PH_SIMD_AUTO), PH_SIMD_AUTO);
    cr_assert(phx_simd_supported(phx_simd_choose(PH_SIMD_AUTO)));
    cr_assert_eq(phx_simd_choose(PH_SIMD_PORTABLE), PH_SIMD_PORTABLE);
}

/*
 * Every table with keys from outside, filled with keys that a client chose so that they collide: by known
 * mixers (the tables' former ones, splitmix64, the known key of tools), by differences that these mixers keep
 * when a seed is added or xored before them, and by plain strides. With a world's key none of it makes runs long.
 */
#include "unit/shards/shard_case.h"

#include "base/directory.h"
#include "base/idmap.h"
#include "base/rng.h"
#include "shards/classical/index_parts.h"
#include "shards/entity/attr_intern.h"
#include "world/batch/net_set.h"

enum {
    KEYS = 4000,
    FAMILIES = 12,
    SEEDS = 8,
    WALK = 24 /* buckets a key, on average: chance gives below 3 in a table, and a stride may be unlucky with a seed */
};

static uint64_t keys[KEYS];

TestSuite(crafted_keys, .init = memory_set_up, .fini = memory_tear_down);

/* ---- keys ---- */

/* Of an odd number, modulo 2^64: Newton doubles the right bits, and 3 are right at first. */
static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    for (int i = 0; i < 5; i++) x *= 2 - odd * x;
    return x;
}

static uint64_t unshift(uint64_t z, uint32_t bits)
{
    uint64_t x = z;
    for (uint32_t done = bits; done < 64; done += bits) x = z ^ x >> bits;
    return x;
}

static uint64_t unmix64(uint64_t z)
{
    z = unshift(z, 31) * inverse(0x94d049bb133111ebu);
    z = unshift(z, 27) * inverse(0xbf58476d1ce4e5b9u);
    return unshift(z, 30);
}

/* Groups of 2^bits ids with one upper half of fold times golden ratio: 0 = not a group's number. */
static uint64_t golden(uint64_t j, uint32_t bits, bool fold)
{
    uint64_t product = UINT64_C(0x12345678) << 32 | j, group = product * inverse(PHX_HASH_KEY_KNOWN.near);
    if (fold) group ^= group >> 32;
    return group >> (64 - bits) ? 0 : group << bits | 1;
}

/* The j-th key of a family, or 0: none. */
static uint64_t key_of(uint32_t family, uint64_t j)
{
    const uint64_t guess = 8, grouped = golden(j, 3, true);
    switch (family) {
    case 0:
        return grouped; /* the directory's former mixer */
    case 1:
        return golden(j, 2, true); /* the maps' former mixer */
    case 2:
        return golden(j, 3, false);
    case 3:
        return grouped ? grouped ^ guess : 0; /* with a seed that was guessed, xored */
    case 4:
        return unmix64(UINT64_C(0x12345678) << 32 | j);
    case 5:
        return unmix64(j << 20 | 77);
    case 6:
        return unmix64(j << 20 | 77) ^ guess;
    case 7:
        return (j + 1) * 46368 << PHX_HASH_RUN_BITS | 9; /* the same of each of many runs */
    case 8:
        return (j + 1) << 40;
    case 9:
        return (j + 1) << 22;
    case 10:
        return (j + 1) * 8 * 46368; /* times the golden ratio: nearly whole */
    default:
        return (j + 1) * 8 * 987;
    }
}

static void craft(uint32_t family)
{
    uint32_t count = 0;
    for (uint64_t j = 0; count < KEYS; j++)
        if ((keys[count] = key_of(family, j)) != 0) count++;
}

/* Calls for every family and every seed, and adds up its results: the distances to the keys. */
static void each(uint64_t (*fill)(void))
{
    for (uint32_t family = 0; family < FAMILIES; family++) {
        craft(family);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            memory.key = phx_hash_key_of(seed);
            uint64_t walked = fill();
            cr_expect_leq(walked, WALK * KEYS, "family %u seed %zu: %zu in all", family, (size_t)seed, (size_t)walked);
        }
    }
}

/* ---- tables ---- */

static uint64_t fill_directory(void)
{
    phx_directory directory;
    uint64_t walked = 0;
    phx_directory_init(&directory, &memory, 1);
    for (uint32_t i = 0; i < KEYS; i++) {
        cr_assert(phx_directory_reserve(&directory, keys[i]));
        phx_directory_insert(&directory, keys[i], i);
    }
    for (uint32_t i = 0; i < KEYS; i++) {
        uint64_t at = phx_directory_first(&directory, keys[i]);
        for (; phx_directory_id(&directory, at) != keys[i]; at = phx_directory_after(&directory, at)) walked++;
    }
    phx_directory_free(&directory);
    return walked;
}

Test(crafted_keys, the_directory_stays_quick)
{
    each(fill_directory);
}

static uint64_t fill_idmap(void)
{
    phx_idmap map;
    uint64_t walked = 0;
    phx_idmap_init(&map, &memory);
    for (uint32_t i = 0; i < KEYS; i++) {
        cr_assert(phx_idmap_reserve(&map, i + 1));
        phx_idmap_insert(&map, keys[i], i);
    }
    for (uint32_t i = 0; i < KEYS; i++) {
        uint64_t at = phx_idmap_home(&map, keys[i]);
        for (; phx_idmap_bucket_at(&map, at)->id != keys[i]; at = phx_idmap_after(&map, at)) walked++;
    }
    phx_idmap_free(&map);
    return walked;
}

/* Relations, attachments, depths, areas and their cells, crowds, previous rows, renames, ghosts, nets, backlogs. */
Test(crafted_keys, tables_by_id_stay_quick)
{
    each(fill_idmap);
}

static uint64_t walk_of_table(const phx_net_table *t)
{
    uint64_t walked = 0;
    for (uint32_t i = 0; i < t->slot_count; i++)
        if (t->slots[i].index1 != 0) walked += (i - t->slots[i].hash) & (t->slot_count - 1);
    return walked;
}

/* Observers, and the targets of one. */
static uint64_t fill_net_set(void)
{
    phx_net_set set;
    phx_net_set_init(&set, &memory);
    for (uint32_t i = 0; i < KEYS; i++) {
        cr_assert(phx_net_set_reserve(&set, 1, 1, 0));
        uint32_t observer = phx_net_set_observer_add(&set, keys[i]);
        (void)phx_net_set_entry_add(&set, 0, keys[i] == 0 ? 1 : keys[i]);
        cr_assert_eq(observer, i);
    }
    uint64_t walked = walk_of_table(&set.observer_table) + walk_of_table(&set.entry_table);
    phx_net_set_release(&set);
    return walked;
}

Test(crafted_keys, net_set)
{
    each(fill_net_set);
}

/*
 * One target of each observer, chosen by the observer's place in the table, which follows from the order of their
 * changes. By family: the former hash, the golden ratio times one part, plain differences.
 */
static uint64_t target_for(uint32_t family, uint64_t observer)
{
    const uint64_t base = UINT64_C(1) << 40;
    switch (family) {
    case 0:
        return base ^ phx_mix64(observer + 1); /* the place was mixed, without a key, and xored */
    case 1:
        return base - observer * PHX_HASH_KEY_KNOWN.near * inverse(PHX_HASH_KEY_KNOWN.far);
    case 2:
        return base ^ observer;
    case 3:
        return base ^ observer << 32;
    default:
        return base - observer;
    }
}

static uint64_t fill_pairs(uint32_t family)
{
    phx_net_set set;
    phx_net_set_init(&set, &memory);
    for (uint32_t o = 0; o < KEYS; o++) {
        cr_assert(phx_net_set_reserve(&set, 1, 1, 0));
        cr_assert_eq(phx_net_set_observer_add(&set, o + 1), o);
        (void)phx_net_set_entry_add(&set, o, target_for(family, o));
    }
    const uint64_t walked = walk_of_table(&set.entry_table);
    phx_net_set_release(&set);
    return walked;
}

Test(crafted_keys, netset_with_a_target_for_each_observer)
{
    enum { PAIR_FAMILIES = 5 };
    for (uint32_t family = 0; family < PAIR_FAMILIES; family++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            memory.key = phx_hash_key_of(seed);
            const uint64_t walked = fill_pairs(family);
            cr_expect_leq(walked, WALK * KEYS, "family %u seed %zu: %zu in all", family, (size_t)seed, (size_t)walked);
        }
    }
}

/* Sets of one hash are in one chain; the hash is the map's key. */
static uint64_t fill_attr_sets(void)
{
    phx_attr_sets sets;
    uint64_t walked = 0;
    phx_attr_sets_init(&sets, &memory);
    for (uint32_t i = 0; i < KEYS; i++) {
        const phx_attr attr = {.layers = keys[i], .sees = ~keys[i]};
        cr_assert(phx_attr_sets_reserve(&sets, &memory, 1));
        (void)phx_attr_sets_acquire(&sets, &attr);
    }
    for (uint32_t i = 0; i < sets.numbers; i++) walked += sets.use[i].next != PHX_ATTR_SET_NONE;
    for (uint64_t b = 0; b < phx_idmap_bucket_count(&sets.index); b++) {
        const uint64_t id = phx_idmap_bucket_at(&sets.index, b)->id;
        for (uint64_t at = id ? phx_idmap_home(&sets.index, id) : b; at != b; at = phx_idmap_after(&sets.index, at))
            walked++;
    }
    phx_attr_sets_free(&sets, &memory);
    return walked;
}

Test(crafted_keys, attr_sets)
{
    each(fill_attr_sets);
}

/*
 * A change of the upper bit alone passes every odd factor as it is. So in the old hash a word and its changed form met
 * whatever the factor was. Pairs of words of such sets.
 */
Test(crafted_keys, attr_sets_with_words_that_cancel_out)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        phx_attr_sets sets;
        memory.key = phx_hash_key_of(seed);
        phx_attr_sets_init(&sets, &memory);
        cr_assert(phx_attr_sets_reserve(&sets, &memory, 2));
        const uint64_t top = UINT64_C(1) << 63;
        const phx_attr one = {.layers = 5, .sees = 9}, other = {.layers = 5 ^ top, .sees = 9 ^ top ^ top >> 32};
        uint32_t a = phx_attr_sets_acquire(&sets, &one), b = phx_attr_sets_acquire(&sets, &other);
        cr_expect(a != b && sets.use[a].next == PHX_ATTR_SET_NONE && sets.use[b].next == PHX_ATTR_SET_NONE, "seed %zu",
                  (size_t)seed);
        phx_attr_sets_free(&sets, &memory);
    }
}

/* Cells in buckets of a power of two, as index = hash and timer have them: pairs in one bucket. */
static uint64_t fill_cells(void)
{
    enum { BUCKETS = 4 * 4096 };
    static uint32_t in[BUCKETS];
    const phx_index_env env = {.mem = &memory};
    uint64_t walked = 0;
    memset(in, 0, sizeof in);
    for (uint32_t i = 0; i < KEYS; i++) {
        uint64_t hash = phx_index_cell_hash(&env, (int32_t)(keys[i] >> 32), (int32_t)keys[i]);
        walked += in[hash & (BUCKETS - 1)]++;
    }
    return walked;
}

Test(crafted_keys, cells_of_an_index_stay_quick)
{
    each(fill_cells);
}

/* ---- the key ---- */

/* Neighbours that run on are spread evenly with every seed. */
Test(crafted_keys, ids_that_run_on_meet_seldom)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        memory.key = phx_hash_key_of(seed);
        for (uint64_t i = 0; i < KEYS; i++) keys[i] = 1000 + i;
        cr_expect_leq(fill_directory(), 4 * KEYS, "seed %zu", (size_t)seed);
    }
}

Test(crafted_keys, every_seed_has_another_key)
{
    phx_hash_key before = phx_hash_key_of(0);
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        phx_hash_key key = phx_hash_key_of(seed);
        cr_expect(key.near % 2 == 1 && key.far % 2 == 1);
        cr_expect(key.near != before.near && key.far != before.far);
        before = key;
    }
}

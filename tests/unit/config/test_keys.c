/*
 * Every key of a config, by hand-written tables: its default, the ends of its range, values
 * just outside, texts that are no value of its type; by file and by --set.
 */
#include "base/keys.h"
#include "unit/config/config_case.h"

#define F32_ANY "[-1e18, 1e18]"
#define F32_POSITIVE "(0, 1e18]"
#define F32_FROM_0 "[0, 1e18]"
#define NUMBER "a number in "
#define WHOLE "a whole number in "

/* Each a config text; "" = does not apply. */
typedef struct row {
    const char *key;
    const char *shown;   /* default, in the dump */
    const char *with;    /* other keys that min and max need, by the rules between keys */
    const char *partner; /* the other value of a pair, else NULL */
    const char *min, *max;
    const char *below, *above;
    const char *kind; /* "a number in ", ... */
    const char *range;
} row;

static const row world_rows[] = {
    {"world_origin", "{0, 0}", "", "5", "-1e18", "1e18", "-1.0000001e18", "1.0000001e18", NUMBER, F32_ANY},
    {"world_size", "{10000, 10000}", "tower_size = 1e18", "5", "1.1754944e-38", "1e18", "0", "1.0000001e18", NUMBER,
     F32_POSITIVE},
    {"height", "100", "", NULL, "0", "1e18", "-0.0000001", "1.0000001e18", NUMBER, F32_FROM_0},
    {"tower_size", "0", "", NULL, "0", "1e18", "-0.0000001", "1.0000001e18", NUMBER, F32_FROM_0},
    {"span", "1", "", NULL, "0", "65535", "-1", "65536", WHOLE, "[0, 65535]"},
    {"shards", "{1, 1}", "tower_size = 1", "1", "1", "1024", "0", "1025", WHOLE, "[1, 1024]"},
    {"activation_span", "1", "", NULL, "0", "255", "-1", "256", WHOLE, "[0, 255]"},
    {"activation_linger", "20", "", NULL, "0", "2147483647", "-1", "2147483648", WHOLE, "[0, 2^31-1]"},
    {"workers", "1", "", NULL, "1", "256", "0", "257", WHOLE, "[1, 256]"},
    {"cell_size", "0", "", NULL, "0", "1e18", "-0.0000001", "1.0000001e18", NUMBER, F32_FROM_0},
    {"sticky", "1.1", "", NULL, "1", "1000000", "0.99999999999999989", "1000000.0000000002", NUMBER, "[1, 1000000]"},
    {"crowd_entities", "0", "", NULL, "0", "1073741824", "-1", "1073741825", WHOLE, "[0, 2^30]"},
    {"crowd_floor", "0.25", "", NULL, "0.0625", "1", "0.0624", "1.0000001", NUMBER, "[0.0625, 1]"},
    {"share_min", "2048", "", NULL, "0", "1073741824", "-1", "1073741825", WHOLE, "[0, 2^30]"},
    {"events_max", "0", "", NULL, "0", "2147483648", "-1", "2147483649", WHOLE, "[0, 2^31]"},
    {"entities_max", "4194304", "", NULL, "1", "1073741824", "0", "1073741825", WHOLE, "[1, 2^30]"},
    {"areas_max", "100000", "", NULL, "0", "1048576", "-1", "1048577", WHOLE, "[0, 2^20]"},
    {"producers_max", "16", "", NULL, "1", "256", "0", "257", WHOLE, "[1, 256]"},
    {"producer_bytes", "67108864", "", NULL, "131072", "1073741824", "131071", "1073741825", WHOLE, "[131072, 2^30]"},
    {"broadcast_bytes", "67108864", "", NULL, "65536", "1073741824", "65535", "1073741825", WHOLE, "[65536, 2^30]"},
    {"refusals_max", "4096", "", NULL, "1", "1048576", "0", "1048577", WHOLE, "[1, 2^20]"},
    {"consumers", "1", "", NULL, "0", "256", "-1", "257", WHOLE, "[0, 256]"},
    {"consumer_batches", "64", "", NULL, "1", "65536", "0", "65537", WHOLE, "[1, 65536]"},
    {"consumer_bytes", "4194304", "", NULL, "0", "1073741824", "-1", "1073741825", WHOLE, "[0, 2^30]"},
    {"quadtree_capacity", "128", "", NULL, "1", "1048576", "0", "1048577", WHOLE, "[1, 2^20]"},
    {"quadtree_depth", "5", "", NULL, "0", "16", "-1", "17", WHOLE, "[0, 16]"},
    {"exchange_bytes", "1048576", "", NULL, "16384", "1073741824", "16383", "1073741825", WHOLE, "[16384, 2^30]"},
};

static const row class_rows[] = {
    {"view", "0", "", NULL, "0", "1e18", "-1", "1.0000001e18", NUMBER, F32_FROM_0},
    {"margin", "0", "", NULL, "0", "1e18", "-1", "1.0000001e18", NUMBER, F32_FROM_0},
    {"reach", "0", "", NULL, "0", "1e18", "-1", "1.0000001e18", NUMBER, F32_FROM_0},
    {"visible", "1e18", "", NULL, "0", "1e18", "-1", "1.0000001e18", NUMBER, F32_FROM_0},
    {"stealth", "0", "", NULL, "0", "255", "-1", "256", WHOLE, "[0, 255]"},
    {"detect", "0", "", NULL, "0", "255", "-1", "256", WHOLE, "[0, 255]"},
    {"cap", "0", "", NULL, "0", "2147483647", "-1", "2147483648", WHOLE, "[0, 2^31-1]"},
    {"priority", "0", "", NULL, "0", "255", "-1", "256", WHOLE, "[0, 255]"},
    {"adds_max", "0", "", NULL, "0", "2147483647", "-1", "2147483648", WHOLE, "[0, 2^31-1]"},
    {"updates_max", "0", "", NULL, "0", "2147483647", "-1", "2147483648", WHOLE, "[0, 2^31-1]"},
};

enum { WORLD_ROWS = sizeof world_rows / sizeof *world_rows, CLASS_ROWS = sizeof class_rows / sizeof *class_rows };

/* Of the lists: 4 enumerations, a seed, 2 masks and 6 flags have tests of their own below. */
#define ONE(...) +1
_Static_assert(WORLD_ROWS + 6 == 0 PHX_WORLD_KEYS(ONE), "a key has no row");
_Static_assert(CLASS_ROWS + 7 == 0 PHX_CLASS_KEYS(ONE), "an attribute has no row");

enum { TEXT_SIZE = 512 };

/* "key = value", of a pair "key = {value, partner}" or, second, "key = {partner, value}". */
static void setting(const row *r, bool second, const char *value, char text[TEXT_SIZE])
{
    if (r->partner == NULL) {
        snprintf(text, TEXT_SIZE, "%s = %s", r->key, value);
    } else {
        snprintf(text, TEXT_SIZE, "%s = {%s, %s}", r->key, second ? r->partner : value, second ? value : r->partner);
    }
}

/* The same as an assignment. */
static void assignment(const row *r, bool second, const char *value, char text[TEXT_SIZE])
{
    if (r->partner == NULL) {
        snprintf(text, TEXT_SIZE, "%s=%s", r->key, value);
    } else {
        snprintf(text, TEXT_SIZE, "%s=%s,%s", r->key, second ? r->partner : value, second ? value : r->partner);
    }
}

static void wrap(bool in_class, const char *inside, char text[2 * TEXT_SIZE])
{
    snprintf(text, 2 * TEXT_SIZE, in_class ? "class default { %s }" : "%s", inside);
}

static void expect_taken(const row *r, bool in_class, bool second, const char *value)
{
    char one[TEXT_SIZE];
    char all[2 * TEXT_SIZE];
    char with[3 * TEXT_SIZE];
    ph_config *config = config_new();

    setting(r, second, value, one);
    wrap(in_class, one, all);
    snprintf(with, sizeof with, "%s\n%s", r->with, all);
    config_load_ok(config, with);
    config_expect(config, one, "t:2");
    ph_config_destroy(config);

    config = config_new();
    config_load_ok(config, r->with);
    assignment(r, second, value, all);
    config_set_ok(config, all);
    config_expect(config, one, "--set");
    ph_config_destroy(config);
}

static void expect_refused(const row *r, bool in_class, bool second, const char *value, const char *reason)
{
    char one[TEXT_SIZE];
    char all[2 * TEXT_SIZE];
    char line[TEXT_SIZE];
    ph_config *config = config_new();

    setting(r, second, value, one);
    wrap(in_class, one, all);
    snprintf(line, sizeof line, "t:1: %s", reason);
    config_load_refused(config, all, line);
    assignment(r, second, strcmp(value, "\"\"") == 0 ? "" : value, all);
    config_set_refused(config, all, reason);
    ph_config_destroy(config);
}

static void expect_row(const row *r, bool in_class, bool second)
{
    static const char *const no_values[] = {"abc", "nan", "-nan", "inf",  "-inf", "infinity", "0x10",
                                            "5x",  "-",   "1e",   "true", "--1",  "1-1"};
    char text[TEXT_SIZE];
    ph_config *config = config_new();

    snprintf(text, sizeof text, "%s = %s", r->key, r->shown);
    config_expect(config, text, "default");
    ph_config_destroy(config);

    expect_taken(r, in_class, second, r->min);
    expect_taken(r, in_class, second, r->max);
    snprintf(text, sizeof text, "%s = %s is outside %s", r->key, r->below, r->range);
    expect_refused(r, in_class, second, r->below, text);
    snprintf(text, sizeof text, "%s = %s is outside %s", r->key, r->above, r->range);
    expect_refused(r, in_class, second, r->above, text);
    for (size_t i = 0; i < sizeof no_values / sizeof *no_values; i++) {
        snprintf(text, sizeof text, "%s = '%s' is not %s%s", r->key, no_values[i], r->kind, r->range);
        expect_refused(r, in_class, second, no_values[i], text);
    }
    snprintf(text, sizeof text, "%s = '' is not %s%s", r->key, r->kind, r->range);
    expect_refused(r, in_class, second, "\"\"", text);
    if (strcmp(r->kind, WHOLE) == 0) {
        snprintf(text, sizeof text, "%s = '1.5' is not %s%s", r->key, r->kind, r->range);
        expect_refused(r, in_class, second, "1.5", text);
        snprintf(text, sizeof text, "%s = 18446744073709551617 is outside %s", r->key, r->range);
        expect_refused(r, in_class, second, "18446744073709551617", text); /* 2^64 + 1 */
    } else {
        snprintf(text, sizeof text, "%s = 1e-999 is too near to 0 for its type; it may be in %s", r->key, r->range);
        expect_refused(r, in_class, second, "1e-999", text);
        snprintf(text, sizeof text, "%s = 1e999 is outside %s", r->key, r->range);
        expect_refused(r, in_class, second, "1e999", text);
    }
}

Test(config_keys, numbers_of_the_world)
{
    for (size_t i = 0; i < WORLD_ROWS; i++) {
        expect_row(&world_rows[i], false, false);
        if (world_rows[i].partner != NULL) {
            expect_row(&world_rows[i], false, true);
        }
    }
}

Test(config_keys, numbers_of_a_class)
{
    for (size_t i = 0; i < CLASS_ROWS; i++) {
        expect_row(&class_rows[i], true, false);
    }
}

/* An index beside the lighthouse, if there is one: a key takes indexes that are built in. */
#ifdef PHX_CLASSICAL_INDEXES
#define OTHER_INDEX "brute"
#else
#define OTHER_INDEX "lighthouse"
#endif

Test(config_keys, words_are_exact_and_listed_when_refused)
{
    static const row words[] = {
        {"range", "radius", "", NULL, "radius", "towers", "", "", "", "radius, towers"},
        {"shape", "circle", "", NULL, "circle", "square", "", "", "", "circle, square, cylinder, sphere"},
        {"shape", "circle", "", NULL, "cylinder", "sphere", "", "", "", "circle, square, cylinder, sphere"},
        {"index", "lighthouse", "", NULL, "lighthouse", OTHER_INDEX, "", "", "",
         "lighthouse, brute, grid, hash, crosslist, towers, quadtree, hex, timer"},
        {"simd", "auto", "", NULL, "portable", "auto", "", "", "", "auto, portable, avx2, avx512"},
    };
    static const char *const no_words[] = {"Radius", "CIRCLE", "0", "1", "nan", "sphere2", "lighthous", "true"};
    ph_config *config = config_new();
    char text[TEXT_SIZE];

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        snprintf(text, sizeof text, "%s = %s", words[i].key, words[i].shown);
        config_expect(config, text, "default");
        expect_taken(&words[i], false, false, words[i].min);
        expect_taken(&words[i], false, false, words[i].max);
        for (size_t j = 0; j < sizeof no_words / sizeof *no_words; j++) {
            snprintf(text, sizeof text, "%s = '%s' is none of: %s", words[i].key, no_words[j], words[i].range);
            expect_refused(&words[i], false, false, no_words[j], text);
        }
        snprintf(text, sizeof text, "%s = '' is none of: %s", words[i].key, words[i].range);
        expect_refused(&words[i], false, false, "\"\"", text);
    }
    config_load_ok(config, "range = towers shape = sphere");
    cr_expect_eq(ph_config_def(config)->range, PH_RANGE_TOWERS);
    cr_expect_eq(ph_config_def(config)->shape, PH_SHAPE_SPHERE);
    ph_config_destroy(config);
}

Test(config_keys, masks_are_decimal_or_hexadecimal)
{
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"0", 0},
        {"1", 1},
        {"18446744073709551615", UINT64_MAX},
        {"9223372036854775808", UINT64_C(1) << 63},
        {"0x0", 0},
        {"0xffffffffffffffff", UINT64_MAX},
        {"0XFFFFFFFFFFFFFFFF", UINT64_MAX},
        {"0x8000000000000001", (UINT64_C(1) << 63) | 1},
        {"010", 10},
        {"0x00000000000000000000001", 1},
    };
    static const char *const no_masks[] = {"abc", "ff", "0x", "0xg", "1.5", "1e3", "-1", "0x-1", "nan", "all", "0b11"};
    static const row rows[] = {
        {"layers", "0x1", "", NULL, "0x0", "0xffffffffffffffff", "", "", "", ""},
        {"sees", "0xffffffffffffffff", "", NULL, "0x0", "0xffffffffffffffff", "", "", "", ""},
    };
    char text[TEXT_SIZE];
    ph_config *config = config_new();

    for (size_t i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%s = %s", rows[i].key, rows[i].shown);
        config_expect(config, text, "default");
        expect_taken(&rows[i], true, false, rows[i].min);
        expect_taken(&rows[i], true, false, rows[i].max);
        for (size_t j = 0; j < sizeof no_masks / sizeof *no_masks; j++) {
            snprintf(text, sizeof text,
                     "%s = '%s' is not a mask: decimal, or 0x and hexadecimal, in [0, "
                     "2^64-1]",
                     rows[i].key, no_masks[j]);
            expect_refused(&rows[i], true, false, no_masks[j], text);
        }
        snprintf(text, sizeof text, "%s = 18446744073709551616 is outside [0, 2^64-1]", rows[i].key);
        expect_refused(&rows[i], true, false, "18446744073709551616", text);
        snprintf(text, sizeof text, "%s = 0x10000000000000000 is outside [0, 2^64-1]", rows[i].key);
        expect_refused(&rows[i], true, false, "0x10000000000000000", text);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "class default { layers = %s } class a { sees = %s }", good[i].text, good[i].text);
        config_load_ok(config, text);
        cr_expect_eq(ph_config_def(config)->classes[0].layers, good[i].value, "%s", good[i].text);
        cr_expect_eq(ph_config_def(config)->classes[1].sees, good[i].value, "%s", good[i].text);
    }
    ph_config_destroy(config);
}

Test(config_keys, hash_seed)
{
    static const row seed = {"hash_seed", "0", "", NULL, "0", "18446744073709551615", "", "", "", ""};
    static const char *const no_numbers[] = {"abc", "0x", "1.5", "1e3", "-1", "random"};
    char text[TEXT_SIZE];
    ph_config *config = config_new();

    config_expect(config, "hash_seed = 0", "default");
    expect_taken(&seed, false, false, seed.min);
    expect_taken(&seed, false, false, seed.max);
    config_load_ok(config, "hash_seed = 0x8000000000000001");
    cr_expect_eq(ph_config_def(config)->hash_seed, (UINT64_C(1) << 63) | 1);
    config_expect(config, "hash_seed = 9223372036854775809", "t:1");
    for (size_t i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++) {
        snprintf(text, sizeof text,
                 "hash_seed = '%s' is not a whole number: decimal, or 0x and hexadecimal, in [0, "
                 "2^64-1]",
                 no_numbers[i]);
        expect_refused(&seed, false, false, no_numbers[i], text);
    }
    snprintf(text, sizeof text, "hash_seed = 18446744073709551616 is outside [0, 2^64-1]");
    expect_refused(&seed, false, false, "18446744073709551616", text);
    ph_config_destroy(config);
}

Test(config_keys, flags_have_three_words_for_each_value)
{
    static const char *const yes[] = {"true", "yes", "on", "1", "TRUE", "Yes"};
    static const char *const no[] = {"false", "no", "off", "0", "False", "OFF"};
    static const char *const neither[] = {"2", "-1", "t", "y", "nan", "truee", "00", "01"};
    static const row rows[] = {
        {"veiled", "false", "", NULL, "false", "true", "", "", "", ""},
        {"global", "false", "", NULL, "false", "true", "", "", "", ""},
        {"ready", "true", "", NULL, "false", "true", "", "", "", ""},
        {"wakes", "false", "", NULL, "false", "true", "", "", "", ""},
        {"sleeps", "true", "", NULL, "false", "true", "", "", "", ""},
        {"positions", "true", "", NULL, "false", "true", "", "", "", ""}, /* the world's */
    };
    enum { OF_CLASSES = sizeof rows / sizeof *rows - 1 };
    char text[TEXT_SIZE];
    ph_config *config = config_new();

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text, "%s = %s", rows[i].key, rows[i].shown);
        config_expect(config, text, "default");
        expect_taken(&rows[i], i < OF_CLASSES, false, rows[i].min);
        expect_taken(&rows[i], i < OF_CLASSES, false, rows[i].max);
        for (size_t j = 0; j < sizeof neither / sizeof *neither; j++) {
            snprintf(text, sizeof text, "%s = '%s' is neither true nor false (yes, no, on, off, 1, 0)", rows[i].key,
                     neither[j]);
            expect_refused(&rows[i], i < OF_CLASSES, false, neither[j], text);
        }
        snprintf(text, sizeof text, "%s = '' is neither true nor false (yes, no, on, off, 1, 0)", rows[i].key);
        expect_refused(&rows[i], i < OF_CLASSES, false, "\"\"", text);
    }
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        snprintf(text, sizeof text, "class default { global = %s ready = %s }", yes[i], no[i]);
        config_load_ok(config, text);
        cr_expect(ph_config_def(config)->classes[0].global, "%s", yes[i]);
        cr_expect_not(ph_config_def(config)->classes[0].ready, "%s", no[i]);
    }
    ph_config_destroy(config);
}

Test(config_keys, float_is_rounded_once)
{
    ph_config *config = config_new();

    /* Just above the middle of 1 and its float32 neighbour, but at it as a float64. */
    config_set_ok(config, "view=1.00000005960464477540000000000000000001");
    cr_expect_float_eq(ph_config_def(config)->classes[0].view, 1.00000011920928955078f, 0);
    config_set_ok(config, "view=16777217");
    cr_expect_float_eq(ph_config_def(config)->classes[0].view, 16777216.0f, 0);
    config_set_ok(config, "world_origin=-0,0");
    cr_expect_eq(1 / ph_config_def(config)->world_origin[0] > 0, true, "-0 is 0");
    config_set_ok(config, "sticky=1.0000000000000002");
    cr_expect_eq(ph_config_def(config)->sticky, 1 + 0x1p-52);
    ph_config_destroy(config);
}

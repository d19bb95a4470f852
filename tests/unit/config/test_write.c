/*
 * The written texts of a config: the dump, which is the config again; the sample in the tree, which
 * is the defaults; the reference page, which equals the page in the tree.
 */
#include <float.h>
#include <inttypes.h>

#include "base/key_table.h"
#include "base/rng.h"
#include "unit/config/config_case.h"

static const phx_key world_keys[PHX_WORLD_KEY_COUNT] = PHX_WORLD_KEY_TABLE;
static const phx_key class_keys[PHX_CLASS_KEY_COUNT] = PHX_CLASS_KEY_TABLE;
static const phx_key band_keys[PHX_BAND_KEY_COUNT] = PHX_BAND_KEY_TABLE;

/* The bytes of a key's value. */
static size_t key_size(const phx_key *key)
{
    switch (key->type) {
    case PHX_KEY_u64:
    case PHX_KEY_mask:
    case PHX_KEY_f64:
        return 8;
    case PHX_KEY_u8:
    case PHX_KEY_flag:
        return 1;
    default:
        return 4 * phx_key_width(key->type);
    }
}

/* Every key the same to the bit. */
static void expect_same(const ph_world_def *a, const ph_world_def *b)
{
    for (uint32_t i = 0; i < PHX_WORLD_KEY_COUNT; i++) {
        const phx_key *key = &world_keys[i];

        cr_expect_eq(memcmp((const char *)a + key->offset, (const char *)b + key->offset, key_size(key)), 0, "%s",
                     key->name);
    }
    cr_assert_eq(a->class_count, b->class_count);
    for (uint32_t kind = 0; kind < a->class_count; kind++) {
        cr_expect_str_eq(a->classes[kind].name, b->classes[kind].name);
        for (uint32_t i = 0; i < PHX_CLASS_KEY_COUNT; i++) {
            const phx_key *key = &class_keys[i];

            cr_expect_eq(memcmp((const char *)&a->classes[kind] + key->offset,
                                (const char *)&b->classes[kind] + key->offset, key_size(key)),
                         0, "%s.%s", a->classes[kind].name, key->name);
        }
        cr_expect_eq(a->classes[kind].band_count, b->classes[kind].band_count);
        cr_expect_eq(memcmp(a->classes[kind].bands, b->classes[kind].bands, sizeof a->classes[kind].bands), 0);
    }
}

static void expect_round_trip(const ph_config *config)
{
    ph_config *again = config_new();
    char *dump = config_dump(config);

    config_load_ok(again, dump);
    expect_same(ph_config_def(config), ph_config_def(again));
    free(dump);
    ph_config_destroy(again);
}

/* ================================== dump ================================== */

/* A number in the key's range, of any magnitude; whole ones for whole keys. */
static double any_number(const phx_key *key, uint64_t *rng)
{
    double unit = (double)(phx_rng_next(rng) >> 11) * 0x1p-53;
    double value;

    if (key->max < (double)PH_LENGTH_MAX) {
        value = key->min + unit * (key->max - key->min);
        return key->type == PHX_KEY_f64 ? value : (double)(uint64_t)value;
    }
    value = unit * 10;
    for (uint32_t i = phx_rng_below(rng, 37); i > 0; i--) {
        value = phx_rng_below(rng, 2) == 0 ? value * 10 : value / 10;
    }
    if (key->min < 0 && phx_rng_below(rng, 2) == 0) {
        value = -value;
    }
    value = value > key->max ? key->max : value;
    return value < key->min ? key->min : value;
}

/* "key=value" with as many digits as a type can need. */
static void any_assignment(const phx_key *key, const char *prefix, uint64_t *rng, char *text, size_t size)
{
    uint32_t count;
    const char *const *words = phx_key_words(key->type, &count);

    if (words != NULL) {
        snprintf(text, size, "%s%s=%s", prefix, key->name, words[phx_rng_below(rng, count)]);
    } else if (phx_key_is_64_bit(key->type)) {
        snprintf(text, size, "%s%s=%" PRIu64, prefix, key->name, phx_rng_next(rng));
    } else if (phx_key_width(key->type) == 2) {
        snprintf(text, size, "%s%s=%.17g,%.17g", prefix, key->name, any_number(key, rng), any_number(key, rng));
    } else {
        snprintf(text, size, "%s%s=%.17g", prefix, key->name, any_number(key, rng));
    }
}

Test(config_write, dump_and_load_give_the_same_bits)
{
    uint64_t rng = 2026;
    ph_config_error error;
    uint32_t taken = 0;

    for (int round = 0; round < 300; round++) {
        ph_config *config = config_new();
        char text[256];

        for (uint32_t i = 0; i < PHX_WORLD_KEY_COUNT; i++) {
            any_assignment(&world_keys[i], "", &rng, text, sizeof text);
            taken += ph_config_set(config, text, &error) == PH_OK; /* a rule between keys may refuse one */
        }
        for (uint32_t i = 0; i < PHX_CLASS_KEY_COUNT; i++) {
            any_assignment(&class_keys[i], phx_rng_below(&rng, 2) == 0 ? "a." : "", &rng, text, sizeof text);
            config_set_ok(config, text);
            taken++;
        }
        snprintf(text, sizeof text, "a.band=%.9g:%u,%.9g:255", any_number(&band_keys[0], &rng) * 1e-3 + 1e-30,
                 1 + phx_rng_below(&rng, 255), 1e18);
        config_set_ok(config, text);
        expect_round_trip(config);
        ph_config_destroy(config);
    }
    cr_expect_gt(taken, 300u * 25, "of 29 keys a round");
}

Test(config_write, dump_and_load_at_the_ends_of_the_ranges)
{
    ph_config *config = config_new();

    config_load_ok(config, "world_origin = {-1e18, 1e18} world_size = {1.1754944e-38, 1e18} "
                           "tower_size = 1e18 height = 0.1 sticky = 1.0000000000000002 "
                           "entities_max = 1073741824 "
                           "class a { view = 16777216 margin = 0.3333333432674407958984375 reach = 999999999 } "
                           "class b { view = 1000000000 margin = 123456.789 reach = 1e-37 sees = 0 }");
    expect_round_trip(config);
    config_expect(config, "world_origin = {-1e18, 1e18}", "t:1");
    config_expect(config, "height = 0.1", "t:1");
    config_expect(config, "sticky = 1.0000000000000002", "t:1");
    config_expect(config, "view = 16777216", "t:1");
    config_expect(config, "margin = 0.33333334", "t:1");
    ph_config_destroy(config);
}

Test(config_write, dump_that_can_not_be_written)
{
    FILE *readable = fopen(CONFIG_SAMPLE, "r");
    ph_config *config = config_new();

    cr_assert_not_null(readable);
    cr_expect_eq(ph_config_dump(config, readable), PH_BAD_ARGUMENT);
    clearerr(readable);
    cr_expect_eq(ph_config_reference(readable), PH_BAD_ARGUMENT);
    fclose(readable);
    ph_config_destroy(config);
}

/* ============================ files of the tree ============================ */

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    size_t length;

    cr_assert_not_null(file, "%s", path);
    cr_assert_not_null(text);
    length = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    cr_assert_gt(length, 0, "%s is empty", path);
    return text;
}

Test(config_write, sample_is_the_defaults)
{
    ph_world_def defaults = ph_world_def_default();
    ph_config *config = config_new();
    ph_config_error error;
    char *dump;

    cr_assert_eq(ph_config_load(config, CONFIG_SAMPLE, &error), PH_OK, "%s", error.reason);
    expect_same(ph_config_def(config), &defaults);
    dump = config_dump(config);
    cr_expect_null(strstr(dump, "# default"), "a key is missing in the sample: %s", strstr(dump, "# default"));
    free(dump);
    ph_config_destroy(config);
}

Test(config_write, a_fresh_config_is_the_defaults)
{
    ph_world_def defaults = ph_world_def_default();
    ph_config *config = config_new();

    expect_same(ph_config_def(config), &defaults);
    ph_config_destroy(config);
}

/* The commented-out lines of the sample have to work too. */
Test(config_write, example_classes_of_the_sample)
{
    char *sample = read_all(CONFIG_SAMPLE);
    char *at = strstr(sample, "# class player {");
    ph_config *config = config_new();

    cr_assert_not_null(at);
    for (; at != NULL && *at == '#'; at = strchr(at, '\n') != NULL ? strchr(at, '\n') + 1 : NULL) {
        *at = ' '; /* no comment any more */
    }
    config_load_ok(config, sample);
    cr_expect_eq(ph_config_kind(config, "player"), 1);
    cr_expect_eq(ph_config_kind(config, "npc"), 2);
    cr_expect_eq(ph_config_kind(config, "dragon"), 3);
    free(sample);
    ph_config_destroy(config);
}

Test(config_write, reference_page_is_up_to_date)
{
    char *in_tree = read_all(CONFIG_REFERENCE);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    cr_assert_not_null(out);
    cr_assert_eq(ph_config_reference(out), PH_OK);
    fclose(out);
    cr_expect_str_eq(in_tree, text, "make it anew: pharos-config reference > src/config/REFERENCE.md");
    for (uint32_t i = 0; i < PHX_WORLD_KEY_COUNT; i++) {
        cr_expect_not_null(strstr(text, world_keys[i].meaning));
    }
    for (uint32_t i = 0; i < PHX_CLASS_KEY_COUNT; i++) {
        cr_expect_not_null(strstr(text, class_keys[i].meaning));
    }
    free(in_tree);
    free(text);
}

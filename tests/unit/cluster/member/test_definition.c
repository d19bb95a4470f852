/*
 * The common definition: the lines by which a refused process names the key that differs, and the number, in which
 * first defaults do not count. Numbers of fixed definitions are pinned, as members of all versions compare them.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/sum.h"
#include "cluster/member/definition.h"
#include "cluster/member/first_defaults.h"
#include "cluster/member/phc_def.h"

static const char first_defaults[] = PHX_FIRST_DEFAULTS;

/* Each key that has to be the same is a line, so that each difference can be named. */
Test(definition, what_has_to_be_the_same_stands_in_the_text)
{
    static char text[PHC_VALUE_MAX];
    ph_class class = ph_class_default("default");
    ph_world_def world_def = ph_world_def_default();
    phc_def def = phc_def_default();
    class.view = 50;
    world_def.classes = &class;
    world_def.class_count = 1;
    world_def.world_size[0] = world_def.world_size[1] = 1000;
    def.world_def = &world_def;
    def.regions[0] = 2;
    def.regions[1] = 1;
    def.definition = 77;
    def.adopt_map = true;
    class.margin = 2.5f;
    const size_t size = phx_definition_text(&def, text, sizeof text - 1);
    cr_assert(size > 0 && text[size - 1] == '\n');
    text[size] = '\0';
    static const char *const lines[] = {
        "cluster.regions 2 1\n",        "cluster.adopt_map on\n",         "cluster.lease_ms 5000\n",
        "cluster.list_ms 200\n",        "cluster.link_timeout_ms 5000\n", "\ndefinition 77\n",
        "world.world_size 1000 1000\n", "class.default.view 50\n",        "class.default.margin 2.5\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_assert(strstr(text, lines[i]), "%s in %s", lines[i], text);
    cr_assert_null(strstr(text, "shards"));
    cr_assert_null(strstr(text, "simd"));
    const size_t cut = phx_definition_text(&def, text, 100);
    cr_assert(cut < 100 && cut > 0 && text[cut - 1] == '\n', "whole lines");
}

/* ---- first defaults ---- */

/* How many lines of a text begin so. */
static uint32_t count_lines(const char *text, const char *begin)
{
    uint32_t count = 0;
    for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        count += strncmp(at, begin, strlen(begin)) == 0;
    return count;
}

static uint32_t expect_keys(const char *place, const phx_key *keys, uint32_t count)
{
    uint32_t shared = 0;
    for (uint32_t i = 0; i < count; i++) {
        char begin[128];
        (void)snprintf(begin, sizeof begin, "%s%s ", place, keys[i].name);
        const uint32_t wanted = phx_definition_leaves_out(keys[i].name) || strcmp(begin, "band.radius ") == 0 ? 0 : 1;
        cr_expect_eq(count_lines(first_defaults, begin), wanted,
                     "%s: a key that members share has its default as the last line of first_defaults.h, so that it "
                     "joins beside versions without the key; one of the process alone is in own_keys of definition.c",
                     begin);
        shared += wanted;
    }
    return shared;
}

Test(definition, each_key_that_members_share_has_a_first_default)
{
    static const phx_key world[] = PHX_WORLD_KEY_TABLE, class[] = PHX_CLASS_KEY_TABLE, band[] = PHX_BAND_KEY_TABLE;
    uint32_t count, shared = 0;
    const phx_key *cluster = phx_phc_def_keys(&count);
    for (uint32_t i = 0; i < count; i++)
        cr_expect_eq(strstr(cluster[i].meaning, "the same for all members") != NULL,
                     !phx_definition_leaves_out(cluster[i].name), "%s", cluster[i].name);
    shared += expect_keys("cluster.", cluster, count);
    shared += expect_keys("world.", world, PHX_WORLD_KEY_COUNT);
    shared += expect_keys("class.", class, PHX_CLASS_KEY_COUNT);
    shared += expect_keys("band.", band, PHX_BAND_KEY_COUNT);
    cr_assert_eq(count_lines(first_defaults, ""), shared + 1, "no line of a key that is none, but the empty one");
}

/* A member leaves these values out of what it compares with members of other versions: no line ever changes. */
Test(definition, first_defaults_stand)
{
    enum { PINNED_SIZE = 763 };
    uint64_t words[PINNED_SIZE / sizeof(uint64_t) + 1] = {0};
    cr_assert(sizeof first_defaults - 1 >= PINNED_SIZE);
    memcpy(words, first_defaults, PINNED_SIZE);
    phx_sum sum = phx_sum_begin();
    phx_sum_add(&sum, words, sizeof words);
    cr_assert_eq(phx_sum_end(&sum), 0xfcb87b08449ecf34u,
                 "a line of first_defaults.h has changed: members of two versions would take other values as the same. "
                 "A new key comes behind the last line; a new default in base/keys.h leaves its line as it is. Now: "
                 "0x%llx",
                 (unsigned long long)phx_sum_end(&sum));
}

/* Today all keys have their first default. One with a later one counts, and is taken out of this test. */
Test(definition, a_default_does_not_count)
{
    static char text[PHC_VALUE_MAX];
    ph_class class = ph_class_default("a");
    ph_world_def world_def = ph_world_def_default();
    phc_def def = phc_def_default();
    class.band_count = 1;
    class.bands[0] = (ph_band){.radius = 5, .every = 1};
    world_def.classes = &class;
    world_def.class_count = 1;
    def.world_def = &world_def;
    text[phx_definition_text(&def, text, sizeof text - 1)] = '\0';
    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        static const char *const counting[] = {"definition 0\n", "classes 1\n", "class.a.bands 1\n",
                                               "class.a.band.0.radius 5\n", "end of definition\n"};
        bool counts = false;
        for (size_t i = 0; i < sizeof counting / sizeof *counting; i++)
            counts |= strncmp(at, counting[i], strlen(counting[i])) == 0;
        cr_expect_eq(*at == '-', !counts, "%.40s", at);
    }
}

/* ---- numbers ---- */

typedef struct whole_definition {
    ph_class class;
    ph_world_def world;
    phc_def def;
} whole_definition;

static uint64_t number_of(whole_definition *all)
{
    all->world.classes = &all->class;
    all->world.class_count = 1;
    all->def.world_def = &all->world;
    return phx_definition_number(&all->def);
}

static whole_definition all_defaults(void)
{
    return (whole_definition){
        .class = ph_class_default("player"), .world = ph_world_def_default(), .def = phc_def_default()};
}

/* One bit of the value. */
static void change_key(const phx_key *key, void *base, uint32_t i)
{
    char *value = (char *)base + key->offset + i * phx_key_bytes(key->type);
    *value = (char)(*value ^ 1);
}

/* Whichever key has another value, the number is another one; but for keys of the process alone. */
static void expect_counting(const phx_key *keys, uint32_t count, size_t place)
{
    whole_definition all = all_defaults();
    const uint64_t number = number_of(&all);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < phx_key_width(keys[i].type); j++) {
            all = all_defaults();
            change_key(&keys[i], (char *)&all + place, j);
            cr_expect_eq(number_of(&all) == number, phx_definition_leaves_out(keys[i].name), "%s %u", keys[i].name, j);
        }
}

Test(definition, each_shared_value_that_is_no_default_counts)
{
    static const phx_key world[] = PHX_WORLD_KEY_TABLE, class[] = PHX_CLASS_KEY_TABLE;
    uint32_t count;
    const phx_key *cluster = phx_phc_def_keys(&count);
    expect_counting(cluster, count, offsetof(whole_definition, def));
    expect_counting(world, PHX_WORLD_KEY_COUNT, offsetof(whole_definition, world));
    expect_counting(class, PHX_CLASS_KEY_COUNT, offsetof(whole_definition, class));
}

/* The same value in another key, in another class, or of another host is another definition. */
Test(definition, values_count_with_their_keys)
{
    enum { CASES = 8 };
    uint64_t numbers[CASES];
    for (uint32_t i = 0; i < CASES; i++) {
        whole_definition all = all_defaults();
        if (i == 1) all.class.view = 50;
        if (i == 2) all.class.margin = 50;
        if (i == 3) all.class.reach = 50;
        if (i == 4) all.class.name[0] = 'P';
        if (i == 5) all.def.definition = 50;
        if (i == 6) all.class.bands[all.class.band_count++] = (ph_band){.radius = 50, .every = 1};
        if (i == 7) all.class.bands[all.class.band_count++] = (ph_band){.radius = 50, .every = 2};
        numbers[i] = number_of(&all);
        for (uint32_t k = 0; k < i; k++) cr_expect_neq(numbers[i], numbers[k], "%u %u", i, k);
    }
}

/* All versions compute these: of defaults alone, and with values of each type that are none. */
Test(definition, numbers_of_all_versions_are_the_same)
{
    static const char advice[] = "members of two versions with one definition refuse each other: see first_defaults.h";
    whole_definition all = all_defaults();
    cr_expect_eq(number_of(&all), 0x5382d718957042eeu, "0x%llx: %s", (unsigned long long)number_of(&all), advice);
    all.class.view = 60;
    all.class.margin = 2.5f;
    all.class.sees = 6;
    all.class.global = true;
    all.class.bands[all.class.band_count++] = (ph_band){.radius = 12.25f, .every = 3};
    all.world.world_size[0] = 4000;
    all.world.shape = PH_SHAPE_SPHERE;
    all.world.sticky = 1.3;
    all.def.lease_ms = 9000;
    all.def.adopt_map = true;
    all.def.definition = UINT64_MAX;
    cr_expect_eq(number_of(&all), 0xb7a4eb5d267159c2u, "0x%llx: %s", (unsigned long long)number_of(&all), advice);
}

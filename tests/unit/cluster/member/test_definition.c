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

/* All other keys are the same for all members, whichever key of another place has that name. */
static bool is_own(const char *place, const char *name)
{
    static const char *const own[] = {
        "cluster.balance",      "cluster.gateway",        "cluster.moves_per_tick", "cluster.number",
        "cluster.silent_ticks", "cluster.store_loss",     "world.areas_max",        "world.broadcast_bytes",
        "world.cell_size",      "world.consumer_batches", "world.consumer_bytes",   "world.entities_max",
        "world.events_max",     "world.exchange_bytes",   "world.hash_seed",        "world.index",
        "world.positions",      "world.producer_bytes",   "world.producers_max",    "world.quadtree_capacity",
        "world.quadtree_depth", "world.refusals_max",     "world.shards",           "world.share_min",
        "world.simd",           "world.workers"};
    char full[128];
    (void)snprintf(full, sizeof full, "%s%s", place, name);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], full) == 0) return true;
    return false;
}

static uint32_t expect_keys(const char *place, const phx_key *keys, uint32_t count)
{
    uint32_t shared = 0;
    for (uint32_t i = 0; i < count; i++) {
        char begin[128];
        (void)snprintf(begin, sizeof begin, "%s%s ", place, keys[i].name);
        const bool own = is_own(place, keys[i].name);
        const uint32_t wanted = own || strcmp(begin, "band.radius ") == 0 ? 0 : 1;
        cr_expect_eq(phx_definition_leaves_out(place, keys[i].name), own, "%s", begin);
        cr_expect_eq(
            count_lines(first_defaults, begin), wanted,
            "%s: a key that members share has its default as the last line of first_defaults.h, so that it "
            "joins beside versions without the key; one of the process alone is in own_keys of definition.c, and in "
            "is_own() here",
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
                     !phx_definition_leaves_out("cluster.", cluster[i].name), "%s", cluster[i].name);
    shared += expect_keys("cluster.", cluster, count);
    shared += expect_keys("world.", world, PHX_WORLD_KEY_COUNT);
    shared += expect_keys("class.", class, PHX_CLASS_KEY_COUNT);
    shared += expect_keys("band.", band, PHX_BAND_KEY_COUNT);
    cr_assert_eq(count_lines(first_defaults, ""), shared + 1, "no line of a key that is none, but the empty one");
}

/* A new key of a class or a band may have the name of a world's or cluster's own one. */
Test(definition, a_key_is_left_out_in_its_own_place_alone)
{
    static const char *const names[] = {"index", "number", "balance", "shards", "store_loss"};
    static const char *const places[] = {"cluster.", "world.", "class.", "band."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof places / sizeof *places; k++)
            cr_expect_eq(phx_definition_leaves_out(places[k], names[i]), is_own(places[k], names[i]), "%s%s", places[k],
                         names[i]);
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

/* A host in C may write either; no range of a key parts them. */
Test(definition, minus_0_is_0)
{
    static char text[PHC_VALUE_MAX];
    whole_definition all = all_defaults();
    const uint64_t number = number_of(&all);
    all.world.world_origin[0] = -0.0f;
    all.world.world_origin[1] = -0.0f;
    all.def.halo = -0.0f;
    all.class.view = -0.0f;
    cr_expect_eq(number_of(&all), number);
    text[phx_definition_text(&all.def, text, sizeof text - 1)] = '\0';
    cr_expect(strstr(text, "\n-world.world_origin 0 0\n"), "%s", text);
}

/* Keys of the cluster fill it, so none of the world's many classes is read: these are at no address. */
Test(definition, a_text_that_is_full_looks_at_no_class)
{
    char text[100];
    whole_definition all = all_defaults();
    all.world.class_count = PH_KINDS_MAX;
    all.world.classes = NULL;
    all.def.world_def = &all.world;
    const size_t size = phx_definition_text(&all.def, text, sizeof text);
    cr_expect(size > 0 && size < sizeof text);
}

/* One bit of the value. */
static void change_key(const phx_key *key, void *base, uint32_t i)
{
    char *value = (char *)base + key->offset + i * phx_key_bytes(key->type);
    *value = (char)(*value ^ 1);
}

/* Whichever key has another value, the number is another one; but for keys of the process alone. */
static void expect_counting(const char *prefix, const phx_key *keys, uint32_t count, size_t place)
{
    whole_definition all = all_defaults();
    const uint64_t number = number_of(&all);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < phx_key_width(keys[i].type); j++) {
            all = all_defaults();
            change_key(&keys[i], (char *)&all + place, j);
            cr_expect_eq(number_of(&all) == number, is_own(prefix, keys[i].name), "%s %u", keys[i].name, j);
        }
}

Test(definition, each_shared_value_that_is_no_default_counts)
{
    static const phx_key world[] = PHX_WORLD_KEY_TABLE, class[] = PHX_CLASS_KEY_TABLE;
    uint32_t count;
    const phx_key *cluster = phx_phc_def_keys(&count);
    expect_counting("cluster.", cluster, count, offsetof(whole_definition, def));
    expect_counting("world.", world, PHX_WORLD_KEY_COUNT, offsetof(whole_definition, world));
    expect_counting("class.", class, PHX_CLASS_KEY_COUNT, offsetof(whole_definition, class));
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

/* ---- the whole text ---- */

/* Of set_all(). A later key stands here as a line with '-', its first default, and has a test of its own besides. */
static const char all_set[] = "cluster.regions 3 5\n"
                              "cluster.hand_over_margin 7.5\n"
                              "cluster.speed_max 6\n"
                              "cluster.halo 300\n"
                              "cluster.lag_max 9\n"
                              "cluster.lease_ms 6000\n"
                              "cluster.list_ms 250\n"
                              "cluster.link_timeout_ms 7000\n"
                              "cluster.adopt_map on\n"
                              "definition 77\n"
                              "world.world_origin -100 -200.5\n"
                              "world.world_size 4000 3000\n"
                              "world.range towers\n"
                              "world.shape sphere\n"
                              "world.height 50\n"
                              "world.tower_size 25\n"
                              "world.span 2\n"
                              "world.activation_span 3\n"
                              "world.activation_linger 40\n"
                              "world.sticky 1.3\n"
                              "world.crowd_entities 900\n"
                              "world.crowd_floor 0.125\n"
                              "world.consumers 4\n"
                              "classes 1\n"
                              "class.npc.view 60\n"
                              "class.npc.margin 2.5\n"
                              "class.npc.reach 0.1\n"
                              "class.npc.visible 1e12\n"
                              "class.npc.layers 9223372036854775808\n"
                              "class.npc.sees 6\n"
                              "class.npc.stealth 8\n"
                              "class.npc.detect 11\n"
                              "class.npc.global on\n"
                              "class.npc.veiled on\n"
                              "class.npc.ready off\n"
                              "class.npc.cap 12\n"
                              "class.npc.priority 13\n"
                              "class.npc.adds_max 14\n"
                              "class.npc.wakes on\n"
                              "class.npc.sleeps off\n"
                              "class.npc.updates_max 15\n"
                              "class.npc.bands 1\n"
                              "class.npc.band.0.radius 12.25\n"
                              "class.npc.band.0.every 3\n"
                              "end of definition\n";

static whole_definition set_all(void)
{
    whole_definition all = {
        .class = ph_class_default("npc"), .world = ph_world_def_default(), .def = phc_def_default()};
    phc_def *def = &all.def;
    ph_world_def *world = &all.world;
    ph_class *class = &all.class;
    def->regions[0] = 3, def->regions[1] = 5;
    def->hand_over_margin = 7.5f, def->speed_max = 6, def->halo = 300, def->lag_max = 9;
    def->lease_ms = 6000, def->list_ms = 250, def->link_timeout_ms = 7000;
    def->adopt_map = true, def->definition = 77;
    world->world_origin[0] = -100, world->world_origin[1] = -200.5f;
    world->world_size[0] = 4000, world->world_size[1] = 3000;
    world->range = PH_RANGE_TOWERS, world->shape = PH_SHAPE_SPHERE, world->height = 50, world->tower_size = 25;
    world->span = 2, world->activation_span = 3, world->activation_linger = 40, world->sticky = 1.3;
    world->crowd_entities = 900, world->crowd_floor = 0.125f, world->consumers = 4;
    class->view = 60, class->margin = 2.5f, class->reach = 0.1f, class->visible = 1e12f;
    class->layers = 1ull << 63, class->sees = 6, class->stealth = 8, class->detect = 11;
    class->global = class->veiled = class->wakes = true;
    class->ready = class->sleeps = false;
    class->cap = 12, class->priority = 13, class->adds_max = 14, class->updates_max = 15;
    class->bands[class->band_count++] = (ph_band){.radius = 12.25f, .every = 3};
    return all;
}

/* No key has its first default, so the number has their order, all of their names, and how values are written. */
Test(definition, a_number_of_all_keys_stands)
{
    static char text[PHC_VALUE_MAX];
    whole_definition all = set_all();
    const uint64_t number = number_of(&all);
    text[phx_definition_text(&all.def, text, sizeof text - 1)] = '\0';
    cr_expect_str_eq(text, all_set);
    cr_expect_eq(number, 0xc1363510a6494ab8u,
                 "0x%llx: keys or values are in another order, or written otherwise: members of two versions with one "
                 "definition refuse each other: see first_defaults.h",
                 (unsigned long long)number);
}

/* Words are in the number as they are written. */
Test(definition, words_of_enumerations_stand)
{
    static const char *const ranges[] = {"radius", "towers"};
    static const char *const shapes[] = {"circle", "square", "cylinder", "sphere"};
    static char text[PHC_VALUE_MAX];
    for (uint32_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const uint32_t range = i % (sizeof ranges / sizeof *ranges);
        char line[64];
        whole_definition all = set_all();
        all.world.shape = (ph_shape)i;
        all.world.range = (ph_range)range;
        (void)number_of(&all);
        text[phx_definition_text(&all.def, text, sizeof text - 1)] = '\0';
        (void)snprintf(line, sizeof line, "world.range %s\n", ranges[range]);
        cr_expect(strstr(text, line), "%s: %s", line, text);
        (void)snprintf(line, sizeof line, "world.shape %s\n", shapes[i]);
        cr_expect(strstr(text, line), "%s: %s", line, text);
    }
}

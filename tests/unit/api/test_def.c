/*
 * The world's definition without any file: defaults, checks of every field and of the
 * rules between them, and the keys that a living world can not change.
 */
#include <math.h>
#include <stdint.h>

#include <criterion/criterion.h>
#include <pharos/pharos.h>

#include "api/def.h"
#include "base/key_table.h"

static const phx_key world_keys[PHX_WORLD_KEY_COUNT] = PHX_WORLD_KEY_TABLE;
static const phx_key class_keys[PHX_CLASS_KEY_COUNT] = PHX_CLASS_KEY_TABLE;

static void expect_bad(const ph_world_def *def, const char *want)
{
    char reason[256] = "none";

    cr_expect_eq(ph_world_def_check(def, reason, sizeof reason), PH_BAD_DEF, "%s", want);
    cr_expect_str_eq(reason, want, "\n  got  %s\n  want %s", reason, want);
    cr_expect_eq(ph_world_def_check(def, NULL, 0), PH_BAD_DEF);
}

static void expect_good(const ph_world_def *def)
{
    char reason[256] = "none";

    cr_expect_eq(ph_world_def_check(def, reason, sizeof reason), PH_OK, "%s", reason);
    cr_expect_str_empty(reason);
}

/* ================================ defaults ================================ */

Test(config_def, the_default_is_the_one_of_the_headers)
{
    ph_world_def def = ph_world_def_default();

    expect_good(&def);
    cr_expect(def.world_origin[0] == 0 && def.world_origin[1] == 0);
    cr_expect(def.world_size[0] == 10000 && def.world_size[1] == 10000);
    cr_expect(def.range == PH_RANGE_RADIUS && def.shape == PH_SHAPE_CIRCLE && def.height == 100);
    cr_expect(def.tower_size == 0 && def.span == 1 && def.index == PH_INDEX_LIGHTHOUSE && def.sticky == 1.1);
    cr_expect(def.shards[0] == 1 && def.shards[1] == 1 && def.workers == 1);
    cr_expect(def.entities_max == 4194304 && def.producers_max == 16 && def.producer_bytes == 67108864);
    cr_expect(def.refusals_max == 4096 && def.consumers == 1 && def.consumer_batches == 64);
    cr_expect(def.consumer_bytes == 4194304 && def.quadtree_capacity == 128 && def.quadtree_depth == 5);
    cr_expect(def.exchange_bytes == 1048576 && def.hash_seed == 0 && def.positions && def.class_count == 1);
    cr_expect(def.allocator.allocate == NULL && def.allocator.release == NULL && def.log == NULL);
    cr_expect(def.tasks.parallel_for == NULL);
    cr_expect_str_eq(def.classes[0].name, "default");
}

Test(config_def, default_class)
{
    ph_class class = ph_class_default("player");
    char longest[] = "0123456789012345678901234567890123456789";

    cr_expect_str_eq(class.name, "player");
    cr_expect(class.view == 0 && class.margin == 0 && class.reach == 0 && class.cap == 0);
    cr_expect(class.layers == 1 && class.sees == UINT64_MAX && !class.global && !class.veiled && class.ready);
    cr_expect(class.stealth == 0 && class.detect == 0 && class.priority == 0);
    class = ph_class_default(longest);
    longest[31] = '\0';
    cr_expect_str_eq(class.name, longest);
    cr_expect_str_empty(ph_class_default(NULL).name);
    cr_expect_str_empty(ph_class_default("").name);
}

/* ================================= fields ================================= */

static void put(const phx_key *key, void *base, uint32_t i, double value)
{
    char *at = (char *)base + key->offset;
    float f32 = (float)value;
    uint32_t u32;

    if (key->type == PHX_KEY_f32 || key->type == PHX_KEY_f32x2) {
        memcpy(at + i * sizeof f32, &f32, sizeof f32);
    } else if (key->type == PHX_KEY_f64) {
        memcpy(at, &value, sizeof value);
    } else if (key->type == PHX_KEY_flag) {
        *(bool *)at = value != 0;
    } else {
        cr_assert(value >= 0 && value <= UINT32_MAX);
        u32 = (uint32_t)value;
        memcpy(at + i * sizeof u32, &u32, sizeof u32);
    }
}

static bool is_float(const phx_key *key)
{
    return key->type == PHX_KEY_f32 || key->type == PHX_KEY_f32x2 || key->type == PHX_KEY_f64;
}

/* `def` with this value is refused, and the reason names the field first and a range last. */
static void expect_key_bad(const phx_key *key, const ph_world_def *def, void *base, uint32_t i, double value,
                           const char *prefix)
{
    char before[sizeof(ph_world_def)];
    char want[128];
    char reason[256] = "none";
    size_t size = base == (const void *)def ? sizeof(ph_world_def) : sizeof(ph_class);

    memcpy(before, base, size);
    put(key, base, i, value);
    cr_expect_eq(ph_world_def_check(def, reason, sizeof reason), PH_BAD_DEF, "%s = %g", key->name, value);
    snprintf(want, sizeof want, "%s%s = ", prefix, key->name);
    cr_expect_eq(strncmp(reason, want, strlen(want)), 0, "%s = %g: %s", key->name, value, reason);
    cr_expect_not_null(strstr(reason, " is outside "), "%s", reason);
    memcpy(base, before, size);
}

static void expect_key_checked(const phx_key *key, const ph_world_def *def, void *base, const char *prefix)
{
    for (uint32_t i = 0; i < phx_key_width(key->type); i++) {
        if (is_float(key)) {
            expect_key_bad(key, def, base, i, (double)NAN, prefix);
            expect_key_bad(key, def, base, i, (double)INFINITY, prefix);
            expect_key_bad(key, def, base, i, -(double)INFINITY, prefix);
        }
        if (is_float(key) && key->min >= 0) {
            expect_key_bad(key, def, base, i, -1, prefix);
        } else if (key->min > 0) {
            expect_key_bad(key, def, base, i, key->min - 1, prefix);
        }
        if (!is_float(key) && key->max < UINT32_MAX) {
            expect_key_bad(key, def, base, i, key->max + 1, prefix);
            expect_key_bad(key, def, base, i, UINT32_MAX, prefix);
        }
    }
}

Test(config_def, every_field_of_the_world_is_checked)
{
    ph_world_def def = ph_world_def_default();

    for (uint32_t i = 0; i < PHX_WORLD_KEY_COUNT; i++) {
        if (world_keys[i].type != PHX_KEY_flag) expect_key_checked(&world_keys[i], &def, &def, ""); /* both are good */
    }
    expect_good(&def);
}

Test(config_def, every_field_of_a_class_is_checked)
{
    ph_world_def def = ph_world_def_default();
    ph_class classes[] = {ph_class_default("default"), ph_class_default("a"), ph_class_default("b")};

    def.classes = classes;
    def.class_count = 3;
    for (uint32_t i = 0; i < PHX_CLASS_KEY_COUNT; i++) {
        if (is_float(&class_keys[i]) || class_keys[i].type == PHX_KEY_u32) {
            expect_key_checked(&class_keys[i], &def, &classes[0], "class 0 'default': ");
            expect_key_checked(&class_keys[i], &def, &classes[2], "class 2 'b': ");
        }
    }
    expect_good(&def);
}

Test(config_def, a_bad_definition_is_refused_with_its_reason)
{
    ph_world_def def = ph_world_def_default();
    ph_class class = ph_class_default("default");
    char cut[12];

    expect_bad(NULL, "the definition is NULL");
    def.tower_size = -1;
    expect_bad(&def, "tower_size = -1 is outside [0, 1e18]");
    cr_expect_eq(ph_world_def_check(&def, cut, sizeof cut), PH_BAD_DEF);
    cr_expect_str_eq(cut, "tower_size ", "cut to the caller's size");
    cr_expect_eq(ph_world_def_check(&def, cut, 0), PH_BAD_DEF);
    def = ph_world_def_default();
    def.world_size[1] = NAN;
    expect_bad(&def, "world_size = {10000, nan} is outside (0, 1e18]");
    def = ph_world_def_default();
    def.shape = (ph_shape)4;
    expect_bad(&def, "shape = 4 is outside circle, square, cylinder, sphere");
    def = ph_world_def_default();
    def.sticky = 0.999;
    expect_bad(&def, "sticky = 0.999 is outside [1, 1000000]");
    def = ph_world_def_default();
    def.classes = &class;
    class.cap = 1u << 31;
    expect_bad(&def, "class 0 'default': cap = 2147483648 is outside [0, 2^31-1]");
    def = ph_world_def_default();
    def.cookie++;
    cr_expect_eq(ph_world_def_check(&def, NULL, 0), PH_BAD_DEF);
    memset(&def, 0, sizeof def);
    expect_bad(&def, "cookie = 0x00000000 is not 0x50484431: the definition was not made by ph_world_def_default()");
}

/* ============================ rules between fields ============================ */

Test(config_def, towers_along_an_axis)
{
    ph_world_def def = ph_world_def_default();

    def.tower_size = 1;
    def.world_size[0] = 65535;
    def.world_size[1] = 65534.5f;
    expect_good(&def);
    def.world_size[0] = 65535.004f;
    expect_bad(&def, "tower_size = 1: 65536 towers along x of world_size = {65535.004, 65534.5} is outside [1, 65535]");
    def.world_size[0] = 1;
    def.world_size[1] = PH_LENGTH_MAX;
    expect_bad(&def, "tower_size = 1: 9.99999984e+17 towers along y of world_size = {1, 1e18} is outside [1, 65535]");
    def.tower_size = PH_LENGTH_MAX; /* a world smaller than one tower has one */
    def.world_size[1] = FLT_MIN;
    expect_good(&def);
}

/* Shards too small for towers of the side that is left open get smaller ones, down to the smallest. */
Test(config_def, towers_left_open)
{
    ph_world_def def = ph_world_def_default();
    ph_class class = ph_class_default("default");

    class.view = 100;
    def.classes = &class;
    def.shards[0] = 1000;
    expect_good(&def);
    def.world_size[1] = PH_LENGTH_MAX;
    expect_bad(&def, "shards = {1000, 1}: 1000 along x is outside [1, 1], one a tower (world_size = {10000, 1e18}, "
                     "tower_size = 1.5259036e13)");
    def.world_size[1] = 10000;
    def.range = PH_RANGE_TOWERS;
    expect_bad(&def, "shards = {1000, 1}: 1000 along x is outside [1, 100], one a tower (world_size = {10000, 10000}, "
                     "tower_size = 100)");
}

Test(config_def, shards_in_all_and_by_tower)
{
    ph_world_def def = ph_world_def_default();

    def.tower_size = 100;
    def.shards[0] = 32;
    def.shards[1] = 32;
    expect_good(&def);
    def.shards[1] = 33;
    expect_bad(&def, "shards = {32, 33}: 1056 in all is outside [1, 1024]");
    def.shards[0] = 10;
    def.shards[1] = 101;
    expect_bad(&def, "shards = {10, 101}: 101 along y is outside [1, 100], one a tower (world_size = {10000, 10000}, "
                     "tower_size = 100)");
    def.shards[1] = 100;
    expect_good(&def);
    def.world_size[0] = 900.001f; /* ten towers, the last one hardly */
    expect_good(&def);
    def.world_size[0] = 900;
    expect_bad(&def, "shards = {10, 100}: 10 along x is outside [1, 9], one a tower (world_size = {900, 10000}, "
                     "tower_size = 100)");
}

static void *take(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    (void)bytes;
    (void)alignment;
    return NULL;
}

static void give(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)user;
    (void)memory;
    (void)bytes;
    (void)alignment;
}

Test(config_def, words_for_later_versions_are_zero)
{
    ph_class kinds[2] = {ph_class_default("default"), ph_class_default("npc")};
    ph_world_def def = ph_world_def_default();

    def.classes = kinds;
    def.class_count = 2;
    expect_good(&def);
    def.reserved[sizeof def.reserved / sizeof *def.reserved - 1] = 1;
    expect_bad(&def, "reserved is not 0");
    def.reserved[sizeof def.reserved / sizeof *def.reserved - 1] = 0;
    def.reserved_bytes[sizeof def.reserved_bytes - 1] = 1;
    expect_bad(&def, "reserved is not 0");
    def.reserved_bytes[sizeof def.reserved_bytes - 1] = 0;
    kinds[1].reserved[0] = 1;
    expect_bad(&def, "class 1 'npc': reserved is not 0");
    kinds[1].reserved[0] = 0;
    def.tasks.reserved[1] = 1;
    expect_bad(&def, "tasks: reserved is not 0");
    def.tasks.reserved[1] = 0;
    def.batches.reserved[0] = 1;
    expect_bad(&def, "batches: reserved is not 0");
    def.batches.reserved[0] = 0;
    def.allocator.reserved[1] = 1;
    expect_bad(&def, "allocator: reserved is not 0");
    def.allocator.reserved[1] = 0;
    expect_good(&def);
}

Test(config_def, allocator_functions_both_or_none)
{
    ph_world_def def = ph_world_def_default();

    def.allocator.allocate = take;
    expect_bad(&def, "allocator: release is NULL; both functions must be there, or neither");
    def.allocator.release = give;
    expect_good(&def);
    def.allocator.allocate = NULL;
    expect_bad(&def, "allocator: allocate is NULL; both functions must be there, or neither");
}

/* ================================= classes ================================= */

static void rename_class(ph_class *class, const char *name)
{
    snprintf(class->name, sizeof class->name, "%s", name);
}

Test(config_def, class_names)
{
    ph_world_def def = ph_world_def_default();
    ph_class classes[] = {ph_class_default("default"), ph_class_default("a"), ph_class_default("A-b_c.9")};

    def.classes = classes;
    def.class_count = 3;
    expect_good(&def);
    rename_class(&classes[2], "a");
    expect_bad(&def, "class 2: the name 'a' is taken by class 1");
    rename_class(&classes[2], "default");
    expect_bad(&def, "class 2: the name 'default' is taken by class 0");
    rename_class(&classes[2], "");
    expect_bad(&def, "class 2: its name is empty; it must be 1 to 31 bytes");
    rename_class(&classes[2], "a b");
    expect_bad(&def, "class 2: byte 0x20 in its name is none of letters, digits, '_', '-' and '.'");
    rename_class(&classes[2], "\xc3\xa4");
    expect_bad(&def, "class 2: byte 0xc3 in its name is none of letters, digits, '_', '-' and '.'");
    memset(classes[2].name, 'x', sizeof classes[2].name);
    expect_bad(&def, "class 2: its name has no end; it may be 31 bytes");
    classes[2].name[31] = '\0';
    expect_good(&def);
    rename_class(&classes[0], "Default");
    expect_bad(&def, "class 0 is named 'Default'; the first one must be 'default'");
}

Test(config_def, class_count)
{
    static ph_class classes[PH_KINDS_MAX + 1];
    ph_world_def def = ph_world_def_default();
    char name[PH_NAME_SIZE];

    classes[0] = ph_class_default("default");
    for (uint32_t i = 1; i <= PH_KINDS_MAX; i++) {
        snprintf(name, sizeof name, "c%u", i);
        classes[i] = ph_class_default(name);
    }
    def.classes = classes;
    def.class_count = PH_KINDS_MAX;
    expect_good(&def);
    rename_class(&classes[4095], "c1"); /* all slots of the search are in use */
    expect_bad(&def, "class 4095: the name 'c1' is taken by class 1");
    def.class_count++;
    expect_bad(&def, "class_count = 4097 is outside [1, 4096]");
    def.class_count = 0;
    expect_bad(&def, "class_count = 0 is outside [1, 4096]");
    def.class_count = 2;
    def.classes = NULL;
    expect_bad(&def, "classes is NULL; it must be the class_count = 2 classes");
}

/* ============================= live differences ============================= */

/* Keys that can change while a world lives, by SPEC; workers is not compared. */
static bool is_live(const char *name)
{
    static const char *const live[] = {"sticky",         "height",          "shape",           "span",
                                       "workers",        "broadcast_bytes", "activation_span", "activation_linger",
                                       "crowd_entities", "crowd_floor",     "events_max",      "share_min"};

    for (size_t i = 0; i < sizeof live / sizeof *live; i++) {
        if (strcmp(live[i], name) == 0) {
            return true;
        }
    }
    return false;
}

Test(config_def, each_key_that_is_not_live_is_named)
{
    ph_world_def now = ph_world_def_default();
    uint32_t named = 0;
    now.tower_size = 100; /* a chosen side allows no live crowd_entities */

    for (uint32_t i = 0; i < PHX_WORLD_KEY_COUNT; i++) {
        for (uint32_t j = 0; j < phx_key_width(world_keys[i].type); j++) {
            ph_world_def wanted = now;
            const char *name = "none";
            bool differs;

            const bool flag = world_keys[i].type == PHX_KEY_flag; /* the only one is true by default */
            put(&world_keys[i], &wanted, j, flag ? 0 : world_keys[i].max > 1 ? 2 : 1);
            differs = phx_def_live_difference(&now, &wanted, &name);
            if (is_live(world_keys[i].name)) {
                cr_expect(!differs, "%s", world_keys[i].name);
            } else {
                cr_expect(differs, "%s", world_keys[i].name);
                cr_expect_str_eq(name, world_keys[i].name);
                named++;
            }
        }
    }
    cr_expect_eq(named, 3 * 2 + 18, "world_origin, world_size, shards; and eighteen single keys");
}

Test(config_def, no_difference)
{
    ph_world_def now = ph_world_def_default();
    ph_world_def wanted = now;
    const char *name = "none";

    wanted.allocator = (ph_allocator){.allocate = take, .release = give, .user = &wanted};
    wanted.log_user = &wanted;
    wanted.tasks.user = &wanted;
    wanted.workers = 8;
    wanted.sticky = 2;
    wanted.world_origin[0] = -0.0f;
    cr_expect_not(phx_def_live_difference(&now, &wanted, &name));
    cr_expect_str_eq(name, "none");
}

Test(config_def, the_first_difference_is_named)
{
    ph_world_def now = ph_world_def_default();
    ph_world_def wanted = now;
    const char *name = "none";

    wanted.exchange_bytes = 1 << 16;
    wanted.tower_size = 50;
    wanted.class_count = 0;
    cr_expect(phx_def_live_difference(&now, &wanted, &name));
    cr_expect_str_eq(name, "tower_size");
}

Test(config_def, classes_change_values_and_grow_behind)
{
    ph_class before[] = {ph_class_default("default"), ph_class_default("a"), ph_class_default("b")};
    ph_class after[] = {ph_class_default("default"), ph_class_default("a"), ph_class_default("b"),
                        ph_class_default("c")};
    ph_world_def now = ph_world_def_default();
    ph_world_def wanted = now;
    const char *name = "none";

    now.classes = before;
    now.class_count = 3;
    wanted.classes = after;
    wanted.class_count = 4;
    after[1].view = 5;
    after[0].layers = 6;
    cr_expect_not(phx_def_live_difference(&now, &wanted, &name));
    wanted.class_count = 2;
    cr_expect(phx_def_live_difference(&now, &wanted, &name), "one is missing");
    cr_expect_str_eq(name, "class");
    wanted.class_count = 4;
    name = "none";
    rename_class(&after[1], "b");
    rename_class(&after[2], "a");
    cr_expect(phx_def_live_difference(&now, &wanted, &name), "two changed places");
    cr_expect_str_eq(name, "class");
}

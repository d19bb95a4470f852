/*
 * The section store: its keys in a file, as assignments and in the dump, its refusals, and the definition that a host
 * gets of it.
 */
#include <pharos/store.h>

#include "unit/config/config_case.h"

static ph_store_def store_of(const ph_config *config, ph_status want)
{
    ph_store_def def;

    memset(&def, 0xa5, sizeof def);
    cr_assert_eq(ph_config_store(config, &def), want);
    return def;
}

Test(config_store, defaults_have_no_folder)
{
    ph_config *config = config_new();
    ph_store_def def = store_of(config, PH_EMPTY);
    const ph_store_def want = {
        .name = def.name, .image_ticks = 1200, .images_kept = 3, .level = 1, .sync_ms = 100, .file_bytes = 64u << 20};

    cr_expect_null(def.folder);
    cr_expect_str_eq(def.name, "world");
    cr_expect_eq(memcmp(&def, &want, sizeof def), 0, "ph_store_def_default()");
    cr_expect_eq(ph_config_store(NULL, &def), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_store(config, NULL), PH_BAD_ARGUMENT);
    ph_config_destroy(config);
}

Test(config_store, of_a_file_among_classes)
{
    ph_config *config = config_new();
    ph_store_def def;

    config_load_ok(config,
                   "class a { view = 1 }\n"
                   "store {\n folder = \"/var/game//x.y-z_0/\" name = 'arena-1'\n image_ticks = 0 images_kept = 1000\n"
                   " level = 19 sync_ms = 60000 ring_bytes = 4096 file_bytes = 1099511627776 }\n"
                   "class b { view = 2 }\nspan = 3");
    def = store_of(config, PH_OK);
    cr_expect_str_eq(def.folder, "/var/game//x.y-z_0/");
    cr_expect_str_eq(def.name, "arena-1");
    cr_expect_eq(def.image_ticks, 0);
    cr_expect_eq(def.images_kept, 1000);
    cr_expect_eq(def.level, 19);
    cr_expect_eq(def.sync_ms, 60000);
    cr_expect_eq(def.ring_bytes, 4096);
    cr_expect_eq(def.file_bytes, 1ull << 40);
    cr_expect_eq(ph_config_def(config)->class_count, 3);
    cr_expect_eq(ph_config_def(config)->span, 3);
    config_expect(config, "image_ticks = 0", "t:4");
    config_expect(config, "folder = \"/var/game//x.y-z_0/\"", "t:3");
    ph_config_destroy(config);
}

Test(config_store, a_later_file_and_assignments_replace_keys_alone)
{
    ph_config *config = config_new();
    ph_store_def def;

    config_load_ok(config, "store { folder = game level = 3 }");
    config_load_ok(config, "\"store\" { level = 5 } ");
    config_load_ok(config, "store {}");
    config_set_ok(config, "store.name=b");
    config_set_ok(config, "store.ring_bytes = 1073741824");
    config_set_ok(config, "store.images_kept=7");
    def = store_of(config, PH_OK);
    cr_expect_str_eq(def.folder, "game");
    cr_expect_str_eq(def.name, "b");
    cr_expect_eq(def.level, 5);
    cr_expect_eq(def.images_kept, 7);
    cr_expect_eq(def.ring_bytes, 1u << 30);
    config_set_ok(config, "store.ring_bytes=0");
    config_set_ok(config, "store.folder=");
    cr_expect_null(store_of(config, PH_EMPTY).folder);
    config_expect(config, "ring_bytes = 0", "--set");
    ph_config_destroy(config);
}

Test(config_store, a_dump_is_the_section_again)
{
    char longest[300] = "store.folder=/";
    ph_config *config = config_new();
    ph_config *again = config_new();
    ph_store_def a, b;
    char *dump;

    memset(longest + strlen(longest), 'x', 254);
    config_set_ok(config, longest);
    config_load_ok(config, "store { name = n image_ticks = 4294967295 file_bytes = 4096 }");
    dump = config_dump(config);
    config_load_ok(again, dump);
    free(dump);
    a = store_of(config, PH_OK);
    b = store_of(again, PH_OK);
    cr_expect_eq(strlen(a.folder), 255);
    cr_expect_str_eq(a.folder, b.folder);
    cr_expect_str_eq(a.name, b.name);
    cr_expect_eq(a.image_ticks, b.image_ticks);
    cr_expect_eq(a.file_bytes, b.file_bytes);
    ph_config_destroy(config);
    cr_expect_eq(strlen(b.folder), 255, "it lives in its own config");
    ph_config_destroy(again);
}

Test(config_store, refused_with_the_line)
{
    static const char *const cases[][2] = {
        {"store { images_kept = 0 }", "t:1: images_kept = 0 is outside [1, 1000]"},
        {"store {\n\n level = 20 }", "t:3: level = 20 is outside [1, 19]"},
        {"store {\n ring_bytes = 4095 }", "t:2: ring_bytes = 4095 is outside 0 or [4096, 2^30]"},
        {"store { ring_bytes = -1 }", "t:1: ring_bytes = -1 is outside 0 or [4096, 2^30]"},
        {"store { file_bytes = 18446744073709551616 }",
         "t:1: file_bytes = 18446744073709551616 is outside [4096, 2^40]"},
        {"store { file_bytes = 1e6 }", "t:1: file_bytes = '1e6' is not a whole number in [4096, 2^40]"},
        {"store { sync_ms = soon }", "t:1: sync_ms = 'soon' is not a whole number in [1, 60000]"},
        {"store { name = a.b }", "t:1: name = 'a.b' has another byte than letters, digits, '_' and '-'"},
        {"store { name = \"a/b\" }", "t:1: name = 'a/b' has another byte than letters, digits, '_' and '-'"},
        {"store { name = '' }", "t:1: name = '' has 0 bytes, and may have 1 to 63 bytes"},
        {"store { folder = /var }", "t:1: unexpected '/'"},
        {"store { folder = \"/v ar\" }", "t:1: unexpected ' ' in quotes"},
        {"store { folder = \"/v\\\\ar\" }", "t:1: unexpected '\\' in quotes"},
        {"store { folder = {a, b} }", "t:1: unexpected token '{'"},
        {"store {\n level = 1\n level = 2 }", "t:3: level is there a second time"},
        {"store { level = 1 }\nstore { sync_ms = 2 }", "t:2: a second section store"},
        {"store { view = 1 }", "t:1: no such option 'view'"},
        {"store { band { radius = 1 every = 1 } }", "t:1: no such option 'band'"},
        {"level = 1", "t:1: no such option 'level'"},
        {"store main { level = 1 }", "t:1: missing opening brace for section 'store'"},
        {"\nstore { level = 1", "t:2: the section that begins here has no end"},
        {"class store { view = 1 }", "t:1: a class can not have the name store, which is a section"},
        {"class x {}\nclass \"store\" {}", "t:2: a class can not have the name store, which is a section"},
        {"shape = \"cir/cle\"", "t:1: shape = 'cir/cle' is none of: circle, square, cylinder, sphere"},
        {"class \"a/b\" {}", "t:1: a class name has letters, digits, '_', '-' and '.' only"},
    };
    ph_config *config = config_new();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        config_load_refused(config, cases[i][0], cases[i][1]);
    }
    config_set_refused(config, "store.view=1", "a store has no such key");
    config_set_refused(config, "store.folder=/a b",
                       "folder = '/a b' has another byte than letters, digits, '_', '-', '.' and '/'");
    config_set_refused(config, "store.level=0", "level = 0 is outside [1, 19]");
    config_set_refused(config, "level=1", "no such key");
    ph_config_destroy(config);
}

/* A word of a value is no section, and a section's title none of its own. */
Test(config_store, sections_are_told_apart)
{
    ph_config *config = config_new();

    config_load_ok(config, "shape = circle store { level = 2 } class a { view = 3 }");
    config_load_refused(config, "shape = store { level = 2 }",
                        "t:1: shape = 'store' is none of: circle, square, cylinder, sphere");
    config_load_refused(config, "class a {}\nstore { level = 3 }\nclass b-\n {}\nclass store\n{}",
                        "t:6: a class can not have the name store, which is a section");
    cr_expect_eq(store_of(config, PH_EMPTY).level, 2);
    ph_config_destroy(config);
}

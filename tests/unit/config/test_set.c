/*
 * Assignments, as --set of the programs takes them: where they go, how lists and classes
 * are written, exact reasons, nothing changed by a refused one.
 */
#include "unit/config/config_case.h"

Test(config_set, world_keys)
{
    ph_config *config = config_new();
    const ph_world_def *def = ph_config_def(config);

    config_set_ok(config, "tower_size=50.5");
    cr_expect_eq(def->tower_size, 50.5f);
    config_set_ok(config, "world_size=2200,2000");
    cr_expect(def->world_size[0] == 2200 && def->world_size[1] == 2000);
    config_set_ok(config, "world_origin=-5,1e2");
    cr_expect(def->world_origin[0] == -5 && def->world_origin[1] == 100);
    config_set_ok(config, "world_origin=1e+1,+5");
    cr_expect(def->world_origin[0] == 10 && def->world_origin[1] == 5);
    config_set_ok(config, "shards=4x2");
    cr_expect(def->shards[0] == 4 && def->shards[1] == 2);
    config_set_ok(config, "shards=2,4");
    cr_expect(def->shards[0] == 2 && def->shards[1] == 4);
    config_set_ok(config, "range=towers");
    cr_expect_eq(def->range, PH_RANGE_TOWERS);
    config_set_ok(config, " shards = 3 , 5 ");
    cr_expect(def->shards[0] == 3 && def->shards[1] == 5);
    config_set_ok(config, "\tspan\t=\t9\n");
    cr_expect_eq(def->span, 9);
    config_set_ok(config, "span=10");
    cr_expect_eq(def->span, 10, "the last one counts");
    ph_config_destroy(config);
}

Test(config_set, set_makes_the_class_that_it_names)
{
    ph_config *config = config_new();
    const ph_world_def *def = ph_config_def(config);

    config_set_ok(config, "view=100");
    cr_expect_eq(def->classes[0].view, 100);
    config_set_ok(config, "default.view=101");
    cr_expect_eq(def->classes[0].view, 101);
    cr_expect_eq(def->class_count, 1);
    config_set_ok(config, "player.cap=7");
    cr_expect_eq(def->class_count, 2);
    cr_expect_str_eq(def->classes[1].name, "player");
    cr_expect(def->classes[1].cap == 7 && def->classes[1].view == 0, "all defaults, none from class default");
    config_set_ok(config, "player.global=yes");
    cr_expect(def->classes[1].cap == 7 && def->classes[1].global);
    config_set_ok(config, "a.b.c.layers=0xf0");
    cr_expect_str_eq(def->classes[2].name, "a.b.c");
    cr_expect_eq(def->classes[2].layers, 0xf0);
    config_set_ok(config, "span.span.view=1");
    cr_expect_str_eq(def->classes[3].name, "span.span");
    ph_config_destroy(config);
}

Test(config_set, bad_assignments_are_refused_with_their_reason)
{
    static const char *const cases[][2] = {
        {"", "not of the form KEY=VALUE"},
        {"view", "not of the form KEY=VALUE"},
        {"view:100", "not of the form KEY=VALUE"},
        {"=5", "no such key"},
        {"=", "no such key"},
        {"View=5", "no such key"},
        {"class=a", "no such key"},
        {"vi ew=5", "no such key"},
        {"view==5", "view = '=5' is not a number in [0, 1e18]"},
        {"view=5=6", "view = '5=6' is not a number in [0, 1e18]"},
        {"view=", "view = '' is not a number in [0, 1e18]"},
        {"view=5,6", "view = '5,6' is not a number in [0, 1e18]"},
        {"view=5 # five", "view = '5 # five' is not a number in [0, 1e18]"},
        {"player.tower_size=5", "a class has no such attribute"},
        {"player.=5", "a class has no such attribute"},
        {"player.View=5", "a class has no such attribute"},
        {".view=5", "a class name is empty"},
        {"two words.view=5", "a class name has letters, digits, '_', '-' and '.' only"},
        {"class=a|b.view=5", "no such key"},
        {"01234567890123456789012345678901.view=5", "a class name is longer than 31 bytes"},
        {"newclass.view=-5", "view = -5 is outside [0, 1e18]"},
        {"shards=4", "shards takes 2 values, a,b"},
        {"shards=", "shards takes 2 values, a,b"},
        {"shards=4,4,4", "shards takes 2 values, a,b"},
        {"shards=4x4x4", "shards = '4x4' is not a whole number in [1, 1024]"},
        {"shards={4,4}", "shards = '{4' is not a whole number in [1, 1024]"},
        {"shards=4,", "shards = '' is not a whole number in [1, 1024]"},
        {"shards=,4", "shards = '' is not a whole number in [1, 1024]"},
        {"shards=4,0", "shards = 0 is outside [1, 1024]"},
        {"world_size=5x5", "world_size takes 2 values, a,b"},
        {"shards=101x1", "shards = {101, 1}: 101 along x is outside [1, 100], one a tower (world_size = {10000, "
                         "10000}, tower_size = 100)"},
        {"tower_size=0.1", "tower_size = 0.1: 100000 towers along x of world_size = {10000, 10000} is outside "
                           "[1, 65535]"},
    };
    ph_config *config = config_new();

    config_set_ok(config, "tower_size=100");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        config_set_refused(config, cases[i][0], cases[i][1]);
    }
    cr_expect_eq(ph_config_def(config)->class_count, 1, "no class was made on the way");
    ph_config_destroy(config);
}

Test(config_set, strange_bytes_and_long_texts)
{
    ph_config *config = config_new();
    ph_config_error error;
    char long_one[2000];

    cr_expect_eq(ph_config_set(config, "view=\n\033[31m5", &error), PH_BAD_DEF);
    cr_expect_str_eq(error.reason, "--set view=??[31m5: view = '?[31m5' is not a number in [0, 1e18]");
    memset(long_one, '7', sizeof long_one - 1);
    long_one[sizeof long_one - 1] = '\0';
    memcpy(long_one, "span=", 5);
    cr_expect_eq(ph_config_set(config, long_one, &error), PH_BAD_DEF);
    cr_expect_eq(strncmp(error.reason, "--set span=777777", 17), 0, "%s", error.reason);
    cr_expect_not_null(strstr(error.reason, "7...: span = 7777"), "%s", error.reason);
    cr_expect_not_null(strstr(error.reason, "7 is outside [0, 65535]"), "%s", error.reason);
    ph_config_destroy(config);
}

Test(config_set, on_top_of_a_file)
{
    ph_config *config = config_new();

    config_load_ok(config, "height = 5\nclass npc { view = 1 margin = 2 }");
    config_set_ok(config, "npc.view=3");
    config_set_ok(config, "height=6");
    cr_expect_eq(ph_config_def(config)->class_count, 2);
    cr_expect(ph_config_def(config)->classes[1].view == 3 && ph_config_def(config)->classes[1].margin == 2);
    config_expect(config, "height = 6", "--set");
    config_expect(config, "view = 3", "--set");
    config_expect(config, "margin = 2", "t:2");
    config_load_ok(config, "\nheight = 7");
    config_expect(config, "height = 7", "t:2");
    ph_config_destroy(config);
}

/* ---- checked once: ph_config_begin(), ph_config_end() ---- */

Test(config_once, settings_that_need_each_other_come_in_any_order)
{
    ph_config *config = config_new();
    ph_config_error error;

    cr_assert_eq(ph_config_begin(config), PH_OK);
    config_load_ok(config, "shards = {200, 1}\nclass npc { view = 1 }");
    config_set_ok(config, "npc.band=60:1,30:2"); /* not ascending yet */
    config_set_ok(config, "tower_size=50");
    config_set_ok(config, "npc.band=30:2,60:4");
    cr_assert_eq(ph_config_end(config, &error), PH_OK);
    cr_expect_str_empty(error.reason);
    cr_expect(ph_config_def(config)->shards[0] == 200 && ph_config_def(config)->class_count == 2);
    config_set_refused(config, "tower_size=100",
                       "shards = {200, 1}: 200 along x is outside [1, 100], one a tower (world_size = {10000, 10000}, "
                       "tower_size = 100)"); /* behind the end each change is checked again */
    ph_config_destroy(config);
}

static void expect_end_refused(const char *text, const char *assignment, const char *place, const char *reason)
{
    ph_config *config = config_new();
    ph_config_error error;
    char want[2 * PH_CONFIG_REASON_SIZE];

    config_load_ok(config, "span = 3\ntower_size = 100\nclass q {}");
    char *before = config_dump(config);
    cr_assert_eq(ph_config_begin(config), PH_OK);
    config_load_ok(config, text);
    if (assignment != NULL) config_set_ok(config, assignment);
    cr_expect_eq(ph_config_end(config, &error), PH_BAD_DEF);
    snprintf(want, sizeof want, "%s: %s", place, reason);
    cr_expect_str_eq(error.reason, want, "\n  got  %s\n  want %s", error.reason, want);
    char *after = config_dump(config);
    cr_expect_str_eq(before, after, "as at the begin");
    free(before);
    free(after);
    config_set_ok(config, "span=4");
    cr_expect_eq(ph_config_begin(config), PH_OK, "a refused end is an end");
    ph_config_destroy(config); /* begun, and not ended */
}

Test(config_once, the_end_names_where_the_key_came_from)
{
    const char *const shards = "shards = {101, 1}: 101 along x is outside [1, 100], one a tower (world_size = {10000, "
                               "10000}, tower_size = 100)";
    const char *const band = "class 2 'npc': band 2: radius = 30 is not above that of the band before, 60";

    expect_end_refused("height = 5\nshards = {101, 1}", NULL, "t:2", shards);
    expect_end_refused("height = 5", "shards=101,1", "--set shards", shards);
    expect_end_refused("shards = {2, 1}", "world_size=50,50", "t:1",
                       "shards = {2, 1}: 2 along x is outside [1, 1], one a tower (world_size = {50, 50}, tower_size = "
                       "100)");
    expect_end_refused("class npc {}", "npc.band=60:1,30:1", "--set band", band);
}

Test(config_once, values_are_checked_at_once_and_arguments_too)
{
    ph_config *config = config_new();
    ph_config_error error;

    cr_expect_eq(ph_config_end(config, &error), PH_BAD_ARGUMENT);
    cr_expect_str_eq(error.reason, "ph_config_end: no ph_config_begin() before it");
    cr_expect_eq(ph_config_end(NULL, &error), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_begin(NULL), PH_BAD_ARGUMENT);
    cr_assert_eq(ph_config_begin(config), PH_OK);
    cr_expect_eq(ph_config_begin(config), PH_BAD_ARGUMENT);
    config_set_refused(config, "view=-5", "view = -5 is outside [0, 1e18]");
    config_load_refused(config, "tower_size = -1", "t:1: tower_size = -1 is outside [0, 1e18]");
    cr_expect_eq(ph_config_end(config, NULL), PH_OK);
    ph_config_destroy(config);
}

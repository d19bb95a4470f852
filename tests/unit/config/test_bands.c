/*
 * Bands of a class: as sections of a file, as an assignment, in the dump, and their
 * refusals.
 */
#include "unit/config/config_case.h"

#define PLAYER "class player {\n  view = 90\n  band { radius = 30 every = 1 }\n  band { every = 4\n radius = 60 }\n}\n"

static void expect_band(const ph_class *class, uint32_t i, float radius, uint32_t every)
{
    cr_assert_lt(i, class->band_count);
    cr_expect(class->bands[i].radius >= radius && class->bands[i].radius <= radius, "band %u", i);
    cr_expect_eq(class->bands[i].every, every, "band %u", i);
}

Test(config_bands, of_a_file)
{
    ph_config *config = config_new();
    const ph_class *player;

    config_load_ok(config, PLAYER "class npc { band { radius = 5 every = 255 } updates_max = 3 }\n"
                                  "class none { view = 1 }");
    player = &ph_config_def(config)->classes[1];
    cr_assert_eq(player->band_count, 2);
    expect_band(player, 0, 30, 1);
    expect_band(player, 1, 60, 4);
    cr_expect_eq(ph_config_def(config)->classes[0].band_count, 0);
    cr_assert_eq(ph_config_def(config)->classes[2].band_count, 1);
    cr_expect_eq(ph_config_def(config)->classes[2].updates_max, 3);
    cr_expect_eq(ph_config_def(config)->classes[3].band_count, 0);
    ph_config_destroy(config);
}

Test(config_bands, a_dump_has_bands_with_lines_and_loads_again)
{
    ph_config *config = config_new();
    ph_config *again = config_new();
    char *dump;
    char *line;

    config_load_ok(config, PLAYER);
    line = config_dump_line(config, "band { radius = 30 every = 1 }");
    cr_expect_not_null(strstr(line, "# t:3"), "%s", line);
    free(line);
    line = config_dump_line(config, "band { radius = 60 every = 4 }");
    cr_expect_not_null(strstr(line, "# t:5"), "%s", line);
    free(line);
    dump = config_dump(config);
    config_load_ok(again, dump);
    free(dump);
    cr_expect_eq(memcmp(ph_config_def(config)->classes[1].bands, ph_config_def(again)->classes[1].bands,
                        sizeof(ph_band) * PH_BANDS_MAX),
                 0);
    cr_expect_eq(ph_config_def(again)->classes[1].band_count, 2);
    ph_config_destroy(again);
    ph_config_destroy(config);
}

Test(config_bands, on_top_of_each_other)
{
    ph_config *config = config_new();

    config_load_ok(config, PLAYER);
    config_load_ok(config, "class player { cap = 5 }");
    cr_expect_eq(ph_config_def(config)->classes[1].band_count, 2, "a file without bands leaves them");
    config_load_ok(config, "class player { band { radius = 7 every = 2 } }");
    cr_assert_eq(ph_config_def(config)->classes[1].band_count, 1, "a file with bands replaces them");
    expect_band(&ph_config_def(config)->classes[1], 0, 7, 2);
    ph_config_destroy(config);
}

Test(config_bands, set_takes_all_bands_of_a_class)
{
    ph_config *config = config_new();
    char *line;

    config_set_ok(config, "player.band=30:1, 60.5 : 4");
    cr_assert_eq(ph_config_def(config)->classes[1].band_count, 2);
    expect_band(&ph_config_def(config)->classes[1], 1, 60.5f, 4);
    line = config_dump_line(config, "band { radius = 60.5 every = 4 }");
    cr_expect_not_null(strstr(line, "# --set"), "%s", line);
    free(line);
    config_set_ok(config, "band=1:2");
    cr_expect_eq(ph_config_def(config)->classes[0].band_count, 1);
    config_set_ok(config, "band= none ");
    cr_expect_eq(ph_config_def(config)->classes[0].band_count, 0);
    config_set_refused(config, "player.band=", "band takes RADIUS:EVERY,RADIUS:EVERY,..., at most 8, or none");
    config_set_refused(config, "player.band=30", "band takes RADIUS:EVERY,RADIUS:EVERY,..., at most 8, or none");
    config_set_refused(config, "player.band=1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1,9:1",
                       "band takes RADIUS:EVERY,RADIUS:EVERY,..., at most 8, or none");
    config_set_refused(config, "player.band=30:0", "every = 0 is outside [1, 255]");
    config_set_refused(config, "player.band=30:256", "every = 256 is outside [1, 255]");
    config_set_refused(config, "player.band=0:1", "radius = 0 is outside (0, 1e18]");
    config_set_refused(config, "player.band=30:1,30:2",
                       "class 1 'player': band 2: radius = 30 is not above that of the band before, 30");
    ph_config_destroy(config);
}

Test(config_bands, bad_bands_are_refused_with_line_and_reason)
{
    static const char *const cases[][2] = {
        {"class a {\n band { every = 2 }\n}", "t:2: a band has no radius"},
        {"class a {\n band {\n}\n}", "t:3: a band has no radius"},
        {"class a {\n band { radius = 2 }\n}", "t:2: a band has no every"},
        {"class a { band { radius = -1 every = 1 } }", "t:1: radius = -1 is outside (0, 1e18]"},
        {"class a { band { radius = 1 every = 1.5 } }", "t:1: every = '1.5' is not a whole number in [1, 255]"},
        {"class a { band { radius = 1 radius = 2 every = 1 } }", "t:1: radius is there a second time"},
        {"class a {\n band { radius = 2 every = 1 }\n band { radius = 2 every = 1 } }",
         "t:3: the radius of a band is not above that of the band before"},
        {"class a { band { radius = 1 every = 1 } band { radius = 2 every = 1 } band { radius = 3 every = 1 }\n"
         "band { radius = 4 every = 1 } band { radius = 5 every = 1 } band { radius = 6 every = 1 }\n"
         "band { radius = 7 every = 1 } band { radius = 8 every = 1 }\nband { radius = 9 every = 1 } }",
         "t:4: more than 8 bands"},
    };
    ph_config *config = config_new();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        config_load_refused(config, cases[i][0], cases[i][1]);
    }
    cr_expect_neq(ph_config_load_text(config, "t", "band { radius = 1 every = 1 }", NULL), PH_OK, "outside of a class");
    cr_expect_neq(ph_config_load_text(config, "t", "class a { class b { } }", NULL), PH_OK);
    cr_expect_neq(ph_config_load_text(config, "t", "class a { band { radius = 1 band { } } }", NULL), PH_OK);
    ph_config_destroy(config);
}

Test(config_bands, of_a_definition)
{
    ph_world_def def = ph_world_def_default();
    ph_class class = ph_class_default("default");
    char reason[256];

    def.classes = &class;
    class.band_count = PH_BANDS_MAX + 1;
    cr_expect_eq(ph_world_def_check(&def, reason, sizeof reason), PH_BAD_DEF);
    cr_expect_str_eq(reason, "class 0 'default': band_count = 9 is outside [0, 8]");
    class.band_count = 1;
    cr_expect_eq(ph_world_def_check(&def, reason, sizeof reason), PH_BAD_DEF);
    cr_expect_str_eq(reason, "class 0 'default': band 1: radius = 0 is outside (0, 1e18]");
    class.bands[0] = (ph_band){10, 0};
    cr_expect_eq(ph_world_def_check(&def, reason, sizeof reason), PH_BAD_DEF);
    class.bands[0].every = 255;
    cr_expect_eq(ph_world_def_check(&def, reason, sizeof reason), PH_OK, "%s", reason);
}

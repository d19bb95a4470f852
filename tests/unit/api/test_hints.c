/*
 * Lines of the log for a host that wonders why nothing is told, and ph_attrs_check(): each line once per change of its
 * state, from the thread that ticks.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

enum { LINES_MAX = 16, LINE_SIZE = 300 };

static struct {
    char text[LINES_MAX][LINE_SIZE];
    ph_log_level level[LINES_MAX];
    uint32_t count;
} lines;

static ph_class kinds[2];
static ph_world world;
static ph_producer producer;

static void log_line(void *user, ph_log_level level, const char *line)
{
    cr_assert_eq(user, &lines);
    cr_assert(lines.count < LINES_MAX && strlen(line) < LINE_SIZE && !strchr(line, '\n'));
    memcpy(lines.text[lines.count], line, strlen(line) + 1);
    lines.level[lines.count++] = level;
}

static ph_world_def definition(void)
{
    ph_world_def def = ph_world_def_default();
    kinds[0] = ph_class_default("default");
    kinds[1] = ph_class_default("player");
    kinds[1].view = 10;
    def.classes = kinds;
    def.class_count = 2;
    def.tower_size = 100;
    def.log = log_line;
    def.log_user = &lines;
    return def;
}

static void setup(void)
{
    ph_world_def def = definition();
    lines.count = 0;
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    cr_assert_eq(ph_producer_open(world, &producer), PH_OK);
}

static void teardown(void)
{
    if (ph_world_destroy(world) != PH_OK) abort(); /* an assertion that fails in a .fini fails no test */
}

TestSuite(hints, .init = setup, .fini = teardown);

static void enter(uint64_t id, ph_attrs attrs)
{
    cr_assert_eq(ph_enter(producer, id, &attrs), PH_OK);
}

/* Ticks; the log gets `count` lines, the last of which has this part. */
static void tick_logs(uint32_t count, const char *part)
{
    lines.count = 0;
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    for (uint32_t i = 0; lines.count != count && i < lines.count; i++) cr_log_error("logged: %s", lines.text[i]);
    cr_assert_eq(lines.count, count);
    for (uint32_t i = 0; i < count; i++) cr_assert_eq(lines.level[i], PH_LOG_WARNING);
    if (count > 0) cr_assert(strstr(lines.text[count - 1], part) != NULL, "%s", lines.text[count - 1]);
}

#define XY .x = 1, .y = 1

Test(hints, entities_without_an_observer_are_told_once_until_one_comes)
{
    const char *const text = "2 entities and no observer";
    tick_logs(0, NULL); /* an empty world is no hint */
    enter(1, (ph_attrs){.given = PH_X | PH_Y, XY});
    enter(2, (ph_attrs){.given = PH_X | PH_Y | PH_VIEW | PH_READY, XY, .view = 5});
    tick_logs(1, text); /* a view without ready is no observer */
    tick_logs(0, NULL);
    cr_assert_eq(ph_set(producer, 2, &(ph_attrs){.given = PH_READY, .ready = true}), PH_OK);
    tick_logs(0, NULL);
    cr_assert_eq(ph_set(producer, 2, &(ph_attrs){.given = PH_VIEW}), PH_OK);
    tick_logs(1, text);
    cr_assert_eq(ph_leave(producer, 1), PH_OK);
    cr_assert_eq(ph_leave(producer, 2), PH_OK);
    tick_logs(0, NULL);
    enter(3, (ph_attrs){.given = PH_X | PH_Y, XY});
    tick_logs(1, "1 entities and no observer");
}

Test(hints, a_forgotten_bit_is_told_once_for_each_field)
{
    enter(1, (ph_attrs){.given = PH_X | PH_Y | PH_KIND, XY, .kind = 1});
    tick_logs(0, NULL);
    enter(2, (ph_attrs){.given = PH_X | PH_Y | PH_KIND, XY, .kind = 1, .view = 50});
    tick_logs(1, "with view set, whose bit is not in ph_attrs.given");
    enter(3, (ph_attrs){.given = PH_X | PH_Y, XY, .view = 50, .layers = 2, .veiled = true});
    tick_logs(2, "with veiled set");
    cr_assert(strstr(lines.text[0], "with layers set") != NULL, "%s", lines.text[0]);
    enter(4, (ph_attrs){.given = PH_X | PH_Y, XY, .view = 50, .layers = 2, .veiled = true});
    tick_logs(0, NULL);
}

Test(hints, a_reused_struct_is_no_hint_but_a_set_of_nothing_is)
{
    ph_attrs all;
    enter(1, (ph_attrs){.given = PH_X | PH_Y | PH_KIND, XY, .kind = 1});
    tick_logs(0, NULL);
    cr_assert_eq(ph_entity_get(world, 1, &all), PH_OK);
    all.given = PH_VIEW;
    cr_assert_eq(ph_set(producer, 1, &all), PH_OK);
    tick_logs(0, NULL);
    cr_assert_eq(ph_set(producer, 1, &(ph_attrs){.stealth = 3}), PH_OK);
    tick_logs(1, "with stealth set");
    cr_assert_eq(ph_set(producer, 1, &(ph_attrs){0}), PH_OK);
    tick_logs(0, NULL);
}

Test(hints, a_world_that_is_not_made_says_why)
{
    ph_world other;
    ph_world_def def = definition();
    def.shards[0] = 101;
    lines.count = 0;
    cr_assert_eq(ph_world_create(&def, &other), PH_BAD_DEF);
    cr_assert(lines.count == 1 && lines.level[0] == PH_LOG_ERROR);
    cr_assert_str_eq(lines.text[0], "shards = {101, 1}: 101 along x is outside [1, 100], one a tower (world_size = "
                                    "{10000, 10000}, tower_size = 100)");
    def = definition();
    kinds[1].view = -1;
    cr_assert_eq(ph_world_create(&def, &other), PH_BAD_DEF);
    cr_assert(lines.count == 2);
    cr_assert_str_eq(lines.text[1], "class 1 'player': view = -1 is outside [0, 1e18]");
    def.log = NULL;
    cr_assert_eq(ph_world_create(&def, &other), PH_BAD_DEF);
    def = definition();
    def.cookie++; /* then `log` may be any word */
    cr_assert_eq(ph_world_create(&def, &other), PH_BAD_DEF);
    cr_assert_eq(lines.count, 2);
}

static uint64_t outside_now(void)
{
    ph_stats stats;
    cr_assert_eq(ph_world_stats(world, &stats), PH_OK);
    return stats.outside;
}

Test(hints, entities_outside_of_the_world_are_told_above_one_in_twenty)
{
    for (uint64_t id = 1; id <= 40; id++)
        enter(id, (ph_attrs){.given = PH_X | PH_Y | PH_KIND, .x = (float)id, .y = 1, .kind = 1});
    enter(41, (ph_attrs){.given = PH_X | PH_Y | PH_KIND, .x = -1, .y = 1, .kind = 1});
    tick_logs(0, NULL);
    cr_assert_eq(outside_now(), 1);
    cr_assert_eq(ph_move(producer, 1, 5, 10000, 0), PH_OK); /* the border belongs to no tower */
    tick_logs(0, NULL);
    cr_assert_eq(outside_now(), 2);
    cr_assert_eq(ph_move(producer, 2, 20000, 20000, 0), PH_OK);
    tick_logs(1, "3 of 41 entities stand outside of the world");
    cr_assert_eq(ph_move(producer, 3, 5, -0.5f, 0), PH_OK);
    tick_logs(0, NULL); /* told before */
    cr_assert_eq(outside_now(), 4);
    for (uint64_t id = 1; id <= 3; id++) cr_assert_eq(ph_move(producer, id, 1, 1, 0), PH_OK);
    tick_logs(0, NULL);
    cr_assert_eq(outside_now(), 1);
    cr_assert_eq(ph_leave(producer, 41), PH_OK);
    tick_logs(0, NULL);
    cr_assert_eq(outside_now(), 0);
    for (uint64_t id = 1; id <= 3; id++) cr_assert_eq(ph_move(producer, id, -5, 1, 0), PH_OK);
    tick_logs(1, "3 of 40 entities stand outside");
}

/* ---- ph_attrs_check() ---- */

static void expect_check(ph_command command, ph_attrs attrs, ph_status status, const char *reason)
{
    char text[256] = "?";
    cr_expect_eq(ph_attrs_check(world, command, &attrs, text, sizeof text), status);
    cr_expect_str_eq(text, reason);
    cr_expect_eq(ph_attrs_check(world, command, &attrs, NULL, 0), status);
}

Test(hints, check_of_attributes_names_field_value_and_range)
{
    const ph_command enters = PH_COMMAND_ENTER, sets = PH_COMMAND_SET;
    expect_check(enters, (ph_attrs){.given = PH_X | PH_Y}, PH_OK, "");
    expect_check(enters, (ph_attrs){.x = 1, .y = 2}, PH_NOT_GIVEN, "x is not given: its bit is not in given");
    expect_check(enters, (ph_attrs){.given = PH_X}, PH_NOT_GIVEN, "y is not given: its bit is not in given");
    expect_check(sets, (ph_attrs){.given = PH_Y, .y = -2e18f}, PH_BAD_POSITION, "y = -2e18 is outside [-1e18, 1e18]");
    expect_check(sets, (ph_attrs){.given = PH_VIEW, .view = -0.1f}, PH_BAD_RADIUS, "view = -0.1 is outside [0, 1e18]");
    expect_check(sets, (ph_attrs){.given = PH_KIND, .kind = 2}, PH_BAD_KIND, "kind = 2 is outside [0, 1]");
    expect_check(sets, (ph_attrs){.given = PH_KIND, .kind = PH_KIND_NONE}, PH_BAD_KIND,
                 "kind = 4294967295 is outside [0, 1]");
    expect_check(sets, (ph_attrs){.given = PH_CAP, .cap = 1u << 31}, PH_BAD_VALUE,
                 "cap = 2147483648 is outside [0, 2^31-1]");
    expect_check(sets, (ph_attrs){.given = PH_CONSUMER, .consumer = 1}, PH_BAD_VALUE, "consumer = 1 is outside [0, 0]");
    expect_check(sets, (ph_attrs){.given = 1u << 31 | PH_X}, PH_BAD_VALUE,
                 "given = 0x80000001 is outside [0, 0x1fffff]");
}

Test(hints, check_of_attributes_names_each_field_that_does_not_count)
{
#define FORGOTTEN(field) \
    expect_check(PH_COMMAND_SET, (ph_attrs){.field = 3}, PH_OK, #field " = 3 does not count: its bit is not in given")
    FORGOTTEN(x);
    FORGOTTEN(y);
    FORGOTTEN(z);
    FORGOTTEN(view);
    FORGOTTEN(margin);
    FORGOTTEN(reach);
    FORGOTTEN(visible);
    FORGOTTEN(kind);
    FORGOTTEN(cap);
    FORGOTTEN(consumer);
    FORGOTTEN(instance);
    FORGOTTEN(layers);
    FORGOTTEN(sees);
    FORGOTTEN(user_data);
    FORGOTTEN(stealth);
    FORGOTTEN(detect);
    FORGOTTEN(priority);
#undef FORGOTTEN
#define FORGOTTEN(field) \
    expect_check(PH_COMMAND_SET, (ph_attrs){.field = true}, PH_OK, \
                 #field " = 1 does not count: its bit is not in given")
    FORGOTTEN(global);
    FORGOTTEN(veiled);
    FORGOTTEN(ready);
    FORGOTTEN(remote);
#undef FORGOTTEN
    ph_attrs every;
    cr_assert_eq(ph_enter(producer, 1, &(ph_attrs){.given = PH_X | PH_Y}), PH_OK);
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    cr_assert_eq(ph_entity_get(world, 1, &every), PH_OK);
    expect_check(PH_COMMAND_SET, every, PH_OK, "");
}

Test(hints, check_of_attributes_refuses_bad_arguments)
{
    char text[8] = "1234567";
    const ph_attrs attrs = {.given = PH_VIEW, .view = -1};
    cr_expect_eq(ph_attrs_check((ph_world){0}, PH_COMMAND_SET, &attrs, text, sizeof text), PH_BAD_HANDLE);
    cr_expect_str_eq(text, "");
    cr_expect_eq(ph_attrs_check(world, PH_COMMAND_SET, NULL, text, sizeof text), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_attrs_check(world, PH_COMMAND_LEAVE, &attrs, text, sizeof text), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_attrs_check(world, PH_COMMAND_SET, &attrs, text, 5), PH_BAD_RADIUS);
    cr_expect_str_eq(text, "view");
    cr_expect_eq(ph_attrs_check(world, PH_COMMAND_SET, &attrs, text, 0), PH_BAD_RADIUS);
    cr_expect_str_eq(text, "view");
}

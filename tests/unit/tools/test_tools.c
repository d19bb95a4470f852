/*
 * The common code of the programs: tools/cli.c, tick_times.c, out_file.c, event_hash.h and
 * replay_events.c.
 */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/whole_text.h"
#include "support/temp_path.h"
#include "support/watched_memory.h"
#include "tools/cli.h"
#include "tools/event_hash.h"
#include "tools/out_file.h"
#include "tools/replay_events.h"
#include "tools/tick_times.h"

/* ---- cli ---- */

static bool parses(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
    return phx_parse_u64(text, strlen(text), min, max, value);
}

Test(tools, whole_numbers)
{
    uint64_t value = 77;
    const char *const bad[] = {"",
                               "-1",
                               "+1",
                               " 1",
                               "1 ",
                               "1.0",
                               "0x1",
                               "18446744073709551616",
                               "99999999999999999999",
                               "184467440737095516150"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_not(parses(bad[i], 0, UINT64_MAX, &value), "%s", bad[i]);
    cr_expect_not(parses("4", 5, 9, &value));
    cr_expect_not(parses("10", 5, 9, &value));
    cr_expect_eq(value, 77, "a refused text changes nothing");
    cr_expect(parses("5", 5, 9, &value) && value == 5);
    cr_expect(parses("9", 5, 9, &value) && value == 9);
    cr_expect(parses("0007", 5, 9, &value) && value == 7);
    cr_expect(parses("18446744073709551615", 0, UINT64_MAX, &value) && value == UINT64_MAX);
    cr_expect(phx_parse_u64("123", 2, 0, UINT64_MAX, &value) && value == 12, "the length counts");
}

Test(tools, bytes_have_a_unit_or_are_refused)
{
    uint64_t value = 7;
    const char *const bad[] = {"",
                               "K",
                               "0",
                               "0K",
                               "-1",
                               "1k",
                               "1T",
                               "1KK",
                               " 1",
                               "1.5G",
                               "18014398509481984K",
                               "17179869184G",
                               "18446744073709551616"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_expect_not(phx_parse_bytes(bad[i], &value), "%s", bad[i]);
    cr_expect_eq(value, 7);
    cr_expect(phx_parse_bytes("1", &value) && value == 1);
    cr_expect(phx_parse_bytes("3K", &value) && value == 3 * 1024);
    cr_expect(phx_parse_bytes("5M", &value) && value == 5 * 1024 * 1024);
    cr_expect(phx_parse_bytes("17179869183G", &value) && value == UINT64_C(17179869183) << 30);
    cr_expect(phx_parse_bytes("18446744073709551615", &value) && value == UINT64_MAX);
}

Test(tools, whole_numbers_of_ranges)
{
    static const struct {
        uint64_t value;
        const char *text;
    } rows[] = {{0, "0"},
                {65535, "65535"},
                {(1 << 20) - 1, "1048575"},
                {1 << 20, "2^20"},
                {(1 << 20) + 1, "1048577"},
                {(1 << 21) - 1, "2^21-1"},
                {INT32_MAX, "2^31-1"},
                {UINT32_MAX, "2^32-1"},
                {UINT64_C(1) << 63, "2^63"},
                {UINT64_MAX - 1, "18446744073709551614"},
                {UINT64_MAX, "2^64-1"}};
    char text[PHX_WHOLE_TEXT_SIZE];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_str_eq(phx_whole_text(rows[i].value, text), rows[i].text);
}

Test(tools, n_by_m)
{
    uint32_t a = 7, b = 7;
    const char *const bad[] = {"", "x", "4", "4x", "x4", "0x4", "4x0", "4x4x4", "4X4", " 4x4", "4x4 ", "4294967296x1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) cr_expect_not(phx_parse_nxm(bad[i], &a, &b), "%s", bad[i]);
    cr_expect(a == 7 && b == 7);
    cr_expect(phx_parse_nxm("4x12", &a, &b) && a == 4 && b == 12);
    cr_expect(phx_parse_nxm("4294967295x1", &a, &b) && a == UINT32_MAX && b == 1);
}

Test(tools, items_of_a_list_are_cut_to_their_room)
{
    const char *list = "walk,,a-long-name,";
    char item[6];
    const char *const expected[] = {"walk", "", "a-lon"};
    for (size_t i = 0; i < 3; i++) {
        cr_assert(phx_next_item(&list, item, sizeof item));
        cr_expect_str_eq(item, expected[i]);
    }
    cr_expect_not(phx_next_item(&list, item, sizeof item));
    list = "";
    cr_expect_not(phx_next_item(&list, item, sizeof item));
}

Test(tools, quoting_never_outgrows_its_room)
{
    char quoted[PHX_QUOTE_SIZE + 1];
    static const char bytes[100] = {'\x01'};
    quoted[PHX_QUOTE_SIZE] = '#';
    cr_expect_eq(strlen(phx_quote(quoted, bytes, sizeof bytes)), 40 * 4 + 2 + 3);
    cr_expect_eq(quoted[PHX_QUOTE_SIZE], '#');
    cr_expect_str_eq(phx_quote(quoted, "a\"b\\c\n", 6), "\"a\\x22b\\x5cc\\x0a\"");
    cr_expect_str_eq(phx_quote(quoted, "", 0), "\"\"");
}

Test(tools, json_strings)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    phx_json_string(out, "a\"b\\c\n\x1f\xc3\xa9");
    fclose(out);
    cr_expect_str_eq(text, "\"a\\\"b\\\\c\\u000a\\u001f\xc3\xa9\"");
    free(text);
}

/* ---- tick times ---- */

Test(tools, no_times)
{
    static phx_tick_times times;
    cr_expect_eq(phx_tick_times_ns(&times, 50), 0);
    cr_expect_eq(phx_tick_times_ns(&times, 100), 0);
}

Test(tools, small_times_are_exact)
{
    static phx_tick_times times;
    for (uint64_t ns = 1; ns <= 100; ns++) phx_tick_times_add(&times, ns);
    const uint32_t percents[] = {1, 2, 50, 99, 100};
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++)
        cr_expect_eq(phx_tick_times_ns(&times, percents[i]), percents[i]);
    cr_expect_eq(phx_tick_times_ns(&times, 0), 1);
    cr_expect_eq(times.sum_ns, 5050);
}

Test(tools, percentiles_of_few_times_round_up)
{
    static phx_tick_times times;
    for (uint64_t ns = 1; ns <= 3; ns++) phx_tick_times_add(&times, ns);
    cr_expect_eq(phx_tick_times_ns(&times, 33), 1);
    cr_expect_eq(phx_tick_times_ns(&times, 34), 2);
    cr_expect_eq(phx_tick_times_ns(&times, 50), 2);
    cr_expect_eq(phx_tick_times_ns(&times, 99), 3);
}

Test(tools, times_are_right_within_a_hundredth)
{
    static phx_tick_times times;
    for (uint32_t bits = 0; bits < 64; bits++) {
        for (uint64_t part = 0; part < 300; part++) {
            uint64_t ns = ((uint64_t)1 << bits) + (bits >= 9 ? part * ((uint64_t)1 << bits) / 300 : 0);
            memset(&times, 0, sizeof times);
            phx_tick_times_add(&times, ns);
            phx_tick_times_add(&times, UINT64_MAX);
            uint64_t got = phx_tick_times_ns(&times, 50);
            cr_assert_geq(got, ns);
            cr_assert_leq(got - ns, ns / 100);
            cr_assert_eq(phx_tick_times_ns(&times, 100), UINT64_MAX);
        }
    }
}

/* ---- the event hash ---- */

/* Fixed for good: recorded hashes of runs are compared with it. */
Test(tools, event_hash_is_unchanged)
{
    cr_expect_eq(phx_event_hash(0, 0, 0, 0), 0x1957a7604e215178u);
    cr_expect_eq(phx_event_hash(1, 2, PHX_EVENT_ENTER, 3), 0x4efb196064c4ad49u);
}

Test(tools, event_hash_depends_on_each_argument)
{
    uint64_t base = phx_event_hash(1, 2, PHX_EVENT_ENTER, 3);
    cr_expect_neq(base, phx_event_hash(2, 2, PHX_EVENT_ENTER, 3));
    cr_expect_neq(base, phx_event_hash(1, 3, PHX_EVENT_ENTER, 3));
    cr_expect_neq(base, phx_event_hash(1, 2, PHX_EVENT_LEAVE, 3));
    cr_expect_neq(base, phx_event_hash(1, 2, PHX_EVENT_ENTER, 4));
    cr_expect_neq(base, phx_event_hash(1, 3, PHX_EVENT_ENTER, 2));
    cr_expect_neq(base, phx_event_hash(2, 1, PHX_EVENT_ENTER, 3));
}

/* ---- output files ---- */

static watched_memory watched;
static phx_mem mem;
static char folder[TEMP_PATH_SIZE], path[TEMP_PATH_SIZE + 16];

static void set_up(void)
{
    watched_memory_init(&watched);
    phx_mem_init(&mem, watched_memory_allocator(&watched));
    temp_folder(folder, "out");
    snprintf(path, sizeof path, "%s/out", folder);
}

/* In a .fini an assertion of Criterion's that fails does not fail the test; a crash does. */
static void tear_down(void)
{
    unlink(path);
    if (rmdir(folder) != 0 || atomic_load(&mem.bytes) != 0) {
        fprintf(stderr, "something was left in %s, or in memory\n", folder);
        abort();
    }
}

TestSuite(text_output, .init = set_up, .fini = tear_down);

static phx_out *open_out(const char *name)
{
    phx_out *out;
    const char *trouble = "";
    cr_assert_eq(phx_out_open(&out, &mem, name, &trouble), PH_OK, "%s", trouble);
    return out;
}

static void write_out(phx_out *out, const char *text)
{
    memcpy(phx_out_reserve(out), text, strlen(text));
    phx_out_advance(out, strlen(text));
}

static void expect_content(const char *name, const char *expected)
{
    char content[256] = "";
    FILE *file = fopen(name, "rb");
    cr_assert(file, "%s is not there", name);
    size_t size = fread(content, 1, sizeof content - 1, file);
    fclose(file);
    content[size] = '\0';
    cr_assert_str_eq(content, expected);
}

Test(text_output, keeps_the_permissions_of_a_file_that_it_replaces)
{
    enum { PRIVATE = 0600, PERMISSIONS = 0777 };
    struct stat status;
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, PRIVATE);
    cr_assert_geq(fd, 0);
    close(fd);
    phx_out *out = open_out(path);
    write_out(out, "secret\n");
    cr_assert_null(phx_out_close(out, true));
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_mode & PERMISSIONS, PRIVATE);
    expect_content(path, "secret\n");
}

Test(text_output, appears_when_it_is_whole)
{
    phx_out *out = open_out(path);
    write_out(out, "one\n");
    cr_expect_neq(access(path, F_OK), 0);
    write_out(out, "two\n");
    cr_assert_null(phx_out_close(out, true));
    expect_content(path, "one\ntwo\n");
}

Test(text_output, a_file_given_up_leaves_the_old_one)
{
    phx_out *out = open_out(path);
    write_out(out, "old\n");
    cr_assert_null(phx_out_close(out, true));
    out = open_out(path);
    write_out(out, "new\n");
    expect_content(path, "old\n");
    cr_assert_null(phx_out_close(out, false));
    expect_content(path, "old\n");
}

Test(text_output, many_buffers_of_numbers)
{
    phx_out *out = open_out(path);
    for (uint64_t i = 0; i < 200000; i++) {
        char *from = phx_out_reserve(out), *to = phx_put_u64(from, i * i);
        *to++ = '\n';
        phx_out_advance(out, (size_t)(to - from));
    }
    cr_assert_null(phx_out_close(out, true));
    FILE *file = fopen(path, "rb");
    for (unsigned long long i = 0, value; i < 200000; i++) {
        cr_assert_eq(fscanf(file, "%llu", &value), 1);
        cr_assert_eq(value, i * i);
    }
    cr_assert_eq(fgetc(file), '\n');
    cr_assert_eq(fgetc(file), EOF);
    fclose(file);
}

Test(text_output, numbers_are_written_as_printf_does)
{
    char text[24];
    const uint64_t values[] = {0, 9, 10, 4294967295u, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char expected[24];
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)values[i]);
        *phx_put_u64(text, values[i]) = '\0';
        cr_expect_str_eq(text, expected);
    }
}

Test(text_output, a_link_is_followed)
{
    char link_path[TEMP_PATH_SIZE + 16];
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    phx_out *out = open_out(path);
    cr_assert_null(phx_out_close(out, true));
    cr_assert_eq(symlink("out", link_path), 0);
    out = open_out(link_path);
    write_out(out, "through\n");
    cr_assert_null(phx_out_close(out, true));
    struct stat status;
    cr_assert_eq(lstat(link_path, &status), 0);
    cr_expect(S_ISLNK(status.st_mode));
    unlink(link_path);
    expect_content(path, "through\n");
}

/* The pipe first: were it replaced, a run by root would replace the machine's devices next. */
Test(text_output, a_special_file_is_written_and_not_replaced)
{
    struct stat status;
    char got[8] = "";
    cr_assert_eq(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    cr_assert_geq(reader, 0);
    phx_out *out = open_out(path);
    write_out(out, "x");
    cr_assert_null(phx_out_close(out, true));
    cr_assert_eq(lstat(path, &status), 0);
    cr_assert(S_ISFIFO(status.st_mode));
    cr_assert_eq(read(reader, got, sizeof got), 1);
    cr_assert_eq(got[0], 'x');
    close(reader);
    out = open_out("/dev/full");
    write_out(out, "x");
    cr_expect_str_eq(phx_out_close(out, true), "No space left on device");
}

Test(text_output, places_that_can_not_be_written)
{
    phx_out *out;
    const char *trouble = "";
    char name[TEMP_PATH_SIZE + 16];
    snprintf(name, sizeof name, "%s/none/out", folder);
    cr_assert_eq(phx_out_open(&out, &mem, name, &trouble), PH_BAD_ARGUMENT);
    cr_expect_str_eq(trouble, "No such file or directory");
    cr_assert_eq(phx_out_open(&out, &mem, folder, &trouble), PH_BAD_ARGUMENT);
    cr_expect_str_eq(trouble, "Is a directory");
    watched_memory_fail_after(&watched, 0);
    cr_assert_eq(phx_out_open(&out, &mem, path, &trouble), PH_NO_MEMORY);
}

Test(text_output, a_full_disk_leaves_nothing)
{
    /* The bound on the size of files stands for the disk; without the signal that comes with it. */
    const struct rlimit bound = {100 * 1000, 100 * 1000};
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &bound), 0);
    phx_out *out = open_out(path);
    for (int i = 0; i < 100000; i++) write_out(out, "0123456789");
    cr_expect_str_eq(phx_out_trouble(out), "File too large");
    cr_expect_str_eq(phx_out_close(out, true), "File too large");
    cr_expect_neq(access(path, F_OK), 0);
}

Test(text_output, a_signal_leaves_nothing)
{
    const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        int told[2], status;
        char byte;
        cr_assert_eq(pipe(told), 0);
        pid_t child = fork();
        cr_assert_geq(child, 0);
        if (child == 0) {
            for (size_t j = 0; j < sizeof signals / sizeof signals[0]; j++) signal(signals[j], SIG_DFL);
            open_out(path);
            if (write(told[1], "x", 1) == 1) pause();
            _exit(0);
        }
        cr_assert_eq(read(told[0], &byte, 1), 1);
        kill(child, signals[i]);
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        close(told[0]);
        close(told[1]);
    } /* tear_down() finds the folder empty */
}

/* ---- sorted events ---- */

/* A batch of three records: targets in no order, as kinds would have it; observer 5 twice. */
Test(text_output, events_are_sorted)
{
    const ph_target targets[] = {{9, 0}, {3, 0}, {20, 0}, {1, 0}, {7, 0}, {8, 0}, {UINT64_MAX, 0}};
    const ph_change changes[] = {
        {.observer = 5, .first = 0, .leave_count = 2, .enter_count = 2},
        {.observer = 2, .first = 4, .leave_count = 0, .enter_count = 2},
        {.observer = 5, .first = 6, .leave_count = 0, .enter_count = 1},
    };
    const ph_batch batch = {.changes = changes, .targets = targets, .change_count = 3, .target_count = 7};
    phx_event_sheet sheet = {.mem = &mem};
    phx_out *out = open_out(path);
    phx_event_header(sheet.shows, out);
    cr_assert(phx_event_sheet_add(&sheet, &batch));
    cr_assert(phx_event_sheet_write(&sheet, 12, out));
    cr_assert(phx_event_sheet_write(&sheet, 13, out), "nothing is left for the next tick");
    const ph_change again = {.observer = 4, .first = 3, .leave_count = 1, .enter_count = 0};
    const ph_batch second = {.changes = &again, .targets = targets, .change_count = 1, .target_count = 7};
    cr_assert(phx_event_sheet_add(&sheet, &second));
    cr_assert(phx_event_sheet_write(&sheet, UINT64_MAX, out));
    phx_event_sheet_release(&sheet);
    cr_assert_null(phx_out_close(out, true));
    expect_content(path, "tick,observer,event,target\n"
                         "12,2,enter,7\n12,2,enter,8\n"
                         "12,5,leave,3\n12,5,leave,9\n12,5,enter,1\n12,5,enter,20\n12,5,enter,18446744073709551615\n"
                         "18446744073709551615,4,leave,1\n");
}

Test(text_output, events_show_causes_and_positions)
{
    const ph_target targets[] = {{9, 0}, {3, 0}, {2, 0}};
    const uint8_t causes[] = {PH_CAUSE_HIDDEN, PH_CAUSE_APPEARED, PH_CAUSE_CAME};
    const ph_position positions[] = {{0}, {0.5f, -1, 1e18f}, {1, 2, 3}};
    const ph_change change = {.observer = 5, .leave_count = 1, .enter_count = 2};
    const ph_edge edge = {.id = 4, .area = 7, .on = 1};
    const ph_batch batch = {.changes = &change,
                            .targets = targets,
                            .causes = causes,
                            .positions = positions,
                            .change_count = 1,
                            .target_count = 3,
                            .crossings = &edge,
                            .crossing_count = 1};
    phx_event_sheet sheet = {.mem = &mem, .shows = {.causes = true, .positions = true}};
    phx_out *out = open_out(path);
    phx_event_header(sheet.shows, out);
    cr_assert(phx_event_sheet_add(&sheet, &batch) && phx_event_sheet_write(&sheet, 12, out));
    phx_event_sheet_release(&sheet);
    cr_assert_null(phx_out_close(out, true));
    expect_content(path, "tick,observer,event,target,cause,x,y,z\n12,4,in,7,,,,\n12,5,leave,9,hidden,,,\n"
                         "12,5,enter,2,came,1,2,3\n12,5,enter,3,appeared,0.5,-1,9.99999984e+17\n");
}

Test(text_output, no_memory_for_events_is_reported)
{
    const ph_target target = {9, 0};
    const ph_change change = {.observer = 5, .enter_count = 1};
    const ph_batch batch = {.changes = &change, .targets = &target, .change_count = 1, .target_count = 1};
    phx_out *out = open_out(path);
    for (uint64_t good = 0; good < 3; good++) {
        phx_event_sheet sheet = {.mem = &mem};
        watched_memory_fail_after(&watched, good);
        cr_expect_not(phx_event_sheet_add(&sheet, &batch) && phx_event_sheet_write(&sheet, 1, out));
        phx_event_sheet_release(&sheet);
    }
    cr_assert_null(phx_out_close(out, false));
}

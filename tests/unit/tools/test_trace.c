/*
 * tools/trace.c, trace_row.c and text_input.c: rows, bad lines, headers, gzip and its
 * damage, line bounds, locales.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* locale_t of strtof_l */
#endif

#include <criterion/criterion.h>

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "support/temp_path.h"
#include "support/watched_memory.h"
#include "tools/text_input.h"
#include "tools/trace.h"

static watched_memory watched;
static phx_mem mem;
static char path[TEMP_PATH_SIZE];
static phx_trace *trace;
static phx_trace_row row;
static phx_trace_error error;
static bool is_watching_locale; /* for __wrap_strtof(), below: in the tests of this file alone */

static void set_up(void)
{
    watched_memory_init(&watched);
    phx_mem_init(&mem, watched_memory_allocator(&watched));
    temp_file(path, "trace");
    trace = NULL;
    is_watching_locale = true;
}

/* In a .fini an assertion of Criterion's that fails does not fail the test; a crash does. */
static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void tear_down(void)
{
    phx_trace_close(trace);
    unlink(path);
    must(atomic_load(&mem.bytes) == 0, "memory is still held");
    watched_memory_all_back(&watched);
}

TestSuite(trace, .init = set_up, .fini = tear_down);

static void put(const void *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file);
    cr_assert_eq(fwrite(bytes, 1, length, file), length);
    cr_assert_eq(fclose(file), 0);
}

/* Classes "guard" 1 and "thief" 2. */
static uint32_t kind_of(void *user, const char *name)
{
    cr_assert_eq(user, &mem);
    return strcmp(name, "guard") == 0 ? 1 : strcmp(name, "thief") == 0 ? 2 : 0;
}

static ph_status open_path(const char *name)
{
    memset(&error, 0, sizeof error);
    phx_trace_source source = {name, PHX_TRACE_UNPACK_MAX_BYTES, kind_of, &mem};
    return phx_trace_open(&trace, &mem, &source, &error);
}

static void open_text(const char *text)
{
    put(text, strlen(text));
    cr_assert_eq(open_path(path), PH_OK, "%s", error.reason);
}

static phx_trace_result next(void)
{
    memset(&row, 0xa5, sizeof row);
    memset(&error, 0, sizeof error);
    return phx_trace_next(trace, &row, &error);
}

static void expect_row(phx_trace_op op, uint64_t tick, uint64_t id)
{
    cr_assert_eq(next(), PHX_TRACE_ROW, "line %u: %s", (unsigned)error.line, error.reason);
    cr_expect_eq(row.op, op);
    cr_expect_eq(row.tick, tick);
    cr_expect_eq(row.id, id);
}

static void expect_bad(phx_trace_bad bad, uint64_t line, const char *reason)
{
    cr_assert_eq(next(), PHX_TRACE_BAD, "expected: %s", reason);
    cr_expect_eq(error.bad, bad, "%s instead of %s", phx_trace_bad_text(error.bad), phx_trace_bad_text(bad));
    cr_expect_eq(error.line, line);
    cr_expect_str_eq(error.reason, reason);
}

/* ---- rows ---- */

Test(trace, every_op)
{
    open_text("tick,op,id,other,x,y,z,kind,view,margin\n"
              "3,enter,7,,1.5,-2,8,guard,10,1\n"
              "3,move,7,,4,5,6\n"
              "4,set,7,,,,,thief,0.5,\n"
              "4,pair,7,8,,,,,12,3\n"
              "4,pair,7,8,,,,,12\n"
              "5,unpair,7,8\n"
              "5,link,7,8\n"
              "5,unlink,7,8\n"
              "5,hide,7,8\n"
              "5,unhide,7,8\n"
              "5,reveal,7,8\n"
              "5,unreveal,7,8\n"
              "5,attach,7,8\n"
              "5,detach,7,8\n"
              "5,detach,7\n"
              "9,leave,18446744073709551615\n");
    expect_row(PHX_TRACE_OP_ENTER, 3, 7);
    cr_expect_eq(row.line, 2);
    cr_expect_eq(row.attrs.given, PH_POSITION | PH_KIND | PH_VIEW | PH_MARGIN);
    cr_expect(row.attrs.x == 1.5f && row.attrs.y == -2 && row.attrs.z == 8);
    cr_expect_eq(row.attrs.kind, 1);
    cr_expect(row.attrs.view == 10 && row.attrs.margin == 1);
    cr_expect_eq(row.other, 0);
    expect_row(PHX_TRACE_OP_MOVE, 3, 7);
    cr_expect_eq(row.attrs.given, PH_POSITION);
    cr_expect(row.attrs.x == 4 && row.attrs.y == 5 && row.attrs.z == 6);
    expect_row(PHX_TRACE_OP_SET, 4, 7);
    cr_expect_eq(row.attrs.given, PH_KIND | PH_VIEW);
    cr_expect_eq(row.attrs.kind, 2);
    expect_row(PHX_TRACE_OP_PAIR, 4, 7);
    cr_expect_eq(row.other, 8);
    cr_expect(row.attrs.view == 12 && row.attrs.margin == 3);
    expect_row(PHX_TRACE_OP_PAIR, 4, 7);
    cr_expect(row.attrs.view == 12 && row.attrs.margin == 0);
    const phx_trace_op ops[] = {PHX_TRACE_OP_UNPAIR,   PHX_TRACE_OP_LINK,   PHX_TRACE_OP_UNLINK,
                                PHX_TRACE_OP_HIDE,     PHX_TRACE_OP_UNHIDE, PHX_TRACE_OP_REVEAL,
                                PHX_TRACE_OP_UNREVEAL, PHX_TRACE_OP_ATTACH, PHX_TRACE_OP_DETACH};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        expect_row(ops[i], 5, 7);
        cr_expect_eq(row.other, 8);
    }
    expect_row(PHX_TRACE_OP_DETACH, 5, 7);
    expect_row(PHX_TRACE_OP_LEAVE, 9, UINT64_MAX);
    cr_expect_eq(row.line, 17);
    cr_assert_eq(next(), PHX_TRACE_END);
    cr_assert_eq(next(), PHX_TRACE_END);
}

Test(trace, bytes_and_keys)
{
    open_text("tick,op,id,kind,text,bytes,radius,x,y,user_data,consumer\n"
              "1,broadcast,7,guard;thief,words\n"
              "1,broadcast,7,#9,,00fFa0\n"
              "1,broadcast,7,,,\n"
              "1,import,7,,,0102\n"
              "1,config,1,,sticky=2\n"
              "1,config,1,,,613d2c\n"
              "1,area,3,thief;#4095;guard,,,5,1,2\n"
              "1,set,7,#4,,,,,,18446744073709551615,4294967295\n");
    expect_row(PHX_TRACE_OP_BROADCAST, 1, 7);
    cr_expect(row.area.kind_count == 2 && row.area.kinds[0] == 1 && row.area.kinds[1] == 2);
    cr_expect(row.text_bytes == 5 && memcmp(row.text, "words", 5) == 0);
    expect_row(PHX_TRACE_OP_BROADCAST, 1, 7);
    cr_expect(row.area.kind_count == 1 && row.area.kinds[0] == 9);
    cr_expect(row.text_bytes == 3 && memcmp(row.text, "\0\xff\xa0", 3) == 0);
    expect_row(PHX_TRACE_OP_BROADCAST, 1, 7);
    cr_expect(row.area.kind_count == 0 && row.text_bytes == 0);
    expect_row(PHX_TRACE_OP_IMPORT, 1, 7);
    cr_expect(row.text_bytes == 2 && memcmp(row.text, "\1\2", 2) == 0);
    expect_row(PHX_TRACE_OP_CONFIG, 1, 1);
    cr_expect(row.text_bytes == 8 && memcmp(row.text, "sticky=2", 8) == 0);
    expect_row(PHX_TRACE_OP_CONFIG, 1, 1);
    cr_expect(row.text_bytes == 3 && memcmp(row.text, "a=,", 3) == 0);
    expect_row(PHX_TRACE_OP_AREA, 1, 3);
    cr_expect(row.area.kind_count == 3 && row.area.kinds[0] == 2 && row.area.kinds[1] == 4095);
    expect_row(PHX_TRACE_OP_SET, 1, 7);
    cr_expect_eq(row.attrs.given, PH_KIND | PH_USER_DATA | PH_CONSUMER);
    cr_expect(row.attrs.kind == 4 && row.attrs.user_data == UINT64_MAX && row.attrs.consumer == UINT32_MAX);
    cr_assert_eq(next(), PHX_TRACE_END);
}

Test(trace, bad_bytes_and_kinds)
{
    open_text("tick,op,id,kind,text,bytes\n"
              "1,broadcast,7,,a,61\n"
              "1,broadcast,7,,,6\n"
              "1,broadcast,7,,,6g\n"
              "1,import,7\n"
              "1,import,7,,a,61\n"
              "1,config,1\n"
              "1,broadcast,7,guard;,a\n"
              "1,broadcast,7,#4096,a\n"
              "1,broadcast,7,1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1,a\n"
              "1,set,7,guard;thief\n");
    expect_bad(PHX_TRACE_BAD_EXTRA, 2, "broadcast takes text or bytes, not both");
    expect_bad(PHX_TRACE_BAD_VALUE, 3, "bytes: \"6\" is not hexadecimal, two digits a byte");
    expect_bad(PHX_TRACE_BAD_VALUE, 4, "bytes: \"6g\" is not hexadecimal, two digits a byte");
    expect_bad(PHX_TRACE_BAD_MISSING, 5, "import needs bytes");
    expect_bad(PHX_TRACE_BAD_EXTRA, 6, "import takes no text");
    expect_bad(PHX_TRACE_BAD_MISSING, 7, "config needs text: KEY=VALUE");
    expect_bad(PHX_TRACE_BAD_VALUE, 8, "kind: \"guard;\" is no name of a class, and no #NUMBER of a kind");
    expect_bad(PHX_TRACE_BAD_VALUE, 9, "kind: \"#4096\" is no name of a class, and no #NUMBER of a kind");
    expect_bad(PHX_TRACE_BAD_VALUE, 10, "kind: \"1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1\" has more kinds than 16");
    expect_bad(PHX_TRACE_BAD_VALUE, 11, "kind: an entity has one");
}

Test(trace, every_attribute)
{
    open_text(
        "op,reach,visible,layers,sees,veiled,stealth,detect,global,ready,cap,priority,id,tick,view,margin,x,y,z,kind,"
        "instance,remote\n"
        "set,2.5,30,0xF0,18446744073709551615,1,255,1,yes,0,4294967295,9,1,0,7,8,1e2,.5,-0,nobody,4294967295,yes\n"
        "set,,,0XfFfFfFfFfFfFfFfF,0,no,0,0,false,true,0,0,1,0,,,,,,,,0\n");
    expect_row(PHX_TRACE_OP_SET, 0, 1);
    const ph_attrs *attrs = &row.attrs;
    cr_expect_eq(attrs->given, PH_GIVEN_ALL & ~(uint32_t)(PH_USER_DATA | PH_CONSUMER));
    cr_expect(attrs->reach == 2.5f && attrs->visible == 30 && attrs->view == 7 && attrs->margin == 8);
    cr_expect(attrs->x == 100 && attrs->y == 0.5f && attrs->z == 0 && signbit(attrs->z));
    cr_expect_eq(attrs->layers, 0xf0);
    cr_expect_eq(attrs->sees, UINT64_MAX);
    cr_expect(attrs->stealth == 255 && attrs->detect == 1 && attrs->priority == 9);
    cr_expect(attrs->global && attrs->veiled && !attrs->ready && attrs->remote);
    cr_expect_eq(attrs->cap, UINT32_MAX);
    cr_expect_eq(attrs->instance, UINT32_MAX);
    cr_expect_eq(attrs->kind, 0, "a name that is no class");
    expect_row(PHX_TRACE_OP_SET, 0, 1);
    cr_expect_eq(attrs->layers, UINT64_MAX);
    cr_expect(!attrs->global && !attrs->veiled && attrs->ready && !attrs->remote);
    const uint32_t masks = PH_LAYERS | PH_SEES, flags = PH_GLOBAL | PH_VEILED | PH_READY | PH_REMOTE;
    cr_expect_eq(attrs->given, masks | flags | PH_STEALTH | PH_DETECT | PH_CAP | PH_PRIORITY);
}

Test(trace, move_without_z_column_is_flat)
{
    open_text("tick,op,id,x,y\n0,move,1,2,3\n0,move,1,2\n0,move,1,,3\n");
    expect_row(PHX_TRACE_OP_MOVE, 0, 1);
    cr_expect_eq(row.attrs.given, PH_POSITION);
    cr_expect(row.attrs.z == 0);
    expect_row(PHX_TRACE_OP_MOVE, 0, 1);
    cr_expect_eq(row.attrs.given, PH_X);
    expect_row(PHX_TRACE_OP_MOVE, 0, 1);
    cr_expect_eq(row.attrs.given, PH_Y);
}

Test(trace, move_with_empty_z_keeps_it)
{
    open_text("tick,op,id,x,y,z\n0,move,1,2,3,\n0,move,1,2,3\n0,move,1,,,4\n");
    for (int i = 0; i < 2; i++) {
        expect_row(PHX_TRACE_OP_MOVE, 0, 1);
        cr_expect_eq(row.attrs.given, PH_X | PH_Y);
    }
    expect_row(PHX_TRACE_OP_MOVE, 0, 1);
    cr_expect_eq(row.attrs.given, PH_Z);
}

Test(trace, comments_blank_lines_line_ends)
{
    open_text("# about\r\n\n\xef\xbb\xbftick,op,id,x,y\r\n#0,enter,1,1,1\n\r\n0,enter,1,2,3\r\n\n# end\n0,leave,1");
    expect_row(PHX_TRACE_OP_ENTER, 0, 1);
    cr_expect_eq(row.line, 6);
    cr_expect(row.attrs.y == 3);
    expect_row(PHX_TRACE_OP_LEAVE, 0, 1);
    cr_expect_eq(row.line, 9);
    cr_assert_eq(next(), PHX_TRACE_END);
    phx_trace_close(trace);
    open_text("\xef\xbb\xbf# about\ntick,op,id,x,y\n0,enter,1,2,3\n");
    expect_row(PHX_TRACE_OP_ENTER, 0, 1);
    cr_assert_eq(next(), PHX_TRACE_END);
}

/*
 * Linked with --wrap: numbers go through the conversion that is given its locale, with one
 * that has a point as decimal point, so that the program's and the thread's do not matter.
 */
float __wrap_strtof(const char *from, char **end);
float __wrap_strtof_l(const char *from, char **end, locale_t locale);
float __real_strtof(const char *from, char **end);
float __real_strtof_l(const char *from, char **end, locale_t locale);
static unsigned conversions;

float __wrap_strtof(const char *from, char **end)
{
    cr_assert(!is_watching_locale, "%s is read in the locale of the program", from);
    return __real_strtof(from, end);
}

float __wrap_strtof_l(const char *from, char **end, locale_t locale)
{
    if (is_watching_locale) cr_assert_str_eq(nl_langinfo_l(RADIXCHAR, locale), ".");
    conversions++;
    return __real_strtof_l(from, end, locale);
}

Test(trace, floats_are_read_in_the_c_locale)
{
    open_text("tick,op,id,x,y\n0,enter,1,1.25,-2.5e-1\n");
    expect_row(PHX_TRACE_OP_ENTER, 0, 1);
    cr_expect(row.attrs.x == 1.25f && row.attrs.y == -0.25f);
    cr_expect_eq(conversions, 2);
}

/* ---- bad lines: each is named, and the next line is read as if it were not there ---- */

typedef struct bad_case {
    const char *line;
    phx_trace_bad bad;
    const char *reason;
} bad_case;

#define ALL_COLUMNS \
    "tick,op,id,other,x,y,z,kind,view,margin,reach,instance,layers,sees,stealth,detect,global,ready,cap,priority"

static const bad_case bad_cases[] = {
    {"x,enter,1,,1,1", PHX_TRACE_BAD_TICK, "tick: \"x\" is not a whole number from 0 to 2^64-1"},
    {"-1,enter,1,,1,1", PHX_TRACE_BAD_TICK, "tick: \"-1\" is not a whole number from 0 to 2^64-1"},
    {"18446744073709551616,leave,1", PHX_TRACE_BAD_TICK,
     "tick: \"18446744073709551616\" is not a whole number from 0 to 2^64-1"},
    {"4,leave,1", PHX_TRACE_BAD_ORDER, "tick goes down, from 5 to 4"},
    {"1000006,leave,1", PHX_TRACE_BAD_GAP, "tick jumps from 5 to 1000006, by more than 1000000"},
    {",leave,1", PHX_TRACE_BAD_MISSING, "tick is empty"},
    {"5,,1", PHX_TRACE_BAD_MISSING, "op is empty"},
    {"5,leave", PHX_TRACE_BAD_MISSING, "id is empty"},
    {"5,jump,1", PHX_TRACE_BAD_OP,
     "op: \"jump\" is unknown; there are: enter leave move set pair unpair link unlink hide unhide reveal unreveal "
     "attach detach resend broadcast broadcast_at area unarea apply import config"},
    {"5,Leave,1", PHX_TRACE_BAD_OP,
     "op: \"Leave\" is unknown; there are: enter leave move set pair unpair link unlink hide unhide reveal unreveal "
     "attach detach resend broadcast broadcast_at area unarea apply import config"},
    {"5,leave,0", PHX_TRACE_BAD_ID, "id: \"0\" is not a whole number from 1 to 2^64-1"},
    {"5,leave,0x10", PHX_TRACE_BAD_ID, "id: \"0x10\" is not a whole number from 1 to 2^64-1"},
    {"5,leave, 1", PHX_TRACE_BAD_ID, "id: \" 1\" is not a whole number from 1 to 2^64-1"},
    {"5,leave,1 ", PHX_TRACE_BAD_ID, "id: \"1 \" is not a whole number from 1 to 2^64-1"},
    {"5,leave,18446744073709551616", PHX_TRACE_BAD_ID,
     "id: \"18446744073709551616\" is not a whole number from 1 to 2^64-1"},
    {"5,link,1,0", PHX_TRACE_BAD_ID, "other: \"0\" is not a whole number from 1 to 2^64-1"},
    {"5,link,1", PHX_TRACE_BAD_MISSING, "link needs other"},
    {"5,attach,1", PHX_TRACE_BAD_MISSING, "attach needs other"},
    {"5,pair,1,2", PHX_TRACE_BAD_MISSING, "pair needs view"},
    {"5,pair,1,,,,,,9", PHX_TRACE_BAD_MISSING, "pair needs other"},
    {"5,enter,1,,1", PHX_TRACE_BAD_MISSING, "enter needs y"},
    {"5,enter,1", PHX_TRACE_BAD_MISSING, "enter needs x"},
    {"5,move,1", PHX_TRACE_BAD_MISSING, "move needs x, y or z"},
    {"5,move,1,,1,1,1,guard", PHX_TRACE_BAD_EXTRA, "move takes no kind"},
    {"5,leave,1,,1", PHX_TRACE_BAD_EXTRA, "leave takes no x"},
    {"5,enter,1,2,1,1", PHX_TRACE_BAD_EXTRA, "enter takes no other"},
    {"5,link,1,2,,,,,9", PHX_TRACE_BAD_EXTRA, "link takes no view"},
    {"5,enter,1,,nan,1", PHX_TRACE_BAD_VALUE, "x: \"nan\" is not a number"},
    {"5,enter,1,,-inf,1", PHX_TRACE_BAD_VALUE, "x: \"-inf\" is not a number"},
    {"5,enter,1,,1e39,1", PHX_TRACE_BAD_VALUE, "x: \"1e39\" does not fit into a 32-bit float"},
    {"5,enter,1,, 1,1", PHX_TRACE_BAD_VALUE, "x: \" 1\" is not a number"},
    {"5,enter,1,,1m,1", PHX_TRACE_BAD_VALUE, "x: \"1m\" is not a number"},
    {"5,enter,1,,--1,1", PHX_TRACE_BAD_VALUE, "x: \"--1\" is not a number"},
    {"5,enter,1,,-,1", PHX_TRACE_BAD_VALUE, "x: \"-\" is not a number"},
    {"5,enter,1,,.,1", PHX_TRACE_BAD_VALUE, "x: \".\" is not a number"},
    {"5,set,1,,,,,,,,,4294967296", PHX_TRACE_BAD_VALUE,
     "instance: \"4294967296\" is not a whole number from 0 to 2^32-1"},
    {"5,set,1,,,,,,,,,,0x,", PHX_TRACE_BAD_VALUE, "layers: \"0x\" is not a 64-bit mask, decimal or 0x..."},
    {"5,set,1,,,,,,,,,,0x10000000000000000", PHX_TRACE_BAD_VALUE,
     "layers: \"0x10000000000000000\" is not a 64-bit mask, decimal or 0x..."},
    {"5,set,1,,,,,,,,,,0xg", PHX_TRACE_BAD_VALUE, "layers: \"0xg\" is not a 64-bit mask, decimal or 0x..."},
    {"5,set,1,,,,,,,,,,,,256", PHX_TRACE_BAD_VALUE, "stealth: \"256\" is not a whole number from 0 to 255"},
    {"5,set,1,,,,,,,,,,,,,,maybe", PHX_TRACE_BAD_VALUE, "global: \"maybe\" is none of 0, 1, false, true, no, yes"},
    {"5,set,1,,,,,,,,,,,,,,,,4294967296", PHX_TRACE_BAD_VALUE,
     "cap: \"4294967296\" is not a whole number from 0 to 2^32-1"},
    {"5,leave,1,,,,,,,,,,,,,,,,,,", PHX_TRACE_BAD_FIELDS, "more fields than the 20 columns of the header"},
    {"5,leave,\"1\"", PHX_TRACE_BAD_ID, "id: \"\\x221\\x22\" is not a whole number from 1 to 2^64-1"},
    {"5,leave,\x01\xff", PHX_TRACE_BAD_ID, "id: \"\\x01\\xff\" is not a whole number from 1 to 2^64-1"},
    {"5,leave,1\r", PHX_TRACE_BAD_ID, "id: \"1\\x0d\" is not a whole number from 1 to 2^64-1"}, /* CR CR LF */
    {"5,leave,01234567890123456789012345678901234567890", PHX_TRACE_BAD_ID,
     "id: \"0123456789012345678901234567890123456789\"... is not a whole number from 1 to 2^64-1"},
};

Test(trace, bad_lines)
{
    char text[512];
    for (size_t i = 0; i < sizeof bad_cases / sizeof bad_cases[0]; i++) {
        const bad_case *bad = &bad_cases[i];
        snprintf(text, sizeof text, ALL_COLUMNS "\r\n5,leave,1\r\n%s\r\n5,leave,2\r\n", bad->line);
        open_text(text);
        expect_row(PHX_TRACE_OP_LEAVE, 5, 1);
        expect_bad(bad->bad, 3, bad->reason);
        expect_row(PHX_TRACE_OP_LEAVE, 5, 2);
        cr_assert_eq(next(), PHX_TRACE_END);
        phx_trace_close(trace);
        trace = NULL;
    }
}

Test(trace, a_bad_line_does_not_move_the_tick)
{
    open_text("tick,op,id\n5,leave,1\n7,leave,0\n6,leave,1\n1000006,leave,1\n");
    expect_row(PHX_TRACE_OP_LEAVE, 5, 1);
    expect_bad(PHX_TRACE_BAD_ID, 3, "id: \"0\" is not a whole number from 1 to 2^64-1");
    expect_row(PHX_TRACE_OP_LEAVE, 6, 1);
    expect_row(PHX_TRACE_OP_LEAVE, 1000006, 1);
}

Test(trace, the_first_tick_may_be_any)
{
    open_text("tick,op,id\n18446744073709551614,leave,1\n18446744073709551615,leave,1\n");
    expect_row(PHX_TRACE_OP_LEAVE, UINT64_MAX - 1, 1);
    expect_row(PHX_TRACE_OP_LEAVE, UINT64_MAX, 1);
    cr_assert_eq(next(), PHX_TRACE_END);
}

Test(trace, zero_bytes)
{
    static const char text[] = "tick,op,id\n5,leave,1\0\n5,leave,1\0,\n5,leave,2\n";
    put(text, sizeof text - 1);
    cr_assert_eq(open_path(path), PH_OK);
    expect_bad(PHX_TRACE_BAD_ZERO_BYTE, 2, "a zero byte in the line");
    expect_bad(PHX_TRACE_BAD_ZERO_BYTE, 3, "a zero byte in the line");
    expect_row(PHX_TRACE_OP_LEAVE, 5, 2);
}

/* ---- headers and files ---- */

static void expect_refused(const char *text, uint64_t line, const char *reason)
{
    put(text, strlen(text));
    cr_assert_eq(open_path(path), PH_BAD_ARGUMENT, "%s", text);
    cr_expect_null(trace);
    cr_expect_eq(error.line, line);
    cr_expect_str_eq(error.reason, reason);
}

Test(trace, a_header_names_each_column_once)
{
    const char *const nothing = "the file ends without a header line, which names the columns: tick,op,id,...";
    expect_refused("", 0, nothing);
    expect_refused("# only\n\n", 2, nothing);
    expect_refused("tick,op\n", 1, "the header has no column id");
    expect_refused("#\nop,id,x\n", 2, "the header has no column tick");
    expect_refused("tick,op,id,tick\n", 1, "column tick stands twice in the header");
    const char *const known =
        "there are: tick op id other x y z kind view margin reach visible instance layers sees veiled stealth detect "
        "global ready remote cap priority user_data consumer radius x2 z2 y2 corners follow text bytes self seen";
    char reason[512];
    const char *const unknown[][2] = {
        {"tick,op,id,speed\n", "speed"}, {"tick,op,id,\n", ""}, {"Tick,op,id\n", "Tick"}, {"tick, op,id\n", " op"}};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        snprintf(reason, sizeof reason, "unknown column \"%s\" in the header; %s", unknown[i][1], known);
        expect_refused(unknown[i][0], 1, reason);
    }
}

Test(trace, files_that_can_not_be_read)
{
    cr_assert_eq(open_path("/tmp/pharos_no_such_file"), PH_BAD_ARGUMENT);
    cr_expect_eq(error.line, 0);
    cr_expect_str_eq(error.reason, "No such file or directory");
    cr_assert_eq(open_path("/tmp"), PH_BAD_ARGUMENT);
    cr_expect_str_eq(error.reason, "Is a directory");
}

Test(trace, no_memory_is_reported_and_leaks_nothing)
{
    put("tick,op,id\n", 11);
    for (uint64_t good = 0; good < 2; good++) {
        watched_memory_fail_after(&watched, good);
        cr_assert_eq(open_path(path), PH_NO_MEMORY);
        cr_expect_null(trace);
        cr_expect_eq(atomic_load(&mem.bytes), 0);
    }
    watched_memory_fail_after(&watched, UINT64_MAX);
    cr_assert_eq(open_path(path), PH_OK);
}

/* ---- gzip ---- */

/* Compresses text as one gzip member behind the file's content. */
static void append_member(const char *text)
{
    char mode[] = "ab9";
    gzFile file = gzopen(path, mode);
    cr_assert(file);
    cr_assert_eq(gzwrite(file, text, (unsigned)strlen(text)), (int)strlen(text));
    cr_assert_eq(gzclose(file), Z_OK);
}

static size_t file_size(void)
{
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    return (size_t)status.st_size;
}

/* About 1 MB of rows, so that every buffer is filled many times. */
enum { LONG_ROWS = 40000, LONG_SIZE = LONG_ROWS * 40 };

static char long_text[LONG_SIZE];

static void make_long_text(void)
{
    size_t used = (size_t)snprintf(long_text, sizeof long_text, "tick,op,id,x,y\n");
    for (unsigned i = 0; i < LONG_ROWS; i++)
        used += (size_t)snprintf(long_text + used, sizeof long_text - used, "%u,enter,%u,%u.5,%u\n", i / 100, i + 1,
                                 i * 7919 % 10007, i * 104729 % 9973);
    cr_assert_lt(used, sizeof long_text - 1);
}

static void expect_long_rows(void)
{
    for (unsigned i = 0; i < LONG_ROWS; i++) {
        cr_assert_eq(next(), PHX_TRACE_ROW);
        cr_assert_eq(row.id, i + 1);
        cr_assert_eq(row.line, i + 2);
        cr_assert_eq(row.attrs.x, (float)(i * 7919 % 10007) + 0.5f);
    }
    cr_assert_eq(next(), PHX_TRACE_END);
}

Test(trace, long_plain_file)
{
    make_long_text();
    open_text(long_text);
    cr_expect(phx_trace_share(trace) > 0);
    cr_expect(phx_trace_share(trace) < 0.2);
    expect_long_rows();
    cr_expect(phx_trace_share(trace) == 1);
}

Test(trace, long_gzip_file)
{
    make_long_text();
    append_member(long_text);
    cr_assert_lt(file_size(), strlen(long_text) / 2);
    cr_assert_eq(open_path(path), PH_OK);
    expect_long_rows();
}

Test(trace, gzip_of_several_members)
{
    append_member("tick,op,id\n1,lea");
    append_member("ve,1\n2,leave,2");
    append_member("");
    append_member("\n3,leave,3\n");
    cr_assert_eq(open_path(path), PH_OK);
    for (unsigned i = 1; i <= 3; i++) expect_row(PHX_TRACE_OP_LEAVE, i, i);
    cr_assert_eq(next(), PHX_TRACE_END);
}

/* Reads to the end; returns the last result and counts rows. */
static phx_trace_result read_all(unsigned *rows)
{
    phx_trace_result result;
    *rows = 0;
    while ((result = next()) == PHX_TRACE_ROW) (*rows)++;
    return result;
}

Test(trace, gzip_cut_anywhere_is_broken)
{
    unsigned rows;
    append_member("tick,op,id\n1,leave,1\n2,leave,2\n");
    size_t whole = file_size();
    for (size_t size = whole - 1; size >= 2; size--) { /* below 2 bytes it is no gzip file */
        cr_assert_eq(truncate(path, (off_t)size), 0);
        ph_status status = open_path(path);
        if (status == PH_OK) {
            cr_assert_eq(read_all(&rows), PHX_TRACE_BROKEN, "cut to %zu bytes", size);
            cr_expect_eq(error.line, rows + 2);
            cr_assert_eq(next(), PHX_TRACE_BROKEN, "and stays so");
            cr_expect_eq(error.line, rows + 2);
        }
        cr_expect_str_eq(error.reason, "the gzip data ends too early");
        phx_trace_close(trace);
        trace = NULL;
    }
}

Test(trace, gzip_with_any_bit_flipped_is_not_read_as_whole)
{
    static unsigned char bytes[256];
    unsigned rows;
    append_member("tick,op,id\n1,leave,1\n2,leave,2\n");
    size_t whole = file_size();
    FILE *file = fopen(path, "rb");
    cr_assert_eq(fread(bytes, 1, sizeof bytes, file), whole);
    fclose(file);
    for (size_t bit = 0; bit < whole * 8; bit++) {
        /* MTIME, XFL, OS and the bits of FLG that say nothing of the data (TEXT) are not checked by the format. */
        if ((bit >= 4 * 8 && bit < 10 * 8) || bit == 3 * 8) continue;
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        put(bytes, whole);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (open_path(path) == PH_OK) cr_assert_neq(read_all(&rows), PHX_TRACE_END, "bit %zu", bit);
        phx_trace_close(trace);
        trace = NULL;
    }
}

Test(trace, bytes_behind_gzip_data_are_not_passed_over)
{
    unsigned rows;
    append_member("tick,op,id\n1,leave,1\n");
    FILE *file = fopen(path, "ab");
    fputs("2,leave,2\n", file);
    fclose(file);
    cr_assert_eq(open_path(path), PH_OK);
    cr_assert_eq(read_all(&rows), PHX_TRACE_BROKEN);
    cr_expect_eq(rows, 1);
    cr_expect_eq(error.line, 3);
    cr_expect_str_eq(error.reason, "the gzip data is damaged");
}

/* ---- lines as bytes ---- */

static phx_text *text;

static void open_lines(void)
{
    const char *trouble = "";
    cr_assert_eq(phx_text_open(&text, &mem, path, PHX_TRACE_UNPACK_MAX_BYTES, &trouble), PH_OK, "%s", trouble);
}

static void expect_line(size_t length, uint64_t number)
{
    char *line;
    size_t got;
    cr_assert_eq(phx_text_next(text, &line, &got), PHX_TEXT_LINE);
    cr_assert_eq(got, length);
    cr_assert_eq(strlen(line), length);
    cr_assert_eq(phx_text_line_number(text), number);
}

static void expect_too_long(uint64_t number)
{
    char *line;
    size_t got;
    cr_assert_eq(phx_text_next(text, &line, &got), PHX_TEXT_TOO_LONG);
    cr_assert_eq(phx_text_line_number(text), number);
}

static void expect_end(void)
{
    char *line;
    size_t got;
    cr_assert_eq(phx_text_next(text, &line, &got), PHX_TEXT_END);
    phx_text_close(text);
}

/* A line of so many x, with this end. */
static void append_line(size_t length, const char *end)
{
    static char bytes[4 * PHX_TEXT_LINE_MAX];
    cr_assert_leq(length, sizeof bytes);
    memset(bytes, 'x', length);
    FILE *file = fopen(path, "ab");
    cr_assert_eq(fwrite(bytes, 1, length, file), length);
    fputs(end, file);
    cr_assert_eq(fclose(file), 0);
}

Test(trace, lines_around_the_longest)
{
    const char *const ends[] = {"\n", "\r\n"};
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(truncate(path, 0), 0);
        append_line(PHX_TEXT_LINE_MAX, ends[i]);
        append_line(PHX_TEXT_LINE_MAX + 1, ends[i]);
        append_line(3, ends[i]);
        append_line(PHX_TEXT_LINE_MAX + 2, ends[i]);
        append_line(PHX_TEXT_LINE_MAX - 1, ends[i]);
        append_line(4 * PHX_TEXT_LINE_MAX, ends[i]);
        append_line(0, ends[i]);
        append_line(PHX_TEXT_LINE_MAX, "");
        open_lines();
        expect_line(PHX_TEXT_LINE_MAX, 1);
        expect_too_long(2);
        expect_line(3, 3);
        expect_too_long(4);
        expect_line(PHX_TEXT_LINE_MAX - 1, 5);
        expect_too_long(6);
        expect_line(0, 7);
        expect_line(PHX_TEXT_LINE_MAX, 8);
        expect_end();
    }
}

Test(trace, the_last_line_too_long)
{
    for (size_t more = 1; more <= 3 * PHX_TEXT_LINE_MAX; more = more * 3 + 1) {
        cr_assert_eq(truncate(path, 0), 0);
        append_line(1, "\n");
        append_line(PHX_TEXT_LINE_MAX + more, "");
        open_lines();
        expect_line(1, 1);
        expect_too_long(2);
        expect_end();
    }
}

static void expect_broken(uint64_t number, const char *trouble)
{
    char *line;
    size_t got;
    cr_assert_eq(phx_text_next(text, &line, &got), PHX_TEXT_BROKEN);
    cr_expect_eq(phx_text_line_number(text), number);
    cr_expect_str_eq(phx_text_trouble(text), trouble);
}

/* To the byte, in whatever pieces it is read. */
Test(trace, skipped_input_is_bounded)
{
    const char *const ends[] = {"\n", ""};
    for (size_t i = 0; i < 4; i++) {
        size_t length = PHX_TEXT_SKIP_MAX + i / 2;
        cr_assert_eq(truncate(path, 0), 0);
        append_line(1, "\n");
        for (size_t put = 0; put < length; put += PHX_TEXT_LINE_MAX)
            append_line(length - put < PHX_TEXT_LINE_MAX ? length - put : PHX_TEXT_LINE_MAX, "");
        append_line(0, ends[i % 2]);
        open_lines();
        expect_line(1, 1);
        expect_too_long(2);
        if (length <= PHX_TEXT_SKIP_MAX) {
            expect_end();
            continue;
        }
        for (int again = 0; again < 2; again++)
            expect_broken(2, "no line end in 1048576 bytes: such a line is not passed over");
        phx_text_close(text);
    }
}

Test(trace, unpacked_input_is_bounded)
{
    const char *trouble = "";
    append_member("first\nsecond\n");
    for (uint64_t bound = 1; bound <= 14; bound++) {
        cr_assert_eq(phx_text_open(&text, &mem, path, bound, &trouble), PH_OK, "%s", trouble);
        if (bound >= 6) expect_line(5, 1);
        if (bound >= 13) {
            expect_line(6, 2);
            expect_end();
            continue;
        }
        char reason[80];
        snprintf(reason, sizeof reason, "the gzip data unpacks to more than %llu bytes (--unpack-max)",
                 (unsigned long long)bound);
        expect_broken(bound < 6 ? 1 : 2, reason);
        phx_text_close(text);
    }
}

/* Opens a pipe that hands out the first byte alone, and the rest after the file has been opened. */
static void open_pipe(const unsigned char *bytes, size_t length)
{
    int ends[2];
    char name[64];
    cr_assert_eq(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    cr_assert_eq(write(ends[1], bytes, 1), 1);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        usleep(50 * 1000); /* right without it too; it only makes sure that the first byte is read alone */
        _exit(write(ends[1], bytes + 1, length - 1) == (ssize_t)length - 1 ? 0 : 1);
    }
    close(ends[1]);
    const char *trouble = "";
    cr_assert_eq(phx_text_open(&text, &mem, name, PHX_TRACE_UNPACK_MAX_BYTES, &trouble), PH_OK, "%s", trouble);
    close(ends[0]);
    cr_expect(phx_text_share(text) < 0);
}

Test(trace, plain_lines_out_of_a_pipe)
{
    open_pipe((const unsigned char *)"\x1f"
                                     "ab\nc",
              5); /* begins like gzip */
    expect_line(3, 1);
    expect_line(1, 2);
    expect_end();
}

Test(trace, gzip_lines_out_of_a_pipe)
{
    unsigned char bytes[256];
    append_member("first\nto");
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    open_pipe(bytes, size);
    expect_line(5, 1);
    expect_line(2, 2);
    expect_end();
}

Test(trace, a_broken_last_line_is_not_handed_out)
{
    char *line;
    size_t length;
    append_member("first\nsecond");
    cr_assert_eq(truncate(path, (off_t)file_size() - 8), 0); /* without its checksum */
    open_lines();
    expect_line(5, 1);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(phx_text_next(text, &line, &length), PHX_TEXT_BROKEN);
        cr_expect_eq(phx_text_line_number(text), 2);
        cr_expect_str_eq(phx_text_trouble(text), "the gzip data ends too early");
    }
    phx_text_close(text);
}

Test(trace, the_file_knows_its_names)
{
    char other[TEMP_PATH_SIZE + 16];
    open_text("tick,op,id\n");
    snprintf(other, sizeof other, "%s.link", path);
    cr_assert_eq(symlink(path, other), 0);
    cr_expect(phx_trace_is_file(trace, path));
    cr_expect(phx_trace_is_file(trace, other));
    cr_expect_not(phx_trace_is_file(trace, "/tmp"));
    cr_expect_not(phx_trace_is_file(trace, "/tmp/pharos_no_such_file"));
    unlink(other);
}

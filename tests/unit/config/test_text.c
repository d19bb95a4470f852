/*
 * Config files: valid and invalid syntax, each error with its exact line, comments
 * and quotes, classes, files on top of each other, bounds, and that a refused file changes
 * nothing (config_load_refused() compares the dumps).
 */
#include <sys/stat.h>
#include <unistd.h>

#include "api/def.h"
#include "support/temp_path.h"
#include "unit/config/config_case.h"

typedef struct refusal {
    const char *text;
    const char *reason;
} refusal;

static void expect_refusals(const refusal *cases, size_t count)
{
    ph_config *config = config_new();

    /* something to be kept */
    config_load_ok(config, "world_size = {123, 456} tower_size = 100 class player { view = 7 }");
    for (size_t i = 0; i < count; i++) {
        config_load_refused(config, cases[i].text, cases[i].reason);
    }
    config_load_ok(config, "class player { view = 8 }"); /* and the next good one is taken */
    cr_expect_eq(ph_config_def(config)->classes[1].view, 8);
    ph_config_destroy(config);
}
#define EXPECT_REFUSALS(cases) expect_refusals(cases, sizeof cases / sizeof *cases)

/* ================================== syntax ================================== */

Test(config_text, an_empty_text_changes_nothing)
{
    ph_config *config = config_new();
    char *before = config_dump(config);
    char *after;

    config_load_ok(config, "");
    config_load_ok(config, "\n\n");
    config_load_ok(config, "# only a comment");
    config_load_ok(config, "/* only a comment */");
    after = config_dump(config);
    cr_expect_str_eq(before, after);
    free(before);
    free(after);
    ph_config_destroy(config);
}

Test(config_text, space_quotes_and_lists_may_be_anywhere)
{
    ph_config *config = config_new();

    config_load_ok(config, "world_size={300,200}tower_size=50 shards = {\n 3 ,\n\t2 }\r\n"
                           "shape=\"square\" range = 'towers'\n"
                           "class'a'{view=5}class \"b\"\n{\nview\n=\n6\n}\n");
    config_expect(config, "world_size = {300, 200}", "t:1");
    config_expect(config, "tower_size = 50", "t:1");
    config_expect(config, "shards = {3, 2}", "t:3");
    config_expect(config, "shape = square", "t:4");
    config_expect(config, "range = towers", "t:4");
    cr_expect_eq(ph_config_def(config)->class_count, 3);
    cr_expect_eq(ph_config_def(config)->classes[1].view, 5);
    cr_expect_eq(ph_config_def(config)->classes[2].view, 6);
    config_expect(config, "view = 6", "t:9");
    ph_config_destroy(config);
}

Test(config_text, comments_do_not_move_lines)
{
    static const refusal cases[] = {
        {"# 1\n# 2\n\n// 4\nbad = 5\n", "t:5: no such option 'bad'"},
        {"/* 1\n 2 # 2\n 3 // 3 */ /**/\n/***/bad = 4\n", "t:4: no such option 'bad'"},
        {"height = 5# 1\nspan = 2// 2\nspan/* 3 */= /* 3 */ 3\n", "t:3: span is there a second time"},
        {"height = \"5\" # a quote \" in a comment ' { = \nbad = 1\n", "t:2: no such option 'bad'"},
        {"class a { # 1\n # 2\n view = 1 // 3\n /* 4\n */ bad = 5 }", "t:5: no such option 'bad'"},
        {"class a {\n}\nclass b {\n}\n#5\nbad = 6", "t:6: no such option 'bad'"},
        {"\r\n\r\nbad = 3\r\n", "t:3: no such option 'bad'"},
        {"#\n/* 2\n\n no end */ span = 4 /* here\n not here", "t:4: the comment that begins here has no end"},
        {"/*/", "t:1: the comment that begins here has no end"},
    };

    EXPECT_REFUSALS(cases);
}

Test(config_text, broken_syntax)
{
    static const refusal cases[] = {
        {"span", "t:1: premature end of file"},
        {"span =", "t:1: premature end of file"},
        {"span\n=\n", "t:3: premature end of file"},
        {"span 5", "t:1: missing equal sign after option 'span'"},
        {"span = = 5", "t:1: unexpected token '='"},
        {"= 5", "t:1: unexpected token '='"},
        {"span = 5 }", "t:1: unexpected closing brace"},
        {"{ span = 5 }", "t:1: unexpected token '{'"},
        {"span = {5}", "t:1: unexpected token '{'"},
        {"span = 5, 6", "t:1: unexpected token ','"},
        {"span = 5 6", "t:1: no such option '6'"},
        {"span =\nheight = 5", "t:2: span = 'height' is not a whole number in [0, 65535]"},
        {"class a {\n view = 5\n", "t:1: the section that begins here has no end"},
        {"span = 5\nclass a {", "t:2: the section that begins here has no end"},
        {"class a {}\nclass b\n{ class c {}", "t:3: the section that begins here has no end"},
        {"class a {\nclass b {\n}", "t:1: the section that begins here has no end"},
        {"class a", "t:1: premature end of file"},
        {"class\n", "t:2: premature end of file"},
        {"class a\nspan = 5", "t:2: missing opening brace for section 'class'"},
        {"class {\n}", "t:1: missing title for section 'class'"},
        {"class a = 5", "t:1: missing opening brace for section 'class'"},
        {"class a { class b { } }", "t:1: no such option 'class'"},
        {"shape = \"circle\n", "t:1: the quote that begins here has no end"},
        {"shape = 'circle", "t:1: the quote that begins here has no end"},
        {"shape = 'circle\"", "t:1: unexpected '\"' in quotes"},
        {"\n\nshape = \"cir cle\"", "t:3: unexpected ' ' in quotes"},
        {"\"\" = 5", "t:1: this can not be read"},
    };

    EXPECT_REFUSALS(cases);
}

Test(config_text, bytes_that_are_no_config)
{
    static const refusal cases[] = {
        {"span = 5;", "t:1: unexpected ';'"},
        {"span += 5", "t:1: unexpected '+'; 1e+5 is written 1e5"},
        {"\nheight = 1e+5", "t:2: unexpected '+'; 1e+5 is written 1e5"},
        {"span = *5", "t:1: unexpected '*'"},
        {"span = /5", "t:1: unexpected '/'"},
        {"span = 5/", "t:1: unexpected '/'"},
        {"span = ${HOME}", "t:1: unexpected '$'"},
        {"shape = \"${HOME}\"", "t:1: unexpected '$' in quotes"},
        {"class=a|view = 5", "t:1: unexpected '|'"},
        {"shape = \"cir\\x63le\"", "t:1: unexpected '\\' in quotes"},
        {"include(\"/etc/passwd\")", "t:1: unexpected '('"},
        {"include = x", "t:1: no such option 'include'"},
        {"\n\xef\xbb\xbfspan = 5", "t:2: unexpected byte 0xef"}, /* at the start alone */
        {"\xef\xbb\xbf\xef\xbb\xbfspan = 5", "t:1: unexpected byte 0xef"},
        {"\xef\xbbspan = 5", "t:1: unexpected byte 0xef"},
        {"\xff\xfes", "t:1: unexpected byte 0xff"}, /* UTF-16 */
        {"\xef\xbb\xbfspan = x", "t:1: span = 'x' is not a whole number in [0, 65535]"},
        {"class \"\xc3\xa4\" {}", "t:1: unexpected byte 0xc3 in quotes"},
        {"span = 5\n\001", "t:2: unexpected byte 0x01"},
        {"span = 5\n\x7f", "t:2: unexpected byte 0x7f"},
    };

    EXPECT_REFUSALS(cases);
}

Test(config_text, a_byte_order_mark_at_the_start)
{
    static const char *const texts[] = {"\xef\xbb\xbfspan = 5", "\xef\xbb\xbf# about\nspan = 5", "\xef\xbb\xbf"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ph_config *config = config_new();

        config_load_ok(config, texts[i]);
        cr_expect_eq(ph_config_def(config)->span, i < 2 ? 5 : 1, "%zu", i);
        ph_config_destroy(config);
    }
}

Test(config_text, unknown_and_repeated)
{
    static const refusal cases[] = {
        {"Span = 5", "t:1: no such option 'Span'"},
        {"view = 5", "t:1: no such option 'view'"},
        {"class a { span = 5 }", "t:1: no such option 'span'"},
        {"classes = 5", "t:1: no such option 'classes'"},
        {"band { radius = 5 }", "t:1: no such option 'band'"},
        {"span = 5\nheight = 5\nspan = 5", "t:3: span is there a second time"},
        {"shards = {1, 1}\nshards = {1, 1}", "t:2: shards is there a second time"},
        {"class a { view = 1\nview = 1 }", "t:2: view is there a second time"},
        {"class a {}\nclass b {}\nclass a {}", "t:3: found duplicate title 'a'"},
        {"class default {}\nclass default {}", "t:2: found duplicate title 'default'"},
        {"class a {}\nclass 'a' {}", "t:2: found duplicate title 'a'"},
    };

    EXPECT_REFUSALS(cases);
}

Test(config_text, a_pair_takes_two_values_in_braces)
{
    static const refusal cases[] = {
        {"shards = 1", "t:1: shards takes 2 values, {a, b}"},
        {"shards = {1}\nspan = 2", "t:1: shards takes 2 values, {a, b}"},
        {"shards = {\n1\n}", "t:2: shards takes 2 values, {a, b}"},
        {"shards = {1,\n1,\n1}", "t:3: shards takes 2 values, {a, b}"},
        {"shards = 1\nclass a {}", "t:1: shards takes 2 values, {a, b}"},
        {"shards = 1\nclass a { view = 1 }", "t:1: shards takes 2 values, {a, b}"},
        {"shards = 1\nspan = bad", "t:1: shards takes 2 values, {a, b}"},
        {"\nshards = {}", "t:2: an empty list"},
        {"shards = {1, 1,\n}", "t:2: a list that ends with ','"},
        {"shards = {,1}", "t:1: unexpected token ','"},
        {"shards = {1 1}", "t:1: unexpected token '1'"},
        {"shards = {1, 1", "t:1: premature end of file"},
        {"shards = {{1, 1}}", "t:1: unexpected token '{'"},
        {"shards = 1x1", "t:1: shards = '1x1' is not a whole number in [1, 1024]"},
        {"world_size = {5,\nnan}", "t:2: world_size = 'nan' is not a number in (0, 1e18]"},
    };

    EXPECT_REFUSALS(cases);
}

/* ============================= rules between keys ============================= */

Test(config_text, rules_between_keys_name_the_last_line_that_matters)
{
    static const refusal cases[] = {
        {"tower_size = 0.001\nspan = 5\n",
         "t:1: tower_size = 0.001: 123000 towers along x of world_size = {123, 456} is outside [1, 65535]"},
        {"tower_size = 1\nspan = 5\nworld_size = {5, 65536}\nheight = 5",
         "t:3: tower_size = 1: 65536 towers along y of world_size = {5, 65536} is outside [1, 65535]"},
        {"shards = {5,\n 1}",
         "t:2: shards = {5, 1}: 5 along x is outside [1, 2], one a tower (world_size = {123, 456}, tower_size = 100)"},
        {"# shards\nshards = {33, 32}\nworld_size = {10000, 10000}",
         "t:2: shards = {33, 32}: 1056 in all is outside [1, 1024]"},
    };

    EXPECT_REFUSALS(cases);
}

Test(config_text, a_rule_is_held_against_the_whole_not_the_order)
{
    ph_config *config = config_new();

    config_load_ok(config, "shards = {200, 1} tower_size = 1 world_size = {200, 1}");
    cr_expect_eq(ph_config_def(config)->shards[0], 200);
    ph_config_destroy(config);
}

/* ================================= classes ================================= */

Test(config_text, class_names)
{
    static const refusal cases[] = {
        {"class '' {}", "t:1: a class name is empty"},
        {"\nclass\n01234567890123456789012345678901\n{\n view = 1\n}", "t:4: a class name is longer than 31 bytes"},
    };
    ph_config *config = config_new();

    EXPECT_REFUSALS(cases);
    config_load_ok(config, "class 0123456789012345678901234567890 {} class a.b-c_D {} class class {} class span {}");
    cr_expect_eq(ph_config_kind(config, "0123456789012345678901234567890"), 1);
    cr_expect_eq(ph_config_kind(config, "a.b-c_D"), 2);
    cr_expect_eq(ph_config_kind(config, "class"), 3);
    cr_expect_eq(ph_config_kind(config, "span"), 4);
    ph_config_destroy(config);
}

Test(config_text, kinds_follow_the_file_and_default_is_0)
{
    ph_config *config = config_new();
    const ph_world_def *def = ph_config_def(config);

    config_load_ok(config, "class b { view = 2 } class default { view = 9 margin = 8 } class a {}");
    cr_expect_eq(def, ph_config_def(config), "its place does not change");
    cr_expect_eq(def->class_count, 3);
    cr_expect_str_eq(def->classes[0].name, "default");
    cr_expect_str_eq(def->classes[1].name, "b");
    cr_expect_str_eq(def->classes[2].name, "a");
    cr_expect_eq(def->classes[0].view, 9);
    cr_expect(def->classes[1].view == 2 && def->classes[1].margin == 0, "nothing is inherited");
    cr_expect(def->classes[2].view == 0 && def->classes[2].margin == 0, "nothing is inherited");
    cr_expect_eq(ph_config_kind(config, "b"), 1);
    cr_expect_eq(ph_config_kind(config, "a"), 2);
    cr_expect_eq(ph_config_kind(config, "default"), 0);
    cr_expect_eq(ph_config_kind(config, "B"), PH_KIND_NONE, "not there");
    cr_expect_eq(ph_config_kind(config, ""), PH_KIND_NONE);
    cr_expect_eq(ph_config_kind(config, NULL), 0);
    ph_config_destroy(config);
}

/* `count` classes c1, c2, ... behind `head`; the caller frees it. */
static char *many_classes(const char *head, uint32_t first, uint32_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    cr_assert_not_null(out);
    fputs(head, out);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "class c%u { cap = %u }\n", first + i, first + i);
    }
    fclose(out);
    return text;
}

Test(config_text, number_of_classes)
{
    ph_config *config = config_new();
    char *text = many_classes("", 1, PH_KINDS_MAX - 1);

    config_load_ok(config, text);
    cr_expect_eq(ph_config_def(config)->class_count, PH_KINDS_MAX);
    cr_expect_eq(ph_config_kind(config, "c4095"), 4095);
    cr_expect_eq(ph_config_def(config)->classes[4095].cap, 4095);
    free(text);
    config_load_ok(config, "class default {} class c7 { view = 7 }"); /* no new one */
    config_load_refused(config, "class c7 {}\nclass\nc4096\n{}", "t:4: more than 4096 classes");
    config_set_refused(config, "c4096.view=5", "too many classes");
    ph_config_destroy(config);

    config = config_new();
    text = many_classes("", 1, PH_KINDS_MAX); /* and default: one too many */
    config_load_refused(config, text, "t:4096: more than 4096 classes");
    free(text);
    text = many_classes("class default {}\n", 1, PH_KINDS_MAX);
    config_load_refused(config, text, "t:4097: more than 4096 classes");
    free(text);
    ph_config_destroy(config);
}

/* =========================== one file on another =========================== */

Test(config_text, on_top_of_a_definition)
{
    ph_config *config = config_new();
    ph_config_error error;

    cr_assert_eq(ph_config_load_text(config, "one", "span = 5 height = 6\nclass a { view = 1 margin = 2 }", &error), 0);
    cr_assert_eq(ph_config_load_text(config, "two", "\nheight = 7\nclass b {}\nclass a { margin = 3 }", &error), 0);
    config_set_ok(config, "sticky=2");
    config_expect(config, "span = 5", "one:1");
    config_expect(config, "height = 7", "two:2");
    config_expect(config, "view = 1", "one:2");
    config_expect(config, "margin = 3", "two:4");
    config_expect(config, "sticky = 2", "--set");
    config_expect(config, "workers = 1", "default");
    cr_expect_eq(ph_config_kind(config, "a"), 1);
    cr_expect_eq(ph_config_kind(config, "b"), 2);
    ph_config_destroy(config);
}

/* As a server does it: a fresh config, then the keys that can not change in a living world. */
Test(config_text, keys_that_can_not_change_are_named_at_a_reload)
{
    static const char *const cases[][2] = {
        {"tower_size = 50", "tower_size"},
        {"shards = {1, 2}", "shards"},
        {"range = towers", "range"},
        {"world_origin = {0, 1}", "world_origin"},
        {"world_size = {10000, 9999}", "world_size"},
        {"entities_max = 5", "entities_max"},
        {"producers_max = 5", "producers_max"},
        {"producer_bytes = 140000", "producer_bytes"},
        {"refusals_max = 5", "refusals_max"},
        {"consumers = 5", "consumers"},
        {"consumer_batches = 5", "consumer_batches"},
        {"consumer_bytes = 5", "consumer_bytes"},
        {"hash_seed = 9007199254740993", "hash_seed"},
        {"positions = no", "positions"},
        {"exchange_bytes = 70000", "exchange_bytes"},
        {"class npc {}\nclass player {}", "class"},
        {"", "class"},
        {"class player { view = 9 }\nclass npc {}\nclass cat {}\nspan = 2 height = 3 shape = square sticky = 2 "
         "workers = 9 broadcast_bytes = 70000 crowd_entities = 5 crowd_floor = 0.5",
         NULL},
    };
    ph_config *now = config_new();

    config_load_ok(now, "tower_size = 100 class player { view = 5 } class npc {}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ph_config *fresh = config_new();
        const char *name = NULL;
        bool differs;

        config_load_ok(fresh, "tower_size = 100"); /* a chosen one allows no live crowd_entities */
        config_load_ok(fresh, cases[i][0]);
        differs = phx_def_live_difference(ph_config_def(now), ph_config_def(fresh), &name);
        cr_expect_eq(differs, cases[i][1] != NULL, "%s", cases[i][0]);
        cr_expect(!differs || (cases[i][1] != NULL && strcmp(name, cases[i][1]) == 0), "%s: %s", cases[i][0], name);
        ph_config_destroy(fresh);
    }
    ph_config_destroy(now);
}

Test(config_text, names_of_files_are_bounded)
{
    ph_config *config = config_new();
    ph_config_error error;
    char name[16];

    for (int i = 0; i < 64; i++) {
        snprintf(name, sizeof name, "file%d", i);
        cr_assert_eq(ph_config_load_text(config, name, "span = 5", &error), PH_OK);
    }
    cr_assert_eq(ph_config_load_text(config, "file0", "span = 6", &error), PH_OK, "known ones still are");
    cr_expect_eq(ph_config_load_text(config, "file64", "span = 7", &error), PH_BAD_ARGUMENT);
    cr_expect_str_eq(error.reason, "file64: more files than one config can remember");
    cr_expect_eq(ph_config_def(config)->span, 6);
    ph_config_destroy(config);
}

/* ============================== bounds and names ============================== */

Test(config_text, long_words_and_texts)
{
    ph_config *config = config_new();
    ph_config_error error;
    char *text = malloc((16 << 20) + 2);
    char word[300];

    cr_assert_not_null(text);
    memset(word, '1', sizeof word);
    memcpy(word, "span = ", 7);
    word[7 + 256] = '\0';
    config_load_refused(config, word, "t:1: a word longer than 255 bytes");
    word[7 + 255] = '\0';
    config_load_refused(config, word,
                        "t:1: span = 1111111111111111111111111111111111111111111111111111111111111111 "
                        "is outside [0, 65535]"); /* the reason has its front */

    memset(text, ' ', (16 << 20) + 1);
    text[(16 << 20) + 1] = '\0';
    memcpy(text, "span = 7", 8);
    cr_expect_eq(ph_config_load_text(config, "t", text, &error), PH_BAD_ARGUMENT);
    cr_expect_str_eq(error.reason, "t: longer than 16 MiB");
    cr_expect_eq(ph_config_def(config)->span, 1);
    text[16 << 20] = '\0';
    config_load_ok(config, text); /* a long run of blanks does not take long */
    cr_expect_eq(ph_config_def(config)->span, 7);
    memcpy(text + 8, "/*", 2);
    memcpy(text + (16 << 20) - 2, "*/", 2);
    config_load_ok(config, text);
    free(text);
    ph_config_destroy(config);
}

Test(config_text, long_and_strange_names)
{
    ph_config *config = config_new();
    ph_config_error error;
    char name[5000];
    char *dump;

    memset(name, 'n', sizeof name - 1);
    memcpy(name + sizeof name - 9, "end.conf", 9);
    cr_expect_eq(ph_config_load_text(config, name, "\nbad = 5", &error), PH_BAD_DEF);
    cr_expect_eq(strncmp(error.reason, "...nnn", 6), 0);
    cr_expect_not_null(strstr(error.reason, "nnend.conf:2: no such option 'bad'"), "%s", error.reason);
    cr_expect_eq(ph_config_load_text(config, "two\nlines\033", "bad = 5", &error), PH_BAD_DEF);
    cr_expect_str_eq(error.reason, "two?lines?:1: no such option 'bad'");
    cr_expect_eq(ph_config_load_text(config, NULL, "bad = 5", &error), PH_BAD_DEF);
    cr_expect_str_eq(error.reason, "text:1: no such option 'bad'");

    cr_expect_eq(ph_config_load_text(config, "a\nspan = 9", "span = 5", &error), PH_OK);
    dump = config_dump(config); /* a name can not make lines of its own */
    cr_expect_eq(ph_config_load_text(config, "dump", dump, &error), PH_OK, "%s", error.reason);
    cr_expect_eq(ph_config_def(config)->span, 5);
    free(dump);
    ph_config_destroy(config);
}

Test(config_text, errors_may_be_unwanted)
{
    ph_config *config = config_new();

    cr_expect_eq(ph_config_load_text(config, "t", "bad", NULL), PH_BAD_DEF);
    cr_expect_eq(ph_config_load_text(config, "t", "span = bad", NULL), PH_BAD_DEF);
    cr_expect_eq(ph_config_load(config, "/nowhere", NULL), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_set(config, "bad", NULL), PH_BAD_DEF);
    ph_config_destroy(config);
    ph_config_destroy(NULL);
}

Test(config_text, null_arguments_are_refused)
{
    ph_config *config = config_new();
    ph_config_error error;

    cr_expect_eq(ph_config_create(NULL), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_load(NULL, "x", &error), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_load(config, NULL, &error), PH_BAD_ARGUMENT);
    cr_expect_str_eq(error.reason, "ph_config_load: no path");
    cr_expect_eq(ph_config_load_text(NULL, "t", "", &error), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_load_text(config, "t", NULL, &error), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_set(NULL, "span=1", &error), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_set(config, NULL, &error), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_dump(NULL, stdout), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_dump(config, NULL), PH_BAD_ARGUMENT);
    cr_expect_eq(ph_config_reference(NULL), PH_BAD_ARGUMENT);
    ph_config_destroy(config);
}

/* ================================== files ================================== */

static void write_file(const char *path, const char *bytes, size_t count)
{
    FILE *out = fopen(path, "wb");

    cr_assert_not_null(out);
    cr_assert_eq(fwrite(bytes, 1, count, out), count);
    cr_assert_eq(fclose(out), 0);
}

Test(config_text, files_are_read_whole_or_refused)
{
    char path[TEMP_PATH_SIZE];
    char want[PH_CONFIG_REASON_SIZE];
    ph_config *config = config_new();
    ph_config_error error;
    char *large;

    temp_file(path, "config");
    cr_expect_eq(ph_config_load(config, path, &error), PH_OK, "an empty file: %s", error.reason);
    write_file(path, "height = 5\nspan = 6\n", 20);
    cr_expect_eq(ph_config_load(config, path, &error), PH_OK, "%s", error.reason);
    cr_expect_eq(ph_config_def(config)->span, 6);
    snprintf(want, sizeof want, "%s:2", path);
    config_expect(config, "span = 6", want);

    write_file(path, "span = 7\nheight\0 = 5\n", 21);
    cr_expect_eq(ph_config_load(config, path, &error), PH_BAD_DEF);
    snprintf(want, sizeof want, "%s:2: unexpected byte 0x00", path);
    cr_expect_str_eq(error.reason, want);
    cr_expect_eq(ph_config_def(config)->span, 6);

    large = malloc((16 << 20) + 1);
    cr_assert_not_null(large);
    memset(large, '\n', (16 << 20) + 1);
    memcpy(large + (16 << 20) - 8, "span = 8", 8);
    write_file(path, large, 16 << 20);
    cr_expect_eq(ph_config_load(config, path, &error), PH_OK, "%s", error.reason);
    snprintf(want, sizeof want, "%s:16777209", path);
    config_expect(config, "span = 8", want);
    write_file(path, large, (16 << 20) + 1);
    cr_expect_eq(ph_config_load(config, path, &error), PH_BAD_ARGUMENT);
    snprintf(want, sizeof want, "%s: longer than 16 MiB", path);
    cr_expect_str_eq(error.reason, want);
    free(large);

    cr_expect_eq(unlink(path), 0);
    cr_expect_eq(ph_config_load(config, path, &error), PH_BAD_ARGUMENT);
    snprintf(want, sizeof want, "%s: can not be opened: No such file or directory", path);
    cr_expect_str_eq(error.reason, want);
    cr_expect_eq(ph_config_load(config, "/tmp", &error), PH_BAD_ARGUMENT);
    cr_expect_str_eq(error.reason, "/tmp: can not be read: Is a directory");
    cr_expect_eq(ph_config_load(config, "/dev/zero", &error), PH_BAD_ARGUMENT, "no end");
    cr_expect_str_eq(error.reason, "/dev/zero: longer than 16 MiB");
    ph_config_destroy(config);
}

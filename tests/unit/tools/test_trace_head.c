/*
 * tools/trace_head.c: a definition comes back from the head of a trace, and traces without one change nothing.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "support/temp_path.h"
#include "tools/trace.h"
#include "tools/trace_head.h"

static phx_mem mem;
static char path[TEMP_PATH_SIZE];
static ph_config *config;
static ph_config_error error;

static void set_up(void)
{
    phx_mem_init(&mem, phx_allocator_libc());
    temp_file(path, "trace_head");
    cr_assert_eq(ph_config_create(&config), PH_OK);
}

static void tear_down(void)
{
    ph_config_destroy(config);
    unlink(path);
}

TestSuite(trace_head, .init = set_up, .fini = tear_down);

static void put(const char *text)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file);
    cr_assert(fputs(text, file) >= 0);
    cr_assert_eq(fclose(file), 0);
}

static ph_status load(void)
{
    error.reason[0] = '\0';
    return phx_trace_head_load(config, &mem, path, PHX_TRACE_UNPACK_MAX_BYTES, &error);
}

static char *dump(void)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    cr_assert(out);
    cr_assert_eq(ph_config_dump(config, out), PH_OK);
    cr_assert_eq(fclose(out), 0);
    return text;
}

Test(trace_head, a_definition_comes_back)
{
    size_t bytes = 0, again_bytes = 0;
    cr_assert_eq(ph_config_load_text(config, "text",
                                     "world_size = {1000, 2000}\nspan = 3\nsticky = 1.5\nconsumers = 3\n"
                                     "class guard { view = 70 visible = 40 }\n",
                                     &error),
                 PH_OK, "%s", error.reason);
    char *head = phx_trace_head_make(ph_config_def(config), &bytes);
    cr_assert(head);
    cr_assert_eq(strlen(head), bytes);
    FILE *file = fopen(path, "wb");
    cr_assert(file);
    fprintf(file, "# cut out\n%stick,op,id\n5,leave,1\n", head);
    cr_assert_eq(fclose(file), 0);
    ph_config_destroy(config);
    cr_assert_eq(ph_config_create(&config), PH_OK);
    cr_assert_eq(load(), PH_OK, "%s", error.reason);
    char *again = phx_trace_head_make(ph_config_def(config), &again_bytes);
    cr_expect_str_eq(again, head);
    cr_expect_eq(ph_config_def(config)->span, 3);
    free(again);
    free(head);
}

Test(trace_head, gzip_has_a_head_too)
{
    gzFile file = gzopen(path, "wb");
    cr_assert(file);
    cr_assert(gzputs(file, "#config span = 3\n\ntick,op,id\n") > 0);
    cr_assert_eq(gzclose(file), Z_OK);
    cr_assert_eq(load(), PH_OK, "%s", error.reason);
    cr_expect_eq(ph_config_def(config)->span, 3);
}

Test(trace_head, a_trace_without_one_changes_nothing)
{
    static const char *const texts[] = {"tick,op,id\n#config span = 3\n", "# config span = 3\ntick,op,id\n", "",
                                        "#configs span = 3\n", "\n\n# a\n"};
    char *before = dump();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put(texts[i]);
        cr_expect_eq(load(), PH_OK, "%s: %s", texts[i], error.reason);
        char *after = dump();
        cr_expect_str_eq(after, before);
        free(after);
    }
    unlink(path);
    cr_expect_eq(load(), PH_OK);
    cr_assert_eq(mkfifo(path, S_IRUSR | S_IWUSR), 0);
    cr_expect_eq(load(), PH_OK, "a pipe is not waited for");
    free(before);
}

Test(trace_head, an_error_names_the_line_of_the_trace)
{
    put("# made by hand\n\n#config span = 3\n#config\n#config spam = 3\ntick,op,id\n");
    cr_expect_eq(load(), PH_BAD_DEF);
    cr_expect(strstr(error.reason, ":5"), "%s", error.reason);
    cr_expect(strstr(error.reason, path) && strstr(error.reason, "spam"), "%s", error.reason);
}

Test(trace_head, a_byte_order_mark_is_before_it)
{
    put("\xef\xbb\xbf#config spam = 3\ntick,op,id\n");
    cr_expect_eq(load(), PH_BAD_DEF);
    cr_expect(strstr(error.reason, ":1"), "%s", error.reason);
}

static void put_long_head(const char *first)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file);
    cr_assert(fputs(first, file) >= 0);
    for (int i = 0; i <= PHX_TRACE_HEAD_MAX_BYTES; i++) cr_assert(fputs("#\n", file) >= 0);
    cr_assert_eq(fclose(file), 0);
}

Test(trace_head, a_head_has_a_bound)
{
    put_long_head("# no definition\n");
    cr_expect_eq(load(), PH_OK, "%s", error.reason);
    put_long_head("#config\n");
    cr_expect_eq(load(), PH_BAD_DEF);
    cr_expect(strstr(error.reason, "more than 1048576 bytes"), "%s", error.reason);
}

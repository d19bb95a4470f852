/*
 * Numbers in config text under a locale with a comma as decimal point. Such a locale is
 * made with localedef, from sources that the test writes itself, as a machine need not
 * have one. Setting it for the thread stands for setting it for the process, too: the
 * library's own setting goes above both.
 */
#include <locale.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/temp_path.h"
#include "unit/config/config_case.h"

static char folder[TEMP_PATH_SIZE];
static locale_t comma;

/* glibc 2.36 leaks the value of LOCPATH, in newlocale(); the leak checker, where there is one, shall not blame us. */
__attribute__((weak)) void __lsan_disable(void);
__attribute__((weak)) void __lsan_enable(void);

static locale_t new_comma_locale(void)
{
    locale_t locale;

    if (__lsan_disable != NULL) {
        __lsan_disable();
    }
    locale = newlocale(LC_NUMERIC_MASK, "comma", (locale_t)0);
    if (__lsan_enable != NULL) {
        __lsan_enable();
    }
    return locale;
}

static void write_sources(void)
{
    FILE *map = fopen("map", "w");
    FILE *source = fopen("comma.src", "w");

    cr_assert(map != NULL && source != NULL);
    fputs("<code_set_name> ANSI_X3.4-1968\n<comment_char> %\n<escape_char> /\n<mb_cur_min> 1\n<mb_cur_max> 1\n"
          "CHARMAP\n",
          map);
    for (unsigned byte = 0; byte < 128; byte++) {
        fprintf(map, "<U%04X> /x%02x byte\n", byte, byte);
    }
    fputs("END CHARMAP\n", map);
    fputs("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\nEND LC_NUMERIC\n", source);
    cr_assert_eq(fclose(map) + fclose(source), 0);
}

static void make_locale(void)
{
    pid_t child;
    int status;

    temp_folder(folder, "locale");
    cr_assert_eq(chdir(folder), 0);
    write_sources();
    child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        execlp("localedef", "localedef", "--quiet", "-c", "-f", "./map", "-i", "./comma.src", "./comma", (char *)NULL);
        _exit(127);
    }
    cr_assert_eq(waitpid(child, &status, 0), child); /* its status is that of warnings */
    cr_assert_eq(setenv("LOCPATH", folder, 1), 0);
    comma = new_comma_locale();
    cr_assert_neq(comma, (locale_t)0, "no locale with a comma; is localedef (of libc-bin) there?");
    uselocale(comma);
    cr_assert_eq(strtod("1,5", NULL), 1.5, "the locale shows no effect");
}

static void remove_locale(void)
{
    pid_t child;

    uselocale(LC_GLOBAL_LOCALE);
    freelocale(comma);
    child = fork();
    if (child == 0) {
        execlp("rm", "rm", "-rf", folder, (char *)NULL);
        _exit(127);
    }
    waitpid(child, NULL, 0);
}

TestSuite(config_locale, .init = make_locale, .fini = remove_locale);

Test(config_locale, text_and_assignments)
{
    ph_config *config = config_new();
    const ph_world_def *def = ph_config_def(config);

    config_load_ok(config, "height = 1.5 sticky = 1.25 world_size = {200.5, 300.25} class a { view = 0.125 }");
    cr_expect_eq(def->height, 1.5f);
    cr_expect_eq(def->sticky, 1.25);
    cr_expect(def->world_size[0] == 200.5f && def->world_size[1] == 300.25f);
    cr_expect_eq(def->classes[1].view, 0.125f);
    config_set_ok(config, "height=2.5");
    cr_expect_eq(def->height, 2.5f);
    config_set_ok(config, "world_size=1.5,2.5");
    cr_expect(def->world_size[0] == 1.5f && def->world_size[1] == 2.5f);
    config_set_refused(config, "height=2,5", "height = '2,5' is not a number in [0, 1e18]");
    cr_expect_eq(uselocale((locale_t)0), comma, "the caller's locale is back");
    ph_config_destroy(config);
}

Test(config_locale, reasons_dump_and_reference)
{
    ph_world_def def = ph_world_def_default();
    ph_config *config = config_new();
    ph_config *again = config_new();
    char *dump;
    char *page = NULL;
    size_t size = 0;
    char reason[256];
    FILE *out = open_memstream(&page, &size);

    config_load_refused(config, "sticky = 0.5", "t:1: sticky = 0.5 is outside [1, 1000000]");
    config_load_refused(config, "tower_size = 0.001",
                        "t:1: tower_size = 0.001: 10000000 towers along x of "
                        "world_size = {10000, 10000} is outside [1, 65535]");
    config_load_ok(config, "height = 0.1 sticky = 1.0000001");
    dump = config_dump(config);
    cr_expect_not_null(strstr(dump, "height = 0.1 "), "%s", dump);
    config_load_ok(again, dump);
    cr_expect_eq(ph_config_def(again)->height, 0.1f);
    cr_expect_eq(ph_config_def(again)->sticky, 1.0000001);
    free(dump);

    def.sticky = 0.5;
    cr_expect_eq(ph_world_def_check(&def, reason, sizeof reason), PH_BAD_DEF);
    cr_expect_str_eq(reason, "sticky = 0.5 is outside [1, 1000000]");
    cr_assert_not_null(out);
    cr_expect_eq(ph_config_reference(out), PH_OK);
    fclose(out);
    cr_expect_not_null(strstr(page, "`1.1`"));
    cr_expect_null(strstr(page, "`1,1`"));
    free(page);
    cr_expect_eq(uselocale((locale_t)0), comma, "the caller's locale is back");
    ph_config_destroy(config);
    ph_config_destroy(again);
}

Test(config_locale, explanations_have_points_in_any_locale)
{
    char text[128];
    ph_explanation why = {.reason = PH_REASON_TOO_FAR, .square = 6.25f, .radius = 1.5f};

    cr_expect_str_eq(ph_explanation_text(&why, text, sizeof text),
                     "not seen: the target is beyond the radius (distance 2.5, radius 1.5)");
    cr_expect_eq(uselocale((locale_t)0), comma, "the caller's locale is back");
}

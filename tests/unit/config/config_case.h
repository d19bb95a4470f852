/*
 * Shared by the tests of the config library: a config that is there or the test ends,
 * loads and assignments with their expected reasons, a dump as text. Criterion only.
 */
#ifndef UNIT_CONFIG_CASE_H
#define UNIT_CONFIG_CASE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <pharos/config.h>
#include <pharos/pharos.h>

static inline ph_config *config_new(void)
{
    ph_config *config = NULL;

    cr_assert_eq(ph_config_create(&config), PH_OK);
    cr_assert_not_null(config);
    return config;
}

/* The dump; the caller frees it. */
static inline char *config_dump(const ph_config *config)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    cr_assert_not_null(out);
    cr_assert_eq(ph_config_dump(config, out), PH_OK);
    fclose(out);
    return text;
}

/* The line of the dump that begins with `start`, up to its end; the caller frees it. */
static inline char *config_dump_line(const ph_config *config, const char *start)
{
    char *text = config_dump(config);
    char *line = NULL;

    for (char *at = text; at != NULL; at = strchr(at, '\n')) {
        at += strspn(at, "\n ");
        if (strncmp(at, start, strlen(start)) == 0) {
            line = strndup(at, strcspn(at, "\n"));
            break;
        }
    }
    free(text);
    cr_assert_not_null(line, "no line '%s' in the dump", start);
    return line;
}

/* That key has this value, from there: "height = 5", "default". The first such key of the dump. */
static inline void config_expect(const ph_config *config, const char *setting, const char *origin)
{
    char want[1024];
    char *line;

    snprintf(want, sizeof want, "%s ", setting);
    line = config_dump_line(config, want);
    cr_expect(strstr(line, "# ") != NULL && strcmp(strstr(line, "# ") + 2, origin) == 0, "%s: not from %s", line,
              origin);
    free(line);
}

static inline void config_load_ok(ph_config *config, const char *text)
{
    ph_config_error error;
    ph_status status = ph_config_load_text(config, "t", text, &error);

    cr_assert_eq(status, PH_OK, "%s refused: %s", text, error.reason);
    cr_assert_str_empty(error.reason);
}

static inline void config_set_ok(ph_config *config, const char *assignment)
{
    ph_config_error error;
    ph_status status = ph_config_set(config, assignment, &error);

    cr_assert_eq(status, PH_OK, "%s refused: %s", assignment, error.reason);
    cr_assert_str_empty(error.reason);
}

/* `text`, as the file t, is refused for exactly this reason and changes nothing. */
static inline void config_load_refused(ph_config *config, const char *text, const char *reason)
{
    ph_config_error error;
    char *before = config_dump(config);
    ph_status status = ph_config_load_text(config, "t", text, &error);
    char *after = config_dump(config);

    cr_expect_eq(status, PH_BAD_DEF, "'%.60s' is status %d", text, (int)status);
    cr_expect_str_eq(error.reason, reason, "'%.60s':\n  got  %s\n  want %s", text, error.reason, reason);
    cr_expect_str_eq(before, after, "'%.60s' changed the config", text);
    free(before);
    free(after);
}

/* The same of an assignment; `reason` is the part behind "--set KEY=VALUE: ". */
static inline void config_set_refused(ph_config *config, const char *assignment, const char *reason)
{
    char want[4 * PH_CONFIG_REASON_SIZE];
    ph_config_error error;
    char *before = config_dump(config);
    ph_status status = ph_config_set(config, assignment, &error);
    char *after = config_dump(config);

    snprintf(want, sizeof want, "--set %s: %s", assignment, reason);
    cr_expect_eq(status, PH_BAD_DEF, "'%s' is status %d", assignment, (int)status);
    cr_expect_str_eq(error.reason, want, "\n  got  %s\n  want %s", error.reason, want);
    cr_expect_str_eq(before, after, "'%s' changed the config", assignment);
    free(before);
    free(after);
}

#endif

/*
 * Any bytes as a config text and as an assignment. A refused one has a one-line reason and
 * changes nothing; an accepted one gives a good definition, and its dump gives it back.
 * The first byte chooses: '=' an assignment, else a text (of which it is a part).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/config.h>
#include <pharos/pharos.h>

#include "base/core.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Holds in every build, unlike PHX_ASSERT. */
#define HOLDS(x) ((x) ? (void)0 : phx_panic(__FILE__, __LINE__, #x))

static ph_config *make(void)
{
    ph_config *config = NULL;

    HOLDS(ph_config_create(&config) == PH_OK);
    return config;
}

static char *dump(const ph_config *config)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    HOLDS(out != NULL && ph_config_dump(config, out) == PH_OK);
    fclose(out);
    return text;
}

/* Takes away the comments, which name origins. */
static void strip(char *text)
{
    char *to = text;

    for (const char *from = text; *from != '\0';) {
        if (*from == '#') {
            from += strcspn(from, "\n");
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
}

static void expect_round_trip(const ph_config *config)
{
    ph_config *again = make();
    ph_config_error error;
    char *first = dump(config);
    char *second;

    HOLDS(ph_config_load_text(again, "dump", first, &error) == PH_OK);
    second = dump(again);
    strip(first);
    strip(second);
    HOLDS(strcmp(first, second) == 0);
    free(first);
    free(second);
    ph_config_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ph_config *config = make();
    ph_config_error error;
    ph_status status;
    char *text = malloc(size + 1);
    char *before;

    HOLDS(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    HOLDS(ph_config_load_text(config, "base", "span = 3 class player { view = 5 }", &error) == PH_OK);
    before = dump(config);
    if (text[0] == '=') {
        status = ph_config_set(config, text + 1, &error);
    } else {
        status = ph_config_load_text(config, "fuzz", text, &error);
    }
    if (status == PH_OK) {
        HOLDS(error.reason[0] == '\0');
        HOLDS(ph_world_def_check(ph_config_def(config), NULL, 0) == PH_OK);
        expect_round_trip(config);
    } else {
        char *after = dump(config);

        HOLDS(status == PH_BAD_DEF);
        HOLDS(strncmp(error.reason, text[0] == '=' ? "--set " : "fuzz:", 5) == 0);
        HOLDS(strchr(error.reason, '\n') == NULL && strlen(error.reason) < sizeof error.reason);
        HOLDS(strcmp(before, after) == 0);
        free(after);
    }
    free(before);
    free(text);
    ph_config_destroy(config);
    return 0;
}

/*
 * Several threads load and set at once, each its own config: libconfuse has one lexer for
 * the process, and a text or a reason of one thread must not show up in another's.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <pharos/config.h>

#include "support/check.h"

enum { THREADS = 4, ROUNDS = 200 };

static void round_of(unsigned thread, unsigned round)
{
    char text[256];
    char want[128];
    unsigned span = 1000 * thread + round;
    ph_config *config = NULL;
    ph_config_error error;

    REQUIRE(ph_config_create(&config) == PH_OK);
    snprintf(text, sizeof text, "# %u\nspan = %u class only%u { view = %u.5 }", round, span, thread, span);
    CHECK(ph_config_load_text(config, "good", text, &error) == PH_OK, "%s", error.reason);
    CHECK(ph_config_def(config)->span == span, "%u: span %u", span, ph_config_def(config)->span);
    CHECK(ph_config_def(config)->class_count == 2, "%u: %u classes", span, ph_config_def(config)->class_count);
    CHECK(ph_config_def(config)->classes[1].view == (float)span + 0.5f, "%u: view", span);
    snprintf(text, sizeof text, "\n\nbad%u_%u = 5", thread, round);
    CHECK(ph_config_load_text(config, "bad", text, &error) == PH_BAD_DEF, "%s is taken", text);
    snprintf(want, sizeof want, "bad:3: no such option 'bad%u_%u'", thread, round);
    CHECK(strcmp(error.reason, want) == 0, "got %s, not %s", error.reason, want);
    snprintf(text, sizeof text, "only%u.cap=%u", thread, round);
    CHECK(ph_config_set(config, text, &error) == PH_OK, "%s", error.reason);
    CHECK(ph_config_def(config)->classes[1].cap == round, "%u: cap", span);
    ph_config_destroy(config);
}

static void *load_and_set(void *argument)
{
    unsigned thread = *(const unsigned *)argument;

    for (unsigned round = 0; round < test_amount(ROUNDS); round++) {
        round_of(thread, round);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned numbers[THREADS];

    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i + 1;
        REQUIRE(pthread_create(&threads[i], NULL, load_and_set, &numbers[i]) == 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    return check_done("config_threads");
}

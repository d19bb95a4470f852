/*
 * The plain test programs' checks, options and memory; see check.h. Any phase, no engine.
 */
#include "support/check.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/base.h>

enum { FAILURES_PRINTED_MAX = 40 };

static _Atomic unsigned failures; /* relaxed: a count, orders nothing */

bool check_fail(const char *file, int line, const char *format, ...)
{
    unsigned before = atomic_fetch_add_explicit(&failures, 1, memory_order_relaxed);
    if (before < FAILURES_PRINTED_MAX) {
        char text[1024];
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        (void)fprintf(stderr, "%s:%d: FAILED: %s\n", file, line, text);
    }
    return false;
}

unsigned check_failures(void)
{
    return atomic_load_explicit(&failures, memory_order_relaxed);
}

int check_done(const char *program)
{
    unsigned failed = check_failures();
    if (failed != 0) {
        (void)fprintf(stderr, "%s: %u checks FAILED\n", program, failed);
        return 1;
    }
    (void)printf("%s: passed\n", program);
    return 0;
}

void check_give_up(const char *file, int line, const char *what)
{
    (void)fprintf(stderr, "%s:%d: can not go on: %s\n", file, line, what);
    exit(1);
}

bool check_status(const char *file, int line, const char *call, int got, int expected)
{
    if (got == expected) {
        return true;
    }
    return check_fail(file, line, "%s: %s, expected %s", call, ph_status_name((ph_status)got),
                      ph_status_name((ph_status)expected));
}

void *check_realloc(void *memory, size_t bytes)
{
    void *grown = realloc(memory, bytes);
    REQUIRE(grown != NULL);
    return grown;
}

void *check_zalloc(size_t bytes)
{
    void *memory = calloc(1, bytes != 0 ? bytes : 1);
    REQUIRE(memory != NULL);
    return memory;
}

void check_free(void **items, size_t *count, size_t *capacity)
{
    free(*items);
    *items = NULL;
    *count = 0;
    *capacity = 0;
}

const char *option_text(int argc, char **argv, const char *name)
{
    size_t length = strlen(name);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], name, length) != 0) {
            continue;
        }
        if (argv[i][length] == '=') {
            return argv[i] + length + 1;
        }
        if (argv[i][length] == '\0' && i + 1 < argc) {
            return argv[i + 1];
        }
    }
    return NULL;
}

uint64_t option_number(int argc, char **argv, const char *name, uint64_t fallback)
{
    const char *text = option_text(argc, argv, name);
    if (text == NULL) {
        return fallback;
    }
    char *end = NULL;
    unsigned long long value = strtoull(text, &end, 0);
    if (end == text || *end != '\0') {
        (void)fprintf(stderr, "%s: not a number: %s\n", name, text);
        exit(2);
    }
    return value;
}

bool option_flag(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], name) == 0) {
            return true;
        }
    }
    return false;
}

uint64_t test_amount(uint64_t full)
{
    const char *text = getenv("PHAROS_TEST_PERCENT");
    uint64_t percent = text != NULL ? strtoull(text, NULL, 10) : 100;
    uint64_t amount = full * percent / 100;
    return amount != 0 ? amount : 1;
}

bool test_threads_alone(void)
{
    return getenv("PHAROS_TEST_THREADS") != NULL;
}

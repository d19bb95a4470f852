/*
 * Shared by the plain test programs: a check that counts and prints failures, a
 * requirement that ends the program, and a growable array. No test framework, so that
 * the programs run under every sanitizer. Used from one thread, but for check_fail(),
 * which any thread may call.
 */
#ifndef SUPPORT_CHECK_H
#define SUPPORT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts a failure and prints it with its place; the program goes on. Always false. */
bool check_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Prints a summary; 0 when nothing failed, else 1: the exit status of the program. */
int check_done(const char *program);
/* Failures so far. */
unsigned check_failures(void);
/* Prints and exits with status 1: the test itself can not go on. */
_Noreturn void check_give_up(const char *file, int line, const char *what);

/* CHECK(condition, "expected %d", ...) is the condition's value. */
#define CHECK(condition, ...) ((condition) ? true : check_fail(__FILE__, __LINE__, __VA_ARGS__))
#define REQUIRE(condition) ((condition) ? (void)0 : check_give_up(__FILE__, __LINE__, #condition))
/* For calls that have to be PH_OK. */
#define CHECK_OK(call) check_status(__FILE__, __LINE__, #call, (int)(call), 0)
#define CHECK_STATUS(call, expected) check_status(__FILE__, __LINE__, #call, (int)(call), (int)(expected))
bool check_status(const char *file, int line, const char *call, int got, int expected);

/* A growable array: VEC(type) name = {0}; memory by malloc, out of memory gives up. */
#define VEC(type) \
    struct { \
        type *items; \
        size_t count, capacity; \
    }
#define VEC_PUSH(vec, value) \
    do { \
        if ((vec)->count == (vec)->capacity) { \
            (vec)->capacity = (vec)->capacity != 0 ? (vec)->capacity * 2 : 8; \
            (vec)->items = check_realloc((vec)->items, (vec)->capacity * sizeof *(vec)->items); \
        } \
        (vec)->items[(vec)->count++] = (value); \
    } while (0)
#define VEC_INSERT(vec, at, value) \
    do { \
        size_t vec_place = (at); \
        VEC_PUSH(vec, value); \
        for (size_t vec_i = (vec)->count - 1; vec_i > vec_place; vec_i--) { \
            (vec)->items[vec_i] = (vec)->items[vec_i - 1]; \
        } \
        (vec)->items[vec_place] = (value); \
    } while (0)
#define VEC_REMOVE(vec, at) \
    do { \
        for (size_t vec_i = (at); vec_i + 1 < (vec)->count; vec_i++) { \
            (vec)->items[vec_i] = (vec)->items[vec_i + 1]; \
        } \
        (vec)->count--; \
    } while (0)
#define VEC_FREE(vec) check_free((void **)&(vec)->items, &(vec)->count, &(vec)->capacity)
void *check_realloc(void *memory, size_t bytes);
void *check_zalloc(size_t bytes);
void check_free(void **items, size_t *count, size_t *capacity);

/* The value of the option `name` ("--seed") as a number, or fallback; understands "--seed 5" and "--seed=5". */
uint64_t option_number(int argc, char **argv, const char *name, uint64_t fallback);
/* The same as text; NULL when it is not there. */
const char *option_text(int argc, char **argv, const char *name);
bool option_flag(int argc, char **argv, const char *name);

/*
 * How much to do: 100 unless the environment's PHAROS_TEST_PERCENT says otherwise (under a
 * sanitizer, or in a nightly run). At least 1 of anything.
 */
uint64_t test_amount(uint64_t full);

/*
 * Only the parts in which several threads meet, by the environment's PHAROS_TEST_THREADS: under the thread sanitizer,
 * which finds nothing in the others.
 */
bool test_threads_alone(void);

#endif

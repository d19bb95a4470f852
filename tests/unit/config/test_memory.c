/*
 * Every allocation of the config library fails in turn: PH_NO_MEMORY, a reason, nothing
 * changed, nothing leaked. libconfuse allocates in a library of its own and is not
 * reached by this. Linked with --wrap, see cmake/unit.cmake.
 */
#include "unit/config/config_case.h"

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
char *__wrap_strdup(const char *text);

static long until_failure = -1; /* allocations that still succeed; below 0 all of them do */
static long allocations;

static bool may_allocate(void)
{
    allocations++;
    return until_failure < 0 || until_failure-- > 0;
}

void *__wrap_malloc(size_t bytes)
{
    return may_allocate() ? __real_malloc(bytes) : NULL;
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return may_allocate() ? __real_calloc(count, bytes) : NULL;
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return may_allocate() ? __real_realloc(memory, bytes) : NULL;
}

char *__wrap_strdup(const char *text)
{
    return may_allocate() ? __real_strdup(text) : NULL;
}

static const char text[] = "height = 5\n"
                           "class a {} class b {} class c {} class d {} class e {} class f {} class g {} class h {}\n";

typedef ph_status (*operation)(ph_config *config, ph_config_error *error);

static ph_status load_text(ph_config *config, ph_config_error *error)
{
    return ph_config_load_text(config, "t", text, error);
}

static ph_status load_sample(ph_config *config, ph_config_error *error)
{
    return ph_config_load(config, CONFIG_SAMPLE, error);
}

static ph_status set(ph_config *config, ph_config_error *error)
{
    return ph_config_set(config, "z.view=5", error);
}

static void expect_each_failure_told(operation run, const char *place, long least)
{
    long failures = 0;
    ph_status status;

    do {
        ph_config *config = config_new();
        ph_config_error error = {.reason = "?"};
        char *before;
        char *after;

        config_load_ok(config, "span = 3\ntower_size = 100\nclass q {} class r {}");
        config_set_ok(config, "r.view=9");
        before = config_dump(config);
        until_failure = failures;
        status = run(config, &error);
        until_failure = -1;
        if (status != PH_OK) {
            cr_assert_eq(status, PH_NO_MEMORY, "%s", error.reason);
            cr_expect_eq(strncmp(error.reason, place, strlen(place)), 0, "%s", error.reason);
            cr_expect_not_null(strstr(error.reason, "out of memory"), "%s", error.reason);
            after = config_dump(config);
            cr_expect_str_eq(before, after);
            free(after);
            failures++;
        }
        free(before);
        ph_config_destroy(config);
    } while (status != PH_OK && failures < 1000);
    cr_expect_eq(status, PH_OK);
    cr_expect_geq(failures, least, "only %ld allocations failed: the wrapping does not work", failures);
}

Test(config_memory, create_without_memory_leaves_nothing)
{
    for (long i = 0; i < 3; i++) {
        ph_config *config = (ph_config *)&text;

        until_failure = i;
        cr_expect_eq(ph_config_create(&config), PH_NO_MEMORY, "allocation %ld", i);
        until_failure = -1;
        cr_expect_null(config);
    }
    cr_expect_geq(allocations, 3);
}

Test(config_memory, load_text)
{
    expect_each_failure_told(load_text, "t:", 6);
}

Test(config_memory, load_reports_each_failed_allocation)
{
    expect_each_failure_told(load_sample, CONFIG_SAMPLE ":", 6);
}

Test(config_memory, set_reports_each_failed_allocation)
{
    expect_each_failure_told(set, "--set z.view=5:", 4);
}

Test(config_memory, begin_without_memory_can_be_repeated)
{
    ph_status status = PH_NO_MEMORY;
    long failures = 0;

    for (; status != PH_OK && failures < 100; failures += status != PH_OK) {
        ph_config *config = config_new();

        config_load_ok(config, "span = 3\ntower_size = 100\nclass q {} class r {}");
        until_failure = failures;
        status = ph_config_begin(config);
        until_failure = -1;
        if (status != PH_OK) {
            cr_assert_eq(status, PH_NO_MEMORY);
            cr_expect_eq(ph_config_end(config, NULL), PH_BAD_ARGUMENT, "not begun");
            config_set_refused(config, "shards=101,1",
                               "shards = {101, 1}: 101 along x is outside [1, 100], one a tower (world_size = {10000, "
                               "10000}, tower_size = 100)");
        }
        ph_config_destroy(config);
    }
    cr_expect_eq(status, PH_OK);
    cr_expect_geq(failures, 4, "only %ld allocations failed: the wrapping does not work", failures);
}

/*
 * tools/replay_run.c where no other test gets at it: a run in which any one allocation,
 * and all after it, fails: the status, nothing half written, nothing kept.
 */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/temp_path.h"
#include "support/watched_memory.h"
#include "tools/cli.h"
#include "tools/replay_run.h"

enum { FAILURES_MAX = 5000 }; /* allocations of the run: far fewer; a bound for the loop */

static char folder[TEMP_PATH_SIZE], trace_path[TEMP_PATH_SIZE + 16], events_path[TEMP_PATH_SIZE + 16];
static ph_config *config;
static phx_replay_summary summary;

static void set_up(void)
{
    temp_folder(folder, "replay");
    snprintf(trace_path, sizeof trace_path, "%s/trace.csv", folder);
    snprintf(events_path, sizeof events_path, "%s/events.csv", folder);
    FILE *file = fopen(trace_path, "w");
    fputs("tick,op,id,other,x,y\n", file);
    for (int i = 1; i <= 300; i++) fprintf(file, "0,enter,%d,,%d,%d\n", i, i % 17 * 50, i / 17 * 50);
    for (int i = 1; i <= 300; i++) fprintf(file, "%d,move,%d,,%d,%d\n", 1 + i / 100, i, i / 17 * 50, i % 17 * 50);
    fputs("5,link,1,300\n5,attach,2,3\n6,leave,3\n", file);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(ph_config_create(&config), PH_OK);
    const char *const assignments[] = {
        "view=120",         "shards=3,2", "world_size=1000,1000", "producer_bytes=131072", "exchange_bytes=16384",
        "entities_max=1000"};
    for (size_t i = 0; i < sizeof assignments / sizeof assignments[0]; i++)
        cr_assert_eq(ph_config_set(config, assignments[i], &(ph_config_error){.reason = ""}), PH_OK);
}

static void tear_down(void)
{
    ph_config_destroy(config);
    unlink(trace_path);
    unlink(events_path);
    if (rmdir(folder) != 0) abort(); /* something was left there; in a .fini only a crash fails the test */
}

TestSuite(replay, .init = set_up, .fini = tear_down);

/* A run in which only so many allocations succeed. */
static int run(uint64_t calls_good, uint64_t *calls)
{
    watched_memory watched;
    phx_mem mem;
    watched_memory_init(&watched);
    phx_mem_init(&mem, watched_memory_allocator(&watched));
    watched_memory_fail_after(&watched, calls_good);
    const phx_replay_job job = {
        .trace_path = trace_path, .events_path = events_path, .config = config, .tick_last = UINT64_MAX};
    int exit_status = phx_run_replay(&mem, &job, &summary);
    cr_assert_eq(atomic_load(&watched.blocks), 0, "with %u allocations", (unsigned)calls_good);
    cr_assert_eq(atomic_load(&mem.bytes), 0);
    *calls = atomic_load(&watched.calls);
    return exit_status;
}

Test(replay, every_allocation_fails_in_turn, .timeout = 100)
{
    uint64_t calls, calls_whole;
    cr_assert_eq(run(UINT64_MAX, &calls_whole), PHX_EXIT_OK);
    uint64_t hash = summary.event_hash;
    cr_assert_eq(summary.commands, 603);
    cr_assert_gt(summary.enters, 1000);
    cr_assert_lt(calls_whole, FAILURES_MAX);
    cr_assert_eq(unlink(events_path), 0);
    int said = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    cr_assert_neq(dup2(nowhere, STDERR_FILENO), -1);
    for (uint64_t good = 0; good < calls_whole; good++) {
        int exit_status = run(good, &calls);
        dup2(said, STDERR_FILENO);
        cr_assert_eq(exit_status, PHX_EXIT_TROUBLE, "with %u allocations", (unsigned)good);
        cr_assert_neq(access(events_path, F_OK), 0, "an events file of a run that failed");
        dup2(nowhere, STDERR_FILENO);
    }
    dup2(said, STDERR_FILENO);
    cr_assert_eq(run(calls_whole, &calls), PHX_EXIT_OK);
    cr_assert_eq(summary.event_hash, hash);
}

/*
 * Proves that the comparison of engine and model can fail: plays seeded scripts on copies
 * of the model with one bug each and expects every bug to be found; the copy without a
 * bug has to pass. A bug that is not found means that scripts or comparison are too weak.
 *
 * options: --seeds N (most scripts per bug), --only NUMBER, --verbose
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/mutant.h"
#include "support/run.h"
#include "support/script_gen.h"

/* The rarest bug, an order of additions, needs some 2,200 scripts; each more profile has other scripts played. */
enum { FOUND = 10, NOT_FOUND = 11, SEEDS = 6000, CLEAN_SEEDS = 300 };

/* Plays scripts until one fails; the number of scripts played, 0 when none failed. */
static uint64_t hunt(uint64_t seeds, bool verbose)
{
    const run_options options = {.subject = subject_mutant()};
    run_result *result = check_zalloc(sizeof *result);
    uint64_t played = 0;
    bool found = false;
    for (uint64_t seed = 0; played < seeds && !found; seed++) {
        script *s = ops_script(seed / ops_profile_count(), (uint32_t)(seed % ops_profile_count()));
        if (s->eager) {
            played++;
            run_script(s, &options, result);
            found = result->failed;
        }
        if (found && verbose) {
            (void)fprintf(stderr, "%s", result->report);
        }
        script_free(s);
    }
    free(result);
    return found ? played : 0;
}

/* In a child: a bug may well break an invariant of the model. */
static int hunt_apart(mutation number, uint64_t seeds, bool verbose)
{
    (void)fflush(NULL);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        mutant_choose(number);
        uint64_t played = hunt(seeds, verbose);
        (void)printf("%4" PRIu64 " scripts: %s\n", played, mutant_text(number));
        (void)fflush(NULL);
        _exit(played != 0 ? FOUND : NOT_FOUND);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(int argc, char **argv)
{
    uint64_t seeds = option_number(argc, argv, "--seeds", SEEDS);
    uint64_t only = option_number(argc, argv, "--only", 0);
    bool verbose = option_flag(argc, argv, "--verbose");
    CHECK(hunt_apart(MUTANT_NONE, test_amount(CLEAN_SEEDS), true) == NOT_FOUND, "the model differs from itself");
    for (mutation number = MUTANT_NONE + 1; number < MUTANT_COUNT; number++) {
        if (only == 0 || only == (uint64_t)number) {
            int status = hunt_apart(number, seeds, verbose);
            CHECK(status == FOUND, "bug %d (%s): not found by %" PRIu64 " scripts (status %d)", (int)number,
                  mutant_text(number), seeds, status);
        }
    }
    return check_done("harness_canary");
}

/*
 * Delta debugging over the steps of a script; see shrink.h.
 */
#include "support/shrink.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TRY_SECONDS = 20, TRIES = 1500 };

/* Exit status of the child, or -1 when it was killed. */
static int run_apart(const script *s, const run_options *options, unsigned seconds, bool loud)
{
    (void)fflush(NULL);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        if (!loud) {
            int null = open("/dev/null", O_WRONLY);
            (void)dup2(null, STDOUT_FILENO);
            (void)dup2(null, STDERR_FILENO);
        }
        (void)alarm(seconds);
        run_result *result = check_zalloc(sizeof *result);
        run_script(s, options, result);
        if (result->failed) {
            (void)fprintf(stderr, "%s", result->report);
        }
        (void)fflush(NULL);
        _exit(result->failed ? 1 : 0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status) && loud) {
        (void)fprintf(stderr, "killed by signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool run_fails_apart(const script *s, const run_options *options, unsigned seconds)
{
    return run_apart(s, options, seconds, false) != 0;
}

/* s without the steps from `at` on, `count` of them. */
static script *without(const script *s, size_t at, size_t count)
{
    script *cut = script_copy_head(s);
    for (size_t i = 0; i < s->steps.count; i++) {
        if (i < at || i >= at + count) {
            VEC_PUSH(&cut->steps, s->steps.items[i]);
        }
    }
    return cut;
}

script *script_shrink(const script *s, const run_options *options, unsigned tries)
{
    script *best = without(s, 0, 0);
    size_t chunk = best->steps.count / 2;
    while (chunk != 0 && tries != 0) {
        bool smaller = false;
        for (size_t at = 0; at < best->steps.count && tries != 0;) {
            script *cut = without(best, at, chunk);
            tries--;
            if (run_fails_apart(cut, options, TRY_SECONDS)) {
                script_free(best);
                best = cut;
                smaller = true;
            } else {
                script_free(cut);
                at += chunk;
            }
        }
        chunk = smaller && chunk < best->steps.count ? chunk : chunk / 2;
    }
    return best;
}

void run_explain(const script *s, const run_options *options)
{
    (void)fprintf(stderr, "shrinking %zu steps ...\n", s->steps.count);
    script *small = script_shrink(s, options, TRIES);
    script_print(stderr, small);
    (void)run_apart(small, options, TRY_SECONDS, true);
    script_free(small);
}

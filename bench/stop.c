/*
 * The handler of SIGINT; see stop.h. The flag is the only state.
 */
#include "bench/stop.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;
static struct sigaction at_once; /* as SIGINT was: the output files' handler, or the system's */

static void stop(int number)
{
    static const char text[] = "\npharos-bench: stops behind this run; Ctrl-C again ends at once\n";
    ssize_t said = write(STDERR_FILENO, text, sizeof text - 1);
    (void)said;
    stopped = 1;
    sigaction(number, &at_once, NULL);
}

void bench_stop_catch(void)
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, NULL, &at_once) == 0 && at_once.sa_handler != SIG_IGN) {
        sigaction(SIGINT, &action, NULL);
    }
}

bool bench_stopped(void)
{
    return stopped != 0;
}

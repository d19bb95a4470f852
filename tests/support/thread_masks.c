/*
 * The signals that threads block; see thread_masks.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* gettid() */
#endif
#include "support/thread_masks.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"

enum { LOOKS = 20000, LOOK_US = 500 };

/* Numbers from 1 on. The C library keeps the ones between 31 and SIGRTMIN for itself. */
static uint64_t wanted_mask(void)
{
    enum { SIGNALS = 64, OLD_SIGNALS = 31 };
    uint64_t mask = 0;
    for (int number = 1; number <= SIGNALS; number++)
        if (number != SIGKILL && number != SIGSTOP && (number <= OLD_SIGNALS || number >= SIGRTMIN))
            mask |= (uint64_t)1 << (number - 1);
    return mask;
}

typedef struct thread_state {
    char name[64], state; /* S: it sleeps */
    uint64_t blocked;
} thread_state;

/* false: the thread has ended. */
static bool read_thread(const char *number, thread_state *of)
{
    char path[64], line[256];
    (void)snprintf(path, sizeof path, "/proc/self/task/%.20s/status", number);
    FILE *status = fopen(path, "re");
    bool found = false;
    while (status && !found && fgets(line, sizeof line, status)) {
        if (strncmp(line, "Name:\t", 6) == 0)
            (void)snprintf(of->name, sizeof of->name, "%.*s", (int)strcspn(line + 6, "\n"), line + 6);
        (void)sscanf(line, "State: %c", &of->state);
        found = sscanf(line, "SigBlk: %" SCNx64, &of->blocked) == 1;
    }
    if (status) (void)fclose(status);
    return found;
}

/* The same once it has slept: a new thread blocks all signals for a moment, whatever its own are. */
static bool await_thread(const char *number, thread_state *of)
{
    bool is_there = true;
    for (uint32_t i = 0; i < LOOKS && (is_there = read_thread(number, of)) && of->state != 'S'; i++)
        (void)usleep(LOOK_US);
    CHECK(!is_there || of->state == 'S', "thread %s (%s) never sleeps", number, of->name);
    return is_there;
}

uint32_t count_threads(void)
{
    uint32_t seen = 0;
    DIR *threads = opendir("/proc/self/task");
    REQUIRE(threads != NULL);
    for (const struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        const long number = strtol(entry->d_name, NULL, 10); /* 0: . and .. */
        seen += number != 0 && number != gettid();
    }
    (void)closedir(threads);
    return seen;
}

void check_threads_block(const char *of, uint32_t least)
{
    for (uint32_t i = 0; i < LOOKS && count_threads() < least; i++) (void)usleep(LOOK_US);
    const uint64_t wanted = wanted_mask();
    uint32_t seen = 0;
    DIR *threads = opendir("/proc/self/task");
    REQUIRE(threads != NULL);
    for (const struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        thread_state of_thread = {0};
        const long number = strtol(entry->d_name, NULL, 10); /* 0: . and .. */
        if (number == 0 || number == gettid() || !await_thread(entry->d_name, &of_thread)) continue;
        seen++;
        CHECK((of_thread.blocked & wanted) == wanted, "%s: thread %s (%s) blocks %016" PRIx64 ", not %016" PRIx64, of,
              entry->d_name, of_thread.name, of_thread.blocked, wanted);
    }
    (void)closedir(threads);
    CHECK(seen >= least, "%s: %u threads, not %u", of, seen, least);
}

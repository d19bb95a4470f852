/*
 * The machine and the build; see machine.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* CPU affinity */
#endif

#include "bench/machine.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#ifndef PHX_BENCH_BUILD_TYPE
#define PHX_BENCH_BUILD_TYPE "unknown"
#endif

#ifdef __clang__
#define COMPILER_NAME "clang "
#else
#define COMPILER_NAME "gcc "
#endif

#ifdef NDEBUG
#define ASSERTIONS ""
#else
#define ASSERTIONS ", assertions on"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZER ", address sanitizer"
#elif defined(__SANITIZE_THREAD__)
#define SANITIZER ", thread sanitizer"
#else
#define SANITIZER ""
#endif

static void cpu_model(char *model, size_t size)
{
    char line[256];
    snprintf(model, size, "unknown");
    FILE *info = fopen("/proc/cpuinfo", "r");
    if (info == NULL) {
        return;
    }
    while (fgets(line, sizeof line, info) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", strlen("model name")) == 0 && colon != NULL) {
            colon += strspn(colon, ": ");
            snprintf(model, size, "%.*s", (int)strcspn(colon, "\n"), colon);
            break;
        }
    }
    fclose(info);
}

static uint32_t cpu_count(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 0;
}

bench_machine bench_machine_look(void)
{
    bench_machine machine = {
        .compiler = COMPILER_NAME __VERSION__, .build = PHX_BENCH_BUILD_TYPE ASSERTIONS SANITIZER, .cpus = cpu_count()};
    cpu_model(machine.cpu, sizeof machine.cpu);
    return machine;
}

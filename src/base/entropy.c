/*
 * The one file that asks the system for random bytes; see entropy.h. No state.
 */
#include "base/entropy.h"

#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/random.h>
#endif

#include "base/core.h"
#include "base/rng.h"

/* The fallback: numbers that an outsider does not see, but might guess in part. */
static uint64_t makeshift(void)
{
    struct timespec wall = {0}, up = {0};
    (void)clock_gettime(CLOCK_REALTIME, &wall);
    (void)clock_gettime(CLOCK_MONOTONIC, &up);
    uint64_t mixed = phx_mix64((uint64_t)wall.tv_sec << 30 ^ (uint64_t)wall.tv_nsec);
    mixed = phx_mix64(mixed ^ (uint64_t)up.tv_sec << 30 ^ (uint64_t)up.tv_nsec);
    mixed = phx_mix64(mixed ^ (uintptr_t)&wall); /* where stack and code were put */
    mixed = phx_mix64(mixed ^ (uintptr_t)&makeshift);
    return phx_mix64(mixed ^ (uint64_t)getpid());
}

uint64_t phx_entropy(void)
{
    uint64_t bytes = 0;
#if defined(__linux__)
    if (getrandom(&bytes, sizeof bytes, GRND_NONBLOCK) == (ssize_t)sizeof bytes) return bytes;
#endif
    return bytes ^ makeshift();
}

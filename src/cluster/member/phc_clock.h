/*
 * The time of a member: the host's clock, or the machine's one that goes on while it sleeps. On
 * the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_MEMBER_PHC_CLOCK_H
#define PHX_CLUSTER_MEMBER_PHC_CLOCK_H

#include <time.h>

#include "cluster/member/phc_state.h"

static inline uint64_t phx_phc_clock(void *user)
{
    struct timespec t;
    (void)user;
    (void)clock_gettime(CLOCK_BOOTTIME, &t); /* can not fail: the clock is there since Linux 2.6.39 */
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* It does not go back, whatever the host's clock does. */
static inline uint64_t phx_phc_now(const phc *member)
{
    const uint64_t now = member->def.clock(member->def.clock_user);
    return now > member->now ? now : member->now;
}

#endif

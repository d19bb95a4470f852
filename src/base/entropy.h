/*
 * A number that outsiders can not guess, from the system. Called once a world, by any thread.
 */
#ifndef PHX_BASE_ENTROPY_H
#define PHX_BASE_ENTROPY_H

#include <stdint.h>

/*
 * Never fails, never waits: where the system gives no random bytes (too old, too early at boot, forbidden by a
 * sandbox), clocks and addresses have to do.
 */
uint64_t phx_entropy(void);

#endif

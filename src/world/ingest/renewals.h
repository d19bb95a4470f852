/*
 * Consumers of a loaded world that begin anew: each of their observers gets its whole list, as after a resend. By the
 * ticking thread, in the ingest phase, as the first tick collects its commands.
 */
#ifndef PHX_WORLD_INGEST_RENEWALS_H
#define PHX_WORLD_INGEST_RENEWALS_H

#include "world/state/world.h"

/* Owes the whole list to each observer of consumers that begin anew (phx_consumer_slot.renews). false = no memory. */
bool phx_ingest_renew(phx_world *world);

#endif

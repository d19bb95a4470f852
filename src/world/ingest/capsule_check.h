/*
 * Is a capsule sound? In any phase, on the threads of producers, before it is queued: a tick trusts its queues.
 */
#ifndef PHX_WORLD_INGEST_CAPSULE_CHECK_H
#define PHX_WORLD_INGEST_CAPSULE_CHECK_H

#include "world/ingest/command_checks.h"
#include "world/queue/capsule.h"

/* PH_OK and the root's id, or why not: PH_BAD_VALUE of bytes that no export has made. */
phx_check phx_check_capsule(const phx_world *world, const void *bytes, size_t size, uint64_t *root);

/* A member's attributes, all with their bits that its class does not decide, position and user data too. */
ph_attrs phx_capsule_attrs(const phx_capsule_member *member);

#endif

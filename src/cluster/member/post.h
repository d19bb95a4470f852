/*
 * Subjects of a member's messages, and sending them.
 *
 *   ph.WORLD.halo.SOURCE.TARGET  copies of entities, PHC_HALO
 *   ph.WORLD.ch.SOURCE.TARGET    items of a pair of nodes, PHC_CHANNEL
 *   ph.WORLD.hb                  heartbeats to all, PHC_CHANNEL
 *
 * SOURCE and TARGET are registrations. A message that the transport does not take is lost, as any may be. Used on the
 * thread that ticks the world.
 */
#ifndef PHX_CLUSTER_MEMBER_POST_H
#define PHX_CLUSTER_MEMBER_POST_H

#include "cluster/member/phc_state.h"

typedef enum phx_post { PHX_POST_HALO, PHX_POST_CHANNEL, PHX_POST_HEARTBEAT } phx_post;

/* Messages of that kind to this member come from now on. false: to be tried again. */
bool phx_post_listen(phc *member, phc_traffic traffic, phx_post kind);
bool phx_post_is_of(const phc *member, phx_post kind, const char *subject);
/* target: a registration; of heartbeats 0. */
void phx_post_send(phc *member, phc_traffic traffic, phx_post kind, uint64_t target, const void *bytes, size_t size);

#endif

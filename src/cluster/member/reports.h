/*
 * Events for the host, in order: of entities, of the map, of other members. Filled by the rounds of a member, taken by
 * phc_event_next() on the same thread. A host that takes none stops them: behind a bound each waits where its cause is
 * kept, as without memory. An entity that comes waits at its sender, one that goes stays, a refused enter is noted with
 * the entity, and what changes of the map, of members and their lags is told as it stands then.
 */
#ifndef PHX_CLUSTER_MEMBER_REPORTS_H
#define PHX_CLUSTER_MEMBER_REPORTS_H

#include "cluster/member/phc_state.h"

/*
 * A host that takes its events in each round comes nowhere near: blobs of 16 MiB a round are 320 MiB a second. It is
 * passed by one family at most, which is shorter than a message. What else came with that one waits in the node's
 * events, and nothing more is taken from a peer (phx_node.host_is_full).
 */
enum { PHX_REPORTS_BYTES_MAX = 16 << 20 };

/* The bytes of one event in the queue, with so many of its own. */
static inline uint64_t phx_report_bytes(uint64_t size)
{
    return sizeof(phc_event) + sizeof(uint32_t) + size;
}

/* Room for events of so many bytes in all. false: no memory, or PHX_REPORTS_BYTES_MAX wait, which is counted. */
bool phx_reports_reserve(phc *member, uint64_t bytes);
/* Copies the event, with its bytes. false: as phx_reports_reserve(), unchanged. */
bool phx_report(phc *member, const phc_event *event);
/* The same where room was reserved. */
void phx_report_reserved(phc *member, const phc_event *event);
/* Changes of the map since the host was told; without memory the rest comes in the next round. */
void phx_report_map(phc *member);
/* Nodes that are heard no more, or again; the fence; the end of a drain. */
void phx_report_state(phc *member);

#endif

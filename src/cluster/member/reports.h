/*
 * Events for the host, in order: of entities, of the map, of other members. Filled by the rounds of a member, taken by
 * phc_event_next() on the same thread.
 */
#ifndef PHX_CLUSTER_MEMBER_REPORTS_H
#define PHX_CLUSTER_MEMBER_REPORTS_H

#include "cluster/member/phc_state.h"

/* Copies the event, with its bytes. false: no memory, unchanged. */
bool phx_report(phc *member, const phc_event *event);
/* The number of a registration, for an event; 0: it is out, and was forgotten. */
uint16_t phx_report_number(const phc *member, uint64_t registration);
/* Changes of the map since the host was told; without memory the rest comes in the next round. */
void phx_report_map(phc *member);
/* Nodes that are heard no more, or again; the fence; the end of a drain. */
void phx_report_state(phc *member);

#endif

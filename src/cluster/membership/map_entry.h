/*
 * Maps as they stand in the control store. Called by the membership, on the member's thread.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_MAP_ENTRY_H
#define PHX_CLUSTER_MEMBERSHIP_MAP_ENTRY_H

#include "cluster/membership/membership_state.h"

/* Decodes a map. NULL; or why this process ends, and the map is empty. */
const char *phx_map_entry_read(phx_membership *membership, phx_cluster_map *map, const phc_entry *entry);
/* The same of a list, into membership->read; mostly that has it, as it is the one of the list before. */
const char *phx_map_entry_read_listed(phx_membership *membership, const phc_entry *entry);
/* Such a map says to a member that it is out: no map rises past the highest format that a member reads. */
bool phx_map_entry_is_past(const phx_membership *membership, const phc_entry *entry);
/* Of that end; see phx_membership_end(). One that can not be read an operator deletes, and a process started then
 * joins. Another format is of another version of the library. */
ph_status phx_map_entry_status(const phx_membership *membership, const char *flaw);

#endif

/*
 * The registered processes of the last list: as many as can be members; and the numbers of all keys, which are in use,
 * also of keys that can not be read. Owned by membership, read by
 * proposal and balancer; on the member's thread.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_LISTED_H
#define PHX_CLUSTER_MEMBERSHIP_LISTED_H

#include "cluster/membership/membership_state.h"

/* A list begins: none is known. */
void phx_listed_begin(phx_membership *membership);
/* The own key under the own lease; NULL: it is not there. */
const phx_listed *phx_listed_own(const phx_membership *membership);
/* The answer to a registration may be lost: then the key is there, under the own lease. */
void phx_listed_find_registration(phx_membership *membership);
/* Has a member of a map still its key? */
bool phx_listed_has(const phx_membership *membership, const phx_member *member);
/*
 * An entry of nodes/. More may be registered than can be members; then members of the list's map, the own process, and
 * a key of its number are listed before others, and keys that can not be read behind all. Returns why a process that is
 * no member yet does not join beside that one; NULL: it may.
 */
const char *phx_listed_take(phx_membership *membership, const phx_cluster_map *map, const phc_entry *entry);
/*
 * Living members of a map with a lower number: each of them does what any one may do, as to put the dead out, one list
 * earlier.
 */
uint32_t phx_listed_rank(const phx_membership *membership, const phx_cluster_map *map);
/* Of the first map: the lowest of the highest formats of this process and of all that have registered with it, but for
 * the ones that this process does not read. One that reads from a higher one on does not join. */
uint8_t phx_listed_format(const phx_membership *membership);
/* Why a map without the own process has come, for its host. */
const char *phx_listed_out_reason(const phx_membership *membership);

#endif

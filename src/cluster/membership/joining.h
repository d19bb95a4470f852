/*
 * The write of the map by which a process becomes a member. Owned by membership, which calls it on its thread while
 * the process is in no map (PHX_MEMBERSHIP_JOIN).
 *
 * Where many begin at once, each write of the map by one makes the writes of all others void. So a process that sees
 * another one which joins asks, once there is a map: its key says that another process may write the map with it. Then
 * the one with the lowest number writes a map with itself and with all that ask. Each other one waits for two lists
 * for each lower number, and writes the map itself then: processes of lower numbers may be dead. A process that is
 * alone does not ask. The process that begins a cluster is alone in its map, as no process asks before there is one.
 *
 * A process P learns that it has joined by a map that it reads, whichever process wrote that. A write of its own
 * without an answer is the same to it as a write that it knows nothing of: a map may be there that has it. So from the
 * moment on when P asks, or proposes a map with itself (phx_membership.asks), it never writes a missing key again, and
 * it has simulated nothing before it reads such a map. The orders of things:
 *
 *  - P loses its key, and another process writes the map with P by a list from before. P is a dead member then, and is
 *    put out. Its lease has ended, or its key was deleted: P ends in both cases (hindrance.h).
 *  - The map is written, and P loses its key before it has read the map: the same. Behind that it is a member as any
 *    other, and may come back (comeback.h).
 *  - P is put out beside its lease, by an operator's write of the map, and its key still says that it asks. It must
 *    not be joined again: so the key says a version, and no map up to that one has P. It is that of the map that P had
 *    read as it began to ask, or of a later one without P, if no member was put out between both. A map with P is
 *    later, and the map that puts P out is later still. So another process joins P only where no member was put out
 *    behind that version (phx_cluster_map.fence). Else P has to write the map itself.
 *  - The map is another cluster's, as the control store has lost all: its era is another one, and asks of that era
 *    alone count. (The keys are lost with the store; this is for a map that was deleted by hand.)
 *  - P leaves as it asks, and a writer joins it by a list from before: it is a dead member, and is put out, with all
 *    regions lost.
 *  - A member that asked once leaves by its own word, and its key stands a little longer: its leave is behind the
 *    version that the key says, as a put-out is.
 *  - P has written two keys, as the answer to the first one was lost. It asks by the key of its registration alone,
 *    and a key that does not ask is joined by its own process alone.
 *  - P asks, and the write is done late: it is written over a key of a revision that a list has said, so it writes no
 *    key that has ended meanwhile.
 *  - P does not read the format of the map that it would be in, as that has risen since P asked: the writer, which
 *    has read that map, does not join it, and P ends as it reads the map.
 *  - P has another definition of the world than members have. The writer joins by the same map, so all members have
 *    its definition (refusal.h), and it joins processes of its own definition alone.
 *
 * The writer has read the key of P, and compare-and-set finds the map as it was in that list: so the map with P is
 * behind the key. A later list without the key, whose map has P, says that the lease of P has ended, as of any member.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_JOINING_H
#define PHX_CLUSTER_MEMBERSHIP_JOINING_H

#include "cluster/membership/membership_state.h"

/* Another process that is in no map, and may join: it reads the map, and all members know its world. */
bool phx_joining_is_beside(const phx_membership *membership, const phx_cluster_map *map, const phx_listed *listed);
/* A newer map was read, and is not the membership's yet. */
void phx_joining_read_map(phx_membership *membership, const phx_cluster_map *map);
/*
 * Of a process that has its key in a list with that map, and may join by that: does it write the map itself? false: it
 * waits for another one.
 */
bool phx_joining_is_due(phx_membership *membership, const phx_cluster_map *map);
/* Changes the proposal, which began with that map. false: there is no room for the process. */
bool phx_joining_propose(phx_membership *membership, const phx_cluster_map *map, phx_cluster_map *proposed);
/* Behind a list by which it proposes nothing: does the process ask, and its key does not say so yet? */
bool phx_joining_begins_to_ask(const phx_membership *membership);

#endif

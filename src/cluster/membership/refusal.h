/*
 * A process that does not join, as another member has another definition of the world: the key that differs is named,
 * with both values. So each process that has registered writes the text of its definition into the control store, once
 * for each lease, and the key ends with that: texts are as many as registered processes.
 *
 *   ph-definition/WORLD/N   the text of the process of that number, under its lease
 *
 * Of processes with other definitions the first one in the map stays: while none is in it, none is refused. One that
 * has joined, before it has read a list from before that, is refused no more. Owned by membership, which calls it on
 * its thread.
 */
#ifndef PHX_CLUSTER_MEMBERSHIP_REFUSAL_H
#define PHX_CLUSTER_MEMBERSHIP_REFUSAL_H

#include "cluster/membership/membership_state.h"

enum { PHX_REFUSAL_TAG_WRITE = 20, PHX_REFUSAL_TAG_READ = 21 };

extern const char PHX_OTHER_DEFINITION[];

/* The own text, once it has registered. */
void phx_refusal_tell(phx_membership *membership);
/* Is that process in the map, and the one that it would be refused for not? */
bool phx_refusal_is_void(const phx_membership *membership, const phx_cluster_map *map);
/* The process is refused for that reason. true: it ends once the other definition was read; else now. */
bool phx_refusal_begin(phx_membership *membership, const char *reason);
/* Returns why the process ends; NULL: it does not, by this answer. */
const char *phx_refusal_hear(phx_membership *membership, const phc_answer *answer);
/* Writes a line with the reason and the key that differs; false: no key is found. The texts may be any bytes. */
bool phx_refusal_compare(const char *own, size_t own_size, const char *other, size_t other_size, char *line,
                         size_t size);

#endif

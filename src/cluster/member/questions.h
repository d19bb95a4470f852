/*
 * Which node has an entity: this node asks all others of its map, and answers theirs. An answer of each is waited for;
 * a node that is put out meanwhile has none to give. Called in every round of a member, on the thread that ticks the
 * world.
 */
#ifndef PHX_CLUSTER_MEMBER_QUESTIONS_H
#define PHX_CLUSTER_MEMBER_QUESTIONS_H

#include "cluster/member/phc_state.h"

/* A message that phx_question_is_meant() names. */
void phx_questions_receive(phc *member, const void *bytes, size_t size);
/* A round begins: a question whose answer the host has taken ends, one that all have answered is told. */
void phx_questions_begin_round(phc *member);
/* Asks each node that has not answered. `again`: also the ones that were asked before. */
void phx_questions_send(phc *member, bool again);

#endif

/*
 * The entities and peers of a halo by id. Used by the halo, on the thread that ticks the world.
 */
#ifndef PHX_CLUSTER_HALO_HALO_TABLE_H
#define PHX_CLUSTER_HALO_HALO_TABLE_H

#include "cluster/halo/halo_state.h"

/* NULL: not known. Good until the next add or remove. */
phx_halo_entity *phx_halo_find(const phx_halo *halo, uint64_t id);
/* The rest of a copy, beside its entity; good until then too. */
phx_halo_remote *phx_halo_remote_of(const phx_halo *halo, const phx_halo_entity *entity);
/* Room for so many more of each kind; a copy may be one on its way. false: no memory. */
bool phx_halo_reserve_own(phx_halo *halo, uint32_t more);
bool phx_halo_reserve_copies(phx_halo *halo, uint32_t more);
/* The id is not known; room was reserved. */
phx_halo_entity *phx_halo_add(phx_halo *halo, phx_halo_entity entity);
/* ... and the last command of the halo's producer has entered it. */
phx_halo_entity *phx_halo_add_entered(phx_halo *halo, phx_halo_entity entity);
void phx_halo_remove(phx_halo *halo, const phx_halo_entity *entity);
/* An own entity is a copy from now on, on its way; room for one was reserved. */
phx_halo_entity *phx_halo_disown(phx_halo *halo, phx_halo_entity *entity);
/*
 * Does the source of a copy tell of it still? One that has given the entity away does not, once its receiver has it;
 * and if that one gives it away as well before it is heard here, its copies on the way are newer. Only a whole tick
 * without the copy says so.
 */
bool phx_halo_is_repeated(const phx_halo *halo, const phx_halo_entity *copy);
/* Tries to make an entity remote that was handed over. */
void phx_halo_resign(phx_halo *halo, phx_halo_entity *entity);
/* With these attributes it is seen from beyond the width. */
static inline bool phx_halo_is_far(const phx_halo *halo, const ph_attrs *attrs)
{
    return attrs->global || attrs->reach > halo->def.reach;
}

/* NULL: it was never heard, or is forgotten. */
phx_halo_peer *phx_halo_peer_find(const phx_halo *halo, uint64_t registration);
/* Makes it, if it is not there. NULL: no memory. */
phx_halo_peer *phx_halo_peer_of(phx_halo *halo, uint64_t registration);
/*
 * So many own ticks have passed since the peer was heard, or, if these are more, since the state in its copies was of
 * its present: never less. All messages of its newest whole tick were written behind the end of the own tick
 * `echoed`, whatever their way and its ticks took, and the own ones behind that tick have passed since. The peer had
 * to hear of that tick: so it may be more by the way there, and by the tick of the peer that it waited for. Of two
 * ways of which one is slow the slow one can not be known: both nodes take it for theirs.
 */
uint64_t phx_halo_lag(const phx_halo *halo, const phx_halo_peer *peer);
/* The world had no room for the copy, or for a change of it: its source's tick is not here whole, and its lag rises. */
void phx_halo_note_lack(phx_halo *halo, const phx_halo_entity *copy);
/*
 * A new copy of that source is left out, as places are kept (phx_halo.keeps_places): as if the world had refused it. So
 * its tick comes whole, and is known as a lack behind the own tick alone.
 */
void phx_halo_leave_out(phx_halo *halo, uint64_t source);
/*
 * A tick of the world has passed, and its refusals are known. !all_taken: commands may wait in their queue, so the lag
 * counts from before them.
 */
void phx_halo_end_tick(phx_halo *halo, bool all_taken);
/* The entity of that stay has left its world, here or elsewhere; without memory a peer's late word may bring it back.
 */
void phx_halo_note_ended(phx_halo *halo, uint64_t id, uint32_t stay);
/* Those that are the node's peers no more. */
void phx_halo_forget_peers(phx_halo *halo);
/* Counts a command that the producer did not take; false: that one. */
bool phx_halo_note_taken(phx_halo *halo, ph_status status);
/* A copy leaves the world and the table. false: there was no room for the command. */
bool phx_halo_drop_copy(phx_halo *halo, const phx_halo_entity *copy);

#endif

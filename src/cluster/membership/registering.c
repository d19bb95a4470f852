/*
 * The write of a process's key; see registering.h.
 */
#include "cluster/membership/registering.h"

#include <stdio.h>

#include "base/rng.h"
#include "cluster/membership/adoption.h"
#include "cluster/membership/listed.h"
#include "cluster/membership/proposal.h"
#include "cluster/membership/registration.h"

/*
 * So many free numbers it leaves to others. A few that begin together have the lowest ones; of many each lost number
 * doubles the ones that it takes the next one of, so that not all of them try the same: 64 tried 2,016 times in vain.
 */
static uint32_t count_passed(const phx_membership *membership)
{
    enum { FEW = 3, BITS_MAX = 6 };
    const uint32_t lost = membership->numbers_lost, bits = lost > FEW ? lost - FEW : 0;
    return (uint32_t)(phx_mix64(membership->lease ^ lost) & ((1u << (bits < BITS_MAX ? bits : BITS_MAX)) - 1));
}

void phx_registering_write(phx_membership *membership)
{
    unsigned char bytes[PHX_REGISTRATION_BYTES];
    char key[PHC_KEY_MAX + 1];
    const phc_store *store = &membership->def.store;
    const phx_member *self = &membership->node->def.member;
    const bool asks = membership->phase == PHX_MEMBERSHIP_JOIN && membership->asks;
    const phx_listed *asking = asks ? phx_listed_own(membership) : NULL; /* the key that it is written over */
    const phx_registration own = {.formats = membership->node->def.formats,
                                  .gateway = membership->def.gateway,
                                  .asks = asks,
                                  .definition = membership->def.definition,
                                  .registration = self->registration,
                                  .version = asks ? membership->asked_version : membership->map.version};
    PHX_ASSERT(!asks || asking);
    if (self->registration != 0) membership->number = self->number;
    else if (membership->def.number == 0)
        membership->number = phx_proposal_number(membership, count_passed(membership));
    if (membership->number == 0) return;
    phx_registration_encode(&own, bytes);
    (void)snprintf(key, sizeof key, "%snodes/%u", membership->prefix, membership->number);
    membership->writes = store->cas(store->user, PHX_TAG_REGISTER, key, asking ? asking->revision : 0, bytes,
                                    sizeof bytes, membership->lease) == PH_OK;
}

void phx_registering_begin(phx_membership *membership)
{
    if (membership->phase == PHX_MEMBERSHIP_REGISTER && !membership->is_refused && !membership->writes &&
        membership->counts.lists > 0 && !phx_adoption_is_awaited(membership))
        phx_registering_write(membership);
}

/*
 * Many that begin at once all find the same number free, and one of them gets it. The others do not wait for a list to
 * say so: 64 took 64 lists. A key under the own lease is one of an earlier request: the next list has it.
 */
static void take_next_number(phx_membership *membership, const phc_answer *answer)
{
    const bool is_anothers = answer->count == 1 && answer->entries[0].lease != membership->lease;
    if (!is_anothers || membership->def.number != 0) return;
    phx_number_set_add(&membership->numbers, membership->number);
    membership->numbers_lost++;
    phx_registering_begin(membership);
}

void phx_registering_hear(phx_membership *membership, const phc_answer *answer)
{
    membership->writes = false;
    if (answer->outcome == PHC_CHANGED) take_next_number(membership, answer);
    if (answer->outcome != PHC_DONE) return;
    if (membership->phase == PHX_MEMBERSHIP_JOIN) membership->list_at = membership->now; /* others ask as well */
    if (membership->phase != PHX_MEMBERSHIP_REGISTER) return;
    const uint64_t registration = phx_registration_at(answer->revision, membership->lease);
    phx_node_register(membership->node, registration, membership->number);
    membership->phase = PHX_MEMBERSHIP_JOIN;
}

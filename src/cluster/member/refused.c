/*
 * Refused commands; see refused.h. A copy that is not in the world is forgotten: the next message of its owner enters
 * it anew.
 */
#include "cluster/member/refused.h"

#include "cluster/halo/halo_table.h"
#include "cluster/member/arrivals.h"
#include "cluster/member/reports.h"
#include "cluster/node/hand_over.h"

enum { REFUSALS_AT_ONCE = 64 };

/* A new own entity is not in the world: it is not held any more. */
static void refuse_own(phc *member, const phx_halo_entity *entity, ph_status why)
{
    const phc_event event = {.kind = PHC_EVENT_LOST, .status = why, .id = entity->id, .reason = ""};
    phx_halo_remove(&member->halo, entity);
    (void)phx_hand_over_leave(&member->node, event.id); /* PH_PENDING: it was never exported, so it is not on its way */
    (void)phx_report(member, &event);
}

static void refuse_enter(phc *member, const ph_refusal *refusal)
{
    const phx_halo_entity *entity = phx_halo_find(&member->halo, refusal->id);
    if (!entity || (entity->own && phx_arrivals_have(member, refusal->id))) return; /* of its copy, which came before */
    if (entity->own) refuse_own(member, entity, refusal->status);
    else phx_halo_remove(&member->halo, entity);
}

static void refuse_change(phc *member, const ph_refusal *refusal)
{
    phx_halo_entity *entity = phx_halo_find(&member->halo, refusal->id);
    if (!entity || entity->own) return;
    if (refusal->status == PH_UNKNOWN_ID) phx_halo_remove(&member->halo, entity);
    else if (refusal->command == PH_COMMAND_SET) entity->attrs.user_data ^= 1; /* differs from any copy: set again */
}

static void take_refusal(phc *member, const ph_refusal *refusal)
{
    member->halo.counts.refused++;
    switch ((ph_command)refusal->command) {
    case PH_COMMAND_ENTER:
        refuse_enter(member, refusal);
        break;
    case PH_COMMAND_IMPORT:
        phx_arrivals_refuse(member, refusal->id);
        break;
    case PH_COMMAND_SET:
    case PH_COMMAND_MOVE:
        refuse_change(member, refusal);
        break;
    default:
        break;
    }
}

void phx_refused_mend(phc *member)
{
    ph_refusal refusals[REFUSALS_AT_ONCE];
    uint32_t count = 0;
    do {
        const ph_status status = ph_producer_refusals(member->producer, refusals, REFUSALS_AT_ONCE, &count);
        if (status != PH_OK) return; /* the host has destroyed the world */
        for (uint32_t i = 0; i < count; i++) take_refusal(member, &refusals[i]);
    } while (count == REFUSALS_AT_ONCE);
}

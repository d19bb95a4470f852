/*
 * Refused commands; see refused.h. A copy that is not in the world is forgotten: the next message of its owner enters
 * it anew. More refusals than the world's refusals_max are told by their number alone, but for the ones of imports, of
 * which up to 2^20 may wait: then all else that is known is compared with the world. So are the own ones that a look of
 * the halo has missed: the host may let one leave without phc_leave().
 */
#include "cluster/member/refused.h"

#include "cluster/halo/halo_table.h"
#include "cluster/member/kept_arrivals.h"
#include "cluster/member/reports.h"
#include "cluster/node/hand_over.h"

/* Twice: entities that the host enters behind ph_tick() are in the world one tick later. */
enum { REFUSALS_AT_ONCE = 64, AUDITS = 2 };

/* ---- one entity ---- */

static bool is_for_room(ph_status why)
{
    return why == PH_CAPACITY || why == PH_NO_MEMORY;
}

/* A new own entity is not in the world: it is not held any more, once there is memory to tell the host. */
static void refuse_own(phc *member, phx_halo_entity *entity, ph_status why)
{
    const phc_event event = {.kind = PHC_EVENT_LOST, .status = why, .id = entity->id, .reason = ""};
    if (!phx_report(member, &event)) {
        entity->refused = (uint8_t)why;
        member->untold_count++;
        return;
    }
    phx_halo_remove(&member->halo, entity);
    (void)phx_hand_over_leave(&member->node, event.id); /* PH_PENDING: its holding is another one's, of the same id */
}

static void refuse_enter(phc *member, const ph_refusal *refusal)
{
    phx_halo_entity *entity = phx_halo_find(&member->halo, refusal->id);
    if (!entity || entity->entered != refusal->sequence) return; /* of one with its id before, which is known no more */
    if (entity->own) {
        refuse_own(member, entity, refusal->status);
        return;
    }
    if (is_for_room(refusal->status)) phx_halo_note_lack(&member->halo, entity);
    phx_halo_remove(&member->halo, entity);
}

/* The attributes differ from any copy: they are set again. */
static void set_again(phc *member, const phx_halo_entity *entity)
{
    phx_halo_remote_of(&member->halo, entity)->attrs.user_data ^= 1;
}

static void refuse_change(phc *member, const ph_refusal *refusal)
{
    phx_halo_entity *entity = phx_halo_find(&member->halo, refusal->id);
    if (!entity || entity->own || refusal->sequence < entity->entered) return;
    if (refusal->status == PH_UNKNOWN_ID) {
        phx_halo_remove(&member->halo, entity);
        return;
    }
    const bool is_attached = refusal->status == PH_ATTACHED; /* by the host; if that stays, so does the refusal */
    const bool is_short = is_for_room(refusal->status);
    if (is_attached && ph_detach(member->producer, refusal->id) != PH_OK) member->halo.counts.refused++;
    if (is_short) phx_halo_note_lack(&member->halo, entity);
    if (is_attached || is_short || refusal->command == PH_COMMAND_SET) set_again(member, entity);
}

static void take_refusal(phc *member, const ph_refusal *refusal)
{
    member->halo.counts.refused += refusal->command != PH_COMMAND_UNHIDE;
    switch ((ph_command)refusal->command) {
    case PH_COMMAND_ENTER:
        refuse_enter(member, refusal);
        break;
    case PH_COMMAND_IMPORT:
        phx_arrivals_refuse(member, refusal->id, refusal->sequence, refusal->status);
        break;
    case PH_COMMAND_UNHIDE: /* of no other call */
        phx_arrivals_answer(member, refusal->sequence);
        break;
    case PH_COMMAND_SET:
    case PH_COMMAND_MOVE:
        refuse_change(member, refusal);
        break;
    case PH_COMMAND_BROADCAST:
    case PH_COMMAND_BROADCAST_AT:
        member->halo.counts.says_lost++;
        member->counts.says_submitted -= member->counts.says_submitted > 0;
        break;
    default:
        break;
    }
}

static void take_refusals(phc *member)
{
    ph_refusal refusals[REFUSALS_AT_ONCE];
    uint32_t count = 0;
    do {
        const ph_status status = ph_producer_refusals(member->producer, refusals, REFUSALS_AT_ONCE, &count);
        if (status != PH_OK) return; /* the host has destroyed the world */
        for (uint32_t i = 0; i < count; i++) take_refusal(member, &refusals[i]);
    } while (count == REFUSALS_AT_ONCE);
}

/* ---- all entities ---- */

static void audit_copy(phc *member, phx_halo_entity *entity, bool is_here, const ph_attrs *attrs)
{
    if (!is_here) {
        phx_halo_note_lack(&member->halo, entity); /* as others of that tick were refused, and not told */
        phx_halo_remove(&member->halo, entity);
    } else if (!attrs->remote) entity->resigns = true;
    else set_again(member, entity);
}

static void audit_entity(phc *member, phx_halo_entity *entity)
{
    ph_attrs attrs;
    const bool is_here = ph_entity_get(member->world, entity->id, &attrs) == PH_OK;
    if (!entity->own) audit_copy(member, entity, is_here, &attrs);
    else if (!is_here && entity->refused == PH_OK && entity->heard_tick < member->halo.now && !entity->yields &&
             !phx_arrivals_have(member, entity->id))
        refuse_own(member, entity, PH_UNKNOWN_ID);
}

static void audit_world(phc *member)
{
    for (uint32_t i = member->halo.entity_count; i-- > 0;) audit_entity(member, &member->halo.entities[i]);
}

/* Where the host has let one leave it has mostly let others leave: then all own ones are looked for. */
static void audit_missed(phc *member)
{
    phx_halo *halo = &member->halo;
    const uint32_t known = halo->entity_count;
    for (uint32_t i = 0; i < halo->missed.count; i++) {
        phx_halo_entity *entity = phx_halo_find(halo, halo->missed.items[i]);
        if (entity && entity->own) audit_entity(member, entity);
    }
    halo->missed.count = 0;
    if (halo->entity_count == known) return;
    for (uint32_t i = halo->entity_count; i-- > halo->copy_count;) audit_entity(member, &halo->entities[i]);
}

static void tell_again(phc *member)
{
    member->untold_count = 0;
    for (uint32_t i = member->halo.entity_count; i-- > 0;) {
        phx_halo_entity *entity = &member->halo.entities[i];
        if (entity->own && entity->refused != PH_OK) refuse_own(member, entity, (ph_status)entity->refused);
    }
}

void phx_refused_mend(phc *member, const ph_stats *stats, bool all_taken)
{
    if (member->untold_count > 0) tell_again(member);
    take_refusals(member);
    member->counts.says_taken += member->counts.says_submitted;
    member->counts.says_submitted = 0;
    if (stats->refusals_untold != member->refusals_untold) member->audits = AUDITS;
    member->refusals_untold = stats->refusals_untold;
    if (!all_taken) return; /* what is in a queue still is not in the world, and not refused */
    audit_missed(member);
    if (member->audits == 0) return;
    member->audits--;
    audit_world(member);
}

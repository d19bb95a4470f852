/*
 * The rounds of a member: phc_tick() before a tick of its world, phc_told() behind it; see cluster.h.
 */
#include "cluster/halo/halo.h"
#include "cluster/member/arrivals.h"
#include "cluster/member/courier.h"
#include "cluster/member/kept_arrivals.h"
#include "cluster/member/leavers.h"
#include "cluster/member/load.h"
#include "cluster/member/phc_clock.h"
#include "cluster/member/questions.h"
#include "cluster/member/refused.h"
#include "cluster/member/reports.h"
#include "cluster/membership/membership.h"
#include "cluster/node/map_barrier.h"

ph_status phc_tick(phc *member)
{
    if (!member) return PH_BAD_ARGUMENT;
    const uint64_t now = member->now = phx_phc_now(member);
    member->counts.rounds++;
    if (!member->def.gateway) phx_load_begin_round(member);
    phx_membership_tick(&member->membership, now);
    phx_courier_receive(member);
    phx_map_barrier_begin(&member->node, now);
    if (!member->def.gateway && !member->node.fenced) {
        phx_questions_begin_round(member);
        phx_halo_begin_tick(&member->halo); /* a copy that leaves now is no source of a broadcast any more */
        phx_arrivals_take(member);
    }
    phx_report_map(member);
    phx_report_state(member);
    return member->membership.phase == PHX_MEMBERSHIP_ENDED ? PH_BUSY : PH_OK;
}

/* false: a tick is half way, so that the world can not be read, and no command's fate is known. */
static bool end_tick(phc *member)
{
    ph_stats stats;
    if (ph_world_stats(member->world, &stats) != PH_OK) return false;
    if (stats.ticks == member->world_tick) return true; /* none since */
    member->world_tick = stats.ticks;
    phx_refused_mend(member, &stats);
    phx_arrivals_end_tick(member);
    return true;
}

ph_status phc_told(phc *member)
{
    if (!member) return PH_BAD_ARGUMENT;
    if (!member->def.gateway && !member->node.fenced && end_tick(member)) {
        phx_leavers_find(member);
        phx_courier_send_halo(member);
        phx_leavers_send(member);
    }
    phx_courier_send_channel(member);
    if (!member->def.gateway && !member->node.fenced) phx_load_end_round(member);
    return member->membership.phase == PHX_MEMBERSHIP_ENDED ? PH_BUSY : PH_OK;
}

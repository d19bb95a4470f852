/*
 * The rounds of a member: phc_tick() before a tick of its world, phc_told() behind it; see cluster.h.
 */
#include "cluster/halo/halo.h"
#include "cluster/halo/halo_table.h"
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

/* Arrivals of earlier rounds: they come before new copies, which may fill a small producer in each round. */
static bool has_waiting(const phc *member)
{
    return !member->def.gateway && !member->node.fenced && (member->node.events.count > 0 || member->refused_count > 0);
}

/*
 * The lease, the map and the fence change in phc_tick() alone. One that has run out stays so, though the host's clock
 * may go back: other threads read it as it is.
 */
static void publish_lease(phc *member)
{
    const uint64_t until = member->def.gateway ? 0 : phx_node_saves_until(&member->node);
    atomic_store_explicit(&member->commit_until, until > member->now ? until : 0, memory_order_relaxed);
}

ph_status phc_tick(phc *member)
{
    if (!member) return PH_BAD_ARGUMENT;
    const uint64_t now = member->now = phx_phc_now(member);
    if (!member->def.gateway) {
        uint32_t shards; /* no shard is read: the answer alone counts */
        member->is_half_way = ph_world_shard_stats(member->world, NULL, 0, &shards) != PH_OK;
        phx_load_begin_round(member);
    }
    phx_membership_tick(&member->membership, now);
    publish_lease(member);
    if (!member->def.gateway && !member->node.fenced) phx_halo_try_again(&member->halo);
    if (has_waiting(member)) phx_arrivals_take(member);
    member->node.host_is_full = !phx_reports_reserve(member, 0);
    phx_courier_receive(member);
    phx_map_barrier_begin(&member->node, now);
    if (!member->def.gateway && !member->node.fenced) {
        phx_questions_begin_round(member);
        phx_halo_begin_tick(&member->halo); /* a copy that leaves now is no source of a broadcast any more */
        phx_arrivals_take(member);
        phx_arrivals_ask(member);
    }
    phx_report_map(member);
    phx_report_state(member);
    return phx_phc_is_over(member) ? PH_FENCED : PH_OK;
}

/*
 * Has the tick taken all commands of this member? One that was half way as the round began has none of the round, and
 * one that was finished without memory may have left some. Then they are in their queue, and a later tick has them.
 */
static bool has_taken_all(phc *member, const ph_stats *stats)
{
    const bool was_short = stats->ticks_short != member->ticks_short;
    member->ticks_short = stats->ticks_short;
    return stats->queued == 0 || (!was_short && !member->is_half_way);
}

/* false: a tick is half way, so that the world can not be read, and no command's fate is known. */
static bool end_tick(phc *member)
{
    ph_stats stats;
    if (ph_world_stats(member->world, &stats) != PH_OK) return false;
    if (stats.ticks == member->world_tick) return true; /* none since */
    member->world_tick = stats.ticks;
    const bool all_taken = has_taken_all(member, &stats);
    phx_refused_mend(member, &stats, all_taken);
    phx_halo_end_tick(&member->halo, all_taken);
    phx_arrivals_end_tick(member, stats.entities, all_taken);
    return true;
}

/*
 * Entities that wait for the world may stand in regions that this node has lost meanwhile: these are not settled. But a
 * world that is full for long would stay so, as copies near these regions are in it: then they come without neighbours.
 */
static void note_waits(phc *member)
{
    phx_halo *halo = &member->halo;
    const bool waits = member->node.events.count > 0 || member->arrivals.count > 0;
    if (!waits) halo->waits_since = 0;
    else if (halo->waits_since == 0) halo->waits_since = halo->now;
    const bool is_held = waits && halo->now - halo->waits_since <= halo->def.quiet_ticks;
    if (!is_held) halo->waits_version = UINT32_MAX;
    else if (halo->waits_version == UINT32_MAX) halo->waits_version = member->node.map.moved - 1;
}

ph_status phc_told(phc *member)
{
    if (!member) return PH_BAD_ARGUMENT;
    if (!member->def.gateway && !member->node.fenced && end_tick(member)) {
        phx_leavers_find(member);
        note_waits(member);
        phx_courier_send_halo(member);
        phx_leavers_send(member);
    }
    phx_courier_send_channel(member);
    if (!member->def.gateway && !member->node.fenced) phx_load_end_round(member);
    return phx_phc_is_over(member) ? PH_FENCED : PH_OK;
}

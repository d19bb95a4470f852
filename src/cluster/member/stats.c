/*
 * phc_stats_get(): the numbers of a member. On the thread that ticks the world.
 */
#include "cluster/halo/halo_table.h"
#include "cluster/member/courier.h"
#include "cluster/member/phc_clock.h"
#include "cluster/node/transit.h"

static void count_map(const phc *member, phc_stats *stats)
{
    const phx_cluster_map *map = &member->node.map;
    const phx_member *balancer = phx_cluster_map_member(map, member->membership.balancer.registration);
    stats->map_version = map->version;
    stats->balancer = balancer ? balancer->number : 0;
    for (uint32_t i = 0; i < map->member_count; i++) stats->nodes += !map->members[i].gateway;
    stats->regions = member->node.own_regions;
}

static void count_entities(const phc *member, uint64_t now, phc_stats *stats)
{
    const phx_node *node = &member->node;
    stats->transit = node->transit;
    stats->own = node->holdings.count - node->transit;
    stats->transit_oldest_ns = (uint64_t)phx_transit_of(node, now).oldest_ms * PHX_NODE_NS_IN_MS;
    if (node->fenced) return;
    stats->remote = member->halo.copy_count;
    stats->far = member->halo.far.count;
    stats->waiting = member->refused_count + node->events.count;
}

/* A member that is fenced waits for nothing any more. */
static void count_waits(const phc *member, uint64_t now, phc_stats *stats)
{
    const phx_node *node = &member->node;
    const uint64_t asked = member->membership.proven_asked;
    stats->lease_ns = node->proven_until > now ? node->proven_until - now : 0;
    stats->renew_age_ns = asked > 0 ? now - asked : 0;
    stats->barrier_ns = node->at_barrier && !node->fenced ? now - node->barrier_since : 0;
    stats->barriers = node->counts.barriers;
    stats->barriers_ns = node->counts.barriers_ns;
}

static void count_answers(const phc *member, phc_stats *stats)
{
    for (uint32_t i = 0; i < PHC_REQUESTS; i++) {
        const phx_store_time *time = &member->membership.times[i];
        stats->answers[i] = time->count;
        stats->answers_failed[i] = time->failed;
        stats->answers_ns[i] = time->total_ns;
        stats->answer_ns[i] = time->last_ns;
    }
}

static void count_lag(const phc *member, phc_stats *stats)
{
    for (uint32_t i = 0; i < member->halo.peer_count; i++) {
        const phx_halo_peer *peer = &member->halo.peers[i];
        const uint64_t ticks = phx_halo_lag(&member->halo, peer);
        if (phx_cluster_map_member(&member->node.map, peer->registration) && ticks > stats->lag_ticks)
            stats->lag_ticks = ticks;
    }
}

static void count_work(const phc *member, phc_stats *stats)
{
    const phx_halo_counts *halo = &member->halo.counts;
    const phx_node_counts *node = &member->node.counts;
    stats->copies_in = halo->copies_in;
    stats->copies_out = halo->copies_out;
    stats->halo_bytes_in = halo->bytes_in;
    stats->halo_bytes_out = halo->bytes_out;
    stats->expired = halo->expired;
    stats->handed = node->acked;
    stats->gained = node->gained;
    stats->restored = member->counts.restored;
    stats->duplicates = member->counts.duplicates;
    stats->double_ids = member->counts.doubled;
    memcpy(stats->kept, member->counts.kept, sizeof member->counts.kept);
    stats->broadcasts_in = member->counts.says_taken;
    stats->broadcasts_out = node->said;
    stats->broadcasts_lost = node->unsaid + node->overtaken + halo->says_lost;
    stats->halo_exceeded = halo->exceeded;
    stats->speed_exceeded = halo->raced;
    stats->unsent = member->counts.unsent;
    stats->events = member->events.count;
    stats->events_full = member->counts.events_full;
    stats->refused = halo->refused;
    stats->no_memory = halo->no_memory + node->no_memory;
}

static void count_halo_dropped(const phx_halo_counts *halo, uint64_t dropped[PHC_HALO_DROPS])
{
    dropped[PHC_HALO_DAMAGED] = halo->flawed[PHX_WIRE_BAD_SUM];
    dropped[PHC_HALO_FOREIGN] = halo->flawed[PHX_WIRE_BAD_FORMAT];
    dropped[PHC_HALO_FLAWED] = halo->flawed[PHX_WIRE_BAD_HEAD] + halo->flawed[PHX_WIRE_BAD_ITEM];
    dropped[PHC_HALO_FENCED] = halo->fenced;
    dropped[PHC_HALO_MISDIRECTED] = halo->misdirected;
    dropped[PHC_HALO_LATE] = halo->late;
    dropped[PHC_HALO_AHEAD] = halo->ahead;
    dropped[PHC_HALO_NO_MEMORY] = halo->unplaced;
}

static void count_dropped(const phc *member, phc_stats *stats)
{
    const phx_node_counts *node = &member->node.counts;
    stats->dropped = node->fenced + node->misdirected + node->early + node->impossible +
                     member->counts.flawed_questions + member->counts.damaged;
    for (uint32_t i = 0; i <= PHX_WIRE_BAD_ITEM; i++) stats->dropped += node->flawed[i];
    count_halo_dropped(&member->halo.counts, stats->halo_dropped);
    for (uint32_t i = 0; i < PHC_HALO_DROPS; i++) stats->dropped += stats->halo_dropped[i];
}

/* The ways out, as they count themselves. */
static void count_servers(const phc *member, phc_stats *stats)
{
    const phc_store *store = &member->membership.def.store;
    stats->transport = phx_courier_state(member);
    if (store->state) store->state(store->user, &stats->store);
}

ph_status phc_stats_get(const phc *member, phc_stats *stats)
{
    if (!member || !stats) return PH_BAD_ARGUMENT;
    const uint64_t now = phx_phc_now(member);
    *stats = (phc_stats){.lists = member->membership.counts.lists,
                         .failed = member->membership.counts.failed,
                         .returned = member->membership.counts.returned,
                         .members_joined = member->node.counts.joined,
                         .members_left = member->node.counts.left,
                         .put_out = member->membership.counts.put_out,
                         .adopted = member->membership.counts.adopted,
                         .balanced = member->membership.counts.balanced,
                         .flawed_reports = member->membership.counts.flawed_reports,
                         .fenced = member->node.fenced || member->membership.phase == PHX_MEMBERSHIP_ENDED};
    memcpy(stats->failed_reason, member->membership.failed_reason, sizeof stats->failed_reason);
    count_map(member, stats);
    count_entities(member, now, stats);
    count_waits(member, now, stats);
    count_answers(member, stats);
    count_lag(member, stats);
    count_work(member, stats);
    count_dropped(member, stats);
    count_servers(member, stats);
    return PH_OK;
}

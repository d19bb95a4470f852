/*
 * phc_stats_get(), and phc_prometheus(): the numbers of a member, also as text. On the thread that ticks the world.
 */
#include <stddef.h>
#include <stdio.h>

#include "base/metrics_text.h"
#include "cluster/halo/halo_table.h"
#include "cluster/member/phc_clock.h"

/* ---- numbers ---- */

static void count_map(const phc *member, phc_stats *stats)
{
    const phx_cluster_map *map = &member->node.map;
    const phx_member *balancer = phx_cluster_map_member(map, member->membership.balancer.registration);
    stats->map_version = map->version;
    stats->balancer = balancer ? balancer->number : 0;
    for (uint32_t i = 0; i < map->member_count; i++) stats->nodes += !map->members[i].gateway;
    for (uint32_t i = 0; i < map->region_count; i++)
        stats->regions += map->regions[i].number == member->node.def.member.number;
}

static void count_entities(const phc *member, uint64_t now, phc_stats *stats)
{
    const phx_node *node = &member->node;
    uint32_t oldest_ms = 0;
    for (uint32_t i = 0; i < node->holdings.count; i++) {
        const phx_holding *holding = &node->holdings.items[i];
        if (!holding->sending) continue;
        const uint32_t age_ms = (uint32_t)(now / PHX_NODE_NS_IN_MS) - holding->sent_ms;
        stats->transit++;
        if (age_ms > oldest_ms) oldest_ms = age_ms;
    }
    stats->own = node->holdings.count - stats->transit;
    stats->transit_oldest_ns = (uint64_t)oldest_ms * PHX_NODE_NS_IN_MS;
    if (node->fenced) return;
    stats->remote = member->halo.copy_count;
    stats->far = member->halo.far.count;
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

ph_status phc_stats_get(const phc *member, phc_stats *stats)
{
    if (!member || !stats) return PH_BAD_ARGUMENT;
    const uint64_t now = phx_phc_now(member);
    *stats = (phc_stats){.lists = member->membership.counts.lists,
                         .failed = member->membership.counts.failed,
                         .put_out = member->membership.counts.put_out,
                         .adopted = member->membership.counts.adopted,
                         .balanced = member->membership.counts.balanced,
                         .flawed_reports = member->membership.counts.flawed_reports,
                         .fenced = member->node.fenced || member->membership.phase == PHX_MEMBERSHIP_ENDED};
    count_map(member, stats);
    count_entities(member, now, stats);
    count_waits(member, now, stats);
    count_answers(member, stats);
    count_lag(member, stats);
    count_work(member, stats);
    count_dropped(member, stats);
    return PH_OK;
}

/* ---- text ---- */

#define METRIC(type, field, name, help) PHX_METRIC(phc_stats, type, field, name, "", help)
#define DROP_METRIC(drop, reason) \
    PHX_METRIC(phc_stats, COUNTER, halo_dropped[drop], "halo_dropped_total", "reason=\"" reason "\"", \
               "Messages with copies that were dropped.")
#define ANSWER_METRIC(type, field, place, request, name, help) \
    PHX_METRIC(phc_stats, type, field[place], name, "request=\"" request "\"", help)
#define ANSWER_METRICS(type, field, name, help) \
    ANSWER_METRIC(type, field, PHC_REQUEST_LIST, "list", name, help), \
        ANSWER_METRIC(type, field, PHC_REQUEST_RENEWAL, "renewal", name, help), \
        ANSWER_METRIC(type, field, PHC_REQUEST_WRITE, "write", name, help)
static const phx_metric metrics[] = {
    METRIC(GAUGE, map_version, "map_version", "Version of the cluster map."),
    METRIC(GAUGE, nodes, "nodes", "Nodes of the map."),
    METRIC(GAUGE, regions, "regions", "Own regions."),
    METRIC(GAUGE, own, "own", "Own entities."),
    METRIC(GAUGE, remote, "remote", "Remote entities here."),
    METRIC(GAUGE, transit, "transit", "Entities on their way to another node."),
    METRIC(GAUGE_NS, transit_oldest_ns, "transit_oldest_seconds", "Time since the oldest of these was handed over."),
    METRIC(GAUGE, far, "far", "Entities that all nodes have, as they are seen from far."),
    METRIC(GAUGE, lag_ticks, "lag_ticks", "Ticks that remote entities may be old, of the node that is latest."),
    METRIC(GAUGE_NS, lease_ns, "lease_seconds", "Time that the lease is proven for."),
    METRIC(GAUGE_NS, renew_age_ns, "renew_age_seconds", "Time since the request that proved the lease last."),
    METRIC(GAUGE_NS, barrier_ns, "barrier_seconds", "Time that the map barrier is waited for; 0: it is passed."),
    METRIC(COUNTER, barriers, "barriers_total", "Map barriers that were waited for and passed."),
    METRIC(COUNTER_NS, barriers_ns, "barriers_seconds_total", "Time of these waits."),
    METRIC(COUNTER, copies_in, "copies_in_total", "Copies of entities that came from other nodes."),
    METRIC(COUNTER, copies_out, "copies_out_total", "Copies of entities that went to other nodes."),
    METRIC(COUNTER, halo_bytes_in, "halo_bytes_in_total", "Bytes of messages with copies that came and were taken."),
    METRIC(COUNTER, halo_bytes_out, "halo_bytes_out_total", "Bytes of messages with copies that went to other nodes."),
    DROP_METRIC(PHC_HALO_DAMAGED, "damaged"),
    DROP_METRIC(PHC_HALO_FOREIGN, "foreign"),
    DROP_METRIC(PHC_HALO_FLAWED, "flawed"),
    DROP_METRIC(PHC_HALO_FENCED, "fenced"),
    DROP_METRIC(PHC_HALO_MISDIRECTED, "misdirected"),
    DROP_METRIC(PHC_HALO_LATE, "late"),
    DROP_METRIC(PHC_HALO_AHEAD, "ahead"),
    DROP_METRIC(PHC_HALO_NO_MEMORY, "no_memory"),
    METRIC(COUNTER, expired, "expired_total", "Remote entities that were not repeated."),
    METRIC(COUNTER, handed, "handed_total", "Entities handed over to other nodes."),
    METRIC(COUNTER, gained, "gained_total", "Entities that came from other nodes."),
    METRIC(COUNTER, restored, "restored_total", "Entities taken back from dead nodes."),
    METRIC(COUNTER, duplicates, "duplicates_total", "Offered entities that were own already."),
    METRIC(COUNTER, double_ids, "double_ids_total", "Own entities that another node owned as well."),
    METRIC(COUNTER, dropped, "dropped_total", "Messages that were dropped."),
    METRIC(COUNTER, unsent, "unsent_total", "Messages that the transport did not take."),
    METRIC(COUNTER, refused, "refused_total", "Commands that were refused, and come again."),
    METRIC(COUNTER, no_memory, "no_memory_total", "Pieces of work put off for want of memory."),
    METRIC(COUNTER, lists, "lists_total", "Looks at the control store."),
    METRIC(COUNTER, failed, "store_failed_total", "Failed requests to the control store."),
    ANSWER_METRICS(COUNTER, answers, "store_answers_total", "Answers of the control store."),
    ANSWER_METRICS(COUNTER_NS, answers_ns, "store_answers_seconds_total", "Time of these answers, in whole rounds."),
    ANSWER_METRICS(GAUGE_NS, answer_ns, "store_answer_seconds", "Time of the last answer, in whole rounds."),
    METRIC(COUNTER, put_out, "put_out_total", "Members that this one put out."),
    METRIC(COUNTER, adopted, "adopted_total", "Maps that this one wrote into a store that had lost all."),
    METRIC(GAUGE, balancer, "balancer", "Number of the node that balances; 0: none."),
    METRIC(COUNTER, balanced, "balanced_total", "Regions that this one gave to another node by their loads."),
    METRIC(COUNTER, flawed_reports, "flawed_reports_total", "Reports of loads that were no node's; each time read."),
    METRIC(COUNTER, broadcasts_in, "broadcasts_in_total", "Broadcasts that came from other nodes."),
    METRIC(COUNTER, broadcasts_out, "broadcasts_out_total", "Broadcasts that went to other nodes."),
    METRIC(COUNTER, broadcasts_lost, "broadcasts_lost_total", "Broadcasts between nodes that were dropped."),
    METRIC(COUNTER, halo_exceeded, "halo_exceeded_total", "Looks at observers with a longer view than the halo."),
    METRIC(GAUGE, events, "events", "Events that wait for the host to take them."),
    METRIC(COUNTER, events_full, "events_full_total", "Times that an event waited, as the host takes none."),
    METRIC(GAUGE, fenced, "fenced", "1 once it is a member no more."),
};

static const phx_metric kept_metric =
    METRIC(COUNTER, kept, "kept_total", "Attempts to hand over that wait for a later tick, by reason.");

/* ---- other nodes ---- */

/* Of one other node. */
typedef struct peer_stats {
    uint64_t lag_ticks, transit, copies_in, copies_out, messages_in, messages_out, bytes_in, bytes_out;
} peer_stats;

#define PEER_METRIC(type, field, name, help) PHX_METRIC(peer_stats, type, field, name, "", help)
static const phx_metric peer_metrics[] = {
    PEER_METRIC(GAUGE, lag_ticks, "peer_lag_ticks", "Ticks that the entities of that node may be old."),
    PEER_METRIC(GAUGE, transit, "peer_transit", "Hand-overs to that node that it has not confirmed."),
    PEER_METRIC(COUNTER, copies_in, "peer_copies_in_total", "Copies of entities that came from that node."),
    PEER_METRIC(COUNTER, copies_out, "peer_copies_out_total", "Copies of entities that went to that node."),
    PEER_METRIC(COUNTER, messages_in, "peer_messages_in_total", "Messages with copies that came from that node."),
    PEER_METRIC(COUNTER, messages_out, "peer_messages_out_total", "Messages with copies that went to that node."),
    PEER_METRIC(COUNTER, bytes_in, "peer_halo_bytes_in_total", "Bytes of these that came and were taken."),
    PEER_METRIC(COUNTER, bytes_out, "peer_halo_bytes_out_total", "Bytes of these that went."),
};

static peer_stats count_peer(const phc *member, const phx_peer *peer)
{
    const phx_halo_peer *halo = phx_halo_peer_find(&member->halo, peer->member.registration);
    peer_stats stats = {.transit = peer->offers};
    if (!halo) return stats;
    stats.lag_ticks = phx_halo_lag(&member->halo, halo);
    stats.copies_in = halo->copies_in;
    stats.copies_out = halo->copies_out;
    stats.messages_in = halo->messages_in;
    stats.messages_out = halo->messages_out;
    stats.bytes_in = halo->bytes_in;
    stats.bytes_out = halo->bytes_out;
    return stats;
}

static void write_peer(phx_metrics_text *out, const phx_metric *row, const char *labels, const phc *member,
                       const phx_peer *peer)
{
    char more[sizeof "peer=\"65535\""];
    const peer_stats stats = count_peer(member, peer);
    (void)snprintf(more, sizeof more, "peer=\"%u\"", peer->member.number);
    phx_metrics_sample(out, row, labels, more, phx_metrics_field(&stats, row));
}

/* Nodes of the map: a number is there once. Gateways write no copies, and get none. */
static void write_peers(phx_metrics_text *out, const char *labels, const phc *member)
{
    const phx_node *node = &member->node;
    for (size_t i = 0; i < sizeof peer_metrics / sizeof *peer_metrics; i++) {
        bool opened = false;
        for (uint32_t k = 0; k < node->peer_count; k++) {
            const phx_peer *peer = &node->peers[k];
            if (peer->out || peer->member.gateway) continue;
            if (!opened) phx_metrics_head(out, &peer_metrics[i]);
            opened = true;
            write_peer(out, &peer_metrics[i], labels, member, peer);
        }
    }
}

ph_status phc_prometheus(const phc *member, char *text, size_t size, size_t *length)
{
    phc_stats stats;
    if (!length || (!text && size > 0)) return PH_BAD_ARGUMENT;
    const ph_status status = phc_stats_get(member, &stats);
    if (status != PH_OK) return status;
    char labels[sizeof "world=\"\"" + PHC_NAME_MAX];
    (void)snprintf(labels, sizeof labels, "world=\"%s\"", member->name);
    phx_metrics_text out = {.at = text, .size = size, .prefix = "pharos_cluster_"};
    phx_metrics_rows(&out, metrics, sizeof metrics / sizeof *metrics, labels, &stats);
    phx_metrics_head(&out, &kept_metric);
    phx_metrics_statuses(&out, &kept_metric, labels, stats.kept);
    if (!member->node.fenced && !member->def.gateway) write_peers(&out, labels, member);
    *length = phx_metrics_end(&out);
    return PH_OK;
}

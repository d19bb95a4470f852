/*
 * phc_prometheus(): the numbers of a member as text. On the thread that ticks the world.
 */
#include <stddef.h>
#include <stdio.h>

#include "base/metrics_text.h"
#include "cluster/halo/halo_table.h"
#include "cluster/member/phc_state.h"

#define METRIC(type, field, name, help) PHX_METRIC(phc_stats, type, field, name, "", help)
#define DROP_METRIC(drop, reason) \
    PHX_METRIC(phc_stats, COUNTER, halo_dropped[drop], "halo_dropped_total", "reason=\"" reason "\"", \
               "Messages with copies that were dropped.")
#define CONNECTED_METRIC(traffic, name) \
    PHX_METRIC(phc_stats, FLAG, transport.connected[traffic], "transport_connected", "traffic=\"" name "\"", \
               "1 while the transport has a connection for these messages.")
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
    CONNECTED_METRIC(PHC_HALO, "halo"),
    CONNECTED_METRIC(PHC_CHANNEL, "channel"),
    METRIC(COUNTER, transport.sent, "transport_sent_total", "Messages that the transport took."),
    METRIC(COUNTER, transport.received, "transport_received_total", "Messages that the transport gave."),
    METRIC(COUNTER, transport.dropped, "transport_dropped_total", "Messages that it took and dropped."),
    METRIC(COUNTER, transport.refused, "transport_refused_total", "Messages that it did not take."),
    METRIC(COUNTER, transport.overrun, "transport_overrun_total", "Messages that came while its queue was full."),
    METRIC(COUNTER, transport.reconnects, "transport_reconnects_total", "Connections that were lost and came back."),
    METRIC(COUNTER, refused, "refused_total", "Commands that were refused, and come again."),
    METRIC(COUNTER, no_memory, "no_memory_total", "Pieces of work put off for want of memory."),
    METRIC(COUNTER, lists, "lists_total", "Looks at the control store."),
    METRIC(COUNTER, failed, "store_failed_total", "Failed requests to the control store."),
    ANSWER_METRICS(COUNTER, answers, "store_answers_total", "Answers of the control store."),
    ANSWER_METRICS(COUNTER, answers_failed, "store_answers_failed_total", "Answers to requests that were not done."),
    ANSWER_METRICS(COUNTER_NS, answers_ns, "store_answers_seconds_total", "Time of these answers, in whole rounds."),
    ANSWER_METRICS(GAUGE_NS, answer_ns, "store_answer_seconds", "Time of the last answer, in whole rounds."),
    METRIC(COUNTER, store.attempts, "store_attempts_total", "Attempts of requests, each at one server of the store."),
    METRIC(COUNTER, store.failed, "store_attempts_failed_total", "Attempts without an answer, or with a refusal."),
    METRIC(COUNTER, store.connects, "store_connects_total", "Connections to the store that were opened."),
    METRIC(COUNTER, returned, "returned_total", "Times that it came back, behind the end of its lease."),
    METRIC(COUNTER, members_joined, "members_joined_total", "Other members that a map has had since."),
    METRIC(COUNTER, members_left, "members_left_total", "Other members that a later map had no more."),
    METRIC(COUNTER, put_out, "put_out_total", "Members that this one put out."),
    METRIC(COUNTER, adopted, "adopted_total", "Maps that this one wrote into a store that had lost all."),
    METRIC(GAUGE, balancer, "balancer", "Number of the node that balances; 0: none."),
    METRIC(COUNTER, balanced, "balanced_total", "Regions that this one gave to another node by their loads."),
    METRIC(COUNTER, flawed_reports, "flawed_reports_total", "Reports of loads that were no node's; each time read."),
    METRIC(COUNTER, broadcasts_in, "broadcasts_in_total", "Broadcasts that came from other nodes."),
    METRIC(COUNTER, broadcasts_out, "broadcasts_out_total", "Broadcasts that went to other nodes."),
    METRIC(COUNTER, broadcasts_lost, "broadcasts_lost_total", "Broadcasts between nodes that were dropped."),
    METRIC(COUNTER, halo_exceeded, "halo_exceeded_total", "Looks at observers with a longer view than the halo."),
    METRIC(COUNTER, speed_exceeded, "speed_exceeded_total", "Moves near this node by more than speed_max a tick."),
    METRIC(GAUGE, waiting, "waiting", "Families and single entities that came and wait for room in the world."),
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

/*
 * Lines about servers; see node_servers.h.
 */
#include "tools/node_servers.h"

#include <stdio.h>
#include <string.h>

/* PATIENCE_MS: longer than a process waits for an election of etcd; FAILURES: one request may fail for any reason;
 * UNCONNECTED: a broker that is started again is back before. */
enum { PATIENCE_MS = 10000, FAILURES = 3, UNCONNECTED = 3 };

static void say_trouble(const char *server, const char *what, const char *first, uint32_t count, const char *reason,
                        const char *outcome)
{
    fprintf(stderr, "pharos-node: %s: %s %s%s: %s; %s\n", server, what, first, count > 1 ? " and the others" : "",
            reason[0] != '\0' ? reason : "no answer yet, also from the resolver of names", outcome);
}

/* Without user and password. */
static const char *shown_server(const char *server)
{
    const char *at = strrchr(server, '@');
    return at ? at + 1 : server;
}

static void tell_nats(phx_node_servers *of, const phx_node_job *job, const phc_transport_state *state)
{
    const bool is_connected = state->connected[PHC_HALO] && state->connected[PHC_CHANNEL];
    of->unconnected = is_connected ? 0 : of->unconnected + 1;
    if (of->unconnected == UNCONNECTED)
        say_trouble("nats", "no connection to", shown_server(job->nats.servers[0]), job->nats.server_count,
                    state->reason, "it tries again");
}

static void tell_etcd(phx_node_servers *of, const phx_node_job *job, const phc_stats *stats, uint64_t ran_ms)
{
    if (stats->lists > 0 && !of->answers) of->failed = stats->failed; /* before, it was silent */
    of->answers = stats->lists > 0;
    const uint64_t failures = stats->failed - of->failed;
    bool *is_said = of->answers ? &of->refuses : &of->is_silent;
    if (*is_said || failures == 0 || (of->answers && (ran_ms < PATIENCE_MS || failures < FAILURES))) return;
    say_trouble("etcd", of->answers ? "no write by" : "no answer from", job->etcd.servers[0], job->etcd.server_count,
                stats->failed_reason, "no member yet, it asks again");
    *is_said = true;
}

void phx_node_servers_tell(phx_node_servers *of, const phx_node_job *job, const phc *member, uint64_t ran_ms)
{
    phc_stats stats;
    if (phc_stats_get(member, &stats) != PH_OK) return;
    tell_nats(of, job, &stats.transport);
    of->joined |= phc_number(member) != 0;
    if (!of->joined) tell_etcd(of, job, &stats, ran_ms);
}

uint64_t phx_node_servers_reconnects(const phc_transport *member, const phc_transport *feed)
{
    phc_transport_state state, feed_state = {0};
    member->state(member->user, &state);
    if (feed->state) feed->state(feed->user, &feed_state);
    return state.reconnects + feed_state.reconnects;
}

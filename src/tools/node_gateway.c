/*
 * States of walkers at a gateway; see node_gateway.h.
 */
#include "tools/node_gateway.h"

#include <string.h>

#include "tools/cli.h"
#include "tools/node_lines.h"

enum {
    NS_IN_MS = 1000000,
    MESSAGES_A_POLL = 256,
    MESSAGES_A_TICK = 4096 /* so that a flood does not hold a round up: the transport's queue is bounded */
};

ph_status phx_gateway_open(phx_node_gateway *gateway, const phx_node_host *host, const phc_transport *feed)
{
    *gateway = (phx_node_gateway){.host = host, .feed = *feed};
    gateway->walkers =
        phx_alloc_zero(host->mem, host->job->walkers * sizeof *gateway->walkers, _Alignof(phx_gateway_walker));
    return gateway->walkers ? PH_OK : PH_NO_MEMORY;
}

void phx_gateway_close(phx_node_gateway *gateway)
{
    if (!gateway->walkers) return;
    phx_free(gateway->host->mem, gateway->walkers, gateway->host->job->walkers * sizeof *gateway->walkers,
             _Alignof(phx_gateway_walker));
}

static void note_gap(phx_node_gateway *gateway, uint64_t gap_ms)
{
    if (gap_ms > gateway->counts.gap_ms) gateway->counts.gap_ms = gap_ms;
}

static void take_state(phx_node_gateway *gateway, const phx_walker_state *state, uint64_t now_ms)
{
    phx_gateway_walker *walker = &gateway->walkers[state->id - 1];
    const phx_walker_state was = walker->state;
    const uint64_t gap_ms = was.id != 0 ? now_ms - walker->heard_ms : 0;
    if (state->ownership < was.ownership || (state->ownership == was.ownership && state->steps < was.steps)) {
        gateway->counts.stale++;
        return;
    }
    *walker = (phx_gateway_walker){.state = *state, .heard_ms = now_ms};
    gateway->counts.seen += was.id == 0;
    note_gap(gateway, gap_ms);
    if (state->ownership != was.ownership) phx_line_seen(gateway->host, state, &was, gap_ms);
}

static void take_message(void *user, const char *subject, const void *bytes, size_t size)
{
    phx_node_gateway *gateway = user;
    phx_walker_state state;
    const uint64_t now_ms = phx_clock_ns() / NS_IN_MS;
    (void)subject;
    if (size == 0 || size % sizeof state != 0) gateway->counts.damaged++;
    for (size_t at = 0; at + sizeof state <= size; at += sizeof state) {
        memcpy(&state, (const char *)bytes + at, sizeof state);
        if (state.id >= 1 && state.id <= gateway->host->job->walkers) take_state(gateway, &state, now_ms);
        else gateway->counts.damaged++;
    }
}

void phx_gateway_hear(phx_node_gateway *gateway)
{
    const phc_transport *feed = &gateway->feed;
    char subject[PHC_SUBJECT_MAX + 1];
    phx_feed_subject(gateway->host->job, subject);
    if (!gateway->listens) gateway->listens = feed->listen(feed->user, PHC_HALO, subject) == PH_OK;
    uint32_t taken = 0, more = MESSAGES_A_POLL;
    for (; more == MESSAGES_A_POLL && taken < MESSAGES_A_TICK; taken += more)
        more = feed->poll(feed->user, MESSAGES_A_POLL, take_message, gateway);
    gateway->counts.full += more == MESSAGES_A_POLL;
}

void phx_gateway_tell_status(phx_node_gateway *gateway, const phx_node_ticks *ticks)
{
    const uint64_t now_ms = phx_clock_ns() / NS_IN_MS;
    for (uint32_t i = 0; i < gateway->host->job->walkers; i++)
        if (gateway->walkers[i].state.id != 0) note_gap(gateway, now_ms - gateway->walkers[i].heard_ms);
    phx_line_gateway(gateway->host, ticks, &gateway->counts);
    gateway->counts.gap_ms = 0;
}

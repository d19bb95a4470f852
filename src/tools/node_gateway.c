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
    MESSAGES_A_TICK = 4096, /* so that a flood does not hold a round up: the transport's queue is bounded */
    QUESTIONS_MAX = 1024    /* ids in a message; others in the next round */
};

ph_status phx_gateway_open(phx_node_gateway *gateway, const phx_node_host *host, const phc_transport *feed)
{
    *gateway = (phx_node_gateway){.host = host, .feed = *feed};
    gateway->walkers =
        phx_alloc_zero(host->mem, host->job->walkers * sizeof *gateway->walkers, _Alignof(phx_gateway_walker));
    if (!gateway->walkers) return PH_NO_MEMORY;
    phx_feed_subject(host->job, PHX_FEED_CHANGES, gateway->changes_subject);
    for (uint32_t i = 0; i < host->job->walkers; i++)
        gateway->walkers[i].client = (phx_client_feed){.mem = host->mem, .counts = &gateway->counts.clients};
    return PH_OK;
}

void phx_gateway_close(phx_node_gateway *gateway)
{
    if (!gateway->walkers) return;
    for (uint32_t i = 0; i < gateway->host->job->walkers; i++) phx_client_free(&gateway->walkers[i].client);
    phx_free(gateway->host->mem, gateway->walkers, gateway->host->job->walkers * sizeof *gateway->walkers,
             _Alignof(phx_gateway_walker));
}

static void note_gap(phx_node_gateway *gateway, uint64_t gap_ms)
{
    if (gap_ms > gateway->counts.gap_ms) gateway->counts.gap_ms = gap_ms;
}

static bool is_walker(const phx_node_gateway *gateway, uint64_t id)
{
    return id >= 1 && id <= gateway->host->job->walkers;
}

static void take_state(phx_node_gateway *gateway, const phx_walker_state *state, uint64_t now_ms)
{
    phx_gateway_walker *walker = &gateway->walkers[state->id - 1];
    const phx_walker_state was = walker->state;
    const bool is_first = walker->heard_ms == 0; /* also before the map was lost */
    const uint64_t gap_ms = is_first ? 0 : now_ms - walker->heard_ms;
    const phc_feed last = {.ownership = state->ownership, .begun = state->feed_begun, .number = state->feed_number};
    phx_client_hear_last(&walker->client, &last, now_ms);
    if (state->ownership < was.ownership || (state->ownership == was.ownership && state->steps < was.steps)) {
        gateway->counts.stale++;
        return;
    }
    walker->state = *state;
    walker->heard_ms = now_ms;
    gateway->counts.seen += is_first;
    note_gap(gateway, gap_ms);
    if (state->ownership != was.ownership) phx_line_seen(gateway->host, state, &was, gap_ms);
}

static void take_changes(phx_node_gateway *gateway, phx_reader *reader, uint64_t now_ms)
{
    phx_client_change change;
    while (phx_client_get_change(reader, &change)) {
        if (is_walker(gateway, change.observer))
            phx_client_take(&gateway->walkers[change.observer - 1].client, &change, now_ms);
        else gateway->counts.damaged++;
    }
}

static void take_states(phx_node_gateway *gateway, phx_reader *reader, uint64_t now_ms)
{
    phx_walker_state state;
    while (phx_client_get_state(reader, &state)) {
        if (is_walker(gateway, state.id)) take_state(gateway, &state, now_ms);
        else gateway->counts.damaged++;
    }
}

static void take_message(void *user, const char *subject, const void *bytes, size_t size)
{
    phx_node_gateway *gateway = user;
    phx_reader reader = phx_reader_of(bytes, size);
    const uint64_t now_ms = phx_clock_ns() / NS_IN_MS, source = phx_client_get_head(&reader);
    if (phx_feed_is_foreign(gateway->host, bytes, size, &gateway->counts.foreign)) return;
    if (source != 0 && !phc_hears(gateway->host->member, source)) {
        gateway->counts.fenced++;
        return;
    }
    if (strcmp(subject, gateway->changes_subject) == 0) take_changes(gateway, &reader, now_ms);
    else take_states(gateway, &reader, now_ms);
    gateway->counts.damaged += reader.failed;
}

static void begin_listening(phx_node_gateway *gateway)
{
    static const phx_feed_kind kinds[] = {PHX_FEED_STATES, PHX_FEED_CHANGES};
    const phc_transport *feed = &gateway->feed;
    char subject[PHC_SUBJECT_MAX + 1];
    while (gateway->listens < sizeof kinds / sizeof *kinds) {
        const phx_feed_kind kind = kinds[gateway->listens];
        phx_feed_subject(gateway->host->job, kind, subject);
        if (feed->listen(feed->user, phx_feed_traffic(kind), subject) != PH_OK) return; /* in the next round */
        gateway->listens++;
    }
}

/* Each walker once at most, as many as there is room for. */
static void put_questions(phx_node_gateway *gateway, phx_writer *writer)
{
    const uint32_t walkers = gateway->host->job->walkers;
    const uint64_t now_ms = phx_clock_ns() / NS_IN_MS;
    uint32_t place = gateway->next_asked;
    for (uint32_t i = 0; i < walkers && phx_writer_left(writer) > 0; i++) {
        if (phx_client_asks(&gateway->walkers[place].client, now_ms)) phx_client_put_id(writer, place + 1);
        place = place + 1 < walkers ? place + 1 : 0;
    }
    gateway->next_asked = place;
}

static void ask_owners(phx_node_gateway *gateway)
{
    unsigned char bytes[PHX_CLIENT_HEAD_BYTES + QUESTIONS_MAX * sizeof(uint64_t)];
    char subject[PHC_SUBJECT_MAX + 1];
    phx_writer writer = phx_writer_of(bytes, sizeof bytes);
    const uint64_t source = phc_registration(gateway->host->member);
    if (source == 0) return; /* no node hears it yet */
    phx_client_put_head(&writer, source);
    put_questions(gateway, &writer);
    if (writer.at == bytes + PHX_CLIENT_HEAD_BYTES) return;
    phx_feed_subject(gateway->host->job, PHX_FEED_QUESTIONS, subject);
    (void)gateway->feed.send(gateway->feed.user, phx_feed_traffic(PHX_FEED_QUESTIONS), subject, bytes,
                             (size_t)(writer.at - bytes));
}

/* Ownerships and feeds of a lost map are in no order with the ones of now; see phc_stats.map_version. */
static void follow_map(phx_node_gateway *gateway)
{
    phc_stats stats;
    if (phc_stats_get(gateway->host->member, &stats) != PH_OK || stats.map_version == 0) return;
    const bool is_lost = gateway->version != 0 && stats.map_version - gateway->version >= PHC_VERSIONS_LOST;
    for (uint32_t i = 0; i < gateway->host->job->walkers && is_lost; i++) {
        gateway->walkers[i].state = (phx_walker_state){0};
        phx_client_forget(&gateway->walkers[i].client);
    }
    gateway->version = stats.map_version;
}

void phx_gateway_hear(phx_node_gateway *gateway)
{
    const phc_transport *feed = &gateway->feed;
    follow_map(gateway);
    begin_listening(gateway);
    uint32_t taken = 0, more = MESSAGES_A_POLL;
    for (; more == MESSAGES_A_POLL && taken < MESSAGES_A_TICK; taken += more)
        more = feed->poll(feed->user, MESSAGES_A_POLL, take_message, gateway);
    gateway->counts.full += more == MESSAGES_A_POLL;
    ask_owners(gateway);
}

void phx_gateway_tell_status(phx_node_gateway *gateway, const phx_node_ticks *ticks)
{
    const uint64_t now_ms = phx_clock_ns() / NS_IN_MS;
    gateway->counts.listed = gateway->counts.list_sum = 0;
    for (uint32_t i = 0; i < gateway->host->job->walkers; i++) {
        const phx_gateway_walker *walker = &gateway->walkers[i];
        gateway->counts.listed += walker->client.count;
        gateway->counts.list_sum += phx_client_list_sum(i + 1, walker->client.ids, walker->client.count);
        if (walker->state.id != 0) note_gap(gateway, now_ms - walker->heard_ms);
    }
    phx_line_gateway(gateway->host, ticks, &gateway->counts);
    gateway->counts.gap_ms = 0;
}

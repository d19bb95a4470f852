/*
 * States of walkers to gateways; see node_feed.h.
 */
#include "tools/node_feed.h"

#include <stdio.h>

#include "tools/node_lines.h"

enum {
    QUESTIONS_A_TICK = 256, /* messages */
    IDS_A_CHANGE_MAX = (PHC_MESSAGE_MAX - PHX_CLIENT_HEAD_BYTES - PHX_CLIENT_CHANGE_BYTES) / sizeof(uint64_t)
};

void phx_feed_subject(const phx_node_job *job, phx_feed_kind kind, char subject[PHC_SUBJECT_MAX + 1])
{
    static const char *const words[] = {
        [PHX_FEED_STATES] = "walkers", [PHX_FEED_CHANGES] = "changes", [PHX_FEED_QUESTIONS] = "lists"};
    (void)snprintf(subject, PHC_SUBJECT_MAX + 1, "pharos-node.%s.%s", job->member.name, words[kind]);
}

/* ---- messages ---- */

bool phx_feed_is_foreign(const phx_node_host *host, const void *bytes, size_t size, uint64_t *count)
{
    const uint8_t format = phx_client_other_format(bytes, size);
    if (format == 0) return false;
    if ((*count)++ == 0) phx_line_other_format(host, format);
    return true;
}

static void send_message(const phx_node_host *host, phx_node_feed *feed, phx_feed_kind kind)
{
    char subject[PHC_SUBJECT_MAX + 1];
    if (feed->writer.at == feed->bytes) return;
    phx_feed_subject(host->job, kind, subject);
    (void)feed->transport.send(feed->transport.user, phx_feed_traffic(kind), subject, feed->bytes,
                               (size_t)(feed->writer.at - feed->bytes));
    feed->writer.at = feed->bytes;
}

/* Room for so many bytes in one message, with its head before them. */
static void make_room(const phx_node_host *host, phx_node_feed *feed, phx_feed_kind kind, size_t bytes)
{
    if (phx_writer_left(&feed->writer) < bytes) send_message(host, feed, kind);
    if (feed->writer.at == feed->bytes) phx_client_put_head(&feed->writer, phc_registration(host->member));
}

static void begin_messages(phx_node_feed *feed)
{
    feed->writer = phx_writer_of(feed->bytes, sizeof feed->bytes);
}

/* ---- questions ---- */

/* An answer goes to all gateways, so a tick needs one alone. */
static void answer_question(phx_node_host *host, uint64_t id)
{
    if (!phx_walker_of(host, id) || !phc_owns(host->member, id)) return;
    uint32_t *answered = &host->answered_in[id - 1];
    if (*answered == host->question_round) {
        host->counts.doubled++;
        return;
    }
    if (ph_resend(host->producer, id) != PH_OK) {
        host->counts.refused++;
        return;
    }
    *answered = host->question_round;
    host->counts.resent++;
}

static void take_questions(void *user, const char *subject, const void *bytes, size_t size)
{
    phx_node_host *host = user;
    phx_reader reader = phx_reader_of(bytes, size);
    uint64_t id;
    const uint64_t source = phx_client_get_head(&reader);
    (void)subject;
    if (phx_feed_is_foreign(host, bytes, size, &host->counts.foreign)) return;
    if (source != 0 && !phc_hears(host->member, source)) {
        host->counts.unheard++;
        return;
    }
    while (phx_client_get_id(&reader, &id)) answer_question(host, id);
    host->counts.unheard += reader.failed;
}

void phx_node_feed_hear(phx_node_host *host, phx_node_feed *feed)
{
    const phc_transport *transport = &feed->transport;
    char subject[PHC_SUBJECT_MAX + 1];
    phx_feed_subject(host->job, PHX_FEED_QUESTIONS, subject);
    if (!feed->listens)
        feed->listens = transport->listen(transport->user, phx_feed_traffic(PHX_FEED_QUESTIONS), subject) == PH_OK;
    host->question_round++;
    (void)transport->poll(transport->user, QUESTIONS_A_TICK, take_questions, host);
}

/* ---- changes ---- */

/* So many ids of a change, from that place on. false: the observer is not own any more. */
static bool tell_part(phx_node_host *host, phx_node_feed *feed, const ph_batch *batch, const ph_change *change,
                      uint32_t from, uint32_t count)
{
    const ph_target *targets = batch->targets + change->first + from;
    const uint32_t leaves_left = change->leave_count > from ? change->leave_count - from : 0;
    phx_client_change part = {.observer = change->observer,
                              .is_whole = (change->flags & PH_CHANGE_FRESH) && from == 0,
                              .leave_count = leaves_left < count ? leaves_left : count};
    part.enter_count = count - part.leave_count;
    if (phc_feed_next(host->member, change->observer, &part.feed) != PH_OK) return false;
    make_room(host, feed, PHX_FEED_CHANGES, phx_client_change_bytes(count));
    phx_client_put_change(&feed->writer, &part);
    for (uint32_t i = 0; i < count; i++) phx_client_put_id(&feed->writer, targets[i].id);
    return true;
}

static void tell_change(phx_node_host *host, phx_node_feed *feed, const ph_batch *batch, const ph_change *change)
{
    const uint32_t ids = change->leave_count + change->enter_count;
    uint32_t from = 0, count;
    do {
        count = ids - from < IDS_A_CHANGE_MAX ? ids - from : IDS_A_CHANGE_MAX;
        if (!tell_part(host, feed, batch, change, from, count)) return;
        from += count;
    } while (from < ids);
}

void phx_node_feed_tell(phx_node_host *host, phx_node_feed *feed, const ph_batch *batch)
{
    begin_messages(feed);
    for (uint32_t i = 0; i < batch->change_count; i++) tell_change(host, feed, batch, &batch->changes[i]);
    send_message(host, feed, PHX_FEED_CHANGES);
}

/* ---- states ---- */

static bool read_state(phx_node_host *host, uint64_t id, phx_walker_state *state)
{
    phc_feed last;
    if (!phc_owns(host->member, id) || phc_feed_last(host->member, id, &last) != PH_OK) return false;
    *state = (phx_walker_state){.id = id,
                                .ownership = last.ownership,
                                .steps = phx_walker_of(host, id)->steps,
                                .feed_begun = last.begun,
                                .feed_number = last.number};
    return true;
}

void phx_node_feed_send(phx_node_host *host, phx_node_feed *feed)
{
    phx_walker_state state;
    begin_messages(feed);
    for (uint64_t id = 1; id <= host->job->walkers; id++) {
        if (!read_state(host, id, &state)) continue;
        make_room(host, feed, PHX_FEED_STATES, PHX_CLIENT_STATE_BYTES);
        phx_client_put_state(&feed->writer, &state);
    }
    send_message(host, feed, PHX_FEED_STATES);
}

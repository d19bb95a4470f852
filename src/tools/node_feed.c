/*
 * States of walkers to gateways; see node_feed.h.
 */
#include "tools/node_feed.h"

#include <stdio.h>

_Static_assert(PHX_FEED_STATES_MAX * sizeof(phx_walker_state) <= PHC_MESSAGE_MAX, "a message of so many states");

enum { QUESTIONS_A_TICK = 256 };

void phx_feed_subject(const phx_node_job *job, phx_feed_kind kind, char subject[PHC_SUBJECT_MAX + 1])
{
    static const char *const words[] = {
        [PHX_FEED_STATES] = "walkers", [PHX_FEED_CHANGES] = "changes", [PHX_FEED_QUESTIONS] = "lists"};
    (void)snprintf(subject, PHC_SUBJECT_MAX + 1, "pharos-node.%s.%s", job->member.name, words[kind]);
}

static void send_message(const phx_node_host *host, const phx_node_feed *feed, phx_feed_kind kind, const void *bytes,
                         size_t size)
{
    char subject[PHC_SUBJECT_MAX + 1];
    phx_feed_subject(host->job, kind, subject);
    (void)feed->transport.send(feed->transport.user, phx_feed_traffic(kind), subject, bytes, size);
}

/* ---- questions ---- */

static void take_question(void *user, const char *subject, const void *bytes, size_t size)
{
    phx_node_host *host = user;
    phx_reader reader = phx_reader_of(bytes, size);
    (void)subject;
    while (phx_reader_left(&reader) >= sizeof(uint64_t)) {
        const uint64_t id = phx_read_number(&reader, sizeof(uint64_t));
        if (phx_walker_of(host, id) && phc_owns(host->member, id) && ph_resend(host->producer, id) != PH_OK)
            host->counts.refused++;
    }
}

void phx_node_feed_hear(phx_node_host *host, phx_node_feed *feed)
{
    const phc_transport *transport = &feed->transport;
    char subject[PHC_SUBJECT_MAX + 1];
    phx_feed_subject(host->job, PHX_FEED_QUESTIONS, subject);
    if (!feed->listens)
        feed->listens = transport->listen(transport->user, phx_feed_traffic(PHX_FEED_QUESTIONS), subject) == PH_OK;
    (void)transport->poll(transport->user, QUESTIONS_A_TICK, take_question, host);
}

/* ---- changes ---- */

static void put_change(phx_writer *writer, const ph_batch *batch, const ph_change *change, const phc_feed *number)
{
    const ph_target *targets = batch->targets + change->first;
    phx_client_put_change(writer, &(phx_client_change){.observer = change->observer,
                                                       .feed = *number,
                                                       .is_whole = change->flags & PH_CHANGE_FRESH,
                                                       .leave_count = change->leave_count,
                                                       .enter_count = change->enter_count});
    for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++) phx_client_put_id(writer, targets[i].id);
}

void phx_node_feed_tell(phx_node_host *host, phx_node_feed *feed, const ph_batch *batch)
{
    phx_writer writer = phx_writer_of(feed->changes, 0);
    for (uint32_t i = 0; i < batch->change_count; i++) {
        const ph_change *change = &batch->changes[i];
        const size_t bytes = phx_client_change_bytes(change->leave_count + change->enter_count);
        phc_feed number;
        if (phc_feed_next(host->member, change->observer, &number) != PH_OK) continue; /* it is not own any more */
        if (bytes > sizeof feed->changes - PHX_CLIENT_HEAD_BYTES) continue;
        if (phx_writer_left(&writer) < bytes) {
            if (writer.at > feed->changes)
                send_message(host, feed, PHX_FEED_CHANGES, feed->changes, (size_t)(writer.at - feed->changes));
            writer = phx_writer_of(feed->changes, sizeof feed->changes);
            phx_client_put_head(&writer, phc_registration(host->member));
        }
        put_change(&writer, batch, change, &number);
    }
    if (writer.at > feed->changes)
        send_message(host, feed, PHX_FEED_CHANGES, feed->changes, (size_t)(writer.at - feed->changes));
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
    phx_walker_state states[PHX_FEED_STATES_MAX];
    uint32_t count = 0;
    for (uint64_t id = 1; id <= host->job->walkers; id++) {
        count += read_state(host, id, &states[count]);
        if (count == 0 || (count < PHX_FEED_STATES_MAX && id < host->job->walkers)) continue;
        send_message(host, feed, PHX_FEED_STATES, states, count * sizeof *states);
        count = 0;
    }
}

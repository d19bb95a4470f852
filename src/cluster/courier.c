/*
 * Subjects and messages; see courier.h.
 */
#include "cluster/courier.h"

#include <stdio.h>

#include "cluster/exchange.h"
#include "cluster/halo.h"
#include "cluster/halo_out.h"
#include "cluster/question_wire.h"
#include "cluster/questions.h"

enum {
    MESSAGES_A_TICK = 4096, /* so that a flood does not hold a tick up: the transport's queue is bounded */
    MESSAGES_A_POLL = 64,
    NS_IN_MS = 1000000
};

static const char HALO[] = "halo", CHANNEL[] = "ch", HEARTBEAT[] = "hb";

static void subject_of(const phc *member, const char *kind, uint64_t target, char subject[PHC_SUBJECT_MAX + 1])
{
    const unsigned long long source = member->node.def.member.registration, to = target;
    if (target == 0) (void)snprintf(subject, PHC_SUBJECT_MAX + 1, "ph.%s.%s", member->name, kind);
    else (void)snprintf(subject, PHC_SUBJECT_MAX + 1, "ph.%s.%s.%llu.%llu", member->name, kind, source, to);
}

static bool listen_to(phc *member, phc_traffic traffic, const char *kind)
{
    char subject[PHC_SUBJECT_MAX + 1];
    const unsigned long long self = member->node.def.member.registration;
    if (kind == HEARTBEAT) (void)snprintf(subject, sizeof subject, "ph.%s.%s", member->name, kind);
    else (void)snprintf(subject, sizeof subject, "ph.%s.%s.*.%llu", member->name, kind, self);
    return member->transport.listen(member->transport.user, traffic, subject) == PH_OK;
}

/* Tried again in the next round where one fails: to listen twice is to hear twice, and doubles are harmless. */
static void begin_listening(phc *member)
{
    if (member->listens || member->node.def.member.registration == 0) return;
    member->listens =
        listen_to(member, PHC_CHANNEL, HEARTBEAT) &&
        (member->def.gateway || (listen_to(member, PHC_HALO, HALO) && listen_to(member, PHC_CHANNEL, CHANNEL)));
}

static void take_message(void *user, const char *subject, const void *bytes, size_t size)
{
    phc *member = user;
    const size_t before = strlen("ph.") + strlen(member->name) + strlen(".");
    if (strlen(subject) <= before) return;
    const bool is_halo = strncmp(subject + before, HALO, strlen(HALO)) == 0;
    if (!is_halo && phx_question_is_meant(bytes, size)) phx_questions_receive(member, bytes, size);
    else if (!is_halo) phx_exchange_receive(&member->node, bytes, size);
    else if (!member->def.gateway) phx_halo_receive(&member->halo, bytes, size);
}

void phx_courier_receive(phc *member)
{
    begin_listening(member);
    if (!member->listens) return;
    for (uint32_t taken = 0, more = 1; more > 0 && taken < MESSAGES_A_TICK; taken += more)
        more = member->transport.poll(member->transport.user, MESSAGES_A_POLL, take_message, member);
}

static void send_message(phc *member, phc_traffic traffic, const char *kind, uint64_t target, const void *bytes,
                         size_t size)
{
    char subject[PHC_SUBJECT_MAX + 1];
    subject_of(member, kind, target, subject);
    if (member->transport.send(member->transport.user, traffic, subject, bytes, size) != PH_OK) member->counts.unsent++;
}

static void send_halo(void *user, uint64_t target, const void *bytes, size_t size)
{
    send_message(user, PHC_HALO, HALO, target, bytes, size);
}

void phx_courier_send_halo(phc *member)
{
    phx_halo_write(&member->halo, send_halo, member);
}

void phx_courier_send_question(phc *member, uint64_t target, const void *bytes, size_t size)
{
    send_message(member, PHC_CHANNEL, CHANNEL, target, bytes, size);
}

void phx_courier_send_channel(phc *member)
{
    const bool beats = member->now >= member->beat_at;
    uint64_t target = 0;
    for (uint32_t i = 0; i < member->node.peer_count; i++) {
        const size_t size =
            phx_exchange_write(&member->node, i, beats, member->message, sizeof member->message, &target);
        if (size > 0) send_message(member, PHC_CHANNEL, CHANNEL, target, member->message, size);
    }
    if (!member->def.gateway) phx_questions_send(member, beats);
    if (!beats) return;
    /* a map barrier waits for lists and for heartbeats alike */
    member->beat_at = member->now + (uint64_t)member->def.list_ms * NS_IN_MS;
    const size_t size = phx_exchange_heartbeat(&member->node, member->message, sizeof member->message);
    if (size > 0) send_message(member, PHC_CHANNEL, HEARTBEAT, 0, member->message, size);
}

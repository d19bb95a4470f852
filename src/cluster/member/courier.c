/*
 * Messages of a round; see courier.h.
 */
#include "cluster/member/courier.h"

#include "cluster/halo/halo.h"
#include "cluster/halo/halo_in.h"
#include "cluster/halo/halo_out.h"
#include "cluster/member/post.h"
#include "cluster/member/questions.h"
#include "cluster/node/exchange.h"
#include "cluster/node/links.h"
#include "cluster/wire/question_wire.h"

enum {
    MESSAGES_A_TICK = 4096, /* so that a flood does not hold a tick up: the transport's queue is bounded */
    MESSAGES_A_POLL = 64,
    NS_IN_MS = 1000000
};

/* Tried again in the next round where one fails: to listen twice is to hear twice, and doubles are harmless. */
static void begin_listening(phc *member)
{
    if (member->listens || member->node.def.member.registration == 0) return;
    member->listens = phx_post_listen(member, PHC_CHANNEL, PHX_POST_HEARTBEAT) &&
                      (member->def.gateway || (phx_post_listen(member, PHC_HALO, PHX_POST_HALO) &&
                                               phx_post_listen(member, PHC_CHANNEL, PHX_POST_CHANNEL)));
}

static void take_message(void *user, const char *subject, const void *bytes, size_t size)
{
    phc *member = user;
    const bool is_halo = phx_post_is_of(member, PHX_POST_HALO, subject);
    if (!is_halo && phx_question_is_meant(bytes, size)) phx_questions_receive(member, bytes, size);
    else if (!is_halo) phx_exchange_receive(&member->node, bytes, size);
    else if (!member->def.gateway) phx_halo_receive(&member->halo, bytes, size);
}

phc_transport_state phx_courier_state(const phc *member)
{
    phc_transport_state state = {.connected = {true, true}};
    if (member->transport.state) member->transport.state(member->transport.user, &state);
    return state;
}

static bool is_connected(const phc *member)
{
    return member->listens && phx_courier_state(member).connected[PHC_CHANNEL];
}

void phx_courier_receive(phc *member)
{
    begin_listening(member);
    phx_links_tick(&member->node, member->now, is_connected(member));
    if (!member->listens) return;
    for (uint32_t taken = 0, more = 1; more > 0 && taken < MESSAGES_A_TICK; taken += more)
        more = member->transport.poll(member->transport.user, MESSAGES_A_POLL, take_message, member);
}

static void send_halo(void *user, uint64_t target, const void *bytes, size_t size)
{
    phx_post_send(user, PHC_HALO, PHX_POST_HALO, target, bytes, size);
}

void phx_courier_send_halo(phc *member)
{
    phx_halo_write(&member->halo, send_halo, member);
}

void phx_courier_send_channel(phc *member)
{
    const bool beats = member->now >= member->beat_at;
    uint64_t target = 0;
    /* Before the items: the end of a question is heard before the entities that waited for it come. */
    if (!member->def.gateway) phx_questions_send(member, beats);
    for (uint32_t i = 0; i < member->node.peer_count; i++) {
        const size_t size =
            phx_exchange_write(&member->node, i, beats, member->message, sizeof member->message, &target);
        if (size > 0) phx_post_send(member, PHC_CHANNEL, PHX_POST_CHANNEL, target, member->message, size);
    }
    if (!beats) return;
    /* a map barrier waits for lists and for heartbeats alike */
    member->beat_at = member->now + (uint64_t)member->def.list_ms * NS_IN_MS;
    const size_t size = phx_exchange_heartbeat(&member->node, member->message, sizeof member->message);
    if (size > 0) phx_post_send(member, PHC_CHANNEL, PHX_POST_HEARTBEAT, 0, member->message, size);
}

/*
 * Questions; see questions.h. The state of the own question is in phx_question of phc_state.h; the claims of all nodes
 * are the node's.
 */
#include "cluster/member/questions.h"

#include "cluster/member/post.h"
#include "cluster/member/reports.h"
#include "cluster/node/map_barrier.h"
#include "cluster/wire/question_wire.h"

/* Of questions of one node that were lost: it takes a number or two a round, and asks again until it is heard. */
enum { NUMBERS_AHEAD_MAX = 1 << 24 };

/* ---- the own question ---- */

static bool has_answered(const phx_question *question, uint64_t registration)
{
    for (uint32_t i = 0; i < question->answered_count; i++)
        if (question->answered[i] == registration) return true;
    return false;
}

static bool is_asked(const phx_peer *peer)
{
    return !peer->out && !peer->member.gateway;
}

/* Ones that this node holds, from the round on in which they came: the host is told of them, whatever becomes of them.
 */
static void note_own(phc *member)
{
    const phx_node *node = &member->node;
    phx_question *question = &member->question;
    question->takings = node->takings;
    for (uint32_t i = 0; i < question->count; i++)
        if (phx_holdings_find(&node->holdings, question->holders[i].id))
            question->holders[i].number = node->def.member.number;
}

ph_status phc_who_has(phc *member, const uint64_t *ids, uint32_t count)
{
    if (!ids || count == 0 || count > PHC_ASKED_MAX) return PH_BAD_ARGUMENT;
    const ph_status status = phx_phc_check_node(member);
    if (status != PH_OK) return status;
    for (uint32_t i = 0; i < count; i++)
        if (ids[i] == 0) return PH_BAD_ID;
    phx_node *node = &member->node;
    phx_question *question = &member->question;
    if (!phx_node_may_act(node) || question->phase != PHX_QUESTION_NONE) return PH_BUSY;
    const uint64_t self = node->def.member.registration;
    if (!phx_claims_set(&node->claims, self, question->number + 1, node->map.version, ids, count)) return PH_NO_MEMORY;
    question->phase = PHX_QUESTION_ASKED;
    question->number++;
    question->answered_count = 0;
    question->is_contested = false;
    question->is_new = true;
    for (uint32_t i = 0; i < count; i++) question->holders[i] = (phc_holder){.id = ids[i]};
    question->count = count;
    note_own(member);
    return PH_OK;
}

static void take_answer(phc *member, const phx_peer *peer, const phx_question_head *head, const unsigned char *has)
{
    phx_question *question = &member->question;
    const bool is_ended = question->phase == PHX_QUESTION_NONE;
    if (head->number < question->number || has_answered(question, head->source)) return; /* late, or a double */
    if (head->number > question->number || head->count != (is_ended ? 0 : question->count) ||
        question->answered_count == PHX_CLUSTER_MEMBERS_MAX) {
        member->counts.flawed_questions++;
        return;
    }
    for (uint32_t i = 0; i < head->count; i++) {
        const bool is_own = question->holders[i].number == member->node.def.member.number; /* it has come meanwhile */
        if (has[i] == PHX_ANSWER_YES && !is_own) question->holders[i].number = peer->member.number;
        question->is_contested |= has[i] == PHX_ANSWER_LATER;
    }
    question->answered[question->answered_count++] = head->source;
}

static bool all_have_answered(const phc *member)
{
    for (uint32_t i = 0; i < member->node.peer_count; i++) {
        const phx_peer *peer = &member->node.peers[i];
        if (is_asked(peer) && !has_answered(&member->question, peer->member.registration)) return false;
    }
    return true;
}

/* The host has had its answer for a round: the others may take such entities again. */
static void end_question(phc *member)
{
    phx_question *question = &member->question;
    question->phase = PHX_QUESTION_NONE;
    question->number++;
    question->count = 0;
    question->answered_count = 0;
    question->is_new = true;
    phx_claims_drop(&member->node.claims, member->node.def.member.registration);
}

/* With the next heartbeat: the node that comes first has ended its question by then, or will. */
static void ask_again(phc *member)
{
    phx_question *question = &member->question;
    const uint16_t self = member->node.def.member.number;
    for (uint32_t i = 0; i < question->count; i++)
        if (question->holders[i].number != self) question->holders[i].number = 0;
    note_own(member);
    question->number++;
    question->answered_count = 0;
    question->is_contested = false;
}

void phx_questions_begin_round(phc *member)
{
    phx_question *question = &member->question;
    phx_claims *claims = &member->node.claims;
    const phc_event event = {.kind = PHC_EVENT_WHO_HAS, .reason = ""};
    for (uint32_t i = claims->count; i-- > 0;) {
        const uint64_t asking = claims->items[i].registration;
        if (!phx_node_hears(&member->node, asking)) phx_claims_drop(claims, asking);
    }
    if (question->phase == PHX_QUESTION_TAKEN) end_question(member);
    if (question->phase != PHX_QUESTION_ASKED) return;
    if (question->takings != member->node.takings) note_own(member);
    if (!all_have_answered(member)) return;
    if (question->is_contested) ask_again(member);
    /* Up to the map barrier claims stand, so the answers stay true. */
    else if (phx_map_barrier_answers(&member->node) && phx_report(member, &event))
        question->phase = PHX_QUESTION_ANSWERED;
}

void phx_questions_send(phc *member, bool again)
{
    phx_question *question = &member->question;
    unsigned char *bytes = member->message;
    if (question->number == 0 || !member->node.joined || member->node.fenced) return;
    if (!again && !question->is_new) return;
    question->is_new = false;
    const phx_claim *claim = phx_claims_of(&member->node.claims, member->node.def.member.registration);
    phx_question_head head = {.source = member->node.def.member.registration,
                              .version = claim ? claim->version : member->node.map.version,
                              .number = question->number,
                              .count = question->count};
    phx_writer writer = phx_writer_of(phx_question_body(bytes), question->count * sizeof(uint64_t));
    for (uint32_t i = 0; i < question->count; i++) phx_write_number(&writer, sizeof(uint64_t), question->holders[i].id);
    for (uint32_t i = 0; i < member->node.peer_count; i++) {
        const phx_peer *peer = &member->node.peers[i];
        if (!is_asked(peer) || has_answered(question, peer->member.registration)) continue;
        head.target = peer->member.registration;
        head.format = phx_node_format(&member->node, peer);
        phx_post_send(member, PHC_CHANNEL, PHX_POST_CHANNEL, head.target, bytes, phx_question_seal(bytes, &head));
    }
}

/* ---- questions of others ---- */

/* Of two nodes that ask for one entity the one with the older map waits for the other: the region may be its no more.
 */
static bool is_before(const phx_claim *own, const phx_question_head *head, uint64_t self)
{
    return own->version != head->version ? own->version > head->version : self < head->source;
}

/*
 * An id that both ask for. Once the host has been told of the own answers, they stand: the other one waits. Before that
 * the node that comes behind gives way, and asks anew: an answer that it has got, or that is on its way, may be older
 * than the other's question.
 */
static phx_question_answer answer_of(phc *member, const phx_question_head *head, uint64_t id)
{
    phx_node *node = &member->node;
    const uint64_t self = node->def.member.registration;
    if (phx_holdings_find(&node->holdings, id)) return PHX_ANSWER_YES;
    if (!phx_claims_find(&node->claims, id).own) return PHX_ANSWER_NO;
    const phx_claim *own = phx_claims_of(&node->claims, self);
    if (member->question.phase != PHX_QUESTION_ASKED || is_before(own, head, self)) return PHX_ANSWER_LATER;
    member->question.is_contested = true;
    return PHX_ANSWER_NO;
}

/* false: no memory, it is asked again. */
static bool note_claim(phc *member, const phx_question_head *head, const unsigned char *ids)
{
    phx_claims *claims = &member->node.claims;
    const phx_claim *known = phx_claims_of(claims, head->source);
    uint64_t *copy = member->asked;
    if (known && known->number >= head->number) return known->number == head->number;
    if (known && head->number - known->number > NUMBERS_AHEAD_MAX) {
        member->counts.flawed_questions++;
        return false;
    }
    for (uint32_t i = 0; i < head->count; i++) copy[i] = phx_question_id_at(ids, i);
    return phx_claims_set(claims, head->source, head->number, head->version, copy, head->count);
}

static void answer_question(phc *member, const phx_peer *peer, const phx_question_head *head, const unsigned char *ids)
{
    unsigned char *bytes = member->message;
    if (!note_claim(member, head, ids)) return;
    for (uint32_t i = 0; i < head->count; i++)
        phx_question_body(bytes)[i] = (unsigned char)answer_of(member, head, phx_question_id_at(ids, i));
    const phx_question_head answer = {.answers = true,
                                      .format = phx_node_format(&member->node, peer),
                                      .source = member->node.def.member.registration,
                                      .target = head->source,
                                      .version = member->node.map.version,
                                      .number = head->number,
                                      .count = head->count};
    phx_post_send(member, PHC_CHANNEL, PHX_POST_CHANNEL, head->source, bytes, phx_question_seal(bytes, &answer));
}

void phx_questions_receive(phc *member, const void *bytes, size_t size)
{
    phx_question_head head;
    const unsigned char *body;
    const phx_node *node = &member->node;
    if (member->def.gateway || !phx_question_open(&head, &body, node->def.formats, bytes, size)) {
        member->counts.flawed_questions++;
        return;
    }
    const phx_peer *peer = phx_node_peer(node, head.source);
    if (head.target != node->def.member.registration || !peer || peer->member.gateway ||
        !phx_node_hears(node, head.source)) {
        member->counts.flawed_questions++;
        return;
    }
    if (head.answers) take_answer(member, peer, &head, body);
    else answer_question(member, peer, &head, body);
}

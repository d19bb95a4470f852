/*
 * Questions which node has an entity (phc_who_has()), of two members in one process: when they have their answer, and
 * which bytes of other nodes change nothing.
 */
#include <criterion/criterion.h>

#include <pharos/cluster.h>

#include "cluster/member/phc_state.h"
#include "cluster/member/questions.h"
#include "cluster/node/exchange.h"
#include "cluster/node/map_barrier.h"
#include "cluster/node_host.h"
#include "cluster/wire/question_wire.h"
#include "support/fail_alloc.h"

enum { TICK_NS = 50000000, JOIN_TICKS = 60 };

static struct pair {
    uint64_t now_ns;
    phc_loop *loop;
    phc_memory *memory;
    ph_class class;
    ph_world_def world_def;
    fail_alloc counted;
    node_host hosts[2];
    phc *asking, *asked;
} pair;

static uint64_t pair_clock(void *user)
{
    (void)user;
    return pair.now_ns;
}

static phc *open_one(uint32_t at)
{
    phc_def def = node_host_def(&pair.world_def, 2, pair_clock);
    node_host *host = &pair.hosts[at];
    def.allocator = fail_alloc_hooks(&pair.counted);
    node_host_join(host, &pair.world_def, pair.loop, 1024, pair.memory);
    cr_assert_eq(phc_open(&def, host->world, &host->transport, &host->store, &host->member, NULL, 0), PH_OK);
    return host->member;
}

static void step_one(phc *member, ph_world world)
{
    cr_assert_eq(phc_tick(member), PH_OK);
    cr_assert_eq(ph_tick(world, NULL), PH_OK);
    cr_assert_eq(phc_told(member), PH_OK);
}

static void step_pair(void)
{
    pair.now_ns += TICK_NS;
    phc_memory_step(pair.memory, pair.now_ns);
    step_one(pair.asking, pair.hosts[0].world);
    step_one(pair.asked, pair.hosts[1].world);
    phc_loop_step(pair.loop);
}

static void begin_pair(void)
{
    pair = (struct pair){.now_ns = TICK_NS, .class = ph_class_default("default"), .world_def = ph_world_def_default()};
    pair.class.view = 50;
    pair.world_def.classes = &pair.class;
    pair.world_def.class_count = 1;
    pair.world_def.world_size[0] = pair.world_def.world_size[1] = 1000;
    pair.world_def.consumers = 0;
    node_host_open_ways(&pair.loop, &pair.memory);
    pair.asking = open_one(0);
    pair.asked = open_one(1);
    for (uint32_t i = 0; i < JOIN_TICKS; i++) step_pair();
    cr_assert(phc_number(pair.asking) != 0 && phc_number(pair.asked) != 0);
}

static void end_pair(void)
{
    node_host_close_all(pair.hosts, 2, pair.loop, pair.memory);
    cr_assert(fail_alloc_clean(&pair.counted));
}

TestSuite(questions, .init = begin_pair, .fini = end_pair);

/* Is there an answer? */
static bool take_reply(phc *member)
{
    phc_event event;
    while (phc_event_next(member, &event))
        if (event.kind == PHC_EVENT_WHO_HAS) return true;
    return false;
}

/* A member was put out behind the loss that the host asks for: the other one may still hear it. */
Test(questions, there_is_no_answer_before_the_map_barrier)
{
    const uint64_t id = 1;
    phx_cluster_map *map = &pair.asking->node.map;
    const uint32_t fence = map->fence;
    map->fence = map->version + 1; /* no member has shown it */
    cr_assert_eq(phc_who_has(pair.asking, &id, 1), PH_OK);
    for (uint32_t i = 0; i < 20; i++) step_pair();
    cr_assert_eq(pair.asking->question.answered_count, 1);
    cr_assert_not(take_reply(pair.asking));
    map->fence = fence;
    step_pair();
    cr_assert(take_reply(pair.asking));
}

/* ---- two that ask for the same ---- */

static void ask_for_all(phc *member, const uint64_t *ids)
{
    cr_assert_eq(phc_who_has(member, ids, PHC_ASKED_MAX), PH_OK);
}

/* What is looked up rises with the ids of a question, and not with their square. */
Test(questions, an_id_that_both_ask_for_is_one_look_up)
{
    enum { MESSAGES = 8 }; /* each question is asked again once; some more until the answers are there */
    static uint64_t ids[PHC_ASKED_MAX];
    bool first = false, second = false;
    for (uint32_t i = 0; i < PHC_ASKED_MAX; i++) ids[i] = i + 1;
    ask_for_all(pair.asking, ids);
    ask_for_all(pair.asked, ids);
    for (uint32_t i = 0; i < 40; i++) {
        step_pair();
        first |= take_reply(pair.asking);
        second |= take_reply(pair.asked);
    }
    cr_assert(first && second);
    const uint64_t reads = pair.asking->node.claims.reads + pair.asked->node.claims.reads;
    cr_assert_geq(reads, 2 * PHC_ASKED_MAX);
    cr_assert_leq(reads, MESSAGES * PHC_ASKED_MAX);
}

/* Both have their own part of a value in the map of all claims. */
Test(questions, the_own_claim_and_the_others_are_told_apart)
{
    const uint64_t own[] = {1, 2, 2}, other[] = {2, 3};
    phx_claims *claims = &pair.asking->node.claims;
    const uint64_t self = pair.asking->node.def.member.registration;
    const uint64_t peer = pair.asked->node.def.member.registration;
    cr_assert(phx_claims_set(claims, self, 1, 1, own, 3));
    cr_assert(phx_claims_set(claims, peer, 1, 1, other, 2));
    const phx_claimed both = phx_claims_find(claims, 2), one = phx_claims_find(claims, 1);
    cr_assert(both.own && both.others);
    cr_assert(one.own && !one.others);
    phx_claims_drop(claims, self);
    cr_assert(!phx_claims_find(claims, 2).own && phx_claims_find(claims, 2).others);
    phx_claims_drop(claims, peer);
    cr_assert_eq(phx_idmap_count(&claims->claimed), 0);
}

/* An entity goes to the one node that asks for it alone. */
Test(questions, an_entity_is_kept_from_all_nodes_but_the_one_that_asks)
{
    enum { NONE = 8, ONE, BOTH };
    const uint64_t own[] = {BOTH, BOTH}, other[] = {ONE, BOTH};
    phx_claims *claims = &pair.asking->node.claims;
    const uint64_t self = pair.asking->node.def.member.registration;
    const uint64_t peer = pair.asked->node.def.member.registration;
    cr_assert(phx_claims_set(claims, peer, 1, 1, other, 2));
    cr_assert(!phx_claims_keep(claims, NONE, self) && !phx_claims_keep(claims, NONE, peer));
    cr_assert(phx_claims_keep(claims, ONE, self) && !phx_claims_keep(claims, ONE, peer));
    cr_assert(phx_claims_set(claims, self, 1, 1, own, 2));
    cr_assert(phx_claims_keep(claims, BOTH, self) && phx_claims_keep(claims, BOTH, peer));
    phx_claims_drop(claims, peer);
    cr_assert(!phx_claims_keep(claims, BOTH, self) && phx_claims_keep(claims, BOTH, peer));
    phx_claims_drop(claims, self);
}

Test(questions, as_many_nodes_ask_as_a_map_has)
{
    const uint64_t id = 1;
    phx_claims *claims = &pair.asking->node.claims;
    for (uint64_t k = 1; k <= PHX_CLUSTER_KIND_MAX; k++) cr_assert(phx_claims_set(claims, k, 1, 1, &id, 1));
    cr_assert_not(phx_claims_set(claims, PHX_CLUSTER_KIND_MAX + 1, 1, 1, &id, 1), "some are no more");
    phx_claims_drop(claims, 5);
    cr_assert(phx_claims_set(claims, PHX_CLUSTER_KIND_MAX + 1, 1, 1, &id, 1));
    for (uint64_t k = 1; k <= PHX_CLUSTER_KIND_MAX + 1; k++) phx_claims_drop(claims, k);
    cr_assert_eq(claims->count, 0);
    cr_assert_eq(phx_idmap_count(&claims->claimed), 0);
}

/* ---- wrong numbers of a peer ---- */

/* A question of the asked member, or its answer, with no ids. */
static void receive_number(bool answers, uint32_t number)
{
    unsigned char bytes[PHX_QUESTION_HEAD_BYTES + 8];
    const phx_question_head head = {.format = PHX_FORMAT_MAX,
                                    .answers = answers,
                                    .source = pair.asked->node.def.member.registration,
                                    .target = pair.asking->node.def.member.registration,
                                    .version = pair.asked->node.map.version,
                                    .number = number};
    phx_questions_receive(pair.asking, bytes, phx_question_seal(bytes, &head));
}

Test(questions, a_number_far_ahead_does_not_hide_the_ones_to_come)
{
    const phx_claims *claims = &pair.asking->node.claims;
    const uint64_t source = pair.asked->node.def.member.registration;
    receive_number(false, 5);
    receive_number(false, UINT32_MAX);
    cr_assert_eq(pair.asking->counts.flawed_questions, 1);
    cr_assert_eq(phx_claims_of(claims, source)->number, 5);
    receive_number(false, 6);
    cr_assert_eq(phx_claims_of(claims, source)->number, 6);
    receive_number(true, 7); /* there is no such question */
    cr_assert_eq(pair.asking->counts.flawed_questions, 2);
    cr_assert_eq(pair.asking->question.answered_count, 0);
}

/* The asked member's heartbeat, as if its map were so many versions newer. */
static void receive_ahead(uint32_t versions)
{
    static unsigned char bytes[PHX_WIRE_BYTES_MAX];
    phx_node *node = &pair.asked->node;
    node->map.version += versions;
    const size_t size = phx_exchange_heartbeat(node, bytes, sizeof bytes);
    node->map.version -= versions;
    phx_exchange_receive(&pair.asking->node, bytes, size);
}

/* A map barrier is passed by the version of a map that this node has had, or by none. */
Test(questions, a_version_ahead_passes_no_later_map_barrier)
{
    phx_node *node = &pair.asking->node;
    receive_ahead(3);
    cr_assert_eq(phx_map_barrier_shown(node), node->map.version);
    cr_assert_eq(node->counts.impossible, 0);
    receive_ahead(1u << 30);
    cr_assert_eq(phx_map_barrier_shown(node), node->map.version);
    cr_assert_eq(node->counts.impossible, 1);
    phc_stats stats;
    cr_assert_eq(phc_stats_get(pair.asking, &stats), PH_OK);
    cr_assert_geq(stats.dropped, 1);
}

/* ---- broadcasts that are refused ---- */

/* Each refusal of ph_broadcast() and ph_broadcast_at() is one of phc_broadcast() and phc_broadcast_at(), with no bytes
 * to a peer. */
Test(questions, a_refused_broadcast_goes_to_no_peer)
{
    static unsigned char bytes[PH_PAYLOAD_MAX + 1];
    const uint32_t kind = 99;
    const ph_broadcast_options flags = {.flags = 1u << 31}, far = {.radius = -1},
                               kinds = {.kinds = &kind, .kind_count = 1}, none = {.kind_count = 1};
    const ph_broadcast_place place = {.x = 1, .y = 1, .radius = 5, .layers = 1};
    ph_broadcast_place wrong;
    ph_producer producer;
    const struct {
        const void *payload;
        uint32_t size;
        const ph_broadcast_options *options;
    } rows[] = {{NULL, 2, NULL},  {bytes, sizeof bytes, NULL}, {bytes, 2, &flags},
                {bytes, 2, &far}, {bytes, 2, &kinds},          {bytes, 2, &none}};
    cr_assert_eq(ph_producer_open(pair.hosts[0].world, &producer), PH_OK);
    const bool left = phc_owner_of(pair.asking, 0, 0) == phc_number(pair.asking);
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = left ? 495.0f : 505.0f, .y = 10};
    cr_assert_eq(phc_enter(pair.asking, 7, &attrs, 0), PH_OK);
    for (uint32_t i = 0; i < 6; i++) step_pair();
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ph_status refused = ph_broadcast(producer, 7, rows[i].payload, rows[i].size, rows[i].options);
        cr_assert_neq(refused, PH_OK, "row %u", i);
        cr_assert_eq(phc_broadcast(pair.asking, producer, 7, rows[i].payload, rows[i].size, rows[i].options), refused);
    }
    cr_assert_eq(phc_broadcast_at(NULL, producer, &place, "hi", 2), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_broadcast_at(pair.asking, producer, NULL, "hi", 2), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_broadcast_at(pair.asking, producer, &place, NULL, 2), ph_broadcast_at(producer, &place, NULL, 2));
    cr_assert_neq(phc_broadcast_at(pair.asking, producer, &place, bytes, sizeof bytes), PH_OK);
    wrong = place;
    wrong.radius = -1;
    cr_assert_neq(phc_broadcast_at(pair.asking, producer, &wrong, "hi", 2), PH_OK);
    cr_assert_neq(phc_broadcast_at(pair.asking, (ph_producer){0}, &place, "hi", 2), PH_OK);
    cr_assert_eq(pair.asking->node.counts.said, 0);
    cr_assert_eq(phc_broadcast(pair.asking, producer, 7, "hi", 2, NULL), PH_OK);
    cr_assert_eq(pair.asking->node.counts.said, 1, "the other one sees it");
}

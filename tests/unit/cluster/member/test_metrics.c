/*
 * Numbers of a member as the host reads them, with the times among them by a clock that the test moves: hand-overs on
 * their way, the control store's answers, the age of the lease, messages that were dropped, and of families what is
 * refused behind a hand-over, and what is kept.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <pharos/cluster.h>

#include "base/cluster_rules.h"
#include "cluster/halo/halo.h"
#include "cluster/halo/halo_in.h"
#include "cluster/member/phc_state.h"
#include "cluster/node_host.h"

enum { TICK_NS = 50000000, WARM_TICKS = 60, MEMBERS = 2, CONNECTS = 3 };

static uint64_t now_ns;
static phc_loop *loop;
static phc_memory *memory;
static node_host all[MEMBERS];
static ph_status (*plain_send)(void *, phc_traffic, const char *, const void *, size_t);

static void (*plain_state)(void *, phc_store_state *);

/* A store within the process has no connections. */
static void show_connects(void *user, phc_store_state *state)
{
    plain_state(user, state);
    state->connects = CONNECTS;
}

/* Of the first member: bytes of messages that it sent, and entities that it packed. */
static uint64_t sent_bytes, packed;

static ph_status count_sent(void *user, phc_traffic traffic, const char *subject, const void *bytes, size_t size)
{
    if (user == all[0].transport.user) sent_bytes += size;
    return plain_send(user, traffic, subject, bytes, size);
}

static size_t count_packed(void *user, uint64_t id, void *bytes, size_t size)
{
    cr_assert_geq(size, sizeof id);
    memcpy(bytes, &id, sizeof id);
    packed += user == &all[0];
    return sizeof id;
}

static uint64_t read_clock(void *user)
{
    return *(uint64_t *)user;
}

/* One tick of the first members. */
static void step_first(uint32_t count)
{
    now_ns += TICK_NS;
    phc_memory_step(memory, now_ns);
    for (uint32_t i = 0; i < count; i++) {
        cr_assert_eq(phc_tick(all[i].member), PH_OK);
        cr_assert_eq(ph_tick(all[i].world, NULL), PH_OK);
        cr_assert_eq(phc_told(all[i].member), PH_OK);
    }
    phc_loop_step(loop);
}

static void step_members(void)
{
    step_first(MEMBERS);
}

static void open_member(uint32_t i, const ph_world_def *world_def)
{
    phc_def def = node_host_def(world_def, MEMBERS, read_clock);
    def.clock_user = &now_ns;
    def.pack = count_packed;
    def.pack_user = &all[i];
    node_host_join(&all[i], world_def, loop, 1024, memory);
    plain_send = all[i].transport.send;
    all[i].transport.send = count_sent;
    plain_state = all[i].store.state;
    all[i].store.state = show_connects;
    cr_assert_eq(phc_open(&def, all[i].world, &all[i].transport, &all[i].store, &all[i].member, NULL, 0), PH_OK);
}

/* Two nodes, side by side. */
static void set_up(void)
{
    ph_class class = ph_class_default("default");
    ph_world_def world_def = ph_world_def_default();
    class.view = 50;
    world_def.classes = &class;
    world_def.class_count = 1;
    world_def.world_size[0] = world_def.world_size[1] = 1000;
    world_def.consumers = 0;
    now_ns = TICK_NS;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < MEMBERS; i++) open_member(i, &world_def);
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_members();
    for (uint32_t i = 0; i < MEMBERS; i++) cr_assert_neq(phc_number(all[i].member), 0);
}

static void tear_down(void)
{
    node_host_close_all(all, MEMBERS, loop, memory);
}

TestSuite(member_metrics, .init = set_up, .fini = tear_down);

/* x in a member's own region, so far from the border. */
static float own_place(uint32_t i, float from_border)
{
    const phc *member = all[i].member;
    return phc_owner_of(member, 0, 0) == phc_number(member) ? 500.0f - from_border : 500.0f + from_border;
}

static void enter_at(uint32_t i, uint64_t id, float x, float y)
{
    cr_assert_eq(phc_enter(all[i].member, id, &(ph_attrs){.given = PH_X | PH_Y, .x = x, .y = y}, 0), PH_OK);
}

static phc_stats stats_of(uint32_t i)
{
    phc_stats stats;
    cr_assert_eq(phc_stats_get(all[i].member, &stats), PH_OK);
    return stats;
}

Test(member_metrics, the_oldest_transit_grows_while_its_receiver_is_not_heard)
{
    enum { SILENT_TICKS = 20 };
    ph_producer producer;
    cr_assert_eq(ph_producer_open(all[0].world, &producer), PH_OK);
    enter_at(0, 7, own_place(0, 10), 10);
    for (uint32_t i = 0; i < 4; i++) step_members();
    cr_assert_eq(stats_of(0).transit_oldest_ns, 0);
    phc_loop_cut(loop, &all[1].transport, true, false); /* the entity comes, its ack does not */
    cr_assert_eq(ph_move(producer, 7, own_place(0, -50), 10, 0), PH_OK);
    step_members();
    cr_assert_eq(stats_of(0).transit, 1, "it was handed over in this tick");
    for (uint32_t i = 1; i <= SILENT_TICKS; i++) {
        step_members();
        cr_assert_eq(stats_of(0).transit_oldest_ns, i * (uint64_t)TICK_NS);
    }
    enter_at(0, 8, own_place(0, 10), 20);
    step_members();
    cr_assert_eq(ph_move(producer, 8, own_place(0, -50), 20, 0), PH_OK);
    step_members();
    cr_assert_eq(stats_of(0).transit, 2);
    cr_assert_eq(stats_of(0).transit_oldest_ns, (SILENT_TICKS + 2) * (uint64_t)TICK_NS, "the later one is no older");
    phc_loop_cut(loop, &all[1].transport, false, false);
    for (uint32_t i = 0; i < 8; i++) step_members();
    cr_assert(stats_of(0).transit == 0 && stats_of(0).transit_oldest_ns == 0);
    cr_assert(phc_owns(all[1].member, 7) && phc_owns(all[1].member, 8));
}

/* Of the store of one process answers come with the next step, so in the next round. */
Test(member_metrics, answers_of_the_store_and_the_age_of_the_lease_are_timed)
{
    enum { LOST_TICKS = 10 };
    uint64_t longest = 0, least = UINT64_MAX;
    phc_stats before = stats_of(0);
    for (uint32_t i = 0; i < PHC_REQUESTS; i++) {
        cr_assert_gt(before.answers[i], 0, "%u", i);
        cr_assert_eq(before.answer_ns[i], TICK_NS, "%u", i);
        cr_assert_eq(before.answers_ns[i], before.answers[i] * TICK_NS, "%u", i);
    }
    cr_assert_eq(before.answers[PHC_REQUEST_LIST], before.lists);
    for (uint32_t i = 0; i < 2 * WARM_TICKS; i++) {
        step_members();
        const uint64_t age = stats_of(0).renew_age_ns;
        if (age > longest) longest = age;
        if (age < least) least = age;
    }
    cr_assert_eq(least, TICK_NS, "as the answer is there, the request was a tick ago");
    cr_assert(longest > 0 && longest <= 2 * 5000000000u / 3, "a lease of 5 s is renewed three times");
    phc_memory_cut(memory, &all[0].store, true);
    step_members(); /* an answer may have been on its way */
    before = stats_of(0);
    for (uint32_t i = 1; i <= LOST_TICKS; i++) {
        step_members();
        cr_assert_eq(stats_of(0).renew_age_ns, before.renew_age_ns + i * (uint64_t)TICK_NS);
    }
    cr_assert_gt(stats_of(0).answers[PHC_REQUEST_LIST], before.answers[PHC_REQUEST_LIST], "failed ones as well");
    cr_assert_gt(stats_of(0).failed, before.failed);
}

Test(member_metrics, dropped_messages_with_copies_are_counted_by_reason)
{
    unsigned char bytes[PHX_HALO_HEAD_BYTES + sizeof(uint64_t)];
    char text[16384];
    size_t length = 0;
    phx_halo *halo = &all[0].member->halo;
    const phc_stats before = stats_of(0);
    cr_assert(before.halo_bytes_in > 0 && stats_of(1).halo_bytes_out > before.halo_bytes_in, "the last one waits");
    const uint64_t self = all[0].member->node.def.member.registration,
                   other = all[1].member->node.def.member.registration;
    phx_halo_head head = {.format = PHX_FORMAT_MAX, .source = other, .target = self, .version = 1, .tick = 1};
    for (uint32_t i = 0; i < 5; i++) phx_halo_receive(halo, bytes, phx_halo_seal(bytes, &head));
    head.target = other;
    for (uint32_t i = 0; i < 4; i++) phx_halo_receive(halo, bytes, phx_halo_seal(bytes, &head));
    head = (phx_halo_head){.format = PHX_FORMAT_MAX, .source = 1000, .target = self, .version = 1, .tick = 1};
    for (uint32_t i = 0; i < 3; i++) phx_halo_receive(halo, bytes, phx_halo_seal(bytes, &head));
    head = (phx_halo_head){.format = PHX_FORMAT_MAX, .source = other, .target = self, .version = 1, .tick = 1u << 30};
    phx_halo_receive(halo, bytes, phx_halo_seal(bytes, &head));
    head.tick = halo->peers[0].newest + 1;
    head.echo = halo->now + 1;
    phx_halo_receive(halo, bytes, phx_halo_seal(bytes, &head));
    head.version = 0;
    for (uint32_t i = 0; i < 6; i++) phx_halo_receive(halo, bytes, phx_halo_seal(bytes, &head));
    phx_halo_receive(halo, "no message", 10);
    const phc_stats stats = stats_of(0);
    cr_assert_eq(stats.halo_dropped[PHC_HALO_LATE] - before.halo_dropped[PHC_HALO_LATE], 5);
    cr_assert_eq(stats.halo_dropped[PHC_HALO_MISDIRECTED] - before.halo_dropped[PHC_HALO_MISDIRECTED], 4);
    cr_assert_eq(stats.halo_dropped[PHC_HALO_FENCED] - before.halo_dropped[PHC_HALO_FENCED], 3);
    cr_assert_eq(stats.halo_dropped[PHC_HALO_AHEAD] - before.halo_dropped[PHC_HALO_AHEAD], 2);
    cr_assert_eq(stats.halo_dropped[PHC_HALO_FLAWED] - before.halo_dropped[PHC_HALO_FLAWED], 6);
    cr_assert_eq(stats.halo_dropped[PHC_HALO_DAMAGED] - before.halo_dropped[PHC_HALO_DAMAGED], 1);
    cr_assert_eq(stats.dropped - before.dropped, 5 + 4 + 3 + 2 + 6 + 1, "each is one of all that were dropped");
    cr_assert_eq(stats.halo_bytes_in, before.halo_bytes_in);
    cr_assert_eq(phc_prometheus(all[0].member, text, sizeof text, &length), PH_OK);
    cr_assert(strstr(text, "pharos_cluster_halo_dropped_total{world=\"unit\",reason=\"ahead\"} 2\n"), "%s", text);
    cr_assert(strstr(text, "pharos_cluster_store_answer_seconds{world=\"unit\",request=\"write\"} 0.05"), "%s", text);
}

static void expect_same(const phc_transport_state *one, const phc_transport_state *other)
{
    for (uint32_t i = 0; i < PHC_TRAFFICS; i++) cr_assert_eq(one->connected[i], other->connected[i]);
    cr_assert(one->sent == other->sent && one->dropped == other->dropped && one->refused == other->refused);
    cr_assert(one->received == other->received && one->overrun == other->overrun);
    cr_assert_eq(one->reconnects, other->reconnects);
}

/* Messages that are lost, and members that come and go, are in the numbers and in the text. */
Test(member_metrics, lost_messages_and_changes_of_members_are_counted)
{
    enum { LEASE_TICKS = 200 };
    char text[16384];
    size_t length = 0;
    phc_transport_state own;
    const phc_stats before = stats_of(0);
    cr_assert(before.transport.connected[PHC_HALO] && before.transport.connected[PHC_CHANNEL]);
    cr_assert(before.members_joined == 1 && before.members_left == 0);
    cr_assert(before.answers_failed[PHC_REQUEST_RENEWAL] == 0 && before.store.failed == 0);
    cr_assert_eq(phc_loop_set_faults(loop, (phc_faults){.seed = 1, .lost = 500}), PH_OK);
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_members();
    all[0].transport.state(all[0].transport.user, &own);
    const phc_stats lossy = stats_of(0);
    expect_same(&lossy.transport, &own);
    const uint64_t dropped = own.dropped - before.transport.dropped, sent = own.sent - before.transport.sent;
    cr_assert(dropped > sent / 4 && dropped < sent, "%u of %u", (unsigned)dropped, (unsigned)sent);
    cr_assert_eq(phc_loop_set_faults(loop, (phc_faults){0}), PH_OK);
    phc_memory_cut(memory, &all[1].store, true); /* its lease ends, and it is put out */
    for (uint32_t i = 0; i < LEASE_TICKS; i++) step_members();
    const phc_stats stats = stats_of(0), cut = stats_of(1);
    cr_assert(stats.members_joined == 1 && stats.members_left == 1 && stats.put_out == 1);
    cr_assert(cut.answers_failed[PHC_REQUEST_RENEWAL] > 0 && cut.store.failed > 0);
    cr_assert(cut.answers[PHC_REQUEST_RENEWAL] > cut.answers_failed[PHC_REQUEST_RENEWAL], "the first ones were done");
    cr_assert_eq(cut.failed, cut.store.failed, "here a request is one attempt");
    cr_assert_eq(phc_prometheus(all[0].member, text, sizeof text, &length), PH_OK);
    cr_assert_lt(length, sizeof text);
    cr_assert(strstr(text, "pharos_cluster_members_left_total{world=\"unit\"} 1\n"), "%s", text);
    cr_assert(strstr(text, "pharos_cluster_transport_connected{world=\"unit\",traffic=\"halo\"} 1\n"), "%s", text);
    cr_assert(strstr(text, "pharos_cluster_store_answers_failed_total{world=\"unit\",request=\"renewal\"} 0\n"));
}

/* Also where no member reaches the store for longer than a lease: each of them comes back. */
Test(member_metrics, members_that_come_back_and_connections_of_the_store_are_counted)
{
    enum { LEASE_TICKS = 200 };
    char text[16384], connects[80];
    size_t length = 0;
    for (uint32_t i = 0; i < MEMBERS; i++) {
        cr_assert_eq(stats_of(i).returned, 0);
        phc_memory_cut(memory, &all[i].store, true);
    }
    for (uint32_t i = 0; i < LEASE_TICKS; i++) step_members();
    for (uint32_t i = 0; i < MEMBERS; i++) phc_memory_cut(memory, &all[i].store, false);
    for (uint32_t i = 0; i < LEASE_TICKS; i++) step_members();
    for (uint32_t i = 0; i < MEMBERS; i++) cr_assert(stats_of(i).returned == 1 && stats_of(i).put_out == 0);
    cr_assert_eq(stats_of(0).store.connects, CONNECTS);
    cr_assert_eq(phc_prometheus(all[0].member, text, sizeof text, &length), PH_OK);
    cr_assert(strstr(text, "pharos_cluster_returned_total{world=\"unit\"} 1\n"), "%s", text);
    (void)snprintf(connects, sizeof connects, "pharos_cluster_store_connects_total{world=\"unit\"} %d\n", CONNECTS);
    cr_assert(strstr(text, connects), "%s", text);
}

/* What a node does in as many ticks of its own, by its counters. */
typedef struct node_work {
    uint64_t looks, bytes_out, copies_out, refused, unsent, transit;
} node_work;

/* The other node makes one tick in so many. */
static node_work work_beside(uint32_t slowness)
{
    const phx_halo_counts *halo = &all[0].member->halo.counts;
    const phx_halo_counts before = *halo;
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_first(i % slowness == 0 ? MEMBERS : 1);
    return (node_work){.looks = halo->looks - before.looks,
                       .bytes_out = halo->bytes_out - before.bytes_out,
                       .copies_out = halo->copies_out - before.copies_out,
                       .refused = halo->refused - before.refused,
                       .unsent = stats_of(0).unsent,
                       .transit = stats_of(0).transit};
}

/* A node waits for no other one: beside a slow one it makes as many ticks, sends as much and looks at no more. */
Test(member_metrics, a_node_does_the_same_beside_a_slow_one)
{
    enum { SLOWNESS = 7 };
    for (uint64_t id = 1; id <= 20; id++) {
        enter_at(0, id, own_place(0, 20), (float)id * 20);
        enter_at(1, 100 + id, own_place(1, 20), (float)id * 20);
    }
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_members();
    const node_work plain = work_beside(1), beside = work_beside(SLOWNESS);
    cr_assert_gt(stats_of(0).lag_ticks, 0, "it is slow, and that is told");
    cr_assert(plain.copies_out == 20 * WARM_TICKS && beside.copies_out == plain.copies_out);
    cr_assert_eq(beside.bytes_out, plain.bytes_out);
    cr_assert_eq(beside.looks, plain.looks);
    cr_assert(beside.refused == 0 && beside.unsent == 0 && beside.transit == 0);
    cr_assert_eq(stats_of(0).remote, 20, "its copies stay");
}

static uint64_t messages_of(uint32_t i)
{
    phc_transport_state state;
    all[i].transport.state(all[i].transport.user, &state);
    return state.sent;
}

/* However many wait for it: copies, offers and the heartbeat are a message each, and one repeats the offers. */
Test(member_metrics, hand_overs_to_a_slow_node_cost_a_message_a_round)
{
    enum { SLOWNESS = 7, MANY = 200, MOST = 3 };
    ph_producer producer;
    cr_assert_eq(ph_producer_open(all[0].world, &producer), PH_OK);
    for (uint64_t id = 1; id <= MANY; id++) enter_at(0, id, own_place(0, 10), (float)id);
    for (uint32_t i = 0; i < 4; i++) step_members();
    for (uint64_t id = 1; id <= MANY; id++) cr_assert_eq(ph_move(producer, id, own_place(0, -50), (float)id, 0), PH_OK);
    for (uint32_t i = 1; i <= WARM_TICKS; i++) {
        const uint64_t before = messages_of(0);
        step_first(i % SLOWNESS == 0 ? MEMBERS : 1);
        cr_assert_leq(messages_of(0) - before, MOST, "%u messages", (unsigned)(messages_of(0) - before));
        cr_assert(i > 2 || stats_of(0).transit == MANY);
    }
    cr_assert(stats_of(0).own + stats_of(0).transit == 0 && stats_of(1).own == MANY);
    cr_assert_eq(ph_producer_close(producer), PH_OK);
}

/* Work of the first node in as many ticks, in each of which one more entity crosses and all others of it move. */
typedef struct crossing_work {
    uint64_t messages_most, bytes, packed, looks, kept; /* messages_most: of one tick */
} crossing_work;

enum { CROSSINGS = 60, MOVERS = 30, FAMILY_TICKS = 2 /* from its enter to its way */ };

static uint64_t kept_of(uint32_t i)
{
    uint64_t sum = 0;
    const phc_stats stats = stats_of(i);
    for (uint32_t status = 0; status < PH_STATUSES_MAX; status++) sum += stats.kept[status];
    return sum;
}

static crossing_work cross_beside(ph_producer producer, uint32_t slowness, uint64_t first)
{
    crossing_work work = {0};
    const uint64_t bytes = sent_bytes, packs = packed, looks = all[0].member->halo.counts.looks, kept = kept_of(0);
    for (uint64_t i = 0; i < CROSSINGS + FAMILY_TICKS; i++) {
        const uint64_t messages = messages_of(0);
        if (i < CROSSINGS) enter_at(0, first + i, own_place(0, 5), (float)i * 10);
        if (i >= FAMILY_TICKS)
            cr_assert_eq(ph_move(producer, first + i - FAMILY_TICKS, own_place(0, -50), (float)i * 10, 0), PH_OK);
        for (uint64_t id = 1; id <= MOVERS; id++)
            cr_assert_eq(ph_move(producer, id, own_place(0, 20 + (float)(i % 10)), (float)id * 20, 0), PH_OK);
        step_first(i % slowness == 0 ? MEMBERS : 1);
        if (messages_of(0) - messages > work.messages_most) work.messages_most = messages_of(0) - messages;
    }
    work.bytes = sent_bytes - bytes;
    work.packed = packed - packs;
    work.looks = all[0].member->halo.counts.looks - looks;
    work.kept = kept_of(0) - kept;
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_members(); /* all have come; then they are gone */
    cr_assert(stats_of(0).transit == 0 && stats_of(0).own == MOVERS && stats_of(1).own == CROSSINGS);
    for (uint64_t i = 0; i < CROSSINGS; i++) cr_assert_eq(phc_leave(all[1].member, first + i), PH_OK);
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_members();
    return work;
}

/*
 * What a slow node has not answered is said again, in the same messages: so the work of a tick grows with the entities
 * that are on their way, by their copies and offers alone, and each of them is packed once.
 */
Test(member_metrics, entities_that_cross_to_a_slow_node_cost_what_is_on_its_way)
{
    enum { SLOWNESS = 7, OFFER_BYTES = 256, MESSAGES = 3 }; /* OFFER_BYTES: and a copy */
    ph_producer producer;
    cr_assert_eq(ph_producer_open(all[0].world, &producer), PH_OK);
    for (uint64_t id = 1; id <= MOVERS; id++) enter_at(0, id, own_place(0, 20), (float)id * 20);
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_members();
    const crossing_work plain = cross_beside(producer, 1, 1000), beside = cross_beside(producer, SLOWNESS, 2000);
    cr_assert_eq(stats_of(0).handed, 2 * CROSSINGS);
    cr_assert(plain.messages_most <= MESSAGES && beside.messages_most <= MESSAGES, "%u and %u messages in a tick",
              (unsigned)plain.messages_most, (unsigned)beside.messages_most);
    cr_assert(plain.packed == CROSSINGS && beside.packed == CROSSINGS, "%u and %u are packed", (unsigned)plain.packed,
              (unsigned)beside.packed);
    cr_assert(plain.kept == 0 && beside.kept == 0);
    cr_assert_eq(beside.looks, plain.looks);
    cr_assert_leq(beside.bytes, plain.bytes + CROSSINGS * SLOWNESS * OFFER_BYTES, "%u above %u bytes",
                  (unsigned)(beside.bytes - plain.bytes), (unsigned)plain.bytes);
    cr_assert_eq(ph_producer_close(producer), PH_OK);
}

/* A copy in a node's own region, of an entity that has just crossed, is load of the node that owns it. */
Test(member_metrics, a_copy_in_an_own_region_is_no_load_of_the_region)
{
    const phc *member = all[1].member;
    ph_producer producer;
    cr_assert_eq(ph_producer_open(all[0].world, &producer), PH_OK);
    for (uint64_t id = 1; id <= 3; id++) enter_at(1, id, own_place(1, 200), 10);
    enter_at(0, 7, own_place(0, 10), 10);
    for (uint32_t i = 0; i < 4; i++) step_members();
    cr_assert_eq(ph_move(producer, 7, own_place(0, -1), 10, 0), PH_OK);
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_members(); /* longer than from one report to the next */
    const uint32_t region = phx_halo_region(&member->grid, own_place(1, 200), 10);
    cr_assert_eq(phx_halo_region(&member->grid, own_place(0, -1), 10), region);
    cr_assert_eq(stats_of(1).remote, 1, "it has the copy");
    cr_assert_eq(member->load.entities[region], 3);
    cr_assert_eq(ph_producer_close(producer), PH_OK);
}

/* ---- families ---- */

/* A host's producer in a world. */
static ph_producer open_producer(uint32_t i)
{
    ph_producer producer;
    cr_assert_eq(ph_producer_open(all[i].world, &producer), PH_OK);
    return producer;
}

Test(member_metrics, nothing_of_a_child_that_was_handed_over_is_refused)
{
    const ph_attrs wide = {.given = PH_VIEW, .view = 30};
    const float y = 20, far = 60;
    ph_attrs attrs;
    const ph_producer here = open_producer(0), there = open_producer(1);
    const uint64_t before = stats_of(0).refused;
    for (uint64_t id = 1; id <= 2; id++) enter_at(0, id, own_place(0, 10), y);
    cr_assert_eq(ph_attach(here, 2, 1), PH_OK);
    step_members();
    cr_assert_eq(ph_move(here, 1, own_place(0, -50), y, 0), PH_OK);
    for (uint32_t i = 0; i < 8; i++) step_members();
    cr_assert(phc_owns(all[1].member, 1) && phc_owns(all[1].member, 2));
    cr_assert_eq(ph_set(there, 2, &wide), PH_OK);
    cr_assert_eq(ph_detach(there, 2), PH_OK);
    cr_assert_eq(ph_move(there, 2, own_place(0, -50), far, 0), PH_OK);
    for (uint32_t i = 0; i < 4; i++) step_members();
    cr_assert_eq(ph_entity_get(all[0].world, 2, &attrs), PH_OK);
    cr_assert(attrs.remote && attrs.y == far && attrs.view == wide.view, "at %g", (double)attrs.y);
    cr_assert_eq(stats_of(0).refused, before);
}

Test(member_metrics, an_own_entity_is_not_attached_to_another_nodes_and_goes_on_being_handed_over)
{
    ph_refusal refusals[2] = {0};
    uint32_t count = 0;
    const ph_producer here = open_producer(0);
    enter_at(0, 1, own_place(0, 10), 20);
    enter_at(1, 2, own_place(0, -50), 20);
    for (uint32_t i = 0; i < 4; i++) step_members();
    cr_assert_eq(ph_attach(here, 1, 2), PH_OK);
    cr_assert_eq(ph_attach(here, 2, 1), PH_OK);
    step_members();
    cr_assert_eq(ph_producer_refusals(here, refusals, 2, &count), PH_OK);
    cr_assert(count == 2 && refusals[0].status == PH_BAD_VALUE && refusals[1].status == PH_BAD_VALUE, "%u", count);
    cr_assert_eq(ph_move(here, 1, own_place(0, -50), 20, 0), PH_OK);
    for (uint32_t i = 0; i < 4; i++) step_members();
    cr_assert(phc_owns(all[1].member, 1));
    const phc_stats stats = stats_of(0);
    for (uint32_t i = 0; i < PH_STATUSES_MAX; i++) cr_assert_eq(stats.kept[i], 0, "%s", ph_status_name((ph_status)i));
}

/* ---- entities that are seen from far ---- */

Test(member_metrics, what_is_seen_from_far_is_counted_while_its_node_tells_of_it)
{
    const ph_producer here = open_producer(0);
    enter_at(0, 1, own_place(0, 300), 20);
    enter_at(0, 2, own_place(0, 400), 20);
    step_members();
    cr_assert(stats_of(0).far == 0 && stats_of(1).remote == 0);
    cr_assert_eq(ph_set(here, 1, &(ph_attrs){.given = PH_GLOBAL, .global = true}), PH_OK);
    cr_assert_eq(ph_set(here, 2, &(ph_attrs){.given = PH_REACH, .reach = 450}), PH_OK);
    step_members();
    for (uint64_t id = 1; id <= 2; id++) cr_assert_eq(phc_look(all[0].member, id), PH_OK);
    for (uint32_t i = 0; i < 3; i++) step_members();
    cr_assert(stats_of(0).far == 2 && stats_of(1).far == 0 && stats_of(1).remote == 2);
    cr_assert_eq(ph_set(here, 1, &(ph_attrs){.given = PH_GLOBAL}), PH_OK);
    cr_assert_eq(phc_leave(all[0].member, 2), PH_OK);
    for (uint32_t i = 0; i < 2 * PHX_HALO_REPEATS; i++) {
        cr_assert_eq(phc_look(all[0].member, 1), PH_OK);
        step_members();
    }
    cr_assert(stats_of(0).far == 0 && stats_of(0).own == 1);
}

/* Of the views of players' clients, in tenths: some are no sum of floats. */
Test(member_metrics, a_halo_that_is_computed_has_room_for_all_classes)
{
    ph_class class = ph_class_default("default");
    ph_world_def world_def = ph_world_def_default();
    phc_def def = phc_def_default();
    def.world_def = &world_def;
    world_def.classes = &class;
    world_def.class_count = 1;
    for (uint32_t tenths = 1; tenths <= 5400; tenths++) {
        class.view = (float)(tenths / 2) * 0.1f;
        class.margin = tenths % 2 == 0 ? 0.0f : class.view * 0.1f;
        const float within = phx_cluster_view_within(&def, phx_cluster_least_halo(&def));
        cr_assert_geq(within, class.view + class.margin, "%g and %g: %.9g", (double)class.view, (double)class.margin,
                      (double)within);
    }
}

Test(member_metrics, a_view_that_the_halo_has_no_room_for_is_counted)
{
    const ph_producer here = open_producer(0);
    ph_attrs attrs;
    enter_at(0, 1, own_place(0, 300), 20);
    step_members();
    cr_assert_eq(phc_look(all[0].member, 1), PH_OK);
    step_members();
    cr_assert_eq(stats_of(0).halo_exceeded, 0); /* by its class */
    cr_assert_eq(ph_entity_get(all[0].world, 1, &attrs), PH_OK);
    cr_assert_eq(ph_set(here, 1, &(ph_attrs){.given = PH_VIEW, .view = attrs.view + 1}), PH_OK);
    cr_assert_eq(phc_look(all[0].member, 1), PH_OK);
    step_members();
    step_members();
    cr_assert_gt(stats_of(0).halo_exceeded, 0);
    cr_assert_eq(stats_of(1).halo_exceeded, 0);
}

Test(member_metrics, moves_beyond_the_speed_are_counted_by_the_nodes_that_have_copies)
{
    const float SPEED = phc_def_default().speed_max;
    const ph_producer there = open_producer(1);
    float from_border = 10;
    enter_at(1, 1, own_place(1, from_border), 20);
    for (uint32_t i = 0; i < 8; i++) step_members();
    cr_assert_gt(stats_of(0).copies_in, 0);
    for (uint32_t i = 0; i < 3; i++) {
        from_border += SPEED;
        cr_assert_eq(ph_move(there, 1, own_place(1, from_border), 20, 0), PH_OK);
        step_members();
    }
    phc_loop_cut(loop, &all[1].transport, true, true); /* three messages are lost */
    for (uint32_t i = 0; i < 3; i++) {
        from_border += SPEED;
        cr_assert_eq(ph_move(there, 1, own_place(1, from_border), 20, 0), PH_OK);
        step_members();
    }
    phc_loop_cut(loop, &all[1].transport, false, false);
    for (uint32_t i = 0; i < 4; i++) step_members();
    cr_assert_eq(stats_of(0).speed_exceeded, 0);
    from_border += 2 * SPEED;
    cr_assert_eq(ph_move(there, 1, own_place(1, from_border), 20, 0), PH_OK);
    for (uint32_t i = 0; i < 4; i++) step_members();
    cr_assert_eq(stats_of(0).speed_exceeded, 1, "once, however often it is told of");
    cr_assert_eq(stats_of(1).speed_exceeded, 0);
}

/* ---- ids that two hosts have entered ---- */

/* @return events that tell of id 1 and that node. */
static uint32_t count_doubles(phc *member, uint16_t number)
{
    phc_event event;
    uint32_t count = 0;
    while (phc_event_next(member, &event)) {
        if (event.kind != PHC_EVENT_DOUBLE_ID) continue;
        cr_assert(event.id == 1 && event.number == number && event.size == 0);
        count++;
    }
    return count;
}

Test(member_metrics, an_id_that_two_hosts_entered_is_told_to_both_once)
{
    const uint32_t quiet = all[0].member->def.silent_ticks;
    for (uint32_t i = 0; i < 2; i++) enter_at(i, 1, own_place(i, 10), 20);
    for (uint32_t i = 0; i < quiet; i++) step_members();
    for (uint32_t i = 0; i < 2; i++) cr_assert_eq(count_doubles(all[i].member, phc_number(all[1 - i].member)), 0);
    for (uint32_t i = 0; i < 6; i++) step_members();
    for (uint32_t i = 0; i < 2; i++) {
        cr_assert_eq(count_doubles(all[i].member, phc_number(all[1 - i].member)), 1);
        cr_assert_eq(stats_of(i).double_ids, 1);
    }
    for (uint32_t i = 0; i < 3 * quiet; i++) step_members();
    for (uint32_t i = 0; i < 2; i++) cr_assert_eq(count_doubles(all[i].member, phc_number(all[1 - i].member)), 0);
    cr_assert_eq(phc_leave(all[0].member, 1), PH_OK);
    for (uint32_t i = 0; i < 4; i++) step_members();
    cr_assert(phc_owns(all[1].member, 1) && !phc_owns(all[0].member, 1));
    cr_assert(stats_of(0).double_ids == 1 && stats_of(1).double_ids == 1);
}

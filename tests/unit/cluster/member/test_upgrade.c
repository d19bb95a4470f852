/*
 * Nodes that read different ranges of formats, as a rolling upgrade has them: entities cross between them, observers
 * see the others' entities, each message is in the format that its reader has, and the last old node is replaced.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/rng.h"
#include "cluster/member/phc_state.h"
#include "cluster/node_host.h"
#include "cluster/walks.h"

enum {
    TICK_NS = 50000000,
    NODES = 3,
    JOIN_ROUNDS = 80,
    WALK_ROUNDS = 120,
    REST_ROUNDS = 30,
    DRAIN_ROUNDS = 80,
    RISE_ROUNDS = 120, /* a lease, and some lists */
    ASK_ROUNDS = 20,
    WALKERS = 24,
    VIEW = 90,
    STEP = 12,
    FORMATS_MAX = 4
};

typedef enum message_kind { OF_CHANNEL, OF_HALO, OF_HEARTBEAT, KINDS } message_kind;

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES];
static ph_world_def world_def;
static ph_class class;
static phc_def def;
static uint64_t now_ns, rng;
static bool walks, is_drained[NODES];
static uint32_t restores, rounds, answers;
static uint64_t sent[KINDS][FORMATS_MAX + 1]; /* messages by their format */
static uint64_t entries[NODES];               /* entities that came from another node */

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static const phx_node *node_of(uint32_t k)
{
    return &hosts[k].member->node;
}

/* The highest that both read, the sender and the node at the end of the subject. */
static uint8_t format_to(uint32_t from, const char *subject)
{
    const uint64_t target = strtoull(strrchr(subject, '.') + 1, NULL, 10);
    const uint8_t own = node_of(from)->def.formats.max;
    for (uint32_t k = 0; k < NODES; k++) {
        if (!hosts[k].member || node_of(k)->def.member.registration != target) continue;
        const uint8_t other = node_of(k)->def.formats.max;
        return own < other ? own : other;
    }
    return 0; /* one that has ended since */
}

static ph_status read_sent(void *user, phc_traffic traffic, const char *subject, const void *bytes, size_t size)
{
    uint32_t from = 0;
    while (hosts[from].transport.user != user) from++;
    const uint8_t format = ((const uint8_t *)bytes)[4]; /* behind the magic */
    const bool is_heartbeat = strstr(subject, ".hb") != NULL, is_halo = strstr(subject, ".halo.") != NULL;
    const uint8_t expected = is_heartbeat ? node_of(from)->map.format : format_to(from, subject);
    cr_assert(format <= FORMATS_MAX && (format == expected || expected == 0), "%s: %u, not %u", subject, format,
              expected);
    sent[is_heartbeat ? OF_HEARTBEAT : is_halo ? OF_HALO : OF_CHANNEL][format]++;
    return hosts[from].transport.send(user, traffic, subject, bytes, size);
}

/* A node of a version of the library that reads these formats. */
static void open_node(uint32_t k, uint8_t min, uint8_t max)
{
    node_host_open(&hosts[k], &def, loop, 256, memory);
    phc *member = hosts[k].member;
    member->node.def.formats = (phx_formats){min, max};
    member->node.def.member.format = max;
    member->transport.send = read_sent; /* the node's own copy of the calls */
    is_drained[k] = false;
}

static void set_up(void)
{
    world_def = node_host_world_def(&class, VIEW, 0);
    def = node_host_def(&world_def, NODES, read_clock);
    def.speed_max = STEP;
    now_ns = TICK_NS;
    rng = 1;
    walks = false;
    restores = rounds = answers = 0;
    node_host_open_ways(&loop, &memory);
}

static void tear_down(void)
{
    node_host_close_all(hosts, NODES, loop, memory);
}

TestSuite(upgrade, .init = set_up, .fini = tear_down);

static float position_of(uint32_t k, uint64_t id, float *y)
{
    ph_attrs attrs;
    cr_assert_eq(ph_entity_get(hosts[k].world, id, &attrs), PH_OK);
    *y = attrs.y;
    return attrs.x;
}

/* To and fro, so far that each of them crosses borders. */
static void walk_own(uint32_t k)
{
    enum { LEG_ROUNDS = WALK_ROUNDS / 3 };
    for (uint64_t id = 1; id <= WALKERS && walks; id++) {
        float y;
        if (!phc_owns(hosts[k].member, id)) continue;
        const float x = position_of(k, id, &y), by = (id + rounds / LEG_ROUNDS) % 2 ? STEP : -STEP;
        const float to = x + by < 0 || x + by >= WALKS_SIZE ? x : x + by;
        cr_assert_eq(ph_move(hosts[k].producer, id, to, y, 0), PH_OK);
    }
}

static void run_node(uint32_t k)
{
    phc_event event;
    const ph_status status = phc_tick(hosts[k].member);
    while (phc_event_next(hosts[k].member, &event)) {
        is_drained[k] |= event.kind == PHC_EVENT_DRAINED;
        restores += event.kind == PHC_EVENT_RESTORE;
        answers += event.kind == PHC_EVENT_WHO_HAS;
        entries[k] += event.kind == PHC_EVENT_GAINED;
    }
    if (status == PH_OK) walk_own(k);
    if (!is_drained[k]) node_host_end_round(&hosts[k]);
    else node_host_close(&hosts[k]);
}

static void run_rounds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, rounds++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        for (uint32_t k = 0; k < NODES; k++)
            if (hosts[k].member) run_node(k);
        phc_loop_step(loop);
    }
}

static void enter_walkers(void)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y,
                                .x = (float)phx_rng_below(&rng, (uint32_t)WALKS_SIZE),
                                .y = WALKS_SIZE / 2 + (float)phx_rng_below(&rng, STEP)};
        const uint16_t number = phc_owner_of(hosts[1].member, attrs.x, attrs.y);
        uint32_t k = 0;
        while (phc_number(hosts[k].member) != number) k++;
        cr_assert_eq(phc_enter(hosts[k].member, id, &attrs, 0), PH_OK);
    }
}

/* Each walker is at one node, and has in its list all that are near, whichever node has them. */
static void check_walkers(void)
{
    static bool listed[CLIENTS_IDS];
    uint32_t owners[WALKERS + 1];
    float x[WALKERS + 1], y[WALKERS + 1];
    for (uint64_t id = 1; id <= WALKERS; id++) {
        uint32_t count = 0;
        for (uint32_t k = 0; k < NODES; k++) {
            if (!hosts[k].member || !phc_owns(hosts[k].member, id)) continue;
            owners[id] = k;
            count++;
        }
        cr_assert_eq(count, 1, "%u nodes have %u", count, (unsigned)id);
        x[id] = position_of(owners[id], id, &y[id]);
    }
    for (uint64_t id = 1; id <= WALKERS; id++) {
        (void)clients_list(hosts[owners[id]].world, id, listed);
        for (uint64_t other = 1; other <= WALKERS; other++) {
            const float dx = x[id] - x[other], dy = y[id] - y[other];
            const bool is_near = id != other && dx * dx + dy * dy <= VIEW * VIEW;
            cr_assert_eq(listed[other], is_near, "%u and %u", (unsigned)id, (unsigned)other);
        }
    }
    cr_assert_eq(restores, 0, "no node was lost");
}

/* Of all others, that say so in messages of their own. */
static void ask_around(uint32_t k)
{
    const uint64_t id = 1;
    const uint32_t before = answers;
    cr_assert_eq(phc_who_has(hosts[k].member, &id, 1), PH_OK);
    run_rounds(ASK_ROUNDS);
    cr_assert_eq(answers, before + 1, "node %u", k);
}

static void walk_and_rest(void)
{
    memset(sent, 0, sizeof sent);
    memset(entries, 0, sizeof entries);
    walks = true;
    run_rounds(WALK_ROUNDS);
    walks = false;
    run_rounds(REST_ROUNDS);
    check_walkers();
    for (uint32_t k = 0; k < NODES; k++) ask_around(k);
    for (uint32_t k = 0; k < NODES; k++) cr_assert(!hosts[k].member || entries[k] > 0, "none comes to node %u", k);
}

static void check_formats(uint8_t lowest, uint8_t highest, uint8_t of_heartbeats)
{
    for (uint32_t format = 0; format <= FORMATS_MAX; format++) {
        const bool is_sent = format >= lowest && format <= highest;
        cr_assert_eq(sent[OF_CHANNEL][format] > 0, is_sent, "%u", format);
        cr_assert_eq(sent[OF_HALO][format] > 0, is_sent, "%u", format);
        cr_assert_eq(sent[OF_HEARTBEAT][format] > 0, format == of_heartbeats, "%u", format);
    }
}

Test(upgrade, nodes_of_two_versions_share_a_world_and_the_old_one_is_replaced)
{
    open_node(0, 1, 1);
    run_rounds(JOIN_ROUNDS);
    for (uint32_t k = 1; k < NODES; k++) open_node(k, 1, 2);
    run_rounds(JOIN_ROUNDS);
    enter_walkers();
    run_rounds(REST_ROUNDS);
    walk_and_rest();
    check_formats(1, 2, 1);
    walks = true;
    phc_drain(hosts[0].member);
    for (uint32_t i = 0; i < DRAIN_ROUNDS && !is_drained[0]; i++) run_rounds(1);
    cr_assert(is_drained[0]);
    run_rounds(RISE_ROUNDS);
    for (uint32_t k = 1; k < NODES; k++) cr_assert_eq(node_of(k)->map.format, 2);
    open_node(0, 2, 3);
    run_rounds(JOIN_ROUNDS);
    walk_and_rest();
    check_formats(2, 2, 2);
    for (uint32_t k = 0; k < NODES; k++) {
        uint64_t flawed = hosts[k].member->counts.flawed_questions;
        for (uint32_t flaw = 1; flaw <= PHX_WIRE_BAD_ITEM; flaw++)
            flawed += node_of(k)->counts.flawed[flaw] + hosts[k].member->halo.counts.flawed[flaw];
        cr_assert_eq(flawed, 0, "node %u", k);
    }
}

/*
 * Pins between two halos, each over a world of its own, whose messages are lost, doubled and late by seed: in calm each
 * has the pins of the other one, however wild the ticks before were, and steady ones cost no byte.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/halo/halo.h"
#include "cluster/halo/halo_in.h"
#include "cluster/halo/halo_out.h"
#include "cluster/halo/halo_pins.h"
#include "cluster/halo/halo_table.h"
#include "cluster/map/map_changes.h"
#include "support/fail_alloc.h"

enum {
    NODES = 2,
    QUIET = 40,
    SEEDS = 60,
    WILD = 200,   /* ticks of loss */
    CALM = 8,     /* ticks until both have heard that they were heard */
    IDS = 30,     /* pinned or not, by seed */
    WAITING = 64, /* messages on their way */
    MESSAGE = 4096,
    LATE_MAX = 8
};

typedef struct waiting_message {
    uint64_t due;
    size_t size;
    unsigned char bytes[MESSAGE];
} waiting_message;

typedef struct pin_node {
    ph_world world;
    ph_producer producer;
    phx_node node;
    phx_halo *halo;
    bool pinned[IDS + 1];
    waiting_message waiting[WAITING]; /* to this one */
    uint32_t waiting_count;
} pin_node;

static fail_alloc allocator;
static pin_node nodes[NODES];
static phx_cluster_map map;
static uint64_t rng, tick, bytes_sent;
static uint32_t pins_sent, wild; /* of 100 messages */

/* ---- nodes ---- */

static void open_node(pin_node *of, uint64_t registration, uint16_t number)
{
    const ph_world_def def = ph_world_def_default();
    memset(of, 0, sizeof *of);
    cr_assert_eq(ph_world_create(&def, &of->world), PH_OK);
    cr_assert_eq(ph_producer_open(of->world, &of->producer), PH_OK);
    phx_node_init(&of->node, &(phx_node_def){.member = {.registration = registration, .number = number},
                                             .unacked_max = 8,
                                             .allocator = fail_alloc_hooks(&allocator)});
    of->halo = malloc(sizeof *of->halo);
    cr_assert_not_null(of->halo);
    phx_halo_init(of->halo, &(phx_halo_def){.world = of->world,
                                            .producer = of->producer,
                                            .node = &of->node,
                                            .grid = {.size = {100, 100}, .columns = 2, .rows = 1},
                                            .width = 10,
                                            .grace_ticks = 12,
                                            .passed_ticks = 12,
                                            .quiet_ticks = QUIET,
                                            .allocator = fail_alloc_hooks(&allocator)});
}

static void close_node(pin_node *of)
{
    phx_halo_free(of->halo);
    free(of->halo);
    phx_node_free(&of->node);
    cr_assert_eq(ph_world_destroy(of->world), PH_OK);
}

static void set_up(void)
{
    allocator = (fail_alloc){0};
    rng = 1;
    tick = bytes_sent = pins_sent = wild = 0;
    phx_cluster_map_init(&map, 2, 1);
    for (uint32_t i = 0; i < NODES; i++) {
        open_node(&nodes[i], 10 + i, (uint16_t)(1 + i));
        cr_assert(phx_cluster_map_join(&map, nodes[i].node.def.member));
    }
    for (uint32_t i = 0; i < NODES; i++) cr_assert_eq(phx_node_map(&nodes[i].node, &map), PH_OK);
}

static void tear_down(void)
{
    for (uint32_t i = 0; i < NODES; i++) close_node(&nodes[i]);
    cr_assert(fail_alloc_clean(&allocator));
}

TestSuite(halo_pins, .init = set_up, .fini = tear_down);

/* ---- messages ---- */

static void keep_message(pin_node *to, const void *bytes, size_t size)
{
    cr_assert(size <= MESSAGE && to->waiting_count < WAITING);
    waiting_message *kept = &to->waiting[to->waiting_count++];
    kept->due = tick + (phx_rng_below(&rng, 100) < wild ? phx_rng_below(&rng, LATE_MAX) : 0);
    kept->size = size;
    memcpy(kept->bytes, bytes, size);
}

/* A message that is too long to wait is one of many pins, and comes at once. */
static void send_message(void *user, uint64_t target, const void *bytes, size_t size)
{
    phx_halo_head head;
    phx_halo_parts parts;
    pin_node *to = user;
    cr_assert_eq(phx_halo_open(&head, &parts, PHX_FORMATS, bytes, size), PHX_WIRE_GOOD);
    cr_assert_eq(target, to->node.def.member.registration);
    pins_sent += head.pins;
    bytes_sent += size;
    if (phx_rng_below(&rng, 100) < wild) return;
    if (size > MESSAGE) {
        phx_halo_receive(to->halo, bytes, size);
        return;
    }
    keep_message(to, bytes, size);
    if (phx_rng_below(&rng, 100) < wild) keep_message(to, bytes, size);
}

static void receive_messages(pin_node *of)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < of->waiting_count; i++) {
        const waiting_message *message = &of->waiting[i];
        if (message->due < tick) phx_halo_receive(of->halo, message->bytes, message->size);
        else of->waiting[kept++] = *message;
    }
    of->waiting_count = kept;
}

static void tick_node(uint32_t i)
{
    receive_messages(&nodes[i]);
    phx_halo_begin_tick(nodes[i].halo);
    cr_assert_eq(ph_tick(nodes[i].world, NULL), PH_OK);
    phx_halo_write(nodes[i].halo, send_message, &nodes[1 - i]);
}

static void tick_nodes(void)
{
    tick++;
    for (uint32_t i = 0; i < NODES; i++) tick_node(i);
}

static void tick_for(uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) tick_nodes();
}

static bool has_pin(const pin_node *of, uint64_t registration, uint64_t id)
{
    const phx_halo_peer *peer = phx_halo_peer_find(of->halo, registration);
    bool has = false;
    for (uint32_t i = 0; peer && i < peer->pin_count; i++) has |= peer->pins[i] == id;
    cr_assert(!peer || has == phx_halo_pins_have(peer, id), "id %lu", (unsigned long)id);
    return has;
}

/* Has each node the pins of the other one, and no more? */
static void check_pins(uint64_t seed)
{
    for (uint32_t i = 0; i < NODES; i++)
        for (uint64_t id = 1; id <= IDS; id++)
            cr_assert_eq(has_pin(&nodes[i], nodes[1 - i].node.def.member.registration, id), nodes[1 - i].pinned[id],
                         "seed %lu: node %u, id %lu", (unsigned long)seed, i, (unsigned long)id);
}

static void set_pin(pin_node *of, uint64_t id, bool on)
{
    cr_assert_eq(phx_halo_pin(of->halo, id, on), PH_OK);
    of->pinned[id] = on;
}

/* Some changes, also behind the messages of a tick. */
static void draw_pins(void)
{
    enum { CHANGES = 4 };
    pin_node *of = &nodes[phx_rng_below(&rng, NODES)];
    for (uint32_t i = phx_rng_below(&rng, CHANGES); i > 0; i--)
        set_pin(of, 1 + phx_rng_below(&rng, IDS), phx_rng_below(&rng, 2) == 0);
}

/* ---- tests ---- */

Test(halo_pins, steady_pins_cost_nothing)
{
    tick_for(CALM);
    bytes_sent = 0;
    tick_nodes();
    const uint64_t without = bytes_sent;
    for (uint64_t id = 1; id <= PHX_HALO_PINS_MAX; id++) cr_assert_eq(phx_halo_pin(nodes[0].halo, id, true), PH_OK);
    cr_assert_eq(phx_halo_pin(nodes[0].halo, PHX_HALO_PINS_MAX + 1, true), PH_CAPACITY);
    tick_for(CALM);
    for (uint64_t id = 1; id <= PHX_HALO_PINS_MAX; id += 97) cr_assert(has_pin(&nodes[1], 10, id));
    bytes_sent = pins_sent = 0;
    tick_nodes();
    cr_assert(pins_sent == 0 && bytes_sent == without, "%lu bytes, %lu without pins", (unsigned long)bytes_sent,
              (unsigned long)without);
    cr_assert_eq(phx_halo_pin(nodes[0].halo, 5, false), PH_OK);
    cr_assert_eq(phx_halo_pin(nodes[0].halo, PHX_HALO_PINS_MAX + 1, true), PH_OK, "in its place");
    cr_assert_eq(phx_halo_pin(nodes[0].halo, PHX_HALO_PINS_MAX + 1, true), PH_OK, "the second time");
    tick_for(CALM);
    cr_assert(pins_sent > 0 && pins_sent < CALM, "%u places for one change", pins_sent);
    cr_assert(!has_pin(&nodes[1], 10, 5) && has_pin(&nodes[1], 10, PHX_HALO_PINS_MAX + 1));
}

Test(halo_pins, lost_late_and_doubled_messages_heal)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        rng = seed;
        for (uint32_t i = 0; i < WILD; i++) {
            wild = 30;
            draw_pins();
            tick_nodes();
        }
        wild = 0;
        tick_for(LATE_MAX + CALM);
        check_pins(seed);
        pins_sent = 0;
        tick_nodes();
        cr_assert_eq(pins_sent, 0, "seed %lu", (unsigned long)seed);
    }
}

/* The place that it gets is told before the one that it has left. */
Test(halo_pins, an_id_that_goes_to_an_earlier_place_stays_pinned)
{
    for (uint64_t id = 1; id <= 2; id++) set_pin(&nodes[0], id, true);
    tick_for(CALM);
    set_pin(&nodes[0], 2, false);
    set_pin(&nodes[0], 1, false);
    set_pin(&nodes[0], 2, true);
    for (uint32_t i = 0; i < CALM; i++) { /* told again, it would be there again */
        tick_nodes();
        cr_assert(has_pin(&nodes[1], nodes[0].node.def.member.registration, 2));
    }
    check_pins(0);
}

/* The process ends, and another one comes with its number: it has nothing, and is told all; its own pins are new. */
Test(halo_pins, a_process_that_begins_anew_is_told_all)
{
    for (uint64_t id = 1; id <= 5; id++) set_pin(&nodes[0], id, true);
    for (uint64_t id = 6; id <= 9; id++) set_pin(&nodes[1], id, true);
    tick_for(CALM);
    check_pins(0);
    const uint64_t old = nodes[1].node.def.member.registration;
    cr_assert(phx_cluster_map_put_out(&map, old));
    close_node(&nodes[1]);
    open_node(&nodes[1], 20, 2);
    cr_assert(phx_cluster_map_join(&map, nodes[1].node.def.member));
    for (uint32_t i = 0; i < NODES; i++) cr_assert_eq(phx_node_map(&nodes[i].node, &map), PH_OK);
    set_pin(&nodes[1], 2, true);
    tick_for(CALM);
    check_pins(0);
    cr_assert(!has_pin(&nodes[0], 20, 6));
}

/* It may have heard nothing true for long. */
Test(halo_pins, a_peer_that_has_not_the_pins_before_takes_no_changes)
{
    for (uint64_t id = 1; id <= 5; id++) set_pin(&nodes[0], id, true);
    tick_for(CALM);
    phx_halo_peer *known = phx_halo_peer_find(nodes[1].halo, 10);
    memset(known->pins, 0, known->pin_count * sizeof *known->pins);
    phx_idmap_clear(&known->pinned);
    known->pins_tick = 0;
    set_pin(&nodes[0], 6, true);
    tick_nodes();
    cr_assert_eq(known->pins_tick, 0, "a change is not all of them");
    tick_for(CALM);
    check_pins(0);
}

Test(halo_pins, a_peer_that_was_silent_may_have_been_another_one)
{
    set_pin(&nodes[0], 1, true);
    tick_for(CALM);
    wild = 100;
    tick_for(QUIET + 1);
    wild = pins_sent = 0;
    tick_for(CALM);
    cr_assert_gt(pins_sent, 0);
    check_pins(0);
}

/* The messages of its tick have gone, and the peer, which ticks between, has said that it has these. */
Test(halo_pins, a_pin_behind_the_messages_of_a_tick_goes_with_the_next_ones)
{
    tick_for(CALM);
    tick++;
    tick_node(0);
    tick++;
    tick_node(1);
    set_pin(&nodes[0], 1, true);
    tick++;
    tick_node(0);
    cr_assert_eq(phx_halo_peer_find(nodes[0].halo, 11)->pins_echo + 1, nodes[0].halo->now);
    cr_assert_gt(pins_sent, 0);
    tick_for(CALM);
    check_pins(0);
}

/* Of two messages of a tick the first one, which has them, is lost. */
Test(halo_pins, pins_of_a_lost_message_are_not_heard)
{
    unsigned char bytes[PHX_HALO_HEAD_BYTES + sizeof(uint64_t)]; /* and the sum */
    tick_for(CALM);
    phx_halo_peer *peer = phx_halo_peer_find(nodes[1].halo, 10);
    const uint64_t heard = peer->pins_tick;
    phx_halo_head head = {
        .format = PHX_FORMAT_MAX, .source = 10, .target = 11, .version = map.version, .heard_version = 1};
    head.tick = nodes[0].halo->now + 1;
    head.pins_since = heard;
    head.part = 1;
    head.last = true;
    phx_halo_receive(nodes[1].halo, bytes, phx_halo_seal(bytes, &head));
    cr_assert(peer->newest == head.tick && peer->pins_tick == heard);
    head.part = 0;
    phx_halo_receive(nodes[1].halo, bytes, phx_halo_seal(bytes, &head));
    cr_assert_eq(peer->pins_tick, head.tick, "it was late, and it is of the newest tick");
}

Test(halo_pins, without_memory_they_come_again)
{
    set_pin(&nodes[0], 1, true);
    tick_for(CALM);
    for (uint64_t id = 2; id <= IDS; id++) set_pin(&nodes[0], id, true);
    tick_nodes();
    fail_alloc_order(&allocator, 1, true);
    tick_nodes();
    fail_alloc_order(&allocator, 0, false);
    cr_assert_eq(nodes[1].halo->counts.no_memory, 1);
    cr_assert(!has_pin(&nodes[1], 10, IDS));
    tick_for(CALM);
    check_pins(0);
}

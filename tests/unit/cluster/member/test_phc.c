/*
 * A member by its calls (cluster.h): refused definitions, the lease by the host's clock, a process that slept,
 * questions and their bytes, numbers; and two members whose rounds allocate nothing once all is steady.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/cluster.h>

#include "base/rng.h"
#include "cluster/halo/family.h"
#include "cluster/member/phc_state.h"
#include "cluster/node/exchange.h"
#include "cluster/node/hand_over.h"
#include "cluster/node_host.h"
#include "cluster/wire/question_wire.h"
#include "support/fail_alloc.h"
#include "world/queue/capsule.h"

enum { TICK_NS = 50000000, WARM_TICKS = 60, MEMBERS = 2 };

static uint64_t now_ns;
static ph_class class;
static ph_world_def world_def;
static phc_loop *loop;
static phc_memory *memory;
static node_host all[MEMBERS];
static fail_alloc counted;

static uint64_t read_clock(void *user)
{
    return *(uint64_t *)user;
}

static phc_def sound_def(void)
{
    phc_def def = node_host_def(&world_def, MEMBERS, read_clock);
    def.clock_user = &now_ns;
    def.allocator = fail_alloc_hooks(&counted);
    return def;
}

static void set_up(void)
{
    class = ph_class_default("default");
    class.view = 50;
    world_def = ph_world_def_default();
    world_def.classes = &class;
    world_def.class_count = 1;
    world_def.world_size[0] = world_def.world_size[1] = 1000;
    world_def.consumers = 0;
    now_ns = TICK_NS;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < MEMBERS; i++) node_host_join(&all[i], &world_def, loop, 1024, memory);
}

static ph_status open_member(uint32_t i, const phc_def *def)
{
    char reason[PHC_REASON_SIZE] = "";
    const ph_status status =
        phc_open(def, all[i].world, &all[i].transport, &all[i].store, &all[i].member, reason, sizeof reason);
    cr_assert((status == PH_BAD_DEF) == (reason[0] != '\0'), "%s", reason);
    if (status == PH_OK && ph_producer_open(all[i].world, &all[i].producer) != PH_OK)
        all[i].producer = (ph_producer){0}; /* a gateway has no world */
    return status;
}

static void tear_down(void)
{
    node_host_close_all(all, MEMBERS, loop, memory);
    cr_assert(fail_alloc_clean(&counted));
}

/* One tick of the first members. */
static void step_first(uint32_t count)
{
    now_ns += TICK_NS;
    phc_memory_step(memory, now_ns);
    for (uint32_t i = 0; i < count; i++) {
        if (!all[i].member) continue;
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

static void drop_events(phc *member)
{
    phc_event event;
    while (phc_event_next(member, &event)) continue;
}

/* The next event of that kind; others are passed over. */
static bool find_event(phc *member, phc_event_kind kind, phc_event *event)
{
    while (phc_event_next(member, event))
        if (event->kind == kind) return true;
    return false;
}

static void join_within(const phc_def *def, uint32_t ticks)
{
    for (uint32_t i = 0; i < MEMBERS; i++) cr_assert_eq(open_member(i, def), PH_OK);
    for (uint32_t i = 0; i < ticks; i++) step_members();
    for (uint32_t i = 0; i < MEMBERS; i++) cr_assert_neq(phc_number(all[i].member), 0);
}

static void join_with(const phc_def *def)
{
    join_within(def, WARM_TICKS);
}

static void join_members(void)
{
    const phc_def def = sound_def();
    join_with(&def);
}

TestSuite(phc, .init = set_up, .fini = tear_down);

#define REFUSES(change) \
    do { \
        phc_def def = sound_def(); \
        change; \
        cr_assert_eq(open_member(0, &def), PH_BAD_DEF, #change); \
    } while (0)

Test(phc, definitions_are_checked)
{
    REFUSES(def.name = NULL);
    REFUSES(def.name = "");
    REFUSES(def.name = "a.b");
    REFUSES(def.name = "12345678901234567890123456789012");
    REFUSES(def.world_def = NULL);
    REFUSES(def.regions[0] = 0);
    REFUSES(def.regions[1] = 65);
    REFUSES(def.lag_max = 0);
    REFUSES(def.silent_ticks = 3);
    REFUSES(def.lease_ms = 999);
    REFUSES(def.list_ms = 9);
    REFUSES(def.list_ms = def.lease_ms / 4 + 1);
    REFUSES((def.list_ms = 400, def.link_timeout_ms = 1199));
    REFUSES(def.link_timeout_ms = 1);
    REFUSES(def.moves_per_tick = 0);
    REFUSES(def.store_loss = (phc_store_loss)2);
    REFUSES(def.hand_over_margin = -1);
    REFUSES(def.speed_max = -1);
    REFUSES(def.halo = 99); /* 50 of view, 2 * 5 of margins, 2 * 5 * 4 of speed are 100 */
    REFUSES(def.gateway = true);
    REFUSES(def.reserved[7] = 1);
    phc_def def = sound_def();
    const ph_world null = {0};
    cr_assert_eq(phc_open(&def, null, &all[0].transport, &all[0].store, &all[0].member, NULL, 0), PH_BAD_DEF);
    cr_assert_eq(phc_open(NULL, all[0].world, &all[0].transport, &all[0].store, &all[0].member, NULL, 0),
                 PH_BAD_ARGUMENT);
    cr_assert_null(all[0].member);
    def.halo = 100;
    cr_assert_eq(open_member(0, &def), PH_OK);
    cr_assert_eq(phc_enter(all[0].member, 1, &(ph_attrs){.given = PH_X | PH_Y}, 0), PH_BUSY); /* in no map yet */
    cr_assert_eq(phc_owner_of(all[0].member, 1, 1), 0);
}

Test(phc, without_memory_nothing_is_opened)
{
    const phc_def def = sound_def();
    for (uint64_t n = 1;; n++) {
        fail_alloc_order(&counted, n, false);
        const ph_status status = open_member(0, &def);
        fail_alloc_order(&counted, 0, false);
        if (status == PH_OK) break;
        cr_assert_eq(status, PH_NO_MEMORY);
        cr_assert(fail_alloc_clean(&counted));
    }
}

Test(phc, an_entity_enters_where_its_region_is_and_leaves)
{
    join_members();
    phc *owner = all[0].member, *other = all[1].member;
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = phc_owner_of(owner, 0, 0) == phc_number(owner) ? 10.0f : 990.0f};
    cr_assert_eq(phc_owner_of(owner, attrs.x, 0), phc_number(owner));
    cr_assert_eq(phc_enter(other, 1, &attrs, 0), PH_TAKEN);
    cr_assert_eq(phc_enter(owner, 1, &(ph_attrs){.given = PH_X}, 0), PH_NOT_GIVEN);
    cr_assert_eq(phc_enter(owner, 0, &attrs, 0), PH_BAD_ID);
    cr_assert_eq(phc_enter(owner, 1, &attrs, UINT64_MAX), PH_BAD_VALUE);
    cr_assert_eq(phc_enter(owner, 1, &attrs, 0), PH_OK);
    cr_assert_eq(phc_enter(owner, 1, &attrs, 0), PH_EXISTS);
    cr_assert(phc_owns(owner, 1) && phc_node_of(owner, 1) == phc_number(owner) && phc_ownership(owner, 1) > 0);
    cr_assert_not(phc_owns(other, 1));
    step_members();
    cr_assert_eq(phc_leave(other, 1), PH_UNKNOWN_ID);
    cr_assert_eq(phc_leave(owner, 1), PH_OK);
    cr_assert_not(phc_owns(owner, 1));
}

Test(phc, the_lease_is_that_of_the_moment_and_a_process_that_slept_comes_back)
{
    phc_event event;
    join_members();
    const ph_attrs attrs = {.given = PH_X | PH_Y,
                            .x = phc_owner_of(all[0].member, 0, 0) == phc_number(all[0].member) ? 10.0f : 990.0f};
    cr_assert_eq(phc_enter(all[0].member, 1, &attrs, 0), PH_OK);
    step_members();
    cr_assert(phc_may_commit(all[0].member) && phc_owns(all[0].member, 1));
    now_ns += 4600000000ull; /* a tenth of the lease's five seconds is not counted */
    cr_assert_not(phc_may_commit(all[0].member));
    now_ns += 600000000ull;
    phc_memory_step(memory, now_ns); /* all leases end */
    for (uint32_t i = 0; i < MEMBERS; i++) drop_events(all[i].member);
    step_members();
    cr_assert_not(phc_owns(all[0].member, 1)); /* before it has read the map */
    for (uint32_t i = 0; i < 60; i++) step_members();
    for (uint32_t i = 0; i < MEMBERS; i++) {
        cr_assert_not(find_event(all[i].member, PHC_EVENT_FENCED, &event));
        cr_assert(phc_may_commit(all[i].member), "%u", i);
    }
    cr_assert(phc_owns(all[0].member, 1));
}

Test(phc, a_question_has_the_answer_of_every_node)
{
    phc_event event;
    join_members();
    phc *owner = all[0].member, *asking = all[1].member;
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = phc_owner_of(owner, 0, 0) == phc_number(owner) ? 10.0f : 990.0f};
    const ph_attrs far = {.given = PH_X | PH_Y, .x = 1000.0f - attrs.x};
    const uint64_t ids[] = {1, 2, 3};
    cr_assert_eq(phc_enter(owner, 1, &attrs, 0), PH_OK);
    cr_assert_eq(phc_enter(asking, 2, &far, 0), PH_OK);
    cr_assert_eq(phc_who_has(asking, ids, 0), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_who_has(asking, ids, 3), PH_OK);
    cr_assert_eq(phc_who_has(asking, ids, 3), PH_BUSY);
    phc_loop_cut(loop, &all[0].transport, true, false); /* without its answer there is none */
    for (uint32_t i = 0; i < 10; i++) step_members();
    cr_assert_not(find_event(asking, PHC_EVENT_WHO_HAS, &event));
    cr_assert_eq(phc_enter(owner, 3, &attrs, 0), PH_BUSY); /* asked for */
    phc_loop_cut(loop, &all[0].transport, false, false);
    for (uint32_t i = 0; i < 10 && !find_event(asking, PHC_EVENT_WHO_HAS, &event); i++) step_members();
    const phc_holder *holders = event.bytes;
    cr_assert_eq(event.size, 3 * sizeof *holders);
    cr_assert(holders[0].id == 1 && holders[0].number == phc_number(owner));
    cr_assert(holders[1].id == 2 && holders[1].number == phc_number(asking));
    cr_assert(holders[2].id == 3 && holders[2].number == 0);
    cr_assert_eq(phc_enter(asking, 3, &far, 0), PH_OK);
    for (uint32_t i = 0; i < 10; i++) step_members();
    cr_assert_eq(phc_who_has(asking, ids, 3), PH_OK); /* the last one has ended */
}

/*
 * The first asks; the second does so some steps later, between its phc_tick() and phc_told(), as a host does: its
 * question comes together with its answer. Each host enters the entity if no node has it. @return how many did
 */
static uint32_t count_entered(uint32_t first, uint32_t steps)
{
    const uint64_t id = 10 + first * 100 + steps;
    uint32_t entered = 0, told = 0;
    phc_event event;
    cr_assert_eq(phc_who_has(all[first].member, &id, 1), PH_OK);
    for (uint32_t step = 0; step < 60 && told < 2; step++) {
        now_ns += TICK_NS;
        phc_memory_step(memory, now_ns);
        for (uint32_t i = 0; i < MEMBERS; i++) {
            phc *member = all[i].member;
            const bool left = phc_owner_of(member, 0, 0) == phc_number(member);
            const ph_attrs attrs = {.given = PH_X | PH_Y, .x = left ? 10.0f : 990.0f};
            cr_assert_eq(phc_tick(member), PH_OK);
            if (find_event(member, PHC_EVENT_WHO_HAS, &event)) {
                told++;
                if (((const phc_holder *)event.bytes)->number == 0) {
                    cr_assert_eq(phc_enter(member, id, &attrs, 0), PH_OK);
                    entered++;
                }
            }
            if (i != first && step == steps) cr_assert_eq(phc_who_has(member, &id, 1), PH_OK);
            cr_assert_eq(ph_tick(all[i].world, NULL), PH_OK);
            cr_assert_eq(phc_told(member), PH_OK);
        }
        phc_loop_step(loop);
    }
    cr_assert_eq(told, 2);
    for (uint32_t i = 0; i < 3; i++) step_members(); /* the last question has ended */
    return entered;
}

Test(phc, of_two_nodes_that_ask_for_one_entity_one_enters_it)
{
    join_members();
    for (uint32_t steps = 0; steps < 8; steps++)
        for (uint32_t first = 0; first < 2; first++)
            cr_assert_eq(count_entered(first, steps), 1, "first %u, %u steps", first, steps);
}

Test(phc, bytes_of_questions_are_checked)
{
    static unsigned char bytes[PHX_QUESTION_BYTES_MAX], damaged[PHX_QUESTION_BYTES_MAX];
    phx_question_head head =
                          {.format = PHX_FORMAT_MAX, .source = 1, .target = 2, .version = 3, .number = 4, .count = 5},
                      read;
    const unsigned char *body;
    uint64_t rng = 1;
    memset(phx_question_body(bytes), 7, 5 * sizeof(uint64_t));
    const size_t size = phx_question_seal(bytes, &head);
    cr_assert(phx_question_is_meant(bytes, size) && phx_question_open(&read, &body, PHX_FORMATS, bytes, size));
    cr_assert(!read.answers && read.source == 1 && read.target == 2 && read.version == 3 && read.number == 4);
    cr_assert(read.count == 5 && phx_question_id_at(body, 4) == 0x0707070707070707);
    for (size_t cut = 0; cut < size; cut++) cr_assert_not(phx_question_open(&read, &body, PHX_FORMATS, bytes, cut));
    for (uint32_t i = 0; i < 1000; i++) {
        memcpy(damaged, bytes, size);
        damaged[phx_rng_below(&rng, (uint32_t)size)] ^= (unsigned char)(1u << phx_rng_below(&rng, 8));
        cr_assert_not(phx_question_open(&read, &body, PHX_FORMATS, damaged, size));
    }
    memset(phx_question_body(bytes), 0, sizeof(uint64_t)); /* the id 0 */
    cr_assert_not(phx_question_open(&read, &body, PHX_FORMATS, bytes, phx_question_seal(bytes, &head)));
    head.answers = true;
    phx_question_body(bytes)[0] = 3; /* no answer */
    cr_assert_not(phx_question_open(&read, &body, PHX_FORMATS, bytes, phx_question_seal(bytes, &head)));
}

/* The sample of the other one of two members. */
static uint64_t peer_sample(const char *text, const char *name)
{
    char sample[128];
    (void)snprintf(sample, sizeof sample, "\npharos_cluster_peer_%s{world=\"unit\",peer=\"%u\"} ", name,
                   phc_number(all[1].member));
    const char *at = strstr(text, sample);
    cr_assert_not_null(at, "%s in %s", sample, text);
    return strtoull(at + strlen(sample), NULL, 10);
}

/* All that goes between nodes goes between these two. */
static void expect_peer_metrics(const char *text, const phc_stats *stats)
{
    cr_assert_eq(peer_sample(text, "copies_in_total"), stats->copies_in);
    cr_assert_eq(peer_sample(text, "copies_out_total"), stats->copies_out);
    cr_assert_eq(peer_sample(text, "lag_ticks"), stats->lag_ticks);
    cr_assert_eq(peer_sample(text, "transit"), 0);
    const uint64_t messages_in = peer_sample(text, "messages_in_total");
    cr_assert(messages_in >= 2 * WARM_TICKS - 1 && messages_in <= stats->copies_in);
    cr_assert_geq(peer_sample(text, "messages_out_total"), messages_in);
}

static bool tells_of_peers(void)
{
    char text[16384];
    size_t length = 0;
    cr_assert_eq(phc_prometheus(all[0].member, text, sizeof text, &length), PH_OK);
    cr_assert_lt(length, sizeof text);
    return strstr(text, "peer") != NULL;
}

/* One that is put out stays among the peers until the map barrier; its number may be the next one's by then. */
Test(phc, metrics_tell_of_peers_of_the_map)
{
    join_members();
    step_members();
    cr_assert(tells_of_peers());
    all[0].member->node.peers[0].out = true;
    cr_assert_not(tells_of_peers());
    all[0].member->node.peers[0].out = false;
    phc_close(all[1].member);
    all[1].member = NULL;
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_members();
    cr_assert_not(tells_of_peers());
}

/* All own ones near the border move; one of each speaks to lists, and its place to all around it. */
static void step_and_speak(void)
{
    for (uint32_t i = 0; i < MEMBERS; i++) {
        const float x = (phc_owner_of(all[i].member, 0, 0) == phc_number(all[i].member) ? 480.0f : 510.0f) +
                        (float)(now_ns / TICK_NS % 10);
        for (uint64_t id = 100 * (i + 1) + 1; id <= 100 * (i + 1) + 20; id++)
            cr_assert_eq(ph_move(all[i].producer, id, x, (float)(id % 100) * 20, 0), PH_OK);
        const ph_broadcast_place place = {.x = 500, .y = 100, .radius = 50, .layers = 1};
        cr_assert_eq(phc_broadcast(all[i].member, all[i].producer, 100 * (i + 1) + 5, "hi", 2, NULL), PH_OK);
        cr_assert_eq(phc_broadcast_at(all[i].member, all[i].producer, &place, "hi", 2), PH_OK);
    }
    step_members();
}

Test(phc, steady_rounds_allocate_nothing)
{
    phc_stats stats;
    char text[16384];
    size_t length = 0;
    join_members();
    for (uint32_t i = 0; i < MEMBERS; i++) {
        const float x = phc_owner_of(all[i].member, 0, 0) == phc_number(all[i].member) ? 480.0f : 520.0f;
        for (uint64_t id = 1; id <= 20; id++) {
            const ph_attrs attrs = {.given = PH_X | PH_Y, .x = x, .y = (float)id * 20};
            cr_assert_eq(phc_enter(all[i].member, 100 * (i + 1) + id, &attrs, 0), PH_OK);
        }
        drop_events(all[i].member);
    }
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_and_speak();
    const uint64_t calls = counted.calls;
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_and_speak();
    cr_assert_eq(counted.calls, calls);
    cr_assert_eq(phc_stats_get(all[0].member, &stats), PH_OK);
    cr_assert_eq(stats.broadcasts_out, 2 * 2 * WARM_TICKS - 1, "the first one is of an entity that enters");
    cr_assert_eq(stats.broadcasts_in, stats.broadcasts_out - 2, "the last two wait for the next round");
    cr_assert_eq(stats.broadcasts_lost, 0);
    cr_assert_eq(stats.own, 20);
    cr_assert_eq(stats.remote, 20);
    cr_assert_eq(stats.nodes, MEMBERS);
    cr_assert(stats.lease_ns > 0 && stats.copies_in > 0 && stats.lag_ticks <= 1);
    cr_assert_eq(phc_prometheus(all[0].member, text, sizeof text, &length), PH_OK);
    cr_assert(length < sizeof text && strstr(text, "pharos_cluster_own{world=\"unit\"} 20\n"));
    expect_peer_metrics(text, &stats);
    size_t again = 0;
    cr_assert_eq(phc_prometheus(all[0].member, NULL, 0, &again), PH_OK);
    cr_assert_eq(again, length);
}

/* ---- entities on their way ---- */

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

/* A world of another definition for a member that is not open. */
static void replace_world(uint32_t i, const ph_world_def *def)
{
    cr_assert_eq(ph_world_destroy(all[i].world), PH_OK);
    cr_assert_eq(ph_world_create(def, &all[i].world), PH_OK);
}

Test(phc, entities_that_do_not_go_keep_none_from_going)
{
    enum { MANY = 8, OTHERS = 100 };
    phc_def def = sound_def();
    def.moves_per_tick = 1;
    join_with(&def);
    ph_producer producer;
    cr_assert_eq(ph_producer_open(all[0].world, &producer), PH_OK);
    for (uint64_t id = 1; id <= MANY; id++) {
        enter_at(0, id, own_place(0, 10), (float)id * 20);
        enter_at(0, OTHERS + id, own_place(0, 10), (float)id * 20);
    }
    step_members();
    for (uint64_t id = 1; id <= MANY; id++) { /* half of each are beyond the margin: in any order some are behind */
        const bool goes = id % 2 == 0;
        cr_assert_eq(ph_move(producer, id, own_place(0, goes ? -50 : -2), (float)id * 20, 0), PH_OK);
        cr_assert_eq(ph_move(producer, OTHERS + id, own_place(0, goes ? -50 : -2), (float)id * 20, 0), PH_OK);
    }
    for (uint32_t i = 0; i < 8 * MANY; i++) step_members();
    for (uint64_t id = 1; id <= MANY; id++) {
        const bool goes = id % 2 == 0;
        cr_assert(phc_owns(all[goes].member, id), "%u", (unsigned)id);
        cr_assert(phc_owns(all[goes].member, OTHERS + id), "%u", (unsigned)(OTHERS + id));
    }
}

Test(phc, an_entity_that_comes_to_a_full_world_waits_for_room)
{
    enum { FULL = 4 };
    phc_event event;
    ph_attrs attrs;
    ph_producer producer;
    ph_world_def small = world_def;
    small.entities_max = FULL;
    replace_world(1, &small);
    join_members();
    cr_assert_eq(ph_producer_open(all[0].world, &producer), PH_OK);
    for (uint64_t id = 1; id <= FULL; id++) enter_at(1, id, own_place(1, 400), 10);
    step_members();
    enter_at(0, 7, own_place(0, 10), 10);
    for (uint32_t i = 0; i < 4; i++) step_members(); /* its copies are refused */
    cr_assert_eq(ph_move(producer, 7, own_place(0, -50), 10, 0), PH_OK);
    for (uint32_t i = 0; i < 10; i++) step_members();
    cr_assert(find_event(all[0].member, PHC_EVENT_LOST, &event));
    cr_assert(find_event(all[1].member, PHC_EVENT_GAINED, &event));
    cr_assert_not(find_event(all[1].member, PHC_EVENT_LOST, &event));
    cr_assert(phc_owns(all[1].member, 7));
    cr_assert_eq(ph_entity_get(all[1].world, 7, &attrs), PH_UNKNOWN_ID);
    cr_assert_eq(phc_leave(all[1].member, 1), PH_OK);
    for (uint32_t i = 0; i < 4; i++) step_members();
    cr_assert_eq(ph_entity_get(all[1].world, 7, &attrs), PH_OK);
    cr_assert(phc_owns(all[1].member, 7) && !attrs.remote);
}

Test(phc, bytes_that_are_no_entity_keep_none_from_coming)
{
    phc_event event;
    phx_capsule_member head;
    size_t bytes = 0;
    static unsigned char state[PH_CAPSULE_MAX + 64];
    unsigned char *capsule = state + PHX_FAMILY_HEAD_BYTES;
    join_members();
    enter_at(0, 7, own_place(0, 10), 10);
    enter_at(0, 8, own_place(0, 10), 20);
    for (uint32_t i = 0; i < 4; i++) step_members();
    cr_assert_eq(ph_export(all[0].world, 7, NULL, NULL, capsule, PH_CAPSULE_MAX, &bytes), PH_OK);
    memcpy(&head, capsule + sizeof(phx_capsule_head), sizeof head);
    head.kind = 9; /* there is no such class */
    memcpy(capsule + sizeof(phx_capsule_head), &head, sizeof head);
    phx_capsule_seal(capsule, bytes - sizeof(uint64_t));
    phx_writer writer = phx_writer_of(state, sizeof state);
    phx_write_number(&writer, 4, bytes);
    phx_write_number(&writer, 4, 1);
    const phx_family_member member = {.id = 7, .stay = 1};
    phx_family_put_member(capsule + bytes, &member);
    const uint16_t to = phc_number(all[1].member);
    cr_assert_eq(phx_hand_over_send(&all[0].member->node, 7, to, NULL, 0, state,
                                    (uint32_t)(PHX_FAMILY_HEAD_BYTES + bytes + PHX_FAMILY_MEMBER_BYTES)),
                 PH_OK);
    ph_producer producer;
    cr_assert_eq(ph_producer_open(all[0].world, &producer), PH_OK);
    cr_assert_eq(ph_move(producer, 8, own_place(0, -50), 20, 0), PH_OK);
    for (uint32_t i = 0; i < 10; i++) step_members();
    cr_assert(find_event(all[1].member, PHC_EVENT_LOST, &event) && event.id == 7 && event.status != PH_OK);
    cr_assert(event.number == phc_number(all[0].member) && !phc_owns(all[1].member, 7));
    cr_assert(find_event(all[1].member, PHC_EVENT_GAINED, &event) && event.id == 8);
    cr_assert_eq(all[1].member->counts.damaged, 1);
}

Test(phc, consumers_are_the_same_for_all_members)
{
    phc_event event;
    ph_world_def more = world_def;
    more.consumers = 4;
    replace_world(1, &more);
    const phc_def def = sound_def();
    phc_def other = sound_def();
    other.world_def = &more;
    cr_assert_eq(open_member(0, &def), PH_OK);
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_members();
    cr_assert_eq(open_member(1, &other), PH_OK);
    ph_status status = PH_OK;
    for (uint32_t i = 0; i < WARM_TICKS && status == PH_OK; i++) {
        now_ns += TICK_NS;
        phc_memory_step(memory, now_ns);
        cr_assert_eq(phc_tick(all[0].member), PH_OK);
        status = phc_tick(all[1].member);
        phc_loop_step(loop);
    }
    cr_assert_eq(status, PH_FENCED);
    cr_assert(find_event(all[1].member, PHC_EVENT_FENCED, &event));
    cr_assert(strstr(event.reason, "world: world.consumers is 4 here, 0 there"));
    cr_assert_eq(event.status, PH_BAD_DEF, "started again it is refused again");
}

Test(phc, a_gateway_is_no_silent_node)
{
    phc_stats stats;
    phc_def def = sound_def();
    const ph_world null = {0};
    cr_assert_eq(open_member(0, &def), PH_OK);
    def.gateway = true;
    cr_assert_eq(phc_open(&def, null, &all[1].transport, &all[1].store, &all[1].member, NULL, 0), PH_OK);
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_members();
    cr_assert_eq(phc_stats_get(all[0].member, &stats), PH_OK);
    cr_assert_neq(phc_number(all[1].member), 0);
    cr_assert_eq(stats.lag_ticks, 0);
    cr_assert_eq(phc_owner_of(all[1].member, 0, 0), phc_number(all[0].member));
}

Test(phc, nodes_that_are_no_more_are_forgotten)
{
    const phc_def def = sound_def();
    join_members();
    for (uint32_t turn = 0; turn < 5; turn++) {
        phc_close(all[1].member);
        all[1].member = NULL;
        all[1].store.close(all[1].store.user);
        cr_assert_eq(phc_memory_join(memory, &all[1].store), PH_OK);
        for (uint32_t i = 0; i < WARM_TICKS; i++) step_members();
        cr_assert_eq(open_member(1, &def), PH_OK);
        for (uint32_t i = 0; i < WARM_TICKS; i++) step_members();
        cr_assert_neq(phc_number(all[1].member), 0);
        cr_assert_eq(all[0].member->halo.peer_count, 1);
    }
}

Test(phc, a_fenced_member_has_no_number_and_no_entity)
{
    phc_stats stats;
    join_members();
    enter_at(0, 7, own_place(0, 10), 10);
    for (uint32_t i = 0; i < 160; i++) { /* the other one puts it out */
        now_ns += TICK_NS;
        phc_memory_step(memory, now_ns);
        cr_assert_eq(phc_tick(all[1].member), PH_OK);
    }
    while (phc_tick(all[0].member) == PH_OK && now_ns < 60000000000ull) phc_memory_step(memory, now_ns += TICK_NS);
    cr_assert(phc_tick(all[0].member) == PH_FENCED && phc_leave(all[0].member, 7) == PH_FENCED);
    cr_assert(phc_number(all[0].member) == 0 && phc_registration(all[0].member) == 0);
    cr_assert_eq(phc_node_of(all[0].member, 7), 0);
    cr_assert_eq(phc_stats_get(all[0].member, &stats), PH_OK);
    cr_assert(stats.own == 0 && stats.remote == 0);
}

Test(phc, a_question_without_memory_changes_nothing)
{
    static uint64_t ids[PHC_ASKED_MAX];
    for (uint32_t i = 0; i < PHC_ASKED_MAX; i++) ids[i] = 1000 + i;
    join_members();
    const phx_claims *claims = &all[0].member->node.claims;
    for (uint64_t n = 1;; n = 2) { /* what the first one got stays */
        fail_alloc_order(&counted, n, true);
        const ph_status status = phc_who_has(all[0].member, ids, PHC_ASKED_MAX);
        fail_alloc_order(&counted, 0, false);
        if (status == PH_OK) break;
        cr_assert_eq(status, PH_NO_MEMORY);
        cr_assert_eq(claims->count, 0);
    }
    cr_assert_eq(claims->count, 1);
}

Test(phc, an_offer_of_an_ownership_that_can_not_be_is_not_taken)
{
    phx_wire_head head = {.format = PHX_FORMAT_MAX, .kind = PHX_WIRE_CHANNEL, .first = 1};
    phx_wire_message message;
    unsigned char bytes[256], item[PHX_WIRE_OFFER_BYTES], feed[PHX_WIRE_FEED_BYTES] = {0};
    join_members();
    phx_node *node = &all[1].member->node;
    head.source = all[0].member->node.def.member.registration;
    head.target = node->def.member.registration;
    head.version = node->map.version;
    const uint64_t wrong[] = {UINT64_MAX, (uint64_t)(head.version + 1) << 32};
    for (uint32_t i = 0; i < 2; i++) {
        phx_wire_put_offer(item, &(phx_offer){.id = 9, .ownership = wrong[i], .feeds = feed});
        phx_wire_begin(&message, bytes, sizeof bytes);
        cr_assert(phx_wire_add(&message, item, sizeof item));
        phx_exchange_receive(node, bytes, phx_wire_end(&message, &head));
        cr_assert_eq(node->counts.impossible, i + 1);
        cr_assert_eq(node->holdings.count, 0);
    }
    enter_at(0, 9, own_place(0, 10), 10);
    cr_assert_eq(phc_leave(all[0].member, 9), PH_OK);
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = own_place(0, 10)};
    cr_assert_eq(phc_enter(all[0].member, 9, &attrs, (uint64_t)head.version << 32 | UINT32_MAX), PH_BUSY);
    cr_assert_eq(phc_enter(all[0].member, 9, &attrs, ((uint64_t)head.version << 32 | UINT32_MAX) - 1), PH_OK);
}

/* ---- refusals ---- */

static uint32_t count_lost(phc *member, ph_status why)
{
    phc_event event;
    uint32_t lost = 0;
    while (phc_event_next(member, &event)) {
        if (event.kind != PHC_EVENT_LOST) continue;
        cr_assert(event.number == 0 && (event.status == PH_CAPACITY || event.status == why), "%d", (int)event.status);
        lost++;
    }
    return lost;
}

static void join_with_small_world(uint32_t entities_max, uint32_t refusals_max)
{
    ph_world_def small = world_def;
    small.entities_max = entities_max;
    small.refusals_max = refusals_max;
    replace_world(1, &small);
    join_members();
    for (uint32_t i = 0; i < MEMBERS; i++) drop_events(all[i].member);
}

Test(phc, more_refusals_than_are_told_lose_no_event)
{
    enum { ROOM = 4, MANY = 20 };
    ph_attrs attrs;
    join_with_small_world(ROOM, 1);
    phc *member = all[1].member;
    for (uint64_t id = 1; id <= MANY; id++) enter_at(1, id, own_place(1, 400), 10);
    for (uint32_t i = 0; i < 3; i++) step_members();
    cr_assert_eq(count_lost(member, PH_UNKNOWN_ID), MANY - ROOM);
    cr_assert_eq(member->node.holdings.count, ROOM);
    for (uint64_t id = 1; id <= MANY; id++)
        cr_assert_eq(phc_owns(member, id), ph_entity_get(all[1].world, id, &attrs) == PH_OK);
}

Test(phc, an_entity_that_is_entered_behind_the_tick_is_not_lost)
{
    enum { ROOM = 4, MANY = 20, LATE = 100 };
    join_with_small_world(ROOM + 1, 1);
    phc *member = all[1].member;
    for (uint64_t id = 1; id <= MANY; id++) enter_at(1, id, own_place(1, 400), 10);
    now_ns += TICK_NS;
    phc_memory_step(memory, now_ns);
    cr_assert_eq(phc_tick(member), PH_OK);
    cr_assert_eq(ph_tick(all[1].world, NULL), PH_OK);
    for (uint64_t id = 1; id <= ROOM; id++) cr_assert_eq(phc_leave(member, id), PH_OK);
    enter_at(1, LATE, own_place(1, 400), 10);
    cr_assert_eq(phc_told(member), PH_OK);
    for (uint32_t i = 0; i < 3; i++) step_members();
    cr_assert_eq(count_lost(member, PH_UNKNOWN_ID), MANY - ROOM - 1);
    cr_assert(phc_owns(member, LATE));
}

Test(phc, copies_whose_refusal_is_not_told_come_again)
{
    enum { ROOM = 4, MANY = 20 };
    phc_stats stats;
    join_with_small_world(ROOM, 1);
    for (uint64_t id = 1; id <= ROOM; id++) enter_at(1, id, own_place(1, 400), 10);
    step_members();
    for (uint64_t id = 1; id <= MANY; id++) enter_at(0, 100 + id, own_place(0, 10), (float)id * 10);
    for (uint32_t i = 0; i < 20; i++) step_members();
    for (uint64_t id = 1; id <= ROOM; id++) cr_assert_eq(phc_leave(all[1].member, id), PH_OK);
    for (uint32_t i = 0; i < 6; i++) step_members();
    cr_assert_eq(ph_world_stats(all[1].world, &(ph_stats){0}), PH_OK);
    uint32_t here = 0;
    ph_attrs attrs;
    for (uint64_t id = 1; id <= MANY; id++) here += ph_entity_get(all[1].world, 100 + id, &attrs) == PH_OK;
    cr_assert_eq(here, ROOM);
    cr_assert_eq(phc_stats_get(all[1].member, &stats), PH_OK);
    cr_assert_eq(stats.remote, ROOM);
}

Test(phc, a_lost_entity_is_told_once_there_is_memory)
{
    enum { ROOM = 4, MANY = 600 };
    join_with_small_world(ROOM, 4096);
    phc *member = all[1].member;
    for (uint64_t id = 1; id <= MANY; id++) enter_at(1, id, own_place(1, 400), 10);
    fail_alloc_order(&counted, 1, true);
    step_members();
    const uint32_t at_once = count_lost(member, PH_CAPACITY);
    cr_assert_lt(at_once, MANY - ROOM); /* there was no memory for all of them */
    fail_alloc_order(&counted, 0, false);
    cr_assert_eq(phc_leave(member, ROOM + at_once + 1), PH_OK); /* it is not told of any more, as the host knows */
    for (uint32_t i = 0; i < 2; i++) step_members();
    cr_assert_eq(at_once + count_lost(member, PH_CAPACITY), MANY - ROOM - 1);
    cr_assert_eq(member->node.holdings.count, ROOM);
    cr_assert_eq(member->untold_count, 0);
}

Test(phc, entities_that_come_to_a_full_world_wait_at_their_sender_too)
{
    enum { FULL = 4, MANY = 2000, BOUND = 256 + 1024 }; /* refused ones, and what one peer may have on its way */
    join_with_small_world(FULL, 4096);
    ph_producer producer;
    cr_assert_eq(ph_producer_open(all[0].world, &producer), PH_OK);
    for (uint64_t id = 1; id <= FULL; id++) enter_at(1, 10000 + id, own_place(1, 400), 10);
    for (uint64_t id = 1; id <= MANY; id++) enter_at(0, id, own_place(0, 10), (float)(id % 900));
    for (uint32_t i = 0; i < 4; i++) step_members();
    for (uint64_t id = 1; id <= MANY; id++)
        cr_assert_eq(ph_move(producer, id, own_place(0, -50), (float)(id % 900), 0), PH_OK);
    phc *member = all[1].member;
    for (uint32_t i = 0; i < 10; i++) step_members();
    cr_assert_eq(member->halo.waits_version, member->node.map.moved - 1, "no region is taken from it meanwhile");
    for (uint32_t i = 0; i < member->halo.def.quiet_ticks; i++) step_members();
    cr_assert_eq(member->halo.waits_version, UINT32_MAX, "but not for ever");
    cr_assert_leq(member->arrivals.count, BOUND);
    cr_assert_leq(member->node.events.count, PHX_NODE_EVENTS_MAX);
    cr_assert_leq(member->halo.newcomers.count, member->halo.entity_count - member->halo.copy_count, "each once");
    cr_assert_gt(member->halo.newcomers.count, 0, "they wait");
    for (uint32_t i = 0; i < 10; i++)
        cr_assert_eq(phc_tick(member), PH_OK); /* and no message is written, as in a freeze */
    cr_assert_leq(member->halo.newcomers.count, member->halo.entity_count - member->halo.copy_count, "each once");
    uint32_t left = 0;
    for (uint32_t turn = 0; turn < 100 && left < MANY; turn++) { /* the host gives them up: others come */
        for (uint64_t id = 1; id <= MANY; id++) left += phc_owns(member, id) && phc_leave(member, id) == PH_OK;
        step_members();
    }
    cr_assert_eq(left, MANY);
    cr_assert_eq(all[0].member->node.holdings.count, 0);
}

/* ---- links ---- */

/* @return ticks until one of them is fenced */
static uint32_t ticks_until_fenced(uint32_t *fenced)
{
    enum { TICKS_MAX = 400 };
    for (uint32_t tick = 1; tick < TICKS_MAX; tick++) {
        now_ns += TICK_NS;
        phc_memory_step(memory, now_ns);
        for (uint32_t i = 0; i < MEMBERS; i++) {
            *fenced = i;
            if (phc_tick(all[i].member) == PH_FENCED) return tick;
            cr_assert_eq(ph_tick(all[i].world, NULL), PH_OK);
            cr_assert_eq(phc_told(all[i].member), PH_OK);
        }
        phc_loop_step(loop);
    }
    *fenced = MEMBERS;
    return TICKS_MAX;
}

Test(phc, of_two_nodes_that_do_not_hear_each_other_one_goes)
{
    enum { LINK_TICKS = 100 };
    uint32_t fenced;
    join_members();
    const uint32_t high = phc_number(all[1].member) > phc_number(all[0].member);
    phc_loop_cut(loop, &all[high].transport, true, true);
    const uint32_t ticks = ticks_until_fenced(&fenced);
    cr_assert_eq(fenced, high);
    cr_assert(ticks >= 2 * LINK_TICKS - 5 && ticks < 2 * LINK_TICKS + 20, "%u: a lease is as long", ticks);
}

Test(phc, a_node_without_its_transport_is_put_out_by_the_others)
{
    enum { LINK_TICKS = 100 };
    uint32_t fenced;
    join_members();
    const uint32_t low = phc_number(all[1].member) < phc_number(all[0].member);
    phc_loop_cut(loop, &all[low].transport, true, true);
    const uint32_t ticks = ticks_until_fenced(&fenced);
    cr_assert_eq(fenced, low);
    cr_assert(ticks >= 3 * LINK_TICKS - 5 && ticks < 3 * LINK_TICKS + 20, "%u", ticks);
}

Test(phc, nodes_without_any_transport_stay)
{
    uint32_t fenced;
    join_members();
    for (uint32_t i = 0; i < MEMBERS; i++) phc_loop_cut(loop, &all[i].transport, true, true);
    (void)ticks_until_fenced(&fenced);
    cr_assert_eq(fenced, MEMBERS);
}

Test(phc, with_rare_looks_at_the_store_a_dead_node_is_put_out)
{
    enum { LEASES_TICKS = 3 * 100 };
    phc_def def = sound_def();
    def.list_ms = def.lease_ms / 4;
    join_within(&def, 7 * WARM_TICKS); /* each step of joining waits for a list */
    const uint16_t dead = phc_number(all[1].member);
    cr_assert(phc_owner_of(all[0].member, 10, 10) == dead || phc_owner_of(all[0].member, 990, 10) == dead);
    for (uint32_t i = 0; i < LEASES_TICKS; i++) step_first(1);
    cr_assert_eq(phc_owner_of(all[0].member, 10, 10), phc_number(all[0].member));
    cr_assert_eq(phc_owner_of(all[0].member, 990, 10), phc_number(all[0].member));
}

Test(phc, no_link_is_judged_where_that_is_off)
{
    uint32_t fenced;
    phc_def def = sound_def();
    def.link_timeout_ms = 0;
    join_with(&def);
    phc_loop_cut(loop, &all[1].transport, true, true);
    (void)ticks_until_fenced(&fenced);
    cr_assert_eq(fenced, MEMBERS);
}

/* ---- pins ---- */

Test(phc, a_pinned_entity_is_here_from_any_distance)
{
    ph_attrs attrs;
    join_members();
    phc *member = all[1].member;
    enter_at(0, 7, own_place(0, 400), 10);
    enter_at(0, 8, own_place(0, 400), 10);
    cr_assert_eq(phc_pin(member, 0, true), PH_BAD_ID);
    cr_assert_eq(phc_pin(NULL, 7, true), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_pin(member, 7, true), PH_OK);
    cr_assert_eq(phc_pin(member, 7, true), PH_OK);
    for (uint32_t i = 0; i < 6; i++) step_members();
    cr_assert_eq(ph_entity_get(all[1].world, 7, &attrs), PH_OK);
    cr_assert(attrs.remote && phc_node_of(member, 7) == phc_number(all[0].member));
    cr_assert_eq(ph_entity_get(all[1].world, 8, &attrs), PH_UNKNOWN_ID);
    cr_assert_eq(phc_pin(member, 7, false), PH_OK);
    for (uint32_t i = 0; i < 20; i++) step_members();
    cr_assert_eq(ph_entity_get(all[1].world, 7, &attrs), PH_UNKNOWN_ID);
    for (uint64_t id = 1; id <= PHC_PINS_MAX; id++) cr_assert_eq(phc_pin(member, id, true), PH_OK);
    cr_assert_eq(phc_pin(member, PHC_PINS_MAX + 1, true), PH_CAPACITY);
}

Test(phc, broadcasts_are_of_own_entities)
{
    const ph_broadcast_options bad = {.radius = -1};
    const ph_broadcast_place place = {.x = 1, .y = 1, .radius = 5, .layers = 1}, nowhere = {.radius = -1};
    phc_stats stats;
    cr_assert_eq(phc_broadcast(NULL, all[0].producer, 7, "hi", 2, NULL), PH_BAD_ARGUMENT);
    join_members();
    enter_at(0, 7, own_place(0, 10), 10);
    cr_assert_eq(phc_broadcast(all[0].member, all[0].producer, 7, "hi", 2, NULL), PH_OK, "it enters with this tick");
    for (uint32_t i = 0; i < 6; i++) step_members();
    cr_assert_eq(phc_broadcast(all[0].member, all[0].producer, 8, "hi", 2, NULL), PH_UNKNOWN_ID);
    cr_assert_eq(phc_broadcast(all[1].member, all[1].producer, 7, "hi", 2, NULL), PH_UNKNOWN_ID);
    cr_assert_eq(phc_broadcast(all[0].member, all[0].producer, 7, "hi", 2, &bad), PH_BAD_RADIUS);
    cr_assert_eq(phc_broadcast_at(all[0].member, all[0].producer, &nowhere, "hi", 2), PH_BAD_RADIUS);
    cr_assert_eq(phc_stats_get(all[0].member, &stats), PH_OK);
    cr_assert_eq(stats.broadcasts_out, 0, "no peer gets one that was refused");
    all[0].member->node.holdings.items[0].sending = true;
    cr_assert_eq(phc_broadcast(all[0].member, all[0].producer, 7, "hi", 2, NULL), PH_PENDING);
    all[0].member->node.fenced = true;
    cr_assert_eq(phc_broadcast_at(all[0].member, all[0].producer, &place, "hi", 2), PH_FENCED);
    all[0].member->node.fenced = false;
}

Test(phc, broadcasts_that_find_too_many_waiting_are_dropped)
{
    static char payload[PH_PAYLOAD_MAX];
    phc_stats stats;
    join_members();
    enter_at(0, 7, own_place(0, 10), 10);
    for (uint32_t i = 0; i < 6; i++) step_members();
    phc_loop_cut(loop, &all[0].transport, true, true);
    for (uint32_t i = 0; i < 40; i++)
        cr_assert_eq(phc_broadcast(all[0].member, all[0].producer, 7, payload, sizeof payload, NULL), PH_OK);
    cr_assert_eq(phc_stats_get(all[0].member, &stats), PH_OK);
    cr_assert_eq(stats.broadcasts_out, 15); /* 16 and their heads are more than 1 MiB */
    cr_assert_eq(stats.broadcasts_lost, 25);
    phc_loop_cut(loop, &all[0].transport, false, false);
    for (uint32_t i = 0; i < 20; i++) step_members();
    cr_assert_eq(phc_stats_get(all[1].member, &stats), PH_OK);
    cr_assert(stats.broadcasts_in == 15 && all[0].member->node.peers[0].say_bytes == 0);
}

static uint64_t work_of(const phc *member)
{
    return member->halo.counts.looks + member->halo.counts.copies_in + member->halo.counts.copies_out;
}

/* The most work of the first member in a tick; the second one has a tick in each `slowness` of the first one's. */
static uint64_t most_beside(uint32_t slowness, uint64_t *ticks)
{
    uint64_t most = 0;
    ph_stats stats;
    cr_assert_eq(ph_world_stats(all[0].world, &stats), PH_OK);
    const uint64_t first = stats.ticks;
    for (uint32_t i = 0; i < 400; i++) {
        const uint64_t before = work_of(all[0].member);
        step_first(i % slowness == 0 ? MEMBERS : 1);
        if (work_of(all[0].member) - before > most) most = work_of(all[0].member) - before;
    }
    cr_assert_eq(ph_world_stats(all[0].world, &stats), PH_OK);
    *ticks = stats.ticks - first;
    return most;
}

Test(phc, a_slow_node_makes_no_work_for_the_others_and_none_waits_for_it)
{
    uint64_t fast_ticks = 0, slow_ticks = 0;
    join_members();
    for (uint32_t i = 0; i < MEMBERS; i++)
        for (uint64_t id = 1; id <= 50; id++) enter_at(i, 100 * (i + 1) + id, own_place(i, 20), (float)id * 10);
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_members();
    const uint64_t fast = most_beside(1, &fast_ticks), slow = most_beside(7, &slow_ticks);
    cr_assert(fast > 0 && slow * 10 <= fast * 11, "%u, %u beside a fast one", (unsigned)slow, (unsigned)fast);
    cr_assert_eq(slow_ticks, fast_ticks, "ticks in which it waited");
}

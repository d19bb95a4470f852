/*
 * Times that all members share: a process whose lease, time between two looks at the control store, or time for a
 * silent link is another one than a member's does not join, and is told which key differs.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <pharos/cluster.h>

#include "cluster/member/definition.h"
#include "cluster/node_host.h"

enum { TICK_NS = 50000000, MEMBERS = 2, LEASE_MS = 1000, LIST_MS = 200, LINK_MS = 1000, JOINED_ROUNDS = 60 };
/* In 40 s a gateway with the longest times of these tests would join, and be put out for its rare heartbeats. */
enum { ALL_ROUNDS = 800 };

static phc_loop *loop;
static phc_memory *memory;
static node_host all[MEMBERS];
static ph_class class;
static ph_world_def world_def;
static uint64_t now_ns;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static void set_up(void)
{
    world_def = node_host_world_def(&class, 50, 10);
    now_ns = TICK_NS;
    node_host_open_ways(&loop, &memory);
}

static void tear_down(void)
{
    node_host_close_all(all, MEMBERS, loop, memory);
}

TestSuite(shared_times, .init = set_up, .fini = tear_down);

static phc_def def_of_node(void)
{
    phc_def def = node_host_def(&world_def, 2, read_clock);
    def.lease_ms = LEASE_MS;
    def.list_ms = LIST_MS;
    def.link_timeout_ms = LINK_MS;
    return def;
}

static void open_member(uint32_t i, const phc_def *def)
{
    char reason[PHC_REASON_SIZE] = "";
    node_host *host = &all[i];
    node_host_join(host, def->gateway ? NULL : &world_def, loop, 1024, memory);
    const ph_status status =
        phc_open(def, host->world, &host->transport, &host->store, &host->member, reason, sizeof reason);
    cr_assert_eq(status, PH_OK, "%s", reason);
}

/* What a member was told in some rounds. */
typedef struct told_events {
    uint32_t joined, peers_up, peers_down, fenced;
    ph_status status; /* of the last one for that it was fenced */
    char reason[PHC_REASON_SIZE];
} told_events;

static void hear_events(phc *member, told_events *told)
{
    phc_event event;
    while (phc_event_next(member, &event)) {
        told->joined += event.kind == PHC_EVENT_JOINED;
        told->peers_up += event.kind == PHC_EVENT_PEER_UP;
        told->peers_down += event.kind == PHC_EVENT_PEER_DOWN;
        if (event.kind != PHC_EVENT_FENCED) continue;
        told->fenced++;
        told->status = event.status;
        (void)snprintf(told->reason, sizeof told->reason, "%s", event.reason);
    }
}

/* One that is fenced has rounds on. */
static void run_round(const node_host *host, told_events *told)
{
    const ph_status ticked = phc_tick(host->member);
    hear_events(host->member, told);
    if (host->world.index1 != 0) cr_assert_eq(ph_tick(host->world, NULL), PH_OK);
    const ph_status status = told->fenced > 0 ? PH_FENCED : PH_OK;
    cr_assert(ticked == status && phc_told(host->member) == status);
}

static void run_rounds(uint32_t count, told_events told[MEMBERS])
{
    for (uint32_t round = 0; round < count; round++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        for (uint32_t i = 0; i < MEMBERS; i++)
            if (all[i].member) run_round(&all[i], &told[i]);
        phc_loop_step(loop);
    }
}

/* The second process beside a member. */
static void run_beside(const phc_def *second, told_events told[MEMBERS])
{
    const phc_def first = def_of_node();
    memset(told, 0, MEMBERS * sizeof *told);
    open_member(0, &first);
    run_rounds(JOINED_ROUNDS, told);
    cr_assert_eq(told[0].joined, 1);
    open_member(1, second);
    run_rounds(ALL_ROUNDS, told);
    cr_assert_eq(told[0].fenced, 0, "%s", told[0].reason);
}

static void expect_refusal(const phc_def *second, const char *key)
{
    told_events told[MEMBERS];
    run_beside(second, told);
    cr_assert(told[0].peers_up == 0 && told[1].joined == 0, "it was a member, and then out: %s", told[1].reason);
    cr_assert(told[1].fenced == 1 && told[1].status == PH_BAD_DEF, "%s", told[1].reason);
    cr_assert(strstr(told[1].reason, key), "%s", told[1].reason);
}

/* Its heartbeats would be so rare that its link is silent for most of each beat, longer than the node's lease. */
Test(shared_times, a_gateway_with_rare_heartbeats_does_not_join)
{
    phc_def def = def_of_node();
    def.gateway = true;
    def.lease_ms = 16000;
    def.list_ms = 4000;
    def.link_timeout_ms = 12000;
    expect_refusal(&def, "cluster.lease_ms is 16000 here, 1000 there");
}

/* It would write its key later than others wait, behind a loss of the control store. */
Test(shared_times, a_node_with_a_longer_lease_does_not_join)
{
    phc_def def = def_of_node();
    def.lease_ms = 5000;
    expect_refusal(&def, "cluster.lease_ms is 5000 here, 1000 there");
}

Test(shared_times, a_node_with_another_time_between_lists_does_not_join)
{
    phc_def def = def_of_node();
    def.list_ms = 199;
    expect_refusal(&def, "cluster.list_ms is 199 here, 200 there");
}

/* It would tell none of a member that it does not hear, which waits for it at each map barrier. */
Test(shared_times, a_gateway_that_judges_no_link_does_not_join)
{
    phc_def def = def_of_node();
    def.gateway = true;
    def.link_timeout_ms = 0;
    expect_refusal(&def, "cluster.link_timeout_ms is 0 here, 1000 there");
}

/* All heartbeats come equally often, so a link that works is silent for none. */
Test(shared_times, a_gateway_with_the_same_times_joins_and_stays)
{
    told_events told[MEMBERS];
    phc_def def = def_of_node();
    def.gateway = true;
    run_beside(&def, told);
    cr_assert(told[1].joined == 1 && told[1].fenced == 0, "%s", told[1].reason);
    cr_assert(told[0].peers_up == 1 && told[0].peers_down == 0);
}

static uint64_t number_with(uint32_t lease_ms, uint32_t list_ms, uint32_t link_timeout_ms, bool adopts)
{
    phc_def def = def_of_node();
    def.lease_ms = lease_ms;
    def.list_ms = list_ms;
    def.link_timeout_ms = link_timeout_ms;
    def.adopt_map = adopts;
    return phx_definition_number(&def);
}

/* Two of these with one value are two keys: an exchange of both is another definition. */
Test(shared_times, each_of_them_is_in_the_number_of_the_definition)
{
    const uint64_t numbers[] = {number_with(1000, 200, 2000, false), number_with(1001, 200, 2000, false),
                                number_with(1000, 201, 2000, false), number_with(1000, 200, 2001, false),
                                number_with(200, 1000, 2000, false), number_with(1000, 2000, 200, false),
                                number_with(2000, 200, 1000, false), number_with(1000, 200, 2000, true)};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (size_t k = 0; k < i; k++) cr_expect_neq(numbers[i], numbers[k], "%zu %zu", i, k);
}

/*
 * Entities that walk over the border of two nodes and back, all the time: neither the nodes' rounds nor their worlds
 * allocate anything.
 */
#include <criterion/criterion.h>

#include <pharos/cluster.h>

#include "cluster/member/phc_state.h"
#include "cluster/node_host.h"
#include "support/fail_alloc.h"

enum { TICK_NS = 50000000, NODES = 2, ROUNDS = 60, MESSAGES = 1024, STREAM = 20, PERIOD = 40 };

static const float FIRST = 360; /* the border is at 400 */

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES];
static fail_alloc members, worlds;
static uint64_t now_ns;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static void run_node(node_host *host)
{
    const ph_batch *batch;
    phc_event event;
    cr_assert_eq(phc_tick(host->member), PH_OK);
    while (phc_event_next(host->member, &event)) continue;
    cr_assert_eq(ph_tick(host->world, NULL), PH_OK);
    while (ph_batch_take(host->consumer, &batch) == PH_OK) cr_assert_eq(ph_batch_return(host->consumer, batch), PH_OK);
    cr_assert_eq(phc_told(host->member), PH_OK);
}

static void run_round(void)
{
    phc_memory_step(memory, now_ns += TICK_NS);
    for (uint32_t i = 0; i < NODES; i++) run_node(&hosts[i]);
    phc_loop_step(loop);
}

/* Each goes over and comes back in a period, behind the one before it; its owner moves it. */
static void run_stream(uint64_t tick)
{
    for (uint64_t id = 1; id <= STREAM; id++) {
        const uint64_t at = (tick + id * PERIOD / STREAM) % PERIOD;
        const float x = FIRST + 4.0f * (float)(at < PERIOD / 2 ? at : PERIOD - at);
        for (uint32_t i = 0; i < NODES; i++)
            if (phc_owns(hosts[i].member, id))
                cr_assert_eq(ph_move(hosts[i].producer, id, x, (float)id * 20, 0), PH_OK);
    }
    run_round();
}

static uint64_t count_handed(void)
{
    return hosts[0].member->node.counts.acked + hosts[1].member->node.counts.acked;
}

static void set_up(void)
{
    ph_class class;
    ph_world_def world_def = node_host_world_def(&class, 50, 0);
    phc_def def = node_host_def(&world_def, NODES, read_clock);
    now_ns = TICK_NS;
    world_def.allocator = fail_alloc_hooks(&worlds);
    def.allocator = fail_alloc_hooks(&members);
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < NODES; i++) node_host_open(&hosts[i], &def, loop, MESSAGES, memory);
    for (uint32_t i = 0; i < ROUNDS; i++) run_round();
    const phc *first = hosts[0].member;
    const uint32_t owner = phc_owner_of(first, FIRST, 20) == phc_number(first) ? 0 : 1;
    for (uint64_t id = 1; id <= STREAM; id++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y, .x = FIRST, .y = (float)id * 20};
        cr_assert_eq(phc_enter(hosts[owner].member, id, &attrs, 0), PH_OK);
    }
}

static void tear_down(void)
{
    node_host_close_all(hosts, NODES, loop, memory);
    cr_assert(fail_alloc_clean(&members) && fail_alloc_clean(&worlds));
}

TestSuite(stream, .init = set_up, .fini = tear_down);

Test(stream, a_steady_stream_over_the_border_allocates_nothing)
{
    enum { PERIODS = 4, SLACK = 2 * STREAM }; /* SLACK: on their way as it begins, and as it ends */
    uint64_t tick = 0;
    for (; tick < PERIODS * PERIOD; tick++) run_stream(tick);
    const uint64_t calls = members.calls, world_calls = worlds.calls, handed = count_handed();
    for (; tick < 2 * PERIODS * PERIOD; tick++) run_stream(tick);
    const uint64_t exports = count_handed() - handed;
    cr_assert_geq(exports, 2 * PERIODS * STREAM - SLACK, "%u hand-overs", (unsigned)exports);
    cr_assert_eq(members.calls - calls, 0, "%u by members", (unsigned)(members.calls - calls));
    cr_assert_eq(worlds.calls - world_calls, 0, "%u by worlds", (unsigned)(worlds.calls - world_calls));
}

/*
 * A host that takes no events while entities come with large states: these wait at their senders, so that memory is
 * bounded, and each comes once the host goes on.
 */
#include <criterion/criterion.h>
#include <string.h>

#include <pharos/cluster.h>

#include "cluster/member/reports.h"
#include "cluster/node_host.h"

enum { TICK_NS = 50000000, NODES = 2, JOIN_ROUNDS = 60, FEW_ROUNDS = 8 };
/* As many come as fill the events of the host, and some more. */
enum { FILL = PHX_REPORTS_BYTES_MAX / PHC_BLOB_MAX, MORE = 100, MANY = FILL + MORE };

static const float BORDER = 400;

static phc_loop *loop;
static phc_memory *memory;
static node_host hosts[NODES];
static bool takes; /* the second node's host, its events */
static uint32_t gained[MANY + 1];
static uint64_t now_ns;

static uint64_t read_clock(void *user)
{
    (void)user;
    return now_ns;
}

static size_t pack_much(void *user, uint64_t id, void *bytes, size_t size)
{
    (void)user;
    cr_assert_geq(size, PHC_BLOB_MAX);
    memset(bytes, (int)(id % 251), PHC_BLOB_MAX);
    return PHC_BLOB_MAX;
}

static void take_events(uint32_t k)
{
    phc_event event;
    while (phc_event_next(hosts[k].member, &event)) {
        if (event.kind != PHC_EVENT_GAINED) continue;
        const unsigned char *blob = event.bytes;
        cr_assert(event.size == PHC_BLOB_MAX && blob[0] == event.id % 251 && blob[PHC_BLOB_MAX - 1] == event.id % 251);
        gained[event.id]++;
    }
}

static void run_rounds(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        phc_memory_step(memory, now_ns += TICK_NS);
        for (uint32_t k = 0; k < NODES; k++) {
            cr_assert_eq(phc_tick(hosts[k].member), PH_OK);
            if (k == 0 || takes) take_events(k);
            node_host_end_round(&hosts[k]);
        }
        phc_loop_step(loop);
    }
}

/* The place of a node's entities, so far from the border. */
static float place_of(uint32_t k, float from_border)
{
    const phc *member = hosts[k].member;
    return phc_owner_of(member, 0, 0) == phc_number(member) ? BORDER - from_border : BORDER + from_border;
}

static uint32_t queue_bytes(const phx_item_queue *queue)
{
    return queue->end - queue->first;
}

Test(slow_host, entities_with_large_states_wait_at_their_sender)
{
    ph_class class;
    const ph_world_def world_def = node_host_world_def(&class, 50, 0);
    phc_def def = node_host_def(&world_def, NODES, read_clock);
    phc_stats stats;
    now_ns = TICK_NS;
    takes = true;
    def.pack = pack_much;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < NODES; i++) node_host_open(&hosts[i], &def, loop, 1024, memory);
    run_rounds(JOIN_ROUNDS);
    const phc *member = hosts[1].member;
    for (uint64_t id = 1; id <= MANY; id++) {
        const ph_attrs attrs = {.given = PH_POSITION, .x = place_of(0, 300), .y = (float)(id % 700)};
        cr_assert_eq(phc_enter(hosts[0].member, id, &attrs, 0), PH_OK);
    }
    run_rounds(2);
    takes = false;
    for (uint64_t id = 1; id <= MANY; id++)
        cr_assert_eq(ph_move(hosts[0].producer, id, place_of(1, 300), (float)(id % 700), 0), PH_OK);
    run_rounds(MANY / 2);
    cr_assert_leq(queue_bytes(&member->events), PHX_REPORTS_BYTES_MAX + PHX_WIRE_BYTES_MAX);
    cr_assert_leq(queue_bytes(&member->node.events), PHX_WIRE_BYTES_MAX,
                  "at most the rest of the message that filled them");
    cr_assert_eq(phc_stats_get(hosts[1].member, &stats), PH_OK);
    cr_assert(stats.own >= FILL && stats.own < FILL + PHX_WIRE_BYTES_MAX / PHC_BLOB_MAX);
    cr_assert_gt(stats.events_full, 0);
    takes = true;
    run_rounds(MANY / 2);
    for (uint64_t id = 1; id <= MANY; id++)
        cr_assert(gained[id] == 1 && phc_owns(member, id), "%u: %u times", (unsigned)id, gained[id]);
    node_host_close_all(hosts, NODES, loop, memory);
}

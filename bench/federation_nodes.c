/*
 * Nodes of --federation; see federation_nodes.h.
 */
#include "bench/federation_nodes.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/base/memory.h"
#include "tools/cli.h"

enum { LOOP_MESSAGES = 65536, JOIN_TICKS = 20000, JOIN_NS = 5000000 };

/* Regions of a node. */
enum { COLUMNS = 8, ROWS = 8 };

float bench_federation_halo(void)
{
    const phc_def def = phc_def_default();
    return BENCH_FED_VIEW + BENCH_FED_MARGIN + 2 * def.hand_over_margin + 2 * BENCH_FED_STEP * (float)def.lag_max;
}

/* ---- opening ---- */

static uint64_t read_clock(void *user)
{
    const bench_federation *federation = user;
    return federation->way == BENCH_FED_NATS ? phx_clock_ns() : (federation->tick + 1) * BENCH_FED_TICK_NS;
}

static ph_world_def world_def_of(const bench_federation *federation, ph_class *class)
{
    ph_world_def def = ph_world_def_default();
    *class = ph_class_default("default");
    class->view = BENCH_FED_VIEW;
    class->margin = BENCH_FED_MARGIN;
    def.classes = class;
    def.class_count = 1;
    def.world_size[0] = federation->crowd->side * (float)BENCH_FED_NODES;
    def.world_size[1] = federation->crowd->side;
    def.tower_size = BENCH_FED_VIEW;
    return def;
}

static size_t pack_nothing(void *user, uint64_t id, void *bytes, size_t size)
{
    (void)user, (void)id, (void)bytes, (void)size;
    return 0;
}

static ph_status open_transport(bench_federation *federation, bench_fed_node *node, const char *nats)
{
    if (federation->way == BENCH_FED_LOOP)
        return phc_loop_join(federation->loop, LOOP_MESSAGES, &node->counted.transport);
#ifdef PHX_BENCH_NATS
    const phc_nats_def def = {.servers = &nats, .server_count = 1};
    return phc_nats_open(&def, &node->counted.transport, federation->reason, sizeof federation->reason);
#else
    (void)snprintf(federation->reason, sizeof federation->reason, "%s: this program was built without libnats", nats);
    return PH_BAD_DEF;
#endif
}

static ph_status open_member(bench_federation *federation, bench_fed_node *node, const ph_world_def *world_def,
                             const char *nats)
{
    phc_def def = phc_def_default();
    def.name = "bench";
    def.world_def = world_def;
    def.regions[0] = BENCH_FED_NODES * COLUMNS;
    def.regions[1] = ROWS;
    def.speed_max = BENCH_FED_STEP;
    def.halo = bench_federation_halo();
    def.lease_ms = BENCH_FED_LEASE_MS;
    def.pack = pack_nothing;
    def.clock = read_clock;
    def.clock_user = federation;
    ph_status status = open_transport(federation, node, nats);
    node->has_transport = status == PH_OK;
    if (status == PH_OK) status = phc_memory_join(federation->memory, &node->store);
    node->has_store = status == PH_OK;
    const phc_transport counted = bench_fed_count(&node->counted);
    return status != PH_OK ? status
                           : phc_open(&def, node->world, &counted, &node->store, &node->member, federation->reason,
                                      sizeof federation->reason);
}

static ph_status open_node(bench_federation *federation, uint32_t place, const char *nats)
{
    bench_fed_node *node = &federation->nodes[place];
    ph_class class;
    const ph_world_def def = world_def_of(federation, &class);
    node->counted.traffic = &federation->traffic;
    node->ids = bench_alloc(federation->mem, federation->crowd->count * sizeof *node->ids);
    node->positions = bench_alloc(federation->mem, federation->crowd->count * sizeof *node->positions);
    ph_status status = ph_world_create(&def, &node->world);
    if (status == PH_OK && federation->way != BENCH_FED_ALONE) status = open_member(federation, node, &def, nats);
    if (status == PH_OK) status = ph_producer_open(node->world, &node->producer);
    if (status == PH_OK) status = ph_consumer_open(node->world, 0, &node->consumer);
    return status;
}

static phc *member_numbered(const bench_federation *federation, uint16_t number)
{
    for (uint32_t i = 0; i < BENCH_FED_NODES; i++)
        if (phc_number(federation->nodes[i].member) == number) return federation->nodes[i].member;
    return NULL;
}

/* A wish to give the region on, if it is another node's. false: it is, or one of the two is in no map yet. */
static bool give_region(const bench_federation *federation, uint32_t column, uint32_t row)
{
    const float side = federation->crowd->side;
    const float x = ((float)column + 0.5f) / COLUMNS * side, y = ((float)row + 0.5f) / ROWS * side;
    phc *member = federation->nodes[column / COLUMNS].member;
    const uint16_t owner = phc_owner_of(member, x, y), number = phc_number(member);
    if (owner == number) return true;
    phc *from = member_numbered(federation, owner);
    const uint32_t region = column + row * BENCH_FED_NODES * COLUMNS;
    if (!from || number == 0) return false;
    const ph_status status = phc_give_region(from, region, number);
    PHX_ASSERT(status == PH_OK || status == PH_BAD_VALUE); /* this node is not in the map of that one yet */
    (void)status;
    return false;
}

/* Each node has its part of the world: the map gives regions as members come, so they are given on, one after the
 * other. */
static bool has_regions(const bench_federation *federation)
{
    for (uint32_t i = 0; i < BENCH_FED_NODES; i++)
        if (phc_number(federation->nodes[i].member) == 0) return false;
    for (uint32_t column = 0; column < BENCH_FED_NODES * COLUMNS; column++)
        for (uint32_t row = 0; row < ROWS; row++)
            if (!give_region(federation, column, row)) return false;
    return true;
}

static void rest_if_real(const bench_federation *federation)
{
    const struct timespec pause = {.tv_nsec = JOIN_NS};
    if (federation->way == BENCH_FED_NATS) (void)nanosleep(&pause, NULL);
}

static ph_status join_nodes(bench_federation *federation)
{
    const uint32_t count = federation->crowd->count;
    ph_status status = PH_OK;
    bool joined = false;
    double ns;
    federation->crowd->count = 0; /* no walker has entered */
    for (uint32_t i = 0; i < JOIN_TICKS && status == PH_OK && !joined; i++) {
        status = bench_federation_round(federation, &ns);
        joined = has_regions(federation);
        rest_if_real(federation);
    }
    federation->crowd->count = count;
    federation->walked = 0;
    return status == PH_OK && !joined ? PH_BUSY : status;
}

static ph_status enter_crowd(bench_federation *federation)
{
    ph_status status = PH_OK;
    for (uint32_t i = 0; i < federation->crowd->count && status == PH_OK; i++) {
        const ph_position at = federation->crowd->at[i];
        const ph_attrs attrs = {.given = PH_X | PH_Y, .x = at.x, .y = at.y};
        bench_fed_node *node = &federation->nodes[federation->node_count == 1 ? 0 : federation->crowd->node[i]];
        status = node->member ? phc_enter(node->member, i + 1, &attrs, 0) : ph_enter(node->producer, i + 1, &attrs);
    }
    return status;
}

bool bench_federation_open(bench_federation *federation, phx_mem *mem, bench_fed_crowd *crowd, uint32_t node_count,
                           bench_fed_way way, const char *nats)
{
    *federation = (bench_federation){.mem = mem, .crowd = crowd, .node_count = node_count, .way = way};
    ph_status status = phc_loop_create((phc_faults){0}, (ph_allocator){0}, &federation->loop);
    if (status == PH_OK) status = phc_memory_create((phc_faults){0}, (ph_allocator){0}, &federation->memory);
    for (uint32_t i = 0; i < node_count && status == PH_OK; i++) status = open_node(federation, i, nats);
    if (status == PH_OK && way != BENCH_FED_ALONE) status = join_nodes(federation);
    if (status == PH_OK) status = enter_crowd(federation);
    if (status != PH_OK && federation->reason[0] == '\0')
        (void)snprintf(federation->reason, sizeof federation->reason, "%s", ph_status_text(status));
    return status == PH_OK;
}

void bench_federation_close(bench_federation *federation)
{
    const uint32_t count = federation->crowd->count;
    for (uint32_t i = 0; i < federation->node_count; i++) {
        bench_fed_node *node = &federation->nodes[i];
        phc_close(node->member);
        if (node->has_transport) node->counted.transport.close(node->counted.transport.user);
        if (node->has_store) node->store.close(node->store.user);
        if (node->world.index1 != 0) (void)ph_world_destroy(node->world);
        if (node->ids) phx_free(federation->mem, node->ids, count * sizeof *node->ids, PHX_CACHE_LINE);
        if (node->positions)
            phx_free(federation->mem, node->positions, count * sizeof *node->positions, PHX_CACHE_LINE);
    }
    phc_loop_destroy(federation->loop);
    phc_memory_destroy(federation->memory);
}

/* ---- ticks ---- */

void bench_federation_step(bench_federation *federation)
{
    federation->tick++;
    if (federation->way == BENCH_FED_ALONE) return;
    phc_loop_step(federation->loop);
    phc_memory_step(federation->memory, read_clock(federation));
}

static void hear_events(bench_federation *federation, uint32_t place)
{
    phc_event event;
    while (phc_event_next(federation->nodes[place].member, &event)) {
        if (event.kind == PHC_EVENT_GAINED) {
            federation->crowd->node[event.id - 1] = (uint8_t)place;
            federation->gained++;
        }
        federation->lost += event.kind == PHC_EVENT_LOST;
    }
}

static uint32_t take_own(const bench_federation *federation, bench_fed_node *node, uint32_t place)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < federation->crowd->count; i++) {
        if (federation->node_count > 1 && federation->crowd->node[i] != place) continue;
        node->ids[count] = i + 1;
        node->positions[count++] = federation->crowd->at[i];
    }
    return count;
}

static uint64_t cpu_ns(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static ph_status run_world(bench_fed_node *node, uint32_t count)
{
    const ph_batch *batch;
    uint32_t done;
    ph_status status = count > 0 ? ph_move_many(node->producer, count, node->ids, node->positions, &done) : PH_OK;
    if (status == PH_OK) status = ph_tick(node->world, NULL);
    while (status == PH_OK && ph_batch_take(node->consumer, &batch) == PH_OK)
        status = ph_batch_return(node->consumer, batch);
    return status;
}

/* The host's own work, as which entities are its own, is not timed. */
ph_status bench_federation_tick(bench_federation *federation, uint32_t place)
{
    bench_fed_node *node = &federation->nodes[place];
    uint64_t begin_ns = cpu_ns();
    ph_status status = node->member ? phc_tick(node->member) : PH_OK;
    node->cpu_ns = cpu_ns() - begin_ns;
    if (status != PH_OK) return status;
    if (node->member) hear_events(federation, place);
    const uint32_t count = take_own(federation, node, place);
    begin_ns = cpu_ns();
    status = run_world(node, count);
    if (status == PH_OK && node->member) status = phc_told(node->member);
    node->cpu_ns += cpu_ns() - begin_ns;
    return status;
}

ph_status bench_federation_round(bench_federation *federation, double *ns)
{
    ph_status status = PH_OK;
    bench_federation_step(federation);
    bench_fed_crowd_walk(federation->crowd, ++federation->walked);
    *ns = 0;
    for (uint32_t i = 0; i < federation->node_count && status == PH_OK; i++) {
        status = bench_federation_tick(federation, i);
        *ns += (double)federation->nodes[i].cpu_ns;
    }
    return status;
}

/*
 * Hosts that enter ids which others have entered, too, over messages that are lost, doubled and late: each enters some
 * now and then, attaches some to others, and moves them into the regions of other nodes, so that they cross and meet.
 * In half of the seeds a node dies. Each entity has a number, which its host packs:
 *
 *  - GAINED, RESTORED and LOST are told where the host had none, or had that one; DUPLICATE where it had another one;
 *  - an entity ends once, and one host is told of its number, but where that host's node dies;
 *  - once all were moved to one node, each id has one owner, and all other entities of it have ended; none, at most,
 *    where the dead node had it.
 *
 * options: --seed S the first seed, --count N clusters
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pharos/cluster.h>

#include "base/rng.h"
#include "cluster/member/phc_state.h"
#include "cluster/node_host.h"
#include "cluster/walks.h"
#include "support/check.h"

enum {
    NODES = 3,
    IDS = 6,
    ENTITIES = 80,
    JOIN_TICKS = 60,
    TICKS = 160,
    GATHERINGS = 5,
    CALM_TICKS = 40,
    LEASE_TICKS = 140,
    LEASE_MS = 3000,
    TICK_NS = 50000000,
    CLUSTERS = 60
};

typedef struct host {
    struct cluster *all;
    node_host node;
    uint32_t place;
    bool dead;
    uint32_t own[IDS + 1]; /* by the host's events: the entity's number, 0 = none */
} host;

typedef struct cluster {
    uint64_t seed, rng, tick;
    host hosts[NODES];
    phc_loop *loop;
    phc_memory *memory;
    uint32_t entered;
    uint64_t id_of[ENTITIES + 1];
    uint32_t told_at[ENTITIES + 1]; /* the node whose host was told of its end, from one on; 0: it has not ended */
    bool was_entered[IDS + 1], was_at_dead[IDS + 1];
    uint64_t ended, dropped, restored;
} cluster;

static uint64_t read_clock(void *user)
{
    const cluster *c = user;
    return c->tick * TICK_NS;
}

static size_t pack_number(void *user, uint64_t id, void *bytes, size_t size)
{
    const host *h = user;
    REQUIRE(size >= sizeof h->own[id]);
    memcpy(bytes, &h->own[id], sizeof h->own[id]);
    return sizeof h->own[id];
}

static void open_cluster(cluster *c)
{
    ph_class class;
    const ph_world_def world_def = node_host_world_def(&class, 60, 10);
    phc_def def = phc_def_default();
    def.name = "doubles";
    def.world_def = &world_def;
    def.regions[0] = NODES;
    def.regions[1] = 1;
    def.lease_ms = LEASE_MS;
    def.pack = pack_number;
    def.clock = read_clock;
    def.clock_user = c;
    REQUIRE(phc_loop_create((phc_faults){0}, (ph_allocator){0}, &c->loop) == PH_OK);
    REQUIRE(phc_memory_create((phc_faults){0}, (ph_allocator){0}, &c->memory) == PH_OK);
    for (uint32_t i = 0; i < NODES; i++) {
        host *h = &c->hosts[i];
        *h = (host){.all = c, .place = i};
        def.pack_user = h;
        node_host_open(&h->node, &def, c->loop, 4096, c->memory);
    }
}

static void close_cluster(cluster *c)
{
    for (uint32_t i = 0; i < NODES; i++) node_host_close(&c->hosts[i].node);
    phc_loop_destroy(c->loop);
    phc_memory_destroy(c->memory);
}

/* ---- what a host is told ---- */

static bool expect(const cluster *c, const phc_event *event, bool good)
{
    return CHECK(good, "seed %" PRIu64 " tick %" PRIu64 ": event %d of %" PRIu64 ": %s", c->seed, c->tick,
                 (int)event->kind, event->id, ph_status_name(event->status));
}

/* What a dead node's host was told is void: the entity may have come back to its sender. */
static void tell_end(cluster *c, const host *h, uint32_t entity, const phc_event *event)
{
    REQUIRE(entity <= ENTITIES);
    const uint32_t told_at = c->told_at[entity];
    expect(c, event, entity != 0 && c->id_of[entity] == event->id);
    expect(c, event, told_at == 0 || c->hosts[told_at - 1].dead);
    c->told_at[entity] = h->place + 1;
    c->ended++;
}

static void take_entity(cluster *c, host *h, const phc_event *event)
{
    uint32_t entity;
    uint32_t *own = &h->own[event->id];
    expect(c, event, event->size == sizeof entity);
    memcpy(&entity, event->bytes, sizeof entity);
    const bool is_double = event->kind == PHC_EVENT_DUPLICATE, is_dropped = is_double && event->status == PH_PENDING;
    if (is_dropped) {
        c->dropped++;
        tell_end(c, h, entity, event);
        return;
    }
    expect(c, event, event->status == PH_OK && is_double == (*own != 0));
    if (is_double) tell_end(c, h, *own, event);
    *own = entity;
    c->restored += event->kind == PHC_EVENT_RESTORED;
    expect(c, event, event->ownership == phc_ownership(h->node.member, event->id));
}

static void take_events(cluster *c, host *h)
{
    phc_event event;
    while (phc_event_next(h->node.member, &event)) {
        switch (event.kind) {
        case PHC_EVENT_GAINED:
        case PHC_EVENT_RESTORED:
        case PHC_EVENT_DUPLICATE:
            take_entity(c, h, &event);
            break;
        case PHC_EVENT_LOST:
            expect(c, &event, event.status == PH_OK && h->own[event.id] != 0);
            h->own[event.id] = 0;
            break;
        case PHC_EVENT_FENCED:
            expect(c, &event, false);
            break;
        default:
            break;
        }
    }
}

/* ---- what a host does ---- */

/* A place in the region of a node. */
static float place_of(cluster *c, const host *h, uint32_t node)
{
    const float width = WALKS_SIZE / NODES, inside = (float)(30 + phx_rng_below(&c->rng, 200));
    const uint16_t number = phc_number(c->hosts[node].node.member);
    for (uint32_t i = 0; i < NODES; i++)
        if (phc_owner_of(h->node.member, (float)i * width + inside, 0) == number) return (float)i * width + inside;
    return inside;
}

static void enter_one(cluster *c, host *h, uint64_t id)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = place_of(c, h, h->place), .y = 100};
    if (c->entered == ENTITIES || phc_enter(h->node.member, id, &attrs, 0) != PH_OK) return;
    expect(c, &(phc_event){.id = id}, h->own[id] == 0);
    h->own[id] = ++c->entered;
    c->id_of[c->entered] = id;
    c->was_entered[id] = true;
}

static void move_to(cluster *c, host *h, uint64_t id, uint32_t node)
{
    if (h->own[id] == 0 || c->hosts[node].dead) return;
    CHECK_OK(ph_move(h->node.producer, id, place_of(c, h, node), 100, 0));
}

static void live(cluster *c, host *h)
{
    enum { ENTER_ONE_IN = 8, ATTACH_ONE_IN = 12, DETACH_ONE_IN = 30, MOVE_ONE_IN = 8 };
    const uint64_t id = 1 + phx_rng_below(&c->rng, IDS), other = 1 + phx_rng_below(&c->rng, IDS);
    if (phx_rng_below(&c->rng, ENTER_ONE_IN) == 0) enter_one(c, h, id);
    if (phx_rng_below(&c->rng, ATTACH_ONE_IN) == 0 && id != other && h->own[id] != 0 && h->own[other] != 0)
        CHECK_OK(ph_attach(h->node.producer, id, other)); /* the world may refuse it */
    if (phx_rng_below(&c->rng, DETACH_ONE_IN) == 0 && h->own[id] != 0) CHECK_OK(ph_detach(h->node.producer, id));
    if (phx_rng_below(&c->rng, MOVE_ONE_IN) == 0) move_to(c, h, other, phx_rng_below(&c->rng, NODES));
}

/* Two of one id set out for each other's node in one tick. */
static void swap_two(cluster *c)
{
    const uint64_t id = 1 + phx_rng_below(&c->rng, IDS);
    const uint32_t one = phx_rng_below(&c->rng, NODES), other = (one + 1) % NODES;
    if (c->hosts[one].dead || c->hosts[other].dead || c->hosts[one].own[id] == 0 || c->hosts[other].own[id] == 0)
        return;
    move_to(c, &c->hosts[one], id, other);
    move_to(c, &c->hosts[other], id, one);
}

static void round_of(cluster *c, host *h, bool lives, const host *last)
{
    const ph_batch *batch;
    CHECK_OK(phc_tick(h->node.member));
    take_events(c, h);
    if (lives) live(c, h);
    for (uint64_t id = 1; id <= IDS && last; id++) {
        if (h->own[id] != 0) CHECK_OK(ph_detach(h->node.producer, id));
        move_to(c, h, id, last->place);
    }
    CHECK_OK(ph_tick(h->node.world, NULL));
    while (ph_batch_take(h->node.consumer, &batch) == PH_OK) CHECK_OK(ph_batch_return(h->node.consumer, batch));
    CHECK_OK(phc_told(h->node.member));
}

/* last: all go to its node; NULL: they go on, or stand still. */
static void run_ticks(cluster *c, uint32_t count, bool lives, const host *last)
{
    enum { SWAP_ONE_IN = 3 };
    for (uint32_t i = 0; i < count; i++) {
        c->tick++;
        phc_memory_step(c->memory, c->tick * TICK_NS);
        if (lives && phx_rng_below(&c->rng, SWAP_ONE_IN) == 0) swap_two(c);
        for (uint32_t k = 0; k < NODES; k++)
            if (!c->hosts[k].dead) round_of(c, &c->hosts[k], lives, last);
        phc_loop_step(c->loop);
    }
}

static void kill_node(cluster *c)
{
    host *h = &c->hosts[phx_rng_below(&c->rng, NODES)];
    for (uint64_t id = 1; id <= IDS; id++)
        c->was_at_dead[id] = phx_holdings_find(&h->node.member->node.holdings, id) != NULL;
    h->dead = true;
}

/* ---- the end ---- */

static void check_end(const cluster *c, bool with_death)
{
    uint32_t alive = 0, ended = 0;
    for (uint64_t id = 1; id <= IDS; id++) {
        uint32_t owners = 0;
        for (uint32_t i = 0; i < NODES; i++) {
            const host *h = &c->hosts[i];
            ph_attrs attrs;
            if (h->dead) continue;
            const bool owns = phc_owns(h->node.member, id);
            const bool is_here = ph_entity_get(h->node.world, id, &attrs) == PH_OK && !attrs.remote;
            CHECK(owns == (h->own[id] != 0) && owns == is_here, "seed %" PRIu64 ": %" PRIu64 " at %u: %d, %d, %d",
                  c->seed, id, i, owns, h->own[id] != 0, is_here);
            owners += owns;
        }
        CHECK(owners == c->was_entered[id] || (owners == 0 && c->was_at_dead[id]),
              "seed %" PRIu64 ": %" PRIu64 " has %u owners", c->seed, id, owners);
        alive += owners;
    }
    for (uint32_t i = 1; i <= c->entered; i++) ended += c->told_at[i] != 0;
    CHECK(with_death || alive + ended == c->entered, "seed %" PRIu64 ": %u are there, %u have ended, of %u", c->seed,
          alive, ended, c->entered);
    for (uint32_t i = 0; i < NODES; i++)
        CHECK(c->hosts[i].dead || c->hosts[i].node.member->node.replaced == 0, "seed %" PRIu64, c->seed);
}

static void run_cluster(cluster *c, uint64_t seed)
{
    const phc_faults faults = {.seed = seed,
                               .lost = (uint32_t)(seed % 4) * 100,
                               .doubled = 50,
                               .late = (uint32_t)(seed % 3) * 200,
                               .late_steps = 6};
    const bool with_death = seed / 2 % 2 == 0;
    *c = (cluster){.seed = seed, .rng = seed, .tick = 1};
    open_cluster(c);
    run_ticks(c, JOIN_TICKS, false, NULL);
    CHECK_OK(phc_loop_set_faults(c->loop, faults));
    const uint32_t death = phx_rng_below(&c->rng, TICKS);
    run_ticks(c, death, true, NULL);
    if (with_death) kill_node(c);
    run_ticks(c, TICKS - death, true, NULL);
    CHECK_OK(phc_loop_set_faults(c->loop, (phc_faults){0}));
    run_ticks(c, with_death ? LEASE_TICKS : CALM_TICKS, false, NULL);
    const host *last = &c->hosts[c->hosts[0].dead];
    for (uint32_t i = 0; i < GATHERINGS; i++) run_ticks(c, CALM_TICKS, false, last);
    check_end(c, with_death);
    close_cluster(c);
}

int main(int argc, char **argv)
{
    static cluster c;
    const uint64_t first = option_number(argc, argv, "--seed", 1);
    const uint64_t count = option_number(argc, argv, "--count", test_amount(CLUSTERS));
    uint64_t entered = 0, ended = 0, dropped = 0, restored = 0;
    for (uint64_t seed = first; seed < first + count && check_failures() == 0; seed++) {
        run_cluster(&c, seed);
        entered += c.entered;
        ended += c.ended;
        dropped += c.dropped;
        restored += c.restored;
    }
    printf("%" PRIu64 " clusters: %" PRIu64 " entities, %" PRIu64 " have ended, %" PRIu64
           " of these as another one was on its way; %" PRIu64 " came back\n",
           count, entered, ended, dropped, restored);
    CHECK(count < CLUSTERS || (dropped > 0 && restored > 0), "none crosses, or none comes back");
    return check_done("cluster_doubles");
}

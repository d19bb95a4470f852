/*
 * Hosts of one common world, over the library's calls alone (cluster.h): members that join late, regions that are given
 * to other nodes, a node that is drained and closed, in half of the seeds one that dies, over a transport and a control
 * store that lose, double and delay. Walkers, some of them with a follower attached, cross the borders. In every tick,
 * of every own entity:
 *
 *  - its list has each entity that was within its view at all moments of the last ticks, and none that was beyond view
 *    and margin at all of them;
 *  - what its client was told, by whichever node, is its list: nothing twice, nothing lost;
 *  - at most one node owns it; what its host packed is what the next host gets.
 *
 * Entities of the dead node are entered anew by the nodes of their regions, once no other node has them: none is
 * missing then, and none has two owners.
 *
 * Once all stand still, each has an owner, the node of its region, and all lists are as in one world.
 *
 * options: --seed S the first seed, --count N clusters
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/cluster.h>

#include "base/rng.h"
#include "cluster/walks.h"
#include "support/check.h"

enum {
    NODES = 4,
    WALKERS = 120,
    FAMILY_EVERY = 8, /* the walker of such a number is attached to the one before it */
    COLUMNS = 4,
    ROWS = 4,
    TICKS = 300,
    CALM_TICKS = 120,
    WINDOW = 24,
    TICK_NS = 50000000,
    JOIN_TICK = 60,   /* of the last node */
    DRAIN_TICK = 140, /* of the first one */
    KILL_TICK = 170,  /* of the second one */
    LEASE_MS = 3000,
    GIVE_ONE_IN = 30,
    CLUSTERS = 40
};

static const float VIEW = 60;

/* The host's state of an entity, as it goes to another node. */
typedef struct packed {
    uint64_t id, steps;
    spot at;
} packed;

typedef struct host {
    struct cluster *all;
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    phc_transport transport;
    phc_store store;
    phc *member; /* NULL: not yet, or not any more */
    bool drained, dead, asks;
    uint32_t restoring[COLUMNS * ROWS], asked[COLUMNS * ROWS]; /* losses, by region; of the question under way */
    uint64_t steps[WALKERS + 1];                               /* the host's state of its entities */
} host;

typedef struct cluster {
    uint64_t seed, rng, tick;
    float margin;
    host hosts[NODES];
    phc_loop *loop;
    phc_memory *memory;
    ph_world one; /* all entities, all the time */
    ph_producer producer;
    spot at[WINDOW][WALKERS + 1]; /* by tick, and id */
    spot goal[WALKERS + 1];
    uint64_t steps[WALKERS + 1];
    uint64_t entered[WALKERS + 1]; /* tick; 0 = not yet */
    uint64_t since[WALKERS + 1];   /* tick since which it is there without a break */
    bool told[WALKERS + 1][WALKERS + 1];
    bool calm;
    uint64_t gained, restored, events, pairs;
} cluster;

static spot *spot_of(cluster *c, uint64_t tick, uint64_t id)
{
    return &c->at[tick % WINDOW][id];
}

static bool is_follower(uint64_t id)
{
    return id % FAMILY_EVERY == 0;
}

/* ---- life ---- */

static uint64_t read_clock(void *user)
{
    const cluster *c = user;
    return c->tick * TICK_NS;
}

static size_t pack_state(void *user, uint64_t id, void *bytes, size_t size)
{
    const host *h = user;
    const packed state = {.id = id, .steps = h->steps[id], .at = *spot_of(h->all, h->all->tick, id)};
    REQUIRE(size >= sizeof state);
    memcpy(bytes, &state, sizeof state);
    return sizeof state;
}

static void open_host(cluster *c, host *h, const ph_world_def *world_def)
{
    char reason[PHC_REASON_SIZE] = "";
    phc_def def = phc_def_default();
    h->all = c;
    REQUIRE(ph_world_create(world_def, &h->world) == PH_OK);
    REQUIRE(phc_loop_join(c->loop, 8192, &h->transport) == PH_OK && phc_memory_join(c->memory, &h->store) == PH_OK);
    def.name = "test";
    def.world_def = world_def;
    def.regions[0] = COLUMNS;
    def.regions[1] = ROWS;
    def.speed_max = WALKS_SPEED;
    def.lease_ms = LEASE_MS;
    def.lag_max = WINDOW / 3;
    def.pack = pack_state;
    def.pack_user = h;
    def.clock = read_clock;
    def.clock_user = c;
    const ph_status status = phc_open(&def, h->world, &h->transport, &h->store, &h->member, reason, sizeof reason);
    REQUIRE(status == PH_OK);
    REQUIRE(ph_producer_open(h->world, &h->producer) == PH_OK && ph_consumer_open(h->world, 0, &h->consumer) == PH_OK);
}

static void close_host(host *h)
{
    if (!h->member) return;
    phc_close(h->member);
    h->member = NULL;
    h->transport.close(h->transport.user);
    h->store.close(h->store.user);
    CHECK_OK(ph_world_destroy(h->world));
}

static void make_class(const cluster *c, ph_class *class)
{
    *class = ph_class_default("default");
    class->view = VIEW;
    class->margin = c->margin;
}

static ph_world_def world_def_of(const cluster *c, const ph_class *class, uint32_t place)
{
    ph_world_def def = ph_world_def_default();
    def.classes = class;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = WALKS_SIZE;
    def.tower_size = 40;
    def.shards[0] = 1 + (uint32_t)(c->seed + place) % 3;
    return def;
}

static void open_node(cluster *c, uint32_t place)
{
    ph_class class;
    make_class(c, &class);
    const ph_world_def def = world_def_of(c, &class, place);
    open_host(c, &c->hosts[place], &def);
}

static void open_cluster(cluster *c, uint64_t seed)
{
    const phc_faults messages = {.seed = seed,
                                 .lost = (uint32_t)(seed % 4) * 100,
                                 .doubled = 30,
                                 .late = (uint32_t)(seed % 3) * 150,
                                 .late_steps = 4};
    const phc_faults requests = {.seed = seed + 1, .lost = (uint32_t)(seed % 3) * 30, .late = 200, .late_steps = 4};
    ph_class class;
    c->seed = c->rng = seed;
    c->tick = 1;
    c->margin = seed % 2 ? 10 : 0;
    make_class(c, &class);
    const ph_world_def def = world_def_of(c, &class, 0);
    REQUIRE(phc_loop_create(messages, (ph_allocator){0}, &c->loop) == PH_OK);
    REQUIRE(phc_memory_create(requests, (ph_allocator){0}, &c->memory) == PH_OK);
    for (uint32_t i = 0; i + 1 < NODES; i++) open_node(c, i);
    REQUIRE(ph_world_create(&def, &c->one) == PH_OK && ph_producer_open(c->one, &c->producer) == PH_OK);
}

static void close_cluster(cluster *c)
{
    for (uint32_t i = 0; i < NODES; i++) close_host(&c->hosts[i]);
    phc_loop_destroy(c->loop);
    phc_memory_destroy(c->memory);
    CHECK_OK(ph_world_destroy(c->one));
}

/* ---- walking ---- */

static void place_walkers(cluster *c)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        for (uint32_t tick = 0; tick < WINDOW; tick++)
            c->at[tick][id] = is_follower(id) ? c->at[tick][id - 1] : walks_spot(&c->rng);
        for (uint32_t tick = 0; tick < WINDOW; tick++) c->at[tick][id] = c->at[0][id];
        c->goal[id] = walks_goal(&c->rng, id);
    }
}

/* ---- a round of a host ---- */

/* false: not here, or not yet. */
static bool enter_walker(cluster *c, host *h, uint64_t id)
{
    const spot at = *spot_of(c, c->tick, id);
    const ph_attrs attrs = {.given = PH_POSITION | PH_USER_DATA, .x = at.x, .y = at.y, .user_data = id * 3};
    if (is_follower(id) && !phc_owns(h->member, id - 1)) return false;
    const ph_status status = phc_enter(h->member, id, &attrs, 0);
    CHECK(status == PH_OK || status == PH_BUSY || status == PH_TAKEN, "enter: %s", ph_status_name(status));
    if (status != PH_OK) return false;
    if (is_follower(id)) CHECK_OK(ph_attach(h->producer, id, id - 1));
    memset(c->told[id], 0, sizeof c->told[id]); /* its client is a new one */
    h->steps[id] = c->steps[id];
    return true;
}

/* The region of an entity. */
static uint32_t region_of(cluster *c, uint64_t id)
{
    const spot at = *spot_of(c, c->tick, id);
    const uint32_t column = (uint32_t)(at.x / WALKS_SIZE * COLUMNS), row = (uint32_t)(at.y / WALKS_SIZE * ROWS);
    return (row < ROWS ? row : ROWS - 1) * COLUMNS + (column < COLUMNS ? column : COLUMNS - 1);
}

/* The regions that were asked for have all that was missing. */
static void end_restoring(host *h)
{
    for (uint32_t region = 0; region < COLUMNS * ROWS; region++) {
        if (h->asked[region] == 0) continue;
        CHECK_OK(phc_restored(h->member, region, h->asked[region]));
        if (h->restoring[region] == h->asked[region]) h->restoring[region] = 0;
    }
}

/* A node has died: which entities of these regions does no other one have? */
static void ask_missing(cluster *c, host *h)
{
    uint64_t ids[WALKERS];
    uint32_t count = 0;
    if (h->asks) return;
    memcpy(h->asked, h->restoring, sizeof h->asked);
    for (uint64_t id = 1; id <= WALKERS; id++)
        if (c->entered[id] != 0 && h->asked[region_of(c, id)] != 0 && !phc_owns(h->member, id)) ids[count++] = id;
    if (count > 0) {
        const ph_status status = phc_who_has(h->member, ids, count);
        h->asks = status == PH_OK;
        CHECK(status == PH_OK || status == PH_BUSY, "who has: %s", ph_status_name(status));
        return;
    }
    end_restoring(h);
}

static void restore_missing(cluster *c, host *h, const phc_event *event)
{
    const phc_holder *holders = event->bytes;
    bool all = true;
    h->asks = false;
    for (size_t i = 0; i < event->size / sizeof *holders; i++) {
        if (holders[i].number != 0) continue;
        const bool entered = enter_walker(c, h, holders[i].id);
        c->restored += entered;
        all &= entered;
    }
    if (all) end_restoring(h); /* else they are asked for again */
}

static void enter_walkers(cluster *c, host *h)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        const spot at = *spot_of(c, c->tick, id);
        const ph_attrs attrs = {.given = PH_POSITION, .x = at.x, .y = at.y};
        if (c->entered[id] != 0 || !enter_walker(c, h, id)) continue;
        CHECK_OK(ph_enter(c->producer, id, &attrs));
        c->entered[id] = c->since[id] = c->tick;
        if (is_follower(id)) CHECK_OK(ph_attach(c->producer, id, id - 1));
    }
}

static void gain_entity(cluster *c, host *h, const phc_event *event)
{
    packed state;
    REQUIRE(event->size == sizeof state);
    memcpy(&state, event->bytes, sizeof state);
    if (event->kind == PHC_EVENT_RESTORED) { /* the dead node's work with it is void */
        CHECK(state.steps <= c->steps[event->id], "a state of later");
        c->steps[event->id] = state.steps;
        *spot_of(c, c->tick, event->id) = state.at;
        memset(c->told[event->id], 0, sizeof c->told[0]);
        CHECK_OK(ph_resend(h->producer, event->id));
        c->since[event->id] = c->tick;
    }
    CHECK(state.id == event->id && state.steps == c->steps[event->id],
          "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " comes with the state of another", c->seed, c->tick,
          event->id);
    CHECK(phc_owns(h->member, event->id), "a gained entity is not own");
    h->steps[event->id] = state.steps;
    c->gained++;
}

static void take_events(cluster *c, host *h)
{
    phc_event event;
    while (phc_event_next(h->member, &event)) {
        switch (event.kind) {
        case PHC_EVENT_GAINED:
        case PHC_EVENT_RESTORED:
            CHECK(event.kind == PHC_EVENT_GAINED || c->hosts[1].dead, "an entity is taken back");
            gain_entity(c, h, &event);
            break;
        case PHC_EVENT_RESTORE:
            h->restoring[event.region] = event.loss;
            break;
        case PHC_EVENT_REGION_LOST: /* the duty is another node's, too */
            h->restoring[event.region] = h->asked[event.region] = 0;
            break;
        case PHC_EVENT_WHO_HAS:
            restore_missing(c, h, &event);
            break;
        case PHC_EVENT_DRAINED:
            h->drained = true;
            break;
        case PHC_EVENT_LOST:
            CHECK(event.status == PH_OK && event.number != 0,
                  "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " is lost to %u: %s", c->seed, c->tick, event.id,
                  event.number, ph_status_name(event.status));
            break;
        case PHC_EVENT_FENCED:
        case PHC_EVENT_DUPLICATE:
            (void)CHECK(false, "seed %" PRIu64 " tick %" PRIu64 ": event %d %s", c->seed, c->tick, (int)event.kind,
                        event.reason);
            break;
        default:
            break;
        }
    }
}

static void move_own(cluster *c, host *h)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        if (!phc_owns(h->member, id) || c->entered[id] == c->tick) continue;
        spot *now = spot_of(c, c->tick, id);
        c->steps[id] = ++h->steps[id];
        if (is_follower(id)) *now = *spot_of(c, c->tick, id - 1);
        else if (!c->calm) *now = walks_step(&c->rng, id, *now, &c->goal[id]);
        if (!is_follower(id)) CHECK_OK(ph_move(h->producer, id, now->x, now->y, 0));
    }
}

/* The client of each observer hears of it. */
static void tell_clients(cluster *c, host *h)
{
    const ph_batch *batch;
    while (ph_batch_take(h->consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) {
            const ph_change *change = &batch->changes[i];
            bool *told = c->told[change->observer];
            if (change->flags & PH_CHANGE_FRESH) memset(told, 0, sizeof c->told[0]);
            for (uint32_t k = 0; k < change->leave_count + change->enter_count; k++) {
                const ph_target *target = &batch->targets[change->first + k];
                const bool enters = k >= change->leave_count;
                CHECK(told[target->id] != enters,
                      "seed %" PRIu64 " tick %" PRIu64 ": observer %" PRIu64 " is told %s %" PRIu64, c->seed, c->tick,
                      change->observer, enters ? "twice of" : "to forget an untold", target->id);
                CHECK(target->user_data == target->id * 3, "another user data");
                told[target->id] = enters;
                c->events++;
            }
        }
        CHECK_OK(ph_batch_return(h->consumer, batch));
    }
}

static void round_of(cluster *c, host *h)
{
    ph_refusal refusal;
    uint32_t count = 0;
    CHECK_OK(phc_tick(h->member));
    take_events(c, h);
    ask_missing(c, h);
    move_own(c, h);
    enter_walkers(c, h);
    CHECK_OK(ph_tick(h->world, NULL));
    CHECK_OK(ph_producer_refusals(h->producer, &refusal, 1, &count));
    CHECK(count == 0, "seed %" PRIu64 " tick %" PRIu64 ": %s of %" PRIu64 " is refused: %s", c->seed, c->tick,
          ph_command_name((ph_command)refusal.command), refusal.id, ph_status_name(refusal.status));
    tell_clients(c, h);
    CHECK_OK(phc_told(h->member));
}

static void plan_tick(cluster *c)
{
    if (c->tick == JOIN_TICK) open_node(c, NODES - 1);
    if (c->tick == DRAIN_TICK) phc_drain(c->hosts[0].member);
    if (c->tick == KILL_TICK && c->seed % 4 < 2) c->hosts[1].dead = true;
    if (c->hosts[0].drained) close_host(&c->hosts[0]);
    if (c->calm || c->tick < JOIN_TICK || phx_rng_below(&c->rng, GIVE_ONE_IN) != 0) return;
    const uint16_t number = (uint16_t)(1 + phx_rng_below(&c->rng, NODES));
    const host *h = &c->hosts[2 + phx_rng_below(&c->rng, NODES - 2)];
    if (c->tick < DRAIN_TICK || number != phc_number(c->hosts[0].member))
        CHECK_OK(phc_give_region(h->member, phx_rng_below(&c->rng, COLUMNS * ROWS), number));
}

/* ---- checks ---- */

/* The least and the largest distance of the observer now to the target in the last ticks. */
static void distances(cluster *c, uint64_t observer, uint64_t target, uint64_t ticks, float *least, float *most)
{
    const spot at = *spot_of(c, c->tick, observer);
    *least = INFINITY;
    *most = 0;
    for (uint64_t back = 0; back <= ticks; back++) {
        const float d = spot_distance(at, *spot_of(c, c->tick - back, target));
        if (d < *least) *least = d;
        if (d > *most) *most = d;
    }
}

static void check_pair(cluster *c, const host *h, uint64_t observer, uint64_t target, bool listed)
{
    const bool own = phc_owns(h->member, target);
    const float slack = 1e-3f; /* of our own floats */
    float least, most;
    c->pairs++;
    distances(c, observer, target, own ? 0 : WINDOW - 2, &least, &most);
    CHECK(listed || most > VIEW - slack,
          "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " misses %" PRIu64 " (%g), own %d, here %u", c->seed, c->tick,
          observer, target, (double)most, own, phc_node_of(h->member, target));
    CHECK(!listed || least <= VIEW + c->margin + slack,
          "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " still has %" PRIu64 " (%g)", c->seed, c->tick, observer,
          target, (double)least);
}

static void check_observer(cluster *c, const host *h, uint64_t observer)
{
    uint64_t ids[WALKERS];
    bool listed[WALKERS + 1] = {0};
    uint32_t count = 0;
    CHECK_OK(ph_list(h->world, observer, ids, WALKERS, &count));
    for (uint32_t i = 0; i < count; i++) listed[ids[i]] = true;
    CHECK(memcmp(listed, c->told[observer], sizeof listed) == 0,
          "seed %" PRIu64 " tick %" PRIu64 ": the client of %" PRIu64 " has another list", c->seed, c->tick, observer);
    for (uint64_t target = 1; target <= WALKERS && c->tick > c->since[observer] + WINDOW; target++)
        if (target != observer && c->entered[target] != 0 && c->tick > c->since[target] + WINDOW)
            check_pair(c, h, observer, target, listed[target]);
}

static void check_tick(cluster *c)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        uint32_t owners = 0;
        for (uint32_t n = 0; n < NODES; n++) {
            const host *h = &c->hosts[n];
            if (!h->member || h->dead || !phc_owns(h->member, id)) continue;
            owners++;
            check_observer(c, h, id);
        }
        CHECK(owners <= 1, "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " has %u owners", c->seed, c->tick, id,
              owners);
        if (owners == 0 && c->hosts[1].dead) c->since[id] = c->tick; /* dead, or on its way to the dead node */
    }
}

/* All stand still: all lists are as in one world. With a margin, history decides between both radii. */
static void check_end(cluster *c)
{
    CHECK(c->hosts[0].member == NULL, "seed %" PRIu64 ": the first node is not drained", c->seed);
    for (uint64_t id = 1; id <= WALKERS; id++) {
        uint32_t owners = 0, count = 0, count_one = 0;
        uint64_t ids[WALKERS], ids_one[WALKERS];
        for (uint32_t n = 0; n < NODES; n++) {
            const host *h = &c->hosts[n];
            if (!h->member || h->dead || !phc_owns(h->member, id)) continue;
            owners++;
            CHECK_OK(ph_list(h->world, id, ids, WALKERS, &count));
        }
        CHECK(owners == 1, "seed %" PRIu64 ": %" PRIu64 " has %u owners at the end", c->seed, id, owners);
        CHECK_OK(ph_list(c->one, id, ids_one, WALKERS, &count_one));
        if (c->margin > 0) continue;
        CHECK(count == count_one && memcmp(ids, ids_one, count * sizeof *ids) == 0,
              "seed %" PRIu64 ": the list of %" PRIu64 " has %u entities, in one world %u", c->seed, id, count,
              count_one);
    }
}

static void step_cluster(cluster *c)
{
    if (c->tick == TICKS) {
        c->calm = true;
        CHECK_OK(phc_loop_set_faults(c->loop, (phc_faults){0}));
        CHECK_OK(phc_memory_set_faults(c->memory, (phc_faults){0}));
    }
    phc_memory_step(c->memory, c->tick * TICK_NS);
    plan_tick(c);
    for (uint32_t n = 0; n < NODES; n++) {
        host *h = &c->hosts[(n + c->seed) % NODES];
        if (h->member && !h->dead) round_of(c, h);
    }
    for (uint64_t id = 1; id <= WALKERS; id++) {
        const spot at = *spot_of(c, c->tick, id);
        if (c->entered[id] != 0 && c->entered[id] < c->tick && !is_follower(id))
            CHECK_OK(ph_move(c->producer, id, at.x, at.y, 0));
    }
    CHECK_OK(ph_tick(c->one, NULL));
    check_tick(c);
    phc_loop_step(c->loop);
    memcpy(c->at[(c->tick + 1) % WINDOW], c->at[c->tick % WINDOW], sizeof c->at[0]);
    c->tick++;
}

int main(int argc, char **argv)
{
    const uint64_t seed = option_number(argc, argv, "--seed", 1);
    const uint64_t count = option_number(argc, argv, "--count", test_amount(CLUSTERS));
    uint64_t gained = 0, restored = 0, events = 0, pairs = 0;
    for (uint64_t i = 0; i < count && check_failures() == 0; i++) {
        cluster *c = check_zalloc(sizeof *c);
        open_cluster(c, seed + i);
        place_walkers(c);
        while (c->tick < TICKS + CALM_TICKS && check_failures() == 0) step_cluster(c);
        c->tick--;
        if (check_failures() == 0) check_end(c);
        gained += c->gained;
        restored += c->restored;
        events += c->events;
        pairs += c->pairs;
        close_cluster(c);
        free(c);
    }
    (void)printf("%" PRIu64 " clusters: %" PRIu64 " entities gained, %" PRIu64 " restored, %" PRIu64 " events, %" PRIu64
                 " pairs\n",
                 count, gained, restored, events, pairs);
    CHECK(gained > 0, "no entity was handed over");
    return check_done("cluster_hosts");
}

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
 * In one of five seeds some of the walkers leap: they leave, enter again beside a border, mostly on another node, and
 * cross it, over and over. Before the death of a node, and where no node is late, a list has each of them that was
 * within view at all moments of the last ticks, since it has entered, and none that was not there in any of them.
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
#include "cluster/duties.h"
#include "cluster/node_host.h"
#include "cluster/walks.h"
#include "support/check.h"

enum {
    NODES = 4,
    WALKERS = 120,
    FAMILY_EVERY = 8, /* the walker of such a number is attached to the one before it */
    SIDE = 4,         /* regions */
    TICKS = 300,
    CALM_TICKS = 120,
    WINDOW = 24,
    TICK_NS = 50000000,
    JOIN_TICK = 60,   /* of the last node */
    DRAIN_TICK = 140, /* of the first one */
    KILL_TICK = 170,  /* of the second one */
    LEASE_MS = 3000,
    LAG_MAX = WINDOW / 3,  /* ticks that a copy may be old */
    LAG_TOLD = WINDOW - 2, /* ... once its host is told so, with lost and late messages, or behind a death */
    LATE_PART = 4,         /* of the pairs at most that part is of a late node: it is one of a hundred */
    LAG_LEAST = 1,         /* ... where each comes at once */
    GIVE_ONE_IN = 30,
    WISHES_FEW = 20, /* regions that are asked for; of fewer all may be refused */
    LEAP_SEED = 2,   /* of so many: */
    LEAP_SEEDS = 5,
    LEAP_TICK = 100, /* the first one of leaps */
    LEAP_ONE_IN = 6,
    LEAP_TICKS = 4, /* for fewer a leaper is nowhere */
    USER_DATA_TIMES = 3,
    CLUSTERS = 40
};

static const float VIEW = 60, SLACK = 1e-3f; /* SLACK: of our own floats */
static const float LEAP_WIDTH = 120;         /* of the part of both middle borders that leapers cross */

/* The host's state of an entity, as it goes to another node. */
typedef struct packed {
    uint64_t id, steps;
    spot at;
} packed;

typedef struct host {
    struct cluster *all;
    node_host node;
    bool drained, dead;
    bool late[NODES + 1]; /* copies of a node, by number, may be older than LAG_MAX, as the host was told */
    duties duties;
    uint64_t steps[WALKERS + 1]; /* the host's state of its entities */
} host;

typedef struct cluster {
    uint64_t seed, rng;
    float margin;
    host hosts[NODES];
    phc_loop *loop;
    phc_memory *memory;
    ph_world one; /* all entities, all the time */
    ph_producer producer;
    walker_trail trail;
    spot goal[WALKERS + 1];
    uint64_t steps[WALKERS + 1];
    uint64_t entered[WALKERS + 1]; /* tick; 0 = not yet */
    uint64_t since[WALKERS + 1];   /* tick since which it is there without a break */
    uint64_t leap_rng, leaps, leap_pairs;
    uint64_t enters_at[WALKERS + 1];    /* tick before which a leaper does not enter */
    uint64_t after[WALKERS + 1];        /* its last ownership */
    bool there[TRAIL_TICKS][TRAIL_IDS]; /* was it, in the last ticks? */
    clients clients;
    char when[64];
    bool all_come; /* no message is lost or late */
    bool calm;
    uint64_t late_pairs; /* of a node that is late, as the host was told */
    uint64_t wishes, wishes_refused;
    uint64_t gained, restored, pairs,
        kept; /* kept: targets between both radii, at rest, that one of both lists has alone */
} cluster;

static spot *spot_of(cluster *c, uint64_t tick, uint64_t id)
{
    return trail_spot(&c->trail, tick, id);
}

static bool is_follower(uint64_t id)
{
    return id % FAMILY_EVERY == 0;
}

static bool leaps(const cluster *c, uint64_t id)
{
    return c->seed % LEAP_SEEDS == LEAP_SEED && id % FAMILY_EVERY == 2;
}

/* ---- life ---- */

static uint64_t read_clock(void *user)
{
    const cluster *c = user;
    return c->trail.tick * TICK_NS;
}

static size_t pack_state(void *user, uint64_t id, void *bytes, size_t size)
{
    const host *h = user;
    const packed state = {.id = id, .steps = h->steps[id], .at = *spot_of(h->all, h->all->trail.tick, id)};
    REQUIRE(size >= sizeof state);
    memcpy(bytes, &state, sizeof state);
    return sizeof state;
}

static ph_world_def world_def_of(const cluster *c, ph_class *class, uint32_t place)
{
    ph_world_def def = node_host_world_def(class, VIEW, c->margin);
    def.shards[0] = 1 + (uint32_t)(c->seed + place) % 3;
    return def;
}

static void open_node(cluster *c, uint32_t place)
{
    host *h = &c->hosts[place];
    ph_class class;
    const ph_world_def world_def = world_def_of(c, &class, place);
    phc_def def = phc_def_default();
    h->all = c;
    def.name = "test";
    def.world_def = &world_def;
    def.regions[0] = def.regions[1] = SIDE;
    def.speed_max = WALKS_SPEED;
    def.lease_ms = LEASE_MS;
    def.lag_max = LAG_MAX;
    def.pack = pack_state;
    def.pack_user = h;
    def.clock = read_clock;
    def.clock_user = c;
    node_host_open(&h->node, &def, c->loop, 8192, c->memory);
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
    c->leap_rng = seed + 1000;
    c->trail.tick = 1;
    c->margin = seed % 2 ? 10 : 0;
    c->all_come = messages.lost == 0 && messages.late == 0;
    c->clients.user_data_times = USER_DATA_TIMES;
    const ph_world_def def = world_def_of(c, &class, 0);
    REQUIRE(phc_loop_create(messages, (ph_allocator){0}, &c->loop) == PH_OK);
    REQUIRE(phc_memory_create(requests, (ph_allocator){0}, &c->memory) == PH_OK);
    for (uint32_t i = 0; i + 1 < NODES; i++) open_node(c, i);
    REQUIRE(ph_world_create(&def, &c->one) == PH_OK && ph_producer_open(c->one, &c->producer) == PH_OK);
}

static void close_cluster(cluster *c)
{
    for (uint32_t i = 0; i < NODES; i++) node_host_close(&c->hosts[i].node);
    phc_loop_destroy(c->loop);
    phc_memory_destroy(c->memory);
    CHECK_OK(ph_world_destroy(c->one));
}

/* ---- walking ---- */

static void place_walkers(cluster *c)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        trail_begin(&c->trail, id, is_follower(id) ? *spot_of(c, c->trail.tick, id - 1) : walks_spot(&c->rng));
        c->goal[id] = walks_goal(&c->rng, id);
    }
}

/* ---- a round of a host ---- */

/* false: not here, or not yet. */
static bool enter_walker(cluster *c, host *h, uint64_t id)
{
    const spot at = *spot_of(c, c->trail.tick, id);
    const ph_attrs attrs = {
        .given = PH_POSITION | PH_USER_DATA, .x = at.x, .y = at.y, .user_data = id * USER_DATA_TIMES};
    if (is_follower(id) && !phc_owns(h->node.member, id - 1)) return false;
    const ph_status status = phc_enter(h->node.member, id, &attrs, c->after[id]);
    const bool is_known = status == PH_EXISTS && leaps(c, id); /* here its last hand-over is not acked yet */
    CHECK(status == PH_OK || status == PH_BUSY || status == PH_TAKEN || is_known, "enter: %s", ph_status_name(status));
    if (status != PH_OK) return false;
    if (is_follower(id)) CHECK_OK(ph_attach(h->node.producer, id, id - 1));
    clients_forget(&c->clients, id); /* its client is a new one */
    h->steps[id] = c->steps[id];
    return true;
}

/* The region of an entity. */
static uint32_t region_of(cluster *c, uint64_t id)
{
    return spot_region(*spot_of(c, c->trail.tick, id), WALKS_SIZE, SIDE);
}

/* A node has died: which entities of these regions does no other one have? */
static void ask_missing(cluster *c, host *h)
{
    uint64_t ids[WALKERS];
    uint32_t count = 0;
    if (!duties_begin(&h->duties)) return;
    for (uint64_t id = 1; id <= WALKERS; id++)
        if (c->entered[id] != 0 && h->duties.asked[region_of(c, id)] != 0 && !phc_owns(h->node.member, id))
            ids[count++] = id;
    duties_ask(&h->duties, h->node.member, ids, count);
}

static bool restore_walker(void *of, uint64_t id)
{
    host *h = of;
    if (h->all->entered[id] == 0) return true; /* it has left since the question */
    const bool entered = enter_walker(h->all, h, id);
    h->all->restored += entered;
    return entered;
}

static void enter_walkers(cluster *c, host *h)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        const spot at = *spot_of(c, c->trail.tick, id);
        const ph_attrs attrs = {.given = PH_POSITION, .x = at.x, .y = at.y};
        if (c->entered[id] != 0 || c->enters_at[id] > c->trail.tick || !enter_walker(c, h, id)) continue;
        CHECK_OK(ph_enter(c->producer, id, &attrs));
        c->entered[id] = c->since[id] = c->trail.tick;
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
        *spot_of(c, c->trail.tick, event->id) = state.at;
        clients_forget(&c->clients, event->id);
        CHECK_OK(ph_resend(h->node.producer, event->id));
        c->since[event->id] = c->trail.tick;
    }
    CHECK(state.id == event->id && state.steps == c->steps[event->id],
          "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " comes with the state of another", c->seed, c->trail.tick,
          event->id);
    CHECK(phc_owns(h->node.member, event->id), "a gained entity is not own");
    h->steps[event->id] = state.steps;
    c->gained++;
}

static void take_events(cluster *c, host *h)
{
    phc_event event;
    while (phc_event_next(h->node.member, &event)) {
        duties_hear(&h->duties, &event);
        switch (event.kind) {
        case PHC_EVENT_GAINED:
        case PHC_EVENT_RESTORED:
            CHECK(event.kind == PHC_EVENT_GAINED || c->hosts[1].dead, "an entity is taken back");
            gain_entity(c, h, &event);
            break;
        case PHC_EVENT_WHO_HAS:
            duties_answer(&h->duties, h->node.member, &event, restore_walker, h);
            break;
        case PHC_EVENT_LAG:
            h->late[event.number] = event.ticks > 0;
            break;
        case PHC_EVENT_PEER_DOWN:
            h->late[event.number] = false;
            break;
        case PHC_EVENT_DRAINED:
            h->drained = true;
            break;
        case PHC_EVENT_RESTORE:
            CHECK(c->hosts[1].dead, "seed %" PRIu64 " tick %" PRIu64 ": region %u is lost, and no node has died",
                  c->seed, c->trail.tick, event.region);
            break;
        case PHC_EVENT_LOST:
            CHECK(event.status == PH_OK && event.number != 0,
                  "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " is lost to %u: %s", c->seed, c->trail.tick, event.id,
                  event.number, ph_status_name(event.status));
            break;
        case PHC_EVENT_FENCED:
        case PHC_EVENT_DUPLICATE:
        case PHC_EVENT_DOUBLE_ID:
        case PHC_EVENT_CLEARED:
            (void)CHECK(false, "seed %" PRIu64 " tick %" PRIu64 ": event %d %s", c->seed, c->trail.tick,
                        (int)event.kind, event.reason);
            break;
        default:
            break;
        }
    }
}

static void move_own(cluster *c, host *h)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        if (!phc_owns(h->node.member, id) || c->entered[id] == c->trail.tick) continue;
        spot *now = spot_of(c, c->trail.tick, id);
        c->steps[id] = ++h->steps[id];
        if (is_follower(id)) *now = *spot_of(c, c->trail.tick, id - 1);
        else if (!c->calm) *now = walks_step(&c->rng, id, *now, &c->goal[id]);
        if (!is_follower(id)) CHECK_OK(ph_move(h->node.producer, id, now->x, now->y, 0));
    }
}

/* It stands beside a border of regions, and walks over it. */
static void place_leaper(cluster *c, uint64_t id)
{
    const float middle = WALKS_SIZE / 2, side = phx_rng_below(&c->leap_rng, 2) ? 1.0f : -1.0f;
    const float from = middle + side, to = middle - side * LEAP_WIDTH / 2;
    const float along = middle + (phx_rng_unit(&c->leap_rng) - 0.5f) * LEAP_WIDTH;
    const bool is_flat = phx_rng_below(&c->leap_rng, 2) != 0;
    *spot_of(c, c->trail.tick, id) = is_flat ? (spot){from, along} : (spot){along, from};
    c->goal[id] = is_flat ? (spot){to, along} : (spot){along, to};
}

/*
 * Not in the tick in which it came. What has left a node that dies just then may come back: none leaves the one that
 * dies.
 */
static void leap_own(cluster *c, host *h)
{
    const uint64_t now = c->trail.tick;
    const bool dies = h == &c->hosts[1] && c->seed % 4 < 2 && now + WINDOW > KILL_TICK;
    for (uint64_t id = 1; id <= WALKERS && now >= LEAP_TICK && now <= TICKS && !dies; id++) {
        if (!leaps(c, id) || c->since[id] == now || !phc_owns(h->node.member, id)) continue;
        if (phx_rng_below(&c->leap_rng, LEAP_ONE_IN) != 0) continue;
        c->after[id] = phc_ownership(h->node.member, id);
        CHECK_OK(phc_leave(h->node.member, id));
        CHECK_OK(ph_leave(c->producer, id));
        c->entered[id] = 0;
        c->enters_at[id] = now + phx_rng_below(&c->leap_rng, LEAP_TICKS);
        place_leaper(c, id);
        c->leaps++;
    }
}

static void round_of(cluster *c, host *h)
{
    ph_refusal refusal;
    uint32_t count = 0;
    const ph_status status = phc_tick(h->node.member);
    take_events(c, h);
    CHECK_STATUS(status, h->drained ? PH_FENCED : PH_OK);
    if (h->drained) return; /* it is closed with the next tick */
    ask_missing(c, h);
    leap_own(c, h);
    move_own(c, h);
    enter_walkers(c, h);
    CHECK_OK(ph_tick(h->node.world, NULL));
    CHECK_OK(ph_producer_refusals(h->node.producer, &refusal, 1, &count));
    CHECK(count == 0, "seed %" PRIu64 " tick %" PRIu64 ": %s of %" PRIu64 " is refused: %s", c->seed, c->trail.tick,
          ph_command_name((ph_command)refusal.command), refusal.id, ph_status_name(refusal.status));
    clients_take(&c->clients, &h->node, c->when);
    CHECK_OK(phc_told(h->node.member));
}

static void plan_tick(cluster *c)
{
    if (c->trail.tick == JOIN_TICK) open_node(c, NODES - 1);
    if (c->trail.tick == DRAIN_TICK) phc_drain(c->hosts[0].node.member);
    if (c->trail.tick == KILL_TICK && c->seed % 4 < 2) c->hosts[1].dead = true;
    if (c->hosts[0].drained) node_host_close(&c->hosts[0].node);
    if (c->calm || c->trail.tick < JOIN_TICK || phx_rng_below(&c->rng, GIVE_ONE_IN) != 0) return;
    const uint16_t number = (uint16_t)(1 + phx_rng_below(&c->rng, NODES));
    const host *h = &c->hosts[2 + phx_rng_below(&c->rng, NODES - 2)];
    if (c->trail.tick >= DRAIN_TICK && number == phc_number(c->hosts[0].node.member)) return;
    const ph_status status = phc_give_region(h->node.member, phx_rng_below(&c->rng, SIDE * SIDE), number);
    CHECK(status == PH_OK || status == PH_BUSY || status == PH_BAD_VALUE, "give: %s", ph_status_name(status));
    c->wishes++;
    c->wishes_refused += status != PH_OK;
}

/* ---- checks ---- */

/* Is any node late there? A target that goes from one to the other may be either one's. */
static bool is_late(const host *h)
{
    bool late = false;
    for (uint32_t number = 1; number <= NODES; number++) late |= h->late[number];
    return late;
}

static void check_pair(cluster *c, const host *h, uint64_t observer, uint64_t target, bool listed)
{
    const bool own = phc_owns(h->node.member, target), late = is_late(h);
    const uint32_t in_time = c->all_come && c->trail.tick <= KILL_TICK ? LAG_LEAST : LAG_MAX;
    const uint32_t lag = 1 + (late ? LAG_TOLD : in_time); /* ... of ticks that have passed, of which this one is none */
    float least, most;
    c->pairs++;
    c->late_pairs += late && !own;
    CHECK(!late || !c->all_come || c->trail.tick > DRAIN_TICK,
          "seed %" PRIu64 " tick %" PRIu64 ": node %u is late, and all messages come", c->seed, c->trail.tick,
          phc_number(h->node.member));
    trail_distances(&c->trail, *spot_of(c, c->trail.tick, observer), target, own ? 0 : lag, &least, &most);
    CHECK(listed || most > VIEW - SLACK,
          "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " misses %" PRIu64 " (%g), own %d, here %u", c->seed,
          c->trail.tick, observer, target, (double)most, own, phc_node_of(h->node.member, target));
    CHECK(!listed || least <= VIEW + c->margin + SLACK,
          "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " still has %" PRIu64 " (%g)", c->seed, c->trail.tick, observer,
          target, (double)least);
}

static void check_leaper(cluster *c, const host *h, uint64_t observer, uint64_t target, bool listed)
{
    const spot from = *spot_of(c, c->trail.tick, observer);
    if (is_late(h) || phc_owns(h->node.member, target) || c->hosts[1].dead || c->trail.tick < LEAP_TICK) return;
    bool was_near = false, was_seen = c->entered[target] != 0 && c->entered[target] + 1 + LAG_MAX < c->trail.tick;
    for (uint64_t back = 0; back <= 1 + LAG_MAX; back++) {
        const bool there = c->there[(c->trail.tick - back) % TRAIL_TICKS][target];
        const float distance = spot_distance(from, *spot_of(c, c->trail.tick - back, target));
        was_near |= there && distance <= VIEW + c->margin + SLACK;
        was_seen &= there && distance < VIEW - SLACK;
    }
    c->leap_pairs++;
    CHECK(listed || !was_seen,
          "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " misses %" PRIu64 ", there since %" PRIu64, c->seed,
          c->trail.tick, observer, target, c->entered[target]);
    CHECK(!listed || was_near, "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " still has %" PRIu64 ", which left",
          c->seed, c->trail.tick, observer, target);
}

static void check_observer(cluster *c, const host *h, uint64_t observer)
{
    bool listed[CLIENTS_IDS];
    (void)clients_compare(&c->clients, h->node.world, observer, listed, c->when);
    for (uint64_t target = 1; target <= WALKERS && c->trail.tick > c->since[observer] + WINDOW; target++) {
        if (target == observer) continue;
        if (leaps(c, target)) check_leaper(c, h, observer, target, listed[target]);
        else if (c->entered[target] != 0 && c->trail.tick > c->since[target] + WINDOW)
            check_pair(c, h, observer, target, listed[target]);
    }
}

static void check_tick(cluster *c)
{
    for (uint64_t id = 1; id <= WALKERS; id++) c->there[c->trail.tick % TRAIL_TICKS][id] = c->entered[id] != 0;
    for (uint64_t id = 1; id <= WALKERS; id++) {
        uint32_t owners = 0;
        for (uint32_t n = 0; n < NODES; n++) {
            const host *h = &c->hosts[n];
            if (!h->node.member || h->dead || !phc_owns(h->node.member, id)) continue;
            owners++;
            check_observer(c, h, id);
        }
        CHECK(owners <= 1, "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " has %u owners", c->seed, c->trail.tick, id,
              owners);
        if (owners == 0 && c->hosts[1].dead) c->since[id] = c->trail.tick; /* dead, or on its way to the dead node */
    }
}

static void note_listed(bool listed[TRAIL_IDS], const uint64_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) listed[ids[i]] = true;
}

/*
 * At rest, with a margin: what was listed before decides between both radii, and a node may have heard late. So a
 * target that one of both lists has alone lies there.
 */
static void check_kept(cluster *c, uint64_t observer, const bool listed[TRAIL_IDS], const bool of_one[TRAIL_IDS])
{
    for (uint64_t target = 1; target <= WALKERS; target++) {
        if (listed[target] == of_one[target]) continue;
        const float distance = spot_distance(*spot_of(c, c->trail.tick, observer), *spot_of(c, c->trail.tick, target));
        c->kept++;
        CHECK(distance > VIEW - SLACK && distance < VIEW + c->margin + SLACK,
              "seed %" PRIu64 ": %" PRIu64 " has %" PRIu64 " %s (%g)", c->seed, observer, target,
              listed[target] ? "and not in one world" : "in one world alone", (double)distance);
    }
}

/* All stand still: all lists are as in one world. */
static void check_end(cluster *c)
{
    CHECK(c->hosts[0].node.member == NULL, "seed %" PRIu64 ": the first node is not drained", c->seed);
    for (uint64_t id = 1; id <= WALKERS; id++) {
        uint32_t owners = 0, count = 0, count_one = 0;
        uint64_t ids[WALKERS], ids_one[WALKERS];
        for (uint32_t n = 0; n < NODES; n++) {
            const host *h = &c->hosts[n];
            if (!h->node.member || h->dead || !phc_owns(h->node.member, id)) continue;
            owners++;
            CHECK_OK(ph_list(h->node.world, id, ids, WALKERS, &count));
        }
        CHECK(owners == 1, "seed %" PRIu64 ": %" PRIu64 " has %u owners at the end", c->seed, id, owners);
        CHECK_OK(ph_list(c->one, id, ids_one, WALKERS, &count_one));
        bool listed[TRAIL_IDS] = {false}, of_one[TRAIL_IDS] = {false};
        note_listed(listed, ids, count);
        note_listed(of_one, ids_one, count_one);
        if (c->margin > 0) check_kept(c, id, listed, of_one);
        else
            CHECK(count == count_one && memcmp(ids, ids_one, count * sizeof *ids) == 0,
                  "seed %" PRIu64 ": the list of %" PRIu64 " has %u entities, in one world %u", c->seed, id, count,
                  count_one);
    }
}

static void step_cluster(cluster *c)
{
    if (c->trail.tick == TICKS) {
        c->calm = true;
        CHECK_OK(phc_loop_set_faults(c->loop, (phc_faults){0}));
        CHECK_OK(phc_memory_set_faults(c->memory, (phc_faults){0}));
    }
    (void)snprintf(c->when, sizeof c->when, "seed %" PRIu64 " tick %" PRIu64, c->seed, c->trail.tick);
    phc_memory_step(c->memory, c->trail.tick * TICK_NS);
    plan_tick(c);
    for (uint32_t n = 0; n < NODES; n++) {
        host *h = &c->hosts[(n + c->seed) % NODES];
        if (h->node.member && !h->dead) round_of(c, h);
    }
    for (uint64_t id = 1; id <= WALKERS; id++) {
        const spot at = *spot_of(c, c->trail.tick, id);
        if (c->entered[id] != 0 && c->entered[id] < c->trail.tick && !is_follower(id))
            CHECK_OK(ph_move(c->producer, id, at.x, at.y, 0));
    }
    CHECK_OK(ph_tick(c->one, NULL));
    check_tick(c);
    phc_loop_step(c->loop);
    trail_step(&c->trail);
}

int main(int argc, char **argv)
{
    const uint64_t seed = option_number(argc, argv, "--seed", 1);
    const uint64_t count = option_number(argc, argv, "--count", test_amount(CLUSTERS));
    uint64_t gained = 0, restored = 0, events = 0, pairs = 0, late_pairs = 0, kept = 0, leapt = 0, leap_pairs = 0;
    uint64_t wishes = 0, refused = 0;
    for (uint64_t i = 0; i < count && check_failures() == 0; i++) {
        cluster *c = check_zalloc(sizeof *c);
        open_cluster(c, seed + i);
        place_walkers(c);
        while (c->trail.tick < TICKS + CALM_TICKS && check_failures() == 0) step_cluster(c);
        c->trail.tick--;
        if (check_failures() == 0) check_end(c);
        gained += c->gained;
        restored += c->restored;
        kept += c->kept;
        events += c->clients.events;
        pairs += c->pairs;
        late_pairs += c->late_pairs;
        leapt += c->leaps;
        leap_pairs += c->leap_pairs;
        wishes += c->wishes;
        refused += c->wishes_refused;
        close_cluster(c);
        free(c);
    }
    (void)printf("%" PRIu64 " clusters: %" PRIu64 " entities gained, %" PRIu64 " restored, %" PRIu64 " events, %" PRIu64
                 " pairs, %" PRIu64 " with a late node, as its host was told, %" PRIu64
                 " targets kept at rest in one list alone, %" PRIu64 " leaps, %" PRIu64 " pairs of leapers, %" PRIu64
                 " wishes for a region, %" PRIu64 " refused\n",
                 count, gained, restored, events, pairs, late_pairs, kept, leapt, leap_pairs, wishes, refused);
    CHECK(gained > 0, "no entity was handed over");
    CHECK(count < LEAP_SEEDS || (leapt > 0 && leap_pairs > 0), "no entity entered again on another node");
    CHECK(wishes < WISHES_FEW || refused * 2 < wishes, "%" PRIu64 " of %" PRIu64 " wishes for a region are refused",
          refused, wishes);
    CHECK(late_pairs * LATE_PART <= pairs, "%" PRIu64 " of %" PRIu64 " pairs are of a late node", late_pairs, pairs);
    return check_done("cluster_hosts");
}

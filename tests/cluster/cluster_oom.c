/*
 * Members of a common world whose memory runs out: in a run of three nodes, with hand-overs, copies and broadcasts,
 * each allocation that phc_tick(), phc_told() or phc_broadcast() makes, of the member's or of its world, fails in a run
 * of its own; and behind every fifth, in another run, all fail for three ticks. The run is one thread, and of a fixed
 * course, so the n-th allocation is the same one each time until it fails.
 *
 *  - in every tick no client is told a thing twice, or to forget an untold one; its list is what it was told; an entity
 *    has one owner at most, with the state that its last owner packed; no broadcast is heard twice;
 *  - once all stand still, each entity has one owner, the node of its region, and its list is that of one world;
 *  - broadcasts that are made then are heard by the observers of one world, whatever was lost before; the ones that are
 *    not heard then, as the allocation fails in the calm itself, the members count;
 *  - all memory is given back.
 *
 * options: --seed S, --only N the runs with allocation N, --every N allocations, default 1
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/cluster.h>

#include "base/rng.h"
#include "cluster/node_host.h"
#include "cluster/walks.h"
#include "support/check.h"
#include "support/fail_alloc.h"

enum {
    NODES = 3,
    WALKERS = 40,
    REGIONS_SIDE = 4,
    TICKS = 70,       /* they walk */
    CALM_TICKS = 60,  /* and stand still */
    SETTLED = 30,     /* ticks of these, until all are where they belong */
    SHORT_ROUNDS = 9, /* members' rounds without memory: three ticks of all nodes */
    LONG_EVERY = 5,   /* allocations: the rounds behind such a one have no memory, in a second run */
    SPEED_FACTOR = 2, /* steps of a walker in a tick */
    SAYS_MAX = 512,
    TICK_NS = 50000000
};

static const float VIEW = 150;

typedef struct host {
    struct course *of;
    node_host node;
    uint64_t steps[WALKERS + 1]; /* the host's state of its entities */
} host;

typedef struct course {
    uint64_t seed, rng, tick;
    fail_alloc memory;     /* of members and worlds */
    bool is_armed;         /* a member's round runs */
    uint64_t asked;        /* allocations in rounds, so far */
    uint64_t fails_at;     /* the one that fails; 0 = none */
    uint32_t short_rounds; /* from its round on: rounds in which all fail */
    bool is_long;
    host hosts[NODES];
    phc_loop *loop;
    phc_memory *keys;
    ph_world one; /* all entities, all the time */
    ph_producer producer;
    spot at[WALKERS + 1], goal[WALKERS + 1];
    bool entered[WALKERS + 1];
    clients clients;
    char when[64];
    uint64_t steps[WALKERS + 1];
    uint64_t said_at[SAYS_MAX];
    uint16_t source_of[SAYS_MAX];
    bool heard[SAYS_MAX][WALKERS + 1];
    uint32_t say_count;
    uint64_t gained, heard_count, put_off;
    uint64_t lost, lost_unsettled; /* broadcasts that members counted as dropped: all, and before all had settled */
} course;

/* Asked of each allocation; counts those of rounds. */
static bool fails(void *of)
{
    course *c = of;
    if (!c->is_armed) return false;
    const bool is_it = ++c->asked == c->fails_at;
    if (is_it && c->is_long) c->short_rounds = SHORT_ROUNDS;
    return is_it || c->short_rounds > 0;
}

static uint64_t read_clock(void *user)
{
    return ((const course *)user)->tick * TICK_NS;
}

static size_t pack_steps(void *user, uint64_t id, void *bytes, size_t size)
{
    const host *h = user;
    REQUIRE(size >= sizeof h->steps[id]);
    memcpy(bytes, &h->steps[id], sizeof h->steps[id]);
    return sizeof h->steps[id];
}

/* ---- life ---- */

static ph_world_def world_def_of(ph_class *class, course *c)
{
    ph_world_def def = node_host_world_def(class, VIEW, 0);
    def.tower_size = 100;
    def.allocator = fail_alloc_hooks(&c->memory);
    return def;
}

static void open_host(course *c, host *h)
{
    ph_class class;
    const ph_world_def world_def = world_def_of(&class, c);
    phc_def def = phc_def_default();
    h->of = c;
    def.name = "oom";
    def.world_def = &world_def;
    def.regions[0] = def.regions[1] = REGIONS_SIDE;
    def.speed_max = WALKS_SPEED * SPEED_FACTOR;
    def.pack = pack_steps;
    def.pack_user = h;
    def.clock = read_clock;
    def.clock_user = c;
    def.allocator = fail_alloc_hooks(&c->memory);
    node_host_open(&h->node, &def, c->loop, 4096, c->keys);
}

static void begin_course(course *c)
{
    ph_class class;
    c->rng = c->seed;
    c->tick = 1;
    c->memory.fails = fails;
    c->memory.asked = c;
    const ph_world_def def = world_def_of(&class, c);
    REQUIRE(phc_loop_create((phc_faults){0}, (ph_allocator){0}, &c->loop) == PH_OK);
    REQUIRE(phc_memory_create((phc_faults){0}, (ph_allocator){0}, &c->keys) == PH_OK);
    for (uint32_t i = 0; i < NODES; i++) open_host(c, &c->hosts[i]);
    REQUIRE(ph_world_create(&def, &c->one) == PH_OK && ph_producer_open(c->one, &c->producer) == PH_OK);
    for (uint64_t id = 1; id <= WALKERS; id++) {
        c->at[id] = walks_spot(&c->rng);
        c->goal[id] = walks_goal(&c->rng, id);
    }
}

static void end_course(course *c)
{
    for (uint32_t i = 0; i < NODES; i++) node_host_close(&c->hosts[i].node);
    phc_loop_destroy(c->loop);
    phc_memory_destroy(c->keys);
    CHECK_OK(ph_world_destroy(c->one));
    CHECK(fail_alloc_clean(&c->memory), "allocation %" PRIu64 ": memory is not given back", c->fails_at);
}

/* ---- a round of a host ---- */

static void take_events(course *c, host *h)
{
    phc_event event;
    while (phc_event_next(h->node.member, &event)) {
        if (event.kind == PHC_EVENT_GAINED) {
            REQUIRE(event.size == sizeof c->steps[0]);
            memcpy(&h->steps[event.id], event.bytes, sizeof c->steps[0]);
            CHECK(h->steps[event.id] == c->steps[event.id],
                  "allocation %" PRIu64 ": %" PRIu64 " comes with an old state", c->fails_at, event.id);
            c->gained++;
        }
        CHECK(event.kind != PHC_EVENT_FENCED && event.kind != PHC_EVENT_DUPLICATE &&
                  event.kind != PHC_EVENT_DOUBLE_ID && event.kind != PHC_EVENT_CLEARED &&
                  event.kind != PHC_EVENT_RESTORED,
              "allocation %" PRIu64 " tick %" PRIu64 ": event %d: %s", c->fails_at, c->tick, (int)event.kind,
              event.reason);
        CHECK(event.kind != PHC_EVENT_LOST || event.status == PH_OK, "allocation %" PRIu64 ": %" PRIu64 " is lost: %s",
              c->fails_at, event.id, ph_status_name(event.status));
    }
}

static void enter_walkers(course *c, host *h)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        const ph_attrs attrs = {.given = PH_POSITION, .x = c->at[id].x, .y = c->at[id].y};
        if (c->entered[id] || phc_enter(h->node.member, id, &attrs, 0) != PH_OK) continue;
        CHECK_OK(ph_enter(c->producer, id, &attrs));
        c->entered[id] = true;
    }
}

static uint64_t lost_by(const host *h)
{
    phc_stats stats = {0};
    CHECK_OK(phc_stats_get(h->node.member, &stats));
    return stats.broadcasts_lost;
}

static uint64_t count_failed(const course *c)
{
    return atomic_load_explicit(&c->memory.failed, memory_order_relaxed);
}

/* Each entity speaks now and then, once all have entered. Without memory it is refused, or counted as dropped. */
static void speak(course *c, const host *h, uint64_t id)
{
    const uint32_t number = c->say_count;
    const ph_broadcast_options options = {0};
    if ((c->tick + id * 7) % 20 != 0 || c->tick < TICKS / 2 || number == SAYS_MAX) return;
    const uint64_t failed = count_failed(c), lost = lost_by(h);
    c->is_armed = true;
    const ph_status status = phc_broadcast(h->node.member, h->node.producer, id, &number, sizeof number, &options);
    c->is_armed = false;
    if (status == PH_NO_MEMORY) return; /* no observer hears it */
    CHECK_OK(status);
    CHECK(count_failed(c) == failed || lost_by(h) > lost, "allocation %" PRIu64 ": a dropped broadcast is not counted",
          c->fails_at);
    c->said_at[number] = c->tick;
    c->source_of[number] = (uint16_t)id;
    c->say_count++;
}

static void live(course *c, host *h)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        if (!c->entered[id] || !phc_owns(h->node.member, id)) continue;
        c->steps[id] = ++h->steps[id];
        for (uint32_t i = 0; c->tick < TICKS && i < SPEED_FACTOR; i++)
            c->at[id] = walks_step(&c->rng, id, c->at[id], &c->goal[id]);
        CHECK_OK(ph_move(h->node.producer, id, c->at[id].x, c->at[id].y, 0));
        speak(c, h, id);
    }
}

static void hear(course *c, const ph_batch *batch)
{
    for (uint32_t i = 0; i < batch->delivery_count; i++) {
        const ph_delivery *delivery = &batch->deliveries[i];
        for (uint32_t k = 0; k < delivery->count; k++) {
            const ph_message *message = &batch->messages[batch->heard[delivery->first + k]];
            uint32_t number;
            REQUIRE(message->bytes == sizeof number);
            memcpy(&number, (const char *)batch->payload + message->first, sizeof number);
            REQUIRE(number < c->say_count);
            bool *heard = &c->heard[number][delivery->observer];
            CHECK(!*heard, "allocation %" PRIu64 ": %" PRIu64 " hears %u again", c->fails_at, delivery->observer,
                  number);
            *heard = true;
            c->heard_count++;
        }
    }
}

/* The client of each observer hears of it. */
static void tell_clients(course *c, host *h)
{
    const ph_batch *batch;
    while (ph_batch_take(h->node.consumer, &batch) == PH_OK) {
        clients_hear(&c->clients, batch, c->when);
        clients_number(&c->clients, h->node.member, batch, c->when);
        hear(c, batch);
        CHECK_OK(ph_batch_return(h->node.consumer, batch));
    }
}

static void round_of(course *c, host *h)
{
    ph_refusal refusal;
    uint32_t count = 0;
    c->is_armed = true;
    CHECK_OK(phc_tick(h->node.member));
    c->is_armed = false;
    take_events(c, h);
    enter_walkers(c, h);
    live(c, h);
    CHECK_OK(ph_tick(h->node.world, NULL));
    CHECK_OK(ph_producer_refusals(h->node.producer, &refusal, 1, &count));
    CHECK(count == 0, "allocation %" PRIu64 ": %s is refused: %s", c->fails_at,
          ph_command_name((ph_command)refusal.command), ph_status_name(refusal.status));
    tell_clients(c, h);
    c->is_armed = true;
    CHECK_OK(phc_told(h->node.member));
    c->is_armed = false;
    if (c->short_rounds > 0) c->short_rounds--;
}

/* ---- checks ---- */

/* NULL: on its way. */
static const host *owner_of(course *c, uint64_t id)
{
    const host *owner = NULL;
    bool listed[CLIENTS_IDS];
    for (uint32_t n = 0; n < NODES; n++) {
        const host *h = &c->hosts[n];
        if (!phc_owns(h->node.member, id)) continue;
        CHECK(!owner, "allocation %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " has two owners", c->fails_at, c->tick, id);
        owner = h;
        (void)clients_compare(&c->clients, h->node.world, id, listed, c->when);
    }
    return owner;
}

static uint64_t count_lost(const course *c)
{
    uint64_t lost = 0;
    for (uint32_t n = 0; n < NODES; n++) lost += lost_by(&c->hosts[n]);
    return lost;
}

/* Of the broadcasts that were made once all had settled, which all could hear since. */
static uint64_t count_unheard(const course *c, uint64_t observer, const bool in_one[CLIENTS_IDS])
{
    uint64_t unheard = 0;
    for (uint32_t i = 0; i < c->say_count; i++)
        if (c->said_at[i] > TICKS + SETTLED && c->said_at[i] + 10 < c->tick && in_one[c->source_of[i]])
            unheard += !c->heard[i][observer];
    return unheard;
}

static void check_end(course *c)
{
    uint64_t unheard = 0;
    for (uint64_t id = 1; id <= WALKERS; id++) {
        bool listed[CLIENTS_IDS], in_one[CLIENTS_IDS];
        const host *owner = owner_of(c, id);
        CHECK(owner, "allocation %" PRIu64 ": %" PRIu64 " has no owner at the end", c->fails_at, id);
        if (!owner) continue;
        CHECK(phc_number(owner->node.member) == phc_node_of(owner->node.member, id), "another node knows of the owner");
        const uint32_t count = clients_list(owner->node.world, id, listed),
                       count_one = clients_list(c->one, id, in_one);
        CHECK(memcmp(listed, in_one, sizeof listed) == 0,
              "allocation %" PRIu64 ": the list of %" PRIu64 " has %u entities, in one world %u", c->fails_at, id,
              count, count_one);
        unheard += count_unheard(c, id, in_one);
    }
    for (uint32_t n = 0; n < NODES; n++) {
        phc_stats stats = {0};
        CHECK_OK(phc_stats_get(c->hosts[n].node.member, &stats));
        c->put_off += stats.no_memory + stats.unsent + stats.failed;
    }
    c->lost = count_lost(c);
    CHECK(unheard == 0 || c->lost > c->lost_unsettled,
          "allocation %" PRIu64 ": %" PRIu64 " unheard broadcasts are not counted", c->fails_at, unheard);
}

static void step(course *c)
{
    (void)snprintf(c->when, sizeof c->when, "allocation %" PRIu64 " tick %" PRIu64, c->fails_at, c->tick);
    phc_memory_step(c->keys, c->tick * TICK_NS);
    for (uint32_t n = 0; n < NODES; n++) round_of(c, &c->hosts[(n + c->seed) % NODES]);
    for (uint64_t id = 1; id <= WALKERS; id++)
        if (c->entered[id]) CHECK_OK(ph_move(c->producer, id, c->at[id].x, c->at[id].y, 0));
    CHECK_OK(ph_tick(c->one, NULL));
    for (uint64_t id = 1; id <= WALKERS; id++) (void)owner_of(c, id);
    phc_loop_step(c->loop);
    c->tick++;
}

/* Returns the allocations of its rounds. */
static uint64_t run_course(uint64_t seed, uint64_t fails_at, bool is_long, uint64_t sums[4])
{
    course *c = check_zalloc(sizeof *c);
    c->seed = seed;
    c->fails_at = fails_at;
    c->is_long = is_long;
    begin_course(c);
    while (c->tick < TICKS + CALM_TICKS && check_failures() == 0) {
        step(c);
        if (c->tick == TICKS + SETTLED) c->lost_unsettled = count_lost(c);
    }
    if (check_failures() == 0) check_end(c);
    CHECK(fails_at == 0 || count_failed(c) > 0, "allocation %" PRIu64 " is not asked for", fails_at);
    sums[0] += c->gained;
    sums[1] += c->heard_count;
    sums[2] += c->put_off;
    sums[3] += c->lost;
    const uint64_t asked = c->asked;
    end_course(c);
    free(c);
    return asked;
}

int main(int argc, char **argv)
{
    const uint64_t seed = option_number(argc, argv, "--seed", 1), only = option_number(argc, argv, "--only", 0);
    const uint64_t every = option_number(argc, argv, "--every", 100 / test_amount(100));
    uint64_t plain[4] = {0}, sums[4] = {0};
    const uint64_t asked = run_course(seed, 0, false, plain);
    CHECK(plain[0] > 0 && plain[1] > 0 && plain[2] == 0 && plain[3] == 0,
          "with all memory: %" PRIu64 " hand-overs, %" PRIu64 " heard, %" PRIu64 " put off, %" PRIu64 " lost", plain[0],
          plain[1], plain[2], plain[3]);
    for (uint64_t n = only > 0 ? only : 1; n <= (only > 0 ? only : asked) && check_failures() == 0; n += every) {
        (void)run_course(seed, n, false, sums);
        if (only > 0 || n / every % LONG_EVERY == 0) (void)run_course(seed, n, true, sums);
    }
    (void)printf("%" PRIu64 " allocations: %" PRIu64 " hand-overs, %" PRIu64 " broadcasts heard; %" PRIu64
                 " pieces of work put off, %" PRIu64 " broadcasts dropped\n",
                 asked, sums[0], sums[1], sums[2], sums[3]);
    CHECK(only > 0 || check_failures() > 0 || sums[2] > 0, "nothing was put off");
    CHECK(only > 0 || every > 1 || check_failures() > 0 || sums[3] > 0, "no broadcast was dropped");
    return check_done("cluster_oom");
}

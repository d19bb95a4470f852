/*
 * Broadcasts and pins between hosts of one common world, over the library's calls alone (cluster.h), against one world:
 * walkers cross the borders of three nodes, regions are given from node to node, and messages are lost, doubled and
 * late, by seed. Entities speak to lists and within radii, also longer than the halo, and hosts from places. Some are
 * in another instance, of other layers, or not ready, and so are some of the places.
 *
 *  - no observer hears a broadcast twice, from farther than it was within the last ticks, of another instance, of
 *    layers that it does not see, or while it is not ready; the ones that an entity made with one owner it hears in
 *    their order;
 *  - without lost messages each observer hears what was said near it, if neither of the two was just handed over;
 *  - once all stand still, the observers of each broadcast are those of one world;
 *  - pinned entities are at each node, wherever they are and whichever node has them, and links to them hold.
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
#include "cluster/node_host.h"
#include "cluster/walks.h"
#include "support/check.h"

enum {
    NODES = 3,
    WALKERS = 90,
    PINS = 3,        /* ids 1 to 3 are pinned by all nodes; they do not speak */
    LINK_EVERY = 10, /* the walker of such a number has a link to 1 */
    COLUMNS = 4,
    ROWS = 4,
    BEGIN_TICK = 40, /* all are members and have entered */
    TICKS = 200,
    CALM_TICKS = 90,
    SETTLED = 40, /* ticks of the calm until all are where they belong */
    BEFORE = 6,   /* ticks before a broadcast and behind it in which nothing may change, where it has to be heard: */
    BEHIND = 12,
    UNSETTLED = 24, /* ticks behind a change of the map: a node takes nothing of one that has read it before; and */
    MANY = 8,       /* behind a tick with more on their way than these: a broadcast waits behind them in its channel */
    LAG_MAX = 8,
    /* Ticks that a copy at the end of its halo may be old: the grace, by a last message that may be late itself. */
    STALE = 2 * LAG_MAX + 4 + LAG_MAX,
    TICK_NS = 50000000,
    SPEAK_ONE_IN = 6,
    GIVE_ONE_IN = 25, /* where messages are lost; else fewer are given */
    GIVE_SELDOM_ONE_IN = 90,
    WISHES_FEW = 10, /* regions that are asked for; of fewer all may be refused */
    SAYS_MAX = 8192,
    CLUSTERS = 24,
    CLUSTERS_MIN = 3, /* The least that have one without lost messages, whose observers must hear. */
};

static const float VIEW = 60, SLACK = 1e-2f;

typedef struct say {
    uint64_t source, tick, ownership; /* source 0: a place */
    uint64_t layers;
    uint32_t instance;
    spot at;
    float radius; /* 0: lists */
    bool seen;
    uint8_t heard[WALKERS + 1], heard_in_one[WALKERS + 1];
} say;

typedef struct cluster {
    uint64_t seed, rng;
    bool lossless, calm;
    float margin;
    node_host hosts[NODES];
    phc_loop *loop;
    phc_memory *memory;
    ph_world one; /* all entities, all the time */
    ph_producer producer;
    ph_consumer consumer;
    walker_trail trail;
    spot goal[WALKERS + 1];
    uint64_t entered[WALKERS + 1];                 /* tick; 0 = not yet */
    uint64_t given_at;                             /* tick of the last region that went to another node, or of MANY */
    uint32_t heard_last[WALKERS + 1][WALKERS + 1]; /* by observer and source: the say, and one more */
    say says[SAYS_MAX];
    uint32_t say_count, judged;
    uint64_t heard, must[2], compared, beyond_halo, pinned; /* must: by lists, by a radius */
    uint64_t wishes, wishes_refused;
} cluster;

static const spot *spot_of(cluster *c, uint64_t tick, uint64_t id)
{
    return trail_spot(&c->trail, tick, id);
}

/* ---- life ---- */

static uint64_t read_clock(void *user)
{
    const cluster *c = user;
    return c->trail.tick * TICK_NS;
}

static ph_world_def world_def_of(const cluster *c, ph_class *class, uint32_t place)
{
    ph_world_def def = node_host_world_def(class, VIEW, c->margin);
    def.shards[0] = 1 + (uint32_t)(c->seed + place) % 3;
    return def;
}

static void open_host(cluster *c, uint32_t place)
{
    ph_class class;
    const ph_world_def world_def = world_def_of(c, &class, place);
    phc_def def = phc_def_default();
    def.name = "says";
    def.world_def = &world_def;
    def.regions[0] = COLUMNS;
    def.regions[1] = ROWS;
    def.speed_max = WALKS_SPEED;
    def.lag_max = LAG_MAX;
    def.clock = read_clock;
    def.clock_user = c;
    node_host_open(&c->hosts[place], &def, c->loop, 8192, c->memory);
}

static void open_cluster(cluster *c, uint64_t seed)
{
    const phc_faults faults = {.seed = seed,
                               .lost = (uint32_t)(seed % 3) * 100,
                               .doubled = 30,
                               .late = (uint32_t)(seed % 3) * 100,
                               .late_steps = 4};
    ph_class class;
    c->seed = c->rng = seed;
    c->trail.tick = TRAIL_TICKS;
    c->lossless = seed % 3 == 0;
    c->margin = seed % 2 ? 10 : 0;
    REQUIRE(phc_loop_create(faults, (ph_allocator){0}, &c->loop) == PH_OK);
    REQUIRE(phc_memory_create((phc_faults){0}, (ph_allocator){0}, &c->memory) == PH_OK);
    for (uint32_t i = 0; i < NODES; i++) open_host(c, i);
    const ph_world_def def = world_def_of(c, &class, 0);
    REQUIRE(ph_world_create(&def, &c->one) == PH_OK && ph_producer_open(c->one, &c->producer) == PH_OK &&
            ph_consumer_open(c->one, 0, &c->consumer) == PH_OK);
}

static void close_cluster(cluster *c)
{
    for (uint32_t i = 0; i < NODES; i++) node_host_close(&c->hosts[i]);
    phc_loop_destroy(c->loop);
    phc_memory_destroy(c->memory);
    CHECK_OK(ph_world_destroy(c->one));
}

/* ---- attributes ---- */

/* Pinned entities, and ones with links to them, see each other. */
static ph_attrs attrs_of(uint64_t id, spot at)
{
    const bool is_plain = id <= PINS || id % LINK_EVERY == 0;
    return (ph_attrs){.given = PH_POSITION | PH_LAYERS | PH_SEES | PH_INSTANCE | PH_READY,
                      .x = at.x,
                      .y = at.y,
                      .layers = !is_plain && id % 5 == 4 ? 2 : 1,
                      .sees = !is_plain && id % 7 == 6 ? 1 : UINT64_MAX,
                      .instance = !is_plain && id % 11 == 8,
                      .ready = is_plain || id % 13 != 9};
}

static bool may_hear(uint64_t observer, const say *of)
{
    const ph_attrs attrs = attrs_of(observer, of->at);
    return attrs.ready && attrs.instance == of->instance && (attrs.sees & of->layers) != 0;
}

/* ---- walking ---- */

static void place_walkers(cluster *c)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        trail_begin(&c->trail, id, walks_spot(&c->rng));
        c->goal[id] = walks_goal(&c->rng, id);
    }
}

static void enter_walkers(cluster *c, node_host *h)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        const spot at = *spot_of(c, c->trail.tick, id);
        const ph_attrs attrs = attrs_of(id, at);
        if (c->entered[id] != 0 || phc_enter(h->member, id, &attrs, 0) != PH_OK) continue;
        CHECK_OK(ph_enter(c->producer, id, &attrs));
        c->entered[id] = c->trail.tick;
    }
}

static void move_own(cluster *c, node_host *h)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        if (!phc_owns(h->member, id) || c->entered[id] == c->trail.tick) continue;
        spot *now = trail_spot(&c->trail, c->trail.tick, id);
        if (!c->calm) *now = walks_step(&c->rng, id, *now, &c->goal[id]);
        CHECK_OK(ph_move(h->producer, id, now->x, now->y, 0));
    }
}

/* ---- speaking ---- */

static ph_broadcast_place place_of(const say *of)
{
    return (ph_broadcast_place){
        .x = of->at.x, .y = of->at.y, .radius = of->radius, .layers = of->layers, .instance = of->instance};
}

/* What one world says as well, with the next tick. */
static void say_in_one(cluster *c, const say *of, uint32_t number)
{
    const ph_broadcast_options options = {.radius = of->radius, .flags = of->seen ? PH_BROADCAST_SEEN : 0};
    const ph_broadcast_place place = place_of(of);
    if (of->source != 0) CHECK_OK(ph_broadcast(c->producer, of->source, &number, sizeof number, &options));
    else CHECK_OK(ph_broadcast_at(c->producer, &place, &number, sizeof number));
}

static float random_radius(cluster *c)
{
    static const float radii[] = {20, 60, 150, 500};
    return radii[phx_rng_below(&c->rng, sizeof radii / sizeof *radii)];
}

static void speak(cluster *c, const node_host *h, uint64_t source)
{
    const uint32_t number = c->say_count, way = phx_rng_below(&c->rng, 3);
    say *of = &c->says[number];
    if (number == SAYS_MAX) return;
    *of = (say){.source = source, .tick = c->trail.tick};
    of->radius = source == 0 || way > 0 ? random_radius(c) : 0;
    of->seen = source != 0 && way == 2;
    of->at = source != 0 ? *spot_of(c, c->trail.tick, source) : walks_spot(&c->rng);
    const ph_attrs attrs = attrs_of(source != 0 ? source : 1 + phx_rng_below(&c->rng, WALKERS), of->at);
    of->layers = attrs.layers;
    of->instance = attrs.instance;
    const ph_broadcast_options options = {.radius = of->radius, .flags = of->seen ? PH_BROADCAST_SEEN : 0};
    const ph_broadcast_place place = place_of(of);
    of->ownership = source != 0 ? phc_ownership(h->member, source) : 0;
    if (source != 0) CHECK_OK(phc_broadcast(h->member, h->producer, source, &number, sizeof number, &options));
    else CHECK_OK(phc_broadcast_at(h->member, h->producer, &place, &number, sizeof number));
    say_in_one(c, of, number);
    c->say_count++;
}

static void speak_own(cluster *c, const node_host *h)
{
    if (c->trail.tick < TRAIL_TICKS + BEGIN_TICK) return;
    for (uint64_t id = PINS + 1; id <= WALKERS; id++)
        if (phc_owns(h->member, id) && phx_rng_below(&c->rng, SPEAK_ONE_IN) == 0) speak(c, h, id);
    speak(c, h, 0);
}

/* ---- hearing ---- */

/* The least and the largest distance of two within some ticks; of a place to an observer. */
static void distances(cluster *c, const say *of, uint64_t observer, uint64_t from, uint64_t to, float *least,
                      float *most)
{
    *least = INFINITY;
    *most = 0;
    for (uint64_t i = from; i <= to; i++) {
        for (uint64_t k = from; k <= to; k++) {
            const spot source = of->source != 0 ? *spot_of(c, k, of->source) : of->at;
            const float d = spot_distance(*spot_of(c, i, observer), source);
            if (d < *least) *least = d;
            if (d > *most) *most = d;
        }
    }
}

/* From how far it can be heard. */
static float reach_of(const cluster *c, const say *of)
{
    const float seen = VIEW + c->margin;
    if (of->radius <= 0) return seen;
    return of->seen && seen < of->radius ? seen : of->radius;
}

static void hear(cluster *c, uint32_t number, uint64_t observer, const ph_message *message)
{
    float least, most;
    say *of = &c->says[number];
    const uint64_t old = c->trail.tick - of->tick;
    const uint32_t last = c->heard_last[observer][of->source];
    CHECK(of->heard[observer]++ == 0, "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " hears %u again", c->seed,
          c->trail.tick, observer, number);
    CHECK(message->source == of->source || (message->source == 0 && of->radius > 0 && !of->seen), "of another source");
    CHECK(of->source == 0 || last <= number || c->says[last - 1].ownership != of->ownership,
          "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " hears %u behind %u", c->seed, c->trail.tick, observer, number,
          last - 1);
    CHECK(may_hear(observer, of), "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " may not hear %u", c->seed,
          c->trail.tick, observer, number);
    c->heard_last[observer][of->source] = number + 1;
    c->beyond_halo += message->source == 0 && of->source != 0;
    c->heard++;
    if (old + STALE >= TRAIL_TICKS) return; /* the places of then are forgotten */
    distances(c, of, observer, of->tick - STALE, c->trail.tick, &least, &most);
    CHECK(least <= reach_of(c, of) + SLACK,
          "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " hears %u from %g, which is told to %g", c->seed,
          c->trail.tick, observer, number, (double)least, (double)reach_of(c, of));
}

/* in_one: of one world. */
static void take_batches(cluster *c, ph_consumer consumer, bool in_one)
{
    const ph_batch *batch;
    while (ph_batch_take(consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->delivery_count; i++) {
            const ph_delivery *delivery = &batch->deliveries[i];
            for (uint32_t k = 0; k < delivery->count; k++) {
                const ph_message *message = &batch->messages[batch->heard[delivery->first + k]];
                uint32_t number;
                REQUIRE(message->bytes == sizeof number);
                memcpy(&number, (const char *)batch->payload + message->first, sizeof number);
                if (in_one) c->says[number].heard_in_one[delivery->observer]++;
                else hear(c, number, delivery->observer, message);
            }
        }
        CHECK_OK(ph_batch_return(consumer, batch));
    }
}

/* ---- pins ---- */

static void pin_and_link(const node_host *h)
{
    for (uint64_t id = 1; id <= PINS; id++) CHECK_OK(phc_pin(h->member, id, true));
    if (phc_node_of(h->member, 1) == 0) return;
    for (uint64_t id = LINK_EVERY; id <= WALKERS; id += LINK_EVERY)
        if (phc_owns(h->member, id)) CHECK_OK(ph_link(h->producer, id, 1));
}

static void check_pins(cluster *c, const node_host *h)
{
    ph_attrs attrs;
    bool sees = false;
    if (c->trail.tick < TRAIL_TICKS + BEGIN_TICK + TRAIL_TICKS) return;
    for (uint64_t id = 1; id <= PINS; id++) {
        CHECK(ph_entity_get(h->world, id, &attrs) == PH_OK,
              "seed %" PRIu64 " tick %" PRIu64 ": the pinned %" PRIu64 " is not here", c->seed, c->trail.tick, id);
        CHECK(attrs.remote != phc_owns(h->member, id) || c->trail.tick - c->trail.kept_since[id] < BEFORE,
              "remote, and own");
        c->pinned += attrs.remote;
    }
    for (uint64_t id = LINK_EVERY; id <= WALKERS; id += LINK_EVERY) {
        if (!phc_owns(h->member, id) || c->trail.tick - c->trail.kept_since[id] < BEFORE) continue;
        CHECK_OK(ph_sees(h->world, id, 1, &sees));
        CHECK(sees, "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " does not see what it has a link to", c->seed,
              c->trail.tick, id);
    }
}

/* ---- rounds ---- */

static void round_of(cluster *c, node_host *h)
{
    phc_event event;
    CHECK_OK(phc_tick(h->member));
    while (phc_event_next(h->member, &event))
        CHECK(event.kind != PHC_EVENT_FENCED && event.kind != PHC_EVENT_DUPLICATE &&
                  event.kind != PHC_EVENT_DOUBLE_ID && event.kind != PHC_EVENT_CLEARED &&
                  event.kind != PHC_EVENT_RESTORED,
              "event %d", (int)event.kind);
    enter_walkers(c, h);
    move_own(c, h);
    pin_and_link(h);
    speak_own(c, h);
    CHECK_OK(ph_tick(h->world, NULL));
    take_batches(c, h->consumer, false);
    check_pins(c, h);
    CHECK_OK(phc_told(h->member));
}

static void tick_one(cluster *c)
{
    for (uint64_t id = 1; id <= WALKERS; id++)
        if (c->entered[id] != 0)
            CHECK_OK(ph_move(c->producer, id, spot_of(c, c->trail.tick, id)->x, spot_of(c, c->trail.tick, id)->y, 0));
    CHECK_OK(ph_tick(c->one, NULL));
    take_batches(c, c->consumer, true);
}

static void note_owners(cluster *c)
{
    for (uint64_t id = 1; id <= WALKERS; id++) {
        uint32_t owner = 0;
        for (uint32_t i = 0; i < NODES; i++)
            if (phc_owns(c->hosts[i].member, id)) owner = i + 1;
        trail_note_owner(&c->trail, id, owner);
    }
    for (uint32_t i = 0; i < NODES; i++) {
        phc_stats stats;
        CHECK_OK(phc_stats_get(c->hosts[i].member, &stats));
        if (stats.transit > MANY) c->given_at = c->trail.tick;
    }
}

/* Both have stayed at their nodes around the broadcast. */
static bool has_stayed(const cluster *c, uint64_t id, const say *of)
{
    return id == 0 || trail_is_kept(&c->trail, id, c->trail.tick - of->tick + BEFORE);
}

/* Broadcasts of some ticks ago: without lost messages each observer that was near all the time has heard them. */
static void judge(cluster *c)
{
    for (; c->judged < c->say_count && c->says[c->judged].tick + BEHIND <= c->trail.tick; c->judged++) {
        const say *of = &c->says[c->judged];
        const bool settled = c->lossless && c->given_at + UNSETTLED < of->tick;
        for (uint64_t id = 1; id <= WALKERS && settled; id++) {
            const float bound = of->radius > 0 && !(of->seen && of->radius > VIEW) ? of->radius : VIEW;
            float least, most;
            if (id == of->source || !may_hear(id, of)) continue;
            if (!has_stayed(c, id, of) || !has_stayed(c, of->source, of)) continue;
            distances(c, of, id, of->tick - (of->radius > 0 ? STALE : BEFORE), of->tick + BEHIND, &least, &most);
            if (most >= bound - SLACK) continue;
            CHECK(of->heard[id] == 1, "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " did not hear %u (%g)", c->seed,
                  c->trail.tick, id, c->judged, (double)most);
            c->must[of->radius > 0 && !of->seen]++;
        }
    }
}

/* Of all that was said while all stood still: with a margin, history decides about lists. */
static void compare_calm(cluster *c, uint64_t from, uint64_t to)
{
    for (uint32_t i = 0; i < c->say_count; i++) {
        const say *of = &c->says[i];
        if (of->tick < from || of->tick > to || (c->margin > 0 && (of->radius <= 0 || of->seen))) continue;
        CHECK(memcmp(of->heard, of->heard_in_one, sizeof of->heard) == 0,
              "seed %" PRIu64 ": others than in one world hear %u of %" PRIu64 ", radius %g%s", c->seed, i, of->source,
              (double)of->radius, of->seen ? ", seen" : "");
        c->compared++;
    }
}

static void give_region(cluster *c)
{
    const node_host *h = &c->hosts[phx_rng_below(&c->rng, NODES)];
    const uint32_t region = phx_rng_below(&c->rng, COLUMNS * ROWS);
    const ph_status status = phc_give_region(h->member, region, (uint16_t)(1 + phx_rng_below(&c->rng, NODES)));
    CHECK(status == PH_OK || status == PH_BUSY || status == PH_BAD_VALUE, "give: %s", ph_status_name(status));
    c->wishes++;
    c->wishes_refused += status != PH_OK;
    c->given_at = c->trail.tick;
}

static void step_cluster(cluster *c)
{
    phc_memory_step(c->memory, c->trail.tick * TICK_NS);
    if (!c->calm && phx_rng_below(&c->rng, c->lossless ? GIVE_SELDOM_ONE_IN : GIVE_ONE_IN) == 0) give_region(c);
    for (uint32_t i = 0; i < NODES; i++) round_of(c, &c->hosts[(i + c->seed) % NODES]);
    tick_one(c);
    note_owners(c);
    judge(c);
    phc_loop_step(c->loop);
    trail_step(&c->trail);
}

static void run_cluster(cluster *c, uint64_t seed, phc_stats *sum)
{
    open_cluster(c, seed);
    place_walkers(c);
    for (uint32_t i = 0; i < TICKS && check_failures() == 0; i++) step_cluster(c);
    c->calm = true;
    const uint64_t from = c->trail.tick + SETTLED;
    for (uint32_t i = 0; i < CALM_TICKS && check_failures() == 0; i++) step_cluster(c);
    if (check_failures() == 0) compare_calm(c, from, c->trail.tick - TRAIL_TICKS / 2);
    for (uint32_t i = 0; i < NODES; i++) {
        phc_stats stats;
        CHECK_OK(phc_stats_get(c->hosts[i].member, &stats));
        sum->handed += stats.handed;
        sum->broadcasts_in += stats.broadcasts_in;
        sum->broadcasts_lost += stats.broadcasts_lost;
    }
    close_cluster(c);
}

int main(int argc, char **argv)
{
    const uint64_t seed = option_number(argc, argv, "--seed", 1);
    const uint64_t amount = test_amount(CLUSTERS);
    const uint64_t count = option_number(argc, argv, "--count", amount > CLUSTERS_MIN ? amount : CLUSTERS_MIN);
    uint64_t heard = 0, by_list = 0, by_radius = 0, compared = 0, beyond = 0, pinned = 0, wishes = 0, refused = 0;
    phc_stats sum = {0};
    for (uint64_t i = 0; i < count && check_failures() == 0; i++) {
        cluster *c = check_zalloc(sizeof *c);
        run_cluster(c, seed + i, &sum);
        heard += c->heard;
        by_list += c->must[0];
        by_radius += c->must[1];
        compared += c->compared;
        beyond += c->beyond_halo;
        pinned += c->pinned;
        wishes += c->wishes;
        refused += c->wishes_refused;
        free(c);
    }
    (void)printf("%" PRIu64 " clusters: %" PRIu64 " hand-overs, %" PRIu64 " broadcasts from other nodes, %" PRIu64
                 " dropped; heard %" PRIu64 " times, %" PRIu64 " beyond the halo; %" PRIu64
                 " had to be heard by lists, %" PRIu64 " by a radius; %" PRIu64 " broadcasts as in one world; %" PRIu64
                 " pinned ones seen; %" PRIu64 " wishes for a region, %" PRIu64 " refused\n",
                 count, sum.handed, sum.broadcasts_in, sum.broadcasts_lost, heard, beyond, by_list, by_radius, compared,
                 pinned, wishes, refused);
    CHECK(count < CLUSTERS_MIN ||
              (sum.handed > 0 && compared > 0 && beyond > 0 && pinned > 0 && by_list > 0 && by_radius > 0),
          "too little was seen");
    CHECK(wishes < WISHES_FEW || refused * 2 < wishes, "%" PRIu64 " of %" PRIu64 " wishes for a region are refused",
          refused, wishes);
    return check_done("cluster_says");
}

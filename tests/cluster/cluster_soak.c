/*
 * A cluster that runs on while a node dies again and again: three nodes in one process, walkers all over their world, a
 * lossy transport. In each period a node is killed, a new one has its place once it is put out, and walkers stand still
 * at the end. Then
 *
 *  - each walker has one owner, with the state of the host's database, and nothing is on its way;
 *  - no node has met an entity twice, and lists are the ones that positions give, for a sample of observers;
 *  - live memory, and the pieces that it is in, are no more than in the first periods.
 *
 * It prints a line behind each period. With --minutes it begins none behind that time, unless it has had fewer kills
 * than --least: then it goes on, up to that time of processors, and fails if that is not enough, either. So other work
 * of the machine takes nothing from it. Without --minutes it runs to the last kill.
 *
 * options: --seed S, --walkers N, --kills N, --period TICKS between two of them, --minutes M, --least KILLS
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/cluster.h>

#include "base/clock.h"
#include "base/rng.h"
#include "cluster/duties.h"
#include "cluster/node_host.h"
#include "cluster/walks.h"
#include "support/check.h"
#include "support/fail_alloc.h"

enum {
    NODES = 3,
    SIDE = 8, /* regions */
    TICK_NS = 50000000,
    LEASE_MS = 3000,
    DEAD_TICKS = 200, /* until a new node has its place: it is put out by then */
    CALM_TICKS = 150, /* at the end of a period */
    WARM_KILLS = 2,   /* whose memory bounds that of all others */
    SAMPLE = 64,      /* observers, of a period */
    WALKERS = 600,    /* by default */
    PERIOD = 700,
    KILLS = 6,
    NS_OF_SECOND = 1000000000
};

/* Units between two walkers, on average; 28 in sight. */
static const float APART = 20, VIEW = 60;
/* Of memory, as in another period another node has most of the walkers; and of its pieces, which differ by few. */
static const double GROWTH = 1.25, GROWTH_PIECES = 1.03;

/* A row of the host's database, written by the owner in each tick. */
typedef struct row {
    spot at, goal;
    uint64_t steps, ownership; /* ownership 0: it has not entered yet */
} row;

typedef struct host {
    struct soak *of;
    node_host node;
    duties duties;
    bool dead;
} host;

typedef struct soak {
    uint64_t seed, rng, tick, walkers, died_at;
    float side;
    bool calm;
    fail_alloc memory; /* of members and worlds */
    phc_loop *loop;
    phc_memory *keys;
    host hosts[NODES];
    row *rows; /* by id */
    uint64_t *missing;
    uint64_t gained, restored, taken_back;
    uint64_t first_bytes, first_pieces; /* of the first periods, the most */
} soak;

static uint64_t read_clock(void *user)
{
    return ((const soak *)user)->tick * TICK_NS;
}

static size_t pack_steps(void *user, uint64_t id, void *bytes, size_t size)
{
    const host *h = user;
    REQUIRE(size >= sizeof h->of->rows[id].steps);
    memcpy(bytes, &h->of->rows[id].steps, sizeof h->of->rows[id].steps);
    return sizeof h->of->rows[id].steps;
}

static void open_host(soak *s, host *h)
{
    ph_class class;
    ph_world_def world_def = node_host_world_def(&class, VIEW, 0);
    phc_def def = phc_def_default();
    world_def.world_size[0] = world_def.world_size[1] = s->side;
    world_def.allocator = fail_alloc_hooks(&s->memory);
    *h = (host){.of = s};
    def.name = "soak";
    def.world_def = &world_def;
    def.regions[0] = def.regions[1] = SIDE;
    def.speed_max = WALKS_SPEED;
    def.lease_ms = LEASE_MS;
    def.pack = pack_steps;
    def.pack_user = h;
    def.clock = read_clock;
    def.clock_user = s;
    def.allocator = fail_alloc_hooks(&s->memory);
    node_host_open(&h->node, &def, s->loop, 8192, s->keys);
}

/* ---- a round of a host ---- */

static bool enter_walker(void *of, uint64_t id)
{
    host *h = of;
    row *own = &h->of->rows[id];
    const ph_attrs attrs = {.given = PH_POSITION, .x = own->at.x, .y = own->at.y};
    const ph_status status = phc_enter(h->node.member, id, &attrs, own->ownership);
    CHECK(status == PH_OK || status == PH_BUSY || status == PH_TAKEN, "enter: %s", ph_status_name(status));
    if (status != PH_OK) return false;
    h->of->restored += own->ownership != 0;
    own->ownership = phc_ownership(h->node.member, id);
    return true;
}

/* Regions beyond the ids of one question wait for the next one. */
static void ask_missing(soak *s, host *h)
{
    uint32_t count = 0, of_region[SIDE * SIDE] = {0};
    if (!duties_begin(&h->duties)) return;
    for (uint64_t id = 1; id <= s->walkers; id++)
        of_region[spot_region(s->rows[id].at, s->side, SIDE)] +=
            s->rows[id].ownership != 0 && !phc_owns(h->node.member, id);
    for (uint32_t region = 0; region < SIDE * SIDE; region++) {
        if (h->duties.asked[region] == 0) continue;
        if (count + of_region[region] > PHC_ASKED_MAX) h->duties.asked[region] = 0;
        else count += of_region[region];
    }
    count = 0;
    for (uint64_t id = 1; id <= s->walkers; id++)
        if (s->rows[id].ownership != 0 && h->duties.asked[spot_region(s->rows[id].at, s->side, SIDE)] != 0 &&
            !phc_owns(h->node.member, id))
            s->missing[count++] = id;
    duties_ask(&h->duties, h->node.member, s->missing, count);
}

/* Of two states the one of the higher ownership counts: that is the row's, always. */
static void gain_walker(soak *s, const phc_event *event)
{
    uint64_t steps;
    REQUIRE(event->size == sizeof steps);
    memcpy(&steps, event->bytes, sizeof steps);
    CHECK(event->kind == PHC_EVENT_RESTORED ? steps <= s->rows[event->id].steps : steps == s->rows[event->id].steps,
          "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " comes with %" PRIu64 " steps, the database has %" PRIu64,
          s->seed, s->tick, event->id, steps, s->rows[event->id].steps);
    *(event->kind == PHC_EVENT_RESTORED ? &s->taken_back : &s->gained) += 1;
}

static void take_events(soak *s, host *h)
{
    phc_event event;
    while (phc_event_next(h->node.member, &event)) {
        duties_hear(&h->duties, &event);
        if (event.kind == PHC_EVENT_GAINED || event.kind == PHC_EVENT_RESTORED) gain_walker(s, &event);
        if (event.kind == PHC_EVENT_WHO_HAS) duties_answer(&h->duties, h->node.member, &event, enter_walker, h);
        CHECK(event.kind != PHC_EVENT_FENCED && event.kind != PHC_EVENT_DUPLICATE &&
                  event.kind != PHC_EVENT_DOUBLE_ID && event.kind != PHC_EVENT_CLEARED &&
                  (event.kind != PHC_EVENT_LOST || event.status == PH_OK),
              "seed %" PRIu64 " tick %" PRIu64 ": event %d of %" PRIu64 ": %s", s->seed, s->tick, (int)event.kind,
              event.id, event.reason);
    }
}

static void live(soak *s, host *h)
{
    const bool may_commit = phc_may_commit(h->node.member);
    for (uint64_t id = 1; id <= s->walkers; id++) {
        row *own = &s->rows[id];
        if (own->ownership == 0) (void)enter_walker(h, id);
        else if (may_commit && phc_owns(h->node.member, id)) {
            if (!s->calm) own->at = spot_step(&s->rng, own->at, &own->goal, s->side);
            own->steps++;
            own->ownership = phc_ownership(h->node.member, id);
            CHECK_OK(ph_move(h->node.producer, id, own->at.x, own->at.y, 0));
        }
    }
}

static void round_of(soak *s, host *h)
{
    const ph_batch *batch;
    ph_refusal refusal;
    uint32_t count = 0;
    CHECK_OK(phc_tick(h->node.member));
    take_events(s, h);
    ask_missing(s, h);
    live(s, h);
    CHECK_OK(ph_tick(h->node.world, NULL));
    CHECK_OK(ph_producer_refusals(h->node.producer, &refusal, 1, &count));
    CHECK(count == 0, "seed %" PRIu64 " tick %" PRIu64 ": %s of %" PRIu64 " is refused", s->seed, s->tick,
          ph_command_name((ph_command)refusal.command), refusal.id);
    while (ph_batch_take(h->node.consumer, &batch) == PH_OK) CHECK_OK(ph_batch_return(h->node.consumer, batch));
    CHECK_OK(phc_told(h->node.member));
}

static void step(soak *s)
{
    phc_memory_step(s->keys, s->tick * TICK_NS);
    for (uint32_t i = 0; i < NODES; i++)
        if (!s->hosts[i].dead) round_of(s, &s->hosts[i]);
    phc_loop_step(s->loop);
    s->tick++;
}

/* ---- checks ---- */

static void check_list(const soak *s, const host *h, uint64_t observer)
{
    uint32_t count = 0, near = 0;
    const spot at = s->rows[observer].at;
    CHECK_OK(ph_list(h->node.world, observer, NULL, 0, &count));
    for (uint64_t id = 1; id <= s->walkers; id++) near += id != observer && spot_distance(at, s->rows[id].at) <= VIEW;
    CHECK(count == near, "seed %" PRIu64 " tick %" PRIu64 ": the list of %" PRIu64 " has %u entities, %u are near",
          s->seed, s->tick, observer, count, near);
}

static void check_owners(soak *s)
{
    const uint64_t sampled = s->walkers / SAMPLE + 1;
    for (uint64_t id = 1; id <= s->walkers; id++) {
        uint32_t owners = 0;
        for (uint32_t i = 0; i < NODES; i++) {
            if (!phc_owns(s->hosts[i].node.member, id)) continue;
            owners++;
            if ((id + s->tick) % sampled == 0) check_list(s, &s->hosts[i], id);
        }
        CHECK(owners == 1, "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " has %u owners", s->seed, s->tick, id,
              owners);
    }
}

static void check_counts(soak *s)
{
    uint64_t own = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        phc_stats stats = {0};
        CHECK_OK(phc_stats_get(s->hosts[i].node.member, &stats));
        own += stats.own;
        CHECK(stats.transit == 0 && stats.duplicates + stats.double_ids == 0 && stats.nodes == NODES,
              "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " on their way, %" PRIu64 " duplicates, %u nodes", s->seed,
              s->tick, (uint64_t)stats.transit, (uint64_t)(stats.duplicates + stats.double_ids), (unsigned)stats.nodes);
    }
    CHECK(own == s->walkers, "seed %" PRIu64 " tick %" PRIu64 ": %" PRIu64 " own ones of %" PRIu64, s->seed, s->tick,
          own, s->walkers);
}

static void check_memory(soak *s, uint64_t kills)
{
    const uint64_t bytes = atomic_load_explicit(&s->memory.bytes, memory_order_relaxed);
    const uint64_t pieces = atomic_load_explicit(&s->memory.blocks, memory_order_relaxed);
    if (kills <= WARM_KILLS && bytes > s->first_bytes) s->first_bytes = bytes;
    if (kills <= WARM_KILLS && pieces > s->first_pieces) s->first_pieces = pieces;
    CHECK((double)bytes <= GROWTH * (double)s->first_bytes && (double)pieces <= GROWTH_PIECES * (double)s->first_pieces,
          "seed %" PRIu64 ": %" PRIu64 " bytes in %" PRIu64 " pieces behind %" PRIu64 " kills, %" PRIu64 " in %" PRIu64
          " behind the first ones",
          s->seed, bytes, pieces, kills, s->first_bytes, s->first_pieces);
}

/* ---- periods ---- */

/* Its process is gone: no round of it comes any more, and nothing of it is closed. */
static void run_period(soak *s, uint64_t ticks, bool kills)
{
    host *victim = &s->hosts[phx_rng_below(&s->rng, NODES)];
    const uint64_t begin = s->tick;
    victim->dead = kills;
    while (s->tick < begin + ticks && check_failures() == 0) {
        s->calm = s->tick + CALM_TICKS >= begin + ticks;
        if (victim->dead && s->tick == begin + DEAD_TICKS) {
            node_host_close(&victim->node);
            open_host(s, victim);
        }
        step(s);
    }
}

static uint64_t processor_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * NS_OF_SECOND + (uint64_t)t.tv_nsec;
}

/* Periods, the first one without a kill, until the time is up. Returns the kills of whole periods. */
static uint64_t run_periods(soak *s, uint64_t kills, uint64_t period, uint64_t seconds, uint64_t least)
{
    const uint64_t begin_ns = phx_now_ns();
    uint64_t passed = 0;
    for (uint64_t i = 0; i <= kills; i++) {
        const uint64_t ns = passed < least ? processor_ns() : phx_now_ns() - begin_ns;
        if (seconds > 0 && ns / NS_OF_SECOND >= seconds) break;
        run_period(s, period, i > 0);
        if (check_failures() > 0) break;
        check_owners(s);
        check_counts(s);
        check_memory(s, i);
        passed = i;
        (void)printf("%" PRIu64 " of %" PRIu64 " kills after %" PRIu64 " s\n", i, kills,
                     (phx_now_ns() - begin_ns) / NS_OF_SECOND);
        (void)fflush(stdout);
    }
    return passed;
}

int main(int argc, char **argv)
{
    const uint64_t minutes = option_number(argc, argv, "--minutes", 0);
    const uint64_t least = option_number(argc, argv, "--least", 0);
    const uint64_t kills = option_number(argc, argv, "--kills", test_amount(KILLS));
    const uint64_t period = option_number(argc, argv, "--period", PERIOD);
    soak *s = check_zalloc(sizeof *s);
    s->seed = s->rng = option_number(argc, argv, "--seed", 1);
    s->walkers = option_number(argc, argv, "--walkers", WALKERS);
    s->side = sqrtf((float)s->walkers) * APART;
    s->tick = 1;
    s->rows = check_zalloc((s->walkers + 1) * sizeof *s->rows);
    s->missing = check_zalloc(s->walkers * sizeof *s->missing);
    for (uint64_t id = 1; id <= s->walkers; id++) {
        s->rows[id].at = spot_random(&s->rng, s->side);
        s->rows[id].goal = spot_random(&s->rng, s->side);
    }
    const phc_faults faults = {.seed = s->seed, .lost = 10, .doubled = 10, .late = 50, .late_steps = 3};
    REQUIRE(phc_loop_create(faults, (ph_allocator){0}, &s->loop) == PH_OK);
    REQUIRE(phc_memory_create((phc_faults){0}, (ph_allocator){0}, &s->keys) == PH_OK);
    for (uint32_t i = 0; i < NODES; i++) open_host(s, &s->hosts[i]);
    const uint64_t passed = run_periods(s, kills, period, 60 * minutes, least);
    (void)printf("%" PRIu64 " walkers, %" PRIu64 " kills: %" PRIu64 " hand-overs, %" PRIu64 " entered anew, %" PRIu64
                 " taken back; %" PRIu64 " bytes\n",
                 s->walkers, passed, s->gained, s->restored, s->taken_back, s->first_bytes);
    CHECK(check_failures() > 0 || passed == 0 || s->restored > 0, "no walker was entered anew");
    CHECK(check_failures() > 0 || passed >= least,
          "%" PRIu64 " kills in %" PRIu64 " minutes of processors, %" PRIu64 " are the least", passed, minutes, least);
    for (uint32_t i = 0; i < NODES; i++) node_host_close(&s->hosts[i].node);
    phc_loop_destroy(s->loop);
    phc_memory_destroy(s->keys);
    CHECK(fail_alloc_clean(&s->memory), "memory is not given back");
    free(s->rows);
    free(s->missing);
    free(s);
    return check_done("cluster_soak");
}

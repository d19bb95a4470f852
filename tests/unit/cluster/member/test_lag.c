/*
 * How old copies may be, by the calls of cluster.h: two nodes, each with an entity that moves in each of its ticks, and
 * messages that all come, but late, by seed. A copy is never older than the node says; it tells the host while that is
 * more than lag_max, and until that is some ticks ago.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <pharos/cluster.h>

#include "base/rng.h"
#include "cluster/node_host.h"

enum {
    TICK_NS = 50000000,
    NODES = 2,
    SEEDS = 40,
    MESSAGES = 1024, /* that wait for a node */
    LAG_MAX = 4,
    JOINED = 60, /* steps: both have joined, and hear each other */
    LATE_UNTIL = 200,
    HELD = 2 * LAG_MAX + 4, /* ticks within the bound, until the host is told so */
    TIMELY = 12 + 2 * HELD, /* steps behind the last late message that counts: both have heard, and were heard */
    STEPS = 320,
    DELAY_MAX = 30,
    JITTER_MAX = 3
};

typedef struct late_message {
    uint64_t due; /* step */
    char subject[PHC_SUBJECT_MAX + 1];
    size_t size;
    unsigned char *bytes;
} late_message;

/* A node with its way in. */
typedef struct late_node {
    node_host host;
    phc_transport inner;
    late_message waiting[MESSAGES];
    uint32_t waiting_count;
    uint64_t delay, every;                  /* steps; of its messages, and between two of its ticks */
    uint64_t ticked[STEPS + 1], tick_count; /* the moments of its ticks */
    uint64_t late_tick;                     /* of its ticks, the last one with a lag above the bound; 0 = none */
    bool lags;                              /* as its host was told, */
    uint32_t told;                          /* so often since it joined */
    uint32_t crossings;                     /* of the bound, by its lag */
} late_node;

static phc_loop *loop;
static phc_memory *memory;
static late_node nodes[NODES];
static uint64_t step, jitter, rng;

static uint64_t read_clock(void *user)
{
    (void)user;
    return (step + 1) * TICK_NS;
}

/* ---- messages ---- */

static void keep_message(void *user, const char *subject, const void *bytes, size_t size)
{
    late_node *node = user;
    cr_assert_lt(node->waiting_count, MESSAGES);
    late_message *message = &node->waiting[node->waiting_count++];
    message->due = step + node->delay + (node->delay > 0 ? phx_rng_below(&rng, (uint32_t)jitter + 1) : 0);
    message->size = size;
    message->bytes = malloc(size);
    cr_assert_not_null(message->bytes);
    memcpy(message->bytes, bytes, size);
    (void)snprintf(message->subject, sizeof message->subject, "%s", subject);
}

static uint32_t poll_late(void *user, uint32_t messages_max, phc_message_fn fn, void *fn_user)
{
    late_node *node = user;
    uint32_t kept = 0, given = 0;
    while (node->inner.poll(node->inner.user, messages_max, keep_message, node) > 0) continue;
    for (uint32_t i = 0; i < node->waiting_count; i++) {
        late_message message = node->waiting[i];
        if (message.due > step || given == messages_max) {
            node->waiting[kept++] = message;
            continue;
        }
        fn(fn_user, message.subject, message.bytes, message.size);
        free(message.bytes);
        given++;
    }
    node->waiting_count = kept;
    return given;
}

/* The other functions have the same user. */
static ph_status listen_late(void *user, phc_traffic traffic, const char *subject)
{
    late_node *node = user;
    return node->inner.listen(node->inner.user, traffic, subject);
}

static ph_status send_late(void *user, phc_traffic traffic, const char *subject, const void *bytes, size_t size)
{
    late_node *node = user;
    return node->inner.send(node->inner.user, traffic, subject, bytes, size);
}

static void state_late(void *user, phc_transport_state *state)
{
    late_node *node = user;
    node->inner.state(node->inner.user, state);
}

static void close_late(void *user)
{
    late_node *node = user;
    for (uint32_t i = 0; i < node->waiting_count; i++) free(node->waiting[i].bytes);
    node->waiting_count = 0;
    node->inner.close(node->inner.user);
}

/* ---- nodes ---- */

static void open_node(late_node *node, const phc_def *def)
{
    node_host *host = &node->host;
    *node = (late_node){.every = 1};
    cr_assert_eq(ph_world_create(def->world_def, &host->world), PH_OK);
    cr_assert_eq(phc_loop_join(loop, MESSAGES, &node->inner), PH_OK);
    cr_assert_eq(phc_memory_join(memory, &host->store), PH_OK);
    host->transport = node->inner;
    host->transport.listen = listen_late;
    host->transport.send = send_late;
    host->transport.poll = poll_late;
    host->transport.state = state_late;
    host->transport.close = close_late;
    host->transport.user = node;
    cr_assert_eq(phc_open(def, host->world, &host->transport, &host->store, &host->member, NULL, 0), PH_OK);
    cr_assert_eq(ph_producer_open(host->world, &host->producer), PH_OK);
    cr_assert_eq(ph_consumer_open(host->world, 0, &host->consumer), PH_OK);
}

static void open_nodes(void)
{
    ph_class class;
    const ph_world_def world_def = node_host_world_def(&class, 60, 10);
    phc_def def = node_host_def(&world_def, NODES, read_clock);
    def.lag_max = LAG_MAX;
    step = 0;
    node_host_open_ways(&loop, &memory);
    for (uint32_t i = 0; i < NODES; i++) open_node(&nodes[i], &def);
}

static void close_nodes(void)
{
    for (uint32_t i = 0; i < NODES; i++) node_host_close(&nodes[i].host);
    phc_loop_destroy(loop);
    phc_memory_destroy(memory);
}

static uint64_t lag_of(const late_node *node)
{
    phc_stats stats;
    cr_assert_eq(phc_stats_get(node->host.member, &stats), PH_OK);
    return stats.lag_ticks;
}

/* Steps are moments of the one node, then of the other one. */
static uint64_t moment_of(uint32_t i, uint64_t at_step)
{
    return at_step * NODES + i;
}

/* Ticks of a node that have passed since the other one's entity was where its copy is. */
static uint64_t age_of_copy(uint32_t i)
{
    ph_attrs attrs;
    uint64_t age = 0;
    const uint32_t other = 1 - i;
    cr_assert_eq(ph_entity_get(nodes[i].host.world, other + 1, &attrs), PH_OK);
    const uint64_t written = moment_of(other, (uint64_t)attrs.y);
    for (uint64_t k = 0; k < nodes[i].tick_count; k++) age += nodes[i].ticked[k] > written;
    return age;
}

static void hear_events(uint64_t seed, late_node *node)
{
    phc_event event;
    while (phc_event_next(node->host.member, &event)) {
        if (event.kind != PHC_EVENT_LAG) continue;
        cr_assert_neq(event.ticks > 0, node->lags, "seed %lu: told once", (unsigned long)seed);
        cr_assert(event.ticks == 0 || event.ticks == lag_of(node));
        node->lags = event.ticks > 0;
        node->told++;
    }
}

/* At once where it is late, and for some ticks behind that. */
static void check_told(late_node *node, uint64_t lag)
{
    const bool is_late = lag > LAG_MAX;
    node->crossings += node->late_tick != 0 && is_late != (node->late_tick == node->tick_count);
    if (is_late) node->late_tick = node->tick_count + 1;
    cr_assert_eq(node->lags, node->late_tick != 0 && node->tick_count + 1 - node->late_tick <= HELD);
}

static void tick_node(uint64_t seed, uint32_t i)
{
    late_node *node = &nodes[i];
    const ph_batch *batch;
    const phc *member = node->host.member;
    const float x = phc_owner_of(member, 0, 0) == phc_number(member) ? 380 : 420;
    cr_assert_eq(phc_tick(node->host.member), PH_OK);
    hear_events(seed, node);
    if (step == JOINED / 2)
        cr_assert_eq(phc_enter(node->host.member, i + 1, &(ph_attrs){.given = PH_X | PH_Y, .x = x}, 0), PH_OK);
    if (step > JOINED / 2) cr_assert_eq(ph_move(node->host.producer, i + 1, x, (float)step, 0), PH_OK);
    cr_assert_eq(ph_tick(node->host.world, NULL), PH_OK);
    while (ph_batch_take(node->host.consumer, &batch) == PH_OK)
        cr_assert_eq(ph_batch_return(node->host.consumer, batch), PH_OK);
    if (step >= JOINED) {
        const uint64_t age = age_of_copy(i), lag = lag_of(node);
        cr_assert_leq(age, lag, "seed %lu, step %lu, node %u: a copy of %lu ticks", (unsigned long)seed,
                      (unsigned long)step, i, (unsigned long)age);
        check_told(node, lag);
    }
    cr_assert_eq(phc_told(node->host.member), PH_OK);
    node->ticked[node->tick_count++] = moment_of(i, step);
}

static void step_nodes(uint64_t seed)
{
    phc_memory_step(memory, read_clock(NULL));
    for (uint32_t i = 0; i < NODES; i++)
        if (step < JOINED || step % nodes[i].every == 0) tick_node(seed, i);
    phc_loop_step(loop);
    step++;
}

/* A way late in one direction, or in both; and the one node may tick half as often as the other one. */
static void run_schedule(uint64_t seed)
{
    bool has_lagged = false;
    rng = seed;
    open_nodes();
    while (step < JOINED) step_nodes(seed);
    nodes[1].every = 1 + phx_rng_below(&rng, 2);
    jitter = phx_rng_below(&rng, JITTER_MAX + 1);
    const uint64_t one = LAG_MAX + 1 + phx_rng_below(&rng, DELAY_MAX - LAG_MAX);
    for (uint32_t calm = 0; calm < TIMELY; calm++) step_nodes(seed);
    for (uint32_t i = 0; i < NODES; i++) cr_assert(!nodes[i].lags, "seed %lu: nothing is late", (unsigned long)seed);
    nodes[0].delay = one;
    nodes[1].delay = phx_rng_below(&rng, 2) * phx_rng_below(&rng, DELAY_MAX);
    const uint64_t both = nodes[0].delay + nodes[1].delay + 2 * jitter;
    while (step < LATE_UNTIL) {
        step_nodes(seed);
        has_lagged |= nodes[0].lags;
        cr_assert_leq(lag_of(&nodes[0]), both + 2 * nodes[1].every + 1);
    }
    cr_assert(has_lagged, "seed %lu: %lu ticks late, and not told", (unsigned long)seed, (unsigned long)one);
    nodes[0].delay = nodes[1].delay = 0;
    for (uint32_t timely = 0; step < STEPS; timely++) {
        step_nodes(seed);
        for (uint32_t i = 0; timely > TIMELY && i < NODES; i++) cr_assert(!nodes[i].lags);
    }
    close_nodes();
}

Test(lag, copies_are_never_older_than_a_node_says)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) run_schedule(seed);
}

/* Ways of some steps, and one node that ticks half as often: the lag of some of these is about the bound. */
Test(lag, a_lag_about_the_bound_is_told_once)
{
    uint32_t crossings = 0;
    jitter = 0;
    for (uint64_t delay = 0; delay <= LAG_MAX; delay++) {
        open_nodes();
        while (step < JOINED) step_nodes(delay);
        nodes[1].every = 2;
        nodes[0].delay = delay;
        nodes[0].told = nodes[0].crossings = 0;
        while (step < LATE_UNTIL) step_nodes(delay);
        crossings += nodes[0].crossings;
        cr_assert_leq(nodes[0].told, 2, "delay %lu: told %u times, crossed %u times", (unsigned long)delay,
                      nodes[0].told, nodes[0].crossings);
        close_nodes();
    }
    cr_assert_gt(crossings, (LATE_UNTIL - JOINED) / 2, "%u", crossings);
}

/*
 * src/world/publish/edges.c: each edge of the shards comes into the batch of its consumer, in its part of it; an edge
 * that waited for memory and its opposite are both none. Compared with lists that are searched.
 */
#include "unit/shards/shard_case.h"

#include "world/publish/edges.h"

enum { SHARDS = 3, CONSUMERS = 2, ENTITIES = 40, AREAS = 4, TICKS = 300, EDGES_MAX = ENTITIES * AREAS * 2 };

static phx_world world;
static phx_shard shards[SHARDS];
static phx_edge_size sizes[CONSUMERS];
static phx_batch batches[CONSUMERS], *batch_of[CONSUMERS];

/* The tick's edges, kept plainly. */
static struct {
    phx_edge at[EDGES_MAX];
    uint32_t count;
} waiting, expected;

static void set_up(void)
{
    memory_set_up();
    memset(&world, 0, sizeof world);
    memset(shards, 0, sizeof shards);
    memset(batches, 0, sizeof batches);
    world.shards = shards;
    world.shard_count = SHARDS;
    world.edge_sizes = sizes;
    world.batches = batch_of;
    world.def.consumers = CONSUMERS;
    for (int c = 0; c < CONSUMERS; c++) batch_of[c] = &batches[c];
    waiting.count = expected.count = 0;
}

static void tear_down(void)
{
    for (int s = 0; s < SHARDS; s++) {
        phx_edges *edges = &shards[s].zones.edges;
        phx_release(&memory, (void **)&edges->at, &edges->capacity, sizeof *edges->at);
    }
    for (int c = 0; c < CONSUMERS; c++)
        phx_release(&memory, (void **)&batches[c].edges, &batches[c].edges_capacity, sizeof *batches[c].edges);
    memory_tear_down();
}

TestSuite(edges, .init = set_up, .fini = tear_down);

static void put_edge(uint32_t shard, phx_edge edge)
{
    phx_edges *edges = &shards[shard].zones.edges;
    cr_assert(phx_edges_reserve(edges, &memory, 1));
    edges->at[edges->count++] = edge;
}

static bool same_thing(const phx_edge *a, const phx_edge *b)
{
    return a->edge.id == b->edge.id && a->edge.incarnation == b->edge.incarnation && a->edge.area == b->edge.area &&
           a->consumer == b->consumer;
}

/* Adds the edge to the lists: the opposite of one that waits takes it away. */
static void expect_edge(phx_edge edge)
{
    for (uint32_t i = 0; i < waiting.count; i++)
        if (same_thing(&waiting.at[i], &edge)) {
            waiting.at[i] = waiting.at[--waiting.count];
            return;
        }
    expected.at[expected.count++] = edge;
}

/* A tick of random edges: the state of an entity in an area turns over. */
static void make_edges(uint64_t *rng)
{
    static bool on[ENTITIES][AREAS];
    for (uint32_t id = 0; id < ENTITIES; id++)
        for (uint32_t area = 0; area < AREAS; area++) {
            if (phx_rng_below(rng, 4) != 0) continue;
            on[id][area] = !on[id][area];
            const phx_edge edge = {.edge = {.id = id + 1, .incarnation = 7 + id, .area = area, .on = on[id][area]},
                                   .consumer = id % CONSUMERS};
            put_edge(phx_rng_below(rng, SHARDS), edge); /* it may have migrated */
            expect_edge(edge);
        }
}

/* Takes an edge of this batch out of the expected ones. */
static void take_expected(const ph_edge *edge, uint32_t consumer)
{
    for (uint32_t i = 0; i < expected.count; i++) {
        const phx_edge *at = &expected.at[i];
        if (at->consumer != consumer || memcmp(&at->edge, edge, sizeof *edge) != 0) continue;
        expected.at[i] = expected.at[--expected.count];
        return;
    }
    cr_assert(false, "entity %zu, area %zu: an edge that is none", (size_t)edge->id, (size_t)edge->area);
}

static void check_batch(uint32_t consumer)
{
    const ph_batch *view = &batches[consumer].given;
    for (uint32_t i = 0; i < view->activation_count; i++) {
        cr_assert_eq(view->activations[i].area, 0);
        cr_assert(i == 0 || view->activations[i - 1].on <= view->activations[i].on, "off comes first");
        take_expected(&view->activations[i], consumer);
    }
    for (uint32_t i = 0; i < view->crossing_count; i++) {
        cr_assert_neq(view->crossings[i].area, 0);
        cr_assert(i == 0 || view->crossings[i - 1].on <= view->crossings[i].on, "off comes first");
        take_expected(&view->crossings[i], consumer);
    }
}

/* The publish phase: a consumer for which `memory_of` has no bit gets no batch with edges. */
static void pass_phase(uint32_t memory_of)
{
    phx_count_edges(&world);
    for (uint32_t i = 0; i < waiting.count; i++) expected.at[expected.count++] = waiting.at[i];
    waiting.count = 0;
    for (uint32_t c = 0; c < CONSUMERS; c++) {
        if (memory_of & 1u << c) continue;
        phx_hold_edges(&world, c);
        sizes[c] = (phx_edge_size){0};
        for (uint32_t i = expected.count; i-- > 0;)
            if (expected.at[i].consumer == c) {
                waiting.at[waiting.count++] = expected.at[i];
                expected.at[i] = expected.at[--expected.count];
            }
    }
    for (uint32_t c = 0; c < CONSUMERS; c++) cr_assert(phx_batch_size_edges(&memory, &batches[c], sizes[c]));
    phx_fill_edges(&world);
    for (uint32_t c = 0; c < CONSUMERS; c++) check_batch(c);
    cr_assert_eq(expected.count, 0, "%u edges are in no batch", expected.count);
}

Test(edges, each_comes_into_the_batch_of_its_consumer_or_waits_or_meets_its_opposite)
{
    uint64_t rng = 31;
    uint32_t waited = 0;
    for (uint32_t tick = 0; tick < TICKS; tick++) {
        for (int s = 0; s < SHARDS; s++) phx_edges_begin(&shards[s].zones.edges);
        make_edges(&rng);
        pass_phase(phx_rng_below(&rng, 1u << CONSUMERS));
        waited += waiting.count;
    }
    cr_assert_gt(waited, TICKS, "few waited: the test is weak");
}

Test(edges, all_wait_while_the_zones_of_a_shard_are_put_off)
{
    const phx_edge first = {.edge = {.id = 1, .incarnation = 1, .area = 3, .on = true}, .consumer = 0};
    const phx_edge second = {.edge = {.id = 2, .incarnation = 2, .area = 0, .on = true}, .consumer = 1};
    put_edge(0, first);
    put_edge(2, second);
    shards[1].zones.put_off = true;
    phx_count_edges(&world);
    for (int c = 0; c < CONSUMERS; c++) cr_assert_eq(phx_edge_total(sizes[c]), 0);
    shards[1].zones.put_off = false;
    for (int s = 0; s < SHARDS; s++) phx_edges_begin(&shards[s].zones.edges);
    expect_edge(first);
    expect_edge(second);
    pass_phase(3);
}

Test(edges, an_entity_that_entered_again_cancels_no_edge_of_its_former_life)
{
    const phx_edge held = {.edge = {.id = 1, .incarnation = 1, .area = 3, .on = true}, .consumer = 0};
    phx_edge other = held;
    other.edge.incarnation = 2;
    other.edge.on = false;
    put_edge(0, held);
    phx_count_edges(&world);
    phx_hold_edges(&world, 0);
    for (int s = 0; s < SHARDS; s++) phx_edges_begin(&shards[s].zones.edges);
    put_edge(1, other);
    expected.at[expected.count++] = held;
    expected.at[expected.count++] = other;
    pass_phase(3);
}

/*
 * The delivered edges of activation and areas
 * against the expected ones: the net of all ticks of a batch.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/rng.h"
#include "support/run_parts.h"

static int by_all(const void *a, const void *b)
{
    const ph_edge *l = a;
    const ph_edge *r = b;
    if (l->id != r->id) {
        return l->id < r->id ? -1 : 1;
    }
    if (l->incarnation != r->incarnation) {
        return l->incarnation < r->incarnation ? -1 : 1;
    }
    return l->area < r->area ? -1 : l->area > r->area;
}

static bool same_edge(const ph_edge *a, const ph_edge *b)
{
    return by_all(a, b) == 0 && a->on == b->on && a->user_data == b->user_data;
}

static void note_edge(run *r, const char *what, const ph_edge *e)
{
    run_note(r, "  %s entity %" PRIu64 " (stay %" PRIu32 ") user_data %" PRIu64 " area %" PRIu64 " %s\n", what, e->id,
             e->incarnation, e->user_data, e->area, e->on != 0 ? "on" : "off");
}

static bool compare_edges(run *r, const ph_batch *batch, const ph_edge *got, size_t got_count, const ph_edge *expected,
                          size_t count)
{
    size_t i = 0;
    while (i < got_count && i < count && same_edge(&got[i], &expected[i])) {
        i++;
    }
    if (i == got_count && i == count) {
        return true;
    }
    run_fail(r, "batch of ticks %" PRIu64 "..%" PRIu64 ": %zu edges, expected %zu; the first that differs:",
             batch->tick_first, batch->tick, got_count, count);
    if (i < count) {
        note_edge(r, "expected:", &expected[i]);
    }
    if (i < got_count) {
        note_edge(r, "got:     ", &got[i]);
    }
    return false;
}

/* Off before on, areas where they belong. */
static bool check_order(run *r, const ph_edge *edges, uint32_t count, bool of_areas)
{
    for (uint32_t i = 0; i < count; i++) {
        if ((edges[i].area != 0) != of_areas || edges[i].on > 1 || (i != 0 && edges[i].on < edges[i - 1].on)) {
            return run_fail(r, "edge %" PRIu32 " of %" PRIu32 " is out of order", i, count);
        }
    }
    return true;
}

static void hash_edge(run *r, uint64_t tick, const ph_edge *e)
{
    uint64_t hash = phx_mix64(e->id ^ tick << 40);
    hash = phx_mix64(hash + e->user_data);
    hash = phx_mix64(hash + phx_mix64(e->area * 2 + e->on) + e->incarnation);
    *(e->area == 0 ? &r->result->activation_hash : &r->result->event_hash) += hash;
    r->result->edges++;
}

bool run_check_edges(run *r, uint32_t consumer, const ph_batch *batch)
{
    VEC(ph_edge) got = {0};
    VEC(ph_edge) expected = {0};
    edge_list list = {0};
    bool good = check_order(r, batch->activations, batch->activation_count, false) &&
                check_order(r, batch->crossings, batch->crossing_count, true);
    for (uint32_t i = 0; good && i < batch->activation_count + batch->crossing_count; i++) {
        const ph_edge *edge =
            i < batch->activation_count ? &batch->activations[i] : &batch->crossings[i - batch->activation_count];
        VEC_PUSH(&got, *edge);
        hash_edge(r, batch->tick, edge);
    }
    if (good && r->m != NULL) {
        history_edges(&r->past, consumer, r->consumers[consumer].last_tick + 1, batch->tick, &list);
        for (size_t i = 0; i < list.count; i++) {
            const model_edge *from = &list.items[i];
            ph_edge edge = {.id = from->entity.id, .user_data = from->user_data, .area = from->area, .on = from->on};
            edge.incarnation = (uint32_t)from->entity.incarnation;
            VEC_PUSH(&expected, edge);
        }
        if (got.count > 1) {
            qsort(got.items, got.count, sizeof(ph_edge), by_all);
        }
        if (expected.count > 1) {
            qsort(expected.items, expected.count, sizeof(ph_edge), by_all);
        }
        good = compare_edges(r, batch, got.items, got.count, expected.items, expected.count);
    }
    VEC_FREE(&got);
    VEC_FREE(&expected);
    VEC_FREE(&list);
    return good;
}

size_t run_edges_waiting(run *r, uint32_t consumer)
{
    edge_list list = {0};
    history_edges(&r->past, consumer, r->consumers[consumer].last_tick + 1, r->tick, &list);
    size_t waiting = list.count;
    VEC_FREE(&list);
    return waiting;
}

bool run_edges_missing(run *r, uint32_t consumer)
{
    size_t missing = run_edges_waiting(r, consumer);
    return missing == 0 || run_fail(r, "consumer %" PRIu32 " was told up to tick %" PRIu64 "; %zu edges are missing",
                                    consumer, r->consumers[consumer].last_tick, missing);
}

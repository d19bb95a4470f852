/*
 * Edges on their way to the batches; see edges.h. Each entity has at most one edge an area that is held, and one of the
 * tick: the two are opposite, so neither is delivered.
 */
#include "world/publish/edges.h"

#include <string.h>

#include "shards/entity/heap.h"

/* ---- held edges ---- */

static const uint32_t EDGE_CANCELLED = UINT32_MAX; /* phx_edge.consumer */

/* The order in which edges of a tick are looked up. */
static bool edge_behind(const phx_edge *a, const phx_edge *b)
{
    if (a->edge.id != b->edge.id) return a->edge.id > b->edge.id;
    if (a->edge.incarnation != b->edge.incarnation) return a->edge.incarnation > b->edge.incarnation;
    if (a->edge.area != b->edge.area) return a->edge.area > b->edge.area;
    return a->consumer > b->consumer;
}

/* Sorts in place: there may be no memory for anything else. */
static void sort_edges(phx_edge *edges, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;) PHX_HEAP_SIFT(phx_edge, edges, count, i, edge_behind);
    for (uint32_t left = count; left > 1; left--) {
        phx_edge last = edges[left - 1];
        edges[left - 1] = edges[0];
        edges[0] = last;
        PHX_HEAP_SIFT(phx_edge, edges, left - 1, 0, edge_behind);
    }
}

/* The same entity's edge of the same area, or NULL. */
static phx_edge *find_edge(phx_edge *edges, uint32_t count, const phx_edge *wanted)
{
    uint32_t first = 0, end = count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (edge_behind(wanted, &edges[middle])) first = middle + 1;
        else end = middle;
    }
    return first < count && !edge_behind(&edges[first], wanted) ? &edges[first] : NULL;
}

/* An edge that was held is none if the tick has its opposite, in any shard: both are marked. */
static void cancel_edge(phx_world *world, phx_edge *held)
{
    for (uint32_t s = 0; s < world->shard_count; s++) {
        const phx_edges *edges = &world->shards[s].zones.edges;
        if (edges->count == edges->earlier) continue;
        phx_edge *at = find_edge(edges->at + edges->earlier, edges->count - edges->earlier, held);
        if (!at) continue;
        PHX_ASSERT(at->edge.on != held->edge.on);
        at->consumer = held->consumer = EDGE_CANCELLED;
        return;
    }
}

/* Edges that are left; held ones are as the others from here on. */
static void drop_cancelled(phx_edges *edges)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < edges->count; i++)
        if (edges->at[i].consumer != EDGE_CANCELLED) edges->at[kept++] = edges->at[i];
    edges->count = kept;
    edges->earlier = 0;
}

static void cancel_pairs(phx_world *world)
{
    uint64_t earlier = 0;
    for (uint32_t s = 0; s < world->shard_count; s++) earlier += world->shards[s].zones.edges.earlier;
    if (earlier == 0) return;
    for (uint32_t s = 0; s < world->shard_count; s++) {
        const phx_edges *edges = &world->shards[s].zones.edges;
        if (edges->count > edges->earlier) sort_edges(edges->at + edges->earlier, edges->count - edges->earlier);
    }
    for (uint32_t s = 0; s < world->shard_count; s++) {
        const phx_edges *edges = &world->shards[s].zones.edges;
        for (uint32_t i = 0; i < edges->earlier; i++) cancel_edge(world, &edges->at[i]);
    }
    for (uint32_t s = 0; s < world->shard_count; s++) drop_cancelled(&world->shards[s].zones.edges);
}

void phx_hold_edges(phx_world *world, uint32_t consumer)
{
    for (uint32_t s = 0; s < world->shard_count; s++) {
        phx_edges *edges = &world->shards[s].zones.edges;
        for (uint32_t i = edges->held; i < edges->count; i++) {
            const phx_edge edge = edges->at[i];
            if (edge.consumer != consumer) continue;
            edges->at[i] = edges->at[edges->held];
            edges->at[edges->held++] = edge;
        }
    }
}

/*
 * Holds all edges if a shard's zones stage is put off: an entity may have left there, and entered again elsewhere, and
 * its consumer gets the edges of its incarnations in order.
 */
static void hold_behind_put_off(phx_world *world)
{
    bool put_off = false;
    for (uint32_t s = 0; s < world->shard_count; s++) put_off |= world->shards[s].zones.put_off;
    for (uint32_t s = 0; put_off && s < world->shard_count; s++)
        world->shards[s].zones.edges.held = world->shards[s].zones.edges.count;
}

/* ---- batches ---- */

void phx_count_edges(phx_world *world)
{
    cancel_pairs(world);
    hold_behind_put_off(world);
    memset(world->edge_sizes, 0, world->def.consumers * sizeof *world->edge_sizes);
    for (uint32_t s = 0; s < world->shard_count; s++) {
        const phx_edges *edges = &world->shards[s].zones.edges;
        for (uint32_t i = edges->held; i < edges->count; i++) {
            const ph_edge *edge = &edges->at[i].edge;
            world->edge_sizes[edges->at[i].consumer].count[edge->area != 0][edge->on]++;
        }
    }
}

void phx_fill_edges(phx_world *world)
{
    for (uint32_t c = 0; c < world->def.consumers; c++)
        world->edge_sizes[c] = phx_batch_edge_places(&world->edge_sizes[c]);
    for (uint32_t s = 0; s < world->shard_count; s++) {
        const phx_edges *edges = &world->shards[s].zones.edges;
        for (uint32_t i = edges->held; i < edges->count; i++) {
            uint32_t consumer = edges->at[i].consumer;
            phx_batch_put_edge(world->batches[consumer], &world->edge_sizes[consumer], &edges->at[i].edge);
        }
    }
}

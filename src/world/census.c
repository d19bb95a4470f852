/*
 * Counting and hashing a whole world, between ticks; see query.h.
 */
#include <string.h>

#include "base/rng.h"
#include "world/query.h"

static void add_producers(const phx_world *world, ph_stats *stats)
{
    for (uint32_t i = 0; i < world->def.producers_max; i++) {
        phx_producer *producer = &world->producers[i];
        phx_cmdq *queue = atomic_load_explicit(&producer->queue, memory_order_acquire);
        for (uint32_t s = 0; s < PH_STATUS_COUNT; s++)
            stats->refused[s] += atomic_load_explicit(&producer->refused[s], memory_order_relaxed);
        stats->refusals_untold += atomic_load_explicit(&producer->untold, memory_order_relaxed);
        if (queue) stats->commands += phx_cmdq_count(queue).accepted;
    }
}

static void add_consumers(const phx_world *world, ph_stats *stats)
{
    for (uint32_t i = 0; i < world->def.consumers; i++) {
        phx_consumer_counts counts = phx_consumer_count(world->consumers[i].consumer);
        stats->batches += counts.batches;
        stats->coalesced_ticks += counts.coalesced_ticks;
        stats->deliveries += counts.deliveries;
        stats->deliveries_dropped += counts.deliveries_dropped;
        stats->deliveries_void += counts.deliveries_void;
    }
}

static void add_shard(const phx_shard *shard, ph_stats *stats)
{
    stats->ghosts += shard->store.ghost_count;
    stats->migrations += shard->counts.migrations;
    stats->halo_records += shard->counts.copies;
    stats->deferred_adds += shard->counts.deferred_adds;
    stats->observers += shard->ready_count;
    stats->list_entries -= shard->counts.dropped;
    if (!shard->alt) return;
    stats->index_moves += shard->alt->counts.moves;
    stats->index_steps += shard->alt->counts.steps;
}

void phx_query_stats(const phx_world *world, ph_stats *stats)
{
    const phx_totals *totals = &world->totals;
    const phx_phase_ns *ns = &world->phase_ns;
    *stats = (ph_stats){.ticks = world->tick,
                        .entities = phx_idmap_count(&world->directory),
                        .applied = totals->applied,
                        .refused_in_tick = totals->refused_in_tick,
                        .refusals_untold = totals->untold,
                        .exchange_rounds = totals->rounds,
                        .tick_ns = ns->ingest + ns->exchange + ns->index + ns->interest + ns->publish,
                        .ingest_ns = ns->ingest,
                        .exchange_ns = ns->exchange,
                        .index_ns = ns->index,
                        .interest_ns = ns->interest,
                        .publish_ns = ns->publish,
                        .bytes = atomic_load_explicit(&world->mem.bytes, memory_order_relaxed)};
    for (uint32_t s = 0; s < PH_STATUS_COUNT; s++) stats->refused[s] = totals->refused[s];
    add_producers(world, stats);
    add_consumers(world, stats);
    for (uint32_t i = 0; i < world->shard_count; i++) add_shard(&world->shards[i], stats);
    for (uint32_t i = 0; i < world->def.workers; i++) {
        const phx_interest_counts *counts = &world->scratch[i].counts;
        stats->observers_glanced += counts->glanced;
        stats->observers_evaluated += counts->evaluated;
        stats->towers_visited += counts->ranges_visited;
        stats->pairs_tested += counts->pairs_tested;
        stats->pairs_exact += counts->pairs_exact;
        stats->enters += counts->enters;
        stats->leaves += counts->leaves;
        stats->list_entries += counts->enters - counts->leaves - counts->dropped;
    }
}

/* ---- hash ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return phx_mix64((hash ^ value) + 0x9e3779b97f4a7c15u);
}

static uint64_t float_bits(float f)
{
    uint32_t bits;
    float positive_zero = f + 0.0f; /* -0 and 0 are one position */
    memcpy(&bits, &positive_zero, sizeof bits);
    return bits;
}

static uint64_t hash_attr(uint64_t h, const phx_attr *a)
{
    h = mix(mix(h, a->layers), a->sees);
    h = mix(mix(mix(h, float_bits(a->view)), float_bits(a->margin)), float_bits(a->reach));
    h = mix(mix(mix(mix(h, a->cap), a->given), a->kind), a->consumer);
    return mix(h, (uint64_t)a->stealth << 24 | (uint64_t)a->detect << 16 | (uint64_t)a->priority << 8 |
                      (uint64_t)a->global << 1 | a->ready);
}

/* The sum over an observer's list. */
typedef struct list_sum {
    const phx_store *store;
    uint64_t id, sum;
} list_sum;

static bool add_to_sum(void *user, uint32_t target)
{
    list_sum *at = user;
    at->sum += mix(at->id, at->store->name[target].id);
    return true;
}

/* Sums over sets have no order: neither slots nor shards show. */
static uint64_t hash_entity(const phx_world *world, const phx_shard *shard, uint32_t slot)
{
    const phx_store *store = &shard->store;
    const phx_body *body = &store->body[slot];
    uint64_t id = store->name[slot].id;
    uint64_t h = mix(mix(mix(mix(0, id), float_bits(body->x)), float_bits(body->y)), float_bits(body->z));
    h = hash_attr(mix(h, store->name[slot].user_data), &store->attr[slot]);
    h = mix(h, phx_attach_parent(&world->attach, id));
    list_sum seen = {.store = store, .id = id};
    phx_shard_seen(shard, slot, add_to_sum, &seen);
    uint64_t sum = seen.sum;
    const phx_relation_set *set = phx_relations_of(&shard->relations, id);
    for (uint32_t i = 0; set && i < set->count; i++) {
        const phx_relation *r = &set->items[i];
        bool paired = r->bits & PHX_RELATION_PAIR;
        uint64_t radii = paired ? float_bits(r->view) << 32 | float_bits(r->margin) : 0;
        sum += mix(mix(mix(id, r->target), r->bits), radii);
    }
    return mix(h, sum);
}

uint64_t phx_query_hash(const phx_world *world)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const phx_shard *shard = &world->shards[i];
        for (uint32_t slot = 0; slot < shard->store.slots; slot++)
            if (shard->store.body[slot].state & PHX_SLOT_OWN) sum += hash_entity(world, shard, slot);
    }
    return sum;
}

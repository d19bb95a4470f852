/*
 * The bound on the events of a tick; see event_bound.h.
 */
#include "world/publish/event_bound.h"

#include "base/workers.h"
#include "shards/interest/scratch.h"
#include "shards/interest/spread_change.h"
#include "world/publish/change_counts.h"
#include "world/state/event_bound_types.h"

void phx_spread_begin(phx_world *world)
{
    enum { LEAST = 1 << 22, EACH = 64 }; /* if events_max = 0: see ph_world_def */
    phx_spread_state *spreading = &world->spreading;
    const uint64_t given = world->restoring ? UINT64_MAX : world->def.events_max; /* what is restored is no event */
    spreading->events_max = given > 0 ? given : LEAST + (uint64_t)EACH * phx_directory_count(&world->directory);
    atomic_store_explicit(&spreading->found, 0, memory_order_relaxed);
    atomic_store_explicit(&spreading->limit, UINT32_MAX, memory_order_relaxed);
    for (uint32_t i = 0; i < PHX_SPREAD_SIZES; i++)
        atomic_store_explicit(&spreading->sizes[i], 0, memory_order_relaxed);
}

/* ---- the limit ---- */

static uint32_t size_of(uint32_t enters)
{
    return enters == 0 ? 0 : 32 - (uint32_t)__builtin_clz(enters);
}

static void count_sizes(phx_spread_state *spreading, const phx_change *changes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        atomic_fetch_add_explicit(&spreading->sizes[size_of(changes[i].enter_count)], 1, memory_order_relaxed);
}

/*
 * At least the number at the tick's end. An observer of size s has 2^(s-1) enters or more. So if these alone exceed the
 * bound, with all observers cut to 2^n, the number is less than 2^n.
 */
static uint32_t limit_by_sizes(phx_spread_state *spreading)
{
    for (uint32_t n = 0; n < 32; n++) {
        uint64_t least = 0;
        for (uint32_t s = 1; s < PHX_SPREAD_SIZES; s++) {
            const uint64_t observers = atomic_load_explicit(&spreading->sizes[s], memory_order_relaxed);
            least += observers << (s - 1 < n ? s - 1 : n);
        }
        if (least > spreading->events_max) return 1u << n;
    }
    return UINT32_MAX;
}

/* Lowers the limit: the smallest of all workers' counts. */
static uint32_t lower_limit(phx_spread_state *spreading, uint32_t to)
{
    uint32_t limit = atomic_load_explicit(&spreading->limit, memory_order_relaxed);
    while (to < limit && !atomic_compare_exchange_weak_explicit(&spreading->limit, &limit, to, memory_order_relaxed,
                                                                memory_order_relaxed))
        continue;
    return to < limit ? to : limit;
}

/* ---- cuts ---- */

/* Cuts the chunk's changes by a limit; the counts of the chunk follow. false = no memory for all of them. */
static bool cut_chunk(phx_world *world, phx_chunk *chunk, uint32_t limit)
{
    phx_scratch *scratch = &world->scratch[chunk->worker];
    const phx_interest_counts before = scratch->counts;
    const uint32_t commits = scratch->commit_count;
    bool cut = true;
    for (uint32_t i = chunk->change_first; cut && i < chunk->change_first + chunk->change_count; i++)
        if (scratch->changes[i].enter_count > limit)
            cut = phx_spread_change(scratch, &world->shards[chunk->shard], &scratch->changes[i], limit);
    phx_interest_counts_add(&chunk->counts, &scratch->counts, &before);
    chunk->commit_count += scratch->commit_count - commits;
    return cut;
}

void phx_spread_chunk(phx_world *world, uint32_t index)
{
    phx_spread_state *spreading = &world->spreading;
    phx_chunk *chunk = &world->chunks[index];
    phx_scratch *scratch = &world->scratch[chunk->worker];
    const uint64_t events = chunk->counts.enters + chunk->counts.leaves;
    const uint64_t found = atomic_fetch_add_explicit(&spreading->found, events, memory_order_relaxed) + events;
    if (PHX_LIKELY(found <= spreading->events_max / 2) || events == 0) return;
    const phx_change *changes = scratch->changes + chunk->change_first;
    uint32_t most = 0;
    count_sizes(spreading, changes, chunk->change_count);
    for (uint32_t i = 0; i < chunk->change_count; i++)
        most = changes[i].enter_count > most ? changes[i].enter_count : most;
    if (found <= spreading->events_max) return;
    const uint32_t limit = lower_limit(spreading, limit_by_sizes(spreading));
    if (most <= limit) return;
    /* a change without memory for its cut stays as it is: the stage behind the phase cuts it */
    (void)cut_chunk(world, chunk, limit);
    phx_interest_tighten(scratch, (phx_scratch_mark){chunk->change_first, chunk->target_first, chunk->overflow_first});
}

/* ---- behind the phase ---- */

/* The sum of enters if no observer has more than `most`. */
static uint64_t enters_within(const phx_world *world, uint32_t most)
{
    uint64_t sum = 0;
    for (uint32_t w = 0; w < world->worker_count; w++) {
        const phx_scratch *scratch = &world->scratch[w];
        for (uint32_t i = 0; i < scratch->change_count; i++)
            sum += scratch->changes[i].enter_count < most ? scratch->changes[i].enter_count : most;
    }
    return sum;
}

/* The largest number of enters that each observer may have; at least 1. */
static uint32_t number_of_enters(const phx_world *world, uint64_t room)
{
    uint32_t low = 1, high = atomic_load_explicit(&world->spreading.limit, memory_order_relaxed);
    while (low < high) {
        const uint32_t middle = high - (high - low) / 2;
        if (enters_within(world, middle) <= room) low = middle;
        else high = middle - 1;
    }
    return low;
}

/* A piece is a worker's scratch: the changes in it are cut by one worker. */
static void cut_body(void *context, uint32_t worker, uint32_t piece)
{
    phx_world *world = context;
    const uint32_t limit = atomic_load_explicit(&world->spreading.limit, memory_order_relaxed);
    (void)worker;
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        phx_chunk *chunk = &world->chunks[i];
        if (chunk->done == 0 || chunk->worker != piece || chunk->change_count == 0) continue;
        if (!cut_chunk(world, chunk, limit)) atomic_store_explicit(&world->step_failed, 1, memory_order_relaxed);
        phx_publish_count(world, i);
    }
}

bool phx_spread_tick(phx_world *world)
{
    phx_spread_state *spreading = &world->spreading;
    uint64_t leaves = 0;
    if (PHX_LIKELY(atomic_load_explicit(&spreading->found, memory_order_relaxed) <= spreading->events_max)) return true;
    for (uint32_t i = 0; i < world->chunk_count; i++) leaves += world->chunks[i].counts.leaves;
    const uint64_t room = leaves < spreading->events_max ? spreading->events_max - leaves : 0;
    atomic_store_explicit(&spreading->limit, number_of_enters(world, room), memory_order_relaxed);
    atomic_store_explicit(&world->step_failed, 0, memory_order_relaxed);
    phx_parallel_for(world->workers, world->worker_count, cut_body, world);
    if (atomic_load_explicit(&world->step_failed, memory_order_relaxed) != 0) return false;
    world->totals.ticks_spread++;
    return true;
}

/*
 * Batches and statistics of a world in the bench's own terms; see batches.h.
 */
#include "bench/engines/batches.h"

#include "base/core.h"

/* For each observer the messages that it gets, and where their payload begins. */
static void walk_broadcasts(const ph_batch *batch, bench_walked *walked)
{
    for (uint32_t i = 0; i < batch->delivery_count; i++) {
        const ph_delivery *delivery = &batch->deliveries[i];
        uint64_t sum = delivery->observer;
        for (uint32_t h = delivery->first; h < delivery->first + delivery->count; h++) {
            const ph_message *message = &batch->messages[batch->heard[h]];
            sum += message->source + message->bytes + batch->payload[message->first];
        }
        walked->id_sum += sum;
        walked->heard += delivery->count;
    }
}

void bench_batch_walk(const ph_batch *batch, bench_walked *walked)
{
    for (uint32_t c = 0; c < batch->change_count; c++) {
        const ph_change *change = &batch->changes[c];
        uint32_t count = change->leave_count + change->enter_count;
        walked->id_sum += change->observer + bench_look_at(&batch->targets[change->first], count);
        walked->leaves += change->leave_count;
        walked->enters += change->enter_count;
    }
    walk_broadcasts(batch, walked);
}

void bench_batch_records(const ph_batch *batch, bench_record_fn record, void *context)
{
    for (uint32_t c = 0; c < batch->change_count; c++) {
        const ph_change *change = &batch->changes[c];
        uint32_t enter_first = change->first + change->leave_count;
        PHX_ASSERT(enter_first + change->enter_count <= batch->target_count);
        bench_record sent = {
            .observer = change->observer,
            .leaves = &batch->targets[change->first],
            .enters = &batch->targets[enter_first],
            .leave_kinds = &batch->kinds[change->first],
            .enter_kinds = &batch->kinds[enter_first],
            .leave_count = change->leave_count,
            .enter_count = change->enter_count,
            .fresh = (change->flags & PH_CHANGE_FRESH) != 0,
        };
        record(context, &sent);
    }
}

void bench_batch_heard(const ph_batch *batch, bench_heard_fn heard, void *context)
{
    for (uint32_t d = 0; d < batch->delivery_count; d++) {
        const ph_delivery *delivery = &batch->deliveries[d];
        for (uint32_t h = delivery->first; h < delivery->first + delivery->count; h++) {
            const ph_message *message = &batch->messages[batch->heard[h]];
            heard(context, delivery->observer, message->source, message->bytes);
        }
    }
}

void bench_stats_add_world(bench_stats *stats, const ph_stats *world)
{
    const uint64_t phase_ns[BENCH_PHASES] = {world->ingest_ns, world->exchange_ns, world->index_ns, world->interest_ns,
                                             world->publish_ns};
    for (uint32_t i = 0; i < BENCH_PHASES; i++) {
        stats->phase_ns[i] += phase_ns[i];
    }
    stats->bytes += world->bytes;
    stats->entities += world->entities;
    stats->observers += world->observers;
    stats->list_entries += world->list_entries;
    stats->coalesced += world->coalesced_ticks;
    stats->migrations += world->migrations;
    stats->halo_records += world->halo_records;
    stats->observers_glanced += world->observers_glanced;
    stats->observers_evaluated += world->observers_evaluated;
    stats->towers_visited += world->towers_visited;
    stats->pairs_tested += world->pairs_tested;
    stats->pairs_exact += world->pairs_exact;
    stats->index_steps += world->index_steps;
    stats->deliveries += world->deliveries;
    for (uint32_t i = 0; i < PH_STATUS_COUNT; i++) {
        stats->refused += i == PH_FULL ? 0 : world->refused[i]; /* PH_FULL: submitted again, nothing lost */
    }
}

void bench_stats_add_walked(bench_stats *stats, const bench_walked *walked)
{
    stats->enters += walked->enters;
    stats->leaves += walked->leaves;
    stats->heard += walked->heard;
}

/*
 * Merges batches; see merged_batch.h.
 */
#include "support/merged_batch.h"

#include <string.h>

#include "support/check.h"

/* X(array, count): all arrays of a batch with their counts. */
#define MERGED_ARRAYS(X) \
    X(changes, change_count) \
    X(targets, target_count) \
    X(messages, message_count) \
    X(payload, payload_bytes) \
    X(deliveries, delivery_count) \
    X(heard, heard_count) \
    X(activations, activation_count) \
    X(crossings, crossing_count) \
    X(updates, update_count) \
    X(due, due_count) \
    X(moved, moved_count)

static void add_changes(merged_batch *m, const ph_batch *from)
{
    const uint32_t first = (uint32_t)m->targets.count;
    for (uint32_t i = 0; i < from->change_count; i++) {
        ph_change change = from->changes[i];
        change.first += first;
        VEC_PUSH(&m->changes, change);
    }
    for (uint32_t i = 0; i < from->target_count; i++) {
        VEC_PUSH(&m->targets, from->targets[i]);
        VEC_PUSH(&m->kinds, from->kinds[i]);
        VEC_PUSH(&m->causes, from->causes[i]);
        if (from->positions) VEC_PUSH(&m->positions, from->positions[i]);
    }
}

static void add_broadcasts(merged_batch *m, const ph_batch *from)
{
    const uint32_t message = (uint32_t)m->messages.count, heard = (uint32_t)m->heard.count;
    while (m->payload.count % 8 != 0) VEC_PUSH(&m->payload, 0);
    const uint64_t payload = m->payload.count;
    for (uint64_t i = 0; i < from->payload_bytes; i++) VEC_PUSH(&m->payload, from->payload[i]);
    for (uint32_t i = 0; i < from->message_count; i++) {
        ph_message one = from->messages[i];
        one.first += payload;
        VEC_PUSH(&m->messages, one);
    }
    for (uint32_t i = 0; i < from->heard_count; i++) VEC_PUSH(&m->heard, from->heard[i] + message);
    for (uint32_t i = 0; i < from->delivery_count; i++) {
        ph_delivery delivery = from->deliveries[i];
        delivery.first += heard;
        VEC_PUSH(&m->deliveries, delivery);
    }
}

static void add_updates(merged_batch *m, const ph_batch *from)
{
    const uint32_t due = (uint32_t)m->due.count, moved = (uint32_t)m->moved.count;
    for (uint32_t i = 0; i < from->moved_count; i++) VEC_PUSH(&m->moved, from->moved[i]);
    for (uint32_t i = 0; i < from->due_count; i++) VEC_PUSH(&m->due, from->due[i] + moved);
    for (uint32_t i = 0; i < from->due_count; i++) VEC_PUSH(&m->bands, from->bands[i]);
    for (uint32_t i = 0; i < from->update_count; i++) {
        ph_update update = from->updates[i];
        update.first += due;
        VEC_PUSH(&m->updates, update);
    }
}

/* Edges that are off stand before edges that are on. */
static void add_edges(merged_batch *m, const ph_batch *const both[2], uint32_t on, merged_edge_fn told, void *user)
{
    for (uint32_t b = 0; b < 2; b++) {
        const ph_batch *from = both[b];
        for (uint32_t i = 0; from && i < from->activation_count; i++)
            if (from->activations[i].on == on && told(user, b, &from->activations[i]))
                VEC_PUSH(&m->activations, from->activations[i]);
        for (uint32_t i = 0; from && i < from->crossing_count; i++)
            if (from->crossings[i].on == on && told(user, b, &from->crossings[i]))
                VEC_PUSH(&m->crossings, from->crossings[i]);
    }
}

static void clear(merged_batch *m)
{
#define MERGED_CLEAR(array, number) m->array.count = 0;
    MERGED_ARRAYS(MERGED_CLEAR)
    m->kinds.count = m->causes.count = m->positions.count = m->bands.count = 0;
}

const ph_batch *merged_batch_of(merged_batch *merged, const ph_batch *const both[2], merged_edge_fn told, void *user)
{
    clear(merged);
    merged->batch = both[0] ? *both[0] : *both[1];
    for (uint32_t b = 0; b < 2; b++) {
        if (!both[b]) continue;
        add_changes(merged, both[b]);
        add_broadcasts(merged, both[b]);
        add_updates(merged, both[b]);
        if (b > 0 && both[0]) merged->batch.dropped += both[b]->dropped;
    }
    for (uint32_t on = 0; on < 2; on++) add_edges(merged, both, on, told, user);
#define MERGED_SHOW(array, number) \
    merged->batch.array = merged->array.items; \
    merged->batch.number = (uint32_t)merged->array.count;
    MERGED_ARRAYS(MERGED_SHOW)
    merged->batch.kinds = merged->kinds.items;
    merged->batch.causes = merged->causes.items;
    merged->batch.bands = merged->bands.items;
    merged->batch.positions = merged->positions.count > 0 ? merged->positions.items : NULL;
    return &merged->batch;
}

void merged_batch_free(merged_batch *merged)
{
#define MERGED_FREE(array, number) VEC_FREE(&merged->array);
    MERGED_ARRAYS(MERGED_FREE)
    VEC_FREE(&merged->kinds);
    VEC_FREE(&merged->causes);
    VEC_FREE(&merged->positions);
    VEC_FREE(&merged->bands);
}

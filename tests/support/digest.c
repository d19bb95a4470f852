/*
 * A batch as one number; see digest.h. The order of one change's targets and of one observer's broadcasts is the
 * library's promise, and counts.
 */
#include "support/digest.h"

#include <string.h>

#include "base/rng.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return phx_mix64((hash ^ value) + 0x9e3779b97f4a7c15u);
}

static uint64_t float_word(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static uint64_t digest_change(const ph_batch *batch, const ph_change *change)
{
    uint64_t h = mix(mix(mix(1, change->observer), change->user_data), change->flags);
    h = mix(h, (uint64_t)change->leave_count << 32 | change->enter_count);
    for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++) {
        const ph_target *target = &batch->targets[change->first + i];
        h = mix(mix(mix(h, target->id), target->user_data), batch->kinds[change->first + i]);
        h = mix(h, batch->causes[change->first + i]);
        const ph_position *at = batch->positions ? &batch->positions[change->first + i] : &(ph_position){0};
        h = mix(mix(mix(h, float_word(at->x)), float_word(at->y)), float_word(at->z));
    }
    return h;
}

static uint64_t digest_message(const ph_batch *batch, const ph_message *message)
{
    uint64_t h = mix(mix(mix(mix(2, message->source), message->user_data), message->tick), message->bytes);
    for (uint32_t i = 0; i < message->bytes; i++) {
        h = mix(h, batch->payload[message->first + i]);
    }
    return h;
}

static uint64_t digest_delivery(const ph_batch *batch, const ph_delivery *delivery)
{
    uint64_t h = mix(mix(mix(3, delivery->observer), delivery->user_data), delivery->count);
    for (uint32_t i = 0; i < delivery->count; i++) {
        h = mix(h, digest_message(batch, &batch->messages[batch->heard[delivery->first + i]]));
    }
    return h;
}

static uint64_t digest_update(const ph_batch *batch, const ph_update *update)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < update->count; i++) {
        const ph_moved *m = &batch->moved[batch->due[update->first + i]];
        uint64_t h = mix(mix(mix(4, m->id), m->user_data), float_word(m->x));
        sum += mix(mix(mix(h, float_word(m->y)), float_word(m->z)), batch->bands[update->first + i]);
    }
    return mix(mix(mix(mix(5, update->observer), update->user_data), update->count), sum);
}

static uint64_t digest_edges(uint64_t salt, const ph_edge *edges, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t h = mix(mix(mix(salt, edges[i].id), edges[i].user_data), edges[i].area);
        sum += mix(mix(h, edges[i].incarnation), edges[i].on);
    }
    return sum;
}

uint64_t digest_batch(const ph_batch *batch)
{
    uint64_t sum = digest_edges(6, batch->activations, batch->activation_count) +
                   digest_edges(7, batch->crossings, batch->crossing_count);
    for (uint32_t i = 0; i < batch->change_count; i++) {
        sum += digest_change(batch, &batch->changes[i]);
    }
    for (uint32_t i = 0; i < batch->delivery_count; i++) {
        sum += digest_delivery(batch, &batch->deliveries[i]);
    }
    for (uint32_t i = 0; i < batch->update_count; i++) {
        sum += digest_update(batch, &batch->updates[i]);
    }
    return mix(mix(mix(sum, batch->tick_first), batch->tick), batch->dropped);
}

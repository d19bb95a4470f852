/*
 * The broadcasts in batches against the expected ones:
 * every payload to the byte, once, to each recipient, in order; of all
 * ticks of a batch, except to observers that left or were not ready in between. Where some
 * were dropped behind consumer_bytes: all of the last ticks, none of the others, and the
 * right number of dropped ones.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/run_parts.h"

/* One expected message of one observer. */
typedef struct expected {
    uint64_t observer;
    uint64_t user_data; /* the observer's at the end of the last tick */
    uint64_t tick;
    const model_message *message;
} expected;

typedef VEC(expected) expected_list;

/* Is the observer of that tick in the world, ready and with the same consumer in all the others up to `last`? */
static bool stays(const history *h, model_key observer, uint64_t tick, uint64_t last)
{
    const history_entity *then = history_entity_at(h, tick, observer);
    while (++tick <= last) {
        const history_entity *o = history_entity_at(h, tick, observer);
        if (o == NULL || !o->settled || o->handed || o->consumer != then->consumer) {
            return false;
        }
    }
    return true;
}

/* All expected messages of the consumer for these ticks, in their order. */
static void expect_all(const history *h, uint32_t consumer, uint64_t first, uint64_t last, expected_list *list)
{
    for (uint64_t tick = first; tick <= last; tick++) {
        const history_tick *t = &h->ticks.items[tick];
        for (size_t i = 0; i < t->heard.count; i++) {
            const model_heard *heard = &t->heard.items[i];
            if (heard->consumer != consumer || !stays(h, heard->observer, tick, last)) {
                continue;
            }
            for (size_t j = 0; j < heard->messages.count; j++) {
                const model_message *message = &t->messages.items[heard->messages.items[j]];
                expected e = {.observer = heard->observer.id, .tick = tick, .message = message};
                e.user_data = history_entity_at(h, last, heard->observer)->user_data;
                VEC_PUSH(list, e);
            }
        }
    }
}

static bool same_message(const ph_batch *batch, uint32_t number, const expected *e)
{
    uint8_t payload[PH_PAYLOAD_MAX];
    const ph_message *got = &batch->messages[number];
    if (got->source != e->message->source || got->user_data != e->message->user_data || got->tick != e->tick ||
        got->bytes != e->message->say.bytes || got->first % 8 != 0 || got->first + got->bytes > batch->payload_bytes) {
        return false;
    }
    command_payload(&e->message->say, payload);
    return got->bytes == 0 || memcmp(batch->payload + got->first, payload, got->bytes) == 0;
}

/* The messages of one observer, out of all. */
static bool same_delivery(run *r, const ph_batch *batch, const ph_delivery *got, const expected_list *list,
                          size_t *matched)
{
    uint32_t count = 0;
    uint64_t user_data = 0;
    for (size_t i = 0; i < list->count; i++) {
        const expected *e = &list->items[i];
        if (e->observer != got->observer) {
            continue;
        }
        if (count >= got->count || !same_message(batch, batch->heard[got->first + count], e)) {
            return run_fail(r,
                            "observer %" PRIu64 ": its broadcast %" PRIu32 " of %" PRIu32 " is not that of %" PRIu64
                            " in tick %" PRIu64 " with %" PRIu32 " bytes",
                            got->observer, count, got->count, e->message->source, e->tick, e->message->say.bytes);
        }
        user_data = e->user_data; /* the last one's */
        count++;
    }
    *matched += count;
    return (count == got->count && user_data == got->user_data) ||
           run_fail(r,
                    "observer %" PRIu64 " user_data %" PRIu64 ": %" PRIu32 " broadcasts, expected %" PRIu32
                    " and %" PRIu64,
                    got->observer, got->user_data, got->count, count, user_data);
}

/* How many of them are of this tick and later ones; they stand by tick. */
static size_t count_from(const expected_list *list, uint64_t tick)
{
    size_t before = 0;
    while (before < list->count && list->items[before].tick < tick) {
        before++;
    }
    return list->count - before;
}

/* Broadcasts x observers of the consumer in these ticks, whatever became of the observers. */
static uint64_t heard_in(const history *h, uint32_t consumer, uint64_t first, uint64_t end)
{
    uint64_t heard = 0;
    for (uint64_t tick = first; tick < end; tick++) {
        const history_tick *t = &h->ticks.items[tick];
        for (size_t i = 0; i < t->heard.count; i++) {
            heard += t->heard.items[i].consumer == consumer ? t->heard.items[i].messages.count : 0;
        }
    }
    return heard;
}

/*
 * Takes dropped messages off the list: the oldest ticks'. Their number is at least that of the messages that
 * would still be delivered; some may have been dropped before their observer left.
 */
static bool take_dropped(run *r, uint32_t consumer, const ph_batch *batch, uint64_t first, expected_list *list)
{
    uint64_t kept = batch->tick + 1; /* the first tick with broadcasts that were not dropped */
    while (kept > first && count_from(list, kept) < batch->heard_count) {
        kept--;
    }
    size_t dropped = list->count - count_from(list, kept);
    if (batch->dropped < dropped || batch->dropped > heard_in(&r->past, consumer, first, kept)) {
        return run_fail(
            r, "batch of ticks %" PRIu64 "..%" PRIu64 ": %" PRIu64 " broadcasts dropped, expected %zu to %" PRIu64,
            first, batch->tick, batch->dropped, dropped, heard_in(&r->past, consumer, first, kept));
    }
    for (; dropped > 0; dropped--) {
        VEC_REMOVE(list, 0);
    }
    return true;
}

static bool compare_broadcasts(run *r, uint32_t consumer, const ph_batch *batch, uint64_t first)
{
    expected_list list = {0};
    size_t matched = 0;
    expect_all(&r->past, consumer, first, batch->tick, &list);
    bool same = batch->dropped == 0 || take_dropped(r, consumer, batch, first, &list);
    for (uint32_t i = 0; same && i < batch->delivery_count; i++) {
        same = same_delivery(r, batch, &batch->deliveries[i], &list, &matched);
    }
    if (same && matched != list.count) {
        same = run_fail(r, "ticks %" PRIu64 "..%" PRIu64 ": %zu broadcasts to observers, expected %zu", first,
                        batch->tick, matched, list.count);
    }
    VEC_FREE(&list);
    return same;
}

/* The rules of all deliveries, whatever source and payload. */
static bool check_shape(run *r, const ph_batch *batch)
{
    uint64_t heard = 0;
    uint8_t *used = check_zalloc(batch->message_count + 1u);
    bool good = batch->dropped == 0 || batch->tick_first < batch->tick;
    for (uint32_t i = 0; i < batch->delivery_count && good; i++) {
        const ph_delivery *d = &batch->deliveries[i];
        good = d->count != 0 && (uint64_t)d->first + d->count <= batch->heard_count;
        for (uint32_t j = 0; j < d->count && good; j++) {
            uint32_t number = batch->heard[d->first + j];
            good = number < batch->message_count && (j == 0 || number > batch->heard[d->first + j - 1]);
            used[good ? number : 0] = 1;
        }
        heard += d->count;
    }
    good = good && heard == batch->heard_count;
    for (uint32_t i = 0; i < batch->message_count && good; i++) {
        good = batch->messages[i].tick >= batch->tick_first && batch->messages[i].tick <= batch->tick &&
               (i == 0 || batch->messages[i].tick >= batch->messages[i - 1].tick) &&
               (used[i] != 0 || batch->tick_first < batch->tick);
    }
    free(used);
    return good || run_fail(r, "batch of tick %" PRIu64 ": its mail is in disorder", batch->tick);
}

/* Payloads, recipients and their order: the same for every layout. */
static void hash_broadcasts(run *r, const ph_batch *batch)
{
    for (uint32_t i = 0; i < batch->delivery_count; i++) {
        const ph_delivery *d = &batch->deliveries[i];
        uint64_t hash = phx_mix64(d->observer ^ batch->tick << 40);
        for (uint32_t j = 0; j < d->count; j++) {
            const ph_message *m = &batch->messages[batch->heard[d->first + j]];
            hash = phx_mix64(hash + phx_mix64(m->source + m->bytes));
            for (uint32_t k = 0; k < m->bytes; k += 16) {
                hash = phx_mix64(hash + batch->payload[m->first + k]);
            }
        }
        r->result->event_hash += hash;
        r->result->heard += d->count;
    }
}

bool run_check_broadcasts(run *r, uint32_t consumer, const ph_batch *batch)
{
    const run_consumer *c = &r->consumers[consumer];
    if (!check_shape(r, batch)) {
        return false;
    }
    hash_broadcasts(r, batch);
    r->result->dropped += batch->dropped;
    return r->m == NULL || compare_broadcasts(r, consumer, batch, c->last_tick + 1);
}

size_t run_broadcasts_waiting(run *r, uint32_t consumer, uint64_t *heard)
{
    expected_list list = {0};
    uint64_t first = r->consumers[consumer].last_tick + 1;
    expect_all(&r->past, consumer, first, r->tick, &list);
    size_t waiting = list.count;
    VEC_FREE(&list);
    *heard = heard_in(&r->past, consumer, first, r->tick + 1);
    return waiting;
}

bool run_broadcasts_missing(run *r, uint32_t consumer)
{
    uint64_t heard;
    size_t missing = run_broadcasts_waiting(r, consumer, &heard);
    return missing == 0 ||
           run_fail(r, "consumer %" PRIu32 " was told up to tick %" PRIu64 "; %zu broadcasts are missing", consumer,
                    r->consumers[consumer].last_tick, missing);
}

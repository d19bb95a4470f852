/*
 * The counters of a world: per shard they count its entities and add up to the
 * world's. Counters of the last tick equal the difference over it. Times are there and not longer than
 * the tick. High-water marks equal the queued amounts. As text for Prometheus
 * they are well formed by its rules, read by a parser that knows nothing of the library,
 * with the numbers of the structs, in every locale and any size of buffer.
 */
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/exposition.h"

enum {
    SHARDS_AXIS = 3,
    SHARDS = SHARDS_AXIS * SHARDS_AXIS,
    ENTITIES = 400,
    TICKS = 40,
    SIDE = 1000,
    TOWER = 50,
    TEXT_BYTES = 1 << 17
};

typedef struct host {
    ph_class kind;
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    uint64_t tick, rng;
    uint32_t shards_axis, workers;
    ph_position at[ENTITIES + 1]; /* by id */
    char text[TEXT_BYTES];
    size_t length;
} host;

static void host_begin(host *h, uint32_t shards_axis, uint32_t workers, uint32_t bands)
{
    ph_world_def def = ph_world_def_default();
    memset(h, 0, sizeof *h);
    h->shards_axis = shards_axis;
    h->workers = workers;
    h->kind = ph_class_default("default");
    h->kind.view = 60;
    h->kind.band_count = bands;
    h->kind.bands[0] = (ph_band){30, 2};
    def.classes = &h->kind;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = SIDE;
    def.tower_size = TOWER;
    def.shards[0] = def.shards[1] = shards_axis;
    def.workers = workers;
    def.share_min = 0;
    def.consumer_batches = 4;
    REQUIRE(ph_world_create(&def, &h->world) == PH_OK && ph_producer_open(h->world, &h->producer) == PH_OK);
    REQUIRE(ph_consumer_open(h->world, 0, &h->consumer) == PH_OK);
    h->rng = 7;
}

static ph_position somewhere(host *h)
{
    float x = (float)phx_rng_below(&h->rng, SIDE);
    return (ph_position){x, (float)phx_rng_below(&h->rng, SIDE), 0};
}

static void commands(host *h)
{
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        ph_position at = somewhere(h);
        const ph_attrs a = {.given = PH_X | PH_Y, .x = at.x, .y = at.y};
        if (h->tick == 0) CHECK_OK(ph_enter(h->producer, id, &a));
        else if (id % 4 == h->tick % 4) CHECK_OK(ph_move(h->producer, id, at.x, at.y, at.z));
        else continue;
        h->at[id] = at;
    }
    if (h->tick >= 3) h->at[1] = h->at[2];                 /* it is attached, and its own moves are refused */
    CHECK_OK(ph_move(h->producer, ENTITIES + 1, 0, 0, 0)); /* refused in the tick, in no shard */
    if (h->tick > 0) CHECK_OK(ph_detach(h->producer, 5));  /* refused in the tick, where 5 is */
    if (h->tick > 0) CHECK_OK(ph_broadcast(h->producer, 1 + h->tick, "hello", 5, NULL));
    CHECK_STATUS(ph_leave(h->producer, 0), PH_BAD_ID);
    if (h->tick == 3) CHECK_OK(ph_attach(h->producer, 1, 2));
}

/* In some ticks all commands are applied before it, in others none; the counters of the tick have both. */
static void apply_some(host *h)
{
    ph_stats before, after;
    CHECK_OK(ph_world_stats(h->world, &before));
    if (h->tick % 3 == 2) CHECK_OK(ph_apply(h->world));
    CHECK_OK(ph_world_stats(h->world, &after));
    const uint64_t applied = h->tick % 3 == 2;
    CHECK(after.applies == before.applies + applied && after.ticks == before.ticks && h->tick == after.ticks,
          "%" PRIu64 " applies, %" PRIu64 " ticks", after.applies, after.ticks);
    CHECK(applied == (after.queued == 0), "%" PRIu64 " commands are queued", after.queued);
    CHECK(after.commands == after.applied + after.refused_in_tick + after.queued, "commands are lost");
}

static void drain(host *h)
{
    const ph_batch *batch;
    while (ph_batch_take(h->consumer, &batch) == PH_OK) CHECK_OK(ph_batch_return(h->consumer, batch));
}

static ph_stats stats_of(const host *h)
{
    ph_stats stats;
    CHECK_OK(ph_world_stats(h->world, &stats));
    return stats;
}

/* ---- numbers ---- */

static void check_last(const host *h, const ph_stats *a, const ph_stats *b)
{
#define SAME(last, total) \
    CHECK(b->last == b->total - a->total, "tick %" PRIu64 ": " #last " %" PRIu64 ", but %" PRIu64 "..%" PRIu64, \
          h->tick, b->last, a->total, b->total)
    SAME(last_applied, applied);
    SAME(last_refused, refused_in_tick);
    SAME(last_enters, enters);
    SAME(last_leaves, leaves);
    SAME(last_deliveries, deliveries);
    SAME(last_updates, updates);
    SAME(last_batch_bytes, batch_bytes);
    SAME(last_payload_bytes, payload_bytes);
    SAME(last_migrations, migrations);
    SAME(last_halo_records, halo_records);
    SAME(last_pairs_tested, pairs_tested);
    SAME(tick_ns, tick_ns_sum);
    SAME(ingest_ns, ingest_ns_sum);
    SAME(publish_ns, publish_ns_sum);
#undef SAME
    CHECK(b->tick_ns_max >= b->tick_ns && b->tick_ns_max >= a->tick_ns_max, "the longest tick");
    uint64_t refused = 0;
    for (int s = 0; s < PH_STATUS_COUNT; s++) refused += b->last_refused_by[s];
    CHECK(refused == b->last_refused, "%" PRIu64 " refused by reason, %" PRIu64, refused, b->last_refused);
    CHECK(b->last_refused_by[PH_UNKNOWN_ID] == 1 && b->last_refused_by[PH_BAD_ID] == 0, "that of the tick");
}

/* The shard that an entity is in, by the towers of the shards. */
static uint32_t shard_of(const host *h, uint64_t id)
{
    const uint32_t towers = SIDE / TOWER, x = (uint32_t)h->at[id].x / TOWER, y = (uint32_t)h->at[id].y / TOWER;
    uint32_t column = 0, row = 0;
    while ((column + 1) * towers / h->shards_axis <= x) column++;
    while ((row + 1) * towers / h->shards_axis <= y) row++;
    return row * h->shards_axis + column;
}

/* Entities and list entries, one by one. */
static void check_each(const host *h, const ph_shard_stats *each)
{
    uint64_t entities[SHARDS] = {0}, entries[SHARDS] = {0};
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        uint32_t count = 0;
        CHECK_OK(ph_list(h->world, id, NULL, 0, &count));
        entities[shard_of(h, id)]++;
        entries[shard_of(h, id)] += count;
    }
    for (uint32_t s = 0; s < h->shards_axis * h->shards_axis; s++) {
        CHECK(each[s].entities == entities[s] && each[s].list_entries == entries[s],
              "shard %u has %" PRIu64 " entities, %" PRIu64 " entries, not %" PRIu64 ", %" PRIu64, s, each[s].entities,
              each[s].list_entries, entities[s], entries[s]);
        CHECK(each[s].touched > 0, "an entity has moved in shard %u", s);
        CHECK(each[s].bytes > each[s].entities * sizeof(ph_attrs) / 2, "shard %u holds %" PRIu64 " bytes", s,
              each[s].bytes);
    }
}

/* Workers' time is within the phases, and all there where nothing else is. */
static void check_times(const host *h, const ph_stats *world, const ph_shard_stats *sum)
{
#define WITHIN(field) \
    CHECK(sum->field <= world->field * h->workers, #field ": %" PRIu64 " of %u workers' %" PRIu64, sum->field, \
          h->workers, world->field)
    WITHIN(ingest_ns);
    WITHIN(exchange_ns);
    WITHIN(index_ns);
    WITHIN(interest_ns);
    WITHIN(publish_ns);
    WITHIN(ingest_ns_sum);
    WITHIN(exchange_ns_sum);
    WITHIN(index_ns_sum);
    WITHIN(interest_ns_sum);
    WITHIN(publish_ns_sum);
#undef WITHIN
    CHECK(sum->index_ns > 0 && sum->interest_ns > 0 && sum->publish_ns > 0, "the last tick took some time");
    CHECK(sum->index_ns_sum > sum->index_ns && sum->publish_ns_sum > sum->publish_ns, "and others before it");
    CHECK((sum->exchange_ns > 0) == (h->shards_axis > 1), "a single shard has no exchange");
    CHECK(sum->ingest_ns == 0, "commands are not cut by shard");
}

static void check_shards(const host *h, const ph_stats *world, uint32_t shards)
{
    ph_shard_stats each[SHARDS + 1], sum = {0};
    uint32_t count = 0;
    CHECK_OK(ph_world_shard_stats(h->world, NULL, 0, &count));
    CHECK(count == shards, "%u shards", count);
    memset(each, 0xee, sizeof each);
    CHECK_OK(ph_world_shard_stats(h->world, each, shards - 1, &count));
    CHECK(each[shards - 1].entities == 0xeeeeeeeeeeeeeeee, "no more than there is room for");
    CHECK_OK(ph_world_shard_stats(h->world, each, SHARDS + 1, &count));
    for (uint32_t i = 0; i < count; i++) {
        for (size_t f = 0; f < sizeof sum / sizeof(uint64_t); f++)
            ((uint64_t *)(void *)&sum)[f] += ((const uint64_t *)(const void *)&each[i])[f];
        CHECK(each[i].outbox_bytes_max == 0 || shards > 1, "a single shard sends no records");
    }
#define SAME(field) \
    CHECK(sum.field == world->field, #field ": %" PRIu64 " in all shards, %" PRIu64, sum.field, world->field)
    SAME(entities);
    SAME(observers);
    SAME(ghosts);
    SAME(list_entries);
    SAME(enters);
    SAME(leaves);
    SAME(updates);
    SAME(observers_glanced);
    SAME(observers_evaluated);
    SAME(towers_visited);
    SAME(pairs_tested);
    SAME(pairs_exact);
    SAME(migrations);
    SAME(halo_records);
    SAME(deferred_adds);
#undef SAME
    CHECK(sum.bytes > 0 && sum.bytes < world->bytes, "%" PRIu64 " bytes of %" PRIu64, sum.bytes, world->bytes);
    CHECK(each[shard_of(h, 5)].refused[PH_ABSENT] > 0, "the refusals of a shard");
    for (int s = 0; s < PH_STATUS_COUNT; s++) {
        bool placeless = s == PH_UNKNOWN_ID || s == PH_BAD_ID; /* not in the world, or refused at submit */
        CHECK(sum.refused[s] == (placeless ? 0 : world->refused[s]), "%s: %" PRIu64 " in all shards, %" PRIu64,
              ph_status_name((ph_status)s), sum.refused[s], world->refused[s]);
    }
    check_each(h, each);
    check_times(h, world, &sum);
    CHECK(shards == 1 || (sum.migrations > 0 && sum.ghosts > 0 && sum.outbox_bytes_max > 0), "there is an exchange");
}

/* ---- text ---- */

static void check_value(const exposition *p, const char *sample, double expected)
{
    double value = exposition_value(p, sample);
    CHECK(value > expected - 1e-9 && value < expected + 1e-9, "%s is %.9f, not %.9f", sample, value, expected);
}

static void check_text(host *h, const ph_stats *stats, uint32_t shards)
{
    static exposition p;
    ph_shard_stats last[SHARDS];
    uint32_t count;
    char sample[EXPOSITION_NAME_BYTES];
    CHECK_OK(ph_stats_prometheus(h->world, h->text, sizeof h->text, &h->length));
    CHECK(h->length == strlen(h->text), "%zu bytes", h->length);
    exposition_parse(&p, h->text);
    check_value(&p, "pharos_ticks_total", (double)stats->ticks);
    check_value(&p, "pharos_entities", (double)stats->entities);
    check_value(&p, "pharos_enters_total", (double)stats->enters);
    check_value(&p, "pharos_last_tick_leaves", (double)stats->last_leaves);
    check_value(&p, "pharos_memory_bytes", (double)stats->bytes);
    check_value(&p, "pharos_last_phase_seconds{phase=\"interest\"}", (double)stats->interest_ns * 1e-9);
    check_value(&p, "pharos_phase_seconds_total{phase=\"ingest\"}", (double)stats->ingest_ns_sum * 1e-9);
    check_value(&p, "pharos_commands_refused_total{reason=\"PH_UNKNOWN_ID\"}", (double)stats->refused[PH_UNKNOWN_ID]);
    check_value(&p, "pharos_commands_refused_total{reason=\"PH_BAD_ID\"}", (double)stats->refused[PH_BAD_ID]);
    CHECK_OK(ph_world_shard_stats(h->world, last, SHARDS, &count));
    for (uint32_t i = 0; i < shards; i++) {
        snprintf(sample, sizeof sample, "pharos_shard_entities{shard=\"%u\"}", i);
        check_value(&p, sample, (double)last[i].entities);
        snprintf(sample, sizeof sample, "pharos_shard_pairs_tested_total{shard=\"%u\"}", i);
        check_value(&p, sample, (double)last[i].pairs_tested);
        snprintf(sample, sizeof sample, "pharos_shard_last_phase_seconds{shard=\"%u\",phase=\"interest\"}", i);
        check_value(&p, sample, (double)last[i].interest_ns * 1e-9);
        snprintf(sample, sizeof sample, "pharos_shard_commands_refused_total{shard=\"%u\",reason=\"PH_ABSENT\"}", i);
        check_value(&p, sample, (double)last[i].refused[PH_ABSENT]);
    }
    CHECK(p.sample_count > 80 && p.metric_count > 60, "%u samples of %u metrics", p.sample_count, p.metric_count);
}

/* A buffer of any size gets the beginning, and never a byte more. */
static void check_sizes(host *h)
{
    static char part[TEXT_BYTES];
    CHECK_OK(ph_stats_prometheus(h->world, h->text, sizeof h->text, &h->length));
    for (size_t size = 0; size <= h->length + 2; size += size < 200 ? 1 : 997) {
        size_t length = 0, fits = size <= h->length ? size - (size > 0) : h->length;
        memset(part, '#', sizeof part);
        CHECK_OK(ph_stats_prometheus(h->world, size > 0 ? part : NULL, size, &length));
        CHECK(length == h->length, "the length does not depend on the buffer");
        CHECK(memcmp(part, h->text, fits) == 0 && (size == 0 || part[fits] == '\0') && part[size] == '#',
              "a buffer of %zu bytes", size);
    }
    CHECK_STATUS(ph_stats_prometheus(h->world, NULL, 1, &h->length), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_stats_prometheus(h->world, h->text, 1, NULL), PH_BAD_ARGUMENT);
}

/* ---- high-water marks, of a world with known numbers ---- */

static void marks(void)
{
    static host h;
    host_begin(&h, 1, 1, 0);
    for (uint64_t id = 1; id <= 10; id++) {
        const ph_attrs a = {.given = PH_X | PH_Y, .x = 10, .y = 10};
        CHECK_OK(ph_enter(h.producer, id, &a));
    }
    ph_stats stats = stats_of(&h);
    CHECK(stats.queued == 10 && stats.queued_max == 0, "%" PRIu64 " wait", stats.queued);
    for (uint32_t t = 0; t < 6; t++) { /* batches for the first four, then a net difference */
        CHECK_OK(ph_tick(h.world, &h.tick));
        CHECK_OK(ph_move(h.producer, 1, t % 2 == 0 ? 900 : 10, 10, 0));
        CHECK_OK(ph_broadcast(h.producer, 2, "four", 4, NULL));
    }
    stats = stats_of(&h);
    CHECK(stats.queued == 2 && stats.queued_max == 10 && stats.deferred_adds_max == 10, "%" PRIu64 ", %" PRIu64,
          stats.queued, stats.queued_max);
    CHECK(stats.batches_out == 4 && stats.batches_out_max == 4 && stats.batches == 4, "%" PRIu64 " are out",
          stats.batches_out);
    CHECK(stats.net_events == 0 && stats.coalesced_ticks == 2, "came back: nothing is left of it");
    CHECK(stats.consumers_pending == 1, "it waits for a tick");
    CHECK(stats.mail_waiting == 8 + 9 && stats.broadcasts == 5 && stats.payload_bytes == 20, "%" PRIu64 " wait",
          stats.mail_waiting);
    uint64_t bytes = 0;
    for (const ph_batch *batch; ph_batch_take(h.consumer, &batch) == PH_OK;) {
        bytes += batch->change_count * sizeof(ph_change) + batch->target_count * sizeof(ph_target) +
                 batch->target_count * (sizeof(uint16_t) + sizeof(uint8_t) + sizeof(ph_position)) +
                 batch->message_count * sizeof(ph_message) + batch->delivery_count * sizeof(ph_delivery) +
                 batch->heard_count * sizeof(uint32_t) + batch->payload_bytes;
        CHECK_OK(ph_batch_return(h.consumer, batch));
    }
    CHECK(stats.batch_bytes == bytes, "%" PRIu64 " bytes, %" PRIu64, stats.batch_bytes, bytes);
    CHECK_OK(ph_tick(h.world, &h.tick));
    stats = stats_of(&h);
    CHECK(stats.batches_out == 1 && stats.batches_out_max == 4 && stats.mail_waiting == 0 && stats.queued == 0 &&
              stats.consumers_pending == 0,
          "the pending items are delivered");
    CHECK_OK(ph_world_destroy(h.world));
}

/* The content of a shard is counted there. */
static void places_of_bytes(void)
{
    enum { MANY = 2000, LEAST_BYTES = 64 }; /* of an entity: positions, a name, a row */
    static host h;
    ph_shard_stats each[4];
    uint32_t count;
    host_begin(&h, 2, 1, 0);
    for (uint64_t id = 1; id <= MANY; id++) {
        const ph_attrs a = {.given = PH_X | PH_Y, .x = (float)(id % 40), .y = (float)(id / 40)};
        CHECK_OK(ph_enter(h.producer, id, &a));
    }
    CHECK_OK(ph_tick(h.world, &h.tick));
    CHECK_OK(ph_world_shard_stats(h.world, each, 4, &count));
    CHECK(each[0].touched == MANY, "%" PRIu64 " have changed", each[0].touched);
    for (uint32_t s = 1; s < 4; s++)
        CHECK(each[0].bytes > each[s].bytes + MANY * LEAST_BYTES && each[s].touched == 0,
              "no entity is in shard %u: %" PRIu64 " bytes, and %" PRIu64, s, each[s].bytes, each[0].bytes);
    CHECK_OK(ph_world_destroy(h.world));
}

/* The pending numbers of a consumer that takes nothing. */
static void behind(void)
{
    static host h;
    const ph_batch *batch;
    host_begin(&h, 1, 1, 1);
    for (uint64_t id = 1; id <= 10; id++) {
        const ph_attrs a = {.given = PH_X | PH_Y, .x = 10, .y = 10};
        CHECK_OK(ph_enter(h.producer, id, &a));
    }
    for (uint32_t t = 0; t < 4; t++) { /* as many batches as it may have */
        CHECK_OK(ph_broadcast(h.producer, 2, "four", 4, NULL));
        CHECK_OK(ph_tick(h.world, &h.tick));
    }
    const ph_area all = {.radius = 50};
    CHECK_OK(ph_area_set(h.producer, 7, &all));
    CHECK_OK(ph_move(h.producer, 1, 11, 10, 0));
    for (uint32_t t = 0; t < 2; t++) CHECK_OK(ph_tick(h.world, &h.tick)); /* due within two ticks */
    ph_stats stats = stats_of(&h);
    CHECK(stats.batches_out == 4 && stats.edges_waiting == 10 && stats.updates_waiting == 9,
          "%" PRIu64 " edges, %" PRIu64 " updates wait", stats.edges_waiting, stats.updates_waiting);
    CHECK_OK(ph_area_remove(h.producer, 7));
    CHECK_OK(ph_tick(h.world, &h.tick));
    stats = stats_of(&h);
    CHECK(stats.edges_waiting == 0 && stats.updates_waiting == 9, "in and out is nothing");
    CHECK(stats.updates_replaced == 0, "%" PRIu64 " updates were replaced", stats.updates_replaced);
    CHECK_OK(ph_move(h.producer, 1, 12, 10, 0));
    CHECK_OK(ph_move(h.producer, 2, 12, 10, 0));
    for (uint32_t t = 0; t < 2; t++) CHECK_OK(ph_tick(h.world, &h.tick));
    stats = stats_of(&h);
    CHECK(stats.updates_waiting == 2 * 9 && stats.updates_replaced == 9,
          "a later position: %" PRIu64 " wait, %" PRIu64 " replaced", stats.updates_waiting, stats.updates_replaced);
    CHECK_OK(ph_leave(h.producer, 2)); /* a target of nine, and an observer of one that waits */
    CHECK_OK(ph_tick(h.world, &h.tick));
    stats = stats_of(&h);
    CHECK(stats.updates_waiting == 8 && stats.updates_replaced == 9 + 9 + 1,
          "one has gone: %" PRIu64 " wait, %" PRIu64 " were replaced", stats.updates_waiting, stats.updates_replaced);
    while (ph_batch_take(h.consumer, &batch) == PH_OK) CHECK_OK(ph_batch_return(h.consumer, batch));
    CHECK_OK(ph_tick(h.world, &h.tick));
    stats = stats_of(&h);
    CHECK(stats.updates_waiting == 0 && stats.batches_out == 1, "the pending items are delivered");
    CHECK_OK(ph_world_destroy(h.world));
}

static void play(uint32_t shards_axis, uint32_t workers)
{
    static host h;
    host_begin(&h, shards_axis, workers, 1);
    ph_stats before = stats_of(&h);
    for (uint32_t t = 0; t < TICKS; t++) {
        commands(&h);
        apply_some(&h);
        CHECK_OK(ph_tick(h.world, &h.tick));
        drain(&h);
        ph_stats now = stats_of(&h);
        check_last(&h, &before, &now);
        before = now;
    }
    CHECK(before.attached == 1 && before.enters > 1000 && before.deliveries > 20 && before.updates > before.enters,
          "there is something to count");
    check_shards(&h, &before, shards_axis * shards_axis);
    check_text(&h, &before, shards_axis * shards_axis);
    check_sizes(&h);
    CHECK_OK(ph_world_destroy(h.world));
}

int main(void)
{
    marks();
    behind();
    places_of_bytes();
    play(1, 1);
    play(SHARDS_AXIS, 1);
    /* a locale with a decimal comma, where there is one */
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "es_ES.UTF-8"};
    locale_t comma = (locale_t)0;
    for (size_t i = 0; i < sizeof locales / sizeof *locales && comma == (locale_t)0; i++)
        comma = newlocale(LC_ALL_MASK, locales[i], (locale_t)0);
    if (comma != (locale_t)0) uselocale(comma);
    play(SHARDS_AXIS, 3);
    uselocale(LC_GLOBAL_LOCALE);
    if (comma != (locale_t)0) freelocale(comma);
    return check_done("stats");
}

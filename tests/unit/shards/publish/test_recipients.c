/*
 * shards/publish/recipients.c and listed_sources.c: the recipients of broadcasts in a crowd with stored and derived
 * lists, by the lists of a plain world (shards_fixture.h); and how often lists are read for it.
 */
#include "unit/shards/shards_fixture.h"

#include "shards/publish/recipients.h"

enum { IDS = 400, CAP = 25, PLAIN = 1, CAPPED, WIDE, RELATED, MERE };

static uint32_t way_of(uint64_t id)
{
    return 1 + (uint32_t)(id % 8 < 4 ? CAPPED - 1 : id % 8 - 4);
}

static phx_attr attr_of(uint32_t way)
{
    phx_attr attr = plain_attr(way == MERE ? 0.0f : 30.0f, way == WIDE ? 10.0f : 0.0f);
    attr.cap = way == CAPPED ? CAP : 0;
    return attr;
}

/* A crowd over four blocks, of capped and other observers, a tick after it stepped. */
static fleet *open_crowd(phx_rules rules)
{
    uint64_t rng = 71;
    fleet *f = fleet_open(rules, 1, 1, 4);
    fleet_begin(f);
    for (uint64_t id = 1; id <= IDS; id++)
        fleet_enter(f, id, attr_of(way_of(id)), float_between(&rng, 83, 220), float_between(&rng, 83, 220));
    for (uint64_t id = 1; id <= IDS; id++) {
        if (way_of(id) != RELATED) continue;
        fleet_relate(f, id, 1 + id % IDS, PHX_RELATION_HIDE, 0);
        fleet_relate(f, id, 1 + (id + 4) % IDS, PHX_RELATION_LINK, 0);
    }
    fleet_end(f);
    fleet_begin(f);
    for (uint64_t id = 1; id <= IDS; id++)
        fleet_move(f, id, f->entity[id].x + float_between(&rng, -4, 4), f->entity[id].y + float_between(&rng, -4, 4));
    fleet_end(f);
    return f;
}

/* Message m is of entity m + 1; every third one reaches observers that see it within 28, every second one itself. */
static phx_broadcast_range range_of(const fleet *f, uint32_t message)
{
    const fleet_entity *entity = &f->entity[message + 1];
    return (phx_broadcast_range){
        .x = entity->x, .y = entity->y, .radius = 28, .seen = true, .source = message + 1, .layers = 1};
}

static bool is_ranged(uint32_t message)
{
    return message % 3 == 0;
}

static bool has_self(uint32_t message)
{
    return message % 2 == 0;
}

static bool receives(const fleet *f, uint64_t observer, uint32_t message)
{
    const uint64_t source = message + 1;
    if (f->entity[observer].attr.view == 0.0f) return false;
    if (observer == source) return has_self(message);
    const phx_broadcast_range range = range_of(f, message);
    const float dx = f->entity[observer].x - range.x, dy = f->entity[observer].y - range.y;
    const bool near = dx * dx + dy * dy <= range.radius * range.radius;
    return fleet_sees(f, observer, source) && (near || !is_ranged(message));
}

/* Addresses the messages [first, end), by one worker. */
static void address_some(fleet *f, phx_addressed *addressed, uint32_t first, uint32_t end)
{
    const phx_shard *shard = &f->shard[0];
    for (uint32_t m = first; m < end; m++) {
        const uint32_t slot = fleet_slot(f, 0, m + 1);
        const phx_broadcast_range range = range_of(f, m);
        cr_assert(is_ranged(m) ? phx_recipients_address_range(addressed, shard, &range, slot, m)
                               : phx_recipients_address(addressed, shard, slot, m));
        for (uint64_t id = 1; id <= IDS; id++) {
            const phx_relation *relation = &f->relation[id][m + 1];
            if (relation->bits == 0 || is_ranged(m)) continue;
            cr_assert(phx_recipients_address_one(addressed, shard, slot, m, fleet_slot(f, 0, id)));
        }
    }
}

/* Inside a block the messages stand in their order. */
static void assert_order(const phx_recipients *recipients, const phx_shard *shard)
{
    for (uint32_t block = 0; block < phx_recipients_blocks(shard); block++)
        for (uint32_t i = recipients->first[block] + 1; i < recipients->first[block + 1]; i++)
            cr_assert_leq(recipients->block_messages[i - 1].message, recipients->block_messages[i].message);
}

/* Addresses the messages of the first `count` entities: their last third by one worker, the others by another one. */
static void address_messages(fleet *f, phx_recipients *recipients, uint32_t count)
{
    phx_shard *shard = &f->shard[0];
    phx_addressed one = {.mem = shard->mem}, other = {.mem = shard->mem};
    const uint32_t first = count / 3, second = count - first;
    address_some(f, &one, second, count);
    address_some(f, &other, 0, first);
    const uint32_t at = other.count;
    address_some(f, &other, first, second);
    const phx_addressed_run runs[] = {
        {other.messages, at}, {other.messages + at, other.count - at}, {one.messages, one.count}};
    cr_assert(phx_recipients_sort(recipients, shard, runs, 3));
    assert_order(recipients, shard);
    phx_addressed_free(&one);
    phx_addressed_free(&other);
}

typedef struct list_work {
    uint64_t entries; /* of the stored lists in batches that were turned round */
    uint32_t batches, turned;
} list_work;

/* Filters all block messages for one batch; adds what each observer received. */
static void filter_batch(const fleet *f, const phx_recipients *recipients, phx_observer_batch *batch,
                         uint8_t (*received)[IDS])
{
    const phx_shard *shard = &f->shard[0];
    uint32_t *near = malloc(recipients->block_message_count * sizeof *near);
    const uint32_t near_count = phx_recipients_near(recipients, batch, near);
    for (uint32_t n = 0; n < near_count; n++) {
        const phx_block_message *at = &recipients->block_messages[near[n]];
        phx_recipients_note_apart(recipients, shard, batch, near + n, near_count - n);
        const phx_broadcast_range range = range_of(f, at->message);
        uint32_t out[PHX_BATCH_PLACES_MAX];
        const uint32_t count =
            phx_recipients_filter(shard, batch, at, is_ranged(at->message) ? &range : NULL, has_self(at->message), out);
        for (uint32_t i = 0; i < count; i++) received[shard->store.name[batch->slot[out[i]]].id][at->message]++;
    }
    free(near);
}

/* Of lists that a cap may have cut: the rule decides about the sources of all others. */
static uint64_t cut_entries(const phx_shard *shard, const phx_observer_batch *batch)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        const uint32_t slot = batch->slot[i];
        if (slot == PHX_SLOT_NONE || shard->store.tail[slot].list.derived) continue;
        const phx_list *list = &shard->store.tail[slot].list;
        const bool cut = phx_store_attr(&shard->store, slot)->cap > 0 && list->count == CAP;
        sum += cut ? list->count : 0;
    }
    return sum;
}

/* Sends the messages of the first `count` entities, with memory that comes call by call, and compares. */
static list_work send_messages(fleet *f, phx_listed_sources *listed, uint32_t count)
{
    static uint8_t received[IDS + 1][IDS];
    const phx_shard *shard = &f->shard[0];
    phx_recipients recipients = {0};
    list_work work = {0};
    memset(received, 0, sizeof received);
    address_messages(f, &recipients, count);
    for (uint32_t block = 0; block < phx_recipients_blocks(shard); block++) {
        for (uint32_t first = 0, places = phx_recipients_places(shard, block); first < places;
             first += PHX_BATCH_PLACES_MAX) {
            phx_observer_batch batch = {.block = block, .first = first, .count = places - first};
            if (batch.count > PHX_BATCH_PLACES_MAX) batch.count = PHX_BATCH_PLACES_MAX;
            phx_recipients_fill_batch(shard, &batch);
            fleet_memory_for(0);
            while (!phx_recipients_read_lists(&recipients, shard, &batch, listed, shard->mem)) fleet_memory_for(1);
            fleet_memory_enough();
            filter_batch(f, &recipients, &batch, received);
            work.batches++;
            work.turned += batch.listed != NULL;
            if (batch.listed) work.entries += cut_entries(shard, &batch);
        }
    }
    for (uint64_t id = 1; id <= IDS; id++)
        for (uint32_t m = 0; m < count; m++)
            cr_assert_eq(received[id][m], receives(f, id, m), "observer %lu, message %u", (unsigned long)id, m);
    phx_recipients_free(&recipients, shard->mem);
    return work;
}

static void test_messages(phx_rules rules)
{
    fleet *f = open_crowd(rules);
    phx_listed_sources listed = {0};
    const list_work many = send_messages(f, &listed, IDS);
    cr_assert_gt(many.batches, 1);
    cr_assert_eq(many.turned, many.batches);
    cr_assert_gt(many.entries, IDS);
    cr_assert_eq(listed.entries_read, many.entries,
                 "each cut list is read once, at any number of messages, and no other one");
    const list_work few = send_messages(f, &listed, 2);
    cr_assert_eq(few.turned, 0, "two messages search lists");
    cr_assert_eq(listed.entries_read, many.entries);
    cr_assert_eq(send_messages(f, &listed, 100).turned, many.batches, "the sources of the last batch are forgotten");
    phx_listed_sources_free(&listed, f->shard[0].mem);
    fleet_close(f);
}

Test(publish, recipients_by_rows)
{
    test_messages(plain_rules(10, 100));
}

Test(publish, recipients_by_cell_entries)
{
    phx_rules rules = plain_rules(30, 30);
    rules.range = PH_RANGE_TOWERS;
    test_messages(rules);
}

/*
 * Calls and their recipients; see recipients.h.
 */
#include "shards/publish/recipients.h"

#include <string.h>

#include "shards/query/seen.h"
#include "shards/state/related.h"
#include "shards/state/view_reach.h"

void phx_recipients_free(phx_recipients *recipients, phx_mem *mem)
{
    phx_release(mem, (void **)&recipients->block_messages, &recipients->block_messages_capacity,
                sizeof *recipients->block_messages);
    phx_release(mem, (void **)&recipients->first, &recipients->first_capacity, sizeof *recipients->first);
}

void phx_addressed_free(phx_addressed *addressed)
{
    if (addressed->mem)
        phx_release(addressed->mem, (void **)&addressed->messages, &addressed->capacity, sizeof *addressed->messages);
}

/* ---- block messages ---- */

bool phx_recipients_add(phx_addressed *addressed, phx_block_message block_message)
{
    if (!phx_grow(addressed->mem, (void **)&addressed->messages, &addressed->capacity, addressed->count,
                  (size_t)addressed->count + 1, sizeof block_message))
        return false;
    addressed->messages[addressed->count++] = block_message;
    return true;
}

/* The towers of the rectangle that lie in a block, as a set. */
static uint64_t block_tower_mask(phx_rect rect, uint32_t bx, uint32_t by)
{
    bool meets = bx >= rect.x0 >> PHX_BLOCK_BITS && bx <= rect.x1 >> PHX_BLOCK_BITS &&
                 by >= rect.y0 >> PHX_BLOCK_BITS && by <= rect.y1 >> PHX_BLOCK_BITS;
    return meets ? phx_block_mask(rect, bx, by) : 0;
}

bool phx_recipients_add_block(phx_addressed *addressed, const phx_address_towers *to, uint32_t bx, uint32_t by,
                              phx_block_message block_message)
{
    block_message.towers = block_tower_mask(to->rect, bx, by);
    if (to->any_done) block_message.towers &= ~block_tower_mask(to->done, bx, by);
    return block_message.towers == 0 || phx_recipients_add(addressed, block_message);
}

phx_rect phx_recipients_rect(const phx_shard *shard, uint32_t slot)
{
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    if (attr->global)
        return (phx_rect){0, 0, (uint16_t)(shard->rules->towers[0] - 1), (uint16_t)(shard->rules->towers[1] - 1)};
    float far = attr->reach + shard->margin_max;
    return phx_interest_rows_rect(shard, &shard->store.body[slot], far > shard->radius_max ? far : shard->radius_max);
}

bool phx_recipients_address(phx_addressed *addressed, const phx_shard *shard, uint32_t slot, uint32_t message)
{
    const phx_block_message block_message = {.message = message, .slot = slot, .observer = PHX_SLOT_NONE};
    PHX_ASSERT(shard->store.body[slot].state & PHX_SLOT_LIVE);
    return shard->storage->address_viewers(addressed, shard, &block_message);
}

bool phx_recipients_address_one(phx_addressed *addressed, const phx_shard *shard, uint32_t slot, uint32_t message,
                                uint32_t observer)
{
    const phx_block_message block_message = {.message = message, .slot = slot, .observer = observer};
    return shard->storage->address_observer(addressed, shard, &block_message);
}

bool phx_recipients_address_range(phx_addressed *addressed, const phx_shard *shard, const phx_broadcast_range *range,
                                  uint32_t slot, uint32_t message)
{
    const phx_block_message block_message = {.message = message, .slot = slot, .observer = PHX_SLOT_NONE};
    return shard->storage->address_box(addressed, shard, range->instance,
                                       phx_box_around(range->x, range->y, range->radius), &block_message);
}

/* Counting sort by block; the order inside a block stays. */
bool phx_recipients_sort(phx_recipients *recipients, const phx_shard *shard, const phx_addressed_run *runs,
                         uint32_t run_count)
{
    uint32_t blocks = phx_recipients_blocks(shard), sum = 0, all = 0;
    for (uint32_t r = 0; r < run_count; r++) all += runs[r].count;
    if (!phx_grow(shard->mem, (void **)&recipients->block_messages, &recipients->block_messages_capacity, 0, all,
                  sizeof *recipients->block_messages) ||
        !phx_grow(shard->mem, (void **)&recipients->first, &recipients->first_capacity, 0, (size_t)blocks + 2,
                  sizeof *recipients->first))
        return false;
    uint32_t *at = recipients->first + 1; /* at the end, first[b] is where block b begins */
    memset(recipients->first, 0, (blocks + 2) * sizeof *recipients->first);
    for (uint32_t r = 0; r < run_count; r++)
        for (uint32_t i = 0; i < runs[r].count; i++) at[runs[r].messages[i].block + 1]++;
    for (uint32_t b = 0; b <= blocks; b++) at[b] = sum += at[b];
    for (uint32_t r = 0; r < run_count; r++)
        for (uint32_t i = 0; i < runs[r].count; i++)
            recipients->block_messages[at[runs[r].messages[i].block]++] = runs[r].messages[i];
    recipients->block_message_count = all;
    return true;
}

/* ---- observer batches ---- */

void phx_recipients_fill_batch(const phx_shard *shard, phx_observer_batch *batch)
{
    PHX_ASSERT(batch->count <= PHX_BATCH_PLACES_MAX);
    batch->towers = 0;
    batch->listed = NULL;
    batch->observers = batch->plain = batch->decided = batch->ruled = batch->apart = (phx_place_set){0};
    shard->storage->fill_batch(shard, batch);
    for (uint32_t i = 0; i < batch->count; i++)
        if (batch->slot[i] != PHX_SLOT_NONE) phx_place_set_add(&batch->observers, i);
}

/* ---- stored lists ---- */

/* Prefetches the observer at a place for read_observers(). */
static void prefetch_observer(const phx_shard *shard, const phx_observer_batch *batch, uint32_t place)
{
    if (place >= batch->count || batch->slot[place] == PHX_SLOT_NONE) return;
    __builtin_prefetch(&shard->store.set[batch->slot[place]]);
    if (!phx_place_set_has(&batch->plain, place)) __builtin_prefetch(&shard->store.tail[batch->slot[place]]);
}

/*
 * Notes attributes of the observer at a place. Relations need no look: the source's tell their observers (`apart`), and
 * one that ended in this tick beside a derived list, as its observer has no margin, leaves its target to the rule.
 */
static void note_ruled(const phx_shard *shard, phx_observer_batch *batch, uint32_t place)
{
    batch->attr[place] = phx_store_attr(&shard->store, batch->slot[place]);
    phx_place_set_add(&batch->ruled, place);
}

/* Reads the observers. Returns the places of stored lists that decide. */
static phx_place_set read_observers(const phx_shard *shard, phx_observer_batch *batch)
{
    enum { AHEAD = 24 };
    const ph_shape shape = shard->rules->shape;
    const bool rules = shard->derives_lists && (shape == PH_SHAPE_CIRCLE || shape == PH_SHAPE_SQUARE);
    const bool holds = shard->partial_observers.count > 0 || shard->partial_not_listed; /* else bodies are not read */
    phx_place_set deciding = {0};
    for (uint32_t i = 0; i < batch->count; i++) {
        prefetch_observer(shard, batch, i + AHEAD);
        if (!phx_place_set_has(&batch->observers, i)) continue;
        const bool plain = phx_place_set_has(&batch->plain, i);
        const bool decides = !plain && (holds ? phx_shard_list_decides(shard, batch->slot[i])
                                              : phx_shard_cap_decides(shard, batch->slot[i]));
        if (decides) phx_place_set_add(&deciding, i);
        else if (rules) note_ruled(shard, batch, i);
    }
    return deciding;
}

/* A list that is turned round costs about as much as so many searches, as each entry is looked up. */
enum { SEARCHES = 8 };

/* Does each list have more messages than that? Block messages to one observer count for that one. */
static bool many_messages(const phx_block_message *first, const phx_block_message *end, uint64_t towers,
                          uint32_t list_count)
{
    uint64_t searches = 0;
    for (const phx_block_message *at = first; at < end; at++)
        if (at->towers & towers) searches += at->observer == PHX_SLOT_NONE ? list_count : 1;
    return searches > (uint64_t)SEARCHES * list_count;
}

bool phx_recipients_read_lists(const phx_recipients *recipients, const phx_shard *shard, phx_observer_batch *batch,
                               phx_listed_sources *listed, phx_mem *mem)
{
    const phx_block_message *first = recipients->block_messages + recipients->first[batch->block];
    const phx_block_message *end = recipients->block_messages + recipients->first[batch->block + 1];
    if (end - first <= SEARCHES) return true; /* no list has more: none is looked at */
    const phx_place_set deciding = read_observers(shard, batch);
    if (phx_place_set_is_empty(&deciding) || !many_messages(first, end, batch->towers, phx_place_set_count(&deciding)))
        return true;
    if (!phx_listed_sources_open(listed, mem, shard)) return false;
    for (const phx_block_message *at = first; at < end; at++)
        if (at->slot != PHX_SLOT_NONE && !phx_listed_sources_add(listed, mem, at->slot)) return false;
    for (uint32_t i = 0; i < batch->count; i++)
        if (phx_place_set_has(&deciding, i)) phx_listed_sources_read(listed, shard, batch->slot[i], i);
    batch->decided = deciding;
    batch->listed = listed;
    return true;
}

/* ---- filter ---- */

/* Does the observer at this place have the target in its list? For the target itself `self` says it. */
static bool place_receives(const phx_shard *shard, const phx_observer_batch *batch, uint32_t place, uint32_t target,
                           bool self)
{
    const uint32_t observer = batch->slot[place];
    if (observer == target) return self && phx_attr_observes(phx_store_attr(&shard->store, observer));
    const phx_list_answer answer = phx_shard_list_answer(shard, observer, target);
    if (answer != PHX_LIST_DECIDES) return answer == PHX_LIST_HAS;
    if (!phx_place_set_has(&batch->decided, place)) return phx_shard_stored_list_has(shard, observer, target);
    PHX_ASSERT(batch->listed != NULL);
    return phx_place_set_has(&phx_listed_sources_of(batch->listed, target)->places, place);
}

uint32_t phx_recipients_filter_places(const phx_shard *shard, const phx_observer_batch *batch,
                                      const phx_block_message *block_message, const phx_place_set *places, bool self,
                                      uint32_t *out)
{
    const phx_listed_source *source = batch->listed ? phx_listed_sources_of(batch->listed, block_message->slot) : NULL;
    uint32_t n = 0;
    for (uint32_t w = 0; w < PHX_PLACE_WORDS; w++) {
        uint64_t decided = source ? places->word[w] & batch->decided.word[w] : 0;
        if (source && source->own_place / 64 == w) decided &= ~(1ull << (source->own_place % 64));
        for (uint64_t hits = source ? decided & source->places.word[w] : 0; hits; hits &= hits - 1)
            out[n++] = w * 64 + (uint32_t)__builtin_ctzll(hits);
        for (uint64_t left = places->word[w] & ~decided; left; left &= left - 1) {
            const uint32_t place = w * 64 + (uint32_t)__builtin_ctzll(left);
            if (place_receives(shard, batch, place, block_message->slot, self)) out[n++] = place;
        }
    }
    return n;
}

/* Filters for a block message to one observer. */
static uint32_t filter_observer(const phx_shard *shard, const phx_observer_batch *batch,
                                const phx_block_message *block_message, const phx_broadcast_range *range, bool self,
                                uint32_t *out)
{
    const uint32_t place = shard->storage->place_of(shard, batch, block_message);
    const uint32_t observer = block_message->observer, source = block_message->slot;
    if (place == batch->count) return 0;
    out[0] = place;
    if (range) return phx_broadcast_range_reaches(shard, range, source, self, observer);
    if (!shard->derives_lists || shard->store.tail[observer].list.derived || observer == source)
        return place_receives(shard, batch, place, source, self);
    return phx_shard_stored_list_has(shard, observer, source); /* prefetched: nearer than all that the rule asks */
}

uint32_t phx_recipients_near(const phx_recipients *recipients, const phx_observer_batch *batch, uint32_t *near)
{
    uint32_t n = 0;
    for (uint32_t c = recipients->first[batch->block]; c < recipients->first[batch->block + 1]; c++) {
        near[n] = c;
        n += (recipients->block_messages[c].towers & batch->towers) != 0;
    }
    return n;
}

void phx_recipients_note_apart(const phx_recipients *recipients, const phx_shard *shard, phx_observer_batch *batch,
                               const uint32_t *near, uint32_t count)
{
    const phx_block_message *messages = recipients->block_messages, *all = &messages[near[0]];
    batch->apart = (phx_place_set){0};
    if (all->observer != PHX_SLOT_NONE) return;
    for (uint32_t i = 1; i < count && messages[near[i]].message == all->message; i++) {
        const uint32_t place = shard->storage->place_of(shard, batch, &messages[near[i]]);
        if (place < batch->count) phx_place_set_add(&batch->apart, place);
    }
}

void phx_recipients_prefetch_way(const phx_shard *shard, const phx_block_message *block_message)
{
    const uint32_t observer = block_message->observer;
    if (observer == PHX_SLOT_NONE) return;
    __builtin_prefetch(&shard->store.body[observer]);
    __builtin_prefetch(&shard->store.tail[observer]);
}

void phx_recipients_prefetch(const phx_shard *shard, const phx_block_message *block_message)
{
    const uint32_t observer = block_message->observer;
    if (observer == PHX_SLOT_NONE) return;
    const phx_list *list = &shard->store.tail[observer].list;
    const phx_relation_set *related = list->derived ? phx_related_of(shard, observer) : NULL;
    if (related) __builtin_prefetch(related);
    if (list->derived || list->count == 0) return;
    const uint32_t *entries = phx_list_entries(&shard->lists, list);
    __builtin_prefetch(entries);
    __builtin_prefetch(entries + PHX_CACHE_LINE / sizeof *entries);
}

uint32_t phx_recipients_filter(const phx_shard *shard, const phx_observer_batch *batch,
                               const phx_block_message *block_message, const phx_broadcast_range *range, bool self,
                               uint32_t *out)
{
    uint32_t n = block_message->observer != PHX_SLOT_NONE
                     ? filter_observer(shard, batch, block_message, range, self, out)
                     : shard->storage->filter_batch(shard, batch, block_message, range, self, out);
    if (!range || !range->seen) return n;
    phx_place_set reached = {0};
    for (uint32_t i = 0; i < n; i++) phx_place_set_add(&reached, out[i]);
    return phx_recipients_filter_places(shard, batch, block_message, &reached, self, out);
}

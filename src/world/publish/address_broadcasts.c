/*
 * From the sources of broadcasts to the blocks that may hear them; see address_broadcasts.h.
 */
#include "world/publish/address_broadcasts.h"

#include "world/state/broadcast_types.h"

/* What a range has of its source, as it is at the tick's end. */
static void place_range(const phx_world *world, phx_message *message)
{
    if (!message->ranged || message->source == PHX_SLOT_NONE) return;
    const phx_source *source = &world->broadcasts.sources[message->source];
    if (source->shard == PHX_SLOT_NONE) return;
    const phx_store *store = &world->shards[source->shard].store;
    message->range.x = store->body[source->slot].x;
    message->range.y = store->body[source->slot].y;
    message->range.layers = phx_store_attr(store, source->slot)->layers;
    message->range.instance = phx_store_instance(store, source->slot);
}

static void await_source(const phx_world *world, uint64_t id)
{
    phx_directory_prefetch(&world->directory, id);
    phx_relation_index_prefetch(&world->relation_index, id);
}

void phx_broadcasts_locate(phx_world *world)
{
    enum { AHEAD = 8 };
    phx_broadcasts *b = &world->broadcasts;
    for (uint32_t i = 0; i < b->source_count; i++) {
        phx_source *source = &b->sources[i];
        phx_shard *shard;
        if (i + AHEAD < b->source_count) await_source(world, b->sources[i + AHEAD].id);
        source->shard = PHX_SLOT_NONE;
        if (!phx_world_find(world, source->id, &shard, &source->slot)) continue;
        if (shard->store.name[source->slot].incarnation != source->incarnation)
            continue; /* it left and entered again */
        source->shard = shard->number;
        source->related = phx_relation_index_of(&world->relation_index, source->id);
        source->far = (shard->store.body[source->slot].state & PHX_SLOT_FAR) || source->related;
    }
    for (uint32_t m = 0; m < b->message_count; m++) place_range(world, &b->messages[m]);
}

/* May the source be near enough to the shard to have a copy there, by distance alone? */
static bool in_reach_of_shard(const phx_world *world, const phx_source *source, uint32_t index)
{
    const phx_body *body = &world->shards[source->shard].store.body[source->slot];
    const phx_halo_request *request = &world->halo_requests[index];
    uint32_t halo = request->halo_towers;
    return body->tx + halo >= request->rect.x0 && body->tx <= request->rect.x1 + halo &&
           body->ty + halo >= request->rect.y0 && body->ty <= request->rect.y1 + halo;
}

/* The source's slot in the shard, own or ghost, or PHX_SLOT_NONE. */
static uint32_t slot_in(const phx_world *world, const phx_source *source, uint32_t index)
{
    if (source->shard == index) return source->slot;
    if (!source->far && !in_reach_of_shard(world, source, index)) return PHX_SLOT_NONE;
    return phx_store_ghost(&world->shards[index].store, source->id);
}

/* Calls own observers with a pair or link to the source, anywhere. false = no memory. */
static bool address_related(phx_world *world, const phx_source *source, uint32_t index, uint32_t slot, uint32_t message)
{
    const phx_relation_observers *related = source->related;
    for (uint32_t i = 0; related && i < related->count; i++) {
        phx_shard *shard;
        uint32_t observer;
        if (!phx_world_find(world, related->observers[i], &shard, &observer) || shard->number != index) continue;
        if (!phx_recipients_address_one(&world->broadcasts.shard_recipients[index], shard, slot, message, observer))
            return false;
    }
    return true;
}

/* Do towers of the shard lie in the range? Its own entities stand in these. */
static bool range_meets_shard(const phx_world *world, const phx_broadcast_range *range, uint32_t index)
{
    const phx_rect own = world->shards[index].rect;
    phx_rect rect = phx_box_towers(world->shards[index].rules, phx_box_around(range->x, range->y, range->radius));
    return rect.x0 <= own.x1 && own.x0 <= rect.x1 && rect.y0 <= own.y1 && own.y0 <= rect.y1;
}

static bool address_range(phx_world *world, const phx_message *message, uint32_t index, uint32_t number)
{
    const phx_broadcasts *b = &world->broadcasts;
    const phx_source *source = message->source == PHX_SLOT_NONE ? NULL : &b->sources[message->source];
    if (source && source->shard == PHX_SLOT_NONE) return true;
    if (!range_meets_shard(world, &message->range, index)) return true;
    uint32_t slot =
        source && (message->range.seen || source->shard == index) ? slot_in(world, source, index) : PHX_SLOT_NONE;
    if (message->range.seen && slot == PHX_SLOT_NONE) return true; /* it is in no list here */
    return phx_recipients_address_range(&b->shard_recipients[index], &world->shards[index], &message->range, slot,
                                        number);
}

/* To all that have the source in the list. */
static bool address_viewers(phx_world *world, const phx_message *message, uint32_t index, uint32_t number)
{
    const phx_broadcasts *b = &world->broadcasts;
    const phx_source *source = &b->sources[message->source];
    uint32_t slot = source->shard == PHX_SLOT_NONE ? PHX_SLOT_NONE : slot_in(world, source, index);
    if (slot == PHX_SLOT_NONE) return true;
    return phx_recipients_address(&b->shard_recipients[index], &world->shards[index], slot, number) &&
           (!source->far || address_related(world, source, index, slot, number));
}

/* The observers with a relation to a message's source, if it is seen by lists; NULL: none. */
static const phx_relation_observers *related_to_message(const phx_broadcasts *b, uint32_t number)
{
    if (number >= b->message_count || b->messages[number].ranged) return NULL;
    const phx_source *source = &b->sources[b->messages[number].source];
    return source->shard == PHX_SLOT_NONE ? NULL : source->related;
}

/*
 * Prefetches what address_related() reads for messages ahead, each hop of the way to the bodies of observers: all of it
 * is in no order of memory.
 */
static void await_related(const phx_world *world, uint32_t message)
{
    enum { BODIES = 2, HOMES = 5, OBSERVERS = 9, ENTRIES = 14, MOST = PHX_CACHE_LINE / sizeof(uint64_t) };
    const phx_broadcasts *b = &world->broadcasts;
    const phx_relation_observers *entry = related_to_message(b, message + ENTRIES),
                                 *list = related_to_message(b, message + OBSERVERS),
                                 *homes = related_to_message(b, message + HOMES),
                                 *bodies = related_to_message(b, message + BODIES);
    if (entry) __builtin_prefetch(entry);
    if (list) __builtin_prefetch(list->observers);
    for (uint32_t i = 0; homes && i < homes->count && i < MOST; i++)
        phx_directory_prefetch(&world->directory, homes->observers[i]);
    for (uint32_t i = 0; bodies && i < bodies->count && i < MOST; i++) {
        phx_shard *shard;
        uint32_t observer;
        if (!phx_world_find(world, bodies->observers[i], &shard, &observer)) continue;
        __builtin_prefetch(&shard->store.body[observer]);
    }
}

bool phx_step_target(phx_world *world, uint32_t index)
{
    const phx_broadcasts *b = &world->broadcasts;
    phx_recipients *recipients = &b->shard_recipients[index];
    const phx_shard *shard = &world->shards[index];
    phx_recipients_clear(recipients);
    if (shard->observing_count == 0) return true;
    for (uint32_t m = 0; m < b->message_count; m++) {
        const phx_message *message = &b->messages[m];
        await_related(world, m);
        bool done =
            message->ranged ? address_range(world, message, index, m) : address_viewers(world, message, index, m);
        if (!done) return false;
    }
    return phx_recipients_sort(recipients, shard);
}

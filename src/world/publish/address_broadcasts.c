/*
 * From the sources of broadcasts to the blocks that may hear them; see address_broadcasts.h.
 */
#include "world/publish/address_broadcasts.h"

#include "world/state/broadcast_types.h"
#include "world/state/piece_clock.h"
#include "world/state/shard_parts.h"

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

/* Fewer messages are brought to blocks by one worker: in the time that it takes to share them out. */
enum { SHARED_MESSAGES = 64 };

/* Parts of all messages, or of their sources. */
static uint32_t message_parts(const phx_world *world)
{
    return world->broadcasts.message_count < SHARED_MESSAGES ? 1 : phx_shard_parts(world);
}

static void locate_source(const phx_world *world, phx_source *source)
{
    phx_shard *shard;
    source->shard = PHX_SLOT_NONE;
    if (!phx_world_find(world, source->id, &shard, &source->slot)) return;
    if (shard->store.name[source->slot].incarnation != source->incarnation) return; /* it left and entered again */
    source->shard = shard->number;
    source->related = phx_relation_index_of(&world->relation_index, source->id);
    source->relations = phx_relations_of(&shard->relations, source->slot);
    source->far = (shard->store.body[source->slot].state & PHX_SLOT_FAR) || source->related ||
                  phx_relations_any_back(source->relations);
}

static void locate_sources(void *context, uint32_t worker, uint32_t part)
{
    enum { AHEAD = 8 };
    const phx_world *world = context;
    const phx_broadcasts *b = &world->broadcasts;
    const uint32_t parts = message_parts(world), end = phx_part_first(b->source_count, part + 1, parts);
    (void)worker;
    for (uint32_t i = phx_part_first(b->source_count, part, parts); i < end; i++) {
        if (i + AHEAD < end) await_source(world, b->sources[i + AHEAD].id);
        locate_source(world, &b->sources[i]);
    }
}

static void place_ranges(void *context, uint32_t worker, uint32_t part)
{
    const phx_world *world = context;
    const phx_broadcasts *b = &world->broadcasts;
    const uint32_t parts = message_parts(world), end = phx_part_first(b->message_count, part + 1, parts);
    (void)worker;
    for (uint32_t m = phx_part_first(b->message_count, part, parts); m < end; m++) place_range(world, &b->messages[m]);
}

void phx_broadcasts_locate(phx_world *world)
{
    phx_parallel_for(world->workers, message_parts(world), locate_sources, world);
    phx_parallel_for(world->workers, message_parts(world), place_ranges, world);
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

/* Places of all with a relation to the source, each once: observers of the index, then of its own targets some. */
static uint32_t related_places(const phx_source *source)
{
    return (source->related ? source->related->count : 0) + (source->relations ? source->relations->count : 0);
}

/* The one at a place, or 0: a target without a relation back, or of a relation that ended. */
static uint64_t related_observer(const phx_source *source, uint32_t at)
{
    const uint32_t count = source->related ? source->related->count : 0;
    if (at < count) return source->related->observers[at];
    const phx_relation *own = &source->relations->items[at - count];
    return own->bits != 0 && own->back ? own->target : 0;
}

/* Calls own observers with a pair or link to the source, anywhere. false = no memory. */
static bool address_related(const phx_world *world, phx_addressed *addressed, const phx_source *source, uint32_t index,
                            uint32_t slot, uint32_t message)
{
    for (uint32_t i = 0, places = related_places(source); i < places; i++) {
        const uint64_t id = related_observer(source, i);
        phx_shard *shard;
        uint32_t observer;
        if (id == 0 || !phx_world_find(world, id, &shard, &observer) || shard->number != index) continue;
        if (!phx_recipients_address_one(addressed, shard, slot, message, observer)) return false;
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

static bool address_range(const phx_world *world, phx_addressed *addressed, const phx_message *message, uint32_t index,
                          uint32_t number)
{
    const phx_broadcasts *b = &world->broadcasts;
    const phx_source *source = message->source == PHX_SLOT_NONE ? NULL : &b->sources[message->source];
    if (source && source->shard == PHX_SLOT_NONE) return true;
    if (!range_meets_shard(world, &message->range, index)) return true;
    uint32_t slot =
        source && (message->range.seen || source->shard == index) ? slot_in(world, source, index) : PHX_SLOT_NONE;
    if (message->range.seen && slot == PHX_SLOT_NONE) return true; /* it is in no list here */
    return phx_recipients_address_range(addressed, &world->shards[index], &message->range, slot, number);
}

/* To all that have the source in the list. */
static bool address_viewers(const phx_world *world, phx_addressed *addressed, const phx_message *message,
                            uint32_t index, uint32_t number)
{
    const phx_broadcasts *b = &world->broadcasts;
    const phx_source *source = &b->sources[message->source];
    uint32_t slot = source->shard == PHX_SLOT_NONE ? PHX_SLOT_NONE : slot_in(world, source, index);
    if (slot == PHX_SLOT_NONE) return true;
    return phx_recipients_address(addressed, &world->shards[index], slot, number) &&
           (!source->far || address_related(world, addressed, source, index, slot, number));
}

/* The source of a message that goes to lists beyond views; NULL: it does not. */
static const phx_source *far_source(const phx_broadcasts *b, uint32_t number)
{
    if (number >= b->message_count || b->messages[number].ranged) return NULL;
    const phx_source *source = &b->sources[b->messages[number].source];
    return source->shard == PHX_SLOT_NONE || !source->far ? NULL : source;
}

/*
 * Prefetches what address_related() reads for messages ahead, each hop of the way to the bodies of observers: all of it
 * is in no order of memory.
 */
static void await_related(const phx_world *world, uint32_t message)
{
    enum { BODIES = 2, HOMES = 5, OBSERVERS = 9, ENTRIES = 14, MOST = PHX_CACHE_LINE / sizeof(uint64_t) };
    const phx_broadcasts *b = &world->broadcasts;
    const phx_source *entry = far_source(b, message + ENTRIES), *list = far_source(b, message + OBSERVERS),
                     *homes = far_source(b, message + HOMES), *bodies = far_source(b, message + BODIES);
    if (entry) {
        __builtin_prefetch(entry->related);
        __builtin_prefetch(entry->relations);
    }
    if (list && list->related) __builtin_prefetch(list->related->observers);
    if (list && list->relations) __builtin_prefetch(list->relations->items);
    for (uint32_t i = 0; homes && i < related_places(homes) && i < MOST; i++)
        phx_directory_prefetch(&world->directory, related_observer(homes, i));
    for (uint32_t i = 0; bodies && i < related_places(bodies) && i < MOST; i++) {
        const uint64_t id = related_observer(bodies, i);
        phx_shard *shard;
        uint32_t observer;
        if (id == 0 || !phx_world_find(world, id, &shard, &observer)) continue;
        __builtin_prefetch(&shard->store.body[observer]);
    }
}

/* Brings the messages of a part to one shard. false = no memory. */
static bool address_messages(const phx_world *world, phx_addressed *addressed, uint32_t index, uint32_t part)
{
    const phx_broadcasts *b = &world->broadcasts;
    const uint32_t end = phx_part_first(b->message_count, part + 1, b->parts);
    for (uint32_t m = phx_part_first(b->message_count, part, b->parts); m < end; m++) {
        const phx_message *message = &b->messages[m];
        await_related(world, m);
        const bool done = message->ranged ? address_range(world, addressed, message, index, m)
                                          : address_viewers(world, addressed, message, index, m);
        if (!done) return false;
    }
    return true;
}

static void address_part(void *context, uint32_t worker, uint32_t piece)
{
    phx_world *world = context;
    phx_broadcasts *b = &world->broadcasts;
    const uint32_t index = world->shard_order[piece / b->parts], part = piece % b->parts, at = index * b->parts + part;
    phx_addressed *addressed = &b->scratches[worker].addressed;
    const uint64_t from = phx_piece_now_ns(world);
    b->address_parts[at] = (phx_address_part){.worker = worker, .first = addressed->count};
    if (world->shards[index].observing_count > 0 && !address_messages(world, addressed, index, part))
        atomic_store_explicit(&world->step_failed, 1, memory_order_relaxed);
    b->runs[at].count = addressed->count - b->address_parts[at].first;
    b->address_parts[at].ns = phx_piece_now_ns(world) - from;
}

bool phx_broadcasts_address(phx_world *world)
{
    phx_broadcasts *b = &world->broadcasts;
    b->parts = message_parts(world);
    const uint32_t pieces = world->shard_count * b->parts;
    if (!phx_grow(&world->mem, (void **)&b->address_parts, &b->address_parts_capacity, 0, pieces,
                  sizeof *b->address_parts) ||
        !phx_grow(&world->mem, (void **)&b->runs, &b->runs_capacity, 0, pieces, sizeof *b->runs))
        return false;
    for (uint32_t w = 0; w < world->worker_count; w++) {
        b->scratches[w].addressed.mem = &world->mem;
        b->scratches[w].addressed.count = 0;
    }
    atomic_store_explicit(&world->step_failed, 0, memory_order_relaxed);
    phx_parallel_for(world->workers, pieces, address_part, world);
    return atomic_load_explicit(&world->step_failed, memory_order_relaxed) == 0;
}

bool phx_step_sort_messages(phx_world *world, uint32_t index)
{
    phx_broadcasts *b = &world->broadcasts;
    phx_addressed_run *runs = b->runs + index * b->parts;
    phx_recipients_clear(&b->shard_recipients[index]);
    if (world->shards[index].observing_count == 0) return true;
    uint64_t ns = 0;
    for (uint32_t part = 0; part < b->parts; part++) {
        const phx_address_part *of = &b->address_parts[index * b->parts + part];
        const phx_block_message *messages = b->scratches[of->worker].addressed.messages;
        runs[part].messages = messages ? messages + of->first : NULL; /* none: the worker has added no message */
        ns += of->ns;
    }
    if (!phx_recipients_sort(&b->shard_recipients[index], &world->shards[index], runs, b->parts)) return false;
    world->shard_progress[index].ns.of[PHX_PHASE_PUBLISH] += ns;
    return true;
}

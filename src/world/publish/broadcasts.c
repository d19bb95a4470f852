/*
 * Recipients of the broadcasts of a tick; see broadcasts.h.
 */
#include "world/publish/broadcasts.h"

#include <string.h>

#include "world/state/broadcast_types.h"
#include "world/state/piece_clock.h"
#include "world/state/world.h"

bool phx_broadcasts_init(phx_world *world)
{
    phx_broadcasts *b = &world->broadcasts;
    phx_idmap_init(&b->index, &world->mem);
    b->shard_recipients = phx_alloc_zero(&world->mem, world->shard_count * sizeof *b->shard_recipients, PHX_CACHE_LINE);
    b->scratches = phx_alloc_zero(&world->mem, world->worker_count * sizeof *b->scratches, PHX_CACHE_LINE);
    if (world->def.consumers > 0)
        b->sizes = phx_alloc_zero(&world->mem, world->def.consumers * sizeof *b->sizes, PHX_CACHE_LINE);
    return b->shard_recipients && b->scratches && (b->sizes || world->def.consumers == 0);
}

static void free_broadcast_scratch(phx_broadcast_scratch *scratch, phx_mem *mem)
{
    phx_release(mem, (void **)&scratch->near, &scratch->near_capacity, sizeof *scratch->near);
    phx_release(mem, (void **)&scratch->hits, &scratch->hits_capacity, sizeof *scratch->hits);
    phx_release(mem, (void **)&scratch->hit_places, &scratch->hit_places_capacity, sizeof *scratch->hit_places);
    phx_release(mem, (void **)&scratch->recipients, &scratch->recipients_capacity, sizeof *scratch->recipients);
    phx_release(mem, (void **)&scratch->heard, &scratch->heard_capacity, sizeof *scratch->heard);
    phx_release(mem, (void **)&scratch->used, &scratch->used_capacity, sizeof *scratch->used);
    phx_listed_sources_free(&scratch->listed, mem);
}

void phx_broadcasts_free(phx_world *world)
{
    phx_broadcasts *b = &world->broadcasts;
    phx_mem *mem = &world->mem;
    for (uint32_t i = 0; b->shard_recipients && i < world->shard_count; i++)
        phx_recipients_free(&b->shard_recipients[i], world->shards[i].mem);
    for (uint32_t i = 0; b->scratches && i < world->worker_count; i++) free_broadcast_scratch(&b->scratches[i], mem);
    phx_free(mem, b->shard_recipients, world->shard_count * sizeof *b->shard_recipients, PHX_CACHE_LINE);
    phx_free(mem, b->scratches, world->worker_count * sizeof *b->scratches, PHX_CACHE_LINE);
    phx_free(mem, b->sizes, world->def.consumers * sizeof *b->sizes, PHX_CACHE_LINE);
    phx_release(mem, (void **)&b->messages, &b->messages_capacity, sizeof *b->messages);
    phx_release(mem, (void **)&b->kept, &b->kept_capacity, sizeof *b->kept);
    phx_release(mem, (void **)&b->sources, &b->sources_capacity, sizeof *b->sources);
    phx_release(mem, (void **)&b->pieces, &b->pieces_capacity, sizeof *b->pieces);
    phx_release(mem, (void **)&b->shares, &b->shares_capacity, sizeof *b->shares);
    phx_release(mem, (void **)&b->places, &b->places_capacity, sizeof *b->places);
    if (b->index.mem) phx_idmap_free(&b->index);
}

/* ---- ingest ---- */

void phx_broadcasts_clear(phx_broadcasts *b, phx_mem *mem)
{
    if (b->source_count > 0) phx_idmap_clear(&b->index);
    phx_trim(mem, (void **)&b->kept, &b->kept_capacity, sizeof *b->kept, b->kept_count, &b->kept_use);
    b->message_count = b->source_count = b->kept_count = 0;
    b->payload_bytes = 0;
}

/* The place in sources of an incarnation that is in the world; room was reserved. */
static uint32_t source_place(phx_broadcasts *b, uint64_t id, uint32_t incarnation)
{
    const uint64_t *known = phx_idmap_find(&b->index, (uint64_t)incarnation + 1);
    if (known) return (uint32_t)*known;
    b->sources[b->source_count] = (phx_source){.id = id, .incarnation = incarnation};
    phx_idmap_insert(&b->index, (uint64_t)incarnation + 1, b->source_count);
    return b->source_count++;
}

static uint32_t kept_words(const phx_command_broadcast *command)
{
    return (uint32_t)((sizeof *command + command->bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
}

/* Copies a command of an apply behind the others; room was reserved. Returns where it begins. */
static uint32_t keep_command(phx_broadcasts *b, const phx_command_broadcast *command)
{
    const uint32_t first = b->kept_count;
    memcpy(b->kept + first, command, sizeof *command + command->bytes);
    b->kept_count += kept_words(command);
    return first;
}

/* Adds a message of this incarnation of its source. false = no memory. */
static bool add_message(phx_world *world, const phx_producer_run *run, uint32_t i, const phx_command_broadcast *command,
                        uint32_t incarnation)
{
    phx_broadcasts *b = &world->broadcasts;
    uint32_t number = b->message_count;
    const bool from_place = command->id == 0, kept = world->apply.running;
    if (kept && !phx_grow(&world->mem, (void **)&b->kept, &b->kept_capacity, b->kept_count,
                          (size_t)b->kept_count + kept_words(command), sizeof *b->kept))
        return false;
    if (!phx_grow(&world->mem, (void **)&b->messages, &b->messages_capacity, number, (size_t)number + 1,
                  sizeof *b->messages) ||
        !phx_grow(&world->mem, (void **)&b->sources, &b->sources_capacity, b->source_count, (size_t)b->source_count + 1,
                  sizeof *b->sources) ||
        !phx_idmap_reserve(&b->index, b->source_count + 1))
        return false;
    b->messages[b->message_count++] =
        (phx_message){.command = kept ? NULL : command,
                      .kept_first = kept ? keep_command(b, command) : 0,
                      .sequence = run->commands.sequence_first + i,
                      .producer = run->producer,
                      .source = from_place ? PHX_SLOT_NONE : source_place(b, command->id, incarnation),
                      .bytes = command->bytes,
                      .self = command->flags & PH_BROADCAST_SELF,
                      .filtered = command->kind_count > 0,
                      .ranged = from_place || command->radius > 0.0f,
                      .range = {.x = command->x,
                                .y = command->y,
                                .radius = command->radius,
                                .instance = command->instance,
                                .seen = command->flags & PH_BROADCAST_SEEN,
                                .source = command->id,
                                .layers = command->layers}};
    return true;
}

ph_status phx_broadcasts_add(phx_world *world, const phx_producer_run *run, uint32_t i,
                             const phx_command_broadcast *command)
{
    phx_broadcasts *b = &world->broadcasts;
    phx_shard *shard = NULL;
    uint32_t slot = PHX_SLOT_NONE;
    if (command->id != 0 && !phx_world_find(world, command->id, &shard, &slot)) return PH_UNKNOWN_ID;
    /* the bound may be lower than at the last apply of this tick */
    const uint64_t payload_bytes = (uint64_t)b->payload_bytes + command->bytes;
    if (payload_bytes > world->def.broadcast_bytes) return PH_TICK_FULL;
    if (world->def.consumers > 0 &&
        !add_message(world, run, i, command, shard ? shard->store.name[slot].incarnation : 0))
        return PH_NO_MEMORY; /* without consumers there is no recipient */
    b->payload_bytes += command->bytes;
    world->totals.broadcasts++;
    world->totals.payload_bytes += command->bytes;
    return PH_OK;
}

/* ---- calls ---- */

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

/* ---- pieces ---- */

static bool plan_block(phx_world *world, uint32_t index, uint32_t block)
{
    phx_broadcasts *b = &world->broadcasts;
    uint32_t places = phx_recipients_places(&world->shards[index], block);
    for (uint32_t first = 0; first < places; first += PHX_BATCH_PLACES_MAX) {
        phx_broadcast_piece piece = {.shard = index, .block = block, .first = first, .worker = PHX_SLOT_NONE};
        piece.count = places - first < PHX_BATCH_PLACES_MAX ? places - first : PHX_BATCH_PLACES_MAX;
        if (!phx_grow(&world->mem, (void **)&b->pieces, &b->pieces_capacity, b->piece_count, (size_t)b->piece_count + 1,
                      sizeof piece))
            return false;
        b->pieces[b->piece_count++] = piece;
    }
    return true;
}

static bool plan_broadcasts(phx_world *world, uint32_t index)
{
    const phx_recipients *recipients = &world->broadcasts.shard_recipients[index];
    if (recipients->block_message_count == 0) return true;
    for (uint32_t block = 0; block < phx_recipients_blocks(&world->shards[index]); block++)
        if (recipients->first[block] < recipients->first[block + 1] && !plan_block(world, index, block)) return false;
    return true;
}

static bool reset_broadcast_scratch(phx_world *world, phx_broadcast_scratch *scratch)
{
    size_t words = (size_t)phx_broadcasts_words(&world->broadcasts) * world->def.consumers;
    PHX_ASSERT(words > 0 || world->def.consumers == 0); /* without messages there are no recipients */
    if (!phx_grow(&world->mem, (void **)&scratch->used, &scratch->used_capacity, 0, words, sizeof *scratch->used))
        return false;
    memset(scratch->used, 0, words * sizeof *scratch->used);
    scratch->recipient_count = scratch->heard_count = 0;
    return true;
}

bool phx_plan_pieces(phx_world *world)
{
    phx_broadcasts *b = &world->broadcasts;
    b->piece_count = 0;
    for (uint32_t i = 0; i < world->shard_count; i++)
        if (!plan_broadcasts(world, world->shard_order[i])) return false;
    for (uint32_t i = 0; i < world->worker_count; i++)
        if (!reset_broadcast_scratch(world, &b->scratches[i])) return false;
    return phx_grow(&world->mem, (void **)&b->shares, &b->shares_capacity, 0,
                    (size_t)b->piece_count * world->def.consumers, sizeof *b->shares);
}

/* ---- recipients ---- */

enum { WAYS_AHEAD = 12, MESSAGES_AHEAD = 6 }; /* that are prefetched */

/* Keeps the places of observers of the kinds that the message is for. Returns how many. */
static uint32_t filter_by_kind(const phx_store *store, const phx_observer_batch *batch,
                               const phx_command_broadcast *command, uint32_t *out, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        out[n] = out[i];
        n += phx_command_is_for_kind(command, store->name[batch->slot[out[i]]].kind);
    }
    return n;
}

/* Leaves out the places of observers that were imported behind the message. Returns how many are left. */
static uint32_t filter_by_import(const phx_world *world, const phx_store *store, const phx_observer_batch *batch,
                                 uint32_t message, uint32_t *out, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        const phx_name *name = &store->name[batch->slot[out[i]]];
        out[n] = out[i];
        n += message >= phx_imports_messages(&world->imports, name->id, name->incarnation);
    }
    return n;
}

/*
 * Finds the recipients of all calls to the piece; *hits, *heard: calls with recipients, and their sum. false = no
 * memory.
 */
static bool find_recipients(phx_world *world, phx_broadcast_scratch *scratch, const phx_broadcast_piece *piece,
                            phx_observer_batch *batch, uint32_t *hits, uint32_t *heard)
{
    const phx_broadcasts *b = &world->broadcasts;
    const phx_recipients *recipients = &b->shard_recipients[piece->shard];
    const phx_block_message *all = recipients->block_messages;
    const phx_shard *shard = &world->shards[piece->shard];
    const uint32_t most = recipients->first[piece->block + 1] - recipients->first[piece->block];
    if (!phx_grow(&world->mem, (void **)&scratch->near, &scratch->near_capacity, 0, most, sizeof *scratch->near) ||
        !phx_grow(&world->mem, (void **)&scratch->hits, &scratch->hits_capacity, 0, most, sizeof *scratch->hits))
        return false;
    const uint32_t count = phx_recipients_near(recipients, batch, scratch->near);
    for (uint32_t i = 0; i < count; i++) {
        const phx_block_message *block_message = &all[scratch->near[i]];
        if (i + WAYS_AHEAD < count) phx_recipients_prefetch_way(shard, &all[scratch->near[i + WAYS_AHEAD]]);
        if (i + MESSAGES_AHEAD < count) phx_recipients_prefetch(shard, &all[scratch->near[i + MESSAGES_AHEAD]]);
        const phx_message *message = &b->messages[block_message->message];
        if (!phx_grow(&world->mem, (void **)&scratch->hit_places, &scratch->hit_places_capacity, *heard,
                      (size_t)*heard + PHX_BATCH_PLACES_MAX, sizeof *scratch->hit_places))
            return false;
        uint32_t *out = scratch->hit_places + *heard;
        phx_recipients_note_apart(recipients, shard, batch, scratch->near + i, count - i);
        const phx_broadcast_range *range = message->ranged ? &message->range : NULL;
        uint32_t n = phx_recipients_filter(shard, batch, block_message, range, message->self, out);
        if (message->filtered) n = filter_by_kind(&shard->store, batch, phx_message_command(b, message), out, n);
        if (block_message->message < world->imports.messages)
            n = filter_by_import(world, &shard->store, batch, block_message->message, out, n);
        if (n == 0) continue;
        scratch->hits[(*hits)++] = (phx_message_hits){block_message->message, n};
        *heard += n;
    }
    return true;
}

/*
 * Sorts the hits by observer, each one's messages in their order, into the scratch's heard[]; ends[i]: end of observer
 * i's.
 */
static void sort_by_place(phx_broadcast_scratch *scratch, uint32_t hits, uint32_t heard, uint32_t *ends, uint32_t batch)
{
    uint32_t first = scratch->heard_count;
    memset(ends, 0, batch * sizeof *ends);
    for (uint32_t i = 0; i < heard; i++) ends[scratch->hit_places[i]]++;
    for (uint32_t i = 0; i < batch; i++) {
        uint32_t count = ends[i];
        ends[i] = first;
        first += count;
    }
    const uint32_t *place = scratch->hit_places;
    for (uint32_t h = 0; h < hits; h++)
        for (uint32_t i = 0; i < scratch->hits[h].count; i++)
            scratch->heard[ends[*place++]++] = scratch->hits[h].message;
    scratch->heard_count += heard;
}

/* Counts the messages of an observer for its consumer. */
static void share_out(const phx_broadcasts *b, phx_broadcast_scratch *scratch, phx_batch_broadcasts_share *shares,
                      const phx_recipient *recipient)
{
    phx_batch_broadcasts_share *share = &shares[recipient->consumer];
    uint64_t *used = scratch->used + (size_t)phx_broadcasts_words(b) * recipient->consumer;
    for (uint32_t i = 0; i < recipient->count; i++) {
        uint32_t m = scratch->heard[recipient->first + i];
        used[m / 64] |= 1ull << (m % 64);
    }
    share->deliveries++;
    share->heard += recipient->count;
}

static bool find_piece_recipients(phx_world *world, phx_broadcast_scratch *scratch, phx_broadcast_piece *piece)
{
    enum { AHEAD = 24 };
    const phx_broadcasts *b = &world->broadcasts;
    const phx_store *store = &world->shards[piece->shard].store;
    const bool several = world->def.consumers > 1; /* else names are not read */
    phx_batch_broadcasts_share *shares = b->shares + (size_t)(piece - b->pieces) * world->def.consumers;
    phx_observer_batch batch = {.block = piece->block, .first = piece->first, .count = piece->count};
    uint32_t hits = 0, heard = 0, ends[PHX_BATCH_PLACES_MAX];
    phx_recipients_fill_batch(&world->shards[piece->shard], &batch);
    memset(shares, 0, world->def.consumers * sizeof *shares);
    if (!phx_recipients_read_lists(&b->shard_recipients[piece->shard], &world->shards[piece->shard], &batch,
                                   &scratch->listed, &world->mem))
        return false;
    if (!find_recipients(world, scratch, piece, &batch, &hits, &heard)) return false;
    if (!phx_grow(&world->mem, (void **)&scratch->heard, &scratch->heard_capacity, scratch->heard_count,
                  (size_t)scratch->heard_count + heard, sizeof *scratch->heard) ||
        !phx_grow(&world->mem, (void **)&scratch->recipients, &scratch->recipients_capacity, scratch->recipient_count,
                  (size_t)scratch->recipient_count + PHX_BATCH_PLACES_MAX, sizeof *scratch->recipients))
        return false;
    uint32_t first = scratch->heard_count;
    sort_by_place(scratch, hits, heard, ends, batch.count);
    piece->recipient_first = scratch->recipient_count;
    for (uint32_t i = 0; i < batch.count; first = ends[i++]) {
        bool next = several && i + AHEAD < batch.count && batch.slot[i + AHEAD] != PHX_SLOT_NONE;
        if (next) __builtin_prefetch(&store->name[batch.slot[i + AHEAD]]);
        if (ends[i] == first) continue;
        uint32_t slot = batch.slot[i], consumer = several ? store->name[slot].consumer : 0;
        scratch->recipients[scratch->recipient_count] = (phx_recipient){slot, consumer, first, ends[i] - first};
        share_out(b, scratch, shares, &scratch->recipients[scratch->recipient_count++]);
    }
    piece->recipient_count = scratch->recipient_count - piece->recipient_first;
    return true;
}

static void pieces_body(void *context, uint32_t worker, uint32_t index)
{
    phx_world *world = context;
    phx_broadcasts *b = &world->broadcasts;
    phx_broadcast_piece *piece = &b->pieces[index];
    if (piece->worker != PHX_SLOT_NONE) return;
    uint64_t from = phx_piece_now_ns(world);
    bool done = find_piece_recipients(world, &b->scratches[worker], piece);
    piece->ns += phx_piece_now_ns(world) - from;
    if (done) piece->worker = worker;
    else atomic_store_explicit(&world->step_failed, 1, memory_order_relaxed);
}

bool phx_run_pieces(phx_world *world)
{
    atomic_store_explicit(&world->step_failed, 0, memory_order_relaxed);
    phx_parallel_for(world->workers, world->broadcasts.piece_count, pieces_body, world);
    return atomic_load_explicit(&world->step_failed, memory_order_relaxed) == 0;
}

/*
 * Fills the broadcasts of batches; see fill_broadcasts.h.
 */
#include "world/publish/fill_broadcasts.h"

#include <string.h>

#include "world/publish/broadcasts.h"
#include "world/state/broadcast_types.h"
#include "world/state/piece_clock.h"

static phx_batch_broadcasts_share *broadcast_share(const phx_world *world, uint32_t piece, uint32_t consumer)
{
    return &world->broadcasts.shares[(size_t)piece * world->def.consumers + consumer];
}

/* ---- sizes and places ---- */

/* The messages that this consumer's observers receive, over all workers, collected in the first worker's scratch. */
static const uint64_t *gather_used(phx_world *world, uint32_t consumer)
{
    const phx_broadcasts *b = &world->broadcasts;
    uint32_t words = phx_broadcasts_words(b);
    uint64_t *used = b->scratches[0].used + (size_t)words * consumer;
    for (uint32_t e = 1; e < world->worker_count; e++) {
        const uint64_t *more = b->scratches[e].used + (size_t)words * consumer;
        for (uint32_t w = 0; w < words; w++) used[w] |= more[w];
    }
    return used;
}

/* The places of the messages in the consumer's broadcasts, in the order of the commands. */
static void place_messages(phx_world *world, uint32_t consumer, phx_batch_broadcasts_size *size)
{
    const phx_broadcasts *b = &world->broadcasts;
    const uint64_t *used = gather_used(world, consumer);
    uint32_t *places = b->places + (size_t)consumer * b->message_count;
    for (uint32_t w = 0; w < phx_broadcasts_words(b); w++) {
        for (uint64_t left = used[w]; left != 0; left &= left - 1) {
            uint32_t m = w * 64 + (uint32_t)__builtin_ctzll(left);
            places[m] = size->messages++;
            size->payload += phx_payload_room(b->messages[m].bytes);
        }
    }
}

/* The places of the pieces' deliveries. false: more than a batch can count, as if there were no memory for it. */
static bool place_pieces(const phx_world *world, uint32_t consumer, phx_batch_broadcasts_size *size)
{
    uint64_t heard = 0;
    for (uint32_t i = 0; i < world->broadcasts.piece_count; i++) {
        phx_batch_broadcasts_share *share = broadcast_share(world, i, consumer);
        share->delivery_at = size->deliveries;
        share->heard_at = (uint32_t)heard;
        size->deliveries += share->deliveries;
        heard += share->heard;
    }
    size->heard = (uint32_t)heard;
    return heard <= UINT32_MAX;
}

bool phx_fill_broadcasts_plan(phx_world *world)
{
    phx_broadcasts *b = &world->broadcasts;
    if (!phx_grow(&world->mem, (void **)&b->places, &b->places_capacity, 0,
                  (size_t)b->message_count * world->def.consumers, sizeof *b->places))
        return false;
    for (uint32_t c = 0; c < world->def.consumers; c++) {
        b->sizes[c] = (phx_batch_broadcasts_size){0};
        if (!place_pieces(world, c, &b->sizes[c])) return false;
        if (b->sizes[c].deliveries > 0) place_messages(world, c, &b->sizes[c]);
    }
    return true;
}

void phx_fill_broadcasts_drop(phx_world *world, uint32_t consumer)
{
    phx_broadcasts *b = &world->broadcasts;
    phx_consumer_drop_broadcasts(world->consumers[consumer].consumer, b->sizes[consumer].heard);
    for (uint32_t i = 0; i < b->piece_count; i++)
        broadcast_share(world, i, consumer)->deliveries = broadcast_share(world, i, consumer)->heard = 0;
    b->sizes[consumer] = (phx_batch_broadcasts_size){0};
}

/* ---- filling ---- */

/* A message as hosts read it; its payload begins at `first`. */
static ph_message message_record(const phx_world *world, const phx_message *message, uint64_t first)
{
    ph_message record = {.tick = world->tick, .first = first, .bytes = message->bytes};
    if (message->source == PHX_SLOT_NONE) return record;
    const phx_source *source = &world->broadcasts.sources[message->source];
    record.source = source->id;
    record.user_data = phx_store_user_data(&world->shards[source->shard].store, source->slot);
    return record;
}

/* Copies the consumer's messages and their payloads. */
static void fill_messages(const phx_world *world, uint32_t consumer)
{
    const phx_broadcasts *b = &world->broadcasts;
    if (b->sizes[consumer].deliveries == 0) return;
    phx_batch_broadcasts *broadcasts = &world->batches[consumer]->broadcasts;
    const uint64_t *used = b->scratches[0].used + (size_t)phx_broadcasts_words(b) * consumer;
    ph_message *to = broadcasts->messages;
    uint64_t first = 0;
    for (uint32_t w = 0; w < phx_broadcasts_words(b); w++) {
        for (uint64_t left = used[w]; left != 0; left &= left - 1) {
            const phx_message *message = &b->messages[w * 64 + (uint32_t)__builtin_ctzll(left)];
            const phx_command_broadcast *command = phx_message_command(&world->broadcasts, message);
            *to++ = message_record(world, message, first);
            uint64_t room = phx_payload_room(command->bytes);
            /* the record is padded as well; a batch of empty payloads has no memory for them */
            if (room > 0) memcpy((char *)broadcasts->payload + first, phx_command_payload(command), room);
            first += room;
        }
    }
    PHX_ASSERT(to == broadcasts->messages + broadcasts->size.messages && first == broadcasts->size.payload);
}

static void fill_piece(phx_world *world, uint32_t index)
{
    enum { AHEAD = 24 };
    const phx_broadcasts *b = &world->broadcasts;
    phx_broadcast_piece *piece = &b->pieces[index];
    uint64_t from = phx_piece_now_ns(world);
    const phx_broadcast_scratch *scratch = &b->scratches[piece->worker];
    const phx_store *store = &world->shards[piece->shard].store;
    for (uint32_t i = 0; i < piece->recipient_count; i++) {
        if (i + AHEAD < piece->recipient_count)
            __builtin_prefetch(&store->name[scratch->recipients[piece->recipient_first + i + AHEAD].slot]);
        const phx_recipient *recipient = &scratch->recipients[piece->recipient_first + i];
        if (b->sizes[recipient->consumer].deliveries == 0) continue; /* its broadcasts were dropped */
        phx_batch_broadcasts_share *share = broadcast_share(world, index, recipient->consumer);
        phx_batch_broadcasts *broadcasts = &world->batches[recipient->consumer]->broadcasts;
        const uint32_t *places = b->places + (size_t)recipient->consumer * b->message_count;
        broadcasts->deliveries[share->delivery_at++] =
            (ph_delivery){.observer = store->name[recipient->slot].id,
                          .user_data = phx_store_user_data(store, recipient->slot),
                          .first = share->heard_at,
                          .count = recipient->count};
        for (uint32_t h = 0; h < recipient->count; h++)
            broadcasts->heard[share->heard_at++] = places[scratch->heard[recipient->first + h]];
    }
    piece->ns += phx_piece_now_ns(world) - from;
}

static void fill_broadcasts_unit(void *context, uint32_t worker, uint32_t unit)
{
    phx_world *world = context;
    uint32_t consumers = world->def.consumers;
    (void)worker;
    if (unit < consumers) fill_messages(world, unit);
    else fill_piece(world, unit - consumers);
}

void phx_fill_broadcasts_fill(phx_world *world)
{
    if (world->broadcasts.piece_count == 0) return;
    phx_parallel_for(world->workers, world->def.consumers + world->broadcasts.piece_count, fill_broadcasts_unit, world);
}

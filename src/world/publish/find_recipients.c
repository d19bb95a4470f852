/*
 * From blocks to recipients; see find_recipients.h.
 */
#include "world/publish/find_recipients.h"

#include <string.h>

#include "world/publish/broadcasts.h"
#include "world/state/broadcast_types.h"
#include "world/state/piece_clock.h"

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

/*
 * Who hears the broadcasts of a tick; see broadcast.h.
 */
#include "world/broadcast.h"

#include <string.h>

#include "world/world.h"

bool phx_broadcasts_init(phx_world *world)
{
    phx_broadcasts *b = &world->broadcasts;
    phx_idmap_init(&b->index, &world->mem);
    b->audiences = phx_alloc_zero(&world->mem, world->shard_count * sizeof *b->audiences, PHX_CACHE_LINE);
    b->ears = phx_alloc_zero(&world->mem, world->def.workers * sizeof *b->ears, PHX_CACHE_LINE);
    if (world->def.consumers > 0)
        b->sizes = phx_alloc_zero(&world->mem, world->def.consumers * sizeof *b->sizes, PHX_CACHE_LINE);
    return b->audiences && b->ears && (b->sizes || world->def.consumers == 0);
}

static void free_ear(phx_ear *ear, phx_mem *mem)
{
    phx_release(mem, (void **)&ear->hits, &ear->hits_capacity, sizeof *ear->hits);
    phx_release(mem, (void **)&ear->hearings, &ear->hearings_capacity, sizeof *ear->hearings);
    phx_release(mem, (void **)&ear->heard, &ear->heard_capacity, sizeof *ear->heard);
    phx_release(mem, (void **)&ear->used, &ear->used_capacity, sizeof *ear->used);
}

void phx_broadcasts_free(phx_world *world)
{
    phx_broadcasts *b = &world->broadcasts;
    phx_mem *mem = &world->mem;
    for (uint32_t i = 0; b->audiences && i < world->shard_count; i++) phx_audience_free(&b->audiences[i], mem);
    for (uint32_t i = 0; b->ears && i < world->def.workers; i++) free_ear(&b->ears[i], mem);
    phx_free(mem, b->audiences, world->shard_count * sizeof *b->audiences, PHX_CACHE_LINE);
    phx_free(mem, b->ears, world->def.workers * sizeof *b->ears, PHX_CACHE_LINE);
    phx_free(mem, b->sizes, world->def.consumers * sizeof *b->sizes, PHX_CACHE_LINE);
    phx_release(mem, (void **)&b->messages, &b->messages_capacity, sizeof *b->messages);
    phx_release(mem, (void **)&b->sources, &b->sources_capacity, sizeof *b->sources);
    phx_release(mem, (void **)&b->pieces, &b->pieces_capacity, sizeof *b->pieces);
    phx_release(mem, (void **)&b->shares, &b->shares_capacity, sizeof *b->shares);
    phx_release(mem, (void **)&b->places, &b->places_capacity, sizeof *b->places);
    if (b->index.mem) phx_idmap_free(&b->index);
}

/* ---- ingest ---- */

void phx_broadcasts_clear(phx_broadcasts *b)
{
    if (b->source_count > 0) phx_idmap_clear(&b->index);
    b->message_count = b->source_count = 0;
}

ph_status phx_broadcasts_add(phx_world *world, const phx_cmd_broadcast *command)
{
    phx_broadcasts *b = &world->broadcasts;
    if (!phx_idmap_find(&world->directory, command->id)) return PH_UNKNOWN_ID;
    if (world->def.consumers == 0) return PH_OK; /* there is nobody to tell */
    uint32_t number = b->message_count;
    if (!phx_grow(&world->mem, (void **)&b->messages, &b->messages_capacity, number, (size_t)number + 1,
                  sizeof *b->messages) ||
        !phx_grow(&world->mem, (void **)&b->sources, &b->sources_capacity, b->source_count,
                  (size_t)b->source_count + 1, sizeof *b->sources) ||
        !phx_idmap_reserve(&b->index, b->source_count + 1))
        return PH_NO_MEMORY;
    const uint64_t *known = phx_idmap_find(&b->index, command->id);
    uint32_t place = known ? (uint32_t)*known : b->source_count;
    if (known) {
        b->messages[b->sources[place].last].next = number;
    } else {
        b->sources[b->source_count++] = (phx_source){.id = command->id, .first = number};
        phx_idmap_insert(&b->index, command->id, place);
    }
    b->sources[place].last = number;
    b->messages[b->message_count++] = (phx_message){.command = command,
                                                    .source = place,
                                                    .next = PHX_SLOT_NONE,
                                                    .bytes = command->bytes,
                                                    .self = command->flags & PH_BROADCAST_SELF,
                                                    .filtered = command->kind_count > 0};
    return PH_OK;
}

/* ---- marking ---- */

void phx_broadcasts_locate(phx_world *world)
{
    enum { AHEAD = 8 };
    phx_broadcasts *b = &world->broadcasts;
    for (uint32_t i = 0; i < b->source_count; i++) {
        phx_source *source = &b->sources[i];
        phx_shard *shard;
        if (i + AHEAD < b->source_count) phx_idmap_prefetch(&world->directory, b->sources[i + AHEAD].id);
        source->shard = PHX_SLOT_NONE;
        if (!phx_world_find(world, source->id, &shard, &source->slot)) continue;
        source->shard = shard->index;
        source->far = (shard->store.body[source->slot].state & PHX_SLOT_FAR) || phx_ties_of(&world->ties, source->id);
    }
}

/* Is the source near enough to the shard for a copy of it there, if nothing but distance counts? */
static bool near_shard(const phx_world *world, const phx_source *source, uint32_t index)
{
    const phx_body *body = &world->shards[source->shard].store.body[source->slot];
    const phx_zone *zone = &world->zones[index];
    uint32_t halo = zone->halo_towers;
    return body->tx + halo >= zone->rect.x0 && body->tx <= zone->rect.x1 + halo && body->ty + halo >= zone->rect.y0 &&
           body->ty <= zone->rect.y1 + halo;
}

/* Its slot in the shard, own or ghost, or PHX_SLOT_NONE. */
static uint32_t slot_in(const phx_world *world, const phx_source *source, uint32_t index)
{
    if (source->shard == index) return source->slot;
    if (!source->far && !near_shard(world, source, index)) return PHX_SLOT_NONE;
    return phx_store_ghost(&world->shards[index].store, source->id);
}

/* Observers with a pair or link to the source, wherever they stand. */
static void mark_tied(phx_world *world, const phx_source *source, uint32_t index)
{
    const phx_tie *tie = phx_ties_of(&world->ties, source->id);
    for (uint32_t i = 0; tie && i < tie->count; i++) {
        phx_shard *shard;
        uint32_t slot;
        if (phx_world_find(world, tie->observers[i], &shard, &slot) && shard->index == index)
            phx_audience_add_observer(&world->broadcasts.audiences[index], shard, slot);
    }
}

bool phx_step_mark(phx_world *world, uint32_t index)
{
    const phx_broadcasts *b = &world->broadcasts;
    phx_audience *audience = &b->audiences[index];
    const phx_shard *shard = &world->shards[index];
    if (!phx_audience_begin(audience, shard, b->source_count)) return false;
    if (shard->observing_count == 0) return true;
    for (uint32_t i = 0; i < b->source_count; i++) {
        const phx_source *source = &b->sources[i];
        uint32_t slot = source->shard == PHX_SLOT_NONE ? PHX_SLOT_NONE : slot_in(world, source, index);
        if (slot == PHX_SLOT_NONE) continue;
        phx_audience_add(audience, shard, slot, i);
        if (source->far) mark_tied(world, source, index);
    }
    phx_audience_gather(audience, shard);
    return true;
}

/* ---- pieces ---- */

enum { PIECE_MEMBERS = 256 };

static bool plan_shard(phx_world *world, uint32_t index)
{
    phx_broadcasts *b = &world->broadcasts;
    uint32_t members = b->audiences[index].members.count;
    for (uint32_t first = 0; first < members; first += PIECE_MEMBERS) {
        uint32_t count = members - first < PIECE_MEMBERS ? members - first : PIECE_MEMBERS;
        if (!phx_grow(&world->mem, (void **)&b->pieces, &b->pieces_capacity, b->piece_count,
                      (size_t)b->piece_count + 1, sizeof *b->pieces))
            return false;
        b->pieces[b->piece_count++] =
            (phx_piece){.shard = index, .first = first, .count = count, .worker = PHX_SLOT_NONE};
    }
    return true;
}

static bool ready_ear(phx_world *world, phx_ear *ear)
{
    size_t words = (size_t)phx_broadcasts_words(&world->broadcasts) * world->def.consumers;
    if (!phx_grow(&world->mem, (void **)&ear->used, &ear->used_capacity, 0, words, sizeof *ear->used)) return false;
    memset(ear->used, 0, words * sizeof *ear->used);
    ear->hearing_count = ear->heard_count = 0;
    return true;
}

bool phx_plan_pieces(phx_world *world)
{
    phx_broadcasts *b = &world->broadcasts;
    b->piece_count = 0;
    for (uint32_t i = 0; i < world->shard_count; i++)
        if (!plan_shard(world, world->order[i])) return false;
    for (uint32_t i = 0; i < world->def.workers; i++)
        if (!ready_ear(world, &b->ears[i])) return false;
    return phx_grow(&world->mem, (void **)&b->shares, &b->shares_capacity, 0,
                    (size_t)b->piece_count * world->def.consumers, sizeof *b->shares);
}

/* ---- hearing ---- */

/* Shell's: most have a handful, which its last round alone does. Ciura's steps. */
static void sort_numbers(uint32_t *numbers, uint32_t count)
{
    static const uint32_t steps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (uint32_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        for (uint32_t i = steps[s]; i < count; i++) {
            uint32_t number = numbers[i], j = i;
            for (; j >= steps[s] && numbers[j - steps[s]] > number; j -= steps[s]) numbers[j] = numbers[j - steps[s]];
            numbers[j] = number;
        }
    }
}

/* Appends the numbers of one source's messages that this observer gets. false = no memory. */
static bool hear_source(phx_world *world, phx_ear *ear, const phx_source *source, const phx_attr *observer, bool self)
{
    const phx_broadcasts *b = &world->broadcasts;
    for (uint32_t m = source->first; m != PHX_SLOT_NONE; m = b->messages[m].next) {
        const phx_message *message = &b->messages[m];
        if (self && !message->self) continue;
        if (message->filtered && !phx_cmd_for_kind(message->command, observer->kind)) continue;
        if (!phx_grow(&world->mem, (void **)&ear->heard, &ear->heard_capacity, ear->heard_count,
                      (size_t)ear->heard_count + 1, sizeof *ear->heard))
            return false;
        ear->heard[ear->heard_count++] = m;
    }
    return true;
}

/* Counts what the observer hears for its consumer. */
static void share_out(const phx_broadcasts *b, phx_ear *ear, phx_mail_share *shares, uint32_t consumer,
                      const phx_hearing *hearing)
{
    uint64_t *used = ear->used + (size_t)phx_broadcasts_words(b) * consumer;
    for (uint32_t i = 0; i < hearing->count; i++) {
        uint32_t m = ear->heard[hearing->first + i];
        used[m / 64] |= 1ull << (m % 64);
    }
    shares[consumer].deliveries++;
    shares[consumer].heard += hearing->count;
}

/* What the own observer in this slot hears. false = no memory. */
static bool hear(phx_world *world, phx_ear *ear, phx_mail_share *shares, uint32_t index, uint32_t slot)
{
    const phx_broadcasts *b = &world->broadcasts;
    const phx_audience *audience = &b->audiences[index];
    const phx_shard *shard = &world->shards[index];
    const phx_attr *attr = &shard->store.attr[slot];
    if (!phx_grow(&world->mem, (void **)&ear->hits, &ear->hits_capacity, 0,
                  (size_t)phx_audience_room(shard, slot) + 1, sizeof *ear->hits))
        return false;
    uint32_t count = phx_audience_heard(audience, shard, slot, ear->hits);
    if (audience->loud[slot] && phx_observes(attr)) ear->hits[count++] = slot;
    if (count == 0) return true;
    phx_hearing hearing = {.slot = slot, .first = ear->heard_count};
    for (uint32_t i = 0; i < count; i++) {
        const phx_source *source = &b->sources[audience->source[ear->hits[i]]];
        if (!hear_source(world, ear, source, attr, ear->hits[i] == slot)) return false;
    }
    hearing.count = ear->heard_count - hearing.first;
    if (hearing.count == 0) return true;
    if (!phx_grow(&world->mem, (void **)&ear->hearings, &ear->hearings_capacity, ear->hearing_count,
                  (size_t)ear->hearing_count + 1, sizeof hearing))
        return false;
    if (hearing.count > 1) sort_numbers(ear->heard + hearing.first, hearing.count);
    ear->hearings[ear->hearing_count++] = hearing;
    share_out(b, ear, shares, attr->consumer, &hearing);
    return true;
}

static bool hear_piece(phx_world *world, phx_ear *ear, phx_piece *piece)
{
    enum { AHEAD = 6, FAR_AHEAD = 16 };
    const phx_broadcasts *b = &world->broadcasts;
    const phx_audience *audience = &b->audiences[piece->shard];
    const phx_shard *shard = &world->shards[piece->shard];
    phx_mail_share *shares = b->shares + (size_t)(piece - b->pieces) * world->def.consumers;
    memset(shares, 0, world->def.consumers * sizeof *shares);
    piece->hearing_first = ear->hearing_count;
    const uint32_t *members = audience->members.at + piece->first;
    for (uint32_t i = 0; i < piece->count; i++) {
        if (i + FAR_AHEAD < piece->count) phx_audience_prefetch(shard, members[i + FAR_AHEAD]);
        if (i + AHEAD < piece->count) phx_audience_prefetch_list(shard, members[i + AHEAD]);
        if (!hear(world, ear, shares, piece->shard, members[i])) return false;
    }
    piece->hearing_count = ear->hearing_count - piece->hearing_first;
    return true;
}

static void pieces_body(void *context, uint32_t worker)
{
    phx_world *world = context;
    phx_broadcasts *b = &world->broadcasts;
    phx_ear *ear = &b->ears[worker];
    for (uint32_t i; (i = atomic_fetch_add_explicit(&world->claim, 1, memory_order_relaxed)) < b->piece_count;) {
        phx_piece *piece = &b->pieces[i];
        if (piece->worker != PHX_SLOT_NONE) continue;
        PHX_STALL_POINT();
        uint32_t hearings = ear->hearing_count, heard = ear->heard_count;
        if (hear_piece(world, ear, piece)) {
            piece->worker = worker;
        } else { /* as if never begun; what it marked as used it will mark again */
            ear->hearing_count = hearings;
            ear->heard_count = heard;
            atomic_store_explicit(&world->failed, 1, memory_order_relaxed);
        }
    }
}

bool phx_run_pieces(phx_world *world)
{
    uint32_t pieces = world->broadcasts.piece_count;
    atomic_store_explicit(&world->claim, 0, memory_order_relaxed);
    atomic_store_explicit(&world->failed, 0, memory_order_relaxed);
    if (pieces == 1) pieces_body(world, 0);
    else if (pieces > 1) phx_workers_run(world->workers, pieces_body, world);
    return atomic_load_explicit(&world->failed, memory_order_relaxed) == 0;
}

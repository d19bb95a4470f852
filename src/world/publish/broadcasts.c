/*
 * The messages of a tick and their sources; see broadcasts.h.
 */
#include "world/publish/broadcasts.h"

#include <string.h>

#include "world/state/broadcast_types.h"
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
    phx_addressed_free(&scratch->addressed);
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
    phx_release(mem, (void **)&b->address_parts, &b->address_parts_capacity, sizeof *b->address_parts);
    phx_release(mem, (void **)&b->runs, &b->runs_capacity, sizeof *b->runs);
    phx_release(mem, (void **)&b->pieces, &b->pieces_capacity, sizeof *b->pieces);
    phx_release(mem, (void **)&b->shares, &b->shares_capacity, sizeof *b->shares);
    phx_release(mem, (void **)&b->places, &b->places_capacity, sizeof *b->places);
    if (b->index.mem) phx_idmap_free(&b->index);
}

/* ---- ingest ---- */

static void trim_block_messages(phx_world *world)
{
    phx_broadcasts *b = &world->broadcasts;
    uint64_t all = 0;
    for (uint32_t i = 0; i < world->worker_count; i++) all += b->scratches[i].addressed.count;
    for (uint32_t i = 0; i < world->worker_count; i++) phx_addressed_trim(&b->scratches[i].addressed, all);
    for (uint32_t i = 0; i < world->shard_count; i++)
        phx_recipients_trim(&b->shard_recipients[i], world->shards[i].mem);
}

void phx_broadcasts_clear(phx_world *world)
{
    phx_broadcasts *b = &world->broadcasts;
    trim_block_messages(world);
    if (b->source_count > 0) phx_idmap_clear(&b->index);
    phx_trim(&world->mem, (void **)&b->kept, &b->kept_capacity, sizeof *b->kept, b->kept_count, &b->kept_use);
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

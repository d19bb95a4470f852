/*
 * Entities and stored lists; see capture_columns.h.
 */
#include "world/image/capture_columns.h"

#include <string.h>

#include "shards/state/annulus.h"
#include "world/image/capture_bonds.h"

enum {
    PIECE_SLOTS = 1 << 14, /* some hundred KiB of columns */
    LINE_ENTRIES = PHX_CACHE_LINE / sizeof(uint32_t),
    AHEAD = 16 /* lists that are fetched before they are copied: they lie anywhere in the pool */
};

/* ---- pieces ---- */

bool phx_capture_begin(phx_captured_columns *columns, const phx_world *world, phx_mem *mem)
{
    uint64_t pieces = 0;
    *columns = (phx_captured_columns){.world = world, .mem = mem};
    for (uint32_t i = 0; i < world->shard_count; i++) pieces += world->shards[i].store.slots / PIECE_SLOTS + 1;
    if (!phx_grow(mem, (void **)&columns->pieces, &columns->piece_capacity, 0, pieces, sizeof *columns->pieces) ||
        !phx_grow(mem, (void **)&columns->first_set, &columns->set_capacity, 0, world->shard_count,
                  sizeof *columns->first_set)) {
        phx_capture_end(columns);
        return false;
    }
    for (uint32_t i = 0; i < world->shard_count; i++) {
        const uint32_t slots = world->shards[i].store.slots;
        for (uint32_t first = 0; first < slots; first += PIECE_SLOTS)
            columns->pieces[columns->piece_count++] = (phx_captured_piece){
                .shard = i, .slot_first = first, .slot_end = slots - first < PIECE_SLOTS ? slots : first + PIECE_SLOTS};
    }
    return true;
}

void phx_capture_end(phx_captured_columns *columns)
{
    phx_release(columns->mem, (void **)&columns->pieces, &columns->piece_capacity, sizeof *columns->pieces);
    phx_release(columns->mem, (void **)&columns->first_set, &columns->set_capacity, sizeof *columns->first_set);
}

/* Each piece once, by the world's workers if no other thread has them. */
static void for_each_piece(phx_captured_columns *columns, phx_piece_fn body)
{
    phx_crew *crew = columns->world->crew;
    if (columns->piece_count > 1 && crew && phx_crew_acquire(crew)) {
        phx_parallel_for(crew->workers, columns->piece_count, body, columns);
        phx_crew_release(crew);
    } else {
        for (uint32_t i = 0; i < columns->piece_count; i++) body(columns, 0, i);
    }
}

/* ---- count ---- */

static void count_piece(void *context, uint32_t worker, uint32_t number)
{
    const phx_captured_columns *columns = context;
    phx_captured_piece *piece = &columns->pieces[number];
    const phx_shard *shard = &columns->world->shards[piece->shard];
    const phx_store *store = &shard->store;
    uint32_t entities = 0, lists = 0;
    uint64_t targets = 0;
    (void)worker;
    for (uint32_t slot = piece->slot_first; slot < piece->slot_end; slot++) {
        if (!(store->body[slot].state & PHX_SLOT_OWN)) continue;
        const uint32_t kept = phx_list_kept(shard, slot).count;
        entities++;
        piece->owes |= store->tail[slot].list.owed;
        lists += kept > 0;
        targets += kept;
    }
    piece->entities = entities;
    piece->lists = lists;
    piece->targets = targets;
}

ph_status phx_capture_count(phx_captured_columns *columns)
{
    for_each_piece(columns, count_piece);
    for (uint32_t i = 0; i < columns->piece_count; i++) {
        if (columns->pieces[i].owes) return PH_BUSY;
        columns->lists += columns->pieces[i].lists;
        columns->targets += columns->pieces[i].targets;
    }
    return PH_OK;
}

/* ---- copy ---- */

static void put_entity(const phx_captured_columns *columns, const phx_captured_piece *piece, uint32_t slot,
                       phx_saved_entity *saved)
{
    const phx_store *store = &columns->world->shards[piece->shard].store;
    const phx_body *body = &store->body[slot];
    const phx_name *name = &store->name[slot];
    const bool partial = body->state & PHX_SLOT_PARTIAL, derived = store->tail[slot].list.derived;
    *saved =
        (phx_saved_entity){.id = name->id,
                           .user_data = phx_store_user_data(store, slot),
                           .incarnation = name->incarnation,
                           .set = columns->first_set[piece->shard] + store->set[slot],
                           .x = body->x,
                           .y = body->y,
                           .z = body->z,
                           .flags = (uint8_t)((name->fresh ? PHX_SAVED_FRESH : 0) | (partial ? PHX_SAVED_PARTIAL : 0) |
                                              (derived ? PHX_SAVED_DERIVED : 0))};
}

/* The entities of a piece, and their places. */
static void put_entities(const phx_captured_columns *columns, const phx_captured_piece *piece, uint32_t *places)
{
    const phx_store *store = &columns->world->shards[piece->shard].store;
    phx_saved_entity *entities = PHX_IMAGE_ROWS(columns->image, entities, entity);
    uint32_t place = piece->entities;
    for (uint32_t slot = piece->slot_first; slot < piece->slot_end; slot++) {
        const bool own = store->body[slot].state & PHX_SLOT_OWN;
        places[slot] = own ? place : PHX_NO_PLACE;
        if (own) put_entity(columns, piece, slot, &entities[place++]);
    }
}

static void fetch_list(const phx_shard *shard, const uint32_t *places, uint32_t slot, uint32_t slot_end)
{
    if (slot >= slot_end || places[slot] == PHX_NO_PLACE) return;
    const phx_annulus kept = phx_list_kept(shard, slot);
    if (kept.count == 0) return;
    __builtin_prefetch(kept.at);
    __builtin_prefetch(kept.at + LINE_ENTRIES); /* a usual list has two lines */
}

/* Stored lists and annuli of a piece, whose entities have their places. */
static void put_lists(const phx_captured_columns *columns, const phx_captured_piece *piece, const uint32_t *places)
{
    const phx_shard *shard = &columns->world->shards[piece->shard];
    phx_saved_target *to = PHX_IMAGE_ROWS(columns->image, targets, target) + piece->targets;
    phx_saved_list *saved = PHX_IMAGE_ROWS(columns->image, lists, list) + piece->lists;
    for (uint32_t slot = piece->slot_first; slot < piece->slot_end; slot++) {
        fetch_list(shard, places, slot + AHEAD, piece->slot_end);
        if (places[slot] == PHX_NO_PLACE) continue;
        const phx_annulus kept = phx_list_kept(shard, slot);
        if (kept.count == 0) continue;
        *saved++ = (phx_saved_list){.observer = places[slot], .count = kept.count};
        memcpy(to, kept.at, kept.count * sizeof *to);
        to += kept.count;
    }
}

static void put_piece(void *context, uint32_t worker, uint32_t number)
{
    const phx_captured_columns *columns = context;
    const phx_captured_piece *piece = &columns->pieces[number];
    uint32_t *places = columns->image->places + columns->image->place_first[piece->shard];
    (void)worker;
    put_entities(columns, piece, places);
    if (columns->lists > 0) put_lists(columns, piece, places);
}

/* The first of so many new rows of a table, which has room for them. */
static uint32_t begin_rows(phx_image *image, phx_image_table table, uint64_t count)
{
    phx_image_rows *rows = &image->tables[table];
    const uint32_t first = rows->count;
    PHX_ASSERT(count <= rows->capacity - first);
    rows->count += (uint32_t)count;
    return first;
}

void phx_capture_put(phx_captured_columns *columns, phx_image *image)
{
    const phx_world *world = columns->world;
    columns->image = image;
    image->place_first[0] = 0;
    for (uint32_t i = 0; i < world->shard_count; i++) {
        image->place_first[i + 1] = image->place_first[i] + world->shards[i].store.slots;
        image->list_end[i] = 0;
    }
    for (uint32_t i = 0; i < columns->piece_count; i++) {
        phx_captured_piece *piece = &columns->pieces[i];
        piece->entities = begin_rows(image, PHX_TABLE_entities, piece->entities);
        piece->lists = begin_rows(image, PHX_TABLE_lists, piece->lists);
        piece->targets = begin_rows(image, PHX_TABLE_targets, piece->targets);
        image->list_end[piece->shard] = PHX_IMAGE_COUNT(image, lists);
    }
    for (uint32_t i = 1; i < world->shard_count; i++) /* of shards without a slot */
        if (image->list_end[i] < image->list_end[i - 1]) image->list_end[i] = image->list_end[i - 1];
    for_each_piece(columns, put_piece);
}

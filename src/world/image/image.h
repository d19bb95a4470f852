/*
 * An image in memory: its tables, and, as captured, stored lists as slots of the saved world's shards. Made by
 * capture.c or read.c, then constant; owned by the caller, with memory of its own. Belongs to no phase: it is filled
 * between ticks, and read by any thread.
 */
#ifndef PHX_WORLD_IMAGE_IMAGE_H
#define PHX_WORLD_IMAGE_IMAGE_H

#include "base/mem.h"
#include "world/image/tables.h"

typedef struct phx_image_rows {
    void *at; /* records of the table's kind */
    uint32_t count, capacity;
} phx_image_rows;

typedef struct ph_image {
    phx_mem mem;
    uint64_t tick;
    uint32_t incarnations; /* last one given */
    phx_image_rows tables[PHX_TABLES];
    /*
     * As captured: targets are slots of the observer's shard. places[first_of[shard] + slot] is the entity's place in
     * its table. NULL: they are places already.
     */
    uint32_t *places, *place_first; /* place_first: by shard; one more is the end */
    uint32_t *list_end;             /* by shard: the end of its lists in their table */
    uint32_t places_capacity, shard_count, shard_capacity, list_end_capacity;
} phx_image;

void phx_image_init(phx_image *image, ph_allocator allocator);
void phx_image_release(phx_image *image);

/* Room for `more` records of a table. false = no memory, or more than a table can count. */
bool phx_image_reserve(phx_image *image, phx_image_table table, uint64_t more);
/* The next record; room was reserved. All its bytes are 0. */
void *phx_image_add(phx_image *image, phx_image_table table);

/* The records of a table, and their number: PHX_IMAGE_ROWS(image, entities, entity)[i].id */
#define PHX_IMAGE_ROWS(image, table, R) ((phx_saved_##R *)(image)->tables[PHX_TABLE_##table].at)
#define PHX_IMAGE_COUNT(image, table) ((image)->tables[PHX_TABLE_##table].count)

#endif

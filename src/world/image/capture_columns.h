/*
 * Entities and stored lists of a world into an image: nearly all bytes of a capture. Slots are cut into pieces, which
 * the workers of the world count, then copy; so the tables are as one worker makes them. Called by capture.c between
 * ticks, by a reader.
 */
#ifndef PHX_WORLD_IMAGE_CAPTURE_COLUMNS_H
#define PHX_WORLD_IMAGE_CAPTURE_COLUMNS_H

#include "world/image/image.h"
#include "world/state/world.h"

/* Some slots of a shard; counts, then the places where its rows begin. */
typedef struct phx_captured_piece {
    uint32_t shard, slot_first, slot_end;
    uint32_t entities, lists;
    uint64_t targets;
    bool owes; /* a whole list is owed */
} phx_captured_piece;

typedef struct phx_captured_columns {
    const phx_world *world;
    phx_image *image; /* while rows are put */
    phx_mem *mem;     /* of the arrays */
    phx_captured_piece *pieces;
    uint32_t piece_count, piece_capacity;
    uint32_t *first_set; /* by shard: the place of its set 0 */
    uint32_t set_capacity;
    uint64_t lists, targets; /* of all pieces */
} phx_captured_columns;

/* Cuts the slots of the world. false = no memory: there is nothing to end. */
bool phx_capture_begin(phx_captured_columns *columns, const phx_world *world, phx_mem *mem);
void phx_capture_end(phx_captured_columns *columns);
/* Counts lists and targets. PH_OK; PH_BUSY: a whole list is owed. */
ph_status phx_capture_count(phx_captured_columns *columns);
/* Puts entities, lists, targets and places into the image, which has room; first_set was filled. */
void phx_capture_put(phx_captured_columns *columns, phx_image *image);

#endif

/*
 * Key images of a world that goes back: the world's bytes at some ticks, in memory, at most PHX_KEY_IMAGES_MAX of them
 * and bytes_max together. Used by view_trace.c, view_store.c and view_seek.c, between ticks.
 */
#ifndef PHX_TOOLS_VIEW_IMAGES_H
#define PHX_TOOLS_VIEW_IMAGES_H

#include "tools/view_source.h"

enum { PHX_KEY_IMAGES_MAX = 32, PHX_KEY_IMAGES_BYTES = 256 << 20 /* by default */ };

typedef struct phx_key_image {
    uint64_t tick;
    bool diverged;
    char *config; /* of the world then, as text: a live key may change between two images */
    char *bytes;
    size_t size;
} phx_key_image;

typedef struct phx_key_images {
    phx_key_image at[PHX_KEY_IMAGES_MAX]; /* by tick; the first one, the begin, stays */
    uint32_t count;
    uint64_t bytes, bytes_max; /* with their configs */
    uint64_t ticks;            /* at least so many from one to the next */
} phx_key_images;

/* Bytes that grow, from malloc(). */
typedef struct phx_grown_bytes {
    char *bytes;
    size_t size, capacity;
} phx_grown_bytes;

void phx_key_images_init(phx_key_images *images, uint64_t bytes_max);
void phx_key_images_free(phx_key_images *images);

/* The first image, without which there is no way back. false: the source's reason says why. */
bool phx_key_images_begin(phx_key_images *images, phx_view_source *source);
/* An image of the present tick, if it is time for one. One that finds no room or memory is left out: a seek takes
   longer then. */
void phx_key_images_keep(phx_key_images *images, const phx_view_source *source);

/* The last one before the end of this tick, or the first one of all. */
const phx_key_image *phx_key_images_before(const phx_key_images *images, uint64_t tick);

/* Ends the source's world, and makes the image's its world and its config; the source is at its tick. */
bool phx_key_image_load(const phx_key_image *image, phx_view_source *source);
/* The same with one of the source's own. */
bool phx_key_images_load(phx_key_images *images, const phx_key_image *image, phx_view_source *source);

/* The source is at a tick before any change of a key: images of the changed world go. */
void phx_key_images_undo(phx_key_images *images);

/* Drops the images of later ticks, but never the first one. */
void phx_key_images_drop_after(phx_key_images *images, uint64_t tick);

/* false: no memory. For ph_save(), too. */
bool phx_grow_bytes(void *grown, const void *bytes, size_t size);

#endif

/*
 * A world's definition in an image: each key by its name, from the lists of base/keys.h, so that a definition of an
 * older version is read, too. The host's functions are not in it. Used between ticks by readers, and for a journal at
 * the tick's end by the ticking thread.
 */
#ifndef PHX_WORLD_IMAGE_DEFINITION_H
#define PHX_WORLD_IMAGE_DEFINITION_H

#include "world/image/image.h"
#include "world/image/sections.h"

/* Which definition of the image: the one in use, or the one that the next tick takes. */
typedef struct phx_image_def_tables {
    phx_image_table keys, classes;
} phx_image_def_tables;

static const phx_image_def_tables PHX_IMAGE_DEF = {PHX_TABLE_keys, PHX_TABLE_classes};
static const phx_image_def_tables PHX_IMAGE_NEXT_DEF = {PHX_TABLE_next_keys, PHX_TABLE_next_classes};

/* Captures a definition. false = no memory. */
bool phx_image_put_def(phx_image *image, phx_image_def_tables tables, const ph_world_def *def);

/*
 * The definition: *def and *class as the caller has made them, with every key that the image has. The classes are new
 * memory of image->mem, def->class_count of them, also if it fails behind their count; the caller frees them. Values
 * are not checked, but flags. PH_OK, PH_BAD_IMAGE, PH_NO_MEMORY.
 */
ph_status phx_image_read_def(phx_image *image, phx_image_def_tables tables, const ph_class *class, ph_world_def *def,
                             phx_image_reason reason);
void phx_image_free_classes(phx_image *image, ph_world_def *def);

#endif

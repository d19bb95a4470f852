/*
 * The commands and the definition of a record, which is not trusted: each command is checked as when it was submitted.
 * Between ticks, by the ticking thread.
 */
#ifndef PHX_WORLD_JOURNAL_UNPACK_H
#define PHX_WORLD_JOURNAL_UNPACK_H

#include "world/image/image.h"
#include "world/image/sections.h"
#include "world/state/world.h"

/* Bytes of a record that are not read yet. */
typedef struct phx_unpacking {
    const unsigned char *at;
    size_t left;
    phx_image_reason reason;
} phx_unpacking;

/* Takes bytes. false: there are not so many. */
bool phx_unpack_bytes(phx_unpacking *from, void *to, size_t size);

/* PH_BAD_RECORD, with the line. */
__attribute__((format(printf, 2, 3))) ph_status phx_unpack_refuse(const phx_unpacking *from, const char *format, ...);

/* The keys and classes of a definition, into the tables of an image. PH_OK, PH_BAD_RECORD, PH_NO_MEMORY. */
ph_status phx_unpack_def(phx_unpacking *from, phx_image *image);

/* Submits the commands of the next run. PH_OK, PH_BAD_RECORD, PH_NO_MEMORY. */
ph_status phx_unpack_run(phx_unpacking *from, phx_world *world, phx_producer *producer, uint32_t number);

#endif

/*
 * Reads an image's file (image_frame.h). By ph_store_recover() and the programs.
 */
#ifndef PHX_STORE_IMAGE_LOAD_H
#define PHX_STORE_IMAGE_LOAD_H

#include <pharos/store.h>

/* Loads a file, which is of this tick. As ph_load(); PH_BAD_IMAGE and PH_IO have a reason, which has room. */
ph_status phx_image_file_load(const char *path, uint64_t tick, const ph_load_options *options, ph_world *world,
                              char *reason, size_t reason_size);

/* The first bytes of the image in a file, without a look at its sum. PH_OK, PH_BAD_IMAGE, PH_IO, PH_NO_MEMORY. */
ph_status phx_image_file_begin(const char *path, void *bytes, size_t size, char *reason, size_t reason_size);

#endif

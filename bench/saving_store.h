/*
 * The files of --saving: a store in a folder for a while. Without pharos_store, saving_no_store.c refuses the mode.
 * false = it was said on stderr.
 */
#ifndef PHX_BENCH_SAVING_STORE_H
#define PHX_BENCH_SAVING_STORE_H

#include <pharos/types.h>

#include "base/core.h"

/* The bytes of an image's file. */
bool bench_saving_file_bytes(ph_world world, uint64_t *bytes);
/* Records a world from now on; one at a time. */
bool bench_saving_record(ph_world world);
/* Ends that; the record has to be whole. */
bool bench_saving_record_end(void);
/* Between two ticks: some time for the thread of the disk, as a server has. */
void bench_saving_rest(void);

#endif

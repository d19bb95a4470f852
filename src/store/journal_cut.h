/*
 * A piece of a store as a store of its own: an image, and the records behind it up to a tick. By the programs.
 */
#ifndef PHX_STORE_JOURNAL_CUT_H
#define PHX_STORE_JOURNAL_CUT_H

#include <pharos/store.h>

#include "store/folder.h"

typedef struct phx_journal_cut {
    uint64_t image_tick; /* of the image that was copied */
    uint64_t last_tick;  /* of the last record; image_tick: there is none */
} phx_journal_cut;

/*
 * Copies the newest image of a tick up to `from`, and the records behind it up to the tick `to`, into another folder,
 * durable; all or nothing. A journal that ends before `to` is copied as far as it goes. PH_OK; PH_EMPTY: no image is so
 * old; PH_TAKEN: the other folder has such a file; PH_IO; all of these with a reason; PH_NO_MEMORY.
 */
ph_status phx_journal_cut_copy(const phx_folder *folder, const phx_folder *other, const phx_disk *disk, uint64_t from,
                               uint64_t to, phx_journal_cut *cut, char *reason, size_t reason_size);

#endif

/*
 * Inside of a store. Belongs to the ticking thread, but for its thread.
 */
#ifndef PHX_STORE_STORE_H
#define PHX_STORE_STORE_H

#include "store/image_thread.h"
#include "store/journal_thread.h"

struct ph_store {
    ph_world world;
    uint32_t image_ticks;
    uint64_t due_tick;     /* an image is due from this tick on */
    uint64_t retry_tick;   /* ... behind a gap of the journal at the earliest from this one on */
    uint64_t counted_tick; /* the due tick that `late` has counted */
    int lock;
    _Atomic uint64_t late, short_of, capture_ns; /* by the ticking thread; relaxed: statistics */
    bool captured;                               /* at least one */
    phx_folder folder;
    phx_image_thread images;

    bool journals;          /* it keeps a journal */
    _Atomic bool recording; /* the next tick has a record; by the ticking thread, as all here; relaxed */
    bool begins;            /* the next record is the first behind an image */
    bool base_waits;        /* that image is on its way to the disk */
    uint64_t run;           /* the number of such records so far */
    uint64_t record_bytes;  /* of the record that is begun */
    _Atomic uint64_t base_tick, gaps, lost; /* relaxed: statistics; base: the image that the journal goes on from */
    phx_journal_thread journal;
};

/* ph_store_open() on another disk. */
ph_status phx_store_open_on(const phx_disk *disk, const ph_store_def *def, ph_world world, ph_store **store,
                            char *reason, size_t reason_size);

#endif

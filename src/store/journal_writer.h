/*
 * One file of a journal while it is written: its head, frames, its end. By the journal's thread, and by the cut of a
 * journal. Each call returns 0, or errno; behind an error the file is abandoned.
 */
#ifndef PHX_STORE_JOURNAL_WRITER_H
#define PHX_STORE_JOURNAL_WRITER_H

#include "store/disk.h"
#include "store/journal_frame.h"

typedef struct phx_journal_writer {
    const phx_disk *disk;
    int file; /* below 0: none is open */
    uint64_t bytes;
} phx_journal_writer;

/* Makes the file, with the tick of its first record. */
int phx_journal_writer_open(phx_journal_writer *to, const char *path, uint64_t tick);
/* Writes a frame with its record, which has room for its sum behind it. */
int phx_journal_writer_put(phx_journal_writer *to, phx_journal_frame_head *frame);
/* Writes the frame that ends the file. */
int phx_journal_writer_end(phx_journal_writer *to, uint64_t last_tick);
int phx_journal_writer_sync(phx_journal_writer *to);
/* Closes the file, if one is open. */
int phx_journal_writer_close(phx_journal_writer *to);

#endif

/*
 * Reads a file of a journal: its frames, one after the other, none of them trusted. By recovery and the program.
 */
#ifndef PHX_STORE_JOURNAL_FILE_H
#define PHX_STORE_JOURNAL_FILE_H

#include <stdio.h>

#include <pharos/store.h>

#include "store/journal_frame.h"

typedef struct phx_journal_file {
    FILE *file;
    uint64_t bytes, at; /* of the file, and read so far */
    phx_journal_file_head head;
    phx_journal_frame_head frame; /* the last one */
    uint64_t *record;             /* its record */
    uint64_t record_words;
    char reason[PH_STORE_REASON_SIZE]; /* of a refusal */
} phx_journal_file;

/* Opens it and reads its head. PH_OK, PH_IO, PH_BAD_RECORD, with a reason; close it in any case. */
ph_status phx_journal_file_open(phx_journal_file *from, const char *path);
/*
 * The next frame with its record. PH_OK; PH_EMPTY: behind the frame that ends the file; PH_PENDING: the file ends
 * without one, as a crash leaves it; PH_BAD_RECORD, PH_IO, with a reason; PH_NO_MEMORY.
 */
ph_status phx_journal_file_next(phx_journal_file *from);
/* Goes back to a byte where a frame begins, and looks how large the file is now. PH_OK; PH_IO, with a reason. */
ph_status phx_journal_file_again(phx_journal_file *from, uint64_t at);
void phx_journal_file_close(phx_journal_file *from);

#endif

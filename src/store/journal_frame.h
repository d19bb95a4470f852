/*
 * The bytes of a journal's file, FOLDER/NAME.TICK.phj: a head, then frames, all multiples of 8, little-endian.
 *
 *   head    phx_journal_file_head
 *   frame   phx_journal_frame_head, a record (ph_journal), u64 XXH3 of both
 *   end     a frame without a record: the file was closed; a file that a crash has left has none
 */
#ifndef PHX_STORE_JOURNAL_FRAME_H
#define PHX_STORE_JOURNAL_FRAME_H

#include <stdint.h>

#define PHX_JOURNAL_MAGIC "PHXJOURN"

enum { PHX_JOURNAL_FORMAT = 1, PHX_JOURNAL_FRAME_MAGIC = 0x464a4850 /* PHJF */ };

typedef struct phx_journal_file_head {
    char magic[8];
    uint64_t tick; /* of the first record */
    uint32_t format, library;
    uint64_t sum; /* of the bytes before it */
} phx_journal_file_head;

enum {
    PHX_JOURNAL_FRAME_RECORD = 1,
    PHX_JOURNAL_FRAME_FIRST = 2, /* a record behind a gap: a file begins with it */
    PHX_JOURNAL_FRAME_END = 3,   /* tick: that of the last record */
    PHX_JOURNAL_FRAME_SKIP = 4   /* in the ring alone: its end has no room */
};

typedef struct phx_journal_frame_head {
    uint32_t magic;
    uint16_t kind, flags; /* flags: PH_RECORD_... */
    uint64_t tick;
    uint64_t bytes; /* of the record */
} phx_journal_frame_head;

enum { PHX_JOURNAL_FRAME_SUM_BYTES = sizeof(uint64_t) };

static inline uint64_t phx_journal_frame_bytes(uint64_t record)
{
    return sizeof(phx_journal_frame_head) + record + PHX_JOURNAL_FRAME_SUM_BYTES;
}

#endif

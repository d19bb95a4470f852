/*
 * The records of a store's journal, a tick at a time, from file to file, in the order in which they were recorded. A
 * file ends where the next one begins: what it has beyond was recorded by a process that ended, before another one went
 * on from an earlier tick. By recovery and the programs, also while another process writes the files.
 */
#ifndef PHX_STORE_JOURNAL_WALK_H
#define PHX_STORE_JOURNAL_WALK_H

#include "store/folder.h"
#include "store/journal_file.h"

typedef struct phx_walk_record {
    void *bytes;
    size_t size;
} phx_walk_record;

typedef struct phx_journal_walk {
    const phx_folder *folder;
    uint64_t tick; /* the last one that was given */
    uint64_t end;  /* no later one is given */
    /* of the tick that was given: its applies, then the tick itself */
    phx_walk_record *records;
    size_t record_count, record_capacity;
    /* the file that is being read */
    bool open, headless, damaged;  /* headless: its head is not whole */
    bool gap;                      /* the next tick was lost: no more comes */
    bool at_end;                   /* the reason is about the end of the newest file */
    uint64_t file_tick, next_tick; /* its begin, and that of the one behind it; UINT64_MAX: none is known */
    uint64_t whole;                /* bytes of it that were given */
    phx_journal_file file;
    char *path;
    char reason[2 * PH_STORE_REASON_SIZE]; /* of the first damage, with its path; empty: there was none */
} phx_journal_walk;

/* Behind this tick, up to `end`. */
void phx_journal_walk_begin(phx_journal_walk *walk, const phx_folder *folder, uint64_t tick, uint64_t end);
void phx_journal_walk_free(phx_journal_walk *walk);

/*
 * The records of the next tick, which are there until the next call. PH_OK; PH_EMPTY: no more can be read, as the
 * journal ends, has a gap, or is damaged: a later call looks again, and goes on if it has grown. PH_BAD_RECORD: the
 * recorded world began again from an earlier tick than the last one given, with a reason. PH_IO: the folder, with a
 * reason. PH_NO_MEMORY.
 */
ph_status phx_journal_walk_next(phx_journal_walk *walk);

/*
 * Replays the records of the tick that was given, on a world of the tick before it. As ph_journal_replay();
 * PH_BAD_RECORD also if the world is not at that tick then: the frames say another one than the records.
 */
ph_status phx_journal_walk_replay(const phx_journal_walk *walk, ph_world world, char *reason, size_t reason_size);

#endif

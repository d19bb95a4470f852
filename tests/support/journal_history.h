/*
 * A world whose commands follow from the tick's number: so a recovered one is compared by its hash with an undisturbed
 * one, at whatever tick.
 */
#ifndef SUPPORT_JOURNAL_HISTORY_H
#define SUPPORT_JOURNAL_HISTORY_H

#include <pharos/pharos.h>
#include <pharos/store.h>

enum { HISTORY_TICKS = 4000, HISTORY_ENTITIES = 60 };

/* A world at tick 0. memory: its allocator; NULL: the library's. */
ph_world history_world(const ph_allocator *memory);
/* The commands of a tick, which then runs. */
void history_tick(ph_world world, ph_producer producer, uint64_t tick);
uint64_t history_hash(ph_world world);
/* Hashes of the undisturbed world behind each tick up to HISTORY_TICKS; the caller frees them. */
uint64_t *history_hashes(void);

/* The world of the files, at its tick that of the hashes; a new one if there is no file. reason: PH_STORE_REASON_SIZE.
 */
ph_world history_recover(const ph_store_def *def, const uint64_t *hashes, uint64_t *tick, char *reason);
/* Recovers a world of a tick in [least, most]. */
void history_expect(const ph_store_def *def, const uint64_t *hashes, uint64_t least, uint64_t most);

ph_store_stats history_stats(const ph_store *store);
/* The last tick that the store says is safe. */
uint64_t history_durable(const ph_store *store);

#endif

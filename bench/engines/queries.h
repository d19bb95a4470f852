/*
 * Times of the two queries that a server asks most: the targets and the observers of an entity; and of queries of
 * places. Used by engines/pharos.c between ticks; nothing of it is part of a tick's time.
 */
#ifndef PHX_BENCH_QUERIES_H
#define PHX_BENCH_QUERIES_H

#include <pharos/pharos.h>

#include "bench/base/engine.h"

/* Asks anywhere in the world, and verifies some lists, which have to be right. */
bool bench_places_measure(ph_world world, const ph_world_def *def, phx_mem *mem, bench_places *times,
                          bench_error *error);

/* Moves entities with ids from 1 on, and asks around each; ticks in between. */
bool bench_turns_measure(ph_world world, ph_producer producer, const ph_world_def *def, bench_turns *times,
                         bench_error *error);

/* Asks about entities drawn from ids 1..count, all of them in the world. */
bool bench_queries_measure(ph_world world, uint32_t count, phx_mem *mem, bench_queries *times, bench_error *error);

#endif

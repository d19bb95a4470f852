/*
 * The crowd of --federation: three equal parts, each in a square of its own; the squares stand in a row, and each is a
 * node's part of the world. Every entity walks around its home in a circle. Pure.
 *
 * A lingerer walks over a border and back all the time, never so far beyond that it is handed over: its owner finds it
 * in each search of another node's regions.
 */
#ifndef PHX_BENCH_FEDERATION_CROWD_H
#define PHX_BENCH_FEDERATION_CROWD_H

#include <pharos/pharos.h>

#include "base/mem.h"

enum {
    BENCH_FED_NODES = 3,
    BENCH_FED_TARGETS = 20,      /* of an observer */
    BENCH_FED_CIRCLE_TICKS = 16, /* of an entity's way around its home */
    BENCH_FED_LINGER_EVERY = 100 /* one of so many is a lingerer: each then sees some ten others, as all see 20 */
};

typedef enum bench_fed_crowd_kind {
    BENCH_FED_SPREAD, /* uniform */
    BENCH_FED_AWAY,   /* so far from the borders that no node sees another one's */
    BENCH_FED_LINGER  /* as SPREAD, but some are at the borders */
} bench_fed_crowd_kind;

/* The class of all, and the greatest step of a tick. */
static const float BENCH_FED_VIEW = 100.0f, BENCH_FED_MARGIN = 10.0f, BENCH_FED_STEP = 2.0f;

/* A crowd, at places by tick. Entity i has the id i + 1. */
typedef struct bench_fed_crowd {
    uint32_t count;
    float side;         /* of a node's part of the world, a square; they stand in a row */
    ph_position *homes; /* each walks in a circle around its own */
    ph_position *at;    /* in this tick */
    uint8_t *node;      /* that owns it */
} bench_fed_crowd;

/* All are within their nodes' parts: lingerers walk beside a border up to bench_fed_crowd_linger(). */
void bench_fed_crowd_make(bench_fed_crowd *crowd, phx_mem *mem, uint32_t count, bench_fed_crowd_kind kind,
                          uint64_t seed);
void bench_fed_crowd_free(bench_fed_crowd *crowd, phx_mem *mem);
/* Where an entity is in a tick. */
ph_position bench_fed_crowd_place(const bench_fed_crowd *crowd, uint32_t i, uint64_t tick);
/* The positions of a tick. */
void bench_fed_crowd_walk(bench_fed_crowd *crowd, uint64_t tick);
/* Entities that are nearer than so to a border. */
uint32_t bench_fed_crowd_near(const bench_fed_crowd *crowd, float width);
/* Lingerers of such a crowd walk over their border from now on. */
void bench_fed_crowd_linger(bench_fed_crowd *crowd);
uint32_t bench_fed_crowd_lingerers(const bench_fed_crowd *crowd);
/* Entities that are in another node's part in this tick. */
uint32_t bench_fed_crowd_beyond(const bench_fed_crowd *crowd);

#endif

/*
 * The scan of rescan-simd: the places of a run that are in range. The widest version that the
 * processor knows is chosen at run time; all of them find the same, in the same order.
 */
#ifndef PHX_BENCH_SCAN_H
#define PHX_BENCH_SCAN_H

#include "bench/baselines/sorted.h"

typedef struct scan_centre {
    float x, y;
    float square;  /* of the radius */
    uint32_t slot; /* its own: not a hit */
} scan_centre;

/*
 * Writes the slots of the places [begin, end) that are in range to hits, and up to
 * SORTED_PAD items of rubbish behind them; returns how many there are. Reads up to
 * SORTED_PAD places behind `end`.
 */
typedef uint32_t (*scan_fn)(const sorted *places, uint32_t begin, uint32_t end, scan_centre centre, uint32_t *hits);

/* The versions that this processor knows, the narrowest first: all of them find the same. */
uint32_t scan_count(void);
scan_fn scan_at(uint32_t index);

#endif

/*
 * A square world with two classes: 0 has targets alone, which see nothing, and 1 has observers with a band.
 */
#ifndef TESTS_UNIT_API_BANDED_WORLD_H
#define TESTS_UNIT_API_BANDED_WORLD_H

#include <pharos/pharos.h>

typedef struct banded_world {
    uint32_t shards; /* side by side */
    float side;
    float view, margin; /* of observers, as the next ones */
    uint32_t updates_max;
    ph_band band;
} banded_world;

/* The caller destroys it. */
ph_world banded_world_create(const banded_world *of);

#endif

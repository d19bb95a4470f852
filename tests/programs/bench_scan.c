/*
 * The scans of the bench's baseline rescan-simd: plain, AVX2 and AVX-512 find the same, in
 * the same order, on runs of all lengths and with places exactly at the radius.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "bench/baselines/scan.h"

enum { PLACES = 100, RUNS = 20000 };

static float x[PLACES + SORTED_PAD], y[PLACES + SORTED_PAD];
static uint32_t slots[PLACES + SORTED_PAD];

/* Half of them on whole numbers: distances of exactly 5 (3, 4) are common. */
static float draw(uint64_t *rng)
{
    float at = phx_rng_unit(rng) * 20 - 10;
    return phx_rng_below(rng, 2) == 0 ? (float)(int)at : at;
}

static void check(uint64_t *rng, uint64_t seed)
{
    sorted places = {.x = x, .y = y, .slots = slots, .count = PLACES};
    for (uint32_t i = 0; i < PLACES; i++) {
        x[i] = draw(rng);
        y[i] = draw(rng);
        slots[i] = i * 7;
    }
    uint32_t begin = phx_rng_below(rng, PLACES);
    uint32_t end = begin + phx_rng_below(rng, PLACES - begin + 1);
    scan_centre centre = {draw(rng), draw(rng), 25, phx_rng_below(rng, PLACES) * 7};
    uint32_t expected[PLACES + SORTED_PAD], found[PLACES + SORTED_PAD];
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) { /* not by scan_plain(), which is under test too */
        float dx = x[i] - centre.x;
        float dy = y[i] - centre.y;
        if (slots[i] != centre.slot && dx * dx + dy * dy <= 25) {
            expected[count++] = slots[i];
        }
    }
    for (uint32_t s = 0; s < scan_count(); s++) {
        uint32_t hits = scan_at(s)(&places, begin, end, centre, found);
        if (hits != count || memcmp(found, expected, count * sizeof *found) != 0) {
            printf("scan %u finds %u of %u places in [%u, %u), or others; seed %llu\n", s, hits, count, begin, end,
                   (unsigned long long)seed);
            exit(1);
        }
    }
}

int main(void)
{
    uint64_t seed = 1;
    uint64_t rng = seed;
    for (uint32_t i = 0; i < RUNS; i++) {
        check(&rng, seed);
    }
    printf("%u scans agree\n", scan_count());
    return 0;
}

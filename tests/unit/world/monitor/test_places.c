/*
 * The kernels that find places in a view, of each instruction set that this machine has, against the rule of monitor.h
 * for one body at a time; bodies have the states and coordinates that a store has, free slots' remains among them.
 */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "world/monitor/places_avx2.h"

enum { BODIES = 300, ROUNDS = 2000, GUARD = 0x5a5a5a5a };

static float some_coordinate(uint64_t *rng, float low, float high)
{
    const float odd[] = {low, high, nextafterf(low, -INFINITY), nextafterf(high, INFINITY), 0.0f, FLT_MAX, -FLT_MAX};
    const uint32_t turn = phx_rng_below(rng, 16);
    if (turn < sizeof odd / sizeof *odd) return odd[turn];
    return low + (high - low) * ((float)phx_rng_below(rng, 1u << 20) / (1u << 19) - 0.5f);
}

static uint32_t place_along(float p, float from, float to)
{
    volatile float scale = 65536.0f / (to - from), off = p - from, at = off * scale;
    return at >= 65535.0f ? 65535 : (uint32_t)at;
}

static bool is_shown(const phx_places_of *of, const phx_body *body)
{
    const phx_box box = of->shown.box;
    return body->x >= box.x0 && body->x <= box.x1 && body->y >= box.y0 && body->y <= box.y1 &&
           (body->state & of->among) == of->state;
}

static void check_kernel(ph_simd simd, const phx_places_of *of, const phx_body *bodies, phx_span slots)
{
    uint32_t got_slots[BODIES + PHX_KERNEL_PAD + 1], places[BODIES + PHX_KERNEL_PAD + 1], count = 0;
    const phx_box box = of->shown.box;
    got_slots[BODIES + PHX_KERNEL_PAD] = places[BODIES + PHX_KERNEL_PAD] = GUARD;
    const uint32_t got = phx_places_kernel_of(simd)(of, bodies, slots, (phx_places){got_slots, places});
    for (uint32_t slot = slots.first; slot < slots.end; slot++) {
        const phx_body *body = &bodies[slot];
        if (!is_shown(of, body)) continue;
        const uint32_t place = place_along(body->x, box.x0, box.x1) | place_along(body->y, box.y0, box.y1) << 16;
        cr_assert(count < got && got_slots[count] == slot && places[count] == place,
                  "simd %d: slot %u at %08x, not slot %u at %08x", (int)simd, got_slots[count], places[count], slot,
                  place);
        cr_assert_eq(phx_place_cell(place), (place >> 26) * PH_MONITOR_CELLS + (place >> 10) % PH_MONITOR_CELLS);
        count++;
    }
    cr_assert_eq(got, count, "simd %d: %u are shown, not %u", (int)simd, got, count);
    cr_assert(got_slots[BODIES + PHX_KERNEL_PAD] == GUARD && places[BODIES + PHX_KERNEL_PAD] == GUARD, "simd %d", simd);
}

Test(places, kernels)
{
    const ph_simd all[] = {PH_SIMD_PORTABLE, PH_SIMD_AVX2, PH_SIMD_AVX512};
    uint64_t rng = 32;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const float scale = phx_rng_below(&rng, 2) ? 1000.0f : 1e-12f, x = scale * (float)phx_rng_below(&rng, 9);
        const ph_monitor_view view = {.x0 = x - scale, .y0 = -scale, .x1 = x + scale, .y1 = 3 * scale};
        const phx_places_of of = {phx_shown_of(&view), PHX_SLOT_OWN | (round % 2 ? PHX_SLOT_APART : 0u), PHX_SLOT_OWN};
        const uint32_t count = phx_rng_below(&rng, BODIES), first = phx_rng_below(&rng, count + 1);
        phx_body *bodies = malloc(count * sizeof *bodies + 1); /* of just this size: a read behind it is seen */
        cr_assert_not_null(bodies);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t state = phx_rng_below(&rng, 4) ? PHX_SLOT_OWN : PHX_SLOT_GHOST;
            const uint32_t more = phx_rng_below(&rng, 3) ? 0 : (uint32_t)phx_rng_next(&rng) & ~7u;
            bodies[i] = (phx_body){.x = some_coordinate(&rng, view.x0, view.x1),
                                   .y = some_coordinate(&rng, view.y0, view.y1),
                                   .state = (uint16_t)(state | more),
                                   .changed = (uint16_t)phx_rng_next(&rng)};
            if (round % 8 == 7) bodies[i].state = PHX_SLOT_OWN, bodies[i].x = x, bodies[i].y = 0; /* all are shown */
        }
        for (uint32_t s = 0; s < sizeof all / sizeof *all; s++)
            if (phx_simd_supported(all[s])) check_kernel(all[s], &of, bodies, (phx_span){first, count});
        free(bodies);
    }
}

/*
 * base/far_copy.c: copies at all places within a line, of sizes around its steps, write the bytes and none beside them.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "base/core.h"
#include "base/far_copy.h"
#include "base/rng.h"

enum { ROOM = 12288, GUARD = 2 * PHX_CACHE_LINE, SIZES = 14 };

static _Alignas(PHX_CACHE_LINE) unsigned char from[ROOM], to[ROOM], wanted[ROOM];

/* Copies, and compares all bytes of the room. */
static void copy_and_compare(size_t at, size_t source, size_t bytes)
{
    memset(to, 0xa5, sizeof to);
    memset(wanted, 0xa5, sizeof wanted);
    memcpy(wanted + at, from + source, bytes);
    phx_far_copy(to + at, from + source, bytes);
    cr_assert_arr_eq(to, wanted, sizeof to, "%zu bytes to place %zu from %zu", bytes, at, source);
}

Test(far_copy, bytes_at_all_places)
{
    static const size_t sizes[SIZES] = {0,    1,    63,   64,   65,   4095, 4096,
                                        4097, 4159, 4160, 4161, 4224, 8192, ROOM - 2 * GUARD};
    uint64_t rng = 7;
    for (size_t i = 0; i < sizeof from; i++) from[i] = (unsigned char)phx_rng_next(&rng);
    for (size_t place = 0; place < PHX_CACHE_LINE; place++)
        for (size_t i = 0; i < SIZES; i++) {
            copy_and_compare(GUARD + place, GUARD, sizes[i]);
            copy_and_compare(GUARD + place, GUARD + (place * 7 + i) % PHX_CACHE_LINE, sizes[i]);
        }
}

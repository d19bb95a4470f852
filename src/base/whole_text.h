/*
 * Whole numbers in ranges of messages, as a person writes them: 2^30 and 2^31-1, not ten digits to be counted. Used by
 * the config library, by the checks of definitions and by the programs. Stateless.
 */
#ifndef PHX_BASE_WHOLE_TEXT_H
#define PHX_BASE_WHOLE_TEXT_H

#include <inttypes.h>
#include <stdio.h>

/* Room for phx_whole_text(). */
enum { PHX_WHOLE_TEXT_SIZE = 24 };

/* From here on a power of two, or the number before one, is written as such; below it digits are as short. */
enum { PHX_WHOLE_TEXT_POWER_MIN = 1 << 20 };

/* Returns text. */
static inline const char *phx_whole_text(uint64_t value, char text[PHX_WHOLE_TEXT_SIZE])
{
    const uint64_t next = value + 1; /* 0 behind 2^64-1 */

    if (value >= PHX_WHOLE_TEXT_POWER_MIN && (value & (value - 1)) == 0) {
        snprintf(text, PHX_WHOLE_TEXT_SIZE, "2^%d", __builtin_ctzll(value));
    } else if (value >= PHX_WHOLE_TEXT_POWER_MIN && (next & value) == 0) {
        snprintf(text, PHX_WHOLE_TEXT_SIZE, "2^%d-1", next == 0 ? 64 : __builtin_ctzll(next));
    } else {
        snprintf(text, PHX_WHOLE_TEXT_SIZE, "%" PRIu64, value);
    }
    return text;
}

#endif

/*
 * Numbers and the ranges of keys as text, for refusals, the dump of a config and its reference page. Stateless; the
 * callers print numbers under the C locale (base/c_locale.h).
 */
#ifndef PHX_BASE_KEY_TEXT_H
#define PHX_BASE_KEY_TEXT_H

#include <stdio.h>
#include <stdlib.h>

#include "base/key_table.h"
#include "base/whole_text.h"

/* Room for phx_number_write(): sign, 17 digits, point, exponent. */
enum { PHX_NUMBER_SIZE = 32 };

/*
 * The fewest digits that give the number back as a float64, or float32; without a plus
 * sign, which is no part of a number in a config file; plain, without an exponent, below
 * 10^9. Returns the length.
 */
static inline size_t phx_number_write(double value, bool is_f64, char *text, size_t size)
{
    double magnitude = value < 0 ? -value : value;
    int enough = is_f64 ? 17 : 9;
    int digits = 1;
    char *plus;

    for (double whole = 10; magnitude >= whole && magnitude < 1e9; whole *= 10) {
        digits++;
    }
    for (; digits <= enough; digits++) {
        int wrote = snprintf(text, size, "%.*g", digits, value);
        double back = is_f64 ? strtod(text, NULL) : (double)strtof(text, NULL);

        PHX_ASSERT(wrote > 0 && (size_t)wrote < size);
        if (!(back < value || back > value)) { /* NaN ends it too */
            break;
        }
    }
    plus = strchr(text, '+');
    if (plus != NULL) {
        memmove(plus, plus + 1, strlen(plus));
    }
    return strlen(text);
}

/* Room for phx_key_range_text(). */
enum { PHX_RANGE_TEXT_SIZE = 96 };

/* One end of a range: a whole number as phx_whole_text() has it, any other as it is read. */
static inline void phx_range_end_text(const phx_key *key, double value, char text[PHX_NUMBER_SIZE])
{
    const bool whole = value >= 0 && value < 0x1p53 && value - (double)(uint64_t)value <= 0;

    if (whole && phx_key_is_f64(key->type) && key->type != PHX_KEY_f64) {
        phx_whole_text((uint64_t)value, text);
    } else {
        phx_number_write(value, phx_key_is_f64(key->type), text, PHX_NUMBER_SIZE);
    }
}

/* "[1, 256]", "(0, 1e18]" of numbers above 0, "1 to 63 bytes", the form of servers, or the words of an enumeration.
 * Returns text. */
static inline const char *phx_key_range_text(const phx_key *key, char text[PHX_RANGE_TEXT_SIZE])
{
    uint32_t count = 0;
    const char *const *words = phx_key_words(key->type, &count);
    size_t used = 0;

    if (phx_key_is_64_bit(key->type)) {
        char max[PHX_WHOLE_TEXT_SIZE];

        snprintf(text, PHX_RANGE_TEXT_SIZE, "[0, %s]", phx_whole_text(UINT64_MAX, max));
        return text;
    }
    if (phx_key_is_list(key->type)) {
        snprintf(text, PHX_RANGE_TEXT_SIZE, "up to %d of the form %sHOST:PORT, or all %sHOST:PORT, of at most %d bytes",
                 PHX_SERVERS_MAX, phx_key_scheme(key->type, false), phx_key_scheme(key->type, true), PHX_SERVER_MAX);
        return text;
    }
    if (words == NULL) {
        /* The smallest float32 above 0 would say less than its digits do. */
        const bool above_0 = key->min > 0 && key->min <= PHX_F32_POSITIVE;
        char min[PHX_NUMBER_SIZE] = "0";
        char max[PHX_NUMBER_SIZE];

        if (!above_0) {
            phx_range_end_text(key, key->min, min);
        }
        phx_range_end_text(key, key->max, max);
        if (phx_key_is_text(key->type)) {
            snprintf(text, PHX_RANGE_TEXT_SIZE, "%s to %s bytes", min, max);
        } else {
            snprintf(text, PHX_RANGE_TEXT_SIZE, "%s%c%s, %s]", phx_key_has_0(key->type) ? "0 or " : "",
                     above_0 ? '(' : '[', min, max);
        }
        return text;
    }
    for (uint32_t i = 0; i < count && used < PHX_RANGE_TEXT_SIZE; i++) {
        int wrote = snprintf(text + used, PHX_RANGE_TEXT_SIZE - used, "%s%s", i == 0 ? "" : ", ", words[i]);

        PHX_ASSERT(wrote > 0 && used + (size_t)wrote < PHX_RANGE_TEXT_SIZE);
        used += (size_t)wrote;
    }
    return text;
}

#endif

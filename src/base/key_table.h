/*
 * The key lists of base/keys.h as tables: name, type, place in the struct, range. The
 * checks of a definition (src/api) and the whole config library (src/config) walk these.
 * Stateless; the callers print numbers under the C locale (base/c_locale.h).
 */
#ifndef PHX_BASE_KEY_TABLE_H
#define PHX_BASE_KEY_TABLE_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/types.h>

#include "base/core.h"
#include "base/keys.h"
#include "base/whole_text.h"

typedef enum phx_key_type {
    PHX_KEY_f32,
    PHX_KEY_f32x2,
    PHX_KEY_f64,
    PHX_KEY_u32,
    PHX_KEY_u32x2,
    PHX_KEY_range, /* from here four enumerations */
    PHX_KEY_shape,
    PHX_KEY_index,
    PHX_KEY_simd,
    PHX_KEY_u64,
    PHX_KEY_mask, /* from here of classes only */
    PHX_KEY_u8,
    PHX_KEY_flag,
    PHX_KEY_bytes,  /* from here of stores only: 64 bit with a range, ... */
    PHX_KEY_ring,   /* ... that, or 0 */
    PHX_KEY_folder, /* texts: min and max are bytes */
    PHX_KEY_label
} phx_key_type;

typedef struct phx_key {
    const char *name;
    const char *meaning;
    double min, max; /* inclusive; not of flags, masks and u64: all their values are good */
    phx_key_type type;
    uint32_t offset; /* in ph_world_def, ph_class, ph_band, or what has the values of a store */
    bool live;
} phx_key;

#define PHX_WORLD_KEY_ROW(type, name, a, b, min, max, live, meaning) \
    {#name, meaning, (double)(min), (double)(max), PHX_KEY_##type, offsetof(ph_world_def, name), live},
#define PHX_CLASS_KEY_ROW(type, name, value, min, max, meaning) \
    {#name, meaning, (double)(min), (double)(max), PHX_KEY_##type, offsetof(ph_class, name), true},
#define PHX_BAND_KEY_ROW(type, name, value, min, max, meaning) \
    {#name, meaning, (double)(min), (double)(max), PHX_KEY_##type, offsetof(ph_band, name), true},
#define PHX_WORLD_KEY_ONE(...) +1
#define PHX_CLASS_KEY_ONE(...) +1
#define PHX_BAND_KEY_PLACE(type, name, value, min, max, meaning) PHX_BAND_KEY_##name,
#define PHX_STORE_KEY_PLACE(type, name, value, min, max, meaning) PHX_STORE_KEY_##name,

enum {
    PHX_WORLD_KEY_COUNT = 0 PHX_WORLD_KEYS(PHX_WORLD_KEY_ONE),
    PHX_CLASS_KEY_COUNT = 0 PHX_CLASS_KEYS(PHX_CLASS_KEY_ONE)
};

/* Places in the table of a band's keys, and of a store's. */
enum { PHX_BAND_KEYS(PHX_BAND_KEY_PLACE) PHX_BAND_KEY_COUNT };
enum { PHX_STORE_KEYS(PHX_STORE_KEY_PLACE) PHX_STORE_KEY_COUNT };

/* Initialisers of a ph_store_def with the defaults of its numbers: PHX_STORE_KEYS(PHX_STORE_DEFAULT). */
#define PHX_DEFAULT_OF_TEXT(name, value)
#define PHX_DEFAULT_OF_NUMBER(name, value) .name = (value),
#define PHX_DEFAULT_folder PHX_DEFAULT_OF_TEXT
#define PHX_DEFAULT_label PHX_DEFAULT_OF_TEXT
#define PHX_DEFAULT_u32 PHX_DEFAULT_OF_NUMBER
#define PHX_DEFAULT_ring PHX_DEFAULT_OF_NUMBER
#define PHX_DEFAULT_bytes PHX_DEFAULT_OF_NUMBER
#define PHX_STORE_DEFAULT(type, name, value, min, max, meaning) PHX_DEFAULT_##type(name, value)

/* Initialise a `const phx_key [PHX_..._KEY_COUNT]`: src/api has its own, src/config, a library apart, too. */
#define PHX_WORLD_KEY_TABLE \
    { \
        PHX_WORLD_KEYS(PHX_WORLD_KEY_ROW) \
    }
#define PHX_CLASS_KEY_TABLE \
    { \
        PHX_CLASS_KEYS(PHX_CLASS_KEY_ROW) \
    }
#define PHX_BAND_KEY_TABLE \
    { \
        PHX_BAND_KEYS(PHX_BAND_KEY_ROW) \
    }

/* Enumerations are read and written as 32 bit numbers. */
_Static_assert(sizeof(ph_range) == 4 && sizeof(ph_shape) == 4, "enumerations of 32 bit");
_Static_assert(sizeof(ph_index) == 4 && sizeof(ph_simd) == 4, "enumerations of 32 bit");

/* The words of an enumeration and their number; NULL and 0 for any other type. */
static inline const char *const *phx_key_words(phx_key_type type, uint32_t *count)
{
    static const char *const range[] = {PHX_RANGE_WORDS};
    static const char *const shape[] = {PHX_SHAPE_WORDS};
    static const char *const index[] = {PHX_INDEX_WORDS};
    static const char *const simd[] = {PHX_SIMD_WORDS};

    switch (type) {
    case PHX_KEY_range:
        *count = sizeof range / sizeof *range;
        return range;
    case PHX_KEY_shape:
        *count = sizeof shape / sizeof *shape;
        return shape;
    case PHX_KEY_index:
        *count = sizeof index / sizeof *index;
        return index;
    case PHX_KEY_simd:
        *count = sizeof simd / sizeof *simd;
        return simd;
    default:
        *count = 0;
        return NULL;
    }
}

/* The characters of a class name: letters, digits, '_', '-' and '.' of ASCII, whatever the locale. */
static inline bool phx_is_name_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || byte == '-' || byte == '.';
}

/* 2 for a pair, else 1. */
static inline uint32_t phx_key_width(phx_key_type type)
{
    return type == PHX_KEY_f32x2 || type == PHX_KEY_u32x2 ? 2 : 1;
}

/* false: a float32, which needs fewer digits. Whole numbers are taken for float64. */
static inline bool phx_key_is_f64(phx_key_type type)
{
    return type != PHX_KEY_f32 && type != PHX_KEY_f32x2;
}

static inline bool phx_key_is_text(phx_key_type type)
{
    return type == PHX_KEY_folder || type == PHX_KEY_label;
}

/* 64 bit, and the range has whole numbers of a double alone. */
static inline bool phx_key_is_bytes(phx_key_type type)
{
    return type == PHX_KEY_bytes || type == PHX_KEY_ring;
}

/* 64 bit: every value is good, and not all fit a double. */
static inline bool phx_key_is_64_bit(phx_key_type type)
{
    return type == PHX_KEY_u64 || type == PHX_KEY_mask;
}

static inline uint64_t phx_key_64_bit(const phx_key *key, const void *base)
{
    uint64_t value;

    PHX_ASSERT(phx_key_is_64_bit(key->type) || phx_key_is_bytes(key->type));
    memcpy(&value, (const char *)base + key->offset, sizeof value);
    return value;
}

/* Element i of the key's value in `base` (the def or class), as a number. Not for masks, u64 and texts. */
static inline double phx_key_number(const phx_key *key, const void *base, uint32_t i)
{
    const char *at = (const char *)base + key->offset;
    float f32;
    double f64;
    uint32_t u32;

    PHX_ASSERT(i < phx_key_width(key->type));
    switch (key->type) {
    case PHX_KEY_f32:
    case PHX_KEY_f32x2:
        memcpy(&f32, at + i * sizeof f32, sizeof f32);
        return (double)f32;
    case PHX_KEY_f64:
        memcpy(&f64, at, sizeof f64);
        return f64;
    case PHX_KEY_u8:
    case PHX_KEY_flag:
        return (double)*(const unsigned char *)at;
    case PHX_KEY_bytes:
    case PHX_KEY_ring:
        return (double)phx_key_64_bit(key, base);
    default:
        break;
    }
    PHX_ASSERT(!phx_key_is_64_bit(key->type) && !phx_key_is_text(key->type));
    memcpy(&u32, at + i * sizeof u32, sizeof u32);
    return (double)u32;
}

/* NaN is in no range. */
static inline bool phx_key_in_range(const phx_key *key, double value)
{
    return (value >= key->min && value <= key->max) || (key->type == PHX_KEY_ring && value >= 0 && value <= 0);
}

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

/* "[1, 256]", "(0, 1e18]" of numbers above 0, "1 to 63 bytes", or the words of an enumeration. Returns text. */
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
            snprintf(text, PHX_RANGE_TEXT_SIZE, "%s%c%s, %s]", key->type == PHX_KEY_ring ? "0 or " : "",
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

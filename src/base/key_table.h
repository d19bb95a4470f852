/*
 * The key lists of base/keys.h as tables: name, type, place in the struct, range. The
 * checks of a definition (src/api) and the whole config library (src/config) walk these.
 * Stateless; numbers and ranges as text are in key_text.h.
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
    PHX_KEY_bytes, /* from here of stores only: 64 bit with a range, ... */
    PHX_KEY_ring,  /* ... that, or 0 */
    PHX_KEY_path,  /* texts: min and max are bytes */
    PHX_KEY_label,
    PHX_KEY_nats, /* from here of clusters only: servers, min and max are bytes of each, ... */
    PHX_KEY_etcd,
    PHX_KEY_store_loss, /* ... an enumeration, ... */
    PHX_KEY_u16,
    PHX_KEY_u32_or_0 /* ... and 32 bit with a range, or 0 */
} phx_key_type;

typedef struct phx_key {
    const char *name;
    const char *meaning;
    double min, max; /* inclusive; not of flags, masks and u64: all their values are good */
    phx_key_type type;
    uint32_t offset; /* in ph_world_def, ph_class, ph_band, or what has the values of a store or a cluster */
    bool live;
} phx_key;

/* Addresses of servers, as a key has them. */
typedef struct phx_servers {
    uint32_t count;
    char text[PHX_SERVERS_MAX][PHX_SERVER_MAX + 1];
} phx_servers;

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
#define PHX_CLUSTER_KEY_PLACE(type, name, a, b, min, max, meaning) PHX_CLUSTER_KEY_##name,

enum {
    PHX_WORLD_KEY_COUNT = 0 PHX_WORLD_KEYS(PHX_WORLD_KEY_ONE),
    PHX_CLASS_KEY_COUNT = 0 PHX_CLASS_KEYS(PHX_CLASS_KEY_ONE)
};

/* Places in the table of a band's keys, of a store's, and of a cluster's. */
enum { PHX_BAND_KEYS(PHX_BAND_KEY_PLACE) PHX_BAND_KEY_COUNT };
enum { PHX_STORE_KEYS(PHX_STORE_KEY_PLACE) PHX_STORE_KEY_COUNT };
enum { PHX_CLUSTER_KEYS(PHX_CLUSTER_KEY_PLACE) PHX_CLUSTER_KEY_COUNT };

/* Initialisers of a ph_store_def with the defaults of its numbers: PHX_STORE_KEYS(PHX_STORE_DEFAULT). */
#define PHX_DEFAULT_OF_TEXT(name, value)
#define PHX_DEFAULT_OF_NUMBER(name, value) .name = (value),
#define PHX_DEFAULT_path PHX_DEFAULT_OF_TEXT
#define PHX_DEFAULT_label PHX_DEFAULT_OF_TEXT
#define PHX_DEFAULT_u32 PHX_DEFAULT_OF_NUMBER
#define PHX_DEFAULT_ring PHX_DEFAULT_OF_NUMBER
#define PHX_DEFAULT_bytes PHX_DEFAULT_OF_NUMBER
#define PHX_STORE_DEFAULT(type, name, value, min, max, meaning) PHX_DEFAULT_##type(name, value)

/* Initialisers of a phc_def with the defaults that are not 0: PHX_CLUSTER_KEYS(PHX_CLUSTER_DEFAULT). */
#define PHX_MEMBER_DEFAULT_NONE(name, a, b)
#define PHX_MEMBER_DEFAULT_ONE(name, a, b) .name = (a),
#define PHX_MEMBER_DEFAULT_PAIR(name, a, b) .name = {(a), (b)},
#define PHX_MEMBER_DEFAULT_label PHX_MEMBER_DEFAULT_NONE
#define PHX_MEMBER_DEFAULT_path PHX_MEMBER_DEFAULT_NONE
#define PHX_MEMBER_DEFAULT_nats PHX_MEMBER_DEFAULT_NONE
#define PHX_MEMBER_DEFAULT_etcd PHX_MEMBER_DEFAULT_NONE
#define PHX_MEMBER_DEFAULT_store_loss PHX_MEMBER_DEFAULT_NONE
#define PHX_MEMBER_DEFAULT_u16 PHX_MEMBER_DEFAULT_ONE
#define PHX_MEMBER_DEFAULT_u32 PHX_MEMBER_DEFAULT_ONE
#define PHX_MEMBER_DEFAULT_u32_or_0 PHX_MEMBER_DEFAULT_ONE
#define PHX_MEMBER_DEFAULT_u32x2 PHX_MEMBER_DEFAULT_PAIR
#define PHX_MEMBER_DEFAULT_f32 PHX_MEMBER_DEFAULT_ONE
#define PHX_MEMBER_DEFAULT_flag PHX_MEMBER_DEFAULT_ONE
#define PHX_CLUSTER_DEFAULT(type, name, a, b, min, max, meaning) PHX_MEMBER_DEFAULT_##type(name, a, b)

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
    static const char *const store_loss[] = {PHX_STORE_LOSS_WORDS};

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
    case PHX_KEY_store_loss:
        *count = sizeof store_loss / sizeof *store_loss;
        return store_loss;
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

/* Further characters of a server's address: of nats://user:password@[::1]:4222 */
static inline bool phx_is_address_byte(char byte)
{
    return byte == '/' || byte == ':' || byte == '@' || byte == '[' || byte == ']';
}

/* Any number of values up to the width. */
static inline bool phx_key_is_list(phx_key_type type)
{
    return type == PHX_KEY_nats || type == PHX_KEY_etcd;
}

/* 2 for a pair, the most values of a list, else 1. */
static inline uint32_t phx_key_width(phx_key_type type)
{
    if (phx_key_is_list(type)) {
        return PHX_SERVERS_MAX;
    }
    return type == PHX_KEY_f32x2 || type == PHX_KEY_u32x2 ? 2 : 1;
}

/* Bytes of one of its values, where it is a number. */
static inline size_t phx_key_bytes(phx_key_type type)
{
    switch (type) {
    case PHX_KEY_f64:
    case PHX_KEY_u64:
    case PHX_KEY_mask:
        return sizeof(uint64_t);
    case PHX_KEY_u8:
    case PHX_KEY_flag:
        return sizeof(uint8_t);
    default:
        return sizeof(uint32_t);
    }
}

/* Addresses of such servers begin so, with TLS or without. */
static inline const char *phx_key_scheme(phx_key_type type, bool is_tls)
{
    if (type == PHX_KEY_nats) {
        return is_tls ? "tls://" : "nats://";
    }
    return is_tls ? "https://" : "http://";
}

/* false: a float32, which needs fewer digits. Whole numbers are taken for float64. */
static inline bool phx_key_is_f64(phx_key_type type)
{
    return type != PHX_KEY_f32 && type != PHX_KEY_f32x2;
}

static inline bool phx_key_is_text(phx_key_type type)
{
    return type == PHX_KEY_path || type == PHX_KEY_label;
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

/* Element i of the key's value in `base` (the def or class), as a number. Not for masks, u64, texts and lists. */
static inline double phx_key_number(const phx_key *key, const void *base, uint32_t i)
{
    const char *at = (const char *)base + key->offset;
    float f32;
    double f64;
    uint32_t u32;
    uint16_t u16;

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
    case PHX_KEY_u16:
        memcpy(&u16, at, sizeof u16);
        return (double)u16;
    case PHX_KEY_bytes:
    case PHX_KEY_ring:
        return (double)phx_key_64_bit(key, base);
    default:
        break;
    }
    PHX_ASSERT(!phx_key_is_64_bit(key->type) && !phx_key_is_text(key->type) && !phx_key_is_list(key->type));
    memcpy(&u32, at + i * sizeof u32, sizeof u32);
    return (double)u32;
}

/* 0 is good too, outside the range. */
static inline bool phx_key_has_0(phx_key_type type)
{
    return type == PHX_KEY_ring || type == PHX_KEY_u32_or_0;
}

/* NaN is in no range. */
static inline bool phx_key_in_range(const phx_key *key, double value)
{
    return (value >= key->min && value <= key->max) || (phx_key_has_0(key->type) && value >= 0 && value <= 0);
}

#endif

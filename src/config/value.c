/*
 * Values as text. One reader per kind of value; each tells a text that is no such value
 * from a value out of range. Called while a file or an assignment is read, and by dump.
 */
#include "config/value.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include <confuse.h>

#include "base/key_text.h"
#include "config/servers.h"

/* The most that a reason quotes of a value; more does not help to find it. */
#define QUOTED "%.64s"

__attribute__((format(printf, 2, 3))) static bool wrong(char reason[PHX_VALUE_REASON_SIZE], const char *format, ...)
{
    va_list list;

    va_start(list, format);
    (void)vsnprintf(reason, PHX_VALUE_REASON_SIZE, format, list);
    va_end(list);
    return false;
}

static bool outside(const phx_key *key, const char *text, char reason[PHX_VALUE_REASON_SIZE])
{
    char range[PHX_RANGE_TEXT_SIZE];

    return wrong(reason, "%s = " QUOTED " is outside %s", key->name, text, phx_key_range_text(key, range));
}

/* strtod() also takes blanks, hexadecimal, "inf" and "nan"; a config does not. */
static bool looks_like_number(const char *text)
{
    return strspn(text, "+-.0123456789eE") == strlen(text) && strpbrk(text, "0123456789") != NULL;
}

static bool read_float(const phx_key *key, void *at, uint32_t i, const char *text, char reason[PHX_VALUE_REASON_SIZE])
{
    char range[PHX_RANGE_TEXT_SIZE];
    bool is_f64 = key->type == PHX_KEY_f64;
    char *end = NULL;
    float f32 = 0;
    double value;

    if (!looks_like_number(text)) {
        return wrong(reason, "%s = '" QUOTED "' is not a number in %s", key->name, text,
                     phx_key_range_text(key, range));
    }
    errno = 0;
    if (is_f64) {
        value = strtod(text, &end) + 0.0; /* makes -0 a 0 */
    } else {
        f32 = strtof(text, &end) + 0.0f; /* not by strtod(), which would round twice */
        value = (double)f32;
    }
    if (*end != '\0') {
        return wrong(reason, "%s = '" QUOTED "' is not a number in %s", key->name, text,
                     phx_key_range_text(key, range));
    }
    if (errno == ERANGE && fabs(value) < 1) {
        return wrong(reason, "%s = " QUOTED " is too near to 0 for its type; it may be in %s", key->name, text,
                     phx_key_range_text(key, range));
    }
    if (!phx_key_in_range(key, value)) {
        return outside(key, text, reason);
    }
    if (is_f64) {
        memcpy(at, &value, sizeof value);
    } else {
        memcpy((char *)at + i * sizeof f32, &f32, sizeof f32);
    }
    return true;
}

static bool read_whole(const phx_key *key, void *at, uint32_t i, const char *text, char reason[PHX_VALUE_REASON_SIZE])
{
    char range[PHX_RANGE_TEXT_SIZE];
    const char *digits = *text == '-' ? text + 1 : text;
    unsigned long long value;
    uint64_t u64;
    uint32_t u32;

    if (*digits == '\0' || strspn(digits, "0123456789") != strlen(digits)) {
        return wrong(reason, "%s = '" QUOTED "' is not a whole number in %s", key->name, text,
                     phx_key_range_text(key, range));
    }
    errno = 0;
    value = strtoull(digits, NULL, 10);
    if (errno == ERANGE || *text == '-' || !phx_key_in_range(key, (double)value)) {
        return outside(key, text, reason);
    }
    if (key->type == PHX_KEY_u16) {
        const uint16_t u16 = (uint16_t)value;

        PHX_ASSERT(value <= UINT16_MAX);
        memcpy(at, &u16, sizeof u16);
        return true;
    }
    if (key->type == PHX_KEY_u8) {
        PHX_ASSERT(value <= UINT8_MAX);
        *(uint8_t *)at = (uint8_t)value;
        return true;
    }
    if (phx_key_is_bytes(key->type)) {
        u64 = value;
        memcpy(at, &u64, sizeof u64);
        return true;
    }
    PHX_ASSERT(value <= UINT32_MAX);
    u32 = (uint32_t)value;
    memcpy((char *)at + i * sizeof u32, &u32, sizeof u32);
    return true;
}

static bool read_64_bit(const phx_key *key, void *at, const char *text, char reason[PHX_VALUE_REASON_SIZE])
{
    char range[PHX_RANGE_TEXT_SIZE];
    bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = is_hex ? text + 2 : text;
    const char *known = is_hex ? "0123456789abcdefABCDEF" : "0123456789";
    uint64_t value;

    if (*digits == '\0' || strspn(digits, known) != strlen(digits)) {
        return wrong(reason, "%s = '" QUOTED "' is not a %s: decimal, or 0x and hexadecimal, in %s", key->name, text,
                     key->type == PHX_KEY_mask ? "mask" : "whole number", phx_key_range_text(key, range));
    }
    errno = 0;
    value = strtoull(digits, NULL, is_hex ? 16 : 10);
    if (errno == ERANGE) {
        return outside(key, text, reason);
    }
    memcpy(at, &value, sizeof value);
    return true;
}

static bool read_flag(const phx_key *key, void *at, const char *text, char reason[PHX_VALUE_REASON_SIZE])
{
    int value = cfg_parse_boolean(text);

    if (strcmp(text, "0") == 0 || strcmp(text, "1") == 0) {
        value = text[0] - '0';
    }
    if (value != 0 && value != 1) {
        return wrong(reason, "%s = '" QUOTED "' is neither true nor false (yes, no, on, off, 1, 0)", key->name, text);
    }
    *(bool *)at = value == 1;
    return true;
}

static bool read_word(const phx_key *key, void *at, const char *text, char reason[PHX_VALUE_REASON_SIZE])
{
    char range[PHX_RANGE_TEXT_SIZE];
    uint32_t count;
    const char *const *words = phx_key_words(key->type, &count);

    PHX_ASSERT(words != NULL);
    for (uint32_t value = 0; value < count; value++) {
        if (strcmp(words[value], text) == 0) {
            PHX_ASSERT(phx_key_in_range(key, value));
            memcpy(at, &value, sizeof value);
            return true;
        }
    }
    return wrong(reason, "%s = '" QUOTED "' is none of: %s", key->name, text, phx_key_range_text(key, range));
}

/* A text goes to an array of max + 1 bytes. */
static bool read_text(const phx_key *key, void *at, const char *text, char reason[PHX_VALUE_REASON_SIZE])
{
    const bool is_label = key->type == PHX_KEY_label;
    char range[PHX_RANGE_TEXT_SIZE];
    size_t bytes = 0;

    for (; text[bytes] != '\0'; bytes++) {
        const bool good = is_label ? phx_is_name_byte(text[bytes]) && text[bytes] != '.'
                                   : phx_is_name_byte(text[bytes]) || text[bytes] == '/';

        if (!good) {
            return wrong(reason, "%s = '" QUOTED "' has another byte than letters, digits, %s", key->name, text,
                         is_label ? "'_' and '-'" : "'_', '-', '.' and '/'");
        }
    }
    if (!phx_key_in_range(key, (double)bytes)) {
        return wrong(reason, "%s = '" QUOTED "' has %zu bytes, and may have %s", key->name, text, bytes,
                     phx_key_range_text(key, range));
    }
    memcpy(at, text, bytes + 1);
    return true;
}

static bool read_server(const phx_key *key, phx_servers *servers, uint32_t i, const char *text,
                        char reason[PHX_VALUE_REASON_SIZE])
{
    char range[PHX_RANGE_TEXT_SIZE];

    return phx_servers_set(key, servers, i, text) ||
           wrong(reason, "%s = '" QUOTED "' is refused: it has %s", key->name, text, phx_key_range_text(key, range));
}

bool phx_value_read(const phx_key *key, void *base, uint32_t i, const char *text, char reason[PHX_VALUE_REASON_SIZE])
{
    void *at = (char *)base + key->offset;

    PHX_ASSERT(i < phx_key_width(key->type));
    switch (key->type) {
    case PHX_KEY_f32:
    case PHX_KEY_f32x2:
    case PHX_KEY_f64:
        return read_float(key, at, i, text, reason);
    case PHX_KEY_u32:
    case PHX_KEY_u32x2:
    case PHX_KEY_u8:
    case PHX_KEY_u16:
    case PHX_KEY_u32_or_0:
    case PHX_KEY_bytes:
    case PHX_KEY_ring:
        return read_whole(key, at, i, text, reason);
    case PHX_KEY_path:
    case PHX_KEY_label:
        return read_text(key, at, text, reason);
    case PHX_KEY_nats:
    case PHX_KEY_etcd:
        return read_server(key, at, i, text, reason);
    case PHX_KEY_u64:
    case PHX_KEY_mask:
        return read_64_bit(key, at, text, reason);
    case PHX_KEY_flag:
        return read_flag(key, at, text, reason);
    case PHX_KEY_range:
    case PHX_KEY_shape:
    case PHX_KEY_index:
    case PHX_KEY_simd:
    case PHX_KEY_store_loss:
        break;
    }
    return read_word(key, at, text, reason);
}

/* ================================= writing ================================= */

static size_t write_element(const phx_key *key, const void *base, uint32_t i, char *text, size_t size)
{
    uint32_t count;
    const char *const *words = phx_key_words(key->type, &count);
    double value = phx_key_number(key, base, i);
    int wrote;

    switch (key->type) {
    case PHX_KEY_f32:
    case PHX_KEY_f32x2:
        return phx_number_write(value, false, text, size);
    case PHX_KEY_f64:
        return phx_number_write(value, true, text, size);
    case PHX_KEY_flag:
        wrote = snprintf(text, size, "%s", value > 0 ? "true" : "false");
        break;
    default:
        if (words != NULL) {
            PHX_ASSERT(value < count);
            wrote = snprintf(text, size, "%s", words[(uint32_t)value]);
        } else {
            wrote = snprintf(text, size, "%.0f", value);
        }
    }
    PHX_ASSERT(wrote > 0 && (size_t)wrote < size);
    return (size_t)wrote;
}

const char *phx_value_write(const phx_key *key, const void *base, char text[PHX_VALUE_SIZE])
{
    size_t used;

    if (key->type == PHX_KEY_mask) {
        snprintf(text, PHX_VALUE_SIZE, "0x%" PRIx64, phx_key_64_bit(key, base));
    } else if (key->type == PHX_KEY_u64) {
        snprintf(text, PHX_VALUE_SIZE, "%" PRIu64, phx_key_64_bit(key, base));
    } else if (phx_key_is_text(key->type)) {
        snprintf(text, PHX_VALUE_SIZE, "\"%s\"", (const char *)base + key->offset);
    } else if (phx_key_is_list(key->type)) {
        phx_servers_write((const void *)((const char *)base + key->offset), text, PHX_VALUE_SIZE);
    } else if (phx_key_width(key->type) == 1) {
        write_element(key, base, 0, text, PHX_VALUE_SIZE);
    } else {
        text[0] = '{';
        used = 1 + write_element(key, base, 0, text + 1, PHX_VALUE_SIZE - 1);
        memcpy(text + used, ", ", 3);
        used += 2;
        used += write_element(key, base, 1, text + used, PHX_VALUE_SIZE - used);
        PHX_ASSERT(used + 1 < PHX_VALUE_SIZE);
        memcpy(text + used, "}", 2);
    }
    return text;
}

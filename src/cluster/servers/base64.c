/*
 * Base64; see base64.h.
 */
#include "cluster/servers/base64.h"

#include <stdint.h>
#include <string.h>

void phx_base64_encode(char *text, const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *at = bytes;
    for (size_t left = size; left > 0; text += 4) {
        const size_t taken = left < 3 ? left : 3;
        const uint32_t bits = (uint32_t)at[0] << 16 | (taken > 1 ? (uint32_t)at[1] << 8 : 0) | (taken > 2 ? at[2] : 0u);
        text[0] = digits[bits >> 18];
        text[1] = digits[bits >> 12 & 63];
        text[2] = digits[bits >> 6 & 63];
        text[3] = digits[bits & 63];
        memset(text + 1 + taken, '=', 3 - taken);
        at += taken;
        left -= taken;
    }
    *text = '\0';
}

/* -1: no digit */
static int digit_value(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool phx_base64_decode(void *bytes, size_t *size, const char *text)
{
    const size_t length = strlen(text);
    const size_t padding = length == 0 || text[length - 1] != '=' ? 0 : length > 1 && text[length - 2] == '=' ? 2 : 1;
    unsigned char *to = bytes;
    uint32_t bits = 0;
    size_t count = 0;
    if (length % 4 != 0) return false;
    for (size_t i = 0; i < length; i++) {
        const int value = i + padding >= length ? 0 : digit_value(text[i]);
        if (value < 0) return false;
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 != 3) continue;
        const size_t given = i + 1 == length ? 3 - padding : 3;
        for (size_t n = 0; n < given; n++, count++) {
            if (count == *size) return false;
            if (to) to[count] = (unsigned char)(bits >> (16 - 8 * n));
        }
        bits = 0;
    }
    *size = count;
    return true;
}

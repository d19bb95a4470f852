/*
 * Copies past the caches; see far_copy.h.
 */
#include "base/far_copy.h"

#include <stdint.h>
#include <string.h>

#include "base/core.h"

/* Sanitizers do not see such stores. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SEEN_STORES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SEEN_STORES 1
#endif
#endif

#if defined(__SSE2__) && !defined(SEEN_STORES)
#include <emmintrin.h>

enum { LEAST = 4096 }; /* below, the fence costs more than the lines */

/* Whole lines: a part of one would be read from memory for its rest. */
static void copy_lines(char *to, const char *from, size_t bytes)
{
    enum { PART = sizeof(__m128i), PARTS = PHX_CACHE_LINE / PART };
    for (size_t at = 0; at < bytes; at += PHX_CACHE_LINE) {
        __m128i parts[PARTS];
        for (size_t i = 0; i < PARTS; i++) parts[i] = _mm_loadu_si128((const void *)(from + at + i * PART));
        for (size_t i = 0; i < PARTS; i++) _mm_stream_si128((void *)(to + at + i * PART), parts[i]);
    }
    _mm_sfence(); /* such stores come in any order with later ones, also with a release */
}

void phx_far_copy(void *to, const void *from, size_t bytes)
{
    const size_t past = (uintptr_t)to % PHX_CACHE_LINE, first = past == 0 ? 0 : PHX_CACHE_LINE - past;
    if (bytes < LEAST) {
        memcpy(to, from, bytes);
        return;
    }
    const size_t lines = (bytes - first) / PHX_CACHE_LINE * PHX_CACHE_LINE, last = first + lines;
    memcpy(to, from, first);
    copy_lines((char *)to + first, (const char *)from + first, lines);
    memcpy((char *)to + last, (const char *)from + last, bytes - last);
}
#else
void phx_far_copy(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}
#endif

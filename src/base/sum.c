/*
 * Sums of bytes; see sum.h.
 */
#include "base/sum.h"

#include <string.h>

#include "base/rng.h"

enum { WORD = sizeof(uint64_t) };

phx_sum phx_sum_begin(void)
{
    return (phx_sum){.lanes = {1, 2, 3, 4}};
}

static uint64_t sum_word(uint64_t lane, uint64_t word)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    const uint64_t mixed = (lane ^ word) * odd; /* one to one in both, so that no change of a word is lost */
    return mixed << 29 | mixed >> 35;
}

/* One word into the next lane. */
static void sum_next(phx_sum *sum, const char *at)
{
    uint64_t word, *lane = &sum->lanes[sum->words++ % PHX_SUM_LANES];
    memcpy(&word, at, sizeof word);
    *lane = sum_word(*lane, word);
}

void phx_sum_add(phx_sum *sum, const void *bytes, size_t size)
{
    const char *at = bytes;
    size_t words = size / WORD;
    PHX_ASSERT(size % WORD == 0);
    for (; words > 0 && sum->words % PHX_SUM_LANES != 0; words--, at += WORD) sum_next(sum, at);
    const size_t rounds = words / PHX_SUM_LANES;
    uint64_t a = sum->lanes[0], b = sum->lanes[1], c = sum->lanes[2], d = sum->lanes[3]; /* in registers */
    for (size_t i = 0; i < rounds; i++, at += PHX_SUM_LANES * WORD) {
        uint64_t word[PHX_SUM_LANES];
        memcpy(word, at, sizeof word);
        a = sum_word(a, word[0]);
        b = sum_word(b, word[1]);
        c = sum_word(c, word[2]);
        d = sum_word(d, word[3]);
    }
    memcpy(sum->lanes, (uint64_t[PHX_SUM_LANES]){a, b, c, d}, sizeof sum->lanes);
    sum->words += rounds * PHX_SUM_LANES;
    for (words %= PHX_SUM_LANES; words > 0; words--, at += WORD) sum_next(sum, at);
}

uint64_t phx_sum_end(const phx_sum *sum)
{
    uint64_t mixed = sum->words;
    for (uint32_t i = 0; i < PHX_SUM_LANES; i++) mixed = phx_mix64(mixed ^ sum->lanes[i]);
    return mixed;
}

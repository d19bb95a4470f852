/*
 * Tagged words: a number and flags in 32 bits. Each kind has a type of its own, with constructors and readers, so that
 * a flag of one kind is not read from a word of another kind; bits 30 and 31 mean something else in each. The types
 * cost nothing. Pure functions, called in every phase.
 *
 * Columns hold words as they are, as uint32_t: kernels (simd/) read, write and sort whole columns. That is the border:
 * simd/ uses the bits below by name, all other code reads a word of a column with ..._at() and writes its .bits.
 */
#ifndef PHX_SHARDS_ENTITY_TAGGED_WORD_H
#define PHX_SHARDS_ENTITY_TAGGED_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shards/entity/bounds.h"

/* ---- bits, for simd/ and its tests alone ---- */

static const uint32_t PHX_ROW_SPECIAL = 1u << 31;       /* row word, target word */
static const uint32_t PHX_ROW_SLOT = PHX_SLOTS_MAX - 1; /* row word, target word */
static const uint32_t PHX_TARGET_LEAVE = 1u << 30;      /* target word */
static const uint32_t PHX_CELL_MOVED = 1u << 31;        /* cell word */
static const uint32_t PHX_PAIR_LEAVE = 1u << 31;        /* pair word */
static const uint32_t PHX_PAIR_UNSURE = 1u << 30;       /* pair word */
static const uint32_t PHX_PAIR_PLACE = (1u << 30) - 1;  /* pair word */

/* ---- row word: the slot of a grid row ---- */

typedef struct phx_row_word {
    uint32_t bits;
} phx_row_word;

/* special: the visibility rule needs this target's attributes. */
static inline phx_row_word phx_row_word_of(uint32_t slot, bool special)
{
    return (phx_row_word){slot | (special ? PHX_ROW_SPECIAL : 0)};
}

/*
 * The word of a gap between two tower blocks. Spans never contain gaps. Its view is 0 and its slot decodes to 0, so
 * loops over all rows may read it; its other columns are undefined.
 */
static inline phx_row_word phx_row_word_gap(void)
{
    return (phx_row_word){1u << 30};
}

static inline phx_row_word phx_row_word_at(const uint32_t *column, size_t row)
{
    return (phx_row_word){column[row]};
}

static inline uint32_t phx_row_word_slot(phx_row_word word)
{
    return word.bits & PHX_ROW_SLOT;
}

static inline bool phx_row_word_special(phx_row_word word)
{
    return word.bits & PHX_ROW_SPECIAL;
}

static inline bool phx_row_word_is_gap(phx_row_word word)
{
    return word.bits == phx_row_word_gap().bits;
}

/* ---- target word: the target of an event that is in no order yet; a row word is one of an enter ---- */

typedef struct phx_target_word {
    uint32_t bits;
} phx_target_word;

static inline phx_target_word phx_target_word_of(uint32_t slot, bool leaves)
{
    return (phx_target_word){slot | leaves * PHX_TARGET_LEAVE}; /* no branch */
}

/* The same if the row may be a previous one, which is special: */
static inline phx_target_word phx_target_word_of_event(uint32_t slot, bool leaves, bool previous)
{
    return (phx_target_word){slot | leaves * PHX_TARGET_LEAVE | previous * PHX_ROW_SPECIAL};
}

/* Of a previous row: it can only leave, and is special, as the entity may have a current row with other attributes. */
static inline phx_target_word phx_target_word_of_previous(uint32_t slot)
{
    return (phx_target_word){slot | PHX_ROW_SPECIAL | PHX_TARGET_LEAVE};
}

static inline phx_target_word phx_target_word_of_row(phx_row_word row)
{
    return (phx_target_word){row.bits};
}

static inline phx_target_word phx_target_word_at(const uint32_t *column, size_t i)
{
    return (phx_target_word){column[i]};
}

static inline uint32_t phx_target_word_slot(phx_target_word word)
{
    return word.bits & PHX_ROW_SLOT;
}

static inline bool phx_target_word_leaves(phx_target_word word)
{
    return word.bits & PHX_TARGET_LEAVE;
}

/* The same word as an enter: without the flag of a leave. */
static inline phx_target_word phx_target_word_entering(phx_target_word word)
{
    return (phx_target_word){word.bits & ~PHX_TARGET_LEAVE};
}

static inline bool phx_target_word_special(phx_target_word word)
{
    return word.bits & PHX_ROW_SPECIAL;
}

/* ---- tile row word: the row of a place in a tile, or the number of one of the shard's previous rows ---- */

typedef struct phx_tile_row_word {
    uint32_t bits;
} phx_tile_row_word;

static inline phx_tile_row_word phx_tile_row_word_of_previous(uint32_t number)
{
    return (phx_tile_row_word){number | 1u << 31};
}

static inline phx_tile_row_word phx_tile_row_word_at(const uint32_t *column, size_t place)
{
    return (phx_tile_row_word){column[place]};
}

static inline bool phx_tile_row_word_is_previous(phx_tile_row_word word)
{
    return word.bits >> 31;
}

/* The number of the row, or of the previous row. */
static inline uint32_t phx_tile_row_word_number(phx_tile_row_word word)
{
    return word.bits & ~(1u << 31);
}

/* ---- cell word: the cell of a row in a tile, and whether the row moved ---- */

typedef struct phx_cell_word {
    uint32_t bits;
} phx_cell_word;

static inline phx_cell_word phx_cell_word_at(const uint32_t *column, size_t place)
{
    return (phx_cell_word){column[place]};
}

static inline uint32_t phx_cell_word_cell(phx_cell_word word)
{
    return word.bits & ~PHX_CELL_MOVED;
}

/* The flag that kernels set in words of rows that moved, if `wanted`. */
static inline uint32_t phx_cell_word_flag(bool wanted)
{
    return wanted ? PHX_CELL_MOVED : 0;
}

static inline bool phx_cell_word_moved(phx_cell_word word)
{
    return word.bits >> 31;
}

/* ---- pair word: the observer's place of a pair in a tile, or the row that a query found; what the event is ---- */

typedef struct phx_pair_word {
    uint32_t bits;
} phx_pair_word;

/* unsure: 16 bits can not decide the pair, or it is no event. */
static inline phx_pair_word phx_pair_word_of(uint32_t place, bool leaves, bool unsure)
{
    return (phx_pair_word){place | leaves * PHX_PAIR_LEAVE | unsure * PHX_PAIR_UNSURE}; /* no branch */
}

static inline phx_pair_word phx_pair_word_at(const uint32_t *column, size_t pair)
{
    return (phx_pair_word){column[pair]};
}

static inline uint32_t phx_pair_word_place(phx_pair_word word)
{
    return word.bits & PHX_PAIR_PLACE;
}

/* The same pair; none: without an event. */
static inline phx_pair_word phx_pair_word_with(phx_pair_word word, bool none)
{
    return (phx_pair_word){word.bits | none * PHX_PAIR_UNSURE}; /* no branch */
}

/* The same flags at another place. */
static inline phx_pair_word phx_pair_word_moved_to(phx_pair_word word, uint32_t place)
{
    return (phx_pair_word){place | (word.bits & ~PHX_PAIR_PLACE)};
}

/* ---- sparse word: the target of a sparse plan's event, a row or the number of a previous row ---- */

typedef struct phx_sparse_word {
    uint32_t bits;
} phx_sparse_word;

/* Of a row that a query found. */
static inline phx_sparse_word phx_sparse_word_of_row(phx_pair_word found)
{
    return (phx_sparse_word){found.bits};
}

static inline phx_sparse_word phx_sparse_word_of_previous(uint32_t number)
{
    return (phx_sparse_word){number | 1u << 30 | 1u << 31};
}

static inline uint32_t phx_sparse_word_number(phx_sparse_word word)
{
    return word.bits & ((1u << 30) - 1);
}

static inline bool phx_sparse_word_is_previous(phx_sparse_word word)
{
    return word.bits >> 30 & 1;
}

static inline bool phx_sparse_word_leaves(phx_sparse_word word)
{
    return word.bits >> 31;
}

/* ---- crossing word: the number of a crossing (ninegrid/ninegrid.h) that a tower sees come or go ---- */

typedef struct phx_crossing_word {
    uint32_t bits;
} phx_crossing_word;

static inline phx_crossing_word phx_crossing_word_of(uint32_t number, bool enters, bool special)
{
    return (phx_crossing_word){number | (uint32_t)enters << 31 | (uint32_t)special << 30};
}

static inline uint32_t phx_crossing_word_number(phx_crossing_word word)
{
    return word.bits & ((1u << 30) - 1);
}

static inline bool phx_crossing_word_enters(phx_crossing_word word)
{
    return word.bits >> 31;
}

static inline bool phx_crossing_word_special(phx_crossing_word word)
{
    return word.bits >> 30 & 1;
}

#endif

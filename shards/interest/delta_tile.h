/*
 * The tile delta: events of an observer from old and new positions around it, without its whole list. The observers of
 * a block are compared in the order of the block's tile (tile.h). The tile has the candidates of a whole cell side by
 * side; observers of a cell with equal radii are compared together.
 *
 * A derived list (query/prev_list.h) is neither read nor written: it follows from positions. A delta is enough for it
 * even with a discontinuous entity in view. Such an entity is in the tile twice: its current row has no old position,
 * its previous row (grid/prev_rows.h) has no new position. An observer near the first gets an enter, an observer near
 * the second a leave; an observer near both had the target and still has it, and gets no event. A discontinuous
 * observer has no old position either: all targets in view are new, and are compared with its previous list. A target
 * and an observer that both have no old position are as far apart in old units as in new ones, so a discontinuous
 * observer finds such targets by a separate query. If its list is stored, as it was another kind of observer before, it
 * is evaluated.
 *
 * A stored list has exactly the targets that the rule gave for the old positions. If a target was in the world at the
 * last tick's end with the same attributes, at most shard->step_max away along each axis, then with r the view and R =
 * view + margin, new positions decide
 *   in range r: in;  beyond R: out;  between: as before;
 * so an event needs a row that changed between "in r" and "not in r", or between "in R" and "beyond R". If the old
 * position was between the two, the list itself decides. (Without margin R is r, and no position is between.)
 * A discontinuous entity comes to such a list in the same two words: its
 * previous row was within R if it is listed, so the rule decides about it once, and its current row enters if it is in
 * r and not listed. A discontinuous observer with a stored list is evaluated; so is, between shards, one with relations
 * that has a discontinuous entity in view.
 *
 * An observer whose limit cuts is evaluated, or has a delta of its own (delta_cut.h); the
 * nine-grid has its own delta. In the interest phase, by any worker.
 */
#ifndef PHX_SHARDS_INTEREST_DELTA_TILE_H
#define PHX_SHARDS_INTEREST_DELTA_TILE_H

#include "shards/entity/bounds.h"
#include "shards/interest/scratch.h"

/* Radii of an observer: its view; its view and margin. */
typedef struct phx_radii {
    float in, keep;
} phx_radii;

/*
 * For the scratch's tile, usable and not quiet. true = one pass of deltas finds the events of all observers of the
 * tile but of renewed ones, which run_alike() evaluates: these are alike, and no discontinuous entity is in view, or
 * deltas find the events all the same.
 */
bool phx_delta_simple(const phx_scratch *scratch, const phx_shard *shard);
/*
 * Finds the events of the observers of such a tile, own rows first .. end in the order of places. If few rows moved,
 * the moved rows are compared, and their pairs are mirrored to the observers. Returns how many are done; fewer = no
 * memory at the next one.
 */
uint32_t phx_delta_all(phx_scratch *scratch, phx_shard *shard, phx_span range);

/*
 * Begins a cell of any other tile that is usable, marked and not quiet. Did something change around the cell? Sets
 * scratch->discontinuous_in_view if a discontinuous entity is in view.
 */
bool phx_delta_begin(phx_scratch *scratch, uint32_t cell);
/* Is a delta enough for the observer at a place of the cell that phx_delta_begin() began? */
bool phx_delta_enough(const phx_scratch *scratch, const phx_shard *shard, uint32_t place, phx_radii *radii);
/*
 * Finds the events of some such observers with these radii, in order. Returns how many are done; fewer = no memory at
 * the next one.
 */
uint32_t phx_delta_even(phx_scratch *scratch, phx_shard *shard, const uint32_t *place, uint32_t count,
                        const phx_radii *radii);
/* The observer of a row without a change around: done, unless it is not plain. */
phx_delta_result phx_delta_quiet(const phx_shard *shard, uint32_t row);

#endif

/*
 * A glance at an observer: what entered and left its view, from the old and the new
 * positions around it, without a list of what it sees now. The observers of a block are
 * glanced at in the order of the block's tile (tile.h), which has the candidates of a
 * whole cell of observers side by side; those of a cell that are alike at once.
 *
 * An implied list (query/prev_list.h) is neither read nor written: the positions are the list. For it a glance is
 * enough also with something odd in sight. Who is odd is in the tile twice: by its row, as one that was not here
 * before, and by its past row (grid/prev_rows.h), as one that is not here any more. So it enters where it is seen now,
 * and leaves where it was; who is both to one observer was seen and still is, and gets no event. An odd observer, which
 * was not here either, sees all there is as new; what it saw is recalled, and what is in both was seen and still is.
 * Two who were both not here before are as far apart before as they are now, to the units: an odd observer looks for
 * such targets by themselves. Only if its list is kept, as it was another kind of observer, it takes the long way.
 *
 * Otherwise it is enough while nothing odd (PHX_SLOT_DISCONTINUOUS) has happened in the towers around: then
 * every target there was there at the last tick's end with the same attributes, not more
 * than shard->step_max away along each axis, and the list holds exactly what the rule
 * said of the old positions. With r the view and R = view + margin, new positions decide
 *   in range r: in;  beyond R: out;  between: as it was;
 * so only a row that changed between "in r" and "not in r", or between "in R" and "beyond
 * R", can be an event; where the old position was between the two, the list itself tells.
 * (No margin: R is r, nothing is between.)
 *
 * Circles and squares; caps, relations and the nine-grid take the long way.
 */
#ifndef PHX_SHARDS_INTEREST_DELTA_TILE_H
#define PHX_SHARDS_INTEREST_DELTA_TILE_H

#include "shards/entity/bounds.h"
#include "shards/interest/scratch.h"

typedef enum phx_delta_result {
    PHX_DELTA_DONE = 0, /* the observer is through */
    PHX_DELTA_LOOK,     /* the whole list has to be found */
    PHX_DELTA_NO_MEMORY /* nothing was changed */
} phx_delta_result;

/* How far one looks: its view; that and its margin. */
typedef struct phx_radii {
    float in, near;
} phx_radii;

/*
 * Of the scratch's tile, usable and not quiet: are all observers alike, with nothing odd in sight of any, or nothing
 * that a glance does not tell?
 */
bool phx_delta_simple(const phx_scratch *scratch, const phx_shard *shard);
/*
 * At the observers of such a tile, own rows first .. end in the order of places. Where few moved, these look
 * and tell the others. How many are done: fewer = no memory at the next one.
 */
uint32_t phx_delta_all(phx_scratch *scratch, phx_shard *shard, phx_span range);

/*
 * Looks around a cell of any other tile that is usable, marked and not quiet. false: something odd is in sight while
 * lists are kept, and its observers take the long way. *due: something changed. In scratch->odd_near: something odd is.
 */
bool phx_delta_begin(phx_scratch *scratch, uint32_t cell, bool *due);
/* Is a glance enough for the observer in a place of the cell that phx_delta_begin() has looked around? */
bool phx_delta_enough(const phx_scratch *scratch, const phx_shard *shard, uint32_t place, phx_radii *radii);
/* At some such observers, in order, who look so far. How many are done: fewer = no memory at the next one. */
uint32_t phx_delta_even(phx_scratch *scratch, phx_shard *shard, const uint32_t *place, uint32_t count,
                        const phx_radii *radii);
/* At the observer of a row around which nothing changed: done unless it has more to it than a glance tells. */
phx_delta_result phx_delta_quiet(const phx_shard *shard, uint32_t row);

#endif

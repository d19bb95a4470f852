/*
 * Undecided targets of a list that a cap cut; see cut_undecided.h.
 */
#include "shards/interest/cut_undecided.h"

#include <math.h>

#include "base/simd.h"

uint32_t phx_cut_pick(phx_cut_list *at, double near, double far, const phx_cut_borders *by, uint32_t *rows)
{
    phx_scratch *scratch = at->scratch;
    phx_tile *tile = &scratch->tile;
    phx_cut_borders borders = *by;
    uint32_t spans;
    if (tile->heights.count) phx_tile_heights_cut(&tile->heights, at->place, &borders);
    const float least = phx_tile_heights_nearest(&tile->heights, at->shard->rules, (float)near);
    const uint32_t count = phx_tile_pick_between(tile, tile->cell[at->place], least, (float)far, &spans);
    scratch->counts.ranges_visited += spans;
    scratch->counts.pairs_tested += count;
    return at->shard->kernels->find_undecided(&tile->candidates, count, tile->now[at->place], tile->old[at->place],
                                              &borders, rows);
}

uint32_t phx_cut_scan(phx_cut_list *at, double near, double far, const phx_cut_borders *by, uint32_t *rows)
{
    phx_scratch *scratch = at->scratch;
    const phx_tile *tile = &scratch->tile;
    const bool heights = tile->heights.count;
    phx_cut_borders borders = *by;
    phx_span spans[PHX_TILE_SPANS_MAX];
    uint32_t n = 0;
    if (heights) phx_tile_heights_cut(&tile->heights, at->place, &borders);
    const float inner = phx_tile_heights_nearest(&tile->heights, at->shard->rules, (float)near);
    const uint32_t count = phx_tile_spans_between(tile, tile->cell[at->place], inner, (float)far, spans);
    scratch->counts.ranges_visited += count;
    for (uint32_t s = 0; s < count; s++) {
        const uint32_t first = spans[s].first, length = spans[s].end - first;
        const phx_tile_candidates of = {.now = tile->now + first,
                                        .old = tile->old + first,
                                        .target = tile->row + first,
                                        .height = heights ? tile->heights.by_place + first : NULL};
        scratch->counts.pairs_tested += length;
        n += at->shard->kernels->find_undecided(&of, length, tile->now[at->place], tile->old[at->place], &borders,
                                                rows + n);
    }
    return n;
}

void phx_cut_find_listed(const phx_cut_list *at, const uint32_t *slots, uint32_t count, uint32_t *place)
{
    enum { PLACES = 1024, SOME = 64 }; /* of the filter; entries that are looked at together */
    const uint32_t *entries = phx_list_entries(&at->shard->lists, at->list), all = at->list->count;
    uint8_t filter[PLACES] = {0}; /* bytes: a bit costs each entry a shift more */
    for (uint32_t i = 0; i < count; i++) {
        filter[slots[i] % PLACES] = 1;
        place[i] = PHX_SLOT_NONE;
    }
    for (uint32_t first = 0; first < all; first += SOME) {
        const uint32_t end = all - first < SOME ? all : first + SOME;
        uint32_t passed[SOME] = {0}, n = 0;      /* an analyser does not see that the first n are set */
        for (uint32_t i = first; i < end; i++) { /* no branch: it would be mispredicted */
            passed[n] = i;
            n += filter[entries[i] % PLACES];
        }
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t found = at->shard->kernels->find_u32(slots, count, entries[passed[i]]);
            if (found < count) place[found] = passed[i];
        }
    }
}

/* The square of a target's distance, or infinity beyond its bound. */
static float bounded_square(const phx_cut_list *at, float square, phx_row_word word)
{
    const float bound = phx_bound_of(phx_store_attr(&at->shard->store, phx_row_word_slot(word)));
    return square <= bound * bound ? square : INFINITY;
}

void phx_cut_sift_near(phx_cut_list *at, float within)
{
    const phx_scratch *scratch = at->scratch;
    const phx_grid_rows copy = at->shard->grid.rows, *rows = &copy; /* hits[] may alias the fields */
    const uint16_t plain = phx_cut_rank_of_plain(at), rank = at->cut.rank;
    const uint32_t count = at->count, own = at->row;
    const bool bounded = at->place != PHX_SLOT_NONE && scratch->tile.bounded; /* a sparse plan is near none */
    const float x = rows->x[own], y = rows->y[own];
    uint32_t *hits = scratch->hits, n = 0;
    float *squares = scratch->squares;
    for (uint32_t i = 0; i < count; i++) { /* no branch on a distance: it would be mispredicted */
        const uint32_t target = phx_tile_row_word_number(phx_tile_row_word_at(hits, i));
        const phx_row_word word = phx_row_word_at(rows->slot, target);
        const uint32_t of_rank = (rank == phx_cut_rank_of_word(at, word, plain)) & (target != own);
        const float dx = rows->x[target] - x, dy = rows->y[target] - y;
        float square = dx * dx + dy * dy;
        if (PHX_UNLIKELY(at->shard->uneven))
            square =
                phx_measure_level(at->shard->rules, square, at->shard->store.body[phx_row_word_slot(word)].z - at->z);
        if (PHX_UNLIKELY(bounded && phx_row_word_special(word))) square = bounded_square(at, square, word);
        hits[n] = phx_row_word_slot(word);
        squares[n] = square;
        n += of_rank & (square <= within);
    }
    at->count = n;
}

/* How far the limit's distance may move in a tick, in parts of it: as far as some targets of the rank are. */
static double limit_part(const phx_cut_list *at)
{
    return 0.05 + 1.5 / (at->cut.kept + 1);
}

/* Where the new limit will be, as a distance: as many more targets of the rank are kept as higher ones have left. */
static double likely_limit(const phx_cut_list *at)
{
    const double kept = at->cut.kept, more = kept + at->leaves - at->enters;
    const double distance = sqrt(at->cut.limit);
    return at->leaves == at->enters || !(more > 0.0) || kept == 0.0 ? distance : distance * sqrt(more / kept);
}

/*
 * Finds the undecided targets of the last rank, as rows. No pair may be between `low` and high / sticky and be decided
 * both ways.
 */
static void find_around_limit(phx_cut_list *at)
{
    const double sticky = at->shard->rules->sticky, limit = sqrt(at->cut.limit), part = limit_part(at);
    const double view = (double)at->attr->view, keep = (double)(at->attr->view + at->attr->margin);
    const double root = 1.0 / sqrt(sticky), likely = likely_limit(at);
    const double listed = fmin(limit * root, view), unlisted = fmin(limit, keep); /* beyond it listed ones leave */
    const double least = likely * (1.0 - part), most = fmax(likely * (1.0 + part) * root, least);
    const double stays = fmin(least, keep), joins = fmin(most, at->shard->far.levels > 0 ? keep : view);
    const phx_tile *tile = &at->scratch->tile;
    const phx_cut_borders by = {.listed = phx_cut_square_below(listed, tile),
                                .unlisted = phx_cut_square_above(unlisted, tile),
                                .stays = phx_cut_square_below(stays, tile),
                                .joins = phx_cut_square_above(joins, tile)};
    at->low = least * least;
    at->high = fmin(most * most * sticky, at->most);
    at->count = phx_cut_pick(at, fmin(listed, stays), fmax(unlisted, joins), &by, at->scratch->hits);
}

/* Looks up targets that may be in the list: so many places of hits[], in scratch->old. */
static void look_up_doubtful(phx_cut_list *at, uint32_t count)
{
    phx_scratch *scratch = at->scratch;
    const uint32_t *entries = phx_list_entries(&at->shard->lists, at->list), *place = scratch->old;
    uint32_t *missing = scratch->enter + at->enters; /* not used yet, and has room */
    for (uint32_t i = 0; i < count; i++) missing[i] = scratch->hits[place[i]];
    const uint32_t left = at->shard->kernels->set_difference(entries, at->list->count, missing, count);
    for (uint32_t i = 0, m = 0; i < count; i++) { /* in the same order */
        const bool lacks = m < left && missing[m] == scratch->hits[place[i]];
        scratch->was[place[i]] = !lacks;
        m += lacks;
    }
}

/*
 * Keeps the undecided ones of the last rank that moved by a step, and finds whether they are listed. false: one of them
 * is seen from beyond the view.
 */
static bool sift_undecided(phx_cut_list *at)
{
    const phx_scratch *scratch = at->scratch;
    const phx_grid_rows copy = at->shard->grid.rows, *rows = &copy; /* was[] may alias the fields */
    const uint16_t plain = phx_cut_rank_of_plain(at), rank = at->cut.rank;
    const double sticky = at->shard->rules->sticky, limit = at->cut.limit;
    const uint32_t count = at->count, own = at->row;
    const float view = at->in, keep = at->keep; /* a listed one was within */
    uint32_t *hits = scratch->hits, *doubtful = scratch->old, n = 0, doubts = 0;
    float *squares = scratch->squares;
    uint8_t *was = scratch->was;
    for (uint32_t i = 0; i < count; i++) { /* no branch on a distance: it would be mispredicted */
        const phx_tile_row_word row = phx_tile_row_word_at(hits, i);
        if (PHX_UNLIKELY(phx_tile_row_word_is_previous(row))) continue; /* cut_discontinuous.c */
        const uint32_t target = phx_tile_row_word_number(row);
        const phx_row_word word = phx_row_word_at(rows->slot, target);
        const phx_cut_squares square = phx_cut_squares_at(at, target, word);
        const double old = (double)square.old;
        const uint32_t of_rank =
            (phx_cut_rank_of_word(at, word, plain) == rank) & (target != own) & (square.old >= 0.0f);
        const uint32_t listed = (old * sticky <= limit) & (square.old <= view);
        if (PHX_UNLIKELY(square.now > view) && phx_row_word_special(word) &&
            phx_cut_seen_beyond(at, phx_row_word_slot(word)))
            return false;
        hits[n] = phx_row_word_slot(word);
        squares[n] = square.now;
        was[n] = (uint8_t)listed;
        doubtful[doubts] = n;
        doubts += of_rank & (old <= limit) & (square.old <= keep) & (listed ^ 1);
        n += of_rank;
    }
    at->count = n;
    look_up_doubtful(at, doubts);
    return true;
}

/* Drops targets of relations, which are listed or not whatever their keys are. */
static void drop_related(phx_cut_list *at)
{
    phx_scratch *scratch = at->scratch;
    const uint64_t filter = at->related ? phx_related_filter(at->shard, at->related) : 0;
    uint32_t n = 0;
    for (uint32_t i = 0; at->related && i < at->count; i++) {
        const uint32_t slot = scratch->hits[i];
        scratch->hits[n] = slot;
        scratch->squares[n] = scratch->squares[i];
        scratch->was[n] = scratch->was[i];
        n += !(phx_related_filter_passes(filter, slot) && phx_related_to(at->shard, at->related, slot));
    }
    if (at->related) at->count = n;
}

/* The keys of the undecided. Beyond the view, and listed ones beyond view and margin, they are no candidates. */
static void find_undecided_keys(phx_cut_list *at)
{
    const double times[] = {at->shard->rules->sticky, 1.0}; /* no branch: it would be mispredicted */
    const float *squares = at->scratch->squares;
    const uint8_t *was = at->scratch->was;
    const uint32_t count = at->count;
    const float within[] = {at->in, at->keep};
    const double beyond[] = {0.0, INFINITY};
    double *keys = at->scratch->keys;
    uint32_t listed = 0;
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = (double)squares[i] * times[was[i]] + beyond[squares[i] > within[was[i]]];
        listed += was[i];
    }
    at->listed = listed;
}

bool phx_cut_find_undecided(phx_cut_list *at)
{
    find_around_limit(at);
    return sift_undecided(at);
}

void phx_cut_find_keys(phx_cut_list *at)
{
    drop_related(at);
    find_undecided_keys(at);
}

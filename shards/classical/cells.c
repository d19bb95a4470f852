/*
 * The side of cells; see cells.h. Called in the index phase by the shard's owner.
 */
#include "shards/classical/cells.h"

#include <string.h>

#include "shards/entity/entity_store.h"

/* Positive floats sort as their bits; the upper bits, 3 of the fraction, distinguish views by an eighth or less. */
enum { VIEW_SHIFT = 20, VIEW_CLASSES = 1 << (31 - VIEW_SHIFT) };

typedef struct views {
    uint32_t count[VIEW_CLASSES];
    double sum[VIEW_CLASSES];
    uint32_t all;
} views;

static void count_views(views *of, const phx_store *store)
{
    memset(of, 0, sizeof *of);
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        const phx_attr *attr = phx_store_attr(store, slot);
        uint32_t bits;
        if (!(store->body[slot].state & PHX_SLOT_OWN) || !phx_attr_observes(attr)) continue;
        memcpy(&bits, &attr->view, sizeof bits);
        of->count[bits >> VIEW_SHIFT]++;
        of->sum[bits >> VIEW_SHIFT] += (double)attr->view;
        of->all++;
    }
}

/* The mean of the views close to the median; the median itself, if all views are equal. 0 = no observer. */
static float median_view(const phx_store *store)
{
    views of;
    uint32_t below = 0, i = 0;
    count_views(&of, store);
    if (of.all == 0) return 0.0f;
    while (below + of.count[i] <= of.all / 2) below += of.count[i++];
    return (float)(of.sum[i] / of.count[i]);
}

bool phx_cells_choose(phx_uniform_cells *cells, const phx_index *index, float *side)
{
    enum { OFTEN = 64 };
    const phx_rules *rules = index->env.rules;
    bool grown = cells->count > 2 * (uint64_t)cells->chosen_at || cells->count < cells->chosen_at / 2;
    bool changed = index->counts.moves - cells->chosen_moves > OFTEN * (uint64_t)(cells->count + 1);
    if (cells->side > 0.0f && !grown && !changed) return false;
    cells->chosen_at = cells->count;
    cells->chosen_moves = index->counts.moves;
    float wanted = rules->cell_size > 0.0f ? rules->cell_size : median_view(index->env.store);
    if (!(wanted > 0.0f)) wanted = rules->tower_size;
    bool close_enough = cells->side > 0.0f && wanted < 1.5f * cells->wanted && wanted > cells->wanted / 1.5f;
    if (close_enough) return false;
    *side = cells->wanted = wanted;
    return true;
}

void phx_cells_all(const phx_index *index, phx_box box, phx_sink *sink)
{
    const phx_store *store = index->env.store;
    phx_pieces pieces;
    phx_pieces_open(&pieces, sink);
    sink->visited++;
    for (uint32_t slot = 0; slot < store->slots; slot++) {
        const phx_body *body = &store->body[slot];
        if ((body->state & PHX_SLOT_ROW) && phx_box_has(box, body->x, body->y)) phx_pieces_add(&pieces, slot);
    }
    phx_pieces_flush(&pieces);
}

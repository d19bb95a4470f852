/*
 * Life of a batch: made, grown, freed. Called by consumer_queue.c and net_changes.c on the ticking thread; tests make
 * batches of their own.
 */
#include "world/batch/batch.h"

/* "phxB" and "dead": assertions find a pointer to another thing, or to freed memory */
#define MAGIC_LIVE 0x42786870u
#define MAGIC_DEAD 0x64616564u

phx_batch *phx_batch_create(phx_mem *mem)
{
    phx_batch *batch = phx_alloc_zero(mem, sizeof(*batch), PHX_CACHE_LINE);
    if (batch == NULL) {
        return NULL;
    }
    batch->magic = MAGIC_LIVE;
    batch->state = PHX_BATCH_SPARE;
    return batch;
}

bool phx_batch_reserve(phx_mem *mem, phx_batch *batch, size_t changes, size_t targets)
{
    PHX_ASSERT(phx_batch_valid(batch));
    PHX_ASSERT(batch->state != PHX_BATCH_OUT);
    bool grown =
        phx_grow(mem, (void **)&batch->changes, &batch->changes_capacity, 0, changes, sizeof(*batch->changes)) &&
        phx_grow(mem, (void **)&batch->targets, &batch->targets_capacity, 0, targets, sizeof(*batch->targets)) &&
        phx_grow(mem, (void **)&batch->kinds, &batch->kinds_capacity, 0, targets, sizeof(*batch->kinds)) &&
        phx_grow(mem, (void **)&batch->incarnations, &batch->incarnations_capacity, 0, targets,
                 sizeof(*batch->incarnations));
    batch->view.changes = batch->changes;
    batch->view.targets = batch->targets;
    batch->view.kinds = batch->kinds;
    return grown;
}

bool phx_batch_size_edges(phx_mem *mem, phx_batch *batch, phx_edge_size size)
{
    if (!phx_grow(mem, (void **)&batch->edges, &batch->edges_capacity, 0, phx_edge_total(size), sizeof(*batch->edges)))
        return false;
    batch->view.activation_count = size.count[0][0] + size.count[0][1];
    batch->view.crossing_count = size.count[1][0] + size.count[1][1];
    batch->view.activations = batch->edges;
    batch->view.crossings = batch->edges ? batch->edges + batch->view.activation_count : NULL;
    return true;
}

phx_edge_size phx_batch_edge_places(const phx_edge_size *size)
{
    phx_edge_size places = {{{0, size->count[0][0]}}};
    places.count[1][0] = size->count[0][0] + size->count[0][1];
    places.count[1][1] = places.count[1][0] + size->count[1][0];
    return places;
}

void phx_batch_trim(phx_mem *mem, phx_batch *batch)
{
    PHX_ASSERT(phx_batch_valid(batch) && batch->state == PHX_BATCH_SPARE);
    uint32_t changes = batch->view.change_count, targets = batch->view.target_count;
    phx_trim(mem, (void **)&batch->changes, &batch->changes_capacity, sizeof(*batch->changes), changes,
             &batch->changes_use);
    phx_trim(mem, (void **)&batch->targets, &batch->targets_capacity, sizeof(*batch->targets), targets,
             &batch->targets_use);
    phx_trim(mem, (void **)&batch->kinds, &batch->kinds_capacity, sizeof(*batch->kinds), targets, &batch->kinds_use);
    phx_trim(mem, (void **)&batch->incarnations, &batch->incarnations_capacity, sizeof(*batch->incarnations), targets,
             &batch->incarnations_use);
    batch->view.change_count = batch->view.target_count = 0;
}

/* Frees arrays that may grow with the square of a crowd; edges do not. */
static void free_content(phx_mem *mem, phx_batch *batch)
{
    phx_release(mem, (void **)&batch->changes, &batch->changes_capacity, sizeof(*batch->changes));
    phx_release(mem, (void **)&batch->targets, &batch->targets_capacity, sizeof(*batch->targets));
    phx_release(mem, (void **)&batch->kinds, &batch->kinds_capacity, sizeof(*batch->kinds));
    phx_release(mem, (void **)&batch->incarnations, &batch->incarnations_capacity, sizeof(*batch->incarnations));
    phx_batch_broadcasts_free(&batch->broadcasts, mem);
    phx_batch_updates_free(&batch->updates, mem);
}

void phx_batch_empty(phx_mem *mem, phx_batch *batch)
{
    PHX_ASSERT(phx_batch_valid(batch) && batch->state == PHX_BATCH_SPARE);
    free_content(mem, batch);
    batch->view = (ph_batch){0}; /* also the counts of edges, which keep their memory */
    batch->broadcasts.size = (phx_batch_broadcasts_size){0};
    batch->updates.size = (phx_batch_updates_size){0};
}

void phx_batch_destroy(phx_mem *mem, phx_batch *batch)
{
    if (batch == NULL) {
        return;
    }
    PHX_ASSERT(phx_batch_valid(batch));
    free_content(mem, batch);
    phx_release(mem, (void **)&batch->edges, &batch->edges_capacity, sizeof(*batch->edges));
    batch->magic = MAGIC_DEAD;
    phx_free(mem, batch, sizeof(*batch), PHX_CACHE_LINE);
}

bool phx_batch_valid(const phx_batch *batch)
{
    return batch != NULL && batch->magic == MAGIC_LIVE;
}

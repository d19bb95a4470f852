/*
 * Life of a batch: made, grown, freed. Called by consumer_queue.c and net_changes.c on the ticking thread; tests make
 * batches of their own.
 */
#include "world/batch/batch.h"

/* "phxB" and "dead": assertions find a pointer to another thing, or to freed memory */
#define MAGIC_LIVE 0x42786870u
#define MAGIC_DEAD 0x64616564u

phx_batch *phx_batch_create(phx_mem *mem, bool positioned)
{
    phx_batch *batch = phx_alloc_zero(mem, sizeof(*batch), PHX_CACHE_LINE);
    if (batch == NULL) {
        return NULL;
    }
    batch->magic = MAGIC_LIVE;
    batch->state = PHX_BATCH_SPARE;
    batch->positioned = positioned;
    return batch;
}

/* Bytes of an event in all columns. */
static size_t event_bytes(const phx_batch *batch)
{
    enum { LEAST = sizeof(ph_target) + sizeof(uint32_t) + sizeof(uint16_t) + sizeof(uint8_t) };
    return LEAST + (batch->positioned ? sizeof(ph_position) : 0);
}

/* Cuts the piece into columns, the one with the strictest alignment first, and shows them. */
static void cut_columns(phx_batch *batch)
{
    const size_t room = batch->events_capacity;
    phx_event_columns *columns = &batch->columns;
    *columns = (phx_event_columns){.targets = batch->events};
    if (room > 0) {
        columns->incarnations = (uint32_t *)(void *)(columns->targets + room);
        columns->positions = batch->positioned ? (ph_position *)(void *)(columns->incarnations + room) : NULL;
        columns->kinds = batch->positioned ? (uint16_t *)(void *)(columns->positions + room)
                                           : (uint16_t *)(void *)(columns->incarnations + room);
        columns->causes = (uint8_t *)(columns->kinds + room);
    }
    batch->given.changes = batch->changes;
    batch->given.targets = columns->targets;
    batch->given.kinds = columns->kinds;
    batch->given.causes = columns->causes;
    batch->given.positions = columns->positions;
}

/*
 * Room for the events of so many targets. The content is lost, so the piece is given back first: for a moment two would
 * be twice the memory of a tick's events. false = no memory: there is no piece.
 */
static bool reserve_events(phx_mem *mem, phx_batch *batch, size_t targets)
{
    const size_t bytes = event_bytes(batch);
    const uint64_t wanted = batch->events_capacity + (uint64_t)batch->events_capacity / 2;
    if (targets <= batch->events_capacity) return true;
    phx_release(mem, &batch->events, &batch->events_capacity, bytes);
    batch->given.target_count = 0; /* of the content that was */
    return (wanted > targets && phx_grow(mem, &batch->events, &batch->events_capacity, 0, wanted, bytes)) ||
           phx_grow(mem, &batch->events, &batch->events_capacity, 0, targets, bytes);
}

bool phx_batch_reserve(phx_mem *mem, phx_batch *batch, size_t changes, size_t targets)
{
    PHX_ASSERT(phx_batch_valid(batch));
    PHX_ASSERT(batch->state != PHX_BATCH_OUT);
    /* a host adds the `first` of any change to `targets`: C does not allow it for NULL, not even for 0 */
    const size_t targets_least = changes > 0 ? 1 : 0;
    bool grown =
        phx_grow(mem, (void **)&batch->changes, &batch->changes_capacity, 0, changes, sizeof(*batch->changes)) &&
        reserve_events(mem, batch, targets > targets_least ? targets : targets_least);
    cut_columns(batch);
    return grown;
}

bool phx_batch_size_edges(phx_mem *mem, phx_batch *batch, phx_edge_size size)
{
    if (!phx_grow(mem, (void **)&batch->edges, &batch->edges_capacity, 0, phx_edge_total(size), sizeof(*batch->edges)))
        return false;
    batch->given.activation_count = size.count[0][0] + size.count[0][1];
    batch->given.crossing_count = size.count[1][0] + size.count[1][1];
    batch->given.activations = batch->edges;
    batch->given.crossings = batch->edges ? batch->edges + batch->given.activation_count : NULL;
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
    uint32_t changes = batch->given.change_count, targets = batch->given.target_count;
    phx_trim(mem, (void **)&batch->changes, &batch->changes_capacity, sizeof(*batch->changes), changes,
             &batch->changes_use);
    phx_trim(mem, &batch->events, &batch->events_capacity, event_bytes(batch), targets, &batch->events_use);
    cut_columns(batch);
    batch->given.change_count = batch->given.target_count = 0;
    phx_batch_broadcasts_trim(&batch->broadcasts, mem);
    phx_batch_updates_trim(&batch->updates, mem);
}

/* Frees arrays that may grow with the square of a crowd; edges do not. */
static void free_content(phx_mem *mem, phx_batch *batch)
{
    phx_release(mem, (void **)&batch->changes, &batch->changes_capacity, sizeof(*batch->changes));
    phx_release(mem, &batch->events, &batch->events_capacity, event_bytes(batch));
    cut_columns(batch);
    phx_batch_broadcasts_free(&batch->broadcasts, mem);
    phx_batch_updates_free(&batch->updates, mem);
}

void phx_batch_empty(phx_mem *mem, phx_batch *batch)
{
    PHX_ASSERT(phx_batch_valid(batch) && batch->state == PHX_BATCH_SPARE);
    free_content(mem, batch);
    batch->given = (ph_batch){0}; /* also the counts of edges, which keep their memory */
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

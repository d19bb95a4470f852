/*
 * Queries of places in one shard; see find.h.
 */
#include "shards/query/find.h"

#include "shards/entity/event_order.h"
#include "shards/entity/heap.h"
#include "shards/query/shapes.h"
#include "shards/query/slots_in_range.h"

/* ---- the first hits of an order ---- */

bool phx_hit_before(const phx_hits *hits, const ph_hit *a, const ph_hit *b)
{
    if (hits->by_kind && a->kind != b->kind) return a->kind < b->kind;
    if (hits->by_square && (a->square < b->square || a->square > b->square)) return a->square < b->square;
    return a->id < b->id;
}

/* Restores the heap below i of the first `count`. */
static void sift_hits(phx_hits *hits, ph_hit *heap, uint32_t count, uint32_t i)
{
#define ABOVE(a, b) phx_hit_before(hits, b, a)
    PHX_HEAP_SIFT(ph_hit, heap, count, i, ABOVE);
#undef ABOVE
}

static void make_heap(phx_hits *hits, ph_hit *items, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;) sift_hits(hits, items, count, i);
}

void phx_hits_add_rest(phx_hits *hits, ph_hit hit)
{
    hits->count++;
    if (hits->behind && !phx_hit_before(hits, &hits->last, &hit)) {
        hits->before++;
        return;
    }
    if (hits->kept < hits->room) {
        hits->at[hits->kept++] = hit;
        return;
    }
    if (hits->room == 0 || hits->unordered) return;
    if (!hits->heap) make_heap(hits, hits->at, hits->kept);
    hits->heap = true;
    if (!phx_hit_before(hits, &hit, &hits->at[0])) return;
    hits->at[0] = hit;
    sift_hits(hits, hits->at, hits->kept, 0);
}

static void sort_heap(phx_hits *hits, ph_hit *heap, uint32_t count)
{
    while (count > 1) {
        ph_hit last = heap[0];
        heap[0] = heap[--count];
        heap[count] = last;
        sift_hits(hits, heap, count, 0);
    }
}

static void insertion_sort_hits(phx_hits *hits, ph_hit *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        ph_hit item = items[i];
        uint32_t j = i;
        for (; j > 0 && phx_hit_before(hits, &item, &items[j - 1]); j--) items[j] = items[j - 1];
        items[j] = item;
    }
}

/* By id alone: no branch depends on a comparison. */
static void rank_sort_hits(const phx_kernels *kernels, ph_hit *items, uint32_t count)
{
    uint64_t id[PHX_ORDER_SHORT_MAX];
    uint32_t place[PHX_ORDER_SHORT_MAX];
    ph_hit spare[PHX_ORDER_SHORT_MAX];
    if (count < 2) return;
    for (uint32_t i = 0; i < count; i++) {
        spare[i] = items[i];
        id[i] = items[i].id;
    }
    kernels->rank_words(id, count, place);
    for (uint32_t i = 0; i < count; i++) items[place[i]] = spare[i];
}

static void swap_hits(ph_hit *a, ph_hit *b)
{
    ph_hit item = *a;
    *a = *b;
    *b = item;
}

/* Splits at the median of three. All hits below the place returned come before all hits behind it. */
static uint32_t split_hits(phx_hits *hits, ph_hit *items, uint32_t count)
{
    ph_hit *first = items, *middle = items + count / 2, *last = items + count - 1;
    if (phx_hit_before(hits, middle, first)) swap_hits(middle, first);
    if (phx_hit_before(hits, last, middle)) swap_hits(last, middle);
    if (phx_hit_before(hits, middle, first)) swap_hits(middle, first);
    ph_hit pivot = *middle;
    uint32_t low = 0, high = count - 1;
    for (;;) {
        while (phx_hit_before(hits, &items[low], &pivot)) low++;
        while (phx_hit_before(hits, &pivot, &items[high])) high--;
        if (low >= high) return high + 1;
        swap_hits(&items[low++], &items[high--]);
    }
}

enum { INSERTION_MAX = 16 };

/* So few hits are sorted without a split. */
static uint32_t short_hits(const phx_kernels *kernels, const phx_hits *hits)
{
    const bool ranks = !hits->by_square && !hits->by_kind && kernels->rank_most > INSERTION_MAX;
    return ranks ? kernels->rank_most : INSERTION_MAX;
}

static void sort_short_hits(const phx_kernels *kernels, phx_hits *hits, ph_hit *items, uint32_t count)
{
    if (short_hits(kernels, hits) > INSERTION_MAX) rank_sort_hits(kernels, items, count);
    else insertion_sort_hits(hits, items, count);
}

/* Quicksort; deeper than `depth` a heap sort, so there is no bad case. */
static void sort_hits_above(const phx_kernels *kernels, phx_hits *hits, ph_hit *items, uint32_t count, uint32_t depth)
{
    const uint32_t most = short_hits(kernels, hits);
    while (count > most && depth-- > 0) {
        uint32_t half = split_hits(hits, items, count);
        sort_hits_above(kernels, hits, items + half, count - half, depth);
        count = half;
    }
    if (count <= most) {
        sort_short_hits(kernels, hits, items, count);
        return;
    }
    make_heap(hits, items, count);
    sort_heap(hits, items, count);
}

void phx_hits_sort(const phx_kernels *kernels, phx_hits *hits)
{
    uint32_t depth = 0;
    if (hits->unordered || hits->sorted) return;
    if (hits->heap) {
        sort_heap(hits, hits->at, hits->kept);
    } else {
        while (hits->kept >> depth) depth++;
        sort_hits_above(kernels, hits, hits->at, hits->kept, 2 * depth);
    }
    hits->heap = false;
}

/* ---- the hits of a shard ---- */

typedef struct finder {
    phx_sink sink;
    const phx_shard *shard;
    const ph_query *query;
    phx_box box;
    phx_hits *hits;
} finder;

static bool query_passes(const ph_query *query, const phx_store *store, uint32_t slot)
{
    const phx_name *name = &store->name[slot];
    if (name->id == query->without) return false;
    if ((query->flags & PH_QUERY_IN_INSTANCE) && phx_store_attr(store, slot)->instance != query->instance) return false;
    if (query->flags & PH_QUERY_HEIGHT) {
        float z = store->body[slot].z;
        if (!(query->z_low <= z && z <= query->z_high)) return false;
    }
    if (query->layers != 0 && !(query->layers & phx_store_attr(store, slot)->layers)) return false;
    for (uint32_t i = 0; i < query->kind_count; i++)
        if (query->kinds[i] == name->kind) return true;
    return query->kind_count == 0;
}

void phx_find_add(const phx_shard *shard, const ph_query *query, uint32_t slot, float square, phx_hits *hits)
{
    const phx_name *name = &shard->store.name[slot];
    if (!query_passes(query, &shard->store, slot)) return;
    phx_hits_add(hits, (ph_hit){name->id, phx_store_user_data(&shard->store, slot), square, name->kind});
}

static bool query_filters(const ph_query *query)
{
    return query->without != 0 || query->layers != 0 || query->kind_count > 0 ||
           (query->flags & (PH_QUERY_IN_INSTANCE | PH_QUERY_HEIGHT));
}

/* Writes few hits in order: their ids are ranked first, so each is written once. */
static void fill_hits(const phx_shard *shard, const uint32_t *slots, uint32_t count, phx_hits *hits)
{
    const phx_store *store = &shard->store;
    uint64_t id[PHX_ORDER_SHORT_MAX];
    uint32_t place[PHX_ORDER_SHORT_MAX];
    for (uint32_t i = 0; i < count; i++) {
        id[i] = store->name[slots[i]].id;
        place[i] = i;
    }
    if (!hits->unordered && count > 1) shard->kernels->rank_words(id, count, place);
    for (uint32_t i = 0; i < count; i++)
        hits->at[place[i]] = (ph_hit){id[i], phx_store_user_data(store, slots[i]), 0.0f, store->name[slots[i]].kind};
    hits->kept = hits->count = count;
    hits->sorted = true;
}

void phx_find_add_all(const phx_shard *shard, const ph_query *query, const uint32_t *slots, uint32_t count,
                      phx_hits *hits)
{
    PHX_ASSERT(hits->count == 0 && !hits->behind);
    if (count <= hits->room && count <= shard->kernels->rank_most && !query_filters(query)) {
        fill_hits(shard, slots, count, hits);
        return;
    }
    for (uint32_t i = 0; i < count; i++) phx_find_add(shard, query, slots[i], 0.0f, hits);
}

static void ask_slot(const finder *at, uint32_t slot)
{
    const phx_body *body = &at->shard->store.body[slot];
    float square;
    if (!(body->state & PHX_SLOT_OWN)) return;
    if (phx_in_query(at->query, at->box, body->x, body->y, body->z, &square))
        phx_find_add(at->shard, at->query, slot, square, at->hits);
}

static void collect_in_query(phx_sink *sink, const uint32_t *slots, uint32_t count)
{
    const finder *at = (const finder *)sink;
    const phx_store *store = &at->shard->store;
    for (uint32_t i = 0; i < count; i++) {
        __builtin_prefetch(&store->body[slots[i]]);
        __builtin_prefetch(&store->name[slots[i]]);
    }
    for (uint32_t i = 0; i < count; i++) ask_slot(at, slots[i]);
}

/* The same of slots that are not applied: phx_find_applied() has the others. */
static void collect_unapplied(phx_sink *sink, const uint32_t *slots, uint32_t count)
{
    const finder *at = (const finder *)sink;
    for (uint32_t i = 0; i < count; i++)
        if (!phx_applied_has(&at->shard->applied, slots[i])) ask_slot(at, slots[i]);
}

void phx_find_in_shard(const phx_shard *shard, const ph_query *query, phx_hits *hits)
{
    finder at = {.sink.take = shard->applied.count > 0 ? collect_unapplied : collect_in_query,
                 .shard = shard,
                 .query = query,
                 .box = phx_query_box(query),
                 .hits = hits};
    const bool one = query->flags & PH_QUERY_IN_INSTANCE;
    phx_slots_in_range(shard, one ? &query->instance : NULL, at.box, &at.sink);
}

void phx_find_applied(const phx_shard *shard, const ph_query *query, phx_hits *hits)
{
    const finder at = {.shard = shard, .query = query, .box = phx_query_box(query), .hits = hits};
    const bool one = query->flags & PH_QUERY_IN_INSTANCE;
    phx_applied_walk walk = phx_applied_begin(&shard->applied, shard->mem, one ? &query->instance : NULL,
                                              phx_box_towers(shard->rules, at.box));
    for (uint32_t slot; (slot = phx_applied_next(&walk)) != PHX_SLOT_NONE;) ask_slot(&at, slot);
}

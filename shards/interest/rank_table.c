/*
 * Ranks of targets by attribute set; see rank_table.h.
 */
#include "shards/interest/rank_table.h"

#include <string.h>

#include "base/mem.h"

void phx_rank_tables_free(phx_rank_tables *tables, phx_mem *mem)
{
    for (uint32_t i = 0; i < PHX_RANK_TABLES; i++) {
        phx_rank_table *table = &tables->table[i];
        phx_release(mem, (void **)&table->rank, &table->rank_capacity, sizeof *table->rank);
        phx_release(mem, (void **)&table->bound, &table->bound_capacity, sizeof *table->bound);
        phx_release(mem, (void **)&table->tops, &table->tops_capacity, sizeof *table->tops);
        *table = (phx_rank_table){0};
    }
}

static const uint64_t golden_part =
    0x9e3779b97f4a7c15u; /* 2^64 divided by the golden ratio: neighbours lie far apart */

/* The place of a table. Up to 8 neighbours by stealth detected, or by instance, have each a place of its own. */
static uint32_t table_place(const phx_attr *observer, uint32_t instance)
{
    _Static_assert(PHX_RANK_TABLES == 8, "three bits");
    return (uint32_t)((observer->sees * golden_part >> 61) + instance + observer->detect) % PHX_RANK_TABLES;
}

static bool is_table_of(const phx_rank_table *table, const phx_store *store, uint32_t round, const phx_attr *observer,
                        uint32_t instance, bool mixed)
{
    return table->store == store && table->round == round && table->sees == observer->sees &&
           table->instance == instance && table->mixed == mixed && table->detect == observer->detect;
}

/* The entry of an instance, or the empty one where it belongs. */
static phx_rank_top *find_top(const phx_rank_table *table, uint32_t instance)
{
    const uint32_t mask = (1u << table->top_bits) - 1;
    uint32_t at = (uint32_t)(instance * golden_part >> 32) & mask;
    while (table->tops[at].rank != 0 && table->tops[at].instance != instance) at = (at + 1) & mask;
    return &table->tops[at];
}

uint16_t phx_rank_top_of(const phx_rank_table *table, uint32_t instance)
{
    return find_top(table, instance)->rank;
}

uint16_t phx_rank_near_top_of(const phx_rank_table *table, uint32_t instance)
{
    return find_top(table, instance)->near;
}

/* Makes room for the ranks of so many sets. false = no memory. */
static bool reserve_ranks(phx_rank_table *table, phx_mem *mem, size_t sets)
{
    uint32_t bits = 1;
    while ((size_t)1 << bits < 2 * sets) bits++;
    table->store = NULL;
    if (!phx_grow(mem, (void **)&table->rank, &table->rank_capacity, 0, sets + 1, sizeof *table->rank) ||
        !phx_grow(mem, (void **)&table->bound, &table->bound_capacity, 0, sets, sizeof *table->bound) ||
        !phx_grow(mem, (void **)&table->tops, &table->tops_capacity, 0, (size_t)1 << bits, sizeof *table->tops))
        return false;
    table->top_bits = bits;
    memset(table->tops, 0, sizeof *table->tops << bits);
    return true;
}

/* Ranks all sets as the table's observers see targets of their instance; mixed: of others not. */
static void rank_sets(phx_rank_table *table, const phx_attr_sets *sets, const phx_attr *observer)
{
    phx_attr sees = *observer;
    for (uint32_t i = 0; i < sets->numbers; i++) {
        const phx_attr *attr = &sets->attr[i];
        if (!table->mixed) sees.instance = attr->instance;
        const uint16_t rank = sets->use[i].users > 0 ? phx_rank_of(&sees, attr) : 0;
        table->rank[i] = rank;
        table->bound[i] = attr->visible * attr->visible;
        phx_rank_top *top = find_top(table, attr->instance);
        const uint16_t near = rank <= PHX_RANK_ALWAYS && rank > top->near ? rank : top->near;
        if (rank > 0) *top = (phx_rank_top){attr->instance, rank > top->rank ? rank : top->rank, near};
    }
    table->rank[sets->numbers] = 0;
}

const phx_rank_table *phx_rank_table_of(phx_rank_tables *tables, phx_mem *mem, const phx_store *store,
                                        const phx_attr *observer, bool mixed)
{
    const uint32_t instance = mixed ? observer->instance : 0;
    phx_rank_table *table = &tables->table[table_place(observer, instance)];
    if (PHX_LIKELY(is_table_of(table, store, tables->round, observer, instance, mixed))) return table;
    if (!reserve_ranks(table, mem, store->sets.numbers)) return NULL;
    table->store = store;
    table->round = tables->round;
    table->sees = observer->sees;
    table->instance = instance;
    table->mixed = mixed;
    table->detect = observer->detect;
    rank_sets(table, &store->sets, observer);
    return table;
}

/* The same by the attributes of each hit. */
static void rank_by_attributes(const phx_store *store, const phx_attr *observer, phx_rank_columns *hits)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < hits->count; i++) {
        const uint32_t slot = phx_row_word_slot(phx_row_word_at(hits->slots, i));
        const phx_attr *attr = phx_store_attr(store, slot);
        const float square = hits->squares[i];
        const bool within = !hits->bounded || square <= attr->visible * attr->visible;
        hits->ranks[n] = phx_rank_of(observer, attr);
        hits->slots[n] = slot;
        hits->squares[n] = square;
        n += within && hits->ranks[n] != 0;
    }
    hits->count = n;
    hits->top = hits->near_top = PHX_RANK_ALWAYS + PHX_RANK_ALWAYS;
}

bool phx_rank_hits(phx_rank_tables *tables, phx_mem *mem, const phx_kernels *kernels, const phx_store *store,
                   const phx_attr *observer, phx_rank_columns *hits)
{
    if (!phx_rank_table_fits(store, hits->mixed)) {
        rank_by_attributes(store, observer, hits);
        return true;
    }
    const phx_rank_table *table = phx_rank_table_of(tables, mem, store, observer, hits->mixed);
    if (!table) return false;
    const phx_rank_source by = {
        .set = store->set, .rank = table->rank, .bound = hits->bounded ? table->bound : NULL, .plain = hits->plain};
    hits->count = kernels->rank_hits(&by, hits->slots, hits->squares, hits->count, hits->ranks);
    hits->top = phx_rank_top_of(table, observer->instance);
    hits->near_top = phx_rank_near_top_of(table, observer->instance);
    return true;
}

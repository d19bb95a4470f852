/*
 * Ranks of targets by attribute set; see rank_table.h.
 */
#include "shards/interest/rank_table.h"

#include "base/mem.h"

void phx_rank_tables_free(phx_rank_tables *tables, phx_mem *mem)
{
    for (uint32_t i = 0; i < PHX_RANK_TABLES; i++) {
        phx_rank_table *table = &tables->table[i];
        phx_release(mem, (void **)&table->rank, &table->rank_capacity, sizeof *table->rank);
        phx_release(mem, (void **)&table->bound, &table->bound_capacity, sizeof *table->bound);
        *table = (phx_rank_table){0};
    }
}

/* The place of a table: any spread of the few fields by which observers see differently. */
static uint32_t table_place(const phx_attr *observer)
{
    const uint64_t golden = 0x9e3779b97f4a7c15u; /* 2^64 divided by the golden ratio: neighbours lie far apart */
    const uint64_t key = observer->sees ^ (uint64_t)observer->instance << 32 ^ (uint64_t)observer->detect << 24;
    return (uint32_t)(key * golden >> 32) % PHX_RANK_TABLES;
}

static bool table_fits(const phx_rank_table *table, const phx_store *store, uint32_t round, const phx_attr *observer)
{
    return table->store == store && table->round == round && table->sees == observer->sees &&
           table->instance == observer->instance && table->detect == observer->detect;
}

const phx_rank_table *phx_rank_table_of(phx_rank_tables *tables, phx_mem *mem, const phx_store *store,
                                        const phx_attr *observer)
{
    const phx_attr_sets *sets = &store->sets;
    phx_rank_table *table = &tables->table[table_place(observer)];
    if (PHX_LIKELY(table_fits(table, store, tables->round, observer))) return table;
    const size_t numbers = sets->numbers;
    if (!phx_grow(mem, (void **)&table->rank, &table->rank_capacity, 0, numbers + 1, sizeof *table->rank) ||
        !phx_grow(mem, (void **)&table->bound, &table->bound_capacity, 0, numbers, sizeof *table->bound))
        return NULL;
    table->store = store;
    table->round = tables->round;
    table->sees = observer->sees;
    table->instance = observer->instance;
    table->detect = observer->detect;
    table->top = 0;
    for (uint32_t i = 0; i < sets->numbers; i++) {
        const uint16_t rank = sets->use[i].users > 0 ? phx_rank_of(observer, &sets->attr[i]) : 0;
        table->rank[i] = rank;
        table->bound[i] = sets->attr[i].visible * sets->attr[i].visible;
        if (rank > table->top) table->top = rank;
    }
    table->rank[sets->numbers] = 0;
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
    hits->top = PHX_RANK_ALWAYS + PHX_RANK_ALWAYS;
}

bool phx_rank_hits(phx_rank_tables *tables, phx_mem *mem, const phx_kernels *kernels, const phx_store *store,
                   const phx_attr *observer, phx_rank_columns *hits)
{
    if (store->sets.numbers > PHX_RANK_SETS_MAX) {
        rank_by_attributes(store, observer, hits);
        return true;
    }
    const phx_rank_table *table = phx_rank_table_of(tables, mem, store, observer);
    if (!table) return false;
    const phx_rank_source by = {
        .set = store->set, .rank = table->rank, .bound = hits->bounded ? table->bound : NULL, .plain = hits->plain};
    hits->count = kernels->rank_hits(&by, hits->slots, hits->squares, hits->count, hits->ranks);
    hits->top = table->top;
    return true;
}

/*
 * Ranks of targets, by attribute set, as one observer has them at its cap. A table serves all observers that see alike,
 * so a target costs a look-up, and its attributes are not read. Interest phase; each worker has tables of its own, for
 * the tick at hand.
 *
 * A rank of 0: layers, stealth, veil or instance keep the target out. Else it is 1 + priority, and PHX_RANK_ALWAYS more
 * if the target is global (or linked, which no table knows). The greater rank is the better one.
 */
#ifndef PHX_SHARDS_INTEREST_RANK_TABLE_H
#define PHX_SHARDS_INTEREST_RANK_TABLE_H

#include "shards/entity/entity_store.h"
#include "shards/simd/kernels.h"

enum {
    PHX_RANK_ALWAYS = 1 + UINT8_MAX, /* also the highest rank of a priority alone */
    PHX_RANK_TABLES = 8,             /* of a worker; ways to see that meet in a crowd: phases by stealth detected */
    /*
     * Sets of a table, which takes microseconds to make for a thousand, anew in each tick; hits of more are ranked by
     * attributes. With more ways to see than tables some are made again and again; see docs/finding-events.md.
     */
    PHX_RANK_SETS_MAX = 8192,      /* of a table for all instances */
    PHX_RANK_SETS_MAX_MIXED = 1024 /* of a table of one instance: there may be as many tables as instances */
};

/* The highest rank of an instance's sets in use. */
typedef struct phx_rank_top {
    uint32_t instance;
    uint16_t rank; /* 0 = empty */
    uint16_t near; /* of targets that are not global */
} phx_rank_top;

typedef struct phx_rank_table {
    /* the tick and the observers */
    const phx_store *store; /* NULL = empty */
    uint64_t sees;
    uint32_t round;    /* phx_rank_tables.round */
    uint32_t instance; /* mixed: of the observers, all other sets have rank 0; else 0 */
    bool mixed;
    uint16_t detect;
    uint16_t *rank;     /* by set; one more, as kernels read 32 bits */
    float *bound;       /* by set: the square of the visible distance */
    phx_rank_top *tops; /* hashed by instance, at least half empty */
    uint32_t top_bits;  /* 2^top_bits entries */
    uint32_t rank_capacity, bound_capacity, tops_capacity;
} phx_rank_table;

typedef struct phx_rank_tables {
    phx_rank_table table[PHX_RANK_TABLES];
    uint32_t round; /* tables of other rounds are void */
} phx_rank_tables;

void phx_rank_tables_free(phx_rank_tables *tables, phx_mem *mem);

/* Voids all tables, as attributes may change now. */
static inline void phx_rank_tables_reset(phx_rank_tables *tables)
{
    tables->round++;
}

/* The rank of a target that the observer sees. */
static inline uint16_t phx_rank_of_target(const phx_attr *target, bool linked)
{
    return (uint16_t)(1 + target->priority + (target->global || linked ? PHX_RANK_ALWAYS : 0));
}

/* The rank of a target with these attributes, to which there is no relation. */
static inline uint16_t phx_rank_of(const phx_attr *observer, const phx_attr *target)
{
    return phx_layers_match(observer, target) ? phx_rank_of_target(target, false) : 0;
}

/* May there be a table? mixed: its targets may be of other instances than the observer's, which rank them 0. */
static inline bool phx_rank_table_fits(const phx_store *store, bool mixed)
{
    return store->sets.numbers <= (mixed ? PHX_RANK_SETS_MAX_MIXED : PHX_RANK_SETS_MAX);
}

/* The observer's table, if one fits. NULL = no memory. */
const phx_rank_table *phx_rank_table_of(phx_rank_tables *tables, phx_mem *mem, const phx_store *store,
                                        const phx_attr *observer, bool mixed);

/* No set in use of the instance has a higher rank. */
uint16_t phx_rank_top_of(const phx_rank_table *table, uint32_t instance);

/* The same of targets that are not global. */
uint16_t phx_rank_near_top_of(const phx_rank_table *table, uint32_t instance);

/* Hits of a scan, by place; room for all and pad. */
typedef struct phx_rank_columns {
    uint32_t *slots; /* words of rows before; slots after */
    float *squares;
    uint16_t *ranks;
    uint32_t count;
    uint16_t plain;    /* rank of words that are not special */
    bool mixed;        /* some may be of other instances */
    bool bounded;      /* hits beyond their visible distance are dropped, too; squares are distances */
    uint16_t top;      /* found: no target, hit or not, has a higher rank, unless it is linked */
    uint16_t near_top; /* the same of targets that are not global */
} phx_rank_columns;

/* Ranks the hits, and drops hits of rank 0. false = no memory, the hits are as they were. */
bool phx_rank_hits(phx_rank_tables *tables, phx_mem *mem, const phx_kernels *kernels, const phx_store *store,
                   const phx_attr *observer, phx_rank_columns *hits);

#endif

/*
 * Previous rows: the position at the last tick's end of each entity that is discontinuous in this tick
 * (PHX_SLOT_DISCONTINUOUS); of all other entities the rows have it. And what else the last tick's end had otherwise:
 * the attributes of each entity that has others now, discontinuous or renewed. With them a derived list can be found
 * afterwards; see query/prev_list.h. And which own observers are renewed. Only while the shard's lists are derived.
 *
 * ingest, exchange: a slot that becomes discontinuous or renewed is noted; attributes are copied before they change.
 * index: before rows are sorted or edited, phx_prev_rows_collect() copies the rows of discontinuous entities, sorted by
 * blocks of towers. interest: read by all workers. end: all of it ends. Otherwise written by the shard's owner.
 */
#ifndef PHX_SHARDS_GRID_PREV_ROWS_H
#define PHX_SHARDS_GRID_PREV_ROWS_H

#include "shards/grid/grid.h"

/* Attributes of an entity before they changed. */
typedef struct phx_prev_rows_attr {
    phx_attr attr;
    uint32_t slot;
} phx_prev_rows_attr;

/* A discontinuous entity at the last tick's end. */
typedef struct phx_prev_rows_row {
    float x, y;
    uint32_t slot;
    uint32_t attr; /* in attrs; PHX_SLOT_NONE = its attributes did not change */
} phx_prev_rows_row;

typedef struct phx_prev_rows {
    ph_shape shape;          /* of the last tick's rules: of the derived lists; */
    float height;            /* and of them, too */
    uint64_t *discontinuous; /* a bit for each slot with a row that became discontinuous in this tick; until they are
                                collected */
    uint32_t discontinuous_count, discontinuous_capacity;
    uint64_t *renewed; /* a bit for each renewed slot: phx_prev_rows_renew() */
    uint32_t renewed_count, renewed_capacity;
    uint64_t *renewed_rows; /* a bit for each row of a renewed observer, from the index phase on; none if no slot is */
    uint32_t renewed_rows_capacity;
    uint64_t *noted; /* a bit for each slot that is PHX_SLOT_NOTED: few lines of memory, where bodies are one each */
    uint32_t noted_capacity;
    phx_prev_rows_attr *attrs;
    uint32_t attr_count, attrs_capacity;
    phx_idmap index; /* slot + 1 -> place in attrs, of slots that are PHX_SLOT_NOTED */
    bool collected;  /* in this tick: rows and keys are there */
    bool kept; /* once rows are sorted: a discontinuous observer whose list is derived from now on has a stored list */
    float *x, *y; /* positions of rows, in order, as scans read them: columns of one piece of memory */
    uint32_t *place;
    uint32_t *word; /* row words; special: the rule needs the previous attributes */
    float *nowhere; /* NaN, as many: current positions for scans */
    uint32_t *columns;
    uint32_t columns_capacity;
    phx_prev_rows_row *rows; /* sorted by block of the old position: rows, then blocks, then instances */
    uint64_t *keys, *spare;  /* of the rows: by << 48 | bx << 32 | slot */
    bool apart;              /* one of the rows stood in another instance than 0 */
    uint32_t row_count, rows_capacity, keys_capacity, spare_capacity;
} phx_prev_rows;

void phx_prev_rows_init(phx_prev_rows *previous, phx_mem *mem);
void phx_prev_rows_free(phx_prev_rows *previous, phx_mem *mem);

/* Room for each of so many slots to become discontinuous or renewed. false = no memory, unchanged. */
bool phx_prev_rows_room(phx_prev_rows *previous, phx_mem *mem, uint32_t slots);
/* A slot with a row becomes discontinuous. */
static inline void phx_prev_rows_discontinuous(phx_prev_rows *previous, uint32_t slot)
{
    uint64_t *discontinuous = &previous->discontinuous[slot >> 6], bit = UINT64_C(1) << (slot & 63);
    PHX_ASSERT(slot >> 6 < previous->discontinuous_capacity && !(*discontinuous & bit) && !previous->collected);
    *discontinuous |= bit;
    previous->discontinuous_count++;
}

/*
 * Renews a slot with a row: an own observer that is to be evaluated in this tick, or, if targets are held, done by
 * interest/delta_held.h: only its own list may be another one than positions tell. For all other observers it is the
 * same target as before.
 */
static inline void phx_prev_rows_renew(phx_prev_rows *previous, uint32_t slot)
{
    uint64_t *renewed = &previous->renewed[slot >> 6], bit = UINT64_C(1) << (slot & 63);
    PHX_ASSERT(slot >> 6 < previous->renewed_capacity);
    previous->renewed_count += !(*renewed & bit);
    *renewed |= bit;
}

/* Once rows are as in the interest phase: finds the rows of renewed observers. false = no memory: call again. */
bool phx_prev_rows_find_renewed(phx_prev_rows *previous, phx_mem *mem, const phx_store *store, const phx_grid *grid);

/* Has the row a renewed observer? */
static inline bool phx_prev_rows_renewed(const phx_prev_rows *previous, uint32_t row)
{
    return PHX_UNLIKELY(previous->renewed_count > 0) && phx_row_bit(previous->renewed_rows, row);
}

/* Has one of these rows a renewed observer? */
bool phx_prev_rows_any_renewed(const phx_prev_rows *previous, phx_span rows);

/* Room for one more phx_prev_rows_note(). false = no memory, unchanged. */
bool phx_prev_rows_reserve(phx_prev_rows *previous, phx_mem *mem);
/* Copies the attributes, which are about to change. */
void phx_prev_rows_note(phx_prev_rows *previous, phx_store *store, uint32_t slot);
/* Were its attributes others at the last tick's end? Any slot; of one that had no row it is not known: false. */
static inline bool phx_prev_rows_noted(const phx_prev_rows *previous, uint32_t slot)
{
    return slot >> 6 < previous->noted_capacity && (previous->noted[slot >> 6] >> (slot & 63) & 1);
}

/* Attributes at the last tick's end of a slot that is noted. */
const phx_attr *phx_prev_rows_noted_attr(const phx_prev_rows *previous, uint32_t slot);

/* Attributes at the last tick's end of an entity that was here. */
static inline const phx_attr *phx_prev_rows_attr_of(const phx_prev_rows *previous, const phx_store *store,
                                                    uint32_t slot)
{
    if (PHX_LIKELY(!phx_prev_rows_noted(previous, slot))) return phx_store_attr(store, slot);
    return phx_prev_rows_noted_attr(previous, slot);
}

static inline const phx_attr *phx_prev_rows_row_attr(const phx_prev_rows *previous, const phx_store *store,
                                                     const phx_prev_rows_row *row)
{
    return row->attr == PHX_SLOT_NONE ? phx_store_attr(store, row->slot) : &previous->attrs[row->attr].attr;
}

/*
 * Before the rebuild, once a tick: the rows are still as at the last tick's end. A discontinuous own observer with a
 * derived list finds its previous row at list.block. false = no memory: call again.
 */
bool phx_prev_rows_collect(phx_prev_rows *previous, phx_mem *mem, const phx_rules *rules, const phx_grid *grid,
                           phx_store *store);
/*
 * After the rebuild: erases old positions of discontinuous rows, as previous rows have them, and gives each block the
 * range of its previous rows.
 */
void phx_prev_rows_blank(const phx_prev_rows *previous, const phx_store *store, phx_grid *grid);

void phx_prev_rows_end(phx_prev_rows *previous, phx_store *store, phx_grid *grid, const phx_rules *rules);

#endif

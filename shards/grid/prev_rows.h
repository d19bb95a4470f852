/*
 * What was, of entities that are odd in this tick (PHX_SLOT_DISCONTINUOUS): where they stood at the last tick's end
 * and, where attributes changed, which they had. Rows tell it of all others. So a list that is not kept can be told
 * after the fact; see query/prev_list.h. Only while the shard's plain lists are implied.
 *
 * ingest, exchange: who becomes odd is put down, attributes are copied before they change. index: before rows are
 * sorted anew, or set right, phx_prev_rows_collect() takes from them what they say of the odd, and sorts that by blocks
 * of towers. interest: read by all workers. end: all forgotten. Otherwise written by the shard's owner.
 */
#ifndef PHX_SHARDS_GRID_PREV_ROWS_H
#define PHX_SHARDS_GRID_PREV_ROWS_H

#include "shards/grid/grid.h"

/* An entity before its attributes changed. */
typedef struct phx_prev_rows_attr {
    phx_attr attr;
    uint32_t slot;
} phx_prev_rows_attr;

/* An odd entity as it stood at the last tick's end. */
typedef struct phx_prev_rows_row {
    float x, y;
    uint32_t slot;
    uint32_t attr; /* in attrs; PHX_SLOT_NONE = it has those that it had */
} phx_prev_rows_row;

typedef struct phx_prev_rows {
    ph_shape shape; /* of the last tick's rules: of the lists that are implied */
    uint64_t *odd;  /* a bit for each slot: it has a row and became odd in this tick; until that is collected */
    uint32_t odd_count, odd_capacity;
    phx_prev_rows_attr *attrs;
    uint32_t attr_count, attrs_capacity;
    phx_idmap index; /* slot + 1 -> place in attrs, of slots that are PHX_SLOT_NOTED */
    bool collected;  /* in this tick: rows and keys are there */
    bool kept;       /* once rows are sorted: an odd observer whose list is implied from now on has a kept one */
    float *x, *y;    /* of rows, and their places, as scans want them: columns of one piece of memory */
    uint32_t *place;
    uint32_t *word; /* slots, with PHX_ROW_SPECIAL if the attributes that they had are to be looked at */
    float *nowhere; /* NaN, as many: where they are as what they were */
    uint32_t *columns;
    uint32_t columns_capacity;
    phx_prev_rows_row *rows; /* sorted by the block that it stood in: rows of blocks, then blocks */
    uint64_t *keys, *spare;  /* of the rows: by << 48 | bx << 32 | slot */
    uint32_t row_count, rows_capacity, keys_capacity, spare_capacity;
} phx_prev_rows;

void phx_prev_rows_init(phx_prev_rows *past, phx_mem *mem);
void phx_prev_rows_free(phx_prev_rows *past, phx_mem *mem);

/* Room for each of so many slots to become odd. false = no memory, unchanged. */
bool phx_prev_rows_room(phx_prev_rows *past, phx_mem *mem, uint32_t slots);
/* A slot with a row becomes odd. */
static inline void phx_prev_rows_discontinuous(phx_prev_rows *past, uint32_t slot)
{
    uint64_t *odd = &past->odd[slot >> 6], bit = UINT64_C(1) << (slot & 63);
    PHX_ASSERT(slot >> 6 < past->odd_capacity && !(*odd & bit) && !past->collected);
    *odd |= bit;
    past->odd_count++;
}

/* Room for one more phx_prev_rows_note(). false = no memory, unchanged. */
bool phx_prev_rows_reserve(phx_prev_rows *past, phx_mem *mem);
/* The attributes are about to change. */
void phx_prev_rows_note(phx_prev_rows *past, phx_store *store, uint32_t slot);
/* The attributes of an entity that was here, at the last tick's end. */
const phx_attr *phx_prev_rows_attr_of(const phx_prev_rows *past, const phx_store *store, uint32_t slot);

static inline const phx_attr *phx_prev_rows_row_attr(const phx_prev_rows *past, const phx_store *store,
                                                     const phx_prev_rows_row *row)
{
    return row->attr == PHX_SLOT_NONE ? phx_store_attr(store, row->slot) : &past->attrs[row->attr].attr;
}

/*
 * Before the rebuild, once a tick: the rows are still those of the last tick's end. An odd own observer with an
 * implied list finds its past row at list.block. false = no memory: call again.
 */
bool phx_prev_rows_collect(phx_prev_rows *past, phx_mem *mem, const phx_rules *rules, const phx_grid *grid,
                           phx_store *store);
/*
 * After the rebuild: rows of the odd do not say any more where they were; these past rows do, and blocks know theirs.
 */
void phx_prev_rows_blank(const phx_prev_rows *past, const phx_store *store, phx_grid *grid);

void phx_prev_rows_end(phx_prev_rows *past, phx_store *store, phx_grid *grid, ph_shape shape);

#endif

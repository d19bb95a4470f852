/*
 * The nine-grid: the entities of each tower, for range = towers. Only a change of tower can be an event there, so this
 * takes the place of the grid's rows. A move inside a tower has no cost here. A move to another tower costs work in the
 * two towers and their neighbours.
 *
 * A cell entry is an entity in one tower. In the index phase each entity that crossed, entered or left has a crossing:
 * its old cell entry stays and is marked PHX_CELL_LEFT, a new one is added with PHX_CELL_ENTERED. From then to the
 * tick's end a tower has the entries of both: entities that stood there (all but ENTERED) and entities that stand there
 * now (all but LEFT). The interest phase needs nothing else; see interest/delta_ninegrid.h. phx_ninegrid_end_tick()
 * then tidies the towers.
 *
 * The list of a plain observer is derived (phx_list.derived): it has the entities of the towers in its span, and can be
 * found from the cell entries at any time; see phx_ninegrid_list().
 *
 * Between ticks, and up to the index phase, cell entries are as at the last tick's end, sorted by kind and id in towers
 * with many; later changes are noted. Written by the shard's owner (ingest, exchange: notes; index; end). Read by all
 * workers in the interest phase, where a worker writes `observer_kind` of the cell entry of the observer at hand.
 */
#ifndef PHX_SHARDS_NINEGRID_NINEGRID_H
#define PHX_SHARDS_NINEGRID_NINEGRID_H

#include "shards/entity/bounds.h"
#include "shards/entity/event_order.h"
#include "shards/grid/grid.h"

enum { PHX_CELL_SPECIAL = 1, PHX_CELL_ENTERED = 2, PHX_CELL_LEFT = 4, PHX_CELL_CHANGED = 8 };
enum {
    PHX_NINEGRID_UNSORTED_MAX = 16, /* entries of a tower that are searched one by one, and in no order */
    PHX_NINEGRID_AT_ONCE = 2        /* entries of most towers; read whether they exist or not, so the array is padded */
};

/* Kinds of a cell entry as an observer. */
enum {
    PHX_OBSERVER_KIND_NONE = 0,
    PHX_OBSERVER_KIND_EVALUATED, /* has to be evaluated */
    PHX_OBSERVER_KIND_PLAIN      /* its list is derived, and only crossings can change it */
};

enum { PHX_NINEGRID_NONE = UINT32_MAX };

typedef struct phx_cell_entry {
    uint32_t slot;
    uint32_t key;  /* of its name; see phx_ninegrid.key_bits */
    uint32_t move; /* number of this tick's crossing; PHX_NINEGRID_NONE = it stayed unchanged */
    uint8_t flags; /* PHX_CELL_... */
    uint8_t observer_kind;
    uint16_t reserved;
} phx_cell_entry;

typedef struct phx_tower {
    uint32_t first; /* in the cell entries */
    uint32_t count;
    uint32_t old;  /* entries from here on are ENTERED */
    uint32_t task; /* task, if the block has the bit in `tasks`; before, in the index phase, the crossing of the last
                     ENTERED */
} phx_tower;

/*
 * 8 x 8 towers: made when the first entity comes, dropped when the last one left. Sets of towers are 64 bit masks. Most
 * walks need only its first cache line.
 */
typedef struct phx_cell_block {
    uint16_t bx, by;
    uint32_t instance; /* all its entries are in this one */
    uint32_t entries;
    uint64_t stood;             /* towers with an entry, old or new */
    uint64_t observed;          /* towers that may have an observer */
    uint64_t may_evaluate;      /* towers that may have an observer to evaluate */
    uint64_t untidy;            /* towers with marked entries */
    uint64_t evaluate_all;      /* towers in which all observers are evaluated in this tick */
    uint64_t tasks;             /* towers with a task in this tick */
    uint64_t dirty, dirty_tick; /* towers that changed in that tick; only if `marking` */
    phx_tower tower[PHX_BLOCK_TOWERS];
    uint8_t room[PHX_BLOCK_TOWERS]; /* size class of its entries' memory; PHX_LIST_NONE = none */
} phx_cell_block;

/*
 * A change since the last tick's end, with the state before; body.row of the slot is the number of its note. Most notes
 * have just the towers, and the cell entry has the rest.
 */
typedef struct phx_change_note {
    uint32_t slot;
    uint32_t attr;           /* in attrs, or PHX_NINEGRID_NONE: no attribute changed that the visibility rule reads */
    uint16_t ax, ay, bx, by; /* its tower at the last tick's end, and now */
    uint16_t kind;           /* kind at the last tick's end, if renewed */
    bool renewed; /* its cell entry has to be written anew: it died, or has other attributes, another name or owner */
    bool attr_changed; /* as a target it has other attributes: its observers have to be evaluated */
} phx_change_note;

/* A crossing: an entity that crossed, entered, left, or changed its attributes. In the order of events: kind, id. */
typedef struct phx_crossing {
    uint32_t slot;
    uint32_t key;   /* of its current name */
    uint32_t place; /* of the old cell entry in its tower */
    uint32_t from;  /* cell block of its old tower */
    uint32_t pair;  /* in found: the towers that see it come or go; if a delta is enough for it as an observer, they are
                       the towers that come into or leave its span, too */
    uint16_t ax, ay, bx, by; /* from, to */
    uint8_t observer_kind;   /* of its cell entry */
    bool was : 1, is : 1;    /* it was in the world, at a; it is in the world, at b */
    bool apart : 1;          /* it is in an instance other than 0: phx_store_instance() */
    bool stays : 1;          /* its cell entry stays: it only has to be evaluated by observers */
    bool attr_changed : 1;
    bool special : 1; /* now or before */
} phx_crossing;

/* A task: a tower with observers that may have events. */
typedef struct phx_cell_task {
    uint32_t first; /* first item; an item for each cell entry */
    uint32_t entry, entry_count;
    uint32_t entered; /* ENTERED entries, the last ones, */
    uint32_t entrant; /* ... and their crossings, in entrants */
    uint32_t pair;    /* in pairs: leaves for all observers that stay here, then enters */
    uint32_t leave_count, enter_count;
    bool evaluate_all; /* all its observers are evaluated, as an entity with changed attributes is in the span */
    bool mixed;        /* an observer may have to be evaluated */
    bool special;      /* a crossing has a special target */
} phx_cell_task;

/*
 * A tower into whose view a crossing comes, or that it leaves. Towers see each other: so the crossing entity, as an
 * observer, sees the tower come or go.
 */
typedef struct phx_ninegrid_pair {
    phx_crossing_word crossing;
    uint32_t cell_block;
    uint8_t tower;
    bool observed; /* it may have observers that get an event */
    uint16_t reserved;
} phx_ninegrid_pair;

/* The part of a pair that its cell block needs. */
typedef struct phx_ninegrid_binned_pair {
    phx_crossing_word crossing; /* as in the pair */
    uint32_t tower;
} phx_ninegrid_binned_pair;

enum { PHX_NINEGRID_SIZES = 30 };

typedef struct phx_ninegrid {
    phx_block_map map; /* of cell blocks */
    phx_cell_block *cell_blocks;
    uint32_t cell_block_count, cell_blocks_capacity;
    phx_cell_entry *entries;
    uint32_t entries_used, entries_capacity;
    uint32_t free_first[PHX_NINEGRID_SIZES]; /* by size class; the slot field of the first entry links to the next */
    uint32_t entry_count;
    uint32_t
        key_bits;  /* number of id bits in keys, entity/event_order.h; PHX_ORDER_NO_KEY: keys do not give the order */
    uint32_t span; /* at the last tick's end */
    bool marking;  /* an observer may have to be evaluated when anything changes in its span */

    phx_change_note *notes;
    uint32_t note_count, notes_capacity;
    phx_attr *attrs;
    uint32_t attr_count, attrs_capacity;
    phx_crossing *crossings, *spare;
    uint32_t crossing_count, crossings_capacity, spare_capacity;
    struct phx_sort_record *keys; /* scratch of the sort of crossings */
    uint32_t keys_capacity;
    phx_cell_entry *entered; /* scratch of the tick's end */
    uint32_t entered_capacity;
    phx_cell_task *tasks;
    uint32_t task_count, tasks_capacity;
    uint32_t *entrants; /* crossings that led to a tower with a task, by task */
    uint32_t entrant_count, entrants_capacity;
    bool evaluating;                  /* in some towers all observers are evaluated */
    phx_ninegrid_pair *found;         /* in the order of crossings */
    phx_ninegrid_binned_pair *binned; /* pairs of towers with observers, by cell block */
    uint32_t found_count, found_capacity, binned_capacity;
    uint32_t *bins; /* by cell block: where its pairs begin */
    uint32_t bins_capacity;
    uint32_t *pairs; /* crossings, by task */
    uint32_t pairs_capacity;
    uint32_t item_count;
    uint32_t stage, at; /* progress of the index phase */
} phx_ninegrid;

/* false = no memory. */
bool phx_ninegrid_init(phx_ninegrid *ninegrid, phx_mem *mem, const phx_rules *rules);
void phx_ninegrid_free(phx_ninegrid *ninegrid, phx_mem *mem);

/* ---- ingest, exchange ---- */

/* Notes a slot before it moves to another tower. */
void phx_ninegrid_note_tower(phx_ninegrid *ninegrid, phx_store *store, uint32_t slot, uint16_t tx, uint16_t ty);
/* Notes a slot before any other change that its cell entry shows: kind, user data, attributes, owner, death. */
void phx_ninegrid_note(phx_ninegrid *ninegrid, phx_store *store, uint32_t slot);
/* The same before its attributes become `next`; room for one was reserved. */
void phx_ninegrid_note_attr(phx_ninegrid *ninegrid, phx_store *store, uint32_t slot, const phx_attr *next);
bool phx_ninegrid_reserve(phx_ninegrid *ninegrid, phx_mem *mem);
/* Marks a tower as changed in this tick, if `marking`. */
void phx_ninegrid_mark_dirty(phx_ninegrid *ninegrid, uint32_t instance, uint16_t tx, uint16_t ty, uint64_t tick);

/* The sort word, if keys give the order. */
static inline uint64_t phx_ninegrid_word(uint32_t key, uint32_t slot)
{
    return (uint64_t)key << PHX_ORDER_SLOT_BITS | slot;
}

static inline uint32_t phx_ninegrid_key(const phx_ninegrid *ninegrid, const phx_name *name)
{
    if (PHX_UNLIKELY(ninegrid->key_bits == PHX_ORDER_NO_KEY)) return 0;
    return (uint32_t)(phx_order_word(name->id, name->kind, ninegrid->key_bits, 0) >> PHX_ORDER_SLOT_BITS);
}

/* The note of a slot; NULL = none. */
static inline phx_change_note *phx_ninegrid_note_of(const phx_ninegrid *ninegrid, const phx_store *store, uint32_t slot)
{
    uint32_t place = store->body[slot].row;
    bool noted = place < ninegrid->note_count && ninegrid->notes[place].slot == slot;
    return noted ? &ninegrid->notes[place] : NULL;
}

/* ---- any time ---- */

/* Writes the derived list of an own observer at the last tick's end to out[] (NULL: only counted). */
uint32_t phx_ninegrid_list(const phx_ninegrid *ninegrid, const phx_rules *rules, const phx_store *store, uint32_t slot,
                           uint32_t *out);
enum { PHX_NINEGRID_PIECE = 256 };

/* A piece of a list. false: no more pieces are wanted. */
typedef bool (*phx_ninegrid_list_fn)(void *user, const uint32_t *targets, uint32_t count);

/* The same told in pieces of up to PHX_NINEGRID_PIECE; up to the index phase. */
void phx_ninegrid_list_visit(const phx_ninegrid *ninegrid, const phx_rules *rules, const phx_store *store,
                             uint32_t slot, phx_ninegrid_list_fn visit, void *user);
/* Had that list the target, a live slot? Up to the index phase. */
bool phx_ninegrid_list_has(const phx_ninegrid *ninegrid, const phx_rules *rules, const phx_store *store, uint32_t slot,
                           uint32_t target);
/*
 * The entities of some towers in columns, as observers of one tower search the same ones. A worker has its own, for the
 * tick at hand.
 */
typedef struct phx_tower_columns {
    phx_grid_rows rows; /* x, y and slot alone */
    uint32_t x_capacity, y_capacity, slot_capacity;
    uint32_t count;
    uint32_t towers; /* with an entry */
    /* what is collected */
    const phx_ninegrid *of; /* NULL = nothing */
    uint32_t instance;
    phx_rect rect;
} phx_tower_columns;

/* Room for so many entities, and for the pad of kernels. false = no memory. */
bool phx_tower_columns_reserve(phx_tower_columns *columns, phx_mem *mem, size_t count);
void phx_tower_columns_free(phx_tower_columns *columns, phx_mem *mem);
/*
 * Collects the entities of an instance in the rectangle's towers now, if others were collected last. In the interest
 * phase; room was reserved.
 */
void phx_ninegrid_collect(const phx_ninegrid *ninegrid, const phx_store *store, uint32_t instance, phx_rect rect,
                          phx_tower_columns *columns);
bool phx_ninegrid_dirty(const phx_ninegrid *ninegrid, uint32_t instance, phx_rect rect, uint64_t tick);

/* The observer kind for the cell entry of a slot. */
uint8_t phx_ninegrid_observer_kind(const phx_store *store, uint32_t slot);

/* Whole-structure check, between ticks: every live slot has its cell entry in the right tower. For PHX_VALIDATE. */
bool phx_ninegrid_valid(const phx_ninegrid *ninegrid, const phx_rules *rules, const phx_store *store);

/* ---- towers and rectangles ---- */

/* Is a delta enough for an observer that crossed, if its towers' tasks need no evaluation? */
static inline bool phx_ninegrid_delta(const phx_crossing *crossing)
{
    return crossing->was && crossing->is && crossing->observer_kind == PHX_OBSERVER_KIND_PLAIN;
}

static inline phx_cell_block *phx_ninegrid_cell_block(const phx_ninegrid *ninegrid, uint32_t instance, uint32_t bx,
                                                      uint32_t by)
{
    uint32_t n = phx_block_map_find(&ninegrid->map, instance, bx, by);
    return n ? &ninegrid->cell_blocks[n - 1] : NULL;
}

/* The rectangle's towers in the cell block. */
static inline uint64_t phx_cell_block_mask(const phx_cell_block *cell_block, phx_rect rect)
{
    bool meets = cell_block->bx >= rect.x0 >> PHX_BLOCK_BITS && cell_block->bx <= rect.x1 >> PHX_BLOCK_BITS &&
                 cell_block->by >= rect.y0 >> PHX_BLOCK_BITS && cell_block->by <= rect.y1 >> PHX_BLOCK_BITS;
    return meets ? phx_block_mask(rect, cell_block->bx, cell_block->by) : 0;
}

/*
 * Walks the cell blocks of an instance that a rectangle meets; if the rectangle is wider than there are blocks, it
 * looks at all that exist.
 */
typedef struct phx_cell_block_walk {
    const phx_ninegrid *ninegrid;
    phx_rect rect;
    uint32_t instance;
    uint32_t bx, by, next;
    bool wide, every; /* every: of all instances */
} phx_cell_block_walk;

static inline phx_cell_block_walk phx_ninegrid_walk(const phx_ninegrid *ninegrid, uint32_t instance, phx_rect rect)
{
    uint64_t width = (uint64_t)(rect.x1 >> PHX_BLOCK_BITS) - (rect.x0 >> PHX_BLOCK_BITS) + 1;
    uint64_t height = (uint64_t)(rect.y1 >> PHX_BLOCK_BITS) - (rect.y0 >> PHX_BLOCK_BITS) + 1;
    return (phx_cell_block_walk){.ninegrid = ninegrid,
                                 .rect = rect,
                                 .instance = instance,
                                 .bx = rect.x0 >> PHX_BLOCK_BITS,
                                 .by = rect.y0 >> PHX_BLOCK_BITS,
                                 .wide = width * height > ninegrid->cell_block_count};
}

/* In all instances: if there are others than 0, it looks at all blocks. */
static inline phx_cell_block_walk phx_ninegrid_walk_all(const phx_ninegrid *ninegrid, phx_rect rect)
{
    phx_cell_block_walk walk = phx_ninegrid_walk(ninegrid, 0, rect);
    walk.every = phx_idmap_count(&ninegrid->map.apart) > 0;
    walk.wide |= walk.every;
    return walk;
}

/* NULL = the end. */
static inline phx_cell_block *phx_ninegrid_next(phx_cell_block_walk *walk)
{
    const phx_ninegrid *ninegrid = walk->ninegrid;
    while (walk->wide) {
        if (walk->next == ninegrid->cell_block_count) return NULL;
        phx_cell_block *cell_block = &ninegrid->cell_blocks[walk->next++];
        if (cell_block->instance != walk->instance && !walk->every) continue;
        if (phx_cell_block_mask(cell_block, walk->rect)) return cell_block;
    }
    while (walk->by <= walk->rect.y1 >> PHX_BLOCK_BITS) {
        phx_cell_block *cell_block = phx_ninegrid_cell_block(ninegrid, walk->instance, walk->bx, walk->by);
        if (walk->bx++ == walk->rect.x1 >> PHX_BLOCK_BITS) {
            walk->bx = walk->rect.x0 >> PHX_BLOCK_BITS;
            walk->by++;
        }
        if (cell_block) return cell_block;
    }
    return NULL;
}

#endif

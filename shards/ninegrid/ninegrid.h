/*
 * Crowds: who stands in which tower, for range = towers (the nine-grid). There only a change of tower can be an
 * event, so this takes the place of the grid's rows: a move inside a tower does nothing here, and one to another
 * tower costs that tower, its neighbours and nothing else.
 *
 * A card is an entity as it stands in one tower. In the index phase whoever
 * crossed, came or went gets a move: its old card stays and is marked WENT, a new one is added, marked CAME. From
 * then to the tick's end a tower shows both who stood there (all but CAME) and who stands there now (all but WENT),
 * which is all that the interest phase asks; see interest/delta_ninegrid.h. phx_ninegrid_end_tick() then puts the
 * towers in order.
 *
 * The list of a plain observer is not kept: it is all in the towers that it sees (phx_list.implied), and can be told
 * from the cards at any time, see phx_ninegrid_list().
 *
 * Between ticks, and up to the index phase, the cards are those of the last tick's end, sorted by kind and id where
 * there are more than a few in a tower; what happened since is noted. Written by the shard's owner (ingest, exchange:
 * notes; index; end); read by all workers in the interest phase, where one writes `watches` of the card it evaluates.
 */
#ifndef PHX_SHARDS_NINEGRID_NINEGRID_H
#define PHX_SHARDS_NINEGRID_NINEGRID_H

#include "shards/entity/bounds.h"
#include "shards/entity/event_order.h"
#include "shards/grid/grid.h"

enum { PHX_CELL_SPECIAL = 1, PHX_CELL_ENTERED = 2, PHX_CELL_LEFT = 4, PHX_CELL_CHANGED = 8 };
enum {
    PHX_NINEGRID_FEW = 16,   /* cards of a tower that are looked at one by one, and in no order */
    PHX_NINEGRID_AT_ONCE = 2 /* as many as most have: read whether they are there or not, so cards are padded */
};

/* What a card is as an observer. */
enum {
    PHX_OBSERVER_KIND_NONE = 0,
    PHX_OBSERVER_KIND_LOOK, /* has to be evaluated */
    PHX_OBSERVER_KIND_PLAIN /* its list is implied, and nothing but crossings can change it */
};

enum { PHX_NINEGRID_NONE = UINT32_MAX };

typedef struct phx_cell_entry {
    uint32_t slot;
    uint32_t key;  /* of its name, see phx_ninegrid.key_bits */
    uint32_t move; /* in this tick: of the crossings; PHX_NINEGRID_NONE = it stayed as it was */
    uint8_t flags; /* PHX_CARD_... */
    uint8_t watches;
    uint16_t reserved;
} phx_cell_entry;

typedef struct phx_tower {
    uint32_t first; /* in the cards */
    uint32_t count;
    uint32_t old; /* those from here on are CAME */
    uint32_t job; /* if the crowd says that it has one; before, in the index phase, the crossing of the last CAME */
} phx_tower;

/*
 * 8 x 8 towers, made when somebody comes and gone with the last one; sets of towers are 64 bit masks. What most
 * walks need is its first line.
 */
typedef struct phx_cell_block {
    uint16_t bx, by;
    uint32_t cards;
    uint64_t stood;             /* there is a card, old or new */
    uint64_t watched;           /* there may be an observer */
    uint64_t look;              /* there may be one that has to be evaluated */
    uint64_t untidy;            /* has marked cards */
    uint64_t odd;               /* all its observers evaluate in this tick */
    uint64_t jobs;              /* has a job in this tick */
    uint64_t dirty, dirty_tick; /* something changed in it in that tick, if anybody wants to know */
    phx_tower tower[PHX_BLOCK_TOWERS];
    uint8_t room[PHX_BLOCK_TOWERS]; /* size class of its cards; PHX_LIST_NONE = none */
} phx_cell_block;

/*
 * What has changed since the last tick's end, and how it was then; body.row of its slot is the place of its note. Of
 * most it is just the tower, and their cards say the rest.
 */
typedef struct phx_change_note {
    uint32_t slot;
    uint32_t attr;           /* in attrs, or PHX_NINEGRID_NONE: nothing that decides who sees whom has changed */
    uint16_t ax, ay, bx, by; /* its tower then, and now */
    uint16_t kind;           /* then, if renewed */
    bool renewed;            /* its card has to be written anew: it died, has other attributes, another name or owner */
    bool recast;             /* as a target: observers have to look at it anew */
} phx_change_note;

/* Somebody crossed, came, went, or is to be looked at anew. In the order of events: kind, id. */
typedef struct phx_area_member {
    uint32_t slot;
    uint32_t key;   /* of its name, as it is now */
    uint32_t place; /* of the old card in its tower */
    uint32_t from;  /* the crowd of the tower where it was */
    uint32_t pair;  /* in found: the towers that see it come or go; if it glances, all that it sees come or go too */
    uint16_t ax, ay, bx, by; /* from, to */
    uint8_t watches;         /* of its card */
    bool was : 1, is : 1;    /* it stood at a; it stands at b */
    bool stays : 1;          /* its card does: only observers have to look at it */
    bool recast : 1;
    bool special : 1; /* is, or was */
} phx_area_member;

/* A tower whose observers have something to see. */
typedef struct phx_cell_task {
    uint32_t first; /* item; one for each card */
    uint32_t card, card_count;
    uint32_t came;  /* the last ones of the cards, */
    uint32_t comer; /* ... and whose these are, in comers */
    uint32_t pair;  /* in pairs: the crossings that leave all who stay here, then those that enter */
    uint32_t leave_count, enter_count;
    bool look;    /* something odd is in sight: all evaluate */
    bool mixed;   /* some may have to be evaluated, others not */
    bool special; /* one of the crossings has to be looked at */
} phx_cell_task;

/* A tower that sees a crossing come or go: as towers see each other, one that who crossed sees come or go. */
typedef struct phx_ninegrid_pair {
    uint32_t crossing; /* | PHX_NINEGRID_ENTER | PHX_NINEGRID_SPECIAL */
    uint32_t crowd;
    uint8_t tower;
    bool watched; /* it may have observers, which are to be told */
    uint16_t reserved;
} phx_ninegrid_pair;

/* What of a pair its crowd wants to know. */
typedef struct phx_ninegrid_told {
    uint32_t crossing; /* as of the pair */
    uint32_t tower;
} phx_ninegrid_told;

enum { PHX_NINEGRID_SIZES = 30 };

typedef struct phx_ninegrid {
    phx_block_map map; /* of crowds */
    phx_cell_block *crowds;
    uint32_t crowd_count, crowds_capacity;
    phx_cell_entry *cards;
    uint32_t cards_used, cards_capacity;
    uint32_t free_first[PHX_NINEGRID_SIZES]; /* by size class; the first card's slot is the next */
    uint32_t card_count;
    uint32_t key_bits; /* of ids that are in keys, entity/event_order.h; PHX_ORDER_NO_KEY: keys say nothing */
    uint32_t span;     /* of the last tick's end */
    bool marking;      /* there may be somebody to be evaluated when anything changes near it */

    phx_change_note *notes;
    uint32_t note_count, notes_capacity;
    phx_attr *attrs;
    uint32_t attr_count, attrs_capacity;
    phx_area_member *crossings, *spare;
    uint32_t crossing_count, crossings_capacity, spare_capacity;
    struct phx_sort_record *keys; /* scratch of their sort */
    uint32_t keys_capacity;
    phx_cell_entry *came; /* scratch of settling */
    uint32_t came_capacity;
    phx_cell_task *jobs;
    uint32_t job_count, jobs_capacity;
    uint32_t *comers; /* the crossings that led to a tower with a job, by job */
    uint32_t comer_count, comers_capacity;
    bool looking;              /* some towers are odd */
    phx_ninegrid_pair *found;  /* in the order of crossings */
    phx_ninegrid_told *binned; /* those with observers, by crowd */
    uint32_t found_count, found_capacity, binned_capacity;
    uint32_t *bins; /* by crowd: where its pairs begin */
    uint32_t bins_capacity;
    uint32_t *pairs; /* crossings, by job */
    uint32_t pairs_capacity;
    uint32_t item_count;
    uint32_t stage, at; /* how far the index phase got */
} phx_ninegrid;

/* false = no memory. */
bool phx_ninegrid_init(phx_ninegrid *nine, phx_mem *mem, const phx_rules *rules);
void phx_ninegrid_free(phx_ninegrid *nine, phx_mem *mem);

/* ---- ingest, exchange ---- */

/* Before it goes to another tower. */
void phx_ninegrid_note_tower(phx_ninegrid *nine, phx_store *store, uint32_t slot, uint16_t tx, uint16_t ty);
/* Before anything else of what its card says changes: kind, user data, attributes, own or ghost, death. */
void phx_ninegrid_note(phx_ninegrid *nine, phx_store *store, uint32_t slot);
/* The same, and its attributes are about to become `next`; room for one was reserved. */
void phx_ninegrid_note_attr(phx_ninegrid *nine, phx_store *store, uint32_t slot, const phx_attr *next);
bool phx_ninegrid_reserve(phx_ninegrid *nine, phx_mem *mem);
/* Marks a tower as changed in this tick, if anybody wants to know. */
void phx_ninegrid_mark_dirty(phx_ninegrid *nine, uint16_t tx, uint16_t ty, uint64_t tick);

/* What is ordered where keys say something. */
static inline uint64_t phx_ninegrid_word(uint32_t key, uint32_t slot)
{
    return (uint64_t)key << PHX_ORDER_SLOT_BITS | slot;
}

static inline uint32_t phx_ninegrid_key(const phx_ninegrid *nine, const phx_name *name)
{
    if (PHX_UNLIKELY(nine->key_bits == PHX_ORDER_NO_KEY)) return 0;
    return (uint32_t)(phx_order_word(name->id, name->kind, nine->key_bits, 0) >> PHX_ORDER_SLOT_BITS);
}

/* NULL = nothing noted of it. */
static inline phx_change_note *phx_ninegrid_note_of(const phx_ninegrid *nine, const phx_store *store, uint32_t slot)
{
    uint32_t place = store->body[slot].row;
    bool noted = place < nine->note_count && nine->notes[place].slot == slot;
    return noted ? &nine->notes[place] : NULL;
}

/* ---- any time ---- */

/* The slots in the implied list of an own observer at the last tick's end, to out[] (NULL: only counted). */
uint32_t phx_ninegrid_list(const phx_ninegrid *nine, const phx_rules *rules, const phx_store *store, uint32_t slot,
                           uint32_t *out);
/* All who stand in the rectangle's towers now, as rows' slot words; out[] has room. *ranges: towers looked at. */
uint32_t phx_ninegrid_scan(const phx_ninegrid *nine, phx_rect rect, uint32_t *out, uint32_t *ranges);
bool phx_ninegrid_dirty(const phx_ninegrid *nine, phx_rect rect, uint64_t tick);

/* What its card is to say of it as an observer. */
uint8_t phx_ninegrid_observer_kind(const phx_store *store, uint32_t slot);

/* Whole-structure check, between ticks: every live slot has its card in the right tower. For PHX_VALIDATE. */
bool phx_ninegrid_valid(const phx_ninegrid *nine, const phx_rules *rules, const phx_store *store);

/* ---- towers and rectangles ---- */

static const uint32_t PHX_NINEGRID_ENTER = 1u << 31, PHX_NINEGRID_SPECIAL = 1u << 30;

/* Is a glance enough for who crossed, if nothing odd is in sight? */
static inline bool phx_ninegrid_delta(const phx_area_member *crossing)
{
    return crossing->was && crossing->is && crossing->watches == PHX_OBSERVER_KIND_PLAIN;
}

static inline phx_cell_block *phx_ninegrid_cell_block(const phx_ninegrid *nine, uint32_t bx, uint32_t by)
{
    uint32_t n = phx_block_map_find(&nine->map, bx, by);
    return n ? &nine->crowds[n - 1] : NULL;
}

/* The rectangle's towers in the crowd. */
static inline uint64_t phx_cell_block_mask(const phx_cell_block *crowd, phx_rect rect)
{
    bool meets = crowd->bx >= rect.x0 >> PHX_BLOCK_BITS && crowd->bx <= rect.x1 >> PHX_BLOCK_BITS &&
                 crowd->by >= rect.y0 >> PHX_BLOCK_BITS && crowd->by <= rect.y1 >> PHX_BLOCK_BITS;
    return meets ? phx_block_mask(rect, crowd->bx, crowd->by) : 0;
}

/* The crowds that a rectangle meets, one after the other; where it is wider than there are crowds, those there are. */
typedef struct phx_cell_block_walk {
    const phx_ninegrid *nine;
    phx_rect rect;
    uint32_t bx, by, next;
    bool wide;
} phx_cell_block_walk;

static inline phx_cell_block_walk phx_ninegrid_walk(const phx_ninegrid *nine, phx_rect rect)
{
    uint64_t width = (uint64_t)(rect.x1 >> PHX_BLOCK_BITS) - (rect.x0 >> PHX_BLOCK_BITS) + 1;
    uint64_t height = (uint64_t)(rect.y1 >> PHX_BLOCK_BITS) - (rect.y0 >> PHX_BLOCK_BITS) + 1;
    return (phx_cell_block_walk){.nine = nine,
                                 .rect = rect,
                                 .bx = rect.x0 >> PHX_BLOCK_BITS,
                                 .by = rect.y0 >> PHX_BLOCK_BITS,
                                 .wide = width * height > nine->crowd_count};
}

/* NULL = through. */
static inline phx_cell_block *phx_ninegrid_next(phx_cell_block_walk *walk)
{
    const phx_ninegrid *nine = walk->nine;
    while (walk->wide) {
        if (walk->next == nine->crowd_count) return NULL;
        phx_cell_block *crowd = &nine->crowds[walk->next++];
        if (phx_cell_block_mask(crowd, walk->rect)) return crowd;
    }
    while (walk->by <= walk->rect.y1 >> PHX_BLOCK_BITS) {
        phx_cell_block *crowd = phx_ninegrid_cell_block(nine, walk->bx, walk->by);
        if (walk->bx++ == walk->rect.x1 >> PHX_BLOCK_BITS) {
            walk->bx = walk->rect.x0 >> PHX_BLOCK_BITS;
            walk->by++;
        }
        if (crowd) return crowd;
    }
    return NULL;
}

#endif

/*
 * Cell blocks, cell entries and notes; see ninegrid.h. The index phase and the tick's end are in crossings.c.
 */
#include "shards/ninegrid/ninegrid.h"

#include "shards/entity/bounds.h"
#include "shards/entity/entity_store.h"
#include "shards/entity/event_order.h"
#include "shards/grid/block_table.h"
#include "shards/grid/grid.h"

bool phx_ninegrid_init(phx_ninegrid *nine, phx_mem *mem, const phx_rules *rules)
{
    *nine = (phx_ninegrid){.span = rules->span};
    for (uint32_t i = 0; i < PHX_NINEGRID_SIZES; i++) nine->free_first[i] = PHX_NINEGRID_NONE;
    return phx_block_map_init(&nine->map, mem, rules->towers);
}

void phx_ninegrid_free(phx_ninegrid *nine, phx_mem *mem)
{
    phx_block_map_free(&nine->map, mem);
    phx_release(mem, (void **)&nine->crowds, &nine->crowds_capacity, sizeof(phx_cell_block));
    phx_release(mem, (void **)&nine->cards, &nine->cards_capacity, sizeof(phx_cell_entry));
    phx_release(mem, (void **)&nine->notes, &nine->notes_capacity, sizeof(phx_change_note));
    phx_release(mem, (void **)&nine->attrs, &nine->attrs_capacity, sizeof(phx_attr));
    phx_release(mem, (void **)&nine->crossings, &nine->crossings_capacity, sizeof(phx_area_member));
    phx_release(mem, (void **)&nine->spare, &nine->spare_capacity, sizeof(phx_area_member));
    phx_release(mem, (void **)&nine->keys, &nine->keys_capacity, sizeof(phx_sort_record));
    phx_release(mem, (void **)&nine->came, &nine->came_capacity, sizeof(phx_cell_entry));
    phx_release(mem, (void **)&nine->jobs, &nine->jobs_capacity, sizeof(phx_cell_task));
    phx_release(mem, (void **)&nine->comers, &nine->comers_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&nine->found, &nine->found_capacity, sizeof(phx_ninegrid_pair));
    phx_release(mem, (void **)&nine->binned, &nine->binned_capacity, sizeof(phx_ninegrid_told));
    phx_release(mem, (void **)&nine->bins, &nine->bins_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&nine->pairs, &nine->pairs_capacity, sizeof(uint32_t));
    *nine = (phx_ninegrid){0};
}

/* ---- towers ---- */

void phx_ninegrid_mark_dirty(phx_ninegrid *nine, uint32_t instance, uint16_t tx, uint16_t ty, uint64_t tick)
{
    if (!nine->marking) return;
    phx_cell_block *crowd = phx_ninegrid_cell_block(nine, instance, tx >> PHX_BLOCK_BITS, ty >> PHX_BLOCK_BITS);
    if (!crowd) return;
    if (crowd->dirty_tick != tick) crowd->dirty = 0;
    crowd->dirty_tick = tick;
    crowd->dirty |= 1ull << phx_block_tower(tx, ty);
}

bool phx_ninegrid_dirty(const phx_ninegrid *nine, uint32_t instance, phx_rect rect, uint64_t tick)
{
    phx_cell_block_walk walk = phx_ninegrid_walk(nine, instance, rect);
    for (const phx_cell_block *crowd; (crowd = phx_ninegrid_next(&walk)) != NULL;)
        if (crowd->dirty_tick == tick && (crowd->dirty & phx_cell_block_mask(crowd, rect))) return true;
    return false;
}

/* ---- notes ---- */

/* The note of a slot, made if there is none. NULL = it has no cell entry yet. */
static phx_change_note *note_ensure(phx_ninegrid *nine, phx_store *store, uint32_t slot)
{
    phx_body *body = &store->body[slot];
    if (!(body->state & PHX_SLOT_ROW)) return NULL;
    phx_change_note *note = phx_ninegrid_note_of(nine, store, slot);
    if (note) return note;
    PHX_ASSERT(nine->note_count < nine->notes_capacity);
    body->row = nine->note_count;
    note = &nine->notes[nine->note_count++];
    *note = (phx_change_note){
        .slot = slot, .attr = PHX_NINEGRID_NONE, .ax = body->tx, .ay = body->ty, .bx = body->tx, .by = body->ty};
    return note;
}

void phx_ninegrid_note_tower(phx_ninegrid *nine, phx_store *store, uint32_t slot, uint16_t tx, uint16_t ty)
{
    phx_change_note *note = note_ensure(nine, store, slot);
    if (!note) return;
    note->bx = tx;
    note->by = ty;
}

void phx_ninegrid_note(phx_ninegrid *nine, phx_store *store, uint32_t slot)
{
    phx_change_note *note = note_ensure(nine, store, slot);
    if (!note || note->renewed) return;
    note->renewed = true;
    note->kind = store->name[slot].kind;
}

bool phx_ninegrid_reserve(phx_ninegrid *nine, phx_mem *mem)
{
    return phx_grow(mem, (void **)&nine->attrs, &nine->attrs_capacity, nine->attr_count, (size_t)nine->attr_count + 1,
                    sizeof(phx_attr));
}

void phx_ninegrid_note_attr(phx_ninegrid *nine, phx_store *store, uint32_t slot, const phx_attr *next)
{
    const phx_attr *now = phx_store_attr(store, slot);
    phx_ninegrid_note(nine, store, slot);
    phx_change_note *note = phx_ninegrid_note_of(nine, store, slot);
    if (!note) return;
    bool elsewhere = now->instance != next->instance;
    bool recast = elsewhere || now->layers != next->layers || now->stealth != next->stealth ||
                  now->veiled != next->veiled || now->global != next->global;
    bool observes = elsewhere || now->sees != next->sees || now->detect != next->detect ||
                    phx_list_unlimited(now) != phx_list_unlimited(next) ||
                    phx_attr_observes(now) != phx_attr_observes(next);
    note->recast |= recast;
    if ((!recast && !observes) || note->attr != PHX_NINEGRID_NONE) return;
    PHX_ASSERT(nine->attr_count < nine->attrs_capacity);
    note->attr = nine->attr_count;
    nine->attrs[nine->attr_count++] = *now;
}

/* ---- lists ---- */

static const phx_attr *attr_before(const phx_ninegrid *nine, const phx_store *store, uint32_t slot)
{
    const phx_change_note *note = phx_ninegrid_note_of(nine, store, slot);
    return note && note->attr != PHX_NINEGRID_NONE ? &nine->attrs[note->attr] : phx_store_attr(store, slot);
}

/* The output of a list: all of it, or pieces of `room` targets for `visit`. */
typedef struct list_output {
    uint32_t *out; /* NULL: only counted */
    uint32_t count, room;
    phx_ninegrid_list_fn visit;
    void *user;
} list_output;

/* false: no more are wanted. */
static inline bool put_target(list_output *to, uint32_t target)
{
    if (to->out) to->out[to->count] = target;
    if (PHX_LIKELY(++to->count < to->room)) return true;
    const bool more = to->visit(to->user, to->out, to->count);
    to->count = 0;
    return more;
}

/* The tower of a slot at the last tick's end. */
static void tower_before(const phx_ninegrid *nine, const phx_store *store, uint32_t slot, uint16_t *tx, uint16_t *ty)
{
    const phx_change_note *note = phx_ninegrid_note_of(nine, store, slot);
    *tx = note ? note->ax : store->body[slot].tx;
    *ty = note ? note->ay : store->body[slot].ty;
}

static void list_old_targets(const phx_ninegrid *nine, const phx_rules *rules, const phx_store *store, uint32_t slot,
                             list_output *to)
{
    const phx_attr *attr = attr_before(nine, store, slot);
    uint16_t tx, ty;
    tower_before(nine, store, slot, &tx, &ty);
    phx_rect rect = phx_ninegrid_rect(rules, nine->span, tx, ty);
    phx_cell_block_walk walk = phx_ninegrid_walk(nine, attr->instance, rect);
    for (const phx_cell_block *crowd; (crowd = phx_ninegrid_next(&walk)) != NULL;) {
        for (uint64_t left = phx_cell_block_mask(crowd, rect); left; left &= left - 1) {
            const phx_tower *tower = &crowd->tower[__builtin_ctzll(left)];
            const phx_cell_entry *cards = nine->cards + tower->first;
            for (uint32_t i = 0; i < tower->old; i++) {
                if (cards[i].slot == slot) continue;
                if ((cards[i].flags & PHX_CELL_SPECIAL) &&
                    !phx_layers_match(attr, attr_before(nine, store, cards[i].slot)))
                    continue;
                if (!put_target(to, cards[i].slot)) return;
            }
        }
    }
}

uint32_t phx_ninegrid_list(const phx_ninegrid *nine, const phx_rules *rules, const phx_store *store, uint32_t slot,
                           uint32_t *out)
{
    list_output to = {.out = out, .room = UINT32_MAX};
    list_old_targets(nine, rules, store, slot, &to);
    return to.count;
}

void phx_ninegrid_list_visit(const phx_ninegrid *nine, const phx_rules *rules, const phx_store *store, uint32_t slot,
                             phx_ninegrid_list_fn visit, void *user)
{
    uint32_t targets[PHX_NINEGRID_PIECE];
    list_output to = {.out = targets, .room = PHX_NINEGRID_PIECE, .visit = visit, .user = user};
    list_old_targets(nine, rules, store, slot, &to);
    if (to.count > 0) (void)visit(user, targets, to.count);
}

bool phx_ninegrid_list_has(const phx_ninegrid *nine, const phx_rules *rules, const phx_store *store, uint32_t slot,
                           uint32_t target)
{
    uint16_t tx, ty, ax, ay;
    if (target == slot || !(store->body[target].state & PHX_SLOT_ROW)) return false;
    tower_before(nine, store, slot, &tx, &ty);
    tower_before(nine, store, target, &ax, &ay);
    return phx_rect_has(phx_ninegrid_rect(rules, nine->span, tx, ty), ax, ay) &&
           phx_layers_match(attr_before(nine, store, slot), attr_before(nine, store, target));
}

uint32_t phx_ninegrid_scan(const phx_ninegrid *nine, uint32_t instance, phx_rect rect, uint32_t *out, uint32_t *ranges)
{
    uint32_t n = 0;
    phx_cell_block_walk walk = phx_ninegrid_walk(nine, instance, rect);
    for (const phx_cell_block *crowd; (crowd = phx_ninegrid_next(&walk)) != NULL;) {
        for (uint64_t left = phx_cell_block_mask(crowd, rect); left; left &= left - 1) {
            const phx_tower *tower = &crowd->tower[__builtin_ctzll(left)];
            const phx_cell_entry *cards = nine->cards + tower->first;
            *ranges += tower->count > 0;
            for (uint32_t i = 0; i < tower->count; i++) {
                if (cards[i].flags & PHX_CELL_LEFT) continue;
                out[n++] = phx_row_word_of(cards[i].slot, cards[i].flags & PHX_CELL_SPECIAL).bits;
            }
        }
    }
    return n;
}

uint8_t phx_ninegrid_observer_kind(const phx_store *store, uint32_t slot)
{
    if (!(store->body[slot].state & PHX_SLOT_OWN)) return PHX_OBSERVER_KIND_NONE;
    const phx_list *list = &store->tail[slot].list;
    if (list->derived) {
        if (list->owed || (store->body[slot].state & PHX_SLOT_RELATED)) return PHX_OBSERVER_KIND_LOOK;
        return PHX_OBSERVER_KIND_PLAIN;
    }
    return phx_attr_observes(phx_store_attr(store, slot)) || phx_list_holds(list) ? PHX_OBSERVER_KIND_LOOK
                                                                                  : PHX_OBSERVER_KIND_NONE;
}

/* ---- the check ---- */

static bool cell_entry_valid(const phx_ninegrid *nine, const phx_cell_block *crowd, const phx_cell_entry *card,
                             uint32_t t, const phx_store *store)
{
    const phx_body *body = &store->body[card->slot];
    uint64_t bit = 1ull << t;
    if (!(body->state & PHX_SLOT_LIVE) || !(body->state & PHX_SLOT_ROW)) return false;
    if (body->tx >> PHX_BLOCK_BITS != crowd->bx || body->ty >> PHX_BLOCK_BITS != crowd->by) return false;
    if (phx_store_instance(store, card->slot) != crowd->instance) return false;
    if (phx_block_tower(body->tx, body->ty) != t || card->move != PHX_NINEGRID_NONE) return false;
    if (card->key != phx_ninegrid_key(nine, &store->name[card->slot])) return false;
    if (card->flags != (body->state & PHX_SLOT_SPECIAL ? PHX_CELL_SPECIAL : 0)) return false;
    if (card->watches != phx_ninegrid_observer_kind(store, card->slot)) return false;
    if (card->watches != PHX_OBSERVER_KIND_NONE && !(crowd->watched & bit)) return false;
    return card->watches != PHX_OBSERVER_KIND_LOOK || (crowd->look & bit);
}

bool phx_ninegrid_valid(const phx_ninegrid *nine, const phx_rules *rules, const phx_store *store)
{
    uint32_t live = 0, cards = 0;
    for (uint32_t slot = 0; slot < store->slots; slot++) live += (store->body[slot].state & PHX_SLOT_LIVE) != 0;
    for (uint32_t c = 0; c < nine->crowd_count; c++) {
        const phx_cell_block *crowd = &nine->crowds[c];
        uint32_t before = cards;
        if (phx_ninegrid_cell_block(nine, crowd->instance, crowd->bx, crowd->by) != crowd || crowd->untidy)
            return false;
        for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; t++) {
            const phx_tower *tower = &crowd->tower[t];
            if (tower->old != tower->count || (tower->count > 0) != (crowd->stood >> t & 1)) return false;
            for (uint32_t i = tower->first; i < tower->first + tower->count; i++) {
                if (!cell_entry_valid(nine, crowd, &nine->cards[i], t, store)) return false;
                if (i == tower->first || tower->count <= PHX_NINEGRID_FEW) continue;
                const phx_name *last = &store->name[nine->cards[i - 1].slot], *name = &store->name[nine->cards[i].slot];
                if (last->kind > name->kind || (last->kind == name->kind && last->id >= name->id)) return false;
            }
            cards += tower->count;
        }
        if (cards - before != crowd->cards || crowd->cards == 0) return false;
    }
    return cards == live && cards == nine->card_count && nine->span == rules->span && nine->note_count == 0;
}

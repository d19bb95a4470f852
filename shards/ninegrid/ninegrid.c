/*
 * Cell blocks, cell entries and notes; see ninegrid.h. The index phase and the tick's end are in crossings.c.
 */
#include "shards/ninegrid/ninegrid.h"

#include "base/simd.h"
#include "shards/entity/bounds.h"
#include "shards/entity/entity_store.h"
#include "shards/entity/event_order.h"
#include "shards/grid/block_table.h"
#include "shards/grid/grid.h"

bool phx_ninegrid_init(phx_ninegrid *ninegrid, phx_mem *mem, const phx_rules *rules)
{
    *ninegrid = (phx_ninegrid){.span = rules->span};
    for (uint32_t i = 0; i < PHX_NINEGRID_SIZES; i++) ninegrid->free_first[i] = PHX_NINEGRID_NONE;
    return phx_block_map_init(&ninegrid->map, mem, rules->towers);
}

void phx_ninegrid_free(phx_ninegrid *ninegrid, phx_mem *mem)
{
    phx_block_map_free(&ninegrid->map, mem);
    phx_release(mem, (void **)&ninegrid->cell_blocks, &ninegrid->cell_blocks_capacity, sizeof(phx_cell_block));
    phx_release(mem, (void **)&ninegrid->entries, &ninegrid->entries_capacity, sizeof(phx_cell_entry));
    phx_release(mem, (void **)&ninegrid->notes, &ninegrid->notes_capacity, sizeof(phx_change_note));
    phx_release(mem, (void **)&ninegrid->attrs, &ninegrid->attrs_capacity, sizeof(phx_attr));
    phx_release(mem, (void **)&ninegrid->crossings, &ninegrid->crossings_capacity, sizeof(phx_crossing));
    phx_release(mem, (void **)&ninegrid->spare, &ninegrid->spare_capacity, sizeof(phx_crossing));
    phx_release(mem, (void **)&ninegrid->keys, &ninegrid->keys_capacity, sizeof(phx_sort_record));
    phx_release(mem, (void **)&ninegrid->entered, &ninegrid->entered_capacity, sizeof(phx_cell_entry));
    phx_release(mem, (void **)&ninegrid->tasks, &ninegrid->tasks_capacity, sizeof(phx_cell_task));
    phx_release(mem, (void **)&ninegrid->entrants, &ninegrid->entrants_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&ninegrid->found, &ninegrid->found_capacity, sizeof(phx_ninegrid_pair));
    phx_release(mem, (void **)&ninegrid->binned, &ninegrid->binned_capacity, sizeof(phx_ninegrid_binned_pair));
    phx_release(mem, (void **)&ninegrid->bins, &ninegrid->bins_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&ninegrid->pairs, &ninegrid->pairs_capacity, sizeof(uint32_t));
    *ninegrid = (phx_ninegrid){0};
}

/* ---- towers ---- */

void phx_ninegrid_mark_dirty(phx_ninegrid *ninegrid, uint32_t instance, uint16_t tx, uint16_t ty, uint64_t tick)
{
    if (!ninegrid->marking) return;
    phx_cell_block *cell_block =
        phx_ninegrid_cell_block(ninegrid, instance, tx >> PHX_BLOCK_BITS, ty >> PHX_BLOCK_BITS);
    if (!cell_block) return;
    if (cell_block->dirty_tick != tick) cell_block->dirty = 0;
    cell_block->dirty_tick = tick;
    cell_block->dirty |= 1ull << phx_block_tower(tx, ty);
}

bool phx_ninegrid_dirty(const phx_ninegrid *ninegrid, uint32_t instance, phx_rect rect, uint64_t tick)
{
    phx_cell_block_walk walk = phx_ninegrid_walk(ninegrid, instance, rect);
    for (const phx_cell_block *cell_block; (cell_block = phx_ninegrid_next(&walk)) != NULL;)
        if (cell_block->dirty_tick == tick && (cell_block->dirty & phx_cell_block_mask(cell_block, rect))) return true;
    return false;
}

/* ---- notes ---- */

/* The note of a slot, made if there is none. NULL = it has no cell entry yet. */
static phx_change_note *note_ensure(phx_ninegrid *ninegrid, phx_store *store, uint32_t slot)
{
    phx_body *body = &store->body[slot];
    if (!(body->state & PHX_SLOT_ROW)) return NULL;
    phx_change_note *note = phx_ninegrid_note_of(ninegrid, store, slot);
    if (note) return note;
    PHX_ASSERT(ninegrid->note_count < ninegrid->notes_capacity);
    body->row = ninegrid->note_count;
    note = &ninegrid->notes[ninegrid->note_count++];
    *note = (phx_change_note){
        .slot = slot, .attr = PHX_NINEGRID_NONE, .ax = body->tx, .ay = body->ty, .bx = body->tx, .by = body->ty};
    return note;
}

void phx_ninegrid_note_tower(phx_ninegrid *ninegrid, phx_store *store, uint32_t slot, uint16_t tx, uint16_t ty)
{
    phx_change_note *note = note_ensure(ninegrid, store, slot);
    if (!note) return;
    note->bx = tx;
    note->by = ty;
}

void phx_ninegrid_note(phx_ninegrid *ninegrid, phx_store *store, uint32_t slot)
{
    phx_change_note *note = note_ensure(ninegrid, store, slot);
    if (!note || note->renewed) return;
    note->renewed = true;
    note->kind = store->name[slot].kind;
}

bool phx_ninegrid_reserve(phx_ninegrid *ninegrid, phx_mem *mem)
{
    return phx_grow(mem, (void **)&ninegrid->attrs, &ninegrid->attrs_capacity, ninegrid->attr_count,
                    (size_t)ninegrid->attr_count + 1, sizeof(phx_attr));
}

void phx_ninegrid_note_attr(phx_ninegrid *ninegrid, phx_store *store, uint32_t slot, const phx_attr *next)
{
    const phx_attr *now = phx_store_attr(store, slot);
    phx_ninegrid_note(ninegrid, store, slot);
    phx_change_note *note = phx_ninegrid_note_of(ninegrid, store, slot);
    if (!note) return;
    bool elsewhere = now->instance != next->instance;
    bool attr_changed = elsewhere || now->layers != next->layers || now->stealth != next->stealth ||
                        now->veiled != next->veiled || now->global != next->global;
    bool observes = elsewhere || now->sees != next->sees || now->detect != next->detect ||
                    phx_list_unlimited(now) != phx_list_unlimited(next) ||
                    phx_attr_observes(now) != phx_attr_observes(next);
    note->attr_changed |= attr_changed;
    if ((!attr_changed && !observes) || note->attr != PHX_NINEGRID_NONE) return;
    PHX_ASSERT(ninegrid->attr_count < ninegrid->attrs_capacity);
    note->attr = ninegrid->attr_count;
    ninegrid->attrs[ninegrid->attr_count++] = *now;
}

/* ---- lists ---- */

static const phx_attr *attr_before(const phx_ninegrid *ninegrid, const phx_store *store, uint32_t slot)
{
    const phx_change_note *note = phx_ninegrid_note_of(ninegrid, store, slot);
    return note && note->attr != PHX_NINEGRID_NONE ? &ninegrid->attrs[note->attr] : phx_store_attr(store, slot);
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
static void tower_before(const phx_ninegrid *ninegrid, const phx_store *store, uint32_t slot, uint16_t *tx,
                         uint16_t *ty)
{
    const phx_change_note *note = phx_ninegrid_note_of(ninegrid, store, slot);
    *tx = note ? note->ax : store->body[slot].tx;
    *ty = note ? note->ay : store->body[slot].ty;
}

static void list_old_targets(const phx_ninegrid *ninegrid, const phx_rules *rules, const phx_store *store,
                             uint32_t slot, list_output *to)
{
    const phx_attr *attr = attr_before(ninegrid, store, slot);
    uint16_t tx, ty;
    tower_before(ninegrid, store, slot, &tx, &ty);
    phx_rect rect = phx_ninegrid_rect(rules, ninegrid->span, tx, ty);
    phx_cell_block_walk walk = phx_ninegrid_walk(ninegrid, attr->instance, rect);
    for (const phx_cell_block *cell_block; (cell_block = phx_ninegrid_next(&walk)) != NULL;) {
        for (uint64_t left = phx_cell_block_mask(cell_block, rect); left; left &= left - 1) {
            const phx_tower *tower = &cell_block->tower[__builtin_ctzll(left)];
            const phx_cell_entry *entries = ninegrid->entries + tower->first;
            for (uint32_t i = 0; i < tower->old; i++) {
                if (entries[i].slot == slot) continue;
                if ((entries[i].flags & PHX_CELL_SPECIAL) &&
                    !phx_layers_match(attr, attr_before(ninegrid, store, entries[i].slot)))
                    continue;
                if (!put_target(to, entries[i].slot)) return;
            }
        }
    }
}

uint32_t phx_ninegrid_list(const phx_ninegrid *ninegrid, const phx_rules *rules, const phx_store *store, uint32_t slot,
                           uint32_t *out)
{
    list_output to = {.out = out, .room = UINT32_MAX};
    list_old_targets(ninegrid, rules, store, slot, &to);
    return to.count;
}

void phx_ninegrid_list_visit(const phx_ninegrid *ninegrid, const phx_rules *rules, const phx_store *store,
                             uint32_t slot, phx_ninegrid_list_fn visit, void *user)
{
    uint32_t targets[PHX_NINEGRID_PIECE];
    list_output to = {.out = targets, .room = PHX_NINEGRID_PIECE, .visit = visit, .user = user};
    list_old_targets(ninegrid, rules, store, slot, &to);
    if (to.count > 0) (void)visit(user, targets, to.count);
}

bool phx_ninegrid_list_has(const phx_ninegrid *ninegrid, const phx_rules *rules, const phx_store *store, uint32_t slot,
                           uint32_t target)
{
    uint16_t tx, ty, ax, ay;
    if (target == slot || !(store->body[target].state & PHX_SLOT_ROW)) return false;
    tower_before(ninegrid, store, slot, &tx, &ty);
    tower_before(ninegrid, store, target, &ax, &ay);
    return phx_rect_has(phx_ninegrid_rect(rules, ninegrid->span, tx, ty), ax, ay) &&
           phx_layers_match(attr_before(ninegrid, store, slot), attr_before(ninegrid, store, target));
}

/* ---- columns ---- */

bool phx_tower_columns_reserve(phx_tower_columns *columns, phx_mem *mem, size_t count)
{
    const size_t padded = count + PHX_KERNEL_PAD;
    phx_grid_rows *rows = &columns->rows;
    return phx_grow(mem, (void **)&rows->x, &columns->x_capacity, columns->count, padded, sizeof(float)) &&
           phx_grow(mem, (void **)&rows->y, &columns->y_capacity, columns->count, padded, sizeof(float)) &&
           phx_grow(mem, (void **)&rows->slot, &columns->slot_capacity, columns->count, padded, sizeof(uint32_t));
}

void phx_tower_columns_free(phx_tower_columns *columns, phx_mem *mem)
{
    phx_release(mem, (void **)&columns->rows.x, &columns->x_capacity, sizeof(float));
    phx_release(mem, (void **)&columns->rows.y, &columns->y_capacity, sizeof(float));
    phx_release(mem, (void **)&columns->rows.slot, &columns->slot_capacity, sizeof(uint32_t));
    *columns = (phx_tower_columns){0};
}

static bool is_collected(const phx_tower_columns *columns, const phx_ninegrid *ninegrid, uint32_t instance,
                         phx_rect rect)
{
    return columns->of == ninegrid && columns->instance == instance && columns->rect.x0 == rect.x0 &&
           columns->rect.y0 == rect.y0 && columns->rect.x1 == rect.x1 && columns->rect.y1 == rect.y1;
}

/* Appends the entities that stand in the tower now. */
static void collect_tower(const phx_store *store, const phx_cell_entry *entries, uint32_t count,
                          phx_tower_columns *columns)
{
    const phx_grid_rows *rows = &columns->rows;
    uint32_t n = columns->count;
    for (uint32_t i = 0; i < count; i++) { /* no branch: it would be mispredicted */
        const phx_cell_entry *entry = &entries[i];
        const phx_body *body = &store->body[entry->slot];
        rows->x[n] = body->x;
        rows->y[n] = body->y;
        rows->slot[n] = phx_row_word_of(entry->slot, entry->flags & PHX_CELL_SPECIAL).bits;
        n += !(entry->flags & PHX_CELL_LEFT);
    }
    columns->count = n;
}

void phx_ninegrid_collect(const phx_ninegrid *ninegrid, const phx_store *store, uint32_t instance, phx_rect rect,
                          phx_tower_columns *columns)
{
    if (is_collected(columns, ninegrid, instance, rect)) return;
    columns->count = columns->towers = 0;
    columns->of = ninegrid;
    columns->instance = instance;
    columns->rect = rect;
    phx_cell_block_walk walk = phx_ninegrid_walk(ninegrid, instance, rect);
    for (const phx_cell_block *cell_block; (cell_block = phx_ninegrid_next(&walk)) != NULL;) {
        for (uint64_t left = phx_cell_block_mask(cell_block, rect); left; left &= left - 1) {
            const phx_tower *tower = &cell_block->tower[__builtin_ctzll(left)];
            collect_tower(store, ninegrid->entries + tower->first, tower->count, columns);
            columns->towers += tower->count > 0;
        }
    }
}

uint8_t phx_ninegrid_observer_kind(const phx_store *store, uint32_t slot)
{
    if (!(store->body[slot].state & PHX_SLOT_OWN)) return PHX_OBSERVER_KIND_NONE;
    const phx_list *list = &store->tail[slot].list;
    if (list->derived) {
        if (list->owed || (store->body[slot].state & PHX_SLOT_RELATED)) return PHX_OBSERVER_KIND_EVALUATED;
        return PHX_OBSERVER_KIND_PLAIN;
    }
    return phx_attr_lists(phx_store_attr(store, slot), list) ? PHX_OBSERVER_KIND_EVALUATED : PHX_OBSERVER_KIND_NONE;
}

/* ---- the check ---- */

static bool cell_entry_valid(const phx_ninegrid *ninegrid, const phx_cell_block *cell_block,
                             const phx_cell_entry *entry, uint32_t t, const phx_store *store)
{
    const phx_body *body = &store->body[entry->slot];
    uint64_t bit = 1ull << t;
    if (!(body->state & PHX_SLOT_LIVE) || !(body->state & PHX_SLOT_ROW)) return false;
    if (body->tx >> PHX_BLOCK_BITS != cell_block->bx || body->ty >> PHX_BLOCK_BITS != cell_block->by) return false;
    if (phx_store_instance(store, entry->slot) != cell_block->instance) return false;
    if (phx_block_tower(body->tx, body->ty) != t || entry->move != PHX_NINEGRID_NONE) return false;
    if (entry->key != phx_ninegrid_key(ninegrid, &store->name[entry->slot])) return false;
    if (entry->flags != (body->state & PHX_SLOT_SPECIAL ? PHX_CELL_SPECIAL : 0)) return false;
    if (entry->observer_kind != phx_ninegrid_observer_kind(store, entry->slot)) return false;
    if (entry->observer_kind != PHX_OBSERVER_KIND_NONE && !(cell_block->observed & bit)) return false;
    return entry->observer_kind != PHX_OBSERVER_KIND_EVALUATED || (cell_block->may_evaluate & bit);
}

bool phx_ninegrid_valid(const phx_ninegrid *ninegrid, const phx_rules *rules, const phx_store *store)
{
    uint32_t live = 0, entries = 0;
    for (uint32_t slot = 0; slot < store->slots; slot++) live += (store->body[slot].state & PHX_SLOT_LIVE) != 0;
    for (uint32_t c = 0; c < ninegrid->cell_block_count; c++) {
        const phx_cell_block *cell_block = &ninegrid->cell_blocks[c];
        uint32_t before = entries;
        if (phx_ninegrid_cell_block(ninegrid, cell_block->instance, cell_block->bx, cell_block->by) != cell_block ||
            cell_block->untidy)
            return false;
        for (uint32_t t = 0; t < PHX_BLOCK_TOWERS; t++) {
            const phx_tower *tower = &cell_block->tower[t];
            if (tower->old != tower->count || (tower->count > 0) != (cell_block->stood >> t & 1)) return false;
            for (uint32_t i = tower->first; i < tower->first + tower->count; i++) {
                if (!cell_entry_valid(ninegrid, cell_block, &ninegrid->entries[i], t, store)) return false;
                if (i == tower->first || tower->count <= PHX_NINEGRID_UNSORTED_MAX) continue;
                const phx_name *last = &store->name[ninegrid->entries[i - 1].slot],
                               *name = &store->name[ninegrid->entries[i].slot];
                if (last->kind > name->kind || (last->kind == name->kind && last->id >= name->id)) return false;
            }
            entries += tower->count;
        }
        if (entries - before != cell_block->entries || cell_block->entries == 0) return false;
    }
    return entries == live && entries == ninegrid->entry_count && ninegrid->span == rules->span &&
           ninegrid->note_count == 0;
}

/*
 * The targets in each observer's box, for index = crosslist: from nodes that passed each other; from a walk along one
 * axis for entities that entered or jumped; from sorted rows where many did. See crosslist_boxes.h. Written in the
 * index phase by the shard's owner.
 */
#include "shards/classical/crosslist_boxes.h"

#include "shards/classical/crosslist_nodes.h"
#include "shards/classical/crosslist_state.h"
#include "shards/entity/entity_store.h"

/* ---- one box ---- */

/* Room for so many targets; the targets in it are kept. false = no memory, nothing changed. */
static bool box_grow(phx_cross *own, phx_list *box, uint32_t count)
{
    if (count <= phx_list_capacity(&own->pool, box)) return true;
    phx_list larger = phx_list_empty();
    if (!phx_list_reserve(&own->pool, own->index.env.mem, &larger, count)) return false;
    if (box->count > 0)
        memcpy(phx_list_entries(&own->pool, &larger), phx_list_entries(&own->pool, box), box->count * sizeof(uint32_t));
    larger.count = box->count;
    phx_list_release(&own->pool, box);
    *box = larger;
    return true;
}

void phx_cross_refresh(phx_cross *own, uint32_t observer)
{
    phx_list_release(&own->pool, &own->boxes[observer]);
    if (!(own->flags[observer] & PHX_CROSS_AFRESH)) phx_cross_push(&own->afresh, observer);
    own->flags[observer] |= PHX_CROSS_AFRESH | PHX_CROSS_DIRTY;
}

void phx_cross_drop(phx_cross *own, uint32_t slot)
{
    phx_list_release(&own->pool, &own->boxes[slot]);
    own->pass_first[slot] = PHX_SLOT_NONE;
}

/* ---- passes ---- */

void phx_cross_note(phx_cross *own, uint32_t observer, uint32_t target)
{
    if (own->flags[observer] & PHX_CROSS_AFRESH) return;
    if (own->pass_count == own->passes_capacity) phx_cross_flush(own);
    if (own->pass_first[observer] == PHX_SLOT_NONE) phx_cross_push(&own->passed, observer);
    own->passes[own->pass_count] = (phx_cross_pass){.target = target, .next = own->pass_first[observer]};
    own->pass_first[observer] = own->pass_count++;
}

/* Marks of an application of passes: epoch * 4 and these. */
enum { COMES = 1, GOES = 2, MARK_STEP = 4 };

static void next_mark_epoch(phx_cross *own)
{
    if (own->epoch > UINT32_MAX - 2 * MARK_STEP) {
        memset(own->mark, 0, own->mark_capacity * sizeof(uint32_t));
        own->epoch = 0;
    }
    own->epoch += MARK_STEP;
}

static bool in_box(const phx_cross *own, uint32_t observer, uint32_t target)
{
    return (own->flags[target] & PHX_CROSS_IN) && phx_cross_across(own, 0, observer, target) &&
           phx_cross_across(own, 1, observer, target);
}

/* Marks the union of the passes on both axes: each target comes or goes, by its position now. */
static uint32_t mark_passes(phx_cross *own, uint32_t observer)
{
    uint32_t entering = 0;
    for (uint32_t i = own->pass_first[observer]; i != PHX_SLOT_NONE; i = own->passes[i].next) {
        uint32_t target = own->passes[i].target;
        if (own->mark[target] >= own->epoch) continue;
        bool comes = in_box(own, observer, target);
        own->mark[target] = own->epoch + (comes ? COMES : GOES);
        entering += comes;
    }
    return entering;
}

/*
 * Removes targets marked as going; clears marks of coming targets that are in the box already. Returns how many were.
 */
static uint32_t thin_out(phx_cross *own, phx_list *box)
{
    uint32_t *entries = phx_list_entries(&own->pool, box), n = 0, known = 0;
    for (uint32_t i = 0; i < box->count; i++) {
        uint32_t *mark = &own->mark[entries[i]];
        entries[n] = entries[i];
        n += *mark != own->epoch + GOES;
        if (*mark != own->epoch + COMES) continue;
        *mark = own->epoch;
        known++;
    }
    phx_list_set_count(&own->pool, box, n);
    return known;
}

static void apply_passes(phx_cross *own, uint32_t observer)
{
    phx_list *box = &own->boxes[observer];
    uint32_t first = own->pass_first[observer], before = box->count;
    if (first == PHX_SLOT_NONE) return; /* the observer left */
    if (!(own->flags[observer] & PHX_CROSS_BOX) || (own->flags[observer] & PHX_CROSS_AFRESH)) {
        own->pass_first[observer] = PHX_SLOT_NONE;
        return;
    }
    next_mark_epoch(own);
    uint32_t entering = mark_passes(own, observer);
    entering -= thin_out(own, box);
    own->pass_first[observer] = PHX_SLOT_NONE;
    if (before != box->count || entering > 0) own->flags[observer] |= PHX_CROSS_DIRTY;
    if (entering == 0) return;
    if (!box_grow(own, box, box->count + entering)) {
        phx_cross_refresh(own, observer);
        return;
    }
    uint32_t *entries = phx_list_entries(&own->pool, box);
    for (uint32_t i = first; i != PHX_SLOT_NONE; i = own->passes[i].next) {
        uint32_t target = own->passes[i].target;
        if (own->mark[target] != own->epoch + COMES) continue;
        own->mark[target] = own->epoch;
        entries[box->count++] = target;
    }
}

void phx_cross_flush(phx_cross *own)
{
    for (uint32_t i = 0; i < own->passed.count; i++) apply_passes(own, own->passed.slots[i]);
    own->passed.count = own->pass_count = 0;
}

/* ---- entities that enter, leave or jump ---- */

void phx_cross_sweep(phx_cross *own)
{
    for (uint32_t slot = 0; own->gone.count > 0 && slot < own->slots; slot++) {
        phx_list *box = &own->boxes[slot];
        uint32_t *entries = phx_list_entries(&own->pool, box), n = 0;
        for (uint32_t i = 0; i < box->count; i++) {
            entries[n] = entries[i];
            n += !(own->flags[entries[i]] & PHX_CROSS_GONE);
        }
        if (n < box->count) own->flags[slot] |= PHX_CROSS_DIRTY;
        phx_list_set_count(&own->pool, box, n);
    }
    for (uint32_t i = 0; i < own->gone.count; i++) own->flags[own->gone.slots[i]] &= (uint8_t)~PHX_CROSS_GONE;
    own->gone.count = 0;
}

/* Bounds of the positions of observers, of usual radius, that may have this coordinate in their boxes; with slack. */
static void strip_of(const phx_cross *own, float at, uint32_t keys[2])
{
    double half = (double)own->radius_max * 1.0001 + fabs((double)at) * 1e-5 + 1e-15;
    double low = (double)at - half, high = (double)at + half;
    bool all = !(own->radius_max * own->radius_max <= FLT_MAX); /* as phx_box_around() */
    keys[0] = phx_cross_key(all || low < -(double)FLT_MAX ? -INFINITY : nextafterf((float)low, -INFINITY));
    keys[1] = phx_cross_key(all || high > (double)FLT_MAX ? INFINITY : nextafterf((float)high, INFINITY));
}

void phx_cross_announce(phx_cross *own, uint32_t target)
{
    const phx_body *body = &own->index.env.store->body[target];
    uint32_t keys[4];
    uint64_t walked = 0;
    strip_of(own, body->x, keys);
    strip_of(own, body->y, keys + 2);
    int axis = phx_cross_narrow(own, keys);
    uint32_t at = phx_cross_from(own, axis, keys[2 * axis], &walked), most = keys[2 * axis + 1];
    for (; phx_cross_at(own, at)->key <= most; at = phx_cross_at(own, at)->next, walked++) {
        uint32_t observer = at >> 3;
        if ((at & 3) != PHX_CROSS_CENTRE || !(own->flags[observer] & PHX_CROSS_BOX) || observer == target) continue;
        if (in_box(own, observer, target)) phx_cross_note(own, observer, target);
    }
    own->effort += walked;
    own->index.counts.steps += walked;
}

/* ---- filling boxes ---- */

/* Centres in the order of one axis, side by side: to fill many boxes. */
typedef struct cross_row {
    uint32_t key[2];
    uint32_t slot;
} cross_row;

typedef struct cross_rows {
    cross_row *of[2]; /* NULL: the lists themselves are walked */
    uint32_t count;
} cross_rows;

/* Takes the candidates of one box; entries are in the box's block while there is room. */
typedef struct filler {
    phx_cross *own;
    uint32_t observer;
    uint32_t keys[4]; /* low x, high x, low y, high y */
    phx_list *box;
} filler;

static inline bool fill_with(filler *to, uint32_t slot, uint32_t other_key, int axis)
{
    const uint32_t *of = &to->keys[2 * !axis];
    phx_list *box = to->box;
    if (other_key < of[0] || other_key > of[1] || slot == to->observer) return true;
    if (box->count == phx_list_capacity(&to->own->pool, box) && !box_grow(to->own, box, box->count + 1)) return false;
    phx_list_entries(&to->own->pool, box)[box->count++] = slot;
    return true;
}

static uint32_t lower_row(const cross_row *rows, uint32_t count, int axis, uint32_t key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rows[middle].key[axis] < key) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool fill_from_rows(filler *to, const cross_rows *rows)
{
    uint32_t first[2], count[2];
    for (int axis = 0; axis < 2; axis++) {
        first[axis] = lower_row(rows->of[axis], rows->count, axis, to->keys[2 * axis]);
        count[axis] = lower_row(rows->of[axis], rows->count, axis, to->keys[2 * axis + 1] + 1) - first[axis];
    }
    int axis = count[1] < count[0];
    const cross_row *row = rows->of[axis] + first[axis];
    to->own->index.counts.steps += count[axis];
    for (uint32_t i = 0; i < count[axis]; i++)
        if (!fill_with(to, row[i].slot, row[i].key[!axis], axis)) return false;
    return true;
}

static bool fill_from_list(filler *to)
{
    phx_cross *own = to->own;
    int axis = phx_cross_narrow(own, to->keys);
    uint32_t at = phx_cross_name(to->observer, axis, PHX_CROSS_LOW);
    uint32_t end = phx_cross_name(to->observer, axis, PHX_CROSS_HIGH);
    while ((at = phx_cross_at(own, at)->next) != end) {
        own->index.counts.steps++;
        own->effort++;
        if ((at & 3) != PHX_CROSS_CENTRE) continue;
        if (!fill_with(to, at >> 3, own->bodies[at >> 3].side[axis].across[PHX_CROSS_CENTRE], axis)) return false;
    }
    return true;
}

static bool fill_box(phx_cross *own, uint32_t observer, const cross_rows *rows)
{
    const phx_cross_body *body = &own->bodies[observer];
    phx_list *box = &own->boxes[observer];
    filler to = {.own = own,
                 .observer = observer,
                 .keys = {body->side[0].node[PHX_CROSS_LOW].key, body->side[0].node[PHX_CROSS_HIGH].key,
                          body->side[1].node[PHX_CROSS_LOW].key, body->side[1].node[PHX_CROSS_HIGH].key},
                 .box = box};
    box->count = 0;
    return rows->of[0] ? fill_from_rows(&to, rows) : fill_from_list(&to);
}

/* Copies the lists' centres to rows. false = no memory. */
static bool make_rows(phx_cross *own, cross_rows *rows)
{
    size_t bytes = 2 * (size_t)own->in_count * sizeof(cross_row), needed = bytes / PHX_CROSS_SCRATCH_BYTES + 1;
    if (!phx_grow(own->index.env.mem, &own->scratch, &own->scratch_capacity, 0, needed, PHX_CROSS_SCRATCH_BYTES))
        return false;
    rows->of[0] = own->scratch;
    rows->of[1] = rows->of[0] + own->in_count;
    for (int axis = 0; axis < 2; axis++) {
        uint64_t walked = 0;
        uint32_t at = phx_cross_from(own, axis, 1, &walked); /* the smallest of all keys */
        for (rows->count = 0; rows->count < own->in_count; at = phx_cross_at(own, at)->next) {
            if ((at & 3) != PHX_CROSS_CENTRE) continue;
            const phx_cross_body *body = &own->bodies[at >> 3];
            uint32_t x = body->side[0].node[PHX_CROSS_CENTRE].key, y = body->side[1].node[PHX_CROSS_CENTRE].key;
            rows->of[axis][rows->count++] = (cross_row){{x, y}, at >> 3};
        }
    }
    return true;
}

bool phx_cross_fill(phx_cross *own)
{
    cross_rows rows = {0};
    bool filled = true, many = own->afresh.count > own->in_count / PHX_CROSS_MANY_PART;
    if (own->afresh.count == 0) return true;
    if (many && own->in_count > 0 && !make_rows(own, &rows)) return false;
    while (own->afresh.count > 0 && filled) {
        uint32_t observer = own->afresh.slots[own->afresh.count - 1];
        if (own->flags[observer] & PHX_CROSS_BOX) filled = fill_box(own, observer, &rows);
        if (!filled) break;
        own->flags[observer] &= (uint8_t)~PHX_CROSS_AFRESH;
        own->afresh.count--;
    }
    return filled;
}

/* ---- validation ---- */

static bool box_valid(const phx_cross *own, uint32_t observer)
{
    const phx_list *box = &own->boxes[observer];
    const uint32_t *entries = phx_list_entries(&own->pool, box);
    uint32_t count = 0;
    for (uint32_t i = 0; i < box->count; i++)
        if (entries[i] == observer || !in_box(own, observer, entries[i])) return false;
    for (uint32_t slot = 0; slot < own->slots; slot++) count += slot != observer && in_box(own, observer, slot);
    return count == box->count; /* none is there twice: phx_cross_flush() */
}

bool phx_cross_boxes_valid(const phx_cross *own)
{
    enum { PARTS_EACH_TICK = 8 };
    uint32_t step = own->slots / PARTS_EACH_TICK + 1;
    for (uint32_t slot = (uint32_t)own->index.tick % step; slot < own->slots; slot += step)
        if ((own->flags[slot] & PHX_CROSS_BOX) && !box_valid(own, slot)) return false;
    return true;
}

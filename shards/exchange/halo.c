/*
 * Sends copies of own entities to shards that may need them, and pins, which ask for other shards' copies. A refresh
 * repeats every copy that a receiver may need (state, not differences): a ghost that is not repeated is gone
 * (tick/reindex.c). Runs in the exchange phase; see state/shard.h for the order and state/records.h for the records.
 */
#include "shards/exchange/halo.h"

#include <float.h>
#include <string.h>

#include "shards/exchange/entity_record.h"
#include "shards/publish/motion_history.h"
#include "shards/state/observer_count.h"
#include "shards/state/shard.h"

/* ---- halos ---- */

/*
 * Measures how far own observers look beyond the rectangle. In range = radius the halo is one longest step wider than
 * the view, so an entity that steps into it is in no own view in the tick in which its ghost is created.
 */
static void measure_halo(phx_shard *shard, phx_halo_request *request)
{
    const phx_rules *rules = shard->rules;
    const float far = shard->radius_max + shard->step_limit;
    const bool endless = rules->range == PH_RANGE_TOWERS || !(far * far <= FLT_MAX);
    const phx_box own = phx_box_of_towers(rules, shard->rect);
    request->halo_towers = rules->range == PH_RANGE_TOWERS ? rules->span : phx_length_towers(rules, far);
    request->halo = endless ? phx_box_all() : phx_box_wider(own, far);
    shard->visible_box = endless ? phx_box_all() : phx_box_wider(own, shard->radius_max);
}

phx_halo_request phx_shard_measure(phx_shard *shard)
{
    if (shard->radius_stale) phx_shard_measure_radius(shard);
    phx_pin *pins = shard->pins_before;
    uint32_t capacity = shard->pins_before_capacity;
    shard->pins_before = shard->pins;
    shard->pins_before_capacity = shard->pins_capacity;
    shard->pin_before_count = shard->pin_count;
    shard->pins = pins;
    shard->pins_capacity = capacity;
    shard->pin_count = 0;
    shard->pins_compared = false;
    phx_halo_request request = {
        .rect = shard->rect, .margin_max = shard->margin_max, .observed = shard->observing_count > 0};
    if (shard->rules->wakes && shard->store.own_count > 0) request.wake_towers1 = shard->rules->wake_span + 1;
    if (!request.observed) return request;
    measure_halo(shard, &request);
    return request;
}

/* Towers between a tower and a rectangle, along the axis with more. */
static uint32_t towers_off(phx_rect rect, uint16_t tx, uint16_t ty)
{
    uint32_t dx = tx < rect.x0 ? (uint32_t)(rect.x0 - tx) : tx > rect.x1 ? (uint32_t)(tx - rect.x1) : 0;
    uint32_t dy = ty < rect.y0 ? (uint32_t)(rect.y0 - ty) : ty > rect.y1 ? (uint32_t)(ty - rect.y1) : 0;
    return dx > dy ? dx : dy;
}

/*
 * May an observer of the halo request see the entity, or may the entity wake NPCs there? A wrong yes is harmless, a
 * wrong no is not.
 */
static bool request_covers(const phx_shard *shard, const phx_halo_request *request, uint32_t slot)
{
    const phx_body *body = &shard->store.body[slot];
    const bool by_towers = shard->rules->range == PH_RANGE_TOWERS, far = body->state & PHX_SLOT_FAR;
    if (!by_towers && request->observed && phx_box_has(request->halo, body->x, body->y)) return true;
    if (!by_towers && request->wake_towers1 == 0 && !far) return false; /* distance alone decides */
    uint32_t off = towers_off(request->rect, body->tx, body->ty);
    if (off < request->wake_towers1 && phx_is_waker(shard->rules, phx_store_attr(&shard->store, slot))) return true;
    if (!request->observed) return false;
    if (by_towers && off <= request->halo_towers) return true;
    if (!far) return false;
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    if (attr->global) return true;
    return off <= phx_length_towers(shard->rules, attr->reach + request->margin_max);
}

/* Shrinks the free box so that it does not meet the halo: on the halo's side, along one axis. */
static phx_box halo_free_beside(const phx_shard *shard, phx_box clear, const phx_halo_request *request)
{
    const bool by_towers = shard->rules->range == PH_RANGE_TOWERS || request->wake_towers1 > 0;
    if (by_towers) clear.x0 = INFINITY;
    else if (request->rect.x1 < shard->rect.x0) clear.x0 = fmaxf(clear.x0, request->halo.x1);
    else if (request->rect.x0 > shard->rect.x1) clear.x1 = fminf(clear.x1, request->halo.x0);
    else if (request->rect.y1 < shard->rect.y0) clear.y0 = fmaxf(clear.y0, request->halo.y1);
    else clear.y1 = fminf(clear.y1, request->halo.y0);
    return clear;
}

/* Adds a neighbour's halo. false = no memory. */
static bool add_neighbour_halo(phx_shard *shard, const phx_halo_request *request, uint32_t number)
{
    const uint32_t groups = shard->neighbour_count / PHX_NEIGHBOUR_HALOS; /* groups that are full before this */
    if (!phx_grow(shard->mem, (void **)&shard->neighbour_halos, &shard->neighbour_capacity, shard->neighbour_capacity,
                  (size_t)groups + 1, sizeof *shard->neighbour_halos))
        return false;
    const uint32_t at = shard->neighbour_count++ % PHX_NEIGHBOUR_HALOS;
    phx_neighbour_halos *group = &shard->neighbour_halos[(shard->neighbour_count - 1) / PHX_NEIGHBOUR_HALOS];
    PHX_ASSERT(request->observed || request->wake_towers1 > 0); /* else it needs nothing, and has no halo */
    if (at == 0)
        for (uint32_t i = 0; i < PHX_NEIGHBOUR_HALOS; i++) group->x0[i] = INFINITY;
    group->x0[at] = request->halo.x0;
    group->y0[at] = request->halo.y0;
    group->x1[at] = request->halo.x1;
    group->y1[at] = request->halo.y1;
    group->shard[at] = (uint16_t)number;
    shard->by_distance &= request->wake_towers1 == 0;
    return true;
}

/* Finds the shards whose halos touch this rectangle, and the part that no halo covers. false = no memory. */
static bool find_neighbour_halos(phx_shard *shard, const phx_halo_request *requests, uint32_t shard_count)
{
    phx_rect rect = shard->rect;
    int64_t x0 = rect.x0, y0 = rect.y0, x1 = rect.x1, y1 = rect.y1;
    shard->neighbour_count = 0;
    shard->by_distance = shard->rules->range == PH_RANGE_RADIUS;
    shard->halo_free_box = phx_box_all();
    for (uint32_t i = 0; i < shard_count; i++) {
        const phx_halo_request *request = &requests[i];
        int64_t h = request->observed ? (int64_t)request->halo_towers : -1;
        if ((int64_t)request->wake_towers1 - 1 > h) h = (int64_t)request->wake_towers1 - 1;
        if (i == shard->number || h < 0) continue;
        int64_t left = request->rect.x1 + h, right = request->rect.x0 - h, low = request->rect.y1 + h,
                high = request->rect.y0 - h;
        if (left < rect.x0 || right > rect.x1 || low < rect.y0 || high > rect.y1) continue;
        if (!add_neighbour_halo(shard, request, i)) return false;
        shard->halo_free_box = halo_free_beside(shard, shard->halo_free_box, request);
        if (request->rect.x1 < rect.x0 && left >= x0) x0 = left + 1;
        else if (request->rect.x0 > rect.x1 && right <= x1) x1 = right - 1;
        else if (request->rect.y1 < rect.y0 && low >= y0) y0 = low + 1;
        else if (request->rect.y0 > rect.y1 && high <= y1) y1 = high - 1;
    }
    bool empty = x0 > x1 || y0 > y1;
    shard->interior =
        empty ? (phx_rect){1, 1, 0, 0} : (phx_rect){(uint16_t)x0, (uint16_t)y0, (uint16_t)x1, (uint16_t)y1};
    return true;
}

/* Sends a copy of `slot` to `destination`, behind a BEGIN. false = the outbox is full. */
static bool send_copy(phx_shard *shard, uint32_t slot, uint32_t destination, bool pinned)
{
    phx_record *record;
    if (!shard->begun[destination]) {
        if (!(record = phx_outbox_put(&shard->outbox, destination))) return false;
        record->type = PHX_RECORD_BEGIN;
        record->source = (uint16_t)shard->number;
        shard->begun[destination] = true;
    }
    if (slot == PHX_SLOT_NONE) return true;
    if (!shard->copy_sent) {
        if (!(record = phx_outbox_put(&shard->outbox, destination))) return false;
        phx_shard_fill_entity(shard, slot, PHX_RECORD_COPY, record);
        record->slot = pinned;
    }
    shard->copy_sent = phx_bands_history_due(shard, slot);
    if (!shard->copy_sent) return true;
    if (!(record = phx_outbox_put(&shard->outbox, destination))) return false;
    phx_bands_fill_history(shard, slot, record);
    shard->copy_sent = false;
    return true;
}

/* The halos that contain a position, a bit for each; four at a time, as the smallest vectors compare them. */
static inline uint32_t in_halos(const phx_neighbour_halos *halos, float x, float y)
{
    enum { PART = sizeof(phx_bounds) / sizeof(float) };
    phx_bound_bits all = {0, 0, 0, 0}, bit = {1, 2, 4, 8};
    for (uint32_t i = 0; i < PHX_NEIGHBOUR_HALOS; i += PART, bit <<= PART) {
        phx_bounds x0, y0, x1, y1;
        memcpy(&x0, halos->x0 + i, sizeof x0);
        memcpy(&y0, halos->y0 + i, sizeof y0);
        memcpy(&x1, halos->x1 + i, sizeof x1);
        memcpy(&y1, halos->y1 + i, sizeof y1);
        all |= (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1) & bit;
    }
    return (uint32_t)(all[0] | all[1] | all[2] | all[3]);
}

/* Compares them with request_covers() of each. */
static inline void validate_halos(const phx_shard *shard, const phx_halo_request *requests, uint32_t slot,
                                  uint32_t group, uint32_t in)
{
    for (uint32_t at = 0; at < PHX_NEIGHBOUR_HALOS; at++) {
        const bool there = group * PHX_NEIGHBOUR_HALOS + at < shard->neighbour_count;
        const phx_halo_request *request = &requests[shard->neighbour_halos[group].shard[there ? at : 0]];
        PHX_VALIDATE((in >> at & 1) == (there && request_covers(shard, request, slot)));
    }
}

/*
 * Sends the copies of one entity from cursor.item on, where distance alone decides, so for many halos at once. false =
 * the outbox is full.
 */
static bool send_by_distance(phx_shard *shard, const phx_halo_request *requests, uint32_t slot)
{
    const phx_body *body = &shard->store.body[slot];
    uint32_t *item = &shard->cursor.item, first = *item % PHX_NEIGHBOUR_HALOS;
    for (uint32_t group = *item / PHX_NEIGHBOUR_HALOS; group * PHX_NEIGHBOUR_HALOS < shard->neighbour_count;
         group++, first = 0) {
        const phx_neighbour_halos *halos = &shard->neighbour_halos[group];
        uint32_t in = in_halos(halos, body->x, body->y);
        validate_halos(shard, requests, slot, group, in);
        for (in = in >> first << first; in != 0; in &= in - 1) {
            const uint32_t at = (uint32_t)__builtin_ctz(in);
            *item = group * PHX_NEIGHBOUR_HALOS + at;
            if (!send_copy(shard, slot, halos->shard[at], false)) return false;
        }
    }
    return true;
}

/* The same by all rules. */
static bool send_copies_of(phx_shard *shard, const phx_halo_request *requests, uint32_t shard_count, uint32_t slot)
{
    const bool far = shard->store.body[slot].state & PHX_SLOT_FAR;
    const uint32_t count = far ? shard_count : shard->neighbour_count;
    if (!far && shard->by_distance) return send_by_distance(shard, requests, slot);
    for (uint32_t *i = &shard->cursor.item; *i < count; (*i)++) {
        uint32_t destination =
            far ? *i : shard->neighbour_halos[*i / PHX_NEIGHBOUR_HALOS].shard[*i % PHX_NEIGHBOUR_HALOS];
        if (destination == shard->number || !request_covers(shard, &requests[destination], slot)) continue;
        if (!send_copy(shard, slot, destination, false)) return false;
    }
    return true;
}

enum { SLOTS_AT_ONCE = 128 }; /* slots checked before copies of some are sent: names are prefetched meanwhile */

/*
 * Finds the slots that are not inside the free box, or are far targets. Returns how many. No branch: it would be
 * mispredicted.
 */
static uint32_t find_border_halos(const phx_shard *shard, phx_span slots, uint32_t *found)
{
    const phx_body *bodies = shard->store.body;
    const phx_vec2 low = {shard->halo_free_box.x0, shard->halo_free_box.y0},
                   high = {shard->halo_free_box.x1, shard->halo_free_box.y1};
    uint32_t count = 0;
    for (uint32_t slot = slots.first; slot < slots.end; slot++) {
        const phx_vec2 p = phx_pair_at(&bodies[slot].x);
        const bool clear = phx_pair_both((p > low) & (p < high)), far = bodies[slot].state & PHX_SLOT_FAR;
        found[count] = slot;
        count += !clear | far;
    }
    return count;
}

/* Finds, in the next slots from cursor.slot to *end, own entities of which a copy may be needed. Returns how many. */
static uint32_t find_wanted(const phx_shard *shard, uint32_t wanted[SLOTS_AT_ONCE], uint32_t *end)
{
    const phx_store *store = &shard->store;
    const uint32_t first = shard->cursor.slot, left = store->slots - first;
    *end = first + (left < SLOTS_AT_ONCE ? left : SLOTS_AT_ONCE);
    const uint32_t some = find_border_halos(shard, (phx_span){first, *end}, wanted);
    uint32_t count = 0;
    for (uint32_t i = 0; i < some; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): find_border_halos() wrote as many as it counted */
        const uint32_t slot = wanted[i];
        const phx_body *body = &store->body[slot];
        const bool own = body->state & PHX_SLOT_OWN, far = body->state & PHX_SLOT_FAR;
        __builtin_prefetch(&store->name[slot]);
        wanted[count] = slot;
        count += own & (far | !phx_rect_has(shard->interior, body->tx, body->ty));
    }
    return count;
}

/* Sends the copies of all own entities from the cursor on. false = the outbox is full. */
static bool send_entities(phx_shard *shard, const phx_halo_request *requests, uint32_t shard_count)
{
    phx_cursor *cursor = &shard->cursor;
    uint32_t wanted[SLOTS_AT_ONCE], end;
    for (; cursor->slot < shard->store.slots; cursor->slot = end) {
        const uint32_t count = find_wanted(shard, wanted, &end);
        for (uint32_t i = 0; i < count; i++) {
            cursor->slot = wanted[i];
            if (!send_copies_of(shard, requests, shard_count, wanted[i])) return false;
            cursor->item = 0;
        }
    }
    return true;
}

bool phx_shard_copies_due(phx_shard *shard)
{
    if (!shard->pins_compared) {
        bool same = shard->pin_count == shard->pin_before_count &&
                    (shard->pin_count == 0 ||
                     memcmp(shard->pins, shard->pins_before, shard->pin_count * sizeof *shard->pins) == 0);
        if (!same) shard->copies_due = true;
        shard->pins_compared = true;
    }
    const bool nothing = shard->store.own_count == 0 && !shard->sent; /* and no shard ever had a copy */
    if (nothing) shard->copies_due = false;
    return shard->copies_due || shard->copies_repeat;
}

void phx_shard_repeat_copies(phx_shard *shard)
{
    shard->copies_repeat = true;
}

void phx_shard_stop_sending(phx_shard *shard)
{
    phx_outbox_reset(&shard->outbox);
    shard->cursor = (phx_cursor){0};
    shard->copy_sent = false;
    if (shard->begun) memset(shard->begun, 0, shard->outbox.shard_count * sizeof *shard->begun);
}

enum { COPIES_START = 0, COPIES_ENTITIES, COPIES_PINS, COPIES_EMPTY };

/* Makes the marks of a shard for its first refresh. false = no memory. */
static bool make_marks(phx_shard *shard, uint32_t shard_count)
{
    if (!shard->begun) shard->begun = phx_alloc_zero(shard->mem, shard_count, PHX_CACHE_LINE);
    if (!shard->sent) shard->sent = phx_alloc_zero(shard->mem, shard_count, PHX_CACHE_LINE);
    return shard->begun && shard->sent;
}

bool phx_shard_send_copies(phx_shard *shard, const phx_halo_request *requests, uint32_t shard_count, bool *done)
{
    phx_outbox_reset(&shard->outbox);
    phx_cursor *cursor = &shard->cursor;
    *done = !phx_shard_copies_due(shard);
    if (*done) return true;
    if (cursor->part == COPIES_START) {
        if (!make_marks(shard, shard_count) || !find_neighbour_halos(shard, requests, shard_count)) return false;
        cursor->part = COPIES_ENTITIES;
    }
    if (cursor->part == COPIES_ENTITIES) {
        if (!send_entities(shard, requests, shard_count)) return true;
        *cursor = (phx_cursor){.part = COPIES_PINS};
    }
    if (cursor->part == COPIES_PINS) {
        for (; cursor->item < shard->pin_count; cursor->item++)
            if (!send_copy(shard, shard->pins[cursor->item].slot, shard->pins[cursor->item].destination, true))
                return true;
        *cursor = (phx_cursor){.part = COPIES_EMPTY};
    }
    for (; cursor->item < shard_count; cursor->item++) {
        const bool repeated = shard->begun[cursor->item], other = cursor->item != shard->number;
        const bool had = shard->sent[cursor->item] || (shard->copies_repeat && other);
        if (had && !repeated && !send_copy(shard, PHX_SLOT_NONE, cursor->item, false)) return true;
        shard->sent[cursor->item] = repeated; /* an empty refresh is sent once */
    }
    memset(shard->begun, 0, shard_count * sizeof *shard->begun);
    shard->copies_due = shard->copies_repeat = false;
    *cursor = (phx_cursor){0};
    *done = true;
    return true;
}

void phx_shard_send_pins(phx_shard *shard, const phx_directory *directory, bool *done)
{
    phx_outbox_reset(&shard->outbox);
    phx_cursor *cursor = &shard->cursor;
    for (*done = false; cursor->slot < shard->relations.set_count; cursor->slot++, cursor->item = 0) {
        const phx_relation_set *set = &shard->relations.sets[cursor->slot];
        for (; set->observer != 0 && cursor->item < set->count; cursor->item++) {
            if (!(set->items[cursor->item].bits & PHX_RELATION_FAR)) continue;
            uint64_t home = phx_directory_find(directory, set->items[cursor->item].target);
            PHX_ASSERT(home != PHX_HOME_NONE);
            uint32_t destination = phx_home_shard(home);
            if (destination == shard->number) continue;
            phx_record *record = phx_outbox_put(&shard->outbox, destination);
            if (!record) return;
            record->type = PHX_RECORD_PIN;
            record->id = set->items[cursor->item].target;
            record->source = (uint16_t)shard->number;
            record->slot = phx_home_slot(home);
        }
    }
    *cursor = (phx_cursor){0};
    *done = true;
}

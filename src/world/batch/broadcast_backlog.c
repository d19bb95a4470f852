/*
 * Pending broadcasts of a slow consumer; see broadcast_backlog.h. The broadcasts of each tick are a segment of a queue.
 * An observer has an entry while a segment has a delivery for it, void or not: as long as void deliveries have to be
 * recognised.
 */
#include "world/batch/broadcast_backlog.h"

#include <string.h>

#include "base/idmap.h"

/* The broadcasts of one tick. */
typedef struct segment {
    phx_batch_broadcasts broadcasts;
    uint32_t number; /* from 1, in order */
    struct segment *next;
} segment;

typedef struct listener {
    uint64_t id; /* 0 = free */
    uint64_t user_data;
    uint32_t segments; /* number of segments with a delivery for it */
    uint32_t void_to;  /* its deliveries in segments up to this number are void */
    uint32_t pending;  /* messages pending for it */
    uint32_t heard;    /* in a drain: place of its next message */
    uint32_t next_free;
} listener;

struct phx_broadcast_backlog {
    phx_mem *mem;
    uint64_t bound;
    uint64_t bytes; /* of all segments */
    segment *oldest, *newest;
    segment *spare;
    uint32_t number; /* number of the newest segment since the queue was last empty */
    phx_idmap index; /* observer -> place in listeners[] */
    listener *listeners;
    uint32_t listener_count, listeners_capacity; /* listener_count: places ever used */
    uint32_t free_first;                         /* place + 1; 0 = none */
    phx_broadcast_backlog_counts counts;
};

phx_broadcast_backlog *phx_broadcast_backlog_create(phx_mem *mem, uint64_t bound)
{
    phx_broadcast_backlog *backlog = phx_alloc_zero(mem, sizeof *backlog, PHX_CACHE_LINE);
    if (!backlog) return NULL;
    backlog->mem = mem;
    backlog->bound = bound;
    phx_idmap_init(&backlog->index, mem);
    return backlog;
}

static void free_segments(phx_mem *mem, segment *first)
{
    while (first) {
        segment *next = first->next;
        phx_batch_broadcasts_free(&first->broadcasts, mem);
        phx_free(mem, first, sizeof *first, PHX_CACHE_LINE);
        first = next;
    }
}

void phx_broadcast_backlog_destroy(phx_broadcast_backlog *backlog)
{
    if (!backlog) return;
    phx_mem *mem = backlog->mem;
    free_segments(mem, backlog->oldest);
    free_segments(mem, backlog->spare);
    phx_idmap_free(&backlog->index);
    phx_release(mem, (void **)&backlog->listeners, &backlog->listeners_capacity, sizeof *backlog->listeners);
    phx_free(mem, backlog, sizeof *backlog, PHX_CACHE_LINE);
}

phx_broadcast_backlog_counts phx_broadcast_backlog_count(const phx_broadcast_backlog *backlog)
{
    return backlog->counts;
}

void phx_broadcast_backlog_drop(phx_broadcast_backlog *backlog, uint64_t deliveries)
{
    backlog->counts.pushed += deliveries;
    backlog->counts.dropped += deliveries;
    backlog->counts.untold += deliveries;
}

void phx_broadcast_backlog_report_drops(phx_broadcast_backlog *backlog)
{
    backlog->counts.untold = 0;
}

/* ---- observers ---- */

static listener *listener_of(const phx_broadcast_backlog *backlog, uint64_t observer)
{
    const uint64_t *place = phx_idmap_find(&backlog->index, observer);
    PHX_ASSERT(place);
    return &backlog->listeners[*place];
}

/* Notes one more segment with a delivery for the observer. */
static void add_listener(phx_broadcast_backlog *backlog, const ph_delivery *delivery)
{
    const uint64_t *known = phx_idmap_find(&backlog->index, delivery->observer);
    uint32_t place = known ? (uint32_t)*known : backlog->free_first - 1;
    if (!known) {
        if (backlog->free_first > 0) backlog->free_first = backlog->listeners[place].next_free;
        else place = backlog->listener_count++;
        PHX_ASSERT(place < backlog->listeners_capacity);
        backlog->listeners[place] = (listener){.id = delivery->observer};
        phx_idmap_insert(&backlog->index, delivery->observer, place);
    }
    backlog->listeners[place].segments++;
    backlog->listeners[place].user_data = delivery->user_data;
    backlog->listeners[place].pending += delivery->count;
}

/* Notes that a segment with a delivery for the observer ended. */
static void release_listener(phx_broadcast_backlog *backlog, listener *gone)
{
    if (--gone->segments > 0) return;
    (void)phx_idmap_remove(&backlog->index, gone->id);
    gone->id = 0;
    gone->next_free = backlog->free_first;
    backlog->free_first = (uint32_t)(gone - backlog->listeners) + 1;
}

static void clear_broadcasts(phx_broadcast_backlog *backlog)
{
    if (backlog->newest) {
        backlog->newest->next = backlog->spare;
        backlog->spare = backlog->oldest;
    }
    backlog->oldest = backlog->newest = NULL;
    backlog->bytes = 0;
    backlog->number = 0;
    backlog->listener_count = backlog->free_first = 0;
    phx_idmap_clear(&backlog->index);
}

/* ---- push ---- */

static void drop_oldest(phx_broadcast_backlog *backlog)
{
    segment *gone = backlog->oldest;
    for (uint32_t i = 0; i < gone->broadcasts.size.deliveries; i++) {
        const ph_delivery *delivery = &gone->broadcasts.deliveries[i];
        listener *of = listener_of(backlog, delivery->observer);
        if (gone->number > of->void_to) {
            of->pending -= delivery->count;
            backlog->counts.pending -= delivery->count;
            backlog->counts.dropped += delivery->count;
            backlog->counts.untold += delivery->count;
        }
        release_listener(backlog, of);
    }
    backlog->bytes -= phx_batch_broadcasts_bytes(&gone->broadcasts);
    backlog->oldest = gone->next;
    if (!backlog->oldest) backlog->newest = NULL;
    gone->next = backlog->spare;
    backlog->spare = gone;
}

bool phx_broadcast_backlog_reserve_push(phx_broadcast_backlog *backlog, const phx_batch_broadcasts *broadcasts)
{
    if (broadcasts->size.deliveries == 0) return true;
    if (!backlog->spare) {
        backlog->spare = phx_alloc_zero(backlog->mem, sizeof *backlog->spare, PHX_CACHE_LINE);
        if (!backlog->spare) return false;
    }
    /* at worst all observers are new, and no place is free */
    size_t places = (size_t)backlog->listener_count + broadcasts->size.deliveries;
    return phx_idmap_reserve(&backlog->index, phx_idmap_count(&backlog->index) + broadcasts->size.deliveries) &&
           phx_grow(backlog->mem, (void **)&backlog->listeners, &backlog->listeners_capacity, backlog->listener_count,
                    places, sizeof *backlog->listeners);
}

void phx_broadcast_backlog_push(phx_broadcast_backlog *backlog, phx_batch_broadcasts *broadcasts)
{
    if (broadcasts->size.deliveries == 0) return;
    segment *into = backlog->spare;
    phx_batch_broadcasts taken = *broadcasts;
    PHX_ASSERT(into);
    backlog->spare = into->next;
    *broadcasts = into->broadcasts;
    broadcasts->size = (phx_batch_broadcasts_size){0};
    *into = (segment){.broadcasts = taken, .number = ++backlog->number};
    if (backlog->newest) backlog->newest->next = into;
    else backlog->oldest = into;
    backlog->newest = into;
    for (uint32_t i = 0; i < taken.size.deliveries; i++) add_listener(backlog, &taken.deliveries[i]);
    backlog->bytes += phx_batch_broadcasts_bytes(&taken);
    backlog->counts.pushed += taken.size.heard;
    backlog->counts.pending += taken.size.heard;
    while (backlog->bytes > backlog->bound) drop_oldest(backlog);
}

void phx_broadcast_backlog_drop_observer(phx_broadcast_backlog *backlog, uint64_t observer)
{
    const uint64_t *place = phx_idmap_find(&backlog->index, observer);
    if (!place) return;
    listener *of = &backlog->listeners[*place];
    backlog->counts.pending -= of->pending;
    backlog->counts.voided += of->pending;
    of->pending = 0;
    of->void_to = backlog->number;
    if (backlog->counts.pending == 0)
        clear_broadcasts(backlog); /* or broadcasts without an observer would be delivered with the next tick's */
}

void phx_broadcast_backlog_rename(phx_broadcast_backlog *backlog, uint64_t observer, uint64_t user_data)
{
    const uint64_t *place = phx_idmap_find(&backlog->index, observer);
    if (place) backlog->listeners[*place].user_data = user_data;
}

/* ---- drain ---- */

bool phx_broadcast_backlog_reserve_drain(phx_broadcast_backlog *backlog, phx_batch_broadcasts *broadcasts)
{
    phx_batch_broadcasts_size all = {0};
    if (backlog->counts.pending == 0) return true;
    for (const segment *s = backlog->oldest; s; s = s->next) {
        all.messages += s->broadcasts.size.messages;
        all.payload += s->broadcasts.size.payload;
    }
    all.deliveries = phx_idmap_count(&backlog->index);
    all.heard = (uint32_t)backlog->counts.pending; /* each message takes 4 bytes of a bound below 2^32 */
    return phx_batch_broadcasts_reserve(broadcasts, backlog->mem, all);
}

/* Makes a delivery for each observer with pending messages, with their places. */
static uint32_t drain_deliveries(phx_broadcast_backlog *backlog, phx_batch_broadcasts *broadcasts)
{
    uint32_t count = 0, first = 0;
    for (uint32_t i = 0; i < backlog->listener_count; i++) {
        listener *of = &backlog->listeners[i];
        if (of->id == 0 || of->pending == 0) continue;
        broadcasts->deliveries[count++] =
            (ph_delivery){.observer = of->id, .user_data = of->user_data, .first = first, .count = of->pending};
        of->heard = first;
        first += of->pending;
    }
    PHX_ASSERT(first == broadcasts->size.heard);
    return count;
}

/* Appends a segment's messages; each observer's numbers go to its place. */
static void drain_segment(phx_broadcast_backlog *backlog, const segment *s, phx_batch_broadcasts *broadcasts,
                          phx_batch_broadcasts_size *at)
{
    for (uint32_t i = 0; i < s->broadcasts.size.messages; i++) {
        broadcasts->messages[at->messages + i] = s->broadcasts.messages[i];
        broadcasts->messages[at->messages + i].first += at->payload;
    }
    if (s->broadcasts.size.payload > 0)
        memcpy(broadcasts->payload + at->payload / PHX_PAYLOAD_ALIGN, s->broadcasts.payload,
               s->broadcasts.size.payload);
    for (uint32_t i = 0; i < s->broadcasts.size.deliveries; i++) {
        const ph_delivery *delivery = &s->broadcasts.deliveries[i];
        listener *of = listener_of(backlog, delivery->observer);
        for (uint32_t j = 0; s->number > of->void_to && j < delivery->count; j++)
            broadcasts->heard[of->heard++] = at->messages + s->broadcasts.heard[delivery->first + j];
    }
    at->messages += s->broadcasts.size.messages;
    at->payload += s->broadcasts.size.payload;
}

void phx_broadcast_backlog_drain(phx_broadcast_backlog *backlog, phx_batch_broadcasts *broadcasts)
{
    if (backlog->counts.pending > 0) {
        phx_batch_broadcasts_size at = {0};
        broadcasts->size.deliveries = drain_deliveries(backlog, broadcasts);
        for (const segment *s = backlog->oldest; s; s = s->next) drain_segment(backlog, s, broadcasts, &at);
        PHX_ASSERT(at.messages == broadcasts->size.messages && at.payload == broadcasts->size.payload);
    } else {
        broadcasts->size = (phx_batch_broadcasts_size){0};
    }
    backlog->counts.drained += backlog->counts.pending;
    backlog->counts.pending = 0;
    if (backlog->oldest) clear_broadcasts(backlog);
}

/*
 * Feeds of clients; see client_feed.h.
 */
#include "tools/client_feed.h"

#include <string.h>

#include "base/rng.h"

static bool is_later(const phc_feed *feed, const phc_feed *than)
{
    return feed->begun != than->begun ? feed->begun > than->begun : feed->number > than->number;
}

static bool follows(const phx_client_feed *client, const phx_client_change *change)
{
    const phc_feed *shown = &client->shown;
    return change->feed.begun == shown->begun && change->feed.number == shown->number + 1;
}

/* ---- the list ---- */

/* The place of an id, or where it would be. */
static uint32_t place_of(const phx_client_feed *client, uint64_t id)
{
    uint32_t low = 0, high = client->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (client->ids[middle] < id) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void show_leave(phx_client_feed *client, uint64_t id)
{
    const uint32_t at = place_of(client, id);
    if (at == client->count || client->ids[at] != id) {
        client->counts->wrong++;
        return;
    }
    client->count--;
    memmove(client->ids + at, client->ids + at + 1, (client->count - at) * sizeof *client->ids);
}

static void show_enter(phx_client_feed *client, uint64_t id)
{
    const uint32_t at = place_of(client, id);
    if (at < client->count && client->ids[at] == id) {
        client->counts->wrong++;
        return;
    }
    memmove(client->ids + at + 1, client->ids + at, (client->count - at) * sizeof *client->ids);
    client->ids[at] = id;
    client->count++;
}

static bool reserve_enters(phx_client_feed *client, const phx_client_change *change)
{
    void *ids = client->ids;
    const bool grown = phx_grow(client->mem, &ids, &client->capacity, client->count,
                                (size_t)client->count + change->enter_count, sizeof *client->ids);
    client->ids = ids;
    return grown;
}

/* ---- in order ---- */

/* Without memory the change is as a lost one. */
static bool show(phx_client_feed *client, const phx_client_change *change)
{
    if (!reserve_enters(client, change)) return false;
    const bool is_whole = change->is_whole || change->feed.number == 1;
    /* a gateway with a wire to its client sends the difference of the two lists */
    if (is_whole) client->count = 0;
    for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++) {
        const uint64_t id = phx_client_id_at(change, i);
        if (i < change->leave_count) show_leave(client, id);
        else show_enter(client, id);
    }
    client->shown = change->feed;
    client->counts->shown++;
    client->counts->whole += is_whole;
    return true;
}

static void drop_held(phx_client_feed *client, uint32_t place)
{
    phx_client_held *held = &client->held[place];
    phx_free(client->mem, held->ids, held->bytes, 1);
    *held = client->held[--client->held_count];
}

/* Shows held changes that follow the shown ones; drops held changes that a whole list has. */
static void show_held(phx_client_feed *client)
{
    for (uint32_t i = 0; i < client->held_count;) {
        const phx_client_change *change = &client->held[i].change;
        const bool is_next = follows(client, change);
        if (!is_next && is_later(&change->feed, &client->shown)) {
            i++;
            continue;
        }
        if (is_next) (void)show(client, change);
        drop_held(client, i);
        i = 0;
    }
}

static bool reserve_held(phx_client_feed *client)
{
    void *held = client->held;
    const bool grown = phx_grow(client->mem, &held, &client->held_capacity, client->held_count,
                                (size_t)client->held_count + 1, sizeof *client->held);
    client->held = held;
    return grown;
}

static void hold(phx_client_feed *client, const phx_client_change *change)
{
    const size_t bytes = ((size_t)change->leave_count + change->enter_count) * sizeof(uint64_t);
    for (uint32_t i = 0; i < client->held_count; i++) {
        const phc_feed *feed = &client->held[i].change.feed;
        if (feed->begun == change->feed.begun && feed->number == change->feed.number) return;
    }
    if (client->held_count == PHX_CLIENT_HELD_MAX || !reserve_held(client)) return;
    unsigned char *ids = phx_alloc(client->mem, bytes > 0 ? bytes : 1, 1);
    if (!ids) return;
    if (bytes > 0) memcpy(ids, change->ids, bytes);
    phx_client_held *held = &client->held[client->held_count++];
    *held = (phx_client_held){.change = *change, .ids = ids, .bytes = bytes > 0 ? bytes : 1};
    held->change.ids = ids;
    client->counts->held++;
}

/* moved: something was shown just now. */
static void wait_for_more(phx_client_feed *client, uint64_t now_ms, bool moved)
{
    const bool waited = client->waits;
    client->waits = client->held_count > 0 || is_later(&client->told, &client->shown);
    if (client->waits && (!waited || moved)) client->waits_since_ms = now_ms;
}

void phx_client_take(phx_client_feed *client, const phx_client_change *change, uint64_t now_ms)
{
    if (!is_later(&change->feed, &client->shown)) {
        client->counts->repeated++;
        return;
    }
    if (is_later(&change->feed, &client->told)) client->told = change->feed;
    const bool fits = follows(client, change) || change->is_whole || change->feed.number == 1;
    const bool moved = fits && show(client, change);
    if (moved) show_held(client);
    else if (!fits) hold(client, change);
    wait_for_more(client, now_ms, moved);
}

void phx_client_hear_last(phx_client_feed *client, const phc_feed *last, uint64_t now_ms)
{
    if (is_later(last, &client->told)) client->told = *last;
    if (last->number == 0 && is_later(last, &client->shown)) { /* another feed, and nothing in its list */
        client->count = 0;
        client->shown = *last;
        show_held(client);
    }
    wait_for_more(client, now_ms, false);
}

void phx_client_forget(phx_client_feed *client)
{
    while (client->held_count > 0) drop_held(client, 0);
    client->shown = client->told = (phc_feed){0};
    client->waits = false;
}

bool phx_client_asks(phx_client_feed *client, uint64_t now_ms)
{
    if (!client->waits || now_ms - client->waits_since_ms < PHX_CLIENT_WAIT_MS) return false;
    client->waits_since_ms = now_ms;
    client->counts->asked++;
    return true;
}

void phx_client_free(phx_client_feed *client)
{
    void *ids = client->ids;
    while (client->held_count > 0) drop_held(client, 0);
    void *held = client->held;
    phx_release(client->mem, &ids, &client->capacity, sizeof *client->ids);
    phx_release(client->mem, &held, &client->held_capacity, sizeof *client->held);
    client->ids = NULL;
    client->held = NULL;
    client->count = 0;
}

uint64_t phx_client_list_sum(uint64_t observer, const uint64_t *ids, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += phx_mix64(phx_mix64(observer) ^ ids[i]);
    return sum;
}

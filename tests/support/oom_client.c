/*
 * Clients of a world in which an allocation fails; see oom_client.h.
 */
#include "support/oom_client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void oom_client_say(const oom_client *c, const char *about)
{
    const oom_trial *t = c->trial;
    (void)fprintf(stderr, "--profile %s --tick %u --stage %u --nth %u: tick %u: %s\n", t->profile->name, t->site.tick,
                  t->site.stage, t->site.nth, t->tick, about);
}

static void take_change(oom_client *c, const ph_batch *batch, const ph_change *change)
{
    uint64_t *seen = c->seen[change->observer];
    if (change->flags & PH_CHANGE_FRESH) memset(seen, 0, sizeof c->seen[0]);
    if (!CHECK(!(change->flags & PH_CHANGE_FRESH) || change->leave_count == 0, "leaves of a fresh list"))
        oom_client_say(c, "a fresh change");
    for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++) {
        const uint64_t id = batch->targets[change->first + i].id, bit = UINT64_C(1) << id % 64;
        const bool enters = i >= change->leave_count, had = seen[id / 64] & bit;
        if (!CHECK(had != enters, "%" PRIu64 " is told twice that %" PRIu64 " %s", change->observer, id,
                   enters ? "enters" : "leaves"))
            oom_client_say(c, "an event");
        seen[id / 64] ^= bit;
    }
}

/*
 * An entity's edges of an area go to its consumer, on and off by turns; another incarnation may have another consumer.
 * Where a command sets another one, a slow one may have the earlier edge: the sum at rest counts alone.
 */
static void take_edges(oom_client *c, uint32_t consumer, const ph_edge *edges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int32_t *on = &c->on[consumer][edges[i].id][edges[i].area];
        if (!CHECK(c->changed[edges[i].id] || *on == !edges[i].on,
                   "%" PRIu64 " enters or leaves area %" PRIu64 " twice", edges[i].id, edges[i].area))
            oom_client_say(c, "an edge");
        *on += edges[i].on ? 1 : -1;
    }
}

/* An observer that left, is not ready or remote, or has another consumer, gets nothing more there: that client forgets.
 */
static void forget_gone(oom_client *c)
{
    for (uint64_t id = 1; id <= c->trial->profile->entities; id++) {
        phx_shard *shard;
        uint32_t slot;
        c->in[id] = phx_world_find(c->trial->inner, id, &shard, &slot);
        const uint32_t stay = c->in[id] ? shard->store.name[slot].incarnation : 0;
        const phx_attr *attr = c->in[id] ? phx_store_attr(&shard->store, slot) : NULL;
        const uint32_t consumer = attr ? attr->consumer : 0;
        const bool other = attr && stay == c->stay[id] && consumer != c->consumer[id];
        c->consumer[id] = consumer;
        if (!attr || !attr->ready || stay != c->stay[id] || other) {
            memset(c->seen[id], 0, sizeof c->seen[id]);
            c->since[id] = c->trial->inner->tick;
        }
        c->stay[id] = stay;
    }
}

/* Entities of which a command of the tick sets the consumer. */
static void note_changed(oom_client *c)
{
    const oom_trial *t = c->trial;
    if (t->tick >= OOM_TICKS) return;
    for (uint32_t i = 0; i < t->script->ticks[t->tick].count; i++) {
        const command *set = &t->script->ticks[t->tick].items[i];
        c->changed[set->id] |= set->type == COMMAND_SET && (set->attrs.given & PH_CONSUMER);
    }
}

void oom_client_take(oom_client *c)
{
    enum { SELDOM = 3 };
    const oom_trial *t = c->trial;
    const ph_batch *batch = NULL;
    note_changed(c);
    forget_gone(c);
    for (uint32_t i = 0; i < OOM_CONSUMERS; i++) {
        if (i == OOM_SLOW && t->tick < OOM_TICKS && t->tick % SELDOM != SELDOM - 1) continue;
        while (ph_batch_take(t->consumers[i], &batch) == PH_OK) {
            for (uint32_t n = 0; n < batch->change_count; n++)
                if (batch->tick >= c->since[batch->changes[n].observer]) take_change(c, batch, &batch->changes[n]);
            take_edges(c, i, batch->activations, batch->activation_count);
            take_edges(c, i, batch->crossings, batch->crossing_count);
            c->heard[i] += batch->heard_count;
            c->dropped[i] += batch->dropped;
            CHECK_OK(ph_batch_return(t->consumers[i], batch));
        }
    }
}

/* Is the own entity in the area, in whose margin it stays if it was `inside`, or for PHX_EDGE_AWAKE, is a waker near
 * it? */
static bool is_on(const oom_client *c, const phx_shard *shard, uint32_t slot, uint64_t area, bool inside)
{
    const phx_world *w = c->trial->inner;
    const phx_body *body = &shard->store.body[slot];
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    const uint64_t *place = area != PHX_EDGE_AWAKE ? phx_idmap_find(&w->areas.index, area) : NULL;
    const phx_area_entry *entry = place ? &w->areas.at[*place] : NULL;
    if (area != PHX_EDGE_AWAKE)
        return entry != NULL && entry->live && !attr->remote &&
               phx_area_for_kind(entry, shard->store.name[slot].kind) &&
               phx_area_admits(entry, attr->instance, attr->layers, body->z) &&
               phx_area_has(entry, inside, body->x, body->y);
    bool near = false;
    for (uint64_t id = 1; id <= c->trial->profile->entities; id++) {
        phx_shard *other;
        uint32_t at;
        if (!phx_world_find(w, id, &other, &at) || !phx_is_waker(&w->rules, phx_store_attr(&other->store, at)) ||
            phx_store_attr(&other->store, at)->instance != attr->instance)
            continue;
        const phx_body *waker = &other->store.body[at];
        const int dx = abs((int)waker->tx - (int)body->tx), dy = abs((int)waker->ty - (int)body->ty);
        near |= dx <= (int)w->rules.wake_span && dy <= (int)w->rules.wake_span;
    }
    return near && phx_is_npc(&w->rules, attr);
}

void oom_client_check_edges(const oom_client *c)
{
    for (uint64_t id = 1; id <= c->trial->profile->entities; id++) {
        phx_shard *shard = NULL;
        uint32_t slot = 0;
        const bool here = phx_world_find(c->trial->inner, id, &shard, &slot);
        for (uint64_t area = 0; area < OOM_AREAS; area++) {
            int32_t sum = 0;
            for (uint32_t i = 0; i < OOM_CONSUMERS; i++) sum += c->on[i][id][area];
            const int32_t on = here && is_on(c, shard, slot, area, sum != 0);
            if (!CHECK(sum == on, "%" PRIu64 ", area %" PRIu64 ": the edges sum up to %d, not %d", id, area, sum, on))
                oom_client_say(c, "edges");
        }
    }
}

void oom_client_check_deliveries(const oom_client *c)
{
    uint64_t heard = 0, dropped = 0;
    ph_stats stats = {0};
    CHECK_OK(ph_world_stats(c->trial->world, &stats));
    for (uint32_t i = 0; i < OOM_CONSUMERS; i++) {
        heard += c->heard[i];
        dropped += c->dropped[i];
    }
    if (!CHECK(dropped == stats.deliveries_dropped, "%" PRIu64 " deliveries are said to be dropped, %" PRIu64 " were",
               dropped, stats.deliveries_dropped))
        oom_client_say(c, "dropped deliveries");
    if (!CHECK(heard + dropped + stats.deliveries_void == stats.deliveries && stats.mail_waiting == 0,
               "%" PRIu64 " deliveries: %" PRIu64 " received, %" PRIu64 " dropped, %" PRIu64 " void, %" PRIu64 " wait",
               stats.deliveries, heard, dropped, stats.deliveries_void, stats.mail_waiting))
        oom_client_say(c, "deliveries");
}

/* Does the observer's client know another list than there is? */
static bool list_differs(oom_client *c, uint64_t id, uint32_t *count)
{
    static uint64_t ids[OOM_IDS];
    uint64_t listed[OOM_WORDS] = {0};
    REQUIRE(ph_list(c->trial->world, id, ids, OOM_IDS, count) == PH_OK);
    for (uint32_t i = 0; i < *count; i++) listed[ids[i] / 64] |= UINT64_C(1) << ids[i] % 64;
    return memcmp(listed, c->seen[id], sizeof listed) != 0;
}

uint32_t oom_client_differing(oom_client *c, uint32_t *not_empty)
{
    uint32_t differ = 0;
    uint64_t entries = 0;
    ph_stats stats = {0};
    *not_empty = 0;
    for (uint64_t id = 1; id <= c->trial->profile->entities; id++) {
        uint32_t count = 0;
        const bool differs = c->in[id] && list_differs(c, id, &count);
        entries += count;
        if (!differs) continue;
        differ++;
        *not_empty += count > 0;
    }
    CHECK_OK(ph_world_stats(c->trial->world, &stats));
    if (!CHECK(stats.list_entries == entries, "%" PRIu64 " list entries are counted, there are %" PRIu64,
               stats.list_entries, entries))
        oom_client_say(c, "list_entries");
    return differ;
}

/*
 * The updates in batches against the expected ones: of
 * each observer and target the latest position that was due in the ticks of the batch, but
 * for targets that left the list and observers that left or were not ready since.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/run_parts.h"

/* One expected position for one observer. */
typedef struct expected {
    uint64_t observer;
    const model_moved *moved;
    uint64_t observer_data, target_data; /* at the end of the last tick */
} expected;

typedef VEC(expected) expected_list;

/* From `tick` to `last`: is the observer there and ready, and the target in its list? */
static bool stays(const history *h, model_key observer, model_key target, uint64_t tick, uint64_t last)
{
    for (uint64_t at = tick; at <= last; at++) {
        const history_entity *o = history_entity_at(h, at, observer);
        bool anew = at > tick && o != NULL && o->fresh; /* its list comes with all positions */
        if (o == NULL || !o->settled || anew || !history_listed(h, at, observer, target)) {
            return false;
        }
    }
    return true;
}

/* Has a later tick up to `last` an update of the same observer and target? */
static bool told_later(const history *h, model_key observer, model_key target, uint64_t tick, uint64_t last)
{
    while (++tick <= last) {
        const history_tick *t = &h->ticks.items[tick];
        for (size_t i = 0; i < t->updates.count; i++) {
            const model_update *u = &t->updates.items[i];
            for (size_t j = 0; u->observer.id == observer.id && j < u->moved.count; j++) {
                if (u->moved.items[j].key.id == target.id) {
                    return true;
                }
            }
        }
    }
    return false;
}

static void expect_all(const history *h, uint32_t consumer, uint64_t first, uint64_t last, expected_list *list)
{
    for (uint64_t tick = first; tick <= last; tick++) {
        const history_tick *t = &h->ticks.items[tick];
        for (size_t i = 0; i < t->updates.count; i++) {
            const model_update *u = &t->updates.items[i];
            for (size_t j = 0; u->consumer == consumer && j < u->moved.count; j++) {
                const model_moved *moved = &u->moved.items[j];
                if (stays(h, u->observer, moved->key, tick, last) &&
                    !told_later(h, u->observer, moved->key, tick, last)) {
                    expected e = {.observer = u->observer.id, .moved = moved};
                    e.observer_data = history_entity_at(h, last, u->observer)->user_data;
                    e.target_data = history_entity_at(h, last, moved->key)->user_data;
                    VEC_PUSH(list, e);
                }
            }
        }
    }
}

static bool same_float(float a, float b)
{
    return a >= b && a <= b;
}

static const expected *find(const expected_list *list, uint64_t observer, uint64_t target)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].observer == observer && list->items[i].moved->key.id == target) {
            return &list->items[i];
        }
    }
    return NULL;
}

static bool compare_one(run *r, const ph_batch *batch, const ph_update *u, const expected_list *list)
{
    uint64_t user_data = 0;
    for (uint32_t j = 0; j < u->count; j++) {
        const ph_moved *got = &batch->moved[batch->due[u->first + j]];
        const expected *e = find(list, u->observer, got->id);
        if (e == NULL) {
            return run_fail(r,
                            "ticks %" PRIu64 "..%" PRIu64 ": observer %" PRIu64 " is told that %" PRIu64
                            " moved, which is not due",
                            batch->tick_first, batch->tick, u->observer, got->id);
        }
        user_data = e->observer_data;
        if (got->user_data != e->target_data || !same_float(got->x, e->moved->at.x) ||
            !same_float(got->y, e->moved->at.y) || !same_float(got->z, e->moved->at.z) ||
            batch->bands[u->first + j] != e->moved->band) {
            return run_fail(r,
                            "tick %" PRIu64 ": observer %" PRIu64 ": %" PRIu64 " user_data %" PRIu64 " is at "
                            "(%.9g, %.9g, %.9g) in band %" PRIu32 ", expected %" PRIu64
                            " at (%.9g, %.9g, %.9g) in band %" PRIu32,
                            batch->tick, u->observer, got->id, got->user_data, (double)got->x, (double)got->y,
                            (double)got->z, batch->bands[u->first + j], e->target_data, (double)e->moved->at.x,
                            (double)e->moved->at.y, (double)e->moved->at.z, e->moved->band);
        }
    }
    return u->user_data == user_data ||
           run_fail(r, "observer %" PRIu64 ": updates with user_data %" PRIu64 ", expected %" PRIu64, u->observer,
                    u->user_data, user_data);
}

static bool has(const ph_batch *batch, const expected *e)
{
    for (uint32_t i = 0; i < batch->update_count; i++) {
        const ph_update *u = &batch->updates[i];
        for (uint32_t j = 0; u->observer == e->observer && j < u->count; j++) {
            if (batch->moved[batch->due[u->first + j]].id == e->moved->key.id) {
                return true;
            }
        }
    }
    return false;
}

static bool compare(run *r, uint32_t consumer, const ph_batch *batch, uint64_t first)
{
    expected_list list = {0};
    bool same = true;
    expect_all(&r->past, consumer, first, batch->tick, &list);
    for (uint32_t i = 0; same && i < batch->update_count; i++) {
        same = compare_one(r, batch, &batch->updates[i], &list);
    }
    for (size_t i = 0; same && i < list.count; i++) {
        same = has(batch, &list.items[i]) ||
               run_fail(r, "ticks %" PRIu64 "..%" PRIu64 ": observer %" PRIu64 " is not told that %" PRIu64 " moved",
                        first, batch->tick, list.items[i].observer, list.items[i].moved->key.id);
    }
    VEC_FREE(&list);
    return same;
}

/* Is each target that moved due for an observer? */
static bool all_are_due(const ph_batch *batch)
{
    bool *is_due = check_zalloc(batch->moved_count + 1), all = true;
    for (uint32_t i = 0; i < batch->due_count; i++) is_due[batch->due[i]] = true;
    for (uint32_t i = 0; i < batch->moved_count; i++) all &= is_due[i];
    free(is_due);
    return all;
}

/* No observer twice, no target twice for one of them, nothing outside of the arrays, and nothing for none. */
static bool check_shape(run *r, const ph_batch *batch)
{
    uint64_t due = 0;
    bool good = true;
    for (uint32_t i = 0; i < batch->update_count && good; i++) {
        const ph_update *u = &batch->updates[i];
        good = u->count != 0 && (uint64_t)u->first + u->count <= batch->due_count;
        for (uint32_t j = 0; r->m != NULL && j < i && good; j++) {
            good = batch->updates[j].observer != u->observer;
        }
        for (uint32_t j = 0; j < u->count && good; j++) {
            good = batch->due[u->first + j] < batch->moved_count;
            for (uint32_t k = 0; r->m != NULL && k < j && good; k++) {
                good = batch->moved[batch->due[u->first + j]].id != batch->moved[batch->due[u->first + k]].id;
            }
        }
        due += u->count;
    }
    return (good && due == batch->due_count && all_are_due(batch)) ||
           run_fail(r, "batch of tick %" PRIu64 ": its updates are in disorder", batch->tick);
}

static uint64_t float_bits(float f)
{
    uint32_t bits;
    float positive_zero = f + 0.0f;
    memcpy(&bits, &positive_zero, sizeof bits);
    return bits;
}

/* Observer, target, position and band: the same for every layout. */
static void hash_updates(run *r, const ph_batch *batch)
{
    for (uint32_t i = 0; i < batch->update_count; i++) {
        const ph_update *u = &batch->updates[i];
        uint64_t observer = phx_mix64(u->observer ^ batch->tick << 40);
        for (uint32_t j = 0; j < u->count; j++) {
            const ph_moved *m = &batch->moved[batch->due[u->first + j]];
            uint64_t hash = phx_mix64(observer + phx_mix64(m->id));
            hash = phx_mix64(hash ^ (float_bits(m->x) << 32 | float_bits(m->y)));
            r->result->event_hash += phx_mix64((hash ^ float_bits(m->z)) + batch->bands[u->first + j]);
        }
        r->result->due += u->count;
    }
}

bool run_check_updates(run *r, uint32_t consumer, const ph_batch *batch)
{
    if (!check_shape(r, batch)) {
        return false;
    }
    hash_updates(r, batch);
    return r->m == NULL || compare(r, consumer, batch, r->consumers[consumer].last_tick + 1);
}

size_t run_updates_waiting(run *r, uint32_t consumer)
{
    expected_list list = {0};
    expect_all(&r->past, consumer, r->consumers[consumer].last_tick + 1, r->tick, &list);
    size_t waiting = list.count;
    VEC_FREE(&list);
    return waiting;
}

bool run_updates_missing(run *r, uint32_t consumer)
{
    size_t missing = run_updates_waiting(r, consumer);
    return missing == 0 || run_fail(r, "consumer %" PRIu32 " was told up to tick %" PRIu64 "; %zu updates are missing",
                                    consumer, r->consumers[consumer].last_tick, missing);
}

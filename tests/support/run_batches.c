/*
 * The batches of consumers against the expected ones. Every batch is compared
 * whole: no change may be missing, be there twice, or differ in an id, kind, flag or
 * order of targets. Batches that cover several ticks have to be the exact net difference.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "support/run_parts.h"
#include "tools/event_hash.h"

enum { PRINT_MAX = 24 };

/* ---- reports ---- */

static void note_expected(run *r, const model_change *change)
{
    run_note(r, "  expected: observer %" PRIu64 " user_data %" PRIu64 "%s, %" PRIu32 " leave, %" PRIu32 " enter:",
             change->observer.id, change->user_data, change->fresh ? " fresh" : "", change->leave_count,
             change->enter_count);
    for (size_t i = 0; i < change->targets.count && i < PRINT_MAX; i++) {
        const model_target *t = &change->targets.items[i];
        run_note(r, " %s%" PRIu64 "(kind %" PRIu32 ", data %" PRIu64 ", %s at %.9g,%.9g,%.9g)",
                 i < change->leave_count ? "-" : "+", t->key.id, t->kind, t->user_data, ph_cause_name(t->cause),
                 (double)t->at.x, (double)t->at.y, (double)t->at.z);
    }
    run_note(r, "\n");
}

static void note_got(run *r, const ph_batch *batch, const ph_change *change)
{
    run_note(r, "  got:      observer %" PRIu64 " user_data %" PRIu64 "%s, %" PRIu32 " leave, %" PRIu32 " enter:",
             change->observer, change->user_data, (change->flags & PH_CHANGE_FRESH) != 0 ? " fresh" : "",
             change->leave_count, change->enter_count);
    for (uint32_t i = 0; i < change->leave_count + change->enter_count && i < PRINT_MAX; i++) {
        const ph_target *t = &batch->targets[change->first + i];
        run_note(r, " %s%" PRIu64 "(kind %u, data %" PRIu64 ", %s", i < change->leave_count ? "-" : "+", t->id,
                 batch->kinds[change->first + i], t->user_data,
                 ph_cause_name((ph_cause)batch->causes[change->first + i]));
        const ph_position *at = batch->positions ? &batch->positions[change->first + i] : &(ph_position){0};
        run_note(r, " at %.9g,%.9g,%.9g)", (double)at->x, (double)at->y, (double)at->z);
    }
    run_note(r, "\n");
}

/* ---- one change ---- */

/* The causes of enters depend on the tick that the comparison begins with. */
static bool same_cause(const ph_batch *batch, uint32_t at, uint64_t first, const model_target *expected)
{
    const bool enter = expected->cause == PH_CAUSE_APPEARED || expected->cause == PH_CAUSE_CAME;
    return batch->causes[at] == expected->cause || (enter && first != batch->tick_first);
}

/* As numbers: -0 is 0. */
static bool same_position(const ph_batch *batch, uint32_t at, const model_target *expected)
{
    const ph_position *got = batch->positions ? &batch->positions[at] : &expected->at;
    const float difference[] = {got->x - expected->at.x, got->y - expected->at.y, got->z - expected->at.z};
    return !(difference[0] != 0 || difference[1] != 0 || difference[2] != 0);
}

static bool same_change(const ph_batch *batch, const ph_change *got, uint64_t first, const model_change *expected)
{
    uint32_t flags = (expected->fresh ? PH_CHANGE_FRESH : 0) | (expected->more ? PH_CHANGE_MORE : 0);
    if (got->observer != expected->observer.id || got->user_data != expected->user_data || got->flags != flags ||
        got->leave_count != expected->leave_count || got->enter_count != expected->enter_count) {
        return false;
    }
    for (size_t i = 0; i < expected->targets.count; i++) {
        const ph_target *target = &batch->targets[got->first + i];
        const model_target *t = &expected->targets.items[i];
        if (target->id != t->key.id || target->user_data != t->user_data || batch->kinds[got->first + i] != t->kind ||
            !same_cause(batch, got->first + (uint32_t)i, first, t) ||
            !same_position(batch, got->first + (uint32_t)i, t)) {
            return false;
        }
    }
    return true;
}

/* A fresh change says that its enters are the whole list. */
static bool check_fresh(run *r, const ph_batch *batch, const ph_change *got, model_key observer)
{
    const history_entity *o = history_entity_at(&r->past, batch->tick, observer);
    return (got->flags & PH_CHANGE_FRESH) == 0 ||
           (o != NULL && got->leave_count == 0 && got->enter_count == o->list_count) ||
           run_fail(r,
                    "batch of tick %" PRIu64 ": a fresh change of %" PRIu64 " has %" PRIu32 " leaves and %" PRIu32
                    " enters, its list %zu",
                    batch->tick, got->observer, got->leave_count, got->enter_count, o != NULL ? o->list_count : 0);
}

static int by_observer(const void *a, const void *b)
{
    const ph_change *l = *(const ph_change *const *)a;
    const ph_change *r = *(const ph_change *const *)b;
    return l->observer < r->observer ? -1 : l->observer > r->observer;
}

/* Both ordered by observer. */
static bool compare_changes(run *r, const ph_batch *batch, uint64_t first, const ph_change *const *got,
                            const change_list *expected)
{
    size_t i = 0;
    while (i < batch->change_count && i < expected->count && same_change(batch, got[i], first, &expected->items[i])) {
        if (!check_fresh(r, batch, got[i], expected->items[i].observer)) {
            return false;
        }
        i++;
    }
    if (i == batch->change_count && i == expected->count) {
        return true;
    }
    run_fail(r, "batch of ticks %" PRIu64 "..%" PRIu64 ": %" PRIu32 " changes, expected %zu; the first that differs:",
             batch->tick_first, batch->tick, batch->change_count, expected->count);
    if (i < expected->count) {
        note_expected(r, &expected->items[i]);
    }
    if (i < batch->change_count) {
        note_got(r, batch, got[i]);
    }
    return false;
}

/* ---- one batch ---- */

static bool check_shape(run *r, const run_consumer *c, const ph_batch *batch)
{
    if (batch->tick_first <= c->last_tick || batch->tick < batch->tick_first || batch->tick > r->tick) {
        return run_fail(r, "batch of ticks %" PRIu64 "..%" PRIu64 " after %" PRIu64 " was told", batch->tick_first,
                        batch->tick, c->last_tick);
    }
    if (batch->change_count == 0 && batch->delivery_count == 0 && batch->activation_count == 0 &&
        batch->crossing_count == 0 && batch->update_count == 0 && batch->dropped == 0) {
        return run_fail(r, "batch of tick %" PRIu64 " with nothing in it", batch->tick);
    }
    if (batch->target_count > 0 && (batch->positions != NULL) != r->def.positions) {
        return run_fail(r, "batch of tick %" PRIu64 ": positions are %s", batch->tick,
                        batch->positions != NULL ? "there" : "left out");
    }
    for (uint32_t i = 0; i < batch->change_count; i++) {
        const ph_change *change = &batch->changes[i];
        uint64_t end = (uint64_t)change->first + change->leave_count + change->enter_count;
        if (end > batch->target_count) {
            return run_fail(r, "change %" PRIu32 " ends at target %" PRIu64 " of %" PRIu32, i, end,
                            batch->target_count);
        }
    }
    return true;
}

static void hash_batch(run *r, const ph_batch *batch)
{
    for (uint32_t i = 0; i < batch->change_count; i++) {
        const ph_change *change = &batch->changes[i];
        for (uint32_t j = 0; j < change->leave_count + change->enter_count; j++) {
            uint64_t event = j < change->leave_count ? PHX_EVENT_LEAVE : PHX_EVENT_ENTER;
            uint64_t target = batch->targets[change->first + j].id;
            r->result->event_hash += phx_event_hash(batch->tick, change->observer, event, target);
            r->result->events++;
        }
    }
}

static bool compare_from(run *r, uint32_t consumer, uint64_t first, const ph_batch *batch, const ph_change *const *got)
{
    change_list expected = {0};
    history_changes(&r->past, consumer, first, batch->tick, &expected);
    bool same = compare_changes(r, batch, first, got, &expected);
    changes_free(&expected);
    return same;
}

static void check_batch(run *r, uint32_t consumer, const ph_batch *batch)
{
    run_consumer *c = &r->consumers[consumer];
    r->result->batches++;
    if (!check_shape(r, c, batch) || !run_check_broadcasts(r, consumer, batch) ||
        !run_check_edges(r, consumer, batch) || !run_check_updates(r, consumer, batch)) {
        return;
    }
    hash_batch(r, batch);
    if (r->m != NULL) {
        const ph_change **got = check_zalloc((batch->change_count + 1u) * sizeof(ph_change *));
        for (uint32_t i = 0; i < batch->change_count; i++) {
            got[i] = &batch->changes[i];
        }
        qsort(got, batch->change_count, sizeof *got, by_observer);
        /* From where it says, and from where the last one ended: between them is nothing, net. */
        if (compare_from(r, consumer, batch->tick_first, batch, got) && c->last_tick + 1 < batch->tick_first) {
            (void)compare_from(r, consumer, c->last_tick + 1, batch, got);
        }
        free(got);
    }
    c->last_tick = batch->tick;
}

/* ---- consumers ---- */

static void give_back_held(run *r, uint32_t consumer)
{
    run_consumer *c = &r->consumers[consumer];
    while (c->held_count != 0) {
        c->held_count--;
        (void)run_expect(r, "return a held batch", r->type->batch_return(r->self, consumer, c->held[c->held_count]),
                         PH_OK);
    }
}

/* All batches are taken: is it said rightly whether anything waits for a tick? */
static void check_end(run *r, uint32_t consumer, ph_status status)
{
    const run_consumer *c = &r->consumers[consumer];
    if (status != PH_EMPTY && status != PH_PENDING) {
        (void)run_expect(r, "take", status, PH_EMPTY);
        return;
    }
    if (r->m == NULL) {
        return;
    }
    uint64_t heard = 0;
    change_list changes = {0};
    history_changes(&r->past, consumer, c->last_tick + 1, r->tick, &changes);
    bool waits = changes.count != 0 || run_broadcasts_waiting(r, consumer, &heard) != 0 ||
                 run_edges_waiting(r, consumer) != 0 || run_updates_waiting(r, consumer) != 0;
    changes_free(&changes);
    if (!waits && heard != 0) {
        return; /* they may have been dropped, and must be counted, before their observers left */
    }
    (void)run_expect(r, "take, behind all batches", status, waits ? PH_PENDING : PH_EMPTY);
}

void run_drain(run *r, uint32_t consumer, uint32_t most, bool hold)
{
    run_consumer *c = &r->consumers[consumer];
    if (!c->open) {
        c->open = run_expect(r, "open", r->type->consumer_open(r->self, consumer), PH_OK);
    }
    if (!hold || c->held_count == RUN_HELD_MAX) {
        give_back_held(r, consumer);
    }
    for (uint32_t i = 0; i < most && !r->result->failed; i++) {
        const ph_batch *batch = NULL;
        ph_status status = r->type->batch_take(r->self, consumer, &batch);
        if (status != PH_OK) {
            check_end(r, consumer, status);
            return;
        }
        check_batch(r, consumer, batch);
        if (hold && c->held_count < RUN_HELD_MAX) {
            c->held[c->held_count++] = batch;
        } else {
            (void)run_expect(r, "return", r->type->batch_return(r->self, consumer, batch), PH_OK);
        }
    }
}

void run_caught_up(run *r, uint32_t consumer)
{
    const run_consumer *c = &r->consumers[consumer];
    if (r->m == NULL || r->result->failed || c->last_tick == r->tick) {
        return;
    }
    change_list missing = {0};
    history_changes(&r->past, consumer, c->last_tick + 1, r->tick, &missing);
    if (missing.count != 0) {
        run_fail(r,
                 "consumer %" PRIu32 " was told up to tick %" PRIu64 "; %zu changes are missing, the first:", consumer,
                 c->last_tick, missing.count);
        note_expected(r, &missing.items[0]);
    }
    changes_free(&missing);
    (void)run_broadcasts_missing(r, consumer);
    (void)run_edges_missing(r, consumer);
    (void)run_updates_missing(r, consumer);
}

void run_reopen(run *r, uint32_t consumer)
{
    run_consumer *c = &r->consumers[consumer];
    if (!c->open) {
        return;
    }
    c->held_count = 0; /* they come back by themselves */
    (void)run_expect(r, "close", r->type->consumer_close(r->self, consumer), PH_OK);
    (void)run_expect(r, "open again", r->type->consumer_open(r->self, consumer), PH_OK);
}

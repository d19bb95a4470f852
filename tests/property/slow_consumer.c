/*
 * Consumers that are slow, stopped, or never opened: no event is lost or doubled,
 * memory stays bounded, and a late batch is the exact net difference.
 * The host's side is played here as a host would: it keeps a list per observer, applies
 * each batch, and has the engine's lists whenever it has caught up.
 *
 * options: --seed S, --ticks N
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/fail_alloc.h"

enum { ENTITIES = 150, CONSUMERS = 3, BOUND = 4, TICKS = 500, WARM_TICKS = 60 };
enum { PROMPT = 0, STOPPED = 1, NEVER = 2 }; /* the consumers */
enum { STOPPED_FROM = 100, STOPPED_TO = 350 };

typedef struct seen {
    bool ready; /* as the host itself has commanded */
    bool in_world;
    uint64_t reset_tick;         /* it entered, left or changed readiness */
    uint64_t told_tick;          /* the last tick with a change for it */
    uint64_t sees[ENTITIES + 1]; /* by batches alone: the stay of each target, 0 = none */
} seen;

typedef struct host {
    fail_alloc memory;
    ph_world world;
    ph_producer producer;
    ph_consumer consumers[CONSUMERS];
    bool open[CONSUMERS];
    uint64_t told[CONSUMERS]; /* last tick of the last batch */
    uint64_t tick;
    uint64_t batches, coalesced_batches;
    seen views[ENTITIES + 1];
    uint64_t stays[ENTITIES + 1]; /* how often it has entered: its user data */
    uint64_t rng;
} host;

static uint32_t consumer_of(uint64_t id)
{
    return (uint32_t)(id % CONSUMERS);
}

/* ---- the host applies its batches ---- */

static void apply_change(host *h, const ph_batch *batch, const ph_change *change)
{
    seen *view = &h->views[change->observer];
    bool fresh = (change->flags & PH_CHANGE_FRESH) != 0;
    if (fresh) {
        memset(view->sees, 0, sizeof view->sees);
    }
    CHECK(change->leave_count + change->enter_count != 0 || fresh, "tick %" PRIu64 ": an empty change for %" PRIu64,
          batch->tick, change->observer);
    for (uint32_t i = 0; i < change->leave_count + change->enter_count; i++) {
        uint64_t target = batch->targets[change->first + i].id;
        uint64_t stay = batch->targets[change->first + i].user_data;
        bool enter = i >= change->leave_count;
        CHECK(target >= 1 && target <= ENTITIES && view->sees[target] == (enter ? 0 : stay),
              "ticks %" PRIu64 "..%" PRIu64 ": observer %" PRIu64 " is told %s of %" PRIu64 " in stay %" PRIu64
              ", having it in %" PRIu64,
              batch->tick_first, batch->tick, change->observer, enter ? "enter" : "leave", target, stay,
              view->sees[target]);
        view->sees[target] = enter ? stay : 0;
    }
    view->told_tick = batch->tick;
}

static void apply_batch(host *h, uint32_t consumer, const ph_batch *batch)
{
    CHECK(batch->tick_first > h->told[consumer] && batch->tick_first <= batch->tick && batch->tick <= h->tick,
          "batch of ticks %" PRIu64 "..%" PRIu64 " after %" PRIu64, batch->tick_first, batch->tick, h->told[consumer]);
    CHECK(batch->change_count != 0, "an empty batch");
    for (uint32_t i = 0; i < batch->change_count; i++) {
        CHECK(consumer_of(batch->changes[i].observer) == consumer, "a change of another consumer's observer");
        apply_change(h, batch, &batch->changes[i]);
    }
    h->told[consumer] = batch->tick;
    h->batches++;
    h->coalesced_batches += batch->tick_first < batch->tick;
}

/* How many it took; *status: of the last try, PH_OK when there may be more. */
static uint32_t take_until(host *h, uint32_t consumer, uint32_t most, ph_status *status)
{
    const ph_batch *batch = NULL;
    uint32_t taken = 0;
    *status = PH_OK;
    while (taken < most && (*status = ph_batch_take(h->consumers[consumer], &batch)) == PH_OK) {
        apply_batch(h, consumer, batch);
        CHECK_OK(ph_batch_return(h->consumers[consumer], batch));
        taken++;
    }
    return taken;
}

static uint32_t take(host *h, uint32_t consumer, uint32_t most)
{
    ph_status status;
    return take_until(h, consumer, most, &status);
}

/*
 * The host's copies of this consumer's lists are the engine's lists. An observer that began
 * anew, had no change since and has an empty list may have an old copy: its first change
 * will replace that copy.
 */
static void compare_views(host *h, uint32_t consumer)
{
    uint64_t ids[ENTITIES];
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        uint32_t count = 0;
        if (consumer_of(id) != consumer || !h->views[id].in_world || !h->views[id].ready) {
            continue;
        }
        CHECK_OK(ph_list(h->world, id, ids, ENTITIES, &count));
        if (count == 0 && h->views[id].reset_tick > h->views[id].told_tick) {
            continue;
        }
        uint32_t kept = 0;
        for (uint64_t target = 1; target <= ENTITIES; target++) {
            kept += h->views[id].sees[target] != 0;
        }
        bool same = kept == count;
        for (uint32_t i = 0; i < count; i++) {
            same = same && h->views[id].sees[ids[i]] == h->stays[ids[i]];
        }
        CHECK(same,
              "tick %" PRIu64 ": the host has %" PRIu32 " in the list of %" PRIu64 ", the engine %" PRIu32
              ", or others, or in other stays",
              h->tick, kept, id, count);
    }
}

/* ---- the host's commands: every id once a tick at most, so that it knows their results ---- */

static void host_enter(host *h, uint64_t id)
{
    ph_attrs a = {.given = PH_X | PH_Y | PH_VIEW | PH_CONSUMER | PH_CAP | PH_USER_DATA};
    a.x = phx_rng_unit(&h->rng) * 300;
    a.y = phx_rng_unit(&h->rng) * 300;
    a.view = 60;
    a.consumer = consumer_of(id);
    a.cap = id % 4 == 0 ? 5 : 0;
    a.user_data = ++h->stays[id];
    CHECK_OK(ph_enter(h->producer, id, &a));
    h->views[id].in_world = true;
    h->views[id].ready = true;
    h->views[id].reset_tick = h->tick + 1;
}

static void host_command(host *h, uint64_t id)
{
    seen *view = &h->views[id];
    uint32_t what = phx_rng_below(&h->rng, 100);
    if (!view->in_world) {
        if (what < 30) {
            host_enter(h, id);
        }
    } else if (what < 3) {
        CHECK_OK(ph_leave(h->producer, id));
        view->in_world = false;
        if (what == 0) {
            host_enter(h, id);
        }
    } else if (what < 6) {
        ph_attrs a = {.given = PH_READY, .ready = !view->ready};
        CHECK_OK(ph_set(h->producer, id, &a));
        view->ready = !view->ready;
        view->reset_tick = h->tick + 1;
    } else if (what < 70) {
        float x = phx_rng_unit(&h->rng) * 300;
        float y = phx_rng_unit(&h->rng) * 300;
        CHECK_OK(ph_move(h->producer, id, x, y, 0));
    }
}

static void host_tick(host *h)
{
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        host_command(h, id);
    }
    CHECK_OK(ph_tick(h->world, &h->tick));
}

/* ---- the run ---- */

static host *host_make(uint64_t seed, uint32_t shards)
{
    static ph_class kind;
    host *h = check_zalloc(sizeof *h);
    ph_world_def def = ph_world_def_default();
    kind = ph_class_default("default");
    h->rng = seed;
    def.classes = &kind;
    def.class_count = 1;
    def.world_size[0] = 300;
    def.world_size[1] = 300;
    def.tower_size = 50;
    def.shards[0] = shards;
    def.shards[1] = shards;
    def.consumers = CONSUMERS;
    def.consumer_batches = BOUND;
    def.allocator = fail_alloc_hooks(&h->memory);
    REQUIRE(ph_world_create(&def, &h->world) == PH_OK && ph_producer_open(h->world, &h->producer) == PH_OK);
    for (uint32_t i = 0; i < CONSUMERS; i++) {
        h->open[i] = i != NEVER && ph_consumer_open(h->world, i, &h->consumers[i]) == PH_OK;
    }
    return h;
}

/* Everything waiting is taken, then one more tick has room for the rest. */
static void catch_up(host *h, uint32_t consumer)
{
    if (!h->open[consumer]) {
        CHECK_OK(ph_consumer_open(h->world, consumer, &h->consumers[consumer]));
        h->open[consumer] = true;
    }
    ph_status status;
    CHECK(take_until(h, consumer, UINT32_MAX, &status) == BOUND,
          "a consumer that is far behind has not %d batches waiting", BOUND);
    CHECK_STATUS(status, PH_PENDING);
    uint64_t coalesced = h->coalesced_batches;
    host_tick(h);
    CHECK(take_until(h, consumer, UINT32_MAX, &status) == 1 && h->coalesced_batches == coalesced + 1,
          "the rest did not come as one coalesced batch");
    CHECK_STATUS(status, PH_EMPTY);
    compare_views(h, consumer);
}

/* Memory while a consumer stands still: it may not grow with the ticks. */
static void watch_memory(host *h, uint64_t tick, uint64_t *early)
{
    uint64_t bytes = atomic_load(&h->memory.bytes);
    if (tick == STOPPED_FROM + WARM_TICKS) {
        *early = bytes;
    } else if (tick == STOPPED_TO) {
        CHECK(bytes <= *early + *early / 4, "memory grew from %" PRIu64 " to %" PRIu64 " bytes while a consumer stood",
              *early, bytes);
    }
}

static void play(uint64_t seed, uint64_t ticks, uint32_t shards)
{
    host *h = host_make(seed, shards);
    uint64_t early = 0;
    while (h->tick < ticks) {
        host_tick(h);
        (void)take(h, PROMPT, UINT32_MAX);
        compare_views(h, PROMPT);
        if (h->tick < STOPPED_FROM) {
            (void)take(h, STOPPED, UINT32_MAX);
            compare_views(h, STOPPED);
        } else if (h->tick == STOPPED_TO) {
            catch_up(h, STOPPED);
            (void)take(h, PROMPT, UINT32_MAX);
        } else if (h->tick > STOPPED_TO && phx_rng_below(&h->rng, 3) == 0) {
            (void)take(h, STOPPED, 1 + phx_rng_below(&h->rng, 2)); /* slow from here on */
        }
        watch_memory(h, h->tick, &early);
    }
    ph_stats stats;
    CHECK_OK(ph_world_stats(h->world, &stats));
    CHECK(stats.coalesced_ticks > STOPPED_TO - STOPPED_FROM, "%" PRIu64 " ticks were coalesced", stats.coalesced_ticks);
    catch_up(h, NEVER);
    (void)take(h, STOPPED, UINT32_MAX);
    host_tick(h);
    (void)take(h, STOPPED, UINT32_MAX);
    compare_views(h, STOPPED);
    CHECK_OK(ph_world_stats(h->world, &stats));
    (void)take(h, PROMPT, UINT32_MAX);
    (void)take(h, NEVER, UINT32_MAX);
    CHECK(stats.batches == h->batches, "%" PRIu64 " batches handed over, %" PRIu64 " taken", stats.batches, h->batches);
    CHECK_OK(ph_world_destroy(h->world));
    (void)fail_alloc_clean(&h->memory);
    free(h);
}

int main(int argc, char **argv)
{
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t ticks = option_number(argc, argv, "--ticks", TICKS);
    play(seed, ticks, 1);
    play(seed + 1, ticks, 3);
    return check_done("slow_consumer");
}

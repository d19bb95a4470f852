/*
 * ph_apply() beyond diff_model: a script of one producer tells the same with its applies and without; thousands of
 * applies in a row, each behind one move, show each entity where it is; blocks of queues come back and payloads stay;
 * the calls that are refused; a changed definition waits for the tick; memory of a storm goes back.
 *
 * options: --seed N
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/digest.h"
#include "support/fail_alloc.h"
#include "support/indexes.h"
#include "support/run.h"
#include "support/script_gen.h"

/* ---- with applies and without ---- */

/* Has the tick of this step an apply? */
static bool is_applied(const script *s, size_t at)
{
    bool applied = false;
    for (size_t i = at; i > 0 && s->steps.items[i - 1].type != STEP_TICK; i--)
        applied |= s->steps.items[i - 1].type == STEP_APPLY;
    for (size_t i = at; i < s->steps.count && s->steps.items[i].type != STEP_TICK; i++)
        applied |= s->steps.items[i].type == STEP_APPLY;
    return applied;
}

/* A changed definition comes behind applied commands, else before them: it is left out of ticks with applies. */
static void play(const script *s, bool applies, run_result *result)
{
    script *some = script_copy_head(s);
    some->producers = 1;
    for (size_t i = 0; i < s->steps.count; i++) {
        step one = s->steps.items[i];
        if (one.type == STEP_APPLY && !applies) continue;
        if (one.type == STEP_RELOAD && is_applied(s, i)) continue;
        one.producer = 0;
        VEC_PUSH(&some->steps, one);
    }
    const run_options options = {.no_model = true};
    run_script(some, &options, result);
    script_free(some);
}

typedef struct play_sums {
    uint64_t applies, events;
} play_sums;

static void compare_plays(uint64_t seed, uint32_t profile, play_sums *sums)
{
    static run_result with, without;
    script *s = ops_script(seed, profile);
    play(s, true, &with);
    play(s, false, &without);
    const bool same = with.event_hash == without.event_hash && with.activation_hash == without.activation_hash &&
                      with.events == without.events && with.heard == without.heard && with.due == without.due &&
                      with.edges == without.edges && with.stats.refused_in_tick == without.stats.refused_in_tick;
    CHECK(!with.failed && !without.failed && same, "seed %" PRIu64 ", %s: other events with applies\n%s%s", seed,
          s->profile, with.report, without.report);
    sums->applies += with.stats.applies;
    sums->events += with.events;
    script_free(s);
}

static void same_events(uint64_t seed)
{
    play_sums sums = {0};
    compare_plays(338, (uint32_t)ops_profile_find("settings"), &sums); /* a class gets unready before an apply */
    for (uint64_t i = 0; i < test_amount(900); i++) compare_plays(seed + i, (uint32_t)(i % ops_profile_count()), &sums);
    CHECK(sums.applies > 0 && sums.events > 0, "nothing is applied");
    (void)printf("%" PRIu64 " applies, %" PRIu64 " events\n", sums.applies, sums.events);
}

/* ---- in turn ---- */

enum { ENTITIES = 300, TURNS = 5000, SIDE = 400, ROOM = ENTITIES + 1 };

typedef struct bench {
    fail_alloc memory;
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    uint64_t rng;
    ph_position at[ENTITIES + 1]; /* by id */
} bench;

static ph_position somewhere(bench *b)
{
    const float x = (float)phx_rng_below(&b->rng, SIDE * 4) / 4;
    return (ph_position){x, (float)phx_rng_below(&b->rng, SIDE * 4) / 4, (float)phx_rng_below(&b->rng, 9)};
}

static void bench_open(bench *b, ph_index index, ph_range range, uint32_t shards, uint32_t producer_bytes)
{
    ph_class kind = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    memset(b, 0, sizeof *b);
    kind.view = 30;
    def.classes = &kind;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = SIDE;
    def.tower_size = 25;
    def.index = index;
    def.range = range;
    def.shards[0] = def.shards[1] = shards;
    def.workers = shards;
    def.entities_max = 1u << 17;
    def.producer_bytes = producer_bytes != 0 ? producer_bytes : def.producer_bytes;
    def.allocator = fail_alloc_hooks(&b->memory);
    REQUIRE(ph_world_create(&def, &b->world) == PH_OK && ph_producer_open(b->world, &b->producer) == PH_OK);
    REQUIRE(ph_consumer_open(b->world, 0, &b->consumer) == PH_OK);
    b->rng = 5;
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        b->at[id] = somewhere(b);
        const ph_attrs attrs = {.given = PH_POSITION, .x = b->at[id].x, .y = b->at[id].y, .z = b->at[id].z};
        CHECK_OK(ph_enter(b->producer, id, &attrs));
    }
    CHECK_OK(ph_tick(b->world, NULL));
}

static void bench_close(bench *b)
{
    CHECK_OK(ph_world_destroy(b->world));
    CHECK(fail_alloc_clean(&b->memory), "memory is left");
}

static uint64_t take_all(const bench *b)
{
    const ph_batch *batch = NULL;
    uint64_t sum = 0;
    while (ph_batch_take(b->consumer, &batch) == PH_OK) {
        sum = phx_mix64(sum) + digest_batch(batch);
        CHECK_OK(ph_batch_return(b->consumer, batch));
    }
    return sum;
}

/* The moved entity's surroundings, against all positions. */
static void ask_around(const bench *b, uint64_t id)
{
    ph_hit hits[ROOM];
    uint32_t count = 0, next = 0;
    const float radius = 40;
    const ph_query query = {.shape = PH_QUERY_CIRCLE, .x = b->at[id].x, .y = b->at[id].y, .radius = radius};
    CHECK_OK(ph_find(b->world, &query, hits, ROOM, &count));
    for (uint64_t other = 1; other <= ENTITIES; other++) {
        const float dx = b->at[other].x - query.x, dy = b->at[other].y - query.y;
        if (!(dx * dx + dy * dy <= radius * radius)) continue;
        if (!CHECK(next < count && hits[next].id == other, "%" PRIu64 " is not found around %" PRIu64, other, id))
            return;
        next++;
    }
    CHECK(next == count, "%" PRIu32 " found around %" PRIu64 ", there are %" PRIu32, count, id, next);
}

static void move_one(bench *b)
{
    const uint64_t id = 1 + phx_rng_below(&b->rng, ENTITIES);
    b->at[id] = somewhere(b);
    CHECK_OK(ph_move(b->producer, id, b->at[id].x, b->at[id].y, b->at[id].z));
    CHECK_OK(ph_apply(b->world));
    ask_around(b, id);
}

/* As one batch of moves in a second world, which has no apply. */
static void tick_both(bench *b, ph_index index, ph_range range, uint32_t shards)
{
    static bench other;
    bench_open(&other, index, range, shards, 0);
    CHECK(take_all(&other) == take_all(b), "other events of the enters");
    for (uint64_t id = 1; id <= ENTITIES; id++)
        CHECK_OK(ph_move(other.producer, id, b->at[id].x, b->at[id].y, b->at[id].z));
    CHECK_OK(ph_tick(b->world, NULL));
    CHECK_OK(ph_tick(other.world, NULL));
    CHECK(take_all(&other) == take_all(b), "%s: other events than of one batch of moves", index_name(index));
    uint64_t hash = 0, expected = 1;
    CHECK_OK(ph_world_hash(b->world, &hash));
    CHECK_OK(ph_world_hash(other.world, &expected));
    CHECK(hash == expected, "%s: another world than by one batch of moves", index_name(index));
    bench_close(&other);
}

/* Applies find no list: no observer is looked at, no pair is tested, and nothing is told. */
static bool same_work(const ph_stats *a, const ph_stats *b)
{
    return a->observers_evaluated == b->observers_evaluated && a->observers_glanced == b->observers_glanced &&
           a->towers_visited == b->towers_visited && a->pairs_tested == b->pairs_tested && a->enters == b->enters &&
           a->leaves == b->leaves && a->batches == b->batches && a->exchange_rounds == b->exchange_rounds;
}

static void in_turn(ph_index index, ph_range range, uint32_t shards)
{
    static bench b;
    const ph_world_def def = ph_world_def_default();
    if (!index_serves(&def, index)) return;
    bench_open(&b, index, range, shards, 0);
    const uint64_t turns = test_amount(TURNS);
    ph_stats before, stats;
    CHECK_OK(ph_world_stats(b.world, &before));
    for (uint64_t i = 0; i < turns; i++) move_one(&b);
    CHECK_OK(ph_world_stats(b.world, &stats));
    CHECK(same_work(&before, &stats), "%s: applies do a tick's work", index_name(index));
    CHECK(stats.ticks == 1 && stats.applies == turns, "%" PRIu64 " ticks, %" PRIu64 " applies", stats.ticks,
          stats.applies);
    tick_both(&b, index, range, shards);
    for (uint64_t id = 1; id <= ENTITIES; id++) ask_around(&b, id);
    bench_close(&b);
}

/* ---- queues and payloads ---- */

static char letter_of(uint32_t i)
{
    return (char)('a' + i % 26);
}

/* The two blocks of the queue are full again and again; the payloads of before wait for the tick. */
static void payloads_stay(void)
{
    enum { ROUNDS = 20, BYTES = 40 << 10 };
    static bench b;
    static char payload[BYTES];
    const ph_batch *batch = NULL;
    uint32_t said = 0;
    const ph_broadcast_options all = {.flags = PH_BROADCAST_SELF};
    bench_open(&b, PH_INDEX_LIGHTHOUSE, PH_RANGE_RADIUS, 1, 128u << 10);
    (void)take_all(&b);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const uint32_t before = said;
        ph_status status;
        memset(payload, letter_of(said), sizeof payload);
        while ((status = ph_broadcast(b.producer, 1, payload, sizeof payload, &all)) == PH_OK)
            memset(payload, letter_of(++said), sizeof payload);
        CHECK(status == PH_FULL && said > before, "%s: round %" PRIu32, ph_status_name(status), i);
        CHECK_OK(ph_apply(b.world));
    }
    CHECK_STATUS(ph_batch_take(b.consumer, &batch), PH_EMPTY);
    CHECK_OK(ph_tick(b.world, NULL));
    REQUIRE(ph_batch_take(b.consumer, &batch) == PH_OK);
    CHECK(batch->message_count == said, "%" PRIu32 " broadcasts are told", batch->message_count);
    for (uint32_t i = 0; i < batch->message_count; i++) {
        const ph_message *m = &batch->messages[i];
        const char *text = (const char *)batch->payload + m->first;
        const char letter = letter_of(i);
        CHECK(m->bytes == BYTES && text[0] == letter && text[BYTES - 1] == letter, "broadcast %" PRIu32 " is '%c'", i,
              text[0]);
    }
    CHECK_OK(ph_batch_return(b.consumer, batch));
    bench_close(&b);
}

/* ---- refused ---- */

static bool apply_inside(void *user, const ph_hit *hit)
{
    const bench *b = user;
    (void)hit;
    CHECK_OK(ph_apply(b->world));
    return true;
}

static void refused_calls(void)
{
    static bench b;
    ph_explanation why;
    ph_verification progress = {0};
    ph_difference difference;
    const ph_query all = {.shape = PH_QUERY_CIRCLE, .radius = INFINITY};
    CHECK_STATUS(ph_apply((ph_world){0}), PH_BAD_HANDLE);
    bench_open(&b, PH_INDEX_LIGHTHOUSE, PH_RANGE_RADIUS, 2, 0);
    CHECK_STATUS(ph_find_visit(b.world, &all, apply_inside, &b), PH_BUSY); /* two walks would be neither */
    CHECK_STATUS(ph_explain(b.world, 1, 2, &why), PH_BUSY);
    CHECK_STATUS(ph_explain(b.world, 1, ENTITIES + 1, &why), PH_UNKNOWN_ID);
    CHECK_STATUS(ph_verify(b.world, 1, &progress, &difference), PH_BUSY);
    CHECK_STATUS(ph_tick_finish(b.world, NULL), PH_EMPTY);
    CHECK_OK(ph_tick(b.world, NULL));
    CHECK_OK(ph_explain(b.world, 1, 2, &why));
    CHECK_OK(ph_verify(b.world, 1, &progress, &difference));
    for (uint64_t id = ENTITIES + 1; id < 9 * ENTITIES; id++)
        CHECK_OK(ph_enter(b.producer, id, &(ph_attrs){.given = PH_X | PH_Y, .x = 9, .y = 9}));
    fail_alloc_order(&b.memory, 20, true);
    CHECK_STATUS(ph_tick(b.world, NULL), PH_NO_MEMORY);
    CHECK_STATUS(ph_apply(b.world), PH_BUSY); /* a tick is half way */
    fail_alloc_order(&b.memory, 0, false);
    CHECK_OK(ph_tick(b.world, NULL));
    CHECK_OK(ph_apply(b.world));
    bench_close(&b); /* a world that is begun may be destroyed */
}

/* ---- the definition waits; memory goes back ---- */

/* The definition of bench_open(), with another class. */
static void change_class(const bench *b, const ph_class *kind)
{
    ph_world_def def = ph_world_def_default();
    def.classes = kind;
    def.class_count = 1;
    def.world_size[0] = def.world_size[1] = SIDE;
    def.tower_size = 25;
    def.entities_max = 1u << 17;
    CHECK_OK(ph_world_reconfigure(b->world, &def, NULL, 0));
}

static void definition_waits(void)
{
    static bench b;
    ph_class kind = ph_class_default("default");
    ph_attrs attrs;
    bench_open(&b, PH_INDEX_LIGHTHOUSE, PH_RANGE_RADIUS, 1, 0);
    kind.view = 77;
    change_class(&b, &kind);
    CHECK_OK(ph_move(b.producer, 1, 5, 6, 7));
    CHECK_OK(ph_apply(b.world));
    CHECK_OK(ph_entity_get(b.world, 1, &attrs));
    CHECK(attrs.view < 31 && attrs.x > 4 && attrs.z > 6, "view %g at %g", (double)attrs.view, (double)attrs.x);
    CHECK_OK(ph_tick(b.world, NULL));
    CHECK_OK(ph_entity_get(b.world, 1, &attrs));
    CHECK(attrs.view > 76, "view %g", (double)attrs.view);
    bench_close(&b);
}

/* Is an observer of a class that gets unready told anew, when it is made ready in the same tick? */
static bool begins_anew(bool apply)
{
    static bench b;
    ph_class kind = ph_class_default("default");
    const ph_attrs ready = {.given = PH_READY, .ready = true};
    const ph_batch *batch = NULL;
    bool fresh = false;
    bench_open(&b, PH_INDEX_LIGHTHOUSE, PH_RANGE_RADIUS, 1, 0);
    (void)take_all(&b);
    kind.view = 30;
    kind.ready = false;
    change_class(&b, &kind);
    CHECK_OK(ph_set(b.producer, 1, &ready));
    if (apply) CHECK_OK(ph_apply(b.world));
    CHECK_OK(ph_tick(b.world, NULL));
    while (ph_batch_take(b.consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++)
            fresh |= batch->changes[i].observer == 1 && (batch->changes[i].flags & PH_CHANGE_FRESH);
        CHECK_OK(ph_batch_return(b.consumer, batch));
    }
    bench_close(&b);
    return fresh;
}

/* A definition is applied before the tick's commands, and behind the applied ones. */
static void definition_follows(void)
{
    CHECK(begins_anew(false), "a class that gets unready comes behind the command");
    CHECK(!begins_anew(true), "a class that gets unready comes before an applied command");
}

static void memory_goes_back(void)
{
    enum { MANY = 10000, QUIET = 40 };
    static bench b;
    uint64_t quiet[3];
    bench_open(&b, PH_INDEX_LIGHTHOUSE, PH_RANGE_RADIUS, 1, 0);
    const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = 200, .y = 200};
    for (uint32_t storm = 0; storm < 3; storm++) { /* of enters, of moves, and of moves that are applied */
        for (uint64_t id = 1; id <= MANY; id++) {
            if (storm > 0) CHECK_OK(ph_move(b.producer, ENTITIES + id, 200 + (float)storm, 200, 0));
            else CHECK_OK(ph_enter(b.producer, ENTITIES + id, &attrs));
        }
        if (storm == 2) CHECK_OK(ph_apply(b.world));
        for (int i = 0; i < QUIET; i++) CHECK_OK(ph_tick(b.world, NULL));
        quiet[storm] = b.memory.bytes;
    }
    CHECK(quiet[2] < quiet[1] + (64u << 10), "%" PRIu64 " bytes behind a storm, %" PRIu64 " behind one of applies",
          quiet[1], quiet[2]);
    bench_close(&b);
}

int main(int argc, char **argv)
{
    same_events(option_number(argc, argv, "--seed", 1));
    in_turn(PH_INDEX_LIGHTHOUSE, PH_RANGE_RADIUS, 1);
    in_turn(PH_INDEX_LIGHTHOUSE, PH_RANGE_RADIUS, 3);
    in_turn(PH_INDEX_LIGHTHOUSE, PH_RANGE_TOWERS, 3);
    in_turn(PH_INDEX_QUADTREE, PH_RANGE_RADIUS, 2);
    payloads_stay();
    refused_calls();
    definition_waits();
    definition_follows();
    memory_goes_back();
    return check_done("applies");
}

/*
 * Long quiet stretches: the motion history forgets a move after PH_BAND_EVERY_MAX ticks, and not a tick before. Scripts
 * of the generator go on with moves in eight ticks, then with so many ticks without a command that in the tick behind
 * them the last moves are of all ages around that bound; there the bands of a class change, or observers become of
 * another kind. Everything is compared with the model. And each single move is sent within a period, however long.
 *
 * options: --count N scripts of each profile, --seed S the first seed, --profile NAME only that one
 * To repeat a failure, and see it cut down: quiet_stretches --seed S --profile NAME --count 1
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/indexes.h"
#include "support/script_gen.h"
#include "support/shrink.h"

enum {
    SCRIPTS = 25,                               /* of each profile */
    GROUPS = 8,                                 /* ticks of moves; each entity moves in one of them */
    QUIET = PH_BAND_EVERY_MAX - GROUPS / 2 - 1, /* ticks: ages in the next one are 251 to 258, both included */
    BEHIND = 3,                                 /* ticks after that one */
    QUERY_EVERY = 50
};

static const char *const profiles[] = {"bands", "bands_plain", "bands_slow"};

static void push_ticks(script *s, uint32_t count)
{
    const step tick = {.type = STEP_TICK};
    for (uint32_t i = 0; i < count; i++) {
        VEC_PUSH(&s->steps, tick);
    }
}

static void push_command(script *s, const command *c)
{
    step one = {.type = STEP_COMMAND};
    one.as.command = *c;
    VEC_PUSH(&s->steps, one);
}

/* One after the other, close together, so that many see each other. */
static void move_all(script *s, uint32_t round)
{
    for (uint32_t group = 0; group < GROUPS; group++) {
        for (uint32_t i = group; i < s->id_count; i += GROUPS) {
            command move = {.type = COMMAND_MOVE, .id = s->ids[i]};
            move.attrs.given = PH_POSITION;
            move.attrs.x = s->def.world_origin[0] + s->def.world_size[0] * (0.5f + 0.001f * (float)(i % 7 + round));
            move.attrs.y = s->def.world_origin[1] + s->def.world_size[1] * (0.5f + 0.001f * (float)(i % 5));
            push_command(s, &move);
        }
        push_ticks(s, 1);
    }
}

/* A class with bands gets another one of the same radius. */
static void change_bands(script *s)
{
    for (uint32_t kind = 0; kind < s->def.class_count; kind++) {
        ph_class class = s->classes[kind];
        if (class.band_count == 0) {
            continue;
        }
        const ph_world_def *d = &s->def;
        step reload = {.type = STEP_RELOAD};
        class.bands[0].every = class.bands[0].every % PH_BAND_EVERY_MAX + 1;
        reload.as.reload = (step_reload){.shape = d->shape,
                                         .height = d->height,
                                         .span = d->span,
                                         .sticky = d->sticky,
                                         .activation_span = d->activation_span,
                                         .activation_linger = d->activation_linger,
                                         .broadcast_bytes = d->broadcast_bytes,
                                         .crowd_entities = d->crowd_entities,
                                         .crowd_floor = d->crowd_floor,
                                         .kind = kind,
                                         .values = class};
        VEC_PUSH(&s->steps, reload);
        return;
    }
}

static void change_kinds(script *s)
{
    for (uint32_t i = 0; i < s->id_count; i++) {
        command set = {.type = COMMAND_SET, .id = s->ids[i]};
        set.attrs.given = PH_KIND;
        set.attrs.kind = i % s->def.class_count;
        push_command(s, &set);
    }
}

static script *quiet_script(uint64_t seed, const char *profile)
{
    int index = ops_profile_find(profile);
    REQUIRE(index >= 0);
    script *s = ops_script(seed, (uint32_t)index);
    for (uint32_t round = 0; round < 2; round++) {
        move_all(s, round);
        push_ticks(s, QUIET);
        if ((seed + round) % 2 == 0) {
            change_bands(s);
        } else {
            change_kinds(s);
        }
        push_ticks(s, BEHIND);
    }
    return s;
}

/* The number of updates; 0 when it differs. */
static uint64_t play(script *s, run_result *result, bool explain)
{
    const run_options options = {.query_every = QUERY_EVERY};
    run_script(s, &options, result);
    if (result->failed) {
        check_fail(__FILE__, __LINE__, "DIFFERS: --seed %" PRIu64 " --profile %s --count 1, index %s\n%s", s->seed,
                   s->profile, index_name(s->def.index), result->report);
    }
    if (result->failed && explain) {
        run_explain(s, &options);
    }
    return result->failed ? 0 : result->due;
}

/*
 * Targets that move once, seen in a band of the longest period: each is sent once in the ticks of a period, also in the
 * last of them, when all else has been quiet for that long.
 */
static void all_in_a_period(void)
{
    enum { TARGETS = 2000, OBSERVER = TARGETS + 1 };
    static uint32_t told[TARGETS + 1];
    uint32_t last_ticks = 0;
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    const ph_batch *batch;
    ph_class class = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    class.band_count = 1;
    class.bands[0] = (ph_band){.radius = 10, .every = PH_BAND_EVERY_MAX};
    def.classes = &class;
    def.class_count = 1;
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, &producer) == PH_OK);
    REQUIRE(ph_consumer_open(world, 0, &consumer) == PH_OK);
    for (uint64_t id = 1; id <= OBSERVER; id++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = 50, .y = 50, .view = id == OBSERVER ? 10 : 0};
        CHECK_OK(ph_enter(producer, id, &attrs));
    }
    CHECK_OK(ph_tick(world, NULL));
    REQUIRE(ph_batch_take(consumer, &batch) == PH_OK); /* all of them enter */
    CHECK_OK(ph_batch_return(consumer, batch));
    for (uint64_t id = 1; id <= TARGETS; id++) CHECK_OK(ph_move(producer, id, 51, 50, 0));
    for (uint32_t age = 0; age <= PH_BAND_EVERY_MAX; age++) {
        CHECK_OK(ph_tick(world, NULL));
        while (ph_batch_take(consumer, &batch) == PH_OK) {
            for (uint32_t i = 0; batch->update_count > 0 && i < batch->updates[0].count; i++) {
                told[batch->moved[batch->due[batch->updates[0].first + i]].id]++;
                last_ticks += age == PH_BAND_EVERY_MAX - 1;
            }
            CHECK_OK(ph_batch_return(consumer, batch));
        }
    }
    for (uint32_t id = 1; id <= TARGETS; id++)
        CHECK(told[id] == 1, "target %" PRIu32 " is told %" PRIu32 " times in a period", id, told[id]);
    CHECK(last_ticks > 0, "none in the last tick of the period: a test of little");
    CHECK_OK(ph_world_destroy(world));
}

int main(int argc, char **argv)
{
    const char *only = option_text(argc, argv, "--profile");
    uint64_t seed = option_number(argc, argv, "--seed", 1);
    uint64_t count = option_number(argc, argv, "--count", test_amount(SCRIPTS));
    run_result *result = check_zalloc(sizeof *result);
    uint64_t due = 0;
    all_in_a_period();
    for (size_t p = 0; p < sizeof profiles / sizeof profiles[0]; p++) {
        for (uint64_t i = 0; i < count && check_failures() == 0; i++) {
            if (only != NULL && strcmp(only, profiles[p]) != 0) {
                continue;
            }
            script *s = quiet_script(seed + i, profiles[p]);
            due += play(s, result, only != NULL);
            s->def.index = index_by_turns(&s->def, i);
            due += s->def.index == PH_INDEX_LIGHTHOUSE ? 0 : play(s, result, only != NULL);
            script_free(s);
        }
    }
    CHECK(due > 0 || check_failures() > 0, "no update was told: a test of nothing");
    (void)printf("%" PRIu64 " updates\n", due);
    free(result);
    return check_done("quiet_stretches");
}

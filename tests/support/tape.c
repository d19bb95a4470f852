/*
 * A journal in memory; see tape.h.
 */
#include "support/tape.h"

#include <stdlib.h>
#include <string.h>

#include "support/subject.h"

/* ---- tape ---- */

static void *tape_room(void *user, uint64_t tick, size_t bytes)
{
    tape *to = user;
    tape_record record = {.bytes = check_zalloc(bytes), .size = bytes, .tick = tick};
    memset(record.bytes, 0xa5, bytes); /* each byte is written */
    VEC_PUSH(&to->records, record);
    return record.bytes;
}

static void tape_done(void *user, uint64_t tick, uint32_t flags)
{
    tape *to = user;
    tape_record *last = &to->records.items[to->records.count - 1];
    CHECK(!last->done && last->tick == tick, "a record ends that did not begin");
    last->done = true;
    if (to->unsummed) CHECK_OK(ph_journal_sum(last->bytes, last->size));
    last->whole = flags & PH_RECORD_WHOLE;
}

ph_journal tape_journal(tape *to)
{
    return (ph_journal){
        .room = tape_room, .done = tape_done, .user = to, .flags = to->unsummed ? PH_JOURNAL_UNSUMMED : 0};
}

void tape_free(tape *t)
{
    for (size_t i = 0; i < t->records.count; i++) free(t->records.items[i].bytes);
    VEC_FREE(&t->records);
}

/* ---- player ---- */

void tape_begin(tape_player *player, const script *s, tape *to)
{
    *player = (tape_player){.def = s->def};
    memcpy(player->classes, s->classes, sizeof player->classes);
    player->def.classes = player->classes;
    to->unsummed = s->seed % 4 < 2;
    const ph_journal journal = tape_journal(to);
    player->def.simd = PH_SIMD_AUTO; /* the script's is not on every machine */
    REQUIRE(ph_world_create(&player->def, &player->world) == PH_OK);
    REQUIRE(ph_journal_set(player->world, &journal) == PH_OK);
    for (uint32_t i = 0; i < s->producers; i++)
        REQUIRE(ph_producer_open(player->world, &player->producers[i]) == PH_OK);
    for (uint32_t i = 0; i < s->def.consumers; i++)
        REQUIRE(ph_consumer_open(player->world, i, &player->consumers[i]) == PH_OK);
}

static void reload(tape_player *player, const step_reload *values)
{
    ph_world_def *def = &player->def;
    def->shape = values->shape;
    def->height = values->height;
    def->span = values->span;
    def->sticky = values->sticky;
    def->activation_span = values->activation_span;
    def->activation_linger = values->activation_linger;
    def->broadcast_bytes = values->broadcast_bytes;
    def->crowd_entities = values->crowd_entities;
    def->crowd_floor = values->crowd_floor;
    def->events_max = values->events_max;
    if (values->kind < def->class_count) {
        char name[PH_NAME_SIZE];
        memcpy(name, player->classes[values->kind].name, sizeof name);
        player->classes[values->kind] = values->values;
        memcpy(player->classes[values->kind].name, name, sizeof name);
    }
    CHECK_OK(ph_world_reconfigure(player->world, def, NULL, 0));
}

/* Consumers take all batches in two ticks of five: in the others they fall behind. */
static void drain(const tape_player *player)
{
    const ph_batch *batch;
    for (uint32_t i = 0; player->ticks % 5 < 2 && i < player->def.consumers; i++)
        while (ph_batch_take(player->consumers[i], &batch) == PH_OK)
            CHECK_OK(ph_batch_return(player->consumers[i], batch));
}

/* Moves of one producer that follow each other are one call, in every second script. */
static void play_moves(tape_player *player, const script *s, size_t first)
{
    const uint32_t producer = s->steps.items[first].producer;
    VEC(uint64_t) ids = {0};
    VEC(ph_position) positions = {0};
    for (player->next = first; player->next < s->steps.count; player->next++) {
        const step *at = &s->steps.items[player->next];
        if (at->type != STEP_COMMAND || at->as.command.type != COMMAND_MOVE || at->producer != producer) break;
        const ph_attrs *to = &at->as.command.attrs;
        VEC_PUSH(&ids, at->as.command.id);
        VEC_PUSH(&positions, ((ph_position){to->x, to->y, to->z}));
    }
    const ph_status status =
        ph_move_many(player->producers[producer], (uint32_t)ids.count, ids.items, positions.items, NULL);
    CHECK(status != PH_FULL, "moves of a script have no room");
    VEC_FREE(&ids);
    VEC_FREE(&positions);
}

void tape_play(tape_player *player, const script *s, size_t step_at, tape *to)
{
    const step *at = &s->steps.items[step_at];
    switch (at->type) {
    case STEP_COMMAND:
        if (step_at < player->next) break;
        if (at->as.command.type == COMMAND_MOVE && s->seed % 2 == 0) play_moves(player, s, step_at);
        else (void)engine_submit(player->producers[at->producer], &at->as.command);
        break;
    case STEP_APPLY:
        CHECK_OK(ph_apply(player->world));
        break;
    case STEP_TICK:
        CHECK_OK(ph_tick(player->world, NULL));
        player->ticks++;
        CHECK_OK(ph_world_hash(player->world, &to->records.items[to->records.count - 1].hash));
        drain(player);
        break;
    case STEP_RELOAD:
        reload(player, &at->as.reload);
        break;
    case STEP_DRAIN:
    case STEP_REOPEN:
        break;
    }
}

void tape_end(tape_player *player)
{
    CHECK_OK(ph_world_destroy(player->world));
}

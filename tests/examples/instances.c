/*
 * Dungeon runs on one map: 2,500 players meet in a lobby, go into 500 copies of a dungeon, five in each, where a boss
 * is seen from afar, find loot that one or all of them may see, and come back. Built and run as a test.
 */
#include <pharos/pharos.h>
#include <stdio.h>

enum { RUNS = 500, PARTY = 5, PLAYERS = RUNS * PARTY, LOBBY = 0 };
enum { BOSS = 10000, LOOT = 20000, PET = 30000 }; /* ids; players have 1 to PLAYERS */
enum { PLAYER_KIND = 1, BOSS_KIND, LOOT_KIND };

typedef struct server {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    uint32_t refused;
} server;

static void check(server *s, ph_status status)
{
    if (status == PH_OK) return;
    printf("%s\n", ph_status_text(status));
    s->refused++;
}

static bool open_world(server *s)
{
    ph_class classes[4] = {ph_class_default("default"), ph_class_default("player"), ph_class_default("boss"),
                           ph_class_default("loot")};
    classes[PLAYER_KIND].view = 60;
    classes[BOSS_KIND].reach = 1000; /* seen from the entrance on */
    classes[LOOT_KIND].veiled = true;
    classes[LOOT_KIND].visible = 30;
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = 2000;
    def.classes = classes;
    def.class_count = 4;
    return ph_world_create(&def, &s->world) == PH_OK && ph_producer_open(s->world, &s->producer) == PH_OK &&
           ph_consumer_open(s->world, 0, &s->consumer) == PH_OK;
}

/* Ticks. @return how many targets left the list of one observer. */
static uint32_t tick_and_count_leaves(server *s, uint64_t observer)
{
    const ph_batch *batch;
    uint32_t leaves = 0;
    check(s, ph_tick(s->world, NULL));
    while (ph_batch_take(s->consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++)
            if (batch->changes[i].observer == observer) leaves += batch->changes[i].leave_count;
        ph_batch_return(s->consumer, batch);
    }
    return leaves;
}

static int instances_now(server *s)
{
    ph_stats stats;
    check(s, ph_world_stats(s->world, &stats));
    return (int)stats.instances;
}

static uint32_t found(server *s, const ph_query *query)
{
    uint32_t count = 0;
    check(s, ph_find(s->world, query, NULL, 0, &count));
    return count;
}

/* Players stand apart, so that the lobby is no crowd. */
static void fill_lobby(server *s)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        ph_attrs a = {
            .given = PH_X | PH_Y | PH_KIND, .x = (float)(i % 50) * 40, .y = (float)(i / 50) * 40, .kind = PLAYER_KIND};
        check(s, ph_enter(s->producer, i + 1, &a));
    }
    tick_and_count_leaves(s, 1);
    printf("in the lobby: %d players, %d instance\n", PLAYERS, instances_now(s));
}

/* Each run is an instance, by any number; all begin at the same place of the map, and end at the same boss. */
static void start_runs(server *s)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        ph_attrs a = {
            .given = PH_X | PH_Y | PH_INSTANCE, .x = 100 + (float)(i % PARTY), .y = 100, .instance = 1 + i / PARTY};
        check(s, ph_set(s->producer, i + 1, &a));
    }
    for (uint32_t run = 1; run <= RUNS; run++) {
        ph_attrs a = {.given = PH_X | PH_Y | PH_KIND | PH_INSTANCE, .x = 900, .y = 100, .kind = BOSS_KIND};
        a.instance = run;
        check(s, ph_enter(s->producer, BOSS + run, &a));
    }
    tick_and_count_leaves(s, 1);
    bool alike = true;
    for (uint32_t i = 1; i <= PLAYERS; i++) {
        const uint32_t player[] = {PLAYER_KIND}, boss[] = {BOSS_KIND};
        ph_query q = {.shape = PH_QUERY_LIST, .of = i, .kinds = player, .kind_count = 1};
        uint32_t players = found(s, &q);
        q.kinds = boss;
        alike = alike && players == PARTY - 1 && found(s, &q) == 1;
    }
    printf("in the dungeon: %d instances, each player sees %s\n", instances_now(s),
           alike ? "4 players and a boss" : "something else");
}

/* Loot is veiled by its class, and revealed to its owner; loot for all is not veiled. */
static void drop_loot(server *s, uint32_t run)
{
    const uint64_t owner = (uint64_t)(run - 1) * PARTY + 4;
    ph_attrs a = {.given = PH_X | PH_Y | PH_KIND | PH_INSTANCE, .x = 105, .y = 100, .kind = LOOT_KIND};
    a.instance = run;
    check(s, ph_enter(s->producer, LOOT, &a));
    check(s, ph_reveal(s->producer, owner, LOOT));
    a.given |= PH_VEILED;
    a.veiled = false;
    check(s, ph_enter(s->producer, LOOT + 1, &a));
    tick_and_count_leaves(s, run);
    ph_query q = {.shape = PH_QUERY_OBSERVERS, .of = LOOT};
    printf("loot of one player in run %u: seen by %u\n", run, found(s, &q));
    q.of = LOOT + 1;
    printf("loot of run %u: seen by %u\n", run, found(s, &q));
}

/* A pet that is attached follows into the other instance. */
static void leave_with_pet(server *s, uint32_t run)
{
    const uint64_t player = (uint64_t)(run - 1) * PARTY + 1;
    ph_attrs a = {.given = PH_X | PH_Y, .x = 100, .y = 100};
    check(s, ph_enter(s->producer, PET, &a));
    check(s, ph_attach(s->producer, PET, player));
    tick_and_count_leaves(s, run);
    ph_attrs home = {.given = PH_INSTANCE, .instance = LOBBY};
    check(s, ph_set(s->producer, player, &home));
    uint32_t leaves = tick_and_count_leaves(s, player + 1);
    check(s, ph_entity_get(s->world, PET, &a));
    printf("a player with a pet leaves: run %u loses %u, the pet is in instance %u\n", run, leaves, a.instance);
}

/* A query finds all instances, unless it names one. */
static void ask_around(server *s)
{
    const uint32_t kinds[] = {PLAYER_KIND};
    ph_query q = {.shape = PH_QUERY_CIRCLE, .x = 102, .y = 100, .radius = 10, .kinds = kinds, .kind_count = 1};
    uint32_t all = found(s, &q);
    q.flags = PH_QUERY_IN_INSTANCE;
    q.instance = 8;
    printf("around the start: %u in all instances, %u in run 8\n", all, found(s, &q));
}

static void end_runs(server *s)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        ph_attrs a = {.given = PH_INSTANCE, .instance = LOBBY};
        check(s, ph_set(s->producer, i + 1, &a));
    }
    for (uint32_t run = 1; run <= RUNS; run++) check(s, ph_leave(s->producer, BOSS + run));
    check(s, ph_leave(s->producer, LOOT));
    check(s, ph_leave(s->producer, LOOT + 1));
    tick_and_count_leaves(s, 1);
    printf("back in the lobby: %d instance\n", instances_now(s));
}

int main(void)
{
    server s = {0};
    if (!open_world(&s)) return 1;
    fill_lobby(&s);
    start_runs(&s);
    drop_loot(&s, 7);
    leave_with_pet(&s, 7);
    ask_around(&s);
    end_runs(&s);
    ph_world_destroy(s.world);
    return s.refused > 0;
}

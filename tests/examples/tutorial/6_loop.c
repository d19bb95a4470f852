/*
 * Tutorial, step 6: a game loop. Players wander and talk, log in and out; NPCs far from all players sleep. Ticks come
 * at a fixed rate, input is checked by the library, each client gets one packet a tick.
 */
#include <errno.h>
#include <pharos/pharos.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PLAYER = 1, WOLF = 2 };                                       /* kinds */
enum { PLAYERS = 50, WOLVES = 200, FIRST_WOLF = 1001, TICKS = 100 }; /* players have the ids 1 to PLAYERS */
enum { WORLD_SIZE = 2000, VILLAGE_SIZE = 400, REFUSALS_AT_ONCE = 16 };
enum { TICK_NS = 5 * 1000000 }; /* a real game: 50 ms */

typedef struct server {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    ph_position at[FIRST_WOLF + WOLVES]; /* by id: the game's own state */
    bool awake[FIRST_WOLF + WOLVES];
    uint32_t random;
    uint64_t packets, enters, leaves, words, positions, steps_of_wolves;
} server;

static void check(ph_status status)
{
    if (status == PH_OK) return;
    fprintf(stderr, "%s: %s\n", ph_status_name(status), ph_status_text(status));
    exit(1);
}

static void log_line(void *user, ph_log_level level, const char *line)
{
    (void)user;
    fprintf(stderr, "pharos, level %d: %s\n", (int)level, line);
}

static float draw(server *s, float most)
{
    s->random = s->random * 1664525 + 1013904223;
    return (float)(s->random >> 8) / (1u << 24) * most;
}

static void open_world(server *s)
{
    ph_class classes[] = {ph_class_default("default"), ph_class_default("player"), ph_class_default("wolf")};
    classes[PLAYER].view = 60;
    classes[PLAYER].margin = 5;
    classes[PLAYER].cap = 100; /* most targets in a list */
    classes[PLAYER].wakes = true;
    classes[PLAYER].band_count = 2;
    classes[PLAYER].bands[0] = (ph_band){.radius = 20, .every = 1};
    classes[PLAYER].bands[1] = (ph_band){.radius = 60, .every = 4};
    classes[WOLF].sleeps = true;
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = WORLD_SIZE;
    def.tower_size = 100;
    def.activation_span = 1; /* a wolf is awake while a player is in its tower or the ones around */
    def.classes = classes;
    def.class_count = 3;
    def.log = log_line;
    check(ph_world_create(&def, &s->world));
    check(ph_producer_open(s->world, &s->producer));
    check(ph_consumer_open(s->world, 0, &s->consumer));
}

/* Somewhere within `size` of the world's middle. */
static void enter(server *s, uint64_t id, uint32_t kind, float size)
{
    ph_attrs attrs = {.given = PH_X | PH_Y | PH_KIND, .kind = kind};
    attrs.x = s->at[id].x = (WORLD_SIZE - size) / 2 + draw(s, size);
    attrs.y = s->at[id].y = (WORLD_SIZE - size) / 2 + draw(s, size);
    check(ph_enter(s->producer, id, &attrs));
}

static void step(server *s, uint64_t id)
{
    ph_position *at = &s->at[id];
    at->x += draw(s, 4) - 2;
    at->y += draw(s, 4) - 2;
    check(ph_move(s->producer, id, at->x, at->y, 0));
}

/* 1. Input of clients and the game's own rules become commands. */
static void simulate(server *s, int tick)
{
    for (uint64_t id = 1; id <= PLAYERS; id++) step(s, id);
    for (uint64_t id = FIRST_WOLF; id < FIRST_WOLF + WOLVES; id++) {
        if (!s->awake[id]) continue;
        step(s, id);
        s->steps_of_wolves++;
    }
    if (tick % 10 == 0) check(ph_broadcast(s->producer, (uint64_t)tick / 10, "hello", 6, NULL));
    if (tick == 50) check(ph_move(s->producer, 4711, 0, 0, 0)); /* a bug of the game: there is no such entity */
}

/* 2. Commands that the tick refused: a log line each. */
static void read_refusals(server *s)
{
    ph_refusal refusals[REFUSALS_AT_ONCE];
    uint32_t count;
    do {
        check(ph_producer_refusals(s->producer, refusals, REFUSALS_AT_ONCE, &count));
        for (uint32_t i = 0; i < count; i++)
            printf("tick %d: %s of %d: %s\n", (int)refusals[i].tick, ph_command_name(refusals[i].command),
                   (int)refusals[i].id, ph_status_text(refusals[i].status));
    } while (count == REFUSALS_AT_ONCE);
}

/* 3. Events go out: one packet a client. Here they are counted; step 3 has the slots of clients. */
static void send_batch(server *s, const ph_batch *batch)
{
    ph_packets packets;
    ph_packet packet;
    for (uint32_t i = 0; i < batch->activation_count; i++)
        s->awake[batch->activations[i].id] = batch->activations[i].on;
    check(ph_packets_begin(s->consumer, batch, &packets));
    while (ph_packets_next(&packets, &packet)) {
        s->packets++;
        if (packet.change != NULL) s->enters += packet.change->enter_count, s->leaves += packet.change->leave_count;
        if (packet.delivery != NULL) s->words += packet.delivery->count;
        if (packet.update != NULL) s->positions += packet.update->count;
    }
}

/* 4. Sleep up to the next tick's time, so that the rate stays whatever a tick costs. */
static void wait_for_tick(struct timespec *next)
{
    next->tv_nsec += TICK_NS;
    if (next->tv_nsec >= 1000000000) next->tv_sec++, next->tv_nsec -= 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL) == EINTR) continue;
}

int main(void)
{
    static server s = {.random = 1};
    struct timespec next;
    open_world(&s);
    for (uint64_t id = 1; id <= PLAYERS; id++) enter(&s, id, PLAYER, VILLAGE_SIZE);
    for (uint64_t id = FIRST_WOLF; id < FIRST_WOLF + WOLVES; id++) enter(&s, id, WOLF, WORLD_SIZE);
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (int tick = 1; tick <= TICKS; tick++) {
        const ph_batch *batch;
        if (tick > 1) simulate(&s, tick);
        check(ph_tick(s.world, NULL));
        read_refusals(&s);
        while (ph_batch_take(s.consumer, &batch) == PH_OK) {
            send_batch(&s, batch);
            check(ph_batch_return(s.consumer, batch));
        }
        wait_for_tick(&next);
    }
    printf("%d packets: %d enters, %d leaves, %d words, %d positions\n", (int)s.packets, (int)s.enters, (int)s.leaves,
           (int)s.words, (int)s.positions);
    printf("wolves took %d steps of %d: the others slept\n", (int)s.steps_of_wolves, WOLVES * (TICKS - 1));
    check(ph_world_destroy(s.world));
    return 0;
}

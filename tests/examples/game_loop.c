/*
 * A small game's server loop: a player walks along a road past three watchmen. Only watchmen
 * near the player are simulated (activation); one that gets the player into its list calls out
 * (broadcast). The player's client gets the enters and leaves (lists), the calls (deliveries), and
 * positions of the targets in view, near ones every tick, far ones every fourth (bands).
 * Built and run as a test.
 */
#include <pharos/pharos.h>
#include <stdio.h>
#include <string.h>

enum { PLAYER = 1, WATCHMAN = 2 }; /* kinds: places in the classes */
enum { HERO = 1, FIRST = 101, WATCHMEN = 3, TICKS = 60 };

typedef struct server {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    ph_position hero, watchmen[WATCHMEN];
    bool awake[WATCHMEN];
    uint32_t simulated, told, refused; /* watchman-ticks, positions, commands */
} server;

static void check(server *s, ph_status status)
{
    if (status == PH_OK) return;
    printf("%s\n", ph_status_text(status));
    s->refused++;
}

static bool open_world(server *s)
{
    ph_class classes[3] = {ph_class_default("default"), ph_class_default("player"), ph_class_default("watchman")};
    classes[PLAYER].view = 60;
    classes[PLAYER].margin = 5;
    classes[PLAYER].wakes = true;
    classes[PLAYER].band_count = 2;
    classes[PLAYER].bands[0] = (ph_band){.radius = 20, .every = 1};
    classes[PLAYER].bands[1] = (ph_band){.radius = 60, .every = 4};
    classes[WATCHMAN].view = 25;
    classes[WATCHMAN].sleeps = true;
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = 1000;
    def.tower_size = 50;
    def.activation_span = 1;
    def.classes = classes;
    def.class_count = 3;
    return ph_world_create(&def, &s->world) == PH_OK && ph_producer_open(s->world, &s->producer) == PH_OK &&
           ph_consumer_open(s->world, 0, &s->consumer) == PH_OK;
}

static void populate(server *s)
{
    s->hero = (ph_position){20, 500, 0};
    ph_attrs a = {.given = PH_X | PH_Y | PH_KIND, .x = s->hero.x, .y = s->hero.y, .kind = PLAYER};
    check(s, ph_enter(s->producer, HERO, &a));
    for (uint32_t i = 0; i < WATCHMEN; i++) {
        s->watchmen[i] = (ph_position){125 + 200 * (float)i, 490, 0};
        a = (ph_attrs){.given = PH_X | PH_Y | PH_KIND, .x = s->watchmen[i].x, .y = s->watchmen[i].y, .kind = WATCHMAN};
        check(s, ph_enter(s->producer, FIRST + i, &a));
    }
}

/* The game's tick: the hero walks on, awake watchmen pace up and down. */
static void simulate(server *s, uint32_t tick)
{
    s->hero.x += 10;
    check(s, ph_move(s->producer, HERO, s->hero.x, s->hero.y, 0));
    for (uint32_t i = 0; i < WATCHMEN; i++) {
        if (!s->awake[i]) continue;
        s->simulated++;
        s->watchmen[i].y += tick % 2 ? 3 : -3;
        check(s, ph_move(s->producer, FIRST + i, s->watchmen[i].x, s->watchmen[i].y, 0));
    }
}

/* The hero's client gets a line; a watchman that sees a player calls out: delivered at the end of the next tick. */
static void take_change(server *s, const ph_batch *batch, const ph_change *c)
{
    static const char call[] = "Who goes there?";
    for (uint32_t i = 0; i < c->leave_count + c->enter_count; i++) {
        bool enters = i >= c->leave_count;
        uint32_t at = c->first + i;
        if (c->observer == HERO)
            printf("%d: %s %d\n", (int)batch->tick, enters ? "sees" : "loses", (int)batch->targets[at].id);
        else if (enters && batch->kinds[at] == PLAYER)
            check(s, ph_broadcast(s->producer, c->observer, call, sizeof call, NULL));
    }
}

static void take_batch(server *s, const ph_batch *batch)
{
    for (uint32_t i = 0; i < batch->activation_count; i++) {
        const ph_edge *edge = &batch->activations[i];
        s->awake[edge->id - FIRST] = edge->on;
        printf("%d: %d %s\n", (int)batch->tick, (int)edge->id, edge->on ? "awakes" : "falls asleep");
    }
    for (uint32_t i = 0; i < batch->change_count; i++) take_change(s, batch, &batch->changes[i]);
    for (uint32_t i = 0; i < batch->delivery_count; i++) {
        const ph_delivery *d = &batch->deliveries[i];
        for (uint32_t j = 0; j < d->count && d->observer == HERO; j++) {
            const ph_message *m = &batch->messages[batch->heard[d->first + j]];
            printf("%d: %d calls: %s\n", (int)batch->tick, (int)m->source, (const char *)batch->payload + m->first);
        }
    }
    for (uint32_t i = 0; i < batch->update_count; i++) {
        const ph_update *u = &batch->updates[i];
        for (uint32_t j = 0; j < u->count && u->observer == HERO; j++) {
            const ph_moved *m = &batch->moved[batch->due[u->first + j]]; /* goes to the client as it is */
            s->told += m->id >= FIRST;
        }
    }
}

int main(void)
{
    server s;
    memset(&s, 0, sizeof s);
    if (!open_world(&s)) return 1;
    populate(&s);
    for (uint32_t tick = 1; tick <= TICKS; tick++) {
        const ph_batch *batch;
        if (tick > 1) simulate(&s, tick);
        check(&s, ph_tick(s.world, NULL));
        while (ph_batch_take(s.consumer, &batch) == PH_OK) {
            take_batch(&s, batch);
            check(&s, ph_batch_return(s.consumer, batch));
        }
    }
    printf("%d of %d watchman-ticks simulated, %d positions told\n", (int)s.simulated, WATCHMEN * TICKS, (int)s.told);
    check(&s, ph_world_destroy(s.world));
    return s.refused == 0 ? 0 : 1;
}

/*
 * The generator proper: profiles, steps, whole scripts. See script_gen.h.
 */
#include <string.h>

#include "support/script_gen_parts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * places:   anywhere close grid border huge point tiny edge
 * motions:  still walk teleport
 * commands: enter leave move set pair unpair link unlink attach detach broadcast area unarea resend hide unhide
 *           reveal unreveal
 * in 100 steps: pattern, bad, reload, drain; flags
 */
static const gen_profile profiles[] = {
    {"mixed",
     {20, 26, 25, 15, 4, 4, 2, 4},
     {10, 50, 40},
     {12, 6, 40, 20, 5, 2, 5, 2, 5, 3, 6, 4, 1, 0, 4, 2, 5, 2},
     6,
     3,
     1,
     3,
     0},
    {"walk", {30, 60, 10, 0, 0, 0, 0, 0}, {5, 95, 0}, {4, 2, 90, 4, 0, 0, 0, 0, 0, 0}, 0, 0, 0, 0, 0},
    {"teleport", {50, 20, 10, 20, 0, 0, 0, 0}, {0, 10, 90}, {4, 2, 90, 4, 0, 0, 0, 0, 0, 0, 6}, 0, 0, 0, 0, 0},
    {"still",
     {20, 60, 20, 0, 0, 0, 0, 0},
     {90, 10, 0},
     {20, 4, 10, 30, 4, 2, 4, 2, 2, 2, 8, 0, 0, 0, 4, 2, 4, 2},
     2,
     1,
     1,
     0,
     0},
    {"borders", {0, 10, 0, 90, 0, 0, 0, 0}, {5, 45, 50}, {8, 4, 80, 8, 0, 0, 0, 0, 0, 0, 6}, 2, 0, 0, 0, 0},
    {"grid",
     {0, 0, 100, 0, 0, 0, 0, 0},
     {5, 60, 35},
     {8, 4, 60, 14, 6, 2, 2, 1, 2, 1, 0, 0, 0, 0, 3, 1, 3, 1},
     2,
     0,
     1,
     0,
     0},
    {"edges", {0, 20, 0, 0, 0, 0, 0, 80}, {0, 20, 80}, {8, 3, 85, 4, 0, 0, 0, 0, 0, 0, 4}, 0, 0, 0, 0, 0},
    {"huge", {5, 10, 5, 5, 70, 5, 0, 0}, {10, 30, 60}, {10, 5, 60, 20, 3, 1, 1, 0, 0, 0, 4, 4, 1}, 2, 2, 0, 0, 0},
    {"tiny", {0, 5, 5, 5, 0, 15, 70, 0}, {10, 40, 50}, {10, 5, 60, 20, 3, 1, 1, 0, 0, 0, 0, 4, 1}, 2, 2, 0, 0, 0},
    {"point", {0, 10, 5, 5, 0, 80, 0, 0}, {40, 40, 20}, {14, 8, 40, 30, 3, 1, 3, 1, 0, 0, 6}, 4, 0, 0, 0, 0},
    {"churn", {10, 50, 30, 10, 0, 0, 0, 0}, {20, 40, 40}, {35, 30, 20, 10, 2, 0, 3, 0, 0, 0, 8, 4, 2}, 20, 2, 0, 0, 0},
    {"attached", {10, 60, 20, 10, 0, 0, 0, 0}, {5, 60, 35}, {8, 5, 35, 5, 2, 0, 2, 0, 30, 13, 6}, 12, 1, 0, 0, 0},
    {"relations",
     {30, 30, 30, 10, 0, 0, 0, 0},
     {10, 60, 30},
     {8, 6, 30, 10, 16, 7, 16, 7, 0, 0, 8, 0, 0, 0, 16, 7, 16, 7},
     6,
     1,
     0,
     0,
     0},
    {"settings", {10, 60, 30, 0, 0, 0, 0, 0}, {30, 50, 20}, {8, 4, 18, 65, 2, 0, 2, 0, 1, 0, 10}, 10, 1, 6, 0, 0},
    {"bad",
     {20, 40, 20, 10, 10, 0, 0, 0},
     {10, 50, 40},
     {20, 10, 30, 20, 5, 5, 5, 5, 10, 10, 10, 10, 5},
     10,
     40,
     1,
     0,
     0},
    {"reach", {20, 30, 0, 0, 0, 0, 0, 50}, {5, 45, 50}, {3, 2, 92, 3, 0, 0, 0, 0, 0, 0, 8}, 0, 0, 0, 0, GEN_REACH},
    {"plain", {20, 60, 0, 15, 0, 0, 0, 5}, {3, 95, 2}, {1, 1, 97, 1, 0, 0, 0, 0, 0, 0, 2}, 0, 0, 0, 0, GEN_PLAIN},
    {"plain_grid", {0, 0, 100, 0, 0, 0, 0, 0}, {3, 95, 2}, {1, 1, 97, 1, 0, 0, 0, 0, 0, 0}, 0, 0, 0, 0, GEN_PLAIN},
    {"plain_slow",
     {20, 60, 20, 0, 0, 0, 0, 0},
     {3, 96, 1},
     {1, 1, 97, 1, 0, 0, 0, 0, 0, 0, 3},
     0,
     0,
     0,
     4,
     GEN_SLOW | GEN_PLAIN},
    {"instances",
     {15, 40, 15, 20, 0, 5, 0, 5},
     {10, 70, 20},
     {10, 5, 50, 15, 4, 2, 6, 2, 8, 4, 8, 4, 1, 0, 3, 1, 3, 1},
     5,
     1,
     1,
     0,
     GEN_INSTANCES},
    {"instances_plain",
     {15, 55, 10, 15, 0, 0, 0, 5},
     {3, 92, 5},
     {2, 2, 90, 4, 0, 0, 0, 0, 2, 1, 2},
     0,
     0,
     0,
     0,
     GEN_INSTANCES | GEN_PLAIN},
    {"instances_awake",
     {25, 40, 5, 30, 0, 0, 0, 0},
     {5, 70, 25},
     {6, 4, 75, 12, 0, 0, 0, 0, 4, 2, 0, 4, 1},
     3,
     0,
     1,
     4,
     GEN_INSTANCES | GEN_AWAKE | GEN_PLAIN | GEN_SLOW},
    {"awake", {25, 40, 5, 30, 0, 0, 0, 0}, {5, 70, 25}, {6, 4, 75, 15, 0, 0, 0, 0, 2, 1, 0}, 3, 0, 1, 0, GEN_AWAKE},
    {"awake_plain",
     {40, 30, 5, 25, 0, 0, 0, 0},
     {3, 85, 12},
     {2, 2, 93, 3, 0, 0, 0, 0, 0, 0, 0},
     0,
     0,
     0,
     0,
     GEN_AWAKE | GEN_PLAIN},
    {"awake_slow",
     {25, 40, 5, 30, 0, 0, 0, 0},
     {5, 70, 25},
     {8, 6, 75, 11, 0, 0, 0, 0, 0, 0, 0},
     3,
     0,
     1,
     6,
     GEN_AWAKE | GEN_SLOW},
    {"areas", {25, 40, 5, 20, 2, 2, 2, 4}, {5, 70, 25}, {6, 4, 60, 8, 0, 0, 0, 0, 2, 1, 0, 14, 4}, 4, 1, 1, 0, 0},
    {"areas_grid",
     {0, 0, 100, 0, 0, 0, 0, 0},
     {5, 70, 25},
     {4, 3, 70, 4, 0, 0, 0, 0, 0, 0, 0, 14, 3},
     3,
     0,
     0,
     0,
     GEN_PLAIN},
    {"areas_awake",
     {30, 30, 20, 20, 0, 0, 0, 0},
     {3, 80, 17},
     {3, 2, 82, 4, 0, 0, 0, 0, 1, 1, 0, 6, 2},
     1,
     0,
     1,
     0,
     GEN_AWAKE | GEN_PLAIN},
    {"areas_slow",
     {25, 40, 15, 20, 0, 0, 0, 0},
     {5, 70, 25},
     {8, 6, 60, 6, 0, 0, 0, 0, 0, 0, 0, 14, 6},
     4,
     0,
     1,
     6,
     GEN_AWAKE | GEN_SLOW},
    {"bands",
     {20, 40, 20, 10, 2, 0, 2, 6},
     {20, 70, 10},
     {5, 3, 70, 14, 2, 1, 3, 1, 2, 1, 1, 0, 0, 0, 2, 1, 2, 1},
     3,
     1,
     2,
     0,
     GEN_BANDS},
    {"bands_plain",
     {20, 60, 10, 10, 0, 0, 0, 0},
     {10, 88, 2},
     {1, 1, 97, 1, 0, 0, 0, 0, 0, 0},
     0,
     0,
     0,
     0,
     GEN_PLAIN | GEN_BANDS},
    {"bands_slow",
     {20, 60, 10, 10, 0, 0, 0, 0},
     {10, 80, 10},
     {4, 3, 85, 6, 0, 0, 1, 1, 0, 0},
     2,
     0,
     1,
     6,
     GEN_SLOW | GEN_BANDS},
    {"slow",
     {10, 60, 20, 10, 0, 0, 0, 0},
     {5, 60, 35},
     {14, 10, 50, 22, 2, 1, 2, 1, 1, 1, 8, 0, 0, 0, 2, 1, 2, 1},
     10,
     0,
     1,
     6,
     GEN_SLOW},
    {"far",
     {10, 20, 10, 15, 30, 0, 0, 15},
     {10, 50, 40},
     {10, 5, 60, 20, 5, 2, 1, 0, 2, 1, 0, 6, 1},
     4,
     6,
     1,
     0,
     GEN_FAR},
    {"far_plain",
     {30, 40, 10, 10, 10, 0, 0, 0},
     {5, 90, 5},
     {2, 1, 95, 2, 0, 0, 0, 0, 0, 0},
     0,
     0,
     0,
     0,
     GEN_FAR | GEN_PLAIN},
    {"mail_slow",
     {5, 75, 10, 10, 0, 0, 0, 0},
     {10, 70, 20},
     {6, 4, 30, 10, 0, 0, 2, 1, 0, 0, 50},
     8,
     0,
     0,
     4,
     GEN_SLOW | GEN_PLAIN},
    {"limits",
     {20, 60, 0, 15, 0, 0, 0, 5},
     {3, 92, 5},
     {2, 2, 93, 3, 0, 0, 0, 0, 0, 0, 2},
     0,
     0,
     0,
     0,
     GEN_PLAIN | GEN_LIMITS},
    {"related",
     {20, 60, 0, 15, 0, 0, 0, 5},
     {3, 94, 3},
     {2, 1, 80, 2, 3, 2, 2, 1, 0, 0, 2, 0, 0, 0, 4, 3, 3, 2},
     1,
     0,
     0,
     0,
     GEN_PLAIN},
    {"related_limits",
     {20, 60, 0, 15, 0, 0, 0, 5},
     {3, 94, 3},
     {2, 1, 84, 1, 3, 2, 1, 1, 0, 0, 1, 0, 0, 0, 2, 1, 2, 1},
     1,
     0,
     0,
     0,
     GEN_PLAIN | GEN_LIMITS},
};

uint32_t ops_profile_count(void)
{
    return COUNT(profiles);
}

const char *ops_profile_name(uint32_t index)
{
    return index < COUNT(profiles) ? profiles[index].name : "?";
}

int ops_profile_find(const char *name)
{
    for (size_t i = 0; i < COUNT(profiles); i++) {
        if (strcmp(profiles[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* ---- steps ---- */

void push_step(gen *g, step s)
{
    if (g->s->steps.count < g->steps_max) {
        VEC_PUSH(&g->s->steps, s);
    }
}

void push_from(gen *g, uint32_t producer, command c, bool bulk)
{
    step s = {.type = STEP_COMMAND, .producer = producer, .bulk = bulk};
    s.as.command = c;
    push_step(g, s);
}

void push(gen *g, command c)
{
    push_from(g, choose(&g->c, g->s->producers), c, false);
}

void push_tick(gen *g)
{
    step s = {.type = STEP_TICK};
    push_step(g, s);
}

static void push_apply(gen *g)
{
    step s = {.type = STEP_APPLY};
    push_step(g, s);
}

uint32_t any_place(gen *g)
{
    return choose(&g->c, g->s->id_count);
}

/* ---- whole scripts ---- */

static void push_reload(gen *g)
{
    const ph_world_def *d = &g->s->def;
    step s = {.type = STEP_RELOAD};
    s.as.reload.shape = chance(&g->c, 20) ? (ph_shape)choose(&g->c, 4) : d->shape;
    s.as.reload.height = chance(&g->c, 30) ? radius_any(g) : d->height;
    s.as.reload.span = chance(&g->c, 30) ? choose(&g->c, 4) : d->span;
    s.as.reload.sticky = chance(&g->c, 30) ? 1.0 + choose(&g->c, 3) : d->sticky;
    s.as.reload.broadcast_bytes = chance(&g->c, 30) ? PH_PAYLOAD_MAX + choose(&g->c, 300) : d->broadcast_bytes;
    s.as.reload.crowd_entities = d->crowd_entities;
    s.as.reload.crowd_floor = d->crowd_floor;
    if (d->crowd_entities > 0 && chance(&g->c, 50)) {
        crowd_any(g, &s.as.reload.crowd_entities, &s.as.reload.crowd_floor);
    }
    s.as.reload.events_max = chance(&g->c, 30) ? events_any(g) : d->events_max;
    s.as.reload.kind = choose(&g->c, d->class_count);
    s.as.reload.values = chance(&g->c, 80) ? class_any(g, s.as.reload.kind) : g->s->classes[s.as.reload.kind];
    class_wakes(g, &s.as.reload.values);
    s.as.reload.activation_span = chance(&g->c, 30) ? choose(&g->c, 4) : d->activation_span;
    s.as.reload.activation_linger = chance(&g->c, 30) ? choose(&g->c, 4) : d->activation_linger;
    push_step(g, s);
}

static void push_drain(gen *g)
{
    if (g->s->def.consumers == 0) {
        return;
    }
    step s = {.type = chance(&g->c, 6) ? STEP_REOPEN : STEP_DRAIN};
    s.as.drain.consumer = choose(&g->c, g->s->def.consumers);
    s.as.drain.batches = 1 + choose(&g->c, 4);
    s.as.drain.hold = chance(&g->c, 30);
    push_step(g, s);
}

static void push_any(gen *g)
{
    uint32_t what = choose(&g->c, 100);
    if (what < g->p->pattern) {
        pattern_any(g);
    } else if (what < (uint32_t)g->p->pattern + g->p->bad) {
        push(g, bad_any(g));
    } else if (what >= 100u - g->p->reload) {
        push_reload(g);
    } else if (what >= 100u - g->p->reload - g->p->drain) {
        push_drain(g);
    } else {
        push(g, command_any(g));
    }
}

static void generate(gen *g, uint32_t ticks)
{
    world_any(g);
    for (uint32_t i = 0; i < g->s->id_count; i++) {
        if (chance(&g->c, 85)) {
            /* one choice a statement: the order of arguments is the compiler's, and a seed means one script */
            uint32_t producer = choose(&g->c, g->s->producers);
            bool bulk = chance(&g->c, 50);
            push_from(g, producer, enter_any(g, i), bulk);
        }
    }
    /* in a third of the scripts, after so many of 100 commands, or after each of a few */
    static const uint8_t chances[] = {4, 12, 90};
    const uint32_t applies = chance(&g->c, 33) ? chances[choose(&g->c, 3)] : 0;
    push_tick(g);
    for (uint32_t tick = 1; tick < ticks && !choices_over(&g->c); tick++) {
        uint32_t commands = choose(&g->c, 4) == 0 ? choose(&g->c, 3) : choose(&g->c, g->s->id_count * 2);
        for (uint32_t i = 0; i < commands && !choices_over(&g->c); i++) {
            push_any(g);
            if (applies > 0 && chance(&g->c, commands < 8 ? applies : applies / 4)) {
                push_apply(g);
            }
        }
        push_tick(g);
    }
}

static gen gen_make(uint64_t seed, uint32_t index)
{
    gen g = {.s = script_new(), .p = &profiles[index % COUNT(profiles)], .steps_max = SIZE_MAX};
    g.s->seed = seed;
    g.s->profile = g.p->name;
    g.s->eager = (g.p->flags & GEN_SLOW) == 0;
    return g;
}

script *ops_script(uint64_t seed, uint32_t index)
{
    gen g = gen_make(seed, index);
    g.c.state = seed * COUNT(profiles) + index;
    generate(&g, 4 + choose(&g.c, 36));
    return g.s;
}

script *ops_script_bytes(const uint8_t *bytes, size_t size, size_t steps_max)
{
    enum { TICKS_MAX = 64 };
    static const uint8_t none[1];
    choices c = {.bytes = size != 0 ? bytes : none, .size = size};
    gen g = gen_make(0, choose(&c, COUNT(profiles)));
    g.c = c;
    g.steps_max = steps_max;
    generate(&g, TICKS_MAX);
    push_tick(&g);
    return g.s;
}

/*
 * The generator proper: profiles, steps, whole scripts. See script_gen.h.
 */
#include <string.h>

#include "support/script_gen_parts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Weights, in the order of the enums; the last ones of commands may be left out, as 0:
 *   places:   anywhere close grid border huge point tiny edge
 *   motions:  still walk teleport
 *   commands: enter leave move set pair unpair link unlink attach detach broadcast area unarea resend hide unhide
 *             reveal unreveal
 * pattern, bad, reload, drain: how many in 100 steps.
 */
/* clang-format off */
static const gen_profile profiles[] = {
    {.name = "mixed", .places = {20, 26, 25, 15, 4, 4, 2, 4}, .motions = {10, 50, 40},
     .commands = {12, 6, 40, 20, 5, 2, 5, 2, 5, 3, 6, 4, 1, 0, 4, 2, 5, 2},
     .pattern = 6, .bad = 3, .reload = 1, .drain = 3},
    {.name = "walk", .places = {30, 60, 10, 0, 0, 0, 0, 0}, .motions = {5, 95, 0},
     .commands = {4, 2, 90, 4}},
    {.name = "teleport", .places = {50, 20, 10, 20, 0, 0, 0, 0}, .motions = {0, 10, 90},
     .commands = {4, 2, 90, 4, 0, 0, 0, 0, 0, 0, 6}},
    {.name = "still", .places = {20, 60, 20, 0, 0, 0, 0, 0}, .motions = {90, 10, 0},
     .commands = {20, 4, 10, 30, 4, 2, 4, 2, 2, 2, 8, 0, 0, 0, 4, 2, 4, 2}, .pattern = 2, .bad = 1, .reload = 1},
    {.name = "borders", .places = {0, 10, 0, 90, 0, 0, 0, 0}, .motions = {5, 45, 50},
     .commands = {8, 4, 80, 8, 0, 0, 0, 0, 0, 0, 6}, .pattern = 2},
    {.name = "grid", .places = {0, 0, 100, 0, 0, 0, 0, 0}, .motions = {5, 60, 35},
     .commands = {8, 4, 60, 14, 6, 2, 2, 1, 2, 1, 0, 0, 0, 0, 3, 1, 3, 1}, .pattern = 2, .reload = 1},
    {.name = "edges", .places = {0, 20, 0, 0, 0, 0, 0, 80}, .motions = {0, 20, 80},
     .commands = {8, 3, 85, 4, 0, 0, 0, 0, 0, 0, 4}},
    {.name = "huge", .places = {5, 10, 5, 5, 70, 5, 0, 0}, .motions = {10, 30, 60},
     .commands = {10, 5, 60, 20, 3, 1, 1, 0, 0, 0, 4, 4, 1}, .pattern = 2, .bad = 2},
    {.name = "tiny", .places = {0, 5, 5, 5, 0, 15, 70, 0}, .motions = {10, 40, 50},
     .commands = {10, 5, 60, 20, 3, 1, 1, 0, 0, 0, 0, 4, 1}, .pattern = 2, .bad = 2},
    {.name = "point", .places = {0, 10, 5, 5, 0, 80, 0, 0}, .motions = {40, 40, 20},
     .commands = {14, 8, 40, 30, 3, 1, 3, 1, 0, 0, 6}, .pattern = 4},
    {.name = "churn", .places = {10, 50, 30, 10, 0, 0, 0, 0}, .motions = {20, 40, 40},
     .commands = {35, 30, 20, 10, 2, 0, 3, 0, 0, 0, 8, 4, 2}, .pattern = 20, .bad = 2},
    {.name = "attached", .places = {10, 60, 20, 10, 0, 0, 0, 0}, .motions = {5, 60, 35},
     .commands = {8, 5, 35, 5, 2, 0, 2, 0, 30, 13, 6}, .pattern = 12, .bad = 1},
    {.name = "relations", .places = {30, 30, 30, 10, 0, 0, 0, 0}, .motions = {10, 60, 30},
     .commands = {8, 6, 30, 10, 16, 7, 16, 7, 0, 0, 8, 0, 0, 0, 16, 7, 16, 7}, .pattern = 6, .bad = 1},
    {.name = "settings", .places = {10, 60, 30, 0, 0, 0, 0, 0}, .motions = {30, 50, 20},
     .commands = {8, 4, 18, 65, 2, 0, 2, 0, 1, 0, 10}, .pattern = 10, .bad = 1, .reload = 6},
    {.name = "bad", .places = {20, 40, 20, 10, 10, 0, 0, 0}, .motions = {10, 50, 40},
     .commands = {20, 10, 30, 20, 5, 5, 5, 5, 10, 10, 10, 10, 5}, .pattern = 10, .bad = 40, .reload = 1},
    {.name = "reach", .places = {20, 30, 0, 0, 0, 0, 0, 50}, .motions = {5, 45, 50},
     .commands = {3, 2, 92, 3, 0, 0, 0, 0, 0, 0, 8}, .flags = GEN_REACH},
    {.name = "plain", .places = {20, 60, 0, 15, 0, 0, 0, 5}, .motions = {3, 95, 2},
     .commands = {1, 1, 97, 1, 0, 0, 0, 0, 0, 0, 2}, .flags = GEN_PLAIN},
    {.name = "plain_grid", .places = {0, 0, 100, 0, 0, 0, 0, 0}, .motions = {3, 95, 2},
     .commands = {1, 1, 97, 1}, .flags = GEN_PLAIN},
    {.name = "plain_slow", .places = {20, 60, 20, 0, 0, 0, 0, 0}, .motions = {3, 96, 1},
     .commands = {1, 1, 97, 1, 0, 0, 0, 0, 0, 0, 3}, .drain = 4, .flags = GEN_SLOW | GEN_PLAIN},
    {.name = "instances", .places = {15, 40, 15, 20, 0, 5, 0, 5}, .motions = {10, 70, 20},
     .commands = {10, 5, 50, 15, 4, 2, 6, 2, 8, 4, 8, 4, 1, 0, 3, 1, 3, 1},
     .pattern = 5, .bad = 1, .reload = 1, .flags = GEN_INSTANCES},
    {.name = "instances_plain", .places = {15, 55, 10, 15, 0, 0, 0, 5}, .motions = {3, 92, 5},
     .commands = {2, 2, 90, 4, 0, 0, 0, 0, 2, 1, 2}, .flags = GEN_INSTANCES | GEN_PLAIN},
    {.name = "instances_awake", .places = {25, 40, 5, 30, 0, 0, 0, 0}, .motions = {5, 70, 25},
     .commands = {6, 4, 75, 12, 0, 0, 0, 0, 4, 2, 0, 4, 1},
     .pattern = 3, .reload = 1, .drain = 4, .flags = GEN_INSTANCES | GEN_AWAKE | GEN_PLAIN | GEN_SLOW},
    {.name = "remote", .places = {15, 50, 10, 20, 0, 5, 0, 0}, .motions = {5, 70, 25},
     .commands = {8, 5, 45, 25, 4, 2, 4, 2, 4, 2, 6, 8, 2, 0, 3, 1, 3, 1},
     .pattern = 4, .bad = 1, .reload = 1, .flags = GEN_REMOTE | GEN_AWAKE},
    {.name = "remote_plain", .places = {30, 40, 10, 20, 0, 0, 0, 0}, .motions = {3, 87, 10},
     .commands = {2, 2, 84, 12}, .flags = GEN_REMOTE | GEN_AWAKE | GEN_PLAIN},
    {.name = "remote_slow", .places = {25, 40, 15, 20, 0, 0, 0, 0}, .motions = {5, 70, 25},
     .commands = {8, 6, 55, 20, 1, 1, 1, 1, 0, 0, 2, 10, 4},
     .pattern = 3, .reload = 1, .drain = 6, .flags = GEN_REMOTE | GEN_AWAKE | GEN_SLOW | GEN_BANDS},
    {.name = "awake", .places = {25, 40, 5, 30, 0, 0, 0, 0}, .motions = {5, 70, 25},
     .commands = {6, 4, 75, 15, 0, 0, 0, 0, 2, 1}, .pattern = 3, .reload = 1, .flags = GEN_AWAKE},
    {.name = "awake_plain", .places = {40, 30, 5, 25, 0, 0, 0, 0}, .motions = {3, 85, 12},
     .commands = {2, 2, 93, 3}, .flags = GEN_AWAKE | GEN_PLAIN},
    {.name = "awake_slow", .places = {25, 40, 5, 30, 0, 0, 0, 0}, .motions = {5, 70, 25},
     .commands = {8, 6, 75, 11}, .pattern = 3, .reload = 1, .drain = 6, .flags = GEN_AWAKE | GEN_SLOW},
    {.name = "areas", .places = {25, 40, 5, 20, 2, 2, 2, 4}, .motions = {5, 70, 25},
     .commands = {6, 4, 60, 8, 0, 0, 0, 0, 2, 1, 0, 14, 4}, .pattern = 4, .bad = 1, .reload = 1},
    {.name = "areas_grid", .places = {0, 0, 100, 0, 0, 0, 0, 0}, .motions = {5, 70, 25},
     .commands = {4, 3, 70, 4, 0, 0, 0, 0, 0, 0, 0, 14, 3}, .pattern = 3, .flags = GEN_PLAIN},
    {.name = "areas_awake", .places = {30, 30, 20, 20, 0, 0, 0, 0}, .motions = {3, 80, 17},
     .commands = {3, 2, 82, 4, 0, 0, 0, 0, 1, 1, 0, 6, 2}, .pattern = 1, .reload = 1, .flags = GEN_AWAKE | GEN_PLAIN},
    {.name = "areas_slow", .places = {25, 40, 15, 20, 0, 0, 0, 0}, .motions = {5, 70, 25},
     .commands = {8, 6, 60, 6, 0, 0, 0, 0, 0, 0, 0, 14, 6},
     .pattern = 4, .reload = 1, .drain = 6, .flags = GEN_AWAKE | GEN_SLOW},
    {.name = "bands", .places = {20, 40, 20, 10, 2, 0, 2, 6}, .motions = {20, 70, 10},
     .commands = {5, 3, 70, 14, 2, 1, 3, 1, 2, 1, 1, 0, 0, 0, 2, 1, 2, 1},
     .pattern = 3, .bad = 1, .reload = 2, .flags = GEN_BANDS},
    {.name = "bands_plain", .places = {20, 60, 10, 10, 0, 0, 0, 0}, .motions = {10, 88, 2},
     .commands = {1, 1, 97, 1}, .flags = GEN_PLAIN | GEN_BANDS},
    {.name = "bands_slow", .places = {20, 60, 10, 10, 0, 0, 0, 0}, .motions = {10, 80, 10},
     .commands = {4, 3, 85, 6, 0, 0, 1, 1}, .pattern = 2, .reload = 1, .drain = 6, .flags = GEN_SLOW | GEN_BANDS},
    {.name = "slow", .places = {10, 60, 20, 10, 0, 0, 0, 0}, .motions = {5, 60, 35},
     .commands = {14, 10, 50, 22, 2, 1, 2, 1, 1, 1, 8, 0, 0, 0, 2, 1, 2, 1},
     .pattern = 10, .reload = 1, .drain = 6, .flags = GEN_SLOW},
    {.name = "far", .places = {10, 20, 10, 15, 30, 0, 0, 15}, .motions = {10, 50, 40},
     .commands = {10, 5, 60, 20, 5, 2, 1, 0, 2, 1, 0, 6, 1}, .pattern = 4, .bad = 6, .reload = 1, .flags = GEN_FAR},
    {.name = "far_plain", .places = {30, 40, 10, 10, 10, 0, 0, 0}, .motions = {5, 90, 5},
     .commands = {2, 1, 95, 2}, .flags = GEN_FAR | GEN_PLAIN},
    {.name = "mail_slow", .places = {5, 75, 10, 10, 0, 0, 0, 0}, .motions = {10, 70, 20},
     .commands = {6, 4, 30, 10, 0, 0, 2, 1, 0, 0, 50}, .pattern = 8, .drain = 4, .flags = GEN_SLOW | GEN_PLAIN},
    {.name = "limits", .places = {20, 60, 0, 15, 0, 0, 0, 5}, .motions = {3, 92, 5},
     .commands = {2, 2, 93, 3, 0, 0, 0, 0, 0, 0, 2}, .flags = GEN_PLAIN | GEN_LIMITS},
    {.name = "related", .places = {20, 60, 0, 15, 0, 0, 0, 5}, .motions = {3, 94, 3},
     .commands = {2, 1, 80, 2, 3, 2, 2, 1, 0, 0, 2, 0, 0, 0, 4, 3, 3, 2}, .pattern = 1, .flags = GEN_PLAIN},
    {.name = "related_limits", .places = {20, 60, 0, 15, 0, 0, 0, 5}, .motions = {3, 94, 3},
     .commands = {2, 1, 84, 1, 3, 2, 1, 1, 0, 0, 1, 0, 0, 0, 2, 1, 2, 1}, .pattern = 1,
     .flags = GEN_PLAIN | GEN_LIMITS},
    {.name = "related_churn", .places = {20, 40, 10, 25, 0, 0, 0, 5}, .motions = {3, 60, 37},
     .commands = {10, 9, 50, 12, 4, 2, 3, 1, 2, 1, 4, 0, 0, 0, 4, 2, 4, 2}, .pattern = 12, .reload = 1, .drain = 4,
     .flags = GEN_PLAIN | GEN_INSTANCES | GEN_SLOW},
    {.name = "related_bands", .places = {20, 60, 10, 10, 0, 0, 0, 0}, .motions = {10, 80, 10},
     .commands = {3, 2, 70, 6, 4, 2, 3, 1, 1, 1, 4, 0, 0, 0, 4, 2, 4, 2}, .pattern = 3, .reload = 1, .drain = 6,
     .flags = GEN_PLAIN | GEN_SLOW | GEN_BANDS | GEN_LIMITS},
};
/* clang-format on */

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

/* Some scripts leave the side of towers to the engine: of the ones in which no event depends on it, to the end. */
static void towers_any(gen *g)
{
    script *s = g->s;
    bool decide = s->def.range == PH_RANGE_TOWERS || s->def.crowd_entities > 0;
    for (uint32_t kind = 0; kind < s->def.class_count; kind++) decide |= s->classes[kind].wakes;
    for (size_t i = 0; i < s->steps.count; i++) {
        const step *is = &s->steps.items[i];
        decide |= is->type == STEP_RELOAD && (is->as.reload.values.wakes || is->as.reload.crowd_entities > 0);
    }
    if (!decide && chance(&g->c, 33)) {
        s->def.tower_size = 0;
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
    towers_any(&g);
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
    towers_any(&g);
    return g.s;
}

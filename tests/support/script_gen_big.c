/*
 * Bigger worlds for comparing layouts: many entities on many towers, walking over shard
 * borders, with some of every other command, all valid or refused by the tick alike.
 */

#include <pharos/pharos.h>

#include "support/script_gen_parts.h"

enum { BIG_TOWERS = 40, BIG_CLASSES = 4, BIG_HEIGHT = 15 };

static void big_world(script *s, ph_range range, ph_shape shape)
{
    ph_world_def *d = &s->def;
    d->world_origin[0] = -300;
    d->world_origin[1] = 1000;
    d->world_size[0] = 20.0f * BIG_TOWERS;
    d->world_size[1] = 20.0f * BIG_TOWERS;
    d->tower_size = 20;
    d->range = range;
    d->shape = shape;
    d->height = BIG_HEIGHT;
    d->span = 1;
    d->shards[0] = 1;
    d->shards[1] = 1;
    d->entities_max = 1u << 16;
    d->consumers = 2;
    d->class_count = BIG_CLASSES;
    static const float views[BIG_CLASSES] = {25, 0, 40, 18};
    for (uint32_t kind = 0; kind < BIG_CLASSES; kind++) {
        char name[] = "kind-0";
        name[5] = (char)('0' + kind);
        s->classes[kind] = ph_class_default(kind == 0 ? "default" : name);
        s->classes[kind].view = views[kind];
        s->classes[kind].margin = kind == 2 ? 5 : 0;
        s->classes[kind].cap = kind == 3 ? 8 : 0;
        s->classes[kind].priority = (uint8_t)kind;
        s->classes[kind].wakes = kind == 3;
        s->classes[kind].band_count = kind == 0 ? 3 : kind == 3; /* the others get no updates */
        s->classes[kind].bands[0] = (ph_band){8, 1};
        s->classes[kind].bands[1] = (ph_band){14, 2};
        s->classes[kind].bands[2] = (ph_band){20, 5};
        s->classes[kind].updates_max = kind == 3 ? 3 : 0;
        s->classes[kind].adds_max = kind == 2 ? 6 : 0;
    }
    d->activation_linger = 3;
    s->producers = 3;
}

typedef struct big {
    script *s;
    uint64_t rng;
    uint32_t instances; /* copies of the map that entities are in */
    bool flat;          /* heights decide nothing */
    bool calm;          /* nothing but walking, almost: an engine may have a short way for it */
    VEC(gen_entity) at;
} big;

static void big_push(big *b, command c)
{
    step s = {.type = STEP_COMMAND, .producer = (uint32_t)(c.id % b->s->producers)};
    s.bulk = c.type == COMMAND_MOVE;
    s.as.command = c;
    VEC_PUSH(&b->s->steps, s);
}

static float big_coordinate(big *b, int axis)
{
    const ph_world_def *d = &b->s->def;
    float span = d->world_size[axis];
    if (phx_rng_below(&b->rng, 4) == 0) { /* a crowd in one corner */
        span = span * 0.1f;
    }
    float p = d->world_origin[axis] + phx_rng_unit(&b->rng) * span;
    if (phx_rng_below(&b->rng, 8) == 0) { /* exactly on a tower border */
        p = d->world_origin[axis] + (float)phx_rng_below(&b->rng, BIG_TOWERS + 1) * d->tower_size;
    }
    return p;
}

static void big_place(big *b, uint32_t i)
{
    b->at.items[i].x = big_coordinate(b, 0);
    b->at.items[i].y = big_coordinate(b, 1);
    b->at.items[i].z = (float)phx_rng_below(&b->rng, b->flat ? BIG_HEIGHT + 1 : 40);
}

static command big_command(big *b, command_type type, uint32_t i)
{
    const gen_entity *at = &b->at.items[i];
    command c = {.type = type, .id = i + 1};
    c.attrs.x = at->x;
    c.attrs.y = at->y;
    c.attrs.z = at->z;
    return c;
}

static void big_enter(big *b, uint32_t i)
{
    big_place(b, i);
    command c = big_command(b, COMMAND_ENTER, i);
    c.attrs.given = PH_POSITION | PH_KIND | PH_CONSUMER | PH_USER_DATA;
    c.attrs.kind = phx_rng_below(&b->rng, BIG_CLASSES);
    c.attrs.consumer = i % b->s->def.consumers;
    c.attrs.user_data = i * 7u;
    if (b->instances > 1) {
        c.attrs.given |= PH_INSTANCE;
        c.attrs.instance = phx_rng_below(&b->rng, b->instances);
    }
    if (!b->calm && phx_rng_below(&b->rng, 100) == 0) {
        c.attrs.given |= PH_REACH;
        c.attrs.reach = 150;
    }
    if (!b->calm && phx_rng_below(&b->rng, 300) == 0) {
        c.attrs.given |= PH_GLOBAL;
        c.attrs.global = true;
    }
    big_push(b, c);
}

static void big_walk(big *b, uint32_t i)
{
    gen_entity *at = &b->at.items[i];
    float step_length = b->calm ? 3 : 12;
    if (phx_rng_below(&b->rng, b->calm ? 5000 : 200) == 0) {
        big_place(b, i); /* a far move */
    } else {
        at->x = at->x + (phx_rng_unit(&b->rng) - 0.5f) * step_length;
        at->y = at->y + (phx_rng_unit(&b->rng) - 0.5f) * step_length;
    }
    big_push(b, big_command(b, COMMAND_MOVE, i));
}

/* One of the rarer commands about two entities, or about one. */
static void big_other(big *b, uint32_t count)
{
    static const command_type types[] = {
        COMMAND_PAIR,     COMMAND_UNPAIR, COMMAND_LINK,   COMMAND_UNLINK, COMMAND_HIDE,  COMMAND_UNHIDE, COMMAND_REVEAL,
        COMMAND_UNREVEAL, COMMAND_ATTACH, COMMAND_DETACH, COMMAND_SET,    COMMAND_LEAVE, COMMAND_RESEND};
    uint32_t i = phx_rng_below(&b->rng, count);
    command c = big_command(b, types[phx_rng_below(&b->rng, sizeof types / sizeof types[0])], i);
    c.other = (i + 1 + phx_rng_below(&b->rng, count - 1)) % count + 1;
    if (c.type == COMMAND_PAIR) {
        c.attrs.view = (float)phx_rng_below(&b->rng, 100);
        c.attrs.margin = 10;
    } else if (c.type == COMMAND_SET) {
        static const uint32_t bits[] = {PH_VIEW, PH_READY, PH_KIND, PH_STEALTH, PH_CAP, PH_VEILED, PH_CONSUMER};
        c.attrs.given = bits[phx_rng_below(&b->rng, sizeof bits / sizeof bits[0])];
        c.attrs.consumer = phx_rng_below(&b->rng, b->s->def.consumers);
        c.attrs.view = (float)phx_rng_below(&b->rng, 60);
        c.attrs.ready = phx_rng_below(&b->rng, 2) == 0;
        c.attrs.kind = phx_rng_below(&b->rng, BIG_CLASSES);
        c.attrs.veiled = phx_rng_below(&b->rng, 2) == 0;
        c.attrs.stealth = (uint8_t)phx_rng_below(&b->rng, 2);
        c.attrs.cap = phx_rng_below(&b->rng, 20);
        if (b->instances > 1 && phx_rng_below(&b->rng, 2) == 0) {
            c.attrs.given = PH_INSTANCE;
            c.attrs.instance = phx_rng_below(&b->rng, b->instances);
        }
    }
    big_push(b, c);
    if (c.type == COMMAND_LEAVE) {
        big_enter(b, i);
    }
}

/* Some broadcast to their observers; many of them at times. */
static void big_say(big *b, uint32_t count)
{
    command c = big_command(b, COMMAND_BROADCAST, phx_rng_below(&b->rng, count));
    c.say.bytes = phx_rng_below(&b->rng, 80);
    c.say.salt = phx_rng_below(&b->rng, 1u << 20);
    c.say.flags = phx_rng_below(&b->rng, 2) * PH_BROADCAST_SELF;
    c.say.kind_count = phx_rng_below(&b->rng, 3) == 0;
    c.say.kinds[0] = phx_rng_below(&b->rng, BIG_CLASSES);
    const uint32_t how = phx_rng_below(&b->rng, 4);
    if (how > 0) { /* a whisper to a shout over several shards */
        c.say.radius = phx_rng_unit(&b->rng) * (how == 1 ? 1000.0f : 100.0f);
    }
    if (how == 1 && c.say.radius > 0 && phx_rng_below(&b->rng, 2) == 0) {
        c.say.flags |= PH_BROADCAST_SEEN;
    } else if (how > 1 && phx_rng_below(&b->rng, 2) == 0) { /* from where the source stands, without it */
        c.type = COMMAND_BROADCAST_AT;
        c.say.x = c.attrs.x;
        c.say.y = c.attrs.y;
        c.say.layers = 1;
        c.say.instance = phx_rng_below(&b->rng, b->instances);
        c.say.flags = 0;
        c.id = 0;
    }
    big_push(b, c);
}

/* A margin, heights, layers, one instance; or the area goes with an entity, mostly over borders of shards. */
static void big_area_options(big *b, ph_area *a)
{
    if (a->shape != PH_AREA_POLYGON && phx_rng_below(&b->rng, 2) == 0) a->margin = (float)phx_rng_below(&b->rng, 20);
    if (phx_rng_below(&b->rng, 4) == 0) {
        a->flags |= PH_AREA_HEIGHT;
        a->z_high = (float)(1 + phx_rng_below(&b->rng, 30));
    }
    a->layers = phx_rng_below(&b->rng, 4) == 0 ? 1 + phx_rng_below(&b->rng, 3) : 0;
    const uint32_t where = phx_rng_below(&b->rng, 3);
    if (where == 0) {
        a->flags |= PH_AREA_IN_INSTANCE;
        a->instance = phx_rng_below(&b->rng, b->instances);
    } else if (where == 1) {
        a->flags |= PH_AREA_FOLLOW;
        a->follow = 1 + phx_rng_below(&b->rng, (uint32_t)b->at.count);
        for (int axis = 0; axis < 2; axis++) {
            const float by = a->low[axis];
            a->center[axis] -= by;
            a->low[axis] -= by;
            a->high[axis] -= by;
            for (uint32_t i = 0; i < a->corner_count; i++) a->corners[i][axis] -= by;
        }
    }
}

/* Areas appear, move and go, small ones and ones over several shards. */
static void big_area(big *b)
{
    command c = {.type = COMMAND_AREA_SET, .id = 1 + phx_rng_below(&b->rng, 80)};
    float x = big_coordinate(b, 0);
    float y = big_coordinate(b, 1);
    float r = (float)(1 + phx_rng_below(&b->rng, 8)); /* the two choices in one order, whatever the compiler */
    r *= phx_rng_below(&b->rng, 10) == 0 ? 40.0f : 5.0f;
    if (phx_rng_below(&b->rng, 6) == 0) {
        c.type = COMMAND_AREA_REMOVE;
        big_push(b, c);
        return;
    }
    c.area = (ph_area){.shape = (ph_area_shape)phx_rng_below(&b->rng, 3),
                       .center = {x, y},
                       .radius = r,
                       .low = {x, y},
                       .high = {x + r, y + r},
                       .corner_count = 3,
                       .corners = {{x, y}, {x + r, y}, {x, y + r}}};
    c.area.kind_count = phx_rng_below(&b->rng, 4) == 0;
    c.area.kinds[0] = phx_rng_below(&b->rng, BIG_CLASSES);
    big_area_options(b, &c.area);
    big_push(b, c);
}

script *ops_script_big(uint64_t seed, uint32_t entities, uint32_t ticks, ph_range range, ph_shape shape, bool calm)
{
    enum { COPIES = 3 };
    big b = {.s = script_new(), .rng = seed, .calm = calm};
    b.flat = seed % 3 == 1; /* no two heights are farther apart than the height of a cylinder */
    b.instances = phx_mix64(seed) % 2 == 0 ? COPIES : 1;
    const step tick = {.type = STEP_TICK}, apply = {.type = STEP_APPLY};
    const bool applies = phx_mix64(seed) % 5 < 2;
    b.s->seed = seed;
    b.s->profile = "big";
    big_world(b.s, range, shape);
    for (uint32_t i = 0; i < entities; i++) {
        gen_entity nowhere = {0};
        VEC_PUSH(&b.at, nowhere);
        big_enter(&b, i);
    }
    for (uint32_t i = 0; i < SCRIPT_IDS_MAX; i++) { /* ids that the queries name */
        b.s->ids[i] = 1 + i * (entities / SCRIPT_IDS_MAX);
    }
    b.s->id_count = SCRIPT_IDS_MAX;
    for (uint32_t t = 0; t < ticks; t++) {
        VEC_PUSH(&b.s->steps, tick);
        for (uint32_t i = 0; i < entities; i++) {
            if (phx_rng_below(&b.rng, 4) != 0) {
                big_walk(&b, i);
            }
            if (applies && (i == entities / 3 || i == entities - 2)) { /* many commands, and few */
                VEC_PUSH(&b.s->steps, apply);
            }
        }
        for (uint32_t i = calm ? 1 : entities / 50; i > 0; i--) {
            big_other(&b, entities);
        }
        for (uint32_t i = calm ? 3 : 20; i > 0; i--) {
            big_area(&b);
        }
        for (uint32_t i = t % 3 == 0 ? 2 : entities / 20; i > 0; i--) {
            big_say(&b, entities);
        }
    }
    VEC_PUSH(&b.s->steps, tick);
    VEC_FREE(&b.at);
    return b.s;
}

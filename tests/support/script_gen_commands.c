/*
 * The generator's single commands: good ones, and ones that have to be refused at once.
 */
#include <math.h>
#include <string.h>

#include "support/script_gen_parts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- one command ---- */

static void position_any(gen *g, uint32_t place, motion how, float *xyz)
{
    gen_entity *e = &g->known[place];
    float from[3] = {e->x, e->y, e->z};
    if (how == MOTION_STILL) {
        memcpy(xyz, from, sizeof from);
    } else if (how == MOTION_WALK) {
        bool whole = g->p->places[PLACE_GRID] > 20;
        for (int axis = 0; axis < 3; axis++) {
            float pace = whole ? (float)choose(&g->c, 3) - 1.0f : choose_between(&g->c, -1, 1);
            xyz[axis] = from[axis] + (axis == 2 && (!off_ground(g) || chance(&g->c, 60)) ? 0 : pace * g->unit);
        }
    } else {
        place_any(g, (place_mode)choose_weighted(&g->c, g->p->places, PLACE_MODES), xyz);
    }
    e->x = xyz[0];
    e->y = xyz[1];
    e->z = xyz[2];
}

/* Fills some of the attributes that are not the position; percent for each. */
void attrs_any(gen *g, ph_attrs *a, uint32_t percent)
{
    choices *c = &g->c;
    ph_class values = class_any(g, 0);
    const uint32_t bits[] = {PH_KIND,   PH_VIEW,  PH_MARGIN, PH_REACH,    PH_VISIBLE,
                             PH_LAYERS, PH_SEES,  PH_VEILED, PH_STEALTH,  PH_DETECT,
                             PH_GLOBAL, PH_READY, PH_CAP,    PH_PRIORITY, PH_USER_DATA};
    a->kind = choose(c, g->s->def.class_count);
    a->view = values.view;
    a->margin = values.margin;
    a->reach = values.reach;
    a->visible = values.visible;
    a->layers = choose(c, 4) == 0 ? values.layers : UINT64_MAX;
    a->sees = choose(c, 4) == 0 ? values.sees : UINT64_MAX;
    a->veiled = choose(c, 3) == 0;
    a->stealth = values.stealth;
    a->detect = values.detect;
    a->global = choose(c, 5) == 0;
    a->ready = choose(c, 3) != 0;
    a->cap = choose(c, 3) == 0 ? 0 : choose(c, (g->p->flags & GEN_LIMITS) != 0 ? 20 : 5);
    a->priority = (uint8_t)choose(c, 3);
    a->user_data = choose(c, 1000);
    for (size_t i = 0; i < COUNT(bits); i++) {
        if (chance(c, percent)) {
            a->given |= bits[i];
        }
    }
}

/* One of few, the greatest number too. */
static uint32_t instance_any(gen *g)
{
    static const uint32_t numbers[] = {0, 0, 1, 2, UINT32_MAX};
    return numbers[choose(&g->c, COUNT(numbers))];
}

command enter_any(gen *g, uint32_t place)
{
    command c = {.type = COMMAND_ENTER, .id = g->s->ids[place]};
    float xyz[3];
    position_any(g, place, MOTION_TELEPORT, xyz);
    attrs_any(g, &c.attrs, (g->p->flags & (GEN_PLAIN | GEN_REACH)) != 0 ? 1 : 18);
    c.attrs.x = xyz[0];
    c.attrs.y = xyz[1];
    c.attrs.z = xyz[2];
    c.attrs.given |= chance(&g->c, 70) ? PH_POSITION : PH_X | PH_Y;
    if (chance(&g->c, 70)) {
        c.attrs.given |= PH_KIND;
    }
    if ((g->p->flags & GEN_INSTANCES) != 0 && chance(&g->c, 80)) {
        c.attrs.given |= PH_INSTANCE;
        c.attrs.instance = instance_any(g);
    }
    if ((g->p->flags & GEN_REMOTE) != 0 && chance(&g->c, 30)) {
        c.attrs.given |= PH_REMOTE;
        c.attrs.remote = !chance(&g->c, 10);
    }
    if (g->s->def.consumers > 1 && chance(&g->c, 60)) {
        c.attrs.given |= PH_CONSUMER;
        c.attrs.consumer = choose(&g->c, g->s->def.consumers);
    }
    return c;
}

command move_to(gen *g, uint32_t place, motion how)
{
    command c = {.type = COMMAND_MOVE, .id = g->s->ids[place]};
    float xyz[3];
    position_any(g, place, how, xyz);
    c.attrs.x = xyz[0];
    c.attrs.y = xyz[1];
    c.attrs.z = xyz[2];
    return c;
}

static command set_any(gen *g, uint32_t place)
{
    command c = {.type = COMMAND_SET, .id = g->s->ids[place]};
    if (chance(&g->c, 8)) {
        c.type = COMMAND_RESEND;
        return c;
    }
    attrs_any(g, &c.attrs, 12);
    if ((g->p->flags & GEN_INSTANCES) != 0 && chance(&g->c, 40)) {
        c.attrs.given |= PH_INSTANCE;
        c.attrs.instance = instance_any(g);
    }
    if ((g->p->flags & GEN_REMOTE) != 0 && chance(&g->c, 40)) {
        c.attrs.given |= PH_REMOTE;
        c.attrs.remote = chance(&g->c, 50);
    }
    if (g->s->def.consumers > 1 && chance(&g->c, 8)) {
        c.attrs.given |= PH_CONSUMER;
        c.attrs.consumer = choose(&g->c, g->s->def.consumers);
    }
    if (chance(&g->c, 15)) {
        float xyz[3];
        position_any(g, place, MOTION_WALK, xyz);
        c.attrs.x = xyz[0];
        c.attrs.y = xyz[1];
        c.attrs.z = xyz[2];
        c.attrs.given |= 1 + choose(&g->c, PH_POSITION);
    }
    return c;
}

command two_ids(gen *g, command_type type, uint32_t one, uint32_t other)
{
    command c = {.type = type, .id = g->s->ids[one], .other = g->s->ids[other]};
    if (type == COMMAND_PAIR) {
        c.attrs.view = radius_any(g);
        c.attrs.margin = chance(&g->c, 60) ? radius_any(g) : 0;
    }
    return c;
}

static void say_from_place(gen *g, command *c)
{
    float xyz[3];
    place_any(g, (place_mode)choose_weighted(&g->c, g->p->places, PLACE_MODES), xyz);
    c->type = COMMAND_BROADCAST_AT;
    c->id = 0;
    c->say.flags = 0;
    c->say.x = xyz[0];
    c->say.y = xyz[1];
    c->say.layers = chance(&g->c, 50) ? 1 : choose(&g->c, 8);
    c->say.instance = (g->p->flags & GEN_INSTANCES) != 0 ? instance_any(g) : 0;
}

/* Payloads are short, now and then empty or as long as they may be. */
command say_any(gen *g, uint32_t place)
{
    command c = {.type = COMMAND_BROADCAST, .id = g->s->ids[place]};
    uint32_t size = choose(&g->c, 40);
    c.say.bytes = size == 0 ? 0 : size == 1 ? PH_PAYLOAD_MAX : choose(&g->c, 100);
    c.say.salt = choose(&g->c, 1000);
    c.say.flags = chance(&g->c, 30) ? PH_BROADCAST_SELF : 0;
    c.say.kind_count = chance(&g->c, 40) ? 1 + choose(&g->c, COMMAND_SAY_KINDS) : 0;
    for (uint32_t i = 0; i < c.say.kind_count; i++) {
        c.say.kinds[i] = choose(&g->c, g->s->def.class_count);
    }
    uint32_t how = choose(&g->c, 10);
    if (how > 3) {
        return c; /* by lists */
    }
    c.say.radius = radius_any(g);
    if (how == 0 && c.say.radius > 0) {
        c.say.flags |= PH_BROADCAST_SEEN;
    }
    if (how == 1) {
        say_from_place(g, &c);
    }
    return c;
}

/* Whole units, so that edges are met exactly; sides of a regular polygon are not. */
static void corners_any(gen *g, ph_area *a, const float *center, float r)
{
    static const float around[8][2] = {{1, 0},  {0.7f, 0.7f},   {0, 1},  {-0.7f, 0.7f},
                                       {-1, 0}, {-0.7f, -0.7f}, {0, -1}, {0.7f, -0.7f}};
    bool clockwise = chance(&g->c, 50);
    a->corner_count = 3 + choose(&g->c, 6);
    uint32_t first = choose(&g->c, 8);
    for (uint32_t i = 0; i < a->corner_count; i++) {
        uint32_t at = (first + i * (a->corner_count <= 4 ? 2 : 1)) % 8;
        uint32_t to = clockwise ? a->corner_count - 1 - i : i;
        a->corners[to][0] = center[0] + around[at][0] * r;
        a->corners[to][1] = center[1] + around[at][1] * r;
    }
    if (chance(&g->c, 5)) { /* most likely not convex any more */
        a->corners[0][0] = a->corners[1][0] + r;
    }
}

static command area_any(gen *g)
{
    command c = {.type = COMMAND_AREA_SET, .id = 1 + choose(&g->c, 12)};
    ph_area *a = &c.area;
    float center[3];
    float r = radius_any(g);
    place_any(g, (place_mode)choose_weighted(&g->c, g->p->places, PLACE_MODES), center);
    if (chance(&g->c, 30)) {
        a->flags = PH_AREA_FOLLOW;
        a->follow = g->s->ids[any_place(g)];
        center[0] = r * (float)choose(&g->c, 2);
        center[1] = center[2] = 0;
    }
    a->shape = (ph_area_shape)choose(&g->c, 3);
    a->center[0] = center[0];
    a->center[1] = center[1];
    a->radius = r;
    for (int axis = 0; axis < 2; axis++) {
        a->low[axis] = center[axis];
        a->high[axis] = center[axis] + r * (float)choose(&g->c, 3);
        a->high[axis] = fabsf(a->high[axis]) <= PH_COORDINATE_MAX ? a->high[axis] : center[axis];
    }
    if (a->shape == PH_AREA_POLYGON) {
        corners_any(g, a, center, r);
    }
    if (a->shape != PH_AREA_POLYGON && chance(&g->c, 40)) {
        a->margin = radius_any(g);
    }
    if (chance(&g->c, 25)) {
        float other[3];
        place_any(g, (place_mode)choose_weighted(&g->c, g->p->places, PLACE_MODES), other);
        a->flags |= PH_AREA_HEIGHT;
        a->z_low = fminf(center[2], other[2]);
        a->z_high = fmaxf(center[2], other[2]);
    }
    a->layers = chance(&g->c, 25) ? choose(&g->c, 4) : 0;
    if ((a->flags & PH_AREA_FOLLOW) == 0 && (g->p->flags & GEN_INSTANCES) != 0 && chance(&g->c, 60)) {
        a->flags |= PH_AREA_IN_INSTANCE;
        a->instance = instance_any(g);
    }
    a->kind_count = chance(&g->c, 30) ? 1 + choose(&g->c, 3) : 0;
    for (uint32_t i = 0; i < a->kind_count; i++) {
        a->kinds[i] = choose(&g->c, g->s->def.class_count);
    }
    return c;
}

command command_any(gen *g)
{
    command_type type = (command_type)choose_weighted(&g->c, g->p->commands, COMMAND_TYPE_COUNT);
    uint32_t place = any_place(g);
    switch (type) {
    case COMMAND_ENTER:
        return enter_any(g, place);
    case COMMAND_MOVE:
        return move_to(g, place, (motion)choose_weighted(&g->c, g->p->motions, MOTIONS));
    case COMMAND_SET:
        return set_any(g, place);
    case COMMAND_AREA_SET:
        return area_any(g);
    case COMMAND_AREA_REMOVE: {
        command c = {.type = type, .id = 1 + choose(&g->c, 12)};
        return c;
    }
    case COMMAND_BROADCAST:
        return say_any(g, place);
    case COMMAND_LEAVE:
    case COMMAND_DETACH: {
        command c = {.type = type, .id = g->s->ids[place]};
        return c;
    }
    default: {
        uint32_t other = any_place(g);
        if (other == place && type != COMMAND_ATTACH) {
            other = (place + 1) % g->s->id_count; /* the same twice is a bad command, made below */
        }
        return two_ids(g, type, place, other);
    }
    }
}

/* ---- commands that have to be refused at once ---- */

static void spoil_attrs(gen *g, ph_attrs *a)
{
    static const uint32_t positions[] = {PH_X, PH_Y, PH_Z};
    static const uint32_t radii[] = {PH_VIEW, PH_MARGIN, PH_REACH, PH_VISIBLE};
    uint32_t which = choose(&g->c, 3), radius = choose(&g->c, 4);
    switch (choose(&g->c, 6)) {
    case 0:
    case 1:
        a->given |= positions[which];
        *(which == 0 ? &a->x : which == 1 ? &a->y : &a->z) = bad_float(g, false);
        break;
    case 2:
        a->given |= radii[radius];
        *(radius == 0   ? &a->view
          : radius == 1 ? &a->margin
          : radius == 2 ? &a->reach
                        : &a->visible) = bad_float(g, true);
        break;
    case 3:
        a->given |= PH_KIND;
        a->kind = chance(&g->c, 50) ? g->s->def.class_count : UINT32_MAX;
        break;
    case 4:
        a->given |= PH_CAP;
        a->cap = chance(&g->c, 50) ? (uint32_t)INT32_MAX + 1u : UINT32_MAX;
        break;
    default:
        a->given |= chance(&g->c, 50) ? 1u << 31 : 1u << 20;
        break;
    }
}

command bad_any(gen *g)
{
    command c = command_any(g);
    if (c.type == COMMAND_BROADCAST_AT) {
        float *spoiled[] = {&c.say.x, &c.say.y, &c.say.radius};
        uint32_t which = choose(&g->c, 3);
        *spoiled[which] = bad_float(g, which == 2);
        return c;
    }
    if (chance(&g->c, 15)) {
        c.id = 0;
        return c;
    }
    switch (c.type) {
    case COMMAND_ENTER:
        if (chance(&g->c, 30)) {
            c.attrs.given &= ~(uint32_t)(chance(&g->c, 50) ? PH_X : PH_Y);
        } else if (chance(&g->c, 20)) {
            c.attrs.given |= PH_CONSUMER;
            c.attrs.consumer = g->s->def.consumers + 1;
        } else {
            spoil_attrs(g, &c.attrs);
        }
        break;
    case COMMAND_SET:
        if (chance(&g->c, 20)) {
            c.attrs.given |= PH_CONSUMER;
            c.attrs.consumer = g->s->def.consumers + 1;
        } else {
            spoil_attrs(g, &c.attrs);
        }
        break;
    case COMMAND_RESEND:
        c.id = 0;
        break;
    case COMMAND_MOVE: {
        uint32_t which = choose(&g->c, 3);
        *(which == 0 ? &c.attrs.x : which == 1 ? &c.attrs.y : &c.attrs.z) = bad_float(g, false);
        break;
    }
    case COMMAND_PAIR:
        c.attrs.view = bad_float(g, true);
        if (chance(&g->c, 50)) {
            c.attrs.margin = c.attrs.view;
            c.attrs.view = 1;
        }
        break;
    case COMMAND_BROADCAST:
        switch (choose(&g->c, 6)) {
        case 0:
            c.say.bytes = PH_PAYLOAD_MAX + 1;
            break;
        case 1:
            c.say.flags |= 4;
            break;
        case 2:
            c.say.radius = bad_float(g, true);
            break;
        case 3:
            c.say.flags |= PH_BROADCAST_SEEN;
            c.say.radius = 0;
            break;
        case 4:
            c.say.kind_count = PH_BROADCAST_KINDS_MAX + 1; /* refused before any is read */
            break;
        default:
            c.say.kind_count = 1;
            c.say.kinds[0] = g->s->def.class_count;
            break;
        }
        break;
    case COMMAND_AREA_SET:
        switch (choose(&g->c, 8)) {
        case 0:
            c.area.shape = (ph_area_shape)3;
            break;
        case 5:
            c.area.margin = bad_float(g, true);
            break;
        case 6:
            c.area.flags |= chance(&g->c, 50) ? 1u << 2 : 1u << 31;
            break;
        case 7:
            c.area.flags |= PH_AREA_HEIGHT;
            c.area.z_low = bad_float(g, false);
            break;
        case 1:
            c.area.shape = PH_AREA_CIRCLE;
            c.area.radius = bad_float(g, true);
            break;
        case 2: {
            const uint32_t axis = choose(&g->c, 2); /* the two choices in one order, whatever the compiler */
            c.area.shape = PH_AREA_BOX;
            c.area.low[axis] = bad_float(g, false);
            break;
        }
        case 3:
            c.area.kind_count = PH_AREA_KINDS_MAX + 1;
            break;
        default:
            c.area.shape = PH_AREA_POLYGON;
            c.area.corner_count = chance(&g->c, 50) ? 2 : PH_AREA_CORNERS_MAX + 1;
            break;
        }
        break;
    case COMMAND_LINK:
    case COMMAND_HIDE:
    case COMMAND_REVEAL:
        c.other = chance(&g->c, 50) ? c.id : 0;
        break;
    case COMMAND_ATTACH:
    case COMMAND_UNLINK:
    case COMMAND_UNHIDE:
    case COMMAND_UNREVEAL:
    case COMMAND_UNPAIR:
        c.other = 0;
        break;
    default:
        c.id = 0;
        break;
    }
    return c;
}

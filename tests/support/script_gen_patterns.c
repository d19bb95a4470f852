/*
 * The generator's patterns: several commands that belong together and look for trouble.
 */
#include "support/script_gen_parts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- patterns ---- */

static command plain(gen *g, command_type type, uint32_t place)
{
    command c = {.type = type, .id = g->s->ids[place]};
    return c;
}

static command set_bit(gen *g, uint32_t place, uint32_t bit)
{
    command c = {.type = COMMAND_SET, .id = g->s->ids[place]};
    attrs_any(g, &c.attrs, 0);
    c.attrs.given = bit;
    return c;
}

/* Leave and enter again, at once or far off; sometimes twice, from two producers, or with last words. */
static void pattern_reborn(gen *g)
{
    uint32_t place = any_place(g);
    gen_entity at = g->known[place];
    for (uint32_t times = 1 + choose(&g->c, 2); times > 0; times--) {
        uint32_t producer = choose(&g->c, g->s->producers);
        if (chance(&g->c, 40)) {
            push_from(g, producer, say_any(g, place), false);
        }
        push_from(g, producer, plain(g, COMMAND_LEAVE, place), false);
        command c = enter_any(g, place);
        if (chance(&g->c, 60)) {
            c.attrs.x = at.x;
            c.attrs.y = at.y;
            c.attrs.z = at.z;
        }
        push_from(g, chance(&g->c, 80) ? producer : choose(&g->c, g->s->producers), c, false);
    }
    if (chance(&g->c, 20)) {
        push(g, plain(g, COMMAND_LEAVE, place));
    }
}

/* An attribute there and back in one tick, or only there. */
static void pattern_flip(gen *g)
{
    static const uint32_t bits[] = {PH_READY,  PH_VIEW, PH_KIND,  PH_GLOBAL, PH_STEALTH,
                                    PH_LAYERS, PH_CAP,  PH_REACH, PH_VEILED};
    uint32_t place = any_place(g);
    uint32_t bit = bits[choose(&g->c, COUNT(bits))];
    uint32_t producer = choose(&g->c, g->s->producers);
    command c = set_bit(g, place, bit);
    if (bit == PH_VIEW) {
        c.attrs.view = 0;
    }
    c.attrs.ready = false;
    push_from(g, producer, c, false);
    if (chance(&g->c, 50)) {
        push_tick(g);
    }
    command back = set_bit(g, place, bit);
    back.attrs.ready = true;
    push_from(g, producer, back, false);
}

/* A chain of up to 10 attachments, built from either end, sometimes closed to a cycle. */
static void pattern_chain(gen *g)
{
    uint32_t length = 2 + choose(&g->c, 9);
    uint32_t start = any_place(g);
    uint32_t producer = choose(&g->c, g->s->producers);
    bool upward = chance(&g->c, 50);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t link = upward ? i : length - 1 - i;
        uint32_t child = (start + link) % g->s->id_count;
        push_from(g, producer, two_ids(g, COMMAND_ATTACH, child, (child + 1) % g->s->id_count), false);
    }
    if (chance(&g->c, 30)) {
        uint32_t last = (start + length) % g->s->id_count;
        push_from(g, producer, two_ids(g, COMMAND_ATTACH, last, start), false);
    }
    push(g, move_to(g, (start + length) % g->s->id_count, MOTION_WALK));
}

/* Parent moves, child leaves the chain, parent moves on or is gone. */
static void pattern_release(gen *g)
{
    uint32_t child = any_place(g);
    uint32_t parent = any_place(g);
    uint32_t producer = choose(&g->c, g->s->producers);
    push_from(g, producer, two_ids(g, COMMAND_ATTACH, child, parent), false);
    push_from(g, producer, move_to(g, parent, MOTION_TELEPORT), false);
    command_type how = chance(&g->c, 50) ? COMMAND_DETACH : COMMAND_LEAVE;
    push_from(g, producer, plain(g, how, chance(&g->c, 50) ? child : parent), false);
    push_from(g, producer, move_to(g, parent, MOTION_TELEPORT), false);
    push_from(g, producer, move_to(g, child, MOTION_WALK), false);
}

/* Far away and back in one tick. */
static void pattern_there_and_back(gen *g)
{
    uint32_t place = any_place(g);
    gen_entity at = g->known[place];
    uint32_t producer = choose(&g->c, g->s->producers);
    push_from(g, producer, move_to(g, place, MOTION_TELEPORT), false);
    if (chance(&g->c, 30)) {
        push_tick(g);
    }
    command back = move_to(g, place, MOTION_STILL);
    back.attrs.x = at.x;
    back.attrs.y = at.y;
    back.attrs.z = at.z;
    g->known[place] = at;
    push_from(g, producer, back, false);
}

/* A relation made, made again, ended, ended again, and ended by a leave. */
static void pattern_relation(gen *g)
{
    uint32_t one = any_place(g);
    uint32_t other = (one + 1 + choose(&g->c, g->s->id_count - 1)) % g->s->id_count;
    uint32_t producer = choose(&g->c, g->s->producers);
    static const command_type begin[] = {COMMAND_PAIR, COMMAND_LINK, COMMAND_HIDE, COMMAND_REVEAL};
    static const command_type end[] = {COMMAND_UNPAIR, COMMAND_UNLINK, COMMAND_UNHIDE, COMMAND_UNREVEAL};
    uint32_t which = choose(&g->c, COUNT(begin));
    command_type on = begin[which], off = end[which];
    for (uint32_t i = choose(&g->c, 3); i > 0; i--) {
        push_from(g, producer, two_ids(g, on, one, other), false);
    }
    if (chance(&g->c, 40)) {
        uint32_t gone = chance(&g->c, 50) ? one : other;
        push_from(g, producer, plain(g, COMMAND_LEAVE, gone), false);
        push_from(g, producer, enter_any(g, gone), false);
    }
    for (uint32_t i = choose(&g->c, 3); i > 0; i--) {
        push_from(g, producer, two_ids(g, off, one, other), false);
    }
}

/* Several of one type in one bulk call, with bad ones between. */
static void pattern_bulk(gen *g)
{
    static const command_type types[] = {COMMAND_ENTER, COMMAND_MOVE,   COMMAND_MOVE,   COMMAND_LEAVE,
                                         COMMAND_HIDE,  COMMAND_UNHIDE, COMMAND_REVEAL, COMMAND_UNREVEAL};
    command_type type = types[choose(&g->c, COUNT(types))];
    uint32_t producer = choose(&g->c, g->s->producers);
    uint32_t most = type == COMMAND_LEAVE ? 3 : 12;
    for (uint32_t i = 1 + choose(&g->c, most); i > 0; i--) {
        uint32_t place = any_place(g);
        uint32_t other = any_place(g); /* may be the same: then it is refused */
        command c = type == COMMAND_ENTER   ? enter_any(g, place)
                    : type == COMMAND_MOVE  ? move_to(g, place, MOTION_WALK)
                    : type == COMMAND_LEAVE ? plain(g, COMMAND_LEAVE, place)
                                            : two_ids(g, type, place, other);
        if (g->p->bad != 0 && chance(&g->c, 20)) {
            c.id = chance(&g->c, 50) ? 0 : c.id;
            c.attrs.x = chance(&g->c, 50) ? bad_float(g, false) : c.attrs.x;
        }
        push_from(g, producer, c, true);
    }
}

void pattern_any(gen *g)
{
    void (*const patterns[])(gen *) = {pattern_reborn,         pattern_flip,     pattern_chain, pattern_release,
                                       pattern_there_and_back, pattern_relation, pattern_bulk,  pattern_reborn};
    patterns[choose(&g->c, COUNT(patterns))](g);
}

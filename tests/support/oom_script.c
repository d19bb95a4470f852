/*
 * Worlds and scripts for oom_stages; see oom_script.h.
 */
#include "support/oom_script.h"

#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/indexes.h"

enum { SIDE = 120, TOWER = 10, MOUNT = 1, RIDERS = 28, BOARD = 2, AREAS = 6, PAYLOAD = 90 };

static const oom_profile profiles[] = {
    {"radius", PH_RANGE_RADIUS, PH_INDEX_LIGHTHOUSE, 2, 1, 90, 110, 0, 6, false, false},
    {"towers", PH_RANGE_TOWERS, PH_INDEX_LIGHTHOUSE, 2, 1, 90, 110, 0, 0, false, false},
    {"plain", PH_RANGE_RADIUS, PH_INDEX_LIGHTHOUSE, 2, 1, 160, 150, 0, 0, true, false},
    {"plain-towers", PH_RANGE_TOWERS, PH_INDEX_LIGHTHOUSE, 3, 1, 160, 150, 0, 0, true, false},
    {"storm", PH_RANGE_RADIUS, PH_INDEX_LIGHTHOUSE, 2, 1, 800, 110, 0, 0, true, false},
    {"holds", PH_RANGE_RADIUS, PH_INDEX_LIGHTHOUSE, 1, 1, 160, 4, 0, 0, true, true},
    {"one-shard", PH_RANGE_RADIUS, PH_INDEX_LIGHTHOUSE, 1, 1, 90, 110, 0, 6, false, false},
    {"workers", PH_RANGE_RADIUS, PH_INDEX_LIGHTHOUSE, 2, 2, 120, 60, 17000, 8, false, false},
    {"brute", PH_RANGE_RADIUS, PH_INDEX_BRUTE, 2, 1, 60, 70, 0, 6, false, false},
    {"grid", PH_RANGE_RADIUS, PH_INDEX_GRID, 2, 1, 60, 70, 0, 6, false, false},
    {"hash", PH_RANGE_RADIUS, PH_INDEX_HASH, 2, 1, 60, 70, 0, 6, false, false},
    {"crosslist", PH_RANGE_RADIUS, PH_INDEX_CROSSLIST, 2, 1, 60, 70, 0, 6, false, false},
    {"lists", PH_RANGE_RADIUS, PH_INDEX_TOWERS, 2, 1, 60, 70, 0, 6, false, false},
    {"lists-towers", PH_RANGE_TOWERS, PH_INDEX_TOWERS, 2, 1, 60, 70, 0, 0, false, false},
    {"quadtree", PH_RANGE_RADIUS, PH_INDEX_QUADTREE, 2, 1, 60, 70, 0, 6, false, false},
    {"hex", PH_RANGE_RADIUS, PH_INDEX_HEX, 2, 1, 60, 70, 0, 6, false, false},
    {"timer", PH_RANGE_RADIUS, PH_INDEX_TIMER, 2, 1, 60, 70, 0, 6, false, false},
};

const oom_profile *oom_profiles(uint32_t *count)
{
    const ph_world_def def = ph_world_def_default();
    *count = sizeof profiles / sizeof profiles[0];
    while (!index_serves(&def, profiles[*count - 1].index)) { /* the classical ones may not be built in */
        --*count;
    }
    return profiles;
}

/* Are there so many entities that arrays of one tick are given back later? Then no tick is spread. */
static bool is_storm(const oom_profile *profile)
{
    return profile->entities >= 500;
}

static void full_classes(ph_class *made, bool later)
{
    made[0] = ph_class_default("default");
    made[0].view = later ? 24 : 30;
    made[0].wakes = true;
    made[0].band_count = 2;
    made[0].bands[0] = (ph_band){10, 1};
    made[0].bands[1] = later ? (ph_band){22, 2} : (ph_band){25, 3};
    made[0].updates_max = 2;
    made[1] = ph_class_default("npc");
    made[1].view = 0;
    made[1].sleeps = true;
    made[1].reach = 20;
    made[2] = ph_class_default("scout");
    made[2].view = 25;
    made[2].visible = 15;
    made[1].veiled = true;
    made[2].margin = 5;
    made[2].cap = 9;
    made[2].adds_max = later ? 0 : 3;
    made[2].ready = !later;
    made[2].band_count = 1;
    made[2].bands[0] = (ph_band){20, 2};
}

/* Observers of both views stand side by side, in no order. */
static void holding_classes(ph_class *made)
{
    static const char *const names[OOM_CLASSES] = {"default", "item", "scout"};
    for (uint32_t i = 0; i < OOM_CLASSES; i++) {
        made[i] = ph_class_default(names[i]);
        made[i].view = i == 1 ? 24 : 26;
        made[i].adds_max = 2;
    }
}

static void plain_classes(ph_class *made, bool later)
{
    made[0] = ph_class_default("default");
    made[0].view = later ? 22 : 18;
    made[1] = ph_class_default("item");
    made[1].view = 0;
    made[2] = ph_class_default("scout");
    made[2].view = 26;
}

ph_world_def oom_def(const oom_profile *profile, bool later)
{
    static ph_class made[OOM_CLASSES];
    if (profile->holds) holding_classes(made);
    else if (profile->plain) plain_classes(made, later);
    else full_classes(made, later);
    ph_world_def def = ph_world_def_default();
    def.classes = made;
    def.class_count = OOM_CLASSES;
    def.range = profile->range;
    def.index = profile->index;
    def.world_size[0] = def.world_size[1] = SIDE;
    def.tower_size = TOWER;
    def.shards[0] = def.shards[1] = profile->shards;
    def.workers = profile->workers;
    def.share_min = 0;
    def.entities_max = 1000;
    def.producer_bytes = 1u << 20;
    def.exchange_bytes = 16u << 10; /* more than one round, now and then */
    def.consumers = OOM_CONSUMERS;
    def.consumer_batches = 1;
    def.refusals_max = profile->moves > 0 ? 1u << 14 : 1u << 10;
    def.consumer_bytes = 1u << 10; /* the slow consumer loses some of its mail */
    def.activation_span = later ? 2 : 1;
    def.span = later ? 2 : 1;
    def.activation_linger = 1;
    def.crowd_entities = profile->crowd;
    def.events_max = is_storm(profile) || profile->holds ? 0 : 150; /* a list that it cuts is evaluated */
    return def;
}

/* ---- scripts ---- */

typedef struct making {
    oom_script *script;
    const oom_profile *profile;
    uint64_t rng;
    uint32_t tick;
    float at[1000][2]; /* where an id was sent to last */
} making;

static command *add(making *m, command_type type, uint64_t id)
{
    command c = {.type = type, .id = id};
    VEC_PUSH(&m->script->ticks[m->tick], c);
    return &m->script->ticks[m->tick].items[m->script->ticks[m->tick].count - 1];
}

static uint32_t below(making *m, uint32_t limit)
{
    return phx_rng_below(&m->rng, limit);
}

static uint64_t any_id(making *m)
{
    return 1 + below(m, m->profile->entities);
}

/* Mostly near the borders of shards, else anywhere, also a little outside. */
static void place(making *m, command *c)
{
    enum { BAND = 16, OUTSIDE = 6 };
    const float border = (float)SIDE / (float)m->profile->shards;
    for (int axis = 0; axis < 2; axis++) {
        float wide = phx_rng_unit(&m->rng) * (SIDE + 2 * OUTSIDE) - OUTSIDE;
        float near = border + (phx_rng_unit(&m->rng) - 0.5f) * BAND;
        m->at[c->id][axis] = below(m, 3) == 0 ? wide : near;
    }
    c->attrs.x = m->at[c->id][0];
    c->attrs.y = m->at[c->id][1];
}

/* Another kind, other user data, or both. */
static void rename_id(making *m, uint64_t id)
{
    static const uint32_t given[] = {PH_KIND, PH_USER_DATA, PH_KIND | PH_USER_DATA};
    command *c = add(m, COMMAND_SET, id);
    c->attrs.given = given[below(m, 3)];
    c->attrs.kind = below(m, OOM_CLASSES);
    c->attrs.user_data = below(m, 1000);
}

static void enter_id(making *m, uint64_t id)
{
    command *c = add(m, COMMAND_ENTER, id);
    c->attrs.given = PH_X | PH_Y | PH_KIND | PH_CONSUMER;
    c->attrs.kind = below(m, OOM_CLASSES);
    c->attrs.consumer = below(m, OOM_CONSUMERS);
    if (!m->profile->plain && below(m, 5) == 0) { /* so many that their table grows */
        c->attrs.given |= PH_INSTANCE;
        c->attrs.instance = 1000000 * below(m, 50);
    }
    if (below(m, 8) == 0) { /* another process simulates it */
        c->attrs.given |= PH_REMOTE;
        c->attrs.remote = true;
    }
    place(m, c);
    if (below(m, 2) == 0) rename_id(m, id); /* in the same tick */
}

/* Every other one enters again in the same tick, mostly in another shard. */
static void leave_id(making *m, uint64_t id)
{
    (void)add(m, COMMAND_LEAVE, id);
    if (below(m, 2) == 0) enter_id(m, id);
}

static void move_id(making *m, uint64_t id, bool jumps)
{
    command *c = add(m, COMMAND_MOVE, id);
    if (jumps) {
        place(m, c);
        return;
    }
    for (int axis = 0; axis < 2; axis++) m->at[id][axis] += (phx_rng_unit(&m->rng) - 0.5f) * 4;
    c->attrs.x = m->at[id][0];
    c->attrs.y = m->at[id][1];
}

static void set_plain(making *m, uint64_t id)
{
    command *c = add(m, COMMAND_SET, id);
    c->attrs.given = below(m, 3) == 0 ? PH_REMOTE : PH_VIEW;
    c->attrs.view = (float)below(m, 35);
    c->attrs.remote = below(m, 2) == 0;
}

static void set_any(making *m, uint64_t id)
{
    static const uint32_t given[] = {PH_VIEW,     PH_MARGIN,  PH_CAP,     PH_READY,    PH_LAYERS,
                                     PH_GLOBAL,   PH_REACH,   PH_STEALTH, PH_PRIORITY, PH_X | PH_Y,
                                     PH_INSTANCE, PH_VISIBLE, PH_VEILED,  PH_CONSUMER, PH_REMOTE};
    command *c = add(m, COMMAND_SET, id);
    c->attrs.given = given[below(m, sizeof given / sizeof given[0])];
    c->attrs.view = (float)below(m, 40);
    c->attrs.margin = (float)below(m, 6);
    c->attrs.reach = (float)below(m, 3) * 12;
    c->attrs.cap = below(m, 8);
    c->attrs.ready = below(m, 3) > 0;
    c->attrs.layers = 1 + below(m, 3);
    c->attrs.global = below(m, 6) == 0;
    c->attrs.stealth = (uint8_t)below(m, 2);
    c->attrs.priority = (uint8_t)below(m, 3);
    c->attrs.instance = below(m, 3) == 0 ? 1000000 * below(m, 50) : 0; /* mostly back to where all are */
    c->attrs.visible = (float)(10 + below(m, 40));
    c->attrs.veiled = below(m, 3) == 0;
    c->attrs.remote = below(m, 2) == 0;
    c->attrs.consumer = below(m, OOM_CONSUMERS);
    place(m, c);
}

static void say(making *m, uint64_t id)
{
    command *c = add(m, COMMAND_BROADCAST, id);
    c->say.bytes = below(m, PAYLOAD); /* one choice a line: in one order, whatever the compiler */
    c->say.salt = below(m, 1000);
    c->say.flags = below(m, 2) == 0 ? PH_BROADCAST_SELF : 0;
    c->say.kind_count = below(m, 4) == 0;
    if (c->say.salt % 3 == 0) {
        c->say.radius = (float)c->say.salt * SIDE / 1000;
    }
    if (c->say.salt % 6 == 0) {
        c->type = COMMAND_BROADCAST_AT;
        c->id = 0;
        c->say.flags = 0;
        c->say.x = c->say.y = (float)(c->say.salt % 100) * SIDE / 100;
        c->say.layers = 1;
    }
}

static void set_area(making *m)
{
    command *c = add(m, COMMAND_AREA_SET, 1 + below(m, AREAS));
    float x = phx_rng_unit(&m->rng) * SIDE, y = phx_rng_unit(&m->rng) * SIDE, r = 5 + phx_rng_unit(&m->rng) * 40;
    c->area = (ph_area){.shape = (ph_area_shape)below(m, 2),
                        .center = {x, y},
                        .low = {x - r, y - r},
                        .high = {x + r, y + r},
                        .radius = r,
                        .margin = (float)(below(m, 2) * below(m, 20)),
                        .layers = below(m, 3),
                        .z_high = 5};
    if (below(m, 4) == 0) c->area.flags = PH_AREA_HEIGHT;
    if (below(m, 4) == 0) c->area.flags |= PH_AREA_IN_INSTANCE;
    if ((c->area.flags & PH_AREA_IN_INSTANCE) || below(m, 3) > 0) return;
    c->area.flags |= PH_AREA_FOLLOW;
    c->area.follow = any_id(m);
    for (int axis = 0; axis < 2; axis++) {
        c->area.center[axis] = 0;
        c->area.low[axis] = -r;
        c->area.high[axis] = r;
    }
}

static void two(making *m, command_type type)
{
    command *c = add(m, type, any_id(m));
    c->other = c->id % m->profile->entities + 1 + below(m, 2) * (c->id % 7 == 0);
    if (c->other > m->profile->entities) c->other = 1;
    c->attrs.view = (float)below(m, 80);
    c->attrs.margin = (float)below(m, 5);
}

static void any_plain(making *m)
{
    uint64_t id = any_id(m);
    switch (below(m, 12)) {
    case 0:
    case 1:
        enter_id(m, id);
        break;
    case 2:
        leave_id(m, id);
        break;
    case 3:
        rename_id(m, id);
        break;
    case 4:
        set_plain(m, id);
        break;
    case 5:
        say(m, id);
        break;
    default:
        move_id(m, id, below(m, 8) == 0);
        break;
    }
}

static void any_command(making *m)
{
    static const command_type pairs[] = {COMMAND_PAIR,   COMMAND_UNPAIR, COMMAND_LINK,    COMMAND_UNLINK,
                                         COMMAND_ATTACH, COMMAND_DETACH, COMMAND_RESEND,  COMMAND_HIDE,
                                         COMMAND_UNHIDE, COMMAND_REVEAL, COMMAND_UNREVEAL};
    uint64_t id = any_id(m);
    switch (below(m, 20)) {
    case 0:
    case 1:
    case 2:
        enter_id(m, id);
        break;
    case 3:
        leave_id(m, id);
        break;
    case 4:
    case 5:
        rename_id(m, id);
        break;
    case 6:
    case 7:
        set_any(m, id);
        break;
    case 8:
    case 9:
        say(m, id);
        break;
    case 10:
        set_area(m);
        break;
    case 11:
        (void)add(m, COMMAND_AREA_REMOVE, 1 + below(m, AREAS));
        break;
    case 12:
    case 13:
    case 14:
        two(m, pairs[below(m, sizeof pairs / sizeof pairs[0])]);
        break;
    default:
        move_id(m, id, below(m, 5) == 0);
        break;
    }
}

/* Riders that all follow their mount over a border at once. */
static void ride(making *m)
{
    for (uint64_t id = MOUNT; id <= MOUNT + RIDERS; id++) {
        if (m->tick == 0) enter_id(m, id);
        if (m->tick == BOARD && id != MOUNT) add(m, COMMAND_ATTACH, id)->other = MOUNT;
    }
    if (m->tick <= BOARD || m->tick % 2 == 0) return;
    command *c = add(m, COMMAND_MOVE, MOUNT);
    float side = (float)SIDE / (float)(2 * m->profile->shards);
    c->attrs.x = m->tick % 4 == 1 ? side : SIDE - side;
    c->attrs.y = side;
}

void oom_script_make(oom_script *script, const oom_profile *profile, uint64_t seed)
{
    enum { MANY_AT = 4, LINKS = 12 };      /* links over borders, before anything else goes over any */
    enum { QUIET_AT = 8 };                 /* nothing changes, behind a tick in which all walk */
    const bool quiet = !is_storm(profile); /* storms are over after some ticks with migrants */
    making m = {.script = script, .profile = profile, .rng = seed};
    *script = (oom_script){0};
    for (m.tick = 0; m.tick < OOM_TICKS; m.tick++) {
        if (!profile->plain) ride(&m);
        uint64_t first = profile->plain ? 1 : MOUNT + RIDERS + 1;
        for (uint64_t id = first; m.tick == 0 && id <= profile->entities; id += 2) enter_id(&m, id);
        for (uint32_t i = 0; i < LINKS && m.tick == 0 && !profile->plain; i++) two(&m, COMMAND_LINK);
        for (uint32_t i = 0; i < profile->commands && m.tick > 0 && !(quiet && m.tick == QUIET_AT); i++) {
            if (profile->plain) any_plain(&m);
            else any_command(&m);
        }
        /* once all entities jump, and now and then all walk */
        bool jump = profile->plain && m.tick == 1 && !profile->holds,
             walk = profile->plain && (m.tick % 4 == 3 || profile->holds);
        for (uint64_t id = 1; (jump || walk) && id <= profile->entities; id++) move_id(&m, id, jump);
        const uint32_t moves = m.tick == MANY_AT ? profile->moves : 0;
        for (uint32_t i = 0; i < moves; i++) move_id(&m, 1 + i % profile->entities, false);
    }
}

void oom_script_free(oom_script *script)
{
    for (uint32_t i = 0; i < OOM_TICKS; i++) VEC_FREE(&script->ticks[i]);
}

/*
 * The demo of pharos-view: a harbour town that runs by itself and has something of each rule. Players walk between
 * places and crowd on the market from time to time, some ride; NPCs patrol and sleep where no player is; thieves hide,
 * ghosts are veiled, and two bards carry an area each. Three dungeons are instances of their own.
 */
#include "base/rng.h"
#include "tools/view_source.h"

#include <math.h>
#include <stdlib.h>

enum {
    PLAYERS = 2400,
    NPCS = 7200,
    GHOSTS = 60,
    WALKERS = PLAYERS + NPCS + GHOSTS,
    RIDERS = 80,        /* the first players, each with a mount of its own */
    PLACES = 24,        /* that players walk between; the first is the market */
    DUNGEONS = 3,       /* instances 1, 2, 3: */
    DUNGEON_EVERY = 12, /* ... one player in so many */
    THIEF_EVERY = 15,   /* players with stealth, one in so many */
    GUARD_EVERY = 9,    /* NPCs that look out */
    HIDE_EVERY = 40,    /* players that hide another one from themselves */
    MARKET_TICKS = 600, /* so often the market fills, for half that time */
    REVEAL_EVERY = 10   /* players that see ghosts */
};
enum { CLASS_PLAYER = 1, CLASS_NPC, CLASS_GUARD, CLASS_THIEF, CLASS_GHOST, CLASS_MOUNT };
static const uint64_t MOUNT_FIRST = 100001, AREA_FIRST = 1;
static const float SIDE = 4000, WALK = 4, STROLL = 1.2F, TAU = 6.2831853F;

const char phx_view_demo_config[] = "world_size = {4000, 4000}\n"
                                    "tower_size = 100\n"
                                    "shards = {4, 3}\n"
                                    "workers = 2\n"
                                    "entities_max = 20000\n"
                                    "crowd_entities = 220\n"
                                    "crowd_floor = 0.4\n"
                                    "activation_span = 2\n"
                                    "activation_linger = 40\n"
                                    "class player { view = 160 margin = 16 cap = 120 wakes = true\n"
                                    "  band { radius = 60 every = 1 } band { radius = 180 every = 4 } }\n"
                                    "class npc { sleeps = true }\n"
                                    "class guard { view = 120 margin = 10 detect = 2 reach = 220 sleeps = true }\n"
                                    "class thief { view = 160 margin = 16 cap = 120 stealth = 1 wakes = true }\n"
                                    "class ghost { veiled = true }\n"
                                    "class mount { priority = 5 }\n";

typedef struct town_walker {
    float x, y, goal_x, goal_y, speed;
    uint8_t class;
    uint8_t instance;
} town_walker;

typedef struct town {
    ph_producer producer;
    uint64_t random;
    float places[PLACES][2];
    town_walker walkers[WALKERS];
} town;

/* ---- walking ---- */

static float around(town *demo, float middle, float radius)
{
    const float at = middle + (phx_rng_unit(&demo->random) + phx_rng_unit(&demo->random) - 1) * radius;
    return at < 0 ? 0 : at > SIDE ? SIDE : at;
}

static bool is_market_day(uint64_t tick)
{
    return tick % MARKET_TICKS > MARKET_TICKS / 2;
}

static void choose_goal(town *demo, town_walker *walker, uint64_t tick)
{
    const bool player = walker->class == CLASS_PLAYER || walker->class == CLASS_THIEF;
    const bool market = player && is_market_day(tick) && phx_rng_below(&demo->random, 3) == 0;
    const float *place = demo->places[market ? 0 : phx_rng_below(&demo->random, PLACES)];
    const float spread = market ? 90 : 260;
    walker->goal_x = player ? around(demo, place[0], spread) : around(demo, walker->x, 60);
    walker->goal_y = player ? around(demo, place[1], spread) : around(demo, walker->y, 60);
}

static void walk(town *demo, town_walker *walker, uint64_t tick)
{
    const float dx = walker->goal_x - walker->x, dy = walker->goal_y - walker->y;
    const float far = sqrtf(dx * dx + dy * dy);
    if (far <= walker->speed) {
        choose_goal(demo, walker, tick);
        return;
    }
    walker->x += dx / far * walker->speed;
    walker->y += dy / far * walker->speed;
}

/* ---- entering ---- */

static uint8_t class_of(uint32_t index)
{
    if (index < PLAYERS) return index >= RIDERS && index % THIEF_EVERY == 0 ? CLASS_THIEF : CLASS_PLAYER;
    if (index >= PLAYERS + NPCS) return CLASS_GHOST;
    return index % GUARD_EVERY == 0 ? CLASS_GUARD : CLASS_NPC;
}

static ph_status enter_walkers(town *demo)
{
    ph_status status = PH_OK;
    for (uint32_t i = 0; i < WALKERS && status == PH_OK; i++) {
        town_walker *walker = &demo->walkers[i];
        const float *place = demo->places[phx_rng_below(&demo->random, PLACES)];
        walker->class = class_of(i);
        walker->x = around(demo, place[0], 300);
        walker->y = around(demo, place[1], 300);
        walker->speed = i < PLAYERS ? WALK : STROLL;
        if (i < PLAYERS && i >= RIDERS && i % DUNGEON_EVERY == 5) walker->instance = (uint8_t)(1 + i % DUNGEONS);
        choose_goal(demo, walker, 0);
        status = ph_enter(demo->producer, i + 1,
                          &(ph_attrs){.given = PH_X | PH_Y | PH_KIND | PH_INSTANCE,
                                      .x = walker->x,
                                      .y = walker->y,
                                      .kind = walker->class,
                                      .instance = walker->instance});
    }
    return status;
}

static ph_status enter_relations(town *demo)
{
    ph_status status = PH_OK;
    for (uint32_t i = 0; i < RIDERS && status == PH_OK; i++) {
        const town_walker *rider = &demo->walkers[i];
        const ph_attrs mount = {.given = PH_X | PH_Y | PH_KIND, .x = rider->x, .y = rider->y, .kind = CLASS_MOUNT};
        status = ph_enter(demo->producer, MOUNT_FIRST + i, &mount);
        if (status == PH_OK) status = ph_attach(demo->producer, MOUNT_FIRST + i, i + 1);
    }
    for (uint32_t i = RIDERS; i + 2 < PLAYERS && status == PH_OK; i++) {
        if (i % HIDE_EVERY == 0) status = ph_hide(demo->producer, i + 1, i + 2);
        else if (i % HIDE_EVERY == 1) status = ph_link(demo->producer, i + 1, i + 3);
        for (uint32_t j = 0; i % REVEAL_EVERY == 0 && j < GHOSTS && status == PH_OK; j++)
            status = ph_reveal(demo->producer, i + 1, PLAYERS + NPCS + 1 + j);
    }
    return status;
}

static ph_status set_areas(town *demo)
{
    ph_status status = PH_OK;
    uint64_t id = AREA_FIRST;
    for (uint32_t i = 0; i < PLACES && status == PH_OK; i++) {
        const float *at = demo->places[i];
        ph_area area = {.shape = i % 2 == 0 ? PH_AREA_CIRCLE : PH_AREA_BOX,
                        .center = {at[0], at[1]},
                        .radius = 120,
                        .low = {at[0] - 130, at[1] - 90},
                        .high = {at[0] + 130, at[1] + 90},
                        .margin = 5};
        status = ph_area_set(demo->producer, id++, &area);
    }
    for (uint32_t i = 0; i < 2 && status == PH_OK; i++) /* two bards: their songs go with them */
        status =
            ph_area_set(demo->producer, id++,
                        &(ph_area){.shape = PH_AREA_CIRCLE, .radius = 80, .flags = PH_AREA_FOLLOW, .follow = i + 1});
    return status;
}

/* ---- the source ---- */

static bool step(phx_view_source *source)
{
    town *demo = source->own;
    ph_status status = PH_OK;
    for (uint32_t i = 0; i < WALKERS && status == PH_OK; i++) {
        town_walker *walker = &demo->walkers[i];
        walk(demo, walker, source->at);
        status = ph_move(demo->producer, i + 1, walker->x, walker->y, 0);
    }
    if (status != PH_OK) return phx_source_fail(source, "the demo's moves", status);
    return phx_source_tick(source);
}

static void close_demo(phx_view_source *source)
{
    phx_source_end_world(source);
    free(source->own);
    source->own = NULL;
}

bool phx_view_demo_open(phx_view_source *source)
{
    town *demo = calloc(1, sizeof *demo);
    if (!demo) return phx_source_fail(source, "the demo", PH_NO_MEMORY);
    source->own = demo;
    source->step = step;
    source->close = close_demo;
    if (!phx_source_make_world(source)) return false;
    demo->random = 32;
    demo->places[0][0] = demo->places[0][1] = SIDE / 2;
    for (uint32_t i = 1; i < PLACES; i++) {
        const float turn = TAU * (float)i / 7.7F, far = SIDE * 0.44F * (float)i / PLACES + 260;
        demo->places[i][0] = SIDE / 2 + cosf(turn) * far;
        demo->places[i][1] = SIDE / 2 + sinf(turn) * far;
    }
    ph_status status = ph_producer_open(source->world, &demo->producer);
    if (status == PH_OK) status = enter_walkers(demo);
    if (status == PH_OK) status = enter_relations(demo);
    if (status == PH_OK) status = set_areas(demo);
    return status == PH_OK ? phx_source_tick(source) : phx_source_fail(source, "the demo", status);
}

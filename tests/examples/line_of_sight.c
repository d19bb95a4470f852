/*
 * Walls: a player behind one is not seen. 64 players walk through rooms for 200 ticks.
 *
 * Pharos knows no walls. The server checks the lines of sight by its own map, and hides pairs: ph_hide(observer,
 * target) keeps the target out of that observer's list, in one direction alone. The loop of a tick:
 *
 *   1. ph_move_many()   the players' steps
 *   2. ph_apply()       queries see the new places; no event yet
 *   3. ph_find_many()   the pairs in view: no other line can matter
 *   4. ph_hide_many() and ph_unhide_many() for the lines that changed
 *   5. ph_tick()        lists and events, in the same tick as the steps: no player is seen through a wall for one tick
 */
#include <math.h>
#include <pharos/pharos.h>
#include <pharos/query.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLAYERS = 64, TICKS = 200, WIDTH = 32, HEIGHT = 16, VIEW = 9, PAIRS = PLAYERS * PLAYERS };

static const char *const map[HEIGHT] = {
    "################################", "#         #          #         #", "#         #          #         #",
    "#                    #         #", "#         #                    #", "#         #          #         #",
    "######  #######  ########  #####", "#         #          #         #", "#         #          #         #",
    "#                              #", "#         #          #         #", "######  ####  ###########  #####",
    "#         #          #         #", "#                    #         #", "#         #          #         #",
    "################################",
};

typedef struct pair_list {
    uint64_t observers[PAIRS], targets[PAIRS];
    uint32_t count;
} pair_list;

static uint64_t ids[PLAYERS];
static ph_position places[PLAYERS];
static float headings[PLAYERS];
static bool hidden[PLAYERS]
                  [PLAYERS]; /* [observer][target]: as the world has it; a large server keeps a hash of pairs */

static void check(ph_status status)
{
    if (status == PH_OK) return;
    fprintf(stderr, "%s: %s\n", ph_status_name(status), ph_status_text(status));
    exit(1);
}

static bool is_wall(float x, float y)
{
    return map[(int)y][(int)x] == '#';
}

/* Looks at points along the line, four in each unit. The same answer in both directions: it begins at the lower id. */
static bool is_clear(int a, int b)
{
    const ph_position *from = &places[a < b ? a : b], *to = &places[a < b ? b : a];
    const int steps = 1 + 4 * (int)hypotf(to->x - from->x, to->y - from->y);
    for (int i = 1; i < steps; i++) {
        const float part = (float)i / (float)steps;
        if (is_wall(from->x + part * (to->x - from->x), from->y + part * (to->y - from->y))) return false;
    }
    return true;
}

/* A step ahead; from a wall a player turns away. */
static void walk(void)
{
    for (int i = 0; i < PLAYERS; i++) {
        const float x = places[i].x + 0.3f * cosf(headings[i]), y = places[i].y + 0.3f * sinf(headings[i]);
        if (is_wall(x, y)) headings[i] += 1.3f;
        else places[i] = (ph_position){.x = x, .y = y};
    }
}

/* A whole number below `bound`; the same walk in each run. */
static float draw(int bound)
{
    static unsigned state = 1;
    state = state * 1664525u + 1013904223u; /* a linear congruential generator: enough for a walk */
    return (float)((int)(state >> 16) % bound);
}

static void append(pair_list *pairs, int observer, int target)
{
    pairs->observers[pairs->count] = ids[observer];
    pairs->targets[pairs->count++] = ids[target];
}

/* The lines of all pairs in view: changes go to `hides` and `unhides`. A pair out of view needs no hide. */
static void check_lines(ph_world world, pair_list *hides, pair_list *unhides)
{
    static ph_hit hits[PLAYERS][PLAYERS];
    static bool blocked[PLAYERS][PLAYERS];
    ph_query queries[PLAYERS];
    ph_answer answers[PLAYERS];
    for (int i = 0; i < PLAYERS; i++) {
        queries[i] = (ph_query){.shape = PH_QUERY_CIRCLE, .radius = VIEW, .x = places[i].x, .y = places[i].y};
        queries[i].flags = PH_QUERY_UNORDERED;
        answers[i] = (ph_answer){.hits = hits[i], .capacity = PLAYERS};
    }
    check(ph_find_many(world, PLAYERS, queries, answers));
    memset(blocked, 0, sizeof blocked);
    for (int i = 0; i < PLAYERS; i++)
        for (uint32_t n = 0; n < answers[i].count; n++) {
            const int other = (int)hits[i][n].user_data;
            blocked[i][other] = other != i && !is_clear(i, other);
        }
    hides->count = unhides->count = 0;
    for (int i = 0; i < PLAYERS; i++)
        for (int other = 0; other < PLAYERS; other++) {
            if (blocked[i][other] && !hidden[i][other]) append(hides, i, other);
            if (!blocked[i][other] && hidden[i][other]) append(unhides, i, other);
            hidden[i][other] = blocked[i][other];
        }
}

/* Each list against the map itself: in view, with a clear line. */
static uint32_t count_faults(ph_world world)
{
    uint32_t faults = 0;
    for (int i = 0; i < PLAYERS; i++)
        for (int other = 0; other < PLAYERS; other++) {
            bool sees;
            const float dx = places[other].x - places[i].x, dy = places[other].y - places[i].y;
            check(ph_sees(world, ids[i], ids[other], &sees));
            faults += sees != (i != other && dx * dx + dy * dy <= VIEW * VIEW && is_clear(i, other));
        }
    return faults;
}

static void enter_all(ph_producer producer)
{
    ph_attrs attrs[PLAYERS];
    for (int i = 0; i < PLAYERS; i++) {
        ids[i] = (uint64_t)i + 1;
        headings[i] = draw(628) / 100;
        do places[i] = (ph_position){.x = draw(10 * WIDTH) / 10, .y = draw(10 * HEIGHT) / 10};
        while (is_wall(places[i].x, places[i].y));
        attrs[i] = (ph_attrs){.given = PH_X | PH_Y | PH_VIEW | PH_USER_DATA, .view = VIEW, .user_data = (uint64_t)i};
        attrs[i].x = places[i].x;
        attrs[i].y = places[i].y;
    }
    check(ph_enter_many(producer, PLAYERS, ids, attrs, NULL));
}

int main(void)
{
    ph_world world;
    ph_producer producer;
    static pair_list hides, unhides;
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = WIDTH;
    def.tower_size = 2 * VIEW;
    check(ph_world_create(&def, &world));
    check(ph_producer_open(world, &producer));
    enter_all(producer);
    uint64_t changed = 0, faults = 0;
    for (int tick = 0; tick < TICKS; tick++) {
        if (tick > 0) walk();
        check(ph_move_many(producer, PLAYERS, ids, places, NULL));
        check(ph_apply(world));
        check_lines(world, &hides, &unhides);
        if (hides.count > 0) check(ph_hide_many(producer, hides.count, hides.observers, hides.targets, NULL));
        if (unhides.count > 0) check(ph_unhide_many(producer, unhides.count, unhides.observers, unhides.targets, NULL));
        check(ph_tick(world, NULL));
        changed += hides.count + unhides.count;
        faults += count_faults(world);
    }
    printf("%d ticks, %d players: %s list is as the map says; %s\n", TICKS, PLAYERS, faults == 0 ? "each" : "not each",
           changed > 1000 ? "thousands of lines changed" : "hardly a line changed");
    ph_world_destroy(world);
    return faults == 0 ? 0 : 1;
}

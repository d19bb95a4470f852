/*
 * The inside of the generator, shared by its own files only: script_gen.c (profiles, whole
 * scripts), script_gen_commands.c, script_gen_patterns.c, script_gen_world.c (definitions), script_gen_values.c
 * (numbers), script_gen_big.c.
 */
#ifndef SUPPORT_OPS_PARTS_H
#define SUPPORT_OPS_PARTS_H

#include "base/rng.h"
#include "support/script_gen.h"

/* Where choices come from: a seeded generator, or bytes until they are used up. */
typedef struct choices {
    uint64_t state;
    const uint8_t *bytes;
    size_t size, at;
} choices;

typedef enum place_mode {
    PLACE_ANYWHERE, /* in the world and a little around it */
    PLACE_CLOSE,    /* near the world's busy point */
    PLACE_GRID,     /* whole units from the busy point */
    PLACE_BORDER,   /* on a tower border or one ulp beside it */
    PLACE_HUGE,     /* up to PH_COORDINATE_MAX */
    PLACE_POINT,    /* the busy point itself */
    PLACE_TINY,     /* denormals and both zeros */
    PLACE_EDGE,     /* as far from another entity as a class sees (or is seen), give or take an ulp */
    PLACE_MODES
} place_mode;

typedef enum motion { MOTION_STILL, MOTION_WALK, MOTION_TELEPORT, MOTIONS } motion;

enum {
    GEN_SLOW = 1,       /* consumers are drained by steps */
    GEN_PLAIN = 2,      /* classes of the usual kind: a view, rarely more */
    GEN_AWAKE = 8,      /* some class wakes others */
    GEN_BANDS = 16,     /* classes with bands, some with a budget for updates */
    GEN_LIMITS = 128,   /* most classes have a cap or an adds_max about as large as lists are */
    GEN_INSTANCES = 64, /* entities in several copies of the map, and moves between them */
    GEN_FAR = 32,       /* lengths and places up to what may be */
    GEN_REMOTE = 256,   /* some entities are remote, others become so */
    GEN_REACH = 4       /* small views, wide reaches, margins, small towers: seen from shards away */
};

/* What a kind of run is made of; weights of a choice, each out of its row's sum. */
typedef struct gen_profile {
    const char *name;
    uint8_t places[PLACE_MODES];
    uint8_t motions[MOTIONS];
    uint8_t commands[COMMAND_TYPE_COUNT];
    uint8_t pattern, bad, reload, drain; /* in 100 steps */
    uint16_t flags;                      /* GEN_... */
} gen_profile;

typedef struct gen_entity {
    float x, y, z; /* where the generator last put it; the world may know better */
} gen_entity;

typedef struct gen {
    choices c;
    script *s;
    const gen_profile *p;
    float unit; /* radii and grid steps are multiples of it */
    float busy[3];
    bool waking;    /* classes may wake others */
    uint32_t hilly; /* percent of places off the flat ground, where heights decide nothing */
    gen_entity known[SCRIPT_IDS_MAX];
    size_t steps_max;
} gen;

/* ---- choices ---- */

uint32_t choose(choices *c, uint32_t bound);
bool choices_over(const choices *c);
/* true `percent` times in 100. */
bool chance(choices *c, uint32_t percent);
uint32_t choose_weighted(choices *c, const uint8_t *weights, uint32_t count);
float choose_between(choices *c, float low, float high);

/* ---- numbers ---- */

void place_any(gen *g, place_mode mode, float *xyz);
/* Does a place have a height that may be off the flat ground? */
bool off_ground(gen *g);
float radius_any(gen *g);
/* NaN, an infinity or, for radii, a negative number. */
float bad_float(gen *g, bool radius);
ph_class class_any(gen *g, uint32_t kind);
/* May it wake others, does it sleep? */
void class_wakes(gen *g, ph_class *c);
/* For the world's definition: as the profile wants it. */
ph_class class_of_world(gen *g, uint32_t kind);

/* ---- commands and steps ---- */

/* A place in the pool of ids. */
uint32_t any_place(gen *g);
/* Fills the attributes but the position; `given` gets each with `percent`. */
void attrs_any(gen *g, ph_attrs *a, uint32_t percent);
command enter_any(gen *g, uint32_t place);
command move_to(gen *g, uint32_t place, motion how);
command two_ids(gen *g, command_type type, uint32_t one, uint32_t other);
command say_any(gen *g, uint32_t place);
command command_any(gen *g);
/* One that has to be refused at once. */
command bad_any(gen *g);

void push_step(gen *g, step s);
void push_from(gen *g, uint32_t producer, command c, bool bulk);
void push(gen *g, command c);
void push_tick(gen *g);
/* Several commands that belong together. */
void pattern_any(gen *g);

/* ---- worlds ---- */

void world_any(gen *g);
uint32_t events_any(gen *g);
void crowd_any(gen *g, uint32_t *entities, float *least);

#endif

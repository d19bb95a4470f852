/*
 * Scenarios: the commands of a benched world's entities, tick by tick. A stream is one
 * scenario at work: it makes the frames, outside the timed part, from its seed alone, so
 * that every engine, worker count and shard layout gets the same commands.
 */
#ifndef PHX_BENCH_SCENARIO_H
#define PHX_BENCH_SCENARIO_H

#include <pharos/config.h>

#include "bench/base/engine.h"
#include "bench/base/frame.h"

typedef struct bench_stream bench_stream;

/*
 * A rule of Pharos in use: laid over the population and the walks of a scenario, which stay the same, so that the
 * ticks with it and without it can be compared. It draws no number: the choices follow from index and tick.
 */
typedef struct bench_feature {
    const char *name;
    const char *doc;
    const char *const *keys; /* of the config, behind the scenario's, ended by NULL; NULL = none */
    uint32_t gives;          /* attributes that `attrs` gives, of PH_GIVEN_ALL: no two features give the same */
    bool moves_only;         /* no other commands than moves: for every engine that has the keys */
    /* NULL, or adds to the attributes of entity index + 1 before it enters. */
    void (*attrs)(const bench_stream *stream, uint32_t index, ph_attrs *attrs);
    /* NULL, or adds to the setup frame, behind the scenario. */
    void (*begin)(bench_stream *stream, bench_frame *frame);
    /* NULL, or adds to the frame of stream->tick, or changes its moves, behind the scenario. */
    void (*step)(bench_stream *stream, bench_frame *frame);
} bench_feature;

enum { BENCH_FEATURES_MAX = 64, BENCH_FEATURES_TEXT = 512 };

/* Features that work together, in the order of their table. */
typedef struct bench_features {
    const bench_feature *list[BENCH_FEATURES_MAX];
    uint32_t count;
    char text[BENCH_FEATURES_TEXT]; /* as asked for: a+b+c */
} bench_features;

typedef struct bench_scenario {
    const char *name;
    const char *doc;         /* the model in words */
    uint32_t entities;       /* by default */
    float side;              /* of the world with that many; with others the density stays. 0 = as configured */
    float side_step;         /* the side is rounded up to a multiple of this */
    bool recorded;           /* plays a file: the number of its entities is not known before */
    uint32_t ticks;          /* measured, by default; 0 = all there are */
    uint32_t warmup;         /* ticks before them */
    bool spreads;            /* in a tick each entity moves at most once, and does nothing else: it does not matter
                              * through which producer */
    bool turns;              /* moves and queries in turn are measured: for engines that have them */
    bool asks;               /* queries of places are measured: for engines that have them */
    bool talks;              /* has broadcasts: for engines that have them */
    bool rides;              /* has attachments: for engines that have them */
    bool copies;             /* has instances: for engines that have them */
    bool worlds;             /* a world for each BENCH_WORLD_ENTITIES entities, side by side: for Pharos alone */
    bool veils;              /* hides and reveals targets: for engines that do */
    bool zones;              /* has areas or activation: for engines that have them */
    bool updates;            /* has bands: for engines with updates */
    bool featured;           /* can have features: the entities that enter at first stay, and steps are moves only */
    uint32_t player_share;   /* of such a one: the first of so many parts observe, the rest does not; 0 = all do */
    const char *const *keys; /* config keys behind the file's, ended by NULL: the view, the shards */
    size_t state_bytes;      /* of stream->state */
    /* Fills the setup frame: all entities enter. */
    void (*begin)(bench_stream *stream, bench_frame *frame);
    /* Fills the frame of stream->tick. */
    void (*step)(bench_stream *stream, bench_frame *frame);
    /* NULL, or releases the memory of the state. */
    void (*end)(bench_stream *stream);
} bench_scenario;

/* A rectangle that entities keep to. */
typedef struct bench_area {
    float low[2];
    float high[2];
} bench_area;

struct bench_stream {
    const bench_scenario *scenario;
    const ph_config *config;        /* names of classes */
    const char *path;               /* of the trace, else NULL */
    uint64_t unpack_max_bytes;      /* of a gzip trace; the caller fills it in before the first frame */
    const bench_features *features; /* likewise; NULL = none */
    phx_mem *mem;
    uint64_t rng;
    uint64_t tick;  /* 0 = the setup */
    uint32_t count; /* entities of the base population, ids 1..count */
    bench_area world;
    ph_position *positions; /* of the base population */
    void *state;            /* the scenario's own */
    bool over;              /* there are no more ticks */
    bool failed;            /* over, because of error */
    bench_error error;
};

/* Of a featured scenario: the entities 1..players observe. */
uint32_t bench_stream_players(const bench_stream *stream);

/* The side of the world for this many entities. */
float bench_scenario_side(const bench_scenario *scenario, uint32_t entities);

/* The largest view of the classes. */
float bench_view_max(const ph_world_def *def);

/* config gives the world, after all keys were set; it and path live longer than the stream. */
bench_stream *bench_stream_open(const bench_scenario *scenario, const ph_config *config, const char *path,
                                uint32_t entities, uint64_t seed, phx_mem *mem);
/* The first frame is the setup (tick 0). false = there are no more; stream->failed says why. */
bool bench_stream_next(bench_stream *stream, bench_frame *frame);
void bench_stream_close(bench_stream *stream);

/* ---- shared by several scenarios; all draws are from stream->rng and free of libm ---- */

/* Uniform in [low, high). */
float bench_uniform(bench_stream *stream, float low, float high);
/* Uniform in the disc of this radius. */
void bench_disc(bench_stream *stream, float radius, float vector[2]);
/* About normal: the sum of four uniforms, mean 0. */
float bench_bell(bench_stream *stream, float deviation);
/* The kind of a class; a name that the config has not is class default. */
uint32_t bench_kind(const ph_config *config, const char *class_name);
/* A position inside the area, z 0. */
ph_position bench_place(bench_stream *stream, const bench_area *area);
/* Mirrors at the area's borders; a step longer than the area ends on its border. */
void bench_reflect(ph_position *position, const bench_area *area);
/* Moves entity index + 1 by a vector uniform in the disc of BENCH_STEP, mirrored at the area's borders. */
void bench_walk(bench_stream *stream, bench_frame *frame, uint32_t index, const bench_area *area);
/* Entity index + 1 enters at its position, with the attributes of its kind. */
void bench_enter(bench_stream *stream, bench_frame *frame, uint32_t index, uint32_t kind);

/* Entities of each world, in a scenario of many. */
enum { BENCH_WORLD_ENTITIES = 20 };

/* Longest step of a walker in a tick: 5 of a view of 100, a running player at 10 ticks a second. */
#define BENCH_STEP 5.0f

#endif

/**
 * @file types.h
 * Pharos: definitions that a host fills in, and the flat records that it reads.
 *
 * Lengths are in the host's own unit (metres, yards, centimetres); the ground plane is
 * (x, y), z is height. All geometry is float32 (docs/limits.md, "Exactness").
 */
#ifndef PHAROS_TYPES_H
#define PHAROS_TYPES_H

#include <stdbool.h>

#include <pharos/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ---- handles: by value, zero is null, a closed handle is told apart by its generation ----
 * Generations are 16 bit: a handle kept over 32,768 reopenings of its place may pass for a new one.
 */

typedef struct ph_world {
    uint16_t index1; /* slot + 1; 0 = null */
    uint16_t generation;
} ph_world;

/** Workers that many worlds share: ph_crew_create(). */
typedef struct ph_crew {
    uint16_t index1;
    uint16_t generation;
} ph_crew;

/** The way to submit commands; exactly one thread at a time uses it. */
typedef struct ph_producer {
    uint16_t index1;
    uint16_t generation;
    ph_world world;
} ph_producer;

/** The way to take and return batches; exactly one thread at a time uses it. */
typedef struct ph_consumer {
    uint16_t index1;
    uint16_t generation;
    ph_world world;
} ph_consumer;

/* ---- hard limits ---- */

enum {
    PH_WORLDS_MAX = 4096,       /* live worlds in one process */
    PH_CREWS_MAX = 64,          /* live crews in one process */
    PH_WORKERS_MAX = 256,       /* workers of one world or crew */
    PH_SHARDS_MAX = 1024,       /* nx * ny; every shard reads the outbox of every other one */
    PH_TOWERS_AXIS_MAX = 65535, /* towers along one axis: tower coordinates are 16 bit */
    PH_KINDS_MAX = 4096,        /* classes of one world */
    PH_PRODUCERS_MAX = 256,
    PH_CONSUMERS_MAX = 256,
    PH_ATTACH_DEPTH_MAX = 8,     /* edges from the lowest child to the root */
    PH_PAYLOAD_MAX = 65536,      /* bytes of one broadcast */
    PH_CAPSULE_MAX = 65536,      /* bytes of one capsule: ph_export() */
    PH_AREA_CORNERS_MAX = 16,    /* corners of an area that is a polygon */
    PH_AREA_KINDS_MAX = 16,      /* kinds in one area's filter */
    PH_BROADCAST_KINDS_MAX = 16, /* kinds in one broadcast's filter */
    PH_BANDS_MAX = 8,            /* bands of one class */
    PH_BAND_EVERY_MAX = 255,     /* ticks: `every` of a band */
    PH_NAME_SIZE = 32            /* bytes of a class name with its terminator */
};

/**
 * The largest coordinate, away from 0 on either side, and the largest length: of a definition, its classes, entities,
 * pairs, areas and queries. A larger one is refused: PH_BAD_DEF, PH_BAD_POSITION, PH_BAD_RADIUS; ph_query.radius may be
 * INFINITY besides. So two places are at most 2e18 apart along an axis, and squares, sums and products of distances
 * (dx*dx + dy*dy + dz*dz <= 1.2e37, the square of view + margin, the products of polygons' sides <= 8e36) are far below
 * FLT_MAX, 3.4e38: no formula here ever gives infinity, so distances that differ compare as they should.
 */
#define PH_COORDINATE_MAX 1e18f
#define PH_LENGTH_MAX 1e18f

/** No class has this kind: an unknown name (ph_config_kind()). */
#define PH_KIND_NONE UINT32_MAX

/* ---- the world's definition ---- */

typedef enum ph_range { PH_RANGE_RADIUS = 0, PH_RANGE_TOWERS = 1 } ph_range;
typedef enum ph_shape {
    PH_SHAPE_CIRCLE = 0,   /* dx*dx + dy*dy <= r*r */
    PH_SHAPE_SQUARE = 1,   /* |dx| <= r and |dy| <= r */
    PH_SHAPE_CYLINDER = 2, /* circle and |dz| <= height */
    PH_SHAPE_SPHERE = 3    /* (dx*dx + dy*dy) + dz*dz <= r*r */
} ph_shape;
/** How near entities are found; all give the same events. ph_world_def_check() refuses rules that an index has not. */
typedef enum ph_index {
    PH_INDEX_LIGHTHOUSE = 0, /* the tower grid of Pharos */
    PH_INDEX_BRUTE = 1,      /* every pair */
    PH_INDEX_GRID = 2,       /* a dense array of cells */
    PH_INDEX_HASH = 3,       /* cells in a hash table */
    PH_INDEX_CROSSLIST = 4,  /* entities and borders of views sorted along x and y */
    PH_INDEX_TOWERS = 5,     /* towers with a list of their entities and one of their observers */
    PH_INDEX_QUADTREE = 6,
    PH_INDEX_HEX = 7,  /* hexagonal towers in levels */
    PH_INDEX_TIMER = 8 /* pairs, each tested when it may have met */
} ph_index;
/** Vector instructions; all give the same events. AVX512 needs VBMI2, VNNI, VPOPCNTDQ: Ice Lake, Zen 4 and later. */
typedef enum ph_simd { PH_SIMD_AUTO = 0, PH_SIMD_PORTABLE = 1, PH_SIMD_AVX2 = 2, PH_SIMD_AVX512 = 3 } ph_simd;

/** How often an observer gets updates of moved targets up to `radius` away: see ph_update. */
typedef struct ph_band {
    float radius;   /* > 0, <= PH_LENGTH_MAX; of the bands of a class ascending */
    uint32_t every; /* ticks, 1..255 */
} ph_band;

/**
 * A class: the value that an entity of this kind has for every attribute that was not given for the entity
 * itself. The kind of an entity is the class' place in ph_world_def.classes.
 */
typedef struct ph_class {
    char name[PH_NAME_SIZE]; /* letters, digits, '_', '-', '.'; unique in the world */
    float view;              /* enter radius, 0..PH_LENGTH_MAX; 0 = no observer */
    float margin;            /* 0..PH_LENGTH_MAX; leaves beyond enter radius + margin */
    float reach;             /* 0..PH_LENGTH_MAX; distance from which it is seen, whatever the observer's view */
    float visible;           /* 0..PH_LENGTH_MAX, which is no bound; the farthest at which a view takes it in */
    uint64_t layers;         /* the layers that it is on */
    uint64_t sees;           /* the layers that it looks at: a target is seen if sees & layers */
    uint32_t cap;            /* most targets in its list, <= INT32_MAX; 0 = no cap */
    uint8_t stealth;         /* seen only by detect >= stealth */
    uint8_t detect;
    uint8_t priority;     /* rank as a target when a cap bites; higher first */
    bool global;          /* seen at any distance */
    bool veiled;          /* seen only by observers that a reveal lifts the veil for: ph_reveal() */
    bool ready;           /* a not-ready observer sees and gets nothing */
    bool wakes;           /* its observers wake NPCs (see pharos.h, "Activation") */
    bool sleeps;          /* an NPC, unless it wakes: told when it awakes and falls asleep */
    uint32_t adds_max;    /* most targets that may join its list in a tick, <= INT32_MAX; 0 = no limit: ph_change */
    uint32_t updates_max; /* most updates for it in a tick, <= INT32_MAX; the others wait; 0 = no limit */
    uint32_t band_count;  /* 0..PH_BANDS_MAX; 0 = observers of this kind get no updates */
    ph_band bands[PH_BANDS_MAX];
    uint32_t reserved[8]; /* 0 */
} ph_class;

/**
 * The host's own threads instead of the library's. `parallel_for` must call
 * `body(context, i)` once for every i in [0, count), on any threads, in any order, also
 * one after the other, and return when all calls have returned. Each i is one worker:
 * calls with the same i never overlap. It returns: no C++ exception or longjmp() may leave it.
 */
typedef struct ph_task_hooks {
    void (*parallel_for)(void *user, uint32_t count, void (*body)(void *context, uint32_t index), void *context);
    void *user;
    uint64_t reserved[2]; /* 0 */
} ph_task_hooks;

/** The definition of a crew; all else zero. */
typedef struct ph_crew_def {
    uint32_t workers;       /* 1..256; the thread that ticks is one of them, 1 makes no thread */
    uint32_t reserved;      /* 0 */
    ph_task_hooks tasks;    /* zero = the library's own threads */
    ph_allocator allocator; /* of the crew itself; zero = the library's default */
    uint64_t reserved2[4];  /* 0 */
} ph_crew_def;

/**
 * A call for each batch that a consumer gets: to wake the thread that waits for it. The thread that ticks the world
 * (with a crew it may be a worker) makes the call in the tick, once for each batch, when ph_batch_take() finds the
 * batch: so a wake-up is never lost if the consumer's thread takes batches until there is none (PH_EMPTY or
 * PH_PENDING), and then waits. A batch that was offered before the consumer was opened had its call then: take before
 * the first wait. Calls of one world come one after the other, of several worlds at once. It returns soon, and calls no
 * function of the world: the tick waits for it. A write to an eventfd, which poll() and epoll wait for, is enough; so
 * is uv_async_send().
 */
typedef struct ph_batch_hook {
    void (*offered)(void *user, uint32_t consumer); /* NULL = none */
    void *user;
    uint64_t reserved[2]; /* 0 */
} ph_batch_hook;

/**
 * The definition of a world. Get one from ph_world_def_default(), change fields, pass it to
 * ph_world_create(), which copies it (classes too): the caller's may go away.
 *
 * Crowd control, for range = radius. While crowd_entities = B > 0, an observer's view is multiplied by a share that
 * follows from the number of entities around it, in 16 steps, at most one a tick; all in double:
 *
 *     share(s) = 1 - s * (1 - crowd_floor) / 16
 *     the view that counts = (float)(view * share(s)), or view if that is 0
 *
 *     p = the entities of its instance in its tower and the eight around it, itself too, after the tick's commands
 *
 *     wanted(p) = the least s of 0..16 with p * (share(s) * share(s)) <= B, or 16 if there is none
 *
 *     s grows by 1 when wanted(p) > s, else it falls by 1 when wanted(p * 1.25) < s, else it stays
 *
 * An observer that enters the world begins with s = wanted(p). So about B targets are in a view as wide as the nine
 * towers. Margins, reach, pairs, links and global targets stay as they are. Once crowd_entities is 0 again, views widen
 * by one step a tick. The pressure p counts all entities, whatever their layers, and measures no time: so it is the
 * same for every machine, layout and number of workers, and known before the tick finds any events.
 *
 * The side of a tower decides how long ticks take, and no event; but where range = towers, a class wakes, or
 * crowd_entities > 0, towers are a rule, and tower_size = 0 is 100, from the world's beginning on. Elsewhere 0 leaves
 * it to the library:
 *
 *     side = 3 * sqrt(shortest view * longest view)        of the classes with a view above 0
 *
 * or, if no class has one, of the entities with a view of their own that enter in the first tick, or apply, that an
 * entity enters or an area is set in; 100 if there is none. It is at most the least side of a shard where there are
 * several along an axis, and large enough for 65535 towers an axis. It stays while the world lives; a world that is
 * loaded from an image (ph_load()) chooses anew. ph_stats.tower_size has it. A chosen side is no rule: while it counts,
 * ph_world_reconfigure() refuses a class that wakes, and crowd_entities > 0, as PH_NOT_LIVE; 0 there keeps what is.
 */
typedef struct ph_world_def {
    uint32_t cookie;       /* set by ph_world_def_default(); do not touch */
    float world_origin[2]; /* lower corner (x, y); up to PH_COORDINATE_MAX from 0 */
    float world_size[2];   /* (w, h) > 0, as all lengths up to PH_LENGTH_MAX; entities may also stand outside */
    ph_range range;
    ph_shape shape;     /* used by range = radius */
    float height;       /* >= 0; half height of shape = cylinder */
    float tower_size;   /* >= 0; side of a tower; at most 65535 towers an axis; 0 = chosen, see above */
    uint32_t span;      /* 0..65535; range = towers sees this many towers around */
    uint32_t shards[2]; /* (nx, ny) >= 1, at most one shard a tower, 1024 in all */
    uint32_t workers;   /* 1..256; 1 makes no thread; not used with a crew */
    uint32_t share_min; /* 0..2^30; moves + 8 * other commands from which on workers share a tick: ph_crew_create() */
    ph_index index;
    float cell_size;            /* >= 0; index = grid, hash: side of a cell; 0 = the median view */
    uint32_t quadtree_capacity; /* 1..2^20; of index = quadtree: entities in a leaf before it is cut in four */
    uint32_t quadtree_depth;    /* 0..16; and how often a shard's rectangle may be cut */
    ph_simd simd;               /* AUTO = the widest that this machine has; one it has not is PH_BAD_DEF */
    uint32_t activation_span;   /* 0..255; towers within which an observer of a waking kind keeps an NPC awake */
    uint32_t activation_linger; /* ticks; so long it stays awake when the last one has gone */
    double sticky;              /* >= 1; factor on d2 of targets not in the list, at the cap */
    uint32_t crowd_entities;    /* 0 = off; crowd control, see above */
    float crowd_floor;          /* 0.0625..1; least share of its view that it leaves an observer */
    uint32_t events_max;        /* 0..2^31; events of one tick, then enters wait: ph_change; 0 = by the entities */
    uint32_t entities_max;      /* 1..2^30; entities in the world at once */
    uint32_t areas_max;         /* 0..2^20; areas in the world at once */
    uint32_t producers_max;     /* 1..256 */
    uint32_t producer_bytes;    /* 128 KiB..1 GiB, in blocks of 66 KiB; commands waiting per producer, then PH_FULL */
    uint32_t broadcast_bytes;   /* 64 KiB..1 GiB; payloads of the broadcasts of one tick, then PH_TICK_FULL */
    uint32_t refusals_max;      /* 1..2^20; waiting per producer, as many again of bulk calls; then only counted, but
                                   for the ones of ph_import(), which are told as long as no more than 2^20 wait */
    uint32_t consumers;         /* 0..256; 0 = no batches are made, lists only */
    uint32_t consumer_batches;  /* 1..65536; batches waiting per consumer, then coalesced */
    uint32_t consumer_bytes; /* 0..1 GiB; broadcasts kept per consumer past that bound, then the oldest are dropped */
    uint32_t exchange_bytes; /* 16 KiB..1 GiB; a shard's records in flight in one round; migrants' lists go beside */
    /*
     * The seed of the keys of the hash tables of ids and positions: clients that choose ids or positions can not make
     * their hashes collide. 0 = a seed from the system, secret and different in every world. No event, no
     * ph_world_hash() and no count of ph_stats depends on it. Another number is for measurements: give none that
     * clients may know. Not live.
     */
    uint64_t hash_seed;
    const ph_class *classes; /* class_count of them; the first is named "default" */
    uint32_t class_count;    /* 1..4096 */
    ph_allocator allocator;  /* zero = the library's default */
    ph_log_fn log;           /* NULL = silent; ph_log_fn has its lines */
    void *log_user;
    ph_task_hooks tasks;   /* zero = the library's own threads; not used with a crew */
    ph_crew crew;          /* null = `workers` and `tasks` are the world's own; else it has the workers of this crew */
    ph_batch_hook batches; /* zero = none: consumers ask ph_batch_take() */
    bool positions;        /* batches have the positions of enters: ph_batch.positions */
    uint8_t reserved_bytes[7]; /* 0 */
    uint64_t reserved[7];      /* 0 */
} ph_world_def;

/* ---- attributes of one entity ---- */

/** Bits of ph_attrs.given: which fields count. */
enum {
    PH_X = 1u << 0,
    PH_Y = 1u << 1,
    PH_Z = 1u << 2,
    PH_POSITION = PH_X | PH_Y | PH_Z,
    PH_KIND = 1u << 3,
    PH_VIEW = 1u << 4,
    PH_MARGIN = 1u << 5,
    PH_REACH = 1u << 6,
    PH_LAYERS = 1u << 7,
    PH_SEES = 1u << 8,
    PH_STEALTH = 1u << 9,
    PH_DETECT = 1u << 10,
    PH_GLOBAL = 1u << 11,
    PH_READY = 1u << 12,
    PH_CAP = 1u << 13,
    PH_PRIORITY = 1u << 14,
    PH_USER_DATA = 1u << 15,
    PH_CONSUMER = 1u << 16,
    PH_VISIBLE = 1u << 17,
    PH_VEILED = 1u << 18,
    PH_INSTANCE = 1u << 19,
    PH_REMOTE = 1u << 20,
    PH_GIVEN_ALL = (1u << 21) - 1
};

/**
 * Attributes of an entity. Fields whose bit is not in `given` are ignored by enter and
 * set, and follow the class of the entity's kind: also when the kind is set to another
 * or the class is changed by ph_world_reconfigure(). A field once given stays given.
 */
typedef struct ph_attrs {
    uint32_t given;
    float x, y, z; /* up to PH_COORDINATE_MAX from 0; enter: x and y are required, z is 0 unless given */
    float view;    /* as in ph_class, with the same ranges */
    float margin;
    float reach;
    float visible;
    uint32_t kind; /* place in ph_world_def.classes; 0 = "default" */
    uint32_t cap;
    uint32_t consumer; /* gets this observer's events; ph_set() may change it; default 0 */
    uint32_t instance; /* the copy of the map that it is in: see pharos.h, "Instances"; 0 unless given, of no class */
    uint64_t layers;
    uint64_t sees;
    uint64_t user_data; /* the host's; comes back in batches */
    uint8_t stealth;
    uint8_t detect;
    uint8_t priority;
    bool global;
    bool veiled;
    bool ready;
    bool remote; /* simulated by another process: see pharos.h, "Remote entities"; no unless given, of no class */
    uint8_t reserved_bytes[1]; /* not read, as the words below: new fields will have bits in `given` */
    uint64_t reserved[2];
} ph_attrs;

typedef struct ph_position {
    float x, y, z;
} ph_position;

/** Options of a broadcast. */
enum {
    PH_BROADCAST_SELF = 1u << 0, /* the source gets it too, if it is a ready observer */
    PH_BROADCAST_SEEN = 1u << 1  /* with a radius: only observers that have the source in their list, too */
};

/** The observers that get a broadcast. All zero: all observers that have its source in their list. */
typedef struct ph_broadcast_options {
    const uint32_t *kinds; /* observers of these kinds only, as they are at the end of the tick; the source too */
    uint32_t kind_count;   /* 0..PH_BROADCAST_KINDS_MAX; 0 = all kinds */
    uint32_t flags;        /* PH_BROADCAST_... */
    /**
     * 0: lists decide. Above 0 (a whisper, a shout): each ready observer o in source's instance, whatever is in its
     * list, with o.sees & source.layers, not hide(o, source), and dx * dx + dy * dy <= radius * radius in float32, by
     * positions and attributes at the tick's end; stealth and veils play no part.
     */
    float radius;
    uint32_t reserved[5]; /* 0 */
} ph_broadcast_options;

/**
 * A place without an entity that a broadcast comes from: an explosion, a bell. Each ready observer o gets it with
 * o.instance == instance, o.sees & layers and dx * dx + dy * dy <= radius * radius in float32, by positions and
 * attributes at the tick's end.
 */
typedef struct ph_broadcast_place {
    float x, y;
    float radius;          /* 0: only observers that stand just there */
    uint32_t kind_count;   /* 0..PH_BROADCAST_KINDS_MAX; 0 = all kinds */
    const uint32_t *kinds; /* observers of these kinds only, as they are at the tick's end */
    uint64_t layers;
    uint32_t instance;
    uint32_t reserved[5]; /* 0 */
} ph_broadcast_place;

typedef enum ph_area_shape { PH_AREA_CIRCLE = 0, PH_AREA_BOX = 1, PH_AREA_POLYGON = 2 } ph_area_shape;

enum {
    PH_AREA_HEIGHT = 1u << 0,      /* only entities with z_low <= z <= z_high */
    PH_AREA_IN_INSTANCE = 1u << 1, /* only in one instance; without it the area is in all */
    PH_AREA_FOLLOW = 1u << 2       /* goes with an entity; not together with PH_AREA_IN_INSTANCE */
};

/**
 * An area: a part of the ground plane, with PH_AREA_HEIGHT between two heights, with PH_AREA_IN_INSTANCE of one
 * instance, with PH_AREA_FOLLOW around an entity. Fields of other shapes are not read; coordinates and radius have the
 * common bounds. All zero: the circle of radius 0 at (0, 0), for all kinds. See pharos.h, "Areas".
 */
typedef struct ph_area {
    ph_area_shape shape;
    float center[2];                       /* circle: (x, y) */
    float radius;                          /* circle: >= 0 */
    float low[2], high[2];                 /* box: corners, low <= high along both axes */
    uint32_t corner_count;                 /* polygon: 3..PH_AREA_CORNERS_MAX */
    float corners[PH_AREA_CORNERS_MAX][2]; /* polygon: convex, either way round, no side of length 0 */
    uint32_t kind_count;                   /* 0..PH_AREA_KINDS_MAX; 0 = entities of all kinds */
    uint32_t kinds[PH_AREA_KINDS_MAX];     /* only entities of these kinds, as they are at the end of the tick */
    uint32_t flags;                        /* PH_AREA_... */
    float margin; /* circle and box: an entity inside leaves only beyond radius + margin, beyond each side + margin */
    float z_low, z_high; /* with PH_AREA_HEIGHT; z_low <= z_high */
    uint64_t layers;     /* 0 = entities of all layers; else only with entity.layers & layers, at the end of the tick */
    uint64_t follow;     /* with PH_AREA_FOLLOW: id of the entity that all coordinates are relative to, heights too */
    uint32_t instance;   /* with PH_AREA_IN_INSTANCE: only entities that are in it at the end of the tick */
    uint32_t reserved[3]; /* 0 */
} ph_area;

/** Every command, its number, and the call that submits it; a bulk call submits the command of its items. */
#define PH_COMMAND_LIST(X) \
    X(ENTER, 1, "ph_enter") \
    X(LEAVE, 2, "ph_leave") \
    X(MOVE, 3, "ph_move") \
    X(SET, 4, "ph_set") \
    X(PAIR, 5, "ph_pair") \
    X(UNPAIR, 6, "ph_unpair") \
    X(LINK, 7, "ph_link") \
    X(UNLINK, 8, "ph_unlink") \
    X(HIDE, 9, "ph_hide") \
    X(UNHIDE, 10, "ph_unhide") \
    X(REVEAL, 11, "ph_reveal") \
    X(UNREVEAL, 12, "ph_unreveal") \
    X(ATTACH, 13, "ph_attach") \
    X(DETACH, 14, "ph_detach") \
    X(RESEND, 15, "ph_resend") \
    X(BROADCAST, 16, "ph_broadcast") \
    X(AREA_SET, 17, "ph_area_set") \
    X(AREA_REMOVE, 18, "ph_area_remove") \
    X(BROADCAST_AT, 19, "ph_broadcast_at") \
    X(IMPORT, 20, "ph_import")

typedef enum ph_command {
#define PH_COMMAND_ENUM(name, number, call) PH_COMMAND_##name = number,
    PH_COMMAND_LIST(PH_COMMAND_ENUM)
#undef PH_COMMAND_ENUM
        PH_COMMAND_END /* one past the last */
} ph_command;

/**
 * The number of an entity's stay in the game: another one when its id enters anew. Worlds that exchange capsules agree
 * about it. It is called inside ph_export() and ph_import(): it may not call Pharos.
 */
typedef uint32_t (*ph_stay_fn)(void *user, uint64_t id);

/** @return the call of the command ("ph_enter"), static, never NULL. @thread any */
PH_API const char *ph_command_name(ph_command command);

/**
 * Every argument that a refusal can name: the fields of ph_attrs, each one more than the place of its bit in `given`,
 * and the arguments beside them.
 */
#define PH_FIELD_LIST(ROW) \
    ROW(NONE, 0, "") \
    ROW(X, 1, "x") \
    ROW(Y, 2, "y") \
    ROW(Z, 3, "z") \
    ROW(KIND, 4, "kind") \
    ROW(VIEW, 5, "view") \
    ROW(MARGIN, 6, "margin") \
    ROW(REACH, 7, "reach") \
    ROW(LAYERS, 8, "layers") \
    ROW(SEES, 9, "sees") \
    ROW(STEALTH, 10, "stealth") \
    ROW(DETECT, 11, "detect") \
    ROW(GLOBAL, 12, "global") \
    ROW(READY, 13, "ready") \
    ROW(CAP, 14, "cap") \
    ROW(PRIORITY, 15, "priority") \
    ROW(USER_DATA, 16, "user_data") \
    ROW(CONSUMER, 17, "consumer") \
    ROW(VISIBLE, 18, "visible") \
    ROW(VEILED, 19, "veiled") \
    ROW(INSTANCE, 20, "instance") \
    ROW(REMOTE, 21, "remote") \
    ROW(GIVEN, 64, "given") \
    ROW(ID, 65, "id") \
    ROW(OTHER, 66, "other") /* the second id of two: the target, the parent */

typedef enum ph_field {
#define PH_FIELD_ENUM(name, number, word) PH_FIELD_##name = number,
    PH_FIELD_LIST(PH_FIELD_ENUM)
#undef PH_FIELD_ENUM
        PH_FIELD_END /* one past the largest number */
} ph_field;

/** @return the field's name ("view"), "" of PH_FIELD_NONE, static, never NULL. @thread any */
PH_API const char *ph_field_name(ph_field field);

/** A command that changed nothing, as reported to its producer. */
typedef struct ph_refusal {
    uint64_t sequence; /* of this producer, from 1; see ph_producer_sequence() */
    uint64_t tick;     /* that met it; 0: refused at once, inside a bulk call */
    uint64_t id;
    ph_status status;
    uint16_t command; /* ph_command */
    uint16_t field;   /* ph_field with the refused value; PH_FIELD_NONE: the state of the world is against it */
    uint64_t reserved;
} ph_refusal;

/* ---- batches ---- */

typedef struct ph_target {
    uint64_t id;
    uint64_t user_data;
} ph_target;

/**
 * Why a target left or entered a list: the first of its half that holds at the end of the tick, or of the batch's last
 * tick; of a leave in a coalesced batch, at the end of the tick in which the target left the list for good.
 */
typedef enum ph_cause {
    /* enters: */
    PH_CAUSE_CAME = 0,     /* it was in the world before */
    PH_CAUSE_APPEARED = 2, /* that stay in the world began in one of the ticks that the batch covers */
    /* leaves: */
    PH_CAUSE_GONE = 5,      /* that stay in the world is over; the id may have entered again */
    PH_CAUSE_HIDDEN = 4,    /* instance, hide, layers, stealth or veil forbid it, at any distance */
    PH_CAUSE_OUTRANKED = 3, /* it passes, margin included, but the observer's cap keeps others */
    PH_CAUSE_RANGE = 1,     /* it is too far away; or its link, or the observer's view, ended */
    PH_CAUSE_COUNT = 6
} ph_cause;

enum {
    /*
     * The observer begins: it entered the world with a view, or got its first one, became ready, was given another
     * consumer, asked for it (ph_resend()), or was reset (ph_tick_finish()). The consumer drops its copy of the list:
     * there are no leaves, and the enters are the whole list at the end of the batch's last tick, which may be empty.
     * If a list became empty because all its targets left, with leaves as usual, it does not begin anew.
     */
    PH_CHANGE_FRESH = 1u << 0,
    /*
     * Targets wait for a later tick: adds_max, events_max. When the next tick has no change for the observer, none
     * waits any more; behind a coalesced batch, whose changes may have cancelled out, the next batch that is not
     * coalesced has the flag if any wait.
     */
    PH_CHANGE_MORE = 1u << 1
};

/**
 * The changes of one observer. Its targets are batch->targets[first ...]: first the
 * leave_count that left, then the enter_count that entered; the kinds stand in batch->kinds, the causes (ph_cause)
 * in batch->causes, and positions in batch->positions, at the same places. The position of an enter is the target's at
 * the end of the batch's last tick, whether or not the class has bands; that of a leave is (0, 0, 0). Each of the two
 * is ordered by depth, then by kind, then by id. The depth of an entity is the number of attachments from it up to its
 * root, 0 while it is not attached. Enters have the depth at the end of the tick, the least first: a parent enters
 * before its children. Leaves have the depth at the end of the tick before, the greatest first: a parent leaves after
 * its children, also when all of them leave the world. In a coalesced batch enters have the depth at the end of its
 * last tick; leaves that at the end of the tick before the one in which the target left.
 *
 * Kinds and user data, of targets and observers, are as at the end of the batch's last
 * tick, coalesced or not; of a leave, as in the tick in which the target left the list
 * for good. The same holds for deliveries, updates and edges: an edge that is off is as a leave.
 *
 * A newcomer's list may be spread over ticks: with adds_max = A > 0 of its class, of the targets that pass (after the
 * cap) and were not in its list at the end of the tick before, only A join it: first global and linked ones, then
 * higher priority, then smaller d2 (double of the float32 one), then smaller id, as at a cap. The others are not in the
 * list (ph_sees(), ph_list(), broadcasts and updates go by the list), and may join in the next tick. So the list is
 * exact once no change says PH_CHANGE_MORE. Attachments have no influence on which targets join, as at a cap: a rider
 * may join a tick before its mount; give mounts the higher priority where that matters.
 *
 * So may the lists of all observers, where one tick has more events than ph_world_def.events_max = E (if that is 0,
 * 4,194,304 and 64 for each entity in the world at the tick's end). Leaves never wait. When these and the enters, after
 * caps and adds_max, are more than E, no observer gets more than L enters in this tick, the first in the order above:
 * L is the largest number for which the enters are at most E less the leaves, but at least 1. Stats: adds_held counts
 * enters that wait, ticks_spread ticks.
 */
typedef struct ph_change {
    uint64_t observer;
    uint64_t user_data; /* the observer's */
    uint32_t first;
    uint32_t leave_count;
    uint32_t enter_count;
    uint32_t flags; /* PH_CHANGE_... */
} ph_change;

/** One broadcast, once in a batch however many of its observers get it. */
typedef struct ph_message {
    uint64_t source;    /* 0: a place (ph_broadcast_at()) */
    uint64_t user_data; /* the source's, at the end of that tick; of a place 0 */
    uint64_t tick;      /* of the broadcast */
    uint64_t first;     /* its payload is batch->payload[first ...], 8-byte aligned */
    uint32_t bytes;
    uint32_t reserved;
} ph_message;

/**
 * The broadcasts for one observer, whether or not its list changed: places in
 * batch->messages stand in batch->heard[first ...], in the order of the commands.
 */
typedef struct ph_delivery {
    uint64_t observer;
    uint64_t user_data; /* the observer's */
    uint32_t first;
    uint32_t count;       /* >= 1 */
    uint32_t reserved[2]; /* the library's, for ph_packets_begin(): no value is promised */
} ph_delivery;

/** An entity awoke or fell asleep; or it entered or left an area. */
typedef struct ph_edge {
    uint64_t id;          /* the entity */
    uint64_t user_data;   /* the entity's */
    uint64_t area;        /* 0: it awoke or fell asleep */
    uint32_t incarnation; /* of the entity: another one for each stay of its id in the world */
    uint32_t on;          /* 1: it awoke, it is inside; 0: it fell asleep, it is outside */
} ph_edge;

/** Where a target is at the end of the tick in which its observers got the update. */
typedef struct ph_moved {
    uint64_t id;
    uint64_t user_data;
    float x, y, z;
    uint32_t reserved; /* 0 */
} ph_moved;

/**
 * Updates: the targets that moved and are due for one observer, each once, in no order:
 * places in batch->moved stand in batch->due[first ...], and in batch->bands[first ...] the
 * band b of each. The observers of a target share its place in batch->moved; only in a batch
 * of several ticks, or where shards meet, it may stand at several.
 *
 * The rule, for an observer o that is of a class with bands, and t in its list, at the end
 * of tick T:
 *  - t moved in a tick if (x, y, z) differ at the end of the tick before and at its end
 *    (same incarnation; in a world in which a class had a band at both ends). The last
 *    such tick up to T is m.
 *  - b, the band of t, is the place in the bands of o's class of the first one with
 *    d2 <= radius * radius, or of the last one if there is none (linked, global, seen from
 *    beyond); d2 is float32, dx * dx + dy * dy, plus dz * dz for shape = sphere, of the
 *    positions at the end of T. b' is the same of the positions at the end of T - 1; it is b
 *    if o or t was not in the world then.
 *  - t is due if b differs from b', whichever of the two moved: it came into another band;
 *    or if T - m < e and (T + h) mod e = 0, e the `every` of b. In the tick in which o became
 *    of another kind, or came by ph_import() with a ph_stay_fn, or the bands of a class
 *    changed, all of o's list is due.
 *    h = ((H(o) xor H(t)) * 2654435769 mod 2^32) / 2^16, H(id) the upper half of id through
 *    splitmix64's finalizer: it spreads the load over the ticks, the same way everywhere.
 *  - Every target that enters o's list in T is in T's updates, moved or not.
 *  - Of the others, all that are due are sent; with updates_max = K only K: first the targets with
 *    more (1 + w) * (1 + priority), w the ticks that t has been waiting, then smaller d2,
 *    then smaller id. The others wait: they are due in every tick until they are sent, with
 *    the position that they have then, or have left the list.
 * So a position is sent at most e - 1 ticks after the move, if it is the last one and the
 * budget allows, and is never skipped for good: also not when t stops, or comes into another
 * band. A position may be sent twice (t came into another band, or entered). So an observer
 * without a budget knows the band of each target at the end of each tick, and its client may
 * draw a crowd coarser the farther off it is; with a budget, a new band waits as a move does.
 */
typedef struct ph_update {
    uint64_t observer;
    uint64_t user_data; /* the observer's */
    uint32_t first;
    uint32_t count;       /* >= 1 */
    uint32_t reserved[2]; /* as of ph_delivery */
} ph_update;

/**
 * One tick's events for the observers of one consumer: changes, broadcasts and updates, in
 * flat arrays, read-only, the library's; valid from ph_batch_take() until ph_batch_return().
 * The order of changes, of deliveries and of updates is the library's choice; each observer
 * stands at most once among the changes, among the deliveries and among the updates.
 * Edges of entities go to the entity's own consumer, whether it observes or not; edges that are
 * off stand before edges that are on.
 * An array without entries may be NULL; but a batch with a change has `targets`, `kinds` and `causes`, and one with a
 * message has `payload`, so that `first` may be added to them also where the count is 0.
 */
typedef struct ph_batch {
    uint64_t tick;       /* the last tick that it covers */
    uint64_t tick_first; /* the first; less than `tick` only when coalesced */
    const ph_change *changes;
    const ph_target *targets;
    const uint16_t *kinds;
    uint32_t change_count;
    uint32_t target_count;
    const ph_message *messages; /* in the order of the commands */
    const uint8_t *payload;
    const ph_delivery *deliveries;
    const uint32_t *heard;
    uint64_t payload_bytes;
    uint32_t message_count;
    uint32_t delivery_count;
    uint32_t heard_count;
    uint32_t reserved;
    const ph_edge *activations; /* NPCs that awoke or fell asleep */
    const ph_edge *crossings;   /* entities that went into areas or out of them */
    uint32_t activation_count;
    uint32_t crossing_count;
    uint64_t dropped; /* entries of heard[] dropped since the batch before: consumer_bytes had no room for them */
    const ph_update *updates;
    const uint32_t *due;
    const ph_moved *moved;
    uint32_t update_count;
    uint32_t due_count;
    uint32_t moved_count;
    uint32_t reserved2;
    const uint8_t *causes;          /* ph_cause, beside `kinds` */
    const ph_position *positions;   /* beside them; of enters; of leaves 0; NULL if ph_world_def.positions is false */
    const uint8_t *bands;           /* beside `due`: b of ph_update */
    const void *reserved_arrays[3]; /* room for further arrays and their counts */
    uint64_t reserved_counts[6];
} ph_batch;

/** All that a batch has for one observer, at least one of the three: what a packet to its client is made of. */
typedef struct ph_packet {
    uint64_t observer;
    uint64_t user_data;          /* the observer's */
    const ph_change *change;     /* NULL: its list did not change */
    const ph_delivery *delivery; /* NULL: it gets no broadcast */
    const ph_update *update;     /* NULL: it gets no update */
    uint64_t reserved[3];
} ph_packet;

/** A walk over the packets of a batch; the host's, filled by ph_packets_begin(), else not to be written. */
typedef struct ph_packets {
    const ph_batch *batch;
    uint64_t key[2];
    uint32_t stage; /* changes, then deliveries, then updates: */
    uint32_t at;    /* the next one of them */
    uint64_t reserved[4];
} ph_packets;

/* ---- stats ---- */

/** Counters since the world was made, unless said "now" or "last tick". */
typedef struct ph_stats {
    uint64_t ticks;
    uint64_t entities;                 /* now */
    uint64_t observers;                /* now: ready, view > 0 */
    uint64_t list_entries;             /* now: over all interest lists */
    uint64_t ghosts;                   /* now: halo copies, some of them not needed any more */
    uint64_t commands;                 /* accepted into queues */
    uint64_t applied;                  /* by ticks; commands = applied + refused in a tick + queued */
    uint64_t refused[PH_STATUSES_MAX]; /* by reason, at submit and in a tick */
    uint64_t refused_in_tick;          /* the part of refused[] that had been accepted first */
    uint64_t refusals_untold;          /* counted, but the producer's refusal queue was full, or could not be had */
    uint64_t enters, leaves;           /* events made */
    uint64_t batches;                  /* handed to consumers */
    uint64_t coalesced_ticks;          /* consumer-ticks that went into a net difference */
    uint64_t deliveries;               /* broadcasts x observers: made, ... */
    uint64_t deliveries_dropped;       /* ... of them, dropped behind a slow consumer: consumer_bytes */
    uint64_t deliveries_void;          /* ... and void, as the observer left, or was not ready, while they waited */
    uint64_t awake;                    /* now: NPCs */
    uint64_t woken, slept;             /* activation edges made */
    uint64_t areas;                    /* now */
    uint64_t area_enters, area_leaves; /* edges of areas made */
    uint64_t updates;                  /* targets sent to observers by updates; see updates_held */
    uint64_t adds_held;                /* times that a target had to wait for a further tick: adds_max, events_max */
    uint64_t ticks_spread;             /* ticks that had more events than events_max */
    uint64_t ticks_short;              /* ticks that ph_tick_finish() went on with */
    uint64_t observers_reset;          /* ... and the observers that got nothing of it: their lists come anew later */
    uint64_t updates_held;             /* times that an update had to wait for a further tick: updates_max */
    uint64_t updates_replaced; /* updates that a slow consumer did not get: there was a later position, the target had
                                  left the list, or the observer had left */
    uint64_t migrations;       /* entities that went from one shard to another */
    uint64_t halo_records;     /* halo copies sent from one shard to another */
    uint64_t exchange_rounds;  /* beyond one a tick means exchange_bytes was too small */
    uint64_t deferred_adds; /* enters, immigrants and ghosts: phase index adds all of a tick to their towers at once */
    uint64_t observers_glanced;   /* work counters: observers done by comparing positions, their own or the ones
                                     of targets that moved near them, ... */
    uint64_t observers_evaluated; /* ... observers with a full evaluation of the list, ... */
    uint64_t towers_visited;      /* ... tower ranges scanned for them (other indexes: cells, nodes), ... */
    uint64_t pairs_tested;        /* ... distances computed (where few moved, from these only), ... */
    uint64_t pairs_exact;         /* ... and of them, decided from float32 positions */
    uint64_t index_moves;         /* other indexes than lighthouse: changes of entities they took in, ... */
    uint64_t index_steps;         /* ... and the cost: cells changed, nodes passed, towers informed */
    uint64_t tick_ns;             /* last tick, and its phases: */
    uint64_t ingest_ns, exchange_ns, index_ns, interest_ns, publish_ns;
    uint64_t tick_ns_max; /* the longest tick so far */
    uint64_t tick_ns_sum; /* all ticks, and their phases: */
    uint64_t ingest_ns_sum, exchange_ns_sum, index_ns_sum, interest_ns_sum, publish_ns_sum;
    uint64_t bytes;             /* now: held from the allocator (a crew has its own) */
    uint64_t instances;         /* now: instances with entities in them */
    uint64_t outside;           /* now: entities outside of all towers: the nearest tower counts as theirs */
    uint64_t attached;          /* now: entities that follow a parent */
    uint64_t broadcasts;        /* applied, ... */
    uint64_t payload_bytes;     /* ... and the bytes of their payloads */
    uint64_t batch_bytes;       /* of the records and payloads of the batches handed to consumers */
    uint64_t queued;            /* now: commands waiting for a tick */
    uint64_t queued_max;        /* the most that a tick took */
    uint64_t batches_out;       /* now: batches waiting or taken and not returned */
    uint64_t batches_out_max;   /* the most of one consumer so far */
    uint64_t net_events;        /* now: enters and leaves in net differences, behind slow consumers */
    uint64_t mail_waiting;      /* now: deliveries that wait there, ... */
    uint64_t updates_waiting;   /* ... updates, each the last of its target, ... */
    uint64_t edges_waiting;     /* ... and edges of activation and areas; held ones too: ph_tick_finish() */
    uint64_t consumers_pending; /* now: consumers for which anything waits for a tick: PH_PENDING */
    uint64_t deferred_adds_max; /* the most in one shard and tick */
    uint64_t crowd_observers;   /* now: observers with a view shrunk by crowd control */
    uint64_t crowd_narrowed, crowd_widened; /* steps that views went down, and up again */
    uint64_t crowd_most;   /* last tick: most entities around an observer, p above; 0 while crowd control is off */
    uint64_t last_applied; /* last tick: commands applied, ... */
    uint64_t last_refused; /* ... and refused in it, */
    uint64_t last_enters, last_leaves, last_deliveries, last_migrations, last_halo_records, last_pairs_tested;
    uint64_t last_payload_bytes;
    uint64_t last_updates;
    uint64_t last_batch_bytes;                 /* of the records and payloads of the batches it handed to consumers */
    uint64_t last_refused_by[PH_STATUSES_MAX]; /* last_refused by reason */
    uint64_t applies;                          /* calls of ph_apply() that ended */
    uint64_t monitors;                         /* now: open ones */
    uint64_t monitor_ns;     /* last tick: the ticking thread's time for monitors, not in tick_ns, ... */
    uint64_t monitor_ns_sum; /* ... and of all ticks */
    uint64_t remote;         /* now: entities that another process simulates (PH_REMOTE) */
    double tower_size;       /* now: side of a tower, also where it was chosen: ph_world_def.tower_size */
    uint64_t reserved[26];
} ph_stats;

/**
 * One shard: counters since the world was made, unless said "now" or "last tick"; a tick's part of a counter is
 * the difference over it. Work is counted where the observer is. Sums over the shards equal ph_stats, except:
 *  - bytes: memory that belongs to no shard (directory, queues, batches, workers' own) is in ph_stats.bytes only.
 *  - refused[]: a refusal belongs to the shard in which the command's entity is at that moment; that of an unknown id,
 *    of an area, or at submit belongs to none.
 *  - times: nanoseconds of the monotonic clock that workers spent on pieces of work that are this shard's alone (its
 *    steps, its rows, its observers), added up over workers. Not wall time: several workers may work on one shard at
 *    once. Waiting for other workers is not counted; time that the system takes from a worker inside a piece is.
 *    ph_stats has the wall time of the phases, with the work that belongs to no single shard. Commands are applied in
 *    their order, so of phase ingest only crowd control is here; of phase index all but the rows of ticks in which most
 *    entities moved; of phase publish all but planning, motion samples, payloads, edges and handing over. In a tick of
 *    one thread (share_min) the only shard of a world has all of index, interest and publish, as ph_stats has.
 */
typedef struct ph_shard_stats {
    uint64_t entities;     /* now: own ones */
    uint64_t observers;    /* now: ready, view > 0 */
    uint64_t ghosts;       /* now: halo copies of others' entities, some of them not needed any more */
    uint64_t list_entries; /* now: over the lists of its observers */
    uint64_t bytes;        /* now: held from the allocator: entities, towers, index, lists, relations, outbox, ... */
    uint64_t touched;      /* last tick: entities that changed here, ghosts too */
    uint64_t enters, leaves;
    uint64_t observers_glanced, observers_evaluated;
    uint64_t towers_visited, pairs_tested, pairs_exact;
    uint64_t updates;      /* targets sent to its observers */
    uint64_t migrations;   /* entities that left for another shard */
    uint64_t halo_records; /* copies that came from other shards */
    uint64_t deferred_adds;
    uint64_t deferred_adds_max; /* the most in one tick */
    uint64_t outbox_bytes_max;  /* the most records for other shards in one round; see exchange_bytes */
    uint64_t ingest_ns, exchange_ns, index_ns, interest_ns, publish_ns; /* last tick: workers' time, see above */
    uint64_t ingest_ns_sum, exchange_ns_sum, index_ns_sum, interest_ns_sum, publish_ns_sum; /* all ticks */
    uint64_t refused[PH_STATUSES_MAX]; /* in ticks, by reason: commands to entities that were here */
    uint64_t reserved[16];
} ph_shard_stats;

#ifdef __cplusplus
}
#endif
#endif

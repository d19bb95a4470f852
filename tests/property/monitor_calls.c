/*
 * Monitors beside the frames that monitors.c compares: refused calls, handles, the ends of a world, memory that fails
 * and memory of ticks, samples, ids made against samples, areas, workers, crews, applies, skipped frames, live keys,
 * costs; views and questions of random bytes.
 *
 * options: --seed N
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/fail_alloc.h"
#include "support/perm_tasks.h"

enum { SIDE = 1000, CLASSES = 2 };

typedef struct stand {
    fail_alloc memory;
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    ph_monitor monitor;
    ph_class classes[CLASSES + 1]; /* a live definition may add one */
    ph_world_def def;
} stand;

static ph_crew crew;        /* of the worlds that are opened; zero = none */
static ph_task_hooks hooks; /* theirs; zero = the library's threads */
static uint32_t share_min;  /* of theirs, as the next two */
static ph_index finds_by;
static ph_range range;

static void stand_open(stand *s, uint32_t shards, uint32_t workers, const ph_monitor_def *monitor)
{
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < CLASSES; i++) s->classes[i] = ph_class_default(i == 0 ? "default" : "other");
    s->classes[0].view = 50;
    s->def = ph_world_def_default();
    s->def.world_size[0] = s->def.world_size[1] = SIDE;
    s->def.tower_size = 50;
    s->def.shards[0] = s->def.shards[1] = shards;
    s->def.workers = workers;
    s->def.share_min = share_min;
    s->def.crew = crew;
    s->def.tasks = hooks;
    s->def.index = finds_by;
    s->def.range = range;
    s->def.classes = s->classes;
    s->def.class_count = CLASSES;
    s->def.allocator = fail_alloc_hooks(&s->memory);
    REQUIRE(ph_world_create(&s->def, &s->world) == PH_OK && ph_producer_open(s->world, &s->producer) == PH_OK);
    REQUIRE(ph_consumer_open(s->world, 0, &s->consumer) == PH_OK);
    if (monitor) CHECK_OK(ph_monitor_open(s->world, monitor, &s->monitor));
}

static void stand_tick(stand *s)
{
    const ph_batch *batch;
    CHECK_OK(ph_tick(s->world, NULL));
    while (ph_batch_take(s->consumer, &batch) == PH_OK) CHECK_OK(ph_batch_return(s->consumer, batch));
}

static void stand_close(stand *s)
{
    CHECK_OK(ph_world_destroy(s->world));
    CHECK(fail_alloc_clean(&s->memory), "memory is left");
}

static void enter(stand *s, uint64_t id, float x, float y, uint32_t kind)
{
    const ph_attrs attrs = {.given = PH_X | PH_Y | PH_KIND, .x = x, .y = y, .kind = kind};
    CHECK_OK(ph_enter(s->producer, id, &attrs));
}

static const ph_monitor_frame *take(const stand *s)
{
    const ph_monitor_frame *frame = NULL;
    CHECK_OK(ph_monitor_take(s->monitor, &frame));
    REQUIRE(frame != NULL);
    return frame;
}

static void give(const stand *s, const ph_monitor_frame *frame)
{
    CHECK_OK(ph_monitor_return(s->monitor, frame));
}

static const ph_monitor_view WHOLE = {.x1 = SIDE, .y1 = SIDE, .flags = PH_MONITOR_FLAGS_ALL};

/* ---- refusals and handles ---- */

static void refused_definitions(ph_world world)
{
    ph_monitor monitor;
    const ph_monitor_def bad[] = {{.every = PH_MONITOR_EVERY_MAX + 1},
                                  {.points_max = PH_MONITOR_POINTS_MAX + 1},
                                  {.targets_max = PH_MONITOR_TARGETS_MAX + 1},
                                  {.events_max = PH_MONITOR_EVENTS_MAX + 1},
                                  {.questions = PH_MONITOR_QUESTIONS_MAX + 1},
                                  {.hits_max = PH_MONITOR_HITS_MAX + 1},
                                  {.question_ns = PH_MONITOR_QUESTION_NS_MAX + 1u},
                                  {.asleep_ms = PH_MONITOR_ASLEEP_MS_MAX + 1u},
                                  {.reserved = {[7] = 1}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_STATUS(ph_monitor_open(world, &bad[i], &monitor), PH_BAD_VALUE);
        CHECK(monitor.index1 == 0, "a handle of nothing");
    }
    CHECK_STATUS(ph_monitor_open(world, NULL, &monitor), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_monitor_open(world, &bad[0], NULL), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_monitor_open((ph_world){0}, &(ph_monitor_def){0}, &monitor), PH_BAD_HANDLE);
}

static void refused_views(ph_monitor monitor)
{
    ph_monitor_view view = WHOLE;
    CHECK_OK(ph_monitor_watch(monitor, &view));
    view.x0 = NAN;
    CHECK_STATUS(ph_monitor_watch(monitor, &view), PH_BAD_POSITION);
    view.x0 = -2e18f;
    CHECK_STATUS(ph_monitor_watch(monitor, &view), PH_BAD_POSITION);
    view.x0 = view.x1;
    CHECK_STATUS(ph_monitor_watch(monitor, &view), PH_BAD_VALUE);
    view = WHOLE;
    view.y1 = 1e-19f;
    CHECK_STATUS(ph_monitor_watch(monitor, &view), PH_BAD_VALUE);
    view = WHOLE;
    view.flags |= PH_MONITOR_FLAGS_ALL + 1;
    CHECK_STATUS(ph_monitor_watch(monitor, &view), PH_BAD_VALUE);
    view = WHOLE;
    view.reserved2[1] = 1;
    CHECK_STATUS(ph_monitor_watch(monitor, &view), PH_BAD_VALUE);
    view = WHOLE;
    view.spread = PH_MONITOR_SPREAD_MAX + 1;
    CHECK_STATUS(ph_monitor_watch(monitor, &view), PH_BAD_VALUE);
    CHECK_STATUS(ph_monitor_watch(monitor, NULL), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_monitor_watch((ph_monitor){0}, &WHOLE), PH_BAD_HANDLE);
}

static void refused_questions(ph_monitor monitor)
{
    static const struct {
        ph_monitor_question question;
        ph_status status;
    } rows[] = {{{.kind = PH_ASK_LIST, .most = 1, .id = 1}, PH_OK},
                {{.kind = (ph_monitor_ask_kind)5, .most = 1, .id = 1}, PH_BAD_VALUE},
                {{.kind = PH_ASK_LIST, .most = 0, .id = 1}, PH_BAD_VALUE},
                {{.kind = PH_ASK_OBSERVERS, .most = PH_MONITOR_HITS_MAX + 1, .id = 1}, PH_BAD_VALUE},
                {{.kind = PH_ASK_OBSERVERS, .most = 1, .id = 0}, PH_BAD_ID},
                {{.kind = PH_ASK_EXPLAIN, .id = 1}, PH_BAD_ID},
                {{.kind = PH_ASK_ENTITY}, PH_BAD_ID},
                {{.kind = PH_ASK_ENTITY, .id = 1, .reserved = 1}, PH_BAD_VALUE},
                {{.kind = PH_ASK_ENTITY, .id = 1, .reserved2 = {0, 1}}, PH_BAD_VALUE},
                {{.kind = PH_ASK_NEAREST, .most = 1, .x = INFINITY}, PH_BAD_POSITION},
                {{.kind = PH_ASK_NEAREST, .most = 1, .radius = -1}, PH_BAD_RADIUS},
                {{.kind = PH_ASK_NEAREST, .most = 1, .radius = INFINITY}, PH_BAD_RADIUS},
                {{.kind = PH_ASK_NEAREST, .most = 1, .flags = 1}, PH_BAD_VALUE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(ph_monitor_ask(monitor, &rows[i].question) == rows[i].status, "question %zu", i);
    CHECK_STATUS(ph_monitor_ask(monitor, &rows[0].question), PH_OK);
    CHECK_STATUS(ph_monitor_ask(monitor, &rows[0].question), PH_FULL);
    CHECK_STATUS(ph_monitor_ask(monitor, NULL), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_monitor_ask((ph_monitor){0}, &rows[0].question), PH_BAD_HANDLE);
}

static void refused_frames(stand *s)
{
    const ph_monitor_frame *frame, *other;
    ph_monitor_stats stats;
    CHECK_STATUS(ph_monitor_take(s->monitor, &frame), PH_EMPTY);
    CHECK(!frame, "a frame of nothing");
    CHECK_STATUS(ph_monitor_return(s->monitor, NULL), PH_EMPTY);
    stand_tick(s);
    frame = take(s);
    CHECK_STATUS(ph_monitor_take(s->monitor, &other), PH_TAKEN);
    CHECK_STATUS(ph_monitor_return(s->monitor, frame + 1), PH_BAD_ARGUMENT);
    give(s, frame);
    CHECK_STATUS(ph_monitor_return(s->monitor, frame), PH_EMPTY);
    CHECK_STATUS(ph_monitor_take(s->monitor, NULL), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_monitor_take((ph_monitor){0}, &frame), PH_BAD_HANDLE);
    CHECK_STATUS(ph_monitor_stats_get(s->monitor, NULL), PH_BAD_ARGUMENT);
    CHECK_OK(ph_monitor_stats_get(s->monitor, &stats));
    CHECK(stats.frames == 1 && stats.skipped == 0 && stats.bytes > 0, "counts");
}

static void handles(void)
{
    static stand s;
    ph_monitor more[PH_MONITORS_MAX];
    ph_stats stats;
    stand_open(&s, 1, 1, &(ph_monitor_def){.points_max = 10, .questions = 2});
    refused_definitions(s.world);
    refused_views(s.monitor);
    refused_questions(s.monitor);
    refused_frames(&s);
    for (uint32_t i = 1; i < PH_MONITORS_MAX; i++) CHECK_OK(ph_monitor_open(s.world, &(ph_monitor_def){0}, &more[i]));
    CHECK_STATUS(ph_monitor_open(s.world, &(ph_monitor_def){0}, &more[0]), PH_TAKEN);
    CHECK_OK(ph_world_stats(s.world, &stats));
    CHECK(stats.monitors == PH_MONITORS_MAX, "%u monitors", (unsigned)stats.monitors);
    stand_tick(&s);
    const ph_monitor old = s.monitor;
    CHECK_OK(ph_monitor_close(s.monitor));
    CHECK_STATUS(ph_monitor_close(old), PH_BAD_HANDLE);
    CHECK_OK(ph_monitor_open(s.world, &(ph_monitor_def){0}, &s.monitor));
    CHECK_STATUS(ph_monitor_watch(old, &WHOLE), PH_BAD_HANDLE);
    stand_tick(&s);
    (void)take(&s); /* is out when the world ends */
    stand_close(&s);
    CHECK_STATUS(ph_monitor_close(s.monitor), PH_BAD_HANDLE);
}

/* ---- memory ---- */

static void memory(void)
{
    static stand s;
    ph_monitor_stats stats;
    perm_tasks tasks = {.rng = 1}; /* with threads it is luck which worker's arrays have grown */
    hooks = perm_tasks_serial(&tasks);
    stand_open(&s, 2, 2, NULL);
    for (uint64_t id = 1; id <= 500; id++) enter(&s, id, (float)(id % 100) * 10, (float)id, 0);
    stand_tick(&s);
    const uint64_t before = s.memory.bytes;
    for (uint64_t n = 1;; n++) {
        fail_alloc_order(&s.memory, n, n % 2 == 0);
        const ph_status status = ph_monitor_open(s.world, &(ph_monitor_def){0}, &s.monitor);
        fail_alloc_order(&s.memory, 0, false);
        if (status == PH_OK) break;
        CHECK_STATUS(status, PH_NO_MEMORY);
        CHECK(s.memory.bytes == before, "allocation %u: memory is kept", (unsigned)n);
    }
    CHECK_OK(ph_monitor_stats_get(s.monitor, &stats));
    CHECK(s.memory.bytes - before == stats.bytes, "%u bytes are said", (unsigned)stats.bytes);
    ph_monitor_view view = WHOLE;
    for (uint32_t t = 0; t < 40; t++) {
        view.focus = 1 + t % 3;
        CHECK_OK(ph_monitor_watch(s.monitor, &view));
        CHECK_OK(ph_monitor_ask(s.monitor, &(ph_monitor_question){.most = 9, .id = 7}));
        for (uint64_t id = 1; id <= 500; id++)
            CHECK_OK(ph_move(s.producer, id, (float)(id % 100) * 10 + (float)(t % 2), (float)id, 0));
        const uint64_t calls = s.memory.calls;
        stand_tick(&s);
        give(&s, take(&s));
        CHECK(t < 30 || s.memory.calls == calls, "tick %u allocates", t);
    }
    CHECK_OK(ph_monitor_close(s.monitor));
    stand_close(&s);
    hooks = (ph_task_hooks){0};
}

/* ---- samples ---- */

static void samples(void)
{
    static stand s;
    stand_open(&s, 2, 1, &(ph_monitor_def){.points_max = 300});
    CHECK_OK(ph_monitor_watch(s.monitor, &WHOLE));
    for (uint64_t id = 1; id <= 20000; id++) {
        const uint64_t row = id / 200;
        enter(&s, id, (float)(id % 200) * 5 + 1, (float)row * 9 + (float)(id % 7), 0);
    }
    uint32_t stride = 0;
    for (uint32_t t = 0; t < 5; t++) {
        stand_tick(&s);
        const ph_monitor_frame *f = take(&s);
        CHECK(f->points.count > 0 && f->points.count <= 300 && (f->flags & PH_FRAME_DECIMATED), "%u points",
              f->points.count);
        CHECK(f->points.matched == 20000 && (f->points.stride & (f->points.stride - 1)) == 0, "stride");
        CHECK(stride == 0 || f->points.stride == stride, "the stride changes");
        stride = f->points.stride;
        uint32_t cells = 0;
        for (uint32_t i = 0; i < PH_MONITOR_CELLS * PH_MONITOR_CELLS; i++) cells += f->grid.counts[i];
        CHECK(cells == 20000, "%u in cells", cells);
        give(&s, f);
    }
    /* a smaller view: all of its entities, in the frame behind the first */
    ph_monitor_view view = WHOLE;
    view.x1 = view.y1 = 100;
    CHECK_OK(ph_monitor_watch(s.monitor, &view));
    for (uint32_t t = 0; t < 2; t++) {
        stand_tick(&s);
        const ph_monitor_frame *f = take(&s);
        CHECK(t == 0 || (f->points.stride == 1 && f->points.count == f->points.matched), "stride %u", f->points.stride);
        give(&s, f);
    }
    stand_close(&s);
}

/* An id with this finalizer of splitmix64: its steps backwards. */
static uint64_t id_of_sample(uint64_t z)
{
    z = z ^ (z >> 31) ^ (z >> 62);
    z *= 0x319642b2d24d8ec3u;
    z = z ^ (z >> 27) ^ (z >> 54);
    z *= 0x96de1b173f119089u;
    return z ^ (z >> 30) ^ (z >> 60);
}

static void hostile_ids(void)
{
    static stand s;
    stand_open(&s, 1, 1, &(ph_monitor_def){.points_max = 10});
    for (uint64_t i = 1; i <= 50; i++) {
        const uint64_t id = id_of_sample(i << 40);
        CHECK(ph_monitor_sample(id) == i << 40, "no inverse");
        enter(&s, id, (float)i, (float)i, 0);
    }
    stand_tick(&s);
    const ph_monitor_frame *f = take(&s);
    CHECK(f->points.count == 0 && (f->flags & PH_FRAME_NO_POINTS) && f->points.matched == 50, "%u points",
          f->points.count);
    give(&s, f);
    stand_close(&s);
}

/* More attribute sets than a worker keeps at hand: points have the kind and bits of their own. */
static void many_sets(void)
{
    enum { SETS = 300, AT_HAND = 64, APART = 3 };
    static stand s;
    stand_open(&s, 1, 1, &(ph_monitor_def){0});
    for (uint32_t i = 1; i <= SETS; i++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW | PH_KIND | PH_VEILED,
                                .x = (float)(APART * i),
                                .y = 10,
                                .view = (float)i,
                                .kind = i / AT_HAND % 2,
                                .veiled = i / AT_HAND % 3 == 0};
        CHECK_OK(ph_enter(s.producer, i, &attrs));
    }
    CHECK_OK(ph_monitor_watch(s.monitor, &WHOLE));
    stand_tick(&s);
    const ph_monitor_frame *f = take(&s);
    const ph_monitor_points *p = &f->points;
    const float width = f->view.x1 - f->view.x0;
    CHECK(p->count == SETS, "%u points", p->count);
    for (uint32_t i = 0; i < p->count; i++) {
        const float x = f->view.x0 + ((float)p->x[i] + 0.5f) * width / 65536;
        const uint32_t id = (uint32_t)(x / APART + 0.5f);
        CHECK(p->kinds[i] == id / AT_HAND % 2, "%u is of kind %u", id, p->kinds[i]);
        CHECK(((p->bits[i] & PH_POINT_VEILED) != 0) == (id / AT_HAND % 3 == 0), "the veil of %u", id);
    }
    give(&s, f);
    stand_close(&s);
}

/* ---- areas ---- */

static void areas(void)
{
    static stand s;
    stand_open(&s, 2, 1, &(ph_monitor_def){0});
    enter(&s, 1, 500, 500, 0);
    const ph_area circle = {.center = {100, 100}, .radius = 20, .margin = 3};
    const ph_area box = {.shape = PH_AREA_BOX, .low = {200, 210}, .high = {220, 240}, .margin = 2, .layers = 5};
    const ph_area corners = {.shape = PH_AREA_POLYGON, .corner_count = 3, .corners = {{0, 0}, {10, 0}, {0, 10}}};
    ph_area follows = {.center = {1, 2}, .radius = 5, .flags = PH_AREA_FOLLOW, .follow = 1};
    ph_area other = circle;
    other.flags = PH_AREA_IN_INSTANCE;
    other.instance = 7;
    CHECK_OK(ph_area_set(s.producer, 11, &circle));
    CHECK_OK(ph_area_set(s.producer, 12, &box));
    CHECK_OK(ph_area_set(s.producer, 13, &corners));
    CHECK_OK(ph_area_set(s.producer, 14, &follows));
    CHECK_OK(ph_area_set(s.producer, 15, &other));
    ph_monitor_view view = WHOLE;
    view.flags &= ~(uint32_t)PH_MONITOR_ANY_INSTANCE;
    CHECK_OK(ph_monitor_watch(s.monitor, &view));
    stand_tick(&s);
    CHECK_OK(ph_move(s.producer, 1, 600, 700, 0));
    const ph_monitor_frame *f = take(&s);
    give(&s, f);
    stand_tick(&s);
    f = take(&s);
    CHECK(f->area_count == 4 && f->areas_matched == 4, "%u areas", f->area_count);
    for (uint32_t i = 0; i < f->area_count; i++) {
        const ph_monitor_area *a = &f->areas[i];
        const bool good = a->id == 11   ? a->shape == PH_AREA_CIRCLE && (int)a->x == 100 && (int)a->radius == 20
                          : a->id == 12 ? a->shape == PH_AREA_BOX && (int)a->x == 200 && (int)a->to_y == 240 &&
                                              a->layers == 5 && (int)a->margin == 2
                          : a->id == 13 ? a->corner_count == 3 && (int)a->corners[1][0] == 10
                                        : a->id == 14 && a->follow == 1 && (int)a->x == 601 && (int)a->y == 702;
        CHECK(good, "area %u", (unsigned)a->id);
    }
    give(&s, f);
    view = (ph_monitor_view){.x0 = 250, .y0 = 250, .x1 = 300, .y1 = 300, .flags = PH_MONITOR_AREAS};
    CHECK_OK(ph_monitor_watch(s.monitor, &view));
    stand_tick(&s);
    f = take(&s);
    CHECK(f->area_count == 0 && f->points.count == 0 && f->grid.cells == 0 && !f->stats && !f->keys && !f->classes,
          "parts");
    give(&s, f);
    stand_close(&s);
}

/* ---- workers, crews ---- */

static void submit_world(stand *s, uint32_t tick)
{
    for (uint64_t id = 1; id <= 12000; id++) {
        const float x = (float)((id * 7919 + tick * 31 * (id % 5)) % (SIDE * 4)) / 4,
                    y = (float)((id * 104729) % (SIDE * 4)) / 4;
        if (tick == 0) enter(s, id, x, y, (uint32_t)(id % CLASSES));
        else CHECK_OK(ph_move(s->producer, id, x, y, 0));
    }
}

static void fill_world(stand *s, uint32_t tick)
{
    submit_world(s, tick);
    stand_tick(s);
}

static void same_points(const ph_monitor_frame *a, const ph_monitor_frame *b)
{
    const ph_monitor_points *p = &a->points, *q = &b->points;
    const size_t n = p->count;
    CHECK(p->count == q->count && p->matched == q->matched && p->stride == q->stride, "%u points, %u points", p->count,
          q->count);
    CHECK(memcmp(p->slots, q->slots, n * sizeof *p->slots) == 0 && memcmp(p->x, q->x, n * sizeof *p->x) == 0 &&
              memcmp(p->y, q->y, n * sizeof *p->y) == 0 && memcmp(p->kinds, q->kinds, n * sizeof *p->kinds) == 0 &&
              memcmp(p->bits, q->bits, n) == 0 && memcmp(p->steps, q->steps, n) == 0,
          "columns");
    const size_t cells = (size_t)PH_MONITOR_CELLS * PH_MONITOR_CELLS * sizeof(uint32_t);
    CHECK(memcmp(a->grid.counts, b->grid.counts, cells) == 0 && memcmp(a->grid.costs, b->grid.costs, cells) == 0,
          "grids");
    CHECK(a->focus.list_count == b->focus.list_count &&
              memcmp(a->focus.targets, b->focus.targets, a->focus.target_count * sizeof *a->focus.targets) == 0,
          "foci");
    CHECK(a->event_count == b->event_count && memcmp(a->events, b->events, a->event_count * sizeof *a->events) == 0,
          "events");
}

/* An entity that rests keeps its slot, whatever others leave slots free in front of it. */
static void free_slots(void)
{
    enum { ALL = 900, GONE = 7 }; /* a view of SIDE: each has an x of its own */
    static stand s;
    uint32_t slot_of[SIDE * 2] = {0};
    stand_open(&s, 1, 1, &(ph_monitor_def){0});
    for (uint64_t id = 1; id <= ALL; id++) enter(&s, id, (float)id + 0.5F, 5, 0);
    for (uint32_t t = 0; t < 2; t++) {
        stand_tick(&s);
        const ph_monitor_frame *f = take(&s);
        CHECK(f->points.count == (t == 0 ? ALL : ALL - ALL / GONE), "%u points", f->points.count);
        for (uint32_t i = 0; i < f->points.count; i++) {
            uint32_t *slot = &slot_of[(uint64_t)f->points.x[i] * SIDE / 65536];
            CHECK(t == 0 || *slot == f->points.slots[i], "point %u: slot %u, it was %u", i, f->points.slots[i], *slot);
            *slot = f->points.slots[i];
        }
        give(&s, f);
        for (uint64_t id = GONE; id <= ALL; id += GONE) CHECK_OK(t == 0 ? ph_leave(s.producer, id) : PH_OK);
    }
    stand_close(&s);
}

/* ---- parts ---- */

enum { SLOTS = 1 << 16 };

/* A point, by its slot. */
typedef struct slot_point {
    uint16_t x, y, kind;
    uint8_t bits, step;
    bool there;
    uint32_t since; /* the frame since which it is there; of the spread points: that renewed it */
} slot_point;

static bool same_point(const slot_point *a, const slot_point *b)
{
    return a->there && b->there && a->x == b->x && a->y == b->y && a->kind == b->kind && a->bits == b->bits &&
           a->step == b->step;
}

static slot_point point_at(const ph_monitor_points *p, uint32_t i, uint32_t frame)
{
    const uint8_t step = p->steps[i] & (uint8_t)~PH_POINT_STEP_KEPT;
    return (slot_point){p->x[i], p->y[i], p->kinds[i], p->bits[i], step, true, frame};
}

/* The points of a frame that shows all as they are. */
static void note_points(const ph_monitor_points *p, uint32_t frame, slot_point *now)
{
    static bool still[SLOTS];
    memset(still, 0, sizeof still);
    for (uint32_t i = 0; i < p->count; i++) {
        slot_point *point = &now[p->slots[i]];
        *point = point_at(p, i, point->there ? point->since : frame);
        still[p->slots[i]] = true;
    }
    for (uint32_t slot = 0; slot < SLOTS; slot++) now[slot].there = still[slot];
}

/* Each point is as it is now, or as it was in a frame of the last `parts`; no one that is there so long is missing. */
static void compare_spread(const ph_monitor_frame *f, uint32_t frame, uint32_t parts, const slot_point *now,
                           slot_point *known)
{
    static bool shown[SLOTS];
    const ph_monitor_points *p = &f->points;
    memset(shown, 0, sizeof shown);
    for (uint32_t i = 0; i < p->count; i++) {
        const uint32_t slot = p->slots[i];
        const slot_point point = point_at(p, i, frame);
        const bool kept = p->steps[i] & PH_POINT_STEP_KEPT;
        CHECK(i == 0 || slot > p->slots[i - 1], "slots have no order");
        CHECK(same_point(&point, kept ? &known[slot] : &now[slot]), "frame %u: slot %u, kept %d", frame, slot, kept);
        CHECK(!kept || frame - known[slot].since < parts, "frame %u: slot %u is of frame %u", frame, slot,
              known[slot].since);
        if (!kept) known[slot] = point;
        shown[slot] = true;
    }
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        CHECK(shown[slot] || !now[slot].there || frame - now[slot].since < parts, "frame %u: slot %u is not shown",
              frame, slot);
        known[slot].there = shown[slot];
    }
}

static void count_cells(const ph_monitor_frame *f)
{
    uint32_t cells = 0;
    for (uint32_t i = 0; i < PH_MONITOR_CELLS * PH_MONITOR_CELLS; i++) cells += f->grid.counts[i];
    CHECK(cells == f->points.matched, "%u in cells, %u in view", cells, f->points.matched);
    CHECK(f->points.stride > 1 || f->points.matched == f->points.count, "%u points", f->points.count);
}

/* A world that moves, leaves and migrates, as a whole and in parts. A new view renews all of them. */
static void spread(uint32_t shards, uint32_t workers, uint32_t parts, uint32_t points_max)
{
    enum { FRAMES = 40, NEW_VIEW = 25, GONE = 97 };
    static stand s;
    static slot_point now[SLOTS], known[SLOTS];
    const ph_monitor_def def = {.points_max = points_max};
    ph_monitor whole;
    ph_monitor_view view = WHOLE;
    memset(now, 0, sizeof now);
    memset(known, 0, sizeof known);
    stand_open(&s, shards, workers, &def);
    CHECK_OK(ph_monitor_open(s.world, &def, &whole));
    view.spread = 1;
    CHECK_OK(ph_monitor_watch(whole, &view));
    view.spread = parts;
    CHECK_OK(ph_monitor_watch(s.monitor, &view));
    for (uint32_t t = 0, first = 0, epoch = 0; t < FRAMES; t++) {
        const ph_monitor_frame *all;
        if (t < 20) submit_world(&s, t);
        for (uint64_t id = GONE * (1 + t % 20); t >= 20 && id <= 12000; id += 20 * GONE)
            CHECK_OK(ph_leave(s.producer, id));
        if (t == NEW_VIEW) CHECK_OK(ph_monitor_watch(s.monitor, &view));
        stand_tick(&s);
        CHECK_OK(ph_monitor_take(whole, &all));
        const ph_monitor_frame *f = take(&s);
        if (t == NEW_VIEW || f->points.slot_epoch != epoch) first = t;
        if (f->points.slot_epoch != epoch) memset(now, 0, sizeof now);
        epoch = f->points.slot_epoch;
        CHECK(f->points.slot_count < SLOTS && f->points.stride == all->points.stride, "stride %u", f->points.stride);
        CHECK(all->points.oldest == 0 && f->points.oldest == (t - first < parts ? t - first : parts - 1),
              "frame %u: the oldest of %u parts is of %u ticks before", t, parts, f->points.oldest);
        note_points(&all->points, t, now);
        compare_spread(f, t, parts, now, known);
        count_cells(f);
        give(&s, f);
        CHECK_OK(ph_monitor_return(whole, all));
    }
    CHECK_OK(ph_monitor_close(whole));
    stand_close(&s);
}

/* By default a frame renews a part of a large world's points, and all of a small one's. */
static void default_spread(uint32_t entities, uint32_t parts)
{
    static stand s;
    stand_open(&s, 1, 1, &(ph_monitor_def){0});
    for (uint64_t id = 1; id <= entities; id++) enter(&s, id, (float)(id % SIDE), (float)(id / SIDE % SIDE), 1);
    stand_tick(&s);
    give(&s, take(&s)); /* all parts are new */
    stand_tick(&s);
    const ph_monitor_frame *f = take(&s);
    uint32_t renewed = 0;
    for (uint32_t i = 0; i < f->points.count; i++) renewed += !(f->points.steps[i] & PH_POINT_STEP_KEPT);
    CHECK(f->view.spread == parts && f->points.count == entities, "%u parts of %u", f->view.spread, f->points.count);
    CHECK(parts == 1 ? renewed == entities : renewed > 0 && renewed <= entities * 3 / 2 / parts,
          "%u of %u are renewed, a part of %u", renewed, entities, parts);
    give(&s, f);
    stand_close(&s);
}

/* Any number of workers gives the same frame; costs are there. */
static void workers(void)
{
    static stand one, three;
    const ph_monitor_def def = {.points_max = 5000};
    ph_monitor_view view = WHOLE;
    uint64_t cost = 0, events = 0;
    view.focus = 18;
    stand_open(&one, 2, 1, &def);
    stand_open(&three, 2, 3, &def);
    CHECK_OK(ph_monitor_watch(one.monitor, &view));
    CHECK_OK(ph_monitor_watch(three.monitor, &view));
    for (uint32_t t = 0; t < 6; t++) {
        fill_world(&one, t);
        fill_world(&three, t);
        const ph_monitor_frame *a = take(&one), *b = take(&three);
        same_points(a, b);
        for (uint32_t i = 0; i < PH_MONITOR_CELLS * PH_MONITOR_CELLS; i++) cost += a->grid.costs[i];
        events += a->event_count;
        give(&one, a);
        give(&three, b);
    }
    CHECK(cost > 0 && events > 0, "cost %u, events %u", (unsigned)cost, (unsigned)events);
    stand_close(&one);
    stand_close(&three);
}

/* Costs are where observers are crowded, and are the costs of the tick, in each index. */
static void costs_of(ph_index index, ph_range by, uint32_t workers)
{
    enum { CROWD = 300, OTHERS = 100, TICKS = 5, LOW = PH_MONITOR_CELLS / 4 };
    static stand s;
    finds_by = index;
    range = by;
    stand_open(&s, 1, workers, &(ph_monitor_def){.points_max = 5000});
    CHECK_OK(ph_monitor_watch(s.monitor, &WHOLE));
    uint64_t all = 0, crowded = 0, tested = 0;
    for (uint32_t t = 0; t < TICKS; t++) {
        const float step = (float)t * 11;
        for (uint32_t i = 0; i < CROWD + OTHERS;
             i++) { /* the crowd within SIDE / 4 of a corner, others mixed with it */
            const bool lone = i % (CROWD / OTHERS + 1) == 0;
            const float x = (lone ? 300.0F + (float)(i * 37 % 600) : (float)(i * 29 % 180)) + step;
            const float y = (lone ? 300.0F + (float)(i * 61 % 600) : (float)(i * 53 % 180)) + step;
            if (t == 0) enter(&s, i + 1, x, y, 0);
            else CHECK_OK(ph_move(s.producer, i + 1, x, y, 0));
        }
        stand_tick(&s);
        ph_stats stats;
        CHECK_OK(ph_world_stats(s.world, &stats));
        const ph_monitor_frame *frame = take(&s);
        for (uint32_t i = 0; i < PH_MONITOR_CELLS * PH_MONITOR_CELLS; i++) {
            all += frame->grid.costs[i];
            crowded += i % PH_MONITOR_CELLS < LOW && i / PH_MONITOR_CELLS < LOW ? frame->grid.costs[i] : 0;
        }
        tested += stats.last_pairs_tested;
        give(&s, frame);
    }
    CHECK(all <= tested && 10 * all > 9 * tested, "index %d, range %d: costs %u of %u", (int)index, (int)by,
          (unsigned)all, (unsigned)tested);
    CHECK(10 * crowded > 8 * all, "index %d, range %d: %u of %u where the crowd is", (int)index, (int)by,
          (unsigned)crowded, (unsigned)all);
    stand_close(&s);
    finds_by = PH_INDEX_LIGHTHOUSE;
    range = PH_RANGE_RADIUS;
}

static void costs(void)
{
    costs_of(PH_INDEX_LIGHTHOUSE, PH_RANGE_RADIUS, 2);
    costs_of(PH_INDEX_LIGHTHOUSE, PH_RANGE_TOWERS, 1);
    costs_of(PH_INDEX_LIGHTHOUSE, PH_RANGE_TOWERS, 2);
    costs_of(PH_INDEX_GRID, PH_RANGE_RADIUS, 1);
    costs_of(PH_INDEX_BRUTE, PH_RANGE_RADIUS, 2);
    costs_of(PH_INDEX_QUADTREE, PH_RANGE_RADIUS, 2);
    costs_of(PH_INDEX_TOWERS, PH_RANGE_TOWERS, 2);
}

/* Worlds of a crew, which tick together, shared or each by one worker, have the frames of a world alone. */
static void crews(uint32_t entities)
{
    enum { WORLDS = 3, CREW = 3 };
    static stand alone, many[WORLDS];
    const ph_monitor_def def = {.points_max = 5000};
    const ph_crew_def crew_def = {.workers = CREW};
    ph_world worlds[WORLDS];
    ph_status statuses[WORLDS];
    ph_monitor_view view = WHOLE;
    view.focus = 18;
    stand_open(&alone, 2, 1, &def);
    CHECK_OK(ph_monitor_watch(alone.monitor, &view));
    CHECK_OK(ph_crew_create(&crew_def, &crew));
    share_min = entities;
    for (uint32_t i = 0; i < WORLDS; i++) {
        stand_open(&many[i], 2, 1, &def);
        CHECK_OK(ph_monitor_watch(many[i].monitor, &view));
        worlds[i] = many[i].world;
    }
    for (uint32_t t = 0; t < 4; t++) {
        fill_world(&alone, t);
        for (uint32_t i = 0; i < WORLDS; i++) submit_world(&many[i], t);
        CHECK_OK(ph_tick_many(worlds, WORLDS, statuses));
        const ph_monitor_frame *right = take(&alone);
        for (uint32_t i = 0; i < WORLDS; i++) {
            const ph_batch *batch;
            while (ph_batch_take(many[i].consumer, &batch) == PH_OK) CHECK_OK(ph_batch_return(many[i].consumer, batch));
            const ph_monitor_frame *f = take(&many[i]);
            same_points(right, f);
            give(&many[i], f);
        }
        give(&alone, right);
    }
    for (uint32_t i = 0; i < WORLDS; i++) stand_close(&many[i]);
    CHECK_OK(ph_crew_destroy(crew));
    crew = (ph_crew){0};
    share_min = 0;
    stand_close(&alone);
}

/* ---- ticks: every, skipped, apply, many, live keys ---- */

static void ticks(void)
{
    static stand s;
    ph_status status;
    stand_open(&s, 1, 1, &(ph_monitor_def){.every = 3});
    ph_monitor_view view = WHOLE;
    view.focus = 1;
    CHECK_OK(ph_monitor_watch(s.monitor, &view));
    enter(&s, 1, 100, 100, 0);
    for (uint32_t t = 1; t <= 3; t++) stand_tick(&s);
    const ph_monitor_frame *f = take(&s);
    CHECK(f->tick == 3 && f->sequence == 1 && f->event_count == 0, "tick %u", (unsigned)f->tick);
    CHECK(f->focus.attrs.given == (PH_POSITION | PH_KIND | PH_USER_DATA), "its own: %x", f->focus.attrs.given);
    for (uint32_t t = 4; t <= 10; t++) { /* 6 and 9 are skipped; target 2 comes, and goes */
        if (t == 5) enter(&s, 2, 120, 100, 0);
        if (t == 8) CHECK_OK(ph_leave(s.producer, 2));
        stand_tick(&s);
        CHECK_OK(ph_monitor_fill(s.world)); /* as in a pause: no frame is skipped once more */
    }
    give(&s, f);
    CHECK_OK(ph_apply(s.world));
    CHECK_STATUS(ph_monitor_take(s.monitor, &f), PH_EMPTY);
    s.def.sticky = 2;
    s.def.crowd_entities = 9;
    s.classes[1].view = 77;
    s.classes[2] = ph_class_default("third"); /* one more than the monitor had when it was opened */
    s.classes[2].view = 78;
    s.def.class_count = CLASSES + 1;
    CHECK_OK(ph_world_reconfigure(s.world, &s.def, NULL, 0));
    CHECK_OK(ph_tick_many(&s.world, 1, &status));
    CHECK_STATUS(ph_monitor_take(s.monitor, &f), PH_EMPTY);
    CHECK_OK(ph_tick_many(&s.world, 1, &status));
    f = take(&s);
    CHECK(f->tick == 12 && f->sequence == 2 && f->skipped == 2 && (f->flags & PH_FRAME_SKIPPED), "tick %u",
          (unsigned)f->tick);
    CHECK(f->event_count == 2 && f->events[0].enter && f->events[0].tick == 5 && f->events[0].target == 2 &&
              f->events[0].cause == PH_CAUSE_APPEARED && !f->events[1].enter && f->events[1].tick == 8 &&
              f->events[1].cause == PH_CAUSE_GONE,
          "%u events", f->event_count);
    CHECK(f->keys && f->keys->generation == 1 && f->keys->crowd_entities == 9 && f->keys->class_count == CLASSES + 1,
          "keys");
    CHECK(f->classes && f->classes[1].view == 77 && f->classes[2].view == 78, "classes");
    give(&s, f);
    stand_close(&s);
}

/* No memory for a class that a definition adds: the frame has keys and no classes, the next one has them. */
static void no_class_memory(void)
{
    enum { ALLOCATIONS = 200 };
    static stand s;
    bool found = false;
    for (uint64_t n = 1; n <= ALLOCATIONS && !found; n++) {
        stand_open(&s, 1, 1, &(ph_monitor_def){0});
        stand_tick(&s);
        give(&s, take(&s));
        s.classes[2] = ph_class_default("third");
        s.classes[2].view = 78;
        s.def.class_count = CLASSES + 1;
        CHECK_OK(ph_world_reconfigure(s.world, &s.def, NULL, 0));
        fail_alloc_order(&s.memory, n, false);
        const ph_status status = ph_tick(s.world, NULL);
        fail_alloc_order(&s.memory, 0, false);
        if (status == PH_NO_MEMORY) stand_tick(&s);
        const ph_monitor_frame *f = take(&s);
        CHECK(f->keys && f->keys->class_count == CLASSES + 1, "keys");
        found = !f->classes;
        give(&s, f);
        stand_tick(&s);
        f = take(&s);
        CHECK(f->classes && f->classes[2].view == 78, "allocation %u: the next frame has no classes", (unsigned)n);
        give(&s, f);
        stand_close(&s);
    }
    CHECK(found, "no allocation was of classes");
}

static uint64_t followed(const stand *s)
{
    ph_monitor_stats stats;
    CHECK_OK(ph_monitor_stats_get(s->monitor, &stats));
    return stats.followed;
}

static uint64_t cost_of(const ph_monitor_frame *f)
{
    uint64_t cost = 0;
    for (uint32_t i = 0; i < PH_MONITOR_CELLS * PH_MONITOR_CELLS; i++) cost += f->grid.costs[i];
    return cost;
}

/* In each tick another one steps into the list of 1, and out of it in the next one; all others walk. */
static void sleep_tick(stand *s, uint64_t t)
{
    for (uint64_t id = 10; id < 40; id++) CHECK_OK(ph_move(s->producer, id, 600 + (float)id + (float)(t % 2), 600, 0));
    CHECK_OK(ph_move(s->producer, 2, t % 2 == 0 ? 120 : 400, 100, 0));
    stand_tick(s);
}

/* At least so long. */
static void wait_ms(uint32_t ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0) continue;
}

/* Of ticks that are fast however many frames are skipped, while the time has not passed: the focus is followed. */
static void stays_awake(ph_range by)
{
    enum { MANY = 5 * PH_MONITOR_SKIPS_MAX };
    static stand s;
    range = by;
    stand_open(&s, 1, 1, &(ph_monitor_def){.asleep_ms = PH_MONITOR_ASLEEP_MS_MAX}); /* twelve days */
    ph_monitor_view view = WHOLE;
    view.focus = 1;
    CHECK_OK(ph_monitor_watch(s.monitor, &view));
    enter(&s, 1, 100, 100, 0);
    enter(&s, 2, 120, 100, 0);
    for (uint64_t id = 10; id < 40; id++) enter(&s, id, 600, 600, 0);
    uint64_t t = 1;
    for (; t <= 2; t++) sleep_tick(&s, t);
    const ph_monitor_frame *f = take(&s);
    for (uint64_t end = t + MANY; t < end; t++) {
        const uint64_t before = followed(&s);
        sleep_tick(&s, t);
        CHECK(followed(&s) - before == 1, "tick %u: it is not followed", (unsigned)t);
    }
    give(&s, f);
    sleep_tick(&s, t);
    f = take(&s);
    CHECK(f->skipped >= MANY && !(f->flags & PH_FRAME_UNFOLLOWED), "%u skipped", (unsigned)f->skipped);
    CHECK(f->event_count >= MANY && cost_of(f) > 0, "%u events", f->event_count);
    give(&s, f);
    stand_close(&s);
    range = PH_RANGE_RADIUS;
}

/* A monitor with a frame out costs nothing after PH_MONITOR_SKIPS_MAX frames and its time: no list is read, no
   place of a cost is noted; another one is served beside it. Its next frame has the list whole, and says that events
   are left out. */
static void sleeps(ph_range by, uint32_t every, bool beside)
{
    enum { LONG = 60 };
    static stand s;
    ph_monitor other;
    const ph_monitor_frame *f, *g;
    range = by;
    stand_open(&s, 1, 1, &(ph_monitor_def){.every = every, .asleep_ms = 1});
    if (beside) CHECK_OK(ph_monitor_open(s.world, &(ph_monitor_def){0}, &other));
    ph_monitor_view view = WHOLE;
    view.focus = 1;
    CHECK_OK(ph_monitor_watch(s.monitor, &view));
    enter(&s, 1, 100, 100, 0);
    enter(&s, 2, 120, 100, 0);
    for (uint64_t id = 10; id < 40; id++) enter(&s, id, 600, 600, 0);
    uint64_t t = 1;
    for (; t <= 2 * every; t++) sleep_tick(&s, t);
    f = take(&s);
    CHECK(!(f->flags & PH_FRAME_UNFOLLOWED), "it has slept");
    wait_ms(2); /* longer than asleep_ms: from here on frames decide */
    for (; t <= (2 + PH_MONITOR_SKIPS_MAX + LONG) * every; t++) {
        const uint64_t before = followed(&s);
        sleep_tick(&s, t);
        const bool asleep = t / every >= 1 + PH_MONITOR_SKIPS_MAX && t > (1 + PH_MONITOR_SKIPS_MAX) * every;
        CHECK(followed(&s) - before == !asleep, "tick %u: it is followed, or not", (unsigned)t);
        if (beside) {
            CHECK_OK(ph_monitor_take(other, &g));
            CHECK(t < 3 || cost_of(g) > 0, "tick %u: another monitor has no costs", (unsigned)t);
            CHECK_OK(ph_monitor_return(other, g));
        }
    }
    give(&s, f);
    for (uint64_t end = t + every; t < end; t++) sleep_tick(&s, t);
    f = take(&s);
    CHECK((f->flags & PH_FRAME_UNFOLLOWED) && f->skipped >= PH_MONITOR_SKIPS_MAX, "%u skipped", (unsigned)f->skipped);
    CHECK(f->focus.found && f->focus.list_count == (f->tick % 2 == 0), "tick %u: a list of %u", (unsigned)f->tick,
          f->focus.list_count);
    CHECK(f->event_count > PH_MONITOR_SKIPS_MAX * every / 2 &&
              f->events[f->event_count - 1].tick <= (2 + PH_MONITOR_SKIPS_MAX) * every,
          "%u events, the last one of tick %u", f->event_count, (unsigned)f->events[f->event_count - 1].tick);
    CHECK((cost_of(f) > 0) == (by == PH_RANGE_RADIUS || beside), "costs in the first frame: places were noted");
    give(&s, f);
    for (uint64_t end = t + every; t < end; t++) sleep_tick(&s, t);
    f = take(&s);
    CHECK(!(f->flags & PH_FRAME_UNFOLLOWED) && f->event_count == every && cost_of(f) > 0, "%u events", f->event_count);
    for (uint32_t i = 0; i < f->event_count; i++)
        CHECK(f->events[i].target == 2 && f->events[i].enter == (f->events[i].tick % 2 == 0), "event %u", i);
    give(&s, f);
    stand_close(&s);
    range = PH_RANGE_RADIUS;
}

/* Ten events, and room for four. */
static void lost_events(void)
{
    static stand s;
    stand_open(&s, 1, 1, &(ph_monitor_def){.events_max = 4, .targets_max = 20});
    ph_monitor_view view = WHOLE;
    view.focus = 1;
    CHECK_OK(ph_monitor_watch(s.monitor, &view));
    enter(&s, 1, 100, 100, 0);
    stand_tick(&s);
    give(&s, take(&s));
    for (uint64_t id = 2; id < 12; id++) enter(&s, id, 100, 100, 0);
    stand_tick(&s);
    const ph_monitor_frame *f = take(&s);
    CHECK(f->event_count == 4 && f->events_lost == 6 && f->events[3].target == 5, "%u, %u", f->event_count,
          f->events_lost);
    give(&s, f);
    CHECK_OK(ph_leave(s.producer, 3)); /* and comes again: a leave, an enter */
    enter(&s, 3, 100, 100, 0);
    stand_tick(&s);
    f = take(&s);
    CHECK(f->event_count == 2 && !f->events[0].enter && f->events[0].cause == PH_CAUSE_GONE && f->events[1].enter &&
              f->events[1].cause == PH_CAUSE_APPEARED && f->events[1].target == 3,
          "%u events of another stay", f->event_count);
    give(&s, f);
    for (uint64_t id = 12; id < 40; id++) enter(&s, id, 100, 100, 0);
    stand_tick(&s);
    f = take(&s);
    CHECK(f->focus.cut && f->focus.list_count == 38 && f->focus.target_count == 20 && f->event_count == 0, "cut");
    for (uint32_t i = 0; i < 20; i++) CHECK(f->focus.targets[i].id == i + 2, "the first by rank");
    give(&s, f);
    stand_close(&s);
}

/* ---- random bytes ---- */

static void random_bytes(uint64_t seed)
{
    static stand s;
    uint64_t rng = seed, taken = 0, shown = 0;
    stand_open(&s, 2, 1, &(ph_monitor_def){.points_max = 50, .questions = 64, .hits_max = 100});
    for (uint64_t id = 1; id <= 200; id++) enter(&s, id, (float)(id * 5), (float)(id % 50) * 20, 0);
    for (uint64_t i = 0; i < test_amount(20000); i++) {
        ph_monitor_view view;
        ph_monitor_question question;
        for (size_t b = 0; b < sizeof view; b++) ((uint8_t *)&view)[b] = (uint8_t)phx_rng_next(&rng);
        for (size_t b = 0; b < sizeof question; b++) ((uint8_t *)&question)[b] = (uint8_t)phx_rng_next(&rng);
        if (i % 2 == 0) {
            view.spread %= PH_MONITOR_SPREAD_MAX + 1;
            memset(view.reserved2, 0, sizeof view.reserved2);
            view.flags &= 127;
        }
        if (i % 2 == 0)
            question.reserved = 0, memset(question.reserved2, 0, sizeof question.reserved2),
            question.kind = (ph_monitor_ask_kind)(i / 2 % 6);
        if (i % 4 == 0) question.most %= 300, question.id %= 210, question.other %= 210, question.flags &= 64;
        shown += ph_monitor_watch(s.monitor, &view) == PH_OK;
        taken += ph_monitor_ask(s.monitor, &question) == PH_OK;
        if (i % 8 != 0) continue;
        stand_tick(&s);
        give(&s, take(&s));
    }
    CHECK(taken > 0 && shown > 0, "nothing passes");
    stand_close(&s);
}

int main(int argc, char **argv)
{
    spread(2, 3, 2, 20000);
    default_spread(100000, 8);
    workers();
    costs();
    crews(0);
    if (test_threads_alone()) return check_done("monitor_calls"); /* the others have one, or as many as above */
    handles();
    memory();
    samples();
    hostile_ids();
    many_sets();
    free_slots();
    areas();
    spread(1, 1, 3, 20000);
    spread(3, 2, PH_MONITOR_SPREAD_MAX, 20000);
    spread(1, 2, 2, 5000); /* a sample */
    default_spread(10000, 1);
    crews(100000);
    ticks();
    lost_events();
    no_class_memory();
    stays_awake(PH_RANGE_RADIUS);
    stays_awake(PH_RANGE_TOWERS);
    for (uint32_t i = 0; i < 8; i++)
        sleeps(i % 2 == 0 ? PH_RANGE_RADIUS : PH_RANGE_TOWERS, i / 2 % 2 == 0 ? 1 : 3, i / 4 == 1);
    random_bytes(option_number(argc, argv, "--seed", 7));
    return check_done("monitor_calls");
}

/*
 * Frames against readers; see watch.h.
 */
#include "support/watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/monitor.h>

#include "base/rng.h"
#include "support/check.h"

enum { POINTS_MAX = 24, TARGETS_MAX = 40, EVENTS_MAX = 30, HITS_MAX = 50, IDS = SCRIPT_IDS_MAX };

typedef struct watch_state {
    const script *script;
    ph_world world;
    ph_monitor monitor;
    uint64_t rng;
    ph_monitor_view view;         /* that was watched last */
    const ph_monitor_frame *held; /* not returned yet */
    uint64_t skipped;             /* due ticks since the last frame */
    uint64_t focus;               /* that `list` is of */
    uint64_t list[IDS];           /* of the focus, at the end of the last tick */
    uint32_t list_count;
    bool list_known;
    uint32_t events_due; /* differences since the last frame, at least */
    uint32_t questions;  /* that wait */
    ph_monitor_question asked[PH_MONITOR_QUESTIONS_MAX];
    bool entering[IDS]; /* a command to enter was submitted since the last tick */
    ph_world_def def;
} watch_state;

static watch_state at;
static watch_sums sums;
static subject_type watched;

/* ---- points ---- */

typedef struct plain_point {
    uint16_t x, y, kind;
    uint8_t bits, steps; /* the ones that readers tell */
} plain_point;

static int by_fields(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(plain_point));
}

static uint16_t scaled(float p, float from, float to)
{
    const float scale = 65536.0f / (to - from), place = (p - from) * scale;
    return place >= 65535.0f ? 65535 : (uint16_t)place;
}

static bool in_view(const ph_monitor_view *view, const ph_attrs *a)
{
    if (!(a->x >= view->x0 && a->x <= view->x1 && a->y >= view->y0 && a->y <= view->y1)) return false;
    return (view->flags & PH_MONITOR_ANY_INSTANCE) || a->instance == view->instance;
}

static const uint8_t TOLD =
    PH_POINT_OBSERVER | PH_POINT_NOT_READY | PH_POINT_GLOBAL | PH_POINT_VEILED | PH_POINT_CAPPED;
static const uint8_t STEPS_TOLD = PH_POINT_STEP_STEALTHY | PH_POINT_STEP_REMOTE;

/* Of the focus; 0, if it is not in the world. */
static uint8_t detect_of(uint64_t focus)
{
    ph_attrs a;
    return focus != 0 && ph_entity_get(at.world, focus, &a) == PH_OK ? a.detect : 0;
}

static plain_point expected_point(const ph_monitor_view *view, uint64_t id, const ph_attrs *a)
{
    uint32_t listed = 0;
    uint8_t bits = a->ready && !a->remote && a->view > 0 ? PH_POINT_OBSERVER : 0;
    CHECK_OK(ph_list(at.world, id, NULL, 0, &listed));
    if (!a->ready) bits |= PH_POINT_NOT_READY;
    if (a->global) bits |= PH_POINT_GLOBAL;
    if (a->veiled) bits |= PH_POINT_VEILED;
    if (a->cap > 0 && listed >= a->cap) bits |= PH_POINT_CAPPED;
    const uint8_t steps = (uint8_t)((a->remote ? PH_POINT_STEP_REMOTE : 0) |
                                    (a->stealth > detect_of(view->focus) ? PH_POINT_STEP_STEALTHY : 0));
    return (plain_point){scaled(a->x, view->x0, view->x1), scaled(a->y, view->y0, view->y1), (uint16_t)a->kind, bits,
                         steps};
}

static void compare_sums(const ph_monitor_frame *f, const ph_stats *stats)
{
    uint64_t attached = 0, awake = 0, shrunk = 0;
    for (uint32_t i = 0; i < f->points.count; i++) {
        attached += (f->points.bits[i] & PH_POINT_ATTACHED) != 0;
        awake += (f->points.bits[i] & PH_POINT_AWAKE) != 0;
        shrunk += (f->points.steps[i] & ~STEPS_TOLD) > 0;
    }
    CHECK(attached == stats->attached && awake == stats->awake && shrunk == stats->crowd_observers,
          "tick %" PRIu64 ": bits say %" PRIu64 " attached, %" PRIu64 " awake, %" PRIu64 " shrunk", f->tick, attached,
          awake, shrunk);
}

/* Does the id stand in the pool already? */
static bool is_twice(uint32_t place)
{
    for (uint32_t i = 0; i < place; i++)
        if (at.script->ids[i] == at.script->ids[place]) return true;
    return false;
}

static void compare_points(const ph_monitor_frame *f)
{
    plain_point wanted[IDS], got[IDS];
    static uint32_t cells[PH_MONITOR_CELLS * PH_MONITOR_CELLS];
    const ph_monitor_points *p = &f->points;
    const ph_monitor_view *view = &f->view;
    uint32_t matched = 0, count = 0;
    ph_stats stats;
    memset(cells, 0, sizeof cells);
    for (uint32_t i = 0; i < at.script->id_count; i++) {
        const uint64_t id = at.script->ids[i];
        ph_attrs a;
        if (is_twice(i)) continue;
        if (ph_entity_get(at.world, id, &a) != PH_OK || !in_view(view, &a)) continue;
        const plain_point point = expected_point(view, id, &a);
        matched++;
        cells[point.y / 1024 * PH_MONITOR_CELLS + point.x / 1024]++;
        if (ph_monitor_sample(id) % p->stride == 0) wanted[count++] = point;
    }
    const bool points = view->flags & PH_MONITOR_POINTS, grid = view->flags & PH_MONITOR_GRID;
    CHECK(p->matched == (points || grid ? matched : 0), "tick %" PRIu64 ": %u in view, not %u", f->tick, p->matched,
          matched);
    CHECK(f->grid.cells == (grid ? PH_MONITOR_CELLS : 0), "the grid has %u cells", f->grid.cells);
    CHECK(!grid || memcmp(cells, f->grid.counts, sizeof cells) == 0, "tick %" PRIu64 ": other cells", f->tick);
    if (!points) count = 0;
    if (!CHECK(p->count == count && p->count <= view->points_max, "tick %" PRIu64 ": %u points of stride %u, not %u",
               f->tick, p->count, p->stride, count))
        return;
    for (uint32_t i = 0; i < count; i++) {
        got[i] = (plain_point){p->x[i], p->y[i], p->kinds[i], p->bits[i] & TOLD, p->steps[i] & STEPS_TOLD};
        CHECK(p->slots[i] < p->slot_count && (i == 0 || p->slots[i] > p->slots[i - 1]), "slots have no order");
    }
    qsort(wanted, count, sizeof *wanted, by_fields);
    qsort(got, count, sizeof *got, by_fields);
    CHECK(memcmp(wanted, got, count * sizeof *got) == 0, "tick %" PRIu64 ": other points", f->tick);
    CHECK(((f->flags & PH_FRAME_DECIMATED) != 0) == (p->stride > 1), "flags say otherwise about stride %u", p->stride);
    sums.points += count;
    sums.samples += p->stride > 1;
    CHECK_OK(ph_world_stats(at.world, &stats));
    if (count == stats.entities) compare_sums(f, &stats);
}

/* ---- shards, statistics ---- */

static void compare_parts(const ph_monitor_frame *f)
{
    static ph_shard_stats shards[PH_SHARDS_MAX];
    ph_stats stats;
    uint32_t count;
    CHECK_OK(ph_world_stats(at.world, &stats));
    CHECK(f->entities == stats.entities && f->tick == stats.ticks, "a frame of another tick");
    if (f->stats) CHECK(memcmp(f->stats, &stats, offsetof(ph_stats, monitor_ns)) == 0, "other statistics");
    CHECK(!f->keys || (f->keys->shape == (uint32_t)at.def.shape || f->keys->generation > 0), "other keys");
    CHECK(!f->keys == !f->classes, "classes without keys");
    for (uint32_t i = 0; f->keys && f->keys->generation == 0 && i < f->keys->class_count; i++)
        CHECK(memcmp(&f->classes[i], &at.def.classes[i], sizeof *f->classes) == 0, "other classes");
    if (f->shard_count == 0) return;
    CHECK_OK(ph_world_shard_stats(at.world, shards, PH_SHARDS_MAX, &count));
    CHECK(count == f->shard_count, "%u shards", f->shard_count);
    for (uint32_t i = 0; i < count && i < f->shard_count; i++) {
        const ph_monitor_shard *s = &f->shards[i];
        CHECK(s->entities == shards[i].entities && s->observers == shards[i].observers &&
                  s->ghosts == shards[i].ghosts && s->list_entries == shards[i].list_entries &&
                  s->migrations == shards[i].migrations && s->interest_ns == shards[i].interest_ns &&
                  s->publish_ns == shards[i].publish_ns && s->bytes == shards[i].bytes,
              "shard %u", i);
    }
}

/* ---- the focus ---- */

static bool same_attrs(const ph_attrs *a, const ph_attrs *b)
{
    return memcmp(a, b, offsetof(ph_attrs, reserved_bytes)) == 0;
}

/* As ph_entity_get() has them, but for the bits of the ones that the host gave, a part of all. */
static bool same_focus_attrs(const ph_attrs *focus, const ph_attrs *all)
{
    ph_attrs own = *all;
    own.given = focus->given;
    return (focus->given & ~all->given) == 0 && (focus->given & PH_POSITION) == PH_POSITION && same_attrs(focus, &own);
}

static int by_id(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static float square_of(const ph_attrs *o, const ph_attrs *t)
{
    const float dx = t->x - o->x, dy = t->y - o->y, dz = t->z - o->z, d2 = dx * dx + dy * dy;
    return at.def.shape == PH_SHAPE_SPHERE ? d2 + dz * dz : d2;
}

/* Stands a before b at a cap, both in the list? */
static bool is_before(const ph_monitor_target *a, const ph_monitor_target *b, const ph_attrs *o)
{
    ph_attrs x, y;
    CHECK_OK(ph_entity_get(at.world, a->id, &x));
    CHECK_OK(ph_entity_get(at.world, b->id, &y));
    const bool p = a->reason == PH_REASON_GLOBAL || a->reason == PH_REASON_LINK;
    const bool q = b->reason == PH_REASON_GLOBAL || b->reason == PH_REASON_LINK;
    if (p != q) return p;
    if (x.priority != y.priority) return x.priority > y.priority;
    const float c = square_of(o, &x), d = square_of(o, &y);
    return c < d || (!(d < c) && a->id < b->id);
}

static uint32_t upper_hash(uint64_t id)
{
    return (uint32_t)(ph_monitor_sample(id) >> 32);
}

static void compare_band(const ph_monitor_frame *f, const ph_monitor_target *t, const ph_attrs *o, const ph_attrs *a)
{
    const ph_class *class = &at.def.classes[o->kind];
    uint32_t band = 0;
    if (class->band_count == 0) {
        CHECK(t->band == 255, "a band of a class without");
        return;
    }
    while (band + 1 < class->band_count && !(square_of(o, a) <= class->bands[band].radius * class->bands[band].radius))
        band++;
    const uint64_t h = ((upper_hash(f->focus.id) ^ upper_hash(t->id)) * 2654435769u) >> 16;
    CHECK(t->band == band && (f->tick + t->due + h) % class->bands[band].every == 0 &&
              t->due < class->bands[band].every,
          "tick %" PRIu64 ": band %u, due in %u", f->tick, t->band, t->due);
}

static void compare_target(const ph_monitor_frame *f, uint32_t i)
{
    const ph_monitor_target *t = &f->focus.targets[i];
    ph_attrs a;
    ph_explanation why;
    if (!CHECK_OK(ph_entity_get(at.world, t->id, &a))) return;
    CHECK_OK(ph_explain(at.world, f->focus.id, t->id, &why));
    CHECK(t->reason == why.reason, "tick %" PRIu64 ": %" PRIu64 " sees %" PRIu64 " as %u, not %u", f->tick, f->focus.id,
          t->id, t->reason, why.reason);
    CHECK(memcmp(&t->x, &a.x, sizeof a.x) == 0 && memcmp(&t->y, &a.y, sizeof a.y) == 0, "another place");
    CHECK(t->rank == i + 1, "rank");
    CHECK(i == 0 || is_before(&t[-1], t, &f->focus.attrs), "tick %" PRIu64 ": another order of ranks", f->tick);
    compare_band(f, t, &f->focus.attrs, &a);
}

static void compare_focus(const ph_monitor_frame *f)
{
    uint64_t ids[IDS], got[IDS];
    uint32_t count = 0;
    ph_attrs a;
    const ph_monitor_focus *focus = &f->focus;
    const bool there = focus->id != 0 && ph_entity_get(at.world, focus->id, &a) == PH_OK;
    CHECK(focus->found == there, "the focus is found, or not");
    if (!there) return;
    CHECK(same_focus_attrs(&focus->attrs, &a), "other attributes");
    CHECK(focus->step == 0 ? memcmp(&focus->view_given, &a.view, sizeof a.view) == 0 : focus->view_given >= a.view,
          "shrunk");
    CHECK_OK(ph_list(at.world, focus->id, ids, IDS, &count));
    CHECK(focus->list_count == count && focus->target_count == (count < TARGETS_MAX ? count : TARGETS_MAX) &&
              focus->cut == (count > TARGETS_MAX),
          "tick %" PRIu64 ": list of %u", f->tick, focus->list_count);
    for (uint32_t i = 0; i < focus->target_count; i++) {
        compare_target(f, i);
        got[i] = focus->targets[i].id;
    }
    qsort(got, focus->target_count, sizeof *got, by_id);
    qsort(ids, count, sizeof *ids, by_id);
    CHECK(focus->cut || memcmp(got, ids, count * sizeof *ids) == 0, "another list");
    sums.targets += focus->target_count;
}

/* ---- events ---- */

static bool has_id(const uint64_t *ids, uint32_t count, uint64_t id)
{
    return bsearch(&id, ids, count, sizeof *ids, by_id) != NULL;
}

static bool hides(ph_reason reason)
{
    return reason == PH_REASON_INSTANCE || reason == PH_REASON_HIDDEN || reason == PH_REASON_LAYERS ||
           reason == PH_REASON_STEALTH || reason == PH_REASON_VEILED;
}

/* May the id have entered in this tick? */
static bool may_be_new(uint64_t id)
{
    for (uint32_t i = 0; i < at.script->id_count; i++)
        if (at.script->ids[i] == id) return at.entering[i];
    return false;
}

/* The cause of an event of the frame's own tick, as the rules say now; again: the target left and entered. */
static void compare_cause(const ph_monitor_frame *f, const ph_monitor_event *e, bool again)
{
    ph_explanation why;
    if (e->enter) {
        CHECK(e->cause == PH_CAUSE_CAME || (e->cause == PH_CAUSE_APPEARED && may_be_new(e->target)), "it came");
        CHECK(!again || e->cause == PH_CAUSE_APPEARED, "it appeared");
        return;
    }
    const ph_status status = ph_explain(at.world, f->focus.id, e->target, &why);
    if (again || status == PH_UNKNOWN_ID) {
        CHECK(e->cause == PH_CAUSE_GONE, "it is gone, not %u", e->cause);
        return;
    }
    if (e->cause == PH_CAUSE_GONE && may_be_new(e->target)) return; /* it entered, and is not seen */
    if (why.reason == PH_REASON_NOT_READY || why.reason == PH_REASON_NO_VIEW) return;
    if (hides(why.reason)) CHECK(e->cause == PH_CAUSE_HIDDEN, "hidden, not %u", e->cause);
    else if (why.reason == PH_REASON_CAP) CHECK(e->cause == PH_CAUSE_OUTRANKED, "outranked, not %u", e->cause);
    else CHECK(e->cause == PH_CAUSE_RANGE || e->cause == PH_CAUSE_OUTRANKED, "range, not %u", e->cause);
}

/* Notes this tick's differences; returns whether the frame's events can be compared with them. */
static void follow_list(uint64_t *before, uint32_t *before_count, bool *known)
{
    uint64_t now[IDS];
    uint32_t count = 0;
    *before_count = at.list_count;
    *known = at.list_known && at.focus == at.view.focus;
    memcpy(before, at.list, sizeof at.list);
    const bool there = at.view.focus != 0 && ph_list(at.world, at.view.focus, now, IDS, &count) == PH_OK;
    qsort(now, count, sizeof *now, by_id);
    memcpy(at.list, now, count * sizeof *now);
    at.list_count = count;
    at.list_known = there && count <= TARGETS_MAX;
    at.focus = at.view.focus;
    *known &= at.list_known && !may_be_new(at.focus);
}

/* Of a frame that follows the last one at once: its events lead from the list before to the list now. */
static void compare_events(const ph_monitor_frame *f, const uint64_t *before, uint32_t before_count)
{
    uint32_t differences = 0;
    for (uint32_t i = 0; i < before_count; i++) differences += !has_id(at.list, at.list_count, before[i]);
    for (uint32_t i = 0; i < at.list_count; i++) differences += !has_id(before, before_count, at.list[i]);
    uint32_t told = 0;
    bool entered = false;
    for (uint32_t i = 0; i < f->event_count; i++) {
        const ph_monitor_event *e = &f->events[i];
        const bool was = has_id(before, before_count, e->target), is = has_id(at.list, at.list_count, e->target);
        CHECK(e->tick == f->tick, "an event of tick %" PRIu64, e->tick);
        CHECK(e->enter ? is : was, "tick %" PRIu64 ": %s of %" PRIu64, f->tick, e->enter ? "enter" : "leave",
              e->target);
        CHECK(!entered || e->enter, "a leave behind an enter");
        CHECK(i == 0 || entered != (e->enter != 0) || f->events[i - 1].target < e->target, "order of events");
        entered = e->enter;
        compare_cause(f, e, was && is);
        told += was != is;
    }
    CHECK(f->events_lost > 0 || told == differences, "tick %" PRIu64 ": %u events, not %u", f->tick, told, differences);
    CHECK(f->events_lost == 0 || f->event_count == EVENTS_MAX, "events are lost, and there is room");
    sums.events += f->event_count;
}

/* ---- answers ---- */

static void compare_hits(const ph_monitor_frame *f, const ph_monitor_answer *a)
{
    const ph_monitor_question *q = &a->question;
    ph_hit hits[IDS];
    uint32_t count = 0;
    ph_query query = {.shape = q->kind == PH_ASK_LIST ? PH_QUERY_LIST : PH_QUERY_OBSERVERS, .of = q->id};
    if (q->kind == PH_ASK_NEAREST) {
        query = (ph_query){.shape = PH_QUERY_NEAREST, .nearest = q->most, .x = q->x, .y = q->y, .radius = q->radius};
        query.flags = q->flags ? 0 : PH_QUERY_IN_INSTANCE;
        query.instance = q->instance;
    }
    const ph_status status = ph_find(at.world, &query, hits, IDS, &count);
    CHECK(a->status == status && a->total == count, "kind %d: status %d, %u", (int)q->kind, (int)a->status, a->total);
    CHECK(a->count <= a->total && a->count <= q->most && a->first + a->count <= f->hit_count, "count %u", a->count);
    CHECK(a->count == a->total || a->count == q->most || f->hit_count == HITS_MAX, "room is left");
    for (uint32_t i = 0; i < a->count; i++) CHECK(f->hits[a->first + i].id == hits[i].id, "another entity");
}

static void compare_answers(const ph_monitor_frame *f)
{
    CHECK(f->answer_count + f->questions_waiting == at.questions, "%u answers, %u wait, %u were asked", f->answer_count,
          f->questions_waiting, at.questions);
    CHECK(at.questions == 0 || f->answer_count > 0, "no answer");
    for (uint32_t i = 0; i < f->answer_count; i++) {
        const ph_monitor_answer *a = &f->answers[i];
        ph_explanation why;
        ph_attrs attrs;
        CHECK(memcmp(&a->question, &at.asked[i], sizeof a->question) == 0, "another question");
        if (a->question.kind == PH_ASK_EXPLAIN) {
            CHECK_STATUS(ph_explain(at.world, a->question.id, a->question.other, &why), a->status);
            CHECK(a->status != PH_OK || (why.reason == a->explanation.reason && why.rank == a->explanation.rank),
                  "another reason");
        } else if (a->question.kind == PH_ASK_ENTITY) {
            CHECK_STATUS(ph_entity_get(at.world, a->question.id, &attrs), a->status);
            CHECK(a->status != PH_OK || same_attrs(&a->attrs, &attrs), "other attributes");
        } else {
            compare_hits(f, a);
        }
    }
    sums.answers += f->answer_count;
    at.questions -= f->answer_count;
    memmove(at.asked, at.asked + f->answer_count, at.questions * sizeof *at.asked);
}

/* ---- what is watched and asked ---- */

static uint32_t drawn(uint32_t bound)
{
    return phx_rng_below(&at.rng, bound);
}

static uint64_t some_id(void)
{
    return at.script->ids[drawn(at.script->id_count)];
}

static void clamp(float *p, float low, float high)
{
    *p = *p < low ? low : *p > high ? high : *p;
}

static void watch_anew(void)
{
    ph_monitor_view *view = &at.view;
    const float w = at.def.world_size[0], h = at.def.world_size[1];
    const float x = at.def.world_origin[0], y = at.def.world_origin[1];
    if (drawn(3) == 0) {
        *view = (ph_monitor_view){.x0 = x - w, .y0 = y - h, .x1 = x + 2 * w, .y1 = y + 2 * h};
    } else {
        view->x0 = x + w * (float)drawn(8) / 10;
        view->x1 = view->x0 + w * (float)(1 + drawn(9)) / 10;
        view->y0 = y + h * (float)drawn(8) / 10;
        view->y1 = view->y0 + h * (float)(1 + drawn(9)) / 10;
    }
    view->instance = drawn(4) == 0;
    view->flags = drawn(4) == 0 ? drawn(PH_MONITOR_FLAGS_ALL + 1) : PH_MONITOR_FLAGS_ALL;
    view->points_max = drawn(3) == 0 ? 1 + drawn(POINTS_MAX) : 0;
    if (drawn(2) == 0) view->focus = drawn(8) == 0 ? 0 : some_id();
    if (ph_monitor_watch(at.monitor, view) == PH_OK) return;
    view->x0 = view->y0 = -PH_COORDINATE_MAX; /* the world is at the end of what is allowed */
    view->x1 = view->y1 = PH_COORDINATE_MAX;
    CHECK_OK(ph_monitor_watch(at.monitor, view));
}

static void ask_some(void)
{
    for (uint32_t n = drawn(4); n > 0 && at.questions < PH_MONITOR_QUESTIONS_MAX; n--) {
        ph_monitor_question question = {.kind = (ph_monitor_ask_kind)drawn(5),
                                        .most = 1 + drawn(IDS),
                                        .id = some_id(),
                                        .other = some_id(),
                                        .x = at.def.world_origin[0] + at.def.world_size[0] * (float)drawn(9) / 8,
                                        .y = at.def.world_origin[1] + at.def.world_size[1] * (float)drawn(9) / 8,
                                        .radius = at.def.world_size[0] * (float)drawn(5) / 8,
                                        .instance = drawn(2),
                                        .flags = drawn(2) * PH_MONITOR_ANY_INSTANCE,
                                        .tag = drawn(1000)};
        clamp(&question.x, -PH_COORDINATE_MAX, PH_COORDINATE_MAX);
        clamp(&question.y, -PH_COORDINATE_MAX, PH_COORDINATE_MAX);
        const ph_status status = ph_monitor_ask(at.monitor, &question);
        CHECK(status == PH_OK || status == PH_FULL, "asked: %d", (int)status);
        if (status == PH_OK) at.asked[at.questions++] = question;
    }
}

/* ---- the subject ---- */

static void open_monitor(void)
{
    const ph_monitor_def def = {.points_max = POINTS_MAX,
                                .targets_max = TARGETS_MAX,
                                .events_max = EVENTS_MAX,
                                .questions = 6,
                                .hits_max = HITS_MAX,
                                .question_ns = drawn(2) == 0 ? 1 : PH_MONITOR_QUESTION_NS_MAX};
    CHECK_OK(ph_monitor_open(at.world, &def, &at.monitor));
    at.held = NULL;
    at.questions = 0;
    at.skipped = 0;
    at.list_known = false;
    at.view = (ph_monitor_view){0};
    watch_anew();
}

static void *watch_create(const ph_world_def *def, uint32_t producers, ph_status *status)
{
    void *self = subject_engine()->create(def, producers, status);
    if (!self) return NULL;
    at.def = *def;
    at.world = engine_world(self);
    open_monitor();
    return self;
}

/* The frame of the tick that ended. */
static void compare_frame(const ph_monitor_frame *f, const uint64_t *before, uint32_t before_count, bool known)
{
    CHECK(f->skipped == at.skipped && ((f->flags & PH_FRAME_SKIPPED) != 0) == (at.skipped > 0), "skipped");
    CHECK(f->view.focus == at.view.focus && f->view.flags == at.view.flags, "another view");
    compare_parts(f);
    compare_points(f);
    compare_focus(f);
    if (at.skipped == 0 && known) compare_events(f, before, before_count);
    compare_answers(f);
    sums.frames++;
}

static void note_command(const command *c)
{
    for (uint32_t i = 0; i < at.script->id_count && c->type == COMMAND_ENTER; i++)
        at.entering[i] |= at.script->ids[i] == c->id;
}

static ph_status watch_submit(void *self, uint32_t producer, const command *c)
{
    note_command(c);
    return subject_engine()->submit(self, producer, c);
}

static ph_status watch_submit_many(void *self, uint32_t producer, const command *const *commands, uint32_t count,
                                   uint32_t *done)
{
    for (uint32_t i = 0; i < count; i++) note_command(commands[i]);
    return subject_engine()->submit_many(self, producer, commands, count, done);
}

static ph_status watch_tick(void *self, uint64_t *tick)
{
    const ph_monitor_frame *frame;
    uint64_t before[IDS];
    uint32_t before_count;
    bool known;
    if (memcmp(&at.world, &(ph_world[]){engine_world(self)}, sizeof at.world) != 0) { /* saved and loaded */
        at.world = engine_world(self);
        open_monitor();
    }
    ask_some();
    const ph_status status = subject_engine()->tick(self, tick);
    if (status != PH_OK) return status;
    follow_list(before, &before_count, &known);
    const ph_status taken = ph_monitor_take(at.monitor, &frame);
    CHECK(taken == (at.held ? PH_TAKEN : PH_OK), "take: %d", (int)taken);
    at.skipped += at.held != NULL;
    sums.skipped += at.held != NULL;
    if (taken == PH_OK) {
        compare_frame(frame, before, before_count, known);
        at.skipped = 0;
        at.held = frame;
    }
    memset(at.entering, 0, sizeof at.entering);
    if (at.held && drawn(4) > 0) {
        CHECK_OK(ph_monitor_return(at.monitor, at.held));
        at.held = NULL;
    }
    if (drawn(3) == 0) watch_anew();
    return PH_OK;
}

static ph_status watch_reconfigure(void *self, const ph_world_def *def)
{
    const ph_status status = subject_engine()->reconfigure(self, def);
    if (status == PH_OK) at.def = *def;
    return status;
}

const subject_type *watch_engine(const script *s, uint64_t seed)
{
    at = (watch_state){.script = s, .rng = seed};
    watched = *subject_engine();
    watched.name = "engine with a monitor";
    watched.create = watch_create;
    watched.submit = watch_submit;
    watched.submit_many = watch_submit_many;
    watched.tick = watch_tick;
    watched.reconfigure = watch_reconfigure;
    return &watched;
}

watch_sums watch_done(void)
{
    return sums;
}

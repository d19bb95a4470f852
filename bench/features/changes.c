/*
 * Features that are further commands in every tick, or further entities: their ids are behind all others of the world;
 * see features.h.
 */
#include "bench/features/choices.h"
#include "bench/features/features.h"

enum { CHANCE_SAY = 8, CHANCE_AREA, CHANCE_LOGIN };

enum {
    CHANGE_SHARE = 200, /* one entity in so many changes in a tick, and one changes back */
    SAME_SHARE = 10,    /* one in so many gets a value that it has */
    SAY_SHARE = 20,     /* one player in so many says something */
    AREA_SHARE = 10,    /* an area for so many entities, ... */
    AREA_MOVES = 100,   /* ... and one of so many moves in a tick */
    LOGIN_SHARE = 1000  /* one for so many entities comes in a tick, and leaves with the next */
};

/* ids behind stream->count */
enum { ID_TOWER = 1, ID_DRAGON, ID_LOGINS };

#define FAR_REACH 300.0f /* three views */

static void set(bench_frame *frame, uint32_t index, const ph_attrs *attrs)
{
    const bench_other command = {.op = BENCH_SET, .id = (uint64_t)index + 1, .attrs = *attrs};
    bench_frame_other(frame, &command);
}

/* The entities below `end` that have their turn in this tick get the first attributes, the ones of the last tick the
 * second. */
static void set_and_back(bench_stream *stream, bench_frame *frame, uint32_t end, const ph_attrs *there,
                         const ph_attrs *back)
{
    for (uint32_t i = (uint32_t)(stream->tick % CHANGE_SHARE); i < end; i += CHANGE_SHARE) {
        set(frame, i, there);
    }
    for (uint32_t i = (uint32_t)((stream->tick - 1) % CHANGE_SHARE); stream->tick > 1 && i < end; i += CHANGE_SHARE) {
        set(frame, i, back);
    }
}

void bench_ready_step(bench_stream *stream, bench_frame *frame)
{
    set_and_back(stream, frame, bench_stream_players(stream), &(ph_attrs){.given = PH_READY, .ready = false},
                 &(ph_attrs){.given = PH_READY, .ready = true});
}

/* An attribute of observers: it decides, but without stealthy targets it makes no event. */
void bench_attrs_step(bench_stream *stream, bench_frame *frame)
{
    set_and_back(stream, frame, stream->count, &(ph_attrs){.given = PH_DETECT, .detect = 2},
                 &(ph_attrs){.given = PH_DETECT, .detect = 0});
}

/* An attribute of targets: all observers around lose them, and see them again in the next tick. */
void bench_target_attrs_step(bench_stream *stream, bench_frame *frame)
{
    set_and_back(stream, frame, stream->count, &(ph_attrs){.given = PH_STEALTH, .stealth = 1},
                 &(ph_attrs){.given = PH_STEALTH, .stealth = 0});
}

/* Values that most entities have anyway: instance 0, user data 0. */
static const ph_attrs same_values = {.given = PH_INSTANCE | PH_USER_DATA};

void bench_same_begin(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count; i++) {
        frame->enter_attrs[i].given |= same_values.given;
    }
}

void bench_same_step(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = (uint32_t)(stream->tick % SAME_SHARE); i < stream->count; i += SAME_SHARE) {
        set(frame, i, &same_values);
    }
}

void bench_says_step(bench_stream *stream, bench_frame *frame)
{
    uint32_t players = bench_stream_players(stream);
    for (uint32_t i = 0; i < players; i++) {
        if (bench_chance(CHANCE_SAY, i, stream->tick) < 1.0f / SAY_SHARE) {
            bench_frame_say(frame, (uint64_t)i + 1);
        }
    }
}

static void set_area(bench_stream *stream, bench_frame *frame, uint32_t index)
{
    ph_position at = bench_chance_place(stream, CHANCE_AREA, index, stream->tick);
    const bench_other command = {
        .op = BENCH_AREA, .id = (uint64_t)index + 1, .attrs = {.x = at.x, .y = at.y, .reach = 10}};
    bench_frame_other(frame, &command);
}

void bench_areas_begin(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i < stream->count / AREA_SHARE; i++) {
        set_area(stream, frame, i);
    }
}

void bench_areas_step(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = (uint32_t)(stream->tick % AREA_MOVES); i < stream->count / AREA_SHARE; i += AREA_MOVES) {
        set_area(stream, frame, i);
    }
}

static void enter(bench_stream *stream, bench_frame *frame, uint64_t id, ph_attrs attrs)
{
    attrs.given |= PH_POSITION | PH_CONSUMER;
    attrs.consumer = (uint32_t)(id % ph_config_def(stream->config)->consumers);
    bench_frame_enter(frame, id, &attrs);
}

/* The one that comes in this tick is gone in the next, so two ids take turns. */
static uint64_t login_id(const bench_stream *stream, uint32_t index, uint64_t tick)
{
    return (uint64_t)stream->count + ID_LOGINS + 2 * (uint64_t)index + tick % 2;
}

void bench_logins_begin(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i <= stream->count / LOGIN_SHARE; i++) {
        ph_position at = bench_chance_place(stream, CHANCE_LOGIN, i, stream->tick);
        enter(stream, frame, login_id(stream, i, stream->tick), (ph_attrs){.x = at.x, .y = at.y});
    }
}

void bench_logins_step(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t i = 0; i <= stream->count / LOGIN_SHARE; i++) {
        bench_frame_leave(frame, login_id(stream, i, stream->tick - 1));
    }
    bench_logins_begin(stream, frame);
}

static ph_attrs seen_from_afar(const bench_stream *stream)
{
    const bench_area *world = &stream->world;
    return (ph_attrs){
        .given = PH_VIEW | PH_REACH,
        .x = world->low[0] + (world->high[0] - world->low[0]) * 0.5f,
        .y = world->low[1] + (world->high[1] - world->low[1]) * 0.5f,
        .view = 0,
        .reach = FAR_REACH,
    };
}

void bench_tower_begin(bench_stream *stream, bench_frame *frame)
{
    enter(stream, frame, (uint64_t)stream->count + ID_TOWER, seen_from_afar(stream));
}

void bench_dragon_begin(bench_stream *stream, bench_frame *frame)
{
    enter(stream, frame, (uint64_t)stream->count + ID_DRAGON, seen_from_afar(stream));
}

/* To and fro around the middle of the world, a step in each tick. */
void bench_dragon_step(bench_stream *stream, bench_frame *frame)
{
    enum { LEG = 16 };
    uint64_t leg = stream->tick % (2 * (uint64_t)LEG);
    uint64_t steps = leg < LEG ? leg : 2 * (uint64_t)LEG - leg;
    ph_attrs at = seen_from_afar(stream);
    bench_frame_move(frame, (uint64_t)stream->count + ID_DRAGON, at.x + BENCH_STEP * (float)steps, at.y, 0);
}

/* To and fro between two places, a jump in each tick. */
void bench_dragon_jump(bench_stream *stream, bench_frame *frame)
{
    const float far_off = 200;
    ph_attrs at = seen_from_afar(stream);
    bench_frame_move(frame, (uint64_t)stream->count + ID_DRAGON, at.x + (stream->tick % 2 ? far_off : 0), at.y, 0);
}

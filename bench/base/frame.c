/*
 * Frames: appending commands and keeping their order as spans. Called by scenarios,
 * between two timed ticks.
 */
#include "bench/base/frame.h"

#include "bench/base/memory.h"

void bench_frame_init(bench_frame *frame, phx_mem *mem)
{
    *frame = (bench_frame){.mem = mem};
}

void bench_frame_free(bench_frame *frame)
{
    phx_mem *mem = frame->mem;
    phx_release(mem, (void **)&frame->spans, &frame->span_room, sizeof *frame->spans);
    phx_release(mem, (void **)&frame->enter_ids, &frame->enter_ids_room, sizeof *frame->enter_ids);
    phx_release(mem, (void **)&frame->enter_attrs, &frame->enter_attrs_room, sizeof *frame->enter_attrs);
    phx_release(mem, (void **)&frame->leave_ids, &frame->leave_room, sizeof *frame->leave_ids);
    phx_release(mem, (void **)&frame->move_ids, &frame->move_ids_room, sizeof *frame->move_ids);
    phx_release(mem, (void **)&frame->move_positions, &frame->move_positions_room, sizeof *frame->move_positions);
    phx_release(mem, (void **)&frame->say_ids, &frame->say_room, sizeof *frame->say_ids);
    phx_release(mem, (void **)&frame->others, &frame->other_room, sizeof *frame->others);
}

void bench_frame_begin(bench_frame *frame, uint64_t tick)
{
    frame->tick = tick;
    frame->span_count = 0;
    frame->enter_count = 0;
    frame->leave_count = 0;
    frame->move_count = 0;
    frame->say_count = 0;
    frame->say_radius = 0;
    frame->singly = false;
    frame->other_count = 0;
}

/* The command at place `first` of its kind goes into the last span or begins a new one. */
static void span_add(bench_frame *frame, bench_op op, uint32_t first)
{
    PHX_ASSERT(op <= BENCH_OTHER);
    if (frame->span_count > 0 && frame->spans[frame->span_count - 1].op == op) {
        bench_span *last = &frame->spans[frame->span_count - 1];
        PHX_ASSERT(last->first + last->count == first);
        last->count++;
        return;
    }
    bench_grow(frame->mem, (void **)&frame->spans, &frame->span_room, frame->span_count, (size_t)frame->span_count + 1,
               sizeof *frame->spans);
    frame->spans[frame->span_count++] = (bench_span){op, first, 1};
}

void bench_frame_enter(bench_frame *frame, uint64_t id, const ph_attrs *attrs)
{
    PHX_ASSERT(attrs->given != 0);
    uint32_t n = frame->enter_count;
    bench_grow(frame->mem, (void **)&frame->enter_ids, &frame->enter_ids_room, n, (size_t)n + 1,
               sizeof *frame->enter_ids);
    bench_grow(frame->mem, (void **)&frame->enter_attrs, &frame->enter_attrs_room, n, (size_t)n + 1,
               sizeof *frame->enter_attrs);
    frame->enter_ids[n] = id;
    frame->enter_attrs[n] = *attrs;
    frame->enter_count++;
    span_add(frame, BENCH_ENTER, n);
}

void bench_frame_leave(bench_frame *frame, uint64_t id)
{
    uint32_t n = frame->leave_count;
    bench_grow(frame->mem, (void **)&frame->leave_ids, &frame->leave_room, n, (size_t)n + 1, sizeof *frame->leave_ids);
    frame->leave_ids[n] = id;
    frame->leave_count++;
    span_add(frame, BENCH_LEAVE, n);
}

void bench_frame_move(bench_frame *frame, uint64_t id, float x, float y, float z)
{
    uint32_t n = frame->move_count;
    bench_grow(frame->mem, (void **)&frame->move_ids, &frame->move_ids_room, n, (size_t)n + 1, sizeof *frame->move_ids);
    bench_grow(frame->mem, (void **)&frame->move_positions, &frame->move_positions_room, n, (size_t)n + 1,
               sizeof *frame->move_positions);
    frame->move_ids[n] = id;
    frame->move_positions[n] = (ph_position){x, y, z};
    frame->move_count++;
    span_add(frame, BENCH_MOVE, n);
}

void bench_frame_say(bench_frame *frame, uint64_t id)
{
    uint32_t n = frame->say_count;
    bench_grow(frame->mem, (void **)&frame->say_ids, &frame->say_room, n, (size_t)n + 1, sizeof *frame->say_ids);
    frame->say_ids[n] = id;
    frame->say_count++;
    span_add(frame, BENCH_SAY, n);
}

void bench_frame_other(bench_frame *frame, const bench_other *command)
{
    uint32_t n = frame->other_count;
    bench_grow(frame->mem, (void **)&frame->others, &frame->other_room, n, (size_t)n + 1, sizeof *frame->others);
    frame->others[n] = *command;
    frame->other_count++;
    span_add(frame, BENCH_OTHER, n);
}

/*
 * The commands of a frame as calls of the library; see submit.h.
 */
#include "bench/engines/submit.h"

#include "base/core.h"

static ph_status submit_other(ph_producer producer, const bench_other *command)
{
    switch (command->op) {
    case BENCH_SET:
        return ph_set(producer, command->id, &command->attrs);
    case BENCH_PAIR:
        return ph_pair(producer, command->id, command->other, command->attrs.view, command->attrs.margin);
    case BENCH_UNPAIR:
        return ph_unpair(producer, command->id, command->other);
    case BENCH_LINK:
        return ph_link(producer, command->id, command->other);
    case BENCH_UNLINK:
        return ph_unlink(producer, command->id, command->other);
    case BENCH_HIDE:
        return ph_hide(producer, command->id, command->other);
    case BENCH_UNHIDE:
        return ph_unhide(producer, command->id, command->other);
    case BENCH_REVEAL:
        return ph_reveal(producer, command->id, command->other);
    case BENCH_UNREVEAL:
        return ph_unreveal(producer, command->id, command->other);
    case BENCH_ATTACH:
        return ph_attach(producer, command->id, command->other);
    case BENCH_DETACH:
        return ph_detach(producer, command->id);
    case BENCH_AREA: {
        ph_area area = {.shape = PH_AREA_CIRCLE, .center = {command->attrs.x, command->attrs.y}};
        area.radius = command->attrs.reach;
        return ph_area_set(producer, command->id, &area);
    }
    }
    phx_panic(__FILE__, __LINE__, "bench_other_op");
}

/* Goes on behind refused commands, as the bulk calls do; stops only when the queue is full. */
static ph_status submit_others(ph_producer producer, const bench_other *commands, uint32_t count, uint32_t *done)
{
    ph_status first = PH_OK;
    for (*done = 0; *done < count; ++*done) {
        ph_status status = submit_other(producer, &commands[*done]);
        if (status == PH_FULL) {
            return status;
        }
        first = first == PH_OK ? status : first;
    }
    return first;
}

/* Of the feature singly. */
static ph_status submit_moves(ph_producer producer, const uint64_t *ids, const ph_position *to, uint32_t count,
                              uint32_t *done)
{
    ph_status first = PH_OK;
    for (*done = 0; *done < count; ++*done) {
        ph_status status = ph_move(producer, ids[*done], to[*done].x, to[*done].y, to[*done].z);
        if (status == PH_FULL) {
            return status;
        }
        first = first == PH_OK ? status : first;
    }
    return first;
}

static ph_status submit_say(ph_producer producer, const uint64_t *ids, float radius, uint32_t count, uint32_t *done)
{
    const ph_broadcast_options options = {.radius = radius};
    static const char text[BENCH_SAY_BYTES] = "Fresh fish! Nets, hooks and tall tales, cheap before the tide.";
    ph_status first = PH_OK;
    for (*done = 0; *done < count; ++*done) {
        ph_status status = ph_broadcast(producer, ids[*done], text, sizeof text, &options);
        if (status == PH_FULL) {
            return status;
        }
        first = first == PH_OK ? status : first;
    }
    return first;
}

ph_status bench_submit_span(ph_producer producer, const bench_frame *frame, const bench_span *span, uint32_t from,
                            uint32_t *done)
{
    PHX_ASSERT(from < span->count);
    uint32_t first = span->first + from;
    uint32_t count = span->count - from;
    switch (span->op) {
    case BENCH_ENTER:
        return ph_enter_many(producer, count, &frame->enter_ids[first], &frame->enter_attrs[first], done);
    case BENCH_LEAVE:
        return ph_leave_many(producer, count, &frame->leave_ids[first], done);
    case BENCH_MOVE:
        if (frame->singly) {
            return submit_moves(producer, &frame->move_ids[first], &frame->move_positions[first], count, done);
        }
        return ph_move_many(producer, count, &frame->move_ids[first], &frame->move_positions[first], done);
    case BENCH_SAY:
        return submit_say(producer, &frame->say_ids[first], frame->say_radius, count, done);
    case BENCH_OTHER:
        return submit_others(producer, &frame->others[first], count, done);
    }
    phx_panic(__FILE__, __LINE__, "bench_op");
}

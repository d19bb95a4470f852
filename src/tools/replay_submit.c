/*
 * Submitting rows and naming refusals; see replay_submit.h.
 */
#include "tools/replay_submit.h"

#include <string.h>

enum { REFUSALS_AT_ONCE = 64 }; /* a buffer on the stack; more are taken in turns */

void phx_submitter_init(phx_submitter *submitter, phx_mem *mem, ph_world world)
{
    memset(submitter, 0, sizeof *submitter);
    submitter->mem = mem;
    submitter->world = world;
}

void phx_submitter_release(phx_submitter *submitter)
{
    for (uint32_t i = 0; i < submitter->lane_count; i++) {
        phx_lane *lane = &submitter->lanes[i];
        ph_producer_close(lane->producer);
        phx_release(submitter->mem, (void **)&lane->lines, &lane->capacity, sizeof *lane->lines);
    }
    submitter->lane_count = 0;
}

/* ---- submitting ---- */

/* PH_TAKEN: there may be no more. */
static ph_status open_lane(phx_submitter *submitter)
{
    if (submitter->lane_count == PH_PRODUCERS_MAX) return PH_TAKEN;
    phx_lane *lane = &submitter->lanes[submitter->lane_count];
    ph_status status = ph_producer_open(submitter->world, &lane->producer);
    if (status == PH_OK) submitter->lane_count++;
    return status;
}

static ph_status say(ph_producer producer, const phx_trace_row *row)
{
    ph_broadcast_options options = {.kinds = row->area.kinds,
                                    .kind_count = row->area.kind_count,
                                    .flags =
                                        (row->self ? PH_BROADCAST_SELF : 0u) | (row->seen ? PH_BROADCAST_SEEN : 0u),
                                    .radius = row->area.radius};
    return ph_broadcast(producer, row->id, row->text, row->text_bytes, &options);
}

static ph_status say_at(ph_producer producer, const phx_trace_row *row)
{
    const ph_attrs *attrs = &row->attrs;
    ph_broadcast_place place = {.x = attrs->x,
                                .y = attrs->y,
                                .radius = row->area.radius,
                                .kinds = row->area.kinds,
                                .kind_count = row->area.kind_count,
                                .instance = attrs->instance,
                                .layers = attrs->given & PH_LAYERS ? attrs->layers : UINT64_MAX};
    return ph_broadcast_at(producer, &place, row->text, row->text_bytes);
}

static ph_status send(ph_producer producer, const phx_trace_row *row)
{
    const ph_attrs *attrs = &row->attrs;
    switch (row->op) {
    case PHX_TRACE_OP_ENTER:
        return ph_enter(producer, row->id, attrs);
    case PHX_TRACE_OP_LEAVE:
        return ph_leave(producer, row->id);
    case PHX_TRACE_OP_MOVE:
        if (attrs->given != PH_POSITION) return ph_set(producer, row->id, attrs);
        return ph_move(producer, row->id, attrs->x, attrs->y, attrs->z);
    case PHX_TRACE_OP_SET:
        return ph_set(producer, row->id, attrs);
    case PHX_TRACE_OP_PAIR:
        return ph_pair(producer, row->id, row->other, attrs->view, attrs->margin);
    case PHX_TRACE_OP_UNPAIR:
        return ph_unpair(producer, row->id, row->other);
    case PHX_TRACE_OP_LINK:
        return ph_link(producer, row->id, row->other);
    case PHX_TRACE_OP_UNLINK:
        return ph_unlink(producer, row->id, row->other);
    case PHX_TRACE_OP_HIDE:
        return ph_hide(producer, row->id, row->other);
    case PHX_TRACE_OP_UNHIDE:
        return ph_unhide(producer, row->id, row->other);
    case PHX_TRACE_OP_REVEAL:
        return ph_reveal(producer, row->id, row->other);
    case PHX_TRACE_OP_UNREVEAL:
        return ph_unreveal(producer, row->id, row->other);
    case PHX_TRACE_OP_ATTACH:
        return ph_attach(producer, row->id, row->other);
    case PHX_TRACE_OP_DETACH:
        return ph_detach(producer, row->id);
    case PHX_TRACE_OP_RESEND:
        return ph_resend(producer, row->id);
    case PHX_TRACE_OP_BROADCAST:
        return say(producer, row);
    case PHX_TRACE_OP_BROADCAST_AT:
        return say_at(producer, row);
    case PHX_TRACE_OP_AREA:
        return ph_area_set(producer, row->id, &row->area);
    case PHX_TRACE_OP_UNAREA:
        return ph_area_remove(producer, row->id);
    case PHX_TRACE_OP_IMPORT:
        return ph_import(producer, row->text, row->text_bytes, NULL, NULL);
    case PHX_TRACE_OP_APPLY:
    case PHX_TRACE_OP_CONFIG:
    case PHX_TRACE_OP_COUNT:
        break;
    }
    PHX_ASSERT(false); /* every other op has its command */
    return PH_BAD_ARGUMENT;
}

/* Sends the row and, unless the queue is full, notes its line under the sequence number that it took. */
static ph_status send_in(phx_submitter *submitter, phx_lane *lane, const phx_trace_row *row)
{
    if (!phx_grow(submitter->mem, (void **)&lane->lines, &lane->capacity, lane->count, (size_t)lane->count + 1,
                  sizeof *lane->lines))
        return PH_NO_MEMORY;
    ph_status status = send(lane->producer, row);
    PHX_ASSERT(status != PH_BAD_HANDLE);
    if (status != PH_FULL) lane->lines[lane->count++] = row->line;
    return status;
}

ph_status phx_submit(phx_submitter *submitter, const phx_trace_row *row)
{
    for (;;) {
        if (submitter->lane_now == submitter->lane_count) {
            ph_status opened = open_lane(submitter);
            if (opened != PH_OK) return opened == PH_TAKEN ? PH_FULL : opened;
        }
        PHX_ASSERT(submitter->lane_now < submitter->lane_count);
        ph_status status = send_in(submitter, &submitter->lanes[submitter->lane_now], row);
        if (status != PH_FULL) return status;
        submitter->lane_now++; /* at most PH_PRODUCERS_MAX times a tick */
    }
}

/* ---- refusals ---- */

static void hand_on_refusals(const phx_lane *lane, phx_refused_fn refused, void *user)
{
    ph_refusal refusals[REFUSALS_AT_ONCE];
    uint32_t count;
    while (ph_producer_refusals(lane->producer, refusals, REFUSALS_AT_ONCE, &count) == PH_OK && count > 0) {
        for (uint32_t i = 0; i < count; i++) {
            uint64_t place = refusals[i].sequence - lane->sequence - 1;
            PHX_ASSERT(place < lane->count);
            refused(user, lane->lines[place], &refusals[i]);
        }
    }
}

void phx_submitter_end_tick(phx_submitter *submitter, phx_refused_fn refused, void *user)
{
    for (uint32_t i = 0; i < submitter->lane_count; i++) {
        phx_lane *lane = &submitter->lanes[i];
        hand_on_refusals(lane, refused, user);
        lane->sequence += lane->count;
        lane->count = 0;
        uint64_t told = 0;
        ph_status status = ph_producer_sequence(lane->producer, &told);
        PHX_ASSERT(status == PH_OK);
        PHX_ASSERT(told == lane->sequence);
        (void)status;
    }
    submitter->lane_now = 0;
}

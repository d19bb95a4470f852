/*
 * Features that are attributes: each entity has them from the start; see features.h.
 */
#include "bench/features/choices.h"
#include "bench/features/features.h"

enum { CHANCE_HEIGHT = 1 };

#define HILLS 50.0f /* heights are between 0 and this: half a view */

void bench_priority_four(const bench_stream *stream, uint32_t index, ph_attrs *attrs)
{
    (void)stream;
    attrs->given |= PH_PRIORITY;
    attrs->priority = (uint8_t)(index % 4);
}

void bench_reach_hundredth(const bench_stream *stream, uint32_t index, ph_attrs *attrs)
{
    (void)stream;
    if (index % 100 == 0) {
        attrs->given |= PH_REACH;
        attrs->reach = 200; /* two views */
    }
}

void bench_global_one(const bench_stream *stream, uint32_t index, ph_attrs *attrs)
{
    (void)stream;
    if (index == 0) {
        attrs->given |= PH_GLOBAL;
        attrs->global = true;
    }
}

void bench_global_ten(const bench_stream *stream, uint32_t index, ph_attrs *attrs)
{
    uint32_t apart = stream->count < 10 ? 1 : stream->count / 10;
    if (index % apart == 0 && index / apart < 10) {
        attrs->given |= PH_GLOBAL;
        attrs->global = true;
    }
}

void bench_visible_most(const bench_stream *stream, uint32_t index, ph_attrs *attrs)
{
    (void)stream;
    if (index % 5 != 0) {
        attrs->given |= PH_VISIBLE;
        attrs->visible = 30; /* of a view of 100 */
    }
}

/* One in five is in one of three phases of its own; the others are on layer 0. */
static uint64_t layer_of(uint32_t index)
{
    return index % 5 == 0 ? 2ull << (index / 5 % 3) : 1;
}

void bench_layers_own(const bench_stream *stream, uint32_t index, ph_attrs *attrs)
{
    (void)stream;
    attrs->given |= PH_LAYERS | PH_SEES;
    attrs->layers = attrs->sees = layer_of(index);
}

void bench_layers_common(const bench_stream *stream, uint32_t index, ph_attrs *attrs)
{
    bench_layers_own(stream, index, attrs);
    attrs->sees |= 1;
}

void bench_stealth_tenth(const bench_stream *stream, uint32_t index, ph_attrs *attrs)
{
    (void)stream;
    attrs->given |= PH_STEALTH | PH_DETECT;
    attrs->stealth = index % 10 == 0;
    attrs->detect = index % 3 == 0;
}

void bench_views_three(const bench_stream *stream, uint32_t index, ph_attrs *attrs)
{
    if (index < bench_stream_players(stream)) {
        attrs->given |= PH_VIEW;
        attrs->view = 60 + 20 * (float)(index % 3);
    }
}

void bench_height_any(const bench_stream *stream, uint32_t index, ph_attrs *attrs)
{
    (void)stream;
    attrs->z = HILLS * bench_chance(CHANCE_HEIGHT, index, 0);
}

void bench_heights_step(bench_stream *stream, bench_frame *frame)
{
    for (uint32_t m = 0; m < frame->move_count; m++) {
        ph_attrs attrs;
        bench_height_any(stream, (uint32_t)frame->move_ids[m] - 1, &attrs);
        frame->move_positions[m].z = attrs.z;
    }
}

void bench_veiled_hundredth(const bench_stream *stream, uint32_t index, ph_attrs *attrs)
{
    (void)stream;
    attrs->given |= PH_VEILED;
    attrs->veiled = index % 100 == 0;
}

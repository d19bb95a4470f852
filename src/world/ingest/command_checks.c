/*
 * Checks of commands; see command_checks.h.
 */
#include "world/ingest/command_checks.h"

#include "base/lengths.h"
#include "world/queue/commands.h"

static phx_check refused_for(ph_status status, ph_field field)
{
    return (phx_check){.status = status, .field = field};
}

static const phx_check check_passed = {.status = PH_OK, .field = PH_FIELD_NONE};

static uint32_t kinds_now(const phx_world *world)
{
    /* classes are only added, in a tick: with an old count, at worst a new kind is refused */
    return atomic_load_explicit(&world->kind_count, memory_order_relaxed);
}

/* ---- attributes ---- */

static phx_check check_place(uint32_t given, const ph_attrs *a)
{
    if ((given & PH_X) && !phx_is_coordinate(a->x)) return refused_for(PH_BAD_POSITION, PH_FIELD_X);
    if ((given & PH_Y) && !phx_is_coordinate(a->y)) return refused_for(PH_BAD_POSITION, PH_FIELD_Y);
    if ((given & PH_Z) && !phx_is_coordinate(a->z)) return refused_for(PH_BAD_POSITION, PH_FIELD_Z);
    return check_passed;
}

static phx_check check_radii(uint32_t given, const ph_attrs *a)
{
    if ((given & PH_VIEW) && !phx_is_length(a->view)) return refused_for(PH_BAD_RADIUS, PH_FIELD_VIEW);
    if ((given & PH_MARGIN) && !phx_is_length(a->margin)) return refused_for(PH_BAD_RADIUS, PH_FIELD_MARGIN);
    if ((given & PH_REACH) && !phx_is_length(a->reach)) return refused_for(PH_BAD_RADIUS, PH_FIELD_REACH);
    if ((given & PH_VISIBLE) && !phx_is_length(a->visible)) return refused_for(PH_BAD_RADIUS, PH_FIELD_VISIBLE);
    return check_passed;
}

static uint32_t consumers_of(const phx_world *world)
{
    return world->def.consumers > 0 ? world->def.consumers : 1;
}

phx_check phx_check_attrs(const phx_world *world, uint16_t op, const ph_attrs *a)
{
    const uint32_t given = a->given;
    if (op == PHX_OP_ENTER && !(given & PH_X)) return refused_for(PH_NOT_GIVEN, PH_FIELD_X);
    if (op == PHX_OP_ENTER && !(given & PH_Y)) return refused_for(PH_NOT_GIVEN, PH_FIELD_Y);
    phx_check check = check_place(given, a);
    if (check.status == PH_OK) check = check_radii(given, a);
    if (check.status != PH_OK) return check;
    if ((given & PH_KIND) && a->kind >= kinds_now(world)) return refused_for(PH_BAD_KIND, PH_FIELD_KIND);
    if ((given & PH_CAP) && a->cap > INT32_MAX) return refused_for(PH_BAD_VALUE, PH_FIELD_CAP);
    if (given & ~(uint32_t)PH_GIVEN_ALL) return refused_for(PH_BAD_VALUE, PH_FIELD_GIVEN);
    if ((given & PH_CONSUMER) && a->consumer >= consumers_of(world))
        return refused_for(PH_BAD_VALUE, PH_FIELD_CONSUMER);
    return check_passed;
}

static uint32_t float_bit(float value, uint32_t bit)
{
    return (phx_float_bits(value) & INT32_MAX) != 0 ? bit : 0;
}

static uint32_t word_bit(uint64_t value, uint32_t bit)
{
    return value != 0 ? bit : 0;
}

uint32_t phx_attrs_ungiven(const ph_attrs *a)
{
    const uint32_t floats = float_bit(a->x, PH_X) | float_bit(a->y, PH_Y) | float_bit(a->z, PH_Z) |
                            float_bit(a->view, PH_VIEW) | float_bit(a->margin, PH_MARGIN) |
                            float_bit(a->reach, PH_REACH) | float_bit(a->visible, PH_VISIBLE);
    const uint32_t words = word_bit(a->kind, PH_KIND) | word_bit(a->cap, PH_CAP) | word_bit(a->consumer, PH_CONSUMER) |
                           word_bit(a->instance, PH_INSTANCE) | word_bit(a->layers, PH_LAYERS) |
                           word_bit(a->sees, PH_SEES) | word_bit(a->user_data, PH_USER_DATA);
    const uint32_t bytes = word_bit(a->stealth, PH_STEALTH) | word_bit(a->detect, PH_DETECT) |
                           word_bit(a->priority, PH_PRIORITY) | word_bit(a->global, PH_GLOBAL) |
                           word_bit(a->veiled, PH_VEILED) | word_bit(a->ready, PH_READY) |
                           word_bit(a->remote, PH_REMOTE);
    return (floats | words | bytes) & ~a->given;
}

phx_check phx_check_move(uint64_t id, const ph_position *p)
{
    if (id == 0) return refused_for(PH_BAD_ID, PH_FIELD_ID);
    if (!phx_is_coordinate(p->x)) return refused_for(PH_BAD_POSITION, PH_FIELD_X);
    if (!phx_is_coordinate(p->y)) return refused_for(PH_BAD_POSITION, PH_FIELD_Y);
    return phx_is_coordinate(p->z) ? check_passed : refused_for(PH_BAD_POSITION, PH_FIELD_Z);
}

phx_check phx_check_two_ids(uint16_t op, uint64_t id, uint64_t other, float view, float margin)
{
    if (id == 0) return refused_for(PH_BAD_ID, PH_FIELD_ID);
    if (other == 0) return refused_for(PH_BAD_ID, PH_FIELD_OTHER);
    if (op == PHX_OP_PAIR && !phx_is_length(view)) return refused_for(PH_BAD_RADIUS, PH_FIELD_VIEW);
    if (op == PHX_OP_PAIR && !phx_is_length(margin)) return refused_for(PH_BAD_RADIUS, PH_FIELD_MARGIN);
    bool begins = op == PHX_OP_PAIR || op == PHX_OP_LINK || op == PHX_OP_HIDE || op == PHX_OP_REVEAL;
    return begins && id == other ? refused_for(PH_SAME_ID, PH_FIELD_OTHER) : check_passed;
}

/* ---- broadcasts ---- */

ph_status phx_check_broadcast(const phx_world *world, uint32_t bytes, const ph_broadcast_options *options)
{
    const uint32_t known = PH_BROADCAST_SELF | PH_BROADCAST_SEEN;
    if (bytes > PH_PAYLOAD_MAX) return PH_TOO_LARGE;
    if (!phx_is_length(options->radius)) return PH_BAD_RADIUS;
    if ((options->flags & ~known) || (!phx_is_long(options->radius) && (options->flags & PH_BROADCAST_SEEN)))
        return PH_BAD_VALUE;
    if (options->kind_count > PH_BROADCAST_KINDS_MAX) return PH_BAD_VALUE;
    if (!phx_is_zero(options->reserved, sizeof options->reserved)) return PH_BAD_VALUE;
    uint32_t kinds = kinds_now(world);
    for (uint32_t i = 0; i < options->kind_count; i++)
        if (options->kinds[i] >= kinds) return PH_BAD_KIND;
    return PH_OK;
}

/* ---- areas ---- */

static bool is_point(const float xy[2])
{
    return phx_is_coordinate(xy[0]) && phx_is_coordinate(xy[1]);
}

/* The margin and the heights. */
static ph_status check_area_extent(const ph_area *area)
{
    if (!phx_is_length(area->margin)) return PH_BAD_RADIUS;
    if (area->shape == PH_AREA_POLYGON && area->margin > 0.0f) return PH_BAD_VALUE;
    if (area->flags & ~(uint32_t)(PH_AREA_HEIGHT | PH_AREA_IN_INSTANCE | PH_AREA_FOLLOW)) return PH_BAD_VALUE;
    const bool follows = area->flags & PH_AREA_FOLLOW;
    if (follows && (area->flags & PH_AREA_IN_INSTANCE)) return PH_BAD_VALUE;
    if (follows && area->follow == 0) return PH_BAD_ID;
    if (!(area->flags & PH_AREA_HEIGHT)) return PH_OK;
    if (!phx_is_coordinate(area->z_low) || !phx_is_coordinate(area->z_high)) return PH_BAD_POSITION;
    return area->z_low <= area->z_high ? PH_OK : PH_BAD_VALUE;
}

static ph_status check_area_shape(const ph_area *area)
{
    switch (area->shape) {
    case PH_AREA_CIRCLE:
        if (!is_point(area->center)) return PH_BAD_POSITION;
        return phx_is_length(area->radius) ? PH_OK : PH_BAD_RADIUS;
    case PH_AREA_BOX:
        if (!is_point(area->low) || !is_point(area->high)) return PH_BAD_POSITION;
        return area->low[0] <= area->high[0] && area->low[1] <= area->high[1] ? PH_OK : PH_BAD_VALUE;
    case PH_AREA_POLYGON:
        if (area->corner_count < 3 || area->corner_count > PH_AREA_CORNERS_MAX) return PH_BAD_VALUE;
        for (uint32_t i = 0; i < area->corner_count; i++)
            if (!is_point(area->corners[i])) return PH_BAD_POSITION;
        return phx_area_is_convex(area) ? PH_OK : PH_BAD_VALUE;
    }
    return PH_BAD_VALUE;
}

ph_status phx_check_area(const phx_world *world, uint64_t id, const ph_area *area)
{
    if (id == 0) return PH_BAD_ID;
    if (area->kind_count > PH_AREA_KINDS_MAX || !phx_is_zero(area->reserved, sizeof area->reserved))
        return PH_BAD_VALUE;
    uint32_t kinds = kinds_now(world);
    for (uint32_t i = 0; i < area->kind_count; i++)
        if (area->kinds[i] >= kinds) return PH_BAD_KIND;
    ph_status shape = check_area_shape(area);
    return shape == PH_OK ? check_area_extent(area) : shape;
}

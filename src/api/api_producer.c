/*
 * ph_producer_* and the commands: handles and arguments are checked here, the rest is
 * src/world/ingest/submit.c. See pharos.h.
 */
#include "api/handles.h"
#include "base/float_env.h"
#include "world/ingest/submit.h"
#include "world/queue/commands.h"
#include "world/state/producer.h"
#include "world/state/world.h"

ph_status ph_producer_open(ph_world handle, ph_producer *producer)
{
    phx_world *world = phx_resolve_world(handle);
    if (!producer) return PH_BAD_ARGUMENT;
    *producer = (ph_producer){0};
    if (!world) return PH_BAD_HANDLE;
    uint32_t index;
    uint16_t generation;
    ph_status status = phx_producer_open(world->producers, &world->mem, &world->def, &index, &generation);
    if (status == PH_OK)
        *producer = (ph_producer){.index1 = (uint16_t)(index + 1), .generation = generation, .world = handle};
    return status;
}

ph_status ph_producer_close(ph_producer handle)
{
    phx_world *world;
    phx_producer *producer = phx_resolve_producer(handle, &world);
    if (!producer) return PH_BAD_HANDLE;
    phx_producer_close(producer);
    return PH_OK;
}

ph_status ph_producer_sequence(ph_producer handle, uint64_t *sequence)
{
    phx_world *world;
    phx_producer *producer = phx_resolve_producer(handle, &world);
    if (!producer) return PH_BAD_HANDLE;
    if (!sequence) return PH_BAD_ARGUMENT;
    *sequence = producer->sequence;
    return PH_OK;
}

ph_status ph_producer_refusals(ph_producer handle, ph_refusal *refusals, uint32_t capacity, uint32_t *count)
{
    phx_world *world;
    phx_producer *producer = phx_resolve_producer(handle, &world);
    if (!producer) return PH_BAD_HANDLE;
    if (!count || (!refusals && capacity > 0)) return PH_BAD_ARGUMENT;
    *count = phx_producer_take_refusals(producer, refusals, capacity);
    return PH_OK;
}

/* ---- commands ---- */

static ph_status submit_attrs(ph_producer handle, uint16_t op, uint32_t count, const uint64_t *ids,
                              const ph_attrs *attrs, uint32_t *done, bool bulk)
{
    phx_world *world;
    uint32_t dealt;
    phx_producer *producer = phx_resolve_producer(handle, &world);
    if (done) *done = 0;
    if (!producer) return PH_BAD_HANDLE;
    if (count > 0 && (!ids || !attrs)) return PH_BAD_ARGUMENT;
    return phx_submit_attrs(world, producer, op, count, ids, attrs, done ? done : &dealt, bulk);
}

static ph_status submit_ids(ph_producer handle, uint16_t op, uint32_t count, const uint64_t *ids, uint32_t *done,
                            bool bulk)
{
    phx_world *world;
    uint32_t dealt;
    phx_producer *producer = phx_resolve_producer(handle, &world);
    if (done) *done = 0;
    if (!producer) return PH_BAD_HANDLE;
    if (count > 0 && !ids) return PH_BAD_ARGUMENT;
    return phx_submit_ids(world, producer, op, count, ids, done ? done : &dealt, bulk);
}

static ph_status submit_two(ph_producer handle, uint16_t op, uint64_t id, uint64_t other, float view, float margin)
{
    phx_world *world;
    phx_producer *producer = phx_resolve_producer(handle, &world);
    return producer ? phx_submit_two_ids(producer, op, id, other, view, margin) : PH_BAD_HANDLE;
}

static ph_status submit_twos(ph_producer handle, uint16_t op, uint32_t count, const uint64_t *ids,
                             const uint64_t *others, uint32_t *done)
{
    phx_world *world;
    uint32_t dealt;
    phx_producer *producer = phx_resolve_producer(handle, &world);
    if (done) *done = 0;
    if (!producer) return PH_BAD_HANDLE;
    if (count > 0 && (!ids || !others)) return PH_BAD_ARGUMENT;
    return phx_submit_two_ids_many(world, producer, op, count, ids, others, done ? done : &dealt);
}

ph_status ph_enter(ph_producer producer, uint64_t id, const ph_attrs *attrs)
{
    return submit_attrs(producer, PHX_OP_ENTER, 1, &id, attrs, NULL, false);
}

ph_status ph_leave(ph_producer producer, uint64_t id)
{
    return submit_ids(producer, PHX_OP_LEAVE, 1, &id, NULL, false);
}

ph_status ph_move(ph_producer handle, uint64_t id, float x, float y, float z)
{
    phx_world *world;
    phx_producer *producer = phx_resolve_producer(handle, &world);
    return producer ? phx_submit_single_move(producer, id, (ph_position){x, y, z}) : PH_BAD_HANDLE;
}

ph_status ph_set(ph_producer producer, uint64_t id, const ph_attrs *attrs)
{
    return submit_attrs(producer, PHX_OP_SET, 1, &id, attrs, NULL, false);
}

ph_status ph_pair(ph_producer producer, uint64_t observer, uint64_t target, float view, float margin)
{
    return submit_two(producer, PHX_OP_PAIR, observer, target, view, margin);
}

ph_status ph_unpair(ph_producer producer, uint64_t observer, uint64_t target)
{
    return submit_two(producer, PHX_OP_UNPAIR, observer, target, 0.0f, 0.0f);
}

ph_status ph_link(ph_producer producer, uint64_t observer, uint64_t target)
{
    return submit_two(producer, PHX_OP_LINK, observer, target, 0.0f, 0.0f);
}

ph_status ph_unlink(ph_producer producer, uint64_t observer, uint64_t target)
{
    return submit_two(producer, PHX_OP_UNLINK, observer, target, 0.0f, 0.0f);
}

ph_status ph_hide(ph_producer producer, uint64_t observer, uint64_t target)
{
    return submit_two(producer, PHX_OP_HIDE, observer, target, 0.0f, 0.0f);
}

ph_status ph_unhide(ph_producer producer, uint64_t observer, uint64_t target)
{
    return submit_two(producer, PHX_OP_UNHIDE, observer, target, 0.0f, 0.0f);
}

ph_status ph_reveal(ph_producer producer, uint64_t observer, uint64_t target)
{
    return submit_two(producer, PHX_OP_REVEAL, observer, target, 0.0f, 0.0f);
}

ph_status ph_unreveal(ph_producer producer, uint64_t observer, uint64_t target)
{
    return submit_two(producer, PHX_OP_UNREVEAL, observer, target, 0.0f, 0.0f);
}

ph_status ph_attach(ph_producer producer, uint64_t child, uint64_t parent)
{
    return submit_two(producer, PHX_OP_ATTACH, child, parent, 0.0f, 0.0f);
}

ph_status ph_detach(ph_producer producer, uint64_t child)
{
    return submit_ids(producer, PHX_OP_DETACH, 1, &child, NULL, false);
}

ph_status ph_resend(ph_producer producer, uint64_t observer)
{
    return submit_ids(producer, PHX_OP_RESEND, 1, &observer, NULL, false);
}

ph_status ph_broadcast(ph_producer handle, uint64_t source, const void *payload, uint32_t bytes,
                       const ph_broadcast_options *options)
{
    static const ph_broadcast_options everybody;
    phx_world *world;
    phx_producer *producer = phx_resolve_producer(handle, &world);
    if (!producer) return PH_BAD_HANDLE;
    if (!payload && bytes > 0) return PH_BAD_ARGUMENT;
    if (options && !options->kinds && options->kind_count > 0) return PH_BAD_ARGUMENT;
    return phx_submit_broadcast(world, producer, source, payload, bytes, options ? options : &everybody);
}

ph_status ph_broadcast_at(ph_producer handle, const ph_broadcast_place *place, const void *payload, uint32_t bytes)
{
    phx_world *world;
    phx_producer *producer = phx_resolve_producer(handle, &world);
    if (!producer) return PH_BAD_HANDLE;
    if (!place || (!payload && bytes > 0) || (!place->kinds && place->kind_count > 0)) return PH_BAD_ARGUMENT;
    return phx_submit_broadcast_at(world, producer, place, payload, bytes);
}

ph_status ph_import(ph_producer handle, const void *capsule, size_t size, ph_stay_fn stay, void *user)
{
    phx_world *world;
    phx_producer *producer = phx_resolve_producer(handle, &world);
    if (!producer) return PH_BAD_HANDLE;
    return capsule ? phx_submit_import(world, producer, capsule, size, &(phx_stays){stay, user}) : PH_BAD_ARGUMENT;
}

ph_status ph_area_set(ph_producer handle, uint64_t area, const ph_area *shape)
{
    PHX_FLOAT_DEFAULT; /* is a polygon convex? All other commands are checked by bits and counts alone */
    phx_world *world;
    phx_producer *producer = phx_resolve_producer(handle, &world);
    if (!producer) return PH_BAD_HANDLE;
    return shape ? phx_submit_area(world, producer, area, shape) : PH_BAD_ARGUMENT;
}

ph_status ph_area_remove(ph_producer producer, uint64_t area)
{
    return submit_ids(producer, PHX_OP_AREA_REMOVE, 1, &area, NULL, false);
}

ph_status ph_enter_many(ph_producer producer, uint32_t count, const uint64_t *ids, const ph_attrs *attrs,
                        uint32_t *done)
{
    return submit_attrs(producer, PHX_OP_ENTER, count, ids, attrs, done, true);
}

ph_status ph_move_many(ph_producer handle, uint32_t count, const uint64_t *ids, const ph_position *positions,
                       uint32_t *done)
{
    phx_world *world;
    uint32_t dealt;
    phx_producer *producer = phx_resolve_producer(handle, &world);
    if (done) *done = 0;
    if (!producer) return PH_BAD_HANDLE;
    if (count > 0 && (!ids || !positions)) return PH_BAD_ARGUMENT;
    return phx_submit_move(world, producer, count, ids, positions, done ? done : &dealt, true);
}

ph_status ph_leave_many(ph_producer producer, uint32_t count, const uint64_t *ids, uint32_t *done)
{
    return submit_ids(producer, PHX_OP_LEAVE, count, ids, done, true);
}

ph_status ph_hide_many(ph_producer producer, uint32_t count, const uint64_t *observers, const uint64_t *targets,
                       uint32_t *done)
{
    return submit_twos(producer, PHX_OP_HIDE, count, observers, targets, done);
}

ph_status ph_unhide_many(ph_producer producer, uint32_t count, const uint64_t *observers, const uint64_t *targets,
                         uint32_t *done)
{
    return submit_twos(producer, PHX_OP_UNHIDE, count, observers, targets, done);
}

ph_status ph_reveal_many(ph_producer producer, uint32_t count, const uint64_t *observers, const uint64_t *targets,
                         uint32_t *done)
{
    return submit_twos(producer, PHX_OP_REVEAL, count, observers, targets, done);
}

ph_status ph_unreveal_many(ph_producer producer, uint32_t count, const uint64_t *observers, const uint64_t *targets,
                           uint32_t *done)
{
    return submit_twos(producer, PHX_OP_UNREVEAL, count, observers, targets, done);
}

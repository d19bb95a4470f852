/*
 * ph_consumer_*, ph_batch_*. See pharos.h.
 */
#include "api/handles.h"
#include "world/batch/consumer_queue.h"
#include "world/batch/packets.h"
#include "world/state/producer.h"
#include "world/state/world.h"

ph_status ph_consumer_open(ph_world handle, uint32_t index, ph_consumer *consumer)
{
    phx_world *world = phx_resolve_world(handle);
    if (!consumer) return PH_BAD_ARGUMENT;
    *consumer = (ph_consumer){0};
    if (!world) return PH_BAD_HANDLE;
    if (index >= world->def.consumers) return PH_BAD_ARGUMENT;
    phx_consumer_slot *slot = &world->consumers[index];
    uint32_t expected = PHX_FREE;
    if (!atomic_compare_exchange_strong_explicit(&slot->state, &expected, PHX_OPENING, memory_order_acquire,
                                                 memory_order_relaxed))
        return PH_TAKEN;
    uint32_t generation = atomic_fetch_add_explicit(&slot->generation, 1, memory_order_relaxed) + 1;
    atomic_store_explicit(&slot->state, PHX_OPEN, memory_order_release);
    *consumer = (ph_consumer){.index1 = (uint16_t)(index + 1), .generation = (uint16_t)generation, .world = handle};
    return PH_OK;
}

ph_status ph_consumer_close(ph_consumer handle)
{
    phx_consumer_slot *slot = phx_resolve_consumer(handle);
    if (!slot) return PH_BAD_HANDLE;
    phx_consumer_close(slot->consumer);
    atomic_store_explicit(&slot->state, PHX_FREE, memory_order_release);
    return PH_OK;
}

ph_status ph_batch_take(ph_consumer handle, const ph_batch **batch)
{
    phx_consumer_slot *slot = phx_resolve_consumer(handle);
    if (!batch) return PH_BAD_ARGUMENT;
    *batch = NULL;
    if (!slot) return PH_BAD_HANDLE;
    bool pending = phx_consumer_pending(slot->consumer); /* before the take: see there */
    *batch = phx_consumer_take(slot->consumer);
    if (*batch) return PH_OK;
    return pending ? PH_PENDING : PH_EMPTY;
}

ph_status ph_batch_return(ph_consumer handle, const ph_batch *batch)
{
    phx_consumer_slot *slot = phx_resolve_consumer(handle);
    if (!slot) return PH_BAD_HANDLE;
    if (!batch) return PH_BAD_ARGUMENT;
    return phx_consumer_return(slot->consumer, batch) ? PH_OK : PH_BAD_ARGUMENT;
}

ph_status ph_packets_begin(ph_consumer handle, const ph_batch *batch, ph_packets *packets)
{
    phx_consumer_slot *slot = phx_resolve_consumer(handle);
    if (!slot) return PH_BAD_HANDLE;
    if (!batch || !packets) return PH_BAD_ARGUMENT;
    return phx_consumer_packets(slot->consumer, batch, packets) ? PH_OK : PH_BAD_ARGUMENT;
}

bool ph_packets_next(ph_packets *packets, ph_packet *packet)
{
    return phx_packets_next(packets, packet);
}

const char *ph_cause_name(ph_cause cause)
{
    switch (cause) {
    case PH_CAUSE_CAME:
        return "came";
    case PH_CAUSE_APPEARED:
        return "appeared";
    case PH_CAUSE_GONE:
        return "gone";
    case PH_CAUSE_HIDDEN:
        return "hidden";
    case PH_CAUSE_OUTRANKED:
        return "outranked";
    case PH_CAUSE_RANGE:
        return "range";
    case PH_CAUSE_COUNT:
        break;
    }
    return "no cause of this number";
}

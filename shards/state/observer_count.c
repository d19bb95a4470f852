/*
 * Own observers of a shard; see observer_count.h.
 */
#include "shards/state/observer_count.h"

/* Adds a value to the maximum of some values and to the number of values that reach it. */
static void most_with(float *most, uint32_t *count, float value)
{
    if (value > *most) *count = 0;
    if (value >= *most) ++*count;
    if (value > *most) *most = value;
}

/* Removes a value from them. false: the last value that reached the maximum is gone, so the maximum is unknown. */
static bool most_without(float most, uint32_t *count, float value)
{
    if (value < most) return true;
    PHX_ASSERT(value <= most && *count > 0);
    return --*count > 0;
}

static void measure_visible_box(phx_shard *shard, const phx_attr *attr)
{
    most_with(&shard->radius_max, &shard->radius_count, attr->view + attr->margin);
    most_with(&shard->margin_max, &shard->margin_count, attr->margin);
}

void phx_shard_count_observer(phx_shard *shard, const phx_attr *attr, int sign)
{
    if (attr->view == 0.0f) return;
    if (sign > 0) measure_visible_box(shard, attr);
    else if (!shard->radius_stale)
        shard->radius_stale = !most_without(shard->radius_max, &shard->radius_count, attr->view + attr->margin) ||
                              !most_without(shard->margin_max, &shard->margin_count, attr->margin);
    shard->observing_count += (uint32_t)sign;
    if (attr->ready) shard->ready_count += (uint32_t)sign;
}

void phx_shard_measure_radius(phx_shard *shard)
{
    shard->radius_max = shard->margin_max = 0.0f;
    shard->radius_count = shard->margin_count = 0;
    for (uint32_t slot = 0; slot < shard->store.slots; slot++) {
        const phx_attr *attr = phx_store_attr(&shard->store, slot);
        if ((shard->store.body[slot].state & PHX_SLOT_OWN) && attr->view != 0.0f) measure_visible_box(shard, attr);
    }
    shard->radius_stale = false;
}

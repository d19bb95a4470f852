/*
 * The order of a restore; see restore.h.
 */
#include "world/image/restore.h"

#include <inttypes.h>

#include "shards/state/storage.h"
#include "world/image/restore_bonds.h"
#include "world/image/restore_entities.h"
#include "world/image/restore_lists.h"
#include "world/image/restore_memory.h"
#include "world/read/stats.h"
#include "world/tick/choose_towers.h"
#include "world/tick/tick.h"

/* Consumers that had not taken everything: their observers get their whole lists. */
static ph_status restore_consumers(const phx_restore *restore)
{
    phx_world *world = restore->world;
    const phx_image *image = restore->image;
    if (PHX_IMAGE_COUNT(image, consumers) != world->def.consumers)
        return phx_image_refuse(restore->reason, "section CONS: %" PRIu32 " consumers, and consumers = %" PRIu32,
                                PHX_IMAGE_COUNT(image, consumers), world->def.consumers);
    for (uint32_t i = 0; i < world->def.consumers; i++) {
        const uint32_t behind = PHX_IMAGE_ROWS(image, consumers, consumer)[i].behind;
        if (behind > PHX_CONSUMER_RENEWS)
            return phx_image_refuse(restore->reason, "section CONS: record %" PRIu32 ": %" PRIu32 " is outside [0, %d]",
                                    i, behind, PHX_CONSUMER_RENEWS);
        world->consumers[i].renews = behind != 0;
        world->renews |= behind != 0;
    }
    return PH_OK;
}

/* The tick of the image once more, from the exchange to the commit. */
static ph_status run_restore(phx_restore *restore)
{
    phx_world *world = restore->world;
    if (!phx_restore_run(world, PHX_STAGE_RECEIVE_COPIES)) return PH_NO_MEMORY;
    ph_status status = phx_restore_lists(restore);
    if (status == PH_OK && !phx_restore_run(world, PHX_STAGE_SPREAD)) status = PH_NO_MEMORY;
    if (status == PH_OK) status = phx_restore_check_zones(restore);
    if (status == PH_OK) status = phx_restore_check_changes(restore);
    if (status != PH_OK) return status;
    world->stage = PHX_STAGE_COMMIT; /* no observer begins */
    if (!phx_restore_run(world, PHX_STAGE_COMMIT)) return PH_NO_MEMORY;
    return phx_restore_check_partial(restore);
}

/* An open side is chosen by the views that its entities were given. */
static bool choose_saved_towers(const phx_restore *restore)
{
    const phx_image *image = restore->image;
    const phx_saved_attr *saved = PHX_IMAGE_ROWS(image, attrs, attr);
    const uint32_t count = PHX_IMAGE_COUNT(image, entities);
    phx_views views = {0.0f, 0.0f};
    if (!restore->world->towers_open || (count == 0 && PHX_IMAGE_COUNT(image, areas) == 0)) return true;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t set = phx_restore_entity(restore, i)->set; /* not checked yet */
        if (set >= PHX_IMAGE_COUNT(image, attrs) || !(saved[set].given & PH_VIEW)) continue;
        if (phx_is_length(saved[set].view)) phx_views_add(&views, saved[set].view);
    }
    return phx_choose_towers_by(restore->world, views);
}

/* Sums of the work so far are not the host's. */
static void clear_counts(phx_world *world)
{
    for (uint32_t i = 0; i < world->worker_count; i++) world->scratch[i].counts = (phx_interest_counts){0};
    for (uint32_t i = 0; i < world->shard_count; i++) {
        phx_shard *shard = &world->shards[i];
        shard->counts = (phx_shard_counts){.entries = shard->counts.entries};
        shard->zones.activation.woken = shard->zones.activation.slept = 0;
        shard->zones.area_members.entered = shard->zones.area_members.left = 0;
        world->shard_totals[i] = (phx_shard_totals){0};
        shard->storage->clear_counts(shard);
    }
    world->totals = (phx_world_totals){0};
    phx_stats_begin(world);
}

ph_status phx_image_restore(phx_image *image, phx_world *world, phx_image_reason reason)
{
    phx_restore restore = {.image = image, .world = world, .reason = reason};
    world->incarnations = image->incarnations;
    phx_restore_begin(world, image->tick, PHX_IMAGE_COUNT(image, entities));
    ph_status status = restore_consumers(&restore);
    if (status == PH_OK && !choose_saved_towers(&restore)) status = PH_NO_MEMORY;
    if (status == PH_OK) status = phx_restore_entities(&restore);
    if (status == PH_OK) status = phx_restore_bonds(&restore);
    if (status == PH_OK) status = phx_restore_memory(&restore);
    if (status == PH_OK) status = run_restore(&restore);
    phx_restore_end(world, status == PH_OK);
    if (status == PH_OK) clear_counts(world);
    phx_release(&image->mem, (void **)&restore.slots, &restore.slots_capacity, sizeof *restore.slots);
    phx_release(&image->mem, (void **)&restore.stamps, &restore.stamps_capacity, sizeof *restore.stamps);
    return status;
}

void phx_image_keep_consumers(const phx_image *image, phx_world *world)
{
    world->renews = false;
    for (uint32_t i = 0; i < world->def.consumers; i++) {
        const bool renews = PHX_IMAGE_ROWS(image, consumers, consumer)[i].behind == PHX_CONSUMER_RENEWS;
        world->consumers[i].renews = renews;
        world->renews |= renews;
    }
}

void phx_image_renew(phx_world *world)
{
    for (uint32_t i = 0; i < world->def.consumers; i++) world->consumers[i].renews = world->renews = true;
}

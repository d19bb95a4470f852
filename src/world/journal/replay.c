/*
 * Replays a record; see replay.h.
 */
#include "world/journal/replay.h"

#include <inttypes.h>

#include "world/journal/record.h"
#include "world/table/gate.h"
#include "world/tick/tick.h"

static ph_status check_record(phx_unpacking *from, const void *record, size_t size, phx_record_head *head)
{
    const size_t least = phx_record_head_bytes(PH_RECORD_FORMAT_OLDEST);
    uint64_t sum;
    if (size < least + sizeof sum || size % sizeof sum != 0)
        return phx_unpack_refuse(from, "head: a record has not %zu bytes", size);
    *head = (phx_record_head){0};
    memcpy(head, record, least);
    if (head->magic != PHX_RECORD_MAGIC) return phx_unpack_refuse(from, "head: this is no record");
    if (head->bytes != size)
        return phx_unpack_refuse(from, "head: %" PRIu64 " bytes, and there are %zu", head->bytes, size);
    memcpy(&sum, (const char *)record + size - sizeof sum, sizeof sum);
    phx_sum own = phx_sum_begin();
    phx_sum_add(&own, record, size - sizeof sum);
    if (phx_sum_end(&own) != sum) return phx_unpack_refuse(from, "its sum is not that of its bytes: it is damaged");
    const size_t bytes = phx_record_head_bytes(head->format);
    if (head->format < PH_RECORD_FORMAT_OLDEST || head->format > PH_RECORD_FORMAT || head->rules != PHX_IMAGE_RULES ||
        size < bytes + sizeof sum)
        return phx_unpack_refuse(from, "head: format %d, rules %d, %zu bytes; here they are [%d, %d] and %d",
                                 head->format, head->rules, size, PH_RECORD_FORMAT_OLDEST, PH_RECORD_FORMAT,
                                 PHX_IMAGE_RULES);
    memcpy(head, record, bytes);
    if (head->flags & ~(uint32_t)PHX_RECORD_FLAGS)
        return phx_unpack_refuse(from, "head: flags 0x%" PRIx32 " are not known", head->flags);
    if ((head->flags & PHX_RECORD_APPLY) && (head->flags & PHX_RECORD_DEF))
        return phx_unpack_refuse(from, "head: an apply takes no definition");
    if (head->flags & PHX_RECORD_SHORT)
        return phx_unpack_refuse(from,
                                 "tick %" PRIu64 " lacked memory: its events do not follow from its commands; only an "
                                 "image of it, or of a later tick, goes on",
                                 head->tick);
    *from = (phx_unpacking){
        .at = (const unsigned char *)record + bytes, .left = size - bytes - sizeof sum, .reason = from->reason};
    return PH_OK;
}

/* Is the world ready for an apply or tick? */
static ph_status check_rest(phx_world *world)
{
    if (world->stage != PHX_STAGE_IDLE || !phx_gate_tick_begin(&world->gate)) return PH_BUSY;
    phx_gate_tick_end(&world->gate, false);
    return PH_OK;
}

static phx_producer *record_producer(phx_world *world)
{
    return &world->producers[world->def.producers_max];
}

static ph_status submit_runs(phx_unpacking *from, phx_world *world, const phx_record_head *head, phx_image *def)
{
    ph_status status = PH_OK;
    if (!phx_producer_begin_record(record_producer(world), &world->mem, &world->def)) return PH_NO_MEMORY;
    if (head->flags & PHX_RECORD_DEF) status = phx_unpack_def(from, def);
    for (uint32_t r = 0; status == PH_OK && r < head->runs; r++)
        status = phx_unpack_run(from, world, record_producer(world), r);
    if (status == PH_OK && from->left > 0)
        status = phx_unpack_refuse(from, "%zu bytes are left behind its runs", from->left);
    return status;
}

ph_status phx_replay_submit(phx_world *world, const void *record, size_t size, phx_image *def, phx_record_head *head,
                            phx_image_reason reason)
{
    phx_unpacking from = {.reason = reason};
    ph_status status = check_record(&from, record, size, head);
    if (status == PH_OK) status = check_rest(world);
    if (status != PH_OK) return status;
    const uint64_t next = world->tick + !world->begun;
    if (head->tick != next)
        return phx_unpack_refuse(&from, "head: of tick %" PRIu64 ", and the next one of this world is %" PRIu64,
                                 head->tick, next);
    status = submit_runs(&from, world, head, def);
    if (status != PH_OK) phx_replay_drop(world);
    return status;
}

void phx_replay_drop(phx_world *world)
{
    phx_producer_drop_record(record_producer(world));
    world->journal.replays = false;
}

/* The counts of an apply or tick. */
static phx_record_head count_replayed(const phx_world *world, const phx_record_head *before)
{
    const phx_record_events events = phx_record_count_events(world);
    return (phx_record_head){.entities = phx_directory_count(&world->directory),
                             .applied = world->totals.applied - before->applied,
                             .refused = world->totals.refused_in_tick - before->refused,
                             .enters = events.enters - before->enters,
                             .leaves = events.leaves - before->leaves,
                             .edges = events.edges - before->edges};
}

/* Is the world as the recorded one was? */
static ph_status check_counts(phx_image_reason reason, const phx_record_head *want, const phx_record_head *got)
{
    const phx_unpacking from = {.reason = reason};
    const bool events = want->format < PHX_RECORD_EVENTS_SINCE || (want->flags & PHX_RECORD_RENEWS) ||
                        (got->enters == want->enters && got->leaves == want->leaves && got->edges == want->edges);
    if (got->entities != want->entities || got->applied != want->applied || got->refused != want->refused)
        return phx_unpack_refuse(&from,
                                 "diverged in tick %" PRIu64 ": %" PRIu64 " entities, %" PRIu64 " commands, %" PRIu64
                                 " refused; recorded were %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                                 want->tick, got->entities, got->applied, got->refused, want->entities, want->applied,
                                 want->refused);
    if (events) return PH_OK;
    return phx_unpack_refuse(&from,
                             "diverged in tick %" PRIu64 ": %" PRIu64 " enters, %" PRIu64 " leaves, %" PRIu64
                             " edges; recorded were %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                             want->tick, got->enters, got->leaves, got->edges, want->enters, want->leaves, want->edges);
}

ph_status phx_replay_run(phx_world *world, const phx_record_head *head, phx_image_reason reason)
{
    const phx_record_head before = count_replayed(world, &(phx_record_head){0});
    world->journal.replays = true;
    const ph_status status = head->flags & PHX_RECORD_APPLY ? phx_world_apply(world) : phx_world_tick(world, NULL);
    if (status == PH_BUSY) phx_replay_drop(world);
    if (status != PH_OK) return status;
    const phx_record_head got = count_replayed(world, &before);
    return check_counts(reason, head, &got);
}

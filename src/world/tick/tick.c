/*
 * The tick: a fixed list of stages, each a parallel loop ended by a barrier, or a part of the ticking thread's own.
 * Their order is here alone. A stage without memory leaves the world in that stage, and the next call goes on there.
 */
#include "world/tick/tick.h"

#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "shards/exchange/halo.h"
#include "shards/interest/scratch.h"
#include "shards/tick/begin_end.h"
#include "world/ingest/apply.h"
#include "world/ingest/area_anchors.h"
#include "world/ingest/crowd_control.h"
#include "world/ingest/import_arrival.h"
#include "world/ingest/imports.h"
#include "world/ingest/ingest.h"
#include "world/ingest/place_families.h"
#include "world/ingest/renewals.h"
#include "world/monitor/monitor.h"
#include "world/publish/address_broadcasts.h"
#include "world/publish/beginners.h"
#include "world/publish/broadcasts.h"
#include "world/publish/event_bound.h"
#include "world/publish/find_recipients.h"
#include "world/publish/find_updates.h"
#include "world/publish/publish.h"
#include "world/publish/updates.h"
#include "world/read/stats.h"
#include "world/table/attr_resolve.h"
#include "world/table/gate.h"
#include "world/tick/choose_towers.h"
#include "world/tick/finish_short.h"
#include "world/tick/hints.h"
#include "world/tick/lifecycle.h"
#include "world/tick/shard_steps.h"
#include "world/tick/share.h"

/* Runs a step over the shards: a new one, unless it is the one that stopped. */
static bool run_shard_step(phx_world *world, phx_shard_step step)
{
    bool done = phx_run_shards(world, step, !world->resumed);
    world->resumed = !done;
    return done;
}

/* Takes over new rules and classes; entities follow in phx_ingest_classes(). */
static void adopt_definition(phx_world *world)
{
    bool bands_changed = phx_bands_differ(&world->def, &world->next_def);
    world->journal.def_taken = true;
    atomic_fetch_add_explicit(&world->definitions, 1, memory_order_relaxed);
    phx_free(&world->mem, world->classes, world->def.class_count * sizeof *world->classes, PHX_CACHE_LINE);
    world->classes = world->next_classes;
    world->next_classes = NULL;
    /* field by field: submitting threads and consumers read the other fields at any time */
    world->def.shape = world->next_def.shape;
    world->def.height = world->next_def.height;
    world->def.span = world->next_def.span;
    world->def.activation_span = world->next_def.activation_span;
    world->def.activation_linger = world->next_def.activation_linger;
    world->def.sticky = world->next_def.sticky;
    world->def.broadcast_bytes = world->next_def.broadcast_bytes;
    world->def.crowd_entities = world->next_def.crowd_entities;
    world->def.crowd_floor = world->next_def.crowd_floor;
    world->def.events_max = world->next_def.events_max;
    world->def.share_min = world->next_def.share_min;
    phx_crowd_rules(world);
    world->def.classes = world->classes;
    world->def.class_count = world->next_def.class_count;
    phx_rules *rules = &world->rules;
    rules->shape = world->def.shape;
    rules->height = world->def.height;
    rules->span = world->def.span;
    rules->sticky = world->def.sticky;
    rules->classes = world->classes;
    rules->class_count = world->def.class_count;
    rules->wake_span = world->def.activation_span;
    rules->wake_linger = world->def.activation_linger;
    rules->wakes = phx_world_wakes(&world->def);
    rules->banded = phx_def_banded(&world->def);
    rules->bands_changed = bands_changed;
    rules->adds_least = phx_def_adds_least(&world->def);
    world->reclass = true;
}

/* Begins a tick; an apply may have done that. */
static void open_tick(phx_world *world)
{
    world->tick++;
    world->begun = true;
    world->monitor_ns = 0;
    world->monitors_asleep = world->monitors_asleep && phx_monitors_any(world);
    world->notes_costs = phx_monitors_any(world) && !world->monitors_asleep;
    phx_stats_begin(world);
    for (uint32_t i = 0; i < world->shard_count; i++) phx_shard_begin(&world->shards[i], world->tick);
    const uint32_t entities = phx_directory_count(&world->directory);
    for (uint32_t i = 0; i < world->worker_count; i++) phx_scratch_reset(&world->scratch[i], entities);
    phx_ingest_trim(world);
    phx_renames_clear(&world->renames);
    phx_broadcasts_clear(world);
    phx_attach_depth_end_tick(&world->depths);
    world->finishing = false;
    world->causes.incarnations_before = world->incarnations;
    if (!world->crowd.put_off) world->crowd.incarnations = world->incarnations;
    world->crowd.put_off = false;
}

static void begin_commands(phx_world *world)
{
    if (!world->begun) open_tick(world);
    for (uint32_t i = phx_world_producers_first(world); i < phx_world_producers_end(world); i++)
        phx_producer_snapshot(&world->producers[i]);
    if (world->next_classes && !world->apply.running) adopt_definition(world);
}

/* Without memory a tick that is finished keeps the towers that there are. */
static bool choose_open_towers(phx_world *world)
{
    const bool chosen = phx_choose_towers(world) || world->finishing;
    if (world->finishing) world->towers_open = false;
    return chosen;
}

static bool collect_commands(phx_world *world)
{
    if (world->reclass) world->reclass = !phx_ingest_classes(world);
    /* whole lists are owed to the living: not in ticks that are replayed behind a load */
    const bool renews = world->renews && !world->journal.replays;
    if (renews) world->renews = !phx_ingest_renew(world);
    world->journal.renewed |= renews;
    const bool collected = phx_ingest_collect(world), chosen = choose_open_towers(world);
    const bool done = collected && chosen && !world->reclass && !(renews && world->renews);
    phx_apply_begin(world);
    return done;
}

static bool note_applied(phx_world *world)
{
    return world->apply.wide ? run_shard_step(world, phx_step_note_applied) : phx_apply_note(world);
}

/*
 * Gives the blocks of producers back: all that is left of the commands is in the world, or kept, and in the journal.
 */
static void end_commands(phx_world *world)
{
    if (world->journal.write) world->journal.write(world);
    world->run_count = world->run_at = 0;
    for (uint32_t i = phx_world_producers_first(world); i < phx_world_producers_end(world); i++)
        phx_producer_release(&world->producers[i], !world->apply.running);
    world->journal.replays = false;
}

static void end_apply(phx_world *world)
{
    end_commands(world);
    world->apply.running = false;
    world->totals.applies++;
}

/* Is state of the zones stage left? */
static bool zones_left(const phx_world *world)
{
    bool left = world->rules.wakes || phx_areas_any(&world->areas);
    for (uint32_t i = 0; i < world->shard_count && !left; i++) {
        const phx_zones *zones = &world->shards[i].zones;
        left = zones->on || zones->put_off || zones->edges.held > 0;
    }
    return left;
}

/* Frees the areas that were removed, once all shards have followed. */
static void end_areas(phx_world *world)
{
    bool put_off = false;
    for (uint32_t i = 0; i < world->shard_count; i++) put_off |= world->shards[i].zones.put_off;
    if (put_off) phx_areas_put_off(&world->areas);
    else phx_areas_end_tick(&world->areas);
}

/* If a shard lacks copies, the next refresh repeats all. */
static void repeat_lost_copies(phx_world *world)
{
    bool lost = false;
    for (uint32_t i = 0; i < world->shard_count; i++) lost |= world->shards[i].lacks_copies;
    for (uint32_t i = 0; lost && i < world->shard_count; i++) phx_shard_repeat_copies(&world->shards[i]);
}

/* Ends the tick: its numbers, the blocks of producers, the dead slots of shards. */
static void end_tick(phx_world *world)
{
    repeat_lost_copies(world);
    phx_run_shards(world, phx_step_end, true);
    world->any_outside = false;
    for (uint32_t i = 0; i < world->shard_count; i++)
        world->any_outside |= world->shards[i].emigrant_candidates.count > 0;
    world->rules.bands_changed = false;
    phx_imports_clear(world);
    end_commands(world);
    end_areas(world);
    if (world->zoned) world->zoned = zones_left(world);
    atomic_store_explicit(&world->kind_count, world->def.class_count, memory_order_relaxed);
    world->begun = false;
}

/* Is a further round of this exchange due? */
static bool round_left(const phx_world *world)
{
    for (uint32_t i = 0; i < world->shard_count; i++)
        if (!world->shard_progress[i].all_sent) return true;
    return false;
}

/* Notes that neighbours need a refresh, if a shard's halo changed. */
static void compare_halo_requests(phx_world *world)
{
    size_t bytes = world->shard_count * sizeof *world->halo_requests;
    if (memcmp(world->halo_requests, world->halo_requests_before, bytes) == 0) return;
    for (uint32_t i = 0; i < world->shard_count; i++) world->shards[i].copies_due = true;
    memcpy(world->halo_requests_before, world->halo_requests, bytes);
}

/* Receives a round. *next: another round, or the stage behind. */
static bool receive_round(phx_world *world, phx_stage send, phx_stage *next)
{
    bool left = round_left(world);
    if (!run_shard_step(world, phx_step_receive)) return false;
    world->totals.rounds += left;
    for (uint32_t i = 0; !left && i < world->shard_count; i++) world->shard_progress[i].all_sent = false;
    if (left) *next = send;
    return true;
}

/* Receives migrants, until all are in their shards. false = no memory. */
static bool receive_migrants(phx_world *world, phx_stage *next)
{
    *next = PHX_STAGE_ARRIVE_IMPORTS;
    if (!receive_round(world, PHX_STAGE_SEND_MIGRANTS, next)) return false;
    if (*next == PHX_STAGE_SEND_MIGRANTS) return true;
    phx_run_shards(world, phx_step_arrive, true);
    compare_halo_requests(world);
    return true;
}

/* The stage behind the arrival of imports. */
static phx_stage after_imports(const phx_world *world)
{
    if (world->shard_count == 1) return PHX_STAGE_INDEX;
    const phx_relation_index *relations = &world->relation_index;
    return relations->relations + relations->mutual == 0 ? PHX_STAGE_SEND_COPIES : PHX_STAGE_SEND_PINS;
}

static bool run_zones(phx_world *world)
{
    world->zoned |= world->rules.wakes || phx_areas_any(&world->areas);
    if (!world->zoned) return true;
    phx_area_anchors_follow(world);
    return run_shard_step(world, phx_step_zones);
}

/* The stage behind the broadcasts: most worlds have no updates. */
static phx_stage after_broadcasts(phx_world *world)
{
    world->updating = phx_updates_due(world);
    return world->updating ? PHX_STAGE_UPDATES : PHX_STAGE_BATCHES;
}

/* Runs one stage and sets the next one. false = no memory. */
static bool run_stage(phx_world *world)
{
    phx_stage stage = world->stage, next = stage + 1;
    bool done = true;
    switch (stage) {
    case PHX_STAGE_IDLE:
        begin_commands(world);
        break;
    case PHX_STAGE_COLLECT:
        done = collect_commands(world);
        break;
    case PHX_STAGE_INGEST:
        phx_ingest(world);
        break;
    case PHX_STAGE_FOLLOW:
        done = world->apply.running ? phx_apply_follow(world) : phx_ingest_place_all(world);
        if (!world->apply.running) next = phx_crowd_due(world) ? PHX_STAGE_CROWD_COUNT : phx_stage_after_ingest(world);
        break;
    case PHX_STAGE_NOTE_APPLIED:
        done = note_applied(world);
        break;
    case PHX_STAGE_END_APPLY:
        end_apply(world);
        next = PHX_STAGE_IDLE;
        break;
    case PHX_STAGE_CROWD_COUNT:
        done = run_shard_step(world, phx_step_crowd_count);
        break;
    case PHX_STAGE_CROWD_DECIDE:
        done = phx_crowd_gather(world) && run_shard_step(world, phx_step_crowd_decide);
        break;
    case PHX_STAGE_CROWD_APPLY:
        done = phx_crowd_apply(world);
        next = phx_stage_after_ingest(world);
        break;
    case PHX_STAGE_SEND_MIGRANTS:
        done = run_shard_step(world, phx_step_send_migrants);
        break;
    case PHX_STAGE_RECEIVE_MIGRANTS:
        done = receive_migrants(world, &next);
        break;
    case PHX_STAGE_ARRIVE_IMPORTS:
        done = phx_imports_arrive(world);
        next = after_imports(world);
        break;
    case PHX_STAGE_SEND_PINS:
        done = run_shard_step(world, phx_step_send_pins);
        break;
    case PHX_STAGE_RECEIVE_PINS:
        done = receive_round(world, PHX_STAGE_SEND_PINS, &next);
        break;
    case PHX_STAGE_SEND_COPIES:
        done = run_shard_step(world, phx_step_send_copies);
        break;
    case PHX_STAGE_RECEIVE_COPIES:
        done = receive_round(world, PHX_STAGE_SEND_COPIES, &next);
        break;
    case PHX_STAGE_INDEX:
        done = run_shard_step(world, phx_step_index);
        break;
    case PHX_STAGE_COPY_ROWS:
        phx_copy_row_positions(world);
        break;
    case PHX_STAGE_ZONES:
        done = run_zones(world);
        break;
    case PHX_STAGE_PLAN:
        done = phx_plan_chunks(world);
        break;
    case PHX_STAGE_INTEREST:
        done = phx_run_interest(world);
        break;
    case PHX_STAGE_SPREAD:
        done = phx_spread_tick(world);
        if (done) phx_stats_share(world);
        break;
    case PHX_STAGE_BEGINNERS:
        done = phx_publish_beginners(world);
        break;
    case PHX_STAGE_COMMIT:
        done = run_shard_step(world, phx_step_commit);
        if (world->broadcasts.message_count == 0) next = after_broadcasts(world);
        break;
    case PHX_STAGE_LOCATE:
        phx_broadcasts_locate(world);
        break;
    case PHX_STAGE_TARGET:
        done = phx_broadcasts_address(world) && run_shard_step(world, phx_step_sort_messages);
        break;
    case PHX_STAGE_PIECES:
        done = phx_plan_pieces(world);
        break;
    case PHX_STAGE_FIND_RECIPIENTS:
        done = phx_run_pieces(world);
        next = after_broadcasts(world);
        break;
    case PHX_STAGE_UPDATES:
        done = run_shard_step(world, phx_step_ready_samples) && phx_updates_plan(world, false);
        break;
    case PHX_STAGE_FIND_UPDATES:
        done = phx_updates_find(world);
        break;
    case PHX_STAGE_DEFER_UPDATES:
        done = run_shard_step(world, phx_step_defer_updates) && phx_updates_place(world);
        break;
    case PHX_STAGE_BATCHES:
        done = phx_publish_batches(world);
        break;
    case PHX_STAGE_FILL:
        phx_publish_fill(world);
        break;
    case PHX_STAGE_OFFER:
        done = phx_publish_offer(world);
        break;
    case PHX_STAGE_END:
        end_tick(world);
        next = PHX_STAGE_IDLE;
        break;
    }
    if (done) world->stage = next;
    return done;
}

/* Runs a stage; if it has no memory and the tick is to be finished, ends it without. false = no memory. */
static bool go_on(phx_world *world, bool finish)
{
    if (run_stage(world)) return true;
    if (!finish) return false;
    const phx_stage next = phx_finish_stage(world);
    world->resumed &= next == world->stage; /* then its step goes on */
    world->stage = next;
    return true;
}

/* Adds the time since *from to the phase; the next one begins now. */
static void end_phase(phx_world *world, phx_phase phase, uint64_t *from)
{
    const uint64_t to = phx_now_ns();
    world->phase_ns.of[phase] += to - *from;
    *from = to;
}

/*
 * Runs the stages up to `last`, and that one too; reads the clock once a phase, at its end. *from: the beginning of the
 * phase at hand, also behind it. false = no memory.
 */
static bool run_stages(phx_world *world, phx_stage last, bool finish, uint64_t *from)
{
    for (bool runs = world->stage <= last; runs;) {
        const phx_phase phase = phx_phase_of(world->stage);
        const bool done = go_on(world, finish), rests = world->stage == PHX_STAGE_IDLE;
        if (!done || rests || phx_phase_of(world->stage) != phase) end_phase(world, phase, from);
        if (!done) return false;
        runs = world->stage <= last && !rests;
    }
    return true;
}

/* Runs an apply, or goes on with it, until the world rests. false = no memory. */
static bool run_apply(phx_world *world, bool finish, phx_crew_use use)
{
    bool done = true;
    uint64_t from = phx_now_ns();
    if (world->stage <= PHX_STAGE_COLLECT) {
        done = run_stages(world, PHX_STAGE_COLLECT, finish, &from);
        if (done) phx_share_decide(world);
    }
    if (!done) return false;
    const bool took = phx_share_begin(world, use);
    done = run_stages(world, PHX_STAGE_END_APPLY, finish, &from);
    phx_share_end(world, took);
    return done;
}

/*
 * Runs the tick, behind an apply that stopped; the gate is closed. PH_PENDING: it is worth sharing, and was left where
 * that begins.
 */
static ph_status run_tick(phx_world *world, uint64_t *tick, bool finish, phx_crew_use use)
{
    world->changes++;
    bool done = !world->apply.running || run_apply(world, finish, use);
    uint64_t from = phx_now_ns();
    if (done && world->stage <= PHX_STAGE_COLLECT) {
        done = run_stages(world, PHX_STAGE_COLLECT, finish, &from);
        if (done) phx_share_decide(world);
    }
    if (done && world->shared && use == PHX_CREW_LATER) {
        end_phase(world, phx_phase_of(world->stage), &from);
        return PH_PENDING;
    }
    if (done) {
        const bool took = phx_share_begin(world, use);
        done = run_stages(world, PHX_STAGE_END, finish, &from);
        if (done) phx_stats_end(world);
        if (done && phx_monitors_any(world)) phx_monitors_fill(world, false);
        phx_share_end(world, took);
    }
    if (done && world->def.log) phx_log_hints(world);
    if (done && finish) phx_finish_release_spare(world); /* so that reads and leaves find memory */
    if (done && tick) *tick = world->tick;
    phx_gate_tick_end(&world->gate, !done);
    return done ? PH_OK : PH_NO_MEMORY;
}

ph_status phx_world_tick(phx_world *world, uint64_t *tick)
{
    if (tick) *tick = 0;
    if (!phx_gate_tick_begin(&world->gate)) return PH_BUSY;
    return run_tick(world, tick, false, PHX_CREW_TRY);
}

ph_status phx_world_tick_inside(phx_world *world, phx_crew_use use)
{
    return run_tick(world, NULL, false, use);
}

ph_status phx_world_tick_finish(phx_world *world, uint64_t *tick)
{
    if (tick) *tick = 0;
    if (!phx_gate_tick_begin(&world->gate)) return PH_BUSY;
    if (world->stage == PHX_STAGE_IDLE) {
        phx_gate_tick_end(&world->gate, false);
        return PH_EMPTY;
    }
    world->totals.ticks_short += !world->finishing;
    world->finishing = true;
    phx_finish_release_spare(world);
    return run_tick(world, tick, true, PHX_CREW_TRY);
}

ph_status phx_world_apply(phx_world *world)
{
    if (!phx_gate_tick_begin(&world->gate)) return PH_BUSY;
    if (world->stage != PHX_STAGE_IDLE && !world->apply.running) {
        phx_gate_tick_end(&world->gate, true); /* a tick is half way */
        return PH_BUSY;
    }
    world->changes++;
    world->apply.running = true;
    const bool done = run_apply(world, false, PHX_CREW_TRY);
    phx_gate_tick_end(&world->gate, !done);
    return done ? PH_OK : PH_NO_MEMORY;
}

/* ---- restore ---- */

static void set_restoring(phx_world *world, bool restoring)
{
    world->restoring = restoring;
    for (uint32_t i = 0; i < world->shard_count; i++) world->shards[i].restoring = restoring;
}

void phx_restore_begin(phx_world *world, uint64_t tick, uint32_t entities)
{
    world->tick = tick - 1;
    set_restoring(world, true);
    open_tick(world);
    world->shared = world->crew && world->crew->count > 1 && entities >= world->def.share_min;
    world->stage = PHX_STAGE_INGEST; /* where workers get their memory */
    world->restore_took_crew = phx_share_begin(world, PHX_CREW_TRY);
    world->stage = phx_stage_after_ingest(world);
}

bool phx_restore_run(phx_world *world, phx_stage last)
{
    uint64_t from = phx_now_ns();
    return run_stages(world, last, false, &from);
}

void phx_restore_end(phx_world *world, bool done)
{
    if (done) {
        world->stage = PHX_STAGE_END;
        uint64_t from = phx_now_ns();
        (void)run_stages(world, PHX_STAGE_END, false, &from); /* needs no memory */
        world->phase_ns = (phx_phase_ns){0};
    }
    phx_share_end(world, world->restore_took_crew);
    set_restoring(world, false);
}

void phx_world_permute(phx_world *world, uint64_t seed)
{
    for (uint32_t i = 0; i < world->shard_count; i++) world->shard_order[i] = i;
    for (uint32_t i = world->shard_count; i > 1; i--) {
        uint32_t j = phx_rng_below(&seed, i), other = world->shard_order[i - 1];
        world->shard_order[i - 1] = world->shard_order[j];
        world->shard_order[j] = other;
    }
}

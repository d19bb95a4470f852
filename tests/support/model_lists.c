/*
 * The toy world and its client; see model_lists.h.
 */
#include "support/model_lists.h"

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "support/check.h"

/* Ids spread over 64 bits, and are no plain place, so that id and place can not be mixed up. */
static uint64_t id_of(uint32_t place, uint64_t tag)
{
    return ((uint64_t)place + 1) << 40 | tag;
}

uint64_t toy_observer_id(uint32_t observer)
{
    return id_of(observer, 0xb5);
}

static uint64_t target_id(uint32_t target)
{
    return id_of(target, 0x7a);
}

static uint32_t place_of(uint64_t id)
{
    return (uint32_t)(id >> 40) - 1;
}

static uint16_t kind_of(uint32_t incarnation)
{
    return (uint16_t)(incarnation % TOY_KINDS);
}

static uint64_t user_data_of(uint64_t id, uint32_t incarnation)
{
    return phx_mix64(id + incarnation);
}

void toy_world_create(toy_world *world, uint32_t observers, uint32_t targets, uint64_t seed)
{
    size_t entries = (size_t)observers * targets;
    *world = (toy_world){.observers = observers, .targets = targets, .random = seed};
    world->alive = check_zalloc(targets * sizeof(*world->alive));
    world->now = check_zalloc(entries * sizeof(*world->now));
    world->before = check_zalloc(entries * sizeof(*world->before));
    world->ready = check_zalloc(observers);
    world->owes_fresh = check_zalloc(observers);
    world->discarded = check_zalloc(observers);
    for (uint32_t o = 0; o < observers; o++) {
        world->ready[o] = true;
        world->owes_fresh[o] = true; /* it is new */
    }
}

static void release(void *memory)
{
    size_t none = 0;
    check_free(&memory, &none, &none);
}

void toy_world_destroy(toy_world *world)
{
    release(world->alive);
    release(world->now);
    release(world->before);
    release(world->ready);
    release(world->owes_fresh);
    release(world->discarded);
}

static bool chance(toy_world *world, uint32_t of_1000)
{
    return phx_rng_below(&world->random, 1000) < of_1000;
}

static void step_targets(toy_world *world, uint32_t churn)
{
    for (uint32_t t = 0; t < world->targets; t++) {
        if (world->alive[t] != 0 && chance(world, churn / 4)) {
            world->alive[t] = 0;
        }
        /* also one that died in this very tick: the same id, another incarnation */
        if (world->alive[t] == 0 && chance(world, 500)) {
            world->alive[t] = ++world->incarnations;
        }
    }
}

static void step_observer(toy_world *world, uint32_t o, uint32_t churn)
{
    uint32_t *before = &world->before[(size_t)o * world->targets];
    uint32_t *now = &world->now[(size_t)o * world->targets];
    bool anew = chance(world, churn / 8); /* leaves the world and enters again within the tick */
    if (chance(world, churn / 8)) {
        world->ready[o] = !world->ready[o];
    }
    world->discarded[o] = anew || !world->ready[o];
    if (world->discarded[o]) {
        memset(before, 0, world->targets * sizeof(*before)); /* no leaves are told */
        world->owes_fresh[o] = true;
    }
    for (uint32_t t = 0; t < world->targets; t++) {
        bool sees = world->ready[o] && (before[t] != 0) != chance(world, churn);
        now[t] = sees ? world->alive[t] : 0;
    }
}

void toy_world_step(toy_world *world, uint32_t churn)
{
    size_t entries = (size_t)world->observers * world->targets;
    memcpy(world->before, world->now, entries * sizeof(*world->now));
    step_targets(world, churn);
    for (uint32_t o = 0; o < world->observers; o++) {
        step_observer(world, o, churn);
    }
    world->events_made = 0;
}

void toy_world_changes(const toy_world *world, uint32_t *changes, uint32_t *targets)
{
    *changes = 0;
    *targets = 0;
    for (uint32_t o = 0; o < world->observers; o++) {
        uint32_t events = 0;
        for (size_t i = (size_t)o * world->targets; i < (size_t)(o + 1) * world->targets; i++) {
            bool differs = world->before[i] != world->now[i];
            events += differs && world->before[i] != 0;
            events += differs && world->now[i] != 0;
        }
        *changes += events > 0;
        *targets += events;
    }
}

/* All that is in `from` and not in `other`, by kind, then id. */
static uint32_t fill_side(const uint32_t *from, const uint32_t *other, uint32_t targets, phx_batch *batch, uint32_t at)
{
    uint32_t start = at;
    for (uint16_t kind = 0; kind < TOY_KINDS; kind++) {
        for (uint32_t t = 0; t < targets; t++) {
            if (from[t] == 0 || from[t] == other[t] || kind_of(from[t]) != kind) {
                continue;
            }
            batch->columns.targets[at] = (ph_target){target_id(t), user_data_of(target_id(t), from[t])};
            batch->columns.kinds[at] = kind;
            batch->columns.incarnations[at] = from[t];
            at++;
        }
    }
    return at - start;
}

void toy_world_fill(toy_world *world, phx_batch *batch)
{
    uint32_t change = 0, at = 0;
    for (uint32_t o = 0; o < world->observers; o++) {
        const uint32_t *before = &world->before[(size_t)o * world->targets];
        const uint32_t *now = &world->now[(size_t)o * world->targets];
        uint32_t leaves = fill_side(before, now, world->targets, batch, at);
        uint32_t enters = fill_side(now, before, world->targets, batch, at + leaves);
        if (leaves + enters == 0) {
            continue;
        }
        uint64_t id = toy_observer_id(o);
        uint32_t flags = world->owes_fresh[o] ? PH_CHANGE_FRESH : 0;
        batch->changes[change++] = (ph_change){id, ~id, at, leaves, enters, flags};
        world->owes_fresh[o] = false;
        at += leaves + enters;
    }
    REQUIRE(change == batch->given.change_count);
    REQUIRE(at == batch->given.target_count);
    world->events_made = at;
}

/* ---- the client ---- */

void toy_client_create(toy_client *client, const toy_world *world)
{
    *client = (toy_client){.observers = world->observers, .targets = world->targets};
    client->list = check_zalloc((size_t)world->observers * world->targets * sizeof(*client->list));
    client->seen = check_zalloc(world->observers * sizeof(*client->seen));
}

void toy_client_destroy(toy_client *client)
{
    release(client->list);
    release(client->seen);
}

/* The incarnation that a target record speaks of; its user data is a hash of it, else 0. */
static uint32_t incarnation_of(const phx_batch *inside, uint32_t i)
{
    uint64_t id = inside->given.targets[i].id;
    uint32_t incarnation = inside->columns.incarnations[i];
    return inside->given.targets[i].user_data == user_data_of(id, incarnation) ? incarnation : 0;
}

static const char *check_record(const toy_client *client, const ph_batch *batch, uint32_t i, bool first)
{
    if (place_of(batch->targets[i].id) >= client->targets ||
        target_id(place_of(batch->targets[i].id)) != batch->targets[i].id) {
        return "a target that there is not";
    }
    uint32_t incarnation = incarnation_of((const phx_batch *)(const void *)batch, i);
    if (incarnation == 0) {
        return "user data of another target or incarnation";
    }
    if (batch->kinds[i] != kind_of(incarnation)) {
        return "a kind of another target";
    }
    if (first) {
        return NULL;
    }
    if (batch->kinds[i - 1] > batch->kinds[i] ||
        (batch->kinds[i - 1] == batch->kinds[i] && batch->targets[i - 1].id >= batch->targets[i].id)) {
        return "not ordered by kind and id";
    }
    return NULL;
}

/* The first `leave_count` records are leaves. */
static const char *play_change(toy_client *client, const ph_batch *batch, const ph_change *change)
{
    const phx_batch *inside = (const phx_batch *)(const void *)batch;
    uint32_t *list = &client->list[(size_t)place_of(change->observer) * client->targets];
    uint32_t enters = change->first + change->leave_count;
    if (change->flags & PH_CHANGE_FRESH) {
        memset(list, 0, client->targets * sizeof(*list));
    } else if (change->leave_count + change->enter_count == 0) {
        return "a change of nothing";
    }
    for (uint32_t i = change->first; i < enters + change->enter_count; i++) {
        const char *wrong = check_record(client, batch, i, i == change->first || i == enters);
        if (wrong != NULL) {
            return wrong;
        }
    }
    for (uint32_t i = change->first; i < enters; i++) {
        uint32_t t = place_of(batch->targets[i].id);
        if (list[t] != incarnation_of(inside, i)) {
            return "a leave of a target that is not in the list";
        }
        for (uint32_t j = enters; j < enters + change->enter_count; j++) {
            if (batch->targets[j].id == batch->targets[i].id && incarnation_of(inside, j) == list[t]) {
                return "leave and enter of one incarnation";
            }
        }
        list[t] = 0;
    }
    for (uint32_t i = enters; i < enters + change->enter_count; i++) {
        uint32_t t = place_of(batch->targets[i].id);
        if (list[t] != 0) {
            return "an enter of a target that is in the list";
        }
        list[t] = incarnation_of(inside, i);
    }
    client->leaves += change->leave_count;
    client->enters += change->enter_count;
    return NULL;
}

const char *toy_client_play(toy_client *client, const ph_batch *batch)
{
    if (batch->tick_first > batch->tick || batch->tick_first <= client->tick) {
        return "ticks out of order, or told twice";
    }
    if (batch->change_count == 0) {
        return "an empty batch";
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < batch->change_count; i++) {
        const ph_change *change = &batch->changes[i];
        uint32_t o = place_of(change->observer);
        if (o >= client->observers || toy_observer_id(o) != change->observer ||
            change->user_data != ~toy_observer_id(o)) {
            return "an observer that there is not";
        }
        if (client->seen[o] == batch->tick) {
            return "an observer twice in one batch";
        }
        client->seen[o] = batch->tick;
        if (change->first != next) {
            return "targets of changes with a gap or an overlap";
        }
        next += change->leave_count + change->enter_count;
        const char *wrong = play_change(client, batch, change);
        if (wrong != NULL) {
            return wrong;
        }
    }
    client->tick = batch->tick;
    client->batches++;
    return next == batch->target_count ? NULL : "targets of no change";
}

const char *toy_client_compare(const toy_client *client, const toy_world *world)
{
    for (uint32_t o = 0; o < world->observers; o++) {
        if (world->owes_fresh[o]) {
            continue; /* its old list is of no meaning: the next change says so */
        }
        for (uint32_t t = 0; t < world->targets; t++) {
            uint32_t has = client->list[(size_t)o * world->targets + t];
            uint32_t should = world->now[(size_t)o * world->targets + t];
            if (has != should) {
                return has == 0 ? "an enter is missing" : should == 0 ? "a leave is missing" : "an old incarnation";
            }
        }
    }
    return NULL;
}

/*
 * The wiring, and the plain world beside it; see shards_fixture.h. The steps are the ones of
 * src/world/tick/shard_steps.c and world/tick/tick.c without workers and batches.
 */
#include "unit/shards/shards_fixture.h"

#include "base/simd.h"
#include "shards/entity/event_columns.h"
#include "shards/exchange/halo.h"
#include "shards/exchange/migrate_out.h"
#include "shards/exchange/receive.h"
#include "shards/ingest/commands.h"
#include "shards/ingest/moves.h"
#include "shards/interest/change_record.h"
#include "shards/interest/event_naming.h"
#include "shards/interest/run.h"
#include "shards/query/observers.h"
#include "shards/query/seen.h"
#include "shards/storage/storage_of.h"
#include "shards/tick/begin_end.h"
#include "shards/tick/reindex.h"

#include <stdlib.h>

static fleet the_fleet;
static struct {
    uint64_t id, user_data;
    uint16_t kind;
} names[1u << 18]; /* by incarnation: its last name */

void fleet_memory_for(uint64_t calls)
{
    memory_for(calls);
}

void fleet_memory_enough(void)
{
    memory_enough();
}

uint64_t fleet_bytes(void)
{
    return atomic_load(&watched.bytes);
}

/* A call had no memory: when that is scarce the next attempt gets one allocation more than the last. */
static void stopped(fleet *f, uint32_t *attempt)
{
    f->stops++;
    cr_assert_lt(*attempt, 64, "a call that does not get on");
    if (f->scarce) memory_for(++*attempt);
    else memory_enough();
}

#define UNTIL_DONE(f, call) \
    do { \
        for (uint32_t attempt = 0; !(call);) stopped((f), &attempt); \
    } while (0)

fleet *fleet_open(phx_rules rules, uint32_t columns, uint32_t rows, uint32_t pool_blocks)
{
    fleet *f = &the_fleet;
    const uint32_t shards[2] = {columns, rows};
    memset(f, 0, sizeof *f);
    memory_set_up();
    f->rules = rules;
    f->rules.simd = phx_simd_choose(f->rules.simd);
    f->shard_count = columns * rows;
    f->pool_bytes = pool_blocks * PHX_RECORD_BLOCK_BYTES;
    cr_assert_leq(f->shard_count, FLEET_SHARDS_MAX);
    cr_assert(phx_partition_init(&f->partition, &memory, rules.towers, shards));
    for (uint32_t i = 0; i < f->shard_count; i++)
        cr_assert(phx_shard_init(&f->shard[i], &memory, &f->rules, phx_storage_of(&f->rules), i, f->shard_count,
                                 phx_partition_rect(&f->partition, i)));
    phx_directory_init(&f->directory, &memory, f->shard_count);
    phx_renames_init(&f->renames, &memory);
    for (int i = 0; i < FLEET_SCRATCHES; i++) phx_scratch_init(&f->scratch[i], &memory);
    return f;
}

void fleet_close(fleet *f)
{
    for (uint32_t i = 0; i < f->shard_count; i++) phx_shard_free(&f->shard[i], f->shard_count);
    for (int i = 0; i < FLEET_SCRATCHES; i++) phx_scratch_free(&f->scratch[i]);
    phx_partition_free(&f->partition, &memory);
    phx_renames_free(&f->renames, &memory);
    phx_directory_free(&f->directory);
    memory_tear_down();
}

/* ---- commands ---- */

phx_shard *fleet_home(fleet *f, uint64_t id)
{
    uint64_t home = phx_directory_find(&f->directory, id);
    return home != PHX_HOME_NONE ? &f->shard[phx_home_shard(home)] : NULL;
}

static uint32_t own_slot(fleet *f, uint64_t id)
{
    return phx_home_slot(phx_directory_find(&f->directory, id));
}

uint32_t fleet_slot(fleet *f, uint32_t shard, uint64_t id)
{
    return phx_shard_find(&f->shard[shard], &f->directory, id);
}

uint32_t fleet_rows(const phx_shard *shard, uint32_t places)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < places; i++) rows += !phx_row_word_is_gap(phx_row_word_at(shard->grid.rows.slot, i));
    return rows;
}

void fleet_begin(fleet *f)
{
    f->tick++;
    phx_renames_clear(&f->renames);
    for (uint32_t i = 0; i < f->shard_count; i++) phx_shard_begin(&f->shard[i], f->tick);
    for (int i = 0; i < FLEET_SCRATCHES; i++) phx_scratch_reset(&f->scratch[i], 4096);
}

void fleet_enter(fleet *f, uint64_t id, phx_attr attr, float x, float y)
{
    fleet_entity *e = &f->entity[id];
    cr_assert(id > 0 && id < FLEET_IDS && !e->in);
    *e = (fleet_entity){.in = true,
                        .fresh = true,
                        .incarnation = ++f->incarnations,
                        .user_data = id % 3 == 0 ? id * 1000 : 0,
                        .attr = attr,
                        .x = x,
                        .y = y};
    for (uint32_t o = 1; o < FLEET_IDS; o++) f->relation[o][id] = f->relation[id][o] = (phx_relation){0};
    memset(f->seen[id], 0, sizeof f->seen[id]);
    names[e->incarnation].id = id;
    names[e->incarnation].kind = attr.kind;
    names[e->incarnation].user_data = e->user_data;
    uint32_t home =
        phx_partition_shard(&f->partition, phx_tower_index(&f->rules, 0, x), phx_tower_index(&f->rules, 1, y));
    uint32_t slot;
    UNTIL_DONE(f, phx_directory_reserve(&f->directory, id));
    UNTIL_DONE(f, (slot = phx_shard_enter(&f->shard[home], id, e->incarnation, e->user_data, &attr, x, y, 0)) !=
                      PHX_SLOT_NONE);
    phx_directory_insert(&f->directory, id, phx_home(home, slot));
}

void fleet_relate(fleet *f, uint64_t observer, uint64_t target, uint32_t bits, float view)
{
    const phx_relation item = {
        .target = target, .slot = own_slot(f, target), .bits = (uint8_t)bits, .view = view, .margin = view / 4};
    cr_assert(f->entity[observer].in && f->entity[target].in && observer != target);
    if (bits == 0 && f->relation[observer][target].bits == 0) return;
    f->relation[observer][target] = item;
    UNTIL_DONE(f, phx_shard_relate(fleet_home(f, observer), own_slot(f, observer), item));
}

void fleet_leave(fleet *f, uint64_t id)
{
    phx_shard *shard = fleet_home(f, id);
    cr_assert_not_null(shard);
    for (uint32_t o = 1; o < FLEET_IDS; o++)
        if (f->relation[o][id].bits != 0) fleet_relate(f, o, id, 0, 0);
    UNTIL_DONE(f, phx_shard_ready(shard, 1));
    phx_shard_leave(shard, own_slot(f, id));
    phx_directory_remove(&f->directory, id);
    f->entity[id].in = false;
    memset(f->relation[id], 0, sizeof f->relation[id]);
    memset(f->seen[id], 0, sizeof f->seen[id]);
}

void fleet_fly(fleet *f, uint64_t id, float x, float y, float z)
{
    phx_shard *shard = fleet_home(f, id);
    cr_assert_not_null(shard);
    f->entity[id].x = x;
    f->entity[id].y = y;
    f->entity[id].z = z;
    UNTIL_DONE(f, phx_shard_ready(shard, 1));
    phx_shard_move(shard, own_slot(f, id), x, y, z);
}

void fleet_move(fleet *f, uint64_t id, float x, float y)
{
    fleet_fly(f, id, x, y, 0);
}

void fleet_set(fleet *f, uint64_t id, phx_attr attr, uint64_t user_data)
{
    phx_shard *shard = fleet_home(f, id);
    fleet_entity *e = &f->entity[id];
    cr_assert_not_null(shard);
    if (e->attr.kind != attr.kind || e->user_data != user_data) {
        UNTIL_DONE(f, phx_renames_ready(&f->renames, &memory));
        phx_renames_put(
            &f->renames,
            (phx_rename){.id = id, .user_data = user_data, .incarnation = e->incarnation, .kind = attr.kind});
        names[e->incarnation].kind = attr.kind;
        names[e->incarnation].user_data = user_data;
    }
    if (e->attr.ready && !attr.ready) { /* its list ends at once, ready again in this tick or not */
        memset(f->seen[id], 0, sizeof f->seen[id]);
        e->fresh = true;
    }
    e->attr = attr;
    e->user_data = user_data;
    UNTIL_DONE(f, phx_shard_ready(shard, 1));
    UNTIL_DONE(f, phx_store_reserve_user_data(&shard->store, shard->mem, user_data));
    phx_store_set_user_data(&shard->store, own_slot(f, id), user_data);
    phx_shard_set(shard, own_slot(f, id), &attr);
}

/* ---- exchange ---- */

typedef enum exchange { MIGRANTS, PINS, COPIES } exchange;

static bool sent(fleet *f, exchange what, uint32_t i, bool *done)
{
    phx_shard *shard = &f->shard[i];
    const phx_partition *p = &f->partition;
    if (!phx_outbox_ready(&shard->outbox, f->pool_bytes)) return false;
    if (what == MIGRANTS) return phx_shard_send_migrants(shard, p->column_of, p->row_of, p->columns, done);
    if (what == PINS) phx_shard_send_pins(shard, &f->directory, done);
    else return phx_shard_send_copies(shard, f->zones, f->shard_count, done);
    return true;
}

static void report_immigrants(fleet *f, uint32_t i)
{
    const phx_shard *shard = &f->shard[i];
    for (uint32_t a = 0; a < shard->immigrants.count; a++) {
        uint32_t slot = shard->immigrants.at[a];
        phx_directory_set(&f->directory, shard->store.name[slot].id, phx_home(i, slot));
    }
}

static void receive(fleet *f, uint32_t i)
{
    for (uint32_t source = 0; source < f->shard_count; source++) {
        const phx_outbox *outbox = &f->shard[source].outbox;
        const phx_record_block *block = phx_outbox_first(outbox, i);
        for (; block; block = phx_outbox_after(outbox, block)) {
            cr_assert_neq(source, i, "a record to itself");
            UNTIL_DONE(f, phx_shard_receive(&f->shard[i], block, outbox->lists));
            f->blocks++;
        }
    }
}

static void exchange_all(fleet *f, exchange what)
{
    bool done[FLEET_SHARDS_MAX] = {false}, all_done = false;
    for (uint32_t round = 0; !all_done; round++) {
        all_done = true;
        cr_assert_lt(round, 10000, "an exchange that does not end");
        for (uint32_t i = 0; i < f->shard_count; i++) {
            if (!done[i]) UNTIL_DONE(f, sent(f, what, i, &done[i]));
            all_done = all_done && done[i];
        }
        for (uint32_t i = 0; i < f->shard_count; i++) receive(f, i);
        for (uint32_t i = 0; i < f->shard_count; i++) phx_outbox_reset(&f->shard[i].outbox);
        f->rounds += round > 0;
    }
}

static void measure(fleet *f)
{
    const phx_partition *p = &f->partition;
    for (uint32_t i = 0; i < f->shard_count; i++) {
        phx_shard_let_go(&f->shard[i], p->column_of, p->row_of, p->columns);
        report_immigrants(f, i);
        phx_shard_immigrants_reported(&f->shard[i]);
        f->zones[i] = phx_shard_measure(&f->shard[i]);
    }
    if (memcmp(f->zones, f->zones_before, sizeof f->zones) == 0) return;
    for (uint32_t i = 0; i < f->shard_count; i++) f->shard[i].copies_due = true;
    memcpy(f->zones_before, f->zones, sizeof f->zones);
}

/* ---- the plain world ---- */

typedef struct wanted_list {
    uint32_t count;
    uint32_t ids[FLEET_IDS];
} wanted_list;

static phx_body body_of(const fleet *f, const fleet_entity *e)
{
    return (phx_body){.x = e->x,
                      .y = e->y,
                      .z = e->z,
                      .tx = phx_tower_index(&f->rules, 0, e->x),
                      .ty = phx_tower_index(&f->rules, 1, e->y)};
}

static const fleet *ranking; /* of worse_last() */
static uint64_t ranking_for;

static double rank_key(uint32_t id)
{
    const fleet *f = ranking;
    phx_body o = body_of(f, &f->entity[ranking_for]), t = body_of(f, &f->entity[id]);
    bool old = f->seen[ranking_for][id] == f->entity[id].incarnation;
    return (double)phx_rank_d2(&f->rules, &o, &t) * (old ? 1.0 : f->rules.sticky);
}

static int worse_last(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const fleet_entity *ea = &ranking->entity[a], *eb = &ranking->entity[b];
    bool always_a = ea->attr.global || (ranking->relation[ranking_for][a].bits & PHX_RELATION_LINK);
    bool always_b = eb->attr.global || (ranking->relation[ranking_for][b].bits & PHX_RELATION_LINK);
    if (always_a != always_b) return always_a ? -1 : 1;
    if (ea->attr.priority != eb->attr.priority) return ea->attr.priority > eb->attr.priority ? -1 : 1;
    double key_a = rank_key(a), key_b = rank_key(b);
    if (key_a != key_b) return key_a < key_b ? -1 : 1;
    return a < b ? -1 : 1;
}

static void find_wanted(const fleet *f, uint64_t observer, wanted_list *wanted)
{
    const fleet_entity *o = &f->entity[observer];
    wanted->count = 0;
    if (!o->in || !phx_attr_observes(&o->attr)) return;
    phx_body ob = body_of(f, o);
    for (uint32_t id = 1; id < FLEET_IDS; id++) {
        const fleet_entity *t = &f->entity[id];
        if (!t->in || id == observer) continue;
        phx_body tb = body_of(f, t);
        const phx_relation *relation = f->relation[observer][id].bits ? &f->relation[observer][id] : NULL;
        if (phx_rule_sees(&f->rules, &ob, &o->attr, &tb, &t->attr, relation, f->seen[observer][id] == t->incarnation))
            wanted->ids[wanted->count++] = id;
    }
    if (o->attr.cap == 0 || wanted->count <= o->attr.cap) return;
    ranking = f;
    ranking_for = observer;
    qsort(wanted->ids, wanted->count, sizeof *wanted->ids, worse_last);
    wanted->count = o->attr.cap;
}

/* ---- events, against the expected ones ---- */

typedef struct event {
    uint32_t incarnation;
    uint16_t kind;
    uint64_t id, user_data;
} event;

static int event_order(const void *left, const void *right)
{
    const event *a = left, *b = right;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static event named(uint32_t incarnation)
{
    return (event){.incarnation = incarnation,
                   .kind = names[incarnation].kind,
                   .id = names[incarnation].id,
                   .user_data = names[incarnation].user_data};
}

/* Marks the events of a change. */
static ph_target event_targets[2 * FLEET_IDS];
static uint16_t event_kinds[2 * FLEET_IDS];
static uint32_t event_incarnations[2 * FLEET_IDS];
static uint8_t told_causes[2 * FLEET_IDS];

static void check_events(const fleet *f, uint64_t observer, uint32_t first, event *events, uint32_t count,
                         const char *what)
{
    qsort(events, count, sizeof *events, event_order);
    for (uint32_t i = 0; i < count; i++) {
        const event *e = &events[i];
        uint32_t at = first + i;
        cr_assert_eq(event_targets[at].id, e->id, "tick %lu: %lu's %s %u is %lu, not %lu", (unsigned long)f->tick,
                     (unsigned long)observer, what, i, (unsigned long)event_targets[at].id, (unsigned long)e->id);
        cr_assert_eq(event_incarnations[at], e->incarnation);
        cr_assert_eq(event_kinds[at], e->kind, "tick %lu: kind of %lu", (unsigned long)f->tick, (unsigned long)e->id);
        cr_assert_eq(event_targets[at].user_data, e->user_data);
    }
}

enum { FLAG_BITS = 8 }; /* of a change; above them stands its shard, while it is checked here */

/* The observer's change of this tick: its scratch, or NULL. Once at most. */
static const phx_change *change_of(fleet *f, uint64_t observer, const phx_scratch **scratch)
{
    const phx_change *found = NULL;
    const phx_shard *home = fleet_home(f, observer);
    for (int s = 0; s < FLEET_SCRATCHES; s++) {
        for (uint32_t c = 0; c < f->scratch[s].change_count; c++) {
            const phx_change *change = &f->scratch[s].changes[c];
            if ((uint32_t)change->flags >> FLAG_BITS != home->number) continue;
            if (home->store.name[change->slot].id != observer) continue;
            if (change->leave_count + change->enter_count == 0) continue; /* of the list's keeping only */
            cr_assert_null(found, "told twice");
            found = change;
            *scratch = &f->scratch[s];
        }
    }
    return found;
}

static void check_observer(fleet *f, uint64_t observer)
{
    static wanted_list wanted;
    static event leaves[FLEET_IDS], enters[FLEET_IDS];
    fleet_entity *o = &f->entity[observer];
    uint32_t leave_count = 0, enter_count = 0, *seen = f->seen[observer];
    bool stays[FLEET_IDS] = {false};
    const phx_scratch *scratch = NULL;
    const phx_change *change = change_of(f, observer, &scratch);
    find_wanted(f, observer, &wanted);
    for (uint32_t i = 0; i < wanted.count; i++) {
        uint32_t id = wanted.ids[i], incarnation = f->entity[id].incarnation;
        stays[id] = seen[id] == incarnation;
        if (!stays[id]) enters[enter_count++] = named(incarnation);
    }
    for (uint32_t id = 1; id < FLEET_IDS; id++)
        if (seen[id] != 0 && !stays[id] && o->attr.ready) leaves[leave_count++] = named(seen[id]);
    memset(seen, 0, sizeof f->seen[observer]);
    for (uint32_t i = 0; i < wanted.count; i++) seen[wanted.ids[i]] = f->entity[wanted.ids[i]].incarnation;
    if (!o->attr.ready) o->fresh = true;
    cr_assert_eq(change != NULL, leave_count + enter_count > 0, "tick %lu: observer %lu: %u leaves, %u enters",
                 (unsigned long)f->tick, (unsigned long)observer, leave_count, enter_count);
    if (!change) return;
    cr_assert_eq(change->leave_count, leave_count, "tick %lu: observer %lu: %u of %u leaves", (unsigned long)f->tick,
                 (unsigned long)observer, change->leave_count, leave_count);
    cr_assert_eq(change->enter_count, enter_count, "tick %lu: observer %lu: %u of %u enters", (unsigned long)f->tick,
                 (unsigned long)observer, change->enter_count, enter_count);
    cr_assert_eq(phx_store_report(&fleet_home(f, observer)->store, change->slot), o->fresh, "tick %lu: observer %lu",
                 (unsigned long)f->tick, (unsigned long)observer);
    o->fresh = false;
    cr_assert_leq(leave_count + enter_count, 2 * FLEET_IDS);
    phx_event_writer writer;
    static const phx_event_columns events = {event_targets, event_incarnations, event_kinds, told_causes, NULL};
    const phx_cause_scope scope = {.directory = &f->directory, .shards = f->shard, .several = f->shard_count > 1};
    phx_event_writer_begin(&writer, fleet_home(f, observer), &scope, NULL);
    phx_event_writer_add(&writer, scratch, change, &events, 0);
    phx_event_writer_flush(&writer);
    check_events(f, observer, 0, leaves, leave_count, "leave");
    check_events(f, observer, leave_count, enters, enter_count, "enter");
    f->changes++;
    f->leaves += leave_count;
    f->enters += enter_count;
}

/* One observer's list, as the shard has it. */
typedef struct list_check {
    const fleet *f;
    const phx_shard *home;
    uint64_t observer;
    uint32_t count;
} list_check;

static bool check_seen(void *user, const uint32_t *slots, uint32_t count)
{
    list_check *at = user;
    cr_assert(count > 0 && count <= PHX_LIST_PIECE_MAX);
    for (uint32_t i = 0; i < count; i++) {
        const phx_name *name = &at->home->store.name[slots[i]];
        cr_assert(at->home->store.body[slots[i]].state & PHX_SLOT_LIVE);
        cr_assert_eq(at->f->seen[at->observer][name->id], name->incarnation);
    }
    at->count += count;
    return true;
}

static void check_list(fleet *f, uint64_t observer)
{
    const phx_shard *home = fleet_home(f, observer);
    list_check at = {.f = f, .home = home, .observer = observer};
    uint32_t count = 0, slot = own_slot(f, observer);
    for (uint32_t id = 1; id < FLEET_IDS; id++) count += f->seen[observer][id] != 0;
    phx_shard_list_targets(home, slot, check_seen, &at);
    cr_assert_eq(at.count, count, "tick %lu: list of %lu", (unsigned long)f->tick, (unsigned long)observer);
    cr_assert_eq(phx_shard_list_count(home, slot), count);
}

static bool same_attr(const phx_attr *a, const phx_attr *b)
{
    return a->layers == b->layers && a->sees == b->sees && a->view == b->view && a->margin == b->margin &&
           a->reach == b->reach && a->cap == b->cap && a->given == b->given && a->kind == b->kind &&
           a->consumer == b->consumer && a->stealth == b->stealth && a->detect == b->detect &&
           a->priority == b->priority && a->global == b->global && a->ready == b->ready;
}

/* An entity as a shard has it, own or as a ghost, against the plain world's. */
static void check_copy(const fleet *f, const phx_shard *shard, uint32_t slot)
{
    uint64_t id = shard->store.name[slot].id;
    const fleet_entity *e = &f->entity[id];
    const phx_body *body = &shard->store.body[slot];
    if ((body->state & PHX_SLOT_GHOST) && shard->store.tail[slot].origin.gone) { /* its row waits for the next sort */
        cr_assert(body->state & PHX_SLOT_ROW);
        cr_assert_not(phx_box_has(shard->visible_box, body->x, body->y), "%lu is gone, and in sight",
                      (unsigned long)id);
        return;
    }
    cr_assert(e->in, "tick %lu: %lu is not in the world", (unsigned long)f->tick, (unsigned long)id);
    cr_assert_eq(shard->store.name[slot].incarnation, e->incarnation);
    cr_assert_eq(phx_store_user_data(&shard->store, slot), e->user_data);
    cr_assert(same_attr(phx_store_attr(&shard->store, slot), &e->attr));
    cr_assert(body->x == e->x && body->y == e->y && body->z == e->z, "tick %lu: %lu is elsewhere",
              (unsigned long)f->tick, (unsigned long)id);
    cr_assert_eq(body->tx, phx_tower_index(&f->rules, 0, e->x));
    cr_assert_eq(body->ty, phx_tower_index(&f->rules, 1, e->y));
    cr_assert_not(body->state & PHX_SLOT_LEAVING);
}

static void check_shards(fleet *f)
{
    uint32_t own = 0, in = 0;
    for (uint32_t i = 0; i < f->shard_count; i++) {
        const phx_shard *shard = &f->shard[i];
        uint32_t observing = 0, ghosts = 0;
        cr_assert(shard->storage->ended_valid(shard));
        if (phx_shard_rows(shard)) cr_assert(phx_grid_valid(&shard->grid, &shard->store));
        cr_assert_eq(shard->deferred.depth, 0);
        for (uint32_t slot = 0; slot < shard->store.slots; slot++) {
            uint32_t state = shard->store.body[slot].state;
            cr_assert_not(state & PHX_SLOT_DEAD, "not buried");
            if (!(state & PHX_SLOT_LIVE)) continue;
            check_copy(f, shard, slot);
            ghosts += (state & PHX_SLOT_GHOST) != 0;
            if (!(state & PHX_SLOT_OWN)) continue;
            cr_assert_eq(phx_directory_find(&f->directory, shard->store.name[slot].id), phx_home(i, slot));
            cr_assert_eq(phx_partition_shard(&f->partition, shard->store.body[slot].tx, shard->store.body[slot].ty), i);
            observing += phx_store_attr(&shard->store, slot)->view > 0;
            own++;
        }
        cr_assert_eq(shard->observing_count, observing);
        cr_assert_eq(shard->store.ghost_count, ghosts);
        cr_assert_eq(phx_idmap_count(&shard->store.ghosts), ghosts);
    }
    for (uint32_t id = 1; id < FLEET_IDS; id++) in += f->entity[id].in;
    cr_assert_eq(own, in, "each entity lives in one shard");
    cr_assert_eq(phx_directory_count(&f->directory), in);
}

/* ---- observers of targets ---- */

static uint32_t watchers[FLEET_SHARDS_MAX * FLEET_IDS];
static uint32_t watcher_count;

static void watch(void *user, uint32_t observer)
{
    const phx_shard *shard = user;
    watchers[watcher_count++] = (uint32_t)shard->store.name[observer].id;
}

static void check_watchers(fleet *f, uint64_t id, bool everywhere)
{
    uint32_t expected = 0;
    watcher_count = 0;
    for (uint32_t i = 0; i < f->shard_count; i++) {
        uint32_t slot = fleet_slot(f, i, id);
        if (slot != PHX_SLOT_NONE) phx_shard_observers_of(&f->shard[i], slot, everywhere, watch, &f->shard[i]);
    }
    for (uint32_t o = 1; o < FLEET_IDS; o++) expected += f->seen[o][id] != 0;
    cr_assert_eq(watcher_count, expected, "tick %lu: %lu", (unsigned long)f->tick, (unsigned long)id);
    for (uint32_t i = 0; i < watcher_count; i++) cr_assert_neq(f->seen[watchers[i]][id], 0);
}

/* One of them a tick: all would take most of the time. */
static void check_one_watched(fleet *f)
{
    uint64_t id = f->tick % FLEET_IDS;
    bool far = f->entity[id].attr.global || f->entity[id].attr.reach > 0;
    if (!f->entity[id].in) return;
    for (uint32_t o = 1; o < FLEET_IDS; o++) far = far || f->relation[o][id].bits != 0;
    check_watchers(f, id, true);
    if (!far) check_watchers(f, id, false);
}

/* ---- the tick's end ---- */

/* A piece of a shard's rows; rows that one scratch has no memory for are left to the other. */
static void find_piece(fleet *f, phx_shard *shard, uint32_t first, uint32_t count, uint32_t turn)
{
    uint32_t attempt = 0;
    phx_interest_counts before = fleet_counts(f);
    while (count > 0) {
        uint32_t done = phx_interest_run(&f->scratch[turn++ % FLEET_SCRATCHES], &f->directory, shard, first, count);
        cr_assert_leq(done, count);
        if (done < count) stopped(f, &attempt);
        first += done;
        count -= done;
    }
    phx_interest_counts now = fleet_counts(f);
    bool by_delta = now.by_delta != before.by_delta && now.pairs_tested != before.pairs_tested; /* not in passing */
    f->checked += now.evaluated != before.evaluated || by_delta;
}

/* By turns with one scratch and another, as workers would. */
static void find_lists(fleet *f)
{
    uint32_t turn = 0, tagged[FLEET_SCRATCHES] = {0};
    for (uint32_t i = 0; i < f->shard_count; i++) {
        phx_shard *shard = &f->shard[i];
        uint32_t count = phx_interest_rows(shard), step = f->piece > 0 ? f->piece : count;
        for (uint32_t first = 0; first < count; first += step)
            find_piece(f, shard, first, count - first < step ? count - first : step, turn++);
        for (int s = 0; s < FLEET_SCRATCHES; s++) {
            for (; tagged[s] < f->scratch[s].change_count; tagged[s]++) {
                phx_change *change = &f->scratch[s].changes[tagged[s]];
                f->overflows += change->list_first != PHX_SLOT_NONE;
                change->flags |= (uint16_t)(i << FLAG_BITS); /* for change_of(): the shard of its slot */
            }
        }
    }
}

static void commit(fleet *f)
{
    for (int s = 0; s < FLEET_SCRATCHES; s++) {
        for (uint32_t c = 0; c < f->scratch[s].change_count; c++) {
            const phx_change *change = &f->scratch[s].changes[c];
            UNTIL_DONE(f, phx_interest_commit(&f->shard[change->flags >> FLAG_BITS], &f->scratch[s], change));
        }
    }
}

void fleet_end(fleet *f)
{
    f->rounds = f->blocks = f->changes = f->enters = f->leaves = f->overflows = f->checked = 0;
    if (f->shard_count > 1) {
        exchange_all(f, MIGRANTS);
        measure(f);
        exchange_all(f, PINS);
        exchange_all(f, COPIES);
    }
    for (uint32_t i = 0; i < f->shard_count; i++)
        UNTIL_DONE(f, phx_shard_index(&f->shard[i], &f->directory, &f->renames));
    find_lists(f);
    commit(f);
    for (uint32_t id = 1; id < FLEET_IDS; id++)
        if (f->entity[id].in) check_observer(f, id);
    for (uint32_t i = 0; i < f->shard_count; i++) phx_shard_end(&f->shard[i]);
    uint32_t events = 0;
    for (int s = 0; s < FLEET_SCRATCHES; s++)
        for (uint32_t c = 0; c < f->scratch[s].change_count; c++)
            events += f->scratch[s].changes[c].leave_count + f->scratch[s].changes[c].enter_count > 0;
    cr_assert_eq(events, f->changes, "a change of no observer");
    check_shards(f);
    for (uint32_t id = 1; id < FLEET_IDS; id++)
        if (f->entity[id].in) check_list(f, id);
    check_one_watched(f);
}

void fleet_tick(fleet *f)
{
    fleet_begin(f);
    fleet_end(f);
}

bool fleet_sees(const fleet *f, uint64_t observer, uint64_t target)
{
    return f->seen[observer][target] != 0;
}

phx_interest_counts fleet_counts(const fleet *f)
{
    phx_interest_counts sum = {0};
    for (int i = 0; i < FLEET_SCRATCHES; i++) {
        const phx_interest_counts *counts = &f->scratch[i].counts;
        sum.evaluated += counts->evaluated;
        sum.by_delta += counts->by_delta;
        sum.ranges_visited += counts->ranges_visited;
        sum.pairs_tested += counts->pairs_tested;
        sum.pairs_exact += counts->pairs_exact;
        sum.enters += counts->enters;
        sum.leaves += counts->leaves;
    }
    return sum;
}

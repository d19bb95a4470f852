/*
 * A second copy of the model, compiled with its seeded bugs and wrapped as a subject; see
 * mutant.h and mutations.h.
 */
#define MODEL_MUTANT
#define model_create mutant_create
#define model_destroy mutant_destroy
#define model_submit mutant_submit
#define model_sequence mutant_sequence
#define model_reconfigure mutant_reconfigure
#define model_apply_waiting mutant_apply_waiting
#define model_tick mutant_tick
#define model_changes mutant_changes
#define model_outside mutant_outside
#define model_refusals mutant_refusals
#define model_departures mutant_departures
#define model_entities mutant_entities
#define model_find mutant_find
#define model_get mutant_get
#define model_sees mutant_sees
#define model_list mutant_list
#define model_observers mutant_observers
#define model_ask mutant_ask
#define model_explain mutant_explain
#define model_end_list mutant_end_list
#define model_pair_of mutant_pair_of
#define model_linked mutant_linked
#define model_hidden mutant_hidden
#define model_hides mutant_hides
#define model_reveals mutant_reveals
#define model_coordinate_ok mutant_coordinate_ok
#define model_radius_ok mutant_radius_ok
#define model_axes_apart mutant_axes_apart
#define model_count mutant_count
#define model_place mutant_place
#define model_crowd mutant_crowd
#define model_crowd_view mutant_crowd_view
#define model_depth mutant_depth
#define model_entity_of mutant_entity_of
#define model_ready_given mutant_ready_given
#define model_resolve mutant_resolve
#define model_rule mutant_rule
#define model_rank mutant_rank
#define model_apply mutant_apply
#define model_check_say mutant_check_say
#define model_apply_say mutant_apply_say
#define model_clear_heard mutant_clear_heard
#define model_hear mutant_hear
#define model_messages mutant_messages
#define model_clear_updates mutant_clear_updates
#define model_update_all mutant_update_all
#define model_updates mutant_updates
#define model_hearings mutant_hearings
#define model_edges mutant_edges
#define model_emit_edge mutant_emit_edge
#define model_zones mutant_zones
#define model_check_area mutant_check_area
#define model_apply_area mutant_apply_area
#define model_zones_gone mutant_zones_gone
#define model_towers_apart mutant_towers_apart
#define model_in_area mutant_in_area

#include "support/model.c"       // NOLINT
#include "support/model_rules.c" // NOLINT
#define by_kind_then_id by_kind_then_id_listed
#include "support/model_query.c" // NOLINT
#undef by_kind_then_id
#include "support/model_say.c"  // NOLINT
#include "support/model_tick.c" // NOLINT
#define next_step next_step_of_crowd
#include "support/model_crowd.c" // NOLINT
#undef next_step
#define passes passes_filters
#include "support/model_find.c" // NOLINT
#undef passes
#include "support/model_update.c" // NOLINT
#include "support/model_why.c"    // NOLINT
#include "support/model_zones.c"  // NOLINT

#include "support/mutant.h"

mutation mutant_current = MUTANT_NONE;

void mutant_choose(mutation number)
{
    mutant_current = number;
}

const char *mutant_text(mutation number)
{
    static const char *const texts[MUTANT_COUNT] = {[MUTANT_NONE] = "no bug",
#define MUTATION_TEXT(name, text) [name] = text,
                                                    MUTATION_LIST(MUTATION_TEXT)
#undef MUTATION_TEXT
    };
    return number < MUTANT_COUNT ? texts[number] : "?";
}

/* ---- as a subject ---- */

enum { MUTANT_CONSUMERS = 3 };

typedef struct mutant_batch {
    ph_batch given;
    VEC(ph_change) changes;
    VEC(ph_target) targets;
    VEC(uint16_t) kinds;
    VEC(uint8_t) causes;
    VEC(ph_position) positions;
    VEC(ph_message) messages;
    VEC(uint8_t) payload;
    VEC(ph_delivery) deliveries;
    VEC(uint32_t) heard;
    VEC(ph_edge) activations;
    VEC(ph_edge) crossings;
    VEC(ph_update) updates;
    VEC(uint32_t) due;
    VEC(uint8_t) bands;
    VEC(ph_moved) moved;
} mutant_batch;

typedef struct mutant {
    model *m;
    mutant_batch batches[MUTANT_CONSUMERS]; /* of the last tick */
    bool ready[MUTANT_CONSUMERS];           /* not taken yet */
    VEC(ph_refusal) refusals[MODEL_PRODUCERS_MAX];
    uint64_t untold;
    uint64_t batch_count;
} mutant;

static void *subject_create(const ph_world_def *def, uint32_t producers, ph_status *status)
{
    mutant *u = check_zalloc(sizeof *u);
    (void)producers;
    u->m = model_create(def);
    *status = PH_OK;
    return u;
}

static void subject_destroy(void *self)
{
    mutant *u = self;
    for (size_t i = 0; i < MUTANT_CONSUMERS; i++) {
        VEC_FREE(&u->batches[i].changes);
        VEC_FREE(&u->batches[i].targets);
        VEC_FREE(&u->batches[i].kinds);
        VEC_FREE(&u->batches[i].causes);
        VEC_FREE(&u->batches[i].positions);
        VEC_FREE(&u->batches[i].messages);
        VEC_FREE(&u->batches[i].payload);
        VEC_FREE(&u->batches[i].deliveries);
        VEC_FREE(&u->batches[i].heard);
        VEC_FREE(&u->batches[i].activations);
        VEC_FREE(&u->batches[i].crossings);
        VEC_FREE(&u->batches[i].updates);
        VEC_FREE(&u->batches[i].due);
        VEC_FREE(&u->batches[i].bands);
        VEC_FREE(&u->batches[i].moved);
    }
    for (size_t i = 0; i < MODEL_PRODUCERS_MAX; i++) {
        VEC_FREE(&u->refusals[i]);
    }
    model_destroy(u->m);
    free(u);
}

static ph_status subject_submit(void *self, uint32_t producer, const command *c)
{
    mutant *u = self;
    return model_submit(u->m, producer, c);
}

/* Of ticks and of bulk calls so many each are kept. */
static void report_refusal(mutant *u, uint32_t producer, ph_refusal refusal)
{
    uint32_t waiting = 0;
    for (size_t i = 0; i < u->refusals[producer].count; i++) {
        waiting += (u->refusals[producer].items[i].tick == 0) == (refusal.tick == 0);
    }
    if (waiting >= u->m->def.refusals_max + MUTATE(MUTANT_REFUSALS_MAX, 0u, 1u)) {
        u->untold++;
    } else {
        VEC_PUSH(&u->refusals[producer], refusal);
    }
}

static ph_status subject_submit_many(void *self, uint32_t producer, const command *const *commands, uint32_t count,
                                     uint32_t *done)
{
    mutant *u = self;
    ph_status first = PH_OK;
    for (*done = 0; *done < count; (*done)++) {
        const command *c = commands[*done];
        ph_status status = model_submit(u->m, producer, c);
        if (status != PH_OK) {
            ph_refusal refusal = {.sequence = model_sequence(u->m, producer),
                                  .id = c->id,
                                  .status = status,
                                  .command = (uint16_t)command_number(c->type),
                                  .field = (uint16_t)(c->id == 0
                                                          ? MUTATE(MUTANT_REFUSAL_FIELD_ID, PH_FIELD_ID, PH_FIELD_NONE)
                                                          : command_field(c, status))};
            report_refusal(u, producer, refusal);
            first = first == PH_OK ? status : first;
            if (MUTATE(MUTANT_BULK_STOPS, false, true)) {
                *done = *done + 1;
                break;
            }
        }
    }
    return first;
}

static ph_status subject_sequence(void *self, uint32_t producer, uint64_t *sequence)
{
    mutant *u = self;
    *sequence = model_sequence(u->m, producer);
    return PH_OK;
}

static int by_sequence(const void *a, const void *b)
{
    const ph_refusal *l = a;
    const ph_refusal *r = b;
    return l->sequence < r->sequence ? -1 : l->sequence > r->sequence;
}

static ph_status subject_refusals(void *self, uint32_t producer, ph_refusal *refusals, uint32_t capacity,
                                  uint32_t *count)
{
    mutant *u = self;
    *count = 0;
    if (u->refusals[producer].count > 1 && MUTATE(MUTANT_REFUSALS_TIME, true, false)) {
        qsort(u->refusals[producer].items, u->refusals[producer].count, sizeof *refusals, by_sequence);
    }
    for (size_t i = 0; i < u->refusals[producer].count && *count < capacity; i++) {
        refusals[(*count)++] = u->refusals[producer].items[i];
    }
    u->refusals[producer].count = 0;
    return PH_OK;
}

static void batch_add(mutant *u, const model_change *change)
{
    mutant_batch *batch = &u->batches[change->consumer];
    ph_change row = {.observer = change->observer.id, .user_data = change->user_data};
    row.first = (uint32_t)batch->targets.count;
    row.leave_count = change->leave_count;
    row.enter_count = change->enter_count;
    row.flags = (change->fresh ? PH_CHANGE_FRESH : 0) | (change->more ? PH_CHANGE_MORE : 0);
    VEC_PUSH(&batch->changes, row);
    for (size_t i = 0; i < change->targets.count; i++) {
        const model_target *t = &change->targets.items[i];
        ph_target target = {t->key.id, t->user_data};
        VEC_PUSH(&batch->targets, target);
        VEC_PUSH(&batch->kinds, (uint16_t)t->kind);
        VEC_PUSH(&batch->causes, (uint8_t)t->cause);
        VEC_PUSH(&batch->positions, t->at);
    }
    u->ready[change->consumer] = true;
}

/* The message's place in the batch, where it is put when it is not there yet. */
static uint32_t message_place(mutant *u, mutant_batch *batch, uint32_t number, uint32_t *places)
{
    const model_message *from = &u->m->messages.items[number];
    uint8_t payload[PH_PAYLOAD_MAX];
    if (places[number] != 0) {
        return places[number] - 1;
    }
    ph_message message = {.source = from->source, .user_data = from->user_data, .tick = u->m->tick};
    message.bytes = from->say.bytes;
    while (batch->payload.count % 8 != 0) {
        VEC_PUSH(&batch->payload, 0);
    }
    message.first = batch->payload.count;
    command_payload(&from->say, payload);
    for (uint32_t i = 0; i < message.bytes; i++) {
        VEC_PUSH(&batch->payload, payload[i]);
    }
    VEC_PUSH(&batch->messages, message);
    places[number] = (uint32_t)batch->messages.count;
    return places[number] - 1;
}

/* Messages are put in their order first, so that places go up; then their recipients. */
static void mail_add(mutant *u, uint32_t consumer)
{
    mutant_batch *batch = &u->batches[consumer];
    uint32_t *places = check_zalloc((u->m->messages.count + 1) * sizeof *places);
    bool *used = check_zalloc(u->m->messages.count + 1);
    for (size_t i = 0; i < u->m->heard.count; i++) {
        const model_heard *heard = &u->m->heard.items[i];
        for (size_t j = 0; heard->consumer == consumer && j < heard->messages.count; j++) {
            used[heard->messages.items[j]] = true;
        }
    }
    for (uint32_t i = 0; i < u->m->messages.count; i++) {
        if (used[i]) {
            (void)message_place(u, batch, i, places);
        }
    }
    for (size_t i = 0; i < u->m->heard.count; i++) {
        const model_heard *heard = &u->m->heard.items[i];
        if (heard->consumer != consumer) {
            continue;
        }
        ph_delivery row = {
            .observer = heard->observer.id, .user_data = heard->user_data, .first = (uint32_t)batch->heard.count};
        row.count = (uint32_t)heard->messages.count;
        for (size_t j = 0; j < heard->messages.count; j++) {
            VEC_PUSH(&batch->heard, message_place(u, batch, heard->messages.items[j], places));
        }
        VEC_PUSH(&batch->deliveries, row);
        u->ready[consumer] = true;
    }
    free(used);
    free(places);
}

/* The edges that are off, or the edges that are on. */
static void edges_add(mutant *u, bool on)
{
    for (size_t i = 0; u->m->def.consumers != 0 && i < u->m->edges.count; i++) {
        const model_edge *from = &u->m->edges.items[i];
        mutant_batch *batch = &u->batches[from->consumer];
        ph_edge edge = {.id = from->entity.id, .user_data = from->user_data, .area = from->area, .on = on};
        edge.incarnation = (uint32_t)from->entity.incarnation;
        if (from->on != on) {
            continue;
        }
        u->ready[from->consumer] = true;
        if (from->area == 0) {
            VEC_PUSH(&batch->activations, edge);
        } else {
            VEC_PUSH(&batch->crossings, edge);
        }
    }
}

static void updates_add(mutant *u, const model_update *update)
{
    mutant_batch *batch = &u->batches[update->consumer];
    ph_update row = {.observer = update->observer.id,
                     .user_data = update->user_data,
                     .first = (uint32_t)batch->due.count,
                     .count = (uint32_t)update->moved.count};
    VEC_PUSH(&batch->updates, row);
    for (size_t i = 0; i < update->moved.count; i++) {
        const model_moved *from = &update->moved.items[i];
        ph_moved moved = {.id = from->key.id, .user_data = from->user_data, .x = from->at.x, .y = from->at.y};
        moved.z = from->at.z;
        VEC_PUSH(&batch->bands, (uint8_t)from->band);
        VEC_PUSH(&batch->due, (uint32_t)batch->moved.count);
        VEC_PUSH(&batch->moved, moved);
    }
    u->ready[update->consumer] = true;
}

/* Refusals of the last tick or apply. */
static void tell_refusals(mutant *u, uint64_t tick)
{
    for (size_t i = 0; i < u->m->refusals.count; i++) {
        const model_refusal *r = &u->m->refusals.items[i];
        ph_refusal refusal = {.sequence = r->sequence,
                              .tick = tick,
                              .id = r->id,
                              .status = r->status,
                              .command =
                                  (uint16_t)MUTATE(MUTANT_REFUSAL_COMMAND, command_number(r->type), PH_COMMAND_ENTER),
                              .field = (uint16_t)MUTATE(MUTANT_REFUSAL_FIELD, PH_FIELD_NONE, PH_FIELD_ID)};
        report_refusal(u, r->producer, refusal);
    }
}

static ph_status subject_apply(void *self)
{
    mutant *u = self;
    model_apply_waiting(u->m);
    tell_refusals(u, u->m->tick + 1);
    return PH_OK;
}

static ph_status subject_tick(void *self, uint64_t *tick)
{
    mutant *u = self;
    for (size_t i = 0; i < MUTANT_CONSUMERS; i++) {
        u->batches[i].changes.count = 0;
        u->batches[i].targets.count = 0;
        u->batches[i].kinds.count = 0;
        u->batches[i].causes.count = 0;
        u->batches[i].positions.count = 0;
        u->batches[i].messages.count = 0;
        u->batches[i].payload.count = 0;
        u->batches[i].deliveries.count = 0;
        u->batches[i].heard.count = 0;
        u->batches[i].activations.count = 0;
        u->batches[i].crossings.count = 0;
        u->batches[i].updates.count = 0;
        u->batches[i].due.count = 0;
        u->batches[i].bands.count = 0;
        u->batches[i].moved.count = 0;
        u->ready[i] = false;
    }
    *tick = model_tick(u->m);
    tell_refusals(u, *tick);
    for (size_t i = 0; u->m->def.consumers != 0 && i < u->m->changes.count; i++) {
        batch_add(u, &u->m->changes.items[i]);
    }
    for (uint32_t i = 0; i < u->m->def.consumers && i < MUTANT_CONSUMERS; i++) {
        mail_add(u, i);
    }
    edges_add(u, false);
    edges_add(u, true);
    for (size_t i = 0; i < u->m->updates.count; i++) {
        updates_add(u, &u->m->updates.items[i]);
    }
    return PH_OK;
}

static ph_status subject_reconfigure(void *self, const ph_world_def *def)
{
    mutant *u = self;
    model_reconfigure(u->m, def);
    return PH_OK;
}

static ph_status subject_consumer(void *self, uint32_t consumer)
{
    (void)self;
    return consumer < MUTANT_CONSUMERS ? PH_OK : PH_BAD_ARGUMENT;
}

static ph_status subject_batch_take(void *self, uint32_t consumer, const ph_batch **batch)
{
    mutant *u = self;
    mutant_batch *b = &u->batches[consumer];
    if (!u->ready[consumer]) {
        return PH_EMPTY;
    }
    u->ready[consumer] = false;
    u->batch_count++;
    b->given = (ph_batch){.tick = u->m->tick, .tick_first = u->m->tick};
    b->given.changes = b->changes.items;
    b->given.targets = b->targets.items;
    b->given.kinds = b->kinds.items;
    b->given.causes = b->causes.items;
    b->given.positions = u->m->def.positions ? b->positions.items : NULL;
    b->given.change_count = (uint32_t)b->changes.count;
    b->given.target_count = (uint32_t)b->targets.count;
    b->given.messages = b->messages.items;
    b->given.payload = b->payload.items;
    b->given.deliveries = b->deliveries.items;
    b->given.heard = b->heard.items;
    b->given.message_count = (uint32_t)b->messages.count;
    b->given.payload_bytes = b->payload.count;
    b->given.delivery_count = (uint32_t)b->deliveries.count;
    b->given.heard_count = (uint32_t)b->heard.count;
    b->given.activations = b->activations.items;
    b->given.activation_count = (uint32_t)b->activations.count;
    b->given.crossings = b->crossings.items;
    b->given.crossing_count = (uint32_t)b->crossings.count;
    b->given.updates = b->updates.items;
    b->given.due = b->due.items;
    b->given.bands = b->bands.items;
    b->given.moved = b->moved.items;
    b->given.update_count = (uint32_t)b->updates.count;
    b->given.due_count = (uint32_t)b->due.count;
    b->given.moved_count = (uint32_t)b->moved.count;
    *batch = &b->given;
    return PH_OK;
}

static ph_status subject_batch_return(void *self, uint32_t consumer, const ph_batch *batch)
{
    mutant *u = self;
    return batch == &u->batches[consumer].given ? PH_OK : PH_BAD_ARGUMENT;
}

static ph_status subject_get(void *self, uint64_t id, ph_attrs *attrs)
{
    mutant *u = self;
    return model_get(u->m, id, attrs);
}

static ph_status subject_sees(void *self, uint64_t observer, uint64_t target, bool *sees)
{
    mutant *u = self;
    return model_sees(u->m, observer, target, sees);
}

static ph_status subject_list(void *self, uint64_t observer, uint64_t *ids, uint32_t capacity, uint32_t *count)
{
    mutant *u = self;
    (void)capacity;
    return model_list(u->m, observer, ids, count);
}

static ph_status subject_observers(void *self, uint64_t target, uint64_t *ids, uint32_t capacity, uint32_t *count)
{
    mutant *u = self;
    (void)capacity;
    return model_observers(u->m, target, ids, count);
}

static ph_status subject_find(void *self, const ph_query *query, ph_hit *hits, uint32_t capacity, uint32_t *count)
{
    mutant *u = self;
    ph_hit *all = check_zalloc((u->m->entities.count + 1) * sizeof *all);
    *count = model_ask(u->m, query, all);
    for (uint32_t i = 0; i < *count && i < capacity; i++) {
        hits[i] = all[i];
    }
    free(all);
    return PH_OK;
}

static ph_status subject_explain(void *self, uint64_t observer, uint64_t target, ph_explanation *why)
{
    mutant *u = self;
    ph_status status = model_explain(u->m, observer, target, why);
    return status == PH_OK && u->m->begun ? PH_BUSY : status;
}

static ph_status subject_find_visit(void *self, const ph_query *query, ph_hit_fn visit, void *user)
{
    mutant *u = self;
    ph_hit *all = check_zalloc((u->m->entities.count + 1) * sizeof *all);
    uint32_t count = model_ask(u->m, query, all);
    for (uint32_t i = 0; i < count && visit(user, &all[i]); i++) {
    }
    free(all);
    return PH_OK;
}

static ph_status subject_find_many(void *self, uint32_t count, const ph_query *queries, ph_answer *answers)
{
    for (uint32_t i = 0; i < count; i++) {
        ph_answer *answer = &answers[i];
        answer->status = subject_find(self, &queries[i], answer->hits, answer->capacity, &answer->count);
    }
    return PH_OK;
}

static ph_status subject_stats(void *self, ph_stats *stats)
{
    mutant *u = self;
    model_counts c = model_count(u->m);
    *stats = (ph_stats){.ticks = c.ticks,
                        .applies = c.applies,
                        .entities = c.entities,
                        .instances = c.instances,
                        .observers = c.observers};
    stats->crowd_observers = c.crowd_observers;
    stats->crowd_narrowed = c.crowd_narrowed;
    stats->crowd_widened = c.crowd_widened;
    stats->crowd_most = c.crowd_most;
    stats->list_entries = c.list_entries;
    stats->commands = c.commands;
    stats->applied = c.applied;
    stats->refused_in_tick = c.refused_in_tick;
    stats->outside = c.outside;
    stats->remote = c.remote;
    stats->enters = c.enters;
    stats->leaves = c.leaves;
    stats->deliveries = c.deliveries;
    stats->awake = c.awake;
    stats->woken = c.woken;
    stats->slept = c.slept;
    stats->areas = c.areas;
    stats->area_enters = c.area_enters;
    stats->area_leaves = c.area_leaves;
    stats->updates = c.updates;
    stats->updates_held = c.updates_held;
    stats->adds_held = c.adds_held;
    stats->ticks_spread = c.ticks_spread;
    stats->batches = u->batch_count;
    stats->refusals_untold = u->untold;
    memcpy(stats->refused, c.refused, sizeof c.refused);
    return PH_OK;
}

const subject_type *subject_mutant(void)
{
    static const subject_type type = {
        .name = "mutant",
        .create = subject_create,
        .destroy = subject_destroy,
        .submit = subject_submit,
        .submit_many = subject_submit_many,
        .sequence = subject_sequence,
        .refusals = subject_refusals,
        .apply = subject_apply,
        .tick = subject_tick,
        .reconfigure = subject_reconfigure,
        .consumer_open = subject_consumer,
        .consumer_close = subject_consumer,
        .batch_take = subject_batch_take,
        .batch_return = subject_batch_return,
        .get = subject_get,
        .sees = subject_sees,
        .list = subject_list,
        .observers = subject_observers,
        .find = subject_find,
        .find_many = subject_find_many,
        .find_visit = subject_find_visit,
        .explain = subject_explain,
        .stats = subject_stats,
        .hash = NULL,
    };
    return &type;
}

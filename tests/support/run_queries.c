/*
 * Lists, observers, attributes, counters and refusals of the subject against the model's.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/run_parts.h"

enum { QUERY_IDS_MAX = SCRIPT_IDS_MAX, REFUSALS_MAX = 4096 };

/* ---- lists ---- */

static void note_ids(run *r, const char *what, const uint64_t *ids, uint32_t count)
{
    run_note(r, "  %s %" PRIu32 ":", what, count);
    for (uint32_t i = 0; i < count && i < QUERY_IDS_MAX; i++) {
        run_note(r, " %" PRIu64, ids[i]);
    }
    run_note(r, "\n");
}

typedef struct id_query {
    const char *name;
    ph_status (*model)(const model *m, uint64_t id, uint64_t *ids, uint32_t *count);
    ph_status (*subject)(void *self, uint64_t id, uint64_t *ids, uint32_t capacity, uint32_t *count);
} id_query;

static void compare_ids(run *r, const id_query *query, uint64_t id)
{
    model_entity *const *entities = NULL;
    size_t room = model_entities(r->m, &entities) + 1;
    uint64_t *expected = check_zalloc(room * sizeof *expected);
    uint64_t *got = check_zalloc(room * sizeof *got);
    uint32_t expected_count = 0;
    uint32_t got_count = 0;
    ph_status expected_status = query->model(r->m, id, expected, &expected_count);
    ph_status got_status = query->subject(r->self, id, got, (uint32_t)room, &got_count);
    bool same = got_status == expected_status &&
                (got_status != PH_OK ||
                 (got_count == expected_count && memcmp(got, expected, expected_count * sizeof *got) == 0));
    if (!same) {
        run_fail(r, "%s of %" PRIu64 ": got %s, expected %s", query->name, id, ph_status_name(got_status),
                 ph_status_name(expected_status));
        note_ids(r, "expected", expected, expected_count);
        note_ids(r, "got     ", got, got_count < room ? got_count : (uint32_t)room);
    }
    free(got);
    free(expected);
}

static void compare_sees(run *r, uint64_t observer, uint64_t target)
{
    bool expected = false;
    bool got = false;
    ph_status expected_status = model_sees(r->m, observer, target, &expected);
    ph_status got_status = r->type->sees(r->self, observer, target, &got);
    if (got_status != expected_status || got != expected) {
        run_fail(r, "sees(%" PRIu64 ", %" PRIu64 "): got %s %d, expected %s %d", observer, target,
                 ph_status_name(got_status), got, ph_status_name(expected_status), expected);
    }
}

/* ---- attributes ---- */

/* Exactly, but that -0 may stand for 0: no distance depends on it. */
static bool same_float(float a, float b)
{
    return !(a < b) && !(a > b);
}

static const char *first_difference(const ph_attrs *a, const ph_attrs *b)
{
    if (!same_float(a->x, b->x) || !same_float(a->y, b->y) || !same_float(a->z, b->z)) {
        return "position";
    }
    if (!same_float(a->view, b->view) || !same_float(a->margin, b->margin) || !same_float(a->reach, b->reach) ||
        !same_float(a->visible, b->visible)) {
        return "view, margin, reach or visible";
    }
    if (a->kind != b->kind || a->cap != b->cap || a->consumer != b->consumer || a->priority != b->priority) {
        return "kind, cap, consumer or priority";
    }
    if (a->instance != b->instance) {
        return "instance";
    }
    if (a->layers != b->layers || a->sees != b->sees || a->stealth != b->stealth || a->detect != b->detect) {
        return "layers, sees, stealth or detect";
    }
    if (a->global != b->global || a->veiled != b->veiled || a->ready != b->ready || a->remote != b->remote ||
        a->user_data != b->user_data || a->given != b->given) {
        return "global, veiled, ready, remote, user_data or given";
    }
    return NULL;
}

static void note_attrs(run *r, const char *what, const ph_attrs *a)
{
    char text[640] = "";
    FILE *out = fmemopen(text, sizeof text - 1, "w");
    REQUIRE(out != NULL);
    command c = {.type = COMMAND_ENTER, .attrs = *a};
    command_print(out, &c);
    (void)fclose(out);
    run_note(r, "  %s%s\n", what, text);
}

static void compare_attrs(run *r, uint64_t id)
{
    ph_attrs expected = {0};
    ph_attrs got = {0};
    ph_status expected_status = model_get(r->m, id, &expected);
    if (!run_expect(r, "entity_get", r->type->get(r->self, id, &got), expected_status)) {
        run_note(r, "  id %" PRIu64 "\n", id);
        return;
    }
    const char *difference = expected_status == PH_OK ? first_difference(&got, &expected) : NULL;
    if (difference != NULL) {
        run_fail(r, "attributes of %" PRIu64 " differ in %s", id, difference);
        note_attrs(r, "expected: ", &expected);
        note_attrs(r, "got:      ", &got);
    }
}

/* ---- why ---- */

static bool same_why(const ph_explanation *a, const ph_explanation *b)
{
    return a->reason == b->reason && a->sees == b->sees && a->paired == b->paired && same_float(a->dx, b->dx) &&
           same_float(a->dy, b->dy) && same_float(a->dz, b->dz) && same_float(a->square, b->square) &&
           same_float(a->radius, b->radius) && same_float(a->margin, b->margin) && same_float(a->height, b->height) &&
           a->towers_x == b->towers_x && a->towers_y == b->towers_y && a->span == b->span && a->cap == b->cap &&
           a->rank == b->rank && a->passing == b->passing && a->sees_mask == b->sees_mask && a->layers == b->layers &&
           a->observer_instance == b->observer_instance && a->target_instance == b->target_instance &&
           a->stealth == b->stealth && a->detect == b->detect && a->range == b->range && a->shape == b->shape;
}

static void compare_why(run *r, uint64_t observer, uint64_t target)
{
    ph_explanation expected;
    ph_explanation got;
    bool sees = false;
    char text[256];
    ph_status expected_status = model_explain(r->m, observer, target, &expected);
    if (r->begun && expected_status == PH_OK) {
        expected_status = PH_BUSY;
    }
    if (!run_expect(r, "explain", r->type->explain(r->self, observer, target, &got), expected_status) ||
        expected_status != PH_OK) {
        return;
    }
    (void)run_expect(r, "sees", r->type->sees(r->self, observer, target, &sees), PH_OK);
    if (r->def.tower_size <= 0) expected.towers_x = got.towers_x, expected.towers_y = got.towers_y;
    if (got.sees != sees || !same_why(&got, &expected)) {
        run_fail(r, "explain(%" PRIu64 ", %" PRIu64 "), sees %d:", observer, target, sees);
        run_note(r, "  expected: %s\n", ph_explanation_text(&expected, text, sizeof text));
        run_note(r, "  got:      %s\n", ph_explanation_text(&got, text, sizeof text));
    }
}

/* ---- is all as it should be? ---- */

static void verify(run *r)
{
    ph_verification progress = {0};
    ph_difference difference = {0};
    uint64_t pairs = r->tick % 3 == 0 ? 1 : r->tick % 3 == 1 ? 100 : UINT64_MAX;
    if (r->begun) {
        bool busy = r->type->verify == NULL || r->type->verify(r->self, pairs, &progress, &difference) == PH_BUSY;
        (void)(busy || run_fail(r, "verify after an apply is not refused"));
        return;
    }
    while (r->type->verify != NULL && progress.rounds == 0 && !r->result->failed) {
        (void)run_expect(r, "verify", r->type->verify(r->self, pairs, &progress, &difference), PH_OK);
        if (difference.kind != PH_DIFFERENCE_NONE) {
            run_fail(r, "verify: observer %" PRIu64 ", target %" PRIu64 ": difference %d", difference.observer,
                     difference.target, (int)difference.kind);
        }
    }
    if (r->type->verify != NULL && !r->result->failed && progress.observers != model_count(r->m).observers) {
        run_fail(r, "verify: %" PRIu64 " observers checked, expected %" PRIu64, progress.observers,
                 model_count(r->m).observers);
    }
}

void run_queries(run *r)
{
    verify(r);
    const id_query lists = {"list", model_list, r->type->list};
    const id_query observers = {"observers", model_observers, r->type->observers};
    const script *s = r->s;
    for (uint32_t i = 0; i < s->id_count && !r->result->failed; i++) {
        compare_attrs(r, s->ids[i]);
        compare_ids(r, &lists, s->ids[i]);
        compare_ids(r, &observers, s->ids[i]);
        compare_sees(r, s->ids[i], s->ids[(i + r->tick) % s->id_count]);
        compare_why(r, s->ids[i], s->ids[(i + r->tick) % s->id_count]);
    }
}

/* ---- counters ---- */

void run_stats(run *r)
{
    if (r->result->failed || r->type->stats == NULL) {
        return;
    }
    ph_stats got;
    memset(&got, 0, sizeof got);
    if (!run_expect(r, "stats", r->type->stats(r->self, &got), PH_OK)) {
        return;
    }
    model_counts c = model_count(r->m);
    const struct {
        const char *name;
        uint64_t got, expected;
    } rows[] = {
        {"ticks", got.ticks, c.ticks},
        {"entities", got.entities, c.entities},
        {"instances", got.instances, c.instances},
        {"observers", got.observers, c.observers},
        {"list_entries", got.list_entries, c.list_entries},
        {"commands", got.commands, c.commands},
        {"applied", got.applied, c.applied},
        {"outside", r->def.tower_size > 0 ? got.outside : c.outside, c.outside},
        {"remote", got.remote, c.remote},
        {"refused_in_tick", got.refused_in_tick, c.refused_in_tick},
        {"enters", got.enters, c.enters},
        {"leaves", got.leaves, c.leaves},
        {"deliveries", got.deliveries, c.deliveries},
        {"awake", got.awake, c.awake},
        {"woken", got.woken, c.woken},
        {"slept", got.slept, c.slept},
        {"crowd_observers", got.crowd_observers, c.crowd_observers},
        {"crowd_narrowed", got.crowd_narrowed, c.crowd_narrowed},
        {"crowd_widened", got.crowd_widened, c.crowd_widened},
        {"crowd_most", got.crowd_most, c.crowd_most},
        {"areas", got.areas, c.areas},
        {"area_enters", got.area_enters, c.area_enters},
        {"area_leaves", got.area_leaves, c.area_leaves},
        {"updates", got.updates, c.updates},
        {"updates_held", got.updates_held, c.updates_held},
        {"adds_held", got.adds_held, c.adds_held},
        {"ticks_spread", got.ticks_spread, c.ticks_spread},
        {"applies", got.applies, c.applies},
        {"refusals_untold", got.refusals_untold, r->untold},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].got != rows[i].expected) {
            run_fail(r, "stats.%s is %" PRIu64 ", expected %" PRIu64, rows[i].name, rows[i].got, rows[i].expected);
            return;
        }
    }
    for (int i = 0; i < PH_STATUS_COUNT; i++) {
        if (got.refused[i] != c.refused[i]) {
            run_fail(r, "stats.refused[%s] is %" PRIu64 ", expected %" PRIu64, ph_status_name((ph_status)i),
                     got.refused[i], c.refused[i]);
            return;
        }
    }
}

/* ---- refusals ---- */

static int refusals_by_sequence(const void *a, const void *b)
{
    const expected_refusal *l = a;
    const expected_refusal *r = b;
    return l->sequence < r->sequence ? -1 : l->sequence > r->sequence;
}

static bool same_refusal(const ph_refusal *got, const expected_refusal *expected)
{
    return got->sequence == expected->sequence && got->id == expected->id && got->status == expected->status &&
           got->tick == (expected->in_tick ? expected->tick : 0) && got->command == expected->command &&
           got->field == expected->field;
}

static void compare_refusals(run *r, uint32_t producer, const ph_refusal *got, uint32_t count)
{
    expected_refusal *refusals = r->refusals[producer].items;
    size_t refusal_count = r->refusals[producer].count;
    if (refusal_count != 0) {
        qsort(refusals, refusal_count, sizeof *refusals, refusals_by_sequence);
    }
    size_t i = 0;
    while (i < count && i < refusal_count && same_refusal(&got[i], &refusals[i])) {
        i++;
    }
    if (i == count && i == refusal_count) {
        return;
    }
    run_fail(r, "producer %" PRIu32 ": %" PRIu32 " refusals, expected %zu; the first that differs:", producer, count,
             refusal_count);
    if (i < refusal_count) {
        run_note(r, "  expected: sequence %" PRIu64 " id %" PRIu64 " %s %s(%s)\n", refusals[i].sequence, refusals[i].id,
                 ph_status_name(refusals[i].status), ph_command_name(refusals[i].command),
                 ph_field_name(refusals[i].field));
    }
    if (i < count) {
        run_note(r, "  got:      sequence %" PRIu64 " id %" PRIu64 " %s tick %" PRIu64 " %s(%s)\n", got[i].sequence,
                 got[i].id, ph_status_name(got[i].status), got[i].tick, ph_command_name((ph_command)got[i].command),
                 ph_field_name((ph_field)got[i].field));
    }
}

void run_refusal_note(run *r, uint32_t producer, expected_refusal refusal)
{
    uint32_t waiting = 0; /* of its sort: of ticks, or of bulk calls */
    for (size_t i = 0; i < r->refusals[producer].count; i++) {
        waiting += r->refusals[producer].items[i].in_tick == refusal.in_tick;
    }
    if (waiting >= r->def.refusals_max) {
        r->untold++;
    } else {
        VEC_PUSH(&r->refusals[producer], refusal);
    }
}

void run_refusals(run *r, bool behind_tick)
{
    const model_refusal *in_tick = NULL;
    size_t count = behind_tick ? model_refusals(r->m, &in_tick) : 0;
    for (size_t i = 0; i < count; i++) {
        expected_refusal refusal = {.sequence = in_tick[i].sequence,
                                    .id = in_tick[i].id,
                                    .status = in_tick[i].status,
                                    .in_tick = true,
                                    .tick = r->tick + r->begun,
                                    .command = command_number(in_tick[i].type),
                                    .field = PH_FIELD_NONE};
        run_refusal_note(r, in_tick[i].producer, refusal);
    }
    ph_refusal *got = check_zalloc(REFUSALS_MAX * sizeof *got);
    for (uint32_t producer = 0; producer < r->s->producers && !r->result->failed; producer++) {
        uint32_t got_count = 0;
        uint64_t sequence = 0;
        (void)run_expect(r, "refusals", r->type->refusals(r->self, producer, got, REFUSALS_MAX, &got_count), PH_OK);
        compare_refusals(r, producer, got, got_count);
        r->refusals[producer].count = 0;
        (void)run_expect(r, "sequence", r->type->sequence(r->self, producer, &sequence), PH_OK);
        if (sequence != model_sequence(r->m, producer)) {
            run_fail(r, "producer %" PRIu32 ": sequence %" PRIu64 ", expected %" PRIu64, producer, sequence,
                     model_sequence(r->m, producer));
        }
    }
    free(got);
}

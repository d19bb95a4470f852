/*
 * The check on the side; see verify.h. Keeps a table of all entities and, for each, the
 * sorted ids that entered its list and did not leave.
 */
#include "bench/verify.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "bench/verify_commands.h"
#include "bench/verify_crowd.h"
#include "bench/verify_state.h"

/* ---- life ---- */

bench_verify *bench_verify_create(const ph_world_def *def, uint32_t every, uint64_t seed, phx_mem *mem)
{
    PHX_ASSERT(every > 0);
    bench_verify *verify = bench_alloc(mem, sizeof *verify);
    verify->def = def;
    verify->every = every;
    verify->rng = phx_mix64(seed ^ 0x766572696679u); /* not the numbers that the scenario draws */
    verify->mem = mem;
    phx_idmap_init(&verify->places, mem);
    phx_idmap_init(&verify->towers, mem);
    return verify;
}

void bench_verify_destroy(bench_verify *verify)
{
    phx_mem *mem = verify->mem;
    for (uint32_t i = 0; i < verify->entity_count; i++) {
        verify_entity_free(mem, &verify->entities[i]);
    }
    for (uint32_t i = 0; i < verify->sample_used; i++) {
        bench_id_set_free(mem, &verify->samples[i].before);
    }
    bench_id_set_free(mem, &verify->expected);
    phx_release(mem, (void **)&verify->entities, &verify->entity_room, sizeof *verify->entities);
    phx_release(mem, (void **)&verify->samples, &verify->sample_room, sizeof *verify->samples);
    phx_release(mem, (void **)&verify->ranks, &verify->rank_room, sizeof *verify->ranks);
    phx_idmap_free(&verify->places);
    phx_idmap_free(&verify->towers);
    phx_free(mem, verify, sizeof *verify, PHX_CACHE_LINE);
}

const bench_faults *bench_verify_faults(const bench_verify *verify)
{
    return &verify->faults;
}

uint64_t bench_verify_compared(const bench_verify *verify)
{
    return verify->compared;
}

__attribute__((format(printf, 3, 4))) static void fault(bench_verify *verify, uint64_t observer, const char *format,
                                                        ...)
{
    if (verify->faults.count < BENCH_FAULTS_KEPT) {
        char *text = verify->faults.text[verify->faults.count];
        int length = snprintf(text, BENCH_FAULT_SIZE, "tick %llu, observer %llu: ", (unsigned long long)verify->tick,
                              (unsigned long long)observer);
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text + length, BENCH_FAULT_SIZE - (size_t)length, format, arguments);
        va_end(arguments);
    }
    verify->faults.count++;
}

/* ---- samples ---- */

static void sample_take(bench_verify *verify, const verify_entity *observer)
{
    if (verify->sample_count == verify->sample_used) {
        bench_grow(verify->mem, (void **)&verify->samples, &verify->sample_room, verify->sample_used,
                   (size_t)verify->sample_used + 1, sizeof *verify->samples);
        verify->samples[verify->sample_used++] = (verify_sample){.observer = 0};
    }
    PHX_ASSERT(verify->sample_count < verify->sample_used);
    verify_sample *taken = &verify->samples[verify->sample_count++];
    taken->observer = observer->id;
    bench_id_set_copy(verify->mem, &taken->before, &observer->seen);
}

/* Not-ready observers and entities of view 0 with a list are drawn too: their lists have to be empty. */
static void sample_all(bench_verify *verify)
{
    bool all = verify->entity_count <= BENCH_VERIFY_ALL_MAX;
    /* Where few observe, most draws hit a mere target: try some ten times as often. */
    uint32_t tries = all ? verify->entity_count : BENCH_VERIFY_SAMPLES * 16;
    uint32_t observers = 0;
    verify->sample_count = 0;
    for (uint32_t i = 0; i < tries && (all || observers < BENCH_VERIFY_SAMPLES); i++) {
        const verify_entity *drawn = &verify->entities[all ? i : phx_rng_below(&verify->rng, verify->entity_count)];
        if (drawn->is.view > 0 || drawn->seen.count > 0) {
            sample_take(verify, drawn);
            observers++;
        }
    }
}

void bench_verify_begin(bench_verify *verify, const bench_frame *frame)
{
    PHX_ASSERT(verify->step == 0 || frame->tick > verify->tick);
    verify->step++;
    verify->tick = frame->tick;
    verify->heard = 0;
    verify->talk = false;
    bench_verify_apply(verify, frame);
    if (verify->def->crowd_entities > 0) {
        bench_verify_shrink_views(verify);
    }
    sample_all(verify);
    /* Emptied without events, and only now: the samples hold the list that an observer had while it was ready. */
    for (uint32_t i = 0; i < verify->entity_count; i++) {
        if (!verify->entities[i].is.ready) {
            verify->entities[i].seen.count = 0;
        }
    }
}

/* ---- events ---- */

static void sent_leave(bench_verify *verify, verify_entity *observer, uint64_t target)
{
    if (!bench_id_set_remove(&observer->seen, target)) {
        fault(verify, observer->id, "leave of %llu, which was not in the list", (unsigned long long)target);
    }
}

static void sent_enter(bench_verify *verify, verify_entity *observer, uint64_t target, const uint16_t *kind)
{
    const verify_entity *is = verify_find(verify, target);
    if (is == NULL) {
        fault(verify, observer->id, "enter of %llu, which is not in the world", (unsigned long long)target);
    } else if (kind != NULL && *kind != is->is.kind) {
        fault(verify, observer->id, "enter of %llu as kind %u; it is of kind %u", (unsigned long long)target, *kind,
              is->is.kind);
    }
    if (!bench_id_set_add(verify->mem, &observer->seen, target)) {
        fault(verify, observer->id, "enter of %llu, which was in the list", (unsigned long long)target);
    }
}

static uint32_t depth_of(const bench_verify *verify, uint64_t id, bool enter)
{
    const verify_entity *is = verify->attached ? verify_find(verify, id) : NULL;
    return is == NULL ? 0 : enter ? is->depth : is->depth_before;
}

/* Parents enter before their children and leave after them; then by kind, then id, each at most once. */
static void check_order(bench_verify *verify, uint64_t observer, bool enters, const ph_target *targets,
                        const uint16_t *kinds, uint32_t count)
{
    for (uint32_t i = 1; kinds != NULL && i < count; i++) {
        uint32_t before = depth_of(verify, targets[i - 1].id, enters);
        uint32_t depth = depth_of(verify, targets[i].id, enters);
        bool rises = kinds[i - 1] < kinds[i] || (kinds[i - 1] == kinds[i] && targets[i - 1].id < targets[i].id);
        if (before != depth) {
            rises = enters ? before < depth : before > depth;
        }
        if (!rises) {
            fault(verify, observer, "%s of %llu out of order", enters ? "enter" : "leave",
                  (unsigned long long)targets[i].id);
            return;
        }
    }
}

void bench_verify_record(void *context, const bench_record *record)
{
    bench_verify *verify = context;
    verify_entity *observer = verify_find(verify, record->observer);
    if (observer == NULL) {
        fault(verify, record->observer, "is told something, but is not in the world");
        return;
    }
    if (!observer->is.ready) {
        fault(verify, record->observer, "is told something, but is not ready");
    }
    if (observer->recorded == verify->step && verify->step > 1) { /* a setup may take several ticks */
        fault(verify, record->observer, "stands twice in one tick");
    }
    observer->recorded = verify->step;
    if (record->fresh && observer->seen.count > 0) {
        fault(verify, record->observer, "is told to forget a list of %u", observer->seen.count);
        observer->seen.count = 0;
    }
    check_order(verify, record->observer, false, record->leaves, record->leave_kinds, record->leave_count);
    check_order(verify, record->observer, true, record->enters, record->enter_kinds, record->enter_count);
    for (uint32_t i = 0; i < record->leave_count; i++) {
        sent_leave(verify, observer, record->leaves[i].id);
    }
    for (uint32_t i = 0; i < record->enter_count; i++) {
        sent_enter(verify, observer, record->enters[i].id,
                   record->enter_kinds == NULL ? NULL : &record->enter_kinds[i]);
    }
}

/* Has the source's broadcasts of this step the listener among their recipients? */
static bool reaches(const bench_verify *verify, const verify_entity *source, const verify_entity *listener)
{
    if (verify->say_radius == 0) {
        return bench_id_set_has(&listener->seen, source->id);
    }
    float dx = listener->is.x - source->is.x;
    float dy = listener->is.y - source->is.y;
    bool observes = listener->is.ready && listener->is.view > 0 && (listener->is.sees & source->is.layers) != 0;
    return listener != source && observes && dx * dx + dy * dy <= verify->say_radius * verify->say_radius;
}

void bench_verify_heard(void *context, uint64_t observer, uint64_t source, uint32_t bytes)
{
    bench_verify *verify = context;
    const verify_entity *listener = verify_find(verify, observer), *from = verify_find(verify, source);
    verify->heard++;
    if (listener == NULL || from == NULL || from->said != verify->step || bytes != BENCH_SAY_BYTES) {
        fault(verify, observer, "hears %u bytes of %llu, which said no such thing", bytes, (unsigned long long)source);
    } else if (!reaches(verify, from, listener)) {
        fault(verify, observer, "hears %llu, which is not in its list or too far off", (unsigned long long)source);
    }
}

static uint64_t count_within_radius(const bench_verify *verify)
{
    uint64_t must = 0;
    for (uint32_t s = 0; s < verify->entity_count; s++) {
        const verify_entity *source = &verify->entities[s];
        for (uint32_t i = 0; source->said == verify->step && i < verify->entity_count; i++) {
            must += reaches(verify, source, &verify->entities[i]) ? source->says : 0;
        }
    }
    return must;
}

/* Each recipient was checked above; so the sum shows whether no recipient is missing. */
static void compare_heard(bench_verify *verify)
{
    uint64_t must = verify->talk && verify->say_radius > 0 ? count_within_radius(verify) : 0;
    for (uint32_t i = 0; verify->talk && verify->say_radius == 0 && i < verify->entity_count; i++) {
        const bench_id_set *seen = &verify->entities[i].seen;
        for (uint32_t s = 0; s < seen->count; s++) {
            const verify_entity *source = verify_find(verify, seen->ids[s]);
            must += source != NULL && source->said == verify->step ? source->says : 0;
        }
    }
    if (must != verify->heard) {
        fault(verify, 0, "(all of them) hear %llu broadcasts, not %llu", (unsigned long long)verify->heard,
              (unsigned long long)must);
    }
}

/* ---- the comparison ---- */

static int compare_ids(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return a < b ? -1 : a > b ? 1 : 0;
}

static bench_relation relation_of(const verify_entity *observer, uint64_t target)
{
    const verify_pair *found = verify_find_pair(observer, target);
    return (bench_relation){
        .linked = bench_id_set_has(&observer->linked, target),
        .hidden = bench_id_set_has(&observer->hidden, target),
        .revealed = bench_id_set_has(&observer->revealed, target),
        .paired = found != NULL,
        .view = found != NULL ? found->view : 0,
        .margin = found != NULL ? found->margin : 0,
    };
}

/* Of the targets that pass only so many join a list in a tick; returns how many are in it then. */
static uint32_t join(const bench_verify *verify, const verify_entity *observer, uint32_t count)
{
    uint32_t most = verify->def->classes[observer->is.kind].adds_max, joined = 0, kept = 0;
    if (most == 0) {
        return count;
    }
    qsort(verify->ranks, count, sizeof *verify->ranks, bench_rules_compare);
    for (uint32_t i = 0; i < count; i++) {
        if (verify->ranks[i].was || joined++ < most) {
            verify->ranks[kept++] = verify->ranks[i];
        }
    }
    return kept;
}

/* verify->expected becomes the list that the observer must have. */
static void expect(bench_verify *verify, const verify_entity *observer, const bench_id_set *before)
{
    uint32_t count = 0;
    /* A new incarnation of the observer or of the target had nothing to do with the old list. */
    bool old_counts = observer->entered != verify->step;
    for (uint32_t i = 0; bench_rules_observes(&observer->is) && i < verify->entity_count; i++) {
        const verify_entity *target = &verify->entities[i];
        bool was = old_counts && target->entered != verify->step && bench_id_set_has(before, target->id);
        bench_relation relation = relation_of(observer, target->id);
        if (target == observer || !bench_rules_sees(verify->def, &observer->is, &target->is, &relation, was)) {
            continue;
        }
        bench_grow(verify->mem, (void **)&verify->ranks, &verify->rank_room, count, (size_t)count + 1,
                   sizeof *verify->ranks);
        verify->ranks[count++] = bench_rules_rank(verify->def, &observer->is, &target->is, &relation, target->id, was);
    }
    uint32_t cap = observer->is.cap;
    if (cap > 0 && count > cap) {
        qsort(verify->ranks, count, sizeof *verify->ranks, bench_rules_compare);
        count = cap;
    }
    count = join(verify, observer, count);
    bench_grow(verify->mem, (void **)&verify->expected.ids, &verify->expected.room, 0, (size_t)count + 1,
               sizeof *verify->expected.ids);
    for (uint32_t i = 0; i < count; i++) {
        verify->expected.ids[i] = verify->ranks[i].id;
    }
    verify->expected.count = count;
    if (count > 1) {
        qsort(verify->expected.ids, count, sizeof *verify->expected.ids, compare_ids);
    }
}

static void compare(bench_verify *verify, const verify_sample *taken)
{
    const verify_entity *observer = verify_find(verify, taken->observer);
    PHX_ASSERT(observer != NULL);
    expect(verify, observer, &taken->before);
    const bench_id_set *must = &verify->expected;
    const bench_id_set *has = &observer->seen;
    uint32_t m = 0, h = 0;
    while (m < must->count || h < has->count) {
        if (h == has->count || (m < must->count && must->ids[m] < has->ids[h])) {
            fault(verify, observer->id, "sees %llu, but was not told", (unsigned long long)must->ids[m++]);
        } else if (m == must->count || has->ids[h] < must->ids[m]) {
            fault(verify, observer->id, "does not see %llu, but was told so", (unsigned long long)has->ids[h++]);
        } else {
            m++;
            h++;
        }
    }
    verify->compared++;
}

void bench_verify_end(bench_verify *verify, bool now)
{
    bool due = now || verify->step % verify->every == 0;
    if (verify->compared_step != verify->step) {
        compare_heard(verify);
    }
    if (!due || verify->compared_step == verify->step) {
        return;
    }
    verify->compared_step = verify->step;
    for (uint32_t i = 0; i < verify->sample_count; i++) {
        compare(verify, &verify->samples[i]);
    }
}

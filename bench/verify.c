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

#include "base/idmap.h"
#include "base/rng.h"
#include "bench/base/memory.h"
#include "bench/id_set.h"
#include "bench/rules.h"

typedef struct pair {
    uint64_t target;
    float view, margin;
} pair;

typedef struct entity {
    uint64_t id;
    uint64_t entered;  /* step in which this incarnation came */
    uint64_t recorded; /* last step with a record for it */
    uint64_t said;     /* last step in which it said something, and how often */
    uint32_t says;
    uint64_t parent;              /* that it is attached to, or 0 */
    uint32_t crowd_step;          /* of crowd control: how far its view is shrunk */
    uint32_t depth, depth_before; /* attachments up to its root, now and in the step before */
    ph_attrs given;
    ph_attrs is;
    bench_id_set seen;
    bench_id_set hidden, revealed; /* targets that are hidden from it, and revealed to it */
    bench_id_set linked;
    pair *pairs; /* in no order */
    uint32_t pair_count, pair_room;
} entity;

typedef struct sample {
    uint64_t observer;
    bench_id_set before; /* its list at the end of the tick before */
} sample;

struct bench_verify {
    const ph_world_def *def;
    phx_mem *mem;
    uint32_t every;
    uint32_t entity_count, entity_room;
    uint32_t sample_count, sample_room, sample_used;
    uint32_t rank_room;
    entity *entities; /* in no order: the last fills a gap */
    sample *samples;  /* of this tick; beyond sample_count up to sample_used: memory to use again */
    bench_rank *ranks;
    phx_idmap places; /* id to place in entities */
    bench_id_set expected;
    uint64_t rng;
    uint64_t step;          /* frames so far, for there may be several with one tick number */
    uint64_t tick;          /* the number that faults name */
    uint64_t compared;      /* lists */
    uint64_t compared_step; /* the last one in which they were */
    uint64_t heard;         /* broadcasts that observers got in this step */
    float say_radius;       /* of this step's broadcasts; 0 = by lists */
    bool talk;              /* there are any */
    bool attached;          /* there are or were attachments */
    bool related;           /* there are or were pairs, links, hidden or revealed targets */
    phx_idmap towers;       /* with crowd control: (ty << 32 | tx) + 1 to how many are there */
    bench_faults faults;
};

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

static void entity_free(phx_mem *mem, entity *gone)
{
    bench_id_set_free(mem, &gone->seen);
    bench_id_set_free(mem, &gone->hidden);
    bench_id_set_free(mem, &gone->revealed);
    bench_id_set_free(mem, &gone->linked);
    phx_release(mem, (void **)&gone->pairs, &gone->pair_room, sizeof *gone->pairs);
}

void bench_verify_destroy(bench_verify *verify)
{
    phx_mem *mem = verify->mem;
    for (uint32_t i = 0; i < verify->entity_count; i++) {
        entity_free(mem, &verify->entities[i]);
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

/* ---- commands ---- */

static entity *find(const bench_verify *verify, uint64_t id)
{
    const uint64_t *place = phx_idmap_find(&verify->places, id);
    return place == NULL ? NULL : &verify->entities[*place];
}

static bool good_or_ungiven(const ph_attrs *attrs, uint32_t bit, float value, float min)
{
    return (attrs->given & bit) == 0 || (value <= PH_LENGTH_MAX && value >= min);
}

/* Commands that the library refuses must change nothing here either. */
static bool attrs_valid(const bench_verify *verify, const ph_attrs *attrs)
{
    return good_or_ungiven(attrs, PH_X, attrs->x, -PH_COORDINATE_MAX) &&
           good_or_ungiven(attrs, PH_Y, attrs->y, -PH_COORDINATE_MAX) &&
           good_or_ungiven(attrs, PH_Z, attrs->z, -PH_COORDINATE_MAX) &&
           good_or_ungiven(attrs, PH_VIEW, attrs->view, 0) && good_or_ungiven(attrs, PH_MARGIN, attrs->margin, 0) &&
           good_or_ungiven(attrs, PH_REACH, attrs->reach, 0) && good_or_ungiven(attrs, PH_VISIBLE, attrs->visible, 0) &&
           ((attrs->given & PH_KIND) == 0 || attrs->kind < verify->def->class_count) &&
           ((attrs->given & PH_CAP) == 0 || attrs->cap <= INT32_MAX);
}

static void enter(bench_verify *verify, uint64_t id, const ph_attrs *attrs)
{
    bool placed = (attrs->given & PH_X) != 0 && (attrs->given & PH_Y) != 0;
    if (id == 0 || !placed || !attrs_valid(verify, attrs) || find(verify, id) != NULL) {
        return;
    }
    uint32_t place = verify->entity_count;
    bench_grow(verify->mem, (void **)&verify->entities, &verify->entity_room, place, (size_t)place + 1,
               sizeof *verify->entities);
    verify->entities[place] = (entity){.id = id, .entered = verify->step, .given = *attrs};
    verify->entities[place].is = bench_rules_resolve(verify->def, attrs);
    verify->entity_count++;
    if (!phx_idmap_reserve(&verify->places, verify->entity_count)) {
        fprintf(stderr, "pharos-bench: no memory for %u ids\n", verify->entity_count);
        exit(1);
    }
    phx_idmap_insert(&verify->places, id, place);
    PHX_ASSERT(phx_idmap_count(&verify->places) == verify->entity_count);
}

static pair *find_pair(const entity *observer, uint64_t target)
{
    for (uint32_t i = 0; i < observer->pair_count; i++) {
        if (observer->pairs[i].target == target) {
            return &observer->pairs[i];
        }
    }
    return NULL;
}

static void unpair(entity *observer, uint64_t target)
{
    pair *gone = find_pair(observer, target);
    if (gone != NULL) {
        *gone = observer->pairs[--observer->pair_count];
    }
}

static void leave(bench_verify *verify, uint64_t id)
{
    entity *gone = find(verify, id);
    if (gone == NULL) {
        return;
    }
    entity_free(verify->mem, gone);
    phx_idmap_remove(&verify->places, id);
    PHX_ASSERT(verify->entity_count == phx_idmap_count(&verify->places) + 1);
    entity *last = &verify->entities[--verify->entity_count];
    if (gone != last) {
        *gone = *last;
        *phx_idmap_find(&verify->places, gone->id) = (uint64_t)(gone - verify->entities);
    }
    for (uint32_t i = 0; verify->related && i < verify->entity_count; i++) {
        bench_id_set_remove(&verify->entities[i].hidden, id);
        bench_id_set_remove(&verify->entities[i].revealed, id);
        bench_id_set_remove(&verify->entities[i].linked, id);
        unpair(&verify->entities[i], id);
    }
}

static void move(bench_verify *verify, uint64_t id, const ph_position *to)
{
    entity *moved = find(verify, id);
    if (moved != NULL && fabsf(to->x) <= PH_COORDINATE_MAX && fabsf(to->y) <= PH_COORDINATE_MAX &&
        fabsf(to->z) <= PH_COORDINATE_MAX) {
        moved->given.given |= PH_POSITION;
        moved->is.x = moved->given.x = to->x;
        moved->is.y = moved->given.y = to->y;
        moved->is.z = moved->given.z = to->z;
    }
}

#define TAKE(bit, field) ((attrs->given & (bit)) != 0 ? (void)(to->field = attrs->field) : (void)0)

static void set(bench_verify *verify, uint64_t id, const ph_attrs *attrs)
{
    entity *changed = find(verify, id);
    if (changed == NULL || !attrs_valid(verify, attrs) || (attrs->given & PH_CONSUMER) != 0) {
        return;
    }
    ph_attrs *to = &changed->given;
    TAKE(PH_X, x);
    TAKE(PH_Y, y);
    TAKE(PH_Z, z);
    TAKE(PH_KIND, kind);
    TAKE(PH_VIEW, view);
    TAKE(PH_MARGIN, margin);
    TAKE(PH_REACH, reach);
    TAKE(PH_INSTANCE, instance);
    TAKE(PH_VISIBLE, visible);
    TAKE(PH_VEILED, veiled);
    TAKE(PH_LAYERS, layers);
    TAKE(PH_SEES, sees);
    TAKE(PH_STEALTH, stealth);
    TAKE(PH_DETECT, detect);
    TAKE(PH_GLOBAL, global);
    TAKE(PH_READY, ready);
    TAKE(PH_CAP, cap);
    TAKE(PH_PRIORITY, priority);
    to->given |= attrs->given;
    changed->is = bench_rules_resolve(verify->def, to);
}

static void say(bench_verify *verify, uint64_t id)
{
    entity *source = find(verify, id);
    if (source != NULL) {
        source->says = source->said == verify->step ? source->says + 1 : 1;
        source->said = verify->step;
        verify->talk = true;
    }
}

/* The child stands where the top of its chain does. Returns how far up that is. */
static uint32_t follow(bench_verify *verify, entity *child)
{
    const entity *root = child;
    uint32_t depth = 0;
    for (; root->parent != 0; depth++) {
        root = find(verify, root->parent);
        PHX_ASSERT(root != NULL); /* scenarios detach before a parent leaves */
    }
    child->is.x = child->given.x = root->is.x;
    child->is.y = child->given.y = root->is.y;
    child->is.z = child->given.z = root->is.z;
    return depth;
}

static void attach(bench_verify *verify, const bench_other *command)
{
    entity *child = find(verify, command->id);
    if (child == NULL) {
        return;
    }
    follow(verify, child);
    child->parent = command->op == BENCH_ATTACH ? command->other : 0;
    verify->attached = verify->attached || child->parent != 0;
}

/* A second pair replaces the first. */
static void set_pair(bench_verify *verify, entity *observer, const bench_other *command)
{
    unpair(observer, command->other);
    bench_grow(verify->mem, (void **)&observer->pairs, &observer->pair_room, observer->pair_count,
               (size_t)observer->pair_count + 1, sizeof *observer->pairs);
    observer->pairs[observer->pair_count++] = (pair){command->other, command->attrs.view, command->attrs.margin};
}

/* The set that the command changes: NULL = it changes none. */
static bench_id_set *set_of(entity *observer, bench_other_op op)
{
    switch (op) {
    case BENCH_LINK:
    case BENCH_UNLINK:
        return &observer->linked;
    case BENCH_HIDE:
    case BENCH_UNHIDE:
        return &observer->hidden;
    case BENCH_REVEAL:
    case BENCH_UNREVEAL:
        return &observer->revealed;
    default:
        return NULL;
    }
}

/* Pairs, links, hides, reveals, and the ends of them. */
static void relate(bench_verify *verify, const bench_other *command)
{
    entity *observer = find(verify, command->id);
    if (observer == NULL || find(verify, command->other) == NULL || command->id == command->other) {
        return;
    }
    bench_id_set *set = set_of(observer, command->op);
    bool begins = command->op == BENCH_LINK || command->op == BENCH_HIDE || command->op == BENCH_REVEAL;
    verify->related = true;
    if (command->op == BENCH_PAIR) {
        set_pair(verify, observer, command);
    } else if (command->op == BENCH_UNPAIR) {
        unpair(observer, command->other);
    } else if (begins) {
        bench_id_set_add(verify->mem, set, command->other);
    } else {
        bench_id_set_remove(set, command->other);
    }
}

static void apply_others(bench_verify *verify, const bench_other *commands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        switch (commands[i].op) {
        case BENCH_SET:
            set(verify, commands[i].id, &commands[i].attrs);
            break;
        case BENCH_ATTACH:
        case BENCH_DETACH:
            attach(verify, &commands[i]);
            break;
        case BENCH_AREA: /* no list depends on it */
            break;
        default:
            relate(verify, &commands[i]);
        }
    }
}

static void apply(bench_verify *verify, const bench_frame *frame)
{
    for (uint32_t s = 0; s < frame->span_count; s++) {
        const bench_span *span = &frame->spans[s];
        if (span->op == BENCH_OTHER) {
            apply_others(verify, &frame->others[span->first], span->count);
        }
        for (uint32_t i = span->first; i < span->first + span->count; i++) {
            if (span->op == BENCH_ENTER) {
                enter(verify, frame->enter_ids[i], &frame->enter_attrs[i]);
            } else if (span->op == BENCH_LEAVE) {
                leave(verify, frame->leave_ids[i]);
            } else if (span->op == BENCH_MOVE) {
                move(verify, frame->move_ids[i], &frame->move_positions[i]);
            } else if (span->op == BENCH_SAY) {
                verify->say_radius = frame->say_radius;
                say(verify, frame->say_ids[i]);
            }
        }
    }
    for (uint32_t i = 0; verify->attached && i < verify->entity_count; i++) {
        entity *each = &verify->entities[i];
        each->depth_before = each->depth;
        each->depth = follow(verify, each);
    }
}

/* ---- crowd control ---- */

static uint64_t tower_key(int64_t tx, int64_t ty)
{
    return ((uint64_t)ty << 32 | (uint64_t)tx) + 1;
}

static int64_t tower_along(const ph_world_def *def, int axis, float p)
{
    double last = ceil((double)def->world_size[axis] / (double)def->tower_size) - 1;
    float at = floorf((p - def->world_origin[axis]) / def->tower_size);
    return at <= 0 ? 0 : (double)at >= last ? (int64_t)last : (int64_t)at;
}

static void count_towers(bench_verify *verify)
{
    phx_idmap_clear(&verify->towers);
    if (!phx_idmap_reserve(&verify->towers, verify->entity_count)) {
        fprintf(stderr, "pharos-bench: no memory for %u towers\n", verify->entity_count);
        exit(1);
    }
    for (uint32_t i = 0; i < verify->entity_count; i++) {
        const ph_attrs *is = &verify->entities[i].is;
        uint64_t key = tower_key(tower_along(verify->def, 0, is->x), tower_along(verify->def, 1, is->y));
        uint64_t *there = phx_idmap_find(&verify->towers, key);
        if (there != NULL) {
            ++*there;
        } else {
            phx_idmap_insert(&verify->towers, key, 1);
        }
    }
}

/* In the nine towers around. */
static double around(const bench_verify *verify, const ph_attrs *is)
{
    int64_t tx = tower_along(verify->def, 0, is->x);
    int64_t ty = tower_along(verify->def, 1, is->y);
    double sum = 0;
    for (int64_t i = 0; i < 9; i++) {
        int64_t x = tx + i % 3 - 1;
        int64_t y = ty + i / 3 - 1;
        const uint64_t *there = x < 0 || y < 0 ? NULL : phx_idmap_find(&verify->towers, tower_key(x, y));
        sum += there == NULL ? 0 : (double)*there;
    }
    return sum;
}

static double crowd_share(const bench_verify *verify, uint32_t step)
{
    return 1.0 - (double)step * (1.0 - (double)verify->def->crowd_floor) / 16;
}

static uint32_t crowd_wanted(const bench_verify *verify, double entities)
{
    uint32_t step = 0;
    while (step < 16 && !(entities * (crowd_share(verify, step) * crowd_share(verify, step)) <=
                          (double)verify->def->crowd_entities)) {
        step++;
    }
    return step;
}

/* The rule of ph_world_def, where no entity gets a view or loses it. */
static void shrink_views(bench_verify *verify)
{
    count_towers(verify);
    for (uint32_t i = 0; i < verify->entity_count; i++) {
        entity *each = &verify->entities[i];
        double entities = around(verify, &each->is);
        float view = bench_rules_resolve(verify->def, &each->given).view;
        uint32_t wanted = crowd_wanted(verify, entities);
        if (each->entered == verify->step) {
            each->crowd_step = wanted;
        } else if (wanted > each->crowd_step) {
            each->crowd_step++;
        } else if (crowd_wanted(verify, entities * 1.25) < each->crowd_step) {
            each->crowd_step--;
        }
        each->is.view = (float)((double)view * crowd_share(verify, each->crowd_step));
    }
}

/* ---- samples ---- */

static void sample_take(bench_verify *verify, const entity *observer)
{
    if (verify->sample_count == verify->sample_used) {
        bench_grow(verify->mem, (void **)&verify->samples, &verify->sample_room, verify->sample_used,
                   (size_t)verify->sample_used + 1, sizeof *verify->samples);
        verify->samples[verify->sample_used++] = (sample){.observer = 0};
    }
    PHX_ASSERT(verify->sample_count < verify->sample_used);
    sample *taken = &verify->samples[verify->sample_count++];
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
        const entity *drawn = &verify->entities[all ? i : phx_rng_below(&verify->rng, verify->entity_count)];
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
    apply(verify, frame);
    if (verify->def->crowd_entities > 0) {
        shrink_views(verify);
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

static void sent_leave(bench_verify *verify, entity *observer, uint64_t target)
{
    if (!bench_id_set_remove(&observer->seen, target)) {
        fault(verify, observer->id, "leave of %llu, which was not in the list", (unsigned long long)target);
    }
}

static void sent_enter(bench_verify *verify, entity *observer, uint64_t target, const uint16_t *kind)
{
    const entity *is = find(verify, target);
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
    const entity *is = verify->attached ? find(verify, id) : NULL;
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
    entity *observer = find(verify, record->observer);
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
static bool reaches(const bench_verify *verify, const entity *source, const entity *listener)
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
    const entity *listener = find(verify, observer), *from = find(verify, source);
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
        const entity *source = &verify->entities[s];
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
            const entity *source = find(verify, seen->ids[s]);
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

static bench_relation relation_of(const entity *observer, uint64_t target)
{
    const pair *found = find_pair(observer, target);
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
static uint32_t join(const bench_verify *verify, const entity *observer, uint32_t count)
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
static void expect(bench_verify *verify, const entity *observer, const bench_id_set *before)
{
    uint32_t count = 0;
    /* A new incarnation of the observer or of the target had nothing to do with the old list. */
    bool old_counts = observer->entered != verify->step;
    for (uint32_t i = 0; bench_rules_observes(&observer->is) && i < verify->entity_count; i++) {
        const entity *target = &verify->entities[i];
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

static void compare(bench_verify *verify, const sample *taken)
{
    const entity *observer = find(verify, taken->observer);
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

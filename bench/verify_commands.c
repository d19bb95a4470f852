/*
 * The check on the side follows the commands of a frame; see verify_commands.h.
 */
#include "bench/verify_commands.h"

#include <math.h>

#include "bench/verify_state.h"

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
    if (id == 0 || !placed || !attrs_valid(verify, attrs) || verify_find(verify, id) != NULL) {
        return;
    }
    uint32_t place = verify->entity_count;
    bench_grow(verify->mem, (void **)&verify->entities, &verify->entity_room, place, (size_t)place + 1,
               sizeof *verify->entities);
    verify->entities[place] = (verify_entity){.id = id, .entered = verify->step, .given = *attrs};
    verify->entities[place].is = bench_rules_resolve(verify->def, attrs);
    verify->entity_count++;
    bench_reserve_ids(&verify->places, verify->entity_count);
    phx_idmap_insert(&verify->places, id, place);
    PHX_ASSERT(phx_idmap_count(&verify->places) == verify->entity_count);
}

static void unpair(verify_entity *observer, uint64_t target)
{
    verify_pair *gone = verify_find_pair(observer, target);
    if (gone != NULL) {
        *gone = observer->pairs[--observer->pair_count];
    }
}

static void leave(bench_verify *verify, uint64_t id)
{
    verify_entity *gone = verify_find(verify, id);
    if (gone == NULL) {
        return;
    }
    verify_entity_free(verify->mem, gone);
    phx_idmap_remove(&verify->places, id);
    PHX_ASSERT(verify->entity_count == phx_idmap_count(&verify->places) + 1);
    verify_entity *last = &verify->entities[--verify->entity_count];
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
    verify_entity *moved = verify_find(verify, id);
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
    verify_entity *changed = verify_find(verify, id);
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
    TAKE(PH_REMOTE, remote);
    TAKE(PH_CAP, cap);
    TAKE(PH_PRIORITY, priority);
    to->given |= attrs->given;
    changed->is = bench_rules_resolve(verify->def, to);
}

static void say(bench_verify *verify, uint64_t id)
{
    verify_entity *source = verify_find(verify, id);
    if (source != NULL) {
        source->says = source->said == verify->step ? source->says + 1 : 1;
        source->said = verify->step;
        verify->talk = true;
    }
}

/* The child stands where the top of its chain does. Returns how far up that is. */
static uint32_t follow(bench_verify *verify, verify_entity *child)
{
    const verify_entity *root = child;
    uint32_t depth = 0;
    for (; root->parent != 0; depth++) {
        root = verify_find(verify, root->parent);
        PHX_ASSERT(root != NULL); /* scenarios detach before a parent leaves */
    }
    child->is.x = child->given.x = root->is.x;
    child->is.y = child->given.y = root->is.y;
    child->is.z = child->given.z = root->is.z;
    return depth;
}

static void attach(bench_verify *verify, const bench_other *command)
{
    verify_entity *child = verify_find(verify, command->id);
    if (child == NULL) {
        return;
    }
    follow(verify, child);
    child->parent = command->op == BENCH_ATTACH ? command->other : 0;
    verify->attached = verify->attached || child->parent != 0;
}

/* A second pair replaces the first. */
static void set_pair(bench_verify *verify, verify_entity *observer, const bench_other *command)
{
    unpair(observer, command->other);
    bench_grow(verify->mem, (void **)&observer->pairs, &observer->pair_room, observer->pair_count,
               (size_t)observer->pair_count + 1, sizeof *observer->pairs);
    observer->pairs[observer->pair_count++] = (verify_pair){command->other, command->attrs.view, command->attrs.margin};
}

/* The set that the command changes: NULL = it changes none. */
static bench_id_set *set_of(verify_entity *observer, bench_other_op op)
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
    verify_entity *observer = verify_find(verify, command->id);
    if (observer == NULL || verify_find(verify, command->other) == NULL || command->id == command->other) {
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

void bench_verify_apply(bench_verify *verify, const bench_frame *frame)
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
        verify_entity *each = &verify->entities[i];
        each->depth_before = each->depth;
        each->depth = follow(verify, each);
    }
}

/*
 * The rules of visibility for bench/verify.c. Compiled, as everything here, without fused
 * multiply-add.
 */
#include "bench/rules.h"

#include <math.h>

#include "base/core.h"
#include "base/tower_choice.h"

ph_attrs bench_rules_resolve(const ph_world_def *def, const ph_attrs *given)
{
    ph_attrs is = *given;
    if ((given->given & PH_KIND) == 0) {
        is.kind = 0;
    }
    PHX_ASSERT(is.kind < def->class_count);
    const ph_class *class = &def->classes[is.kind];
    is.z = (given->given & PH_Z) != 0 ? given->z : 0;
    is.view = (given->given & PH_VIEW) != 0 ? given->view : class->view;
    is.margin = (given->given & PH_MARGIN) != 0 ? given->margin : class->margin;
    is.reach = (given->given & PH_REACH) != 0 ? given->reach : class->reach;
    is.instance = (given->given & PH_INSTANCE) != 0 ? given->instance : 0;
    is.visible = (given->given & PH_VISIBLE) != 0 ? given->visible : class->visible;
    is.veiled = (given->given & PH_VEILED) != 0 ? given->veiled : class->veiled;
    is.layers = (given->given & PH_LAYERS) != 0 ? given->layers : class->layers;
    is.sees = (given->given & PH_SEES) != 0 ? given->sees : class->sees;
    is.stealth = (given->given & PH_STEALTH) != 0 ? given->stealth : class->stealth;
    is.detect = (given->given & PH_DETECT) != 0 ? given->detect : class->detect;
    is.global = (given->given & PH_GLOBAL) != 0 ? given->global : class->global;
    is.ready = ((given->given & PH_READY) != 0 ? given->ready : class->ready) &&
               !((given->given & PH_REMOTE) != 0 && given->remote);
    is.cap = (given->given & PH_CAP) != 0 ? given->cap : class->cap;
    is.priority = (given->given & PH_PRIORITY) != 0 ? given->priority : class->priority;
    return is;
}

bool bench_rules_observes(const ph_attrs *observer)
{
    return observer->ready && observer->view > 0;
}

static float tower_index(const ph_world_def *def, uint32_t axis, float at)
{
    PHX_ASSERT(axis < 2);
    const float side = phx_tower_side_given(def); /* range = towers: they are a rule */
    double towers = ceil((double)def->world_size[axis] / (double)side);
    float last = (float)(towers < 1 ? 0 : towers - 1);
    float offset = at - def->world_origin[axis];
    float index = floorf(offset / side);
    return index < 0 ? 0 : index > last ? last : index;
}

static bool in_tower_range(const ph_world_def *def, const ph_attrs *observer, const ph_attrs *target)
{
    float span = (float)def->span;
    return fabsf(tower_index(def, 0, observer->x) - tower_index(def, 0, target->x)) <= span &&
           fabsf(tower_index(def, 1, observer->y) - tower_index(def, 1, target->y)) <= span;
}

static bool in_radius(const ph_world_def *def, const ph_attrs *observer, const ph_attrs *target,
                      const bench_relation *relation, bool was)
{
    float radius = relation->paired ? relation->view : fmaxf(fminf(observer->view, target->visible), target->reach);
    if (was) {
        radius = radius + (relation->paired ? relation->margin : observer->margin);
    }
    float dx = target->x - observer->x;
    float dy = target->y - observer->y;
    float dz = target->z - observer->z;
    float square = radius * radius;
    float flat = dx * dx + dy * dy;
    switch (def->shape) {
    case PH_SHAPE_CIRCLE:
        return flat <= square;
    case PH_SHAPE_SQUARE:
        return fabsf(dx) <= radius && fabsf(dy) <= radius;
    case PH_SHAPE_CYLINDER:
        return flat <= square && fabsf(dz) <= def->height;
    case PH_SHAPE_SPHERE:
        return flat + dz * dz <= square;
    }
    phx_panic(__FILE__, __LINE__, "ph_shape");
}

bool bench_rules_sees(const ph_world_def *def, const ph_attrs *observer, const ph_attrs *target,
                      const bench_relation *relation, bool was)
{
    bool covered = !relation->revealed && (target->stealth > observer->detect || target->veiled);
    if (observer->instance != target->instance || (observer->sees & target->layers) == 0 || covered ||
        relation->hidden) {
        return false;
    }
    if (target->global || relation->linked) {
        return true;
    }
    return def->range == PH_RANGE_TOWERS ? in_tower_range(def, observer, target)
                                         : in_radius(def, observer, target, relation, was);
}

bench_rank bench_rules_rank(const ph_world_def *def, const ph_attrs *observer, const ph_attrs *target,
                            const bench_relation *relation, uint64_t id, bool was)
{
    float dx = target->x - observer->x;
    float dy = target->y - observer->y;
    float dz = target->z - observer->z;
    float square = dx * dx + dy * dy;
    if (def->shape == PH_SHAPE_SPHERE) {
        square = square + dz * dz;
    }
    return (bench_rank){target->global || relation->linked, target->priority,
                        (double)square * (was ? 1.0 : def->sticky), id, was};
}

int bench_rules_compare(const void *left, const void *right)
{
    const bench_rank *a = left;
    const bench_rank *b = right;
    if (a->forced != b->forced) {
        return a->forced ? -1 : 1;
    }
    if (a->priority != b->priority) {
        return a->priority > b->priority ? -1 : 1;
    }
    if (a->distance < b->distance || a->distance > b->distance) {
        return a->distance < b->distance ? -1 : 1;
    }
    return a->id < b->id ? -1 : a->id > b->id ? 1 : 0;
}

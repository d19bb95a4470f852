/*
 * Crowd control in the check on the side; see verify_crowd.h.
 */
#include "bench/verify_crowd.h"

#include <math.h>

#include "base/tower_choice.h"
#include "bench/verify_state.h"

static uint64_t tower_key(int64_t tx, int64_t ty)
{
    return ((uint64_t)ty << 32 | (uint64_t)tx) + 1;
}

static int64_t tower_along(const ph_world_def *def, int axis, float p)
{
    const float side = phx_tower_side_given(def); /* of crowd control: towers are a rule */
    double last = ceil((double)def->world_size[axis] / (double)side) - 1;
    float at = floorf((p - def->world_origin[axis]) / side);
    return at <= 0 ? 0 : (double)at >= last ? (int64_t)last : (int64_t)at;
}

static void count_towers(bench_verify *verify)
{
    phx_idmap_clear(&verify->towers);
    bench_reserve_ids(&verify->towers, verify->entity_count);
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

void bench_verify_shrink_views(bench_verify *verify)
{
    count_towers(verify);
    for (uint32_t i = 0; i < verify->entity_count; i++) {
        verify_entity *each = &verify->entities[i];
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

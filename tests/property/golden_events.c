/*
 * The standard walk at its full size: 10,000 entities in 10,000 x 10,000, view 100, steps
 * uniform in a disc of radius 5, reflected at the border, all observers and targets. The
 * events of every tick are counted by comparing all pairs, old and new, in a bit matrix,
 * without model, harness or batches. The totals equal the ones recorded here once, so that
 * no compiler, machine or version changes them unnoticed.
 *
 * options: --entities N, --ticks N (other than the default: without the recorded totals)
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pharos/pharos.h>

#include "base/rng.h"
#include "support/check.h"

enum { ENTITIES = 10000, TICKS = 10, SIDE = 10000, STEP = 5, VIEW = 100, SEED = 12345, WORD_BITS = 64 };

typedef struct golden {
    const char *name;
    ph_shape shape;
    uint64_t first, enters, leaves; /* enters of the first tick, and of the ticks behind it */
} golden;

static const golden goldens[] = {
    {"circle", PH_SHAPE_CIRCLE, 31056, 8770, 9036},
    {"square", PH_SHAPE_SQUARE, 39580, 11168, 11346},
};

typedef struct walkers {
    uint32_t count;
    uint64_t rng;
    float *x, *y;
    uint64_t *ids;
    ph_position *to;
    size_t words;   /* of a row of the matrix */
    uint64_t *seen; /* bit t of row o */
} walkers;

static float between(uint64_t *rng, float low, float high)
{
    return low + (high - low) * phx_rng_unit(rng);
}

static float reflected(float p)
{
    float inside = p < 0 ? -p : p;
    return inside > SIDE ? 2.0f * SIDE - inside : inside;
}

static void step_all(walkers *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        float dx = 0;
        float dy = 0;
        do {
            dx = between(&w->rng, -STEP, STEP);
            dy = between(&w->rng, -STEP, STEP);
        } while (dx * dx + dy * dy > (float)(STEP * STEP));
        w->x[i] = reflected(w->x[i] + dx);
        w->y[i] = reflected(w->y[i] + dy);
        w->to[i] = (ph_position){w->x[i], w->y[i], 0};
    }
}

/* Bits of `seen` for the targets first.. of one word, as o sees them now. */
static uint64_t see_word(const walkers *w, ph_shape shape, uint32_t o, uint32_t first)
{
    const float r = VIEW;
    uint64_t bits = 0;
    uint32_t last = first + WORD_BITS < w->count ? first + WORD_BITS : w->count;
    for (uint32_t t = first; t < last; t++) {
        float dx = w->x[t] - w->x[o];
        float dy = w->y[t] - w->y[o];
        bool in = shape == PH_SHAPE_SQUARE ? fabsf(dx) <= r && fabsf(dy) <= r : dx * dx + dy * dy <= r * r;
        bits |= (uint64_t)(in && t != o) << (t - first);
    }
    return bits;
}

/* All pairs anew; how many came and went. */
static void see_all(walkers *w, ph_shape shape, uint64_t *enters, uint64_t *leaves)
{
    *enters = 0;
    *leaves = 0;
    for (uint32_t o = 0; o < w->count; o++) {
        for (size_t word = 0; word < w->words; word++) {
            uint64_t *old = &w->seen[o * w->words + word];
            uint64_t now = see_word(w, shape, o, (uint32_t)word * WORD_BITS);
            *enters += (uint64_t)__builtin_popcountll(now & ~*old);
            *leaves += (uint64_t)__builtin_popcountll(*old & ~now);
            *old = now;
        }
    }
}

static walkers walkers_make(uint32_t count)
{
    walkers w = {.count = count, .rng = SEED, .words = (count + WORD_BITS - 1) / WORD_BITS};
    w.x = check_zalloc(count * sizeof *w.x);
    w.y = check_zalloc(count * sizeof *w.y);
    w.ids = check_zalloc(count * sizeof *w.ids);
    w.to = check_zalloc(count * sizeof *w.to);
    w.seen = check_zalloc(count * w.words * sizeof *w.seen);
    for (uint32_t i = 0; i < count; i++) {
        w.ids[i] = i + 1;
        w.x[i] = between(&w.rng, 0, SIDE);
        w.y[i] = between(&w.rng, 0, SIDE);
    }
    return w;
}

static void walkers_end(walkers *w)
{
    free(w->x);
    free(w->y);
    free(w->ids);
    free(w->to);
    free(w->seen);
}

static ph_world world_make(ph_shape shape, ph_producer *producer)
{
    ph_class kind = ph_class_default("default");
    ph_world_def def = ph_world_def_default();
    ph_world world;
    kind.view = VIEW;
    def.classes = &kind;
    def.class_count = 1;
    def.world_size[0] = SIDE;
    def.world_size[1] = SIDE;
    def.tower_size = VIEW;
    def.shape = shape;
    def.shards[0] = 2;
    def.shards[1] = 2;
    def.workers = 2;
    def.share_min = 0;
    def.consumers = 0; /* lists and counters are enough */
    REQUIRE(ph_world_create(&def, &world) == PH_OK && ph_producer_open(world, producer) == PH_OK);
    return world;
}

static void enter_all(ph_producer producer, const walkers *w)
{
    ph_attrs *attrs = check_zalloc(w->count * sizeof *attrs);
    for (uint32_t i = 0; i < w->count; i++) {
        attrs[i] = (ph_attrs){.given = PH_X | PH_Y, .x = w->x[i], .y = w->y[i]};
    }
    CHECK_OK(ph_enter_many(producer, w->count, w->ids, attrs, NULL));
    free(attrs);
}

static void walk(const golden *g, uint32_t entities, uint64_t ticks, bool recorded)
{
    ph_producer producer;
    ph_world world = world_make(g->shape, &producer);
    walkers w = walkers_make(entities);
    ph_stats stats;
    uint64_t first = 0;
    uint64_t enters = 0;
    uint64_t leaves = 0;
    uint64_t came = 0;
    uint64_t went = 0;
    enter_all(producer, &w);
    for (uint64_t tick = 0; tick <= ticks; tick++) {
        CHECK_OK(ph_tick(world, NULL));
        see_all(&w, g->shape, &came, &went);
        CHECK_OK(ph_world_stats(world, &stats));
        first = tick == 0 ? came : first;
        enters += tick == 0 ? 0 : came;
        leaves += went;
        CHECK(stats.enters == first + enters && stats.leaves == leaves,
              "%s, tick %" PRIu64 ": %" PRIu64 " enters, %" PRIu64 " leaves; expected %" PRIu64 ", %" PRIu64, g->name,
              tick, stats.enters, stats.leaves, first + enters, leaves);
        step_all(&w);
        CHECK_OK(ph_move_many(producer, w.count, w.ids, w.to, NULL));
    }
    (void)printf("%s: %" PRIu64 " first, then %" PRIu64 " enters, %" PRIu64 " leaves in %" PRIu64 " ticks\n", g->name,
                 first, enters, leaves, ticks);
    CHECK(!recorded || (first == g->first && enters == g->enters && leaves == g->leaves),
          "%s: recorded are %" PRIu64 ", %" PRIu64 ", %" PRIu64, g->name, g->first, g->enters, g->leaves);
    CHECK_OK(ph_world_destroy(world));
    walkers_end(&w);
}

int main(int argc, char **argv)
{
    /* as many as the recorded totals have, also in a release build, where tests do 40 percent */
    uint64_t amount = test_amount(ENTITIES * 5 / 2), most = amount < ENTITIES ? amount : ENTITIES;
    uint32_t entities = (uint32_t)option_number(argc, argv, "--entities", most);
    uint64_t ticks = option_number(argc, argv, "--ticks", TICKS);
    for (size_t i = 0; i < sizeof goldens / sizeof goldens[0]; i++) {
        walk(&goldens[i], entities, ticks, entities == ENTITIES && ticks == TICKS);
    }
    return check_done("golden_events");
}

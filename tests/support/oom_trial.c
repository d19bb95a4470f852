/*
 * Worlds in which an allocation fails; see oom_trial.h.
 */
#include "support/oom_trial.h"

#include "api/handles.h"
#include "base/rng.h"

enum { FAILURES_ENOUGH = 10 };

oom_site oom_site_option(int argc, char **argv)
{
    const oom_site site = {.tick = (uint32_t)option_number(argc, argv, "--tick", 0),
                           .stage = (uint32_t)option_number(argc, argv, "--stage", 0),
                           .nth = (uint32_t)option_number(argc, argv, "--nth", 0)};
    REQUIRE(site.tick < OOM_TICKS && site.stage < OOM_STAGES);
    return site;
}

ph_world_def oom_trial_def(oom_trial *t, bool later)
{
    ph_world_def def = oom_def(t->profile, later);
    def.allocator = fail_alloc_hooks(&t->memory);
    return def;
}

void oom_trial_open(oom_trial *t, bool (*fails)(void *trial))
{
    const ph_world_def def = oom_trial_def(t, false);
    t->memory.fails = fails;
    t->memory.asked = t;
    t->tick = 0;
    REQUIRE(ph_world_create(&def, &t->world) == PH_OK);
    t->inner = phx_resolve_world(t->world);
    REQUIRE(ph_producer_open(t->world, &t->producer) == PH_OK);
    for (uint32_t c = 0; c < OOM_CONSUMERS; c++) REQUIRE(ph_consumer_open(t->world, c, &t->consumers[c]) == PH_OK);
}

void oom_trial_close(oom_trial *t)
{
    CHECK_OK(ph_world_destroy(t->world));
    (void)fail_alloc_clean(&t->memory);
}

bool oom_trial_asked(oom_trial *t)
{
    if (!t->ticking || t->tick >= OOM_TICKS) return false;
    const uint32_t stage = t->inner->stage;
    const uint32_t nth = atomic_fetch_add_explicit(&t->asked[t->tick][stage], 1, memory_order_relaxed) + 1;
    return t->site.tick == t->tick && t->site.stage == stage && t->site.nth == nth;
}

/* Of the allocations in one stage of a tick all, or by the seed some, in a smaller amount of tests. */
static void each_site_of(const oom_trial *whole, oom_site at, uint64_t *rng, void (*visit)(void *user, oom_site at),
                         void *user)
{
    enum { PERCENT_FOR_ONE_MORE = 20 };
    const uint32_t percent = (uint32_t)test_amount(100), count = whole->asked[at.tick][at.stage];
    if (percent < OOM_PERCENT_FOR_ALL && phx_rng_below(rng, OOM_PERCENT_FOR_ALL) >= percent) return;
    uint64_t most = percent < 100 ? 1 + percent / PERCENT_FOR_ONE_MORE : UINT64_MAX;
    for (uint32_t i = 0; i < count && most > 0; i++) {
        if (phx_rng_below(rng, count - i) >= most) continue;
        most--;
        at.nth = i + 1;
        if (check_failures() < FAILURES_ENOUGH) visit(user, at);
    }
}

void oom_each_site(const oom_trial *whole, oom_site only, uint64_t seed, void (*visit)(void *user, oom_site at),
                   void *user)
{
    if (only.nth > 0) {
        visit(user, only);
        return;
    }
    for (uint32_t tick = 0; tick < OOM_TICKS; tick++)
        for (uint32_t stage = 0; stage < OOM_STAGES; stage++)
            each_site_of(whole, (oom_site){.tick = tick, .stage = stage}, &seed, visit, user);
}

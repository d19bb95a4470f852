/*
 * Walkers of a node; see node_host.h.
 */
#include "tools/node_host.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

_Static_assert(sizeof(phx_walker) == 48 && sizeof(phx_walker) <= PHC_BLOB_MAX, "packed without gaps");

ph_status phx_node_host_open(phx_node_host *host, phx_mem *mem, const phx_node_job *job)
{
    const uint32_t walkers = job->walkers, regions = job->member.regions[0] * job->member.regions[1];
    PHX_ASSERT(walkers > 0 && walkers <= PHX_NODE_WALKERS_MAX && regions > 0 && regions <= PHC_REGIONS_MAX);
    *host = (phx_node_host){.mem = mem, .job = job, .region_count = regions};
    if (job->member.gateway) return PH_OK;
    host->walkers = phx_alloc(mem, walkers * sizeof *host->walkers, _Alignof(phx_walker));
    host->here = phx_alloc(mem, walkers * sizeof *host->here, _Alignof(bool));
    host->asked_ids = phx_alloc(mem, PHC_ASKED_MAX * sizeof *host->asked_ids, _Alignof(uint64_t));
    host->listed = phx_alloc(mem, walkers * sizeof *host->listed, _Alignof(uint64_t));
    host->answered_in = phx_alloc_zero(mem, walkers * sizeof *host->answered_in, _Alignof(uint32_t));
    host->duties = phx_alloc(mem, regions * sizeof *host->duties, _Alignof(uint32_t));
    host->asked_duties = phx_alloc(mem, regions * sizeof *host->asked_duties, _Alignof(uint32_t));
    if (!host->walkers || !host->here || !host->asked_ids || !host->listed || !host->answered_in || !host->duties ||
        !host->asked_duties)
        return PH_NO_MEMORY;
    memset(host->walkers, 0, walkers * sizeof *host->walkers);
    memset(host->here, 0, walkers * sizeof *host->here);
    memset(host->duties, 0, regions * sizeof *host->duties);
    memset(host->asked_duties, 0, regions * sizeof *host->asked_duties);
    return PH_OK;
}

void phx_node_host_close(phx_node_host *host)
{
    const uint32_t walkers = host->job->walkers, regions = host->region_count;
    phx_free(host->mem, host->walkers, walkers * sizeof *host->walkers, _Alignof(phx_walker));
    phx_free(host->mem, host->here, walkers * sizeof *host->here, _Alignof(bool));
    phx_free(host->mem, host->asked_ids, PHC_ASKED_MAX * sizeof *host->asked_ids, _Alignof(uint64_t));
    phx_free(host->mem, host->listed, walkers * sizeof *host->listed, _Alignof(uint64_t));
    phx_free(host->mem, host->answered_in, walkers * sizeof *host->answered_in, _Alignof(uint32_t));
    phx_free(host->mem, host->duties, regions * sizeof *host->duties, _Alignof(uint32_t));
    phx_free(host->mem, host->asked_duties, regions * sizeof *host->asked_duties, _Alignof(uint32_t));
}

uint64_t phx_node_host_definition(const phx_node_job *job)
{
    uint32_t speed;
    memcpy(&speed, &job->speed, sizeof speed);
    const uint64_t numbers = (uint64_t)job->walkers << 32 | job->seed;
    return phx_mix64(phx_mix64(numbers) ^ ((uint64_t)sizeof(phx_walker) << 32 | speed));
}

/* ---- walkers ---- */

phx_walker *phx_walker_of(phx_node_host *host, uint64_t id)
{
    return id >= 1 && id <= host->job->walkers ? &host->walkers[id - 1] : NULL;
}

static float random_in(uint64_t *random, const phx_node_job *job, uint32_t axis)
{
    return job->world_def->world_origin[axis] + phx_rng_unit(random) * job->world_def->world_size[axis];
}

static void choose_goal(phx_walker *walker, const phx_node_job *job)
{
    walker->goal_x = random_in(&walker->random, job, 0);
    walker->goal_y = random_in(&walker->random, job, 1);
}

phx_walker phx_walker_new(const phx_node_job *job, uint64_t id)
{
    phx_walker walker = {.id = id, .random = phx_mix64((uint64_t)job->seed << 32 ^ id)};
    walker.x = random_in(&walker.random, job, 0);
    walker.y = random_in(&walker.random, job, 1);
    choose_goal(&walker, job);
    return walker;
}

static uint64_t sum_of(const phx_walker *walker)
{
    uint64_t words[offsetof(phx_walker, sum) / sizeof(uint64_t)], sum = 0;
    memcpy(words, walker, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) sum = phx_mix64(sum ^ words[i]);
    return sum;
}

size_t phx_node_host_pack(void *user, uint64_t id, void *bytes, size_t size)
{
    phx_walker *walker = phx_walker_of(user, id);
    PHX_ASSERT(walker && size >= sizeof *walker);
    walker->sum = sum_of(walker);
    memcpy(bytes, walker, sizeof *walker);
    return sizeof *walker;
}

static bool is_within(const phx_node_job *job, float x, float y)
{
    const float *from = job->world_def->world_origin, *size = job->world_def->world_size;
    return x >= from[0] && x <= from[0] + size[0] && y >= from[1] && y <= from[1] + size[1];
}

bool phx_node_host_unpack(phx_node_host *host, const phc_event *event)
{
    phx_walker state, *walker = phx_walker_of(host, event->id);
    if (!walker || event->size != sizeof state) return false;
    memcpy(&state, event->bytes, sizeof state);
    if (state.id != event->id || state.sum != sum_of(&state) || !is_within(host->job, state.x, state.y) ||
        !is_within(host->job, state.goal_x, state.goal_y))
        return false;
    *walker = state;
    host->here[event->id - 1] = true;
    return true;
}

static void step_walker(phx_walker *walker, const phx_node_job *job)
{
    const float dx = walker->goal_x - walker->x, dy = walker->goal_y - walker->y, far = sqrtf(dx * dx + dy * dy);
    if (far <= job->speed) {
        choose_goal(walker, job);
        return;
    }
    walker->x += dx / far * job->speed;
    walker->y += dy / far * job->speed;
}

void phx_node_host_walk(phx_node_host *host)
{
    for (uint64_t id = 1; id <= host->job->walkers; id++) {
        phx_walker *walker = phx_walker_of(host, id);
        if (!host->here[id - 1] || !phc_owns(host->member, id)) continue; /* on its way to another node: it stops */
        phx_walker next = *walker;
        step_walker(&next, host->job);
        next.steps++;
        if (ph_move(host->producer, id, next.x, next.y, 0) == PH_OK) *walker = next;
        else host->counts.refused++;
    }
}

void phx_node_host_count_refusals(phx_node_host *host)
{
    ph_refusal refusals[64];
    uint32_t count = 0;
    do {
        if (ph_producer_refusals(host->producer, refusals, 64, &count) != PH_OK) return;
        host->counts.refused += count;
    } while (count == 64);
}

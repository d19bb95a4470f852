/*
 * Any bytes as the state of a walker that comes to a node of pharos-node, over a network. The first byte chooses: bit
 * 0, the sum is made right first; bit 1, the state comes under its own id. A state that is taken is one that the node
 * packs, and its walker is within the world; one that is not taken changes nothing.
 */
#include <stdint.h>
#include <string.h>

#include "base/core.h"
#include "base/rng.h"
#include "tools/node_host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Holds in every build, unlike PHX_ASSERT. */
#define HOLDS(x) ((x) ? (void)0 : phx_panic(__FILE__, __LINE__, #x))

enum { SEAL = 1, OWN_ID = 2, WALKERS = 4, ID = 3 };

/* As a node packs it. */
static void seal_state(unsigned char *bytes)
{
    uint64_t words[offsetof(phx_walker, sum) / sizeof(uint64_t)], sum = 0;
    memcpy(words, bytes, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) sum = phx_mix64(sum ^ words[i]);
    memcpy(bytes + sizeof words, &sum, sizeof sum);
}

static bool is_within(const ph_world_def *def, float at, uint32_t axis)
{
    return at >= def->world_origin[axis] && at <= def->world_origin[axis] + def->world_size[axis];
}

static void check_taken(phx_node_host *host, uint64_t id, const unsigned char *bytes)
{
    phx_walker again;
    const phx_walker *walker = phx_walker_of(host, id);
    const ph_world_def *def = host->job->world_def;
    HOLDS(walker && walker->id == id && host->here[id - 1]);
    HOLDS(is_within(def, walker->x, 0) && is_within(def, walker->y, 1));
    HOLDS(is_within(def, walker->goal_x, 0) && is_within(def, walker->goal_y, 1));
    HOLDS(phx_node_host_pack(host, id, &again, sizeof again) == sizeof again);
    HOLDS(memcmp(&again, bytes, sizeof again) == 0);
}

static void check_refused(const phx_node_host *host)
{
    for (uint32_t i = 0; i < WALKERS; i++) HOLDS(host->walkers[i].id == 0 && !host->here[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static ph_world_def def;
    static unsigned char bytes[256];
    phx_mem mem;
    phx_node_host host;
    if (size == 0 || size > sizeof bytes) return 0;
    def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = 1000;
    const phx_node_job job = {.world_def = &def, .walkers = WALKERS, .member = phc_def_default()};
    const size_t count = size - 1;
    memcpy(bytes, data + 1, count);
    if ((data[0] & SEAL) && count >= sizeof(phx_walker)) seal_state(bytes);
    uint64_t id = ID;
    if ((data[0] & OWN_ID) && count >= sizeof id) memcpy(&id, bytes, sizeof id);
    phx_mem_init(&mem, (ph_allocator){0});
    HOLDS(phx_node_host_open(&host, &mem, &job) == PH_OK);
    const phc_event event = {.kind = PHC_EVENT_GAINED, .id = id, .bytes = bytes, .size = (uint32_t)count};
    if (phx_node_host_unpack(&host, &event)) check_taken(&host, id, bytes);
    else check_refused(&host);
    phx_node_host_close(&host);
    return 0;
}

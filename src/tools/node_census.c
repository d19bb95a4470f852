/*
 * The census of walkers; see node_census.h.
 */
#include "tools/node_census.h"

#include <string.h>

#include "base/rng.h"
#include "tools/node_lines.h"

/* Is it entered, by this node or an other one? */
static bool enter_walker(phx_node_host *host, uint64_t id, float x, float y)
{
    const ph_attrs attrs = {.given = PH_POSITION, .x = x, .y = y};
    const ph_status status = phc_enter(host->member, id, &attrs, 0);
    if (status == PH_EXISTS) return true;
    if (status != PH_OK) return false;
    phx_walker *walker = phx_walker_of(host, id);
    *walker = phx_walker_new(host->job, id);
    walker->x = x;
    walker->y = y;
    host->here[id - 1] = true;
    host->counts.entered++;
    phx_line_entity(host, "entered", id, 0);
    return true;
}

/* Near the middle of a region, so that it is no border. */
static void place_in_region(phx_node_host *host, uint32_t region, uint64_t id, float *x, float *y)
{
    const phx_node_job *job = host->job;
    const ph_world_def *def = job->world_def;
    uint64_t random = phx_mix64(id ^ (uint64_t)host->asked_duties[region] << 32);
    const uint32_t column = region % job->member.regions[0], row = region / job->member.regions[0];
    const float right = (float)column + 0.25f + 0.5f * phx_rng_unit(&random);
    const float up = (float)row + 0.25f + 0.5f * phx_rng_unit(&random);
    *x = def->world_origin[0] + right / (float)job->member.regions[0] * def->world_size[0];
    *y = def->world_origin[1] + up / (float)job->member.regions[1] * def->world_size[1];
}

/* No node has it. true: it is entered, or another node's to enter. */
static bool enter_missing(phx_node_host *host, uint64_t id)
{
    const phx_walker home = phx_walker_new(host->job, id);
    if (phc_owner_of(host->member, home.x, home.y) == phc_number(host->member))
        return enter_walker(host, id, home.x, home.y);
    for (uint32_t region = 0; region < host->region_count; region++) {
        float x, y;
        if (host->asked_duties[region] == 0) continue;
        place_in_region(host, region, id, &x, &y);
        return enter_walker(host, id, x, y);
    }
    return true;
}

void phx_census_take(phx_node_host *host, const phc_event *event)
{
    const size_t count = event->size / sizeof(phc_holder);
    const char *bytes = event->bytes;
    host->is_asking = false;
    for (size_t i = 0; i < count; i++) {
        phc_holder holder;
        memcpy(&holder, bytes + i * sizeof holder, sizeof holder);
        if (holder.number != 0 || !phx_walker_of(host, holder.id)) continue;
        if (!enter_missing(host, holder.id)) host->is_incomplete = true;
    }
}

static void begin_census(phx_node_host *host)
{
    host->is_wanted = host->is_incomplete = false;
    host->next = 1;
    memcpy(host->asked_duties, host->duties, host->region_count * sizeof *host->duties);
}

static void end_census(phx_node_host *host)
{
    host->next = 0;
    if (host->is_incomplete) {
        host->is_wanted = true;
        return;
    }
    for (uint32_t region = 0; region < host->region_count; region++) {
        const uint32_t loss = host->asked_duties[region];
        if (loss == 0) continue;
        if (phc_restored(host->member, region, loss) != PH_OK) host->is_wanted = true;
        else if (host->duties[region] == loss) host->duties[region] = 0;
    }
}

void phx_census_ask(phx_node_host *host)
{
    uint32_t count = 0;
    if (host->is_asking || !host->is_joined) return;
    if (host->next == 0 && !host->is_wanted) return;
    if (host->next == 0) begin_census(host);
    uint64_t id = host->next;
    for (; id <= host->job->walkers && count < PHC_ASKED_MAX; id++)
        if (!phc_owns(host->member, id)) host->asked_ids[count++] = id;
    if (count == 0) {
        end_census(host);
        return;
    }
    if (phc_who_has(host->member, host->asked_ids, count) != PH_OK) return; /* again in the next tick */
    host->next = id;
    host->is_asking = true;
}

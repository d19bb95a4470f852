/*
 * Searches of a halo; see halo_search.h.
 */
#include "cluster/halo/halo_search.h"

#include <math.h>

#include "cluster/halo/halo_passed.h"
#include "cluster/halo/halo_table.h"

/* ---- the map ---- */

void phx_halo_read_map(phx_halo *halo)
{
    const phx_node *node = halo->def.node;
    const phx_region_grid *grid = &halo->def.grid;
    phx_halo_regions *regions = &halo->regions;
    if (regions->version == node->map.version) return;
    const float reach = halo->def.width + halo->def.margin;
    phx_region_set others = {0};
    regions->version = node->map.version;
    regions->own = phx_region_set_of(&node->map, node->def.member.number);
    regions->near = (phx_region_set){0};
    regions->other_count = 0;
    for (uint32_t i = 0; i < node->map.region_count; i++) {
        const uint16_t number = node->map.regions[i].number;
        if (phx_region_set_has(&regions->own, i)) phx_region_set_add_around(&regions->near, grid, i, reach);
        else if (number != 0) phx_region_set_add(&others, i);
    }
    while (phx_region_set_take(&others, grid, &regions->others[regions->other_count])) regions->other_count++;
}

const phx_region_set *phx_halo_regions_of(phx_halo *halo, phx_halo_peer *peer, uint16_t number)
{
    if (peer->regions_version != halo->regions.version) peer->regions = phx_region_set_of(&halo->def.node->map, number);
    peer->regions_version = halo->regions.version;
    return &peer->regions;
}

bool phx_halo_is_beyond(const phx_halo *halo, float x, float y, float distance)
{
    const phx_region_grid *grid = &halo->def.grid;
    const phx_node *node = halo->def.node;
    const phx_region_rect around = phx_halo_rect_around(grid, phx_halo_region(grid, x, y), distance);
    for (uint32_t i = 0; i < around.columns * around.rows; i++) {
        const uint32_t column = around.column + i % around.columns, row = around.row + i / around.columns;
        const uint32_t region = row * grid->columns + column;
        if (node->map.regions[region].number != node->def.member.number) continue;
        float d[2];
        phx_halo_distance(grid, region, x, y, d);
        if (sqrtf(d[0] * d[0] + d[1] * d[1]) < distance) return false;
    }
    return true;
}

/* ---- reached regions ---- */

phx_region_set phx_halo_reached(phx_halo *halo)
{
    phx_region_set reached = halo->regions.near, stood = halo->needs;
    phx_halo_mend_passed(halo, &stood);
    for (uint32_t i = phx_region_set_next(&stood, 0); i < PHX_CLUSTER_REGIONS_MAX;
         i = phx_region_set_next(&stood, i + 1))
        phx_region_set_add_around(&reached, &halo->def.grid, i, halo->def.width);
    return reached;
}

/* ---- searches ---- */

bool phx_halo_search(phx_halo *halo, phx_region_rect rect, float width)
{
    const ph_query box = phx_halo_box(&halo->def.grid, rect, width);
    for (;;) {
        halo->counts.searches++;
        const ph_status status = ph_find(halo->def.world, &box, halo->hits, halo->hit_capacity, &halo->hit_count);
        PHX_ASSERT(status == PH_OK); /* between ticks, and the box is one */
        (void)status;
        if (halo->hit_count <= halo->hit_capacity) return true;
        if (phx_grow(&halo->mem, (void **)&halo->hits, &halo->hit_capacity, 0, halo->hit_count, sizeof *halo->hits))
            continue;
        halo->counts.no_memory++;
        return false;
    }
}

static bool has_region(const phx_region_grid *grid, phx_region_rect rect, uint32_t region)
{
    const uint32_t column = region % grid->columns - rect.column, row = region / grid->columns - rect.row;
    return column < rect.columns && row < rect.rows;
}

/* Own ones of the last search, as its box is a bit wider than the rectangle. false: no memory. */
static bool note_away(const phx_halo *halo, phx_region_rect rect, phx_region_set *needs, phx_halo_away_fn visit,
                      void *user)
{
    const phx_region_grid *grid = &halo->def.grid;
    for (uint32_t i = 0; i < halo->hit_count; i++) {
        ph_attrs attrs;
        const uint64_t id = halo->hits[i].id;
        const phx_halo_entity *entity = phx_halo_find(halo, id);
        if (!entity || !entity->own || ph_entity_get(halo->def.world, id, &attrs) != PH_OK) continue;
        const uint32_t region = phx_halo_region(grid, attrs.x, attrs.y);
        if (!has_region(grid, rect, region)) continue;
        if (!phx_halo_is_beyond(halo, attrs.x, attrs.y, halo->def.margin)) continue;
        phx_region_set_add(needs, region);
        if (visit && !visit(user, id)) return false;
    }
    return true;
}

void phx_halo_find_away(phx_halo *halo, phx_halo_away_fn visit, void *user)
{
    phx_region_set needs = {0};
    bool all = true;
    const float slack = phx_halo_slack(&halo->def.grid);
    phx_halo_read_map(halo);
    for (uint32_t i = 0; all && i < halo->regions.other_count; i++)
        all = phx_halo_search(halo, halo->regions.others[i], slack) &&
              note_away(halo, halo->regions.others[i], &needs, visit, user);
    if (!all) phx_region_set_add_all(&needs, &halo->needs);
    halo->is_short |= !all;
    halo->needs = needs;
}

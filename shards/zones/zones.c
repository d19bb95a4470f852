/*
 * The zones stage of a shard; see zones.h. A step without work left does nothing, so a phase that stopped for want of
 * memory is run again.
 */
#include "shards/zones/zones.h"

void phx_zones_init(phx_zones *zones, phx_mem *mem)
{
    *zones = (phx_zones){0};
    phx_tower_members_init(&zones->tower_members, mem);
    phx_activation_init(&zones->activation, mem);
    phx_area_members_init(&zones->area_members);
}

void phx_zones_drop_activation(phx_zones *zones, phx_mem *mem)
{
    phx_activation_free(&zones->activation, mem);
    zones->activation_on = false;
}

void phx_zones_drop_areas(phx_zones *zones, phx_mem *mem)
{
    phx_area_members_free(&zones->area_members, mem);
    zones->area_members_on = false;
}

/* Frees the memory that activation and areas share. */
void phx_zones_drop(phx_zones *zones, phx_mem *mem)
{
    phx_tower_members_free(&zones->tower_members, mem);
    phx_release(mem, (void **)&zones->dirty, &zones->dirty_capacity, sizeof *zones->dirty);
    zones->dirty_count = 0;
    zones->on = false;
}

void phx_zones_free(phx_zones *zones, phx_mem *mem)
{
    phx_zones_drop(zones, mem);
    phx_zones_drop_activation(zones, mem);
    phx_zones_drop_areas(zones, mem);
    phx_release(mem, (void **)&zones->edges.at, &zones->edges.capacity, sizeof *zones->edges.at);
}

void phx_zones_put_off(phx_zones *zones)
{
    zones->put_off = true;
    phx_area_members_doubt(&zones->area_members);
}

void phx_zones_let_go(phx_zones *zones, uint32_t slot)
{
    phx_tower_members_remove(&zones->tower_members, slot);
    phx_activation_let_go(&zones->activation, slot);
    phx_area_members_let_go(&zones->area_members, slot);
}

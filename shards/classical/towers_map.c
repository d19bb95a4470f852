/*
 * Towers in blocks of 4 x 4, made where an entity is or an observer subscribes; see towers_map.h. By the shard's owner
 * in the index phase; walks by any worker.
 */
#include "shards/classical/towers_map.h"

#include <string.h>

#include "shards/classical/slotset.h"
#include "shards/entity/bounds.h"
#include "shards/entity/list_pool.h"

enum { INSIDE = PHX_TOWERS_MAP_BLOCK_SIDE - 1 };

void phx_towers_map_init(phx_towers_map *map, phx_mem *mem, const phx_kernels *kernels)
{
    map->kernels = kernels;
    map->block_free = PHX_TOWERS_MAP_NONE;
    phx_idmap_init(&map->places, mem);
    phx_list_pool_init(&map->pool);
}

void phx_towers_map_free(phx_towers_map *map, phx_mem *mem)
{
    phx_release(mem, (void **)&map->blocks, &map->blocks_capacity, sizeof(phx_towers_map_block));
    phx_release(mem, (void **)&map->idle, &map->idle_capacity, sizeof(uint32_t));
    phx_release(mem, (void **)&map->syncs, &map->syncs_capacity, sizeof(phx_sync));
    phx_release(mem, (void **)&map->synced, &map->synced_capacity, sizeof(uint32_t));
    phx_idmap_free(&map->places);
    phx_list_pool_free(&map->pool, mem);
}

/* ---- blocks ---- */

static uint64_t towers_map_block_key(uint32_t bx, uint32_t by)
{
    return ((uint64_t)by << 16 | bx) + 1;
}

static const phx_towers_map_block *find_block(const phx_towers_map *map, uint32_t bx, uint32_t by)
{
    const uint64_t *at = phx_idmap_find(&map->places, towers_map_block_key(bx, by));
    return at ? &map->blocks[*at] : NULL;
}

static void queue_idle(phx_towers_map *map, uint32_t block)
{
    if (map->blocks[block].idle) return;
    PHX_ASSERT(map->idle_count < map->idle_capacity);
    map->blocks[block].idle = true;
    map->idle[map->idle_count++] = block;
}

/* Makes an empty block, idle until it is used. false = no memory. */
static bool make_towers_map_block(phx_towers_map *map, phx_mem *mem, uint32_t bx, uint32_t by)
{
    if (!phx_idmap_reserve(&map->places, phx_idmap_count(&map->places) + 1)) return false;
    uint32_t block = map->block_free;
    if (block == PHX_TOWERS_MAP_NONE) {
        if (!phx_grow(mem, (void **)&map->blocks, &map->blocks_capacity, map->block_count, (size_t)map->block_count + 1,
                      sizeof(phx_towers_map_block)) ||
            !phx_grow(mem, (void **)&map->idle, &map->idle_capacity, map->idle_count, map->blocks_capacity,
                      sizeof(uint32_t)))
            return false;
        block = map->block_count++;
    } else {
        map->block_free = map->blocks[block].next;
    }
    map->blocks[block] = (phx_towers_map_block){.bx = (uint16_t)bx, .by = (uint16_t)by};
    for (uint32_t i = 0; i < PHX_TOWERS_MAP_BLOCK_TOWERS; i++)
        map->blocks[block].tower[i].objects = map->blocks[block].tower[i].subscribers = phx_slotset_empty();
    phx_idmap_insert(&map->places, towers_map_block_key(bx, by), block);
    map->live_count++;
    queue_idle(map, block);
    return true;
}

static void free_block(phx_towers_map *map, uint32_t block)
{
    phx_towers_map_block *at = &map->blocks[block];
    phx_idmap_remove(&map->places, towers_map_block_key(at->bx, at->by));
    for (uint32_t i = 0; i < PHX_TOWERS_MAP_BLOCK_TOWERS; i++) { /* the sets are empty, but room may have been made */
        phx_list_release(&map->pool, &at->tower[i].objects);
        phx_list_release(&map->pool, &at->tower[i].subscribers);
    }
    at->next = map->block_free;
    map->block_free = block;
    map->live_count--;
}

void phx_towers_map_begin(phx_towers_map *map)
{
    for (uint32_t i = 0; i < map->idle_count; i++) {
        map->blocks[map->idle[i]].idle = false;
        if (map->blocks[map->idle[i]].used == 0) free_block(map, map->idle[i]);
    }
    map->idle_count = map->sync_count = map->synced_count = 0;
}

/* ---- towers ---- */

uint32_t phx_towers_map_find(const phx_towers_map *map, uint16_t tx, uint16_t ty)
{
    const phx_towers_map_block *block =
        find_block(map, tx >> PHX_TOWERS_MAP_BLOCK_BITS, ty >> PHX_TOWERS_MAP_BLOCK_BITS);
    if (!block) return PHX_TOWERS_MAP_NONE;
    uint32_t inside = (uint32_t)(ty & INSIDE) << PHX_TOWERS_MAP_BLOCK_BITS | (tx & INSIDE);
    return (uint32_t)(block - map->blocks) * PHX_TOWERS_MAP_BLOCK_TOWERS + inside;
}

static phx_list *towers_map_tower_set(phx_towers_map *map, uint32_t tower, bool subscriber)
{
    phx_towers_map_tower *at = phx_towers_map_tower_at(map, tower);
    return subscriber ? &at->subscribers : &at->objects;
}

bool phx_towers_map_need(phx_towers_map *map, phx_mem *mem, uint16_t tx, uint16_t ty, bool subscriber)
{
    uint32_t tower = phx_towers_map_find(map, tx, ty);
    if (tower == PHX_TOWERS_MAP_NONE) {
        if (!make_towers_map_block(map, mem, tx >> PHX_TOWERS_MAP_BLOCK_BITS, ty >> PHX_TOWERS_MAP_BLOCK_BITS))
            return false;
        tower = phx_towers_map_find(map, tx, ty);
    }
    return phx_slotset_room(&map->pool, mem, towers_map_tower_set(map, tower, subscriber));
}

void phx_towers_map_add(phx_towers_map *map, uint16_t tx, uint16_t ty, bool subscriber, uint32_t slot)
{
    uint32_t tower = phx_towers_map_find(map, tx, ty);
    phx_slotset_add(&map->pool, towers_map_tower_set(map, tower, subscriber), slot);
    map->blocks[tower / PHX_TOWERS_MAP_BLOCK_TOWERS].used++;
}

void phx_towers_map_remove(phx_towers_map *map, phx_mem *mem, uint16_t tx, uint16_t ty, bool subscriber, uint32_t slot)
{
    uint32_t tower = phx_towers_map_find(map, tx, ty), block = tower / PHX_TOWERS_MAP_BLOCK_TOWERS;
    phx_slotset_remove(&map->pool, mem, map->kernels, towers_map_tower_set(map, tower, subscriber), slot);
    if (--map->blocks[block].used == 0) queue_idle(map, block);
}

/* ---- sync lists ---- */

bool phx_towers_map_reserve_syncs(phx_towers_map *map, phx_mem *mem, uint32_t changes)
{
    size_t room = 2 * (size_t)changes;
    return phx_grow(mem, (void **)&map->syncs, &map->syncs_capacity, map->sync_count, room, sizeof(phx_sync)) &&
           phx_grow(mem, (void **)&map->synced, &map->synced_capacity, map->synced_count, room, sizeof(uint32_t));
}

void phx_towers_map_sync(phx_towers_map *map, uint16_t tx, uint16_t ty, uint32_t slot, uint64_t tick, bool notify)
{
    uint32_t tower = phx_towers_map_find(map, tx, ty);
    phx_towers_map_tower *at = phx_towers_map_tower_at(map, tower);
    at->moved = (uint32_t)tick;
    if (!notify) return;
    if (at->synced != tick) {
        PHX_ASSERT(map->synced_count < map->synced_capacity);
        map->synced[map->synced_count++] = tower;
        at->synced = tick;
        at->sync = PHX_TOWERS_MAP_NONE;
    }
    PHX_ASSERT(map->sync_count < map->syncs_capacity);
    map->syncs[map->sync_count] = (phx_sync){slot, at->sync};
    at->sync = map->sync_count++;
}

/* ---- walks ---- */

/* The block's towers in the rectangle, as a set; none if it does not meet it. */
static uint64_t towers_in(const phx_towers_map_block *block, phx_rect rect)
{
    uint32_t x = (uint32_t)block->bx << PHX_TOWERS_MAP_BLOCK_BITS, y = (uint32_t)block->by << PHX_TOWERS_MAP_BLOCK_BITS;
    uint64_t set = 0;
    if (rect.x1 < x || rect.y1 < y || rect.x0 > x + INSIDE || rect.y0 > y + INSIDE) return 0;
    uint32_t x0 = rect.x0 > x ? rect.x0 - x : 0, y0 = rect.y0 > y ? rect.y0 - y : 0;
    uint32_t x1 = rect.x1 - x < INSIDE ? rect.x1 - x : INSIDE, y1 = rect.y1 - y < INSIDE ? rect.y1 - y : INSIDE;
    uint64_t line = ((2u << x1) - 1) & ~((1u << x0) - 1);
    for (uint32_t row = y0; row <= y1; row++) set |= line << (row << PHX_TOWERS_MAP_BLOCK_BITS);
    return set;
}

phx_towers_map_walk phx_towers_map_open(const phx_towers_map *map, phx_rect rect)
{
    phx_towers_map_walk walk = {.map = map, .rect = rect};
    walk.bx = rect.x0 >> PHX_TOWERS_MAP_BLOCK_BITS;
    walk.by = rect.y0 >> PHX_TOWERS_MAP_BLOCK_BITS;
    uint64_t width = (uint64_t)(rect.x1 >> PHX_TOWERS_MAP_BLOCK_BITS) - walk.bx + 1;
    uint64_t height = (uint64_t)(rect.y1 >> PHX_TOWERS_MAP_BLOCK_BITS) - walk.by + 1;
    walk.all = width * height > map->block_count;
    return walk;
}

static bool next_block(phx_towers_map_walk *walk)
{
    const phx_towers_map *map = walk->map;
    uint32_t last_x = walk->rect.x1 >> PHX_TOWERS_MAP_BLOCK_BITS, last_y = walk->rect.y1 >> PHX_TOWERS_MAP_BLOCK_BITS;
    if (walk->all) {
        if (walk->next == map->block_count) return false;
        walk->block = &map->blocks[walk->next++];
        bool live = find_block(map, walk->block->bx, walk->block->by) == walk->block;
        walk->left = live ? towers_in(walk->block, walk->rect) : 0;
        return true;
    }
    if (walk->by > last_y) return false;
    walk->block = find_block(map, walk->bx, walk->by);
    walk->left = walk->block ? towers_in(walk->block, walk->rect) : 0;
    if (walk->bx < last_x) {
        walk->bx++;
    } else {
        walk->bx = walk->rect.x0 >> PHX_TOWERS_MAP_BLOCK_BITS;
        walk->by++;
    }
    return true;
}

const phx_towers_map_tower *phx_towers_map_next(phx_towers_map_walk *walk)
{
    while (walk->left == 0)
        if (!next_block(walk)) return NULL;
    uint32_t i = (uint32_t)__builtin_ctzll(walk->left);
    walk->left &= walk->left - 1;
    walk->tx = (uint16_t)(((uint32_t)walk->block->bx << PHX_TOWERS_MAP_BLOCK_BITS) + (i & INSIDE));
    walk->ty = (uint16_t)(((uint32_t)walk->block->by << PHX_TOWERS_MAP_BLOCK_BITS) + (i >> PHX_TOWERS_MAP_BLOCK_BITS));
    return &walk->block->tower[i];
}

bool phx_towers_map_valid(const phx_towers_map *map)
{
    uint32_t live = 0;
    for (uint32_t b = 0; b < map->block_count; b++) {
        const phx_towers_map_block *block = &map->blocks[b];
        uint32_t used = 0;
        if (find_block(map, block->bx, block->by) != block) continue;
        live++;
        for (uint32_t i = 0; i < PHX_TOWERS_MAP_BLOCK_TOWERS; i++)
            used += block->tower[i].objects.count + block->tower[i].subscribers.count;
        if (used != block->used || (used == 0 && !block->idle)) return false;
    }
    return live == map->live_count && live == phx_idmap_count(&map->places);
}

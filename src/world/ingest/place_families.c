/*
 * Attached entities move to their roots; see place_families.h.
 */
#include "world/ingest/place_families.h"

#include "shards/ingest/commands.h"
#include "shards/ingest/moves.h"
#include "world/ingest/followers.h"
#include "world/table/instance_counts.h"

/* false = no memory. */
static bool put_in_instance(phx_world *world, phx_shard *shard, uint32_t slot, uint32_t instance)
{
    phx_attr attr = *phx_store_attr(&shard->store, slot);
    if (!phx_instances_reserve(&world->instances)) return false;
    phx_instances_remove(&world->instances, attr.instance);
    phx_instances_add(&world->instances, instance);
    attr.instance = instance;
    phx_shard_set(shard, slot, &attr);
    return true;
}

/* Moves the entity of one home to the position and instance of another one's. false = no memory. */
static bool place_at(phx_world *world, uint64_t id, uint64_t home, uint64_t root)
{
    const phx_store *other = &world->shards[phx_home_shard(root)].store;
    phx_shard *shard = &world->shards[phx_home_shard(home)];
    const uint32_t slot = phx_home_slot(home), instance = phx_store_instance(other, phx_home_slot(root));
    const phx_body at = other->body[phx_home_slot(root)], *now = &shard->store.body[slot];
    const bool stays = instance == phx_store_instance(&shard->store, slot);
    if (now->x == at.x && now->y == at.y && now->z == at.z && stays) return true;
    if (!phx_shard_ready(shard, 1)) return false;
    if (!stays && !put_in_instance(world, shard, slot, instance)) return false;
    phx_shard_move(shard, slot, at.x, at.y, at.z);
    phx_note_follower(world, id);
    return true;
}

bool phx_ingest_place_at_root(phx_world *world, uint64_t child)
{
    const phx_directory *directory = &world->directory;
    const uint64_t root = phx_attach_root(&world->attach, child);
    return place_at(world, child, phx_directory_find(directory, child), phx_directory_find(directory, root));
}

static uint64_t home_of_root(const phx_world *world, const phx_attach_links *family)
{
    const uint64_t home = phx_directory_find(&world->directory, family->parent);
    if (!(home & PHX_HOME_ATTACHED)) return home;
    return phx_directory_find(&world->directory, phx_attach_root(&world->attach, family->parent));
}

/* first: the home of the first child. */
static bool place_family(phx_world *world, const phx_attach_links *family, uint64_t first, uint64_t root)
{
    bool all = place_at(world, family->children[0], first, root);
    for (uint32_t i = 1; i < family->count; i++) {
        const uint64_t child = family->children[i];
        all &= place_at(world, child, phx_directory_find(&world->directory, child), root);
    }
    return all;
}

static void prefetch_body(const phx_world *world, uint64_t home)
{
    __builtin_prefetch(&world->shards[phx_home_shard(home)].store.body[phx_home_slot(home)]);
}

/* So many families at most, none of which is free. Their lines are asked for side by side. */
enum { FAMILIES_AT_ONCE = 32 };

static bool place_families(phx_world *world, const phx_attach_links *const *families, uint32_t count)
{
    const phx_directory *directory = &world->directory;
    uint64_t root[FAMILIES_AT_ONCE], first[FAMILIES_AT_ONCE];
    bool all = true;
    for (uint32_t i = 0; i < count; i++) {
        phx_directory_prefetch(directory, families[i]->parent);
        __builtin_prefetch(families[i]->children);
    }
    for (uint32_t i = 0; i < count; i++) {
        root[i] = home_of_root(world, families[i]);
        prefetch_body(world, root[i]);
        phx_directory_prefetch(directory, families[i]->children[0]);
    }
    for (uint32_t i = 0; i < count; i++) {
        first[i] = phx_directory_find(directory, families[i]->children[0]);
        prefetch_body(world, first[i]);
    }
    for (uint32_t i = 0; i < count; i++) all &= place_family(world, families[i], first[i], root[i]);
    return all;
}

bool phx_ingest_place_children(phx_world *world, uint64_t id)
{
    const phx_attach_links *family = phx_attach_children(&world->attach, id);
    return !family || place_families(world, &family, 1);
}

bool phx_ingest_place_all(phx_world *world)
{
    const phx_attach *attach =
        &world->attach; /* in the order of families, which depends on no hash table, so on no hash_seed */
    const phx_attach_links *families[FAMILIES_AT_ONCE];
    uint32_t n = 0;
    bool all = true;
    for (uint32_t i = 0; i < attach->family_count; i++) {
        if (attach->families[i].count > 0) families[n++] = &attach->families[i];
        if (n < FAMILIES_AT_ONCE && i + 1 < attach->family_count) continue;
        all &= place_families(world, families, n);
        n = 0;
    }
    return all;
}

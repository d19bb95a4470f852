/*
 * Commands of relations and attachments; see ingest_relations.h. A relation is stored with its observer's shard; the
 * world has the reverse (table/relation_index.h) and the chains (table/attachments.h).
 */
#include "world/ingest/ingest_relations.h"

#include "shards/ingest/commands.h"
#include "world/ingest/followers.h"
#include "world/ingest/place_families.h"
#include "world/table/instance_counts.h"

/* The shard and slot of an id that is in the world. */
static phx_shard *must_find(const phx_world *world, uint64_t id, uint32_t *slot)
{
    phx_shard *shard = NULL;
    *slot = PHX_SLOT_NONE;
    bool known = phx_world_find(world, id, &shard, slot);
    PHX_ASSERT(known);
    (void)known;
    return shard;
}

/* ---- pairs, links, hides, reveals ---- */

static phx_relation relation_now(const phx_shard *shard, uint32_t observer, uint64_t target)
{
    const phx_relation *now = phx_relation_find(phx_relations_of(&shard->relations, observer), target);
    return now ? *now : (phx_relation){.target = target};
}

phx_relation phx_ingest_relation_now(const phx_world *world, uint64_t observer, uint64_t target)
{
    uint32_t slot;
    const phx_shard *shard = must_find(world, observer, &slot);
    return relation_now(shard, slot, target);
}

/* The relations of an entity, or NULL. */
static const phx_relation_set *relations_of_id(const phx_world *world, uint64_t id)
{
    uint32_t slot;
    const phx_shard *shard = must_find(world, id, &slot);
    return phx_relations_of(&shard->relations, slot);
}

/* Two entities that are in the world, where they were found. */
typedef struct two_found {
    phx_shard *shard, *of_target;
    uint32_t observer, target; /* slots */
} two_found;

/*
 * The index has a relation to which there is none back. So the first of two relations adds itself, and the second one
 * removes it from there; the first one that ends adds the other one again. begins: there was none.
 */
static bool put_relation(phx_world *world, const two_found *of, phx_relation item, bool begins)
{
    const uint64_t observer = of->shard->store.name[of->observer].id;
    const bool ends = item.bits == 0;
    if (of->shard == of->of_target) item.slot = of->target;
    phx_relation *back =
        phx_relation_find(phx_relations_of(&of->of_target->relations, of->target), observer); /* stays where it is */
    const uint64_t to = back ? observer : item.target, from = back ? item.target : observer;
    const bool changes = begins || ends, adds = changes && begins == !back;
    item.back = back != NULL;
    phx_relation_index *index = &world->relation_index;
    if (adds && !phx_relation_index_add(index, to, from)) return false;
    const bool put = phx_shard_relate(of->shard, of->observer, item);
    if (put ? changes && !adds : adds) phx_relation_index_remove(index, to, from);
    if (!put || !back || !changes) return put;
    back->back = begins;
    index->mutual += begins ? 1 : UINT64_MAX; /* one less */
    return true;
}

bool phx_ingest_put_relation(phx_world *world, uint64_t observer, phx_relation item)
{
    two_found of;
    of.shard = must_find(world, observer, &of.observer);
    const bool begins = relation_now(of.shard, of.observer, item.target).bits == 0;
    if (begins && item.bits == 0) return true; /* an import that is undone: the target may have left before */
    of.of_target = must_find(world, item.target, &of.target);
    return put_relation(world, &of, item, begins);
}

/* The bit of the relation that a command begins or ends. */
static uint32_t bit_of(phx_op op, bool *ends)
{
    *ends = op == PHX_OP_UNPAIR || op == PHX_OP_UNLINK || op == PHX_OP_UNHIDE || op == PHX_OP_UNREVEAL;
    if (op == PHX_OP_PAIR || op == PHX_OP_UNPAIR) return PHX_RELATION_PAIR;
    if (op == PHX_OP_LINK || op == PHX_OP_UNLINK) return PHX_RELATION_LINK;
    return op == PHX_OP_HIDE || op == PHX_OP_UNHIDE ? PHX_RELATION_HIDE : PHX_RELATION_REVEAL;
}

ph_status phx_ingest_relate(phx_world *world, phx_op op, const phx_command_two_ids *command)
{
    two_found of;
    if (!phx_world_find(world, command->id, &of.shard, &of.observer)) return PH_UNKNOWN_ID;
    if (!phx_world_find(world, command->other, &of.of_target, &of.target)) return PH_UNKNOWN_ID;
    phx_relation item = relation_now(of.shard, of.observer, command->other);
    uint32_t before = item.bits;
    bool ends;
    uint32_t bit = bit_of(op, &ends);
    if (ends && !(before & bit)) return PH_ABSENT;
    item.bits = (uint8_t)(ends ? before & ~bit : before | bit);
    if (op == PHX_OP_PAIR) {
        item.view = command->view;
        item.margin = command->margin;
    }
    return put_relation(world, &of, item, before == 0) ? PH_OK : PH_NO_MEMORY;
}

static bool ready_to_relate(phx_world *world, uint64_t observer)
{
    uint32_t slot;
    phx_shard *shard = must_find(world, observer, &slot);
    return phx_shard_ready_to_relate(shard, slot);
}

/* Makes the observers ready that have a relation to it, which then ends without memory. false = no memory. */
static bool ready_related_observers(phx_world *world, uint64_t id)
{
    const phx_relation_observers *tie = phx_relation_index_of(&world->relation_index, id);
    for (uint32_t i = 0; tie && i < tie->count; i++)
        if (!ready_to_relate(world, tie->observers[i])) return false;
    const phx_relation_set *set = relations_of_id(world, id);
    for (uint32_t i = 0; set && i < set->count; i++) {
        const phx_relation *own = &set->items[i];
        if (own->bits != 0 && own->back && !ready_to_relate(world, own->target)) return false;
    }
    return true;
}

static void end_relation(phx_world *world, uint64_t observer, uint64_t target)
{
    uint32_t slot;
    phx_shard *shard = must_find(world, observer, &slot);
    phx_relation item = relation_now(shard, slot, target);
    item.bits = 0;
    bool ended = phx_shard_relate(shard, slot, item);
    PHX_ASSERT(ended); /* ending a relation of an observer that is ready for it needs no memory */
    (void)ended;
}

/* Ends all relations to an entity; its own ones go with it. */
static void end_relations(phx_world *world, uint64_t id)
{
    phx_relation_index *index = &world->relation_index;
    const phx_relation_observers *tie;
    while ((tie = phx_relation_index_of(index, id)) != NULL) {
        uint64_t observer = tie->observers[tie->count - 1];
        end_relation(world, observer, id);
        phx_relation_index_remove(index, id, observer);
    }
    const phx_relation_set *set = relations_of_id(world, id);
    for (uint32_t i = 0; set && i < set->count; i++) {
        const phx_relation *own = &set->items[i];
        if (own->bits == 0) continue;
        if (own->back) {
            end_relation(world, own->target, id);
            index->mutual--;
        } else {
            phx_relation_index_remove(index, own->target, id);
        }
    }
}

/* ---- attachments ---- */

static void mark_attached(phx_world *world, uint64_t child, bool attached)
{
    uint64_t home = phx_directory_find(&world->directory, child) & ~PHX_HOME_ATTACHED;
    phx_directory_set(&world->directory, child, attached ? home | PHX_HOME_ATTACHED : home);
}

/* Sets the depth of the entity, and of all entities attached below it. */
static void set_subtree_depth(phx_world *world, uint64_t id, uint32_t depth)
{
    const phx_attach_links *family = phx_attach_children(&world->attach, id);
    phx_depths_set(&world->depths, id, depth);
    for (uint32_t i = 0; family && i < family->count; i++) set_subtree_depth(world, family->children[i], depth + 1);
}

static bool is_remote_entity(const phx_world *world, uint64_t id)
{
    uint32_t slot;
    const phx_shard *shard = must_find(world, id, &slot);
    return phx_store_attr(&shard->store, slot)->remote;
}

ph_status phx_ingest_attach(phx_world *world, const phx_command_two_ids *command)
{
    uint64_t child = command->id, parent = command->other;
    phx_attach *attach = &world->attach;
    if (!phx_directory_has(&world->directory, child)) return PH_UNKNOWN_ID;
    if (!phx_directory_has(&world->directory, parent)) return PH_UNKNOWN_ID;
    uint64_t before = phx_attach_parent(attach, child);
    if (before == parent) return PH_OK;
    if (is_remote_entity(world, child) != is_remote_entity(world, parent)) return PH_BAD_VALUE;
    ph_status status = phx_attach_check(attach, child, parent);
    if (status != PH_OK) return status;
    uint32_t slot;
    if (!phx_depths_reserve(&world->depths) || !phx_instances_reserve(&world->instances)) return PH_NO_MEMORY;
    if (!phx_shard_ready(must_find(world, child, &slot), 1)) return PH_NO_MEMORY;
    if (before != 0) phx_attach_remove(attach, child);
    if (!phx_attach_put(attach, child, parent)) {
        bool put = before == 0 || phx_attach_put(attach, child, before);
        PHX_ASSERT(put); /* its room was freed just before */
        (void)put;
        return PH_NO_MEMORY;
    }
    mark_attached(world, child, true);
    set_subtree_depth(world, child, phx_depths_now(&world->depths, parent) + 1);
    phx_note_follower(world, child);
    bool placed = phx_ingest_place_at_root(world, child);
    PHX_ASSERT(placed);
    (void)placed;
    return PH_OK;
}

/* Ends the attachment of a child that stands at its root. */
static void detach_child(phx_world *world, uint64_t child)
{
    phx_attach_remove(&world->attach, child);
    mark_attached(world, child, false);
    phx_note_follower(world, child);
    set_subtree_depth(world, child, 0);
}

static void detach_children(phx_world *world, uint64_t id)
{
    const phx_attach_links *family;
    while ((family = phx_attach_children(&world->attach, id)) != NULL) detach_child(world, family->children[0]);
}

ph_status phx_ingest_detach(phx_world *world, const phx_command_id *command)
{
    if (!phx_directory_has(&world->directory, command->id)) return PH_UNKNOWN_ID;
    if (phx_attach_parent(&world->attach, command->id) == 0) return PH_ABSENT;
    if (!phx_ingest_place_at_root(world, command->id)) return PH_NO_MEMORY;
    detach_child(world, command->id);
    return PH_OK;
}

bool phx_ingest_place_relatives(phx_world *world, uint64_t id)
{
    return phx_ingest_place_children(world, id) &&
           (phx_attach_parent(&world->attach, id) == 0 || phx_ingest_place_at_root(world, id));
}

void phx_ingest_detach_relatives(phx_world *world, uint64_t id)
{
    detach_children(world, id);
    if (phx_attach_parent(&world->attach, id) != 0) detach_child(world, id);
}

ph_status phx_ingest_release_all(phx_world *world, uint64_t id)
{
    phx_attach *attach = &world->attach;
    /* all are placed before any is detached */
    if (!phx_ingest_place_children(world, id) || !ready_related_observers(world, id)) return PH_NO_MEMORY;
    detach_children(world, id);
    if (phx_attach_parent(attach, id) != 0) {
        phx_attach_remove(attach, id);
        phx_depths_set(&world->depths, id, 0);
    }
    end_relations(world, id);
    return PH_OK;
}

/*
 * Writes capsules; see export.h. The members of a family, parents first, into the caller's memory, where lists are put
 * in order in place.
 */
#include "world/read/export.h"

#include <string.h>

#include "shards/entity/heap.h"
#include "world/read/capsule_words.h"
#include "world/read/query.h"

/* A capsule that is being written. */
typedef struct capsule_draft {
    phx_world *world;
    const phx_stays *stays;
    phx_capsule_words out;
    uint32_t members;
    bool lists; /* with lists: else they are owed */
    ph_status status;
} capsule_draft;

enum { WORD = PHX_CAPSULE_WORD };

/* Room behind what is written, all zero; NULL: no memory. Earlier pointers end. */
static void *add_bytes(capsule_draft *draft, size_t bytes)
{
    void *at = draft->status == PH_OK ? phx_capsule_words_add(&draft->out, bytes) : NULL;
    if (!at && draft->status == PH_OK) draft->status = PH_NO_MEMORY;
    return at;
}

/* ---- records of a member ---- */

static bool add_target(void *user, const phx_shard *shard, uint32_t slot)
{
    capsule_draft *draft = user;
    const phx_name *name = &shard->store.name[slot];
    phx_capsule_target *target = add_bytes(draft, sizeof *target);
    if (!target) return false;
    *target = (phx_capsule_target){.id = name->id,
                                   .user_data = phx_store_user_data(&shard->store, slot),
                                   .stay = phx_stay_of(draft->stays, name->id),
                                   .kind = name->kind};
    return true;
}

static bool target_behind(const phx_capsule_target *a, const phx_capsule_target *b)
{
    return a->id > b->id;
}

static uint32_t add_list(capsule_draft *draft, uint64_t id)
{
    const uint32_t first = draft->out.used;
    if (!draft->lists || phx_query_each_listed(draft->world, id, add_target, draft) != PH_OK) return 0;
    const uint32_t count = (draft->out.used - first) * WORD / (uint32_t)sizeof(phx_capsule_target);
    PHX_HEAP_SORT(phx_capsule_target, (phx_capsule_target *)(void *)(draft->out.at + first), count, target_behind);
    return count;
}

static bool relation_behind(const phx_capsule_relation *a, const phx_capsule_relation *b)
{
    return a->target > b->target;
}

static uint32_t add_relations(capsule_draft *draft, const phx_shard *shard, uint32_t slot)
{
    const phx_relation_set *set = phx_relations_of(&shard->relations, slot);
    phx_capsule_relation *to = set ? add_bytes(draft, set->count * sizeof *to) : NULL;
    if (!to) return 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const phx_relation *item = &set->items[i];
        const bool paired = item->bits & PHX_RELATION_PAIR;
        to[i] = (phx_capsule_relation){.target = item->target,
                                       .view = paired ? item->view : 0.0f,
                                       .margin = paired ? item->margin : 0.0f,
                                       .bits = item->bits};
    }
    PHX_HEAP_SORT(phx_capsule_relation, to, set->count, relation_behind);
    return set->count;
}

static bool area_id_behind(const uint64_t *a, const uint64_t *b)
{
    return *a > *b;
}

static uint32_t add_areas(capsule_draft *draft, const phx_shard *shard, uint32_t slot)
{
    const uint32_t *places = NULL, count = phx_area_members_of(&shard->zones.area_members, slot, &places);
    uint64_t *to = count > 0 ? add_bytes(draft, count * sizeof *to) : NULL;
    if (!to) return 0;
    for (uint32_t i = 0; i < count; i++) to[i] = draft->world->areas.at[places[i]].id;
    PHX_HEAP_SORT(uint64_t, to, count, area_id_behind);
    return count;
}

static bool update_behind(const phx_capsule_deferred *a, const phx_capsule_deferred *b)
{
    return a->id > b->id;
}

/* The age of a tick of which the low half is known. */
static uint32_t age_of(const phx_world *world, uint32_t tick)
{
    return (uint32_t)world->tick - tick + 1;
}

static uint32_t add_deferred(capsule_draft *draft, const phx_shard *shard, uint32_t slot)
{
    const phx_bands *bands = &shard->bands;
    if (!draft->lists || !bands->live || slot >= bands->deferred_capacity) return 0;
    const uint32_t *words = phx_list_entries(&bands->pool, &bands->deferred[slot]);
    uint32_t count = 0, first = draft->out.used;
    for (uint32_t i = 0; i < bands->deferred[slot].count; i += 2) {
        if (!(shard->store.body[words[i]].state & PHX_SLOT_LIVE)) continue; /* it left: nothing is due */
        phx_capsule_deferred *to = add_bytes(draft, sizeof *to);
        if (!to) return 0;
        *to = (phx_capsule_deferred){.id = shard->store.name[words[i]].id, .age = age_of(draft->world, words[i + 1])};
        count++;
    }
    PHX_HEAP_SORT(phx_capsule_deferred, (phx_capsule_deferred *)(void *)(draft->out.at + first), count, update_behind);
    return count;
}

/* ---- members ---- */

/*
 * May an edge of it wait for its consumer? The edge that closes it would be the other world's, so both have to come
 * from one.
 */
static bool edges_behind(const phx_world *world, const phx_capsule_member *member)
{
    if (world->def.consumers == 0 || (member->areas == 0 && !(member->flags & PHX_CAPSULE_AWAKE))) return false;
    return phx_consumer_count(world->consumers[member->consumer].consumer).edges_pending > 0;
}

/* Its consumer has not got all of its events. */
static bool consumer_behind(const phx_world *world, uint32_t consumer)
{
    if (world->def.consumers == 0) return false;
    return world->consumers[consumer].renews || phx_consumer_count(world->consumers[consumer].consumer).is_pending;
}

static void fill_attrs(const phx_shard *shard, uint32_t slot, phx_capsule_member *member)
{
    const phx_body *body = &shard->store.body[slot];
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    *member = (phx_capsule_member){.id = shard->store.name[slot].id,
                                   .user_data = phx_store_user_data(&shard->store, slot),
                                   .layers = attr->layers,
                                   .sees = attr->sees,
                                   .x = body->x,
                                   .y = body->y,
                                   .z = body->z,
                                   .view = attr->view,
                                   .margin = attr->margin,
                                   .reach = attr->reach,
                                   .visible = attr->visible,
                                   .cap = attr->cap,
                                   .given = attr->given,
                                   .instance = attr->instance,
                                   .kind = attr->kind,
                                   .consumer = attr->consumer,
                                   .stealth = attr->stealth,
                                   .detect = attr->detect,
                                   .priority = attr->priority};
    member->flags = (uint8_t)((attr->global ? PHX_CAPSULE_GLOBAL : 0) | (attr->veiled ? PHX_CAPSULE_VEILED : 0) |
                              (attr->ready ? PHX_CAPSULE_READY : 0));
}

/* What the world remembers of it. */
static void fill_state(const capsule_draft *draft, const phx_shard *shard, uint32_t slot, phx_capsule_member *member)
{
    const phx_world *world = draft->world;
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    const phx_activation *activation = &shard->zones.activation;
    const uint64_t *shrunk = phx_idmap_find(&world->crowd.shrunk, member->id);
    const bool owed = shard->store.tail[slot].list.owed || consumer_behind(world, attr->consumer);
    if (shard->store.name[slot].fresh) member->flags |= PHX_CAPSULE_FRESH;
    if (attr->ready && (owed || !draft->lists)) member->flags |= PHX_CAPSULE_OWED;
    if (phx_activation_is(activation, slot)) {
        const uint64_t since = activation->sleepers[slot].alone_since;
        member->flags |= PHX_CAPSULE_AWAKE;
        if (since > 0) member->alone = (uint32_t)(world->tick - since) + 1;
    }
    if (shrunk) {
        const uint32_t bits = (uint32_t)*shrunk;
        member->step = (uint8_t)(*shrunk >> 32);
        memcpy(&member->view, &bits, sizeof bits);
    }
    if (!shard->bands.live) return;
    const uint32_t moved = shard->bands.histories[slot].moved;
    if (moved != 0 && age_of(world, moved) <= PH_BAND_EVERY_MAX) member->moved = age_of(world, moved);
}

/* Does its shard owe something that there was no memory for? */
static bool shard_in_debt(const phx_shard *shard)
{
    return shard->zones.put_off || shard->zones.edges.held > 0 || shard->storage != shard->rules_storage;
}

static void add_member(capsule_draft *draft, uint64_t id, uint32_t parent);

static void add_children(capsule_draft *draft, uint64_t id, uint32_t place)
{
    const phx_attach_links *children = phx_attach_children(&draft->world->attach, id);
    for (uint32_t i = 0; children && draft->status == PH_OK && i < children->count; i++)
        add_member(draft, children->children[i], place);
}

/* Adds an entity, and all that is attached below it. The depth is bounded (PH_ATTACH_DEPTH_MAX). */
static void add_member(capsule_draft *draft, uint64_t id, uint32_t parent) /* NOLINT(misc-no-recursion): bounded */
{
    phx_shard *shard = NULL;
    uint32_t slot = 0;
    const bool known = phx_world_find(draft->world, id, &shard, &slot);
    PHX_ASSERT(known);
    (void)known;
    PHX_ASSERT(!phx_store_attr(&shard->store, slot)->remote); /* as the root is: a family is of one kind */
    if (shard_in_debt(shard)) draft->status = PH_BUSY;
    else if (draft->members == UINT16_MAX) draft->status = PH_TOO_LARGE;
    phx_capsule_member member;
    const uint32_t at = draft->out.used, place = draft->members;
    if (!add_bytes(draft, sizeof member)) return;
    fill_attrs(shard, slot, &member);
    fill_state(draft, shard, slot, &member);
    member.parent = (uint16_t)parent;
    member.targets = add_list(draft, id);
    member.relations = add_relations(draft, shard, slot);
    member.areas = add_areas(draft, shard, slot);
    member.deferred = add_deferred(draft, shard, slot);
    if (draft->status == PH_OK && edges_behind(draft->world, &member)) draft->status = PH_BUSY;
    memcpy(draft->out.at + at, &member, sizeof member);
    draft->members++;
    add_children(draft, id, place);
}

/* Writes the whole capsule into the draft. */
static void write_draft(capsule_draft *draft, uint64_t root, bool lists)
{
    phx_capsule_head head = {.magic = PHX_CAPSULE_MAGIC, .format = PHX_CAPSULE_FORMAT};
    draft->out.used = draft->members = 0;
    draft->lists = lists;
    (void)add_bytes(draft, sizeof head);
    if (draft->status == PH_OK) add_member(draft, root, 0);
    if (!add_bytes(draft, WORD)) return;
    head.members = (uint16_t)draft->members;
    head.bytes = draft->out.used * WORD;
    memcpy(draft->out.at, &head, sizeof head);
    phx_capsule_seal(draft->out.at, (size_t)(draft->out.used - 1) * WORD);
}

/* Is the world between two steps that only belong together? */
static bool half_way(const phx_world *world)
{
    return world->begun || world->any_outside || world->crowd.put_off || world->reclass;
}

static bool is_remote(const phx_world *world, uint64_t id)
{
    phx_shard *shard = NULL;
    uint32_t slot = 0;
    return phx_world_find(world, id, &shard, &slot) && phx_store_attr(&shard->store, slot)->remote;
}

ph_status phx_export(phx_world *world, uint64_t id, const phx_stays *stays, void *capsule, size_t size, size_t *bytes)
{
    capsule_draft draft = {
        .world = world, .stays = stays, .out = phx_capsule_words_of(&world->mem, capsule, size), .status = PH_OK};
    *bytes = 0;
    if (!phx_directory_has(&world->directory, id)) return PH_UNKNOWN_ID;
    if (half_way(world)) return PH_BUSY;
    if (phx_attach_parent(&world->attach, id) != 0) return PH_ATTACHED;
    if (is_remote(world, id)) return PH_BAD_VALUE;
    write_draft(&draft, id, true);
    if (draft.status == PH_OK && (size_t)draft.out.used * WORD > PH_CAPSULE_MAX) write_draft(&draft, id, false);
    if (draft.status == PH_OK) {
        *bytes = (size_t)draft.out.used * WORD;
        if (*bytes > PH_CAPSULE_MAX || *bytes > size) draft.status = PH_TOO_LARGE;
        else if (draft.out.at != capsule) memcpy(capsule, draft.out.at, *bytes);
    }
    phx_capsule_words_free(&draft.out);
    return draft.status;
}

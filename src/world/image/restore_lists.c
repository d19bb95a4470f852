/*
 * Restores stored lists; see restore_lists.h.
 */
#include "world/image/restore_lists.h"

#include <inttypes.h>
#include <string.h>

#include "shards/interest/scratch.h"
#include "shards/state/entity_change.h"

bool phx_restore_stamps(phx_restore *restore, const phx_shard *shard)
{
    const uint32_t had = restore->stamps_capacity;
    if (!phx_grow(&restore->image->mem, (void **)&restore->stamps, &restore->stamps_capacity, had, shard->store.slots,
                  sizeof *restore->stamps))
        return false;
    memset(restore->stamps + had, 0, (restore->stamps_capacity - had) * sizeof *restore->stamps);
    return true;
}

/* ---- lists ---- */

/* One list: its observer, and its targets' places. */
typedef struct saved_list {
    uint32_t at, observer, count;
    const phx_saved_target *targets;
} saved_list;

static ph_status check_list(const phx_restore *restore, const saved_list *list)
{
    const phx_image *image = restore->image;
    const uint32_t entities = PHX_IMAGE_COUNT(image, entities);
    uint32_t slot;
    if (list->observer >= entities || list->count == 0 || list->count > PHX_LIST_COUNT_MAX)
        return phx_image_refuse(restore->reason,
                                "section LIST: record %" PRIu32 ": observer %" PRIu32 " of %" PRIu32 ", %" PRIu32
                                " targets can not be",
                                list->at, list->observer, entities, list->count);
    const phx_saved_entity *observer = phx_restore_entity(restore, list->observer);
    const phx_shard *shard = phx_restore_find(restore, list->observer, &slot);
    const phx_attr *attr = phx_store_attr(&shard->store, slot);
    if (((observer->flags & PHX_SAVED_DERIVED) && attr->margin == 0.0f) || !phx_attr_observes(attr))
        return phx_image_refuse(restore->reason,
                                "section LIST: record %" PRIu32 ": entity %" PRIu64
                                " has no list, or one that is not stored",
                                list->at, observer->id);
    return PH_OK;
}

/* The slot of a target in the observer's shard, or PHX_SLOT_NONE. */
static uint32_t slot_of_place(const phx_restore *restore, const phx_shard *shard, uint32_t place)
{
    const phx_image *image = restore->image;
    if (place >= PHX_IMAGE_COUNT(image, entities)) return PHX_SLOT_NONE;
    /* nearly all targets are the shard's own: two small arrays say so, in place of a search by id */
    const uint32_t *first = image->place_first + shard->number, slot = restore->slots[place];
    if (slot < first[1] - first[0] && image->places[first[0] + slot] == place) return slot;
    return phx_shard_find(shard, &restore->world->directory, phx_restore_entity(restore, place)->id);
}

/* Room for more entries of a list, behind the ones that it has. false = no memory, unchanged. */
static bool reserve_more(phx_shard *shard, phx_list *list, uint32_t count)
{
    phx_list more = phx_list_empty();
    if (!phx_list_reserve(&shard->lists, shard->mem, &more, list->count + count)) return false;
    if (list->count > 0)
        memcpy(phx_list_entries(&shard->lists, &more), phx_list_entries(&shard->lists, list),
               list->count * sizeof(uint32_t));
    phx_list_set_count(&shard->lists, &more, list->count);
    phx_list_release(&shard->lists, list);
    more.owed = list->owed;
    *list = more;
    return true;
}

/* A list that is the rule's may have listed targets of relations already; then its annulus comes behind them. */
static ph_status restore_list(phx_restore *restore, const saved_list *list)
{
    uint32_t slot;
    ph_status status = check_list(restore, list);
    if (status != PH_OK) return status;
    phx_shard *shard = phx_restore_find(restore, list->observer, &slot);
    phx_list *to = &shard->store.tail[slot].list;
    if (!phx_restore_stamps(restore, shard) || !reserve_more(shard, to, list->count)) return PH_NO_MEMORY;
    uint32_t *entries = phx_list_entries(&shard->lists, to);
    PHX_ASSERT(entries != NULL || (to->count == 0 && list->count == 0));
    for (uint32_t i = 0; i < to->count; i++) (void)phx_restore_stamp(restore, entries[i], list->at + 1);
    entries += to->count;
    for (uint32_t i = 0; i < list->count; i++) {
        entries[i] = slot_of_place(restore, shard, list->targets[i].target);
        if (entries[i] == PHX_SLOT_NONE || entries[i] == slot || !phx_restore_stamp(restore, entries[i], list->at + 1))
            return phx_image_refuse(restore->reason,
                                    "section TRGT: target %" PRIu32 " of entity %" PRIu64
                                    " is out of sight, the observer itself, or there twice",
                                    list->targets[i].target, phx_restore_entity(restore, list->observer)->id);
    }
    phx_list_set_count(&shard->lists, to, to->count + list->count);
    phx_shard_flag(shard, slot); /* the list marks the observer's row */
    shard->counts.entries += list->count;
    return PH_OK;
}

/*
 * Of a list that is the rule's the image has the targets of relations that it had; the rule finds the others. The
 * relations [at, end) are of one observer, and so many of them are listed.
 */
static ph_status restore_listed_relations(phx_restore *restore, uint32_t at, uint32_t end, uint32_t listed)
{
    const phx_saved_relation *relations = PHX_IMAGE_ROWS(restore->image, relations, relation);
    const phx_saved_entity *observer = phx_restore_entity(restore, relations[at].observer);
    uint32_t slot, n = 0;
    phx_shard *shard = phx_restore_find(restore, relations[at].observer, &slot);
    phx_list *list = &shard->store.tail[slot].list;
    if (!(observer->flags & PHX_SAVED_DERIVED) || list->count > 0)
        return phx_image_refuse(restore->reason,
                                "section RELA: record %" PRIu32 ": entity %" PRIu64
                                " has listed targets, and a stored list or more relations elsewhere",
                                at, observer->id);
    if (!phx_restore_stamps(restore, shard) || !phx_list_reserve(&shard->lists, shard->mem, list, listed))
        return PH_NO_MEMORY;
    const uint32_t stamp = PHX_IMAGE_COUNT(restore->image, lists) + 1 + at; /* behind the ones of lists */
    uint32_t *entries = phx_list_entries(&shard->lists, list);
    for (uint32_t i = at; i < end; i++) {
        if (!(relations[i].bits & PHX_SAVED_LISTED)) continue;
        entries[n] = slot_of_place(restore, shard, relations[i].target);
        const uint32_t target = entries[n++];
        if (target == PHX_SLOT_NONE || !phx_restore_stamp(restore, target, stamp))
            return phx_image_refuse(restore->reason,
                                    "section RELA: record %" PRIu32 ": a listed target of entity %" PRIu64
                                    " is out of sight, or there twice",
                                    i, observer->id);
    }
    phx_list_set_count(&shard->lists, list, listed);
    phx_shard_flag(shard, slot);
    shard->counts.entries += listed;
    return PH_OK;
}

static ph_status restore_relations_lists(phx_restore *restore)
{
    const phx_saved_relation *relations = PHX_IMAGE_ROWS(restore->image, relations, relation);
    const uint32_t count = PHX_IMAGE_COUNT(restore->image, relations);
    for (uint32_t at = 0, end; at < count; at = end) {
        uint32_t listed = 0;
        for (end = at; end < count && relations[end].observer == relations[at].observer; end++)
            listed += (relations[end].bits & PHX_SAVED_LISTED) != 0;
        const ph_status status = listed > 0 ? restore_listed_relations(restore, at, end, listed) : PH_OK;
        if (status != PH_OK) return status;
    }
    return PH_OK;
}

ph_status phx_restore_lists(phx_restore *restore)
{
    const phx_image *image = restore->image;
    const phx_saved_list *lists = PHX_IMAGE_ROWS(image, lists, list);
    const phx_saved_target *targets = PHX_IMAGE_ROWS(image, targets, target);
    const uint32_t count = PHX_IMAGE_COUNT(image, targets);
    uint32_t at = 0;
    ph_status status = restore_relations_lists(restore);
    for (uint32_t i = 0; status == PH_OK && i < PHX_IMAGE_COUNT(image, lists); i++) {
        if (lists[i].count > count - at || (i > 0 && lists[i - 1].observer >= lists[i].observer))
            return phx_image_refuse(restore->reason,
                                    "section LIST: record %" PRIu32 ": observer %" PRIu32 " with %" PRIu32
                                    " targets is not behind the last one, or there are not so many",
                                    i, lists[i].observer, lists[i].count);
        status = restore_list(restore, &(saved_list){i, lists[i].observer, lists[i].count, targets + at});
        at += lists[i].count;
    }
    if (status == PH_OK && at < count)
        return phx_image_refuse(restore->reason, "section TRGT: %" PRIu32 " targets, and %" PRIu32 " in section LIST",
                                count, at);
    return status;
}

/* ---- events of the interest phase ---- */

static ph_status refuse_change(const phx_restore *restore, const phx_shard *shard, const phx_scratch *scratch,
                               const phx_change *change)
{
    const phx_target_word word = phx_target_word_at(scratch->targets, change->target_first);
    const uint32_t target = change->ordered ? scratch->targets[change->target_first] : phx_target_word_slot(word);
    return phx_image_refuse(restore->reason,
                            "section LIST: entity %" PRIu64 ": %" PRIu32 " targets are not in view, %" PRIu32
                            " in view are missing; one is %" PRIu64,
                            shard->store.name[change->slot].id, change->leave_count, change->enter_count,
                            shard->store.name[target].id);
}

ph_status phx_restore_check_changes(phx_restore *restore)
{
    phx_world *world = restore->world;
    const phx_image *image = restore->image;
    for (uint32_t i = 0; i < world->chunk_count; i++) {
        const phx_chunk *chunk = &world->chunks[i];
        phx_shard *shard = &world->shards[chunk->shard];
        const phx_scratch *scratch = &world->scratch[chunk->worker];
        for (uint32_t c = 0; c < chunk->change_count; c++) {
            const phx_change *change = &scratch->changes[chunk->change_first + c];
            const uint32_t place = image->places[image->place_first[chunk->shard] + change->slot];
            const bool derived = phx_restore_entity(restore, place)->flags & PHX_SAVED_DERIVED;
            if (change->leave_count > 0 || (change->enter_count > 0 && !derived))
                return refuse_change(restore, shard, scratch, change);
            shard->counts.entries += change->enter_count;
        }
    }
    return PH_OK;
}

ph_status phx_restore_check_partial(phx_restore *restore)
{
    const phx_image *image = restore->image;
    uint64_t saved = 0, found = 0;
    for (uint32_t i = 0; i < PHX_IMAGE_COUNT(image, entities); i++)
        saved += (phx_restore_entity(restore, i)->flags & PHX_SAVED_PARTIAL) != 0;
    for (uint32_t i = 0; i < restore->world->shard_count; i++)
        found += restore->world->shards[i].partial_observers.count;
    if (saved == found) return PH_OK;
    return phx_image_refuse(restore->reason,
                            "section ENTY: %" PRIu64 " observers wait for targets, and for %" PRIu64 " there is one",
                            saved, found);
}

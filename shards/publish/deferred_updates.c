/*
 * Deferred updates of observers; see deferred_updates.h.
 */
#include "shards/publish/deferred_updates.h"

#include <string.h>

#include "shards/state/shard.h"
#include "shards/state/update_bands.h"

static phx_list *deferred_of(const phx_shard *shard, uint32_t slot)
{
    return slot < shard->bands.deferred_capacity ? &shard->bands.deferred[slot] : NULL;
}

uint32_t phx_bands_deferred_words(const phx_shard *shard, uint32_t slot)
{
    const phx_list *deferred = shard->rules->banded ? deferred_of(shard, slot) : NULL;
    return deferred ? deferred->count : 0;
}

/* Replaces the deferred updates of an observer by these words. false = no memory, unchanged. */
static bool write_deferred(phx_shard *shard, uint32_t slot, const uint32_t *words, uint32_t count)
{
    phx_bands *bands = &shard->bands;
    phx_list *deferred = &bands->deferred[slot];
    if (count == 0) {
        phx_bands_drop_deferred(&shard->bands, slot);
        return true;
    }
    bool fits = count <= phx_list_capacity(&bands->pool, deferred);
    uint32_t before = deferred->count;
    if (!fits && !phx_list_reserve(&bands->pool, shard->mem, deferred, count)) return false;
    memcpy(phx_list_entries(&bands->pool, deferred), words, count * sizeof *words);
    phx_list_set_count(&bands->pool, deferred, count);
    if (before == 0) bands->waiting++;
    return true;
}

void phx_bands_fill_deferred(const phx_shard *shard, uint32_t slot, uint32_t *at, phx_record *record)
{
    const phx_name *name = shard->store.name;
    const phx_list *deferred = &shard->bands.deferred[slot];
    const uint32_t *words = phx_list_entries(&shard->bands.pool, deferred);
    record->id = name[slot].id;
    record->type = PHX_RECORD_DEFERRED_UPDATES;
    for (; record->count < PHX_RECORD_ITEMS && *at < deferred->count; *at += 2)
        record->as.waiting[record->count++] =
            (phx_deferred_update){name[words[*at]].id, name[words[*at]].incarnation, words[*at + 1]};
}

bool phx_bands_read_deferred(phx_shard *shard, uint32_t slot, const phx_record *record)
{
    phx_bands *bands = &shard->bands;
    if (!phx_grow(shard->mem, (void **)&bands->unresolved, &bands->unresolved_capacity, bands->unresolved_count,
                  (size_t)bands->unresolved_count + record->count, sizeof *bands->unresolved))
        return false;
    for (uint32_t i = 0; i < record->count; i++)
        bands->unresolved[bands->unresolved_count++] = (phx_immigrant_deferred_update){slot, record->as.waiting[i]};
    return true;
}

bool phx_bands_resolve(phx_shard *shard, const phx_directory *directory)
{
    phx_bands *bands = &shard->bands;
    for (; bands->unresolved_count > 0; bands->unresolved_count--) {
        const phx_immigrant_deferred_update *unresolved_update = &bands->unresolved[bands->unresolved_count - 1];
        uint32_t slot = phx_shard_find(shard, directory, unresolved_update->waiting.id);
        if (slot == PHX_SLOT_NONE || shard->store.name[slot].incarnation != unresolved_update->waiting.incarnation)
            continue;
        phx_list *deferred = &bands->deferred[unresolved_update->observer], more = phx_list_empty();
        uint32_t count = deferred->count, words[2] = {slot, unresolved_update->waiting.since};
        if (count + 2 > phx_list_capacity(&bands->pool, deferred)) {
            if (!phx_list_reserve(&bands->pool, shard->mem, &more, count + 2)) return false;
            if (count > 0)
                memcpy(phx_list_entries(&bands->pool, &more), phx_list_entries(&bands->pool, deferred),
                       count * sizeof *words);
            phx_list_release(&bands->pool, deferred);
            *deferred = more;
        }
        memcpy(phx_list_entries(&bands->pool, deferred) + count, words, sizeof words);
        phx_list_set_count(&bands->pool, deferred, count + 2);
        bands->waiting += count == 0;
    }
    return true;
}

bool phx_bands_commit(phx_shard *shard, const phx_update_scratch *scratch, const phx_observer_updates *updates,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *deferred = updates[i].deferred_count > 0 ? scratch->deferred + updates[i].deferred_first : NULL;
        if (updates[i].rewaits && !write_deferred(shard, updates[i].slot, deferred, updates[i].deferred_count))
            return false;
    }
    return true;
}

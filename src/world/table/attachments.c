/*
 * Attachments, as chains of children and parents; see attachments.h.
 */
#include "world/table/attachments.h"

#include <pharos/types.h>

static const uint32_t FAMILY_NONE = UINT32_MAX;

void phx_attach_init(phx_attach *attach, phx_mem *mem)
{
    *attach = (phx_attach){.free_first = FAMILY_NONE, .mem = mem};
    phx_idmap_init(&attach->parent_of, mem);
    phx_idmap_init(&attach->family_of, mem);
}

void phx_attach_free(phx_attach *attach)
{
    for (uint32_t i = 0; i < attach->family_count; i++)
        phx_release(attach->mem, (void **)&attach->families[i].children, &attach->families[i].capacity,
                    sizeof(uint64_t));
    phx_release(attach->mem, (void **)&attach->families, &attach->families_capacity, sizeof(phx_attach_links));
    phx_idmap_free(&attach->parent_of);
    phx_idmap_free(&attach->family_of);
}

uint64_t phx_attach_parent(const phx_attach *attach, uint64_t child)
{
    const uint64_t *parent = phx_idmap_find(&attach->parent_of, child);
    return parent ? *parent : 0;
}

uint64_t phx_attach_root(const phx_attach *attach, uint64_t id)
{
    for (uint64_t parent; (parent = phx_attach_parent(attach, id)) != 0;) id = parent;
    return id;
}

const phx_attach_links *phx_attach_children(const phx_attach *attach, uint64_t parent)
{
    const uint64_t *at = phx_idmap_find(&attach->family_of, parent);
    return at ? &attach->families[*at] : NULL;
}

/* Edges from id down to its deepest descendant; chains are at most PH_ATTACH_DEPTH_MAX deep. */
static uint32_t subtree_height(const phx_attach *attach, uint64_t id)
{
    const phx_attach_links *family = phx_attach_children(attach, id);
    uint32_t most = 0;
    for (uint32_t i = 0; family && i < family->count; i++) {
        uint32_t below = 1 + subtree_height(attach, family->children[i]);
        if (below > most) most = below;
    }
    PHX_ASSERT(most <= PH_ATTACH_DEPTH_MAX);
    return most;
}

ph_status phx_attach_check(const phx_attach *attach, uint64_t child, uint64_t parent)
{
    uint32_t above = 0; /* edges from the parent up to its root */
    for (uint64_t id = parent; id != 0; id = phx_attach_parent(attach, id), above++)
        if (id == child) return PH_CYCLE;
    return above + subtree_height(attach, child) > PH_ATTACH_DEPTH_MAX ? PH_TOO_DEEP : PH_OK;
}

static bool family_for(phx_attach *attach, uint32_t *place)
{
    if (!phx_idmap_reserve(&attach->family_of, phx_idmap_count(&attach->family_of) + 1)) return false;
    *place = attach->free_first;
    if (*place != FAMILY_NONE) return true;
    if (!phx_grow(attach->mem, (void **)&attach->families, &attach->families_capacity, attach->family_count,
                  (size_t)attach->family_count + 1, sizeof(phx_attach_links)))
        return false;
    *place = attach->family_count++;
    attach->families[*place] = (phx_attach_links){.next_free = FAMILY_NONE};
    attach->free_first = *place;
    return true;
}

bool phx_attach_put(phx_attach *attach, uint64_t child, uint64_t parent)
{
    PHX_ASSERT(phx_attach_parent(attach, child) == 0);
    if (!phx_idmap_reserve(&attach->parent_of, phx_idmap_count(&attach->parent_of) + 1)) return false;
    uint32_t place;
    const uint64_t *at = phx_idmap_find(&attach->family_of, parent);
    if (at) place = (uint32_t)*at;
    else if (!family_for(attach, &place)) return false;
    phx_attach_links *family = &attach->families[place];
    if (!phx_grow(attach->mem, (void **)&family->children, &family->capacity, family->count, (size_t)family->count + 1,
                  sizeof(uint64_t)))
        return false;
    if (!at) {
        family->parent = parent;
        attach->free_first = family->next_free;
        phx_idmap_insert(&attach->family_of, parent, place);
    }
    family->children[family->count++] = child;
    phx_idmap_insert(&attach->parent_of, child, parent);
    return true;
}

void phx_attach_remove(phx_attach *attach, uint64_t child)
{
    uint64_t parent = phx_attach_parent(attach, child);
    PHX_ASSERT(parent != 0);
    const uint64_t *at = phx_idmap_find(&attach->family_of, parent);
    PHX_ASSERT(at);
    uint32_t place = (uint32_t)*at, i = 0;
    phx_attach_links *family = &attach->families[place];
    while (family->children[i] != child) i++;
    for (; i + 1 < family->count; i++) family->children[i] = family->children[i + 1];
    family->count--;
    phx_idmap_remove(&attach->parent_of, child);
    if (family->count > 0) return;
    family->next_free = attach->free_first;
    attach->free_first = place;
    phx_idmap_remove(&attach->family_of, parent);
}

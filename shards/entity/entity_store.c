/*
 * Slots of a shard and their life cycle; see entity_store.h. Called by the shard's owner only.
 */
#include "shards/entity/entity_store.h"

#include <string.h>

_Static_assert(sizeof(union phx_tail) == sizeof(phx_list), "a list is the largest of the members that share its place");
_Static_assert(sizeof(phx_list) == 8 && sizeof(phx_name) == 16 && sizeof(phx_body) == 24, "as docs/memory.md has it");

void phx_store_init(phx_store *store, phx_mem *mem)
{
    *store = (phx_store){.free_first = PHX_SLOT_NONE, .dead_first = PHX_SLOT_NONE};
    phx_idmap_init(&store->ghosts, mem);
    phx_attr_sets_init(&store->sets, mem);
}

/* Arrays by slot. */
enum { ARRAYS = 5 };

typedef struct array {
    void **at;
    size_t item;
} array;

/* Lists the arrays; the last one only if there is user data. */
static int arrays_of(phx_store *store, array arrays[ARRAYS])
{
    arrays[0] = (array){(void **)&store->body, sizeof *store->body};
    arrays[1] = (array){(void **)&store->set, sizeof *store->set};
    arrays[2] = (array){(void **)&store->name, sizeof *store->name};
    arrays[3] = (array){(void **)&store->tail, sizeof *store->tail};
    arrays[4] = (array){(void **)&store->user_data, sizeof *store->user_data};
    return store->user_data ? ARRAYS : ARRAYS - 1;
}

void phx_store_free(phx_store *store, phx_mem *mem)
{
    array arrays[ARRAYS];
    int count = store->capacity > 0 ? arrays_of(store, arrays) : 0;
    for (int i = 0; i < count; i++) phx_free(mem, *arrays[i].at, store->capacity * arrays[i].item, PHX_CACHE_LINE);
    phx_idmap_free(&store->ghosts);
    phx_attr_sets_free(&store->sets, mem);
    *store = (phx_store){.free_first = PHX_SLOT_NONE, .dead_first = PHX_SLOT_NONE};
}

/* Copies an array of the store to its new capacity; NULL = no memory. */
static void *copy_array_grown(phx_mem *mem, const array *of, uint32_t used, uint32_t capacity)
{
    void *next = phx_alloc(mem, capacity * of->item, PHX_CACHE_LINE);
    if (next && used > 0) memcpy(next, *of->at, used * of->item);
    return next;
}

/* All arrays of the store grow together or not at all. */
static bool grow_arrays(phx_store *store, phx_mem *mem, uint32_t needed)
{
    enum { FIRST = 32, SMALL = 256, GROWTH = 8 }; /* an eighth more: unused capacity stays for ever */
    uint64_t wanted = (uint64_t)store->capacity + store->capacity / (store->capacity < SMALL ? 1 : GROWTH);
    if (wanted < FIRST) wanted = FIRST;
    if (wanted < needed) wanted = needed;
    PHX_ASSERT(wanted < PHX_SLOT_NONE);
    uint32_t capacity = (uint32_t)wanted;
    array arrays[ARRAYS];
    int count = arrays_of(store, arrays);
    void *next[ARRAYS];
    for (int i = 0; i < count; i++) {
        next[i] = copy_array_grown(mem, &arrays[i], store->slots, capacity);
        if (next[i]) continue;
        while (i-- > 0) phx_free(mem, next[i], capacity * arrays[i].item, PHX_CACHE_LINE);
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (store->capacity > 0) phx_free(mem, *arrays[i].at, store->capacity * arrays[i].item, PHX_CACHE_LINE);
        *arrays[i].at = next[i];
    }
    store->capacity = capacity;
    return true;
}

bool phx_store_reserve(phx_store *store, phx_mem *mem, uint32_t count)
{
    uint32_t fresh = count > store->free_count ? count - store->free_count : 0;
    if (fresh > PHX_SLOTS_MAX - store->slots) return false;
    uint32_t slots = store->slots + fresh;
    return phx_attr_sets_reserve(&store->sets, mem, 1) && (slots <= store->capacity || grow_arrays(store, mem, slots));
}

bool phx_store_reserve_user_data(phx_store *store, phx_mem *mem, uint64_t user_data)
{
    if (user_data == 0 || store->user_data) return true;
    PHX_ASSERT(store->capacity > 0);
    store->user_data = phx_alloc_zero(mem, store->capacity * sizeof *store->user_data, PHX_CACHE_LINE);
    return store->user_data != NULL;
}

uint32_t phx_store_add(phx_store *store, uint64_t id, uint32_t state)
{
    PHX_ASSERT(state == PHX_SLOT_OWN || state == PHX_SLOT_GHOST);
    uint32_t slot = store->free_first;
    if (slot != PHX_SLOT_NONE) {
        PHX_ASSERT(store->body[slot].state == 0);
        store->free_first = store->body[slot].row;
        store->free_count--;
    } else {
        PHX_ASSERT(store->slots < store->capacity);
        slot = store->slots++;
        if (slot == 0) store->id_first = id;
    }
    store->id_bits |= id ^ store->id_first;
    store->body[slot] = (phx_body){.state = (uint16_t)state};
    store->set[slot] = phx_attr_sets_acquire(&store->sets, &(phx_attr){0});
    store->name[slot] = (phx_name){.id = id, .fresh = true};
    phx_store_set_user_data(store, slot, 0);
    if (state == PHX_SLOT_OWN) {
        store->tail[slot].list = phx_list_empty();
        store->own_count++;
    } else {
        store->tail[slot].origin = (phx_ghost_source){.next = PHX_SLOT_NONE};
        phx_idmap_insert(&store->ghosts, id, slot);
        store->ghost_count++;
    }
    return slot;
}

static uint8_t traits_of(const phx_attr *attr)
{
    const bool seen_by_all = attr->instance == 0 && attr->layers == 1 && attr->stealth == 0 && !attr->veiled;
    const bool hides = !seen_by_all || !(attr->sees & 1);
    const bool far = attr->global || attr->reach > 0.0f;
    return (uint8_t)((hides ? PHX_TRAIT_HIDES : 0) | (attr->cap > 0 ? PHX_TRAIT_CAPS : 0) | (far ? PHX_TRAIT_FAR : 0));
}

void phx_store_dress(phx_store *store, uint32_t slot, const phx_attr *attr)
{
    store->traits |= traits_of(attr);
    uint32_t before = store->set[slot];
    if (store->body[slot].state & PHX_SLOT_OWN)
        store->remote_count += (uint32_t)attr->remote - (uint32_t)store->sets.attr[before].remote;
    store->set[slot] = phx_attr_sets_acquire(&store->sets, attr);
    phx_attr_sets_drop(&store->sets, before);
}

void phx_store_kill(phx_store *store, uint32_t slot)
{
    phx_body *body = &store->body[slot];
    PHX_ASSERT(body->state & PHX_SLOT_LIVE);
    if (body->state & PHX_SLOT_GHOST) {
        bool known = phx_idmap_remove(&store->ghosts, store->name[slot].id);
        PHX_ASSERT(known);
        (void)known;
        store->ghost_count--;
    } else {
        PHX_ASSERT(store->tail[slot].list.size_class == PHX_LIST_NONE);
        store->own_count--;
        store->outside_count -= (body->state & PHX_SLOT_OUTSIDE) != 0;
        store->remote_count -= phx_store_attr(store, slot)->remote;
    }
    body->state = (uint16_t)((body->state & ~PHX_SLOT_LIVE) | PHX_SLOT_DEAD);
    store->tail[slot].dead_next = store->dead_first;
    store->dead_first = slot;
    store->dead_count++;
}

void phx_store_bury(phx_store *store)
{
    for (uint32_t slot = store->dead_first; slot != PHX_SLOT_NONE; slot = store->tail[slot].dead_next) {
        phx_body *body = &store->body[slot];
        PHX_ASSERT(body->state & PHX_SLOT_DEAD);
        PHX_ASSERT(!(body->state & PHX_SLOT_ROW));
        phx_attr_sets_drop(&store->sets, store->set[slot]);
        body->state = 0;
        body->row = store->free_first;
        store->free_first = slot;
    }
    store->dead_first = PHX_SLOT_NONE;
    store->free_count += store->dead_count;
    store->dead_count = 0;
}

void phx_store_to_ghost(phx_store *store, uint32_t slot, phx_ghost_source origin)
{
    phx_body *body = &store->body[slot];
    PHX_ASSERT(body->state & PHX_SLOT_OWN);
    PHX_ASSERT(store->tail[slot].list.size_class == PHX_LIST_NONE);
    body->state = (uint16_t)((body->state & ~(PHX_SLOT_OWN | PHX_SLOT_RELATED | PHX_SLOT_PARTIAL)) | PHX_SLOT_GHOST);
    store->tail[slot].origin = origin;
    phx_idmap_insert(&store->ghosts, store->name[slot].id, slot);
    store->own_count--;
    store->outside_count -= (body->state & PHX_SLOT_OUTSIDE) != 0;
    store->remote_count -= phx_store_attr(store, slot)->remote;
    store->ghost_count++;
}

void phx_store_to_own(phx_store *store, uint32_t slot)
{
    phx_body *body = &store->body[slot];
    PHX_ASSERT(body->state & PHX_SLOT_GHOST);
    bool known = phx_idmap_remove(&store->ghosts, store->name[slot].id);
    PHX_ASSERT(known);
    (void)known;
    body->state = (uint16_t)((body->state & ~PHX_SLOT_GHOST) | PHX_SLOT_OWN);
    store->tail[slot].list = phx_list_empty();
    store->own_count++;
    store->outside_count += (body->state & PHX_SLOT_OUTSIDE) != 0;
    store->remote_count += phx_store_attr(store, slot)->remote;
    store->ghost_count--;
}

/*
 * Whole lists kept from events; see kept_lists.h.
 */
#include "bench/engines/kept_lists.h"

#include "bench/base/memory.h"

enum {
    LISTS_LEAST = 16, /* the least room of the array of lists */
    AT_ONCE = 32,     /* changes */
    TOGETHER = 16     /* entries that are compared together; a power of two */
};

/*
 * Finds the places of ids in a list, each plus 1; 0: it is not there. No branch depends on an id, and each search is
 * through all of a short list: compilers turn it into vectors. Behind the last id of a list are zeros, up to a multiple
 * of TOGETHER.
 */
static inline __attribute__((always_inline)) void search_list(const bench_kept_list *list, const ph_target *targets,
                                                              uint32_t count, uint32_t *at)
{
    const uint32_t end = (list->count + TOGETHER - 1) / TOGETHER * TOGETHER;
    const uint32_t *ids = list->ids;
    for (uint32_t t = 0; t < count; t++) {
        const uint32_t id = (uint32_t)targets[t].id;
        uint32_t place = 0;
        for (uint32_t i = 0; i < end; i++) {
            place |= ids[i] == id ? i + 1 : 0;
        }
        at[t] = place;
    }
}

static void search_plain(const bench_kept_list *list, const ph_target *targets, uint32_t count, uint32_t *at)
{
    search_list(list, targets, count, at);
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) static void search_avx2(const bench_kept_list *list, const ph_target *targets,
                                                        uint32_t count, uint32_t *at)
{
    search_list(list, targets, count, at);
}

__attribute__((target("avx512f"))) static void search_avx512(const bench_kept_list *list, const ph_target *targets,
                                                             uint32_t count, uint32_t *at)
{
    search_list(list, targets, count, at);
}

static bench_search_fn choose_search(void)
{
    if (__builtin_cpu_supports("avx512f")) {
        return search_avx512;
    }
    return __builtin_cpu_supports("avx2") ? search_avx2 : search_plain;
}

#else

static bench_search_fn choose_search(void)
{
    return search_plain;
}

#endif

void bench_kept_lists_init(bench_kept_lists *kept, phx_mem *mem)
{
    *kept = (bench_kept_lists){.mem = mem, .search = choose_search()};
    phx_idmap_init(&kept->places, mem);
}

void bench_kept_lists_free(bench_kept_lists *kept)
{
    for (uint32_t i = 0; i < kept->count; i++) {
        phx_release(kept->mem, (void **)&kept->lists[i].ids, &kept->lists[i].capacity, sizeof *kept->lists[i].ids);
    }
    phx_release(kept->mem, (void **)&kept->lists, &kept->capacity, sizeof *kept->lists);
    phx_release(kept->mem, (void **)&kept->at, &kept->at_capacity, sizeof *kept->at);
    phx_idmap_free(&kept->places);
}

/* The number of an observer's list, which is made if there is none. */
static uint32_t list_number(bench_kept_lists *kept, uint64_t observer)
{
    const uint64_t *place = phx_idmap_find(&kept->places, observer);
    if (place != NULL) {
        return (uint32_t)*place;
    }
    bench_reserve_ids(&kept->places, kept->count + 1);
    bench_grow(kept->mem, (void **)&kept->lists, &kept->capacity, kept->count, (size_t)kept->count + LISTS_LEAST,
               sizeof *kept->lists);
    phx_idmap_insert(&kept->places, observer, kept->count);
    kept->lists[kept->count] = (bench_kept_list){0};
    return kept->count++;
}

static void end_list(bench_kept_lists *kept, bench_kept_list *list)
{
    kept->entries -= list->count;
    for (uint32_t i = 0; i < list->count; i++) {
        list->ids[i] = 0;
    }
    list->count = 0;
}

void bench_kept_lists_end(bench_kept_lists *kept, uint64_t observer)
{
    const uint64_t *place = phx_idmap_find(&kept->places, observer);
    if (place != NULL) {
        end_list(kept, &kept->lists[*place]);
    }
}

/* Room for so many more ids, and the zeros behind. */
static void reserve_list(bench_kept_lists *kept, bench_kept_list *list, uint32_t more)
{
    const uint32_t before = list->capacity;
    bench_grow(kept->mem, (void **)&list->ids, &list->capacity, list->count, (size_t)list->count + more + TOGETHER,
               sizeof *list->ids);
    for (uint32_t i = before == list->capacity ? before : list->count; i < list->capacity; i++) {
        list->ids[i] = 0;
    }
}

/* Closes the gaps at these places, plus 1: the last ids go there. */
static void close_gaps(bench_kept_list *list, const uint32_t *at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        list->ids[at[i] - 1] = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        while (list->count > 0 && list->ids[list->count - 1] == 0) {
            list->count--;
        }
        if (at[i] <= list->count) {
            list->ids[at[i] - 1] = list->ids[--list->count];
            list->ids[list->count] = 0;
        }
    }
}

/* Targets that enter take the places of targets that leave, as many as there are of both. Returns an error, or NULL. */
static const char *apply_change(bench_kept_lists *kept, const ph_batch *batch, const ph_change *change,
                                bench_kept_list *list)
{
    const ph_target *leaves = &batch->targets[change->first], *enters = leaves + change->leave_count;
    const uint32_t leave_count = change->leave_count, enter_count = change->enter_count;
    const uint32_t both = leave_count < enter_count ? leave_count : enter_count;
    if (change->flags & PH_CHANGE_FRESH) {
        end_list(kept, list);
    }
    bench_grow(kept->mem, (void **)&kept->at, &kept->at_capacity, 0, leave_count, sizeof *kept->at);
    reserve_list(kept, list, enter_count - both);
    uint32_t *at = kept->at;
    uint64_t ids = 0; /* bits of all */
    bool found = true;
    kept->search(list, leaves, leave_count, at);
    for (uint32_t i = 0; i < leave_count; i++) {
        found &= at[i] != 0;
    }
    for (uint32_t i = 0; i < leave_count + enter_count; i++) {
        ids |= leaves[i].id;
    }
    if (ids > UINT32_MAX) {
        return "has a target with an id of more than 32 bits, which engine kept does not keep";
    }
    if (!found) {
        return "loses a target that it does not have";
    }
    for (uint32_t i = 0; i < both; i++) {
        list->ids[at[i] - 1] = (uint32_t)enters[i].id;
    }
    close_gaps(list, at + both, leave_count - both);
    for (uint32_t i = both; i < enter_count; i++) {
        list->ids[list->count++] = (uint32_t)enters[i].id;
    }
    kept->entries += enter_count;
    kept->entries -= leave_count;
    return NULL;
}

/* Some changes together: lists are in no order of memory, so all are asked for before the first is needed. */
static bool apply_some(bench_kept_lists *kept, const ph_batch *batch, uint32_t first, uint32_t count,
                       bench_error *error)
{
    enum { LINE = PHX_CACHE_LINE / sizeof(uint32_t) }; /* ids of a line */
    const ph_change *changes = batch->changes + first;
    uint32_t number[AT_ONCE];
    for (uint32_t c = 0; c < count; c++) {
        number[c] = list_number(kept, changes[c].observer);
        __builtin_prefetch(&kept->lists[number[c]], 1);
        if (first + AT_ONCE + c < batch->change_count) {
            phx_idmap_prefetch(&kept->places, changes[AT_ONCE + c].observer);
        }
    }
    for (uint32_t c = 0; c < count; c++) {
        const bench_kept_list *list = &kept->lists[number[c]];
        for (uint32_t i = 0; i < list->count; i += LINE) {
            __builtin_prefetch(&list->ids[i], 1);
        }
    }
    for (uint32_t c = 0; c < count; c++) {
        const char *wrong = apply_change(kept, batch, &changes[c], &kept->lists[number[c]]);
        if (wrong != NULL) {
            return bench_fail(error, "observer %llu %s", (unsigned long long)changes[c].observer, wrong);
        }
    }
    return true;
}

bool bench_kept_lists_apply(bench_kept_lists *kept, const ph_batch *batch, bench_error *error)
{
    for (uint32_t c = 0; c < batch->change_count; c += AT_ONCE) {
        const uint32_t left = batch->change_count - c;
        if (!apply_some(kept, batch, c, left < AT_ONCE ? left : AT_ONCE, error)) {
            return false;
        }
    }
    return true;
}

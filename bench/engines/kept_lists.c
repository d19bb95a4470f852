/*
 * Whole lists kept from events; see kept_lists.h.
 */
#include "bench/engines/kept_lists.h"

#include "bench/base/memory.h"

/* The least room of a list, and of the array of lists. */
enum { LIST_LEAST = 16 };

void bench_kept_lists_init(bench_kept_lists *kept, phx_mem *mem)
{
    *kept = (bench_kept_lists){.mem = mem};
    phx_idmap_init(&kept->places, mem);
}

void bench_kept_lists_free(bench_kept_lists *kept)
{
    for (uint32_t i = 0; i < kept->count; i++) {
        phx_release(kept->mem, (void **)&kept->lists[i].ids, &kept->lists[i].capacity, sizeof *kept->lists[i].ids);
    }
    phx_release(kept->mem, (void **)&kept->lists, &kept->capacity, sizeof *kept->lists);
    phx_idmap_free(&kept->places);
}

static bench_kept_list *list_of(bench_kept_lists *kept, uint64_t observer)
{
    uint64_t *place = phx_idmap_find(&kept->places, observer);
    if (place != NULL) {
        return &kept->lists[*place];
    }
    bench_reserve_ids(&kept->places, kept->count + 1);
    bench_grow(kept->mem, (void **)&kept->lists, &kept->capacity, kept->count, (size_t)kept->count + LIST_LEAST,
               sizeof *kept->lists);
    phx_idmap_insert(&kept->places, observer, kept->count);
    kept->lists[kept->count] = (bench_kept_list){0};
    return &kept->lists[kept->count++];
}

static void end_list(bench_kept_lists *kept, bench_kept_list *list)
{
    kept->entries -= list->count;
    list->count = 0;
}

void bench_kept_lists_end(bench_kept_lists *kept, uint64_t observer)
{
    const uint64_t *place = phx_idmap_find(&kept->places, observer);
    if (place != NULL) {
        end_list(kept, &kept->lists[*place]);
    }
}

/* Lists are short: a search through all of one costs less than an order kept in each tick. */
static bool take_out(bench_kept_list *list, uint64_t id)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->ids[i] == id) {
            list->ids[i] = list->ids[--list->count];
            return true;
        }
    }
    return false;
}

static bool apply_change(bench_kept_lists *kept, const ph_batch *batch, const ph_change *change)
{
    bench_kept_list *list = list_of(kept, change->observer);
    const ph_target *leaves = &batch->targets[change->first], *enters = leaves + change->leave_count;
    if (change->flags & PH_CHANGE_FRESH) {
        end_list(kept, list);
    }
    for (uint32_t i = 0; i < change->leave_count; i++) {
        if (!take_out(list, leaves[i].id)) {
            return false;
        }
    }
    bench_grow(kept->mem, (void **)&list->ids, &list->capacity, list->count,
               (size_t)list->count + change->enter_count + LIST_LEAST, sizeof *list->ids);
    for (uint32_t i = 0; i < change->enter_count; i++) {
        list->ids[list->count++] = enters[i].id;
    }
    kept->entries += change->enter_count;
    kept->entries -= change->leave_count;
    return true;
}

/* Lists are in no order of memory: fetches the list of a change ahead, and of one nearer its ids. */
static void await_lists(const bench_kept_lists *kept, const ph_batch *batch, uint32_t change)
{
    enum { NEAR = 3, FAR = 8, LINE = PHX_CACHE_LINE / sizeof(uint64_t) }; /* changes ahead; ids of a line */
    if (change + FAR >= batch->change_count) {
        return;
    }
    const uint64_t *far = phx_idmap_find(&kept->places, batch->changes[change + FAR].observer);
    const uint64_t *near = phx_idmap_find(&kept->places, batch->changes[change + NEAR].observer);
    if (far != NULL) {
        __builtin_prefetch(&kept->lists[*far], 1);
    }
    for (uint32_t i = 0; near != NULL && i < kept->lists[*near].count; i += LINE) {
        __builtin_prefetch(&kept->lists[*near].ids[i], 1);
    }
}

bool bench_kept_lists_apply(bench_kept_lists *kept, const ph_batch *batch, bench_error *error)
{
    for (uint32_t c = 0; c < batch->change_count; c++) {
        await_lists(kept, batch, c);
        if (!apply_change(kept, batch, &batch->changes[c])) {
            return bench_fail(error, "observer %llu loses a target that it does not have",
                              (unsigned long long)batch->changes[c].observer);
        }
    }
    return true;
}

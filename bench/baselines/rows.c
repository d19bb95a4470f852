/*
 * The difference of old and new rows, by stamps; see rows.h.
 */
#include "bench/baselines/rows.h"

#include <string.h>

#include "bench/base/memory.h"

static void set_free(rows *of, row_set *set)
{
    phx_release(of->mem, (void **)&set->starts, &set->starts_room, sizeof *set->starts);
    phx_release(of->mem, (void **)&set->items, &set->items_room, sizeof *set->items);
    phx_release(of->mem, (void **)&set->row_of, &set->row_room, sizeof *set->row_of);
}

void rows_free(rows *of)
{
    set_free(of, &of->now);
    set_free(of, &of->before);
    phx_release(of->mem, (void **)&of->stamps, &of->stamps_room, sizeof *of->stamps);
    phx_release(of->mem, (void **)&of->ranks, &of->ranks_room, sizeof *of->ranks);
}

void rows_begin(rows *of, uint32_t places)
{
    row_set old = of->before;
    of->before = of->now;
    of->now = old;
    bench_grow(of->mem, (void **)&of->now.starts, &of->now.starts_room, 0, (size_t)places + 1, sizeof *of->now.starts);
    of->now.starts[0] = 0;
}

void rows_grow_items(rows *of, uint32_t count, size_t more)
{
    bench_grow(of->mem, (void **)&of->now.items, &of->now.items_room, count, (size_t)count + more,
               sizeof *of->now.items);
}

/* Room for so many of each row, behind the ones that were used. */
static void make_stamps(rows *of, uint32_t slots, uint32_t stamps)
{
    uint32_t had = of->stamps_room;
    bench_grow(of->mem, (void **)&of->stamps, &of->stamps_room, had, slots, sizeof *of->stamps);
    memset(of->stamps + had, 0, (of->stamps_room - had) * sizeof *of->stamps);
    if (of->stamp > UINT32_MAX - stamps) { /* after hours: begin again */
        memset(of->stamps, 0, of->stamps_room * sizeof *of->stamps);
        of->stamp = 0;
    }
}

static void index_rows(rows *of, const sorted *places, uint32_t slot_count)
{
    row_set *now = &of->now;
    bench_grow(of->mem, (void **)&now->row_of, &now->row_room, 0, (size_t)slot_count + 1, sizeof *now->row_of);
    now->slot_count = slot_count;
    if (places->count < slot_count) {
        memset(now->row_of, 0xff, slot_count * sizeof *now->row_of);
    }
    for (uint32_t p = 0; p < places->count; p++) {
        now->row_of[places->slots[p]] = p;
    }
}

void rows_prepare(rows *of, const sorted *places, const population *people, uint32_t stamps)
{
    make_stamps(of, people->slot_count, (places->count + 1) * stamps);
    index_rows(of, places, people->slot_count);
}

row_items rows_old(const rows *of, uint32_t slot)
{
    const row_set *before = &of->before;
    if (slot >= before->slot_count || before->row_of[slot] == POPULATION_NONE) {
        return (row_items){NULL, 0};
    }
    uint32_t row = before->row_of[slot];
    uint32_t begin = before->starts[row];
    return (row_items){&before->items[begin], before->starts[row + 1] - begin};
}

/* By slot, for the row at hand: in the new row, in both. */
enum { IN_NEW, IN_BOTH, STAMPS };

void rows_emit(rows *of, const sorted *places, const population *people, sent *out)
{
    rows_prepare(of, places, people, STAMPS);
    uint32_t *stamps = of->stamps;
    for (uint32_t p = 0; p < places->count; p++) {
        uint32_t slot = places->slots[p];
        const row_items was = rows_old(of, slot);
        const uint32_t *old = was.items;
        uint32_t old_count = was.count;
        const uint32_t *new = &of->now.items[of->now.starts[p]];
        uint32_t new_count = of->now.starts[p + 1] - of->now.starts[p];
        of->stamp += STAMPS;
        uint32_t in_new = of->stamp + IN_NEW;
        uint32_t in_both = of->stamp + IN_BOTH;
        sent_reserve(out, old_count + new_count);
        uint32_t first = out->target_count;
        for (uint32_t i = 0; i < new_count; i++) {
            stamps[new[i]] = in_new;
        }
        for (uint32_t i = 0; i < old_count; i++) {
            if (stamps[old[i]] == in_new) {
                stamps[old[i]] = in_both;
            } else {
                sent_target(out, people->ids[old[i]]);
            }
        }
        uint32_t leaves = out->target_count - first;
        for (uint32_t i = 0; i < new_count && new_count + leaves > old_count; i++) {
            if (stamps[new[i]] == in_new) {
                sent_target(out, people->ids[new[i]]);
            }
        }
        sent_end(out, people->ids[slot], first, leaves);
    }
}

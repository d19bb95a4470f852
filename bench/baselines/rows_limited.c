/*
 * The difference of old and new rows with a margin and a cap; see rows.h. The new rows hold candidates: the places in
 * view, and the ones in the ring of the margin, which stay only if they were in the list.
 */
#include "bench/baselines/rows.h"

#include "bench/base/memory.h"

/* By slot, for the row at hand: in the list of the tick before, in both lists, in the new one alone. */
enum { WAS, STAYS, ENTERS, STAMPS };

static double rank_of(const population *people, point at, uint32_t slot, bool was, double sticky)
{
    float dx = people->at[slot].x - at.x;
    float dy = people->at[slot].y - at.y;
    float square = dx * dx + dy * dy;
    return (double)square * (was ? 1.0 : sticky);
}

static bool comes_before(const population *people, row_rank a, row_rank b)
{
    bool tie = !(a.key < b.key) && !(b.key < a.key);
    return tie ? people->ids[a.slot] < people->ids[b.slot] : a.key < b.key;
}

/* Quickselect: the first `most` of the ranks become the best ones, in no order. */
static void select_best(const population *people, row_rank *ranks, uint32_t count, uint32_t most)
{
    uint32_t low = 0, high = count; /* the first `low` are among the best; the ones from `high` on are not */
    while (most > low && high - low > 1) {
        row_rank pivot = ranks[low + (high - low) / 2];
        uint32_t i = low, j = high - 1;
        for (;;) {
            while (comes_before(people, ranks[i], pivot)) {
                i++;
            }
            while (comes_before(people, pivot, ranks[j])) {
                j--;
            }
            if (i >= j) {
                break;
            }
            row_rank swapped = ranks[i];
            ranks[i++] = ranks[j];
            ranks[j--] = swapped;
        }
        uint32_t border = i == j ? i : j + 1; /* [low, border) come before [border, high) */
        border = border == low ? low + 1 : border;
        if (most < border) {
            high = border;
        } else {
            low = border;
        }
    }
}

/* Of the candidates the ones that pass, to the front. */
static uint32_t filter_ring(const rows *of, uint32_t was, uint32_t *items, const uint32_t *candidates, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = candidates[i] & ~ROW_RING;
        bool in_view = (candidates[i] & ROW_RING) == 0;
        items[kept] = slot;
        kept += in_view || of->stamps[slot] == was;
    }
    return kept;
}

static void cut(rows *of, const population *people, const row_limits *limits, point at, uint32_t was, uint32_t *items,
                uint32_t count)
{
    bench_grow(of->mem, (void **)&of->ranks, &of->ranks_room, 0, count, sizeof *of->ranks);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = items[i];
        of->ranks[i] = (row_rank){rank_of(people, at, slot, of->stamps[slot] == was, limits->sticky), slot};
    }
    select_best(people, of->ranks, count, limits->cap);
    for (uint32_t i = 0; i < limits->cap; i++) {
        items[i] = of->ranks[i].slot;
    }
}

/* Reports the difference of one row, whose old items are stamped. */
static void tell_row(rows *of, const population *people, uint32_t slot, row_items old, row_items now, sent *out)
{
    uint32_t *stamps = of->stamps, was = of->stamp + WAS, stays = of->stamp + STAYS, enters = of->stamp + ENTERS;
    uint32_t entered = 0;
    sent_reserve(out, old.count + now.count);
    uint32_t first = out->target_count;
    for (uint32_t i = 0; i < now.count; i++) {
        bool stood = stamps[now.items[i]] == was;
        stamps[now.items[i]] = stood ? stays : enters;
        entered += !stood;
    }
    for (uint32_t i = 0; i < old.count && now.count - entered < old.count; i++) {
        if (stamps[old.items[i]] == was) {
            sent_target(out, people->ids[old.items[i]]);
        }
    }
    uint32_t leaves = out->target_count - first;
    for (uint32_t i = 0; i < now.count && entered > 0; i++) {
        if (stamps[now.items[i]] == enters) {
            sent_target(out, people->ids[now.items[i]]);
        }
    }
    sent_end(out, people->ids[slot], first, leaves);
}

uint32_t rows_tell_limited(rows *of, const sorted *places, const population *people, const row_limits *limits,
                           sent *out)
{
    rows_prepare(of, places, people, STAMPS);
    uint32_t *starts = of->now.starts;
    uint32_t total = 0, begin = starts[0];
    for (uint32_t p = 0; p < places->count; p++) {
        uint32_t slot = places->slots[p], end = starts[p + 1];
        row_items old = rows_old(of, slot);
        of->stamp += STAMPS;
        for (uint32_t i = 0; i < old.count; i++) {
            of->stamps[old.items[i]] = of->stamp + WAS;
        }
        /* Rows shrink, so each is written before the place that it is read from. */
        uint32_t *items = &of->now.items[total];
        uint32_t count = filter_ring(of, of->stamp + WAS, items, &of->now.items[begin], end - begin);
        if (limits->cap > 0 && count > limits->cap) {
            point at = {places->x[p], places->y[p]};
            cut(of, people, limits, at, of->stamp + WAS, items, count);
            count = limits->cap;
        }
        tell_row(of, people, slot, old, (row_items){items, count}, out);
        begin = end;
        starts[p] = total;
        total += count;
    }
    starts[places->count] = total;
    return total;
}

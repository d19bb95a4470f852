/*
 * shards/entity/relations.c: pairs and links per observer against a plain table, sets that are
 * used again, and no memory.
 */
#include "unit/shards/shard_case.h"

#include "shards/entity/relations.h"

static phx_relations relations;

static void set_up(void)
{
    memory_set_up();
    phx_relations_init(&relations);
}

static void tear_down(void)
{
    phx_relations_free(&relations, &memory);
    memory_tear_down();
}

TestSuite(relating, .init = set_up, .fini = tear_down);

enum { ID_OF = 1000 }; /* and its slot: an observer's id */

static bool put(uint32_t observer, uint64_t target, uint8_t bits, float view)
{
    return phx_relations_put(&relations, &memory, (phx_relation_observer){observer, ID_OF + observer},
                             (phx_relation){.target = target, .bits = bits, .view = view, .margin = view / 2}, 1);
}

static const phx_relation *find(uint32_t observer, uint64_t target)
{
    return phx_relation_find(phx_relations_of(&relations, observer), target);
}

Test(relating, put_replace_and_end)
{
    cr_assert_null(phx_relations_of(&relations, 1));
    cr_assert_null(phx_relation_find(NULL, 2));
    cr_assert(put(1, 2, PHX_RELATION_PAIR, 10));
    cr_assert(put(1, 3, PHX_RELATION_LINK, 0));
    cr_assert_eq(find(1, 2)->view, 10);
    cr_assert_eq(find(1, 2)->margin, 5);
    cr_assert(put(1, 2, PHX_RELATION_PAIR | PHX_RELATION_LINK, 20));
    cr_assert_eq(phx_relations_of(&relations, 1)->count, 2, "replaced, not added");
    cr_assert_eq(find(1, 2)->view, 20);
    cr_assert_eq(find(1, 2)->bits, PHX_RELATION_PAIR | PHX_RELATION_LINK);
    cr_assert_null(find(2, 1), "one way only");
    cr_assert(put(1, 2, 0, 0));
    cr_assert_null(find(1, 2));
    cr_assert_not_null(find(1, 3));
    cr_assert(put(1, 3, 0, 0));
    cr_assert_null(phx_relations_of(&relations, 1), "the last one takes the set with it");
}

Test(relating, a_dropped_set_is_the_next_observers)
{
    for (uint64_t target = 10; target < 20; target++) cr_assert(put(1, target, PHX_RELATION_LINK, 0));
    cr_assert(put(2, 10, PHX_RELATION_LINK, 0));
    phx_relations_drop(&relations, 1);
    phx_relations_drop(&relations, 1);
    phx_relations_drop(&relations, 99);
    cr_assert_null(phx_relations_of(&relations, 1));
    uint32_t sets = relations.set_count;
    memory_for(0);
    for (uint64_t target = 30; target < 40; target++) cr_assert(put(3, target, PHX_RELATION_LINK, 0), "room is kept");
    memory_enough();
    cr_assert_eq(relations.set_count, sets);
    cr_assert_eq(phx_relations_of(&relations, 3)->count, 10);
    cr_assert_null(find(3, 10));
    cr_assert_not_null(find(2, 10));
}

Test(relating, an_eighth_of_the_places_at_most_is_unused)
{
    enum { OBSERVERS = 3000, PART = 8, LINE = PHX_CACHE_LINE / sizeof(uint32_t) };
    for (uint32_t o = 1; o <= OBSERVERS; o++) cr_assert(put(o, 7, PHX_RELATION_LINK, 0));
    const uint32_t most = OBSERVERS + OBSERVERS / PART + LINE; /* a whole line of memory */
    cr_assert_leq(relations.sets_capacity, most);
    cr_assert_leq(relations.places, most);
    cr_assert_leq(relations.changed_capacity, most);
}

Test(relating, random_against_a_table)
{
    enum { OBSERVERS = 60, TARGETS = 40 };
    static phx_relation table[OBSERVERS][TARGETS];
    uint64_t rng = 7;
    for (int round = 0; round < 60000; round++) {
        uint32_t o = phx_rng_below(&rng, OBSERVERS), t = phx_rng_below(&rng, TARGETS), what = phx_rng_below(&rng, 100);
        phx_relation *entry = &table[o][t];
        if (what == 0) {
            phx_relations_drop(&relations, o + 1);
            memset(table[o], 0, sizeof table[o]);
        } else if (what < 50) {
            if (entry->bits == 0) continue;
            *entry = (phx_relation){0};
            cr_assert(put(o + 1, t + 1, 0, 0));
        } else {
            const uint8_t bits = (uint8_t)(1 + phx_rng_below(&rng, 3));
            float view = phx_rng_unit(&rng);
            *entry = (phx_relation){.target = t + 1, .bits = bits, .view = view, .margin = view / 2};
            cr_assert(put(o + 1, t + 1, bits, view));
        }
        uint32_t count = 0;
        for (uint32_t i = 0; i < TARGETS; i++) {
            const phx_relation *now = find(o + 1, i + 1);
            cr_assert_eq(now != NULL, table[o][i].bits != 0);
            if (now) cr_assert_arr_eq(now, &table[o][i], sizeof *now);
            count += now != NULL;
        }
        const phx_relation_set *set = phx_relations_of(&relations, o + 1);
        cr_assert_eq(set ? set->count : 0, count);
    }
    cr_assert_leq(relations.set_count, OBSERVERS, "sets are used again");
}

static bool change(uint32_t observer, phx_relation item)
{
    return phx_relations_change(&relations, &memory, (phx_relation_observer){observer, ID_OF + observer}, item, 1);
}

/* Ends the tick. Returns how many observers' relations changed. */
static uint32_t settle(void)
{
    uint32_t count = 0;
    for (uint32_t slot; phx_relations_settle(&relations, &slot);) count++;
    return count;
}

Test(relating, beside_a_derived_list_an_end_is_known_till_the_ticks_end)
{
    phx_relation hide = {.target = 7, .slot = 70, .bits = PHX_RELATION_HIDE, .listed = true}, end = hide;
    end.bits = 0;
    cr_assert(change(1, hide));
    cr_assert(phx_relations_due(&relations, 1));
    cr_assert_eq(settle(), 1);
    cr_assert_not(phx_relations_due(&relations, 1), "a hide is not measured");
    cr_assert_eq(relations.hides, 1);
    memory_for(0);
    cr_assert(change(1, end), "an end needs no memory");
    memory_enough();
    cr_assert(phx_relations_due(&relations, 1));
    cr_assert_null(find(1, 7), "it holds no more");
    const phx_relation_set *set = phx_relations_of(&relations, 1);
    cr_assert_eq(set->count, 1, "but it is known");
    cr_assert(set->items[0].listed);
    cr_assert_eq(set->slot[0], 70);
    cr_assert_eq(relations.hides, 0);
    cr_assert(change(1, hide), "and begins again");
    cr_assert_eq(phx_relations_of(&relations, 1)->count, 1);
    phx_relation other = {.target = 7, .slot = 71, .bits = PHX_RELATION_LINK};
    cr_assert(change(1, end));
    cr_assert(change(1, other), "the target left, and another one of its id came");
    cr_assert_eq(phx_relations_of(&relations, 1)->count, 2);
    cr_assert_eq(settle(), 1);
    cr_assert_eq(phx_relations_of(&relations, 1)->count, 1);
    cr_assert_eq(find(1, 7)->bits, PHX_RELATION_LINK);
    cr_assert_eq(phx_relations_of(&relations, 1)->slot[0], 71);
    other.bits = 0;
    cr_assert(change(1, other));
    cr_assert_eq(settle(), 1);
    cr_assert_null(phx_relations_of(&relations, 1), "the last one takes the set with it");
}

/* Beside a stored list an end is told of, too, until the tick's end; a link that holds is found in any slot. */
Test(relating, an_end_is_told_of)
{
    phx_relation link = {.target = 7, .slot = 70, .bits = PHX_RELATION_LINK};
    cr_assert(put(1, 7, PHX_RELATION_LINK, 0));
    cr_assert_not(phx_relations_tell_ended(&relations, 1));
    cr_assert(change(1, link), "of another slot than it was noted with");
    cr_assert_eq(phx_relations_of(&relations, 1)->count, 1);
    link.bits = 0;
    cr_assert(change(1, link));
    cr_assert(phx_relations_tell_ended(&relations, 1));
    cr_assert_eq(phx_relations_of(&relations, 1)->count, 1);
    cr_assert_eq(settle(), 1);
    cr_assert_not(phx_relations_tell_ended(&relations, 1));
}

/* There is room for each change, however many observers leave in the tick, and others take their sets. */
Test(relating, changes_of_observers_that_left)
{
    enum { OBSERVERS = 100 };
    for (uint32_t observer = 1; observer <= OBSERVERS; observer++) {
        cr_assert(change(observer, (phx_relation){.target = 7, .slot = 70, .bits = PHX_RELATION_HIDE}));
        if (observer < OBSERVERS) phx_relations_drop(&relations, observer);
    }
    cr_assert_eq(relations.set_count, 1);
    cr_assert_eq(settle(), 1);
}

Test(relating, without_memory_nothing_changes)
{
    uint32_t refused = 0;
    for (uint32_t observer = 1; observer <= 40; observer++) {
        for (uint64_t target = 100; target < 120; target++) {
            for (uint64_t calls = 0;; calls++) {
                memory_for(calls);
                bool done = put(observer, target, PHX_RELATION_LINK, 0);
                memory_enough();
                cr_assert_eq(find(observer, target) != NULL, done);
                const phx_relation_set *set = phx_relations_of(&relations, observer);
                cr_assert_eq(set ? set->count : 0, target - 100 + done);
                if (done) break;
                refused++;
                cr_assert_lt(calls, 5);
            }
        }
    }
    cr_assert_gt(refused, 100);
}

/*
 * base/few.c: small arrays hold hardly more than they need, and keep their items.
 */
#include <criterion/criterion.h>

#include "base/few.h"
#include "unit/base/watched_mem.h"

Test(few, items_are_kept_and_a_quarter_is_spare_at_most, .init = watch, .fini = all_given_back)
{
    enum { EXACT = 7, ITEMS = 1000 };
    uint64_t *items = NULL;
    uint32_t capacity = 0;
    for (uint32_t count = 0; count < ITEMS; count++) {
        cr_assert(phx_few_grow(&mem, (void **)&items, &capacity, count, count + 1, sizeof *items));
        items[count] = count * count;
        if (count < EXACT) cr_assert_eq(capacity, count + 1);
        cr_assert_leq(capacity, count + 1 + (count + 1) / 4);
        cr_assert_eq(atomic_load(&mem.bytes), capacity * sizeof *items);
    }
    for (uint64_t i = 0; i < ITEMS; i++) cr_assert_eq(items[i], i * i);
    phx_few_release(&mem, (void **)&items, &capacity, sizeof *items);
    cr_assert_null(items);
    cr_assert_eq(capacity, 0);
}

Test(few, failure_changes_nothing, .init = watch, .fini = all_given_back)
{
    uint32_t *items = NULL;
    uint32_t capacity = 0;
    watched_memory_fail_after(&watched, 0);
    cr_assert_not(phx_few_grow(&mem, (void **)&items, &capacity, 0, 1, sizeof *items));
    cr_assert_null(items);
    watched_memory_fail_after(&watched, 1);
    cr_assert(phx_few_grow(&mem, (void **)&items, &capacity, 0, 3, sizeof *items));
    items[2] = 77;
    const uint32_t *before = items;
    cr_assert_not(phx_few_grow(&mem, (void **)&items, &capacity, 3, 4, sizeof *items));
    cr_assert_eq(items, before);
    cr_assert_eq(capacity, 3);
    cr_assert_eq(items[2], 77);
    phx_few_release(&mem, (void **)&items, &capacity, sizeof *items);
}

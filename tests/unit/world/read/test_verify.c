/*
 * ph_verify() finds faults: lists, rows, indexes and ghosts are damaged behind the library's back, one at a time,
 * and each has to be named, in one go and in the smallest slices; cases that the rules leave open have to pass. That
 * sound worlds pass is checked against the model (property/diff_model.c).
 */
#include <criterion/criterion.h>

#include <pharos/pharos.h>

#include "api/handles.h"
#include "shards/query/seen.h"
#include "shards/state/annulus.h"

enum { ENTITIES = 40 };

typedef struct scene {
    ph_world handle;
    ph_producer producer;
    phx_world *world;
} scene;

typedef struct scene_kind {
    ph_range range;
    float margin;
    uint32_t cap, shards, adds_max;
} scene_kind;

/* All entities 10 from the next along x, with a view of 35. */
static scene open_scene(scene_kind kind)
{
    static ph_class class;
    scene s;
    ph_world_def def = ph_world_def_default();
    class = ph_class_default("default");
    class.view = 35;
    class.layers = 3;
    class.bands[class.band_count++] = (ph_band){1, 1}; /* see store_list() */
    class.margin = kind.margin;
    class.cap = kind.cap;
    class.adds_max = kind.adds_max;
    def.classes = &class;
    def.class_count = 1;
    def.range = kind.range;
    def.world_size[0] = def.world_size[1] = 400;
    def.tower_size = 20;
    def.shards[0] = kind.shards;
    def.consumers = 0;
    cr_assert_eq(ph_world_create(&def, &s.handle), PH_OK);
    cr_assert_eq(ph_producer_open(s.handle, &s.producer), PH_OK);
    for (uint64_t id = 1; id <= ENTITIES; id++) {
        const ph_attrs at = {.given = PH_X | PH_Y, .x = (float)id * 10 - 5, .y = 100};
        cr_assert_eq(ph_enter(s.producer, id, &at), PH_OK);
    }
    cr_assert_eq(ph_tick(s.handle, NULL), PH_OK);
    s.world = phx_resolve_world(s.handle);
    return s;
}

static phx_shard *home(const scene *s, uint64_t id, uint32_t *slot)
{
    phx_shard *shard = NULL;
    cr_assert(phx_world_find(s->world, id, &shard, slot));
    return shard;
}

/* A whole round in slices; the first difference. */
static ph_difference round_of(const scene *s, uint64_t pairs)
{
    ph_verification progress = {0};
    ph_difference difference = {0}, first = {0};
    while (progress.rounds == 0) {
        cr_assert_eq(ph_verify(s->handle, pairs, &progress, &difference), PH_OK);
        if (first.kind == PH_DIFFERENCE_NONE) first = difference;
    }
    return first;
}

static void expect_sound(const scene *s, const char *what)
{
    for (uint64_t pairs = 1; pairs != 0; pairs = pairs == UINT64_MAX ? 0 : UINT64_MAX) {
        ph_difference found = round_of(s, pairs);
        cr_assert_eq(found.kind, PH_DIFFERENCE_NONE, "%s: observer %lu, target %lu: %d", what,
                     (unsigned long)found.observer, (unsigned long)found.target, (int)found.kind);
    }
}

static void expect_found(const scene *s, ph_difference_kind kind, uint64_t observer, uint64_t target)
{
    for (uint64_t pairs = 1; pairs != 0; pairs = pairs == UINT64_MAX ? 0 : UINT64_MAX) {
        ph_difference found = round_of(s, pairs);
        cr_assert(found.kind == kind && found.observer == observer && found.target == target,
                  "%d of observer %lu, target %lu; got %d, %lu, %lu", (int)kind, (unsigned long)observer,
                  (unsigned long)target, (int)found.kind, (unsigned long)found.observer, (unsigned long)found.target);
    }
}

/* This target's entry in a stored list. */
static uint32_t *entry_of(const scene *s, uint64_t observer, uint64_t target)
{
    uint32_t slot;
    phx_shard *shard = home(s, observer, &slot);
    phx_list *list = &shard->store.tail[slot].list;
    uint32_t *entries = phx_list_entries(&shard->lists, list);
    cr_assert(!list->derived);
    for (uint32_t i = 0; i < list->count; i++)
        if (shard->store.name[entries[i]].id == target) return &entries[i];
    return NULL;
}

/* In observer's list `target` becomes `other`, which its shard has. */
static void swap_entry(const scene *s, uint64_t observer, uint64_t target, uint64_t other)
{
    uint32_t slot;
    phx_shard *shard = home(s, observer, &slot);
    uint32_t *entry = entry_of(s, observer, target), in = phx_shard_find(shard, &s->world->directory, other);
    cr_assert(entry && in != PHX_SLOT_NONE);
    *entry = in;
}

static void close_scene(const scene *s)
{
    cr_assert_eq(ph_world_destroy(s->handle), PH_OK);
}

/* With bands the list of an observer that does not see layer 1 is stored; all have layer 2, too, so nothing else
 * changes. */
static void store_list(const scene *s, uint64_t observer)
{
    const ph_attrs attrs = {.given = PH_SEES, .sees = 2};
    cr_assert_eq(ph_set(s->producer, observer, &attrs), PH_OK);
    cr_assert_eq(ph_tick(s->handle, NULL), PH_OK);
}

/* A hide ends beside a derived list and begins again beside a stored one, in one tick: its target is not shown. */
Test(verify, a_hide_that_ends_and_begins_in_a_tick)
{
    const ph_attrs changes[] = {{.given = PH_MARGIN, .margin = 5}, {.given = PH_READY, .ready = false}};
    for (uint32_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        scene s = open_scene((scene_kind){.shards = 1});
        cr_assert_eq(ph_hide(s.producer, 10, 11), PH_OK);
        cr_assert_eq(ph_tick(s.handle, NULL), PH_OK);
        expect_sound(&s, "a hidden target");
        cr_assert_eq(ph_unhide(s.producer, 10, 11), PH_OK);
        cr_assert_eq(ph_set(s.producer, 10, &changes[i]), PH_OK);
        if (changes[i].given & PH_READY) {
            const ph_attrs ready = {.given = PH_READY, .ready = true};
            cr_assert_eq(ph_set(s.producer, 10, &ready), PH_OK);
        }
        cr_assert_eq(ph_hide(s.producer, 10, 11), PH_OK);
        cr_assert_eq(ph_tick(s.handle, NULL), PH_OK);
        expect_sound(&s, "a target that is hidden again");
        close_scene(&s);
    }
}

/* A target missing while others wait may wait too; once none waits, it is a difference, also where lists are spread. */
Test(verify, lists_that_are_spread)
{
    for (uint32_t shards = 1; shards <= 4; shards += 3) {
        scene s = open_scene((scene_kind){.shards = shards, .adds_max = 2});
        uint32_t slot;
        const phx_shard *shard = home(&s, 10, &slot);
        cr_assert(phx_shard_has_deferred(shard, slot)); /* it has three in view on each side, two of them joined */
        expect_sound(&s, "a list that is still spread");
        for (uint32_t tick = 0; tick < 4; tick++) store_list(&s, 10);
        cr_assert_not(phx_shard_has_deferred(shard, slot));
        expect_sound(&s, "a list that was spread");
        swap_entry(&s, 10, 12, 14);
        expect_found(&s, PH_DIFFERENCE_MISSING, 10, 12);
        close_scene(&s);
    }
}

Test(verify, stored_lists)
{
    for (uint32_t shards = 1; shards <= 4; shards += 3) {
        scene s = open_scene((scene_kind){.shards = shards});
        store_list(&s, 10);
        expect_sound(&s, "a stored list");
        swap_entry(&s, 10, 12, 14);
        expect_found(&s, PH_DIFFERENCE_MISSING, 10, 12);
        swap_entry(&s, 10, 14, 12);
        swap_entry(&s, 10, 12, 6);
        expect_found(&s, PH_DIFFERENCE_EXTRA, 10, 6);
        swap_entry(&s, 10, 6, 12);
        swap_entry(&s, 10, 12, 9);
        expect_found(&s, PH_DIFFERENCE_TWICE, 10, 9);
        swap_entry(&s, 10, 9, 12);
        swap_entry(&s, 10, 12, 7);
        expect_found(&s, PH_DIFFERENCE_TWICE, 10, 7); /* the lowest of all that it sees */
        close_scene(&s);
    }
}

Test(verify, a_list_that_lost_its_end)
{
    scene s = open_scene((scene_kind){.shards = 1});
    uint32_t slot;
    store_list(&s, 10);
    phx_shard *shard = home(&s, 10, &slot);
    phx_list *list = &shard->store.tail[slot].list;
    uint64_t last = shard->store.name[phx_list_entries(&shard->lists, list)[list->count - 1]].id;
    list->count--;
    expect_found(&s, PH_DIFFERENCE_MISSING, 10, last);
    list->count++;
    expect_sound(&s, "mended");
    close_scene(&s);
}

/* Derived lists come from rows. */
Test(verify, a_row_that_is_not_where_its_entity_is)
{
    scene s = open_scene((scene_kind){.shards = 2});
    uint32_t slot;
    expect_sound(&s, "implied lists");
    phx_shard *shard = home(&s, 5, &slot);
    float *x = &shard->grid.rows.x[shard->store.body[slot].row];
    float was = *x;
    *x += 31;
    expect_found(&s, PH_DIFFERENCE_MISSING, 2, 5);
    *x = was;
    expect_sound(&s, "mended");
    close_scene(&s);
}

Test(verify, a_card_in_the_wrong_tower)
{
    scene s = open_scene((scene_kind){.range = PH_RANGE_TOWERS, .shards = 1});
    uint32_t slot, other;
    phx_shard *shard = home(&s, 1, &slot);
    expect_sound(&s, "towers");
    (void)home(&s, 30, &other);
    for (uint32_t i = 0; i < shard->ninegrid.entries_used; i++)
        if (shard->ninegrid.entries[i].slot == slot) shard->ninegrid.entries[i].slot = other;
    expect_found(&s, PH_DIFFERENCE_EXTRA, 1, 30); /* and no observer sees 1 */
    close_scene(&s);
}

/* A ghost of another shard's entity. */
Test(verify, a_copy_of_another_incarnation)
{
    scene s = open_scene((scene_kind){.shards = 2});
    uint32_t slot;
    phx_shard *shard = home(&s, 20, &slot);
    uint32_t ghost = phx_shard_find(shard, &s.world->directory, 21);
    cr_assert(ghost != PHX_SLOT_NONE && (shard->store.body[ghost].state & PHX_SLOT_GHOST));
    shard->store.name[ghost].incarnation++;
    expect_found(&s, PH_DIFFERENCE_MISSING, 18, 21);
    shard->store.name[ghost].incarnation--;
    shard->store.name[ghost].id = 4711;
    ph_difference found = round_of(&s, UINT64_MAX);
    cr_assert(found.observer == 18 && found.target == 21 && found.kind == PH_DIFFERENCE_MISSING);
    shard->store.name[ghost].id = 21;
    expect_sound(&s, "mended");
    close_scene(&s);
}

Test(verify, an_entity_that_is_gone)
{
    scene s = open_scene((scene_kind){.shards = 1});
    uint32_t slot;
    store_list(&s, 10);
    phx_shard *shard = home(&s, 10, &slot);
    uint32_t in = phx_shard_find(shard, &s.world->directory, ENTITIES);
    uint64_t id = shard->store.name[in].id;
    swap_entry(&s, 10, 13, ENTITIES);
    shard->store.name[in].id = 3; /* of no other entity that is listed: a smaller one, to come first */
    expect_found(&s, PH_DIFFERENCE_EXTRA, 10, 3);
    phx_directory_remove(&s.world->directory, 3);
    cr_assert_eq(round_of(&s, UINT64_MAX).kind, PH_DIFFERENCE_GONE);
    shard->store.name[in].id = id;
    close_scene(&s);
}

/* Between radius and radius + margin it depends on the previous list. */
Test(verify, margins_leave_it_open)
{
    scene s = open_scene((scene_kind){.margin = 10, .shards = 1});
    store_list(&s, 10);
    expect_sound(&s, "margins");
    cr_assert_null(entry_of(&s, 10, 14), "40 away");
    swap_entry(&s, 10, 9, 14);
    expect_found(&s, PH_DIFFERENCE_MISSING, 10, 9); /* but not 14 */
    swap_entry(&s, 10, 14, 9);
    swap_entry(&s, 10, 9, 15);
    expect_found(&s, PH_DIFFERENCE_MISSING, 10, 9);
    swap_entry(&s, 10, 15, 9);
    uint32_t slot;
    phx_shard *shard = home(&s, 10, &slot);
    shard->store.body[slot].x += 8; /* 7 is 38 away now, but stays; 14 is 32 away */
    expect_found(&s, PH_DIFFERENCE_MISSING, 10, 14);
    shard->store.body[slot].x -= 8;
    close_scene(&s);
}

/* The annulus of a derived list: 7 is beyond the view of 10, within the margin, and was in view before. */
Test(verify, annuli)
{
    scene s = open_scene((scene_kind){.margin = 10, .shards = 1});
    uint32_t slot;
    const phx_shard *shard = home(&s, 10, &slot);
    cr_assert_eq(ph_move(s.producer, 10, 103, 100, 0), PH_OK);
    cr_assert_eq(ph_tick(s.handle, NULL), PH_OK);
    const phx_annulus annulus = phx_annulus_of(shard, slot);
    cr_assert(shard->store.tail[slot].list.derived && annulus.count == 1);
    cr_assert_eq(shard->store.name[annulus.at[0]].id, 7);
    expect_sound(&s, "an annulus");
    const uint32_t was = annulus.at[0];
    annulus.at[0] = phx_shard_find(shard, &s.world->directory, 20);
    expect_found(&s, PH_DIFFERENCE_EXTRA, 10, 20);
    annulus.at[0] = phx_shard_find(shard, &s.world->directory, 9);
    expect_found(&s, PH_DIFFERENCE_TWICE, 10, 9);
    annulus.at[0] = was;
    expect_sound(&s, "mended");
    close_scene(&s);
}

/* At a cap of two of six in view, the nearest are 9 and 11. */
Test(verify, the_best_at_a_cap)
{
    scene s = open_scene((scene_kind){.cap = 2, .shards = 2});
    expect_sound(&s, "a cap");
    cr_assert(entry_of(&s, 10, 9) && entry_of(&s, 10, 11));
    swap_entry(&s, 10, 9, 12);
    expect_found(&s, PH_DIFFERENCE_MISSING, 10, 9);
    swap_entry(&s, 10, 12, 9);
    swap_entry(&s, 10, 11, 8);
    expect_found(&s, PH_DIFFERENCE_EXTRA, 10, 8);
    swap_entry(&s, 10, 8, 11);
    uint32_t slot;
    phx_shard *shard = home(&s, 12, &slot);
    shard->store.body[slot].x -= 10.4f; /* beside 11 and a little nearer to 10: not enough to take its place */
    ph_difference found = round_of(&s, UINT64_MAX);
    cr_assert(found.observer != 10, "10 keeps 11");
    close_scene(&s);
}

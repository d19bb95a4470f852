/*
 * shards/entity/entity_store.c: the life of a slot, own and ghost in one place, the quarantine of the
 * dead, and the promise of a reserve.
 */
#include "unit/shards/shard_case.h"

#include "shards/entity/entity_store.h"

static phx_store store;

static void set_up(void)
{
    memory_set_up();
    phx_store_init(&store, &memory);
}

static void tear_down(void)
{
    phx_store_free(&store, &memory);
    memory_tear_down();
}

TestSuite(entity_store, .init = set_up, .fini = tear_down);

static uint32_t taken(uint64_t id, uint32_t state)
{
    cr_assert(phx_store_reserve(&store, &memory, 1));
    cr_assert(phx_idmap_reserve(&store.ghosts, phx_idmap_count(&store.ghosts) + 1));
    return phx_store_add(&store, id, state);
}

static void give_user_data(uint32_t slot, uint64_t user_data)
{
    cr_assert(phx_store_reserve_user_data(&store, &memory, user_data));
    phx_store_set_user_data(&store, slot, user_data);
}

Test(entity_store, a_slot_begins_clean)
{
    uint32_t own = taken(7, PHX_SLOT_OWN), ghost = taken(8, PHX_SLOT_GHOST);
    static const phx_attr zero;
    cr_assert_eq(store.name[own].id, 7);
    cr_assert_eq(store.body[own].state, PHX_SLOT_OWN);
    cr_assert_eq(store.body[own].changed, 0);
    cr_assert_eq(phx_store_user_data(&store, own), 0);
    cr_assert_eq(store.name[own].incarnation, 0);
    cr_assert_arr_eq(phx_store_attr(&store, own), &zero, sizeof zero);
    cr_assert_eq(store.tail[own].list.size_class, PHX_LIST_NONE);
    cr_assert(phx_store_report(&store, own), "told for the first time");
    cr_assert_not(phx_store_report(&store, own));
    cr_assert_eq(store.body[ghost].state, PHX_SLOT_GHOST);
    cr_assert_not(store.tail[ghost].origin.repeated);
    cr_assert_eq(phx_store_ghost(&store, 8), ghost);
    cr_assert_eq(phx_store_ghost(&store, 7), PHX_SLOT_NONE, "own ones are the directory's");
    cr_assert_eq(store.own_count, 1);
    cr_assert_eq(store.ghost_count, 1);
}

Test(entity_store, a_used_slot_begins_as_clean_as_a_new_one)
{
    uint32_t slot = taken(7, PHX_SLOT_OWN);
    set_attr(&store, slot, (phx_attr){.layers = 3, .view = 2, .cap = 1, .ready = true});
    store.body[slot] = (phx_body){.x = 1, .tx = 2, .changed = 3, .state = PHX_SLOT_OWN | PHX_SLOT_FAR};
    give_user_data(slot, 9);
    store.name[slot].incarnation = 9;
    cr_assert(phx_store_report(&store, slot));
    phx_store_kill(&store, slot);
    phx_store_bury(&store);
    cr_assert_eq(taken(11, PHX_SLOT_OWN), slot);
    static const phx_attr zero;
    cr_assert_arr_eq(phx_store_attr(&store, slot), &zero, sizeof zero);
    cr_assert_eq(store.body[slot].state, PHX_SLOT_OWN);
    cr_assert_eq(store.body[slot].x, 0);
    cr_assert_eq(store.body[slot].changed, 0);
    cr_assert_eq(phx_store_user_data(&store, slot), 0);
    cr_assert_eq(store.name[slot].incarnation, 0);
    cr_assert(phx_store_report(&store, slot));
}

Test(entity_store, the_dead_keep_their_names_and_places_until_they_are_buried)
{
    uint32_t slot = taken(7, PHX_SLOT_OWN);
    give_user_data(slot, 70);
    set_attr(&store, slot, (phx_attr){.kind = 3});
    store.name[slot].incarnation = 5;
    phx_store_kill(&store, slot);
    cr_assert_eq(store.own_count, 0);
    for (uint64_t id = 100; id < 200; id++) cr_assert_neq(taken(id, PHX_SLOT_OWN), slot, "quarantined");
    cr_assert_eq(store.body[slot].state, PHX_SLOT_DEAD);
    cr_assert_eq(store.name[slot].id, 7);
    cr_assert_eq(phx_store_user_data(&store, slot), 70);
    cr_assert_eq(phx_store_attr(&store, slot)->kind, 3);
    cr_assert_eq(store.name[slot].incarnation, 5);
    phx_store_bury(&store);
    cr_assert_eq(store.body[slot].state, 0);
    cr_assert_eq(store.dead_count, 0);
    cr_assert_eq(store.free_count, 1);
    cr_assert_eq(taken(8, PHX_SLOT_OWN), slot);
    cr_assert_eq(store.free_count, 0);
}

Test(entity_store, a_dead_ghost_makes_room_for_its_next_incarnation_at_once)
{
    uint32_t old = taken(7, PHX_SLOT_GHOST);
    phx_store_kill(&store, old);
    cr_assert_eq(phx_store_ghost(&store, 7), PHX_SLOT_NONE);
    cr_assert_eq(store.ghost_count, 0);
    uint32_t now = taken(7, PHX_SLOT_GHOST);
    cr_assert_neq(now, old);
    cr_assert_eq(phx_store_ghost(&store, 7), now);
    phx_store_bury(&store);
    cr_assert_eq(phx_store_ghost(&store, 7), now, "burying the old one does not take the new one's name");
}

Test(entity_store, own_and_ghost_change_over_in_place)
{
    uint32_t slot = taken(7, PHX_SLOT_OWN);
    store.body[slot] = (phx_body){.x = 1.5f,
                                  .tx = 2,
                                  .row = 4,
                                  .changed = 3,
                                  .state = PHX_SLOT_OWN | PHX_SLOT_ROW | PHX_SLOT_RELATED | PHX_SLOT_FAR};
    give_user_data(slot, 70);
    set_attr(&store, slot, (phx_attr){.kind = 3});
    cr_assert(phx_idmap_reserve(&store.ghosts, 1));
    phx_store_to_ghost(&store, slot, (phx_ghost_source){.source = 2, .emigrated = true});
    cr_assert_eq(store.body[slot].state, PHX_SLOT_GHOST | PHX_SLOT_ROW | PHX_SLOT_FAR, "relations went with it");
    cr_assert_eq(phx_store_ghost(&store, 7), slot);
    cr_assert_not(store.tail[slot].origin.repeated);
    cr_assert_eq(store.tail[slot].origin.source, 2);
    cr_assert(store.tail[slot].origin.emigrated);
    cr_assert_eq(store.own_count, 0);
    cr_assert_eq(store.ghost_count, 1);
    phx_store_to_own(&store, slot);
    cr_assert_eq(store.body[slot].state, PHX_SLOT_OWN | PHX_SLOT_ROW | PHX_SLOT_FAR);
    cr_assert_eq(phx_store_ghost(&store, 7), PHX_SLOT_NONE);
    cr_assert_eq(store.tail[slot].list.size_class, PHX_LIST_NONE);
    cr_assert_eq(store.own_count, 1);
    cr_assert_eq(store.ghost_count, 0);
    cr_assert_eq(store.body[slot].x, 1.5f);
    cr_assert_eq(store.body[slot].row, 4);
    cr_assert_eq(phx_store_user_data(&store, slot), 70);
    cr_assert_eq(phx_store_attr(&store, slot)->kind, 3);
}

/* A store without user data pays nothing for it; entities before the first one with it have 0. */
Test(entity_store, user_data_takes_memory_once_it_is_there)
{
    uint32_t first = taken(1, PHX_SLOT_OWN);
    give_user_data(first, 0);
    cr_assert_null(store.user_data);
    uint32_t second = taken(2, PHX_SLOT_OWN);
    give_user_data(second, 20);
    cr_assert_eq(phx_store_user_data(&store, first), 0);
    cr_assert_eq(phx_store_user_data(&store, second), 20);
    give_user_data(second, 0);
    cr_assert_eq(phx_store_user_data(&store, second), 0);
}

Test(entity_store, growing_keeps_everything)
{
    enum { COUNT = 3000 };
    for (uint64_t id = 1; id <= COUNT; id++) {
        uint32_t slot = taken(id, id % 3 == 0 ? PHX_SLOT_GHOST : PHX_SLOT_OWN);
        store.body[slot].x = (float)id;
        set_attr(&store, slot, (phx_attr){.cap = (uint32_t)id});
        give_user_data(slot, id * 10);
        store.name[slot].incarnation = (uint32_t)id + 1;
    }
    for (uint32_t slot = 0; slot < COUNT; slot++) {
        uint64_t id = slot + 1;
        cr_assert_eq(store.name[slot].id, id);
        cr_assert_eq(store.body[slot].x, (float)id);
        cr_assert_eq(phx_store_attr(&store, slot)->cap, id);
        cr_assert_eq(phx_store_user_data(&store, slot), id * 10);
        cr_assert_eq(store.name[slot].incarnation, id + 1);
        cr_assert_eq(phx_store_ghost(&store, id), id % 3 == 0 ? slot : PHX_SLOT_NONE);
    }
}

/* After a reserve of `count` that many may come and then every live slot may die: with no memory at all. */
Test(entity_store, a_reserve_is_enough_for_all_to_come_and_all_to_die)
{
    uint64_t rng = 4, id = 1;
    uint32_t most = 0;
    for (int round = 0; round < 200; round++) {
        uint32_t count = phx_rng_below(&rng, 400);
        memory_enough();
        cr_assert(phx_store_reserve(&store, &memory, count));
        cr_assert(phx_idmap_reserve(&store.ghosts, phx_idmap_count(&store.ghosts) + count));
        memory_for(0);
        bool kill_first = phx_rng_below(&rng, 2), kill_all = phx_rng_below(&rng, 4) == 0;
        for (int pass = 0; pass < 2; pass++) {
            for (uint32_t slot = 0; (pass == 0) == kill_first && slot < store.slots; slot++)
                if ((store.body[slot].state & PHX_SLOT_LIVE) && (kill_all || phx_rng_below(&rng, 3) == 0))
                    phx_store_kill(&store, slot);
            for (uint32_t i = 0; pass == 0 && i < count; i++)
                (void)phx_store_add(&store, id++, phx_rng_below(&rng, 2) ? PHX_SLOT_OWN : PHX_SLOT_GHOST);
        }
        if (store.dead_count + store.own_count + store.ghost_count > most)
            most = store.dead_count + store.own_count + store.ghost_count;
        if (phx_rng_below(&rng, 3) > 0) phx_store_bury(&store);
    }
    memory_enough();
    cr_assert_leq(store.slots, most + 400, "free slots are taken before new ones");
}

Test(entity_store, every_free_slot_is_taken_once_before_a_new_one)
{
    enum { COUNT = 300 };
    bool used[COUNT] = {false};
    for (uint64_t id = 1; id <= COUNT; id++) (void)taken(id, PHX_SLOT_OWN);
    for (uint32_t slot = 0; slot < COUNT; slot++) phx_store_kill(&store, slot);
    phx_store_bury(&store);
    cr_assert_eq(store.free_count, COUNT);
    for (uint64_t id = 1; id <= COUNT; id++) {
        uint32_t slot = taken(id, PHX_SLOT_OWN);
        cr_assert_lt(slot, COUNT);
        cr_assert_not(used[slot]);
        used[slot] = true;
    }
    cr_assert_eq(taken(1000, PHX_SLOT_OWN), COUNT);
}

Test(entity_store, free_slots_count_as_room)
{
    for (uint64_t id = 1; id <= 200; id++) (void)taken(id, PHX_SLOT_OWN);
    for (uint32_t slot = 0; slot < 150; slot++) phx_store_kill(&store, slot);
    phx_store_bury(&store);
    uint32_t capacity = store.capacity;
    cr_assert(phx_store_reserve(&store, &memory, 150 + capacity - 200));
    cr_assert_eq(store.capacity, capacity);
    cr_assert(phx_store_reserve(&store, &memory, 151 + capacity - 200));
    cr_assert_gt(store.capacity, capacity);
}

/* So many arrays grow, or none does. */
static void grow_without_memory(uint64_t arrays)
{
    for (uint64_t calls = 0;; calls++) {
        uint32_t capacity = store.capacity;
        const phx_body *body = store.body;
        memory_for(calls);
        bool done = phx_store_reserve(&store, &memory, 1000);
        memory_enough();
        if (done) {
            cr_assert_eq(calls, arrays);
            break;
        }
        cr_assert(store.capacity == capacity && store.body == body);
        cr_assert_eq(store.slots, 256);
        for (uint32_t slot = 0; slot < 256; slot++) cr_assert_eq(store.name[slot].id, slot + 1);
    }
}

Test(entity_store, without_memory_a_reserve_changes_nothing)
{
    for (uint64_t id = 1; id <= 256; id++) (void)taken(id, PHX_SLOT_OWN);
    grow_without_memory(4);
}

Test(entity_store, without_memory_there_is_no_user_data)
{
    for (uint64_t id = 1; id <= 256; id++) (void)taken(id, PHX_SLOT_OWN);
    memory_for(0);
    cr_assert_not(phx_store_reserve_user_data(&store, &memory, 7));
    cr_assert(phx_store_reserve_user_data(&store, &memory, 0));
    memory_enough();
    give_user_data(200, 7);
    grow_without_memory(5);
    for (uint32_t slot = 0; slot < 256; slot++) cr_assert_eq(phx_store_user_data(&store, slot), slot == 200 ? 7 : 0);
}

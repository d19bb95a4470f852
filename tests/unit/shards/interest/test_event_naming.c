/*
 * shards/interest/change_record.c: the targets of a change by depth, kind, then id, whatever the ids and kinds of a
 * shard are like, against a plain sort of their names.
 */
#include "unit/shards/shard_case.h"

#include "base/simd.h"
#include "shards/entity/event_columns.h"
#include "shards/interest/change_record.h"
#include "shards/interest/evaluate.h"
#include "shards/interest/event_naming.h"
#include "shards/simd/dispatch.h"
#include "shards/simd/kernels.h"

enum { MEMBERS = 200, MOST = PHX_ORDER_SHORT_MAX };

static phx_shard shard;
static const phx_cause_scope scope;
static phx_scratch scratch;
static uint32_t chosen[2 * MOST];
static phx_depths attached;
static const phx_depths *depths; /* NULL, or the ones above */
static bool of_leaves;           /* the events in order are leaves */

static void set_up(void)
{
    memory_set_up();
    phx_store_init(&shard.store, &memory);
    phx_depths_init(&attached, &memory);
}

static void tear_down(void)
{
    phx_store_free(&shard.store, &memory);
    phx_depths_free(&attached);
    memory_tear_down();
}

TestSuite(changes, .init = set_up, .fini = tear_down);

/* Which bits of an id and of a kind differ between entities; the others are the same for all. */
typedef struct shape {
    uint64_t id_own, id_common;
    uint16_t kind_own, kind_common;
} shape;

static void populate(const shape *of, uint64_t *rng)
{
    phx_store *store = &shard.store;
    cr_assert(phx_store_reserve(store, &memory, MEMBERS));
    for (uint32_t i = 0; i < MEMBERS; i++) {
        uint64_t id = (phx_rng_next(rng) & of->id_own & ~UINT64_C(255)) | i | of->id_common; /* no two alike */
        uint32_t slot = phx_store_add(store, id, PHX_SLOT_OWN);
        phx_attr attr = plain_attr(0, 0);
        attr.kind = (uint16_t)((phx_rng_next(rng) & of->kind_own) | of->kind_common);
        set_attr(store, slot, attr);
        phx_store_rename(store, slot);
        cr_assert(phx_store_reserve_user_data(store, &memory, ~id));
        phx_store_set_user_data(store, slot, ~id);
        store->name[slot].incarnation = slot;
        store->body[slot].x = (float)slot;
        store->body[slot].y = -(float)slot;
        store->body[slot].z = 0.5f;
    }
}

static int by_kind_and_id(const void *a, const void *b)
{
    const phx_name *x = &shard.store.name[*(const uint32_t *)a], *y = &shard.store.name[*(const uint32_t *)b];
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static uint32_t depth_of(uint32_t slot)
{
    if (!depths) return 0;
    const uint64_t id = shard.store.name[slot].id;
    return of_leaves ? PH_ATTACH_DEPTH_MAX - phx_depths_before(depths, id) : phx_depths_now(depths, id);
}

static int by_depth_kind_and_id(const void *a, const void *b)
{
    const uint32_t x = depth_of(*(const uint32_t *)a), y = depth_of(*(const uint32_t *)b);
    return x != y ? (x < y ? -1 : 1) : by_kind_and_id(a, b);
}

/* Attaches one entity of so many, anew for now and for before; 0: none. */
static void attach(uint32_t share, uint64_t *rng)
{
    depths = share ? &attached : NULL;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t slot = 0; share && slot < MEMBERS; slot++) {
            const uint32_t depth = 1 + (uint32_t)phx_rng_below(rng, share == 1 ? PH_ATTACH_DEPTH_MAX : 2);
            cr_assert(phx_depths_reserve(&attached));
            phx_depths_set(&attached, shard.store.name[slot].id, phx_rng_below(rng, share) ? 0 : depth);
        }
        if (pass == 0) phx_attach_depth_end_tick(&attached);
    }
}

/* Different slots, in any order. */
static void choose(uint32_t *slots, uint32_t count, uint64_t *rng)
{
    uint32_t all[MEMBERS];
    for (uint32_t i = 0; i < MEMBERS; i++) all[i] = i;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = i + (uint32_t)phx_rng_below(rng, MEMBERS - i), slot = all[other];
        all[other] = all[i];
        slots[i] = slot;
    }
}

static void check_part(phx_event_columns to, uint32_t *slots, uint32_t count, ph_cause cause, const char *what)
{
    const bool enters = cause == PH_CAUSE_CAME;
    of_leaves = !enters;
    qsort(slots, count, sizeof *slots, by_depth_kind_and_id);
    for (uint32_t i = 0; i < count; i++) {
        const phx_name *name = &shard.store.name[slots[i]];
        cr_assert(to.targets[i].id == name->id && to.targets[i].user_data == ~name->id && to.kinds[i] == name->kind &&
                      to.incarnations[i] == name->incarnation && to.causes[i] == cause &&
                      to.positions[i].x == (enters ? (float)slots[i] : 0) &&
                      to.positions[i].y == (enters ? -(float)slots[i] : 0) && to.positions[i].z == (enters ? 0.5f : 0),
                  "%s: %u of %u", what, i, count);
    }
}

static void write_names(const phx_change *change, phx_event_columns to)
{
    phx_event_writer writer;
    phx_event_writer_begin(&writer, &shard, &scope, depths);
    phx_event_writer_add(&writer, &scratch, change, &to, 0);
    phx_event_writer_flush(&writer);
}

static void check_names(uint32_t leaves, uint32_t enters, uint64_t *rng, const char *what)
{
    ph_target targets[2 * MOST];
    uint16_t kinds[2 * MOST];
    uint32_t incarnations[2 * MOST];
    uint8_t causes[2 * MOST];
    ph_position positions[2 * MOST];
    const phx_event_columns to = {targets, incarnations, kinds, causes, positions};
    phx_change change = {.leave_count = leaves, .enter_count = enters, .list_first = PHX_SLOT_NONE};
    uint32_t told[MOST], few[PHX_ORDER_SHORT_MAX], n = 0, e = 0, l = 0;
    choose(chosen, leaves, rng);
    choose(chosen + leaves, enters, rng);
    while (l < leaves || e < enters) { /* one of either, by turns at random */
        bool leave = e == enters || (l < leaves && phx_rng_below(rng, 2));
        told[n] = leave ? chosen[l++] | PHX_TARGET_LEAVE : chosen[leaves + e++];
        told[n++] |= phx_rng_below(rng, 4) ? 0 : PHX_ROW_SPECIAL; /* rows' words */
    }
    scratch = (phx_scratch){.targets = told};
    cr_assert_arr_eq(phx_interest_entered(&scratch, &change, few), chosen + leaves, enters * sizeof *few, "%s", what);
    write_names(&change, to);
    check_part(to, chosen, leaves, PH_CAUSE_RANGE, what);
    check_part(phx_event_columns_from(&to, leaves), chosen + leaves, enters, PH_CAUSE_CAME, what);
}

/* More than counting is for: in order when the change is recorded. */
static void check_many(uint32_t count, uint64_t *rng, const char *what)
{
    ph_target targets[MEMBERS];
    uint16_t kinds[MEMBERS];
    uint32_t incarnations[MEMBERS];
    uint8_t causes[MEMBERS];
    ph_position positions[MEMBERS];
    const phx_event_columns to = {targets, incarnations, kinds, causes, positions};
    phx_scratch_init(&scratch, &memory);
    cr_assert(phx_scratch_room(&scratch, count) && phx_interest_reserve(&scratch, count, 0));
    choose(scratch.enter, count, rng);
    const phx_change *change = phx_interest_record(&scratch, &shard, 0, count, 0);
    write_names(change, to);
    check_part(to, scratch.enter, count, PH_CAUSE_CAME, what);
    phx_scratch_free(&scratch);
}

/* Changes on their way together: their keys, and the expected order of each. */
enum { TOGETHER = 400, ROOM = TOGETHER * 80 };

typedef struct together {
    phx_change change[TOGETHER];
    uint32_t told[ROOM], expected[ROOM], first[TOGETHER];
    ph_target targets[2][ROOM]; /* of two consumers */
    uint16_t kinds[2][ROOM];
    uint32_t incarnations[2][ROOM];
    uint8_t causes[2][ROOM];
    ph_position positions[2][ROOM];
    phx_event_columns to[2];
    uint32_t consumer[TOGETHER];
} together;

/* Some targets, leaves first when they are many; behind others that need not be next to it. */
static void add_change(together *all, uint32_t c, uint64_t *rng)
{
    uint32_t few = 1 + phx_rng_below(rng, phx_rng_below(rng, 8) ? 6 : MOST), many = MOST + 1 + phx_rng_below(rng, 100);
    uint32_t count = phx_rng_below(rng, 30) ? few : many, leaves = phx_rng_below(rng, count + 1);
    const phx_change *last = c > 0 ? &all->change[c - 1] : NULL;
    uint32_t end = last ? last->target_first + last->leave_count + last->enter_count : 0;
    uint32_t first = c > 0 ? all->first[c - 1] + last->leave_count + last->enter_count : 0;
    phx_change *own = &all->change[c];
    *own = (phx_change){.leave_count = leaves, .enter_count = count - leaves, .list_first = PHX_SLOT_NONE};
    own->target_first = end + (phx_rng_below(rng, 9) ? 0 : phx_rng_below(rng, 3));
    own->ordered = count > MOST;
    uint32_t *slots = all->expected + own->target_first, *told = all->told + own->target_first;
    cr_assert_leq(own->target_first + count, ROOM);
    choose(slots, count, rng);
    qsort(slots, leaves, sizeof *slots, by_kind_and_id);
    qsort(slots + leaves, count - leaves, sizeof *slots, by_kind_and_id);
    for (uint32_t i = 0; i < count; i++) told[i] = slots[i] | (i < leaves && !own->ordered ? PHX_TARGET_LEAVE : 0);
    for (uint32_t i = 0; i < count && !own->ordered; i++) { /* in any order, of special ones or not */
        uint32_t other = phx_rng_below(rng, count), was = told[i];
        told[i] = told[other] | (phx_rng_below(rng, 4) ? 0 : PHX_ROW_SPECIAL);
        told[other] = was;
    }
    all->first[c] = first + phx_rng_below(rng, 2);
    all->consumer[c] = c > 0 && phx_rng_below(rng, 50) ? all->consumer[c - 1] : phx_rng_below(rng, 2);
}

/* Many changes, of one target or many, some apart from others, now and then another consumer's. */
static void check_together(uint64_t *rng, const char *what)
{
    static together room;
    together *all = &room;
    phx_event_writer writer;
    for (uint32_t c = 0; c < TOGETHER; c++) add_change(all, c, rng);
    for (uint32_t k = 0; k < 2; k++)
        all->to[k] = (phx_event_columns){all->targets[k], all->incarnations[k], all->kinds[k], all->causes[k],
                                         all->positions[k]};
    scratch = (phx_scratch){.targets = all->told};
    phx_event_writer_begin(&writer, &shard, &scope, depths);
    for (uint32_t c = 0; c < TOGETHER; c++) {
        const uint32_t k = all->consumer[c];
        phx_event_writer_add(&writer, &scratch, &all->change[c], &all->to[k], all->first[c]);
        if (phx_rng_below(rng, 100) == 0) phx_event_writer_flush(&writer);
    }
    phx_event_writer_flush(&writer);
    for (uint32_t c = 0; c < TOGETHER; c++) {
        const phx_change *own = &all->change[c];
        const uint32_t k = all->consumer[c], leaves = own->leave_count;
        uint32_t at = all->first[c], *slots = all->expected + own->target_first;
        check_part(phx_event_columns_from(&all->to[k], at), slots, leaves, PH_CAUSE_RANGE, what);
        at += leaves, slots += leaves;
        check_part(phx_event_columns_from(&all->to[k], at), slots, own->enter_count, PH_CAUSE_CAME, what);
    }
}

static void check_shape(const shape *of)
{
    static const ph_simd sets[] = {PH_SIMD_PORTABLE, PH_SIMD_AVX2, PH_SIMD_AVX512};
    uint64_t rng = 41;
    char what[96];
    populate(of, &rng);
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        if (!phx_simd_supported(sets[k])) continue;
        shard.kernels = phx_kernels_of(sets[k]);
        snprintf(what, sizeof what, "ids %016lx, kinds %04x, instructions %d", (unsigned long)of->id_own, of->kind_own,
                 (int)sets[k]);
        for (uint32_t count = 0; count <= MOST; count++) check_names(count, MOST - count, &rng, what);
        for (uint32_t count = MOST + 1; count <= MEMBERS; count++) check_many(count, &rng, what);
        for (uint32_t round = 0; round < 8; round++) check_together(&rng, what);
        for (uint32_t share = 1; share <= 64; share *= 4) { /* one entity of so many is attached */
            attach(share, &rng);
            for (uint32_t count = 0; count <= MOST; count += 3) check_names(count, MOST - count, &rng, what);
            for (uint32_t count = MOST + 1; count <= MEMBERS; count += 5) check_many(count, &rng, what);
            for (uint32_t round = 0; round < 2; round++) check_together(&rng, what);
        }
        attach(0, &rng);
    }
}

Test(changes, ids_counted_up_and_one_kind)
{
    check_shape(&(shape){.id_common = UINT64_C(0xabcd) << 48, .kind_common = 7});
}

Test(changes, keys_that_just_fit)
{
    check_shape(&(shape){.id_own = 0xffff, .kind_own = 0x7fff});
}

Test(changes, keys_that_do_not_fit_by_their_kinds)
{
    check_shape(&(shape){.id_own = 0xffffff, .kind_own = 0xffff});
}

Test(changes, keys_that_do_not_fit_by_their_ids)
{
    check_shape(&(shape){.id_own = UINT64_MAX, .kind_own = 3});
}

/* An entity unlike the others was here: the keys are made of the bits in which the others differ. */
Test(changes, keys_of_short_changes_among_others)
{
    cr_assert(phx_store_reserve(&shard.store, &memory, MEMBERS + 1));
    check_shape(&(shape){.id_own = 0xffff, .kind_own = 3});
    phx_store_add(&shard.store, UINT64_MAX, PHX_SLOT_OWN);
    uint64_t rng = 43;
    for (uint32_t count = 0; count <= MOST; count++) check_names(count, MOST - count, &rng, "among others");
    for (uint32_t count = MOST + 1; count <= MEMBERS; count++) check_many(count, &rng, "among others");
}

/* Most targets are not attached, and of these few are looked up in the depths: else the fill is slow, and right. */
Test(changes, few_depths_are_looked_up)
{
    enum { TIMES = 100, ATTACHED = 4 };
    static uint32_t told[MOST];
    static ph_target targets[MOST];
    static uint16_t kinds[MOST];
    static uint32_t incarnations[MOST];
    static uint8_t causes[MOST];
    const phx_event_columns to = {targets, incarnations, kinds, causes, NULL};
    const phx_change change = {.enter_count = MOST, .list_first = PHX_SLOT_NONE};
    uint64_t rng = 47;
    uint32_t lookups = 0;
    populate(&(shape){.id_own = 0xffff, .kind_own = 3}, &rng);
    shard.kernels = phx_kernels_of(PH_SIMD_PORTABLE);
    for (uint32_t slot = 0; slot < ATTACHED; slot++) {
        cr_assert(phx_depths_reserve(&attached));
        phx_depths_set(&attached, shard.store.name[slot].id, 1);
    }
    for (uint32_t i = 0; i < TIMES; i++) {
        phx_event_writer writer;
        choose(told, MOST, &rng);
        scratch = (phx_scratch){.targets = told};
        phx_event_writer_begin(&writer, &shard, &scope, &attached);
        phx_event_writer_add(&writer, &scratch, &change, &to, 0);
        phx_event_writer_flush(&writer);
        lookups += writer.depth_lookups;
    }
    cr_assert(0 < lookups && lookups < TIMES * MOST / 4, "%u of %u", lookups, TIMES * MOST);
}

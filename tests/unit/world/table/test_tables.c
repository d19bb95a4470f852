/*
 * The world's small tables: partition, ties, attachments, resolved attributes, the gate.
 * Each against a plain table, or row by row.
 */
#include "unit/shards/shard_case.h"

#include "world/table/attachments.h"
#include "world/table/attr_resolve.h"
#include "world/table/gate.h"
#include "world/table/partition.h"
#include "world/table/relation_index.h"

TestSuite(tables, .init = memory_set_up, .fini = memory_tear_down);

/* ---- partition ---- */

static void check_partition(uint32_t width, uint32_t height, uint32_t columns, uint32_t rows)
{
    phx_partition p;
    const uint32_t towers[2] = {width, height}, shards[2] = {columns, rows};
    uint64_t covered = 0;
    cr_assert(phx_partition_init(&p, &memory, towers, shards));
    for (uint32_t s = 0; s < columns * rows; s++) {
        phx_rect rect = phx_partition_rect(&p, s);
        uint32_t w = rect.x1 - rect.x0 + 1u, h = rect.y1 - rect.y0 + 1u;
        cr_assert(rect.x0 <= rect.x1 && rect.x1 < width && rect.y0 <= rect.y1 && rect.y1 < height, "shard %u", s);
        cr_assert(w >= width / columns && w <= width / columns + 1, "as equal as can be");
        cr_assert(h >= height / rows && h <= height / rows + 1);
        covered += (uint64_t)w * h;
        /* its corners are its own: columns and rows are whole, so then is all between */
        cr_assert_eq(phx_partition_shard(&p, rect.x0, rect.y0), s);
        cr_assert_eq(phx_partition_shard(&p, rect.x1, rect.y0), s);
        cr_assert_eq(phx_partition_shard(&p, rect.x0, rect.y1), s);
        cr_assert_eq(phx_partition_shard(&p, rect.x1, rect.y1), s);
    }
    cr_assert_eq(covered, (uint64_t)width * height, "every tower once");
    for (uint32_t x = 1; x < width; x++) cr_assert_leq(p.column_of[x] - (uint32_t)p.column_of[x - 1], 1);
    for (uint32_t y = 1; y < height; y++) cr_assert_leq(p.row_of[y] - (uint32_t)p.row_of[y - 1], 1);
    phx_partition_free(&p, &memory);
}

Test(tables, shards_tile_the_world)
{
    uint64_t rng = 20;
    check_partition(1, 1, 1, 1);
    check_partition(32, 32, 32, 32);
    check_partition(65535, 65535, 32, 32);
    check_partition(65535, 1, 1024, 1);
    check_partition(1000, 1023, 1, 1023);
    for (int i = 0; i < 300; i++) {
        uint32_t width = 1 + phx_rng_below(&rng, 300), height = 1 + phx_rng_below(&rng, 300);
        check_partition(width, height, 1 + phx_rng_below(&rng, width < 32 ? width : 32),
                        1 + phx_rng_below(&rng, height < 32 ? height : 32));
    }
}

Test(tables, a_partition_without_memory_holds_none)
{
    phx_partition p;
    const uint32_t towers[2] = {100, 100}, shards[2] = {2, 2};
    for (uint64_t calls = 0; calls < 2; calls++) {
        memory_for(calls);
        cr_assert_not(phx_partition_init(&p, &memory, towers, shards));
        cr_assert_eq(atomic_load(&watched.blocks), 0);
    }
}

/* ---- ties ---- */

enum { IDS = 60 };

static bool tied[IDS][IDS]; /* [target][observer] */

static void check_relation_index(const phx_relation_index *relation_index, uint64_t target)
{
    const phx_relation_observers *tie = phx_relation_index_of(relation_index, target);
    uint32_t count = 0;
    for (uint64_t o = 1; o < IDS; o++) count += tied[target][o];
    cr_assert_eq(tie ? tie->count : 0, count);
    cr_assert_eq(tie != NULL, count > 0);
    for (uint32_t i = 0; i < count; i++) {
        cr_assert(tied[target][tie->observers[i]]);
        for (uint32_t k = 0; k < i; k++) cr_assert_neq(tie->observers[i], tie->observers[k]);
    }
}

Test(tables, ties_against_a_plain_table)
{
    enum { PAIRS = 20, PHASE = 2000 }; /* few enough that targets come and go whole */
    phx_relation_index relation_index;
    uint64_t rng = 21, relations = 0;
    uint32_t refused = 0, emptied = 0;
    phx_relation_index_init(&relation_index, &memory);
    cr_assert_null(phx_relation_index_of(&relation_index, 1));
    for (int round = 0; round < 40000; round++) {
        uint64_t target = 1 + phx_rng_below(&rng, PAIRS), observer = 1 + phx_rng_below(&rng, PAIRS);
        bool *now = &tied[target][observer], filling = round / PHASE % 2 == 0;
        if (*now && phx_rng_below(&rng, 4) < (filling ? 1 : 4)) {
            phx_relation_index_remove(&relation_index, target, observer);
            relations--;
            *now = false;
            emptied += phx_relation_index_of(&relation_index, target) == NULL;
        } else if (!*now && filling) {
            for (uint64_t calls = 0;; calls++) {
                memory_for(calls);
                *now = phx_relation_index_add(&relation_index, target, observer);
                memory_enough();
                relations += *now;
                check_relation_index(&relation_index, target);
                if (*now) break;
                refused++;
            }
        }
        check_relation_index(&relation_index, target);
        cr_assert_eq(relation_index.relations, relations);
    }
    cr_assert_gt(refused, 30);
    cr_assert_gt(emptied, 30);
    cr_assert_leq(relation_index.entry_count, PAIRS, "places are used again");
    phx_relation_index_free(&relation_index);
}

/* An import that is undone adds relations again: the room that its target had is in a free place, behind another one.
 */
Test(tables, ties_have_the_room_that_they_had)
{
    phx_relation_index relation_index;
    phx_relation_index_init(&relation_index, &memory);
    for (uint64_t observer = 2; observer <= 4; observer++)
        cr_assert(phx_relation_index_add(&relation_index, 1, observer));
    cr_assert(phx_relation_index_add(&relation_index, 9, 2));
    for (uint64_t observer = 2; observer <= 4; observer++) phx_relation_index_remove(&relation_index, 1, observer);
    phx_relation_index_remove(&relation_index, 9, 2); /* its place is the first free one, with room for one */
    memory_for(0);
    relation_index.undoes = true;
    for (uint64_t observer = 2; observer <= 4; observer++)
        cr_assert(phx_relation_index_add(&relation_index, 1, observer));
    cr_assert_not(phx_relation_index_add(&relation_index, 1, 5), "never so many");
    memory_enough();
    relation_index.undoes = false;
    const phx_relation_observers *tie = phx_relation_index_of(&relation_index, 1);
    cr_assert(tie->count == 3 && tie->observers[0] == 2 && tie->observers[1] == 3 && tie->observers[2] == 4);
    cr_assert(phx_relation_index_add(&relation_index, 9, 2));
    phx_relation_index_free(&relation_index);
}

/* An import that is undone puts relations back without memory: also where others have got the room meanwhile. */
Test(tables, ties_exchange_their_room)
{
    phx_relation_index relation_index;
    phx_relation_index_init(&relation_index, &memory);
    cr_assert(phx_relation_index_add(&relation_index, 9, 2)); /* room for one */
    for (uint64_t observer = 2; observer <= 5; observer++)
        cr_assert(phx_relation_index_add(&relation_index, 1, observer));
    for (uint64_t observer = 2; observer <= 5; observer++) phx_relation_index_remove(&relation_index, 1, observer);
    memory_for(0);
    cr_assert_not(phx_relation_index_add(&relation_index, 9, 3), "no undo");
    relation_index.undoes = true;
    cr_assert(phx_relation_index_add(&relation_index, 9, 3), "with the room of 1");
    phx_relation_index_remove(&relation_index, 9, 3);
    for (uint64_t observer = 2; observer <= 5; observer++)
        cr_assert(phx_relation_index_add(&relation_index, 1, observer), "%d", (int)observer);
    cr_assert_not(phx_relation_index_add(&relation_index, 9, 3), "never so many at once");
    memory_enough();
    const phx_relation_observers *one = phx_relation_index_of(&relation_index, 1);
    const phx_relation_observers *nine = phx_relation_index_of(&relation_index, 9);
    cr_assert(one->count == 4 && one->observers[0] == 2 && one->observers[3] == 5);
    cr_assert(nine->count == 1 && nine->observers[0] == 2);
    phx_relation_index_free(&relation_index);
}

/* ---- attachments ---- */

static uint64_t parent_of[IDS];
static uint64_t children_of[IDS][IDS]; /* in the order of attaching */
static uint32_t child_count[IDS];

static uint32_t depth_below(uint64_t id)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < child_count[id]; i++) {
        uint32_t below = 1 + depth_below(children_of[id][i]);
        if (below > most) most = below;
    }
    return most;
}

static ph_status checked(uint64_t child, uint64_t parent)
{
    uint32_t above = 0;
    for (uint64_t id = parent; id != 0; id = parent_of[id])
        if (id == child) return PH_CYCLE;
    for (uint64_t id = parent; parent_of[id] != 0; id = parent_of[id]) above++;
    return above + 1 + depth_below(child) > 8 ? PH_TOO_DEEP : PH_OK;
}

static void check_family(const phx_attach *attach, uint64_t id)
{
    uint64_t root = id;
    while (parent_of[root] != 0) root = parent_of[root];
    cr_assert_eq(phx_attach_parent(attach, id), parent_of[id]);
    cr_assert_eq(phx_attach_root(attach, id), root);
    const phx_attach_links *family = phx_attach_children(attach, id);
    cr_assert_eq(family ? family->count : 0, child_count[id]);
    if (child_count[id] > 0) cr_assert_arr_eq(family->children, children_of[id], child_count[id] * sizeof(uint64_t));
}

static void take_off(phx_attach *attach, uint64_t child)
{
    uint64_t parent = parent_of[child];
    uint32_t n = 0;
    for (uint32_t i = 0; i < child_count[parent]; i++)
        if (children_of[parent][i] != child) children_of[parent][n++] = children_of[parent][i];
    child_count[parent] = n;
    parent_of[child] = 0;
    phx_attach_remove(attach, child);
    check_family(attach, parent);
}

Test(tables, attachments_against_a_plain_table)
{
    phx_attach attach;
    uint64_t rng = 22;
    uint32_t cycles = 0, too_deep = 0, refused = 0;
    phx_attach_init(&attach, &memory);
    for (int round = 0; round < 30000; round++) {
        uint64_t child = 1 + phx_rng_below(&rng, IDS - 1), parent = 1 + phx_rng_below(&rng, IDS - 1);
        if (parent_of[child] != 0) {
            if (phx_rng_below(&rng, 3) == 0) take_off(&attach, child);
            continue;
        }
        ph_status expected = checked(child, parent);
        cr_assert_eq(phx_attach_check(&attach, child, parent), expected, "round %d", round);
        cycles += expected == PH_CYCLE;
        too_deep += expected == PH_TOO_DEEP;
        if (expected != PH_OK) continue;
        for (uint64_t calls = 0;; calls++) {
            memory_for(calls);
            bool done = phx_attach_put(&attach, child, parent);
            memory_enough();
            if (done) break;
            check_family(&attach, child);
            check_family(&attach, parent);
            refused++;
        }
        parent_of[child] = parent;
        children_of[parent][child_count[parent]++] = child;
        for (uint64_t id = 1; id < IDS; id++) check_family(&attach, id);
    }
    cr_assert_gt(cycles, 100);
    cr_assert_gt(too_deep, 100);
    cr_assert_gt(refused, 10);
    phx_attach_free(&attach);
}

Test(tables, a_chain_is_eight_deep_at_most)
{
    phx_attach attach;
    phx_attach_init(&attach, &memory);
    for (uint64_t id = 2; id <= 9; id++) { /* 9 hangs on 8 ... on 1: eight edges */
        cr_assert_eq(phx_attach_check(&attach, id, id - 1), PH_OK);
        cr_assert(phx_attach_put(&attach, id, id - 1));
    }
    cr_assert_eq(phx_attach_root(&attach, 9), 1);
    cr_assert_eq(phx_attach_check(&attach, 10, 9), PH_TOO_DEEP, "a ninth below");
    cr_assert_eq(phx_attach_check(&attach, 10, 8), PH_OK);
    cr_assert_eq(phx_attach_check(&attach, 1, 10), PH_TOO_DEEP, "a ninth above");
    cr_assert_eq(phx_attach_check(&attach, 1, 1), PH_CYCLE);
    cr_assert_eq(phx_attach_check(&attach, 1, 9), PH_CYCLE, "before depth");
    phx_attach_remove(&attach, 5); /* two chains of 4 and 5: 4 hangs on 1, 9 on 5 */
    cr_assert_eq(phx_attach_root(&attach, 9), 5);
    cr_assert_eq(phx_attach_check(&attach, 5, 10), PH_OK);
    cr_assert_eq(phx_attach_check(&attach, 1, 9), PH_OK, "four, one between, three");
    cr_assert(phx_attach_put(&attach, 1, 9));
    cr_assert_eq(phx_attach_check(&attach, 5, 10), PH_TOO_DEEP);
    phx_attach_free(&attach);
}

/* ---- attributes ---- */

/* Class 0: ones, class 1: twos, in every field. */
static const ph_class two_classes[] = {
    {.view = 1,
     .margin = 1,
     .reach = 1,
     .visible = 1,
     .layers = 1,
     .sees = 1,
     .cap = 1,
     .stealth = 1,
     .detect = 1,
     .priority = 1,
     .global = false,
     .veiled = false,
     .ready = true},
    {.view = 2,
     .margin = 2,
     .reach = 2,
     .visible = 2,
     .layers = 2,
     .sees = 2,
     .cap = 2,
     .stealth = 2,
     .detect = 2,
     .priority = 2,
     .global = true,
     .veiled = true,
     .ready = false},
};

static const uint32_t class_bits[] = {PH_VIEW,    PH_MARGIN, PH_REACH,    PH_VISIBLE, PH_LAYERS, PH_SEES, PH_CAP,
                                      PH_STEALTH, PH_DETECT, PH_PRIORITY, PH_GLOBAL,  PH_VEILED, PH_READY};
enum { CLASS_BITS = sizeof class_bits / sizeof *class_bits };

/* The attribute behind a bit; flags: 1 as in class 0, 2 as in class 1. */
static double value_of(const phx_attr *a, uint32_t bit)
{
    switch (bit) {
    case PH_VIEW:
        return (double)a->view;
    case PH_MARGIN:
        return (double)a->margin;
    case PH_REACH:
        return (double)a->reach;
    case PH_VISIBLE:
        return (double)a->visible;
    case PH_LAYERS:
        return (double)a->layers;
    case PH_SEES:
        return (double)a->sees;
    case PH_CAP:
        return a->cap;
    case PH_STEALTH:
        return a->stealth;
    case PH_DETECT:
        return a->detect;
    case PH_PRIORITY:
        return a->priority;
    case PH_GLOBAL:
        return a->global ? 2 : 1;
    case PH_VEILED:
        return a->veiled ? 2 : 1;
    case PH_READY:
        return a->ready ? 1 : 2;
    default:
        return -1;
    }
}

/* Sevens in every field; flags are the opposite of class `kind`'s. */
static ph_attrs sevens(uint32_t given, uint32_t kind)
{
    return (ph_attrs){.given = given,
                      .kind = kind,
                      .view = 7,
                      .margin = 7,
                      .reach = 7,
                      .visible = 7,
                      .layers = 7,
                      .sees = 7,
                      .cap = 7,
                      .stealth = 7,
                      .detect = 7,
                      .priority = 7,
                      .global = !two_classes[kind].global,
                      .veiled = !two_classes[kind].veiled,
                      .ready = !two_classes[kind].ready,
                      .consumer = 7};
}

static double seven(uint32_t bit, uint32_t kind)
{
    return bit == PH_GLOBAL || bit == PH_VEILED || bit == PH_READY ? (kind == 0 ? 2 : 1) : 7;
}

Test(tables, given_attributes_count_and_the_class_gives_the_rest)
{
    phx_rules rules = plain_rules(10, 10);
    rules.classes = two_classes;
    rules.class_count = 2;
    for (uint32_t i = 0; i < CLASS_BITS; i++) {
        ph_attrs first = sevens(class_bits[i], 0), again = sevens(PH_KIND, 1);
        phx_attr attr = {0};
        phx_attr_apply(&rules, &first, &attr);
        for (uint32_t k = 0; k < CLASS_BITS; k++)
            cr_assert_eq(value_of(&attr, class_bits[k]), k == i ? seven(class_bits[k], 0) : 1, "%u, %u", i, k);
        cr_assert_eq(attr.given, class_bits[i]);
        cr_assert_eq(attr.kind, 0);
        phx_attr_apply(&rules, &again, &attr); /* another kind: once given stays given */
        cr_assert_eq(attr.kind, 1);
        for (uint32_t k = 0; k < CLASS_BITS; k++)
            cr_assert_eq(value_of(&attr, class_bits[k]), k == i ? seven(class_bits[k], 0) : 2, "%u, %u", i, k);
        ph_attrs back = {.given = class_bits[i]}; /* and given again counts */
        phx_attr_apply(&rules, &back, &attr);
        double zero = class_bits[i] == PH_GLOBAL || class_bits[i] == PH_VEILED ? 1
                      : class_bits[i] == PH_READY                              ? 2
                                                                               : 0; /* false, of flags */
        cr_assert_eq(value_of(&attr, class_bits[i]), zero);
        cr_assert_eq(attr.kind, 1, "a kind that was not given stays");
    }
}

/* Attributes of few values, any of them given. */
static ph_attrs some_attrs(uint64_t *rng)
{
    const uint32_t few =
        phx_rng_below(rng, 3) == 0 ? phx_rng_below(rng, PH_GIVEN_ALL + 1u) : 1u << phx_rng_below(rng, 21);
    static const float lengths[] = {-0.0f, 0.0f, 1.0f, 7.0f};
    return (ph_attrs){.given = few,
                      .kind = phx_rng_below(rng, 2),
                      .view = lengths[phx_rng_below(rng, 4)],
                      .margin = lengths[phx_rng_below(rng, 4)],
                      .reach = lengths[phx_rng_below(rng, 4)],
                      .visible = lengths[phx_rng_below(rng, 4)],
                      .layers = phx_rng_below(rng, 2),
                      .sees = phx_rng_below(rng, 2),
                      .cap = phx_rng_below(rng, 2),
                      .stealth = (uint8_t)phx_rng_below(rng, 2),
                      .detect = (uint8_t)phx_rng_below(rng, 2),
                      .priority = (uint8_t)phx_rng_below(rng, 2),
                      .global = phx_rng_below(rng, 2),
                      .veiled = phx_rng_below(rng, 2),
                      .ready = phx_rng_below(rng, 2),
                      .remote = phx_rng_below(rng, 2),
                      .instance = phx_rng_below(rng, 2),
                      .consumer = phx_rng_below(rng, 2)};
}

Test(tables, attributes_that_change_nothing_are_known_before_they_are_applied)
{
    phx_rules rules = plain_rules(10, 10);
    uint64_t rng = 5;
    uint32_t same = 0, others = 0;
    rules.classes = two_classes;
    rules.class_count = 2;
    for (uint32_t entity = 0; entity < 200; entity++) {
        phx_attr attr = {0};
        phx_attr_apply(&rules, &(ph_attrs){0}, &attr);
        for (uint32_t i = 0; i < 300; i++) {
            const ph_attrs more = some_attrs(&rng);
            const bool has = phx_attr_has(&attr, &more);
            const phx_attr before = attr;
            phx_attr_apply(&rules, &more, &attr);
            attr.given &= ~(uint32_t)(PH_POSITION | PH_USER_DATA);
            cr_assert_eq(has, memcmp(&before, &attr, sizeof attr) == 0, "given %x", more.given);
            same += has;
            others += !has;
        }
    }
    cr_assert(same > 1000 && others > 1000, "%u the same, %u others", same, others);
}

Test(tables, kind_and_consumer_come_only_when_given)
{
    phx_rules rules = plain_rules(10, 10);
    rules.classes = two_classes;
    rules.class_count = 2;
    ph_attrs attrs = sevens(PH_VIEW, 1);
    phx_attr attr = {0};
    phx_attr_apply(&rules, &attrs, &attr);
    cr_assert_eq(attr.kind, 0);
    cr_assert_eq(attr.consumer, 0);
    attrs = sevens(PH_CONSUMER | PH_KIND, 1);
    phx_attr_apply(&rules, &attrs, &attr);
    cr_assert_eq(attr.kind, 1);
    cr_assert_eq(attr.consumer, 7);
    cr_assert_eq(attr.view, 7);
    cr_assert_eq(attr.reach, 2, "of its kind, at once");
}

Test(tables, a_changed_class_changes_attributes_not_given)
{
    ph_class classes[2] = {two_classes[0], two_classes[1]};
    phx_rules rules = plain_rules(10, 10);
    rules.classes = classes;
    rules.class_count = 2;
    ph_attrs attrs = sevens(PH_KIND | PH_VIEW | PH_READY, 1);
    phx_attr attr = {0};
    phx_attr_apply(&rules, &attrs, &attr);
    uint32_t given = attr.given;
    classes[1] = two_classes[0];
    classes[1].ready = false;
    phx_attr_apply(&rules, NULL, &attr);
    cr_assert_eq(attr.kind, 1);
    cr_assert_eq(attr.view, 7);
    cr_assert(attr.ready);
    cr_assert_eq(attr.margin, 1);
    cr_assert_not(attr.global);
    cr_assert_eq(attr.given, given);
}

/* ---- the gate ---- */

Test(tables, readers_keep_a_tick_out_and_a_tick_readers)
{
    _Atomic uint32_t gate = 0;
    cr_assert(phx_gate_read_begin(&gate));
    cr_assert(phx_gate_read_begin(&gate));
    cr_assert_not(phx_gate_tick_begin(&gate));
    phx_gate_read_end(&gate);
    cr_assert_not(phx_gate_tick_begin(&gate), "one is inside still");
    phx_gate_read_end(&gate);
    cr_assert_eq(gate, 0);
    cr_assert(phx_gate_tick_begin(&gate));
    cr_assert_not(phx_gate_read_begin(&gate));
    cr_assert_not(phx_gate_tick_begin(&gate), "another thread works on it");
    phx_gate_tick_end(&gate, false);
    cr_assert_eq(gate, 0, "a reader that was turned away is not counted");
    cr_assert(phx_gate_read_begin(&gate));
    phx_gate_read_end(&gate);
}

Test(tables, a_tick_that_stopped_keeps_readers_out_until_it_is_through)
{
    _Atomic uint32_t gate = 0;
    cr_assert(phx_gate_tick_begin(&gate));
    phx_gate_tick_end(&gate, true);
    for (int i = 0; i < 3; i++) {
        cr_assert_not(phx_gate_read_begin(&gate));
        cr_assert(phx_gate_tick_begin(&gate), "it goes on");
        cr_assert_not(phx_gate_tick_begin(&gate));
        phx_gate_tick_end(&gate, true);
    }
    cr_assert(phx_gate_tick_begin(&gate));
    phx_gate_tick_end(&gate, false);
    cr_assert_eq(gate, 0);
    cr_assert(phx_gate_read_begin(&gate));
}

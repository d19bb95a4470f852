/*
 * Refusals of capsules, by table: ph_import() with each number of a capsule that can not be, under a right sum, and
 * with the families that a world does not take; ph_export() and ph_capsule_ids(), which change nothing either.
 */
#include "property/refusals.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "shards/entity/visibility.h"
#include "support/check.h"
#include "world/queue/capsule.h"
#include "world/state/crowd_types.h"

enum { ROOT = 20, CHILD = 21, GRANDCHILD = 22, FIRST = 30, SECOND = 31, REMOTE = 11 };

/* The bytes of a capsule: a root with two records of each kind, its child, and a child of that. */
typedef struct family {
    phx_capsule_head head;
    phx_capsule_member root;
    phx_capsule_target targets[2];
    phx_capsule_relation relations[2];
    phx_capsule_area areas[2];
    phx_capsule_deferred deferred[2];
    phx_capsule_member child, grandchild;
    uint64_t sum;
} family;

_Static_assert(sizeof(family) == 504, "no padding");

typedef struct bytes {
    const void *at;
    size_t size;
} bytes;

static void seal(family *f)
{
    phx_capsule_seal(f, offsetof(family, sum));
}

static family sound_family(void)
{
    const phx_capsule_member plain = {.layers = 1, .sees = 1, .x = 20, .y = 5, .visible = PH_LENGTH_MAX};
    family f = {.head = {PHX_CAPSULE_MAGIC, PHX_CAPSULE_FORMAT, 3, sizeof f, 0}};
    f.root = f.child = f.grandchild = plain;
    f.root.id = ROOT;
    f.root.view = 50;
    f.root.given = PH_VIEW | PH_MARGIN | PH_REACH | PH_VISIBLE | PH_CAP;
    f.root.flags = PHX_CAPSULE_READY;
    f.root.targets = f.root.relations = f.root.areas = f.root.deferred = 2;
    f.child.id = CHILD;
    f.grandchild.id = GRANDCHILD;
    f.grandchild.parent = 1;
    for (uint32_t i = 0; i < 2; i++) {
        f.targets[i] = (phx_capsule_target){.id = FIRST + i};
        f.relations[i] = (phx_capsule_relation){.target = 1 + i, .view = 9, .bits = PHX_RELATION_PAIR};
        f.areas[i] = (phx_capsule_area){5 + i};
        f.deferred[i] = (phx_capsule_deferred){.id = FIRST + i, .age = 1};
    }
    seal(&f);
    return f;
}

static ph_status submit_capsule(ph_producer producer, const void *of)
{
    const bytes *capsule = of;
    return ph_import(producer, capsule->at, capsule->size, NULL, NULL);
}

static void expect_refusal(bench *b, const char *what, const void *capsule, size_t size, ph_status status, bool in_tick)
{
    const family *f = capsule;
    const bytes of = {capsule, size};
    const attempt a = {what, status, in_tick, in_tick ? f->root.id : 0, PH_COMMAND_IMPORT, submit_capsule, &of};
    refusals_expect(b, &a);
}

/* ---- one number is another one ---- */

typedef struct row {
    const char *what;
    ph_status status;
    size_t offset, size;
    uint64_t value;
} row;

/* A float is given by its bits. */
#define AT(field) offsetof(family, field), sizeof((family *)NULL)->field
enum { NO_NUMBER = 0x7fc00000, INFINITE = 0x7f800000 };
static const uint32_t MINUS_ONE = 0xbf800000;

static const row rows[] = {
    {"another magic", PH_BAD_VALUE, AT(head.magic), PHX_CAPSULE_MAGIC + 1},
    {"a later format", PH_BAD_VALUE, AT(head.format), PHX_CAPSULE_FORMAT + 1},
    {"no members", PH_BAD_VALUE, AT(head.members), 0},
    {"a member too few", PH_BAD_VALUE, AT(head.members), 2},
    {"a member too many", PH_BAD_VALUE, AT(head.members), 4},
    {"another size", PH_BAD_VALUE, AT(head.bytes), sizeof(family) - 8},
    {"a word of the head", PH_BAD_VALUE, AT(head.zero), 1},
    {"id 0", PH_BAD_ID, AT(root.id), 0},
    {"a child of id 0", PH_BAD_ID, AT(child.id), 0},
    {"a kind too many", PH_BAD_KIND, AT(root.kind), CLASSES},
    {"a child of a kind too many", PH_BAD_KIND, AT(child.kind), UINT16_MAX},
    {"a consumer too many", PH_BAD_VALUE, AT(root.consumer), CONSUMERS},
    {"a cap too large", PH_BAD_VALUE, AT(root.cap), (uint32_t)INT32_MAX + 1u},
    {"x that is no number", PH_BAD_POSITION, AT(root.x), NO_NUMBER},
    {"y at infinity", PH_BAD_POSITION, AT(child.y), INFINITE},
    {"z that is no number", PH_BAD_POSITION, AT(grandchild.z), NO_NUMBER},
    {"a view of -1", PH_BAD_RADIUS, AT(root.view), MINUS_ONE},
    {"an unknown bit", PH_BAD_VALUE, AT(root.given), PH_REMOTE << 1},
    {"a remote member", PH_BAD_VALUE, AT(root.given), PH_REMOTE},
    {"a remote child", PH_BAD_VALUE, AT(child.given), PH_REMOTE},
    {"a bit of a field without a default", PH_BAD_VALUE, AT(root.given), PH_USER_DATA},
    {"an unknown flag", PH_BAD_VALUE, AT(root.flags), PHX_CAPSULE_READY | (PHX_CAPSULE_FLAGS + 1)},
    {"a list, and not ready", PH_BAD_VALUE, AT(root.flags), 0},
    {"a step too many", PH_BAD_VALUE, AT(root.step), PHX_CROWD_STEPS + 1},
    {"alone, and not awake", PH_BAD_VALUE, AT(root.alone), 1},
    {"a move too long ago", PH_BAD_VALUE, AT(root.moved), PH_BAND_EVERY_MAX + 1},
    {"a byte of a member", PH_BAD_VALUE, AT(root.zero), 1},
    {"a word of a member", PH_BAD_VALUE, AT(root.zero_word), 1},
    {"more targets than bytes", PH_BAD_VALUE, AT(root.targets), UINT32_MAX},
    {"more relations than bytes", PH_BAD_VALUE, AT(root.relations), UINT32_MAX},
    {"more areas than bytes", PH_BAD_VALUE, AT(root.areas), UINT32_MAX},
    {"more waiting updates than bytes", PH_BAD_VALUE, AT(root.deferred), UINT32_MAX},
    {"target 0", PH_BAD_VALUE, AT(targets[0].id), 0},
    {"a target twice", PH_BAD_VALUE, AT(targets[1].id), FIRST},
    {"a target that is the observer", PH_BAD_VALUE, AT(targets[0].id), ROOT},
    {"a target of a kind too many", PH_BAD_VALUE, AT(targets[0].kind), CLASSES},
    {"a target with an unknown flag", PH_BAD_VALUE, AT(targets[0].flags), PHX_CAPSULE_STRANGER << 1},
    {"a relation with 0", PH_BAD_VALUE, AT(relations[0].target), 0},
    {"a relation twice", PH_BAD_VALUE, AT(relations[1].target), 1},
    {"a relation with itself", PH_BAD_VALUE, AT(relations[1].target), ROOT},
    {"no relation", PH_BAD_VALUE, AT(relations[0].bits), 0},
    {"an unknown relation", PH_BAD_VALUE, AT(relations[0].bits), PHX_RELATION_REVEAL << 1},
    {"a word of a relation", PH_BAD_VALUE, AT(relations[0].zero), 1},
    {"area 0", PH_BAD_VALUE, AT(areas[0]), 0},
    {"an area twice", PH_BAD_VALUE, AT(areas[1]), 5},
    {"a waiting update of 0", PH_BAD_VALUE, AT(deferred[0].id), 0},
    {"a waiting update twice", PH_BAD_VALUE, AT(deferred[1].id), FIRST},
    {"a waiting update of itself", PH_BAD_VALUE, AT(deferred[0].id), ROOT},
    {"a waiting update of no tick", PH_BAD_VALUE, AT(deferred[0].age), 0},
    {"a word of a waiting update", PH_BAD_VALUE, AT(deferred[0].zero), 1},
    {"a root with a parent", PH_BAD_VALUE, AT(root.parent), 1},
    {"a child that is its parent", PH_BAD_VALUE, AT(child.parent), 1},
    {"a child before its parent", PH_BAD_VALUE, AT(child.parent), 2},
    {"a member twice", PH_BAD_VALUE, AT(child.id), ROOT},
    {"a member twice, the last", PH_BAD_VALUE, AT(grandchild.id), CHILD},
    {"a child that is elsewhere", PH_BAD_VALUE, AT(child.x), 0},
    {"a child in another instance", PH_BAD_VALUE, AT(grandchild.instance), 1},
    {"another sum", PH_BAD_VALUE, AT(sum), 1},
};

static void all_rows(bench *b)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        family f = sound_family();
        memcpy((char *)&f + rows[i].offset, &rows[i].value, rows[i].size); /* the low bytes come first */
        if (rows[i].offset != offsetof(family, sum)) seal(&f);
        expect_refusal(b, rows[i].what, &f, sizeof f, rows[i].status, false);
    }
}

static void all_sizes(bench *b)
{
    static unsigned char large[PH_CAPSULE_MAX + 8];
    const family f = sound_family();
    const size_t sizes[] = {0, 1, 8, sizeof f.head, sizeof f - 8, sizeof f - 1, sizeof f + 8, sizeof large};
    memcpy(large, &f, sizeof f);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        expect_refusal(b, "another size", large, sizes[i], PH_BAD_VALUE, false);
}

/* ---- floats ---- */

typedef struct float_argument {
    const char *name;
    size_t at[3]; /* all of them; behind the last one 0 */
    ph_status status;
} float_argument;

#define OFFSET(field) offsetof(family, field)
#define OF_ALL(field) \
    { \
        OFFSET(root.field), OFFSET(child.field), OFFSET(grandchild.field) \
    }

static const float_argument arguments[] = {
    {"x", OF_ALL(x), PH_BAD_POSITION},
    {"y", OF_ALL(y), PH_BAD_POSITION},
    {"z", OF_ALL(z), PH_BAD_POSITION},
    {"view", {OFFSET(root.view)}, PH_BAD_RADIUS},
    {"margin", {OFFSET(root.margin)}, PH_BAD_RADIUS},
    {"reach", {OFFSET(root.reach)}, PH_BAD_RADIUS},
    {"visible", {OFFSET(root.visible)}, PH_BAD_RADIUS},
    {"a pair's view", {OFFSET(relations[0].view)}, PH_BAD_VALUE},
    {"a pair's margin", {OFFSET(relations[1].margin)}, PH_BAD_VALUE},
};

/* A sound family enters, and leaves. */
static void pass_through(bench *b, const char *what, const family *f)
{
    const uint64_t ids[] = {f->root.id, f->child.id, f->grandchild.id};
    ph_refusal told;
    uint32_t count = 0;
    CHECK(ph_import(b->producer, f, sizeof *f, NULL, NULL) == PH_OK, "%s", what);
    CHECK_OK(ph_tick(b->world, NULL));
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) CHECK_OK(ph_leave(b->producer, ids[i]));
    CHECK_OK(ph_tick(b->world, NULL));
    CHECK_OK(ph_producer_refusals(b->producer, &told, 1, &count));
    CHECK(count == 0, "%s: refused in a tick", what);
}

static void one_float(bench *b, const float_argument *argument, const special_float *special)
{
    const bool place = argument->status == PH_BAD_POSITION;
    family f = sound_family();
    for (uint32_t i = 0; i < 3 && argument->at[i] > 0; i++)
        memcpy((char *)&f + argument->at[i], &special->value, sizeof special->value);
    seal(&f);
    if (special->is == FINE || (place && special->is == NEGATIVE)) pass_through(b, argument->name, &f);
    else expect_refusal(b, argument->name, &f, sizeof f, argument->status, false);
}

static void all_floats(void)
{
    bench b = bench_make(64);
    const ph_attrs at = {.given = PH_X | PH_Y, .x = 1, .y = 5};
    for (uint64_t id = 1; id <= 2; id++) CHECK_OK(ph_enter(b.producer, id, &at));
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++)
        for (size_t j = 0; j < SPECIAL_FLOATS; j++) one_float(&b, &arguments[i], &floats[j]);
    CHECK_OK(ph_world_destroy(b.world));
}

/* ---- in the tick ---- */

static void refuse_family(bench *b, const char *what, uint64_t root, uint64_t child, uint64_t grandchild,
                          ph_status status)
{
    family f = sound_family();
    f.root.id = root;
    f.child.id = child;
    f.grandchild.id = grandchild;
    seal(&f);
    expect_refusal(b, what, &f, sizeof f, status, true);
}

static void expect_attached(const bench *b, uint64_t count)
{
    ph_stats stats;
    CHECK_OK(ph_tick(b->world, NULL));
    CHECK_OK(ph_world_stats(b->world, &stats));
    CHECK(stats.attached == count, "%u are attached", (unsigned)stats.attached);
}

/* 3 becomes remote, on which 4 hung; then the ones that hang on 4. */
static void make_remote(bench *b)
{
    const ph_attrs remote = {.given = PH_REMOTE, .remote = true};
    expect_attached(b, 8);
    CHECK_OK(ph_set(b->producer, 3, &remote));
    expect_attached(b, 7);
    for (uint64_t id = 4; id <= 10; id++) CHECK_OK(ph_set(b->producer, id, &remote));
    expect_attached(b, 1);
}

/* Whichever member is refused: the ones before it have come, and go again. */
static void all_families(bench *b)
{
    const ph_attrs remote = {.given = PH_X | PH_Y | PH_REMOTE, .x = 20, .y = 5, .remote = true};
    refuse_family(b, "a root that is here", 9, CHILD, GRANDCHILD, PH_EXISTS);
    refuse_family(b, "a child that is here", ROOT, 9, GRANDCHILD, PH_EXISTS);
    refuse_family(b, "a child's child that is here", ROOT, CHILD, 3, PH_EXISTS);
    CHECK_OK(ph_enter(b->producer, REMOTE, &remote));
    CHECK_OK(ph_tick(b->world, NULL));
    refuse_family(b, "a family of one too many", ROOT, CHILD, GRANDCHILD, PH_CAPACITY);
    make_remote(b);
    CHECK_OK(ph_attach(b->producer, 3, REMOTE));
    CHECK_OK(ph_tick(b->world, NULL));
    refuse_family(b, "a root that hangs on another entity", 3, CHILD, GRANDCHILD, PH_ATTACHED);
    refuse_family(b, "a child that hangs on another entity", ROOT, 3, GRANDCHILD, PH_ATTACHED);
    CHECK_OK(ph_leave(b->producer, REMOTE));
    for (uint64_t id = 4; id <= 10; id++) CHECK_OK(ph_attach(b->producer, id, id - 1));
    CHECK_OK(ph_tick(b->world, NULL));
    refuse_family(b, "a child's child with a long chain", ROOT, CHILD, 3, PH_TOO_DEEP);
    CHECK_OK(ph_detach(b->producer, 9));
    CHECK_OK(ph_tick(b->world, NULL));
    refuse_family(b, "a root on which a stranger hangs", 9, CHILD, GRANDCHILD, PH_ATTACHED);
    refuse_family(b, "a child on which a stranger hangs", ROOT, 9, GRANDCHILD, PH_ATTACHED);
}

/* ---- reads ---- */

static void expect_no_export(const bench *b, const char *what, uint64_t id, size_t size, ph_status status)
{
    static unsigned char capsule[PH_CAPSULE_MAX];
    const bool large = status == PH_TOO_LARGE;
    size_t got = 1;
    uint64_t before = 0, after = 0;
    CHECK(status == PH_BUSY || ph_world_hash(b->world, &before) == PH_OK, "%s: no hash", what);
    const ph_status is = ph_export(b->world, id, NULL, NULL, capsule, size, &got);
    CHECK(is == status, "export of %s: %s, expected %s", what, ph_status_name(is), ph_status_name(status));
    CHECK(large ? got > size : got == 0, "export of %s: %zu bytes", what, got);
    CHECK(status == PH_BUSY || (ph_world_hash(b->world, &after) == PH_OK && after == before), "export of %s", what);
}

/* In the world of all_families(): 3, and all below it, are remote. */
static void exports(bench *b)
{
    size_t got = 1;
    unsigned char byte;
    CHECK_STATUS(ph_export((ph_world){0}, 1, NULL, NULL, &byte, 1, &got), PH_BAD_HANDLE);
    CHECK_STATUS(ph_export(b->world, 1, NULL, NULL, NULL, 1, &got), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_export(b->world, 1, NULL, NULL, &byte, 1, NULL), PH_BAD_ARGUMENT);
    expect_no_export(b, "id 0", 0, PH_CAPSULE_MAX, PH_UNKNOWN_ID);
    expect_no_export(b, "a stranger", 99, PH_CAPSULE_MAX, PH_UNKNOWN_ID);
    expect_no_export(b, "a child", 2, PH_CAPSULE_MAX, PH_ATTACHED);
    expect_no_export(b, "a remote entity", 3, PH_CAPSULE_MAX, PH_BAD_VALUE);
    expect_no_export(b, "one that is too large", 1, sizeof(phx_capsule_head), PH_TOO_LARGE);
    expect_no_export(b, "a remote child", 10, PH_CAPSULE_MAX, PH_ATTACHED);
    CHECK_OK(ph_apply(b->world));
    expect_no_export(b, "one half way through a tick", 1, PH_CAPSULE_MAX, PH_BUSY);
    CHECK_OK(ph_tick(b->world, NULL));
}

static void expect_no_ids(const void *capsule, size_t size, ph_status status)
{
    uint64_t ids[3] = {7, 7, 7};
    uint32_t count = 9;
    CHECK_STATUS(ph_capsule_ids(capsule, size, ids, 3, &count), status);
    CHECK(count == (status == PH_BAD_ARGUMENT ? 9 : 0), "%u ids", count);
}

static void capsule_ids(void)
{
    family f = sound_family();
    uint64_t ids[3] = {0};
    uint32_t count = 0;
    CHECK_OK(ph_capsule_ids(&f, sizeof f, ids, 2, &count));
    CHECK(count == 3 && ids[0] == ROOT && ids[1] == CHILD && ids[2] == 0, "%u ids", count);
    CHECK_STATUS(ph_capsule_ids(&f, sizeof f, NULL, 1, &count), PH_BAD_ARGUMENT);
    CHECK_STATUS(ph_capsule_ids(&f, sizeof f, ids, 3, NULL), PH_BAD_ARGUMENT);
    expect_no_ids(NULL, 0, PH_BAD_ARGUMENT);
    expect_no_ids(&f, 0, PH_BAD_VALUE);
    expect_no_ids(&f, sizeof f - 8, PH_BAD_VALUE);
    f.root.x++;
    expect_no_ids(&f, sizeof f, PH_BAD_VALUE);
    f.head.members = 4; /* the last one is cut off */
    seal(&f);
    expect_no_ids(&f, sizeof f, PH_BAD_VALUE);
    f.head.members = 2;
    seal(&f);
    expect_no_ids(&f, sizeof f, PH_BAD_VALUE);
}

/* The family is in no other world, so its refusal is told behind more others than may wait. */
static void import_overflow(void)
{
    enum { MOST = 16, SENT = 50, PLACES = 18, PRESENT = 4 };
    bench b = bench_make(MOST);
    ph_refusal told[PLACES];
    uint32_t count = 0;
    family f = sound_family();
    bench_fill(&b);
    f.root.id = PRESENT;
    seal(&f);
    for (uint64_t i = 0; i < SENT; i++) CHECK_OK(ph_leave(b.producer, 1000 + i));
    CHECK_OK(ph_import(b.producer, &f, sizeof f, NULL, NULL));
    CHECK_OK(ph_tick(b.world, NULL));
    CHECK_OK(ph_producer_refusals(b.producer, told, PLACES, &count));
    CHECK(count == MOST + 1, "%" PRIu32 " refusals told", count);
    CHECK(told[MOST].command == PH_COMMAND_IMPORT && told[MOST].id == PRESENT && told[MOST].status == PH_EXISTS,
          "the last one is of %s", ph_command_name(told[MOST].command));
    CHECK_OK(ph_world_destroy(b.world));
}

void capsule_refusals(void)
{
    bench b = bench_make(64);
    const family f = sound_family();
    pass_through(&b, "a sound family", &f);
    bench_fill(&b);
    CHECK_STATUS(ph_import((ph_producer){0}, &f, sizeof f, NULL, NULL), PH_BAD_HANDLE);
    CHECK_STATUS(ph_import(b.producer, NULL, sizeof f, NULL, NULL), PH_BAD_ARGUMENT);
    all_rows(&b);
    all_sizes(&b);
    all_families(&b);
    exports(&b);
    CHECK_OK(ph_world_destroy(b.world));
    all_floats();
    capsule_ids();
    import_overflow();
}

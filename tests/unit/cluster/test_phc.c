/*
 * A member by its calls (cluster.h): refused definitions, the lease by the host's clock, a process that slept,
 * questions and their bytes, numbers; and two members whose rounds allocate nothing once all is steady.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include <pharos/cluster.h>

#include "base/rng.h"
#include "cluster/question_wire.h"
#include "support/fail_alloc.h"

enum { TICK_NS = 50000000, WARM_TICKS = 60, MEMBERS = 2 };

static uint64_t now_ns;
static ph_class class;
static ph_world_def world_def;
static phc_loop *loop;
static phc_memory *memory;
static struct {
    ph_world world;
    phc_transport transport;
    phc_store store;
    phc *member;
} all[MEMBERS];
static fail_alloc counted;

static uint64_t read_clock(void *user)
{
    return *(uint64_t *)user;
}

static phc_def sound_def(void)
{
    phc_def def = phc_def_default();
    def.name = "unit";
    def.world_def = &world_def;
    def.regions[0] = 2;
    def.regions[1] = 1;
    def.clock = read_clock;
    def.clock_user = &now_ns;
    def.allocator = fail_alloc_hooks(&counted);
    return def;
}

static void set_up(void)
{
    class = ph_class_default("default");
    class.view = 50;
    world_def = ph_world_def_default();
    world_def.classes = &class;
    world_def.class_count = 1;
    world_def.world_size[0] = world_def.world_size[1] = 1000;
    world_def.consumers = 0;
    now_ns = TICK_NS;
    cr_assert_eq(phc_loop_create((phc_faults){0}, (ph_allocator){0}, &loop), PH_OK);
    cr_assert_eq(phc_memory_create((phc_faults){0}, (ph_allocator){0}, &memory), PH_OK);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        cr_assert_eq(ph_world_create(&world_def, &all[i].world), PH_OK);
        cr_assert_eq(phc_loop_join(loop, 1024, &all[i].transport), PH_OK);
        cr_assert_eq(phc_memory_join(memory, &all[i].store), PH_OK);
    }
}

static ph_status open_member(uint32_t i, const phc_def *def)
{
    char reason[PHC_REASON_SIZE] = "";
    const ph_status status =
        phc_open(def, all[i].world, &all[i].transport, &all[i].store, &all[i].member, reason, sizeof reason);
    cr_assert((status == PH_BAD_DEF) == (reason[0] != '\0'), "%s", reason);
    return status;
}

static void tear_down(void)
{
    for (uint32_t i = 0; i < MEMBERS; i++) {
        phc_close(all[i].member);
        all[i].member = NULL;
        all[i].transport.close(all[i].transport.user);
        all[i].store.close(all[i].store.user);
        cr_assert_eq(ph_world_destroy(all[i].world), PH_OK);
    }
    phc_loop_destroy(loop);
    phc_memory_destroy(memory);
    cr_assert(fail_alloc_clean(&counted));
}

/* One tick of all members. */
static void step_members(void)
{
    now_ns += TICK_NS;
    phc_memory_step(memory, now_ns);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        if (!all[i].member) continue;
        cr_assert_eq(phc_tick(all[i].member), PH_OK);
        cr_assert_eq(ph_tick(all[i].world, NULL), PH_OK);
        cr_assert_eq(phc_told(all[i].member), PH_OK);
    }
    phc_loop_step(loop);
}

static void drop_events(phc *member)
{
    phc_event event;
    while (phc_event_next(member, &event)) continue;
}

/* The next event of that kind; others are passed over. */
static bool find_event(phc *member, phc_event_kind kind, phc_event *event)
{
    while (phc_event_next(member, event))
        if (event->kind == kind) return true;
    return false;
}

static void join_members(void)
{
    const phc_def def = sound_def();
    for (uint32_t i = 0; i < MEMBERS; i++) cr_assert_eq(open_member(i, &def), PH_OK);
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_members();
    for (uint32_t i = 0; i < MEMBERS; i++) cr_assert_neq(phc_number(all[i].member), 0);
}

TestSuite(phc, .init = set_up, .fini = tear_down);

#define REFUSES(change) \
    do { \
        phc_def def = sound_def(); \
        change; \
        cr_assert_eq(open_member(0, &def), PH_BAD_DEF, #change); \
    } while (0)

Test(phc, definitions_are_checked)
{
    REFUSES(def.name = NULL);
    REFUSES(def.name = "");
    REFUSES(def.name = "a.b");
    REFUSES(def.name = "12345678901234567890123456789012");
    REFUSES(def.world_def = NULL);
    REFUSES(def.regions[0] = 0);
    REFUSES(def.regions[1] = 65);
    REFUSES(def.lag_max = 0);
    REFUSES(def.silent_ticks = 3);
    REFUSES(def.lease_ms = 999);
    REFUSES(def.list_ms = 9);
    REFUSES(def.list_ms = def.lease_ms + 1);
    REFUSES(def.link_timeout_ms = 1);
    REFUSES(def.moves_per_tick = 0);
    REFUSES(def.store_loss = (phc_store_loss)2);
    REFUSES(def.hand_over_margin = -1);
    REFUSES(def.speed_max = -1);
    REFUSES(def.halo = 99); /* 50 of view, 2 * 5 of margins, 2 * 5 * 4 of speed are 100 */
    REFUSES(def.gateway = true);
    REFUSES(def.reserved[7] = 1);
    phc_def def = sound_def();
    const ph_world null = {0};
    cr_assert_eq(phc_open(&def, null, &all[0].transport, &all[0].store, &all[0].member, NULL, 0), PH_BAD_DEF);
    cr_assert_eq(phc_open(NULL, all[0].world, &all[0].transport, &all[0].store, &all[0].member, NULL, 0),
                 PH_BAD_ARGUMENT);
    cr_assert_null(all[0].member);
    def.halo = 100;
    cr_assert_eq(open_member(0, &def), PH_OK);
    cr_assert_eq(phc_enter(all[0].member, 1, &(ph_attrs){.given = PH_X | PH_Y}, 0), PH_BUSY); /* in no map yet */
    cr_assert_eq(phc_owner_of(all[0].member, 1, 1), 0);
}

Test(phc, without_memory_nothing_is_opened)
{
    const phc_def def = sound_def();
    for (uint64_t n = 1;; n++) {
        fail_alloc_order(&counted, n, false);
        const ph_status status = open_member(0, &def);
        fail_alloc_order(&counted, 0, false);
        if (status == PH_OK) break;
        cr_assert_eq(status, PH_NO_MEMORY);
        cr_assert(fail_alloc_clean(&counted));
    }
}

Test(phc, an_entity_enters_where_its_region_is_and_leaves)
{
    join_members();
    phc *owner = all[0].member, *other = all[1].member;
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = phc_owner_of(owner, 0, 0) == phc_number(owner) ? 10.0f : 990.0f};
    cr_assert_eq(phc_owner_of(owner, attrs.x, 0), phc_number(owner));
    cr_assert_eq(phc_enter(other, 1, &attrs, 0), PH_TAKEN);
    cr_assert_eq(phc_enter(owner, 1, &(ph_attrs){.given = PH_X}, 0), PH_NOT_GIVEN);
    cr_assert_eq(phc_enter(owner, 0, &attrs, 0), PH_BAD_ID);
    cr_assert_eq(phc_enter(owner, 1, &attrs, UINT64_MAX), PH_BUSY);
    cr_assert_eq(phc_enter(owner, 1, &attrs, 0), PH_OK);
    cr_assert_eq(phc_enter(owner, 1, &attrs, 0), PH_EXISTS);
    cr_assert(phc_owns(owner, 1) && phc_node_of(owner, 1) == phc_number(owner) && phc_ownership(owner, 1) > 0);
    cr_assert_not(phc_owns(other, 1));
    step_members();
    cr_assert_eq(phc_leave(other, 1), PH_UNKNOWN_ID);
    cr_assert_eq(phc_leave(owner, 1), PH_OK);
    cr_assert_not(phc_owns(owner, 1));
}

Test(phc, the_lease_is_that_of_the_moment_and_a_process_that_slept_is_fenced)
{
    phc_event event;
    join_members();
    cr_assert(phc_may_commit(all[0].member));
    now_ns += 4600000000ull; /* a tenth of the lease's five seconds is not counted */
    cr_assert_not(phc_may_commit(all[0].member));
    now_ns += 600000000ull;
    drop_events(all[0].member);
    cr_assert_eq(phc_tick(all[0].member), PH_BUSY);
    cr_assert(find_event(all[0].member, PHC_EVENT_FENCED, &event));
    cr_assert(strstr(event.reason, "slept"));
    cr_assert_eq(phc_told(all[0].member), PH_BUSY);
    cr_assert_not(find_event(all[0].member, PHC_EVENT_FENCED, &event)); /* once */
}

Test(phc, a_question_has_the_answer_of_every_node)
{
    phc_event event;
    join_members();
    phc *owner = all[0].member, *asking = all[1].member;
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = phc_owner_of(owner, 0, 0) == phc_number(owner) ? 10.0f : 990.0f};
    const ph_attrs far = {.given = PH_X | PH_Y, .x = 1000.0f - attrs.x};
    const uint64_t ids[] = {1, 2, 3};
    cr_assert_eq(phc_enter(owner, 1, &attrs, 0), PH_OK);
    cr_assert_eq(phc_enter(asking, 2, &far, 0), PH_OK);
    cr_assert_eq(phc_who_has(asking, ids, 0), PH_BAD_ARGUMENT);
    cr_assert_eq(phc_who_has(asking, ids, 3), PH_OK);
    cr_assert_eq(phc_who_has(asking, ids, 3), PH_BUSY);
    phc_loop_cut(loop, &all[0].transport, true, false); /* without its answer there is none */
    for (uint32_t i = 0; i < 10; i++) step_members();
    cr_assert_not(find_event(asking, PHC_EVENT_WHO_HAS, &event));
    cr_assert_eq(phc_enter(owner, 3, &attrs, 0), PH_BUSY); /* asked for */
    phc_loop_cut(loop, &all[0].transport, false, false);
    for (uint32_t i = 0; i < 10 && !find_event(asking, PHC_EVENT_WHO_HAS, &event); i++) step_members();
    const phc_holder *holders = event.bytes;
    cr_assert_eq(event.size, 3 * sizeof *holders);
    cr_assert(holders[0].id == 1 && holders[0].number == phc_number(owner));
    cr_assert(holders[1].id == 2 && holders[1].number == phc_number(asking));
    cr_assert(holders[2].id == 3 && holders[2].number == 0);
    cr_assert_eq(phc_enter(asking, 3, &far, 0), PH_OK);
    for (uint32_t i = 0; i < 10; i++) step_members();
    cr_assert_eq(phc_who_has(asking, ids, 3), PH_OK); /* the last one has ended */
}

Test(phc, bytes_of_questions_are_checked)
{
    static unsigned char bytes[PHX_QUESTION_BYTES_MAX], damaged[PHX_QUESTION_BYTES_MAX];
    phx_question_head head = {.source = 1, .target = 2, .version = 3, .number = 4, .count = 5}, read;
    const unsigned char *body;
    uint64_t rng = 1;
    memset(phx_question_body(bytes), 7, 5 * sizeof(uint64_t));
    const size_t size = phx_question_seal(bytes, &head);
    cr_assert(phx_question_is_meant(bytes, size) && phx_question_open(&read, &body, bytes, size));
    cr_assert(!read.answers && read.source == 1 && read.target == 2 && read.version == 3 && read.number == 4);
    cr_assert(read.count == 5 && phx_question_id_at(body, 4) == 0x0707070707070707);
    for (size_t cut = 0; cut < size; cut++) cr_assert_not(phx_question_open(&read, &body, bytes, cut));
    for (uint32_t i = 0; i < 1000; i++) {
        memcpy(damaged, bytes, size);
        damaged[phx_rng_below(&rng, (uint32_t)size)] ^= (unsigned char)(1u << phx_rng_below(&rng, 8));
        cr_assert_not(phx_question_open(&read, &body, damaged, size));
    }
    memset(phx_question_body(bytes), 0, sizeof(uint64_t)); /* the id 0 */
    cr_assert_not(phx_question_open(&read, &body, bytes, phx_question_seal(bytes, &head)));
    head.answers = true;
    phx_question_body(bytes)[0] = 3; /* no answer */
    cr_assert_not(phx_question_open(&read, &body, bytes, phx_question_seal(bytes, &head)));
}

Test(phc, steady_rounds_allocate_nothing)
{
    phc_stats stats;
    char text[8192];
    size_t length = 0;
    join_members();
    for (uint32_t i = 0; i < MEMBERS; i++) {
        const float x = phc_owner_of(all[i].member, 0, 0) == phc_number(all[i].member) ? 480.0f : 520.0f;
        for (uint64_t id = 1; id <= 20; id++) {
            const ph_attrs attrs = {.given = PH_X | PH_Y, .x = x, .y = (float)id * 20};
            cr_assert_eq(phc_enter(all[i].member, 100 * (i + 1) + id, &attrs, 0), PH_OK);
        }
        drop_events(all[i].member);
    }
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_members();
    const uint64_t calls = counted.calls;
    for (uint32_t i = 0; i < WARM_TICKS; i++) step_members();
    cr_assert_eq(counted.calls, calls);
    cr_assert_eq(phc_stats_get(all[0].member, &stats), PH_OK);
    cr_assert_eq(stats.own, 20);
    cr_assert_eq(stats.remote, 20);
    cr_assert_eq(stats.nodes, MEMBERS);
    cr_assert(stats.lease_ns > 0 && stats.copies_in > 0 && stats.lag_ticks <= 1);
    cr_assert_eq(phc_prometheus(all[0].member, text, sizeof text, &length), PH_OK);
    cr_assert(length < sizeof text && strstr(text, "pharos_cluster_own{world=\"unit\"} 20\n"));
    size_t again = 0;
    cr_assert_eq(phc_prometheus(all[0].member, NULL, 0, &again), PH_OK);
    cr_assert_eq(again, length);
}

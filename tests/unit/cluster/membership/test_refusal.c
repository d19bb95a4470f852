/*
 * Processes that do not join, as another one has another definition, or writes other bytes; and the keys that a process
 * waits for before it joins. A few of them over one control store without faults; with faults they are run by the
 * simulation (sim_members.c).
 */
#include <stdio.h>
#include <string.h>

#include "cluster/map/map_changes.h"
#include "cluster/membership/refusal.h"
#include "cluster/membership/registration.h"
#include "cluster/wire/format.h"
#include "cluster/wire/sum.h"
#include "support/node_reads.h"
#include "unit/cluster/membership/membership_bed.h"

TestSuite(refusal, .init = bed_begin, .fini = bed_end);

Test(refusal, another_world_is_refused)
{
    bed_start(0, 0, REGIONS, 1, false);
    bed_run(20);
    bed_start(1, 0, REGIONS, 2, false);
    bed_start(2, 0, 2 * REGIONS, 1, false);
    bed_run(40);
    cr_assert_eq(bed.processes[1].membership.phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_str_eq(bed.processes[1].membership.reason, "another member has another definition of the world");
    cr_assert_eq(bed.processes[2].membership.phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_str_eq(bed.processes[2].membership.reason, "the map of the store has other regions");
    cr_assert_eq(bed.processes[1].membership.why, PH_BAD_DEF);
    cr_assert_eq(bed.processes[2].membership.why, PH_BAD_DEF);
    cr_assert_eq(bed.processes[0].membership.phase, PHX_MEMBERSHIP_MEMBER);
    cr_assert_eq(bed.processes[0].node.map.member_count, 1);
}

static const char *difference_of(const char *reason)
{
    cr_assert_eq(strncmp(reason, PHX_OTHER_DEFINITION, strlen(PHX_OTHER_DEFINITION)), 0);
    return reason + strlen(PHX_OTHER_DEFINITION);
}

/* The difference of two texts; NULL: it can not be said. */
static const char *difference(const char *own, const char *other)
{
    static char line[PHC_REASON_SIZE];
    if (!phx_refusal_compare(own, strlen(own), other, strlen(other), line, sizeof line)) return NULL;
    return difference_of(line);
}

#define END "end of definition\n" /* of a text that was not cut */

Test(refusal, the_key_that_differs_is_named)
{
    cr_assert_str_eq(difference("a 1\nb 2\n", "a 1\nb 3\n"), ": b is 2 here, 3 there");
    cr_assert_str_eq(difference("a 1 2\nb 2\n", "a 1 4\nb 3\n"), ": a is 1 2 here, 1 4 there");
    cr_assert_str_eq(difference("a 1\nb 2\n" END, "c 1\nb 2\n" END), ": a is 1 here, and there in its place c is 1");
    cr_assert_null(difference("a 1\n", "a 1\n"));
    cr_assert_null(difference("a 1\n", "a 1\nb 1\n"));
}

/* A key of another version of the library, at the value that the other version has without it, is no difference. */
Test(refusal, a_key_that_one_side_does_not_know_is_passed_over_where_it_does_not_count)
{
    cr_assert_str_eq(difference("a 1\n-new 0\nb 2\n", "a 1\nb 3\n"), ": b is 2 here, 3 there");
    cr_assert_str_eq(difference("a 1\nb 2\n", "a 1\n-new 0\n-more 7\nb 3\n"), ": b is 2 here, 3 there");
    cr_assert_str_eq(difference("-a 1\n-new 0\nb 2\n", "-a 1\n-gone 4\nb 3\n"), ": b is 2 here, 3 there");
    cr_assert_str_eq(difference("a 1\nnew 5\nb 2\n", "a 1\nb 3\n" END), ": new is 5 here, unknown there");
    cr_assert_str_eq(difference("a 1\nb 2\n" END, "a 1\n-more 0\nnew 5\nb 3\n"), ": new is 5 there, unknown here");
    cr_assert_str_eq(difference("-a 1\nb 2\n", "a 3\nb 2\n"), ": a is 1 here, 3 there");
    cr_assert_str_eq(difference("a 1\nnew 5\n" END, "a 1\n" END), ": new is 5 here, unknown there");
    cr_assert_null(difference("a 1\n-new 0\n" END, "a 1\n" END));
    cr_assert_null(difference("a 1\nnew 5\n", "a 1\n"), "the other one was cut");
}

/* In another order classes have other numbers. */
Test(refusal, other_classes_are_named)
{
    cr_assert_str_eq(difference("-a.view 0\na.bands 0\n-b.view 0\nb.bands 0\n" END,
                                "-b.view 0\nb.bands 0\n-a.view 0\na.bands 0\n" END),
                     ": a.bands is 0 here, and there in its place b.bands is 0");
    cr_assert_str_eq(difference("-a.view 0\na.bands 0\n" END, "-c.view 0\nc.bands 0\n" END),
                     ": a.bands is 0 here, and there in its place c.bands is 0");
    cr_assert_str_eq(difference("-a.view 0\na.bands 0\n" END, "c.view 5\nc.bands 0\n" END),
                     ": a.view is 0 here, and there in its place c.view is 5");
}

/* A line behind the cut is not read: its key may be there. A key that both have is named as always. */
Test(refusal, a_key_that_may_be_behind_the_cut_is_not_named_as_absent)
{
    cr_assert_null(difference("a.bands 0\nb.view 5\nb.bands 0\n" END, "b.view 5\nb.bands 0\n"));
    cr_assert_null(difference("b.view 5\nb.bands 0\n", "a.bands 0\nb.view 5\nb.bands 0\n" END));
    cr_assert_null(difference("a 1\nnew 5\nb 2\n", "a 1\nb 2\n"), "both are cut");
    cr_assert_null(difference("a 1\n-gone 4\n", "a 1\nb 0\n" END), "b is behind the own cut");
    cr_assert_null(difference("a 1\n", "c 1\n"));
    cr_assert_null(difference("a 1\nb 2\n", "c 1\nb 2\n"));
    cr_assert_str_eq(difference("a.bands 0\nb.view 5\n" END, "b.view 6\nb.bands 0\n"), ": b.view is 5 here, 6 there");
    cr_assert_str_eq(difference("a 1\nnew 5\nb 2\n", "a 1\nb 2\n" END), ": new is 5 here, unknown there");
    cr_assert_str_eq(difference("a 1\nb 2\n" END, "a 1\nnew 5\nb 2\n"), ": new is 5 there, unknown here");
    cr_assert_str_eq(difference("a 1\nb 2\n", "b 2\na 1\n"), ": a is 1 here, and there in its place b is 2");
    cr_assert_null(difference("a 1\nb 2\n" END, "b 2\n\n" END), "it can not be read up to its last line");
    cr_assert_null(difference("a 1\nb 2\n" END, "b 2\n" END "c"), "the last line is another one");
}

/* The other text is another process's: comparing takes no longer than a tick has time for, whatever is in it. */
Test(refusal, so_many_lines_without_their_like_are_passed_over)
{
    enum { ALONE_MAX = 256, LINE_SIZE = 16 };
    for (uint32_t more = 0; more < 2; more++) {
        char text[(ALONE_MAX + 2) * LINE_SIZE] = "";
        for (uint32_t i = 0; i < ALONE_MAX + more; i++) (void)snprintf(text + strlen(text), LINE_SIZE, "-new%u 0\n", i);
        (void)snprintf(text + strlen(text), 2 * LINE_SIZE, "b 2\n" END);
        const char *there = difference("b 3\n" END, text), *expected = ": b is 3 here, 2 there";
        cr_assert(more > 0 ? !there : there && strcmp(there, expected) == 0, "%u: %s", more, there);
        const char *here = difference(text, "b 3\n" END);
        cr_assert(more > 0 ? !here : here && strcmp(here, ": b is 2 here, 3 there") == 0, "%u: %s", more, here);
    }
}

/* The store may have any bytes. */
Test(refusal, bytes_that_are_no_definition_name_no_key)
{
    char line[PHC_REASON_SIZE], other[4096];
    static const char *const flawed[] = {"",     "\n",          "a",        "a 2",    "a\n",     "-\n",
                                         "-a\n", "a \x1b[2J\n", "a \xff\n", "a\t2\n", "\x01 2\n"};
    for (size_t i = 0; i < sizeof flawed / sizeof *flawed; i++)
        cr_assert_null(difference("a 1\n", flawed[i]), "%zu", i);
    memset(other, 'x', sizeof other);
    other[0] = 'a';
    other[1] = ' ';
    other[sizeof other - 1] = '\n';
    cr_assert_not(phx_refusal_compare("a 1\n", 4, other, sizeof other, line, sizeof line), "too long to be shown");
    other[100] = '\n';
    cr_assert(phx_refusal_compare("a 1\n", 4, other, sizeof other, line, sizeof line));
}

/* With texts the reason comes with an answer of the store, and the process registers with none of its ticks. */
Test(refusal, another_world_is_refused_by_its_key)
{
    static const char *const texts[] = {"view 50\nmargin 5\n", "view 50\nmargin 7\n", NULL};
    for (uint32_t at = 0; at < 3; at++) {
        bed_start(at, 0, REGIONS, at + 1, false);
        bed.processes[at].membership.def.definition_text = texts[at];
        bed.processes[at].membership.def.definition_size = texts[at] ? strlen(texts[at]) : 0;
        bed_run(40);
        cr_assert_eq(bed.processes[at].membership.phase, at == 0 ? PHX_MEMBERSHIP_MEMBER : PHX_MEMBERSHIP_ENDED);
    }
    cr_assert_str_eq(bed.processes[1].membership.reason,
                     "another member has another definition of the world: margin is 7 here, 5 there");
    cr_assert_str_eq(bed.processes[2].membership.reason, PHX_OTHER_DEFINITION);
    cr_assert_eq(bed.processes[0].node.map.member_count, 1);
    cr_assert_eq(bed_keys("ph/unit/nodes/"), 1);
    cr_assert_eq(bed_keys("ph-definition/"), 1, "of members alone");
}

/* So texts are as many as registered processes, whatever came and went. */
Test(refusal, a_text_is_there_as_long_as_its_process)
{
    bed_start(0, 4, REGIONS, 1, false);
    bed.processes[0].membership.def.definition_text = "view 50\n";
    bed.processes[0].membership.def.definition_size = strlen("view 50\n");
    while (bed.processes[0].membership.phase < PHX_MEMBERSHIP_JOIN) {
        cr_assert_eq(bed_keys("ph-definition/"), 0, "it has not registered yet");
        bed_run(1);
    }
    bed_run(3);
    cr_assert_eq(bed_keys("ph-definition/unit/4"), 1);
    bed_hang(2 * LEASE_TICKS);
    bed_run(1);
    cr_assert_eq(bed_keys("ph-definition/"), 0, "its lease has ended");
    bed_run(10);
    cr_assert(may_save_now(&bed.processes[0].node));
    cr_assert_eq(bed_keys("ph-definition/unit/4"), 1, "it came back");
    phx_membership_leave(&bed.processes[0].membership);
    bed_run(1);
    cr_assert_eq(bed_keys("ph-"), 0);
}

/* Two that have registered before they see each other. */
static void start_two(void)
{
    static const char *const texts[] = {"view 50\n", "view 60\n"};
    for (uint32_t at = 0; at < 2; at++) {
        bed_start(at, (uint16_t)(at + 1), REGIONS, at + 1, false);
        bed.processes[at].membership.def.definition_text = texts[at];
        bed.processes[at].membership.def.definition_size = strlen(texts[at]);
    }
}

static void check_one_joined(void)
{
    const uint32_t first = bed.processes[0].membership.phase == PHX_MEMBERSHIP_MEMBER ? 0 : 1;
    const phx_membership *other = &bed.processes[1 - first].membership;
    cr_assert_eq(bed.processes[first].membership.phase, PHX_MEMBERSHIP_MEMBER);
    cr_assert_eq(bed.processes[first].node.map.member_count, 1);
    cr_assert_eq(other->phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_str_eq(difference_of(other->reason),
                     first == 0 ? ": view is 60 here, 50 there" : ": view is 50 here, 60 there");
    bed_run(1);
    cr_assert(bed_keys("ph/unit/nodes/") == 1 && bed_keys("ph-definition/") == 1,
              "the other lease ends with its process");
}

Test(refusal, of_two_that_begin_at_once_one_joins)
{
    start_two();
    bed_run(40);
    check_one_joined();
}

static uint64_t revision_of(const char *key)
{
    const phx_memory_table *table = phx_memory_table_of(bed.memory);
    for (uint32_t i = 0; i < table->key_count; i++)
        if (strcmp(table->keys[i].key, key) == 0) return table->keys[i].revision;
    return 0;
}

/* As if another process did, over a value that is there. */
static void write_key(const char *key, const unsigned char *bytes, size_t size)
{
    static phc_store other;
    cr_assert_eq(phc_memory_join(bed.memory, &other), PH_OK);
    cr_assert_eq(other.cas(other.user, 1, key, revision_of(key), bytes, size, 0), PH_OK);
    phc_memory_step(bed.memory, bed.now);
    other.close(other.user);
}

/* Of a process that does nothing more. */
static void write_registration(const char *key, uint64_t definition, uint64_t registration)
{
    unsigned char bytes[PHX_REGISTRATION_BYTES];
    phx_registration_encode(
        &(phx_registration){.formats = PHX_FORMATS, .definition = definition, .registration = registration}, bytes);
    write_key(key, bytes, sizeof bytes);
}

/* With members of the numbers 2 and on, of the registrations 77 and on. */
static void write_map(uint16_t count)
{
    static phx_cluster_map map;
    static unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX];
    phx_cluster_map_init(&map, REGIONS / 2, 2);
    for (uint16_t i = 0; i < count; i++)
        cr_assert(phx_cluster_map_join(
            &map, (phx_member){.registration = 77u + i, .number = (uint16_t)(2 + i), .format = PHX_FORMAT_MAX}));
    write_key("ph/unit/map", bytes, phx_cluster_map_encode(&map, bytes, sizeof bytes));
}

/* ---- leases of processes that the map refuses ---- */

/* The next process of its number need not wait until the lease has run out. */
static void expect_lease_end(uint32_t at, ph_status why, const char *reason)
{
    const phx_membership *membership = &bed.processes[at].membership;
    for (uint32_t i = 0; i < LEASE_TICKS / 4 && membership->phase != PHX_MEMBERSHIP_ENDED; i++) bed_run(1);
    cr_assert_eq(membership->phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_str_eq(membership->reason, reason);
    cr_assert(membership->why == why && membership->lease != 0);
    bed_run(1);
    cr_assert_not(bed_has_lease(membership->lease), "%s", reason);
}

static void write_damaged_map(void)
{
    write_key("ph/unit/map", (const unsigned char *)"x", 1);
}

Test(refusal, a_process_that_the_map_refuses_ends_its_lease)
{
    bed_start(0, 0, REGIONS, 1, false);
    bed_run(20);
    bed_start(1, 0, 2 * REGIONS, 1, false);
    expect_lease_end(1, PH_BAD_DEF, "the map of the store has other regions");
    bed.formats = (phx_formats){PHX_FORMAT_MAX + 1, PHX_FORMAT_MAX + 2};
    bed_start(2, 0, REGIONS, 1, false);
    expect_lease_end(2, PH_BAD_DEF, PHX_OTHER_FORMAT ": it has format 1, and this process reads 2 to 3");
    cr_assert_eq(bed.processes[0].membership.phase, PHX_MEMBERSHIP_MEMBER);
    cr_assert_eq(bed_keys("ph/unit/nodes/"), 1);
    write_damaged_map();
    expect_lease_end(0, PH_OK, "the map of the store can not be read");
    cr_assert_eq(bed_keys("ph/unit/nodes/"), 0);
}

static phc_store first_store, late_store;

/* Another process's map is there as this one writes its own. */
static ph_status write_too_late(void *user, uint64_t tag, const char *key, uint64_t revision, const void *value,
                                size_t size, uint64_t lease)
{
    if (tag == PHX_TAG_MAP) cr_assert_eq(first_store.cas(first_store.user, 1, key, 0, "x", 1, 0), PH_OK);
    return late_store.cas(user, tag, key, revision, value, size, lease);
}

/* It has registered, and hears of that map by the answer to its own one. */
Test(refusal, a_process_that_writes_its_map_behind_a_damaged_one_ends_its_lease)
{
    const phx_membership *membership = &bed.processes[0].membership;
    bed_start(0, 5, REGIONS, 1, false);
    late_store = membership->def.store;
    cr_assert_eq(phc_memory_join(bed.memory, &first_store), PH_OK);
    bed.processes[0].membership.def.store.cas = write_too_late;
    while (membership->counts.writes == 0) bed_run(1);
    cr_assert(bed_keys("ph/unit/nodes/5") == 1 && membership->phase == PHX_MEMBERSHIP_JOIN);
    expect_lease_end(0, PH_OK, "the map of the store can not be read");
    cr_assert_eq(membership->counts.maps_read, 0, "no list had it");
    cr_assert_eq(bed_keys("ph/unit/nodes/5"), 0);
    first_store.close(first_store.user);
}

/* ---- maps that are held back ---- */

static struct {
    phc_store store; /* as it is */
    bool is_map_held, is_get_held;
    unsigned char map[PHX_CLUSTER_MAP_BYTES_MAX];
    size_t size;
} held;

static ph_status hold_map(void *user, uint64_t tag, const char *key, uint64_t revision, const void *value, size_t size,
                          uint64_t lease)
{
    if (tag != PHX_TAG_MAP) return held.store.cas(user, tag, key, revision, value, size, lease);
    cr_assert_not(held.is_map_held);
    memcpy(held.map, value, size);
    held.size = size;
    held.is_map_held = true;
    return PH_OK;
}

static ph_status hold_get(void *user, uint64_t tag, const char *key)
{
    (void)user, (void)tag, (void)key;
    held.is_get_held = true;
    return PH_OK;
}

/*
 * The first process's join is on its way as it hears of a member of another definition, and reads its text. The member
 * is in the map that is there, or in `old` one, of a list from before the map that is changed.
 */
static phx_membership *refuse_while_it_joins(bool old)
{
    phx_membership *first = &bed.processes[0].membership;
    bed_start(0, 1, REGIONS, 1, false);
    first->def.definition_text = "view 50\n";
    first->def.definition_size = strlen("view 50\n");
    held.store = first->def.store;
    first->def.store.cas = hold_map;
    first->def.store.get = hold_get;
    for (uint32_t ticks = 0; !held.is_map_held; ticks++) {
        cr_assert_lt(ticks, 20);
        bed_run(1);
    }
    write_registration("ph/unit/nodes/2", 2, 77);
    if (old) write_map(1);
    bed_run(2);
    cr_assert(held.is_get_held && first->is_refused);
    return first;
}

static void let_map_go(void)
{
    const char *key = "ph/unit/map";
    cr_assert_eq(held.store.cas(held.store.user, PHX_TAG_MAP, key, revision_of(key), held.map, held.size, 0), PH_OK);
}

Test(refusal, one_whose_join_stands_is_refused_no_more)
{
    const phx_membership *first = refuse_while_it_joins(true);
    cr_assert_not(bed.processes[0].node.joined);
    let_map_go();
    bed_run(2);
    cr_assert(bed.processes[0].node.joined && !first->is_refused);
    cr_assert_eq(held.store.get(held.store.user, PHX_REFUSAL_TAG_READ, "ph-definition/unit/2"), PH_OK);
    bed_run(LEASE_TICKS);
    cr_assert_eq(first->phase, PHX_MEMBERSHIP_MEMBER, "%s", first->reason);
    cr_assert(may_save_now(&bed.processes[0].node));
}

Test(refusal, one_whose_join_stands_by_the_same_answers_is_refused_no_more)
{
    const phx_membership *first = refuse_while_it_joins(true);
    let_map_go();
    cr_assert_eq(held.store.get(held.store.user, PHX_REFUSAL_TAG_READ, "ph-definition/unit/2"), PH_OK);
    bed_run(2);
    cr_assert_eq(first->phase, PHX_MEMBERSHIP_MEMBER, "%s", first->reason);
    cr_assert(bed.processes[0].node.joined && !first->is_refused);
}

/* ---- answers behind the end ---- */

static const char READS_NO_MAP[] = PHX_OTHER_FORMAT ": it has format 2, and this process reads 1 to 1";

static void write_risen_map(void)
{
    static phx_cluster_map map;
    static unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX];
    phx_cluster_map_init(&map, REGIONS / 2, 2);
    map.format = PHX_FORMAT_MAX + 1;
    write_key("ph/unit/map", bytes, phx_cluster_map_encode(&map, bytes, sizeof bytes));
}

/* The text of a member is on its way, as the map rises past the process. */
Test(refusal, one_that_ended_for_its_format_keeps_the_reason_as_the_other_text_comes)
{
    write_map(1);
    write_registration("ph/unit/nodes/2", 1, 77);
    write_key("ph-definition/unit/2", (const unsigned char *)"view 60\n", strlen("view 60\n"));
    const phx_membership *first = refuse_while_it_joins(false);
    write_risen_map();
    bed_run(2);
    cr_assert_eq(first->phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_str_eq(first->reason, READS_NO_MAP);
    cr_assert_eq(held.store.get(held.store.user, PHX_REFUSAL_TAG_READ, "ph-definition/unit/2"), PH_OK);
    bed_run(2);
    cr_assert_str_eq(first->reason, READS_NO_MAP);
}

/* Another process has its number, and its map is on its way as another one has risen. */
Test(refusal, one_that_ended_for_its_number_keeps_the_reason_as_the_map_comes)
{
    char reason[PHC_REASON_SIZE];
    phx_membership *first = &bed.processes[0].membership;
    bed_start(0, 1, REGIONS, 1, false);
    held.store = first->def.store;
    first->def.store.cas = hold_map;
    for (uint32_t ticks = 0; !held.is_map_held; ticks++) {
        cr_assert_lt(ticks, 20);
        bed_run(1);
    }
    write_registration("ph/unit/nodes/1", 1, 77);
    bed_run(3 * LEASE_TICKS);
    cr_assert(first->phase == PHX_MEMBERSHIP_ENDED && first->why == PH_TAKEN, "%s", first->reason);
    (void)snprintf(reason, sizeof reason, "%s", first->reason);
    cr_assert(strstr(reason, "its number 1 is that of another process"), "%s", reason);
    write_risen_map();
    cr_assert_eq(held.store.cas(held.store.user, PHX_TAG_MAP, "ph/unit/map", 0, held.map, held.size, 0), PH_OK);
    bed_run(2);
    cr_assert_not(first->writes, "the answer has come");
    cr_assert_str_eq(first->reason, reason);
}

/* ---- texts and dead members ---- */

static uint32_t texts_written;

static ph_status count_texts(void *user, uint64_t tag, const char *key, uint64_t revision, const void *value,
                             size_t size, uint64_t lease)
{
    texts_written += tag == PHX_REFUSAL_TAG_WRITE;
    return held.store.cas(user, tag, key, revision, value, size, lease);
}

/* An earlier process with its number slept, and wrote its text as it went on. */
Test(refusal, a_text_in_the_place_of_another_is_written_once_that_has_ended)
{
    phx_membership *first = &bed.processes[0].membership;
    write_key("ph-definition/unit/1", (const unsigned char *)"old", 3);
    bed_start(0, 1, REGIONS, 1, false);
    first->def.definition_text = "view 50\n";
    first->def.definition_size = strlen("view 50\n");
    held.store = first->def.store;
    first->def.store.cas = count_texts;
    bed_run(40);
    cr_assert_eq(first->phase, PHX_MEMBERSHIP_MEMBER, "%s", first->reason);
    cr_assert(texts_written > 2 && texts_written <= first->counts.lists + 1, "once a list: %u", texts_written);
    cr_assert_eq(bed_keys("ph-definition/"), 1);
}

/* The other one is a member, and its key is written anew by hand. */
Test(refusal, one_that_is_refused_beside_a_member_is_none_for_no_moment)
{
    write_map(1);
    write_registration("ph/unit/nodes/2", 1, 77);
    const phx_membership *first = refuse_while_it_joins(false);
    let_map_go();
    bed_run(2);
    cr_assert_not(bed.processes[0].node.joined);
    cr_assert_eq(first->phase, PHX_MEMBERSHIP_JOIN);
    cr_assert_eq(held.store.get(held.store.user, PHX_REFUSAL_TAG_READ, "ph-definition/unit/2"), PH_OK);
    bed_run(2);
    cr_assert_eq(first->phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_not(bed.processes[0].node.joined);
    cr_assert_eq(bed_keys("ph/unit/nodes/"), 1, "its lease has ended with it, so it is put out at once");
}

/* That one is of another definition, and the list does not say so. */
Test(refusal, one_that_begins_waits_for_a_member_without_a_key)
{
    write_map(1);
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(LEASE_TICKS / 2);
    cr_assert_eq(bed.processes[0].membership.phase, PHX_MEMBERSHIP_JOIN);
    write_registration("ph/unit/nodes/2", 2, 77);
    bed_run(2 * LEASE_TICKS);
    cr_assert_eq(bed.processes[0].membership.phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_str_eq(bed.processes[0].membership.reason, PHX_OTHER_DEFINITION);
    cr_assert_eq(bed.processes[0].membership.counts.writes, 0, "it writes no map");
}

Test(refusal, one_that_is_refused_does_not_join_while_the_other_text_is_read)
{
    phx_membership *first = &bed.processes[0].membership;
    write_map(1);
    bed_start(0, 1, REGIONS, 1, false);
    first->def.definition_text = "view 50\n";
    first->def.definition_size = strlen("view 50\n");
    held.store = first->def.store;
    first->def.store.get = hold_get;
    bed_run(LEASE_TICKS / 2);
    cr_assert_eq(first->phase, PHX_MEMBERSHIP_JOIN);
    write_registration("ph/unit/nodes/2", 2, 77);
    bed_run(5);
    cr_assert(held.is_get_held && first->is_refused && first->phase == PHX_MEMBERSHIP_JOIN);
    cr_assert_eq(first->counts.writes, 0, "it writes no map");
    cr_assert_eq(held.store.get(held.store.user, PHX_REFUSAL_TAG_READ, "ph-definition/unit/2"), PH_OK);
    bed_run(2);
    cr_assert_eq(first->phase, PHX_MEMBERSHIP_ENDED);
}

Test(refusal, one_that_begins_joins_as_a_member_without_a_key_is_back)
{
    write_map(1);
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(LEASE_TICKS / 2);
    cr_assert_eq(bed.processes[0].membership.phase, PHX_MEMBERSHIP_JOIN);
    write_registration("ph/unit/nodes/2", 1, 77);
    bed_run(4);
    cr_assert_eq(bed.processes[0].membership.phase, PHX_MEMBERSHIP_MEMBER);
    cr_assert_eq(bed.processes[0].node.map.member_count, 2);
}

/* All members are dead, or the one that lives puts none out: the process does that itself, and joins by that write. */
Test(refusal, one_that_begins_waits_for_dead_members_not_longer_than_a_lease)
{
    enum { JOIN_TICKS = 10 };
    for (uint16_t living = 0; living < 2; living++) {
        write_map(3);
        if (living > 0) write_registration("ph/unit/nodes/4", 1, 79);
        bed_start(0, 1, REGIONS, 1, false);
        bed_run(LEASE_TICKS - 1);
        cr_assert_eq(bed.processes[0].membership.phase, PHX_MEMBERSHIP_JOIN);
        bed_run(JOIN_TICKS);
        cr_assert_eq(bed.processes[0].membership.phase, PHX_MEMBERSHIP_MEMBER, "%u live", living);
        cr_assert_eq(bed.processes[0].membership.counts.writes, 1);
        cr_assert_eq(bed.processes[0].node.map.member_count, 1u + living);
        bed_end();
        bed_begin();
    }
}

/* Both wait for a dead member; the first one that finds it put out joins. */
Test(refusal, of_two_that_wait_for_a_dead_member_one_joins)
{
    write_map(1);
    start_two();
    bed_run(LEASE_TICKS / 2);
    for (uint32_t at = 0; at < 2; at++) cr_assert_eq(bed.processes[at].membership.phase, PHX_MEMBERSHIP_JOIN);
    bed_run(2 * LEASE_TICKS);
    check_one_joined();
}

Test(refusal, a_map_of_another_version_is_refused_by_name_and_stays)
{
    static phx_cluster_map map;
    static unsigned char bytes[PHX_CLUSTER_MAP_BYTES_MAX];
    phx_cluster_map_init(&map, REGIONS / 2, 2);
    map.version = 1;
    const size_t size = phx_cluster_map_encode(&map, bytes, sizeof bytes);
    bytes[4] = PHX_FORMAT_MAX + 1;
    phx_writer writer = {.at = bytes + size - PHX_SUM_BYTES, .end = bytes + size};
    cr_assert_eq(phx_sum_seal(&writer, bytes), size);
    cr_assert_eq(phx_cluster_map_format(bytes, size), PHX_FORMAT_MAX + 1);
    cr_assert_eq(phx_cluster_map_format(bytes, size - 1), 0);
    write_key("ph/unit/map", bytes, size);
    bed_start(0, 1, REGIONS, 1, false);
    bed_run(20);
    cr_assert_eq(bed.processes[0].membership.phase, PHX_MEMBERSHIP_ENDED);
    cr_assert_str_eq(bed.processes[0].membership.reason,
                     PHX_OTHER_FORMAT ": it has format 2, and this process reads 1 to 1");
    cr_assert_eq(bed.processes[0].membership.why, PH_BAD_DEF);
    const phx_memory_table *table = phx_memory_table_of(bed.memory);
    for (uint32_t i = 0; i < table->key_count; i++)
        cr_assert(strcmp(table->keys[i].key, "ph/unit/map") != 0 || table->keys[i].value[4] == PHX_FORMAT_MAX + 1);
}

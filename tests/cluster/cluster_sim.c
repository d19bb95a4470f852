/*
 * Seeded schedules of a cluster: see sim.h. Each is a few hundred ticks of faults, then calm; no entity ever has two
 * owners, nor is one taken for double, no state goes back but behind a restore, none is lost, no client is shown a
 * change twice, and once all is calm each is at the node of its region, and its clients have its list. The first
 * violation is printed with its seed.
 *
 * options: --seed S (the first), --count N, --expect TEXT (a canary: one of the schedules must fail with that
 * violation)
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cluster/sim.h"

enum { SCHEDULES = 10000, MANY = 200 };

/* Many schedules have some of each: else all of them pass as there is nothing in them that could fail. */
static void check_happened(uint64_t count, const char *what, uint64_t times)
{
    CHECK(count < MANY || times > 0, "%" PRIu64 " schedules, and no %s", count, what);
}

int main(int argc, char **argv)
{
    static sim_schedule run;
    const uint64_t first = option_number(argc, argv, "--seed", 1);
    const uint64_t count = option_number(argc, argv, "--count", test_amount(SCHEDULES));
    const char *expected = option_text(argc, argv, "--expect");
    uint64_t handed = 0, taken_back = 0, restored = 0, put_out = 0, left = 0, returned = 0, fenced = 0, views = 0,
             messages = 0;
    uint64_t shown = 0, held = 0, whole = 0, asked = 0;
    uint64_t late_copies = 0, doubled = 0, raised = 0, drained = 0, moved = 0;
    uint64_t died = 0, wiped = 0, exceeded = 0, behind = 0;
    uint64_t said = 0, heard = 0, overtaken = 0, balanced = 0, adopted = 0, joined_others = 0, over = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        if (!sim_run(&run, seed)) {
            printf("seed %" PRIu64 ", tick %" PRIu64 ": %s\n", seed, run.tick, run.violation);
            printf("repeat: %s --seed %" PRIu64 " --count 1\n", argv[0], seed);
            if (!expected || strcmp(run.violation, expected) == 0) return expected ? 0 : 1;
            continue; /* the bug breaks another rule, too */
        }
        handed += run.counts.handed;
        taken_back += run.counts.taken_back;
        restored += run.counts.restored;
        put_out += run.counts.put_out;
        left += run.counts.left;
        returned += run.counts.returned;
        fenced += run.counts.fenced;
        views += run.counts.views;
        messages += run.counts.messages;
        said += run.counts.said;
        heard += run.counts.heard;
        overtaken += run.counts.overtaken;
        balanced += run.counts.balanced;
        shown += run.counts.shown;
        held += run.counts.held;
        whole += run.counts.whole;
        asked += run.counts.asked;
        adopted += run.counts.adopted;
        joined_others += run.counts.joined_others;
        over += run.is_over;
        died += run.counts.died;
        wiped += run.counts.wiped;
        exceeded += run.counts.exceeded > 0;
        behind += run.counts.behind;
        late_copies += run.counts.late_copies;
        doubled += run.counts.doubled;
        raised += run.counts.raised;
        drained += run.counts.drained;
        moved += run.counts.moved;
    }
    printf("%" PRIu64 " schedules: %" PRIu64 " hand-overs, %" PRIu64 " taken back, %" PRIu64 " restored, %" PRIu64
           " put out, %" PRIu64 " left without an entity, %" PRIu64 " came back, %" PRIu64 " fenced, %" PRIu64
           " messages, %" PRIu64 " views heard\n",
           count, handed, taken_back, restored, put_out, left, returned, fenced, messages, views);
    printf("%" PRIu64 " broadcasts to peers, %" PRIu64 " times heard, %" PRIu64 " overtaken by an entity\n", said,
           heard, overtaken);
    printf("%" PRIu64 " regions given away by a balancer, %" PRIu64 " processes joined by a map of another one\n",
           balanced, joined_others);
    printf("%" PRIu64 " maps adopted by a store that had lost all, %" PRIu64 " clusters begun anew\n", adopted, over);
    printf("%" PRIu64 " deaths while a dead process's entities were restored, %" PRIu64
           " clusters begun anew with an old database, %" PRIu64 " by a map above its rows, %" PRIu64
           " entities let go for a later row\n",
           died, wiped, exceeded, behind);
    printf("%" PRIu64 " changes shown to clients, %" PRIu64 " held before, %" PRIu64 " whole lists, asked for %" PRIu64
           " times\n",
           shown, held, whole, asked);
    printf("%" PRIu64 " copies of own entities came late, or were of a double one; %" PRIu64
           " ids were double at last\n",
           late_copies, doubled);
    printf("%" PRIu64 " times the format of a map rose, %" PRIu64 " nodes were drained, %" PRIu64
           " regions went to another node\n",
           raised, drained, moved);
    CHECK(shown == 0 || (held > 0 && whole < shown), "no change is held, or each is a whole list");
    CHECK(said == 0 || heard > 0, "no broadcast is heard");
    check_happened(count, "hand-over", handed);
    check_happened(count, "entity taken back", taken_back);
    check_happened(count, "entity restored", restored);
    check_happened(count, "member put out", put_out);
    check_happened(count, "death while a dead process's entities were restored", died);
    check_happened(count, "node drained", drained);
    check_happened(count, "region that goes to another node", moved);
    if (returned > 0) { /* with the library's membership */
        check_happened(count, "map adopted by a store that had lost all", adopted);
        check_happened(count, "process joined by a map of another one", joined_others);
        check_happened(count, "format that rises", raised);
    }
    CHECK(!expected, "none of %" PRIu64 " schedules has found the seeded bug: %s", count, expected);
    return check_done("cluster_sim");
}

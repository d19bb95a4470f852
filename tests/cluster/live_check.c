/*
 * Rules of lines; see live_check.h.
 */
#include "cluster/live_check.h"

#include <inttypes.h>

enum {
    ON_ITS_WAY_MS = 2000
}; /* from one end's line to the other end's: two or three ticks, of which one may be slow */

void live_check_owners(const live_cluster *cluster)
{
    for (uint64_t id = 1; id <= cluster->walkers; id++) {
        uint32_t owners = 0;
        for (uint32_t i = 0; i < cluster->run_count; i++)
            owners += live_is_up(&cluster->runs[i]) && cluster->runs[i].owns[id];
        CHECK(owners == 1, "seed %" PRIu64 ": walker %" PRIu64 " has %u owners", cluster->seed, id, owners);
    }
}

static bool has_died(const live_cluster *cluster, uint32_t run)
{
    return cluster->runs[run].killed || cluster->runs[run].is_fenced;
}

/* The other end of a hand-over: what one node gave and the other took. */
static const live_event *other_end(const live_cluster *cluster, const live_event *event)
{
    const live_kind kind = event->kind == LIVE_LOST ? LIVE_GAINED : LIVE_LOST;
    const live_event *other = live_last_event(cluster, event->id);
    while (other && !(other->kind == kind && other->steps == event->steps && other->number == event->peer &&
                      other->peer == event->number))
        other = live_event_before(cluster, other);
    return other;
}

/* The run that had the number at that moment: a number is given again once the member before is out. NULL: none. */
static const live_run *run_numbered(const live_cluster *cluster, uint32_t number, uint64_t ms)
{
    const live_run *last = NULL;
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const live_run *run = &cluster->runs[i];
        if (run->number == number && run->joined_ms <= ms && (!last || run->joined_ms > last->joined_ms)) last = run;
    }
    return last;
}

/* Was the hand-over on its way as one end of it died? That one has not told it then, or has not heard of it. */
static bool may_be_cut(const live_run *end, uint64_t ms)
{
    return end && (end->killed || end->is_fenced) && ms + ON_ITS_WAY_MS >= end->unheard_ms;
}

static void check_hand_over(const live_cluster *cluster, const live_event *event)
{
    if (event->kind != LIVE_LOST && event->kind != LIVE_GAINED) return;
    if (may_be_cut(&cluster->runs[event->run], event->ms) ||
        may_be_cut(run_numbered(cluster, event->peer, event->ms), event->ms))
        return;
    CHECK(other_end(cluster, event),
          "seed %" PRIu64 ": node %u %s walker %" PRIu64 " with %" PRIu64 " steps, node %u says nothing of it",
          cluster->seed, event->number, event->kind == LIVE_LOST ? "gave" : "took", event->id, event->steps,
          event->peer);
}

static void check_ownership(const live_cluster *cluster, size_t place)
{
    const live_event *event = &cluster->events.items[place], *other = event;
    if (!live_gives_ownership(event->kind)) return;
    while ((other = live_event_before(cluster, other)))
        CHECK(!live_gives_ownership(other->kind) || other->ownership != event->ownership,
              "seed %" PRIu64 ": ownership %" PRIu64 " of walker %" PRIu64 " is given twice, to runs %u and %u",
              cluster->seed, event->ownership, event->id, other->run, event->run);
}

/* The event that gave an ownership. NULL: none did. */
static const live_event *giver_of(const live_cluster *cluster, const live_event *seen)
{
    const live_event *event = live_last_event(cluster, seen->id);
    while (event && !(event->ownership == seen->ownership && live_gives_ownership(event->kind)))
        event = live_event_before(cluster, event);
    return event;
}

/* The ownership with which the walker was entered anew, or taken back, the last time up to the one that is seen. */
static uint64_t begun_with(const live_cluster *cluster, const live_event *seen)
{
    uint64_t last = 0;
    for (const live_event *event = live_last_event(cluster, seen->id); event; event = live_event_before(cluster, event))
        if ((event->kind == LIVE_ENTERED || event->kind == LIVE_RESTORED) && event->ownership <= seen->ownership &&
            event->ownership > last)
            last = event->ownership;
    return last;
}

/* Had the gateway heard of an ownership from that one on? */
static bool had_seen(const live_cluster *cluster, const live_event *seen, uint64_t ownership)
{
    for (const live_event *event = seen; (event = live_event_before(cluster, event));)
        if (event->kind == LIVE_SEEN && event->run == seen->run && event->ownership >= ownership) return true;
    return false;
}

/*
 * The state of a walker goes back at a gateway only behind a walker that is entered anew, or taken back, of which the
 * gateway may hear only when the next node has it.
 */
static void check_seen(const live_cluster *cluster, const live_event *seen)
{
    if (seen->kind != LIVE_SEEN) return;
    const live_event *giver = giver_of(cluster, seen);
    CHECK(giver, "seed %" PRIu64 ": a gateway hears of ownership %" PRIu64 " of walker %" PRIu64 ", that no node has",
          cluster->seed, seen->ownership, seen->id);
    if (!giver || !had_seen(cluster, seen, begun_with(cluster, seen))) return;
    CHECK(seen->steps >= seen->steps_before,
          "seed %" PRIu64 ": walker %" PRIu64 " goes back at a gateway, from %" PRIu64 " steps to %" PRIu64,
          cluster->seed, seen->id, seen->steps_before, seen->steps);
}

/* A walker's last owner before that moment, by its ownership; NULL: none. */
static const live_event *owner_before(const live_cluster *cluster, uint64_t id, uint64_t ms)
{
    const live_event *last = NULL;
    for (const live_event *event = live_last_event(cluster, id); event; event = live_event_before(cluster, event))
        if (live_gives_ownership(event->kind) && event->ms < ms && (!last || event->ownership > last->ownership))
            last = event;
    return last;
}

/* The dead node, if there is one, the one that died before it, or one that is excused. */
static bool is_gone(const live_run *run, const live_run *dead)
{
    return run == dead || run->is_first || run->is_excused;
}

static bool is_number_of(const live_cluster *cluster, uint32_t number, const live_run *dead)
{
    bool is_one = dead && number == dead->number;
    for (uint32_t i = 0; i < cluster->run_count; i++)
        is_one |= is_gone(&cluster->runs[i], dead) && cluster->runs[i].number == number;
    return is_one;
}

/* Was it the dead node's, or on its way to it? The dead node has not said all that it took. */
static bool was_with(const live_cluster *cluster, const live_run *dead, const live_event *again)
{
    const live_event *owner = owner_before(cluster, again->id, again->ms);
    if (!owner || is_gone(&cluster->runs[owner->run], dead)) return owner != NULL;
    for (const live_event *event = live_last_event(cluster, again->id); event;
         event = live_event_before(cluster, event))
        if (event->kind == LIVE_LOST && event->run == owner->run && event->ms >= owner->ms && event->ms <= again->ms &&
            is_number_of(cluster, event->peer, dead))
            return true;
    return false;
}

void live_check_restored(const live_cluster *cluster, const live_run *dead, size_t first, live_restored *restored)
{
    *restored = (live_restored){0};
    for (size_t i = first; i < cluster->events.count; i++) {
        const live_event *event = &cluster->events.items[i];
        if (event->kind != LIVE_ENTERED && event->kind != LIVE_RESTORED) continue;
        *(event->kind == LIVE_ENTERED ? &restored->entered : &restored->taken_back) += 1;
        if (event->ms > restored->last_ms) restored->last_ms = event->ms;
        CHECK(was_with(cluster, dead, event),
              "seed %" PRIu64 ": walker %" PRIu64 " is entered anew, and was no dead node's", cluster->seed, event->id);
    }
}

void live_leave_out(live_cluster *cluster, const live_run *gone)
{
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        live_measure *measure = &cluster->runs[i].measure;
        const bool is_told = measure->peer_down_ms[gone->number] != 0;
        measure->peer_downs = &cluster->runs[i] == gone ? 0 : measure->peer_downs - is_told;
    }
}

void live_check_nothing_lost(const live_cluster *cluster, size_t first)
{
    live_restored restored;
    live_check_restored(cluster, NULL, first, &restored);
    CHECK(restored.entered + restored.taken_back == 0 || cluster->excused > 0, "seed %" PRIu64 ": %u walkers were lost",
          cluster->seed, restored.entered + restored.taken_back);
    for (uint32_t i = 0; i < cluster->run_count; i++)
        CHECK(cluster->runs[i].measure.peer_downs <= cluster->excused,
              "seed %" PRIu64 ": run %u says that %" PRIu64 " members were put out, %u are excused", cluster->seed, i,
              cluster->runs[i].measure.peer_downs, cluster->excused);
}

void live_check_events(const live_cluster *cluster)
{
    for (size_t i = 0; i < cluster->events.count; i++) {
        check_hand_over(cluster, &cluster->events.items[i]);
        check_ownership(cluster, i);
        check_seen(cluster, &cluster->events.items[i]);
    }
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const live_run *run = &cluster->runs[i];
        CHECK(run->damaged == 0 && run->duplicates == 0,
              "seed %" PRIu64 ": run %u has %" PRIu64 " damaged states, %" PRIu64 " doubles", cluster->seed, i,
              run->damaged, run->duplicates);
        CHECK(run->wrong == 0, "seed %" PRIu64 ": clients of run %u were shown %" PRIu64 " changes twice",
              cluster->seed, i, run->wrong);
        CHECK(run->refused == 0 || has_died(cluster, i), "seed %" PRIu64 ": run %u has %" PRIu64 " refused commands",
              cluster->seed, i, run->refused);
    }
}

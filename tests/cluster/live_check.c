/*
 * Rules of lines; see live_check.h.
 */
#include "cluster/live_check.h"

#include <inttypes.h>

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
    for (size_t i = 0; i < cluster->events.count; i++) {
        const live_event *other = &cluster->events.items[i];
        if (other->kind == kind && other->id == event->id && other->steps == event->steps &&
            other->number == event->peer && other->peer == event->number)
            return other;
    }
    return NULL;
}

/* Did a run with this number die? Its last lines are not there then. */
static bool number_has_died(const live_cluster *cluster, uint32_t number)
{
    bool died = false;
    for (uint32_t i = 0; i < cluster->run_count; i++) died |= cluster->runs[i].number == number && has_died(cluster, i);
    return died;
}

static void check_hand_over(const live_cluster *cluster, const live_event *event)
{
    if (event->kind != LIVE_LOST && event->kind != LIVE_GAINED) return;
    if (has_died(cluster, event->run) || number_has_died(cluster, event->peer)) return;
    CHECK(other_end(cluster, event),
          "seed %" PRIu64 ": node %u %s walker %" PRIu64 " with %" PRIu64 " steps, node %u says nothing of it",
          cluster->seed, event->number, event->kind == LIVE_LOST ? "gave" : "took", event->id, event->steps,
          event->peer);
}

static void check_ownership(const live_cluster *cluster, size_t place)
{
    const live_event *event = &cluster->events.items[place];
    if (event->kind == LIVE_LOST) return;
    for (size_t i = 0; i < place; i++) {
        const live_event *other = &cluster->events.items[i];
        CHECK(other->kind == LIVE_LOST || other->id != event->id || other->ownership != event->ownership,
              "seed %" PRIu64 ": ownership %" PRIu64 " of walker %" PRIu64 " is given twice, to runs %u and %u",
              cluster->seed, event->ownership, event->id, other->run, event->run);
    }
}

void live_check_events(const live_cluster *cluster)
{
    for (size_t i = 0; i < cluster->events.count; i++) {
        check_hand_over(cluster, &cluster->events.items[i]);
        check_ownership(cluster, i);
    }
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const live_run *run = &cluster->runs[i];
        CHECK(run->damaged == 0 && run->duplicates == 0,
              "seed %" PRIu64 ": run %u has %" PRIu64 " damaged states, %" PRIu64 " doubles", cluster->seed, i,
              run->damaged, run->duplicates);
        CHECK(run->refused == 0 || has_died(cluster, i), "seed %" PRIu64 ": run %u has %" PRIu64 " refused commands",
              cluster->seed, i, run->refused);
    }
}

/*
 * Lines of a node; see node_lines.h.
 */
#include "tools/node_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "tools/cli.h"

enum { NS_IN_MS = 1000000 };

/* Nodes of one machine share this clock, so that their lines can be put in order. */
static void begin_line(const phx_node_host *host, const char *what)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_BOOTTIME, &now);
    printf("{\"event\":\"%s\",\"ms\":%" PRIu64 ",\"node\":%u", what,
           (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / NS_IN_MS, phc_number(host->member));
}

static void end_line(void)
{
    puts("}");
    (void)fflush(stdout);
}

static void print_number(const char *name, uint64_t value)
{
    printf(",\"%s\":%" PRIu64, name, value);
}

/* As text: readers of JSON that have numbers as doubles round values of 2^53 and more. */
static void print_whole(const char *name, uint64_t value)
{
    printf(",\"%s\":\"%" PRIu64 "\"", name, value);
}

/* NULL: such an event has no line, or another one. */
static const char *event_name(phc_event_kind kind)
{
    static const char *const names[] = {[PHC_EVENT_JOINED] = "joined",
                                        [PHC_EVENT_FENCED] = "fenced",
                                        [PHC_EVENT_DUPLICATE] = "duplicate",
                                        [PHC_EVENT_REGION_GAINED] = "region_gained",
                                        [PHC_EVENT_REGION_LOST] = "region_lost",
                                        [PHC_EVENT_RESTORE] = "restore",
                                        [PHC_EVENT_PEER_UP] = "peer_up",
                                        [PHC_EVENT_PEER_DOWN] = "peer_down",
                                        [PHC_EVENT_LAG] = "lag",
                                        [PHC_EVENT_DRAINED] = "drained",
                                        [PHC_EVENT_DOUBLE_ID] = "double_id",
                                        [PHC_EVENT_CLEARED] = "cleared"};
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

/* A lease that ran out while it was still proven was ended by the store, before its time. */
static void print_end_of_membership(const phx_node_host *host, const phc_event *event)
{
    phc_stats stats = {0};
    fputs(",\"reason\":", stdout);
    phx_json_string(stdout, event->reason);
    if (phc_stats_get(host->member, &stats) != PH_OK) return;
    print_number("lease_ms", stats.lease_ns / NS_IN_MS);
    print_number("map", stats.map_version);
}

static bool is_of_id(phc_event_kind kind)
{
    return kind == PHC_EVENT_DUPLICATE || kind == PHC_EVENT_DOUBLE_ID || kind == PHC_EVENT_CLEARED;
}

void phx_line_event(const phx_node_host *host, const phc_event *event)
{
    const char *name = event_name(event->kind);
    const bool of_region = event->kind == PHC_EVENT_REGION_GAINED || event->kind == PHC_EVENT_REGION_LOST ||
                           event->kind == PHC_EVENT_RESTORE;
    if (!name) return;
    begin_line(host, name);
    if (of_region) printf(",\"region\":%u", event->region);
    else if (event->number != 0) printf(",\"peer\":%u", event->number);
    if (event->kind == PHC_EVENT_RESTORE) printf(",\"loss\":%u", event->loss);
    if (event->kind == PHC_EVENT_LAG) printf(",\"ticks\":%u", event->ticks);
    if (is_of_id(event->kind)) printf(",\"id\":%" PRIu64, event->id);
    if (event->kind == PHC_EVENT_FENCED) print_end_of_membership(host, event);
    end_line();
}

void phx_line_entity(const phx_node_host *host, const char *what, uint64_t id, uint16_t peer)
{
    if (!host->job->shows_events) return;
    begin_line(host, what);
    printf(",\"id\":%" PRIu64 ",\"peer\":%u", id, peer);
    print_whole("ownership", phc_ownership(host->member, id));
    print_number("steps", host->walkers[id - 1].steps);
    end_line();
}

static const char *print_range(const char *between, uint64_t first, uint64_t last)
{
    printf(last > first ? "%s%" PRIu64 "-%" PRIu64 : "%s%" PRIu64, between, first, last);
    return ",";
}

/* Ids that ascend, as ranges: 1-7,9. */
static void print_listed(const uint64_t *ids, uint32_t count)
{
    const char *between = "";
    for (uint32_t i = 0, first = 0; i < count; i++) {
        if (i + 1 < count && ids[i + 1] == ids[i] + 1) continue;
        between = print_range(between, ids[first], ids[i]);
        first = i + 1;
    }
}

static void print_own_ids(const phx_node_host *host)
{
    uint32_t count = 0;
    for (uint64_t id = 1; id <= host->job->walkers; id++)
        if (phc_owns(host->member, id)) host->listed[count++] = id;
    fputs(",\"ids\":\"", stdout);
    print_listed(host->listed, count);
    fputs("\"", stdout);
}

/* Lists of own entities, as a gateway has them of its clients. */
static void print_list_sum(const phx_node_host *host, ph_world world)
{
    uint64_t listed = 0, sum = 0;
    for (uint64_t id = 1; id <= host->job->walkers; id++) {
        uint32_t count = 0;
        if (!phc_owns(host->member, id) || ph_list(world, id, host->listed, host->job->walkers, &count) != PH_OK)
            continue;
        listed += count;
        sum += phx_client_list_sum(id, host->listed, count);
    }
    print_number("listed", listed);
    print_whole("list_sum", sum);
}

/* Places, views and lists of own entities: the form is cluster_lists.h's. */
static void print_lists(const phx_node_host *host, ph_world world)
{
    const char *between = "";
    fputs(",\"lists\":[", stdout);
    for (uint64_t id = 1; id <= host->job->walkers; id++) {
        uint32_t count = 0;
        ph_attrs attrs;
        if (!phc_owns(host->member, id) || ph_entity_get(world, id, &attrs) != PH_OK ||
            ph_list(world, id, host->listed, host->job->walkers, &count) != PH_OK)
            continue;
        printf("%s{\"id\":%" PRIu64 ",\"x\":%.9g,\"y\":%.9g,\"view\":%.9g,\"margin\":%.9g,\"sees\":\"", between, id,
               (double)attrs.x, (double)attrs.y, (double)attrs.view, (double)attrs.margin);
        print_listed(host->listed, count);
        fputs("\"}", stdout);
        between = ",";
    }
    fputs("]", stdout);
}

static void print_times(const char *name, const uint32_t *us, uint32_t count)
{
    printf(",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) printf(i > 0 ? ",%u" : "%u", us[i]);
    fputs("]", stdout);
}

/* That a node and a gateway have. */
static void begin_status(const phx_node_host *host, const phx_node_ticks *ticks, const phc_stats *stats)
{
    begin_line(host, "status");
    print_number("tick", ticks->ticks);
    print_number("late", ticks->late);
    print_number("longest_us", ticks->longest_ns / 1000);
    print_number("map", stats->map_version);
    print_number("nodes", stats->nodes);
    print_number("lease_ms", stats->lease_ns / NS_IN_MS);
    print_number("lease_least_ms", ticks->lease_least_ns / NS_IN_MS);
    print_number("reconnects", ticks->reconnects);
    print_number("store_failed", stats->store.failed);
}

void phx_line_status(const phx_node_host *host, ph_world world, const phx_node_ticks *ticks)
{
    phc_stats stats = {0};
    if (phc_stats_get(host->member, &stats) != PH_OK) return;
    begin_status(host, ticks, &stats);
    print_number("regions", stats.regions);
    print_number("own", stats.own);
    print_number("remote", stats.remote);
    print_number("transit", stats.transit);
    print_number("lag", stats.lag_ticks);
    print_number("enters", ticks->enters);
    print_number("leaves", ticks->leaves);
    print_number("entered", host->counts.entered);
    print_number("gained", host->counts.gained);
    print_number("lost", host->counts.lost);
    print_number("restored", host->counts.restored);
    print_number("duplicates", host->counts.duplicates);
    print_number("damaged", host->counts.damaged);
    print_number("refused", host->counts.refused);
    print_number("resent", host->counts.resent);
    print_number("doubled", host->counts.doubled);
    print_number("unheard", host->counts.unheard);
    print_number("other_format", host->counts.foreign);
    if (host->job->shows_ids) print_own_ids(host);
    if (host->job->shows_ids) print_list_sum(host, world);
    if (host->job->shows_lists) print_lists(host, world);
    if (host->job->shows_ticks) print_times("ticks_us", ticks->recent_us, ticks->recent_count);
    if (host->job->shows_ticks) print_times("asleep_us", ticks->recent_asleep_us, ticks->recent_count);
    end_line();
}

void phx_line_gateway(const phx_node_host *host, const phx_node_ticks *ticks, const phx_gateway_counts *counts)
{
    phc_stats stats = {0};
    if (phc_stats_get(host->member, &stats) != PH_OK) return;
    begin_status(host, ticks, &stats);
    print_number("seen", counts->seen);
    print_number("stale", counts->stale);
    print_number("damaged", counts->damaged);
    print_number("full", counts->full);
    print_number("gap_ms", counts->gap_ms);
    print_number("fenced", counts->fenced);
    print_number("other_format", counts->foreign);
    print_number("shown", counts->clients.shown);
    print_number("held", counts->clients.held);
    print_number("whole", counts->clients.whole);
    print_number("asked", counts->clients.asked);
    print_number("wrong", counts->clients.wrong);
    print_number("listed", counts->listed);
    print_whole("list_sum", counts->list_sum);
    end_line();
}

void phx_line_seen(const phx_node_host *host, const phx_walker_state *state, const phx_walker_state *was,
                   uint64_t gap_ms)
{
    if (!host->job->shows_events) return;
    begin_line(host, "seen");
    print_number("id", state->id);
    print_whole("ownership", state->ownership);
    print_number("steps", state->steps);
    print_whole("ownership_before", was->ownership);
    print_number("steps_before", was->steps);
    print_number("gap_ms", gap_ms);
    end_line();
}

void phx_line_other_format(const phx_node_host *host, uint32_t format)
{
    begin_line(host, "other_format");
    print_number("format", format);
    print_number("reads", PHX_CLIENT_FORMAT);
    end_line();
}

void phx_line_commit(const phx_node_host *host)
{
    begin_line(host, "may_commit");
    print_number("on", host->commits);
    end_line();
}

void phx_line_end(const phx_node_host *host, const char *how)
{
    phc_stats stats = {0};
    if (phc_stats_get(host->member, &stats) != PH_OK) return;
    begin_line(host, "end");
    printf(",\"how\":\"%s\"", how);
    print_number("own", stats.own);
    print_number("transit", stats.transit);
    end_line();
}

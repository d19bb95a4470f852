/*
 * Lines of runs, read along into measures and events; see live_nodes.h.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/live_nodes.h"

/*
 * As text, which readers of JSON do not round: an ownership has the version of a map in its upper half, and is above
 * 2^53 in most eras.
 */
static uint64_t whole_in(const char *line, const char *name)
{
    char key[64];
    (void)snprintf(key, sizeof key, "\"%s\":\"", name);
    const char *at = strstr(line, key);
    char *end;
    if (!CHECK(at, "no text %s in: %s", name, line)) return 0;
    const uint64_t value = strtoull(at + strlen(key), &end, 10);
    CHECK(*end == '"', "%s is no number in: %s", name, line);
    return value;
}

/* The number behind "name":, 0 if it is not there. */
static uint64_t number_in(const char *line, const char *name)
{
    char key[64];
    (void)snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(line, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static bool is_event(const char *line, const char *name)
{
    char start[64];
    (void)snprintf(start, sizeof start, "{\"event\":\"%s\",", name);
    return strncmp(line, start, strlen(start)) == 0;
}

/* "1-7,9" */
static void read_ids(live_run *run, const char *line)
{
    static const char key[] = "\"ids\":\"";
    const char *at = strstr(line, key);
    char *end;
    memset(run->owns, 0, sizeof run->owns);
    run->ids = 0;
    REQUIRE(at);
    at += strlen(key);
    while (*at != '"') {
        const uint64_t first = strtoull(at, &end, 10), last = *end == '-' ? strtoull(end + 1, &end, 10) : first;
        REQUIRE(first >= 1 && first <= last && last <= LIVE_WALKERS_MAX);
        for (uint64_t id = first; id <= last; id++) {
            CHECK(run->told[id], "node %u owns walker %" PRIu64 ", and has not told that it came", run->number, id);
            run->owns[id] = true;
            run->ids++;
        }
        at = *end == ',' ? end + 1 : end;
    }
}

/* Behind its key, as "ticks_us":[12,34]. */
static void read_times(live_times *times, const char *line, const char *key)
{
    const char *at = strstr(line, key);
    char *end;
    REQUIRE(at);
    for (at += strlen(key); *at != ']'; at = *end == ',' ? end + 1 : end) {
        const uint32_t us = (uint32_t)strtoul(at, &end, 10);
        REQUIRE(end != at);
        VEC_PUSH(times, us);
    }
}

static void read_ticks(live_run *run, const char *line)
{
    read_times(&run->ticks_us, line, "\"ticks_us\":[");
    read_times(&run->asleep_us, line, "\"asleep_us\":[");
    VEC_PUSH(&run->marks, ((live_mark){.ms = run->status_ms, .ticks = run->ticks, .times = run->ticks_us.count}));
}

static uint64_t max_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* That a node and a gateway have. */
static void read_measure(live_run *run, const char *line)
{
    live_measure *measure = &run->measure;
    const uint64_t lease_ms = number_in(line, "lease_least_ms");
    if (lease_ms < measure->lease_least_ms) measure->lease_least_ms = lease_ms;
    measure->gap_ms = max_of(measure->gap_ms, number_in(line, "gap_ms"));
    run->ticks = number_in(line, "tick");
    run->status_ms = number_in(line, "ms");
    run->map_version = number_in(line, "map");
    run->lease_ms = number_in(line, "lease_ms");
    run->damaged = number_in(line, "damaged");
    run->listed = number_in(line, "listed");
    run->list_sum = whole_in(line, "list_sum");
    run->wrong = number_in(line, "wrong");
    run->held = number_in(line, "held");
    run->reconnects = number_in(line, "reconnects");
    run->failed = number_in(line, "store_failed");
    run->asked = number_in(line, "asked");
}

static void read_status(live_run *run, const char *line)
{
    read_measure(run, line);
    if (run->is_gateway) return;
    const uint64_t changes =
        number_in(line, "entered") + number_in(line, "gained") + number_in(line, "lost") + number_in(line, "restored");
    const uint64_t transit = number_in(line, "transit");
    run->same_statuses = changes == run->changes && transit == run->transit ? run->same_statuses + 1 : 1;
    run->changes = changes;
    run->transit = transit;
    run->duplicates = number_in(line, "duplicates");
    run->refused = number_in(line, "refused");
    read_ids(run, line);
    read_ticks(run, line);
}

static void read_event(live_cluster *cluster, uint32_t place, live_kind kind, const char *line)
{
    live_event event = {.kind = kind,
                        .run = place,
                        .number = (uint32_t)number_in(line, "node"),
                        .peer = (uint32_t)number_in(line, "peer"),
                        .ms = number_in(line, "ms"),
                        .id = number_in(line, "id"),
                        .ownership = whole_in(line, "ownership"),
                        .steps = number_in(line, "steps"),
                        .steps_before = number_in(line, "steps_before")};
    REQUIRE(event.id >= 1 && event.id <= cluster->walkers);
    event.before = cluster->last_events[event.id];
    /* statuses of several runs are of different moments, and walkers cross between them */
    live_run *run = &cluster->runs[place];
    if (kind != LIVE_SEEN) run->owns[event.id] = run->told[event.id] = live_gives_ownership(kind);
    VEC_PUSH(&cluster->events, event);
    cluster->last_events[event.id] = cluster->events.count;
}

/* The line comes once the other node is silent for some ticks, and again so many ticks behind the silence. */
static void read_lag(live_run *run, const char *line)
{
    const uint64_t peer = number_in(line, "peer"), ticks = number_in(line, "ticks"), ms = number_in(line, "ms");
    REQUIRE(peer >= 1 && peer <= LIVE_PEERS_MAX);
    uint64_t *since_ms = &run->silent_since_ms[peer];
    if (ticks == 0 && *since_ms != 0) {
        const uint64_t heard_ms = ms - (uint64_t)LIVE_LAG_END_TICKS * LIVE_TICK_MS;
        run->measure.silence_ms = max_of(run->measure.silence_ms, heard_ms > *since_ms ? heard_ms - *since_ms : 0);
    }
    *since_ms = ticks == 0 ? 0 : ms - ticks * LIVE_TICK_MS;
}

static void read_peer_down(live_run *run, const char *line)
{
    const uint64_t peer = number_in(line, "peer");
    REQUIRE(peer >= 1 && peer <= LIVE_PEERS_MAX);
    run->silent_since_ms[peer] = 0;
    run->measure.peer_downs++;
    run->measure.peer_down_ms[peer] = number_in(line, "ms");
}

/*
 * etcd before 3.4.31 and 3.5.13 ends leases that are renewed, once a leader that stood still goes on: an excuse where
 * the test itself had it stand still. And a machine or a disk that stands still for a good part of a lease, as this
 * process has measured it, ends members by right. Both are no fault of a node; all other reasons are. One that the
 * test itself held beyond its lease has no need of an excuse.
 */
static const char *excuse_of(const live_cluster *cluster, const live_run *run, const char *line)
{
    if (run->paused || !strstr(line, "lease ran out\"")) return NULL;
    if (cluster->stops_etcd && number_in(line, "lease_ms") > 0) return ", is ended early by etcd";
    return 2 * max_of(cluster->stall_ms, cluster->disk_ms) > cluster->lease_ms ? ", on a machine that stood still"
                                                                               : NULL;
}

static void read_fenced(live_cluster *cluster, uint32_t place, const char *line)
{
    live_run *run = &cluster->runs[place];
    const char *excuse = excuse_of(cluster, run, line);
    run->is_fenced = true;
    /* one that the test itself holds is unheard since then; any other one may have been out for a lease */
    if (run->unheard_ms == 0) run->unheard_ms = number_in(line, "ms") - cluster->lease_ms;
    memset(run->owns, 0, sizeof run->owns);
    run->is_excused = excuse != NULL;
    cluster->excused += run->is_excused;
    cluster->excused_all += run->is_excused;
    (void)printf("  run %u, node %u%s: %s", place, run->number, excuse ? excuse : "", line);
}

static void read_joined(live_run *run, const char *line)
{
    run->number = (uint32_t)number_in(line, "node");
    run->joined_ms = number_in(line, "ms");
}

static void read_commit(live_run *run, const char *line)
{
    run->commits = number_in(line, "on") != 0;
    run->commits_ms = number_in(line, "ms");
}

static bool says_of(const char *line, const char *server)
{
    return strncmp(line, server, strlen(server)) == 0;
}

/* A line of no event, about servers that the test itself has taken away; all others are a fault of the node. */
static void read_trouble(const live_cluster *cluster, live_run *run, const char *line)
{
    const bool is_of_etcd = says_of(line, "pharos-node: etcd: "), is_of_nats = says_of(line, "pharos-node: nats: ");
    const bool is_cut_off = cluster->kills_brokers || run->unheard_ms != 0;
    run->measure.unconnected += is_of_nats;
    CHECK((is_of_etcd && run->may_say) || (is_of_nats && is_cut_off), "seed %" PRIu64 ": run %u says: %s",
          cluster->seed, (uint32_t)(run - cluster->runs), line);
}

static void read_line(live_cluster *cluster, uint32_t place, const char *line)
{
    static const char *const names[] = {[LIVE_ENTERED] = "entered",
                                        [LIVE_GAINED] = "gained",
                                        [LIVE_RESTORED] = "restored",
                                        [LIVE_LOST] = "lost",
                                        [LIVE_SEEN] = "seen"};
    live_run *run = &cluster->runs[place];
    for (uint32_t kind = LIVE_ENTERED; kind <= LIVE_SEEN; kind++)
        if (is_event(line, names[kind])) read_event(cluster, place, (live_kind)kind, line);
    if (is_event(line, "status")) read_status(run, line);
    if (is_event(line, "joined")) read_joined(run, line);
    if (is_event(line, "lag")) read_lag(run, line);
    if (is_event(line, "may_commit")) read_commit(run, line);
    if (is_event(line, "peer_down")) read_peer_down(run, line);
    if (is_event(line, "drained")) run->is_drained = true;
    run->restores += is_event(line, "restore");
    if (is_event(line, "fenced")) read_fenced(cluster, place, line);
    if (line[0] != '{') read_trouble(cluster, run, line);
}

/* A line that has no end yet is read again later. */
static void read_lines(live_cluster *cluster, uint32_t place)
{
    static char line[LIVE_LINE_SIZE];
    FILE *log = cluster->runs[place].log;
    for (;;) {
        const long at = ftell(log);
        if (!fgets(line, sizeof line, log) || !strchr(line, '\n')) {
            clearerr(log);
            REQUIRE(fseek(log, at, SEEK_SET) == 0);
            return;
        }
        read_line(cluster, place, line);
    }
}

void live_read(live_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->run_count; i++) read_lines(cluster, i);
}

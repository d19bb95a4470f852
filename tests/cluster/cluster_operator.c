/*
 * pharos-cluster beside a cluster of processes: nats-server and etcd on loopback, three pharos-node with walkers. The
 * program shows them, moves regions, drains a node and gives it regions again, balances a slow node, puts one out,
 * races with itself, meets processes of another version and of another definition, and loses its servers. Checked: its
 * output and exit statuses, that the walkers follow, that no walker is lost by a move or a drain. No time is asserted,
 * but that nothing takes two minutes.
 *
 * usage: cluster_operator --tool PROGRAM --node PROGRAM --nats PROGRAM --etcd PROGRAM [--seed S]
 */
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pharos/cluster.h>

#include "cluster/live_check.h"
#include "cluster/membership/registration.h"

enum {
    NODES = 3,
    WALKERS = 90,
    REGIONS = 16,
    STEP_US = 20000,
    PATIENCE_MS = 120000,
    REST_US = 4000000, /* until lists stand, and each node has said so */
    OUTPUT_SIZE = 32768,
    SLOW_MS = 35 /* of 50 */
};
enum { EXIT_WRONG = 2, EXIT_REFUSED = 3, EXIT_STORE = 4, EXIT_FOUND = 5, EXIT_FENCED = 3, EXIT_KEPT_OUT = 5 };

static const char *tool;
static live_cluster *cluster;
static char output[OUTPUT_SIZE]; /* of the last run of the tool, both streams */

/* ---- the tool ---- */

/* Its arguments are words with blanks between them, behind the servers. */
static void start_tool(test_server *process, const char *words)
{
    char line[SERVER_TEXT];
    *process = (test_server){0};
    (void)snprintf(process->log, sizeof process->log, "%s/tool-%p.log", cluster->folder, (void *)process);
    (void)unlink(process->log);
    server_add_text(process, tool);
    for (uint32_t i = 0; i < cluster->etcd.count; i++) server_add_option(process, "--etcd", cluster->etcd.addresses[i]);
    (void)snprintf(line, sizeof line, "%s", words);
    for (char *word = line, *end; *word; word = end) {
        end = word + strcspn(word, " ");
        if (*end) *end++ = '\0';
        server_add_text(process, word);
    }
    server_launch(process);
}

/* The status of waitpid(); the test ends, with the log and what was awaited, if the process does not. */
static int await_exit(test_server *process, const char *what)
{
    const uint64_t end_ms = live_now_ms() + PATIENCE_MS;
    int status = 0;
    while (!server_has_ended(process, &status)) {
        if (live_now_ms() >= end_ms) {
            server_show_log(process);
            check_give_up(__FILE__, __LINE__, what);
        }
        (void)usleep(STEP_US);
    }
    return status;
}

static int await_tool(test_server *process)
{
    const int status = await_exit(process, "a command of pharos-cluster does not end");
    FILE *file = fopen(process->log, "r");
    const size_t size = file ? fread(output, 1, sizeof output - 1, file) : 0;
    output[size] = '\0';
    if (file) (void)fclose(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

/* Runs it, and checks its exit status, and that its output has `text`. */
__attribute__((format(printf, 3, 4))) static void expect(int exit_status, const char *text, const char *format, ...)
{
    test_server process;
    char words[SERVER_TEXT];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    start_tool(&process, words);
    const int got = await_tool(&process);
    CHECK(got == exit_status && strstr(output, text), "%s: exit status %d, not %d, or no '%s' in: %s", words, got,
          exit_status, text, output);
}

/* The nodes of the regions, from a line of JSON. */
static void read_regions(uint32_t numbers[REGIONS])
{
    expect(0, "\"regions\":[", "status --json");
    char *at = strstr(output, "],\"regions\":[");
    memset(numbers, 0, REGIONS * sizeof *numbers);
    if (!at) check_give_up(__FILE__, __LINE__, output);
    at += strlen("],\"regions\":[");
    for (uint32_t i = 0; i < REGIONS; i++, at++) numbers[i] = (uint32_t)strtoul(at, &at, 10);
}

/* ---- the cluster ---- */

static uint32_t walkers_of(const live_run *run)
{
    uint32_t count = 0;
    for (uint64_t id = 1; id <= WALKERS; id++) count += run->owns[id];
    return count;
}

/* As of statuses behind that moment: each walker is with one of the runs, a node without regions has none. */
static bool follow(uint64_t since_ms, uint16_t without)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const live_run *run = &cluster->runs[i];
        if (!live_is_up(run)) continue;
        const uint32_t own = walkers_of(run);
        if (run->number == 0 || run->status_ms < since_ms || (own == 0) != (run->number == without)) return false;
        count += own;
    }
    return count == WALKERS;
}

static void await_walkers(const char *what, uint16_t without)
{
    const uint64_t since_ms = live_now_ms(), end_ms = since_ms + PATIENCE_MS;
    do {
        live_read(cluster);
        if (follow(since_ms, without)) return;
        (void)usleep(STEP_US);
    } while (live_now_ms() < end_ms);
    for (uint32_t i = 0; i < cluster->run_count; i++) server_show_log(&cluster->runs[i].process);
    (void)CHECK(false, "seed %" PRIu64 ": not in time: %s", cluster->seed, what);
}

/* Walkers that began anew, since the start. */
static size_t count_new(void)
{
    size_t count = 0;
    live_read(cluster);
    for (size_t i = 0; i < cluster->events.count; i++)
        count += cluster->events.items[i].kind == LIVE_ENTERED || cluster->events.items[i].kind == LIVE_RESTORED;
    return count;
}

static live_run *run_numbered(uint32_t number)
{
    for (uint32_t i = 0; i < cluster->run_count; i++)
        if (live_is_up(&cluster->runs[i]) && cluster->runs[i].number == number) return &cluster->runs[i];
    check_give_up(__FILE__, __LINE__, "no such node");
}

/* ---- steps ---- */

static void show_cluster(void)
{
    expect(0, "world demo   map version", "status");
    expect(0, "fence none", "--name demo status");
    expect(0, "   0 |", "map");
    expect(0, "nothing found", "check");
    expect(0, "all agree", "verify");
    expect(EXIT_WRONG, "no-such-file", "verify no-such-file");
    expect(EXIT_WRONG, "unknown command", "stats");
    expect(EXIT_WRONG, "usage: move REGIONS NODE", "move 3");
    expect(EXIT_WRONG, "'0' is not the number of a member", "drain 0");
    expect(EXIT_WRONG, "--force belongs to out", "drain 1 --force");
    expect(EXIT_FOUND, "no-map", "--name other check");
    expect(EXIT_FOUND, "does not answer", "--etcd http://127.0.0.1:1 check");
}

/*
 * Walkers stand still, and each node's last line has its places and lists: together they are right. A list without one
 * walker is found.
 */
static void verify_lists(void)
{
    char exports[SERVER_TEXT] = "verify", doctored[TEMP_PATH_SIZE + 16], *line = NULL;
    size_t size = 0;
    live_signal_all(cluster, SIGUSR1);
    (void)usleep(REST_US);
    for (uint32_t i = 0; i < cluster->run_count; i++) {
        const size_t used = strlen(exports);
        (void)snprintf(exports + used, sizeof exports - used, " %s", cluster->runs[i].process.log);
    }
    expect(0, "entities in 3 exports: all agree", "%s", exports);
    (void)snprintf(doctored, sizeof doctored, "%s/doctored", cluster->folder);
    FILE *in = fopen(cluster->runs[0].process.log, "r"), *out = fopen(doctored, "w");
    REQUIRE(in && out);
    while (getline(&line, &size, in) >= 0) {
        char *sees = strstr(line, "\"sees\":\"");
        while (sees && sees[strlen("\"sees\":\"")] == '"') sees = strstr(sees + 1, "\"sees\":\"");
        if (!sees) continue; /* an event, or all are alone: an older line counts */
        sees += strlen("\"sees\":\"");
        (void)fprintf(out, "%.*s%s", (int)(sees - line), line, strchr(sees, '"'));
    }
    free(line);
    REQUIRE(fclose(in) == 0 && fclose(out) == 0);
    expect(EXIT_FOUND, "not-listed: entity", "verify --wait-ms 0 %s %s %s", doctored, cluster->runs[1].process.log,
           cluster->runs[2].process.log);
    live_signal_all(cluster, SIGUSR1);
}

static void move_regions(void)
{
    uint32_t before[REGIONS], after[REGIONS];
    read_regions(before);
    const uint32_t target = before[0] == 1 ? 2 : 1;
    expect(0, "would be node", "move 0 %u --dry-run", target);
    read_regions(after);
    CHECK(memcmp(before, after, sizeof before) == 0, "a dry run has written");
    expect(0, "region 0: node", "move 0 %u", target);
    expect(0, "nothing to do", "move 0 %u", target);
    expect(0, "\"result\":\"stands\"", "move 0 %u --json", target);
    expect(EXIT_REFUSED, "no member 9", "move 0 9");
    expect(EXIT_REFUSED, "there is no region 16: they are 0 to 15", "move 15-16 %u", target);
    read_regions(after);
    for (uint32_t i = 0; i < REGIONS; i++)
        CHECK(after[i] == (i == 0 ? target : before[i]), "region %u: node %u", i, after[i]);
    await_walkers("walkers follow a region", 0);
}

/* Two at once, again and again: both changes stand. */
static void race_moves(void)
{
    for (uint32_t i = 0; i < 8 && check_failures() == 0; i++) {
        test_server racers[2];
        uint32_t numbers[REGIONS];
        const uint32_t target = 1 + i % 2;
        char words[2][32];
        for (uint32_t j = 0; j < 2; j++) {
            (void)snprintf(words[j], sizeof words[j], "move %u-%u %u", j * 4, j * 4 + 3, target);
            start_tool(&racers[j], words[j]);
        }
        for (uint32_t j = 0; j < 2; j++) CHECK(await_tool(&racers[j]) == 0, "%s: %s", words[j], output);
        read_regions(numbers);
        for (uint32_t j = 0; j < 8; j++) CHECK(numbers[j] == target, "race %u: region %u: node %u", i, j, numbers[j]);
    }
    expect(0, "now", "move 0-15 1"); /* so each of these moves some, whoever had them at the beginning */
    expect(0, "now", "move 5-9 2");
    expect(0, "now", "move 10-15 3");
    await_walkers("walkers follow all regions", 0);
}

static void drain_and_fill(void)
{
    expect(0, "node 3 now", "drain 2");
    expect(0, "nothing to do", "drain 2");
    await_walkers("walkers leave a drained node", 2);
    expect(EXIT_FOUND, "no-regions: node 2", "check");
    expect(0, "node 2 now", "move 5-9 2");
    await_walkers("walkers come to a node that gets regions", 0);
}

/* Regions that node 1 has. */
static uint32_t regions_of_first(void)
{
    uint32_t numbers[REGIONS], count = 0;
    read_regions(numbers);
    for (uint32_t i = 0; i < REGIONS; i++) count += numbers[i] == 1;
    return count;
}

/*
 * A node that is slow loses regions one by one, but not its last one; walkers follow. One by the operator's word, the
 * others by the node that balances.
 */
static void balance_nodes(void)
{
    live_run *slow = run_numbered(1);
    const uint32_t first = regions_of_first();
    uint32_t left = first;
    expect(0, "mean", "balance --dry-run");
    CHECK(regions_of_first() == first, "a dry run has moved a region");
    CHECK(!strstr(output, "\"balancer\":0,"), "no node balances: %s", output);
    server_signal(&slow->process, SIGUSR2);
    const uint64_t end_ms = live_now_ms() + PATIENCE_MS;
    while (left > first - 1 && live_now_ms() < end_ms) {
        (void)usleep(10 * STEP_US);
        expect(0, "", "balance");
        left = regions_of_first();
    }
    while (left > first - 2 && live_now_ms() < end_ms) {
        (void)usleep(10 * STEP_US);
        left = regions_of_first();
    }
    CHECK(left <= first - 2 && left >= 1, "%u of %u regions are left: %s", left, first, output);
    server_signal(&slow->process, SIGUSR2);
    await_walkers("walkers follow the balancer", 0);
}

/* A living one, by force: it is told to leave, and ends; its walkers begin anew. */
static void put_out(void)
{
    live_run *run = run_numbered(2);
    expect(EXIT_REFUSED, "holds its lease", "out 2");
    expect(0, "would be told to leave", "out 2 --force --dry-run");
    expect(0, "member 2: told to leave", "out 2 --force");
    const int status = await_exit(&run->process, "a node that was put out does not end");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FENCED, "a node that was put out: status %d", status);
    await_walkers("walkers of the node that was put out are with others", 0);
    expect(EXIT_REFUSED, "no member 2", "out 2");
}

/* ---- another version ---- */

static void note_answer(void *user, const phc_answer *answer)
{
    *(phc_answer *)user = *answer; /* its entries are not read */
}

/* One answer is taken; the test ends if none comes. */
static void await_polled(phc_store *store, phc_answer_fn fn, void *user)
{
    const uint64_t end_ms = live_now_ms() + PATIENCE_MS;
    while (store->poll(store->user, 1, fn, user) == 0) {
        if (live_now_ms() >= end_ms) check_give_up(__FILE__, __LINE__, "no answer of etcd");
        (void)usleep(STEP_US);
    }
}

static phc_answer await_answer(phc_store *store, ph_status asked)
{
    phc_answer answer = {0};
    CHECK_OK(asked);
    await_polled(store, note_answer, &answer);
    CHECK(answer.outcome == PHC_DONE, "the store: outcome %d", (int)answer.outcome);
    return answer;
}

/* The key of a process that reads the next format alone, with its lease. */
static uint64_t register_other_version(phc_store *store)
{
    enum { LEASE_MS = 120000 };
    unsigned char bytes[PHX_REGISTRATION_BYTES];
    const phx_registration other = {.formats = {PHX_FORMAT_MAX + 1, PHX_FORMAT_MAX + 1}};
    const uint64_t lease = await_answer(store, store->lease_open(store->user, 1, LEASE_MS)).lease;
    phx_registration_encode(&other, bytes);
    (void)await_answer(store, store->cas(store->user, 1, "ph/demo/nodes/63", 0, bytes, sizeof bytes, lease));
    return lease;
}

/*
 * Beside a process of version n + 1 that does not read the map: it is shown, members go on, and a new node of theirs
 * joins. That the other one would be refused by the map is checked by program_node.
 */
static void meet_other_version(void)
{
    const char *servers[] = {cluster->etcd.addresses[0]};
    char reason[PHC_REASON_SIZE] = "", range[32];
    phc_store store = {0};
    if (!CHECK_OK(phc_etcd_open(&(phc_etcd_def){.servers = servers, .server_count = 1}, &store, reason, sizeof reason)))
        return;
    const uint64_t lease = register_other_version(&store);
    (void)snprintf(range, sizeof range, "\"formats\":[%d,%d]", PHX_FORMAT_MAX + 1, PHX_FORMAT_MAX + 1);
    expect(0, range, "status --json");
    expect(EXIT_FOUND, "not-in-map: process 63", "check");
    live_run *next = live_start(cluster, false);
    await_walkers("a node joins beside another version", 0);
    (void)await_answer(&store, store.lease_end(store.user, 1, lease));
    expect(0, "nothing found", "check");
    server_signal(&next->process, SIGTERM);
    (void)await_exit(&next->process, "a drained node does not end");
    live_read(cluster);
    CHECK(next->is_drained, "the new node is not drained");
    await_walkers("walkers of a drained node are with others", 0);
    store.close(store.user);
}

/* ---- another definition ---- */

static bool log_has(const live_run *run, const char *text)
{
    static char log[1 << 20];
    FILE *file = fopen(run->process.log, "r");
    REQUIRE(file);
    const size_t size = fread(log, 1, sizeof log - 1, file);
    REQUIRE(fclose(file) == 0);
    log[size] = '\0';
    return strstr(log, text) != NULL;
}

typedef struct counted_texts {
    uint32_t count, leased;
} counted_texts;

static void count_texts(void *user, const phc_answer *answer)
{
    counted_texts *counted = user;
    CHECK(answer->outcome == PHC_DONE, "texts: outcome %d", (int)answer->outcome);
    counted->count = answer->count;
    for (uint32_t i = 0; i < answer->count; i++) counted->leased += answer->entries[i].lease != 0;
}

/* A node with another definition is told the key and both values, of the text of a member; texts end with members. */
static void meet_other_definition(void)
{
    const char *servers[] = {cluster->etcd.addresses[0]};
    char reason[PHC_REASON_SIZE] = "";
    phc_store store = {0};
    counted_texts counted = {0};
    cluster->adopts = true;
    live_run *refused = live_start(cluster, false);
    cluster->adopts = false;
    const int status = await_exit(&refused->process, "a node of another definition does not end");
    live_read(cluster);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_KEPT_OUT, "a node of another definition: status %d", status);
    CHECK(log_has(refused, "cluster.adopt_map is on here, off there"), "what differs is not told");
    if (!CHECK_OK(phc_etcd_open(&(phc_etcd_def){.servers = servers, .server_count = 1}, &store, reason, sizeof reason)))
        return;
    CHECK_OK(store.list(store.user, 1, "ph-definition/demo/"));
    await_polled(&store, count_texts, &counted);
    CHECK(counted.count > 0 && counted.count <= NODES && counted.leased == counted.count,
          "%u texts, %u with a lease, of %u nodes", counted.count, counted.leased, NODES);
    store.close(store.user);
}

/* ---- servers ---- */

static void lose_servers(void)
{
    server_signal(&cluster->etcd.servers[0], SIGSTOP);
    expect(EXIT_STORE, "the control store", "status");
    expect(EXIT_STORE, "the control store", "--name demo drain 1");
    server_signal(&cluster->etcd.servers[0], SIGCONT);
    expect(0, "world demo", "status");
}

static void run_steps(void)
{
    for (uint32_t i = 0; i < NODES; i++) (void)live_start(cluster, false);
    await_walkers("all walkers are owned, by three nodes", 0);
    if (check_failures() > 0) return;
    show_cluster();
    verify_lists();
    const size_t count = count_new();
    move_regions();
    race_moves();
    drain_and_fill();
    if (check_failures() == 0) balance_nodes();
    CHECK(count_new() == count, "walkers are lost by moves and drains");
    if (check_failures() == 0) meet_other_version();
    if (check_failures() == 0) meet_other_definition();
    CHECK(count_new() == count, "walkers are lost beside another version, or another definition");
    if (check_failures() == 0) put_out();
    if (check_failures() == 0) lose_servers();
}

int main(int argc, char **argv)
{
    const char *node = option_text(argc, argv, "--node"), *nats = option_text(argc, argv, "--nats"),
               *etcd = option_text(argc, argv, "--etcd");
    tool = option_text(argc, argv, "--tool");
    if (!node || !nats || !etcd || !tool) {
        (void)fprintf(stderr, "usage: cluster_operator --tool PROGRAM --node PROGRAM --nats PROGRAM --etcd PROGRAM "
                              "[--seed S]\n");
        return 2;
    }
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    cluster = check_zalloc(sizeof *cluster);
    cluster->program = node;
    cluster->seed = option_number(argc, argv, "--seed", 1);
    cluster->walkers = WALKERS;
    cluster->lists = true;
    cluster->lease_ms = 3000;
    cluster->slow_ms = SLOW_MS;
    temp_folder(cluster->folder, "operator");
    servers_start_nats(&cluster->nats, nats, 1, NULL);
    servers_start_etcd(&cluster->etcd, etcd, 1, NULL);
    run_steps();
    live_end(cluster);
    free(cluster);
    return check_done("cluster_operator");
}

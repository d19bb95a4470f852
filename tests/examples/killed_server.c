/*
 * A server that is killed at random moments (SIGKILL), and whose clients' lists stay right. Two processes:
 *
 *   server    the world, and a store with images and a journal. It begins with the world of its files, if there is one
 *   gateway   the clients' side. It has the lists that clients see, and a log of the moves that it sent
 *
 * Each tick the gateway sends all moves; the server answers with the changes of lists. The gateway kills the server now
 * and then: before, in and behind a tick. The next server recovers a tick that is a little earlier, and tells it. So
 * the gateway sends the moves since then again: only the host knows commands that no tick has saved. Clients know more
 * than that world, so it is loaded with PH_LOAD_FRESH: the first tick has the whole list of each observer.
 *
 * After every tick the gateway compares all lists with brute force. The classes have a margin, so lists depend
 * on the past: without the recovered lists it would not come out.
 */
#include <dirent.h>
#include <pharos/pharos.h>
#include <pharos/store.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PLAYERS = 48, TICKS = 400, SIDE = 300 };

static const float view = 50.0f, margin = 12.0f;

typedef struct moves {
    float x[PLAYERS], y[PLAYERS];
} moves;

/* Of one observer in one tick; the ids follow: leave_count, then enter_count. An observer 0 ends the tick. */
typedef struct change {
    uint64_t observer;
    uint32_t fresh, leave_count, enter_count;
} change;

static void check(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "killed_server: %s\n", what);
    exit(1);
}

/* false: the other side has gone. */
static bool send_all(int pipe, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        const ssize_t some = write(pipe, at, size);
        if (some <= 0) return false;
        at += some;
        size -= (size_t)some;
    }
    return true;
}

static bool receive_all(int pipe, void *bytes, size_t size)
{
    char *at = bytes;
    while (size > 0) {
        const ssize_t some = read(pipe, at, size);
        if (some <= 0) return false;
        at += some;
        size -= (size_t)some;
    }
    return true;
}

/* ---- server ---- */

static ph_world begin_world(const ph_store_def *def, uint64_t *tick)
{
    const ph_load_options options = {.given = PH_LOAD_FRESH};
    char reason[PH_STORE_REASON_SIZE];
    ph_world world;
    const ph_status status = ph_store_recover(def, &options, &world, tick, reason, sizeof reason);
    if (status == PH_OK) return world;
    check(status == PH_EMPTY, reason); /* no image yet: the first server */
    ph_class class = ph_class_default("default");
    class.view = view;
    class.margin = margin;
    ph_world_def fresh = ph_world_def_default();
    fresh.world_size[0] = fresh.world_size[1] = SIDE;
    fresh.tower_size = view;
    fresh.classes = &class;
    fresh.class_count = 1;
    check(ph_world_create(&fresh, &world) == PH_OK, "no world");
    return world;
}

static bool send_changes(ph_consumer consumer, int to)
{
    const ph_batch *batch;
    bool sent = true;
    while (ph_batch_take(consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count && sent; i++) {
            const ph_change *c = &batch->changes[i];
            const change head = {c->observer, (c->flags & PH_CHANGE_FRESH) != 0, c->leave_count, c->enter_count};
            sent = send_all(to, &head, sizeof head);
            for (uint32_t j = 0; j < c->leave_count + c->enter_count && sent; j++)
                sent = send_all(to, &batch->targets[c->first + j].id, sizeof(uint64_t));
        }
        ph_batch_return(consumer, batch);
    }
    const change end = {0};
    return sent && send_all(to, &end, sizeof end);
}

static void submit_moves(ph_producer producer, const moves *all, bool enter)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        const ph_attrs attrs = {.given = PH_X | PH_Y, .x = all->x[i], .y = all->y[i]};
        const ph_status status =
            enter ? ph_enter(producer, i + 1, &attrs) : ph_move(producer, i + 1, all->x[i], all->y[i], 0);
        check(status == PH_OK, "a move is refused");
    }
}

/* Until it is killed, or the gateway has gone. */
_Noreturn static void serve(const ph_store_def *def, int from, int to)
{
    uint64_t tick = 0;
    moves all;
    ph_producer producer;
    ph_consumer consumer;
    ph_store *store;
    const ph_world world = begin_world(def, &tick);
    check(ph_producer_open(world, &producer) == PH_OK && ph_consumer_open(world, 0, &consumer) == PH_OK, "no ends");
    check(ph_store_open(def, world, &store, NULL, 0) == PH_OK, "no store");
    bool connected = send_all(to, &tick, sizeof tick);
    while (connected && receive_all(from, &all, sizeof all)) {
        submit_moves(producer, &all, tick == 0);
        check(ph_tick(world, &tick) == PH_OK, "no tick");
        connected = send_changes(consumer, to);
        check(ph_store_tick(store) == PH_OK, "no world");
    }
    check(ph_store_close(store) == PH_OK, "the last ticks are not on the disk");
    exit(0);
}

/* ---- gateway ---- */

typedef struct gateway {
    pid_t server;
    int to, from;
    uint64_t tick; /* the last one that the clients have */
    uint64_t random;
    uint32_t kills;
    uint64_t lists[PLAYERS];            /* of the clients: bit j = sees player j + 1 */
    moves log[TICKS + 1];               /* by tick */
    uint64_t right[TICKS + 1][PLAYERS]; /* lists by brute force, by tick */
} gateway;

static uint32_t draw(gateway *g, uint32_t below)
{
    g->random = g->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(g->random >> 33) % below;
}

/* Starts a server. It tells the tick of its world. */
static void start_server(gateway *g, const ph_store_def *def)
{
    int down[2], up[2];
    check(pipe(down) == 0 && pipe(up) == 0, "no pipe");
    g->server = fork();
    check(g->server >= 0, "no process");
    if (g->server == 0) {
        close(down[1]);
        close(up[0]);
        serve(def, down[0], up[1]);
    }
    close(down[0]);
    close(up[1]);
    g->to = down[1];
    g->from = up[0];
    uint64_t tick;
    check(receive_all(g->from, &tick, sizeof tick), "the server does not begin");
    check(tick <= g->tick + 1, "the server knows more than it was told");
    g->tick = tick;
}

static void end_server(gateway *g, bool kills)
{
    int status;
    if (kills) kill(g->server, SIGKILL);
    close(g->to);
    close(g->from);
    check(waitpid(g->server, &status, 0) == g->server, "no such process");
    check(kills || (WIFEXITED(status) && WEXITSTATUS(status) == 0), "the server ended badly");
    g->kills += kills;
}

/* The client of an observer gets a change: what it had, less the ones that left, and the ones that entered. */
static bool receive_change(gateway *g, const change *c)
{
    uint64_t *list = &g->lists[c->observer - 1], id;
    if (c->fresh) *list = 0;
    for (uint32_t i = 0; i < c->leave_count + c->enter_count; i++) {
        if (!receive_all(g->from, &id, sizeof id)) return false;
        if (i < c->leave_count) *list &= ~(UINT64_C(1) << (id - 1));
        else *list |= UINT64_C(1) << (id - 1);
    }
    return true;
}

/* One tick with the server. false: it has died in the middle. */
static bool run_tick(gateway *g)
{
    change c;
    if (!send_all(g->to, &g->log[g->tick + 1], sizeof(moves))) return false;
    for (;;) {
        if (!receive_all(g->from, &c, sizeof c)) return false;
        if (c.observer == 0) break;
        if (!receive_change(g, &c)) return false;
    }
    g->tick++;
    return true;
}

/* The moves of all ticks, and the right lists behind them. */
static void make_log(gateway *g)
{
    for (uint32_t t = 1; t <= TICKS; t++) {
        for (uint32_t i = 0; i < PLAYERS; i++) {
            const float x = t == 1 ? (float)draw(g, SIDE) : g->log[t - 1].x[i] + (float)draw(g, 15) - 7.0f;
            const float y = t == 1 ? (float)draw(g, SIDE) : g->log[t - 1].y[i] + (float)draw(g, 15) - 7.0f;
            g->log[t].x[i] = x < 0 ? 0 : x > SIDE ? SIDE : x;
            g->log[t].y[i] = y < 0 ? 0 : y > SIDE ? SIDE : y;
        }
        for (uint32_t o = 0; o < PLAYERS; o++)
            for (uint32_t i = 0; i < PLAYERS; i++) {
                const float dx = g->log[t].x[o] - g->log[t].x[i], dy = g->log[t].y[o] - g->log[t].y[i];
                const float r = g->right[t - 1][o] >> i & 1 ? view + margin : view;
                if (o != i && dx * dx + dy * dy <= r * r) g->right[t][o] |= UINT64_C(1) << i;
            }
    }
}

static void play(gateway *g, const ph_store_def *def)
{
    start_server(g, def);
    while (g->tick < TICKS) {
        const bool doomed = draw(g, 15) == 0;
        bool alive = true;
        if (doomed) {
            /* it gets its moves, and dies while it works on them, or on its files */
            alive = send_all(g->to, &g->log[g->tick + 1], sizeof(moves));
            usleep(draw(g, 1500));
        } else if ((alive = run_tick(g)))
            check(memcmp(g->lists, g->right[g->tick], sizeof g->lists) == 0, "a client's list is wrong");
        if (doomed || !alive) {
            end_server(g, true);
            start_server(g, def);
        }
    }
    end_server(g, false);
}

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    check(folder && chdir(path) == 0, path);
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.') unlink(entry->d_name);
    closedir(folder);
    check(rmdir(path) == 0, path);
}

int main(void)
{
    static gateway g = {.random = 7};
    char folder[] = "/tmp/killed_server_XXXXXX";
    check(mkdtemp(folder) != NULL, "no folder");
    signal(SIGPIPE, SIG_IGN); /* a write to a dead server says so itself */
    ph_store_def def = ph_store_def_default();
    def.folder = folder;
    def.name = "world";
    def.image_ticks = 20;
    def.ring_bytes = 1 << 20;
    def.sync_ms = 5;
    make_log(&g);
    play(&g, &def);
    remove_folder(folder);
    printf("%d ticks, the server was killed %s: all lists were right after every tick\n", TICKS,
           g.kills >= 10 ? "again and again" : "seldom");
    return 0;
}

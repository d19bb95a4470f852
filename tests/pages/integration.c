/*
 * The parts of docs/integration.md that have no example of their own; the page shows the output. usage: integration
 * PART
 */
#include <pharos/config.h>
#include <pharos/pharos.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(ph_status status)
{
    if (status == PH_OK) return;
    fprintf(stderr, "%s: %s\n", ph_status_name(status), ph_status_text(status));
    exit(1);
}

static ph_world_def small_world(void)
{
    static ph_class player;
    player = ph_class_default("default");
    player.view = 50;
    ph_world_def def = ph_world_def_default();
    def.classes = &player;
    def.class_count = 1;
    return def;
}

static void print_changes(ph_world world, ph_consumer consumer)
{
    uint64_t tick;
    const ph_batch *batch;
    check(ph_tick(world, &tick));
    while (ph_batch_take(consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) {
            const ph_change *c = &batch->changes[i];
            printf("tick %d: %d: %s%u enter, %u leave\n", (int)tick, (int)c->observer,
                   c->flags & PH_CHANGE_FRESH ? "from an empty list: " : "", c->enter_count, c->leave_count);
        }
        check(ph_batch_return(consumer, batch));
    }
}

/* ---- reconnect ---- */

static void set_ready(ph_producer producer, uint64_t player, bool ready)
{
    ph_attrs attrs = {.given = PH_READY, .ready = ready};
    check(ph_set(producer, player, &attrs));
}

static void reconnect(void)
{
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    ph_world_def def = small_world();
    check(ph_world_create(&def, &world));
    check(ph_producer_open(world, &producer));
    check(ph_consumer_open(world, 0, &consumer));
    ph_attrs attrs = {.given = PH_X | PH_Y, .x = 100, .y = 100};
    for (uint64_t player = 1; player <= 3; player++) check(ph_enter(producer, player, &attrs));
    print_changes(world, consumer);
    set_ready(producer, 1, false); /* the connection is lost: the player stays, seen by the others, for a while */
    print_changes(world, consumer);
    check(ph_leave(producer, 3));
    print_changes(world, consumer);
    set_ready(producer, 1, true); /* it is back, and knows nothing */
    print_changes(world, consumer);
    check(ph_resend(producer, 2)); /* the client of 2 lost its state, its connection holds */
    print_changes(world, consumer);
    check(ph_world_destroy(world));
}

/* ---- a changed config file ---- */

static bool reload(ph_world world, const char *path)
{
    ph_config *fresh = NULL;
    ph_config_error error = {.reason = ""};
    char reason[PH_CONFIG_REASON_SIZE] = "";
    ph_status status = ph_config_create(&fresh);
    if (status == PH_OK) status = ph_config_load(fresh, path, &error);
    if (status != PH_OK) printf("not loaded: %s\n", error.reason);
    else if ((status = ph_world_reconfigure(world, ph_config_def(fresh), reason, sizeof reason)) != PH_OK)
        printf("not taken: %s\n", reason);
    ph_config_destroy(fresh); /* the world has a copy */
    return status == PH_OK;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) exit(1);
}

static void reload_thrice(void)
{
    const char *path = "game.conf";
    ph_world world;
    ph_config *config;
    write_file(path, "tower_size = 100\nclass default { view = 50 }\n");
    check(ph_config_create(&config));
    check(ph_config_load(config, path, NULL));
    check(ph_world_create(ph_config_def(config), &world));
    ph_config_destroy(config);
    write_file(path, "tower_size = 100\nclass default { view = 80 cap = 200 }\n");
    if (reload(world, path)) printf("taken in at the next tick\n");
    write_file(path, "tower_size = 100\nclass default { view = 80 cop = 200 }\n");
    reload(world, path);
    write_file(path, "world_size = {5, 5}\n");
    reload(world, path);
    check(ph_world_destroy(world));
}

/* ---- metrics ---- */

/* The answer to GET /metrics; NULL = not now: a tick runs. The caller frees it. */
static char *metrics(ph_world world)
{
    size_t length;
    if (ph_stats_prometheus(world, NULL, 0, &length) != PH_OK) return NULL;
    char *text = malloc(length + 1);
    if (text == NULL || ph_stats_prometheus(world, text, length + 1, &length) == PH_OK) return text;
    free(text);
    return NULL;
}

static void print_metrics(void)
{
    ph_world world;
    ph_world_def def = small_world();
    check(ph_world_create(&def, &world));
    check(ph_tick(world, NULL));
    char *text = metrics(world);
    if (text == NULL) exit(1);
    for (const char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        if (strncmp(line, "pharos_ticks_total", 18) == 0 || strncmp(line, "pharos_entities ", 16) == 0)
            printf("%.*s\n", (int)(end - line), line);
    free(text);
    check(ph_world_destroy(world));
}

/* ---- many worlds, one crew ---- */

static void tick_matches(void)
{
    enum { MATCHES = 1000, PLAYERS = 10 };
    static ph_world matches[MATCHES];
    static ph_status statuses[MATCHES];
    ph_crew crew;
    check(ph_crew_create(&(ph_crew_def){.workers = 4}, &crew));
    ph_world_def def = small_world();
    def.crew = crew;
    for (int i = 0; i < MATCHES; i++) {
        ph_producer producer;
        check(ph_world_create(&def, &matches[i]));
        check(ph_producer_open(matches[i], &producer));
        ph_attrs attrs = {.given = PH_X | PH_Y, .x = 100, .y = 100};
        for (uint64_t player = 1; player <= PLAYERS; player++) check(ph_enter(producer, player, &attrs));
    }
    check(ph_tick_many(matches, MATCHES, statuses)); /* statuses[i] says which one failed */
    uint64_t entities = 0, bytes = 0;
    for (int i = 0; i < MATCHES; i++) {
        ph_stats stats;
        check(ph_world_stats(matches[i], &stats));
        entities += stats.entities;
        bytes += stats.bytes;
        check(ph_world_destroy(matches[i]));
    }
    check(ph_crew_destroy(crew));
    printf("%d worlds, %d entities, less than %d KB a world\n", MATCHES, (int)entities,
           (int)(bytes / MATCHES / 65536 + 1) * 64);
}

/* ---- the server's own threads and memory ---- */

typedef struct budget {
    atomic_size_t bytes, bytes_max;
} budget;

/* Called by several workers at once. NULL is a refusal that the library lives with: see ph_tick_finish(). */
static void *allocate(void *user, size_t bytes, size_t alignment)
{
    budget *b = user;
    void *memory = NULL;
    if (alignment < sizeof memory) alignment = sizeof memory; /* posix_memalign() takes no less */
    if (atomic_fetch_add(&b->bytes, bytes) + bytes > atomic_load(&b->bytes_max) ||
        posix_memalign(&memory, alignment, bytes) != 0) {
        atomic_fetch_sub(&b->bytes, bytes);
        return NULL;
    }
    return memory;
}

static void release(void *user, void *memory, size_t bytes, size_t alignment)
{
    (void)alignment;
    atomic_fetch_sub(&((budget *)user)->bytes, bytes);
    free(memory);
}

/* In place of your task system: each index once, on whatever thread; returns when all are done. */
static void parallel_for(void *user, uint32_t count, void (*body)(void *context, uint32_t index), void *context)
{
    (void)user;
    for (uint32_t i = 0; i < count; i++) body(context, i);
}

static void own_resources(void)
{
    budget memory = {.bytes_max = 64 << 20};
    ph_world world;
    ph_world_def def = small_world();
    def.allocator = (ph_allocator){.allocate = allocate, .release = release, .user = &memory};
    def.tasks = (ph_task_hooks){.parallel_for = parallel_for};
    def.workers = 4;
    check(ph_world_create(&def, &world));
    check(ph_tick(world, NULL));
    ph_stats stats;
    check(ph_world_stats(world, &stats));
    printf("the world and the allocator agree: %s\n", stats.bytes == atomic_load(&memory.bytes) ? "yes" : "no");
    check(ph_world_destroy(world));
    printf("left behind: %d bytes\n", (int)atomic_load(&memory.bytes));
}

/* ---- an entity goes to another world, as to another process ---- */

typedef struct node {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
} node;

static node open_node(void)
{
    node n;
    ph_world_def def = small_world();
    check(ph_world_create(&def, &n.world));
    check(ph_producer_open(n.world, &n.producer));
    check(ph_consumer_open(n.world, 0, &n.consumer));
    return n;
}

/* Between two ticks of both worlds. The bytes of the capsule may go over a network. */
static void hand_over(const node *from, const node *to, uint64_t id)
{
    static uint8_t capsule[PH_CAPSULE_MAX];
    size_t bytes;
    check(ph_export(from->world, id, NULL, NULL, capsule, sizeof capsule, &bytes));
    ph_attrs remote = {.given = PH_REMOTE, .remote = true};
    check(ph_set(from->producer, id, &remote)); /* here it is a copy from now on: seen, and no observer */
    check(ph_import(to->producer, capsule, bytes, NULL, NULL));
}

static void hand_over_and_look(void)
{
    node west = open_node(), east = open_node();
    ph_attrs attrs = {.given = PH_X | PH_Y | PH_REMOTE, .x = 100, .y = 100};
    check(ph_enter(west.producer, 1, &attrs));
    check(ph_enter(west.producer, 2, &attrs));
    attrs.remote = true; /* the border is near: each world has copies of the other's entities */
    check(ph_enter(east.producer, 1, &attrs));
    check(ph_enter(east.producer, 2, &attrs));
    printf("west\n");
    print_changes(west.world, west.consumer);
    check(ph_tick(east.world, NULL));
    hand_over(&west, &east, 1);
    check(ph_tick(west.world, NULL));
    print_changes(east.world, east.consumer); /* nothing: 1 has 2 in its list as before */
    check(ph_leave(east.producer, 2));
    printf("east\n");
    print_changes(east.world, east.consumer);
    check(ph_world_destroy(west.world));
    check(ph_world_destroy(east.world));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"reconnect", reconnect},  {"reload", reload_thrice},    {"metrics", print_metrics},
                 {"matches", tick_matches}, {"resources", own_resources}, {"hand_over", hand_over_and_look}};
    for (size_t i = 0; argc == 2 && i < sizeof parts / sizeof *parts; i++)
        if (strcmp(argv[1], parts[i].name) == 0) return parts[i].run(), 0;
    fprintf(stderr, "usage: integration reconnect|reload|metrics|matches|resources|hand_over\n");
    return 2;
}

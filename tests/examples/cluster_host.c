/*
 * A host of several nodes that keeps its entities' state right, whatever tick a node dies in. Three nodes and a
 * database in one process, so that it can be tried and tested; a real host has a process for each node, phc_nats_open()
 * and phc_etcd_open() in the place of phc_loop and phc_memory, and a database of its own.
 *
 * Heroes walk across all regions and earn gold. Where a hero's gold is:
 *
 *   node       the owner has it, and changes it in every tick
 *   capsule    hand-over: pack_hero() writes it, PHC_EVENT_GAINED brings it to the next owner
 *   database   a row for each hero, written now and then: what is left when a node dies
 *
 * Three rules are all that the host needs:
 *
 *   1. A row is written only while phc_may_commit() says yes, and has the hero's ownership beside it. The database
 *      takes no row of a lower ownership than it has: a node that was put out and does not know it changes nothing. A
 *      login writes the first row: so it, too, waits where phc_may_commit() says no.
 *   2. PHC_EVENT_RESTORE: the heroes whose rows are in the region are asked for with phc_who_has(). The ones that no
 *      node has are entered anew from their rows, above the ownership of the row. So is a hero that was lost to no next
 *      owner (PHC_EVENT_LOST with a status): here the world of a node that is alone has not room for all.
 *   3. PHC_EVENT_RESTORED: a hero comes back from a node that died on the way. That node may have owned it for some
 *      ticks, and written a row: the row counts if it is of a higher ownership than the hero had when it was packed.
 *
 * One node is killed. Another one is cut off for longer than its lease: it goes on with heroes that are entered anew
 * elsewhere, and is fenced once it hears of it. Meanwhile some heroes log in, and come to that node first. At the end
 * each hero is there once, and the gold that a row ever had was never lost.
 *
 *   cluster_host [SEED [COUNT]]
 */
#include <math.h>
#include <pharos/cluster.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NODES = 3,
    HEROES = 90,
    LATE_HEROES = 10, /* that log in at a node which may not commit any more, if it has their place */
    ROOM = 88,        /* in a node's world: a node that is alone has not room for all */
    SIDE = 4,         /* regions along each axis */
    REGIONS = SIDE * SIDE,
    TICKS = 900,
    CALM_TICKS = 300, /* at the end, without a fault; */
    REST_TICKS = 50,  /* and without a step: no hero is on its way then */
    BOAST_GOLD = 100,
    COMMIT_TICKS = 10, /* from one row of a hero to the next, of the same owner */
    CUT_TICKS = 120,   /* 6 s, twice the lease */
    LOGIN_TICKS = 90,  /* from the cut to the late logins: the others have put the node out */
    LEASE_MS = 3000,
    TICK_NS = 50000000
};

static const float size = 800, speed = 5;

typedef struct hero {
    uint64_t gold, steps;
    float x, y;
} hero;

/* As it goes from node to node. */
typedef struct packed_hero {
    hero state;
    uint64_t ownership; /* that it had when it was packed */
} packed_hero;

typedef struct row {
    hero state;
    uint64_t ownership; /* 0 = no row yet */
} row;

typedef struct node {
    phc *member; /* NULL: not yet, or dead */
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    phc_transport transport;
    phc_store store;
    hero heroes[HEROES + 1];     /* of own ones, */
    uint64_t saved[HEROES + 1];  /* and the ticks of their rows; 0 = none of this owner's yet */
    uint32_t restoring[REGIONS]; /* losses; 0 = none */
    uint32_t asked[REGIONS];     /* of them, the ones of the question under way */
    bool missing[HEROES + 1];    /* lost to no next owner */
    bool asks, fenced;
} node;

static struct game {
    uint64_t tick, login_tick, gained, entered, taken_back, fenced, heard, refused, held_back;
    phc_loop *loop;
    phc_memory *memory;
    node nodes[NODES];
    row rows[HEROES + 1]; /* the database */
} game;

static void check(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "cluster_host: tick %llu: %s\n", (unsigned long long)game.tick, what);
    exit(1);
}

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

/* ---- database ---- */

static void write_row(uint64_t id, const hero *state, uint64_t ownership)
{
    row *to = &game.rows[id];
    check(ownership >= to->ownership, "a node without the right to it writes a row");
    check(state->gold >= to->state.gold, "gold that was in a row is lost");
    *to = (row){*state, ownership};
}

/* The region of a row. */
static uint32_t region_of(const row *of)
{
    const uint32_t column = (uint32_t)(of->state.x / size * SIDE), line = (uint32_t)(of->state.y / size * SIDE);
    return (line < SIDE ? line : SIDE - 1) * SIDE + (column < SIDE ? column : SIDE - 1);
}

/* ---- a node's heroes ---- */

static size_t pack_hero(void *user, uint64_t id, void *bytes, size_t room)
{
    const node *n = user;
    const packed_hero packed = {n->heroes[id], phc_ownership(n->member, id)};
    if (room >= sizeof packed) memcpy(bytes, &packed, sizeof packed);
    return sizeof packed;
}

/* As its row has it; a new one, if it has none. */
static hero saved_hero(uint64_t id)
{
    const row *from = &game.rows[id];
    if (from->ownership != 0) return from->state;
    return (hero){.x = (float)(mix(id) % 800), .y = (float)(mix(id + HEROES) % 800)};
}

/* Is its place, by its row, in a region of that node? */
static bool is_at(const node *n, uint64_t id)
{
    const hero state = saved_hero(id);
    return n->member && phc_owner_of(n->member, state.x, state.y) == phc_number(n->member);
}

static bool enter_hero(node *n, uint64_t id)
{
    const row *from = &game.rows[id];
    const hero state = saved_hero(id);
    const ph_attrs attrs = {.given = PH_X | PH_Y, .x = state.x, .y = state.y};
    const ph_status status = phc_enter(n->member, id, &attrs, from->ownership);
    if (status == PH_OK) {
        n->heroes[id] = state;
        n->saved[id] = 0;
    } else check(status == PH_TAKEN || status == PH_BUSY || status == PH_EXISTS, "a hero can not enter");
    return status == PH_OK;
}

static void receive_hero(node *n, const phc_event *event)
{
    packed_hero packed;
    check(event->size == sizeof packed, "another state");
    memcpy(&packed, event->bytes, sizeof packed);
    n->heroes[event->id] = packed.state;
    n->saved[event->id] = 0;
    game.gained += event->kind == PHC_EVENT_GAINED;
    if (event->kind == PHC_EVENT_GAINED) return;
    const row *saved = &game.rows[event->id]; /* rule 3 */
    if (saved->ownership > packed.ownership) n->heroes[event->id].gold = saved->state.gold;
    game.taken_back++;
}

/* A hero is missing: it is the node's of its row's place to enter it. A real host sends that one the id. */
static void pass_on(node *n, uint64_t id)
{
    for (uint32_t i = 0; i < NODES && !is_at(n, id); i++) {
        if (!is_at(&game.nodes[i], id)) continue;
        game.nodes[i].missing[id] = true;
        n->missing[id] = false;
        return;
    }
}

/* Rule 2: asks for the heroes of all regions that miss some, and for the ones that were lost to no next owner. */
static void ask_missing(node *n)
{
    uint64_t ids[HEROES];
    uint32_t count = 0;
    bool any = false;
    for (uint32_t region = 0; region < REGIONS; region++) any |= n->restoring[region] != 0;
    for (uint64_t id = 1; id <= HEROES; id++) {
        if (n->missing[id]) pass_on(n, id);
        any |= n->missing[id];
    }
    if (n->asks || !any) return;
    memcpy(n->asked, n->restoring, sizeof n->asked);
    for (uint64_t id = 1; id <= HEROES; id++)
        if (n->missing[id] || (game.rows[id].ownership != 0 && n->asked[region_of(&game.rows[id])] != 0))
            ids[count++] = id;
    if (count > 0) n->asks = phc_who_has(n->member, ids, count) == PH_OK; /* else again in the next tick */
    for (uint32_t region = 0; region < REGIONS && count == 0; region++) {
        if (n->asked[region] == 0) continue;
        check(phc_restored(n->member, region, n->asked[region]) == PH_OK, "a region is not restored");
        n->restoring[region] = 0;
    }
}

static void restore_missing(node *n, const phc_event *event)
{
    const phc_holder *holders = event->bytes;
    bool all = true;
    n->asks = false;
    for (size_t i = 0; i < event->size / sizeof *holders; i++) {
        bool *missing = &n->missing[holders[i].id];
        *missing &= holders[i].number == 0;
        if (holders[i].number != 0) continue;
        const bool entered = enter_hero(n, holders[i].id);
        *missing &= !entered;
        game.entered += entered;
        all &= entered;
    }
    for (uint32_t region = 0; region < REGIONS && all; region++) {
        if (n->asked[region] == 0) continue;
        check(phc_restored(n->member, region, n->asked[region]) == PH_OK, "a region is not restored");
        if (n->restoring[region] == n->asked[region]) n->restoring[region] = 0;
    }
}

static void take_events(node *n)
{
    phc_event event;
    while (phc_event_next(n->member, &event)) {
        switch (event.kind) {
        case PHC_EVENT_GAINED:
        case PHC_EVENT_RESTORED:
            receive_hero(n, &event);
            break;
        case PHC_EVENT_LOST: /* its next owner has its state, or with a status its row: this one is void from here on */
            memset(&n->heroes[event.id], 0, sizeof n->heroes[0]);
            n->missing[event.id] = event.status != PH_OK;
            game.refused += event.status != PH_OK;
            break;
        case PHC_EVENT_RESTORE:
            n->restoring[event.region] = event.loss;
            break;
        case PHC_EVENT_REGION_LOST: /* the duty went with it */
            n->restoring[event.region] = n->asked[event.region] = 0;
            break;
        case PHC_EVENT_WHO_HAS:
            restore_missing(n, &event);
            break;
        case PHC_EVENT_FENCED:
            n->fenced = true;
            break;
        case PHC_EVENT_DUPLICATE:
        case PHC_EVENT_DOUBLE_ID:
            check(false, "two nodes have one hero");
            break;
        default:
            break;
        }
    }
}

/* ---- a round ---- */

/* A hero without a row: its login is a row before anything else, so rule 1 holds for it. */
static void log_in(node *n, uint64_t id)
{
    const bool is_late = id > HEROES - LATE_HEROES;
    if ((is_late && game.tick < game.login_tick) || !is_at(n, id)) return;
    if (!phc_may_commit(n->member)) game.held_back += is_late; /* the player waits, or tries another node */
    else if (enter_hero(n, id)) write_row(id, &n->heroes[id], phc_ownership(n->member, id));
}

static void play_hero(node *n, uint64_t id)
{
    hero *of = &n->heroes[id];
    const uint64_t goal = mix(id * 1000 + of->steps / 100); /* another one every 100 steps */
    const float dx = (float)(goal % 800) - of->x, dy = (float)(goal / 800 % 800) - of->y, far = hypotf(dx, dy);
    of->gold++;
    of->steps++;
    if (far > speed && game.tick < TICKS - REST_TICKS) {
        of->x += dx / far * speed * 0.9f;
        of->y += dy / far * speed * 0.9f;
        check(ph_move(n->producer, id, of->x, of->y, 0) == PH_OK, "a move is not taken");
    }
    if (game.tick >= n->saved[id] + COMMIT_TICKS && phc_may_commit(n->member)) { /* rule 1 */
        write_row(id, of, phc_ownership(n->member, id));
        n->saved[id] = game.tick;
    }
}

/* All heroes of the world hear of it, whichever nodes have them: the radius is longer than the world is wide. */
static void boast(const node *n, uint64_t id)
{
    const ph_broadcast_options options = {.radius = 2 * size};
    const uint64_t gold = n->heroes[id].gold;
    check(phc_broadcast(n->member, n->producer, id, &gold, sizeof gold, &options) == PH_OK, "phc_broadcast");
}

/* Clients would be told of these batches; this example counts what its heroes hear. */
static void tell_clients(const node *n)
{
    const ph_batch *batch;
    while (ph_batch_take(n->consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->delivery_count; i++) game.heard += batch->deliveries[i].count;
        check(ph_batch_return(n->consumer, batch) == PH_OK, "ph_batch_return");
    }
}

static void run_round(node *n)
{
    const ph_status status = phc_tick(n->member);
    take_events(n);
    if (n->fenced) return;
    check(status == PH_OK, "phc_tick");
    ask_missing(n);
    for (uint64_t id = 1; id <= HEROES; id++) {
        if (phc_owns(n->member, id)) {
            play_hero(n, id);
            if (n->heroes[id].gold % BOAST_GOLD == 0) boast(n, id);
        } else if (game.rows[id].ownership == 0) log_in(n, id);
    }
    check(ph_tick(n->world, NULL) == PH_OK, "ph_tick");
    tell_clients(n);
    check(phc_told(n->member) == PH_OK, "phc_told");
}

/* ---- nodes come and go ---- */

static uint64_t read_clock(void *user)
{
    (void)user;
    return game.tick * TICK_NS;
}

static void open_node(node *n)
{
    char reason[PHC_REASON_SIZE] = "";
    ph_class class = ph_class_default("default");
    ph_world_def world_def = ph_world_def_default();
    phc_def def = phc_def_default();
    memset(n, 0, sizeof *n);
    world_def.world_size[0] = world_def.world_size[1] = size;
    world_def.consumers = 1;
    world_def.entities_max = ROOM;
    class.view = 60;
    world_def.classes = &class;
    world_def.class_count = 1;
    check(ph_world_create(&world_def, &n->world) == PH_OK, "no world");
    check(phc_loop_join(game.loop, 8192, &n->transport) == PH_OK, "no transport");
    check(phc_memory_join(game.memory, &n->store) == PH_OK, "no store");
    def.name = "heroes";
    def.world_def = &world_def;
    def.regions[0] = def.regions[1] = SIDE;
    def.speed_max = speed;
    def.lease_ms = LEASE_MS;
    def.pack = pack_hero;
    def.pack_user = n;
    def.clock = read_clock;
    const ph_status status = phc_open(&def, n->world, &n->transport, &n->store, &n->member, reason, sizeof reason);
    check(status == PH_OK, reason);
    check(ph_producer_open(n->world, &n->producer) == PH_OK, "no producer");
    check(ph_consumer_open(n->world, 0, &n->consumer) == PH_OK, "no consumer");
}

static void close_node(node *n)
{
    if (!n->member) return;
    phc_close(n->member);
    n->transport.close(n->transport.user);
    n->store.close(n->store.user);
    check(ph_world_destroy(n->world) == PH_OK, "the world stays");
    n->member = NULL;
}

/* Does it hear the others and the control store? */
static void cut_node(node *n, bool cut)
{
    phc_loop_cut(game.loop, &n->transport, cut, cut);
    phc_memory_cut(game.memory, &n->store, cut);
}

/* The process is gone: nothing that it has to say is heard any more. */
static void kill_node(node *n)
{
    cut_node(n, true);
    close_node(n);
}

static void step_game(uint64_t kill_tick, uint64_t cut_tick)
{
    phc_memory_step(game.memory, game.tick * TICK_NS);
    if (game.tick == kill_tick) kill_node(&game.nodes[1]);
    if (game.tick == cut_tick) cut_node(&game.nodes[2], true);
    if (game.tick == cut_tick + CUT_TICKS) cut_node(&game.nodes[2], false);
    for (uint32_t i = NODES; i-- > 0;) { /* the last one, which is cut off, before the others: so are logins there */
        node *n = &game.nodes[i];
        if (!n->member) continue;
        run_round(n);
        if (!n->fenced) continue;
        game.fenced++;
        close_node(n);
        open_node(n); /* as a new process would */
    }
    phc_loop_step(game.loop);
    game.tick++;
}

static void check_end(void)
{
    for (uint64_t id = 1; id <= HEROES; id++) {
        uint32_t owners = 0;
        for (uint32_t i = 0; i < NODES; i++) {
            const node *n = &game.nodes[i];
            if (!n->member || !phc_owns(n->member, id)) continue;
            owners++;
            check(n->heroes[id].gold >= game.rows[id].state.gold, "gold that was in a row is lost");
        }
        check(owners == 1, "a hero is not there exactly once");
    }
}

static void run_game(uint64_t seed)
{
    const phc_faults faults = {.seed = seed, .lost = 50, .doubled = 20, .late = 100, .late_steps = 3};
    const uint64_t kill_tick = 100 + mix(seed) % 300, cut_tick = kill_tick + 150 + mix(seed + 1) % 100;
    memset(&game, 0, sizeof game);
    game.tick = 1;
    game.login_tick = cut_tick + LOGIN_TICKS;
    check(phc_loop_create(faults, (ph_allocator){0}, &game.loop) == PH_OK, "no loop");
    check(phc_memory_create((phc_faults){0}, (ph_allocator){0}, &game.memory) == PH_OK, "no control store");
    for (uint32_t i = 0; i < NODES; i++) open_node(&game.nodes[i]);
    while (game.tick < TICKS) {
        if (game.tick == TICKS - CALM_TICKS) check(phc_loop_set_faults(game.loop, (phc_faults){0}) == PH_OK, "faults");
        step_game(kill_tick, cut_tick);
    }
    check_end();
    check(game.gained > 0 && game.entered > 0 && game.fenced > 0 && game.heard > 0 && game.refused > 0 &&
              game.held_back > 0,
          "nothing went wrong: the example shows nothing");
    printf("seed %llu: killed in tick %llu, cut off in tick %llu: %llu hand-overs, %llu heroes entered from rows, "
           "%llu taken back; each is there once, no saved gold is lost; boasts were heard %llu times\n",
           (unsigned long long)seed, (unsigned long long)kill_tick, (unsigned long long)cut_tick,
           (unsigned long long)game.gained, (unsigned long long)game.entered, (unsigned long long)game.taken_back,
           (unsigned long long)game.heard);
    for (uint32_t i = 0; i < NODES; i++) close_node(&game.nodes[i]);
    phc_loop_destroy(game.loop);
    phc_memory_destroy(game.memory);
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 5;
    for (uint64_t i = 0; i < count; i++) run_game(seed + i);
    return 0;
}

/*
 * The symptoms of docs/troubles.md, made on purpose; the page shows the output. usage: troubles SYMPTOM
 */
#include <pharos/pharos.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANN = 1, BEN = 2 };

typedef struct game {
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
} game;

static void check(ph_status status)
{
    if (status == PH_OK) return;
    fprintf(stderr, "%s: %s\n", ph_status_name(status), ph_status_text(status));
    exit(1);
}

static void log_line(void *user, ph_log_level level, const char *line)
{
    (void)user;
    printf("log: %s: %s\n", level == PH_LOG_ERROR ? "error" : "warning", line);
}

/* A world with one class of this view, and a log. */
static void open_game(game *g, ph_class player)
{
    ph_world_def def = ph_world_def_default();
    def.classes = &player;
    def.class_count = 1;
    def.consumer_batches = 2;
    def.log = log_line;
    check(ph_world_create(&def, &g->world));
    check(ph_producer_open(g->world, &g->producer));
    check(ph_consumer_open(g->world, 0, &g->consumer));
}

static ph_class player_class(float view)
{
    ph_class player = ph_class_default("default");
    player.view = view;
    return player;
}

static void enter(game *g, uint64_t id, float x)
{
    ph_attrs attrs = {.given = PH_X | PH_Y, .x = x, .y = 100};
    check(ph_enter(g->producer, id, &attrs));
}

static void tick(game *g)
{
    check(ph_tick(g->world, NULL));
}

static void explain(game *g, uint64_t observer, uint64_t target)
{
    ph_explanation explanation;
    char text[256];
    check(ph_explain(g->world, observer, target, &explanation));
    printf("%d and %d: %s\n", (int)observer, (int)target, ph_explanation_text(&explanation, text, sizeof text));
}

static void print_refusals(game *g)
{
    ph_refusal refusals[8];
    uint32_t count;
    check(ph_producer_refusals(g->producer, refusals, 8, &count));
    for (uint32_t i = 0; i < count; i++) {
        const ph_refusal *r = &refusals[i];
        printf("tick %d, %s(%d)%s%s: %s\n", (int)r->tick, ph_command_name(r->command), (int)r->id,
               r->field != PH_FIELD_NONE ? ", field " : "", ph_field_name(r->field), ph_status_text(r->status));
    }
}

static void make_no_view(game *g)
{
    ph_stats stats;
    open_game(g, ph_class_default("default"));
    enter(g, ANN, 100);
    enter(g, BEN, 110);
    tick(g);
    check(ph_world_stats(g->world, &stats));
    printf("entities %d, observers %d\n", (int)stats.entities, (int)stats.observers);
    explain(g, ANN, BEN);
}

static void make_not_given(game *g)
{
    char reason[128];
    open_game(g, player_class(50));
    ph_attrs attrs = {.given = PH_X | PH_Y, .x = 100, .y = 100, .view = 200}; /* PH_VIEW is forgotten */
    check(ph_enter(g->producer, ANN, &attrs));
    enter(g, BEN, 250);
    tick(g);
    check(ph_attrs_check(g->world, PH_COMMAND_ENTER, &attrs, reason, sizeof reason));
    printf("ph_attrs_check: %s\n", reason);
    explain(g, ANN, BEN);
}

static void make_refused(game *g)
{
    char reason[128];
    open_game(g, player_class(50));
    ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = 100, .y = 100, .view = -1};
    printf("ph_enter: %s\n", ph_status_text(ph_enter(g->producer, ANN, &attrs)));
    ph_status status = ph_attrs_check(g->world, PH_COMMAND_ENTER, &attrs, reason, sizeof reason);
    printf("ph_attrs_check: %s: %s\n", ph_status_name(status), reason);
    enter(g, BEN, 110);
    check(ph_move(g->producer, ANN, 0, 0, 0));
    enter(g, BEN, 120);
    tick(g);
    print_refusals(g);
}

static void make_one_target(game *g)
{
    ph_class player = player_class(50);
    player.margin = 10;
    open_game(g, player);
    for (uint64_t id = ANN; id <= 6; id++) enter(g, id, 100 + 10 * (float)id);
    ph_attrs elsewhere = {.given = PH_INSTANCE, .instance = 7};
    ph_attrs ghost = {.given = PH_LAYERS, .layers = 0};
    ph_attrs thief = {.given = PH_STEALTH, .stealth = 5};
    check(ph_set(g->producer, 2, &elsewhere));
    check(ph_set(g->producer, 3, &ghost));
    check(ph_set(g->producer, 4, &thief));
    check(ph_hide(g->producer, ANN, 5));
    tick(g);
    check(ph_move(g->producer, 6, 168, 100, 0));
    enter(g, 7, 168);
    tick(g);
    for (uint64_t id = 2; id <= 7; id++) explain(g, ANN, id);
}

static void make_spread(game *g)
{
    ph_class player = player_class(50);
    player.adds_max = 2;
    open_game(g, player);
    enter(g, ANN, 100);
    ph_attrs tree = {.given = PH_X | PH_Y | PH_VIEW, .y = 100};
    for (uint64_t id = 2; id <= 6; id++) {
        tree.x = 100 + (float)id;
        check(ph_enter(g->producer, id, &tree));
    }
    for (int i = 0; i < 3; i++) {
        const ph_batch *batch;
        tick(g);
        check(ph_batch_take(g->consumer, &batch));
        printf("tick %d: %d enters%s\n", (int)batch->tick, (int)batch->changes[0].enter_count,
               batch->changes[0].flags & PH_CHANGE_MORE ? ", more" : "");
        check(ph_batch_return(g->consumer, batch));
        if (i == 0) explain(g, ANN, 6);
    }
}

/* consumer_batches = 2: the third batch has to wait for a return, and becomes one with the fourth. */
static void make_kept(game *g)
{
    const ph_batch *kept[2], *batch;
    open_game(g, player_class(50));
    enter(g, ANN, 100);
    for (uint64_t id = BEN; id <= 5; id++) {
        enter(g, id, 100);
        tick(g);
        ph_status status = ph_batch_take(g->consumer, id < 4 ? &kept[id - BEN] : &batch);
        printf("tick %d: %s\n", (int)id - 1, ph_status_name(status));
    }
    for (int i = 0; i < 2; i++) check(ph_batch_return(g->consumer, kept[i]));
    tick(g);
    check(ph_batch_take(g->consumer, &batch));
    printf("tick 5: a batch of ticks %d to %d\n", (int)batch->tick_first, (int)batch->tick);
    check(ph_batch_return(g->consumer, batch));
}

static void make_bad_def(game *g)
{
    ph_world_def def = ph_world_def_default();
    def.tower_size = -5;
    def.log = log_line;
    printf("ph_world_create: %s\n", ph_status_name(ph_world_create(&def, &g->world)));
}

static void make_outside(game *g)
{
    open_game(g, player_class(50));
    enter(g, ANN, -20000);
    enter(g, BEN, 500);
    tick(g);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*make)(game *g);
    } symptoms[] = {{"no_view", make_no_view},       {"not_given", make_not_given}, {"refused", make_refused},
                    {"one_target", make_one_target}, {"spread", make_spread},       {"kept", make_kept},
                    {"bad_def", make_bad_def},       {"outside", make_outside}};
    for (size_t i = 0; argc == 2 && i < sizeof symptoms / sizeof symptoms[0]; i++) {
        if (strcmp(symptoms[i].name, argv[1]) != 0) continue;
        game g = {0};
        symptoms[i].make(&g);
        ph_world_destroy(g.world);
        return 0;
    }
    fprintf(stderr, "usage: troubles SYMPTOM\n");
    return 2;
}

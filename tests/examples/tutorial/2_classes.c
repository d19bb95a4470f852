/* Tutorial, step 2: classes, and a margin that keeps lists calm at the border of a view. */
#include <pharos/pharos.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLAYER = 1, TREE = 2 }; /* kinds: places in the array of classes */
enum { ANN = 1, BEN = 2, OAK = 3 };

static void check(ph_status status)
{
    if (status == PH_OK) return;
    fprintf(stderr, "%s: %s\n", ph_status_name(status), ph_status_text(status));
    exit(1);
}

static void log_line(void *user, ph_log_level level, const char *line)
{
    (void)user;
    fprintf(stderr, "pharos, level %d: %s\n", (int)level, line);
}

static void create_world(ph_world *world)
{
    ph_class classes[] = {ph_class_default("default"), ph_class_default("player"), ph_class_default("tree")};
    classes[PLAYER].view = 50;   /* a target enters the list at 50 or nearer, ... */
    classes[PLAYER].margin = 10; /* ... and leaves it beyond 60 */
    ph_world_def def = ph_world_def_default();
    def.world_size[0] = def.world_size[1] = 2000;
    def.tower_size = 150; /* two to four times the usual view */
    def.classes = classes;
    def.class_count = 3;
    def.log = log_line;
    check(ph_world_create(&def, world));
}

static void enter(ph_producer producer, uint64_t id, uint32_t kind, float x)
{
    ph_attrs attrs = {.given = PH_X | PH_Y | PH_KIND, .x = x, .y = 100, .kind = kind};
    check(ph_enter(producer, id, &attrs));
}

static void tick_and_print(ph_world world, ph_consumer consumer)
{
    const ph_batch *batch;
    check(ph_tick(world, NULL));
    while (ph_batch_take(consumer, &batch) == PH_OK) {
        for (uint32_t i = 0; i < batch->change_count; i++) {
            const ph_change *change = &batch->changes[i];
            const ph_target *targets = batch->targets + change->first;
            for (uint32_t j = 0; j < change->leave_count + change->enter_count && change->observer == ANN; j++)
                printf("tick %d: Ann %s %s\n", (int)batch->tick, j < change->leave_count ? "loses" : "sees",
                       targets[j].id == BEN ? "Ben" : "the oak");
        }
        check(ph_batch_return(consumer, batch));
    }
}

int main(void)
{
    ph_world world;
    ph_producer producer;
    ph_consumer consumer;
    create_world(&world);
    check(ph_producer_open(world, &producer));
    check(ph_consumer_open(world, 0, &consumer));
    enter(producer, ANN, PLAYER, 100);
    enter(producer, BEN, PLAYER, 130);
    enter(producer, OAK, TREE, 140);
    tick_and_print(world, consumer);
    const float walk[] = {155, 161, 155, 149}; /* Ben walks away from Ann, and comes back */
    for (int i = 0; i < 4; i++) {
        check(ph_move(producer, BEN, walk[i], 100, 0));
        tick_and_print(world, consumer);
    }
    check(ph_world_destroy(world));
    return 0;
}

/*
 * The threads that may run beside a ticking thread that reloads its classes every tick: a producer, a
 * consumer, threads that open and close producers, and one that reads the stats. For
 * TSan; without it, that every status is one that the manual allows.
 *
 * Plain program: exit status 0 or 1, prints failures. Bounded by ticks.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include <pharos/pharos.h>

enum { TICKS = 400, MOVERS = 64, THREADS = 4, BUSY_MAX = 10000 * TICKS };

static ph_world world;
static ph_producer producer;
static ph_consumer consumer;
static _Atomic int stop;
static _Atomic int failures;

static void expect(bool ok, const char *what, ph_status status)
{
    if (ok) return;
    atomic_fetch_add(&failures, 1);
    (void)fprintf(stderr, "stress_reload: %s: %s\n", what, ph_status_name(status));
}

static void *submit(void *unused)
{
    (void)unused;
    for (uint64_t i = 0; !atomic_load(&stop); i++) {
        ph_status status = ph_move(producer, 1 + i % MOVERS, (float)(i % 1000), (float)(i / 7 % 1000), 0.0f);
        expect(status == PH_OK || status == PH_FULL, "move", status);
        ph_attrs attrs = {.given = PH_KIND, .kind = (uint32_t)(i % 2)};
        status = ph_set(producer, 1 + i % MOVERS, &attrs);
        expect(status == PH_OK || status == PH_FULL, "set", status);
    }
    return NULL;
}

static void *consume(void *unused)
{
    (void)unused;
    while (!atomic_load(&stop)) {
        const ph_batch *batch;
        ph_status status = ph_batch_take(consumer, &batch);
        expect(status == PH_OK || status == PH_EMPTY || status == PH_PENDING, "take", status);
        if (status != PH_OK) continue;
        status = ph_batch_return(consumer, batch);
        expect(status == PH_OK, "return", status);
    }
    return NULL;
}

static void *come_and_go(void *unused)
{
    (void)unused;
    while (!atomic_load(&stop)) {
        ph_producer guest;
        ph_status status = ph_producer_open(world, &guest);
        expect(status == PH_OK || status == PH_TAKEN, "open", status);
        if (status != PH_OK) continue;
        status = ph_move(guest, 1, 1.0f, 2.0f, 3.0f);
        expect(status == PH_OK, "guest's move", status);
        status = ph_producer_close(guest);
        expect(status == PH_OK, "close", status);
    }
    return NULL;
}

static void *ask(void *unused)
{
    (void)unused;
    while (!atomic_load(&stop)) {
        ph_stats stats;
        ph_status status = ph_world_stats(world, &stats);
        expect(status == PH_OK || status == PH_BUSY, "stats", status);
        (void)usleep(200); /* a reader that never pauses would leave the ticks no moment */
    }
    return NULL;
}

static bool make_world(ph_world_def *def, ph_class classes[2])
{
    classes[0] = ph_class_default("default");
    classes[1] = ph_class_default("scout");
    classes[0].view = classes[1].view = 50.0f;
    *def = ph_world_def_default();
    def->world_size[0] = def->world_size[1] = 1000;
    def->shards[0] = def->shards[1] = def->workers = 2;
    def->share_min = 0;
    def->classes = classes;
    def->class_count = 2;
    def->producer_bytes = 128 << 10; /* a full queue is some thousand commands: the ticks are many, not long */
    if (ph_world_create(def, &world) != PH_OK) return false;
    if (ph_producer_open(world, &producer) != PH_OK || ph_consumer_open(world, 0, &consumer) != PH_OK) return false;
    for (uint64_t id = 1; id <= MOVERS; id++) {
        ph_attrs attrs = {.given = PH_X | PH_Y, .x = (float)id, .y = (float)id};
        if (ph_enter(producer, id, &attrs) != PH_OK) return false;
    }
    return true;
}

int main(void)
{
    static void *(*const work[THREADS])(void *) = {submit, consume, come_and_go, ask};
    pthread_t threads[THREADS];
    ph_world_def def;
    ph_class classes[2];
    if (!make_world(&def, classes)) return 1;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work[i], NULL) != 0) return 1;
    uint32_t done = 0;
    uint64_t busy = 0;
    while (done < TICKS && busy < BUSY_MAX && atomic_load(&failures) == 0) {
        classes[done % 2].view = (float)(20 + done % 60);
        def.sticky = 1.0 + done % 10;
        ph_status status = ph_world_reconfigure(world, &def, NULL, 0);
        expect(status == PH_OK, "reconfigure", status);
        status = ph_tick(world, NULL); /* turned away while the stats are read */
        expect(status == PH_OK || status == PH_BUSY, "tick", status);
        done += status == PH_OK;
        if (status != PH_BUSY) continue;
        busy++;
        (void)sched_yield(); /* a reader is inside, and may have lost its processor there */
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    ph_status status = ph_world_destroy(world);
    expect(status == PH_OK && done == TICKS, "ticks run and world destroyed", status);
    printf("stress_reload: %s\n", atomic_load(&failures) == 0 ? "passed" : "FAILED");
    return atomic_load(&failures) == 0 ? 0 : 1;
}

/*
 * A host's smallest program: a world, two entities, one tick, one batch with the two enter
 * events. Built against the installed library, as C and as C++. Exit status 0 = as expected.
 */
#include <stdio.h>
#include <string.h>

#include <pharos/pharos.h>

static int failed(const char *what, ph_status status)
{
    fprintf(stderr, "%s: %s\n", what, ph_status_name(status));
    return 1;
}

static ph_status submit(ph_world world)
{
    ph_producer producer;
    ph_status status = ph_producer_open(world, &producer);
    for (uint64_t id = 1; status == PH_OK && id <= 2; id++) {
        ph_attrs attrs;
        memset(&attrs, 0, sizeof attrs);
        attrs.given = PH_X | PH_Y | PH_VIEW;
        attrs.x = 10.0f * (float)id;
        attrs.y = 10.0f;
        attrs.view = 100.0f;
        status = ph_enter(producer, id, &attrs);
    }
    return status;
}

/* @return the number of enter events, or -1 */
static int take(ph_world world)
{
    ph_consumer consumer;
    const ph_batch *batch = NULL;
    if (ph_consumer_open(world, 0, &consumer) != PH_OK || ph_batch_take(consumer, &batch) != PH_OK) {
        return -1;
    }
    int enters = 0;
    for (uint32_t i = 0; i < batch->change_count; i++) {
        const ph_change *change = &batch->changes[i];
        for (uint32_t j = 0; j < change->enter_count; j++) {
            const ph_target *target = &batch->targets[change->first + change->leave_count + j];
            printf("%llu sees %llu\n", (unsigned long long)change->observer, (unsigned long long)target->id);
            enters++;
        }
    }
    return ph_batch_return(consumer, batch) == PH_OK ? enters : -1;
}

int main(void)
{
    ph_world_def def = ph_world_def_default();
    ph_world world;
    ph_status status = ph_world_create(&def, &world);
    if (status != PH_OK) {
        return failed("ph_world_create", status);
    }
    if ((status = submit(world)) != PH_OK) {
        return failed("submit", status);
    }
    if ((status = ph_tick(world, NULL)) != PH_OK) {
        return failed("ph_tick", status);
    }
    const int enters = take(world);
    if (enters != 2) {
        fprintf(stderr, "%d enter events, expected 2\n", enters);
        return 1;
    }
    if ((status = ph_world_destroy(world)) != PH_OK) {
        return failed("ph_world_destroy", status);
    }
    if (strcmp(ph_version(), PHAROS_EXPECTED_VERSION) != 0 || strcmp(ph_version(), PHAROS_VERSION_STRING) != 0) {
        fprintf(stderr, "ph_version() is %s, the headers say %s, the package %s\n", ph_version(), PHAROS_VERSION_STRING,
                PHAROS_EXPECTED_VERSION);
        return 1;
    }
    return 0;
}

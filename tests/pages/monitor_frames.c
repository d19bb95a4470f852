/* The loop of docs/monitor-frames.md: a world of three entities, and a monitor that draws them as text. */
#include <pharos/monitor.h>
#include <pharos/pharos.h>
#include <stdio.h>

static bool open_monitor(ph_world world, ph_monitor *monitor)
{
    ph_monitor_def def = {.every = 2,
                          .points_max = 100000}; /* a frame every second tick; 0 = the default, in the others */
    ph_monitor_view view = {.x1 = 1000, .y1 = 1000, .flags = PH_MONITOR_POINTS | PH_MONITOR_GRID, .focus = 7};
    return ph_monitor_open(world, &def, monitor) == PH_OK && ph_monitor_watch(*monitor, &view) == PH_OK;
}

/* From 0 to 65535 over the rectangle of the view. */
static void draw(uint16_t x, uint16_t y)
{
    printf(" %d,%d", x, y);
}

/* On any thread, while the world ticks. */
static bool draw_frames(ph_monitor monitor)
{
    const ph_monitor_frame *frame;
    while (ph_monitor_take(monitor, &frame) == PH_OK) {
        printf("tick %d:", (int)frame->tick);
        for (uint32_t i = 0; i < frame->points.count; i++) draw(frame->points.x[i], frame->points.y[i]);
        printf("\n");
        /* The next due tick fills it again; one that finds it out is skipped, and counted. */
        if (ph_monitor_return(monitor, frame) != PH_OK) return false;
    }
    return true;
}

int main(void)
{
    ph_world world;
    ph_producer producer;
    ph_monitor monitor;
    ph_world_def def = ph_world_def_default();
    ph_attrs attrs = {.given = PH_X | PH_Y | PH_VIEW, .x = 100, .y = 100, .view = 50};
    if (ph_world_create(&def, &world) != PH_OK || ph_producer_open(world, &producer) != PH_OK) return 1;
    if (!open_monitor(world, &monitor)) return 1;
    for (uint64_t id = 6; id <= 8; id++, attrs.x += 20)
        if (ph_enter(producer, id, &attrs) != PH_OK) return 1;
    bool good = true;
    for (int tick = 1; good && tick <= 4; tick++) {
        good = ph_move(producer, 7, 120, 100 + (float)tick, 0) == PH_OK;
        good = good && ph_tick(world, NULL) == PH_OK && draw_frames(monitor);
    }
    return ph_world_destroy(world) == PH_OK && good ? 0 : 1;
}

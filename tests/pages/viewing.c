/* The part of docs/viewing.md about a server of your own: a world with a page, for some ticks without a browser. */
#include <pharos/pharos.h>
#include <pharos/view.h>
#include <stdio.h>

static bool open_view(ph_world world, const ph_world_def *world_def, ph_view **view)
{
    char reason[256];
    ph_view_def def = {.title = "world 7"}; /* a free port; .port = 8732 for that one */
    if (ph_view_open(&def, view, reason, sizeof reason) != PH_OK) {
        fprintf(stderr, "no view: %s\n", reason);
        return false;
    }
    puts(ph_view_address(*view));
    return ph_view_show(*view, world, world_def) == PH_OK; /* before the first tick, or between two */
}

static void close_view(ph_view *view)
{
    (void)!ph_view_show(view, (ph_world){0}, NULL); /* before the world is destroyed */
    ph_view_close(view);
}

int main(void)
{
    ph_world world;
    ph_view *view = NULL;
    ph_world_def def = ph_world_def_default();
    if (ph_world_create(&def, &world) != PH_OK) return 1;
    bool good = open_view(world, &def, &view);
    for (int tick = 0; good && tick < 20; tick++) good = ph_tick(world, NULL) == PH_OK;
    close_view(view);
    return ph_world_destroy(world) == PH_OK && good ? 0 : 1;
}

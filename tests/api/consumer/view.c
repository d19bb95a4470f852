/* A host that shows its world in a browser: built against the installed pharos_view. Exit status 0 = as expected. */
#include <string.h>

#include <pharos/pharos.h>
#include <pharos/view.h>

int main(void)
{
    const ph_world_def world_def = ph_world_def_default();
    const ph_view_def def = {.title = "a host"};
    ph_view_request request;
    ph_world world;
    ph_view *view;
    if (ph_world_create(&world_def, &world) != PH_OK || ph_view_open(&def, &view, NULL, 0) != PH_OK) return 1;
    const int shown = ph_view_show(view, world, &world_def) == PH_OK && ph_tick(world, NULL) == PH_OK &&
                      strncmp(ph_view_address(view), "http://127.0.0.1:", 17) == 0 && !ph_view_next(view, &request) &&
                      ph_view_tell(view, &(ph_view_state){.paused = true}) == PH_OK &&
                      ph_view_tell(view, &(ph_view_state){.reserved = {[3] = 1}}) == PH_BAD_ARGUMENT;
    ph_view_close(view); /* before its world */
    return shown && ph_world_destroy(world) == PH_OK ? 0 : 1;
}

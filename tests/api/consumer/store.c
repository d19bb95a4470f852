/* A host that keeps images in a folder: built against the installed pharos_store. Exit status 0 = as expected. */
#include <stdlib.h>

#include <pharos/pharos.h>
#include <pharos/store.h>

int main(void)
{
    char folder[] = "store_XXXXXX"; /* where the test runs: its folder is made anew by each run */
    if (!mkdtemp(folder)) return 1;
    const ph_world_def world_def = ph_world_def_default();
    ph_store_def def = ph_store_def_default();
    def.folder = folder;
    def.name = "world";
    ph_world world, again;
    ph_store *store;
    uint64_t tick;
    if (ph_world_create(&world_def, &world) != PH_OK) return 1;
    if (ph_store_open(&def, world, &store, NULL, 0) != PH_OK) return 1;
    const int saved = ph_tick(world, NULL) == PH_OK && ph_store_tick(store) == PH_OK && ph_store_close(store) == PH_OK;
    const int loaded = ph_store_recover(&def, NULL, &again, &tick, NULL, 0) == PH_OK && tick == 1;
    return saved && loaded && ph_world_destroy(again) == PH_OK && ph_world_destroy(world) == PH_OK ? 0 : 1;
}

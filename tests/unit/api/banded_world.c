/*
 * A world with bands; see banded_world.h.
 */
#include "unit/api/banded_world.h"

#include <criterion/criterion.h>

ph_world banded_world_create(const banded_world *of)
{
    ph_class kinds[2] = {ph_class_default("default"), ph_class_default("observer")};
    ph_world world;
    ph_world_def def = ph_world_def_default();
    kinds[0].view = 0;
    kinds[1].view = of->view;
    kinds[1].margin = of->margin;
    kinds[1].updates_max = of->updates_max;
    kinds[1].bands[0] = of->band;
    kinds[1].band_count = 1;
    def.classes = kinds;
    def.class_count = 2;
    def.world_size[0] = def.world_size[1] = of->side;
    def.world_origin[0] = def.world_origin[1] = 0;
    def.shards[0] = of->shards;
    cr_assert_eq(ph_world_create(&def, &world), PH_OK);
    return world;
}

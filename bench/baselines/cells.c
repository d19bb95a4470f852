/*
 * Size and number of the cells; see cells.h.
 */
#include "bench/baselines/cells.h"

#include <math.h>

/* The float32 rule may find a target in range that is farther than the view by its rounding, 1e-7 of it. */
#define ROUNDING 1.000001

/* More of them would only be memory: the side doubles until there are so few. */
#define CELLS_MAX (1u << 22)

cells cells_make(const ph_world_def *def, float view)
{
    PHX_ASSERT(view > 0);
    double side = (double)view * ROUNDING;
    while (ceil((double)def->world_size[0] / side) * ceil((double)def->world_size[1] / side) > CELLS_MAX) {
        side *= 2;
    }
    return (cells){.origin = {(double)def->world_origin[0], (double)def->world_origin[1]},
                   .inverse = 1 / side,
                   .nx = (uint32_t)fmax(1, ceil((double)def->world_size[0] / side)),
                   .ny = (uint32_t)fmax(1, ceil((double)def->world_size[1] / side))};
}

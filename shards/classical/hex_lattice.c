/*
 * Hexagonal lattices: places of towers, and the extent of their light; see hex_lattice.h. Pure functions, in double:
 * coordinates have 53 bits and are below 2^25 h, so roundings are far below the slack of 1e-6 h that is added
 * everywhere.
 *
 * A level's hexagons stand on their corners, side and outer radius s = 2 h, for boxes of half side h: rows are 1.5 s
 * apart, columns sqrt(3) s. A tower's light is its hexagon widened by such a box: every position that an entity in the
 * hexagon can have in its box. So the candidates of a box are in the light of the one tower with the box's middle in
 * its hexagon.
 *
 * As a set of (dx, dy) from the tower: |dx| <= sqrt(3)/2 s + h, |dy| <= s + h, and the same along the two other normals
 * of the hexagon. It is 3 s high, so two rows' towers light a position, each row with two at most (it is less than two
 * columns wide), or three rows' on a border, where the rows above and below have one each: four at most, 2.8 on
 * average. None is farther than 1.7 s; the next but one hexagon's centre is 3 s from its own, so the position's own
 * tower and its six neighbours are enough.
 */
#include "shards/classical/hex_lattice.h"

#include "shards/entity/bounds.h"

static const double SQRT_OF_3 = 1.7320508075688772;
static const double ROUNDING_SLACK = 1e-6;

/* The six neighbours, in axial coordinates. */
static const phx_hex_at neighbour_offsets[6] = {{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}};

static double nearest_integer(double v)
{
    return (double)(int32_t)(v < 0.0 ? v - 0.5 : v + 0.5);
}

static double clamp_coordinate(double p, double low, double high)
{
    return p < low ? low : (p > high ? high : p);
}

phx_hex_lattice phx_hex_lattice_of(const phx_rules *rules, double usual)
{
    phx_hex_lattice lattice;
    double longest = 0.0, half = usual;
    for (int axis = 0; axis < 2; axis++) {
        double side = (double)rules->towers[axis] * rules->tower_size;
        lattice.low[axis] = rules->origin[axis];
        lattice.high[axis] = lattice.low[axis] + side;
        longest = side > longest ? side : longest;
    }
    while (half < longest) half *= 2.0; /* the last level is for any box in the world */
    for (uint32_t level = PHX_HEX_LEVELS; level-- > 0; half /= 2.0) lattice.half[level] = half;
    return lattice;
}

phx_hex_box phx_hex_box_of(const phx_hex_lattice *lattice, phx_box box)
{
    phx_hex_box in = {.x0 = clamp_coordinate(box.x0, lattice->low[0], lattice->high[0]),
                      .y0 = clamp_coordinate(box.y0, lattice->low[1], lattice->high[1]),
                      .x1 = clamp_coordinate(box.x1, lattice->low[0], lattice->high[0]),
                      .y1 = clamp_coordinate(box.y1, lattice->low[1], lattice->high[1])};
    in.x = in.x0 + (in.x1 - in.x0) / 2;
    in.y = in.y0 + (in.y1 - in.y0) / 2;
    in.half = (in.x1 - in.x0 > in.y1 - in.y0 ? in.x1 - in.x0 : in.y1 - in.y0) / 2;
    return in;
}

uint8_t phx_hex_level(const phx_hex_lattice *lattice, double half)
{
    uint8_t level = 0;
    while (level + 1 < PHX_HEX_LEVELS && lattice->half[level] < half) level++;
    return level;
}

phx_hex_at phx_hex_cell(const phx_hex_lattice *lattice, uint32_t level, double x, double y)
{
    double s = 2.0 * lattice->half[level];
    double r = (y - lattice->low[1]) / (1.5 * s), q = (x - lattice->low[0]) / (SQRT_OF_3 * s) - r / 2;
    /* the axis with the largest rounding follows from the other two */
    double p = -q - r, iq = nearest_integer(q), ir = nearest_integer(r), ip = nearest_integer(p);
    double dq = fabs(iq - q), dr = fabs(ir - r), dp = fabs(ip - p);
    if (dq > dr && dq > dp) iq = -ir - ip;
    else if (dr > dp) ir = -iq - ip;
    return (phx_hex_at){(int32_t)iq, (int32_t)ir};
}

/* Is a position at this offset from a tower in its light? In units of h = s / 2. */
static bool in_tower_light(double dx, double dy)
{
    double half = 0.5 * dx, up = SQRT_OF_3 / 2 * dy;
    const double flat = SQRT_OF_3 + 1, tall = 3, slant = SQRT_OF_3 + 0.5 + SQRT_OF_3 / 2;
    return fabs(dx) <= flat + ROUNDING_SLACK && fabs(dy) <= tall + ROUNDING_SLACK &&
           fabs(half + up) <= slant + ROUNDING_SLACK && fabs(half - up) <= slant + ROUNDING_SLACK;
}

phx_hex_covers phx_hex_covers_of(const phx_hex_lattice *lattice, uint32_t level, float px, float py)
{
    double x = clamp_coordinate(px, lattice->low[0], lattice->high[0]),
           y = clamp_coordinate(py, lattice->low[1], lattice->high[1]);
    double h = lattice->half[level];
    phx_hex_at home = phx_hex_cell(lattice, level, x, y);
    phx_hex_covers covers = {.at = {home}, .count = 1};
    double dx = (x - lattice->low[0]) / h - 2 * SQRT_OF_3 * (home.q + home.r / 2.0);
    double dy = (y - lattice->low[1]) / h - 3.0 * home.r;
    for (uint32_t i = 0; i < 6; i++) {
        double cx = 2 * SQRT_OF_3 * (neighbour_offsets[i].q + neighbour_offsets[i].r / 2.0),
               cy = 3.0 * neighbour_offsets[i].r;
        if (!in_tower_light(dx - cx, dy - cy)) continue;
        PHX_ASSERT(covers.count < PHX_HEX_COVERS);
        covers.mask |= 1u << i;
        covers.at[covers.count++] = (phx_hex_at){home.q + neighbour_offsets[i].q, home.r + neighbour_offsets[i].r};
    }
    return covers;
}

phx_hex_range phx_hex_rows(const phx_hex_lattice *lattice, uint32_t level, const phx_hex_box *box)
{
    double s = 2.0 * lattice->half[level];
    return (phx_hex_range){(int32_t)floor((box->y0 - lattice->low[1] - s) / (1.5 * s) - ROUNDING_SLACK),
                           (int32_t)ceil((box->y1 - lattice->low[1] + s) / (1.5 * s) + ROUNDING_SLACK)};
}

phx_hex_range phx_hex_columns(const phx_hex_lattice *lattice, uint32_t level, const phx_hex_box *box, int32_t row)
{
    double side = SQRT_OF_3 * 2.0 * lattice->half[level]; /* half of it to either side of a centre */
    return (phx_hex_range){(int32_t)floor((box->x0 - lattice->low[0]) / side - row / 2.0 - 0.5 - ROUNDING_SLACK),
                           (int32_t)ceil((box->x1 - lattice->low[0]) / side - row / 2.0 + 0.5 + ROUNDING_SLACK)};
}

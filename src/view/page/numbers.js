// About how many entities are in a point's view: the density of the cells that its view meets, times the area of the view.
// No list is stored that could be counted. Sums over all cells below and left make each square of cells four look-ups.
const SIDE = 256, WIDE = SIDE + 1, CELL = 65536 / SIDE;
// Stripes of a circle, by its radius: lower and upper edge, and the half of their width that gives the circle's area.
const EDGES = [-1, -0.6, -0.2, 0.2, 0.6, 1], quarter = (at) => (at * Math.sqrt(1 - at * at) + Math.asin(at)) / 2;
const CIRCLE = EDGES.slice(1).map((high, i) => [EDGES[i], high, (quarter(high) - quarter(EDGES[i])) / (high - EDGES[i])]), SQUARE = [[-1, 1, 1]];
export const NUMBERS = [[0, 6, "none"], [1, 0, "1 to 9"], [10, 2, "10 to 29"], [30, 3, "30 to 99"], [100, 1, "100 to 299"], [300, 5, "300 and more"]]; // least, colour, words

export const numberColour = (number) => NUMBERS.findLast(([least]) => number >= least)[1];

export class Numbers {
  constructor() {
    this.sums = new Uint32Array(WIDE * WIDE);
  }

  take({ points, rect }, world) {
    const { sums } = this, { count, x, y } = points;
    sums.fill(0);
    for (let i = 0; i < count; i++) sums[((y[i] >> 8) + 1) * WIDE + (x[i] >> 8) + 1]++;
    for (let row = 1; row < WIDE; row++)
      for (let at = row * WIDE + 1, left = 0; at < (row + 1) * WIDE; at++) sums[at] = (left += sums[at]) + sums[at - WIDE];
    Object.assign(this, { points, stride: rect.stride, width: 65536 / (rect.x1 - rect.x0), height: 65536 / (rect.y1 - rect.y0) });
    this.views = world.classes.map(({ view }) => view);
    this.stripes = world.shape === "square" ? SQUARE : CIRCLE;
    this.shrunk = (1 - world.crowdFloor) / 16; // of a view, by a step of crowd control
  }

  // Others around point i. A view that goes beyond the map's rectangle has none there.
  at(i) {
    const { points } = this, radius = this.views[points.kinds[i]] * (1 - (points.steps[i] & 31) * this.shrunk);
    if (!(radius > 0)) return 0;
    const across = radius * this.width, high = radius * this.height, x = points.x[i], y = points.y[i];
    let found = 0;
    for (const [low, up, half] of this.stripes) found += this.within(x - half * across, y + low * high, x + half * across, y + up * high);
    return Math.max(Math.round(found * this.stride) - 1, 0);
  }

  // By the density of the cells that the rectangle meets.
  within(left, low, right, up) {
    const { sums } = this, x0 = Math.floor(left / CELL), x1 = Math.floor(right / CELL) + 1, y0 = Math.floor(low / CELL), y1 = Math.floor(up / CELL) + 1;
    const from = Math.min(Math.max(x0, 0), SIDE), to = Math.min(Math.max(x1, 0), SIDE), below = Math.min(Math.max(y0, 0), SIDE) * WIDE, above = Math.min(Math.max(y1, 0), SIDE) * WIDE;
    const count = sums[above + to] - sums[above + from] - sums[below + to] + sums[below + from];
    return count * ((right - left) * (up - low)) / ((x1 - x0) * (y1 - y0) * CELL * CELL);
  }
}

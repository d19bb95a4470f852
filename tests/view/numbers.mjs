// About how many are in a point's view, by cells, beside the count of all pairs: in a plain, in a crowd, in a sample, of a
// shrunk view, of squares, at the world's border. Each count has its colour.
// usage: node numbers.mjs
import assert from "node:assert";
import { numberColour, Numbers } from "../../src/view/page/numbers.js";

const MANY = 4000, SIDE = 1000, SOME = 200, ERROR = 0.1;

// A generator with a seed, as Math.random has none.
function random(seed) {
  return () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
}

function makeFrame(place, stride = 1, step = 0) {
  const next = random(7), points = { count: MANY, x: new Uint16Array(MANY), y: new Uint16Array(MANY), kinds: new Uint16Array(MANY), steps: new Uint8Array(MANY).fill(step) };
  for (let i = 0; i < MANY; i++) [points.x[i], points.y[i]] = place(next).map((at) => at * 65535.9);
  return { points, rect: { x0: 0, y0: 0, x1: SIDE, y1: SIDE, stride } };
}

// The sums of the counts of SOME points: by cells, and of all pairs.
function compare(words, frame, world, radius, inside = ([x, y]) => x * x + y * y <= radius * radius) {
  const numbers = new Numbers(), { points, rect } = frame, unit = SIDE / 65536;
  let about = 0, right = 0;
  numbers.take(frame, world);
  for (let i = 0; i < SOME; i++) {
    about += numbers.at(i);
    for (let j = 0; j < MANY; j++) right += rect.stride * (i !== j && inside([(points.x[i] - points.x[j]) * unit, (points.y[i] - points.y[j]) * unit]));
  }
  assert(Math.abs(about / right - 1) < ERROR, `${words}: about ${about} others of ${SOME} points, and ${right} by pairs`);
}

const world = (view, more = {}) => ({ classes: [{ view }], shape: "circle", crowdFloor: 0.25, ...more });
const plain = (next) => [next(), next()], crowd = (next) => [0.4 + 0.2 * next() * next(), 0.4 + 0.2 * next() * next()];
compare("a plain", makeFrame(plain), world(100), 100);
compare("a crowd", makeFrame(crowd), world(60), 60);
compare("a sample", makeFrame(plain, 4), world(100), 100);
compare("a shrunk view", makeFrame(plain, 1, 8), world(160), 160 * (1 - (8 * 0.75) / 16));
compare("squares", makeFrame(plain), world(100, { shape: "square" }), 100, ([x, y]) => Math.max(Math.abs(x), Math.abs(y)) <= 100);
compare("a border", makeFrame((next) => [0.02 * next(), next()]), world(50), 50);

const none = new Numbers();
none.take(makeFrame(plain), world(0));
assert.equal(none.at(0), 0, "no view");
none.take(makeFrame(plain), { ...world(5), classes: [] });
assert.equal(none.at(0), 0, "a class that the page has not heard of");
assert.deepEqual([0, 1, 9, 10, 29, 30, 99, 100, 299, 300, 1e6].map(numberColour), [6, 0, 0, 2, 2, 3, 3, 1, 1, 5, 5]);
console.log(`numbers in view by cells are those by pairs, to ${100 * ERROR} % over ${SOME} points`);

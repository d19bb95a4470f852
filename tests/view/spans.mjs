// The page's ticks by second, minute and hour: counts and means of each period, p50 and p99 beside the sorted times, gaps,
// a clock that goes back, and the bound.
// usage: node spans.mjs
import assert from "node:assert";
import { COUNT, Histogram, Spans, SPANS } from "../../src/view/page/spans.js";

const ERROR = 0.025, HOUR = SPANS.hour, START = 500000 * HOUR;

// A generator with a seed, as Math.random has none.
function random(seed) {
  return () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
}

function checkShares() {
  const next = random(32);
  for (const many of [1, 2, 3, 100, 5000]) {
    const times = Array.from({ length: many }, () => 10 ** (5 * next() - 2.5)), histogram = new Histogram();
    times.forEach((ms) => histogram.add(ms));
    times.sort((a, b) => a - b);
    for (const part of [0, 0.5, 0.99, 1]) {
      const right = times[Math.min(Math.floor(many * part), many - 1)], got = histogram.share(part);
      assert(Math.abs(got / right - 1) < ERROR, `${many} times: ${part} of them is ${got}, not ${right}`);
    }
  }
  const ends = new Histogram();
  for (const ms of [0, 1e9]) ends.add(ms);
  assert(ends.share(0) < 0.0011 && ends.share(1) > 60000, "times out of all bins are in the first and the last one");
}

const sample = (tick, more = {}) => ({ tick, ms: 2, enters: 10, leaves: 4, left: 1, phases: [1, 0.5], changed: false, ...more });

function checkPeriods() {
  const spans = new Spans(2);
  spans.add(sample(1), START);
  spans.add(sample(2, { enters: 20, ms: 4, phases: [3, 1.5] }), START + 999);
  spans.add(sample(3, { changed: true }), START + 1000);
  spans.add(sample(9), START + 5000); // three seconds without a frame
  spans.add(sample(10), START + 4000); // a clock that goes back
  const seconds = spans.rows("second", START + 6500);
  assert.deepEqual(seconds.x, [-6, -5, -4, -1]);
  assert.deepEqual(seconds.enters, [15, 10, null, 10]);
  assert.deepEqual(seconds.leaves, [4, 4, null, 4]);
  assert.deepEqual(seconds.left, [2, 1, null, 2]);
  assert.deepEqual(seconds.phases, [[2, 1, null, 1], [3, 1.5, null, 1.5]]); // the second has the first in it
  assert.deepEqual(seconds.periods.map((period) => period?.tick), [2, 3, undefined, 10]);
  assert.deepEqual(seconds.changes, [-5]);
  assert(seconds.p50.every((ms, i) => (i === 2 ? ms === null : Math.abs(ms / (i === 0 ? 4 : 2) - 1) < ERROR)), seconds.p50);
  const minutes = spans.rows("minute", START + 6500);
  assert.deepEqual([minutes.x, minutes.enters, minutes.left, minutes.changes], [[0], [12], [5], [0]]);
  assert.deepEqual(spans.rows("second", START + COUNT * 1000).x, [1 - COUNT, 2 - COUNT, 5 - COUNT]); // the first one is too long ago
}

function checkBound() {
  const spans = new Spans(2);
  for (let tick = 1; tick <= 100 * 60 + 1; tick++) spans.add(sample(tick), START + tick * 60000); // a hundred hours
  for (const name of Object.keys(SPANS)) assert.equal(spans.kept[name].length, COUNT, name);
  assert(spans.kept.hour.slice(0, -1).every((period) => period.times === null && period.frames === 60), "an hour that is over has only its numbers");
  const hours = spans.rows("hour", START + (100 * 60 + 1) * 60000);
  assert.deepEqual([hours.x.length, hours.x[0], hours.x.at(-1)], [COUNT, 1 - COUNT, 0]);
  assert.equal(hours.periods.at(-2).tick, 100 * 60 - 1);
  spans.clear();
  assert.equal(spans.rows("hour", START).x.length, 0);
}

checkShares();
checkPeriods();
checkBound();
console.log("seconds, minutes and hours have the ticks of theirs; p50 and p99 as sorted times have them, to 2.5 %");

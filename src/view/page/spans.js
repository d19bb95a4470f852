// Ticks summed up by second, minute and hour: the last COUNT of each, so an open tab grows no further. A row has means of
// its frames, and their p50 and p99 from a histogram, so no tick is kept for it.
export const SPANS = { second: 1000, minute: 60000, hour: 3600000 }; // milliseconds
export const COUNT = 60;

const PER_OCTAVE = 16, LEAST_MS = 1e-3, OCTAVES = 26; // bins from 1 us to 67 s; a value is off by 2.2 % at most
const BINS = PER_OCTAVE * OCTAVES;

export class Histogram {
  constructor() {
    this.bins = new Uint32Array(BINS);
    this.count = 0;
  }

  add(ms) {
    const bin = Math.floor(Math.log2(Math.max(ms, LEAST_MS) / LEAST_MS) * PER_OCTAVE);
    this.bins[Math.min(bin, BINS - 1)]++;
    this.count++;
  }

  // The middle of the bin that has the value.
  share(part) {
    let left = Math.min(Math.floor(this.count * part), this.count - 1), bin = 0;
    while (left >= this.bins[bin]) left -= this.bins[bin++];
    return LEAST_MS * 2 ** ((bin + 0.5) / PER_OCTAVE);
  }
}

// One second, minute or hour.
class Period {
  constructor(number, phases) {
    Object.assign(this, { number, tick: 0, frames: 0, enters: 0, leaves: 0, left: 0, phases: new Array(phases).fill(0), times: new Histogram(), changed: false });
  }

  add(sample) {
    this.frames++;
    this.tick = sample.tick;
    for (const name of ["enters", "leaves", "left"]) this[name] += sample[name];
    sample.phases.forEach((ms, i) => (this.phases[i] += ms));
    this.times.add(sample.ms);
    this.changed ||= sample.changed;
  }

  // Only numbers are kept of one that is over.
  close() {
    [this.p50, this.p99] = [this.times.share(0.5), this.times.share(0.99)];
    this.times = null;
  }

  shares() {
    return this.times ? [this.times.share(0.5), this.times.share(0.99)] : [this.p50, this.p99];
  }
}

export class Spans {
  constructor(phases) {
    this.phases = phases;
    this.clear();
  }

  clear() {
    this.kept = Object.fromEntries(Object.keys(SPANS).map((name) => [name, []]));
  }

  // sample: tick, ms, enters, leaves, left, phases (ms of each), changed (live keys, in this tick); at: milliseconds of a clock.
  add(sample, at) {
    for (const [name, length] of Object.entries(SPANS)) {
      const periods = this.kept[name], number = Math.floor(at / length), last = periods.at(-1);
      if (!last || number > last.number) { // a clock that goes back adds to the last one
        last?.close();
        periods.push(new Period(number, this.phases));
        if (periods.length > COUNT) periods.shift();
      }
      periods.at(-1).add(sample);
    }
  }

  // Columns: x counts back from now, 0 is the period that runs; each stacked phase has the ones before it in it. Between
  // periods that are apart, as nothing came meanwhile, stands a row without values. `periods` are those of the rows.
  rows(name, at) {
    const now = Math.floor(at / SPANS[name]), rows = { x: [], phases: Array.from({ length: this.phases }, () => []), p50: [], p99: [], enters: [], leaves: [], left: [], periods: [], changes: [] };
    const push = (x, period) => {
      const { frames } = period ?? {}, mean = (sum) => (period ? sum / frames : null), [p50, p99] = period?.shares() ?? [null, null];
      let sum = 0;
      rows.x.push(x);
      rows.phases.forEach((column, i) => column.push(period ? (sum += mean(period.phases[i])) : null));
      rows.p50.push(p50);
      rows.p99.push(p99);
      rows.enters.push(mean(period?.enters));
      rows.leaves.push(mean(period?.leaves));
      rows.left.push(period ? period.left : null);
      rows.periods.push(period);
      if (period?.changed) rows.changes.push(x);
    };
    for (const period of this.kept[name]) {
      const x = period.number - now, before = rows.x.at(-1);
      if (x <= -COUNT) continue;
      if (before !== undefined && x > before + 1) push(before + 1, undefined);
      push(x, period);
    }
    return rows;
  }
}

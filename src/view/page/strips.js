// The strips below the map: what ticks cost, and their events: the last SAMPLES_MAX ticks, or the last seconds, minutes or
// hours. Bounded; a click goes to that tick, or to the last one of that time.
import uPlot from "uplot";
import { $, say } from "./dom.js";
import { COUNT, Spans } from "./spans.js";

const SAMPLES_MAX = 600, WINDOW = 120, HEIGHT = 120;
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000]; // of the axis of ticks: no halves
export const BY = { tick: "", second: "s", minute: "min", hour: "h" };
const PHASES = [["ingest", "#0072b2"], ["exchange", "#cc79a7"], ["index", "#009e73"], ["interest", "#e69f00"], ["publish", "#56b4e9"]];

function share(values, part) {
  const sorted = values.slice(-WINDOW).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

export class Strips {
  constructor(chosen) {
    const axis = { stroke: "#9aa5b1", grid: { stroke: "#232932" }, ticks: { stroke: "#232932" }, font: "10px system-ui" };
    const size = { width: 400, height: HEIGHT };
    const unit = (_, values) => values.map((value) => (this.by === "tick" ? value.toLocaleString("en") : value === 0 ? "now" : `${value} ${BY[this.by]}`));
    const range = (_, low, high) => (this.by === "tick" ? [low, high] : [1 - COUNT, 0]);
    const common = { ...size, scales: { x: { time: false, range } }, axes: [{ ...axis, size: 24, incrs: STEPS, values: unit }, { ...axis, size: 44 }], legend: { show: true, live: false },
      cursor: { sync: { key: "pharos" }, drag: { x: false, y: false } }, hooks: { draw: [(plot) => this.drawChanges(plot)] } };
    // Phases are stacked: each line is the sum of the ones before it and its own.
    this.tick = new uPlot({ ...common, series: [{ label: "tick" }, ...PHASES.map(([label, stroke]) => ({ label, stroke, fill: `${stroke}55`, width: 1, points: { show: false } })),
      { label: "p50", stroke: "#ffffff", width: 1.5, points: { show: false } }, { label: "p99, ms", stroke: "#f0e442", width: 1.5, dash: [4, 3], points: { show: false } }],
      bands: PHASES.slice(1).map((_, i) => ({ series: [i + 2, i + 1] })) }, [[], [], [], [], [], [], [], []], $("strip-tick"));
    this.events = new uPlot({ ...common, series: [{ label: "tick" }, { label: "enters", stroke: "#009e73", points: { show: false } },
      { label: "leaves", stroke: "#d55e00", dash: [6, 3], points: { show: false } },
      { label: "ticks left out", stroke: "#cc79a7", dash: [2, 3], points: { show: false } }] }, [[], [], [], []], $("strip-events"));
    for (const plot of [this.tick, this.events])
      plot.over.addEventListener("click", () => {
        const tick = plot.cursor.idx != null && this.tickOf(plot.cursor.idx);
        if (tick) chosen(tick);
      });
    new ResizeObserver(() => this.resize()).observe($("strips"));
    this.spans = new Spans(PHASES.length);
    this.by = "tick";
    this.clear();
  }

  // Of this world. The seconds, minutes and hours of one that has the same name stay: after a seek, a lost connection.
  open(name) {
    if (name !== this.name) this.spans.clear();
    this.name = name;
    this.clear();
  }

  resize() {
    for (const [plot, name] of [[this.tick, "strip-tick"], [this.events, "strip-events"]])
      plot.setSize({ width: Math.max($(name).clientWidth, 100), height: HEIGHT });
  }

  clear() {
    this.changes = [];
    this.generation = undefined;
    this.rows = { tick: [], enters: [], leaves: [], left: [], ms: [], p50: [], p99: [], phases: PHASES.map(() => []) };
  }

  add(frame, at = Date.now()) {
    if (frame.tick === this.rows.tick.at(-1)) return; // of a pause
    if (frame.tick < this.rows.tick.at(-1)) this.clear();
    const { rows } = this, stats = frame.stats, phases = PHASES.map(([name]) => (stats[`${name}_ns`] ?? 0) / 1e6);
    const changed = frame.keys && this.generation !== undefined && frame.keys.generation !== this.generation;
    if (changed) this.changes.push(frame.tick);
    this.generation = frame.keys?.generation ?? this.generation;
    this.spans.add({ tick: frame.tick, ms: frame.tickMs, enters: stats.last_enters ?? 0, leaves: stats.last_leaves ?? 0, left: frame.skipped, phases, changed }, at);
    rows.tick.push(frame.tick);
    rows.enters.push(stats.last_enters ?? 0);
    rows.leaves.push(stats.last_leaves ?? 0);
    rows.left.push(frame.skipped);
    rows.ms.push(frame.tickMs);
    rows.p50.push(share(rows.ms, 0.5));
    rows.p99.push(share(rows.ms, 0.99));
    let sum = 0;
    phases.forEach((ms, i) => rows.phases[i].push((sum += ms)));
    if (rows.tick.length > SAMPLES_MAX) for (const list of Object.values(rows)) {
      if (list === rows.phases) list.forEach((phase) => phase.shift());
      else list.shift();
    }
    this.changes = this.changes.filter((tick) => tick >= rows.tick[0]);
  }

  show(by) {
    this.by = Object.hasOwn(BY, by) ? by : "tick";
    this.draw();
  }

  tickOf(place) {
    return this.by === "tick" ? this.rows.tick[place] : this.shown.periods[place]?.tick;
  }

  // A line where live keys have changed: before and after it.
  drawChanges({ ctx, bbox, valToPos }) {
    ctx.fillStyle = "#ffffff";
    for (const at of this.shown?.changes ?? []) ctx.fillRect(Math.round(valToPos(at, "x", true)), bbox.top, 2, bbox.height);
  }

  draw(at = Date.now()) {
    this.shown = this.by === "tick" ? { ...this.rows, x: this.rows.tick, changes: this.changes } : this.spans.rows(this.by, at);
    const { x, phases, p50, p99, enters, leaves, left } = this.shown;
    $("strip-note").hidden = x.length > 1;
    say($("strip-note"), `The strips begin with the second ${this.by} that is seen.`);
    this.tick.setData([x, ...phases, p50, p99]);
    this.events.setData([x, enters, leaves, left]);
  }
}

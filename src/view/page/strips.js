// The strips below the map: what ticks cost, and their events. Bounded; a click goes to that tick.
import uPlot from "uplot";
import { $ } from "./dom.js";

const SAMPLES_MAX = 600, WINDOW = 120, HEIGHT = 120;
const PHASES = [["ingest", "#0072b2"], ["exchange", "#cc79a7"], ["index", "#009e73"], ["interest", "#e69f00"], ["publish", "#56b4e9"]];

function share(values, part) {
  const sorted = values.slice(-WINDOW).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

export class Strips {
  constructor(chosen) {
    const axis = { stroke: "#9aa5b1", grid: { stroke: "#232932" }, ticks: { stroke: "#232932" }, font: "10px system-ui" };
    const size = { width: 400, height: HEIGHT };
    const common = { ...size, scales: { x: { time: false } }, axes: [{ ...axis, size: 24 }, { ...axis, size: 44 }], legend: { show: true, live: false },
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
        if (plot.cursor.idx != null) chosen(plot.data[0][plot.cursor.idx]);
      });
    new ResizeObserver(() => this.resize()).observe($("strips"));
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

  add(frame) {
    const { rows } = this, stats = frame.stats;
    if (frame.tick === rows.tick.at(-1)) return; // of a pause
    if (frame.tick < rows.tick.at(-1)) {
      this.clear();
      return this.add(frame);
    }
    if (frame.keys && this.generation !== undefined && frame.keys.generation !== this.generation) this.changes.push(frame.tick);
    this.generation = frame.keys?.generation ?? this.generation;
    rows.tick.push(frame.tick);
    rows.enters.push(stats.last_enters ?? 0);
    rows.leaves.push(stats.last_leaves ?? 0);
    rows.left.push(frame.skipped);
    rows.ms.push(frame.tickMs);
    rows.p50.push(share(rows.ms, 0.5));
    rows.p99.push(share(rows.ms, 0.99));
    let sum = 0;
    PHASES.forEach(([name], i) => rows.phases[i].push((sum += (stats[`${name}_ns`] ?? 0) / 1e6)));
    if (rows.tick.length > SAMPLES_MAX) for (const list of Object.values(rows)) {
      if (list === rows.phases) list.forEach((phase) => phase.shift());
      else list.shift();
    }
    this.changes = this.changes.filter((tick) => tick >= rows.tick[0]);
  }

  // A line where live keys have changed: before and after it.
  drawChanges({ ctx, bbox, valToPos }) {
    ctx.fillStyle = "#ffffff";
    for (const tick of this.changes) ctx.fillRect(Math.round(valToPos(tick, "x", true)), bbox.top, 2, bbox.height);
  }

  draw() {
    const { rows } = this;
    $("strip-note").hidden = rows.tick.length > 1;
    this.tick.setData([rows.tick, ...rows.phases, rows.p50, rows.p99]);
    this.events.setData([rows.tick, rows.enters, rows.leaves, rows.left]);
  }
}

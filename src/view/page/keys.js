// Live keys as sliders, and what the last change did to ticks and events. Values are handed to the thread that ticks.
import { $, fill, make, say, short } from "./dom.js";

const EFFECT_FRAMES = 40;
// name in the frame, key of the config, lowest, highest, is it a logarithm
const KEYS = [["sticky", 1, 4, 0.01], ["height", 0, 500, 1], ["span", 0, 8, 1], ["events_max", 0, 200000, 1000], ["share_min", 0, 65536, 64],
  ["activation_span", 0, 16, 1], ["activation_linger", 0, 600, 1], ["crowd_entities", 0, 2000, 10], ["crowd_floor", 0.0625, 1, 0.0125]];
const CLASS_KEYS = ["view", "margin", "reach", "cap", "adds_max", "updates_max", "stealth", "detect", "veiled"];

export class Keys {
  constructor(send) {
    this.send = send;
    this.rows = new Map();
    this.recent = [];
    $("keys").hidden = true;
  }

  open(hello) {
    $("keys").hidden = !hello.set;
    this.hello = hello;
    this.recent = []; // of this world alone
    this.change = this.tick = this.generation = undefined;
    fill($("key-rows"));
    this.rows.clear();
    for (const [name, min, max, step] of KEYS) {
      const output = make("output"), slider = make("input", { type: "range", min, max, step, "aria-label": name });
      slider.addEventListener("input", () => say(output, ` ${short(Number(slider.value))}`));
      slider.addEventListener("change", () => this.set(name, slider.value));
      $("key-rows").append(make("label", {}, name, output, slider));
      this.rows.set(name, { slider, output });
    }
    const kind = make("select", { "aria-label": "class" }, ...hello.world.classes.map((item) => make("option", {}, item.name)));
    const key = make("select", { "aria-label": "key" }, ...CLASS_KEYS.map((name) => make("option", {}, name)));
    const value = make("input", { size: 6, "aria-label": "value", placeholder: "value" });
    const form = make("form", {}, make("span", { class: "row" }, kind, key, value, make("button", {}, "Set")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.set(`${kind.value}.${key.value}`, value.value);
    });
    $("key-rows").append(form);
  }

  set(key, value) {
    this.change = { key, value, generation: this.generation, before: this.recent.slice(), after: [] };
    this.send({ type: "set", key, value: String(value) });
  }

  take(frame) {
    if (frame.keys) this.generation = frame.keys.generation;
    if (frame.keys) this.drawSliders(frame.keys);
    if (frame.tick === this.tick) return; // of a pause
    this.tick = frame.tick;
    const sample = { ms: frame.tickMs, events: (frame.stats.last_enters ?? 0) + (frame.stats.last_leaves ?? 0), entries: frame.stats.list_entries ?? 0 };
    this.recent.push(sample);
    if (this.recent.length > EFFECT_FRAMES) this.recent.shift();
    if (!this.change || this.change.after.length >= EFFECT_FRAMES) return;
    // No tick has the new value yet, or it was refused.
    if (this.generation === this.change.generation) this.change.before = this.recent.slice();
    else this.change.after.push(sample), this.drawEffect();
  }

  drawSliders(keys) {
    for (const [name, row] of this.rows) {
      if (document.activeElement === row.slider || keys[name] === undefined) continue;
      row.slider.value = keys[name];
      say(row.output, ` ${short(keys[name])}`);
    }
  }

  drawEffect() {
    const { key, value, before, after } = this.change;
    const p99 = (list) => list.map((one) => one.ms).sort((a, b) => a - b)[Math.floor(list.length * 0.99)] ?? 0;
    const mean = (list, name) => list.reduce((sum, one) => sum + one[name], 0) / Math.max(list.length, 1);
    const row = (name, of) => make("tr", {}, make("td", {}, name), make("td", { class: "number" }, short(of(before))), make("td", { class: "number" }, short(of(after))));
    fill($("key-effect"), make("p", {}, `${key} = ${value}:`), make("table", {}, make("tr", {}, ...["", "before", "after"].map((text) => make("th", {}, text))),
      row("tick p99, ms", p99), row("events a tick", (list) => mean(list, "events")), row("list entries", (list) => mean(list, "entries"))));
  }
}

// Live keys as sliders, and what the last change did to ticks and events. Values are handed to the thread that ticks.
import { $, fill, make, say, short } from "./dom.js";

const EFFECT_FRAMES = 40, STRIP_HEIGHT = 16;
// Keys of the world with a slider: name, its ends, step. Beyond its ends the form goes, which has each live key.
const KEYS = [["sticky", 1, 4, 0.01], ["height", 0, 500, 1], ["span", 0, 8, 1], ["events_max", 0, 200000, 1000], ["share_min", 0, 65536, 64],
  ["activation_span", 0, 16, 1], ["activation_linger", 0, 600, 1], ["crowd_entities", 0, 2000, 10], ["crowd_floor", 0.0625, 1, 0.0125]];
// Of a class: lengths go to LENGTHS times a tower, or the value, numbers to their most, a flag is true or false.
const CLASS_LENGTHS = ["view", "margin", "reach"], CLASS_NUMBERS = [["cap", 1000], ["adds_max", 1000], ["updates_max", 1000], ["stealth", 255], ["detect", 255], ["priority", 255]];
const CLASS_FLAGS = ["veiled", "global", "ready"], LENGTHS = 4, STEPS = 200;
const CLASS_KEYS = [...CLASS_LENGTHS, ...CLASS_NUMBERS.map(([name]) => name), ...CLASS_FLAGS, "wakes", "sleeps", "visible", "layers", "sees", "band"];
const WORLD_KEYS = [...KEYS.map(([name]) => name), "shape", "broadcast_bytes"];

export class Keys {
  // changed: keys of another class are wanted.
  constructor(send, changed) {
    this.send = send;
    this.changed = changed;
    this.rows = new Map();
    this.classRows = new Map();
    this.kind = 0;
    this.recent = [];
    $("keys").hidden = true;
  }

  open(hello) {
    $("keys").hidden = !hello.set;
    this.hello = hello;
    this.recent = []; // of this world alone
    this.change = this.tick = this.generation = this.drawnKind = this.worldKeys = this.classKeys = undefined;
    fill($("key-rows"));
    this.rows.clear();
    for (const [name, min, max, step] of KEYS) this.rows.set(name, this.addSlider($("key-rows"), name, { min, max, step }, () => name));
    this.openClasses(hello.world.classes);
  }

  // A class is chosen: its sliders and flags are by its values of now, and a form has each key exactly.
  openClasses(classes) {
    if (this.kind >= classes.length) this.kind = 0;
    const kind = make("select", { "aria-label": "class" }, ...classes.map((item) => make("option", {}, item.name)));
    const rows = make("div", { id: "class-rows" }), own = (name) => () => `${kind.value}.${name}`;
    kind.selectedIndex = this.kind;
    kind.addEventListener("change", () => {
      this.kind = kind.selectedIndex;
      this.changed();
    });
    $("key-rows").append(make("label", {}, "class ", kind), rows);
    this.classRows.clear();
    for (const name of CLASS_LENGTHS) this.classRows.set(name, this.addSlider(rows, name, { min: 0 }, own(name)));
    for (const [name, max] of CLASS_NUMBERS) this.classRows.set(name, this.addSlider(rows, name, { min: 0, max, step: 1 }, own(name)));
    for (const name of CLASS_FLAGS) {
      const box = make("input", { type: "checkbox", "aria-label": `class ${name}` });
      box.addEventListener("change", () => this.set(own(name)(), box.checked));
      rows.append(make("label", {}, box, ` ${name}`));
      this.classRows.set(name, { box, key: own(name) });
    }
    const group = (label, names) => make("optgroup", { label }, ...names.map((name) => make("option", {}, name)));
    const key = make("select", { "aria-label": "key" }, group("the class", CLASS_KEYS), group("the world", WORLD_KEYS));
    const value = make("input", { size: 6, "aria-label": "value", placeholder: "value" });
    const form = make("form", {}, make("span", { class: "row" }, key, value, make("button", {}, "Set")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.set(WORLD_KEYS.includes(key.value) ? key.value : own(key.value)(), value.value);
    });
    $("key-rows").append(form);
  }

  addSlider(to, name, range, key) {
    const output = make("output"), slider = make("input", { type: "range", ...range, "aria-label": to.id === "class-rows" ? `class ${name}` : name });
    slider.addEventListener("input", () => say(output, ` ${short(Number(slider.value))}`));
    slider.addEventListener("change", () => this.set(key(), slider.value));
    slider.addEventListener("blur", () => this.drawRows()); // what changed while it was held, which no frame may say again
    to.append(make("label", {}, name, output, slider));
    return { slider, output, key };
  }

  set(key, value) {
    this.change = { key, value, generation: this.generation, before: this.recent.slice(), after: [] };
    this.send({ type: "set", key, value: String(value) });
  }

  take(frame) {
    if (frame.keys) {
      this.generation = frame.keys.generation;
      this.worldKeys = frame.keys;
      this.drawRows();
    }
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

  // What was set last stands in its row until frames have it, or it is refused.
  isOnItsWay() {
    return this.change !== undefined && this.generation === this.change.generation;
  }

  // The value that counts stands in the row again, even if the row was left with the other one.
  refused() {
    if (!this.isOnItsWay()) return;
    const { key } = this.change;
    this.change = undefined;
    this.drawRows(key);
  }

  drawRows(refused) {
    for (const [name, row] of this.rows) this.drawRow(row, this.worldKeys?.[name], refused);
    if (this.classKeys?.kind !== this.kind) return; // another one's
    for (const [name, row] of this.classRows) this.drawRow(row, this.classKeys[name], refused);
  }

  drawRow({ slider, output, box, key }, value, refused) {
    if (value === undefined || (this.isOnItsWay() && this.change.key === key())) return;
    if (box) box.checked = value;
    else if (document.activeElement !== slider || refused === key()) {
      slider.value = value;
      say(output, ` ${short(value)}`);
    }
  }

  // The keys of a class as they count now; they come once a change.
  takeClass(keys) {
    if (keys.kind !== this.kind || this.classRows.size === 0) return;
    for (const name of CLASS_LENGTHS) {
      const { slider } = this.classRows.get(name), most = LENGTHS * Math.max(this.hello.world.towerSize, keys[name]);
      if (keys.kind !== this.drawnKind || keys[name] > Number(slider.max)) Object.assign(slider, { max: most, step: most / STEPS });
    }
    this.drawnKind = keys.kind;
    this.classKeys = keys;
    this.drawRows();
  }

  drawEffect() {
    const { key, value, before, after } = this.change;
    const strip = (name) => make("td", {}, this.drawStrip(before.map((one) => one[name]), after.map((one) => one[name])));
    const p99 = (list) => list.map((one) => one.ms).sort((a, b) => a - b)[Math.floor(list.length * 0.99)] ?? 0;
    const mean = (list, name) => list.reduce((sum, one) => sum + one[name], 0) / Math.max(list.length, 1);
    const row = (name, of, strip) => make("tr", {}, make("td", {}, name), make("td", { class: "number" }, short(of(before))), make("td", { class: "number" }, short(of(after))), strip);
    fill($("key-effect"), make("p", {}, `${key} = ${value}:`), make("table", {}, make("tr", {}, ...["", "before", "after", "tick by tick"].map((text) => make("th", {}, text))),
      row("tick p99, ms", p99, strip("ms")), row("events a tick", (list) => mean(list, "events"), strip("events")), row("list entries", (list) => mean(list, "entries"), strip("entries"))));
  }

  // Samples before and after a change, a pixel each, from 0 on; a line between them.
  drawStrip(before, after) {
    const canvas = make("canvas", { width: 2 * EFFECT_FRAMES + 1, height: STRIP_HEIGHT }), context = canvas.getContext("2d");
    const most = Math.max(...before, ...after, 1e-9);
    context.fillStyle = "#ffffff";
    context.fillRect(EFFECT_FRAMES, 0, 1, STRIP_HEIGHT);
    for (const [values, from, colour] of [[before, EFFECT_FRAMES - before.length, "#56b4e9"], [after, EFFECT_FRAMES + 1, "#e69f00"]]) {
      context.fillStyle = colour;
      values.forEach((value, i) => {
        const high = value > 0 ? Math.max(Math.round(STRIP_HEIGHT * value / most), 1) : 0;
        context.fillRect(from + i, STRIP_HEIGHT - high, 1, high);
      });
    }
    return canvas;
  }
}

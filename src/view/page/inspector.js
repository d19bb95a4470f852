// The inspector: one entity in full, the targets in its list, its observers, entities that are near and not seen, its
// events; and the answer to "why", for any two ids.
import { $, cell, choice, fill, make, say, short } from "./dom.js";
import { FLAG } from "./frame.js";
import { reasonStyle } from "./palette.js";

// Attributes that an entity has of its class, if the host gave it none.
const OF_CLASS = new Set(["view", "margin", "reach", "visible", "cap", "layers", "sees", "stealth", "detect", "priority", "global", "veiled", "ready"]);
const NO_BOUND = { visible: (value) => (value > 9e17 ? "no bound" : undefined), cap: (value) => (value === 0 ? "no cap" : undefined) };
const ASKED = "asked; the next tick answers ...";
const ROWS_MAX = 400, EVENTS_MAX = 400, NEAR = 32, ASK_AGAIN_MS = 1000;
const TABS = [["attributes", "attributes"], ["sees", "sees"], ["observers", "seen by"], ["near", "not seen"], ["events", "events"]];

export class Inspector {
  constructor(ask, askQuietly, select) {
    this.ask = ask;
    this.askQuietly = askQuietly;
    this.select = select;
    this.tab = "attributes";
    this.near = [];
    this.back = false; // a kept frame is shown: the live world is asked, and answers are of another tick
    this.reset();
    for (const [name, text] of TABS)
      $("tabs").append(make("button", { role: "tab", id: `tab-${name}`, "aria-selected": String(name === this.tab),
        onclick: () => this.show(name) }, text));
    $("why").addEventListener("submit", (event) => {
      event.preventDefault();
      this.askWhy($("why-observer").value, $("why-target").value);
    });
  }

  reset() {
    this.events = [];
    this.observers = null;
    this.nearIds = [];
    this.nearFound = new Map();
    this.near = [];
    this.askAnew();
  }

  // Another world, or time: nothing of the one before stays.
  begin() {
    this.reset();
    if (!this.why) return;
    say($("why-text"), ASKED);
    fill($("why-numbers"));
  }

  askAnew() {
    this.askedAt = 0;
    this.askedFor = "";
  }

  show(tab) {
    this.tab = tab;
    for (const [name] of TABS) $(`tab-${name}`).setAttribute("aria-selected", String(name === tab));
    this.askAnew();
    if (this.frame) this.draw();
    this.changed?.();
  }

  // ---- questions ----

  askWhy(observer, target) {
    $("why-observer").value = observer;
    $("why-target").value = target;
    if (!/^\d+$/.test(observer) || !/^\d+$/.test(target)) {
      say($("why-text"), "Two ids are needed: whole numbers from 1.");
      return;
    }
    say($("why-text"), ASKED);
    this.why = { observer, target };
    this.ask({ kind: "explain", id: observer, other: target }, (answer) => this.showWhy(answer));
  }

  showWhy(answer) {
    if (answer.id !== this.why?.observer || answer.other !== this.why?.target) return;
    if (!answer.explanation) {
      say($("why-text"), `no answer: ${answer.statusText}`);
      fill($("why-numbers"));
      return;
    }
    say($("why-text"), `${answer.text}${this.back ? ` (at tick ${this.answers.tick}, the live one)` : ""}`);
    const shown = (name, value) => (name === "reason" ? `${this.world?.reasons[value]?.short ?? ""} (${value})` : typeof value === "number" ? short(value) : value);
    fill($("why-numbers"), ...Object.entries(answer.explanation).map(([name, value]) => make("tr", {}, cell(name), cell(shown(name, value), true))));
  }

  // Questions of the shown tab, and "why", which needs no chosen one: at most once a second, and once of a tick that stays.
  askMore(tick) {
    const focus = this.frame?.focus?.found ? this.frame.focus : null, now = performance.now();
    const near = this.tab === "near" || this.wantsNear, asks = [tick, focus?.id, this.tab, near, this.why?.observer, this.why?.target].join();
    if (!(focus || this.why) || now - this.askedAt < ASK_AGAIN_MS || asks === this.askedFor) return;
    this.askedAt = now;
    this.askedFor = asks;
    if (focus && this.tab === "observers")
      this.askOnce({ kind: "observers", id: focus.id, most: ROWS_MAX }, (answer) => {
        this.observers = answer;
        this.draw();
      });
    if (this.why) this.askOnce({ kind: "explain", id: this.why.observer, other: this.why.target }, (answer) => this.showWhy(answer));
    if (focus && near) this.askNear(focus);
  }

  // One that has no room now is asked again a second later.
  askOnce(question, then) {
    const asked = this.askQuietly(question, then);
    if (!asked) this.askedFor = "";
    return asked;
  }

  askNear(focus) {
    const { x, y, instance, view } = focus.attrs;
    this.askOnce({ kind: "nearest", x, y, radius: Math.max(view * 1.5, 50), most: NEAR, instance, any: true }, (answer) => {
      const seen = new Set(focus.targets.map((target) => target.id));
      this.nearIds = answer.hits.map((hit) => hit.id).filter((id) => id !== focus.id && !seen.has(id));
      this.nearFound = new Map([...this.nearFound].filter(([id]) => this.nearIds.includes(id)));
      for (const id of this.nearIds)
        this.askOnce({ kind: "explain", id: focus.id, other: id }, (reply) => this.noteNear(reply));
      this.gatherNear();
    });
  }

  noteNear(answer) {
    const { focus, tick } = this.answers; // the answer is of this frame, and shows no other one's places
    if (!focus?.found || answer.id !== focus.id) return;
    if (!answer.explanation) this.nearIds = this.nearIds.filter((id) => id !== answer.other);
    else this.noteFound(answer, focus, tick);
    this.gatherNear();
  }

  noteFound(answer, focus, tick) {
    const { dx, dy } = answer.explanation;
    this.nearFound.set(answer.other, { id: answer.other, sees: answer.explanation.sees, text: answer.text, tick,
      x: focus.attrs.x + dx, y: focus.attrs.y + dy, square: dx * dx + dy * dy });
  }

  // A mark that no point carries along, in a sample or beyond the map's edge, would stay behind: it is asked for again.
  askPlaces(isCarried) {
    const focus = this.frame.focus;
    for (const other of this.near) {
      if (!focus?.found || other.asked || isCarried(other)) continue;
      other.asked = this.askQuietly({ kind: "explain", id: focus.id, other: other.id }, (reply) => this.noteNear(reply)); // the answer is another object
    }
  }

  gatherNear() {
    this.near = this.nearIds.map((id) => this.nearFound.get(id)).filter((other) => other && !other.sees).sort((a, b) => a.square - b.square);
    if (this.tab === "near") this.draw();
  }

  // ---- a frame ----

  take(frame, world, live) {
    const focus = frame.focus;
    if (focus?.id !== this.frame?.focus?.id) this.reset();
    this.frame = frame;
    this.world = world;
    if (live) {
      this.events.push(...frame.events);
      if (frame.flags & FLAG.UNFOLLOWED || frame.eventsLost > 0) this.events.push({ tick: frame.tick, gap: true });
      this.events.splice(0, this.events.length - EVENTS_MAX);
      this.askMore(frame.tick);
    }
    this.draw();
  }

  className(kind) {
    return this.world.classes[kind]?.name ?? `kind ${kind}`;
  }

  draw() {
    const focus = this.frame?.focus;
    $("right").classList.toggle("none", !focus || focus.id === "0");
    if (!focus || focus.id === "0") {
      say($("who"), "Nothing chosen");
      say($("who-note"), "Click an entity on the map, or type its id on the left.");
      fill($("panel"));
      return;
    }
    say($("who"), `${focus.id}${focus.found ? `, ${this.className(focus.attrs.kind)}` : ""}`);
    if (!focus.found) {
      say($("who-note"), `No entity of this id is in the world at tick ${this.frame.tick}. It may enter: the page keeps looking.`);
      fill($("panel"));
      return;
    }
    say($("who-note"), `in shard ${focus.shard}, tower ${focus.tx}, ${focus.ty}; sees ${short(focus.listCount)}` +
      `${focus.attrs.cap ? ` of at most ${short(focus.attrs.cap)}` : ""}${focus.cut ? " (list too long to show whole)" : ""}` +
      `${(this.instance ?? focus.attrs.instance) !== focus.attrs.instance ? `; in instance ${focus.attrs.instance}, and the map shows ${this.instance}` : ""}`);
    const scroll = $("panel").scrollTop, active = document.activeElement?.dataset?.row;
    const isAsked = this.tab === "observers" || this.tab === "near";
    fill($("panel"), this.back && isAsked ? make("p", {}, "Answers are of the live tick: l goes there.") : this[`${this.tab}Table`](focus));
    $("panel").scrollTop = scroll;
    if (active) $("panel").querySelector(`[data-row="${CSS.escape(active)}"]`)?.focus();
  }

  row(id, cells, title, chosen) {
    const row = choice(cells, chosen ?? (() => this.askWhy(this.frame.focus.id, id)), title);
    row.dataset.row = id;
    row.addEventListener("dblclick", () => this.select(id));
    row.addEventListener("keydown", (event) => {
      if (event.key === "f") this.select(id);
    });
    return row;
  }

  attributesTable(focus) {
    const attrs = focus.attrs, rows = [];
    const given = (name) => (!OF_CLASS.has(name) ? "" : attrs.given.has(name) ? "its own" : "of its class");
    for (const [name, value] of Object.entries(attrs)) {
      if (name === "given") continue;
      const shown = NO_BOUND[name]?.(value) ?? (typeof value === "number" ? short(value) : value);
      rows.push(make("tr", {}, cell(name), cell(shown, true), cell(given(name))));
    }
    if (focus.step > 0) rows.unshift(make("tr", {}, cell("view given"), cell(short(focus.viewGiven), true), cell(`shrunk by ${focus.step} of 16`)));
    if (focus.parent !== "0") rows.unshift(this.row(focus.parent, [cell("parent"), cell(focus.parent, true), cell("")], "Enter: look at it", () => this.select(focus.parent)));
    if (focus.awake) rows.unshift(make("tr", {}, cell("awake"), cell("yes", true), cell("")));
    return make("table", {}, ...rows);
  }

  seesTable(focus) {
    const rows = focus.targets.slice(0, ROWS_MAX).map((target) => {
      const far = Math.hypot(target.x - focus.attrs.x, target.y - focus.attrs.y), style = reasonStyle(target.reason);
      const mark = make("td", {}, make("span", {}, "▬ "), this.world.reasons[target.reason]?.short ?? `reason ${target.reason}`);
      mark.firstChild.style.color = style.colour;
      return this.row(target.id, [cell(target.id), mark, cell(short(far), true),
        cell(target.band === 255 ? "" : `band ${target.band}, in ${target.due}`)], "Click: why. Double click, or f: look at it");
    });
    const more = focus.listCount - rows.length;
    return make("table", {}, make("tr", {}, ...["target", "reason", "distance", "update"].map((text) => make("th", {}, text))), ...rows,
      more > 0 ? make("tr", {}, cell(`and ${short(more)} more`)) : null);
  }

  observersTable(focus) {
    const answer = this.observers?.id === focus.id ? this.observers : null;
    if (!answer) return make("p", {}, ASKED);
    const rows = answer.hits.map((hit) => this.row(hit.id, [cell(hit.id), cell(this.className(hit.kind))], "Click: why does it see this one",
      () => this.askWhy(hit.id, focus.id)));
    return make("table", {}, make("tr", {}, make("th", {}, `${short(answer.total)} observers`), make("th", {}, "class")), ...rows,
      answer.total > rows.length ? make("tr", {}, cell(`and ${short(answer.total - rows.length)} more`)) : null);
  }

  nearTable() {
    const rows = this.near.map((other) => this.row(other.id, [cell(other.id), cell(short(Math.sqrt(other.square)), true),
      cell(other.text.replace(/^not seen: /, ""))], other.text));
    return make("table", {}, make("tr", {}, ...["near", "distance", "not seen, as"].map((text) => make("th", {}, text))), ...rows,
      rows.length === 0 ? make("tr", {}, cell("Of the nearest, all are seen; or the answer is on its way.")) : null);
  }

  eventsTable(focus) {
    const rows = this.events.filter((event) => event.tick <= this.frame.tick).reverse().map((event) => event.gap ? make("tr", {}, cell(event.tick, true), cell("?"), cell(""), cell("events before are left out: the page slept, or there were too many"))
      : this.row(event.target, [cell(event.tick, true), cell(event.enter ? "+" : "-"), cell(event.target), cell(this.world.causes[event.cause] ?? "")], "Click: why"));
    return make("table", {}, make("tr", {}, ...["tick", "", "target", "cause"].map((text) => make("th", {}, text))), ...rows,
      rows.length === 0 ? make("tr", {}, cell(`No target has entered or left the list of ${focus.id} since it was chosen.`)) : null);
  }
}

// The map: where it looks, and its three layers: shapes below the points, the points, and the focus above them. y grows
// upwards, as in the world.
import { $, say, short } from "./dom.js";
import { numberColour, Numbers } from "./numbers.js";
import { COLOURS, crowdColour, css, heat, reasonStyle } from "./palette.js";
import { Points } from "./points.js";

export const LAYERS = [
  ["points", "points", true], ["density", "density (heat)", false], ["cost", "cost (heat)", false],
  ["towers", "towers", false], ["shards", "shard borders", true], ["halo", "halos of shards", false], ["areas", "areas", true],
  ["rings", "rings", true], ["lines", "lines to targets", true], ["near", "near, but not seen", true],
];
const HOVER = 9, HOVER_SHIFT = 12, JUMP = 12, STILL = 0.5; // pixels; JUMP: a mark's point does not go so far from frame to frame
const POINT_OBSERVER = 1, POINT_AWAKE = 2, POINT_CAPPED = 32, STEPS = 31, STEP_STEALTHY = 32, STEP_REMOTE = 128;
const COVERED_MOST = 0.25, POINT_LEAST = 1.25; // of the map by points: heat below them is seen; pixels
const MARGIN = 0.1; // of the view on each side: points are there when the map is dragged a little

export class WorldMap {
  constructor() {
    this.host = $("map");
    this.base = $("base").getContext("2d");
    this.over = $("over").getContext("2d");
    this.points = new Points($("points"), () => {
      this.dirty = true;
      this.graphics();
    });
    this.numbers = new Numbers();
    this.layers = Object.fromEntries(LAYERS.map(([name, , shown]) => [name, shown]));
    this.colour = "class";
    this.view = { x: 0, y: 0, scale: 1, width: 1, height: 1, ratio: 1, pointSize: 4 };
    this.changed = this.moved = this.graphics = () => {};
    this.dirty = true;
    this.rests = this.follows = false;
    this.share = 1;
    this.farthest = 0; // that a mark of the focus glides with this frame
    this.before = new Map();
    this.near = [];
    this.pictures = 0; // that were drawn
    this.heatCanvas = document.createElement("canvas");
    this.heatCanvas.width = this.heatCanvas.height = 64;
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.host);
    this.resize();
  }

  // The pointer's place is of the layout of now, which the picture may not have yet.
  measure() {
    const box = this.host.getBoundingClientRect();
    if (Math.max(box.width, 1) !== this.view.width || Math.max(box.height, 1) !== this.view.height) this.resize();
  }

  resize() {
    const { view } = this, box = this.host.getBoundingClientRect();
    view.ratio = window.devicePixelRatio || 1;
    view.width = Math.max(box.width, 1);
    view.height = Math.max(box.height, 1);
    for (const name of ["base", "points", "over"]) {
      $(name).width = Math.round(view.width * view.ratio);
      $(name).height = Math.round(view.height * view.ratio);
    }
    this.look({});
  }

  // ---- where it looks ----

  open(world) {
    this.world = world;
    this.fit();
  }

  // Another world, or time, begins: its first frame is drawn in place of the last one, and not from it on.
  begin() {
    this.countedTick = this.migrations = undefined;
    this.near = [];
    this.dirty = true;
  }

  fit() {
    const { world, view } = this;
    this.look({ x: world.x + world.width / 2, y: world.y + world.height / 2,
      scale: Math.min(view.width / world.width, view.height / world.height) * 0.96 });
  }

  look(change) {
    Object.assign(this.view, change);
    if (this.world) {
      const smallest = Math.min(this.view.width / this.world.width, this.view.height / this.world.height) / 8;
      this.view.scale = Math.min(Math.max(this.view.scale, smallest), smallest * 1e6);
    }
    this.dirty = true;
    if (this.world) this.moved();
  }

  zoom(factor, px = this.view.width / 2, py = this.view.height / 2) {
    const [x, y] = this.toWorld(px, py);
    const before = this.view.scale;
    this.look({ scale: before * factor });
    const grown = this.view.scale / before;
    this.look({ x: x - (x - this.view.x) / grown, y: y - (y - this.view.y) / grown });
  }

  pan(dx, dy) {
    this.look({ x: this.view.x + dx / this.view.scale, y: this.view.y + dy / this.view.scale });
  }

  toWorld(px, py) {
    const { view } = this;
    return [view.x + (px - view.width / 2) / view.scale, view.y - (py - view.height / 2) / view.scale];
  }

  toScreen(x, y) {
    const { view } = this;
    return [(x - view.x) * view.scale + view.width / 2, (view.y - y) * view.scale + view.height / 2];
  }

  // The rectangle to watch: the one before, as long as it has all that is shown. A new one costs a frame of all points.
  watched() {
    const [x0, y1] = this.toWorld(0, 0), [x1, y0] = this.toWorld(this.view.width, this.view.height), { last } = this;
    const has = last && last.scale === this.view.scale && x0 >= last.x0 && y0 >= last.y0 && x1 <= last.x1 && y1 <= last.y1;
    if (!has) this.last = { ...this.rect(), scale: this.view.scale };
    const { scale, ...rect } = this.last;
    return rect;
  }

  rect() {
    const [x0, y1] = this.toWorld(-MARGIN * this.view.width, -MARGIN * this.view.height);
    const [x1, y0] = this.toWorld((1 + MARGIN) * this.view.width, (1 + MARGIN) * this.view.height);
    return { x0, y0, x1, y1 };
  }

  // ---- pointer ----

  listen() {
    const canvas = $("over");
    let from = null;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      this.measure();
      from = { x: event.offsetX, y: event.offsetY, far: 0 };
      canvas.setPointerCapture(event.pointerId);
      this.host.focus();
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!from) return this.hover(event.offsetX, event.offsetY);
      const dx = event.offsetX - from.x, dy = event.offsetY - from.y;
      from.far += Math.abs(dx) + Math.abs(dy);
      from.x = event.offsetX;
      from.y = event.offsetY;
      if (from.far > 4) {
        this.dragged();
        this.pan(-dx, dy);
      }
    });
    canvas.addEventListener("pointerleave", () => this.hover(-1e9, 0));
    canvas.addEventListener("pointerup", (event) => {
      if (from && from.far <= 4) this.clicked(...this.toWorld(event.offsetX, event.offsetY), 14 / this.view.scale);
      from = null;
    });
  }

  // Says of a mark of the focus why it is seen, or not.
  hover(px, py) {
    const focus = this.frame?.focus, at = (other) => { const [x, y] = this.toScreen(...this.placeOf(other)); return Math.hypot(x - px, y - py) <= HOVER; };
    const near = focus?.found && this.layers.near && this.near.find(at), target = focus?.found && this.layers.lines && focus.targets.find(at);
    const text = near ? `${near.id}: ${near.text}` : target ? `${target.id}: seen, ${this.world.reasons[target.reason]?.short ?? target.reason}; rank ${target.rank}` : "";
    $("hover").hidden = text === "";
    say($("hover"), text);
    if (text === "") return;
    const { offsetWidth, offsetHeight } = $("hover");
    $("hover").style.left = `${Math.max(Math.min(px + HOVER_SHIFT, this.view.width - offsetWidth), 0)}px`;
    $("hover").style.top = `${py + HOVER_SHIFT + offsetHeight > this.view.height ? Math.max(py - HOVER_SHIFT - offsetHeight, 0) : py + HOVER_SHIFT}px`;
  }

  // ---- a frame ----

  take(frame, restart) {
    this.keepPlaces(restart ? null : this.frame?.focus, frame.focus);
    this.frame = frame;
    this.borders(frame);
    this.countMigrations(frame);
    this.points.take(frame, this.tint(frame), restart);
    this.placeMarks();
  }

  // Other marks of entities that are near: of a frame, or of answers that came behind it.
  mark(near) {
    this.near = near;
    this.placeMarks();
  }

  placeMarks() {
    const { frame } = this;
    const close = (2 * (frame.rect.x1 - frame.rect.x0)) / 65536; // as coordinates of points are rounded
    for (const other of this.near) {
      if (other.slot !== undefined) this.carry(other);
      if (other.tick === frame.tick && other.slot === undefined) this.bind(other, this.points.slotAt(other.x, other.y, close));
    }
    this.dirty = true;
  }

  bind(other, slot) {
    other.slot = slot;
    if (slot === undefined) return;
    other.kind = this.points.kindOf(slot);
    other.at = this.points.placeOf(slot, 1);
  }

  // A mark goes with the point of its slot, while that is the same entity: free slots are given again. A point that is gone,
  // has jumped, or is of another kind leaves the mark where it was, and the page asks where its entity is.
  carry(other) {
    const at = this.points.placeOf(other.slot, 1), far = at && Math.max(Math.abs(at[0] - other.at[0]), Math.abs(at[1] - other.at[1])) * this.view.scale;
    if (at && far <= JUMP && this.points.kindOf(other.slot) === other.kind) {
      other.at = at;
      return;
    }
    [other.x, other.y] = other.at;
    other.slot = undefined;
  }

  // Is a mark where its entity is: as its point is, or as the frame's own answer says?
  isCarried(other) {
    return other.slot !== undefined || other.tick === this.frame.tick;
  }

  // Where the focus and its targets were: they glide as points do.
  keepPlaces(old, focus) {
    this.before.clear();
    this.farthest = 0;
    if (!old?.found || old.id !== focus?.id) return;
    this.before.set(old.id, old.attrs);
    for (const target of old.targets) this.before.set(target.id, target);
    for (const { id, x, y } of [{ id: focus.id, ...focus.attrs }, ...focus.targets]) {
      const from = this.before.get(id);
      if (from) this.farthest = Math.max(this.farthest, Math.abs(x - from.x), Math.abs(y - from.y));
    }
  }

  // Where a mark of the focus is drawn.
  placeOf({ id, slot, x, y }) {
    const before = this.before.get(id);
    if (before) return [before.x + (x - before.x) * this.share, before.y + (y - before.y) * this.share];
    return this.points.placeOf(slot, this.share) ?? [x, y];
  }

  // Borders of shards along each axis, in world coordinates, for the colour of a place.
  borders(frame) {
    const { world } = this, size = world.towerSize;
    this.columns = [...new Set(frame.shards.map((shard) => shard.x0))].sort((a, b) => a - b).map((at) => world.x + at * size);
    this.rows = [...new Set(frame.shards.map((shard) => shard.y0))].sort((a, b) => a - b).map((at) => world.y + at * size);
  }

  tint(frame) {
    const { kinds, bits, steps } = frame.points;
    const place = (list, at) => {
      let low = 0;
      for (let high = list.length; high - low > 1;) {
        const middle = (low + high) >> 1;
        if (list[middle] <= at) low = middle;
        else high = middle;
      }
      return low;
    };
    const step = Math.max(this.columns.length, 1);
    switch (this.colour) {
      case "shard": return (i, x, y) => (place(this.columns, x) + place(this.rows, y) * (step % 2 === 0 ? step + 1 : step)) % COLOURS.length;
      case "awake": return (i) => (bits[i] & POINT_OBSERVER ? 1 : bits[i] & POINT_AWAKE ? 2 : 7);
      case "crowd": return (i) => crowdColour(steps[i] & STEPS);
      case "number": {
        this.numbers.take(frame, this.world);
        return (i) => (bits[i] & POINT_OBSERVER ? numberColour(this.numbers.at(i)) : 7);
      }
      case "cap": return (i) => (bits[i] & POINT_CAPPED ? 5 : bits[i] & POINT_OBSERVER ? 2 : 7);
      case "levels": return (i) => (steps[i] & STEP_STEALTHY ? 5 : 7);
      case "remote": return (i) => (steps[i] & STEP_REMOTE ? 5 : 7);
      default: return (i) => kinds[i] % COLOURS.length;
    }
  }

  // ---- drawing ----

  // Does nothing glide as far as is seen?
  isStill() {
    return Math.max(this.points.farthest, this.farthest) * this.view.scale < STILL;
  }

  // Points glide until their share is 1; all else changes when it is marked. A map that rests costs nothing, and one where
  // nothing glides as far as is seen is drawn once.
  draw(share) {
    if (!this.dirty && this.rests) return;
    if (this.isStill()) share = 1;
    this.pictures++;
    const focus = this.frame?.focus, marks = focus?.found && !this.rests;
    this.rests = share >= 1;
    this.share = share;
    if (focus?.found && this.follows) {
      [this.view.x, this.view.y] = this.placeOf({ id: focus.id, ...focus.attrs });
      this.dirty = true;
    }
    const size = this.view.scale > 2 ? 7 : this.view.scale > 0.7 ? 5 : 3;
    this.view.pointSize = Math.max(Math.min(size, Math.sqrt(COVERED_MOST * this.view.width * this.view.height / Math.max(this.points.count, 1))), POINT_LEAST);
    this.points.draw(this.view, share, this.layers.points);
    if (!this.dirty && !marks) return;
    for (const context of this.dirty ? [this.base, this.over] : [this.over]) {
      context.setTransform(this.view.ratio, 0, 0, this.view.ratio, 0, 0);
      context.clearRect(0, 0, this.view.width, this.view.height);
    }
    if (!this.world) return;
    if (this.dirty) this.drawBase();
    this.dirty = false;
    if (this.frame && this.layers.shards) this.nameShards(this.frame);
    if (this.frame) this.drawFocus();
    this.drawScale();
  }

  box(context, x0, y0, x1, y1) {
    const [left, top] = this.toScreen(x0, y1), [right, bottom] = this.toScreen(x1, y0);
    context.strokeRect(left, top, right - left, bottom - top);
  }

  drawBase() {
    const { base, world, frame, layers } = this;
    if (frame && (layers.density || layers.cost)) this.drawHeat(frame, layers.density ? frame.grid.counts : frame.grid.costs);
    base.strokeStyle = "#5a6675";
    base.lineWidth = 1;
    this.box(base, world.x, world.y, world.x + world.width, world.y + world.height);
    if (layers.towers && world.towerSize * this.view.scale > 4) this.drawTowers();
    if (frame && layers.halo) this.drawHalos(frame);
    if (frame && layers.shards) this.drawShards(frame);
    if (frame && layers.areas) for (const area of frame.areas) this.drawArea(area);
  }

  drawHeat(frame, values) {
    const cells = frame.grid.cells;
    if (!cells) return;
    const context = this.heatCanvas.getContext("2d"), image = context.createImageData(cells, cells);
    const most = Math.log1p(values.reduce((a, b) => Math.max(a, b), 1));
    for (let i = 0; i < cells * cells; i++) {
      const row = cells - 1 - Math.floor(i / cells), at = (row * cells + (i % cells)) * 4;
      const [r, g, b] = heat(Math.log1p(values[i]) / most);
      image.data.set([r, g, b, values[i] ? 215 : 0], at);
    }
    context.putImageData(image, 0, 0);
    const { rect } = frame, [left, top] = this.toScreen(rect.x0, rect.y1), [right, bottom] = this.toScreen(rect.x1, rect.y0);
    this.base.imageSmoothingEnabled = false;
    this.base.drawImage(this.heatCanvas, left, top, right - left, bottom - top);
  }

  drawTowers() {
    const { base, world, view } = this, rect = this.rect();
    base.strokeStyle = "#232a33";
    base.beginPath();
    const first = (low, origin) => origin + Math.max(Math.ceil((low - origin) / world.towerSize), 0) * world.towerSize;
    for (let x = first(rect.x0, world.x); x < Math.min(rect.x1, world.x + world.width); x += world.towerSize) {
      const [px] = this.toScreen(x, 0);
      base.moveTo(px, 0);
      base.lineTo(px, view.height);
    }
    for (let y = first(rect.y0, world.y); y < Math.min(rect.y1, world.y + world.height); y += world.towerSize) {
      const [, py] = this.toScreen(0, y);
      base.moveTo(0, py);
      base.lineTo(view.width, py);
    }
    base.stroke();
  }

  // A shard has copies of entities so far outside of its border.
  drawHalos(frame) {
    const { base, world } = this, size = world.towerSize;
    base.setLineDash([4, 4]);
    frame.shards.forEach((shard, i) => {
      if (shard.haloTowers === 0) return;
      base.strokeStyle = css(i);
      this.box(base, Math.max(world.x + (shard.x0 - shard.haloTowers) * size, world.x), Math.max(world.y + (shard.y0 - shard.haloTowers) * size, world.y),
        Math.min(world.x + (shard.x1 + 1 + shard.haloTowers) * size, world.x + world.width), Math.min(world.y + (shard.y1 + 1 + shard.haloTowers) * size, world.y + world.height));
    });
    base.setLineDash([]);
  }

  // Entities that went to another shard since the frame before.
  countMigrations(frame) {
    if (frame.tick === this.countedTick) return; // of a pause
    this.countedTick = frame.tick;
    const before = this.migrations ?? [];
    this.migrations = frame.shards.map((shard) => shard.migrations);
    this.went = this.migrations.map((sum, i) => (frame.shards.length === before.length ? Math.max(sum - before[i], 0) : 0));
  }

  drawShards(frame) {
    const { base } = this;
    base.strokeStyle = "#8a97a8";
    for (const shard of frame.shards) this.box(base, ...this.shardBox(shard));
  }

  shardBox(shard) {
    const { world } = this;
    return [world.x + shard.x0 * world.towerSize, world.y + shard.y0 * world.towerSize,
      Math.min(world.x + (shard.x1 + 1) * world.towerSize, world.x + world.width), Math.min(world.y + (shard.y1 + 1) * world.towerSize, world.y + world.height)];
  }

  // Above the points, each on a dark ground; the longest text that the shard has room for.
  nameShards(frame) {
    const { over, view } = this, HIGH = 14, PAD = 3;
    over.font = "11px system-ui";
    frame.shards.forEach((shard, i) => {
      const [x0, y0, x1, y1] = this.shardBox(shard), [left, top] = this.toScreen(x0, y1), room = (x1 - x0) * view.scale - 2 * PAD;
      if (this.toScreen(x0, y0)[1] < HIGH || top > view.height) return;
      const px = Math.max(left, 0), py = Math.max(top, 0);
      const head = `${i}: ${short(shard.entities)}`, ghosts = shard.ghosts > 0 ? [`${head}, +${short(shard.ghosts)} ghosts`, `${head}, +${short(shard.ghosts)}`] : [], went = this.went[i] > 0 ? [`${short(this.went[i])} went over its border`, `${short(this.went[i])} went`] : [];
      [[...ghosts, head], went].forEach((texts, line) => {
        const text = texts.find((one) => over.measureText(one).width <= room - (px - left));
        if (!text) return;
        over.fillStyle = "rgba(12,15,19,.78)";
        over.fillRect(px + 1, py + 1 + line * HIGH, over.measureText(text).width + 2 * PAD, HIGH);
        over.fillStyle = "#c3ccd8";
        over.fillText(text, px + 1 + PAD, py + HIGH - PAD + line * HIGH);
      });
    });
  }

  drawArea(area) {
    const { base } = this;
    base.strokeStyle = area.follow ? "#cc79a7" : "#009e73";
    base.fillStyle = area.follow ? "rgba(204,121,167,.12)" : "rgba(0,158,115,.12)";
    base.setLineDash(area.follow ? [5, 3] : []);
    base.beginPath();
    if (area.shape === 0) {
      const [px, py] = this.toScreen(area.x, area.y);
      base.arc(px, py, area.radius * this.view.scale, 0, 7);
    } else {
      const corners = area.shape === 1 ? [[area.x, area.y], [area.toX, area.y], [area.toX, area.toY], [area.x, area.toY]] : area.corners;
      corners.forEach(([x, y]) => base.lineTo(...this.toScreen(x, y)));
      base.closePath();
    }
    base.fill();
    base.stroke();
    base.setLineDash([]);
  }

  ring(x, y, radius, colour, dash = []) {
    const { over, view } = this;
    if (!(radius > 0) || !Number.isFinite(radius)) return;
    const [px, py] = this.toScreen(x, y);
    over.strokeStyle = colour;
    over.setLineDash(dash);
    over.beginPath();
    if (this.world.shape === "square") over.rect(px - radius * view.scale, py - radius * view.scale, 2 * radius * view.scale, 2 * radius * view.scale);
    else over.arc(px, py, radius * view.scale, 0, 7);
    over.stroke();
    over.setLineDash([]);
  }

  drawFocus() {
    const { frame, over } = this, focus = frame.focus;
    if (!focus || !focus.found) return;
    const [x, y] = this.placeOf({ id: focus.id, ...focus.attrs });
    over.lineWidth = 1.5;
    if (this.layers.lines) for (const target of focus.targets) this.line(x, y, ...this.placeOf(target), reasonStyle(target.reason));
    if (this.layers.near) this.drawNear();
    if (this.layers.rings) this.drawRings(focus, x, y);
    const [px, py] = this.toScreen(x, y);
    over.strokeStyle = "#ffffff";
    over.lineWidth = 2;
    over.beginPath();
    over.arc(px, py, 8, 0, 7);
    over.stroke();
    over.fillStyle = "#ffffff";
    over.font = "bold 12px system-ui";
    over.fillText(focus.id, px + 11, py - 7);
  }

  drawRings(focus, x, y) {
    const { view, margin, reach, visible } = focus.attrs;
    this.ring(x, y, view, "#f0e442");
    this.ring(x, y, view + margin, "#f0e442", [4, 4]);
    if (focus.step > 0) this.ring(x, y, focus.viewGiven, "#d55e00", [2, 4]);
    this.ring(x, y, reach, "#009e73", [8, 3]);
    if (visible < 1e17) this.ring(x, y, visible, "#cc79a7", [8, 3, 2, 3]);
    const bands = this.world.classes[focus.attrs.kind]?.bands ?? [];
    for (const band of bands) this.ring(x, y, band.radius, "#56b4e9", [1, 5]);
  }

  line(x, y, toX, toY, style) {
    const { over } = this;
    over.strokeStyle = style.colour;
    over.globalAlpha = 0.75;
    over.setLineDash(style.dash);
    over.beginPath();
    over.moveTo(...this.toScreen(x, y));
    over.lineTo(...this.toScreen(toX, toY));
    over.stroke();
    over.setLineDash([]);
    over.globalAlpha = 1;
    const [px, py] = this.toScreen(toX, toY);
    over.strokeRect(px - 4, py - 4, 8, 8);
  }

  drawNear() {
    const { over } = this;
    over.strokeStyle = "#b9c2cd";
    for (const other of this.near) {
      const [px, py] = this.toScreen(...this.placeOf(other));
      over.beginPath();
      over.moveTo(px - 5, py - 5);
      over.lineTo(px + 5, py + 5);
      over.moveTo(px - 5, py + 5);
      over.lineTo(px + 5, py - 5);
      over.stroke();
    }
  }

  drawScale() {
    const wanted = 90 / this.view.scale, power = 10 ** Math.floor(Math.log10(wanted));
    const length = [5, 2, 1].map((factor) => factor * power).find((value) => value <= wanted) ?? power;
    $("scale").style.width = `${length * this.view.scale}px`;
    say($("scale"), short(length));
  }
}

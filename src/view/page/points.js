// Points by WebGL2: one draw call for all of them. Places glide from the last frame to this one in the vertex shader,
// so ten frames a second look like sixty. Nothing is made for each point but its bytes in the columns below.
import { COLOURS } from "./palette.js";

const STEP_KEPT = 64; // a point of an earlier frame

const VERTEX = `#version 300 es
precision highp float;
layout(location=0) in vec2 before;
layout(location=1) in vec2 now;
layout(location=2) in uint tint;
layout(location=3) in uint bits;
uniform vec2 middle, scale;
uniform float share, size;
flat out uint shape;
flat out uint colour;
void main() {
  vec2 at = (mix(before, now, share) - middle) * scale;
  gl_Position = vec4(at, 0.0, 1.0);
  bool observer = (bits & 1u) != 0u;
  gl_PointSize = observer ? size * 1.6 : size;
  shape = bits;
  colour = tint;
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
flat in uint shape;
flat in uint colour;
uniform vec3 colours[${COLOURS.length}];
out vec4 pixel;
void main() {
  vec2 at = gl_PointCoord * 2.0 - 1.0;
  float far = length(at);
  bool observer = (shape & 1u) != 0u, unready = (shape & 4u) != 0u, attached = (shape & 16u) != 0u, veiled = (shape & 64u) != 0u;
  if (observer && far > 1.0) discard;                      // observers are discs, others squares
  if (attached && abs(at.x) + abs(at.y) > 1.0) discard;    // attached ones diamonds
  if (veiled && max(abs(at.x), abs(at.y)) < 0.45) discard; // veiled ones have a hole
  if (unready && abs(abs(at.x) - abs(at.y)) > 0.4) discard; // not ready: a cross
  pixel = vec4(colours[colour % uint(${COLOURS.length})], 0.95);
}`;

// The rectangle's lower corner is the origin of all places in buffers: float32 stays exact far away from (0, 0).
export class Points {
  // changed: the browser has taken the graphics, as it does when a card is reset or too many pages draw, or given them back.
  constructor(canvas, changed) {
    this.lost = false;
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault(); // it is wanted back
      this.lost = true;
      changed();
    });
    canvas.addEventListener("webglcontextrestored", () => {
      this.lost = false;
      this.build();
      if (this.points) this.upload();
      changed();
    });
    this.gl = canvas.getContext("webgl2", { antialias: false, alpha: true, preserveDrawingBuffer: true });
    this.capacity = this.count = 0;
    this.epoch = -1;
    this.slots = { places: new Float32Array(0), seen: new Uint32Array(0), points: new Uint32Array(0), ages: new Uint8Array(0) };
    this.turn = this.farthest = 0; // farthest: that a point glides with this frame, along an axis
    if (this.gl) this.build();
  }

  build() {
    const gl = this.gl;
    this.program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    this.uniforms = {};
    for (const name of ["middle", "scale", "share", "size", "colours"])
      this.uniforms[name] = gl.getUniformLocation(this.program, name);
    this.buffers = [0, 1, 2, 3].map((place) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(place);
      if (place < 2) gl.vertexAttribPointer(place, 2, gl.FLOAT, false, 0, 0);
      else gl.vertexAttribIPointer(place, 1, gl.UNSIGNED_BYTE, 0, 0);
      return buffer;
    });
  }

  grow(count) {
    if (this.now && count <= this.capacity) return;
    this.capacity = Math.max(1024, count + (count >> 2));
    this.now = new Float32Array(this.capacity * 2);
    this.before = new Float32Array(this.capacity * 2);
    this.tints = new Uint8Array(this.capacity);
  }

  growSlots(points, restart) {
    const old = this.slots;
    if (old.seen.length < points.slotCount || restart) {
      const size = Math.max(points.slotCount, old.seen.length);
      const keep = !restart && this.epoch === points.slotEpoch;
      this.slots = { places: new Float32Array(size * 2), seen: new Uint32Array(size), points: new Uint32Array(size), ages: new Uint8Array(size) };
      if (keep) {
        this.slots.places.set(old.places);
        this.slots.seen.set(old.seen);
        this.slots.ages.set(old.ages);
      }
    } else if (this.epoch !== points.slotEpoch) {
      this.slots.seen.fill(0);
    }
    this.epoch = points.slotEpoch;
  }

  // Takes a frame's points; tintOf(i, x, y) gives each its colour. Places are relative to the origin. A point that each
  // frame renews glides to its place until the next frame; one of `spread` parts, until its part is renewed again.
  take(frame, tintOf, restart) {
    const { points, rect } = frame;
    this.origin = this.origin && !restart ? this.origin : [rect.x0, rect.y0];
    this.grow(points.count);
    this.growSlots(points, restart);
    this.count = points.count;
    this.bits = points.bits;
    this.points = points;
    this.turn++;
    const { places, seen, ages, points: placeOfSlot } = this.slots, { now, before, tints, turn } = this, spread = Math.max(rect.spread, 1);
    const { slots, x: columns, y: rows, steps } = points, [originX, originY] = this.origin;
    const width = (rect.x1 - rect.x0) / 65536, height = (rect.y1 - rect.y0) / 65536;
    const left = rect.x0 - this.origin[0], low = rect.y0 - this.origin[1];
    const far = (rect.x1 - rect.x0) * 0.2;
    let farthest = 0;
    for (let i = 0; i < points.count; i++) {
      const x = left + (columns[i] + 0.5) * width, y = low + (rows[i] + 0.5) * height, slot = slots[i];
      let fromX = places[2 * slot], fromY = places[2 * slot + 1];
      if (seen[slot] !== turn - 1 || Math.abs(fromX - x) >= far || Math.abs(fromY - y) >= far) [fromX, fromY] = [x, y]; // it came, or jumped
      ages[slot] = steps[i] & STEP_KEPT ? Math.min(ages[slot] + 1, spread - 1) : 0;
      const turns = spread - ages[slot]; // until it is renewed
      const stepX = (x - fromX) / turns, stepY = (y - fromY) / turns;
      farthest = Math.max(farthest, Math.abs(stepX), Math.abs(stepY));
      before[2 * i] = fromX;
      before[2 * i + 1] = fromY;
      places[2 * slot] = now[2 * i] = fromX + stepX;
      places[2 * slot + 1] = now[2 * i + 1] = fromY + stepY;
      seen[slot] = turn;
      placeOfSlot[slot] = i;
      tints[i] = tintOf(i, x + originX, y + originY);
    }
    this.farthest = farthest;
    this.upload();
  }

  // The slot of the point next to a place; undefined: none is within `most`.
  slotAt(x, y, most) {
    let best, least = most;
    for (let i = 0; i < this.count; i++) {
      const far = Math.max(Math.abs(this.now[i * 2] + this.origin[0] - x), Math.abs(this.now[i * 2 + 1] + this.origin[1] - y));
      if (far <= least) [best, least] = [i, far];
    }
    return best === undefined ? undefined : this.points.slots[best];
  }

  // Where the point of a slot is drawn; undefined: no point has it.
  placeOf(slot, share) {
    if (slot === undefined || this.slots.seen[slot] !== this.turn) return undefined;
    const i = 2 * this.slots.points[slot], { now, before } = this;
    return [0, 1].map((axis) => before[i + axis] + (now[i + axis] - before[i + axis]) * share + this.origin[axis]);
  }

  kindOf(slot) {
    return this.points.kinds[this.slots.points[slot]];
  }

  upload() {
    const gl = this.gl;
    if (!gl || this.lost) return;
    const columns = [this.before.subarray(0, this.count * 2), this.now.subarray(0, this.count * 2),
      this.tints.subarray(0, this.count), this.bits];
    columns.forEach((column, place) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[place]);
      gl.bufferData(gl.ARRAY_BUFFER, column, gl.STREAM_DRAW);
    });
  }

  draw(view, share, shown) {
    const gl = this.gl;
    if (!gl || this.lost) return;
    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (!shown || this.count === 0) return;
    gl.useProgram(this.program);
    gl.uniform2f(this.uniforms.middle, view.x - this.origin[0], view.y - this.origin[1]);
    gl.uniform2f(this.uniforms.scale, 2 * view.scale / view.width, 2 * view.scale / view.height);
    gl.uniform1f(this.uniforms.share, share);
    gl.uniform1f(this.uniforms.size, view.pointSize * view.ratio);
    gl.uniform3fv(this.uniforms.colours, COLOURS.flat().map((value) => value / 255));
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.drawArrays(gl.POINTS, 0, this.count);
  }

  // Pixels that are not empty: for tests.
  lit() {
    const gl = this.gl, width = gl.drawingBufferWidth, height = gl.drawingBufferHeight;
    const pixels = new Uint8Array(width * height * 4);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    let count = 0;
    for (let i = 3; i < pixels.length; i += 4) count += pixels[i] > 0;
    return count;
  }
}

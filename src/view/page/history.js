// The last frames, as the bytes that came, one of each tick: bounded by their sum, so a tab left open for a night holds no more,
// and a pause pushes none out.
export const BYTES_MAX = 128 << 20;

export class History {
  constructor(bytesMax = BYTES_MAX) {
    this.bytesMax = bytesMax;
    this.clear();
  }

  clear() {
    this.frames = [];
    this.bytes = 0;
  }

  add(tick, buffer) {
    if (this.frames.at(-1)?.tick === tick) this.bytes -= this.frames.pop().buffer.byteLength;
    this.frames.push({ tick, buffer });
    this.bytes += buffer.byteLength;
    while (this.bytes > this.bytesMax && this.frames.length > 1) this.bytes -= this.frames.shift().buffer.byteLength;
  }

  // Place of the last frame at or before a tick.
  find(tick) {
    let low = 0, high = this.frames.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle].tick <= tick) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }
}

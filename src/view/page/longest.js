// The ten longest lists that were found. A list's length follows from positions and is stored nowhere: so entities of the
// most crowded cells, and of other cells in turn, are asked for theirs, a few each second, and the longest are kept.
import { $, cell, fill, make, short } from "./dom.js";
import { heads, TOP, top } from "./tables.js";

const ROUND_MS = 1000, CELLS = 2, OTHER_CELLS = 1, OF_CELL = 8;

export class Longest {
  constructor(ask, select) {
    this.ask = ask;
    this.select = select;
    this.clear();
  }

  clear() {
    this.lengths = new Map();
    this.lookedAt = this.round = this.askedAt = 0;
    this.draw();
  }

  take(frame, now) {
    if (now - this.askedAt < ROUND_MS || !frame.grid.cells) return;
    this.askedAt = now;
    for (const id of this.lengths.keys()) this.askLength(id);
    for (const at of this.cells(frame.grid)) this.askCell(frame, at);
    this.draw();
  }

  // The most crowded cells in turn, and one more cell with entities.
  cells({ counts }) {
    const crowded = top(counts, TOP), filled = [...counts.keys()].filter((at) => counts[at] > 0);
    const turn = (list, many) => Array.from({ length: Math.min(many, list.length) }, (_, i) => list[(this.round * many + i) % list.length]);
    const chosen = [...turn(crowded, CELLS), ...turn(filled, OTHER_CELLS)];
    this.round++;
    return chosen;
  }

  askCell({ grid, rect }, at) {
    const side = (rect.x1 - rect.x0) / grid.cells, high = (rect.y1 - rect.y0) / grid.cells;
    const x = rect.x0 + ((at % grid.cells) + 0.5) * side, y = rect.y0 + (Math.floor(at / grid.cells) + 0.5) * high;
    this.ask({ kind: "nearest", x, y, radius: Math.hypot(side, high), most: OF_CELL, instance: rect.instance, any: $("any").checked }, (answer) => {
      const others = answer.hits.filter((hit) => !this.lengths.has(hit.id));
      this.lookedAt += others.length;
      for (const hit of others) this.askLength(hit.id);
    });
  }

  askLength(id) {
    this.ask({ kind: "list", id, most: 1 }, (answer) => {
      if (answer.status !== 0 || answer.total === 0) this.lengths.delete(id);
      else this.lengths.set(id, answer.total);
      if (this.lengths.size <= TOP) return;
      const [least] = [...this.lengths].reduce((a, b) => (b[1] < a[1] ? b : a));
      this.lengths.delete(least);
    });
  }

  draw() {
    const rows = [...this.lengths].sort((a, b) => b[1] - a[1]).map(([id, length]) => {
      const row = make("tr", { tabindex: 0, onclick: () => this.select(id) }, cell(id), cell(short(length), true));
      row.addEventListener("keydown", (event) => event.key === "Enter" && this.select(id));
      return row;
    });
    fill($("table-lists"), make("p", {}, `Longest lists, of a sample: ${short(this.lookedAt)} entities were asked, most of them in crowded cells.`), make("table", {}, heads("observer", "targets"), ...rows));
  }
}

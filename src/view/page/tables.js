// Tables on the left: shards and their imbalance, the dearest cells; and the legend.
import { $, cell, fill, make, short } from "./dom.js";
import { NUMBERS } from "./numbers.js";
import { css, heatCss, reasonStyle } from "./palette.js";

export const TOP = 10;
export const heads = (...names) => make("tr", {}, ...names.map((name) => make("th", {}, name)));

export function top(values, most) {
  const places = [];
  values.forEach((value, i) => {
    if (value === 0 || (places.length === most && values[places.at(-1)] >= value)) return;
    const at = places.findIndex((place) => values[place] < value);
    places.splice(at < 0 ? places.length : at, 0, i);
    places.length = Math.min(places.length, most);
  });
  return places;
}

export function drawTables(frame, go) {
  const work = frame.shards.map((shard) => (shard.indexNs + shard.interestNs + shard.publishNs) / 1e6);
  const mean = work.reduce((a, b) => a + b, 0) / Math.max(work.length, 1);
  fill($("table-shards"), make("p", {}, `Shards: the busiest has ${mean > 0 ? short(Math.max(...work) / mean) : "?"} times the mean work.`),
    make("table", {}, heads("shard", "entities", "ghosts", "went", "ms"), ...top(work, TOP).map((i) =>
      make("tr", {}, cell(i), cell(short(frame.shards[i].entities), true), cell(short(frame.shards[i].ghosts), true), cell(short(frame.shards[i].migrations), true), cell(short(work[i]), true)))));
  const { grid, rect } = frame, cells = grid.cells || 1;
  const rows = top(grid.costs, TOP).map((i) => {
    const x = rect.x0 + ((i % cells) + 0.5) * (rect.x1 - rect.x0) / cells, y = rect.y0 + (Math.floor(i / cells) + 0.5) * (rect.y1 - rect.y0) / cells;
    const row = make("tr", { tabindex: 0, onclick: () => go(x, y) }, cell(`${short(x)}, ${short(y)}`), cell(short(grid.counts[i]), true), cell(short(grid.costs[i]), true));
    row.addEventListener("keydown", (event) => event.key === "Enter" && go(x, y));
    return row;
  });
  fill($("table-cells"), make("p", {}, "Dearest cells of the view:"), make("table", {}, heads("place", "entities", "pairs tested"), ...rows));
}

// The heat of the map: its ends, and the greatest count or cost of a cell.
function heatRow({ layers }, frame) {
  if (!layers.density && !layers.cost) return null;
  const values = layers.density ? frame.grid.counts : frame.grid.costs, ramp = make("i");
  ramp.style.background = heatCss;
  return make("div", { class: "heat" }, "1", ramp, `${short(values.reduce((a, b) => Math.max(a, b), 1))} ${layers.density ? "entities" : "pairs"} a cell`);
}

// What the marks of the chosen entity are.
function focusRows({ layers }, world, focus) {
  if (!focus?.found) return [];
  const reasons = [...new Set(focus.targets.map((target) => target.reason))].sort((a, b) => a - b);
  return [...(layers.lines ? reasons.map((reason) => [reasonStyle(reason).colour, `line: ${world.reasons[reason]?.short ?? reason}`]) : [])];
}

function hints({ layers, colour }, frame) {
  return [colour === "number" && "in view: by the view of its class, and the density around",
    layers.points && "disc: observer; hole: veiled; cross: not ready; diamond: attached",
    frame.focus?.found && layers.rings && "rings: view yellow, with margin dashed; reach green; visible pink; bands dotted",
    frame.focus?.found && layers.near && "grey cross: near, not seen; hover says why",
    layers.areas && frame.areas.length > 0 && "areas green; pink and dashed: one that follows",
    frame.rect.oldest > 0 && `each frame renews 1 of ${frame.rect.spread} parts of the points: some are ${frame.rect.oldest} ticks old`,
    frame.rect.stride > 1 && `1 of ${frame.rect.stride} ids shown`].filter(Boolean);
}

// Of levels: above the detect of the chosen one, if there is one.
function levelRows({ focus }) {
  return focus?.found ? [[css(5), `stealth above ${focus.attrs.detect}, the detect of ${focus.id}: seen by a reveal alone`], [css(7), "no more stealth than that"]] : [[css(5), "stealth above 0"], [css(7), "no stealth"]];
}

export function drawLegend(map, world, frame) {
  const rows = { class: world.classes.slice(0, 24).map((item, i) => [css(i), item.name]),
    shard: [["", "a colour for each shard"]], awake: [[css(1), "observer"], [css(2), "awake NPC"], [css(7), "all others"]],
    number: [...NUMBERS.map(([, colour, words]) => [css(colour), `about ${words}`]), [css(7), "no observers"]],
    levels: levelRows(frame),
    cap: [[css(5), "its list is as long as its cap"], [css(2), "other observers"], [css(7), "no observers"]],
    crowd: [[css(7), "whole view"], [css(3), "1 to 5 of 16 steps"], [css(1), "6 to 10"], [css(5), "11 to 16"]], remote: [[css(7), "this process's own"], [css(5), "remote: another process owns it"]] }[map.colour];
  const line = ([background, text]) => {
    const mark = make("i");
    mark.style.background = background;
    return make("div", {}, mark, text);
  };
  fill($("legend"), ...rows.map(line), heatRow(map, frame), ...focusRows(map, world, frame.focus).map(line),
    ...hints(map, frame).map((text) => make("div", { class: "hint" }, text)));
}

// Elements by id, and elements made of text. Text goes in as text: no name from a world is ever read as HTML.
export const $ = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== undefined && child !== null));
}

export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// A row that a click or Enter chooses.
export function choice(cells, chosen, title) {
  const row = make("tr", { tabindex: 0, title }, ...cells);
  row.addEventListener("click", chosen);
  row.addEventListener("keydown", (event) => {
    if (event.key === "Enter") chosen();
  });
  return row;
}

export const cell = (text, number = false) => make("td", number ? { class: "number" } : {}, String(text));

export function short(number) {
  if (!Number.isFinite(number)) return number > 0 ? "∞" : number < 0 ? "-∞" : "?";
  const size = Math.abs(number);
  if (size >= 1e7 || (size < 1e-3 && size > 0)) return number.toExponential(2);
  return size >= 1000 || Number.isInteger(number) ? Math.round(number).toLocaleString("en") : String(Number(number.toPrecision(4)));
}

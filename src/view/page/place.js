// The address has all that a look needs: token, place, chosen ids, layers. So a look can be kept and opened again.
export function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  const number = (name) => (given.has(name) && Number.isFinite(Number(given.get(name))) ? Number(given.get(name)) : undefined);
  const id = (name) => (/^\d{1,20}$/.test(given.get(name) ?? "") ? given.get(name) : undefined);
  return { token: given.get("token") ?? "", x: number("x"), y: number("y"), scale: number("scale"), focus: id("id"), observer: id("observer"),
    target: id("target"), tab: given.get("tab") ?? undefined, colour: given.get("colour") ?? undefined, layers: given.get("layers")?.split(",") ?? undefined,
    instance: given.get("instance") ?? undefined, follow: given.get("follow") === "1", strips: given.get("strips") ?? undefined };
}

export function write(values) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== undefined && value !== "" && value !== false) given.set(name, value === true ? "1" : String(value));
  history.replaceState(null, "", `#${given}`);
}

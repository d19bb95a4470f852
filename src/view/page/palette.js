// Colours that stay apart for colour-blind eyes (Okabe and Ito), then the same at another lightness.
export const COLOURS = [
  [0x56, 0xb4, 0xe9], [0xe6, 0x9f, 0x00], [0x00, 0x9e, 0x73], [0xf0, 0xe4, 0x42], [0xcc, 0x79, 0xa7], [0xd5, 0x5e, 0x00],
  [0x00, 0x72, 0xb2], [0xbb, 0xbb, 0xbb], [0xa6, 0xd8, 0xf4], [0xf3, 0xcf, 0x7f], [0x7f, 0xce, 0xb9], [0xe5, 0xbc, 0xd3],
];
// Of a point by its step of crowd control, 0 to 16: the whole view, 1 to 5, 6 to 10, 11 to 16.
export const crowdColour = (step) => (step === 0 ? 7 : step < 6 ? 3 : step < 11 ? 1 : 5);
export const css = (index) => `rgb(${COLOURS[index % COLOURS.length].join(",")})`;

// Dark is little, light is much, in a hue that no point has.
const STOPS = [[34, 27, 61], [66, 50, 118], [106, 84, 176], [158, 138, 220], [226, 217, 255]];
export function heat(share) {
  const at = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1);
  const low = Math.min(Math.floor(at), STOPS.length - 2);
  return STOPS[low].map((value, i) => Math.round(value + (STOPS[low + 1][i] - value) * (at - low)));
}

export const heatCss = `linear-gradient(90deg, ${STOPS.map((stop) => `rgb(${stop.join(",")})`).join(", ")})`;

// A reason has a colour and the dashes of its line, so that neither is needed alone.
const DASHES = [[], [6, 3], [2, 3], [10, 3, 2, 3]];
export const reasonStyle = (reason) => ({ colour: css(reason), dash: DASHES[reason % DASHES.length] });

// SVG elements, and what is drawn on a page below the labels.

/** @import { PageViewBody } from "../messages.js" */
import { visible } from "../base/text.js";
import { boxAt, outline, rounded } from "./geometry.js";

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} tag @param {string} [className] @param {Record<string, string | number>} [attributes] */
export function drawing(tag, className, attributes = {}) {
  const made = document.createElementNS(SVG, tag);
  if (className) made.setAttribute("class", className);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

/** The name of a driver: an index from 1, 0 for none. @param {PageViewBody} data @param {number} code */
export function roleOf({ drivers }, code) {
  return code ? drivers[code - 1].role : "";
}

/** The pattern of what is excluded. */
export function hatch() {
  const defs = drawing("defs");
  const pattern = drawing("pattern", "", {
    id: "cs-hatch", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(-45)",
  });
  pattern.append(drawing("path", "cs-hatch-line", { d: "M0 0H5" }));
  defs.append(pattern);
  return defs;
}

/** The tint and the rule of each chunk, in one shape each; neighbours differ. @param {PageViewBody} data @returns {Map<number, SVGElement>} by chunk */
export function bandsOf({ bands }) {
  /** @type {Map<number, {tint: string, rule: string}>} */ const shapes = new Map();
  bands.chunk.forEach((chunk, band) => {
    const box = boxAt(bands.box, band);
    const { tint, rule } = shapes.get(chunk) ?? { tint: "", rule: "" };
    const line = bands.ruled[band] ? `M${rounded(box[0])} ${rounded(box[1])}V${rounded(box[3])}` : "";
    shapes.set(chunk, { tint: tint + outline(box), rule: rule + line });
  });
  const first = bands.chunk.length ? bands.chunk[0] : 0;
  return new Map([...shapes].map(([chunk, { tint, rule }], place) => {
    const group = drawing("g", (first + place) % 2 ? "cs-band cs-odd" : "cs-band");
    group.append(drawing("path", "cs-tint", { d: tint }), drawing("path", "cs-rule", { d: rule }));
    return [chunk, /** @type {SVGElement} */ (group)];
  }));
}

/** What is excluded from the chunks. @param {PageViewBody} data */
export function asidesOf({ asides }) {
  return asides.map(([kind, left, top, right, bottom]) => {
    const d = outline([left - 5, top - 2.5, right + 5, bottom + 2.5]);
    const group = drawing("g", "cs-aside");
    const title = drawing("title");
    title.textContent = `excluded from chunks: ${visible(kind)}`;
    group.append(drawing("path", "cs-aside-back", { d }), drawing("path", "cs-aside-front", { d }), title);
    return group;
  });
}

// The cells of a row.

/** @import { DocumentRowBody } from "../messages.js" */
import { element } from "../base/dom.js";
import { number, plural } from "../base/numbers.js";
import { oneLine, visible } from "../base/text.js";
import { cutShare } from "./orders.js";

/** The cells of a document, and the canvases in them. @param {number} position @param {DocumentRowBody} data @param {number | null} limit */
export function cellsOf(position, data, limit) {
  const first = [cell("cs-number", number.format(position)), name(data)];
  if (data.state !== "done") return { cells: [...first, instead(data)], curve: null, strip: null };
  const drawn = drawings(data);
  return { ...drawn, cells: [...first, ...drawn.cells, ...values(data, limit)] };
}

/** @param {string} className @param {(string | Node)[]} parts */
function cell(className, ...parts) {
  const made = element("div", className);
  made.setAttribute("role", "gridcell");
  made.append(...parts);
  return made;
}

/** @param {DocumentRowBody} data */
function name({ title, about, state, problem }) {
  const shown = element("b", "cs-title", oneLine(title));
  shown.dir = "auto";
  shown.title = visible(title);
  const what = element("span", "cs-about", oneLine(about));
  what.title = visible(about);
  const parts = [shown, what];
  if (state === "done" && problem) {
    const warning = element("span", "cs-warning", `! ${oneLine(problem)}`);
    warning.title = visible(problem);
    parts.push(warning);
  }
  return cell("cs-name", ...parts);
}

/** @param {DocumentRowBody} data */
function drawings(data) {
  let curve = null;
  let strip = null;
  const figure = cell("cs-figure");
  if (data.score.length) {
    const cuts = plural(data.boundaries, "cut");
    curve = canvas(`${cuts}, ${plural(data.score.length, "gap")}`);
    figure.append(curve);
  } else figure.append(element("span", "cs-none", data.sentences > 1 ? "no distances" : "no gap to cut"));
  const sizes = cell("cs-sizes");
  if (data.sizes.length) {
    const [least, , most] = data.tokens;
    strip = canvas(`${plural(data.sizes.length, "chunk")}, ${least} to ${most} tokens`);
    sizes.append(strip);
  }
  return { cells: [figure, sizes], curve, strip };
}

/** @param {string} says */
function canvas(says) {
  const made = element("canvas");
  made.width = made.height = 0;
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", says);
  return made;
}

/** @param {DocumentRowBody} data @param {number | null} limit */
function values(data, limit) {
  const value = (/** @type {string} */ className, /** @type {(string | Node)[]} */ ...parts) => cell(`cs-value ${className}`, ...parts);
  const share = cutShare(data);
  return [
    value("cs-sentences", number.format(data.sentences)),
    value("cs-chunks", number.format(data.chunks)),
    value("cs-tokens", ...(data.chunks ? tokens(data, limit) : [])),
    value("cs-cuts", share === null ? "" : share.toFixed(1)),
    value("cs-f1", data.f1 === null ? "" : data.f1.toFixed(2)),
  ];
}

/** @param {DocumentRowBody} data @param {number | null} limit */
function tokens({ tokens: counts, sizes }, limit) {
  const [least, median, most] = counts.map((count) => number.format(count));
  const over = limit === null ? 0 : sizes.filter((size) => size > limit).length;
  const parts = [`${least} · ${median} · `, element("b", over ? "cs-over" : "", most)];
  if (over) parts.push(element("small", "cs-over", `${number.format(over)} over ${number.format(limit ?? 0)}`));
  return parts;
}

/** What stands where a document has no figures. @param {DocumentRowBody} data */
function instead({ state, problem }) {
  const failed = state === "failed";
  const words = failed ? visible(problem) || "It could not be read." : oneLine(problem) || "waiting";
  const text = element("span", "cs-words", words);
  text.dir = "auto";
  text.title = words;
  return cell("cs-instead", ...(failed ? [element("b", "cs-failed", "failed ")] : []), text);
}

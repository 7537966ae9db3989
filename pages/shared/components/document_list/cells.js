// The cells of a row.

/** @import { Row as DocumentRow } from "../messages.js" */
/** @import { Scene } from "./figures.js" */
import { element } from "../base/dom.js";
import { number, plural } from "../../../../chunking/web/engine/numbers.js";
import { oneLine, visible } from "../../../../chunking/web/base/text.js";
import { curveFigure, sizesFigure } from "./figures.js";
import { cutShare } from "./orders.js";

/** The cells of a document. @param {number} position @param {Scene} scene */
export function cellsOf(position, scene) {
  const { data, limit } = scene;
  const first = [cell("cs-number", number.format(position)), name(data)];
  return data.state === "done" ? [...first, ...figures(scene), ...values(data, limit)] : [...first, instead(data)];
}

/** @param {string} className @param {(string | Node)[]} parts */
function cell(className, ...parts) {
  const made = element("div", className);
  made.setAttribute("role", "gridcell");
  made.append(...parts);
  return made;
}

/** @param {DocumentRow} data */
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

/** @param {Scene} scene */
function figures(scene) {
  const { score, boundaries, sentences, sizes, tokens: [least, , most] } = scene.data;
  const curve = score.length
    ? curveFigure(scene, `${plural(boundaries, "cut")}, ${plural(score.length, "gap")}`)
    : element("span", "cs-none", sentences > 1 ? "no distances" : "no gap to cut");
  const bars = sizes.length ? [sizesFigure(scene, `${plural(sizes.length, "chunk")}, ${least} to ${most} tokens`)] : [];
  return [cell("cs-figure", curve), cell("cs-sizes", ...bars)];
}

/** @param {DocumentRow} data @param {number | null} limit */
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

/** @param {DocumentRow} data @param {number | null} limit */
function tokens({ tokens: counts, sizes }, limit) {
  const [least, median, most] = counts.map((count) => number.format(count));
  const over = limit === null ? 0 : sizes.filter((size) => size > limit).length;
  const parts = [`${least} · ${median} · `, element("b", over ? "cs-over" : "", most)];
  if (over) parts.push(element("small", "cs-over", `${number.format(over)} over ${number.format(limit ?? 0)}`));
  return parts;
}

/** What stands where a document has no figures. @param {DocumentRow} data */
function instead({ state, problem }) {
  const failed = state === "failed";
  const words = failed ? visible(problem) || "It could not be read." : oneLine(problem) || "waiting";
  const text = element("span", "cs-words", words);
  text.dir = "auto";
  text.title = words;
  return cell("cs-instead", ...(failed ? [element("b", "cs-failed", "failed ")] : []), text);
}

// What the tooltip of a figure says of a place: where it is, as a share of the width, and lines.

/** @import { Scene } from "./figures.js" */
import { element } from "../base/dom.js";
import { lowerBound, number, plural } from "../../../../chunking/web/engine/numbers.js";
import { barsOf, largest } from "./figures.js";

const NEAR_PX = 5; // of a tick, within which the pointer means it

/** A point of a figure in pixels, and the figure's width. @typedef {{x: number, y: number, width: number}} Point */

/** The gap meant at a place of a curve: a tick near it, else the highest of its pixel, else the nearest. @param {Scene} scene @param {Point} point */
function gapMeant({ data, places }, { x, y, width }) {
  const { score, cuts, gold } = data;
  const scale = (score.length + 1) / width; // gaps a pixel
  const at = x * scale - 1;
  if (y > places.cuts.top - 2) {
    const tick = nearest(gold.length && y > places.gold.top - 1 ? gold : cuts, at);
    if (tick !== null && Math.abs(tick - at) <= NEAR_PX * scale) return tick;
  }
  const bound = (/** @type {number} */ gap) => Math.max(0, Math.min(score.length - 1, gap));
  let gap = bound(Math.ceil(at - scale / 2));
  if (gap >= at + scale / 2) return bound(Math.round(at));
  for (let next = gap + 1; next < Math.min(at + scale / 2, score.length); next++) if (score[next] > score[gap]) gap = next;
  return gap;
}

/** @param {ArrayLike<number>} sorted @param {number} value */
function nearest(sorted, value) {
  const right = lowerBound(sorted, value);
  if (right === 0) return sorted.length ? sorted[0] : null;
  if (right === sorted.length) return sorted[right - 1];
  return sorted[right] - value < value - sorted[right - 1] ? sorted[right] : sorted[right - 1];
}

/** @param {Scene} scene @param {Point} point */
export function aboutCurve(scene, point) {
  const { score, cuts, gold, threshold } = scene.data;
  const gap = gapMeant(scene, point);
  const has = (/** @type {Int32Array} */ sorted) => sorted[lowerBound(sorted, gap)] === gap;
  const head = element("div", "cs-tip-head");
  head.append(element("b", "", `gap ${number.format(gap + 1)}`), ` of ${number.format(score.length)}`);
  if (has(cuts)) head.append(element("span", "cs-tip-cut", "cut"));
  if (has(gold)) head.append(element("span", "cs-tip-gold", "reference"));
  const line = element("div", "cs-tip-line", `fused ${decimals(score[gap])}`);
  if (threshold !== null) {
    const words = element("span", "cs-tip-threshold", decimals(threshold));
    line.append(score[gap] > Math.fround(threshold) ? " > " : " ≤ ", words, " threshold"); // as narrow as the scores
  }
  return { share: (gap + 1) / (score.length + 1), lines: [head, line] };
}

/** @param {Scene} scene @param {Point} point */
export function aboutSizes({ data, limit }, { x, width }) {
  const { sizes } = data;
  const { perBar, count } = barsOf(data);
  const bar = Math.max(0, Math.min(count - 1, Math.floor((x / width) * count)));
  const [first, last] = [bar * perBar + 1, Math.min(sizes.length, (bar + 1) * perBar)];
  const size = largest(sizes, bar * perBar, perBar);
  const one = first === last;
  const which = one ? `chunk ${number.format(first)}` : `chunks ${number.format(first)} to ${number.format(last)}`;
  const head = element("div", "cs-tip-head");
  head.append(element("b", "", which), ` of ${number.format(sizes.length)}`);
  const line = element("div", "cs-tip-line", `${one ? "" : "up to "}${plural(size, "token")}`);
  if (limit !== null && size > limit) line.append(element("span", "cs-tip-over", `over ${number.format(limit)}`));
  return { share: (bar + 0.5) / count, lines: [head, line] };
}

/** @param {number} value */
function decimals(value) {
  return Number.isFinite(value) ? value.toFixed(3) : "not known";
}

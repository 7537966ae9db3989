// What the tooltip of a figure says of a place: where it is, and lines.

/** @import { Scene } from "./figures.js" */
import { element } from "../base/dom.js";
import { lowerBound, number, plural } from "../base/numbers.js";
import { NEAR_PX, barsOf, gapsAt, largest, placeOf } from "./figures.js";

/** The gap meant at a place of a curve: a tick near it, else the highest of its pixel, else the nearest. @param {Scene} scene @param {number} x @param {number} y */
export function gapMeant(scene, x, y) {
  const { data, places } = scene;
  if (x > scene.span + NEAR_PX) return null;
  if (y > places.cuts.top - 2) {
    const ticks = data.gold.length && y > places.gold.top - 1 ? data.gold : data.cuts;
    const tick = nearest(ticks, (x / scene.span) * (data.score.length + 1) - 1);
    if (tick !== null && Math.abs(placeOf(tick, scene) - x) <= NEAR_PX) return tick;
  }
  const [from, to] = gapsAt(x - 0.5, 1, scene);
  let gap = from;
  for (let next = from + 1; next < to; next++) if (data.score[next] > data.score[gap]) gap = next;
  if (from < to) return gap;
  const place = Math.round((x / scene.span) * (data.score.length + 1)) - 1;
  return Math.max(0, Math.min(data.score.length - 1, place));
}

/** @param {ArrayLike<number>} sorted @param {number} value */
export function nearest(sorted, value) {
  const right = lowerBound(sorted, value);
  if (right === 0) return sorted.length ? sorted[0] : null;
  if (right === sorted.length) return sorted[right - 1];
  return sorted[right] - value < value - sorted[right - 1] ? sorted[right] : sorted[right - 1];
}

/** @param {Scene} scene @param {number} x @param {number} y */
export function aboutCurve(scene, x, y) {
  const { data } = scene;
  const gap = gapMeant(scene, x, y);
  if (gap === null) return null;
  const has = (/** @type {Int32Array} */ sorted) => sorted[lowerBound(sorted, gap)] === gap;
  const head = element("div", "cs-tip-head");
  head.append(element("b", "", `gap ${number.format(gap + 1)}`), ` of ${number.format(data.score.length)}`);
  if (has(data.cuts)) head.append(element("span", "cs-tip-cut", "cut"));
  if (has(data.gold)) head.append(element("span", "cs-tip-gold", "reference"));
  const line = element("div", "cs-tip-line", `fused ${decimals(data.score[gap])}`);
  if (data.threshold !== null) {
    const threshold = element("span", "cs-tip-threshold", decimals(data.threshold));
    line.append(data.exceeds[gap] ? " > " : " ≤ ", threshold, " threshold");
  }
  return { x: placeOf(gap, scene), lines: [head, line] };
}

/** @param {Scene} scene @param {number} x */
export function aboutSizes(scene, x) {
  const { data: { sizes }, limit } = scene;
  const { perBar, count, step } = barsOf(scene);
  const bar = Math.floor(x / step);
  if (bar < 0 || bar >= count) return null;
  const [first, last] = [bar * perBar + 1, Math.min(sizes.length, (bar + 1) * perBar)];
  const size = largest(sizes, bar * perBar, perBar);
  const one = first === last;
  const which = one ? `chunk ${number.format(first)}` : `chunks ${number.format(first)} to ${number.format(last)}`;
  const head = element("div", "cs-tip-head");
  head.append(element("b", "", which), ` of ${number.format(sizes.length)}`);
  const line = element("div", "cs-tip-line", `${one ? "" : "up to "}${plural(size, "token")}`);
  if (limit !== null && size > limit) line.append(element("span", "cs-tip-over", `over ${number.format(limit)}`));
  return { x: (bar + 0.5) * step, lines: [head, line] };
}

/** @param {number} value */
function decimals(value) {
  return Number.isFinite(value) ? value.toFixed(3) : "not known";
}

// The chart: curves as paths in an SVG that is stretched to its place, boundaries as glyphs over it.
//
// chunking.standalone.chart draws the same for those who read without scripts.

/** @import { Curves, Lane, Segmentation } from "./lane.js" */
/** @import { Floats } from "./numbers.js" */
import { fixed } from "./numbers.js";

const HEIGHT = 1000;

/** @typedef {{low: number, high: number, count: number}} Scale */

/** @param {Lane} lane @returns {Scale} */
export function scaleOf({ curves }) {
  const [low, high] = curves?.range ?? [0, 1];
  return { low, high, count: curves?.semantic.length ?? 0 };
}

/** How far down a value is, 0 to 1. @param {Scale} scale @param {number} value */
function depth({ low, high }, value) {
  return Math.min(Math.max((high - value) / (high - low), 0), 1);
}

/** A curve as a path. @param {Scale} scale @param {Floats} values */
export function pathOf(scale, values) {
  let path = "";
  values.forEach((value, gap) => (path += `${gap ? "L" : "M"}${gap}.5 ${Math.round(HEIGHT * depth(scale, value))}`));
  return path;
}

/** Boundaries as glyphs. @param {Scale} scale @param {Segmentation} found @param {Record<string, string>} glyphs */
export function marksHtml(scale, { chunks, curves }, glyphs) {
  if (!curves) return "";
  return chunks
    .filter(({ gap }) => gap >= 0)
    .map(({ gap, driver, why }) => {
      const [x, y] = [(100 * (gap + 0.5)) / scale.count, 100 * depth(scale, curves.fused[gap])];
      const title = `gap ${gap + 1}: ${why.replaceAll(">", "&gt;")}`;
      return `<i class="${driver}" style="left:${x.toFixed(3)}%;top:${y.toFixed(2)}%" title="${title}">${glyphs[driver] ?? ""}</i>`;
    })
    .join("");
}

/** The lines of the chart with their values. @param {Lane} lane */
export function ticksHtml(lane) {
  const scale = scaleOf(lane);
  const tick = (/** @type {number} */ value) =>
    `<div style="top:${(100 * depth(scale, value)).toFixed(2)}%"><span>${value}</span></div>`;
  return (lane.curves?.ticks ?? []).map(tick).join("");
}

/** @param {Scale} scale @param {Curves} curves */
export function thresholdPlace(scale, { threshold }) {
  return { top: `${(100 * depth(scale, threshold)).toFixed(2)}%`, words: fixed(threshold, 3) };
}

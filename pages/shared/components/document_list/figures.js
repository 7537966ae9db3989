// The figures of a document as SVG: its curve and its chunk sizes. They are stretched to their places, in pixels from top
// to bottom and in gaps or chunks from left to right, so that neither another width nor another theme draws them anew.

/** @import { Row as DocumentRow } from "../messages.js" */

/** @typedef {{top: number, bottom: number}} Strip part of a figure's height */

/**
 * What a figure is drawn from.
 *
 * @typedef {object} Scene
 * @property {DocumentRow} data
 * @property {{score: number, size: number}} frame the greatest score and size of a figure
 * @property {number | null} limit
 * @property {{curve: Strip, cuts: Strip, gold: Strip}} places
 */

const HEIGHT = 56; // pixels of a figure, as in the style sheet
const COLUMNS = 800; // of a curve, beyond which gaps are drawn together
const MOST_BARS = 55; // chunks, beyond which neighbours are drawn as one
const BAR_MOST = 12; // pixels of a bar
export const PLACES = {
  withGold: { curve: { top: 2, bottom: 37 }, cuts: { top: 41, bottom: 47 }, gold: { top: 49, bottom: 55 } },
  withoutGold: { curve: { top: 2, bottom: 43 }, cuts: { top: 47, bottom: 54 }, gold: { top: 54, bottom: 54 } },
};
const BARS = { top: 2, bottom: 54 };

/** @param {string} className @param {number} width in gaps or chunks @param {string} label @param {(readonly [string, string])[]} paths class and description of each */
function svg(className, width, label, paths) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  made.setAttribute("class", className);
  made.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
  made.setAttribute("preserveAspectRatio", "none");
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", label);
  for (const [name, description] of paths) {
    if (!description) continue;
    const path = document.createElementNS(made.namespaceURI, "path");
    path.setAttribute("class", name);
    path.setAttribute("d", description);
    made.append(path);
  }
  return /** @type {SVGSVGElement} */ (made);
}

/** The curve with its threshold, and ticks at the gaps that are cut. A gap stands after as many sentences as its number says. @param {Scene} scene @param {string} label */
export function curveFigure({ data, frame, places }, label) {
  const { score, threshold, cuts, gold } = data;
  const { top, bottom } = places.curve;
  const heightOf = (/** @type {number} */ value) => bottom - Math.max(0, Math.min(1, value / frame.score)) * (bottom - top);
  const points = pointsOf(score, heightOf);
  const edge = threshold === null ? null : heightOf(threshold);
  const across = (/** @type {number} */ y) => `M0 ${Math.round(y) + 0.5}H${score.length + 1}`;
  const ticks = (/** @type {ArrayLike<number>} */ gaps, /** @type {Strip} */ strip) =>
    Array.from(gaps, (gap) => `M${gap + 1} ${strip.top}V${strip.bottom}`).join("");
  return svg("cs-curve", score.length + 1, label, [
    ["cs-baseline", across(bottom)],
    ["cs-above", edge === null ? "" : areaAbove(points, edge)],
    ["cs-line", lineThrough(points)],
    ["cs-threshold", edge === null ? "" : across(edge)],
    ["cs-cut", ticks(cuts, places.cuts)],
    ["cs-gold", ticks(gold, places.gold)],
  ]);
}

/** The points of a curve; where gaps are many, first, lowest, highest and last of each column. @param {ArrayLike<number>} score @param {(value: number) => number} heightOf @returns {[number, number][]} */
function pointsOf(score, heightOf) {
  const wide = Math.max(1, score.length / COLUMNS);
  /** @type {[number, number][]} */ const points = [];
  for (let from = 0; from < score.length; from += wide) {
    const [first, last] = [Math.ceil(from), Math.min(Math.ceil(from + wide), score.length)];
    for (const gap of extremes(score, first, last)) points.push([gap + 1, heightOf(score[gap])]);
  }
  return points;
}

/** First, lowest, highest and last of a stretch, in order, each once. @param {ArrayLike<number>} score @param {number} from @param {number} to */
function extremes(score, from, to) {
  if (from >= to) return new Set();
  let low = from;
  let high = from;
  for (let gap = from + 1; gap < to; gap++) {
    if (!(score[gap] >= score[low])) low = gap;
    if (!(score[gap] <= score[high])) high = gap;
  }
  return new Set([from, Math.min(low, high), Math.max(low, high), to - 1]);
}

/** A line, broken where a value is not known; a single point as a dot. @param {[number, number][]} points */
function lineThrough(points) {
  let broken = true;
  const line = points.map(([x, y]) => {
    const command = Number.isNaN(y) ? "" : `${broken ? "M" : "L"}${x} ${y.toFixed(2)}`;
    broken = Number.isNaN(y);
    return command;
  });
  return line.join("") + (points.length === 1 ? "h0" : "");
}

/** What is above a height, between the curve and it. @param {[number, number][]} points @param {number} edge */
function areaAbove(points, edge) {
  let area = "";
  points.slice(1).forEach(([x1, y1], index) => {
    const [x0, y0] = points[index];
    if (!(y0 < edge || y1 < edge)) return;
    const crossing = x0 + ((edge - y0) / (y1 - y0)) * (x1 - x0);
    const [left, right] = [y0 < edge ? x0 : crossing, y1 < edge ? x1 : crossing];
    area += `M${left} ${edge}V${Math.min(y0, edge)}L${right} ${Math.min(y1, edge)}V${edge}Z`;
  });
  return area;
}

/** The bars of chunk sizes: how many chunks each stands for, of which the largest is drawn. @param {DocumentRow} data */
export function barsOf({ sizes }) {
  const perBar = Math.max(1, Math.ceil(sizes.length / MOST_BARS));
  return { perBar, count: Math.ceil(sizes.length / perBar) };
}

/** @param {Scene} scene @param {string} label */
export function sizesFigure({ data, limit, frame }, label) {
  const { perBar, count } = barsOf(data);
  const { top, bottom } = BARS;
  const heightOf = (/** @type {number} */ size) => bottom - Math.max(1, (Math.min(size, frame.size) / frame.size) * (bottom - top));
  const bars = { usual: "", over: "" };
  for (let bar = 0; bar < count; bar++) {
    const size = largest(data.sizes, bar * perBar, perBar);
    const right = bar + (count > MOST_BARS / 2 ? 0.7 : 0.85);
    const box = (/** @type {number} */ from, /** @type {number} */ to) => `M${bar} ${from}V${to.toFixed(1)}H${right}V${from}Z`;
    const description = size > frame.size ? box(bottom, top + 6) + box(top + 4, top) : box(bottom, heightOf(size)); // it continues beyond the picture
    bars[limit !== null && size > limit ? "over" : "usual"] += description;
  }
  const figure = svg("cs-bars", count, label, [
    ["cs-bars-usual", bars.usual],
    ["cs-bars-over", bars.over],
    ["cs-baseline", `M0 ${bottom}H${count}`],
    ["cs-limit", limit !== null && limit <= frame.size ? `M0 ${heightOf(limit)}H${count}` : ""],
  ]);
  figure.style.maxWidth = `${count * BAR_MOST}px`;
  return figure;
}

/** @param {Int32Array} sizes @param {number} from @param {number} count */
export function largest(sizes, from, count) {
  return sizes.subarray(from, from + count).reduce((most, size) => Math.max(most, size), 0);
}

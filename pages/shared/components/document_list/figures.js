// The figures of a document: curve and chunk sizes, drawn on canvases.

/** @import { DocumentRowBody } from "../messages.js" */

/** @typedef {{top: number, bottom: number}} Strip part of a figure's height */

/**
 * What a figure is drawn from.
 *
 * @typedef {object} Scene
 * @property {DocumentRowBody} data
 * @property {number} width
 * @property {number} span pixels that the document's sentences fill
 * @property {{score: number, size: number}} frame the greatest score and size of a figure
 * @property {number | null} limit
 * @property {(role: string) => string} color
 * @property {{curve: Strip, cuts: Strip, gold: Strip}} places
 */

export const HEIGHT = 56; // pixels of a figure; its parts are measured from its top
export const PLACES = {
  withGold: { curve: { top: 2, bottom: 37 }, cuts: { top: 41, bottom: 47 }, gold: { top: 49, bottom: 55 } },
  withoutGold: { curve: { top: 2, bottom: 43 }, cuts: { top: 47, bottom: 54 }, gold: { top: 54, bottom: 54 } },
};
const BARS = { top: 2, bottom: 54 };
const BAR_LEAST = 2; // pixels a bar has with the gap after it, below which neighbours are drawn as one
const BAR_MOST = 12;
export const NEAR_PX = 5; // of a tick, within which the pointer means it

/** Pixels that a document's sentences fill: all, or in proportion to the longest one's. @param {DocumentRowBody} data @param {number} width @param {number | null} mostGaps */
export function spanOf({ score }, width, mostGaps) {
  return mostGaps === null ? width : Math.max(3, (width * (score.length + 1)) / (mostGaps + 1));
}

/** Where a gap stands: after as many sentences as its number says. @param {number} gap @param {Scene} scene */
export function placeOf(gap, { data, span }) {
  return ((gap + 1) / (data.score.length + 1)) * span;
}

/** The gaps of pixel column `at`, as [from, to). @param {number} at @param {number} width @param {Scene} scene */
export function gapsAt(at, width, { data, span }) {
  const gapOf = (/** @type {number} */ x) => Math.ceil((x / span) * (data.score.length + 1)) - 1;
  const bound = (/** @type {number} */ gap) => Math.max(0, Math.min(data.score.length, gap));
  return [bound(gapOf(at)), bound(gapOf(at + width))];
}

/** @param {number} value @param {Scene} scene */
function heightOf(value, { frame, places: { curve } }) {
  const share = Math.max(0, Math.min(1, value / frame.score));
  return curve.bottom - share * (curve.bottom - curve.top);
}

/** @param {CanvasRenderingContext2D} context @param {Scene} scene */
export function drawCurve(context, scene) {
  const { data, span, color, places } = scene;
  context.fillStyle = color("grid");
  context.fillRect(0, places.curve.bottom, span, 1);
  const path = curvePath(scene);
  if (data.threshold !== null) fillAbove(context, scene, path, data.threshold);
  context.lineJoin = "round";
  context.lineWidth = 1;
  context.strokeStyle = color("fused");
  context.stroke(path);
  if (data.threshold !== null) dash(context, heightOf(data.threshold, scene), span, [4, 3], color("threshold"));
  drawTicks(context, scene, data.cuts, places.cuts, color("fused"));
  drawTicks(context, scene, data.gold, places.gold, color("gold"));
}

/** What exceeds the threshold, between the curve and it. @param {CanvasRenderingContext2D} context @param {Scene} scene @param {Path2D} path @param {number} threshold */
function fillAbove(context, scene, path, threshold) {
  const { data, span, color } = scene;
  const edge = heightOf(threshold, scene);
  context.save();
  context.beginPath();
  context.rect(0, 0, span, edge);
  context.clip();
  const area = new Path2D(path);
  area.lineTo(placeOf(data.score.length - 1, scene), HEIGHT);
  area.lineTo(placeOf(0, scene), HEIGHT);
  context.globalAlpha = 0.4;
  context.fillStyle = color("threshold");
  context.fill(area);
  context.restore();
}

/** @param {CanvasRenderingContext2D} context @param {number} y @param {number} until @param {number[]} pattern @param {string} color */
function dash(context, y, until, pattern, color) {
  context.strokeStyle = color;
  context.setLineDash(pattern);
  context.beginPath();
  context.moveTo(0, Math.round(y) + 0.5); // on whole pixels
  context.lineTo(until, Math.round(y) + 0.5);
  context.stroke();
  context.setLineDash([]);
}

/** The curve as a line; where gaps are denser than pixels, as first, lowest, highest and last of each pixel. @param {Scene} scene */
function curvePath(scene) {
  const { data: { score }, span } = scene;
  const path = new Path2D();
  const pixel = 1 / (window.devicePixelRatio || 1);
  let broken = true;
  const put = (/** @type {number} */ gap) => {
    const isKnown = Number.isFinite(score[gap]);
    if (isKnown) path[broken ? "moveTo" : "lineTo"](placeOf(gap, scene), heightOf(score[gap], scene));
    broken = !isKnown;
  };
  if (score.length <= span / pixel) score.forEach((_, gap) => put(gap));
  else {
    for (let column = 0; column * pixel < span; column++) {
      const [from, to] = gapsAt(column * pixel, pixel, scene);
      for (const gap of extremes(score, from, to)) put(gap);
    }
  }
  if (score.length === 1) path.arc(placeOf(0, scene), heightOf(score[0], scene), 1, 0, 7);
  return path;
}

/** First, lowest, highest and last of a stretch, in order, each once. @param {ArrayLike<number>} score @param {number} from @param {number} to */
export function extremes(score, from, to) {
  if (from >= to) return new Set();
  let low = from;
  let high = from;
  for (let gap = from + 1; gap < to; gap++) {
    if (!(score[gap] >= score[low])) low = gap;
    if (!(score[gap] <= score[high])) high = gap;
  }
  return new Set([from, Math.min(low, high), Math.max(low, high), to - 1]);
}

/** @param {CanvasRenderingContext2D} context @param {Scene} scene @param {Int32Array} gaps @param {Strip} strip @param {string} color */
function drawTicks(context, scene, gaps, { top, bottom }, color) {
  context.fillStyle = color;
  const width = gaps.length * 4 > scene.span ? 1 : 1.5;
  let drawn = -1;
  for (const gap of gaps) {
    const x = Math.round((placeOf(gap, scene) - width / 2) * 2) / 2;
    if (x === drawn) continue;
    drawn = x;
    context.fillRect(x, top, width, bottom - top);
  }
}

/** The bars of a strip: each stands for `perBar` chunks, of which the largest is drawn. @param {Scene} scene */
export function barsOf({ data: { sizes }, width }) {
  const perBar = Math.max(1, Math.ceil((sizes.length * BAR_LEAST) / width));
  const count = Math.ceil(sizes.length / perBar);
  return { perBar, count, step: Math.min(BAR_MOST, width / count) };
}

/** @param {CanvasRenderingContext2D} context @param {Scene} scene */
export function drawSizes(context, scene) {
  const { data: { sizes }, width, limit, frame, color } = scene;
  const { perBar, count, step } = barsOf(scene);
  const room = BARS.bottom - BARS.top;
  const gap = step >= 4 ? 1 : step >= 3 ? 0.75 : 0.5;
  for (let bar = 0; bar < count; bar++) {
    const size = largest(sizes, bar * perBar, perBar);
    const height = Math.max(1, (Math.min(size, frame.size) / frame.size) * room);
    context.fillStyle = color(limit !== null && size > limit ? "structural" : "limit");
    context.fillRect(bar * step, BARS.bottom - height, step - gap, height);
    if (size > frame.size) context.clearRect(bar * step, BARS.top + 4, step, 2); // it continues beyond the picture
  }
  context.fillStyle = color("grid");
  context.fillRect(0, BARS.bottom, count * step, 1);
  if (limit === null || limit > frame.size) return;
  dash(context, BARS.bottom - (limit / frame.size) * room, width, [2, 2], color("muted"));
}

/** @param {Int32Array} sizes @param {number} from @param {number} count */
export function largest(sizes, from, count) {
  return sizes.subarray(from, from + count).reduce((most, size) => Math.max(most, size), 0);
}

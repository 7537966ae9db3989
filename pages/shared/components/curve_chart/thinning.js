// Fewer points and marks than there are gaps, where a pixel holds many of them.

import { lowerBound } from "../base/numbers.js";

/** Of a curve that is an area of noise: those behind it and the marks must show through. */
export const THINNED_OPACITY = 0.55;
/** Of a boundary's stroke where there are too many for glyphs: half its height on the axis, and its width in pixels. */
export const STROKE_HALF = 0.018;
export const STROKE_WIDTH = 1.5;

/**
 * Lowest and highest value of each of `buckets` stretches of values[from..to), in order: the exact envelope.
 *
 * @param {ArrayLike<number>} values
 * @param {number} from
 * @param {number} to
 * @param {number} buckets
 * @returns {{x: number[], y: number[]}} gap numbers from 1, and values
 */
export function envelope(values, from, to, buckets) {
  /** @type {number[]} */ const x = [];
  const size = (to - from) / buckets;
  for (let bucket = 0; bucket < buckets; bucket++) {
    const start = from + Math.floor(bucket * size);
    const end = Math.min(to, from + Math.floor((bucket + 1) * size));
    if (start >= end) continue;
    let lowest = start;
    let highest = start;
    for (let i = start + 1; i < end; i++) {
      if (values[i] < values[lowest]) lowest = i;
      if (values[i] > values[highest]) highest = i;
    }
    x.push(Math.min(lowest, highest) + 1);
    if (lowest !== highest) x.push(Math.max(lowest, highest) + 1);
  }
  return { x, y: x.map((gap) => values[gap - 1]) };
}

/**
 * Lowest and highest place of the line through values[i] at i + 1, in each of equally wide columns: the exact stretch that
 * the line takes there, up to the edges of the column.
 *
 * @param {ArrayLike<number>} values
 * @param {ArrayLike<number>} range of the axis
 * @param {number} columns
 */
export function columnStretches(values, range, columns) {
  const low = new Float64Array(columns);
  const high = new Float64Array(columns);
  const step = (range[1] - range[0]) / columns;
  for (let column = 0; column < columns; column++) {
    const [left, right] = [range[0] + column * step, range[0] + (column + 1) * step];
    const [entering, leaving] = [interpolated(values, left), interpolated(values, right)];
    let lowest = Math.min(entering, leaving);
    let highest = Math.max(entering, leaving);
    const end = Math.min(values.length, Math.floor(right));
    for (let i = Math.max(0, Math.floor(left)); i < end; i++) {
      const value = values[i];
      if (value < lowest) lowest = value;
      else if (value > highest) highest = value;
    }
    low[column] = lowest;
    high[column] = highest;
  }
  return { low, high };
}

/** The line through values[i] at i + 1, level before the first and after the last. @param {ArrayLike<number>} values @param {number} place */
function interpolated(values, place) {
  const at = Math.max(0, Math.min(values.length - 1, place - 1));
  const before = Math.floor(at);
  const after = Math.min(values.length - 1, before + 1);
  return values[before] + (at - before) * (values[after] - values[before]);
}

/**
 * Equal strokes as few boxes: those that touch in one column of pixels are one box, so that none is lost.
 *
 * @param {ArrayLike<number>} x of their middles, in pixels, ascending
 * @param {Float64Array} y of their middles, in pixels
 * @param {{width: number, height: number}} size of a stroke
 * @param {(left: number, top: number, width: number, height: number) => void} box draws a box
 */
export function mergedStrokes(x, y, { width, height }, box) {
  for (let first = 0, end = 0; first < x.length; first = end) {
    const column = Math.floor(x[first]);
    while (end < x.length && Math.floor(x[end]) === column) end++;
    const wide = x[end - 1] - x[first] + width;
    const heights = y.slice(first, end).sort();
    for (let top = 0, place = 1; place <= heights.length; place++) {
      if (heights[place] - heights[place - 1] <= height) continue;
      box(x[first] - width / 2, heights[top] - height / 2, wide, heights[place - 1] - heights[top] + height);
      top = place;
    }
  }
}

/** How many of ascending numbers lie from `from` to `to`. @param {ArrayLike<number>} sorted @param {number} from @param {number} to */
export function countIn(sorted, from, to) {
  return lowerBound(sorted, to + 1) - lowerBound(sorted, from);
}

/**
 * Markers as one path of short strokes: Plotly makes an SVG element for each marker and each piece of a line, but one
 * for a shape. Where all have one height, those that fall on one pixel are drawn once.
 *
 * @param {ArrayLike<number>} x
 * @param {ArrayLike<number>} y
 * @param {number} half of the length of a stroke
 * @param {number | null} pixel width of a pixel where all have one height, else null
 */
export function strokePath(x, y, half, pixel) {
  const steps = [];
  let drawn = NaN;
  for (let i = 0; i < x.length; i++) {
    const at = pixel === null ? i : Math.floor(x[i] / pixel);
    if (at === drawn) continue;
    drawn = at;
    steps.push(`M${x[i]},${(y[i] - half).toFixed(4)}L${x[i]},${(y[i] + half).toFixed(4)}`);
  }
  return steps.join("");
}

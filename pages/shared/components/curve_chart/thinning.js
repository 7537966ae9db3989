// Fewer points and marks than there are gaps, where a pixel holds many of them.

import { lowerBound } from "../base/numbers.js";

/** Of a curve that is an area of noise: those behind it and the marks must show through. */
export const THINNED_OPACITY = 0.55;

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

// The marks of the lanes as paths, and a curve thinned to pixels.

/** @typedef {import("../messages.js").LaneMarks} Marks */
import { lowerBound } from "../base/numbers.js";

const THIN_ABOVE = 2000; // visible gaps

/**
 * The value at `at` of the line through the points (xs[i], ys[i]), with both ends of the document added.
 *
 * @param {ArrayLike<number>} xs
 * @param {ArrayLike<number>} ys
 * @param {number} at
 * @param {number} lastX
 * @param {number} lastY
 */
export function between(xs, ys, at, lastX, lastY) {
  const right = lowerBound(xs, at);
  const x0 = right > 0 ? xs[right - 1] : 0;
  const y0 = right > 0 ? ys[right - 1] : 0;
  const x1 = right < xs.length ? xs[right] : lastX;
  const y1 = right < xs.length ? ys[right] : lastY;
  return x1 > x0 ? y0 + ((at - x0) / (x1 - x0)) * (y1 - y0) : y1;
}

/**
 * First, lowest, highest and last point of each pixel: what a line through all points would cover.
 *
 * @param {ArrayLike<number>} xs
 * @param {ArrayLike<number>} ys
 * @param {number} from
 * @param {number} to
 * @param {number} pixel
 */
export function thinned(xs, ys, from, to, pixel) {
  /** @type {number[]} */ const kept = [];
  for (let start = from; start < to; ) {
    const edge = (Math.floor(xs[start] / pixel) + 1) * pixel;
    let low = start;
    let high = start;
    let next = start + 1;
    for (; next < to && xs[next] < edge; next++) {
      if (ys[next] < ys[low]) low = next;
      if (ys[next] > ys[high]) high = next;
    }
    kept.push(...new Set([start, Math.min(low, high), Math.max(low, high), next - 1]));
    start = next;
  }
  return { x: kept.map((index) => xs[index]), y: kept.map((index) => ys[index]) };
}

/**
 * A line between two positions and one point to either side, thinned where it has many points.
 *
 * @param {any} xs an array that has `subarray`
 * @param {any} ys an array that has `subarray`
 * @param {number} from
 * @param {number} to
 * @param {number} pixel
 */
export function curveBetween(xs, ys, from, to, pixel) {
  const first = Math.max(0, lowerBound(xs, from) - 1);
  const last = Math.min(xs.length, lowerBound(xs, to) + 1);
  if (last - first > THIN_ABOVE) return thinned(xs, ys, first, last, pixel);
  return { x: xs.subarray(first, last), y: ys.subarray(first, last) };
}

/** The strokes of some rows. @param {Marks} marks @param {(row: number) => boolean} chosen @returns {Marks} */
export function partOf(marks, chosen) {
  return { ...marks, x: marks.x.filter((_, at) => chosen(marks.row[at])), row: marks.row.filter(chosen) };
}

/**
 * Marks between two positions as one path: strokes, each pixel of a row once, or stretches, of which those that meet
 * on a pixel are drawn as one.
 *
 * @param {Marks} marks
 * @param {number} from
 * @param {number} to
 * @param {number} pixel
 */
export function marksPath(marks, from, to, pixel) {
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(pixel)) + 1));
  return marks.until ? stretchesPath(marks, marks.until, from, to, pixel, digits) : strokesPath(marks, from, to, pixel, digits);
}

/** @param {Marks} marks @param {number} from @param {number} to @param {number} pixel @param {number} digits */
function strokesPath({ x, row, low, high }, from, to, pixel, digits) {
  const steps = [];
  let drawnRow = -1;
  let drawn = NaN;
  for (let i = 0; i < x.length; i++) {
    if (x[i] < from || x[i] > to) continue;
    const at = Math.floor(x[i] / pixel);
    if (at === drawn && row[i] === drawnRow) continue;
    drawn = at;
    drawnRow = row[i];
    steps.push(`M${x[i].toFixed(digits)},${(drawnRow + low).toFixed(2)}V${(drawnRow + high).toFixed(2)}`);
  }
  return steps.join("");
}

/** @param {Marks} marks @param {ArrayLike<number>} until @param {number} from @param {number} to @param {number} pixel @param {number} digits */
function stretchesPath({ x, row, low, high }, until, from, to, pixel, digits) {
  const steps = [];
  for (let i = 0; i < x.length; ) {
    const start = x[i];
    const of = row[i];
    let end = until[i];
    for (i++; i < x.length && row[i] === of && x[i] - end < pixel; i++) end = Math.max(end, until[i]);
    if (end < from || start > to) continue;
    const [top, bottom] = [(of + low).toFixed(2), (of + high).toFixed(2)];
    steps.push(`M${start.toFixed(digits)},${top}V${bottom}H${end.toFixed(digits)}V${top}Z`);
  }
  return steps.join("");
}

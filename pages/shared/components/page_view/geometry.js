// Places and outlines on a page, in points from its top left corner.

/** A coordinate with as many digits as a path needs. @param {number} value */
export const rounded = (value) => Math.round(value * 100) / 100;

/** @typedef {ArrayLike<number> & Iterable<number>} Box left, top, right, bottom */

/** @param {Box} box */
export function outline([left, top, right, bottom]) {
  return `M${rounded(left)} ${rounded(top)}H${rounded(right)}V${rounded(bottom)}H${rounded(left)}Z`;
}

/** Row `index` of a column of boxes. @param {Float32Array} boxes @param {number} index */
export function boxAt(boxes, index) {
  return boxes.subarray(4 * index, 4 * index + 4);
}

/**
 * Places that ascend, moved as little as needed to keep `step` between them and to stay from `low` to `high`.
 *
 * @param {number[]} places
 * @param {number} step
 * @param {number} low
 * @param {number} high
 */
export function spaced(places, step, low, high) {
  const moved = places.map((place) => Math.min(high, Math.max(low, place)));
  for (let i = 1; i < moved.length; i++) moved[i] = Math.max(moved[i], moved[i - 1] + step);
  for (let i = moved.length - 1; i >= 0; i--) moved[i] = Math.min(moved[i], high - (moved.length - 1 - i) * step);
  return moved;
}

/**
 * The line of a boundary: across the column; amid a line of text it steps down to the text before.
 *
 * @param {Box} box of the first words
 * @param {ArrayLike<number>} column left and right edge
 * @param {number} step -1 where the text before is at the left, 1 at the right, 0 for none
 */
export function cutLine(box, column, step) {
  const [left, top, right, bottom] = box;
  const start = Math.min(left, column[0]);
  const end = Math.max(right, column[1]);
  const across = `${rounded(top)}H${rounded(right)}`;
  let d = `M${rounded(left)} ${across}`;
  if (step < 0) d = `M${rounded(start)} ${rounded(bottom)}H${rounded(left)}V${across}`;
  if (step > 0) d = `M${rounded(left)} ${across}V${rounded(bottom)}H${rounded(end)}`;
  return {
    d,
    left: { x: step < 0 ? start : left, y: step < 0 ? bottom : top },
    right: { x: step > 0 ? end : right, y: step > 0 ? bottom : top },
    middle: (start + end) / 2,
    width: end - start,
  };
}

/** A mark between two boxes of words, of which one may be on another page. @param {Box | null} before @param {Box | null} after */
export function caret(before, after) {
  const box = before ?? after;
  if (!box) return "";
  const [, top, , bottom] = box;
  let x = before ? before[2] + 1.2 : box[0] - 1.2;
  if (before && after) {
    const middle = (after[1] + after[3]) / 2;
    const backwards = after[0] < before[0];
    if (middle > before[1] && middle < before[3]) x = backwards ? (after[2] + before[0]) / 2 : (before[2] + after[0]) / 2;
  }
  return `M${rounded(x)} ${rounded(top - 1)}V${rounded(bottom + 1)}`;
}

/**
 * The row of a sentence at a point, or nearest to it; -1 for none within reach.
 *
 * @param {{sentence: Int32Array, box: Float32Array}} lines
 * @param {number} x
 * @param {number} y
 * @param {number} reach
 */
export function rowAt(lines, x, y, reach) {
  let best = -1;
  let least = reach;
  lines.sentence.forEach((sentence, row) => {
    const [left, top, right, bottom] = boxAt(lines.box, row);
    const away = Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
    if (sentence < 0 || away >= least) return;
    least = away;
    best = row;
  });
  return best;
}

/**
 * Whether a place in a row lies in the second half of its sentence on this page.
 *
 * @param {Float32Array} boxes
 * @param {number[]} rows of the sentence
 * @param {number} row
 * @param {number} x
 * @param {boolean} backwards whether the text runs from right to left
 */
export function inSecondHalf(boxes, rows, row, x, backwards) {
  let before = 0;
  let total = 0;
  for (const other of rows) {
    const [left, , right] = boxAt(boxes, other);
    const share = Math.min(right - left, Math.max(0, x - left));
    if (other < row) before += right - left;
    if (other === row) before += backwards ? right - left - share : share;
    total += right - left;
  }
  return before * 2 > total;
}

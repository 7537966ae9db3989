// The lines of a page as rows that fill their columns, so that what lies behind a chunk is calm.

/** @import { Box } from "./page_words.js" */

const SHARED = 0.6; // of the width of the narrower of two lines of one column
const EDGES = [0.1, 0.9]; // shares of the lines of a column between whose edges it lies: a title across two does not widen it
const TOUCH = 10; // tenths of a point that two boxes share before they overlap: the boxes of glyphs are a little generous
const GLYPHS = 60; // of height that two lines may share at most, for the same reason
const CLOSE = 400; // between two lines up to which they meet in the middle
const PADDING = 25; // above and below a line that has none near it

/** A row: the edges of what is filled, and whether no other is beside it at the left or the right. @typedef {{box: Box, isFirst: boolean, isLast: boolean}} Row */

/** The rows of a page. @param {Box[]} lines @returns {Row[]} */
export function rowsOf(lines) {
  return lines.map((line, index) => {
    const others = lines.filter((_, other) => other !== index);
    const [left, right] = columnOf(line, lines);
    const beside = others.filter((other) => areLevel(line, other));
    const isFree = (/** @type {number} */ from, /** @type {number} */ to) => !beside.some((other) => Math.min(other[2], to) - Math.max(other[0], from) > TOUCH);
    const [top, bottom] = heightOf(line, others);
    return {
      box: [isFree(left, line[0]) ? left : line[0], top, isFree(line[2], right) ? right : line[2], bottom],
      isFirst: !beside.some((other) => other[0] < line[0]),
      isLast: !beside.some((other) => other[2] > line[2]),
    };
  });
}

/** The edges of the column that a line stands in. @param {Box} line @param {Box[]} lines @returns {[number, number]} */
function columnOf(line, lines) {
  const [left, , right] = line;
  const sharing = lines.filter((other) => Math.min(other[2], right) - Math.max(other[0], left) >= SHARED * Math.min(other[2] - other[0], right - left));
  const at = (/** @type {number[]} */ edges, /** @type {number} */ share) => edges.sort((a, b) => a - b)[Math.max(Math.ceil(share * edges.length) - 1, 0)];
  return [Math.min(left, at(sharing.map((other) => other[0]), EDGES[0])), Math.max(right, at(sharing.map((other) => other[2]), EDGES[1]))]; // prettier-ignore
}

/** Whether two lines are beside each other. @param {Box} one @param {Box} other */
function areLevel(one, other) {
  const shared = Math.min(one[3], other[3]) - Math.max(one[1], other[1]);
  return shared > Math.min((one[3] - one[1]) / 2, (other[3] - other[1]) / 2, GLYPHS);
}

/** The top and the bottom of a row, half-way to the lines above and below it. @param {Box} line @param {Box[]} others @returns {[number, number]} */
function heightOf(line, others) {
  const over = others.filter((other) => Math.min(other[2], line[2]) - Math.max(other[0], line[0]) > TOUCH && !areLevel(line, other));
  const above = Math.max(...over.filter((other) => other[1] < line[1]).map((other) => other[3]), -Infinity);
  const below = Math.min(...over.filter((other) => other[1] > line[1]).map((other) => other[1]), Infinity);
  const reach = (/** @type {number} */ distance) => (distance <= CLOSE ? distance / 2 : PADDING);
  return [line[1] - reach(line[1] - above), line[3] + reach(below - line[3])];
}

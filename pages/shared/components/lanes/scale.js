// The axis of the lanes: positions in its unit, character offsets, and the part of the document that is visible.

/** @import { LanesBody } from "../messages.js" */
/** @import { Range } from "../plotly_js/views.js" */
import { lowerBound } from "../base/numbers.js";
import { between } from "./marks.js";

/** The closest view of each unit. @type {Record<string, number>} */
const SHORTEST = { sentences: 2, tokens: 4, characters: 8 };

export class LaneScale {
  /** @param {Pick<LanesBody, "gaps" | "lanes" | "length" | "end" | "unit">} data */
  constructor(data) {
    this.data = data;
  }

  /** @returns {Range} */
  get full() {
    return [0, Math.max(this.data.length, 1)];
  }

  get least() {
    return SHORTEST[this.data.unit];
  }

  /** @param {number} position */
  offsetOf(position) {
    const { gaps, length, end } = this.data;
    return between(gaps.x, gaps.offset, position, length, end);
  }

  /** The position of any offset, in proportion between two gaps. @param {number} offset */
  placeOf(offset) {
    const { gaps, length, end } = this.data;
    return between(gaps.offset, gaps.x, Math.max(0, Math.min(end, offset)), end, length);
  }

  /** The position of an offset; a boundary stands where its lane says. @param {number} offset @param {number | null} row of the lane that is looked at first */
  positionOf(offset, row) {
    const { lanes } = this.data;
    for (const lane of row === null ? lanes : [lanes[row], ...lanes]) {
      const at = lowerBound(lane.offset, offset);
      if (lane.offset[at] === offset) return lane.x[at];
    }
    return this.placeOf(offset);
  }

  /** A part of the document, not shorter than the closest view; null where it is all of it. @param {Range | null} view @returns {Range | null} */
  clamped(view) {
    if (!view) return null;
    const [, span] = this.full;
    const positions = view.map((offset) => this.placeOf(offset)).sort((one, other) => one - other);
    const least = Math.min(span, this.least);
    if (positions[1] - positions[0] < least) {
      const start = Math.max(0, Math.min(span - least, (positions[0] + positions[1] - least) / 2));
      positions.splice(0, 2, start, start + least);
      view = [this.offsetOf(start), this.offsetOf(start + least)];
    }
    const everything = positions[0] < span / 1e5 && span - positions[1] < span / 1e5;
    const [first, last] = [Math.max(0, Math.min(...view)), Math.min(this.data.end, Math.max(...view))];
    return everything || !(last > first) ? null : [first, last];
  }
}

/** Index of the value nearest to a position, −1 where none is within reach.
 *
 * @param {ArrayLike<number>} xs
 * @param {number} position
 * @param {number} reach
 */
export function nearestWithin(xs, position, reach) {
  const right = lowerBound(xs, position);
  const at = right > 0 && !(xs[right] - position < position - xs[right - 1]) ? right - 1 : right;
  return at < xs.length && Math.abs(xs[at] - position) <= reach ? at : -1;
}

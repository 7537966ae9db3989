// The place that a click or a key chooses: a boundary of a lane, a gap of the curve, or a character.

/** @import { LanesBody } from "../messages.js" */
/** @import { Near } from "./about.js" */
import { lowerBound } from "../base/numbers.js";
import { LaneScale } from "./scale.js";

/** @typedef {{position: number, band: "curve" | "ribbon" | "lane", row: number}} Under row of a lane, else -1 */

/** The place meant by a click: a boundary of the lane, a gap of the curve, else the nearest character.
 *
 * @param {LanesBody} data
 * @param {Under} under
 * @param {Near} near
 * @returns {{offset: number, lane: number | null}}
 */
export function placeMeant(data, { position, band, row }, near) {
  const { lanes, gaps, end, consensus } = data;
  if (band === "lane") {
    const at = near(lanes[row].x, position);
    if (at >= 0) return { offset: lanes[row].offset[at], lane: row };
  } else {
    const shared = band === "ribbon" ? near(consensus.x, position) : -1;
    const gap = near(gaps.x, shared >= 0 ? consensus.x[shared] : position);
    if (gap >= 0) return { offset: gaps.offset[gap], lane: null };
  }
  const offset = Math.round(new LaneScale(data).offsetOf(position));
  return { offset: Math.max(0, Math.min(end, offset)), lane: null };
}

/** The boundary before or behind an offset; null where there is none. @param {ArrayLike<number>} offsets ascending @param {number} start @param {number} step -1 or 1 */
export function boundaryFrom(offsets, start, step) {
  const at = step > 0 ? lowerBound(offsets, start + 1) : lowerBound(offsets, start) - 1;
  return at < 0 || at >= offsets.length ? null : offsets[at];
}

/** Whether an offset is among those of a lane. @param {ArrayLike<number>} offsets ascending @param {number} offset */
export function holdsOffset(offsets, offset) {
  return offsets[lowerBound(offsets, offset)] === offset;
}

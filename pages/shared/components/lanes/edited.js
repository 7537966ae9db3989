// The lane being edited, as Python will draw it with the setting that a control shows now.

/** @import { Cuts } from "../../../../chunking/web/engine/cuts.js" */
/** @import { LanesBody } from "../messages.js" */
import { cutChanges, nearestGaps, ribbonLevels } from "./changes.js";

/** @typedef {NonNullable<LanesBody["live"]>} EditedLane */

/** The strokes of the lane in the order in which they are drawn, those of the ribbon, and how many boundaries changed.
 *
 * @param {LanesBody} data
 * @param {EditedLane} live
 * @param {Cuts} cuts
 */
export function editedLane(data, live, { boundaries }) {
  const { gaps, lanes, changes } = data;
  const lane = lanes[live.row];
  const present = Array.from(lane.change.keys()).filter((at) => changes[lane.change[at]] !== "gone");
  const before = nearestGaps(present.map((at) => lane.offset[at]), gaps.offset);
  const { moved, appeared, gone } = cutChanges(before, boundaries, live.tolerance);
  const at = (/** @type {number[]} */ of) => of.map((gap) => gaps.x[gap]);
  const groups = {
    [lane.kind]: at(boundaries.filter((gap) => !moved.has(gap) && !appeared.has(gap))),
    gone: present.filter((_, index) => gone.has(before[index])).map((index) => lane.x[index]),
    moved: at(boundaries.filter((gap) => moved.has(gap))),
    appeared: at(boundaries.filter((gap) => appeared.has(gap))),
  };
  const strokes = Object.entries(groups).map(([group, x]) => ({ group, x, look: live.looks[group] }));
  const levels = ribbonLevels(live.votes, boundaries, live.voters, live.levels.length);
  const ribbon = levels.map((of, level) => ({ x: at(of), look: live.levels[level] }));
  return { strokes, ribbon, counts: { moved: moved.size, added: appeared.size, removed: gone.size } };
}

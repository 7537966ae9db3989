// What a change of the setting does to the boundaries of a lane, as chunking.comparison.cut_changes finds it in Python.

import { lowerBound } from "../base/numbers.js";

/**
 * The gap nearest to each offset; of two that are equally near, the first.
 *
 * @param {ArrayLike<number>} offsets
 * @param {ArrayLike<number>} gapOffsets ascending, not empty
 */
export function nearestGaps(offsets, gapOffsets) {
  return Array.from(offsets, (offset) => {
    const after = lowerBound(gapOffsets, offset);
    const right = Math.min(after, gapOffsets.length - 1);
    const left = Math.max(after - 1, 0);
    return Math.abs(offset - gapOffsets[left]) <= Math.abs(gapOffsets[right] - offset) ? left : right;
  });
}

/**
 * The gaps that a change kept, moved, added and removed. A cut that is gone and one that appeared next to it are one
 * that moved, the nearest first, each cut once, and never past a cut that was kept or past another pair.
 *
 * @param {Iterable<number>} before
 * @param {Iterable<number>} after
 * @param {number} tolerance gaps by which a cut may have moved
 */
export function cutChanges(before, after, tolerance) {
  const [old, now] = [new Set(before), new Set(after)];
  const changed = [...old].filter((gap) => !now.has(gap)).concat([...now].filter((gap) => !old.has(gap)));
  const places = [...new Set([...old, ...now])].sort((one, other) => one - other);
  const apart = new Set(changed);
  const used = new Set();
  /** @type {Set<number>} */ const moved = new Set();
  for (const left of pairs(places, apart, old, tolerance)) {
    const [one, other] = [places[left], places[left + 1]];
    if (used.has(one) || used.has(other)) continue;
    used.add(one).add(other);
    moved.add(old.has(one) ? other : one);
  }
  const rest = changed.filter((gap) => !used.has(gap));
  return {
    moved,
    appeared: new Set(rest.filter((gap) => now.has(gap))),
    gone: new Set(rest.filter((gap) => old.has(gap))),
  };
}

/** Where a cut that is gone and one that appeared are neighbours, the nearest first. @param {number[]} places @param {Set<number>} apart @param {Set<number>} old @param {number} tolerance */
function pairs(places, apart, old, tolerance) {
  /** @type {number[]} */ const found = [];
  for (let left = 0; left + 1 < places.length; left++) {
    const [one, other] = [places[left], places[left + 1]];
    const opposite = apart.has(one) && apart.has(other) && old.has(one) !== old.has(other);
    if (opposite && other - one <= tolerance) found.push(left);
  }
  return found.sort((one, other) => places[one + 1] - places[one] - (places[other + 1] - places[other]) || one - other);
}

/**
 * The gaps at each height of the ribbon, from the lowest, as chunking.figures.lanes draws it.
 *
 * @param {ArrayLike<number>} votes how many other lanes cut each gap
 * @param {Iterable<number>} boundaries of this lane
 * @param {number} voters lanes with this one
 * @param {number} levels
 */
export function ribbonLevels(votes, boundaries, voters, levels) {
  const own = new Set(boundaries);
  /** @type {number[][]} */ const found = Array.from({ length: levels }, () => []);
  for (let gap = 0; gap < votes.length; gap++) {
    const count = votes[gap] + Number(own.has(gap));
    if (count) found[Math.ceil((count / voters) * levels - 1e-9) - 1].push(gap);
  }
  return found;
}

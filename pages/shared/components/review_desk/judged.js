// What the state of a review says of its candidates.

/** @import { ReviewState } from "./events.js" */

/** @type {Record<string, string>} */
export const VERDICTS = { accept: "accepted", reject: "rejected", move: "moved", skip: "skipped" };

/** The last word on a candidate; one that was added, or that another was moved to, is accepted. @param {ReviewState} state @param {number} offset */
export function verdictOn(state, offset) {
  const action = state.verdicts.get(offset)?.action ?? null;
  const boundary = state.votes.get(offset);
  if (boundary === undefined || (action === "move" && !boundary)) return action;
  return boundary ? "accept" : "reject";
}

/**
 * The next candidate after `index` without a judgement, from the start again at the end; -1 for none.
 *
 * @param {ReviewState} state
 * @param {ArrayLike<number>} candidates offsets
 * @param {number} index
 */
export function nextOpen(state, candidates, index) {
  const { length } = candidates;
  for (let step = 1; step <= length; step++) {
    const next = (index + step + length) % length;
    if (verdictOn(state, candidates[next]) === null) return next;
  }
  return -1;
}

/**
 * How many candidates have each verdict, how many have any, and how many boundaries were added elsewhere.
 *
 * @param {ReviewState} state
 * @param {ArrayLike<number>} candidates offsets
 */
export function counted(state, candidates) {
  /** @type {Record<string, number>} */
  const counts = { accept: 0, reject: 0, move: 0, skip: 0, add: 0 };
  let judged = 0;
  const proposed = new Set(Array.from(candidates));
  for (const offset of proposed) {
    const verdict = verdictOn(state, offset);
    if (verdict === null) continue;
    judged++;
    counts[verdict]++;
  }
  counts.add = [...state.verdicts].filter(([offset, { action }]) => action === "add" && !proposed.has(offset)).length;
  return { counts, judged, of: candidates.length };
}

// What change points cut at another setting, by the nearest division that was made in advance.

/** Divisions as they are sent: the gaps of all in one array. @typedef {{values: number[], begins: number[], gaps: Int32Array}} PackedLadder */

/**
 * Divisions at ascending values of one parameter.
 *
 * @typedef {object} Ladder
 * @property {number[]} values
 * @property {Int32Array[]} cuts
 */

/** @typedef {{fused: Float64Array, alpha: number, alphas: Ladder, levels: Ladder}} Divisions */

/** @param {PackedLadder} ladder @returns {Ladder} */
export function ladderFrom({ values, begins, gaps }) {
  return { values, cuts: values.map((_, step) => gaps.subarray(begins[step], begins[step + 1])) };
}

/**
 * The cuts of the nearest division. Where α has moved, that of the nearest α; else the one with nearly the requested number
 * of cuts, or that of the nearest fineness.
 *
 * @param {Divisions} divisions
 * @param {{alpha: number, fineness: number, amount: number, count: number}} setting amount is the percentile, count the number of boundaries
 */
export function nearestDivision({ fused, alpha, alphas, levels }, setting) {
  if (setting.alpha !== alpha) return Array.from(alphas.cuts[nearest(alphas.values, setting.alpha)]);
  if (!setting.count && !setting.amount) return Array.from(levels.cuts[nearest(levels.values, setting.fineness)]);
  const wanted = setting.count || Math.round(fused.length * (1 - setting.amount / 100));
  return Array.from(levels.cuts[nearest(levels.cuts.map((cuts) => cuts.length), wanted)]);
}

/** Index of the nearest value. @param {number[]} values @param {number} wanted */
function nearest(values, wanted) {
  return values.reduce((best, value, at) => (Math.abs(value - wanted) < Math.abs(values[best] - wanted) ? at : best), 0);
}

// Curves in the order of their values.

/** @type {WeakMap<Float64Array, Float64Array>} */
const sortedScores = new WeakMap();

/** @param {Float64Array} scores in ascending order, sorted once for each curve */
export function sortedOf(scores) {
  let sorted = sortedScores.get(scores);
  if (!sorted) sortedScores.set(scores, (sorted = scores.toSorted()));
  return sorted;
}

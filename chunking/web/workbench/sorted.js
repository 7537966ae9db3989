// Curves in the order of their values.

const MOST_DRAWN = 2000; // values of which a picture is made

/** @type {WeakMap<Float64Array, Float64Array>} */
const sortedScores = new WeakMap();

/** @param {Float64Array} scores in ascending order, sorted once for each curve */
export function sortedOf(scores) {
  let sorted = sortedScores.get(scores);
  if (!sorted) sortedScores.set(scores, (sorted = scores.toSorted()));
  return sorted;
}

/** Some of the scores in ascending order, evenly chosen where there are more than a picture shows. @param {Float64Array} scores */
export function sortedSample(scores) {
  const step = Math.ceil(scores.length / MOST_DRAWN);
  if (step <= 1) return sortedOf(scores);
  return Float64Array.from({ length: Math.floor(scores.length / step) }, (_, index) => scores[index * step]).sort();
}

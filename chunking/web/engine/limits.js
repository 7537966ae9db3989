// The size limits, as chunking.chunks.limits applies them.
//
// A test holds this copy against Python. It cuts where its caller can: between sentences alone, or also inside those that
// exceed the maximum, where their places were sent (places.js).

import { lowerBound } from "./numbers.js";

/**
 * Token counts of runs of sentences, see SpanTokens in chunking.tokens.spans. Each has one entry a cut: before the first
 * sentence, at each gap, and after the last.
 *
 * @typedef {object} Tokens
 * @property {Int32Array} head tokens from a cut to the seam after it
 * @property {Int32Array} tail tokens from the seam before a cut to it
 * @property {Int32Array} toAfter tokens of the text before the seam after a cut
 * @property {Int32Array} toBefore tokens of the text before the seam before a cut
 * @property {(first: number, last: number) => number} seamless tokens from one cut to another where no seam lies between
 */

/** @typedef {{minimum: number, maximum: number, overlap: number, overlapUnit: string}} Sizes `maximum` 0: no limit */

/** Whether sizes can be kept together, as SizeParameters checks it. @param {Sizes} sizes */
function consistent({ minimum, maximum, overlap, overlapUnit }) {
  if (!maximum) return true;
  return minimum <= maximum && (overlapUnit !== "tokens" || maximum - overlap >= Math.max(minimum, 1));
}

/**
 * The setting that Python makes of one whose sizes may contradict each other: without the minimum or the overlap.
 *
 * @template {Sizes} Of
 * @param {Of} setting
 * @returns {Of}
 */
export function admissible(setting) {
  const left = [{}, { minimum: 0 }, { overlap: 0 }].map((without) => ({ ...setting, ...without }));
  return left.find(consistent) ?? { ...setting, minimum: 0, overlap: 0 };
}

/** Tokens from one cut to another. @param {Tokens} tokens @param {number} first @param {number} last */
export function countTokens({ head, tail, toAfter, toBefore, seamless }, first, last) {
  const between = toBefore[last] - toAfter[first];
  return between < 0 ? seamless(first, last) : head[first] + between + tail[last];
}

/**
 * Applies the limits to ascending cuts.
 *
 * @param {number[]} edges gaps that the threshold cuts
 * @param {Float64Array} strength of a cut at each gap
 * @param {Tokens} tokens
 * @param {Sizes} sizes
 * @returns {number[]} the gaps that are cut
 */
export function limited(edges, strength, tokens, { minimum, maximum, overlap, overlapUnit }) {
  const room = maximum ? maximum - (overlapUnit === "tokens" ? overlap : 0) : 0;
  const repeated = overlapUnit === "sentences" ? overlap : 0;
  let kept = minimum ? mergeSmall(edges, strength, tokens, minimum, room) : edges;
  if (!room) return kept;
  const forced = splitLarge(kept, strength, tokens, minimum, room, repeated);
  if (!forced.length) return kept;
  kept = [...new Set([...kept, ...forced])].sort((one, other) => one - other);
  return minimum ? mergeSmall(kept, strength, tokens, minimum, room) : kept;
}

/** @param {number[]} edges @param {Float64Array} strength @param {Tokens} tokens @param {number} minimum @param {number} maximum */
function mergeSmall(edges, strength, tokens, minimum, maximum) {
  const bounds = [-1, ...edges, tokens.head.length - 2];
  const [previous, following, sizeBefore] = [0, 0, 0].map(() => new Int32Array(bounds.length));
  for (let place = 0; place < bounds.length; place++) {
    previous[place] = place - 1;
    following[place] = place + 1;
    if (place) sizeBefore[place] = countTokens(tokens, bounds[place - 1] + 1, bounds[place] + 1);
  }
  const removed = new Uint8Array(edges.length);
  for (const edge of ascending(Float64Array.from(edges, (gap) => strength[gap]))) {
    const place = edge + 1;
    const left = previous[place];
    const right = following[place];
    if (sizeBefore[place] >= minimum && sizeBefore[right] >= minimum) continue;
    const merged = countTokens(tokens, bounds[left] + 1, bounds[right] + 1);
    if (maximum && merged > maximum) continue;
    removed[edge] = 1;
    following[left] = right;
    previous[right] = left;
    sizeBefore[right] = merged;
  }
  return edges.filter((_, edge) => !removed[edge]);
}

/** Indexes in ascending order of their values, the first of equal ones first; without a comparison function, which is slow. @param {Float64Array} values */
function ascending(values) {
  const sorted = values.toSorted();
  const order = new Int32Array(values.length);
  const placed = new Int32Array(values.length); // of equal values, at the first place that they take
  for (let index = 0; index < values.length; index++) {
    const first = lowerBound(sorted, values[index]);
    order[first + placed[first]++] = index;
  }
  return order;
}

/** @param {number[]} edges @param {Float64Array} strength @param {Tokens} tokens @param {number} minimum @param {number} maximum @param {number} overlap */
function splitLarge(edges, strength, tokens, minimum, maximum, overlap) {
  const bounds = [-1, ...edges, tokens.head.length - 2];
  /** @type {number[]} */ const added = [];
  for (let chunk = 0; chunk + 1 < bounds.length; chunk++) {
    let first = bounds[chunk] + 1;
    let lead = first;
    const last = bounds[chunk + 1] + 1;
    while (last - first > 1 && countTokens(tokens, first, last) > maximum) {
      const cut = bestEdge(first, last, lead, strength, tokens, minimum, maximum);
      added.push(cut);
      first = cut + 1;
      lead = Math.max(0, first - overlap);
      while (lead < first && 2 * countTokens(tokens, lead, first) > maximum) lead++;
    }
  }
  return added;
}

/**
 * The strongest edge in the last half before the furthest that fits.
 *
 * @param {number} first @param {number} last @param {number} lead where the repeated text begins
 * @param {Float64Array} strength @param {Tokens} tokens @param {number} minimum @param {number} maximum
 */
function bestEdge(first, last, lead, strength, tokens, minimum, maximum) {
  const bound = tokens.toAfter[lead] + maximum; // past it every count is too large
  let furthest = -1;
  for (let stop = first + 1; stop < last && tokens.toBefore[stop] <= bound; stop++) {
    if (countTokens(tokens, lead, stop) <= maximum) furthest = stop;
  }
  if (furthest < 0) return first;
  const repeated = lead < first ? countTokens(tokens, lead, first + 1) - countTokens(tokens, first, first + 1) : 0;
  const sizeTo = (/** @type {number} */ stop) => countTokens(tokens, lead, stop) - repeated;
  const half = sizeTo(furthest) / 2;
  /** @type {number[]} */ let late = [];
  for (let stop = first + 1; stop <= furthest; stop++) {
    if (sizeTo(stop) >= half && countTokens(tokens, lead, stop) <= maximum) late.push(stop);
  }
  if (minimum) {
    const roomy = late.filter((stop) => countTokens(tokens, stop, last) >= minimum);
    if (roomy.length) late = roomy;
  }
  return late.reduce((best, stop) => (strength[stop - 1] > strength[best - 1] ? stop : best)) - 1;
}

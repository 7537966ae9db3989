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
 * @property {Int32Array} context tokens that are embedded before a chunk that starts at a cut
 * @property {number} readLimit tokens of a text that the encoder reads; 0 for any number
 */

/**
 * The limits; 0 is none.
 *
 * @typedef {{minimum: number, softMinimum: number, maximum: number, overlap: number, overlapUnit: string, fitEncoder: boolean, keepTogether: boolean}} Sizes
 */

/**
 * What each edge would part, as chunking.chunks.constraints has it.
 *
 * @typedef {object} Held
 * @property {Uint8Array} kept code of what is kept together at each edge; 0 for nothing
 * @property {Uint8Array} joined the same of what was joined by hand alone, which holds at every setting
 * @property {Uint8Array} heads 1 where a cut lies before a heading
 * @property {Uint8Array} forced 1 where a cut was made by hand
 */

/** Tokens that a chunk may have, by the cut at which it starts. @typedef {(first: number) => number} Rooms */

export const FREE = 0;
export const CODE = 7; // the lines of a piece of code, which are parted first
export const HAND = 8; // what was joined by hand, which is parted last

/** What a setting keeps together. @param {Held} held @param {boolean} keepTogether */
export const keptOf = (held, keepTogether) => (keepTogether ? held.kept : held.joined);

const SCRAPS = 20; // tokens of a minimum that gives way to any maximum

/** Whether sizes can be kept together, as SizeParameters checks it. @param {Sizes} sizes */
function consistent({ minimum, maximum, overlap, overlapUnit }) {
  if (!maximum) return true;
  const least = minimum > SCRAPS ? minimum : 0;
  return least <= maximum && (overlapUnit !== "tokens" || maximum - overlap >= Math.max(least, 1));
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

/**
 * Tokens that a chunk may have with its overlap, by the cut at which it starts; Infinity for any number. Of what the encoder
 * reads, half is left for a chunk, however long what is embedded before it.
 *
 * @param {Tokens} tokens
 * @param {Pick<Sizes, "maximum" | "fitEncoder">} sizes
 * @returns {(first: number) => number}
 */
export function maximaOf({ context, readLimit }, { maximum, fitEncoder }) {
  if (!maximum) return () => Infinity;
  if (!fitEncoder || !readLimit) return () => maximum;
  return (first) => Math.min(maximum, Math.max(readLimit - context[first], readLimit >> 1));
}

/**
 * Tokens that the own text of a chunk may have, in the same way: without those of an overlap in tokens.
 *
 * @param {Tokens} tokens
 * @param {Pick<Sizes, "maximum" | "fitEncoder" | "overlap" | "overlapUnit">} sizes
 * @returns {(first: number) => number}
 */
export function roomsOf(tokens, sizes) {
  const maxima = maximaOf(tokens, sizes);
  const repeated = sizes.overlapUnit === "tokens" ? sizes.overlap : 0;
  return (first) => Math.max(maxima(first) - repeated, 1);
}

/** Tokens from one cut to another. @param {Tokens} tokens @param {number} first @param {number} last */
export function countTokens({ head, tail, toAfter, toBefore, seamless }, first, last) {
  const between = toBefore[last] - toAfter[first];
  return between < 0 ? seamless(first, last) : head[first] + between + tail[last];
}

/**
 * Applies the limits to ascending cuts, none of which parts what is kept together.
 *
 * @param {number[]} edges that are cut
 * @param {Float64Array} strength of a cut at each edge
 * @param {Tokens} tokens
 * @param {Sizes} sizes
 * @param {Held} held
 * @returns {number[]} the edges that are cut
 */
export function limited(edges, strength, tokens, sizes, held) {
  const { minimum, softMinimum, maximum, overlap, overlapUnit, keepTogether } = sizes;
  const rooms = roomsOf(tokens, sizes);
  const repeated = overlapUnit === "sentences" ? overlap : 0;
  const merged = (/** @type {number[]} */ cuts) => {
    const lasting = (/** @type {number} */ edge) => held.heads[edge] + held.forced[edge] > 0;
    const soft = softMinimum ? mergeSmall(cuts, strength, tokens, softMinimum, rooms, lasting) : cuts;
    return minimum ? mergeSmall(soft, strength, tokens, minimum, rooms, (edge) => held.forced[edge] > 0) : soft;
  };
  const left = merged(edges);
  if (!maximum) return left;
  const least = Math.max(minimum, softMinimum);
  const forced = splitLarge(left, strength, tokens, least, rooms, repeated, keptOf(held, keepTogether));
  if (!forced.length) return left;
  return merged([...new Set([...left, ...forced])].sort((one, other) => one - other));
}

/** @param {number[]} edges @param {Float64Array} strength @param {Tokens} tokens @param {number} minimum @param {Rooms} rooms @param {(edge: number) => boolean} lasting whether the cut at an edge is never removed */
function mergeSmall(edges, strength, tokens, minimum, rooms, lasting) {
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
    if ((sizeBefore[place] >= minimum && sizeBefore[right] >= minimum) || lasting(edges[edge])) continue;
    const merged = countTokens(tokens, bounds[left] + 1, bounds[right] + 1);
    if (merged > rooms(bounds[left] + 1)) continue;
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

/** @param {number[]} edges @param {Float64Array} strength @param {Tokens} tokens @param {number} minimum @param {Rooms} rooms @param {number} overlap @param {Uint8Array} kept */
function splitLarge(edges, strength, tokens, minimum, rooms, overlap, kept) {
  const bounds = [-1, ...edges, tokens.head.length - 2];
  let largest = 1;
  for (let first = 0; first + 1 < tokens.head.length; first++) largest = Math.max(largest, rooms(first));
  const division = { strength, tokens, least: Math.max(minimum, Math.floor(largest / 4)), rooms, largest, overlap, kept };
  /** @type {number[]} */ const added = [];
  for (let chunk = 0; chunk + 1 < bounds.length; chunk++) {
    let first = bounds[chunk] + 1;
    let lead = first;
    const last = bounds[chunk + 1] + 1;
    if (countTokens(tokens, first, last) <= rooms(first)) continue;
    const starts = partStarts(first, last, division);
    while (last - first > 1 && countTokens(tokens, first, last) > rooms(first)) {
      const cut = bestEdge(first, last, lead, division, starts);
      added.push(cut);
      first = cut + 1;
      lead = leadOf(first, division);
    }
  }
  return added;
}

/**
 * What oversized chunks are divided by.
 *
 * @typedef {object} Division
 * @property {Float64Array} strength @property {Tokens} tokens
 * @property {number} least tokens of a part
 * @property {Rooms} rooms @property {number} largest room
 * @property {number} overlap in sentences @property {Uint8Array} kept
 */

/** The segment from which on the text is repeated before a part: up to half of the maximum. @param {number} first @param {Division} division */
function leadOf(first, { tokens, rooms, overlap }) {
  let lead = Math.max(0, first - overlap);
  while (lead < first && 2 * countTokens(tokens, lead, first) > rooms(first)) lead++;
  return lead;
}

/** The segments from which one part, two, … reach the end of a chunk, ascending. @param {number} first @param {number} last @param {Division} division */
function partStarts(first, last, division) {
  const { tokens, rooms, largest } = division;
  /** @type {number[]} */ const starts = [];
  for (let end = last; end > first; end = starts[starts.length - 1]) {
    let low = Math.max(first, end - largest); // a segment has a token at least
    let high = end - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      const lead = middle > first ? leadOf(middle, division) : first;
      if (countTokens(tokens, lead, end) <= rooms(middle)) high = middle;
      else low = middle + 1;
    }
    starts.push(low);
  }
  return starts.reverse();
}

/**
 * The strongest edge after which the rest needs as few parts as it can, with no small part where that can be; one that
 * parts what is kept together only where there is no other.
 *
 * @param {number} first @param {number} last @param {number} lead where the repeated text begins
 * @param {Division} division @param {number[]} starts see partStarts
 */
function bestEdge(first, last, lead, { strength, tokens, least, rooms, kept }, starts) {
  const room = rooms(first);
  const bound = tokens.toAfter[lead] + room; // past it every count is too large
  /** @type {number[]} */ let stops = [];
  for (let stop = first + 1; stop < last && tokens.toBefore[stop] <= bound; stop++) {
    if (countTokens(tokens, lead, stop) <= room) stops.push(stop);
  }
  if (!stops.length) return first;
  stops = leastParting(stops, kept);
  const earliest = starts[lowerBound(starts, stops[stops.length - 1] + 1) - 1];
  stops = stops.filter((stop) => stop >= earliest);
  const repeated = lead < first ? countTokens(tokens, lead, first + 1) - countTokens(tokens, first, first + 1) : 0;
  const large = stops.filter((stop) => {
    return countTokens(tokens, lead, stop) - repeated >= least && countTokens(tokens, stop, last) >= least;
  });
  return (large.length ? large : stops).reduce((best, stop) => (strength[stop - 1] > strength[best - 1] ? stop : best)) - 1;
}

/** The places that part nothing, else code, else anything but what was joined by hand, else all. @param {number[]} stops @param {Uint8Array} kept */
function leastParting(stops, kept) {
  const tiers = [(/** @type {number} */ code) => code === FREE, (/** @type {number} */ code) => code === CODE, (/** @type {number} */ code) => code !== HAND];
  for (const isLeast of tiers) {
    const least = stops.filter((stop) => isLeast(kept[stop - 1]));
    if (least.length) return least;
  }
  return stops;
}

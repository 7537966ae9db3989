// The chunks of a setting, as chunking.chunks builds them: cuts within the limits, overlap, token counts and notes.
//
// A test holds this copy against Python over random documents and settings. What it cannot know, tokens inside a word, no
// setting that it is given needs: see places.js.

/** @import { Cuts, Setting, Source } from "./cuts.js" */
/** @import { Held, Tokens } from "./limits.js" */
import { cutsOf, isOwn, leftOut } from "./cuts.js";
import { FREE, countTokens, keptOf, limited, maximaOf } from "./limits.js";
import { lowerBound, plural } from "./numbers.js";

const INSIDE = -1; // strength of a place inside a sentence, and the gap at one
const REACH = 64; // characters per token that an overlap in tokens may reach back
const NO_OVERLAP = "no room for an overlap";
const SHORT_OVERLAP = "overlap shortened by the maximum";

/**
 * The places where a document may be cut: edge e lies between the atoms e and e + 1. Tokens have an entry for the start
 * of the text, for each edge, and for its end.
 *
 * @typedef {object} Ground
 * @property {number} length of the text, in characters
 * @property {Int32Array} offsets of the edges
 * @property {Int32Array} gaps at the edges, −1 inside a sentence
 * @property {Tokens} tokens of runs of atoms
 * @property {Words | null} words for an overlap in tokens
 * @property {Held} held what each edge would part
 */

/** Where words start; `cuts` are the places that their tokens are counted between. @typedef {{starts: Int32Array, cuts: Int32Array, tokens: Tokens}} Words */

/**
 * A cut that opens a chunk. `reason` is that of chunking.chunks; `gap` is −1 inside a sentence; `parts` is the code of
 * what it parts, which is kept together as far as the maximum allows.
 *
 * @typedef {{gap: number, reason: string, driver: string, score: number, threshold: number, parts: number}} Cut
 */

/**
 * @typedef {object} Chunk
 * @property {number} start @property {number} end
 * @property {number} reach where its overlap begins
 * @property {number} tokens @property {number} overlapTokens
 * @property {Cut | null} cut
 * @property {string[]} notes
 */

/**
 * What a setting makes of a document.
 *
 * @param {Source} source @param {Ground} ground @param {Setting} setting
 * @returns {{cuts: Cuts, chunks: Chunk[]}}
 */
export function chunksOf(source, ground, setting) {
  const divided = ground.gaps.length > source.semantic.length;
  const cuts = cutsOf(source, divided ? { ...setting, minimum: 0, softMinimum: 0, maximum: 0 } : setting);
  const edges = divided ? edgesWithin(cuts, ground, setting) : cuts.boundaries;
  const openings = edges.map((edge) => openingCut(cuts, ground, edge, setting));
  const boundaries = edges.map((edge) => ground.gaps[edge]).filter((gap) => gap !== INSIDE);
  const left = divided ? leftOut(cuts.exceeding, boundaries, setting, source.held) : cuts;
  const drivers = openings.filter(({ gap }) => gap !== INSIDE).map(({ driver }) => driver);
  const offsets = { suppressed: offsetsOfGaps(ground, left.suppressed), kept: offsetsOfGaps(ground, left.kept) };
  const { suppressed, kept } = left;
  return { cuts: { ...cuts, boundaries, drivers, suppressed, kept }, chunks: built(ground, edges, openings, offsets, setting) };
}

/** @param {Ground} ground @param {number[]} gaps ascending */
function offsetsOfGaps(ground, gaps) {
  let edge = 0;
  return gaps.map((gap) => {
    while (ground.gaps[edge] !== gap) edge++;
    return ground.offsets[edge];
  });
}

/**
 * What a division that Python has made within the limits comes to, with another overlap.
 *
 * @param {{gaps: Int32Array, openings: Cut[], kept: Int32Array, dropped: Int32Array}} division
 * @param {Ground} ground @param {Setting} setting
 */
export function chunksBetween({ gaps, openings, kept, dropped }, ground, setting) {
  const left = { suppressed: [], kept: offsetsOfGaps(ground, Array.from(kept)) };
  const edges = Array.from(gaps);
  const counts = countsInside(ground, boundsOf(ground, edges), offsetsOfGaps(ground, Array.from(dropped)));
  return built(ground, edges, openings, left, setting).map((chunk, index) => {
    const notes = counts[index] ? [`${plural(counts[index], "cut")} dropped to keep the limits`] : [];
    return { ...chunk, notes: [...notes, ...chunk.notes] };
  });
}

/** The places among the tokens between which chunks lie. @param {Ground} ground @param {number[]} edges */
function boundsOf(ground, edges) {
  return [0, ...edges.map((edge) => edge + 1), ground.offsets.length + 1];
}

/** The edges that remain where a sentence alone exceeds the maximum and is cut first. @param {Cuts} cuts @param {Ground} ground @param {Setting} setting */
function edgesWithin(cuts, ground, setting) {
  const own = new Set(cuts.own);
  const strength = Float64Array.from(ground.gaps, (gap) => (gap === INSIDE ? INSIDE : cuts.fused[gap]));
  /** @type {number[]} */ const first = [];
  ground.gaps.forEach((gap, edge) => {
    if (gap === INSIDE || own.has(gap)) first.push(edge);
  });
  return limited(first, strength, ground.tokens, setting, ground.held);
}

/** @param {Cuts} cuts @param {Ground} ground @param {number} edge @param {Setting} setting @returns {Cut} */
function openingCut(cuts, { gaps, held }, edge, setting) {
  const gap = gaps[edge];
  if (gap === INSIDE) return { gap, reason: "oversized_sentence", driver: "limit", score: NaN, threshold: NaN, parts: FREE };
  const score = cuts.score[gap];
  const isFree = isOwn(edge, setting, held);
  if (score > cuts.value && isFree) {
    return { gap, reason: "distance", driver: cuts.drive(gap), score, threshold: cuts.value, parts: FREE };
  }
  if (held.forced[edge]) return { gap, reason: "hand", driver: "hand", score, threshold: NaN, parts: FREE };
  return { gap, reason: "token_limit", driver: "limit", score, threshold: NaN, parts: keptOf(held, setting.keepTogether)[edge] };
}

/** @param {Ground} ground @param {number[]} edges @param {Cut[]} openings @param {{suppressed: number[], kept: number[]}} left offsets of cuts that are left out @param {Setting} setting @returns {Chunk[]} */
function built(ground, edges, openings, left, setting) {
  if (!ground.length) return [];
  const bounds = boundsOf(ground, edges);
  const overlaps = overlapsOf(ground, bounds, setting);
  const [merges, kept] = [left.suppressed, left.kept].map((offsets) => countsInside(ground, bounds, offsets));
  return overlaps.map(({ reach, tokens: overlapTokens, note }, index) => {
    const tokens = countTokens(ground.tokens, bounds[index], bounds[index + 1]);
    const notes = [...limitNotes(merges[index], kept[index], tokens, setting), ...note];
    const [start, end] = [placeOf(ground, bounds[index]), placeOf(ground, bounds[index + 1])];
    return { start, end, reach, tokens, overlapTokens, cut: openings[index - 1] ?? null, notes };
  });
}

/** The offset of a place. @param {Ground} ground @param {number} place */
function placeOf(ground, place) {
  return place === 0 ? 0 : place > ground.offsets.length ? ground.length : ground.offsets[place - 1];
}

/** How many of some cuts lie in each chunk. @param {Ground} ground @param {number[]} bounds @param {number[]} offsets of the cuts */
function countsInside(ground, bounds, offsets) {
  const ends = bounds.slice(1).map((place) => placeOf(ground, place));
  const counts = ends.map(() => 0);
  for (const offset of offsets) counts[lowerBound(ends, offset)]++;
  return counts;
}

/** What the constraints and the minima did to a chunk. @param {number} merges @param {number} kept @param {number} tokens @param {Setting} setting */
function limitNotes(merges, kept, tokens, { minimum, softMinimum }) {
  return [
    ...(merges ? [`${plural(merges, "cut")} removed to reach ${Math.max(minimum, softMinimum)} tokens`] : []),
    ...(kept ? [`${plural(kept, "cut")} left out, to keep together what belongs together`] : []),
    ...(tokens < minimum ? [`below the minimum of ${minimum}`] : []),
  ];
}

/** @typedef {{reach: number, tokens: number, note: string[]}} Overlap */

/** The overlap of each chunk. @param {Ground} ground @param {number[]} bounds @param {Setting} setting @returns {Overlap[]} */
function overlapsOf(ground, bounds, { overlap, overlapUnit, maximum, fitEncoder }) {
  const starts = bounds.slice(0, -1);
  if (!overlap) return starts.map((place) => ({ reach: placeOf(ground, place), tokens: 0, note: [] }));
  const within = overlapUnit === "tokens" ? wordsBefore(ground, overlap) : runsBefore(ground, starts, overlap);
  const maxima = maximaOf(ground.tokens, { maximum, fitEncoder });
  return starts.map((place, index) => {
    const start = placeOf(ground, place);
    if (!index) return { reach: start, tokens: 0, note: [] };
    const [reach, tokens] = within(place, bounds[index + 1], maxima(place));
    const shortened = maximum > 0 && reach > within(place, bounds[index + 1], Infinity)[0];
    return { reach, tokens, note: reach === start ? [NO_OVERLAP] : shortened ? [SHORT_OVERLAP] : [] };
  });
}

/** Returns where an overlap begins, and its tokens, from the places of a chunk and the maximum. @typedef {(start: number, end: number, maximum: number) => [number, number]} Reaching */

/** The last sentences before a chunk; a piece of one that was cut counts as one. @param {Ground} ground @param {number[]} starts @param {number} overlap @returns {Reaching} */
function runsBefore(ground, starts, overlap) {
  const isStart = new Set(starts);
  /** @type {number[]} */ const begins = [0];
  ground.gaps.forEach((gap, edge) => {
    if (gap !== INSIDE || isStart.has(edge + 1)) begins.push(edge + 1);
  });
  return (start, end, maximum) => {
    const stop = lowerBound(begins, start);
    let low = Math.max(stop - overlap, 0);
    let high = maximum < Infinity ? stop : low;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (countTokens(ground.tokens, begins[middle], end) <= maximum) high = middle;
      else low = middle + 1;
    }
    const begin = low < stop ? begins[low] : start;
    return [placeOf(ground, begin), begin < start ? countTokens(ground.tokens, begin, start) : 0];
  };
}

/** The longest run of whole words before a chunk that keeps the overlap and the maximum. @param {Ground} ground @param {number} overlap @returns {Reaching} */
function wordsBefore(ground, overlap) {
  const words = ground.words;
  if (!words) throw new Error("The words of the text are missing.");
  const count = (/** @type {number} */ from, /** @type {number} */ to) =>
    countTokens(words.tokens, lowerBound(words.cuts, from), lowerBound(words.cuts, to));
  return (ownPlace, endPlace, maximum) => {
    const start = placeOf(ground, ownPlace);
    const end = placeOf(ground, endPlace);
    let high = lowerBound(words.starts, start);
    let low = Math.max(high - overlap, lowerBound(words.starts, start - REACH * overlap));
    const stop = high;
    while (low < high) {
      const middle = (low + high) >> 1;
      const begin = words.starts[middle];
      if (count(begin, start) <= overlap && (maximum === Infinity || count(begin, end) <= maximum)) high = middle;
      else low = middle + 1;
    }
    const reach = low < stop ? words.starts[low] : start;
    return [reach, reach < start ? count(reach, start) : 0];
  };
}

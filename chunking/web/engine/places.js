// The places of a document where a chunk or an overlap may begin, and where a setting can cut.

/** @import { Ground, Words } from "./chunks.js" */
/** @import { Tokens } from "./limits.js" */
import { countTokens } from "./limits.js";

/** What a place is: a gap, the start of a word, the end of a word of a sentence, and the end of a clause. */
export const GAP = 1;
export const WORD = 2;
export const PIECE = 4;
export const CLAUSE = 8;

const INSIDE_SENTENCE = -1; // the gap at a place inside a sentence

/**
 * Places in ascending order, the first at the start of the text and the last at its end.
 *
 * @typedef {object} PlaceData
 * @property {Int32Array} offsets in code points
 * @property {Uint8Array} flags
 * @property {Tokens} tokens
 */

/** The places of a document. */
export class Places {
  /** @param {PlaceData} data */
  constructor({ offsets, flags, tokens }) {
    this.offsets = offsets;
    this.flags = flags;
    this.tokens = tokens;
    /** @type {Words} */
    this.words = { starts: offsets.filter((_, place) => (flags[place] & WORD) !== 0), cuts: offsets, tokens };
    /** The places between which whole sentences lie. */
    this.bounds = this.sentenceBounds();
    this.gapGround = this.groundOf(this.bounds);
    /** @type {[number, Ground] | null} */ this.latest = null;
    this.longestPiece = this.tokensOfLongestPiece();
  }

  sentenceBounds() {
    const last = this.offsets.length - 1;
    /** @type {number[]} */ const places = [];
    for (let place = 0; place <= last; place++) {
      if (this.flags[place] & GAP || place === 0 || place === last) places.push(place);
    }
    return Int32Array.from(places);
  }

  /** @param {Int32Array} bounds places, with both ends of the text @returns {Ground} */
  groundOf(bounds) {
    const inner = bounds.subarray(1, Math.max(bounds.length - 1, 1));
    let gap = 0;
    const pick = (/** @type {Int32Array} */ column) => Int32Array.from(bounds, (place) => column[place]);
    const { head, tail, toAfter, toBefore, seamless } = this.tokens;
    return {
      length: this.offsets[this.offsets.length - 1] ?? 0,
      offsets: Int32Array.from(inner, (place) => this.offsets[place]),
      gaps: Int32Array.from(inner, (place) => (this.flags[place] & GAP ? gap++ : INSIDE_SENTENCE)),
      tokens: {
        head: pick(head),
        tail: pick(tail),
        toAfter: pick(toAfter),
        toBefore: pick(toBefore),
        seamless: (first, last) => seamless(bounds[first], bounds[last]),
      },
      words: this.words,
    };
  }

  /**
   * Where a setting can cut: at the gaps, and in sentences that alone exceed the maximum.
   *
   * @param {{maximum: number, overlap: number, overlapUnit: string}} sizes
   */
  groundFor({ maximum, overlap, overlapUnit }) {
    const room = maximum ? maximum - (overlapUnit === "tokens" ? overlap : 0) : 0;
    if (room <= 0) return this.gapGround;
    if (this.latest?.[0] !== room) this.latest = [room, this.dividedGround(room)];
    return this.latest[1];
  }

  /** @param {number} room tokens of a piece of a sentence */
  dividedGround(room) {
    /** @type {number[]} */ const bounds = [];
    let isDivided = false;
    for (let atom = 0; atom + 1 < this.bounds.length; atom++) {
      const [first, last] = [this.bounds[atom], this.bounds[atom + 1]];
      bounds.push(first);
      if (countTokens(this.tokens, first, last) <= room) continue;
      const inner = this.cutsInside(first, last, room);
      isDivided ||= inner.length > 0;
      bounds.push(...inner);
    }
    if (!isDivided) return this.gapGround;
    bounds.push(this.bounds[this.bounds.length - 1]);
    return this.groundOf(Int32Array.from(bounds));
  }

  /** The places that cut a sentence into pieces, as limits.split_atom chooses them. @param {number} first @param {number} last @param {number} room */
  cutsInside(first, last, room) {
    /** @type {number[]} */ const candidates = [first];
    for (let place = first + 1; place < last; place++) if (this.flags[place] & (PIECE | CLAUSE)) candidates.push(place);
    candidates.push(last);
    /** @type {number[]} */ const cuts = [];
    let at = 0;
    while (at < candidates.length - 1 && countTokens(this.tokens, candidates[at], last) > room) {
      at = this.bestPiece(candidates, at, room);
      if (at < candidates.length - 1) cuts.push(candidates[at]);
    }
    return cuts;
  }

  /** The last place that ends a clause, else a word, of a piece that fits and is not tiny. @param {number[]} candidates @param {number} at @param {number} room */
  bestPiece(candidates, at, room) {
    const start = candidates[at];
    const bound = this.tokens.toAfter[start] + room; // past it every count is too large
    /** @type {number[]} */ const fitting = [];
    for (let next = at + 1; next < candidates.length && this.tokens.toBefore[candidates[next]] <= bound; next++) {
      if (countTokens(this.tokens, start, candidates[next]) <= room) fitting.push(next);
    }
    if (!fitting.length) return at + 1; // a single word exceeds the maximum
    const offsetOf = (/** @type {number} */ index) => this.offsets[candidates[index]] - this.offsets[start];
    const furthest = offsetOf(fitting[fitting.length - 1]);
    const late = fitting.filter((index) => 2 * offsetOf(index) >= furthest);
    const clauses = late.filter((index) => this.flags[candidates[index]] & CLAUSE);
    return (clauses.length ? clauses : late).at(-1) ?? at + 1;
  }

  /** Below it, a maximum would cut inside words, whose tokens are not known here. */
  tokensOfLongestPiece() {
    let longest = 0;
    let start = 0;
    for (let place = 1; place < this.offsets.length; place++) {
      const ends = this.flags[place] & (GAP | PIECE | CLAUSE) || place === this.offsets.length - 1;
      if (!ends) continue;
      longest = Math.max(longest, countTokens(this.tokens, start, place));
      start = place;
    }
    return longest;
  }
}

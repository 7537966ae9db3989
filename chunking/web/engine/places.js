// The places of a document where a chunk or an overlap may begin, and where a setting can cut.

/** @import { Ground, Words } from "./chunks.js" */
/** @import { Held, Rooms, Sizes, Tokens } from "./limits.js" */
import { CODE, FREE, HAND, countTokens, keptOf, roomsOf } from "./limits.js";
import { lowerBound } from "./numbers.js";

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
 * @property {Stretches} stretches
 */

/**
 * Stretches of offsets in code points, each without its start: of what is kept together, with the code of its kind, the
 * last of those that overlap counts; and of places before a heading.
 *
 * @typedef {Record<"starts" | "ends" | "codes" | "aboveStarts" | "aboveEnds", Int32Array>} Stretches
 */

/** What was decided by hand: the offset of a place, and whether a chunk begins there. @typedef {Map<number, boolean>} HandCuts */

/** The places of a document. */
export class Places {
  /** @type {HandCuts} */ byHand = new Map();

  /** @param {PlaceData} data */
  constructor({ offsets, flags, tokens, stretches }) {
    this.stretches = stretches;
    this.offsets = offsets;
    this.flags = flags;
    this.tokens = tokens;
    /** @type {Words} */
    this.words = { starts: offsets.filter((_, place) => (flags[place] & WORD) !== 0), cuts: offsets, tokens };
    /** The places between which whole sentences lie. */
    this.bounds = this.sentenceBounds();
    this.gapGround = this.groundOf(this.bounds);
    /** @type {[string, Ground] | null} */ this.latest = null;
    this.longestPiece = this.tokensOfLongestPiece();
  }

  /** Takes what was decided by hand. @param {HandCuts} byHand */
  setByHand(byHand) {
    this.byHand = byHand;
    this.gapGround = this.groundOf(this.bounds);
    this.latest = null;
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
    const { head, tail, toAfter, toBefore, seamless, context, readLimit } = this.tokens;
    const offsets = Int32Array.from(inner, (place) => this.offsets[place]);
    return {
      length: this.offsets[this.offsets.length - 1] ?? 0,
      offsets,
      held: this.heldAt(offsets),
      gaps: Int32Array.from(inner, (place) => (this.flags[place] & GAP ? gap++ : INSIDE_SENTENCE)),
      tokens: {
        head: pick(head),
        tail: pick(tail),
        toAfter: pick(toAfter),
        toBefore: pick(toBefore),
        seamless: (first, last) => seamless(bounds[first], bounds[last]),
        context: pick(context),
        readLimit,
      },
      words: this.words,
    };
  }

  /** What each of some ascending offsets would part, as Constraints has it in chunking.chunks. @param {Int32Array} offsets @returns {Held} */
  heldAt(offsets) {
    const { starts, ends, codes, aboveStarts, aboveEnds } = this.stretches;
    const [kept, joined, heads, forced] = [0, 0, 0, 0].map(() => new Uint8Array(offsets.length));
    const after = (/** @type {number} */ offset) => lowerBound(offsets, offset + 1);
    starts.forEach((start, index) => kept.fill(codes[index], after(start), after(ends[index])));
    aboveStarts.forEach((start, index) => heads.fill(1, after(start), after(aboveEnds[index])));
    for (const [offset, isCut] of this.byHand) {
      const edge = lowerBound(offsets, offset);
      if (offsets[edge] !== offset) continue;
      forced[edge] = Number(isCut);
      kept[edge] = joined[edge] = isCut ? FREE : HAND;
    }
    return { kept, joined, heads, forced };
  }

  /**
   * Where a setting can cut: at the gaps, and in sentences that alone exceed the maximum.
   *
   * @param {Pick<Sizes, "maximum" | "overlap" | "overlapUnit" | "fitEncoder" | "keepTogether">} sizes
   */
  groundFor(sizes) {
    const { maximum, overlap, overlapUnit, fitEncoder, keepTogether } = sizes;
    if (!maximum) return this.gapGround;
    const key = [maximum, overlapUnit === "tokens" ? overlap : 0, fitEncoder, keepTogether].join();
    if (this.latest?.[0] !== key) this.latest = [key, this.dividedGround(roomsOf(this.tokens, sizes), keepTogether)];
    return this.latest[1];
  }

  /** @param {Rooms} rooms tokens of a piece of a sentence, by its place @param {boolean} keepTogether */
  dividedGround(rooms, keepTogether) {
    /** @type {number[]} */ const bounds = [];
    let isDivided = false;
    for (let atom = 0; atom + 1 < this.bounds.length; atom++) {
      const [first, last] = [this.bounds[atom], this.bounds[atom + 1]];
      const room = rooms(first);
      bounds.push(first);
      if (countTokens(this.tokens, first, last) <= room) continue;
      const inner = this.cutsInside(first, last, room, room - this.boundBefore(atom, room, keepTogether));
      isDivided ||= inner.length > 0;
      bounds.push(...inner);
    }
    if (!isDivided) return this.gapGround;
    bounds.push(this.bounds[this.bounds.length - 1]);
    return this.groundOf(Int32Array.from(bounds));
  }

  /** The tokens before a sentence that are kept together with it; 0 if there are none or too many. @param {number} atom @param {number} room @param {boolean} keepTogether */
  boundBefore(atom, room, keepTogether) {
    const kept = keptOf(this.gapGround.held, keepTogether);
    let first = atom;
    while (first && kept[first - 1] !== FREE && kept[first - 1] !== CODE) first--;
    const bound = first < atom ? countTokens(this.tokens, this.bounds[first], this.bounds[atom]) : 0;
    return 2 * bound <= room ? bound : 0;
  }

  /**
   * The places that cut a sentence into pieces, as limits.split_segment chooses them.
   *
   * @param {number} first @param {number} last @param {number} room @param {number} firstRoom of the first piece
   */
  cutsInside(first, last, room, firstRoom) {
    /** @type {number[]} */ const candidates = [first];
    for (let place = first + 1; place < last; place++) if (this.flags[place] & (PIECE | CLAUSE)) candidates.push(place);
    candidates.push(last);
    /** @type {number[]} */ const cuts = [];
    let at = 0;
    const roomAt = () => (at === 0 ? firstRoom : room);
    while (at < candidates.length - 1 && countTokens(this.tokens, candidates[at], last) > roomAt()) {
      at = this.bestPiece(candidates, at, roomAt());
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

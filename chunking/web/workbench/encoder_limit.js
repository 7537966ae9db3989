// How much of each chunk the encoder reads, in its own tokens.

/** @import { Packed } from "../base/packed.js" */
/** @import { Tokens } from "../engine/limits.js" */
/** @import { ShownChunk, TokensData } from "./segmentation.js" */
import { wholeNumbers } from "../base/packed.js";
import { countTokens } from "../engine/limits.js";
import { lowerBound } from "../engine/numbers.js";
import { tokensFrom } from "./segmentation.js";

/** @typedef {{encoder: string, maximum: number, special: number, offsets: Packed, tokens: TokensData}} LimitData */

export class EncoderLimit {
  /** @param {LimitData} data */
  constructor({ encoder, maximum, special, offsets, tokens }) {
    this.encoder = encoder;
    this.maximum = maximum;
    /** Tokens that the encoder adds to each text. */ this.special = special;
    this.offsets = wholeNumbers(offsets);
    /** @type {Tokens} */ this.tokens = tokensFrom(tokens);
  }

  /** The encoder's tokens from one offset to another, each rounded up to the next place that is known. @param {number} start @param {number} end */
  count(start, end) {
    return this.special + countTokens(this.tokens, lowerBound(this.offsets, start), lowerBound(this.offsets, end));
  }

  /**
   * Where the encoder stops reading, by the index of each chunk that it does not read to its end.
   *
   * @param {ShownChunk[]} chunks
   * @returns {Map<number, number>} offsets in code points
   */
  unreadFrom(chunks) {
    /** @type {Map<number, number>} */ const unread = new Map();
    chunks.forEach(({ reach, start, end }, index) => {
      if (this.count(reach, end) > this.maximum) unread.set(index, Math.max(this.lastRead(reach, end), start));
    });
    return unread;
  }

  /** @param {number} start @param {number} end */
  lastRead(start, end) {
    const first = lowerBound(this.offsets, start);
    let low = first;
    let high = lowerBound(this.offsets, end);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.special + countTokens(this.tokens, first, middle) <= this.maximum) low = middle;
      else high = middle - 1;
    }
    return this.offsets[low];
  }
}

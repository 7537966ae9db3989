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
    /** @type {Tokens} */ this.tokens = tokensFrom(tokens, this.offsets);
  }

  /**
   * The encoder's tokens of what is embedded for a chunk; offsets are rounded up to the next place that is known.
   *
   * @param {Pick<ShownChunk, "reach" | "start" | "end">} chunk
   */
  count({ reach, start, end }) {
    const [first, last] = [reach, end].map((offset) => lowerBound(this.offsets, offset));
    return this.before(start) + countTokens(this.tokens, first, last);
  }

  /** The tokens before the text of a chunk: those that the encoder adds, its heading path and the header of its table. @param {number} start */
  before(start) {
    return this.special + this.tokens.context[lowerBound(this.offsets, start)];
  }

  /**
   * Where the encoder stops reading, by the index of each chunk that it does not read to its end.
   *
   * @param {ShownChunk[]} chunks
   * @returns {Map<number, number>} offsets in code points
   */
  unreadFrom(chunks) {
    /** @type {Map<number, number>} */ const unread = new Map();
    chunks.forEach((chunk, index) => {
      if (this.count(chunk) > this.maximum) unread.set(index, Math.max(this.lastRead(chunk), chunk.start));
    });
    return unread;
  }

  /** @param {Pick<ShownChunk, "reach" | "start" | "end">} chunk */
  lastRead({ reach, start, end }) {
    const first = lowerBound(this.offsets, reach);
    const before = this.before(start);
    let low = first;
    let high = lowerBound(this.offsets, end);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (before + countTokens(this.tokens, first, middle) <= this.maximum) low = middle;
      else high = middle - 1;
    }
    return this.offsets[low];
  }
}

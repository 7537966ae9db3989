// The text of a document with its sentences and headings.

/** @import { Packed } from "../base/packed.js" */
import { wholeNumbers } from "../base/packed.js";
import { firstWhere, lowerBound } from "../engine/numbers.js";

const SPACE = /[\s\x1c-\x1f\x85]/;

/** @typedef {{text: string, offsets: Packed, spans: Packed, headings: {starts: Packed, paths: string[][]}}} TextData */

/** The document. Offsets are code points, as Python counts them; units are those of JavaScript strings. */
export class SourceText {
  /** @param {TextData} data */
  constructor({ text, offsets, spans, headings }) {
    this.text = text;
    this.offsets = wholeNumbers(offsets);
    this.spans = wholeNumbers(spans);
    this.starts = wholeNumbers(headings.starts);
    this.paths = headings.paths;
    /** Code points before which a pair of units stands. @type {number[]} */ this.pairs = [];
    let point = 0;
    for (let unit = 0; unit < text.length; unit++, point++) {
      if ((text.codePointAt(unit) ?? 0) > 0xffff) {
        this.pairs.push(point);
        unit++;
      }
    }
    this.length = point;
    /** Offsets of the gaps in the JavaScript string. */ this.gapUnits = this.offsets.map((offset) => this.unit(offset));
  }

  /** @param {number} start @param {number} end in code points */
  slice(start, end) {
    return this.text.slice(this.unit(start), this.unit(end));
  }

  /** @param {number} point */
  unit(point) {
    return point + lowerBound(this.pairs, point);
  }

  /** The code point of an offset in the JavaScript string; of both halves of a pair, that of the pair. @param {number} unit */
  point(unit) {
    return unit - firstWhere(this.pairs.length, (index) => this.pairs[index] + index >= unit);
  }

  /** The gap at an offset, −1 where there is none. @param {number} point */
  gapAt(point) {
    const gap = lowerBound(this.offsets, point);
    return this.offsets[gap] === point ? gap : -1;
  }

  /** The gap that a cut is nearest to: that between whose sentences it lies, else the nearest before or after; −1 without gaps. @param {number} point */
  nearestGap(point) {
    const { offsets, spans } = this;
    if (!offsets.length) return -1;
    const between = Math.min(firstWhere(offsets.length, (gap) => spans[2 * gap + 2] >= point), offsets.length - 1);
    if (spans[2 * between + 1] <= point && point <= spans[2 * between + 2]) return between;
    const after = Math.min(lowerBound(offsets, point), offsets.length - 1);
    const before = Math.max(lowerBound(offsets, point) - 1, 0);
    return Math.abs(point - offsets[before]) <= Math.abs(offsets[after] - point) ? before : after;
  }

  /** The titles of the headings above a chunk's first word. @param {number} start @param {number} end */
  path(start, end) {
    let first = start;
    while (first < end - 1 && SPACE.test(this.text[this.unit(first)])) first++;
    const place = lowerBound(this.starts, first + 1);
    return place ? this.paths[place - 1] : [];
  }

  /** The text of a sentence. @param {number} sentence */
  sentence(sentence) {
    return this.slice(this.spans[2 * sentence], this.spans[2 * sentence + 1]);
  }
}

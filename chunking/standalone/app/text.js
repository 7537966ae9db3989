// The text of the document. It comes from anywhere: this is the one place where it becomes HTML.

/** @import { Packed } from "./numbers.js" */
import { lowerBound } from "../../web/engine/numbers.js";
import { wholeNumbers } from "./numbers.js";

const ENTITIES = /** @type {Record<string, string>} */ ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" });
// What HTML cannot hold or would change, as chunking.figures.page.prose has it.
const UNPRINTABLE = /[\0-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const SPACE = /[\s\x1c-\x1f\x85]/;

/** @param {string} text */
export function escaped(text) {
  return text.replace(UNPRINTABLE, "\ufffd").replace(/[&<>"']/g, (each) => ENTITIES[each]);
}

/** @typedef {{text: string, offsets: Packed, spans: Packed, headings: {starts: Packed, paths: string[][]}}} TextData */

/** The document; offsets are code points, as Python counts them. */
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
  }

  /** @param {number} start @param {number} end in code points */
  slice(start, end) {
    return this.text.slice(this.unit(start), this.unit(end));
  }

  /** @param {number} point */
  unit(point) {
    return point + lowerBound(this.pairs, point);
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

// The words of a document on the pages of its file.

/** @import { Packed } from "../base/packed.js" */
/** @import { SourceText } from "../text/source_text.js" */
import { wholeNumbers } from "../base/packed.js";
import { firstWhere } from "../engine/numbers.js";

/** Edges in tenths of a point from the page's top left corner. @typedef {[left: number, top: number, right: number, bottom: number]} Box */

/**
 * Where words are on pages, in tenths of a point; their spans in code points. A line is on one page, and begins with a word.
 *
 * @typedef {object} PagesData
 * @property {Packed} sizes width and height of each page
 * @property {{words: Packed, page: Packed, top: Packed, bottom: Packed}} lines
 * @property {{start: Packed, end: Packed, left: Packed, right: Packed}} words
 * @property {{page: number, kind: string, box: Box}[]} asides what is in no chunk
 */

/** The words of pages. Offsets are those of the JavaScript string. */
export class PageWords {
  /** @param {PagesData} data @param {SourceText} source */
  constructor({ sizes, lines, words }, source) {
    this.source = source;
    this.sizes = wholeNumbers(sizes);
    this.lines = { words: wholeNumbers(lines.words), page: wholeNumbers(lines.page), top: wholeNumbers(lines.top), bottom: wholeNumbers(lines.bottom) };
    const units = (/** @type {Packed} */ points) => wholeNumbers(points).map((point) => source.unit(point));
    this.words = { start: units(words.start), end: units(words.end), left: wholeNumbers(words.left), right: wholeNumbers(words.right) };
    /** Lines of each page, in the order of the text. @type {number[][]} */
    this.linesOf = Array.from({ length: this.count }, () => []);
    this.lines.page.forEach((page, line) => this.linesOf[page]?.push(line));
  }

  get count() {
    return this.sizes.length / 2;
  }

  /** The line that a word is on. @param {number} word */
  lineOf(word) {
    return firstWhere(this.lines.words.length, (line) => this.lines.words[line] > word) - 1;
  }

  /** The first word that an offset is in or before; the number of words for none. @param {number} offset */
  wordAt(offset) {
    return firstWhere(this.words.end.length, (word) => this.words.end[word] > offset);
  }

  /** The words of a line, from the first to before the last. @param {number} line @returns {[number, number]} */
  wordsOf(line) {
    return [this.lines.words[line], this.lines.words[line + 1] ?? this.words.start.length];
  }

  /** The edges of a line. @param {number} line @returns {Box} */
  boxOf(line) {
    const [first, last] = this.wordsOf(line);
    const { left, right } = this.words;
    return [Math.min(...left.subarray(first, last)), this.lines.top[line], Math.max(...right.subarray(first, last)), this.lines.bottom[line]];
  }

  /** Whether a line of more than one word runs from right to left. @param {number} line */
  isBackwards(line) {
    const [first, last] = this.wordsOf(line);
    return last - first > 1 && this.words.left[first] > this.words.left[last - 1];
  }
}

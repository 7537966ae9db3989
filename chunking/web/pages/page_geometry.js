// Where the gaps of a document are on the pages of its file; it answers what the geometry of a text does.

/** @import { Palette } from "../workbench/canvas.js" */
/** @import { Extent, Outline, Position } from "../workbench/geometry.js" */
/** @import { Sheet } from "./page_sheets.js" */
/** @import { PageWords } from "./page_words.js" */
import { GapPlaces } from "../workbench/geometry.js";
import { rowsOf } from "./page_rows.js";

const REACH = 14; // pixels around a line in which it is still pointed at
const NEAR = 60; // pixels around a bar in which it is still pointed at
const BESIDE = 6; // pixels between a column and the number at its right

/**
 * A line of the text as a row of its column, in pixels; `isFirst` and `isLast` tell that no other is at its left or right.
 *
 * @typedef {{line: number, left: number, top: number, right: number, bottom: number, start: number, end: number, isFirst: boolean, isLast: boolean}} Row
 */

export class PageGeometry extends GapPlaces {
  /** @param {PageWords} pages @param {Sheet[]} frames where each is @param {Palette} palette of what is drawn on paper */
  constructor(pages, frames, palette) {
    const { source } = pages;
    super(source.gapUnits, source.text.length);
    this.pages = pages;
    this.palette = palette;
    this.frames = frames;
    /** @type {Map<number, Row[]>} */ this.rows = new Map(); // of the pages that were looked at
    /** @type {Map<number, Position>} */ this.positions = new Map();
    const lowest = this.frames.at(-1);
    this.last = lowest ? lowest.top + lowest.height : 0;
    this.first = this.topOf(0);
    this.offsets.forEach((offset, gap) => (this.y[gap] = this.topOf(offset)));
    this.spread(this.offsets.map((_, gap) => gap).sort((one, other) => this.y[one] - this.y[other]));
  }

  /** About the height of a place: that of the line behind it. @param {number} offset */
  topOf(offset) {
    const { pages, frames } = this;
    const word = pages.wordAt(offset);
    if (word >= pages.words.start.length) return this.last;
    const line = pages.lineOf(word);
    const { top, scale } = frames[pages.lines.page[line]];
    return top + pages.lines.top[line] * scale;
  }

  // ---- pages and rows

  /** The page at a height: the first that ends below it. @param {number} y */
  pageAt(y) {
    const page = this.frames.findIndex(({ top, height }) => top + height > y);
    return page < 0 ? Math.max(this.frames.length - 1, 0) : page;
  }

  /** @param {number} from @param {number} to heights */
  pagesBetween(from, to) {
    const [first, last] = [this.pageAt(from), this.pageAt(to)];
    return this.frames.length ? Array.from({ length: last - first + 1 }, (_, index) => first + index) : [];
  }

  /** The rows of a page, in the order of the text. @param {number} page */
  rowsOf(page) {
    let rows = this.rows.get(page);
    if (!rows) {
      const { pages } = this;
      const { left, top, scale } = this.frames[page];
      const lines = pages.linesOf[page];
      rows = rowsOf(lines.map((line) => pages.boxOf(line))).map(({ box, isFirst, isLast }, index) => {
        const [x0, y0, x1, y1] = box;
        const [first, last] = pages.wordsOf(lines[index]);
        const [across, down] = [(/** @type {number} */ x) => Math.round(left + x * scale), (/** @type {number} */ y) => Math.round(top + y * scale)]; // whole, so that rows meet
        const edges = { left: across(x0), top: down(y0), right: across(x1), bottom: down(y1) };
        return { line: lines[index], ...edges, start: pages.words.start[first], end: pages.words.end[last - 1], isFirst, isLast };
      });
      this.rows.set(page, rows);
    }
    return rows;
  }

  /** The row of a word. @param {number} word @returns {Row | undefined} */
  rowOf(word) {
    const line = this.pages.lineOf(word);
    return this.rowsOf(this.pages.lines.page[line]).find((row) => row.line === line);
  }

  // ---- places

  /** @param {number} gap −1 for none @param {number} offset @returns {Position} */
  position(gap, offset) {
    const at = gap >= 0 ? this.offsets[gap] : offset;
    let position = this.positions.get(at);
    if (!position) {
      position = this.positionAt(at);
      this.positions.set(at, position);
    }
    return position;
  }

  /** @param {number} offset @returns {Position} */
  positionAt(offset) {
    const word = this.pages.wordAt(offset);
    const row = word < this.pages.words.start.length ? this.rowOf(word) : undefined;
    if (!row) return this.closing;
    const column = { left: row.left, right: row.right };
    const isRightToLeft = this.pages.isBackwards(row.line);
    const { top, bottom } = row;
    if (offset <= row.start) return { offset, y: top, x: 0, top, bottom: top, isInline: false, isRightToLeft, column };
    return { offset, y: (top + bottom) / 2, x: this.acrossTo(word, offset, isRightToLeft), top, bottom, isInline: true, isRightToLeft, column };
  }

  /** How far across a place amid a line is: in a word, or half-way between two. @param {number} word @param {number} offset @param {boolean} isRightToLeft */
  acrossTo(word, offset, isRightToLeft) {
    const { words, lines } = this.pages;
    const { left: edge, scale } = this.frames[lines.page[this.pages.lineOf(word)]];
    const [left, right] = [words.left[word], words.right[word]];
    if (offset <= words.start[word]) {
      const between = isRightToLeft ? words.left[word - 1] + right : words.right[word - 1] + left;
      return edge + (between / 2) * scale;
    }
    const share = (offset - words.start[word]) / (words.end[word] - words.start[word]);
    return edge + (isRightToLeft ? right - share * (right - left) : left + share * (right - left)) * scale;
  }

  /** The offset of the first line of the text that ends below a height. @param {number} y */
  offsetAt(y) {
    const { pages, frames } = this;
    for (let page = this.pageAt(y); page < frames.length; page++) {
      const { top, scale } = frames[page];
      const line = pages.linesOf[page].find((index) => top + pages.lines.bottom[index] * scale > y);
      if (line !== undefined) return pages.words.start[pages.lines.words[line]];
    }
    return this.length;
  }

  /** Offsets between which all text from one height to another is. @param {number} from @param {number} to @returns {[number, number]} */
  offsetsBetween(from, to) {
    const rows = this.pagesBetween(from, to).flatMap((page) => this.rowsOf(page));
    if (!rows.length) return [this.offsetAt(from), this.offsetAt(to)];
    return [Math.min(...rows.map(({ start }) => start)), Math.max(...rows.map(({ end }) => end))];
  }

  /** @param {number} from @param {number} to */
  gapsBetween(from, to) {
    const gaps = [];
    for (let gap = 0; gap < this.y.length; gap++) if (this.y[gap] >= from && this.y[gap] < to) gaps.push(gap);
    return gaps;
  }

  /** Whether a gap is next to the margin: no text is at the right of its line. @param {number} gap */
  isAtMargin(gap) {
    const word = this.pages.wordAt(this.offsets[gap]);
    return word < this.pages.words.start.length && (this.rowOf(word)?.isLast ?? false);
  }

  /** The gap nearest to a point of the page; −1 without one. @param {number} x @param {number} y @param {boolean} isBar whether the point is among the bars */
  gapNear(x, y, isBar) {
    if (isBar) return this.barNear(y);
    let nearest;
    let least = REACH;
    for (const row of this.rowsOf(this.pageAt(y))) {
      const distance = Math.hypot(Math.max(row.left - x, 0, x - row.right), Math.max(row.top - y, 0, y - row.bottom));
      if (distance < least) [nearest, least] = [row, distance];
    }
    if (!nearest) return -1;
    const { source } = this.pages;
    return source.nearestGap(source.point(Math.round(this.offsetAcross(nearest, x))));
  }

  /** @param {number} y */
  barNear(y) {
    const away = (/** @type {number} */ gap) => Math.abs(this.y[gap] + this.shift[gap] - y);
    const gaps = this.gapsBetween(y - NEAR, y + NEAR).filter((gap) => this.isAtMargin(gap));
    return gaps.reduce((nearest, gap) => (nearest < 0 || away(gap) < away(nearest) ? gap : nearest), -1);
  }

  /** The offset of a row at a distance from the left. @param {Row} row @param {number} x */
  offsetAcross({ line }, x) {
    const { words, lines } = this.pages;
    const { left, scale } = this.frames[lines.page[line]];
    const at = (x - left) / scale;
    const isRightToLeft = this.pages.isBackwards(line);
    const [first, last] = this.pages.wordsOf(line);
    let word = first;
    for (let other = first; other < last; other++) if (isRightToLeft ? words.right[other] >= at : words.left[other] <= at) word = other;
    const width = Math.max(words.right[word] - words.left[word], 1);
    const share = Math.min(Math.max(isRightToLeft ? words.right[word] - at : at - words.left[word], 0) / width, 1);
    return words.start[word] + share * (words.end[word] - words.start[word]);
  }

  // ---- what is drawn

  /** The parts of rows between two places. @param {Position} start @param {Position} end @param {Extent} extent */
  *partsBetween(start, end, { from, to }) {
    for (const page of this.pagesBetween(from, to)) {
      for (const row of this.rowsOf(page)) {
        if (row.end <= start.offset || row.start >= end.offset) continue;
        const [begins, ends] = [row.start < start.offset, row.end > end.offset];
        let { left, right } = row;
        if (begins) start.isRightToLeft ? (right = start.x) : (left = start.x);
        if (ends) end.isRightToLeft ? (left = end.x) : (right = end.x);
        yield { left, right, top: row.top, bottom: row.bottom, isAtEdge: left === row.left };
      }
    }
  }

  /** @param {Position} start @param {Position} end @param {Extent} extent @returns {Outline[]} */
  areas(start, end, extent) {
    return Array.from(this.partsBetween(start, end, extent), ({ left, right, top, bottom }) => [[left, top], [right, top], [right, bottom], [left, bottom]]); // prettier-ignore
  }

  /** @param {Position} start @param {Position} end @param {Extent} extent @returns {[x: number, top: number, bottom: number][]} */
  edges(start, end, extent) {
    const parts = Array.from(this.partsBetween(start, end, extent)).filter(({ isAtEdge }) => isAtEdge);
    return parts.map(({ left, top, bottom }) => [left, top, bottom]);
  }

  /** At the right of a column that others are at the left of. @param {Position} position */
  labelAt({ offset, column }) {
    const word = this.pages.wordAt(offset);
    const row = column && word < this.pages.words.start.length ? this.rowOf(word) : undefined;
    return row && row.isLast && !row.isFirst ? row.right + BESIDE : null;
  }
}

// The rows of the columns: the text between neighbouring cuts of any of them, and where the columns differ.

/** @import { StoredDocument } from "../base/bus.js" */
/** @import { SideColumn } from "../messages.js" */
import { lowerBound } from "../base/numbers.js";
import { isSecondHalf } from "../base/text.js";

const LONG_ROW = 3000; // characters above which a row without cuts is laid in parts
export const NOWHERE = -1; // owner of text that is in no chunk
const BLANK = /\s*/y;

/**
 * A stretch of text; bit c of `mask`: column c begins or ends a chunk at `from`. A soft row only continues the one
 * before, which would be too long.
 *
 * @typedef {{from: number, to: number, mask: number, soft: boolean}} Row
 */

/** The next character that is not blank. @param {string} text @param {number} at */
export function skipBlank(text, at) {
  BLANK.lastIndex = at;
  return at + (BLANK.exec(text)?.[0].length ?? 0);
}

/** How many bits are set. @param {number} mask */
export function bits(mask) {
  let count = 0;
  for (let rest = mask; rest; rest &= rest - 1) count++;
  return count;
}

/** The chunks of one strategy. Places are compared at the first character that is not blank after them: whether a chunk
 * takes the blank line before it or after it is no difference that anyone could see. */
export class Column {
  /** @param {SideColumn} wire @param {StoredDocument} stored */
  constructor(wire, stored) {
    const { text } = stored;
    this.wire = wire; // offsets in code points, as Python knows them
    this.start = stored.utf16(wire.start);
    this.end = stored.utf16(wire.end);
    this.overlapStart = stored.utf16(wire.overlap_start);
    this.missing = stored.utf16(wire.missing);
    this.from = this.start.map((at) => skipBlank(text, at));
    this.to = this.end.map((at) => skipBlank(text, at));
    this.depth = new Int32Array(this.start.length);
    this.inner = new Uint8Array(this.start.length); // whether other chunks lie in it
    wire.parent.forEach((parent, index) => {
      if (parent < 0) return;
      this.depth[index] = this.depth[parent] + 1;
      this.inner[parent] = 1;
    });
  }

  /** The spans a chunk does not hold. @param {number} index */
  missingOf(index) {
    /** @type {[number, number][]} */ const spans = [];
    for (let i = this.wire.missing_at[index]; i < this.wire.missing_at[index + 1]; i++) {
      spans.push([this.missing[2 * i], this.missing[2 * i + 1]]);
    }
    return spans;
  }

  /** The chunks that begin at a place. @param {number} place */
  startingAt(place) {
    const first = lowerBound(this.from, place);
    return Array.from({ length: lowerBound(this.from, place + 1) - first }, (_, i) => first + i);
  }

  /** For each row the innermost chunk that holds it. @param {Row[]} rows */
  owners(rows) {
    /** @type {number[]} */ let open = [];
    let next = 0;
    return Int32Array.from(rows, (row) => {
      open = open.filter((index) => this.to[index] > row.from);
      for (; next < this.from.length && this.from[next] <= row.from; next++) {
        if (this.to[next] > row.from) open.push(next);
      }
      return open.at(-1) ?? NOWHERE;
    });
  }
}

/** Rows between the cuts of all columns. @param {string} text @param {Int32Array} sentenceStarts @param {Column[]} columns */
export function makeRows(text, sentenceStarts, columns) {
  const places = new Set([skipBlank(text, 0), text.length]);
  for (const { from, to } of columns) for (const known of [from, to]) for (const place of known) places.add(place);
  const sorted = Int32Array.from(places).sort();
  const masks = new Uint8Array(sorted.length);
  columns.forEach(({ from, to }, column) => {
    for (const known of [from, to]) for (const place of known) masks[lowerBound(sorted, place)] |= 1 << column;
  });
  /** @type {Row[]} */ const rows = [];
  const last = sorted.length - 1;
  for (let i = 0; i < last; i++) rows.push(...rowParts(text, sentenceStarts, sorted[i], sorted[i + 1], masks[i]));
  // A chunk of nothing but blanks at the end of the text has nothing after it to stand at.
  const atEnd = columns.some(({ from }) => from.length && from[from.length - 1] === text.length);
  if (atEnd) rows.push({ from: text.length, to: text.length, mask: masks[last], soft: false });
  return rows;
}

/**
 * A row, or several where it is so long that it must be laid in parts; they break where the text breaks.
 *
 * @param {string} text
 * @param {Int32Array} sentenceStarts
 * @param {number} from
 * @param {number} to
 * @param {number} mask
 */
function rowParts(text, sentenceStarts, from, to, mask) {
  const rows = [{ from, to, mask, soft: false }];
  for (let at = from; to - at > LONG_ROW * 1.5; ) {
    at = breakBefore(text, sentenceStarts, at, at + LONG_ROW);
    if (at >= to) break;
    rows[rows.length - 1].to = at;
    rows.push({ from: at, to, mask: 0, soft: true });
  }
  return rows;
}

/** @param {string} text @param {Int32Array} sentenceStarts @param {number} from @param {number} wanted */
function breakBefore(text, sentenceStarts, from, wanted) {
  const near = from + LONG_ROW / 2;
  const line = skipBlank(text, text.lastIndexOf("\n", wanted) + 1);
  if (line > near) return line;
  const sentence = sentenceStarts[lowerBound(sentenceStarts, wanted + 1) - 1] ?? 0;
  if (sentence > near) return skipBlank(text, sentence);
  const word = skipBlank(text, text.lastIndexOf(" ", wanted) + 1);
  if (word > near) return word;
  return isSecondHalf(text, wanted) ? wanted + 1 : wanted;
}

/** The rows of columns over one text, and which chunk holds each. */
export class Rows {
  /** @param {string} text @param {Int32Array} sentenceStarts @param {Column[]} columns */
  constructor(text, sentenceStarts, columns) {
    this.text = text;
    this.columns = columns;
    this.all = (1 << columns.length) - 1;
    this.rows = makeRows(text, sentenceStarts, columns);
    this.froms = Int32Array.from(this.rows, (row) => row.from);
    this.owners = columns.map((column) => column.owners(this.rows));
  }

  /** Whether the columns disagree on a cut at the beginning of a row. @param {Row} row */
  isDisputed({ from, mask, soft }) {
    return !soft && mask !== this.all && from !== this.froms[0] && from !== this.text.length;
  }

  /** Whether text that a column does not hold begins with a row. @param {number} c @param {number} index */
  losesAt(c, index) {
    const owners = this.owners[c];
    const { from, to } = this.rows[index];
    return owners[index] === NOWHERE && to > from && (index === 0 || owners[index - 1] !== NOWHERE);
  }

  /** Places where the columns differ: cuts that some column lacks, and text that some chunk or column does not hold. */
  differences() {
    /** @type {Set<number>} */ const found = new Set();
    this.rows.forEach((row, index) => {
      if (this.isDisputed(row)) found.add(row.from);
      const someHold = this.owners.some((owners) => owners[index] !== NOWHERE);
      if (someHold && this.columns.some((_, c) => this.losesAt(c, index))) found.add(row.from);
    });
    for (const { missing } of this.columns) {
      for (let i = 0; i < missing.length; i += 2) {
        const place = skipBlank(this.text, missing[i]);
        if (place < missing[i + 1]) found.add(place);
      }
    }
    return Int32Array.from(found).sort();
  }

  /** How many stretches of text a column lacks: between its chunks, and inside them. @param {number} c */
  lostCount(c) {
    const { missing } = this.columns[c];
    let count = this.rows.reduce((sum, _, index) => sum + (this.losesAt(c, index) ? 1 : 0), 0);
    for (let i = 0; i < missing.length; i += 2) count += skipBlank(this.text, missing[i]) < missing[i + 1] ? 1 : 0;
    return count;
  }

  /** How many boundaries no other column has. @param {number} c */
  aloneCount(c) {
    const alone = this.rows.filter((row) => this.isDisputed(row) && row.mask === 1 << c);
    return alone.filter(({ from }) => this.columns[c].startingAt(from).length > 0).length;
  }

  /** The row that holds a character, or stands right after it. @param {number} place */
  rowOf(place) {
    return Math.max(0, lowerBound(this.froms, skipBlank(this.text, place) + 1) - 1);
  }

  /** The text of a row without the blank lines after it, with the indentation of its first line. @param {Row} row @returns {[number, number]} */
  shown({ from, to }) {
    let start = from;
    while (start > 0 && from - start < 200 && " \t".includes(this.text[start - 1])) start--;
    const wholeLine = start === 0 || "\n\r".includes(this.text[start - 1]);
    return [wholeLine ? start : from, from + this.text.slice(from, to).trimEnd().length];
  }
}

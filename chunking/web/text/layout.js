// The layout of a document: elements that contain each other, and characters that are shown otherwise than written.

import { lowerBound } from "../engine/numbers.js";

/**
 * Elements in the order of the text, each after the one that contains it, and characters that are shown otherwise than
 * written; see chunking.rendering. Kinds and titles are indexes of the lists of names, of which the first is empty.
 *
 * @typedef {object} LayoutBody
 * @property {{kind: Uint8Array, depth: Uint8Array, start: Int32Array, end: Int32Array, level: Int32Array, title: Int32Array}} elements
 * @property {{start: Int32Array, end: Int32Array, text: Int32Array}} substitutions
 * @property {string[]} kind_names
 * @property {string[]} names
 * @property {boolean} reflowed
 */

/**
 * Receives a part of a layout: elements that open and close, and stretches of the text in them. `instead` is what is
 * shown in the place of a stretch; undefined where it is shown as written.
 *
 * @typedef {object} LayoutVisitor
 * @property {(kind: string, level: number, title: string) => void} open
 * @property {() => void} close
 * @property {(from: number, to: number, instead?: string) => void} text
 */

/** Elements that are there though no character of them is shown. */
const WORDLESS = new Set(["break", "image", "rule"]);

export class Layout {
  /**
   * @param {LayoutBody} body
   * @param {(offsets: Int32Array) => Int32Array} utf16 converts offsets to those of JavaScript strings
   */
  constructor(body, utf16) {
    const { elements, substitutions } = body;
    this.names = body.names;
    this.kinds = Array.from(elements.kind, (kind) => body.kind_names[kind]);
    this.levels = elements.level;
    this.titles = elements.title;
    this.start = utf16(elements.start);
    this.end = utf16(elements.end);
    this.hiddenStart = utf16(substitutions.start);
    this.hiddenEnd = utf16(substitutions.end);
    this.instead = substitutions.text;
    this.next = following(elements.depth);
    this.outermost = outermost(this.next);
    this.outermostEnds = Int32Array.from(this.outermost, (index) => this.end[index]);
  }

  /** Visits what is shown of a part of the text. @param {number} from @param {number} to @param {LayoutVisitor} visitor */
  walk(from, to, visitor) {
    for (let at = lowerBound(this.outermostEnds, from + 1); at < this.outermost.length; at++) {
      const index = this.outermost[at];
      if (this.start[index] >= to) return;
      this.visit(index, from, to, visitor);
    }
  }

  /** @param {number} index @param {number} from @param {number} to @param {LayoutVisitor} visitor */
  visit(index, from, to, visitor) {
    let at = Math.max(from, this.start[index]);
    const end = Math.min(to, this.end[index]);
    if (at >= end || !(WORDLESS.has(this.kinds[index]) || this.shows(index, at, end))) return;
    visitor.open(this.kinds[index], this.levels[index], this.names[this.titles[index]]);
    for (let child = index + 1; child < this.next[index] && this.start[child] < end; child = this.next[child]) {
      if (this.end[child] <= at) continue;
      this.stretch(at, this.start[child], visitor);
      this.visit(child, from, to, visitor);
      at = Math.max(at, Math.min(this.end[child], end));
    }
    this.stretch(at, end, visitor);
    visitor.close();
  }

  /** Visits the characters that are shown of a stretch without elements. @param {number} from @param {number} to @param {LayoutVisitor} visitor */
  stretch(from, to, visitor) {
    let at = from;
    for (let hidden = lowerBound(this.hiddenEnd, from + 1); at < to; hidden++) {
      const shownEnd = Math.min(to, this.hiddenStart[hidden] ?? to);
      if (shownEnd > at) visitor.text(at, shownEnd);
      if (shownEnd === to) return;
      const words = this.names[this.instead[hidden]];
      at = Math.min(this.hiddenEnd[hidden], to);
      // What stands for some characters is shown where they begin, though a chunk may end between them.
      if (words && this.hiddenStart[hidden] >= from) visitor.text(shownEnd, at, words);
    }
  }

  /** Whether anything of an element is to be seen in a part of it. @param {number} index @param {number} from @param {number} to */
  shows(index, from, to) {
    let at = from;
    for (let hidden = lowerBound(this.hiddenEnd, from + 1); at < to; hidden++) {
      if ((this.hiddenStart[hidden] ?? to) > at || this.instead[hidden] > 0) return true;
      at = this.hiddenEnd[hidden];
    }
    for (let inner = index + 1; inner < this.next[index]; inner++) {
      if (WORDLESS.has(this.kinds[inner]) && this.start[inner] >= from && this.start[inner] < to) return true;
    }
    return false;
  }
}

/** Index of the element after each one and all that is inside it. @param {Uint8Array} depths */
function following(depths) {
  const next = new Int32Array(depths.length);
  /** @type {number[]} */ const opened = [];
  depths.forEach((depth, index) => {
    while (opened.length > depth) next[/** @type {number} */ (opened.pop())] = index;
    opened.push(index);
  });
  for (const index of opened) next[index] = depths.length;
  return next;
}

/** The elements that are in no other. @param {Int32Array} next */
function outermost(next) {
  const indexes = [];
  for (let index = 0; index < next.length; index = next[index]) indexes.push(index);
  return indexes;
}

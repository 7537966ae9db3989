// Where the gaps of a document are on the page of its text.

/** @import { Palette } from "./canvas.js" */
/** @import { CharacterBox, DocumentText } from "../text/document_text.js" */
import { firstWhere } from "../engine/numbers.js";

const SAME_LINE = 2; // pixels by which two boxes on one line must overlap
const CLOSE = 6; // pixels between gaps whose bars would cover each other
const MOST_SPREAD = 18; // pixels over which the bars of gaps on one line are spread
const BLOCKS = "p, li, blockquote, tr, pre, .cs-heading, .cs-source, .wb-source > div";

/**
 * A place between two characters. On a line of its own it is at `y`; inside a line, it is a step at `x` from the bottom
 * of the line to its top. In a column of its own it goes from its left edge to its right one, else from that of the text.
 *
 * @typedef {object} Position
 * @property {number} offset in the JavaScript string
 * @property {number} y
 * @property {number} x
 * @property {number} top
 * @property {number} bottom
 * @property {boolean} isInline
 * @property {boolean} isRightToLeft
 * @property {{left: number, right: number}} [column]
 */

/** Points of a polygon. @typedef {[x: number, y: number][]} Outline */

/** Edges of the text, and the part of the page that is wanted. @typedef {{left: number, right: number, from: number, to: number}} Extent */

/** What a geometry of a text and one of pages have in common. */
export class GapPlaces {
  /** The colours of what is drawn on the text, where they are not those of the page. @type {Palette | null} */ palette = null;
  first = 0;
  last = 0;

  /** @param {Int32Array} offsets of the gaps, in the JavaScript string @param {number} length of the text */
  constructor(offsets, length) {
    this.offsets = offsets;
    this.length = length;
    this.y = new Float32Array(offsets.length);
    /** How far a bar is from its gap, where several gaps share a line. */
    this.shift = new Float32Array(offsets.length);
  }

  /** Where the text begins. */
  get opening() {
    return lineAt(this.first, 0);
  }

  /** Where it ends. */
  get closing() {
    return lineAt(this.last, this.length);
  }

  /** Spreads the bars of gaps that share a line. @param {ArrayLike<number>} gaps from the top of the page to its bottom */
  spread(gaps) {
    const { y, shift } = this;
    for (let first = 0; first < gaps.length; ) {
      let last = first;
      while (last + 1 < gaps.length && y[gaps[last + 1]] - y[gaps[first]] < CLOSE) last++;
      const step = Math.min(CLOSE, MOST_SPREAD / (last - first + 1));
      for (let at = first; at <= last; at++) shift[gaps[at]] = (at - (first + last) / 2) * step;
      first = last + 1;
    }
  }
}

/** Positions of a document's gaps in its text on a page of one width, in pixels from its top left corner. */
export class Geometry extends GapPlaces {
  /**
   * @param {DocumentText} text
   * @param {HTMLElement} page
   * @param {Int32Array} offsets of the gaps, in the JavaScript string
   * @param {number} length of the text
   */
  constructor(text, page, offsets, length) {
    super(offsets, length);
    this.text = text;
    this.page = page;
    const count = offsets.length;
    this.x = new Float32Array(count);
    this.top = new Float32Array(count);
    this.bottom = new Float32Array(count);
    this.isInline = new Uint8Array(count);
    this.isRightToLeft = new Uint8Array(count);
    /** @type {Map<number, Position>} */ this.others = new Map();
    /** @type {Map<Element, number>} */ this.lineHeights = new Map();
    this.measure();
  }

  measure() {
    const { left, top } = this.page.getBoundingClientRect();
    this.origin = { left, top };
    const opening = this.text.boxAfter(0);
    const closing = this.text.boxBefore(this.length);
    this.first = opening ? opening.top - top - 6 : 0;
    this.last = closing ? closing.bottom - top + 8 : 0;
    let previous = this.first;
    for (let gap = 0; gap < this.offsets.length; gap++) {
      const position = this.positionAt(this.offsets[gap]);
      this.y[gap] = previous = Math.max(position.y, previous);
      this.x[gap] = position.x;
      this.top[gap] = position.isInline ? position.top : this.y[gap];
      this.bottom[gap] = position.isInline ? position.bottom : this.y[gap];
      this.isInline[gap] = Number(position.isInline);
      this.isRightToLeft[gap] = Number(position.isRightToLeft);
    }
    this.lineHeights.clear();
    this.spread(this.offsets.map((_, gap) => gap));
  }

  /** @param {number} offset in the JavaScript string @returns {Position} */
  positionAt(offset) {
    const before = this.text.boxBefore(offset);
    const after = this.text.boxAfter(offset);
    const { left, top } = this.origin ?? { left: 0, top: 0 };
    if (!before || !after) return lineAt((before ? before.bottom + 6 : after ? after.top - 6 : top) - top, offset);
    const onOneLine = before.bottom > after.top + SAME_LINE && before.top < after.bottom - SAME_LINE;
    if (onOneLine) return { ...this.stepBetween(before, after, left, top), offset };
    return lineAt(this.lineBetween(before, after) - top, offset);
  }

  /** @param {CharacterBox} before @param {CharacterBox} after @param {number} left @param {number} top @returns {Omit<Position, "offset">} */
  stepBetween(before, after, left, top) {
    const isRightToLeft = before.left > after.left;
    const x = (isRightToLeft ? (before.left + after.right) / 2 : (before.right + after.left) / 2) - left;
    const middle = (Math.min(before.top, after.top) + Math.max(before.bottom, after.bottom)) / 2 - top;
    const half = Math.max(this.lineHeightOf(after.parent), after.bottom - after.top) / 2;
    return { y: middle, x, top: middle - half, bottom: middle + half, isInline: true, isRightToLeft };
  }

  /** Where a line begins after another: between two blocks in the middle, inside one at its top. @param {CharacterBox} before @param {CharacterBox} after */
  lineBetween(before, after) {
    const block = after.parent.closest(BLOCKS);
    if (block && block === before.parent.closest(BLOCKS)) {
      const middle = (after.top + after.bottom) / 2;
      return middle - Math.max(this.lineHeightOf(after.parent), after.bottom - after.top) / 2;
    }
    return (this.bottomOf(before) + after.top) / 2;
  }

  /** The bottom of a character; in a row of a table, that of its highest cell. @param {CharacterBox} character */
  bottomOf({ parent, bottom }) {
    const row = parent.closest("tr");
    return row ? Math.max(row.getBoundingClientRect().bottom, bottom) : bottom;
  }

  /** @param {HTMLElement} parent */
  lineHeightOf(parent) {
    let height = this.lineHeights.get(parent);
    if (height === undefined) {
      height = parseFloat(getComputedStyle(parent).lineHeight) || 0;
      this.lineHeights.set(parent, height);
    }
    return height;
  }

  /** The position of a place that may be no gap. @param {number} gap −1 for none @param {number} offset @returns {Position} */
  position(gap, offset) {
    if (gap >= 0) {
      const { y, x, top, bottom, isInline, isRightToLeft, offsets } = this;
      return { offset: offsets[gap], y: y[gap], x: x[gap], top: top[gap], bottom: bottom[gap], isInline: isInline[gap] > 0, isRightToLeft: isRightToLeft[gap] > 0 };
    }
    let position = this.others.get(offset);
    if (!position) {
      const { left, top } = this.page.getBoundingClientRect();
      this.origin = { left, top };
      position = this.positionAt(offset);
      this.others.set(offset, position);
    }
    return position;
  }

  /** What is filled of the text between two places. @param {Position} start @param {Position} end @param {Extent} extent @returns {Outline[]} */
  areas(start, end, { left, right }) {
    return [outline(start, end, left, right)];
  }

  /** The left edges of the text between two places. @param {Position} start @param {Position} end @param {Extent} extent @returns {[x: number, top: number, bottom: number][]} */
  edges(start, end, { left }) {
    return [[left, edgeOf(start, "left") + 1, edgeOf(end, "left") - 1]];
  }

  /** The gaps from one height to another. @param {number} from @param {number} to */
  gapsBetween(from, to) {
    const first = this.gapBelow(from);
    return Array.from({ length: Math.max(this.gapBelow(to) - first, 0) }, (_, index) => first + index);
  }

  /** Offsets between which all text from one height to another is. @param {number} from @param {number} to @returns {[number, number]} */
  offsetsBetween(from, to) {
    return [this.offsetAt(from), this.offsetAt(to)];
  }

  /** Whether a gap is next to the margin, where its bar is. @param {number} _gap */
  isAtMargin(_gap) {
    return true;
  }

  /** Where the number of what begins at a place is, in pixels from the left; null for in the gutter. @param {Position} _position @returns {number | null} */
  labelAt(_position) {
    return null;
  }

  /** The first gap at or below a height; the number of gaps for none. @param {number} y */
  gapBelow(y) {
    return firstWhere(this.y.length, (gap) => this.y[gap] >= y);
  }

  /** About the offset of the character at a height, in the JavaScript string. @param {number} y */
  offsetAt(y) {
    const gap = this.gapBelow(y);
    const [fromY, fromOffset] = gap ? [this.y[gap - 1], this.offsets[gap - 1]] : [this.first, 0];
    const [toY, toOffset] = gap < this.y.length ? [this.y[gap], this.offsets[gap]] : [this.last, this.length];
    const share = toY > fromY ? (y - fromY) / (toY - fromY) : 0;
    return fromOffset + Math.min(Math.max(share, 0), 1) * (toOffset - fromOffset);
  }

  /** The gap nearest to a point of the page; −1 without gaps. @param {number} x @param {number} y @param {boolean} isBar whether the point is among the bars */
  gapNear(x, y, isBar) {
    let nearest = -1;
    let least = Infinity;
    const last = Math.min(this.gapBelow(y + 60) + 1, this.y.length);
    for (let gap = Math.max(this.gapBelow(y - 60) - 1, 0); gap < last; gap++) {
      const down = Math.abs(this.y[gap] + (isBar ? this.shift[gap] : 0) - y);
      const across = isBar || !this.isInline[gap] ? 0 : Math.abs(this.x[gap] - x);
      const distance = down * (isBar ? 1 : 2.2) + across * 0.35;
      if (distance < least) [nearest, least] = [gap, distance];
    }
    return nearest;
  }
}

/** A place on a line of its own. @param {number} y @param {number} offset @returns {Position} */
export function lineAt(y, offset) {
  return { offset, y, x: 0, top: y, bottom: y, isInline: false, isRightToLeft: false };
}

/** The height of a place at an edge of the text. @param {Position} position @param {"left" | "right"} side */
export function edgeOf({ y, top, bottom, isInline, isRightToLeft }, side) {
  if (!isInline) return y;
  return (side === "left") === isRightToLeft ? top : bottom;
}

/** The line of a place from the left edge of the text to the right one. @param {Position} position @param {number} left @param {number} right @returns {Outline} */
export function steps(position, left, right) {
  const { x, isInline } = position;
  const [onLeft, onRight] = [edgeOf(position, "left"), edgeOf(position, "right")];
  if (!isInline) return [[left, onLeft], [right, onRight]]; // prettier-ignore
  return [[left, onLeft], [x, onLeft], [x, onRight], [right, onRight]]; // prettier-ignore
}

const INSET = 1; // pixels between what is filled and the line of a place

/** The outline of the text between two places. @param {Position} start @param {Position} end @param {number} left @param {number} right @returns {Outline} */
function outline(start, end, left, right) {
  if (start.isInline && end.isInline && start.top === end.top && start.isRightToLeft === end.isRightToLeft) {
    const [top, bottom] = [start.top + INSET, start.bottom - INSET];
    return [[start.x, top], [end.x, top], [end.x, bottom], [start.x, bottom]]; // prettier-ignore
  }
  const above = steps(start, left, right).map(([x, y]) => /** @type {[number, number]} */ ([x, y + INSET]));
  const below = steps(end, left, right).map(([x, y]) => /** @type {[number, number]} */ ([x, y - INSET]));
  return [...above, ...below.reverse()];
}

// The text of a document as elements of the page, and where its characters are.

/** @import { Layout } from "./layout.js" */
/** @import { Packed } from "../base/packed.js" */
/** @import { SourceText } from "./source_text.js" */
import { element } from "../base/dom.js";
import { wholeNumbers } from "../base/packed.js";
import { pairsOfLineEnds, visible } from "../base/text.js";
import { firstWhere, lowerBound } from "../engine/numbers.js";
import { LayoutBuilder } from "./elements.js";

const LONGEST_BLOCK = 4000; // characters of an element of the source view, which breaks at the end of a line
const MOST_SKIPPED = 400; // characters without a shape that are passed over in search of one that has
const WHITE = /\s/;

/** A part of the source with the kind of its text. @typedef {{start: number, end: number, isMono: boolean}} Run */

/** Where runs start, in code points, and whether each is monospaced. @typedef {{starts: Packed, mono: Packed}} RunsData */

/** The runs of a text, each up to the next. @param {RunsData} data @param {SourceText} source @returns {Run[]} */
export function runsFrom(data, source) {
  const [starts, mono] = [wholeNumbers(data.starts), wholeNumbers(data.mono)];
  return Array.from(starts, (start, index) => ({
    start: source.unit(start),
    end: source.unit(starts[index + 1] ?? source.length),
    isMono: mono[index] > 0,
  }));
}

/** What a document is shown as: as its reader sees it, or with every character. @typedef {"reading" | "source"} ViewName */

/** The elements of a text. Offsets are those of the JavaScript string. */
export class DocumentText {
  /**
   * @param {HTMLElement} article filled with the text
   * @param {SourceText} source
   * @param {Layout | null} layout null where the document is only shown as it is written
   * @param {Run[]} runs of the whole text
   */
  constructor(article, source, layout, runs) {
    this.article = article;
    this.text = source.text;
    this.layout = layout;
    this.runs = runs;
    this.range = document.createRange();
    /** Carriage returns before a line feed. */ this.pairs = pairsOfLineEnds(this.text);
    /** @type {Text[]} */ this.nodes = [];
    /** @type {number[]} */ this.starts = [];
    /** @type {number[]} */ this.ends = [];
    /** Nodes that do not show the characters of the source. @type {Set<Text>} */ this.replaced = new Set();
  }

  /** @param {ViewName} view */
  show(view) {
    this.nodes = [];
    this.starts = [];
    this.ends = [];
    this.replaced.clear();
    const root = element("div", view === "reading" && this.layout ? "wb-reading" : "wb-source");
    if (view === "reading" && this.layout) this.buildLayout(root, this.layout);
    else this.buildSource(root);
    this.article.replaceChildren(root);
  }

  /** @param {HTMLElement} root @param {Layout} layout */
  buildLayout(root, layout) {
    const builder = new LayoutBuilder(root, (from, to, parent, instead) => this.write(from, to, parent, instead));
    layout.walk(0, this.text.length, builder);
  }

  /** @param {HTMLElement} root */
  buildSource(root) {
    for (const { start, end, isMono } of this.runs) {
      for (let from = start; from < end; ) {
        const to = this.endOfBlock(from, end);
        const block = element("div", isMono ? "wb-mono" : "");
        block.dir = "auto";
        this.write(from, to, block);
        root.append(block);
        from = to;
      }
    }
  }

  /** @param {number} from @param {number} end */
  endOfBlock(from, end) {
    if (end - from <= LONGEST_BLOCK) return end;
    const line = this.text.lastIndexOf("\n", from + LONGEST_BLOCK) + 1;
    if (line > from) return line;
    const next = this.text.indexOf("\n", from + LONGEST_BLOCK) + 1;
    return next && next < end ? next : end;
  }

  /** Puts a stretch of the text into an element. @param {number} from @param {number} to @param {HTMLElement} parent @param {string} [instead] */
  write(from, to, parent, instead) {
    if (instead !== undefined) {
      const node = document.createTextNode(visible(instead));
      this.replaced.add(node);
      return this.add(node, from, to, parent);
    }
    // A carriage return before a line feed has no shape: its node ends before it, so that all other characters have one.
    for (let start = from; start < to; ) {
      const pair = this.pairs[lowerBound(this.pairs, start)] ?? Infinity;
      const end = Math.min(pair + 1, to);
      const shownEnd = Math.min(pair, to);
      this.add(document.createTextNode(visible(this.text.slice(start, shownEnd))), start, end, parent);
      start = end;
    }
  }

  /** @param {Text} node @param {number} start @param {number} end @param {HTMLElement} parent */
  add(node, start, end, parent) {
    parent.append(node);
    this.nodes.push(node);
    this.starts.push(start);
    this.ends.push(end);
  }

  /** The box of the first character with a shape from an offset on; null where none follows. @param {number} offset */
  boxAfter(offset) {
    return this.firstBox(offset, firstWhere(this.ends.length, (at) => this.ends[at] > offset), 1);
  }

  /** The box of the last character with a shape before an offset; null where none precedes. @param {number} offset */
  boxBefore(offset) {
    return this.firstBox(offset, firstWhere(this.starts.length, (at) => this.starts[at] >= offset) - 1, -1);
  }

  /** @param {number} offset @param {number} first node @param {1 | -1} step forwards or back */
  firstBox(offset, first, step) {
    let skipped = 0;
    for (let index = first; index >= 0 && index < this.nodes.length; index += step) {
      const node = this.nodes[index];
      if (this.replaced.has(node)) return this.boxOf(node, 0, node.length);
      const inNode = offset - this.starts[index];
      let at = step > 0 ? Math.max(inNode, 0) : Math.min(inNode, node.length) - 1;
      for (; at >= 0 && at < node.length; at += step) {
        if (WHITE.test(node.data[at])) {
          if (++skipped > MOST_SKIPPED) return null;
          continue;
        }
        const box = this.boxOf(node, at, at + 1);
        if (box) return box;
      }
    }
    return null;
  }

  /** @param {Text} node @param {number} from @param {number} to @returns {CharacterBox | null} */
  boxOf(node, from, to) {
    this.range.setStart(node, from);
    this.range.setEnd(node, to);
    const { left, right, top, bottom } = this.range.getBoundingClientRect();
    return right > left && bottom > top ? { left, right, top, bottom, parent: /** @type {HTMLElement} */ (node.parentElement) } : null;
  }
}

/** Where a character is, in the coordinates of the window. @typedef {{left: number, right: number, top: number, bottom: number, parent: HTMLElement}} CharacterBox */

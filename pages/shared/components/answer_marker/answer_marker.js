// A text in which answers are marked: drag over it, or walk by sentence with the arrow keys, and press Enter.

/** @import { StoredDocument } from "../base/stored_document.js" */
/** @import { Component } from "../base/dom.js" */
/** @import { AnswerMarkerBody } from "../messages.js" */
/** @import { Span } from "./spans.js" */
import { applyTheme, closest, element, mounted } from "../base/dom.js";
import { lowerBound, plural } from "../../../../chunking/web/engine/numbers.js";
import { DATA_KEPT, storedDocument } from "../base/stored_document.js";
import { ODD, codePoints, visible } from "../../../../chunking/web/base/text.js";
import { unpack } from "../base/wire.js";
import { divided, joined, trimmed } from "./spans.js";

const PART = 1500; // characters, about, that are laid out together
const MOST = 100; // marks of one question

/** @typedef {{box: HTMLElement, from: number, to: number, drawn: string}} Part */

class AnswerMarker {
  /** @type {Component} */ component;
  /** @type {AnswerMarkerBody} */ given;
  /** @type {StoredDocument | undefined} */ stored;
  /** @type {Part[]} */ parts = [];
  /** @type {Span[] | null} */ known = null; // null until those that Python gave are read
  /** @type {Span[]} */ others = [];
  /** @type {[number, number] | null} */ walked = null; // sentences: where the keyboard began, and where it is
  /** @type {WeakMap<Node, number>} */ offsets = new WeakMap(); // of pieces of text
  /** @type {WeakMap<Node, Part>} */ partOf = new WeakMap();
  pressing = false;
  content = "";
  document = "";
  revision = NaN;
  abort = new AbortController();
  root = element("div", "cs-marker");
  scroller = element("div", "cs-scroller");
  status = element("div", "cs-told");

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute("role", "region");
    this.scroller.setAttribute("aria-label", "The document: mark the answer");
    this.status.setAttribute("aria-live", "polite");
    this.root.append(this.scroller, this.status);
    parent.append(this.root);
    const options = { signal: this.abort.signal };
    this.scroller.addEventListener("pointerdown", (event) => (this.pressing = event.button === 0), options);
    window.addEventListener("pointerup", (event) => {
      if (this.pressing) this.dragged(event.composedPath()[0]);
      this.pressing = false;
    }, options);
    this.scroller.addEventListener("keydown", (event) => this.pressed(event), options);
    this.scroller.addEventListener("blur", () => this.walk(null), options);
    window.addEventListener(DATA_KEPT, () => {
      if (this.stored !== storedDocument(this.document)) this.rebuild();
    }, options);
  }

  /** What is marked, in units of the string, in order, none touching another. */
  get marks() {
    return this.known ?? [];
  }

  /** @param {Component} component */
  update(component) {
    this.component = component;
    const { head, body } = unpack(component.data);
    applyTheme(this.root);
    if (head.content === this.content && head.document === this.document && head.revision === this.revision) return;
    const fresh = head.document !== this.document || head.revision !== this.revision;
    this.content = head.content;
    this.document = head.document;
    this.revision = head.revision;
    this.given = body();
    this.scroller.style.height = this.given.height;
    if (fresh) this.known = null;
    this.rebuild();
  }

  /** The text anew, which may come later than this. */
  rebuild() {
    const stored = storedDocument(this.document);
    if (!stored) return;
    const pairs = (/** @type {Int32Array} */ column) => {
      const ends = stored.utf16(column);
      return Array.from({ length: ends.length / 2 }, (_, i) => /** @type {Span} */ ([ends[2 * i], ends[2 * i + 1]]));
    };
    const other = this.stored !== stored;
    this.stored = stored;
    this.others = joined(pairs(this.given.others));
    this.known ??= joined(pairs(this.given.spans));
    if (other) {
      this.walked = null;
      this.scroller.scrollTop = 0;
    }
    this.draw(stored.text);
  }

  // ---- what is seen

  /** @param {string} text */
  draw(text) {
    /** @type {Span[]} */ const parts = [];
    let start = 0;
    while (start < text.length) {
      let end = text.indexOf("\n", start + PART) + 1 || text.length;
      if (end - start > 20 * PART) end = start + 20 * PART;
      parts.push([start, end]);
      start = end;
    }
    this.parts = parts.map(([from, to]) => {
      const box = element("div", "cs-part");
      box.dir = "auto";
      const part = { box, from, to, drawn: "" };
      this.partOf.set(box, part);
      return part;
    });
    this.scroller.replaceChildren(...this.parts.map((part) => part.box));
    this.paint();
  }

  /** Fills the parts whose marks have changed. */
  paint() {
    const { text } = this.stored ?? { text: "" };
    const at = this.here();
    /** @type {[string, Span[]][]} */
    const layers = [["cs-other", this.others], ["cs-answer", this.marks], ["cs-at", at ? [at] : []]];
    for (const part of this.parts) {
      const inside = layers.map(([name, spans]) => /** @type {[string, Span[]]} */ (
        [name, spans.filter(([start, end]) => start < part.to && end > part.from)]
      ));
      const drawn = JSON.stringify(inside);
      if (drawn === part.drawn) continue;
      part.drawn = drawn;
      const pieces = divided([part.from, part.to], inside).map(({ start, end, names }) => {
        const piece = element("span", names.join(" "), shownAlike(text.slice(start, end)));
        this.offsets.set(piece, start);
        return piece;
      });
      part.box.replaceChildren(...pieces);
    }
    const words = this.marks.length ? `${plural(this.marks.length, "answer")} marked` : "Nothing is marked";
    const how = "Drag over the answer. Click a mark to remove it. Keys: ↑ ↓ by sentence, with shift to extend, Enter marks or unmarks.";
    this.status.replaceChildren(element("b", "", words), element("span", "", how));
    this.root.dataset.csMarks = String(this.marks.length);
  }

  // ---- mouse

  /** The offset in the text of a point of the page's tree. @param {Node} node @param {number} inside @returns {number | null} */
  offset(node, inside) {
    const offset = this.offsets.get(node);
    if (offset !== undefined) return offset + (inside ? (node.textContent?.length ?? 0) : 0);
    if (node.nodeType === Node.TEXT_NODE) {
      const around = node.parentElement ? this.offsets.get(node.parentElement) : undefined;
      return around === undefined ? null : around + inside;
    }
    const child = node.childNodes[inside];
    if (child) return this.partOf.get(child)?.from ?? this.offsets.get(child) ?? null;
    return this.partOf.get(node)?.to ?? (node === this.scroller ? (this.stored?.text.length ?? null) : null);
  }

  /** @returns {Span | null} */
  selected() {
    const tree = /** @type {any} */ (this.root.getRootNode());
    const selection = (tree.getSelection ? tree : window).getSelection();
    // Browsers whose shadow trees have no selection of their own report what lies in one on request.
    const range = tree.getSelection || tree === document
      ? selection.rangeCount ? selection.getRangeAt(0) : null
      : selection.getComposedRanges?.({ shadowRoots: [tree] })[0];
    if (!range || !this.scroller.contains(range.startContainer) || !this.scroller.contains(range.endContainer)) return null;
    const start = this.offset(range.startContainer, range.startOffset);
    const end = this.offset(range.endContainer, range.endOffset);
    return start === null || end === null || start >= end ? null : [start, end];
  }

  /** @param {EventTarget} target */
  dragged(target) {
    if (!this.stored) return;
    const span = this.selected();
    if (span) {
      const kept = trimmed(this.stored.text, span);
      window.getSelection()?.removeAllRanges();
      if (kept) this.change(joined([...this.marks, kept]));
      return;
    }
    const piece = closest(target, ".cs-answer");
    const at = piece && this.offsets.get(piece);
    if (typeof at === "number") this.change(this.marks.filter(([start, end]) => !(start <= at && at < end)));
  }

  /** @param {Span[]} marks */
  change(marks) {
    if (marks.length > MOST || !this.stored) return;
    this.known = marks;
    this.paint();
    const { text } = this.stored;
    const spans = marks.map((ends) => ends.map((end) => codePoints(text, end)));
    // As state, which every later message carries: a trigger that comes while the script runs may be passed over.
    this.component.setStateValue("marks", { document: this.document, revision: this.revision, spans });
  }

  // ---- keyboard

  /** The span of the sentences that the keyboard is on. @returns {Span | null} */
  here() {
    if (!this.walked || !this.stored) return null;
    const { spans } = this.stored;
    return [spans[2 * Math.min(...this.walked)], spans[2 * Math.max(...this.walked) + 1]];
  }

  /** @param {[number, number] | null} walked */
  walk(walked) {
    if (!this.stored || String(walked) === String(this.walked)) return;
    this.walked = walked;
    this.paint();
    const pieces = this.scroller.querySelectorAll(".cs-at");
    if (walked && pieces.length) pieces[walked[1] < walked[0] ? 0 : pieces.length - 1].scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const { stored, walked } = this;
    if (!stored?.sentences || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : -1;
      const to = walked ? Math.min(Math.max(walked[1] + step, 0), stored.sentences - 1) : this.firstSeen(stored);
      this.walk([event.shiftKey && walked ? walked[0] : to, to]);
    } else if (event.key === "Enter" && walked) this.toggle(stored.text);
    else if (event.key === "Escape" && walked) this.walk(null);
    else return;
    event.preventDefault();
  }

  /** Marks the sentences that the keyboard is on, or unmarks them. @param {string} text */
  toggle(text) {
    const at = this.here();
    const here = at && trimmed(text, at);
    if (!here) return;
    const inside = this.marks.some(([start, end]) => start <= here[0] && here[1] <= end);
    const rest = this.marks.filter(([start, end]) => !(start < here[1] && here[0] < end));
    this.change(inside ? rest : joined([...this.marks, here]));
  }

  /** The first sentence that begins in view. @param {StoredDocument} stored */
  firstSeen({ spans, sentences }) {
    const { top } = this.scroller.getBoundingClientRect();
    const part = this.parts.find(({ box }) => box.getBoundingClientRect().bottom > top + 8);
    const starts = Int32Array.from({ length: sentences }, (_, i) => spans[2 * i]);
    return Math.min(lowerBound(starts, part?.from ?? 0), sentences - 1);
  }

  destroy() {
    this.abort.abort();
    this.root.remove();
  }
}

/** As `visible`, but as long as the text, so that places in it are places in the text. @param {string} text */
function shownAlike(text) {
  return text.replace(/\r\n/g, " \n").replace(ODD, visible);
}

export default mounted(AnswerMarker);

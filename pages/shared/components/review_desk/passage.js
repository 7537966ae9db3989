// The text around a place, divided at the place that is judged and at one that is being set.

/** @import { StoredDocument } from "../base/stored_document.js" */
import { closest, element } from "../base/dom.js";
import { lowerBound } from "../../../../chunking/web/engine/numbers.js";
import { afterBlankLines, clip, oneLine, visible } from "../../../../chunking/web/base/text.js";

const AROUND = 3600; // characters shown on either side of the place, to whole sentences: a tall window full
const LONGEST = 6000; // characters of one side, even of one sentence
const EDGE = 200; // characters at least between a place and the end of what is shown, for it to stay

/** A line across the text. @typedef {{at: number, className: string, words: string}} Divider */

/** The end of a text on one line. @param {string} text @param {number} length */
export function tail(text, length) {
  return [...oneLine(text)].slice(-length).join("");
}

/** The class of a text by the kind of its block. @param {string} kind */
function kindClass(kind) {
  if (kind === "code" || kind === "table") return "cs-mono";
  return kind === "heading" ? "cs-heading" : "";
}

/** @param {Divider} divider */
function dividerLine({ className, words }) {
  const made = element("div", className);
  made.append(element("span", "", words));
  made.setAttribute("role", "separator");
  if (words) made.setAttribute("aria-label", words);
  return made;
}

/** Offsets are of the JavaScript string. */
export class Passage {
  root = element("div", "cs-scroller");
  /** @type {StoredDocument | undefined} */ stored;
  /** @type {Int32Array} */ sentenceEnds = new Int32Array(0);
  /** @type {[number, number] | null} */ shown = null; // the part of the text that is shown

  constructor() {
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "region");
    this.root.setAttribute("aria-label", "The text around the place");
  }

  /** @param {StoredDocument} stored */
  take(stored) {
    this.stored = stored;
    this.sentenceEnds = stored.spans.filter((_, index) => index % 2 === 1);
  }

  /**
   * Shows the text around a place.
   *
   * @param {number} focus
   * @param {Divider[]} dividers
   * @param {boolean} near whether the text may stay where it is if the place is in it
   */
  show(focus, dividers, near) {
    if (!this.stored) return;
    const old = near && this.shown && focus > this.shown[0] + EDGE && focus < this.shown[1] - EDGE ? this.shown : null;
    this.shown = old ?? this.around(this.stored, focus);
    const top = this.root.scrollTop;
    this.root.replaceChildren(...this.divided(this.stored, this.shown, dividers));
    if (old) this.root.scrollTop = top;
    const mark = this.root.querySelector(".cs-here") ?? this.root.querySelector(".cs-mark");
    if (mark) this.bring(mark, old !== null);
  }

  clear() {
    this.root.replaceChildren();
  }

  /** Whole sentences before and after a place, as much as there is room for. @param {StoredDocument} stored @param {number} focus @returns {[number, number]} */
  around({ spans, sentences, text }, focus) {
    const ends = this.sentenceEnds;
    const first = Math.min(lowerBound(ends, Math.max(0, focus - AROUND)), sentences - 1);
    const last = Math.min(lowerBound(ends, Math.min(text.length, focus + AROUND)), sentences - 1);
    const from = first <= 0 ? 0 : spans[2 * first];
    const to = last >= sentences - 1 ? text.length : spans[2 * last + 1];
    return [Math.max(from, focus - LONGEST), Math.min(to, focus + LONGEST)];
  }

  /** @param {StoredDocument} stored @param {[number, number]} shown @param {Divider[]} dividers */
  divided(stored, [from, to], dividers) {
    /** @type {HTMLElement[]} */ const parts = [];
    let at = from;
    // Of two at one place, the later one.
    const lines = new Map(dividers.map((divider) => [divider.at, divider]));
    const inside = [...lines.values()].filter((line) => line.at > from && line.at <= to).sort((a, b) => a.at - b.at);
    for (const line of inside) {
      if (line.at > at) parts.push(this.text(stored, at, line.at));
      parts.push(dividerLine(line));
      at = line.at;
    }
    if (to > at) parts.push(this.text(stored, at, to));
    if (from > 0) parts.unshift(element("div", "cs-more", "…"));
    if (to < stored.text.length) parts.push(element("div", "cs-more", "…"));
    return parts;
  }

  /**
   * The text between two offsets, a span a sentence; blank lines at its edges would only be a hole.
   *
   * @param {StoredDocument} stored
   * @param {number} from
   * @param {number} to
   */
  text({ text, spans, kinds, kindNames, sentences }, from, to) {
    const box = element("div", "cs-text");
    box.dir = "auto";
    let at = afterBlankLines(text, from, to);
    const end = Math.max(at, from + text.slice(from, to).trimEnd().length);
    for (let sentence = lowerBound(this.sentenceEnds, at + 1); sentence < sentences; sentence++) {
      const start = Math.max(at, spans[2 * sentence]);
      const stop = Math.min(end, spans[2 * sentence + 1]);
      if (start >= stop) break;
      const kind = kindClass(kindNames[kinds[sentence]]);
      // The indentation of a line of code stands before it.
      if (start > at) box.append(element("span", kind === "cs-mono" ? kind : "", visible(text.slice(at, start))));
      const piece = element("span", kind ? `cs-s ${kind}` : "cs-s", visible(text.slice(start, stop)));
      piece.dataset.sentence = String(sentence);
      box.append(piece);
      at = stop;
    }
    if (at < end) box.append(visible(text.slice(at, end)));
    return box;
  }

  /** Ticks boundaries in the text that is shown. @param {number[]} boundaries */
  tick(boundaries) {
    if (!this.shown) return;
    const [from, to] = this.shown;
    for (const old of this.root.querySelectorAll(".cs-set-here")) old.classList.remove("cs-set-here");
    for (const at of boundaries) {
      if (at < from || at > to) continue;
      const sentence = lowerBound(this.sentenceEnds, at + 1);
      this.root.querySelector(`[data-sentence="${sentence}"]`)?.classList.add("cs-set-here");
    }
  }

  /** @param {Element} mark @param {boolean} gently whether it may stay where it is in view */
  bring(mark, gently) {
    const box = mark.getBoundingClientRect();
    const view = this.root.getBoundingClientRect();
    if (gently && box.top > view.top + 60 && box.bottom < view.bottom - 60) return;
    this.root.scrollTop += box.top - view.top - view.height * 0.45;
  }

  /** The edge of a sentence that is nearest to the pointer; null outside the sentences. @param {MouseEvent} event */
  edgeAt({ target, clientY }) {
    const piece = closest(target, "[data-sentence]");
    if (!piece || !this.stored) return null;
    const lines = piece.getClientRects();
    const before = clientY < (lines[0].top + lines[lines.length - 1].bottom) / 2;
    const sentence = Number(piece.dataset.sentence);
    return this.stored.spans[2 * sentence + (before ? 0 : 1)];
  }

  /** Both sides of a place, for a screen reader. @param {number} at */
  spoken(at) {
    const text = this.stored?.text ?? "";
    const before = tail(text.slice(Math.max(0, at - 160), at), 80);
    return `Before: ${before} — After: ${clip(text.slice(at, at + 160), 80)}`;
  }

  get isRightToLeft() {
    const shown = this.root.querySelector(".cs-text");
    return shown !== null && getComputedStyle(shown).direction === "rtl";
  }
}

// A text in which answers are marked: drag over it, or walk by sentence with the arrow keys, and press Enter.

import { BUS, shared } from "../base/bus.js";
import { applyTheme, element, mounted } from "../base/dom.js";
import { lowerBound, number } from "../base/numbers.js";
import { ODD, visible } from "../base/text.js";
import { unpack } from "../base/wire.js";

const PART = 1500; // characters, about, that are laid out together
const MOST = 100; // marks of one question

class AnswerMarker {
  constructor(parent) {
    this.root = element("div", "cs-marker");
    this.scroller = element("div", "cs-scroller");
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute("role", "region");
    this.scroller.setAttribute("aria-label", "The document: mark the answer");
    this.told = element("div", "cs-told");
    this.told.setAttribute("aria-live", "polite");
    this.root.append(this.scroller, this.told);
    parent.append(this.root);
    this.marks = []; // [start, end] in UTF-16 units, in order, none touching another
    this.from = this.to = null; // sentences that the keyboard stands on
    this.abort = new AbortController();
    const on = (target, type, handler) => target.addEventListener(type, handler, { signal: this.abort.signal });
    on(this.scroller, "pointerdown", (event) => (this.pressing = event.button === 0));
    on(window, "pointerup", (event) => {
      if (this.pressing) this.dragged(event.composedPath()[0]);
      this.pressing = false;
    });
    on(this.scroller, "keydown", (event) => this.pressed(event));
    on(this.scroller, "blur", () => this.walk(null, null));
    on(window, BUS.document, ({ detail }) => detail.document === this.document && this.rebuild());
  }

  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    const { head, body } = unpack(data);
    applyTheme(this.root);
    if (head.content === this.content && head.document === this.document && head.revision === this.revision) return;
    const fresh = head.document !== this.document || head.revision !== this.revision;
    Object.assign(this, { content: head.content, document: head.document, revision: head.revision, given: body() });
    this.scroller.style.height = this.given.height;
    if (fresh) this.marks = null;
    this.rebuild();
  }

  /** The text anew, which the store may bring later than this. */
  rebuild() {
    const stored = shared.documents.get(this.document);
    if (!stored) return;
    const pairs = (column) => {
      const ends = stored.utf16(column);
      return Array.from({ length: ends.length / 2 }, (_, i) => [ends[2 * i], ends[2 * i + 1]]);
    };
    const other = this.stored !== stored;
    this.stored = stored;
    this.others = joined(pairs(this.given.others));
    this.marks ??= joined(pairs(this.given.spans));
    if (other) {
      this.from = this.to = null;
      this.scroller.scrollTop = 0;
    }
    this.draw();
  }

  // ---- what is seen

  draw() {
    const { text } = this.stored;
    const parts = [];
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
      box.csPart = part;
      return part;
    });
    this.scroller.replaceChildren(...this.parts.map((part) => part.box));
    this.paint();
  }

  /** Fills the parts whose marks have changed. */
  paint() {
    const at = this.here();
    const layers = [
      ["cs-other", this.others],
      ["cs-answer", this.marks],
      ["cs-at", at ? [at] : []],
    ];
    for (const part of this.parts) {
      const inside = layers.map(([name, spans]) => [
        name,
        spans.filter(([start, end]) => start < part.to && end > part.from),
      ]);
      const drawn = JSON.stringify(inside);
      if (drawn === part.drawn) continue;
      part.drawn = drawn;
      const edges = new Set([part.from, part.to]);
      for (const [, spans] of inside)
        for (const [start, end] of spans) {
          edges.add(Math.max(start, part.from));
          edges.add(Math.min(end, part.to));
        }
      const places = [...edges].sort((a, b) => a - b);
      const pieces = places.slice(1).map((end, i) => {
        const start = places[i];
        const names = inside.filter(([, spans]) => spans.some(([a, b]) => a <= start && end <= b)).map(([name]) => name);
        const piece = element("span", names.join(" "), shownAlike(this.stored.text.slice(start, end)));
        piece.csFrom = start;
        return piece;
      });
      part.box.replaceChildren(...pieces);
    }
    this.tell();
  }

  tell() {
    const marks = this.marks.length;
    const said = element("b", "", marks ? `${number.format(marks)} ${marks === 1 ? "answer" : "answers"} marked` : "Nothing is marked");
    const how = "Drag over the answer. Click a mark to remove it. Keys: ↑ ↓ by sentence, with shift to extend, Enter marks or unmarks.";
    this.told.replaceChildren(said, element("span", "", how));
    this.root.dataset.csMarks = String(marks);
  }

  // ---- mouse

  /** The offset in the text of a point of the page's tree. */
  offset(node, inside) {
    if (node.nodeType === Node.TEXT_NODE) return node.parentElement?.csFrom === undefined ? null : node.parentElement.csFrom + inside;
    const child = node.childNodes[inside];
    if (node.csFrom !== undefined) return node.csFrom + (inside ? node.textContent.length : 0);
    if (child) return child.csPart?.from ?? child.csFrom ?? null;
    return node.csPart?.to ?? (node === this.scroller ? this.stored.text.length : null);
  }

  selected() {
    const tree = this.root.getRootNode();
    const selection = (tree.getSelection ? tree : window).getSelection();
    // Browsers whose shadow trees have no selection of their own tell what lies in one when they are asked for it.
    const range = tree.getSelection || tree === document
      ? selection.rangeCount ? selection.getRangeAt(0) : null
      : selection.getComposedRanges?.({ shadowRoots: [tree] })[0];
    if (!range || !this.scroller.contains(range.startContainer) || !this.scroller.contains(range.endContainer)) return null;
    const start = this.offset(range.startContainer, range.startOffset);
    const end = this.offset(range.endContainer, range.endOffset);
    return start === null || end === null || start >= end ? null : [start, end];
  }

  dragged(target) {
    if (!this.stored) return;
    const span = this.selected();
    if (span) {
      const kept = this.trimmed(span);
      window.getSelection()?.removeAllRanges();
      if (kept) this.change(joined([...this.marks, kept]));
      return;
    }
    const piece = this.scroller.contains(target) && target.closest?.(".cs-answer");
    if (piece) this.change(this.marks.filter(([start, end]) => !(start <= piece.csFrom && piece.csFrom < end)));
  }

  /** Without white space at the ends, and with whole characters. */
  trimmed([start, end]) {
    const { text } = this.stored;
    if (start > 0 && isLow(text, start)) start--;
    if (isLow(text, end)) end++;
    while (start < end && /\s/.test(text[start])) start++;
    while (end > start && /\s/.test(text[end - 1])) end--;
    return start < end ? [start, end] : null;
  }

  change(marks) {
    if (marks.length > MOST) return;
    this.marks = marks;
    this.paint();
    const { text } = this.stored;
    const spans = marks.map((ends) => ends.map((end) => points(text, end)));
    // As state, which every later message carries: a trigger that comes while the script runs may be passed over.
    this.setStateValue("marks", { document: this.document, revision: this.revision, spans });
  }

  // ---- keyboard

  here() {
    if (this.from === null || !this.stored) return null;
    const [first, last] = [Math.min(this.from, this.to), Math.max(this.from, this.to)];
    return [this.stored.spans[2 * first], this.stored.spans[2 * last + 1]];
  }

  walk(from, to) {
    if (!this.stored || (from === this.from && to === this.to)) return;
    this.from = from;
    this.to = to;
    this.paint();
    const pieces = this.scroller.querySelectorAll(".cs-at");
    if (pieces.length) (to < from ? pieces[0] : pieces[pieces.length - 1]).scrollIntoView({ block: "nearest" });
  }

  pressed(event) {
    if (!this.stored?.sentences || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      const to = this.to === null ? this.firstSeen() : Math.min(Math.max(this.to + step, 0), this.stored.sentences - 1);
      this.walk(event.shiftKey && this.from !== null ? this.from : to, to);
    } else if (event.key === "Enter" && this.from !== null) {
      const here = this.trimmed(this.here());
      if (!here) return;
      const inside = this.marks.some(([start, end]) => start <= here[0] && here[1] <= end);
      const rest = this.marks.filter(([start, end]) => !(start < here[1] && here[0] < end));
      this.change(inside ? rest : joined([...this.marks, here]));
    } else if (event.key === "Escape" && this.from !== null) this.walk(null, null);
    else return;
    event.preventDefault();
  }

  /** The first sentence that begins in view. */
  firstSeen() {
    const top = this.scroller.getBoundingClientRect().top;
    const part = this.parts.find(({ box }) => box.getBoundingClientRect().bottom > top + 8);
    const starts = this.stored.spans.filter((_, i) => i % 2 === 0);
    return Math.min(lowerBound(starts, part?.from ?? 0), this.stored.sentences - 1);
  }

  destroy() {
    this.abort.abort();
    this.root.remove();
  }
}

function isLow(text, place) {
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** How many characters (code points) stand before an offset of the string. */
function points(text, offset) {
  let count = 0;
  for (let i = 0; i < offset; i++, count++) {
    const code = text.charCodeAt(i);
    if (code >= 0xd800 && code <= 0xdbff && isLow(text, i + 1)) i++;
  }
  return count;
}

/** Spans in order, those that touch or overlap as one. */
function joined(spans) {
  const found = [];
  for (const [start, end] of spans.map((span) => [...span]).sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = found.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

/** As `visible`, but as long as the text, so that places in it are places in the text. */
function shownAlike(text) {
  return text.replace(/\r\n/g, " \n").replace(ODD, (found) => visible(found));
}

export default mounted(AnswerMarker);

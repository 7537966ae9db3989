// Side by side: the chunks of several strategies over one text. A row is the text between two neighbouring cuts of any
// of them, so it stands at the same height in every column; rows are built a stretch at a time, as one comes near them.

/** @import { Component } from "../base/dom.js" */
/** @import { SideBySideBody } from "../messages.js" */
/** @import { BuiltRow, Marked } from "./row_builder.js" */
/** @import { Row } from "./rows.js" */
import { BUS, KEPT_DOCUMENTS, chooseGap, kept, listen, settleSelection, shared } from "../base/bus.js";
import { applyTheme, button, closest, element, mounted, termed } from "../base/dom.js";
import { firstWhere, lowerBound, number, plural } from "../base/numbers.js";
import { codePoints, isSecondHalf, visible } from "../base/text.js";
import { TextView } from "../base/text_view.js";
import { unpack } from "../base/wire.js";
import { RowBuilder } from "./row_builder.js";
import { Column, Rows, skipBlank } from "./rows.js";

const HEAD_PX = 60; // height of a row without its text, before it was ever laid out
const LINE_PX = 21;
const CHARACTER_PX = 6.9;
const STRETCH_ROWS = 10;
const STRETCH_CHARACTERS = 2500;
const FILL_ALL_BELOW = 1_000_000; // characters in all columns up to which everything is built, for the browser's search
const READING_LINE = 0.3; // share of the height at which one reads

/** Some rows, built together. @typedef {{first: number, last: number, height: number, box: HTMLElement, rows: BuiltRow[] | null}} Stretch */

/** Where a reader was. @typedef {{offset: number, top: number | null}} Anchor */

/** @extends {TextView<SideBySideBody, Stretch>} */
class SideBySide extends TextView {
  rows = new Rows("", new Int32Array(0), []);
  builder = new RowBuilder();
  differences = new Int32Array(0);
  /** @type {number | null} */ current = null; // index of the difference that was jumped to, until the user scrolls
  bar = element("div", "cs-bar");
  back = button("cs-step", "↑", "Previous difference (p)");
  forth = button("cs-step", "↓", "Next difference (n)");
  counter = element("span", "cs-counter");
  legend = element("span", "cs-legend");
  titles = element("div", "cs-titles");

  /** @param {HTMLElement} parent */
  constructor(parent) {
    super(parent, "cs-side", "Chunks side by side; n and p go to the next and previous difference");
    this.back.title = "Previous difference (p)";
    this.forth.title = "Next difference (n)";
    this.counter.setAttribute("aria-live", "polite");
    this.bar.append(this.back, this.forth, this.counter, this.legend);
    this.scroller.append(this.titles, this.list);
    this.root.append(this.bar, this.scroller);
    this.listen();
  }

  /** @param {Component} component */
  update(component) {
    const { head, body } = unpack(component.data);
    applyTheme(this.root);
    if (this.take(component, head, body)) this.builder.opened.clear();
    this.select(settleSelection(this.topic, head.selected));
  }

  /** The places chosen in a document are kept beside the gaps chosen in it. */
  get topic() {
    return `${this.document}#place`;
  }

  get text() {
    return this.rows.text;
  }

  // ---- building

  rebuild() {
    const left = lastSeen().get(this.document);
    const opened = this.open();
    if (!opened) return;
    const { stored, same } = opened;
    const anchor = same ? this.anchor() : left?.selected === this.selected ? left.anchor : null;
    const columns = this.data.columns.map((wire) => new Column(wire, stored));
    this.rows = new Rows(stored.text, this.sentenceStarts, columns);
    this.builder.use(this.rows, stored, this.sentenceStarts, this.sentenceEnds);
    this.differences = this.rows.differences();
    this.current = null;
    this.letGo();
    this.root.style.setProperty("--cs-columns", String(columns.length));
    this.fillTitles();
    this.fillLegend();
    this.layStretches();
    this.fillView(anchor);
    if (anchor) this.settle(() => this.topOf(anchor.offset), anchor.top ?? 0);
    else if (!same && this.place() !== null) this.scrollToPlace();
    else if (!same) this.showPart();
    this.count();
    if (this.text.length * columns.length <= FILL_ALL_BELOW) this.fillWhenIdle();
    this.painted();
  }

  fillTitles() {
    const titles = this.rows.columns.map(({ wire }, c) => {
      const box = element("div", "cs-column-title");
      const title = element("b", "", visible(wire.title));
      title.title = title.textContent ?? "";
      title.dir = "auto";
      const facts = element("div", "cs-facts");
      facts.append(element("span", "", plural(wire.start.length, "chunk")));
      const alone = this.rows.aloneCount(c);
      if (alone) facts.append(element("span", "cs-alone", `${plural(alone, "boundary", "boundaries")} only here`));
      const lost = this.rows.lostCount(c);
      if (lost) facts.append(element("span", "cs-warn", `${plural(lost, "stretch", "stretches")} of text left out`));
      box.append(title, facts);
      return box;
    });
    this.titles.replaceChildren(...titles);
  }

  fillLegend() {
    const { columns } = this.rows;
    const items = [];
    if (columns.length > 1) {
      items.push(["cs-key-cut", "boundary missing in a column", "boundary"], ["cs-key-on", "no boundary here", "gap"]);
    }
    if (columns.some(({ wire }) => wire.overlap_tokens.some((count) => count > 0))) {
      items.push(["cs-key-repeat", "repeated before a chunk", "overlap"]);
    }
    if (columns.some((_, c) => this.rows.lostCount(c))) items.push(["cs-key-lost", "text left out", "lost"]);
    this.legend.replaceChildren(
      ...items.map(([name, words, term]) => {
        const item = element("span", "cs-key");
        item.append(element("i", name), termed(element("span", "", words), term));
        return item;
      }),
    );
  }

  /** One shell for each few rows, in place of the old ones. */
  layStretches() {
    const { rows, columns } = this.rows;
    this.near.disconnect();
    this.parts = [];
    const width = Math.max(230, this.list.clientWidth / columns.length - 40);
    const lines = (/** @type {Row} */ row) => Math.ceil(((row.to - row.from) * CHARACTER_PX) / width);
    for (let first = 0; first < rows.length; ) {
      let last = first;
      let height = 0;
      const begin = rows[first].from;
      do {
        height += (rows[last].soft ? 0 : HEAD_PX) + lines(rows[last]) * LINE_PX;
        last++;
      } while (last < rows.length && last - first < STRETCH_ROWS && rows[last].to - begin < STRETCH_CHARACTERS);
      const box = element("div", "cs-stretch cs-empty");
      box.style.setProperty("--cs-height", `${Math.round(height)}px`);
      this.parts.push({ first, last, height, box, rows: null });
      first = last;
    }
    const nothing = element("div", "cs-nothing", "There is no text to show.");
    this.list.replaceChildren(...(this.parts.length ? this.parts.map(({ box }) => box) : [nothing]));
    for (const stretch of this.parts) this.observe(stretch);
  }

  /** Builds what will be in view, before anything is painted. @param {Anchor | null} anchor */
  fillView(anchor) {
    let height = 0;
    for (let i = anchor ? this.stretchOf(this.rows.rowOf(anchor.offset)) : 0; i < this.parts.length; i++) {
      if (height >= this.scroller.clientHeight) return;
      this.fill(this.parts[i]);
      height += this.parts[i].height;
    }
  }

  /** @param {Stretch} stretch */
  isFilled(stretch) {
    return stretch.rows !== null;
  }

  /** @param {Stretch} stretch */
  fill(stretch) {
    this.built(stretch);
  }

  /** The rows of a stretch, built on demand. @param {Stretch} stretch */
  built(stretch) {
    if (stretch.rows) return stretch.rows;
    stretch.rows = Array.from({ length: stretch.last - stretch.first }, (_, i) => this.build(stretch.first + i));
    stretch.box.replaceChildren(...stretch.rows.map(({ box }) => box));
    stretch.box.classList.remove("cs-empty");
    return stretch.rows;
  }

  /** @param {number} index */
  build(index) {
    return this.builder.row(index, this.marked);
  }

  /** @returns {Marked} */
  get marked() {
    return { place: this.place(), current: this.current === null ? null : this.differences[this.current] };
  }

  // ---- places

  /** The chosen place as an offset in the browser's text; null for none. */
  place() {
    if (this.selected === null || !this.stored) return null;
    return Math.min(this.stored.utf16(Int32Array.of(this.selected))[0], this.stored.text.length);
  }

  /** @param {number} row */
  stretchOf(row) {
    return firstWhere(this.parts.length - 1, (index) => this.parts[index].last > row);
  }

  /** @param {number} index @returns {BuiltRow | null} */
  builtRow(index) {
    const stretch = this.parts[this.stretchOf(index)];
    return stretch ? (this.built(stretch)[index - stretch.first] ?? null) : null;
  }

  /** Builds a row anew where it was built, because what is marked in it has changed. @param {number} index */
  refresh(index) {
    const stretch = this.parts[this.stretchOf(index)];
    const old = stretch?.rows?.[index - stretch.first];
    if (!old || !stretch.rows) return;
    const made = this.build(index);
    old.box.replaceWith(made.box);
    stretch.rows[index - stretch.first] = made;
  }

  get viewTop() {
    return this.scroller.getBoundingClientRect().top + this.titles.offsetHeight;
  }

  get viewHeight() {
    return this.scroller.clientHeight - this.titles.offsetHeight;
  }

  /** How far below the top of the view a character stands. @param {number} offset */
  topOf(offset) {
    const cell = this.builtRow(this.rows.rowOf(offset))?.cells[0];
    if (!cell) return null;
    const place = skipBlank(this.text, offset);
    for (const piece of cell.children) {
      const [from, to] = this.builder.spans.get(piece) ?? [0, 0];
      const node = piece.firstChild;
      if (!(node instanceof Text) || place < from || place >= to) continue;
      const before = visible(this.text.slice(from, place)).length;
      const range = document.createRange();
      range.setStart(node, Math.min(before, node.length - 1));
      range.setEnd(node, Math.min(before + 1, node.length));
      return range.getBoundingClientRect().top - this.viewTop;
    }
    return cell.getBoundingClientRect().top - this.viewTop;
  }

  /** The row whose lower edge is the first below a height on the screen; null without rows. @param {number} y */
  rowAtHeight(y) {
    if (!this.parts.length) return null;
    const below = (/** @type {HTMLElement} */ box) => box.getBoundingClientRect().bottom > y;
    const stretch = this.parts[firstWhere(this.parts.length, (i) => below(this.parts[i].box))];
    if (!stretch) return this.rows.rows.length - 1;
    const built = this.built(stretch);
    return Math.min(stretch.first + firstWhere(built.length, (i) => below(built[i].box)), stretch.last - 1);
  }

  /** The first character in view and where it stands; null at the very top. @returns {Anchor | null} */
  anchor() {
    const top = this.viewTop;
    const index = this.scroller.scrollTop < 4 ? null : this.rowAtHeight(top);
    const cell = index === null ? undefined : this.builtRow(index)?.cells[0];
    if (index === null || !cell) return null;
    const box = cell.getBoundingClientRect();
    const inside = box.top < top ? this.characterAt(cell, box.left + 12, top + 4) : null;
    const offset = inside ?? this.rows.rows[index].from;
    return { offset, top: this.topOf(offset) };
  }

  /** Keeps the place for when the user comes back from another document or page. */
  remember() {
    const index = this.rowAtHeight(this.viewTop);
    if (index === null) return;
    const offset = this.rows.rows[index].from;
    const seen = lastSeen();
    seen.delete(this.document); // so that the newest is last
    seen.set(this.document, { anchor: { offset, top: this.topOf(offset) }, selected: this.selected });
    for (const old of seen.keys()) {
      if (seen.size <= KEPT_DOCUMENTS) break;
      seen.delete(old);
    }
  }

  /** The character of a text cell that is drawn at a point of the screen, or nearest to it on that line.
   *
   * @param {HTMLElement} cell
   * @param {number} x
   * @param {number} y
   */
  characterAt(cell, x, y) {
    const range = document.createRange();
    const boxOf = (/** @type {Text} */ node, /** @type {number} */ i) => {
      range.setStart(node, i);
      range.setEnd(node, i + 1);
      return range.getClientRects()[0];
    };
    const above = (/** @type {Text} */ node, /** @type {number} */ i) => !(boxOf(node, i)?.bottom > y);
    /** @type {{piece: Element, i: number, distance: number} | null} */ let best = null;
    for (const piece of cell.children) {
      const node = piece.firstChild;
      if (!(node instanceof Text) || above(node, node.length - 1)) continue;
      // Every character of the line is looked at: its direction may change within it.
      for (let i = firstWhere(node.length, (k) => !above(node, k)); i < node.length; i++) {
        const box = boxOf(node, i);
        if (!box) continue;
        if (box.top > y) return best ? this.sourceOf(best.piece, best.i) : this.sourceOf(piece, i);
        const distance = Math.max(box.left - x, x - box.right, 0);
        if (!best || distance < best.distance) best = { piece, i, distance };
      }
    }
    return best && this.sourceOf(best.piece, best.i);
  }

  /** The offset of a shown character: shown, CR LF is one character, and everything else stays one.
   *
   * @param {Element} piece
   * @param {number} shown
   */
  sourceOf(piece, shown) {
    const [from, to] = this.builder.spans.get(piece) ?? [0, 0];
    const source = this.text.slice(from, to);
    let offset = shown;
    if (source.includes("\r\n")) {
      offset = 0;
      for (let i = 0; i < shown; i++) offset += source.startsWith("\r\n", offset) ? 2 : 1;
    }
    return from + offset - (isSecondHalf(source, offset) ? 1 : 0);
  }

  // ---- choosing

  scrollToPlace() {
    const place = this.place();
    const top = place === null ? null : this.topOf(place);
    if (place === null || top === null || (top > this.viewHeight * 0.08 && top < this.viewHeight * 0.85)) return;
    this.settle(() => this.topOf(place), this.viewHeight * READING_LINE);
  }

  /** Scrolls to the start of the part of the document that the lanes show. */
  showPart() {
    const part = shared.parts.get(this.topic);
    if (!part || !this.stored || !this.rows.rows.length) return;
    const place = Math.min(this.stored.utf16(Int32Array.of(part[0]))[0], this.text.length - 1);
    this.leave();
    this.settle(() => this.topOf(place), this.viewHeight * 0.08);
  }

  /** @param {number | null} offset */
  select(offset) {
    if (offset === this.selected) return;
    this.mark(offset);
    if (offset !== null && this.isUpToDate()) this.scrollToPlace();
  }

  /** @param {number | null} offset */
  mark(offset) {
    const before = this.place();
    this.selected = offset;
    if (!this.isUpToDate()) return;
    const changed = [before, this.place()].flatMap((at) => (at === null ? [] : [this.rows.rowOf(at)]));
    for (const index of new Set(changed)) this.refresh(index);
  }

  /** @param {number | null} offset */
  choose(offset) {
    this.mark(offset);
    chooseGap(this.topic, offset, this);
    this.component.setTriggerValue("place", { document: this.document, offset });
  }

  // ---- differences

  /** How many differences stand at or above the line at which one reads. */
  passed() {
    const index = this.rowAtHeight(this.viewTop + this.viewHeight * READING_LINE);
    return index === null ? 0 : lowerBound(this.differences, this.rows.froms[index] + 1);
  }

  /** @param {number} step */
  jump(step) {
    const { length } = this.differences;
    if (!length) return;
    const passed = this.current ?? this.passed() - (step > 0 ? 1 : 0);
    const next = this.current === null && step < 0 ? passed - 1 : passed + step;
    this.unmarkCurrent();
    this.current = Math.max(0, Math.min(length - 1, next));
    const place = this.differences[this.current];
    const index = this.rows.rowOf(place);
    this.refresh(index);
    const top = () => {
      if (this.rows.froms[index] !== place) return this.topOf(place);
      const box = this.builtRow(index)?.box;
      return box ? box.getBoundingClientRect().top - this.viewTop : null;
    };
    this.settle(top, this.viewHeight * READING_LINE - 24);
    this.count();
  }

  /** Fills the counter above the columns. */
  count() {
    const { length } = this.differences;
    const at = this.current === null ? this.passed() : this.current + 1;
    this.back.disabled = !length || at <= (this.current === null ? 0 : 1);
    this.forth.disabled = !length || at >= length;
    const none = this.rows.columns.length > 1 ? "no differences: the same boundaries everywhere" : "";
    if (!length) this.counter.textContent = none;
    else if (at > 0) this.counter.textContent = `difference ${number.format(at)} of ${number.format(length)}`;
    else this.counter.textContent = plural(length, "difference");
  }

  // ---- pointer and keys

  listen() {
    const options = { signal: this.abort.signal };
    this.back.addEventListener("click", () => this.jump(-1));
    this.forth.addEventListener("click", () => this.jump(1));
    this.list.addEventListener("click", (event) => this.clicked(event), options);
    this.scroller.addEventListener("scroll", () => {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => {
        if (!this.rows.rows.length) return;
        this.count();
        this.remember();
      });
    }, options);
    for (const own of ["wheel", "touchmove", "pointerdown"]) {
      this.scroller.addEventListener(own, () => this.leave(), { ...options, passive: true });
    }
    this.root.addEventListener("keydown", (event) => this.key(event), options);
    listen(BUS.view, this, options.signal, () => {
      if (this.isUpToDate()) this.showPart();
    });
  }

  /** The user scrolls by hand. */
  leave() {
    this.letGo();
    this.unmarkCurrent();
    this.current = null;
  }

  /** Takes the marks off without building anything anew: the pointer may be about to click there. */
  unmarkCurrent() {
    const box = this.current === null ? null : this.builtRow(this.rows.rowOf(this.differences[this.current]))?.box;
    if (box) for (const marked of [box, ...box.querySelectorAll(".cs-now")]) marked.classList.remove("cs-now");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "n" || event.key === "p") this.jump(event.key === "n" ? 1 : -1);
    else if (event.key === "Escape" && this.selected !== null) this.choose(null);
    else {
      if (/^(Arrow|Page|Home|End| )/.test(event.key)) this.leave();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    if (this.isCopying() || closest(event.target, "details")) return;
    const offset = this.offsetAt(event);
    if (offset !== null) this.choose(offset === this.selected ? null : offset);
  }

  /** The offset, in code points, that a click means: of a cut, or of a character. @param {MouseEvent} event */
  offsetAt({ target, clientX, clientY }) {
    const head = closest(target, ".cs-head");
    if (head) return this.builder.offsets.get(head)?.() ?? null;
    const cell = closest(target, ".cs-body");
    const place = cell && this.characterAt(cell, clientX, clientY);
    return place === null ? null : codePoints(this.text, place);
  }
}

/** Where the readers of documents were. @returns {Map<string | null, {anchor: Anchor, selected: number | null}>} */
function lastSeen() {
  return kept("last-seen", () => new Map());
}

export default mounted(SideBySide);

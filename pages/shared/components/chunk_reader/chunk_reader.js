// The chunk reader: the whole document as bands, one a chunk, built as one comes near them.

/** @import { Component } from "../base/dom.js" */
/** @import { StoredDocument } from "../base/bus.js" */
/** @import { ChunkReaderBody, LayoutBody } from "../messages.js" */
import { BUS, announce, chooseGap, listen, settleSelection, shared } from "../base/bus.js";
import { applyTheme, button, closest, element, mounted } from "../base/dom.js";
import { firstWhere, lowerBound, number, plural } from "../base/numbers.js";
import { afterBlankLines, isRightToLeft, kindClass, visible } from "../base/text.js";
import { TextView, stillMotion } from "../base/text_view.js";
import { unpack } from "../base/wire.js";
import { LayoutBuilder } from "../../../../chunking/web/text/elements.js";
import { Layout } from "../../../../chunking/web/text/layout.js";

const HEAD_PX = 58; // height of a chunk without its text, before it was ever laid out
const LINE_PX = 23;
const CHARACTER_PX = 7.4;
const STRETCHES = 400; // at most: a browser looks at each one whenever anything on the page moves

/**
 * An equal part of the document with the chunks that begin there: what the browser lays out or leaves out at once.
 *
 * @typedef {object} Stretch
 * @property {HTMLElement} box
 * @property {Shell[]} shells
 * @property {boolean} close
 */

/**
 * A chunk's place in the page; its text and head are built when its stretch comes near.
 *
 * @typedef {object} Shell
 * @property {number} index
 * @property {Stretch | null} stretch
 * @property {HTMLElement} box
 * @property {number} height as estimated
 * @property {HTMLElement} head
 * @property {HTMLElement | null} cut
 * @property {boolean} filled whether its text is built
 * @property {boolean} stale whether its head may have changed
 * @property {string} shown
 * @property {Map<number, HTMLElement[]>} sentences the elements of each: several where marks divide it
 */

/** @typedef {"hover" | "selected"} Kind */

/** @extends {TextView<ChunkReaderBody, Shell>} */
class ChunkReader extends TextView {
  /** @type {Map<string, Shell>} */ byKey = new Map();
  /** @type {Map<number, Stretch>} by place in the document */ stretches = new Map();
  /** @type {WeakMap<Element, Stretch>} */ stretchOf = new WeakMap();
  /** @type {Record<Kind, [HTMLElement, string][]>} */ marked = { hover: [], selected: [] };
  /** @type {number | null} */ hovered = null;
  /** @type {WeakMap<Element, number>} */ sentenceOf = new WeakMap();
  /** @type {Int32Array} */ start = new Int32Array(0);
  /** @type {Int32Array} */ end = new Int32Array(0);
  /** @type {Int32Array} */ overlapStart = new Int32Array(0);
  /** @type {Layout | null} how the document is laid out; null where every character is shown */ layout = null;
  /** @type {LayoutBody | undefined} what it was read from */ layoutBody;
  fromChart = false; // whether another component shows the hovered gap
  markFrame = 0;
  pill = button("cs-pill");

  /** @param {HTMLElement} parent */
  constructor(parent) {
    super(parent, "cs-reader", "The document as chunked text");
    this.pill.hidden = true;
    this.scroller.append(this.list);
    this.root.append(this.scroller, this.pill);
    this.listen();
  }

  /** @param {Component} component */
  update(component) {
    const { head, body } = unpack(component.data);
    applyTheme(this.root);
    if (this.take(component, head, body)) this.hovered = null;
    this.select(settleSelection(this.topic, head.selected));
  }

  // ---- building

  rebuild() {
    const opened = this.open();
    if (!opened) return;
    const { stored, same } = opened;
    const anchor = same ? this.anchor() : null;
    const looksSame = this.chooseLayout(stored) && same;
    if (this.data.reading && !this.layout) return; // its layout will be announced
    const { columns } = this.data;
    this.start = stored.utf16(columns.start);
    this.end = stored.utf16(columns.end);
    this.overlapStart = stored.utf16(columns.overlap_start);
    this.unmark("hover");
    this.unmark("selected");
    this.arrange(looksSame);
    if (anchor) this.settle(() => this.topOf(this.pieces(anchor.sentence, "first")[0] ?? null), anchor.offset);
    this.mark("selected", this.selected);
    this.mark("hover", this.hovered);
    if (!same && this.selected !== null) this.scrollToGap(this.selected);
    this.fillWhenIdle();
    this.painted();
  }

  /** Takes the layout that this view needs, once it has arrived. @param {StoredDocument} stored @returns {boolean} whether the text looks as before */
  chooseLayout(stored) {
    const body = this.data.reading ? shared.layouts.get(this.document) : undefined;
    const before = this.layout;
    if (!body) this.layout = null;
    else if (body !== this.layoutBody) this.layout = new Layout(body, stored.utf16);
    this.layoutBody = body;
    return this.layout === before;
  }

  /** Puts one shell for each chunk in order, keeping those whose span has not changed. @param {boolean} same whether the same document is shown in the same way */
  arrange(same) {
    const charactersALine = Math.max(20, (this.list.clientWidth - 40) / CHARACTER_PX);
    /** @type {Map<string, Shell>} */ const next = new Map();
    this.start.forEach((start, index) => {
      let key = `${start}:${this.end[index]}`;
      while (next.has(key)) key += "+"; // chunks that do not tile may share a span
      const shell = (same && this.byKey.get(key)) || this.shell(index, charactersALine);
      shell.index = index;
      next.set(key, shell);
    });
    for (const [key, shell] of this.byKey) if (next.get(key) !== shell) shell.box.remove();
    this.parts = [...next.values()];
    this.byKey = next;
    this.arrangeStretches(same);
    const { columns, drivers } = this.data;
    for (const shell of this.parts) {
      const driver = columns.driver[shell.index];
      shell.box.dataset.driver = driver ? drivers[driver - 1].role : "";
      shell.box.classList.toggle("cs-odd", shell.index % 2 === 1);
      shell.stale = true;
      if (shell.stretch?.close) this.fill(shell);
    }
  }

  /** Puts each shell into the stretch where it begins, keeping those of the same document. @param {boolean} same */
  arrangeStretches(same) {
    const length = this.stored?.text.length || 1;
    const old = this.stretches;
    this.stretches = new Map();
    let part = 0;
    for (const shell of this.parts) {
      // Chunks that do not tile may begin before the last one.
      part = Math.max(part, Math.floor((this.start[shell.index] * STRETCHES) / length));
      shell.stretch = this.stretches.get(part) ?? this.emptied(same ? old.get(part) : undefined);
      shell.stretch.shells.push(shell);
      this.stretches.set(part, shell.stretch);
    }
    for (const [at, stretch] of old) {
      if (this.stretches.get(at) === stretch) continue;
      this.near.unobserve(stretch.box);
      stretch.box.remove();
    }
    const stretches = [...this.stretches.values()];
    putInOrder(this.list, stretches);
    for (const { box, shells } of stretches) {
      box.style.setProperty("--cs-height", `${shells.reduce((sum, { height }) => sum + height, 0)}px`);
      putInOrder(box, shells);
    }
  }

  /** A stretch without shells. @param {Stretch | undefined} known @returns {Stretch} */
  emptied(known) {
    if (known) {
      known.shells = [];
      return known;
    }
    const stretch = { box: element("div", "cs-stretch"), shells: [], close: false };
    this.stretchOf.set(stretch.box, stretch);
    this.near.observe(stretch.box);
    return stretch;
  }

  /** @param {number} index @param {number} charactersALine @returns {Shell} */
  shell(index, charactersALine) {
    const box = element("section", "cs-chunk cs-empty");
    const height = Math.round(HEAD_PX + Math.ceil((this.end[index] - this.start[index]) / charactersALine) * LINE_PX);
    box.style.setProperty("--cs-height", `${height}px`);
    const head = element("div", "cs-head");
    const shell = {
      index, stretch: null, box, height, head, cut: null, filled: false, stale: true, shown: "", sentences: new Map(),
    };
    this.partOf.set(box, shell);
    return shell;
  }

  /** @param {Shell} shell */
  isFilled(shell) {
    return !shell.stale;
  }

  /** Builds the text of a shell once, and its head again whenever the chunks were made anew. @param {Shell} shell */
  fill(shell) {
    if (!shell.filled) {
      shell.filled = true;
      shell.box.replaceChildren(shell.head, this.text(shell));
      shell.box.classList.remove("cs-empty");
    }
    if (shell.stale) this.fillHead(shell);
    shell.stale = false;
  }

  /** @param {IntersectionObserverEntry[]} entries */
  approached(entries) {
    for (const { target, isIntersecting } of entries) {
      const stretch = this.stretchOf.get(target);
      if (!stretch) continue;
      stretch.close = isIntersecting;
      if (isIntersecting) stretch.shells.forEach((shell) => this.fill(shell));
    }
    this.keepPlace();
  }

  /** Cut, number, tokens, headings and overlap: what may change while the chunk's span does not. @param {Shell} shell */
  fillHead(shell) {
    const { columns, paths, note, place, reason } = this.data;
    const { index } = shell;
    const titles = paths[columns.path[index]] ?? [];
    const overlap = this.overlapStart[index] < this.start[index] ? this.overlapStart[index] : -1;
    const shown = JSON.stringify([
      index, columns.tokens[index], columns.overlap_tokens[index], columns.gap[index], columns.driver[index],
      titles, note[index] ?? "", place[index] ?? "", reason[index], overlap,
    ]);
    if (shown === shell.shown) return;
    shell.shown = shown;
    const line = element("div", "cs-title");
    line.append(element("b", "", `#${number.format(index + 1)}`));
    line.append(element("span", "cs-tokens", plural(columns.tokens[index], "token")));
    if (place[index]) line.append(element("span", "cs-tokens", visible(place[index])));
    if (titles.length) {
      const path = element("span", "cs-path", titles.map(visible).join(" › "));
      path.dir = "auto";
      line.append(path);
    }
    if (note[index]) line.append(element("span", "cs-note", note[index]));
    shell.cut = reason[index] && index > 0 ? this.cut(index) : null;
    const repeated = overlap >= 0 ? [this.overlap(index, overlap)] : [];
    shell.head.replaceChildren(...(shell.cut ? [shell.cut] : []), line, ...repeated);
  }

  /** @param {number} index */
  cut(index) {
    const { columns, drivers, reason } = this.data;
    const row = element("div", "cs-cut");
    const driver = columns.driver[index];
    if (columns.gap[index] >= 0) row.dataset.gap = String(columns.gap[index]);
    const words = element("span", "cs-why");
    if (driver) words.append(element("i", "", drivers[driver - 1].glyph));
    words.append(visible(reason[index]));
    row.append(words);
    return row;
  }

  /** @param {number} index @param {number} from */
  overlap(index, from) {
    const box = element("div", "cs-overlap");
    const label = `overlap, repeated from above · ${plural(this.data.columns.overlap_tokens[index], "token")}`;
    const text = this.body("cs-text");
    const words = (/** @type {string} */ shown) => element("span", "", visible(shown));
    this.write(from, this.start[index], text, (_, shown) => words(shown));
    box.append(element("div", "cs-overlap-label", label), text);
    return box;
  }

  /** The text of a chunk, an element a sentence or more. @param {Shell} shell */
  text(shell) {
    const body = this.body("cs-body cs-text");
    if (!this.stored) return body;
    const { kinds, kindNames } = this.stored;
    this.write(this.start[shell.index], this.end[shell.index], body, (sentence, shown) => {
      const kind = this.layout ? "" : kindClass(kindNames[kinds[sentence]]);
      const piece = element("span", kind ? `cs-s ${kind}` : "cs-s", visible(shown));
      this.sentenceOf.set(piece, sentence);
      const known = shell.sentences.get(sentence);
      if (known) known.push(piece);
      else shell.sentences.set(sentence, [piece]);
      return piece;
    });
    return body;
  }

  /** An element for text. @param {string} className */
  body(className) {
    if (!this.layout) return element("div", className);
    return element("div", `${className} cs-laid-out${this.layoutBody?.reflowed ? " cs-reflowed" : ""}`);
  }

  /**
   * Puts a part of the document into an element, as it is written or as it is laid out.
   *
   * @param {number} start
   * @param {number} end
   * @param {HTMLElement} body
   * @param {(sentence: number, shown: string) => HTMLElement} make makes the element of a sentence, or of a part of one
   */
  write(start, end, body, make) {
    if (this.layout) {
      const builder = new LayoutBuilder(body, (from, to, parent, instead) => this.writeSentences(from, to, parent, make, instead));
      this.layout.walk(start, end, builder);
      return;
    }
    const text = this.stored?.text ?? "";
    // Blank lines at the edges of a chunk are in the source, but between two bands they would only be a hole.
    const at = afterBlankLines(text, start, end);
    this.writeSentences(at, at + text.slice(at, end).trimEnd().length, body, make);
  }

  /**
   * Puts a stretch of the text into an element, divided into sentences.
   *
   * @param {number} start
   * @param {number} last
   * @param {HTMLElement} parent
   * @param {(sentence: number, shown: string) => HTMLElement} make
   * @param {string} [instead] what is shown in its place, all in the first sentence
   */
  writeSentences(start, last, parent, make, instead) {
    if (!this.stored) return;
    const { text, spans, sentences } = this.stored;
    let at = start;
    for (let sentence = lowerBound(this.sentenceEnds, at + 1); sentence < sentences; sentence++) {
      const from = Math.max(at, spans[2 * sentence]);
      const to = Math.min(last, spans[2 * sentence + 1]);
      if (from >= to) break;
      if (from > at) parent.append(visible(text.slice(at, from)));
      parent.append(make(sentence, instead ?? text.slice(from, to)));
      at = to;
      if (instead !== undefined) return;
    }
    if (at < last) parent.append(visible(instead ?? text.slice(at, last)));
  }

  // ---- where the reader was

  /** The first sentence that is visible, and how far it stands from the top; null at the very top. */
  anchor() {
    if (this.scroller.scrollTop < 4 || !this.parts.length) return null;
    const { top } = this.scroller.getBoundingClientRect();
    const firstBelow = (/** @type {{box: HTMLElement}[]} */ boxes) =>
      firstWhere(boxes.length - 1, (index) => boxes[index].box.getBoundingClientRect().bottom > top);
    // By stretches first: to ask for the place of a chunk lays its stretch out.
    const stretches = [...this.stretches.values()];
    const { shells } = stretches[firstBelow(stretches)];
    for (const shell of this.parts.slice(this.parts.indexOf(shells[firstBelow(shells)]))) {
      this.fill(shell); // a busy browser may not have built it yet, and it may be lower than estimated
      for (const [sentence, pieces] of shell.sentences) {
        const bottom = pieces[pieces.length - 1].getBoundingClientRect().bottom;
        if (bottom > top) return { sentence, offset: pieces[0].getBoundingClientRect().top - top };
      }
    }
    return null;
  }

  /** @param {HTMLElement | null} target */
  topOf(target) {
    return target ? target.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top : null;
  }

  // ---- gaps in the text

  /** The elements of a sentence: where it is cut in two, those of its first or last part. @param {number} sentence @param {"first" | "last"} which */
  pieces(sentence, which) {
    if (!this.stored || sentence < 0 || sentence >= this.stored.sentences) return [];
    const { spans } = this.stored;
    const offset = which === "first" ? spans[2 * sentence] : spans[2 * sentence + 1] - 1;
    const index = lowerBound(this.start, offset + 1) - 1;
    if (index < 0 || offset >= this.end[index]) return [];
    this.fill(this.parts[index]);
    return this.parts[index].sentences.get(sentence) ?? [];
  }

  /** Marks both sentences of a gap, the place between them, and the cut there, if any. @param {Kind} kind @param {number | null} gap */
  mark(kind, gap) {
    this.unmark(kind);
    const right = gap === null ? [] : this.pieces(gap + 1, "first");
    if (gap !== null && right.length) {
      const left = this.pieces(gap, "last");
      const cut = this.shellOf(right[0])?.cut;
      for (const piece of [...left, ...right]) this.addMark(kind, piece, `cs-${kind}`);
      this.addMark(kind, left[left.length - 1], `cs-${kind}-left`);
      if (cut?.dataset.gap === String(gap)) this.addMark(kind, cut, `cs-${kind}`);
    }
    this.point();
  }

  /** @param {Kind} kind @param {HTMLElement | undefined} target @param {string} name */
  addMark(kind, target, name) {
    target?.classList.add(name);
    if (target) this.marked[kind].push([target, name]);
  }

  /** @param {Kind} kind */
  unmark(kind) {
    for (const [target, name] of this.marked[kind]) target.classList.remove(name);
    this.marked[kind] = [];
  }

  /** @param {HTMLElement} piece */
  shellOf(piece) {
    const box = closest(piece, ".cs-chunk");
    return box ? this.partOf.get(box) : undefined;
  }

  /** Says where the gap under another component's pointer is when it is out of view, without moving the text. */
  point() {
    const gap = this.fromChart ? this.hovered : null;
    const target = this.marked.hover[0]?.[0];
    this.pill.hidden = true;
    if (gap === null || !target) return;
    const view = this.scroller.getBoundingClientRect();
    const box = target.getBoundingClientRect();
    const above = box.bottom < view.top;
    if (!above && box.top <= view.bottom) return;
    this.pill.hidden = false;
    const chunk = number.format((this.shellOf(target)?.index ?? 0) + 1);
    this.pill.textContent = `${above ? "↑" : "↓"} gap ${number.format(gap + 1)} · #${chunk}`;
    this.pill.classList.toggle("cs-above", above);
  }

  /** @param {number} gap */
  scrollToGap(gap) {
    const target = this.pieces(gap + 1, "first")[0] ?? this.pieces(gap, "last")[0] ?? null;
    const top = this.topOf(target);
    if (top === null) return;
    const { clientHeight: height } = this.scroller;
    if (top > height * 0.08 && top < height * 0.85) return;
    if (Math.abs(top) > 2 * height || stillMotion.matches) {
      this.settle(() => (target?.isConnected ? this.topOf(target) : null), height * 0.4);
    } else {
      this.letGo();
      this.scroller.scrollBy({ top: top - height * 0.4, behavior: "smooth" });
    }
  }

  /** @param {number | null} gap */
  select(gap) {
    if (gap === this.selected) return;
    this.selected = gap;
    if (!this.isUpToDate()) return;
    this.mark("selected", gap);
    if (gap !== null) this.scrollToGap(gap);
  }

  // ---- pointer

  listen() {
    const options = { signal: this.abort.signal };
    const { scroller } = this;
    scroller.addEventListener("pointermove", ({ target, clientX, clientY }) => {
      cancelAnimationFrame(this.frame);
      // The event itself forgets its target inside the shadow root as soon as it has been dispatched.
      this.frame = requestAnimationFrame(() => this.pointed(target, clientX, clientY));
    }, options);
    scroller.addEventListener("pointerleave", () => {
      cancelAnimationFrame(this.frame);
      this.hover(null);
    }, options);
    scroller.addEventListener("click", ({ target, clientX, clientY }) => this.clicked(target, clientX, clientY), options);
    scroller.addEventListener("scroll", () => this.point(), options);
    for (const own of ["wheel", "touchstart", "pointerdown", "keydown"]) {
      scroller.addEventListener(own, () => this.letGo(), { ...options, passive: true });
    }
    scroller.addEventListener("keydown", ({ key }) => {
      if (key === "Escape" && this.selected !== null) this.choose(null);
    }, options);
    this.pill.addEventListener("click", () => this.hovered !== null && this.scrollToGap(this.hovered), options);
    listen(BUS.hover, this, options.signal, ({ gap }) => {
      this.hovered = gap;
      this.fromChart = true;
      cancelAnimationFrame(this.markFrame);
      this.markFrame = requestAnimationFrame(() => this.mark("hover", this.hovered));
    });
  }

  /** @param {EventTarget | null} target @param {number} x @param {number} y */
  pointed(target, x, y) {
    const gap = this.gapAt(target, x, y);
    if (gap !== this.hovered || this.fromChart) this.hover(gap);
  }

  /** @param {number | null} gap */
  hover(gap) {
    this.hovered = gap;
    this.fromChart = false;
    this.mark("hover", gap);
    announce(BUS.hover, { document: this.topic, gap, source: this });
  }

  /** @param {EventTarget | null} target @param {number} x @param {number} y */
  clicked(target, x, y) {
    if (this.isCopying()) return;
    const gap = this.gapAt(target, x, y);
    if (gap !== null) this.choose(gap === this.selected ? null : gap);
  }

  /** @param {number | null} gap */
  choose(gap) {
    this.selected = gap;
    this.mark("selected", gap);
    chooseGap(this.topic, gap, this);
    this.component.setTriggerValue("gap", { document: this.document, gap });
  }

  /** The gap nearest to a point of the screen: before a sentence in its first half, after it in its second.
   *
   * @param {EventTarget | null} target
   * @param {number} x
   * @param {number} y
   */
  gapAt(target, x, y) {
    if (!this.stored) return null;
    const cut = closest(target, ".cs-cut");
    if (cut) return cut.dataset.gap === undefined ? null : Number(cut.dataset.gap);
    const piece = closest(target, ".cs-s");
    const sentence = piece?.isConnected ? this.sentenceOf.get(piece) : undefined;
    if (!piece || sentence === undefined || this.stored.sentences < 2) return null;
    const pieces = this.shellOf(piece)?.sentences.get(sentence) ?? [piece];
    const gap = inSecondHalf(pieces, piece, x, y) ? sentence : sentence - 1;
    return Math.max(0, Math.min(this.stored.sentences - 2, gap));
  }

  destroy() {
    super.destroy();
    cancelAnimationFrame(this.markFrame);
  }
}

/** Makes boxes the children of an element, moving those alone that stand elsewhere. @param {HTMLElement} parent @param {{box: HTMLElement}[]} children */
function putInOrder(parent, children) {
  let place = parent.firstChild;
  for (const { box } of children) {
    if (box === place) place = place.nextSibling;
    else parent.insertBefore(box, place);
  }
}

/**
 * Whether a point lies in the second half of a sentence.
 *
 * @param {HTMLElement[]} pieces of the sentence
 * @param {HTMLElement} target the piece that the point is in
 * @param {number} x
 * @param {number} y
 */
function inSecondHalf(pieces, target, x, y) {
  const length = (/** @type {HTMLElement} */ piece) => piece.textContent?.length ?? 0;
  const sum = (/** @type {HTMLElement[]} */ some) => some.reduce((total, piece) => total + length(piece), 0);
  const before = sum(pieces.slice(0, pieces.indexOf(target))) + shareBefore(target, x, y) * length(target);
  return before * 2 > sum(pieces);
}

/** The share of an inline element before a point, counted along its lines. @param {HTMLElement} piece @param {number} x @param {number} y */
function shareBefore(piece, x, y) {
  const backwards = isRightToLeft(piece.textContent ?? "");
  let before = 0;
  let total = 0;
  let met = false;
  for (const line of piece.getClientRects()) {
    total += line.width;
    if (met || y < line.top) continue;
    if (y > line.bottom) before += line.width;
    else {
      const share = Math.min(line.width, Math.max(0, x - line.left));
      before += backwards ? line.width - share : share;
      met = true;
    }
  }
  return total ? before / total : 0;
}

export default mounted(ChunkReader);

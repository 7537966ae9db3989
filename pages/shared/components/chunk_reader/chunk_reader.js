// The chunk reader: the whole document as bands, one a chunk, built as one comes near them.

import { BUS, announce, chooseGap, settleSelection, shared } from "../base/bus.js";
import { applyTheme, element, mounted } from "../base/dom.js";
import { lowerBound, number, plural } from "../base/numbers.js";
import { visible } from "../base/text.js";
import { unpack } from "../base/wire.js";

const NEAR = "900px 0px"; // how far outside the view a chunk is built
const HEAD_PX = 58; // height of a chunk without its text, before it was ever laid out
const LINE_PX = 23;
const SETTLE_FRAMES = 8;
const MONOSPACED = new Set(["code", "table"]);

const idle = window.requestIdleCallback ?? ((run) => setTimeout(() => run({ timeRemaining: () => 8 }), 30));
const stillMotion = window.matchMedia("(prefers-reduced-motion: reduce)");

class ChunkReader {
  constructor(parent) {
    this.root = element("div", "cs-reader");
    this.scroller = element("div", "cs-scroller");
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute("role", "region");
    this.scroller.setAttribute("aria-label", "The document as chunked text");
    this.list = element("div", "cs-list");
    this.pill = element("button", "cs-pill");
    this.pill.type = "button";
    this.pill.hidden = true;
    this.scroller.append(this.list);
    this.root.append(this.scroller, this.pill);
    parent.append(this.root);

    this.builds = 0;
    this.hold = null; // what settle() keeps in place
    this.shells = [];
    this.byKey = new Map();
    this.marked = { hover: [], selected: [] };
    this.hovered = null;
    this.selected = null;
    this.abort = new AbortController();
    this.near = new IntersectionObserver((entries) => this.approached(entries), {
      root: this.scroller,
      rootMargin: NEAR,
    });
    this.listen();
  }

  update({ data, setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
    const { head, body } = unpack(data);
    applyTheme(this.root);
    const moved = head.document !== this.document;
    if (moved) {
      this.document = head.document;
      this.hovered = null;
    }
    if (moved || head.content !== this.content) {
      this.content = head.content;
      this.data = body();
      this.scroller.style.height = this.data.height;
      this.rebuildSoon();
    }
    this.select(settleSelection(head.document, head.selected), true);
  }

  /** After the chart has painted: it is small and looked at first. */
  rebuildSoon() {
    const build = ++this.builds;
    requestAnimationFrame(() => setTimeout(() => build === this.builds && this.rebuild(), 0));
  }

  // ---- building

  rebuild() {
    const stored = shared.documents.get(this.document);
    if (!stored) return; // the store announces it
    const same = this.stored === stored;
    const anchor = same ? this.anchor() : null;
    this.stored = stored;
    const { columns } = this.data;
    this.start = stored.utf16(columns.start);
    this.end = stored.utf16(columns.end);
    this.overlapStart = stored.utf16(columns.overlap_start);
    if (!same) {
      this.sentenceEnds = stored.spans.filter((_, i) => i % 2 === 1);
      this.scroller.scrollTop = 0;
    }
    this.unmark("hover");
    this.unmark("selected");
    this.arrange(same ? this.byKey : new Map());
    this.placeAnchor(anchor);
    this.mark("selected", this.selected);
    this.mark("hover", this.hovered);
    if (!same && this.selected !== null) this.scrollToGap(this.selected);
    this.fillWhenIdle(this.builds);
    this.root.dataset.csContent = this.content;
    this.root.dispatchEvent(new CustomEvent("chunkscope:painted", { bubbles: true, composed: true }));
  }

  /** Puts one shell for each chunk in order, keeping those whose span has not changed. */
  arrange(old) {
    const charactersALine = Math.max(20, (this.list.clientWidth - 40) / 7.4);
    const next = new Map();
    const shells = [];
    for (let index = 0; index < this.start.length; index++) {
      let key = `${this.start[index]}:${this.end[index]}`;
      while (next.has(key)) key += "+"; // chunks that do not tile may share a span
      const shell = old.get(key) ?? this.shell(index, charactersALine);
      shell.index = index;
      next.set(key, shell);
      shells.push(shell);
    }
    for (const [key, shell] of this.byKey) {
      if (next.get(key) === shell) continue;
      this.near.unobserve(shell.box);
      shell.box.remove();
    }
    let place = this.list.firstChild;
    for (const shell of shells) {
      if (shell.box === place) place = place.nextSibling;
      else this.list.insertBefore(shell.box, place);
    }
    this.shells = shells;
    this.byKey = next;
    for (const shell of shells) {
      this.dress(shell);
      shell.stale = true;
      if (shell.filled && shell.close) this.refresh(shell);
    }
  }

  shell(index, charactersALine) {
    const box = element("section", "cs-chunk cs-empty");
    const height = Math.round(HEAD_PX + Math.ceil((this.end[index] - this.start[index]) / charactersALine) * LINE_PX);
    box.style.setProperty("--cs-height", `${height}px`);
    const shell = { index, box, close: false, filled: false, stale: true, sentences: new Map() };
    box.csShell = shell;
    this.near.observe(box);
    return shell;
  }

  /** What a chunk's box says of its place among the others. */
  dress({ box, index }) {
    const driver = this.data.columns.driver[index];
    box.dataset.driver = driver ? this.data.drivers[driver - 1].role : "";
    box.classList.toggle("cs-odd", index % 2 === 1);
  }

  /** Brings a shell up to date: its text is built once, its head again whenever the chunks were made anew. */
  refresh(shell) {
    if (!shell.filled) this.fill(shell);
    if (shell.stale) this.fillHead(shell);
    shell.stale = false;
  }

  fill(shell) {
    shell.filled = true;
    shell.head = element("div", "cs-head");
    shell.body = element("div", "cs-body cs-text");
    this.fillBody(shell);
    shell.box.replaceChildren(shell.head, shell.body);
    shell.box.classList.remove("cs-empty");
  }

  /** Cut, number, tokens, headings and overlap: what may change while the chunk's span does not. */
  fillHead(shell) {
    const { columns, paths, note, place, reason } = this.data;
    const { index } = shell;
    const titles = paths[columns.path[index]] ?? [];
    const overlap = this.overlapStart[index] < this.start[index] ? this.overlapStart[index] : -1;
    const says = JSON.stringify([
      index, columns.tokens[index], columns.overlap_tokens[index], columns.gap[index], columns.driver[index],
      titles, note[index] ?? "", place[index] ?? "", reason[index], overlap,
    ]);
    if (says === shell.says) return;
    shell.says = says;
    const line = element("div", "cs-title");
    line.append(element("b", "", `#${number.format(index + 1)}`));
    line.append(element("span", "cs-tokens", plural(columns.tokens[index], "token")));
    if (place[index]) line.append(element("span", "cs-tokens", visible(place[index])));
    if (titles.length) {
      const path = element("span", "cs-path");
      path.dir = "auto";
      path.textContent = titles.map((title) => visible(title)).join(" › ");
      line.append(path);
    }
    if (note[index]) line.append(element("span", "cs-note", note[index]));
    const parts = [line];
    if (reason[index] && index > 0) parts.unshift(this.cut(index));
    if (overlap >= 0) parts.push(this.overlap(index, overlap));
    shell.head.replaceChildren(...parts);
    shell.cut = index > 0 ? shell.head.querySelector(".cs-cut") : null;
  }

  cut(index) {
    const { columns, drivers, reason } = this.data;
    const row = element("div", "cs-cut");
    const driver = columns.driver[index];
    if (columns.gap[index] >= 0) row.dataset.gap = columns.gap[index];
    const words = element("span", "cs-why");
    if (driver) words.append(element("i", "", drivers[driver - 1].glyph));
    words.append(visible(reason[index]));
    row.append(words);
    return row;
  }

  overlap(index, from) {
    const box = element("div", "cs-overlap");
    const label = `overlap, repeated from above · ${plural(this.data.columns.overlap_tokens[index], "token")}`;
    const text = element("div", "cs-text", visible(this.stored.text.slice(from, this.start[index])).trim());
    box.append(element("div", "cs-overlap-label", label), text);
    return box;
  }

  fillBody(shell) {
    const { text, spans, kinds, kindNames, sentences } = this.stored;
    const body = window.document.createDocumentFragment();
    let at = this.start[shell.index];
    const end = this.end[shell.index];
    // Blank lines at the edges of a chunk are in the source, but between two bands they would only be a hole.
    at += /^(?:[^\S\n\r]*[\n\r])*/.exec(text.slice(at, end))[0].length;
    const last = at + text.slice(at, end).trimEnd().length;
    for (let sentence = lowerBound(this.sentenceEnds, at + 1); sentence < sentences; sentence++) {
      const from = Math.max(at, spans[2 * sentence]);
      const to = Math.min(last, spans[2 * sentence + 1]);
      if (from >= to) break;
      if (from > at) body.append(visible(text.slice(at, from)));
      const piece = element("span", "cs-s", visible(text.slice(from, to)));
      const kind = kindNames[kinds[sentence]];
      if (MONOSPACED.has(kind)) piece.classList.add("cs-mono");
      else if (kind === "heading") piece.classList.add("cs-heading");
      piece.csSentence = sentence;
      shell.sentences.set(sentence, piece);
      body.append(piece);
      at = to;
    }
    if (at < last) body.append(visible(text.slice(at, last)));
    shell.body.append(body);
  }

  approached(entries) {
    for (const { target, isIntersecting } of entries) {
      target.csShell.close = isIntersecting;
      if (isIntersecting) this.refresh(target.csShell);
    }
    this.keepPlace();
  }

  /** Brings the rest up to date, so that the browser's own search finds everything. */
  fillWhenIdle(build, from = 0) {
    idle((deadline) => {
      if (build !== this.builds) return;
      let index = from;
      do {
        while (index < this.shells.length && !this.shells[index].stale) index++;
        if (index >= this.shells.length) return;
        this.refresh(this.shells[index]);
      } while (deadline.timeRemaining() > 4);
      this.keepPlace();
      this.fillWhenIdle(build, index);
    });
  }

  // ---- where the reader was

  /** The first sentence that is visible, and how far it stands from the top; null at the very top. */
  anchor() {
    if (this.scroller.scrollTop < 4 || !this.shells.length) return null;
    const top = this.scroller.getBoundingClientRect().top;
    let low = 0;
    let high = this.shells.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.shells[middle].box.getBoundingClientRect().bottom > top) high = middle;
      else low = middle + 1;
    }
    for (const shell of this.shells.slice(low, low + 2)) {
      for (const [sentence, piece] of shell.sentences) {
        const box = piece.getBoundingClientRect();
        if (box.bottom > top) return { sentence, offset: box.top - top };
      }
    }
    return null;
  }

  placeAnchor(anchor) {
    if (anchor) this.settle(() => this.piece(anchor.sentence, "first"), anchor.offset);
  }

  /** Scrolls until an element stands `offset` pixels below the top, and keeps it there for a while: what comes into
   * view on the way turns out higher or lower than it was guessed. The user's own scrolling ends it. */
  settle(find, offset) {
    const hold = { find, offset, frames: SETTLE_FRAMES };
    this.hold = hold;
    const step = () => {
      if (this.hold !== hold) return;
      this.keepPlace();
      if (--hold.frames > 0) requestAnimationFrame(step);
    };
    step();
  }

  keepPlace() {
    const target = this.hold?.find();
    if (!target) return;
    const moved = this.topOf(target) - this.hold.offset;
    if (Math.abs(moved) >= 1) this.scroller.scrollTop += moved;
  }

  letGo() {
    this.hold = null;
  }

  topOf(target) {
    return target.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top;
  }

  // ---- gaps in the text

  /** The shell that holds a character; -1 for none. */
  shellAt(offset) {
    const index = lowerBound(this.start, offset + 1) - 1;
    return index >= 0 && offset < this.end[index] ? index : -1;
  }

  /** The element of a sentence: where it is cut in two, its first or last part. */
  piece(sentence, which) {
    const { spans, sentences } = this.stored;
    if (sentence < 0 || sentence >= sentences) return null;
    const index = this.shellAt(which === "first" ? spans[2 * sentence] : spans[2 * sentence + 1] - 1);
    if (index < 0) return null;
    this.refresh(this.shells[index]);
    return this.shells[index].sentences.get(sentence) ?? null;
  }

  /** Marks both sentences of a gap, the place between them, and the cut there, if any. */
  mark(kind, gap) {
    this.unmark(kind);
    if (gap === null || !this.stored || gap < 0 || gap + 1 >= this.stored.sentences) return this.point();
    const left = this.piece(gap, "last");
    const right = this.piece(gap + 1, "first");
    const cut = right?.closest(".cs-chunk").csShell.cut;
    const marks = [
      [left, `cs-${kind}`], [left, `cs-${kind}-left`], [right, `cs-${kind}`],
      [cut?.dataset.gap === String(gap) ? cut : null, `cs-${kind}`],
    ];
    for (const [target, name] of marks) {
      if (!target) continue;
      target.classList.add(name);
      this.marked[kind].push([target, name]);
    }
    this.point();
  }

  unmark(kind) {
    for (const [target, name] of this.marked[kind]) target.classList.remove(name);
    this.marked[kind] = [];
  }

  /** Says where the gap under the chart's pointer is when it is out of view, without moving the text. */
  point() {
    const gap = this.fromChart ? this.hovered : null;
    const target = this.marked.hover[0]?.[0];
    if (gap === null || !target) {
      this.pill.hidden = true;
      return;
    }
    const view = this.scroller.getBoundingClientRect();
    const box = target.getBoundingClientRect();
    const above = box.bottom < view.top;
    const below = box.top > view.bottom;
    this.pill.hidden = !(above || below);
    if (this.pill.hidden) return;
    const shell = target.closest(".cs-chunk").csShell;
    this.pill.textContent = `${above ? "↑" : "↓"} gap ${number.format(gap + 1)} · #${number.format(shell.index + 1)}`;
    this.pill.classList.toggle("cs-above", above);
  }

  scrollToGap(gap) {
    const target = this.stored && (this.piece(gap + 1, "first") ?? this.piece(gap, "last"));
    if (!target) return;
    const { clientHeight: height } = this.scroller;
    const top = this.topOf(target);
    if (top > height * 0.08 && top < height * 0.85) return;
    if (Math.abs(top) > 2 * height || stillMotion.matches) this.settle(() => target.isConnected && target, height * 0.4);
    else {
      this.letGo();
      this.scroller.scrollBy({ top: top - height * 0.4, behavior: "smooth" });
    }
  }

  select(gap, scroll) {
    if (gap === this.selected) return;
    this.selected = gap;
    if (!this.stored || this.stored !== shared.documents.get(this.document)) return; // rebuild() will do it
    this.mark("selected", gap);
    if (scroll && gap !== null) this.scrollToGap(gap);
  }

  // ---- pointer

  listen() {
    const signal = this.abort.signal;
    const on = (target, type, handler) => target.addEventListener(type, handler, { signal });
    on(this.scroller, "pointermove", ({ target, clientX, clientY }) => {
      cancelAnimationFrame(this.frame);
      // The event itself forgets its target inside the shadow root as soon as it has been dispatched.
      this.frame = requestAnimationFrame(() => this.pointed({ target, clientX, clientY }));
    });
    on(this.scroller, "pointerleave", () => {
      cancelAnimationFrame(this.frame);
      this.hover(null);
    });
    on(this.scroller, "click", (event) => this.clicked(event));
    on(this.scroller, "scroll", () => this.point());
    for (const own of ["wheel", "touchstart", "pointerdown", "keydown"]) on(this.scroller, own, () => this.letGo());
    on(this.scroller, "keydown", (event) => {
      if (event.key === "Escape" && this.selected !== null) this.choose(null);
    });
    on(this.pill, "click", () => this.hovered !== null && this.scrollToGap(this.hovered));
    on(window, BUS.document, ({ detail }) => detail.document === this.document && this.rebuildSoon());
    on(window, BUS.hover, ({ detail }) => {
      if (detail.document !== this.document || detail.source === this) return;
      this.hovered = detail.gap;
      this.fromChart = true;
      cancelAnimationFrame(this.markFrame);
      this.markFrame = requestAnimationFrame(() => this.mark("hover", this.hovered));
    });
    on(window, BUS.select, ({ detail }) => {
      if (detail.document === this.document && detail.source !== this) this.select(detail.gap, true);
    });
  }

  pointed(event) {
    const gap = this.gapAt(event);
    if (gap !== this.hovered || this.fromChart) this.hover(gap);
  }

  hover(gap) {
    this.hovered = gap;
    this.fromChart = false;
    this.mark("hover", gap);
    announce(BUS.hover, { document: this.document, gap, source: this });
  }

  clicked(event) {
    const selection = this.root.getRootNode().getSelection?.() ?? window.getSelection();
    if (selection && !selection.isCollapsed) return; // the user marked text to copy it
    const gap = this.gapAt(event);
    if (gap !== null) this.choose(gap === this.selected ? null : gap);
  }

  choose(gap) {
    this.selected = gap;
    this.mark("selected", gap);
    chooseGap(this.document, gap, this);
    this.setTriggerValue("gap", { document: this.document, gap });
  }

  /** The gap nearest to the pointer: before a sentence in its first half, after it in its second. */
  gapAt(event) {
    if (!this.stored) return null;
    const cut = event.target.closest?.(".cs-cut");
    if (cut) return cut.dataset.gap === undefined ? null : Number(cut.dataset.gap);
    const piece = event.target.closest?.(".cs-s");
    if (!piece || !piece.isConnected) return null;
    const sentence = piece.csSentence;
    const gap = inSecondHalf(piece, event) ? sentence : sentence - 1;
    return Math.max(0, gap) + 1 < this.stored.sentences ? Math.max(0, gap) : this.stored.sentences > 1 ? sentence - 1 : null;
  }

  destroy() {
    this.builds++;
    this.letGo();
    this.abort.abort();
    this.near.disconnect();
    cancelAnimationFrame(this.frame);
    cancelAnimationFrame(this.markFrame);
    this.root.remove();
  }
}

/** Whether a point lies in the second half of an inline element, counted along its lines. */
function inSecondHalf(piece, { clientX, clientY }) {
  let before = 0;
  let total = 0;
  let met = false;
  for (const line of piece.getClientRects()) {
    total += line.width;
    if (met || clientY < line.top) continue;
    if (clientY > line.bottom) before += line.width;
    else {
      const share = Math.min(line.width, Math.max(0, clientX - line.left));
      before += isRightToLeft(piece) ? line.width - share : share;
      met = true;
    }
  }
  return before * 2 > total;
}

/** The first letter with a direction decides, as for `dir="auto"`. */
function isRightToLeft(piece) {
  const letter = /\p{L}/u.exec(piece.textContent)?.[0] ?? "";
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(letter);
}

export default mounted(ChunkReader);

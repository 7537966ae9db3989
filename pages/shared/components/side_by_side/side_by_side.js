// Side by side: the chunks of several strategies over one text. A row is the text between two neighbouring cuts of any
// of them, so it stands at the same height in every column; rows are built a stretch at a time, as one comes near them.

import { BUS, KEPT_DOCUMENTS, chooseGap, settleSelection, shared } from "../base/bus.js";
import { applyTheme, element, mounted } from "../base/dom.js";
import { lowerBound, number, plural } from "../base/numbers.js";
import { clip, visible } from "../base/text.js";
import { unpack } from "../base/wire.js";

const NEAR = "900px 0px"; // how far outside the view a stretch is built
const HEAD_PX = 60; // height of a row without its text, before it was ever laid out
const LINE_PX = 21;
const CHARACTER_PX = 6.9;
const LONG_ROW = 3000; // characters above which a row without cuts is laid in parts
const STRETCH_ROWS = 10;
const STRETCH_CHARACTERS = 2500;
const SETTLE_FRAMES = 12;
const FILL_ALL_BELOW = 1_000_000; // characters in all columns up to which everything is built, for the browser's search
const READING_LINE = 0.3; // share of the height at which one reads
const QUOTED = 48;
const LISTED = 40;
const MONOSPACED = new Set(["code", "table"]);
const NOWHERE = -1; // owner of text that is in no chunk

const idle = window.requestIdleCallback ?? ((run) => setTimeout(() => run({ timeRemaining: () => 8 }), 30));
const BLANK = /\s*/y;

function skipBlank(text, at) {
  BLANK.lastIndex = at;
  return at + BLANK.exec(text)[0].length;
}

function isBlank(text) {
  return !/\S/.test(text);
}

function bits(mask) {
  let count = 0;
  for (let rest = mask; rest; rest &= rest - 1) count++;
  return count;
}

/** Whether a character outside the basic plane began one unit before. */
function isSecondHalf(text, at) {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

/** Offset in code points of an offset in a JavaScript string. */
function codePoints(text, offset) {
  let pairs = 0;
  for (let i = 1; i < offset; i++) if (isSecondHalf(text, i)) pairs++;
  return offset - pairs;
}

// ---- what stands where

/** The chunks of one strategy. Places are compared at the first character that is not blank after them: whether a chunk
 * takes the blank line before it or after it is no difference that anyone could see. */
class Column {
  constructor(wire, stored) {
    Object.assign(this, wire);
    const { text } = stored;
    for (const name of ["start", "end", "overlap_start", "missing"]) this[name] = stored.utf16(wire[name]);
    this.given = wire.start; // in code points, as Python knows it
    this.from = this.start.map((at) => skipBlank(text, at));
    this.to = this.end.map((at) => skipBlank(text, at));
    this.depth = new Int32Array(this.start.length);
    this.inner = new Uint8Array(this.start.length); // whether other chunks lie in it
    this.parent.forEach((parent, index) => {
      if (parent < 0) return;
      this.depth[index] = this.depth[parent] + 1;
      this.inner[parent] = 1;
    });
  }

  /** The spans a chunk does not hold, as `[start, end]`. */
  missingOf(index) {
    const spans = [];
    for (let i = this.missing_at[index]; i < this.missing_at[index + 1]; i++) {
      spans.push([this.missing[2 * i], this.missing[2 * i + 1]]);
    }
    return spans;
  }

  startingAt(place) {
    const first = lowerBound(this.from, place);
    return Array.from({ length: lowerBound(this.from, place + 1) - first }, (_, i) => first + i);
  }

  /** For each row the innermost chunk that holds it. */
  owners(rows) {
    let open = [];
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

/** Rows `{from, to, mask, soft}` between the cuts of all columns; bit c of `mask`: column c begins or ends a chunk. */
function makeRows(text, sentenceStarts, columns) {
  const places = new Set([skipBlank(text, 0), text.length]);
  for (const { from, to } of columns) for (const known of [from, to]) for (const place of known) places.add(place);
  const sorted = Int32Array.from(places).sort();
  const masks = new Uint8Array(sorted.length);
  columns.forEach(({ from, to }, column) => {
    for (const known of [from, to]) for (const place of known) masks[lowerBound(sorted, place)] |= 1 << column;
  });
  const rows = [];
  const last = sorted.length - 1;
  for (let i = 0; i < last; i++) rows.push(...rowParts(text, sentenceStarts, sorted[i], sorted[i + 1], masks[i]));
  // A chunk of nothing but blanks at the end of the text has nothing after it to stand at.
  const atEnd = columns.some(({ from }) => from.length && from[from.length - 1] === text.length);
  if (atEnd) rows.push({ from: text.length, to: text.length, mask: masks[last], soft: false });
  return rows;
}

/** A row, or several where it is so long that it must be laid in parts; they break where the text breaks. */
function rowParts(text, sentenceStarts, from, to, mask) {
  const rows = [{ from, to, mask, soft: false }];
  for (let at = from; to - at > LONG_ROW * 1.5; ) {
    at = breakBefore(text, sentenceStarts, at, at + LONG_ROW);
    if (at >= to) break;
    rows.at(-1).to = at;
    rows.push({ from: at, to, mask: 0, soft: true });
  }
  return rows;
}

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

// ---- what is seen

class SideBySide {
  constructor(parent) {
    this.root = element("div", "cs-side");
    this.bar = element("div", "cs-bar");
    this.back = this.button("↑", "Previous difference (p)", -1);
    this.forth = this.button("↓", "Next difference (n)", 1);
    this.counter = element("span", "cs-counter");
    this.counter.setAttribute("aria-live", "polite");
    this.legend = element("span", "cs-legend");
    this.bar.append(this.back, this.forth, this.counter, this.legend);
    this.scroller = element("div", "cs-scroller");
    this.scroller.tabIndex = 0;
    this.scroller.setAttribute("role", "region");
    this.scroller.setAttribute("aria-label", "Chunks side by side; n and p go to the next and previous difference");
    this.titles = element("div", "cs-titles");
    this.list = element("div", "cs-list");
    this.scroller.append(this.titles, this.list);
    this.root.append(this.bar, this.scroller);
    parent.append(this.root);

    this.builds = 0;
    this.hold = null; // what settle() keeps in place
    this.rows = [];
    this.stretches = [];
    this.differences = new Int32Array(0);
    this.current = null; // the difference that was jumped to, until the user scrolls
    this.selected = null; // in code points, as Python says it
    this.opened = new Set(); // what was unfolded, so that it stays so
    this.abort = new AbortController();
    this.near = new IntersectionObserver((entries) => this.approached(entries), {
      root: this.scroller,
      rootMargin: NEAR,
    });
    this.listen();
  }

  button(label, title, step) {
    const made = element("button", "cs-step", label);
    made.type = "button";
    made.title = title;
    made.setAttribute("aria-label", title);
    made.addEventListener("click", () => this.jump(step));
    return made;
  }

  update({ data, setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
    const { head, body } = unpack(data);
    applyTheme(this.root);
    const moved = head.document !== this.document;
    if (moved) {
      this.document = head.document;
      this.opened.clear();
    }
    if (moved || head.content !== this.content) {
      this.content = head.content;
      this.data = body();
      this.scroller.style.height = this.data.height;
      this.rebuildSoon();
    }
    this.select(settleSelection(this.choices, head.selected));
  }

  /** Under this key the places chosen in the document are kept, beside the gaps chosen in it. */
  get choices() {
    return `${this.document}#place`;
  }

  /** After smaller parts of the page have painted. */
  rebuildSoon() {
    const build = ++this.builds;
    requestAnimationFrame(() => setTimeout(() => build === this.builds && this.rebuild(), 0));
  }

  // ---- building

  rebuild() {
    const stored = shared.documents.get(this.document);
    if (!stored) return; // the store announces it
    const same = this.stored === stored;
    const left = same ? null : lastSeen.get(this.document);
    const anchor = same ? this.anchor() : left?.selected === this.selected ? left.anchor : null;
    if (!same) {
      this.stored = stored;
      this.text = stored.text;
      this.sentenceStarts = stored.spans.filter((_, i) => i % 2 === 0);
      this.sentenceEnds = stored.spans.filter((_, i) => i % 2 === 1);
      this.scroller.scrollTop = 0;
    }
    this.columns = this.data.columns.map((wire) => new Column(wire, stored));
    this.all = (1 << this.columns.length) - 1;
    this.rows = makeRows(this.text, this.sentenceStarts, this.columns);
    this.froms = Int32Array.from(this.rows, (row) => row.from);
    this.owners = this.columns.map((column) => column.owners(this.rows));
    this.differences = this.findDifferences();
    this.current = null;
    this.letGo();
    this.root.style.setProperty("--cs-columns", this.columns.length);
    this.fillTitles();
    this.fillLegend();
    this.layStretches();
    this.fillView(anchor);
    if (anchor) this.settle(() => this.topOf(anchor.offset), anchor.top);
    else if (!same && this.place() !== null) this.scrollToPlace();
    else if (!same) this.showPart();
    this.tell();
    this.fillWhenIdle(this.builds);
    this.root.dataset.csContent = this.content;
    this.root.dispatchEvent(new CustomEvent("chunkscope:painted", { bubbles: true, composed: true }));
  }

  /** Whether the columns disagree on a cut at the beginning of a row. */
  disputed({ from, mask, soft }) {
    return !soft && mask !== this.all && from !== this.froms[0] && from !== this.text.length;
  }

  /** Places where the columns differ: cuts that not all have, and text that some chunk or column does not hold. */
  findDifferences() {
    const found = new Set();
    this.rows.forEach((row, index) => {
      if (this.disputed(row)) found.add(row.from);
      const lost = this.owners.map((owners) => owners[index] === NOWHERE);
      const begins = lost.some((now, c) => now && (index === 0 || this.owners[c][index - 1] !== NOWHERE));
      if (begins && row.to > row.from && lost.includes(false)) found.add(row.from);
    });
    for (const { missing } of this.columns) {
      for (let i = 0; i < missing.length; i += 2) {
        const place = skipBlank(this.text, missing[i]);
        if (place < missing[i + 1]) found.add(place);
      }
    }
    return Int32Array.from(found).sort();
  }

  fillTitles() {
    const alone = this.columns.map((column, c) => {
      const begins = (row) => this.disputed(row) && row.mask === 1 << c && column.startingAt(row.from).length > 0;
      return this.rows.reduce((sum, row) => sum + begins(row), 0);
    });
    const titles = this.columns.map((column, c) => {
      const box = element("div", "cs-column-title");
      const title = element("b", "", visible(column.title));
      title.title = title.textContent;
      title.dir = "auto";
      const facts = element("div", "cs-facts");
      facts.append(element("span", "", plural(column.start.length, "chunk")));
      if (alone[c]) facts.append(element("span", "cs-alone", `${plural(alone[c], "boundary", "boundaries")} only here`));
      const lost = this.lostStretches(c);
      if (lost) facts.append(element("span", "cs-warn", `${plural(lost, "stretch", "stretches")} of text left out`));
      box.append(title, facts);
      return box;
    });
    this.titles.replaceChildren(...titles);
  }

  /** How many stretches of text a column lacks: between its chunks, and inside them. */
  lostStretches(c) {
    const owners = this.owners[c];
    const { missing } = this.columns[c];
    let count = 0;
    this.rows.forEach((row, i) => {
      if (owners[i] === NOWHERE && row.to > row.from && (i === 0 || owners[i - 1] !== NOWHERE)) count++;
    });
    for (let i = 0; i < missing.length; i += 2) count += skipBlank(this.text, missing[i]) < missing[i + 1];
    return count;
  }

  fillLegend() {
    const items = [];
    const several = this.columns.length > 1;
    if (several) items.push(["cs-key-cut", "boundary that not all have"], ["cs-key-on", "no boundary here"]);
    if (this.columns.some(({ overlap_tokens: tokens }) => tokens.some((count) => count > 0))) {
      items.push(["cs-key-repeat", "repeated before a chunk"]);
    }
    if (this.columns.some((_, c) => this.lostStretches(c))) items.push(["cs-key-lost", "text left out"]);
    this.legend.replaceChildren(
      ...items.map(([name, words]) => {
        const item = element("span", "cs-key");
        item.append(element("i", name), words);
        return item;
      }),
    );
  }

  /** One shell for each few rows, in place of the old ones. */
  layStretches() {
    this.near.disconnect();
    this.stretches = [];
    const width = Math.max(230, this.list.clientWidth / this.columns.length - 40);
    const lines = (row) => Math.ceil(((row.to - row.from) * CHARACTER_PX) / width);
    for (let first = 0; first < this.rows.length; ) {
      let last = first;
      let height = 0;
      const begin = this.rows[first].from;
      const room = (index) => index - first < STRETCH_ROWS && this.rows[index].to - begin < STRETCH_CHARACTERS;
      do {
        height += (this.rows[last].soft ? 0 : HEAD_PX) + lines(this.rows[last]) * LINE_PX;
        last++;
      } while (last < this.rows.length && room(last));
      const box = element("div", "cs-stretch cs-empty");
      box.style.setProperty("--cs-height", `${Math.round(height)}px`);
      const stretch = { first, last, box, boxes: null };
      box.csStretch = stretch;
      this.stretches.push(stretch);
      first = last;
    }
    const nothing = element("div", "cs-nothing", "There is no text to show.");
    this.list.replaceChildren(...(this.stretches.length ? this.stretches.map(({ box }) => box) : [nothing]));
    for (const { box } of this.stretches) this.near.observe(box);
  }

  /** Builds what will be in view, before anything is painted. */
  fillView(anchor) {
    const from = anchor ? this.stretchOf(this.rowOf(anchor.offset)) : 0;
    let height = 0;
    for (let i = from; i < this.stretches.length && height < this.scroller.clientHeight; i++) {
      this.fill(this.stretches[i]);
      height += parseFloat(this.stretches[i].box.style.getPropertyValue("--cs-height"));
    }
  }

  fill(stretch) {
    if (stretch.boxes) return;
    stretch.boxes = [];
    for (let index = stretch.first; index < stretch.last; index++) stretch.boxes.push(this.row(index));
    stretch.box.replaceChildren(...stretch.boxes);
    stretch.box.classList.remove("cs-empty");
  }

  approached(entries) {
    for (const { target, isIntersecting } of entries) if (isIntersecting) this.fill(target.csStretch);
    this.keepPlace();
  }

  /** Brings the rest up to date, so that the browser's own search finds everything. */
  fillWhenIdle(build, from = 0) {
    if (this.text.length * this.columns.length > FILL_ALL_BELOW) return;
    idle((deadline) => {
      if (build !== this.builds) return;
      let index = from;
      do {
        while (index < this.stretches.length && this.stretches[index].boxes) index++;
        if (index >= this.stretches.length) return;
        this.fill(this.stretches[index]);
      } while (deadline.timeRemaining() > 4);
      this.keepPlace();
      this.fillWhenIdle(build, index);
    });
  }

  // ---- a row

  row(index) {
    const row = this.rows[index];
    const box = element("div", "cs-row");
    box.csRow = index;
    const heads = row.soft ? [] : this.columns.map((_, c) => this.head(c, index));
    box.csCells = this.columns.map((_, c) => this.textCell(c, index));
    box.append(...heads, ...box.csCells);
    box.classList.toggle("cs-disputed", this.disputed(row));
    const place = this.place();
    box.classList.toggle("cs-chosen", place !== null && skipBlank(this.text, place) === row.from);
    box.classList.toggle("cs-now", this.current !== null && this.differences[this.current] === row.from);
    return box;
  }

  /** What a column has above the text of a row: the heads of chunks that begin here, or that it goes on. */
  head(c, index) {
    const column = this.columns[c];
    const row = this.rows[index];
    const owner = this.owners[c][index];
    const before = index > 0 ? this.owners[c][index - 1] : undefined;
    const cell = element("div", "cs-head");
    const starting = column.startingAt(row.from);
    const parts = starting.map((chunk) => this.chunkHead(c, chunk, chunk === owner));
    const resumed = owner >= 0 && before !== undefined && owner !== before && !starting.includes(owner);
    if (owner < 0 && before !== NOWHERE && row.to > row.from) parts.push(this.lostHead());
    else if (resumed) parts.push(this.resumedHead(column, owner));
    else if (!parts.length) parts.push(this.goesOn(column, owner, row));
    if (this.disputed(row) && row.mask & (1 << c)) {
      const count = bits(row.mask);
      const words = count === 1 ? "only here" : `${count} of ${this.columns.length}`;
      const badge = element("span", `cs-badge${count === 1 ? " cs-alone" : ""}`, words);
      (parts[0].querySelector(".cs-line") ?? parts[0]).append(badge);
      parts[0].classList.add("cs-cut", count === 1 ? "cs-cut-alone" : "cs-cut-some");
    }
    cell.csOffset = () => (starting.length ? column.given[starting.at(-1)] : codePoints(this.text, row.from));
    cell.append(...parts);
    return cell;
  }

  chunkHead(c, chunk, owns) {
    const column = this.columns[c];
    const outer = column.inner[chunk] === 1;
    const blank = column.from[chunk] === column.to[chunk];
    const other = outer ? "cs-outer" : "cs-segment cs-first cs-last cs-blank";
    const box = element("div", owns ? "cs-segment cs-first" : other);
    this.indent(box, column, column.depth[chunk], owns ? chunk : null);
    const line = element("div", "cs-line");
    line.append(element("b", "", `${outer ? "▾ " : ""}#${number.format(chunk + 1)}`));
    line.append(element("span", "", plural(column.tokens[chunk], "token")));
    if (blank) line.append(element("span", "", "white space only"));
    const reason = chunk > 0 || column.from[chunk] > this.froms[0] ? column.reason[chunk] : "";
    if (reason) line.append(element("span", "cs-why", visible(reason)));
    box.append(line);
    const titles = column.paths[column.path[chunk]] ?? [];
    const parent = column.parent[chunk];
    const told = parent >= 0 && column.path[parent] === column.path[chunk];
    if (titles.length && !told) box.append(this.path(titles));
    const note = column.note[chunk];
    if (note) box.append(element("div", "cs-note", visible(note)));
    box.append(...this.extras(c, chunk));
    return box;
  }

  path(titles) {
    const path = element("div", "cs-path");
    path.append(...titles.map((title) => element("span", "", visible(title))));
    path.title = titles.map((title) => visible(title)).join(" › ");
    path.dir = "auto";
    return path;
  }

  /** What a chunk repeats, adds and leaves out. */
  extras(c, chunk) {
    const column = this.columns[c];
    const found = [];
    const [from, start] = [column.overlap_start[chunk], column.start[chunk]];
    if (from < start) {
      const words = `repeats ${plural(column.overlap_tokens[chunk], "token")}: `;
      const whole = this.text.slice(from, start).trim();
      found.push(this.fold(`${c}:o:${from}:${start}`, "cs-repeat", words, clipEnd(whole, QUOTED), () => [whole]));
    }
    const missing = column.missingOf(chunk).map(([a, b]) => this.text.slice(a, b));
    const added = column.added[chunk] ?? [];
    found.push(...this.altered(`${c}:m:${start}`, "cs-missing", "left out", missing));
    found.push(...this.altered(`${c}:a:${start}`, "cs-added", "added", added));
    const blanks = [...missing, ...added].filter(isBlank).length;
    if (blanks) found.push(element("div", "cs-note", `white space changed at ${plural(blanks, "place")}`));
    return found;
  }

  altered(key, name, words, texts) {
    const shown = texts.filter((text) => !isBlank(text));
    if (!shown.length) return [];
    const label = shown.length > 1 ? `${words} at ${number.format(shown.length)} places: ` : `${words}: `;
    const listed = () => {
      const rest = shown.length - LISTED;
      return [...shown.slice(0, LISTED), ...(rest > 0 ? [`and ${number.format(rest)} more`] : [])];
    };
    return [this.fold(key, name, label, clip(shown[0], QUOTED), listed)];
  }

  /** A line that unfolds to whole texts. */
  fold(key, name, words, quote, texts) {
    const box = element("details", `cs-fold ${name}`);
    const summary = element("summary", "", words);
    const short = element("q", "", quote);
    short.dir = "auto";
    summary.append(short);
    box.append(summary);
    const unfold = () => {
      if (box.open && box.children.length === 1) {
        for (const text of texts()) {
          const whole = element("div", "cs-text", visible(text));
          whole.dir = "auto";
          box.append(whole);
        }
      }
    };
    box.open = this.opened.has(key);
    unfold();
    box.addEventListener("toggle", () => {
      this.opened[box.open ? "add" : "delete"](key);
      unfold();
    });
    return box;
  }

  lostHead() {
    const box = element("div", "cs-gone");
    const line = element("div", "cs-line");
    line.append(element("span", "cs-warn", "in no chunk"));
    box.append(line);
    return box;
  }

  resumedHead(column, owner) {
    const box = element("div", "cs-segment cs-first");
    this.indent(box, column, column.depth[owner], owner);
    const line = element("div", "cs-line");
    line.append(element("b", "", `#${number.format(owner + 1)}`), element("span", "", "goes on"));
    box.append(line);
    return box;
  }

  goesOn(column, owner, row) {
    const box = element("div", owner < 0 ? "cs-gone" : "cs-segment");
    if (owner >= 0) this.indent(box, column, column.depth[owner], owner);
    else box.classList.toggle("cs-void", row.to > row.from);
    if (this.disputed(row)) box.classList.add("cs-on");
    return box;
  }

  indent(box, column, depth, chunk) {
    box.style.setProperty("--cs-depth", depth);
    if (chunk !== null) box.classList.toggle("cs-odd", chunk % 2 === 1);
  }

  textCell(c, index) {
    const column = this.columns[c];
    const owner = this.owners[c][index];
    const lastRow = index + 1 >= this.rows.length;
    const cell = element("div", owner < 0 ? "cs-gone cs-text cs-body" : "cs-segment cs-text cs-body");
    cell.dir = "auto";
    if (owner >= 0) {
      this.indent(cell, column, column.depth[owner], owner);
      cell.classList.toggle("cs-last", lastRow || this.owners[c][index + 1] !== owner);
    }
    cell.append(...this.pieces(column, owner, this.rows[index]));
    return cell;
  }

  /** The text of a row in spans, each with the offsets it stands for (`csFrom`, `csTo`). */
  pieces(column, owner, row) {
    const [from, to] = this.shown(row);
    const lost = owner < 0 ? [[from, to]] : column.missingOf(owner);
    const place = this.place();
    const sentence = place !== null && place >= from && place < to ? this.sentenceAt(place) : null;
    const now = this.current === null ? NOWHERE : this.differences[this.current];
    const edges = new Set([from, to]);
    const cut = (at) => at > from && at < to && edges.add(at);
    let kind = null;
    for (let i = lowerBound(this.sentenceEnds, from + 1); this.sentenceStarts[i] < to; i++) {
      if (this.stored.kinds[i] !== kind) cut(this.sentenceStarts[i]);
      kind = this.stored.kinds[i];
    }
    for (const span of lost) span.forEach(cut);
    if (sentence) [place, ...sentence].forEach(cut);
    const sorted = [...edges].sort((a, b) => a - b);
    const made = [];
    for (let i = 0; i + 1 < sorted.length; i++) {
      const at = sorted[i];
      if (sentence && at === place && place > row.from) made.push(element("i", "cs-caret"));
      const end = sorted[i + 1];
      const piece = element("span", this.kindClass(at, end), visible(this.text.slice(at, end)));
      piece.csFrom = at;
      piece.csTo = end;
      const gone = lost.find(([a, b]) => at >= a && at < b);
      if (gone) piece.classList.add("cs-lost");
      if (gone && now > row.from && now >= gone[0] && now < gone[1]) piece.classList.add("cs-now");
      if (sentence && at >= sentence[0] && at < sentence[1]) piece.classList.add("cs-selected");
      made.push(piece);
    }
    return made;
  }

  /** The text of a row without the blank lines after it, with the indentation of its first line. */
  shown({ from, to }) {
    let start = from;
    while (start > 0 && from - start < 200 && " \t".includes(this.text[start - 1])) start--;
    const wholeLine = start === 0 || "\n\r".includes(this.text[start - 1]);
    return [wholeLine ? start : from, from + this.text.slice(from, to).trimEnd().length];
  }

  /** The look of a piece of text, by the first sentence in it. */
  kindClass(at, end) {
    const i = lowerBound(this.sentenceEnds, at + 1);
    const kind = this.sentenceStarts[i] < end ? this.stored.kindNames[this.stored.kinds[i]] : "";
    return MONOSPACED.has(kind) ? "cs-mono" : kind === "heading" ? "cs-heading" : "";
  }

  sentenceAt(place) {
    const i = lowerBound(this.sentenceEnds, place + 1);
    const within = i < this.sentenceEnds.length && this.sentenceStarts[i] <= place;
    return within ? [this.sentenceStarts[i], this.sentenceEnds[i]] : [place, place];
  }

  // ---- places

  /** The chosen place as an offset in the browser's text; null for none. */
  place() {
    if (this.selected === null || !this.stored) return null;
    return Math.min(this.stored.utf16(Int32Array.of(this.selected))[0], this.text.length);
  }

  /** The row that holds a character, or stands right after it. */
  rowOf(place) {
    return Math.max(0, lowerBound(this.froms, skipBlank(this.text, place) + 1) - 1);
  }

  stretchOf(row) {
    let low = 0;
    let high = this.stretches.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.stretches[middle].last > row) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  rowBox(index) {
    const stretch = this.stretches[this.stretchOf(index)];
    if (!stretch) return null;
    this.fill(stretch);
    return stretch.boxes[index - stretch.first] ?? null;
  }

  /** Builds a row anew where it was built, because what is marked in it has changed. */
  refresh(index) {
    const stretch = this.stretches[this.stretchOf(index)];
    const old = stretch?.boxes?.[index - stretch.first];
    if (!old) return;
    const made = this.row(index);
    old.replaceWith(made);
    stretch.boxes[index - stretch.first] = made;
  }

  viewTop() {
    return this.scroller.getBoundingClientRect().top + this.titles.offsetHeight;
  }

  /** How far below the top of the view a character stands. */
  topOf(offset) {
    const cell = this.rowBox(this.rowOf(offset))?.csCells[0];
    if (!cell) return null;
    const place = skipBlank(this.text, offset);
    const piece = [...cell.children].find(({ csFrom, csTo }) => csFrom <= place && place < csTo);
    let box = cell.getBoundingClientRect();
    if (piece) {
      const before = visible(this.text.slice(piece.csFrom, place)).length;
      const range = window.document.createRange();
      range.setStart(piece.firstChild, Math.min(before, piece.firstChild.length - 1));
      range.setEnd(piece.firstChild, Math.min(before + 1, piece.firstChild.length));
      box = range.getBoundingClientRect();
    }
    return box.top - this.viewTop();
  }

  /** The row whose lower edge is the first below a height on the screen. */
  rowAtHeight(y) {
    if (!this.stretches.length) return null;
    const stretch = this.stretches[firstWhere(this.stretches.length, (i) => bottom(this.stretches[i].box) > y)];
    if (!stretch) return this.rows.length - 1;
    this.fill(stretch);
    const within = firstWhere(stretch.boxes.length, (i) => bottom(stretch.boxes[i]) > y);
    return Math.min(stretch.first + within, stretch.last - 1);
  }

  /** The first character in view and where it stands; null at the very top. */
  anchor() {
    if (this.scroller.scrollTop < 4 || !this.rows.length) return null;
    const top = this.viewTop();
    const index = this.rowAtHeight(top);
    const cell = this.rowBox(index).csCells[0];
    const box = cell.getBoundingClientRect();
    const inside = box.top < top ? this.characterAt(cell, box.left + 12, top + 4) : null;
    const offset = inside ?? this.rows[index].from;
    return { offset, top: this.topOf(offset) };
  }

  /** Keeps the place for when the user comes back from another document or page. */
  remember() {
    const offset = this.rows[this.rowAtHeight(this.viewTop())].from;
    lastSeen.delete(this.document); // so that the newest stands last
    lastSeen.set(this.document, { anchor: { offset, top: this.topOf(offset) }, selected: this.selected });
    for (const old of lastSeen.keys()) {
      if (lastSeen.size <= KEPT_DOCUMENTS) break;
      lastSeen.delete(old);
    }
  }

  /** The character of a text cell that is drawn at a point of the screen, or nearest to it on that line. */
  characterAt(cell, x, y) {
    const range = window.document.createRange();
    const boxOf = (node, i) => {
      range.setStart(node, i);
      range.setEnd(node, i + 1);
      return range.getClientRects()[0];
    };
    const above = (node, i) => !(boxOf(node, i)?.bottom > y);
    let best = null;
    for (const piece of cell.children) {
      const node = piece.firstChild;
      if (!node || above(node, node.length - 1)) continue;
      // Every character of the line is asked: its direction may change within it.
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

  /** The offset of a shown character: shown, CR LF is one character, and everything else stays one. */
  sourceOf(piece, shown) {
    const source = this.text.slice(piece.csFrom, piece.csTo);
    let offset = shown;
    if (source.includes("\r\n")) {
      offset = 0;
      for (let i = 0; i < shown; i++) offset += source.startsWith("\r\n", offset) ? 2 : 1;
    }
    return piece.csFrom + offset - (isSecondHalf(source, offset) ? 1 : 0);
  }

  // ---- staying and going

  /** Scrolls until something stands `wanted` pixels below the top, and keeps it there for a while: what comes into
   * view on the way turns out higher or lower than it was guessed. The user's own scrolling ends it. */
  settle(top, wanted) {
    const hold = { top, wanted, frames: SETTLE_FRAMES };
    this.hold = hold;
    const step = () => {
      if (this.hold !== hold) return;
      this.keepPlace();
      if (--hold.frames > 0) requestAnimationFrame(step);
      else this.letGo(); // from here on the browser's own scroll anchoring does it
    };
    step();
  }

  keepPlace() {
    const top = this.hold?.top() ?? null;
    if (top === null) return;
    const moved = top - this.hold.wanted;
    if (Math.abs(moved) >= 1) this.scroller.scrollTop += moved;
  }

  letGo() {
    this.hold = null;
  }

  get viewHeight() {
    return this.scroller.clientHeight - this.titles.offsetHeight;
  }

  scrollToPlace() {
    const place = this.place();
    if (place === null || !this.rows.length) return;
    const top = this.topOf(place);
    if (top > this.viewHeight * 0.08 && top < this.viewHeight * 0.85) return;
    this.settle(() => this.topOf(place), this.viewHeight * READING_LINE);
  }

  /** Scrolls to the start of the part of the document that is looked at. */
  showPart() {
    const part = shared.parts.get(this.choices);
    if (!part || !this.rows.length) return;
    const place = Math.min(this.stored.utf16(Int32Array.of(part[0]))[0], this.text.length - 1);
    this.leave();
    this.settle(() => this.topOf(place), this.viewHeight * 0.08);
  }

  select(offset) {
    if (offset === this.selected) return;
    this.mark(offset);
    if (offset !== null && this.upToDate()) this.scrollToPlace();
  }

  /** Whether what is built belongs to the document that is asked for; if not, rebuild() does the rest. */
  upToDate() {
    return this.stored !== undefined && this.stored === shared.documents.get(this.document);
  }

  mark(offset) {
    const before = this.place();
    this.selected = offset;
    if (!this.upToDate()) return;
    const after = this.place();
    for (const index of new Set([before, after].filter((at) => at !== null).map((at) => this.rowOf(at)))) {
      this.refresh(index);
    }
  }

  choose(offset) {
    this.mark(offset);
    chooseGap(this.choices, offset, this);
    this.setTriggerValue("place", { document: this.document, offset });
  }

  // ---- differences

  /** How many differences stand at or above the line at which one reads. */
  passed() {
    const index = this.rowAtHeight(this.viewTop() + this.viewHeight * READING_LINE);
    return index === null ? 0 : lowerBound(this.differences, this.rows[index].from + 1);
  }

  jump(step) {
    const count = this.differences.length;
    if (!count) return;
    const passed = this.current ?? this.passed() - (step > 0 ? 1 : 0);
    const next = this.current === null && step < 0 ? passed - 1 : passed + step;
    this.unmarkCurrent();
    this.current = Math.max(0, Math.min(count - 1, next));
    const place = this.differences[this.current];
    const index = this.rowOf(place);
    this.refresh(index);
    const top = () => {
      if (this.froms[index] !== place) return this.topOf(place);
      const box = this.rowBox(index);
      return box ? box.getBoundingClientRect().top - this.viewTop() : null;
    };
    this.settle(top, this.viewHeight * READING_LINE - 24);
    this.tell();
  }

  /** The counter above the columns. */
  tell() {
    const count = this.differences.length;
    const at = this.current === null ? this.passed() : this.current + 1;
    this.back.disabled = !count || at <= (this.current === null ? 0 : 1);
    this.forth.disabled = !count || at >= count;
    if (!count) {
      const words = this.columns.length > 1 ? "no differences: the same boundaries everywhere" : "";
      this.counter.textContent = words;
    } else if (at > 0) this.counter.textContent = `difference ${number.format(at)} of ${number.format(count)}`;
    else this.counter.textContent = plural(count, "difference");
  }

  // ---- pointer and keys

  listen() {
    const signal = this.abort.signal;
    const on = (target, type, handler, options) => target.addEventListener(type, handler, { signal, ...options });
    on(this.list, "click", (event) => this.clicked(event));
    on(this.scroller, "scroll", () => {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => {
        if (!this.rows.length) return;
        this.tell();
        this.remember();
      });
    });
    for (const own of ["wheel", "touchmove", "pointerdown"]) {
      on(this.scroller, own, () => this.leave(), { passive: true });
    }
    on(this.root, "keydown", (event) => this.key(event));
    on(window, BUS.document, ({ detail }) => detail.document === this.document && this.rebuildSoon());
    on(window, BUS.select, ({ detail }) => {
      if (detail.document === this.choices && detail.source !== this) this.select(detail.gap);
    });
    on(window, BUS.view, ({ detail }) => {
      if (detail.document === this.choices && this.upToDate()) this.showPart();
    });
  }

  /** The user goes on by hand. */
  leave() {
    this.letGo();
    this.unmarkCurrent();
    this.current = null;
  }

  /** Takes the marks off without building anything anew: the pointer may be about to click there. */
  unmarkCurrent() {
    if (this.current === null) return;
    const box = this.rowBox(this.rowOf(this.differences[this.current]));
    for (const marked of [box, ...box.querySelectorAll(".cs-now")]) marked.classList.remove("cs-now");
  }

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

  clicked(event) {
    const selection = this.root.getRootNode().getSelection?.() ?? window.getSelection();
    if (selection && !selection.isCollapsed) return; // the user marked text to copy it
    if (!event.target.closest || event.target.closest("details")) return;
    const offset = this.offsetAt(event);
    if (offset !== null) this.choose(offset === this.selected ? null : offset);
  }

  /** The offset, in code points, that a click means: of a cut, or of a character. */
  offsetAt(event) {
    const head = event.target.closest(".cs-head");
    if (head) return head.csOffset();
    const cell = event.target.closest(".cs-body");
    const place = cell && this.characterAt(cell, event.clientX, event.clientY);
    return place === null ? null : codePoints(this.text, place);
  }

  destroy() {
    this.builds++;
    this.letGo();
    this.abort.abort();
    this.near.disconnect();
    cancelAnimationFrame(this.frame);
    this.root.remove();
  }
}

function bottom(box) {
  return box.getBoundingClientRect().bottom;
}

/** First number from 0 for which `holds` is true, `count` for none; from there on it must stay true. */
function firstWhere(count, holds) {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The end of a text on one line, about `length` characters of it. */
function clipEnd(text, length) {
  const whole = [...visible(text.slice(-4 * length)).replace(/\s+/g, " ").trim()];
  return whole.length > length ? "…" + whole.slice(-length).join("").trimStart() : whole.join("");
}

const lastSeen = new Map(); // document -> where its reader was

export default mounted(SideBySide);

// The elements of a row: what each column has above its text, and the text.

/** @import { StoredDocument } from "../base/bus.js" */
/** @import { Column, Row, Rows } from "./rows.js" */
import { element } from "../base/dom.js";
import { lowerBound, number, plural } from "../base/numbers.js";
import { clip, clipEnd, codePoints, kindClass, visible } from "../base/text.js";
import { NOWHERE, bits, skipBlank } from "./rows.js";

const QUOTED = 48; // characters of a folded text
const LISTED = 40; // texts of an unfolded list

/**
 * What is marked in the rows: offsets of the chosen place and of the difference that was jumped to.
 *
 * @typedef {{place: number | null, current: number | null}} Marked
 */

/** @typedef {{box: HTMLElement, cells: HTMLElement[]}} BuiltRow */

/** Whether a text is blank. @param {string} text */
function isBlank(text) {
  return !/\S/.test(text);
}

/** Builds the elements of rows. */
export class RowBuilder {
  /** @type {Set<string>} */ opened = new Set(); // keys of what was unfolded, so that it stays so
  /** @type {WeakMap<Element, () => number>} */ offsets = new WeakMap(); // of heads, in code points
  /** @type {WeakMap<Element, [number, number]>} */ spans = new WeakMap(); // of pieces of text
  /** @type {Rows} */ rows;
  /** @type {StoredDocument} */ stored;
  /** @type {Int32Array} */ starts;
  /** @type {Int32Array} */ ends;

  /** @param {Rows} rows @param {StoredDocument} stored @param {Int32Array} starts of sentences @param {Int32Array} ends */
  use(rows, stored, starts, ends) {
    this.rows = rows;
    this.stored = stored;
    this.starts = starts;
    this.ends = ends;
  }

  get text() {
    return this.rows.text;
  }

  get columns() {
    return this.rows.columns;
  }

  /** @param {number} index @param {Marked} marked @returns {BuiltRow} */
  row(index, marked) {
    const row = this.rows.rows[index];
    const box = element("div", "cs-row");
    const heads = row.soft ? [] : this.columns.map((_, c) => this.head(c, index));
    const cells = this.columns.map((_, c) => this.textCell(c, index, marked));
    box.append(...heads, ...cells);
    box.classList.toggle("cs-disputed", this.rows.isDisputed(row));
    box.classList.toggle("cs-chosen", marked.place !== null && skipBlank(this.text, marked.place) === row.from);
    box.classList.toggle("cs-now", marked.current === row.from);
    return { box, cells };
  }

  /** What a column has above the text of a row: the heads of chunks that begin here, or of the one that continues.
   *
   * @param {number} c
   * @param {number} index
   */
  head(c, index) {
    const column = this.columns[c];
    const row = this.rows.rows[index];
    const owners = this.rows.owners[c];
    const owner = owners[index];
    const before = index > 0 ? owners[index - 1] : undefined;
    const cell = element("div", "cs-head");
    const starting = column.startingAt(row.from);
    const parts = starting.map((chunk) => this.chunkHead(c, chunk, chunk === owner));
    const resumed = owner >= 0 && before !== undefined && owner !== before && !starting.includes(owner);
    if (owner < 0 && before !== NOWHERE && row.to > row.from) parts.push(this.lostHead());
    else if (resumed) parts.push(this.resumedHead(column, owner));
    else if (!parts.length) parts.push(this.continued(column, owner, row));
    if (this.rows.isDisputed(row) && row.mask & (1 << c)) {
      const count = bits(row.mask);
      const words = count === 1 ? "only here" : `${count} of ${this.columns.length}`;
      const badge = element("span", `cs-badge${count === 1 ? " cs-alone" : ""}`, words);
      (parts[0].querySelector(".cs-line") ?? parts[0]).append(badge);
      parts[0].classList.add("cs-cut", count === 1 ? "cs-cut-alone" : "cs-cut-some");
    }
    const last = starting.at(-1);
    this.offsets.set(cell, () => (last === undefined ? codePoints(this.text, row.from) : column.wire.start[last]));
    cell.append(...parts);
    return cell;
  }

  /** @param {number} c @param {number} chunk @param {boolean} owns whether the text below is its own */
  chunkHead(c, chunk, owns) {
    const column = this.columns[c];
    const outer = column.inner[chunk] === 1;
    const blank = column.from[chunk] === column.to[chunk];
    const other = outer ? "cs-outer" : "cs-segment cs-first cs-last cs-blank";
    const box = element("div", owns ? "cs-segment cs-first" : other);
    this.indent(box, column, chunk, owns);
    const line = element("div", "cs-line");
    line.append(element("b", "", `${outer ? "▾ " : ""}#${number.format(chunk + 1)}`));
    line.append(element("span", "", plural(column.wire.tokens[chunk], "token")));
    if (blank) line.append(element("span", "", "white space only"));
    const reason = chunk > 0 || column.from[chunk] > this.rows.froms[0] ? column.wire.reason[chunk] : "";
    if (reason) line.append(element("span", "cs-why", visible(reason)));
    box.append(line);
    const { path, paths, parent: parents, note: notes } = column.wire;
    const titles = paths[path[chunk]] ?? [];
    const parent = parents[chunk];
    const known = parent >= 0 && path[parent] === path[chunk]; // shown by the chunk around it
    if (titles.length && !known) box.append(this.path(titles));
    const note = notes[chunk];
    if (note) box.append(element("div", "cs-note", visible(note)));
    box.append(...this.extras(c, chunk));
    return box;
  }

  /** @param {string[]} titles */
  path(titles) {
    const path = element("div", "cs-path");
    path.append(...titles.map((title) => element("span", "", visible(title))));
    path.title = titles.map(visible).join(" › ");
    path.dir = "auto";
    return path;
  }

  /** What a chunk repeats, adds and leaves out. @param {number} c @param {number} chunk */
  extras(c, chunk) {
    const column = this.columns[c];
    const found = [];
    const [from, start] = [column.overlapStart[chunk], column.start[chunk]];
    if (from < start) {
      const words = `repeats ${plural(column.wire.overlap_tokens[chunk], "token")}: `;
      const whole = this.text.slice(from, start).trim();
      found.push(this.fold(`${c}:o:${from}:${start}`, "cs-repeat", words, clipEnd(whole, QUOTED), () => [whole]));
    }
    const missing = column.missingOf(chunk).map(([a, b]) => this.text.slice(a, b));
    const added = column.wire.added[chunk] ?? [];
    found.push(...this.altered(`${c}:m:${start}`, "cs-missing", "left out", missing));
    found.push(...this.altered(`${c}:a:${start}`, "cs-added", "added", added));
    const blanks = [...missing, ...added].filter(isBlank).length;
    if (blanks) found.push(element("div", "cs-note", `white space changed at ${plural(blanks, "place")}`));
    return found;
  }

  /** @param {string} key @param {string} name @param {string} words @param {string[]} texts */
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

  /** A line that unfolds to whole texts. @param {string} key @param {string} name @param {string} words @param {string} quote @param {() => string[]} texts */
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
      if (box.open) this.opened.add(key);
      else this.opened.delete(key);
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

  /** @param {Column} column @param {number} owner */
  resumedHead(column, owner) {
    const box = element("div", "cs-segment cs-first");
    this.indent(box, column, owner);
    const line = element("div", "cs-line");
    line.append(element("b", "", `#${number.format(owner + 1)}`), element("span", "", "continues"));
    box.append(line);
    return box;
  }

  /** @param {Column} column @param {number} owner @param {Row} row */
  continued(column, owner, row) {
    const box = element("div", owner < 0 ? "cs-gone" : "cs-segment");
    if (owner >= 0) this.indent(box, column, owner);
    else box.classList.toggle("cs-void", row.to > row.from);
    if (this.rows.isDisputed(row)) box.classList.add("cs-on");
    return box;
  }

  /** @param {HTMLElement} box @param {Column} column @param {number} chunk @param {boolean} [tinted] */
  indent(box, column, chunk, tinted = true) {
    box.style.setProperty("--cs-depth", String(column.depth[chunk]));
    if (tinted) box.classList.toggle("cs-odd", chunk % 2 === 1);
  }

  /** @param {number} c @param {number} index @param {Marked} marked */
  textCell(c, index, marked) {
    const column = this.columns[c];
    const owners = this.rows.owners[c];
    const owner = owners[index];
    const lastRow = index + 1 >= owners.length;
    const cell = element("div", owner < 0 ? "cs-gone cs-text cs-body" : "cs-segment cs-text cs-body");
    cell.dir = "auto";
    if (owner >= 0) {
      this.indent(cell, column, owner);
      cell.classList.toggle("cs-last", lastRow || owners[index + 1] !== owner);
    }
    cell.append(...this.pieces(column, owner, this.rows.rows[index], marked));
    return cell;
  }

  /** The text of a row in spans. @param {Column} column @param {number} owner @param {Row} row @param {Marked} marked */
  pieces(column, owner, row, { place, current }) {
    const [from, to] = this.rows.shown(row);
    /** @type {[number, number][]} */ const lost = owner < 0 ? [[from, to]] : column.missingOf(owner);
    const sentence = place !== null && place >= from && place < to ? this.sentenceAt(place) : null;
    const now = current ?? NOWHERE;
    const edges = new Set([from, to]);
    const cut = (/** @type {number} */ at) => at > from && at < to && edges.add(at);
    let kind = -1;
    for (let i = lowerBound(this.ends, from + 1); this.starts[i] < to; i++) {
      if (this.stored.kinds[i] !== kind) cut(this.starts[i]);
      kind = this.stored.kinds[i];
    }
    for (const span of lost) span.forEach(cut);
    if (sentence && place !== null) [place, ...sentence].forEach(cut);
    const sorted = [...edges].sort((a, b) => a - b);
    const made = [];
    for (let i = 0; i + 1 < sorted.length; i++) {
      const at = sorted[i];
      if (sentence && at === place && at > row.from) made.push(element("i", "cs-caret"));
      const end = sorted[i + 1];
      const piece = element("span", this.classAt(at, end), visible(this.text.slice(at, end)));
      this.spans.set(piece, [at, end]);
      const gone = lost.find(([a, b]) => at >= a && at < b);
      if (gone) piece.classList.add("cs-lost");
      if (gone && now > row.from && now >= gone[0] && now < gone[1]) piece.classList.add("cs-now");
      if (sentence && at >= sentence[0] && at < sentence[1]) piece.classList.add("cs-selected");
      made.push(piece);
    }
    return made;
  }

  /** The look of a piece of text, by the first sentence in it. @param {number} at @param {number} end */
  classAt(at, end) {
    const i = lowerBound(this.ends, at + 1);
    return this.starts[i] < end ? kindClass(this.stored.kindNames[this.stored.kinds[i]]) : "";
  }

  /** @param {number} place */
  sentenceAt(place) {
    const i = lowerBound(this.ends, place + 1);
    const within = i < this.ends.length && this.starts[i] <= place;
    return within ? [this.starts[i], this.ends[i]] : [place, place];
  }
}

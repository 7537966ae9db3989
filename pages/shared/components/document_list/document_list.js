// The list of documents: a row each, with its curve, its cuts and its chunk sizes.

/** @import { Component } from "../base/dom.js" */
/** @import { DocumentListBody, DocumentListHead, Row as DocumentRow } from "../messages.js" */
/** @import { Scene } from "./figures.js" */
import { kept } from "../base/bus.js";
import { applyTheme, button, closest, element, mounted, termed } from "../base/dom.js";
import { number, plural } from "../../../../chunking/web/engine/numbers.js";
import { unpack } from "../base/wire.js";
import { aboutCurve, aboutSizes } from "./about.js";
import { cellsOf } from "./cells.js";
import { PLACES } from "./figures.js";
import { ORDERS, ordered } from "./orders.js";

const FILTER_ABOVE = 10; // rows, above which they can be filtered
const CLIPPED_AT = 2; // limits that the height of a strip holds; without a limit, medians of the longest chunks

/**
 * How the list is looked at, which outlasts its absence from the page.
 *
 * @typedef {object} Look
 * @property {string} order
 * @property {boolean} down
 * @property {boolean} same whether all figures have one scale
 * @property {string} wanted what a name must hold
 * @property {number} top
 */

/**
 * @typedef {object} Row
 * @property {string} key
 * @property {HTMLElement} node
 * @property {string} content of its message
 * @property {string} drawn what its cells are made of
 * @property {DocumentRow} data
 * @property {number} number
 */

class DocumentList {
  /** @type {Component} */ component;
  /** @type {string | null} */ key = null;
  /** @type {string | null} */ chosen = null;
  /** @type {number | null} */ limit = null;
  /** @type {Row[]} */ rows = []; // as Python ordered them
  /** @type {Row[]} */ shown = []; // as they stand in the list
  /** @type {Map<string, Row>} */ byKey = new Map();
  /** @type {WeakMap<Node, Row>} */ rowOf = new WeakMap();
  /** @type {Row | null} */ current = null; // the row that the keys start from
  /** @type {Map<string, HTMLButtonElement>} */ sorts = new Map();
  /** @type {Look} */ look = { order: "number", down: false, same: false, wanted: "", top: 0 };
  frame = { score: 1, gaps: 0, gold: false, size: 1 }; // what all figures have in common
  content = "";
  moving = 0;
  root = element("div", "cs-docs");
  filter = element("input", "cs-filter");
  count = element("span", "cs-count");
  legend = element("div", "cs-legend");
  scroller = element("div", "cs-scroller");
  grid = element("div", "cs-grid");
  list = element("div", "cs-list");
  nothing = element("div", "cs-nothing");
  scale = element("input");
  cursor = element("div", "cs-cursor");
  tip = element("div", "cs-tip");
  live = element("div", "cs-live");

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.filter.type = "search";
    this.filter.placeholder = "Filter by name";
    this.filter.setAttribute("aria-label", "Filter by name");
    this.filter.autocomplete = "off";
    this.filter.spellcheck = false;
    const bar = element("div", "cs-bar");
    bar.append(this.filter, this.count, this.legend);
    this.grid.setAttribute("role", "grid");
    this.grid.setAttribute("aria-label", "Documents");
    this.list.setAttribute("role", "rowgroup");
    this.grid.append(this.head(), this.list);
    this.scroller.append(this.grid, this.nothing);
    this.live.setAttribute("aria-live", "polite");
    this.cursor.hidden = this.tip.hidden = true;
    this.root.append(bar, this.scroller, this.cursor, this.tip, this.live);
    parent.append(this.root);
    this.listen();
  }

  head() {
    const head = element("div", "cs-heads");
    head.setAttribute("role", "row");
    head.setAttribute("aria-rowindex", "1");
    const cell = (/** @type {string} */ className, /** @type {Node[]} */ ...parts) => {
      const made = element("div", className);
      made.setAttribute("role", "columnheader");
      made.append(...parts);
      head.append(made);
    };
    cell("cs-number", this.sort("number", "#"));
    cell("cs-name", this.sort("title", "Document"));
    const scale = element("label", "cs-scale");
    this.scale.type = "checkbox";
    scale.title = "Draw each document in proportion to its number of sentences, not all at the full width";
    scale.append(this.scale, "same scale");
    cell("cs-figure", termed(element("span", "", "Fused distance"), "fused distance"), scale);
    cell("cs-sizes", element("span", "", "Chunk sizes"));
    cell("cs-value cs-sentences", termed(this.sort("sentences", "Sentences"), "sentence"));
    cell("cs-value cs-chunks", termed(this.sort("chunks", "Chunks"), "chunk"));
    cell("cs-value cs-tokens", termed(this.sort("largest", "Tokens per chunk", "min · median · max"), "tokens per chunk"));
    cell("cs-value cs-cuts", termed(this.sort("cuts", "Cuts", "per 100"), "cuts per 100"));
    cell("cs-value cs-f1", termed(this.sort("f1", "F1"), "boundary F1"));
    return head;
  }

  /** @param {string} order @param {string} title @param {string} [below] */
  sort(order, title, below) {
    const made = button("cs-sort");
    made.title = `Sort by ${ORDERS[order].says}`;
    const first = element("span", "cs-sort-title", title);
    first.append(element("i", "cs-arrow"));
    made.append(first);
    if (below) made.append(element("small", "", below));
    made.addEventListener("click", () => this.orderBy(order));
    this.sorts.set(order, made);
    return made;
  }

  // ---- messages from Python

  /** @param {Component} component */
  update(component) {
    this.component = component;
    const { head, body } = /** @type {{head: DocumentListHead, body: () => DocumentListBody}} */ (unpack(component.data));
    applyTheme(this.root);
    const first = this.key === null;
    const again = first && this.recall(head.list);
    if (head.content !== this.content) {
      this.content = head.content;
      this.take(body());
    }
    this.choose(head.chosen);
    if (again) this.scroller.scrollTop = this.look.top;
    else if (first) this.open();
  }

  /** A list that is new here begins where the chosen document stands. */
  open() {
    const row = this.chosen === null ? undefined : this.byKey.get(this.chosen);
    if (!row || row.node.hidden) return;
    this.start(row);
    this.reveal(row);
  }

  /** Takes up how the list was looked at when it was last in this page of the browser. @param {string} key @returns {boolean} whether it was */
  recall(key) {
    this.key = key;
    const look = looks().get(key);
    if (look) this.look = look;
    this.filter.value = this.look.wanted;
    this.scale.checked = this.look.same;
    this.showScale();
    return look !== undefined;
  }

  showScale() {
    this.root.classList.toggle("cs-same-scale", this.look.same);
  }

  /** @param {Partial<Look>} changes */
  keep(changes) {
    Object.assign(this.look, changes);
    if (this.key !== null) looks().set(this.key, this.look);
  }

  /** @param {DocumentListBody} body */
  take({ rows, limit, height }) {
    this.scroller.style.maxHeight = height;
    this.limit = limit;
    const earlier = this.byKey;
    this.byKey = new Map();
    this.rows = rows.map((bytes, index) => this.row(earlier, unpack(bytes), index + 1));
    for (const [key, row] of earlier) if (this.byKey.get(key) !== row) this.forget(row);
    this.measure();
    this.draw();
    const judged = this.rows.some(({ data }) => data.f1 !== null);
    this.root.classList.toggle("cs-has-f1", judged);
    if (this.look.order === "f1" && !judged) Object.assign(this.look, { order: "number", down: false });
    this.explain();
    this.arrange();
  }

  /** A document's row: the earlier one, with other data where it has changed.
   *
   * @param {Map<string, Row>} earlier
   * @param {ReturnType<typeof unpack>} message
   * @param {number} position
   */
  row(earlier, { head, body }, position) {
    const row = earlier.get(head.key) ?? this.make(head.key, body());
    this.byKey.set(head.key, row);
    if (row.content !== head.content) row.data = body();
    row.content = head.content;
    row.number = position;
    return row;
  }

  /** @param {string} key @param {DocumentRow} data @returns {Row} */
  make(key, data) {
    const node = element("div", "cs-row");
    node.setAttribute("role", "row");
    node.tabIndex = -1;
    const row = { key, node, content: "", drawn: "", data, number: 0 };
    this.rowOf.set(node, row);
    return row;
  }

  /** @param {Row} row */
  forget(row) {
    row.node.remove();
    if (this.current === row) this.current = null;
  }

  /** What all figures have in common: the height of a curve, of a bar, and the longest document. */
  measure() {
    let score = 0;
    let gaps = 0;
    /** @type {number[]} */ const longest = [];
    for (const { data } of this.rows) {
      for (const value of data.score) if (Number.isFinite(value) && value > score) score = value;
      gaps = Math.max(gaps, data.score.length);
      if (data.sizes.length) longest.push(data.sizes.reduce((most, size) => Math.max(most, size), 0));
    }
    longest.sort((a, b) => a - b);
    const most = longest.at(-1) ?? 1;
    const usual = this.limit ?? longest[longest.length >> 1] ?? 1;
    const gold = this.rows.some(({ data }) => data.gold.length > 0);
    this.frame = { score: Math.ceil(score * 10) / 10 || 1, gaps, gold, size: Math.min(most, CLIPPED_AT * usual) || 1 };
  }

  /** Makes the cells anew of each row of which something has changed. */
  draw() {
    const { score, gold, size, gaps } = this.frame;
    for (const row of this.rows) {
      const drawn = JSON.stringify([row.content, row.number, this.limit, score, gold, size]);
      if (row.drawn !== drawn) {
        row.drawn = drawn;
        row.node.dataset.state = row.data.state;
        row.node.replaceChildren(...cellsOf(row.number, this.scene(row)));
      }
      row.node.style.setProperty("--share", String((row.data.score.length + 1) / (gaps + 1)));
    }
  }

  /** @param {Row} row @returns {Scene} */
  scene({ data }) {
    const { frame, limit } = this;
    return { data, frame, limit, places: PLACES[frame.gold ? "withGold" : "withoutGold"] };
  }

  explain() {
    const entry = (/** @type {string} */ className, /** @type {string} */ says) => {
      const made = element("span", "cs-key");
      made.append(element("i", className), says);
      return made;
    };
    const parts = [
      entry("cs-key-curve", "fused distance"), entry("cs-key-threshold", "threshold"), entry("cs-key-cut", "cut"),
    ];
    if (this.frame.gold) parts.push(entry("cs-key-gold", "reference"));
    if (this.limit !== null) parts.push(entry("cs-key-over", `over ${number.format(this.limit)} tokens`));
    this.legend.replaceChildren(...parts);
  }

  // ---- order

  /** @param {string} order */
  orderBy(order) {
    const down = order === this.look.order ? !this.look.down : Boolean(ORDERS[order].down);
    this.keep({ order, down });
    this.arrange();
    this.scroller.scrollTop = 0;
    this.live.textContent = `Sorted by ${ORDERS[order].says}, ${down ? "descending" : "ascending"}`;
  }

  /** Puts the rows in order and hides those that are not wanted. A row that stands right is not touched. */
  arrange() {
    const filtering = this.rows.length > FILTER_ABOVE;
    const wanted = filtering ? searched(this.look.wanted.trim()) : "";
    this.filter.hidden = !filtering;
    const rows = ordered(this.rows, this.look.order, this.look.down);
    const focused = this.focused();
    let next = this.list.firstChild;
    for (const row of rows) {
      row.node.hidden = wanted !== "" && !searched(row.data.title).includes(wanted);
      if (row.node === next) next = next.nextSibling;
      else this.list.insertBefore(row.node, next);
    }
    this.shown = rows.filter(({ node }) => !node.hidden);
    for (const [index, { node }] of this.shown.entries()) node.setAttribute("aria-rowindex", String(index + 2));
    this.grid.setAttribute("aria-rowcount", String(this.shown.length + 1));
    if (!this.current || !this.shown.includes(this.current)) {
      this.start(this.shown.find((row) => row.key === this.chosen) ?? this.shown[0]);
    }
    if (focused && this.focused() !== focused) this.current?.node.focus({ preventScroll: true });
    this.markOrder();
    this.say(wanted);
    this.hide();
  }

  focused() {
    const { activeElement } = /** @type {Document | ShadowRoot} */ (this.root.getRootNode());
    return activeElement && this.rowOf.has(activeElement) ? activeElement : null;
  }

  markOrder() {
    for (const [order, made] of this.sorts) {
      const mine = order === this.look.order;
      const cell = made.parentElement;
      if (mine) cell?.setAttribute("aria-sort", this.look.down ? "descending" : "ascending");
      else cell?.removeAttribute("aria-sort");
      made.getElementsByClassName("cs-arrow")[0].textContent = mine ? (this.look.down ? "▼" : "▲") : "";
    }
  }

  /** @param {string} wanted what a name must hold */
  say(wanted) {
    const total = plural(this.rows.length, "document");
    const parts = [wanted ? `${number.format(this.shown.length)} of ${total}` : total];
    for (const state of ["waiting", "failed"]) {
      const count = this.shown.filter(({ data }) => data.state === state).length;
      if (count) parts.push(`${number.format(count)} ${state}`);
    }
    this.count.textContent = parts.join(" · ");
    this.nothing.hidden = this.shown.length > 0;
    this.nothing.textContent = this.rows.length
      ? "No document name matches. Change or clear the filter."
      : "There are no documents. Add some under “Add your own” in the sidebar.";
  }

  // ---- choosing

  /** Makes a row the one that the tab key reaches. @param {Row | undefined} row */
  start(row) {
    if (this.current) this.current.node.tabIndex = -1;
    this.current = row ?? null;
    if (row) row.node.tabIndex = 0;
  }

  /** @param {Row} row */
  focus(row) {
    this.start(row);
    row.node.focus({ preventScroll: true });
    this.reveal(row);
  }

  /** Scrolls no further than the row needs to be seen whole, below the heads. @param {Row} row */
  reveal(row) {
    const head = /** @type {HTMLElement} */ (this.grid.children[0]).offsetHeight;
    const { offsetTop, offsetHeight } = row.node;
    const { scrollTop, clientHeight } = this.scroller;
    const [most, least] = [offsetTop - head, offsetTop + offsetHeight - clientHeight];
    if (scrollTop > most) this.scroller.scrollTop = most;
    else if (scrollTop < least) this.scroller.scrollTop = least;
  }

  /** @param {string | null} key */
  choose(key) {
    this.chosen = key;
    for (const { key: own, node } of this.rows) {
      const mine = String(own === key);
      if (node.getAttribute("aria-selected") !== mine) node.setAttribute("aria-selected", mine);
    }
  }

  /** @param {Row} row */
  report(row) {
    this.choose(row.key);
    this.component.setTriggerValue("chosen", row.key);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const row = event.target instanceof Node ? this.rowOf.get(event.target) : undefined;
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.shown.indexOf(row);
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / row.node.offsetHeight) - 1);
    const last = this.shown.length - 1;
    /** @type {Record<string, number>} */
    const steps = {
      ArrowUp: at - 1, ArrowDown: at + 1, PageUp: Math.max(0, at - page), PageDown: Math.min(last, at + page),
      Home: 0, End: last,
    };
    if (event.key === "Enter") this.report(row);
    else if (event.key in steps) {
      const next = this.shown[steps[event.key]];
      if (next) this.focus(next);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The row that an event is about. @param {EventTarget | null} target */
  rowAt(target) {
    const node = closest(target, ".cs-row");
    return node ? this.rowOf.get(node) : undefined;
  }

  /** @param {MouseEvent} event */
  clicked({ target }) {
    const row = this.rowAt(target);
    const tree = /** @type {Document} */ (this.root.getRootNode());
    const selection = tree.getSelection?.() ?? window.getSelection();
    const copying = selection && !selection.isCollapsed && this.scroller.contains(selection.anchorNode);
    if (!row || copying) return;
    this.start(row);
    this.report(row);
  }

  // ---- pointer and the rest of the events

  listen() {
    this.list.addEventListener("click", (event) => this.clicked(event));
    this.list.addEventListener("keydown", (event) => this.pressed(event));
    this.list.addEventListener("focusin", ({ target }) => {
      const row = target instanceof Node ? this.rowOf.get(target) : undefined;
      if (row) this.start(row);
    });
    this.list.addEventListener("pointermove", ({ target, clientX, clientY }) => {
      cancelAnimationFrame(this.moving);
      this.moving = requestAnimationFrame(() => this.hover(target, clientX, clientY));
    });
    this.list.addEventListener("pointerleave", () => {
      cancelAnimationFrame(this.moving);
      this.hide();
    });
    this.scroller.addEventListener("scroll", () => {
      this.hide();
      this.keep({ top: this.scroller.scrollTop });
    });
    this.filter.addEventListener("input", () => {
      this.keep({ wanted: this.filter.value });
      this.arrange();
      this.live.textContent = this.count.textContent;
    });
    // Letters typed here are no short cuts of the page.
    this.filter.addEventListener("keydown", (event) => event.stopPropagation());
    this.scale.addEventListener("change", () => {
      this.keep({ same: this.scale.checked });
      this.showScale();
    });
  }

  /** @param {EventTarget | null} target @param {number} clientX @param {number} clientY */
  hover(target, clientX, clientY) {
    const row = this.rowAt(target);
    const figure = closest(target, "svg");
    if (!row || !figure) return this.hide();
    const box = figure.getBoundingClientRect();
    const point = { x: clientX - box.left, y: clientY - box.top, width: box.width };
    const about = (figure.matches(".cs-curve") ? aboutCurve : aboutSizes)(this.scene(row), point);
    this.tip.replaceChildren(...about.lines);
    this.tip.hidden = this.cursor.hidden = false;
    const frame = this.root.getBoundingClientRect();
    const left = box.left - frame.left + about.share * box.width;
    this.cursor.style.transform = `translate(${left}px, ${box.top - frame.top}px)`;
    this.cursor.style.height = `${box.height}px`;
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const beside = Math.max(0, Math.min(left - width / 2, frame.width - width));
    // Below the figure, so that it hides nothing of it; at the end of the list above.
    const below = box.bottom - frame.top + 4;
    const top = below + height <= frame.height ? below : box.top - frame.top - height - 4;
    this.tip.style.transform = `translate(${Math.round(beside)}px, ${Math.round(top)}px)`;
  }

  hide() {
    this.tip.hidden = this.cursor.hidden = true;
  }

  destroy() {
    cancelAnimationFrame(this.moving);
    this.root.remove();
  }
}

/** How lists were looked at, by their key. @returns {Map<string, Look>} */
function looks() {
  return kept("lists", () => new Map());
}

/** A text as it is searched. @param {string} text */
function searched(text) {
  return text.normalize("NFKC").toLowerCase();
}

export default mounted(DocumentList);

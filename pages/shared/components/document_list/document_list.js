// The list of documents: a row each, with its curve, its cuts and its chunk sizes drawn when one comes near it.

import { chooseGap, settleSelection, shared } from "../base/bus.js";
import { applyTheme, element, mounted } from "../base/dom.js";
import { lowerBound, number, plural } from "../base/numbers.js";
import { visible } from "../base/text.js";
import { unpack } from "../base/wire.js";

const NEAR = "500px 0px"; // how far outside the view a row is drawn
const FILTER_ABOVE = 10; // rows, above which they can be filtered
const HEIGHT = 56; // pixels of a figure; its parts are measured from its top
const PLACES = {
  withGold: { curve: { top: 2, bottom: 37 }, cuts: { top: 41, bottom: 47 }, gold: { top: 49, bottom: 55 } },
  withoutGold: { curve: { top: 2, bottom: 43 }, cuts: { top: 47, bottom: 54 }, gold: { top: 54, bottom: 54 } },
};
const BARS = { top: 2, bottom: 54 };
const BAR_LEAST = 2; // pixels a bar has with the gap after it, below which neighbours are drawn as one
const BAR_MOST = 12;
const NEAR_PX = 5; // of a tick, within which the pointer means it
const CLIPPED_AT = 2; // limits that the height of a strip holds; without a limit, medians of the longest chunks
const KEPT = ["order", "down", "same", "wanted", "top"];

const names = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
const figures = (row, value) => (row.data.state === "done" ? value(row.data) : null);
const byName = (a, b) => names.compare(a, b);
const byNumber = (a, b) => a - b;

/** What the list can be ordered by; `down`: the first click puts the greatest at the top, or what most needs a look. */
const ORDERS = {
  number: { says: "number", value: (row) => row.number, compare: byNumber },
  title: { says: "name", value: (row) => row.data.title, compare: byName },
  sentences: { says: "sentences", value: (row) => figures(row, (d) => d.sentences), compare: byNumber, down: true },
  chunks: { says: "chunks", value: (row) => figures(row, (d) => d.chunks), compare: byNumber, down: true },
  largest: { says: "largest chunk", value: (row) => figures(row, (d) => d.tokens[2]), compare: byNumber, down: true },
  cuts: { says: "cuts per 100 sentences", value: (row) => figures(row, cutShare), compare: byNumber, down: true },
  f1: { says: "F1", value: (row) => figures(row, (d) => d.f1), compare: byNumber },
};

function cutShare({ boundaries, sentences }) {
  return sentences ? (100 * boundaries) / sentences : null;
}

class DocumentList {
  constructor(parent) {
    this.root = element("div", "cs-docs");
    this.content = null;
    this.rows = []; // as Python ordered them
    this.shown = []; // as they stand in the list
    this.byKey = new Map();
    this.current = null; // the row that the keys start from
    this.chosen = null;
    this.order = "number";
    this.down = false;
    this.same = false; // whether all figures have one scale
    this.wanted = ""; // what a name must hold
    this.top = 0;
    this.near = new Set();
    this.stale = new Set();
    this.abort = new AbortController();
    this.build();
    parent.append(this.root);
    this.observe();
    this.listen();
  }

  // ---- frame

  build() {
    this.filter = element("input", "cs-filter");
    this.filter.type = "search";
    this.filter.placeholder = "Filter by name";
    this.filter.setAttribute("aria-label", "Filter by name");
    this.filter.autocomplete = "off";
    this.filter.spellcheck = false;
    this.count = element("span", "cs-count");
    this.legend = element("div", "cs-legend");
    const bar = element("div", "cs-bar");
    bar.append(this.filter, this.count, this.legend);

    this.scroller = element("div", "cs-scroller");
    const grid = element("div", "cs-grid");
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-label", "Documents");
    this.grid = grid;
    this.list = element("div", "cs-list");
    this.list.setAttribute("role", "rowgroup");
    this.nothing = element("div", "cs-nothing");
    grid.append(this.head(), this.list);
    this.scroller.append(grid, this.nothing);

    this.cursor = element("div", "cs-cursor");
    this.tip = element("div", "cs-tip");
    this.live = element("div", "cs-live");
    this.live.setAttribute("aria-live", "polite");
    this.cursor.hidden = this.tip.hidden = true;
    this.root.append(bar, this.scroller, this.cursor, this.tip, this.live);
  }

  head() {
    this.sorts = new Map();
    const head = element("div", "cs-heads");
    head.setAttribute("role", "row");
    head.setAttribute("aria-rowindex", 1);
    const cell = (className, ...parts) => {
      const made = element("div", className);
      made.setAttribute("role", "columnheader");
      made.append(...parts);
      head.append(made);
    };
    cell("cs-number", this.sort("number", "#"));
    cell("cs-name", this.sort("title", "Document"));
    const scale = element("label", "cs-scale");
    this.scale = element("input");
    this.scale.type = "checkbox";
    scale.title = "Draw a document the wider, the more sentences it has, instead of each over the whole width";
    scale.append(this.scale, "same scale");
    cell("cs-figure", element("span", "", "Fused distance"), scale);
    cell("cs-sizes", element("span", "", "Chunk sizes"));
    cell("cs-value cs-sentences", this.sort("sentences", "Sentences"));
    cell("cs-value cs-chunks", this.sort("chunks", "Chunks"));
    cell("cs-value cs-tokens", this.sort("largest", "Tokens a chunk", "least · median · most"));
    cell("cs-value cs-cuts", this.sort("cuts", "Cuts", "per 100"));
    cell("cs-value cs-f1", this.sort("f1", "F1"));
    return head;
  }

  sort(order, title, below) {
    const button = element("button", "cs-sort");
    button.type = "button";
    button.title = `Order by ${ORDERS[order].says}`;
    const first = element("span", "cs-sort-title", title);
    first.append(element("i", "cs-arrow"));
    button.append(first);
    if (below) button.append(element("small", "", below));
    button.addEventListener("click", () => this.orderBy(order), { signal: this.abort.signal });
    this.sorts.set(order, button);
    return button;
  }

  observe() {
    this.nearing = new IntersectionObserver((entries) => this.approached(entries), {
      root: this.scroller,
      rootMargin: NEAR,
    });
    this.resizes = new ResizeObserver(([{ contentRect }]) => {
      const wide = `${contentRect.width} ${window.devicePixelRatio}`;
      if (wide !== this.wide) this.redraw();
      this.wide = wide;
    });
    this.resizes.observe(this.list);
  }

  // ---- messages from Python

  update({ data, setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
    const { head, body } = unpack(data);
    const theme = applyTheme(this.root);
    const first = this.key === undefined;
    const again = first && this.recall(head.list);
    if (head.content !== this.content) {
      this.content = head.content;
      this.take(body());
    }
    if (theme !== this.theme) {
      this.theme = theme;
      this.redraw();
    }
    this.choose(settleSelection(this.choices, head.chosen));
    if (again) this.scroller.scrollTop = this.top;
    else if (first) this.open();
  }

  /** A list that is new here begins where the chosen document stands. */
  open() {
    const row = this.byKey.get(this.chosen);
    if (!row || row.node.hidden) return;
    this.start(row);
    this.reveal(row);
  }

  /** Under this key the choice is kept, beside the gaps chosen in documents. */
  get choices() {
    return `${this.key}#list`;
  }

  /** How the list was looked at when it last stood in this page of the browser; tells whether it did. */
  recall(key) {
    this.key = key;
    shared.lists ??= new Map();
    Object.assign(this, shared.lists.get(key));
    this.filter.value = this.wanted;
    this.scale.checked = this.same;
    return shared.lists.has(key);
  }

  keep() {
    shared.lists.set(this.key, Object.fromEntries(KEPT.map((name) => [name, this[name]])));
  }

  take({ rows, limit, height }) {
    this.scroller.style.maxHeight = height;
    const look = this.look;
    this.limit = limit;
    this.limited = limit === null ? "" : number.format(limit);
    const known = this.byKey;
    this.byKey = new Map();
    this.rows = rows.map((bytes, index) => this.row(known, unpack(bytes), index + 1));
    for (const [key, row] of known) if (this.byKey.get(key) !== row) this.forget(row);
    this.measure();
    if (this.look !== look) this.redraw();
    const judged = this.rows.some(({ data }) => data.f1 !== null);
    this.root.classList.toggle("cs-has-f1", judged);
    if (this.order === "f1" && !judged) [this.order, this.down] = ["number", false];
    this.explain();
    this.arrange();
  }

  /** A document's row: the one that stands already where it has not changed. */
  row(known, { head, body }, position) {
    let row = known.get(head.key);
    if (!row) {
      row = { key: head.key, node: element("div", "cs-row") };
      row.node.csRow = row;
      row.node.setAttribute("role", "row");
      row.node.tabIndex = -1;
      this.nearing.observe(row.node);
    }
    this.byKey.set(head.key, row);
    const content = `${head.content} ${this.limited}`; // a row tells how many of its chunks are over the limit
    if (row.content !== content) {
      row.content = content;
      row.data = body();
      row.number = position;
      this.fill(row);
    } else if (row.number !== position) {
      row.number = position;
      row.node.firstChild.textContent = number.format(position);
    }
    return row;
  }

  forget(row) {
    this.nearing.unobserve(row.node);
    this.near.delete(row);
    this.stale.delete(row);
    row.node.remove();
    if (this.current === row) this.current = null;
  }

  /** What all figures have in common: the height of a curve, of a bar, and the longest document. */
  measure() {
    let score = 0;
    let gaps = 0;
    const longest = [];
    for (const { data } of this.rows) {
      for (const value of data.score) if (Number.isFinite(value) && value > score) score = value;
      gaps = Math.max(gaps, data.score.length);
      if (data.sizes.length) longest.push(data.sizes.reduce((most, size) => Math.max(most, size), 0));
    }
    longest.sort(byNumber);
    const most = longest.at(-1) ?? 1;
    const usual = this.limit ?? longest[longest.length >> 1] ?? 1;
    const gold = this.rows.some(({ data }) => data.gold.length > 0);
    this.frame = { score: Math.ceil(score * 10) / 10 || 1, gaps, gold, size: Math.min(most, CLIPPED_AT * usual) || 1 };
  }

  /** What all figures depend on beside their own rows. */
  get look() {
    return JSON.stringify([this.limit, { ...this.frame, gaps: this.same && this.frame?.gaps }]);
  }

  explain() {
    const entry = (className, says) => {
      const made = element("span", "cs-key");
      made.append(element("i", className), says);
      return made;
    };
    const parts = [
      entry("cs-key-curve", "fused distance"), entry("cs-key-threshold", "threshold"), entry("cs-key-cut", "cut"),
    ];
    if (this.frame.gold) parts.push(entry("cs-key-gold", "gold"));
    if (this.limit !== null) parts.push(entry("cs-key-over", `over ${this.limited} tokens`));
    this.legend.replaceChildren(...parts);
  }

  // ---- rows

  fill(row) {
    const { data, node, number: position } = row;
    node.dataset.state = data.state;
    const cells = [this.cell("cs-number", number.format(position)), this.name(data)];
    row.canvas = row.strip = null;
    if (data.state === "done") cells.push(...this.drawings(row), ...this.values(data));
    else cells.push(this.instead(data));
    node.replaceChildren(...cells);
    this.draw(row);
  }

  cell(className, ...parts) {
    const made = element("div", className);
    made.setAttribute("role", "gridcell");
    made.append(...parts);
    return made;
  }

  name({ title, about, state, problem }) {
    const shown = element("b", "cs-title", oneLine(title));
    shown.dir = "auto";
    shown.title = visible(title);
    const what = element("span", "cs-about", oneLine(about));
    what.title = visible(about);
    const parts = [shown, what];
    if (state === "done" && problem) {
      const warning = element("span", "cs-warning", `! ${oneLine(problem)}`);
      warning.title = visible(problem);
      parts.push(warning);
    }
    return this.cell("cs-name", ...parts);
  }

  drawings(row) {
    const { data } = row;
    const figure = this.cell("cs-figure");
    if (data.score.length) {
      const cuts = plural(data.boundaries, "cut", "cuts");
      row.canvas = this.canvas(`${cuts}, ${plural(data.score.length, "gap", "gaps")}`);
      figure.append(row.canvas);
    } else figure.append(element("span", "cs-none", data.sentences > 1 ? "no distances" : "no gap to cut"));
    const sizes = this.cell("cs-sizes");
    if (data.sizes.length) {
      const [least, , most] = data.tokens;
      row.strip = this.canvas(`${plural(data.sizes.length, "chunk", "chunks")}, ${least} to ${most} tokens`);
      sizes.append(row.strip);
    }
    return [figure, sizes];
  }

  canvas(says) {
    const made = element("canvas");
    made.width = made.height = 0;
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", says);
    return made;
  }

  values(data) {
    const value = (className, ...parts) => this.cell(`cs-value ${className}`, ...parts);
    const share = cutShare(data);
    return [
      value("cs-sentences", number.format(data.sentences)),
      value("cs-chunks", number.format(data.chunks)),
      value("cs-tokens", ...(data.chunks ? this.tokens(data) : [])),
      value("cs-cuts", share === null ? "" : share.toFixed(1)),
      value("cs-f1", data.f1 === null ? "" : data.f1.toFixed(2)),
    ];
  }

  tokens({ tokens, sizes }) {
    const [least, median, most] = tokens.map((count) => number.format(count));
    const over = this.limit === null ? 0 : sizes.reduce((sum, size) => sum + (size > this.limit ? 1 : 0), 0);
    const parts = [`${least} · ${median} · `, element("b", over ? "cs-over" : "", most)];
    if (over) parts.push(element("small", "cs-over", `${number.format(over)} over ${this.limited}`));
    return parts;
  }

  /** What stands where a document has no figures. */
  instead({ state, problem }) {
    const failed = state === "failed";
    const words = failed ? visible(problem) || "It could not be read." : oneLine(problem) || "waiting";
    const text = element("span", "cs-words", words);
    text.dir = "auto";
    text.title = words;
    return this.cell("cs-instead", ...(failed ? [element("b", "cs-failed", "failed ")] : []), text);
  }

  // ---- order

  orderBy(order) {
    this.down = order === this.order ? !this.down : Boolean(ORDERS[order].down);
    this.order = order;
    this.arrange();
    this.scroller.scrollTop = 0;
    this.live.textContent = `Ordered by ${ORDERS[order].says}, ${this.down ? "descending" : "ascending"}`;
    this.keep();
  }

  /** Puts the rows in order and hides those that are not wanted. A row that stands right is not touched. */
  arrange() {
    const filtering = this.rows.length > FILTER_ABOVE;
    const wanted = filtering ? searched(this.wanted.trim()) : "";
    this.filter.hidden = !filtering;
    const { value, compare } = ORDERS[this.order];
    const sign = this.down ? -1 : 1;
    const keyed = this.rows.map((row) => ({ row, of: value(row) }));
    keyed.sort((a, b) => {
      if (a.of === null || b.of === null) return (a.of === null) - (b.of === null) || a.row.number - b.row.number;
      return sign * compare(a.of, b.of) || a.row.number - b.row.number;
    });
    const focused = this.focused();
    let place = this.list.firstChild;
    for (const { row } of keyed) {
      row.node.hidden = wanted !== "" && !searched(row.data.title).includes(wanted);
      if (row.node === place) place = place.nextSibling;
      else this.list.insertBefore(row.node, place);
    }
    this.shown = keyed.map(({ row }) => row).filter(({ node }) => !node.hidden);
    for (const [index, { node }] of this.shown.entries()) node.setAttribute("aria-rowindex", index + 2);
    this.grid.setAttribute("aria-rowcount", this.shown.length + 1);
    if (!this.shown.includes(this.current)) {
      this.start(this.shown.find((row) => row.key === this.chosen) ?? this.shown[0]);
    }
    if (focused && this.focused() !== focused) this.current?.node.focus({ preventScroll: true });
    this.markOrder();
    this.say(wanted);
    this.hide();
  }

  focused() {
    const active = this.root.getRootNode().activeElement;
    return active?.csRow ? active : null;
  }

  markOrder() {
    for (const [order, button] of this.sorts) {
      const mine = order === this.order;
      const cell = button.parentElement;
      if (mine) cell.setAttribute("aria-sort", this.down ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
      button.querySelector(".cs-arrow").textContent = mine ? (this.down ? "▼" : "▲") : "";
    }
  }

  say(wanted) {
    const total = plural(this.rows.length, "document", "documents");
    const parts = [wanted ? `${number.format(this.shown.length)} of ${total}` : total];
    for (const state of ["waiting", "failed"]) {
      const count = this.shown.reduce((sum, { data }) => sum + (data.state === state ? 1 : 0), 0);
      if (count) parts.push(`${number.format(count)} ${state}`);
    }
    this.count.textContent = parts.join(" · ");
    this.nothing.hidden = this.shown.length > 0;
    this.nothing.textContent = this.rows.length ? "No document has that in its name." : "No documents.";
  }

  // ---- drawing

  approached(entries) {
    for (const { target, isIntersecting } of entries) {
      const row = target.csRow;
      if (this.byKey.get(row.key) !== row) continue;
      if (isIntersecting) {
        this.near.add(row);
        if (row.blank) this.draw(row);
      } else {
        this.near.delete(row);
        this.release(row);
      }
    }
  }

  /** A far row keeps no pixels. */
  release(row) {
    for (const canvas of [row.canvas, row.strip]) if (canvas) canvas.width = canvas.height = 0;
    row.blank = true;
  }

  redraw() {
    for (const row of this.rows) this.draw(row);
  }

  draw(row) {
    row.blank = true;
    this.stale.add(row);
    this.painting ??= requestAnimationFrame(() => this.paint());
  }

  paint() {
    this.painting = null;
    const rows = [...this.stale].filter((row) => this.near.has(row));
    this.stale.clear();
    const style = getComputedStyle(this.root);
    this.colors = (role) => style.getPropertyValue(`--cs-${role}`).trim();
    // All are measured before any is drawn, so that the layout is made once.
    const wide = (canvas) => canvas && Math.floor(canvas.parentElement.getBoundingClientRect().width);
    const jobs = rows.flatMap((row) => [
      [row, row.canvas, wide(row.canvas), drawCurve], [row, row.strip, wide(row.strip), drawSizes],
    ]);
    for (const [row, canvas, width, drawing] of jobs) {
      row.blank = false;
      if (canvas && width) this.paintOn(canvas, width, (context) => drawing(context, this.scene(row, width)));
    }
  }

  paintOn(canvas, width, drawing) {
    const ratio = window.devicePixelRatio || 1;
    canvas.style.width = `${width}px`; // whole pixels, or the browser would blur it into its place
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(HEIGHT * ratio);
    const context = canvas.getContext("2d");
    context.scale(canvas.width / width, ratio);
    drawing(context);
  }

  scene(row, width) {
    const { frame, limit, same, colors: color } = this;
    const span = spanOf(row.data, width, same ? frame.gaps : null);
    const places = PLACES[frame.gold ? "withGold" : "withoutGold"];
    return { data: row.data, width, span, frame, limit, color, places };
  }

  // ---- choosing

  /** Makes a row the one that the tab key reaches. */
  start(row) {
    if (this.current) this.current.node.tabIndex = -1;
    this.current = row ?? null;
    if (row) row.node.tabIndex = 0;
  }

  focus(row) {
    this.start(row);
    row.node.focus({ preventScroll: true });
    this.reveal(row);
  }

  /** Scrolls no further than the row needs to be seen whole, below the heads. */
  reveal(row) {
    const head = this.grid.firstChild.offsetHeight;
    const { offsetTop, offsetHeight } = row.node;
    const { scrollTop, clientHeight } = this.scroller;
    const [most, least] = [offsetTop - head, offsetTop + offsetHeight - clientHeight];
    if (scrollTop > most) this.scroller.scrollTop = most;
    else if (scrollTop < least) this.scroller.scrollTop = least;
  }

  choose(key) {
    this.chosen = key;
    for (const { key: own, node } of this.rows) {
      const mine = String(own === key);
      if (node.getAttribute("aria-selected") !== mine) node.setAttribute("aria-selected", mine);
    }
  }

  report(row) {
    this.choose(row.key);
    chooseGap(this.choices, row.key, this);
    this.setTriggerValue("chosen", row.key);
  }

  pressed(event) {
    const row = event.target.csRow;
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.shown.indexOf(row);
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / row.node.offsetHeight) - 1);
    const last = this.shown.length - 1;
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

  clicked(event) {
    const row = event.target.closest?.(".cs-row")?.csRow;
    const selection = this.root.getRootNode().getSelection?.() ?? window.getSelection();
    const copying = selection && !selection.isCollapsed && this.scroller.contains(selection.anchorNode);
    if (!row || copying) return;
    this.start(row);
    this.report(row);
  }

  // ---- pointer and the rest of the events

  listen() {
    const signal = this.abort.signal;
    const on = (target, type, handler) => target.addEventListener(type, handler, { signal });
    on(this.list, "click", (event) => this.clicked(event));
    on(this.list, "keydown", (event) => this.pressed(event));
    on(this.list, "focusin", ({ target }) => target.csRow && this.start(target.csRow));
    on(this.list, "pointermove", ({ target, clientX, clientY }) => {
      cancelAnimationFrame(this.moving);
      this.moving = requestAnimationFrame(() => this.hover({ target, clientX, clientY }));
    });
    on(this.list, "pointerleave", () => {
      cancelAnimationFrame(this.moving);
      this.hide();
    });
    on(this.scroller, "scroll", () => {
      this.hide();
      this.top = this.scroller.scrollTop;
      this.keep();
    });
    on(this.filter, "input", () => {
      this.wanted = this.filter.value;
      this.arrange();
      this.live.textContent = this.count.textContent;
      this.keep();
    });
    // Letters typed here are no short cuts of the page.
    on(this.filter, "keydown", (event) => event.stopPropagation());
    on(this.scale, "change", () => {
      this.same = this.scale.checked;
      this.redraw();
      this.keep();
    });
  }

  hover({ target, clientX, clientY }) {
    const row = target.closest?.(".cs-row")?.csRow;
    if (!row || (target !== row.canvas && target !== row.strip)) return this.hide();
    const box = target.getBoundingClientRect();
    const scene = this.scene(row, box.width);
    const [x, y] = [clientX - box.left, clientY - box.top];
    const told = target === row.canvas ? tellCurve(scene, x, y) : tellSizes(scene, x);
    if (!told) return this.hide();
    this.tip.replaceChildren(...told.lines);
    this.tip.hidden = this.cursor.hidden = false;
    const own = this.root.getBoundingClientRect();
    const left = box.left - own.left + told.x;
    this.cursor.style.transform = `translate(${left}px, ${box.top - own.top}px)`;
    this.cursor.style.height = `${box.height}px`;
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const beside = Math.max(0, Math.min(left - width / 2, own.width - width));
    // Below the figure, so that it hides nothing of it; at the end of the list above.
    const below = box.bottom - own.top + 4;
    const top = below + height <= own.height ? below : box.top - own.top - height - 4;
    this.tip.style.transform = `translate(${Math.round(beside)}px, ${Math.round(top)}px)`;
  }

  hide() {
    this.tip.hidden = this.cursor.hidden = true;
  }

  destroy() {
    this.abort.abort();
    this.nearing.disconnect();
    this.resizes.disconnect();
    cancelAnimationFrame(this.painting);
    cancelAnimationFrame(this.moving);
    this.root.remove();
  }
}

// ---- figures: pure functions of a scene

/** Pixels that a document's sentences fill: all, or in proportion to the longest one's. */
function spanOf({ score }, width, mostGaps) {
  return mostGaps === null ? width : Math.max(3, (width * (score.length + 1)) / (mostGaps + 1));
}

/** Where a gap stands: after as many sentences as its number says. */
function placeOf(gap, { data, span }) {
  return ((gap + 1) / (data.score.length + 1)) * span;
}

/** The gaps of pixel column `at`, as [from, to). */
function gapsAt(at, width, { data, span }) {
  const gapOf = (x) => Math.ceil((x / span) * (data.score.length + 1)) - 1;
  const bound = (gap) => Math.max(0, Math.min(data.score.length, gap));
  return [bound(gapOf(at)), bound(gapOf(at + width))];
}

function heightOf(value, { frame, places: { curve } }) {
  const share = Math.max(0, Math.min(1, value / frame.score));
  return curve.bottom - share * (curve.bottom - curve.top);
}

function drawCurve(context, scene) {
  const { data, span, color, places } = scene;
  context.fillStyle = color("grid");
  context.fillRect(0, places.curve.bottom, span, 1);
  const path = curvePath(scene);
  if (data.threshold !== null) fillAbove(context, scene, path);
  context.lineJoin = "round";
  context.lineWidth = 1;
  context.strokeStyle = color("fused");
  context.stroke(path);
  if (data.threshold !== null) dash(context, heightOf(data.threshold, scene), span, [4, 3], color("threshold"));
  drawTicks(context, scene, data.cuts, places.cuts, color("fused"));
  drawTicks(context, scene, data.gold, places.gold, color("gold"));
}

/** What exceeds the threshold, between the curve and it. */
function fillAbove(context, scene, path) {
  const { data, span, color } = scene;
  const edge = heightOf(data.threshold, scene);
  context.save();
  context.beginPath();
  context.rect(0, 0, span, edge);
  context.clip();
  const area = new Path2D(path);
  area.lineTo(placeOf(data.score.length - 1, scene), HEIGHT);
  area.lineTo(placeOf(0, scene), HEIGHT);
  context.globalAlpha = 0.4;
  context.fillStyle = color("threshold");
  context.fill(area);
  context.restore();
}

function dash(context, y, until, pattern, color) {
  context.strokeStyle = color;
  context.setLineDash(pattern);
  context.beginPath();
  context.moveTo(0, Math.round(y) + 0.5); // on whole pixels
  context.lineTo(until, Math.round(y) + 0.5);
  context.stroke();
  context.setLineDash([]);
}

/** The curve as a line; where gaps are denser than pixels, as first, lowest, highest and last of each pixel. */
function curvePath(scene) {
  const { data: { score }, span } = scene;
  const path = new Path2D();
  const pixel = 1 / (window.devicePixelRatio || 1);
  let broken = true;
  const put = (gap) => {
    const known = Number.isFinite(score[gap]);
    if (known) path[broken ? "moveTo" : "lineTo"](placeOf(gap, scene), heightOf(score[gap], scene));
    broken = !known;
  };
  if (score.length <= span / pixel) score.forEach((_, gap) => put(gap));
  else {
    for (let column = 0; column * pixel < span; column++) {
      const [from, to] = gapsAt(column * pixel, pixel, scene);
      for (const gap of extremes(score, from, to)) put(gap);
    }
  }
  if (score.length === 1) path.arc(placeOf(0, scene), heightOf(score[0], scene), 1, 0, 7);
  return path;
}

/** First, lowest, highest and last of a stretch, in order, each once. */
function extremes(score, from, to) {
  if (from >= to) return [];
  let low = from;
  let high = from;
  for (let gap = from + 1; gap < to; gap++) {
    if (!(score[gap] >= score[low])) low = gap;
    if (!(score[gap] <= score[high])) high = gap;
  }
  return new Set([from, Math.min(low, high), Math.max(low, high), to - 1]);
}

function drawTicks(context, scene, gaps, { top, bottom }, color) {
  context.fillStyle = color;
  const width = gaps.length * 4 > scene.span ? 1 : 1.5;
  let drawn = -1;
  for (const gap of gaps) {
    const x = Math.round((placeOf(gap, scene) - width / 2) * 2) / 2;
    if (x === drawn) continue;
    drawn = x;
    context.fillRect(x, top, width, bottom - top);
  }
}

/** The bars of a strip: each stands for `each` chunks, of which the largest is drawn. */
function barsOf({ data: { sizes }, width }) {
  const each = Math.max(1, Math.ceil((sizes.length * BAR_LEAST) / width));
  const count = Math.ceil(sizes.length / each);
  return { each, count, step: Math.min(BAR_MOST, width / count) };
}

function drawSizes(context, scene) {
  const { data: { sizes }, width, limit, frame, color } = scene;
  const { each, count, step } = barsOf(scene);
  const room = BARS.bottom - BARS.top;
  const gap = step >= 4 ? 1 : step >= 3 ? 0.75 : 0.5;
  for (let bar = 0; bar < count; bar++) {
    const size = largest(sizes, bar * each, each);
    const height = Math.max(1, (Math.min(size, frame.size) / frame.size) * room);
    context.fillStyle = color(limit !== null && size > limit ? "structural" : "limit");
    context.fillRect(bar * step, BARS.bottom - height, step - gap, height);
    if (size > frame.size) context.clearRect(bar * step, BARS.top + 4, step, 2); // it goes on beyond the picture
  }
  context.fillStyle = color("grid");
  context.fillRect(0, BARS.bottom, count * step, 1);
  if (limit === null || limit > frame.size) return;
  dash(context, BARS.bottom - (limit / frame.size) * room, width, [2, 2], color("muted"));
}

function largest(sizes, from, count) {
  return sizes.subarray(from, from + count).reduce((most, size) => Math.max(most, size), 0);
}

// ---- what the pointer is told

/** The gap meant at a place of a curve: a tick near it, else the highest of its pixel, else the nearest. */
function gapMeant(scene, x, y) {
  const { data, places } = scene;
  if (x > scene.span + NEAR_PX) return null;
  if (y > places.cuts.top - 2) {
    const ticks = data.gold.length && y > places.gold.top - 1 ? data.gold : data.cuts;
    const tick = nearest(ticks, (x / scene.span) * (data.score.length + 1) - 1);
    if (tick !== null && Math.abs(placeOf(tick, scene) - x) <= NEAR_PX) return tick;
  }
  const [from, to] = gapsAt(x - 0.5, 1, scene);
  let gap = from;
  for (let next = from + 1; next < to; next++) if (data.score[next] > data.score[gap]) gap = next;
  if (from < to) return gap;
  const place = Math.round((x / scene.span) * (data.score.length + 1)) - 1;
  return Math.max(0, Math.min(data.score.length - 1, place));
}

function nearest(sorted, value) {
  const right = lowerBound(sorted, value);
  if (right === 0) return sorted.length ? sorted[0] : null;
  if (right === sorted.length) return sorted[right - 1];
  return sorted[right] - value < value - sorted[right - 1] ? sorted[right] : sorted[right - 1];
}

function tellCurve(scene, x, y) {
  const { data } = scene;
  const gap = gapMeant(scene, x, y);
  if (gap === null) return null;
  const has = (sorted) => sorted[lowerBound(sorted, gap)] === gap;
  const head = element("div", "cs-tip-head");
  head.append(element("b", "", `gap ${number.format(gap + 1)}`), ` of ${number.format(data.score.length)}`);
  if (has(data.cuts)) head.append(element("span", "cs-tip-cut", "cut"));
  if (has(data.gold)) head.append(element("span", "cs-tip-gold", "gold"));
  const line = element("div", "cs-tip-line", `fused ${decimals(data.score[gap])}`);
  if (data.threshold !== null) {
    const threshold = element("span", "cs-tip-threshold", decimals(data.threshold));
    line.append(data.exceeds[gap] ? " > " : " ≤ ", threshold, " threshold");
  }
  return { x: placeOf(gap, scene), lines: [head, line] };
}

function tellSizes(scene, x) {
  const { data: { sizes }, limit } = scene;
  const { each, count, step } = barsOf(scene);
  const bar = Math.floor(x / step);
  if (bar < 0 || bar >= count) return null;
  const [first, last] = [bar * each + 1, Math.min(sizes.length, (bar + 1) * each)];
  const size = largest(sizes, bar * each, each);
  const one = first === last;
  const which = one ? `chunk ${number.format(first)}` : `chunks ${number.format(first)} to ${number.format(last)}`;
  const head = element("div", "cs-tip-head");
  head.append(element("b", "", which), ` of ${number.format(sizes.length)}`);
  const line = element("div", "cs-tip-line", `${one ? "" : "up to "}${plural(size, "token", "tokens")}`);
  if (limit !== null && size > limit) line.append(element("span", "cs-tip-over", `over ${number.format(limit)}`));
  return { x: (bar + 0.5) * step, lines: [head, line] };
}

function decimals(value) {
  return Number.isFinite(value) ? value.toFixed(3) : "not known";
}

// ---- words

function oneLine(text) {
  return visible(text).replace(/\s+/g, " ").trim();
}

function searched(text) {
  return text.normalize("NFKC").toLowerCase();
}

export default mounted(DocumentList);

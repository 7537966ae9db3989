// The page view: a page as it was printed, the chunks and boundaries drawn on it, and a strip of all pages beside it.
// What is drawn on the page is in points from its top left corner; the labels stand beside the paper, in pixels.

import { BUS, CONFIRM_MS, announce, chooseGap, settleSelection, shared } from "../base/bus.js";
import { applyTheme, element, mounted } from "../base/dom.js";
import { number, plural } from "../base/numbers.js";
import { sentenceText, visible } from "../base/text.js";
import { unpack } from "../base/wire.js";

const SVG = "http://www.w3.org/2000/svg";
const REACH = 8; // points around a line in which it is still pointed at
const LABEL_PX = 20; // height of a label that has room
const CROWDED_PX = 12; // height for each label below which labels become dots
const SEND_MS = 60; // a page is asked for when the user rests this long, so that leafing does not ask for all
const SMALL_FROM = 13; // pages from which the strip shows them smaller
const TINY_FROM = 73;

const stillMotion = window.matchMedia("(prefers-reduced-motion: reduce)");

function drawing(tag, className, attributes = {}) {
  const made = window.document.createElementNS(SVG, tag);
  if (className) made.setAttribute("class", className);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function titled(target, words) {
  const title = drawing("title");
  title.textContent = words;
  target.append(title);
  return target;
}

function button(className, words, label) {
  const made = element("button", className, words);
  made.type = "button";
  if (label) made.setAttribute("aria-label", label);
  return made;
}

const near = (value) => Math.round(value * 100) / 100;

function outline([left, top, right, bottom]) {
  return `M${near(left)} ${near(top)}H${near(right)}V${near(bottom)}H${near(left)}Z`;
}

class PageView {
  constructor(parent) {
    this.root = element("div", "cs-page");
    this.makeBar();
    this.makeStage();
    const main = element("div", "cs-main");
    main.append(this.rail, this.stage);
    this.root.append(this.bar, main);
    parent.append(this.root);

    this.shows = 0;
    this.page = 0;
    this.pages = 1;
    this.loading = false; // whether a picture is being decoded
    this.turned = false; // whether a page has come that is not painted yet
    this.wanted = null; // {page}: asked for and not here yet
    this.told = 0; // the page that Python was asked for last, or shows
    this.hovered = null;
    this.selected = null;
    this.minis = [];
    this.labels = [];
    this.rows = new Map(); // sentence -> its rows on this page
    this.abort = new AbortController();
    this.resized = new ResizeObserver(() => this.placeLabels());
    this.resized.observe(this.paper);
    this.listen();
  }

  makeBar() {
    this.bar = element("div", "cs-bar");
    this.back = button("cs-turn", "‹", "Page before");
    this.forth = button("cs-turn", "›", "Next page");
    this.field = element("input", "cs-field");
    this.field.type = "text";
    this.field.inputMode = "numeric";
    this.field.autocomplete = "off";
    this.field.setAttribute("aria-label", "Page number");
    this.of = element("span", "cs-of");
    this.turns = element("span", "cs-turns");
    this.turns.append(this.back, this.field, this.of, this.forth);
    this.facts = element("span", "cs-facts");
    this.facts.setAttribute("aria-live", "polite");
    this.legend = element("span", "cs-legend");
    this.fit = button("cs-fit", "Fit width");
    this.fit.setAttribute("aria-pressed", "false");
    this.fit.title = "Make the page as wide as the frame";
    this.bar.append(this.turns, this.fit, this.facts, this.legend);
  }

  makeStage() {
    this.rail = element("nav", "cs-rail");
    this.rail.setAttribute("aria-label", "All pages");
    this.stage = element("div", "cs-stage");
    this.stage.tabIndex = 0;
    this.stage.setAttribute("role", "region");
    this.spread = element("div", "cs-spread");
    this.paper = element("div", "cs-paper");
    this.paper.dataset.csTheme = "light"; // paper is white, whatever stands around it
    this.image = new Image();
    this.overlay = drawing("svg", "cs-overlay", { preserveAspectRatio: "none" });
    this.paper.append(this.image, this.overlay);
    this.gutters = { left: element("div", "cs-gutter cs-gutter-left"), right: element("div", "cs-gutter") };
    this.spread.append(this.gutters.left, this.paper, this.gutters.right);
    this.stage.append(this.spread);
  }

  update({ data, setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
    const { head, body } = unpack(data);
    applyTheme(this.root);
    const moved = head.document !== this.document;
    if (moved) {
      this.document = head.document;
      this.hovered = null;
      this.stopWaiting();
    }
    const turned = moved || head.page !== this.page;
    if (turned || head.content !== this.content) {
      this.content = head.content;
      this.page = head.page;
      this.picture = head.picture;
      this.data = body();
      this.pages = this.data.pages;
      for (const part of [this.stage, this.rail]) part.style.height = this.data.height;
      this.turned ||= turned;
      this.fillRail();
      this.show();
    }
    this.told = this.wanted ? this.told : head.page;
    if (this.wanted?.page === head.page) this.stopWaiting();
    this.tellPlace();
    this.select(settleSelection(head.document, head.selected), true);
  }

  // ---- which page

  /** The page that the user looks at, or waits for. */
  target() {
    return this.wanted?.page ?? this.page;
  }

  ask(page) {
    const wanted = Math.min(this.pages - 1, Math.max(0, page));
    if (wanted === this.target()) return this.tellPlace();
    this.stopWaiting();
    if (wanted !== this.page || wanted !== this.told) {
      this.wanted = { page: wanted };
      this.waiting = setTimeout(() => this.send(wanted), SEND_MS);
    }
    this.tellPlace();
  }

  send(page) {
    this.told = page;
    this.setTriggerValue("page", { document: this.document, page });
    // The script may say no.
    this.waiting = setTimeout(() => {
      this.stopWaiting();
      this.tellPlace();
    }, CONFIRM_MS);
  }

  stopWaiting() {
    clearTimeout(this.waiting);
    this.wanted = null;
  }

  /** Which page is shown or on its way: in the bar, the strip, and by fading the page before. */
  tellPlace() {
    const page = this.target();
    this.field.value = String(page + 1);
    this.field.style.width = `${String(this.pages).length + 2.2}ch`;
    this.of.textContent = `of ${number.format(this.pages)}`;
    this.back.disabled = page <= 0;
    this.forth.disabled = page >= this.pages - 1;
    this.turns.hidden = this.rail.hidden = this.pages < 2;
    this.stage.classList.toggle("cs-waiting", this.wanted !== null || this.loading);
    this.stage.setAttribute("aria-busy", String(this.wanted !== null));
    this.markMini(page);
  }

  markMini(page) {
    const mini = this.minis[page];
    if (!mini || mini === this.current) return;
    this.current?.removeAttribute("aria-current");
    if (this.current) this.current.tabIndex = -1;
    this.current = mini;
    mini.setAttribute("aria-current", "page");
    mini.tabIndex = 0;
    const top = mini.offsetTop - this.rail.clientHeight / 2;
    const left = mini.offsetLeft - this.rail.clientWidth / 2;
    const seen = mini.offsetTop >= this.rail.scrollTop
      && mini.offsetTop + mini.offsetHeight <= this.rail.scrollTop + this.rail.clientHeight
      && mini.offsetLeft >= this.rail.scrollLeft
      && mini.offsetLeft + mini.offsetWidth <= this.rail.scrollLeft + this.rail.clientWidth;
    if (!seen) this.rail.scrollTo({ top, left });
  }

  // ---- the strip

  fillRail() {
    const { marks, pages, size } = this.data;
    const says = JSON.stringify([pages, size, [...marks.page], [...marks.place], [...marks.driver]]);
    if (says === this.railSays) return;
    this.railSays = says;
    const held = this.current && this.rail.getRootNode().activeElement === this.current;
    this.rail.dataset.size = pages >= TINY_FROM ? "tiny" : pages >= SMALL_FROM ? "small" : "";
    const height = (100 * size[1]) / size[0];
    const ticks = Array.from({ length: pages }, () => []);
    marks.page.forEach((page, place) => ticks[page]?.push(place));
    this.current = null;
    this.minis = ticks.map((places, page) => this.mini(page, places, height));
    this.rail.replaceChildren(...this.minis);
    if (held) {
      this.markMini(this.target());
      this.current?.focus({ preventScroll: true });
    }
  }

  mini(page, places, height) {
    const words = `Page ${number.format(page + 1)}: ${plural(places.length, "boundary", "boundaries")}`;
    const made = button("cs-mini", undefined, words);
    made.title = words;
    made.tabIndex = -1;
    made.csPage = page;
    const sheet = drawing("svg", "cs-sheet", { viewBox: `0 0 100 ${near(height)}`, preserveAspectRatio: "none" });
    sheet.style.aspectRatio = `100 / ${near(height)}`;
    const { place: down, driver } = this.data.marks;
    for (const role of new Set(places.map((place) => driver[place]))) {
      const lines = places.filter((place) => driver[place] === role);
      const d = lines.map((place) => `M8 ${near(Math.min(0.98, Math.max(0.02, down[place])) * height)}h84`).join("");
      sheet.append(drawing("path", "cs-tick", { d, "data-driver": this.role(role) }));
    }
    made.append(sheet, element("span", "cs-mini-number", String(page + 1)));
    return made;
  }

  role(code) {
    return code ? this.data.drivers[code - 1].role : "";
  }

  // ---- the page

  /** Shows the picture as soon as it can be painted, and what is drawn on it at the same moment. */
  async show() {
    const show = ++this.shows;
    this.loading = this.picture !== this.shownPicture;
    if (this.loading) {
      const url = URL.createObjectURL(new Blob([this.data.image], { type: "image/png" }));
      const image = new Image();
      image.className = "cs-picture";
      image.draggable = false;
      image.src = url;
      const whole = await image.decode().then(() => true, () => false);
      if (show !== this.shows) return URL.revokeObjectURL(url);
      this.loading = false;
      this.forgetPicture();
      this.url = url;
      this.shownPicture = this.picture;
      this.image.replaceWith(image);
      this.image = image;
      this.paper.classList.toggle("cs-broken", !whole);
    }
    this.draw();
    this.tellPlace();
    if (this.turned) {
      this.stage.scrollTo(0, 0);
      if (this.selected !== null) this.scrollToGap(this.selected);
    }
    this.turned = false;
    this.root.dataset.csPage = String(this.page);
    this.root.dataset.csContent = this.content;
    this.root.dispatchEvent(new CustomEvent("chunkscope:painted", { bubbles: true, composed: true }));
  }

  forgetPicture() {
    if (this.url) URL.revokeObjectURL(this.url);
    this.url = null;
  }

  draw() {
    const { size, lines } = this.data;
    this.paper.style.setProperty("--cs-width", size[0]);
    this.paper.style.setProperty("--cs-height", size[1]);
    this.overlay.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    this.rows = new Map();
    lines.sentence.forEach((sentence, row) => {
      if (sentence < 0) return;
      if (!this.rows.has(sentence)) this.rows.set(sentence, []);
      this.rows.get(sentence).push(row);
    });
    this.pointers = drawing("path", "cs-pointers"); // from the boundaries to their labels
    this.marks = {
      hover: drawing("g", "cs-mark cs-hover"),
      selected: drawing("g", "cs-mark cs-selected"),
    };
    this.overlay.replaceChildren(
      this.hatch(), ...this.drawBands(), ...this.drawAsides(), this.marks.selected, this.marks.hover,
      this.pointers, ...this.drawCuts(),
    );
    this.makeLabels();
    this.tellPage();
    this.mark("selected", this.selected);
    this.mark("hover", this.hovered);
  }

  boxOf(columns, place) {
    return columns.box.subarray(4 * place, 4 * place + 4);
  }

  hatch() {
    const defs = drawing("defs");
    const pattern = drawing("pattern", "", {
      id: "cs-hatch", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(-45)",
    });
    pattern.append(drawing("path", "cs-hatch-line", { d: "M0 0H5" }));
    defs.append(pattern);
    return defs;
  }

  /** The tint and the rule of each chunk, in one shape each; neighbours differ. */
  drawBands() {
    const { bands } = this.data;
    const shapes = new Map();
    bands.chunk.forEach((chunk, band) => {
      if (!shapes.has(chunk)) shapes.set(chunk, { tint: "", rule: "" });
      const box = this.boxOf(bands, band);
      const shape = shapes.get(chunk);
      shape.tint += outline(box);
      if (bands.ruled[band]) shape.rule += `M${near(box[0])} ${near(box[1])}V${near(box[3])}`;
    });
    const first = bands.chunk.length ? bands.chunk[0] : 0;
    this.bandOf = new Map();
    return [...shapes].map(([chunk, { tint, rule }], place) => {
      const group = drawing("g", (first + place) % 2 ? "cs-band cs-odd" : "cs-band");
      group.append(drawing("path", "cs-tint", { d: tint }), drawing("path", "cs-rule", { d: rule }));
      this.bandOf.set(chunk, group);
      return group;
    });
  }

  drawAsides() {
    return this.data.asides.map(([kind, left, top, right, bottom]) => {
      const d = outline([left - 5, top - 2.5, right + 5, bottom + 2.5]);
      const group = drawing("g", "cs-aside");
      group.append(drawing("path", "cs-aside-back", { d }), drawing("path", "cs-aside-front", { d }));
      return titled(group, `set aside: ${visible(kind)}`);
    });
  }

  /** A line across the column where a chunk begins; amid a line of text it steps down to what was before. */
  drawCuts() {
    const { bands, cuts } = this.data;
    this.ends = []; // where each line ends, left and right, and how high
    return [...cuts.row].map((row, cut) => {
      const band = bands.of_row[row];
      const [left, top, right, bottom] = band < 0 ? this.boxOf(this.data.lines, row) : this.boxOf(bands, band);
      const [from, to] = band < 0 ? [left, right] : bands.column.subarray(2 * band, 2 * band + 2);
      const step = cuts.step[cut];
      const start = Math.min(left, from);
      const end = Math.max(right, to);
      let d = `M${near(left)} ${near(top)}H${near(right)}`;
      if (step < 0) d = `M${near(start)} ${near(bottom)}H${near(left)}V${near(top)}H${near(right)}`;
      if (step > 0) d = `M${near(left)} ${near(top)}H${near(right)}V${near(bottom)}H${near(end)}`;
      this.ends.push({
        left: step < 0 ? start : left,
        leftY: step < 0 ? bottom : top,
        right: step > 0 ? end : right,
        rightY: step > 0 ? bottom : top,
        middle: (start + end) / 2,
        across: end - start,
      });
      return drawing("path", "cs-cut", { d, "data-driver": this.role(cuts.driver[cut]) });
    });
  }

  // ---- labels beside the paper

  makeLabels() {
    const { cuts, size } = this.data;
    const held = this.spread.getRootNode().activeElement?.csCut;
    this.labels = [...cuts.row].map((_, cut) => {
      const end = this.ends[cut];
      const side = end.middle < 0.45 * size[0] && end.across < 0.55 * size[0] ? "left" : "right";
      return { cut, side, node: this.label(cut), x: end[side], y: end[`${side}Y`] };
    });
    for (const side of ["left", "right"]) {
      const own = this.labels.filter((label) => label.side === side).sort((one, other) => one.y - other.y);
      this.gutters[side].replaceChildren(...own.map((label) => label.node));
    }
    this.spread.classList.toggle("cs-has-left", this.labels.some((label) => label.side === "left"));
    this.placeLabels();
    if (held !== undefined) this.labels[held]?.node.focus({ preventScroll: true });
  }

  label(cut) {
    const { cuts, lines, drivers, reason } = this.data;
    const chunk = number.format(lines.chunk[cuts.row[cut]] + 1);
    const tokens = plural(cuts.tokens[cut], "token");
    const driver = cuts.driver[cut];
    const gap = cuts.gap[cut];
    const made = button("cs-label", undefined, `Chunk ${chunk} begins: ${visible(reason[cut])}, ${tokens}`);
    made.dataset.driver = this.role(driver);
    if (gap >= 0) made.dataset.gap = gap;
    made.csCut = cut;
    const why = element("span", "cs-why");
    why.append(element("b", "", visible(reason[cut]) || "a chunk begins"));
    why.append(element("span", "", [
      driver && drivers[driver - 1].role, gap >= 0 ? `gap ${number.format(gap + 1)}` : "at no gap", tokens,
    ].filter(Boolean).join(" · ")));
    made.append(
      element("i", "", driver ? drivers[driver - 1].glyph : "○"),
      element("b", "", `#${chunk}`),
      element("span", "cs-tokens", tokens.replace("tokens", "tok").replace("token", "tok")),
      why,
    );
    return made;
  }

  /** Each label as near to its boundary as its neighbours allow, and a line from one to the other. */
  placeLabels() {
    if (!this.data || !this.pointers) return;
    const { size } = this.data;
    const height = this.paper.clientHeight;
    if (!height) return;
    const scale = height / size[1];
    let d = "";
    for (const side of ["left", "right"]) {
      const own = this.labels.filter((label) => label.side === side).sort((one, other) => one.y - other.y);
      const crowded = own.length * CROWDED_PX > height;
      const step = crowded ? 0 : Math.min(LABEL_PX + 3, height / Math.max(1, own.length));
      const tall = crowded ? LABEL_PX : Math.min(LABEL_PX, step);
      const { classList, style } = this.gutters[side];
      classList.toggle("cs-crowded", crowded);
      classList.toggle("cs-tight", tall < LABEL_PX);
      style.setProperty("--cs-tall", `${tall}px`);
      const centres = spaced(own.map((label) => label.y * scale), step, tall / 2, height - tall / 2);
      own.forEach((label, place) => {
        label.node.style.top = `${near(centres[place] - tall / 2)}px`;
        label.node.classList.toggle("cs-low", centres[place] > height * 0.6);
        const edge = side === "left" ? 0 : size[0];
        const out = side === "left" ? -9 / scale : size[0] + 9 / scale;
        d += `M${near(label.x)} ${near(label.y)}H${near(edge)}L${near(out)} ${near(centres[place] / scale)}`;
      });
    }
    this.pointers.setAttribute("d", d);
  }

  tellPage() {
    const { cuts, bands, drivers, asides, lines } = this.data;
    const chunks = [...bands.chunk];
    const low = Math.min(...chunks) + 1;
    const high = Math.max(...chunks) + 1;
    const boundaries = plural(cuts.row.length, "boundary", "boundaries");
    const which = low === high ? `chunk #${number.format(low)}` : `chunks #${number.format(low)}–#${number.format(high)}`;
    this.facts.textContent = lines.sentence.length
      ? [boundaries, chunks.length ? which : ""].filter(Boolean).join(" · ")
      : "no text on this page";
    const keys = [...new Set(cuts.driver)].sort().filter(Boolean).map((code) => {
      const key = element("span", "cs-key");
      const glyph = element("i", "", drivers[code - 1].glyph);
      glyph.dataset.driver = drivers[code - 1].role;
      key.append(glyph, drivers[code - 1].role);
      return key;
    });
    if (asides.length) {
      const key = element("span", "cs-key");
      key.append(element("i", "cs-key-aside"), "set aside");
      keys.push(key);
    }
    this.legend.replaceChildren(...keys);
    const words = `Page ${number.format(this.page + 1)} of ${number.format(this.pages)} with ${boundaries}`;
    this.stage.setAttribute("aria-label", words);
    this.image.alt = words;
  }

  // ---- gaps on the page

  /** Marks what of both sentences of a gap stands on this page, and the place between them. */
  mark(kind, gap) {
    const group = this.marks?.[kind];
    if (!group) return;
    const { lines } = this.data;
    const left = gap === null ? [] : (this.rows.get(gap) ?? []);
    const right = gap === null ? [] : (this.rows.get(gap + 1) ?? []);
    const shapes = [];
    if (left.length || right.length) {
      const d = [...left, ...right].map((row) => {
        const [x0, y0, x1, y1] = this.boxOf(lines, row);
        return outline([x0 - 1, y0 - 0.8, x1 + 1, y1 + 0.8]);
      });
      shapes.push(drawing("path", "cs-words", { d: d.join("") }));
      shapes.push(drawing("path", "cs-caret", { d: this.caret(left.at(-1), right[0]) }));
    }
    group.replaceChildren(...shapes);
    for (const { node } of this.labels) {
      node.classList.toggle(`cs-${kind}`, gap !== null && node.dataset.gap === String(gap));
    }
  }

  /** The place between two rows, of which one may be on another page. */
  caret(before, after) {
    const { lines } = this.data;
    const one = before === undefined ? null : this.boxOf(lines, before);
    const two = after === undefined ? null : this.boxOf(lines, after);
    let x;
    if (one && two && (two[1] + two[3]) / 2 > one[1] && (two[1] + two[3]) / 2 < one[3]) {
      x = two[0] >= one[0] ? (one[2] + two[0]) / 2 : (two[2] + one[0]) / 2;
    } else x = one ? one[2] + 1.2 : two[0] - 1.2;
    const [, top, , bottom] = one ?? two;
    return `M${near(x)} ${near(top - 1)}V${near(bottom + 1)}`;
  }

  select(gap, scroll) {
    if (gap === this.selected) return;
    this.selected = gap;
    this.mark("selected", gap);
    if (scroll && gap !== null) this.scrollToGap(gap);
  }

  /** Moves the page inside its frame, where it is taller than that; never the frame itself. */
  scrollToGap(gap) {
    const row = this.rows.get(gap)?.at(-1) ?? this.rows.get(gap + 1)?.[0];
    const { clientHeight: height, scrollHeight } = this.stage;
    if (row === undefined || scrollHeight <= height + 1) return;
    const down = (this.data.lines.box[4 * row + 1] / this.data.size[1]) * this.paper.clientHeight;
    const top = this.paper.offsetTop + down - this.stage.scrollTop;
    if (top > height * 0.08 && top < height * 0.85) return;
    this.stage.scrollBy({ top: top - height * 0.4, behavior: stillMotion.matches ? "auto" : "smooth" });
  }

  // ---- pointer and keys

  listen() {
    const signal = this.abort.signal;
    const on = (target, type, handler) => target.addEventListener(type, handler, { signal });
    on(this.back, "click", () => this.ask(this.target() - 1));
    on(this.forth, "click", () => this.ask(this.target() + 1));
    on(this.field, "change", () => this.typed());
    on(this.field, "focus", () => this.field.select());
    on(this.rail, "click", ({ target }) => {
      const mini = target.closest(".cs-mini");
      if (mini) this.ask(mini.csPage);
    });
    on(this.fit, "click", () => this.toggleFit());
    on(this.paper, "pointermove", (event) => {
      const { clientX, clientY } = event;
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.pointed(clientX, clientY));
    });
    on(this.paper, "pointerleave", () => {
      cancelAnimationFrame(this.frame);
      if (this.hovered !== null) this.hover(null);
    });
    on(this.paper, "click", ({ clientX, clientY }) => {
      const gap = this.gapAt(clientX, clientY);
      if (gap !== null) this.choose(gap === this.selected ? null : gap);
    });
    for (const gutter of Object.values(this.gutters)) this.listenToLabels(gutter, on);
    on(this.root, "keydown", (event) => this.pressed(event));
    on(window, BUS.hover, ({ detail }) => {
      if (detail.document !== this.document || detail.source === this) return;
      this.hovered = detail.gap;
      cancelAnimationFrame(this.markFrame);
      this.markFrame = requestAnimationFrame(() => this.mark("hover", this.hovered));
    });
    on(window, BUS.select, ({ detail }) => {
      if (detail.document === this.document && detail.source !== this) this.select(detail.gap, true);
    });
  }

  listenToLabels(gutter, on) {
    const over = (event, inside) => {
      const label = event.target.closest(".cs-label");
      if (!label || label.contains(event.relatedTarget)) return;
      const { cuts, lines } = this.data;
      this.bandOf.get(lines.chunk[cuts.row[label.csCut]])?.classList.toggle("cs-now", inside);
      this.hover(inside && label.dataset.gap !== undefined ? Number(label.dataset.gap) : null);
    };
    for (const [type, inside] of [["pointerover", true], ["pointerout", false], ["focusin", true], ["focusout", false]]) {
      on(gutter, type, (event) => over(event, inside));
    }
    on(gutter, "click", (event) => {
      const gap = event.target.closest(".cs-label")?.dataset.gap;
      if (gap !== undefined) this.choose(Number(gap) === this.selected ? null : Number(gap));
    });
  }

  typed() {
    const page = Number.parseInt(this.field.value, 10);
    if (Number.isFinite(page)) this.ask(page - 1);
    else this.tellPlace();
  }

  toggleFit() {
    const wide = this.stage.classList.toggle("cs-wide");
    this.fit.setAttribute("aria-pressed", String(wide));
    if (this.selected !== null) this.scrollToGap(this.selected);
  }

  pressed(event) {
    if (event.target === this.field) {
      event.stopPropagation(); // Streamlit has short cuts of single keys
      if (!["PageUp", "PageDown"].includes(event.key)) return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const turn = this.turnOf(event);
    if (turn !== null) {
      event.preventDefault();
      const inRail = event.target.closest?.(".cs-mini");
      this.ask(turn);
      if (inRail) this.current?.focus({ preventScroll: true });
    } else if (event.key === "Escape" && this.selected !== null) this.choose(null);
  }

  /** The page that a key leads to, or null. A page that is taller than its frame is scrolled to its end first. */
  turnOf({ key, target }) {
    const { scrollTop, scrollHeight, clientHeight } = this.stage;
    const inRail = Boolean(target.closest?.(".cs-mini"));
    const scrolls = !inRail && target !== this.field && scrollHeight > clientHeight + 1;
    if (key === "ArrowLeft" || (inRail && key === "ArrowUp")) return this.target() - 1;
    if (key === "ArrowRight" || (inRail && key === "ArrowDown")) return this.target() + 1;
    if (key === "PageUp") return scrolls && scrollTop > 1 ? null : this.target() - 1;
    if (key === "PageDown") return scrolls && scrollTop + clientHeight < scrollHeight - 1 ? null : this.target() + 1;
    if (key === "Home" && !scrolls) return 0;
    if (key === "End" && !scrolls) return this.pages - 1;
    return null;
  }

  pointed(x, y) {
    const gap = this.gapAt(x, y);
    this.paper.classList.toggle("cs-over", gap !== null);
    if (gap !== this.hovered) this.hover(gap);
  }

  hover(gap) {
    this.hovered = gap;
    this.mark("hover", gap);
    this.paper.title = gap === null ? "" : `Gap ${number.format(gap + 1)}, between the two marked sentences`;
    announce(BUS.hover, { document: this.document, gap, source: this });
  }

  choose(gap) {
    this.selected = gap;
    this.mark("selected", gap);
    chooseGap(this.document, gap, this);
    this.setTriggerValue("gap", { document: this.document, gap });
  }

  /** The gap nearest to a point of the screen: before a sentence in its first half, after it in its second. */
  gapAt(clientX, clientY) {
    if (!this.data) return null;
    const paper = this.paper.getBoundingClientRect();
    const scale = paper.width / this.data.size[0];
    const row = this.rowAt((clientX - paper.left) / scale, (clientY - paper.top) / scale);
    if (row < 0) return null;
    const sentence = this.data.lines.sentence[row];
    const last = (shared.documents.get(this.document)?.sentences ?? Infinity) - 2;
    const gap = this.inSecondHalf(row, (clientX - paper.left) / scale) ? sentence : sentence - 1;
    return last < 0 ? null : Math.min(last, Math.max(0, gap));
  }

  /** The row of a sentence at a point, or nearest to it within a little; -1 for none. */
  rowAt(x, y) {
    const { lines } = this.data;
    let best = -1;
    let least = REACH;
    for (let row = 0; row < lines.sentence.length; row++) {
      if (lines.sentence[row] < 0) continue;
      const [left, top, right, bottom] = this.boxOf(lines, row);
      const away = Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
      if (away < least) {
        least = away;
        best = row;
      }
    }
    return best;
  }

  /** Whether a place in a row lies in the second half of what stands of its sentence on this page. */
  inSecondHalf(row, x) {
    const { lines } = this.data;
    let before = 0;
    let total = 0;
    for (const other of this.rows.get(lines.sentence[row])) {
      const [left, , right] = this.boxOf(lines, other);
      if (other < row) before += right - left;
      if (other === row) {
        const share = Math.min(right - left, Math.max(0, x - left));
        before += this.isRightToLeft(row) ? right - left - share : share;
      }
      total += right - left;
    }
    return before * 2 > total;
  }

  /** By the letters of the sentence; the picture does not tell. */
  isRightToLeft(row) {
    const stored = shared.documents.get(this.document);
    const sentence = this.data.lines.sentence[row];
    if (!stored || sentence >= stored.sentences) return false;
    const letter = /\p{L}/u.exec(sentenceText(stored, sentence))?.[0] ?? "";
    return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(letter);
  }

  destroy() {
    this.shows++;
    this.stopWaiting();
    this.abort.abort();
    this.resized.disconnect();
    cancelAnimationFrame(this.frame);
    cancelAnimationFrame(this.markFrame);
    this.forgetPicture();
    this.root.remove();
  }
}

/** Places that ascend, moved as little as needed to keep `step` between them and to stay from `low` to `high`. */
function spaced(places, step, low, high) {
  const moved = places.map((place) => Math.min(high, Math.max(low, place)));
  for (let i = 1; i < moved.length; i++) moved[i] = Math.max(moved[i], moved[i - 1] + step);
  for (let i = moved.length - 1; i >= 0; i--) moved[i] = Math.min(moved[i], high - (moved.length - 1 - i) * step);
  return moved;
}

export default mounted(PageView);

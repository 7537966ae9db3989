// The page view: a page as it was printed, the chunks and boundaries drawn on it, and a strip of all pages beside it.
// What is drawn on the page is in points from its top left corner; the labels stand beside the paper, in pixels.

/** @import { Component } from "../base/dom.js" */
/** @import { PageViewBody } from "../messages.js" */
import { BUS, CONFIRM_MS, announce, chooseGap, listen, settleSelection, shared } from "../base/bus.js";
import { applyTheme, button, closest, element, mounted, termed } from "../base/dom.js";
import { number, plural } from "../base/numbers.js";
import { isRightToLeft, sentenceText, visible } from "../base/text.js";
import { unpack } from "../base/wire.js";
import { asidesOf, bandsOf, drawing, hatch, roleOf } from "./drawing.js";
import { boxAt, caret, cutLine, inSecondHalf, outline, rounded, rowAt, spaced } from "./geometry.js";
import { Strip } from "./strip.js";

const REACH = 8; // points around a line in which it is still pointed at
const LABEL_PX = 20; // height of a label that has room
const CROWDED_PX = 12; // height for each label below which labels become dots
const SEND_MS = 60; // a page is requested when the user rests this long, so that leafing does not request all

/** Terms of the glossary. @type {Record<string, string>} */
const TERM_OF_DRIVER = { semantic: "semantic distance", structural: "structural distance", limit: "split" };

const stillMotion = window.matchMedia("(prefers-reduced-motion: reduce)");

/** @typedef {"left" | "right"} Side */
/** @typedef {{cut: number, side: Side, node: HTMLElement, x: number, y: number}} Label a label, and where its boundary ends */

class PageView {
  /** @type {Component} */ component;
  /** @type {PageViewBody} */ data;
  /** @type {string | null} */ document = null;
  content = "";
  picture = "";
  shownPicture = "";
  /** @type {string | null} */ url = null;
  shows = 0;
  page = 0;
  pages = 1;
  loading = false; // whether a picture is being decoded
  turned = false; // whether a page has come that is not painted yet
  /** @type {number | null} */ wanted = null; // a page that is requested and not here yet
  requested = 0; // the page that Python was asked for last, or shows
  waiting = 0;
  frame = 0;
  markFrame = 0;
  /** @type {number | null} */ hovered = null;
  /** @type {number | null} */ selected = null;
  /** @type {Label[]} */ labels = [];
  /** @type {ReturnType<typeof cutLine>[]} */ cutLines = [];
  /** @type {Map<number, number[]>} */ rows = new Map(); // sentence -> its rows on this page
  /** @type {Map<number, SVGElement>} */ bands = new Map(); // by chunk
  pointers = drawing("path", "cs-pointers"); // from the boundaries to their labels
  marks = { hover: drawing("g", "cs-mark cs-hover"), selected: drawing("g", "cs-mark cs-selected") };
  abort = new AbortController();
  strip = new Strip();
  root = element("div", "cs-page");
  bar = element("div", "cs-bar");
  back = button("cs-turn", "‹", "Previous page");
  forth = button("cs-turn", "›", "Next page");
  field = element("input", "cs-field");
  of = element("span", "cs-of");
  turns = element("span", "cs-turns");
  facts = element("span", "cs-facts");
  legend = element("span", "cs-legend");
  fit = button("cs-fit", "Fit width");
  stage = element("div", "cs-stage");
  spread = element("div", "cs-spread");
  paper = element("div", "cs-paper");
  overlay = drawing("svg", "cs-overlay", { preserveAspectRatio: "none" });
  image = new Image();
  /** @type {Record<Side, HTMLElement>} */
  gutters = { left: element("div", "cs-gutter cs-gutter-left"), right: element("div", "cs-gutter") };

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.field.type = "text";
    this.field.inputMode = "numeric";
    this.field.autocomplete = "off";
    this.field.setAttribute("aria-label", "Page number");
    this.turns.append(this.back, this.field, this.of, this.forth);
    this.facts.setAttribute("aria-live", "polite");
    this.fit.setAttribute("aria-pressed", "false");
    this.fit.title = "Make the page as wide as the frame";
    this.bar.append(this.turns, this.fit, this.facts, this.legend);
    this.stage.tabIndex = 0;
    this.stage.setAttribute("role", "region");
    this.paper.dataset.csTheme = "light"; // paper is white, whatever surrounds it
    this.paper.append(this.image, this.overlay);
    this.spread.append(this.gutters.left, this.paper, this.gutters.right);
    this.stage.append(this.spread);
    const main = element("div", "cs-main");
    main.append(this.strip.root, this.stage);
    this.root.append(this.bar, main);
    parent.append(this.root);
    this.resized = new ResizeObserver(() => this.placeLabels());
    this.resized.observe(this.paper);
    this.listen();
  }

  get topic() {
    return this.document;
  }

  /** @param {Component} component */
  update(component) {
    this.component = component;
    const { head, body } = unpack(component.data);
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
      for (const part of [this.stage, this.strip.root]) part.style.height = this.data.height;
      this.turned ||= turned;
      this.strip.fill(this.data, this.target());
      this.show();
    }
    if (this.wanted === null) this.requested = head.page;
    if (this.wanted === head.page) this.stopWaiting();
    this.showPlace();
    this.select(settleSelection(this.topic, head.selected));
  }

  // ---- which page

  /** The page that the user looks at, or waits for. */
  target() {
    return this.wanted ?? this.page;
  }

  /** @param {number} page */
  request(page) {
    const wanted = Math.min(this.pages - 1, Math.max(0, page));
    if (wanted === this.target()) return this.showPlace();
    this.stopWaiting();
    if (wanted !== this.page || wanted !== this.requested) {
      this.wanted = wanted;
      this.waiting = window.setTimeout(() => this.send(wanted), SEND_MS);
    }
    this.showPlace();
  }

  /** @param {number} page */
  send(page) {
    this.requested = page;
    this.component.setTriggerValue("page", { document: this.document, page });
    // The script may refuse.
    this.waiting = window.setTimeout(() => {
      this.stopWaiting();
      this.showPlace();
    }, CONFIRM_MS);
  }

  stopWaiting() {
    clearTimeout(this.waiting);
    this.wanted = null;
  }

  /** Shows which page is here or on its way: in the bar, the strip, and by fading the page before. */
  showPlace() {
    const page = this.target();
    this.field.value = String(page + 1);
    this.field.style.width = `${String(this.pages).length + 2.2}ch`;
    this.of.textContent = `of ${number.format(this.pages)}`;
    this.back.disabled = page <= 0;
    this.forth.disabled = page >= this.pages - 1;
    this.turns.hidden = this.strip.root.hidden = this.pages < 2;
    this.stage.classList.toggle("cs-waiting", this.wanted !== null || this.loading);
    this.stage.setAttribute("aria-busy", String(this.wanted !== null));
    this.strip.mark(page);
  }

  // ---- the page

  /** Shows the picture as soon as it can be painted, and what is drawn on it at the same moment. */
  async show() {
    const show = ++this.shows;
    this.loading = this.picture !== this.shownPicture;
    if (this.loading) {
      const url = URL.createObjectURL(new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (this.data.image)], { type: "image/png" }));
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
    this.showPlace();
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
    this.paper.style.setProperty("--cs-width", String(size[0]));
    this.paper.style.setProperty("--cs-height", String(size[1]));
    this.overlay.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    this.rows = new Map();
    lines.sentence.forEach((sentence, row) => {
      if (sentence < 0) return;
      this.rows.set(sentence, [...(this.rows.get(sentence) ?? []), row]);
    });
    this.bands = bandsOf(this.data);
    this.overlay.replaceChildren(
      hatch(), ...this.bands.values(), ...asidesOf(this.data), this.marks.selected, this.marks.hover,
      this.pointers, ...this.cuts(),
    );
    this.makeLabels();
    this.describe();
    this.mark("selected", this.selected);
    this.mark("hover", this.hovered);
  }

  /** The lines of the boundaries. */
  cuts() {
    const { bands, cuts, lines } = this.data;
    this.cutLines = Array.from(cuts.row, (row, cut) => {
      const band = bands.of_row[row];
      const box = band < 0 ? boxAt(lines.box, row) : boxAt(bands.box, band);
      const column = band < 0 ? [box[0], box[2]] : bands.column.subarray(2 * band, 2 * band + 2);
      return cutLine(box, column, cuts.step[cut]);
    });
    return this.cutLines.map(({ d }, cut) => drawing("path", "cs-cut", { d, "data-driver": roleOf(this.data, cuts.driver[cut]) }));
  }

  // ---- labels beside the paper

  makeLabels() {
    const { size } = this.data;
    const tree = /** @type {Document | ShadowRoot} */ (this.spread.getRootNode());
    const held = this.labels.findIndex(({ node }) => node === tree.activeElement);
    this.labels = this.cutLines.map((line, cut) => {
      const side = line.middle < 0.45 * size[0] && line.width < 0.55 * size[0] ? "left" : "right";
      return { cut, side, node: this.label(cut), ...line[side] };
    });
    for (const side of SIDES) this.gutters[side].replaceChildren(...this.labelsOn(side).map(({ node }) => node));
    this.spread.classList.toggle("cs-has-left", this.labels.some((label) => label.side === "left"));
    this.placeLabels();
    if (held >= 0) this.labels[held]?.node.focus({ preventScroll: true });
  }

  /** The labels of one side, from the top. @param {Side} side */
  labelsOn(side) {
    return this.labels.filter((label) => label.side === side).sort((one, other) => one.y - other.y);
  }

  /** @param {number} cut */
  label(cut) {
    const { cuts, lines, drivers, reason } = this.data;
    const chunk = number.format(lines.chunk[cuts.row[cut]] + 1);
    const tokens = plural(cuts.tokens[cut], "token");
    const driver = cuts.driver[cut];
    const gap = cuts.gap[cut];
    const made = button("cs-label", undefined, `Chunk ${chunk} begins: ${visible(reason[cut])}, ${tokens}`);
    made.dataset.driver = roleOf(this.data, driver);
    if (gap >= 0) made.dataset.gap = String(gap);
    made.dataset.cut = String(cut);
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
    if (!this.data) return;
    const { size } = this.data;
    const height = this.paper.clientHeight;
    if (!height) return;
    const scale = height / size[1];
    let d = "";
    for (const side of SIDES) {
      const own = this.labelsOn(side);
      const crowded = own.length * CROWDED_PX > height;
      const step = crowded ? 0 : Math.min(LABEL_PX + 3, height / Math.max(1, own.length));
      const tall = crowded ? LABEL_PX : Math.min(LABEL_PX, step);
      const { classList, style } = this.gutters[side];
      classList.toggle("cs-crowded", crowded);
      classList.toggle("cs-tight", tall < LABEL_PX);
      style.setProperty("--cs-tall", `${tall}px`);
      const centres = spaced(own.map((label) => label.y * scale), step, tall / 2, height - tall / 2);
      own.forEach((label, place) => {
        label.node.style.top = `${rounded(centres[place] - tall / 2)}px`;
        label.node.classList.toggle("cs-low", centres[place] > height * 0.6);
        const edge = side === "left" ? 0 : size[0];
        const out = side === "left" ? -9 / scale : size[0] + 9 / scale;
        d += `M${rounded(label.x)} ${rounded(label.y)}H${rounded(edge)}L${rounded(out)} ${rounded(centres[place] / scale)}`;
      });
    }
    this.pointers.setAttribute("d", d);
  }

  describe() {
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
      const { role } = drivers[code - 1];
      key.append(glyph, termed(element("span", "", role), TERM_OF_DRIVER[role]));
      return key;
    });
    if (asides.length) {
      const key = element("span", "cs-key");
      key.append(element("i", "cs-key-aside"), termed(element("span", "", "excluded"), "excluded"));
      keys.push(key);
    }
    this.legend.replaceChildren(...keys);
    const words = `Page ${number.format(this.page + 1)} of ${number.format(this.pages)} with ${boundaries}`;
    this.stage.setAttribute("aria-label", words);
    this.image.alt = words;
  }

  // ---- gaps on the page

  /** Marks what is on this page of both sentences of a gap, and the place between them. @param {"hover" | "selected"} kind @param {number | null} gap */
  mark(kind, gap) {
    if (!this.data) return;
    const { box } = this.data.lines;
    const left = gap === null ? [] : (this.rows.get(gap) ?? []);
    const right = gap === null ? [] : (this.rows.get(gap + 1) ?? []);
    const shapes = [];
    if (left.length || right.length) {
      const d = [...left, ...right].map((row) => {
        const [x0, y0, x1, y1] = boxAt(box, row);
        return outline([x0 - 1, y0 - 0.8, x1 + 1, y1 + 0.8]);
      });
      shapes.push(drawing("path", "cs-words", { d: d.join("") }));
      const last = left.at(-1);
      const ends = [last, right[0]].map((row) => (row === undefined ? null : boxAt(box, row)));
      shapes.push(drawing("path", "cs-caret", { d: caret(ends[0], ends[1]) }));
    }
    this.marks[kind].replaceChildren(...shapes);
    for (const { node } of this.labels) {
      node.classList.toggle(`cs-${kind}`, gap !== null && node.dataset.gap === String(gap));
    }
  }

  /** @param {number | null} gap */
  select(gap) {
    if (gap === this.selected) return;
    this.selected = gap;
    this.mark("selected", gap);
    if (gap !== null && this.data) this.scrollToGap(gap);
  }

  /** Moves the page inside its frame, where it is taller than that; never the frame itself. @param {number} gap */
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
    const options = { signal: this.abort.signal };
    this.back.addEventListener("click", () => this.request(this.target() - 1));
    this.forth.addEventListener("click", () => this.request(this.target() + 1));
    this.field.addEventListener("change", () => this.typed());
    this.field.addEventListener("focus", () => this.field.select());
    this.fit.addEventListener("click", () => this.toggleFit());
    this.strip.root.addEventListener("click", ({ target }) => {
      const page = this.strip.pageAt(target);
      if (page !== null) this.request(page);
    });
    this.paper.addEventListener("pointermove", ({ clientX, clientY }) => {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.pointed(clientX, clientY));
    });
    this.paper.addEventListener("pointerleave", () => {
      cancelAnimationFrame(this.frame);
      if (this.hovered !== null) this.hover(null);
    });
    this.paper.addEventListener("click", ({ clientX, clientY }) => {
      const gap = this.gapAt(clientX, clientY);
      if (gap !== null) this.choose(gap === this.selected ? null : gap);
    });
    for (const side of SIDES) this.listenToLabels(this.gutters[side]);
    this.root.addEventListener("keydown", (event) => this.pressed(event));
    listen(BUS.hover, this, options.signal, ({ gap }) => {
      this.hovered = gap;
      cancelAnimationFrame(this.markFrame);
      this.markFrame = requestAnimationFrame(() => this.mark("hover", this.hovered));
    });
    listen(BUS.select, this, options.signal, ({ gap }) => this.select(gap));
  }

  /** @param {HTMLElement} gutter */
  listenToLabels(gutter) {
    const over = (/** @type {MouseEvent | FocusEvent} */ { target, relatedTarget }, /** @type {boolean} */ inside) => {
      const label = closest(target, ".cs-label");
      if (!label || (relatedTarget instanceof Node && label.contains(relatedTarget))) return;
      const { cuts, lines } = this.data;
      const chunk = lines.chunk[cuts.row[Number(label.dataset.cut)]];
      this.bands.get(chunk)?.classList.toggle("cs-now", inside);
      this.hover(inside && label.dataset.gap !== undefined ? Number(label.dataset.gap) : null);
    };
    gutter.addEventListener("pointerover", (event) => over(event, true));
    gutter.addEventListener("pointerout", (event) => over(event, false));
    gutter.addEventListener("focusin", (event) => over(event, true));
    gutter.addEventListener("focusout", (event) => over(event, false));
    gutter.addEventListener("click", ({ target }) => {
      const gap = closest(target, ".cs-label")?.dataset.gap;
      if (gap !== undefined) this.choose(Number(gap) === this.selected ? null : Number(gap));
    });
  }

  typed() {
    const page = Number.parseInt(this.field.value, 10);
    if (Number.isFinite(page)) this.request(page - 1);
    else this.showPlace();
  }

  toggleFit() {
    const wide = this.stage.classList.toggle("cs-wide");
    this.fit.setAttribute("aria-pressed", String(wide));
    if (this.selected !== null) this.scrollToGap(this.selected);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.target === this.field) {
      event.stopPropagation(); // Streamlit has short cuts of single keys
      if (!["PageUp", "PageDown"].includes(event.key)) return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const turn = this.turnOf(event);
    if (turn !== null) {
      event.preventDefault();
      const inStrip = this.strip.pageAt(event.target) !== null;
      this.request(turn);
      if (inStrip) this.strip.focus();
    } else if (event.key === "Escape" && this.selected !== null) this.choose(null);
  }

  /** The page that a key leads to, or null. A page that is taller than its frame is scrolled to its end first. @param {KeyboardEvent} event */
  turnOf({ key, target }) {
    const { scrollTop, scrollHeight, clientHeight } = this.stage;
    const inStrip = this.strip.pageAt(target) !== null;
    const scrolls = !inStrip && target !== this.field && scrollHeight > clientHeight + 1;
    if (key === "ArrowLeft" || (inStrip && key === "ArrowUp")) return this.target() - 1;
    if (key === "ArrowRight" || (inStrip && key === "ArrowDown")) return this.target() + 1;
    if (key === "PageUp") return scrolls && scrollTop > 1 ? null : this.target() - 1;
    if (key === "PageDown") return scrolls && scrollTop + clientHeight < scrollHeight - 1 ? null : this.target() + 1;
    if (key === "Home" && !scrolls) return 0;
    if (key === "End" && !scrolls) return this.pages - 1;
    return null;
  }

  /** @param {number} x @param {number} y */
  pointed(x, y) {
    const gap = this.gapAt(x, y);
    this.paper.classList.toggle("cs-over", gap !== null);
    if (gap !== this.hovered) this.hover(gap);
  }

  /** @param {number | null} gap */
  hover(gap) {
    this.hovered = gap;
    this.mark("hover", gap);
    this.paper.title = gap === null ? "" : `Gap ${number.format(gap + 1)}, between the two marked sentences`;
    announce(BUS.hover, { document: this.topic, gap, source: this });
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
   * @param {number} clientX
   * @param {number} clientY
   */
  gapAt(clientX, clientY) {
    if (!this.data) return null;
    const { lines, size } = this.data;
    const paper = this.paper.getBoundingClientRect();
    const scale = paper.width / size[0];
    const x = (clientX - paper.left) / scale;
    const row = rowAt(lines, x, (clientY - paper.top) / scale, REACH);
    if (row < 0) return null;
    const sentence = lines.sentence[row];
    const stored = shared.documents.get(this.document);
    // The picture does not show the direction of its letters.
    const backwards = stored !== undefined && sentence < stored.sentences && isRightToLeft(sentenceText(stored, sentence));
    const second = inSecondHalf(lines.box, this.rows.get(sentence) ?? [], row, x, backwards);
    const last = (stored?.sentences ?? Infinity) - 2;
    return last < 0 ? null : Math.min(last, Math.max(0, second ? sentence : sentence - 1));
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

/** @type {Side[]} */
const SIDES = ["left", "right"];

export default mounted(PageView);
